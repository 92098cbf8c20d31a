/*
 * groups.c
 *	  The groups of a column scan.
 */
#include "postgres.h"

#include "utils/memutils.h"

#include "scan/groups.h"
#include "scan/images.h"

struct GpuredGroups
{
	int			nkeys;
	const int  *keys;			/* columns */
	MemoryContext context;
	GpuredGrouped *device;
	GpuredImages *images;		/* NULL if all keys are by value */

	/* By value: keys of the batch's rows, and where they may have to be put. */
	GpuredGroupedColumn *batch;
	uint32	  **widened;
	uint64	  **valid;
};

static void *
context_alloc(void *arg, size_t size)
{
	return MemoryContextAllocHuge((MemoryContext) arg, size);
}

static void
context_release(void *arg, void *pointer)
{
	pfree(pointer);
}

static const GpuredAllocator context_allocator = {context_alloc, context_release};

GpuredGroups *
gpured_groups_create(const int *keys, int nkeys, GpuredGroupedSpec *spec,
					 const GpuredColumns *columns, MemoryContext parent)
{
	GpuredGroups *groups = palloc0(sizeof(GpuredGroups));
	uint8	   *sizes = palloc(nkeys * sizeof(uint8));
	bool		by_value = true;

	groups->nkeys = nkeys;
	groups->keys = keys;
	groups->context = AllocSetContextCreate(parent, "gpured groups", ALLOCSET_DEFAULT_SIZES);
	for (int k = 0; k < nkeys; k++)
		by_value &= columns->column[keys[k]].byval;
	if (!by_value)
		groups->images = gpured_images_create(keys, nkeys, columns, groups->context);
	else
	{
		groups->batch = palloc0(nkeys * sizeof(GpuredGroupedColumn));
		groups->widened = palloc0(nkeys * sizeof(uint32 *));
		groups->valid = palloc(nkeys * sizeof(uint64 *));
		for (int k = 0; k < nkeys; k++)
		{
			int			len = columns->column[keys[k]].len;

			sizes[k] = Max(len, sizeof(uint32));
			groups->valid[k] = MemoryContextAlloc(columns->memory,
												  (columns->room + 63) / 64 * sizeof(uint64));
			if (len < sizeof(uint32))
				groups->widened[k] = MemoryContextAlloc(columns->memory, columns->room * sizeof(uint32));
		}
		spec->nkeys = nkeys;
		spec->key_size = sizes;
	}
	groups->device = gpured_grouped_create(spec, &context_allocator, groups->context);
	return groups;
}

GpuredGrouped *
gpured_groups_device(const GpuredGroups *groups)
{
	return groups->device;
}

void
gpured_groups_reset(GpuredGroups *groups)
{
	gpured_grouped_reset(groups->device);
	if (groups->images != NULL)
		gpured_images_reset(groups->images);
}

Size
gpured_groups_memory(const GpuredGroups *groups)
{
	return MemoryContextMemAllocated(groups->context, true);
}

static inline uint64
bit_of_row(const bool *nulls, const bool *filter, const bool *filter_nulls, int i)
{
	return (nulls == NULL || !nulls[i]) && (filter == NULL || filter[i]) &&
		(filter_nulls == NULL || !filter_nulls[i]);
}

void
gpured_rows_to_bits(const bool *nulls, const bool *filter, const bool *filter_nulls, int n,
					uint64 *bits)
{
	for (int from = 0; from < n; from += 64)
	{
		int			rows = Min(n - from, 64);
		uint64		word = 0;

		for (int i = 0; i < rows; i++)
			word |= bit_of_row(nulls, filter, filter_nulls, from + i) << i;
		bits[from / 64] = word;
	}
}

void
gpured_groups_begin_batch(GpuredGroups *groups, const GpuredColumns *columns)
{
	if (groups->images != NULL)
		return;
	for (int k = 0; k < groups->nkeys; k++)
	{
		const GpuredColumn *column = &columns->column[groups->keys[k]];
		uint32	   *widened = groups->widened[k];

		groups->batch[k].values = column->values;
		groups->batch[k].valid = NULL;
		if (column->has_nulls)
		{
			gpured_rows_to_bits(column->nulls, NULL, NULL, columns->n, groups->valid[k]);
			groups->batch[k].valid = groups->valid[k];
		}
		if (widened == NULL)
			continue;
		groups->batch[k].values = widened;
		for (int i = 0; column->len == sizeof(uint8) && i < columns->n; i++)
			widened[i] = ((const uint8 *) column->values)[i];
		for (int i = 0; column->len == sizeof(uint16) && i < columns->n; i++)
			widened[i] = ((const uint16 *) column->values)[i];
	}
}

/* Number rows; how many of them. */
static int
number_rows(GpuredGroups *groups, const GpuredColumns *columns, int from, int n, Size memory,
			uint32 *group)
{
	GpuredGroupedColumn keys[64];
	Size		device = gpured_grouped_memory(groups->device);
	Size		others = gpured_groups_memory(groups);

	others -= Min(others, device);
	if (groups->images != NULL)
	{
		others += gpured_images_growth(groups->images, n);
		gpured_grouped_set_limit(groups->device, memory - Min(others, memory - 1));
		if (gpured_images_count(groups->images) > 0 && device + others > memory)
			return 0;
		gpured_images_find(groups->images, columns, from, n, group);
		return n;
	}
	gpured_grouped_set_limit(groups->device, memory - Min(others, memory - 1));
	for (int k = 0; k < groups->nkeys; k++)
	{
		const GpuredGroupedColumn *all = &groups->batch[k];
		Size		size = Max(columns->column[groups->keys[k]].len, sizeof(uint32));

		keys[k].values = (const char *) all->values + from * size;
		keys[k].valid = all->valid != NULL ? all->valid + from / 64 : NULL;
	}
	return (int) gpured_grouped_number(groups->device, keys, NULL, n, group);
}

int
gpured_groups_fold(GpuredGroups *groups, const GpuredColumns *columns,
				   const GpuredGroupedColumn *values, int from, int n, Size memory, uint32 *group)
{
	uint32		ngroups;

	n = number_rows(groups, columns, from, n, memory, group);
	if (n == 0)
		return 0;
	ngroups = groups->images != NULL ? gpured_images_count(groups->images) :
		gpured_grouped_groups(groups->device);
	return (int) gpured_grouped_add_numbered(groups->device, group, ngroups, values, NULL, n);
}

Datum
gpured_groups_key(const GpuredGroups *groups, const GpuredColumns *columns, uint32 group,
				  int key, bool *null)
{
	uint64		value;

	if (groups->images != NULL)
		return gpured_images_value(groups->images, columns, group, key, null);
	*null = !gpured_grouped_key(groups->device, group, key, &value);
	switch (columns->column[groups->keys[key]].len)
	{
		case 1:
			return CharGetDatum((char) value);
		case 2:
			return Int16GetDatum((int16) value);
		case 4:
			return Int32GetDatum((int32) value);
		default:
			return (Datum) value;
	}
}

/*
 * groups.c
 *	  Numbers for groups.
 *
 * A hash table with open addressing, whose slots hold the upper half of the hash
 * beside the group's number: a probe that meets another group seldom looks at
 * its key.
 *
 * Keys by value are words of 64 bits behind a bitmap of the NULLs.  Otherwise a
 * key is an image: the bitmap, then each value that is not NULL, padded to whole
 * words, with a varlena as it is.
 */
#include "postgres.h"

#include "scan/groups.h"

#define FIRST_CAPACITY 256
#define FIRST_SLOTS 1024

/* Bytes that a value takes in an image, without the padding. */
static Size
value_size(const GpuredColumn *column, const void *value)
{
	if (column->byval)
		return sizeof(Datum);
	if (column->len > 0)
		return column->len;
	if (column->len == -2)
		return strlen(value) + 1;
	return VARSIZE_ANY(value);
}

static inline uint64
mix(uint64 hash, uint64 word)
{
	hash = (hash ^ word) * UINT64CONST(0x9E3779B97F4A7C15);
	return hash ^ (hash >> 29);
}

static inline uint64
finish(uint64 hash)
{
	hash *= UINT64CONST(0xBF58476D1CE4E5B9);
	return hash ^ (hash >> 32);
}

static uint64
hash_words(const uint64 *word, int n)
{
	uint64		hash = UINT64CONST(0x2545F4914F6CDD1D);

	for (int i = 0; i < n; i++)
		hash = mix(hash, word[i]);
	return finish(hash);
}

static void
allocate(GpuredGroups *groups)
{
	MemoryContext context = groups->context;

	groups->n = 0;
	groups->capacity = FIRST_CAPACITY;
	groups->mask = FIRST_SLOTS - 1;
	groups->slots = MemoryContextAllocZero(context, FIRST_SLOTS * sizeof(uint64));
	groups->states = MemoryContextAllocHuge(context, FIRST_CAPACITY * groups->state_size);
	if (groups->by_value)
		groups->group_keys = MemoryContextAlloc(context,
												FIRST_CAPACITY * groups->words * sizeof(uint64));
	else
		groups->images = MemoryContextAlloc(context, FIRST_CAPACITY * sizeof(char *));
}

GpuredGroups *
gpured_groups_create(const int *keys, int nkeys, Size state_size,
					 const GpuredColumns *columns, MemoryContext context)
{
	GpuredGroups *groups = palloc0(sizeof(GpuredGroups));

	groups->state_size = state_size;
	groups->nkeys = nkeys;
	groups->keys = keys;
	groups->context = context;
	groups->by_value = true;
	groups->words = 1 + nkeys;
	for (int k = 0; k < nkeys; k++)
		groups->by_value &= columns->column[keys[k]].byval;
	if (groups->by_value)
		groups->batch_keys = palloc(columns->room * groups->words * sizeof(uint64));
	allocate(groups);
	return groups;
}

void
gpured_groups_reset(GpuredGroups *groups)
{
	allocate(groups);
}

/* Room for one more group. */
static void
grow(GpuredGroups *groups)
{
	groups->capacity *= 2;
	groups->states = repalloc_huge(groups->states, groups->capacity * groups->state_size);
	if (groups->by_value)
		groups->group_keys = repalloc_huge(groups->group_keys,
										   (Size) groups->capacity * groups->words *
										   sizeof(uint64));
	else
		groups->images = repalloc_huge(groups->images, groups->capacity * sizeof(char *));
}

static uint64
hash_group(const GpuredGroups *groups, uint32 group)
{
	if (groups->by_value)
		return hash_words(groups->group_keys + (Size) group * groups->words, groups->words);
	else
	{
		const uint64 *image = (const uint64 *) groups->images[group];

		return hash_words(image + 1, (int) image[0]);
	}
}

/* Twice the slots. */
static void
rehash(GpuredGroups *groups)
{
	uint64		nslots = ((uint64) groups->mask + 1) * 2;
	uint64	   *slots;

	slots = MemoryContextAllocExtended(groups->context, nslots * sizeof(uint64),
									   MCXT_ALLOC_HUGE | MCXT_ALLOC_ZERO);
	pfree(groups->slots);
	groups->slots = slots;
	groups->mask = (uint32) (nslots - 1);
	for (uint32 g = 0; g < groups->n; g++)
	{
		uint64		hash = hash_group(groups, g);
		uint32		slot = (uint32) hash & groups->mask;

		while (slots[slot] != 0)
			slot = (slot + 1) & groups->mask;
		slots[slot] = (hash >> 32 << 32) | (g + 1);
	}
}

/* Number a new group; the caller fills in its key. */
static uint32
add_group(GpuredGroups *groups, uint64 hash, uint32 slot)
{
	uint32		group = groups->n;

	if (group == groups->capacity)
		grow(groups);
	memset(groups->states + group * groups->state_size, 0, groups->state_size);
	groups->slots[slot] = (hash >> 32 << 32) | (group + 1);
	groups->n++;
	return group;
}

/* More than half of the slots are taken: ask after the new group has its key. */
static inline bool
is_crowded(const GpuredGroups *groups)
{
	return groups->n > groups->mask / 2;
}

/* The key words of all rows, a column at a time. */
static void
make_words(GpuredGroups *groups, const GpuredColumns *columns)
{
	int			words = groups->words;
	int			n = columns->n;

	for (int i = 0; i < n; i++)
		groups->batch_keys[i * words] = 0;
	for (int k = 0; k < groups->nkeys; k++)
	{
		const GpuredColumn *column = &columns->column[groups->keys[k]];
		uint64	   *to = groups->batch_keys + 1 + k;

#define WORDS(ctype) \
		for (int i = 0; i < n; i++) \
			to[i * words] = (uint64) ((const ctype *) column->values)[i]

		if (column->len == 8)
			WORDS(uint64);
		else if (column->len == 4)
			WORDS(uint32);
		else if (column->len == 2)
			WORDS(uint16);
		else
			WORDS(uint8);
#undef WORDS
		for (int i = 0; column->has_nulls && i < n; i++)
		{
			if (column->nulls[i])
			{
				groups->batch_keys[i * words] |= UINT64CONST(1) << k;
				to[i * words] = 0;
			}
		}
	}
}

static inline bool
words_equal(const uint64 *a, const uint64 *b, int n)
{
	uint64		difference = 0;

	for (int i = 0; i < n; i++)
		difference |= a[i] ^ b[i];
	return difference == 0;
}

static pg_attribute_always_inline void
find_by_value(GpuredGroups *groups, int n, int words, uint32 *group)
{
	const uint64 *key = groups->batch_keys;

	for (int i = 0; i < n; i++, key += words)
	{
		uint64		hash = hash_words(key, words);
		uint32		slot = (uint32) hash & groups->mask;
		uint64		entry;
		uint32		found;

		while ((entry = groups->slots[slot]) != 0)
		{
			found = (uint32) entry - 1;
			if (entry >> 32 == hash >> 32 &&
				words_equal(groups->group_keys + (Size) found * words, key, words))
				break;
			slot = (slot + 1) & groups->mask;
		}
		if (entry == 0)
		{
			found = add_group(groups, hash, slot);
			memcpy(groups->group_keys + (Size) found * words, key, words * sizeof(uint64));
			if (is_crowded(groups))
				rehash(groups);
		}
		group[i] = found;
	}
}

/* Write a row's image to groups->image; returns its words behind the first. */
static int
make_image(GpuredGroups *groups, const GpuredColumns *columns, int row)
{
	Size		size = 2 * sizeof(uint64);
	uint64		nulls = 0;
	char	   *to;

	for (int k = 0; k < groups->nkeys; k++)
	{
		const GpuredColumn *column = &columns->column[groups->keys[k]];

		if (column->nulls[row])
			nulls |= UINT64CONST(1) << k;
		else if (column->byval)
			size += sizeof(Datum);
		else
			size += MAXALIGN(value_size(column, ((const void **) column->values)[row]));
	}
	if (size > groups->image_room)
	{
		if (groups->image != NULL)
			pfree(groups->image);
		groups->image = NULL;
		groups->image_room = 0;
		groups->image = MemoryContextAllocHuge(columns->context, 2 * size);
		groups->image_room = 2 * size;
	}

	((uint64 *) groups->image)[0] = size / sizeof(uint64) - 1;
	((uint64 *) groups->image)[1] = nulls;
	to = groups->image + 2 * sizeof(uint64);
	for (int k = 0; k < groups->nkeys; k++)
	{
		const GpuredColumn *column = &columns->column[groups->keys[k]];
		Datum		value;
		Size		bytes;

		if (column->nulls[row])
			continue;
		value = gpured_column_datum(column, row);
		if (column->byval)
		{
			memcpy(to, &value, sizeof(value));
			to += sizeof(value);
			continue;
		}
		bytes = value_size(column, DatumGetPointer(value));
		memset(to + MAXALIGN_DOWN(bytes), 0, MAXALIGN(bytes) - MAXALIGN_DOWN(bytes));
		memcpy(to, DatumGetPointer(value), bytes);
		to += MAXALIGN(bytes);
	}
	return (int) (size / sizeof(uint64) - 1);
}

static void
find_by_image(GpuredGroups *groups, const GpuredColumns *columns, uint32 *group)
{
	for (int i = 0; i < columns->n; i++)
	{
		int			words = make_image(groups, columns, i);
		const uint64 *image = (const uint64 *) groups->image;
		uint64		hash = hash_words(image + 1, words);
		uint32		slot = (uint32) hash & groups->mask;
		uint64		entry;
		uint32		found;

		while ((entry = groups->slots[slot]) != 0)
		{
			found = (uint32) entry - 1;
			if (entry >> 32 == hash >> 32)
			{
				const uint64 *other = (const uint64 *) groups->images[found];

				if (other[0] == image[0] && words_equal(other + 1, image + 1, words))
					break;
			}
			slot = (slot + 1) & groups->mask;
		}
		if (entry == 0)
		{
			Size		size = (words + 1) * sizeof(uint64);
			char	   *copy = MemoryContextAllocHuge(groups->context, size);

			memcpy(copy, image, size);
			found = add_group(groups, hash, slot);
			groups->images[found] = copy;
			if (is_crowded(groups))
				rehash(groups);
		}
		group[i] = found;
	}
}

void
gpured_groups_find(GpuredGroups *groups, const GpuredColumns *columns, uint32 *group)
{
	if (!groups->by_value)
	{
		find_by_image(groups, columns, group);
		return;
	}
	make_words(groups, columns);
	if (groups->words == 2)
		find_by_value(groups, columns->n, 2, group);
	else
		find_by_value(groups, columns->n, groups->words, group);
}

Datum
gpured_groups_key(const GpuredGroups *groups, const GpuredColumns *columns,
				  uint32 group, int key, bool *null)
{
	const GpuredColumn *column = &columns->column[groups->keys[key]];
	const char *value;
	uint64		nulls;

	if (groups->by_value)
	{
		const uint64 *words = groups->group_keys + (Size) group * groups->words;

		*null = (words[0] >> key) & 1;
		switch (column->len)
		{
			case 1:
				return CharGetDatum((char) words[1 + key]);
			case 2:
				return Int16GetDatum((int16) words[1 + key]);
			case 4:
				return Int32GetDatum((int32) words[1 + key]);
			default:
				return (Datum) words[1 + key];
		}
	}

	value = groups->images[group] + 2 * sizeof(uint64);
	nulls = ((const uint64 *) groups->images[group])[1];
	*null = (nulls >> key) & 1;
	if (*null)
		return (Datum) 0;
	for (int k = 0; k < key; k++)
	{
		if (!((nulls >> k) & 1))
			value += MAXALIGN(value_size(&columns->column[groups->keys[k]], value));
	}
	if (column->byval)
		return *(const Datum *) value;
	return PointerGetDatum(value);
}

/*
 * grouped_fold.c
 *	  Folding columns into the records of their groups, on the CPU device.
 */
#include "device/grouped_parts.h"

/* The number of rows comes first in a record; where its lower 16 bits are. */
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define LOW_ROWS		0
#else
#define LOW_ROWS		6
#endif

/*
 * A digit of a float sum is at most 2^45, so that 2^16 rows and a tile more stay
 * below 2^62.
 */
#define DRAIN_ROWS		(1 << 16)

static void
drain_sums(GpuredGrouped *g, uint32_t group, char *record)
{
	for (int i = 0; i < g->naggregates; i++)
	{
		if (g->aggregate[i].sum != NULL)
			gpured_drain_sum(g, &g->aggregate[i], group, record);
	}
}

/* A group has 2^16 rows more. */
static __attribute__((noinline, cold))
void
count_many_rows(GpuredGrouped *g, uint32_t group, char *record)
{
	uint64_t	rows;

	memcpy(&rows, record, sizeof(rows));
	rows += DRAIN_ROWS;
	memcpy(record, &rows, sizeof(rows));
	drain_sums(g, group, record);
}

/*
 * Find the tile's records, and count its rows there.  The lower 16 bits of the
 * number of rows are counted by themselves: their carry is when to drain sums.
 */
void
gpured_grouped_count_rows(GpuredGrouped *g, GpuredTile *tile)
{
	const size_t size = g->record.element;
	char	  **chunk = g->record.chunk;
	const uint32_t *group = tile->group;
	char	  **record = tile->record;
	const size_t n = tile->n;
	uint16_t	before;
	uint16_t	after;

	tile->one_group = memcmp(group, group + 1, (n - 1) * sizeof(*group)) == 0;
	if (g->ngroups <= CHUNK_GROUPS)
	{
#pragma GCC unroll 4
		for (size_t i = 0; i < n; i++)
			record[i] = chunk[0] + group[i] * size;
	}
	else
	{
#pragma GCC unroll 4
		for (size_t i = 0; i < n; i++)
		{
			record[i] = chunk[group[i] >> CHUNK_BITS] + (group[i] & (CHUNK_GROUPS - 1)) * size;
			__builtin_prefetch(record[i], 1);
		}
	}

	if (tile->one_group)
	{
		memcpy(&before, record[0] + LOW_ROWS, sizeof(before));
		after = (uint16_t) (before + n);
		memcpy(record[0] + LOW_ROWS, &after, sizeof(after));
		if (after < before)
			count_many_rows(g, group[0], record[0]);
		return;
	}
#pragma GCC unroll 4
	for (size_t i = 0; i < n; i++)
	{
		uint16_t   *low = (uint16_t *) (record[i] + LOW_ROWS);

		if (__builtin_expect(__builtin_add_overflow(*low, 1, low), 0))
			count_many_rows(g, group[i], record[i]);
	}
}

/* Whether all rows of a tile have a value. */
static bool
is_all_valid(const GpuredTile *tile, const uint64_t *valid)
{
	const uint32_t *rows = gpured_rows_of_tile(tile);
	uint64_t	all = UINT64_MAX;
	size_t		i;

	if (valid == NULL)
		return true;
	if (rows != NULL)
	{
		for (i = 0; i < tile->n; i++)
			all &= valid[rows[i] / 64] >> rows[i] % 64;
		return all & 1;
	}
	for (i = 0; i + 64 <= tile->n; i += 64)
		all &= valid[i / 64];
	if (i < tile->n)
		all &= valid[i / 64] | UINT64_MAX << (tile->n - i);
	return all == UINT64_MAX;
}

/*
 * The rows of a tile that have a value, into "part", whose arrays have room for
 * a tile; the others are counted.
 */
static void
leave_out_nulls(GpuredGrouped *g, const GpuredTile *tile, GpuredChunks *nulls, const uint64_t *valid,
				GpuredTile *part, uint32_t *part_rows)
{
	const uint32_t *rows = gpured_rows_of_tile(tile);

	part->n = 0;
	part->first = 0;
	part->rows = part_rows;
	part->one_group = tile->one_group;
	for (size_t i = 0; i < tile->n; i++)
	{
		uint32_t	row = rows != NULL ? rows[i] : (uint32_t) i;

		if (valid[row / 64] >> row % 64 & 1)
		{
			part->group[part->n] = tile->group[i];
			part->record[part->n] = tile->record[i];
			part_rows[part->n++] = row;
		}
		else
			++*(uint32_t *) gpured_make_element(g, nulls, tile->group[i]);
	}
}

/* The values of the rows, one after another. */
static void
gather(const void *values, size_t size, const uint32_t *rows, size_t n, void *out)
{
	switch (size)
	{
		case 2:
			for (size_t i = 0; i < n; i++)
				((int16_t *) out)[i] = ((const int16_t *) values)[rows[i]];
			break;
		case 4:
			for (size_t i = 0; i < n; i++)
				((int32_t *) out)[i] = ((const int32_t *) values)[rows[i]];
			break;
		default:
			for (size_t i = 0; i < n; i++)
				((int64_t *) out)[i] = ((const int64_t *) values)[rows[i]];
	}
}

/* Values are folded into one group's record, or each into its own. */
#define FOLD_SUM(ctype) \
	do { \
		const ctype *x = values; \
		int64_t		total = 0; \
		if (tile->one_group) \
		{ \
			for (size_t i = 0; i < tile->n; i++) \
				total += x[i]; \
			*(int64_t *) (tile->record[0] + offset) += total; \
		} \
		else \
		{ \
			for (size_t i = 0; i < tile->n; i++) \
				*(int64_t *) (tile->record[i] + offset) += x[i]; \
		} \
	} while (0)

static inline void
add_wide(char *where, __int128 value)
{
	__int128	total;

	memcpy(&total, where, sizeof(total));
	total = (__int128) ((unsigned __int128) total + (unsigned __int128) value);
	memcpy(where, &total, sizeof(total));
}

static void
fold_wide(const GpuredTile *tile, size_t offset, const int64_t *x)
{
	__int128	total = 0;

	if (tile->one_group)
	{
		for (size_t i = 0; i < tile->n; i++)
			total += x[i];
		add_wide(tile->record[0] + offset, total);
		return;
	}
	for (size_t i = 0; i < tile->n; i++)
		add_wide(tile->record[i] + offset, x[i]);
}

/*
 * Extremes are all greatest values: of least ones, the complement is kept.  New
 * ones are rare, so that a branch costs less than a store.
 */
#define FOLD_EXTREME(ctype) \
	do { \
		const ctype *x = values; \
		char	  **record = tile->record; \
		const size_t n = tile->n; \
		if (tile->one_group) \
		{ \
			int64_t    *best = (int64_t *) (record[0] + offset); \
			int64_t		greatest = *best; \
			for (size_t i = 0; i < n; i++) \
			{ \
				int64_t		value = (int64_t) x[i] ^ flip; \
				greatest = value > greatest ? value : greatest; \
			} \
			*best = greatest; \
		} \
		else \
		{ \
			_Pragma("GCC unroll 4") \
			for (size_t i = 0; i < n; i++) \
			{ \
				int64_t    *best = (int64_t *) (record[i] + offset); \
				int64_t		value = (int64_t) x[i] ^ flip; \
				if (__builtin_expect(value > *best, 0)) \
					*best = value; \
			} \
		} \
	} while (0)

/* "flip" is always a constant. */
static GPURED_ALWAYS_INLINE void
fold_extreme(const GpuredTile *tile, size_t offset, const void *values, size_t size, const int64_t flip)
{
	switch (size)
	{
		case 2:
			FOLD_EXTREME(int16_t);
			break;
		case 4:
			FOLD_EXTREME(int32_t);
			break;
		default:
			FOLD_EXTREME(int64_t);
	}
}

static void
fold_float_extreme(const GpuredTile *tile, size_t offset, const void *values, size_t size, bool least)
{
	int64_t		rank[TILE];

	if (size == sizeof(float))
		gpured_cpu_kernels()->ranks_float4(values, tile->n, least, rank);
	else
		gpured_cpu_kernels()->ranks_float8(values, tile->n, least, rank);
	fold_extreme(tile, offset, rank, sizeof(int64_t), 0);
}

static void
fold(GpuredGrouped *g, GpuredGroupedPart *a, const GpuredTile *tile, const void *values)
{
	const size_t size = gpured_op_info[a->op].input_size;
	const size_t offset = a->offset;

	switch (gpured_op_info[a->op].acc)
	{
		case GPURED_ACC_int64:
			if (size == sizeof(int16_t))
				FOLD_SUM(int16_t);
			else
				FOLD_SUM(int32_t);
			break;
		case GPURED_ACC_wide:
			fold_wide(tile, offset, values);
			break;
		case GPURED_ACC_exact:
			gpured_fold_float_sum(g, a, tile, values, size);
			break;
		case GPURED_ACC_least_int:
			fold_extreme(tile, offset, values, size, -1);
			break;
		case GPURED_ACC_greatest_int:
			fold_extreme(tile, offset, values, size, 0);
			break;
		case GPURED_ACC_least_float:
			fold_float_extreme(tile, offset, values, size, true);
			break;
		case GPURED_ACC_greatest_float:
			fold_float_extreme(tile, offset, values, size, false);
			break;
		default:				/* refused when the aggregates were named */
			break;
	}
}

/* All aggregates of one column. */
void
gpured_grouped_fold_column(GpuredGrouped *g, int c, const GpuredTile *tile, const GpuredGroupedColumn *column)
{
	uint32_t	rows[TILE];
	uint32_t	group[TILE];
	char	   *record[TILE];
	int64_t		gathered[TILE];
	size_t		gathered_size = 0;
	GpuredGroupedColumn values = gpured_column_of_tile(tile, column, 0);
	GpuredTile	part = *tile;

	if (!is_all_valid(tile, values.valid))
	{
		part.group = group;
		part.record = record;
		leave_out_nulls(g, tile, &g->nulls[c], values.valid, &part, rows);
	}
	if (part.n == 0)
		return;
	for (int i = 0; i < g->naggregates; i++)
	{
		GpuredGroupedPart *a = &g->aggregate[i];
		size_t		size = gpured_op_info[a->op].input_size;

		if (a->column != c || a->op == GPURED_none)
			continue;
		values = gpured_column_of_tile(tile, column, size);
		if (part.rows == NULL)
			fold(g, a, &part, values.values);
		else
		{
			if (gathered_size != size)
				gather(values.values, size, gpured_rows_of_tile(&part), part.n, gathered);
			gathered_size = size;
			fold(g, a, &part, gathered);
		}
	}
}

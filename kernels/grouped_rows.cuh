/*
 * grouped_rows.cuh
 *	  The rows that a thread has at a time, and their groups.
 *
 * A group is a slot of the block's table, of grouped_block.cuh, or if there is no place
 * for its key, or no such table, one of the table in memory.  Nearly all keys are where
 * they are looked for first: the reads of a thread's rows do not wait for each other, and
 * its rows share the loop that looks on.
 */
#ifndef GPURED_GROUPED_ROWS_CUH
#define GPURED_GROUPED_ROWS_CUH

#include "grouped_block.cuh"

/* Slots of the global table, where a shared one is meant. */
constexpr uint32_t GLOBAL_SLOT = (uint32_t) 1 << 31;

struct GroupsRows
{
	GpuredGroupsColumn key;
	GpuredGroupsColumn column[GPURED_GROUPS_AGGREGATES];
	size_t n;
	uint32_t shared_capacity; /* a power of two */
	int shared_copies;        /* their logarithm */
	int shared_words;         /* 32 bits each */
	int shared_extremes;
	int added_words; /* of a record, from the rows on */
};

static __device__ __forceinline__ bool
grouped_is_valid(const uint32_t *valid, size_t row)
{
	return valid == nullptr || (valid[row / 32] >> row % 32 & 1) != 0;
}

/* Value "row" of an integer column of that size. */
static __device__ __forceinline__ int64_t
grouped_int(const void *values, int size, size_t row)
{
	switch (size)
	{
		case 2:
			return static_cast<const int16_t *>(values)[row];
		case 4:
			return static_cast<const int32_t *>(values)[row];
		default:
			return static_cast<const int64_t *>(values)[row];
	}
}

static __device__ __forceinline__ double
grouped_float(const void *values, int size, size_t row)
{
	return size == 4 ? static_cast<const float *>(values)[row]
					 : static_cast<const double *>(values)[row];
}

/*
 * A thread's rows of a tile: where their groups are.  A slot is one of the
 * block's table, or one of the global table with GLOBAL_SLOT, or NO_SLOT.
 */
struct TileRows
{
	size_t first; /* the thread's first row; others are as far apart as the block is long */
	uint32_t slot[GROUPED_ROWS];
	uint32_t place[GROUPED_ROWS]; /* of a slot of the block's table, else any */
	bool one_group;               /* all of the warp, in the block's table */
	bool any_global;              /* some of the warp's are not there */

	__device__ __forceinline__ size_t row(int r) const { return first + (uint32_t) r * blockDim.x; }
};

/* The values of a thread's rows; of those that are not there, or NULL, "none". */
template <class T, class Wide>
static __device__ __forceinline__ void
grouped_load(const TileRows &tile, const GpuredGroupsColumn &column, Wide none,
			 Wide (&x)[GROUPED_ROWS])
{
	const T *values = static_cast<const T *>(column.values);

#pragma unroll
	for (int r = 0; r < GROUPED_ROWS; r++)
		x[r] = tile.slot[r] != NO_SLOT ? (Wide) values[tile.row(r)] : none;
	if (column.valid != nullptr)
#pragma unroll
		for (int r = 0; r < GROUPED_ROWS; r++)
			if (tile.slot[r] != NO_SLOT && !grouped_is_valid(column.valid, tile.row(r)))
				x[r] = none;
}

template <bool SHARED_FIRST>
static __device__ __forceinline__ bool
grouped_is_shared(uint32_t slot)
{
	return SHARED_FIRST && slot < GLOBAL_SLOT;
}

/* Find the groups of a thread's rows. */
template <class Key, bool SHARED_FIRST>
static __device__ __forceinline__ void
grouped_find(const GpuredGroups &g, const GroupsRows &rows, const SharedTable &table, size_t start,
			 TileRows &tile)
{
	const bool whole = start + (size_t) blockDim.x * GROUPED_ROWS <= rows.n;
	uint64_t key[GROUPED_ROWS], there[GROUPED_ROWS];
	uint32_t here = 0, nulls = 0, rest = 0; /* bits of rows */
	bool same = true;

	tile.first = start + threadIdx.x;
#pragma unroll
	for (int r = 0; r < GROUPED_ROWS; r++)
	{
		here |= whole || tile.row(r) < rows.n ? 1 << r : 0;
		key[r] = 0;
		if ((here >> r & 1) != 0 && g.key_size > 0)
			key[r] = static_cast<const Key *>(rows.key.values)[tile.row(r)];
	}
	if (rows.key.valid != nullptr)
#pragma unroll
		for (int r = 0; r < GROUPED_ROWS; r++)
			if ((here >> r & 1) != 0 && !grouped_is_valid(rows.key.valid, tile.row(r)))
				nulls |= 1 << r;

				/* Nearly all are where they are looked for first: these reads do not wait for each
				 * other. */
#pragma unroll
	for (int r = 0; r < GROUPED_ROWS; r++)
	{
		tile.slot[r] = groups_hash(key[r], SHARED_FIRST ? table.capacity : g.capacity);
		there[r] =
			SHARED_FIRST ? table.key[tile.slot[r]] : g.record[(size_t) tile.slot[r] * g.nwords];
	}

	/* Rows without a key, and those beyond the last, are in no block's table. */
#pragma unroll
	for (int r = 0; r < GROUPED_ROWS; r++)
		if (there[r] != key[r] || key[r] == EMPTY_KEY)
			rest |= 1 << r;
	rest |= nulls | ~here;
	rest &= (1 << GROUPED_ROWS) - 1;
	if (SHARED_FIRST && rest != 0)
	{
		uint32_t out = nulls | ~here;

#pragma unroll
		for (int r = 0; r < GROUPED_ROWS; r++)
		{
			out |= key[r] == EMPTY_KEY ? 1 << r : 0;
			if (there[r] != EMPTY_KEY && (rest >> r & 1) != 0)
				tile.slot[r] = (tile.slot[r] + 1) & (table.capacity - 1);
		}
		out &= rest;
		rest &= ~out;
		grouped_probe_shared(table, key, tile.slot, rest);
		rest |= out;
	}
	if (rest != 0)
#pragma unroll
		for (int r = 0; r < GROUPED_ROWS; r++)
			if ((rest >> r & 1) != 0)
			{
				uint32_t slot = NO_SLOT;

				if ((here >> r & 1) != 0)
					slot = groups_slot(g, key[r], (nulls >> r & 1) != 0);
				if (SHARED_FIRST && slot != NO_SLOT)
					slot |= GLOBAL_SLOT;
				tile.slot[r] = slot;
			}
	if (!SHARED_FIRST)
		return;

	/* Rows beyond the last are global, so to say: they are nowhere. */
	tile.any_global = __ballot_sync(ALL_LANES, rest != 0) != 0;
#pragma unroll
	for (int r = 0; r < GROUPED_ROWS; r++)
	{
		tile.place[r] = tile.slot[r] < GLOBAL_SLOT ? table.place_of(tile.slot[r]) : 0;
		same = same && tile.slot[r] == tile.slot[0];
	}

	const uint32_t first = __shfl_sync(ALL_LANES, tile.slot[0], 0);

	same = same && tile.slot[0] == first;
	tile.one_group = __ballot_sync(ALL_LANES, same) == ALL_LANES && !tile.any_global;
}

#endif /* GPURED_GROUPED_ROWS_CUH */

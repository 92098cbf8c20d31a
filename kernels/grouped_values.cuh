/*
 * grouped_values.cuh
 *	  Fold one aggregate of a thread's rows: counts and sums of integers, sums of
 *	  floats, extremes.
 *
 * Numbers go to the block's table as words with carries, to the table in memory by the
 * stage; extremes by an atomic maximum, and that only if they are larger than what is
 * there.  Which table is known to the compiler (SHARED_FIRST), but for rows that
 * found no place in the block's.
 */
#ifndef GPURED_GROUPED_VALUES_CUH
#define GPURED_GROUPED_VALUES_CUH

#include <type_traits>

#include "grouped_stage.cuh"

/* Add numbers, digits with the highest first, to the block's table. */
template <int WORDS>
static __device__ __forceinline__ void
grouped_add_numbers(const SharedTable &table, const TileRows &tile, int first,
					int64_t (&digit)[GROUPED_ROWS][WORDS])
{
	RowNumbers<WORDS> x;

	if (tile.one_group)
	{
#pragma unroll
		for (int r = 1; r < GROUPED_ROWS; r++)
#pragma unroll
			for (int d = 0; d < WORDS; d++)
				digit[0][d] += digit[r][d];
		grouped_add_one_group<WORDS>(table, first, tile.place, digit[0]);
		return;
	}
#pragma unroll
	for (int r = 0; r < GROUPED_ROWS; r++)
		x.set(r, digit[r]);
	grouped_add_shared<WORDS>(table, first, tile.place, x);
}

/* An integer of every row: counts and sums of integers; WORDS of 32 bits, as digits. */
template <bool SHARED_FIRST, int WORDS, class Number>
static __device__ __forceinline__ void
grouped_add_ints(const GpuredGroups &g, const SharedTable &table, const Stage &stage,
				 const TileRows &tile, int first, int word, Number number)
{
	int64_t digit[GROUPED_ROWS][WORDS];

#pragma unroll
	for (int r = 0; r < GROUPED_ROWS; r++)
	{
		const uint32_t slot = tile.slot[r];
		const int64_t value = slot != NO_SLOT ? number(tile.row(r)) : 0;
		const bool wide = WORDS == 2;
		const int64_t low = wide ? (int32_t) value : value;
		const int64_t high = (value >> 32) + (low < 0);

		if (!SHARED_FIRST)
		{
			stage.put(r, word, (uint64_t) low);
			if (wide)
				stage.put(r, word + 1, (uint64_t) high);
			continue;
		}
		if (tile.any_global && slot != NO_SLOT && !grouped_is_shared<SHARED_FIRST>(slot))
		{
			groups_add_word(g, slot & ~GLOBAL_SLOT, word, (uint64_t) low);
			if (wide)
				groups_add_word(g, slot & ~GLOBAL_SLOT, word + 1, (uint64_t) high);
		}
#pragma unroll
		for (int d = 0; d < WORDS; d++)
			digit[r][d] = !grouped_is_shared<SHARED_FIRST>(slot) ? 0 : wide && d == 0 ? high : low;
	}
	if (SHARED_FIRST)
		grouped_add_numbers<WORDS>(table, tile, first, digit);
}

template <bool SHARED_FIRST>
static __device__ __forceinline__ void
grouped_add_floats(const GpuredGroups &g, const SharedTable &table, const Stage &stage,
				   const TileRows &tile, int first, const GpuredGroupsAggregate &aggregate,
				   const GpuredGroupsColumn &column)
{
	const GroupsGrid grid = groups_grid(g.anchor[aggregate.sum]);
	double x[GROUPED_ROWS];
	int64_t digit[GROUPED_ROWS][GROUPS_DIGITS];

	if (aggregate.size == 4)
		grouped_load<float>(tile, column, 0.0, x);
	else
		grouped_load<double>(tile, column, 0.0, x);
#pragma unroll
	for (int r = 0; r < GROUPED_ROWS; r++)
	{
		const uint32_t slot = tile.slot[r];

		if (!groups_cut(grid, x[r], digit[r]))
		{
			uint32_t place = slot & ~GLOBAL_SLOT;

			if (grouped_is_shared<SHARED_FIRST>(slot))
				place = groups_slot(g, table.key[slot], false);
			if (place != NO_SLOT)
				groups_add_special(g, place, aggregate.sum, x[r]);
			digit[r][0] = digit[r][1] = digit[r][2] = 0;
		}
		if (!SHARED_FIRST)
		{
#pragma unroll
			for (int d = 0; d < GROUPS_DIGITS; d++)
				stage.put(r, aggregate.word + d, (uint64_t) digit[r][d]);
		}
		else if (tile.any_global && !grouped_is_shared<SHARED_FIRST>(slot))
		{
#pragma unroll
			for (int d = 0; d < GROUPS_DIGITS; d++)
			{
				if (slot != NO_SLOT)
					groups_add_word(g, slot & ~GLOBAL_SLOT, aggregate.word + d,
									(uint64_t) digit[r][d]);
				digit[r][d] = 0;
			}
		}
	}
	if (SHARED_FIRST)
		grouped_add_numbers<GROUPS_DIGITS>(table, tile, first, digit);
}

/* PostgreSQL's order, as integers. */
template <class T>
static __device__ __forceinline__ int64_t
grouped_rank(T x)
{
	if constexpr (std::is_floating_point<T>::value)
		return groups_float_rank((double) x);
	else
		return x;
}

/* What the greatest is wanted of, for rows' values; INT64_MIN for none. */
template <class T>
static __device__ __forceinline__ void
grouped_load_ranks(const TileRows &tile, const GpuredGroupsColumn &column, bool least,
				   int64_t (&value)[GROUPED_ROWS])
{
	T x[GROUPED_ROWS];

	grouped_load<T>(tile, column, T(0), x);
#pragma unroll
	for (int r = 0; r < GROUPED_ROWS; r++)
	{
		const bool here = tile.slot[r] != NO_SLOT && grouped_is_valid(column.valid, tile.row(r));
		const int64_t rank = grouped_rank(x[r]);

		value[r] = !here ? INT64_MIN : least ? ~rank : rank;
	}
}

template <bool SHARED_FIRST>
static __device__ __forceinline__ void
grouped_add_extremes(const GpuredGroups &g, const SharedTable &table, const TileRows &tile,
					 int extreme, const GpuredGroupsAggregate &aggregate,
					 const GpuredGroupsColumn &column)
{
	const bool is_float =
		aggregate.kind == GPURED_ACC_least_float || aggregate.kind == GPURED_ACC_greatest_float;
	const bool least =
		aggregate.kind == GPURED_ACC_least_float || aggregate.kind == GPURED_ACC_least_int;
	int64_t value[GROUPED_ROWS];

	switch (is_float ? -aggregate.size : aggregate.size)
	{
		case -4:
			grouped_load_ranks<float>(tile, column, least, value);
			break;
		case -8:
			grouped_load_ranks<double>(tile, column, least, value);
			break;
		case 2:
			grouped_load_ranks<int16_t>(tile, column, least, value);
			break;
		case 4:
			grouped_load_ranks<int32_t>(tile, column, least, value);
			break;
		default:
			grouped_load_ranks<int64_t>(tile, column, least, value);
	}
	if constexpr (!SHARED_FIRST)
	{
		int64_t present[GROUPED_ROWS];

		/* A stale value is too small, never too large. */
#pragma unroll
		for (int r = 0; r < GROUPED_ROWS; r++)
			present[r] =
				value[r] == INT64_MIN
					? INT64_MAX
					: (int64_t) g.record[(size_t) tile.slot[r] * g.nwords + aggregate.word];
#pragma unroll
		for (int r = 0; r < GROUPED_ROWS; r++)
			if (value[r] > present[r])
				groups_add_extreme(g, tile.slot[r], aggregate.word, value[r]);
	}
	else
#pragma unroll
		for (int r = 0; r < GROUPED_ROWS; r++)
		{
			const uint32_t slot = tile.slot[r];

			if (slot == NO_SLOT || value[r] == INT64_MIN)
				continue;
			if (grouped_is_shared<SHARED_FIRST>(slot))
			{
				int64_t *place = &table.extreme_at(extreme, tile.place[r]);

				if (value[r] > *static_cast<volatile int64_t *>(place))
					atomicMax(reinterpret_cast<long long *>(place), (long long) value[r]);
			}
			else
				groups_add_extreme(g, slot & ~GLOBAL_SLOT, aggregate.word, value[r]);
		}
}

#endif /* GPURED_GROUPED_VALUES_CUH */

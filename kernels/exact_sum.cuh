/*
 * exact_sum.cuh
 *	  The exact sum of an array of float8 or float4, in one launch.
 *
 * A persistent grid: each block goes through tiles with a stride of the grid
 * and loads the next tile while it adds the present one.  Threads keep private
 * exact sums, in registers and shared memory, which meet in the block's
 * accumulator and then, as integers, in one GpuredExact.  All of it is integer
 * addition, so the order of threads and blocks does not matter.
 *
 * float8: a window of registers; misfits go to private limbs in shared memory.
 * A warp that meets many misfits first moves its window, then, if that does
 * not help, leaves it and adds to its limbs only.
 * float4: private bins, for any data.
 */
#ifndef GPURED_EXACT_SUM_CUH
#define GPURED_EXACT_SUM_CUH

#include "exact_bins.cuh"
#include "exact_limbs.cuh"
#include "exact_window.cuh"

/* Tiles with many misfits before a warp moves its window, and gives it up. */
constexpr int STRIKES_TO_MOVE = 4;
constexpr int STRIKES_TO_LEAVE = 8;

/*
 * The sum of a thread's share of float8 values.
 */
template <int TILE_VALUES>
struct ExactSum8
{
	typedef double Value;
	typedef uint64_t Cell;
	static constexpr int CELLS = COLUMN_LIMBS; /* shared memory a thread */

	ExactBlock &block;
	Cell *column;
	ExactWindow window;
	int limb_count; /* values since the limbs were flushed */
	int strikes;
	bool limbs_open; /* the warp's limbs are cleared and in use */
	uint32_t seen;   /* nonzero once a value was not -0 */

	__device__ __forceinline__ ExactSum8(ExactBlock &block_, Cell *cells)
		: block(block_), column(cells + threadIdx.x), limb_count(0), strikes(0), limbs_open(false),
		  seen(0)
	{
	}

	template <class Tile>
	__device__ __forceinline__ void anchor(const Tile &tile)
	{
		uint32_t largest = 0;

		tile.each(
			[&](double x)
			{
				const uint32_t field = exact_window_field(x);

				largest = field > largest ? field : largest;
			});
		exact_window_anchor(window, largest);
	}

	template <class Tile>
	__device__ __forceinline__ void add(const Tile &tile)
	{
		if (seen == 0)
			tile.each([&](double x) { seen |= not_negative_zero(x); });
		if (strikes < STRIKES_TO_LEAVE)
			add_to_window(tile);
		else
			add_to_limbs(tile);
	}

	template <class Tile>
	__device__ __forceinline__ void add_to_window(const Tile &tile)
	{
		bool misfit = false;
		unsigned int lanes;

		if (window.count > WINDOW_LIMIT - TILE_VALUES)
			exact_window_flush(window, block);
		tile.each([&](double x) { misfit |= exact_window_add(window, x); });
		window.count += TILE_VALUES;

		lanes = __ballot_sync(ALL_LANES, misfit);
		if (lanes == 0)
			return;
		make_room();
		if (misfit)
			tile.each_rolled(
				[&](double x)
				{
					const double rest = exact_window_misfit(window, x);

					if (exponent_field(rest) == SPECIAL_FIELD)
						atomicOr(&block.flags, special_flag(rest));
					else if (rest != 0)
						exact_limbs_add(column, blockDim.x, rest);
				});

		/* A stray value now and then is no reason to change anything. */
		if (__popc(lanes) > 2 && ++strikes == STRIKES_TO_MOVE)
		{
			exact_window_flush(window, block);
			anchor(tile);
		}
		if (strikes == STRIKES_TO_LEAVE)
			exact_window_flush(window, block);
	}

	template <class Tile>
	__device__ __forceinline__ void add_to_limbs(const Tile &tile)
	{
		uint32_t largest = 0;

		make_room();
		tile.each(
			[&](double x)
			{
				const uint32_t field = exact_limbs_add(column, blockDim.x, x);

				largest = field > largest ? field : largest;
			});
		if (largest == SPECIAL_FIELD)
			tile.each_rolled(
				[&](double x)
				{
					if (exponent_field(x) == SPECIAL_FIELD)
						atomicOr(&block.flags, special_flag(x));
				});
	}

	/* The warp's limbs can take another tile. */
	__device__ __forceinline__ void make_room()
	{
		if (!limbs_open)
		{
			exact_limbs_clear(column, blockDim.x);
			limbs_open = true;
		}
		else if (limb_count > COLUMN_LIMIT - TILE_VALUES)
		{
			exact_limbs_flush(column - lane_id(), blockDim.x, block);
			limb_count = 0;
		}
		limb_count += TILE_VALUES;
	}

	__device__ __forceinline__ void finish()
	{
		if (window.count > 0)
			exact_window_flush(window, block);
		if (limbs_open)
			exact_limbs_flush(column - lane_id(), blockDim.x, block);
	}
};

/*
 * The sum of a thread's share of float4 values.
 */
template <int TILE_VALUES>
struct ExactSum4
{
	typedef float Value;
	typedef double Cell;
	static constexpr int CELLS = BINS;

	ExactBlock &block;
	Cell *column;
	int count;
	uint32_t seen;

	__device__ __forceinline__ ExactSum4(ExactBlock &block_, Cell *cells)
		: block(block_), column(cells + threadIdx.x), count(0), seen(0)
	{
		exact_bins_clear(column, blockDim.x);
	}

	template <class Tile>
	__device__ __forceinline__ void anchor(const Tile &)
	{
	}

	template <class Tile>
	__device__ __forceinline__ void add(const Tile &tile)
	{
		if (seen == 0)
			tile.each([&](float x) { seen |= not_negative_zero(x); });
		if (count > BINS_LIMIT - TILE_VALUES)
		{
			exact_bins_flush(column - lane_id(), blockDim.x, block);
			count = 0;
		}
		tile.each([&](float x) { exact_bins_add(column, blockDim.x, x); });
		count += TILE_VALUES;
	}

	__device__ __forceinline__ void finish()
	{
		exact_bins_flush(column - lane_id(), blockDim.x, block);
	}
};

/* A thread's part of a tile, in registers. */
template <class T, int VECTORS>
struct RegisterTile
{
	static constexpr int LENGTH = Vector<T>::LENGTH;
	Vector<T> vector[VECTORS];

	template <class Visit>
	__device__ __forceinline__ void each(Visit visit) const
	{
#pragma unroll
		for (int i = 0; i < VECTORS; i++)
#pragma unroll
			for (int k = 0; k < LENGTH; k++)
				visit(vector[i].value[k]);
	}

	/* Small code for rare cases; the inner loop keeps the tile in registers. */
	template <class Visit>
	__device__ __forceinline__ void each_rolled(Visit visit) const
	{
#pragma unroll 1
		for (int n = 0; n < VECTORS * LENGTH; n++)
		{
			T x = vector[0].value[0];

#pragma unroll
			for (int m = 1; m < VECTORS * LENGTH; m++)
				if (m == n)
					x = vector[m / LENGTH].value[m % LENGTH];
			visit(x);
		}
	}
};

template <class Sum>
struct ExactSumShared
{
	ExactBlock block;
	alignas(16) typename Sum::Cell cell[1]; /* Sum::CELLS for each thread */
};

/* Bytes of shared memory that a block of so many threads needs. */
template <class Sum>
constexpr size_t
exact_sum_shared(int threads)
{
	return offsetof(ExactSumShared<Sum>, cell) + sizeof(typename Sum::Cell) * Sum::CELLS * threads;
}

template <template <int> class SumOf, int VECTORS, int THREADS, int BLOCKS>
__global__ void
__launch_bounds__(THREADS, BLOCKS) exact_sum(const typename SumOf<1>::Value *values, size_t n,
											 ExactWorkspace *work, GpuredAcc *result)
{
	typedef typename SumOf<1>::Value Value;
	constexpr int TILE_VALUES = VECTORS * Vector<Value>::LENGTH;
	typedef SumOf<TILE_VALUES> Sum;
	SHARED_DYNAMIC(ExactSumShared<Sum>, shared);
	const size_t size = (size_t) blockDim.x * TILE_VALUES;
	const size_t stride = gridDim.x * size;
	size_t start = blockIdx.x * size;
	RegisterTile<Value, VECTORS> now, next;

	/* -0 is what a sum does not notice at all. */
	const Value filler = -Value(0);

	load_tile(now.vector, values, n, start, filler);
	exact_block_clear(shared.block);
	__syncthreads();

	Sum sum(shared.block, shared.cell);

	sum.anchor(now);
	for (;;)
	{
		/* Twice, so that the two tiles swap their parts without a copy. */
		start += stride;
		if (start < n)
			load_tile(next.vector, values, n, start, filler);
		sum.add(now);
		if (start >= n)
			break;
		start += stride;
		if (start < n)
			load_tile(now.vector, values, n, start, filler);
		sum.add(next);
		if (start >= n)
			break;
	}
	sum.finish();
	if (sum.seen != 0)
		atomicOr(&shared.block.flags, GPURED_EXACT_NOT_NEGZERO);
	exact_block_finish(shared.block, work, result);
}

#endif /* GPURED_EXACT_SUM_CUH */

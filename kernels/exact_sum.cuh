/*
 * exact_sum.cuh
 *	  The exact sum of an array of float8 or float4, in one launch.
 *
 * A persistent grid of blocks that go through the array (exact_stream.cuh).
 * Threads keep private exact sums, in registers and shared memory, which meet
 * in the block's accumulator and then, as integers, in one GpuredExact.  All
 * of it is integer addition, so the order of threads and blocks does not
 * matter.
 *
 * float8: a window of registers (exact_window.cuh).  Values that it cannot hold
 * go to the thread's column in shared memory (exact_columns.cuh).  A tile with
 * many of them is taken back out of the window and added to the column as a
 * whole; a warp that meets such tiles first moves its window, then, if that does
 * not help, leaves it and adds to its columns only.
 * float4: private bins, for any data (exact_bins.cuh).
 */
#ifndef GPURED_EXACT_SUM_CUH
#define GPURED_EXACT_SUM_CUH

#include "exact_bins.cuh"
#include "exact_columns.cuh"
#include "exact_stream.cuh"
#include "exact_window.cuh"

/* Tiles with many misfits before a warp moves its window, and gives it up. */
constexpr int STRIKES_TO_MOVE = 2;
constexpr int STRIKES_TO_LEAVE = 4;

/* Lanes of a warp with misfits that are no reason to change anything. */
constexpr int STRAY_LANES = 2;

/*
 * The sum of a thread's share of float8 values.
 */
template <int TILE_VALUES>
struct ExactSum8
{
	typedef double Value;
	typedef uint32_t Cell;
	static constexpr int CELLS = COLUMN_WORDS; /* shared memory a thread */

	ExactBlock &block;
	Cell *column;
	ExactWindow window;
	int strikes;
	bool columns_open; /* the warp's columns are cleared and in use */

	__device__ __forceinline__ ExactSum8(ExactBlock &block_, Cell *cells)
		: block(block_), column(cells + threadIdx.x), strikes(0), columns_open(false)
	{
	}

	/* Before the first tile. */
	template <class Stream>
	__device__ __forceinline__ void start(const Stream &stream)
	{
		anchor(stream);
	}

	template <class Stream>
	__device__ __forceinline__ void add(Stream &stream)
	{
		if (strikes < STRIKES_TO_LEAVE)
			add_to_window(stream);
		else
			add_to_columns(stream);
	}

	/* Put the window where the values of the tile at hand are. */
	template <class Stream>
	__device__ __forceinline__ void anchor(const Stream &stream)
	{
		uint32_t largest = 0;

		stream.peek(
			[&](double x)
			{
				const uint32_t field = exact_window_field(x);

				largest = field > largest ? field : largest;
			});
		exact_window_anchor(window, largest);
	}

	template <class Stream>
	__device__ __forceinline__ void add_to_window(Stream &stream)
	{
		uint64_t before[WINDOW_DIGITS];
		bool misfit = false;
		unsigned int lanes;

		if (window.count > WINDOW_LIMIT - TILE_VALUES)
			exact_window_flush(window, block);
#pragma unroll
		for (int d = 0; d < WINDOW_DIGITS; d++)
			before[d] = window.sum[d];
		stream.consume([&](double x) { misfit |= exact_window_add(window, x); });

		lanes = __ballot_sync(ALL_LANES, misfit);
		if (lanes != 0)
			open_columns();
		if (__popc(lanes) <= STRAY_LANES)
		{
			window.count += TILE_VALUES;

			/* -0 fillers are in the window, so the array's other values are all. */
			if (misfit)
				stream.again(
					[&](double x)
					{
						const double rest = exact_window_misfit(window, x);

						if (exponent_field(rest) == SPECIAL_FIELD)
							atomicOr(&block.flags, special_flag(rest));
						else if (rest != 0)
							exact_column_add(column, blockDim.x, rest);
					});
			return;
		}

#pragma unroll
		for (int d = 0; d < WINDOW_DIGITS; d++)
			window.sum[d] = before[d];
		stream.again([&](double x) { add_to_column(x); });
		strikes++;
		if (strikes == STRIKES_TO_MOVE || strikes == STRIKES_TO_LEAVE)
			exact_window_flush(window, block);
		if (strikes == STRIKES_TO_MOVE)
			anchor(stream);
	}

	__device__ __forceinline__ void add_to_column(double x)
	{
		if (exact_column_add(column, blockDim.x, x) == SPECIAL_FIELD)
			atomicOr(&block.flags, special_flag(x));
	}

	template <class Stream>
	__device__ __forceinline__ void add_to_columns(Stream &stream)
	{
		uint32_t largest = 0;

		open_columns();
		stream.consume(
			[&](double x)
			{
				const uint32_t field = exact_column_add(column, blockDim.x, x);

				largest = field > largest ? field : largest;
			});
		if (largest == SPECIAL_FIELD)
			stream.again(
				[&](double x)
				{
					if (exponent_field(x) == SPECIAL_FIELD)
						atomicOr(&block.flags, special_flag(x));
				});
	}

	__device__ __forceinline__ void open_columns()
	{
		if (!columns_open)
			exact_column_clear(column, blockDim.x);
		columns_open = true;
	}

	/* Everything goes to the block; more may be added afterwards. */
	__device__ __forceinline__ void finish()
	{
		if (window.count > 0)
			exact_window_flush(window, block);
		if (columns_open)
			exact_columns_finish(column - lane_id(), blockDim.x, block);
		columns_open = false;
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

	__device__ __forceinline__ ExactSum4(ExactBlock &block_, Cell *cells)
		: block(block_), column(cells + threadIdx.x), count(0)
	{
	}

	template <class Stream>
	__device__ __forceinline__ void start(const Stream &)
	{
		exact_bins_clear(column, blockDim.x);
	}

	template <class Stream>
	__device__ __forceinline__ void add(Stream &stream)
	{
		if (count > BINS_LIMIT - TILE_VALUES)
		{
			exact_bins_flush(column - lane_id(), blockDim.x, block);
			count = 0;
		}
		stream.consume([&](float x) { exact_bins_add(column, blockDim.x, x); });
		count += TILE_VALUES;
	}

	__device__ __forceinline__ void finish()
	{
		exact_bins_flush(column - lane_id(), blockDim.x, block);
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
	typedef ExactStream<typename SumOf<1>::Value, VECTORS> Stream;
	typedef SumOf<Stream::TILE_VALUES> Sum;
	SHARED_DYNAMIC(ExactSumShared<Sum>, shared);
	Stream stream(values, n);
	uint32_t seen = 0; /* nonzero once a value was not -0 */

	exact_block_clear(shared.block);
	__syncthreads();

	Sum sum(shared.block, shared.cell);

	sum.start(stream);
	while (!stream.is_done())
	{
		if (seen == 0)
			stream.peek([&](typename Sum::Value x) { seen |= not_negative_zero(x); });
		sum.add(stream);
	}
	sum.finish();
	if (seen != 0)
		atomicOr(&shared.block.flags, GPURED_EXACT_NOT_NEGZERO);
	exact_block_finish(shared.block, work, result);
}

#endif /* GPURED_EXACT_SUM_CUH */

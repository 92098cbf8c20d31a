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
 * go to the thread's limbs in shared memory (exact_limbs.cuh).  A tile with
 * many of them is taken back out of the window and added to the limbs as a
 * whole; a warp that meets such tiles first moves its window, then, if that does
 * not help, leaves it and adds to its limbs only.
 * float4: private bins, for any data (exact_bins.cuh).
 */
#ifndef GPURED_EXACT_SUM_CUH
#define GPURED_EXACT_SUM_CUH

#include "exact_bins.cuh"
#include "exact_limbs.cuh"
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
	typedef uint64_t Cell;
	static constexpr int CELLS = COLUMN_LIMBS; /* shared memory a thread */

	ExactBlock &block;
	Cell *column;
	ExactWindow window;
	int limb_count; /* values since the limbs were flushed */
	int strikes;
	bool limbs_open; /* the warp's limbs are cleared and in use */

	__device__ __forceinline__ ExactSum8(ExactBlock &block_, Cell *cells)
		: block(block_), column(cells + threadIdx.x), limb_count(0), strikes(0), limbs_open(false)
	{
	}

	/* Before the first tile. */
	template <class Stream>
	__device__ __forceinline__ void start(const Stream &stream)
	{
		anchor(stream);
	}

	/* Add the present tile at least. */
	template <class Stream>
	__device__ __forceinline__ void add(Stream &stream)
	{
		if (strikes < STRIKES_TO_LEAVE)
			add_to_window(stream);
		else
			add_rest_to_limbs(stream);
	}

	/* Put the window where the values of the present tile are. */
	template <class Stream>
	__device__ __forceinline__ void anchor(const Stream &stream)
	{
		uint32_t largest = 0;

		stream.tile.each(
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
		const size_t start = stream.at;
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
			make_room(TILE_VALUES);
		if (__popc(lanes) <= STRAY_LANES)
		{
			window.count += TILE_VALUES;
			if (misfit)
				stream.again(start,
							 [&](double x)
							 {
								 const double rest = exact_window_misfit(window, x);

								 if (exponent_field(rest) == SPECIAL_FIELD)
									 atomicOr(&block.flags, special_flag(rest));
								 else if (rest != 0)
									 exact_limbs_add(column, blockDim.x, rest);
							 });
			return;
		}

#pragma unroll
		for (int d = 0; d < WINDOW_DIGITS; d++)
			window.sum[d] = before[d];
		read_again(stream, start);
		strikes++;
		if (strikes == STRIKES_TO_MOVE || strikes == STRIKES_TO_LEAVE)
			exact_window_flush(window, block);
		if (strikes == STRIKES_TO_MOVE)
			anchor(stream);
	}

	/* Add the tile that begins at "start" to the limbs. */
	template <class Stream>
	__device__ __forceinline__ void read_again(const Stream &stream, size_t start)
	{
		typename Stream::Tile tile;

		stream.load(tile, start);
		note_special(stream, start, add_to_limbs(tile));
	}

	/* The largest exponent field is returned. */
	template <class Tile>
	__device__ __forceinline__ uint32_t add_to_limbs(const Tile &tile)
	{
		uint32_t largest = 0;

		tile.each(
			[&](double x)
			{
				const uint32_t field = exact_limbs_add(column, blockDim.x, x);

				largest = field > largest ? field : largest;
			});
		return largest;
	}

	template <class Stream>
	__device__ __forceinline__ void note_special(const Stream &stream, size_t start,
												 uint32_t largest)
	{
		if (largest == SPECIAL_FIELD)
			stream.again(start,
						 [&](double x)
						 {
							 if (exponent_field(x) == SPECIAL_FIELD)
								 atomicOr(&block.flags, special_flag(x));
						 });
	}

	/*
	 * All tiles from the present one on.  Adding to limbs leaves registers for
	 * two tiles: many loads together, then many additions, are faster here than
	 * one after the other.
	 */
	template <class Stream>
	__device__ __forceinline__ void add_rest_to_limbs(Stream &stream)
	{
		/* Who is here has met a value that did not fit, so not -0. */
		if (lane_id() == 0)
			atomicOr(&block.flags, GPURED_EXACT_NOT_NEGZERO);
		while (!stream.is_done())
		{
			const size_t present = stream.at, second = present + stream.stride();
			typename Stream::Tile tile;

			stream.load(tile, second);
			make_room(2 * TILE_VALUES);
			note_special(stream, present, add_to_limbs(stream.tile));
			note_special(stream, second, add_to_limbs(tile));
			stream.skip_to(second + stream.stride());
		}
	}

	/* The warp's limbs can take so many values more. */
	__device__ __forceinline__ void make_room(int values)
	{
		if (!limbs_open)
		{
			exact_limbs_clear(column, blockDim.x);
			limbs_open = true;
		}
		else if (limb_count > COLUMN_LIMIT - values)
		{
			exact_limbs_flush(column - lane_id(), blockDim.x, block);
			limb_count = 0;
		}
		limb_count += values;
	}

	/* Everything goes to the block; more may be added afterwards. */
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
			stream.tile.each([&](typename Sum::Value x) { seen |= not_negative_zero(x); });
		sum.add(stream);
	}
	sum.finish();
	if (seen != 0)
		atomicOr(&shared.block.flags, GPURED_EXACT_NOT_NEGZERO);
	exact_block_finish(shared.block, work, result);
}

#endif /* GPURED_EXACT_SUM_CUH */

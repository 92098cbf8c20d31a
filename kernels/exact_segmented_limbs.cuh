/*
 * exact_segmented_limbs.cuh
 *	  Sums and prefix sums of segments once more, as limbs: where the digits of
 *	  others do not decide how to round.
 *
 * The grid shares the array, whatever the segments are.  What is before a tile in
 * its segment is a difference: of what is before the tile in the array, and before the
 * segment.  (So values that are not finite do not count here; who marks a tile knows
 * its flags.)
 *
 *		exact_segmented_sums	each block goes through a chunk of tiles: the sum of
 *								the chunk, and of what is before each tile in it
 *								that is wanted, as limbs
 *		exact_segmented_rows	each block scans one limb over all chunks
 *		exact_segmented_again_tiles	the prefixes of tiles that are marked, by a column of
 *								limbs for each thread
 *
 * If nothing is marked, they find nothing to do.
 */
#ifndef GPURED_EXACT_SEGMENTED_LIMBS_CUH
#define GPURED_EXACT_SEGMENTED_LIMBS_CUH

#include "exact_scan_limbs.cuh"
#include "launch.cuh"

/* Threads of a block, and chunks at most; the emulation has less shared memory. */
#ifdef GPURED_EMULATED
constexpr int SEGMENTED_LIMBS_THREADS = 64;
constexpr int SEGMENTED_LIMBS_CHUNKS = 4;
#else
constexpr int SEGMENTED_LIMBS_THREADS = 128;
constexpr int SEGMENTED_LIMBS_CHUNKS = 1024;
#endif

struct ExactSegmentedLimbs
{
	size_t tiles;
	size_t chunk; /* tiles of one */
	size_t chunks;
	uint32_t *any;       /* is anything marked? */
	uint8_t *wanted;     /* a byte a tile: is what is before it wanted? */
	uint8_t *again;      /* a byte a tile, or a segment: is it to be done again? */
	uint8_t *flags;      /* a byte a tile: those of what is before it in its segment */
	int64_t *limb;       /* LIMBS for each tile: before it, in its chunk */
	int64_t *chunk_limb; /* LIMBS rows: of the chunk, then before it */

	/* Limb j of what is before a tile that is wanted. */
	__device__ __forceinline__ int64_t before(size_t tile, int j) const
	{
		return limb[tile * LIMBS + j] + chunk_limb[j * chunks + tile / chunk];
	}
};

/* The segment that has value i: the last that begins there or before; empty ones end there too. */
static __device__ __forceinline__ size_t
segment_of(const uint64_t *offset, size_t segments, size_t i)
{
	size_t low = 0, high = segments;

	while (low + 1 < high)
	{
		const size_t middle = low + (high - low) / 2;

		if (offset[middle] <= i)
			low = middle;
		else
			high = middle;
	}
	return low;
}

/* A tile is to be done again: what is before it is wanted, and what is before its first segment. */
static __device__ __noinline__ void
exact_segmented_mark(ExactSegmentedLimbs s, const uint64_t *offset, size_t segments, size_t tile)
{
	const size_t begin = offset[segment_of(offset, segments, tile * EXACT_SCAN_TILE)];

	s.again[tile] = 1;
	s.wanted[tile] = 1;
	s.wanted[begin / EXACT_SCAN_TILE] = 1;
	*s.any = 1;
}

struct SegmentedLimbsShared
{
	ExactBlock block;
	uint64_t cell[COLUMN_LIMBS * SEGMENTED_LIMBS_THREADS];
};

static inline size_t
segmented_limbs_shared(int)
{
	return sizeof(SegmentedLimbsShared);
}

template <class T>
__global__ void
__launch_bounds__(SEGMENTED_LIMBS_THREADS)
	exact_segmented_sums(const T *values, size_t n, ExactSegmentedLimbs s)
{
	constexpr int LENGTH = Vector<T>::LENGTH;
	constexpr int BATCH = 8; /* vectors in flight */
	constexpr int STEP = BATCH * LENGTH * SEGMENTED_LIMBS_THREADS;
	static_assert(EXACT_SCAN_TILE % STEP == 0, "a tile is whole steps");
	SHARED_DYNAMIC(SegmentedLimbsShared, shared);
	uint64_t *column = shared.cell + threadIdx.x;
	const size_t first = blockIdx.x * s.chunk;
	const size_t last = first + s.chunk < s.tiles ? first + s.chunk : s.tiles;
	int count = 0; /* values of the column */

	if (*s.any == 0)
		return;
	exact_block_clear(shared.block);
	exact_limbs_clear(column, SEGMENTED_LIMBS_THREADS);
	__syncthreads();
	for (size_t t = first; t < last; t++)
	{
		if (s.wanted[t] != 0)
		{
			exact_limbs_flush(column - lane_id(), SEGMENTED_LIMBS_THREADS, shared.block);
			count = 0;
			__syncthreads();
			for (int j = threadIdx.x; j < LIMBS; j += SEGMENTED_LIMBS_THREADS)
				s.limb[t * LIMBS + j] = exact_block_limb(shared.block, j);
			__syncthreads();
		}
		for (int step = 0; step < EXACT_SCAN_TILE; step += STEP)
		{
			Vector<T> v[BATCH];

			if (count > COLUMN_LIMIT - BATCH * LENGTH)
			{
				exact_limbs_flush(column - lane_id(), SEGMENTED_LIMBS_THREADS, shared.block);
				count = 0;
			}
			count += BATCH * LENGTH;
			load_tile(v, values, n, t * EXACT_SCAN_TILE + step, T(0));
#pragma unroll
			for (int i = 0; i < BATCH; i++)
#pragma unroll
				for (int k = 0; k < LENGTH; k++)
				{
					const double x = (double) v[i].value[k];

					exact_limbs_add(column, SEGMENTED_LIMBS_THREADS,
									exponent_field(x) == SPECIAL_FIELD ? 0 : x);
				}
		}
	}
	exact_limbs_flush(column - lane_id(), SEGMENTED_LIMBS_THREADS, shared.block);
	__syncthreads();
	for (int j = threadIdx.x; j < LIMBS; j += SEGMENTED_LIMBS_THREADS)
		s.chunk_limb[j * s.chunks + blockIdx.x] = exact_block_limb(shared.block, j);
}

static __global__ void
exact_segmented_rows(ExactSegmentedLimbs s)
{
	typedef SumInt64<int32_t> Sum;
	SHARED(BlockScanShared<Sum>, shared);

	if (*s.any != 0)
		(void) scan_states<Sum, 4>(shared, s.chunk_limb + blockIdx.x * s.chunks, s.chunks, 0);
}

/* Add SIGN times the finite ones of values begin .. end - 1, by all threads. */
template <int SIGN, class T>
static __device__ __forceinline__ void
exact_segmented_add(ExactBlock &block, const T *values, size_t begin, size_t end)
{
	for (size_t at = begin + threadIdx.x; at < end; at += blockDim.x)
	{
		const double x = (double) values[at];

		if (exponent_field(x) != SPECIAL_FIELD)
			exact_block_add_value(block, SIGN * x);
	}
}

/* Of blocks that do tiles again: values a thread, and warps. */
constexpr int SEGMENTED_LIMBS_ITEMS = EXACT_SCAN_TILE / EXACT_LIMBS_THREADS;
constexpr int SEGMENTED_LIMBS_WARPS = EXACT_LIMBS_THREADS / WARP;

struct SegmentedAgainShared
{
	uint64_t cell[LIMBS * EXACT_LIMBS_THREADS];
	int64_t before[LIMBS];                      /* what is open before the tile */
	int64_t left[SEGMENTED_LIMBS_WARPS][LIMBS]; /* what a warp leaves open */
	uint32_t heads[SEGMENTED_LIMBS_WARPS];      /* lanes in whose stretch a segment begins */
	uint8_t flags[EXACT_LIMBS_THREADS];         /* of what a thread leaves open */
	ExactBlock block;
};

/* At which of a thread's values a segment begins. */
static __device__ __forceinline__ uint64_t
segmented_starts_of(const uint32_t *starts, size_t at)
{
	static_assert(SEGMENTED_LIMBS_ITEMS == 64, "two words a thread");
	return (uint64_t) starts[at / 32 + 1] << 32 | starts[at / 32];
}

template <class T>
__global__ void
__launch_bounds__(EXACT_LIMBS_THREADS)
	exact_segmented_again_tiles(const T *values, size_t n, const uint64_t *offset, size_t segments,
								const uint32_t *starts, ExactSegmentedLimbs s, T *out)
{
	typedef SumInt64<int32_t> Sum;
	SHARED(SegmentedAgainShared, shared);

	if (*s.any == 0)
		return;
	for (size_t t = blockIdx.x; t < s.tiles; t += gridDim.x)
	{
		const size_t start = t * EXACT_SCAN_TILE;
		const size_t at = start + threadIdx.x * SEGMENTED_LIMBS_ITEMS;
		const int items = at >= n                          ? 0
						  : n - at < SEGMENTED_LIMBS_ITEMS ? (int) (n - at)
														   : SEGMENTED_LIMBS_ITEMS;
		LimbColumn column = {shared.cell + threadIdx.x, EXACT_LIMBS_THREADS, 0, LIMBS, LIMBS - 1};
		uint32_t flags = 0;

		if (s.again[t] == 0)
			continue;

		const uint64_t begins = segmented_starts_of(starts, at);
		const int from = begins == 0 ? 0 : 63 - __clzll((long long) begins);

		/* What is before the tile: from the segment's beginning on. */
		const size_t begin = offset[segment_of(offset, segments, start)];

		exact_block_clear(shared.block);
		__syncthreads();
		if (begin < start)
			exact_segmented_add<-1>(shared.block, values, begin / EXACT_SCAN_TILE * EXACT_SCAN_TILE,
									begin);

			/* What each thread leaves open. */
#pragma unroll 1
		for (int j = 0; j < LIMBS; j++)
			column.limb(j) = 0;
#pragma unroll 1
		for (int k = from; k < items; k++)
		{
			const T value = values[at + k];
			const double x = (double) value;

			flags |= not_negative_zero(value) != 0 ? GPURED_EXACT_NOT_NEGZERO : 0;
			if (exponent_field(x) == SPECIAL_FIELD)
				flags |= special_flag(x);
			else
				exact_limbs_add(column.cell, EXACT_LIMBS_THREADS, x);
		}
		shared.flags[threadIdx.x] = (uint8_t) flags;

		const uint32_t heads = __ballot_sync(ALL_LANES, begins != 0);
		const uint32_t below = heads & (((uint32_t) 1 << lane_id()) - 1);
		const int head = below == 0 ? 0 : 31 - __clz((int) below);
		const int last_head = heads == 0 ? 0 : 31 - __clz((int) heads);

		if (lane_id() == 0)
			shared.heads[warp_id()] = heads;

		/* Normalized, the limbs of all columns can be added up: a difference is what is before. */
		column.normalize();
#pragma unroll 1
		for (int j = 0; j < LIMBS; j++)
		{
			const int64_t limb = (int64_t) column.limb(j);
			const int64_t inclusive = warp_scan<Sum>(limb);
			const int64_t exclusive = inclusive - limb;
			const int64_t at_head = __shfl_sync(ALL_LANES, exclusive, head);
			const int64_t at_last = __shfl_sync(ALL_LANES, exclusive, last_head);

			if (lane_id() == WARP - 1)
				shared.left[warp_id()][j] = inclusive - (heads == 0 ? 0 : at_last);
			column.limb(j) = (uint64_t) (exclusive - (below == 0 ? 0 : at_head));
		}
		__syncthreads();
		for (int j = threadIdx.x; j < LIMBS; j += EXACT_LIMBS_THREADS)
			shared.before[j] = begin == start
								   ? 0
								   : s.before(t, j) - s.before(begin / EXACT_SCAN_TILE, j) +
										 exact_block_limb(shared.block, j);
		__syncthreads();
		flags = 0;
		for (int i = (int) threadIdx.x - 1, more = 1; more != 0; i--)
		{
			flags |= i < 0 ? s.flags[t] : shared.flags[i];
			more = i >= 0 && (shared.heads[i / WARP] >> i % WARP & 1) == 0;
		}
		for (int w = warp_id() - 1, more = below == 0; more != 0; w--)
		{
#pragma unroll 1
			for (int j = 0; j < LIMBS; j++)
				column.limb(j) += (uint64_t) (w < 0 ? shared.before[j] : shared.left[w][j]);
			more = w >= 0 && shared.heads[w] == 0;
		}
		column.normalize();

#pragma unroll 1
		for (int k = 0; k < items; k++)
		{
			const T value = values[at + k];
			const double x = (double) value;

			if ((begins >> k & 1) != 0)
			{
#pragma unroll 1
				for (int j = 0; j < LIMBS; j++)
					column.limb(j) = 0;
				flags = 0;
			}
			flags |= not_negative_zero(value) != 0 ? GPURED_EXACT_NOT_NEGZERO : 0;
			if (exponent_field(x) == SPECIAL_FIELD)
				flags |= special_flag(x);
			else
				column.add(x);
			out[at + k] =
				(flags & (SPECIALS | GPURED_EXACT_NOT_NEGZERO)) != GPURED_EXACT_NOT_NEGZERO
					? ring_settle<T>(flags)
					: column.template round<T>(T(0));
		}
		__syncthreads();
	}
}

/* Chunks: as many as blocks run at once. */
template <class T>
static cudaError_t
exact_segmented_limbs_shape(ExactSegmentedLimbs *s)
{
	static const LaunchShape shape =
		launch_shape(exact_segmented_sums<T>, SEGMENTED_LIMBS_THREADS, segmented_limbs_shared);

	s->chunk = tiles_of(s->tiles, launch_grid(shape, s->tiles, SEGMENTED_LIMBS_CHUNKS));
	s->chunks = tiles_of(s->tiles, s->chunk);
	return shape.error;
}

/* What is before the tiles that are wanted, if anything is marked. */
template <class T>
static void
exact_segmented_limbs_launch(const T *values, size_t n, ExactSegmentedLimbs s, cudaStream_t stream)
{
	LAUNCH(exact_segmented_sums<T>, s.chunks, SEGMENTED_LIMBS_THREADS, segmented_limbs_shared(0),
		   stream, values, n, s);
	LAUNCH(exact_segmented_rows, LIMBS, 128, 0, stream, s);
}

#endif /* GPURED_EXACT_SEGMENTED_LIMBS_CUH */

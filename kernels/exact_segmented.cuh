/*
 * exact_segmented.cuh
 *	  Exact sums and prefix sums of the segments of an array of float8 or float4,
 *	  each rounded once.
 *
 * Values are cut into the digits of exact_ring.cuh, on grids that a sample has
 * chosen; segmented.cuh or segmented_warps.cuh adds those up for each segment,
 * scan_lookback.cuh for each value.  A segment with bits below the last digit, or
 * too large for the first, is done again by a block of its own, as limbs.
 */
#ifndef GPURED_EXACT_SEGMENTED_CUH
#define GPURED_EXACT_SEGMENTED_CUH

#include "exact_scan_limbs.cuh"
#include "launch.cuh"
#include "segmented.cuh"
#include "segmented_warps.cuh"
#include "workspace.cuh"

constexpr int EXACT_SEGMENT_THREADS = 128;

/* Blocks that look for segments to be done again, at most. */
#ifdef GPURED_EMULATED
constexpr int EXACT_SEGMENT_BLOCKS = 8;
#else
constexpr int EXACT_SEGMENT_BLOCKS = 1024;
#endif

/* The digits, as an operator. */
struct SumDigits
{
	typedef RingState State;
	typedef ExactRing<double, WARP, 2, 4, 2> Ring;
	static constexpr bool commutative = true;

	static __device__ __forceinline__ State identity() { return Ring::identity(); }
	static __device__ __forceinline__ State combine(const State &a, const State &b)
	{
		return Ring::combine(a, b);
	}
};

template <class T>
struct ExactSegments
{
	const T *values;
	T *out;
	const ExactRingPlan *plan;
	uint8_t *again; /* a byte a segment: to be summed again */

	__device__ __forceinline__ RingState at(size_t i) const
	{
		double x = (double) values[i];
		RingState s = SumDigits::identity();
		const double bound = power_of_two(plan->unit + RING_VALUE_BITS);

		if (not_negative_zero(x) != 0)
			s.flags |= RING_SEEN;
		if (exponent_field(x) == SPECIAL_FIELD)
			s.flags |= special_flag(x);
		else if (!plan->wanted || !(fabs(x) < bound))
			s.flags |= RING_BAD;
		else
		{
#pragma unroll
			for (int d = 0; d < RING_DIGITS; d++)
			{
				const double magic = 1.5 * power_of_two(plan->unit - d * RING_DIGIT_BITS + 52);
				const double shifted = x + magic;

				s.digit[d] = __double_as_longlong(shifted) - __double_as_longlong(magic);
				x = x - (shifted - magic);
			}
			if (x != 0)
				s.flags |= RING_INEXACT;
		}
		return s;
	}

	/* The sum's rounded value, unless the digits do not say it. */
	__device__ __forceinline__ bool round(const RingState &s, T *result) const
	{
		const int bit = plan->unit - (RING_DIGITS - 1) * RING_DIGIT_BITS - GPURED_EXACT_BIT0;
		WideInt<RING_DIGITS> sum = SumWide<RING_DIGITS>::identity();

		if ((s.flags & (RING_SPECIALS | RING_SEEN)) != RING_SEEN)
		{
			*result = ExactRing<T, WARP, 16 / sizeof(T), 4, 2>::settle(s.flags);
			return true;
		}
		if ((s.flags & (RING_BAD | RING_INEXACT)) != 0)
			return false;
#pragma unroll
		for (int d = 0; d < RING_DIGITS; d++)
		{
			const int at = (RING_DIGITS - 1 - d) * RING_DIGIT_BITS;
			const uint64_t sign = (uint64_t) (s.digit[d] >> 63);
			WideInt<RING_DIGITS> part;

#pragma unroll
			for (int w = 0; w < RING_DIGITS; w++)
				part.word[w] = w < at / 64    ? 0
							   : w == at / 64 ? (uint64_t) s.digit[d] << at % 64
							   : w == at / 64 + 1 && at % 64 > 0
								   ? (uint64_t) (s.digit[d] >> (64 - at % 64))
								   : sign;
			sum = SumWide<RING_DIGITS>::combine(sum, part);
		}
		*result = exact_round<T>(sum, false, bit, T(0));
		return true;
	}

	__device__ __forceinline__ void put(size_t i, const RingState &s) const
	{
		if (!round(s, &out[i]))
			again[i] = 1;
	}
};

/* The same for prefixes: results are the values' own, and marked is the segment. */
template <class T>
struct ExactSegmentedPrefixes
{
	ExactSegments<T> sums;
	const uint64_t *offset;
	size_t segments;
	const uint8_t *starts; /* whether a segment begins at a value */

	__device__ __forceinline__ SegmentedState<RingState> at(size_t i) const
	{
		return SegmentedState<RingState>{sums.at(i), starts[i]};
	}

	__device__ __forceinline__ void put(size_t i, const SegmentedState<RingState> &s) const
	{
		size_t low = 0, high = segments;

		if (sums.round(s.value, &sums.out[i]))
			return;

		/* The last segment that begins at i or before; empty ones end there too. */
		while (low + 1 < high)
		{
			const size_t middle = low + (high - low) / 2;

			if (offset[middle] <= i)
				low = middle;
			else
				high = middle;
		}
		sums.again[low] = 1;
	}
};

/* What a lane adds up of a segment. */
template <class T>
struct ExactSegmentSum
{
	typedef T Value;
	typedef RingState State;
	typedef ExactRing<T, WARP, 16 / sizeof(T), 4, 2> Ring;

	typename Ring::Start start;
	uint64_t sum[RING_DIGITS]; /* of patterns, with those of the magic numbers */
	uint32_t count;
	uint32_t flags;

	explicit __device__ __forceinline__ ExactSegmentSum(const ExactSegments<T> &items)
		: start(Ring::start_of(items.plan))
	{
		if (!start.wanted)
			start.bound = 0;
	}

	static __device__ __forceinline__ T neutral() { return -T(0); }
	__device__ __forceinline__ void clear()
	{
#pragma unroll
		for (int d = 0; d < RING_DIGITS; d++)
			sum[d] = 0;
		count = flags = 0;
	}

	__device__ __forceinline__ void add(T value)
	{
		double x = Ring::look_at(start, value, (double) value, &flags);

#pragma unroll
		for (int d = 0; d < RING_DIGITS; d++)
		{
			const double shifted = x + start.magic[d];

			sum[d] += (uint64_t) __double_as_longlong(shifted);
			x = x - (shifted - start.magic[d]);
		}
		flags |= x != 0 ? RING_INEXACT : 0;
		count++;
	}

	__device__ __forceinline__ State whole() const
	{
		State s = {{0, 0, 0}, warp_or(flags), 0};

#pragma unroll
		for (int d = 0; d < RING_DIGITS; d++)
			s.digit[d] = warp_reduce<SumInt64<int32_t>>(
				(int64_t) (sum[d] - count * (uint64_t) __double_as_longlong(start.magic[d])));
		return SumDigits::combine(s, SumDigits::identity());
	}
};

/* Normalized limbs, rounded once: the three highest digits, and whether more follow. */
template <class T>
static __device__ __noinline__ T
exact_limbs_round(const int64_t *limb)
{
	const uint32_t fill = limb[LIMBS - 1] < 0 ? 0xffffffffu : 0;
	int top = LIMBS - 1;
	bool sticky = false;
	WideInt<2> v;

	while (top > 2 && (uint32_t) limb[top] == fill)
		top--;
	for (int j = top - 3; j >= 0 && !sticky; j--)
		sticky = (uint32_t) limb[j] != 0;
	v.word[1] = (uint64_t) fill << 32 | (uint32_t) limb[top];
	v.word[0] = (uint64_t) (uint32_t) limb[top - 1] << 32 | (uint32_t) limb[top - 2];
	return exact_round<T>(v, sticky, 32 * (top - 2), T(0));
}

struct ExactSegmentShared
{
	ExactBlock block;
	int64_t limb[LIMBS];
};

template <class T>
__global__ void
__launch_bounds__(EXACT_SEGMENT_THREADS)
	exact_segmented_again(ExactSegments<T> items, const uint64_t *offset, size_t segments)
{
	SHARED(ExactSegmentShared, shared);

	for (size_t i = blockIdx.x; i < segments; i += gridDim.x)
	{
		if (items.again[i] == 0)
			continue;
		exact_block_clear(shared.block);
		__syncthreads();
		for (uint64_t at = offset[i] + threadIdx.x; at < offset[i + 1]; at += blockDim.x)
			exact_block_add_value(shared.block, (double) items.values[at]);
		__syncthreads();
		if (threadIdx.x == 0)
		{
			int64_t carry = 0;

			for (int j = 0; j < LIMBS; j++)
			{
				const int64_t sum = exact_block_limb(shared.block, j) + carry;

				carry = sum >> 32;
				shared.limb[j] = j < LIMBS - 1 ? (int64_t) (uint32_t) sum : sum;
			}
			items.out[i] = exact_limbs_round<T>(shared.limb);
		}
		__syncthreads();
	}
}

/*
 * The prefixes of the segments that are marked, tile by tile: exact_scan.cuh, from
 * limbs that the block keeps.
 */
template <class T>
__global__ void
__launch_bounds__(EXACT_SCAN_THREADS)
	exact_segmented_scan_again(ExactSegments<T> items, const uint64_t *offset, size_t segments)
{
	constexpr int LENGTH = Vector<T>::LENGTH;
	constexpr int VECTORS = EXACT_SCAN_ITEMS / LENGTH;
	SHARED(ExactTileInfo, info);
	SHARED(ExactTileWork<T>, work);
	SHARED(ExactBlock, before);

	for (size_t i = blockIdx.x; i < segments; i += gridDim.x)
	{
		const size_t begin = offset[i], end = offset[i + 1];

		if (items.again[i] == 0)
			continue;
		exact_block_clear(before);
		for (size_t start = begin / LENGTH * LENGTH; start < end; start += EXACT_SCAN_TILE)
		{
			Vector<T> tile[VECTORS];

			/* Another segment's values do not count. */
			load_tile(tile, items.values, end, start, -T(0));
#pragma unroll
			for (int v = 0; v < VECTORS; v++)
#pragma unroll
				for (int k = 0; k < LENGTH; k++)
					if (start + (v * EXACT_SCAN_THREADS + threadIdx.x) * LENGTH + k < begin)
						tile[v].value[k] = -T(0);
			__syncthreads();
			exact_tile_look(info, tile);
			for (int j = threadIdx.x; j < LIMBS; j += EXACT_SCAN_THREADS)
				info.limb[j] = exact_block_limb(before, j);
			__syncthreads();
			if (threadIdx.x == 0)
			{
				info.flags = before.flags;
				exact_tile_plan(info);
			}
			__syncthreads();

			/* What is before the next tile: from normalized limbs, so that they never overflow. */
			for (int j = threadIdx.x; j < LIMBS; j += EXACT_SCAN_THREADS)
			{
				before.low[j] = (uint32_t) info.limb[j];
				before.high[j] = (uint32_t) (info.limb[j] >> 32);
			}
			__syncthreads();
#pragma unroll
			for (int v = 0; v < VECTORS; v++)
#pragma unroll 1
				for (int k = 0; k < LENGTH; k++)
				{
					exact_block_add_value(before, (double) tile[v].value[k]);
					if (not_negative_zero(tile[v].value[k]) != 0)
						atomicOr(&before.flags, GPURED_EXACT_NOT_NEGZERO);
				}
			exact_tile_scan(work, info, tile, items.values, end, start, begin, items.out);
			__syncthreads();
		}
	}
}

/* How segments are summed; for tests and benchmarks. */
enum SegmentedWay
{
	SEGMENTED_AUTO,
	SEGMENTED_BY_PATH,
	SEGMENTED_BY_WARPS
};

/* Where the sums have their workspace, of which nothing need be cleared. */
struct ExactSegmentedWork
{
	ExactRingPlan *plan;
	uint8_t *again;
	SegmentedWork<RingState> sums;
	size_t size;

	ExactSegmentedWork(void *workspace, size_t n, size_t segments)
	{
		const size_t path = n + segments;
		const size_t parts = tiles_of(path, segmented_part(path));
		const size_t blocks = tiles_of(path, SEGMENTED_TILE);
		const size_t most = parts > blocks ? parts : blocks;
		Carver carver = {static_cast<unsigned char *>(workspace), 0};

		carver.take(plan, 1);
		carver.take(again, segments);
		carver.take(sums.open, most);
		carver.take(sums.ended, most);
		carver.take(sums.first, most);
		size = carver.used;
	}
};

static inline size_t
exact_segmented_workspace(size_t n, size_t segments)
{
	return ExactSegmentedWork(nullptr, n, segments).size;
}

/* out[i] is the sum of segment i; -0 if it is empty.  Returns a cudaError_t. */
template <class T>
static int
exact_segmented_sum(const T *values, size_t n, const uint64_t *offset, size_t segments, T *out,
					void *workspace, cudaStream_t stream, SegmentedWay way = SEGMENTED_AUTO)
{
	typedef ExactSegments<T> Items;
	typedef SumDigits Op;
	const ExactSegmentedWork work(workspace, n, segments);
	const Items items = {values, out, work.plan, work.again};
	const SegmentedWork<RingState> sums = work.sums;

	if (way == SEGMENTED_AUTO)
		way = n / segments < SEGMENTED_LONG ? SEGMENTED_BY_PATH : SEGMENTED_BY_WARPS;
	LAUNCH(exact_ring_prepare<T>, segments < 65536 ? 1 : 33, RING_SAMPLE_THREADS, 0, stream, values,
		   n, work.plan, nullptr, (size_t) 0, work.again, segments);
	if (way == SEGMENTED_BY_WARPS)
		segmented_warps_launch<Op, ExactSegmentSum<T>>(items, n, offset, segments, sums, stream);
	else
	{
		const size_t blocks = tiles_of(n + segments, SEGMENTED_TILE);

		LAUNCH((segmented_reduce<Op, Items>), blocks, SEGMENTED_THREADS, 0, stream, items, n,
			   offset, segments, sums);
		LAUNCH(segmented_open<Op>, 1, 512, 0, stream, sums.open, blocks);
		LAUNCH((segmented_close<Op, Items>), tiles_of(blocks, 256), 256, 0, stream, items, sums,
			   blocks);
	}
	LAUNCH(exact_segmented_again<T>, launch_grid(EXACT_SEGMENT_BLOCKS, segments),
		   EXACT_SEGMENT_THREADS, 0, stream, items, offset, segments);
	return cudaGetLastError();
}

/* And the prefix sums. */
struct ExactSegmentedScanWork
{
	ExactRingPlan *plan;
	uint8_t *again;
	LookBackTiles<SegmentedState<RingState>> tiles;
	uint8_t *starts;
	TileWord *cleared; /* the ticket, the statuses and the starts */
	size_t num_cleared;
	size_t size;

	ExactSegmentedScanWork(void *workspace, size_t n, size_t segments)
	{
		const size_t num = tiles_of(n, LOOKBACK_TILE);
		Carver carver = {static_cast<unsigned char *>(workspace), 0};

		carver.take(tiles.ticket, 1);
		carver.take(tiles.status, num);
		carver.take(starts, n);
		cleared = reinterpret_cast<TileWord *>(tiles.ticket);
		num_cleared = carver.used / sizeof(TileWord);
		carver.take(plan, 1);
		carver.take(again, segments);
		carver.take(tiles.sum, num);
		carver.take(tiles.prefix, num);
		size = carver.used;
	}
};

static inline size_t
exact_segmented_scan_workspace(size_t n, size_t segments)
{
	return ExactSegmentedScanWork(nullptr, n, segments).size;
}

/* out[i] is the sum of value i and those before it in its segment.  Returns a cudaError_t. */
template <class T>
static int
exact_segmented_scan(const T *values, size_t n, const uint64_t *offset, size_t segments, T *out,
					 void *workspace, cudaStream_t stream)
{
	typedef ExactSegmentedPrefixes<T> Items;
	typedef Segmented<SumDigits> Op;
	const ExactSegmentedScanWork work(workspace, n, segments);
	const ExactSegments<T> sums = {values, out, work.plan, work.again};
	const Items items = {sums, offset, segments, work.starts};
	const LookBackTiles<SegmentedState<RingState>> tiles = work.tiles;
	const SegmentedState<RingState> nothing = {};

	LAUNCH(exact_ring_prepare<T>, 33, RING_SAMPLE_THREADS, 0, stream, values, n, work.plan,
		   work.cleared, work.num_cleared, work.again, segments);
	LAUNCH(segmented_starts, tiles_of(segments, 256), 256, 0, stream, offset, segments,
		   work.starts);
	LAUNCH((scan_lookback<Op, false, Items>), tiles_of(n, LOOKBACK_TILE), LOOKBACK_THREADS, 0,
		   stream, items, n, nothing, tiles);
	LAUNCH(exact_segmented_scan_again<T>, launch_grid(EXACT_SEGMENT_BLOCKS, segments),
		   EXACT_SCAN_THREADS, 0, stream, sums, offset, segments);
	return cudaGetLastError();
}

#endif /* GPURED_EXACT_SEGMENTED_CUH */

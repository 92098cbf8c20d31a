/*
 * exact_segmented.cuh
 *	  Exact sums and prefix sums of the segments of an array of float8 or float4,
 *	  each rounded once.
 *
 * For sums, values are cut into the digits of exact_digits.cuh, on grids that a
 * sample has chosen; segmented.cuh or segmented_warps.cuh adds those up for each
 * segment.  A segment with bits below the last digit, or too large for the first,
 * is done again as limbs: a short one by a block, of a long one the grid sums all
 * but the ends.  Prefix sums are those of exact_segmented_scan.cuh.
 */
#ifndef GPURED_EXACT_SEGMENTED_CUH
#define GPURED_EXACT_SEGMENTED_CUH

#include "exact_segmented_scan.cuh"
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
struct SumDigits : RingDigits
{
	static constexpr bool commutative = true;
};

/* Is it too long for one block? */
static __device__ __forceinline__ bool
exact_segment_is_long(uint64_t begin, uint64_t end)
{
	return end - begin > 4 * EXACT_SCAN_TILE;
}

template <class T>
struct ExactSegments
{
	const T *values;
	T *out;
	const ExactRingPlan *plan;
	const uint64_t *offset;
	ExactSegmentedLimbs limbs; /* "again" has a byte a segment */

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
			*result = ring_settle<T>(s.flags);
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
		if (round(s, &out[i]))
			return;
		limbs.again[i] = 1;
		if (exact_segment_is_long(offset[i], offset[i + 1]))
		{
			limbs.wanted[offset[i] / EXACT_SCAN_TILE] = 1;
			limbs.wanted[(offset[i + 1] - 1) / EXACT_SCAN_TILE] = 1;
			*limbs.any = 1;
		}
	}
};

/* What a lane adds up of a segment. */
template <class T>
struct ExactSegmentSum
{
	typedef T Value;
	typedef RingState State;

	RingStart<T> start;
	uint64_t sum[RING_DIGITS]; /* of patterns, with those of the magic numbers */
	uint32_t count;
	uint32_t flags;

	explicit __device__ __forceinline__ ExactSegmentSum(const ExactSegments<T> &items)
		: start(items.plan)
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
		double x = start.look_at(value, (double) value, &flags);

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
		if (items.limbs.again[i] == 0)
			continue;

		const size_t begin = offset[i], end = offset[i + 1];
		const size_t first = begin / EXACT_SCAN_TILE, last = (end - 1) / EXACT_SCAN_TILE;
		const bool is_long = exact_segment_is_long(begin, end);

		exact_block_clear(shared.block);
		__syncthreads();

		/* Of a long one, from what is before its first tile to what is before its last. */
		if (is_long)
			exact_segmented_add<-1>(shared.block, items.values, first * EXACT_SCAN_TILE, begin);
		exact_segmented_add<1>(shared.block, items.values, is_long ? last * EXACT_SCAN_TILE : begin,
							   end);
		__syncthreads();
		for (int j = threadIdx.x; j < LIMBS; j += EXACT_SEGMENT_THREADS)
			shared.limb[j] =
				exact_block_limb(shared.block, j) +
				(is_long ? items.limbs.before(last, j) - items.limbs.before(first, j) : 0);
		__syncthreads();
		if (threadIdx.x == 0)
		{
			int64_t carry = 0;

			for (int j = 0; j < LIMBS; j++)
			{
				const int64_t sum = shared.limb[j] + carry;

				carry = sum >> 32;
				shared.limb[j] = j < LIMBS - 1 ? (int64_t) (uint32_t) sum : sum;
			}
			items.out[i] = exact_limbs_round<T>(shared.limb);
		}
		__syncthreads();
	}
}

/* How segments are summed; for tests and benchmarks. */
enum SegmentedWay
{
	SEGMENTED_AUTO,
	SEGMENTED_BY_PATH,
	SEGMENTED_BY_WARPS
};

/* Where sums and prefix sums have their workspace, of which they clear what must be. */
struct ExactSegmentedWork
{
	ExactRingPlan *plan;
	SegmentedWork<RingState> sums;
	ExactSegmentedScan scan;
	size_t chunks; /* of the prefix sums */
	TileWord *cleared;
	size_t cleared_for_sums, cleared_for_scan; /* words */
	size_t size;

	ExactSegmentedWork(void *workspace, size_t n, const uint64_t *offset, size_t segments)
	{
		const size_t path = n + segments;
		const size_t parts = tiles_of(path, segmented_part(path));
		const size_t blocks = tiles_of(path, SEGMENTED_TILE);
		const size_t most = parts > blocks ? parts : blocks;
		ExactSegmentedLimbs &limbs = scan.limbs;
		Carver carver = {static_cast<unsigned char *>(workspace), 0};

		limbs.tiles = tiles_of(n, EXACT_SCAN_TILE);
		carver.take(limbs.any, 1);
		carver.take(limbs.wanted, limbs.tiles);
		carver.take(limbs.again, segments > limbs.tiles ? segments : limbs.tiles);
		cleared = reinterpret_cast<TileWord *>(limbs.any);
		cleared_for_sums = carver.used / sizeof(TileWord);
		carver.take(scan.is_long, 1);
		carver.take(scan.starts, limbs.tiles * (EXACT_SCAN_TILE / 32));
		cleared_for_scan = carver.used / sizeof(TileWord);
		scan.chunk = segmented_chunk(n);
		chunks = tiles_of(n, SEGMENTED_SCAN_TILE * scan.chunk);
		carver.take(scan.open, chunks);
		carver.take(limbs.flags, limbs.tiles);
		carver.take(limbs.limb, limbs.tiles * LIMBS);
		carver.take(limbs.chunk_limb, (size_t) SEGMENTED_LIMBS_CHUNKS * LIMBS);
		carver.take(plan, 1);
		carver.take(sums.open, most);
		carver.take(sums.ended, most);
		carver.take(sums.first, most);
		size = carver.used;
		scan.n = n;
		scan.offset = offset;
		scan.segments = segments;
	}
};

static inline size_t
exact_segmented_workspace(size_t n, size_t segments)
{
	return ExactSegmentedWork(nullptr, n, nullptr, segments).size;
}

/* out[i] is the sum of segment i; -0 if it is empty.  Returns a cudaError_t. */
template <class T>
static int
exact_segmented_sum(const T *values, size_t n, const uint64_t *offset, size_t segments, T *out,
					void *workspace, cudaStream_t stream, SegmentedWay way = SEGMENTED_AUTO)
{
	typedef ExactSegments<T> Items;
	typedef SumDigits Op;
	const ExactSegmentedWork work(workspace, n, offset, segments);
	const SegmentedWork<RingState> sums = work.sums;
	ExactSegmentedLimbs limbs = work.scan.limbs;
	cudaError_t error = exact_segmented_limbs_shape<T>(&limbs);

	if (error != cudaSuccess)
		return error;

	const Items items = {values, out, work.plan, offset, limbs};

	if (way == SEGMENTED_AUTO)
		way = n / segments < SEGMENTED_LONG ? SEGMENTED_BY_PATH : SEGMENTED_BY_WARPS;
	LAUNCH(exact_ring_prepare<T>, segments < 65536 ? 1 : 33, RING_SAMPLE_THREADS, 0, stream, values,
		   n, work.plan, work.cleared, work.cleared_for_sums, nullptr, (size_t) 0);
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
	exact_segmented_limbs_launch(values, n, limbs, stream);
	LAUNCH(exact_segmented_again<T>, launch_grid(EXACT_SEGMENT_BLOCKS, segments),
		   EXACT_SEGMENT_THREADS, 0, stream, items, offset, segments);
	return cudaGetLastError();
}

/*
 * out[i] is the sum of value i and those before it in its segment.  Values and
 * results are at multiples of 16 bytes.  Returns a cudaError_t.
 */
template <class T>
static int
exact_segmented_scan(const T *values, size_t n, const uint64_t *offset, size_t segments, T *out,
					 void *workspace, cudaStream_t stream)
{
	static const LaunchShape again_shape = launch_shape(
		exact_segmented_again_tiles<T>, EXACT_LIMBS_THREADS, [](int) { return (size_t) 0; });
	const ExactSegmentedWork work(workspace, n, offset, segments);
	const size_t blocks = tiles_of(work.chunks, SEGMENTED_SCAN_WARPS);
	ExactSegmentedScan scan = work.scan;
	const cudaError_t error = exact_segmented_limbs_shape<T>(&scan.limbs);

	if (error != cudaSuccess || again_shape.error != cudaSuccess)
		return error != cudaSuccess ? error : again_shape.error;
	LAUNCH(segmented_clear, 512, 256, 0, stream, work.cleared, work.cleared_for_scan);
	LAUNCH(segmented_start_bits, tiles_of(segments, 256), 256, 0, stream, offset, segments,
		   scan.starts);
	LAUNCH(exact_segmented_open<T>, blocks, SEGMENTED_SCAN_THREADS, 0, stream, values, scan);
	LAUNCH(exact_segmented_before, 1, 512, 0, stream, scan, work.chunks);
	LAUNCH(exact_segmented_tiles<T>, blocks, SEGMENTED_SCAN_THREADS, 0, stream, values, scan, out);
	exact_segmented_limbs_launch(values, n, scan.limbs, stream);
	LAUNCH(exact_segmented_again_tiles<T>, launch_grid(again_shape, scan.limbs.tiles, INT32_MAX),
		   EXACT_LIMBS_THREADS, 0, stream, values, n, offset, segments, scan.starts, scan.limbs,
		   out);
	return cudaGetLastError();
}

#endif /* GPURED_EXACT_SEGMENTED_CUH */

/*
 * segmented_warps.cuh
 *	  Reduce segments of an array that are long on average: the lanes of a warp
 *	  go through each segment side by side.
 *
 * Each warp has an equal part of the path of segmented.cuh, which goes through
 * all values and all ends of segments, so that no segment is too long and no
 * number of empty ones too large.  A warp goes from segment to segment; every
 * lane adds up some of the values, then the lanes are added up.  That of the
 * segment which goes on in the next part is left there:
 *
 *		segmented_warps			the parts of the path
 *		segmented_warps_close	adds what earlier parts have left to the first
 *								segment that each part ends
 *
 * How a lane adds up is said by a class, Sum:
 *
 *		Sum(items)		once for each lane
 *		neutral()		a value that changes nothing
 *		clear()			begin a segment
 *		add(value)		one of its values, of which there are 2^13 at most in all lanes
 *		whole()			by all lanes: the state of all that they have added
 *
 * Values are combined in any order: the operator is commutative.
 */
#ifndef GPURED_SEGMENTED_WARPS_CUH
#define GPURED_SEGMENTED_WARPS_CUH

#include "launch.cuh"
#include "segmented.cuh"
#include "warp_reduce.cuh"

constexpr int SEGMENTED_WARPS_THREADS = 256;
constexpr int SEGMENTED_WARPS = SEGMENTED_WARPS_THREADS / WARP;

/* From so many values a segment on, on average, this is the faster way. */
constexpr size_t SEGMENTED_LONG = 64;

/* Values that a lane has in flight. */
constexpr int SEGMENTED_BATCH = 8;

/* Steps of the path in one part: as many parts as keep a card busy, if they are not too short. */
#ifdef GPURED_EMULATED
constexpr size_t SEGMENTED_LEAST_PART = 96;
#else
constexpr size_t SEGMENTED_LEAST_PART = 512;
#endif
constexpr size_t SEGMENTED_MOST_PART = 8192;
constexpr size_t SEGMENTED_PARTS = 32768;

static inline size_t
segmented_part(size_t path)
{
	const size_t part = tiles_of(tiles_of(path, SEGMENTED_PARTS), WARP) * WARP;

	return part < SEGMENTED_LEAST_PART  ? SEGMENTED_LEAST_PART
		   : part > SEGMENTED_MOST_PART ? SEGMENTED_MOST_PART
										: part;
}

/* The plain case: a sum by an operator, of values that are lifted. */
template <class Op>
struct OperatorSum
{
	typedef typename Op::Value Value;
	typedef typename Op::State State;
	State state;

	template <class Items>
	explicit __device__ __forceinline__ OperatorSum(const Items &)
	{
	}
	static __device__ __forceinline__ Value neutral() { return Op::neutral(); }
	__device__ __forceinline__ void clear() { state = Op::identity(); }
	__device__ __forceinline__ void add(Value v) { state = Op::combine(state, Op::lift(v)); }
	__device__ __forceinline__ State whole() const { return warp_reduce<Op>(state); }
};

/*
 * segmented_search by a warp, among ends "low" to "high": each lane asks at a
 * place of its own.
 */
static __device__ __forceinline__ size_t
segmented_search_warp(const uint64_t *end, size_t low, size_t high, size_t step)
{
	while (low < high)
	{
		const size_t length = high - low;
		const size_t each = (length + WARP - 1) / WARP;
		const size_t at = low + lane_id() * each;
		const bool before = at < high && end[at] + at + 1 <= step;
		const int count = __popc(__ballot_sync(ALL_LANES, before));

		/* The answer is beyond the last place that is before the step. */
		if (count == 0)
			return low;
		high = low + count * each < high ? low + count * each : high;
		low += (count - 1) * each + 1;
	}
	return low;
}

template <class Op, class Sum, class Items>
__global__ void
__launch_bounds__(SEGMENTED_WARPS_THREADS)
	segmented_warps(Items items, size_t n, const uint64_t *offset, size_t segments, size_t part,
					SegmentedWork<typename Op::State> work)
{
	typedef typename Op::State State;
	const uint64_t *end = offset + 1;
	const size_t path = n + segments;
	const size_t me = blockIdx.x * (size_t) SEGMENTED_WARPS + warp_id();
	const size_t begin = me * part;

	if (begin >= path)
		return;

	const size_t stop = path - begin < part ? path : begin + part;
	const size_t from = segmented_search_warp(end, begin > n ? begin - n : 0,
											  begin < segments ? begin : segments, begin);
	const size_t to = segmented_search_warp(
		end, from, segments - from < stop - begin ? segments : from + (stop - begin), stop);
	const bool goes_on = from < segments && offset[from] + from < begin;
	size_t value = begin - from;
	uint64_t ends = 0;           /* of segments from a multiple of 32 on, one a lane */
	State kept = Op::identity(); /* of one of 32 segments, to be put by this lane */
	Sum sum(items);

	if (lane_id() == 0)
		work.first[me] = goes_on && to > from ? from : ~(uint64_t) 0;
	for (size_t segment = from; segment <= to; segment++)
	{
		const int turn = (int) ((segment - from) % WARP);

		if (turn == 0)
			ends = segment + lane_id() < to ? end[segment + lane_id()] : stop - to;

		const size_t limit = segment < to ? __shfl_sync(ALL_LANES, ends, turn) : stop - to;

		sum.clear();
		for (; value < limit; value += SEGMENTED_BATCH * WARP)
		{
			typename Sum::Value v[SEGMENTED_BATCH];

#pragma unroll
			for (int i = 0; i < SEGMENTED_BATCH; i++)
			{
				const size_t at = value + i * WARP + lane_id();

				v[i] = at < limit ? items.values[at] : Sum::neutral();
			}
#pragma unroll
			for (int i = 0; i < SEGMENTED_BATCH; i++)
				sum.add(v[i]);
		}
		value = limit;
		__syncwarp();

		const State all = warp_broadcast(sum.whole(), 0);

		if (lane_id() == turn)
			kept = all;
		if (segment == to && lane_id() == 0)
			work.open[me] = SegmentedState<State>{all, to > from};

		/* Lane k has the k-th of these segments. */
		if (turn == WARP - 1 || segment == to)
		{
			const size_t mine = segment - turn + lane_id();

			if (mine == from && goes_on && to > from)
				work.ended[me] = kept;
			else if (mine < to && lane_id() <= turn)
				items.put(mine, kept);
			__syncwarp();
		}
	}
}

template <class Op>
struct SegmentedCloseShared
{
	typename Op::State state[SEGMENTED_WARPS];
};

/*
 * A segment that began "span" parts ago is what these have left, and what its
 * last one adds.  A warp does a short one, the block one after the other of the
 * long ones.
 */
template <class Op, class Items>
__global__ void
__launch_bounds__(SEGMENTED_WARPS_THREADS)
	segmented_warps_close(Items items, const uint64_t *offset, size_t part, size_t parts,
						  SegmentedWork<typename Op::State> work)
{
	typedef typename Op::State State;
	constexpr size_t LONG = 8 * WARP;
	SHARED(SegmentedCloseShared<Op>, shared);

	auto sum_of = [&](size_t me, size_t first, int place, int step)
	{
		State sum = Op::identity();

		for (size_t i = first + place; i < me; i += step)
			sum = Op::combine(sum, work.open[i].value);
		return warp_reduce<Op>(sum);
	};

	for (int i = 0; i < SEGMENTED_WARPS; i++)
	{
		const size_t me = blockIdx.x * (size_t) SEGMENTED_WARPS + i;

		if (me >= parts || work.first[me] == ~(uint64_t) 0)
			continue;

		const size_t segment = work.first[me];
		const size_t first = (offset[segment] + segment) / part;

		if (me - first <= LONG)
		{
			if (warp_id() != i)
				continue;

			const State sum = sum_of(me, first, lane_id(), WARP);

			if (lane_id() == 0)
				items.put(segment, Op::combine(sum, work.ended[me]));
			continue;
		}

		const State sum = sum_of(me, first, threadIdx.x, SEGMENTED_WARPS_THREADS);

		if (lane_id() == 0)
			shared.state[warp_id()] = sum;
		__syncthreads();
		if (threadIdx.x == 0)
		{
			State all = work.ended[me];

			for (int w = 0; w < SEGMENTED_WARPS; w++)
				all = Op::combine(all, shared.state[w]);
			items.put(segment, all);
		}
		__syncthreads();
	}
}

/* Start both; "work" has room for tiles_of(path, part) parts. */
template <class Op, class Sum, class Items>
static void
segmented_warps_launch(Items items, size_t n, const uint64_t *offset, size_t segments,
					   SegmentedWork<typename Op::State> work, cudaStream_t stream)
{
	const size_t part = segmented_part(n + segments);
	const size_t parts = tiles_of(n + segments, part);
	const size_t blocks = tiles_of(parts, SEGMENTED_WARPS);

	LAUNCH((segmented_warps<Op, Sum, Items>), blocks, SEGMENTED_WARPS_THREADS, 0, stream, items, n,
		   offset, segments, part, work);
	LAUNCH((segmented_warps_close<Op, Items>), blocks, SEGMENTED_WARPS_THREADS, 0, stream, items,
		   offset, part, parts, work);
}

#endif /* GPURED_SEGMENTED_WARPS_CUH */

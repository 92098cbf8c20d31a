/*
 * segmented.cuh
 *	  Reduce and scan many segments of one array at once, whatever their lengths.
 *
 * Segment i is values[offset[i]] .. values[offset[i + 1] - 1]; offset[0] is 0 and
 * offset[segments] is n.
 *
 * A scan of segments is a plain scan by another operator: a state knows whether
 * a segment begins in it, and then forgets what comes from the left.  Where
 * segments begin is marked beforehand.
 *
 * A reduction gives each thread the same share of a path that goes through all
 * values and all ends of segments in their order: a step adds a value or ends a
 * segment.  So a million empty segments are as much work as a million values.
 * A thread's part of the path is found by binary search.  Segments that cross
 * threads are completed by a scan of what threads leave open, and those that
 * cross blocks by one of what blocks leave open.
 *
 *		segmented_reduce	the path
 *		segmented_open		one block scans what blocks leave open
 *		segmented_close		completes the first segment that each block ends
 *
 * Operands stay in order: an operator that is only associative will do.
 *
 * Sources: G. E. Blelloch, "Prefix sums and their applications", 1990 (the
 * operator); D. Merrill and M. Garland, "Merge-based parallel sparse
 * matrix-vector multiplication", 2016 (the path).
 */
#ifndef GPURED_SEGMENTED_CUH
#define GPURED_SEGMENTED_CUH

#include <type_traits>

#include "scan.cuh"
#include "scan_lookback.cuh"

constexpr int SEGMENTED_THREADS = 128;
constexpr int SEGMENTED_STEPS = 8; /* a thread */
constexpr int SEGMENTED_TILE = SEGMENTED_THREADS * SEGMENTED_STEPS;

/* "starts" is aligned like the state, so that there are no bytes between. */
template <class State>
struct SegmentedState
{
	State value;
	typename std::conditional<sizeof(State) % 8 == 0, uint64_t, uint32_t>::type starts;
};

template <class Op>
struct Segmented
{
	typedef SegmentedState<typename Op::State> State;

	static __device__ __forceinline__ State identity() { return State{Op::identity(), 0}; }
	static __device__ __forceinline__ State combine(const State &a, const State &b)
	{
		return b.starts != 0 ? b : State{Op::combine(a.value, b.value), a.starts};
	}
};

/*
 * Scan: for scan_lookback<Segmented<Op>, EXCLUSIVE, SegmentedItems<...>>.
 */
static __global__ void
segmented_starts(const uint64_t *offset, size_t segments, uint8_t *starts)
{
	for (size_t i = blockIdx.x * (size_t) blockDim.x + threadIdx.x; i < segments;
		 i += (size_t) gridDim.x * blockDim.x)
		if (offset[i] < offset[i + 1])
			starts[offset[i]] = 1;
}

/* "Items" as for the plain scan. */
template <class Op, bool EXCLUSIVE, class Items>
struct SegmentedItems
{
	Items items;
	const uint8_t *starts; /* cleared, then segmented_starts */

	__device__ __forceinline__ SegmentedState<typename Op::State> at(size_t i) const
	{
		SegmentedState<typename Op::State> s = {items.at(i), starts[i]};

		return s;
	}
	__device__ __forceinline__ void put(size_t i, const SegmentedState<typename Op::State> &s) const
	{
		items.put(i, EXCLUSIVE && starts[i] != 0 ? Op::identity() : s.value);
	}
};

/*
 * Reduction.  "Items" reads value i as a state (at) and takes segment i's result
 * (put); results of segments that cross blocks go through "open" and "first".
 */
template <class State>
struct SegmentedWork
{
	SegmentedState<State> *open; /* what each block leaves; then what is before it */
	State *ended;                /* what it adds to the first segment that it ends */
	uint64_t *first;             /* which segment that is, or ~0 */
};

/* How many ends of segments are among the first "step" steps of the path. */
static __device__ __forceinline__ size_t
segmented_search(const uint64_t *end, size_t segments, size_t n, size_t step)
{
	size_t low = step > n ? step - n : 0;
	size_t high = step < segments ? step : segments;

	while (low < high)
	{
		const size_t middle = low + (high - low) / 2;

		if (end[middle] <= step - middle - 1)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

template <class Op>
struct SegmentedShared
{
	BlockScanShared<Segmented<Op>> scan;
	typename Op::State value[SEGMENTED_TILE];
	uint32_t end[SEGMENTED_TILE + 1]; /* from the block's first value on */
	size_t from, to;                  /* segments whose ends are in the block */
};

template <class Op, class Items>
__global__ void
__launch_bounds__(SEGMENTED_THREADS)
	segmented_reduce(Items items, size_t n, const uint64_t *offset, size_t segments,
					 SegmentedWork<typename Op::State> work)
{
	typedef typename Op::State State;
	SHARED(SegmentedShared<Op>, shared);
	const uint64_t *end = offset + 1;
	const size_t path = n + segments;
	const size_t begin = blockIdx.x * (size_t) SEGMENTED_TILE;
	const size_t stop = path - begin < (size_t) SEGMENTED_TILE ? path : begin + SEGMENTED_TILE;

	if (threadIdx.x == 0)
		shared.from = segmented_search(end, segments, n, begin);
	else if (threadIdx.x == WARP)
		shared.to = segmented_search(end, segments, n, stop);
	__syncthreads();

	/* The block's ends and values, loaded in the order of memory. */
	const size_t from = shared.from;
	const size_t first_value = begin - from;
	const int ends = (int) (shared.to - from);
	const int steps = (int) (stop - begin);
	const int values = steps - ends;

	for (int i = threadIdx.x; i < ends; i += SEGMENTED_THREADS)
		shared.end[i] = (uint32_t) (end[from + i] - first_value);
	for (int i = threadIdx.x; i < values; i += SEGMENTED_THREADS)
		shared.value[i] = items.at(first_value + i);
	__syncthreads();

	/* Where this thread's steps begin: after so many ends and values. */
	const int my_step = (int) threadIdx.x * SEGMENTED_STEPS;
	int low = my_step > values ? my_step - values : 0;
	int high = my_step < ends ? my_step : ends;

	while (low < high)
	{
		const int middle = (low + high) / 2;

		if ((int) shared.end[middle] <= my_step - middle - 1)
			low = middle + 1;
		else
			high = middle;
	}

	int segment = low;
	int value = my_step - low;
	int first = -1;
	State sum = Op::identity();
	State first_sum = Op::identity();

	for (int i = 0; i < SEGMENTED_STEPS && my_step + i < steps; i++)
		if (value < values && (segment >= ends || value < (int) shared.end[segment]))
			sum = Op::combine(sum, shared.value[value++]);
		else
		{
			/* The first one may have begun in an earlier thread. */
			if (first < 0)
			{
				first = segment;
				first_sum = sum;
			}
			else
				items.put(from + segment, sum);
			segment++;
			sum = Op::identity();
		}

	SegmentedState<State> all;
	const SegmentedState<State> before = block_scan_exclusive<Segmented<Op>>(
		shared.scan, SegmentedState<State>{sum, first >= 0}, &all);

	if (first >= 0)
	{
		first_sum = Op::combine(before.value, first_sum);
		if (before.starts != 0)
			items.put(from + first, first_sum);
		else
		{
			/* And in an earlier block. */
			work.ended[blockIdx.x] = first_sum;
			work.first[blockIdx.x] = from + first;
		}
	}
	if (threadIdx.x == 0)
	{
		work.open[blockIdx.x] = all;
		if (all.starts == 0)
			work.first[blockIdx.x] = ~(uint64_t) 0;
	}
}

template <class Op>
__global__ void
segmented_open(SegmentedState<typename Op::State> *open, size_t blocks)
{
	SHARED(BlockScanShared<Segmented<Op>>, shared);

	scan_states<Segmented<Op>, 2>(shared, open, blocks, Segmented<Op>::identity());
}

template <class Op, class Items>
__global__ void
segmented_close(Items items, SegmentedWork<typename Op::State> work, size_t blocks)
{
	for (size_t i = blockIdx.x * (size_t) blockDim.x + threadIdx.x; i < blocks;
		 i += (size_t) gridDim.x * blockDim.x)
		if (work.first[i] != ~(uint64_t) 0)
			items.put(work.first[i], Op::combine(work.open[i].value, work.ended[i]));
}

#endif /* GPURED_SEGMENTED_CUH */

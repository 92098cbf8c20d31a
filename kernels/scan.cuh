/*
 * scan.cuh
 *	  Inclusive or exclusive scan of a whole array: reduce, then scan, in three
 *	  launches.
 *
 *		scan_tile_totals	each block adds up a tile, in order
 *		scan_totals			one block scans the totals, starting at the carry
 *		scan_tiles			each block scans its tile, from the tile's prefix
 *
 * No block waits for another and the order of operations is fixed; an operator
 * that is only associative will do.  The input is read twice.
 *
 * In a tile each warp has a stretch of its own, read in rows: every lane has
 * one vector of neighbouring values in a row.  Rows are scanned in turn, from
 * the total of those before.
 */
#ifndef GPURED_SCAN_CUH
#define GPURED_SCAN_CUH

#include "block_scan.cuh"
#include "operators.cuh"

constexpr int SCAN_THREADS = 256;
constexpr int SCAN_ROWS = 4;

template <class Value>
constexpr size_t SCAN_TILE = (size_t) SCAN_THREADS *SCAN_ROWS *Vector<Value>::LENGTH;

/* This thread's vectors of a tile, a row each; beyond n, neutral values. */
template <class Op>
static __device__ __forceinline__ void
scan_load_rows(Vector<typename Op::Value> (&row)[SCAN_ROWS], const typename Op::Value *values,
			   size_t n, size_t start)
{
	constexpr int LENGTH = Vector<typename Op::Value>::LENGTH;

#pragma unroll
	for (int i = 0; i < SCAN_ROWS; i++)
	{
		const size_t at = start + i * WARP * LENGTH;

		if (at + LENGTH <= n)
			row[i] = load_vector(values + at);
		else
#pragma unroll
			for (int k = 0; k < LENGTH; k++)
				row[i].value[k] = at + k < n ? values[at + k] : Op::neutral();
	}
}

/* Scan the rows of a warp: what is before each of this lane's vectors; returns the warp's total. */
template <class Op>
static __device__ __forceinline__ typename Op::State
scan_rows(const Vector<typename Op::Value> (&row)[SCAN_ROWS],
		  typename Op::State (&before)[SCAN_ROWS])
{
	typedef typename Op::State State;
	State warp_total = Op::identity();

#pragma unroll
	for (int i = 0; i < SCAN_ROWS; i++)
	{
		State state = Op::lift(row[i].value[0]);

#pragma unroll
		for (int k = 1; k < Vector<typename Op::Value>::LENGTH; k++)
			state = Op::combine(state, Op::lift(row[i].value[k]));
		state = warp_scan<Op>(state);
		before[i] = warp_shuffle_up(state, 1);
		if (lane_id() == 0)
			before[i] = Op::identity();
		before[i] = Op::combine(warp_total, before[i]);
		warp_total = Op::combine(warp_total, warp_broadcast(state, WARP - 1));
	}
	return warp_total;
}

/* Where a thread's first vector is. */
template <class Value>
static __device__ __forceinline__ size_t
scan_row_start()
{
	constexpr int LENGTH = Vector<Value>::LENGTH;

	return blockIdx.x * SCAN_TILE<Value> +
		   ((size_t) warp_id() * SCAN_ROWS * WARP + lane_id()) * LENGTH;
}

template <class Op>
__global__ void
__launch_bounds__(SCAN_THREADS)
	scan_tile_totals(const typename Op::Value *values, size_t n, typename Op::State *totals)
{
	typedef typename Op::Value Value;
	typedef typename Op::State State;
	SHARED(BlockScanShared<Op>, shared);
	Vector<Value> row[SCAN_ROWS];
	State before[SCAN_ROWS];
	State total, all;

	scan_load_rows<Op>(row, values, n, scan_row_start<Value>());
	total = scan_rows<Op>(row, before);
	(void) block_scan_exclusive<Op>(shared, lane_id() == WARP - 1 ? total : Op::identity(), &all);
	if (threadIdx.x == 0)
		totals[blockIdx.x] = all;
}

/*
 * Replace each of n states by the sum of "start" and those before it; returns
 * the sum of all.  One block.
 */
template <class Op, int ITEMS>
static __device__ __forceinline__ typename Op::State
scan_states(BlockScanShared<Op> &shared, typename Op::State *states, size_t n,
			typename Op::State start)
{
	typedef typename Op::State State;

	for (size_t at = 0; at < n; at += (size_t) blockDim.x * ITEMS)
	{
		const size_t first = at + (size_t) threadIdx.x * ITEMS;
		State item[ITEMS];
		State sum = Op::identity();
		State all;

#pragma unroll
		for (int k = 0; k < ITEMS; k++)
		{
			item[k] = first + k < n ? states[first + k] : Op::identity();
			sum = Op::combine(sum, item[k]);
		}
		sum = Op::combine(start, block_scan_exclusive<Op>(shared, sum, &all));
#pragma unroll
		for (int k = 0; k < ITEMS; k++)
		{
			if (first + k < n)
				states[first + k] = sum;
			sum = Op::combine(sum, item[k]);
		}
		start = Op::combine(start, all);
	}
	return start;
}

template <class Op>
__global__ void
scan_totals(typename Op::State *totals, size_t tiles, GpuredAcc *carry)
{
	SHARED(BlockScanShared<Op>, shared);
	const typename Op::State start = Op::load(carry);
	const typename Op::State end = scan_states<Op, 4>(shared, totals, tiles, start);

	/* scan_states has synchronized since every thread read the carry. */
	if (threadIdx.x == 0)
		Op::store(carry, end);
}

template <class Op, class Out, bool EXCLUSIVE = false>
__global__ void
__launch_bounds__(SCAN_THREADS) scan_tiles(const typename Op::Value *values, size_t n,
										   const typename Op::State *prefixes, Out *out)
{
	typedef typename Op::Value Value;
	typedef typename Op::State State;
	constexpr int LENGTH = Vector<Value>::LENGTH;
	SHARED(BlockScanShared<Op>, shared);
	const size_t start = scan_row_start<Value>();
	Vector<Value> row[SCAN_ROWS];
	State before[SCAN_ROWS]; /* of the warp's values, before this lane's */
	State warp_total;
	State all;

	scan_load_rows<Op>(row, values, n, start);
	warp_total = scan_rows<Op>(row, before);

	/* What is before this warp: only its last lane brings the warp's total. */
	State base =
		block_scan_exclusive<Op>(shared, lane_id() == WARP - 1 ? warp_total : Op::identity(), &all);

	base = Op::combine(prefixes[blockIdx.x], warp_broadcast(base, 0));

#pragma unroll
	for (int i = 0; i < SCAN_ROWS; i++)
	{
		State state = Op::combine(base, before[i]);
		const size_t at = start + i * WARP * LENGTH;

#pragma unroll
		for (int k = 0; k < LENGTH; k++)
		{
			const State after = Op::combine(state, Op::lift(row[i].value[k]));

			if (at + k < n)
				out[at + k] = EXCLUSIVE ? state : after;
			state = after;
		}
	}
}

#endif /* GPURED_SCAN_CUH */

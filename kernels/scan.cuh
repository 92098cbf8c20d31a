/*
 * scan.cuh
 *	  Inclusive scan of a whole array of integers: reduce, then scan, in three
 *	  launches.
 *
 *		scan_tile_totals	each block reduces a tile
 *		scan_totals			one block scans the totals, starting at the carry
 *		scan_tiles			each block scans its tile, from the tile's prefix
 *
 * No block waits for another and the order of operations is fixed.  The input
 * is read twice.
 *
 * In a tile each warp has a stretch of its own, read in rows: every lane has
 * one vector of neighbouring values in a row.  Rows are scanned in turn, from
 * the total of those before.
 */
#ifndef GPURED_SCAN_CUH
#define GPURED_SCAN_CUH

#include "block_reduce.cuh"
#include "block_scan.cuh"
#include "operators.cuh"

constexpr int SCAN_THREADS = 256;
constexpr int SCAN_ROWS = 4;

template <class Value>
constexpr size_t SCAN_TILE = (size_t) SCAN_THREADS *SCAN_ROWS *Vector<Value>::LENGTH;

template <class Op>
__global__ void
__launch_bounds__(SCAN_THREADS)
	scan_tile_totals(const typename Op::Value *values, size_t n, typename Op::State *totals)
{
	typedef typename Op::Value Value;
	SHARED(BlockReduceShared<Op>, shared);
	Vector<Value> tile[SCAN_ROWS];
	typename Op::State state = Op::identity();

	load_tile(tile, values, n, blockIdx.x * SCAN_TILE<Value>, Op::neutral());
#pragma unroll
	for (int i = 0; i < SCAN_ROWS; i++)
#pragma unroll
		for (int k = 0; k < Vector<Value>::LENGTH; k++)
			state = Op::combine(state, Op::lift(tile[i].value[k]));
	state = block_reduce<Op>(shared, state);
	if (threadIdx.x == 0)
		totals[blockIdx.x] = state;
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

template <class Op, class Out>
__global__ void
__launch_bounds__(SCAN_THREADS) scan_tiles(const typename Op::Value *values, size_t n,
										   const typename Op::State *prefixes, Out *out)
{
	typedef typename Op::Value Value;
	typedef typename Op::State State;
	constexpr int LENGTH = Vector<Value>::LENGTH;
	constexpr int ROW = WARP * LENGTH;
	SHARED(BlockScanShared<Op>, shared);
	const size_t start =
		blockIdx.x * SCAN_TILE<Value> + (size_t) warp_id() * SCAN_ROWS * ROW + lane_id() * LENGTH;
	Vector<Value> row[SCAN_ROWS];
	State before[SCAN_ROWS]; /* of the warp's values, before this lane's */
	State warp_total = Op::identity();
	State all;

#pragma unroll
	for (int i = 0; i < SCAN_ROWS; i++)
	{
		const size_t at = start + i * ROW;

		if (at + LENGTH <= n)
			row[i] = load_vector(values + at);
		else
#pragma unroll
			for (int k = 0; k < LENGTH; k++)
				row[i].value[k] = at + k < n ? values[at + k] : Op::neutral();
	}

#pragma unroll
	for (int i = 0; i < SCAN_ROWS; i++)
	{
		State state = Op::lift(row[i].value[0]);
		State inclusive;

#pragma unroll
		for (int k = 1; k < LENGTH; k++)
			state = Op::combine(state, Op::lift(row[i].value[k]));
		inclusive = warp_scan<Op>(state);
		before[i] = warp_shuffle_up(inclusive, 1);
		if (lane_id() == 0)
			before[i] = Op::identity();
		before[i] = Op::combine(warp_total, before[i]);
		warp_total = Op::combine(warp_total, warp_broadcast(inclusive, WARP - 1));
	}

	/* What is before this warp: only its last lane brings the warp's total. */
	State base =
		block_scan_exclusive<Op>(shared, lane_id() == WARP - 1 ? warp_total : Op::identity(), &all);

	base = Op::combine(prefixes[blockIdx.x], warp_broadcast(base, 0));

#pragma unroll
	for (int i = 0; i < SCAN_ROWS; i++)
	{
		State state = Op::combine(base, before[i]);
		const size_t at = start + i * ROW;

#pragma unroll
		for (int k = 0; k < LENGTH; k++)
		{
			state = Op::combine(state, Op::lift(row[i].value[k]));
			if (at + k < n)
				out[at + k] = state;
		}
	}
}

#endif /* GPURED_SCAN_CUH */

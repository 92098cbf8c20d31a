/*
 * block_scan.cuh
 *	  Exclusive scan of one value a thread: each warp scans its own, every warp
 *	  then scans the totals of all of them.
 *
 * Works for any block of whole warps, up to 32 of them.  That each warp scans
 * the totals for itself saves a barrier.
 */
#ifndef GPURED_BLOCK_SCAN_CUH
#define GPURED_BLOCK_SCAN_CUH

#include "warp_scan.cuh"

template <class Op>
struct BlockScanShared
{
	typename Op::State total[WARP];
};

/* Returns what is before the calling thread; *all gets the sum of the block. */
template <class Op>
static __device__ __forceinline__ typename Op::State
block_scan_exclusive(BlockScanShared<Op> &shared, typename Op::State state, typename Op::State *all)
{
	typedef typename Op::State State;
	const int warps = blockDim.x / WARP;
	const State inclusive = warp_scan<Op>(state);
	State before = warp_shuffle_up(inclusive, 1);
	State totals;

	if (lane_id() == WARP - 1)
		shared.total[warp_id()] = inclusive;
	__syncthreads();

	totals = warp_scan<Op>(lane_id() < warps ? shared.total[lane_id()] : Op::identity());
	*all = warp_broadcast(totals, warps - 1);
	if (lane_id() == 0)
		before = Op::identity();
	totals = warp_broadcast(totals, warp_id() > 0 ? warp_id() - 1 : 0);
	if (warp_id() > 0)
		before = Op::combine(totals, before);
	__syncthreads();
	return before;
}

#endif /* GPURED_BLOCK_SCAN_CUH */

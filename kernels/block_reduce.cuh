/*
 * block_reduce.cuh
 *	  Reduce one value a thread to one value a block: one partial a warp, then
 *	  the first warp reduces the partials.
 *
 * Works for any block of whole warps, up to 32 of them.  The result is in
 * thread 0.  The barrier at the end lets the shared memory be used again at
 * once.
 */
#ifndef GPURED_BLOCK_REDUCE_CUH
#define GPURED_BLOCK_REDUCE_CUH

#include "warp_reduce.cuh"

template <class Op>
struct BlockReduceShared
{
	typename Op::State partial[WARP]; /* a block has at most 32 warps */
};

template <class Op>
static __device__ __forceinline__ typename Op::State
block_reduce(BlockReduceShared<Op> &shared, typename Op::State state)
{
	/* Lane 0 of each warp leaves the warp's result. */
	state = warp_reduce<Op>(state);
	if (lane_id() == 0)
		shared.partial[warp_id()] = state;
	__syncthreads();

	/* The first warp reduces them; lanes without a warp bring the identity. */
	if (warp_id() == 0)
	{
		state = lane_id() < (int) blockDim.x / WARP ? shared.partial[lane_id()] : Op::identity();
		state = warp_reduce<Op>(state);
	}
	__syncthreads();
	return state;
}

#endif /* GPURED_BLOCK_REDUCE_CUH */

/*
 * block_reduce.cuh
 *	  Reduce one value a thread to one value a block: one partial a warp, then
 *	  the first warp reduces the partials.
 *
 * Two barriers whatever the size, and 32 cells of shared memory.  Works for
 * any number of threads up to 1024, also where the last warp is not full.
 * What reduces a warp is a parameter: WarpShuffles or WarpGroup.  The result
 * is in thread 0.  The barrier at the end lets the shared memory be used again
 * at once.
 *
 * Source: M. Harris, "Faster Parallel Reductions on Kepler", 2014.
 */
#ifndef GPURED_BLOCK_REDUCE_CUH
#define GPURED_BLOCK_REDUCE_CUH

#include "warp_reduce.cuh"

template <class Op>
struct BlockReduceShared
{
	typename Op::State partial[WARP]; /* a block has at most 32 warps */
};

template <class Op, class Warp = WarpShuffles>
static __device__ __forceinline__ typename Op::State
block_reduce(BlockReduceShared<Op> &shared, typename Op::State state)
{
	const int warps = ((int) blockDim.x + WARP - 1) / WARP;
	const int last = (int) blockDim.x - (warps - 1) * WARP; /* threads of the last warp */
	const int count = warp_id() == warps - 1 ? last : WARP;

	/* Lane 0 of each warp leaves the warp's result. */
	state = Warp::template reduce<Op>(state, count);
	if (lane_id() == 0)
		shared.partial[warp_id()] = state;
	__syncthreads();

	/* The first warp reduces them; lanes without a warp bring the identity. */
	if (warp_id() == 0)
	{
		/* A block of one warp may have fewer lanes, but then one partial too. */
		state = lane_id() < warps ? shared.partial[lane_id()] : Op::identity();
		state = Warp::template reduce<Op>(state, count);
	}
	__syncthreads();
	return state;
}

/* As a parameter of the reductions of a grid. */
template <class Op, class Warp = WarpShuffles>
struct BlockShuffles
{
	typedef BlockReduceShared<Op> Shared;

	static __device__ __forceinline__ typename Op::State reduce(Shared &shared,
																typename Op::State state)
	{
		return block_reduce<Op, Warp>(shared, state);
	}
};

#endif /* GPURED_BLOCK_REDUCE_CUH */

/*
 * block_reduce_tree.cuh
 *	  Reduce one value a thread to one value a block: a tree in shared memory.
 *
 * Each step adds the upper half of the values to the lower half.  The threads
 * that work are neighbours and so are the cells they touch: whole warps drop
 * out, and no two lanes want the same bank.  A step costs a barrier.  When 32
 * values are left, one warp has them all and finishes with shuffles, without
 * barriers; its result is broadcast to all threads.
 *
 * Works for any number of threads up to 1024.  It takes a cell of shared
 * memory a thread, so states are at most 16 bytes.
 *
 * Source: M. Harris, "Optimizing Parallel Reduction in CUDA", 2007, kernels 3
 * (sequential addressing) and 5 (the last warp).
 */
#ifndef GPURED_BLOCK_REDUCE_TREE_CUH
#define GPURED_BLOCK_REDUCE_TREE_CUH

#include "warp_reduce.cuh"

constexpr int BLOCK_TREE_THREADS = 1024;

template <class Op>
struct BlockTreeShared
{
	static_assert(sizeof(typename Op::State) <= 16, "a tree holds a state for every thread");
	typename Op::State cell[BLOCK_TREE_THREADS];
};

/* The result is in every thread. */
template <class Op>
static __device__ __forceinline__ typename Op::State
block_reduce_tree(BlockTreeShared<Op> &shared, typename Op::State state)
{
	const int me = (int) threadIdx.x;
	int left = (int) blockDim.x; /* values in the first cells */

	static_assert(Op::commutative, "a reduction combines values in any order");
	shared.cell[me] = state;
	__syncthreads();
	while (left > WARP)
	{
		/* An odd value in the middle waits for the next step. */
		const int half = (left + 1) / 2;

		if (me + half < left)
			shared.cell[me] = Op::combine(shared.cell[me], shared.cell[me + half]);
		left = half;
		__syncthreads();
	}
	if (warp_id() == 0)
	{
		const int count = (int) blockDim.x < WARP ? (int) blockDim.x : WARP;

		state = me < left ? shared.cell[me] : Op::identity();
		state = WarpShuffles::reduce<Op>(state, count);
		if (me == 0)
			shared.cell[0] = state;
	}
	__syncthreads();
	state = shared.cell[0];
	__syncthreads();
	return state;
}

/* As a parameter of the reductions of a grid. */
template <class Op>
struct BlockTree
{
	typedef BlockTreeShared<Op> Shared;

	static __device__ __forceinline__ typename Op::State reduce(Shared &shared,
																typename Op::State state)
	{
		return block_reduce_tree<Op>(shared, state);
	}
};

#endif /* GPURED_BLOCK_REDUCE_TREE_CUH */

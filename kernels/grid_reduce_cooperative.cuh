/*
 * grid_reduce_cooperative.cuh
 *	  Reduce a whole array in one launch, with a barrier for the whole grid.
 *
 * A cooperative launch promises that all its blocks run at the same time, or
 * fails; so they may wait for each other.  After the barrier all partials are
 * there and the first block reduces them.  It reads like the two passes and
 * takes one launch, but the grid can be no larger than what the card holds at
 * once, and every block waits for the slowest.
 *
 * Source: CUDA C++ Programming Guide, "Grid Synchronization".
 */
#ifndef GPURED_GRID_REDUCE_COOPERATIVE_CUH
#define GPURED_GRID_REDUCE_COOPERATIVE_CUH

#include "grid_reduce.cuh"

#ifndef GPURED_EMULATED
#include <cooperative_groups.h>
#endif

template <class Op, class Block>
__global__ void
__launch_bounds__(GRID_MAX_THREADS)
	grid_reduce_cooperative(const typename Op::Value *values, size_t n, GridReduceWorkspace *work,
							GpuredAcc *result)
{
	SHARED(typename Block::Shared, shared);
	typename Op::State *partial = reinterpret_cast<typename Op::State *>(work->partial);
	typename Op::State state = Block::reduce(shared, grid_reduce_part<Op>(values, n));

	if (threadIdx.x == 0)
		partial[blockIdx.x] = state;
	cooperative_groups::this_grid().sync();
	if (blockIdx.x != 0)
		return;

	state = grid_reduce_partials<Op, Block>(shared, partial, (int) gridDim.x);
	if (threadIdx.x == 0)
		Op::store(result, state);
}

#endif /* GPURED_GRID_REDUCE_COOPERATIVE_CUH */

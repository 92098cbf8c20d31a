/*
 * grid_reduce_last_block.cuh
 *	  Reduce a whole array in one launch: each block leaves a partial, and the
 *	  block that happens to finish last reduces the partials.
 *
 * A block draws a ticket after its partial is written and fenced; whoever
 * draws the highest ticket knows that all partials are there.  No block waits
 * for another, so blocks need not run at the same time.  The last one also
 * sets the ticket back to zero: a workspace is zeroed once, when it is made,
 * and belongs to one stream, so launches on other streams do not disturb it.
 *
 * The partials are combined in the order of their numbers, whichever block
 * does it.
 *
 * Source: the threadFenceReduction sample of the CUDA toolkit.
 */
#ifndef GPURED_GRID_REDUCE_LAST_BLOCK_CUH
#define GPURED_GRID_REDUCE_LAST_BLOCK_CUH

#include "grid_reduce.cuh"

template <class Op, class Block>
__global__ void
__launch_bounds__(GRID_MAX_THREADS)
	grid_reduce_last_block(const typename Op::Value *values, size_t n, GridReduceWorkspace *work,
						   GpuredAcc *result)
{
	SHARED(typename Block::Shared, shared);
	SHARED(bool, is_last);
	typename Op::State *partial = reinterpret_cast<typename Op::State *>(work->partial);
	typename Op::State state = Block::reduce(shared, grid_reduce_part<Op>(values, n));

	if (threadIdx.x == 0)
		partial[blockIdx.x] = state;
	if (!grid_last_block(&work->ticket, is_last))
		return;

	state = grid_reduce_partials<Op, Block>(shared, partial, (int) gridDim.x);
	if (threadIdx.x == 0)
		Op::store(result, state);
}

#endif /* GPURED_GRID_REDUCE_LAST_BLOCK_CUH */

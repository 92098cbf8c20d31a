/*
 * grid_reduce_atomic.cuh
 *	  Reduce a whole array in one pass, by atomics on one cell of memory.
 *
 * Nobody waits and nobody is last until the very end.  Atomics on one address
 * are done one after the other by the second-level cache, so it matters how
 * many there are: one a block costs next to nothing, one a thread is what a
 * block's reduction is there to avoid.
 *
 * The order is another in each run.  These operators do not mind, being exact;
 * a sum of floats would.
 *
 * The cell must be the identity first, which for a minimum is not zero: that
 * is a launch of its own.
 *
 * Source: J. Luitjens, "Faster Parallel Reductions on Kepler", 2014.
 */
#ifndef GPURED_GRID_REDUCE_ATOMIC_CUH
#define GPURED_GRID_REDUCE_ATOMIC_CUH

#include "grid_reduce.cuh"

template <class Op>
__global__ void
grid_reduce_start(GridReduceWorkspace *work)
{
	if (threadIdx.x == 0)
		*reinterpret_cast<typename Op::State *>(work->total) = Op::identity();
}

/* The last block moves the total to the result. */
template <class Op>
static __device__ __forceinline__ void
grid_reduce_atomic_finish(GridReduceWorkspace *work, GpuredAcc *result, bool &is_last)
{
	if (grid_last_block(&work->ticket, is_last) && threadIdx.x == 0)
		Op::store(result, load_fresh(reinterpret_cast<typename Op::State *>(work->total)));
}

template <class Op, class Block>
__global__ void
__launch_bounds__(GRID_MAX_THREADS)
	grid_reduce_block_atomic(const typename Op::Value *values, size_t n, GridReduceWorkspace *work,
							 GpuredAcc *result)
{
	SHARED(typename Block::Shared, shared);
	SHARED(bool, is_last);
	const typename Op::State state = Block::reduce(shared, grid_reduce_part<Op>(values, n));

	if (threadIdx.x == 0)
		Op::combine_atomically(reinterpret_cast<typename Op::State *>(work->total), state);
	grid_reduce_atomic_finish<Op>(work, result, is_last);
}

template <class Op>
__global__ void
__launch_bounds__(GRID_MAX_THREADS)
	grid_reduce_thread_atomic(const typename Op::Value *values, size_t n, GridReduceWorkspace *work,
							  GpuredAcc *result)
{
	SHARED(bool, is_last);

	Op::combine_atomically(reinterpret_cast<typename Op::State *>(work->total),
						   grid_reduce_part<Op>(values, n));
	grid_reduce_atomic_finish<Op>(work, result, is_last);
}

#endif /* GPURED_GRID_REDUCE_ATOMIC_CUH */

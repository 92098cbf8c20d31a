/*
 * grid_reduce_two_pass.cuh
 *	  Reduce a whole array in two passes of one kernel.
 *
 * The first pass leaves a state a block, the second, of one block, reduces
 * those as if they were an array.  The end of the first kernel is the barrier
 * between them: no block waits, nothing need be zero before, and the order of
 * operations is the same in each run.  The price is a second launch.
 *
 * Source: M. Harris, "Optimizing Parallel Reduction in CUDA", 2007.
 */
#ifndef GPURED_GRID_REDUCE_TWO_PASS_CUH
#define GPURED_GRID_REDUCE_TWO_PASS_CUH

#include "grid_reduce.cuh"

/* The operator of the second pass: its values are states. */
template <class Op>
struct OverStates : Op
{
	typedef typename Op::State Value;
	typedef typename Op::State State;

	static __device__ __forceinline__ State lift(Value v) { return v; }
};

/* Of n values each block leaves a partial, or, if that is null, the only block the result. */
template <class Op, class Block>
__global__ void
__launch_bounds__(GRID_MAX_THREADS) grid_reduce_pass(const typename Op::Value *values, size_t n,
													 typename Op::State *partial, GpuredAcc *result)
{
	SHARED(typename Block::Shared, shared);
	const typename Op::State state = Block::reduce(shared, grid_reduce_part<Op>(values, n));

	if (threadIdx.x == 0)
	{
		if (partial != nullptr)
			partial[blockIdx.x] = state;
		else
			Op::store(result, state);
	}
}

#endif /* GPURED_GRID_REDUCE_TWO_PASS_CUH */

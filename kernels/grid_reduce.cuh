/*
 * grid_reduce.cuh
 *	  What all reductions of a whole array share: a thread's part of it, and the
 *	  memory in which blocks meet.
 *
 * A grid reduction is three questions.  How are the values read?  See
 * values.cuh.  How does a block become one state?  See block_reduce.cuh and
 * block_reduce_tree.cuh.  And how do the blocks, which run in any order and
 * cannot be relied on to run at the same time, become one?  Each answer to the
 * last is a file:
 *
 *		grid_reduce_two_pass.cuh		the end of a kernel is a barrier
 *		grid_reduce_atomic.cuh			atomics to one cell
 *		grid_reduce_last_block.cuh		the last one does it
 *		grid_reduce_cooperative.cuh		blocks that do run at the same time
 *		cub_reduce.cuh					NVIDIA's library
 */
#ifndef GPURED_GRID_REDUCE_CUH
#define GPURED_GRID_REDUCE_CUH

#include "block_reduce.cuh"
#include "operators.cuh"
#include "values.cuh"

/* A grid has at most this many blocks: the partials have room for no more. */
constexpr int GRID_MAX_BLOCKS = 4096;

/* A block has at most this many threads, which leaves each 64 registers. */
constexpr int GRID_MAX_THREADS = 1024;

/* Vectors that a thread has in flight: measured, see launch_reduce.cuh. */
constexpr int GRID_BATCH = 4;

struct GridReduceWorkspace
{
	uint32_t ticket;
	alignas(16) unsigned char total[sizeof(GpuredInt128)];
	alignas(16) unsigned char partial[GRID_MAX_BLOCKS * sizeof(GpuredInt128)];
};

/* True in all threads of the last block to come here, once per launch. */
static __device__ __forceinline__ bool
grid_last_block(uint32_t *ticket, bool &shared_is_last)
{
	__threadfence();
	__syncthreads();
	if (threadIdx.x == 0)
	{
		shared_is_last = atomicAdd(ticket, 1u) == gridDim.x - 1;
		if (shared_is_last)
			*ticket = 0;
	}
	__syncthreads();
	if (shared_is_last)
		__threadfence();
	return shared_is_last;
}

/* The thread's part of the array.  A function of its own: all kernels of a file share its code. */
template <class Op>
static __device__ __noinline__ typename Op::State
grid_reduce_part(const typename Op::Value *values, size_t n)
{
	typedef typename Op::Value Value;
	constexpr int LENGTH = Vector<Value>::LENGTH;
	typename Op::State state[LENGTH];

	/* Several independent chains, so that additions need not wait in line. */
#pragma unroll
	for (int k = 0; k < LENGTH; k++)
		state[k] = Op::identity();
	Values<Value>(values, n).template each<GRID_BATCH>(
		[&](const Vector<Value> &v)
		{
#pragma unroll
			for (int k = 0; k < LENGTH; k++)
				state[k] = Op::combine(state[k], Op::lift(v.value[k]));
		},
		[&](Value v) { state[0] = Op::combine(state[0], Op::lift(v)); });
#pragma unroll
	for (int k = 1; k < LENGTH; k++)
		state[0] = Op::combine(state[0], state[k]);
	return state[0];
}

/* The partials that the blocks left; by one block, the result is in thread 0. */
template <class Op, class Block>
static __device__ __forceinline__ typename Op::State
grid_reduce_partials(typename Block::Shared &shared, const typename Op::State *partial, int count)
{
	typename Op::State state = Op::identity();

	for (int i = (int) threadIdx.x; i < count; i += (int) blockDim.x)
		state = Op::combine(state, load_fresh(&partial[i]));
	return Block::reduce(shared, state);
}

#endif /* GPURED_GRID_REDUCE_CUH */

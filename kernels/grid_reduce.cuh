/*
 * grid_reduce.cuh
 *	  Reduce a whole array in one launch: each block leaves a partial, and the
 *	  block that happens to finish last reduces the partials.
 *
 * A block draws a ticket after its partial is written and fenced; whoever
 * draws the highest ticket knows that all partials are there.  No block waits
 * for another, so blocks need not run at the same time.  The last one also
 * sets the ticket back to zero: a workspace is zeroed once, when it is made,
 * and belongs to one stream.
 *
 * Source: the threadFenceReduction sample of the CUDA toolkit.
 */
#ifndef GPURED_GRID_REDUCE_CUH
#define GPURED_GRID_REDUCE_CUH

#include "block_reduce.cuh"
#include "operators.cuh"

/* A grid has at most this many blocks: the partials have room for no more. */
constexpr int GRID_MAX_BLOCKS = 4096;

struct GridReduceWorkspace
{
	uint32_t ticket;
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

template <class Op, int THREADS, int VECTORS>
__global__ void
__launch_bounds__(THREADS) grid_reduce(const typename Op::Value *values, size_t n,
									   GridReduceWorkspace *work, GpuredAcc *result)
{
	typedef typename Op::Value Value;
	typedef typename Op::State State;
	constexpr int LENGTH = Vector<Value>::LENGTH;
	constexpr size_t TILE = (size_t) THREADS * VECTORS * LENGTH;
	SHARED(BlockReduceShared<Op>, shared);
	SHARED(bool, is_last);
	State *partial = reinterpret_cast<State *>(work->partial);
	State state[LENGTH];

	/* Several independent chains, so that additions need not wait in line. */
#pragma unroll
	for (int k = 0; k < LENGTH; k++)
		state[k] = Op::identity();

	for (size_t start = blockIdx.x * TILE; start < n; start += gridDim.x * TILE)
	{
		Vector<Value> tile[VECTORS];

		load_tile(tile, values, n, start, Op::neutral());
#pragma unroll
		for (int i = 0; i < VECTORS; i++)
#pragma unroll
			for (int k = 0; k < LENGTH; k++)
				state[k] = Op::combine(state[k], Op::lift(tile[i].value[k]));
	}
#pragma unroll
	for (int k = 1; k < LENGTH; k++)
		state[0] = Op::combine(state[0], state[k]);

	state[0] = block_reduce<Op>(shared, state[0]);
	if (threadIdx.x == 0)
		partial[blockIdx.x] = state[0];
	if (!grid_last_block(&work->ticket, is_last))
		return;

	state[0] = Op::identity();
	for (unsigned int i = threadIdx.x; i < gridDim.x; i += THREADS)
		state[0] = Op::combine(state[0], load_fresh(&partial[i]));
	state[0] = block_reduce<Op>(shared, state[0]);
	if (threadIdx.x == 0)
		Op::store(result, state[0]);
}

#endif /* GPURED_GRID_REDUCE_CUH */

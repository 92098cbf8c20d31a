/*
 * block_scan_hillis_steele.cuh
 *	  Inclusive scan of one value a thread in shared memory, in as few steps as
 *	  possible.
 *
 * In step k each thread adds the value 2^k places below: after log2(threads)
 * steps it has all that are below.  Every step works on all n values, n log n
 * additions in all: short, but not economical.  Two buffers take turns, so that
 * one barrier a step is enough.
 *
 * Operands stay in order: an operator that is only associative will do.
 *
 * Source: W. D. Hillis and G. L. Steele, "Data parallel algorithms", 1986.
 */
#ifndef GPURED_BLOCK_SCAN_HILLIS_STEELE_CUH
#define GPURED_BLOCK_SCAN_HILLIS_STEELE_CUH

#include "cuda.cuh"

template <class Op, int THREADS>
struct HillisSteeleShared
{
	typename Op::State value[2][THREADS];
};

/* By all THREADS threads of the block. */
template <class Op, int THREADS>
static __device__ __forceinline__ typename Op::State
block_scan_hillis_steele(HillisSteeleShared<Op, THREADS> &shared, typename Op::State state)
{
	int from = 0;

	shared.value[from][threadIdx.x] = state;
	__syncthreads();
	for (int distance = 1; distance < THREADS; distance *= 2)
	{
		if ((int) threadIdx.x >= distance)
			state = Op::combine(shared.value[from][threadIdx.x - distance], state);
		from = 1 - from;
		shared.value[from][threadIdx.x] = state;
		__syncthreads();
	}
	return state;
}

#endif /* GPURED_BLOCK_SCAN_HILLIS_STEELE_CUH */

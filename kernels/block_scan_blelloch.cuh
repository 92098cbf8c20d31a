/*
 * block_scan_blelloch.cuh
 *	  Exclusive scan of two values a thread in shared memory, with as little work
 *	  as possible.
 *
 * A tree of sums is built in place, from neighbours up to the whole (the
 * up-sweep); on the way down each node gives its left child what is before
 * both, and its right child that and the left one's sum (the down-sweep).  2 n
 * additions in all, but twice as many steps as Hillis and Steele's, and ever
 * fewer threads at work towards the root.
 *
 * Nodes of a level are a power of two apart and would all be in the same bank of
 * shared memory; a gap after every 32 values keeps them in different ones.
 *
 * Operands stay in order: an operator that is only associative will do.
 *
 * Source: G. E. Blelloch, "Prefix sums and their applications", 1990; the
 * padding: M. Harris, S. Sengupta and J. D. Owens, "Parallel prefix sum (scan)
 * with CUDA", GPU Gems 3, 2007.
 */
#ifndef GPURED_BLOCK_SCAN_BLELLOCH_CUH
#define GPURED_BLOCK_SCAN_BLELLOCH_CUH

#include "cuda.cuh"

template <class Op, int THREADS>
struct BlellochShared
{
	static constexpr int N = 2 * THREADS;
	typename Op::State value[N + N / WARP];

	static_assert((N & (N - 1)) == 0, "a tree needs a power of two");

	/* Where value i is kept. */
	static __device__ __forceinline__ int place(int i) { return i + i / WARP; }
};

/*
 * Replaces shared.value[place(0 .. N - 1)], which all THREADS threads have
 * written, by what is before each; returns the sum of all.
 */
template <class Op, int THREADS>
static __device__ __forceinline__ typename Op::State
block_scan_blelloch(BlellochShared<Op, THREADS> &shared)
{
	typedef BlellochShared<Op, THREADS> Shared;
	typedef typename Op::State State;
	State all;

	for (int half = 1; half < Shared::N; half *= 2)
	{
		const int right = (int) (threadIdx.x + 1) * 2 * half - 1;

		__syncthreads();
		if (right < Shared::N)
		{
			State &sum = shared.value[Shared::place(right)];

			sum = Op::combine(shared.value[Shared::place(right - half)], sum);
		}
	}
	__syncthreads();
	all = shared.value[Shared::place(Shared::N - 1)];
	__syncthreads();
	if (threadIdx.x == 0)
		shared.value[Shared::place(Shared::N - 1)] = Op::identity();
	for (int half = Shared::N / 2; half > 0; half /= 2)
	{
		const int right = (int) (threadIdx.x + 1) * 2 * half - 1;

		__syncthreads();
		if (right < Shared::N)
		{
			const State left_sum = shared.value[Shared::place(right - half)];
			const State before = shared.value[Shared::place(right)];

			shared.value[Shared::place(right - half)] = before;
			shared.value[Shared::place(right)] = Op::combine(before, left_sum);
		}
	}
	__syncthreads();
	return all;
}

#endif /* GPURED_BLOCK_SCAN_BLELLOCH_CUH */

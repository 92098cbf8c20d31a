/*
 * values.cuh
 *	  How the reductions read an array: the threads of the whole grid, 16 bytes
 *	  a load.
 *
 * The array may begin at any value, so it is cut in three: a few values up to
 * a multiple of 16 bytes, whole vectors, and a few values more.  A thread goes
 * through the vectors with a stride of the grid, BATCH of them in flight: its
 * neighbours in the warp read neighbours in memory, so that a warp's load is
 * 512 bytes in a row.  What does not fill a batch in each thread is read one
 * vector a thread, and the values at the ends one a thread.
 *
 * Source of the loop: M. Harris, "CUDA Pro Tip: Write Flexible Kernels with
 * Grid-Stride Loops", 2013.
 */
#ifndef GPURED_VALUES_CUH
#define GPURED_VALUES_CUH

#include "cuda.cuh"

template <class T>
struct Values
{
	const T *values;
	size_t n;
	unsigned int head; /* values before the first vector */
	size_t vectors;

	__device__ __forceinline__ Values(const T *values_, size_t n_) : values(values_), n(n_)
	{
		const unsigned int beyond = (unsigned int) (reinterpret_cast<uintptr_t>(values) % 16);

		head = beyond == 0 ? 0 : (16 - beyond) / sizeof(T);
		if (head > n)
			head = (unsigned int) n;
		vectors = (n - head) / Vector<T>::LENGTH;
	}

	__device__ __forceinline__ Vector<T> vector(size_t i) const
	{
		return load_vector(values + head + i * Vector<T>::LENGTH);
	}

	/* Call one of them for each part of the array that is the thread's. */
	template <int BATCH, class VisitVector, class VisitValue>
	__device__ __forceinline__ void each(VisitVector visit_vector, VisitValue visit_value) const
	{
		const size_t batch = (size_t) blockDim.x * BATCH;
		const size_t batches = vectors / batch;
		const size_t threads = (size_t) gridDim.x * blockDim.x;
		const size_t me = blockIdx.x * (size_t) blockDim.x + threadIdx.x;
		const size_t tail = head + vectors * Vector<T>::LENGTH;

		for (size_t b = blockIdx.x; b < batches; b += gridDim.x)
		{
			Vector<T> v[BATCH];

#pragma unroll
			for (int i = 0; i < BATCH; i++)
				v[i] = vector(b * batch + (size_t) i * blockDim.x + threadIdx.x);
#pragma unroll
			for (int i = 0; i < BATCH; i++)
				visit_vector(v[i]);
		}
#pragma unroll 1
		for (size_t i = batches * batch + me; i < vectors; i += threads)
			visit_vector(vector(i));

			/* From the end of the grid: its threads have less to do. */
#pragma unroll 1
		for (size_t i = threads - 1 - me; i < n - tail + head; i += threads)
			visit_value(values[i < head ? i : i - head + tail]);
	}
};

#endif /* GPURED_VALUES_CUH */

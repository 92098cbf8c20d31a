/*
 * kernels_cub_sum.cu
 *	  cub::DeviceReduce::Sum for the types of oplist.h.
 */
#include <cub/cub.cuh>

#include "bench/cub.cuh"

template <class T>
cudaError_t
cub_sum(const T *x, void *out, size_t n, cudaStream_t stream)
{
	size_t size;
	void *scratch = bench_scratch(&size);

	return cub::DeviceReduce::Sum(scratch, size, x, static_cast<CubSum<T> *>(out), n, stream);
}

template cudaError_t cub_sum(const int16_t *, void *, size_t, cudaStream_t);
template cudaError_t cub_sum(const int32_t *, void *, size_t, cudaStream_t);
template cudaError_t cub_sum(const int64_t *, void *, size_t, cudaStream_t);
template cudaError_t cub_sum(const float *, void *, size_t, cudaStream_t);
template cudaError_t cub_sum(const double *, void *, size_t, cudaStream_t);

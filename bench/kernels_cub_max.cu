/*
 * kernels_cub_max.cu
 *	  cub::DeviceReduce::Max for the types of oplist.h.
 */
#include <cub/cub.cuh>

#include "bench/cub.cuh"

template <class T>
cudaError_t
cub_max(const T *x, void *out, size_t n, cudaStream_t stream)
{
	size_t size;
	void *scratch = bench_scratch(&size);

	return cub::DeviceReduce::Max(scratch, size, x, static_cast<T *>(out), n, stream);
}

template cudaError_t cub_max(const int16_t *, void *, size_t, cudaStream_t);
template cudaError_t cub_max(const int32_t *, void *, size_t, cudaStream_t);
template cudaError_t cub_max(const int64_t *, void *, size_t, cudaStream_t);
template cudaError_t cub_max(const float *, void *, size_t, cudaStream_t);
template cudaError_t cub_max(const double *, void *, size_t, cudaStream_t);

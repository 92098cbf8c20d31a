/*
 * kernels_cub_min.cu
 *	  cub::DeviceReduce::Min for the types of oplist.h.
 */
#include <cub/cub.cuh>

#include "bench/cub.cuh"

template <class T>
cudaError_t
cub_min(const T *x, void *out, size_t n, cudaStream_t stream)
{
	size_t size;
	void *scratch = bench_scratch(&size);

	return cub::DeviceReduce::Min(scratch, size, x, static_cast<T *>(out), n, stream);
}

template cudaError_t cub_min(const int16_t *, void *, size_t, cudaStream_t);
template cudaError_t cub_min(const int32_t *, void *, size_t, cudaStream_t);
template cudaError_t cub_min(const int64_t *, void *, size_t, cudaStream_t);
template cudaError_t cub_min(const float *, void *, size_t, cudaStream_t);
template cudaError_t cub_min(const double *, void *, size_t, cudaStream_t);

/*
 * kernels_cub_bits.cu
 *	  cub::DeviceReduce::Reduce with and, or, exclusive or.
 */
#include <cub/cub.cuh>

#include "bench/cub.cuh"

struct And
{
	template <class T>
	__device__ __forceinline__ T operator()(T a, T b) const
	{
		return (T) (a & b);
	}
};

struct Or
{
	template <class T>
	__device__ __forceinline__ T operator()(T a, T b) const
	{
		return (T) (a | b);
	}
};

struct Xor
{
	template <class T>
	__device__ __forceinline__ T operator()(T a, T b) const
	{
		return (T) (a ^ b);
	}
};

template <class Op, class T>
static cudaError_t
reduce(const T *x, void *out, size_t n, cudaStream_t stream, T identity)
{
	size_t size;
	void *scratch = bench_scratch(&size);

	return cub::DeviceReduce::Reduce(scratch, size, x, static_cast<T *>(out), n, Op(), identity,
									 stream);
}

template <class T>
cudaError_t
cub_bit_and(const T *x, void *out, size_t n, cudaStream_t stream)
{
	return reduce<And>(x, out, n, stream, (T) ~T(0));
}

template <class T>
cudaError_t
cub_bit_or(const T *x, void *out, size_t n, cudaStream_t stream)
{
	return reduce<Or>(x, out, n, stream, T(0));
}

template <class T>
cudaError_t
cub_bit_xor(const T *x, void *out, size_t n, cudaStream_t stream)
{
	return reduce<Xor>(x, out, n, stream, T(0));
}

#define INSTANTIATE(name) \
	template cudaError_t name(const int16_t *, void *, size_t, cudaStream_t); \
	template cudaError_t name(const int32_t *, void *, size_t, cudaStream_t); \
	template cudaError_t name(const int64_t *, void *, size_t, cudaStream_t);
INSTANTIATE(cub_bit_and)
INSTANTIATE(cub_bit_or)
INSTANTIATE(cub_bit_xor)

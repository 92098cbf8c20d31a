/*
 * cub.cuh
 *	  CUB's reductions for the benchmark: each kind is compiled in a file of its
 *	  own, which takes long enough.
 *
 * Float sums are not exact; integer sums are of 64 bits.  The result goes to
 * *out, of the type CubSum<T> or T.
 */
#ifndef GPURED_BENCH_CUB_CUH
#define GPURED_BENCH_CUB_CUH

#include <type_traits>

#include "bench/bench.cuh"

template <class T>
using CubSum = typename std::conditional<std::is_integral<T>::value, int64_t, T>::type;

template <class T>
cudaError_t cub_sum(const T *x, void *out, size_t n, cudaStream_t stream);
template <class T>
cudaError_t cub_min(const T *x, void *out, size_t n, cudaStream_t stream);
template <class T>
cudaError_t cub_max(const T *x, void *out, size_t n, cudaStream_t stream);
template <class T>
cudaError_t cub_bit_and(const T *x, void *out, size_t n, cudaStream_t stream);
template <class T>
cudaError_t cub_bit_or(const T *x, void *out, size_t n, cudaStream_t stream);
template <class T>
cudaError_t cub_bit_xor(const T *x, void *out, size_t n, cudaStream_t stream);

#endif /* GPURED_BENCH_CUB_CUH */

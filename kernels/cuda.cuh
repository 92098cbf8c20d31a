/*
 * cuda.cuh
 *	  The few words of CUDA that are not the same on a card and in the host
 *	  emulation of the tests.
 *
 * Kernels say SHARED(type, name) for a block's shared memory and LAUNCH(...)
 * to start one; everything else is plain CUDA C, which the emulation defines.
 * Blocks are always whole warps: every collective is called by all lanes.
 */
#ifndef GPURED_CUDA_CUH
#define GPURED_CUDA_CUH

#include <cstddef>
#include <cstdint>
#include <cstring>

#ifdef GPURED_EMULATED
#include "test/kernels/emu.h"
#else
#include <cuda_runtime.h>

#define SHARED(type, name) __shared__ type name
#define SHARED_DYNAMIC(type, name) \
	extern __shared__ __align__(16) unsigned char name##_bytes[]; \
	type &name = *reinterpret_cast<type *>(name##_bytes)
#define LAUNCH(kernel, grid, threads, shared, stream, ...) \
	kernel<<<(unsigned int) (grid), (unsigned int) (threads), (shared), (stream)>>>(__VA_ARGS__)

/* A launch whose blocks all run at once, or not at all; its value says which. */
#define LAUNCH_COOPERATIVE(kernel, grid, threads, shared, stream, ...) \
	launch_cooperative(kernel, grid, threads, shared, stream, __VA_ARGS__)

template <class... Parameters, class... Arguments>
static cudaError_t
launch_cooperative(void (*kernel)(Parameters...), int grid, int threads, size_t shared,
				   cudaStream_t stream, Arguments... arguments)
{
	cudaLaunchConfig_t config = {};
	cudaLaunchAttribute attribute = {};

	attribute.id = cudaLaunchAttributeCooperative;
	attribute.val.cooperative = 1;
	config.gridDim = dim3((unsigned int) grid);
	config.blockDim = dim3((unsigned int) threads);
	config.dynamicSmemBytes = shared;
	config.stream = stream;
	config.attrs = &attribute;
	config.numAttrs = 1;
	return cudaLaunchKernelEx(&config, kernel, Parameters(arguments)...);
}

/* Between two looks at what another block is to write. */
static __device__ __forceinline__ void
wait_a_little()
{
#if __CUDA_ARCH__ >= 700
	__nanosleep(20);
#endif
}

/*
 * Sixteen bytes that are read once: past the first-level cache.  (To let the
 * second-level cache fetch 256 bytes at a time costs 9 % on an H200.)
 */
static __device__ __forceinline__ int4
load_once(const int4 *p)
{
	int4 v;

#if __CUDA_ARCH__ >= 800
	asm volatile("ld.global.nc.L1::no_allocate.v4.s32 {%0, %1, %2, %3}, [%4];"
				 : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w)
				 : "l"(p));
#else
	v = __ldcs(p);
#endif
	return v;
}
#endif

constexpr unsigned int ALL_LANES = 0xffffffffu;
constexpr int WARP = 32;

static __device__ __forceinline__ int
lane_id()
{
	return threadIdx.x % WARP;
}

static __device__ __forceinline__ int
warp_id()
{
	return threadIdx.x / WARP;
}

/* Sixteen bytes of values, one load.  The address is a multiple of 16. */
template <class T>
struct alignas(16) Vector
{
	static constexpr int LENGTH = 16 / sizeof(T);
	T value[LENGTH];
};

template <class T>
static __device__ __forceinline__ Vector<T>
load_vector(const T *p)
{
	Vector<T> v;
	int4 bits = load_once(reinterpret_cast<const int4 *>(p));

	static_assert(sizeof(v) == sizeof(bits), "a vector is 16 bytes");
	memcpy(&v, &bits, sizeof(v));
	return v;
}

/*
 * A tile is VECTORS vectors a thread, neighbours in a warp reading neighbours
 * in memory.  Beyond n, "filler" is put instead: an operation's neutral value.
 */
template <int VECTORS, class T>
static __device__ __forceinline__ void
load_tile(Vector<T> (&tile)[VECTORS], const T *values, size_t n, size_t start, T filler)
{
	constexpr int LENGTH = Vector<T>::LENGTH;
	const size_t size = (size_t) blockDim.x * VECTORS * LENGTH;

	if (start + size <= n)
	{
#pragma unroll
		for (int i = 0; i < VECTORS; i++)
			tile[i] =
				load_vector(values + start + ((size_t) i * blockDim.x + threadIdx.x) * LENGTH);
		return;
	}
#pragma unroll
	for (int i = 0; i < VECTORS; i++)
#pragma unroll
		for (int k = 0; k < LENGTH; k++)
		{
			size_t at = start + ((size_t) i * blockDim.x + threadIdx.x) * LENGTH + k;

			tile[i].value[k] = at < n ? values[at] : filler;
		}
}

/* Read what another block wrote, past the first-level cache. */
template <class T>
static __device__ __forceinline__ T
load_fresh(const T *p)
{
	constexpr int WORDS = sizeof(T) / 4;
	union
	{
		uint32_t word[WORDS];
		T value;
	} u;

	static_assert(sizeof(T) % 4 == 0, "whole words only");
#pragma unroll
	for (int i = 0; i < WORDS; i++)
		u.word[i] = reinterpret_cast<const volatile uint32_t *>(p)[i];
	return u.value;
}

#endif /* GPURED_CUDA_CUH */

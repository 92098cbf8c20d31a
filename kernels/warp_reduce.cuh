/*
 * warp_reduce.cuh
 *	  Reduce one value a lane to one value: a tree of shuffles.
 *
 * In step k each lane takes over the value of the lane 2^k above it, for k =
 * 4 .. 0: five steps for 32 values, no shared memory, no barrier.  The result
 * is in lane 0.  Operands are combined in another order than they came in, so
 * the operator must be associative and commutative.
 *
 * Source: M. Harris, "Faster Parallel Reductions on Kepler", 2014.
 */
#ifndef GPURED_WARP_REDUCE_CUH
#define GPURED_WARP_REDUCE_CUH

#include "cuda.cuh"

/* A shuffle moves 32 bits; a wider value goes in words. */
template <class T>
static __device__ __forceinline__ T
warp_shuffle_down(T value, int distance, unsigned int lanes = ALL_LANES)
{
	constexpr int WORDS = sizeof(T) < 4 ? 1 : sizeof(T) / 4;
	uint32_t word[WORDS] = {};

	memcpy(word, &value, sizeof(T));
#pragma unroll
	for (int i = 0; i < WORDS; i++)
		word[i] = __shfl_down_sync(lanes, word[i], distance);
	memcpy(&value, word, sizeof(T));
	return value;
}

template <class Op>
static __device__ __forceinline__ typename Op::State
warp_reduce(typename Op::State state)
{
	static_assert(Op::commutative, "a reduction combines values in any order");
#pragma unroll
	for (int distance = WARP / 2; distance > 0; distance /= 2)
		state = Op::combine(state, warp_shuffle_down(state, distance));
	return state;
}

/* The same in a warp of "count" threads, the first of the 32: the last one of a block, say. */
template <class Op>
static __device__ __forceinline__ typename Op::State
warp_reduce(typename Op::State state, int count)
{
	const unsigned int lanes = ALL_LANES >> (WARP - count);

	static_assert(Op::commutative, "a reduction combines values in any order");
#pragma unroll
	for (int distance = WARP / 2; distance > 0; distance /= 2)
	{
		const typename Op::State other = warp_shuffle_down(state, distance, lanes);

		if (lane_id() + distance < count)
			state = Op::combine(state, other);
	}
	return state;
}

/* How a block_reduce() of this kind reduces its warps. */
struct WarpShuffles
{
	template <class Op>
	static __device__ __forceinline__ typename Op::State reduce(typename Op::State state, int count)
	{
		return count == WARP ? warp_reduce<Op>(state) : warp_reduce<Op>(state, count);
	}
};

/* The sum of 32 words, in every lane: one instruction since compute capability 8. */
static __device__ __forceinline__ uint32_t
warp_sum(uint32_t value)
{
#if defined(GPURED_EMULATED) || __CUDA_ARCH__ >= 800
	return __reduce_add_sync(ALL_LANES, value);
#else
#pragma unroll
	for (int mask = WARP / 2; mask > 0; mask /= 2)
		value += __shfl_xor_sync(ALL_LANES, value, mask);
	return value;
#endif
}

static __device__ __forceinline__ uint32_t
warp_max(uint32_t value)
{
#if defined(GPURED_EMULATED) || __CUDA_ARCH__ >= 800
	return __reduce_max_sync(ALL_LANES, value);
#else
#pragma unroll
	for (int mask = WARP / 2; mask > 0; mask /= 2)
	{
		uint32_t other = __shfl_xor_sync(ALL_LANES, value, mask);

		value = other > value ? other : value;
	}
	return value;
#endif
}

static __device__ __forceinline__ uint32_t
warp_or(uint32_t value)
{
#if defined(GPURED_EMULATED) || __CUDA_ARCH__ >= 800
	return __reduce_or_sync(ALL_LANES, value);
#else
#pragma unroll
	for (int mask = WARP / 2; mask > 0; mask /= 2)
		value |= __shfl_xor_sync(ALL_LANES, value, mask);
	return value;
#endif
}

#endif /* GPURED_WARP_REDUCE_CUH */

/*
 * warp_scan.cuh
 *	  Inclusive scan of one value a lane, by shuffles (Hillis and Steele).
 *
 * In step k each lane adds the value of the lane 2^k below it: after five
 * steps lane i has the sum of lanes 0 .. i.  The operands stay in order, so an
 * operator that is only associative will do.
 *
 * Source: W. D. Hillis and G. L. Steele, "Data parallel algorithms", 1986.
 */
#ifndef GPURED_WARP_SCAN_CUH
#define GPURED_WARP_SCAN_CUH

#include "cuda.cuh"

template <class T>
static __device__ __forceinline__ T
warp_shuffle_up(T value, int distance)
{
	constexpr int WORDS = sizeof(T) / 4;
	uint32_t word[WORDS];

	static_assert(sizeof(T) % 4 == 0, "whole words only");
	memcpy(word, &value, sizeof(T));
#pragma unroll
	for (int i = 0; i < WORDS; i++)
		word[i] = __shfl_up_sync(ALL_LANES, word[i], distance);
	memcpy(&value, word, sizeof(T));
	return value;
}

/* The value of lane "lane", for all. */
template <class T>
static __device__ __forceinline__ T
warp_broadcast(T value, int lane)
{
	constexpr int WORDS = sizeof(T) / 4;
	uint32_t word[WORDS];

	static_assert(sizeof(T) % 4 == 0, "whole words only");
	memcpy(word, &value, sizeof(T));
#pragma unroll
	for (int i = 0; i < WORDS; i++)
		word[i] = __shfl_sync(ALL_LANES, word[i], lane);
	memcpy(&value, word, sizeof(T));
	return value;
}

template <class Op>
static __device__ __forceinline__ typename Op::State
warp_scan(typename Op::State state)
{
#pragma unroll
	for (int distance = 1; distance < WARP; distance *= 2)
	{
		const typename Op::State below = warp_shuffle_up(state, distance);

		if (lane_id() >= distance)
			state = Op::combine(below, state);
	}
	return state;
}

#endif /* GPURED_WARP_SCAN_CUH */

/*
 * moments_int.cuh
 *	  Operators of grid_reduce.cuh for the sums of integers and of their squares.
 *
 * A thread's state is only as wide as the sums of a batch of its type can get;
 * in the accumulator all types are the same.  They are combined in any order.
 */
#ifndef GPURED_MOMENTS_INT_CUH
#define GPURED_MOMENTS_INT_CUH

#include "operators.cuh"

/* 2^32 squares of int2, 2^30 at most, fit into 64 bits. */
struct MomentsInt2
{
	typedef int16_t Value;
	struct State
	{
		int64_t sum;
		uint64_t square;
	};
	static constexpr bool commutative = true;

	static __device__ __forceinline__ State identity() { return State{0, 0}; }
	static __device__ __forceinline__ Value neutral() { return 0; }
	static __device__ __forceinline__ State lift(Value v)
	{
		return State{v, (uint64_t) (uint32_t) ((int32_t) v * v)};
	}
	static __device__ __forceinline__ State combine(State a, State b)
	{
		return State{a.sum + b.sum, a.square + b.square};
	}
	static __device__ __forceinline__ void store(GpuredAcc *acc, State s)
	{
		acc->v.ints = GpuredIntMoments{{(uint64_t) s.sum, s.sum >> 63}, {s.square, 0, 0}};
	}
};

/* Squares of int4 have 63 bits. */
struct MomentsInt4
{
	typedef int32_t Value;
	struct State
	{
		int64_t sum;
		uint64_t square[2];
		uint64_t unused;
	};
	static constexpr bool commutative = true;

	static __device__ __forceinline__ State identity() { return State{0, {0, 0}, 0}; }
	static __device__ __forceinline__ Value neutral() { return 0; }
	static __device__ __forceinline__ State lift(Value v)
	{
		return State{v, {(uint64_t) ((int64_t) v * v), 0}, 0};
	}
	static __device__ __forceinline__ State combine(State a, State b)
	{
		State s;

		s.sum = a.sum + b.sum;
		s.square[0] = a.square[0] + b.square[0];
		s.square[1] = a.square[1] + b.square[1] + (s.square[0] < b.square[0]);
		s.unused = 0;
		return s;
	}
	static __device__ __forceinline__ void store(GpuredAcc *acc, State s)
	{
		acc->v.ints =
			GpuredIntMoments{{(uint64_t) s.sum, s.sum >> 63}, {s.square[0], s.square[1], 0}};
	}
};

/* Squares of int8 have 127 bits. */
struct MomentsInt8
{
	typedef int64_t Value;
	typedef GpuredIntMoments State;
	static constexpr bool commutative = true;

	static __device__ __forceinline__ State identity() { return State{{0, 0}, {0, 0, 0}}; }
	static __device__ __forceinline__ Value neutral() { return 0; }

	/* The square of the magnitude, from its halves. */
	static __device__ __forceinline__ State lift(Value v)
	{
		const uint64_t sign = (uint64_t) (v >> 63);
		const uint64_t size = ((uint64_t) v ^ sign) - sign;
		const uint64_t low = (uint32_t) size, high = size >> 32;
		const uint64_t middle = low * high;
		const uint64_t lowest = low * low + (middle << 33);

		return State{{(uint64_t) v, v >> 63},
					 {lowest, high * high + (middle >> 31) + (lowest < (middle << 33)), 0}};
	}
	static __device__ __forceinline__ State combine(State a, State b)
	{
		State s;
		uint64_t carry;

		s.sum = SumInt128::combine(a.sum, b.sum);
		s.square[0] = a.square[0] + b.square[0];
		carry = s.square[0] < b.square[0];
		s.square[1] = a.square[1] + b.square[1];
		s.square[2] = a.square[2] + b.square[2] + (s.square[1] < b.square[1]);
		s.square[1] += carry;
		s.square[2] += s.square[1] < carry;
		return s;
	}
	static __device__ __forceinline__ void store(GpuredAcc *acc, State s) { acc->v.ints = s; }
};

#endif /* GPURED_MOMENTS_INT_CUH */

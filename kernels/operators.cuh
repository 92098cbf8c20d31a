/*
 * operators.cuh
 *	  What a reduction combines: sums of integers, counts, least and greatest
 *	  values, and, or and exclusive or.
 *
 * An operator has the type it reads (Value), the type it keeps (State), and
 *		identity()		the neutral state
 *		neutral()		a value that changes no state, to fill up a tile
 *		lift(value)		a state of one value
 *		combine(a, b)	associative
 *		commutative		whether combine(a, b) is combine(b, a) as well
 *		combine_atomically(to, s)	the same in memory, by many threads at once;
 *						the state there is whole when all of them are done
 *		store(acc, s)	into the accumulator of device.h
 *
 * A scan keeps the order of values and asks for associativity alone; a
 * reduction combines them in any order and demands a commutative operator.
 *
 * Floats are compared as integers: a float's bits, with those of negative
 * numbers turned around, are in the float's order, -0 before +0, and NaN is
 * moved to the top, where PostgreSQL has it.  An integer maximum then settles
 * NaN and signed zeros without a special case.
 */
#ifndef GPURED_OPERATORS_CUH
#define GPURED_OPERATORS_CUH

#include <type_traits>

#include "cuda.cuh"
#include "device/device.h"

/* Sums of a batch of 16- or 32-bit integers fit into 64 bits. */
template <class T>
struct SumInt64
{
	typedef T Value;
	typedef int64_t State;
	static constexpr bool commutative = true;

	static __host__ __device__ __forceinline__ State identity() { return 0; }
	static __device__ __forceinline__ Value neutral() { return 0; }
	static __host__ __device__ __forceinline__ State lift(Value v) { return v; }
	static __host__ __device__ __forceinline__ State combine(State a, State b) { return a + b; }
	static __device__ __forceinline__ void combine_atomically(State *to, State s)
	{
		atomicAdd(reinterpret_cast<unsigned long long *>(to), (unsigned long long) s);
	}
	static __device__ __forceinline__ State load(const GpuredAcc *acc) { return acc->v.i64; }
	static __device__ __forceinline__ void store(GpuredAcc *acc, State s) { acc->v.i64 = s; }
};

struct SumInt128
{
	typedef int64_t Value;
	typedef GpuredInt128 State;
	static constexpr bool commutative = true;

	static __host__ __device__ __forceinline__ State identity() { return State{0, 0}; }
	static __device__ __forceinline__ Value neutral() { return 0; }
	static __host__ __device__ __forceinline__ State lift(Value v)
	{
		return State{(uint64_t) v, v >> 63};
	}
	static __host__ __device__ __forceinline__ State combine(State a, State b)
	{
		State sum;

		sum.lo = a.lo + b.lo;
		sum.hi = (int64_t) ((uint64_t) a.hi + (uint64_t) b.hi + (sum.lo < b.lo));
		return sum;
	}
	/* Two additions: the carry is known from what the first returns. */
	static __device__ __forceinline__ void combine_atomically(State *to, State s)
	{
		const uint64_t before =
			atomicAdd(reinterpret_cast<unsigned long long *>(&to->lo), (unsigned long long) s.lo);
		const uint64_t high = (uint64_t) s.hi + (before + s.lo < s.lo);

		if (high != 0)
			atomicAdd(reinterpret_cast<unsigned long long *>(&to->hi), (unsigned long long) high);
	}
	static __device__ __forceinline__ State load(const GpuredAcc *acc) { return acc->v.i128; }
	static __device__ __forceinline__ void store(GpuredAcc *acc, State s) { acc->v.i128 = s; }
};

/* How many values there are, whatever they are. */
template <class T>
struct Count : SumInt64<T>
{
	static __host__ __device__ __forceinline__ int64_t lift(T) { return 1; }
};

/* The type whose atomics serve a 32-bit or 64-bit key. */
template <class Key>
using AtomicKey = typename std::conditional<sizeof(Key) == 8, long long, int>::type;

/* The integer type whose order is that of T (32 bits at least), and the way there and back. */
template <class T>
struct Ordered
{
	typedef decltype(T() + 0) Key;

	static constexpr Key LEAST = (T) ((uint64_t) 1 << (8 * sizeof(T) - 1));
	static constexpr Key GREATEST = ~LEAST;

	static __host__ __device__ __forceinline__ Key key(T v) { return v; }
	static __device__ __forceinline__ T value(Key k) { return (T) k; }
	static __device__ __forceinline__ void store(GpuredAcc *acc, Key k) { acc->v.i64 = k; }
};

template <class Float, class Bits, class Unsigned>
struct OrderedFloat
{
	typedef Bits Key;

	static constexpr Key LEAST = (Key) ((Unsigned) 1 << (8 * sizeof(Float) - 1));
	static constexpr Key GREATEST = ~LEAST;

	static __host__ __device__ __forceinline__ Key turn(Key k)
	{
		return k ^ ((k >> (8 * sizeof(Key) - 1)) & GREATEST);
	}
	static __host__ __device__ __forceinline__ Key key(Float v)
	{
		Key k;

		memcpy(&k, &v, sizeof(k));
		return v != v ? GREATEST : turn(k);
	}
	static __device__ __forceinline__ Float value(Key k)
	{
		Float v;

		k = turn(k);
		memcpy(&v, &k, sizeof(v));
		return v;
	}
	/* PostgreSQL's own NaN has only the first bit of the fraction set. */
	static __device__ __forceinline__ void store(GpuredAcc *acc, Key k)
	{
		const uint64_t nan = 0x7ff8000000000000u;

		if (k == GREATEST)
			memcpy(&acc->v.f8, &nan, sizeof(nan));
		else
			acc->v.f8 = value(k);
	}
};

template <>
struct Ordered<float> : OrderedFloat<float, int32_t, uint32_t>
{
};

template <>
struct Ordered<double> : OrderedFloat<double, int64_t, uint64_t>
{
};

template <class T>
struct Least
{
	typedef T Value;
	typedef typename Ordered<T>::Key State;
	static constexpr bool commutative = true;

	static __host__ __device__ __forceinline__ State identity() { return Ordered<T>::GREATEST; }
	static __device__ __forceinline__ Value neutral()
	{
		return Ordered<T>::value(Ordered<T>::GREATEST);
	}
	static __host__ __device__ __forceinline__ State lift(Value v) { return Ordered<T>::key(v); }
	static __host__ __device__ __forceinline__ State combine(State a, State b)
	{
		return b < a ? b : a;
	}
	static __device__ __forceinline__ void combine_atomically(State *to, State s)
	{
		atomicMin(reinterpret_cast<AtomicKey<State> *>(to), (AtomicKey<State>) s);
	}
	static __device__ __forceinline__ void store(GpuredAcc *acc, State s)
	{
		Ordered<T>::store(acc, s);
	}
};

/*
 * No value but a float's own NaN of the lowest bits has the least key, and key()
 * moves that one: the neutral value must not be lifted, so it is -Infinity.
 */
template <class T>
static __device__ __forceinline__ T
greatest_neutral()
{
	return Ordered<T>::LEAST;
}

template <>
__device__ __forceinline__ float
greatest_neutral<float>()
{
	return -__int_as_float(0x7f800000);
}

template <>
__device__ __forceinline__ double
greatest_neutral<double>()
{
	return -__longlong_as_double(0x7ff0000000000000);
}

template <class T>
struct Greatest
{
	typedef T Value;
	typedef typename Ordered<T>::Key State;
	static constexpr bool commutative = true;

	static __host__ __device__ __forceinline__ State identity() { return Ordered<T>::LEAST; }
	static __device__ __forceinline__ Value neutral() { return greatest_neutral<T>(); }
	static __host__ __device__ __forceinline__ State lift(Value v) { return Ordered<T>::key(v); }
	static __host__ __device__ __forceinline__ State combine(State a, State b)
	{
		return b > a ? b : a;
	}
	static __device__ __forceinline__ void combine_atomically(State *to, State s)
	{
		atomicMax(reinterpret_cast<AtomicKey<State> *>(to), (AtomicKey<State>) s);
	}
	static __device__ __forceinline__ void store(GpuredAcc *acc, State s)
	{
		Ordered<T>::store(acc, s);
	}
};

/* Bits of integers; a state is 32 bits at least, for the sake of shuffles. */
template <class T>
struct BitOperator
{
	typedef T Value;
	typedef typename Ordered<T>::Key State;
	static constexpr bool commutative = true;

	static __host__ __device__ __forceinline__ State lift(Value v) { return v; }
	static __device__ __forceinline__ void store(GpuredAcc *acc, State s) { acc->v.i64 = s; }
};

template <class T>
struct BitAnd : BitOperator<T>
{
	typedef typename BitOperator<T>::State State;

	static __host__ __device__ __forceinline__ State identity() { return ~State(0); }
	static __device__ __forceinline__ T neutral() { return (T) ~T(0); }
	static __host__ __device__ __forceinline__ State combine(State a, State b) { return a & b; }
	static __device__ __forceinline__ void combine_atomically(State *to, State s)
	{
		atomicAnd(reinterpret_cast<AtomicKey<State> *>(to), (AtomicKey<State>) s);
	}
};

template <class T>
struct BitOr : BitOperator<T>
{
	typedef typename BitOperator<T>::State State;

	static __host__ __device__ __forceinline__ State identity() { return 0; }
	static __device__ __forceinline__ T neutral() { return 0; }
	static __host__ __device__ __forceinline__ State combine(State a, State b) { return a | b; }
	static __device__ __forceinline__ void combine_atomically(State *to, State s)
	{
		atomicOr(reinterpret_cast<AtomicKey<State> *>(to), (AtomicKey<State>) s);
	}
};

template <class T>
struct BitXor : BitOperator<T>
{
	typedef typename BitOperator<T>::State State;

	static __host__ __device__ __forceinline__ State identity() { return 0; }
	static __device__ __forceinline__ T neutral() { return 0; }
	static __host__ __device__ __forceinline__ State combine(State a, State b) { return a ^ b; }
	static __device__ __forceinline__ void combine_atomically(State *to, State s)
	{
		atomicXor(reinterpret_cast<AtomicKey<State> *>(to), (AtomicKey<State>) s);
	}
};

#endif /* GPURED_OPERATORS_CUH */

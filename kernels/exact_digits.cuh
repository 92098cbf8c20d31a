/*
 * exact_digits.cuh
 *	  Exact sums as three digits on fixed grids, for scans, which need the sum of
 *	  any neighbours: their arithmetic, and how a sum is rounded.
 *
 * A sum is three digits in units of 2^unit > 2^(unit - 48) > 2^(unit - 96).  Each is
 * an integer of 64 bits, so that some hundred sums can be added, or scanned by a warp,
 * digit by digit; then what is beyond half a unit of the digit above moves there.
 * The third digit is only scanned if it is in use.
 *
 * That a sum has left the first digit, or has lost something below the third, is known
 * by its flags: who wants it exactly then goes another way.
 *
 * Values are cut into digits as in exact_window.cuh, which has the source.
 */
#ifndef GPURED_EXACT_DIGITS_CUH
#define GPURED_EXACT_DIGITS_CUH

#include "exact_block.cuh"
#include "operators.cuh"
#include "warp_scan.cuh"

constexpr int RING_DIGITS = 3;
constexpr int RING_DIGIT_BITS = 48;

/* Flags of a state, beyond those of exact.h. */
constexpr uint32_t RING_SPECIALS = GPURED_EXACT_NAN | GPURED_EXACT_PINF | GPURED_EXACT_NINF;
constexpr uint32_t RING_SEEN = GPURED_EXACT_NOT_NEGZERO;
constexpr uint32_t RING_BAD = 16;     /* a value was too large, or the sum */
constexpr uint32_t RING_INEXACT = 32; /* something is below the third digit */
constexpr uint32_t RING_REST = 64;    /* the third digit is in use */
constexpr uint32_t RING_READY = 128;  /* in a published word */
constexpr uint32_t RING_SINGLE = 128; /* of a stretch: one integer does for its values */

struct RingState
{
	int64_t digit[RING_DIGITS]; /* but the first, between -2^47 and 2^47 */
	uint32_t flags;
	uint32_t unused;
};

/* |prefix| < 2^TOP_BITS units; those of values leave two bits of that, and sums of tiles one more.
 */
constexpr int RING_TOP_BITS = 50;
constexpr int RING_VALUE_BITS = RING_TOP_BITS - 2;
constexpr int RING_GAP_BITS = RING_TOP_BITS + 1;

/* Move what is beyond half a unit of the digit above. */
static __device__ __forceinline__ void
ring_normalize(int64_t *digit)
{
#pragma unroll
	for (int d = RING_DIGITS - 1; d > 0; d--)
	{
		const int64_t over = (digit[d] + ((int64_t) 1 << (RING_DIGIT_BITS - 1))) >> RING_DIGIT_BITS;

		digit[d] -= (int64_t) ((uint64_t) over << RING_DIGIT_BITS);
		digit[d - 1] += over;
	}
}

/* The sum of all lanes' numbers below 2^62, in all lanes: pieces whose sums fit a word. */
static __device__ __forceinline__ int64_t
ring_warp_sum(int64_t k)
{
	const uint32_t low = warp_sum((uint32_t) (k & 0x3fffff));
	const uint32_t middle = warp_sum((uint32_t) (k >> 22 & 0x3fffff));
	const int32_t high = (int32_t) warp_sum((uint32_t) (int32_t) (k >> 44));

	return (int64_t) low + ((int64_t) middle << 22) + (int64_t) ((uint64_t) (int64_t) high << 44);
}

/* Sums, as scans combine them. */
struct RingDigits
{
	typedef RingState State;

	static __device__ __forceinline__ State identity() { return State{{0, 0, 0}, 0, 0}; }

	static __device__ __forceinline__ bool fits(int64_t k, int bits)
	{
		return (uint64_t) (k + ((int64_t) 1 << bits)) <= (uint64_t) 2 << bits;
	}

	/* The sum of sums of tiles. */
	static __device__ __forceinline__ State combine(const State &a, const State &b)
	{
		return add(a, b, RING_GAP_BITS);
	}

	/* Totals of some hundred tiles fit a digit as they are. */
	static __device__ __forceinline__ State gather(State a, const State &b)
	{
#pragma unroll
		for (int d = 0; d < RING_DIGITS; d++)
			a.digit[d] += b.digit[d];
		a.flags |= b.flags;
		return a;
	}
	static __device__ __forceinline__ State gather_warp(State s)
	{
		s.flags = warp_or(s.flags);
#pragma unroll
		for (int d = 0; d < RING_DIGITS; d++)
			if (d < RING_DIGITS - 1 || (s.flags & RING_REST) != 0)
				s.digit[d] = ring_warp_sum(s.digit[d]);
		return s;
	}

	/* What is before a tile, and the sum of tiles that follow. */
	static __device__ __forceinline__ State advance(const State &a, const State &b)
	{
		return add(a, b, RING_TOP_BITS + 1);
	}

	/* A sum that is too large is bad for good, and no longer counts. */
	static __device__ __forceinline__ State add(State a, const State &b, int bits)
	{
#pragma unroll
		for (int d = 0; d < RING_DIGITS; d++)
			a.digit[d] += b.digit[d];
		a.flags |= b.flags;
		ring_normalize(a.digit);
		if (a.digit[RING_DIGITS - 1] != 0)
			a.flags |= RING_REST;
		if (!fits(a.digit[0], bits))
		{
			a.digit[0] = 0;
			a.flags |= RING_BAD;
		}
		return a;
	}

	static __device__ __forceinline__ State scan_warp(State s)
	{
		s = scan_digits(s, warp_or(s.flags));
#pragma unroll
		for (int distance = 1; distance < WARP; distance *= 2)
		{
			const uint32_t below = warp_shuffle_up(s.flags, distance);

			if (lane_id() >= distance)
				s.flags |= below;
		}
		return s;
	}

	/* The third digit only if it is in use, by the flags of all lanes. */
	static __device__ __forceinline__ State scan_digits(State s, uint32_t flags)
	{
#pragma unroll
		for (int d = 0; d < RING_DIGITS; d++)
			if (d < RING_DIGITS - 1 || (flags & RING_REST) != 0)
				s.digit[d] = warp_scan<SumInt64<int32_t>>(s.digit[d]);
		return s;
	}
};

/* What is compared for the size of a number: all of a float4, the upper half of a float8. */
static __device__ __forceinline__ uint32_t
ring_size(double x)
{
	return (uint32_t) __double2hiint(x) & 0x7fffffff;
}

static __device__ __forceinline__ uint32_t
ring_size(float x)
{
	return (uint32_t) __float_as_int(x) & 0x7fffffff;
}

template <class T>
struct RingFormat;

template <>
struct RingFormat<double>
{
	static constexpr int PRECISION = 53;
	static constexpr bool SINGLE = false;

	/* The size of 2^e, which is a normal number. */
	static __device__ __forceinline__ uint32_t size(int e) { return (uint32_t) (e + 1023) << 20; }

	/* a + b, rounded once. */
	static __device__ __forceinline__ double add(double a, double b) { return a + b; }

	/* No more and no less than the exact sum, rounded. */
	static __device__ __forceinline__ double least(double a, double b) { return a + b; }
	static __device__ __forceinline__ double greatest(double a, double b) { return a + b; }

	/* Not zero if they are not the same. */
	static __device__ __forceinline__ uint64_t difference(double a, double b)
	{
		return (uint64_t) (__double_as_longlong(a) ^ __double_as_longlong(b));
	}
};

template <>
struct RingFormat<float>
{
	static constexpr int PRECISION = 24;

	/* An integer of 64 bits can be rounded to it in one step. */
	static constexpr bool SINGLE = true;

	/* The size of the least number that is not below 2^e, or of infinity. */
	static __device__ __forceinline__ uint32_t size(int e)
	{
		return e > 127     ? 0x7f800000
			   : e >= -126 ? (uint32_t) (e + 127) << 23
						   : 1u << (e < -149 ? 0 : e + 149);
	}

	/* Rounded to odd first: so long a float8 knows on which side of a float4 the sum is. */
	static __device__ __forceinline__ float add(double a, double b)
	{
		const double down = __dadd_rd(a, b), up = __dadd_ru(a, b);

		return (float) ((__double2loint(down) & 1) != 0 ? down : up);
	}

	static __device__ __forceinline__ float least(double a, double b)
	{
		return (float) __dadd_rd(a, b);
	}
	static __device__ __forceinline__ float greatest(double a, double b)
	{
		return (float) __dadd_ru(a, b);
	}
	static __device__ __forceinline__ uint32_t difference(float a, float b)
	{
		return (uint32_t) (__float_as_int(a) ^ __float_as_int(b));
	}
};

/* A prefix that is not a finite sum, or nothing but -0. */
template <class T>
static __device__ __forceinline__ T
ring_settle(uint32_t flags)
{
	if ((flags & GPURED_EXACT_NAN) != 0 ||
		(flags & RING_SPECIALS) == (GPURED_EXACT_PINF | GPURED_EXACT_NINF))
		return (T) __longlong_as_double(0x7ff8000000000000);
	if ((flags & GPURED_EXACT_PINF) != 0)
		return (T) __longlong_as_double(0x7ff0000000000000);
	if ((flags & GPURED_EXACT_NINF) != 0)
		return (T) -__longlong_as_double(0x7ff0000000000000);
	return -T(0);
}

#endif /* GPURED_EXACT_DIGITS_CUH */

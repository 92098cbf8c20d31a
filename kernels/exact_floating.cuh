/*
 * exact_floating.cuh
 *	  Exact sums whose digits go up with the largest value: for data of which
 *	  nothing is known beforehand.
 *
 * A sum is three digits of 48 bits.  Digits lie on one grid for all sums: its
 * level says which three they are, those of units 2^(48 level - 1074) and of the
 * two digits below it.  So sums of different levels are added by moving whole digits.  A
 * sum is at the level of the largest value that it has met, or one above; what
 * would be below its third digit is left out, and counted in "error", in units of
 * that digit.  Of the sum's 97 bits or more rounding wants 53: it is right if both
 * ends of the range round alike.
 *
 * Values are cut into digits by adding magic numbers, as in exact_window.cuh.
 */
#ifndef GPURED_EXACT_FLOATING_CUH
#define GPURED_EXACT_FLOATING_CUH

#include "exact_digits.cuh"

constexpr int FLOATING_DIGITS = 3;
constexpr int FLOATING_BITS = 48;

/* Levels whose magic numbers are finite and normal. */
constexpr int FLOATING_LOWEST = 2;
constexpr int FLOATING_HIGHEST = 42;

/* Flags of a sum, beyond those of exact.h. */
constexpr uint32_t FLOATING_STARTS = 16; /* a segment starts in it */
constexpr uint32_t FLOATING_BAD = 32;    /* something is too large for the highest level */
constexpr uint32_t FLOATING_SEEN = GPURED_EXACT_NOT_NEGZERO;

struct FloatingSum
{
	int64_t digit[FLOATING_DIGITS]; /* the highest first; from -2^48, the others -2^47, to that */
	uint64_t error;                 /* in units of the last digit */
	int32_t level;
	uint32_t flags;
};

/* The exponent of digit d's unit. */
static __device__ __forceinline__ int
floating_unit(int level, int d)
{
	return FLOATING_BITS * (level - d) - 1074;
}

/* The level for values of an exponent field up to this: they are below 2^47 units. */
static __device__ __forceinline__ int
floating_level(uint32_t field)
{
	const int level = ((int) field + 52) / FLOATING_BITS;

	return level < FLOATING_LOWEST ? FLOATING_LOWEST : level;
}

/* The same for a size of exact_digits.cuh. */
template <class T>
static __device__ __forceinline__ int
floating_level_of(uint32_t size)
{
	return floating_level(sizeof(T) == 8 ? size >> 20
										 : (uint32_t) exponent_field(__int_as_float((int) size)));
}

template <class T>
struct FloatingGrid
{
	double magic[FLOATING_DIGITS];
	uint32_t bound; /* sizes of values are below */

	explicit __device__ __forceinline__ FloatingGrid(int level)
	{
#pragma unroll
		for (int d = 0; d < FLOATING_DIGITS; d++)
			magic[d] = 1.5 * power_of_two(floating_unit(level, d) + 52);
		bound = RingFormat<T>::size(floating_unit(level, 0) + FLOATING_BITS - 1);
	}

	/* Digit d of x, as a number; x is left with what is below. */
	__device__ __forceinline__ double cut(double &x, int d) const
	{
		const double digit = (x + magic[d]) - magic[d];

		x = x - digit;
		return digit;
	}

	/* |k| < 2^51 */
	__device__ __forceinline__ double to_double(int64_t k, int d) const
	{
		return __longlong_as_double(k + __double_as_longlong(magic[d])) - magic[d];
	}
};

/* What an error becomes at a higher level, where digits have been left out. */
static __device__ __forceinline__ uint64_t
floating_error(uint64_t error, bool left_out)
{
	return error == 0 && !left_out ? 0 : (error >> FLOATING_BITS) + 3;
}

static __device__ __forceinline__ void
floating_raise(FloatingSum &s, int level)
{
	const int by = level - s.level;
	const int64_t zero = 0;

	if (by == 0)
		return;
	s.error = floating_error(
		s.error, (s.digit[2] | (by > 1 ? s.digit[1] : zero) | (by > 2 ? s.digit[0] : zero)) != 0);
	s.digit[2] = by == 1 ? s.digit[1] : by == 2 ? s.digit[0] : zero;
	s.digit[1] = by == 1 ? s.digit[0] : zero;
	s.digit[0] = 0;
	s.level = level;
}

/* After an addition: a digit in its range, the sum at a level that has room for it. */
static __device__ __forceinline__ void
floating_normalize(FloatingSum &s)
{
	ring_normalize(s.digit);
	if ((uint64_t) (s.digit[0] + ((int64_t) 1 << FLOATING_BITS)) <= (uint64_t) 2 << FLOATING_BITS)
		return;
	floating_raise(s, s.level + 1);
	ring_normalize(s.digit);
	if (s.level > FLOATING_HIGHEST)
	{
		s.level = FLOATING_HIGHEST;
		s.digit[0] = s.digit[1] = s.digit[2] = 0;
		s.flags |= FLOATING_BAD;
	}
}

/* The sums of segments, as an operator: b follows a. */
struct AddFloating
{
	typedef FloatingSum State;
	static constexpr bool commutative = false;

	static __device__ __forceinline__ State identity()
	{
		return State{{0, 0, 0}, 0, FLOATING_LOWEST, 0};
	}
	static __device__ __forceinline__ State combine(State a, State b)
	{
		const int level = a.level > b.level ? a.level : b.level;

		if ((b.flags & FLOATING_STARTS) != 0)
			return b;
		floating_raise(a, level);
		floating_raise(b, level);
#pragma unroll
		for (int d = 0; d < FLOATING_DIGITS; d++)
			a.digit[d] += b.digit[d];
		a.error += b.error;
		a.flags |= b.flags;
		floating_normalize(a);
		return a;
	}
};

/*
 * A sum as numbers, to which values are added one after the other: some tens of
 * them, before digits no longer fit 53 bits.
 */
template <class T>
struct FloatingPrefix
{
	typedef RingFormat<T> Format;
	FloatingGrid<T> grid;
	double high, low, rest;
	uint64_t error;
	int level;
	uint32_t flags;

	explicit __device__ __forceinline__ FloatingPrefix(const FloatingSum &s)
		: grid(s.level), high(grid.to_double(s.digit[0], 0)), low(grid.to_double(s.digit[1], 1)),
		  rest(grid.to_double(s.digit[2], 2)), error(s.error), level(s.level), flags(s.flags)
	{
	}

	__device__ __forceinline__ void clear()
	{
		high = low = rest = 0;
		error = 0;
		flags = 0;
		level = FLOATING_LOWEST;
		grid = FloatingGrid<T>(level);
	}

	/* As floating_raise, but digits have up to 53 bits: more is left out. */
	__device__ __forceinline__ void raise(int to)
	{
		const int by = to - level;
		const bool left_out = rest != 0 || (by > 1 && low != 0) || (by > 2 && high != 0);

		error = floating_error(error, left_out) + (left_out ? 64 : 0);
		rest = by == 1 ? low : by == 2 ? high : 0;
		low = by == 1 ? high : 0;
		high = 0;
		level = to;
		grid = FloatingGrid<T>(level);
	}

	__device__ __forceinline__ void add(T value)
	{
		double x = (double) value;

		if (not_negative_zero(value) != 0)
			flags |= FLOATING_SEEN;
		if (!(ring_size(value) < grid.bound))
		{
			const int wanted = floating_level((uint32_t) exponent_field(x));

			if (exponent_field(x) == SPECIAL_FIELD)
			{
				flags |= special_flag(x);
				return;
			}
			if (wanted > FLOATING_HIGHEST)
			{
				flags |= FLOATING_BAD;
				return;
			}
			raise(wanted);
		}
		high += grid.cut(x, 0);
		low += grid.cut(x, 1);
		rest += grid.cut(x, 2);
		error += x != 0;
	}

	/* The prefix, rounded once; false if it is not known well enough. */
	__device__ __forceinline__ bool round(T *result) const
	{
		/* high + low = sum + carried; then what is below, rounded to odd or as a range. */
		const double sum = high + low;
		const double carried = low - (sum - high);
		const double range =
			(double) error * power_of_two_or_least(floating_unit(level, FLOATING_DIGITS - 1));
		const double down = __dadd_rd(carried, __dadd_rd(rest, -range));
		const double up = __dadd_ru(carried, __dadd_ru(rest, range));
		T least, greatest;

		if ((flags & (RING_SPECIALS | FLOATING_SEEN)) != FLOATING_SEEN)
		{
			*result = ring_settle<T>(flags);
			return true;
		}
		if (error == 0)
		{
			*result = Format::add(sum, (__double2loint(down) & 1) != 0 ? down : up);
			return (flags & FLOATING_BAD) == 0;
		}
		least = Format::add(sum, down);
		greatest = Format::add(sum, up);
		*result = greatest;
		return (flags & FLOATING_BAD) == 0 && Format::difference(least, greatest) == 0;
	}

	/* 2^exponent, which may be the smallest subnormal. */
	static __device__ __forceinline__ double power_of_two_or_least(int exponent)
	{
		return exponent < -1022 ? __longlong_as_double((long long) 1 << (exponent + 1074))
								: power_of_two(exponent);
	}
};

/* high + low + rest, rounded once. */
template <class T>
static __device__ __forceinline__ T
floating_round(double high, double low, double rest)
{
	const double sum = high + low;
	const double carried = low - (sum - high);
	const double down = __dadd_rd(carried, rest), up = __dadd_ru(carried, rest);

	return RingFormat<T>::add(sum, (__double2loint(down) & 1) != 0 ? down : up);
}

#endif /* GPURED_EXACT_FLOATING_CUH */

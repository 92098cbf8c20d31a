/*
 * reference.h
 *	  Exact sums the plain way, to compare with: one long integer, bit by bit.
 *
 * Shares no code with what is tested.  The integer is two's complement, in
 * digits of 32 bits, in units of 2^-1100.
 */
#ifndef GPURED_TEST_REFERENCE_H
#define GPURED_TEST_REFERENCE_H

#include <cmath>
#include <cstdint>
#include <cstring>

#include "exact/exact.h"
#include "test/kernels/same.h"

struct Reference
{
	static constexpr int DIGITS = 76;
	static constexpr int UNIT = -1100;
	uint32_t digit[DIGITS] = {};
	bool nan = false, plus = false, minus = false, not_negzero = false;

	/* += k * 2^bit units */
	void add_integer(int64_t k, int bit)
	{
		__int128 carry = 0;
		const __int128 shifted = (__int128) k * ((__int128) 1 << bit % 32);

		for (int j = bit / 32, i = 0; j < DIGITS; j++, i++)
		{
			/* Beyond its 128 bits, k is its sign. */
			const uint32_t part = i < 4   ? (uint32_t) (shifted >> (32 * i))
								  : k < 0 ? 0xffffffffu
										  : 0;

			carry += (__int128) digit[j] + part;
			digit[j] = (uint32_t) carry;
			carry >>= 32;

			/* The rest would add nothing. */
			if (i >= 4 && carry == (k < 0))
				break;
		}
	}

	void add(double x)
	{
		int exponent;
		double fraction;

		if (!(x == 0 && std::signbit(x)))
			not_negzero = true;
		if (std::isnan(x))
			nan = true;
		else if (std::isinf(x))
			(x > 0 ? plus : minus) = true;
		else if (x != 0)
		{
			fraction = std::frexp(x, &exponent);
			int64_t k = (int64_t) std::ldexp(fraction, 53);

			exponent -= 53;
			while (exponent < -1074)
			{
				k /= 2; /* a subnormal: the bits are zero */
				exponent++;
			}
			add_integer(k, exponent - UNIT);
		}
	}

	bool negative() const { return digit[DIGITS - 1] >> 31 != 0; }

	bool zero() const
	{
		for (uint32_t d : digit)
			if (d != 0)
				return false;
		return true;
	}

	/* Rounded to "precision" bits, nearest-even, with the smallest value 2^least. */
	double round(int precision, int least, double biggest) const
	{
		Reference size = *this;
		int top = 32 * DIGITS - 1, last;
		double result = 0;
		bool half, rest = false;

		if (nan || (plus && minus))
			return NAN;
		if (plus || minus)
			return plus ? INFINITY : -INFINITY;
		if (zero())
			return not_negzero ? 0.0 : -0.0;
		if (negative())
		{
			for (uint32_t &d : size.digit)
				d = ~d;
			size.add_integer(1, 0);
		}
		while (size.digit[top / 32] == 0)
			top -= 32;
		while (!size.bit(top))
			top--;

		/* "last" is the lowest bit that the result has. */
		last = top - precision + 1;
		if (last < least - UNIT)
			last = least - UNIT;
		half = size.bit(last - 1);
		for (int i = 0; i < last - 1 && !rest;
			 i += i % 32 == 0 && i + 32 < last && size.digit[i / 32] == 0 ? 32 : 1)
			rest = size.bit(i);
		for (int i = top; i >= last; i--)
			result = 2 * result + size.bit(i);
		if (half && (rest || std::fmod(result, 2) != 0))
			result += 1;
		/* Twice, for the first factor alone could be out of range. */
		result = std::ldexp(std::ldexp(result, (last + UNIT) / 2), last + UNIT - (last + UNIT) / 2);
		if (result > biggest)
			result = INFINITY;
		return negative() ? -result : result;
	}

	bool bit(int i) const { return i >= 0 && (digit[i / 32] >> i % 32 & 1) != 0; }

	void round_to(double *x) const { *x = round(53, -1074, 0x1.fffffffffffffp1023); }
	void round_to(float *x) const { *x = (float) round(24, -149, 0x1.fffffep127); }

	uint32_t flags() const
	{
		return (nan ? GPURED_EXACT_NAN : 0) | (plus ? GPURED_EXACT_PINF : 0) |
			   (minus ? GPURED_EXACT_NINF : 0) | (not_negzero ? GPURED_EXACT_NOT_NEGZERO : 0);
	}

	/* From and to the accumulator of exact.h. */
	void load(const GpuredExact *x)
	{
		*this = Reference();
		for (int j = 0; j < GPURED_EXACT_LIMBS; j++)
			add_integer(x->limb[j], 32 * j);
		nan = (x->flags & GPURED_EXACT_NAN) != 0;
		plus = (x->flags & GPURED_EXACT_PINF) != 0;
		minus = (x->flags & GPURED_EXACT_NINF) != 0;
		not_negzero = (x->flags & GPURED_EXACT_NOT_NEGZERO) != 0;
	}

	void store(GpuredExact *x) const
	{
		for (int j = 0; j < GPURED_EXACT_LIMBS; j++)
			x->limb[j] = digit[j];
		x->limb[GPURED_EXACT_LIMBS - 1] = (int32_t) digit[GPURED_EXACT_LIMBS - 1];
		x->flags = flags();
		x->pending = 0;
	}

	/* The same sum?  Of special ones the finite part does not matter. */
	bool same(const Reference &other) const
	{
		const bool special = nan || plus || minus;
		const bool is_nan = nan || (plus && minus);

		if (special != (other.nan || other.plus || other.minus) || not_negzero != other.not_negzero)
			return false;
		if (special)
			return is_nan == (other.nan || (other.plus && other.minus)) &&
				   (is_nan || plus == other.plus);
		return memcmp(digit, other.digit, sizeof(digit)) == 0;
	}
};

/* A carry with bits far above and below ordinary values, a special one, or none. */
static inline Reference
reference_carry(int which)
{
	Reference sum;

	switch (which % 7)
	{
		case 1:
			sum.add(0x1p-100);
			sum.add(-3e30);
			break;
		case 2:
			sum.add(-0x1.8p-70);
			break;
		case 3:
			sum.add(1e20);
			sum.add(0x1p-120);
			break;
		case 4:
			sum.add(-0x1p100);
			sum.add(0x1p-900);
			break;
		case 5:
			sum.add(INFINITY);
			break;
		case 6:
			sum.add(-1234.5);
			break;
	}
	return sum;
}

/* The first prefix that is not the sum of what is before, rounded once; n if all are.  "sum" goes
 * on. */
template <class T>
static size_t
reference_prefixes(Reference *sum, const T *x, size_t n, const T *got)
{
	for (size_t i = 0; i < n; i++)
	{
		T want;

		sum->add(x[i]);
		sum->round_to(&want);
		if (!same_float(want, got[i]))
			return i;
	}
	return n;
}

#endif /* GPURED_TEST_REFERENCE_H */

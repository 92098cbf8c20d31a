/*
 * round.h
 *	  The one rounding of exact sums, to nearest-even, in integers.
 *
 * Shared by the superaccumulator (exact.c) and the prefix sums of the CPU
 * device.  A result is put together as the bits of its format, so that a carry
 * out of the mantissa becomes the next exponent by itself, also from subnormal
 * to normal and from the largest value to infinity.
 */
#ifndef GPURED_ROUND_H
#define GPURED_ROUND_H

#include "exact/exact.h"

#include <string.h>

/* A binary floating-point format, in bits of the grid of exact.h. */
typedef struct GpuredFormat
{
	int			mantissa_bits;	/* with the implicit one */
	int			lowest_bit;		/* the grid's bit of the smallest subnormal */
	uint64_t	infinity;		/* its bits */
} GpuredFormat;

static const GpuredFormat gpured_double_format =
{53, -1074 - GPURED_EXACT_BIT0, UINT64_C(0x7ff) << 52};
static const GpuredFormat gpured_float_format =
{24, -149 - GPURED_EXACT_BIT0, UINT64_C(0xff) << 23};

static inline double
gpured_double_from_bits(uint64_t bits)
{
	double		result;

	memcpy(&result, &bits, sizeof(result));
	return result;
}

static inline float
gpured_float_from_bits(uint32_t bits)
{
	float		result;

	memcpy(&result, &bits, sizeof(result));
	return result;
}

/*
 * Round m * 2^bit (on the grid) and a little more, if "sticky" says so, to the
 * nearest value of the format, to even if there are two.  m holds the leading
 * bits: either its bit 63 is set, or bit is 0.  Gives the bits of the
 * magnitude; infinity stands for all that is out of range.
 */
static inline uint64_t
gpured_round(uint64_t m, int bit, bool sticky, const GpuredFormat *format)
{
	int			lowest;
	int			drop;
	uint64_t	result;
	uint64_t	rest;			/* what is dropped, from bit 63 down */

	if (m == 0)
		return 0;
	lowest = bit + 64 - __builtin_clzll(m) - format->mantissa_bits;
	if (lowest < format->lowest_bit)
		lowest = format->lowest_bit;
	drop = lowest - bit;
	if (drop <= 0)
	{
		result = m << -drop;
		rest = 0;
	}
	else if (drop < 64)
	{
		result = m >> drop;
		rest = m << (64 - drop);
	}
	else
	{
		result = 0;
		rest = drop == 64 ? m : 1;
	}
	if (rest >> 63 && ((rest << 1) != 0 || sticky || (result & 1)))
		result++;
	result += (uint64_t) (lowest - format->lowest_bit) << (format->mantissa_bits - 1);
	return result < format->infinity ? result : format->infinity;
}

/* Whether inputs that are not finite numbers decide the sum; then *result is it. */
static inline bool
gpured_special_sum(uint32_t flags, double *result)
{
	const uint32_t both = GPURED_EXACT_PINF | GPURED_EXACT_NINF;

	/* the bits of PostgreSQL's own NaN */
	if ((flags & GPURED_EXACT_NAN) || (flags & both) == both)
		*result = gpured_double_from_bits(UINT64_C(0x7ff8) << 48);
	else if (flags & GPURED_EXACT_PINF)
		*result = gpured_double_from_bits(UINT64_C(0x7ff) << 52);
	else if (flags & GPURED_EXACT_NINF)
		*result = gpured_double_from_bits(UINT64_C(0xfff) << 52);
	else
		return false;
	return true;
}

#endif							/* GPURED_ROUND_H */

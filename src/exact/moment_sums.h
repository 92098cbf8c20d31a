/*
 * moment_sums.h
 *	  Exact sums of values, squares and products over the whole exponent range:
 *	  what a device makes of a batch for variances, correlations and regressions.
 *
 * Each sum is one integer in two's complement, in 64-bit digits, the lowest
 * first.  The grids are those of moments.h: a sum of values counts 2^-1100, a
 * sum of products 2^-2200.  So equal sums are equal bits, and merging is
 * addition with carry.  2^63 of the largest values, or products, fit.
 *
 * A row with NaN or an infinity is noted in the flags, as moments.h has them,
 * and adds what a zero would in its place.
 *
 * Nothing here allocates, raises an error or includes a PostgreSQL header; nvcc
 * knows the struct.
 */
#ifndef GPURED_MOMENT_SUMS_H
#define GPURED_MOMENT_SUMS_H

#include "exact/exact.h"

#ifdef __cplusplus
extern "C"
{
#endif

#define GPURED_VALUE_DIGITS		35
#define GPURED_PRODUCT_DIGITS	68
#define GPURED_PRODUCT_BIT0		(2 * GPURED_EXACT_BIT0)

/* Where each sum starts among the digits. */
#define GPURED_DIGITS_X			0
#define GPURED_DIGITS_XX		GPURED_VALUE_DIGITS
#define GPURED_DIGITS_Y			(GPURED_DIGITS_XX + GPURED_PRODUCT_DIGITS)
#define GPURED_DIGITS_YY		(GPURED_DIGITS_Y + GPURED_VALUE_DIGITS)
#define GPURED_DIGITS_XY		(GPURED_DIGITS_YY + GPURED_PRODUCT_DIGITS)
#define GPURED_MOMENT_DIGITS	(GPURED_DIGITS_XY + GPURED_PRODUCT_DIGITS)

/* Which of the sums there are; the others mean nothing. */
typedef enum GpuredMomentsKind
{
	GPURED_MOMENTS_ONE,			/* x, xx */
	GPURED_MOMENTS_TWO,			/* x, xx, y, yy, xy */
	GPURED_MOMENTS_DOT			/* xy */
} GpuredMomentsKind;

/* How far the flags of y are shifted. */
#define GPURED_MOMENTS_FLAGS_Y 4

typedef struct GpuredMomentSums
{
	uint32_t	flags;			/* GPURED_EXACT_* of x, those of y above; of
								 * the products in a DOT, which alone has
								 * NOT_NEGZERO */
	uint32_t	unused;
	uint64_t	digit[GPURED_MOMENT_DIGITS];
} GpuredMomentSums;

/* The sums of integers: of the values, and of their squares (192 bits). */
typedef struct GpuredIntMoments
{
	GpuredInt128 sum;
	uint64_t	square[3];
} GpuredIntMoments;

/* dst += src */
extern void gpured_moment_sums_add(GpuredMomentsKind kind, GpuredMomentSums *dst,
								   const GpuredMomentSums *src);
extern void gpured_int_moments_add(GpuredIntMoments *dst, const GpuredIntMoments *src);

/* Add one row; y is looked at only if the kind has it. */
extern void gpured_moment_sums_add_row(GpuredMomentsKind kind, GpuredMomentSums *s,
									   double x, double y);

/*
 * digit[] += k * 2^bit, for sums of n digits.  The result must fit.
 */
static inline void
gpured_digits_add(uint64_t *digit, int n, __int128 k, int bit)
{
	const int	shift = bit % 64;
	const uint64_t sign = k < 0 ? UINT64_MAX : 0;
	const unsigned __int128 low = (unsigned __int128) k << shift;
	const uint64_t high = shift == 0 ? sign : (uint64_t) (k >> (128 - shift));
	unsigned __int128 t;
	int			i = bit / 64;

	t = (unsigned __int128) digit[i] + (uint64_t) low;
	digit[i++] = (uint64_t) t;
	t = (t >> 64) + digit[i] + (uint64_t) (low >> 64);
	digit[i++] = (uint64_t) t;
	t = (t >> 64) + digit[i] + high;
	digit[i++] = (uint64_t) t;

	/* What is above k is its sign: all ones and a carry are nothing. */
	for (uint64_t carry = (uint64_t) (t >> 64); i < n && carry != (sign & 1); i++)
	{
		t = (unsigned __int128) digit[i] + sign + carry;
		digit[i] = (uint64_t) t;
		carry = (uint64_t) (t >> 64);
	}
}

/*
 * Could n rows have given these sums?  No sum is near the end of its digits, none
 * has bits that no double has, and no variance is negative; so what is merged of
 * such sums has none either.
 */
extern bool gpured_moment_sums_plausible(GpuredMomentsKind kind, const GpuredMomentSums *s,
										 int64_t n);
extern bool gpured_int_moments_plausible(const GpuredIntMoments *m, int64_t n);

#ifdef __cplusplus
}
#endif

#endif							/* GPURED_MOMENT_SUMS_H */

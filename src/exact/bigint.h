/*
 * bigint.h
 *	  Integers of a few thousand bits, and quotients and square roots of them
 *	  that are rounded once.
 *
 * The final functions of variances and regressions are ratios of polynomials of
 * exact sums.  The numbers have three or four limbs as a rule, and up to 145 if
 * the data span the whole exponent range.  They live on the stack: nothing here
 * allocates.
 */
#ifndef GPURED_BIGINT_H
#define GPURED_BIGINT_H

#include "exact/exact.h"

/*
 * A sum of products has 68 limbs and less than 24 bits, which includes the number
 * of its terms.  Times that number, and multiplied by another such, as in
 * correlations: 140.
 */
#define GPURED_BIG_LIMBS 148

typedef struct GpuredBig
{
	int			n;				/* limbs that matter; 0 for the value 0 */
	bool		negative;
	uint64_t	digit[GPURED_BIG_LIMBS];
} GpuredBig;

extern void gpured_big_set(GpuredBig *r, uint64_t value);

/* From n digits in two's complement. */
extern void gpured_big_set_digits(GpuredBig *r, const uint64_t *digit, int n);

/* r = a * b; r is neither of them. */
extern void gpured_big_mul(GpuredBig *r, const GpuredBig *a, const GpuredBig *b);

/* r = a - b; r may be one of them. */
extern void gpured_big_sub(GpuredBig *r, const GpuredBig *a, const GpuredBig *b);

/*
 * num / den * 2^exponent and its square root (of the magnitude), rounded once to
 * nearest-even.  Infinite if out of range; a result that rounds to 0 has the sign
 * of the exact one.  den is not 0.
 */
extern double gpured_big_ratio(const GpuredBig *num, const GpuredBig *den, int exponent);
extern double gpured_big_root(const GpuredBig *num, const GpuredBig *den, int exponent);

#endif							/* GPURED_BIGINT_H */

/*
 * exact.h
 *	  Exact sums of floating-point values: a fixed-point accumulator over the
 *	  whole exponent range, shared by cc and nvcc.
 *
 * The value of an accumulator is
 *
 *		sum over j of limb[j] * 2^(32 j + GPURED_EXACT_BIT0)
 *
 * Limbs are signed 64-bit integers that hold digits of 32 bits, so that a
 * billion additions fit before a carry has to move.  Integer addition is
 * associative: blocks, batches, workers and devices may be merged in any order
 * and the sum is the same to the last bit.  It is rounded once, at the end.
 *
 * The grid starts at 2^-1100 so that two limbs are one of the 64-bit limbs of
 * window.h.  The smallest bit of any float8 is 2^-1074; a sum of 2^63 of the
 * largest float8 stays below 2^1087; the grid ends at 2^1140.
 *
 * Nothing here allocates, raises an error or includes a PostgreSQL header.
 *
 * Source of the idea: R. Neal, "Fast exact summation using small and large
 * superaccumulators", 2015.
 */
#ifndef GPURED_EXACT_H
#define GPURED_EXACT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __CUDACC__
#define GPURED_HD __host__ __device__
#else
#define GPURED_HD
#endif

#ifdef __cplusplus
extern "C"
{
#endif

#define GPURED_EXACT_LIMBS	70
#define GPURED_EXACT_BIT0	(-1100)

/* What was among the inputs besides finite numbers. */
#define GPURED_EXACT_NAN		1
#define GPURED_EXACT_PINF		2
#define GPURED_EXACT_NINF		4
#define GPURED_EXACT_NOT_NEGZERO 8	/* some input was not -0 */

typedef struct GpuredExact
{
	int64_t		limb[GPURED_EXACT_LIMBS];
	uint32_t	flags;			/* GPURED_EXACT_* */
	uint32_t	pending;		/* additions since the last normalization */
} GpuredExact;

/* A 128-bit two's complement integer with the same layout for cc and nvcc. */
typedef struct GpuredInt128
{
	uint64_t	lo;
	int64_t		hi;
} GpuredInt128;

/*
 * Every function leaves |limb[j]| small enough for another 2^30 additions, and
 * normalizes by itself when "pending" says so.
 */
extern void gpured_exact_init(GpuredExact *x);
extern void gpured_exact_add(GpuredExact *x, double value);

/* x += k * 2^(bit + GPURED_EXACT_BIT0), 0 <= bit <= 32 * (LIMBS - 3) */
extern void gpured_exact_add_scaled(GpuredExact *x, int64_t k, int bit);
extern void gpured_exact_merge(GpuredExact *dst, const GpuredExact *src);

/* Move carries: limbs 0 .. LIMBS-2 in [0, 2^32), the last one signed. */
extern void gpured_exact_normalize(GpuredExact *x);

/*
 * Round once, to nearest-even.  NaN, infinities and -0 as numerics say.
 * Returns false if the finite total is out of the type's range; *result is then
 * the infinity of its sign.  x itself is not changed.
 */
extern bool gpured_exact_to_double(const GpuredExact *x, double *result);
extern bool gpured_exact_to_float(const GpuredExact *x, float *result);

/* The exact quotient x / n (n > 0), rounded once to nearest-even; never overflows for a mean of doubles. */
extern double gpured_exact_mean(const GpuredExact *x, uint64_t n);

#ifdef __cplusplus
}
#endif

#endif							/* GPURED_EXACT_H */

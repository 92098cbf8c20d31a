/*
 * cpu.h
 *	  What the CPU device's files share.
 *
 * cpu.c dispatches by the list of operations.  cpu_kernels.h has the loops over
 * a batch, written once over vectors of the compiler; cpu_plain.c, cpu_avx2.c
 * and cpu_avx512.c compile it for one instruction set each.  cpu_sum.c puts
 * blocks together to exact sums, cpu_moments.c to sums of products, and
 * cpu_scan.c does the prefix sums.
 */
#ifndef GPURED_CPU_H
#define GPURED_CPU_H

#include <string.h>

#include "device/device.h"

/*
 * For loops that are written once and compiled for each constant argument:
 * floats or doubles, two digits or three.
 */
#define GPURED_ALWAYS_INLINE inline __attribute__((always_inline))

/* Values that the exact sum looks at before it folds them into limbs. */
#define GPURED_CPU_BLOCK	2048

/*
 * The digits that floats are cut into: see cpu_sum.c and grouped.c.  A block of
 * float4 may have one digit only: then the bits of its values, without the sign,
 * must be below "greatest", and "least" or more when 1 is taken away from them.
 */
#define GPURED_CPU_MAX_DIGITS 3

typedef struct GpuredDigits
{
	int			n;				/* 1, 2 or 3 */
	uint32_t	least;
	uint32_t	greatest;
	double		bound;			/* of pairs: every |value| is below */
	double		magic[GPURED_CPU_MAX_DIGITS];
} GpuredDigits;

/*
 * The grids of the sums of products, see cpu_moments.c: of x and y, and of xx, yy
 * and xy, of which one column has the first and a dot product has the last.
 */
typedef struct GpuredMomentGrid
{
	int			top[2];			/* every |value| is below 2^top */
	double		bound[2];
	double		magic[2][2];
	double		product_magic[3][3];
} GpuredMomentGrid;

/* Digits in their order in sum[]: two of x and of y, three of each product. */
#define GPURED_CPU_MOMENT_DIGITS 13

/* A value's digits, for sums of many groups. */
typedef struct GpuredDigitPair
{
	int64_t		digit[2];
} GpuredDigitPair;

/* The loops over a batch, compiled for one instruction set. */
typedef struct GpuredCpuKernels
{
	const char *name;			/* "avx2" */

	/* Sums, modulo 2^64 and 2^128. */
	int64_t		(*sum_int2) (const int16_t *x, size_t n);
	int64_t		(*sum_int4) (const int32_t *x, size_t n);
	GpuredInt128 (*sum_int8) (const int64_t *x, size_t n);

	/* Least and greatest of n > 0 values, and their bits. */
	int64_t		(*min_int2) (const int16_t *x, size_t n);
	int64_t		(*min_int4) (const int32_t *x, size_t n);
	int64_t		(*min_int8) (const int64_t *x, size_t n);
	int64_t		(*max_int2) (const int16_t *x, size_t n);
	int64_t		(*max_int4) (const int32_t *x, size_t n);
	int64_t		(*max_int8) (const int64_t *x, size_t n);
	int64_t		(*bit_and_int2) (const int16_t *x, size_t n);
	int64_t		(*bit_and_int4) (const int32_t *x, size_t n);
	int64_t		(*bit_and_int8) (const int64_t *x, size_t n);
	int64_t		(*bit_or_int2) (const int16_t *x, size_t n);
	int64_t		(*bit_or_int4) (const int32_t *x, size_t n);
	int64_t		(*bit_or_int8) (const int64_t *x, size_t n);
	int64_t		(*bit_xor_int2) (const int16_t *x, size_t n);
	int64_t		(*bit_xor_int4) (const int32_t *x, size_t n);
	int64_t		(*bit_xor_int8) (const int64_t *x, size_t n);
	double		(*min_float4) (const float *x, size_t n);
	double		(*min_float8) (const double *x, size_t n);
	double		(*max_float4) (const float *x, size_t n);
	double		(*max_float8) (const double *x, size_t n);

	/* The greatest |x| of a block that is below the limit; 0 if none is. */
	double		(*greatest_float4) (const float *x, double limit);
	double		(*greatest_float8) (const double *x, double limit);

	/*
	 * Cut a block into digits and sum them.  False if a value does not fit;
	 * sum[] is then worth nothing.
	 */
	bool		(*digits_float4) (const float *x, const GpuredDigits *d, int64_t *sum);
	bool		(*digits_float8) (const double *x, const GpuredDigits *d, int64_t *sum);

	/* Sums of integers and of their squares. */
	GpuredIntMoments (*moments_int2) (const int16_t *x, size_t n);
	GpuredIntMoments (*moments_int4) (const int32_t *x, size_t n);
	GpuredIntMoments (*moments_int8) (const int64_t *x, size_t n);

	/* The same as digits_*, of values and their products. */
	bool		(*moments_float4) (const float *x, const GpuredMomentGrid *g, int64_t *sum);
	bool		(*moments_float8) (const double *x, const GpuredMomentGrid *g, int64_t *sum);
	bool		(*pair_moments) (const double *x, const double *y, const GpuredMomentGrid *g, int64_t *sum);
	bool		(*dot) (const double *x, const double *y, const GpuredMomentGrid *g, int64_t *sum);

	/*
	 * Cut each of n values into two digits.  False if there is a -0, or a
	 * value that does not fit, whose digits are worth nothing.
	 */
	bool		(*cut_float4) (const float *x, size_t n, const GpuredDigits *d, GpuredDigitPair *out);
	bool		(*cut_float8) (const double *x, size_t n, const GpuredDigits *d, GpuredDigitPair *out);

	/* gpured_float_rank of each, all of its bits turned if "least" says so. */
	void		(*ranks_float4) (const float *x, size_t n, bool least, int64_t *out);
	void		(*ranks_float8) (const double *x, size_t n, bool least, int64_t *out);
} GpuredCpuKernels;

extern const GpuredCpuKernels gpured_cpu_plain;
#ifdef __x86_64__
extern const GpuredCpuKernels gpured_cpu_avx2;
extern const GpuredCpuKernels gpured_cpu_avx512;
#endif

/* The best that this processor has. */
extern const GpuredCpuKernels *gpured_cpu_kernels(void);

/* For tests: use the named instruction set; false if it is not there. */
extern bool gpured_cpu_use(const char *name);

extern void gpured_cpu_sum_float4(const float *x, size_t n, GpuredExact *acc);
extern void gpured_cpu_sum_float8(const double *x, size_t n, GpuredExact *acc);
extern void gpured_cpu_scan_float4(const float *x, size_t n, GpuredExact *carry, float *out);
extern void gpured_cpu_scan_float8(const double *x, size_t n, GpuredExact *carry, double *out);

extern void gpured_cpu_moments_float4(const float *x, size_t n, GpuredMomentSums *sums);
extern void gpured_cpu_moments_float8(const double *x, size_t n, GpuredMomentSums *sums);
extern void gpured_cpu_pair_moments_float8(const double *x, const double *y, size_t n,
										   GpuredMomentSums *sums);
extern void gpured_cpu_dot_float8(const double *x, const double *y, size_t n,
								  GpuredMomentSums *sums);

static inline void
gpured_wide_add(GpuredInt128 *dst, GpuredInt128 value)
{
	uint64_t	low = dst->lo + value.lo;

	dst->hi = (int64_t) ((uint64_t) dst->hi + (uint64_t) value.hi + (low < value.lo));
	dst->lo = low;
}

/* PostgreSQL's order of floats as integers, with -0 below +0 and one NaN above all. */
static inline int64_t
gpured_float_rank(double value)
{
	int64_t		bits;

	if (value != value)
		return INT64_MAX;
	memcpy(&bits, &value, sizeof(bits));
	return bits < 0 ? bits ^ INT64_MAX : bits;
}

/* The value itself, or PostgreSQL's own NaN. */
static inline double
gpured_canonical_float(double value)
{
	const uint64_t nan_bits = UINT64_C(0x7ff8) << 48;

	if (value != value)
		memcpy(&value, &nan_bits, sizeof(value));
	return value;
}

#endif							/* GPURED_CPU_H */

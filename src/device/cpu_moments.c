/*
 * cpu_moments.c
 *	  Exact sums of values, squares and products of float batches on the CPU.
 *
 * As in cpu_sum.c, blocks are cut into digits on fixed grids.  A value fits if it
 * is below 2^top in size and a multiple of 2^(top - 74): two digits.  The product
 * of two values that fit is h + l exactly, the rounded product and what it lacks
 * (by Dekker's splitting: not every processor has a fused multiply-add), and h
 * and l are cut together on one grid of three digits, as
 * kernels/moment_window.cuh explains.  Only whether the values fit has to be
 * checked.
 *
 * A block with a value that does not fit has been in vain.  It is done again on
 * grids anchored at its own greatest values, and then row by row; data that need
 * that are likely to go on needing it.
 *
 * Source of the products: T. J. Dekker, "A floating-point technique for extending
 * the available precision", 1971.
 */
#include "device/cpu.h"

#define BLOCK			GPURED_CPU_BLOCK
#define VALUE_BITS		74
#define DIGIT_BITS		50

/* All magic numbers are finite, and no product underflows. */
#define LOWEST_TOP		(-440)
#define HIGHEST_TOP		480

/* Room above a block's greatest value, for the blocks that follow. */
#define MARGIN			2

/* Blocks that are summed by rows before digits are tried again. */
#define ROW_BLOCKS		16

/* A batch's tail is worth a block of its own, padded with zeros, from here on. */
#define PAD_FROM		128

typedef struct Summation
{
	GpuredMomentsKind kind;
	bool		single;			/* x is of floats */
	const GpuredCpuKernels *kernels;
	GpuredMomentSums *sums;
	GpuredMomentGrid grid;
	bool		anchored;
	int			by_rows;		/* blocks yet to be summed by rows */
} Summation;

static inline double
value_at(const void *x, size_t i, bool single)
{
	float		f;
	double		d;

	if (single)
	{
		memcpy(&f, (const char *) x + i * sizeof(f), sizeof(f));
		return f;
	}
	memcpy(&d, (const char *) x + i * sizeof(d), sizeof(d));
	return d;
}

static inline uint64_t
bits_of(double value)
{
	uint64_t	bits;

	memcpy(&bits, &value, sizeof(bits));
	return bits;
}

static double
power_of_two(int exponent)
{
	uint64_t	bits = (uint64_t) (exponent + 1023) << 52;
	double		result;

	memcpy(&result, &bits, sizeof(result));
	return result;
}

/* The exponents of the units of a product's digits. */
static int
product_unit(const GpuredMomentGrid *g, int product, int digit)
{
	int			top = product == 2 ? g->top[0] + g->top[1] : 2 * g->top[product];

	return top - 2 * VALUE_BITS + (2 - digit) * DIGIT_BITS;
}

static int
top_of_block(const void *x, bool single)
{
	const uint64_t limit = bits_of(power_of_two(HIGHEST_TOP));
	uint64_t	greatest = 0;
	int			top;

	for (size_t i = 0; i < BLOCK; i++)
	{
		uint64_t	bits = bits_of(value_at(x, i, single)) & INT64_MAX;

		if (bits > greatest && bits < limit)
			greatest = bits;
	}
	top = (int) (greatest >> 52) - 1023 + 1 + MARGIN;
	return top < LOWEST_TOP ? LOWEST_TOP : top > HIGHEST_TOP ? HIGHEST_TOP : top;
}

static void
anchor_at_block(Summation *s, const void *x, const void *y)
{
	GpuredMomentGrid *g = &s->grid;

	g->top[0] = top_of_block(x, s->single);
	g->top[1] = s->kind == GPURED_MOMENTS_ONE ? g->top[0] : top_of_block(y, s->single);
	for (int i = 0; i < 2; i++)
	{
		g->bound[i] = power_of_two(g->top[i]);
		for (int d = 0; d < 2; d++)
			g->magic[i][d] = 1.5 * power_of_two(g->top[i] - (d + 1) * (VALUE_BITS / 2) + 52);
	}
	for (int p = 0; p < 3; p++)
	{
		for (int d = 0; d < 3; d++)
			g->product_magic[p][d] = 1.5 * power_of_two(product_unit(g, p, d) + 52);
	}
	s->anchored = true;
}

static bool
sum_digits(Summation *s, const void *x, const void *y)
{
	static const int first_product[3] = {GPURED_DIGITS_XX, GPURED_DIGITS_YY, GPURED_DIGITS_XY};
	static const int first_value[2] = {GPURED_DIGITS_X, GPURED_DIGITS_Y};
	const GpuredMomentGrid *g = &s->grid;
	int64_t		sum[GPURED_CPU_MOMENT_DIGITS];
	const int64_t *digit = sum;
	bool		fits;

	if (s->kind == GPURED_MOMENTS_TWO)
		fits = s->kernels->pair_moments(x, y, g, sum);
	else if (s->kind == GPURED_MOMENTS_DOT)
		fits = s->kernels->dot(x, y, g, sum);
	else if (s->single)
		fits = s->kernels->moments_float4(x, g, sum);
	else
		fits = s->kernels->moments_float8(x, g, sum);
	if (!fits)
		return false;

	for (int i = 0; i < 2; i++)
	{
		for (int d = 0; d < 2; d++, digit++)
		{
			if (s->kind == GPURED_MOMENTS_TWO || (s->kind == GPURED_MOMENTS_ONE && i == 0))
				gpured_digits_add(s->sums->digit + first_value[i], GPURED_VALUE_DIGITS, *digit,
								  g->top[i] - (d + 1) * (VALUE_BITS / 2) - GPURED_EXACT_BIT0);
		}
	}
	for (int p = 0; p < 3; p++)
	{
		for (int d = 0; d < 3; d++, digit++)
		{
			if (s->kind == GPURED_MOMENTS_TWO || p == (s->kind == GPURED_MOMENTS_ONE ? 0 : 2))
				gpured_digits_add(s->sums->digit + first_product[p], GPURED_PRODUCT_DIGITS, *digit,
								  product_unit(g, p, d) - GPURED_PRODUCT_BIT0);
		}
	}
	return true;
}

static void
sum_rows(Summation *s, const void *x, const void *y, size_t n)
{
	for (size_t i = 0; i < n; i++)
		gpured_moment_sums_add_row(s->kind, s->sums, value_at(x, i, s->single),
								   y == NULL ? 0 : value_at(y, i, s->single));
}

static void
sum_block(Summation *s, const void *x, const void *y)
{
	if (s->by_rows > 0)
	{
		sum_rows(s, x, y, BLOCK);
		s->by_rows--;
		return;
	}
	if (s->anchored && sum_digits(s, x, y))
		return;
	anchor_at_block(s, x, y);
	if (sum_digits(s, x, y))
		return;
	s->anchored = false;
	s->by_rows = ROW_BLOCKS - 1;
	sum_rows(s, x, y, BLOCK);
}

/* A product that is not -0, up to the first. */
static void
note_products(const double *x, const double *y, size_t n, GpuredMomentSums *sums)
{
	for (size_t i = 0; i < n && !(sums->flags & GPURED_EXACT_NOT_NEGZERO); i++)
	{
		if ((x[i] != 0 && y[i] != 0) || (bits_of(x[i]) ^ bits_of(y[i])) >> 63 == 0)
			sums->flags |= GPURED_EXACT_NOT_NEGZERO;
	}
}

/* y is NULL if there is one column. */
static void
sum_batch(GpuredMomentsKind kind, bool single, const void *x, const void *y, size_t n,
		  GpuredMomentSums *sums)
{
	const size_t size = single ? sizeof(float) : sizeof(double);
	const char *p = x;
	const char *q = y;
	Summation	s;
	size_t		i;

	if (kind == GPURED_MOMENTS_DOT)
		note_products(x, y, n, sums);
	s.kind = kind;
	s.single = single;
	s.kernels = gpured_cpu_kernels();
	s.sums = sums;
	s.anchored = false;
	s.by_rows = 0;
	for (i = 0; n - i >= BLOCK; i += BLOCK)
		sum_block(&s, p + i * size, q == NULL ? NULL : q + i * size);
	if (n - i >= PAD_FROM)
	{
		double		padded[2][BLOCK];

		memset(padded, 0, sizeof(padded));
		memcpy(padded[0], p + i * size, (n - i) * size);
		if (q != NULL)
			memcpy(padded[1], q + i * size, (n - i) * size);
		sum_block(&s, padded[0], q == NULL ? NULL : padded[1]);
	}
	else
		sum_rows(&s, p + i * size, q == NULL ? NULL : q + i * size, n - i);
}

void
gpured_cpu_moments_float4(const float *x, size_t n, GpuredMomentSums *sums)
{
	sum_batch(GPURED_MOMENTS_ONE, true, x, NULL, n, sums);
}

void
gpured_cpu_moments_float8(const double *x, size_t n, GpuredMomentSums *sums)
{
	sum_batch(GPURED_MOMENTS_ONE, false, x, NULL, n, sums);
}

void
gpured_cpu_pair_moments_float8(const double *x, const double *y, size_t n,
							   GpuredMomentSums *sums)
{
	sum_batch(GPURED_MOMENTS_TWO, false, x, y, n, sums);
}

void
gpured_cpu_dot_float8(const double *x, const double *y, size_t n, GpuredMomentSums *sums)
{
	sum_batch(GPURED_MOMENTS_DOT, false, x, y, n, sums);
}

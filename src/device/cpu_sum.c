/*
 * cpu_sum.c
 *	  Exact sums of float batches on the CPU, about as fast as plain ones.
 *
 * A block of values is cut into digits on a fixed grid: adding 1.5 * 2^(52 + s)
 * to a value, and taking it away again, rounds the value to a multiple of 2^s,
 * and the sum's bits, as an integer, differ from those of the magic number by
 * just that multiple.  So a digit costs three additions of doubles and one of
 * integers, no branch, and vectorizes.  What is left after two or three digits
 * of 50 bits must be nothing; if something is, or a value is too large for the
 * grid, the block has been in vain and is done again: on a grid anchored at its
 * own greatest value, then with three digits, then value by value into sums
 * kept for each sign and exponent.  Those are slower, but take everything; data
 * that need them once are likely to go on needing them.
 *
 * All of it ends in the limbs of GpuredExact, so the ways mix freely.
 *
 * Source of the last idea: R. Neal, "Fast exact summation using small and large
 * superaccumulators", 2015.
 */
#include "device/cpu.h"

#define BLOCK			GPURED_CPU_BLOCK
#define DIGIT_BITS		50

/* Exponents that a grid may be anchored at; other values go the last way. */
#define LOWEST_ANCHOR	(-900)
#define HIGHEST_ANCHOR	1000

/* Room above a block's greatest value, for the blocks that follow. */
#define ANCHOR_MARGIN	4

/* Blocks that are summed by exponent before digits are tried again. */
#define WIDE_BLOCKS		16

/* A batch's tail is worth a block of its own, padded with zeros, from here on. */
#define PAD_FROM		128

/* Sums of mantissas for each sign and exponent. */
typedef struct BinSums
{
	uint64_t	sum[4096];
	uint16_t	count[4096];
} BinSums;

/* 1023 mantissas of 53 bits fit in 63. */
#define BIN_LIMIT		1023

typedef struct Summation
{
	const GpuredCpuKernels *kernels;
	GpuredExact *acc;
	GpuredDigits digits;
	int			anchor;
	bool		anchored;
	int			wide;			/* blocks yet to be summed by exponent */
	bool		bins_used;
	BinSums		bins;			/* uninitialized unless bins_used */
} Summation;

static inline uint64_t
bits_of(double value)
{
	uint64_t	bits;

	memcpy(&bits, &value, sizeof(bits));
	return bits;
}

/* x is of floats if "single", else of doubles; always a constant. */
static GPURED_ALWAYS_INLINE double
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

static double
power_of_two(int exponent)
{
	uint64_t	bits = (uint64_t) (exponent + 1023) << 52;
	double		result;

	memcpy(&result, &bits, sizeof(result));
	return result;
}

static void
spill_bin(Summation *s, int i)
{
	int			exponent = i & 0x7ff;
	int64_t		total = (int64_t) s->bins.sum[i];

	if (s->bins.count[i] == 0)
		return;
	if (exponent == 0x7ff)
	{
		/* a sum of 1023 mantissas does not wrap to 0 */
		if (total != 0)
			s->acc->flags |= GPURED_EXACT_NAN;
		else
			s->acc->flags |= i > 0x7ff ? GPURED_EXACT_NINF : GPURED_EXACT_PINF;
	}
	else
	{
		if (exponent > 0)
			total += (int64_t) s->bins.count[i] << 52;
		else
			exponent = 1;
		gpured_exact_add_scaled(s->acc, i > 0x7ff ? -total : total,
								exponent - 1075 - GPURED_EXACT_BIT0);
	}
	s->bins.sum[i] = 0;
	s->bins.count[i] = 0;
}

static GPURED_ALWAYS_INLINE void
sum_by_exponent(Summation *s, const void *x, bool single)
{
	if (!s->bins_used)
		memset(&s->bins, 0, sizeof(s->bins));
	s->bins_used = true;
	for (size_t k = 0; k < BLOCK; k++)
	{
		uint64_t	bits = bits_of(value_at(x, k, single));
		int			i = (int) (bits >> 52);

		s->bins.sum[i] += bits & ((UINT64_C(1) << 52) - 1);
		if (__builtin_expect(++s->bins.count[i] == BIN_LIMIT, 0))
			spill_bin(s, i);
	}
}

/* Anchor the grid above the greatest value that a grid may hold. */
static GPURED_ALWAYS_INLINE void
anchor_at_block(Summation *s, const void *x, bool single)
{
	const uint64_t limit = bits_of(power_of_two(HIGHEST_ANCHOR));
	uint64_t	greatest = 0;
	int			anchor;

	for (size_t i = 0; i < BLOCK; i++)
	{
		uint64_t	bits = bits_of(value_at(x, i, single)) & INT64_MAX;

		if (bits > greatest && bits < limit)
			greatest = bits;
	}
	anchor = (int) (greatest >> 52) - 1023 + 1 + ANCHOR_MARGIN;
	if (anchor < LOWEST_ANCHOR)
		anchor = LOWEST_ANCHOR;
	if (anchor > HIGHEST_ANCHOR)
		anchor = HIGHEST_ANCHOR;
	s->anchor = anchor;
	s->anchored = true;
	s->digits.bound = power_of_two(anchor);
	for (int l = 0; l < GPURED_CPU_MAX_DIGITS; l++)
		s->digits.magic[l] = 1.5 * power_of_two(52 + anchor - DIGIT_BITS * (l + 1) + 1);
}

static GPURED_ALWAYS_INLINE bool
sum_digits(Summation *s, const void *x, bool single)
{
	int64_t		sum[GPURED_CPU_MAX_DIGITS];
	bool		fits = single ? s->kernels->digits_float4(x, &s->digits, sum) :
		s->kernels->digits_float8(x, &s->digits, sum);

	if (!fits)
		return false;
	for (int l = 0; l < s->digits.n; l++)
		gpured_exact_add_scaled(s->acc, sum[l],
								s->anchor - DIGIT_BITS * (l + 1) + 1 - GPURED_EXACT_BIT0);
	return true;
}

static GPURED_ALWAYS_INLINE void
sum_block(Summation *s, const void *x, bool single)
{
	if (s->wide > 0)
	{
		sum_by_exponent(s, x, single);
		s->wide--;
		return;
	}
	if (s->anchored && sum_digits(s, x, single))
		return;
	anchor_at_block(s, x, single);
	if (sum_digits(s, x, single))
		return;
	if (s->digits.n == 2)
	{
		s->digits.n = 3;
		if (sum_digits(s, x, single))
			return;
	}
	s->digits.n = 2;
	s->anchored = false;
	s->wide = WIDE_BLOCKS - 1;
	sum_by_exponent(s, x, single);
}

static GPURED_ALWAYS_INLINE void
sum_batch(const void *x, size_t n, bool single, GpuredExact *acc)
{
	const size_t size = single ? sizeof(float) : sizeof(double);
	const char *p = x;
	Summation	s;
	size_t		i;

	for (i = 0; i < n && !(acc->flags & GPURED_EXACT_NOT_NEGZERO); i++)
	{
		if (bits_of(value_at(x, i, single)) != UINT64_C(1) << 63)
			acc->flags |= GPURED_EXACT_NOT_NEGZERO;
	}

	s.kernels = gpured_cpu_kernels();
	s.acc = acc;
	s.digits.n = 2;
	s.anchored = false;
	s.wide = 0;
	s.bins_used = false;
	for (i = 0; n - i >= BLOCK; i += BLOCK)
		sum_block(&s, p + i * size, single);
	if (n - i >= PAD_FROM)
	{
		double		padded[BLOCK];

		memset(padded, 0, sizeof(padded));
		memcpy(padded, p + i * size, (n - i) * size);
		sum_block(&s, padded, single);
		i = n;
	}
	for (; i < n; i++)
		gpured_exact_add(acc, value_at(x, i, single));
	for (i = 0; s.bins_used && i < 4096; i++)
		spill_bin(&s, (int) i);
}

void
gpured_cpu_sum_float4(const float *x, size_t n, GpuredExact *acc)
{
	sum_batch(x, n, true, acc);
}

void
gpured_cpu_sum_float8(const double *x, size_t n, GpuredExact *acc)
{
	sum_batch(x, n, false, acc);
}

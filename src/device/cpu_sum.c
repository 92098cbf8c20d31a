/*
 * cpu_sum.c
 *	  Exact sums of float batches on the CPU, about as fast as plain ones.
 *
 * A block of values is cut into digits on a fixed grid: adding 1.5 * 2^(52 + s)
 * to a value, and taking it away again, rounds the value to a multiple of 2^s,
 * and the sum's bits, as an integer, differ from those of the magic number by
 * just that multiple.  So a digit costs three additions of doubles and one of
 * integers, no branch, and vectorizes.  What is left after the last digit must be
 * nothing; if something is, or a value is too large for the grid, the block has
 * been in vain and is done again: on a grid anchored at its own greatest value,
 * with one digit more, and in the end value by value into sums kept for each
 * sign and exponent.  Those are slower, but take everything; data that need them
 * once are likely to go on needing them.
 *
 * A digit has 51 bits.  Two of them are what most float8 need, 50 exponents; most
 * float4 do with one, which is 28.
 *
 * All of it ends in the limbs of GpuredExact, so the ways mix freely.
 *
 * Source of the last idea: R. Neal, "Fast exact summation using small and large
 * superaccumulators", 2015.
 */
#include "device/cpu.h"

#define BLOCK			GPURED_CPU_BLOCK
#define DIGIT_BITS		51

/* A grid's units are doubles; what is larger goes the last way. */
#define LOWEST_UNIT		(-1074)
#define HIGHEST_ANCHOR	1000

/* Exponents that one digit of a float4 takes, and the lowest one of all. */
#define ONE_DIGIT_RANGE (DIGIT_BITS - 24 + 1)
#define LOWEST_FLOAT4_ANCHOR (-149 + DIGIT_BITS)

/* Room above a block's greatest value, for the blocks that follow. */
#define ANCHOR_MARGIN	4
#define ONE_DIGIT_MARGIN 2

/* Blocks that go a slower way before a faster one is tried again. */
#define SLOW_BLOCKS		16

/* A batch's tail is worth a block of its own, padded with zeros, from here on. */
#define PAD_FROM		128

/*
 * Sums of mantissas for each sign and exponent, twice: neighbours are often of
 * one kind, and an addition to memory has to wait for the one before.
 */
typedef struct BinSums
{
	uint64_t	sum[2][4096];
	uint16_t	count[2][4096];
} BinSums;

/* 1023 mantissas of 53 bits fit in 63. */
#define BIN_LIMIT		1023

/* Of float4: the mantissas in the lower 40 bits, and their number above. */
typedef struct FloatBinSums
{
	uint64_t	sum[2][512];
} FloatBinSums;

#define FLOAT_BIN_COUNT 40
#define FLOAT_BIN_BLOCKS 32		/* 2^15 mantissas of 23 bits */

typedef struct Summation
{
	const GpuredCpuKernels *kernels;
	GpuredExact *acc;
	GpuredDigits digits;
	int			anchor;
	bool		anchored;
	int			slow;			/* blocks until fewer digits are tried */
	int			wide;			/* blocks yet to be summed by exponent */
	int			bins_used;		/* blocks that are in the sums by exponent */
	union
	{
		BinSums		bins;
		FloatBinSums float_bins;
	};							/* uninitialized unless bins_used */
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

/* A sum of mantissas, and how many they are, of one sign and exponent. */
static void
add_bin(GpuredExact *acc, bool negative, int exponent, bool special,
		int64_t total, int64_t hidden_bits, int bit0)
{
	if (special)
	{
		/* no sum of so few mantissas wraps to 0 */
		if (total != 0)
			acc->flags |= GPURED_EXACT_NAN;
		else
			acc->flags |= negative ? GPURED_EXACT_NINF : GPURED_EXACT_PINF;
		return;
	}
	if (exponent > 0)
		total += hidden_bits;
	else
		exponent = 1;
	gpured_exact_add_scaled(acc, negative ? -total : total, exponent + bit0 - GPURED_EXACT_BIT0);
}

static void
spill_bin(Summation *s, int half, int i)
{
	int			exponent = i & 0x7ff;

	if (s->bins.count[half][i] == 0)
		return;
	add_bin(s->acc, i > 0x7ff, exponent, exponent == 0x7ff, (int64_t) s->bins.sum[half][i],
			(int64_t) s->bins.count[half][i] << 52, -1075);
	s->bins.sum[half][i] = 0;
	s->bins.count[half][i] = 0;
}

static void
spill_bins(Summation *s, bool single)
{
	for (int half = 0; half < 2; half++)
	{
		for (int i = 0; !single && i < 4096; i++)
			spill_bin(s, half, i);
		for (int i = 0; single && i < 512; i++)
		{
			uint64_t	sum = s->float_bins.sum[half][i];
			int64_t		count = (int64_t) (sum >> FLOAT_BIN_COUNT);

			if (count > 0)
				add_bin(s->acc, i > 0xff, i & 0xff, (i & 0xff) == 0xff,
						(int64_t) (sum & ((UINT64_C(1) << FLOAT_BIN_COUNT) - 1)), count << 23, -150);
		}
	}
	s->bins_used = 0;
}

static GPURED_ALWAYS_INLINE void
add_to_bin(Summation *s, int half, double value)
{
	uint64_t	bits = bits_of(value);
	int			i = (int) (bits >> 52);

	s->bins.sum[half][i] += bits & ((UINT64_C(1) << 52) - 1);
	if (__builtin_expect(++s->bins.count[half][i] == BIN_LIMIT, 0))
		spill_bin(s, half, i);
}

static GPURED_ALWAYS_INLINE void
add_to_float_bin(Summation *s, int half, const float *x)
{
	uint32_t	bits;

	memcpy(&bits, x, sizeof(bits));
	s->float_bins.sum[half][bits >> 23] +=
		(bits & ((UINT32_C(1) << 23) - 1)) | UINT64_C(1) << FLOAT_BIN_COUNT;
}

static GPURED_ALWAYS_INLINE void
sum_by_exponent(Summation *s, const void *x, bool single)
{
	if (single)
	{
		if (s->bins_used == 0)
			memset(&s->float_bins, 0, sizeof(s->float_bins));
		for (size_t k = 0; k < BLOCK; k += 2)
		{
			add_to_float_bin(s, 0, (const float *) x + k);
			add_to_float_bin(s, 1, (const float *) x + k + 1);
		}
		if (++s->bins_used == FLOAT_BIN_BLOCKS)
			spill_bins(s, true);
		return;
	}
	if (s->bins_used == 0)
		memset(&s->bins, 0, sizeof(s->bins));
	s->bins_used = 1;
	for (size_t k = 0; k < BLOCK; k += 2)
	{
		add_to_bin(s, 0, value_at(x, k, single));
		add_to_bin(s, 1, value_at(x, k + 1, single));
	}
}

/* The exponent above the greatest value that a grid may hold. */
static GPURED_ALWAYS_INLINE int
exponent_above(const Summation *s, const void *x, bool single)
{
	double		limit = power_of_two(HIGHEST_ANCHOR - ANCHOR_MARGIN);
	double		greatest = single ? s->kernels->greatest_float4(x, limit) :
		s->kernels->greatest_float8(x, limit);

	return (int) (bits_of(greatest) >> 52) - 1023 + 1;
}

static void
set_grid(Summation *s, int exponent, int digits)
{
	int			anchor = exponent + (digits == 1 ? ONE_DIGIT_MARGIN : ANCHOR_MARGIN);
	int			lowest = LOWEST_UNIT + DIGIT_BITS * digits;

	if (digits == 1)
	{
		lowest = LOWEST_FLOAT4_ANCHOR;
		if (anchor > 128)
			anchor = 128;
	}
	if (anchor < lowest)
		anchor = lowest;
	s->anchor = anchor;
	s->anchored = true;
	s->slow = SLOW_BLOCKS;
	s->digits.n = digits;
	for (int l = 0; l < digits; l++)
		s->digits.magic[l] = 1.5 * power_of_two(52 + anchor - DIGIT_BITS * (l + 1));
	if (digits == 1)
	{
		s->digits.greatest = (uint32_t) (anchor + 127) << 23;
		s->digits.least = 0;
		if (anchor > lowest)
			s->digits.least = ((uint32_t) (anchor - ONE_DIGIT_RANGE + 127) << 23) - 1;
	}
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
								s->anchor - DIGIT_BITS * (l + 1) - GPURED_EXACT_BIT0);
	return true;
}

static GPURED_ALWAYS_INLINE void
sum_block(Summation *s, const void *x, bool single)
{
	const int	fewest = single ? 1 : 2;
	int			exponent;

	if (s->wide > 0)
	{
		sum_by_exponent(s, x, single);
		s->wide--;
		return;
	}
	if (s->anchored && sum_digits(s, x, single))
	{
		if (s->digits.n > fewest && --s->slow == 0)
			s->anchored = false;
		return;
	}
	exponent = exponent_above(s, x, single);
	for (int digits = fewest; digits <= GPURED_CPU_MAX_DIGITS; digits++)
	{
		set_grid(s, exponent, digits);
		if (sum_digits(s, x, single))
			return;
	}
	s->anchored = false;
	s->wide = SLOW_BLOCKS - 1;
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
	s.anchored = false;
	s.wide = 0;
	s.bins_used = 0;
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
	if (s.bins_used > 0)
		spill_bins(&s, single);
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

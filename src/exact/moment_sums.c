/*
 * moment_sums.c
 *	  Exact sums of batches for variances and regressions: a row into them, merging,
 *	  and whether they can be.
 */
#include "exact/moment_sums.h"

#include <string.h>

#include "exact/bigint.h"

#define SPECIAL (GPURED_EXACT_NAN | GPURED_EXACT_PINF | GPURED_EXACT_NINF)

/* 2^63 doubles stay below 2^1087, and so many products below 2^2111. */
#define VALUE_LIMIT		(INT64_C(1) << 11)
#define PRODUCT_LIMIT	(INT64_C(1) << 23)

/* Values are multiples of 2^-1074, bit 26 of digit 0; products of bit 52. */
#define VALUE_UNUSED	((UINT64_C(1) << 26) - 1)
#define PRODUCT_UNUSED	((UINT64_C(1) << 52) - 1)

/* A finite double is mantissa * 2^(bit - 1100); it is negative if its mantissa is. */
static bool
split(double x, int64_t *mantissa, int *bit, uint32_t *flag)
{
	uint64_t	bits;
	int			field;

	memcpy(&bits, &x, sizeof(bits));
	field = (bits >> 52) & 0x7ff;
	*mantissa = bits & ((UINT64_C(1) << 52) - 1);
	*bit = (field > 0 ? field : 1) - 1075 - GPURED_EXACT_BIT0;
	if (field == 0x7ff)
	{
		*flag = *mantissa != 0 ? GPURED_EXACT_NAN :
			bits >> 63 ? GPURED_EXACT_NINF : GPURED_EXACT_PINF;
		*mantissa = 0;
		return false;
	}
	if (field > 0)
		*mantissa |= INT64_C(1) << 52;
	if (bits >> 63)
		*mantissa = -*mantissa;
	return true;
}

static bool
is_negative(double x)
{
	uint64_t	bits;

	memcpy(&bits, &x, sizeof(bits));
	return bits >> 63 != 0;
}

static void
add_product(uint64_t *digit, int64_t a, int64_t b, int bit)
{
	if (a != 0 && b != 0)
		gpured_digits_add(digit, GPURED_PRODUCT_DIGITS, (__int128) a * b, bit);
}

static void
add_dot(GpuredMomentSums *s, double x, double y)
{
	int64_t		a;
	int64_t		b;
	int			a_bit;
	int			b_bit;
	uint32_t	flag = 0;
	bool		finite = split(x, &a, &a_bit, &flag);

	if (!split(y, &b, &b_bit, &flag) || !finite)
	{
		/* 0 * Infinity is NaN */
		(void) split(x * y, &a, &a_bit, &flag);
		s->flags |= flag | GPURED_EXACT_NOT_NEGZERO;
		return;
	}
	if ((a != 0 && b != 0) || is_negative(x) == is_negative(y))
		s->flags |= GPURED_EXACT_NOT_NEGZERO;
	add_product(s->digit + GPURED_DIGITS_XY, a, b, a_bit + b_bit);
}

void
gpured_moment_sums_add_row(GpuredMomentsKind kind, GpuredMomentSums *s, double x, double y)
{
	int64_t		a;
	int64_t		b;
	int			a_bit;
	int			b_bit;
	uint32_t	flag = 0;

	if (kind == GPURED_MOMENTS_DOT)
	{
		add_dot(s, x, y);
		return;
	}
	if (!split(x, &a, &a_bit, &flag))
		s->flags |= flag;
	if (a != 0)
		gpured_digits_add(s->digit + GPURED_DIGITS_X, GPURED_VALUE_DIGITS, a, a_bit);
	add_product(s->digit + GPURED_DIGITS_XX, a, a, 2 * a_bit);
	if (kind == GPURED_MOMENTS_ONE)
		return;
	if (!split(y, &b, &b_bit, &flag))
		s->flags |= flag << GPURED_MOMENTS_FLAGS_Y;
	if (b != 0)
		gpured_digits_add(s->digit + GPURED_DIGITS_Y, GPURED_VALUE_DIGITS, b, b_bit);
	add_product(s->digit + GPURED_DIGITS_YY, b, b, 2 * b_bit);
	add_product(s->digit + GPURED_DIGITS_XY, a, b, a_bit + b_bit);
}

static void
merge_digits(uint64_t *dst, const uint64_t *src, int n)
{
	unsigned __int128 t = 0;

	for (int i = 0; i < n; i++)
	{
		t = (t >> 64) + dst[i] + src[i];
		dst[i] = (uint64_t) t;
	}
}

/* Call what(sum, digits) for each sum that states of this kind have. */
#define FOR_EACH_SUM(kind, what) \
	do { \
		if ((kind) != GPURED_MOMENTS_DOT) \
		{ \
			what(GPURED_DIGITS_X, GPURED_VALUE_DIGITS); \
			what(GPURED_DIGITS_XX, GPURED_PRODUCT_DIGITS); \
		} \
		if ((kind) == GPURED_MOMENTS_TWO) \
		{ \
			what(GPURED_DIGITS_Y, GPURED_VALUE_DIGITS); \
			what(GPURED_DIGITS_YY, GPURED_PRODUCT_DIGITS); \
		} \
		if ((kind) != GPURED_MOMENTS_ONE) \
			what(GPURED_DIGITS_XY, GPURED_PRODUCT_DIGITS); \
	} while (0)

void
gpured_moment_sums_add(GpuredMomentsKind kind, GpuredMomentSums *dst, const GpuredMomentSums *src)
{
#define MERGE(first, n) merge_digits(dst->digit + (first), src->digit + (first), n)
	FOR_EACH_SUM(kind, MERGE);
	dst->flags |= src->flags;
}

void
gpured_int_moments_add(GpuredIntMoments *dst, const GpuredIntMoments *src)
{
	uint64_t	sum[2] = {dst->sum.lo, (uint64_t) dst->sum.hi};
	uint64_t	added[2] = {src->sum.lo, (uint64_t) src->sum.hi};

	merge_digits(sum, added, 2);
	dst->sum.lo = sum[0];
	dst->sum.hi = (int64_t) sum[1];
	merge_digits(dst->square, src->square, 3);
}

static bool
digits_are_plausible(const uint64_t *digit, int n)
{
	bool		is_value = n == GPURED_VALUE_DIGITS;
	int64_t		limit = is_value ? VALUE_LIMIT : PRODUCT_LIMIT;

	return (digit[0] & (is_value ? VALUE_UNUSED : PRODUCT_UNUSED)) == 0 &&
		(int64_t) digit[n - 1] < limit && (int64_t) digit[n - 1] >= -limit;
}

static bool
is_zero(const uint64_t *digit, int n)
{
	while (n > 0 && digit[n - 1] == 0)
		n--;
	return n == 0;
}

/* Whether n * square is at least value^2. */
static bool
variance_is_possible(const uint64_t *value, int value_digits, const uint64_t *square,
					 int square_digits, int64_t n)
{
	GpuredBig	x;
	GpuredBig	xx;
	GpuredBig	count;
	GpuredBig	a;
	GpuredBig	b;

	gpured_big_set_digits(&x, value, value_digits);
	gpured_big_set_digits(&xx, square, square_digits);
	gpured_big_set(&count, (uint64_t) n);
	gpured_big_mul(&a, &x, &x);
	gpured_big_mul(&b, &count, &xx);
	gpured_big_sub(&b, &b, &a);
	return !xx.negative && !b.negative;
}

static bool
flags_are_plausible(GpuredMomentsKind kind, const GpuredMomentSums *s)
{
	switch (kind)
	{
		case GPURED_MOMENTS_ONE:
			return (s->flags & ~(uint32_t) SPECIAL) == 0;
		case GPURED_MOMENTS_TWO:
			return (s->flags & ~(uint32_t) (SPECIAL | SPECIAL << GPURED_MOMENTS_FLAGS_Y)) == 0;
		case GPURED_MOMENTS_DOT:
			if ((s->flags & ~(uint32_t) (SPECIAL | GPURED_EXACT_NOT_NEGZERO)) != 0)
				return false;
			return (s->flags & GPURED_EXACT_NOT_NEGZERO) != 0 ||
				(s->flags == 0 && is_zero(s->digit + GPURED_DIGITS_XY, GPURED_PRODUCT_DIGITS));
	}
	return false;
}

bool
gpured_moment_sums_plausible(GpuredMomentsKind kind, const GpuredMomentSums *s, int64_t n)
{
	if (!flags_are_plausible(kind, s))
		return false;
#define CHECK(first, digits) \
	if (!digits_are_plausible(s->digit + (first), digits)) \
		return false
	FOR_EACH_SUM(kind, CHECK);
	if (kind != GPURED_MOMENTS_DOT &&
		!variance_is_possible(s->digit + GPURED_DIGITS_X, GPURED_VALUE_DIGITS,
							  s->digit + GPURED_DIGITS_XX, GPURED_PRODUCT_DIGITS, n))
		return false;
	if (kind == GPURED_MOMENTS_TWO &&
		(!variance_is_possible(s->digit + GPURED_DIGITS_Y, GPURED_VALUE_DIGITS,
							   s->digit + GPURED_DIGITS_YY, GPURED_PRODUCT_DIGITS, n) ||
		 (!is_zero(s->digit + GPURED_DIGITS_XY, GPURED_PRODUCT_DIGITS) &&
		  (is_zero(s->digit + GPURED_DIGITS_XX, GPURED_PRODUCT_DIGITS) ||
		   is_zero(s->digit + GPURED_DIGITS_YY, GPURED_PRODUCT_DIGITS)))))
		return false;
	return true;
}

bool
gpured_int_moments_plausible(const GpuredIntMoments *m, int64_t n)
{
	const uint64_t sum[2] = {m->sum.lo, (uint64_t) m->sum.hi};

	/* |x| <= 2^63 */
	return m->sum.hi <= n / 2 + 1 && m->sum.hi >= -(n / 2 + 1) && m->square[2] <= (uint64_t) n / 4 + 1 &&
		variance_is_possible(sum, 2, m->square, 3, n);
}

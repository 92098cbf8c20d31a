/*
 * moments_io.c
 *	  The serialized form of the sums of moments.h, and states from the sums of a
 *	  device.
 *
 * Bytes come from a worker of the same query, but they are checked like any
 * input.  What is accepted has no negative variance, so that neither it nor what
 * it is merged with can surprise a square root.
 */
#include "exact/moments.h"

#include "exact/moments_layout.h"
#include "exact/span.h"

/* 2^63 doubles stay below 2^1087, and so many products below 2^2111. */
#define VALUE_LIMBS		35
#define VALUE_LIMIT		(INT64_C(1) << 11)
#define PRODUCT_LIMBS	68
#define PRODUCT_LIMIT	(INT64_C(1) << 23)

/* Values are multiples of 2^-1074, bit 26 of limb 0; products of bit 52. */
#define VALUE_UNUSED	((UINT64_C(1) << 26) - 1)
#define PRODUCT_UNUSED	((UINT64_C(1) << 52) - 1)

typedef struct Digits
{
	int			first;			/* grid index of digit[0] */
	int			n;				/* 0 for the value 0 */
	uint64_t	digit[GPURED_MOMENTS_MAX_LIMBS];
} Digits;

static bool
is_value(GpuredMomentsSum sum)
{
	return sum == GPURED_SUM_X || sum == GPURED_SUM_Y;
}

/* Strip zeros below and redundant sign limbs above: one form for one value. */
static void
trim(Digits *d)
{
	int			low = 0;

	while (low < d->n && d->digit[low] == 0)
		low++;
	d->n -= low;
	d->first = d->n > 0 ? d->first + low : 0;
	if (low > 0)
		memmove(d->digit, d->digit + low, d->n * sizeof(uint64_t));
	while (d->n > 1 && d->digit[d->n - 1] == gpured_sign_limb(d->digit[d->n - 2]))
		d->n--;
}

static uint8_t
canonical_flags(uint8_t flags)
{
	const uint8_t both = GPURED_EXACT_PINF | GPURED_EXACT_NINF;

	if ((flags & GPURED_EXACT_NAN) || (flags & both) == both)
		flags = (uint8_t) ((flags & ~both) | GPURED_EXACT_NAN);
	return flags;
}

/* Beside NaN or an infinity a sum matters no more. */
static bool
sum_matters(GpuredMomentsKind kind, GpuredMomentsSum sum, uint8_t flags)
{
	const uint8_t special = GPURED_EXACT_NAN | GPURED_EXACT_PINF | GPURED_EXACT_NINF;
	bool		x = (flags & special) == 0;
	bool		y = (flags >> GPURED_MOMENTS_FLAGS_Y & special) == 0;

	if (sum == GPURED_SUM_X || sum == GPURED_SUM_XX)
		return kind != GPURED_MOMENTS_DOT && x;
	if (sum == GPURED_SUM_Y || sum == GPURED_SUM_YY)
		return kind == GPURED_MOMENTS_TWO && y;
	return kind != GPURED_MOMENTS_ONE && x && y;
}

static uint8_t
state_flags(const GpuredMoments *w)
{
	return (uint8_t) (canonical_flags(w->flags & 0xf) |
					  canonical_flags(w->flags >> GPURED_MOMENTS_FLAGS_Y & 7) << GPURED_MOMENTS_FLAGS_Y);
}

static uint8_t *
put64(uint8_t *p, uint64_t value)
{
	for (int shift = 56; shift >= 0; shift -= 8)
		*p++ = (uint8_t) (value >> shift);
	return p;
}

static uint64_t
get64(const uint8_t *p)
{
	uint64_t	value = 0;

	for (int i = 0; i < 8; i++)
		value = value << 8 | p[i];
	return value;
}

size_t
gpured_moments_write(const GpuredMoments *w, uint8_t *out)
{
	uint8_t    *p = out;
	uint8_t		flags = state_flags(w);

	if (w->kind != GPURED_MOMENTS_DOT)
		p = put64(p, w->limb[0]);
	*p++ = flags;
	for (int sum = 0; sum < GPURED_MOMENTS_SUMS; sum++)
	{
		Digits		d;

		if (!sum_matters(w->kind, sum, flags))
			continue;
		d.n = gpured_moments_digits(w, sum, d.digit, &d.first);
		trim(&d);
		*p++ = (uint8_t) d.first;
		*p++ = (uint8_t) d.n;
		for (int i = d.n - 1; i >= 0; i--)
			p = put64(p, d.digit[i]);
	}
	return p - out;
}

static bool
flags_are_canonical(GpuredMomentsKind kind, uint8_t flags)
{
	uint8_t		x = flags & 0xf;
	uint8_t		y = flags >> GPURED_MOMENTS_FLAGS_Y;

	if (canonical_flags(x) != x || canonical_flags(y) != y)
		return false;
	switch (kind)
	{
		case GPURED_MOMENTS_ONE:
			return y == 0 && !(x & GPURED_EXACT_NOT_NEGZERO);
		case GPURED_MOMENTS_TWO:
			return !((x | y) & GPURED_EXACT_NOT_NEGZERO);
		default:
			return y == 0 && (x == 0 || (x & GPURED_EXACT_NOT_NEGZERO));
	}
}

static bool
digits_are_canonical(const Digits *d, GpuredMomentsSum sum)
{
	int			limbs = is_value(sum) ? VALUE_LIMBS : PRODUCT_LIMBS;
	int64_t		limit = is_value(sum) ? VALUE_LIMIT : PRODUCT_LIMIT;
	int64_t		highest;

	if (d->n == 0)
		return d->first == 0;
	highest = (int64_t) d->digit[d->n - 1];
	if (d->digit[0] == 0 ||
		(d->n > 1 && d->digit[d->n - 1] == gpured_sign_limb(d->digit[d->n - 2])))
		return false;
	if (d->first == 0 && (d->digit[0] & (is_value(sum) ? VALUE_UNUSED : PRODUCT_UNUSED)))
		return false;
	return d->first + d->n < limbs || (highest < limit && highest >= -limit);
}

/* Whether a variable's sums leave it a variance that is not negative. */
static bool
variance_is_possible(const Digits *value, const Digits *square, int64_t n)
{
	GpuredBig	x;
	GpuredBig	xx;
	GpuredBig	count;
	GpuredBig	a;
	GpuredBig	b;
	uint64_t	aligned[GPURED_MOMENTS_MAX_LIMBS];
	int			zeros = square->first - 2 * value->first;

	if (square->n == 0)
		return value->n == 0;
	if (square->digit[square->n - 1] >> 63)
		return false;
	if (value->n == 0)
		return true;

	/* the lowest limbs of the sum of squares may be zero */
	gpured_big_set_digits(&x, value->digit, value->n);
	gpured_big_mul(&a, &x, &x);
	if (zeros < 0)
	{
		/* it has bits below those of the value squared: move that up */
		memmove(a.digit - zeros, a.digit, a.n * sizeof(uint64_t));
		memset(a.digit, 0, -zeros * sizeof(uint64_t));
		a.n -= zeros;
		zeros = 0;
	}
	memset(aligned, 0, zeros * sizeof(uint64_t));
	memcpy(aligned + zeros, square->digit, square->n * sizeof(uint64_t));
	gpured_big_set_digits(&xx, aligned, zeros + square->n);
	gpured_big_set(&count, (uint64_t) n);
	gpured_big_mul(&b, &count, &xx);
	gpured_big_sub(&b, &b, &a);
	return !b.negative;
}

/* The lowest pair that a variable must have, and the highest, for its own sums. */
static void
own_pairs(const Digits *value, const Digits *square, int *low, int *high)
{
	int			end;

	if (square->n == 0)
		return;
	*low = square->first / 2;
	if (value->n > 0 && value->first < *low)
		*low = value->first;
	end = (square->first + square->n + 1) / 2 - 2;
	if (value->n > 0 && value->first + value->n - 2 > end)
		end = value->first + value->n - 2;
	*high = end > *low ? end : *low;
}

/*
 * Pairs that hold all the sums.  The sum of products may start below those of the
 * squares if their lowest bits cancelled, and, in bytes from elsewhere, end
 * above.
 */
static bool
find_pairs(GpuredMomentsKind kind, const Digits *d, int *low, int *high)
{
	const Digits *xy = &d[GPURED_SUM_XY];

	low[0] = high[0] = low[1] = high[1] = GPURED_MOMENTS_PAIRS / 2 - 1;
	own_pairs(&d[GPURED_SUM_X], &d[GPURED_SUM_XX], &low[0], &high[0]);
	own_pairs(&d[GPURED_SUM_Y], &d[GPURED_SUM_YY], &low[1], &high[1]);
	if (xy->n == 0)
		return true;
	if (kind == GPURED_MOMENTS_DOT)
	{
		low[0] = high[0] = xy->first / 2;
		low[1] = high[1] = low[0];
	}
	else if (d[GPURED_SUM_XX].n == 0 || d[GPURED_SUM_YY].n == 0)
		return false;			/* nothing but zeros has no products */
	while (low[0] + low[1] > xy->first)
		low[low[0] < low[1]]--;
	while (high[0] + high[1] + 4 < xy->first + xy->n)
	{
		int			i = high[0] > high[1];

		if (++high[i] >= GPURED_MOMENTS_PAIRS)
			return false;
	}
	return true;
}

static GpuredMoments *
make_state(GpuredMomentsKind kind, int64_t rows, uint8_t flags, const Digits *d,
		   const int *low, const int *high, const GpuredAllocator *mem, void *arg)
{
	GpuredMoments *w = gpured_moments_create(kind, mem, arg);

	w->flags = flags;
	w = gpured_moments_cover(w, low, high, mem, arg);
	if (kind != GPURED_MOMENTS_DOT)
		w->limb[0] = (uint64_t) rows;
	for (int sum = 0; sum < GPURED_MOMENTS_SUMS; sum++)
	{
		if (d[sum].n > 0)
			gpured_moments_add_digits(w, sum, d[sum].first - gpured_moments_first(w, sum),
									  d[sum].digit, d[sum].n);
	}
	return w;
}

bool
gpured_moments_read(const uint8_t *bytes, size_t n, GpuredMomentsKind kind,
					GpuredMoments **result, const GpuredAllocator *mem, void *arg)
{
	Digits		d[GPURED_MOMENTS_SUMS];
	const uint8_t *p = bytes;
	const uint8_t *end = bytes + n;
	int			low[2];
	int			high[2];
	int64_t		rows = 1;
	uint8_t		flags;

	if (n < (kind == GPURED_MOMENTS_DOT ? 1 : 9))
		return false;
	if (kind != GPURED_MOMENTS_DOT)
	{
		rows = (int64_t) get64(p);
		p += 8;
	}
	flags = *p++;
	if (rows <= 0 || !flags_are_canonical(kind, flags))
		return false;
	for (int sum = 0; sum < GPURED_MOMENTS_SUMS; sum++)
	{
		d[sum].first = d[sum].n = 0;
		if (!sum_matters(kind, sum, flags))
			continue;
		if (end - p < 2)
			return false;
		d[sum].first = *p++;
		d[sum].n = *p++;
		if (d[sum].first + d[sum].n > (is_value(sum) ? VALUE_LIMBS : PRODUCT_LIMBS) ||
			end - p < 8 * d[sum].n)
			return false;
		for (int i = d[sum].n - 1; i >= 0; i--, p += 8)
			d[sum].digit[i] = get64(p);
		if (!digits_are_canonical(&d[sum], sum))
			return false;
	}
	if (p != end ||
		!variance_is_possible(&d[GPURED_SUM_X], &d[GPURED_SUM_XX], rows) ||
		!variance_is_possible(&d[GPURED_SUM_Y], &d[GPURED_SUM_YY], rows) ||
		(kind == GPURED_MOMENTS_DOT && d[GPURED_SUM_XY].n > 0 && !(flags & GPURED_EXACT_NOT_NEGZERO)) ||
		!find_pairs(kind, d, low, high))
		return false;

	*result = make_state(kind, rows, flags, d, low, high, mem, arg);
	return true;
}

/* Where each sum starts among a device's digits, in the order of GpuredMomentsSum. */
static const int device_digits[GPURED_MOMENTS_SUMS] = {
	GPURED_DIGITS_X, GPURED_DIGITS_XX, GPURED_DIGITS_Y, GPURED_DIGITS_YY, GPURED_DIGITS_XY
};

bool
gpured_moments_from_sums(GpuredMomentsKind kind, const GpuredMomentSums *sums, int64_t n,
						 GpuredMoments **result, const GpuredAllocator *mem, void *arg)
{
	Digits		d[GPURED_MOMENTS_SUMS];
	int			low[2];
	int			high[2];

	if (n <= 0 || !gpured_moment_sums_plausible(kind, sums, n))
		return false;
	for (int sum = 0; sum < GPURED_MOMENTS_SUMS; sum++)
	{
		d[sum].first = d[sum].n = 0;
		if (!sum_matters(kind, sum, 0))
			continue;
		d[sum].n = is_value(sum) ? GPURED_VALUE_DIGITS : GPURED_PRODUCT_DIGITS;
		memcpy(d[sum].digit, sums->digit + device_digits[sum], d[sum].n * sizeof(uint64_t));
		trim(&d[sum]);
	}
	if (!find_pairs(kind, d, low, high))
		return false;
	*result = make_state(kind, n, (uint8_t) sums->flags, d, low, high, mem, arg);
	return true;
}

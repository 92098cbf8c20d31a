/*
 * moments.c
 *	  Exact sums of products: growth, merging, frames.
 *
 * What is not the inline addition of moments.h.  The serialized form is in
 * moments_io.c.
 */
#include "exact/moments.h"

#include <math.h>

#include "exact/moments_layout.h"

#define NARROW			1		/* the span */
#define NARROW_BITS		32

/* Zeros and subnormals are below the span, NaN and the infinities above it. */
#define LEAST_NARROW_BASE	8
#define MOST_NARROW_BASE	2008

#define NARROW_LIMBS	3		/* at most, of a sum */

#define NARROW_MEMORY_LIMBS 14	/* the number of rows, and all sums */

/* The square of a narrow state's greatest value is less than 2 to this. */
#define NARROW_SQUARE_BITS	(2 * (53 + NARROW_BITS - 1))

/* In "flags", of a state that is a frame's. */
#define REMOVES			0x80	/* never serialized */

/* The exponent of 1, in a double. */
#define ORDINARY_EXPONENT 1023

static const int pair_classes[] = {1, 2, 4, 8, 16, GPURED_MOMENTS_PAIRS};

/* How many limbs a sum has; 0 if states of this kind do not have it. */
static int
sum_limbs(GpuredMomentsKind kind, GpuredMomentsSum sum, int sx, int sy)
{
	switch (sum)
	{
		case GPURED_SUM_X:
			return kind == GPURED_MOMENTS_DOT ? 0 : sx + 2;
		case GPURED_SUM_XX:
			return kind == GPURED_MOMENTS_DOT ? 0 : 2 * sx + 3;
		case GPURED_SUM_Y:
			return kind == GPURED_MOMENTS_TWO ? sy + 2 : 0;
		case GPURED_SUM_YY:
			return kind == GPURED_MOMENTS_TWO ? 2 * sy + 3 : 0;
		default:
			return kind == GPURED_MOMENTS_ONE ? 0 : sx + sy + 3;
	}
}

static int
limbs_of(const GpuredMoments *w, GpuredMomentsSum sum)
{
	return sum_limbs(w->kind, sum, w->span[0] / 2, w->span[1] / 2);
}

static uint64_t *
sum_of(GpuredMoments *w, GpuredMomentsSum sum)
{
	return w->limb + gpured_moments_offset(w->kind, sum, w->span[0] / 2, w->span[1] / 2);
}

/* The grid's bit where a sum begins. */
static int
first_bit(const GpuredMoments *w, GpuredMomentsSum sum)
{
	int			x = w->base[0] + 25;
	int			y = w->base[1] + 25;

	switch (sum)
	{
		case GPURED_SUM_X:
			return x;
		case GPURED_SUM_XX:
			return 2 * x;
		case GPURED_SUM_Y:
			return y;
		case GPURED_SUM_YY:
			return 2 * y;
		default:
			return x + y;
	}
}

int
gpured_moments_first(const GpuredMoments *w, GpuredMomentsSum sum)
{
	return first_bit(w, sum) / 64;
}

static size_t
memory_for(GpuredMomentsKind kind, int sx, int sy)
{
	/* a variable's own sums; and those of two, and products */
	int			limbs = 1 + 3 * sx + 5;

	if (kind == GPURED_MOMENTS_TWO)
		limbs += 3 * sy + 5 + sx + sy + 3;
	else if (kind == GPURED_MOMENTS_DOT)
		limbs = sx + sy + 3;
	return offsetof(GpuredMoments, limb) + limbs * sizeof(uint64_t);
}

size_t
gpured_moments_memory(const GpuredMoments *w)
{
	return memory_for(w->kind, w->span[0] / 2, w->span[1] / 2);
}

GpuredMoments *
gpured_moments_create(GpuredMomentsKind kind, const GpuredAllocator *mem, void *arg)
{
	GpuredMoments *w = mem->alloc(arg, memory_for(kind, 0, 0));

	memset(w, 0, offsetof(GpuredMoments, limb) + sizeof(uint64_t));
	w->kind = (uint8_t) kind;
	return w;
}

GpuredMoments *
gpured_moments_copy(const GpuredMoments *w, const GpuredAllocator *mem, void *arg)
{
	size_t		size = gpured_moments_memory(w);
	GpuredMoments *copy = mem->alloc(arg, size);

	memcpy(copy, w, size);
	return copy;
}

/* All sums to zero; the number of rows stays. */
static void
clear_sums(GpuredMoments *w)
{
	uint64_t   *end = (uint64_t *) ((char *) w + gpured_moments_memory(w));

	for (uint64_t *limb = w->limb + (w->kind != GPURED_MOMENTS_DOT); limb < end; limb++)
		*limb = GPURED_MOMENTS_BIAS;
}

/*
 * Pairs for a variable that must have low .. high besides what it has.  More
 * spare pairs are left below than above: data have more small exponents than
 * large ones.
 */
static void
place(int low, int high, int *first, int *span)
{
	int			class = 0;

	if (*span > 0)
	{
		if (low >= *first && high < *first + *span)
			return;
		if (low > *first)
			low = *first;
		if (high < *first + *span - 1)
			high = *first + *span - 1;
	}
	while (pair_classes[class] < high - low + 1)
		class++;
	*span = pair_classes[class];
	*first = low - (*span - (high - low + 1) + 1) / 2;
	if (*first < 0)
		*first = 0;
	if (*first > GPURED_MOMENTS_PAIRS - *span)
		*first = GPURED_MOMENTS_PAIRS - *span;
}

GpuredMoments *
gpured_moments_cover(GpuredMoments *w, const int *low, const int *high,
					 const GpuredAllocator *mem, void *arg)
{
	uint64_t	digit[GPURED_MOMENTS_MAX_LIMBS];
	GpuredMoments *new;
	int			first[2];
	int			pairs[2];

	for (int i = 0; i < 2; i++)
	{
		int			from = low[i];
		int			to = high[i];

		first[i] = (w->base[i] + 25) / 64;
		pairs[i] = w->span[i] / 2;
		if (w->span[i] == NARROW)
		{
			int			last = (w->base[i] + 25 + NARROW_BITS - 1) / 64;

			from = from < first[i] ? from : first[i];
			to = to > last ? to : last;
		}
		if (i == 0 || w->kind != GPURED_MOMENTS_ONE)
			place(from, to, &first[i], &pairs[i]);
	}
	if (2 * pairs[0] == w->span[0] && 2 * pairs[1] == w->span[1])
		return w;

	new = mem->alloc(arg, memory_for(w->kind, pairs[0], pairs[1]));
	new->kind = w->kind;
	new->flags = w->flags;
	for (int i = 0; i < 2; i++)
	{
		new->base[i] = (int16_t) (64 * first[i] - 25);
		new->span[i] = (uint8_t) (2 * pairs[i]);
	}
	clear_sums(new);
	if (w->kind != GPURED_MOMENTS_DOT)
		new->limb[0] = w->limb[0];
	for (int sum = 0; sum < GPURED_MOMENTS_SUMS; sum++)
	{
		int			at;
		int			n = gpured_moments_digits(w, sum, digit, &at);

		if (n > 0)
			gpured_moments_add_digits(new, sum, at - gpured_moments_first(new, sum), digit, n);
	}
	mem->release(arg, w);
	return new;
}

/* A carry, or a borrow if "sign" is set, into limb[0] and on.  It ends in the highest limb. */
__attribute__((noinline, cold))
void
gpured_moments_carry(uint64_t *limb, uint64_t sign)
{
	if (sign >> 63)
	{
		while ((*limb)-- == 0)
			limb++;
	}
	else
	{
		while (++*limb == 0)
			limb++;
	}
}

/* The exponent of a finite value; 0 for a zero, which fits anywhere. */
static int
exponent_of(double value)
{
	uint64_t	bits;
	int			exponent;

	memcpy(&bits, &value, sizeof(bits));
	if (bits << 1 == 0)
		return 0;
	exponent = (bits >> 52) & 0x7ff;
	return exponent > 0 ? exponent : 1;
}

/* Whether a variable of a narrow state has had nothing but zeros. */
static bool
is_unused(GpuredMoments *w, int variable)
{
	GpuredMomentsSum sum = w->kind == GPURED_MOMENTS_DOT ? GPURED_SUM_XY :
		variable == 0 ? GPURED_SUM_XX : GPURED_SUM_YY;
	uint64_t   *limb = sum_of(w, sum);

	return limb[0] == GPURED_MOMENTS_BIAS && limb[1] == GPURED_MOMENTS_BIAS &&
		limb[2] == GPURED_MOMENTS_BIAS;
}

/* A sum in two's complement from where it begins, not trimmed; the number of digits. */
static int
own_digits(const GpuredMoments *w, GpuredMomentsSum sum, uint64_t *digit)
{
	int			limbs = limbs_of(w, sum);
	const uint64_t *limb = sum_of((GpuredMoments *) w, sum);
	int64_t		carry = 0;

	if (w->span[0] == 0)
		return 0;
	for (int i = 0; i < limbs; i++)
	{
		__int128	t = (__int128) limb[i] - GPURED_MOMENTS_BIAS + carry;

		digit[i] = (uint64_t) t;
		carry = (int64_t) (t >> 64);
	}
	return limbs;
}

/* out = in * 2^k, rounded down where k is negative, in n digits of two's complement. */
static void
shift_digits(uint64_t *out, const uint64_t *in, int n, int k)
{
	uint64_t	sign = in[n - 1] >> 63 ? UINT64_MAX : 0;

	for (int i = 0; i < n; i++)
	{
		int			from = 64 * i - k;
		int			at = (from - (from & 63)) / 64;
		uint64_t	low = at < 0 ? 0 : at < n ? in[at] : sign;
		uint64_t	high = at + 1 < 0 ? 0 : at + 1 < n ? in[at + 1] : sign;

		out[i] = low >> (from & 63) | high << 1 << (63 - (from & 63));
	}
}

/*
 * Let a variable's values begin at another exponent, in a narrow state.  Returns
 * false, with nothing done, if its sums have bits below that, or so many above that
 * they could be filled by fewer rows than they are made for.  That they cannot, if
 * the mean of the squares is less than that of the greatest value of the span: then
 * so are, by the Cauchy-Schwarz inequality, those of the values and of the products.
 * Rows that are removed may leave a larger mean; then the sum has to be less.
 */
static bool
move_base(GpuredMoments *w, int variable, int base)
{
	uint64_t	moved[GPURED_MOMENTS_SUMS][NARROW_LIMBS];
	int			by = w->base[variable] - base;
	uint64_t	limit = w->kind == GPURED_MOMENTS_DOT || w->flags & REMOVES ? 1 : w->limb[0];

	for (int sum = 0; sum < GPURED_MOMENTS_SUMS; sum++)
	{
		uint64_t	digit[NARROW_LIMBS];
		uint64_t	back[NARROW_LIMBS];
		int			n = limbs_of(w, sum) > 0 ? own_digits(w, sum, digit) : 0;
		int			shift = sum == GPURED_SUM_XY ? by :
			(sum == GPURED_SUM_X || sum == GPURED_SUM_XX) != (variable == 0) ? 0 :
			sum == GPURED_SUM_X || sum == GPURED_SUM_Y ? by : 2 * by;

		if (n == 0)
			continue;
		shift_digits(moved[sum], digit, n, shift);
		shift_digits(back, moved[sum], n, -shift);
		if (memcmp(back, digit, n * sizeof(uint64_t)) != 0)
			return false;
		if ((sum == GPURED_SUM_XX || sum == GPURED_SUM_YY) &&
			moved[sum][2] >= limit << (NARROW_SQUARE_BITS - 128))
			return false;
	}
	clear_sums(w);
	for (int sum = 0; sum < GPURED_MOMENTS_SUMS; sum++)
	{
		if (limbs_of(w, sum) > 0)
			gpured_moments_add_digits(w, sum, 0, moved[sum], limbs_of(w, sum));
	}
	w->base[variable] = (int16_t) base;
	return true;
}

/*
 * Try a row in a narrow state, which takes the exponents about those of its first
 * values, and moves if it can.  Where it begins is a multiple of eight, so that it
 * seldom moves, and states of like data begin at the same place.
 */
static bool
fit_narrow(GpuredMoments *w, double x, double y, bool remove)
{
	int			exponent[2] = {exponent_of(x), exponent_of(y)};
	bool		first = w->span[0] == 0;

	if (w->span[0] > NARROW)
		return false;
	if (first)
	{
		w->span[0] = NARROW;
		w->span[1] = w->kind == GPURED_MOMENTS_ONE ? 0 : NARROW;
		clear_sums(w);
	}
	for (int i = 0; i < 2; i++)
	{
		int			base = w->base[i];
		bool		fresh;

		if (w->span[i] != NARROW)
			continue;
		fresh = first || is_unused(w, i);
		if (fresh)
			base = ((exponent[i] > 0 ? exponent[i] : ORDINARY_EXPONENT) - NARROW_BITS / 2) & ~7;
		else if (exponent[i] > 0 && exponent[i] < base)
			base = exponent[i] & ~7;
		else if (exponent[i] >= base + NARROW_BITS)
			base = (exponent[i] - NARROW_BITS + 8) & ~7;
		if (base < LEAST_NARROW_BASE)
			base = LEAST_NARROW_BASE;
		if (base > MOST_NARROW_BASE)
			base = MOST_NARROW_BASE;
		if (fresh)
			w->base[i] = (int16_t) base;
		else if (base != w->base[i] && !move_base(w, i, base))
			return false;
	}
	return gpured_moments_fit(w, w->kind, x, y, remove);
}

static uint8_t
special_flag(double value)
{
	if (value != value)
		return GPURED_EXACT_NAN;
	return value > 0 ? GPURED_EXACT_PINF : GPURED_EXACT_NINF;
}

/*
 * A row that did not fit, or that has NaN or an infinity.  Such a value is noted
 * in the flags and leaves the sums as a zero would.
 */
__attribute__((noinline, cold))
GpuredMoments *
gpured_moments_add_slow(GpuredMoments *w, double x, double y, bool remove,
						const GpuredAllocator *mem, void *arg)
{
	int			exponent[2];
	int			pair[2];

	if (w->kind == GPURED_MOMENTS_DOT)
	{
		if (!gpured_is_finite(x) || !gpured_is_finite(y))
		{
			w->flags |= special_flag(x * y);
			x = y = 0;
		}
	}
	else
	{
		if (!gpured_is_finite(x))
		{
			w->flags |= special_flag(x);
			x = 0;
		}
		if (!gpured_is_finite(y))
		{
			w->flags |= special_flag(y) << GPURED_MOMENTS_FLAGS_Y;
			y = 0;
		}
	}

	if (!fit_narrow(w, x, y, remove))
	{
		exponent[0] = exponent_of(x);
		exponent[1] = exponent_of(y);
		for (int i = 0; i < 2; i++)
			pair[i] = ((exponent[i] > 0 ? exponent[i] : w->base[i]) + 25) / 64;
		w = gpured_moments_cover(w, pair, pair, mem, arg);
		gpured_moments_fit(w, w->kind, x, y, remove);
	}
	return w;
}

int
gpured_moments_digits(const GpuredMoments *w, GpuredMomentsSum sum, uint64_t *digit, int *first)
{
	int			n = own_digits(w, sum, digit);
	int			shift = first_bit(w, sum) % 64;

	*first = first_bit(w, sum) / 64;
	if (n == 0 || shift == 0)
		return n;
	digit[n] = (uint64_t) ((int64_t) digit[n - 1] >> (64 - shift));
	for (int i = n - 1; i > 0; i--)
		digit[i] = digit[i] << shift | digit[i - 1] >> (64 - shift);
	digit[0] <<= shift;
	return n + 1;
}

void
gpured_moments_add_digits(GpuredMoments *w, GpuredMomentsSum sum, int at,
						  const uint64_t *digit, int n)
{
	int			limbs = limbs_of(w, sum);
	uint64_t   *limb = sum_of(w, sum);
	uint64_t	sign = n > 0 && digit[n - 1] >> 63 ? UINT64_MAX : 0;
	uint64_t	carry = 0;

	for (int i = at, j = 0; i < limbs; i++, j++)
	{
		unsigned __int128 t = (unsigned __int128) limb[i] + (j < n ? digit[j] : sign) + carry;

		limb[i] = (uint64_t) t;
		carry = (uint64_t) (t >> 64);
	}
}

/* Whether the sums of two narrow states can be added as they are. */
static bool
can_stay_narrow(const GpuredMoments *w, const GpuredMoments *src)
{
	const int64_t limit = INT64_C(1) << 62;

	if (w->span[0] != NARROW || src->span[0] != NARROW ||
		w->base[0] != src->base[0] || w->base[1] != src->base[1])
		return false;
	if (w->kind == GPURED_MOMENTS_DOT)
	{
		/* the highest limbs, less their bias */
		int64_t		a = (int64_t) (w->limb[2] - GPURED_MOMENTS_BIAS);
		int64_t		b = (int64_t) (src->limb[2] - GPURED_MOMENTS_BIAS);

		return a > -limit / 2 && a < limit / 2 && b > -limit / 2 && b < limit / 2;
	}
	return w->limb[0] + src->limb[0] <= UINT64_C(1) << GPURED_NARROW_ROWS_LOG2;
}

/*
 * Let two narrow states begin at the same places, if they can; "src" is replaced
 * by the copy if it has to move.
 */
static void
move_together(GpuredMoments *w, const GpuredMoments **src, GpuredMoments *copy)
{
	if (w->span[0] != NARROW || (*src)->span[0] != NARROW)
		return;
	memcpy(copy, *src, gpured_moments_memory(*src));
	for (int i = 0; i < (w->kind == GPURED_MOMENTS_ONE ? 1 : 2); i++)
	{
		int			base = w->base[i] < copy->base[i] ? w->base[i] : copy->base[i];

		if (is_unused(w, i))
			base = copy->base[i];
		else if (is_unused(copy, i))
			base = w->base[i];
		if (base != w->base[i])
			(void) move_base(w, i, base);
		if (base != copy->base[i] && move_base(copy, i, base))
			*src = copy;
	}
}

GpuredMoments *
gpured_moments_merge(GpuredMoments *w, const GpuredMoments *src,
					 const GpuredAllocator *mem, void *arg)
{
	union
	{
		GpuredMoments moments;
		uint64_t	room[1 + NARROW_MEMORY_LIMBS];
	}			copy;
	uint64_t	digit[GPURED_MOMENTS_SUMS][GPURED_MOMENTS_MAX_LIMBS];
	int			n[GPURED_MOMENTS_SUMS];
	int			first[GPURED_MOMENTS_SUMS];
	int			low[2];
	int			high[2];
	uint8_t		flags = src->flags;
	int64_t		rows = gpured_moments_rows(src);
	bool		narrow;

	if (src->span[0] == 0)
		return w;
	move_together(w, &src, &copy.moments);
	narrow = can_stay_narrow(w, src);

	/* src may be w, which goes away if it grows */
	for (int sum = 0; sum < GPURED_MOMENTS_SUMS; sum++)
	{
		if (narrow)
			n[sum] = own_digits(src, sum, digit[sum]);
		else
			n[sum] = gpured_moments_digits(src, sum, digit[sum], &first[sum]);
	}
	if (!narrow)
	{
		for (int i = 0; i < 2; i++)
		{
			low[i] = (src->base[i] + 25) / 64;
			high[i] = (src->base[i] + 25 + (src->span[i] > 0 ? 32 * src->span[i] - 1 : 0)) / 64;
		}
		w = gpured_moments_cover(w, low, high, mem, arg);
	}
	for (int sum = 0; sum < GPURED_MOMENTS_SUMS; sum++)
	{
		if (n[sum] > 0)
			gpured_moments_add_digits(w, sum, narrow ? 0 : first[sum] - gpured_moments_first(w, sum),
									  digit[sum], n[sum]);
	}
	if (w->kind != GPURED_MOMENTS_DOT)
		w->limb[0] += (uint64_t) rows;
	w->flags |= flags;
	return w;
}

/* The sum of values in a narrow state: its magnitude, and whether it is negative. */
static bool
narrow_value(const GpuredMoments *w, GpuredMomentsSum sum, uint64_t *magnitude)
{
	const uint64_t *limb = w->limb + gpured_moments_offset(w->kind, sum, 0, 0);
	const unsigned __int128 bias = (unsigned __int128) GPURED_MOMENTS_BIAS << 64 | GPURED_MOMENTS_BIAS;
	unsigned __int128 t = ((unsigned __int128) limb[1] << 64 | limb[0]) - bias;
	bool		negative = t >> 127 != 0;

	if (negative)
		t = -t;
	magnitude[0] = (uint64_t) t;
	magnitude[1] = (uint64_t) (t >> 64);
	return negative;
}

/* The same of a sum of products, which has three limbs. */
static bool
narrow_product(const GpuredMoments *w, GpuredMomentsSum sum, uint64_t *magnitude)
{
	const uint64_t *limb = w->limb + gpured_moments_offset(w->kind, sum, 0, 0);
	uint64_t	carry = 0;
	uint64_t	sign;

	for (int i = 0; i < 3; i++)
	{
		unsigned __int128 t = (unsigned __int128) limb[i] - GPURED_MOMENTS_BIAS - carry;

		magnitude[i] = (uint64_t) t;
		carry = (uint64_t) (t >> 64) & 1;
	}
	sign = magnitude[2] >> 63 ? UINT64_MAX : 0;
	carry = sign & 1;
	for (int i = 0; i < 3; i++)
	{
		magnitude[i] = (magnitude[i] ^ sign) + carry;
		carry &= magnitude[i] == 0;
	}
	return sign != 0;
}

/* The limbs that matter, and the sign. */
static void
set_length(GpuredBig *r, int limbs, bool negative)
{
	while (limbs > 0 && r->digit[limbs - 1] == 0)
		limbs--;
	r->n = limbs;
	r->negative = negative && limbs > 0;
}

void
gpured_moments_get(const GpuredMoments *w, GpuredMomentsSum sum, GpuredBig *r)
{
	uint64_t	digit[GPURED_MOMENTS_MAX_LIMBS];
	int			limbs = limbs_of(w, sum);

	if (w->span[0] == NARROW && limbs == 2)
		set_length(r, 2, narrow_value(w, sum, r->digit));
	else if (w->span[0] == NARROW && limbs == 3)
		set_length(r, 3, narrow_product(w, sum, r->digit));
	else
		gpured_big_set_digits(r, digit, own_digits(w, sum, digit));
}

/* r = +-a[] * b[], of 2 * 2 or 3 * 1 limbs */
static void
set_product(GpuredBig *r, bool negative, const uint64_t *a, int a_limbs, const uint64_t *b, int b_limbs)
{
	memset(r->digit, 0, 4 * sizeof(uint64_t));
	for (int j = 0; j < b_limbs; j++)
	{
		uint64_t	carry = 0;

		for (int i = 0; i < a_limbs; i++)
		{
			unsigned __int128 t = (unsigned __int128) a[i] * b[j] + r->digit[i + j] + carry;

			r->digit[i + j] = (uint64_t) t;
			carry = (uint64_t) (t >> 64);
		}
		r->digit[a_limbs + j] = carry;
	}
	set_length(r, 4, negative);
}

/* In a narrow state all is known to be short: most groups of a few rows have one. */
static void
narrow_centered(const GpuredMoments *w, uint64_t n, GpuredMomentsSum a, GpuredMomentsSum b,
				GpuredMomentsSum ab, GpuredBig *r)
{
	uint64_t	product[3];
	uint64_t	x[2];
	uint64_t	y[2];
	GpuredBig	sums;
	bool		negative;

	negative = narrow_product(w, ab, product);
	set_product(r, negative, product, 3, &n, 1);
	negative = narrow_value(w, a, x);
	if (a == b)
		set_product(&sums, false, x, 2, x, 2);
	else
	{
		negative ^= narrow_value(w, b, y);
		set_product(&sums, negative, x, 2, y, 2);
	}
	gpured_big_sub(r, r, &sums);
}

void
gpured_moments_centered(const GpuredMoments *w, int64_t n, GpuredMomentsSum a,
						GpuredMomentsSum b, GpuredMomentsSum ab, GpuredBig *r)
{
	GpuredBig	rows;
	GpuredBig	sum_a;
	GpuredBig	sum_b;
	GpuredBig	product;

	if (w->span[0] == NARROW)
	{
		narrow_centered(w, (uint64_t) n, a, b, ab, r);
		return;
	}
	gpured_moments_get(w, ab, &product);
	gpured_big_set(&rows, (uint64_t) n);
	gpured_big_mul(r, &rows, &product);
	gpured_moments_get(w, a, &sum_a);
	if (a == b)
		gpured_big_mul(&product, &sum_a, &sum_a);
	else
	{
		gpured_moments_get(w, b, &sum_b);
		gpured_big_mul(&product, &sum_a, &sum_b);
	}
	gpured_big_sub(r, r, &product);
}

void
gpured_moving_moments_init(GpuredMovingMoments *s, GpuredMomentsKind kind,
						   const GpuredAllocator *mem, void *arg)
{
	memset(s, 0, sizeof(*s));
	s->sums = gpured_moments_create(kind, mem, arg);
	s->sums->flags = REMOVES;
}

/* Count NaN or an infinity in (1) or out (-1). */
static void
count_special(GpuredMovingMoments *s, int variable, double value, int64_t count)
{
	switch (special_flag(value))
	{
		case GPURED_EXACT_NAN:
			s->nan[variable] += count;
			break;
		case GPURED_EXACT_PINF:
			s->pinf[variable] += count;
			break;
		default:
			s->ninf[variable] += count;
	}
}

static inline __attribute__((always_inline))
GpuredMoments *
add_or_remove(GpuredMoments *w, GpuredMomentsKind kind, double x, double y, bool remove,
			  const GpuredAllocator *mem, void *arg)
{
	if (remove)
		return gpured_moments_add(w, kind, x, y, true, mem, arg);
	return gpured_moments_add(w, kind, x, y, false, mem, arg);
}

void
gpured_moving_moments_add(GpuredMovingMoments *s, double x, double y, bool remove,
						  const GpuredAllocator *mem, void *arg)
{
	int64_t		count = remove ? -1 : 1;

	s->n += count;
	switch (s->sums->kind)
	{
		case GPURED_MOMENTS_ONE:
			if (!gpured_is_finite(x))
			{
				count_special(s, 0, x, count);
				x = 0;
			}
			s->sums = add_or_remove(s->sums, GPURED_MOMENTS_ONE, x, y, remove, mem, arg);
			break;
		case GPURED_MOMENTS_TWO:
			if (!gpured_is_finite(x))
			{
				count_special(s, 0, x, count);
				x = 0;
			}
			if (!gpured_is_finite(y))
			{
				count_special(s, 1, y, count);
				y = 0;
			}
			s->sums = add_or_remove(s->sums, GPURED_MOMENTS_TWO, x, y, remove, mem, arg);
			break;
		default:
			if (!gpured_is_finite(x) || !gpured_is_finite(y))
			{
				count_special(s, 0, x * y, count);
				x = y = 0;
			}
			/* the product of two signs, also where it underflows */
			if ((x != 0 && y != 0) || !signbit(x) == !signbit(y))
				s->not_negzero += count;
			s->sums = add_or_remove(s->sums, GPURED_MOMENTS_DOT, x, y, remove, mem, arg);
	}
}

uint32_t
gpured_moving_moments_flags(const GpuredMovingMoments *s)
{
	uint32_t	flags = s->not_negzero > 0 ? GPURED_EXACT_NOT_NEGZERO : 0;

	for (int i = 0; i < 2; i++)
		flags |= ((s->nan[i] > 0 ? GPURED_EXACT_NAN : 0) |
				  (s->pinf[i] > 0 ? GPURED_EXACT_PINF : 0) |
				  (s->ninf[i] > 0 ? GPURED_EXACT_NINF : 0)) << (i * GPURED_MOMENTS_FLAGS_Y);
	return flags;
}

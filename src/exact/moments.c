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

/* The pair of values from 2^-24 to 2^40. */
#define ORDINARY_PAIR	16

static const int span_classes[] = {1, 2, 4, 8, 16, GPURED_MOMENTS_PAIRS};

int
gpured_moments_limbs(GpuredMomentsKind kind, GpuredMomentsSum sum, int sx, int sy)
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

int
gpured_moments_first(const GpuredMoments *w, GpuredMomentsSum sum)
{
	int			fx = (w->base[0] + 25) / 64;
	int			fy = (w->base[1] + 25) / 64;

	switch (sum)
	{
		case GPURED_SUM_X:
			return fx;
		case GPURED_SUM_XX:
			return 2 * fx;
		case GPURED_SUM_Y:
			return fy;
		case GPURED_SUM_YY:
			return 2 * fy;
		default:
			return fx + fy;
	}
}

static size_t
memory_for(GpuredMomentsKind kind, int sx, int sy)
{
	size_t		limbs = 0;

	for (int sum = 0; sum < GPURED_MOMENTS_SUMS; sum++)
		limbs += gpured_moments_limbs(kind, sum, sx, sy);
	return offsetof(GpuredMoments, limb) + limbs * sizeof(uint64_t);
}

size_t
gpured_moments_memory(const GpuredMoments *w)
{
	/* a state of no rows has room for the smallest spans */
	return memory_for(w->kind, w->span[0] > 0 ? w->span[0] : 1, w->span[1] > 0 ? w->span[1] : 1);
}

GpuredMoments *
gpured_moments_create(GpuredMomentsKind kind, const GpuredAllocator *mem, void *arg)
{
	GpuredMoments *w = mem->alloc(arg, memory_for(kind, 1, 1));

	memset(w, 0, offsetof(GpuredMoments, limb));
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
	while (span_classes[class] < high - low + 1)
		class++;
	*span = span_classes[class];
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
	GpuredMoments *new;
	int			first[2];
	int			span[2];

	for (int i = 0; i < 2; i++)
	{
		first[i] = (w->base[i] + 25) / 64;
		span[i] = w->span[i];
		if (i == 0 || w->kind != GPURED_MOMENTS_ONE)
			place(low[i], high[i], &first[i], &span[i]);
	}
	if (span[0] == w->span[0] && span[1] == w->span[1])
		return w;

	new = w;
	if (w->span[0] > 0 || span[0] > 1 || span[1] > 1)
		new = mem->alloc(arg, memory_for(w->kind, span[0], span[1]));
	new->n = w->n;
	new->kind = w->kind;
	new->flags = w->flags;
	for (int i = 0; i < 2; i++)
	{
		new->base[i] = (int16_t) (64 * first[i] - 25);
		new->span[i] = (uint8_t) span[i];
	}
	for (int sum = 0; sum < GPURED_MOMENTS_SUMS; sum++)
	{
		int			limbs = gpured_moments_limbs(new->kind, sum, span[0], span[1]);
		uint64_t   *to = new->limb + gpured_moments_offset(new->kind, sum, span[0], span[1]);

		for (int i = 0; i < limbs; i++)
			to[i] = GPURED_MOMENTS_BIAS;
		if (new != w && w->span[0] > 0 && limbs > 0)
			memcpy(to + gpured_moments_first(w, sum) - gpured_moments_first(new, sum),
				   w->limb + gpured_moments_offset(w->kind, sum, w->span[0], w->span[1]),
				   gpured_moments_limbs(w->kind, sum, w->span[0], w->span[1]) * sizeof(uint64_t));
	}
	if (new != w)
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

/* The pair of a finite value. */
static int
pair_of(double value)
{
	uint64_t	bits;
	int			exponent;

	memcpy(&bits, &value, sizeof(bits));
	if (bits << 1 == 0)
		return ORDINARY_PAIR;
	exponent = (bits >> 52) & 0x7ff;
	return ((exponent > 0 ? exponent : 1) + 25) / 64;
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
gpured_moments_add_slow(GpuredMoments *w, double x, double y,
						const GpuredAllocator *mem, void *arg)
{
	int			low[2];

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

	/* a zero fits anywhere, once there are pairs */
	low[0] = x == 0 && w->span[0] > 0 ? (w->base[0] + 25) / 64 : pair_of(x);
	low[1] = y == 0 && w->span[1] > 0 ? (w->base[1] + 25) / 64 : pair_of(y);
	w = gpured_moments_cover(w, low, low, mem, arg);
	switch (w->kind)
	{
		case GPURED_MOMENTS_ONE:
			return gpured_moments_add(w, GPURED_MOMENTS_ONE, x, y, false, mem, arg);
		case GPURED_MOMENTS_TWO:
			return gpured_moments_add(w, GPURED_MOMENTS_TWO, x, y, false, mem, arg);
		default:
			return gpured_moments_add(w, GPURED_MOMENTS_DOT, x, y, false, mem, arg);
	}
}

int
gpured_moments_digits(const GpuredMoments *w, GpuredMomentsSum sum, uint64_t *digit)
{
	int			limbs = gpured_moments_limbs(w->kind, sum, w->span[0], w->span[1]);
	const uint64_t *limb = w->limb +
		gpured_moments_offset(w->kind, sum, w->span[0], w->span[1]);
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

void
gpured_moments_add_digits(GpuredMoments *w, GpuredMomentsSum sum, int first,
						  const uint64_t *digit, int n)
{
	int			limbs = gpured_moments_limbs(w->kind, sum, w->span[0], w->span[1]);
	uint64_t   *limb = w->limb + gpured_moments_offset(w->kind, sum, w->span[0], w->span[1]);
	uint64_t	sign = n > 0 && digit[n - 1] >> 63 ? UINT64_MAX : 0;
	uint64_t	carry = 0;

	for (int i = first - gpured_moments_first(w, sum), j = 0; i < limbs; i++, j++)
	{
		unsigned __int128 t = (unsigned __int128) limb[i] + (j < n ? digit[j] : sign) + carry;

		limb[i] = (uint64_t) t;
		carry = (uint64_t) (t >> 64);
	}
}

GpuredMoments *
gpured_moments_merge(GpuredMoments *w, const GpuredMoments *src,
					 const GpuredAllocator *mem, void *arg)
{
	uint64_t	digit[GPURED_MOMENTS_MAX_LIMBS];
	int			low[2];
	int			high[2];

	if (src->span[0] == 0)
		return w;
	for (int i = 0; i < 2; i++)
	{
		low[i] = (src->base[i] + 25) / 64;
		high[i] = low[i] + src->span[i] - 1;
	}
	w = gpured_moments_cover(w, low, high, mem, arg);
	for (int sum = 0; sum < GPURED_MOMENTS_SUMS; sum++)
	{
		int			n = gpured_moments_digits(src, sum, digit);

		if (n > 0)
			gpured_moments_add_digits(w, sum, gpured_moments_first(src, sum), digit, n);
	}
	w->n += src->n;
	w->flags |= src->flags;
	return w;
}

void
gpured_moments_get(const GpuredMoments *w, GpuredMomentsSum sum, GpuredBig *r)
{
	uint64_t	digit[GPURED_MOMENTS_MAX_LIMBS];

	gpured_big_set_digits(r, digit, gpured_moments_digits(w, sum, digit));
}

void
gpured_moving_moments_init(GpuredMovingMoments *s, GpuredMomentsKind kind,
						   const GpuredAllocator *mem, void *arg)
{
	memset(s, 0, sizeof(*s));
	s->sums = gpured_moments_create(kind, mem, arg);
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

/*
 * window.c
 *	  The exact float sum of one group: growth, merging and the serialized form.
 *
 * What is not the inline addition of window.h.  All of it works on spans: a
 * window, a double and a serialized state turn into one, and one function adds
 * a span to a window.
 *
 * The grid has limbs 0 to 33.  The largest double has its top bit in limb 33,
 * and 2^63 of them stay below 2^1087, so that "top" holds what is above the
 * last limb.  Below the last limb "top" may come near its limits, after some
 * 2^30 large values; the window then grows by a limb.
 */
#include "exact/window.h"

#include "exact/span.h"

#define GRID_LIMBS		34
#define BIAS			(UINT64_C(1) << 63)
#define TOP_LIMIT		(INT32_C(1) << 30)

/* The last pair whose values are not for the inline addition: from 2^1000 on. */
#define CLOSED_PAIR		32

/* The pair of values from 2^-24 to 2^40. */
#define ORDINARY_PAIR	16

#define VERSION			1
#define HEADER_BYTES	4

/* No sum of 2^63 doubles has a limb 34 beyond this. */
#define LIMB34_LIMIT	(INT64_C(1) << 20)

/* Values are multiples of 2^-1074, which is bit 26 of limb 0. */
#define LIMB0_UNUSED	((UINT64_C(1) << 26) - 1)

static const int size_classes[] = {3, 7, 15, 31, GRID_LIMBS};

static int
window_first(const GpuredWindow *w)
{
	return (w->base + 25) / 64;
}

/*
 * A window whose open pairs reach the closed one also has the closed one's
 * second limb: windows never end between the two.
 */
static int
window_limbs(const GpuredWindow *w)
{
	if (w->pairs == 0)
		return size_classes[0];
	return w->pairs + 1 + (window_first(w) + w->pairs == CLOSED_PAIR);
}

static uint32_t
window_flags(const GpuredWindow *w)
{
	return w->flags | (w->pairs > 0 ? GPURED_EXACT_NOT_NEGZERO : 0);
}

static void
span_of_window(GpuredSpan *s, const GpuredWindow *w)
{
	int			limbs = window_limbs(w);
	int64_t		carry = 0;

	s->first = 0;
	s->n = 0;
	if (w->pairs == 0)
		return;
	for (int i = 0; i < limbs; i++)
	{
		__int128	t = (__int128) w->limb[i] - BIAS + carry;

		s->digit[i] = (uint64_t) t;
		carry = (int64_t) (t >> 64);
	}
	s->digit[limbs] = (uint64_t) (w->top + carry);
	s->first = window_first(w);
	s->n = limbs + 1;
	gpured_span_trim(s);
}

/* The grid's pair of limbs for a finite value; bit 0 of its mantissa in *shift. */
static int
double_pair(uint64_t bits, int *shift)
{
	int			exponent = (bits >> 52) & 0x7ff;
	int			bit = (exponent > 0 ? exponent : 1) + 25;

	*shift = bit % 64;
	return bit / 64;
}

static void
span_of_double(GpuredSpan *s, uint64_t bits)
{
	unsigned __int128 m = bits & ((UINT64_C(1) << 52) - 1);
	int			shift;

	s->first = double_pair(bits, &shift);
	if ((bits >> 52) & 0x7ff)
		m |= UINT64_C(1) << 52;
	m <<= shift;
	if (bits >> 63)
		m = -m;
	s->digit[0] = (uint64_t) m;
	s->digit[1] = (uint64_t) (m >> 64);
	s->n = 2;
	gpured_span_trim(s);
}

/*
 * Whether n limbs can hold the grid's limbs low .. high; if so, where they
 * start.  Spare limbs are left on both sides, one more below than above: data
 * have more small exponents than large ones.
 */
static bool
place_window(int n, int low, int high, int *first)
{
	int			spare = n - (high - low + 1);

	if (spare < 0)
		return false;
	*first = low - (spare + 1) / 2;
	if (*first < 0)
		*first = 0;
	if (*first > GRID_LIMBS - n)
		*first = GRID_LIMBS - n;

	/* Do not end between the closed pair's two limbs. */
	if (*first + n == GRID_LIMBS - 1)
	{
		if (low > *first)
			(*first)++;
		else if (high < *first + n - 1 && *first > 0)
			(*first)--;
		else
			return false;
	}
	return true;
}

/*
 * Give the window the grid's limbs low .. high besides those it has.  It
 * never loses limbs, so it moves a few times in its life at most.
 */
static GpuredWindow *
window_cover(GpuredWindow *w, int low, int high, const GpuredAllocator *mem, void *arg)
{
	GpuredWindow *new;
	int			limbs = window_limbs(w);
	int			old_first = window_first(w);
	int			class = 0;
	int			first;

	if (high > GRID_LIMBS - 1)
		high = GRID_LIMBS - 1;
	if (low > high)
		low = high;
	if (w->pairs > 0)
	{
		if (low >= old_first && high < old_first + limbs)
			return w;
		if (low > old_first)
			low = old_first;
		if (high < old_first + limbs - 1)
			high = old_first + limbs - 1;
	}
	while (!place_window(size_classes[class], low, high, &first))
		class++;

	if (w->pairs == 0 && class == 0)
		new = w;
	else
		new = mem->alloc(arg, offsetof(GpuredWindow, limb) +
						 size_classes[class] * sizeof(uint64_t));

	for (int i = 0; i < size_classes[class]; i++)
	{
		int			j = first + i - old_first;

		if (w->pairs > 0 && j >= 0 && j < limbs)
			new->limb[i] = w->limb[j];
		else if (w->pairs > 0 && j == limbs)
			new->limb[i] = BIAS + (uint64_t) (int64_t) w->top;
		else
			new->limb[i] = BIAS;
	}

	/* "top" has moved into a limb, unless the window still ends where it did. */
	new->top = w->pairs > 0 &&
		first + size_classes[class] == old_first + limbs ? w->top : 0;
	new->base = (int16_t) (64 * first - 25);
	new->pairs = (uint8_t) (size_classes[class] - 1);
	if (first + size_classes[class] == GRID_LIMBS)
		new->pairs--;
	new->flags = w->flags;
	if (new != w)
		mem->release(arg, w);
	return new;
}

static GpuredWindow *
window_add_span(GpuredWindow *w, const GpuredSpan *s, const GpuredAllocator *mem, void *arg)
{
	uint64_t	sign = gpured_span_sign(s);
	uint64_t	carry = 0;
	int			limbs;
	int			first;
	int			i;
	int			j;

	if (s->n == 0)
		return w;
	w = window_cover(w, s->first, s->first + s->n - 1, mem, arg);
	limbs = window_limbs(w);
	first = window_first(w);

	for (i = s->first - first, j = 0; i < limbs; i++, j++)
	{
		uint64_t	digit = j < s->n ? s->digit[j] : sign;
		unsigned __int128 t;

		/* a carry into a negative number's sign limbs ends there */
		if (j >= s->n && digit + carry == 0)
			break;
		t = (unsigned __int128) w->limb[i] + digit + carry;
		w->limb[i] = (uint64_t) t;
		carry = (uint64_t) (t >> 64);
	}

	/* what is above the window: the span's own limb 34, or its sign */
	if (i == limbs)
		w->top = (int32_t) ((uint32_t) w->top + (uint32_t) carry +
							(uint32_t) (j < s->n ? s->digit[j] : sign));
	if ((w->top > TOP_LIMIT || w->top < -TOP_LIMIT) && first + limbs < GRID_LIMBS)
		w = window_cover(w, first, first + limbs, mem, arg);
	return w;
}

GpuredWindow *
gpured_window_create(const GpuredAllocator *mem, void *arg)
{
	GpuredWindow *w = mem->alloc(arg, offsetof(GpuredWindow, limb) +
								 size_classes[0] * sizeof(uint64_t));

	memset(w, 0, offsetof(GpuredWindow, limb) + size_classes[0] * sizeof(uint64_t));
	return w;
}

GpuredWindow *
gpured_window_copy(const GpuredWindow *w, const GpuredAllocator *mem, void *arg)
{
	size_t		size = gpured_window_memory(w);
	GpuredWindow *copy = mem->alloc(arg, size);

	memcpy(copy, w, size);
	return copy;
}

size_t
gpured_window_memory(const GpuredWindow *w)
{
	return offsetof(GpuredWindow, limb) + window_limbs(w) * sizeof(uint64_t);
}

__attribute__((noinline, cold))
GpuredWindow *
gpured_window_add_slow(GpuredWindow *w, double value,
					   const GpuredAllocator *mem, void *arg)
{
	GpuredSpan	s;
	uint64_t	bits;
	int			pair;
	int			shift;

	memcpy(&bits, &value, sizeof(bits));
	if (!gpured_is_finite(value))
	{
		if (bits << 12)
			w->flags |= GPURED_EXACT_NAN;
		else
			w->flags |= bits >> 63 ? GPURED_EXACT_NINF : GPURED_EXACT_PINF;
		w->flags |= GPURED_EXACT_NOT_NEGZERO;
		return w;
	}
	if (bits << 1 == 0)
	{
		/* +0 opens the window, so that the next one is added inline */
		if (!(bits >> 63) && w->pairs == 0)
			w = window_cover(w, ORDINARY_PAIR, ORDINARY_PAIR + 1, mem, arg);
		return w;
	}
	pair = double_pair(bits, &shift);
	w = window_cover(w, pair, pair + 1, mem, arg);
	if (gpured_window_fit(w, value))
		return w;
	span_of_double(&s, bits);
	return window_add_span(w, &s, mem, arg);
}

GpuredWindow *
gpured_window_merge(GpuredWindow *w, const GpuredWindow *src,
					const GpuredAllocator *mem, void *arg)
{
	GpuredSpan	s;
	uint8_t		flags = (uint8_t) window_flags(src);

	span_of_window(&s, src);
	w = window_add_span(w, &s, mem, arg);
	w->flags |= flags;
	return w;
}

GpuredWindow *
gpured_window_add_exact(GpuredWindow *w, const GpuredExact *src,
						const GpuredAllocator *mem, void *arg)
{
	GpuredSpan	s;

	gpured_span_of_exact(&s, src);
	w = window_add_span(w, &s, mem, arg);
	w->flags |= src->flags & (GPURED_EXACT_NAN | GPURED_EXACT_PINF |
							  GPURED_EXACT_NINF | GPURED_EXACT_NOT_NEGZERO);
	return w;
}

GpuredWindow *
gpured_window_add_scaled(GpuredWindow *w, int64_t k, int exponent,
						 const GpuredAllocator *mem, void *arg)
{
	GpuredSpan	s;
	int			bit = exponent - GPURED_EXACT_BIT0;
	unsigned __int128 t = (unsigned __int128) k << bit % 64;

	s.first = bit / 64;
	s.digit[0] = (uint64_t) t;
	s.digit[1] = (uint64_t) (t >> 64);
	s.n = 2;
	gpured_span_trim(&s);
	return window_add_span(w, &s, mem, arg);
}

void
gpured_window_to_exact(const GpuredWindow *w, GpuredExact *x)
{
	GpuredSpan	s;

	gpured_exact_init(x);
	span_of_window(&s, w);
	for (int i = 0; i < s.n; i++)
	{
		int			j = 2 * (s.first + i);
		uint32_t	high = (uint32_t) (s.digit[i] >> 32);

		x->limb[j] = (uint32_t) s.digit[i];
		x->limb[j + 1] = i < s.n - 1 ? (int64_t) high : (int32_t) high;
	}
	x->pending = 1;
	x->flags = window_flags(w);
}

/*
 * The flags and the finite part as they are serialized.  Beside NaN nothing
 * matters any more, and beside an infinity no finite value does.
 */
static uint32_t
canonical_form(const GpuredWindow *w, GpuredSpan *s)
{
	const uint32_t both = GPURED_EXACT_PINF | GPURED_EXACT_NINF;
	uint32_t	flags = window_flags(w);

	if ((flags & GPURED_EXACT_NAN) || (flags & both) == both)
		flags = GPURED_EXACT_NAN | GPURED_EXACT_NOT_NEGZERO;
	if (flags & (GPURED_EXACT_NAN | both))
	{
		s->first = 0;
		s->n = 0;
	}
	else
		span_of_window(s, w);
	return flags;
}

size_t
gpured_window_size(const GpuredWindow *w)
{
	GpuredSpan	s;

	canonical_form(w, &s);
	return HEADER_BYTES + 8 * (size_t) s.n;
}

size_t
gpured_window_write(const GpuredWindow *w, uint8_t *out)
{
	GpuredSpan	s;
	uint8_t    *p = out;

	p[1] = (uint8_t) canonical_form(w, &s);
	p[0] = VERSION;
	p[2] = (uint8_t) s.first;
	p[3] = (uint8_t) s.n;
	p += HEADER_BYTES;
	for (int i = s.n - 1; i >= 0; i--)
	{
		for (int shift = 56; shift >= 0; shift -= 8)
			*p++ = (uint8_t) (s.digit[i] >> shift);
	}
	return p - out;
}

/* Whether a span read from outside is one that canonical_form could give. */
static bool
span_is_canonical(const GpuredSpan *s, uint32_t flags)
{
	int			end = s->first + s->n;
	int64_t		highest;
	GpuredSpan	trimmed;

	if (s->n == 0)
	{
		if (s->first != 0)
			return false;
		switch (flags)
		{
			case 0:
			case GPURED_EXACT_NOT_NEGZERO:
			case GPURED_EXACT_NOT_NEGZERO | GPURED_EXACT_NAN:
			case GPURED_EXACT_NOT_NEGZERO | GPURED_EXACT_PINF:
			case GPURED_EXACT_NOT_NEGZERO | GPURED_EXACT_NINF:
				return true;
			default:
				return false;
		}
	}
	if (flags != GPURED_EXACT_NOT_NEGZERO)
		return false;
	if (s->first == 0 && (s->digit[0] & LIMB0_UNUSED))
		return false;
	highest = (int64_t) s->digit[s->n - 1];
	if (end == GRID_LIMBS + 1 && (highest > LIMB34_LIMIT || highest < -LIMB34_LIMIT))
		return false;
	trimmed = *s;
	gpured_span_trim(&trimmed);
	return trimmed.n == s->n;
}

bool
gpured_window_read(const uint8_t *bytes, size_t n, GpuredWindow **result,
				   const GpuredAllocator *mem, void *arg)
{
	GpuredWindow *w;
	GpuredSpan	s;
	const uint8_t *p = bytes + HEADER_BYTES;

	if (n < HEADER_BYTES || bytes[0] != VERSION)
		return false;
	s.first = bytes[2];
	s.n = bytes[3];
	if (s.first + s.n > GRID_LIMBS + 1 || n != HEADER_BYTES + 8 * (size_t) s.n)
		return false;
	for (int i = s.n - 1; i >= 0; i--)
	{
		s.digit[i] = 0;
		for (int j = 0; j < 8; j++)
			s.digit[i] = s.digit[i] << 8 | *p++;
	}
	if (!span_is_canonical(&s, bytes[1]))
		return false;

	w = gpured_window_create(mem, arg);
	w->flags = bytes[1];
	*result = window_add_span(w, &s, mem, arg);
	return true;
}

void
gpured_moving_init(GpuredMovingSum *s, const GpuredAllocator *mem, void *arg)
{
	memset(s, 0, sizeof(*s));
	s->window = gpured_window_create(mem, arg);
}

/* Count NaN or an infinity in (1) or out (-1). */
void
gpured_moving_add_special(GpuredMovingSum *s, double value, int64_t count)
{
	if (value != value)
		s->nan += count;
	else if (value > 0)
		s->pinf += count;
	else
		s->ninf += count;
}

static uint32_t
moving_flags(const GpuredMovingSum *s)
{
	return (s->nan > 0 ? GPURED_EXACT_NAN : 0) |
		(s->pinf > 0 ? GPURED_EXACT_PINF : 0) |
		(s->ninf > 0 ? GPURED_EXACT_NINF : 0) |
		(s->not_negzero > 0 ? GPURED_EXACT_NOT_NEGZERO : 0);
}

void
gpured_moving_to_exact(const GpuredMovingSum *s, GpuredExact *x)
{
	gpured_window_to_exact(s->window, x);
	x->flags = moving_flags(s);
}

bool
gpured_window_to_double(const GpuredWindow *w, double *result)
{
	GpuredSpan	s;

	span_of_window(&s, w);
	return gpured_span_to_double(&s, window_flags(w), result);
}

bool
gpured_window_to_float(const GpuredWindow *w, float *result)
{
	GpuredSpan	s;

	span_of_window(&s, w);
	return gpured_span_to_float(&s, window_flags(w), result);
}

double
gpured_window_mean(const GpuredWindow *w, uint64_t n)
{
	GpuredSpan	s;

	span_of_window(&s, w);
	return gpured_span_mean(&s, window_flags(w), n);
}

bool
gpured_window_is_double(const GpuredWindow *w, double *result)
{
	GpuredSpan	sum;
	GpuredSpan	rounded;
	uint64_t	bits;

	if (!gpured_window_to_double(w, result) || !gpured_is_finite(*result))
		return false;
	memcpy(&bits, result, sizeof(bits));
	span_of_window(&sum, w);
	span_of_double(&rounded, bits);
	return rounded.n == sum.n && rounded.first == sum.first &&
		memcmp(rounded.digit, sum.digit, sum.n * sizeof(uint64_t)) == 0;
}

bool
gpured_moving_to_double(const GpuredMovingSum *s, double *result)
{
	GpuredSpan	sum;

	span_of_window(&sum, s->window);
	return gpured_span_to_double(&sum, moving_flags(s), result);
}

bool
gpured_moving_to_float(const GpuredMovingSum *s, float *result)
{
	GpuredSpan	sum;

	span_of_window(&sum, s->window);
	return gpured_span_to_float(&sum, moving_flags(s), result);
}

double
gpured_moving_mean(const GpuredMovingSum *s)
{
	GpuredSpan	sum;

	span_of_window(&sum, s->window);
	return gpured_span_mean(&sum, moving_flags(s), (uint64_t) s->n);
}

/*
 * exact.c
 *	  The exact sum over the whole exponent range, and its one rounding.
 *
 * Each limb holds a digit of 32 bits in a signed 64-bit integer; an addition
 * changes two or three limbs by less than 2^32, so 2^30 additions fit before
 * carries have to move.  "pending" counts them.
 *
 * Rounding takes the magnitude as one long integer in units of
 * 2^GPURED_EXACT_BIT0: its 64 leading bits and whether anything is below them.
 */
#include "exact/exact.h"

#include <string.h>

#include "exact/round.h"

#define PENDING_LIMIT	(UINT32_C(1) << 30)

/* The magnitude: 64-bit words, enough for the limbs and the top one's sign. */
#define WORDS			(GPURED_EXACT_LIMBS / 2 + 1)

void
gpured_exact_init(GpuredExact *x)
{
	memset(x, 0, sizeof(*x));
}

static inline int64_t
wrapping_add(int64_t a, int64_t b)
{
	return (int64_t) ((uint64_t) a + (uint64_t) b);
}

void
gpured_exact_normalize(GpuredExact *x)
{
	int64_t		carry = 0;

	for (int i = 0; i < GPURED_EXACT_LIMBS - 1; i++)
	{
		int64_t		t = wrapping_add(x->limb[i], carry);

		x->limb[i] = (uint32_t) t;
		carry = t >> 32;
	}
	x->limb[GPURED_EXACT_LIMBS - 1] = wrapping_add(x->limb[GPURED_EXACT_LIMBS - 1], carry);
	x->pending = 1;
}

static inline void
count_addition(GpuredExact *x)
{
	if (++x->pending >= PENDING_LIMIT)
		gpured_exact_normalize(x);
}

void
gpured_exact_add(GpuredExact *x, double value)
{
	uint64_t	bits;
	uint64_t	m;
	int			exponent;
	int			bit;
	int64_t    *limb;
	int64_t		sign;
	unsigned __int128 t;

	memcpy(&bits, &value, sizeof(bits));
	if (bits == UINT64_C(1) << 63)
		return;
	x->flags |= GPURED_EXACT_NOT_NEGZERO;
	m = bits & ((UINT64_C(1) << 52) - 1);
	exponent = (bits >> 52) & 0x7ff;
	if (exponent == 0x7ff)
	{
		if (m != 0)
			x->flags |= GPURED_EXACT_NAN;
		else
			x->flags |= bits >> 63 ? GPURED_EXACT_NINF : GPURED_EXACT_PINF;
		return;
	}
	if (exponent > 0)
		m |= UINT64_C(1) << 52;
	else
		exponent = 1;

	bit = exponent - 1075 - GPURED_EXACT_BIT0;
	limb = &x->limb[bit / 32];
	t = (unsigned __int128) m << bit % 32;
	sign = bits >> 63 ? -1 : 1;
	limb[0] = wrapping_add(limb[0], sign * (int64_t) (uint32_t) t);
	limb[1] = wrapping_add(limb[1], sign * (int64_t) (uint32_t) (t >> 32));
	limb[2] = wrapping_add(limb[2], sign * (int64_t) (t >> 64));
	count_addition(x);
}

void
gpured_exact_add_scaled(GpuredExact *x, int64_t k, int bit)
{
	int64_t    *limb = &x->limb[bit / 32];
	__int128	t = (__int128) k * (INT64_C(1) << bit % 32);

	limb[0] = wrapping_add(limb[0], (uint32_t) t);
	limb[1] = wrapping_add(limb[1], (uint32_t) (t >> 32));
	limb[2] = wrapping_add(limb[2], (int64_t) (t >> 64));
	count_addition(x);
}

void
gpured_exact_merge(GpuredExact *dst, const GpuredExact *src)
{
	GpuredExact copy;

	if ((uint64_t) dst->pending + src->pending >= PENDING_LIMIT)
	{
		copy = *src;
		gpured_exact_normalize(&copy);
		gpured_exact_normalize(dst);
		src = &copy;
	}
	for (int i = 0; i < GPURED_EXACT_LIMBS; i++)
		dst->limb[i] = wrapping_add(dst->limb[i], src->limb[i]);
	dst->flags |= src->flags;
	dst->pending += src->pending;
}

/* The magnitude of the finite part; returns whether it is negative. */
static bool
magnitude(const GpuredExact *x, uint64_t *word)
{
	GpuredExact t = *x;
	int64_t		top;
	uint64_t	carry = 1;

	gpured_exact_normalize(&t);
	top = t.limb[GPURED_EXACT_LIMBS - 1];
	for (int i = 0; i < WORDS - 1; i++)
		word[i] = (uint64_t) t.limb[2 * i] | (uint64_t) t.limb[2 * i + 1] << 32;
	word[WORDS - 1] = (uint64_t) (top >> 32);
	if (top >= 0)
		return false;
	for (int i = 0; i < WORDS; i++)
	{
		word[i] = ~word[i] + carry;
		carry = carry && word[i] == 0;
	}
	return true;
}

static bool
is_zero(const uint64_t *word, int n)
{
	for (int i = 0; i < n; i++)
	{
		if (word[i] != 0)
			return false;
	}
	return true;
}

/* Round a magnitude; "sticky" says that something lies below its bit 0. */
static uint64_t
round_magnitude(const uint64_t *word, bool sticky, const GpuredFormat *format)
{
	int			i = WORDS - 1;
	int			zeros;
	uint64_t	m;
	uint64_t	rest;

	while (i > 0 && word[i] == 0)
		i--;
	if (i == 0)
		return gpured_round(word[0], 0, sticky, format);
	zeros = __builtin_clzll(word[i]);
	m = word[i] << zeros;
	rest = word[i - 1] << zeros;
	if (zeros > 0)
		m |= word[i - 1] >> (64 - zeros);
	sticky = sticky || rest != 0 || !is_zero(word, i - 1);
	return gpured_round(m, 64 * i - zeros, sticky, format);
}

bool
gpured_exact_to_double(const GpuredExact *x, double *result)
{
	uint64_t	word[WORDS];
	uint64_t	bits;
	bool		negative;

	if (gpured_special_sum(x->flags, result))
		return true;
	negative = magnitude(x, word);
	if (is_zero(word, WORDS))
		negative = !(x->flags & GPURED_EXACT_NOT_NEGZERO);
	bits = round_magnitude(word, false, &gpured_double_format);
	*result = gpured_double_from_bits(bits | (uint64_t) negative << 63);
	return bits != gpured_double_format.infinity;
}

bool
gpured_exact_to_float(const GpuredExact *x, float *result)
{
	uint64_t	word[WORDS];
	uint64_t	bits;
	double		special;
	bool		negative;

	if (gpured_special_sum(x->flags, &special))
	{
		*result = (float) special;
		return true;
	}
	negative = magnitude(x, word);
	if (is_zero(word, WORDS))
		negative = !(x->flags & GPURED_EXACT_NOT_NEGZERO);
	bits = round_magnitude(word, false, &gpured_float_format);
	*result = gpured_float_from_bits((uint32_t) bits | (uint32_t) negative << 31);
	return bits != gpured_float_format.infinity;
}

/*
 * The grid begins 26 bits below the smallest subnormal, so the integer part of
 * the quotient in units of the grid has all the bits that the result may need,
 * and the remainder is sticky.
 */
double
gpured_exact_mean(const GpuredExact *x, uint64_t n)
{
	uint64_t	word[WORDS];
	uint64_t	bits;
	uint64_t	remainder = 0;
	double		special;
	bool		negative;

	if (gpured_special_sum(x->flags, &special))
		return special;
	negative = magnitude(x, word);
	if (is_zero(word, WORDS))
		return 0.0;
	for (int i = WORDS - 1; i >= 0; i--)
	{
		unsigned __int128 t = (unsigned __int128) remainder << 64 | word[i];

		word[i] = (uint64_t) (t / n);
		remainder = (uint64_t) (t % n);
	}
	bits = round_magnitude(word, remainder != 0, &gpured_double_format);
	return gpured_double_from_bits(bits | (uint64_t) negative << 63);
}

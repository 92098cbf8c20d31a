/*
 * exact.c
 *	  The exact sum over the whole exponent range, and its one rounding.
 *
 * Each limb holds a digit of 32 bits in a signed 64-bit integer; an addition
 * changes two or three limbs by less than 2^32, so 2^30 additions fit before
 * carries have to move.  "pending" counts them.
 *
 * Rounding works on the magnitude as one long integer in units of
 * 2^GPURED_EXACT_BIT0: the bits below the result's last one are a half bit and
 * a sticky bit, and the bits of the result are put together as an integer, so
 * that a carry out of the mantissa becomes the next exponent by itself, also
 * from subnormal to normal and from the largest value to infinity.
 */
#include "exact/exact.h"

#include <string.h>

#define PENDING_LIMIT	(UINT32_C(1) << 30)

/* The magnitude: 64-bit words, enough for the limbs and the top one's sign. */
#define WORDS			(GPURED_EXACT_LIMBS / 2 + 1)

/* A binary floating-point format, in bits of the grid. */
typedef struct Format
{
	int			mantissa_bits;	/* with the implicit one */
	int			lowest_bit;		/* the grid's bit of the smallest subnormal */
	uint64_t	infinity;		/* its bits */
} Format;

static const Format double_format = {53, -1074 - GPURED_EXACT_BIT0, UINT64_C(0x7ff) << 52};
static const Format float_format = {24, -149 - GPURED_EXACT_BIT0, UINT64_C(0xff) << 23};

/* What PostgreSQL's get_float8_nan gives. */
static const uint64_t nan_bits = UINT64_C(0x7ff8) << 48;

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

/* Bits from "low" on, up to 64 of them. */
static uint64_t
bits_from(const uint64_t *word, int low)
{
	int			i = low / 64;
	int			shift = low % 64;
	uint64_t	result = word[i] >> shift;

	if (shift > 0 && i + 1 < WORDS)
		result |= word[i + 1] << (64 - shift);
	return result;
}

static bool
any_bit_below(const uint64_t *word, int end)
{
	for (int i = 0; i < end / 64; i++)
	{
		if (word[i] != 0)
			return true;
	}
	return end % 64 > 0 && word[end / 64] << (64 - end % 64) != 0;
}

/*
 * Round a magnitude to the nearest value of the format, to even if there are
 * two; "sticky" says that something lies below its bit 0.  Gives the value's
 * bits; infinity stands for all that is out of range.
 */
static uint64_t
round_magnitude(const uint64_t *word, bool sticky, const Format *format)
{
	int			i = WORDS - 1;
	int			lowest;
	uint64_t	m;

	while (i > 0 && word[i] == 0)
		i--;
	lowest = word[i] == 0 ? 0 :
		64 * i + 64 - __builtin_clzll(word[i]) - format->mantissa_bits;
	if (lowest < format->lowest_bit)
		lowest = format->lowest_bit;

	m = bits_from(word, lowest) & ((UINT64_C(1) << format->mantissa_bits) - 1);
	if ((bits_from(word, lowest - 1) & 1) &&
		((m & 1) || sticky || any_bit_below(word, lowest - 1)))
		m++;
	m += (uint64_t) (lowest - format->lowest_bit) << (format->mantissa_bits - 1);
	return m < format->infinity ? m : format->infinity;
}

/*
 * The result if inputs that are not finite numbers decide it, or nothing but
 * -0 came: as the bits of a double.
 */
static bool
special_result(const GpuredExact *x, uint64_t *bits)
{
	uint32_t	infinities = x->flags & (GPURED_EXACT_PINF | GPURED_EXACT_NINF);

	if ((x->flags & GPURED_EXACT_NAN) ||
		infinities == (GPURED_EXACT_PINF | GPURED_EXACT_NINF))
		*bits = nan_bits;
	else if (infinities == GPURED_EXACT_PINF)
		*bits = double_format.infinity;
	else if (infinities == GPURED_EXACT_NINF)
		*bits = double_format.infinity | UINT64_C(1) << 63;
	else
		return false;
	return true;
}

static double
double_from_bits(uint64_t bits)
{
	double		result;

	memcpy(&result, &bits, sizeof(result));
	return result;
}

static bool
is_zero(const uint64_t *word)
{
	for (int i = 0; i < WORDS; i++)
	{
		if (word[i] != 0)
			return false;
	}
	return true;
}

bool
gpured_exact_to_double(const GpuredExact *x, double *result)
{
	uint64_t	word[WORDS];
	uint64_t	bits;
	bool		negative;
	bool		in_range = true;

	if (!special_result(x, &bits))
	{
		negative = magnitude(x, word);
		if (is_zero(word))
			negative = !(x->flags & GPURED_EXACT_NOT_NEGZERO);
		bits = round_magnitude(word, false, &double_format);
		in_range = bits != double_format.infinity;
		bits |= (uint64_t) negative << 63;
	}
	*result = double_from_bits(bits);
	return in_range;
}

bool
gpured_exact_to_float(const GpuredExact *x, float *result)
{
	uint64_t	word[WORDS];
	uint64_t	bits;
	uint32_t	bits32;
	bool		negative;

	if (special_result(x, &bits))
	{
		*result = (float) double_from_bits(bits);
		return true;
	}
	negative = magnitude(x, word);
	if (is_zero(word))
		negative = !(x->flags & GPURED_EXACT_NOT_NEGZERO);
	bits = round_magnitude(word, false, &float_format);
	bits32 = (uint32_t) bits | (uint32_t) negative << 31;
	memcpy(result, &bits32, sizeof(bits32));
	return bits != float_format.infinity;
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
	bool		negative;

	if (special_result(x, &bits))
		return double_from_bits(bits);
	negative = magnitude(x, word);
	if (is_zero(word))
		return 0.0;
	for (int i = WORDS - 1; i >= 0; i--)
	{
		unsigned __int128 t = (unsigned __int128) remainder << 64 | word[i];

		word[i] = (uint64_t) (t / n);
		remainder = (uint64_t) (t % n);
	}
	bits = round_magnitude(word, remainder != 0, &double_format);
	return double_from_bits(bits | (uint64_t) negative << 63);
}

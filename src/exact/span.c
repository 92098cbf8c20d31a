/*
 * span.c
 *	  Exact sums as long integers: their one rounding and their mean.
 *
 * Both work on the magnitude.  Its 64 leading bits, and whether anything is
 * below them, decide the result.
 */
#include "exact/span.h"

#include <string.h>

#include "exact/round.h"

void
gpured_span_trim(GpuredSpan *s)
{
	int			low = 0;

	while (low < s->n && s->digit[low] == 0)
		low++;
	s->n -= low;
	s->first += low;
	if (s->n == 0)
	{
		s->first = 0;
		return;
	}
	if (low > 0)
		memmove(s->digit, s->digit + low, s->n * sizeof(uint64_t));
	while (s->n > 1 && s->digit[s->n - 1] == gpured_sign_limb(s->digit[s->n - 2]))
		s->n--;
}

void
gpured_span_of_exact(GpuredSpan *s, const GpuredExact *x)
{
	GpuredExact t = *x;
	const int	last = GPURED_EXACT_LIMBS / 2;

	gpured_exact_normalize(&t);
	for (int i = 0; i < last; i++)
		s->digit[i] = (uint64_t) t.limb[2 * i] | (uint64_t) t.limb[2 * i + 1] << 32;
	s->digit[last] = (uint64_t) (t.limb[GPURED_EXACT_LIMBS - 1] >> 32);
	s->first = 0;
	s->n = last + 1;
	gpured_span_trim(s);
}

/* Replace a span by its magnitude; whether it was negative. */
static bool
take_magnitude(GpuredSpan *s)
{
	uint64_t	sign = gpured_span_sign(s);
	uint64_t	carry = sign & 1;

	for (int i = 0; i < s->n; i++)
	{
		s->digit[i] = (s->digit[i] ^ sign) + carry;
		carry = carry && s->digit[i] == 0;
	}
	return sign != 0;
}

/* Round a magnitude; "sticky" says that something lies below its bit 0. */
static uint64_t
round_magnitude(const GpuredSpan *s, bool sticky, const GpuredFormat *format)
{
	int			i = s->n - 1;
	int			zeros;
	uint64_t	m;

	while (i > 0 && s->digit[i] == 0)
		i--;
	if (i < 0 || s->digit[i] == 0)
		return 0;
	if (s->first + i == 0)
		return gpured_round(s->digit[0], 0, sticky, format);

	zeros = __builtin_clzll(s->digit[i]);
	m = s->digit[i] << zeros;
	if (i > 0)
	{
		if (zeros > 0)
			m |= s->digit[i - 1] >> (64 - zeros);
		sticky = sticky || s->digit[i - 1] << zeros != 0;
	}
	for (int j = 0; j < i - 1 && !sticky; j++)
		sticky = s->digit[j] != 0;
	return gpured_round(m, 64 * (s->first + i) - zeros, sticky, format);
}

/* The rounded sum as the bits of its magnitude; *negative is its sign. */
static uint64_t
round_span(GpuredSpan *s, uint32_t flags, const GpuredFormat *format, bool *negative)
{
	if (s->n == 0)
	{
		*negative = !(flags & GPURED_EXACT_NOT_NEGZERO);
		return 0;
	}
	*negative = take_magnitude(s);
	return round_magnitude(s, false, format);
}

bool
gpured_span_to_double(GpuredSpan *s, uint32_t flags, double *result)
{
	uint64_t	bits;
	bool		negative;

	if (gpured_special_sum(flags, result))
		return true;
	bits = round_span(s, flags, &gpured_double_format, &negative);
	*result = gpured_double_from_bits(bits | (uint64_t) negative << 63);
	return bits != gpured_double_format.infinity;
}

bool
gpured_span_to_float(GpuredSpan *s, uint32_t flags, float *result)
{
	double		special;
	uint64_t	bits;
	bool		negative;

	if (gpured_special_sum(flags, &special))
	{
		*result = (float) special;
		return true;
	}
	bits = round_span(s, flags, &gpured_float_format, &negative);
	*result = gpured_float_from_bits((uint32_t) bits | (uint32_t) negative << 31);
	return bits != gpured_float_format.infinity;
}

/*
 * Divide limb by limb from above, and two limbs beyond the sum's last one: then
 * the quotient has at least 64 bits, or ends where the grid does, 26 bits below
 * the smallest subnormal.  What remains is sticky.
 */
double
gpured_span_mean(GpuredSpan *s, uint32_t flags, uint64_t n)
{
	GpuredSpan	quotient;
	int			below = s->first < 2 ? s->first : 2;
	uint64_t	remainder = 0;
	double		special;
	uint64_t	bits;
	bool		negative;

	if (gpured_special_sum(flags, &special))
		return special;
	if (s->n == 0)
		return 0.0;
	negative = take_magnitude(s);
	quotient.first = s->first - below;
	quotient.n = s->n + below;
	for (int i = quotient.n - 1; i >= 0; i--)
	{
		unsigned __int128 t = (unsigned __int128) remainder << 64 |
			(i < below ? 0 : s->digit[i - below]);

		quotient.digit[i] = (uint64_t) (t / n);
		remainder = (uint64_t) (t % n);
	}
	bits = round_magnitude(&quotient, remainder != 0, &gpured_double_format);
	return gpured_double_from_bits(bits | (uint64_t) negative << 63);
}

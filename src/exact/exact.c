/*
 * exact.c
 *	  The exact sum over the whole exponent range.
 *
 * Each limb holds a digit of 32 bits in a signed 64-bit integer; an addition
 * changes two or three limbs by less than 2^32, so 2^30 additions fit before
 * carries have to move.  "pending" counts them.
 */
#include "exact/exact.h"

#include <string.h>

#include "exact/span.h"

#define PENDING_LIMIT	(UINT32_C(1) << 30)

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

bool
gpured_exact_to_double(const GpuredExact *x, double *result)
{
	GpuredSpan	s;

	gpured_span_of_exact(&s, x);
	return gpured_span_to_double(&s, x->flags, result);
}

bool
gpured_exact_to_float(const GpuredExact *x, float *result)
{
	GpuredSpan	s;

	gpured_span_of_exact(&s, x);
	return gpured_span_to_float(&s, x->flags, result);
}

double
gpured_exact_mean(const GpuredExact *x, uint64_t n)
{
	GpuredSpan	s;

	gpured_span_of_exact(&s, x);
	return gpured_span_mean(&s, x->flags, n);
}

/*
 * bigint.c
 *	  Multiplication, subtraction, and the one rounding of quotients and roots.
 *
 * A quotient is computed to 65 bits at least, and a root to 63; whether anything
 * is left below decides the rest.  Division is Knuth's algorithm D (The Art of
 * Computer Programming, volume 2, 4.3.1).
 */
#include "exact/bigint.h"

#include <math.h>
#include <string.h>

#include "exact/round.h"

typedef unsigned __int128 uint128;

/* No finite double has a bit from here on, on the grid of exact.h. */
#define BEYOND_DOUBLES 2300

static void
trim(GpuredBig *r)
{
	while (r->n > 0 && r->digit[r->n - 1] == 0)
		r->n--;
	if (r->n == 0)
		r->negative = false;
}

void
gpured_big_set(GpuredBig *r, uint64_t value)
{
	r->n = value != 0;
	r->negative = false;
	r->digit[0] = value;
}

void
gpured_big_set_digits(GpuredBig *r, const uint64_t *digit, int n)
{
	uint64_t	sign = n > 0 && digit[n - 1] >> 63 ? UINT64_MAX : 0;
	uint64_t	carry = sign & 1;

	for (int i = 0; i < n; i++)
	{
		r->digit[i] = (digit[i] ^ sign) + carry;
		carry = carry && r->digit[i] == 0;
	}
	r->n = n;
	r->negative = sign != 0;
	trim(r);
}

void
gpured_big_mul(GpuredBig *r, const GpuredBig *a, const GpuredBig *b)
{
	r->n = a->n + b->n;
	r->negative = a->negative != b->negative;
	memset(r->digit, 0, r->n * sizeof(uint64_t));
	for (int i = 0; i < a->n; i++)
	{
		uint64_t	carry = 0;

		for (int j = 0; j < b->n; j++)
		{
			uint128		t = (uint128) a->digit[i] * b->digit[j] + r->digit[i + j] + carry;

			r->digit[i + j] = (uint64_t) t;
			carry = (uint64_t) (t >> 64);
		}
		r->digit[i + b->n] = carry;
	}
	trim(r);
}

static int
compare_magnitudes(const GpuredBig *a, const GpuredBig *b)
{
	if (a->n != b->n)
		return a->n < b->n ? -1 : 1;
	for (int i = a->n - 1; i >= 0; i--)
	{
		if (a->digit[i] != b->digit[i])
			return a->digit[i] < b->digit[i] ? -1 : 1;
	}
	return 0;
}

/* |r| = |a| + |b| */
static void
add_magnitudes(GpuredBig *r, const GpuredBig *a, const GpuredBig *b)
{
	int			n = a->n > b->n ? a->n : b->n;
	uint64_t	carry = 0;

	for (int i = 0; i < n; i++)
	{
		uint128		t = (uint128) (i < a->n ? a->digit[i] : 0) +
			(i < b->n ? b->digit[i] : 0) + carry;

		r->digit[i] = (uint64_t) t;
		carry = (uint64_t) (t >> 64);
	}
	r->digit[n] = carry;
	r->n = n + 1;
}

/* |r| = |a| - |b|, which is not negative */
static void
sub_magnitudes(GpuredBig *r, const GpuredBig *a, const GpuredBig *b)
{
	uint64_t	borrow = 0;

	for (int i = 0; i < a->n; i++)
	{
		uint128		t = (uint128) a->digit[i] - (i < b->n ? b->digit[i] : 0) - borrow;

		r->digit[i] = (uint64_t) t;
		borrow = (uint64_t) (t >> 64) & 1;
	}
	r->n = a->n;
}

void
gpured_big_sub(GpuredBig *r, const GpuredBig *a, const GpuredBig *b)
{
	bool		negative = a->negative;

	if (a->negative != b->negative)
	{
		negative = a->n > 0 ? a->negative : !b->negative;
		add_magnitudes(r, a, b);
	}
	else if (compare_magnitudes(a, b) >= 0)
		sub_magnitudes(r, a, b);
	else
	{
		negative = !negative;
		sub_magnitudes(r, b, a);
	}
	r->negative = negative;
	trim(r);
}

static int
bit_length(const GpuredBig *a)
{
	return 64 * a->n - __builtin_clzll(a->digit[a->n - 1]);
}

/* out[] = |a| * 2^shift, shift >= 0; the number of limbs, one of them spare. */
static int
shift_left(uint64_t *out, const GpuredBig *a, int shift)
{
	int			limbs = shift / 64;
	int			bits = shift % 64;
	uint64_t	below = 0;

	memset(out, 0, limbs * sizeof(uint64_t));
	for (int i = 0; i < a->n; i++)
	{
		out[limbs + i] = a->digit[i] << bits | below;
		below = bits > 0 ? a->digit[i] >> (64 - bits) : 0;
	}
	out[limbs + a->n] = below;
	return limbs + a->n + 1;
}

/* One digit of a quotient: u[0 .. n] -= q * v[0 .. n-1]; v has its top bit set. */
static uint64_t
divide_step(uint64_t *u, const uint64_t *v, int n)
{
	uint128		top = (uint128) u[n] << 64 | u[n - 1];
	uint128		q = top / v[n - 1];
	uint128		rest = top - q * v[n - 1];
	uint64_t	borrow = 0;
	uint64_t	carry = 0;
	uint128		t;

	while (q >> 64 || (n > 1 && q * v[n - 2] > (rest << 64 | u[n - 2])))
	{
		q--;
		rest += v[n - 1];
		if (rest >> 64)
			break;
	}
	for (int i = 0; i < n; i++)
	{
		uint128		product = q * v[i] + carry;

		carry = (uint64_t) (product >> 64);
		t = (uint128) u[i] - (uint64_t) product - borrow;
		u[i] = (uint64_t) t;
		borrow = (uint64_t) (t >> 64) & 1;
	}
	t = (uint128) u[n] - carry - borrow;
	u[n] = (uint64_t) t;
	if (t >> 64)
	{
		/* the estimate was one too large */
		q--;
		carry = 0;
		for (int i = 0; i < n; i++)
		{
			t = (uint128) u[i] + v[i] + carry;
			u[i] = (uint64_t) t;
			carry = (uint64_t) (t >> 64);
		}
		u[n] += carry;
	}
	return (uint64_t) q;
}

/*
 * floor(|num / den| * 2^shift), which is below 2^128; *rest is whether that left a
 * remainder.  The divisor is shifted until its top bit is at the top of a limb,
 * and by as many limbs more as keep the dividend's own shift from being negative.
 */
static uint128
divide(const GpuredBig *num, const GpuredBig *den, int shift, bool *rest)
{
	uint64_t	u[2 * GPURED_BIG_LIMBS];
	uint64_t	v[2 * GPURED_BIG_LIMBS];
	int			zeros = __builtin_clzll(den->digit[den->n - 1]);
	int			limbs = shift + zeros < 0 ? (63 - (shift + zeros)) / 64 : 0;
	int			n = shift_left(v, den, zeros + 64 * limbs) - 1;
	int			m = shift_left(u, num, shift + zeros + 64 * limbs);
	uint128		q = 0;

	*rest = false;
	for (int j = m - n - 1; j >= 0; j--)
		q = q << 64 | divide_step(u + j, v, n);
	for (int i = 0; i < m && !*rest; i++)
		*rest = u[i] != 0;
	return q;
}

/* Round m * 2^exponent and a little more if "sticky"; bit 63 of m is set. */
static double
round_bits(uint64_t m, int exponent, bool sticky, bool negative)
{
	int			bit = exponent - GPURED_EXACT_BIT0;
	uint64_t	bits = bit > BEYOND_DOUBLES ? gpured_double_format.infinity :
		gpured_round(m, bit, sticky, &gpured_double_format);

	return gpured_double_from_bits(bits | (uint64_t) negative << 63);
}

/* num * 2^exponent */
static double
round_integer(const GpuredBig *num, int exponent, bool negative)
{
	int			i = num->n - 1;
	int			zeros = __builtin_clzll(num->digit[i]);
	uint64_t	m = num->digit[i] << zeros;
	bool		sticky = false;

	if (i > 0)
	{
		if (zeros > 0)
			m |= num->digit[i - 1] >> (64 - zeros);
		sticky = num->digit[i - 1] << zeros != 0;
	}
	for (int j = 0; j < i - 1 && !sticky; j++)
		sticky = num->digit[j] != 0;
	return round_bits(m, exponent + 64 * i - zeros, sticky, negative);
}

double
gpured_big_ratio(const GpuredBig *num, const GpuredBig *den, int exponent)
{
	int			shift;
	int			drop;
	uint128		q;
	bool		rest;

	if (num->n == 0)
		return 0.0;
	if (den->n == 1 && (den->digit[0] & (den->digit[0] - 1)) == 0)
		return round_integer(num, exponent - __builtin_ctzll(den->digit[0]),
							 num->negative != den->negative);
	shift = 65 - (bit_length(num) - bit_length(den));
	q = divide(num, den, shift, &rest);
	drop = 64 - __builtin_clzll((uint64_t) (q >> 64));
	return round_bits((uint64_t) (q >> drop), exponent - shift + drop,
					  rest || (uint64_t) q << (64 - drop) != 0,
					  num->negative != den->negative);
}

/* floor(sqrt(q)); a double's 53 bits, one step of Newton's, and the last unit. */
static uint64_t
root_of(uint128 q)
{
	double		estimate = sqrt((double) q);
	uint128		r = estimate < 18446744073709551616.0 ? (uint64_t) estimate : UINT64_MAX;

	r = (r + q / r) / 2;
	if (r > UINT64_MAX)
		r = UINT64_MAX;
	while (r * r > q)
		r--;
	while (r < UINT64_MAX && (r + 1) * (r + 1) <= q)
		r++;
	return (uint64_t) r;
}

double
gpured_big_root(const GpuredBig *num, const GpuredBig *den, int exponent)
{
	int			shift;
	int			zeros;
	uint128		q;
	uint64_t	root;
	bool		rest;

	if (num->n == 0)
		return 0.0;
	shift = 127 - (bit_length(num) - bit_length(den));
	if ((exponent - shift) % 2 != 0)
		shift--;
	q = divide(num, den, shift, &rest);
	root = root_of(q);
	zeros = __builtin_clzll(root);
	return round_bits(root << zeros, (exponent - shift) / 2 - zeros,
					  rest || (uint128) root * root != q, false);
}

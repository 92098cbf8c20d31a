/*
 * numeric_out.c
 *	  A 128-bit integer as a numeric.
 *
 * PostgreSQL's own conversion is static, and goes through a variable-length
 * intermediate that it allocates.  A prefix sum makes millions of these, so the
 * stored form is written directly: a short header, then the digits in base
 * 10000, without leading or trailing zero digits.  That form is on disk
 * everywhere and has been the same since PostgreSQL 9.1.
 */
#include "postgres.h"

#include "aggregate/aggregate.h"
#include "aggregate/numeric_layout.h"
#include "compat.h"

#define MAX_DIGITS 10			/* 2^127 has 39 decimal digits */

/*
 * Split a magnitude into base-10000 digits, least significant first.  Division
 * of 128 bits is slow: cut it into pieces of 16 decimal digits first.
 */
static int
split_digits(uint128 magnitude, int16 *digit)
{
	const uint64 piece_base = UINT64CONST(10000000000000000);
	int			n = 0;

	while (magnitude > PG_UINT64_MAX)
	{
		uint64		piece = (uint64) (magnitude % piece_base);

		magnitude /= piece_base;
		for (int i = 0; i < 4; i++)
		{
			digit[n++] = (int16) (piece % NBASE);
			piece /= NBASE;
		}
	}
	for (uint64 rest = (uint64) magnitude; rest != 0; rest /= NBASE)
		digit[n++] = (int16) (rest % NBASE);
	return n;
}

/*
 * Write value * 10000^-fraction_digits as a numeric with a 4-byte header at
 * "where", which is aligned for int and has room for
 * GPURED_NUMERIC_INT128_MAX_SIZE bytes.  "scale", its display scale, is at most
 * 63 and covers all decimals.  Returns its size, not rounded up.
 */
static Size
write_scaled(int128 value, int fraction_digits, int scale, char *where)
{
	uint16		header = KIND_SHORT | (scale << SHORT_SCALE_SHIFT);
	uint128		magnitude = (uint128) value;
	int16		digit[MAX_DIGITS + 4];
	int16	   *out = (int16 *) (where + VARHDRSZ + sizeof(uint16));
	int			ndigits;
	int			low = 0;
	Size		size;

	if (value < 0)
	{
		header |= SHORT_NEGATIVE;
		magnitude = -magnitude;
	}
	ndigits = split_digits(magnitude, digit);
	if (ndigits > 0)
		header |= (ndigits - 1 - fraction_digits) & SHORT_WEIGHT_MASK;
	while (low < ndigits && digit[low] == 0)
		low++;

	for (int i = ndigits - 1; i >= low; i--)
		*out++ = digit[i];
	*(uint16 *) (where + VARHDRSZ) = header;
	size = (char *) out - where;
	SET_VARSIZE(where, size);
	return size;
}

/* The same of an integer. */
Size
gpured_int128_write_numeric(int128 value, char *where)
{
	return write_scaled(value, 0, 0, where);
}

Numeric
gpured_int128_to_scaled_numeric(int128 value, int fraction_digits, int scale)
{
	char	   *result = palloc(GPURED_NUMERIC_INT128_MAX_SIZE);

	write_scaled(value, fraction_digits, scale, result);
	return (Numeric) result;
}

Numeric
gpured_int128_to_numeric(int128 value)
{
	return gpured_int128_to_scaled_numeric(value, 0, 0);
}

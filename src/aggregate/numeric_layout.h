/*
 * numeric_layout.h
 *	  The short form of a numeric, as it is on disk.
 *
 * A header of 16 bits, then digits of base 10000, most significant first.
 * PostgreSQL keeps this to itself, but has stored it so since 9.1.
 */
#ifndef GPURED_NUMERIC_LAYOUT_H
#define GPURED_NUMERIC_LAYOUT_H

#include "compat.h"

#define NBASE 10000

/* Signs in the serialized states of PostgreSQL's own aggregates. */
#define SERIAL_POSITIVE	0x0000
#define SERIAL_NEGATIVE	0x4000
#define SERIAL_MAX_SCALE 0x3FFF

#define KIND_MASK		0xC000
#define KIND_NEGATIVE	0x4000	/* and not short */
#define KIND_SHORT		0x8000
#define KIND_SPECIAL	0xC000
#define SPECIAL_MASK	0xF000
#define SPECIAL_MINUS_INFINITY 0xF000
#define SHORT_NEGATIVE	0x2000
#define SHORT_SCALE_SHIFT 7
#define SHORT_WEIGHT_MASK 0x007F	/* of the first digit, with its sign */

#define SHORT_SCALE(h)	(((h) & 0x1F80) >> SHORT_SCALE_SHIFT)
#define SHORT_WEIGHT(h) ((((h) & 0x0040) ? ~0x003F : 0) | ((h) & 0x003F))

/*
 * A short value is below 10^16, without a digit beyond the eighth decimal: a
 * 128-bit integer of hundred-millionths.
 */
#define FRACTION_DIGITS 2		/* digits of base NBASE after the point */
#define INTEGER_DIGITS 4
#define MAX_SCALE 20			/* a quotient's, often with zeros at its end */

/* Integers below this are short. */
#define SHORT_LIMIT INT64CONST(10000000000000000)

/* 10000^i; a value's last digit is at most 10^(4 * 5) units. */
static const uint128 gpured_power[FRACTION_DIGITS + INTEGER_DIGITS] = {
	1, 10000, 100000000, UINT64CONST(1000000000000), UINT64CONST(10000000000000000),
	(uint128) UINT64CONST(10000000000000000) * 10000
};

/* Read a short value; false if it is none.  Neither header nor digits are aligned. */
static inline bool
gpured_read_short(const struct varlena *numeric, int128 *value, int *scale)
{
	const char *data = VARDATA_ANY(numeric);
	int			ndigits = ((int) VARSIZE_ANY_EXHDR(numeric) - (int) sizeof(uint16)) / 2;
	uint16		header;
	uint16		digit;
	int			shift;			/* of the last digit, in digits */
	uint64		head = 0;
	uint128		magnitude;

	memcpy(&header, data, sizeof(header));
	*scale = SHORT_SCALE(header);
	shift = SHORT_WEIGHT(header) - ndigits + 1 + FRACTION_DIGITS;
	if ((header & KIND_MASK) != KIND_SHORT || *scale > MAX_SCALE || shift < 0 ||
		SHORT_WEIGHT(header) >= INTEGER_DIGITS)
		return false;
	if (ndigits == 0)
	{
		*value = 0;
		return true;
	}

	data += sizeof(header);
	for (int i = 0; i < Min(ndigits, 4); i++)
	{
		memcpy(&digit, data + i * sizeof(digit), sizeof(digit));
		head = head * NBASE + digit;
	}
	magnitude = head;
	for (int i = 4; i < ndigits; i++)
	{
		memcpy(&digit, data + i * sizeof(digit), sizeof(digit));
		magnitude = magnitude * NBASE + digit;
	}
	magnitude *= gpured_power[shift];
	*value = (header & SHORT_NEGATIVE) ? -(int128) magnitude : (int128) magnitude;
	return true;
}

#endif							/* GPURED_NUMERIC_LAYOUT_H */

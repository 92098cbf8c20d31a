/*
 * numeric_unit.h
 *	  Numerics on their way to the device, which has integers of 64 bits.
 *
 * A batch is in one unit, 1, 10^-4 or 10^-8, so that amounts with two decimals may
 * be as large as 9 * 10^14.  The first value's display scale says which: it is that
 * of the whole column as a rule.  A value with more decimals makes the unit smaller,
 * and before that the caller takes what the device has.  What is no such integer
 * stays in the session.
 */
#ifndef GPURED_NUMERIC_UNIT_H
#define GPURED_NUMERIC_UNIT_H

#include "aggregate/numeric_layout.h"

/* How a value goes with a unit. */
typedef enum GpuredUnitFit
{
	GPURED_UNIT_FITS,
	GPURED_UNIT_TOO_LARGE,		/* one of the smaller ones will do */
	GPURED_UNIT_NONE			/* none will */
} GpuredUnitFit;

/* The unit for values with a display scale: the digits of base NBASE after the point. */
#define GPURED_UNIT_OF_SCALE(scale) Min(((scale) + 3) / 4, FRACTION_DIGITS)

/* An integer in units of 10^-scale in that unit; for up to eight decimals. */
static inline int128
gpured_in_unit_of_scale(int64 value, int scale)
{
	static const int power_of_ten[] = {1, 10, 100, 1000};

	return (int128) value * power_of_ten[4 * GPURED_UNIT_OF_SCALE(scale) - scale];
}

/* The same in units of 10^-8. */
static inline int128
gpured_in_smallest_unit(int64 value, int scale)
{
	static const int64 power_of_ten[] = {100000000, 10000000, 1000000, 100000, 10000, 1000, 100, 10, 1};

	return (int128) value * power_of_ten[scale];
}

/* The unit for a first value. */
static inline int
gpured_first_unit(const struct varlena *numeric)
{
	uint16		header;

	memcpy(&header, VARDATA_ANY(numeric), sizeof(header));
	if ((header & KIND_MASK) != KIND_SHORT)
		return 0;
	return GPURED_UNIT_OF_SCALE(SHORT_SCALE(header));
}

/* A value that is not toasted in this unit, and its display scale. */
static inline GpuredUnitFit
gpured_read_in_unit(const struct varlena *numeric, int unit, int64 *value, int *scale)
{
	const char *data = VARDATA_ANY(numeric);
	int			ndigits = ((int) VARSIZE_ANY_EXHDR(numeric) - (int) sizeof(uint16)) / 2;
	uint16		header;
	uint16		digit;
	int			weight;
	int			shift;			/* of the last digit, in digits */
	uint64		head = 0;
	uint128		magnitude;

	memcpy(&header, data, sizeof(header));
	*scale = SHORT_SCALE(header);
	*value = 0;
	if ((header & KIND_MASK) != KIND_SHORT || *scale > MAX_SCALE)
		return GPURED_UNIT_NONE;
	if (ndigits == 0)
		return GPURED_UNIT_FITS;

	/* five digits may have 64 bits, more have not */
	weight = SHORT_WEIGHT(header);
	shift = weight - ndigits + 1 + unit;
	if (Max(unit, unit - shift) > FRACTION_DIGITS || weight + Max(unit, unit - shift) > 4)
		return GPURED_UNIT_NONE;
	if (shift < 0)
		return GPURED_UNIT_TOO_LARGE;

	data += sizeof(header);
	for (int i = 0; i < Min(ndigits, 4); i++)
	{
		memcpy(&digit, data + i * sizeof(digit), sizeof(digit));
		head = head * NBASE + digit;
	}
	magnitude = head;
	if (ndigits > 4)
	{
		memcpy(&digit, data + 4 * sizeof(digit), sizeof(digit));
		magnitude = magnitude * NBASE + digit;
	}
	magnitude *= (uint64) gpured_power[shift];
	if (magnitude > PG_INT64_MAX)
		return GPURED_UNIT_NONE;
	*value = (header & SHORT_NEGATIVE) ? -(int64) magnitude : (int64) magnitude;
	return GPURED_UNIT_FITS;
}

#endif							/* GPURED_NUMERIC_UNIT_H */

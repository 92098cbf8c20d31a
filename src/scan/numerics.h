/*
 * numerics.h
 *	  Numerics as integers of 64 bits, so that the device adds them.
 */
#ifndef GPURED_NUMERICS_H
#define GPURED_NUMERICS_H

#include "postgres.h"

#include "aggregate/numeric_unit.h"
#include "scan/columns.h"

/* The numerics of a column, in the rows of a batch. */
typedef struct GpuredNumerics
{
	int			scale;			/* the display scale of all that fit; -1
								 * before the first */
	int			unit;			/* that of the scale */
	bool		given_up;		/* too few fit */
	int64	   *values;			/* in that unit */
	bool	   *misfit;			/* not in values[]; undefined of a NULL */
	int			n;				/* numerics */
	int			misfits;		/* how many do not fit */
} GpuredNumerics;

/*
 * For the rows of a batch, of which there is room for so many; the arrays are in "context".
 * The values may be where the column has its own.
 */
extern GpuredNumerics *gpured_numerics_create(MemoryContext context, int room, int64 *values);

/* Another scan begins. */
extern void gpured_numerics_reset(GpuredNumerics *numerics);

/* Another batch begins. */
extern void gpured_numerics_clear(GpuredNumerics *numerics);

/* Take n values of a column from a row on; then they need not be the column's any more. */
extern void gpured_numerics_read(GpuredNumerics *numerics, const GpuredColumn *column, int from,
								 int n);

extern bool gpured_numerics_take_slowly(GpuredNumerics *numerics, const struct varlena *numeric,
										int64 *value);

/*
 * Most values have a short header, the scale that is looked for, and at most four
 * digits, which no unit makes more than 64 bits.
 */
static inline bool
gpured_numerics_read_ordinary(const struct varlena *numeric, int scale, int unit, int64 *value)
{
	const char *data = VARDATA_1B(numeric);
	int			ndigits;
	uint16		header;
	uint16		digit;
	int			shift;
	int64		magnitude;

	if (!VARATT_IS_1B(numeric))
		return false;
	ndigits = ((int) VARSIZE_1B(numeric) - (int) VARHDRSZ_SHORT - (int) sizeof(header)) / 2;
	if (ndigits < 1 || ndigits > 4)
		return false;
	memcpy(&header, data, sizeof(header));
	data += sizeof(header);
	shift = SHORT_WEIGHT(header) - ndigits + 1 + unit;
	if ((header & ~(SHORT_NEGATIVE | SHORT_WEIGHT_MASK)) != (KIND_SHORT + scale * (1 << SHORT_SCALE_SHIFT)) ||
		shift < 0 || shift + ndigits > 4)
		return false;
	memcpy(&digit, data, sizeof(digit));
	magnitude = digit;
	for (int i = 1; i < ndigits; i++)
	{
		memcpy(&digit, data + i * sizeof(digit), sizeof(digit));
		magnitude = magnitude * NBASE + digit;
	}
	magnitude *= (int64) gpured_power[shift];
	*value = (header & SHORT_NEGATIVE) ? -magnitude : magnitude;
	return true;
}

/* Take the value of a row; false, and noted as a misfit, if it does not fit. */
static inline bool
gpured_numerics_take(GpuredNumerics *numerics, int row, const struct varlena *numeric)
{
	bool		fits = !numerics->given_up &&
		(gpured_numerics_read_ordinary(numeric, numerics->scale, numerics->unit, &numerics->values[row]) ||
		 gpured_numerics_take_slowly(numerics, numeric, &numerics->values[row]));

	numerics->misfit[row] = !fits;
	numerics->misfits += !fits;
	numerics->n++;
	return fits;
}

#endif							/* GPURED_NUMERICS_H */

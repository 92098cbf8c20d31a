/*
 * numerics.c
 *	  Numerics of a batch as integers, so that the device adds them.
 *
 * The sum of numerics has their largest display scale, so integers stand for values
 * of one scale only, the first one's: it is that of the whole column as a rule.  What
 * has another one, or no 64 bits in the unit (numeric_unit.h), is left to the
 * aggregate's own state.
 */
#include "postgres.h"

#include "aggregate/numeric_unit.h"
#include "scan/numerics.h"

/* It is given up if more than one in so many values does not fit. */
#define MISFIT_SHARE 4

GpuredNumerics *
gpured_numerics_create(int room)
{
	GpuredNumerics *numerics = palloc0(sizeof(GpuredNumerics));

	numerics->values = palloc(room * sizeof(int64));
	numerics->missing = palloc(room * sizeof(bool));
	numerics->misfit = palloc(room * sizeof(bool));
	gpured_numerics_reset(numerics);
	return numerics;
}

void
gpured_numerics_reset(GpuredNumerics *numerics)
{
	numerics->scale = -1;
	numerics->given_up = false;
}

/*
 * Most values have a short header, the scale that is looked for, and at most four
 * digits, which no unit makes more than 64 bits.
 */
static inline bool
read_ordinary(const struct varlena *numeric, int scale, int unit, int64 *value)
{
	const char *data = VARDATA_1B(numeric);
	int			ndigits;
	uint16		header;
	uint16		digit[4];
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
	memcpy(&digit[0], data, sizeof(digit[0]));
	magnitude = digit[0];
	for (int i = 1; i < ndigits; i++)
	{
		memcpy(&digit[i], data + i * sizeof(digit[i]), sizeof(digit[i]));
		magnitude = magnitude * NBASE + digit[i];
	}
	magnitude *= (int64) gpured_power[shift];
	*value = (header & SHORT_NEGATIVE) ? -magnitude : magnitude;
	return true;
}

/* A value in the unit of the scale; false if it does not fit. */
static bool
read_value(GpuredNumerics *numerics, const struct varlena *numeric, int64 *value)
{
	uint16		header;
	int			scale;
	int			unit;

	if (VARATT_IS_1B_E(numeric) || VARATT_IS_4B_C(numeric))
		return false;
	if (unlikely(numerics->scale < 0))
	{
		memcpy(&header, VARDATA_ANY(numeric), sizeof(header));
		if ((header & KIND_MASK) != KIND_SHORT || SHORT_SCALE(header) > MAX_SCALE)
			return false;
		numerics->scale = SHORT_SCALE(header);
	}
	unit = GPURED_UNIT_OF_SCALE(numerics->scale);
	return gpured_read_in_unit(numeric, unit, value, &scale) == GPURED_UNIT_FITS &&
		scale == numerics->scale && (unit > 0 || (*value < SHORT_LIMIT && *value > -SHORT_LIMIT));
}

/* The same of a value that is an integer already. */
static inline bool
read_integer(GpuredNumerics *numerics, int64 integer, int scale, int64 *value)
{
	int128		wide = gpured_in_unit_of_scale(integer, scale);

	if (unlikely(numerics->scale < 0))
		numerics->scale = scale;
	*value = (int64) wide;
	return scale == numerics->scale && wide == *value;
}

void
gpured_numerics_read(GpuredNumerics *numerics, const GpuredColumn *column, const bool *take, int n)
{
	const Datum *datums = (const Datum *) column->values;
	const uint8 *scales = column->scale;
	int			given = 0;
	int			misfits = 0;

	for (int i = 0; i < n; i++)
	{
		const struct varlena *numeric = (const struct varlena *) DatumGetPointer(datums[i]);
		bool		is_given = take == NULL || take[i];
		bool		fits = is_given && !numerics->given_up;

		if (fits && scales != NULL && scales[i] != GPURED_NOT_INTEGER)
			fits = read_integer(numerics, ((const int64 *) datums)[i], scales[i], &numerics->values[i]);
		else if (fits)
			fits = (read_ordinary(numeric, numerics->scale, GPURED_UNIT_OF_SCALE(numerics->scale),
								  &numerics->values[i]) ||
					read_value(numerics, numeric, &numerics->values[i]));

		numerics->missing[i] = !fits;
		numerics->misfit[i] = is_given && !fits;
		given += is_given;
		misfits += is_given && !fits;
	}
	numerics->has_missing = misfits > 0 || given < n;
	numerics->has_misfits = misfits > 0;
	if (misfits > given / MISFIT_SHARE)
		numerics->given_up = true;
}

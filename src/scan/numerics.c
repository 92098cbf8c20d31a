/*
 * numerics.c
 *	  Numerics as integers of 64 bits, so that the device adds them.
 *
 * The sum of numerics has their largest display scale, so integers stand for values
 * of one scale only, the first one's: it is that of the whole column as a rule.  What
 * has another one, or no 64 bits in the unit (numeric_unit.h), is left to the
 * aggregate's own state.
 */
#include "postgres.h"

#include "scan/numerics.h"

/* It is given up if more than one in so many values of a batch does not fit. */
#define MISFIT_SHARE 4

GpuredNumerics *
gpured_numerics_create(MemoryContext context, int room, int64 *values)
{
	GpuredNumerics *numerics = palloc0(sizeof(GpuredNumerics));

	numerics->values = values != NULL ? values :
		MemoryContextAlloc(context, room * sizeof(int64));
	numerics->misfit = MemoryContextAllocZero(context, room * sizeof(bool));
	gpured_numerics_reset(numerics);
	return numerics;
}

void
gpured_numerics_reset(GpuredNumerics *numerics)
{
	gpured_numerics_clear(numerics);
	numerics->scale = -1;
	numerics->given_up = false;
}

void
gpured_numerics_clear(GpuredNumerics *numerics)
{
	if (numerics->misfits > numerics->n / MISFIT_SHARE)
		numerics->given_up = true;
	numerics->n = 0;
	numerics->misfits = 0;
}

/* A value that is not an ordinary one, or the first, which says what is ordinary. */
bool
gpured_numerics_take_slowly(GpuredNumerics *numerics, const struct varlena *numeric, int64 *value)
{
	uint16		header;
	int64		read;
	int			scale;

	if (VARATT_IS_1B_E(numeric) || VARATT_IS_4B_C(numeric))
		return false;
	if (numerics->scale < 0)
	{
		memcpy(&header, VARDATA_ANY(numeric), sizeof(header));
		if ((header & KIND_MASK) != KIND_SHORT || SHORT_SCALE(header) > MAX_SCALE)
			return false;
		numerics->scale = SHORT_SCALE(header);
		numerics->unit = GPURED_UNIT_OF_SCALE(numerics->scale);
	}
	if (gpured_read_in_unit(numeric, numerics->unit, &read, &scale) != GPURED_UNIT_FITS ||
		scale != numerics->scale ||
		(numerics->unit == 0 && (read >= SHORT_LIMIT || read <= -SHORT_LIMIT)))
		return false;
	*value = read;
	return true;
}

/* Take a value that is an integer already. */
static inline void
take_integer(GpuredNumerics *numerics, int row, int64 integer, int scale)
{
	int128		wide = gpured_in_unit_of_scale(integer, scale);
	bool		fits;

	if (unlikely(numerics->scale < 0))
	{
		numerics->scale = scale;
		numerics->unit = GPURED_UNIT_OF_SCALE(scale);
	}
	fits = scale == numerics->scale && wide == (int64) wide;
	numerics->values[row] = (int64) wide;
	numerics->misfit[row] = !fits;
	numerics->misfits += !fits;
	numerics->n++;
}

void
gpured_numerics_read(GpuredNumerics *numerics, const GpuredColumn *column, int from, int n)
{
	const Datum *datums = (const Datum *) column->values;
	const int64 *integers = (const int64 *) column->values;

	if (numerics->given_up)
	{
		memset(numerics->misfit + from, true, n * sizeof(bool));
		numerics->n += n;
		numerics->misfits += n;
		return;
	}
	for (int i = from; i < from + n; i++)
	{
		if (column->nulls[i])
			continue;
		if (column->scale != NULL && column->scale[i] != GPURED_NOT_INTEGER)
			take_integer(numerics, i, integers[i], column->scale[i]);
		else
			(void) gpured_numerics_take(numerics, i, (const struct varlena *) DatumGetPointer(datums[i]));
	}
}

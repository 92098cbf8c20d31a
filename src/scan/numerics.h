/*
 * numerics.h
 *	  Numerics of a batch as integers, so that the device adds them.
 */
#ifndef GPURED_NUMERICS_H
#define GPURED_NUMERICS_H

#include "postgres.h"

#include "scan/columns.h"

typedef struct GpuredNumerics
{
	int			scale;			/* the display scale of all that fit; -1
								 * before the first */
	bool		given_up;		/* too few fit */

	/* Of the batch's rows: */
	int64	   *values;			/* in the unit of the scale */
	bool	   *missing;		/* has none */
	bool	   *misfit;			/* has a numeric that does not fit */
	bool		has_missing;
	bool		has_misfits;
} GpuredNumerics;

/* For columns of so many rows. */
extern GpuredNumerics *gpured_numerics_create(int room);

/* Another scan begins. */
extern void gpured_numerics_reset(GpuredNumerics *numerics);

/* Read n rows of a column, those that "take" says, or all if it is NULL. */
extern void gpured_numerics_read(GpuredNumerics *numerics, const GpuredColumn *column,
								 const bool *take, int n);

#endif							/* GPURED_NUMERICS_H */

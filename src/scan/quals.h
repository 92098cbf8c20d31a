/*
 * quals.h
 *	  Which rows of a page pass a query's quals.
 */
#ifndef GPURED_QUALS_H
#define GPURED_QUALS_H

#include "postgres.h"

#include "scan/columns.h"

typedef struct GpuredQuals GpuredQuals;

/* "quals" are expressions, all of which a row has to pass.  Adds their columns. */
extern GpuredQuals *gpured_quals_create(List *quals, GpuredColumns *columns, ScanState *node);

/* Parameters may have changed. */
extern void gpured_quals_reset(GpuredQuals *quals);

/* Keep the rows of the page that pass.  The quals' columns are extracted. */
extern void gpured_quals_apply(GpuredQuals *quals, GpuredColumns *columns, GpuredPage *page);

#endif							/* GPURED_QUALS_H */

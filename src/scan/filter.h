/*
 * filter.h
 *	  Quals over a page of column values at once.
 */
#ifndef GPURED_FILTER_H
#define GPURED_FILTER_H

#include "postgres.h"

#include "nodes/pg_list.h"

#include "scan/columns.h"

typedef struct GpuredFilter GpuredFilter;

/*
 * Whether a qual over columns of one table can be a filter: comparisons of its
 * columns with constants and parameters and with each other, IS [NOT] NULL, lists
 * of constants, and AND, OR and NOT of those.  None of them can fail, so that it
 * does not matter for which rows they are computed.  May be asked while planning.
 */
extern bool gpured_filter_is_possible(Expr *qual);

/* Make a filter of such a qual; its columns are added, to be extracted first. */
extern GpuredFilter *gpured_filter_create(Expr *qual, GpuredColumns *columns, ScanState *node);

/* Parameters may have changed. */
extern void gpured_filter_reset(GpuredFilter *filter);

/* Clear "keep" for those of n rows, which follow the batch's, that do not pass. */
extern void gpured_filter_apply(GpuredFilter *filter, const GpuredColumns *columns, int n,
								bool *keep);

#endif							/* GPURED_FILTER_H */

/*
 * fold.h
 *	  From batches of rows to groups and the partial states of their aggregates.
 */
#ifndef GPURED_FOLD_H
#define GPURED_FOLD_H

#include "postgres.h"

#include "scan/columns.h"

typedef struct GpuredFold GpuredFold;

/*
 * "outputs" are the target entries of the node's rows: partial aggregates and
 * group keys.  Without a GROUP BY there is one row even of no input.  Adds the
 * columns that are needed.
 */
extern GpuredFold *gpured_fold_create(List *outputs, bool has_group_by,
									  GpuredColumns *columns, ScanState *node);

/* The columns are prepared. */
extern void gpured_fold_prepare(GpuredFold *fold);

/* Fold in the batch; the batch is empty then. */
extern void gpured_fold_batch(GpuredFold *fold);

/* Whether the groups take all the memory that they may. */
extern bool gpured_fold_is_full(const GpuredFold *fold);

/*
 * The next row of partial states, in the slot's first columns; false if there is
 * none left.  Memory is that of the current context.
 */
extern bool gpured_fold_emit(GpuredFold *fold, TupleTableSlot *slot);

/* Forget all groups. */
extern void gpured_fold_reset(GpuredFold *fold);

#endif							/* GPURED_FOLD_H */

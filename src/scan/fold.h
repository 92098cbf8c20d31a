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

typedef enum GpuredFolded
{
	GPURED_FOLD_IS_DONE,		/* and the batch is empty */
	GPURED_FOLD_IS_FULL,		/* groups take all the memory that they may */
	GPURED_FOLD_PASSES			/* rows come out as they are */
} GpuredFolded;

/*
 * Fold in the batch.  If it is not done then all rows have to be emitted; after
 * gpured_fold_continue() it is called again for the rest of the batch.
 * "rows_to_come" is about how many rows will follow.
 */
extern GpuredFolded gpured_fold_batch(GpuredFold *fold, double rows_to_come);

/* How many rows of the batch are not folded. */
extern int	gpured_fold_left(const GpuredFold *fold);

/*
 * The next row of partial states, in the slot's first columns; false if there is
 * none left.  It is good until the next one is asked for; what is not the fold's
 * own is in the current memory context.
 */
extern bool gpured_fold_emit(GpuredFold *fold, TupleTableSlot *slot);

/* All rows were emitted: begin anew. */
extern void gpured_fold_continue(GpuredFold *fold);

/* Forget all groups, and the batch. */
extern void gpured_fold_reset(GpuredFold *fold);

#endif							/* GPURED_FOLD_H */

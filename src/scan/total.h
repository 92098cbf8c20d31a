/*
 * total.h
 *	  What a column scan keeps of an aggregate's input where all rows are one group.
 */
#ifndef GPURED_TOTAL_H
#define GPURED_TOTAL_H

#include "postgres.h"

#include "aggregate/partial.h"

typedef struct GpuredTotal GpuredTotal;

/* "context" lasts as long as the total does until it is reset. */
extern GpuredTotal *gpured_total_create(GpuredTotalKind kind, GpuredOp op, MemoryContext context);

/* Forget all values; the context has been reset. */
extern void gpured_total_reset(GpuredTotal *total);

/* Count rows; or fold a batch by the device, be it in this process or the server's. */
extern void gpured_total_count(GpuredTotal *total, int64 rows);
extern void gpured_total_add(GpuredTotal *total, const GpuredBatch *batch);

/* The number and the sum of integers. */
extern int64 gpured_total_int(GpuredTotal *total, int128 *sum);

/* The partial state, in "space" of GPURED_PARTIAL_ROOM bytes or in the current context. */
extern Datum gpured_total_partial(GpuredTotal *total, GpuredPartialForm form, char *space,
								  bool *null);

#endif							/* GPURED_TOTAL_H */

/*
 * batcher.h
 *	  The session's way to the server's device: batches of values, filled in
 *	  place in slots of the shared pool, sent off asynchronously while the next
 *	  one fills.
 *
 * A batcher belongs to one ungrouped aggregate.  It lives in a memory context
 * and gives back its slots when that context is reset or deleted, by error,
 * cancel or the end of the query.  If the server or its device fails, the
 * values are still in this process's mapping: the batcher folds them here,
 * counts a fallback, and goes on; its result is the same.
 */
#ifndef GPURED_BATCHER_H
#define GPURED_BATCHER_H

#include "device/device.h"
#include "stats.h"

typedef struct GpuredBatcher
{
	char	   *next;			/* where the next value goes */
	char	   *end;			/* end of the current batch */
	size_t		second;			/* from there to the value of a second column */
	/* the rest is batcher.c's own: allocate with gpured_batcher_create */
} GpuredBatcher;

/*
 * Whether an ungrouped aggregate of "op" should use a batcher, now that it has
 * seen "rows" values.  True at rows = 0 under offload = force.  Under auto,
 * only with a CUDA device connected and above the measured break-even.  Cheap:
 * meant to be asked at the first row and again each time the count passes
 * *ask_again (set here; UINT64_MAX for never).
 */
extern bool gpured_batcher_wanted(GpuredOp op, GpuredPath path, uint64 rows, uint64 *ask_again);

/*
 * Create in "context" (an aggregate's context).  Under offload = force raises
 * ERROR with the server's or driver's words in DETAIL and a HINT if no device
 * can be had; otherwise returns NULL and the caller computes inline.
 */
extern GpuredBatcher *gpured_batcher_create(MemoryContext context, GpuredOp op, GpuredPath path);

/* The current batch is full (next == end): send it and make room. */
extern void gpured_batcher_flush(GpuredBatcher *batcher);

/* Append many values, or rows of an operation that has two columns. */
extern void gpured_batcher_append(GpuredBatcher *batcher, const GpuredBatch *batch);

/*
 * Send what is left, wait for all of it and set *total to the fold of all values
 * so far.  The sum of int2 or int4 is in total->v.i128, since any number of
 * batches may come together.  May be called again, also after more values.
 */
extern void gpured_batcher_finish(GpuredBatcher *batcher, GpuredAcc *total);

/*
 * The same in the midst of the values: the next total is that of those to come.
 */
extern void gpured_batcher_restart(GpuredBatcher *batcher, GpuredAcc *total);

/*
 * Inclusive scan of n values, in this process or, if "offload" and the settings
 * allow it, on the server's device (same contract as GpuredDevice.scan).  Under
 * force raises ERROR if no device can be had at the first batch; later failures
 * continue on the CPU from the carry.  Values and out are ordinary memory.
 * Checks for interrupts.
 */
extern void gpured_device_scan(GpuredOp op, bool offload, const void *values,
							   size_t n, GpuredAcc *carry, void *out);

/* Append one value of a fixed-width C type. */
#define GPURED_BATCHER_APPEND(batcher, ctype, value) \
	do { \
		*(ctype *) (batcher)->next = (value); \
		(batcher)->next += sizeof(ctype); \
		if (unlikely((batcher)->next == (batcher)->end)) \
			gpured_batcher_flush(batcher); \
	} while (0)

/* Append a row of an operation that has two columns. */
#define GPURED_BATCHER_APPEND_PAIR(batcher, ctype, x, y) \
	do { \
		*(ctype *) ((batcher)->next + (batcher)->second) = (y); \
		GPURED_BATCHER_APPEND(batcher, ctype, x); \
	} while (0)

#endif							/* GPURED_BATCHER_H */

/*
 * partial.h
 *	  Partial states of the aggregates, as their serial functions write them, from
 *	  totals that were not made by their transition functions.
 */
#ifndef GPURED_PARTIAL_H
#define GPURED_PARTIAL_H

#include "postgres.h"

#include "device/device.h"
#include "exact/window.h"

/* What a column scan keeps of an aggregate's input. */
typedef enum GpuredTotalKind
{
	GPURED_TOTAL_NONE,			/* nothing: row by row */
	GPURED_TOTAL_COUNT,			/* rows */
	GPURED_TOTAL_INT,			/* number and sum */
	GPURED_TOTAL_FLOAT,			/* number and exact sum */
	GPURED_TOTAL_EXTREME,		/* greatest order key; inverted keys for a
								 * least */
	GPURED_TOTAL_MOMENTS		/* number and exact sums of values, squares,
								 * products; of the only group */
} GpuredTotalKind;

/* What the partial state looks like. */
typedef enum GpuredPartialForm
{
	GPURED_PARTIAL_COUNT,		/* an int8 */
	GPURED_PARTIAL_SUM,			/* of ints or floats */
	GPURED_PARTIAL_MEAN,
	GPURED_PARTIAL_EXTREME,
	GPURED_PARTIAL_MOMENTS
} GpuredPartialForm;

typedef struct GpuredPartialInfo
{
	PGFunction	transition;
	GpuredTotalKind kind;
	GpuredPartialForm form;
	GpuredOp	op;				/* over a batch; none for counts */
} GpuredPartialInfo;

/* NULL if the aggregate with this transition function has no total. */
extern const GpuredPartialInfo *gpured_partial_find(PGFunction transition);

/* Whether an extreme is a least. */
extern bool gpured_op_is_least(GpuredOp op);

/* The order key of a batch's extreme. */
extern int64 gpured_key_of_acc(GpuredOp op, const GpuredAcc *acc);

/*
 * The state of n > 0 values, as a bytea that is written to the caller's memory,
 * which is aligned and has room for GPURED_PARTIAL_ROOM bytes.
 */
#define GPURED_PARTIAL_ROOM (VARHDRSZ + 2 + sizeof(int64) + GPURED_WINDOW_MAX_BYTES)

#define GPURED_PARTIAL_INT_ROOM (VARHDRSZ + 2 + 3 * sizeof(int64))

extern Datum gpured_partial_int(char *where, GpuredPartialForm form, int64 n, int128 sum);
extern Datum gpured_partial_extreme(char *where, int64 key);

/* What an operation has made of rows, as a bytea in the current memory context. */
extern Datum gpured_partial_moments(GpuredOp op, const GpuredAcc *acc);

/*
 * The same of floats, whose sum is a Datum as in float_state.h, or the bytes that
 * gpured_window_write() gave.
 */
extern Datum gpured_partial_float(char *where, GpuredPartialForm form, int64 n, Datum sum);
extern Datum gpured_partial_written(char *where, GpuredPartialForm form, int64 n,
									const uint8_t *bytes, size_t size);

#endif							/* GPURED_PARTIAL_H */

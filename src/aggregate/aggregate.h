/*
 * aggregate.h
 *	  What the SQL aggregates share: states, their serialized form, and the way
 *	  from a row to a device batch.
 *
 * Every state has SQL type internal.  A state that fits in 63 bits is no
 * pointer at all but a tagged Datum, (value << 1) | 1: nothing to allocate, and
 * nothing to fetch for a group that has not been touched for a while.  Pointers
 * are aligned, so that their lowest bit is 0.
 *
 * Transition functions are not strict, since an internal state cannot start
 * from an input value.  A NULL state means that no value has arrived yet.
 */
#ifndef GPURED_AGGREGATE_H
#define GPURED_AGGREGATE_H

#include "postgres.h"

#include "fmgr.h"
#include "lib/stringinfo.h"
#include "nodes/execnodes.h"
#include "port/pg_bswap.h"
#include "utils/numeric.h"

#include "device/device.h"
#include "device/batcher.h"

#if SIZEOF_DATUM != 8 || !defined(HAVE_INT128)
#error "gpured needs 64-bit Datums and 128-bit integers"
#endif

#define GPURED_IS_TAGGED(state) (((state) & 1) != 0)
#define GPURED_TAG(value) ((Datum) (((uint64) (value) << 1) | 1))
#define GPURED_UNTAG(state) ((int64) (state) >> 1)
#define GPURED_FITS_TAG(value) \
	((value) >= PG_INT64_MIN / 2 && (value) <= PG_INT64_MAX / 2)

/*
 * An ungrouped aggregate's way to the device.  It exists only where the device
 * may be wanted; "batcher" stays NULL until it is.
 */
typedef struct GpuredOffload
{
	GpuredOp	op;
	GpuredPath	path;
	uint64		rows;			/* values that came before the batcher */
	uint64		ask_again;		/* number of rows at which to ask again */
	MemoryContext context;
	GpuredBatcher *batcher;
} GpuredOffload;

extern GpuredOffload *gpured_offload_start(FunctionCallInfo fcinfo,
										   MemoryContext context, GpuredOp op);
extern GpuredOffload *gpured_offload_start_on(GpuredPath path, MemoryContext context, GpuredOp op);
extern bool gpured_offload_ask(GpuredOffload *offload);
extern void gpured_offload_total(const GpuredOffload *offload, GpuredAcc *total);
extern void gpured_offload_restart(const GpuredOffload *offload, GpuredAcc *total);

/* Count n values; whether they go into the batcher. */
static inline bool
gpured_offload_takes_many(GpuredOffload *offload, uint64 n)
{
	if (likely(offload->batcher != NULL))
		return true;
	offload->rows += n;
	if (likely(offload->rows <= offload->ask_again))
		return false;
	return gpured_offload_ask(offload);
}

static inline bool
gpured_offload_takes(GpuredOffload *offload)
{
	return gpured_offload_takes_many(offload, 1);
}

/*
 * An AggState with this as its ExecProcNode is none of the executor's: a column
 * scan calls transition functions with it.
 */
extern TupleTableSlot *gpured_scan_calls(PlanState *state);

/* Whether a call belongs to an aggregate that makes one row of its whole input. */
extern bool gpured_is_ungrouped(FunctionCallInfo fcinfo);

/* The aggregate's memory context; ERROR outside an aggregate. */
extern MemoryContext gpured_aggregate_context(FunctionCallInfo fcinfo);

/*
 * Call a support function of one of PostgreSQL's own aggregates as the executor
 * would.  A first argument of 0 is a NULL state, and so is a result of 0.
 */
extern Datum gpured_call_builtin(PGFunction function, FunctionCallInfo caller, int nargs,
								 Datum first, Datum second);

/* What a transition or combine function returns for a NULL: the state as it is. */
static pg_attribute_always_inline Datum
gpured_unchanged(FunctionCallInfo fcinfo)
{
	if (PG_ARGISNULL(0))
		PG_RETURN_NULL();
	return PG_GETARG_DATUM(0);
}

/*
 * Serialized states: a version byte, a byte that says what kind of state it is,
 * then its fields in network order.
 */
#define GPURED_STATE_INT_SUM	's'
#define GPURED_STATE_INT_TOTAL	'a'
#define GPURED_STATE_EXTREME	'm'
#define GPURED_STATE_BITS		'b'
#define GPURED_STATE_FLOAT_SUM	'f'
#define GPURED_STATE_FLOAT_MEAN 'g'
#define GPURED_STATE_INTERVAL	'i'
#define GPURED_STATE_NUMERIC	'n'
#define GPURED_STATE_SMALL_NUMERIC 'N'
#define GPURED_STATE_NUMERIC_EXTREME 'x'
#define GPURED_STATE_MOMENTS	'v'
#define GPURED_STATE_PAIR_MOMENTS 'r'
#define GPURED_STATE_DOT		'd'

extern void gpured_state_begin(StringInfo buf, char kind);
extern bytea *gpured_state_end(StringInfo buf);
extern bool gpured_state_is(const bytea *state, char kind);
extern void gpured_state_corrupt(const char *detail) __attribute__((noreturn));
extern void gpured_state_refuse(const StringInfoData *buf) __attribute__((noreturn));

/* Where there are many groups a state is read for each of them: hence inline. */
#define GPURED_STATE_VERSION 1

static inline void
gpured_state_need(const StringInfoData *buf, int nbytes)
{
	if (unlikely(buf->len - buf->cursor < nbytes))
		gpured_state_corrupt("It is too short.");
}

/* Read-only view of a serialized state, past its first two bytes. */
static inline void
gpured_state_open(StringInfo buf, bytea *state, char kind)
{
	buf->data = VARDATA_ANY(state);
	buf->len = VARSIZE_ANY_EXHDR(state);
	buf->maxlen = 0;
	buf->cursor = 2;
	if (unlikely(buf->len < 2 || buf->data[0] != GPURED_STATE_VERSION || buf->data[1] != kind))
		gpured_state_refuse(buf);
}

static inline void
gpured_state_close(const StringInfoData *buf)
{
	if (unlikely(buf->cursor != buf->len))
		gpured_state_corrupt("It is too long.");
}

/*
 * The same without a StringInfo: where the next field goes comes back.  The header is
 * a bytea's, whose length is set when it is complete.
 */
static inline char *
gpured_state_put_kind(char *state, char kind)
{
	state[VARHDRSZ] = GPURED_STATE_VERSION;
	state[VARHDRSZ + 1] = kind;
	return state + VARHDRSZ + 2;
}

static inline char *
gpured_state_put_int64(char *next, int64 value)
{
	uint64		wire = pg_hton64((uint64) value);

	memcpy(next, &wire, sizeof(wire));
	return next + sizeof(wire);
}

/* An integer at the end of a state, in 4, 8 or 16 bytes. */
static inline char *
gpured_state_put_integer(char *next, int128 value)
{
	uint32		wire;

	if (value != (int64) value)
		next = gpured_state_put_int64(next, (int64) (value >> 64));
	else if (value == (int32) value)
	{
		wire = pg_hton32((uint32) value);
		memcpy(next, &wire, sizeof(wire));
		return next + sizeof(wire);
	}
	return gpured_state_put_int64(next, (int64) value);
}

extern void gpured_send_int128(StringInfo buf, int128 value);
extern int128 gpured_get_int128(StringInfo buf);

static inline int128
gpured_state_get_integer(StringInfo buf)
{
	const char *next = buf->data + buf->cursor;
	int			size = buf->len - buf->cursor;
	uint64		wire;
	uint32		narrow;

	if (size == sizeof(narrow))
	{
		memcpy(&narrow, next, sizeof(narrow));
		buf->cursor += size;
		return (int32) pg_ntoh32(narrow);
	}
	if (size == sizeof(wire))
	{
		memcpy(&wire, next, sizeof(wire));
		buf->cursor += size;
		return (int64) pg_ntoh64(wire);
	}
	return gpured_get_int128(buf);
}

/* The sum and the number of integers (avg_int.c). */
typedef struct GpuredIntTotal
{
	int64		n;
	GpuredOffload *offload;		/* NULL if the device has no part in it */
	int128		sum;
} GpuredIntTotal;

extern void gpured_int_total_resolve(const GpuredIntTotal *state, int64 *n,
									 int128 *sum);
extern void gpured_int_append(GpuredOffload *offload, int64 value);
extern int64 gpured_int128_to_bigint(int128 value);
extern int64 gpured_int128_to_money(int128 value);

/* Of equal numerics, the one with the larger display scale (minmax_numeric.c). */
extern Numeric gpured_numeric_greatest(Numeric a, Numeric b);
extern Numeric gpured_numeric_least(Numeric a, Numeric b);

/* sum_numeric.c */
extern Datum gpured_numeric_step(PG_FUNCTION_ARGS);
extern bool gpured_numeric_add_short(Datum state, const struct varlena *numeric);
extern bool gpured_numeric_add_integer(Datum state, int64 value, int scale);

/*
 * The serialized state of n > 0 numerics of one display scale, whose sum is in the unit
 * of that scale (numeric_unit.h), at "where", which has room for so many bytes; and a
 * state with them added.
 */
#define GPURED_NUMERIC_PARTIAL_ROOM (VARHDRSZ + 2 + 3 * sizeof(int64) + 1)

extern Datum gpured_numeric_partial(char *where, int128 sum, int64 n, int scale);
extern Datum gpured_numeric_add_sum(MemoryContext context, Datum state, int128 sum, int64 n,
									int scale);

/* The state of no numerics, which the device is to have no part of. */
extern Datum gpured_numeric_state(MemoryContext context);

/* The serialized state of one numeric, if it is short and not toasted; else false. */
extern bool gpured_numeric_partial_of(char *where, const struct varlena *numeric);

/*
 * moments.c: what the steps do to a state with values of a row, if it can be done at
 * once; false, and nothing done, if not.
 */
extern Datum gpured_float8_moments(PG_FUNCTION_ARGS);
extern Datum gpured_pair_moments(PG_FUNCTION_ARGS);
extern Datum gpured_dot_step(PG_FUNCTION_ARGS);
extern bool gpured_moments_add_shortly(Datum state, GpuredMomentsKind kind, double x, double y);

/* The serialized state of sums by the device (moments.c, variance_exact.c). */
extern bytea *gpured_serialize_moment_sums(GpuredOp op, const GpuredAcc *total);
extern bytea *gpured_serialize_int_moments(bool is_int8, int64 n, const GpuredIntMoments *sums);

/*
 * Moments of numerics beside PostgreSQL's own state, as integers in one unit
 * (numeric_unit.h).
 */
typedef struct GpuredNumericMoments
{
	int64		n;
	GpuredIntMoments sums;
	int			unit;
	int			scale;			/* the largest display scale, */
	int64		scale_n;		/* and how many values have it */
} GpuredNumericMoments;

/* Whether a state of gpured_numeric_variance_step() is PostgreSQL's own. */
extern Datum gpured_numeric_variance_step(PG_FUNCTION_ARGS);
#define GPURED_VARIANCE_IS_BUILTIN(state) (!GPURED_IS_TAGGED(state))

/*
 * Add numerics whose "take" is set, and clear it for those that fit, which are not
 * toasted.  "state" is PostgreSQL's, and takes all that is there if the unit has to be
 * another, or when it is settled.
 */
extern void gpured_numeric_moments_add(GpuredNumericMoments *moments, FunctionCallInfo caller,
									   Datum state, const Datum *numeric, int n, bool *take);
extern void gpured_numeric_moments_settle(GpuredNumericMoments *moments, FunctionCallInfo caller,
										  Datum state);

/* numeric_out.c */
#define GPURED_NUMERIC_INT128_MAX_SIZE 28	/* an aligned array element */

extern Size gpured_int128_write_numeric(int128 value, char *where);
extern Numeric gpured_int128_to_numeric(int128 value);
extern Numeric gpured_int128_to_scaled_numeric(int128 value, int fraction_digits,
											   int scale);

static inline int128
gpured_int128_of(GpuredInt128 value)
{
	return ((int128) value.hi << 64) | value.lo;
}

#endif							/* GPURED_AGGREGATE_H */

/*
 * minmax.c
 *	  gpu_min and gpu_max of integers, floats, money, oid, dates and times.
 *
 * Every type is compared as an int64 key that has the type's order
 * (order_key.h).  A minimum is the maximum of the inverted keys: one code for
 * both.
 *
 * The state is the key in a tagged Datum, where 63 bits hold it, and else a
 * struct.  A struct that the device has or may get a part of pretends to hold
 * the least key, so that no value takes the fast path.
 */
#include "postgres.h"

#include "libpq/pqformat.h"
#include "utils/cash.h"
#include "utils/date.h"
#include "utils/timestamp.h"

#include "aggregate/aggregate.h"
#include "aggregate/order_key.h"

#define LEAST_KEY PG_INT64_MIN

typedef struct ExtremeState
{
	int64		key;			/* LEAST_KEY if there is an offload */
	struct ExtremeOffload *offload;
} ExtremeState;

typedef struct ExtremeOffload
{
	GpuredOffload *device;
	int64		key;			/* of the values that came before the batcher */
} ExtremeOffload;

/* Whether keys of this operation are inverted. */
static inline bool
is_least(GpuredOp op)
{
	GpuredAccKind acc = gpured_op_info[op].acc;

	return acc == GPURED_ACC_least_int || acc == GPURED_ACC_least_float;
}

static Datum
make_state(MemoryContext context, int64 key)
{
	ExtremeState *state;

	if (GPURED_FITS_TAG(key))
		return GPURED_TAG(key);
	state = MemoryContextAlloc(context, sizeof(ExtremeState));
	state->key = key;
	state->offload = NULL;
	return PointerGetDatum(state);
}

/* Put the value of a key into the batch. */
static void
append_key(GpuredOffload *device, int64 key)
{
	if (is_least(device->op))
		key = ~key;
	switch (device->op)
	{
		case GPURED_reduce_min_float4:
		case GPURED_reduce_max_float4:
			GPURED_BATCHER_APPEND(device->batcher, float, float4_of_key(key));
			break;
		case GPURED_reduce_min_float8:
		case GPURED_reduce_max_float8:
			GPURED_BATCHER_APPEND(device->batcher, double, float8_of_key(key));
			break;
		default:
			gpured_int_append(device, key);
			break;
	}
}

/* The key of the device's part; LEAST_KEY if it has none. */
static int64
device_key(GpuredOffload *device)
{
	GpuredAcc	total;
	int64		key;

	gpured_offload_total(device, &total);
	if (total.n == 0)
		return LEAST_KEY;
	switch (device->op)
	{
		case GPURED_reduce_min_float4:
		case GPURED_reduce_max_float4:
			key = float4_key((float) total.v.f8);
			break;
		case GPURED_reduce_min_float8:
		case GPURED_reduce_max_float8:
			key = float8_key(total.v.f8);
			break;
		default:
			key = total.v.i64;
			break;
	}
	return is_least(device->op) ? ~key : key;
}

static int64
state_key(Datum datum)
{
	ExtremeState *state;

	if (GPURED_IS_TAGGED(datum))
		return GPURED_UNTAG(datum);
	state = (ExtremeState *) DatumGetPointer(datum);
	if (state->offload == NULL)
		return state->key;
	return Max(state->offload->key, device_key(state->offload->device));
}

/* The first value of a group: decide what kind of state it gets. */
static Datum
first_value(FunctionCallInfo fcinfo, int64 key, GpuredOp op)
{
	MemoryContext context = gpured_aggregate_context(fcinfo);
	GpuredOffload *device = gpured_offload_start(fcinfo, context, op);
	ExtremeState *state;

	if (device == NULL)
		return make_state(context, key);

	state = MemoryContextAlloc(context, sizeof(ExtremeState));
	state->key = LEAST_KEY;
	state->offload = MemoryContextAlloc(context, sizeof(ExtremeOffload));
	state->offload->device = device;
	state->offload->key = LEAST_KEY;
	if (gpured_offload_takes(device))
		append_key(device, key);
	else
		state->offload->key = key;
	PG_RETURN_POINTER(state);
}

/* All that the fast path leaves: "key" is a new extreme, or the first value. */
static pg_noinline Datum
step_slowly(FunctionCallInfo fcinfo, int64 key, GpuredOp op)
{
	ExtremeState *state;

	if (PG_ARGISNULL(0))
		return first_value(fcinfo, key, op);
	if (GPURED_IS_TAGGED(PG_GETARG_DATUM(0)))
		return make_state(gpured_aggregate_context(fcinfo), key);

	state = (ExtremeState *) PG_GETARG_POINTER(0);
	if (state->offload == NULL)
		state->key = key;
	else if (gpured_offload_takes(state->offload->device))
		append_key(state->offload->device, key);
	else
		state->offload->key = Max(state->offload->key, key);
	PG_RETURN_POINTER(state);
}

static pg_attribute_always_inline Datum
step(FunctionCallInfo fcinfo, int64 key, GpuredOp op)
{
	Datum		state = PG_GETARG_DATUM(0);

	if (likely(!PG_ARGISNULL(0)))
	{
		/* tagged Datums are ordered as their keys */
		if (GPURED_IS_TAGGED(state))
		{
			if (GPURED_FITS_TAG(key))
				return (Datum) Max((int64) state, (int64) GPURED_TAG(key));
			if (key < 0)
				return state;
		}
		else if (likely(key <= ((ExtremeState *) DatumGetPointer(state))->key))
			return state;
	}
	return step_slowly(fcinfo, key, op);
}

/*
 * Transition and final functions of one type.  "kernel" is the type of the device
 * operation: what is an integer underneath goes as one, and the infinities of
 * dates and timestamps are its extremes.
 */
#define DEFINE_EXTREME(type, kernel, GETARG, to_key, RETURN, of_key) \
PG_FUNCTION_INFO_V1(gpured_##type##_max); \
PG_FUNCTION_INFO_V1(gpured_##type##_min); \
PG_FUNCTION_INFO_V1(gpured_##type##_max_final); \
PG_FUNCTION_INFO_V1(gpured_##type##_min_final); \
\
Datum \
gpured_##type##_max(PG_FUNCTION_ARGS) \
{ \
	if (PG_ARGISNULL(1)) \
		return gpured_unchanged(fcinfo); \
	return step(fcinfo, to_key(GETARG(1)), GPURED_reduce_max_##kernel); \
} \
\
Datum \
gpured_##type##_min(PG_FUNCTION_ARGS) \
{ \
	if (PG_ARGISNULL(1)) \
		return gpured_unchanged(fcinfo); \
	return step(fcinfo, ~to_key(GETARG(1)), GPURED_reduce_min_##kernel); \
} \
\
Datum \
gpured_##type##_max_final(PG_FUNCTION_ARGS) \
{ \
	gpured_aggregate_context(fcinfo); \
	if (PG_ARGISNULL(0)) \
		PG_RETURN_NULL(); \
	RETURN(of_key(state_key(PG_GETARG_DATUM(0)))); \
} \
\
Datum \
gpured_##type##_min_final(PG_FUNCTION_ARGS) \
{ \
	gpured_aggregate_context(fcinfo); \
	if (PG_ARGISNULL(0)) \
		PG_RETURN_NULL(); \
	RETURN(of_key(~state_key(PG_GETARG_DATUM(0)))); \
}

DEFINE_EXTREME(int2, int2, PG_GETARG_INT16, (int64), PG_RETURN_INT16, (int16))
DEFINE_EXTREME(int4, int4, PG_GETARG_INT32, (int64), PG_RETURN_INT32, (int32))
DEFINE_EXTREME(int8, int8, PG_GETARG_INT64, (int64), PG_RETURN_INT64, (int64))
DEFINE_EXTREME(float4, float4, PG_GETARG_FLOAT4, float4_key, PG_RETURN_FLOAT4, float4_of_key)
DEFINE_EXTREME(float8, float8, PG_GETARG_FLOAT8, float8_key, PG_RETURN_FLOAT8, float8_of_key)

DEFINE_EXTREME(money, int8, PG_GETARG_CASH, (int64), PG_RETURN_CASH, (Cash))
DEFINE_EXTREME(oid, int8, PG_GETARG_OID, (int64), PG_RETURN_OID, (Oid))
DEFINE_EXTREME(date, int4, PG_GETARG_DATEADT, (int64), PG_RETURN_DATEADT, (DateADT))
DEFINE_EXTREME(time, int8, PG_GETARG_TIMEADT, (int64), PG_RETURN_TIMEADT, (TimeADT))
DEFINE_EXTREME(timestamp, int8, PG_GETARG_TIMESTAMP, (int64), PG_RETURN_TIMESTAMP, (Timestamp))
DEFINE_EXTREME(timestamptz, int8, PG_GETARG_TIMESTAMPTZ, (int64), PG_RETURN_TIMESTAMPTZ, (TimestampTz))

PG_FUNCTION_INFO_V1(gpured_extreme_combine);
PG_FUNCTION_INFO_V1(gpured_extreme_serialize);
PG_FUNCTION_INFO_V1(gpured_extreme_deserialize);

/* Fold the second state into the first, which may have a batcher and keeps it. */
Datum
gpured_extreme_combine(PG_FUNCTION_ARGS)
{
	MemoryContext context = gpured_aggregate_context(fcinfo);
	ExtremeState *state;
	int64		key;

	if (PG_ARGISNULL(1))
		return gpured_unchanged(fcinfo);
	key = state_key(PG_GETARG_DATUM(1));
	if (PG_ARGISNULL(0))
		return make_state(context, key);
	if (GPURED_IS_TAGGED(PG_GETARG_DATUM(0)))
		return make_state(context, Max(GPURED_UNTAG(PG_GETARG_DATUM(0)), key));

	state = (ExtremeState *) PG_GETARG_POINTER(0);
	if (state->offload != NULL)
		state->offload->key = Max(state->offload->key, key);
	else
		state->key = Max(state->key, key);
	PG_RETURN_POINTER(state);
}

Datum
gpured_extreme_serialize(PG_FUNCTION_ARGS)
{
	StringInfoData buf;

	gpured_aggregate_context(fcinfo);
	gpured_state_begin(&buf, GPURED_STATE_EXTREME);
	pq_sendint64(&buf, (uint64) state_key(PG_GETARG_DATUM(0)));
	PG_RETURN_BYTEA_P(gpured_state_end(&buf));
}

/* Any key is a value of the widest type, and is cut to the type's width. */
Datum
gpured_extreme_deserialize(PG_FUNCTION_ARGS)
{
	bytea	   *serialized = PG_GETARG_BYTEA_PP(0);
	StringInfoData buf;
	int64		key;

	gpured_aggregate_context(fcinfo);
	gpured_state_open(&buf, serialized, GPURED_STATE_EXTREME);
	gpured_state_need(&buf, 8);
	key = pq_getmsgint64(&buf);
	gpured_state_close(&buf);
	return make_state(CurrentMemoryContext, key);
}

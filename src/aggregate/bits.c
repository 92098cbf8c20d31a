/*
 * bits.c
 *	  gpu_bit_and, gpu_bit_or and gpu_bit_xor of int2, int4 and int8.
 *
 * The state is the result so far in a tagged Datum, where 63 bits hold it, and
 * else a struct; one that the device has or may get a part of is a struct too.
 * Values of all types are int64, with their sign: so are the results.
 */
#include "postgres.h"

#include "libpq/pqformat.h"

#include "aggregate/aggregate.h"

typedef struct BitsState
{
	GpuredOffload *offload;		/* NULL if the device has no part */
	int64		value;
	bool		empty;			/* no value has been added here */
} BitsState;

/* "kind" is the accumulator of the device operation. */
static inline int64
combine_bits(GpuredAccKind kind, int64 a, int64 b)
{
	switch (kind)
	{
		case GPURED_ACC_and_int:
			return a & b;
		case GPURED_ACC_or_int:
			return a | b;
		default:
			return a ^ b;
	}
}

static BitsState *
make_struct(MemoryContext context)
{
	BitsState  *state = MemoryContextAlloc(context, sizeof(BitsState));

	state->offload = NULL;
	state->value = 0;
	state->empty = true;
	return state;
}

static Datum
make_state(MemoryContext context, int64 value)
{
	BitsState  *state;

	if (GPURED_FITS_TAG(value))
		return GPURED_TAG(value);
	state = make_struct(context);
	state->value = value;
	state->empty = false;
	return PointerGetDatum(state);
}

static void
add_value(BitsState *state, GpuredAccKind kind, int64 value)
{
	state->value = state->empty ? value : combine_bits(kind, state->value, value);
	state->empty = false;
}

/* The result of all values, those on the device included. */
static int64
state_value(Datum datum)
{
	BitsState  *state;
	GpuredAcc	total;

	if (GPURED_IS_TAGGED(datum))
		return GPURED_UNTAG(datum);
	state = (BitsState *) DatumGetPointer(datum);
	if (state->offload == NULL)
		return state->value;
	gpured_offload_total(state->offload, &total);
	if (total.n == 0)
		return state->value;
	if (state->empty)
		return total.v.i64;
	return combine_bits(gpured_op_info[state->offload->op].acc, state->value, total.v.i64);
}

/* All that the fast path leaves: the first value, wide ones, the device. */
static pg_noinline Datum
step_slowly(FunctionCallInfo fcinfo, int64 value, GpuredOp op)
{
	GpuredAccKind kind = gpured_op_info[op].acc;
	BitsState  *state;

	if (PG_ARGISNULL(0))
	{
		MemoryContext context = gpured_aggregate_context(fcinfo);
		GpuredOffload *offload = gpured_offload_start(fcinfo, context, op);

		if (offload == NULL)
			return make_state(context, value);
		state = make_struct(context);
		state->offload = offload;
	}
	else if (GPURED_IS_TAGGED(PG_GETARG_DATUM(0)))
		return make_state(gpured_aggregate_context(fcinfo),
						  combine_bits(kind, GPURED_UNTAG(PG_GETARG_DATUM(0)), value));
	else
		state = (BitsState *) PG_GETARG_POINTER(0);

	if (state->offload != NULL && gpured_offload_takes(state->offload))
		gpured_int_append(state->offload, value);
	else
		add_value(state, kind, value);
	PG_RETURN_POINTER(state);
}

static pg_attribute_always_inline Datum
step(FunctionCallInfo fcinfo, int64 value, GpuredAccKind kind, GpuredOp op)
{
	if (likely(!PG_ARGISNULL(0) && GPURED_IS_TAGGED(PG_GETARG_DATUM(0)) && GPURED_FITS_TAG(value)))
		return GPURED_TAG(combine_bits(kind, GPURED_UNTAG(PG_GETARG_DATUM(0)), value));
	return step_slowly(fcinfo, value, op);
}

/* Fold the second state into the first, which may have a batcher and keeps it. */
static Datum
combine(FunctionCallInfo fcinfo, GpuredAccKind kind)
{
	MemoryContext context = gpured_aggregate_context(fcinfo);
	int64		value;

	if (PG_ARGISNULL(1))
		return gpured_unchanged(fcinfo);
	value = state_value(PG_GETARG_DATUM(1));
	if (PG_ARGISNULL(0))
		return make_state(context, value);
	if (GPURED_IS_TAGGED(PG_GETARG_DATUM(0)))
		return make_state(context, combine_bits(kind, GPURED_UNTAG(PG_GETARG_DATUM(0)), value));
	add_value((BitsState *) PG_GETARG_POINTER(0), kind, value);
	return PG_GETARG_DATUM(0);
}

#define DEFINE_STEP(name, type, GETARG) \
PG_FUNCTION_INFO_V1(gpured_##type##_bit_##name); \
\
Datum \
gpured_##type##_bit_##name(PG_FUNCTION_ARGS) \
{ \
	if (PG_ARGISNULL(1)) \
		return gpured_unchanged(fcinfo); \
	return step(fcinfo, GETARG(1), GPURED_ACC_##name##_int, GPURED_reduce_bit_##name##_##type); \
}

#define DEFINE_BITS(name) \
DEFINE_STEP(name, int2, PG_GETARG_INT16) \
DEFINE_STEP(name, int4, PG_GETARG_INT32) \
DEFINE_STEP(name, int8, PG_GETARG_INT64) \
\
PG_FUNCTION_INFO_V1(gpured_bit_##name##_combine); \
\
Datum \
gpured_bit_##name##_combine(PG_FUNCTION_ARGS) \
{ \
	return combine(fcinfo, GPURED_ACC_##name##_int); \
}

DEFINE_BITS(and)
DEFINE_BITS(or)
DEFINE_BITS(xor)

#define DEFINE_FINAL(type, RETURN, ctype) \
PG_FUNCTION_INFO_V1(gpured_##type##_bits); \
\
Datum \
gpured_##type##_bits(PG_FUNCTION_ARGS) \
{ \
	gpured_aggregate_context(fcinfo); \
	if (PG_ARGISNULL(0)) \
		PG_RETURN_NULL(); \
	RETURN((ctype) state_value(PG_GETARG_DATUM(0))); \
}

DEFINE_FINAL(int2, PG_RETURN_INT16, int16)
DEFINE_FINAL(int4, PG_RETURN_INT32, int32)
DEFINE_FINAL(int8, PG_RETURN_INT64, int64)

PG_FUNCTION_INFO_V1(gpured_bits_serialize);
PG_FUNCTION_INFO_V1(gpured_bits_deserialize);

Datum
gpured_bits_serialize(PG_FUNCTION_ARGS)
{
	StringInfoData buf;

	gpured_aggregate_context(fcinfo);
	gpured_state_begin(&buf, GPURED_STATE_BITS);
	pq_sendint64(&buf, (uint64) state_value(PG_GETARG_DATUM(0)));
	PG_RETURN_BYTEA_P(gpured_state_end(&buf));
}

/* Any value is one of the widest type, and is cut to the type's width. */
Datum
gpured_bits_deserialize(PG_FUNCTION_ARGS)
{
	bytea	   *serialized = PG_GETARG_BYTEA_PP(0);
	StringInfoData buf;
	int64		value;

	gpured_aggregate_context(fcinfo);
	gpured_state_open(&buf, serialized, GPURED_STATE_BITS);
	gpured_state_need(&buf, 8);
	value = pq_getmsgint64(&buf);
	gpured_state_close(&buf);
	return make_state(CurrentMemoryContext, value);
}

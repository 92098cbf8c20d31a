/*
 * moments.c
 *	  Transition, combine and serial functions of the variances, deviations,
 *	  covariances and regressions of float4 and float8, and of gpu_dot.
 *
 * A state has the number of rows and the exact sums of values, squares and
 * products (src/exact/moments.h).  All aggregates of the same arguments share
 * their transition function, as the built-in ones do, so that a query that asks
 * for several of them sums once.  gpu_dot alone keeps nothing but its products.
 *
 * The functions of two variables have the arguments (y, x), in the order of
 * regr_slope(Y, X).
 */
#include "postgres.h"

#include "common/int.h"
#include "libpq/pqformat.h"

#include "aggregate/float_state.h"
#include "aggregate/moments.h"

PG_FUNCTION_INFO_V1(gpured_float4_moments);
PG_FUNCTION_INFO_V1(gpured_float8_moments);
PG_FUNCTION_INFO_V1(gpured_pair_moments);
PG_FUNCTION_INFO_V1(gpured_dot_step);
PG_FUNCTION_INFO_V1(gpured_float4_moving_moments);
PG_FUNCTION_INFO_V1(gpured_float4_moving_moments_inverse);
PG_FUNCTION_INFO_V1(gpured_float8_moving_moments);
PG_FUNCTION_INFO_V1(gpured_float8_moving_moments_inverse);
PG_FUNCTION_INFO_V1(gpured_moving_pair_moments);
PG_FUNCTION_INFO_V1(gpured_moving_pair_moments_inverse);
PG_FUNCTION_INFO_V1(gpured_moving_dot);
PG_FUNCTION_INFO_V1(gpured_moving_dot_inverse);
PG_FUNCTION_INFO_V1(gpured_pair_count_inverse);
PG_FUNCTION_INFO_V1(gpured_moments_combine);
PG_FUNCTION_INFO_V1(gpured_moments_serialize);
PG_FUNCTION_INFO_V1(gpured_moments_deserialize);
PG_FUNCTION_INFO_V1(gpured_pair_moments_deserialize);
PG_FUNCTION_INFO_V1(gpured_dot_deserialize);

static const char state_kinds[] = {
	[GPURED_MOMENTS_ONE] = GPURED_STATE_MOMENTS,
	[GPURED_MOMENTS_TWO] = GPURED_STATE_PAIR_MOMENTS,
	[GPURED_MOMENTS_DOT] = GPURED_STATE_DOT,
};

/* The first row of a group. */
static pg_noinline Datum
first_row(FunctionCallInfo fcinfo, GpuredMomentsKind kind, double x, double y)
{
	GpuredMoments *state = gpured_moments_create(kind, &gpured_call_allocator, fcinfo);

	PG_RETURN_POINTER(gpured_moments_add_slow(state, x, y, false, &gpured_call_allocator, fcinfo));
}

static pg_attribute_always_inline Datum
step(FunctionCallInfo fcinfo, GpuredMomentsKind kind, double x, double y)
{
	if (unlikely(PG_ARGISNULL(0)))
		return first_row(fcinfo, kind, x, y);
	PG_RETURN_POINTER(gpured_moments_add((GpuredMoments *) PG_GETARG_POINTER(0), kind, x, y,
										 false, &gpured_call_allocator, fcinfo));
}

Datum
gpured_float4_moments(PG_FUNCTION_ARGS)
{
	if (PG_ARGISNULL(1))
		return gpured_unchanged(fcinfo);
	return step(fcinfo, GPURED_MOMENTS_ONE, PG_GETARG_FLOAT4(1), 0);
}

Datum
gpured_float8_moments(PG_FUNCTION_ARGS)
{
	if (PG_ARGISNULL(1))
		return gpured_unchanged(fcinfo);
	return step(fcinfo, GPURED_MOMENTS_ONE, PG_GETARG_FLOAT8(1), 0);
}

Datum
gpured_pair_moments(PG_FUNCTION_ARGS)
{
	if (PG_ARGISNULL(1) || PG_ARGISNULL(2))
		return gpured_unchanged(fcinfo);
	return step(fcinfo, GPURED_MOMENTS_TWO, PG_GETARG_FLOAT8(2), PG_GETARG_FLOAT8(1));
}

Datum
gpured_dot_step(PG_FUNCTION_ARGS)
{
	if (PG_ARGISNULL(1) || PG_ARGISNULL(2))
		return gpured_unchanged(fcinfo);
	return step(fcinfo, GPURED_MOMENTS_DOT, PG_GETARG_FLOAT8(1), PG_GETARG_FLOAT8(2));
}

/* The moving state; a row without a value makes one too, for it may not be NULL. */
static GpuredMovingMoments *
moving_state(FunctionCallInfo fcinfo, GpuredMomentsKind kind)
{
	MemoryContext context;
	GpuredMovingMoments *state;

	if (likely(!PG_ARGISNULL(0)))
		return GPURED_MOVING_MOMENTS(PG_GETARG_DATUM(0));
	context = gpured_aggregate_context(fcinfo);
	state = MemoryContextAlloc(context, sizeof(GpuredMovingMoments));
	gpured_moving_moments_init(state, kind, &gpured_context_allocator, context);
	return state;
}

static Datum
move_one(FunctionCallInfo fcinfo, bool null, double x, bool remove)
{
	GpuredMovingMoments *state = moving_state(fcinfo, GPURED_MOMENTS_ONE);

	if (!null)
		gpured_moving_moments_add(state, x, 0, remove, &gpured_call_allocator, fcinfo);
	return PointerGetDatum(state) + 1;
}

static Datum
move_two(FunctionCallInfo fcinfo, GpuredMomentsKind kind, int x, int y, bool remove)
{
	GpuredMovingMoments *state = moving_state(fcinfo, kind);

	if (!PG_ARGISNULL(x) && !PG_ARGISNULL(y))
		gpured_moving_moments_add(state, PG_GETARG_FLOAT8(x), PG_GETARG_FLOAT8(y), remove,
								  &gpured_call_allocator, fcinfo);
	return PointerGetDatum(state) + 1;
}

Datum
gpured_float4_moving_moments(PG_FUNCTION_ARGS)
{
	return move_one(fcinfo, PG_ARGISNULL(1), PG_GETARG_FLOAT4(1), false);
}

Datum
gpured_float4_moving_moments_inverse(PG_FUNCTION_ARGS)
{
	return move_one(fcinfo, PG_ARGISNULL(1), PG_GETARG_FLOAT4(1), true);
}

Datum
gpured_float8_moving_moments(PG_FUNCTION_ARGS)
{
	return move_one(fcinfo, PG_ARGISNULL(1), PG_GETARG_FLOAT8(1), false);
}

Datum
gpured_float8_moving_moments_inverse(PG_FUNCTION_ARGS)
{
	return move_one(fcinfo, PG_ARGISNULL(1), PG_GETARG_FLOAT8(1), true);
}

Datum
gpured_moving_pair_moments(PG_FUNCTION_ARGS)
{
	return move_two(fcinfo, GPURED_MOMENTS_TWO, 2, 1, false);
}

Datum
gpured_moving_pair_moments_inverse(PG_FUNCTION_ARGS)
{
	return move_two(fcinfo, GPURED_MOMENTS_TWO, 2, 1, true);
}

Datum
gpured_moving_dot(PG_FUNCTION_ARGS)
{
	return move_two(fcinfo, GPURED_MOMENTS_DOT, 1, 2, false);
}

Datum
gpured_moving_dot_inverse(PG_FUNCTION_ARGS)
{
	return move_two(fcinfo, GPURED_MOMENTS_DOT, 1, 2, true);
}

/* The inverse of int8inc_float8_float8, which PostgreSQL does not have. */
Datum
gpured_pair_count_inverse(PG_FUNCTION_ARGS)
{
	PG_RETURN_INT64(PG_GETARG_INT64(0) - 1);
}

Datum
gpured_moments_combine(PG_FUNCTION_ARGS)
{
	MemoryContext context = gpured_aggregate_context(fcinfo);
	GpuredMoments *state;
	GpuredMoments *other;
	int64		n;

	if (PG_ARGISNULL(1))
		return gpured_unchanged(fcinfo);
	other = (GpuredMoments *) PG_GETARG_POINTER(1);
	if (PG_ARGISNULL(0))
		PG_RETURN_POINTER(gpured_moments_copy(other, &gpured_context_allocator, context));
	state = (GpuredMoments *) PG_GETARG_POINTER(0);
	if (pg_add_s64_overflow(gpured_moments_rows(state), gpured_moments_rows(other), &n))
		ereport(ERROR,
				(errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
				 errmsg("bigint out of range")));
	PG_RETURN_POINTER(gpured_moments_merge(state, other, &gpured_context_allocator, context));
}

Datum
gpured_moments_serialize(PG_FUNCTION_ARGS)
{
	GpuredMoments *state = (GpuredMoments *) PG_GETARG_POINTER(0);
	uint8_t		bytes[GPURED_MOMENTS_MAX_BYTES];
	StringInfoData buf;

	gpured_aggregate_context(fcinfo);
	gpured_state_begin(&buf, state_kinds[state->kind]);
	pq_sendbytes(&buf, (char *) bytes, (int) gpured_moments_write(state, bytes));
	PG_RETURN_BYTEA_P(gpured_state_end(&buf));
}

static Datum
deserialize(FunctionCallInfo fcinfo, GpuredMomentsKind kind)
{
	bytea	   *serialized = PG_GETARG_BYTEA_PP(0);
	GpuredMoments *state;
	StringInfoData buf;
	int			size;

	gpured_aggregate_context(fcinfo);
	gpured_state_open(&buf, serialized, state_kinds[kind]);
	size = buf.len - buf.cursor;
	if (!gpured_moments_read((const uint8_t *) pq_getmsgbytes(&buf, size), size, kind, &state,
							 &gpured_context_allocator, CurrentMemoryContext))
		gpured_state_corrupt("Its exact sums make no sense.");
	PG_RETURN_POINTER(state);
}

Datum
gpured_moments_deserialize(PG_FUNCTION_ARGS)
{
	return deserialize(fcinfo, GPURED_MOMENTS_ONE);
}

Datum
gpured_pair_moments_deserialize(PG_FUNCTION_ARGS)
{
	return deserialize(fcinfo, GPURED_MOMENTS_TWO);
}

Datum
gpured_dot_deserialize(PG_FUNCTION_ARGS)
{
	return deserialize(fcinfo, GPURED_MOMENTS_DOT);
}

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

/* What an operation has summed, in the current memory context. */
static GpuredMoments *
moments_of_sums(GpuredOp op, const GpuredAcc *total)
{
	GpuredMomentsKind kind = gpured_op_info[op].acc == GPURED_ACC_dot ? GPURED_MOMENTS_DOT :
		gpured_op_info[op].columns == 2 ? GPURED_MOMENTS_TWO : GPURED_MOMENTS_ONE;
	GpuredMoments *result;

	/* Each batch's sums were checked, and such sums add up to possible ones. */
	if (!gpured_moments_from_sums(kind, &total->v.sums, total->n, &result,
								  &gpured_context_allocator, CurrentMemoryContext))
		elog(ERROR, "gpured-server sent sums that make no sense");
	return result;
}

GpuredMoments *
gpured_moments_resolve(Datum state)
{
	GpuredMomentParts *parts;
	GpuredMoments *device;
	GpuredAcc	total;

	if (!GPURED_HAS_MOMENT_PARTS(state))
		return (GpuredMoments *) DatumGetPointer(state);
	parts = GPURED_MOMENT_PARTS(state);
	gpured_offload_total(parts->offload, &total);
	if (total.n == 0)
		return parts->rows;
	device = moments_of_sums(parts->offload->op, &total);
	if (parts->rows != NULL)
		device = gpured_moments_merge(device, parts->rows, &gpured_context_allocator,
									  CurrentMemoryContext);
	return device;
}

/* Put a row into the batch. */
static void
append(GpuredOffload *offload, double x, double y)
{
	if (gpured_op_info[offload->op].columns == 2)
		GPURED_BATCHER_APPEND_PAIR(offload->batcher, double, x, y);
	else if (offload->op == GPURED_reduce_moments_float4)
		GPURED_BATCHER_APPEND(offload->batcher, float, (float) x);
	else
		GPURED_BATCHER_APPEND(offload->batcher, double, x);
}

/* The first row of a group, and every row where the device has a part. */
static pg_noinline Datum
step_slowly(FunctionCallInfo fcinfo, GpuredMomentsKind kind, GpuredOp op, double x, double y)
{
	GpuredMomentParts *parts;
	GpuredMoments *rows;

	if (PG_ARGISNULL(0))
	{
		MemoryContext context = gpured_aggregate_context(fcinfo);
		GpuredOffload *offload = gpured_offload_start(fcinfo, context, op);

		if (offload == NULL)
		{
			rows = gpured_moments_create(kind, &gpured_context_allocator, context);
			PG_RETURN_POINTER(gpured_moments_add_slow(rows, x, y, false, &gpured_context_allocator, context));
		}
		parts = MemoryContextAlloc(context, sizeof(GpuredMomentParts));
		parts->offload = offload;
		parts->rows = NULL;
	}
	else
		parts = GPURED_MOMENT_PARTS(PG_GETARG_DATUM(0));

	if (gpured_offload_takes(parts->offload))
		append(parts->offload, x, y);
	else
	{
		if (parts->rows == NULL)
			parts->rows = gpured_moments_create(kind, &gpured_call_allocator, fcinfo);
		parts->rows = gpured_moments_add_slow(parts->rows, x, y, false, &gpured_call_allocator,
											  fcinfo);
	}
	return PointerGetDatum(parts) + GPURED_MOMENT_PARTS_TAG;
}

static pg_attribute_always_inline Datum
step(FunctionCallInfo fcinfo, GpuredMomentsKind kind, GpuredOp op, double x, double y)
{
	if (unlikely(PG_ARGISNULL(0) || GPURED_HAS_MOMENT_PARTS(PG_GETARG_DATUM(0))))
		return step_slowly(fcinfo, kind, op, x, y);
	PG_RETURN_POINTER(gpured_moments_add((GpuredMoments *) PG_GETARG_POINTER(0), kind, x, y,
										 false, &gpured_call_allocator, fcinfo));
}

Datum
gpured_float4_moments(PG_FUNCTION_ARGS)
{
	if (PG_ARGISNULL(1))
		return gpured_unchanged(fcinfo);
	return step(fcinfo, GPURED_MOMENTS_ONE, GPURED_reduce_moments_float4, PG_GETARG_FLOAT4(1), 0);
}

Datum
gpured_float8_moments(PG_FUNCTION_ARGS)
{
	if (PG_ARGISNULL(1))
		return gpured_unchanged(fcinfo);
	return step(fcinfo, GPURED_MOMENTS_ONE, GPURED_reduce_moments_float8, PG_GETARG_FLOAT8(1), 0);
}

Datum
gpured_pair_moments(PG_FUNCTION_ARGS)
{
	if (PG_ARGISNULL(1) || PG_ARGISNULL(2))
		return gpured_unchanged(fcinfo);
	return step(fcinfo, GPURED_MOMENTS_TWO, GPURED_reduce_pair_moments_float8,
				PG_GETARG_FLOAT8(2), PG_GETARG_FLOAT8(1));
}

Datum
gpured_dot_step(PG_FUNCTION_ARGS)
{
	if (PG_ARGISNULL(1) || PG_ARGISNULL(2))
		return gpured_unchanged(fcinfo);
	return step(fcinfo, GPURED_MOMENTS_DOT, GPURED_reduce_dot_float8,
				PG_GETARG_FLOAT8(1), PG_GETARG_FLOAT8(2));
}

bool
gpured_moments_add_shortly(Datum state, GpuredMomentsKind kind, double x, double y)
{
	GpuredMoments *moments = (GpuredMoments *) DatumGetPointer(state);

	if (unlikely(GPURED_HAS_MOMENT_PARTS(state)))
		return false;
	switch (kind)
	{
		case GPURED_MOMENTS_ONE:
			return gpured_moments_fit(moments, GPURED_MOMENTS_ONE, x, 0, false);
		case GPURED_MOMENTS_TWO:
			return gpured_moments_fit(moments, GPURED_MOMENTS_TWO, x, y, false);
		default:
			return gpured_moments_fit(moments, GPURED_MOMENTS_DOT, x, y, false);
	}
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

/* Fold the second state into the first, which may have a batcher and keeps it. */
Datum
gpured_moments_combine(PG_FUNCTION_ARGS)
{
	MemoryContext context = gpured_aggregate_context(fcinfo);
	GpuredMoments **state;
	GpuredMoments *own;
	GpuredMoments *other;
	int64		n;

	if (PG_ARGISNULL(1))
		return gpured_unchanged(fcinfo);
	other = gpured_moments_resolve(PG_GETARG_DATUM(1));
	if (PG_ARGISNULL(0))
		PG_RETURN_POINTER(gpured_moments_copy(other, &gpured_context_allocator, context));

	own = (GpuredMoments *) PG_GETARG_POINTER(0);
	state = GPURED_HAS_MOMENT_PARTS(PG_GETARG_DATUM(0)) ?
		&GPURED_MOMENT_PARTS(PG_GETARG_DATUM(0))->rows : &own;
	if (*state == NULL)
		*state = gpured_moments_copy(other, &gpured_context_allocator, context);
	else
	{
		if (pg_add_s64_overflow(gpured_moments_rows(*state), gpured_moments_rows(other), &n))
			ereport(ERROR,
					(errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
					 errmsg("bigint out of range")));
		*state = gpured_moments_merge(*state, other, &gpured_context_allocator, context);
	}
	return state == &own ? PointerGetDatum(own) : PG_GETARG_DATUM(0);
}

static bytea *
serialize(const GpuredMoments *sums)
{
	uint8_t		bytes[GPURED_MOMENTS_MAX_BYTES];
	size_t		size = gpured_moments_write(sums, bytes);
	char	   *state = palloc(VARHDRSZ + 2 + size);

	memcpy(gpured_state_put_kind(state, state_kinds[sums->kind]), bytes, size);
	SET_VARSIZE(state, VARHDRSZ + 2 + size);
	return (bytea *) state;
}

bytea *
gpured_serialize_moment_sums(GpuredOp op, const GpuredAcc *total)
{
	return serialize(moments_of_sums(op, total));
}

Datum
gpured_moments_serialize(PG_FUNCTION_ARGS)
{
	gpured_aggregate_context(fcinfo);
	PG_RETURN_BYTEA_P(serialize(gpured_moments_resolve(PG_GETARG_DATUM(0))));
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

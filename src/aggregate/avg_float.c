/*
 * avg_float.c
 *	  gpu_avg(float4) and gpu_avg(float8), and the moving sums and averages of
 *	  the same types.
 *
 * An average is the exact quotient of the exact sum and the number of values,
 * rounded once.  It is finite also where the sum is beyond the largest float8.
 *
 * The built-in float sums have no inverse transition, since a rounded sum cannot
 * take a value back.  An exact one can, NaN and infinities included, which are
 * counted: see GpuredMovingSum.
 */
#include "postgres.h"

#include "libpq/pqformat.h"
#include "utils/float.h"

#include "aggregate/float_state.h"

PG_FUNCTION_INFO_V1(gpured_float4_avg_step);
PG_FUNCTION_INFO_V1(gpured_float8_avg_step);
PG_FUNCTION_INFO_V1(gpured_float_avg_combine);
PG_FUNCTION_INFO_V1(gpured_float_avg_serialize);
PG_FUNCTION_INFO_V1(gpured_float_avg_deserialize);
PG_FUNCTION_INFO_V1(gpured_float_avg);
PG_FUNCTION_INFO_V1(gpured_float4_moving_step);
PG_FUNCTION_INFO_V1(gpured_float8_moving_step);
PG_FUNCTION_INFO_V1(gpured_float4_moving_inverse);
PG_FUNCTION_INFO_V1(gpured_float8_moving_inverse);
PG_FUNCTION_INFO_V1(gpured_float4_moving_sum);
PG_FUNCTION_INFO_V1(gpured_float8_moving_sum);
PG_FUNCTION_INFO_V1(gpured_float_moving_avg);

typedef struct GpuredFloatMean
{
	int64		n;
	GpuredFloatParts parts;		/* offload is NULL if the device has no part */
} GpuredFloatMean;

static GpuredFloatMean *
make_mean(MemoryContext context)
{
	GpuredFloatMean *state = MemoryContextAlloc(context, sizeof(GpuredFloatMean));

	state->n = 0;
	state->parts.offload = NULL;
	state->parts.window = gpured_window_create(&gpured_context_allocator, context);
	return state;
}

/* Number and exact sum of all values, those on the device included. */
static int64
resolve(const GpuredFloatMean *state, GpuredExact *x)
{
	int64		n = state->n;

	gpured_window_to_exact(state->parts.window, x);
	if (state->parts.offload != NULL)
		gpured_float_merge_device(state->parts.offload, x, &n);
	return n;
}

/* The first value of a group, and every value where the device has a part. */
static pg_noinline Datum
step_slowly(FunctionCallInfo fcinfo, double value, GpuredOp op)
{
	GpuredFloatMean *state;

	if (PG_ARGISNULL(0))
	{
		MemoryContext context = gpured_aggregate_context(fcinfo);

		state = make_mean(context);
		state->parts.offload = gpured_offload_start(fcinfo, context, op);
	}
	else
		state = (GpuredFloatMean *) PG_GETARG_POINTER(0);

	if (state->parts.offload != NULL && gpured_offload_takes(state->parts.offload))
		gpured_float_append(state->parts.offload, value);
	else
	{
		state->parts.window = gpured_window_add(state->parts.window, value,
												&gpured_call_allocator, fcinfo);
		state->n++;
	}
	PG_RETURN_POINTER(state);
}

static pg_attribute_always_inline Datum
avg_step(FunctionCallInfo fcinfo, double value, GpuredOp op)
{
	GpuredFloatMean *state = (GpuredFloatMean *) PG_GETARG_POINTER(0);

	if (likely(!PG_ARGISNULL(0) && state->parts.offload == NULL))
	{
		state->parts.window = gpured_window_add(state->parts.window, value,
												&gpured_call_allocator, fcinfo);
		state->n++;
		PG_RETURN_POINTER(state);
	}
	return step_slowly(fcinfo, value, op);
}

Datum
gpured_float4_avg_step(PG_FUNCTION_ARGS)
{
	if (PG_ARGISNULL(1))
		return gpured_unchanged(fcinfo);
	return avg_step(fcinfo, PG_GETARG_FLOAT4(1), GPURED_reduce_sum_float4);
}

Datum
gpured_float8_avg_step(PG_FUNCTION_ARGS)
{
	if (PG_ARGISNULL(1))
		return gpured_unchanged(fcinfo);
	return avg_step(fcinfo, PG_GETARG_FLOAT8(1), GPURED_reduce_sum_float8);
}

Datum
gpured_float_avg_combine(PG_FUNCTION_ARGS)
{
	MemoryContext context = gpured_aggregate_context(fcinfo);
	GpuredFloatMean *state;
	GpuredFloatMean *other;
	GpuredFloatParts *parts;

	if (PG_ARGISNULL(1))
		return gpured_unchanged(fcinfo);
	state = PG_ARGISNULL(0) ? make_mean(context) :
		(GpuredFloatMean *) PG_GETARG_POINTER(0);
	other = (GpuredFloatMean *) PG_GETARG_POINTER(1);

	parts = &state->parts;
	if (other->parts.offload != NULL)
	{
		GpuredExact x;

		state->n += resolve(other, &x);
		parts->window = gpured_window_add_exact(parts->window, &x,
												&gpured_context_allocator, context);
	}
	else
	{
		state->n += other->n;
		parts->window = gpured_window_merge(parts->window, other->parts.window,
											&gpured_context_allocator, context);
	}
	PG_RETURN_POINTER(state);
}

Datum
gpured_float_avg_serialize(PG_FUNCTION_ARGS)
{
	GpuredFloatMean *state = (GpuredFloatMean *) PG_GETARG_POINTER(0);
	GpuredWindow *window;
	int64		n;
	StringInfoData buf;

	gpured_aggregate_context(fcinfo);
	window = state->parts.window;
	n = state->n;
	if (state->parts.offload != NULL)
	{
		GpuredExact x;

		n = resolve(state, &x);
		window = gpured_window_create(&gpured_context_allocator, CurrentMemoryContext);
		window = gpured_window_add_exact(window, &x, &gpured_context_allocator,
										 CurrentMemoryContext);
	}
	gpured_state_begin(&buf, GPURED_STATE_FLOAT_MEAN);
	pq_sendint64(&buf, n);
	gpured_send_window(&buf, window);
	PG_RETURN_BYTEA_P(gpured_state_end(&buf));
}

Datum
gpured_float_avg_deserialize(PG_FUNCTION_ARGS)
{
	bytea	   *serialized = PG_GETARG_BYTEA_PP(0);
	StringInfoData buf;
	GpuredFloatMean *state;

	gpured_aggregate_context(fcinfo);
	state = palloc0(sizeof(GpuredFloatMean));
	gpured_state_open(&buf, serialized, GPURED_STATE_FLOAT_MEAN);
	gpured_state_need(&buf, 8);
	state->n = pq_getmsgint64(&buf);
	if (state->n <= 0)
		gpured_state_corrupt("Its number of values is not positive.");
	state->parts.window = gpured_get_window(&buf, CurrentMemoryContext);
	PG_RETURN_POINTER(state);
}

Datum
gpured_float_avg(PG_FUNCTION_ARGS)
{
	GpuredFloatMean *state;
	GpuredExact x;
	int64		n;

	gpured_aggregate_context(fcinfo);
	if (PG_ARGISNULL(0))
		PG_RETURN_NULL();
	state = (GpuredFloatMean *) PG_GETARG_POINTER(0);
	if (state->parts.offload == NULL)
		PG_RETURN_FLOAT8(gpured_window_mean(state->parts.window, (uint64) state->n));
	n = resolve(state, &x);
	PG_RETURN_FLOAT8(gpured_exact_mean(&x, (uint64) n));
}

/* The moving state; a row without a value makes one too, for it may not be NULL. */
static pg_noinline GpuredMovingSum *
make_moving(FunctionCallInfo fcinfo)
{
	MemoryContext context = gpured_aggregate_context(fcinfo);
	GpuredMovingSum *state = MemoryContextAlloc(context, sizeof(GpuredMovingSum));

	gpured_moving_init(state, &gpured_context_allocator, context);
	return state;
}

static pg_attribute_always_inline GpuredMovingSum *
moving_state(FunctionCallInfo fcinfo)
{
	if (unlikely(PG_ARGISNULL(0)))
		return make_moving(fcinfo);
	return (GpuredMovingSum *) PG_GETARG_POINTER(0);
}

Datum
gpured_float4_moving_step(PG_FUNCTION_ARGS)
{
	GpuredMovingSum *state = moving_state(fcinfo);

	if (!PG_ARGISNULL(1))
		gpured_moving_add(state, PG_GETARG_FLOAT4(1), &gpured_call_allocator, fcinfo);
	PG_RETURN_POINTER(state);
}

Datum
gpured_float8_moving_step(PG_FUNCTION_ARGS)
{
	GpuredMovingSum *state = moving_state(fcinfo);

	if (!PG_ARGISNULL(1))
		gpured_moving_add(state, PG_GETARG_FLOAT8(1), &gpured_call_allocator, fcinfo);
	PG_RETURN_POINTER(state);
}

Datum
gpured_float4_moving_inverse(PG_FUNCTION_ARGS)
{
	GpuredMovingSum *state = moving_state(fcinfo);

	if (!PG_ARGISNULL(1))
		gpured_moving_remove(state, PG_GETARG_FLOAT4(1), &gpured_call_allocator, fcinfo);
	PG_RETURN_POINTER(state);
}

Datum
gpured_float8_moving_inverse(PG_FUNCTION_ARGS)
{
	GpuredMovingSum *state = moving_state(fcinfo);

	if (!PG_ARGISNULL(1))
		gpured_moving_remove(state, PG_GETARG_FLOAT8(1), &gpured_call_allocator, fcinfo);
	PG_RETURN_POINTER(state);
}

/* The state, or NULL if no value is in the frame. */
static GpuredMovingSum *
final_moving(FunctionCallInfo fcinfo)
{
	GpuredMovingSum *state;

	gpured_aggregate_context(fcinfo);
	if (PG_ARGISNULL(0))
		return NULL;
	state = (GpuredMovingSum *) PG_GETARG_POINTER(0);
	return state->n > 0 ? state : NULL;
}

Datum
gpured_float4_moving_sum(PG_FUNCTION_ARGS)
{
	GpuredMovingSum *state = final_moving(fcinfo);
	float		result;

	if (state == NULL)
		PG_RETURN_NULL();
	if (unlikely(!gpured_moving_to_float(state, &result)))
		float_overflow_error();
	PG_RETURN_FLOAT4(result);
}

Datum
gpured_float8_moving_sum(PG_FUNCTION_ARGS)
{
	GpuredMovingSum *state = final_moving(fcinfo);
	double		result;

	if (state == NULL)
		PG_RETURN_NULL();
	if (unlikely(!gpured_moving_to_double(state, &result)))
		float_overflow_error();
	PG_RETURN_FLOAT8(result);
}

Datum
gpured_float_moving_avg(PG_FUNCTION_ARGS)
{
	GpuredMovingSum *state = final_moving(fcinfo);

	if (state == NULL)
		PG_RETURN_NULL();
	PG_RETURN_FLOAT8(gpured_moving_mean(state));
}

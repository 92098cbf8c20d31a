/*
 * sum_float.c
 *	  gpu_sum(float4) and gpu_sum(float8).
 *
 * The state is a window of the exact sum (src/exact/window.h), or, where the
 * device has or may get a part of the rows, a tagged pointer to both parts.
 * Nothing is rounded before the final function, so neither the order of the
 * rows nor the plan can be seen in the result.
 *
 * The hot function has one call in it, out of line and in tail position: the
 * compiler saves no registers for it.
 */
#include "postgres.h"

#include "utils/float.h"

#include "aggregate/float_state.h"

PG_FUNCTION_INFO_V1(gpured_float4_sum);
PG_FUNCTION_INFO_V1(gpured_float8_sum);
PG_FUNCTION_INFO_V1(gpured_float_sum_combine);
PG_FUNCTION_INFO_V1(gpured_float_sum_serialize);
PG_FUNCTION_INFO_V1(gpured_float_sum_deserialize);
PG_FUNCTION_INFO_V1(gpured_float4_sum_final);
PG_FUNCTION_INFO_V1(gpured_float8_sum_final);

static GpuredFloatParts *
state_parts(Datum state)
{
	return (GpuredFloatParts *) DatumGetPointer(state - 1);
}

/* The whole sum of a state in two parts. */
static void
state_to_exact(Datum state, GpuredExact *x)
{
	GpuredFloatParts *parts = state_parts(state);
	int64		n = 0;

	gpured_window_to_exact(parts->window, x);
	gpured_float_merge_device(parts->offload, x, &n);
}

/* The first value, and every value where the device has a part. */
static pg_noinline Datum
sum_slowly(FunctionCallInfo fcinfo, double value, GpuredOp op)
{
	GpuredFloatParts *parts;

	if (PG_ARGISNULL(0))
	{
		MemoryContext context = gpured_aggregate_context(fcinfo);
		GpuredOffload *offload = gpured_offload_start(fcinfo, context, op);
		GpuredWindow *window = gpured_window_create(&gpured_context_allocator, context);

		if (offload == NULL)
			PG_RETURN_POINTER(gpured_window_add(window, value,
												&gpured_context_allocator, context));
		parts = MemoryContextAlloc(context, sizeof(GpuredFloatParts));
		parts->offload = offload;
		parts->window = window;
	}
	else
		parts = state_parts(PG_GETARG_DATUM(0));

	if (gpured_offload_takes(parts->offload))
		gpured_float_append(parts->offload, value);
	else
		parts->window = gpured_window_add(parts->window, value,
										  &gpured_call_allocator, fcinfo);
	return PointerGetDatum(parts) + 1;
}

static pg_attribute_always_inline Datum
sum_step(FunctionCallInfo fcinfo, double value, GpuredOp op)
{
	Datum		state = PG_GETARG_DATUM(0);

	if (likely(!PG_ARGISNULL(0) && !GPURED_IS_TAGGED(state)))
		return PointerGetDatum(gpured_window_add((GpuredWindow *) DatumGetPointer(state),
												 value, &gpured_call_allocator, fcinfo));
	return sum_slowly(fcinfo, value, op);
}

Datum
gpured_float4_sum(PG_FUNCTION_ARGS)
{
	if (PG_ARGISNULL(1))
		return gpured_unchanged(fcinfo);
	return sum_step(fcinfo, PG_GETARG_FLOAT4(1), GPURED_reduce_sum_float4);
}

Datum
gpured_float8_sum(PG_FUNCTION_ARGS)
{
	if (PG_ARGISNULL(1))
		return gpured_unchanged(fcinfo);
	return sum_step(fcinfo, PG_GETARG_FLOAT8(1), GPURED_reduce_sum_float8);
}

/* Fold the second state into the first, which may have a batcher and keeps it. */
Datum
gpured_float_sum_combine(PG_FUNCTION_ARGS)
{
	MemoryContext context = gpured_aggregate_context(fcinfo);
	GpuredWindow **window;
	GpuredWindow *own;
	Datum		state;

	if (PG_ARGISNULL(1))
		return gpured_unchanged(fcinfo);

	if (PG_ARGISNULL(0))
	{
		own = gpured_window_create(&gpured_context_allocator, context);
		state = PointerGetDatum(own);
	}
	else
		state = PG_GETARG_DATUM(0);

	if (GPURED_IS_TAGGED(state))
		window = &state_parts(state)->window;
	else
	{
		own = (GpuredWindow *) DatumGetPointer(state);
		window = &own;
	}

	if (GPURED_IS_TAGGED(PG_GETARG_DATUM(1)))
	{
		GpuredExact x;

		state_to_exact(PG_GETARG_DATUM(1), &x);
		*window = gpured_window_add_exact(*window, &x, &gpured_context_allocator, context);
	}
	else
		*window = gpured_window_merge(*window, (GpuredWindow *) PG_GETARG_POINTER(1),
									  &gpured_context_allocator, context);

	return GPURED_IS_TAGGED(state) ? state : PointerGetDatum(own);
}

Datum
gpured_float_sum_serialize(PG_FUNCTION_ARGS)
{
	Datum		state = PG_GETARG_DATUM(0);
	StringInfoData buf;

	gpured_aggregate_context(fcinfo);
	gpured_state_begin(&buf, GPURED_STATE_FLOAT_SUM);
	if (GPURED_IS_TAGGED(state))
	{
		GpuredExact x;
		GpuredWindow *window;

		state_to_exact(state, &x);
		window = gpured_window_create(&gpured_context_allocator, CurrentMemoryContext);
		window = gpured_window_add_exact(window, &x, &gpured_context_allocator,
										 CurrentMemoryContext);
		gpured_send_window(&buf, window);
	}
	else
		gpured_send_window(&buf, (GpuredWindow *) DatumGetPointer(state));
	PG_RETURN_BYTEA_P(gpured_state_end(&buf));
}

Datum
gpured_float_sum_deserialize(PG_FUNCTION_ARGS)
{
	bytea	   *serialized = PG_GETARG_BYTEA_PP(0);
	StringInfoData buf;

	gpured_aggregate_context(fcinfo);
	gpured_state_open(&buf, serialized, GPURED_STATE_FLOAT_SUM);
	PG_RETURN_POINTER(gpured_get_window(&buf, CurrentMemoryContext));
}

/* The one rounding.  Most states have no part on the device. */
Datum
gpured_float4_sum_final(PG_FUNCTION_ARGS)
{
	Datum		state = PG_GETARG_DATUM(0);
	bool		in_range;
	float		result;

	gpured_aggregate_context(fcinfo);
	if (PG_ARGISNULL(0))
		PG_RETURN_NULL();
	if (GPURED_IS_TAGGED(state))
	{
		GpuredExact x;

		state_to_exact(state, &x);
		in_range = gpured_exact_to_float(&x, &result);
	}
	else
		in_range = gpured_window_to_float((GpuredWindow *) DatumGetPointer(state), &result);
	if (unlikely(!in_range))
		float_overflow_error();
	PG_RETURN_FLOAT4(result);
}

Datum
gpured_float8_sum_final(PG_FUNCTION_ARGS)
{
	Datum		state = PG_GETARG_DATUM(0);
	bool		in_range;
	double		result;

	gpured_aggregate_context(fcinfo);
	if (PG_ARGISNULL(0))
		PG_RETURN_NULL();
	if (GPURED_IS_TAGGED(state))
	{
		GpuredExact x;

		state_to_exact(state, &x);
		in_range = gpured_exact_to_double(&x, &result);
	}
	else
		in_range = gpured_window_to_double((GpuredWindow *) DatumGetPointer(state), &result);
	if (unlikely(!in_range))
		float_overflow_error();
	PG_RETURN_FLOAT8(result);
}

/*
 * sum_float.c
 *	  gpu_sum(float4) and gpu_sum(float8).
 *
 * The state is the exact sum as float_state.h has it.
 *
 * The hot function has its calls out of line and in tail position: the compiler
 * saves no registers for them.
 */
#include "postgres.h"

#include <math.h>

#include "utils/float.h"

#include "aggregate/float_state.h"

PG_FUNCTION_INFO_V1(gpured_float4_sum);
PG_FUNCTION_INFO_V1(gpured_float8_sum);
PG_FUNCTION_INFO_V1(gpured_float_sum_combine);
PG_FUNCTION_INFO_V1(gpured_float_sum_serialize);
PG_FUNCTION_INFO_V1(gpured_float_sum_deserialize);
PG_FUNCTION_INFO_V1(gpured_float4_sum_final);
PG_FUNCTION_INFO_V1(gpured_float8_sum_final);

/* The first value, and every value where the device has a part. */
static pg_noinline Datum
sum_slowly(FunctionCallInfo fcinfo, double value, GpuredOp op)
{
	Datum		sum = PG_ARGISNULL(0) ? gpured_float_create(fcinfo, op) : PG_GETARG_DATUM(0);

	if (!GPURED_FLOAT_IN_PARTS(sum))
		return gpured_float_add(fcinfo, sum, value);
	gpured_float_add_part(fcinfo, sum, value);
	return sum;
}

static pg_attribute_always_inline Datum
sum_step(FunctionCallInfo fcinfo, double value, GpuredOp op)
{
	Datum		sum = PG_GETARG_DATUM(0);

	if (likely(!PG_ARGISNULL(0) && !GPURED_FLOAT_IN_PARTS(sum)))
		return gpured_float_add(fcinfo, sum, value);
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
	int64		n = 0;

	if (PG_ARGISNULL(1))
		return gpured_unchanged(fcinfo);
	return gpured_float_combine(PG_ARGISNULL(0) ? GPURED_FLOAT_EMPTY : PG_GETARG_DATUM(0),
								gpured_float_resolve(PG_GETARG_DATUM(1), &n), context);
}

Datum
gpured_float_sum_serialize(PG_FUNCTION_ARGS)
{
	StringInfoData buf;
	int64		n = 0;

	gpured_aggregate_context(fcinfo);
	gpured_state_begin(&buf, GPURED_STATE_FLOAT_SUM);
	gpured_send_float(&buf, gpured_float_resolve(PG_GETARG_DATUM(0), &n));
	PG_RETURN_BYTEA_P(gpured_state_end(&buf));
}

Datum
gpured_float_sum_deserialize(PG_FUNCTION_ARGS)
{
	bytea	   *serialized = PG_GETARG_BYTEA_PP(0);
	StringInfoData buf;

	gpured_aggregate_context(fcinfo);
	gpured_state_open(&buf, serialized, GPURED_STATE_FLOAT_SUM);
	return gpured_get_float(&buf, CurrentMemoryContext);
}

/* The one rounding. */
Datum
gpured_float4_sum_final(PG_FUNCTION_ARGS)
{
	int64		n = 0;
	Datum		sum;
	bool		in_range;
	float		result;

	gpured_aggregate_context(fcinfo);
	if (PG_ARGISNULL(0))
		PG_RETURN_NULL();
	sum = gpured_float_resolve(PG_GETARG_DATUM(0), &n);
	if (GPURED_FLOAT_IS_DOUBLE(sum))
	{
		result = (float) gpured_sum_to_double(sum);
		in_range = !isinf(result);
	}
	else if (GPURED_FLOAT_IS_SHORT(sum))
		PG_RETURN_FLOAT4((float) gpured_short_value(sum) * (float) gpured_short_scale(sum));
	else
		in_range = gpured_window_to_float((GpuredWindow *) DatumGetPointer(sum), &result);
	if (unlikely(!in_range))
		float_overflow_error();
	PG_RETURN_FLOAT4(result);
}

Datum
gpured_float8_sum_final(PG_FUNCTION_ARGS)
{
	int64		n = 0;
	Datum		sum;
	double		result;

	gpured_aggregate_context(fcinfo);
	if (PG_ARGISNULL(0))
		PG_RETURN_NULL();
	sum = gpured_float_resolve(PG_GETARG_DATUM(0), &n);
	if (GPURED_FLOAT_IS_DOUBLE(sum))
		PG_RETURN_FLOAT8(gpured_sum_to_double(sum));
	if (GPURED_FLOAT_IS_SHORT(sum))
		PG_RETURN_FLOAT8((double) gpured_short_value(sum) * gpured_short_scale(sum));
	if (unlikely(!gpured_window_to_double((GpuredWindow *) DatumGetPointer(sum), &result)))
		float_overflow_error();
	PG_RETURN_FLOAT8(result);
}

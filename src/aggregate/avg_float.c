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

#include <float.h>

#include "libpq/pqformat.h"
#include "utils/float.h"

#include "aggregate/float_state.h"
#include "exact/bigint.h"

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
	int64		n;				/* without those on the device */
	Datum		sum;			/* as in float_state.h */
} GpuredFloatMean;

static GpuredFloatMean *
make_mean(MemoryContext context, int64 n, Datum sum)
{
	GpuredFloatMean *state = MemoryContextAlloc(context, sizeof(GpuredFloatMean));

	state->n = n;
	state->sum = sum;
	return state;
}

/* The first value of a group, and every value where the device has a part. */
static pg_noinline Datum
step_slowly(FunctionCallInfo fcinfo, double value, GpuredOp op)
{
	GpuredFloatMean *state;

	if (PG_ARGISNULL(0))
		state = make_mean(gpured_aggregate_context(fcinfo), 0, gpured_float_create(fcinfo, op));
	else
		state = (GpuredFloatMean *) PG_GETARG_POINTER(0);

	if (GPURED_FLOAT_IN_PARTS(state->sum))
		state->n += !gpured_float_add_part(fcinfo, state->sum, value);
	else
	{
		state->sum = gpured_float_add(fcinfo, state->sum, value);
		state->n++;
	}
	PG_RETURN_POINTER(state);
}

static pg_attribute_always_inline Datum
avg_step(FunctionCallInfo fcinfo, double value, GpuredOp op)
{
	GpuredFloatMean *state = (GpuredFloatMean *) PG_GETARG_POINTER(0);

	if (likely(!PG_ARGISNULL(0) && !GPURED_FLOAT_IN_PARTS(state->sum)))
	{
		state->sum = gpured_float_add(fcinfo, state->sum, value);
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
	Datum		sum;

	if (PG_ARGISNULL(1))
		return gpured_unchanged(fcinfo);
	state = PG_ARGISNULL(0) ? make_mean(context, 0, GPURED_FLOAT_EMPTY) :
		(GpuredFloatMean *) PG_GETARG_POINTER(0);
	other = (GpuredFloatMean *) PG_GETARG_POINTER(1);
	state->n += other->n;
	sum = gpured_float_resolve(other->sum, &state->n);
	state->sum = gpured_float_combine(state->sum, sum, context);
	PG_RETURN_POINTER(state);
}

Datum
gpured_float_avg_serialize(PG_FUNCTION_ARGS)
{
	GpuredFloatMean *state = (GpuredFloatMean *) PG_GETARG_POINTER(0);
	StringInfoData buf;
	int64		n;
	Datum		sum;

	gpured_aggregate_context(fcinfo);
	n = state->n;
	sum = gpured_float_resolve(state->sum, &n);
	gpured_state_begin(&buf, GPURED_STATE_FLOAT_MEAN);
	pq_sendint64(&buf, n);
	gpured_send_float(&buf, sum);
	PG_RETURN_BYTEA_P(gpured_state_end(&buf));
}

Datum
gpured_float_avg_deserialize(PG_FUNCTION_ARGS)
{
	bytea	   *serialized = PG_GETARG_BYTEA_PP(0);
	StringInfoData buf;
	int64		n;

	gpured_aggregate_context(fcinfo);
	gpured_state_open(&buf, serialized, GPURED_STATE_FLOAT_MEAN);
	gpured_state_need(&buf, 8);
	n = pq_getmsgint64(&buf);
	if (n <= 0)
		gpured_state_corrupt("Its number of values is not positive.");
	PG_RETURN_POINTER(make_mean(CurrentMemoryContext, n,
								gpured_get_float(&buf, CurrentMemoryContext)));
}

/* The quotient of a short sum, rounded once. */
static double
mean_of_short(Datum sum, int64 n)
{
	int64		value = gpured_short_value(sum);
	GpuredBig	num;
	GpuredBig	den;

	gpured_big_set(&num, (uint64) (value < 0 ? -value : value));
	num.negative = value < 0;
	gpured_big_set(&den, (uint64) n);
	return gpured_big_ratio(&num, &den, gpured_short_unit(sum));
}

/*
 * A double divided by a number of values that is a double too is rounded once by
 * the processor.  The average of zeros is +0, whatever their signs.
 */
Datum
gpured_float_avg(PG_FUNCTION_ARGS)
{
	const int64 limit = INT64CONST(1) << DBL_MANT_DIG;
	GpuredFloatMean *state;
	Datum		sum;
	double		value;
	int64		n;

	gpured_aggregate_context(fcinfo);
	if (PG_ARGISNULL(0))
		PG_RETURN_NULL();
	state = (GpuredFloatMean *) PG_GETARG_POINTER(0);
	n = state->n;
	sum = gpured_float_resolve(state->sum, &n);
	if (GPURED_FLOAT_IS_SHORT(sum))
		PG_RETURN_FLOAT8(mean_of_short(sum, n));
	if (GPURED_FLOAT_IN_WINDOW(sum))
		PG_RETURN_FLOAT8(gpured_window_mean((GpuredWindow *) DatumGetPointer(sum), (uint64) n));
	value = gpured_sum_to_double(sum);
	if (value == 0)
		PG_RETURN_FLOAT8(0.0);
	if (unlikely(n > limit))
	{
		GpuredExact x;

		gpured_exact_init(&x);
		gpured_exact_add(&x, value);
		PG_RETURN_FLOAT8(gpured_exact_mean(&x, (uint64) n));
	}
	PG_RETURN_FLOAT8(value / (double) n);
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

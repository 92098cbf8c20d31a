/*
 * avg_int.c
 *	  gpu_avg(int2), gpu_avg(int4) and gpu_avg(int8), and the moving sums of the
 *	  same types and of money.
 *
 * The state is the number of values and their exact sum in 128 bits.  2^63
 * values of 64 bits cannot overflow it, and a value can be taken back.
 *
 * The average is PostgreSQL's own quotient of two numerics, so that it prints
 * the same digits.
 */
#include "postgres.h"

#include "libpq/pqformat.h"
#include "utils/builtins.h"

#include "aggregate/aggregate.h"
#include "aggregate/partial.h"

PG_FUNCTION_INFO_V1(gpured_int2_avg_step);
PG_FUNCTION_INFO_V1(gpured_int4_avg_step);
PG_FUNCTION_INFO_V1(gpured_int8_avg_step);
PG_FUNCTION_INFO_V1(gpured_int2_avg_inverse);
PG_FUNCTION_INFO_V1(gpured_int4_avg_inverse);
PG_FUNCTION_INFO_V1(gpured_int8_avg_inverse);
PG_FUNCTION_INFO_V1(gpured_int_avg_combine);
PG_FUNCTION_INFO_V1(gpured_int_avg_serialize);
PG_FUNCTION_INFO_V1(gpured_int_avg_deserialize);
PG_FUNCTION_INFO_V1(gpured_int_avg);
PG_FUNCTION_INFO_V1(gpured_int_moving_sum_bigint);
PG_FUNCTION_INFO_V1(gpured_int_moving_sum_numeric);
PG_FUNCTION_INFO_V1(gpured_money_moving_sum);

/* Number and sum of all values, those on the device included. */
void
gpured_int_total_resolve(const GpuredIntTotal *state, int64 *n, int128 *sum)
{
	*n = state->n;
	*sum = state->sum;
	if (state->offload != NULL)
	{
		GpuredAcc	total;

		gpured_offload_total(state->offload, &total);
		*n += total.n;
		*sum += gpured_int128_of(total.v.i128);
	}
}

/* ERROR where the built-in would raise it, or should. */
int64
gpured_int128_to_bigint(int128 value)
{
	if (unlikely(value != (int64) value))
		ereport(ERROR,
				(errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
				 errmsg("bigint out of range")));
	return (int64) value;
}

int64
gpured_int128_to_money(int128 value)
{
	if (unlikely(value != (int64) value))
		ereport(ERROR,
				(errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
				 errmsg("money out of range")));
	return (int64) value;
}

void
gpured_int_append(GpuredOffload *offload, int64 value)
{
	switch (gpured_op_info[offload->op].input_size)
	{
		case sizeof(int16):
			GPURED_BATCHER_APPEND(offload->batcher, int16, (int16) value);
			break;
		case sizeof(int32):
			GPURED_BATCHER_APPEND(offload->batcher, int32, (int32) value);
			break;
		default:
			GPURED_BATCHER_APPEND(offload->batcher, int64, value);
			break;
	}
}

static GpuredIntTotal *
make_total(MemoryContext context)
{
	return MemoryContextAllocZero(context, sizeof(GpuredIntTotal));
}

/* The first value of a group, and every value where the device has a part. */
static pg_noinline Datum
step_slowly(FunctionCallInfo fcinfo, int64 value, GpuredOp op)
{
	GpuredIntTotal *state;

	if (PG_ARGISNULL(0))
	{
		MemoryContext context = gpured_aggregate_context(fcinfo);

		state = make_total(context);
		state->offload = gpured_offload_start(fcinfo, context, op);
	}
	else
		state = (GpuredIntTotal *) PG_GETARG_POINTER(0);

	if (state->offload != NULL && gpured_offload_takes(state->offload))
		gpured_int_append(state->offload, value);
	else
	{
		state->n++;
		state->sum += value;
	}
	PG_RETURN_POINTER(state);
}

/* A row without a value: the state must not become NULL in a moving aggregate. */
static pg_noinline Datum
skip_null(FunctionCallInfo fcinfo)
{
	if (PG_ARGISNULL(0))
		PG_RETURN_POINTER(make_total(gpured_aggregate_context(fcinfo)));
	return PG_GETARG_DATUM(0);
}

static pg_attribute_always_inline Datum
avg_step(FunctionCallInfo fcinfo, int64 value, GpuredOp op)
{
	GpuredIntTotal *state = (GpuredIntTotal *) PG_GETARG_POINTER(0);

	if (likely(!PG_ARGISNULL(0) && state->offload == NULL))
	{
		state->n++;
		state->sum += value;
		PG_RETURN_POINTER(state);
	}
	return step_slowly(fcinfo, value, op);
}

/*
 * Take a value back.  Only window aggregates do, and only values that they have
 * put in; they never have a batcher.
 */
static Datum
avg_inverse(FunctionCallInfo fcinfo, int64 value)
{
	GpuredIntTotal *state;

	if (PG_ARGISNULL(0))
	{
		gpured_aggregate_context(fcinfo);
		elog(ERROR, "inverse transition of a gpured aggregate without a state");
	}
	state = (GpuredIntTotal *) PG_GETARG_POINTER(0);
	state->n--;
	state->sum -= value;
	PG_RETURN_POINTER(state);
}

Datum
gpured_int2_avg_step(PG_FUNCTION_ARGS)
{
	if (PG_ARGISNULL(1))
		return skip_null(fcinfo);
	return avg_step(fcinfo, PG_GETARG_INT16(1), GPURED_reduce_sum_int2);
}

Datum
gpured_int4_avg_step(PG_FUNCTION_ARGS)
{
	if (PG_ARGISNULL(1))
		return skip_null(fcinfo);
	return avg_step(fcinfo, PG_GETARG_INT32(1), GPURED_reduce_sum_int4);
}

Datum
gpured_int8_avg_step(PG_FUNCTION_ARGS)
{
	if (PG_ARGISNULL(1))
		return skip_null(fcinfo);
	return avg_step(fcinfo, PG_GETARG_INT64(1), GPURED_reduce_sum_int8);
}

Datum
gpured_int2_avg_inverse(PG_FUNCTION_ARGS)
{
	if (PG_ARGISNULL(1))
		return skip_null(fcinfo);
	return avg_inverse(fcinfo, PG_GETARG_INT16(1));
}

Datum
gpured_int4_avg_inverse(PG_FUNCTION_ARGS)
{
	if (PG_ARGISNULL(1))
		return skip_null(fcinfo);
	return avg_inverse(fcinfo, PG_GETARG_INT32(1));
}

Datum
gpured_int8_avg_inverse(PG_FUNCTION_ARGS)
{
	if (PG_ARGISNULL(1))
		return skip_null(fcinfo);
	return avg_inverse(fcinfo, PG_GETARG_INT64(1));
}

Datum
gpured_int_avg_combine(PG_FUNCTION_ARGS)
{
	MemoryContext context = gpured_aggregate_context(fcinfo);
	GpuredIntTotal *state;
	int64		n;
	int128		sum;

	if (PG_ARGISNULL(1))
		return gpured_unchanged(fcinfo);
	state = PG_ARGISNULL(0) ? make_total(context) :
		(GpuredIntTotal *) PG_GETARG_POINTER(0);
	gpured_int_total_resolve((GpuredIntTotal *) PG_GETARG_POINTER(1), &n, &sum);
	state->n += n;
	state->sum += sum;
	PG_RETURN_POINTER(state);
}

Datum
gpured_int_avg_serialize(PG_FUNCTION_ARGS)
{
	int64		n;
	int128		sum;

	gpured_aggregate_context(fcinfo);
	gpured_int_total_resolve((GpuredIntTotal *) PG_GETARG_POINTER(0), &n, &sum);
	return gpured_partial_int(palloc(GPURED_PARTIAL_INT_ROOM), GPURED_PARTIAL_MEAN, n, sum);
}

Datum
gpured_int_avg_deserialize(PG_FUNCTION_ARGS)
{
	bytea	   *serialized = PG_GETARG_BYTEA_PP(0);
	StringInfoData buf;
	GpuredIntTotal *state;

	gpured_aggregate_context(fcinfo);
	state = make_total(CurrentMemoryContext);
	gpured_state_open(&buf, serialized, GPURED_STATE_INT_TOTAL);
	gpured_state_need(&buf, 8);
	state->n = pq_getmsgint64(&buf);
	state->sum = gpured_state_get_integer(&buf);
	gpured_state_close(&buf);
	if (state->n < 0)
		gpured_state_corrupt("Its number of values is negative.");
	PG_RETURN_POINTER(state);
}

/* Number and sum for a final function; false if there is no value. */
static bool
final_total(FunctionCallInfo fcinfo, int64 *n, int128 *sum)
{
	gpured_aggregate_context(fcinfo);
	if (PG_ARGISNULL(0))
		return false;
	gpured_int_total_resolve((GpuredIntTotal *) PG_GETARG_POINTER(0), n, sum);
	return *n > 0;
}

Datum
gpured_int_avg(PG_FUNCTION_ARGS)
{
	int64		n;
	int128		sum;

	if (!final_total(fcinfo, &n, &sum))
		PG_RETURN_NULL();
	return DirectFunctionCall2(numeric_div,
							   NumericGetDatum(gpured_int128_to_numeric(sum)),
							   NumericGetDatum(int64_to_numeric(n)));
}

Datum
gpured_int_moving_sum_bigint(PG_FUNCTION_ARGS)
{
	int64		n;
	int128		sum;

	if (!final_total(fcinfo, &n, &sum))
		PG_RETURN_NULL();
	PG_RETURN_INT64(gpured_int128_to_bigint(sum));
}

Datum
gpured_int_moving_sum_numeric(PG_FUNCTION_ARGS)
{
	int64		n;
	int128		sum;

	if (!final_total(fcinfo, &n, &sum))
		PG_RETURN_NULL();
	PG_RETURN_NUMERIC(gpured_int128_to_numeric(sum));
}

Datum
gpured_money_moving_sum(PG_FUNCTION_ARGS)
{
	int64		n;
	int128		sum;

	if (!final_total(fcinfo, &n, &sum))
		PG_RETURN_NULL();
	PG_RETURN_INT64(gpured_int128_to_money(sum));
}

/*
 * sum_int.c
 *	  gpu_sum(int2), gpu_sum(int4), gpu_sum(int8) and gpu_sum(money), which is a
 *	  sum of int8 with another range.
 *
 * The state is the sum itself in a tagged Datum as long as it fits in 63 bits,
 * and a GpuredIntTotal after that, or where the device may be wanted.  So no
 * sum wraps: a sum of int4 that leaves the range of bigint raises an error in
 * the final function, and only if the final total does.
 *
 * Moving sums use the functions of avg_int.c, since they must know how many
 * values are in the frame.
 */
#include "postgres.h"

#include "common/int.h"
#include "libpq/pqformat.h"

#include "aggregate/aggregate.h"
#include "aggregate/partial.h"

PG_FUNCTION_INFO_V1(gpured_int2_sum);
PG_FUNCTION_INFO_V1(gpured_int4_sum);
PG_FUNCTION_INFO_V1(gpured_int8_sum);
PG_FUNCTION_INFO_V1(gpured_int_sum_combine);
PG_FUNCTION_INFO_V1(gpured_int_sum_serialize);
PG_FUNCTION_INFO_V1(gpured_int_sum_deserialize);
PG_FUNCTION_INFO_V1(gpured_int_sum_bigint);
PG_FUNCTION_INFO_V1(gpured_int_sum_numeric);
PG_FUNCTION_INFO_V1(gpured_money_sum_final);

/* A new state with room for 128 bits. */
static GpuredIntTotal *
make_total(MemoryContext context, int128 sum)
{
	GpuredIntTotal *state = MemoryContextAlloc(context, sizeof(GpuredIntTotal));

	state->n = 0;				/* sums do not count */
	state->offload = NULL;
	state->sum = sum;
	return state;
}

/* The narrowest state for a sum. */
static Datum
make_state(MemoryContext context, int128 sum)
{
	if (GPURED_FITS_TAG(sum))
		return GPURED_TAG((int64) sum);
	return PointerGetDatum(make_total(context, sum));
}

static int128
state_sum(Datum state)
{
	int64		n;
	int128		sum;

	if (GPURED_IS_TAGGED(state))
		return GPURED_UNTAG(state);
	gpured_int_total_resolve((GpuredIntTotal *) DatumGetPointer(state), &n, &sum);
	return sum;
}

/* All that the fast path leaves: the first value, wide sums, the device. */
static pg_noinline Datum
sum_slowly(FunctionCallInfo fcinfo, int64 value, GpuredOp op)
{
	GpuredIntTotal *state;

	if (PG_ARGISNULL(0))
	{
		MemoryContext context = gpured_aggregate_context(fcinfo);
		GpuredOffload *offload = gpured_offload_start(fcinfo, context, op);

		if (offload == NULL)
			return make_state(context, value);
		state = make_total(context, 0);
		state->offload = offload;
	}
	else if (GPURED_IS_TAGGED(PG_GETARG_DATUM(0)))
		return make_state(gpured_aggregate_context(fcinfo),
						  (int128) GPURED_UNTAG(PG_GETARG_DATUM(0)) + value);
	else
		state = (GpuredIntTotal *) PG_GETARG_POINTER(0);

	if (state->offload != NULL && gpured_offload_takes(state->offload))
		gpured_int_append(state->offload, value);
	else
		state->sum += value;
	PG_RETURN_POINTER(state);
}

/*
 * Twice the value is added to the whole Datum: the tag stays what it is, and
 * overflow of 64 bits is overflow of the sum's 63.
 */
static pg_attribute_always_inline Datum
sum_step(FunctionCallInfo fcinfo, int64 value, GpuredOp op)
{
	Datum		state = PG_GETARG_DATUM(0);
	int64		twice;
	int64		result;

	if (likely(!PG_ARGISNULL(0) && GPURED_IS_TAGGED(state)))
	{
		twice = (int64) ((uint64) value << 1);
		if (likely((twice ^ value) >= 0) &&
			likely(!pg_add_s64_overflow((int64) state, twice, &result)))
			return (Datum) result;
	}
	return sum_slowly(fcinfo, value, op);
}

Datum
gpured_int2_sum(PG_FUNCTION_ARGS)
{
	if (PG_ARGISNULL(1))
		return gpured_unchanged(fcinfo);
	return sum_step(fcinfo, PG_GETARG_INT16(1), GPURED_reduce_sum_int2);
}

Datum
gpured_int4_sum(PG_FUNCTION_ARGS)
{
	if (PG_ARGISNULL(1))
		return gpured_unchanged(fcinfo);
	return sum_step(fcinfo, PG_GETARG_INT32(1), GPURED_reduce_sum_int4);
}

Datum
gpured_int8_sum(PG_FUNCTION_ARGS)
{
	if (PG_ARGISNULL(1))
		return gpured_unchanged(fcinfo);
	return sum_step(fcinfo, PG_GETARG_INT64(1), GPURED_reduce_sum_int8);
}

/* Fold the second state into the first, which may have a batcher and keeps it. */
Datum
gpured_int_sum_combine(PG_FUNCTION_ARGS)
{
	MemoryContext context = gpured_aggregate_context(fcinfo);
	GpuredIntTotal *state;

	if (PG_ARGISNULL(1))
		return gpured_unchanged(fcinfo);
	if (PG_ARGISNULL(0))
		return make_state(context, state_sum(PG_GETARG_DATUM(1)));
	if (GPURED_IS_TAGGED(PG_GETARG_DATUM(0)))
		return make_state(context,
						  GPURED_UNTAG(PG_GETARG_DATUM(0)) +
						  state_sum(PG_GETARG_DATUM(1)));

	state = (GpuredIntTotal *) PG_GETARG_POINTER(0);
	state->sum += state_sum(PG_GETARG_DATUM(1));
	PG_RETURN_POINTER(state);
}

Datum
gpured_int_sum_serialize(PG_FUNCTION_ARGS)
{
	gpured_aggregate_context(fcinfo);
	return gpured_partial_int(palloc(GPURED_PARTIAL_INT_ROOM), GPURED_PARTIAL_SUM, 1,
							  state_sum(PG_GETARG_DATUM(0)));
}

Datum
gpured_int_sum_deserialize(PG_FUNCTION_ARGS)
{
	bytea	   *serialized = PG_GETARG_BYTEA_PP(0);
	StringInfoData buf;
	int128		sum;

	gpured_aggregate_context(fcinfo);
	gpured_state_open(&buf, serialized, GPURED_STATE_INT_SUM);
	sum = gpured_state_get_integer(&buf);
	gpured_state_close(&buf);
	return make_state(CurrentMemoryContext, sum);
}

Datum
gpured_int_sum_bigint(PG_FUNCTION_ARGS)
{
	int128		sum;

	gpured_aggregate_context(fcinfo);
	if (PG_ARGISNULL(0))
		PG_RETURN_NULL();
	sum = state_sum(PG_GETARG_DATUM(0));
	PG_RETURN_INT64(gpured_int128_to_bigint(sum));
}

Datum
gpured_int_sum_numeric(PG_FUNCTION_ARGS)
{
	gpured_aggregate_context(fcinfo);
	if (PG_ARGISNULL(0))
		PG_RETURN_NULL();
	PG_RETURN_NUMERIC(gpured_int128_to_numeric(state_sum(PG_GETARG_DATUM(0))));
}

Datum
gpured_money_sum_final(PG_FUNCTION_ARGS)
{
	gpured_aggregate_context(fcinfo);
	if (PG_ARGISNULL(0))
		PG_RETURN_NULL();
	PG_RETURN_INT64(gpured_int128_to_money(state_sum(PG_GETARG_DATUM(0))));
}

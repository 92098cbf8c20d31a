/*
 * partial.c
 *	  Partial states of the aggregates, as their serial functions write them, from
 *	  totals that were not made by their transition functions.
 *
 * An aggregate is known by the C function of its transition, so that neither its
 * name nor its schema matters.  All values of a total have been seen before its
 * state is made, and there is at least one: aggregates of nothing have NULL
 * states, except counts.
 */
#include "postgres.h"

#include "utils/fmgrprotos.h"

#include "aggregate/aggregate.h"
#include "aggregate/float_state.h"
#include "aggregate/order_key.h"
#include "aggregate/partial.h"

#define DECLARE(type) \
extern Datum gpured_##type##_sum(PG_FUNCTION_ARGS); \
extern Datum gpured_##type##_avg_step(PG_FUNCTION_ARGS); \
extern Datum gpured_##type##_min(PG_FUNCTION_ARGS); \
extern Datum gpured_##type##_max(PG_FUNCTION_ARGS);

DECLARE(int2)
DECLARE(int4)
DECLARE(int8)
DECLARE(float4)
DECLARE(float8)

#define DECLARE_EXTREMES(type) \
extern Datum gpured_##type##_min(PG_FUNCTION_ARGS); \
extern Datum gpured_##type##_max(PG_FUNCTION_ARGS);

DECLARE_EXTREMES(money)
DECLARE_EXTREMES(date)
DECLARE_EXTREMES(time)
DECLARE_EXTREMES(timestamp)
DECLARE_EXTREMES(timestamptz)

extern Datum gpured_int2_variance_step(PG_FUNCTION_ARGS);
extern Datum gpured_int4_variance_step(PG_FUNCTION_ARGS);
extern Datum gpured_int8_variance_step(PG_FUNCTION_ARGS);
extern Datum gpured_float4_moments(PG_FUNCTION_ARGS);

#define SUMS(type, kind) \
	{gpured_##type##_sum, kind, GPURED_PARTIAL_SUM, GPURED_reduce_sum_##type}, \
	{gpured_##type##_avg_step, kind, GPURED_PARTIAL_MEAN, GPURED_reduce_sum_##type}

/* "kernel" is the type of the device operation. */
#define EXTREMES(type, kernel) \
	{gpured_##type##_min, GPURED_TOTAL_EXTREME, GPURED_PARTIAL_EXTREME, GPURED_reduce_min_##kernel}, \
	{gpured_##type##_max, GPURED_TOTAL_EXTREME, GPURED_PARTIAL_EXTREME, GPURED_reduce_max_##kernel}

#define MOMENTS(transition, kernel) \
	{transition, GPURED_TOTAL_MOMENTS, GPURED_PARTIAL_MOMENTS, GPURED_reduce_##kernel}

static const GpuredPartialInfo infos[] = {
	{int8inc, GPURED_TOTAL_COUNT, GPURED_PARTIAL_COUNT, GPURED_none},
	{int8inc_any, GPURED_TOTAL_COUNT, GPURED_PARTIAL_COUNT, GPURED_none},
	{int8inc_float8_float8, GPURED_TOTAL_COUNT, GPURED_PARTIAL_COUNT, GPURED_none},
	SUMS(int2, GPURED_TOTAL_INT),
	SUMS(int4, GPURED_TOTAL_INT),
	SUMS(int8, GPURED_TOTAL_INT),
	SUMS(float4, GPURED_TOTAL_FLOAT),
	SUMS(float8, GPURED_TOTAL_FLOAT),
	EXTREMES(int2, int2),
	EXTREMES(int4, int4),
	EXTREMES(int8, int8),
	EXTREMES(float4, float4),
	EXTREMES(float8, float8),
	EXTREMES(money, int8),
	EXTREMES(date, int4),
	EXTREMES(time, int8),
	EXTREMES(timestamp, int8),
	EXTREMES(timestamptz, int8),
	MOMENTS(gpured_int2_variance_step, moments_int2),
	MOMENTS(gpured_int4_variance_step, moments_int4),
	MOMENTS(gpured_int8_variance_step, moments_int8),
	MOMENTS(gpured_float4_moments, moments_float4),
	MOMENTS(gpured_float8_moments, moments_float8),
	MOMENTS(gpured_pair_moments, pair_moments_float8),
	MOMENTS(gpured_dot_step, dot_float8),
};

const GpuredPartialInfo *
gpured_partial_find(PGFunction transition)
{
	for (int i = 0; i < lengthof(infos); i++)
	{
		if (infos[i].transition == transition)
			return &infos[i];
	}
	return NULL;
}

bool
gpured_op_is_least(GpuredOp op)
{
	GpuredAccKind acc = gpured_op_info[op].acc;

	return acc == GPURED_ACC_least_int || acc == GPURED_ACC_least_float;
}

int64
gpured_key_of_acc(GpuredOp op, const GpuredAcc *acc)
{
	int64		key;

	switch (op)
	{
		case GPURED_reduce_min_float4:
		case GPURED_reduce_max_float4:
			key = float4_key((float4) acc->v.f8);
			break;
		case GPURED_reduce_min_float8:
		case GPURED_reduce_max_float8:
			key = float8_key(acc->v.f8);
			break;
		default:
			key = acc->v.i64;
			break;
	}
	return gpured_op_is_least(op) ? ~key : key;
}

/* A state's first two bytes, and the number of values in a mean's. */
static char *
begin(char *where, GpuredPartialForm form, char sum_kind, char mean_kind, int64 n)
{
	char	   *next = gpured_state_put_kind(where, form == GPURED_PARTIAL_MEAN ? mean_kind : sum_kind);

	return form == GPURED_PARTIAL_MEAN ? gpured_state_put_int64(next, n) : next;
}

static Datum
end(char *where, const char *next)
{
	SET_VARSIZE(where, next - where);
	return PointerGetDatum(where);
}

Datum
gpured_partial_int(char *where, GpuredPartialForm form, int64 n, int128 sum)
{
	char	   *next = begin(where, form, GPURED_STATE_INT_SUM, GPURED_STATE_INT_TOTAL, n);

	return end(where, gpured_state_put_integer(next, sum));
}

Datum
gpured_partial_extreme(char *where, int64 key)
{
	char	   *next = gpured_state_put_kind(where, GPURED_STATE_EXTREME);

	return end(where, gpured_state_put_int64(next, key));
}

Datum
gpured_partial_float(char *where, GpuredPartialForm form, int64 n, Datum sum)
{
	char	   *next = begin(where, form, GPURED_STATE_FLOAT_SUM, GPURED_STATE_FLOAT_MEAN, n);

	return end(where, next + gpured_write_float(sum, (uint8_t *) next));
}

Datum
gpured_partial_written(char *where, GpuredPartialForm form, int64 n, const uint8_t *bytes, size_t size)
{
	char	   *next = begin(where, form, GPURED_STATE_FLOAT_SUM, GPURED_STATE_FLOAT_MEAN, n);

	memcpy(next, bytes, size);
	return end(where, next + size);
}

Datum
gpured_partial_moments(GpuredOp op, const GpuredAcc *acc)
{
	if (gpured_op_info[op].acc != GPURED_ACC_int_moments)
		return PointerGetDatum(gpured_serialize_moment_sums(op, acc));
	return PointerGetDatum(gpured_serialize_int_moments(op == GPURED_reduce_moments_int8, acc->n,
														&acc->v.ints));
}

/*
 * variance_exact.c
 *	  The variances and deviations of int2, int4, int8 and numeric.
 *
 * The number of values, their sum and that of their squares are exact in
 * PostgreSQL's own states too, and what it makes of them must be the same text.
 * So rows are added by its own functions to its own states, and its own final
 * functions end them.  What the device has summed is put into such a state by way
 * of its serialized form, which has been the same since PostgreSQL 14.
 *
 * A state that has, or may get, a part on the device is a tagged pointer to both
 * parts; any other is PostgreSQL's.  Moving aggregates are all PostgreSQL's.
 *
 * PostgreSQL has one kind of state for int2 and int4, in 128 bits, and another
 * for int8 and numeric.  Numerics go to the device as integers in one unit
 * (numeric_unit.h); their display scales, which only the state's largest depends on,
 * are counted here.
 */
#include "postgres.h"

#include "libpq/pqformat.h"
#include "utils/fmgrprotos.h"

#include "aggregate/aggregate.h"
#include "aggregate/numeric_unit.h"

PG_FUNCTION_INFO_V1(gpured_int2_variance_step);
PG_FUNCTION_INFO_V1(gpured_int4_variance_step);
PG_FUNCTION_INFO_V1(gpured_int8_variance_step);
PG_FUNCTION_INFO_V1(gpured_numeric_variance_step);

typedef struct VarianceParts
{
	GpuredOffload *offload;
	Datum		rows;			/* PostgreSQL's state of the rows added here;
								 * 0 if none */
	int			unit;			/* of what the device has; 0 for integers */
	int			scale;			/* the largest display scale there, */
	int64		scale_n;		/* and how many values have it */
} VarianceParts;

/* PostgreSQL's functions for one of its kinds of state. */
typedef struct StateFunctions
{
	PGFunction	combine;
	PGFunction	serialize;
	PGFunction	deserialize;
	bool		is_numeric;		/* the serialized form goes on after the sums */
} StateFunctions;

static const StateFunctions int4_state = {
	numeric_poly_combine, numeric_poly_serialize, numeric_poly_deserialize, false
};
static const StateFunctions int8_state = {
	numeric_combine, numeric_serialize, numeric_deserialize, true
};

/* The digits of 192 bits in base 10000. */
#define MAX_DIGITS 15

static VarianceParts *
state_parts(Datum state)
{
	return (VarianceParts *) DatumGetPointer(state - 1);
}

/*
 * An integer of 192 bits in two's complement, in a unit (numeric_unit.h), as
 * PostgreSQL sends a variable of numeric.
 */
static void
send_integer(StringInfo buf, const uint64 *value, int unit, int scale)
{
	bool		negative = value[2] >> 63 != 0;
	uint64		left[3];
	uint64		carry = negative ? 1 : 0;
	int16		digit[MAX_DIGITS];
	int			n = 0;

	for (int i = 0; i < 3; i++)
	{
		left[i] = (negative ? ~value[i] : value[i]) + carry;
		carry = carry && left[i] == 0;
	}
	while ((left[0] | left[1] | left[2]) != 0)
	{
		uint64		rest = 0;

		for (int i = 2; i >= 0; i--)
		{
			uint128		t = (uint128) rest << 64 | left[i];

			left[i] = (uint64) (t / NBASE);
			rest = (uint64) (t % NBASE);
		}
		digit[n++] = (int16) rest;
	}
	pq_sendint32(buf, n);
	pq_sendint32(buf, n > 0 ? n - 1 - unit : 0);	/* the weight */
	pq_sendint32(buf, negative ? SERIAL_NEGATIVE : SERIAL_POSITIVE);
	pq_sendint32(buf, scale);
	while (n > 0)
		pq_sendint16(buf, digit[--n]);
}

/* What the device has summed as a state of PostgreSQL's. */
static Datum
state_of_device(FunctionCallInfo fcinfo, const StateFunctions *functions,
				const VarianceParts *parts, const GpuredAcc *total)
{
	uint64		sum[3] = {
		total->v.ints.sum.lo, (uint64) total->v.ints.sum.hi,
		total->v.ints.sum.hi < 0 ? PG_UINT64_MAX : 0
	};
	StringInfoData buf;

	pq_begintypsend(&buf);
	pq_sendint64(&buf, total->n);
	send_integer(&buf, sum, parts->unit, parts->scale);
	send_integer(&buf, total->v.ints.square, 2 * parts->unit, 2 * parts->scale);
	if (functions->is_numeric)
	{
		pq_sendint32(&buf, parts->scale);
		pq_sendint64(&buf, parts->scale_n);
		for (int i = 0; i < 3; i++)
			pq_sendint64(&buf, 0);	/* NaN and infinities */
	}
	return gpured_call_builtin(functions->deserialize, fcinfo, 2,
							   PointerGetDatum(pq_endtypsend(&buf)), (Datum) 0);
}

/* The state of all rows, PostgreSQL's; the parts stay as they are. */
static Datum
resolve(FunctionCallInfo fcinfo, const StateFunctions *functions, Datum state)
{
	VarianceParts *parts;
	GpuredAcc	total;
	Datum		device;
	Datum		copy;

	if (!GPURED_IS_TAGGED(state))
		return state;
	parts = state_parts(state);
	gpured_offload_total(parts->offload, &total);
	if (total.n == 0)
		return parts->rows;
	device = state_of_device(fcinfo, functions, parts, &total);
	if (parts->rows == (Datum) 0)
		return device;
	copy = gpured_call_builtin(functions->combine, fcinfo, 2, (Datum) 0, parts->rows);
	return gpured_call_builtin(functions->combine, fcinfo, 2, copy, device);
}

/* The parts of the state, new ones for the first value; NULL if it has none. */
static VarianceParts *
get_parts(FunctionCallInfo fcinfo, GpuredOp op)
{
	MemoryContext context;
	GpuredOffload *offload;
	VarianceParts *parts;

	if (!PG_ARGISNULL(0))
		return state_parts(PG_GETARG_DATUM(0));
	context = gpured_aggregate_context(fcinfo);
	offload = gpured_offload_start(fcinfo, context, op);
	if (offload == NULL)
		return NULL;
	parts = MemoryContextAllocZero(context, sizeof(VarianceParts));
	parts->offload = offload;
	return parts;
}

/* The first value, and every value where the device has a part. */
static pg_noinline Datum
step_slowly(FunctionCallInfo fcinfo, int64 value, GpuredOp op, PGFunction builtin)
{
	VarianceParts *parts = get_parts(fcinfo, op);

	if (parts == NULL)
		return builtin(fcinfo);
	if (gpured_offload_takes(parts->offload))
	{
		gpured_int_append(parts->offload, value);
		parts->scale_n++;
	}
	else
		parts->rows = gpured_call_builtin(builtin, fcinfo, 2, parts->rows, PG_GETARG_DATUM(1));
	return PointerGetDatum(parts) + 1;
}

/* Take what the device has, before values in another unit go there. */
static void
settle(FunctionCallInfo fcinfo, VarianceParts *parts)
{
	GpuredAcc	total;

	gpured_offload_restart(parts->offload, &total);
	if (total.n > 0)
		parts->rows = gpured_call_builtin(numeric_combine, fcinfo, 2, parts->rows,
										  state_of_device(fcinfo, &int8_state, parts, &total));
	parts->scale = 0;
	parts->scale_n = 0;
}

/* Put a numeric into the device's batch; false if it is to be added here. */
static bool
append_numeric(FunctionCallInfo fcinfo, VarianceParts *parts, const struct varlena *numeric)
{
	GpuredUnitFit fit;
	int64		value;
	int			scale;

	while ((fit = gpured_read_in_unit(numeric, parts->unit, &value, &scale)) == GPURED_UNIT_TOO_LARGE)
	{
		settle(fcinfo, parts);
		parts->unit++;
	}
	if (fit != GPURED_UNIT_FITS || !gpured_offload_takes(parts->offload))
		return false;
	GPURED_BATCHER_APPEND(parts->offload->batcher, int64, value);
	if (scale > parts->scale)
	{
		parts->scale = scale;
		parts->scale_n = 0;
	}
	parts->scale_n += scale == parts->scale;
	return true;
}

/* As step_slowly, of a numeric. */
static pg_noinline Datum
step_numeric(FunctionCallInfo fcinfo)
{
	VarianceParts *parts = get_parts(fcinfo, GPURED_reduce_moments_int8);
	struct varlena *numeric;

	if (parts == NULL)
		return numeric_accum(fcinfo);
	numeric = PG_DETOAST_DATUM_PACKED(PG_GETARG_DATUM(1));

	if (PG_ARGISNULL(0))
		parts->unit = gpured_first_unit(numeric);
	if (!append_numeric(fcinfo, parts, numeric))
		parts->rows = gpured_call_builtin(numeric_accum, fcinfo, 2, parts->rows,
										  PointerGetDatum(numeric));
	return PointerGetDatum(parts) + 1;
}

Datum
gpured_numeric_variance_step(PG_FUNCTION_ARGS)
{
	if (PG_ARGISNULL(1))
		return gpured_unchanged(fcinfo);
	if (likely(!PG_ARGISNULL(0) && !GPURED_IS_TAGGED(PG_GETARG_DATUM(0))))
		return numeric_accum(fcinfo);
	return step_numeric(fcinfo);
}

/* A NULL leaves the state as it is, also none. */
#define DEFINE_STEP(type, GETARG) \
Datum \
gpured_##type##_variance_step(PG_FUNCTION_ARGS) \
{ \
	if (PG_ARGISNULL(1)) \
		return gpured_unchanged(fcinfo); \
	if (likely(!PG_ARGISNULL(0) && !GPURED_IS_TAGGED(PG_GETARG_DATUM(0)))) \
		return type##_accum(fcinfo); \
	return step_slowly(fcinfo, GETARG(1), GPURED_reduce_moments_##type, type##_accum); \
}

DEFINE_STEP(int2, PG_GETARG_INT16)
DEFINE_STEP(int4, PG_GETARG_INT32)
DEFINE_STEP(int8, PG_GETARG_INT64)

/* Fold the second state into the first, which may have a batcher and keeps it. */
static Datum
combine(FunctionCallInfo fcinfo, const StateFunctions *functions)
{
	Datum		state = PG_ARGISNULL(0) ? (Datum) 0 : PG_GETARG_DATUM(0);
	Datum		other;
	VarianceParts *parts;

	gpured_aggregate_context(fcinfo);
	if (PG_ARGISNULL(1))
		return gpured_unchanged(fcinfo);
	other = resolve(fcinfo, functions, PG_GETARG_DATUM(1));
	if (!GPURED_IS_TAGGED(state))
		return gpured_call_builtin(functions->combine, fcinfo, 2, state, other);
	parts = state_parts(state);
	parts->rows = gpured_call_builtin(functions->combine, fcinfo, 2, parts->rows, other);
	return state;
}

static Datum
serialize(FunctionCallInfo fcinfo, const StateFunctions *functions)
{
	gpured_aggregate_context(fcinfo);
	return gpured_call_builtin(functions->serialize, fcinfo, 1,
							   resolve(fcinfo, functions, PG_GETARG_DATUM(0)), (Datum) 0);
}

static Datum
final(FunctionCallInfo fcinfo, const StateFunctions *functions, PGFunction builtin)
{
	Datum		result;

	gpured_aggregate_context(fcinfo);
	if (PG_ARGISNULL(0))
		PG_RETURN_NULL();
	result = gpured_call_builtin(builtin, fcinfo, 1,
								 resolve(fcinfo, functions, PG_GETARG_DATUM(0)), (Datum) 0);
	if (result == (Datum) 0)
		PG_RETURN_NULL();
	return result;
}

#define DEFINE_FINAL(name, builtin, what) \
PG_FUNCTION_INFO_V1(gpured_##name##_##what); \
\
Datum \
gpured_##name##_##what(PG_FUNCTION_ARGS) \
{ \
	return final(fcinfo, &name##_state, builtin##_##what); \
}

#define DEFINE_STATE(name, builtin) \
PG_FUNCTION_INFO_V1(gpured_##name##_variance_combine); \
PG_FUNCTION_INFO_V1(gpured_##name##_variance_serialize); \
\
Datum \
gpured_##name##_variance_combine(PG_FUNCTION_ARGS) \
{ \
	return combine(fcinfo, &name##_state); \
} \
\
Datum \
gpured_##name##_variance_serialize(PG_FUNCTION_ARGS) \
{ \
	return serialize(fcinfo, &name##_state); \
} \
\
DEFINE_FINAL(name, builtin, var_pop) \
DEFINE_FINAL(name, builtin, var_samp) \
DEFINE_FINAL(name, builtin, stddev_pop) \
DEFINE_FINAL(name, builtin, stddev_samp)

/* The state of int4 is that of int2 too, and that of int8 is numeric's. */
DEFINE_STATE(int4, numeric_poly)
DEFINE_STATE(int8, numeric)

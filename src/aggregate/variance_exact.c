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

/* Numerics that are made integers at a time. */
#define NUMERICS_AT_ONCE 512

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

/* Sums as the serialized form of a state of PostgreSQL's. */
static bytea *
serialize_sums(bool is_numeric, const GpuredNumericMoments *moments)
{
	uint64		sum[3] = {
		moments->sums.sum.lo, (uint64) moments->sums.sum.hi,
		moments->sums.sum.hi < 0 ? PG_UINT64_MAX : 0
	};
	StringInfoData buf;

	pq_begintypsend(&buf);
	pq_sendint64(&buf, moments->n);
	send_integer(&buf, sum, moments->unit, moments->scale);
	send_integer(&buf, moments->sums.square, 2 * moments->unit, 2 * moments->scale);
	if (is_numeric)
	{
		pq_sendint32(&buf, moments->scale);
		pq_sendint64(&buf, moments->scale_n);
		for (int i = 0; i < 3; i++)
			pq_sendint64(&buf, 0);	/* NaN and infinities */
	}
	return pq_endtypsend(&buf);
}

bytea *
gpured_serialize_int_moments(bool is_int8, int64 n, const GpuredIntMoments *sums)
{
	GpuredNumericMoments moments = {.n = n,.sums = *sums,.scale_n = n};

	return serialize_sums(is_int8, &moments);
}

/* What the device has summed as a state of PostgreSQL's. */
static Datum
state_of_device(FunctionCallInfo fcinfo, const StateFunctions *functions,
				const VarianceParts *parts, const GpuredAcc *total)
{
	GpuredNumericMoments moments = {
		.n = total->n,.sums = total->v.ints,
		.unit = parts->unit,.scale = parts->scale,.scale_n = parts->scale_n
	};

	return gpured_call_builtin(functions->deserialize, fcinfo, 2,
							   PointerGetDatum(serialize_sums(functions->is_numeric, &moments)),
							   (Datum) 0);
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

/* Let the device, which is this process, add integers. */
static void
add_integers(GpuredNumericMoments *moments, const int64 *values, int n)
{
	GpuredBatch batch = {.values = values,.n = n};
	GpuredAcc	acc;

	acc.n = moments->n;
	acc.v.ints = moments->sums;
	(void) gpured_cpu_device.reduce(GPURED_reduce_moments_int8, &batch, &acc);
	moments->n = acc.n;
	moments->sums = acc.v.ints;
}

/* A numeric in the unit, which may become another; false if it is no such integer. */
static bool
read_numeric(GpuredNumericMoments *moments, FunctionCallInfo caller, Datum state,
			 const struct varlena *numeric, int64 *values, int *n)
{
	GpuredUnitFit fit;
	int			scale;

	if (VARATT_IS_1B_E(numeric) || VARATT_IS_4B_C(numeric))
		return false;
	if (moments->n == 0 && *n == 0)
		moments->unit = gpured_first_unit(numeric);
	while ((fit = gpured_read_in_unit(numeric, moments->unit, &values[*n], &scale)) == GPURED_UNIT_TOO_LARGE)
	{
		add_integers(moments, values, *n);
		*n = 0;
		gpured_numeric_moments_settle(moments, caller, state);
		moments->unit++;
	}
	if (fit != GPURED_UNIT_FITS)
		return false;
	++*n;
	if (scale > moments->scale)
	{
		moments->scale = scale;
		moments->scale_n = 0;
	}
	moments->scale_n += scale == moments->scale;
	return true;
}

void
gpured_numeric_moments_add(GpuredNumericMoments *moments, FunctionCallInfo caller, Datum state,
						   const Datum *numeric, int n, bool *take)
{
	int64		values[NUMERICS_AT_ONCE];
	int			found = 0;

	for (int i = 0; i < n; i++)
	{
		if (take[i] && read_numeric(moments, caller, state,
									(struct varlena *) DatumGetPointer(numeric[i]), values, &found))
			take[i] = false;
		if (found == NUMERICS_AT_ONCE)
		{
			add_integers(moments, values, found);
			found = 0;
		}
	}
	add_integers(moments, values, found);
}

void
gpured_numeric_moments_settle(GpuredNumericMoments *moments, FunctionCallInfo caller, Datum state)
{
	Datum		other;
	int			unit = moments->unit;

	if (moments->n > 0)
	{
		other = gpured_call_builtin(numeric_deserialize, caller, 2,
									PointerGetDatum(serialize_sums(true, moments)), (Datum) 0);
		(void) gpured_call_builtin(numeric_combine, caller, 2, state, other);
	}
	memset(moments, 0, sizeof(*moments));
	moments->unit = unit;
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

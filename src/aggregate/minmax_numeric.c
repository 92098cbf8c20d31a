/*
 * minmax_numeric.c
 *	  gpu_min(numeric) and gpu_max(numeric).
 *
 * Equal numerics may print differently, 1.0 and 1.00.  The built-in returns
 * whichever came last; here the answer is the one with the largest display
 * scale, whatever the order of the rows.
 *
 * The state is the best value so far.  One that has, or may get, a part on the
 * device is a tagged pointer to both parts.  The device compares keys: the values
 * in one unit (numeric_unit.h) as long as all have the same display scale, and from
 * the first that has another on the values with the scale below them.
 */
#include "postgres.h"

#include "libpq/pqformat.h"
#include "utils/builtins.h"
#include "utils/fmgrprotos.h"
#include "utils/numeric.h"

#include "aggregate/aggregate.h"
#include "aggregate/numeric_unit.h"
#include "compat.h"

PG_FUNCTION_INFO_V1(gpured_numeric_max);
PG_FUNCTION_INFO_V1(gpured_numeric_min);
PG_FUNCTION_INFO_V1(gpured_numeric_max_combine);
PG_FUNCTION_INFO_V1(gpured_numeric_min_combine);
PG_FUNCTION_INFO_V1(gpured_numeric_max_final);
PG_FUNCTION_INFO_V1(gpured_numeric_min_final);
PG_FUNCTION_INFO_V1(gpured_numeric_extreme_serialize);
PG_FUNCTION_INFO_V1(gpured_numeric_extreme_deserialize);

/* In a key with a scale, its bits. */
#define KEY_SCALE_BITS 5
#define KEY_SCALE_MASK ((1 << KEY_SCALE_BITS) - 1)

/* Instead of a scale that all keys have. */
#define SCALE_NONE	(-1)		/* there is no key yet */
#define SCALE_IN_KEY (-2)

typedef struct ExtremeParts
{
	GpuredOffload *offload;
	Numeric		rows;			/* the best of those compared here; NULL if
								 * none */
	int			unit;
	int			scale;			/* of all keys, or SCALE_... */
} ExtremeParts;

static int
compare(Numeric a, Numeric b)
{
	return DatumGetInt32(DirectFunctionCall2(numeric_cmp,
											 NumericGetDatum(a), NumericGetDatum(b)));
}

/* Of two equal values the one that prints more digits. */
static Numeric
longer(Numeric a, Numeric b)
{
	if (numeric_is_nan(a) || numeric_is_inf(a))
		return a;
	if (DatumGetInt32(DirectFunctionCall1(numeric_scale, NumericGetDatum(a))) >=
		DatumGetInt32(DirectFunctionCall1(numeric_scale, NumericGetDatum(b))))
		return a;
	return b;
}

Numeric
gpured_numeric_greatest(Numeric a, Numeric b)
{
	int			order = compare(a, b);

	return order > 0 ? a : order < 0 ? b : longer(a, b);
}

Numeric
gpured_numeric_least(Numeric a, Numeric b)
{
	int			order = compare(a, b);

	return order < 0 ? a : order > 0 ? b : longer(a, b);
}

static inline bool
is_least(GpuredOp op)
{
	return op == GPURED_reduce_min_int8;
}

/* Whether a value replaces the best: short ones are compared as they are in the tuple. */
static inline bool
beats(Datum value, Numeric best, GpuredOp op)
{
	struct varlena *packed = PG_DETOAST_DATUM_PACKED(value);
	Numeric		other;
	int128		x;
	int128		y;
	int			x_scale;
	int			y_scale;

	if (likely(gpured_read_short((struct varlena *) best, &x, &x_scale) &&
			   gpured_read_short(packed, &y, &y_scale)))
		return x == y ? y_scale > x_scale : (y < x) == is_least(op);
	other = DatumGetNumeric(PointerGetDatum(packed));
	return (is_least(op) ? gpured_numeric_least(best, other) :
			gpured_numeric_greatest(best, other)) == other;
}

/* A copy of a value in place of the best, which may be NULL. */
static Numeric
replace(MemoryContext context, Numeric best, Datum value)
{
	MemoryContext old = MemoryContextSwitchTo(context);
	Numeric		copy = DatumGetNumericCopy(value);

	MemoryContextSwitchTo(old);
	if (best != NULL)
		pfree(best);
	return copy;
}

/* The better of a value and of what is there, if anything is. */
static Numeric
keep_best(MemoryContext context, Numeric best, Datum value, GpuredOp op)
{
	if (best != NULL && !beats(value, best, op))
		return best;
	return replace(context, best, value);
}

static ExtremeParts *
state_parts(Datum state)
{
	return (ExtremeParts *) DatumGetPointer(state - 1);
}

/* The value that a key of the device stands for. */
static Numeric
value_of_key(const ExtremeParts *parts, int64 key)
{
	int			scale = parts->scale;

	if (scale == SCALE_IN_KEY)
	{
		scale = (int) (key & KEY_SCALE_MASK);
		if (is_least(parts->offload->op))
			scale = KEY_SCALE_MASK - scale;
		key >>= KEY_SCALE_BITS;
	}
	return gpured_int128_to_scaled_numeric(key, parts->unit, scale);
}

/* Take what the device has, before keys of another kind go there. */
static void
settle(ExtremeParts *parts)
{
	GpuredAcc	total;

	gpured_offload_restart(parts->offload, &total);
	if (total.n > 0)
		parts->rows = keep_best(parts->offload->context, parts->rows,
								NumericGetDatum(value_of_key(parts, total.v.i64)),
								parts->offload->op);
}

/* Put a value into the device's batch; false if it is to be compared here. */
static bool
append(ExtremeParts *parts, const struct varlena *numeric)
{
	GpuredUnitFit fit;
	int64		key;
	int			scale;

	while ((fit = gpured_read_in_unit(numeric, parts->unit, &key, &scale)) == GPURED_UNIT_TOO_LARGE)
	{
		settle(parts);
		parts->unit++;
	}
	if (fit != GPURED_UNIT_FITS)
		return false;

	if (parts->scale == SCALE_NONE)
		parts->scale = scale;
	else if (parts->scale != scale && parts->scale != SCALE_IN_KEY)
	{
		settle(parts);
		parts->scale = SCALE_IN_KEY;
	}
	if (parts->scale == SCALE_IN_KEY)
	{
		if (__builtin_mul_overflow(key, (int64) 1 << KEY_SCALE_BITS, &key))
			return false;
		key |= is_least(parts->offload->op) ? KEY_SCALE_MASK - scale : scale;
	}
	if (!gpured_offload_takes(parts->offload))
		return false;
	GPURED_BATCHER_APPEND(parts->offload->batcher, int64, key);
	return true;
}

/* The first value, and every value where the device has a part. */
static pg_noinline Datum
step_slowly(FunctionCallInfo fcinfo, GpuredOp op)
{
	MemoryContext context = gpured_aggregate_context(fcinfo);
	struct varlena *numeric = PG_DETOAST_DATUM_PACKED(PG_GETARG_DATUM(1));
	ExtremeParts *parts;

	if (PG_ARGISNULL(0))
	{
		GpuredOffload *offload = gpured_offload_start(fcinfo, context, op);

		if (offload == NULL)
			PG_RETURN_POINTER(keep_best(context, NULL, PointerGetDatum(numeric), op));
		parts = MemoryContextAlloc(context, sizeof(ExtremeParts));
		parts->offload = offload;
		parts->rows = NULL;
		parts->unit = gpured_first_unit(numeric);
		parts->scale = SCALE_NONE;
	}
	else
		parts = state_parts(PG_GETARG_DATUM(0));

	if (!append(parts, numeric))
		parts->rows = keep_best(context, parts->rows, PointerGetDatum(numeric), op);
	return PointerGetDatum(parts) + 1;
}

static pg_attribute_always_inline Datum
step(FunctionCallInfo fcinfo, GpuredOp op)
{
	Numeric		best;

	if (PG_ARGISNULL(1))
		return gpured_unchanged(fcinfo);
	if (unlikely(PG_ARGISNULL(0) || GPURED_IS_TAGGED(PG_GETARG_DATUM(0))))
		return step_slowly(fcinfo, op);
	best = (Numeric) PG_GETARG_POINTER(0);
	if (likely(!beats(PG_GETARG_DATUM(1), best, op)))
		PG_RETURN_POINTER(best);
	PG_RETURN_POINTER(replace(gpured_aggregate_context(fcinfo), best, PG_GETARG_DATUM(1)));
}

Datum
gpured_numeric_max(PG_FUNCTION_ARGS)
{
	return step(fcinfo, GPURED_reduce_max_int8);
}

Datum
gpured_numeric_min(PG_FUNCTION_ARGS)
{
	return step(fcinfo, GPURED_reduce_min_int8);
}

/* The best of all values; the parts stay as they are. */
static Numeric
resolve(Datum state)
{
	ExtremeParts *parts;
	GpuredAcc	total;
	Numeric		device;

	if (!GPURED_IS_TAGGED(state))
		return (Numeric) DatumGetPointer(state);
	parts = state_parts(state);
	gpured_offload_total(parts->offload, &total);
	if (total.n == 0)
		return parts->rows;
	device = value_of_key(parts, total.v.i64);
	if (parts->rows == NULL || beats(NumericGetDatum(device), parts->rows, parts->offload->op))
		return device;
	return parts->rows;
}

/* Fold the second state into the first, which may have a batcher and keeps it. */
static Datum
combine(FunctionCallInfo fcinfo, GpuredOp op)
{
	MemoryContext context = gpured_aggregate_context(fcinfo);
	Datum		state = PG_ARGISNULL(0) ? (Datum) 0 : PG_GETARG_DATUM(0);
	Datum		other;
	ExtremeParts *parts;

	if (PG_ARGISNULL(1))
		return gpured_unchanged(fcinfo);
	other = NumericGetDatum(resolve(PG_GETARG_DATUM(1)));
	if (!GPURED_IS_TAGGED(state))
		PG_RETURN_POINTER(keep_best(context, (Numeric) DatumGetPointer(state), other, op));
	parts = state_parts(state);
	parts->rows = keep_best(context, parts->rows, other, op);
	return state;
}

Datum
gpured_numeric_max_combine(PG_FUNCTION_ARGS)
{
	return combine(fcinfo, GPURED_reduce_max_int8);
}

Datum
gpured_numeric_min_combine(PG_FUNCTION_ARGS)
{
	return combine(fcinfo, GPURED_reduce_min_int8);
}

/* A copy: the state may go on. */
static Datum
final(FunctionCallInfo fcinfo)
{
	gpured_aggregate_context(fcinfo);
	if (PG_ARGISNULL(0))
		PG_RETURN_NULL();
	return NumericGetDatum(DatumGetNumericCopy(NumericGetDatum(resolve(PG_GETARG_DATUM(0)))));
}

Datum
gpured_numeric_max_final(PG_FUNCTION_ARGS)
{
	return final(fcinfo);
}

Datum
gpured_numeric_min_final(PG_FUNCTION_ARGS)
{
	return final(fcinfo);
}

/* The value as PostgreSQL sends it. */
Datum
gpured_numeric_extreme_serialize(PG_FUNCTION_ARGS)
{
	StringInfoData buf;
	bytea	   *value;

	gpured_aggregate_context(fcinfo);
	value = DatumGetByteaPP(DirectFunctionCall1(numeric_send,
												NumericGetDatum(resolve(PG_GETARG_DATUM(0)))));
	gpured_state_begin(&buf, GPURED_STATE_NUMERIC_EXTREME);
	pq_sendbytes(&buf, VARDATA_ANY(value), VARSIZE_ANY_EXHDR(value));
	PG_RETURN_BYTEA_P(gpured_state_end(&buf));
}

/* Checked by numeric_recv, but for its length: four numbers and so many digits. */
Datum
gpured_numeric_extreme_deserialize(PG_FUNCTION_ARGS)
{
	bytea	   *serialized = PG_GETARG_BYTEA_PP(0);
	StringInfoData buf;
	int			start;
	int			ndigits;
	Datum		value;

	gpured_aggregate_context(fcinfo);
	gpured_state_open(&buf, serialized, GPURED_STATE_NUMERIC_EXTREME);
	gpured_state_need(&buf, 8);
	start = buf.cursor;
	ndigits = (int) pq_getmsgint(&buf, 2);
	buf.cursor = start;
	gpured_state_need(&buf, 8 + 2 * ndigits);
	value = DirectFunctionCall3(numeric_recv, PointerGetDatum(&buf),
								ObjectIdGetDatum(InvalidOid), Int32GetDatum(-1));
	gpured_state_close(&buf);
	return value;
}

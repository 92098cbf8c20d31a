/*
 * sum_numeric.c
 *	  gpu_sum(numeric) and gpu_avg(numeric).
 *
 * Most numerics are short: amounts, rates, counts.  A value below 10^16 without
 * a digit beyond the eighth decimal is a 128-bit integer of hundred-millionths,
 * and is read and added as one, straight from the tuple.  2^47 of them cannot
 * overflow the sum.
 *
 * Everything else (long values, many decimals, NaN, infinities) goes into
 * PostgreSQL's own state for sum(numeric), by its own functions, and the two are
 * added in the end.  So the answer is exact for every input, and prints as the
 * built-in's does: with the largest display scale of the inputs, for which short
 * values are counted by theirs.  Without that, a moving sum could not know what
 * scale is left when a value has left the frame.
 *
 * The device sums short values as it does int8, in a unit that suits them
 * (numeric_unit.h).  What has no 64 bits in it is added here.
 *
 * A state begins small, and stays so while all values are short and have one
 * display scale, as those of a column with decimals in its type do: there may be
 * many groups.  It is then a tagged pointer.
 */
#include "postgres.h"

#include "libpq/pqformat.h"
#include "utils/fmgrprotos.h"
#include "utils/numeric.h"

#include "aggregate/aggregate.h"
#include "aggregate/numeric_unit.h"
#include "compat.h"

PG_FUNCTION_INFO_V1(gpured_numeric_step);
PG_FUNCTION_INFO_V1(gpured_numeric_inverse);
PG_FUNCTION_INFO_V1(gpured_numeric_combine);
PG_FUNCTION_INFO_V1(gpured_numeric_serialize);
PG_FUNCTION_INFO_V1(gpured_numeric_deserialize);
PG_FUNCTION_INFO_V1(gpured_numeric_sum);
PG_FUNCTION_INFO_V1(gpured_numeric_avg);

typedef struct NumericTotal
{
	int128		sum;			/* of short values, in units of 10^-8 */
	int64		n[MAX_SCALE + 1];	/* short values by display scale */
	int64		wide_n;			/* all other values */
	Datum		wide;			/* their state, PostgreSQL's own; 0 if none */
	GpuredOffload *offload;		/* NULL if the device has no part in the sum */
	int			unit;			/* of what the device has */
} NumericTotal;

typedef struct SmallTotal
{
	int128		sum;
	int64		n;
	int			scale;			/* of all n values */
} SmallTotal;

#define SMALL_TOTAL(state) ((SmallTotal *) DatumGetPointer((state) - 1))
#define IS_SMALL(state) GPURED_IS_TAGGED(state)

static Datum
make_small(MemoryContext context, int128 sum, int64 n, int scale)
{
	SmallTotal *small = MemoryContextAlloc(context, sizeof(SmallTotal));

	small->sum = sum;
	small->n = n;
	small->scale = scale;
	return PointerGetDatum(small) + 1;
}

/* A state that takes any value, in place of the small one, if there is one. */
static NumericTotal *
widen(MemoryContext context, SmallTotal *small)
{
	NumericTotal *total = MemoryContextAllocZero(context, sizeof(NumericTotal));

	if (small == NULL)
		return total;
	total->sum = small->sum;
	total->n[small->scale] = small->n;
	pfree(small);
	return total;
}

Datum
gpured_numeric_state(MemoryContext context)
{
	return PointerGetDatum(widen(context, NULL));
}

/* Whether n values of a scale can be added; the first ones say which it is to be. */
static inline bool
small_has_scale(SmallTotal *small, int scale)
{
	if (unlikely(small->n == 0))
		small->scale = scale;
	return likely(small->scale == scale);
}

/* A sum of the device in units of 10^-8. */
static int128
device_sum(const NumericTotal *total, const GpuredAcc *device)
{
	return gpured_int128_of(device->v.i128) * (int128) gpured_power[FRACTION_DIGITS - total->unit];
}

/* Put a short value into the device's batch; false if it is to be added here. */
static bool
append(NumericTotal *total, const struct varlena *numeric)
{
	GpuredUnitFit fit;
	GpuredAcc	device;
	int64		value;
	int			scale;

	while ((fit = gpured_read_in_unit(numeric, total->unit, &value, &scale)) == GPURED_UNIT_TOO_LARGE)
	{
		gpured_offload_restart(total->offload, &device);
		total->sum += device_sum(total, &device);
		total->unit++;
	}
	if (fit != GPURED_UNIT_FITS || !gpured_offload_takes(total->offload) ||
		(total->unit == 0 && (value >= SHORT_LIMIT || value <= -SHORT_LIMIT)))
		return false;
	GPURED_BATCHER_APPEND(total->offload->batcher, int64, value);
	total->n[scale]++;
	return true;
}

/* The sum of all short values, those on the device included. */
static int128
short_sum(const NumericTotal *total)
{
	GpuredAcc	device;

	if (total->offload == NULL)
		return total->sum;
	gpured_offload_total(total->offload, &device);
	return total->sum + device_sum(total, &device);
}

/* Add a value to a state that is not small. */
static void
add(FunctionCallInfo fcinfo, NumericTotal *total, struct varlena *numeric)
{
	int128		value;
	int			scale;

	if (unlikely(total->offload != NULL) && append(total, numeric))
		return;
	if (likely(gpured_read_short(numeric, &value, &scale)))
	{
		total->sum += value;
		total->n[scale]++;
	}
	else
	{
		total->wide = gpured_call_builtin(numeric_avg_accum, fcinfo, 2, total->wide,
										  PointerGetDatum(numeric));
		total->wide_n++;
	}
}

/* The state for a first value: it has a part on the device, or is small. */
static Datum
start(FunctionCallInfo fcinfo, const struct varlena *numeric)
{
	MemoryContext context = gpured_aggregate_context(fcinfo);
	GpuredOffload *offload = gpured_offload_start(fcinfo, context, GPURED_reduce_sum_int8);
	NumericTotal *total;

	if (offload == NULL)
		return PG_ARGISNULL(0) ? make_small(context, 0, 0, 0) : PG_GETARG_DATUM(0);
	total = widen(context, PG_ARGISNULL(0) ? NULL : SMALL_TOTAL(PG_GETARG_DATUM(0)));
	total->offload = offload;
	total->unit = gpured_first_unit(numeric);
	return PointerGetDatum(total);
}

/* A moving aggregate must have a state even of no values. */
Datum
gpured_numeric_step(PG_FUNCTION_ARGS)
{
	Datum		state = PG_GETARG_DATUM(0);
	struct varlena *numeric;
	NumericTotal *total;
	int128		value;
	int			scale;

	if (PG_ARGISNULL(1))
		return PG_ARGISNULL(0) ? make_small(gpured_aggregate_context(fcinfo), 0, 0, 0) : state;
	numeric = PG_DETOAST_DATUM_PACKED(PG_GETARG_DATUM(1));

	if (unlikely(PG_ARGISNULL(0) || (IS_SMALL(state) && SMALL_TOTAL(state)->n == 0)))
		state = start(fcinfo, numeric);
	if (!IS_SMALL(state))
		total = (NumericTotal *) DatumGetPointer(state);
	else if (likely(gpured_read_short(numeric, &value, &scale)) &&
			 small_has_scale(SMALL_TOTAL(state), scale))
	{
		SMALL_TOTAL(state)->sum += value;
		SMALL_TOTAL(state)->n++;
		return state;
	}
	else
		total = widen(gpured_aggregate_context(fcinfo), SMALL_TOTAL(state));
	add(fcinfo, total, numeric);
	PG_RETURN_POINTER(total);
}

/* Add a short value to a state that is there; false, and nothing done, if it has to be another one. */
static inline bool
add_in_place(Datum state, int128 value, int scale)
{
	NumericTotal *total;
	SmallTotal *small;

	if (IS_SMALL(state))
	{
		small = SMALL_TOTAL(state);
		if (unlikely(small->n == 0 || small->scale != scale))
			return false;
		small->sum += value;
		small->n++;
		return true;
	}
	total = (NumericTotal *) DatumGetPointer(state);
	if (unlikely(total->offload != NULL))
		return false;
	total->sum += value;
	total->n[scale]++;
	return true;
}

/*
 * What gpured_numeric_step() does with a value that is short and not toasted, and a
 * state that can stay where it is; false, and nothing done, for any other.
 */
bool
gpured_numeric_add_short(Datum state, const struct varlena *numeric)
{
	int128		value;
	int			scale;

	if (VARATT_IS_1B_E(numeric) || VARATT_IS_4B_C(numeric))
		return false;
	if (unlikely(!gpured_read_short(numeric, &value, &scale)))
		return false;
	return add_in_place(state, value, scale);
}

/* The same with an integer below SHORT_LIMIT in units of 10^-scale, of up to eight decimals. */
bool
gpured_numeric_add_integer(Datum state, int64 value, int scale)
{
	return add_in_place(state, gpured_in_smallest_unit(value, scale), scale);
}

/*
 * Take a value back.  PostgreSQL's own state may be unable to, if it was the last
 * with the largest display scale: then the aggregate starts again.
 */
Datum
gpured_numeric_inverse(PG_FUNCTION_ARGS)
{
	NumericTotal *total;
	struct varlena *numeric;
	Datum		state = PG_GETARG_DATUM(0);
	int128		value;
	int			scale;

	if (PG_ARGISNULL(0))
	{
		gpured_aggregate_context(fcinfo);
		elog(ERROR, "inverse transition of a gpured aggregate without a state");
	}
	if (PG_ARGISNULL(1))
		return state;
	numeric = PG_DETOAST_DATUM_PACKED(PG_GETARG_DATUM(1));

	/* All that a small state has ever had is short, and of its scale. */
	if (IS_SMALL(state))
	{
		if (!gpured_read_short(numeric, &value, &scale))
			elog(ERROR, "inverse transition of a value that a gpured aggregate has not got");
		SMALL_TOTAL(state)->sum -= value;
		SMALL_TOTAL(state)->n--;
		return state;
	}
	total = (NumericTotal *) DatumGetPointer(state);
	if (gpured_read_short(numeric, &value, &scale))
	{
		total->sum -= value;
		total->n[scale]--;
	}
	else
	{
		if (gpured_call_builtin(numeric_accum_inv, fcinfo, 2, total->wide,
								PointerGetDatum(numeric)) == (Datum) 0)
			PG_RETURN_NULL();
		total->wide_n--;
	}
	PG_RETURN_POINTER(total);
}

/* Add a small state to one that may not be there yet. */
static Datum
combine_small(MemoryContext context, Datum state, const SmallTotal *other)
{
	NumericTotal *total;

	if (state == (Datum) 0)
		return make_small(context, other->sum, other->n, other->scale);
	if (other->n == 0)
		return state;
	if (IS_SMALL(state) && small_has_scale(SMALL_TOTAL(state), other->scale))
	{
		SMALL_TOTAL(state)->sum += other->sum;
		SMALL_TOTAL(state)->n += other->n;
		return state;
	}
	total = IS_SMALL(state) ? widen(context, SMALL_TOTAL(state)) : (NumericTotal *) DatumGetPointer(state);
	total->sum += other->sum;
	total->n[other->scale] += other->n;
	return PointerGetDatum(total);
}

Datum
gpured_numeric_combine(PG_FUNCTION_ARGS)
{
	MemoryContext context = gpured_aggregate_context(fcinfo);
	Datum		state = PG_GETARG_DATUM(0);
	NumericTotal *total;
	NumericTotal *other;

	if (PG_ARGISNULL(1))
		return gpured_unchanged(fcinfo);
	if (IS_SMALL(PG_GETARG_DATUM(1)))
		return combine_small(context, PG_ARGISNULL(0) ? (Datum) 0 : state,
							 SMALL_TOTAL(PG_GETARG_DATUM(1)));
	other = (NumericTotal *) PG_GETARG_POINTER(1);
	if (PG_ARGISNULL(0))
		total = widen(context, NULL);
	else if (IS_SMALL(state))
		total = widen(context, SMALL_TOTAL(state));
	else
		total = (NumericTotal *) DatumGetPointer(state);
	total->sum += short_sum(other);
	for (int i = 0; i <= MAX_SCALE; i++)
		total->n[i] += other->n[i];
	total->wide_n += other->wide_n;
	if (other->wide != (Datum) 0)
		total->wide = gpured_call_builtin(numeric_avg_combine, fcinfo, 2, total->wide, other->wide);
	PG_RETURN_POINTER(total);
}

/* The serialized form of a small state. */
static Datum
write_small(char *where, int128 sum, int64 n, int scale)
{
	char	   *next = gpured_state_put_kind(where, GPURED_STATE_SMALL_NUMERIC);

	*next++ = (char) scale;
	next = gpured_state_put_int64(next, n);
	next = gpured_state_put_integer(next, sum);
	SET_VARSIZE(where, next - where);
	return PointerGetDatum(where);
}

static int128
in_smallest_unit(int128 sum, int scale)
{
	return sum * (int128) gpured_power[FRACTION_DIGITS - GPURED_UNIT_OF_SCALE(scale)];
}

Datum
gpured_numeric_partial(char *where, int128 sum, int64 n, int scale)
{
	return write_small(where, in_smallest_unit(sum, scale), n, scale);
}

Datum
gpured_numeric_add_sum(MemoryContext context, Datum state, int128 sum, int64 n, int scale)
{
	SmallTotal	other = {.sum = in_smallest_unit(sum, scale),.n = n,.scale = scale};

	return combine_small(context, state, &other);
}

bool
gpured_numeric_partial_of(char *where, const struct varlena *numeric)
{
	int128		value;
	int			scale;

	if (VARATT_IS_1B_E(numeric) || VARATT_IS_4B_C(numeric) || !gpured_read_short(numeric, &value, &scale))
		return false;
	(void) write_small(where, value, 1, scale);
	return true;
}

Datum
gpured_numeric_serialize(PG_FUNCTION_ARGS)
{
	NumericTotal *total;
	StringInfoData buf;

	gpured_aggregate_context(fcinfo);
	if (IS_SMALL(PG_GETARG_DATUM(0)))
	{
		const SmallTotal *small = SMALL_TOTAL(PG_GETARG_DATUM(0));

		return write_small(palloc(GPURED_NUMERIC_PARTIAL_ROOM), small->sum, small->n, small->scale);
	}
	total = (NumericTotal *) PG_GETARG_POINTER(0);
	gpured_state_begin(&buf, GPURED_STATE_NUMERIC);
	gpured_send_int128(&buf, short_sum(total));
	for (int i = 0; i <= MAX_SCALE; i++)
		pq_sendint64(&buf, total->n[i]);
	pq_sendint64(&buf, total->wide_n);
	if (total->wide != (Datum) 0)
	{
		bytea	   *wide = DatumGetByteaPP(gpured_call_builtin(numeric_avg_serialize, fcinfo, 1,
															   total->wide, (Datum) 0));

		pq_sendbytes(&buf, VARDATA_ANY(wide), VARSIZE_ANY_EXHDR(wide));
	}
	PG_RETURN_BYTEA_P(gpured_state_end(&buf));
}

/*
 * Check PostgreSQL's own state, from the cursor to the end.  Its function reads
 * whatever comes, and what it does with a number that is none is undefined.
 *
 * The fields are a count; a sum as its number of digits, weight, sign, scale and
 * digits; the largest scale and four counts.  A sum has few more digits than a
 * numeric, however many numerics were added.
 */
static void
check_wide(StringInfo buf)
{
	int			start = buf->cursor;
	int64		count;
	int32		ndigits;
	int32		weight;
	int32		sign;
	int32		scale;

	gpured_state_need(buf, 24);
	count = pq_getmsgint64(buf);
	ndigits = (int32) pq_getmsgint(buf, 4);
	weight = (int32) pq_getmsgint(buf, 4);
	sign = (int32) pq_getmsgint(buf, 4);
	scale = (int32) pq_getmsgint(buf, 4);
	if (count < 0 || ndigits < 0 || ndigits > buf->len ||
		weight < PG_INT16_MIN || weight > PG_INT16_MAX + 16 ||
		(sign != SERIAL_POSITIVE && sign != SERIAL_NEGATIVE) ||
		scale < 0 || scale > SERIAL_MAX_SCALE)
		gpured_state_corrupt("Its sum is not a number.");
	gpured_state_need(buf, ndigits * 2 + 36);
	for (int i = 0; i < ndigits; i++)
	{
		if (pq_getmsgint(buf, 2) >= NBASE)
			gpured_state_corrupt("Its sum has a digit that is none.");
	}
	scale = (int32) pq_getmsgint(buf, 4);
	if (scale < 0 || scale > SERIAL_MAX_SCALE)
		gpured_state_corrupt("Its scale is out of range.");
	for (int i = 0; i < 4; i++)
	{
		if (pq_getmsgint64(buf) < 0)
			gpured_state_corrupt("Its number of values is negative.");
	}
	gpured_state_close(buf);
	buf->cursor = start;
}

static Datum
deserialize_small(bytea *serialized)
{
	StringInfoData buf;
	int128		sum;
	int64		n;
	int			scale;

	gpured_state_open(&buf, serialized, GPURED_STATE_SMALL_NUMERIC);
	gpured_state_need(&buf, 1 + sizeof(int64));
	scale = pq_getmsgbyte(&buf);
	n = pq_getmsgint64(&buf);
	sum = gpured_state_get_integer(&buf);
	gpured_state_close(&buf);
	if (n < 0)
		gpured_state_corrupt("Its number of values is negative.");
	if (scale > MAX_SCALE)
		gpured_state_corrupt("Its scale is out of range.");
	return make_small(CurrentMemoryContext, sum, n, scale);
}

Datum
gpured_numeric_deserialize(PG_FUNCTION_ARGS)
{
	bytea	   *serialized = PG_GETARG_BYTEA_PP(0);
	NumericTotal *total;
	StringInfoData buf;
	int			rest;

	gpured_aggregate_context(fcinfo);
	if (gpured_state_is(serialized, GPURED_STATE_SMALL_NUMERIC))
		return deserialize_small(serialized);
	total = widen(CurrentMemoryContext, NULL);
	gpured_state_open(&buf, serialized, GPURED_STATE_NUMERIC);
	total->sum = gpured_get_int128(&buf);
	gpured_state_need(&buf, (MAX_SCALE + 2) * sizeof(int64));
	for (int i = 0; i <= MAX_SCALE; i++)
	{
		total->n[i] = pq_getmsgint64(&buf);
		if (total->n[i] < 0)
			gpured_state_corrupt("Its number of values is negative.");
	}
	total->wide_n = pq_getmsgint64(&buf);
	rest = buf.len - buf.cursor;
	if (rest > 0)
	{
		bytea	   *wide = palloc(VARHDRSZ + rest);

		check_wide(&buf);
		SET_VARSIZE(wide, VARHDRSZ + rest);
		memcpy(VARDATA(wide), pq_getmsgbytes(&buf, rest), rest);
		total->wide = gpured_call_builtin(numeric_avg_deserialize, fcinfo, 2,
										  PointerGetDatum(wide), (Datum) 0);
	}
	gpured_state_close(&buf);
	if (total->wide_n < 0 || (total->wide_n > 0 && total->wide == (Datum) 0))
		gpured_state_corrupt("Its number of values is wrong.");
	PG_RETURN_POINTER(total);
}

/* Number and sum of the values for a final function; false if there are none. */
static bool
final_total(FunctionCallInfo fcinfo, int64 *n, Datum *sum)
{
	NumericTotal *total;
	int			scale = 0;

	gpured_aggregate_context(fcinfo);
	if (PG_ARGISNULL(0))
		return false;
	if (IS_SMALL(PG_GETARG_DATUM(0)))
	{
		const SmallTotal *small = SMALL_TOTAL(PG_GETARG_DATUM(0));

		*n = small->n;
		*sum = NumericGetDatum(gpured_int128_to_scaled_numeric(small->sum, FRACTION_DIGITS,
															   small->scale));
		return *n > 0;
	}
	total = (NumericTotal *) PG_GETARG_POINTER(0);
	*n = 0;
	for (int i = 0; i <= MAX_SCALE; i++)
	{
		*n += total->n[i];
		if (total->n[i] > 0)
			scale = i;
	}
	*sum = NumericGetDatum(gpured_int128_to_scaled_numeric(short_sum(total), FRACTION_DIGITS, scale));
	if (total->wide_n > 0)
	{
		Datum		wide = gpured_call_builtin(numeric_sum, fcinfo, 1, total->wide, (Datum) 0);

		if (wide == (Datum) 0)
			gpured_state_corrupt("Its number of values is wrong.");
		*n += total->wide_n;
		*sum = DirectFunctionCall2(numeric_add, *sum, wide);
	}
	return *n > 0;
}

Datum
gpured_numeric_sum(PG_FUNCTION_ARGS)
{
	int64		n;
	Datum		sum;

	if (!final_total(fcinfo, &n, &sum))
		PG_RETURN_NULL();
	return sum;
}

Datum
gpured_numeric_avg(PG_FUNCTION_ARGS)
{
	int64		n;
	Datum		sum;

	if (!final_total(fcinfo, &n, &sum))
		PG_RETURN_NULL();
	return DirectFunctionCall2(numeric_div, sum, NumericGetDatum(int64_to_numeric(n)));
}

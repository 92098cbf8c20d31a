/*
 * float_state.c
 *	  Memory, forms and serialized form of exact float sums.
 *
 * The arithmetic itself is in src/exact.
 */
#include "postgres.h"

#include "libpq/pqformat.h"

#include "aggregate/float_state.h"

/*
 * The allocators return memory at the call that grows a state, not at each row:
 * a row must not pay for finding the context.
 */
static void *
call_alloc(void *arg, size_t size)
{
	return MemoryContextAlloc(gpured_aggregate_context((FunctionCallInfo) arg), size);
}

static void *
context_alloc(void *arg, size_t size)
{
	return MemoryContextAlloc((MemoryContext) arg, size);
}

static void
release(void *arg, void *pointer)
{
	pfree(pointer);
}

const GpuredAllocator gpured_call_allocator = {call_alloc, release};
const GpuredAllocator gpured_context_allocator = {context_alloc, release};

static GpuredFloatParts *
sum_parts(Datum sum)
{
	return (GpuredFloatParts *) DatumGetPointer(sum - 1);
}

/* Add a sum in one of the forms that need no memory. */
static GpuredWindow *
add_small(GpuredWindow *window, Datum sum, MemoryContext context)
{
	double		value = 0.0;

	if (GPURED_FLOAT_IS_DOUBLE(sum))
		value = gpured_sum_to_double(sum);
	else if (gpured_short_value(sum) != 0)
		return gpured_window_add_scaled(window, gpured_short_value(sum), gpured_short_unit(sum),
										&gpured_context_allocator, context);
	return gpured_window_add(window, value, &gpured_context_allocator, context);
}

/* A new window with such a sum. */
static GpuredWindow *
window_of_small(Datum sum, MemoryContext context)
{
	return add_small(gpured_window_create(&gpured_context_allocator, context), sum, context);
}

/* A double as an integer times a power of two; false for NaN and infinities. */
static bool
split_double(double value, int64 *integer, int *unit)
{
	uint64		bits;
	int			exponent;

	memcpy(&bits, &value, sizeof(bits));
	exponent = (bits >> 52) & 0x7ff;
	*integer = (int64) ((bits & ((UINT64CONST(1) << 52) - 1)) | (uint64) (exponent > 0) << 52);
	if (bits >> 63)
		*integer = -*integer;
	*unit = *integer == 0 ? GPURED_SHORT_UNIT + GPURED_SHORT_UNITS - 1 : Max(exponent, 1) - 1075;
	return exponent < 0x7ff;
}

/* *value *= 2^shift; false if it becomes too large. */
static bool
scale_up(int64 *value, int shift)
{
	const int64 limit = shift < 57 ? (GPURED_SHORT_LIMIT - 1) >> shift : 0;

	if (*value > limit || *value < -limit)
		return false;
	*value = shift < 57 ? *value * (INT64CONST(1) << shift) : 0;
	return true;
}

/* A double or a short sum and a value as a short sum, if they are one. */
static bool
add_to_short(Datum sum, double value, Datum *result)
{
	int64		a = gpured_short_value(sum);
	int64		b;
	int			a_unit = gpured_short_unit(sum);
	int			b_unit;
	int			unit = GPURED_SHORT_UNIT + GPURED_SHORT_UNITS - 1;

	if (!split_double(value, &b, &b_unit) ||
		(GPURED_FLOAT_IS_DOUBLE(sum) &&
		 !split_double(gpured_sum_to_double(sum), &a, &a_unit)))
		return false;
	unit = Min(unit, Min(a_unit, b_unit));
	if (unit < GPURED_SHORT_UNIT || !scale_up(&a, a_unit - unit) || !scale_up(&b, b_unit - unit))
		return false;
	a += b;
	*result = gpured_make_short(a, unit);
	return a < GPURED_SHORT_LIMIT && a > -GPURED_SHORT_LIMIT;
}

/* The sum of no values, of an aggregate whose first value is about to come. */
Datum
gpured_float_create(FunctionCallInfo fcinfo, GpuredOp op)
{
	MemoryContext context = gpured_aggregate_context(fcinfo);
	GpuredOffload *offload = gpured_offload_start(fcinfo, context, op);
	GpuredFloatParts *parts;

	if (offload == NULL)
		return GPURED_FLOAT_EMPTY;
	parts = MemoryContextAlloc(context, sizeof(GpuredFloatParts));
	parts->offload = offload;
	parts->window = gpured_window_create(&gpured_context_allocator, context);
	return PointerGetDatum(parts) + 1;
}

/* Add a value to a sum in parts; whether the device counts it. */
bool
gpured_float_add_part(FunctionCallInfo fcinfo, Datum sum, double value)
{
	GpuredFloatParts *parts = sum_parts(sum);
	GpuredOffload *offload = parts->offload;

	if (!gpured_offload_takes(offload))
	{
		parts->window = gpured_window_add(parts->window, value, &gpured_call_allocator, fcinfo);
		return false;
	}
	if (offload->op == GPURED_reduce_sum_float4)
		GPURED_BATCHER_APPEND(offload->batcher, float, (float) value);
	else
		GPURED_BATCHER_APPEND(offload->batcher, double, value);
	return true;
}

/* Add a value to a short sum, or to a double that cannot hold the sum. */
pg_noinline Datum
gpured_float_widen(FunctionCallInfo fcinfo, Datum sum, double value)
{
	MemoryContext context;
	Datum		result;

	if (add_to_short(sum, value, &result))
		return result;
	context = gpured_aggregate_context(fcinfo);
	return PointerGetDatum(gpured_window_add(window_of_small(sum, context), value,
											 &gpured_context_allocator, context));
}

/*
 * A sum without a part on the device, in the current memory context if it had
 * one; the number of the device's values is added to *n.
 */
Datum
gpured_float_resolve(Datum sum, int64 *n)
{
	GpuredFloatParts *parts;
	GpuredWindow *window;
	GpuredExact x;
	GpuredAcc	total;

	if (!GPURED_FLOAT_IN_PARTS(sum))
		return sum;
	parts = sum_parts(sum);
	gpured_window_to_exact(parts->window, &x);
	gpured_offload_total(parts->offload, &total);
	gpured_exact_merge(&x, &total.v.exact);
	*n += total.n;
	window = gpured_window_create(&gpured_context_allocator, CurrentMemoryContext);
	return PointerGetDatum(gpured_window_add_exact(window, &x, &gpured_context_allocator,
												   CurrentMemoryContext));
}

static GpuredWindow *
add_sum(GpuredWindow *window, Datum sum, MemoryContext context)
{
	if (!GPURED_FLOAT_IN_WINDOW(sum))
		return add_small(window, sum, context);
	return gpured_window_merge(window, (GpuredWindow *) DatumGetPointer(sum),
							   &gpured_context_allocator, context);
}

/* Fold a resolved sum into another, which may have a batcher and keeps it. */
Datum
gpured_float_combine(Datum sum, Datum other, MemoryContext context)
{
	GpuredWindow *window;
	Datum		result;

	if (GPURED_FLOAT_IN_PARTS(sum))
	{
		sum_parts(sum)->window = add_sum(sum_parts(sum)->window, other, context);
		return sum;
	}
	if (GPURED_FLOAT_IN_WINDOW(sum))
		window = (GpuredWindow *) DatumGetPointer(sum);
	else
	{
		if (GPURED_FLOAT_IS_DOUBLE(sum) && GPURED_FLOAT_IS_DOUBLE(other) &&
			gpured_add_doubles(gpured_sum_to_double(sum), gpured_sum_to_double(other), &result))
			return result;
		if (GPURED_FLOAT_IS_DOUBLE(other) &&
			add_to_short(sum, gpured_sum_to_double(other), &result))
			return result;
		window = window_of_small(sum, context);
	}
	return PointerGetDatum(add_sum(window, other, context));
}

/* The narrowest form of what a window holds. */
static Datum
narrow(GpuredWindow *window)
{
	double		value;
	Datum		sum;

	if (!gpured_window_is_double(window, &value))
		return PointerGetDatum(window);
	sum = gpured_double_to_sum(value);
	return GPURED_FLOAT_IS_DOUBLE(sum) ? sum : PointerGetDatum(window);
}

/* The serialized form; GPURED_WINDOW_MAX_BYTES at most.  Returns its length. */
size_t
gpured_write_float(Datum sum, uint8_t *out)
{
	uint64		bits;
	double		value;

	if (GPURED_FLOAT_IS_SHORT(sum))
		sum = narrow(window_of_small(sum, CurrentMemoryContext));
	else if (GPURED_FLOAT_IN_WINDOW(sum))
		sum = narrow((GpuredWindow *) DatumGetPointer(sum));
	if (!GPURED_FLOAT_IS_DOUBLE(sum))
		return gpured_window_write((GpuredWindow *) DatumGetPointer(sum), out);
	value = gpured_sum_to_double(sum);
	memcpy(&bits, &value, sizeof(bits));
	bits = pg_hton64(bits);
	memcpy(out, &bits, sizeof(bits));
	return sizeof(bits);
}

/* The sum takes the rest of the message. */
void
gpured_send_float(StringInfo buf, Datum sum)
{
	uint8_t		bytes[GPURED_WINDOW_MAX_BYTES];
	size_t		size = gpured_write_float(sum, bytes);

	pq_sendbytes(buf, (char *) bytes, (int) size);
}

Datum
gpured_get_float(StringInfo buf, MemoryContext context)
{
	GpuredWindow *window;
	int			size = buf->len - buf->cursor;
	const char *bytes = pq_getmsgbytes(buf, size);
	Datum		sum;

	if (size == sizeof(uint64))
	{
		uint64		bits;
		double		value;

		memcpy(&bits, bytes, sizeof(bits));
		bits = pg_ntoh64(bits);
		memcpy(&value, &bits, sizeof(value));
		sum = gpured_double_to_sum(value);
		if (!GPURED_FLOAT_IS_DOUBLE(sum))
			gpured_state_corrupt("Its sum is no double of that form.");
		return sum;
	}
	if (!gpured_window_read((const uint8_t *) bytes, size, &window,
							&gpured_context_allocator, context))
		gpured_state_corrupt("Its exact sum makes no sense.");
	sum = narrow(window);
	if (GPURED_FLOAT_IS_DOUBLE(sum))
		pfree(window);
	return sum;
}

/*
 * float_state.h
 *	  What gpu_sum and gpu_avg of floats share: the exact sum as a Datum.
 *
 * Nothing is rounded before the final function, so neither the order of the rows
 * nor the plan can be seen in the result.  A sum takes the smallest form that
 * holds it exactly, and the lowest three bits say which:
 *
 *		0		a pointer to a window (src/exact/window.h)
 *		1		a pointer to GpuredFloatParts, plus 1, where the device has, or may
 *				get, a part of the values
 *		3, 4, 7	a double, turned so that the upper three bits of its exponent are
 *				the lowest of the Datum, and inverted there
 *		2, 5, 6	a short sum, an integer of 58 bits times a power of two, which the
 *				tag and the next three bits say
 *
 * So a group's first value needs no memory, nor does any sum that is a double as
 * long as it is small: of integers, of most float4 values, of fractions of a
 * power of two.  Short sums are those of a few values of about one size, 2^-4 to
 * 2^20.  The doubles whose tag would be another's are left to windows: those from
 * 2^257 on, NaN and the infinities, and those from 2^-767 to 2^-256.
 *
 * A double has the sign of a zero right: it is -0 only if all values were.  A short
 * sum of 0 is +0.
 *
 * Serialized, a sum that can be a double is one, 8 bytes in network order, and any
 * other is a window, whose form has another length.
 *
 * Included by sum_float.c, avg_float.c, moments.c, partial.c and float_state.c only.
 */
#ifndef GPURED_FLOAT_STATE_H
#define GPURED_FLOAT_STATE_H

#include "aggregate/aggregate.h"
#include "exact/window.h"

/*
 * Windows are allocated one by one with palloc, next to what the executor
 * allocates for the same group: an arena away from there costs a cache miss a
 * row once there are many groups.  "arg" is the FunctionCallInfo in the
 * transition functions, and a MemoryContext elsewhere.
 */
extern const GpuredAllocator gpured_call_allocator;
extern const GpuredAllocator gpured_context_allocator;

/* A state that has, or may get, a part on the device. */
typedef struct GpuredFloatParts
{
	GpuredOffload *offload;
	GpuredWindow *window;
} GpuredFloatParts;

StaticAssertDecl(MAXIMUM_ALIGNOF >= 8, "the lowest three bits of a pointer are free");

#define GPURED_FLOAT_IN_PARTS(sum) (((sum) & 7) == 1)
#define GPURED_FLOAT_IN_WINDOW(sum) (((sum) & 7) == 0)
#define GPURED_FLOAT_IS_DOUBLE(sum) (((0x98 >> ((sum) & 7)) & 1) != 0)
#define GPURED_FLOAT_IS_SHORT(sum) (((0x64 >> ((sum) & 7)) & 1) != 0)

/* A short sum counts 2^GPURED_SHORT_UNIT or more, and is below 2^57 in its unit. */
#define GPURED_SHORT_UNIT	(-56)
#define GPURED_SHORT_UNITS	24
#define GPURED_SHORT_LIMIT	(INT64CONST(1) << 57)

/* A double as a Datum; whether it can be one is for GPURED_FLOAT_IS_DOUBLE to say. */
static inline Datum
gpured_double_to_sum(double value)
{
	uint64		bits;

	memcpy(&bits, &value, sizeof(bits));
	return (bits << 4 | bits >> 60) ^ 7;
}

static inline double
gpured_sum_to_double(Datum sum)
{
	uint64		bits = sum ^ 7;
	double		value;

	bits = bits >> 4 | bits << 60;
	memcpy(&value, &bits, sizeof(value));
	return value;
}

static inline Datum
gpured_make_short(int64 value, int unit)
{
	int			code = unit - GPURED_SHORT_UNIT;

	return (uint64) value << 6 | (code & 7) << 3 | ((0x652 >> (code >> 3) * 4) & 7);
}

static inline int64
gpured_short_value(Datum sum)
{
	return (int64) sum >> 6;
}

static inline int
gpured_short_unit(Datum sum)
{
	return GPURED_SHORT_UNIT + (int) (((sum & 7) / 2 - 1) * 8 + ((sum >> 3) & 7));
}

/* 2^unit, a float4 too: by it both types scale exactly. */
static inline double
gpured_short_scale(Datum sum)
{
	uint64		bits = (uint64) (1023 + gpured_short_unit(sum)) << 52;
	double		scale;

	memcpy(&scale, &bits, sizeof(scale));
	return scale;
}

/* The sum of no values: any double plus this is that double. */
#define GPURED_FLOAT_EMPTY gpured_double_to_sum(-0.0)

/*
 * a + b if that is exactly what *sum becomes.  Taking the greater from the rounded
 * sum has no error of its own (T. J. Dekker, "A floating-point technique for extending
 * the available precision", Numerische Mathematik 18, 1971), so that the other is left
 * just if the sum has none.  What is not finite leaves a NaN or another infinity.
 */
static inline bool
gpured_add_doubles(double a, double b, Datum *sum)
{
	double		s = a + b;

	*sum = gpured_double_to_sum(s);
	return s - a == b && s - b == a && GPURED_FLOAT_IS_DOUBLE(*sum);
}

extern Datum gpured_float_create(FunctionCallInfo fcinfo, GpuredOp op);
extern bool gpured_float_add_part(FunctionCallInfo fcinfo, Datum sum, double value);
extern Datum gpured_float_widen(FunctionCallInfo fcinfo, Datum sum, double value);

/* Add a value to a sum that has no part on the device. */
static pg_attribute_always_inline Datum
gpured_float_add(FunctionCallInfo fcinfo, Datum sum, double value)
{
	Datum		result;

	if (GPURED_FLOAT_IN_WINDOW(sum))
		return PointerGetDatum(gpured_window_add((GpuredWindow *) DatumGetPointer(sum), value,
												 &gpured_call_allocator, fcinfo));
	if (likely(GPURED_FLOAT_IS_DOUBLE(sum)) &&
		likely(gpured_add_doubles(gpured_sum_to_double(sum), value, &result)))
		return result;
	return gpured_float_widen(fcinfo, sum, value);
}

/* What follows takes or makes sums that have no part on the device. */
extern Datum gpured_float_resolve(Datum sum, int64 *n);
extern Datum gpured_float_combine(Datum sum, Datum other, MemoryContext context);
extern size_t gpured_write_float(Datum sum, uint8_t *out);
extern void gpured_send_float(StringInfo buf, Datum sum);
extern Datum gpured_get_float(StringInfo buf, MemoryContext context);

#endif							/* GPURED_FLOAT_STATE_H */

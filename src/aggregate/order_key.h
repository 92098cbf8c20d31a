/*
 * order_key.h
 *	  Floats as int64 keys that have PostgreSQL's order.
 *
 * The key is the bits, those below the sign inverted if it is negative: that puts
 * NaN above all, as PostgreSQL does, once NaN is the one with a clear sign bit,
 * and -0 below +0.  The built-in returns whichever zero came last; by keys the
 * answer does not depend on the order.  An integer is its own key.
 */
#ifndef GPURED_ORDER_KEY_H
#define GPURED_ORDER_KEY_H

#include <math.h>

#include "utils/float.h"

static inline int64
float8_key(double value)
{
	int64		bits;

	if (unlikely(isnan(value)))
		value = get_float8_nan();
	memcpy(&bits, &value, sizeof(bits));
	return bits ^ ((bits >> 63) & PG_INT64_MAX);
}

static inline double
float8_of_key(int64 key)
{
	double		value;

	key ^= (key >> 63) & PG_INT64_MAX;
	memcpy(&value, &key, sizeof(value));
	return unlikely(isnan(value)) ? get_float8_nan() : value;
}

static inline int64
float4_key(float value)
{
	int32		bits;

	if (unlikely(isnan(value)))
		value = get_float4_nan();
	memcpy(&bits, &value, sizeof(bits));
	return bits ^ ((bits >> 31) & PG_INT32_MAX);
}

static inline float
float4_of_key(int64 key)
{
	int32		bits = (int32) key;
	float		value;

	bits ^= (bits >> 31) & PG_INT32_MAX;
	memcpy(&value, &bits, sizeof(value));
	return unlikely(isnan(value)) ? get_float4_nan() : value;
}

#endif							/* GPURED_ORDER_KEY_H */

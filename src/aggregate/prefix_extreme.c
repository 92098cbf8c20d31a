/*
 * prefix_extreme.c
 *	  gpu_prefix_min and gpu_prefix_max (x [, exclusive] ORDER BY ...) of
 *	  integers and floats: an array with the extreme of the values up to each
 *	  row.
 *
 * One pass over the values in the session: a comparison a value.  They are
 * compared by key, as gpu_min and gpu_max do (minmax.c), so that every element
 * equals theirs, to the last bit.  NULL is kept as the value that every other
 * one surpasses: for a minimum of floats, NaN.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "miscadmin.h"

#include "aggregate/order_key.h"
#include "aggregate/prefix.h"

/* One aggregate; "flip" inverts the keys for a minimum. */
#define DEFINE_PREFIX_EXTREME(name, type, ctype, GETARG, element, to_key, of_key, flip, null_value) \
static ArrayType * \
type##_fill_##name(const GpuredPrefixKind *kind, GpuredPrefixWalk *walk, \
				   ArrayType *array, Size used) \
{ \
	ctype	   *out = (ctype *) ((char *) array + used); \
	int64		extreme = PG_INT64_MIN; \
	const char *run; \
	int64		n; \
\
	while ((n = gpured_prefix_run(walk, &run)) > 0) \
	{ \
		const ctype *in = (const ctype *) run; \
\
		CHECK_FOR_INTERRUPTS(); \
		for (int64 i = 0; i < n; i++) \
		{ \
			int64		key = to_key(in[i]) ^ flip; \
\
			extreme = Max(extreme, key); \
			*out++ = of_key(extreme ^ flip); \
		} \
	} \
	return array; \
} \
\
static const GpuredPrefixKind type##_##name##_kind = { \
	"gpu_prefix_" #name, "gpu_" #name, sizeof(ctype), element, sizeof(ctype), \
	type##_fill_##name, GPURED_none \
}; \
GPURED_DEFINE_PREFIX(type##_prefix_##name, type##_##name##_kind, ctype, GETARG, null_value)

#define DEFINE_BOTH(type, ctype, GETARG, element, to_key, of_key, greatest, least) \
DEFINE_PREFIX_EXTREME(min, type, ctype, GETARG, element, to_key, of_key, INT64CONST(-1), greatest) \
DEFINE_PREFIX_EXTREME(max, type, ctype, GETARG, element, to_key, of_key, INT64CONST(0), least)

DEFINE_BOTH(int2, int16, PG_GETARG_INT16, INT2OID, (int64), (int16), PG_INT16_MAX, PG_INT16_MIN)
DEFINE_BOTH(int4, int32, PG_GETARG_INT32, INT4OID, (int64), (int32), PG_INT32_MAX, PG_INT32_MIN)
DEFINE_BOTH(int8, int64, PG_GETARG_INT64, INT8OID, (int64), (int64), PG_INT64_MAX, PG_INT64_MIN)
DEFINE_BOTH(float4, float, PG_GETARG_FLOAT4, FLOAT4OID, float4_key, float4_of_key,
			get_float4_nan(), -get_float4_infinity())
DEFINE_BOTH(float8, double, PG_GETARG_FLOAT8, FLOAT8OID, float8_key, float8_of_key,
			get_float8_nan(), -get_float8_infinity())

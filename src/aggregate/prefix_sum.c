/*
 * prefix_sum.c
 *	  gpu_prefix_sum(x [, exclusive] ORDER BY ...) of integers and floats: an
 *	  array with the sum of the values up to each row.
 *
 * The values are scanned chunk by chunk, with a carry, on the best device there
 * is.  Every element equals gpu_sum of the values up to it, to the last bit.
 * NULL is kept as the identity of addition, which for floats is -0.
 */
#include "postgres.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "utils/float.h"
#include "utils/memutils.h"

#include "aggregate/prefix.h"

/*
 * An infinite sum is right from the first infinite value on.  Before it, a
 * finite sum was out of range.
 */
#define CHECK_OVERFLOW(ctype, in, out, n, infinite_seen) \
	do { \
		for (int64 i_ = 0; i_ < (n) && !(infinite_seen); i_++) \
		{ \
			if (likely(!isinf(((const ctype *) (out))[i_]))) \
				continue; \
			if (!isinf(((const ctype *) (in))[i_])) \
				float_overflow_error(); \
			(infinite_seen) = true; \
		} \
	} while (0)

/* Scan into an array whose elements have a fixed size. */
static ArrayType *
scan_fixed(const GpuredPrefixKind *kind, GpuredPrefixWalk *walk,
		   ArrayType *array, Size used)
{
	char	   *out = (char *) array + used;
	GpuredAcc	carry;
	const char *in;
	int64		n;
	bool		infinite_seen = false;

	gpured_acc_init(kind->op, &carry);
	while ((n = gpured_prefix_run(walk, &in)) > 0)
	{
		CHECK_FOR_INTERRUPTS();
		gpured_device_scan(kind->op, walk->offload, in, n, &carry, out);
		if (kind->element == FLOAT8OID)
			CHECK_OVERFLOW(double, in, out, n, infinite_seen);
		else if (kind->element == FLOAT4OID)
			CHECK_OVERFLOW(float, in, out, n, infinite_seen);
		out += n * kind->element_size;
	}
	return array;
}

/* Scan into an array of numerics, which grows to its size. */
static ArrayType *
scan_numeric(const GpuredPrefixKind *kind, GpuredPrefixWalk *walk,
			 ArrayType *array, Size used)
{
	Size		room = VARSIZE(array);
	GpuredInt128 *sums = palloc(sizeof(GpuredInt128) *
								Min(walk->left, (int64) GPURED_PREFIX_CHUNK));
	GpuredAcc	carry;
	const char *in;
	int64		n;

	gpured_acc_init(kind->op, &carry);
	while ((n = gpured_prefix_run(walk, &in)) > 0)
	{
		Size		most = used + (n + walk->left) * GPURED_NUMERIC_INT128_MAX_SIZE;

		CHECK_FOR_INTERRUPTS();
		gpured_device_scan(kind->op, walk->offload, in, n, &carry, sums);
		for (int64 i = 0; i < n; i++)
		{
			/* Zeros: what aligns an element is stored with the array. */
			char		element[GPURED_NUMERIC_INT128_MAX_SIZE] pg_attribute_aligned(MAXIMUM_ALIGNOF) = {0};
			Size		size = INTALIGN(gpured_int128_write_numeric(gpured_int128_of(sums[i]),
																	element));

			if (unlikely(used + size > room))
			{
				/* Rows to come take at least kind->element_size bytes each. */
				Size		needed = used + size +
					(n - i - 1 + walk->left) * kind->element_size;

				if (needed > MaxAllocSize)
					gpured_prefix_too_large(kind, needed);
				room = Min(Max(needed, room * 2), Min(most, (Size) MaxAllocSize));
				array = repalloc(array, room);
			}
			memcpy((char *) array + used, element, size);
			used += size;
		}
	}
	pfree(sums);
	SET_VARSIZE(array, used);
	return array;
}

#define DEFINE_PREFIX_SUM(type, ctype, GETARG, identity, element, element_size, fill) \
static const GpuredPrefixKind type##_kind = { \
	"gpu_prefix_sum", "gpu_sum", sizeof(ctype), element, element_size, fill, \
	GPURED_scan_sum_##type \
}; \
GPURED_DEFINE_PREFIX(type##_prefix_sum, type##_kind, ctype, GETARG, identity)

DEFINE_PREFIX_SUM(int2, int16, PG_GETARG_INT16, 0, INT8OID, sizeof(int64), scan_fixed)
DEFINE_PREFIX_SUM(int4, int32, PG_GETARG_INT32, 0, INT8OID, sizeof(int64), scan_fixed)
DEFINE_PREFIX_SUM(int8, int64, PG_GETARG_INT64, 0, NUMERICOID, 8, scan_numeric)
DEFINE_PREFIX_SUM(float4, float, PG_GETARG_FLOAT4, -0.0f, FLOAT4OID, sizeof(float), scan_fixed)
DEFINE_PREFIX_SUM(float8, double, PG_GETARG_FLOAT8, -0.0, FLOAT8OID, sizeof(double), scan_fixed)

/*
 * prefix_sum.c
 *	  gpu_prefix_sum(x [, exclusive] ORDER BY ...): an array with the sum of the
 *	  values up to each row.
 *
 * The state keeps the values as they come, in a list of chunks; the final
 * function scans them chunk by chunk, with a carry, on the best device there is.
 * Every element equals gpu_sum of the values up to it, to the last bit.
 *
 * NULL adds nothing to a sum, so it is kept as the identity of addition, which
 * for floats is -0.  Only a prefix of nothing but NULLs differs, being NULL
 * itself: those come first, and are counted.
 */
#include "postgres.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/float.h"
#include "utils/memutils.h"

#include "aggregate/prefix_sum.h"

#define FIRST_CHUNK_VALUES 16
#define LAST_CHUNK_VALUES (128 * 1024)

/* What differs from type to type. */
typedef struct PrefixKind
{
	GpuredOp	op;
	Oid			element;		/* type of the array's elements */
	int			element_size;	/* their size, for numeric the least */
} PrefixKind;

typedef struct PrefixChunk
{
	struct PrefixChunk *next;
	int64		n;				/* values it has room for */
	char		values[FLEXIBLE_ARRAY_MEMBER];
} PrefixChunk;

typedef struct PrefixState
{
	const PrefixKind *kind;
	MemoryContext context;
	bool		exclusive;
	bool		seen;			/* some value was not NULL */
	int64		leading_nulls;
	int64		room;			/* values that all chunks have room for */
	char	   *next;			/* where the next value goes */
	char	   *end;
	PrefixChunk *first;
	PrefixChunk *last;
} PrefixState;

static const PrefixKind int2_kind = {GPURED_scan_sum_int2, INT8OID, sizeof(int64)};
static const PrefixKind int4_kind = {GPURED_scan_sum_int4, INT8OID, sizeof(int64)};
static const PrefixKind int8_kind = {GPURED_scan_sum_int8, NUMERICOID, 8};
static const PrefixKind float4_kind = {GPURED_scan_sum_float4, FLOAT4OID, sizeof(float)};
static const PrefixKind float8_kind = {GPURED_scan_sum_float8, FLOAT8OID, sizeof(double)};

PG_FUNCTION_INFO_V1(gpured_prefix_sum_final);

/* How many elements an array of this kind can have. */
static int64
max_elements(const PrefixKind *kind)
{
	int64		max = (MaxAllocSize - ARR_OVERHEAD_NONULLS(1)) / kind->element_size;

	return Min(max, (int64) MaxArraySize);
}

void
gpured_prefix_too_many(const char *type, int64 limit)
{
	ereport(ERROR,
			(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
			 errmsg("prefix sum has too many elements"),
			 errdetail("An array of %s can have %lld elements here, and there are more rows.",
					   type, (long long) limit),
			 errhint("Use gpu_sum as a window function, or group the rows.")));
}

static void
too_many_bytes(Size needed)
{
	ereport(ERROR,
			(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
			 errmsg("prefix sum is too large"),
			 errdetail("An array can have %zu bytes, and this one needs at least %zu.",
					   (Size) MaxAllocSize, needed),
			 errhint("Use gpu_sum as a window function, or group the rows.")));
}

static int
value_size(const PrefixState *state)
{
	return gpured_op_info[state->kind->op].input_size;
}

/* Add a chunk, twice as large as the one before. */
static pg_noinline void
grow(PrefixState *state)
{
	int64		n = FIRST_CHUNK_VALUES;
	PrefixChunk *chunk;

	if (state->last != NULL)
		n = Min(state->last->n * 2, LAST_CHUNK_VALUES);
	n = Min(n, max_elements(state->kind) - state->room);
	if (n <= 0)
		gpured_prefix_too_many(format_type_be(state->kind->element),
							   max_elements(state->kind));

	chunk = MemoryContextAlloc(state->context,
							   offsetof(PrefixChunk, values) + n * value_size(state));
	chunk->next = NULL;
	chunk->n = n;
	if (state->last != NULL)
		state->last->next = chunk;
	else
		state->first = chunk;
	state->last = chunk;
	state->room += n;
	state->next = chunk->values;
	state->end = chunk->values + n * value_size(state);
}

MemoryContext
gpured_prefix_context(FunctionCallInfo fcinfo)
{
	if (AggCheckCallContext(fcinfo, NULL) == AGG_CONTEXT_WINDOW)
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("gpu_prefix_sum cannot be used as a window function"),
				 errdetail("It would build an array for each row."),
				 errhint("Write gpu_sum(x) OVER (ORDER BY ...) instead.")));
	return gpured_aggregate_context(fcinfo);
}

static pg_noinline PrefixState *
make_state(FunctionCallInfo fcinfo, const PrefixKind *kind)
{
	MemoryContext context = gpured_prefix_context(fcinfo);
	PrefixState *state = MemoryContextAllocZero(context, sizeof(PrefixState));

	state->kind = kind;
	state->context = context;
	grow(state);
	return state;
}

static pg_attribute_always_inline PrefixState *
get_state(FunctionCallInfo fcinfo, const PrefixKind *kind)
{
	if (unlikely(PG_ARGISNULL(0)))
		return make_state(fcinfo, kind);
	return (PrefixState *) PG_GETARG_POINTER(0);
}

/*
 * The flag is an argument of each row, but one array is either inclusive or
 * exclusive.
 */
bool
gpured_prefix_flag(FunctionCallInfo fcinfo)
{
	if (PG_ARGISNULL(2))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("argument \"exclusive\" of gpu_prefix_sum must not be null")));
	return PG_GETARG_BOOL(2);
}

void
gpured_prefix_flag_varies(void)
{
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("argument \"exclusive\" of gpu_prefix_sum must be the same for all rows")));
}

static PrefixState *
get_state_with_flag(FunctionCallInfo fcinfo, const PrefixKind *kind)
{
	bool		exclusive = gpured_prefix_flag(fcinfo);
	PrefixState *state = get_state(fcinfo, kind);

	if (PG_ARGISNULL(0))
		state->exclusive = exclusive;
	else if (state->exclusive != exclusive)
		gpured_prefix_flag_varies();
	return state;
}

/* Transition functions of one type. */
#define DEFINE_PREFIX_SUM(type, ctype, GETARG, identity) \
PG_FUNCTION_INFO_V1(gpured_##type##_prefix_sum); \
PG_FUNCTION_INFO_V1(gpured_##type##_prefix_sum_exclusive); \
\
static pg_attribute_always_inline Datum \
type##_step(FunctionCallInfo fcinfo, PrefixState *state) \
{ \
	ctype		value = identity; \
\
	if (!PG_ARGISNULL(1)) \
	{ \
		value = GETARG(1); \
		state->seen = true; \
	} \
	else if (!state->seen) \
		state->leading_nulls++; \
\
	if (unlikely(state->next == state->end)) \
		grow(state); \
	*(ctype *) state->next = value; \
	state->next += sizeof(ctype); \
	PG_RETURN_POINTER(state); \
} \
\
Datum \
gpured_##type##_prefix_sum(PG_FUNCTION_ARGS) \
{ \
	return type##_step(fcinfo, get_state(fcinfo, &type##_kind)); \
} \
\
Datum \
gpured_##type##_prefix_sum_exclusive(PG_FUNCTION_ARGS) \
{ \
	return type##_step(fcinfo, get_state_with_flag(fcinfo, &type##_kind)); \
}

DEFINE_PREFIX_SUM(int2, int16, PG_GETARG_INT16, 0)
DEFINE_PREFIX_SUM(int4, int32, PG_GETARG_INT32, 0)
DEFINE_PREFIX_SUM(int8, int64, PG_GETARG_INT64, 0)
DEFINE_PREFIX_SUM(float4, float, PG_GETARG_FLOAT4, -0.0f)
DEFINE_PREFIX_SUM(float8, double, PG_GETARG_FLOAT8, -0.0)

/*
 * Walks over the values of a state, leaving out leading NULLs and, if the sums
 * are exclusive, the last row.
 */
typedef struct PrefixWalk
{
	const PrefixChunk *chunk;
	int64		skip;			/* values still to leave out */
	int64		left;			/* values still to give */
	int			size;
} PrefixWalk;

/* The next run of contiguous values; its length, or 0 at the end. */
static int64
next_run(PrefixWalk *walk, const char **values)
{
	while (walk->left > 0)
	{
		const PrefixChunk *chunk = walk->chunk;
		int64		skip = Min(walk->skip, chunk->n);
		int64		n = Min(chunk->n - skip, walk->left);

		walk->chunk = chunk->next;
		walk->skip -= skip;
		walk->left -= n;
		*values = chunk->values + skip * walk->size;
		if (n > 0)
			return n;
	}
	return 0;
}

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
static void
scan_fixed(const PrefixKind *kind, PrefixWalk *walk, char *out)
{
	GpuredAcc	carry;
	const char *in;
	int64		n;
	bool		infinite_seen = false;

	gpured_acc_init(kind->op, &carry);
	while ((n = next_run(walk, &in)) > 0)
	{
		CHECK_FOR_INTERRUPTS();
		gpured_device_scan(kind->op, in, n, &carry, out);
		if (kind->element == FLOAT8OID)
			CHECK_OVERFLOW(double, in, out, n, infinite_seen);
		else if (kind->element == FLOAT4OID)
			CHECK_OVERFLOW(float, in, out, n, infinite_seen);
		out += n * kind->element_size;
	}
}

/*
 * Scan into an array of numerics, "used" bytes of which are taken by its
 * header.  Returns the array, which has grown to its size.
 */
static ArrayType *
scan_numeric(const PrefixKind *kind, PrefixWalk *walk, ArrayType *array, Size used)
{
	Size		room = used;
	GpuredInt128 *sums = palloc(sizeof(GpuredInt128) *
								Min(walk->left, (int64) LAST_CHUNK_VALUES));
	GpuredAcc	carry;
	const char *in;
	int64		n;

	gpured_acc_init(kind->op, &carry);
	while ((n = next_run(walk, &in)) > 0)
	{
		Size		most = used + (n + walk->left) * GPURED_NUMERIC_INT128_MAX_SIZE;

		CHECK_FOR_INTERRUPTS();
		gpured_device_scan(kind->op, in, n, &carry, sums);
		for (int64 i = 0; i < n; i++)
		{
			char		element[GPURED_NUMERIC_INT128_MAX_SIZE] pg_attribute_aligned(MAXIMUM_ALIGNOF);
			Size		size = INTALIGN(gpured_int128_write_numeric(gpured_int128_of(sums[i]),
																	element));

			if (unlikely(used + size > room))
			{
				/* Rows to come take at least kind->element_size bytes each. */
				Size		needed = used + size +
					(n - i - 1 + walk->left) * kind->element_size;

				if (needed > MaxAllocSize)
					too_many_bytes(needed);
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

/* The null bitmap: the first "nulls" of n elements are NULL. */
static void
fill_bitmap(bits8 *bitmap, int64 nulls, int64 n)
{
	memset(bitmap, 0, (n + 7) / 8);
	for (int64 i = nulls; i < n; i++)
		bitmap[i / 8] |= 1 << (i % 8);
}

/* The state knows its type: one final function serves all. */
Datum
gpured_prefix_sum_final(PG_FUNCTION_ARGS)
{
	PrefixState *state;
	const PrefixKind *kind;
	PrefixWalk	walk;
	int64		n;
	int64		nulls;
	Size		header;
	Size		size;
	ArrayType  *array;

	gpured_aggregate_context(fcinfo);
	if (PG_ARGISNULL(0))
		PG_RETURN_NULL();
	state = (PrefixState *) PG_GETARG_POINTER(0);
	kind = state->kind;

	n = state->room - (state->end - state->next) / value_size(state);
	nulls = Min(state->leading_nulls + (state->exclusive ? 1 : 0), n);
	walk.chunk = state->first;
	walk.skip = state->leading_nulls;
	walk.left = n - nulls;
	walk.size = value_size(state);

	header = nulls > 0 ? ARR_OVERHEAD_WITHNULLS(1, n) : ARR_OVERHEAD_NONULLS(1);
	size = header + walk.left * kind->element_size;
	if (size > MaxAllocSize)
		too_many_bytes(size);

	array = palloc(kind->element == NUMERICOID ? header : size);
	SET_VARSIZE(array, size);
	array->ndim = 1;
	array->dataoffset = nulls > 0 ? header : 0;
	array->elemtype = kind->element;
	ARR_DIMS(array)[0] = n;
	ARR_LBOUND(array)[0] = 1;
	memset((char *) array + ARR_OVERHEAD_NONULLS(1), 0, header - ARR_OVERHEAD_NONULLS(1));
	if (nulls > 0)
		fill_bitmap(ARR_NULLBITMAP(array), nulls, n);

	if (kind->element == NUMERICOID)
		array = scan_numeric(kind, &walk, array, header);
	else
		scan_fixed(kind, &walk, (char *) array + header);
	PG_RETURN_ARRAYTYPE_P(array);
}

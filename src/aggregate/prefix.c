/*
 * prefix.c
 *	  The state of prefix aggregates and the array that they return.
 *
 * The state keeps the values as they come, in a list of chunks; the final
 * function goes over them and writes an element a value.
 */
#include "postgres.h"

#include "utils/builtins.h"
#include "utils/memutils.h"

#include "aggregate/prefix.h"

#define FIRST_CHUNK_VALUES 16

struct GpuredPrefixChunk
{
	struct GpuredPrefixChunk *next;
	int64		n;				/* values it has room for */
	char		values[FLEXIBLE_ARRAY_MEMBER];
};

PG_FUNCTION_INFO_V1(gpured_prefix_final);

/* How many elements an array of this kind can have. */
static int64
max_elements(const GpuredPrefixKind *kind)
{
	int64		max = (MaxAllocSize - ARR_OVERHEAD_NONULLS(1)) / kind->element_size;

	return Min(max, (int64) MaxArraySize);
}

/* What a message calls it: "prefix sum". */
static const char *
noun(const GpuredPrefixKind *kind)
{
	return psprintf("prefix %s", strrchr(kind->function, '_') + 1);
}

void
gpured_prefix_too_many(const GpuredPrefixKind *kind, int64 limit)
{
	ereport(ERROR,
			(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
			 errmsg("%s has too many elements", noun(kind)),
			 errdetail("An array of %s can have %lld elements here, and there are more rows.",
					   format_type_be(kind->element), (long long) limit),
			 errhint("Use %s as a window function, or group the rows.", kind->window)));
}

void
gpured_prefix_too_large(const GpuredPrefixKind *kind, Size needed)
{
	ereport(ERROR,
			(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
			 errmsg("%s is too large", noun(kind)),
			 errdetail("An array can have %zu bytes, and this one needs at least %zu.",
					   (Size) MaxAllocSize, needed),
			 errhint("Use %s as a window function, or group the rows.", kind->window)));
}

/* Add a chunk, twice as large as the one before. */
pg_noinline void
gpured_prefix_grow(GpuredPrefixState *state)
{
	int			size = state->kind->value_size;
	int64		n = FIRST_CHUNK_VALUES;
	GpuredPrefixChunk *chunk;

	if (state->last != NULL)
		n = Min(state->last->n * 2, GPURED_PREFIX_CHUNK);
	n = Min(n, max_elements(state->kind) - state->room);
	if (n <= 0)
		gpured_prefix_too_many(state->kind, max_elements(state->kind));

	chunk = MemoryContextAlloc(state->context,
							   offsetof(GpuredPrefixChunk, values) + n * size);
	chunk->next = NULL;
	chunk->n = n;
	if (state->last != NULL)
		state->last->next = chunk;
	else
		state->first = chunk;
	state->last = chunk;
	state->room += n;
	state->next = chunk->values;
	state->end = chunk->values + n * size;
}

MemoryContext
gpured_prefix_context(FunctionCallInfo fcinfo, const GpuredPrefixKind *kind)
{
	if (AggCheckCallContext(fcinfo, NULL) == AGG_CONTEXT_WINDOW)
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("%s cannot be used as a window function", kind->function),
				 errdetail("It would build an array for each row."),
				 errhint("Write %s(x) OVER (ORDER BY ...) instead.", kind->window)));
	return gpured_aggregate_context(fcinfo);
}

pg_noinline GpuredPrefixState *
gpured_prefix_make(FunctionCallInfo fcinfo, const GpuredPrefixKind *kind)
{
	MemoryContext context = gpured_prefix_context(fcinfo, kind);
	GpuredPrefixState *state = MemoryContextAllocZero(context, sizeof(GpuredPrefixState));

	state->kind = kind;
	state->context = context;
	state->offload = gpured_is_ungrouped(fcinfo);
	gpured_prefix_grow(state);
	return state;
}

/*
 * The flag is an argument of each row, but one array is either inclusive or
 * exclusive.
 */
bool
gpured_prefix_flag(FunctionCallInfo fcinfo, const GpuredPrefixKind *kind)
{
	if (PG_ARGISNULL(2))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("argument \"exclusive\" of %s must not be null", kind->function)));
	return PG_GETARG_BOOL(2);
}

void
gpured_prefix_flag_varies(const GpuredPrefixKind *kind)
{
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("argument \"exclusive\" of %s must be the same for all rows",
					kind->function)));
}

GpuredPrefixState *
gpured_prefix_state_with_flag(FunctionCallInfo fcinfo, const GpuredPrefixKind *kind)
{
	bool		exclusive = gpured_prefix_flag(fcinfo, kind);
	GpuredPrefixState *state = gpured_prefix_state(fcinfo, kind);

	if (PG_ARGISNULL(0))
		state->exclusive = exclusive;
	else if (state->exclusive != exclusive)
		gpured_prefix_flag_varies(kind);
	return state;
}

/* The next run of contiguous values; its length, or 0 at the end. */
int64
gpured_prefix_run(GpuredPrefixWalk *walk, const char **values)
{
	while (walk->left > 0)
	{
		const GpuredPrefixChunk *chunk = walk->chunk;
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

/* The null bitmap: the first "nulls" of n elements are NULL. */
static void
fill_bitmap(bits8 *bitmap, int64 nulls, int64 n)
{
	memset(bitmap, 0, (n + 7) / 8);
	for (int64 i = nulls; i < n; i++)
		bitmap[i / 8] |= 1 << (i % 8);
}

/* The state knows its kind: one final function serves all. */
Datum
gpured_prefix_final(PG_FUNCTION_ARGS)
{
	GpuredPrefixState *state;
	const GpuredPrefixKind *kind;
	GpuredPrefixWalk walk;
	int64		n;
	int64		nulls;
	Size		header;
	Size		size;
	ArrayType  *array;

	gpured_aggregate_context(fcinfo);
	if (PG_ARGISNULL(0))
		PG_RETURN_NULL();
	state = (GpuredPrefixState *) PG_GETARG_POINTER(0);
	kind = state->kind;

	n = state->room - (state->end - state->next) / kind->value_size;
	nulls = Min(state->leading_nulls + (state->exclusive ? 1 : 0), n);
	walk.chunk = state->first;
	walk.skip = state->leading_nulls;
	walk.left = n - nulls;
	walk.size = kind->value_size;
	walk.offload = state->offload;

	header = nulls > 0 ? ARR_OVERHEAD_WITHNULLS(1, n) : ARR_OVERHEAD_NONULLS(1);
	size = header + walk.left * kind->element_size;
	if (size > MaxAllocSize)
		gpured_prefix_too_large(kind, size);

	array = palloc(size);
	SET_VARSIZE(array, size);
	array->ndim = 1;
	array->dataoffset = nulls > 0 ? header : 0;
	array->elemtype = kind->element;
	ARR_DIMS(array)[0] = n;
	ARR_LBOUND(array)[0] = 1;
	memset((char *) array + ARR_OVERHEAD_NONULLS(1), 0, header - ARR_OVERHEAD_NONULLS(1));
	if (nulls > 0)
		fill_bitmap(ARR_NULLBITMAP(array), nulls, n);
	PG_RETURN_ARRAYTYPE_P(kind->fill(kind, &walk, array, header));
}

/*
 * prefix.h
 *	  What prefix sums, minima and maxima share: the values of a group in the
 *	  order in which they came, and the array that is made of them.
 *
 * A kind of prefix says what is done with the values.  NULL adds nothing, so it
 * is kept as a value that changes no result; only a prefix of nothing but NULLs
 * is NULL itself.  Those come first, and are counted.
 */
#ifndef GPURED_PREFIX_H
#define GPURED_PREFIX_H

#include "utils/array.h"

#include "aggregate/aggregate.h"

/* The most values in a chunk, and so in a run of gpured_prefix_run. */
#define GPURED_PREFIX_CHUNK (128 * 1024)

typedef struct GpuredPrefixKind GpuredPrefixKind;
typedef struct GpuredPrefixChunk GpuredPrefixChunk;

/*
 * Walks over the values of a state, leaving out leading NULLs and, if the array
 * is exclusive, the last row.
 */
typedef struct GpuredPrefixWalk
{
	const GpuredPrefixChunk *chunk;
	int64		skip;			/* values still to leave out */
	int64		left;			/* values still to give */
	int			size;
	bool		offload;		/* the device may have a part in it */
} GpuredPrefixWalk;

struct GpuredPrefixKind
{
	const char *function;		/* its name, for messages */
	const char *window;			/* what to use over frames */
	int			value_size;
	Oid			element;		/* type of the array's elements */
	int			element_size;	/* their size, for numeric the least */

	/*
	 * Write the elements for the values of "walk" behind the first "used"
	 * bytes of "array", which has room for elements of the least size.
	 * Returns the array, which may have moved.
	 */
	ArrayType  *(*fill) (const GpuredPrefixKind *kind, GpuredPrefixWalk *walk,
						 ArrayType *array, Size used);
	GpuredOp	op;				/* for prefix sums */
};

typedef struct GpuredPrefixState
{
	const GpuredPrefixKind *kind;
	MemoryContext context;
	bool		exclusive;
	bool		offload;		/* ungrouped: the device may have a part */
	bool		seen;			/* some value was not NULL */
	int64		leading_nulls;
	int64		room;			/* values that all chunks have room for */
	char	   *next;			/* where the next value goes */
	char	   *end;
	GpuredPrefixChunk *first;
	GpuredPrefixChunk *last;
} GpuredPrefixState;

extern GpuredPrefixState *gpured_prefix_make(FunctionCallInfo fcinfo,
											 const GpuredPrefixKind *kind);
extern GpuredPrefixState *gpured_prefix_state_with_flag(FunctionCallInfo fcinfo,
														const GpuredPrefixKind *kind);
extern void gpured_prefix_grow(GpuredPrefixState *state);
extern int64 gpured_prefix_run(GpuredPrefixWalk *walk, const char **values);

static pg_attribute_always_inline GpuredPrefixState *
gpured_prefix_state(FunctionCallInfo fcinfo, const GpuredPrefixKind *kind)
{
	if (unlikely(PG_ARGISNULL(0)))
		return gpured_prefix_make(fcinfo, kind);
	return (GpuredPrefixState *) PG_GETARG_POINTER(0);
}

/* Transition functions gpured_<name> and gpured_<name>_exclusive. */
#define GPURED_DEFINE_PREFIX(name, kind, ctype, GETARG, null_value) \
PG_FUNCTION_INFO_V1(gpured_##name); \
PG_FUNCTION_INFO_V1(gpured_##name##_exclusive); \
\
static pg_attribute_always_inline Datum \
name##_step(FunctionCallInfo fcinfo, GpuredPrefixState *state) \
{ \
	ctype		value = null_value; \
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
		gpured_prefix_grow(state); \
	*(ctype *) state->next = value; \
	state->next += sizeof(ctype); \
	PG_RETURN_POINTER(state); \
} \
\
Datum \
gpured_##name(PG_FUNCTION_ARGS) \
{ \
	return name##_step(fcinfo, gpured_prefix_state(fcinfo, &kind)); \
} \
\
Datum \
gpured_##name##_exclusive(PG_FUNCTION_ARGS) \
{ \
	return name##_step(fcinfo, gpured_prefix_state_with_flag(fcinfo, &kind)); \
}

/* The aggregate's memory context; ERROR as a window function. */
extern MemoryContext gpured_prefix_context(FunctionCallInfo fcinfo,
										   const GpuredPrefixKind *kind);

/* The value of argument 2, "exclusive"; ERROR if it is NULL. */
extern bool gpured_prefix_flag(FunctionCallInfo fcinfo, const GpuredPrefixKind *kind);
extern void gpured_prefix_flag_varies(const GpuredPrefixKind *kind) __attribute__((noreturn));

extern void gpured_prefix_too_many(const GpuredPrefixKind *kind, int64 limit) __attribute__((noreturn));
extern void gpured_prefix_too_large(const GpuredPrefixKind *kind, Size needed) __attribute__((noreturn));

#endif							/* GPURED_PREFIX_H */

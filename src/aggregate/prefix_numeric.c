/*
 * prefix_numeric.c
 *	  gpu_prefix_sum, gpu_prefix_min and gpu_prefix_max of numeric.
 *
 * Numerics have no fixed width, so there is no device batch of them: the result
 * is carried on at each row.  A sum is PostgreSQL's own addition, which keeps the
 * largest display scale so far as sum(numeric) does.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "utils/builtins.h"
#include "utils/memutils.h"
#include "utils/numeric.h"

#include "aggregate/prefix.h"

PG_FUNCTION_INFO_V1(gpured_numeric_prefix_sum);
PG_FUNCTION_INFO_V1(gpured_numeric_prefix_sum_exclusive);
PG_FUNCTION_INFO_V1(gpured_numeric_prefix_min);
PG_FUNCTION_INFO_V1(gpured_numeric_prefix_min_exclusive);
PG_FUNCTION_INFO_V1(gpured_numeric_prefix_max);
PG_FUNCTION_INFO_V1(gpured_numeric_prefix_max_exclusive);
PG_FUNCTION_INFO_V1(gpured_numeric_prefix_build);

/* accumArrayResult doubles its array of Datums: beyond this it cannot. */
#define MAX_ROWS (MaxAllocSize / sizeof(Datum) / 2)

typedef struct NumericPrefixKind
{
	GpuredPrefixKind base;		/* for messages */
	Numeric		(*fold) (Numeric before, Numeric value);	/* may return either */
} NumericPrefixKind;

typedef struct NumericPrefixState
{
	const NumericPrefixKind *kind;
	MemoryContext context;
	bool		exclusive;
	Numeric		result;			/* NULL before the first value */
	int64		n;
	ArrayBuildState *elements;
} NumericPrefixState;

static Numeric
add(Numeric before, Numeric value)
{
	return DatumGetNumeric(DirectFunctionCall2(numeric_add, NumericGetDatum(before),
											   NumericGetDatum(value)));
}

static const NumericPrefixKind sum_kind = {
	.base.function = "gpu_prefix_sum",
	.base.window = "gpu_sum",
	.base.element = NUMERICOID,
	.fold = add
};
static const NumericPrefixKind min_kind = {
	.base.function = "gpu_prefix_min",
	.base.window = "gpu_min",
	.base.element = NUMERICOID,
	.fold = gpured_numeric_least
};
static const NumericPrefixKind max_kind = {
	.base.function = "gpu_prefix_max",
	.base.window = "gpu_max",
	.base.element = NUMERICOID,
	.fold = gpured_numeric_greatest
};

static void
append_result(NumericPrefixState *state)
{
	if (state->n++ >= (int64) MAX_ROWS)
		gpured_prefix_too_many(&state->kind->base, MAX_ROWS);
	state->elements = accumArrayResult(state->elements, NumericGetDatum(state->result),
									   state->result == NULL, NUMERICOID, state->context);
}

static void
take_value(NumericPrefixState *state, Numeric value)
{
	MemoryContext old = MemoryContextSwitchTo(state->context);
	Numeric		before = state->result;
	Numeric		after = before == NULL ? value : state->kind->fold(before, value);

	if (after == value)
		after = DatumGetNumericCopy(NumericGetDatum(value));
	state->result = after;
	if (before != NULL && before != after)
		pfree(before);
	MemoryContextSwitchTo(old);
}

static Datum
step(FunctionCallInfo fcinfo, const NumericPrefixKind *kind, bool exclusive)
{
	NumericPrefixState *state;

	if (PG_ARGISNULL(0))
	{
		MemoryContext context = gpured_prefix_context(fcinfo, &kind->base);

		state = MemoryContextAllocZero(context, sizeof(NumericPrefixState));
		state->kind = kind;
		state->context = context;
		state->exclusive = exclusive;

		/*
		 * No context of its own for each group's elements: a hash aggregate
		 * would walk through all of them at each new group, and the final
		 * function would delete it, though it may be called again.
		 */
		state->elements = initArrayResult(NUMERICOID, context, false);
	}
	else
		state = (NumericPrefixState *) PG_GETARG_POINTER(0);
	if (state->exclusive != exclusive)
		gpured_prefix_flag_varies(&kind->base);

	if (exclusive)
		append_result(state);
	if (!PG_ARGISNULL(1))
		take_value(state, PG_GETARG_NUMERIC(1));
	if (!exclusive)
		append_result(state);
	PG_RETURN_POINTER(state);
}

static Datum
step_with_flag(FunctionCallInfo fcinfo, const NumericPrefixKind *kind)
{
	return step(fcinfo, kind, gpured_prefix_flag(fcinfo, &kind->base));
}

Datum
gpured_numeric_prefix_sum(PG_FUNCTION_ARGS)
{
	return step(fcinfo, &sum_kind, false);
}

Datum
gpured_numeric_prefix_sum_exclusive(PG_FUNCTION_ARGS)
{
	return step_with_flag(fcinfo, &sum_kind);
}

Datum
gpured_numeric_prefix_min(PG_FUNCTION_ARGS)
{
	return step(fcinfo, &min_kind, false);
}

Datum
gpured_numeric_prefix_min_exclusive(PG_FUNCTION_ARGS)
{
	return step_with_flag(fcinfo, &min_kind);
}

Datum
gpured_numeric_prefix_max(PG_FUNCTION_ARGS)
{
	return step(fcinfo, &max_kind, false);
}

Datum
gpured_numeric_prefix_max_exclusive(PG_FUNCTION_ARGS)
{
	return step_with_flag(fcinfo, &max_kind);
}

Datum
gpured_numeric_prefix_build(PG_FUNCTION_ARGS)
{
	NumericPrefixState *state;

	gpured_aggregate_context(fcinfo);
	if (PG_ARGISNULL(0))
		PG_RETURN_NULL();
	state = (NumericPrefixState *) PG_GETARG_POINTER(0);
	PG_RETURN_DATUM(makeArrayResult(state->elements, CurrentMemoryContext));
}

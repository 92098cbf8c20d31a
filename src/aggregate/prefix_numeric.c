/*
 * prefix_numeric.c
 *	  gpu_prefix_sum(numeric [, exclusive] ORDER BY ...).
 *
 * Numerics have no fixed width, so there is no device batch of them: the sum is
 * carried on at each row with PostgreSQL's own addition, which keeps the largest
 * display scale so far as sum(numeric) does.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/memutils.h"
#include "utils/numeric.h"

#include "aggregate/prefix_sum.h"

PG_FUNCTION_INFO_V1(gpured_numeric_prefix_sum);
PG_FUNCTION_INFO_V1(gpured_numeric_prefix_sum_exclusive);
PG_FUNCTION_INFO_V1(gpured_numeric_prefix_sum_build);

/* accumArrayResult doubles its array of Datums: beyond this it cannot. */
#define MAX_ROWS (MaxAllocSize / sizeof(Datum) / 2)

typedef struct NumericPrefixState
{
	MemoryContext context;
	bool		exclusive;
	Numeric		sum;			/* NULL before the first value */
	int64		n;
	ArrayBuildState *elements;
} NumericPrefixState;

static void
append_sum(NumericPrefixState *state)
{
	if (state->n++ >= (int64) MAX_ROWS)
		gpured_prefix_too_many("numeric", MAX_ROWS);
	state->elements = accumArrayResult(state->elements, NumericGetDatum(state->sum),
									   state->sum == NULL, NUMERICOID, state->context);
}

static void
add_value(NumericPrefixState *state, Numeric value)
{
	MemoryContext old = MemoryContextSwitchTo(state->context);
	Numeric		before = state->sum;

	if (before == NULL)
		state->sum = DatumGetNumericCopy(NumericGetDatum(value));
	else
	{
		state->sum = numeric_add_opt_error(before, value, NULL);
		pfree(before);
	}
	MemoryContextSwitchTo(old);
}

static Datum
step(FunctionCallInfo fcinfo, bool exclusive)
{
	NumericPrefixState *state;

	if (PG_ARGISNULL(0))
	{
		MemoryContext context = gpured_prefix_context(fcinfo);

		state = MemoryContextAllocZero(context, sizeof(NumericPrefixState));
		state->context = context;
		state->exclusive = exclusive;
	}
	else
		state = (NumericPrefixState *) PG_GETARG_POINTER(0);
	if (state->exclusive != exclusive)
		gpured_prefix_flag_varies();

	if (exclusive)
		append_sum(state);
	if (!PG_ARGISNULL(1))
		add_value(state, PG_GETARG_NUMERIC(1));
	if (!exclusive)
		append_sum(state);
	PG_RETURN_POINTER(state);
}

Datum
gpured_numeric_prefix_sum(PG_FUNCTION_ARGS)
{
	return step(fcinfo, false);
}

Datum
gpured_numeric_prefix_sum_exclusive(PG_FUNCTION_ARGS)
{
	return step(fcinfo, gpured_prefix_flag(fcinfo));
}

Datum
gpured_numeric_prefix_sum_build(PG_FUNCTION_ARGS)
{
	NumericPrefixState *state;

	gpured_aggregate_context(fcinfo);
	if (PG_ARGISNULL(0))
		PG_RETURN_NULL();
	state = (NumericPrefixState *) PG_GETARG_POINTER(0);
	PG_RETURN_DATUM(makeArrayResult(state->elements, CurrentMemoryContext));
}

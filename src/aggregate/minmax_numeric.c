/*
 * minmax_numeric.c
 *	  gpu_min(numeric) and gpu_max(numeric).
 *
 * Equal numerics may print differently, 1.0 and 1.00.  The built-in returns
 * whichever came last; here the answer is the one with the largest display
 * scale, whatever the order of the rows.
 */
#include "postgres.h"

#include "utils/builtins.h"
#include "utils/numeric.h"

#include "aggregate/aggregate.h"

PG_FUNCTION_INFO_V1(gpured_numeric_larger);
PG_FUNCTION_INFO_V1(gpured_numeric_smaller);

static int
compare(Numeric a, Numeric b)
{
	return DatumGetInt32(DirectFunctionCall2(numeric_cmp,
											 NumericGetDatum(a), NumericGetDatum(b)));
}

/* Of two equal values the one that prints more digits. */
static Numeric
longer(Numeric a, Numeric b)
{
	if (numeric_is_nan(a) || numeric_is_inf(a))
		return a;
	if (DatumGetInt32(DirectFunctionCall1(numeric_scale, NumericGetDatum(a))) >=
		DatumGetInt32(DirectFunctionCall1(numeric_scale, NumericGetDatum(b))))
		return a;
	return b;
}

Numeric
gpured_numeric_greatest(Numeric a, Numeric b)
{
	int			order = compare(a, b);

	return order > 0 ? a : order < 0 ? b : longer(a, b);
}

Numeric
gpured_numeric_least(Numeric a, Numeric b)
{
	int			order = compare(a, b);

	return order < 0 ? a : order > 0 ? b : longer(a, b);
}

Datum
gpured_numeric_larger(PG_FUNCTION_ARGS)
{
	PG_RETURN_NUMERIC(gpured_numeric_greatest(PG_GETARG_NUMERIC(0), PG_GETARG_NUMERIC(1)));
}

Datum
gpured_numeric_smaller(PG_FUNCTION_ARGS)
{
	PG_RETURN_NUMERIC(gpured_numeric_least(PG_GETARG_NUMERIC(0), PG_GETARG_NUMERIC(1)));
}

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
#include "aggregate/numeric_layout.h"
#include "compat.h"

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

/*
 * Which of the arguments is the answer, if both are short: they are compared as
 * they are in the tuple.  0 if they are not, and need PostgreSQL's own comparison.
 */
static inline Datum
pick_short(Datum a, Datum b, int sign)
{
	struct varlena *state = PG_DETOAST_DATUM_PACKED(a);
	struct varlena *value = PG_DETOAST_DATUM_PACKED(b);
	int128		x;
	int128		y;
	int			x_scale;
	int			y_scale;

	if (!gpured_read_short(state, &x, &x_scale) || !gpured_read_short(value, &y, &y_scale))
		return (Datum) 0;
	if (x == y)
		return PointerGetDatum(y_scale > x_scale ? value : state);
	return PointerGetDatum((x > y) == (sign > 0) ? state : value);
}

Datum
gpured_numeric_larger(PG_FUNCTION_ARGS)
{
	Datum		result = pick_short(PG_GETARG_DATUM(0), PG_GETARG_DATUM(1), 1);

	if (likely(result != (Datum) 0))
		return result;
	PG_RETURN_NUMERIC(gpured_numeric_greatest(PG_GETARG_NUMERIC(0), PG_GETARG_NUMERIC(1)));
}

Datum
gpured_numeric_smaller(PG_FUNCTION_ARGS)
{
	Datum		result = pick_short(PG_GETARG_DATUM(0), PG_GETARG_DATUM(1), -1);

	if (likely(result != (Datum) 0))
		return result;
	PG_RETURN_NUMERIC(gpured_numeric_least(PG_GETARG_NUMERIC(0), PG_GETARG_NUMERIC(1)));
}

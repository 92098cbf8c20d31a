/*
 * moments_final.c
 *	  Final functions of the variances, deviations, covariances and regressions.
 *
 * Each result is a ratio of polynomials of exact sums, or the square root of one,
 * in integers, rounded once.  With n rows and
 *
 *		Cxx = n Sxx - Sx^2		Cyy = n Syy - Sy^2		Cxy = n Sxy - Sx Sy
 *
 * the variance is Cxx / n^2, the slope Cxy / Cxx, and so on.  Whether a denominator
 * is zero is decided on the exact values.
 *
 * A result that uses a sum with NaN or an infinity among its inputs is NaN; an
 * average is what the sum is.
 */
#include "postgres.h"

#include <math.h>

#include "utils/float.h"

#include "aggregate/moments.h"
#include "exact/round.h"

#define SPECIAL (GPURED_EXACT_NAN | GPURED_EXACT_PINF | GPURED_EXACT_NINF)

PG_FUNCTION_INFO_V1(gpured_var_pop);
PG_FUNCTION_INFO_V1(gpured_var_samp);
PG_FUNCTION_INFO_V1(gpured_stddev_pop);
PG_FUNCTION_INFO_V1(gpured_stddev_samp);
PG_FUNCTION_INFO_V1(gpured_corr);
PG_FUNCTION_INFO_V1(gpured_covar_pop);
PG_FUNCTION_INFO_V1(gpured_covar_samp);
PG_FUNCTION_INFO_V1(gpured_regr_avgx);
PG_FUNCTION_INFO_V1(gpured_regr_avgy);
PG_FUNCTION_INFO_V1(gpured_regr_sxx);
PG_FUNCTION_INFO_V1(gpured_regr_syy);
PG_FUNCTION_INFO_V1(gpured_regr_sxy);
PG_FUNCTION_INFO_V1(gpured_regr_slope);
PG_FUNCTION_INFO_V1(gpured_regr_intercept);
PG_FUNCTION_INFO_V1(gpured_regr_r2);
PG_FUNCTION_INFO_V1(gpured_dot);

typedef struct View
{
	const GpuredMoments *sums;
	int64		n;
	uint32		x;				/* GPURED_EXACT_* of x, or of the products */
	uint32		y;
} View;

/* Fill *v from the state; false if it has fewer rows than the result needs. */
static bool
look(FunctionCallInfo fcinfo, int64 rows, View *v)
{
	Datum		state = PG_GETARG_DATUM(0);
	uint32		flags;

	gpured_aggregate_context(fcinfo);
	if (PG_ARGISNULL(0))
		return false;
	if (GPURED_IS_TAGGED(state))
	{
		v->sums = GPURED_MOVING_MOMENTS(state)->sums;
		v->n = GPURED_MOVING_MOMENTS(state)->n;
		flags = gpured_moving_moments_flags(GPURED_MOVING_MOMENTS(state));
	}
	else
	{
		v->sums = gpured_moments_resolve(state);
		v->n = gpured_moments_rows(v->sums);
		flags = v->sums->flags;
	}
	v->x = flags & ((1 << GPURED_MOMENTS_FLAGS_Y) - 1);
	v->y = flags >> GPURED_MOMENTS_FLAGS_Y;
	return v->n >= rows;
}

/* n Sab - Sa Sb, which one row leaves at 0 */
static void
centered(const View *v, GpuredMomentsSum a, GpuredMomentsSum b, GpuredMomentsSum ab, GpuredBig *r)
{
	if (v->n == 1)
		gpured_big_set(r, 0);
	else
		gpured_moments_centered(v->sums, v->n, a, b, ab, r);
}

static void
centered_xx(const View *v, GpuredBig *r)
{
	centered(v, GPURED_SUM_X, GPURED_SUM_X, GPURED_SUM_XX, r);
}

static void
centered_yy(const View *v, GpuredBig *r)
{
	centered(v, GPURED_SUM_Y, GPURED_SUM_Y, GPURED_SUM_YY, r);
}

static void
centered_xy(const View *v, GpuredBig *r)
{
	centered(v, GPURED_SUM_X, GPURED_SUM_Y, GPURED_SUM_XY, r);
}

static int
unit(const View *v, int variable)
{
	return gpured_moments_unit(v->sums, variable);
}

static Datum
checked(double result)
{
	if (unlikely(isinf(result)))
		float_overflow_error();
	PG_RETURN_FLOAT8(result);
}

/* r = n times n, or n times n - 1 */
static void
pairs_of_rows(int64 n, bool sample, GpuredBig *r)
{
	uint128		pairs = (uint128) n * (uint128) (sample ? n - 1 : n);

	gpured_big_set(r, (uint64) pairs);
	r->digit[1] = (uint64) (pairs >> 64);
	if (r->digit[1] != 0)
		r->n = 2;
}

/* The variance, or its root, of all values or of a sample. */
static Datum
variance(FunctionCallInfo fcinfo, bool sample, bool root)
{
	View		v;
	GpuredBig	num;
	GpuredBig	den;

	if (!look(fcinfo, sample ? 2 : 1, &v))
		PG_RETURN_NULL();
	if (v.x & SPECIAL)
		PG_RETURN_FLOAT8(get_float8_nan());
	if (v.n == 1)
		PG_RETURN_FLOAT8(0.0);
	centered_xx(&v, &num);
	pairs_of_rows(v.n, sample, &den);
	if (root)
		return checked(gpured_big_root(&num, &den, 2 * unit(&v, 0)));
	return checked(gpured_big_ratio(&num, &den, 2 * unit(&v, 0)));
}

Datum
gpured_var_pop(PG_FUNCTION_ARGS)
{
	return variance(fcinfo, false, false);
}

Datum
gpured_var_samp(PG_FUNCTION_ARGS)
{
	return variance(fcinfo, true, false);
}

Datum
gpured_stddev_pop(PG_FUNCTION_ARGS)
{
	return variance(fcinfo, false, true);
}

Datum
gpured_stddev_samp(PG_FUNCTION_ARGS)
{
	return variance(fcinfo, true, true);
}

static Datum
covariance(FunctionCallInfo fcinfo, bool sample)
{
	View		v;
	GpuredBig	num;
	GpuredBig	den;

	if (!look(fcinfo, sample ? 2 : 1, &v))
		PG_RETURN_NULL();
	if ((v.x | v.y) & SPECIAL)
		PG_RETURN_FLOAT8(get_float8_nan());
	centered_xy(&v, &num);
	pairs_of_rows(v.n, sample, &den);
	return checked(gpured_big_ratio(&num, &den, unit(&v, 0) + unit(&v, 1)));
}

Datum
gpured_covar_pop(PG_FUNCTION_ARGS)
{
	return covariance(fcinfo, false);
}

Datum
gpured_covar_samp(PG_FUNCTION_ARGS)
{
	return covariance(fcinfo, true);
}

static Datum
average(FunctionCallInfo fcinfo, GpuredMomentsSum sum, int variable)
{
	View		v;
	GpuredBig	num;
	GpuredBig	den;
	double		special;

	if (!look(fcinfo, 1, &v))
		PG_RETURN_NULL();
	if (gpured_special_sum(variable == 0 ? v.x : v.y, &special))
		PG_RETURN_FLOAT8(special);
	gpured_moments_get(v.sums, sum, &num);
	gpured_big_set(&den, (uint64) v.n);
	PG_RETURN_FLOAT8(gpured_big_ratio(&num, &den, unit(&v, variable)));
}

Datum
gpured_regr_avgx(PG_FUNCTION_ARGS)
{
	return average(fcinfo, GPURED_SUM_X, 0);
}

Datum
gpured_regr_avgy(PG_FUNCTION_ARGS)
{
	return average(fcinfo, GPURED_SUM_Y, 1);
}

/* The sum of the squares of the distances from the average, or of their products. */
static Datum
sum_of_squares(FunctionCallInfo fcinfo, int a, int b)
{
	View		v;
	GpuredBig	num;
	GpuredBig	den;

	if (!look(fcinfo, 1, &v))
		PG_RETURN_NULL();
	if (((a == 0 ? v.x : v.y) | (b == 0 ? v.x : v.y)) & SPECIAL)
		PG_RETURN_FLOAT8(get_float8_nan());
	if (a != b)
		centered_xy(&v, &num);
	else if (a == 0)
		centered_xx(&v, &num);
	else
		centered_yy(&v, &num);
	gpured_big_set(&den, (uint64) v.n);
	return checked(gpured_big_ratio(&num, &den, unit(&v, a) + unit(&v, b)));
}

Datum
gpured_regr_sxx(PG_FUNCTION_ARGS)
{
	return sum_of_squares(fcinfo, 0, 0);
}

Datum
gpured_regr_syy(PG_FUNCTION_ARGS)
{
	return sum_of_squares(fcinfo, 1, 1);
}

Datum
gpured_regr_sxy(PG_FUNCTION_ARGS)
{
	return sum_of_squares(fcinfo, 0, 1);
}

Datum
gpured_regr_slope(PG_FUNCTION_ARGS)
{
	View		v;
	GpuredBig	num;
	GpuredBig	den;

	if (!look(fcinfo, 1, &v))
		PG_RETURN_NULL();
	if (v.x & SPECIAL)
		PG_RETURN_FLOAT8(get_float8_nan());
	centered_xx(&v, &den);
	if (den.n == 0)
		PG_RETURN_NULL();
	if (v.y & SPECIAL)
		PG_RETURN_FLOAT8(get_float8_nan());
	centered_xy(&v, &num);
	return checked(gpured_big_ratio(&num, &den, unit(&v, 1) - unit(&v, 0)));
}

/* (Sy Sxx - Sx Sxy) / Cxx */
Datum
gpured_regr_intercept(PG_FUNCTION_ARGS)
{
	View		v;
	GpuredBig	num;
	GpuredBig	den;
	GpuredBig	a;
	GpuredBig	b;
	GpuredBig	c;

	if (!look(fcinfo, 1, &v))
		PG_RETURN_NULL();
	if (v.x & SPECIAL)
		PG_RETURN_FLOAT8(get_float8_nan());
	centered_xx(&v, &den);
	if (den.n == 0)
		PG_RETURN_NULL();
	if (v.y & SPECIAL)
		PG_RETURN_FLOAT8(get_float8_nan());
	gpured_moments_get(v.sums, GPURED_SUM_Y, &a);
	gpured_moments_get(v.sums, GPURED_SUM_XX, &b);
	gpured_big_mul(&num, &a, &b);
	gpured_moments_get(v.sums, GPURED_SUM_X, &a);
	gpured_moments_get(v.sums, GPURED_SUM_XY, &b);
	gpured_big_mul(&c, &a, &b);
	gpured_big_sub(&num, &num, &c);
	return checked(gpured_big_ratio(&num, &den, unit(&v, 1)));
}

/*
 * Cxy^2 / (Cxx Cyy), which is at most 1 by Cauchy and Schwarz; its sign in
 * *negative.
 */
static void
determination(const View *v, const GpuredBig *cxx, const GpuredBig *cyy,
			  GpuredBig *num, GpuredBig *den, bool *negative)
{
	GpuredBig	cxy;

	centered_xy(v, &cxy);
	*negative = cxy.negative;
	gpured_big_mul(num, &cxy, &cxy);
	gpured_big_mul(den, cxx, cyy);
}

/*
 * NULL for vertical and horizontal lines, also where the other variable is not
 * finite.
 */
Datum
gpured_corr(PG_FUNCTION_ARGS)
{
	View		v;
	GpuredBig	cxx;
	GpuredBig	cyy;
	GpuredBig	num;
	GpuredBig	den;
	double		result;
	bool		negative;

	if (!look(fcinfo, 1, &v))
		PG_RETURN_NULL();
	if (!(v.x & SPECIAL))
	{
		centered_xx(&v, &cxx);
		if (cxx.n == 0)
			PG_RETURN_NULL();
	}
	if (!(v.y & SPECIAL))
	{
		centered_yy(&v, &cyy);
		if (cyy.n == 0)
			PG_RETURN_NULL();
	}
	if ((v.x | v.y) & SPECIAL)
		PG_RETURN_FLOAT8(get_float8_nan());
	determination(&v, &cxx, &cyy, &num, &den, &negative);

	/* a state that was tampered with may give more than 1 */
	result = Min(gpured_big_root(&num, &den, 0), 1.0);
	PG_RETURN_FLOAT8(negative ? -result : result);
}

/* NULL for vertical lines, 1 for horizontal ones, as the standard has it. */
Datum
gpured_regr_r2(PG_FUNCTION_ARGS)
{
	View		v;
	GpuredBig	cxx;
	GpuredBig	cyy;
	GpuredBig	num;
	GpuredBig	den;
	bool		negative;

	if (!look(fcinfo, 1, &v))
		PG_RETURN_NULL();
	if (!(v.x & SPECIAL))
	{
		centered_xx(&v, &cxx);
		if (cxx.n == 0)
			PG_RETURN_NULL();
	}
	if (!(v.y & SPECIAL))
	{
		centered_yy(&v, &cyy);
		if (cyy.n == 0)
			PG_RETURN_FLOAT8(1.0);
	}
	if ((v.x | v.y) & SPECIAL)
		PG_RETURN_FLOAT8(get_float8_nan());
	determination(&v, &cxx, &cyy, &num, &den, &negative);
	PG_RETURN_FLOAT8(Min(gpured_big_ratio(&num, &den, 0), 1.0));
}

/* The sum of products itself. */
Datum
gpured_dot(PG_FUNCTION_ARGS)
{
	View		v;
	GpuredBig	num;
	GpuredBig	one;
	double		special;

	if (!look(fcinfo, 1, &v))
		PG_RETURN_NULL();
	if (gpured_special_sum(v.x, &special))
		PG_RETURN_FLOAT8(special);
	if (!(v.x & GPURED_EXACT_NOT_NEGZERO))
		PG_RETURN_FLOAT8(-0.0);
	gpured_moments_get(v.sums, GPURED_SUM_XY, &num);
	gpured_big_set(&one, 1);
	return checked(gpured_big_ratio(&num, &one, unit(&v, 0) + unit(&v, 1)));
}

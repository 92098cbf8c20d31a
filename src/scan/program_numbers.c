/*
 * program_numbers.c
 *	  Functions of integers and floats in programs.
 *
 * Their semantics are PostgreSQL's: integers are checked for overflow, a float that
 * becomes infinite or zero and would raise an error is left to PostgreSQL, and a
 * float4 is rounded to one at each step.  Rows that are not live may overflow and
 * divide by what they like.
 */
#include "postgres.h"

#include <math.h>

#include "common/int.h"
#include "utils/fmgroids.h"

#include "scan/program_node.h"

/*
 * A function of two or one arguments, a row at a time, of the integers "i" or the
 * doubles "d" of its nodes.
 */
#define ROWS_FUNCTION(name, ctype, values, statement) \
static bool \
name(GpuredProgram *program, int n, const bool *live) \
{ \
	const ctype *a = program->args[0]->values; \
	const ctype *b = program->args[program->nargs - 1]->values; \
	ctype	   *result = program->values; \
	bool		bad = false; \
	(void) a; \
	(void) b; \
	for (int i = 0; i < n; i++) \
		statement; \
	return !bad; \
}

#define INT_FUNCTION(name, statement) ROWS_FUNCTION(name, int64, i, statement)
#define FLOAT_FUNCTION(name, statement) ROWS_FUNCTION(name, double, d, statement)

INT_FUNCTION(int_add, bad |= pg_add_s64_overflow(a[i], b[i], &result[i]) & live[i])
INT_FUNCTION(int_subtract, bad |= pg_sub_s64_overflow(a[i], b[i], &result[i]) & live[i])
INT_FUNCTION(int_multiply, bad |= pg_mul_s64_overflow(a[i], b[i], &result[i]) & live[i])
INT_FUNCTION(int_negate,
			 (bad |= (a[i] == PG_INT64_MIN) & live[i],
			  result[i] = (int64) -(uint64) a[i]))
INT_FUNCTION(int_absolute,
			 (bad |= (a[i] == PG_INT64_MIN) & live[i],
			  result[i] = a[i] >= 0 ? a[i] : (int64) -(uint64) a[i]))
INT_FUNCTION(int_same, result[i] = a[i])
INT_FUNCTION(int_is_not_zero, result[i] = a[i] != 0)

/* Of 32 bits, if all values have no more, division takes a fraction of the time. */
static bool
is_narrow(const int64 *values, int n)
{
	int64		different = 0;

	for (int i = 0; i < n; i++)
		different |= values[i] ^ (int64) (int32) values[i];
	return different == 0;
}

static bool
int_divide(GpuredProgram *program, int n, const bool *live)
{
	const int64 *a = program->args[0]->i;
	const int64 *b = program->args[1]->i;
	const bool	narrow = is_narrow(a, n) && is_narrow(b, n);

	for (int i = 0; i < n; i++)
	{
		if (!live[i])
			program->i[i] = 0;
		else if (b[i] == 0 || (b[i] == -1 && a[i] == PG_INT64_MIN))
			return false;
		else if (narrow && b[i] != -1)
			program->i[i] = (int32) a[i] / (int32) b[i];
		else
			program->i[i] = a[i] / b[i];
	}
	return true;
}

/* Its sign is the dividend's. */
static bool
int_modulo(GpuredProgram *program, int n, const bool *live)
{
	const int64 *a = program->args[0]->i;
	const int64 *b = program->args[1]->i;
	const bool	narrow = is_narrow(a, n) && is_narrow(b, n);

	for (int i = 0; i < n; i++)
	{
		if (!live[i] || b[i] == -1)
			program->i[i] = 0;
		else if (b[i] == 0)
			return false;
		else if (narrow)
			program->i[i] = (int32) a[i] % (int32) b[i];
		else
			program->i[i] = a[i] % b[i];
	}
	return true;
}

/* An infinite result of finite numbers is an error. */
#define OVERFLOWS (isinf(result[i]) & !isinf(a[i]) & !isinf(b[i]))

FLOAT_FUNCTION(float8_add,
			   (result[i] = a[i] + b[i],
				bad |= OVERFLOWS & live[i]))
FLOAT_FUNCTION(float8_subtract,
			   (result[i] = a[i] - b[i],
				bad |= OVERFLOWS & live[i]))
FLOAT_FUNCTION(float8_multiply,
			   (result[i] = a[i] * b[i],
				bad |= (OVERFLOWS | ((result[i] == 0) & (a[i] != 0) & (b[i] != 0))) & live[i]))

/* What is divided by zero is an error, but for NaN; nothing else is looked at then. */
FLOAT_FUNCTION(float8_divide,
			   (result[i] = a[i] / b[i],
				bad |= ((b[i] == 0) | OVERFLOWS | ((result[i] == 0) & (a[i] != 0) & !isinf(b[i]))) & live[i]))
FLOAT_FUNCTION(float4_add,
			   (result[i] = (float) a[i] + (float) b[i],
				bad |= OVERFLOWS & live[i]))
FLOAT_FUNCTION(float4_subtract,
			   (result[i] = (float) a[i] - (float) b[i],
				bad |= OVERFLOWS & live[i]))
FLOAT_FUNCTION(float4_multiply,
			   (result[i] = (float) a[i] * (float) b[i],
				bad |= (OVERFLOWS | ((result[i] == 0) & (a[i] != 0) & (b[i] != 0))) & live[i]))
FLOAT_FUNCTION(float4_divide,
			   (result[i] = (float) a[i] / (float) b[i],
				bad |= ((b[i] == 0) | OVERFLOWS | ((result[i] == 0) & (a[i] != 0) & !isinf(b[i]))) & live[i]))
FLOAT_FUNCTION(float_negate, result[i] = -a[i])
FLOAT_FUNCTION(float_absolute, result[i] = fabs(a[i]))
FLOAT_FUNCTION(float_same, result[i] = a[i])
FLOAT_FUNCTION(float_floor, result[i] = floor(a[i]))
FLOAT_FUNCTION(float_ceiling, result[i] = ceil(a[i]))
FLOAT_FUNCTION(float_truncate, result[i] = a[i] >= 0 ? floor(a[i]) : -floor(-a[i]))
FLOAT_FUNCTION(float_round, result[i] = rint(a[i]))
FLOAT_FUNCTION(float_sign, result[i] = a[i] > 0 ? 1.0 : a[i] < 0 ? -1.0 : 0.0)
FLOAT_FUNCTION(float_sqrt,
			   (bad |= (a[i] < 0) & live[i],
				result[i] = sqrt(a[i])))
FLOAT_FUNCTION(float_narrow,
			   (result[i] = (float) a[i],
				bad |= (OVERFLOWS | ((result[i] == 0) & (a[i] != 0))) & live[i]))

static bool
float8_of_int(GpuredProgram *program, int n, const bool *live)
{
	for (int i = 0; i < n; i++)
		program->d[i] = (double) program->args[0]->i[i];
	return true;
}

/* Rounded once, from the integer itself. */
static bool
float4_of_int(GpuredProgram *program, int n, const bool *live)
{
	for (int i = 0; i < n; i++)
		program->d[i] = (float) program->args[0]->i[i];
	return true;
}

/* The nearest integer, an even one between two; NaN is out of range. */
static bool
int_of_float(GpuredProgram *program, int n, const bool *live)
{
	for (int i = 0; i < n; i++)
	{
		double		value = rint(program->args[0]->d[i]);
		bool		fits = value >= (double) PG_INT64_MIN && value < -(double) PG_INT64_MIN;

		if (!fits && live[i])
			return false;
		program->i[i] = fits ? (int64) value : 0;
	}
	return true;
}

#define INT GPURED_DOMAIN_INT
#define FLOAT GPURED_DOMAIN_FLOAT

const GpuredFunction gpured_number_functions[] = {
#define ARITHMETIC(prefix, kind, domain, bytes) \
	{F_##prefix##PL, kind##_add, domain, bytes}, {F_##prefix##MI, kind##_subtract, domain, bytes}, \
	{F_##prefix##MUL, kind##_multiply, domain, bytes}, {F_##prefix##DIV, kind##_divide, domain, bytes}
	ARITHMETIC(INT2, int, INT, 2),
	ARITHMETIC(INT4, int, INT, 4),
	ARITHMETIC(INT8, int, INT, 8),
	ARITHMETIC(INT24, int, INT, 4),
	ARITHMETIC(INT42, int, INT, 4),
	ARITHMETIC(INT28, int, INT, 8),
	ARITHMETIC(INT82, int, INT, 8),
	ARITHMETIC(INT48, int, INT, 8),
	ARITHMETIC(INT84, int, INT, 8),
	ARITHMETIC(FLOAT4, float4, FLOAT, 4),
	ARITHMETIC(FLOAT8, float8, FLOAT, 8),
	ARITHMETIC(FLOAT48, float8, FLOAT, 8),
	ARITHMETIC(FLOAT84, float8, FLOAT, 8),
#undef ARITHMETIC
	{F_INT2MOD, int_modulo, INT, 2},
	{F_INT4MOD, int_modulo, INT, 4},
	{F_INT8MOD, int_modulo, INT, 8},
	{F_MOD_INT2_INT2, int_modulo, INT, 2},
	{F_MOD_INT4_INT4, int_modulo, INT, 4},
	{F_MOD_INT8_INT8, int_modulo, INT, 8},
	{F_INT2UM, int_negate, INT, 2},
	{F_INT4UM, int_negate, INT, 4},
	{F_INT8UM, int_negate, INT, 8},
	{F_INT2UP, int_same, INT, 2},
	{F_INT4UP, int_same, INT, 4},
	{F_INT8UP, int_same, INT, 8},
	{F_INT2ABS, int_absolute, INT, 2},
	{F_INT4ABS, int_absolute, INT, 4},
	{F_INT8ABS, int_absolute, INT, 8},
	{F_ABS_INT2, int_absolute, INT, 2},
	{F_ABS_INT4, int_absolute, INT, 4},
	{F_ABS_INT8, int_absolute, INT, 8},
	{F_INT2_INT4, int_same, INT, 2},
	{F_INT2_INT8, int_same, INT, 2},
	{F_INT4_INT2, int_same, INT, 4},
	{F_INT4_INT8, int_same, INT, 4},
	{F_INT8_INT2, int_same, INT, 8},
	{F_INT8_INT4, int_same, INT, 8},
	{F_BOOL_INT4, int_is_not_zero, INT, 8},
	{F_INT4_BOOL, int_same, INT, 8},
	{F_INT2_FLOAT4, int_of_float, INT, 2},
	{F_INT2_FLOAT8, int_of_float, INT, 2},
	{F_INT4_FLOAT4, int_of_float, INT, 4},
	{F_INT4_FLOAT8, int_of_float, INT, 4},
	{F_INT8_FLOAT4, int_of_float, INT, 8},
	{F_INT8_FLOAT8, int_of_float, INT, 8},
	{F_FLOAT4UM, float_negate, FLOAT, 4},
	{F_FLOAT8UM, float_negate, FLOAT, 8},
	{F_FLOAT4UP, float_same, FLOAT, 4},
	{F_FLOAT8UP, float_same, FLOAT, 8},
	{F_FLOAT4ABS, float_absolute, FLOAT, 4},
	{F_ABS_FLOAT4, float_absolute, FLOAT, 4},
	{F_FLOAT8ABS, float_absolute, FLOAT, 8},
	{F_ABS_FLOAT8, float_absolute, FLOAT, 8},
	{F_FLOOR_FLOAT8, float_floor, FLOAT, 8},
	{F_CEIL_FLOAT8, float_ceiling, FLOAT, 8},
	{F_CEILING_FLOAT8, float_ceiling, FLOAT, 8},
	{F_TRUNC_FLOAT8, float_truncate, FLOAT, 8},
	{F_DTRUNC, float_truncate, FLOAT, 8},
	{F_ROUND_FLOAT8, float_round, FLOAT, 8},
	{F_DROUND, float_round, FLOAT, 8},
	{F_SIGN_FLOAT8, float_sign, FLOAT, 8},
	{F_SQRT_FLOAT8, float_sqrt, FLOAT, 8},
	{F_DSQRT, float_sqrt, FLOAT, 8},
	{F_FLOAT8_FLOAT4, float_same, FLOAT, 8},
	{F_FLOAT4_FLOAT8, float_narrow, FLOAT, 4},
	{F_FLOAT8_INT2, float8_of_int, FLOAT, 8},
	{F_FLOAT8_INT4, float8_of_int, FLOAT, 8},
	{F_FLOAT8_INT8, float8_of_int, FLOAT, 8},
	{F_FLOAT4_INT2, float4_of_int, FLOAT, 4},
	{F_FLOAT4_INT4, float4_of_int, FLOAT, 4},
	{F_FLOAT4_INT8, float4_of_int, FLOAT, 4}
};

const int	gpured_number_nfunctions = lengthof(gpured_number_functions);

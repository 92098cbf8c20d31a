/*
 * program_numeric.c
 *	  Numeric values in programs.
 *
 * A value is a 64-bit integer and its display scale, the number of its decimals.
 * Results have the display scale that PostgreSQL gives them, so that they print
 * alike.  What does not fit, NaN and infinities are left to PostgreSQL.
 */
#include "postgres.h"

#include "common/int.h"
#include "catalog/pg_type.h"
#include "nodes/nodeFuncs.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/numeric.h"

#include "aggregate/numeric_layout.h"
#include "scan/program_node.h"

#define MAX_DECIMALS 18

static const int64 power[MAX_DECIMALS + 1] = {
	1, 10, 100, 1000, 10000, 100000, 1000000, 10000000, 100000000, 1000000000,
	INT64CONST(10000000000), INT64CONST(100000000000), INT64CONST(1000000000000),
	INT64CONST(10000000000000), INT64CONST(100000000000000), INT64CONST(1000000000000000),
	INT64CONST(10000000000000000), INT64CONST(100000000000000000),
	INT64CONST(1000000000000000000)
};

/* ---- their stored form -------------------------------------------------- */

/* Read a value; false if it is not representable. */
bool
gpured_numeric_read(const struct varlena *numeric, int64 *value, uint8 *scale)
{
	const char *data = VARDATA_ANY(numeric);
	int			ndigits = ((int) VARSIZE_ANY_EXHDR(numeric) - (int) sizeof(uint16)) / 2;
	uint16		header;
	int			shift;
	int64		magnitude = 0;

	memcpy(&header, data, sizeof(header));
	if ((header & KIND_MASK) != KIND_SHORT || ndigits > 5 || SHORT_SCALE(header) > MAX_DECIMALS)
		return false;
	*scale = SHORT_SCALE(header);
	data += sizeof(header);
	for (int i = 0; i < ndigits; i++)
	{
		uint16		digit;

		memcpy(&digit, data + i * sizeof(digit), sizeof(digit));
		if (i == 4 && (pg_mul_s64_overflow(magnitude, NBASE, &magnitude) ||
					   pg_add_s64_overflow(magnitude, digit, &magnitude)))
			return false;
		else if (i < 4)
			magnitude = magnitude * NBASE + digit;
	}

	/* The last digit's place, in decimals that are shown. */
	shift = *scale + 4 * (SHORT_WEIGHT(header) - ndigits + 1);
	if (ndigits == 0)
		shift = 0;
	switch (shift)
	{
		case 0:
			break;
		case -1:
			magnitude /= 10;
			break;
		case -2:
			magnitude /= 100;
			break;
		case -3:
			magnitude /= 1000;
			break;
		default:
			if (shift < 0 || shift > MAX_DECIMALS ||
				pg_mul_s64_overflow(magnitude, power[shift], &magnitude))
				return false;
			break;
	}
	*value = (header & SHORT_NEGATIVE) ? -magnitude : magnitude;
	return true;
}

/*
 * Write a value at "where", which is aligned for int and has room for
 * GpuredNumericSpace.  Returns its size.
 */
Size
gpured_numeric_write(int64 value, int scale, char *where)
{
	uint64		magnitude = value < 0 ? -(uint64) value : (uint64) value;
	uint16		header = KIND_SHORT | (scale << SHORT_SCALE_SHIFT) | (value < 0 ? SHORT_NEGATIVE : 0);
	uint16	   *out = (uint16 *) (where + VARHDRSZ + sizeof(header));
	uint16		digit[6];
	int			ndigits = 0;
	int			low = 0;
	Size		size;

	/* The last digit is filled with zeros. */
	if (scale % 4 != 0 && magnitude != 0)
	{
		digit[ndigits++] = (uint16) (magnitude % power[scale % 4] * power[4 - scale % 4]);
		magnitude /= power[scale % 4];
	}
	for (; magnitude != 0; magnitude /= NBASE)
		digit[ndigits++] = (uint16) (magnitude % NBASE);
	if (ndigits > 0)
		header |= (ndigits - 1 - (scale + 3) / 4) & SHORT_WEIGHT_MASK;
	while (low < ndigits && digit[low] == 0)
		low++;
	for (int i = ndigits - 1; i >= low; i--)
		*out++ = digit[i];
	memcpy(where + VARHDRSZ, &header, sizeof(header));
	size = (char *) out - where;
	SET_VARSIZE(where, size);
	return size;
}

int
gpured_numeric_compare(int64 a, int a_scale, int64 b, int b_scale)
{
	int128		x = a;
	int128		y = b;

	if (a_scale < b_scale)
		x *= power[b_scale - a_scale];
	else if (b_scale < a_scale)
		y *= power[a_scale - b_scale];
	return (x > y) - (x < y);
}

/*
 * One that is less or greater than all that can be read, as NaN, the infinities and what
 * has more than twenty digits before the point: the least or greatest integer.
 */
bool
gpured_numeric_saturate(const struct varlena *numeric, int64 *value)
{
	const char *data = VARDATA_ANY(numeric);
	Size		size = VARSIZE_ANY_EXHDR(numeric);
	uint16		header;
	int16		weight;
	bool		negative;

	memcpy(&header, data, sizeof(header));
	if ((header & KIND_MASK) == KIND_SPECIAL)
	{
		*value = (header & SPECIAL_MASK) == SPECIAL_MINUS_INFINITY ? PG_INT64_MIN : PG_INT64_MAX;
		return true;
	}
	if ((header & KIND_MASK) == KIND_SHORT)
	{
		weight = SHORT_WEIGHT(header);
		negative = (header & SHORT_NEGATIVE) != 0;
		size -= sizeof(header);
	}
	else
	{
		memcpy(&weight, data + sizeof(header), sizeof(weight));
		negative = (header & KIND_MASK) == KIND_NEGATIVE;
		size -= sizeof(header) + sizeof(weight);
	}
	/* The first digit is none of zero: it is 10^20 or more. */
	if (size == 0 || weight < 5)
		return false;
	*value = negative ? PG_INT64_MIN : PG_INT64_MAX;
	return true;
}

/* ---- arithmetic --------------------------------------------------------- */

/* Divide and round halves away from zero, as PostgreSQL does. */
static inline int64
divide_rounded(int64 value, int64 divisor)
{
	int64		rest = value % divisor;

	value /= divisor;
	if (rest >= divisor - divisor / 2)
		value++;
	else if (rest <= -(divisor - divisor / 2))
		value--;
	return value;
}

static inline int64
divide_down(int64 value, int64 divisor)
{
	int64		rest = value % divisor;

	return value / divisor - (rest < 0);
}

static inline int64
divide_up(int64 value, int64 divisor)
{
	return value / divisor + (value % divisor > 0);
}

/* A function of one or two arguments: "succeeds" computes row i, if it can. */
#define NUMERIC_FUNCTION(name, succeeds) \
static bool \
name(GpuredProgram *program, int n, const bool *live) \
{ \
	const int64 *a = program->args[0]->i; \
	const uint8 *a_scale = program->args[0]->scale; \
	const int64 *b = program->args[program->nargs - 1]->i; \
	const uint8 *b_scale = program->args[program->nargs - 1]->scale; \
	int64	   *result = program->i; \
	uint8	   *scale = program->scale; \
	(void) a_scale; \
	(void) b; \
	(void) b_scale; \
	(void) scale; \
	for (int i = 0; i < n; i++) \
	{ \
		if (live[i] && !(succeeds)) \
			return false; \
	} \
	return true; \
}

/* Both values with the decimals of the one that has more. */
static inline bool
align(int64 *a, int a_scale, int64 *b, int b_scale)
{
	if (a_scale < b_scale)
		return !pg_mul_s64_overflow(*a, power[b_scale - a_scale], a);
	if (b_scale < a_scale)
		return !pg_mul_s64_overflow(*b, power[a_scale - b_scale], b);
	return true;
}

static inline bool
add(int64 a, int a_scale, int64 b, int b_scale, int64 *result)
{
	return align(&a, a_scale, &b, b_scale) && !pg_add_s64_overflow(a, b, result);
}

static inline bool
subtract(int64 a, int a_scale, int64 b, int b_scale, int64 *result)
{
	return align(&a, a_scale, &b, b_scale) && !pg_sub_s64_overflow(a, b, result);
}

static inline bool
modulo(int64 a, int a_scale, int64 b, int b_scale, int64 *result)
{
	if (b == 0 || !align(&a, a_scale, &b, b_scale))
		return false;
	*result = b == -1 ? 0 : a % b;
	return true;
}

#define COMMON_SCALE (scale[i] = Max(a_scale[i], b_scale[i]))

NUMERIC_FUNCTION(numeric_add_rows,
				 (COMMON_SCALE, add(a[i], a_scale[i], b[i], b_scale[i], &result[i])))
NUMERIC_FUNCTION(numeric_subtract_rows,
				 (COMMON_SCALE, subtract(a[i], a_scale[i], b[i], b_scale[i], &result[i])))
NUMERIC_FUNCTION(numeric_modulo_rows,
				 (COMMON_SCALE, modulo(a[i], a_scale[i], b[i], b_scale[i], &result[i])))
NUMERIC_FUNCTION(numeric_multiply_rows,
				 (scale[i] = a_scale[i] + b_scale[i],
				  scale[i] <= MAX_DECIMALS && !pg_mul_s64_overflow(a[i], b[i], &result[i])))
NUMERIC_FUNCTION(numeric_negate_rows,
				 (scale[i] = a_scale[i], !pg_sub_s64_overflow(0, a[i], &result[i])))
NUMERIC_FUNCTION(numeric_same_rows, (scale[i] = a_scale[i], result[i] = a[i], true))
NUMERIC_FUNCTION(numeric_absolute_rows,
				 (scale[i] = a_scale[i],
				  a[i] >= 0 ? (result[i] = a[i], true) : !pg_sub_s64_overflow(0, a[i], &result[i])))
NUMERIC_FUNCTION(numeric_sign_rows,
				 (scale[i] = 0, result[i] = (a[i] > 0) - (a[i] < 0), true))
NUMERIC_FUNCTION(numeric_ceiling_rows,
				 (scale[i] = 0, result[i] = divide_up(a[i], power[a_scale[i]]), true))
NUMERIC_FUNCTION(numeric_round_rows,
				 (scale[i] = 0, result[i] = divide_rounded(a[i], power[a_scale[i]]), true))
NUMERIC_FUNCTION(numeric_truncate_rows,
				 (scale[i] = 0, result[i] = a[i] / power[a_scale[i]], true))
NUMERIC_FUNCTION(numeric_of_int, (scale[i] = 0, result[i] = a[i], true))
NUMERIC_FUNCTION(int_of_numeric, (result[i] = divide_rounded(a[i], power[a_scale[i]]), true))

/* The quotient of two exact doubles is the one nearest to the value. */
static bool
float8_of_numeric(GpuredProgram *program, int n, const bool *live)
{
	const GpuredProgram *arg = program->args[0];

	for (int i = 0; i < n; i++)
	{
		if (!live[i])
			continue;
		if (arg->i[i] > (INT64CONST(1) << 53) || arg->i[i] < -(INT64CONST(1) << 53))
			return false;
		program->d[i] = (double) arg->i[i] / (double) power[arg->scale[i]];
	}
	return true;
}

/* ---- division ----------------------------------------------------------- */

/* The first digit of base 10000 of a value, and the power of 10000 that it counts. */
static void
find_weight(int64 value, int scale, int *weight, int *first)
{
	uint64		magnitude = value < 0 ? -(uint64) value : (uint64) value;
	int			place = -1 - scale; /* of the first decimal digit */

	*weight = 0;
	*first = 0;
	if (magnitude == 0)
		return;
	for (uint64 rest = magnitude; rest != 0; rest /= 10)
		place++;
	*weight = place >= 0 ? place / 4 : -((3 - place) / 4);
	place = scale + 4 * *weight;
	*first = (int) (place >= 0 ? magnitude / power[place] : magnitude * power[-place]);
}

/*
 * The quotient with the number of decimals that PostgreSQL's select_div_scale gives
 * it.  False if it does not fit.
 */
static bool
divide(int64 a, int a_scale, int64 b, int b_scale, int128 *result, int *scale)
{
	int			a_weight;
	int			a_first;
	int			b_weight;
	int			b_first;
	int			shift;
	int128		quotient = a;
	int128		rest;

	if (b == 0)
		return false;
	find_weight(a, a_scale, &a_weight, &a_first);
	find_weight(b, b_scale, &b_weight, &b_first);
	*scale = NUMERIC_MIN_SIG_DIGITS - 4 * (a_weight - b_weight - (a_first <= b_first));
	*scale = Max(Max(*scale, a_scale), Max(b_scale, 0));

	for (shift = *scale - a_scale + b_scale; shift > 0; shift -= MAX_DECIMALS)
	{
		if (__builtin_mul_overflow(quotient, (int128) power[Min(shift, MAX_DECIMALS)], &quotient))
			return false;
	}
	rest = quotient % b;
	quotient /= b;
	if (rest != 0)
	{
		uint128		twice = 2 * (uint128) (rest < 0 ? -rest : rest);
		uint64		divisor = b < 0 ? -(uint64) b : (uint64) b;

		if (twice >= divisor)
			quotient += (rest < 0) == (b < 0) ? 1 : -1;
	}
	*result = quotient;
	return true;
}

static bool
numeric_divide_rows(GpuredProgram *program, int n, const bool *live)
{
	const GpuredProgram *a = program->args[0];
	const GpuredProgram *b = program->args[1];

	for (int i = 0; i < n; i++)
	{
		int128		quotient;
		int			scale;

		if (!live[i])
			continue;
		if (!divide(a->i[i], a->scale[i], b->i[i], b->scale[i], &quotient, &scale) ||
			scale > MAX_DECIMALS || quotient != (int64) quotient)
			return false;
		program->i[i] = (int64) quotient;
		program->scale[i] = scale;
	}
	return true;
}

/* Of one value, or of a quotient, which need not fit itself. */
static bool
numeric_floor_rows(GpuredProgram *program, int n, const bool *live)
{
	const GpuredProgram *a = program->args[0];
	const GpuredProgram *b = program->args[program->nargs - 1];

	for (int i = 0; i < n; i++)
	{
		int128		quotient;
		int128		floored;
		int128		one;
		int			scale;

		program->scale[i] = 0;
		if (!live[i])
			continue;
		if (program->nargs == 1)
		{
			program->i[i] = divide_down(a->i[i], power[a->scale[i]]);
			continue;
		}
		if (!divide(a->i[i], a->scale[i], b->i[i], b->scale[i], &quotient, &scale) ||
			scale > 2 * MAX_DECIMALS)
			return false;
		one = (int128) power[scale / 2] * power[scale - scale / 2];
		floored = quotient / one - (quotient % one < 0);
		if (floored != (int64) floored)
			return false;
		program->i[i] = (int64) floored;
	}
	return true;
}

/* The floor of a quotient is computed at once. */
static bool
accept_floor(GpuredProgram *program, List **args)
{
	OpExpr	   *inner = linitial(*args);

	if (IsA(inner, OpExpr) && get_opcode(inner->opno) == F_NUMERIC_DIV)
		*args = inner->args;
	return true;
}

/* ---- to a number of decimals -------------------------------------------- */

/* The number is constant, and not NULL. */
static bool
accept_decimals(GpuredProgram *program, List **args)
{
	const Const *decimals = gpured_constant_argument(*args, 1, INT4OID);
	int64		number;

	if (decimals == NULL)
		return false;
	number = DatumGetInt32(decimals->constvalue);
	if (number > MAX_DECIMALS || number < -MAX_DECIMALS)
		return false;
	if (program != NULL)
		program->unit = number;
	*args = list_make1(linitial(*args));
	return true;
}

/* Change a value's decimals; false if it does not fit. */
static inline bool
rescale(int64 value, int scale, int decimals, bool round, int64 *result)
{
	int			shift = scale - decimals;

	if (shift <= 0)
		return -shift <= MAX_DECIMALS && !pg_mul_s64_overflow(value, power[-shift], result);
	if (shift > MAX_DECIMALS)
		return false;
	*result = round ? divide_rounded(value, power[shift]) : value / power[shift];
	return decimals >= 0 || !pg_mul_s64_overflow(*result, power[-decimals], result);
}

NUMERIC_FUNCTION(numeric_round_to,
				 (scale[i] = Max(program->unit, 0),
				  rescale(a[i], a_scale[i], program->unit, true, &result[i])))
NUMERIC_FUNCTION(numeric_truncate_to,
				 (scale[i] = Max(program->unit, 0),
				  rescale(a[i], a_scale[i], program->unit, false, &result[i])))

/* numeric(precision, scale), of which the modifier has 16 and 11 bits. */
static bool
accept_modifier(GpuredProgram *program, List **args)
{
	const Const *modifier = gpured_constant_argument(*args, 1, INT4OID);
	int32		packed;

	if (modifier == NULL || DatumGetInt32(modifier->constvalue) < VARHDRSZ)
		return false;
	packed = DatumGetInt32(modifier->constvalue) - VARHDRSZ;
	if ((packed & 0x7FF) > MAX_DECIMALS)
		return false;
	if (program != NULL)
		program->unit = packed;
	*args = list_make1(linitial(*args));
	return true;
}

static inline bool
has_precision(int64 value, int precision)
{
	return precision > MAX_DECIMALS || (value < power[precision] && value > -power[precision]);
}

NUMERIC_FUNCTION(numeric_coerce,
				 (scale[i] = program->unit & 0x7FF,
				  rescale(a[i], a_scale[i], scale[i], true, &result[i]) &&
				  has_precision(result[i], (program->unit >> 16) & 0xFFFF)))

#define INT GPURED_DOMAIN_INT
#define NUMERIC GPURED_DOMAIN_NUMERIC

const GpuredFunction gpured_numeric_functions[] = {
	{F_NUMERIC_ADD, numeric_add_rows, NUMERIC, 8},
	{F_NUMERIC_SUB, numeric_subtract_rows, NUMERIC, 8},
	{F_NUMERIC_MUL, numeric_multiply_rows, NUMERIC, 8},
	{F_NUMERIC_DIV, numeric_divide_rows, NUMERIC, 8},
	{F_NUMERIC_MOD, numeric_modulo_rows, NUMERIC, 8},
	{F_MOD_NUMERIC_NUMERIC, numeric_modulo_rows, NUMERIC, 8},
	{F_NUMERIC_UMINUS, numeric_negate_rows, NUMERIC, 8},
	{F_NUMERIC_UPLUS, numeric_same_rows, NUMERIC, 8},
	{F_NUMERIC_ABS, numeric_absolute_rows, NUMERIC, 8},
	{F_ABS_NUMERIC, numeric_absolute_rows, NUMERIC, 8},
	{F_SIGN_NUMERIC, numeric_sign_rows, NUMERIC, 8},
	{F_FLOOR_NUMERIC, numeric_floor_rows, NUMERIC, 8, accept_floor},
	{F_CEIL_NUMERIC, numeric_ceiling_rows, NUMERIC, 8},
	{F_CEILING_NUMERIC, numeric_ceiling_rows, NUMERIC, 8},
	{F_ROUND_NUMERIC, numeric_round_rows, NUMERIC, 8},
	{F_TRUNC_NUMERIC, numeric_truncate_rows, NUMERIC, 8},
	{F_ROUND_NUMERIC_INT4, numeric_round_to, NUMERIC, 8, accept_decimals},
	{F_TRUNC_NUMERIC_INT4, numeric_truncate_to, NUMERIC, 8, accept_decimals},
	{F_NUMERIC_NUMERIC_INT4, numeric_coerce, NUMERIC, 8, accept_modifier},
	{F_NUMERIC_INT2, numeric_of_int, NUMERIC, 8},
	{F_NUMERIC_INT4, numeric_of_int, NUMERIC, 8},
	{F_NUMERIC_INT8, numeric_of_int, NUMERIC, 8},
	{F_INT2_NUMERIC, int_of_numeric, INT, 2},
	{F_INT4_NUMERIC, int_of_numeric, INT, 4},
	{F_INT8_NUMERIC, int_of_numeric, INT, 8},
	{F_FLOAT8_NUMERIC, float8_of_numeric, GPURED_DOMAIN_FLOAT, 8}
};

const int	gpured_numeric_nfunctions = lengthof(gpured_numeric_functions);

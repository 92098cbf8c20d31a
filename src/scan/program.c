/*
 * program.c
 *	  Expressions over a page of column values at once.
 *
 * A program is a tree of nodes, each of which makes an array of 64-bit integers or
 * of doubles and one of NULLs.  Nothing here raises an error.  Where PostgreSQL
 * would, or might, for a row that is not NULL, the page is left to it: it raises
 * the error, or does not because a FILTER keeps it from that row.
 *
 * Operations are known by their functions, whose semantics are those of the types
 * in C: integers are checked for overflow, and a float8 result that is not finite
 * or has become zero is left to PostgreSQL.
 */
#include "postgres.h"

#include <float.h>
#include <math.h>

#include "catalog/pg_type.h"
#include "common/int.h"
#include "datatype/timestamp.h"
#include "miscadmin.h"
#include "nodes/nodeFuncs.h"
#include "pgtime.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/timestamp.h"

#include "compat.h"
#include "scan/program.h"

#define ROWS MaxHeapTuplesPerPage

typedef enum Operation
{
	OP_COLUMN,
	OP_CONSTANT,
	OP_ADD,
	OP_SUBTRACT,
	OP_MULTIPLY,
	OP_DIVIDE,
	OP_MODULO,
	OP_NEGATE,
	OP_ABSOLUTE,
	OP_CAST,
	OP_TRUNCATE,				/* a timestamp to a multiple of "unit" */
	OP_TRUNCATE_TZ				/* the same in the session's time zone */
} Operation;

typedef enum Domain
{
	DOMAIN_INT,
	DOMAIN_FLOAT
} Domain;

struct GpuredProgram
{
	Operation	operation;
	Domain		domain;			/* of the result */
	int			bytes;			/* of an integer result, to check its range */
	int			column;
	int64		unit;
	ExprState  *state;			/* of a parameter */
	ExprContext *econtext;
	Oid			type;			/* of a constant */
	bool		evaluated;
	bool		constant_null;
	union
	{
		int64		i;
		double		d;
	}			constant;
	struct GpuredProgram *left;
	struct GpuredProgram *right;

	/* Where the time zone's offset is known: [from, until) in seconds. */
	pg_time_t	zone_from;
	pg_time_t	zone_until;
	int64		zone_offset;	/* microseconds */

	bool		null[ROWS];
	union
	{
		int64		i[ROWS];
		double		d[ROWS];
	}			value;
};

/* The functions that are known. */
static const struct
{
	Oid			function;
	Operation	operation;
	Domain		domain;
	int			bytes;
}			functions[] =

{
#define ARITHMETIC(prefix, domain, bytes) \
	{F_##prefix##PL, OP_ADD, domain, bytes}, {F_##prefix##MI, OP_SUBTRACT, domain, bytes}, \
	{F_##prefix##MUL, OP_MULTIPLY, domain, bytes}, {F_##prefix##DIV, OP_DIVIDE, domain, bytes}
	ARITHMETIC(INT2, DOMAIN_INT, 2),
	ARITHMETIC(INT4, DOMAIN_INT, 4),
	ARITHMETIC(INT8, DOMAIN_INT, 8),
	ARITHMETIC(INT24, DOMAIN_INT, 4),
	ARITHMETIC(INT42, DOMAIN_INT, 4),
	ARITHMETIC(INT28, DOMAIN_INT, 8),
	ARITHMETIC(INT82, DOMAIN_INT, 8),
	ARITHMETIC(INT48, DOMAIN_INT, 8),
	ARITHMETIC(INT84, DOMAIN_INT, 8),
	ARITHMETIC(FLOAT8, DOMAIN_FLOAT, 8),
	ARITHMETIC(FLOAT48, DOMAIN_FLOAT, 8),
	ARITHMETIC(FLOAT84, DOMAIN_FLOAT, 8),
#undef ARITHMETIC
	{F_INT2MOD, OP_MODULO, DOMAIN_INT, 2},
	{F_INT4MOD, OP_MODULO, DOMAIN_INT, 4},
	{F_INT8MOD, OP_MODULO, DOMAIN_INT, 8},
	{F_INT2UM, OP_NEGATE, DOMAIN_INT, 2},
	{F_INT4UM, OP_NEGATE, DOMAIN_INT, 4},
	{F_INT8UM, OP_NEGATE, DOMAIN_INT, 8},
	{F_FLOAT8UM, OP_NEGATE, DOMAIN_FLOAT, 8},
	{F_INT2ABS, OP_ABSOLUTE, DOMAIN_INT, 2},
	{F_INT4ABS, OP_ABSOLUTE, DOMAIN_INT, 4},
	{F_INT8ABS, OP_ABSOLUTE, DOMAIN_INT, 8},
	{F_FLOAT8ABS, OP_ABSOLUTE, DOMAIN_FLOAT, 8},
	{F_ABS_INT2, OP_ABSOLUTE, DOMAIN_INT, 2},
	{F_ABS_INT4, OP_ABSOLUTE, DOMAIN_INT, 4},
	{F_ABS_INT8, OP_ABSOLUTE, DOMAIN_INT, 8},
	{F_ABS_FLOAT8, OP_ABSOLUTE, DOMAIN_FLOAT, 8},
	{F_INT2_INT4, OP_CAST, DOMAIN_INT, 2},
	{F_INT2_INT8, OP_CAST, DOMAIN_INT, 2},
	{F_INT4_INT2, OP_CAST, DOMAIN_INT, 4},
	{F_INT4_INT8, OP_CAST, DOMAIN_INT, 4},
	{F_INT8_INT2, OP_CAST, DOMAIN_INT, 8},
	{F_INT8_INT4, OP_CAST, DOMAIN_INT, 8},
	{F_FLOAT8_INT2, OP_CAST, DOMAIN_FLOAT, 8},
	{F_FLOAT8_INT4, OP_CAST, DOMAIN_FLOAT, 8},
	{F_FLOAT8_INT8, OP_CAST, DOMAIN_FLOAT, 8},
	{F_FLOAT8_FLOAT4, OP_CAST, DOMAIN_FLOAT, 8},
	{F_DATE_TRUNC_TEXT_TIMESTAMP, OP_TRUNCATE, DOMAIN_INT, 8},
	{F_DATE_TRUNC_TEXT_TIMESTAMPTZ, OP_TRUNCATE_TZ, DOMAIN_INT, 8}
};

/* The unit of a date_trunc in microseconds; 0 if it is none of those known here. */
static int64
truncation_unit(Node *node, bool in_zone)
{
	char	   *unit;
	int64		result = 0;

	if (!IsA(node, Const) || ((Const *) node)->constisnull || ((Const *) node)->consttype != TEXTOID)
		return 0;
	unit = TextDatumGetCString(((Const *) node)->constvalue);
	if (pg_strcasecmp(unit, "second") == 0)
		result = USECS_PER_SEC;
	else if (pg_strcasecmp(unit, "minute") == 0)
		result = USECS_PER_MINUTE;
	else if (pg_strcasecmp(unit, "hour") == 0)
		result = USECS_PER_HOUR;
	else if (pg_strcasecmp(unit, "day") == 0 && !in_zone)
		result = USECS_PER_DAY;
	pfree(unit);
	return result;
}

/* The domain of a type that columns and constants may have; false for any other. */
static bool
domain_of_type(Oid type, Domain *domain)
{
	switch (type)
	{
		case INT2OID:
		case INT4OID:
		case INT8OID:
		case TIMESTAMPOID:
		case TIMESTAMPTZOID:
			*domain = DOMAIN_INT;
			return true;
		case FLOAT4OID:
		case FLOAT8OID:
			*domain = DOMAIN_FLOAT;
			return true;
		default:
			return false;
	}
}

/* The function and the arguments of a call; false for any other expression. */
static bool
call_of(Expr *expr, Oid *function, List **args)
{
	if (IsA(expr, OpExpr))
	{
		*function = get_opcode(((OpExpr *) expr)->opno);
		*args = ((OpExpr *) expr)->args;
		return true;
	}
	if (IsA(expr, FuncExpr))
	{
		*function = ((FuncExpr *) expr)->funcid;
		*args = ((FuncExpr *) expr)->args;
		return true;
	}
	return false;
}

/* The number of a function in the list, or -1. */
static int
find_function(Oid function)
{
	for (int i = 0; i < lengthof(functions); i++)
	{
		if (functions[i].function == function)
			return i;
	}
	return -1;
}

static bool
is_truncation(Operation operation)
{
	return operation == OP_TRUNCATE || operation == OP_TRUNCATE_TZ;
}

/* An argument, or the whole. */
static bool
is_possible(Expr *expr)
{
	Oid			function;
	List	   *args;
	ListCell   *lc;
	Domain		domain;
	int			i;

	check_stack_depth();
	if (IsA(expr, Var))
		return ((Var *) expr)->varattno > 0 && ((Var *) expr)->varlevelsup == 0 &&
			domain_of_type(((Var *) expr)->vartype, &domain);
	if (IsA(expr, Const) || (IsA(expr, Param) && ((Param *) expr)->paramkind == PARAM_EXTERN))
		return domain_of_type(exprType((Node *) expr), &domain);
	if (!call_of(expr, &function, &args))
		return false;
	i = find_function(function);
	if (i < 0)
		return false;
	if (is_truncation(functions[i].operation))
		return truncation_unit(linitial(args), functions[i].operation == OP_TRUNCATE_TZ) > 0 &&
			is_possible(lsecond(args));
	foreach(lc, args)
	{
		if (!is_possible(lfirst(lc)))
			return false;
	}
	return true;
}

bool
gpured_program_is_possible(Expr *expr)
{
	return (IsA(expr, OpExpr) || IsA(expr, FuncExpr)) && is_possible(expr);
}

static void
set_constant(GpuredProgram *program, Datum value, bool null)
{
	program->evaluated = true;
	program->constant_null = null;
	program->constant.i = 0;
	if (null)
		return;
	switch (program->type)
	{
		case INT2OID:
			program->constant.i = DatumGetInt16(value);
			break;
		case INT4OID:
			program->constant.i = DatumGetInt32(value);
			break;
		case FLOAT4OID:
			program->constant.d = DatumGetFloat4(value);
			break;
		case FLOAT8OID:
			program->constant.d = DatumGetFloat8(value);
			break;
		default:
			program->constant.i = DatumGetInt64(value);
			break;
	}
}

GpuredProgram *
gpured_program_create(Expr *expr, GpuredColumns *columns, ScanState *node)
{
	GpuredProgram *program = palloc0(sizeof(GpuredProgram));
	Oid			function;
	List	   *args;
	int			i;

	if (!call_of(expr, &function, &args))
	{
		program->type = exprType((Node *) expr);
		domain_of_type(program->type, &program->domain);
		program->econtext = columns->econtext;
		program->operation = OP_CONSTANT;
		if (IsA(expr, Var))
		{
			program->operation = OP_COLUMN;
			program->column = gpured_columns_add(columns, expr, -1);
		}
		else if (IsA(expr, Const))
			set_constant(program, ((Const *) expr)->constvalue, ((Const *) expr)->constisnull);
		else
			program->state = gpured_init_expr(expr, columns, node);
		return program;
	}

	i = find_function(function);
	Assert(i >= 0);
	program->operation = functions[i].operation;
	program->domain = functions[i].domain;
	program->bytes = functions[i].bytes;
	if (is_truncation(program->operation))
	{
		program->unit = truncation_unit(linitial(args), program->operation == OP_TRUNCATE_TZ);
		args = list_make1(lsecond(args));
	}
	program->left = gpured_program_create(linitial(args), columns, node);
	if (list_length(args) > 1)
		program->right = gpured_program_create(lsecond(args), columns, node);
	return program;
}

static void
load_column(GpuredProgram *program, const GpuredColumns *columns, int n)
{
	const GpuredColumn *column = &columns->column[program->column];
	int			row = columns->n;

#define LOAD(ctype, array) \
	for (int i = 0; i < n; i++) \
		program->value.array[i] = ((const ctype *) column->values)[row + i]

	memcpy(program->null, column->nulls + row, n);
	if (program->domain == DOMAIN_FLOAT && column->len == 4)
		LOAD(float4, d);
	else if (program->domain == DOMAIN_FLOAT)
		LOAD(float8, d);
	else if (column->len == 2)
		LOAD(int16, i);
	else if (column->len == 4)
		LOAD(int32, i);
	else
		LOAD(int64, i);
#undef LOAD
}

static void
fill_constant(GpuredProgram *program, int n)
{
	if (!program->evaluated)
	{
		bool		null;
		Datum		value = ExecEvalExprSwitchContext(program->state, program->econtext, &null);

		set_constant(program, value, null);
	}
	memset(program->null, program->constant_null, n);
	for (int i = 0; i < n; i++)
		program->value.i[i] = program->constant.i;
}

/* Both arguments, or the only one, have been computed. */
static bool
compute_int(GpuredProgram *program, int n)
{
	const int64 *a = program->left->value.i;
	const int64 *b = program->right != NULL ? program->right->value.i : NULL;
	int64	   *result = program->value.i;
	bool		bad = false;

	switch (program->operation)
	{
		case OP_ADD:
			for (int i = 0; i < n; i++)
				bad |= pg_add_s64_overflow(a[i], b[i], &result[i]) & !program->null[i];
			break;
		case OP_SUBTRACT:
			for (int i = 0; i < n; i++)
				bad |= pg_sub_s64_overflow(a[i], b[i], &result[i]) & !program->null[i];
			break;
		case OP_MULTIPLY:
			for (int i = 0; i < n; i++)
				bad |= pg_mul_s64_overflow(a[i], b[i], &result[i]) & !program->null[i];
			break;
		case OP_DIVIDE:
		case OP_MODULO:
			for (int i = 0; i < n; i++)
			{
				/* -1 is left to PostgreSQL: it overflows for the least value. */
				bool		unsafe = b[i] == 0 || b[i] == -1;

				bad |= unsafe & !program->null[i];
				if (unsafe)
					result[i] = 0;
				else
					result[i] = program->operation == OP_DIVIDE ? a[i] / b[i] : a[i] % b[i];
			}
			break;
		case OP_NEGATE:
		case OP_ABSOLUTE:
			for (int i = 0; i < n; i++)
			{
				bad |= (a[i] == PG_INT64_MIN) & !program->null[i];
				result[i] = program->operation == OP_ABSOLUTE && a[i] >= 0 ? a[i] : (int64) -(uint64) a[i];
			}
			break;
		default:
			memcpy(result, a, n * sizeof(int64));
			break;
	}

	/* The result's own type may be narrower. */
	if (program->bytes == 4)
	{
		for (int i = 0; i < n; i++)
			bad |= (result[i] != (int32) result[i]) & !program->null[i];
	}
	else if (program->bytes == 2)
	{
		for (int i = 0; i < n; i++)
			bad |= (result[i] != (int16) result[i]) & !program->null[i];
	}
	return !bad;
}

static bool
compute_float(GpuredProgram *program, int n)
{
	const double *a = program->left->value.d;
	const double *b = program->right != NULL ? program->right->value.d : NULL;
	double	   *result = program->value.d;
	bool		bad = false;

	switch (program->operation)
	{
		case OP_ADD:
			for (int i = 0; i < n; i++)
				result[i] = a[i] + b[i];
			break;
		case OP_SUBTRACT:
			for (int i = 0; i < n; i++)
				result[i] = a[i] - b[i];
			break;
		case OP_MULTIPLY:
			for (int i = 0; i < n; i++)
			{
				result[i] = a[i] * b[i];
				bad |= (result[i] == 0) & (a[i] != 0) & (b[i] != 0) & !program->null[i];
			}
			break;
		case OP_DIVIDE:
			for (int i = 0; i < n; i++)
			{
				result[i] = a[i] / b[i];
				bad |= (result[i] == 0) & (a[i] != 0) & !program->null[i];
			}
			break;
		case OP_NEGATE:
			for (int i = 0; i < n; i++)
				result[i] = -a[i];
			return true;
		case OP_ABSOLUTE:
			for (int i = 0; i < n; i++)
				result[i] = fabs(a[i]);
			return true;
		default:
			if (program->left->domain == DOMAIN_INT)
			{
				for (int i = 0; i < n; i++)
					result[i] = (double) program->left->value.i[i];
			}
			else
				memcpy(result, a, n * sizeof(double));
			return true;
	}

	/* An overflow, a division by zero, or what infinities and NaN make. */
	for (int i = 0; i < n; i++)
		bad |= !(fabs(result[i]) <= DBL_MAX) & !program->null[i];
	return !bad;
}

static inline int64
floor_to(int64 value, int64 unit)
{
	int64		rest = value % unit;

	return value - (rest < 0 ? rest + unit : rest);
}

/*
 * Learn the time zone's offset at a time, and for how long it lasts.  False if
 * it changes at a time that cannot be told.
 */
static bool
find_offset(GpuredProgram *program, pg_time_t time)
{
	long		before;
	long		after;
	int			before_dst;
	int			after_dst;
	pg_time_t	boundary;
	int			found = pg_next_dst_boundary(&time, &before, &before_dst, &boundary, &after,
											 &after_dst, session_timezone);

	if (found < 0)
		return false;
	program->zone_from = time;
	program->zone_until = found > 0 ? boundary : PG_INT64_MAX;
	program->zone_offset = before * USECS_PER_SEC;
	return true;
}

/*
 * Hours and less are truncated in local time, at the offset that the time itself
 * has.  Times far from ours are left to PostgreSQL, which checks their range.
 */
static bool
compute_truncation(GpuredProgram *program, int n)
{
	const int64 *a = program->left->value.i;
	const int64 limit = INT64CONST(8000000) * USECS_PER_SEC * 1000;
	int64	   *result = program->value.i;

	for (int i = 0; i < n; i++)
	{
		int64		offset = 0;

		result[i] = 0;
		if (program->null[i])
			continue;
		if (a[i] < -limit || a[i] > limit)
			return false;
		if (program->operation == OP_TRUNCATE_TZ)
		{
			pg_time_t	time = floor_to(a[i], USECS_PER_SEC) / USECS_PER_SEC +
				(POSTGRES_EPOCH_JDATE - UNIX_EPOCH_JDATE) * SECS_PER_DAY;

			if ((time < program->zone_from || time >= program->zone_until) &&
				!find_offset(program, time))
				return false;
			offset = program->zone_offset;
		}
		result[i] = floor_to(a[i] + offset, program->unit) - offset;
	}
	return true;
}

static bool
compute(GpuredProgram *program, const GpuredColumns *columns, int n)
{
	if (program->operation == OP_COLUMN)
	{
		load_column(program, columns, n);
		return true;
	}
	if (program->operation == OP_CONSTANT)
	{
		fill_constant(program, n);
		return true;
	}

	if (!compute(program->left, columns, n) ||
		(program->right != NULL && !compute(program->right, columns, n)))
		return false;
	memcpy(program->null, program->left->null, n);
	for (int i = 0; program->right != NULL && i < n; i++)
		program->null[i] |= program->right->null[i];
	if (is_truncation(program->operation))
		return compute_truncation(program, n);
	return program->domain == DOMAIN_INT ? compute_int(program, n) : compute_float(program, n);
}

bool
gpured_program_run(GpuredProgram *program, GpuredColumns *columns, int n, GpuredColumn *result)
{
	int			row = columns->n;
	bool		has_nulls = false;

	if (!compute(program, columns, n))
		return false;
	for (int i = 0; i < n; i++)
		has_nulls |= program->null[i];
	memcpy(result->nulls + row, program->null, n);
	result->has_nulls |= has_nulls;

#define STORE(ctype, array) \
	for (int i = 0; i < n; i++) \
		((ctype *) result->values)[row + i] = (ctype) program->value.array[i]

	if (program->domain == DOMAIN_FLOAT)
		STORE(float8, d);
	else if (result->len == 2)
		STORE(int16, i);
	else if (result->len == 4)
		STORE(int32, i);
	else
		STORE(int64, i);
#undef STORE
	for (int i = 0; has_nulls && i < n; i++)
	{
		/* As after any other extraction, a NULL's value is zero. */
		if (program->null[i])
			memset(result->values + (Size) (row + i) * result->len, 0, result->len);
	}
	return true;
}

/*
 * filter.c
 *	  Quals over a page of column values at once.
 *
 * A qual is a tree of nodes, each of which makes two arrays: where it is true
 * and where it is NULL.  Loops are short and have no branches, so that the
 * compiler vectorizes them.
 *
 * Only comparisons of columns are here, which cannot fail; what is computed is a
 * program's.  A node may be computed for rows at which PostgreSQL would not have
 * arrived: nobody can tell.
 */
#include "postgres.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "nodes/nodeFuncs.h"
#include "nodes/primnodes.h"
#include "optimizer/optimizer.h"
#include "utils/array.h"
#include "utils/lsyscache.h"

#include "compat.h"
#include "scan/comparison.h"
#include "scan/filter.h"

#define ROWS MaxHeapTuplesPerPage

typedef enum NodeKind
{
	NODE_COMPARE,				/* column and constant */
	NODE_COMPARE_COLUMNS,
	NODE_IN,					/* column and constants: = ANY, or <> ALL */
	NODE_BOOL,					/* a column of type bool */
	NODE_IS_NULL,
	NODE_IS_NOT_NULL,
	NODE_AND,
	NODE_OR,
	NODE_NOT,
	NODE_CONSTANT				/* true, false or NULL */
} NodeKind;

/* A constant in the form in which a column of its class is compared. */
typedef union Value
{
	int64		i;
	double		d;
} Value;

typedef struct GpuredFilter
{
	NodeKind	kind;
	Comparison	comparison;
	ValueClass	value_class;
	int			column;
	int			other;			/* second column */
	bool		all;			/* NODE_IN: <> ALL */
	Oid			type;			/* of the constant */
	ExprState  *state;			/* of the constant, or NULL if it is known */
	ExprContext *econtext;
	bool		evaluated;
	bool		null;			/* the constant, or one of a list, is NULL */
	Value		value;
	int			nvalues;
	Value	   *values;
	int			nargs;
	struct GpuredFilter **args;
	bool		is_true[ROWS];	/* neither false nor NULL */
	bool		is_null[ROWS];
} Filter;

/* Whether a function is one of those that are compared here. */
static bool
find_comparison(Oid function, Comparison *comparison, ValueClass *value_class)
{
	return gpured_find_comparison(function, comparison, value_class) &&
		*value_class <= CLASS_FLOAT;
}

/* The comparison with its sides exchanged. */
static Comparison
commuted(Comparison comparison)
{
	static const Comparison result[] = {GT, GE, EQ, LE, LT, NE};

	return result[comparison];
}

static bool
is_column(Node *node)
{
	return node != NULL && IsA(node, Var) && ((Var *) node)->varattno > 0 &&
		((Var *) node)->varlevelsup == 0;
}

/*
 * What has one value in a scan.  At the top of a qual it is computed when the
 * first row arrives there, as PostgreSQL would; below AND, OR and NOT it must not
 * fail, since no row need have arrived.  Even to fetch a parameter may: PL/pgSQL's
 * may be the field of a record that has none yet.
 */
static bool
is_constant(Node *node, bool top)
{
	if (node == NULL)
		return false;
	return IsA(node, Const) || (top && !contain_var_clause(node));
}

static bool
comparison_is_possible(OpExpr *op, bool top)
{
	Comparison	comparison;
	ValueClass	value_class;
	Node	   *left;
	Node	   *right;

	if (list_length(op->args) != 2 ||
		!find_comparison(get_opcode(op->opno), &comparison, &value_class))
		return false;
	left = linitial(op->args);
	right = lsecond(op->args);
	return (is_column(left) && (is_column(right) || is_constant(right, top))) ||
		(is_constant(left, top) && is_column(right));
}

/* Longer lists are searched by a program. */
static bool
list_is_possible(ScalarArrayOpExpr *op)
{
	Comparison	comparison;
	ValueClass	value_class;
	Const	   *list = lsecond(op->args);

	if (!find_comparison(get_opcode(op->opno), &comparison, &value_class) ||
		comparison != (op->useOr ? EQ : NE) || !is_column(linitial(op->args)) || !IsA(list, Const))
		return false;
	return list->constisnull ||
		ArrayGetNItems(ARR_NDIM(DatumGetArrayTypeP(list->constvalue)),
					   ARR_DIMS(DatumGetArrayTypeP(list->constvalue))) <= GPURED_SHORT_LIST;
}

static bool
is_possible(Expr *qual, bool top)
{
	ListCell   *lc;

	check_stack_depth();
	switch (nodeTag(qual))
	{
		case T_OpExpr:
			return comparison_is_possible((OpExpr *) qual, top);
		case T_ScalarArrayOpExpr:
			return list_is_possible((ScalarArrayOpExpr *) qual);
		case T_NullTest:
			return !((NullTest *) qual)->argisrow && is_column((Node *) ((NullTest *) qual)->arg);
		case T_Var:
			return is_column((Node *) qual) && ((Var *) qual)->vartype == BOOLOID;
		case T_Const:
			return ((Const *) qual)->consttype == BOOLOID;
		case T_BoolExpr:
			foreach(lc, ((BoolExpr *) qual)->args)
			{
				if (!is_possible(lfirst(lc), false))
					return false;
			}
			return true;
		default:
			return false;
	}
}

bool
gpured_filter_is_possible(Expr *qual)
{
	return is_possible(qual, true);
}

static Value
value_of_datum(Datum datum, Oid type, ValueClass value_class)
{
	Value		value;

	if (value_class == CLASS_OID)
	{
		value.i = DatumGetObjectId(datum);
		return value;
	}
	switch (type)
	{
		case INT2OID:
			value.i = DatumGetInt16(datum);
			break;
		case INT4OID:
		case DATEOID:
			value.i = DatumGetInt32(datum);
			break;
		case BOOLOID:
			value.i = DatumGetBool(datum);
			break;
		case FLOAT4OID:
			value.d = DatumGetFloat4(datum);
			break;
		case FLOAT8OID:
			value.d = DatumGetFloat8(datum);
			break;
		default:
			value.i = DatumGetInt64(datum);
			break;
	}
	return value;
}

static void
set_constant(Filter *filter, Node *node, GpuredColumns *columns, ScanState *state)
{
	filter->type = exprType(node);
	filter->econtext = columns->econtext;
	if (IsA(node, Const))
	{
		filter->evaluated = true;
		filter->null = ((Const *) node)->constisnull;
		if (!filter->null)
			filter->value = value_of_datum(((Const *) node)->constvalue, filter->type,
										   filter->value_class);
		return;
	}
	filter->state = gpured_init_expr((Expr *) node, columns, state);
}

static void
create_comparison(Filter *filter, OpExpr *op, GpuredColumns *columns, ScanState *node)
{
	Node	   *left = linitial(op->args);
	Node	   *right = lsecond(op->args);

	find_comparison(get_opcode(op->opno), &filter->comparison, &filter->value_class);
	if (is_column(left) && is_column(right))
	{
		filter->kind = NODE_COMPARE_COLUMNS;
		filter->column = gpured_columns_add_used(columns, (Expr *) left, true);
		filter->other = gpured_columns_add_used(columns, (Expr *) right, true);
		return;
	}
	if (!is_column(left))
	{
		filter->comparison = commuted(filter->comparison);
		left = right;
		right = linitial(op->args);
	}
	filter->kind = NODE_COMPARE;
	filter->column = gpured_columns_add_used(columns, (Expr *) left, true);
	set_constant(filter, right, columns, node);
}

static void
create_list(Filter *filter, ScalarArrayOpExpr *op, GpuredColumns *columns)
{
	Const	   *list = lsecond(op->args);
	ArrayType  *array;
	Oid			type;
	int16		len;
	bool		byval;
	char		align;
	Datum	   *elems;
	bool	   *nulls;
	int			n;

	find_comparison(get_opcode(op->opno), &filter->comparison, &filter->value_class);
	filter->kind = NODE_IN;
	filter->all = !op->useOr;
	filter->column = gpured_columns_add_used(columns, linitial(op->args), true);
	if (list->constisnull)
	{
		filter->kind = NODE_CONSTANT;
		filter->null = true;
		return;
	}
	array = DatumGetArrayTypeP(list->constvalue);
	type = ARR_ELEMTYPE(array);
	get_typlenbyvalalign(type, &len, &byval, &align);
	deconstruct_array(array, type, len, byval, align, &elems, &nulls, &n);
	filter->values = palloc(Max(n, 1) * sizeof(Value));
	for (int i = 0; i < n; i++)
	{
		if (nulls[i])
			filter->null = true;
		else
			filter->values[filter->nvalues++] = value_of_datum(elems[i], type,
															   filter->value_class);
	}

	/* A test of nothing has an answer even for NULL. */
	if (n == 0)
	{
		filter->kind = NODE_CONSTANT;
		filter->value.i = filter->all;
	}
}

GpuredFilter *
gpured_filter_create(Expr *qual, GpuredColumns *columns, ScanState *node)
{
	Filter	   *filter = palloc0(sizeof(Filter));
	List	   *args = NIL;
	ListCell   *lc;

	switch (nodeTag(qual))
	{
		case T_OpExpr:
			create_comparison(filter, (OpExpr *) qual, columns, node);
			break;
		case T_ScalarArrayOpExpr:
			create_list(filter, (ScalarArrayOpExpr *) qual, columns);
			break;
		case T_NullTest:
			filter->kind = ((NullTest *) qual)->nulltesttype == IS_NULL ?
				NODE_IS_NULL : NODE_IS_NOT_NULL;
			filter->column = gpured_columns_add_used(columns, ((NullTest *) qual)->arg, true);
			break;
		case T_Var:
			filter->kind = NODE_BOOL;
			filter->column = gpured_columns_add_used(columns, qual, true);
			break;
		case T_Const:
			filter->kind = NODE_CONSTANT;
			filter->null = ((Const *) qual)->constisnull;
			filter->value.i = !filter->null && DatumGetBool(((Const *) qual)->constvalue);
			break;
		case T_BoolExpr:
			args = ((BoolExpr *) qual)->args;
			filter->kind = ((BoolExpr *) qual)->boolop == AND_EXPR ? NODE_AND :
				((BoolExpr *) qual)->boolop == OR_EXPR ? NODE_OR : NODE_NOT;
			break;
		default:
			elog(ERROR, "unexpected qual of a column scan: %d", (int) nodeTag(qual));
	}
	filter->args = palloc(Max(list_length(args), 1) * sizeof(Filter *));
	foreach(lc, args)
		filter->args[filter->nargs++] = gpured_filter_create(lfirst(lc), columns, node);
	return filter;
}

void
gpured_filter_reset(GpuredFilter *filter)
{
	if (filter->state != NULL)
		filter->evaluated = false;
	for (int i = 0; i < filter->nargs; i++)
		gpured_filter_reset(filter->args[i]);
}

static void
evaluate_constant(Filter *filter)
{
	Datum		datum = ExecEvalExprSwitchContext(filter->state, filter->econtext, &filter->null);

	if (!filter->null)
		filter->value = value_of_datum(datum, filter->type, filter->value_class);
	filter->evaluated = true;
}

#define INT_LT(a, b) ((a) < (b))
#define INT_EQ(a, b) ((a) == (b))

/* All six comparisons by two of them. */
#define COMPARE_ROWS(comparison, LESS, EQUAL, a, b) \
	switch (comparison) \
	{ \
		case LT: \
			for (int i = 0; i < n; i++) result[i] = LESS(a, b); \
			break; \
		case LE: \
			for (int i = 0; i < n; i++) result[i] = !LESS(b, a); \
			break; \
		case EQ: \
			for (int i = 0; i < n; i++) result[i] = EQUAL(a, b); \
			break; \
		case GE: \
			for (int i = 0; i < n; i++) result[i] = !LESS(a, b); \
			break; \
		case GT: \
			for (int i = 0; i < n; i++) result[i] = LESS(b, a); \
			break; \
		case NE: \
			for (int i = 0; i < n; i++) result[i] = !EQUAL(a, b); \
			break; \
	}

/*
 * Integers of any width and a constant.  A constant beyond the type's range is
 * compared in 64 bits, as all of them are.
 */
#define COMPARE_INT(ctype) \
	do { \
		const ctype *x = (const ctype *) column->values + row; \
		COMPARE_ROWS(filter->comparison, INT_LT, INT_EQ, ((int64) x[i]), value) \
	} while (0)

static void
compare_ints(Filter *filter, const GpuredColumn *column, int row, int n, int64 value)
{
	bool	   *result = filter->is_true;

	if (filter->value_class == CLASS_OID)
		COMPARE_INT(Oid);
	else if (filter->value_class == CLASS_BOOL)
		COMPARE_INT(bool);
	else if (column->len == 2)
		COMPARE_INT(int16);
	else if (column->len == 4)
		COMPARE_INT(int32);
	else
		COMPARE_INT(int64);
}

/*
 * Floats and a constant that is a number, as C compares them.  NaN on the column's
 * side is greater, and so neither less nor equal.
 */
#define COMPARE_NUMBER(ctype) \
	do { \
		const ctype *x = (const ctype *) column->values + row; \
		switch (filter->comparison) \
		{ \
			case LE: \
				for (int i = 0; i < n; i++) result[i] = (double) x[i] <= value; \
				break; \
			case GT: \
				for (int i = 0; i < n; i++) result[i] = !((double) x[i] <= value); \
				break; \
			default: \
				COMPARE_ROWS(filter->comparison, INT_LT, INT_EQ, ((double) x[i]), value) \
				break; \
		} \
	} while (0)

#define COMPARE_NAN(ctype) \
	do { \
		const ctype *x = (const ctype *) column->values + row; \
		COMPARE_ROWS(filter->comparison, gpured_float_lt, gpured_float_eq, ((double) x[i]), value) \
	} while (0)

static void
compare_floats(Filter *filter, const GpuredColumn *column, int row, int n, double value)
{
	bool	   *result = filter->is_true;

	if (isnan(value))
	{
		if (column->len == 4)
			COMPARE_NAN(float4);
		else
			COMPARE_NAN(float8);
	}
	else if (column->len == 4)
		COMPARE_NUMBER(float4);
	else
		COMPARE_NUMBER(float8);
}

/* A value of a column, for what is not worth a loop for each type. */
static inline Value
column_value(const Filter *filter, const GpuredColumn *column, int row)
{
	Value		value;

	switch (filter->value_class)
	{
		case CLASS_FLOAT:
			value.d = column->len == 4 ? ((const float4 *) column->values)[row] :
				((const float8 *) column->values)[row];
			break;
		case CLASS_OID:
			value.i = ((const Oid *) column->values)[row];
			break;
		case CLASS_BOOL:
			value.i = ((const bool *) column->values)[row];
			break;
		default:
			value.i = column->len == 2 ? ((const int16 *) column->values)[row] :
				column->len == 4 ? ((const int32 *) column->values)[row] :
				((const int64 *) column->values)[row];
			break;
	}
	return value;
}

static void
compare_columns(Filter *filter, const GpuredColumns *columns, int row, int n)
{
	const GpuredColumn *a = &columns->column[filter->column];
	const GpuredColumn *b = &columns->column[filter->other];
	bool	   *result = filter->is_true;

	if (filter->value_class == CLASS_FLOAT)
	{
		COMPARE_ROWS(filter->comparison, gpured_float_lt, gpured_float_eq,
					 (column_value(filter, a, row + i).d), (column_value(filter, b, row + i).d))
	}
	else
	{
		COMPARE_ROWS(filter->comparison, INT_LT, INT_EQ,
					 (column_value(filter, a, row + i).i), (column_value(filter, b, row + i).i))
	}
	for (int i = 0; i < n; i++)
	{
		filter->is_null[i] = a->nulls[row + i] | b->nulls[row + i];
		result[i] &= !filter->is_null[i];
	}
}

/* = ANY: true if one is equal, else NULL if one is NULL.  <> ALL: its negation. */
static void
find_in_list(Filter *filter, const GpuredColumn *column, int row, int n)
{
	for (int i = 0; i < n; i++)
	{
		Value		value = column_value(filter, column, row + i);
		bool		found = false;

		if (filter->value_class == CLASS_FLOAT)
		{
			for (int j = 0; j < filter->nvalues; j++)
				found |= gpured_float_eq(value.d, filter->values[j].d);
		}
		else
		{
			for (int j = 0; j < filter->nvalues; j++)
				found |= value.i == filter->values[j].i;
		}
		filter->is_null[i] = column->nulls[row + i] || (!found && filter->null);
		filter->is_true[i] = !filter->is_null[i] && found != filter->all;
	}
}

static void compute(Filter *filter, const GpuredColumns *columns, int n);

/* AND and OR of any number of arguments, and NOT, in three-valued logic. */
static void
combine(Filter *filter, const GpuredColumns *columns, int n)
{
	bool		is_and = filter->kind == NODE_AND;
	bool	   *is_true = filter->is_true;
	bool	   *is_null = filter->is_null;

	for (int a = 0; a < filter->nargs; a++)
	{
		const Filter *arg = filter->args[a];

		compute(filter->args[a], columns, n);
		for (int i = 0; i < n; i++)
		{
			bool		arg_true = arg->is_true[i];
			bool		arg_null = arg->is_null[i];
			bool		was_true = is_true[i];
			bool		was_null = is_null[i];

			if (filter->kind == NODE_NOT)
			{
				is_true[i] = !arg_true & !arg_null;
				is_null[i] = arg_null;
			}
			else if (a == 0)
			{
				is_true[i] = arg_true;
				is_null[i] = arg_null;
			}
			else if (is_and)
			{
				is_true[i] = was_true & arg_true;
				is_null[i] = (was_null & (arg_null | arg_true)) | (was_true & arg_null);
			}
			else
			{
				is_true[i] = was_true | arg_true;
				is_null[i] = (was_null | arg_null) & !is_true[i];
			}
		}
	}
}

/* Both arrays of a node for n rows after the batch's. */
static void
compute(Filter *filter, const GpuredColumns *columns, int n)
{
	const GpuredColumn *column = &columns->column[filter->column];
	const bool *nulls = column->nulls + columns->n;
	int			row = columns->n;

	switch (filter->kind)
	{
		case NODE_COMPARE:
			if (!filter->evaluated)
				evaluate_constant(filter);
			if (filter->null)
			{
				memset(filter->is_true, false, n);
				memset(filter->is_null, true, n);
				break;
			}
			if (filter->value_class == CLASS_FLOAT)
				compare_floats(filter, column, row, n, filter->value.d);
			else
				compare_ints(filter, column, row, n, filter->value.i);
			memcpy(filter->is_null, nulls, n);
			if (column->has_nulls)
			{
				for (int i = 0; i < n; i++)
					filter->is_true[i] &= !nulls[i];
			}
			break;
		case NODE_COMPARE_COLUMNS:
			compare_columns(filter, columns, row, n);
			break;
		case NODE_IN:
			find_in_list(filter, column, row, n);
			break;
		case NODE_BOOL:
			for (int i = 0; i < n; i++)
			{
				filter->is_true[i] = !nulls[i] && column->values[row + i];
				filter->is_null[i] = nulls[i];
			}
			break;
		case NODE_IS_NULL:
		case NODE_IS_NOT_NULL:
			for (int i = 0; i < n; i++)
				filter->is_true[i] = nulls[i] == (filter->kind == NODE_IS_NULL);
			memset(filter->is_null, false, n);
			break;
		case NODE_CONSTANT:
			memset(filter->is_true, !filter->null && filter->value.i, n);
			memset(filter->is_null, filter->null, n);
			break;
		case NODE_AND:
		case NODE_OR:
		case NODE_NOT:
			combine(filter, columns, n);
			break;
	}
}

void
gpured_filter_apply(GpuredFilter *filter, const GpuredColumns *columns, int n, bool *keep)
{
	compute(filter, columns, n);
	for (int i = 0; i < n; i++)
		keep[i] &= filter->is_true[i];
}

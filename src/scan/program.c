/*
 * program.c
 *	  Which expressions are programs, and making them.
 *
 * A program is a tree of nodes, each of which makes an array of values and one of
 * NULLs for the rows of a page.  Nothing in it raises an error.  Where PostgreSQL
 * would, or might, for a row at which it would arrive, the page is left to it: it
 * raises the error, or does not because of the order in which it goes from row to
 * row.  At which rows it would arrive is known exactly: those that a FILTER, the
 * quals before, the conditions of a CASE and so on let through.
 *
 * What has no column in it is computed by PostgreSQL, when the first row arrives.
 */
#include "postgres.h"

#include <math.h>

#include "catalog/pg_collation.h"
#include "catalog/pg_type.h"
#include "mb/pg_wchar.h"
#include "miscadmin.h"
#include "nodes/nodeFuncs.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/datum.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/uuid.h"

#include "compat.h"
#include "scan/program_node.h"

/* Nodes and lists that may be one in another. */
#define MAX_DEPTH 100

/*
 * Nodes that an expression may have.  A program's takes about 300 bytes; one of a
 * function of times counts for many, since what it keeps of days takes 24 kB.
 */
#define MAX_NODES 32768
#define TIME_NODES 80

/* Constants of a scan that have rows of their own, which are filled once. */
#define MAX_KEPT_CONSTANTS 64

/* After so many pages that could not be computed not every one is tried. */
#define FAILURES_TO_REST 8

/* What is known while a tree is made. */
typedef struct Building
{
	GpuredColumns *columns;
	ScanState  *node;
	bool		first;
	const Bitmapset *few;		/* columns that may have dictionaries */
	bool		has_lookups;
	GpuredProgram *tested;		/* what a CASE compares */
} Building;

/* How a type's values are represented; false if they are not. */
static bool
domain_of_type(Oid type, GpuredDomain *domain)
{
	switch (getBaseType(type))
	{
		case BOOLOID:
		case INT2OID:
		case INT4OID:
		case INT8OID:
		case OIDOID:
		case DATEOID:
		case TIMEOID:
		case TIMESTAMPOID:
		case TIMESTAMPTZOID:
		case CASHOID:
			*domain = GPURED_DOMAIN_INT;
			return true;
		case FLOAT4OID:
		case FLOAT8OID:
			*domain = GPURED_DOMAIN_FLOAT;
			return true;
		case NUMERICOID:
			*domain = GPURED_DOMAIN_NUMERIC;
			return true;
		case TEXTOID:
		case VARCHAROID:
		case BPCHAROID:
		case BYTEAOID:
			*domain = GPURED_DOMAIN_STRING;
			return true;
		case UUIDOID:
			*domain = GPURED_DOMAIN_UUID;
			return true;
		case INTERVALOID:
			*domain = GPURED_DOMAIN_INTERVAL;
			return true;
		default:
			*domain = GPURED_DOMAIN_INT;
			return type_is_enum(getBaseType(type));
	}
}

/* The function, the collation and the arguments of a call; false for any other expression. */
static bool
call_of(Expr *expr, Oid *function, Oid *collation, List **args)
{
	switch (nodeTag(expr))
	{
		case T_OpExpr:
		case T_DistinctExpr:
		case T_NullIfExpr:
			*function = get_opcode(((OpExpr *) expr)->opno);
			*collation = ((OpExpr *) expr)->inputcollid;
			*args = ((OpExpr *) expr)->args;
			return true;
		case T_FuncExpr:
			*function = ((FuncExpr *) expr)->funcid;
			*collation = ((FuncExpr *) expr)->inputcollid;
			*args = ((FuncExpr *) expr)->args;
			return true;
		default:
			return false;
	}
}

static const GpuredFunction *
find_in(const GpuredFunction *functions, int n, Oid function)
{
	for (int i = 0; i < n; i++)
	{
		if (functions[i].function == function)
			return &functions[i];
	}
	return NULL;
}

static const GpuredFunction *
find_function(Oid function)
{
	const GpuredFunction *result;

	result = find_in(gpured_number_functions, gpured_number_nfunctions, function);
	if (result == NULL)
		result = find_in(gpured_time_functions, gpured_time_nfunctions, function);
	if (result == NULL)
		result = find_in(gpured_numeric_functions, gpured_numeric_nfunctions, function);
	return result;
}

const Const *
gpured_constant_argument(const List *args, int n, Oid type)
{
	const Const *arg = list_nth(args, n);

	return IsA(arg, Const) && !arg->constisnull && arg->consttype == type ? arg : NULL;
}

/* Whether an expression, or what is below it, differs from row to row. */
static bool
is_varying(Node *node, void *context)
{
	if (node == NULL)
		return false;
	if (IsA(node, Var) || IsA(node, CaseTestExpr) || IsA(node, CoerceToDomainValue) ||
		IsA(node, Aggref) || IsA(node, GroupingFunc) || IsA(node, SubPlan) ||
		IsA(node, AlternativeSubPlan) || IsA(node, PlaceHolderVar) || IsA(node, CurrentOfExpr))
		return true;
	return expression_tree_walker(node, is_varying, context);
}

static bool
is_constant(Node *node)
{
	return !is_varying(node, NULL);
}

/* Whether equal strings are those with the same bytes. */
static bool
is_bytewise(ValueClass value_class, Oid function, Oid collation)
{
	if (value_class != CLASS_STRING && value_class != CLASS_BPCHAR)
		return true;
	if (function == F_BYTEAEQ || function == F_BYTEANE)
		return true;
	return OidIsValid(collation) && get_collation_isdeterministic(collation);
}

static bool is_possible(Node *node, const Bitmapset *few);

static bool
all_possible(List *nodes, const Bitmapset *few)
{
	ListCell   *lc;

	foreach(lc, nodes)
	{
		if (!is_possible(lfirst(lc), few))
			return false;
	}
	return true;
}

static bool
find_comparison(Oid function, Oid collation, List *args, Comparison *comparison,
				ValueClass *value_class)
{
	return list_length(args) == 2 &&
		gpured_find_comparison(function, comparison, value_class) &&
		is_bytewise(*value_class, function, collation);
}

/*
 * LIKE with a constant pattern of pieces between percent signs.  Its pieces are
 * looked for byte by byte.
 */
static bool
like_is_possible(Oid function, Oid collation, List *args)
{
	const Const *pattern;

	if (function != F_TEXTLIKE && function != F_TEXTNLIKE && function != F_BPCHARLIKE &&
		function != F_BPCHARNLIKE)
		return false;
	pattern = gpured_constant_argument(args, 1, TEXTOID);
	if (pattern == NULL || !OidIsValid(collation) || !get_collation_isdeterministic(collation) ||
		(pg_database_encoding_max_length() > 1 && GetDatabaseEncoding() != PG_UTF8))
		return false;
	return strpbrk(TextDatumGetCString(pattern->constvalue), "_\\") == NULL;
}

static bool
call_is_possible(Expr *expr, const Bitmapset *few)
{
	const GpuredFunction *known;
	Comparison	comparison;
	ValueClass	value_class;
	Oid			function = InvalidOid;
	Oid			collation = InvalidOid;
	List	   *args = NIL;

	(void) call_of(expr, &function, &collation, &args);
	if (find_comparison(function, collation, args, &comparison, &value_class))
		return (!IsA(expr, NullIfExpr) || value_class <= CLASS_UUID) && all_possible(args, few);
	if (IsA(expr, DistinctExpr) || IsA(expr, NullIfExpr))
		return false;
	if (like_is_possible(function, collation, args))
		return is_possible(linitial(args), few);
	known = find_function(function);
	return known != NULL && (known->accept == NULL || known->accept(NULL, &args)) &&
		all_possible(args, few);
}

static bool
list_is_possible(ScalarArrayOpExpr *op, const Bitmapset *few)
{
	Oid			function = get_opcode(op->opno);
	Comparison	comparison;
	ValueClass	value_class;

	return find_comparison(function, op->inputcollid, op->args, &comparison, &value_class) &&
		value_class <= CLASS_UUID && comparison == (op->useOr ? EQ : NE) &&
		is_possible(linitial(op->args), few) && is_constant(lsecond(op->args));
}

/* The parts of a CASE, which are computed where those before let rows through. */
static List *
case_parts(CaseExpr *expr)
{
	List	   *result = NIL;
	ListCell   *lc;

	foreach(lc, expr->args)
	{
		result = lappend(result, ((CaseWhen *) lfirst(lc))->expr);
		result = lappend(result, ((CaseWhen *) lfirst(lc))->result);
	}
	if (expr->defresult != NULL)
		result = lappend(result, expr->defresult);
	return result;
}

/* Types of which the greatest value is that of the numbers which represent it. */
static bool
is_ordered(Oid type)
{
	GpuredDomain domain;

	return domain_of_type(type, &domain) && domain <= GPURED_DOMAIN_NUMERIC &&
		!type_is_enum(getBaseType(type));
}

/* A cast that changes nothing in a value nor in its representation. */
static bool
relabel_is_possible(RelabelType *relabel)
{
	Oid			from = getBaseType(exprType((Node *) relabel->arg));
	Oid			to = getBaseType(relabel->resulttype);
	GpuredDomain from_domain;
	GpuredDomain to_domain;

	if (!domain_of_type(from, &from_domain) || !domain_of_type(to, &to_domain))
		return false;
	return from == to ||
		(from_domain == GPURED_DOMAIN_STRING && to_domain == GPURED_DOMAIN_STRING);
}

/* Comparisons of strings in an expression; a list of them counts twice. */
static bool
count_strings(Node *node, void *context)
{
	Oid			function;
	Oid			collation;
	List	   *args;

	if (node == NULL)
		return false;
	if (call_of((Expr *) node, &function, &collation, &args))
		*(int *) context += OidIsValid(collation);
	else if (IsA(node, ScalarArrayOpExpr))
		*(int *) context += OidIsValid(((ScalarArrayOpExpr *) node)->inputcollid) ? 2 : 0;
	return expression_tree_walker(node, count_strings, context);
}

/*
 * Whether to compute an expression takes less time than to look its result up: with one
 * comparison of strings, or without any one whose result is a string, which is copied.
 */
static bool
is_cheaper_computed(Node *node, GpuredDomain domain)
{
	int			strings = domain == GPURED_DOMAIN_STRING;

	if (!is_possible(node, NULL))
		return false;
	(void) count_strings(node, &strings);
	return strings <= 1;
}

/*
 * The column whose dictionary has an expression's results; NULL if they are not looked up.
 * Then "few" becomes empty if nothing in the expression is either.
 */
static Var *
looked_up(Node *node, const Bitmapset **few)
{
	GpuredDomain domain;
	Var		   *var = *few != NULL ? gpured_only_column(node) : NULL;

	if (var == NULL || !domain_of_type(exprType(node), &domain))
		return NULL;
	if (bms_is_member(var->varattno, *few) && !is_cheaper_computed(node, domain))
		return var;
	*few = NULL;
	return NULL;
}

static bool
is_possible(Node *node, const Bitmapset *few)
{
	GpuredDomain domain;

	check_stack_depth();
	if (node == NULL || !domain_of_type(exprType(node), &domain))
		return false;
	if (is_constant(node) || looked_up(node, &few) != NULL)
		return true;
	switch (nodeTag(node))
	{
		case T_Var:
			return ((Var *) node)->varattno > 0 && ((Var *) node)->varlevelsup == 0;
		case T_CaseTestExpr:
			return true;
		case T_OpExpr:
		case T_FuncExpr:
		case T_DistinctExpr:
		case T_NullIfExpr:
			return call_is_possible((Expr *) node, few);
		case T_ScalarArrayOpExpr:
			return list_is_possible((ScalarArrayOpExpr *) node, few);
		case T_BoolExpr:
			return all_possible(((BoolExpr *) node)->args, few);
		case T_BooleanTest:
			return is_possible((Node *) ((BooleanTest *) node)->arg, few);
		case T_NullTest:
			if (((NullTest *) node)->argisrow)
				return false;
			if (IsA(((NullTest *) node)->arg, Var))
				return ((Var *) ((NullTest *) node)->arg)->varattno > 0;
			return is_possible((Node *) ((NullTest *) node)->arg, few);
		case T_RelabelType:
			return relabel_is_possible((RelabelType *) node) &&
				is_possible((Node *) ((RelabelType *) node)->arg, few);
		case T_CaseExpr:
			return (((CaseExpr *) node)->arg == NULL ||
					is_possible((Node *) ((CaseExpr *) node)->arg, few)) &&
				all_possible(case_parts((CaseExpr *) node), few);
		case T_CoalesceExpr:
			return all_possible(((CoalesceExpr *) node)->args, few);
		case T_MinMaxExpr:
			return is_ordered(((MinMaxExpr *) node)->minmaxtype) &&
				all_possible(((MinMaxExpr *) node)->args, few);
		default:
			return false;
	}
}

/* How large an expression is. */
typedef struct Extent
{
	int			depth;
	int			nodes;
} Extent;

/*
 * Whether an expression is so deep that computing its program, which takes some
 * kilobytes of stack a level, could need more than there is, or so large that it would
 * take more memory than it is worth.
 */
static bool
is_too_large(Node *node, void *context)
{
	Extent	   *extent = context;
	Oid			function;
	Oid			collation;
	List	   *args;
	bool		result;

	if (node == NULL)
		return false;
	if (call_of((Expr *) node, &function, &collation, &args) &&
		find_in(gpured_time_functions, gpured_time_nfunctions, function) != NULL)
		extent->nodes += TIME_NODES;
	result = ++extent->depth > MAX_DEPTH || ++extent->nodes > MAX_NODES ||
		expression_tree_walker(node, is_too_large, context);
	extent->depth--;
	return result;
}

bool
gpured_program_is_possible(Expr *expr, const Bitmapset *few)
{
	Extent		extent = {0};

	return !IsA(expr, Var) && !is_too_large((Node *) expr, &extent) &&
		is_possible((Node *) expr, few);
}

/* Where a program is made, and what it needs. */
typedef struct Lookups
{
	const Bitmapset *few;
	List	   *found;			/* Vars */
} Lookups;

static bool
find_lookups(Node *node, void *context)
{
	Lookups    *lookups = context;
	const Bitmapset *few = lookups->few;
	Var		   *var;

	if (node == NULL || is_constant(node))
		return false;
	/* Some nodes have their arguments walked as a list. */
	var = IsA(node, List) ? NULL : looked_up(node, &few);
	if (var == NULL)
		return few != NULL && expression_tree_walker(node, find_lookups, context);
	lookups->found = list_append_unique(lookups->found, var);
	return false;
}

List *
gpured_program_lookups(Expr *expr, const Bitmapset *few, List *found)
{
	Lookups		lookups = {few, found};

	if (expr == NULL || few == NULL || !gpured_program_is_possible(expr, few))
		return found;
	(void) find_lookups((Node *) expr, &lookups);
	return lookups.found;
}

static GpuredProgram *
new_node(GpuredNodeKind kind, Oid type)
{
	GpuredProgram *program = palloc0(sizeof(GpuredProgram));

	program->kind = kind;
	program->type = getBaseType(type);
	if (!domain_of_type(type, &program->domain))
		program->domain = GPURED_DOMAIN_OTHER;
	program->bytes = program->type == FLOAT4OID ? 4 : 8;
	return program;
}

static void
set_rows(GpuredProgram *program, GpuredRows *rows)
{
	program->rows = rows;
	program->null = rows->null;
	program->i = rows->i;
	program->d = (double *) rows->i;
	program->scale = rows->scale;
}

/* Rows that no other node has from now on. */
static void
take_rows(GpuredProgram *program, GpuredColumns *columns)
{
	GpuredRows *rows = columns->free_rows;

	if (rows == NULL)
		rows = MemoryContextAllocZero(columns->memory, sizeof(GpuredRows));
	else
		columns->free_rows = rows->next;
	set_rows(program, rows);
}

/* Those of a node whose result has been used: the next that is made may have them. */
static void
release_rows(GpuredProgram *program, GpuredColumns *columns)
{
	if (program->rows == NULL || program->keeps_rows)
		return;
	program->rows->next = columns->free_rows;
	columns->free_rows = program->rows;
}

static GpuredProgram *create(Node *node, Building *building);

static void
create_args(GpuredProgram *program, List *args, Building *building)
{
	ListCell   *lc;

	program->args = palloc(Max(list_length(args), 1) * sizeof(GpuredProgram *));
	foreach(lc, args)
		program->args[program->nargs++] = create(lfirst(lc), building);
}

/* The node is computed from all of its arguments. */
static void
take_result(GpuredProgram *program, Building *building)
{
	take_rows(program, building->columns);
	for (int a = 0; a < program->nargs; a++)
		release_rows(program->args[a], building->columns);
}

/* The node is computed from one argument after another. */
static void
create_parts(GpuredProgram *program, List *parts, Building *building)
{
	ListCell   *lc;

	take_rows(program, building->columns);
	program->args = palloc((list_length(parts) + 1) * sizeof(GpuredProgram *));
	foreach(lc, parts)
	{
		GpuredProgram *part = create(lfirst(lc), building);

		program->args[program->nargs++] = part;
		release_rows(part, building->columns);
	}
}

/* Values that have 64 bits are used where they are, and so are NULLs. */
static GpuredProgram *
create_column(Var *var, Building *building)
{
	GpuredProgram *program = new_node(GPURED_NODE_COLUMN, var->vartype);

	program->column = gpured_columns_add_used(building->columns, (Expr *) var, building->first);
	if (program->type == OIDOID || type_is_enum(program->type))
		program->value_class = CLASS_OID;
	if (program->domain <= GPURED_DOMAIN_NUMERIC &&
		building->columns->column[program->column].len != sizeof(int64))
		take_rows(program, building->columns);
	return program;
}

static GpuredProgram *
create_constant(Node *node, Building *building)
{
	GpuredProgram *program = new_node(GPURED_NODE_CONSTANT, exprType(node));
	GpuredColumns *columns = building->columns;

	program->econtext = columns->econtext;
	program->context = columns->constants;
	if (IsA(node, Const))
		program->known = (const Const *) node;
	else
		program->state = gpured_init_expr((Expr *) node, columns, building->node);
	program->keeps_rows = columns->nkept_constants++ < MAX_KEPT_CONSTANTS;
	if (program->keeps_rows)
		set_rows(program, MemoryContextAllocZero(columns->memory, sizeof(GpuredRows)));
	else
		take_rows(program, columns);
	return program;
}

/* Midnight of a date, to be compared with a timestamp. */
static GpuredProgram *
create_midnight(GpuredProgram *date, Building *building)
{
	GpuredProgram *program = new_node(GPURED_NODE_FUNCTION, TIMESTAMPOID);

	program->function = find_function(F_TIMESTAMP_DATE);
	program->context = building->columns->constants;
	program->bytes = program->function->bytes;
	program->args = palloc(sizeof(GpuredProgram *));
	program->args[program->nargs++] = date;
	take_result(program, building);
	return program;
}

/*
 * The whole expression is computed for each value of its column; and for the rows of a page
 * where one is new, if there is a program for it.
 */
static GpuredProgram *
create_lookup(Node *node, Var *var, Building *building)
{
	GpuredProgram *program = new_node(GPURED_NODE_LOOKUP, exprType(node));
	Building	computed = *building;

	building->has_lookups = true;
	computed.few = NULL;
	program->column = gpured_columns_add_used(building->columns, (Expr *) var, building->first);
	gpured_lookup_init(program, node, building->columns, building->node);
	if (is_possible(node, NULL))
		create_args(program, list_make1(node), &computed);
	take_result(program, building);
	return program;
}

/* A comparison, or what is made with one: the sides are converted to be alike. */
static void
create_sides(GpuredProgram *program, List *args, Building *building)
{
	program->args = palloc(2 * sizeof(GpuredProgram *));
	for (int a = 0; a < 2; a++)
	{
		GpuredProgram *side = create(list_nth(args, a), building);

		if (program->value_class == (a == 0 ? CLASS_DATE_TIMESTAMP : CLASS_TIMESTAMP_DATE))
			side = create_midnight(side, building);
		program->args[program->nargs++] = side;
	}
}

static GpuredProgram *
create_call(Expr *expr, Building *building)
{
	GpuredProgram *program = new_node(GPURED_NODE_FUNCTION, exprType((Node *) expr));
	Oid			function = InvalidOid;
	Oid			collation = InvalidOid;
	List	   *args = NIL;

	(void) call_of(expr, &function, &collation, &args);
	if (find_comparison(function, collation, args, &program->comparison, &program->value_class))
	{
		program->kind = IsA(expr, DistinctExpr) ? GPURED_NODE_DISTINCT :
			IsA(expr, NullIfExpr) ? GPURED_NODE_NULLIF : GPURED_NODE_COMPARE;
		create_sides(program, args, building);
	}
	else if (like_is_possible(function, collation, args))
	{
		const Const *pattern = gpured_constant_argument(args, 1, TEXTOID);

		program->kind = GPURED_NODE_LIKE;
		program->negated = function == F_TEXTNLIKE || function == F_BPCHARNLIKE;
		program->pattern = gpured_pattern_create(TextDatumGetCString(pattern->constvalue));
		create_args(program, list_make1(linitial(args)), building);
	}
	else
	{
		program->function = find_function(function);
		Assert(program->function != NULL);
		program->econtext = building->columns->econtext;
		program->context = building->columns->constants;
		program->domain = program->function->domain;
		program->bytes = program->function->bytes;
		if (program->function->accept != NULL)
			(void) program->function->accept(program, &args);
		create_args(program, args, building);
	}
	take_result(program, building);
	return program;
}

/* A node of one kind that has only arguments. */
static GpuredProgram *
create_simple(GpuredNodeKind kind, List *args, Building *building)
{
	GpuredProgram *program = new_node(kind, BOOLOID);

	create_args(program, args, building);
	take_result(program, building);
	return program;
}

static GpuredProgram *
create_list(ScalarArrayOpExpr *op, Building *building)
{
	GpuredProgram *program = create_simple(GPURED_NODE_IN, list_make1(linitial(op->args)), building);

	(void) find_comparison(get_opcode(op->opno), op->inputcollid, op->args, &program->comparison,
						   &program->value_class);
	program->negated = !op->useOr;
	program->econtext = building->columns->econtext;
	program->context = building->columns->constants;
	program->state = gpured_init_expr(lsecond(op->args), building->columns, building->node);
	return program;
}

/* What is compared is computed first, for all rows that arrive. */
static GpuredProgram *
create_case(CaseExpr *expr, Building *building)
{
	GpuredProgram *program = new_node(GPURED_NODE_CASE, expr->casetype);
	GpuredProgram *outer = building->tested;

	if (expr->arg != NULL)
	{
		program->tested = create((Node *) expr->arg, building);
		building->tested = program->tested;
	}
	create_parts(program, case_parts(expr), building);
	if (expr->arg != NULL)
		release_rows(program->tested, building->columns);
	building->tested = outer;
	return program;
}

/* It has no rows of its own. */
static GpuredProgram *
create_same(Building *building)
{
	GpuredProgram *program = palloc0(sizeof(GpuredProgram));

	Assert(building->tested != NULL);
	program->kind = GPURED_NODE_SAME;
	program->domain = building->tested->domain;
	program->type = building->tested->type;
	program->tested = building->tested;
	return program;
}

static GpuredProgram *
create_logic(BoolExpr *expr, Building *building)
{
	GpuredProgram *program;

	if (expr->boolop == NOT_EXPR)
		return create_simple(GPURED_NODE_NOT, expr->args, building);
	program = new_node(expr->boolop == AND_EXPR ? GPURED_NODE_AND : GPURED_NODE_OR, BOOLOID);
	create_parts(program, expr->args, building);
	return program;
}

static GpuredProgram *
create_computed(Node *node, Building *building)
{
	GpuredProgram *program;

	switch (nodeTag(node))
	{
		case T_Var:
			return create_column((Var *) node, building);
		case T_CaseTestExpr:
			return create_same(building);
		case T_RelabelType:
			return create((Node *) ((RelabelType *) node)->arg, building);
		case T_OpExpr:
		case T_FuncExpr:
		case T_DistinctExpr:
		case T_NullIfExpr:
			return create_call((Expr *) node, building);
		case T_ScalarArrayOpExpr:
			return create_list((ScalarArrayOpExpr *) node, building);
		case T_BoolExpr:
			return create_logic((BoolExpr *) node, building);
		case T_BooleanTest:
			program = create_simple(GPURED_NODE_BOOLEAN_TEST,
									list_make1(((BooleanTest *) node)->arg), building);
			program->test = ((BooleanTest *) node)->booltesttype;
			return program;
		case T_NullTest:
			return create_simple(((NullTest *) node)->nulltesttype == IS_NULL ?
								 GPURED_NODE_IS_NULL : GPURED_NODE_IS_NOT_NULL,
								 list_make1(((NullTest *) node)->arg), building);
		case T_CaseExpr:
			return create_case((CaseExpr *) node, building);
		case T_CoalesceExpr:
			program = new_node(GPURED_NODE_COALESCE, exprType(node));
			create_parts(program, ((CoalesceExpr *) node)->args, building);
			return program;
		case T_MinMaxExpr:
			program = new_node(((MinMaxExpr *) node)->op == IS_GREATEST ?
							   GPURED_NODE_GREATEST : GPURED_NODE_LEAST, exprType(node));
			create_parts(program, ((MinMaxExpr *) node)->args, building);
			return program;
		default:
			elog(ERROR, "unexpected expression of a column scan: %d", (int) nodeTag(node));
	}
}

static GpuredProgram *
create(Node *node, Building *building)
{
	const Bitmapset *few = building->few;
	GpuredProgram *program;
	Var		   *var;

	check_stack_depth();
	if (is_constant(node))
		return create_constant(node, building);
	var = looked_up(node, &building->few);
	program = var != NULL ? create_lookup(node, var, building) : create_computed(node, building);
	building->few = few;
	return program;
}

GpuredProgram *
gpured_program_create(Expr *expr, GpuredColumns *columns, ScanState *node, bool first)
{
	Building	building = {.columns = columns,.node = node,.first = first,.few = columns->few};
	MemoryContext old = MemoryContextSwitchTo(columns->context);
	GpuredProgram *program = create((Node *) expr, &building);

	program->learns = building.has_lookups;
	/* The result is used before another program is computed. */
	release_rows(program, columns);
	MemoryContextSwitchTo(old);
	return program;
}

void
gpured_program_reset(GpuredProgram *program)
{
	/* All that was learned is about to be freed. */
	program->evaluated = false;
	program->list = NULL;
	program->zone = NULL;
	program->days = NULL;
	program->intervals = NULL;
	program->results = NULL;
	program->failures = 0;
	for (int a = 0; a < program->nargs; a++)
		gpured_program_reset(program->args[a]);
	if (program->kind == GPURED_NODE_CASE && program->tested != NULL)
		gpured_program_reset(program->tested);
}

/*
 * Compute it; false if that is not possible.  Where it was not for some pages in succession
 * only each fourth is tried, for the next is likely to be no better; but a dictionary learns.
 */
static bool
compute_page(GpuredProgram *program, GpuredColumns *columns, int n, const bool *active)
{
	bool		is_tried = program->learns || program->failures < FAILURES_TO_REST ||
		program->failures % 4 == 0;

	if (is_tried && gpured_program_compute(program, columns, n, active))
	{
		program->failures = 0;
		return true;
	}
	program->failures++;
	return false;
}

bool
gpured_program_test(GpuredProgram *program, GpuredColumns *columns, int n, bool *keep)
{
	if (!compute_page(program, columns, n, keep))
		return false;
	for (int i = 0; i < n; i++)
		keep[i] &= !program->null[i] & (program->i[i] != 0);
	return true;
}

/* Values that are passed by reference, for the batch. */
static void
store_references(GpuredProgram *program, GpuredColumns *columns, int n, GpuredColumn *result)
{
	Datum	   *values = (Datum *) result->values + columns->n;
	GpuredNumericSpace space;

	for (int i = 0; i < n; i++)
	{
		if (result->nulls[columns->n + i])
			values[i] = (Datum) 0;
		else if (program->stays && program->domain != GPURED_DOMAIN_NUMERIC)
			values[i] = (Datum) program->i[i];
		else if (program->domain == GPURED_DOMAIN_NUMERIC)
		{
			Size		size = gpured_numeric_write(program->i[i], program->scale[i], space.bytes);

			values[i] = gpured_columns_copy(columns, space.bytes, size);
		}
		else if (program->domain == GPURED_DOMAIN_INTERVAL)
			values[i] = gpured_columns_copy(columns, DatumGetPointer(program->i[i]),
											sizeof(Interval));
		else if (program->domain == GPURED_DOMAIN_UUID)
			values[i] = gpured_columns_copy(columns, DatumGetPointer(program->i[i]), UUID_LEN);
		else
			values[i] = gpured_columns_copy(columns, DatumGetPointer(program->i[i]),
											VARSIZE_ANY(program->i[i]));
	}
}

/* Numerics that are only added up: whether all are integers, or NULL, now. */
static bool
store_integers(const GpuredProgram *program, const GpuredColumns *columns, int n,
			   GpuredColumn *result)
{
	const bool *nulls = result->nulls + columns->n;
	int64	   *values = (int64 *) result->values + columns->n;
	uint8	   *scale = result->scale + columns->n;
	bool		fits = true;

	for (int i = 0; i < n; i++)
	{
		const int64 value = nulls[i] ? 0 : program->i[i];

		fits &= nulls[i] | ((program->scale[i] < GPURED_INTEGER_SCALES) &
							(value < GPURED_INTEGER_LIMIT) & (value > -GPURED_INTEGER_LIMIT));
		values[i] = value;
		scale[i] = nulls[i] ? GPURED_NOT_INTEGER : program->scale[i];
	}
	if (!fits)
		memset(scale, GPURED_NOT_INTEGER, n * sizeof(uint8));
	return fits;
}

bool
gpured_program_run(GpuredProgram *program, GpuredColumns *columns, int n, const bool *active,
				   GpuredColumn *result)
{
	int			row = columns->n;
	bool	   *nulls = result->nulls + row;
	bool		has_nulls = false;

	/* Nothing is computed, not even constants, if no row arrives. */
	if (memchr(active, true, n) == NULL)
		memset(nulls, true, n);
	else if (!compute_page(program, columns, n, active))
		return false;
	else
	{
		for (int i = 0; i < n; i++)
			nulls[i] = program->null[i] | !active[i];
	}
	for (int i = 0; i < n; i++)
		has_nulls |= nulls[i];
	result->has_nulls |= has_nulls;

	/* As after any other extraction, a NULL's value is zero. */
#define STORE(ctype, array) \
	for (int i = 0; i < n; i++) \
		((ctype *) result->values)[row + i] = nulls[i] ? 0 : (ctype) program->array[i]

	if (!result->byval)
	{
		if (result->scale == NULL || !store_integers(program, columns, n, result))
			store_references(program, columns, n, result);
	}
	else if (program->domain == GPURED_DOMAIN_FLOAT && result->len == 4)
		STORE(float4, d);
	else if (program->domain == GPURED_DOMAIN_FLOAT)
		STORE(float8, d);
	else if (result->len == 1)
		STORE(char, i);
	else if (result->len == 2)
		STORE(int16, i);
	else if (result->len == 4)
		STORE(int32, i);
	else
		STORE(int64, i);
#undef STORE
	return true;
}

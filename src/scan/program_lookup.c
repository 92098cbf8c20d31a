/*
 * program_lookup.c
 *	  Expressions of one column that has few values, computed once for each of them.
 *
 * PostgreSQL computes them, for it knows more functions than programs do, and a row then
 * takes the result by the number that the dictionary has for its value.
 *
 * A page with a new value is computed by another program or left to PostgreSQL, which raises
 * what errors there are in its own order.  Once that has arrived at the rows without one the
 * expression is computed again for the value, which raises none: it is not volatile.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "utils/memutils.h"

#include "scan/dictionary.h"
#include "scan/program_node.h"

/* What is known of the result for a value. */
typedef enum Knowledge
{
	UNKNOWN = 0,
	ASKED,						/* it is computed for the rows of this page */
	KNOWN,
	UNUSABLE					/* it has no representation here */
} Knowledge;

/* Results are kept if they have no more bytes than this. */
#define MAX_RESULT 8192

typedef struct GpuredResults
{
	uint32		room;
	uint8	   *state;			/* by number */
	GpuredValue *value;
	int			nasked;
	uint32		asked[GPURED_PAGE_ROWS];
} GpuredResults;

/* What is looked for in an expression. */
typedef struct Search
{
	Var		   *var;			/* its only column so far */
	int			ncases;			/* around this place that compare something */
} Search;

static bool has_other(Node *node, void *context);

/* The parts of a CASE see what it compares. */
static bool
case_has_other(CaseExpr *expr, Search *search)
{
	bool		result = has_other((Node *) expr->arg, search);
	ListCell   *lc;

	search->ncases += expr->arg != NULL;
	foreach(lc, expr->args)
		result = result || has_other((Node *) ((CaseWhen *) lfirst(lc))->expr, search) ||
		has_other((Node *) ((CaseWhen *) lfirst(lc))->result, search);
	result = result || has_other((Node *) expr->defresult, search);
	search->ncases -= expr->arg != NULL;
	return result;
}

/* Whether there is anything that differs from row to row but one column. */
static bool
has_other(Node *node, void *context)
{
	Search	   *search = context;
	Var		   *var = (Var *) node;

	if (node == NULL)
		return false;
	switch (nodeTag(node))
	{
		case T_Var:
			if (var->varattno <= 0 || var->varlevelsup != 0)
				return true;
			if (search->var == NULL)
				search->var = var;
			return var->varno != search->var->varno || var->varattno != search->var->varattno;
		case T_CaseTestExpr:
			return search->ncases == 0;
		case T_CaseExpr:
			return case_has_other((CaseExpr *) node, search);
		case T_ArrayCoerceExpr: /* has a CaseTestExpr of its own */
		case T_CoerceToDomainValue:
		case T_Aggref:
		case T_GroupingFunc:
		case T_SubPlan:
		case T_AlternativeSubPlan:
		case T_PlaceHolderVar:
		case T_CurrentOfExpr:
			return true;
		default:
			return expression_tree_walker(node, has_other, context);
	}
}

Var *
gpured_only_column(Node *expr)
{
	Search		search = {0};

	if (IsA(expr, Var) || has_other(expr, &search) || contain_volatile_functions(expr))
		return NULL;
	return search.var;
}

/* The expression with the value that is being looked up in the column's place. */
static Node *
replace_column(Node *node, void *context)
{
	if (node == NULL)
		return NULL;
	if (IsA(node, Var))
	{
		CoerceToDomainValue *value = makeNode(CoerceToDomainValue);

		value->typeId = ((Var *) node)->vartype;
		value->typeMod = ((Var *) node)->vartypmod;
		value->collation = ((Var *) node)->varcollid;
		value->location = -1;
		return (Node *) value;
	}
	return expression_tree_mutator(node, replace_column, context);
}

void
gpured_lookup_init(GpuredProgram *program, Node *expr, GpuredColumns *columns, ScanState *node)
{
	program->dictionary = gpured_dictionary_of(columns, program->column);
	program->state = gpured_init_expr((Expr *) replace_column(expr, NULL), columns, node);
	program->econtext = columns->econtext;
	program->context = columns->constants;
}

#define RESULT_BYTES (sizeof(GpuredValue) + sizeof(uint8))

/* Room for the results of all numbers. */
static void
reserve(GpuredProgram *program)
{
	GpuredResults *results = program->results;
	uint32		count = gpured_dictionary_count(program->dictionary);
	uint32		room;

	if (results == NULL)
	{
		room = Max(count, GPURED_PAGE_ROWS);
		results = MemoryContextAllocZero(program->context, sizeof(GpuredResults));
		results->state = MemoryContextAllocZero(program->context, room * sizeof(uint8));
		results->value = MemoryContextAllocZero(program->context, room * sizeof(GpuredValue));
		results->room = room;
		program->results = results;
		gpured_dictionary_charge(program->dictionary, room * RESULT_BYTES);
	}
	if (count <= results->room)
		return;
	room = Max(count, 2 * results->room);
	results->state = repalloc(results->state, room * sizeof(uint8));
	results->value = repalloc(results->value, room * sizeof(GpuredValue));
	memset(results->state + results->room, UNKNOWN, (room - results->room) * sizeof(uint8));
	memset(results->value + results->room, 0, (room - results->room) * sizeof(GpuredValue));
	gpured_dictionary_charge(program->dictionary, (room - results->room) * RESULT_BYTES);
	results->room = room;
}

/* Whether a result that is not NULL has all its bytes there, and not too many. */
static bool
can_be_kept(const GpuredProgram *program, Datum result)
{
	const void *pointer = DatumGetPointer(result);

	if (program->domain != GPURED_DOMAIN_STRING && program->domain != GPURED_DOMAIN_NUMERIC)
		return true;
	return gpured_is_plain_string(pointer) && VARSIZE_ANY(pointer) <= MAX_RESULT;
}

static void
learn_value(GpuredProgram *program, const GpuredColumns *columns, uint32 number)
{
	GpuredResults *results = program->results;
	ExprContext *econtext = program->econtext;
	GpuredValue value = {.null = true};
	bool		usable = true;
	bool		null;
	Datum		datum;

	econtext->domainValue_datum = gpured_dictionary_value(program->dictionary, columns, number,
														  &econtext->domainValue_isNull);
	ResetExprContext(econtext);
	datum = ExecEvalExprSwitchContext(program->state, econtext, &null);
	if (!null)
		usable = can_be_kept(program, datum);
	if (!null && usable)
	{
		if (program->domain >= GPURED_DOMAIN_STRING)
			datum = gpured_keep_value(program, datum);
		if (program->domain == GPURED_DOMAIN_STRING)
			gpured_dictionary_charge(program->dictionary, VARSIZE_ANY(DatumGetPointer(datum)));
		usable = gpured_value_of_datum(program->domain, program->type, datum, &value);
	}
	results->value[number] = value;
	results->state[number] = usable ? KNOWN : UNUSABLE;
	ResetExprContext(econtext);
}

/* Without an error all rows were computed that had these values. */
static void
learn(GpuredProgram *program, const GpuredColumns *columns)
{
	GpuredResults *results = program->results;

	while (results->nasked > 0)
		learn_value(program, columns, results->asked[--results->nasked]);
}

/* Note what is not known of active rows; whether there is nothing of it. */
static bool
are_known(GpuredResults *results, const uint32 *number, int n, const bool *active)
{
	bool		result = true;

	for (int i = 0; i < n; i++)
	{
		uint8	   *state = &results->state[number[i]];

		if (likely(*state == KNOWN) || !active[i])
			continue;
		result = false;
		if (*state != UNKNOWN)
			continue;
		*state = ASKED;
		results->asked[results->nasked++] = number[i];
	}
	return result;
}

/* The rows of a page that cannot be looked up. */
static bool
compute_rows(GpuredProgram *program, const GpuredColumns *columns, int n, const bool *active)
{
	const GpuredProgram *from;

	if (program->nargs == 0 || !gpured_program_compute(program->args[0], columns, n, active))
		return false;
	from = program->args[0];
	memcpy(program->null, from->null, n * sizeof(bool));
	memcpy(program->i, from->i, n * sizeof(int64));
	if (program->domain == GPURED_DOMAIN_NUMERIC)
		memcpy(program->scale, from->scale, n * sizeof(uint8));
	program->stays = false;
	return true;
}

bool
gpured_compute_lookup(GpuredProgram *program, const GpuredColumns *columns, int n,
					  const bool *active)
{
	const uint32 *number;
	GpuredResults *results;

	if (gpured_dictionary_is_given_up(program->dictionary))
		return compute_rows(program, columns, n, active);
	reserve(program);
	results = program->results;
	learn(program, columns);
	number = gpured_dictionary_find(program->dictionary, columns, n);
	if (number == NULL)
		return compute_rows(program, columns, n, active);
	reserve(program);
	if (!are_known(results, number, n, active))
		return compute_rows(program, columns, n, active);
	program->stays = true;
	for (int i = 0; i < n; i++)
		program->i[i] = results->value[number[i]].i;
	for (int i = 0; i < n; i++)
		program->null[i] = results->value[number[i]].null;
	for (int i = 0; program->domain == GPURED_DOMAIN_NUMERIC && i < n; i++)
		program->scale[i] = results->value[number[i]].scale;
	return true;
}

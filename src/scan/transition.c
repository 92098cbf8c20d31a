/*
 * transition.c
 *	  An aggregate's own transition function, called for each row as the executor
 *	  would.
 *
 * See advance_transition_function and initialize_aggregate in PostgreSQL's
 * nodeAgg.c: states that are not passed by value live in the groups' memory, and
 * what a call leaves behind is freed after it.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "catalog/objectaccess.h"
#include "catalog/pg_aggregate.h"
#include "catalog/pg_proc.h"
#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "nodes/makefuncs.h"
#include "nodes/plannodes.h"
#include "parser/parse_agg.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/datum.h"
#include "utils/expandeddatum.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/syscache.h"

#include "aggregate/aggregate.h"
#include "compat.h"
#include "scan/transition.h"

struct GpuredTransition
{
	FmgrInfo	transition;
	FmgrInfo	serial;			/* fn_oid is invalid if there is none */
	AggState   *agg_state;
	MemoryContext row_context;
	int			nargs;			/* without the state */
	const int  *args;			/* columns */
	int16		state_len;
	bool		state_byval;
	bool		starts_null;
	Datum		start;
	FunctionCallInfo call;
};

AggState *
gpured_make_agg_state(EState *estate, ExprContext *group_context, bool has_groups)
{
	AggState   *agg_state = makeNode(AggState);

	agg_state->ss.ps.plan = (Plan *) makeNode(Agg);
	agg_state->ss.ps.state = estate;
	agg_state->ss.ps.ExecProcNode = gpured_scan_calls;
	agg_state->aggstrategy = has_groups ? AGG_HASHED : AGG_PLAIN;
	agg_state->aggsplit = AGGSPLIT_INITIAL_SERIAL;
	agg_state->curaggcontext = group_context;
	agg_state->hashcontext = group_context;
	agg_state->tmpcontext = CreateExprContext(estate);
	return agg_state;
}

/* The owner of an aggregate must be allowed to call its functions. */
static void
check_function(Oid function, Oid owner)
{
	AclResult	result;

#if PG_VERSION_NUM >= 160000
	result = object_aclcheck(ProcedureRelationId, function, owner, ACL_EXECUTE);
#else
	result = pg_proc_aclcheck(function, owner, ACL_EXECUTE);
#endif
	if (result != ACLCHECK_OK)
		aclcheck_error(result, OBJECT_FUNCTION, get_func_name(function));
	InvokeFunctionExecuteHook(function);
}

static Oid
function_owner(Oid function)
{
	HeapTuple	tuple = SearchSysCache1(PROCOID, ObjectIdGetDatum(function));
	Oid			owner;

	if (!HeapTupleIsValid(tuple))
		elog(ERROR, "cache lookup failed for function %u", function);
	owner = ((Form_pg_proc) GETSTRUCT(tuple))->proowner;
	ReleaseSysCache(tuple);
	return owner;
}

/* The state of a group without rows. */
static void
set_start(GpuredTransition *transition, HeapTuple aggregate, Oid state_type)
{
	Datum		initial;
	Oid			input;
	Oid			param;
	char	   *string;

	initial = SysCacheGetAttr(AGGFNOID, aggregate, Anum_pg_aggregate_agginitval,
							  &transition->starts_null);
	if (transition->starts_null)
		return;
	getTypeInputInfo(state_type, &input, &param);
	string = TextDatumGetCString(initial);
	transition->start = OidInputFunctionCall(input, string, param, -1);
}

GpuredTransition *
gpured_transition_create(Aggref *aggref, const int *args, AggState *agg_state)
{
	GpuredTransition *result = palloc0(sizeof(GpuredTransition));
	Oid			input_types[FUNC_MAX_ARGS];
	int			ninputs = get_aggregate_argtypes(aggref, input_types);
	Oid			owner = function_owner(aggref->aggfnoid);
	HeapTuple	tuple;
	Form_pg_aggregate aggregate;
	Expr	   *expr;

	tuple = SearchSysCache1(AGGFNOID, ObjectIdGetDatum(aggref->aggfnoid));
	if (!HeapTupleIsValid(tuple))
		elog(ERROR, "cache lookup failed for aggregate %u", aggref->aggfnoid);
	aggregate = (Form_pg_aggregate) GETSTRUCT(tuple);

	result->agg_state = agg_state;
	result->row_context = agg_state->tmpcontext->ecxt_per_tuple_memory;
	result->nargs = list_length(aggref->args);
	result->args = args;
	get_typlenbyval(aggref->aggtranstype, &result->state_len, &result->state_byval);
	set_start(result, tuple, aggref->aggtranstype);

	check_function(aggregate->aggtransfn, owner);
	fmgr_info(aggregate->aggtransfn, &result->transition);
	build_aggregate_transfn_expr(input_types, ninputs, 0, aggref->aggvariadic,
								 aggref->aggtranstype, aggref->inputcollid,
								 aggregate->aggtransfn, InvalidOid, &expr, NULL);
	fmgr_info_set_expr((Node *) expr, &result->transition);

	if (aggref->aggtranstype == INTERNALOID)
	{
		check_function(aggregate->aggserialfn, owner);
		fmgr_info(aggregate->aggserialfn, &result->serial);
		build_aggregate_serialfn_expr(aggregate->aggserialfn, &expr);
		fmgr_info_set_expr((Node *) expr, &result->serial);
	}
	ReleaseSysCache(tuple);

	result->call = palloc0(SizeForFunctionCallInfo(result->nargs + 1));
	InitFunctionCallInfoData(*result->call, &result->transition, result->nargs + 1,
							 aggref->inputcollid, (Node *) agg_state, NULL);
	return result;
}

PGFunction
gpured_transition_function(const GpuredTransition *transition)
{
	return transition->transition.fn_addr;
}

bool
gpured_transition_starts_at_zero(const GpuredTransition *transition)
{
	return transition->starts_null || (transition->state_byval && transition->start == 0);
}

FunctionCallInfo
gpured_transition_call(const GpuredTransition *transition)
{
	return transition->call;
}

/* A state that outlives the row. */
static Datum
keep_state(GpuredTransition *transition, Datum value)
{
	MemoryContext groups = transition->agg_state->curaggcontext->ecxt_per_tuple_memory;
	MemoryContext old;

	if (transition->state_byval)
		return value;
	if (transition->state_len == -1 &&
		VARATT_IS_EXTERNAL_EXPANDED_RW(DatumGetPointer(value)) &&
		MemoryContextGetParent(DatumGetEOHP(value)->eoh_context) == groups)
		return value;
	old = MemoryContextSwitchTo(groups);
	value = datumCopy(value, false, transition->state_len);
	MemoryContextSwitchTo(old);
	return value;
}

static void
free_state(GpuredTransition *transition, Datum value)
{
	if (transition->state_len == -1 && VARATT_IS_EXTERNAL_EXPANDED_RW(DatumGetPointer(value)))
		DeleteExpandedObject(value);
	else
		pfree(DatumGetPointer(value));
}

static void
start(GpuredTransition *transition, GpuredTransitionState *state)
{
	state->null = transition->starts_null;
	state->value = state->null ? (Datum) 0 : keep_state(transition, transition->start);
	state->started = true;
}

void
gpured_transition_advance(GpuredTransition *transition, GpuredTransitionState *state,
						  const GpuredColumns *columns, int row)
{
	FunctionCallInfo call = transition->call;
	MemoryContext old;
	Datum		value;

	for (int i = 0; i < transition->nargs; i++)
	{
		const GpuredColumn *column = &columns->column[transition->args[i]];

		call->args[i + 1].isnull = column->nulls[row];
		if (column->nulls[row] && transition->transition.fn_strict)
			return;
		call->args[i + 1].value = gpured_column_datum(column, row);
	}

	if (!state->started)
	{
		/* A strict function without a start begins with the first value. */
		if (transition->transition.fn_strict && transition->starts_null)
		{
			state->value = keep_state(transition, call->args[1].value);
			state->null = false;
			state->started = true;
			return;
		}
		start(transition, state);
	}
	if (state->null && transition->transition.fn_strict)
		return;

	old = MemoryContextSwitchTo(transition->row_context);
	call->args[0].value = state->value;
	call->args[0].isnull = state->null;
	call->isnull = false;
	value = FunctionCallInvoke(call);
	if (!transition->state_byval && DatumGetPointer(value) != DatumGetPointer(state->value))
	{
		Datum		kept = call->isnull ? (Datum) 0 : keep_state(transition, value);

		if (!state->null)
			free_state(transition, state->value);
		value = kept;
	}
	state->value = value;
	state->null = call->isnull;
	MemoryContextSwitchTo(old);
	MemoryContextReset(transition->row_context);
}

Datum
gpured_transition_partial(GpuredTransition *transition, GpuredTransitionState *state, bool *null)
{
	LOCAL_FCINFO(call, 1);
	Datum		result;

	if (!state->started)
	{
		/* No value came. */
		if (transition->starts_null)
		{
			state->value = (Datum) 0;
			state->null = true;
			state->started = true;
		}
		else
			start(transition, state);
	}
	*null = state->null;
	if (!OidIsValid(transition->serial.fn_oid))
		return *null ? (Datum) 0 :
			MakeExpandedObjectReadOnly(state->value, false, transition->state_len);
	if (*null && transition->serial.fn_strict)
		return (Datum) 0;

	InitFunctionCallInfoData(*call, &transition->serial, 1, InvalidOid,
							 (Node *) transition->agg_state, NULL);
	call->args[0].value = state->value;
	call->args[0].isnull = state->null;
	result = FunctionCallInvoke(call);
	*null = call->isnull;
	return result;
}

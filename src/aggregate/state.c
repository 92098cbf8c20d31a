/*
 * state.c
 *	  What the states of all aggregates share: their memory, their serialized
 *	  form, and the decision to send values to the device.
 *
 * A serialized state comes from a worker of the same query, but it is a bytea
 * all the same: it is checked like any input, and refused with
 * ERRCODE_INVALID_BINARY_REPRESENTATION.
 */
#include "postgres.h"

#include "executor/nodeAgg.h"
#include "libpq/pqformat.h"
#include "nodes/execnodes.h"

#include "aggregate/aggregate.h"

MemoryContext
gpured_aggregate_context(FunctionCallInfo fcinfo)
{
	MemoryContext context;

	if (!AggCheckCallContext(fcinfo, &context))
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("aggregate function called in non-aggregate context")));
	return context;
}

Datum
gpured_call_builtin(PGFunction function, FunctionCallInfo caller, int nargs, Datum first, Datum second)
{
	LOCAL_FCINFO(fcinfo, 2);
	Datum		result;

	InitFunctionCallInfoData(*fcinfo, NULL, nargs, InvalidOid, caller->context, NULL);
	fcinfo->args[0].value = first;
	fcinfo->args[0].isnull = first == (Datum) 0;
	fcinfo->args[1].value = second;
	fcinfo->args[1].isnull = false;
	result = function(fcinfo);
	return fcinfo->isnull ? (Datum) 0 : result;
}

/*
 * Whether this call belongs to an aggregate that makes one row of its whole
 * input.  A device batch per group would take a slot of the pool for each.
 */
bool
gpured_is_ungrouped(FunctionCallInfo fcinfo)
{
	AggState   *aggstate = (AggState *) fcinfo->context;
	Agg		   *plan;

	/* a group's first row asks, so the least likely comes first */
	if (aggstate == NULL || !IsA(aggstate, AggState) || aggstate->aggstrategy != AGG_PLAIN)
		return false;
	plan = (Agg *) aggstate->ss.ps.plan;
	return plan->groupingSets == NIL && plan->chain == NIL;
}

TupleTableSlot *
gpured_scan_calls(PlanState *state)
{
	elog(ERROR, "the executor runs a node of a column scan's own");
}

/*
 * Called at an aggregate's first value.  Returns NULL if the device will never
 * be wanted, so that the caller can use its fastest state.
 */
GpuredOffload *
gpured_offload_start(FunctionCallInfo fcinfo, MemoryContext context, GpuredOp op)
{
	AggState   *aggstate = (AggState *) fcinfo->context;
	GpuredPath	path;

	if (!gpured_is_ungrouped(fcinfo))
		return NULL;
	path = aggstate->ss.ps.ExecProcNode == gpured_scan_calls ? GPURED_PATH_SCAN : GPURED_PATH_ROW;
	return gpured_offload_start_on(path, context, op);
}

/* The same for an aggregate that is known to be ungrouped. */
GpuredOffload *
gpured_offload_start_on(GpuredPath path, MemoryContext context, GpuredOp op)
{
	uint64		ask_again = PG_UINT64_MAX;
	bool		wanted = gpured_batcher_wanted(op, path, 0, &ask_again);
	GpuredOffload *offload;

	if (!wanted && ask_again == PG_UINT64_MAX)
		return NULL;

	offload = MemoryContextAllocZero(context, sizeof(GpuredOffload));
	offload->op = op;
	offload->path = path;
	offload->context = context;
	offload->ask_again = ask_again;
	if (wanted)
	{
		offload->batcher = gpured_batcher_create(context, op, path);
		if (offload->batcher == NULL)
		{
			pfree(offload);
			return NULL;
		}
	}
	return offload;
}

/*
 * The number of rows named at the last question has passed: ask again.  Returns
 * whether the batcher takes the value that has just been counted.
 */
bool
gpured_offload_ask(GpuredOffload *offload)
{
	uint64		ask_again = PG_UINT64_MAX;

	if (gpured_batcher_wanted(offload->op, offload->path, offload->rows, &ask_again))
	{
		/* If there is no batcher to be had, ask no more. */
		offload->batcher = gpured_batcher_create(offload->context, offload->op, offload->path);
		offload->ask_again = PG_UINT64_MAX;
		return offload->batcher != NULL;
	}
	offload->ask_again = ask_again;
	return false;
}

/*
 * What the device has summed so far.  Changes nothing that a later transition
 * or final function would see.
 */
void
gpured_offload_total(const GpuredOffload *offload, GpuredAcc *total)
{
	gpured_acc_init(offload->op, total);
	if (offload->batcher != NULL)
		gpured_batcher_finish(offload->batcher, total);
}

/* The same, and then the device begins at nothing again. */
void
gpured_offload_restart(const GpuredOffload *offload, GpuredAcc *total)
{
	gpured_acc_init(offload->op, total);
	if (offload->batcher != NULL)
		gpured_batcher_restart(offload->batcher, total);
}

void
gpured_state_begin(StringInfo buf, char kind)
{
	pq_begintypsend(buf);
	pq_sendbyte(buf, GPURED_STATE_VERSION);
	pq_sendbyte(buf, kind);
}

bytea *
gpured_state_end(StringInfo buf)
{
	return pq_endtypsend(buf);
}

void
gpured_state_corrupt(const char *detail)
{
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_BINARY_REPRESENTATION),
			 errmsg("invalid serialized state of a gpured aggregate"),
			 errdetail_internal("%s", detail)));
}

/* The first two bytes are not those of a state that is asked for. */
void
gpured_state_refuse(const StringInfoData *buf)
{
	if (buf->len < 2)
		gpured_state_corrupt("It is too short.");
	if (buf->data[0] != GPURED_STATE_VERSION)
		gpured_state_corrupt("Its version is not known.");
	gpured_state_corrupt("It belongs to another aggregate.");
}

/* Whether it is of that kind, of those that an aggregate has. */
bool
gpured_state_is(const bytea *state, char kind)
{
	return VARSIZE_ANY_EXHDR(state) >= 2 && VARDATA_ANY(state)[1] == kind;
}

void
gpured_send_int128(StringInfo buf, int128 value)
{
	pq_sendint64(buf, (uint64) (value >> 64));
	pq_sendint64(buf, (uint64) value);
}

int128
gpured_get_int128(StringInfo buf)
{
	uint64		hi;
	uint64		lo;

	gpured_state_need(buf, 16);
	hi = pq_getmsgint64(buf);
	lo = pq_getmsgint64(buf);
	return (int128) (((uint128) hi << 64) | lo);
}

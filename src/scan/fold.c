/*
 * fold.c
 *	  From batches of rows to groups and the partial states of their aggregates.
 *
 * Most aggregates are a total of one column, which the device folds a batch at a
 * time; several of the same column share it, as gpu_sum and gpu_avg do.  The
 * others call their own transition function for each row.  The device is this
 * process, or the server where an aggregate without groups is to be offloaded:
 * then the total is what the server has not seen, until a row comes out.
 *
 * The rows that come out are partial states, and a group may come out more than
 * once: whoever is above merges them.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "nodes/nodeFuncs.h"
#include "utils/memutils.h"

#include "aggregate/aggregate.h"
#include "aggregate/float_state.h"
#include "aggregate/order_key.h"
#include "aggregate/partial.h"
#include "compat.h"
#include "plan/plan.h"
#include "scan/fold.h"
#include "scan/groups.h"
#include "scan/transition.h"

/* The totals of one column in one group. */
typedef struct Total
{
	int64		n;				/* values */
	union
	{
		int128		sum;
		GpuredWindow *window;	/* NULL before the first value */
		int64		key;
	}			v;
} Total;

typedef struct Accumulator
{
	GpuredTotalKind kind;		/* GPURED_TOTAL_NONE for a transition */
	GpuredOp	op;
	int			column;			/* -1 for count(*) */
	int			filter;			/* column, or -1 */
	Size		offset;			/* of its state in a group's */
	GpuredTransition *transition;
	int			transno;		/* of the aggregate that has the transition */
	int numeric;				/* column of a numeric sum or average, or -1 */
	GpuredExact *exact;			/* what is not yet in the only group's window */
	bool		asked;			/* whether to offload it */
	GpuredOffload *offload;		/* its way to the server, or NULL */
} Accumulator;

typedef struct Output
{
	int			key;			/* which key, or -1 */
	int			accumulator;
	GpuredPartialForm form;
	bool		is_transition;
} Output;

struct GpuredFold
{
	GpuredColumns *columns;
	bool		has_group_by;
	uint64		rows;			/* since the last reset */
	int			noutputs;
	Output	   *outputs;
	int			naccumulators;
	Accumulator *accumulators;
	int			nkeys;
	int		   *keys;
	Size		state_size;
	GpuredGroups *groups;		/* NULL if there are no keys */
	char	   *state;			/* then of the only group */
	uint32	   *group;			/* of each row in the batch */
	bool	   *take;			/* whether a row has a value for an aggregate */
	void	   *dense;			/* the values of those that have */
	AggState   *agg_state;
	ExprContext *group_context;
	uint32		next;			/* group to be emitted */
};

static MemoryContext
group_memory(const GpuredFold *fold)
{
	return fold->group_context->ecxt_per_tuple_memory;
}

/* The number of an accumulator like this one, which is added if it is new. */
static int
add_accumulator(GpuredFold *fold, const Accumulator *accumulator)
{
	Accumulator *list = fold->accumulators;

	for (int i = 0; i < fold->naccumulators; i++)
	{
		if (list[i].kind == accumulator->kind && list[i].filter == accumulator->filter &&
			list[i].column == accumulator->column && list[i].op == accumulator->op &&
			list[i].transno == accumulator->transno)
			return i;
	}
	list[fold->naccumulators] = *accumulator;
	list[fold->naccumulators].offset = fold->state_size;
	fold->state_size += MAXALIGN(accumulator->kind == GPURED_TOTAL_NONE ?
								 sizeof(GpuredTransitionState) : sizeof(Total));
	return fold->naccumulators++;
}

static void
add_aggregate(GpuredFold *fold, Output *output, Aggref *aggref, ScanState *node)
{
	Accumulator accumulator = {.column = -1,.filter = -1,.transno = -1,.numeric = -1};
	int			nargs = list_length(aggref->args);
	int		   *args = palloc(Max(nargs, 1) * sizeof(int));
	const GpuredPartialInfo *info = NULL;
	ListCell   *lc;
	int			i = 0;

	/* The filter comes first: it guards the arguments. */
	if (aggref->aggfilter != NULL)
		accumulator.filter = gpured_columns_add_condition(fold->columns, aggref->aggfilter, node);
	foreach(lc, aggref->args)
		args[i++] = gpured_columns_add(fold->columns, ((TargetEntry *) lfirst(lc))->expr,
									   accumulator.filter);

	output->key = -1;
	accumulator.transition = gpured_transition_create(aggref, args, fold->agg_state);
	if (gpured_aggregate_is_known(aggref->aggfnoid) &&
		gpured_transition_starts_at_zero(accumulator.transition))
		info = gpured_partial_find(gpured_transition_function(accumulator.transition));
	if (info != NULL && nargs <= 1)
	{
		accumulator.kind = info->kind;
		accumulator.op = info->op;
		accumulator.column = nargs == 1 ? args[0] : -1;
		output->form = info->form;
	}
	else
	{
		accumulator.transno = aggref->aggtransno;
		if (gpured_transition_function(accumulator.transition) == gpured_numeric_step)
			accumulator.numeric = args[0];
	}
	output->is_transition = accumulator.kind == GPURED_TOTAL_NONE;
	output->accumulator = add_accumulator(fold, &accumulator);
}

static bool
has_keys(List *outputs)
{
	ListCell   *lc;

	foreach(lc, outputs)
	{
		if (!IsA(((TargetEntry *) lfirst(lc))->expr, Aggref))
			return true;
	}
	return false;
}

GpuredFold *
gpured_fold_create(List *outputs, bool has_group_by, GpuredColumns *columns, ScanState *node)
{
	GpuredFold *fold = palloc0(sizeof(GpuredFold));
	EState	   *estate = node->ps.state;
	ListCell   *lc;

	fold->columns = columns;
	fold->has_group_by = has_group_by;
	fold->group_context = CreateExprContext(estate);
	fold->agg_state = gpured_make_agg_state(estate, fold->group_context, has_keys(outputs));
	fold->outputs = palloc0(list_length(outputs) * sizeof(Output));
	fold->accumulators = palloc0(list_length(outputs) * sizeof(Accumulator));
	fold->keys = palloc(list_length(outputs) * sizeof(int));

	foreach(lc, outputs)
	{
		Expr	   *expr = ((TargetEntry *) lfirst(lc))->expr;
		Output	   *output = &fold->outputs[fold->noutputs++];

		if (IsA(expr, Aggref))
			add_aggregate(fold, output, (Aggref *) expr, node);
		else
		{
			int			column = gpured_columns_add(columns, expr, -1);

			columns->column[column].detoast = true;
			output->key = fold->nkeys;
			fold->keys[fold->nkeys++] = column;
		}
	}
	return fold;
}

void
gpured_fold_prepare(GpuredFold *fold)
{
	fold->take = palloc(fold->columns->room * sizeof(bool));
	fold->dense = palloc(fold->columns->room * sizeof(int64));
	if (fold->nkeys > 0)
	{
		fold->group = palloc(fold->columns->room * sizeof(uint32));
		fold->groups = gpured_groups_create(fold->keys, fold->nkeys, fold->state_size,
											fold->columns, group_memory(fold));
	}
	else
	{
		fold->state = palloc0(Max(fold->state_size, 1));
		for (int i = 0; i < fold->naccumulators; i++)
		{
			if (fold->accumulators[i].kind == GPURED_TOTAL_FLOAT)
			{
				fold->accumulators[i].exact = palloc(sizeof(GpuredExact));
				gpured_exact_init(fold->accumulators[i].exact);
			}
		}
	}
}

void
gpured_fold_reset(GpuredFold *fold)
{
	fold->rows = 0;
	fold->next = 0;
	ReScanExprContext(fold->group_context);
	if (fold->groups != NULL)
	{
		gpured_groups_reset(fold->groups);
		return;
	}
	memset(fold->state, 0, fold->state_size);
	for (int i = 0; i < fold->naccumulators; i++)
	{
		if (fold->accumulators[i].exact != NULL)
			gpured_exact_init(fold->accumulators[i].exact);
		fold->accumulators[i].asked = false;
		fold->accumulators[i].offload = NULL;
	}
}

bool
gpured_fold_is_full(const GpuredFold *fold)
{
	return fold->groups != NULL &&
		MemoryContextMemAllocated(group_memory(fold), true) > get_hash_memory_limit();
}

/* Which rows have a value for an aggregate; NULL if all have. */
static const bool *
rows_with_value(GpuredFold *fold, const Accumulator *accumulator)
{
	const GpuredColumns *columns = fold->columns;
	const GpuredColumn *column = NULL;
	bool	   *take = fold->take;

	if (accumulator->column >= 0 && columns->column[accumulator->column].has_nulls)
		column = &columns->column[accumulator->column];
	if (accumulator->filter >= 0)
	{
		const GpuredColumn *filter = &columns->column[accumulator->filter];

		for (int i = 0; i < columns->n; i++)
			take[i] = filter->values[i] & !filter->nulls[i];
		for (int i = 0; column != NULL && i < columns->n; i++)
			take[i] &= !column->nulls[i];
		return take;
	}
	if (column == NULL)
		return NULL;
	for (int i = 0; i < columns->n; i++)
		take[i] = !column->nulls[i];
	return take;
}

/* The values that are there, without gaps. */
static GpuredBatch
dense_values(GpuredFold *fold, const Accumulator *accumulator)
{
	const GpuredColumn *column = &fold->columns->column[accumulator->column];
	const bool *take = rows_with_value(fold, accumulator);
	GpuredBatch batch = {.values = column->values,.n = fold->columns->n};
	size_t		to = 0;

	if (take == NULL)
		return batch;

#define DENSE(ctype) \
	do { \
		for (int i = 0; i < fold->columns->n; i++) \
		{ \
			((ctype *) fold->dense)[to] = ((const ctype *) column->values)[i]; \
			to += take[i]; \
		} \
	} while (0)

	if (column->len == 8)
		DENSE(int64);
	else if (column->len == 4)
		DENSE(int32);
	else
		DENSE(int16);
#undef DENSE
	batch.values = fold->dense;
	batch.n = to;
	return batch;
}

/* Add what the server has to the only group's total; integers are 128 bits wide. */
static void
add_offloaded(Accumulator *accumulator, Total *total)
{
	GpuredAcc	acc;
	int64		key;

	gpured_offload_total(accumulator->offload, &acc);
	if (acc.n == 0)
		return;
	switch (accumulator->kind)
	{
		case GPURED_TOTAL_FLOAT:
			gpured_exact_merge(accumulator->exact, &acc.v.exact);
			break;
		case GPURED_TOTAL_INT:
			total->v.sum += gpured_int128_of(acc.v.i128);
			break;
		default:
			key = gpured_key_of_acc(accumulator->op, &acc);
			total->v.key = total->n == 0 ? key : Max(total->v.key, key);
			break;
	}
	total->n += acc.n;
	accumulator->offload = NULL;
}

/* Hand over a batch to the server; false if it is to be folded here. */
static bool
offload(GpuredFold *fold, Accumulator *accumulator, const GpuredBatch *batch)
{
	if (!accumulator->asked)
		accumulator->offload = gpured_offload_start_on(GPURED_PATH_SCAN, group_memory(fold),
													   accumulator->op);
	accumulator->asked = true;
	if (accumulator->offload == NULL || !gpured_offload_takes_many(accumulator->offload, batch->n))
		return false;
	gpured_batcher_append(accumulator->offload->batcher, batch->values, batch->n);
	return true;
}

/* Fold the batch into the only group by the device. */
static void
fold_total(GpuredFold *fold, Accumulator *accumulator)
{
	Total	   *total = (Total *) (fold->state + accumulator->offset);
	GpuredBatch batch;
	GpuredAcc	acc;
	int64		key;

	if (accumulator->kind == GPURED_TOTAL_COUNT)
	{
		const bool *take = rows_with_value(fold, accumulator);

		if (take == NULL)
			total->n += fold->columns->n;
		for (int i = 0; take != NULL && i < fold->columns->n; i++)
			total->n += take[i];
		return;
	}

	batch = dense_values(fold, accumulator);
	if (batch.n == 0 || offload(fold, accumulator, &batch))
		return;
	acc.n = 0;
	if (accumulator->kind == GPURED_TOTAL_FLOAT)
		acc.v.exact = *accumulator->exact;
	else
		gpured_acc_init(accumulator->op, &acc);
	(void) gpured_cpu_device.reduce(accumulator->op, &batch, &acc);
	switch (accumulator->kind)
	{
		case GPURED_TOTAL_FLOAT:
			*accumulator->exact = acc.v.exact;
			break;
		case GPURED_TOTAL_INT:
			total->v.sum += gpured_op_info[accumulator->op].acc == GPURED_ACC_wide ?
				gpured_int128_of(acc.v.i128) : (int128) acc.v.i64;
			break;
		default:
			key = gpured_key_of_acc(accumulator->op, &acc);
			total->v.key = total->n == 0 ? key : Max(total->v.key, key);
			break;
	}
	total->n += batch.n;
}

static void
fold_transition(GpuredFold *fold, Accumulator *accumulator)
{
	const bool *take = rows_with_value(fold, accumulator);
	const int	n = fold->columns->n;
	const GpuredColumn *numeric = NULL;

	if (accumulator->numeric >=0)
		numeric = &fold->columns->column[accumulator->numeric];

	for (int i = 0; i < n; i++)
	{
		GpuredTransitionState *state;

		if (take != NULL && !take[i])
			continue;
		state = (GpuredTransitionState *) (fold->state + accumulator->offset);
		if (fold->groups != NULL)
			state = (GpuredTransitionState *)
				(fold->groups->states + fold->group[i] * fold->state_size + accumulator->offset);
		if (numeric !=NULL && state->started && !numeric->nulls[i] &&
			gpured_numeric_add_short(state->value, ((struct varlena **) numeric->values)[i]))
			continue;
		gpured_transition_advance(accumulator->transition, state, fold->columns, i);
	}
}

/* For each row that has a value, with "total" its group's. */
#define EACH_ROW(body) \
	do { \
		for (int i = 0; i < n; i++) \
		{ \
			Total	   *total; \
			if (take != NULL && !take[i]) \
				continue; \
			total = (Total *) (states + group[i] * size); \
			total->n++; \
			body; \
		} \
	} while (0)

#define EACH_INT(ctype) EACH_ROW(total->v.sum += ((const ctype *) values)[i])
#define EACH_FLOAT(ctype) EACH_ROW(add_to_window(fold, total, ((const ctype *) values)[i]))
#define EACH_KEY(to_key, ctype) \
	EACH_ROW(keep_greatest(total, to_key(((const ctype *) values)[i]) ^ invert))

static inline void
add_to_window(GpuredFold *fold, Total *total, double value)
{
	MemoryContext context = group_memory(fold);

	if (unlikely(total->v.window == NULL))
		total->v.window = gpured_window_create(&gpured_context_allocator, context);
	total->v.window = gpured_window_add(total->v.window, value, &gpured_context_allocator, context);
}

static inline void
keep_greatest(Total *total, int64 key)
{
	if (total->n == 1 || key > total->v.key)
		total->v.key = key;
}

/* Fold the batch into groups. */
static void
fold_groups(GpuredFold *fold, Accumulator *accumulator)
{
	const bool *take = rows_with_value(fold, accumulator);
	const uint32 *group = fold->group;
	char	   *states = fold->groups->states + accumulator->offset;
	const Size	size = fold->state_size;
	const int	n = fold->columns->n;
	const int64 invert = gpured_op_is_least(accumulator->op) ? -1 : 0;
	const void *values = NULL;

	if (accumulator->column >= 0)
		values = fold->columns->column[accumulator->column].values;
	if (accumulator->kind == GPURED_TOTAL_COUNT)
	{
		EACH_ROW((void) 0);
		return;
	}
	switch (accumulator->op)
	{
		case GPURED_reduce_sum_int2:
			EACH_INT(int16);
			break;
		case GPURED_reduce_sum_int4:
			EACH_INT(int32);
			break;
		case GPURED_reduce_sum_int8:
			EACH_INT(int64);
			break;
		case GPURED_reduce_sum_float4:
			EACH_FLOAT(float4);
			break;
		case GPURED_reduce_sum_float8:
			EACH_FLOAT(float8);
			break;
		case GPURED_reduce_min_int2:
		case GPURED_reduce_max_int2:
			EACH_KEY((int64), int16);
			break;
		case GPURED_reduce_min_int4:
		case GPURED_reduce_max_int4:
			EACH_KEY((int64), int32);
			break;
		case GPURED_reduce_min_int8:
		case GPURED_reduce_max_int8:
			EACH_KEY((int64), int64);
			break;
		case GPURED_reduce_min_float4:
		case GPURED_reduce_max_float4:
			EACH_KEY(float4_key, float4);
			break;
		case GPURED_reduce_min_float8:
		case GPURED_reduce_max_float8:
			EACH_KEY(float8_key, float8);
			break;
		default:
			elog(ERROR, "unexpected operation of a column scan: %d", (int) accumulator->op);
	}
}

void
gpured_fold_batch(GpuredFold *fold)
{
	if (fold->columns->n > 0)
	{
		if (fold->groups != NULL)
			gpured_groups_find(fold->groups, fold->columns, fold->group);
		for (int i = 0; i < fold->naccumulators; i++)
		{
			Accumulator *accumulator = &fold->accumulators[i];

			if (accumulator->kind == GPURED_TOTAL_NONE)
				fold_transition(fold, accumulator);
			else if (fold->groups != NULL)
				fold_groups(fold, accumulator);
			else
				fold_total(fold, accumulator);
		}
	}
	fold->rows += fold->columns->n;
	gpured_columns_clear(fold->columns);
}

/* The partial state of an aggregate that is a total. */
static Datum
partial_total(GpuredFold *fold, Accumulator *accumulator, const Output *output,
			  Total *total, bool *null)
{
	*null = false;
	if (accumulator->kind == GPURED_TOTAL_COUNT)
		return Int64GetDatum(total->n);
	if (accumulator->offload != NULL)
		add_offloaded(accumulator, total);
	*null = total->n == 0;
	if (*null)
		return (Datum) 0;
	if (accumulator->kind == GPURED_TOTAL_INT)
		return gpured_partial_int(output->form, total->n, total->v.sum);
	if (accumulator->kind == GPURED_TOTAL_EXTREME)
		return gpured_partial_extreme(total->v.key);
	if (accumulator->exact != NULL)
	{
		GpuredWindow *window = gpured_window_create(&gpured_context_allocator,
													CurrentMemoryContext);

		window = gpured_window_add_exact(window, accumulator->exact, &gpured_context_allocator,
										 CurrentMemoryContext);
		return gpured_partial_float(output->form, total->n, window);
	}
	return gpured_partial_float(output->form, total->n, total->v.window);
}

bool
gpured_fold_emit(GpuredFold *fold, TupleTableSlot *slot)
{
	char	   *state = fold->state;

	if (fold->groups != NULL)
	{
		if (fold->next == fold->groups->n)
			return false;
		state = fold->groups->states + fold->next * fold->state_size;
	}
	else if (fold->next > 0 || (fold->has_group_by && fold->rows == 0))
		return false;

	for (int i = 0; i < fold->noutputs; i++)
	{
		const Output *output = &fold->outputs[i];
		Accumulator *accumulator = &fold->accumulators[output->accumulator];
		bool	   *null = &slot->tts_isnull[i];

		if (output->key >= 0)
			slot->tts_values[i] = gpured_groups_key(fold->groups, fold->columns, fold->next,
													output->key, null);
		else if (output->is_transition)
			slot->tts_values[i] =
				gpured_transition_partial(accumulator->transition,
										  (GpuredTransitionState *) (state + accumulator->offset),
										  null);
		else
			slot->tts_values[i] = partial_total(fold, accumulator, output,
												(Total *) (state + accumulator->offset), null);
	}
	fold->next++;
	return true;
}

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
 * once: whoever is above merges them.  So there is no need to find groups where
 * that is of no use: where nearly each row has a group of its own, the rows pass
 * as they are, each as the state of one row.
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

/* After so many rows it is asked whether grouping is of use, and at each double of it. */
#define PASS_SAMPLE 32768

/* Rows that pass are so many times those that were looked at before. */
#define PASS_FACTOR 16

/* The totals of one column in the only group. */
typedef struct Total
{
	int64		n;				/* values */
	union
	{
		int128		sum;
		int64		key;
	}			v;
} Total;

typedef struct Accumulator
{
	GpuredTotalKind kind;		/* GPURED_TOTAL_NONE for a transition */
	GpuredOp	op;
	int			column;			/* -1 for count(*) */
	int			filter;			/* column, or -1 */
	GpuredTransition *transition;
	int			transno;		/* of the aggregate that has the transition */
	int numeric;				/* column of a numeric sum or average, or -1 */

	/* With groups: which aggregate of the device, or where its state is. */
	int			aggregate;
	Size		offset;

	/* Without: the only group's. */
	Total		total;
	GpuredExact *exact;
	GpuredTransitionState state;
	bool		asked;			/* whether to offload it */
	GpuredOffload *offload;		/* its way to the server, or NULL */
} Accumulator;

typedef struct Output
{
	int			key;			/* which key, or -1 */
	int			accumulator;
	GpuredPartialForm form;
	bool		is_transition;
	char	   *space;			/* for the partial state of a total */
} Output;

/* A column of a batch with a filter: what the device calls a column. */
typedef struct Input
{
	int			column;			/* -1: no values, only which rows count */
	int			filter;			/* -1: all rows */
	uint64	   *valid;			/* room for the bits of a batch */
} Input;

struct GpuredFold
{
	GpuredColumns *columns;
	bool		has_group_by;
	uint64		rows;			/* folded since the last reset */
	int			noutputs;
	Output	   *outputs;
	int			naccumulators;
	Accumulator *accumulators;
	bool		has_transitions;
	int			nkeys;
	int		   *keys;
	bool	   *take;			/* whether a row has a value for an aggregate */
	void	   *dense;			/* the values of those that have */
	AggState   *agg_state;
	ExprContext *group_context;

	/* If there are keys. */
	GpuredGroups *groups;
	int			ninputs;
	Input	   *inputs;
	GpuredGroupedColumn *batch; /* inputs of the whole batch */
	GpuredGroupedColumn *rest;	/* of the rows that come next */
	uint32		group[GPURED_GROUPS_ROWS];
	bool		begun;			/* with the batch */
	int			folded;			/* rows of the batch */
	uint64		next_sample;	/* number of rows */
	double		pass_left;		/* rows that are to pass as they are */
	bool		passing;		/* those of the batch, once groups are out */
	bool		groups_are_out;

	uint32		next;			/* group, or row of the batch, to be emitted */
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
	fold->has_transitions |= output->is_transition;
	if (!output->is_transition)
		output->space = palloc(GPURED_PARTIAL_ROOM);
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
	fold->inputs = palloc0(list_length(outputs) * sizeof(Input));
	fold->batch = palloc0(list_length(outputs) * sizeof(GpuredGroupedColumn));
	fold->rest = palloc0(list_length(outputs) * sizeof(GpuredGroupedColumn));
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

/* The number of an input, which is added if it is new. */
static int
add_input(GpuredFold *fold, int column, int filter)
{
	Input	   *input = &fold->inputs[fold->ninputs];

	for (int i = 0; i < fold->ninputs; i++)
	{
		if (fold->inputs[i].column == column && fold->inputs[i].filter == filter)
			return i;
	}
	input->column = column;
	input->filter = filter;
	input->valid = palloc((fold->columns->room + 63) / 64 * sizeof(uint64));
	return fold->ninputs++;
}

/* Let the device have the groups, and the totals of their columns. */
static void
prepare_groups(GpuredFold *fold)
{
	GpuredGroupedAggregate *aggregates = palloc(Max(fold->naccumulators, 1) *
												sizeof(GpuredGroupedAggregate));
	GpuredGroupedSpec spec = {.aggregates = aggregates,.memory_limit = get_hash_memory_limit()};

	for (int i = 0; i < fold->naccumulators; i++)
	{
		Accumulator *accumulator = &fold->accumulators[i];

		if (accumulator->kind == GPURED_TOTAL_NONE)
		{
			accumulator->offset = spec.state_size;
			spec.state_size += sizeof(GpuredTransitionState);
			continue;
		}
		accumulator->aggregate = spec.naggregates++;
		aggregates[accumulator->aggregate].op = accumulator->op;
		aggregates[accumulator->aggregate].column = add_input(fold, accumulator->column,
															  accumulator->filter);
	}
	spec.ncolumns = fold->ninputs;
	fold->groups = gpured_groups_create(fold->keys, fold->nkeys, &spec, fold->columns,
										CurrentMemoryContext);
	fold->next_sample = PASS_SAMPLE;
}

void
gpured_fold_prepare(GpuredFold *fold)
{
	fold->take = palloc(fold->columns->room * sizeof(bool));
	fold->dense = palloc(fold->columns->room * sizeof(int64));
	if (fold->nkeys > 0)
	{
		prepare_groups(fold);
		return;
	}
	for (int i = 0; i < fold->naccumulators; i++)
	{
		if (fold->accumulators[i].kind == GPURED_TOTAL_FLOAT)
		{
			fold->accumulators[i].exact = palloc(sizeof(GpuredExact));
			gpured_exact_init(fold->accumulators[i].exact);
		}
	}
}

void
gpured_fold_continue(GpuredFold *fold)
{
	fold->rows = 0;
	fold->next = 0;
	fold->groups_are_out = false;
	ReScanExprContext(fold->group_context);
	if (fold->passing)
		gpured_columns_clear(fold->columns);
	if (fold->columns->n == 0)
	{
		fold->begun = false;
		fold->folded = 0;
	}
	fold->passing = false;
	fold->next_sample = PASS_SAMPLE;
	if (fold->groups != NULL)
		gpured_groups_reset(fold->groups);
}

void
gpured_fold_reset(GpuredFold *fold)
{
	gpured_columns_clear(fold->columns);
	gpured_fold_continue(fold);
	fold->pass_left = 0;
	for (int i = 0; i < fold->naccumulators; i++)
	{
		Accumulator *accumulator = &fold->accumulators[i];

		memset(&accumulator->total, 0, sizeof(accumulator->total));
		memset(&accumulator->state, 0, sizeof(accumulator->state));
		if (accumulator->exact != NULL)
			gpured_exact_init(accumulator->exact);
		accumulator->asked = false;
		accumulator->offload = NULL;
	}
}

/* Which rows have a value for an aggregate, of n from a row on; NULL if all have. */
static const bool *
rows_with_value(GpuredFold *fold, const Accumulator *accumulator, int from, int n)
{
	const GpuredColumns *columns = fold->columns;
	const bool *nulls = NULL;
	bool	   *take = fold->take;

	if (accumulator->column >= 0 && columns->column[accumulator->column].has_nulls)
		nulls = columns->column[accumulator->column].nulls + from;
	if (accumulator->filter >= 0)
	{
		const GpuredColumn *filter = &columns->column[accumulator->filter];

		for (int i = 0; i < n; i++)
			take[i] = filter->values[from + i] & !filter->nulls[from + i];
		for (int i = 0; nulls != NULL && i < n; i++)
			take[i] &= !nulls[i];
		return take;
	}
	if (nulls == NULL)
		return NULL;
	for (int i = 0; i < n; i++)
		take[i] = !nulls[i];
	return take;
}

/* The values that are there, without gaps. */
static GpuredBatch
dense_values(GpuredFold *fold, const Accumulator *accumulator)
{
	const GpuredColumn *column = &fold->columns->column[accumulator->column];
	const bool *take = rows_with_value(fold, accumulator, 0, fold->columns->n);
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
	Total	   *total = &accumulator->total;
	GpuredBatch batch;
	GpuredAcc	acc;
	int64		key;

	if (accumulator->kind == GPURED_TOTAL_COUNT)
	{
		const bool *take = rows_with_value(fold, accumulator, 0, fold->columns->n);

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

/* The state of a row's group, or of the only one. */
static inline GpuredTransitionState *
transition_state(const GpuredFold *fold, Accumulator *accumulator, uint32 group)
{
	if (fold->groups == NULL)
		return &accumulator->state;
	return (GpuredTransitionState *)
		((char *) gpured_grouped_state(gpured_groups_device(fold->groups), group) +
		 accumulator->offset);
}

static void
fold_transition(GpuredFold *fold, Accumulator *accumulator, int from, int n)
{
	const bool *take = rows_with_value(fold, accumulator, from, n);
	const GpuredColumn *numeric = NULL;

	if (accumulator->numeric >=0)
		numeric = &fold->columns->column[accumulator->numeric];

	for (int i = 0; i < n; i++)
	{
		GpuredTransitionState *state;

		if (take != NULL && !take[i])
			continue;
		state = transition_state(fold, accumulator, fold->group[i % GPURED_GROUPS_ROWS]);
		if (numeric !=NULL && state->started && !numeric->nulls[from + i] &&
			gpured_numeric_add_short(state->value,
									 ((struct varlena **) numeric->values)[from + i]))
			continue;
		gpured_transition_advance(accumulator->transition, state, fold->columns, from + i);
	}
}

/* Fold the batch into the only group. */
static void
fold_ungrouped(GpuredFold *fold)
{
	for (int i = 0; fold->columns->n > 0 && i < fold->naccumulators; i++)
	{
		Accumulator *accumulator = &fold->accumulators[i];

		if (accumulator->kind == GPURED_TOTAL_NONE)
			fold_transition(fold, accumulator, 0, fold->columns->n);
		else
			fold_total(fold, accumulator);
	}
	fold->rows += fold->columns->n;
}

/* Make the batch's columns the device's. */
static void
begin_batch(GpuredFold *fold)
{
	const GpuredColumns *columns = fold->columns;

	gpured_groups_begin_batch(fold->groups, columns);
	for (int i = 0; i < fold->ninputs; i++)
	{
		const Input *input = &fold->inputs[i];
		GpuredGroupedColumn *batch = &fold->batch[i];
		const bool *nulls = NULL;
		const GpuredColumn *filter = NULL;

		batch->values = NULL;
		batch->valid = NULL;
		if (input->column >= 0)
		{
			batch->values = columns->column[input->column].values;
			if (columns->column[input->column].has_nulls)
				nulls = columns->column[input->column].nulls;
		}
		if (input->filter >= 0)
			filter = &columns->column[input->filter];
		if (nulls == NULL && filter == NULL)
			continue;
		gpured_rows_to_bits(nulls, filter != NULL ? (const bool *) filter->values : NULL,
							filter != NULL ? filter->nulls : NULL, columns->n, input->valid);
		batch->valid = input->valid;
	}
	fold->begun = true;
}

/* Fold rows of the batch into groups; false if there is no room for new groups. */
static bool
fold_rows(GpuredFold *fold, int n)
{
	const GpuredColumns *columns = fold->columns;
	const int	from = fold->folded;
	const Size	limit = get_hash_memory_limit();
	const Size	states = fold->has_transitions ?
		MemoryContextMemAllocated(group_memory(fold), true) : 0;
	GpuredGroupedColumn *values = fold->rest;
	int			taken;

	if (fold->rows > 0 && states >= limit)
		return false;
	for (int i = 0; i < fold->ninputs; i++)
	{
		const GpuredGroupedColumn *all = &fold->batch[i];
		int			column = fold->inputs[i].column;

		values[i].values = column < 0 ? NULL :
			(const char *) all->values + from * columns->column[column].len;
		values[i].valid = all->valid != NULL ? all->valid + from / 64 : NULL;
	}
	taken = gpured_groups_fold(fold->groups, columns, values, from, n,
							   states < limit ? limit - states : 1, fold->group);
	for (int i = 0; taken > 0 && i < fold->naccumulators; i++)
	{
		if (fold->accumulators[i].kind == GPURED_TOTAL_NONE)
			fold_transition(fold, &fold->accumulators[i], from, taken);
	}
	fold->folded += taken;
	fold->rows += taken;
	return taken == n;
}

/*
 * Whether to look for groups no further, but to pass rows on as they are.  Of n
 * rows with c fewer groups, which are a sample, N rows would save
 *
 *		c / n * N / n
 *
 * of themselves, since two rows meet by chance n^2 times as often in n times as
 * many.  It is worth nothing unless a quarter of them is saved.  Where rows of a
 * group come one after another the groups are few at once.
 */
static void
consider_passing(GpuredFold *fold, double rows_to_come)
{
	double		n = fold->rows;
	double		saved = n - gpured_grouped_groups(gpured_groups_device(fold->groups));

	if (saved * (n + rows_to_come) < n * n / 4)
		fold->pass_left = PASS_FACTOR * n;
}

/* How many rows more the groups' memory may be enough for, at the least. */
static double
room_left(const GpuredFold *fold)
{
	double		memory = gpured_groups_memory(fold->groups) +
		MemoryContextMemAllocated(group_memory(fold), true);

	return fold->rows * get_hash_memory_limit() / memory;
}

GpuredFolded
gpured_fold_batch(GpuredFold *fold, double rows_to_come)
{
	GpuredColumns *columns = fold->columns;

	if (fold->groups == NULL)
		fold_ungrouped(fold);
	while (fold->groups != NULL && fold->folded < columns->n)
	{
		int			rest = columns->n - fold->folded;

		if (fold->pass_left > 0)
		{
			fold->pass_left -= rest;
			fold->passing = true;
			return GPURED_FOLD_PASSES;
		}
		if (!fold->begun)
			begin_batch(fold);
		if (!fold_rows(fold, Min(rest, GPURED_GROUPS_ROWS)))
		{
			consider_passing(fold, 0);
			return GPURED_FOLD_IS_FULL;
		}
		if (fold->rows >= fold->next_sample)
		{
			consider_passing(fold, Min(rows_to_come, room_left(fold)));
			fold->next_sample = 2 * fold->rows;
		}
	}
	gpured_columns_clear(columns);
	fold->begun = false;
	fold->folded = 0;
	return GPURED_FOLD_IS_DONE;
}

int
gpured_fold_left(const GpuredFold *fold)
{
	return fold->columns->n - fold->folded;
}

/* The partial state of an aggregate that is a total, of the only group. */
static Datum
partial_total(Accumulator *accumulator, const Output *output, bool *null)
{
	Total	   *total = &accumulator->total;
	GpuredWindow *window;

	*null = false;
	if (accumulator->kind == GPURED_TOTAL_COUNT)
		return Int64GetDatum(total->n);
	if (accumulator->offload != NULL)
		add_offloaded(accumulator, total);
	*null = total->n == 0;
	if (*null)
		return (Datum) 0;
	if (accumulator->kind == GPURED_TOTAL_INT)
		return gpured_partial_int(output->space, output->form, total->n, total->v.sum);
	if (accumulator->kind == GPURED_TOTAL_EXTREME)
		return gpured_partial_extreme(output->space, total->v.key);
	window = gpured_window_create(&gpured_context_allocator, CurrentMemoryContext);
	window = gpured_window_add_exact(window, accumulator->exact, &gpured_context_allocator,
									 CurrentMemoryContext);
	return gpured_partial_float(output->space, output->form, total->n, PointerGetDatum(window));
}

/* The order key of a value that an extreme takes, or that it is. */
static int64
extreme_key(GpuredOp op, int64 integer, double number)
{
	const GpuredOpInfo *info = &gpured_op_info[op];
	bool		is_float = info->acc == GPURED_ACC_least_float || info->acc == GPURED_ACC_greatest_float;
	int64		key = integer;

	if (is_float && info->input_size == sizeof(float4))
		key = float4_key((float4) number);
	else if (is_float)
		key = float8_key(number);
	return gpured_op_is_least(op) ? ~key : key;
}

/* The same of a group of the device. */
static Datum
partial_of_group(GpuredFold *fold, const Accumulator *accumulator, const Output *output,
				 uint32 group, bool *null)
{
	const GpuredGrouped *device = gpured_groups_device(fold->groups);
	const int	a = accumulator->aggregate;
	const int64 n = gpured_grouped_count(device, group, a);
	uint8_t		bytes[GPURED_WINDOW_MAX_BYTES];
	double		sum;

	*null = false;
	if (accumulator->kind == GPURED_TOTAL_COUNT)
		return Int64GetDatum(n);
	*null = n == 0;
	if (*null)
		return (Datum) 0;
	switch (accumulator->kind)
	{
		case GPURED_TOTAL_INT:
			return gpured_partial_int(output->space, output->form, n,
									  gpured_int128_of(gpured_grouped_int_sum(device, group, a)));
		case GPURED_TOTAL_FLOAT:
			if (gpured_grouped_double(device, group, a, &sum) &&
				GPURED_FLOAT_IS_DOUBLE(gpured_double_to_sum(sum)))
				return gpured_partial_float(output->space, output->form, n,
											gpured_double_to_sum(sum));
			return gpured_partial_written(output->space, output->form, n, bytes,
										  gpured_grouped_write_window(device, group, a, bytes));
		default:
			/* whichever of the two it is */
			return gpured_partial_extreme(output->space,
										  extreme_key(accumulator->op,
													  gpured_grouped_int_extreme(device, group, a),
													  gpured_grouped_float_extreme(device, group, a)));
	}
}

/* The same of one row of the batch. */
static Datum
partial_of_row(GpuredFold *fold, const Accumulator *accumulator, const Output *output,
			   int row, bool *null)
{
	const GpuredColumn *column = NULL;
	const GpuredColumn *filter = NULL;
	GpuredAccKind acc;
	int64		integer = 0;
	double		number = 0;
	Datum		sum;
	bool		counts;

	if (accumulator->column >= 0)
		column = &fold->columns->column[accumulator->column];
	if (accumulator->filter >= 0)
		filter = &fold->columns->column[accumulator->filter];
	counts = (column == NULL || !column->nulls[row]) &&
		(filter == NULL || (filter->values[row] && !filter->nulls[row]));
	*null = false;
	if (accumulator->kind == GPURED_TOTAL_COUNT)
		return Int64GetDatum(counts);
	*null = !counts;
	if (*null)
		return (Datum) 0;

	acc = gpured_op_info[accumulator->op].acc;
	if (acc == GPURED_ACC_exact || acc == GPURED_ACC_least_float || acc == GPURED_ACC_greatest_float)
		number = column->len == sizeof(float4) ? ((const float4 *) column->values)[row] :
			((const float8 *) column->values)[row];
	else if (column->len == sizeof(int16))
		integer = ((const int16 *) column->values)[row];
	else if (column->len == sizeof(int32))
		integer = ((const int32 *) column->values)[row];
	else
		integer = ((const int64 *) column->values)[row];

	if (accumulator->kind == GPURED_TOTAL_INT)
		return gpured_partial_int(output->space, output->form, 1, integer);
	if (accumulator->kind == GPURED_TOTAL_EXTREME)
		return gpured_partial_extreme(output->space, extreme_key(accumulator->op, integer, number));
	sum = gpured_double_to_sum(number);
	if (!GPURED_FLOAT_IS_DOUBLE(sum))
	{
		GpuredWindow *window = gpured_window_create(&gpured_context_allocator, CurrentMemoryContext);

		sum = PointerGetDatum(gpured_window_add(window, number, &gpured_context_allocator,
												CurrentMemoryContext));
	}
	return gpured_partial_float(output->space, output->form, 1, sum);
}

/* The partial state of one row, by its own transition function. */
static Datum
transition_of_row(GpuredFold *fold, const Accumulator *accumulator, int row, bool *null)
{
	GpuredTransitionState state = {.started = false};
	bool		counts = true;

	if (accumulator->filter >= 0)
	{
		const GpuredColumn *filter = &fold->columns->column[accumulator->filter];

		counts = filter->values[row] && !filter->nulls[row];
	}
	if (counts)
		gpured_transition_advance(accumulator->transition, &state, fold->columns, row);
	return gpured_transition_partial(accumulator->transition, &state, null);
}

static void
emit_row(GpuredFold *fold, int row, TupleTableSlot *slot)
{
	/* what the row before has left */
	if (fold->has_transitions)
		ReScanExprContext(fold->group_context);
	for (int i = 0; i < fold->noutputs; i++)
	{
		const Output *output = &fold->outputs[i];
		const Accumulator *accumulator = &fold->accumulators[output->accumulator];
		bool	   *null = &slot->tts_isnull[i];

		if (output->key >= 0)
		{
			const GpuredColumn *column = &fold->columns->column[fold->keys[output->key]];

			*null = column->nulls[row];
			slot->tts_values[i] = *null ? (Datum) 0 : gpured_column_datum(column, row);
		}
		else if (output->is_transition)
			slot->tts_values[i] = transition_of_row(fold, accumulator, row, null);
		else
			slot->tts_values[i] = partial_of_row(fold, accumulator, output, row, null);
	}
}

/* A group of the device, or the only one. */
static void
emit_group(GpuredFold *fold, uint32 group, TupleTableSlot *slot)
{
	for (int i = 0; i < fold->noutputs; i++)
	{
		const Output *output = &fold->outputs[i];
		Accumulator *accumulator = &fold->accumulators[output->accumulator];
		bool	   *null = &slot->tts_isnull[i];

		if (output->key >= 0)
			slot->tts_values[i] = gpured_groups_key(fold->groups, fold->columns, group,
													output->key, null);
		else if (output->is_transition)
			slot->tts_values[i] =
				gpured_transition_partial(accumulator->transition,
										  transition_state(fold, accumulator, group), null);
		else if (fold->groups != NULL)
			slot->tts_values[i] = partial_of_group(fold, accumulator, output, group, null);
		else
			slot->tts_values[i] = partial_total(accumulator, output, null);
	}
}

bool
gpured_fold_emit(GpuredFold *fold, TupleTableSlot *slot)
{
	uint32		ngroups = fold->has_group_by && fold->rows == 0 ? 0 : 1;

	if (fold->groups != NULL)
		ngroups = gpured_grouped_groups(gpured_groups_device(fold->groups));
	if (!fold->groups_are_out && fold->next < ngroups)
	{
		emit_group(fold, fold->next++, slot);
		return true;
	}
	if (!fold->passing)
		return false;
	if (!fold->groups_are_out)
	{
		fold->groups_are_out = true;
		fold->next = fold->folded;
	}
	if (fold->next >= fold->columns->n)
		return false;
	emit_row(fold, fold->next++, slot);
	return true;
}

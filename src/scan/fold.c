/*
 * fold.c
 *	  From batches of rows to groups and the partial states of their aggregates.
 *
 * Most aggregates are a total of one column or of two, which the device folds a
 * batch at a time; several of the same column share it, as gpu_sum and gpu_avg do.
 * The others call their own transition function for each row, and so do numerics
 * that are no short integers of one unit.  The device is this
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
#include "aggregate/numeric_unit.h"
#include "aggregate/order_key.h"
#include "aggregate/partial.h"
#include "compat.h"
#include "gpured.h"
#include "plan/plan.h"
#include "scan/fold.h"
#include "scan/groups.h"
#include "scan/numerics.h"
#include "scan/total.h"
#include "scan/transition.h"

/* After so many rows it is asked whether grouping is of use, and at each double of it. */
#define PASS_SAMPLE 32768

/* Rows that pass are so many times those that were looked at before. */
#define PASS_FACTOR 16

/* A transition that is known well enough to do without its function for most rows. */
typedef enum Shortcut
{
	SHORTCUT_NONE,
	SHORTCUT_NUMERIC_SUM,
	SHORTCUT_NUMERIC_MOMENTS,	/* without groups */
	SHORTCUT_MOMENTS,			/* of floats, with groups */
	SHORTCUT_PAIR_MOMENTS,
	SHORTCUT_DOT
} Shortcut;

typedef struct Accumulator
{
	GpuredTotalKind kind;		/* GPURED_TOTAL_NONE for a transition */
	GpuredOp	op;
	int			column;			/* the last argument; -1 for count(*) */
	int			second;			/* the first of two arguments, or -1 */
	int			filter;			/* column, or -1 */
	GpuredTransition *transition;
	int			transno;		/* of the aggregate that has the transition */
	Shortcut	shortcut;		/* past the transition */

	/* With groups: which aggregate of the device, or where its state is. */
	int			aggregate;
	Size		offset;

	/* Without: the only group's. */
	GpuredTotal *total;
	GpuredTransitionState state;
	GpuredNumericMoments numeric;	/* what the state has not got */

	/* Of a sum of numerics: those that the device adds. */
	GpuredNumerics *numerics;
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
	const Accumulator *sum;		/* of numerics, as integers; or NULL */
} Input;

struct GpuredFold
{
	GpuredColumns *columns;
	bool		has_group_by;
	bool		has_keys;
	uint64		rows;			/* folded since the last reset */
	int			noutputs;
	Output	   *outputs;
	int			naccumulators;
	Accumulator *accumulators;
	bool		has_transitions;
	int			nkeys;
	int		   *keys;
	bool	   *take;			/* whether a row has a value for an aggregate */
	void	   *dense[2];		/* the values of those that have */
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
			list[i].column == accumulator->column && list[i].second == accumulator->second &&
			list[i].op == accumulator->op &&
			list[i].transno == accumulator->transno)
			return i;
	}
	list[fold->naccumulators] = *accumulator;
	return fold->naccumulators++;
}

/* How the transition of rows with values can be shortened. */
static Shortcut
find_shortcut(const GpuredFold *fold, const GpuredTransition *transition)
{
	PGFunction	function = gpured_transition_function(transition);

	if (function == gpured_numeric_step)
		return SHORTCUT_NUMERIC_SUM;
	if (!fold->has_keys)
		return function == gpured_numeric_variance_step ? SHORTCUT_NUMERIC_MOMENTS : SHORTCUT_NONE;
	if (function == gpured_float8_moments)
		return SHORTCUT_MOMENTS;
	if (function == gpured_pair_moments)
		return SHORTCUT_PAIR_MOMENTS;
	return function == gpured_dot_step ? SHORTCUT_DOT : SHORTCUT_NONE;
}

static void
add_aggregate(GpuredFold *fold, Output *output, Aggref *aggref, ScanState *node)
{
	Accumulator accumulator = {.column = -1,.second = -1,.filter = -1,.transno = -1};
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

	/*
	 * The device has no moments of groups, and its columns are one by one
	 * there.
	 */
	if (info != NULL && fold->has_keys && (info->kind == GPURED_TOTAL_MOMENTS || nargs > 1))
		info = NULL;
	if (info != NULL)
	{
		accumulator.kind = info->kind;
		accumulator.op = info->op;
		output->form = info->form;
	}
	else
	{
		accumulator.transno = aggref->aggtransno;
		accumulator.shortcut = find_shortcut(fold, accumulator.transition);
	}
	if (info != NULL || accumulator.shortcut != SHORTCUT_NONE)
	{
		accumulator.column = nargs > 0 ? args[nargs - 1] : -1;
		accumulator.second = nargs > 1 ? args[0] : -1;
	}
	output->is_transition = accumulator.kind == GPURED_TOTAL_NONE;
	fold->has_transitions |= output->is_transition;
	if (!output->is_transition || accumulator.shortcut == SHORTCUT_NUMERIC_SUM)
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
	fold->has_keys = has_keys(outputs);
	fold->group_context = CreateExprContext(estate);
	fold->agg_state = gpured_make_agg_state(estate, fold->group_context, fold->has_keys);
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
add_input(GpuredFold *fold, const Accumulator *accumulator)
{
	Input	   *input = &fold->inputs[fold->ninputs];
	const bool	is_numeric = accumulator->numerics != NULL;

	for (int i = 0; i < fold->ninputs; i++)
	{
		if (fold->inputs[i].column == accumulator->column &&
			fold->inputs[i].filter == accumulator->filter && (fold->inputs[i].sum != NULL) == is_numeric)
			return i;
	}
	input->column = accumulator->column;
	input->filter = accumulator->filter;
	input->sum = is_numeric ? accumulator : NULL;
	input->valid = palloc((fold->columns->room + 63) / 64 * sizeof(uint64));
	return fold->ninputs++;
}

/* Whether a column is wanted for nothing but sums of numerics. */
static bool
is_only_summed(const GpuredFold *fold, int column)
{
	int			sums = 0;

	for (int i = 0; i < fold->noutputs; i++)
	{
		const Output *output = &fold->outputs[i];
		const Accumulator *accumulator = &fold->accumulators[output->accumulator];

		sums += output->key < 0 && accumulator->shortcut == SHORTCUT_NUMERIC_SUM &&
			accumulator->column == column;
	}
	return fold->columns->column[column].uses == sums && !fold->columns->column[column].first;
}

/*
 * Sums of numerics are those of integers, as far as they can be.  What a program computes
 * may have several display scales, as CASE ... ELSE 0 has; the server takes one.
 */
static void
prepare_numerics(GpuredFold *fold, Accumulator *accumulator)
{
	GpuredColumn *column = &fold->columns->column[accumulator->column];
	const bool	only_summed = is_only_summed(fold, accumulator->column);

	accumulator->op = GPURED_reduce_sum_int8;
	if (only_summed && column->program != NULL &&
		(fold->has_keys || gpured_offload_setting != GPURED_OFFLOAD_FORCE))
	{
		gpured_columns_keep_integers(fold->columns, column);
		if (!fold->has_keys)
			return;
	}
	else if (only_summed && column->numerics == NULL)
		column->numerics = gpured_numerics_create(fold->columns->room, (int64 *) column->values);
	accumulator->numerics = column->numerics != NULL ? column->numerics :
		gpured_numerics_create(fold->columns->room, NULL);
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
			if (accumulator->numerics == NULL)
				continue;
		}
		accumulator->aggregate = spec.naggregates++;
		aggregates[accumulator->aggregate].op = accumulator->op;
		aggregates[accumulator->aggregate].column = add_input(fold, accumulator);
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
	for (int i = 0; i < 2; i++)
		fold->dense[i] = palloc(fold->columns->room * sizeof(int64));
	for (int i = 0; i < fold->naccumulators; i++)
	{
		if (fold->accumulators[i].shortcut == SHORTCUT_NUMERIC_SUM)
			prepare_numerics(fold, &fold->accumulators[i]);
	}
	if (fold->has_keys)
	{
		prepare_groups(fold);
		return;
	}
	for (int i = 0; i < fold->naccumulators; i++)
	{
		Accumulator *accumulator = &fold->accumulators[i];

		if (accumulator->kind != GPURED_TOTAL_NONE)
			accumulator->total = gpured_total_create(accumulator->kind, accumulator->op,
													 group_memory(fold));
		else if (accumulator->numerics != NULL)
			accumulator->total = gpured_total_create(GPURED_TOTAL_INT, accumulator->op,
													 group_memory(fold));
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

		if (accumulator->total != NULL)
			gpured_total_reset(accumulator->total);
		memset(&accumulator->state, 0, sizeof(accumulator->state));
		memset(&accumulator->numeric, 0, sizeof(accumulator->numeric));
		if (accumulator->numerics != NULL)
			gpured_numerics_reset(accumulator->numerics);
	}
}

/* Where the rows have NULLs in a column that an aggregate has, or NULL. */
static const bool *
nulls_from(const GpuredFold *fold, int column, int from)
{
	if (column < 0 || !fold->columns->column[column].has_nulls)
		return NULL;
	return fold->columns->column[column].nulls + from;
}

/* Which rows have a value for an aggregate, of n from a row on; NULL if all have. */
static const bool *
rows_with_value(GpuredFold *fold, const Accumulator *accumulator, int from, int n)
{
	const bool *nulls = nulls_from(fold, accumulator->column, from);
	const bool *second = nulls_from(fold, accumulator->second, from);
	bool	   *take = fold->take;

	if (accumulator->filter < 0 && nulls == NULL && second == NULL)
		return NULL;
	if (accumulator->filter >= 0)
	{
		const GpuredColumn *filter = &fold->columns->column[accumulator->filter];

		for (int i = 0; i < n; i++)
			take[i] = filter->values[from + i] & !filter->nulls[from + i];
	}
	else
		memset(take, true, n * sizeof(bool));
	for (int i = 0; nulls != NULL && i < n; i++)
		take[i] &= !nulls[i];
	for (int i = 0; second != NULL && i < n; i++)
		take[i] &= !second[i];
	return take;
}

/* The values of a column that are taken, without gaps, if there is room for them. */
static const void *
dense_column(const GpuredFold *fold, int c, const bool *take, void *room, size_t *n)
{
	const GpuredColumn *column = &fold->columns->column[c];
	const int	rows = fold->columns->n;
	size_t		to = 0;

	*n = rows;
	if (take == NULL)
		return column->values;

#define DENSE(ctype) \
	do { \
		for (int i = 0; i < rows; i++) \
		{ \
			((ctype *) room)[to] = ((const ctype *) column->values)[i]; \
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
	*n = to;
	return room;
}

/* Fold the batch into the only group by the device. */
static void
fold_total(GpuredFold *fold, Accumulator *accumulator)
{
	const bool *take = rows_with_value(fold, accumulator, 0, fold->columns->n);
	GpuredBatch batch = {.values = NULL};
	int64		rows = 0;

	if (accumulator->kind == GPURED_TOTAL_COUNT)
	{
		for (int i = 0; take != NULL && i < fold->columns->n; i++)
			rows += take[i];
		gpured_total_count(accumulator->total, take == NULL ? fold->columns->n : rows);
		return;
	}
	batch.values = dense_column(fold, accumulator->column, take, fold->dense[0], &batch.n);
	if (accumulator->second >= 0)
		batch.second = dense_column(fold, accumulator->second, take, fold->dense[1], &batch.n);
	gpured_total_add(accumulator->total, &batch);
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

/* Add n numerics of one scale, of which the sum is an integer. */
static void
add_integers(const GpuredFold *fold, GpuredTransitionState *state, int64 sum, int64 n, int scale)
{
	state->value = gpured_numeric_add_sum(group_memory(fold), state->started ? state->value : (Datum) 0,
										  gpured_in_unit_of_scale(sum, scale), n, scale);
	state->started = true;
	state->null = false;
}

/* A value of a row, by its transition's shortcut; false if the function has to do it. */
static inline bool
advance_shortly(GpuredFold *fold, const Accumulator *accumulator, GpuredTransitionState *state,
				int row)
{
	const GpuredColumn *column = &fold->columns->column[accumulator->column];
	double		x = 0;
	double		y = 0;

	if (column->scale != NULL && column->scale[row] != GPURED_NOT_INTEGER)
	{
		add_integers(fold, state, ((const int64 *) column->values)[row], 1, column->scale[row]);
		return true;
	}
	if (!state->started || state->null)
		return false;
	if (accumulator->shortcut == SHORTCUT_NUMERIC_SUM)
		return gpured_numeric_add_short(state->value, ((struct varlena **) column->values)[row]);
	x = ((const float8 *) column->values)[row];
	if (accumulator->second >= 0)
		y = ((const float8 *) fold->columns->column[accumulator->second].values)[row];
	switch (accumulator->shortcut)
	{
		case SHORTCUT_MOMENTS:
			return gpured_moments_add_shortly(state->value, GPURED_MOMENTS_ONE, x, 0);
		case SHORTCUT_PAIR_MOMENTS:
			return gpured_moments_add_shortly(state->value, GPURED_MOMENTS_TWO, x, y);
		case SHORTCUT_DOT:
			return gpured_moments_add_shortly(state->value, GPURED_MOMENTS_DOT, x, y);
		default:
			return false;
	}
}

static void
fold_transition(GpuredFold *fold, Accumulator *accumulator, int from, int n)
{
	const bool	is_short = accumulator->shortcut != SHORTCUT_NONE;
	const GpuredNumerics *numerics = accumulator->numerics;
	const bool *take;

	if (numerics != NULL && numerics->misfits == 0)
		return;
	take = rows_with_value(fold, accumulator, from, n);
	if (numerics != NULL && take == NULL)
		take = numerics->misfit + from;
	else if (numerics != NULL)
	{
		for (int i = 0; i < n; i++)
			fold->take[i] &= numerics->misfit[from + i];
	}
	for (int i = 0; i < n; i++)
	{
		GpuredTransitionState *state;

		if (take != NULL && !take[i])
			continue;
		state = transition_state(fold, accumulator, fold->group[i % GPURED_GROUPS_ROWS]);
		if (is_short && advance_shortly(fold, accumulator, state, from + i))
			continue;
		gpured_transition_advance(accumulator->transition, state, fold->columns, from + i);
	}
}

/* Add numerics to the only group's sum, where most are kept as integers. */
static void
fold_integers(GpuredFold *fold, Accumulator *accumulator)
{
	const GpuredColumn *column = &fold->columns->column[accumulator->column];
	const bool *take = rows_with_value(fold, accumulator, 0, fold->columns->n);
	int64		sum[GPURED_INTEGER_SCALES] = {0};
	int64		n[GPURED_INTEGER_SCALES] = {0};

	for (int i = 0; i < fold->columns->n; i++)
	{
		if (take != NULL && !take[i])
			continue;
		if (likely(column->scale[i] != GPURED_NOT_INTEGER))
		{
			sum[column->scale[i]] += ((const int64 *) column->values)[i];
			n[column->scale[i]]++;
		}
		else if (!advance_shortly(fold, accumulator, &accumulator->state, i))
			gpured_transition_advance(accumulator->transition, &accumulator->state, fold->columns, i);
	}
	for (int scale = 0; scale < GPURED_INTEGER_SCALES; scale++)
	{
		if (n[scale] > 0)
			add_integers(fold, &accumulator->state, sum[scale], n[scale], scale);
	}
}

/* The moments that are not in a state yet go there. */
static void
settle_numeric(GpuredFold *fold, Accumulator *accumulator)
{
	gpured_numeric_moments_settle(&accumulator->numeric,
								  gpured_transition_call(accumulator->transition),
								  accumulator->state.value);
}

/*
 * Add numerics to the only group's moments, as integers if they can be.  The first
 * is added by the transition function: if the server is to have a part of the state
 * then it has all of it.
 */
static void
fold_numeric_moments(GpuredFold *fold, Accumulator *accumulator)
{
	const GpuredColumn *column = &fold->columns->column[accumulator->column];
	const int	n = fold->columns->n;
	const bool *given = rows_with_value(fold, accumulator, 0, n);
	bool	   *take = fold->take;
	int			i = 0;
	MemoryContext old;

	if (given == NULL)
		memset(take, true, n * sizeof(bool));
	while (i < n && !accumulator->state.started)
	{
		if (take[i])
			gpured_transition_advance(accumulator->transition, &accumulator->state, fold->columns, i);
		take[i++] = false;
	}
	if (i < n && GPURED_VARIANCE_IS_BUILTIN(accumulator->state.value))
	{
		old = MemoryContextSwitchTo(fold->agg_state->tmpcontext->ecxt_per_tuple_memory);
		gpured_numeric_moments_add(&accumulator->numeric,
								   gpured_transition_call(accumulator->transition),
								   accumulator->state.value, (const Datum *) column->values, n, take);
		MemoryContextSwitchTo(old);
		ResetExprContext(fold->agg_state->tmpcontext);
	}
	for (; i < n; i++)
	{
		if (take[i])
			gpured_transition_advance(accumulator->transition, &accumulator->state, fold->columns, i);
	}
}

/* Numerics of the batch as integers, if they are not such already. */
static const GpuredNumerics *
read_numerics(GpuredFold *fold, const Accumulator *accumulator)
{
	const GpuredColumn *column = &fold->columns->column[accumulator->column];

	if (column->numerics == NULL)
	{
		gpured_numerics_clear(accumulator->numerics);
		gpured_numerics_read(accumulator->numerics, column, 0, fold->columns->n);
	}
	return accumulator->numerics;
}

/* Add numerics to the only group's sum. */
static void
fold_numeric_sum(GpuredFold *fold, Accumulator *accumulator)
{
	const GpuredNumerics *numerics = read_numerics(fold, accumulator);
	const int	n = fold->columns->n;
	const bool *take = rows_with_value(fold, accumulator, 0, n);
	GpuredBatch batch = {.values = numerics->values,.n = n};

	if (numerics->misfits > 0 && take == NULL)
		memset(fold->take, true, n * sizeof(bool));
	if (numerics->misfits > 0 || take != NULL)
	{
		int64	   *dense = fold->dense[0];

		batch.values = dense;
		batch.n = 0;
		for (int i = 0; i < n; i++)
		{
			dense[batch.n] = numerics->values[i];
			batch.n += fold->take[i] & (numerics->misfits == 0 || !numerics->misfit[i]);
		}
	}
	gpured_total_add(accumulator->total, &batch);
	fold_transition(fold, accumulator, 0, n);
}

/* Fold the batch into the only group. */
static void
fold_ungrouped(GpuredFold *fold)
{
	for (int i = 0; fold->columns->n > 0 && i < fold->naccumulators; i++)
	{
		Accumulator *accumulator = &fold->accumulators[i];

		if (accumulator->kind != GPURED_TOTAL_NONE)
			fold_total(fold, accumulator);
		else if (accumulator->shortcut == SHORTCUT_NUMERIC_MOMENTS)
			fold_numeric_moments(fold, accumulator);
		else if (accumulator->shortcut == SHORTCUT_NUMERIC_SUM && accumulator->numerics == NULL)
			fold_integers(fold, accumulator);
		else if (accumulator->numerics != NULL)
			fold_numeric_sum(fold, accumulator);
		else
			fold_transition(fold, accumulator, 0, fold->columns->n);
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
		if (input->sum != NULL)
		{
			const GpuredNumerics *numerics = read_numerics(fold, input->sum);

			batch->values = numerics->values;
			for (int r = 0; numerics->misfits > 0 && r < columns->n; r++)
				fold->take[r] = numerics->misfit[r] | columns->column[input->column].nulls[r];
			if (numerics->misfits > 0)
				nulls = fold->take;
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
		int			len = column < 0 || fold->inputs[i].sum != NULL ? sizeof(int64) :
			columns->column[column].len;

		values[i].values = column < 0 ? NULL : (const char *) all->values + from * len;
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
transition_of_row(GpuredFold *fold, const Accumulator *accumulator, const Output *output, int row,
				  bool *null)
{
	GpuredTransitionState state = {.started = false};
	const GpuredColumn *column = NULL;
	bool		counts = true;

	if (accumulator->filter >= 0)
	{
		const GpuredColumn *filter = &fold->columns->column[accumulator->filter];

		counts = filter->values[row] && !filter->nulls[row];
	}
	if (accumulator->shortcut == SHORTCUT_NUMERIC_SUM)
	{
		column = &fold->columns->column[accumulator->column];
		counts &= !column->nulls[row];
	}
	*null = false;
	if (counts && column != NULL && column->scale != NULL && column->scale[row] != GPURED_NOT_INTEGER)
		return gpured_numeric_partial(output->space,
									  gpured_in_unit_of_scale(((const int64 *) column->values)[row],
															  column->scale[row]),
									  1, column->scale[row]);
	if (counts && column != NULL && column->numerics != NULL && !column->numerics->misfit[row])
		return gpured_numeric_partial(output->space, column->numerics->values[row], 1,
									  column->numerics->scale);
	if (counts && column != NULL &&
		gpured_numeric_partial_of(output->space, ((struct varlena **) column->values)[row]))
		return PointerGetDatum(output->space);
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
			slot->tts_values[i] = transition_of_row(fold, accumulator, output, row, null);
		else
			slot->tts_values[i] = partial_of_row(fold, accumulator, output, row, null);
	}
}

/* The partial state of a group's transition. */
static Datum
transition_of_group(GpuredFold *fold, Accumulator *accumulator, const Output *output, uint32 group,
					bool *null)
{
	GpuredTransitionState *state = transition_state(fold, accumulator, group);
	const GpuredGrouped *device;
	int64		n;
	int128		sum;
	int			scale;

	if (accumulator->numeric.n > 0)
		settle_numeric(fold, accumulator);
	if (accumulator->numerics == NULL)
		return gpured_transition_partial(accumulator->transition, state, null);

	/* A sum of numerics has a part on the device. */
	if (fold->groups != NULL)
	{
		device = gpured_groups_device(fold->groups);
		n = gpured_grouped_count(device, group, accumulator->aggregate);
		sum = gpured_int128_of(gpured_grouped_int_sum(device, group, accumulator->aggregate));
	}
	else
		n = gpured_total_int(accumulator->total, &sum);
	if (n > 0)
	{
		scale = accumulator->numerics->scale;
		*null = false;
		if (!state->started)
			return gpured_numeric_partial(output->space, sum, n, scale);
		state->value = gpured_numeric_add_sum(group_memory(fold), state->value, sum, n, scale);
	}
	return gpured_transition_partial(accumulator->transition, state, null);
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
			slot->tts_values[i] = transition_of_group(fold, accumulator, output, group, null);
		else if (fold->groups != NULL)
			slot->tts_values[i] = partial_of_group(fold, accumulator, output, group, null);
		else
			slot->tts_values[i] = gpured_total_partial(accumulator->total, output->form, output->space,
													   null);
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

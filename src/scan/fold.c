/*
 * fold.c
 *	  From batches of rows to groups and what their aggregates have seen.
 *
 * Most aggregates are a total of one column or of two, which the device folds a
 * batch at a time; several of the same column share it, as gpu_sum and gpu_avg do.
 * The others call their own transition function for each row, and so do numerics
 * that are no short integers of one unit.  The device is this process, or the server
 * where an aggregate without groups is to be offloaded: then the total is what the
 * server has not seen, until a row comes out.
 *
 * The rows that come out are partial states, and a group may come out more than
 * once: whoever is above merges them.  So there is no need to find groups where
 * that is of no use: where nearly each row has a group of its own, the rows pass
 * as they are, each as the state of one row.
 */
#include "postgres.h"

#include "executor/nodeHash.h"
#include "utils/memutils.h"

#include "gpured.h"
#include "plan/plan.h"
#include "scan/fold_parts.h"

/* After so many rows it is asked whether grouping is of use, and at each double of it. */
#define PASS_SAMPLE 32768

/* Rows that pass are so many times those that were looked at before. */
#define PASS_FACTOR 16

/* The number of an accumulator like this one, which is added if it is new. */
static int
add_accumulator(GpuredFold *fold, const GpuredAccumulator *accumulator)
{
	GpuredAccumulator *list = fold->accumulators;

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
static GpuredShortcut
find_shortcut(const GpuredFold *fold, const GpuredTransition *transition)
{
	PGFunction	function = gpured_transition_function(transition);

	if (function == gpured_numeric_step)
		return GPURED_SHORTCUT_NUMERIC_SUM;
	if (!fold->has_keys)
		return function == gpured_numeric_variance_step ? GPURED_SHORTCUT_NUMERIC_MOMENTS :
			GPURED_SHORTCUT_NONE;
	if (function == gpured_float8_moments)
		return GPURED_SHORTCUT_MOMENTS;
	if (function == gpured_pair_moments)
		return GPURED_SHORTCUT_PAIR_MOMENTS;
	return function == gpured_dot_step ? GPURED_SHORTCUT_DOT : GPURED_SHORTCUT_NONE;
}

static void
add_aggregate(GpuredFold *fold, GpuredOutput *output, Aggref *aggref, ScanState *node)
{
	GpuredAccumulator accumulator = {.column = -1,.second = -1,.filter = -1,.transno = -1};
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
	if (info != NULL || accumulator.shortcut != GPURED_SHORTCUT_NONE)
	{
		accumulator.column = nargs > 0 ? args[nargs - 1] : -1;
		accumulator.second = nargs > 1 ? args[0] : -1;
	}
	output->is_transition = accumulator.kind == GPURED_TOTAL_NONE;
	fold->has_transitions |= output->is_transition;
	if (!output->is_transition || accumulator.shortcut == GPURED_SHORTCUT_NUMERIC_SUM)
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
	fold->outputs = palloc0(list_length(outputs) * sizeof(GpuredOutput));
	fold->accumulators = palloc0(list_length(outputs) * sizeof(GpuredAccumulator));
	fold->inputs = palloc0(list_length(outputs) * sizeof(GpuredInput));
	fold->batch = palloc0(list_length(outputs) * sizeof(GpuredGroupedColumn));
	fold->rest = palloc0(list_length(outputs) * sizeof(GpuredGroupedColumn));
	fold->keys = palloc(list_length(outputs) * sizeof(int));

	foreach(lc, outputs)
	{
		Expr	   *expr = ((TargetEntry *) lfirst(lc))->expr;
		GpuredOutput *output = &fold->outputs[fold->noutputs++];

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
add_input(GpuredFold *fold, const GpuredAccumulator *accumulator)
{
	GpuredInput *input = &fold->inputs[fold->ninputs];
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
	input->valid = MemoryContextAlloc(fold->columns->memory,
									  (fold->columns->room + 63) / 64 * sizeof(uint64));
	return fold->ninputs++;
}

/* Whether a column is wanted for nothing but sums of numerics. */
static bool
is_only_summed(const GpuredFold *fold, int column)
{
	int			sums = 0;

	for (int i = 0; i < fold->noutputs; i++)
	{
		const GpuredOutput *output = &fold->outputs[i];
		const GpuredAccumulator *accumulator = &fold->accumulators[output->accumulator];

		sums += output->key < 0 && accumulator->shortcut == GPURED_SHORTCUT_NUMERIC_SUM &&
			accumulator->column == column;
	}
	return fold->columns->column[column].uses == sums && !fold->columns->column[column].first;
}

/*
 * Sums of numerics are those of integers, as far as they can be.  What a program computes
 * may have several display scales, as CASE ... ELSE 0 has; the server takes one.
 */
static void
prepare_numerics(GpuredFold *fold, GpuredAccumulator *accumulator)
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
		column->numerics = gpured_numerics_create(fold->columns->memory, fold->columns->room,
												  (int64 *) column->values);
	accumulator->numerics = column->numerics != NULL ? column->numerics :
		gpured_numerics_create(fold->columns->memory, fold->columns->room, NULL);
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
		GpuredAccumulator *accumulator = &fold->accumulators[i];

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
	fold->take = MemoryContextAlloc(fold->columns->memory, fold->columns->room * sizeof(bool));
	for (int i = 0; i < 2; i++)
		fold->dense[i] = MemoryContextAlloc(fold->columns->memory, fold->columns->room * sizeof(int64));
	for (int i = 0; i < fold->naccumulators; i++)
	{
		if (fold->accumulators[i].shortcut == GPURED_SHORTCUT_NUMERIC_SUM)
			prepare_numerics(fold, &fold->accumulators[i]);
	}
	if (fold->has_keys)
	{
		prepare_groups(fold);
		return;
	}
	for (int i = 0; i < fold->naccumulators; i++)
	{
		GpuredAccumulator *accumulator = &fold->accumulators[i];

		if (accumulator->kind != GPURED_TOTAL_NONE)
			accumulator->total = gpured_total_create(accumulator->kind, accumulator->op,
													 gpured_fold_memory(fold));
		else if (accumulator->numerics != NULL)
			accumulator->total = gpured_total_create(GPURED_TOTAL_INT, accumulator->op,
													 gpured_fold_memory(fold));
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
		GpuredAccumulator *accumulator = &fold->accumulators[i];

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
rows_with_value(GpuredFold *fold, const GpuredAccumulator *accumulator, int from, int n)
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
fold_total(GpuredFold *fold, GpuredAccumulator *accumulator)
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

/* Add n numerics of one scale, of which the sum is an integer, to a state. */
static void
add_integers(const GpuredFold *fold, GpuredTransitionState *state, int64 sum, int64 n, int scale)
{
	state->value = gpured_numeric_add_sum(gpured_fold_memory(fold),
										  state->started ? state->value : (Datum) 0,
										  gpured_in_unit_of_scale(sum, scale), n, scale);
	state->started = true;
	state->null = false;
}

/* A value of a row, by its transition's shortcut; false if the function has to do it. */
static inline bool
advance_shortly(GpuredFold *fold, const GpuredAccumulator *accumulator, GpuredTransitionState *state,
				int row)
{
	const GpuredColumn *column = &fold->columns->column[accumulator->column];
	double		x = 0;
	double		y = 0;

	if (!state->started || state->null)
		return false;
	if (accumulator->shortcut == GPURED_SHORTCUT_NUMERIC_SUM)
		return gpured_numeric_add_short(state->value, ((struct varlena **) column->values)[row]);
	x = ((const float8 *) column->values)[row];
	if (accumulator->second >= 0)
		y = ((const float8 *) fold->columns->column[accumulator->second].values)[row];
	switch (accumulator->shortcut)
	{
		case GPURED_SHORTCUT_MOMENTS:
			return gpured_moments_add_shortly(state->value, GPURED_MOMENTS_ONE, x, 0);
		case GPURED_SHORTCUT_PAIR_MOMENTS:
			return gpured_moments_add_shortly(state->value, GPURED_MOMENTS_TWO, x, y);
		case GPURED_SHORTCUT_DOT:
			return gpured_moments_add_shortly(state->value, GPURED_MOMENTS_DOT, x, y);
		default:
			return false;
	}
}

/* Add numerics to groups' sums, where most are kept as integers. */
static void
fold_group_integers(GpuredFold *fold, GpuredAccumulator *accumulator, int from, int n, const bool *take)
{
	const GpuredColumn *column = &fold->columns->column[accumulator->column];
	const int64 *values = (const int64 *) column->values + from;
	const uint8 *scale = column->scale + from;

	for (int i = 0; i < n; i++)
	{
		GpuredTransitionState *state;

		if (!take[i])
			continue;
		state = gpured_fold_state(fold, accumulator, fold->group[i]);
		if (likely(scale[i] != GPURED_NOT_INTEGER))
		{
			if (!state->started || state->null ||
				!gpured_numeric_add_integer(state->value, values[i], scale[i]))
				add_integers(fold, state, values[i], 1, scale[i]);
		}
		else if (!advance_shortly(fold, accumulator, state, from + i))
			gpured_transition_advance(accumulator->transition, state, fold->columns, from + i);
	}
}

static void
fold_transition(GpuredFold *fold, GpuredAccumulator *accumulator, int from, int n)
{
	const bool	is_short = accumulator->shortcut != GPURED_SHORTCUT_NONE;
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
	if (numerics != NULL && fold->columns->column[accumulator->column].scale != NULL)
	{
		fold_group_integers(fold, accumulator, from, n, take);
		return;
	}
	for (int i = 0; i < n; i++)
	{
		GpuredTransitionState *state;

		if (take != NULL && !take[i])
			continue;
		state = gpured_fold_state(fold, accumulator, fold->group[i % GPURED_GROUPS_ROWS]);

		/* What the server has a part of is the total of those that fit. */
		if (numerics != NULL && accumulator->total != NULL && !state->started)
		{
			state->value = gpured_numeric_state(gpured_fold_memory(fold));
			state->started = true;
		}
		if (is_short && advance_shortly(fold, accumulator, state, from + i))
			continue;
		gpured_transition_advance(accumulator->transition, state, fold->columns, from + i);
	}
}

/* Add numerics to the only group's sum, where most are kept as integers. */
static void
fold_integers(GpuredFold *fold, GpuredAccumulator *accumulator)
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

/*
 * Add numerics to the only group's moments, as integers if they can be.  The first
 * is added by the transition function: if the server is to have a part of the state
 * then it has all of it.
 */
static void
fold_numeric_moments(GpuredFold *fold, GpuredAccumulator *accumulator)
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
read_numerics(GpuredFold *fold, const GpuredAccumulator *accumulator)
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
fold_numeric_sum(GpuredFold *fold, GpuredAccumulator *accumulator)
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
		GpuredAccumulator *accumulator = &fold->accumulators[i];

		if (accumulator->kind != GPURED_TOTAL_NONE)
			fold_total(fold, accumulator);
		else if (accumulator->shortcut == GPURED_SHORTCUT_NUMERIC_MOMENTS)
			fold_numeric_moments(fold, accumulator);
		else if (accumulator->shortcut == GPURED_SHORTCUT_NUMERIC_SUM && accumulator->numerics == NULL)
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
		const GpuredInput *input = &fold->inputs[i];
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
		MemoryContextMemAllocated(gpured_fold_memory(fold), true) : 0;
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
		MemoryContextMemAllocated(gpured_fold_memory(fold), true);

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

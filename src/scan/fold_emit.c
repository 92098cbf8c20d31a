/*
 * fold_emit.c
 *	  The partial states of groups, and of rows that pass, as tuples.
 *
 * A total of the device is written as the aggregate's serial function would write
 * the state that it stands for, without making that first.
 */
#include "postgres.h"

#include "aggregate/float_state.h"
#include "aggregate/order_key.h"
#include "scan/fold_parts.h"

/* The moments that are not in a state yet go there. */
static void
settle_numeric(GpuredFold *fold, GpuredAccumulator *accumulator)
{
	gpured_numeric_moments_settle(&accumulator->numeric,
								  gpured_transition_call(accumulator->transition),
								  accumulator->state.value);
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

/* The partial state of a group of the device. */
static Datum
partial_of_group(GpuredFold *fold, const GpuredAccumulator *accumulator, const GpuredOutput *output,
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
partial_of_row(GpuredFold *fold, const GpuredAccumulator *accumulator, const GpuredOutput *output,
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
transition_of_row(GpuredFold *fold, const GpuredAccumulator *accumulator, const GpuredOutput *output,
				  int row, bool *null)
{
	GpuredTransitionState state = {.started = false};
	const GpuredColumn *column = NULL;
	bool		counts = true;

	if (accumulator->filter >= 0)
	{
		const GpuredColumn *filter = &fold->columns->column[accumulator->filter];

		counts = filter->values[row] && !filter->nulls[row];
	}
	if (accumulator->shortcut == GPURED_SHORTCUT_NUMERIC_SUM)
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
		const GpuredOutput *output = &fold->outputs[i];
		const GpuredAccumulator *accumulator = &fold->accumulators[output->accumulator];
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
transition_of_group(GpuredFold *fold, GpuredAccumulator *accumulator, const GpuredOutput *output,
					uint32 group, bool *null)
{
	GpuredTransitionState *state = gpured_fold_state(fold, accumulator, group);
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
		state->value = gpured_numeric_add_sum(gpured_fold_memory(fold), state->value, sum, n, scale);
	}
	return gpured_transition_partial(accumulator->transition, state, null);
}

/* A group of the device, or the only one. */
static void
emit_group(GpuredFold *fold, uint32 group, TupleTableSlot *slot)
{
	for (int i = 0; i < fold->noutputs; i++)
	{
		const GpuredOutput *output = &fold->outputs[i];
		GpuredAccumulator *accumulator = &fold->accumulators[output->accumulator];
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

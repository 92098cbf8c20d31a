/*
 * total.c
 *	  What a column scan keeps of an aggregate's input where all rows are one group.
 *
 * Batches are folded in this process, or handed over to the server where the
 * aggregate is to be offloaded: then the total is what the server has not seen,
 * until the partial state is asked for.
 */
#include "postgres.h"

#include "aggregate/aggregate.h"
#include "aggregate/float_state.h"
#include "scan/total.h"

struct GpuredTotal
{
	GpuredTotalKind kind;
	GpuredOp	op;
	MemoryContext context;
	int64		n;				/* values */
	int128		sum;			/* of integers */
	int64		key;			/* the greatest order key */
	GpuredAcc  *acc;			/* exact sums; NULL if the kind has none */
	bool		asked;			/* whether to offload it */
	GpuredOffload *offload;		/* its way to the server, or NULL */
};

static bool
is_in_acc(GpuredTotalKind kind)
{
	return kind == GPURED_TOTAL_FLOAT || kind == GPURED_TOTAL_MOMENTS;
}

GpuredTotal *
gpured_total_create(GpuredTotalKind kind, GpuredOp op, MemoryContext context)
{
	GpuredTotal *total = palloc0(sizeof(GpuredTotal));

	total->kind = kind;
	total->op = op;
	total->context = context;
	if (is_in_acc(kind))
		total->acc = palloc(sizeof(GpuredAcc));
	gpured_total_reset(total);
	return total;
}

void
gpured_total_reset(GpuredTotal *total)
{
	total->n = 0;
	total->sum = 0;
	total->key = 0;
	if (total->acc != NULL)
		gpured_acc_init(total->op, total->acc);
	total->asked = false;
	total->offload = NULL;
}

void
gpured_total_count(GpuredTotal *total, int64 rows)
{
	total->n += rows;
}

/* Add what the device has made of a batch; integers are 128 bits wide. */
static void
add_acc(GpuredTotal *total, const GpuredAcc *acc, bool wide)
{
	int64		key;

	if (acc->n == 0)
		return;
	if (total->acc != NULL)
		gpured_acc_merge(total->op, total->acc, acc);
	else if (total->kind == GPURED_TOTAL_INT)
		total->sum += wide ? gpured_int128_of(acc->v.i128) : (int128) acc->v.i64;
	else
	{
		key = gpured_key_of_acc(total->op, acc);
		total->key = total->n == 0 ? key : Max(total->key, key);
	}
	total->n += acc->n;
}

/* Hand over a batch to the server; false if it is to be folded here. */
static bool
offload(GpuredTotal *total, const GpuredBatch *batch)
{
	if (!total->asked)
		total->offload = gpured_offload_start_on(GPURED_PATH_SCAN, total->context, total->op);
	total->asked = true;
	if (total->offload == NULL || !gpured_offload_takes_many(total->offload, batch->n))
		return false;
	gpured_batcher_append(total->offload->batcher, batch);
	return true;
}

void
gpured_total_add(GpuredTotal *total, const GpuredBatch *batch)
{
	GpuredAcc	acc;

	if (batch->n == 0 || offload(total, batch))
		return;

	/* It may be added to exact sums as it is, and they are large. */
	if (total->acc != NULL)
	{
		(void) gpured_cpu_device.reduce(total->op, batch, total->acc);
		total->n += batch->n;
		return;
	}
	gpured_acc_init(total->op, &acc);
	(void) gpured_cpu_device.reduce(total->op, batch, &acc);
	add_acc(total, &acc, gpured_op_info[total->op].acc == GPURED_ACC_wide);
}

/* Take what the server has. */
static void
settle(GpuredTotal *total)
{
	GpuredAcc	acc;

	if (total->offload == NULL)
		return;
	gpured_offload_total(total->offload, &acc);
	add_acc(total, &acc, true);
	total->offload = NULL;
}

int64
gpured_total_int(GpuredTotal *total, int128 *sum)
{
	settle(total);
	*sum = total->sum;
	return total->n;
}

Datum
gpured_total_partial(GpuredTotal *total, GpuredPartialForm form, char *space, bool *null)
{
	GpuredWindow *window;

	*null = false;
	if (total->kind == GPURED_TOTAL_COUNT)
		return Int64GetDatum(total->n);
	settle(total);
	*null = total->n == 0;
	if (*null)
		return (Datum) 0;
	switch (total->kind)
	{
		case GPURED_TOTAL_INT:
			return gpured_partial_int(space, form, total->n, total->sum);
		case GPURED_TOTAL_EXTREME:
			return gpured_partial_extreme(space, total->key);
		case GPURED_TOTAL_MOMENTS:
			return gpured_partial_moments(total->op, total->acc);
		default:
			window = gpured_window_create(&gpured_context_allocator, CurrentMemoryContext);
			window = gpured_window_add_exact(window, &total->acc->v.exact, &gpured_context_allocator,
											 CurrentMemoryContext);
			return gpured_partial_float(space, form, total->n, PointerGetDatum(window));
	}
}

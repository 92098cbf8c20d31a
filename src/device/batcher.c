/*
 * batcher.c
 *	  Batches of an ungrouped aggregate on their way to the server.
 *
 * Values are written straight into a slot of the pool.  A full slot is sent and
 * the other one fills meanwhile; its result is awaited only when it is needed
 * again.  The accumulators of the batches are merged in whatever order they
 * come, which changes nothing: see exact.h.
 *
 * A batch stays readable in our mapping until its slot is given back.  So when
 * a result does not come, for whatever reason, the batch is computed here, and
 * so is the rest of the aggregate, in a buffer of this process.
 *
 * The same buffer takes what is appended after gpured_batcher_finish, which
 * gives the slots back: a window or a cursor may keep a finished aggregate for
 * as long as it likes without keeping others from the pool.
 */
#include "postgres.h"

#include "miscadmin.h"
#include "utils/memutils.h"

#include "device/batcher.h"
#include "device/cpu.h"
#include "device/lease.h"
#include "gpured.h"
#include "stats.h"

#define BUFFER_SIZE		65536
#define FIRST_SLOT_WAIT 1000	/* ms, for a full pool */
#define IN_BUFFER		(-1)

typedef struct Batcher
{
	GpuredBatcher public;		/* must be first */
	GpuredOp	op;
	GpuredPath	path;
	MemoryContext context;
	MemoryContextCallback callback;
	GpuredLease lease;
	bool		given_up;		/* the server failed: no more of it */
	int			current;		/* index of the slot that fills, or IN_BUFFER */
	uint64		sent[GPURED_LEASE_SLOTS];	/* values under way, 0 if none */
	char	   *buffer;
	GpuredAcc	total;			/* of all collected batches */
} Batcher;

static void
end_of_context(void *arg)
{
	gpured_lease_end(&((Batcher *) arg)->lease);
}

bool
gpured_batcher_wanted(GpuredOp op, GpuredPath path, uint64 rows, uint64 *ask_again)
{
	GpuredLease lease = {NULL};
	GpuredStatus status;

	*ask_again = UINT64_MAX;
	if (rows == 0)
		gpured_count_on(path, GPURED_COUNT_AGGREGATES, 1);
	if (op == GPURED_none || gpured_offload_setting == GPURED_OFFLOAD_OFF)
		return false;
	if (gpured_offload_setting == GPURED_OFFLOAD_FORCE)
		return true;
	if (gpured_device_setting == GPURED_DEVICE_OFF)
		return false;
	if (rows < gpured_break_even(op, path))
	{
		*ask_again = gpured_break_even(op, path);
		return false;
	}
	if (!gpured_lease_connect(&lease, op, true, &status))
		return false;
	gpured_lease_end(&lease);
	return true;
}

static char *
base_of(Batcher *batcher)
{
	if (batcher->current == IN_BUFFER)
		return batcher->buffer;
	return gpured_proxy_slot(batcher->lease.connection,
							 batcher->lease.slot[batcher->current]);
}

/* The size of a slot, or of the buffer. */
static size_t
room_in(Batcher *batcher, int which)
{
	if (which == IN_BUFFER)
		return BUFFER_SIZE;
	return gpured_proxy_welcome(batcher->lease.connection)->slot_size;
}

/* Fill this one from its start. */
static void
fill(Batcher *batcher, int which)
{
	size_t		size = room_in(batcher, which);

	batcher->current = which;
	if (which == IN_BUFFER && batcher->buffer == NULL)
		batcher->buffer = MemoryContextAlloc(batcher->context, BUFFER_SIZE);
	batcher->public.next = base_of(batcher);
	batcher->public.second = gpured_second_column_offset(batcher->op, size);
	batcher->public.end = batcher->public.next +
		gpured_slot_capacity(batcher->op, size) * gpured_op_info[batcher->op].input_size;
}

/*
 * Add the accumulator of a batch to the total.  One batch of int2 or int4 stays
 * far inside int64, but four billion of the largest int4 do not: such sums are
 * 128 bits wide between batches.
 */
static void
add_batch(Batcher *batcher, const GpuredAcc *acc)
{
	GpuredAcc  *total = &batcher->total;
	int64		sum = acc->v.i64;
	GpuredInt128 wide = {(uint64) sum, sum < 0 ? -1 : 0};

	if (gpured_op_info[batcher->op].acc != GPURED_ACC_int64)
	{
		gpured_acc_merge(batcher->op, total, acc);
		return;
	}
	gpured_wide_add(&total->v.i128, wide);
	total->n += acc->n;
}

/* Compute values here. */
static void
fold_columns(Batcher *batcher, const GpuredBatch *batch)
{
	GpuredAcc	acc;

	if (batch->n == 0)
		return;
	gpured_acc_init(batcher->op, &acc);
	(void) gpured_cpu_device.reduce(batcher->op, batch, &acc);
	add_batch(batcher, &acc);
}

/* The same of n values in a slot or in the buffer. */
static void
fold(Batcher *batcher, const char *values, uint64 n)
{
	GpuredBatch batch = {.values = values,.n = n};

	if (gpured_op_info[batcher->op].columns == 2)
	{
		size_t		size = room_in(batcher, values == batcher->buffer ? IN_BUFFER : 0);

		batch.second = values + gpured_second_column_offset(batcher->op, size);
	}
	fold_columns(batcher, &batch);
}

/* Wait for a slot's result, if one is under way, and merge it. */
static void
collect(Batcher *batcher, int which)
{
	GpuredLease *lease = &batcher->lease;
	uint64		n = batcher->sent[which];
	GpuredAcc	acc;
	uint64		device_ns;
	GpuredStatus status;

	if (n == 0)
		return;
	status = gpured_proxy_wait(lease->connection, lease->slot[which], &acc,
							   &device_ns);
	batcher->sent[which] = 0;
	if (status.code == GPURED_OK)
	{
		add_batch(batcher, &acc);
		gpured_count_batch(batcher->path, batcher->op, n, device_ns);
		return;
	}
	fold(batcher, gpured_proxy_slot(lease->connection, lease->slot[which]), n);
	gpured_count_fallback_batch(batcher->path, n);
	if (!batcher->given_up)
		gpured_count_fallback(batcher->path, &status);
	batcher->given_up = true;
}

/* Collect what is under way and hold nothing more of the server. */
static void
leave_server(Batcher *batcher)
{
	for (int i = 0; i < batcher->lease.num_slots; i++)
		collect(batcher, i);
	batcher->current = IN_BUFFER;
	gpured_lease_end(&batcher->lease);
}

/* Go to the server, at first or once more. */
static bool
enter_server(Batcher *batcher, bool first, GpuredStatus *status)
{
	int			wait_ms = first && gpured_offload_setting == GPURED_OFFLOAD_FORCE ? FIRST_SLOT_WAIT : 0;

	if (!gpured_lease_connect(&batcher->lease, batcher->op, first, status))
		return false;
	if (!gpured_lease_slot(&batcher->lease, wait_ms, status))
	{
		gpured_lease_end(&batcher->lease);
		return false;
	}
	fill(batcher, 0);
	return true;
}

GpuredBatcher *
gpured_batcher_create(MemoryContext context, GpuredOp op, GpuredPath path)
{
	Batcher    *batcher = MemoryContextAllocZero(context, sizeof(Batcher));
	GpuredStatus status;

	batcher->op = op;
	batcher->path = path;
	batcher->context = context;
	batcher->current = IN_BUFFER;
	gpured_acc_init(op, &batcher->total);
	batcher->callback.func = end_of_context;
	batcher->callback.arg = batcher;
	MemoryContextRegisterResetCallback(context, &batcher->callback);

	if (!enter_server(batcher, true, &status))
	{
		gpured_count_fallback(batcher->path, &status);
		if (gpured_offload_setting != GPURED_OFFLOAD_FORCE)
			return NULL;

		/* There is a device, but no room or no luck. */
		batcher->given_up = true;
		fill(batcher, IN_BUFFER);
	}
	else
		gpured_count_on(batcher->path, GPURED_COUNT_SERVER_AGGREGATES, 1);
	return &batcher->public;
}

/* Send the slot that has filled; false if it could not be sent. */
static bool
send_current(Batcher *batcher, uint64 n)
{
	GpuredLease *lease = &batcher->lease;
	GpuredStatus status;

	if (gpured_proxy_reduce(lease->connection, batcher->op,
							lease->slot[batcher->current], n, &status))
	{
		batcher->sent[batcher->current] = n;
		return true;
	}
	fold(batcher, base_of(batcher), n);
	gpured_count_fallback_batch(batcher->path, n);
	if (!batcher->given_up)
		gpured_count_fallback(batcher->path, &status);
	batcher->given_up = true;
	return false;
}

void
gpured_batcher_flush(GpuredBatcher *public)
{
	Batcher    *batcher = (Batcher *) public;
	GpuredLease *lease = &batcher->lease;
	uint64		n = (public->next - base_of(batcher)) / gpured_op_info[batcher->op].input_size;
	GpuredStatus status;
	int			other;

	CHECK_FOR_INTERRUPTS();
	if (batcher->current == IN_BUFFER)
	{
		fold(batcher, batcher->buffer, n);
		public->next = batcher->buffer;

		/* It was finished, and then goes on for long: back to the server. */
		if (!batcher->given_up && !enter_server(batcher, false, &status))
		{
			gpured_count_fallback(batcher->path, &status);
			batcher->given_up = true;
		}
		return;
	}

	if (send_current(batcher, n))
	{
		/* A second slot is worth having, but not worth waiting for. */
		if (lease->num_slots < GPURED_LEASE_SLOTS)
			(void) gpured_lease_slot(lease, 0, &status);
		other = (batcher->current + 1) % lease->num_slots;
		collect(batcher, other);
		if (!batcher->given_up)
		{
			fill(batcher, other);
			return;
		}
	}
	leave_server(batcher);
	fill(batcher, IN_BUFFER);
}

/*
 * Values that the server will not have are not copied either, but computed where
 * they are.
 */
void
gpured_batcher_append(GpuredBatcher *public, const GpuredBatch *batch)
{
	Batcher    *batcher = (Batcher *) public;
	GpuredBatch rest = *batch;
	size_t		size = gpured_op_info[batcher->op].input_size;
	bool		has_second = gpured_op_info[batcher->op].columns == 2;

	while (rest.n > 0)
	{
		size_t		some = Min(rest.n, (size_t) (public->end - public->next) / size);

		if (batcher->given_up)
		{
			CHECK_FOR_INTERRUPTS();
			fold_columns(batcher, &rest);
			return;
		}
		memcpy(public->next, rest.values, some * size);
		rest.values = (const char *) rest.values + some * size;
		if (has_second)
		{
			memcpy(public->next + public->second, rest.second, some * size);
			rest.second = (const char *) rest.second + some * size;
		}
		public->next += some * size;
		rest.n -= some;
		if (public->next == public->end)
			gpured_batcher_flush(public);
	}
}

/* Send what is left and wait for all of it. */
static void
settle(Batcher *batcher)
{
	uint64		n = (batcher->public.next - base_of(batcher)) /
		gpured_op_info[batcher->op].input_size;

	if (batcher->current == IN_BUFFER)
	{
		fold(batcher, batcher->buffer, n);
		return;
	}
	if (n > 0)
		(void) send_current(batcher, n);
	for (int i = 0; i < batcher->lease.num_slots; i++)
		collect(batcher, i);
}

void
gpured_batcher_finish(GpuredBatcher *public, GpuredAcc *total)
{
	Batcher    *batcher = (Batcher *) public;

	settle(batcher);
	if (batcher->current != IN_BUFFER)
		leave_server(batcher);
	fill(batcher, IN_BUFFER);
	*total = batcher->total;
}

void
gpured_batcher_restart(GpuredBatcher *public, GpuredAcc *total)
{
	Batcher    *batcher = (Batcher *) public;

	settle(batcher);
	if (batcher->current != IN_BUFFER && batcher->given_up)
		leave_server(batcher);
	fill(batcher, batcher->current);
	*total = batcher->total;
	gpured_acc_init(batcher->op, &batcher->total);
}

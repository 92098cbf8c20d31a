/*
 * scan.c
 *	  Prefix sums of an array on the best device there is.
 *
 * A scan is a chain: each batch starts from the carry that the one before it
 * has left.  Two slots are used in turn, so that the session copies the next
 * input in and the previous output out while the device works.
 */
#include "postgres.h"

#include "miscadmin.h"

#include "device/batcher.h"
#include "device/lease.h"
#include "gpured.h"
#include "stats.h"

/* Values between two looks for interrupts while computing here. */
#define CPU_CHUNK		65536
#define FIRST_SLOT_WAIT 1000	/* ms, for a full pool */

/*
 * The server failed in the scan that is now under way: the rest of its calls
 * stay here, lest each of them brings down another server.
 */
static bool given_up;

/* A scan under way. */
typedef struct Scan
{
	GpuredOp	op;
	const char *values;
	char	   *out;
	size_t		n;
	size_t		done;			/* values whose output is in place */
	GpuredAcc  *carry;			/* after them */
	GpuredLease lease;
} Scan;

static char *
slot_of(Scan *scan, int which)
{
	return gpured_proxy_slot(scan->lease.connection, scan->lease.slot[which]);
}

/* Copy the batch that starts at value "from" into a slot; returns its size. */
static size_t
load(Scan *scan, int which, size_t from)
{
	size_t		input = gpured_op_info[scan->op].input_size;
	size_t		n = gpured_slot_capacity(scan->op,
										 gpured_proxy_welcome(scan->lease.connection)->slot_size);

	n = Min(n, scan->n - from);
	memcpy(slot_of(scan, which), scan->values + from * input, n * input);
	return n;
}

/* Copy the output of a batch of n values out of its slot. */
static void
store(Scan *scan, int which, size_t from, size_t n)
{
	size_t		output = gpured_op_info[scan->op].output_size;

	memcpy(scan->out + from * output,
		   slot_of(scan, which) + gpured_scan_output_offset(scan->op, n),
		   n * output);
}

/*
 * As much as possible on the server: all of it, unless something fails.  What
 * is done then is done; the rest starts from the carry.
 */
static void
scan_on_server(Scan *scan)
{
	GpuredStatus status = gpured_ok();
	size_t		n;				/* in the slot "which", loaded */
	size_t		stored_from = 0;
	size_t		to_store = 0;	/* values in the other slot, done */
	int			which = 0;

	if (!gpured_lease_slot(&scan->lease, FIRST_SLOT_WAIT, &status))
	{
		gpured_count_fallback(GPURED_PATH_ROW, &status);
		given_up = true;
		return;
	}
	if (scan->carry->n == 0)
		gpured_count_on(GPURED_PATH_ROW, GPURED_COUNT_SERVER_AGGREGATES, 1);
	n = load(scan, which, 0);
	if (n < scan->n)
		(void) gpured_lease_slot(&scan->lease, 0, &status);

	while (n > 0)
	{
		int			other = (which + 1) % scan->lease.num_slots;
		size_t		next = 0;
		GpuredAcc	after;
		uint64		device_ns;

		if (!gpured_proxy_scan(scan->lease.connection, scan->op,
							   scan->lease.slot[which], n, scan->carry, &status))
			break;
		if (other != which)
		{
			/* While the device works, use the other slot. */
			store(scan, other, stored_from, to_store);
			to_store = 0;
			next = load(scan, other, scan->done + n);
		}
		status = gpured_proxy_wait(scan->lease.connection,
								   scan->lease.slot[which], &after,
								   &device_ns);
		if (status.code != GPURED_OK)
			break;
		gpured_count_batch(GPURED_PATH_ROW, scan->op, n, device_ns);
		*scan->carry = after;
		stored_from = scan->done;
		to_store = n;
		scan->done += n;
		if (other == which)
		{
			store(scan, which, stored_from, to_store);
			to_store = 0;
			next = load(scan, which, scan->done);
		}
		which = other;
		n = next;
	}

	/*
	 * The last output that is complete may still lie in the slot that is not
	 * "which", whether the loop ended well or not.
	 */
	if (to_store > 0)
		store(scan, (which + 1) % scan->lease.num_slots, stored_from, to_store);
	if (status.code != GPURED_OK)
	{
		gpured_count_fallback(GPURED_PATH_ROW, &status);
		gpured_count_fallback_batch(GPURED_PATH_ROW, scan->n - scan->done);
		given_up = true;
	}
}

/* What is left, here. */
static void
scan_here(Scan *scan)
{
	const GpuredOpInfo *info = &gpured_op_info[scan->op];

	while (scan->done < scan->n)
	{
		GpuredBatch batch = {
			.values = scan->values + scan->done * info->input_size,
			.n = Min(scan->n - scan->done, CPU_CHUNK)
		};

		CHECK_FOR_INTERRUPTS();
		(void) gpured_cpu_device.scan(scan->op, &batch, scan->carry,
									  scan->out + scan->done * info->output_size);
		scan->done += batch.n;
	}
}

/* Is the device asked at all? */
static bool
wants_device(GpuredOp op, size_t n)
{
	switch ((GpuredOffloadSetting) gpured_offload_setting)
	{
		case GPURED_OFFLOAD_FORCE:
			return true;
		case GPURED_OFFLOAD_OFF:
			return false;
		case GPURED_OFFLOAD_AUTO:
			break;
	}
	return n >= gpured_break_even(op, GPURED_PATH_ROW) &&
		gpured_device_setting != GPURED_DEVICE_OFF;
}

void
gpured_device_scan(GpuredOp op, bool offload, const void *values, size_t n,
				   GpuredAcc *carry, void *out)
{
	Scan	   *scan = palloc0(sizeof(Scan));
	GpuredStatus status;

	scan->op = op;
	scan->values = values;
	scan->out = out;
	scan->n = n;
	scan->carry = carry;

	if (carry->n == 0)
	{
		given_up = false;
		if (offload)
			gpured_count_on(GPURED_PATH_ROW, GPURED_COUNT_AGGREGATES, 1);
	}
	if (n > 0 && offload && !given_up && wants_device(op, n))
	{
		if (gpured_lease_connect(&scan->lease, op, carry->n == 0, &status))
		{
			PG_TRY();
			{
				scan_on_server(scan);
			}
			PG_FINALLY();
			{
				gpured_lease_end(&scan->lease);
			}
			PG_END_TRY();
		}
		else
		{
			if (gpured_offload_setting == GPURED_OFFLOAD_FORCE)
				gpured_count_fallback(GPURED_PATH_ROW, &status);
			given_up = true;
		}
	}
	scan_here(scan);
	pfree(scan);
}

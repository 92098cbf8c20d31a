/*
 * lease.c
 *	  Whether an aggregate goes to the server, and what it holds there.
 *
 * The break-even points are here, in one table: the number of values from which
 * on sending them to a CUDA device and back takes less time than computing
 * them in the session.
 */
#include "postgres.h"

#include "utils/timestamp.h"

#include "device/lease.h"
#include "gpured.h"
#include "supervisor.h"

/* How long a query under gpured.offload = force waits for a server. */
#define FORCE_WAIT_MS	20000

/* How long a session does not wait for a slot again when none came, in ms. */
#define BUSY_INTERVAL	1000

/*
 * Rows that come one at a time from the executor have no break-even.  Handing
 * one over takes about 50 ns; adding it to a state in the session 1 to 3 ns,
 * scanning it 1 to 2 ns, and writing it into a batch no less.  On an H200 sums,
 * maxima and prefix sums of 2 M and 10 M rows took the same time or longer
 * through the device.  UINT64_MAX is never; a way in that delivers columns has
 * numbers of its own.
 */
#define BREAK_EVEN_REDUCE	UINT64_MAX
#define BREAK_EVEN_SCAN		UINT64_MAX

/*
 * Neither have most operations of a column scan, which has its values in the cache.
 * On the machine of an H200 (build/roundtrip) adding one there took 0.2 to 0.4 ns, a
 * greatest 0.15 ns; sending it 0.25 to 0.5 ns, and 0.4 to 1.2 ns when eight sessions
 * did.  Sums of squares took 0.4 to 1.7 ns there against 0.25 to 0.5 ns, which of a
 * query's 15 ns a row is nothing: over 10 M rows var_samp gained 3 to 7 % from float4
 * and float8, and lost 2 % from int4 (scripts/gpu-test, bench-sql).  All the sums of
 * a regression took 4.0 ns against 1.0, and corr 313 ms against 416: some 10 ns a
 * row.  The number of rows is one after which that is far more than a connection,
 * which takes less than a millisecond, is worth.
 */
#define BREAK_EVEN_COLUMN_SCAN UINT64_MAX
#define BREAK_EVEN_moments BREAK_EVEN_COLUMN_SCAN
#define BREAK_EVEN_dot BREAK_EVEN_COLUMN_SCAN
#define BREAK_EVEN_pair_moments 1000000

static const uint64 break_even[GPURED_NUM_OPS][GPURED_NUM_PATHS] = {
	[GPURED_none] = {UINT64_MAX, UINT64_MAX},
#define GPURED_REDUCE(op, type, ctype, acc) \
	[GPURED_reduce_##op##_##type] = {BREAK_EVEN_REDUCE, BREAK_EVEN_COLUMN_SCAN},
#define GPURED_MOMENTS(op, type, ctype, columns, acc) \
	[GPURED_reduce_##op##_##type] = {BREAK_EVEN_REDUCE, BREAK_EVEN_##op},
#define GPURED_SCAN(op, type, ctype, acc, otype) \
	[GPURED_scan_##op##_##type] = {BREAK_EVEN_SCAN, UINT64_MAX},
#include "oplist.h"
};

/* For messages. */
#define MOMENTS_moments	"sum of squares"
#define MOMENTS_pair_moments "sums of products"
#define MOMENTS_dot		"dot product"
static const char *const in_words[GPURED_NUM_OPS] = {
	[GPURED_none] = "nothing",
#define GPURED_REDUCE(op, type, ctype, acc) \
	[GPURED_reduce_##op##_##type] = #op " of " #type,
#define GPURED_MOMENTS(op, type, ctype, columns, acc) \
	[GPURED_reduce_##op##_##type] = MOMENTS_##op " of " #type,
#define GPURED_SCAN(op, type, ctype, acc, otype) \
	[GPURED_scan_##op##_##type] = "prefix " #op " of " #type,
#include "oplist.h"
};

uint64
gpured_break_even(GpuredOp op, GpuredPath path)
{
	return break_even[op][path];
}

static void
raise_no_device(GpuredOp op, const GpuredStatus *status)
{
	ereport(ERROR,
			(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
			 errmsg("could not use a device for the %s", in_words[op]),
			 errdetail("%s", status->reason),
			 gpured_device_setting == GPURED_DEVICE_OFF ?
			 errhint("Set gpured.device to another value, or set gpured.offload to auto or off to compute in the session.") :
			 errhint("Set gpured.offload to auto or off to compute in the session.")));
}

bool
gpured_lease_connect(GpuredLease *lease, GpuredOp op, bool first,
					 GpuredStatus *status)
{
	Assert(lease->connection == NULL);
	if (gpured_offload_setting == GPURED_OFFLOAD_FORCE && first)
	{
		lease->connection = gpured_proxy_connect_wait(FORCE_WAIT_MS, status);
		if (lease->connection == NULL && status->code != GPURED_TIMEOUT)
			raise_no_device(op, status);
		return lease->connection != NULL;
	}

	lease->connection = gpured_proxy_connect(status);
	if (lease->connection == NULL)
	{
		GpuredStatus ignored;

		/* For a later one.  One that has found no device stays, and says so. */
		if (gpured_device_setting != GPURED_DEVICE_OFF)
			(void) gpured_supervisor_start(&ignored);
		return false;
	}
	if (gpured_offload_setting != GPURED_OFFLOAD_FORCE &&
		strcmp(gpured_proxy_welcome(lease->connection)->device, "cuda") != 0)
	{
		gpured_lease_end(lease);
		*status = gpured_status(GPURED_UNAVAILABLE,
								"The server has no CUDA device.");
		return false;
	}
	return true;
}

bool
gpured_lease_slot(GpuredLease *lease, int wait_ms, GpuredStatus *status)
{
	static TimestampTz last_busy = 0;
	uint32		slot;

	/* Wait for a full pool once a second, not in each aggregate of a query. */
	if (last_busy != 0 &&
		!TimestampDifferenceExceeds(last_busy, GetCurrentTimestamp(), BUSY_INTERVAL))
		wait_ms = 0;
	slot = gpured_proxy_acquire(lease->connection, wait_ms, status);
	if (slot == GPURED_NO_SLOT)
	{
		if (status->code == GPURED_BUSY && wait_ms > 0)
			last_busy = GetCurrentTimestamp();
		return false;
	}
	lease->slot[lease->num_slots++] = slot;
	return true;
}

void
gpured_lease_end(GpuredLease *lease)
{
	if (lease->connection == NULL)
		return;
	while (lease->num_slots > 0)
		gpured_proxy_release(lease->connection, lease->slot[--lease->num_slots]);
	gpured_proxy_disconnect(lease->connection);
	lease->connection = NULL;
}

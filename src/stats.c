/*
 * stats.c
 *	  Counters of the session and of the cluster, and the lines in the log when
 *	  work begins and ends to go without the server.
 *
 * The cluster's counters are atomics in shared memory, which exists if the
 * library is preloaded.  Nothing is kept over a restart of PostgreSQL.  A reader
 * may see one counter of a batch and not yet the next one.
 */
#include "postgres.h"

#include "fmgr.h"
#include "miscadmin.h"
#include "utils/timestamp.h"

#include "shared.h"
#include "stats.h"

/* The least time between two lines about a beginning, in microseconds. */
#define LOG_INTERVAL	(60 * USECS_PER_SEC)

/* More than any batch takes: such an answer is not worth counting. */
#define LONGEST_BATCH	(UINT64CONST(3600) * 1000000000)

PG_FUNCTION_INFO_V1(gpured_stats_reset);

GpuredStats gpured_session_stats;
GpuredStats *gpured_cluster_stats;

static void
stats_clear(GpuredStats *stats)
{
	for (int i = 0; i < GPURED_NUM_COUNTERS; i++)
		pg_atomic_write_u64(&stats->counters[i], 0);
	pg_atomic_write_u64(&stats->reset_at, GetCurrentTimestamp());
	SpinLockAcquire(&stats->mutex);
	memset(stats->last_fallback, 0, sizeof(stats->last_fallback));
	SpinLockRelease(&stats->mutex);
}

static void
stats_create(GpuredStats *stats)
{
	memset(stats, 0, sizeof(*stats));
	for (int i = 0; i < GPURED_NUM_COUNTERS; i++)
		pg_atomic_init_u64(&stats->counters[i], 0);
	pg_atomic_init_u64(&stats->reset_at, 0);
	pg_atomic_init_u32(&stats->fallen_back, 0);
	pg_atomic_init_u64(&stats->fell_back_at, 0);
	SpinLockInit(&stats->mutex);
}

static Size
cluster_size(void)
{
	return sizeof(GpuredStats);
}

static void
start_cluster(void *memory, bool fresh)
{
	gpured_cluster_stats = memory;
	if (fresh)
	{
		stats_create(gpured_cluster_stats);
		stats_clear(gpured_cluster_stats);
	}
}

void
gpured_stats_init(void)
{
	stats_create(&gpured_session_stats);
	gpured_shared_add("gpured", cluster_size, start_cluster);
}

/* For the log: one state of the cluster, or of the session if it is alone. */
static GpuredStats *
widest_stats(void)
{
	return gpured_cluster_stats ? gpured_cluster_stats : &gpured_session_stats;
}

/*
 * Is this the first fallback after the server has been used?  Not more often
 * than once in LOG_INTERVAL: a pool that is now full, now not, fills no log.
 */
static bool
begins_fallback(GpuredStats *stats)
{
	TimestampTz now;
	TimestampTz last;
	uint32		expected = 0;

	if (pg_atomic_read_u32(&stats->fallen_back) != 0)
		return false;
	now = GetCurrentTimestamp();
	last = (TimestampTz) pg_atomic_read_u64(&stats->fell_back_at);
	if (last != 0 && now - last < LOG_INTERVAL && now >= last)
		return false;
	if (!pg_atomic_compare_exchange_u32(&stats->fallen_back, &expected, 1))
		return false;
	pg_atomic_write_u64(&stats->fell_back_at, (uint64) now);
	return true;
}

static bool
ends_fallback(GpuredStats *stats)
{
	uint32		expected = 1;

	return pg_atomic_read_u32(&stats->fallen_back) != 0 &&
		pg_atomic_compare_exchange_u32(&stats->fallen_back, &expected, 0);
}

static void
set_last_fallback(GpuredStats *stats, GpuredPath path, const GpuredStatus *status)
{
	SpinLockAcquire(&stats->mutex);
	stats->last_fallback[path] = *status;
	SpinLockRelease(&stats->mutex);
}

GpuredStatus
gpured_last_fallback(GpuredStats *stats, GpuredPath path)
{
	GpuredStatus status;

	SpinLockAcquire(&stats->mutex);
	status = stats->last_fallback[path];
	SpinLockRelease(&stats->mutex);
	return status;
}

void
gpured_count_batch(GpuredPath path, GpuredOp op, uint64 n, uint64 device_ns)
{
	const GpuredOpInfo *info = &gpured_op_info[op];

	gpured_count_on(path, GPURED_COUNT_BATCHES, 1);
	gpured_count_on(path, GPURED_COUNT_ROWS, n);
	gpured_count_on(path, GPURED_COUNT_BYTES, n * info->input_size * info->columns);
	if (device_ns < LONGEST_BATCH)
		gpured_count_on(path, GPURED_COUNT_DEVICE_NS, device_ns);
	if (unlikely(ends_fallback(widest_stats())))
		ereport(LOG_SERVER_ONLY,
				(errmsg("gpured-server computes again")));
}

void
gpured_count_fallback_batch(GpuredPath path, uint64 n)
{
	gpured_count_on(path, GPURED_COUNT_FALLBACK_BATCHES, 1);
	gpured_count_on(path, GPURED_COUNT_FALLBACK_ROWS, n);
}

void
gpured_count_fallback(GpuredPath path, const GpuredStatus *status)
{
	/* A code that is not known comes from a message that makes no sense. */
	int			code = status->code > GPURED_OK && status->code <= GPURED_PROTOCOL ?
		status->code : GPURED_PROTOCOL;

	gpured_count_on(path, GPURED_COUNT_FALLBACKS + code, 1);
	set_last_fallback(&gpured_session_stats, path, status);
	if (gpured_cluster_stats != NULL)
		set_last_fallback(gpured_cluster_stats, path, status);
	if (begins_fallback(widest_stats()))
		ereport(LOG_SERVER_ONLY,
				(errmsg("gpured computes in the session instead of in gpured-server"),
				 errdetail_log("%s", status->reason),
				 errhint("The view gpured_stats counts this; gpured_devices shows whether the server runs.")));
}

/* The cluster's counters and this session's begin anew. */
Datum
gpured_stats_reset(PG_FUNCTION_ARGS)
{
	stats_clear(&gpured_session_stats);
	if (gpured_cluster_stats != NULL)
		stats_clear(gpured_cluster_stats);
	PG_RETURN_VOID();
}

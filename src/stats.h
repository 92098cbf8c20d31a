/*
 * stats.h
 *	  What has been computed and where; shown by gpured_stats.
 *
 * Every session counts for itself and, if the library is preloaded, for the
 * cluster as well.  Counting is for the beginning and the end of an aggregate
 * and for batches, never for a row.
 */
#ifndef GPURED_STATS_H
#define GPURED_STATS_H

#include "datatype/timestamp.h"
#include "port/atomics.h"
#include "storage/spin.h"

#include "device/device.h"

/* The way in that rows take. */
typedef enum GpuredPath
{
	GPURED_PATH_ROW,			/* one at a time, from the executor */
	GPURED_PATH_SCAN,			/* the column scan */
	GPURED_NUM_PATHS
} GpuredPath;

/* Each path has its own of the first ones: see gpured_count_on. */
typedef enum GpuredCounter
{
	GPURED_COUNT_AGGREGATES,	/* ungrouped ones, wherever computed */
	GPURED_COUNT_SERVER_AGGREGATES, /* those that used the server */
	GPURED_COUNT_BATCHES,		/* that the server computed */
	GPURED_COUNT_ROWS,			/* in them */
	GPURED_COUNT_BYTES,
	GPURED_COUNT_DEVICE_NS,		/* the device's time for them */
	GPURED_COUNT_FALLBACK_BATCHES,	/* meant for it, but computed here */
	GPURED_COUNT_FALLBACK_ROWS,
	GPURED_COUNT_FALLBACKS,		/* by GpuredStatusCode, one after another */
	GPURED_NUM_PATH_COUNTERS = GPURED_COUNT_FALLBACKS + GPURED_PROTOCOL + 1,
	GPURED_COUNT_SERVER_STARTS = GPURED_NUM_PATHS * GPURED_NUM_PATH_COUNTERS,
	GPURED_COUNT_SERVER_RESTARTS,	/* those after it crashed or hung */
	GPURED_NUM_COUNTERS
} GpuredCounter;

typedef struct GpuredStats
{
	pg_atomic_uint64 counters[GPURED_NUM_COUNTERS];
	pg_atomic_uint64 reset_at;	/* TimestampTz */

	/* For the log: does work go without the server, and since when? */
	pg_atomic_uint32 fallen_back;
	pg_atomic_uint64 fell_back_at;	/* TimestampTz of the last line */

	slock_t		mutex;			/* over what follows */
	GpuredStatus last_fallback[GPURED_NUM_PATHS];
} GpuredStats;

extern GpuredStats gpured_session_stats;

/* NULL if the library is not preloaded. */
extern GpuredStats *gpured_cluster_stats;

static inline void
gpured_count(int counter, uint64 n)
{
	/* Nobody else writes the session's: no need for a locked instruction. */
	pg_atomic_write_u64(&gpured_session_stats.counters[counter],
						pg_atomic_read_u64(&gpured_session_stats.counters[counter]) + n);
	if (gpured_cluster_stats != NULL)
		pg_atomic_fetch_add_u64(&gpured_cluster_stats->counters[counter], n);
}

static inline void
gpured_count_on(GpuredPath path, int counter, uint64 n)
{
	gpured_count(path * GPURED_NUM_PATH_COUNTERS + counter, n);
}

/* The server has computed a batch, in so many nanoseconds of its device. */
extern void gpured_count_batch(GpuredPath path, GpuredOp op, uint64 n, uint64 device_ns);

/* A batch that was meant for the server is computed here. */
extern void gpured_count_fallback_batch(GpuredPath path, uint64 n);

/* From here on an aggregate goes without the server, and why. */
extern void gpured_count_fallback(GpuredPath path, const GpuredStatus *status);

/* The reason of the last fallback. */
extern GpuredStatus gpured_last_fallback(GpuredStats *stats, GpuredPath path);

extern void gpured_stats_init(void);	/* from _PG_init */

#endif							/* GPURED_STATS_H */

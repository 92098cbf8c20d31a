/*
 * stats.h
 *	  What this session has computed and where; shown by gpured_stats.
 */
#ifndef GPURED_STATS_H
#define GPURED_STATS_H

#include "device/device.h"

typedef struct GpuredSessionStats
{
	uint64		aggregates;		/* that used the server */
	uint64		batches;		/* that the server computed */
	uint64		rows;
	uint64		bytes;
	uint64		fallback_batches;	/* meant for it, but computed here */
	uint64		fallback_rows;
	uint64		fallbacks[GPURED_PROTOCOL + 1]; /* by GpuredStatusCode */
	GpuredStatus last_fallback;
} GpuredSessionStats;

extern GpuredSessionStats gpured_session_stats;

/* A batch went the intended way. */
static inline void
gpured_count_batch(GpuredOp op, uint64 n)
{
	gpured_session_stats.batches++;
	gpured_session_stats.rows += n;
	gpured_session_stats.bytes += n * gpured_op_info[op].input_size;
}

/* From here on an aggregate goes without the server, and why. */
static inline void
gpured_count_fallback(const GpuredStatus *status)
{
	if (status->code >= 0 && status->code <= GPURED_PROTOCOL)
		gpured_session_stats.fallbacks[status->code]++;
	gpured_session_stats.last_fallback = *status;
}

#endif							/* GPURED_STATS_H */

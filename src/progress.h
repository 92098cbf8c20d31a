/*
 * progress.h
 *	  How far column scans are; shown by gpured_progress.
 *
 * A process shows one scan, the one that has read a page last or else began last:
 * where a scan runs within another, the other is shown again when it ends.
 */
#ifndef GPURED_PROGRESS_H
#define GPURED_PROGRESS_H

#include "postgres.h"

#include "port/atomics.h"

typedef enum GpuredPhase
{
	GPURED_PHASE_SCANNING,
	GPURED_PHASE_RETURNING
} GpuredPhase;

/* A scan of one process. */
typedef struct GpuredScanProgress
{
	Oid			relid;
	GpuredPhase phase;
	uint64		blocks_total;	/* of the table */
	uint64		blocks;			/* read by this process */
	uint64		rows;			/* visible ones in them */
} GpuredScanProgress;

/* What a process shows. */
typedef struct GpuredProgressSlot
{
	pg_atomic_uint32 changes;	/* odd while what follows is changed */
	int			pid;			/* 0: no scan */
	Oid			datid;
	Oid			userid;
	Oid			relid;
	uint64		blocks_total;

	/* These change without that. */
	pg_atomic_uint32 phase;
	pg_atomic_uint64 blocks;
	pg_atomic_uint64 rows;
} GpuredProgressSlot;

extern GpuredProgressSlot *gpured_progress_slot;
extern const GpuredScanProgress *gpured_progress_shown;

/* Whenever a scan begins or goes on, and when it ends. */
extern void gpured_progress_begin(const GpuredScanProgress *scan);
extern void gpured_progress_end(const GpuredScanProgress *scan);

/* For each page: it must cost nothing. */
static inline void
gpured_progress_show(const GpuredScanProgress *scan)
{
	if (unlikely(gpured_progress_shown != scan))
		gpured_progress_begin(scan);
	pg_atomic_write_u32(&gpured_progress_slot->phase, scan->phase);
	pg_atomic_write_u64(&gpured_progress_slot->blocks, scan->blocks);
	pg_atomic_write_u64(&gpured_progress_slot->rows, scan->rows);
}

extern void gpured_progress_init(void); /* from _PG_init */

#endif							/* GPURED_PROGRESS_H */

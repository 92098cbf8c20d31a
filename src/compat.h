/*
 * compat.h
 *	  Where PostgreSQL 15 to 18 differ.
 */
#ifndef GPURED_COMPAT_H
#define GPURED_COMPAT_H

#include "executor/executor.h"
#include "pgstat.h"
#include "storage/bufmgr.h"
#include "storage/latch.h"
#include "storage/proc.h"
#include "utils/memutils.h"
#include "utils/rel.h"

#if PG_VERSION_NUM >= 160000
#include "varatt.h"
#endif
#if PG_VERSION_NUM >= 180000
#include "storage/waiteventset.h"
#endif

/* A wait event set that lives until it is freed, whatever ends meanwhile. */
static inline WaitEventSet *
gpured_create_wait_event_set(int nevents)
{
#if PG_VERSION_NUM >= 170000
	return CreateWaitEventSet(NULL, nevents);
#else
	return CreateWaitEventSet(TopMemoryContext, nevents);
#endif
}

/* This process among all that may have one of MaxBackends numbers. */
static inline int
gpured_process_number(void)
{
#if PG_VERSION_NUM >= 170000
	return MyProcNumber;
#else
	return MyProc->pgprocno;
#endif
}

/* A table of the plan's range table, which the executor has locked. */
static inline Relation
gpured_range_table_relation(EState *estate, Index rti)
{
#if PG_VERSION_NUM >= 180000
	return ExecGetRangeTableRelation(estate, rti, false);
#else
	return ExecGetRangeTableRelation(estate, rti);
#endif
}

/* Pin a block if it is in this buffer. */
static inline bool
gpured_read_recent_buffer(Relation rel, BlockNumber block, Buffer buffer)
{
#if PG_VERSION_NUM >= 160000
	return ReadRecentBuffer(rel->rd_locator, MAIN_FORKNUM, block, buffer);
#else
	return ReadRecentBuffer(rel->rd_node, MAIN_FORKNUM, block, buffer);
#endif
}

/* Count n tuples of a scan, as pgstat_count_heap_getnext counts one. */
static inline void
gpured_count_tuples(Relation rel, int n)
{
	if (pgstat_should_count_relation(rel))
	{
#if PG_VERSION_NUM >= 160000
		rel->pgstat_info->counts.tuples_returned += n;
#else
		rel->pgstat_info->t_counts.t_tuples_returned += n;
#endif
	}
}

#endif							/* GPURED_COMPAT_H */

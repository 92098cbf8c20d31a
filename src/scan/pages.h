/*
 * pages.h
 *	  The visible tuples of a heap table, a page at a time.
 */
#ifndef GPURED_PAGES_H
#define GPURED_PAGES_H

#include "postgres.h"

#include "access/htup_details.h"
#include "port/atomics.h"
#include "storage/bufmgr.h"
#include "storage/off.h"
#include "utils/relcache.h"
#include "utils/snapshot.h"

#if PG_VERSION_NUM >= 170000
#include "storage/read_stream.h"
#endif

/* What the processes of a parallel scan share. */
typedef struct GpuredSharedBlocks
{
	pg_atomic_uint64 next;		/* first block that nobody has taken */
	BlockNumber nblocks;
	BlockNumber start;			/* where the scan begins; it wraps around */
} GpuredSharedBlocks;

/* The visible tuples of one page. */
typedef struct GpuredPage
{
	Page		page;
	BlockNumber block;
	int			n;
	bool		complete;		/* no tuple has a NULL, and all have all
								 * columns */
	HeapTupleHeader tuple[MaxHeapTuplesPerPage];
	char	   *data[MaxHeapTuplesPerPage]; /* where their columns begin */
	OffsetNumber offset[MaxHeapTuplesPerPage];
} GpuredPage;

typedef struct GpuredPages
{
	Relation	rel;
	Snapshot	snapshot;
	BufferAccessStrategy strategy;
	GpuredSharedBlocks *blocks; /* shared, or "own" */
	GpuredSharedBlocks own;
	uint64		range_next;		/* blocks that this process has taken */
	uint64		range_end;
	int			natts;			/* columns that a complete tuple has */
	bool		report_location;	/* to other scans of the same table */
	bool		check_conflicts;	/* this transaction is serializable */
	Buffer		current;
	Buffer		ahead;			/* the page after it, or InvalidBuffer */
	Buffer		guess;			/* where the page after that may be */
#if PG_VERSION_NUM >= 170000
	ReadStream *stream;			/* NULL as long as all blocks are in memory */
#endif
} GpuredPages;

/*
 * Begin a scan.  "shared" is NULL, or was set up by gpured_blocks_init in one
 * of the processes after the snapshot was taken.  Tuples with "natts" columns
 * are complete.
 */
extern void gpured_pages_begin(GpuredPages *pages, Relation rel, Snapshot snapshot,
							   GpuredSharedBlocks *shared, int natts);
extern void gpured_blocks_init(GpuredSharedBlocks *blocks, Relation rel);

/*
 * The next page; false at the end of the table.  What it points to stays until
 * the next call.
 */
extern bool gpured_pages_next(GpuredPages *pages, GpuredPage *page);

/* Let go of the pages that are held. */
extern void gpured_pages_release(GpuredPages *pages);

#endif							/* GPURED_PAGES_H */

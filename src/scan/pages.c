/*
 * pages.c
 *	  The visible tuples of a heap table, a page at a time.
 *
 * This is what a sequential scan does, without a call a tuple: the same buffer
 * access strategy, the same place to start at where other scans of the table
 * are under way, the same pruning, locks and predicate locks.  A tuple is seen
 * if its page is all-visible, or if HeapTupleSatisfiesVisibility says so; the
 * plainest case of that is decided here, by the same rules.
 *
 * Tuples stay where they are as long as their page is pinned, so they are read
 * without its lock.  The next page is pinned and fetched into the processor's
 * cache meanwhile.
 *
 * From PostgreSQL 17 on a read stream reads ahead what is not in memory.  It looks
 * up each block, which takes as long as half a page of rows, so it begins with
 * the first block that has to be read.
 */
#include "postgres.h"

#include "access/heapam.h"
#include "access/relscan.h"
#include "access/syncscan.h"
#include "access/tableam.h"
#include "access/transam.h"
#include "executor/instrument.h"
#include "miscadmin.h"
#include "pgstat.h"
#include "storage/predicate.h"
#include "utils/rel.h"

#include "compat.h"
#include "scan/pages.h"

/* Blocks that a process of a parallel scan takes at once. */
#define RANGE_BLOCKS 32

#define CACHE_LINE 64

/* A table that a sequential scan would read through a ring of buffers. */
static bool
is_large(Relation rel, BlockNumber nblocks)
{
	return !RelationUsesLocalBuffers(rel) && nblocks > (BlockNumber) (NBuffers / 4);
}

void
gpured_blocks_init(GpuredSharedBlocks *blocks, Relation rel)
{
	pg_atomic_init_u64(&blocks->next, 0);
	blocks->nblocks = RelationGetNumberOfBlocks(rel);
	blocks->start = 0;
	if (synchronize_seqscans && is_large(rel, blocks->nblocks))
		blocks->start = ss_get_location(rel, blocks->nblocks);
}

void
gpured_pages_begin(GpuredPages *pages, Relation rel, Snapshot snapshot,
				   GpuredSharedBlocks *shared, int natts)
{
	bool		large;

	memset(pages, 0, sizeof(*pages));
	pages->rel = rel;
	pages->snapshot = snapshot;
	pages->natts = natts;
	pages->current = InvalidBuffer;
	pages->ahead = InvalidBuffer;
	pages->blocks = shared;
	if (shared == NULL)
	{
		pages->blocks = &pages->own;
		gpured_blocks_init(&pages->own, rel);
		pages->range_end = pages->own.nblocks;
	}

	large = is_large(rel, pages->blocks->nblocks);
	pages->strategy = large ? GetAccessStrategy(BAS_BULKREAD) : NULL;
	pages->report_location = large && synchronize_seqscans;
	PredicateLockRelation(rel, snapshot);
	pages->check_conflicts = CheckForSerializableConflictOutNeeded(rel, snapshot);
}

void
gpured_pages_release(GpuredPages *pages)
{
	if (BufferIsValid(pages->current))
		ReleaseBuffer(pages->current);
	if (BufferIsValid(pages->ahead))
		ReleaseBuffer(pages->ahead);
	if (pages->strategy != NULL)
		FreeAccessStrategy(pages->strategy);
	pages->current = InvalidBuffer;
	pages->ahead = InvalidBuffer;
	pages->strategy = NULL;
#if PG_VERSION_NUM >= 170000
	if (pages->stream != NULL)
		read_stream_end(pages->stream);
	pages->stream = NULL;
#endif
}

/* The next block that falls to this process; InvalidBlockNumber if none is left. */
static BlockNumber
next_block(GpuredPages *pages)
{
	GpuredSharedBlocks *blocks = pages->blocks;
	uint64		block;

	if (pages->range_next == pages->range_end)
	{
		if (blocks == &pages->own)
			return InvalidBlockNumber;
		pages->range_next = pg_atomic_fetch_add_u64(&blocks->next, RANGE_BLOCKS);
		if (pages->range_next >= blocks->nblocks)
		{
			pages->range_next = pages->range_end;
			return InvalidBlockNumber;
		}
		pages->range_end = Min(pages->range_next + RANGE_BLOCKS, blocks->nblocks);
	}

	block = pages->range_next++ + blocks->start;
	if (block >= blocks->nblocks)
		block -= blocks->nblocks;
	if (pages->report_location)
		ss_report_location(pages->rel, (BlockNumber) block);
	return (BlockNumber) block;
}

#if PG_VERSION_NUM >= 170000
static BlockNumber
next_block_of_stream(ReadStream *stream, void *pages, void *unused)
{
	return next_block(pages);
}

/* As heap_beginscan does. */
static void
begin_stream(GpuredPages *pages)
{
	int			flags = READ_STREAM_SEQUENTIAL;

#if PG_VERSION_NUM >= 180000
	flags |= READ_STREAM_USE_BATCHING;
#endif
	pages->stream = read_stream_begin_relation(flags, pages->strategy, pages->rel, MAIN_FORKNUM,
											   next_block_of_stream, pages, 0);
}

/* Blocks that this process has read from files. */
static inline int64
blocks_from_files(void)
{
	return pgBufferUsage.shared_blks_read + pgBufferUsage.local_blks_read;
}
#endif

/*
 * Pin a block.  A table that was loaded in one go often lies in buffers that
 * follow each other: then the next one is found without a search.
 */
static Buffer
read_block(GpuredPages *pages, BlockNumber block)
{
	Buffer		guess = pages->guess;
	Buffer		buffer;

	if (pages->strategy == NULL && guess > 0 && guess <= NBuffers &&
		gpured_read_recent_buffer(pages->rel, block, guess))
	{
		pgstat_count_buffer_read(pages->rel);
		pgstat_count_buffer_hit(pages->rel);
		buffer = guess;
	}
	else
	{
#if PG_VERSION_NUM >= 170000
		int64		before = blocks_from_files();
#endif

		buffer = ReadBufferExtended(pages->rel, MAIN_FORKNUM, block, RBM_NORMAL,
									pages->strategy);
#if PG_VERSION_NUM >= 170000
		if (blocks_from_files() != before)
			begin_stream(pages);
#endif
	}
	pages->guess = buffer + 1;
	return buffer;
}

/* Pin the next block; InvalidBuffer if none is left. */
static Buffer
read_next(GpuredPages *pages)
{
	BlockNumber block;

#if PG_VERSION_NUM >= 170000
	if (pages->stream != NULL)
		return read_stream_next_buffer(pages->stream, NULL);
#endif
	block = next_block(pages);
	return block == InvalidBlockNumber ? InvalidBuffer : read_block(pages, block);
}

/*
 * What HeapTupleSatisfiesMVCC says first, for a tuple whose hint bits are set
 * and that was inserted before any transaction of the snapshot.
 */
static inline bool
is_plainly_visible(HeapTupleHeader tuple, Snapshot snapshot)
{
	if ((tuple->t_infomask & (HEAP_XMIN_COMMITTED | HEAP_XMAX_INVALID)) !=
		(HEAP_XMIN_COMMITTED | HEAP_XMAX_INVALID))
		return false;
	return HeapTupleHeaderXminFrozen(tuple) ||
		TransactionIdPrecedes(HeapTupleHeaderGetRawXmin(tuple), snapshot->xmin);
}

/* Collect the visible tuples of the current page. */
static void
collect(GpuredPages *pages, GpuredPage *page)
{
	Relation	rel = pages->rel;
	Snapshot	snapshot = pages->snapshot;
	Buffer		buffer = pages->current;
	bool		mvcc = snapshot->snapshot_type == SNAPSHOT_MVCC && !pages->check_conflicts;
	bool		all_visible;
	uint32		missing = 0;	/* of any tuple */
	OffsetNumber last;
	const char *ahead = NULL;
	int			n = 0;

	if (BufferIsValid(pages->ahead))
		ahead = (const char *) BufferGetPage(pages->ahead);
	page->page = BufferGetPage(buffer);
	page->block = BufferGetBlockNumber(buffer);
	last = PageGetMaxOffsetNumber(page->page);
	all_visible = PageIsAllVisible(page->page) && !snapshot->takenDuringRecovery &&
		!pages->check_conflicts;

	for (OffsetNumber offset = FirstOffsetNumber; offset <= last; offset++)
	{
		ItemId		item = PageGetItemId(page->page, offset);
		HeapTupleHeader tuple;

		/* Fetch the next page into the cache, a line a row. */
		if (ahead != NULL && offset < BLCKSZ / CACHE_LINE)
			__builtin_prefetch(ahead + offset * CACHE_LINE);
		if (unlikely(!ItemIdIsNormal(item)))
			continue;
		tuple = (HeapTupleHeader) PageGetItem(page->page, item);
		if (!all_visible && !(mvcc && is_plainly_visible(tuple, snapshot)))
		{
			HeapTupleData whole;
			bool		visible;

			whole.t_len = ItemIdGetLength(item);
			whole.t_tableOid = RelationGetRelid(rel);
			whole.t_data = tuple;
			ItemPointerSet(&whole.t_self, page->block, offset);
			visible = HeapTupleSatisfiesVisibility(&whole, snapshot, buffer);
			if (pages->check_conflicts)
				HeapCheckForSerializableConflictOut(visible, rel, &whole, buffer, snapshot);
			if (!visible)
				continue;
		}
		missing |= tuple->t_infomask & HEAP_HASNULL;
		missing |= HeapTupleHeaderGetNatts(tuple) < pages->natts;
		page->tuple[n] = tuple;
		page->data[n] = (char *) tuple + tuple->t_hoff;
		page->offset[n] = offset;
		n++;
	}
	for (int line = last + 1; ahead != NULL && line < BLCKSZ / CACHE_LINE; line++)
		__builtin_prefetch(ahead + line * CACHE_LINE);
	page->n = n;
	page->complete = missing == 0;
}

bool
gpured_pages_next(GpuredPages *pages, GpuredPage *page)
{
	Buffer		buffer = pages->ahead;

	if (BufferIsValid(pages->current))
		ReleaseBuffer(pages->current);
	pages->current = InvalidBuffer;
	pages->ahead = InvalidBuffer;
	if (!BufferIsValid(buffer))
		buffer = read_next(pages);
	if (!BufferIsValid(buffer))
		return false;
	pages->current = buffer;
	pages->ahead = read_next(pages);

	heap_page_prune_opt(pages->rel, buffer);
	LockBuffer(buffer, BUFFER_LOCK_SHARE);
#if PG_VERSION_NUM < 170000
	TestForOldSnapshot(pages->snapshot, pages->rel, BufferGetPage(buffer));
#endif
	collect(pages, page);
	LockBuffer(buffer, BUFFER_LOCK_UNLOCK);
	gpured_count_tuples(pages->rel, page->n);
	return true;
}

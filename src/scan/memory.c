/*
 * memory.c
 *	  The memory of a query's scans, which the session keeps for its next one.
 *
 * Batches are arrays of many kilobytes.  The C library gives such memory back to
 * the operating system when it is freed, and the next query has to fault each page
 * in again, which took a sixth of the time of a query over a table of ten pages.
 */
#include "postgres.h"

#include "utils/memutils.h"

#include "scan/memory.h"

/* What is kept; of that only pages which have been used take memory. */
#define KEPT_BYTES (1024 * 1024)
#define MOST_BLOCK_BYTES (8 * 1024 * 1024)

static MemoryContext kept;
static MemoryContext user;		/* the query that has it, or NULL */

static void
release(void *arg)
{
	MemoryContextReset(kept);
	user = NULL;
}

MemoryContext
gpured_scan_memory(MemoryContext query)
{
	MemoryContextCallback *callback;

	if (user != NULL)
		return user == query ? kept : query;
	if (kept == NULL)
		kept = GenerationContextCreate(TopMemoryContext, "gpured scan", KEPT_BYTES, KEPT_BYTES,
									   MOST_BLOCK_BYTES);
	callback = MemoryContextAllocZero(query, sizeof(MemoryContextCallback));
	callback->func = release;
	MemoryContextRegisterResetCallback(query, callback);
	user = query;
	return kept;
}

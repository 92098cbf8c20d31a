/*
 * memory.h
 *	  The memory of a query's scans, which the session keeps for its next one.
 */
#ifndef GPURED_MEMORY_H
#define GPURED_MEMORY_H

#include "postgres.h"

#include "utils/palloc.h"

/*
 * Memory that lives as long as that of a query, "query": for what is allocated once,
 * since what is freed or reallocated earlier may not be used again before.
 */
extern MemoryContext gpured_scan_memory(MemoryContext query);

#endif							/* GPURED_MEMORY_H */

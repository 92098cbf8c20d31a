/*
 * groups.h
 *	  The groups of a column scan: the CPU device's, for keys of any types.
 *
 * Keys that are passed by value are numbered by the device (device/grouped.h).
 * If one is not, all of a row's keys make an image, which is numbered (images.h).
 *
 * Values are the same if their bytes are.  So equal values that differ in their
 * bytes (0 and -0, numerics of another scale) are in groups of their own, which
 * the node above merges as it merges those of parallel workers.
 */
#ifndef GPURED_GROUPS_H
#define GPURED_GROUPS_H

#include "postgres.h"

#include "device/grouped.h"
#include "scan/columns.h"

/* Rows are numbered so many at a time, or fewer at the end of a batch. */
#define GPURED_GROUPS_ROWS 512

typedef struct GpuredGroups GpuredGroups;

/*
 * "keys" are the numbers of at most 64 columns, and "spec" has all that is not
 * about keys.
 */
extern GpuredGroups *gpured_groups_create(const int *keys, int nkeys, GpuredGroupedSpec *spec,
										  const GpuredColumns *columns, MemoryContext parent);

/* Where the groups are; each has its state there. */
extern GpuredGrouped *gpured_groups_device(const GpuredGroups *groups);

/* There is a new batch. */
extern void gpured_groups_begin_batch(GpuredGroups *groups, const GpuredColumns *columns);

/*
 * Find the groups of n rows of the batch, at most GPURED_GROUPS_ROWS, from a
 * multiple of that on, and fold their values, which are columns of the spec.
 * Returns how many rows were taken: fewer if "memory" bytes are not enough for the
 * groups.  If there is no group yet all are.
 */
extern int	gpured_groups_fold(GpuredGroups *groups, const GpuredColumns *columns,
							   const GpuredGroupedColumn *values, int from, int n, Size memory,
							   uint32 *group);

/* A key of a group. */
extern Datum gpured_groups_key(const GpuredGroups *groups, const GpuredColumns *columns,
							   uint32 group, int key, bool *null);

/* What is in use. */
extern Size gpured_groups_memory(const GpuredGroups *groups);

/* Forget all groups. */
extern void gpured_groups_reset(GpuredGroups *groups);

/*
 * Which of n rows count, as bits: those that are not in "nulls", and are in
 * "filter" and not in "filter_nulls".  Each may be NULL.
 */
extern void gpured_rows_to_bits(const bool *nulls, const bool *filter, const bool *filter_nulls,
								int n, uint64 *bits);

#endif							/* GPURED_GROUPS_H */

/*
 * groups.h
 *	  Numbers for groups: rows with the same key values have the same number.
 *
 * Values are the same if their bytes are.  So equal values that differ in their
 * bytes (0 and -0, numerics of another scale) are in groups of their own, which
 * the node above merges as it merges those of parallel workers.  In return, keys
 * may be of any type.
 */
#ifndef GPURED_GROUPS_H
#define GPURED_GROUPS_H

#include "postgres.h"

#include "scan/columns.h"

typedef struct GpuredGroups
{
	uint32		n;				/* groups so far */
	Size		state_size;		/* bytes of a group's state */
	char	   *states;			/* zero when a group is new */

	int			nkeys;
	const int  *keys;			/* columns */
	MemoryContext context;
	bool		by_value;		/* all keys are */
	int			words;			/* by value: of a key, a bitmap of NULLs first */
	uint64	   *batch_keys;		/* by value: keys of the batch's rows */
	uint64	   *group_keys;
	char	  **images;			/* else: the group's values, one after another */
	uint32		capacity;
	uint32		mask;			/* slots - 1; a power of two */
	uint64	   *slots;			/* upper half of the hash, number + 1 */
	char	   *image;			/* else: of the row that is looked for */
	Size		image_room;
} GpuredGroups;

/* "keys" are the numbers of at most 64 columns. */
extern GpuredGroups *gpured_groups_create(const int *keys, int nkeys, Size state_size,
										  const GpuredColumns *columns, MemoryContext context);

/* The group of each row of the batch. */
extern void gpured_groups_find(GpuredGroups *groups, const GpuredColumns *columns, uint32 *group);

/* A key of a group. */
extern Datum gpured_groups_key(const GpuredGroups *groups, const GpuredColumns *columns,
							   uint32 group, int key, bool *null);

/* All memory in the context is about to be freed: begin anew. */
extern void gpured_groups_reset(GpuredGroups *groups);

#endif							/* GPURED_GROUPS_H */

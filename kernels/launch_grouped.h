/*
 * launch_grouped.h
 *	  Grouped aggregation on the card, as C calls it.
 *
 * A GpuredGroups is a hash table in device memory: a key's slot holds what is
 * kept for its group.  Rows are added by any number of launches, which may be in
 * any order on one stream; then the groups are emitted, densely numbered in an
 * arbitrary order, and the table is cleared.
 *
 * What a group has is exact whatever the order of the atomic additions, since
 * they are all of integers: floats are cut into digits on a grid that is chosen
 * from the first rows, and what does not fit goes to the limbs of exact.h, of
 * which a group gets a set when it needs one.
 *
 * All pointers but the struct's own are to device memory.  A launch is
 * asynchronous on its stream and never synchronizes; it returns a cudaError_t.
 * An object takes 2^31 rows at most before it is cleared.
 */
#ifndef GPURED_LAUNCH_GROUPED_H
#define GPURED_LAUNCH_GROUPED_H

#include <cuda_runtime_api.h>

#include "device/device.h"

#ifdef __cplusplus
extern "C"
{
#endif

#define GPURED_GROUPS_AGGREGATES 8

/* What went wrong, in *status. */
#define GPURED_GROUPS_FULL 1     /* more groups than there is room for */
#define GPURED_GROUPS_NO_LIMBS 2 /* more groups with limbs than there is room for */

	/* A column: bit i % 32 of valid[i / 32] says that row i is not NULL; NULL: none is. */
	typedef struct GpuredGroupsColumn
	{
		const void *values;
		const uint32_t *valid;
	} GpuredGroupsColumn;

	/* An aggregate: a sum, min or max of oplist.h, or GPURED_none: how many are not NULL. */
	typedef struct GpuredGroupsAggregate
	{
		int kind; /* GpuredAccKind, or -1 to count */
		int size; /* bytes of a value */
		int column;
		int word; /* its first in the record */
		bool is_extreme;
		int sum; /* which of the float sums, or -1 */
	} GpuredGroupsAggregate;

	typedef struct GpuredGroups
	{
		int key_size; /* 4 or 8; 0: one group, keys are not looked at */
		int naggregates;
		int nsums;  /* of floats */
		int nwords; /* of a record, 64 bits each */
		int rows;   /* the word that counts them; those that are added to follow */
		GpuredGroupsAggregate aggregate[GPURED_GROUPS_AGGREGATES];

		uint32_t capacity; /* slots: a power of two, and two more for special keys */
		uint32_t limb_sets;
		uint64_t *record;  /* by slot: nwords each, the first is the key */
		uint32_t *special; /* by slot and float sum: flags, -0s, set of limbs */
		uint64_t *limbs;   /* by set: GPURED_EXACT_LIMBS each */
		int32_t *anchor;   /* by float sum; 0: not chosen yet */
		uint32_t *status;  /* GPURED_GROUPS_*; then sets of limbs, groups */
	} GpuredGroups;

	/* Device memory for an object; the host's struct is filled by _init. */
	extern size_t gpured_groups_size(int naggregates, const GpuredOp *ops, uint32_t groups,
									 uint32_t limb_sets);

	/*
	 * Describe an object in "memory", a multiple of 256: room for "groups" groups,
	 * limbs for limb_sets of them.  Then clear it; it is new if the memory may hold
	 * anything.  columns[] says which column an aggregate is of.
	 */
	extern void gpured_groups_init(GpuredGroups *g, int key_size, int naggregates,
								   const GpuredOp *ops, const int *columns, uint32_t groups,
								   uint32_t limb_sets, void *memory);
	extern int gpured_launch_groups_clear(const GpuredGroups *g, bool is_new, cudaStream_t stream);

	/*
	 * Add n rows.  "expected" is about how many groups they have: few are first
	 * aggregated in shared memory.  It does not matter for the answer.
	 */
	extern int gpured_launch_groups_add(const GpuredGroups *g, const GpuredGroupsColumn *keys,
										const GpuredGroupsColumn *columns, size_t n,
										uint32_t expected, cudaStream_t stream);

	/*
	 * Write the groups, each as 3 + nwords + 3 nsums words: its key, whether that
	 * is NULL, its rows, the record, and for each float sum flags, -0s and set of limbs.
	 * status[2] is their number.  Room for capacity + 2 of them is enough.
	 */
	extern int gpured_launch_groups_emit(const GpuredGroups *g, uint64_t *out, cudaStream_t stream);

	/* The words of an emitted group. */
	extern int gpured_groups_words(const GpuredGroups *g);

	/*
	 * On the host, from an emitted group: its rows, and what its aggregates are.
	 * limbs is a copy of g->limbs, anchor of g->anchor.  A result for exact has its
	 * flags; n is only known where it was counted.
	 */
	extern int64_t gpured_groups_rows(const uint64_t *group);
	extern void gpured_groups_result(const GpuredGroups *g, const uint64_t *group, int aggregate,
									 const uint64_t *limbs, const int32_t *anchor, int64_t n,
									 GpuredAcc *result);

#ifdef __cplusplus
}
#endif

#endif /* GPURED_LAUNCH_GROUPED_H */

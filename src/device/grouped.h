/*
 * grouped.h
 *	  Grouped aggregation on the CPU device: batches of columns in, one state a
 *	  group and aggregate out.
 *
 * A batch is a number of rows: an array of values for each column and, if it
 * has NULLs, a bitmap.  Rows belong to one group if their keys are equal.  The
 * groups are numbered 0, 1, ... in the order in which they come.  What is kept
 * for a group is exact: integers in 64 or 128 bits, float sums without any
 * rounding, so it does not matter in which order, or in how many parts, rows
 * come.  The states of float sums are those of window.h.
 *
 *		GpuredGrouped *g = gpured_grouped_create(&spec, &allocator, arg);
 *
 *		while (there is a batch)
 *			for (done = 0; done < n; done += taken)
 *			{
 *				taken = gpured_grouped_add(g, keys, columns, rows + done, n - done);
 *				if (taken < n - done)
 *					emit all groups; gpured_grouped_reset(g);
 *			}
 *		emit all groups; gpured_grouped_free(g);
 *
 * Memory comes from an allocator of the caller's, as in window.h, which may
 * leave by longjmp: nothing else is held, and the object is then of no use any
 * more.  An object is for one thread at a time.  There are no other errors.
 */
#ifndef GPURED_GROUPED_H
#define GPURED_GROUPED_H

#include "device/device.h"
#include "exact/window.h"

typedef struct GpuredGrouped GpuredGrouped;

/*
 * A column of a batch: values[i] belongs to row i, and bit i % 64 of
 * valid[i / 64] says that it is not NULL.  A valid of NULL says so of all rows;
 * what is in values[] where there is a NULL does not matter.
 */
typedef struct GpuredGroupedColumn
{
	const void *values;
	const uint64_t *valid;
} GpuredGroupedColumn;

/*
 * An aggregate over a column: one of the reductions sum, min and max of
 * oplist.h, whose type is the column's.  GPURED_none counts the values that are
 * not NULL and looks at no value, so that columns[].values may be NULL.
 *
 * Each aggregate has gpured_grouped_count() too.  So sum(x), avg(x), count(x)
 * need one aggregate, and count(*) needs none: see gpured_grouped_rows().  An
 * aggregate with a FILTER has a column of its own, with those rows valid that
 * pass.
 */
typedef struct GpuredGroupedAggregate
{
	GpuredOp	op;
	int			column;
} GpuredGroupedAggregate;

typedef struct GpuredGroupedSpec
{
	/*
	 * The sizes of the keys' types, 4 or 8 bytes.  Keys are equal if their
	 * bytes are, so floats go through gpured_grouped_key_float4() and
	 * _float8() first. What has another size is numbered by the caller.
	 * Without keys there is one group.
	 */
	int			nkeys;
	const uint8_t *key_size;

	int			ncolumns;
	int			naggregates;
	const GpuredGroupedAggregate *aggregates;

	/* Bytes of a state of the caller's own in each group, zero at first. */
	size_t		state_size;

	/*
	 * A batch is not taken further before this many bytes would be passed by
	 * new groups.  0: no limit.  What is there anyway is never refused: a
	 * tile of rows for an object without groups, and the growth of a group's
	 * float sum.
	 */
	size_t		memory_limit;
} GpuredGroupedSpec;

/* Whether there is such an aggregate. */
extern bool gpured_grouped_supports(GpuredOp op);

/* The arrays of the spec are copied. */
extern GpuredGrouped *gpured_grouped_create(const GpuredGroupedSpec *spec,
											const GpuredAllocator *mem, void *arg);
extern void gpured_grouped_free(GpuredGrouped *g);

/* Forget all groups, and release their memory. */
extern void gpured_grouped_reset(GpuredGrouped *g);

/*
 * Add rows: the n rows whose numbers are in rows[], in ascending order, or rows
 * 0 .. n - 1 if rows is NULL.  keys has nkeys elements and columns has
 * ncolumns.  Returns how many of the n were added, from the first on.  If they
 * are fewer, the memory limit or the number of rows that an object can hold
 * (2^32 - 1) is reached: emit, reset, and add the rest.
 *
 * Without rows[] the rest of a batch begins at a row that is a multiple of 64, so
 * that the caller can move the pointers of values and bitmaps.
 */
extern size_t gpured_grouped_add(GpuredGrouped *g, const GpuredGroupedColumn *keys,
								 const GpuredGroupedColumn *columns,
								 const uint32_t *rows, size_t n);

/*
 * Only number the groups of rows, group[i] that of the i-th; returns how many of
 * the n were numbered.  gpured_grouped_add_numbered() is for the rest, and has to
 * be called for them before any other rows are added.
 */
extern size_t gpured_grouped_number(GpuredGrouped *g, const GpuredGroupedColumn *keys,
									const uint32_t *rows, size_t n, uint32_t *group);

/*
 * Add rows whose groups are known: group[i], below ngroups, is the group of the
 * i-th of the n rows.  They were numbered by gpured_grouped_number(), or by the
 * caller if the object has no keys.
 */
extern size_t gpured_grouped_add_numbered(GpuredGrouped *g, const uint32_t *group, uint32_t ngroups,
										  const GpuredGroupedColumn *columns,
										  const uint32_t *rows, size_t n);

/* What is in use, in bytes; and another limit, from now on. */
extern size_t gpured_grouped_memory(const GpuredGrouped *g);
extern void gpured_grouped_set_limit(GpuredGrouped *g, size_t memory_limit);

/* The numbers of the bits that are set among the first n, ascending; how many. */
extern size_t gpured_grouped_select(const uint64_t *bits, size_t n, uint32_t *rows);

/* How many groups there are. */
extern uint32_t gpured_grouped_groups(const GpuredGrouped *g);

/* The caller's own state in a group; it stays where it is. */
extern void *gpured_grouped_state(const GpuredGrouped *g, uint32_t group);

/* A key of a group, as its bytes, zero-extended.  False if it is NULL. */
extern bool gpured_grouped_key(const GpuredGrouped *g, uint32_t group, int key, uint64_t *value);

/* The group's rows, and its rows whose value of that aggregate is not NULL. */
extern int64_t gpured_grouped_rows(const GpuredGrouped *g, uint32_t group);
extern int64_t gpured_grouped_count(const GpuredGrouped *g, uint32_t group, int aggregate);

/* The sum of integers; 0 without values. */
extern GpuredInt128 gpured_grouped_int_sum(const GpuredGrouped *g, uint32_t group, int aggregate);

/* The least or greatest value; only if the count is not 0. */
extern int64_t gpured_grouped_int_extreme(const GpuredGrouped *g, uint32_t group, int aggregate);
extern double gpured_grouped_float_extreme(const GpuredGrouped *g, uint32_t group, int aggregate);

/*
 * The sum of floats, if it is exactly a double and that is easily seen: then true.
 * With few rows in a group it most often is.
 */
extern bool gpured_grouped_double(const GpuredGrouped *g, uint32_t group, int aggregate, double *sum);

/*
 * The sum of floats: as a new state from the allocator that is given here; as the
 * bytes that gpured_window_write() would give for it, GPURED_WINDOW_MAX_BYTES at
 * most, and their number; as a superaccumulator.
 */
extern GpuredWindow *gpured_grouped_window(const GpuredGrouped *g, uint32_t group, int aggregate,
										   const GpuredAllocator *mem, void *arg);
extern size_t gpured_grouped_write_window(const GpuredGrouped *g, uint32_t group, int aggregate,
										  uint8_t *out);
extern void gpured_grouped_exact(const GpuredGrouped *g, uint32_t group, int aggregate, GpuredExact *x);

/* A float as a key: equal bits for -0 and 0, and for all NaNs. */
static inline uint64_t
gpured_grouped_key_float8(double value)
{
	uint64_t	bits;

	if (value != value)
		return UINT64_C(0x7ff8) << 48;
	value += 0.0;
	memcpy(&bits, &value, sizeof(bits));
	return bits;
}

static inline uint32_t
gpured_grouped_key_float4(float value)
{
	uint32_t	bits;

	if (value != value)
		return UINT32_C(0x7fc0) << 16;
	value += 0.0f;
	memcpy(&bits, &value, sizeof(bits));
	return bits;
}

#endif							/* GPURED_GROUPED_H */

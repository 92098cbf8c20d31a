/*
 * grouped_parts.h
 *	  What the files of grouped.h share: what an object is made of.
 *
 * grouped.c has the object, its records and the numbers of its groups;
 * grouped_fold.c folds columns into records, grouped_float.c float sums among
 * them; grouped_read.c gives out what a group has.
 */
#ifndef GPURED_GROUPED_PARTS_H
#define GPURED_GROUPED_PARTS_H

#include "device/grouped.h"

#include "device/cpu.h"
#include "device/grouped_keys.h"

#define TILE			GPURED_GROUPED_TILE

/* Records are allocated by the thousand. */
#define CHUNK_BITS		10
#define CHUNK_GROUPS	(1 << CHUNK_BITS)

/* Bits of a float sum's digit. */
#define DIGIT_BITS		46

/* For how many tiles the windows take everything, if no grid is any good. */
#define MIN_WIDE_TILES	8
#define MAX_WIDE_TILES	512

/* Elements by group number, allocated by the thousand; zeros at first. */
typedef struct GpuredChunks
{
	char	  **chunk;			/* NULL where none is needed yet */
	size_t		room;			/* pointers in chunk[] */
	size_t		element;		/* bytes of one */
} GpuredChunks;

typedef struct GpuredFloatSum
{
	GpuredDigits digits;
	int			anchor;			/* values below 2^anchor fit */
	bool		anchored;
	uint64_t	rows;			/* since the grid moved */
	int			wide;			/* tiles that the windows still take */
	int			next_wide;
	GpuredChunks window;		/* GpuredWindow * */
	GpuredChunks negative_zeros;	/* uint32_t */
} GpuredFloatSum;

typedef struct GpuredGroupedPart
{
	GpuredOp	op;
	int			column;
	size_t		offset;			/* in the record */
	GpuredFloatSum *sum;		/* of a float sum */
} GpuredGroupedPart;

struct GpuredGrouped
{
	const GpuredAllocator *mem;
	void	   *arg;
	size_t		memory;			/* besides the tables of keys */
	size_t		memory_limit;
	uint64_t	rows;
	uint32_t	ngroups;
	uint32_t	capacity;		/* groups that have a record */
	GpuredChunks record;
	size_t		state_offset;	/* in a record */

	int			nkeys;
	int			ncolumns;
	int			naggregates;
	GpuredKeys *key;			/* nkeys, then nkeys - 1 of pairs: see
								 * number_rows */
	GpuredChunks *nulls;		/* uint32_t, for each column */
	GpuredGroupedPart *aggregate;
};

/* Rows of a tile, and of a column those that are not NULL. */
typedef struct GpuredTile
{
	size_t		n;
	size_t		first;			/* of its rows, in the batch or in rows[] */
	const uint32_t *rows;		/* NULL: all from first on */
	bool		one_group;
	uint32_t   *group;
	char	  **record;
} GpuredTile;

/*
 * The tile's rows, with a record each (grouped_fold.c): count them, and fold one
 * column of the batch into all aggregates over it.
 */
extern void gpured_grouped_count_rows(GpuredGrouped *g, GpuredTile *tile);
extern void gpured_grouped_fold_column(GpuredGrouped *g, int c, const GpuredTile *tile,
									   const GpuredGroupedColumn *column);

/* Fold floats into sums, and move a group's digits to its window (grouped_float.c). */
extern void gpured_fold_float_sum(GpuredGrouped *g, GpuredGroupedPart *a, const GpuredTile *tile,
								  const void *values, size_t size);
extern void gpured_drain_sum(GpuredGrouped *g, GpuredGroupedPart *a, uint32_t group, char *record);

/* The windows' allocator, which counts; its argument is the object. */
extern const GpuredAllocator gpured_grouped_windows;

/* The chunk of a group, which is made if there is none. */
extern char *gpured_make_chunk(GpuredGrouped *g, GpuredChunks *c, uint32_t group);

/* A group's element, or NULL if there is no chunk for it. */
static inline void *
gpured_find_element(const GpuredChunks *c, uint32_t group)
{
	size_t		i = group >> CHUNK_BITS;

	if (i >= c->room || c->chunk[i] == NULL)
		return NULL;
	return c->chunk[i] + (group & (CHUNK_GROUPS - 1)) * c->element;
}

static inline void *
gpured_make_element(GpuredGrouped *g, GpuredChunks *c, uint32_t group)
{
	void	   *element = gpured_find_element(c, group);

	if (__builtin_expect(element == NULL, 0))
		element = gpured_make_chunk(g, c, group) + (group & (CHUNK_GROUPS - 1)) * c->element;
	return element;
}

static inline uint32_t
gpured_counter_of(const GpuredChunks *c, uint32_t group)
{
	const uint32_t *counter = gpured_find_element(c, group);

	return counter != NULL ? *counter : 0;
}

/* Both digits' units, as powers of two. */
static inline int
gpured_digit_unit(const GpuredFloatSum *sum, int i)
{
	return sum->anchor - DIGIT_BITS * (i + 1) + 1;
}

/* Of the exponents of ordinary doubles. */
static inline double
gpured_power_of_two(int exponent)
{
	uint64_t	bits = (uint64_t) (exponent + 1023) << 52;
	double		result;

	memcpy(&result, &bits, sizeof(result));
	return result;
}

static inline GpuredGroupedColumn
gpured_column_of_tile(const GpuredTile *tile, const GpuredGroupedColumn *column, size_t size)
{
	GpuredGroupedColumn result = *column;

	if (tile->rows == NULL)
	{
		if (result.values != NULL)
			result.values = (const char *) result.values + tile->first * size;
		if (result.valid != NULL)
			result.valid += tile->first / 64;
	}
	return result;
}

static inline const uint32_t *
gpured_rows_of_tile(const GpuredTile *tile)
{
	return tile->rows != NULL ? tile->rows + tile->first : NULL;
}

#endif							/* GPURED_GROUPED_PARTS_H */

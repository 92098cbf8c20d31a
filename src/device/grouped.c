/*
 * grouped.c
 *	  Grouped aggregation on the CPU device.
 *
 * A batch is taken in tiles that stay in the first-level cache: the rows' keys
 * are numbered, each row gets a pointer to its group's record, and then each
 * aggregate folds its column into the records in a loop of its own.
 *
 * A record has what every row touches and nothing else: the number of rows, 8
 * bytes for each extreme and each sum of int2 and int4, 16 for each sum of int8
 * and of floats.  What is rare is kept beside the records, in chunks that exist
 * only where it has happened: how many values were NULL, and what of a float sum
 * does not fit into its 16 bytes.
 *
 * Those are two digits of 46 bits on a grid that all groups of a column share.
 * A value is cut into digits with vector instructions (see cpu_sum.c), and a row
 * costs one addition of two integers.  The digits of a group go over to its
 * window (window.h) every 2^16 rows, before they can overflow, and when the grid
 * moves.  A value that does not fit the grid goes there at once, and if most
 * values do not, all of them do for a while.
 */
#include "device/grouped.h"

#include "device/cpu.h"
#include "device/grouped_keys.h"
#include "exact/span.h"

#define TILE			GPURED_GROUPED_TILE

/* Records are allocated by the thousand. */
#define CHUNK_BITS		10
#define CHUNK_GROUPS	(1 << CHUNK_BITS)

#define CACHE_LINE		64

#define MAX_ROWS		UINT32_MAX

/* The number of rows comes first in a record; where its lower 16 bits are. */
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define LOW_ROWS		0
#else
#define LOW_ROWS		6
#endif

/*
 * Float sums.  A digit is at most 2^45, so that 2^16 rows and a tile more stay
 * below 2^62.
 */
#define DIGIT_BITS		46
#define DRAIN_ROWS		(1 << 16)

/* Exponents that a grid may be anchored at, and room above what it is anchored by. */
#define LOWEST_ANCHOR	(-800)
#define HIGHEST_ANCHOR	1000
#define ANCHOR_MARGIN	5
#define ORDINARY_ANCHOR 40

/* A grid is no good if more than one in so many values of a tile miss it. */
#define MISFIT_SHARE	4

/* It may move after so many rows for each group. */
#define ROWS_PER_MOVE	16

/* For how many tiles the windows take everything, if no grid is any good. */
#define MIN_WIDE_TILES	8
#define MAX_WIDE_TILES	512

/* Elements by group number, allocated by the thousand; zeros at first. */
typedef struct Chunks
{
	char	  **chunk;			/* NULL where none is needed yet */
	size_t		room;			/* pointers in chunk[] */
	size_t		element;		/* bytes of one */
} Chunks;

typedef struct FloatSum
{
	GpuredDigits digits;
	int			anchor;			/* values below 2^anchor fit */
	bool		anchored;
	uint64_t	rows;			/* since the grid moved */
	int			wide;			/* tiles that the windows still take */
	int			next_wide;
	Chunks		window;			/* GpuredWindow * */
	Chunks		negative_zeros; /* uint32_t */
} FloatSum;

typedef struct Aggregate
{
	GpuredOp	op;
	int			column;
	size_t		offset;			/* in the record */
	FloatSum   *sum;			/* of a float sum */
} Aggregate;

struct GpuredGrouped
{
	const GpuredAllocator *mem;
	void	   *arg;
	size_t		memory;			/* besides the tables of keys */
	size_t		memory_limit;
	uint64_t	rows;
	uint32_t	ngroups;
	uint32_t	capacity;		/* groups that have a record */
	Chunks		record;

	int			nkeys;
	int			ncolumns;
	int			naggregates;
	GpuredKeys *key;			/* nkeys, then nkeys - 1 of pairs: see
								 * number_rows */
	Chunks	   *nulls;			/* uint32_t, for each column */
	Aggregate  *aggregate;
};

/* Rows of a tile, and of a column those that are not NULL. */
typedef struct Tile
{
	size_t		n;
	size_t		first;			/* of its rows, in the batch or in rows[] */
	const uint32_t *rows;		/* NULL: all from first on */
	bool		one_group;
	uint32_t   *group;
	char	  **record;
} Tile;

static void *
allocate(GpuredGrouped *g, size_t size)
{
	void	   *p = g->mem->alloc(g->arg, size);

	g->memory += size;
	return p;
}

static void
release(GpuredGrouped *g, void *pointer, size_t size)
{
	g->mem->release(g->arg, pointer);
	g->memory -= size;
}

/* The windows' allocator, which counts; its argument is the object. */
static void *
window_alloc(void *arg, size_t size)
{
	return allocate(arg, size);
}

static void
window_release(void *arg, void *pointer)
{
	release(arg, pointer, gpured_window_memory(pointer));
}

static const GpuredAllocator window_allocator = {window_alloc, window_release};

/*
 * A chunk begins at a cache line; just before is the pointer to release.
 */
static size_t
chunk_bytes(const Chunks *c)
{
	return sizeof(char *) + CACHE_LINE - 1 + (c->element << CHUNK_BITS);
}

/* The chunk of a group, which is made if there is none. */
static char *
make_chunk(GpuredGrouped *g, Chunks *c, uint32_t group)
{
	size_t		i = group >> CHUNK_BITS;
	char	   *raw;
	char	   *chunk;

	if (i >= c->room)
	{
		size_t		room = c->room < 16 ? 16 : c->room;
		char	  **new;

		while (room <= i)
			room *= 2;
		new = allocate(g, room * sizeof(char *));
		memset(new, 0, room * sizeof(char *));
		if (c->room > 0)
		{
			memcpy(new, c->chunk, c->room * sizeof(char *));
			release(g, c->chunk, c->room * sizeof(char *));
		}
		c->chunk = new;
		c->room = room;
	}
	if (c->chunk[i] != NULL)
		return c->chunk[i];
	raw = allocate(g, chunk_bytes(c));
	chunk = raw + sizeof(char *);
	chunk += -(uintptr_t) chunk % CACHE_LINE;
	memcpy(chunk - sizeof(char *), &raw, sizeof(char *));
	memset(chunk, 0, c->element << CHUNK_BITS);
	c->chunk[i] = chunk;
	return chunk;
}

static void
release_chunks(GpuredGrouped *g, Chunks *c)
{
	for (size_t i = 0; i < c->room; i++)
	{
		char	   *raw;

		if (c->chunk[i] == NULL)
			continue;
		memcpy(&raw, c->chunk[i] - sizeof(char *), sizeof(char *));
		release(g, raw, chunk_bytes(c));
	}
	if (c->room > 0)
		release(g, c->chunk, c->room * sizeof(char *));
	c->chunk = NULL;
	c->room = 0;
}

/* A group's element, or NULL if there is no chunk for it. */
static inline void *
find_element(const Chunks *c, uint32_t group)
{
	size_t		i = group >> CHUNK_BITS;

	if (i >= c->room || c->chunk[i] == NULL)
		return NULL;
	return c->chunk[i] + (group & (CHUNK_GROUPS - 1)) * c->element;
}

static inline void *
make_element(GpuredGrouped *g, Chunks *c, uint32_t group)
{
	void	   *element = find_element(c, group);

	if (__builtin_expect(element == NULL, 0))
		element = make_chunk(g, c, group) + (group & (CHUNK_GROUPS - 1)) * c->element;
	return element;
}

static uint32_t
counter_of(const Chunks *c, uint32_t group)
{
	const uint32_t *counter = find_element(c, group);

	return counter != NULL ? *counter : 0;
}

static bool
is_extreme(GpuredAccKind kind)
{
	return kind == GPURED_ACC_least_int || kind == GPURED_ACC_greatest_int ||
		kind == GPURED_ACC_least_float || kind == GPURED_ACC_greatest_float;
}

bool
gpured_grouped_supports(GpuredOp op)
{
	if (op == GPURED_none)
		return true;
	if ((int) op < 0 || op >= GPURED_NUM_OPS || gpured_op_info[op].is_scan)
		return false;
	switch (gpured_op_info[op].acc)
	{
		case GPURED_ACC_int64:
		case GPURED_ACC_wide:
		case GPURED_ACC_exact:
			return true;
		default:
			return is_extreme(gpured_op_info[op].acc);
	}
}

/*
 * Records of up to a cache line do not cross one: their sizes are powers of two.
 * Pairs of words are aligned, so that one instruction stores both.
 */
static void
lay_out_records(GpuredGrouped *g)
{
	size_t		offset = sizeof(uint64_t);
	size_t		size = 16;

	for (int i = 0; i < g->naggregates; i++)
	{
		Aggregate  *a = &g->aggregate[i];
		GpuredAccKind kind = gpured_op_info[a->op].acc;

		if (a->op != GPURED_none && (is_extreme(kind) || kind == GPURED_ACC_int64))
		{
			a->offset = offset;
			offset += sizeof(int64_t);
		}
	}
	for (int i = 0; i < g->naggregates; i++)
	{
		Aggregate  *a = &g->aggregate[i];
		GpuredAccKind kind = gpured_op_info[a->op].acc;

		if (a->op != GPURED_none && (kind == GPURED_ACC_wide || kind == GPURED_ACC_exact))
		{
			offset += offset % 16;
			a->offset = offset;
			offset += 2 * sizeof(int64_t);
		}
	}
	while (size < offset)
		size += size < CACHE_LINE ? size : 16;
	g->record.element = size;
}

GpuredGrouped *
gpured_grouped_create(const GpuredGroupedSpec *spec, const GpuredAllocator *mem, void *arg)
{
	GpuredGrouped *g = mem->alloc(arg, sizeof(*g));
	int			ntables = spec->nkeys > 0 ? 2 * spec->nkeys - 1 : 0;

	memset(g, 0, sizeof(*g));
	g->mem = mem;
	g->arg = arg;
	g->memory = sizeof(*g);
	g->memory_limit = spec->memory_limit > 0 ? spec->memory_limit : SIZE_MAX;
	g->nkeys = spec->nkeys;
	g->ncolumns = spec->ncolumns;
	g->naggregates = spec->naggregates;

	/* one more of each, since no allocation is empty */
	g->key = allocate(g, (ntables + 1) * sizeof(*g->key));
	for (int i = 0; i < ntables; i++)
		gpured_keys_init(&g->key[i], i < spec->nkeys ? spec->key_size[i] : 8, mem, arg);
	g->nulls = allocate(g, (spec->ncolumns + 1) * sizeof(*g->nulls));
	for (int i = 0; i < spec->ncolumns; i++)
		g->nulls[i] = (Chunks)
	{
		NULL, 0, sizeof(uint32_t)
	};
	g->aggregate = allocate(g, (spec->naggregates + 1) * sizeof(*g->aggregate));
	for (int i = 0; i < spec->naggregates; i++)
	{
		Aggregate  *a = &g->aggregate[i];

		a->op = spec->aggregates[i].op;
		a->column = spec->aggregates[i].column;
		a->offset = 0;
		a->sum = NULL;
		if (a->op == GPURED_none || gpured_op_info[a->op].acc != GPURED_ACC_exact)
			continue;
		a->sum = allocate(g, sizeof(*a->sum));
		memset(a->sum, 0, sizeof(*a->sum));
		a->sum->next_wide = MIN_WIDE_TILES;
		a->sum->window.element = sizeof(GpuredWindow *);
		a->sum->negative_zeros.element = sizeof(uint32_t);
	}
	lay_out_records(g);
	return g;
}

static int
number_of_tables(const GpuredGrouped *g)
{
	return g->nkeys > 0 ? 2 * g->nkeys - 1 : 0;
}

void
gpured_grouped_reset(GpuredGrouped *g)
{
	for (int i = 0; i < number_of_tables(g); i++)
		gpured_keys_release(&g->key[i]);
	for (int i = 0; i < g->ncolumns; i++)
		release_chunks(g, &g->nulls[i]);
	for (int i = 0; i < g->naggregates; i++)
	{
		FloatSum   *sum = g->aggregate[i].sum;

		if (sum == NULL)
			continue;
		for (uint32_t group = 0; group < g->ngroups; group++)
		{
			GpuredWindow **window = find_element(&sum->window, group);

			if (window != NULL && *window != NULL)
				window_release(g, *window);
		}
		release_chunks(g, &sum->window);
		release_chunks(g, &sum->negative_zeros);
		sum->rows = 0;
	}
	release_chunks(g, &g->record);
	g->rows = 0;
	g->ngroups = 0;
	g->capacity = 0;
}

void
gpured_grouped_free(GpuredGrouped *g)
{
	gpured_grouped_reset(g);
	for (int i = 0; i < g->naggregates; i++)
	{
		if (g->aggregate[i].sum != NULL)
			g->mem->release(g->arg, g->aggregate[i].sum);
	}
	g->mem->release(g->arg, g->aggregate);
	g->mem->release(g->arg, g->nulls);
	g->mem->release(g->arg, g->key);
	g->mem->release(g->arg, g);
}

size_t
gpured_grouped_memory(const GpuredGrouped *g)
{
	size_t		memory = g->memory;

	for (int i = 0; i < number_of_tables(g); i++)
		memory += g->key[i].memory;
	return memory;
}

/* Whether a tile of "more" groups stays within the memory limit. */
static bool
has_room(const GpuredGrouped *g, size_t more)
{
	size_t		memory = gpured_grouped_memory(g);
	size_t		groups = (size_t) g->ngroups + more;

	if (g->ngroups == 0 || g->memory_limit == SIZE_MAX)
		return true;
	for (int i = 0; i < number_of_tables(g); i++)
		memory += gpured_keys_growth(&g->key[i], more);
	if (groups > g->capacity)
		memory += ((groups - g->capacity - 1) / CHUNK_GROUPS + 1) * chunk_bytes(&g->record);
	return memory <= g->memory_limit;
}

/* Give all groups below ngroups a record. */
static void
make_records(GpuredGrouped *g, uint32_t ngroups)
{
	while (g->capacity < ngroups)
	{
		char	   *record = make_chunk(g, &g->record, g->capacity);
		const int64_t lowest = INT64_MIN;

		for (int i = 0; i < g->naggregates; i++)
		{
			Aggregate  *a = &g->aggregate[i];

			if (a->op == GPURED_none || !is_extreme(gpured_op_info[a->op].acc))
				continue;
			for (size_t j = 0; j < CHUNK_GROUPS; j++)
				memcpy(record + j * g->record.element + a->offset, &lowest, sizeof(lowest));
		}
		g->capacity += CHUNK_GROUPS;
	}
	g->ngroups = ngroups;
}

static GpuredGroupedColumn
column_of_tile(const Tile *tile, const GpuredGroupedColumn *column, size_t size)
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

static const uint32_t *
rows_of_tile(const Tile *tile)
{
	return tile->rows != NULL ? tile->rows + tile->first : NULL;
}

/*
 * Number the groups of a tile.  With several keys, each is numbered by itself,
 * and then the pair of what the keys before have given and that number.
 */
static void
number_rows(GpuredGrouped *g, Tile *tile, const GpuredGroupedColumn *keys)
{
	for (int k = 0; k < g->nkeys; k++)
	{
		GpuredGroupedColumn key = column_of_tile(tile, &keys[k], g->key[k].size);
		uint32_t	number[TILE];
		uint64_t	pair[TILE];

		if (k == 0)
		{
			gpured_keys_find(&g->key[k], key.values, key.valid, rows_of_tile(tile), tile->n, tile->group);
			continue;
		}
		gpured_keys_find(&g->key[k], key.values, key.valid, rows_of_tile(tile), tile->n, number);
		for (size_t i = 0; i < tile->n; i++)
			pair[i] = (uint64_t) tile->group[i] << 32 | number[i];
		gpured_keys_find(&g->key[g->nkeys + k - 1], pair, NULL, NULL, tile->n, tile->group);
	}
	if (g->nkeys == 0)
	{
		memset(tile->group, 0, tile->n * sizeof(*tile->group));
		make_records(g, 1);
	}
	else
		make_records(g, g->key[number_of_tables(g) - 1].n);
}

static inline GpuredWindow **
window_of(GpuredGrouped *g, FloatSum *sum, uint32_t group)
{
	GpuredWindow **window = make_element(g, &sum->window, group);

	if (__builtin_expect(*window == NULL, 0))
		*window = gpured_window_create(&window_allocator, g);
	return window;
}

/* Both digits' units, as powers of two. */
static int
digit_unit(const FloatSum *sum, int i)
{
	return sum->anchor - DIGIT_BITS * (i + 1) + 1;
}

/* Move a group's digits to its window. */
static void
drain(GpuredGrouped *g, Aggregate *a, uint32_t group, char *record)
{
	int64_t		digit[2];
	GpuredWindow **window;

	memcpy(digit, record + a->offset, sizeof(digit));
	if (digit[0] == 0 && digit[1] == 0)
		return;
	window = window_of(g, a->sum, group);
	for (int i = 0; i < 2; i++)
		*window = gpured_window_add_scaled(*window, digit[i], digit_unit(a->sum, i), &window_allocator, g);
	memset(record + a->offset, 0, sizeof(digit));
}

static void
drain_sums(GpuredGrouped *g, uint32_t group, char *record)
{
	for (int i = 0; i < g->naggregates; i++)
	{
		if (g->aggregate[i].sum != NULL)
			drain(g, &g->aggregate[i], group, record);
	}
}

/* A group has 2^16 rows more. */
static __attribute__((noinline, cold))
void
count_many_rows(GpuredGrouped *g, uint32_t group, char *record)
{
	uint64_t	rows;

	memcpy(&rows, record, sizeof(rows));
	rows += DRAIN_ROWS;
	memcpy(record, &rows, sizeof(rows));
	drain_sums(g, group, record);
}

/*
 * Find the tile's records, and count its rows there.  The lower 16 bits of the
 * number of rows are counted by themselves: their carry is when to drain sums.
 */
static void
count_rows(GpuredGrouped *g, Tile *tile)
{
	const size_t size = g->record.element;
	char	  **chunk = g->record.chunk;
	const uint32_t *group = tile->group;
	char	  **record = tile->record;
	const size_t n = tile->n;
	uint16_t	before;
	uint16_t	after;

	tile->one_group = memcmp(group, group + 1, (n - 1) * sizeof(*group)) == 0;
	if (g->ngroups <= CHUNK_GROUPS)
	{
#pragma GCC unroll 4
		for (size_t i = 0; i < n; i++)
			record[i] = chunk[0] + group[i] * size;
	}
	else
	{
#pragma GCC unroll 4
		for (size_t i = 0; i < n; i++)
		{
			record[i] = chunk[group[i] >> CHUNK_BITS] + (group[i] & (CHUNK_GROUPS - 1)) * size;
			__builtin_prefetch(record[i], 1);
		}
	}

	if (tile->one_group)
	{
		memcpy(&before, record[0] + LOW_ROWS, sizeof(before));
		after = (uint16_t) (before + n);
		memcpy(record[0] + LOW_ROWS, &after, sizeof(after));
		if (after < before)
			count_many_rows(g, group[0], record[0]);
		return;
	}
#pragma GCC unroll 4
	for (size_t i = 0; i < n; i++)
	{
		uint16_t   *low = (uint16_t *) (record[i] + LOW_ROWS);

		if (__builtin_expect(__builtin_add_overflow(*low, 1, low), 0))
			count_many_rows(g, group[i], record[i]);
	}
}

/* Whether all rows of a tile have a value. */
static bool
is_all_valid(const Tile *tile, const uint64_t *valid)
{
	const uint32_t *rows = rows_of_tile(tile);
	uint64_t	all = UINT64_MAX;
	size_t		i;

	if (valid == NULL)
		return true;
	if (rows != NULL)
	{
		for (i = 0; i < tile->n; i++)
			all &= valid[rows[i] / 64] >> rows[i] % 64;
		return all & 1;
	}
	for (i = 0; i + 64 <= tile->n; i += 64)
		all &= valid[i / 64];
	if (i < tile->n)
		all &= valid[i / 64] | UINT64_MAX << (tile->n - i);
	return all == UINT64_MAX;
}

/*
 * The rows of a tile that have a value, into "part", whose arrays have room for
 * a tile; the others are counted.
 */
static void
leave_out_nulls(GpuredGrouped *g, const Tile *tile, Chunks *nulls, const uint64_t *valid,
				Tile *part, uint32_t *part_rows)
{
	const uint32_t *rows = rows_of_tile(tile);

	part->n = 0;
	part->first = 0;
	part->rows = part_rows;
	part->one_group = tile->one_group;
	for (size_t i = 0; i < tile->n; i++)
	{
		uint32_t	row = rows != NULL ? rows[i] : (uint32_t) i;

		if (valid[row / 64] >> row % 64 & 1)
		{
			part->group[part->n] = tile->group[i];
			part->record[part->n] = tile->record[i];
			part_rows[part->n++] = row;
		}
		else
			++*(uint32_t *) make_element(g, nulls, tile->group[i]);
	}
}

/* The values of the rows, one after another. */
static void
gather(const void *values, size_t size, const uint32_t *rows, size_t n, void *out)
{
	switch (size)
	{
		case 2:
			for (size_t i = 0; i < n; i++)
				((int16_t *) out)[i] = ((const int16_t *) values)[rows[i]];
			break;
		case 4:
			for (size_t i = 0; i < n; i++)
				((int32_t *) out)[i] = ((const int32_t *) values)[rows[i]];
			break;
		default:
			for (size_t i = 0; i < n; i++)
				((int64_t *) out)[i] = ((const int64_t *) values)[rows[i]];
	}
}

/* Values are folded into one group's record, or each into its own. */
#define FOLD_SUM(ctype) \
	do { \
		const ctype *x = values; \
		int64_t		total = 0; \
		if (tile->one_group) \
		{ \
			for (size_t i = 0; i < tile->n; i++) \
				total += x[i]; \
			*(int64_t *) (tile->record[0] + offset) += total; \
		} \
		else \
		{ \
			for (size_t i = 0; i < tile->n; i++) \
				*(int64_t *) (tile->record[i] + offset) += x[i]; \
		} \
	} while (0)

static inline void
add_wide(char *where, __int128 value)
{
	__int128	total;

	memcpy(&total, where, sizeof(total));
	total = (__int128) ((unsigned __int128) total + (unsigned __int128) value);
	memcpy(where, &total, sizeof(total));
}

static void
fold_wide(const Tile *tile, size_t offset, const int64_t *x)
{
	__int128	total = 0;

	if (tile->one_group)
	{
		for (size_t i = 0; i < tile->n; i++)
			total += x[i];
		add_wide(tile->record[0] + offset, total);
		return;
	}
	for (size_t i = 0; i < tile->n; i++)
		add_wide(tile->record[i] + offset, x[i]);
}

/*
 * Extremes are all greatest values: of least ones, the complement is kept.  New
 * ones are rare, so that a branch costs less than a store.
 */
#define FOLD_EXTREME(ctype) \
	do { \
		const ctype *x = values; \
		char	  **record = tile->record; \
		const size_t n = tile->n; \
		if (tile->one_group) \
		{ \
			int64_t    *best = (int64_t *) (record[0] + offset); \
			int64_t		greatest = *best; \
			for (size_t i = 0; i < n; i++) \
			{ \
				int64_t		value = (int64_t) x[i] ^ flip; \
				greatest = value > greatest ? value : greatest; \
			} \
			*best = greatest; \
		} \
		else \
		{ \
			_Pragma("GCC unroll 4") \
			for (size_t i = 0; i < n; i++) \
			{ \
				int64_t    *best = (int64_t *) (record[i] + offset); \
				int64_t		value = (int64_t) x[i] ^ flip; \
				if (__builtin_expect(value > *best, 0)) \
					*best = value; \
			} \
		} \
	} while (0)

/* "flip" is always a constant. */
static GPURED_ALWAYS_INLINE void
fold_extreme(const Tile *tile, size_t offset, const void *values, size_t size, const int64_t flip)
{
	switch (size)
	{
		case 2:
			FOLD_EXTREME(int16_t);
			break;
		case 4:
			FOLD_EXTREME(int32_t);
			break;
		default:
			FOLD_EXTREME(int64_t);
	}
}

static void
fold_float_extreme(const Tile *tile, size_t offset, const void *values, size_t size, bool least)
{
	int64_t		rank[TILE];

	if (size == sizeof(float))
		gpured_cpu_kernels()->ranks_float4(values, tile->n, least, rank);
	else
		gpured_cpu_kernels()->ranks_float8(values, tile->n, least, rank);
	fold_extreme(tile, offset, rank, sizeof(int64_t), 0);
}

static inline double
value_at(const void *values, size_t size, size_t i)
{
	return size == sizeof(float) ? ((const float *) values)[i] : ((const double *) values)[i];
}

static double
power_of_two(int exponent)
{
	uint64_t	bits = (uint64_t) (exponent + 1023) << 52;
	double		result;

	memcpy(&result, &bits, sizeof(result));
	return result;
}

static void
set_anchor(FloatSum *sum, int anchor)
{
	sum->anchor = anchor;
	sum->anchored = true;
	sum->digits.n = 2;
	sum->digits.bound = power_of_two(anchor);
	for (int i = 0; i < 2; i++)
		sum->digits.magic[i] = 1.5 * power_of_two(52 + digit_unit(sum, i));
}

/* Where a grid for these values would be anchored. */
static int
anchor_for(const void *values, size_t size, size_t n)
{
	double		greatest = 0;
	uint64_t	bits;
	int			anchor;

	for (size_t i = 0; i < n; i++)
	{
		double		value = value_at(values, size, i);
		double		magnitude = value < 0 ? -value : value;

		if (magnitude > greatest && magnitude < power_of_two(HIGHEST_ANCHOR - ANCHOR_MARGIN))
			greatest = magnitude;
	}
	if (greatest == 0)
		return ORDINARY_ANCHOR;
	memcpy(&bits, &greatest, sizeof(bits));
	anchor = (int) (bits >> 52) - 1022 + ANCHOR_MARGIN;
	return anchor < LOWEST_ANCHOR ? LOWEST_ANCHOR : anchor;
}

/* Whether the digits of a value are not all of it: what the vector loops say. */
static inline bool
is_misfit(double value, const GpuredDigits *d)
{
	double		rest = value - ((value + d->magic[0]) - d->magic[0]);

	if (!(value < d->bound && value > -d->bound))
		return true;
	return (rest + d->magic[1]) - d->magic[1] != rest || gpured_is_negzero(value);
}

/* The values that miss the grid, into index[]; *wide of them are ordinary numbers. */
static size_t
find_misfits(const FloatSum *sum, const void *values, size_t size, size_t n, uint32_t *index, size_t *wide)
{
	size_t		found = 0;

	*wide = 0;
	for (size_t i = 0; i < n; i++)
	{
		double		value = value_at(values, size, i);

		if (!is_misfit(value, &sum->digits))
			continue;
		index[found++] = (uint32_t) i;
		*wide += !gpured_is_negzero(value) && gpured_is_finite(value);
	}
	return found;
}

static inline void
add_to_window(GpuredGrouped *g, FloatSum *sum, uint32_t group, double value)
{
	GpuredWindow **window;

	if (gpured_is_negzero(value))
	{
		++*(uint32_t *) make_element(g, &sum->negative_zeros, group);
		return;
	}
	window = window_of(g, sum, group);
	*window = gpured_window_add(*window, value, &window_allocator, g);
}

static bool
cut(const FloatSum *sum, const void *values, size_t size, size_t n, GpuredDigitPair *pair)
{
	if (size == sizeof(float))
		return gpured_cpu_kernels()->cut_float4(values, n, &sum->digits, pair);
	return gpured_cpu_kernels()->cut_float8(values, n, &sum->digits, pair);
}

/*
 * Too many values of a tile miss the grid.  Move it to where they are, if it
 * fits them there and has not moved lately; else leave what comes to the windows
 * for a while.
 */
static void
move_grid(GpuredGrouped *g, Aggregate *a, const void *values, size_t size, size_t n)
{
	FloatSum   *sum = a->sum;
	FloatSum	moved = *sum;
	uint32_t	index[TILE];
	size_t		wide;

	set_anchor(&moved, anchor_for(values, size, n));
	find_misfits(&moved, values, size, n, index, &wide);
	if (wide > n / MISFIT_SHARE || sum->rows / ROWS_PER_MOVE < g->ngroups)
	{
		sum->wide = sum->next_wide;
		if (sum->next_wide < MAX_WIDE_TILES)
			sum->next_wide *= 2;
		return;
	}
	for (uint32_t group = 0; group < g->ngroups; group++)
		drain(g, a, group, find_element(&g->record, group));
	set_anchor(sum, moved.anchor);
	sum->rows = 0;
	sum->next_wide = MIN_WIDE_TILES;
}

static void
fold_pairs(const Tile *tile, size_t offset, const GpuredDigitPair *pair)
{
	typedef int64_t Pair __attribute__((vector_size(16)));
	char	  **record = tile->record;
	const size_t n = tile->n;
	Pair		total;
	Pair		value;

	if (tile->one_group)
	{
		memcpy(&total, record[0] + offset, sizeof(total));
		for (size_t i = 0; i < n; i++)
		{
			memcpy(&value, &pair[i], sizeof(value));
			total += value;
		}
		memcpy(record[0] + offset, &total, sizeof(total));
		return;
	}
#pragma GCC unroll 4
	for (size_t i = 0; i < n; i++)
	{
		char	   *where = record[i] + offset;

		memcpy(&total, where, sizeof(total));
		memcpy(&value, &pair[i], sizeof(value));
		total += value;
		memcpy(where, &total, sizeof(total));
	}
}

static void
fold_float_sum(GpuredGrouped *g, Aggregate *a, const Tile *tile, const void *values, size_t size)
{
	FloatSum   *sum = a->sum;
	GpuredDigitPair pair[TILE];
	uint32_t	index[TILE];
	size_t		misfits = 0;
	size_t		wide = 0;

	sum->rows += tile->n;
	if (!sum->anchored)
		set_anchor(sum, anchor_for(values, size, tile->n));
	if (sum->wide == 0 && !cut(sum, values, size, tile->n, pair))
	{
		misfits = find_misfits(sum, values, size, tile->n, index, &wide);
		if (wide > tile->n / MISFIT_SHARE)
		{
			move_grid(g, a, values, size, tile->n);
			if (sum->wide == 0)
			{
				cut(sum, values, size, tile->n, pair);
				misfits = find_misfits(sum, values, size, tile->n, index, &wide);
			}
		}
	}
	if (sum->wide > 0)
	{
		sum->wide--;
		for (size_t i = 0; i < tile->n; i++)
			add_to_window(g, sum, tile->group[i], value_at(values, size, i));
		return;
	}
	for (size_t i = 0; i < misfits; i++)
	{
		pair[index[i]] = (GpuredDigitPair)
		{
			{
				0, 0
			}
		};
		add_to_window(g, sum, tile->group[index[i]], value_at(values, size, index[i]));
	}
	fold_pairs(tile, a->offset, pair);
}

static void
fold(GpuredGrouped *g, Aggregate *a, const Tile *tile, const void *values)
{
	const size_t size = gpured_op_info[a->op].input_size;
	const size_t offset = a->offset;

	switch (gpured_op_info[a->op].acc)
	{
		case GPURED_ACC_int64:
			if (size == sizeof(int16_t))
				FOLD_SUM(int16_t);
			else
				FOLD_SUM(int32_t);
			break;
		case GPURED_ACC_wide:
			fold_wide(tile, offset, values);
			break;
		case GPURED_ACC_exact:
			fold_float_sum(g, a, tile, values, size);
			break;
		case GPURED_ACC_least_int:
			fold_extreme(tile, offset, values, size, -1);
			break;
		case GPURED_ACC_greatest_int:
			fold_extreme(tile, offset, values, size, 0);
			break;
		case GPURED_ACC_least_float:
			fold_float_extreme(tile, offset, values, size, true);
			break;
		case GPURED_ACC_greatest_float:
			fold_float_extreme(tile, offset, values, size, false);
			break;
		default:				/* refused when the aggregates were named */
			break;
	}
}

/* All aggregates of one column. */
static void
fold_column(GpuredGrouped *g, int c, const Tile *tile, const GpuredGroupedColumn *column)
{
	uint32_t	rows[TILE];
	uint32_t	group[TILE];
	char	   *record[TILE];
	int64_t		gathered[TILE];
	size_t		gathered_size = 0;
	GpuredGroupedColumn values = column_of_tile(tile, column, 0);
	Tile		part = *tile;

	if (!is_all_valid(tile, values.valid))
	{
		part.group = group;
		part.record = record;
		leave_out_nulls(g, tile, &g->nulls[c], values.valid, &part, rows);
	}
	if (part.n == 0)
		return;
	for (int i = 0; i < g->naggregates; i++)
	{
		Aggregate  *a = &g->aggregate[i];
		size_t		size = gpured_op_info[a->op].input_size;

		if (a->column != c || a->op == GPURED_none)
			continue;
		values = column_of_tile(tile, column, size);
		if (part.rows == NULL)
			fold(g, a, &part, values.values);
		else
		{
			if (gathered_size != size)
				gather(values.values, size, rows_of_tile(&part), part.n, gathered);
			gathered_size = size;
			fold(g, a, &part, gathered);
		}
	}
}

static size_t
add_rows(GpuredGrouped *g, const GpuredGroupedColumn *keys, const uint32_t *group, uint32_t ngroups,
		 const GpuredGroupedColumn *columns, const uint32_t *rows, size_t n)
{
	uint32_t	group_space[TILE];
	char	   *record_space[TILE];
	Tile		tile = {.rows = rows,.group = group_space,.record = record_space};

	for (tile.first = 0; tile.first < n; tile.first += tile.n)
	{
		tile.n = n - tile.first < TILE ? n - tile.first : TILE;
		if (g->rows + tile.n > MAX_ROWS ||
			!has_room(g, group == NULL ? tile.n : ngroups > g->ngroups ? ngroups - g->ngroups : 0))
			return tile.first;
		if (group == NULL)
			number_rows(g, &tile, keys);
		else
		{
			memcpy(tile.group, group + tile.first, tile.n * sizeof(*tile.group));
			make_records(g, ngroups > g->ngroups ? ngroups : g->ngroups);
		}
		g->rows += tile.n;
		count_rows(g, &tile);
		for (int c = 0; c < g->ncolumns; c++)
			fold_column(g, c, &tile, &columns[c]);
	}
	return n;
}

size_t
gpured_grouped_add(GpuredGrouped *g, const GpuredGroupedColumn *keys,
				   const GpuredGroupedColumn *columns, const uint32_t *rows, size_t n)
{
	return add_rows(g, keys, NULL, 0, columns, rows, n);
}

size_t
gpured_grouped_add_numbered(GpuredGrouped *g, const uint32_t *group, uint32_t ngroups,
							const GpuredGroupedColumn *columns, const uint32_t *rows, size_t n)
{
	return add_rows(g, NULL, group, ngroups, columns, rows, n);
}

size_t
gpured_grouped_select(const uint64_t *bits, size_t n, uint32_t *rows)
{
	size_t		found = 0;

	for (size_t i = 0; i < n; i += 64)
	{
		uint64_t	word = bits[i / 64];

		if (n - i < 64)
			word &= (UINT64_C(1) << (n - i)) - 1;
		for (; word != 0; word &= word - 1)
			rows[found++] = (uint32_t) (i + __builtin_ctzll(word));
	}
	return found;
}

uint32_t
gpured_grouped_groups(const GpuredGrouped *g)
{
	return g->ngroups;
}

bool
gpured_grouped_key(const GpuredGrouped *g, uint32_t group, int key, uint64_t *value)
{
	uint32_t	number = group;

	for (int k = g->nkeys - 1; k > 0; k--)
	{
		uint64_t	pair;

		gpured_keys_get(&g->key[g->nkeys + k - 1], number, &pair);
		if (k == key)
			return gpured_keys_get(&g->key[k], (uint32_t) pair, value);
		number = (uint32_t) (pair >> 32);
	}
	return gpured_keys_get(&g->key[0], number, value);
}

int64_t
gpured_grouped_rows(const GpuredGrouped *g, uint32_t group)
{
	int64_t		rows;

	memcpy(&rows, find_element(&g->record, group), sizeof(rows));
	return rows;
}

int64_t
gpured_grouped_count(const GpuredGrouped *g, uint32_t group, int aggregate)
{
	return gpured_grouped_rows(g, group) - counter_of(&g->nulls[g->aggregate[aggregate].column], group);
}

static const char *
state_of(const GpuredGrouped *g, uint32_t group, int aggregate)
{
	return (const char *) find_element(&g->record, group) + g->aggregate[aggregate].offset;
}

GpuredInt128
gpured_grouped_int_sum(const GpuredGrouped *g, uint32_t group, int aggregate)
{
	GpuredInt128 result;
	int64_t		narrow;

	if (gpured_op_info[g->aggregate[aggregate].op].acc == GPURED_ACC_wide)
		memcpy(&result, state_of(g, group, aggregate), sizeof(result));
	else
	{
		memcpy(&narrow, state_of(g, group, aggregate), sizeof(narrow));
		result = (GpuredInt128)
		{
			(uint64_t) narrow, narrow < 0 ? -1 : 0
		};
	}
	return result;
}

/* The value, or the rank of a float. */
static int64_t
extreme_of(const GpuredGrouped *g, uint32_t group, int aggregate)
{
	GpuredAccKind kind = gpured_op_info[g->aggregate[aggregate].op].acc;
	int64_t		value;

	memcpy(&value, state_of(g, group, aggregate), sizeof(value));
	return kind == GPURED_ACC_least_int || kind == GPURED_ACC_least_float ? ~value : value;
}

int64_t
gpured_grouped_int_extreme(const GpuredGrouped *g, uint32_t group, int aggregate)
{
	return extreme_of(g, group, aggregate);
}

double
gpured_grouped_float_extreme(const GpuredGrouped *g, uint32_t group, int aggregate)
{
	int64_t		rank = extreme_of(g, group, aggregate);
	double		value;

	if (rank < 0)
		rank ^= INT64_MAX;
	memcpy(&value, &rank, sizeof(value));
	return gpured_canonical_float(value);
}

GpuredWindow *
gpured_grouped_window(const GpuredGrouped *g, uint32_t group, int aggregate,
					  const GpuredAllocator *mem, void *arg)
{
	const FloatSum *sum = g->aggregate[aggregate].sum;
	GpuredWindow *const *kept = find_element(&sum->window, group);
	GpuredWindow *w;
	int64_t		digit[2];

	memcpy(digit, state_of(g, group, aggregate), sizeof(digit));
	w = kept != NULL && *kept != NULL ? gpured_window_copy(*kept, mem, arg) : gpured_window_create(mem, arg);
	for (int i = 0; i < 2; i++)
	{
		if (digit[i] != 0)
			w = gpured_window_add_scaled(w, digit[i], digit_unit(sum, i), mem, arg);
	}
	if (gpured_grouped_count(g, group, aggregate) > counter_of(&sum->negative_zeros, group))
		w->flags |= GPURED_EXACT_NOT_NEGZERO;
	return w;
}

/* Room for the windows that a copy and two additions make, and never release. */
typedef struct Scratch
{
	size_t		used;
	uint64_t	space[4 * (1 + GPURED_SPAN_LIMBS)];
} Scratch;

static void *
scratch_alloc(void *arg, size_t size)
{
	Scratch    *s = arg;
	void	   *p = &s->space[s->used];

	s->used += size / sizeof(s->space[0]);
	return p;
}

static void
scratch_release(void *arg, void *pointer)
{
	(void) arg;
	(void) pointer;
}

static const GpuredAllocator scratch_allocator = {scratch_alloc, scratch_release};

size_t
gpured_grouped_write_window(const GpuredGrouped *g, uint32_t group, int aggregate, uint8_t *out)
{
	Scratch		scratch;

	scratch.used = 0;
	return gpured_window_write(gpured_grouped_window(g, group, aggregate, &scratch_allocator, &scratch), out);
}

void
gpured_grouped_exact(const GpuredGrouped *g, uint32_t group, int aggregate, GpuredExact *x)
{
	Scratch		scratch;

	scratch.used = 0;
	gpured_window_to_exact(gpured_grouped_window(g, group, aggregate, &scratch_allocator, &scratch), x);
}

/*
 * grouped.c
 *	  Grouped aggregation on the CPU device: groups and their records.
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
 */
#include "device/grouped_parts.h"

#define CACHE_LINE		64

#define MAX_ROWS		UINT32_MAX

/* Tables by arrays take no more than one in so many bytes of the limit. */
#define ARRAY_SHARE		4

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

const GpuredAllocator gpured_grouped_windows = {window_alloc, window_release};

/*
 * A chunk begins at a cache line; just before is the pointer to release.
 */
static size_t
chunk_bytes(const GpuredChunks *c)
{
	return sizeof(char *) + CACHE_LINE - 1 + (c->element << CHUNK_BITS);
}

char *
gpured_make_chunk(GpuredGrouped *g, GpuredChunks *c, uint32_t group)
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
release_chunks(GpuredGrouped *g, GpuredChunks *c)
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
lay_out_records(GpuredGrouped *g, size_t state_size)
{
	size_t		offset = sizeof(uint64_t);
	size_t		size = 16;

	for (int i = 0; i < g->naggregates; i++)
	{
		GpuredGroupedPart *a = &g->aggregate[i];
		GpuredAccKind kind = gpured_op_info[a->op].acc;

		if (a->op != GPURED_none && (is_extreme(kind) || kind == GPURED_ACC_int64))
		{
			a->offset = offset;
			offset += sizeof(int64_t);
		}
	}
	for (int i = 0; i < g->naggregates; i++)
	{
		GpuredGroupedPart *a = &g->aggregate[i];
		GpuredAccKind kind = gpured_op_info[a->op].acc;

		if (a->op != GPURED_none && (kind == GPURED_ACC_wide || kind == GPURED_ACC_exact))
		{
			offset += offset % 16;
			a->offset = offset;
			offset += 2 * sizeof(int64_t);
		}
	}
	g->state_offset = offset;
	offset += state_size;
	while (size < offset)
		size += size < CACHE_LINE ? size : 16;
	g->record.element = size;
}

GpuredGrouped *
gpured_grouped_create(const GpuredGroupedSpec *spec, const GpuredAllocator *mem, void *arg)
{
	GpuredGrouped *g = mem->alloc(arg, sizeof(*g));
	int			ntables = spec->nkeys > 0 ? 2 * spec->nkeys - 1 : 0;
	size_t		array_limit = SIZE_MAX;

	if (spec->memory_limit > 0)
		array_limit = spec->memory_limit / (ARRAY_SHARE * (ntables + 1));
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
		gpured_keys_init(&g->key[i], i < spec->nkeys ? spec->key_size[i] : 8, array_limit, mem, arg);
	g->nulls = allocate(g, (spec->ncolumns + 1) * sizeof(*g->nulls));
	for (int i = 0; i < spec->ncolumns; i++)
		g->nulls[i] = (GpuredChunks)
	{
		NULL, 0, sizeof(uint32_t)
	};
	g->aggregate = allocate(g, (spec->naggregates + 1) * sizeof(*g->aggregate));
	for (int i = 0; i < spec->naggregates; i++)
	{
		GpuredGroupedPart *a = &g->aggregate[i];

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
	lay_out_records(g, spec->state_size);
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
		GpuredFloatSum *sum = g->aggregate[i].sum;

		if (sum == NULL)
			continue;
		for (uint32_t group = 0; group < g->ngroups; group++)
		{
			GpuredWindow **window = gpured_find_element(&sum->window, group);

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

void
gpured_grouped_set_limit(GpuredGrouped *g, size_t memory_limit)
{
	g->memory_limit = memory_limit;
}

/* Whether "more" groups stay within the memory limit. */
static bool
has_room(const GpuredGrouped *g, size_t more)
{
	size_t		memory = gpured_grouped_memory(g);
	size_t		groups = (size_t) g->ngroups + more;

	if (more == 0 || g->ngroups == 0 || g->memory_limit == SIZE_MAX)
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
		char	   *record = gpured_make_chunk(g, &g->record, g->capacity);
		const int64_t lowest = INT64_MIN;

		for (int i = 0; i < g->naggregates; i++)
		{
			GpuredGroupedPart *a = &g->aggregate[i];

			if (a->op == GPURED_none || !is_extreme(gpured_op_info[a->op].acc))
				continue;
			for (size_t j = 0; j < CHUNK_GROUPS; j++)
				memcpy(record + j * g->record.element + a->offset, &lowest, sizeof(lowest));
		}
		g->capacity += CHUNK_GROUPS;
	}
	g->ngroups = ngroups;
}

/*
 * Number the groups of a tile.  With several keys, each is numbered by itself,
 * and then the pair of what the keys before have given and that number.
 */
static void
number_rows(GpuredGrouped *g, GpuredTile *tile, const GpuredGroupedColumn *keys)
{
	for (int k = 0; k < g->nkeys; k++)
	{
		GpuredGroupedColumn key = gpured_column_of_tile(tile, &keys[k], g->key[k].size);
		uint32_t	number[TILE];
		uint64_t	pair[TILE];

		if (k == 0)
		{
			gpured_keys_find(&g->key[k], key.values, key.valid, gpured_rows_of_tile(tile), tile->n,
							 tile->group);
			continue;
		}
		gpured_keys_find(&g->key[k], key.values, key.valid, gpured_rows_of_tile(tile), tile->n, number);
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

static size_t
add_rows(GpuredGrouped *g, const GpuredGroupedColumn *keys, const uint32_t *group, uint32_t ngroups,
		 const GpuredGroupedColumn *columns, const uint32_t *rows, size_t n)
{
	uint32_t	group_space[TILE];
	char	   *record_space[TILE];
	GpuredTile	tile = {.rows = rows,.group = group_space,.record = record_space};

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
		gpured_grouped_count_rows(g, &tile);
		for (int c = 0; c < g->ncolumns; c++)
			gpured_grouped_fold_column(g, c, &tile, &columns[c]);
	}
	return n;
}

size_t
gpured_grouped_number(GpuredGrouped *g, const GpuredGroupedColumn *keys,
					  const uint32_t *rows, size_t n, uint32_t *group)
{
	GpuredTile	tile = {.rows = rows};

	for (tile.first = 0; tile.first < n; tile.first += tile.n)
	{
		tile.n = n - tile.first < TILE ? n - tile.first : TILE;
		if (!has_room(g, tile.n))
			return tile.first;
		tile.group = group + tile.first;
		number_rows(g, &tile, keys);
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

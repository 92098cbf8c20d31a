/*
 * test_grouped.c
 *	  Grouped aggregation on the CPU device against one row at a time: random
 *	  keys, columns, selections and memory limits.
 *
 * What a batch's groups give is merged, as partial states are, and compared with
 * loops over 128-bit integers, comparisons and the row state of window.h.
 */
#include "test.h"

#include "device/cpu.h"
#include "device/grouped.h"

#define MAX_KEYS		3
#define MAX_AGGREGATES	6
#define MAX_POOL		2000
#define MAX_BATCH		5000

static const char *isa;

/* An allocator that knows what it has given, beside what test.h counts. */
static size_t bytes_used;
static size_t bytes_peak;

static void *
counting_alloc(void *arg, size_t size)
{
	size_t	   *p = test_alloc(arg, size + 16);

	p[0] = size;
	bytes_used += size;
	if (bytes_used > bytes_peak)
		bytes_peak = bytes_used;
	memset(p + 2, 0x5a, size);
	return p + 2;
}

static void
counting_release(void *arg, void *pointer)
{
	size_t	   *p = (size_t *) pointer - 2;

	bytes_used -= p[0];
	test_release(arg, p);
}

static const GpuredAllocator counting_memory = {counting_alloc, counting_release};

/* One aggregate of one group, as the oracle and the merged results keep it. */
typedef struct Total
{
	int64_t		count;
	__int128	sum;
	int64_t		int_best;
	double		float_best;
	GpuredWindow *window;
} Total;

typedef struct Group
{
	int64_t		rows;
	Total		total[MAX_AGGREGATES];
} Group;

typedef struct Column
{
	GpuredOp	op;				/* of the aggregate, or GPURED_none */
	int			kind;			/* of data */
	int			null_share;		/* one in so many; 0: none */
} Column;

typedef struct Setup
{
	int			nkeys;
	uint8_t		key_size[MAX_KEYS];
	int			pool;			/* distinct keys */
	uint64_t	key[MAX_POOL][MAX_KEYS];
	bool		null[MAX_POOL][MAX_KEYS];
	int			naggregates;
	Column		column[MAX_AGGREGATES];
	bool		numbered;		/* rows are numbered first, and counted in a state as well */
	Group	   *expected;		/* by the pool's key */
	Group	   *merged;
} Setup;

static bool
is_float(GpuredOp op)
{
	GpuredAccKind acc = gpured_op_info[op].acc;

	return acc == GPURED_ACC_exact || acc == GPURED_ACC_least_float || acc == GPURED_ACC_greatest_float;
}

static bool
is_least(GpuredOp op)
{
	GpuredAccKind acc = gpured_op_info[op].acc;

	return acc == GPURED_ACC_least_int || acc == GPURED_ACC_least_float;
}

static bool
is_sum(GpuredOp op)
{
	GpuredAccKind acc = gpured_op_info[op].acc;

	return acc == GPURED_ACC_int64 || acc == GPURED_ACC_wide || acc == GPURED_ACC_exact;
}

/* Data of kinds that take the different ways of float sums. */
static double
random_value(int kind)
{
	double		u = (double) random_bits() / 0x1p+64;

	switch (kind)
	{
		case 0:
			return u;
		case 1:
			return u - 0.5;
		case 2:
			return floor(u * 1e6) / 100;
		case 3:
			return ldexp(u - 0.5, (int) random_below(80) - 40);
		case 4:
			return ldexp(u - 0.5, (int) random_below(240) - 120);
		case 5:
			return random_below(2) ? -0.0 : (double) random_below(2);
		case 6:
			return -0.0;
		case 7:
			return random_below(100) ? u : random_below(3) ? INFINITY * (random_below(2) ? 1 : -1) : NAN;
		case 8:
			return random_below(500) ? u : random_finite();
		case 9:
			return 0;
		default:
			return random_finite();
	}
}

/* Sets element i of an array of the operation's type; what a float4 is now. */
static void
set_value(GpuredOp op, void *values, size_t i, int kind)
{
	size_t		size = gpured_op_info[op].input_size;
	double		x;

	if (is_float(op))
	{
		x = random_value(kind);
		if (size == 8)
			((double *) values)[i] = x;
		else
			((float *) values)[i] = fabs(x) < 0x1p+120 || isnan(x) || isinf(x) ? (float) x : 1;
		return;
	}
	switch (size)
	{
		case 2:
			((int16_t *) values)[i] = random_below(3) ? (int16_t) random_bits() : INT16_MIN;
			break;
		case 4:
			((int32_t *) values)[i] = random_below(3) ? (int32_t) random_bits() : INT32_MIN;
			break;
		default:
			((int64_t *) values)[i] = random_below(3) ? (int64_t) random_bits() : INT64_MIN;
	}
}

static int64_t
int_at(GpuredOp op, const void *values, size_t i)
{
	switch (gpured_op_info[op].input_size)
	{
		case 2:
			return ((const int16_t *) values)[i];
		case 4:
			return ((const int32_t *) values)[i];
		default:
			return ((const int64_t *) values)[i];
	}
}

static double
float_at(GpuredOp op, const void *values, size_t i)
{
	return gpured_op_info[op].input_size == 4 ? ((const float *) values)[i] : ((const double *) values)[i];
}

/* Fold in an extreme; t->count counts what came before. */
static void
take_extreme(Total *t, GpuredOp op, int64_t i, double f)
{
	bool		better = t->count == 0;

	if (is_float(op))
	{
		int64_t		new = gpured_float_rank(f);
		int64_t		old = gpured_float_rank(t->float_best);

		if (better || (is_least(op) ? new < old : new > old))
			t->float_best = gpured_canonical_float(f);
	}
	else if (better || (is_least(op) ? i < t->int_best : i > t->int_best))
		t->int_best = i;
}

static void
expect(Total *t, GpuredOp op, const void *values, size_t i)
{
	if (op == GPURED_none)
		;
	else if (gpured_op_info[op].acc == GPURED_ACC_exact)
		t->window = gpured_window_add(t->window, float_at(op, values, i), MEM);
	else if (is_sum(op))
		t->sum += int_at(op, values, i);
	else if (is_float(op))
		take_extreme(t, op, 0, float_at(op, values, i));
	else
		take_extreme(t, op, int_at(op, values, i), 0);
	t->count++;
}

/* The key of the pool that a group has. */
static int
find_group(const Setup *s, const GpuredGrouped *g, uint32_t group)
{
	for (int i = 0; i < s->pool; i++)
	{
		bool		equal = true;

		for (int k = 0; k < s->nkeys && equal; k++)
		{
			uint64_t	key;
			bool		valid = gpured_grouped_key(g, group, k, &key);

			equal = valid == !s->null[i][k] && (!valid || key == s->key[i][k]);
		}
		if (equal)
			return i;
	}
	return -1;
}

/*
 * The bytes that are written, the window and the superaccumulator are the same sum,
 * and so is the double if there is one.
 */
static GpuredWindow *
emitted_window(const GpuredGrouped *g, uint32_t group, int a)
{
	uint8_t		bytes[2][GPURED_WINDOW_MAX_BYTES];
	size_t		size[2];
	GpuredWindow *w = gpured_grouped_window(g, group, a, MEM);
	GpuredExact x;
	double		result[2];
	double		easy;
	double		exact;

	size[0] = gpured_window_write(w, bytes[0]);
	size[1] = gpured_grouped_write_window(g, group, a, bytes[1]);
	gpured_grouped_exact(g, group, a, &x);
	gpured_window_to_double(w, &result[0]);
	gpured_exact_to_double(&x, &result[1]);
	CHECK(size[0] == size[1] && memcmp(bytes[0], bytes[1], size[0]) == 0 &&
		  bits_of_double(result[0]) == bits_of_double(result[1]), "%s: forms of a sum differ", isa);
	if (gpured_grouped_count(g, group, a) > 0 && gpured_grouped_double(g, group, a, &easy))
		CHECK(gpured_window_is_double(w, &exact) && bits_of_double(easy) == bits_of_double(exact),
			  "%s: %a is not the sum %a", isa, easy, result[0]);
	return w;
}

static void
emit(const Setup *s, const GpuredGrouped *g)
{
	for (uint32_t group = 0; group < gpured_grouped_groups(g); group++)
	{
		int			i = s->nkeys > 0 ? find_group(s, g, group) : 0;

		CHECK(i >= 0, "%s: a group that is not there", isa);
		if (i < 0)
			continue;
		s->merged[i].rows += gpured_grouped_rows(g, group);
		if (s->numbered)
			CHECK(*(int64_t *) gpured_grouped_state(g, group) == gpured_grouped_rows(g, group),
				  "%s: a group's own state", isa);
		for (int a = 0; a < s->naggregates; a++)
		{
			GpuredOp	op = s->column[a].op;
			Total	   *t = &s->merged[i].total[a];
			int64_t		count = gpured_grouped_count(g, group, a);

			if (op == GPURED_none)
				;
			else if (gpured_op_info[op].acc == GPURED_ACC_exact)
			{
				GpuredWindow *w = emitted_window(g, group, a);

				t->window = gpured_window_merge(t->window, w, MEM);
				test_release(NULL, w);
			}
			else if (is_sum(op))
			{
				GpuredInt128 sum = gpured_grouped_int_sum(g, group, a);

				t->sum += (__int128) ((unsigned __int128) (uint64_t) sum.hi << 64 | sum.lo);
			}
			else if (count > 0 && is_float(op))
				take_extreme(t, op, 0, gpured_grouped_float_extreme(g, group, a));
			else if (count > 0)
				take_extreme(t, op, gpured_grouped_int_extreme(g, group, a), 0);
			t->count += count;
		}
	}
}

static bool
same_total(const Total *a, const Total *b, GpuredOp op)
{
	uint8_t		bytes[2][GPURED_WINDOW_MAX_BYTES];
	size_t		size;

	if (a->count != b->count)
		return false;
	if (op == GPURED_none)
		return true;
	if (gpured_op_info[op].acc == GPURED_ACC_exact)
	{
		size = gpured_window_write(a->window, bytes[0]);
		return gpured_window_write(b->window, bytes[1]) == size && memcmp(bytes[0], bytes[1], size) == 0;
	}
	if (is_sum(op))
		return a->sum == b->sum;
	if (a->count == 0)
		return true;
	if (is_float(op))
		return bits_of_double(a->float_best) == bits_of_double(b->float_best);
	return a->int_best == b->int_best;
}

/* Some reduction of the list, of sum, min and max. */
static GpuredOp
random_op(void)
{
	GpuredOp	op;

	do
		op = (GpuredOp) random_below(GPURED_NUM_OPS);
	while (!gpured_grouped_supports(op));
	return op;
}

static Setup *
make_setup(int round)
{
	Setup	   *s = checked_malloc(sizeof(*s));
	uint64_t	spread = random_below(2) ? UINT64_MAX : random_below(2) ? 1000 : UINT64_C(0xff00000);
	int			wanted;

	s->nkeys = (int) random_below(MAX_KEYS + 1);
	wanted = round % 4 == 0 ? MAX_POOL : 1 + (int) random_below(round % 4 == 1 ? 3 : 300);
	if (s->nkeys == 0)
		wanted = 1;
	for (int k = 0; k < s->nkeys; k++)
		s->key_size[k] = random_below(2) ? 4 : 8;
	for (int tries = 0; tries < 2 * wanted && s->pool < wanted; tries++)
	{
		int			i = s->pool;
		bool		known = false;

		for (int k = 0; k < s->nkeys; k++)
		{
			s->key[i][k] = random_bits() & spread;
			if (s->key_size[k] == 4)
				s->key[i][k] &= UINT32_MAX;
			s->null[i][k] = random_below(10) == 0;
		}
		for (int j = 0; j < i && !known; j++)
		{
			known = true;
			for (int k = 0; k < s->nkeys; k++)
				known &= s->null[i][k] == s->null[j][k] && (s->null[i][k] || s->key[i][k] == s->key[j][k]);
		}
		s->pool += !known;
	}
	s->naggregates = (int) random_below(MAX_AGGREGATES + 1);
	for (int a = 0; a < s->naggregates; a++)
	{
		s->column[a].op = random_op();
		s->column[a].kind = (int) random_below(12);
		s->column[a].null_share = random_below(2) ? 0 : 1 + (int) random_below(20);
	}
	s->expected = checked_malloc(s->pool * sizeof(Group));
	s->merged = checked_malloc(s->pool * sizeof(Group));
	for (int i = 0; i < s->pool; i++)
	{
		for (int a = 0; a < s->naggregates; a++)
		{
			s->expected[i].total[a].window = gpured_window_create(MEM);
			s->merged[i].total[a].window = gpured_window_create(MEM);
		}
	}
	return s;
}

/* Compare, and release. */
static void
finish_setup(Setup *s)
{
	for (int i = 0; i < s->pool; i++)
	{
		CHECK(s->expected[i].rows == s->merged[i].rows, "%s: %lld rows, not %lld", isa,
			  (long long) s->merged[i].rows, (long long) s->expected[i].rows);
		for (int a = 0; a < s->naggregates; a++)
		{
			CHECK(same_total(&s->expected[i].total[a], &s->merged[i].total[a], s->column[a].op),
				  "%s: %s of data %d, one in %d NULL, group %d of %d, %lld values", isa,
				  gpured_op_info[s->column[a].op].name, s->column[a].kind, s->column[a].null_share, i,
				  s->pool, (long long) s->expected[i].total[a].count);
			test_release(NULL, s->expected[i].total[a].window);
			test_release(NULL, s->merged[i].total[a].window);
		}
	}
	free(s->expected);
	free(s->merged);
	free(s);
}

/* A bitmap and array of exactly n rows, so that sanitizers see what is beyond. */
static uint64_t *
make_bitmap(size_t n)
{
	return checked_malloc((n + 63) / 64 * sizeof(uint64_t));
}

static void
set_bit(uint64_t *bits, size_t i)
{
	bits[i / 64] |= UINT64_C(1) << i % 64;
}

/* One batch: drawn, expected, and given to the object until all is taken. */
static void
add_batch(Setup *s, GpuredGrouped *g)
{
	size_t		n = 1 + random_below(MAX_BATCH);
	size_t		selected = n;
	bool		sorted = random_below(4) == 0;
	uint32_t   *group = checked_malloc(n * sizeof(*group));
	uint64_t   *selection = make_bitmap(n);
	uint32_t   *rows = NULL;
	GpuredGroupedColumn keys[MAX_KEYS + 1];
	GpuredGroupedColumn columns[MAX_AGGREGATES + 1];
	void	   *values[MAX_KEYS + MAX_AGGREGATES];
	uint64_t   *valid[MAX_KEYS + MAX_AGGREGATES];

	for (size_t i = 0; i < n; i++)
		group[i] = (uint32_t) (sorted ? i * s->pool / n : random_below(s->pool));
	if (random_below(2))
	{
		int			share = 1 + (int) random_below(4);

		for (size_t i = 0; i < n; i++)
		{
			if (random_below(share) == 0)
				set_bit(selection, i);
		}
		rows = checked_malloc(n * sizeof(*rows));
		selected = gpured_grouped_select(selection, n, rows);
	}

	for (int k = 0; k < s->nkeys; k++)
	{
		bool		any = false;

		values[k] = checked_malloc(n * s->key_size[k]);
		valid[k] = make_bitmap(n);
		for (size_t i = 0; i < n; i++)
		{
			uint64_t	key = s->null[group[i]][k] ? random_bits() : s->key[group[i]][k];

			memcpy((char *) values[k] + i * s->key_size[k], &key, s->key_size[k]);
			any |= s->null[group[i]][k];
			if (!s->null[group[i]][k])
				set_bit(valid[k], i);
		}
		keys[k] = (GpuredGroupedColumn) {values[k], any ? valid[k] : NULL};
	}
	for (int a = 0; a < s->naggregates; a++)
	{
		const Column *c = &s->column[a];
		size_t		size = gpured_op_info[c->op].input_size;

		values[s->nkeys + a] = checked_malloc(n * size);
		valid[s->nkeys + a] = make_bitmap(n);
		for (size_t i = 0; i < n; i++)
		{
			if (c->op != GPURED_none)
				set_value(c->op, values[s->nkeys + a], i, c->kind);
			if (c->null_share == 0 || random_below(c->null_share) > 0)
				set_bit(valid[s->nkeys + a], i);
		}
		columns[a].values = c->op != GPURED_none ? values[s->nkeys + a] : NULL;
		columns[a].valid = c->null_share > 0 || random_below(2) ? valid[s->nkeys + a] : NULL;
	}

	for (size_t j = 0; j < selected; j++)
	{
		size_t		i = rows != NULL ? rows[j] : j;
		Group	   *e = &s->expected[group[i]];

		e->rows++;
		for (int a = 0; a < s->naggregates; a++)
		{
			if (columns[a].valid == NULL || (columns[a].valid[i / 64] >> i % 64 & 1))
				expect(&e->total[a], s->column[a].op, columns[a].values, i);
		}
	}

	for (size_t done = 0; done < selected;)
	{
		GpuredGroupedColumn key_rest[MAX_KEYS + 1];
		GpuredGroupedColumn column_rest[MAX_AGGREGATES + 1];
		size_t		moved = rows != NULL ? 0 : done;
		size_t		taken;

		for (int k = 0; k < s->nkeys; k++)
		{
			key_rest[k].values = (const char *) keys[k].values + moved * s->key_size[k];
			key_rest[k].valid = keys[k].valid != NULL ? keys[k].valid + moved / 64 : NULL;
		}
		for (int a = 0; a < s->naggregates; a++)
		{
			size_t		size = gpured_op_info[s->column[a].op].input_size;

			column_rest[a].values = columns[a].values == NULL ? NULL :
				(const char *) columns[a].values + moved * size;
			column_rest[a].valid = columns[a].valid != NULL ? columns[a].valid + moved / 64 : NULL;
		}
		if (s->numbered)
		{
			const uint32_t *rest = rows != NULL ? rows + done : NULL;
			uint32_t   *number = checked_malloc((selected - done) * sizeof(*number));

			taken = gpured_grouped_number(g, key_rest, rest, selected - done, number);
			CHECK(gpured_grouped_add_numbered(g, number, gpured_grouped_groups(g), column_rest, rest,
											  taken) == taken,
				  "%s: rows that were numbered are refused", isa);
			for (size_t i = 0; i < taken; i++)
				++*(int64_t *) gpured_grouped_state(g, number[i]);
			free(number);
		}
		else
			taken = gpured_grouped_add(g, key_rest, column_rest,
									   rows != NULL ? rows + done : NULL, selected - done);
		CHECK(taken > 0 || gpured_grouped_groups(g) > 0, "%s: no progress", isa);
		CHECK(gpured_grouped_memory(g) == bytes_used, "%s: %zu bytes, not %zu", isa,
			  gpured_grouped_memory(g), bytes_used);
		done += taken;
		if (done < selected)
		{
			emit(s, g);
			gpured_grouped_reset(g);
		}
	}

	for (int i = 0; i < s->nkeys + s->naggregates; i++)
	{
		free(values[i]);
		free(valid[i]);
	}
	free(group);
	free(selection);
	free(rows);
}

static void
check_grouped(int round)
{
	Setup	   *s = make_setup(round);
	GpuredGroupedAggregate aggregates[MAX_AGGREGATES + 1];
	GpuredGroupedSpec spec = {0};
	GpuredGrouped *g;
	bool		has_windows = false;
	int			batches = 1 + (int) random_below(8);

	for (int a = 0; a < s->naggregates; a++)
	{
		aggregates[a] = (GpuredGroupedAggregate) {s->column[a].op, a};
		has_windows |= gpured_op_info[s->column[a].op].acc == GPURED_ACC_exact;
	}
	spec.nkeys = s->nkeys;
	spec.key_size = s->key_size;
	spec.ncolumns = s->naggregates;
	spec.naggregates = s->naggregates;
	spec.aggregates = aggregates;
	if (random_below(2))
		spec.memory_limit = 100000 + random_below(1000000);
	s->numbered = random_below(2);
	spec.state_size = s->numbered ? 8 * (1 + random_below(5)) : 0;

	bytes_used = bytes_peak = 0;
	g = gpured_grouped_create(&spec, &counting_memory, NULL);
	for (int i = 0; i < batches; i++)
		add_batch(s, g);
	emit(s, g);
	if (!has_windows && spec.memory_limit > 600000)
		CHECK(bytes_peak <= spec.memory_limit, "%s: %zu bytes of %zu", isa, bytes_peak, spec.memory_limit);
	gpured_grouped_reset(g);
	CHECK(gpured_grouped_memory(g) == bytes_used && gpured_grouped_groups(g) == 0, "%s: reset", isa);
	add_batch(s, g);
	emit(s, g);
	gpured_grouped_free(g);
	CHECK(bytes_used == 0, "%s: %zu bytes are left", isa, bytes_used);
	finish_setup(s);
}

/* Groups numbered by the caller: the pool's numbers, some of which have no rows. */
static void
check_numbered(int round)
{
	Setup	   *s = make_setup(round);
	GpuredGroupedAggregate aggregates[MAX_AGGREGATES + 1];
	GpuredGroupedSpec spec = {0};
	GpuredGrouped *g;
	uint32_t   *group;
	double	   *x;
	int			n = 3000;

	s->naggregates = 1;
	s->column[0].op = GPURED_reduce_sum_float8;
	aggregates[0] = (GpuredGroupedAggregate) {s->column[0].op, 0};
	spec.ncolumns = spec.naggregates = 1;
	spec.aggregates = aggregates;
	g = gpured_grouped_create(&spec, MEM);
	group = checked_malloc(n * sizeof(*group));
	x = checked_malloc(n * sizeof(*x));
	for (int i = 0; i < n; i++)
	{
		GpuredWindow *w;

		group[i] = (uint32_t) random_below(s->pool);
		x[i] = random_value(s->column[0].kind);
		w = s->expected[group[i]].total[0].window;
		if (w == NULL)
			w = gpured_window_create(MEM);
		s->expected[group[i]].total[0].window = gpured_window_add(w, x[i], MEM);
		s->expected[group[i]].rows++;
	}
	for (int i = 0; i < n; i += 1000)
	{
		GpuredGroupedColumn column = {x + i, NULL};

		CHECK(gpured_grouped_add_numbered(g, group + i, (uint32_t) s->pool, &column, NULL, 1000) == 1000,
			  "%s: numbered rows", isa);
	}
	for (int i = 0; i < s->pool; i++)
	{
		uint8_t		bytes[2][GPURED_WINDOW_MAX_BYTES];
		GpuredWindow *w = s->expected[i].total[0].window;
		size_t		size = 0;

		CHECK(gpured_grouped_rows(g, (uint32_t) i) == s->expected[i].rows, "%s: numbered rows of a group", isa);
		if (w != NULL)
			size = gpured_window_write(w, bytes[0]);
		CHECK(w == NULL || (gpured_grouped_write_window(g, (uint32_t) i, 0, bytes[1]) == size &&
							memcmp(bytes[0], bytes[1], size) == 0), "%s: numbered sum", isa);
	}
	gpured_grouped_free(g);
	free(group);
	free(x);
	for (int i = 0; i < s->pool; i++)
	{
		for (int a = 0; a < MAX_AGGREGATES; a++)
		{
			if (s->expected[i].total[a].window != NULL)
				test_release(NULL, s->expected[i].total[a].window);
			if (s->merged[i].total[a].window != NULL)
				test_release(NULL, s->merged[i].total[a].window);
		}
	}
	free(s->expected);
	free(s->merged);
	free(s);
}

/* So many rows of a group that its digits must move on, largest values first. */
static void
check_many_rows(size_t n)
{
	GpuredGroupedAggregate aggregate = {GPURED_reduce_sum_float8, 0};
	GpuredGroupedSpec spec = {.ncolumns = 1,.naggregates = 1,.aggregates = &aggregate};
	GpuredGrouped *g = gpured_grouped_create(&spec, MEM);
	double	   *x = checked_malloc(512 * sizeof(*x));
	uint32_t   *group = checked_malloc(512 * sizeof(*group));
	GpuredGroupedColumn column = {x, NULL};
	GpuredExact expected;
	double		sum;

	for (int i = 0; i < 512; i++)
	{
		x[i] = nextafter(32, 0);
		group[i] = i == 511;
	}
	x[0] = 1;
	gpured_exact_init(&expected);
	for (size_t i = 0; i < n; i += 512)
	{
		gpured_grouped_add_numbered(g, group, 2, &column, NULL, 512);
		gpured_exact_add(&expected, x[0]);
		for (int j = 1; j < 511; j++)
			gpured_exact_add(&expected, x[j]);
		x[0] = nextafter(32, 0);
	}
	gpured_exact_to_double(&expected, &sum);
	{
		GpuredWindow *w = gpured_grouped_window(g, 0, 0, MEM);
		double		got;

		gpured_window_to_double(w, &got);
		CHECK(bits_of_double(got) == bits_of_double(sum), "%s: sum of many rows: %a, not %a", isa, got, sum);
		test_release(NULL, w);
	}
	gpured_grouped_free(g);
	free(x);
	free(group);
}

static void
check_keys_of_floats(void)
{
	CHECK(gpured_grouped_key_float8(-0.0) == 0 && gpured_grouped_key_float4(-0.0f) == 0 &&
		  gpured_grouped_key_float8(-NAN) ==
		  gpured_grouped_key_float8(double_of(UINT64_C(0x7ff) << 52 | 5)) &&
		  gpured_grouped_key_float4(-NAN) == gpured_grouped_key_float4(NAN) &&
		  gpured_grouped_key_float8(1.5) == bits_of_double(1.5) &&
		  gpured_grouped_key_float4(-1.5f) == bits_of_float(-1.5f), "floats as keys");
	CHECK(!gpured_grouped_supports(GPURED_scan_sum_int4) && !gpured_grouped_supports(GPURED_NUM_OPS) &&
		  gpured_grouped_supports(GPURED_none) && gpured_grouped_supports(GPURED_reduce_max_float4),
		  "which aggregates there are");
}

int
main(int argc, char **argv)
{
	static const char *const isas[] = {"plain", "avx2", "avx512"};

	test_state = argc > 1 ? strtoull(argv[1], NULL, 10) : 1;
	check_keys_of_floats();
	for (int i = 0; i < 3; i++)
	{
		isa = isas[i];
		if (!gpured_cpu_use(isa))
			continue;
		for (int round = 0; round < 60; round++)
		{
			check_grouped(round);
			if (round % 6 == 0)
				check_numbered(round);
		}
		check_many_rows(400000);
	}
	CHECK(live_states == 0, "%ld allocations are left", live_states);
	return test_summary();
}

/*
 * cpu.c
 *	  What the CPU device costs on one thread, beside plain loops.
 *
 *		make -f Makefile.server CUDA=no build/bench-cpu
 *		build/bench-cpu [sums | scans | rows | groups | all] [log2 of the number of values, 25]
 *
 * Prints nanoseconds of processor time an element.  What is compared is run in
 * turn, many times, and medians are printed; a ratio is the median of the
 * ratios of neighbouring runs.  Each exact way is checked before it is timed.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "device/cpu.h"
#include "device/grouped.h"
#include "exact/window.h"

#define MAX_RUNS	101

/* Values whose sum stays in the second-level cache. */
#define CACHED_VALUES (1 << 14)

static void *
bench_alloc(void *arg, size_t size)
{
	void	   *p = malloc(size);

	(void) arg;
	if (p == NULL)
		abort();
	return p;
}

static void
bench_release(void *arg, void *pointer)
{
	(void) arg;
	free(pointer);
}

static const GpuredAllocator memory = {bench_alloc, bench_release};

static double
uniform(void)
{
	return drand48();
}

static double
normal(void)
{
	return sqrt(-2 * log(1 - drand48())) * cos(2 * 3.14159265358979323846 * drand48());
}

static double
cents(void)
{
	return floor(drand48() * 1e8) / 100;
}

static double
wide(void)
{
	return ldexp(drand48() - 0.5, (int) (drand48() * 600) - 300);
}

/* Exponents that a float4 has. */
static double
wide_float4(void)
{
	return ldexp(drand48() - 0.5, (int) (drand48() * 240) - 120);
}

static double
cancelling(void)
{
	static double last;

	last = last == 0 ? ldexp(normal(), (int) (drand48() * 40) - 20) : -last;
	return last > 0 || last < 0 ? last : 1;
}

static double
subnormal(void)
{
	return ldexp(drand48() - 0.5, -1022);
}

static double
subnormal_float4(void)
{
	return ldexp(drand48() - 0.5, -126);
}

typedef struct Data
{
	const char *name;
	double		(*draw) (void);
	double		(*draw_float4) (void);
} Data;

static const Data data[] = {
	{"uniform", uniform, uniform},
	{"normal", normal, normal},
	{"cents", cents, cents},
	{"wide", wide, wide_float4},
	{"cancelling", cancelling, cancelling},
	{"subnormal", subnormal, subnormal_float4}
};

#define NUM_DATA (sizeof(data) / sizeof(data[0]))

static void
fill(double (*draw) (void), bool single, void *x, size_t n)
{
	srand48(1);
	for (size_t i = 0; i < n; i++)
	{
		if (single)
			((float *) x)[i] = (float) draw();
		else
			((double *) x)[i] = draw();
	}
}

/* Plain sums, with eight vectors, which is more than addition's latency needs. */
#ifdef __x86_64__
#define AVX512	__attribute__((target("avx512f,avx512bw,avx512dq,avx512vl")))
#define AVX2	__attribute__((target("avx2")))
#else
#define AVX512
#define AVX2
#endif

#define VECTOR_SUM(name, target, bytes, ctype) \
target \
static double \
name(const void *values, size_t n) \
{ \
	typedef ctype Vector __attribute__((vector_size(bytes))); \
	const size_t lanes = bytes / sizeof(ctype); \
	const ctype *x = values; \
	Vector		sum[8] = {{0}}; \
	double		total = 0; \
	size_t		i; \
	for (i = 0; n - i >= 8 * lanes; i += 8 * lanes) \
	{ \
		for (int j = 0; j < 8; j++) \
		{ \
			Vector		v; \
			memcpy(&v, x + i + j * lanes, sizeof(v)); \
			sum[j] += v; \
		} \
	} \
	for (int j = 0; j < 8; j++) \
		for (size_t l = 0; l < lanes; l++) \
			total += sum[j][l]; \
	for (; i < n; i++) \
		total += x[i]; \
	return total; \
}

VECTOR_SUM(vector_sum_avx512_float8, AVX512, 64, double)
VECTOR_SUM(vector_sum_avx2_float8, AVX2, 32, double)
VECTOR_SUM(vector_sum_plain_float8,, 16, double)
VECTOR_SUM(vector_sum_avx512_float4, AVX512, 64, float)
VECTOR_SUM(vector_sum_avx2_float4, AVX2, 32, float)
VECTOR_SUM(vector_sum_plain_float4,, 16, float)

typedef double (*Way) (const void *values, size_t n);

static const struct
{
	const char *name;
	Way			plain_sum[2];	/* of float8 and of float4 */
}			isas[] = {
	{"avx512", {vector_sum_avx512_float8, vector_sum_avx512_float4}},
	{"avx2", {vector_sum_avx2_float8, vector_sum_avx2_float4}},
	{"plain", {vector_sum_plain_float8, vector_sum_plain_float4}}
};

static double
ordered_sum(const void *values, size_t n)
{
	const double *x = values;
	double		sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += x[i];
	return sum;
}

static double
reduced(GpuredOp op, const void *values, size_t n)
{
	GpuredAcc	acc;
	GpuredBatch batch = {.values = values, .n = n};
	double		result;

	gpured_acc_init(op, &acc);
	gpured_cpu_device.reduce(op, &batch, &acc);
	gpured_exact_to_double(&acc.v.exact, &result);
	return result;
}

static double
exact_sum_float8(const void *values, size_t n)
{
	return reduced(GPURED_reduce_sum_float8, values, n);
}

static double
exact_sum_float4(const void *values, size_t n)
{
	return reduced(GPURED_reduce_sum_float4, values, n);
}

static double
accumulator_sum(const void *values, size_t n)
{
	const double *x = values;
	GpuredExact acc;
	double		result;

	gpured_exact_init(&acc);
	for (size_t i = 0; i < n; i++)
		gpured_exact_add(&acc, x[i]);
	gpured_exact_to_double(&acc, &result);
	return result;
}

static double
accumulator_sum_float4(const void *values, size_t n)
{
	const float *x = values;
	GpuredExact acc;
	double		result;

	gpured_exact_init(&acc);
	for (size_t i = 0; i < n; i++)
		gpured_exact_add(&acc, x[i]);
	gpured_exact_to_double(&acc, &result);
	return result;
}

static double
row_sum(const void *values, size_t n)
{
	const double *x = values;
	GpuredWindow *w = gpured_window_create(&memory, NULL);
	double		result;

	for (size_t i = 0; i < n; i++)
		w = gpured_window_add(w, x[i], &memory, NULL);
	gpured_window_to_double(w, &result);
	free(w);
	return result;
}

static double *scan_out;

static double
plain_scan(const void *values, size_t n)
{
	const double *x = values;
	double		sum = 0;

	for (size_t i = 0; i < n; i++)
		scan_out[i] = sum += x[i];
	return sum;
}

static double
exact_scan(const void *values, size_t n)
{
	GpuredAcc	carry;
	GpuredBatch batch = {.values = values, .n = n};

	gpured_acc_init(GPURED_scan_sum_float8, &carry);
	gpured_cpu_device.scan(GPURED_scan_sum_float8, &batch, &carry, scan_out);
	return scan_out[n - 1];
}

static double
now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (double) t.tv_sec + 1e-9 * (double) t.tv_nsec;
}

static int
compare(const void *a, const void *b)
{
	double		x = *(const double *) a;
	double		y = *(const double *) b;

	return (x > y) - (x < y);
}

static double
median(double *x, int n)
{
	qsort(x, n, sizeof(double), compare);
	return x[n / 2];
}

static volatile double sink;

/* Nanoseconds an element; short ones are repeated. */
static double
measure(Way way, const void *x, size_t n)
{
	size_t		times = n < 1000000 ? 1000000 / n : 1;
	double		start = now();

	for (size_t i = 0; i < times; i++)
		sink = way(x, n);
	return (now() - start) * 1e9 / (double) n / (double) times;
}

/* Medians of both, run in turn, and of their ratio. */
static void
measure_pair(Way plain, Way exact, const void *x, size_t n, double *times)
{
	double		a[MAX_RUNS];
	double		b[MAX_RUNS];
	double		ratio[MAX_RUNS];
	int			runs = n > 1000000 ? 21 : MAX_RUNS;

	for (int i = 0; i < runs; i++)
	{
		a[i] = measure(plain, x, n);
		b[i] = measure(exact, x, n);
		ratio[i] = b[i] / a[i];
	}
	times[0] = median(a, runs);
	times[1] = median(b, runs);
	times[2] = median(ratio, runs);
}

static double
measure_median(Way way, const void *x, size_t n)
{
	double		t[9];

	for (int i = 0; i < 9; i++)
		t[i] = measure(way, x, n);
	return median(t, 9);
}

/* Sums of both types, for each instruction set, in memory and in cache. */
static bool
bench_sums(void *x, size_t n)
{
	static const char *const types[] = {"float8", "float4"};

	printf("\nsums: plain vectorized, exact, ratio\n%-18s", "");
	for (int i = 0; i < 3; i++)
		printf("  %6s, in memory  %6s, in cache", isas[i].name, isas[i].name);
	printf("\n");
	for (int single = 0; single < 2; single++)
	{
		Way			exact = single ? exact_sum_float4 : exact_sum_float8;

		for (size_t d = 0; d < NUM_DATA; d++)
		{
			double		expected;

			fill(single ? data[d].draw_float4 : data[d].draw, single, x, n);
			expected = (single ? accumulator_sum_float4 : accumulator_sum) (x, n);
			printf("%s %-11s", types[single], data[d].name);
			for (int i = 0; i < 3; i++)
			{
				if (!gpured_cpu_use(isas[i].name))
				{
					printf("  %17s %17s", "", "");
					continue;
				}
				if (exact(x, n) != expected)
				{
					printf("wrong\n");
					return false;
				}
				for (int cached = 0; cached < 2; cached++)
				{
					double		times[3];

					measure_pair(isas[i].plain_sum[single], exact, x, cached ? CACHED_VALUES : n, times);
					printf("  %4.2f %4.2f (%4.2f)", times[0], times[1], times[2]);
				}
			}
			printf("\n");
			fflush(stdout);
		}
	}
	return true;
}

/* Prefix sums, and ways that add a row at a time. */
static bool
bench_scans(double *x, size_t n, bool rows)
{
	scan_out = malloc(n * sizeof(double));
	if (scan_out == NULL)
		return false;
	memset(scan_out, 0, n * sizeof(double));
	if (rows)
		printf("\nfloat8: plain in order, superaccumulator, row state\n");
	else
		printf("\nprefix sums of float8: plain, exact of each instruction set\n");
	for (size_t d = 0; d < NUM_DATA; d++)
	{
		double		expected;

		fill(data[d].draw, false, x, n);
		expected = accumulator_sum(x, n);
		printf("%-11s", data[d].name);
		if (rows)
		{
			if (row_sum(x, n) != expected)
				return false;
			printf(" %6.2f %6.2f %6.2f\n", measure_median(ordered_sum, x, n),
				   measure_median(accumulator_sum, x, n), measure_median(row_sum, x, n));
			continue;
		}
		printf(" %6.2f", measure_median(plain_scan, x, n));
		for (int i = 0; i < 3; i++)
		{
			if (!gpured_cpu_use(isas[i].name))
				continue;
			if (exact_scan(x, n) != expected)
				return false;
			printf("  %s %.2f", isas[i].name, measure_median(exact_scan, x, n));
		}
		printf("\n");
		fflush(stdout);
	}
	free(scan_out);
	return true;
}

/* Grouped: sum (with avg and count) and max of float8 by one key. */
typedef struct Grouping
{
	const void *keys;
	uint8_t		key_size;
	int			naggregates;
	uint32_t	groups;
	double		sum;			/* of all groups */
	size_t		memory;
} Grouping;

static Grouping grouping;

static double
grouped(const void *values, size_t n)
{
	GpuredGroupedAggregate aggregates[] = {{GPURED_reduce_sum_float8, 0}, {GPURED_reduce_max_float8, 0}};
	GpuredGroupedSpec spec = {
		.nkeys = 1,.key_size = &grouping.key_size,.ncolumns = 1,
		.naggregates = grouping.naggregates,.aggregates = aggregates
	};
	GpuredGrouped *g = gpured_grouped_create(&spec, &memory, NULL);
	const size_t batch = 16384;

	for (size_t i = 0; i < n; i += batch)
	{
		GpuredGroupedColumn key = {(const char *) grouping.keys + i * grouping.key_size, NULL};
		GpuredGroupedColumn column = {(const double *) values + i, NULL};

		gpured_grouped_add(g, &key, &column, NULL, n - i < batch ? n - i : batch);
	}
	grouping.groups = gpured_grouped_groups(g);
	grouping.memory = gpured_grouped_memory(g);
	if (grouping.sum == 0)
	{
		GpuredWindow *total = gpured_window_create(&memory, NULL);

		for (uint32_t i = 0; i < grouping.groups; i++)
		{
			GpuredWindow *w = gpured_grouped_window(g, i, 0, &memory, NULL);

			total = gpured_window_merge(total, w, &memory, NULL);
			free(w);
		}
		gpured_window_to_double(total, &grouping.sum);
		free(total);
	}
	gpured_grouped_free(g);
	return 0;
}

static bool
bench_groups(double *x, size_t n)
{
	static const uint32_t groups[] = {1, 10, 100, 1000, 10000, 100000, 1700000};
	uint64_t   *keys = malloc(n * sizeof(*keys));

	if (keys == NULL)
		return false;
	printf("\ngrouped float8 by one key: sum, avg, max, count; in brackets count(*) alone; bytes a group\n");
	for (int d = 0; d < 4; d += 3)
	{
		fill(data[d].draw, false, x, n);
		for (size_t i = 0; i < sizeof(groups) / sizeof(groups[0]) - (d == 3); i++)
		{
			printf("%-8s %8u groups", data[d].name, groups[i]);
			for (int size = 4; size <= 8; size += 4)
			{
				double		all;
				double		keys_only;

				srand48(2);
				for (size_t j = 0; j < n; j++)
				{
					uint64_t	key = (uint64_t) (drand48() * groups[i]);

					if (size == 4)
						((uint32_t *) keys)[j] = (uint32_t) key;
					else
						keys[j] = key;
				}
				grouping = (Grouping) {keys, (uint8_t) size, 2, 0, 0, 0};
				grouped(x, n);
				if (grouping.sum != accumulator_sum(x, n))
				{
					printf(" wrong\n");
					return false;
				}
				all = measure_median(grouped, x, n);
				printf("  int%d %6.2f", size, all);
				keys_only = (double) grouping.memory / grouping.groups;
				grouping.naggregates = 0;
				printf(" (%.2f) %6.0f bytes", measure_median(grouped, x, n), keys_only);
			}
			printf("\n");
			fflush(stdout);
		}
	}
	free(keys);
	return true;
}

int
main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "all";
	bool		all = strcmp(what, "all") == 0;
	size_t		n = (size_t) 1 << (argc > 2 ? atoi(argv[2]) : 25);
	double	   *x = malloc(n * sizeof(double));
	GpuredDeviceInfo info;

	if (x == NULL)
		return 1;
	gpured_cpu_device.probe(&info);
	printf("%s, %zu values, ns an element\n", info.name, n);
	if ((all || strcmp(what, "sums") == 0) && !bench_sums(x, n))
		return 1;
	if ((all || strcmp(what, "scans") == 0) && !bench_scans(x, n, false))
		return 1;
	if ((all || strcmp(what, "rows") == 0) && !bench_scans(x, n, true))
		return 1;
	gpured_cpu_use(isas[0].name);
	if ((all || strcmp(what, "groups") == 0) && !bench_groups(x, n))
		return 1;
	free(x);
	return 0;
}

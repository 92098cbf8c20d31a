/*
 * cpu.c
 *	  What exact sums cost on one CPU thread, beside plain ones.
 *
 *		cc -O2 -ffp-contract=off -D_GNU_SOURCE -Isrc -o bench-cpu bench/cpu.c \
 *			src/exact/*.c src/device/ops.c src/device/cpu*.c -lm
 *		./bench-cpu [log2 of the number of values, 22]
 *
 * Prints nanoseconds of processor time an element, the median of several runs,
 * and ratios to the vectorized plain sum of the same run.  Each exact way is
 * checked against the others before anything is timed.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "device/cpu.h"
#include "exact/window.h"

#define RUNS 7

static volatile double sink;

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

static double
cancelling(void)
{
	static double last;

	last = last == 0 ? ldexp(normal(), (int) (drand48() * 40) - 20) : -last;
	return last > 0 || last < 0 ? last : 1;
}

static double
plain_sum(const double *x, size_t n)
{
	double		sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += x[i];
	return sum;
}

/* Four vectors of four sums, which is more than addition's latency needs. */
#ifdef __x86_64__
__attribute__((target("avx2")))
#endif
static double
vector_sum(const double *x, size_t n)
{
	typedef double Vector __attribute__((vector_size(32)));
	Vector		sum[4] = {{0}};
	double		total = 0;
	size_t		i;

	for (i = 0; n - i >= 16; i += 16)
	{
		Vector		v[4];

		memcpy(v, x + i, sizeof(v));
		for (int j = 0; j < 4; j++)
			sum[j] += v[j];
	}
	for (int j = 0; j < 16; j++)
		total += sum[j / 4][j % 4];
	for (; i < n; i++)
		total += x[i];
	return total;
}

static double
exact_sum(const double *x, size_t n)
{
	GpuredAcc	acc;
	GpuredBatch batch = {x, n};
	double		result;

	gpured_acc_init(GPURED_reduce_sum_float8, &acc);
	gpured_cpu_device.reduce(GPURED_reduce_sum_float8, &batch, &acc);
	gpured_exact_to_double(&acc.v.exact, &result);
	return result;
}

static double
accumulator_sum(const double *x, size_t n)
{
	GpuredExact acc;
	double		result;

	gpured_exact_init(&acc);
	for (size_t i = 0; i < n; i++)
		gpured_exact_add(&acc, x[i]);
	gpured_exact_to_double(&acc, &result);
	return result;
}

static double
row_sum(const double *x, size_t n)
{
	GpuredWindow *w = gpured_window_create(&memory, NULL);
	GpuredExact acc;
	double		result;

	for (size_t i = 0; i < n; i++)
		w = gpured_window_add(w, x[i], &memory, NULL);
	gpured_window_to_exact(w, &acc);
	gpured_exact_to_double(&acc, &result);
	free(w);
	return result;
}

static double *scan_out;

static double
plain_scan(const double *x, size_t n)
{
	double		sum = 0;

	for (size_t i = 0; i < n; i++)
		scan_out[i] = sum += x[i];
	return sum;
}

static double
exact_scan(const double *x, size_t n)
{
	GpuredAcc	carry;
	GpuredBatch batch = {x, n};

	gpured_acc_init(GPURED_scan_sum_float8, &carry);
	gpured_cpu_device.scan(GPURED_scan_sum_float8, &batch, &carry, scan_out);
	return scan_out[n - 1];
}

typedef double (*Way) (const double *x, size_t n);

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

/* Median nanoseconds an element. */
static double
measure(Way way, const double *x, size_t n)
{
	double		time[RUNS];

	for (int i = 0; i < RUNS; i++)
	{
		double		start = now();

		sink = way(x, n);
		time[i] = (now() - start) * 1e9 / (double) n;
	}
	qsort(time, RUNS, sizeof(double), compare);
	return time[RUNS / 2];
}

int
main(int argc, char **argv)
{
	static const struct
	{
		const char *name;
		double		(*draw) (void);
	}			data[] = {
		{"uniform", uniform}, {"normal", normal}, {"cents", cents},
		{"wide", wide}, {"cancelling", cancelling}
	};
	static const char *const isas[] = {"avx512", "avx2", "plain"};
	size_t		n = (size_t) 1 << (argc > 1 ? atoi(argv[1]) : 22);
	double	   *x = malloc(n * sizeof(double));
	GpuredDeviceInfo info;

	scan_out = malloc(n * sizeof(double));
	if (x == NULL || scan_out == NULL)
		return 1;
	memset(scan_out, 0, n * sizeof(double));
#ifdef __x86_64__
	if (!__builtin_cpu_supports("avx2"))
		return printf("this needs a processor with AVX2\n"), 1;
#endif
	gpured_cpu_device.probe(&info);
	printf("%s, %zu float8, ns an element (ratio to the vectorized plain sum)\n\n", info.name, n);
	printf("%-11s %6s %6s", "", "plain", "vector");
	for (int i = 0; i < 3; i++)
		printf("  exact %-7s", gpured_cpu_use(isas[i]) ? isas[i] : "-");
	printf(" %7s %7s  %6s %6s\n", "limbs", "row", "scan", "exact");

	for (size_t d = 0; d < sizeof(data) / sizeof(data[0]); d++)
	{
		double		expected;
		double		vector;

		srand48(1);
		for (size_t i = 0; i < n; i++)
			x[i] = data[d].draw();

		expected = accumulator_sum(x, n);
		for (int i = 0; i < 3; i++)
		{
			if (gpured_cpu_use(isas[i]) &&
				(exact_sum(x, n) != expected || exact_scan(x, n) != expected))
				return printf("%s: wrong answer on %s\n", isas[i], data[d].name), 1;
		}
		if (row_sum(x, n) != expected)
			return printf("row state: wrong answer on %s\n", data[d].name), 1;

		vector = measure(vector_sum, x, n);
		printf("%-11s %6.2f %6.2f", data[d].name, measure(plain_sum, x, n), vector);
		for (int i = 0; i < 3; i++)
		{
			double		t;

			if (!gpured_cpu_use(isas[i]))
			{
				printf("  %13s", "");
				continue;
			}
			t = measure(exact_sum, x, n);
			printf("  %5.2f (%4.2f) ", t, t / vector);
		}
		printf(" %7.2f %7.2f", measure(accumulator_sum, x, n), measure(row_sum, x, n));
		printf("  %6.2f %6.2f\n", measure(plain_scan, x, n), measure(exact_scan, x, n));
	}
	free(scan_out);
	free(x);
	return 0;
}

/*
 * test_cases.c
 *	  All ways to an exact sum against the answers of cases.py.
 *
 * Each case goes through the superaccumulator, row states (whole, in merged
 * parts, serialized, moving) and the CPU device's reductions and scans, in
 * pieces cut at random and with every instruction set that this processor has.
 */
#include "test.h"

#include "device/cpu.h"

typedef struct Case
{
	uint32_t	single;
	uint32_t	n;
	void	   *values;
	uint64_t	sum8;
	uint32_t	sum4;
	uint64_t	mean;
	void	   *prefix;			/* n values of the type of the input */
} Case;

static long number;				/* of the case */

static double
value_at(const Case *c, size_t i)
{
	return c->single ? ((float *) c->values)[i] : ((double *) c->values)[i];
}

static void
check_sum(const Case *c, const GpuredExact *x, const char *what)
{
	double		sum8;
	float		sum4;
	double		mean;
	bool		in_range8 = gpured_exact_to_double(x, &sum8);
	bool		in_range4 = gpured_exact_to_float(x, &sum4);
	bool		special = x->flags & (GPURED_EXACT_NAN | GPURED_EXACT_PINF | GPURED_EXACT_NINF);

	CHECK(bits_of_double(sum8) == c->sum8, "case %ld, %s: float8 %a, not %a",
		  number, what, sum8, double_of(c->sum8));
	CHECK(bits_of_float(sum4) == c->sum4, "case %ld, %s: float4 %a, not bits %08x",
		  number, what, sum4, c->sum4);
	CHECK(in_range8 == (special || isfinite(double_of(c->sum8))), "case %ld, %s: range", number, what);
	CHECK(in_range4 == (special || (c->sum4 & 0x7f800000) != 0x7f800000),
		  "case %ld, %s: range of float4", number, what);
	mean = gpured_exact_mean(x, c->n);
	CHECK(bits_of_double(mean) == c->mean, "case %ld, %s: mean %a, not %a",
		  number, what, mean, double_of(c->mean));
}

/* The shorter way from a row state to the same results. */
static void
check_rounded_state(const Case *c, const GpuredWindow *w)
{
	GpuredExact x;
	double		a8;
	double		b8;
	float		a4;
	float		b4;

	gpured_window_to_exact(w, &x);
	CHECK(gpured_window_to_double(w, &a8) == gpured_exact_to_double(&x, &b8) &&
		  bits_of_double(a8) == bits_of_double(b8) && bits_of_double(a8) == c->sum8,
		  "case %ld: row state to float8: %a, not %a", number, a8, b8);
	CHECK(gpured_window_to_float(w, &a4) == gpured_exact_to_float(&x, &b4) &&
		  bits_of_float(a4) == bits_of_float(b4) && bits_of_float(a4) == c->sum4,
		  "case %ld: row state to float4: %a, not %a", number, a4, b4);
	CHECK(bits_of_double(gpured_window_mean(w, c->n)) == c->mean,
		  "case %ld: mean of a row state", number);
}

static void
check_accumulator(const Case *c)
{
	GpuredExact x;
	GpuredExact part[3];

	gpured_exact_init(&x);
	for (size_t i = 0; i < c->n; i++)
		gpured_exact_add(&x, value_at(c, i));
	check_sum(c, &x, "accumulator");

	for (int j = 0; j < 3; j++)
		gpured_exact_init(&part[j]);
	for (size_t i = c->n; i-- > 0;)
		gpured_exact_add(&part[random_below(3)], value_at(c, i));
	gpured_exact_normalize(&part[1]);
	gpured_exact_merge(&part[2], &part[0]);
	part[1].pending = UINT32_MAX - 5;	/* as if it were full */
	gpured_exact_merge(&part[1], &part[2]);
	check_sum(c, &part[1], "merged accumulators");
}

static void
check_serialized(const GpuredWindow *w, const uint8_t *expected, size_t size, const char *what)
{
	uint8_t		bytes[GPURED_WINDOW_MAX_BYTES];
	GpuredWindow *copy;

	CHECK(gpured_window_size(w) == size && gpured_window_write(w, bytes) == size &&
		  memcmp(bytes, expected, size) == 0,
		  "case %ld: %s do not give the same bytes", number, what);
	CHECK(gpured_window_read(expected, size, &copy, MEM), "case %ld: own bytes refused", number);
	CHECK(gpured_window_write(copy, bytes) == size && memcmp(bytes, expected, size) == 0,
		  "case %ld: bytes change when read and written", number);
	test_release(NULL, copy);
}

static void
check_windows(const Case *c)
{
	GpuredWindow *w = gpured_window_create(MEM);
	GpuredWindow *part[3];
	GpuredExact x;
	GpuredExact rest;
	uint8_t		bytes[GPURED_WINDOW_MAX_BYTES];
	size_t		size;

	for (size_t i = 0; i < c->n; i++)
		w = gpured_window_add(w, value_at(c, i), MEM);
	gpured_window_to_exact(w, &x);
	check_sum(c, &x, "row state");
	check_rounded_state(c, w);
	size = gpured_window_write(w, bytes);
	check_serialized(w, bytes, size, "a state");

	for (int j = 0; j < 3; j++)
		part[j] = gpured_window_create(MEM);
	gpured_exact_init(&rest);
	for (size_t i = c->n; i-- > 0;)
	{
		size_t		j = random_below(4);

		if (j == 3)
			gpured_exact_add(&rest, value_at(c, i));
		else
			part[j] = gpured_window_add(part[j], value_at(c, i), MEM);
	}
	part[0] = gpured_window_merge(part[0], part[1], MEM);
	part[0] = gpured_window_add_exact(part[0], &rest, MEM);
	part[2] = gpured_window_merge(part[2], part[0], MEM);
	gpured_window_to_exact(part[2], &x);
	check_sum(c, &x, "merged row states");
	check_serialized(part[2], bytes, size, "merged states");

	for (int j = 0; j < 3; j++)
		test_release(NULL, part[j]);
	test_release(NULL, w);
}

/* A frame that ends as the case's last values, after all others were in it. */
static void
check_moving(const Case *c)
{
	GpuredMovingSum s;
	GpuredExact x;
	GpuredExact expected;
	size_t		from = random_below(c->n);
	double		a;
	double		b;
	float		f;
	float		g;

	gpured_moving_init(&s, MEM);
	for (size_t i = 0; i < c->n; i++)
	{
		gpured_moving_add(&s, value_at(c, i), MEM);
		if (i == c->n / 2)
		{
			for (size_t j = 0; j < from && j <= i; j++)
				gpured_moving_remove(&s, value_at(c, j), MEM);
		}
	}
	for (size_t j = c->n / 2 + 1; j < from; j++)
		gpured_moving_remove(&s, value_at(c, j), MEM);

	gpured_exact_init(&expected);
	for (size_t i = from; i < c->n; i++)
		gpured_exact_add(&expected, value_at(c, i));
	gpured_moving_to_exact(&s, &x);
	gpured_exact_to_double(&x, &a);
	gpured_exact_to_double(&expected, &b);
	CHECK(s.n == (int64_t) (c->n - from) && bits_of_double(a) == bits_of_double(b),
		  "case %ld: moving sum from %zu: %a, not %a", number, from, a, b);
	CHECK(gpured_moving_to_double(&s, &b) == gpured_exact_to_double(&x, &a) &&
		  bits_of_double(a) == bits_of_double(b), "case %ld: moving sum to float8", number);
	CHECK(gpured_moving_to_float(&s, &f) == gpured_exact_to_float(&x, &g) &&
		  bits_of_float(f) == bits_of_float(g), "case %ld: moving sum to float4", number);
	CHECK(bits_of_double(gpured_moving_mean(&s)) ==
		  bits_of_double(gpured_exact_mean(&x, c->n - from)), "case %ld: moving mean", number);
	test_release(NULL, s.window);
}

static void
check_device(const Case *c, const char *isa)
{
	const size_t size = c->single ? sizeof(float) : sizeof(double);
	GpuredOp	reduce = c->single ? GPURED_reduce_sum_float4 : GPURED_reduce_sum_float8;
	GpuredOp	scan = c->single ? GPURED_scan_sum_float4 : GPURED_scan_sum_float8;
	char	   *out = checked_malloc(c->n * size);
	GpuredAcc	total;
	GpuredAcc	part;
	GpuredAcc	carry;

	gpured_acc_init(reduce, &total);
	gpured_acc_init(scan, &carry);
	for (size_t i = 0; i < c->n;)
	{
		size_t		length = 1 + random_below(c->n - i);
		GpuredBatch batch = {(char *) c->values + i * size, length, NULL};

		gpured_acc_init(reduce, &part);
		CHECK(gpured_cpu_device.reduce(reduce, &batch, &part).code == GPURED_OK &&
			  gpured_cpu_device.scan(scan, &batch, &carry, out + i * size).code == GPURED_OK,
			  "case %ld: the device refused", number);
		gpured_acc_merge(reduce, &total, &part);
		i += length;
	}
	CHECK(total.n == c->n && carry.n == c->n, "case %ld: count", number);
	check_sum(c, &total.v.exact, isa);
	check_sum(c, &carry.v.exact, "carry of a scan");
	for (size_t i = 0; i < c->n; i++)
	{
		if (memcmp(out + i * size, (char *) c->prefix + i * size, size) != 0)
		{
			double		a = c->single ? ((float *) out)[i] : ((double *) out)[i];
			double		b = c->single ? ((float *) c->prefix)[i] : ((double *) c->prefix)[i];

			CHECK(false, "case %ld: prefix %zu of %u is %a, not %a", number, i, c->n, a, b);
			break;
		}
	}
	free(out);
}

static void
read_all(void *p, size_t size)
{
	if (fread(p, 1, size, stdin) != size)
	{
		printf("the cases end early\n");
		exit(1);
	}
}

int
main(int argc, char **argv)
{
	static const char *const isas[] = {"plain", "avx2", "avx512"};
	Case		c;

	test_state = argc > 1 ? strtoull(argv[1], NULL, 10) : 1;
	for (number = 0; fread(&c.single, sizeof(c.single), 1, stdin) == 1; number++)
	{
		size_t		size = c.single ? sizeof(float) : sizeof(double);

		read_all(&c.n, sizeof(c.n));
		c.values = checked_malloc(c.n * size);
		c.prefix = checked_malloc(c.n * size);
		read_all(c.values, c.n * size);
		read_all(&c.sum8, sizeof(c.sum8));
		read_all(&c.sum4, sizeof(c.sum4));
		read_all(&c.mean, sizeof(c.mean));
		read_all(c.prefix, c.n * size);

		check_accumulator(&c);
		check_windows(&c);
		check_moving(&c);
		for (int i = 0; i < 3; i++)
		{
			if (gpured_cpu_use(isas[i]))
				check_device(&c, isas[i]);
		}
		free(c.values);
		free(c.prefix);
	}
	CHECK(number > 100, "only %ld cases", number);
	CHECK(live_states == 0, "%ld states are left", live_states);
	return test_summary();
}

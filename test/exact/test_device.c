/*
 * test_device.c
 *	  The CPU device's integer sums and scans, and least and greatest values,
 *	  against loops that are too simple to be wrong; exact sums of batches that
 *	  change their kind within.
 */
#include "test.h"

#include "device/cpu.h"

#define MAX_VALUES 70000

static const char *isa;

static size_t
some_length(int round)
{
	if (round % 3 == 0)
		return 1 + random_below(70);
	if (round % 3 == 1)
		return 1 + random_below(3000);
	return 1 + random_below(MAX_VALUES);
}

static void
reduce(GpuredOp op, const void *values, size_t n, GpuredAcc *acc)
{
	GpuredBatch batch = {values, n, NULL};
	GpuredStatus status = gpured_cpu_device.reduce(op, &batch, acc);

	CHECK(status.code == GPURED_OK, "%s: %s", gpured_op_info[op].name, status.reason);
}

/* An integer of any size: often one of the extremes. */
static int64_t
random_integer(int bits, bool extreme)
{
	int64_t		high = (int64_t) ((UINT64_C(1) << (bits - 1)) - 1);

	switch (random_below(extreme ? 2 : 4))
	{
		case 0:
			return high;
		case 1:
			return -high - 1;
		case 2:
			return (int64_t) random_below(1000) - 500;
		default:
			return (int64_t) random_bits() >> (64 - bits);
	}
}

static __int128
wide_of(GpuredInt128 x)
{
	return (__int128) ((unsigned __int128) (uint64_t) x.hi << 64 | x.lo);
}

#define CHECK_INTEGERS(type, ctype, bits, narrow) \
static void \
check_##type(int round) \
{ \
	ctype	   *x = checked_malloc(MAX_VALUES * sizeof(ctype)); \
	GpuredInt128 *out = checked_malloc(MAX_VALUES * sizeof(GpuredInt128)); \
	size_t		n = some_length(round); \
	size_t		cut = random_below(n + 1); \
	__int128	sum = 0; \
	ctype		least; \
	ctype		greatest; \
	bool		good = true; \
	GpuredAcc	acc; \
	GpuredBatch first = {x, cut, NULL}; \
	GpuredBatch second = {x + cut, n - cut, NULL}; \
	for (size_t i = 0; i < n; i++) \
		x[i] = (ctype) random_integer(bits, round % 5 == 0); \
	if (round % 7 == 0) \
		for (size_t i = 0; i < n; i++) \
			x[i] = x[0]; \
	least = greatest = x[0]; \
	for (size_t i = 0; i < n; i++) \
	{ \
		sum += x[i]; \
		least = x[i] < least ? x[i] : least; \
		greatest = x[i] > greatest ? x[i] : greatest; \
	} \
	gpured_acc_init(GPURED_reduce_sum_##type, &acc); \
	reduce(GPURED_reduce_sum_##type, x, cut, &acc); \
	reduce(GPURED_reduce_sum_##type, x + cut, n - cut, &acc); \
	CHECK(((narrow) ? acc.v.i64 : wide_of(acc.v.i128)) == sum && acc.n == (int64_t) n, \
		  "%s: sum of %zu " #type, isa, n); \
	gpured_acc_init(GPURED_reduce_min_##type, &acc); \
	reduce(GPURED_reduce_min_##type, x, cut, &acc); \
	reduce(GPURED_reduce_min_##type, x + cut, n - cut, &acc); \
	CHECK(acc.v.i64 == least, "%s: min of %zu " #type, isa, n); \
	gpured_acc_init(GPURED_reduce_max_##type, &acc); \
	reduce(GPURED_reduce_max_##type, x, cut, &acc); \
	reduce(GPURED_reduce_max_##type, x + cut, n - cut, &acc); \
	CHECK(acc.v.i64 == greatest, "%s: max of %zu " #type, isa, n); \
	gpured_acc_init(GPURED_scan_sum_##type, &acc); \
	gpured_cpu_device.scan(GPURED_scan_sum_##type, &first, &acc, out); \
	gpured_cpu_device.scan(GPURED_scan_sum_##type, &second, &acc, \
						   (char *) out + cut * gpured_op_info[GPURED_scan_sum_##type].output_size); \
	sum = 0; \
	for (size_t i = 0; i < n; i++) \
	{ \
		sum += x[i]; \
		good &= ((narrow) ? ((int64_t *) out)[i] : wide_of(out[i])) == sum; \
	} \
	good &= ((narrow) ? acc.v.i64 : wide_of(acc.v.i128)) == sum && acc.n == (int64_t) n; \
	CHECK(good, "%s: prefix sums of %zu " #type, isa, n); \
	free(x); \
	free(out); \
}

CHECK_INTEGERS(int2, int16_t, 16, true)
CHECK_INTEGERS(int4, int32_t, 32, true)
CHECK_INTEGERS(int8, int64_t, 64, false)

/* More int2 than fit in a 32-bit lane. */
static void
check_many_int2(void)
{
	size_t		n = 3000001;
	int16_t    *x = checked_malloc(n * sizeof(int16_t));
	GpuredAcc	acc;

	for (size_t i = 0; i < n; i++)
		x[i] = INT16_MIN;
	gpured_acc_init(GPURED_reduce_sum_int2, &acc);
	reduce(GPURED_reduce_sum_int2, x, n, &acc);
	CHECK(acc.v.i64 == (int64_t) n * INT16_MIN, "%s: sum of many int2", isa);
	free(x);
}

/* Values as they come in all ways that min and max know: by the round. */
static double
random_float(int round)
{
	switch (random_below(round % 8 + 1))
	{
		case 0:
			return round % 16 < 8 ? -0.0 : double_of(UINT64_C(0xfff) << 52 | 1);	/* -NaN */
		case 1:
			return 0.0;
		case 2:
			return NAN;
		case 3:
			return INFINITY;
		case 4:
			return -INFINITY;
		case 5:
			return ldexp(1, -149);
		default:
			return (double) (float) ldexp((double) random_below(1000) - 500, (int) random_below(100) - 50);
	}
}

#define CHECK_FLOATS(type, ctype) \
static void \
check_##type(int round) \
{ \
	ctype	   *x = checked_malloc(MAX_VALUES * sizeof(ctype)); \
	size_t		n = some_length(round); \
	size_t		cut = random_below(n + 1); \
	double		least; \
	double		greatest; \
	GpuredAcc	acc; \
	for (size_t i = 0; i < n; i++) \
		x[i] = (ctype) random_float(round); \
	least = greatest = x[0]; \
	for (size_t i = 0; i < n; i++) \
	{ \
		if (gpured_float_rank(x[i]) < gpured_float_rank(least)) \
			least = x[i]; \
		if (gpured_float_rank(x[i]) > gpured_float_rank(greatest)) \
			greatest = x[i]; \
	} \
	gpured_acc_init(GPURED_reduce_min_##type, &acc); \
	reduce(GPURED_reduce_min_##type, x, cut, &acc); \
	reduce(GPURED_reduce_min_##type, x + cut, n - cut, &acc); \
	CHECK(bits_of_double(acc.v.f8) == bits_of_double(gpured_canonical_float(least)) && \
		  acc.n == (int64_t) n, "%s: min of %zu " #type ": %a, not %a", isa, n, acc.v.f8, least); \
	gpured_acc_init(GPURED_reduce_max_##type, &acc); \
	reduce(GPURED_reduce_max_##type, x, cut, &acc); \
	reduce(GPURED_reduce_max_##type, x + cut, n - cut, &acc); \
	CHECK(bits_of_double(acc.v.f8) == bits_of_double(gpured_canonical_float(greatest)), \
		  "%s: max of %zu " #type ": %a, not %a", isa, n, acc.v.f8, greatest); \
	free(x); \
}

CHECK_FLOATS(float4, float)
CHECK_FLOATS(float8, double)

/*
 * A long batch whose kind of data changes, so that sums and scans change their
 * way of doing it; the superaccumulator is the oracle, and rounds some prefixes.
 */
#define CHECK_MIXED(type, ctype, round_function) \
static void \
check_mixed_##type(void) \
{ \
	ctype	   *x = checked_malloc(MAX_VALUES * sizeof(ctype)); \
	ctype	   *out = checked_malloc(MAX_VALUES * sizeof(ctype)); \
	int			kind = 0; \
	bool		good = true; \
	GpuredAcc	sum; \
	GpuredAcc	carry; \
	GpuredExact expected; \
	GpuredBatch batch = {x, MAX_VALUES, NULL}; \
	double		a; \
	double		b; \
	for (size_t i = 0; i < MAX_VALUES; i++) \
	{ \
		double		u = (double) random_bits() / 0x1p+64; \
		if (i % 512 == 0 && random_below(8) == 0) \
			kind = (int) random_below(10); \
		switch (kind) \
		{ \
			case 0: x[i] = (ctype) u; break; \
			case 1: x[i] = (ctype) (u - 0.5); break; \
			case 2: x[i] = (ctype) ldexp(u - 0.5, (int) random_below(60) - 30); break; \
			case 3: x[i] = (ctype) ldexp(u - 0.5, (int) random_below(240) - 120); break; \
			case 4: x[i] = i == 0 ? 0 : -x[i - 1]; break; \
			case 5: x[i] = 0; break; \
			case 6: x[i] = (ctype) ldexp(u - 0.5, sizeof(ctype) == 4 ? -126 : -1022); break; \
			case 7: x[i] = (ctype) ldexp(u - 0.5, random_below(700) == 0 ? -100 : -(int) (i % 40)); break; \
			case 8: x[i] = (ctype) ldexp(u - 0.5, sizeof(ctype) == 4 ? 126 : 1020) * (i % 2 ? 1 : -1); break; \
			default: x[i] = (ctype) ldexp(u - 0.5, (int) random_below(2000) - 1000); \
				if (isinf(x[i])) \
					x[i] = 1; \
		} \
	} \
	gpured_acc_init(GPURED_reduce_sum_##type, &sum); \
	reduce(GPURED_reduce_sum_##type, x, MAX_VALUES, &sum); \
	gpured_acc_init(GPURED_scan_sum_##type, &carry); \
	gpured_cpu_device.scan(GPURED_scan_sum_##type, &batch, &carry, out); \
	gpured_exact_init(&expected); \
	for (size_t i = 0; i < MAX_VALUES; i++) \
	{ \
		ctype		prefix; \
		gpured_exact_add(&expected, x[i]); \
		if (i % 5 == 0) \
		{ \
			round_function(&expected, &prefix); \
			good &= memcmp(&prefix, &out[i], sizeof(prefix)) == 0; \
		} \
	} \
	CHECK(good, "%s: prefix sums of mixed " #type, isa); \
	gpured_exact_to_double(&expected, &b); \
	gpured_exact_to_double(&sum.v.exact, &a); \
	CHECK(bits_of_double(a) == bits_of_double(b), "%s: sum of mixed " #type ": %a, not %a", isa, a, b); \
	gpured_exact_to_double(&carry.v.exact, &a); \
	CHECK(bits_of_double(a) == bits_of_double(b), "%s: carry of mixed " #type, isa); \
	free(x); \
	free(out); \
}

CHECK_MIXED(float4, float, gpured_exact_to_float)
CHECK_MIXED(float8, double, gpured_exact_to_double)

/* The table agrees with itself, and what is no operation is refused. */
static void
check_table(void)
{
	GpuredAcc	acc;
	GpuredBatch batch = {&acc, 0, NULL};
	GpuredDeviceInfo info;

	for (int op = 1; op < GPURED_NUM_OPS; op++)
	{
		const GpuredOpInfo *line = &gpured_op_info[op];
		bool		reduces;
		bool		scans;

		gpured_acc_init((GpuredOp) op, &acc);
		reduces = gpured_cpu_device.reduce((GpuredOp) op, &batch, &acc).code == GPURED_OK;
		scans = gpured_cpu_device.scan((GpuredOp) op, &batch, &acc, &acc).code == GPURED_OK;
		CHECK(line->name != NULL && reduces != line->is_scan && scans == line->is_scan &&
			  (line->output_size > 0) == line->is_scan && line->input_size > 0 && acc.n == 0,
			  "line %d of the table", op);
	}
	CHECK(gpured_cpu_device.reduce(GPURED_none, &batch, &acc).code == GPURED_PROTOCOL &&
		  gpured_cpu_device.reduce(GPURED_NUM_OPS, &batch, &acc).code == GPURED_PROTOCOL &&
		  gpured_cpu_device.scan((GpuredOp) -1, &batch, &acc, &acc).code == GPURED_PROTOCOL,
		  "what is no operation is not refused");
	CHECK(gpured_cpu_device.probe(&info) && info.usable && info.name[0] != '\0' &&
		  info.multiprocessors > 0 && info.memory > 0, "probe");
	CHECK(gpured_status(GPURED_BUSY, "%d of %d", 1, 2).code == GPURED_BUSY &&
		  strcmp(gpured_status(GPURED_BUSY, "%d of %d", 1, 2).reason, "1 of 2") == 0, "status");
}

int
main(int argc, char **argv)
{
	static const char *const isas[] = {"plain", "avx2", "avx512"};

	test_state = argc > 1 ? strtoull(argv[1], NULL, 10) : 1;
	check_table();
	for (int i = 0; i < 3; i++)
	{
		isa = isas[i];
		if (!gpured_cpu_use(isa))
			continue;
		for (int round = 0; round < 120; round++)
		{
			check_int2(round);
			check_int4(round);
			check_int8(round);
			check_float4(round);
			check_float8(round);
		}
		check_many_int2();
		for (int round = 0; round < 12; round++)
		{
			check_mixed_float4();
			check_mixed_float8();
		}
	}
	return test_summary();
}

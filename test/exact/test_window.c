/*
 * test_window.c
 *	  Row states: growth, "top" near its limits, frames, and bytes from outside.
 */
#include "test.h"

static GpuredWindow *
read_or_die(const uint8_t *bytes, size_t n)
{
	GpuredWindow *w;

	if (!gpured_window_read(bytes, n, &w, MEM))
		abort();
	return w;
}

/* Whether the state holds what x holds, by value and by flags. */
static bool
same_sum(const GpuredWindow *w, const GpuredExact *x)
{
	GpuredExact a;
	GpuredExact b = *x;

	gpured_window_to_exact(w, &a);
	gpured_exact_normalize(&a);
	gpured_exact_normalize(&b);
	return memcmp(a.limb, b.limb, sizeof(a.limb)) == 0 && a.flags == b.flags;
}

/* A state grows in a few steps, from any exponent to any other. */
static void
test_growth(void)
{
	size_t		last = 0;
	int			moves;

	for (int from = -1074; from < 1024; from += 41)
	{
		for (int to = -1074; to < 1024; to += 13)
		{
			GpuredWindow *w = gpured_window_create(MEM);
			GpuredExact x;

			gpured_exact_init(&x);
			for (int i = 0; i < 6; i++)
			{
				double		v = ldexp(i % 2 ? -1.25 : 1.75, i < 3 ? from : to);

				w = gpured_window_add(w, v, MEM);
				gpured_exact_add(&x, v);
			}
			CHECK(same_sum(w, &x), "from 2^%d to 2^%d", from, to);
			test_release(NULL, w);
		}
	}

	/* outwards both ways */
	for (int direction = 0; direction < 3; direction++)
	{
		GpuredWindow *w = gpured_window_create(MEM);
		GpuredExact x;

		gpured_exact_init(&x);
		moves = 0;
		for (int i = 0; i < 1070; i++)
		{
			int			exponent = direction == 0 || (direction == 2 && i % 2) ? i : -i;
			double		v = ldexp(i % 3 ? 1.1 : -1.9, exponent < 1023 ? exponent : 1022);
			GpuredWindow *before = w;

			w = gpured_window_add(w, v, MEM);
			gpured_exact_add(&x, v);
			moves += w != before;
			CHECK(gpured_window_memory(w) >= (i == 0 ? 0 : last), "a state shrank");
			last = gpured_window_memory(w);
		}
		CHECK(moves <= 4 && last <= 280, "%d moves, %zu bytes", moves, last);
		CHECK(same_sum(w, &x), "outwards, direction %d", direction);
		test_release(NULL, w);
	}
}

/* What a group of ordinary data takes. */
static void
test_size(void)
{
	GpuredWindow *w = gpured_window_create(MEM);

	CHECK(gpured_window_memory(w) == 32, "an empty state takes %zu bytes", gpured_window_memory(w));
	for (int i = 0; i < 100000; i++)
		w = gpured_window_add(w, (double) random_below(100000000) / 100, MEM);
	CHECK(gpured_window_memory(w) == 32, "cents take %zu bytes", gpured_window_memory(w));
	test_release(NULL, w);
}

/*
 * More values than a test can add: doubling a state n times is adding 2^n of
 * it.  2^62 of the largest double, taken back again by their negatives, must
 * leave nothing; on the way the total is compared with the superaccumulator's.
 */
static void
test_top(void)
{
	static const double values[] = {
		1.0, -1.0, 0x1.fffffffffffffp+39, 0x1.fffffffffffffp+103, -0x1.fffffffffffffp+103,
		0x1.fffffffffffffp+1023, -0x1.fffffffffffffp+1023, 0x1p+1000, -0x1p+1000, 5e-324
	};

	for (size_t v = 0; v < sizeof(values) / sizeof(values[0]); v++)
	{
		GpuredWindow *w = gpured_window_create(MEM);
		GpuredWindow *negative = gpured_window_create(MEM);
		GpuredExact x;
		uint8_t		bytes[GPURED_WINDOW_MAX_BYTES];
		double		mean;
		size_t		size;

		w = gpured_window_add(w, values[v], MEM);
		negative = gpured_window_sub(negative, values[v], MEM);
		for (int i = 0; i < 62; i++)
		{
			GpuredExact copy;

			gpured_window_to_exact(w, &x);
			copy = x;
			gpured_exact_merge(&x, &copy);
			w = gpured_window_merge(w, w, MEM);
			negative = gpured_window_merge(negative, negative, MEM);
			CHECK(same_sum(w, &x), "2^%d times %a", i + 1, values[v]);
		}
		mean = gpured_exact_mean(&x, UINT64_C(1) << 62);
		CHECK(mean == values[v], "mean of 2^62 times %a is %a", values[v], mean);

		/* one at a time from there */
		for (int i = 0; i < 100; i++)
			w = gpured_window_add(w, values[v], MEM);
		for (int i = 0; i < 100; i++)
			w = gpured_window_sub(w, values[v], MEM);
		CHECK(same_sum(w, &x), "2^62 and back, %a", values[v]);
		size = gpured_window_write(w, bytes);
		test_release(NULL, read_or_die(bytes, size));
		w = gpured_window_merge(w, negative, MEM);
		gpured_exact_init(&x);
		gpured_exact_add(&x, 0.0);
		CHECK(same_sum(w, &x), "nothing is left of %a", values[v]);
		CHECK(gpured_window_size(w) == 4, "nothing takes %zu bytes", gpured_window_size(w));
		test_release(NULL, w);
		test_release(NULL, negative);
	}

	/* the inline addition, some 30 times with a carry into "top" */
	{
		GpuredWindow *w = gpured_window_create(MEM);
		GpuredExact x;

		w = gpured_window_add(w, 0x1.8p+39, MEM);
		w->top = INT32_MAX - 20;
		gpured_window_to_exact(w, &x);
		for (int i = 0; i < 200000; i++)
		{
			w = gpured_window_add(w, 0x1.8p+39, MEM);
			gpured_exact_add(&x, 0x1.8p+39);
		}
		CHECK(same_sum(w, &x), "top at its limit");
		test_release(NULL, w);
	}
}

/* Accumulators whose limbs are as full as "pending" allows. */
static void
test_full_limbs(void)
{
	GpuredExact full;
	GpuredExact normal;
	GpuredExact sum;
	GpuredExact expected;

	gpured_exact_init(&full);
	for (int j = 0; j < GPURED_EXACT_LIMBS - 6; j++)
		full.limb[j] = (int64_t) UINT32_MAX << 30;
	full.pending = (UINT32_C(1) << 30) - 1;
	normal = full;
	gpured_exact_normalize(&normal);
	gpured_exact_init(&sum);
	gpured_exact_init(&expected);
	for (int i = 0; i < 8; i++)
		gpured_exact_merge(&sum, &full);
	for (int j = 0; j < GPURED_EXACT_LIMBS - 3; j++)
		gpured_exact_add_scaled(&expected, 8 * normal.limb[j], 32 * j);
	gpured_exact_normalize(&sum);
	gpured_exact_normalize(&expected);
	CHECK(memcmp(sum.limb, expected.limb, sizeof(sum.limb)) == 0, "full limbs");
}

/* A frame that slides over values of all kinds. */
static void
test_frame(void)
{
	enum
	{
		N = 4000, FRAME = 37
	};
	double		value[N];
	GpuredMovingSum s;

	for (int i = 0; i < N; i++)
	{
		switch (random_below(12))
		{
			case 0:
				value[i] = NAN;
				break;
			case 1:
				value[i] = random_below(2) ? INFINITY : -INFINITY;
				break;
			case 2:
				value[i] = random_finite();
				break;
			default:
				value[i] = random_below(3) ? -0.0 : (double) random_below(1000) / 8 - 50;
		}
		if (i % 1000 < 300)
			value[i] = -0.0;
	}

	gpured_moving_init(&s, MEM);
	for (int i = 0; i < N; i++)
	{
		GpuredExact x;
		GpuredExact y;
		double		a;
		double		b;

		gpured_moving_add(&s, value[i], MEM);
		if (i >= FRAME)
			gpured_moving_remove(&s, value[i - FRAME], MEM);
		gpured_exact_init(&y);
		for (int j = i < FRAME ? 0 : i - FRAME + 1; j <= i; j++)
			gpured_exact_add(&y, value[j]);
		gpured_moving_to_exact(&s, &x);
		gpured_exact_to_double(&x, &a);
		gpured_exact_to_double(&y, &b);
		CHECK(bits_of_double(a) == bits_of_double(b), "frame ending at %d: %a, not %a", i, a, b);
	}
	test_release(NULL, s.window);
}

/* Bytes from outside: refused, or exactly what they would be written as. */
static bool
check_bytes(const uint8_t *bytes, size_t n)
{
	uint8_t	   *exact_size = checked_malloc(n); /* a sanitizer sees its end */
	uint8_t		again[GPURED_WINDOW_MAX_BYTES];
	GpuredWindow *w = NULL;
	GpuredExact x;
	double		d;
	bool		accepted;

	memcpy(exact_size, bytes, n);
	accepted = gpured_window_read(exact_size, n, &w, MEM);
	if (accepted)
	{
		CHECK(gpured_window_size(w) == n && gpured_window_write(w, again) == n &&
			  memcmp(again, bytes, n) == 0, "accepted bytes change when written");
		w = gpured_window_merge(w, w, MEM);
		w = gpured_window_add(w, random_finite(), MEM);
		gpured_window_to_exact(w, &x);
		gpured_exact_to_double(&x, &d);
		gpured_window_write(w, again);
		test_release(NULL, w);
	}
	else
		CHECK(w == NULL, "something was allocated for refused bytes");
	free(exact_size);
	return accepted;
}

static void
test_hostile(void)
{
	enum
	{
		ROUNDS = 200000
	};
	uint8_t		bytes[GPURED_WINDOW_MAX_BYTES + 16];
	long		accepted = 0;
	long		refused = 0;

	for (size_t n = 0; n <= 4; n++)
		CHECK(!check_bytes((const uint8_t *) "\0\0\0\0", n), "%zu zero bytes accepted", n);
	CHECK(check_bytes((const uint8_t *) "\1\0\0\0", 4), "the sum of -0 refused");
	CHECK(check_bytes((const uint8_t *) "\1\x08\0\0", 4), "the sum 0 refused");
	CHECK(!check_bytes((const uint8_t *) "\1\x01\0\0", 4), "NaN that is -0 accepted");
	CHECK(!check_bytes((const uint8_t *) "\1\x0e\0\0", 4), "both infinities accepted");
	CHECK(!check_bytes((const uint8_t *) "\1\x08\1\0", 4), "a zero somewhere accepted");
	CHECK(!check_bytes((const uint8_t *) "\1\x08\xff\xff", 4), "missing limbs accepted");

	for (int round = 0; round < ROUNDS; round++)
	{
		GpuredWindow *w = gpured_window_create(MEM);
		size_t		n;

		for (size_t i = random_below(4); i > 0; i--)
			w = gpured_window_add(w, random_below(4) ? random_finite() :
								  ldexp(1, (int) random_below(2000) - 1000), MEM);
		if (random_below(20) == 0)
			w = gpured_window_add(w, random_below(2) ? NAN : INFINITY, MEM);
		n = gpured_window_write(w, bytes);
		test_release(NULL, w);

		for (size_t i = random_below(4); i > 0; i--)
		{
			switch (random_below(6))
			{
				case 0:			/* another byte */
					bytes[random_below(n)] = (uint8_t) random_bits();
					break;
				case 1:			/* another bit */
					bytes[random_below(n)] ^= 1 << random_below(8);
					break;
				case 2:			/* another header */
					bytes[random_below(4)] = (uint8_t) random_below(40);
					break;
				case 3:			/* a limb of zeros or ones */
					if (n >= 12)
						memset(bytes + 4 + 8 * random_below((n - 4) / 8),
							   random_below(2) ? 0 : 0xff, 8);
					break;
				case 4:			/* another length */
					n = 1 + random_below(n + 12);
					if (n > sizeof(bytes))
						n = sizeof(bytes);
					break;
				case 5:			/* a limb more or less, as the header says */
					if (random_below(2) && n + 8 <= sizeof(bytes) && n >= 4)
					{
						memmove(bytes + 12, bytes + 4, n - 4);
						n += 8;
						bytes[3]++;
					}
					else if (n >= 12)
					{
						n -= 8;
						bytes[3]--;
					}
					break;
			}
		}
		if (check_bytes(bytes, n))
			accepted++;
		else
			refused++;
	}
	CHECK(accepted > ROUNDS / 10 && refused > ROUNDS / 10,
		  "%ld accepted and %ld refused: the mutations are no good", accepted, refused);
}

int
main(int argc, char **argv)
{
	test_state = argc > 1 ? strtoull(argv[1], NULL, 10) : 1;
	test_growth();
	test_size();
	test_top();
	test_full_limbs();
	test_frame();
	test_hostile();
	CHECK(live_states == 0, "%ld states are left", live_states);
	return test_summary();
}

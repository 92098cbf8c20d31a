/*
 * test_moments.c
 *	  The exact sums of products, and quotients of long integers, against the
 *	  answers of moments_cases.py; and bytes from outside.
 */
#include "test.h"

#include "exact/moments.h"

#define LIMBS 72				/* of the integers in the cases */

static long number;				/* of the case */

static const GpuredMomentsKind all_kinds[] = {
	GPURED_MOMENTS_ONE, GPURED_MOMENTS_TWO, GPURED_MOMENTS_DOT
};

static void
read_all(void *p, size_t size)
{
	if (fread(p, 1, size, stdin) != size)
	{
		printf("the cases end early\n");
		exit(1);
	}
}

static GpuredMoments *
add(GpuredMoments *w, double x, double y)
{
	switch (w->kind)
	{
		case GPURED_MOMENTS_ONE:
			return gpured_moments_add(w, GPURED_MOMENTS_ONE, x, y, false, MEM);
		case GPURED_MOMENTS_TWO:
			return gpured_moments_add(w, GPURED_MOMENTS_TWO, x, y, false, MEM);
		default:
			return gpured_moments_add(w, GPURED_MOMENTS_DOT, x, y, false, MEM);
	}
}

static bool
has_sum(GpuredMomentsKind kind, int sum)
{
	if (kind == GPURED_MOMENTS_ONE)
		return sum == GPURED_SUM_X || sum == GPURED_SUM_XX;
	return kind == GPURED_MOMENTS_TWO || sum == GPURED_SUM_XY;
}

/* Both are on the grid of the cases once the state's unit is taken into account. */
static void
check_sums(const GpuredMoments *w, uint64_t expected[][LIMBS], const char *what)
{
	for (int sum = 0; sum < GPURED_MOMENTS_SUMS; sum++)
	{
		GpuredBig	ours;
		GpuredBig	scale;
		GpuredBig	moved;
		GpuredBig	theirs;
		int			x = gpured_moments_unit(w, 0) + 1100;
		int			y = gpured_moments_unit(w, 1) + 1100;
		int			shift = sum == GPURED_SUM_X ? x : sum == GPURED_SUM_XX ? 2 * x :
			sum == GPURED_SUM_Y ? y : sum == GPURED_SUM_YY ? 2 * y : x + y;

		if (!has_sum(w->kind, sum))
			continue;
		gpured_moments_get(w, sum, &ours);
		memset(&scale, 0, sizeof(scale));
		scale.digit[shift / 64] = UINT64_C(1) << shift % 64;
		scale.n = shift / 64 + 1;
		gpured_big_mul(&moved, &ours, &scale);
		gpured_big_set_digits(&theirs, expected[sum], LIMBS);
		gpured_big_sub(&moved, &moved, &theirs);
		CHECK(moved.n == 0, "case %ld, %s, kind %d: sum %d", number, what, w->kind, sum);
	}
}

/* What the final functions make of the sums, by long multiplication of all of them. */
static void
check_centered(const GpuredMoments *w, int64_t n)
{
	static const int sums[][3] = {
		{GPURED_SUM_X, GPURED_SUM_X, GPURED_SUM_XX},
		{GPURED_SUM_Y, GPURED_SUM_Y, GPURED_SUM_YY},
		{GPURED_SUM_X, GPURED_SUM_Y, GPURED_SUM_XY}
	};

	for (int i = 0; i < (w->kind == GPURED_MOMENTS_TWO ? 3 : 1); i++)
	{
		GpuredBig	rows;
		GpuredBig	a;
		GpuredBig	b;
		GpuredBig	ab;
		GpuredBig	product;
		GpuredBig	ours;

		gpured_big_set(&rows, (uint64_t) n);
		gpured_moments_get(w, sums[i][0], &a);
		gpured_moments_get(w, sums[i][1], &b);
		gpured_moments_get(w, sums[i][2], &ab);
		gpured_big_mul(&product, &rows, &ab);
		gpured_big_mul(&ab, &a, &b);
		gpured_big_sub(&product, &product, &ab);
		gpured_moments_centered(w, n, sums[i][0], sums[i][1], sums[i][2], &ours);
		CHECK(ours.n == product.n && ours.negative == product.negative &&
			  memcmp(ours.digit, product.digit, ours.n * sizeof(uint64_t)) == 0,
			  "case %ld, kind %d: centered sum %d", number, w->kind, i);
	}
}

/* Read, or die trying; what comes out must have the same bytes. */
static GpuredMoments *
read_back(const uint8_t *bytes, size_t size, GpuredMomentsKind kind)
{
	uint8_t		again[GPURED_MOMENTS_MAX_BYTES];
	GpuredMoments *w;

	if (!gpured_moments_read(bytes, size, kind, &w, MEM))
	{
		printf("case %ld: own bytes refused\n", number);
		exit(1);
	}
	CHECK(gpured_moments_write(w, again) == size && memcmp(bytes, again, size) == 0,
		  "case %ld, kind %d: bytes change when read and written", number, kind);
	return w;
}

static void
check_state(GpuredMomentsKind kind, const double (*pair)[2], size_t n, uint64_t expected[][LIMBS])
{
	GpuredMoments *w = gpured_moments_create(kind, MEM);
	GpuredMoments *part[3];
	uint8_t		bytes[GPURED_MOMENTS_MAX_BYTES];
	uint8_t		again[GPURED_MOMENTS_MAX_BYTES];
	size_t		size;

	for (size_t i = 0; i < n; i++)
		w = add(w, pair[i][0], pair[i][1]);
	CHECK(gpured_moments_rows(w) == (kind == GPURED_MOMENTS_DOT ? n > 0 : (int64_t) n),
		  "case %ld: rows", number);
	check_sums(w, expected, "rows");
	if (kind != GPURED_MOMENTS_DOT && n > 1)
		check_centered(w, (int64_t) n);
	size = gpured_moments_write(w, bytes);

	for (int j = 0; j < 3; j++)
		part[j] = gpured_moments_create(kind, MEM);
	for (size_t i = n; i-- > 0;)
	{
		size_t		j = random_below(3);

		part[j] = add(part[j], pair[i][0], pair[i][1]);
	}
	for (int j = 1; j < 3; j++)
	{
		if (gpured_moments_rows(part[j]) > 0)
		{
			GpuredMoments *sent;

			sent = read_back(again, gpured_moments_write(part[j], again), kind);
			part[0] = gpured_moments_merge(part[0], sent, MEM);
			test_release(NULL, sent);
		}
		test_release(NULL, part[j]);
	}
	check_sums(part[0], expected, "merged");
	CHECK(gpured_moments_write(part[0], again) == size && memcmp(bytes, again, size) == 0,
		  "case %ld, kind %d: merged states do not give the same bytes", number, kind);
	test_release(NULL, part[0]);
	part[0] = read_back(bytes, size, kind);
	check_sums(part[0], expected, "read");
	test_release(NULL, part[0]);

	part[0] = gpured_moments_copy(w, MEM);
	check_sums(part[0], expected, "copied");
	test_release(NULL, part[0]);
	test_release(NULL, w);
}

/* Other rows were in the frame before, NaN and infinities among them. */
static void
check_moving(GpuredMomentsKind kind, const double (*pair)[2], size_t n, uint64_t expected[][LIMBS])
{
	static const double other[] = {0.0, -0.0, 1e300, 1e-300, 3.5, -7, NAN, INFINITY, -INFINITY};
	GpuredMovingMoments s;
	size_t		k = sizeof(other) / sizeof(other[0]);

	gpured_moving_moments_init(&s, kind, MEM);
	for (size_t i = 0; i < k; i++)
		gpured_moving_moments_add(&s, other[i], other[(i * 5 + 1) % k], false, MEM);
	CHECK(gpured_moving_moments_flags(&s) & GPURED_EXACT_NAN, "case %ld: no NaN", number);
	for (size_t i = 0; i < n; i++)
	{
		gpured_moving_moments_add(&s, pair[i][0], pair[i][1], false, MEM);
		if (i == n / 2)
		{
			for (size_t j = 0; j < k; j++)
				gpured_moving_moments_add(&s, other[j], other[(j * 5 + 1) % k], true, MEM);
		}
	}
	CHECK(s.n == (int64_t) n, "case %ld: rows in the frame", number);
	CHECK((gpured_moving_moments_flags(&s) & ~GPURED_EXACT_NOT_NEGZERO) == 0,
		  "case %ld: specials stay", number);
	check_sums(s.sums, expected, "frame");
	test_release(NULL, s.sums);
}

static void
check_case(void)
{
	uint64_t	expected[GPURED_MOMENTS_SUMS][LIMBS];
	uint32_t	n;
	double		(*pair)[2];

	read_all(&n, sizeof(n));
	pair = checked_malloc(n * sizeof(*pair));
	read_all(pair, n * sizeof(*pair));
	read_all(expected, sizeof(expected));
	for (int i = 0; i < 3; i++)
	{
		check_state(all_kinds[i], (const double (*)[2]) pair, n, expected);
		check_moving(all_kinds[i], (const double (*)[2]) pair, n, expected);
	}
	free(pair);
}

static void
check_quotient(void)
{
	uint64_t	digits[LIMBS];
	GpuredBig	num;
	GpuredBig	den;
	GpuredBig	minus;
	GpuredBig	sum;
	int32_t		exponent;
	double		ratio;
	double		root;
	double		ours;

	read_all(&exponent, sizeof(exponent));
	read_all(digits, sizeof(digits));
	gpured_big_set_digits(&num, digits, LIMBS);
	read_all(digits, sizeof(digits));
	gpured_big_set_digits(&den, digits, LIMBS);
	read_all(&ratio, sizeof(ratio));
	read_all(&root, sizeof(root));
	ours = gpured_big_ratio(&num, &den, exponent);
	CHECK(bits_of_double(ours) == bits_of_double(ratio), "case %ld: quotient %a, not %a", number, ours, ratio);
	ours = gpured_big_root(&num, &den, exponent);
	CHECK(bits_of_double(ours) == bits_of_double(root), "case %ld: root %a, not %a", number, ours, root);

	/* (num + den) - den */
	minus = den;
	minus.negative = den.n > 0;
	gpured_big_sub(&sum, &num, &minus);
	gpured_big_sub(&sum, &sum, &den);
	gpured_big_sub(&sum, &sum, &num);
	CHECK(sum.n == 0 && !sum.negative, "case %ld: sum and difference", number);
}

/* As a double has it, of a normal value. */
static int
exponent_of(double value)
{
	return (int) (bits_of_double(value) >> 52) & 0x7ff;
}

/*
 * How near values are to each other: 1 if their exponents are within the 32 that begin
 * 16 below the first one's, rounded down to eights; -1 if no 36 have all, which is
 * too much also where many rows make room for a few that are larger; else 0.
 */
static int
nearness(const double (*pair)[2], int variable, size_t n)
{
	int			base = (exponent_of(pair[0][variable]) - 16) & ~7;
	int			least = 2047;
	int			greatest = 0;

	for (size_t i = 0; i < n; i++)
	{
		int			exponent = exponent_of(pair[i][variable]);

		least = exponent < least ? exponent : least;
		greatest = exponent > greatest ? exponent : greatest;
	}
	return least >= base && greatest < base + 32 ? 1 : greatest - least >= 36 ? -1 : 0;
}

/*
 * A state must be narrow where it begins with room for all of its values, and cannot
 * be where no such room is, as all of these have a bit at their lowest place.  (A DOT
 * has no sum that such a bit must be left in: its variables may begin above it.)
 */
static void
test_nearness(void)
{
	enum
	{
		ROUNDS = 3000,
		ROWS = 20
	};
	double		pair[ROWS][2];
	long		seen[3] = {0, 0, 0};

	for (int round = 0; round < ROUNDS; round++)
	{
		GpuredMomentsKind kind = all_kinds[round % 3];
		GpuredMoments *w = gpured_moments_create(kind, MEM);
		size_t		narrow = kind == GPURED_MOMENTS_ONE ? 56 : kind == GPURED_MOMENTS_TWO ? 120 : 32;
		size_t		n = 1 + random_below(ROWS);
		int			near = 1;

		memset(pair, 0, sizeof(pair));
		for (int v = 0; v < (kind == GPURED_MOMENTS_ONE ? 1 : 2); v++)
		{
			int			low = (int) random_below(1900) - 1000;
			int			spread = 1 + (int) random_below(60);
			int			this;

			for (size_t i = 0; i < n; i++)
			{
				double		odd = (double) (random_bits() >> 12 | UINT64_C(1) << 52 | 1);

				pair[i][v] = (random_below(2) ? 1 : -1) * ldexp(odd, low - 52 + (int) random_below(spread));
			}
			this = nearness((const double (*)[2]) pair, v, n);
			near = this < near ? this : near;
		}
		for (size_t i = 0; i < n; i++)
			w = add(w, pair[i][0], pair[i][1]);
		if (kind == GPURED_MOMENTS_DOT && near < 0)
			near = 0;
		seen[near + 1]++;
		CHECK(near == 0 || (gpured_moments_memory(w) == narrow) == (near > 0),
			  "%zu rows of kind %d take %zu bytes", n, kind, gpured_moments_memory(w));
		if (kind != GPURED_MOMENTS_DOT)
			check_centered(w, (int64_t) n);
		test_release(NULL, w);
	}
	CHECK(seen[0] > ROUNDS / 10 && seen[2] > ROUNDS / 10, "%ld far and %ld near", seen[0], seen[2]);
}

/* What ordinary data takes, and what growth may not do. */
static void
test_size(void)
{
	GpuredMoments *w = gpured_moments_create(GPURED_MOMENTS_ONE, MEM);
	size_t		size;

	for (int i = 0; i < 100000; i++)
		w = add(w, (double) random_below(100000000) / 100, 0);

	size = gpured_moments_memory(w);
	CHECK(size == 56, "cents take %zu bytes", size);
	test_release(NULL, w);
	w = gpured_moments_create(GPURED_MOMENTS_TWO, MEM);
	for (int i = 0; i < 100000; i++)
		w = add(w, (double) random_below(100000000) / 100, (double) random_below(1000) / 7);
	size = gpured_moments_memory(w);
	CHECK(size == 120, "pairs take %zu bytes", size);
	test_release(NULL, w);
}

/*
 * More rows than a test can add: doubling a state 62 times.  The sums of 2^62
 * rows, taken back again by their opposites, must leave those of squares.
 */
static void
test_top(void)
{
	static const double values[] = {
		1.0, 0x1p+1023, 0x1.fffffffffffffp+39, 0x1.fffffffffffffp+103,
		-0x1.fffffffffffffp+1023, 0x1p+1000, -5e-324
	};

	for (size_t v = 0; v < sizeof(values) / sizeof(values[0]); v++)
	{
		GpuredMoments *w = gpured_moments_create(GPURED_MOMENTS_TWO, MEM);
		GpuredMoments *dot;
		uint8_t		bytes[GPURED_MOMENTS_MAX_BYTES];
		GpuredBig	x;
		GpuredBig	xx;
		GpuredBig	n;
		GpuredBig	product;

		dot = gpured_moments_create(GPURED_MOMENTS_DOT, MEM);
		w = add(w, values[v], -values[v]);
		dot = add(dot, values[v], -values[v]);
		for (int i = 0; i < 62; i++)
		{
			w = gpured_moments_merge(w, w, MEM);
			dot = gpured_moments_merge(dot, dot, MEM);
			test_release(NULL, read_back(bytes, gpured_moments_write(w, bytes), GPURED_MOMENTS_TWO));
			test_release(NULL, read_back(bytes, gpured_moments_write(dot, bytes), GPURED_MOMENTS_DOT));
		}
		test_release(NULL, dot);
		for (int i = 0; i < 3000; i++)
			w = add(w, values[v], -values[v]);
		test_release(NULL, read_back(bytes, gpured_moments_write(w, bytes), GPURED_MOMENTS_TWO));
		CHECK(gpured_moments_rows(w) == (INT64_C(1) << 62) + 3000, "rows");

		/* n Sxx = Sx^2 */
		gpured_big_set(&n, w->limb[0]);
		gpured_moments_get(w, GPURED_SUM_X, &x);
		gpured_moments_get(w, GPURED_SUM_XX, &xx);
		gpured_big_mul(&product, &n, &xx);
		gpured_big_mul(&xx, &x, &x);
		gpured_big_sub(&product, &product, &xx);
		CHECK(product.n == 0 && xx.n > 0, "variance of 2^62 times %a", values[v]);
		gpured_moments_get(w, GPURED_SUM_XX, &xx);
		gpured_moments_get(w, GPURED_SUM_XY, &product);
		CHECK(product.negative, "the product is negative");
		product.negative = false;
		gpured_big_sub(&xx, &xx, &product);
		CHECK(xx.n == 0, "products of 2^62 times %a", values[v]);
		test_release(NULL, w);
	}
}

/* Carries out of the middle of a wide state, both ways and often. */
static void
test_carries(void)
{
	GpuredMoments *w = gpured_moments_create(GPURED_MOMENTS_TWO, MEM);
	GpuredMovingMoments s;
	uint8_t		a[GPURED_MOMENTS_MAX_BYTES];
	uint8_t		b[GPURED_MOMENTS_MAX_BYTES];
	uint64_t	full[] = {UINT64_MAX, UINT64_MAX, 5};
	size_t		size;

	gpured_moving_moments_init(&s, GPURED_MOMENTS_TWO, MEM);
	w = add(w, 1e200, 1e-200);
	size = gpured_moments_write(w, a);
	gpured_moving_moments_add(&s, 1e200, 1e-200, false, MEM);
	for (int i = 0; i < 100000; i++)
		gpured_moving_moments_add(&s, 0x1.8p+39, -0x1.8p+39, false, MEM);
	for (int i = 0; i < 100000; i++)
		gpured_moving_moments_add(&s, 0x1.8p+39, -0x1.8p+39, true, MEM);
	CHECK(gpured_moments_write(s.sums, b) == size && memcmp(a, b, size) == 0, "carries leave a trace");

	/* through several limbs */
	gpured_moments_carry(full, 0);
	CHECK(full[0] == 0 && full[1] == 0 && full[2] == 6, "a carry");
	gpured_moments_carry(full, UINT64_MAX);
	CHECK(full[0] == UINT64_MAX && full[1] == UINT64_MAX && full[2] == 5, "a borrow");
	test_release(NULL, s.sums);
	test_release(NULL, w);
}

/*
 * A narrow state that moves, and is filled up with rows of the greatest value that
 * it takes, against a wide one.
 */
static void
test_moves(void)
{
	static const struct
	{
		int			before;			/* rows of "most" before the other one */
		double		most;
		double		other;
		bool		moves;
		bool		stays;			/* narrow with the rows that follow */
	}			moves[] = {
		/* down, to where the first are the greatest that fit; and further */
		{1, 0x1.fffffffffffffp+24, 1.5, true, true},
		{(1 << 22) - 1, 0x1.fffffffffffffp+24, 1.5, true, true},
		{(1 << 23) - 1, -0x1.fffffffffffffp+24, 1.5, true, true},
		{1 << 10, 0x1p+25, 1.5, false, false},
		/* up, if the first have few bits; those that follow are too far down */
		{1 << 10, 1.0, 0x1.8p+40, true, false},
		{1 << 10, 0x1.0000000000001p+0, 0x1.8p+40, false, false},
		/* the least and greatest spans, and what is beyond them */
		{1 << 10, 0x1p-1014, 0x1p-1015, true, true},
		{1 << 10, 0x1p-1014, 0x1p-1016, false, false},
		{1 << 10, 0x1p-1014, 0x1p-1074, false, false},
		{1 << 10, 0x1p+1000, 0x1p+1016, true, true},
		{1 << 10, 0x1p+1000, 0x1p+1017, false, false},
		{1 << 10, 0x1p+1000, 0x1p+1023, false, false},
		{1 << 10, 0x1p-1014, 0, true, true},
	};
	uint8_t		a[GPURED_MOMENTS_MAX_BYTES];
	uint8_t		b[GPURED_MOMENTS_MAX_BYTES];

	for (size_t m = 0; m < sizeof(moves) / sizeof(moves[0]); m++)
	{
		GpuredMoments *w = gpured_moments_create(GPURED_MOMENTS_TWO, MEM);
		GpuredMoments *half = gpured_moments_create(GPURED_MOMENTS_TWO, MEM);
		GpuredMovingMoments s;
		size_t		narrow = gpured_moments_memory(w);
		size_t		size;

		gpured_moving_moments_init(&s, GPURED_MOMENTS_TWO, MEM);
		gpured_moving_moments_add(&s, 1e300, 1e-300, false, MEM);
		gpured_moving_moments_add(&s, 1e300, 1e-300, true, MEM);
		for (int i = 0; i < 1 << 23; i++)
		{
			double		value = i == moves[m].before ? moves[m].other : moves[m].most;

			gpured_moving_moments_add(&s, value, -value, false, MEM);
			w = add(w, value, -value);
			if (i == moves[m].before)
				CHECK((gpured_moments_memory(w) == narrow) == moves[m].moves,
					  "move %zu takes %zu bytes", m, gpured_moments_memory(w));
		}
		CHECK((gpured_moments_memory(w) == narrow) == moves[m].stays, "move %zu, later", m);
		check_centered(w, 1 << 23);
		size = gpured_moments_write(w, a);
		CHECK(gpured_moments_write(s.sums, b) == size && memcmp(a, b, size) == 0, "move %zu", m);

		/* one row more than a narrow state may have, by merging */
		half = add(half, moves[m].other, moves[m].most);
		gpured_moving_moments_add(&s, moves[m].other, moves[m].most, false, MEM);
		half = gpured_moments_merge(half, w, MEM);
		CHECK(gpured_moments_memory(half) > narrow, "more than fit");
		size = gpured_moments_write(half, a);
		CHECK(gpured_moments_write(s.sums, b) == size && memcmp(a, b, size) == 0, "merge %zu", m);
		test_release(NULL, half);
		test_release(NULL, s.sums);
		test_release(NULL, w);
	}
}

/* Bytes from outside: refused, or exactly what they would be written as. */
static bool
check_bytes(const uint8_t *bytes, size_t n, GpuredMomentsKind kind)
{
	uint8_t    *exact_size = checked_malloc(n); /* a sanitizer sees its end */
	uint8_t		again[GPURED_MOMENTS_MAX_BYTES];
	GpuredMoments *w = NULL;
	GpuredBig	x;
	bool		accepted;

	memcpy(exact_size, bytes, n);
	accepted = gpured_moments_read(exact_size, n, kind, &w, MEM);
	if (accepted)
	{
		CHECK(gpured_moments_write(w, again) == n && memcmp(again, bytes, n) == 0,
			  "accepted bytes change when written");
		if (kind != GPURED_MOMENTS_DOT)
			w->limb[0] = 1 + w->limb[0] / 4;
		w = gpured_moments_merge(w, w, MEM);
		w = add(w, random_finite(), random_finite());
		gpured_moments_get(w, GPURED_SUM_XY, &x);
		gpured_moments_write(w, again);
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
		ROUNDS = 150000
	};
	uint8_t		bytes[GPURED_MOMENTS_MAX_BYTES + 16];
	uint8_t		zeros[16] = {0};
	long		accepted = 0;
	long		refused = 0;

	for (size_t n = 0; n <= 16; n++)
	{
		/* three are a product that is -0 */
		for (int i = 0; i < 3; i++)
			CHECK(check_bytes(zeros, n, all_kinds[i]) == (all_kinds[i] == GPURED_MOMENTS_DOT && n == 3),
				  "%zu zero bytes, kind %d", n, i);
	}
	/* one row; no flags; nothing but a sum of products, or one that is too large */
	{
		uint8_t		alone[] = {0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 40, 1,
		0, 0, 0, 0, 0, 0, 0, 1};
		uint8_t		dot[] = {8, 67, 1, 0, 0, 0, 0, 0, 0, 0, 1};

		CHECK(!check_bytes(alone, sizeof(alone), GPURED_MOMENTS_TWO), "products of zeros accepted");
		CHECK(check_bytes(dot, sizeof(dot), GPURED_MOMENTS_DOT), "a large product refused");
		dot[3] = 1;
		CHECK(!check_bytes(dot, sizeof(dot), GPURED_MOMENTS_DOT), "a product out of range accepted");
		dot[3] = 0;
		dot[0] = 0;
		CHECK(!check_bytes(dot, sizeof(dot), GPURED_MOMENTS_DOT), "a -0 that is not accepted");
		dot[0] = 1;
		CHECK(!check_bytes(dot, sizeof(dot), GPURED_MOMENTS_DOT), "a sum beside NaN accepted");
	}
	for (int round = 0; round < ROUNDS; round++)
	{
		GpuredMomentsKind kind = all_kinds[random_below(3)];
		GpuredMoments *w = gpured_moments_create(kind, MEM);
		size_t		n;

		for (size_t i = 1 + random_below(4); i > 0; i--)
			w = add(w, random_below(4) ? random_finite() : ldexp(1, (int) random_below(2000) - 1000),
					random_below(4) ? (double) random_below(100) : random_finite());
		if (random_below(20) == 0)
			w = add(w, random_below(2) ? NAN : INFINITY, random_below(2) ? 1 : -INFINITY);
		n = gpured_moments_write(w, bytes);
		test_release(NULL, w);

		for (size_t i = random_below(4); i > 0; i--)
		{
			switch (random_below(5))
			{
				case 0:			/* another byte */
					bytes[random_below(n)] = (uint8_t) random_bits();
					break;
				case 1:			/* another bit */
					bytes[random_below(n)] ^= 1 << random_below(8);
					break;
				case 2:			/* another header, or a lower or higher sum */
					bytes[random_below(n < 11 ? n : 11)] += random_below(2) ? 1 : 255;
					break;
				case 3:			/* zeros or ones */
					if (n >= 20)
						memset(bytes + 11 + random_below(n - 19), random_below(2) ? 0 : 0xff, 8);
					break;
				case 4:			/* another length */
					n = 1 + random_below(n + 12);
					if (n > sizeof(bytes))
						n = sizeof(bytes);
					break;
			}
		}
		if (check_bytes(bytes, n, kind))
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
	uint32_t	what;

	test_state = argc > 1 ? strtoull(argv[1], NULL, 10) : 1;
	for (number = 0; fread(&what, sizeof(what), 1, stdin) == 1; number++)
	{
		if (what == 1)
			check_case();
		else
			check_quotient();
	}
	CHECK(number > 100, "only %ld cases", number);
	test_size();
	test_nearness();
	test_top();
	test_carries();
	test_moves();
	test_hostile();
	CHECK(live_states == 0, "%ld states are left", live_states);
	return test_summary();
}

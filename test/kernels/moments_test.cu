/*
 * moments_test.cu
 *	  The kernels of variances and regressions against plain references, as
 *	  kernels_test.cu does for the others.
 *
 * See program.h for how it is compiled and called.
 */
#include <cmath>
#include <vector>

#include "test/kernels/data.h"
#include "test/kernels/memory.h"
#include "test/kernels/program.h"

/* A sum of products of doubles, bit by bit, in units of 2^-2200; it shares no code with the
 * kernels. */
struct LongSum
{
	static constexpr int DIGITS = 2 * GPURED_PRODUCT_DIGITS;
	uint32_t digit[DIGITS] = {};

	/* += k * 2^exponent */
	void add(__int128 k, int exponent)
	{
		const int bit = exponent + 2200;

		for (int i = 0; i < 3; i++)
			add_piece((uint32_t) (k >> 32 * i), bit + 32 * i);
		add_piece((int64_t) (k >> 96), bit + 96);
	}

	void add_piece(int64_t k, int bit)
	{
		__int128 rest = (__int128) k * ((int64_t) 1 << bit % 32);
		__int128 carry = 0;

		/* Until nothing is left to add, or all ones and a carry, which is nothing. */
		for (int j = bit / 32;
			 j < DIGITS && !(carry == 0 && rest == 0) && !(carry == 1 && rest == -1); j++)
		{
			carry += (__int128) digit[j] + (uint32_t) rest;
			digit[j] = (uint32_t) carry;
			carry >>= 32;
			rest >>= 32;
		}
	}

	static int64_t split(double x, int *exponent)
	{
		double fraction = std::frexp(x, exponent);
		int64_t k = (int64_t) std::ldexp(fraction, 53);

		*exponent -= 53;
		while (k != 0 && *exponent < -1074)
		{
			k /= 2; /* a subnormal: the bits are zero */
			(*exponent)++;
		}
		return k;
	}

	void add_product(double x, double y)
	{
		int a, b;
		const int64_t k = split(x, &a), l = split(y, &b);

		if (k != 0 && l != 0)
			add((__int128) k * l, a + b);
	}

	/* Whether the digits, which count 2^unit, have this value. */
	bool same(const uint64_t *digits, int n, int unit) const
	{
		LongSum other;

		for (int i = 0; i < n; i++)
		{
			/* The highest digit has the sign. */
			const __int128 k = i < n - 1 ? (__int128) digits[i] : (__int128) (int64_t) digits[i];

			other.add(k, unit + 64 * i);
		}
		return memcmp(digit, other.digit, sizeof(digit)) == 0;
	}
};

static uint32_t
special(double x)
{
	return std::isnan(x)    ? GPURED_EXACT_NAN
		   : !std::isinf(x) ? 0
		   : x > 0          ? GPURED_EXACT_PINF
							: GPURED_EXACT_NINF;
}

static double
finite_part(double x)
{
	return std::isfinite(x) ? x : 0;
}

/* What the header of moment_sums.h promises. */
static bool
is_right(GpuredMomentsKind kind, const double *x, const double *y, size_t n,
		 const GpuredMomentSums *s)
{
	LongSum sum_x, sum_y, sum_xx, sum_yy, sum_xy;
	uint32_t flags = 0;

	for (size_t i = 0; i < n; i++)
	{
		double a = finite_part(x[i]), b = finite_part(y[i]);

		if (kind == GPURED_MOMENTS_DOT)
		{
			const bool finite = std::isfinite(x[i]) && std::isfinite(y[i]);

			if (!finite)
				flags |= special(x[i] * y[i]);
			if (!finite || (a != 0 && b != 0) || std::signbit(a) == std::signbit(b))
				flags |= GPURED_EXACT_NOT_NEGZERO;
			sum_xy.add_product(finite ? a : 0, b);
			continue;
		}
		flags |= special(x[i]);
		sum_x.add_product(a, 1);
		sum_xx.add_product(a, a);
		if (kind == GPURED_MOMENTS_TWO)
		{
			flags |= special(y[i]) << GPURED_MOMENTS_FLAGS_Y;
			sum_y.add_product(b, 1);
			sum_yy.add_product(b, b);
			sum_xy.add_product(a, b);
		}
	}
	if (s->flags != flags)
		return false;
	if (kind != GPURED_MOMENTS_DOT &&
		(!sum_x.same(s->digit + GPURED_DIGITS_X, GPURED_VALUE_DIGITS, -1100) ||
		 !sum_xx.same(s->digit + GPURED_DIGITS_XX, GPURED_PRODUCT_DIGITS, -2200)))
		return false;
	if (kind == GPURED_MOMENTS_TWO &&
		(!sum_y.same(s->digit + GPURED_DIGITS_Y, GPURED_VALUE_DIGITS, -1100) ||
		 !sum_yy.same(s->digit + GPURED_DIGITS_YY, GPURED_PRODUCT_DIGITS, -2200)))
		return false;
	return kind == GPURED_MOMENTS_ONE ||
		   sum_xy.same(s->digit + GPURED_DIGITS_XY, GPURED_PRODUCT_DIGITS, -2200);
}

template <class T>
static bool
is_right_int(const T *x, size_t n, const GpuredIntMoments *m)
{
	__int128 sum = 0;
	unsigned __int128 low = 0, high = 0; /* of the squares: 64 bits and above */

	for (size_t i = 0; i < n; i++)
	{
		const unsigned __int128 square = (unsigned __int128) ((__int128) x[i] * x[i]);

		sum += x[i];
		low += (uint64_t) square;
		high += square >> 64;
	}
	high += low >> 64;
	return m->sum.lo == (uint64_t) sum && m->sum.hi == (int64_t) (sum >> 64) &&
		   m->square[0] == (uint64_t) low && m->square[1] == (uint64_t) high &&
		   m->square[2] == (uint64_t) (high >> 64);
}

static void
report(bool ok, const char *name, int kind, int other, size_t n)
{
	count_test(ok, "%s, %s, %s, n = %zu", name, data_kind_name[kind], data_kind_name[other], n);
}

typedef int (*MomentsLaunch)(const void *, const void *, size_t, void *, GpuredAcc *, cudaStream_t);

/* Launch on copies of just the right size, so that checkers see every overrun. */
template <class T>
static GpuredAcc
launch(MomentsLaunch function, const std::vector<T> &x, const std::vector<T> *y, bool *ok)
{
	const size_t bytes = x.size() * sizeof(T);
	void *on_device[2] = {device_alloc(bytes), y == nullptr ? nullptr : device_alloc(bytes)};
	GpuredAcc *result = (GpuredAcc *) device_alloc(sizeof(GpuredAcc));
	GpuredAcc acc;

	device_copy(on_device[0], x.data(), bytes);
	if (y != nullptr)
		device_copy(on_device[1], y->data(), bytes);
	device_zero(result, sizeof(GpuredAcc));
	*ok = function(on_device[0], on_device[1], x.size(), workspace(x.size()), result, 0) == 0;
	device_copy(&acc, result, sizeof(acc));
	device_free(result);
	device_free(on_device[0]);
	if (y != nullptr)
		device_free(on_device[1]);
	return acc;
}

template <class T>
static std::vector<T>
make(int kind, size_t n, size_t from = 0)
{
	std::vector<T> x(n);

	for (size_t i = 0; i < n; i++)
		data_value(&x[i], kind, from + i, from + n);
	return x;
}

template <class T>
static std::vector<double>
as_doubles(const std::vector<T> &x)
{
	return std::vector<double>(x.begin(), x.end());
}

/* One column of a kind of data, or that and another kind. */
template <class T>
static void
test_sums(GpuredMomentsKind sums, const char *name, MomentsLaunch function, int kind, int other,
		  size_t n)
{
	const std::vector<T> x = make<T>(kind, n);
	const std::vector<T> y = make<T>(other, n, 1000);
	const std::vector<double> a = as_doubles(x), b = as_doubles(y);
	bool ok;
	const GpuredAcc acc = launch(function, x, sums == GPURED_MOMENTS_ONE ? nullptr : &y, &ok);

	report(ok && is_right(sums, a.data(), b.data(), n, &acc.v.sums), name, kind, other, n);
}

template <class T>
static void
test_ints(const char *name, MomentsLaunch function, int kind, size_t n)
{
	const std::vector<T> x = make<T>(kind, n);
	bool ok;
	const GpuredAcc acc = launch(function, x, (const std::vector<T> *) nullptr, &ok);

	report(ok && is_right_int(x.data(), n, &acc.v.ints), name, kind, kind, n);
}

/* The kind of the second column, another with each size. */
static int
second_kind(int kind, size_t n)
{
	return (int) ((kind * 5 + n) % DATA_KINDS);
}

#define TEST_int_moments(op, type, ctype) \
	if (kind < DATA_INTEGER_KINDS) \
	test_ints<ctype>(#op "_" #type, gpured_launch_reduce_##op##_##type, kind, n)
#define TEST_moments(op, type, ctype) \
	test_sums<ctype>(GPURED_MOMENTS_ONE, #op "_" #type, gpured_launch_reduce_##op##_##type, kind, \
					 kind, n)
#define TEST_pair_moments(op, type, ctype) \
	test_sums<ctype>(GPURED_MOMENTS_TWO, #op "_" #type, gpured_launch_reduce_##op##_##type, kind, \
					 second_kind(kind, n), n)
#define TEST_dot(op, type, ctype) \
	test_sums<ctype>(GPURED_MOMENTS_DOT, #op "_" #type, gpured_launch_reduce_##op##_##type, kind, \
					 second_kind(kind, n), n)

static void
test_all(int kind, size_t n)
{
#define GPURED_MOMENTS(op, type, ctype, columns, acc) TEST_##acc(op, type, ctype);
#include "oplist.h"
}

/* Around the edges of warps, blocks and tiles. */
static std::vector<size_t>
sizes()
{
	std::vector<size_t> n = {1, 2, 31, 33, 255, 257, 1000, 2047, 2049, 4096, 4097};

	if (small)
		return n;
	n.insert(n.end(), {8191, 8193, 16385, 3 * 16384 + 5});
#ifndef GPURED_EMULATED
	n.insert(n.end(), {1000003, ((size_t) 1 << 22) + 4097});
#endif
	return n;
}

/* The emulation is slow, and so is the reference: some of the kinds for each size and seed. */
static bool
is_due(size_t n, size_t index, int kind, int seed)
{
#ifdef GPURED_EMULATED
	const size_t share = n < 2000 ? 3 : n < 5000 ? 5 : 13;

	return n < 40 ? seed == 1 : ((size_t) kind + 5 * index + (size_t) seed) % share == 0;
#else
	(void) index, (void) seed;
	return n < 100000 || kind % 3 == 1;
#endif
}

/* Products of -0 alone are -0, and of one row that is not, not. */
static void
test_negative_zeros()
{
	for (size_t n : {(size_t) 1, (size_t) 100, (size_t) 5000})
		for (bool odd : {false, true})
		{
			std::vector<double> x(n, -0.0), y(n, 3.0);
			bool ok;

			if (odd)
				y[n / 2] = -3;
			const GpuredAcc acc = launch(gpured_launch_reduce_dot_float8, x, &y, &ok);

			report(ok && is_right(GPURED_MOMENTS_DOT, x.data(), y.data(), n, &acc.v.sums),
				   "dot_float8", DATA_NEGATIVE_ZERO, DATA_CENTS, n);
		}
}

/*
 * Values at the edges of what a window takes: few bits far below the largest,
 * and products whose two parts meet in one digit.
 */
static void
test_edges(int seed)
{
	for (int variant = 0; variant < 6; variant++)
	{
		const size_t n = 3000;
		std::vector<double> x(n), y(n);
		bool ok;

		for (size_t i = 0; i < n; i++)
		{
			const uint64_t h = data_hash(10007 * (size_t) seed + n * (size_t) variant + i);
			const int bits = (int) (h % 53), down = (int) (h >> 8) % 80;
			const double mantissa = (double) ((h >> 11 | 1) & (((uint64_t) 2 << bits) - 1));

			x[i] = std::ldexp(mantissa, -bits - (variant < 3 ? down : down % 20));
			y[i] = std::ldexp((h >> 20 & 1) != 0 ? mantissa : -3,
							  variant % 3 * -30 - (int) (h >> 40) % 60);
		}
		const GpuredAcc one = launch(gpured_launch_reduce_moments_float8, x,
									 (const std::vector<double> *) nullptr, &ok);

		report(ok && is_right(GPURED_MOMENTS_ONE, x.data(), y.data(), n, &one.v.sums),
			   "moments_float8, edges", variant, variant, n);
		const GpuredAcc two = launch(gpured_launch_reduce_pair_moments_float8, x, &y, &ok);

		report(ok && is_right(GPURED_MOMENTS_TWO, x.data(), y.data(), n, &two.v.sums),
			   "pair_moments_float8, edges", variant, variant, n);
	}
}

int
main(int argc, char **argv)
{
	const int seeds = read_arguments(argc, argv, 1, 2);

	for (int seed = 1; seed <= seeds; seed++)
	{
		const std::vector<size_t> all = sizes();

		for (size_t index = 0; index < all.size(); index++)
			for (int kind = 0; kind < DATA_KINDS; kind++)
				if (is_due(all[index], index, kind, seed))
				{
					scheduler(seed * 1000 + (int) index * 20 + kind);
					test_all(kind, all[index]);
				}
		scheduler(seed);
		test_negative_zeros();
		test_edges(seed);
	}
	return print_counts();
}

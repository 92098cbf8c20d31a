/*
 * data.h
 *	  Kinds of data for tests and benchmarks: value i of n, without a state, so
 *	  that any thread can make it.
 */
#ifndef GPURED_TEST_DATA_H
#define GPURED_TEST_DATA_H

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#ifdef __CUDACC__
#define DATA_HD __host__ __device__
#else
#define DATA_HD
#endif

enum DataKind
{
	DATA_UNIFORM,    /* [0, 1) */
	DATA_NORMAL,     /* mean 0, deviation 1 */
	DATA_CENTS,      /* amounts of money */
	DATA_WIDE,       /* exponents over most of the range, both signs */
	DATA_CANCELLING, /* large values and their negatives, small ones between */
	DATA_BITS,       /* any finite bit pattern */
	DATA_SUBNORMAL,
	DATA_HUGE,          /* sums beyond the largest value and back */
	DATA_ZEROS_FIRST,   /* mostly zeros, then normal */
	DATA_ALTERNATING,   /* prefixes on both sides of zero */
	DATA_NEGATIVE_ZERO, /* all -0 */
	DATA_ZEROS,         /* -0, and +0 somewhere */
	DATA_INFINITY,      /* normal with one +Infinity */
	DATA_SPECIAL,       /* normal with NaN and infinities */
	DATA_KINDS
};

static const char *const data_kind_name[DATA_KINDS] = {
	"uniform", "normal",      "cents",       "wide",          "cancelling", "bits",     "subnormal",
	"huge",    "zeros first", "alternating", "negative zero", "zeros",      "infinity", "special"};

static DATA_HD inline uint64_t
data_hash(uint64_t z)
{
	/* splitmix64 */
	z += 0x9e3779b97f4a7c15u;
	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
	return z ^ (z >> 31);
}

static DATA_HD inline double
data_double(uint64_t bits)
{
	double x;

	memcpy(&x, &bits, sizeof(x));
	return x;
}

static DATA_HD inline float
data_float(uint32_t bits)
{
	float x;

	memcpy(&x, &bits, sizeof(x));
	return x;
}

static DATA_HD inline double
data_uniform(uint64_t h)
{
	return (double) (h >> 11) * 0x1p-53;
}

static DATA_HD inline double
data_normal(uint64_t h)
{
	const double u = ((double) (h >> 11) + 0.5) * 0x1p-53;

	return sqrt(-2.0 * log(u)) * cos(6.283185307179586 * data_uniform(data_hash(h)));
}

/* Kinds that are the same for both float types but for the parameters. */
template <class T>
static DATA_HD inline T
data_common(int kind, size_t i, size_t n, uint64_t h, T biggest, T tiny)
{
	const T infinity = biggest * 2;

	switch (kind)
	{
		case DATA_UNIFORM:
			return (T) data_uniform(h & ~(uint64_t) 0xffffffff);
		case DATA_NORMAL:
			return (T) data_normal(h);
		case DATA_CENTS:
			return (T) ((double) (h % 1000000) / 100.0);
		case DATA_CANCELLING:
		{
			const size_t j = i < n - 1 - i ? i : n - 1 - i;
			const double v = data_normal(data_hash(j)) *
							 data_double((uint64_t) (1023 - 20 + (int) (j % 41)) << 52);

			if (i % 61 == 13 || i == j)
				return (T) (i % 61 == 13 ? data_uniform(h) * 0x1p-40 : v);
			return (n - 1 - i) % 61 == 13 ? T(0) : (T) -v;
		}
		case DATA_HUGE:
			return i % 3 == 2 ? -biggest : i % 97 == 0 ? tiny : biggest;
		case DATA_ZEROS_FIRST:
			return i < n - n / 4 ? T(0) : (T) data_normal(h);
		case DATA_ALTERNATING:
			return (T) ((i % 2 == 0 ? 1 : -1) * (1.0 + (double) (h % 5)) *
						(i % 7 == 0 ? 0x1p-30 : 1.0));
		case DATA_NEGATIVE_ZERO:
			return -T(0);
		case DATA_ZEROS:
			return i == (n * 2) / 3 ? T(0) : -T(0);
		case DATA_INFINITY:
			return i == n / 2 ? infinity : (T) data_normal(h);
		default:
			switch (h % 701)
			{
				case 0:
					return i > n / 2 ? infinity - infinity : T(1);
				case 1:
					return infinity;
				case 2:
					return i > n / 3 ? -infinity : T(2);
			}
			return (T) data_normal(h);
	}
}

static DATA_HD inline void
data_value(double *x, int kind, size_t i, size_t n)
{
	const uint64_t h = data_hash(2 * i + 1);
	const uint64_t g = data_hash(h);

	if (kind == DATA_WIDE)
		*x = data_double((h & 0x800fffffffffffffu) | (uint64_t) (1023 - 300 + (int) (g % 601))
														 << 52);
	else if (kind == DATA_BITS)
		*x = data_double((h & 0x800fffffffffffffu) | g % 2047 << 52);
	else if (kind == DATA_SUBNORMAL)
		*x = data_double((h & 0x800fffffffffffffu) | (g & 1) << 52);
	else
		*x = data_common<double>(kind, i, n, h, data_double(0x7fefffffffffffffu), data_double(1));
}

static DATA_HD inline void
data_value(float *x, int kind, size_t i, size_t n)
{
	const uint64_t h = data_hash(2 * i + 1);
	const uint64_t g = data_hash(h);

	if (kind == DATA_WIDE)
		*x = data_float(((uint32_t) h & 0x807fffffu) | (uint32_t) (127 - 60 + (int) (g % 121))
														   << 23);
	else if (kind == DATA_BITS)
		*x = data_float(((uint32_t) h & 0x807fffffu) | (uint32_t) (g % 255) << 23);
	else if (kind == DATA_SUBNORMAL)
		*x = data_float(((uint32_t) h & 0x807fffffu) | (uint32_t) (g & 1) << 23);
	else
		*x = data_common<float>(kind, i, n, h, data_float(0x7f7fffffu), data_float(1));
}

/* Integers: any, or the extremes, by kind. */
template <class T>
static DATA_HD inline void
data_value(T *x, int kind, size_t i, size_t)
{
	const uint64_t h = data_hash(2 * i + 1);
	const T least = (T) ((uint64_t) 1 << (8 * sizeof(T) - 1));

	switch (kind)
	{
		case DATA_UNIFORM:
			*x = (T) h;
			break;
		case DATA_NORMAL:
			*x = (T) (h % 2001) - 1000;
			break;
		case DATA_CENTS:
			*x = least;
			break;
		case DATA_WIDE:
			*x = (T) ~least;
			break;
		default:
			*x = h % 3 == 0 ? least : (T) (h >> 32);
	}
}

/* All of an array, on the host. */
template <class T>
static inline std::vector<T>
data_values(int kind, size_t n)
{
	std::vector<T> x(n);

	for (size_t i = 0; i < n; i++)
		data_value(&x[i], kind, i, n);
	return x;
}

/* Integers have fewer kinds. */
#define DATA_INTEGER_KINDS 5

#endif /* GPURED_TEST_DATA_H */

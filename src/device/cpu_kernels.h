/*
 * cpu_kernels.h
 *	  The CPU device's loops over a batch, for one instruction set.
 *
 * There is no include guard: cpu_plain.c, cpu_avx2.c and cpu_avx512.c each
 * include this file once, after defining
 *
 *		KERNELS			the name of the table, gpured_cpu_avx2
 *		KERNELS_NAME	its name in words, "avx2"
 *		KERNELS_TARGET	the attribute that lets the compiler use it
 *		VECTOR_BYTES	the size of a vector
 *
 * The loops are written over the compiler's vector types, so that they are
 * vectorized at any level of optimization and are the same source on every
 * processor.  Products of floats are exact only if no compiler fuses them with
 * additions: -ffp-contract=off sees to that.
 */
#include <string.h>
#if VECTOR_BYTES > 16
#include <immintrin.h>
#endif

#include "device/cpu.h"

#define KERNEL			static KERNELS_TARGET
#define LANES(ctype)	(VECTOR_BYTES / sizeof(ctype))

typedef int16_t VInt2 __attribute__((vector_size(VECTOR_BYTES)));
typedef int32_t VInt4 __attribute__((vector_size(VECTOR_BYTES)));
typedef int64_t VInt8 __attribute__((vector_size(VECTOR_BYTES)));
typedef uint32_t VUInt4 __attribute__((vector_size(VECTOR_BYTES)));
typedef uint64_t VUInt8 __attribute__((vector_size(VECTOR_BYTES)));
typedef float VFloat4 __attribute__((vector_size(VECTOR_BYTES)));
typedef double VFloat8 __attribute__((vector_size(VECTOR_BYTES)));

/* Half a vector, to be widened to a whole one. */
typedef int16_t HalfInt2 __attribute__((vector_size(VECTOR_BYTES / 2)));
typedef int32_t HalfInt4 __attribute__((vector_size(VECTOR_BYTES / 2)));
typedef float HalfFloat4 __attribute__((vector_size(VECTOR_BYTES / 2)));

#define LOAD(vector, pointer) memcpy(&(vector), (pointer), sizeof(vector))

/* Choose by a mask: a where it is set, b elsewhere. */
#define CHOOSE(mask, a, b) (((a) & (mask)) | ((b) & ~(mask)))

/*
 * Lanes of 32 bits take 2^15 values of 16 bits without overflow; then they are
 * widened.
 */
KERNEL int64_t
sum_int2(const int16_t *x, size_t n)
{
	const size_t lanes = LANES(int32_t);
	int64_t		total = 0;
	size_t		i = 0;

	while (n - i >= 2 * lanes)
	{
		size_t		left = (n - i) / (2 * lanes);
		size_t		stop = i + (left < 32768 ? left : 32768) * 2 * lanes;
		VInt4		a = {0};
		VInt4		b = {0};

		for (; i < stop; i += 2 * lanes)
		{
			HalfInt2	u;
			HalfInt2	v;

			LOAD(u, x + i);
			LOAD(v, x + i + lanes);
			a += __builtin_convertvector(u, VInt4);
			b += __builtin_convertvector(v, VInt4);
		}
		for (size_t j = 0; j < lanes; j++)
			total += (int64_t) a[j] + b[j];
	}
	for (; i < n; i++)
		total += x[i];
	return total;
}

KERNEL int64_t
sum_int4(const int32_t *x, size_t n)
{
	const size_t lanes = LANES(int64_t);
	VInt8		a = {0};
	VInt8		b = {0};
	int64_t		total = 0;
	size_t		i = 0;

	for (; n - i >= 2 * lanes; i += 2 * lanes)
	{
		HalfInt4	u;
		HalfInt4	v;

		LOAD(u, x + i);
		LOAD(v, x + i + lanes);
		a += __builtin_convertvector(u, VInt8);
		b += __builtin_convertvector(v, VInt8);
	}
	for (size_t j = 0; j < lanes; j++)
		total += a[j] + b[j];
	for (; i < n; i++)
		total += x[i];
	return total;
}

/*
 * The halves of 32 bits are summed apart, after a bias of 2^63 that makes them
 * unsigned: 2^32 values fit in a lane.
 */
KERNEL GpuredInt128
sum_int8(const int64_t *x, size_t n)
{
	const size_t lanes = LANES(int64_t);
	const uint64_t bias = UINT64_C(1) << 63;
	__int128	total = 0;
	GpuredInt128 result;
	size_t		i = 0;

	while (n - i >= lanes)
	{
		size_t		left = (n - i) / lanes;
		size_t		stop = i + (left < UINT32_MAX ? left : UINT32_MAX) * lanes;
		size_t		start = i;
		VUInt8		low = {0};
		VUInt8		high = {0};

		for (; i < stop; i += lanes)
		{
			VUInt8		v;

			LOAD(v, x + i);
			low += v & UINT32_MAX;
			high += (v ^ bias) >> 32;
		}
		for (size_t j = 0; j < lanes; j++)
			total += ((__int128) high[j] << 32) + low[j];
		total -= (__int128) (i - start) << 63;
	}
	for (; i < n; i++)
		total += x[i];
	result.lo = (uint64_t) total;
	result.hi = (int64_t) (total >> 64);
	return result;
}

/*
 * Integers folded into one, in any order: "lanes" of two vectors, "pair" of two
 * numbers.
 */
#define FOLD(name, ctype, vtype, lanes, pair) \
KERNEL int64_t \
name(const ctype *x, size_t n) \
{ \
	const size_t width = LANES(ctype); \
	ctype		result = x[0]; \
	size_t		i = 1; \
	if (n >= 2 * width) \
	{ \
		vtype		a; \
		vtype		b; \
		LOAD(a, x); \
		LOAD(b, x + width); \
		for (i = 2 * width; n - i >= 2 * width; i += 2 * width) \
		{ \
			vtype		u; \
			vtype		v; \
			LOAD(u, x + i); \
			LOAD(v, x + i + width); \
			a = lanes(a, u); \
			b = lanes(b, v); \
		} \
		a = lanes(a, b); \
		result = a[0]; \
		for (size_t j = 1; j < width; j++) \
			result = (ctype) pair(result, a[j]); \
	} \
	for (; i < n; i++) \
		result = (ctype) pair(result, x[i]); \
	return result; \
}

#define FOLD_INTEGERS(name, lanes, pair) \
FOLD(name##_int2, int16_t, VInt2, lanes, pair) \
FOLD(name##_int4, int32_t, VInt4, lanes, pair) \
FOLD(name##_int8, int64_t, VInt8, lanes, pair)

#define LESSER_LANES(a, b)	CHOOSE((b) < (a), b, a)
#define LESSER(a, b)		((b) < (a) ? (b) : (a))
#define GREATER_LANES(a, b) CHOOSE((b) > (a), b, a)
#define GREATER(a, b)		((b) > (a) ? (b) : (a))
#define BIT_AND(a, b)		((a) & (b))
#define BIT_OR(a, b)		((a) | (b))
#define BIT_XOR(a, b)		((a) ^ (b))

FOLD_INTEGERS(min, LESSER_LANES, LESSER)
FOLD_INTEGERS(max, GREATER_LANES, GREATER)
FOLD_INTEGERS(bit_and, BIT_AND, BIT_AND)
FOLD_INTEGERS(bit_or, BIT_OR, BIT_OR)
FOLD_INTEGERS(bit_xor, BIT_XOR, BIT_XOR)

/*
 * Least or greatest of floats.  Comparisons leave out NaN, which is greatest of
 * all, and do not tell -0 from +0: "worst", the infinity that anything else
 * beats, and a result of zero are looked at again.
 */
#define EXTREME_FLOAT(name, ctype, vtype, itype, better, worst, is_max) \
KERNEL double \
name(const ctype *x, size_t n) \
{ \
	const size_t lanes = LANES(ctype); \
	ctype		result = (worst); \
	bool		nan = false; \
	size_t		i = 0; \
	if (n >= 2 * lanes) \
	{ \
		vtype		a; \
		vtype		b; \
		itype		unordered = {0}; \
		for (size_t j = 0; j < lanes; j++) \
			a[j] = b[j] = (worst); \
		for (; n - i >= 2 * lanes; i += 2 * lanes) \
		{ \
			vtype		u; \
			vtype		v; \
			LOAD(u, x + i); \
			LOAD(v, x + i + lanes); \
			a = (vtype) CHOOSE(u better a, (itype) u, (itype) a); \
			b = (vtype) CHOOSE(v better b, (itype) v, (itype) b); \
			unordered |= (u != u) | (v != v); \
		} \
		for (size_t j = 0; j < lanes; j++) \
		{ \
			result = a[j] better result ? a[j] : result; \
			result = b[j] better result ? b[j] : result; \
			nan |= unordered[j] != 0; \
		} \
	} \
	for (; i < n; i++) \
	{ \
		result = x[i] better result ? x[i] : result; \
		nan |= x[i] != x[i]; \
	} \
	return settle_##ctype(x, n, result, nan, is_max); \
}

/*
 * The answer from the best value among those that are not NaN (or the worst
 * infinity if there are none).  Returns any NaN; the caller canonicalizes it.
 */
#define SETTLE_FLOAT(ctype) \
static double \
settle_##ctype(const ctype *x, size_t n, ctype best, bool nan, bool is_max) \
{ \
	if (nan && is_max) \
		return (double) __builtin_nan(""); \
	if (nan && best == (ctype) __builtin_inf()) \
	{ \
		for (size_t i = 0; i < n; i++) \
		{ \
			if (x[i] == x[i]) \
				return best; \
		} \
		return (double) __builtin_nan(""); \
	} \
	if (best == 0) \
	{ \
		for (size_t i = 0; i < n; i++) \
		{ \
			if (x[i] == 0 && !__builtin_signbit(x[i]) == is_max) \
				return is_max ? 0.0 : -0.0; \
		} \
		return is_max ? -0.0 : 0.0; \
	} \
	return best; \
}

SETTLE_FLOAT(float)
SETTLE_FLOAT(double)

EXTREME_FLOAT(min_float4, float, VFloat4, VInt4, <, __builtin_inff(), false)
EXTREME_FLOAT(min_float8, double, VFloat8, VInt8, <, __builtin_inf(), false)
EXTREME_FLOAT(max_float4, float, VFloat4, VInt4, >, -__builtin_inff(), true)
EXTREME_FLOAT(max_float8, double, VFloat8, VInt8, >, -__builtin_inf(), true)

/*
 * Processors fetch ahead within a page, and out of order as far as instructions
 * are few; a block's are many.  At most two cache lines; the addresses may be
 * beyond the batch.
 */
#define FETCH_AHEAD		8192

static GPURED_ALWAYS_INLINE void
fetch_ahead(const void *x, size_t bytes)
{
	__builtin_prefetch((const char *) x + FETCH_AHEAD);
	if (bytes > 64)
		__builtin_prefetch((const char *) x + FETCH_AHEAD + 64);
}

/*
 * One vector of a block.  Adding magic[l] rounds what is left of a value to a
 * multiple of the unit of digit l; the bits of the sums, taken as integers, are
 * summed.
 *
 * The exponent of the first sum is that of the magic number unless the value is
 * too large for the grid, or NaN: bits 52 to 63 of "range" say so.  What the last
 * digit cannot take shows in the bits of "left"; bit 63 is only of zeros that
 * differ in their sign.
 */
#define CUT_VECTOR(v) \
	do { \
		VFloat8		rest_ = (v); \
		VFloat8		t_ = rest_ + magic0; \
		VFloat8		digit_ = t_ - magic0; \
		sum0 += (VUInt8) t_; \
		range |= (VUInt8) t_ ^ (VUInt8) magic0; \
		rest_ -= digit_; \
		t_ = rest_ + magic1; \
		digit_ = t_ - magic1; \
		sum1 += (VUInt8) t_; \
		if (three) \
		{ \
			rest_ -= digit_; \
			t_ = rest_ + magic2; \
			digit_ = t_ - magic2; \
			sum2 += (VUInt8) t_; \
		} \
		left |= (VUInt8) digit_ ^ (VUInt8) rest_; \
	} while (0)

/*
 * Modulo 2^64 the sum of the bits less that of the magic numbers' bits is the
 * sum of the digits, which is far below 2^63.
 */
KERNEL		GPURED_ALWAYS_INLINE int64_t
digit_sum(VUInt8 sum_of_bits, double magic)
{
	uint64_t	magic_bits;
	uint64_t	total = 0;

	memcpy(&magic_bits, &magic, sizeof(magic_bits));
	for (size_t j = 0; j < LANES(double); j++)
		total += sum_of_bits[j];
	return (int64_t) (total - GPURED_CPU_BLOCK * magic_bits);
}

/* A whole block, of two digits or of three. */
#define DIGITS(name, ctype, load) \
KERNEL GPURED_ALWAYS_INLINE bool \
name##_body(const ctype *x, const GpuredDigits *d, const bool three, int64_t *result) \
{ \
	const size_t lanes = LANES(double); \
	const VFloat8 zero = {0}; \
	const VFloat8 magic0 = zero + d->magic[0]; \
	const VFloat8 magic1 = zero + d->magic[1]; \
	const VFloat8 magic2 = zero + (three ? d->magic[2] : 0); \
	VUInt8		sum0 = {0}; \
	VUInt8		sum1 = {0}; \
	VUInt8		sum2 = {0}; \
	VUInt8		range = {0}; \
	VUInt8		left = {0}; \
	bool		fits = true; \
	for (size_t i = 0; i < GPURED_CPU_BLOCK; i += 2 * lanes) \
	{ \
		VFloat8		a; \
		VFloat8		b; \
		fetch_ahead(x + i, 2 * lanes * sizeof(ctype)); \
		load(a, x + i); \
		load(b, x + i + lanes); \
		CUT_VECTOR(a); \
		CUT_VECTOR(b); \
	} \
	result[0] = digit_sum(sum0, d->magic[0]); \
	result[1] = digit_sum(sum1, d->magic[1]); \
	if (three) \
		result[2] = digit_sum(sum2, d->magic[2]); \
	for (size_t j = 0; j < lanes; j++) \
		fits &= range[j] >> 52 == 0 && left[j] << 1 == 0; \
	return fits; \
}

#define LOAD_WIDENED(vector, pointer) \
	do { \
		HalfFloat4	half_; \
		LOAD(half_, pointer); \
		(vector) = __builtin_convertvector(half_, VFloat8); \
	} while (0)

DIGITS(digits_float4, float, LOAD_WIDENED)
DIGITS(digits_float8, double, LOAD)

#define GREATEST_BELOW(name, ctype, load) \
KERNEL double \
name(const ctype *x, double limit) \
{ \
	const size_t lanes = LANES(double); \
	const VFloat8 bound = (VFloat8) {0} + limit; \
	VFloat8		greatest = {0}; \
	double		result = 0; \
	for (size_t i = 0; i < GPURED_CPU_BLOCK; i += lanes) \
	{ \
		VFloat8		v; \
		VInt8		bits; \
		load(v, x + i); \
		bits = (VInt8) v & INT64_MAX; \
		v = (VFloat8) (bits & ((VFloat8) bits < bound)); \
		greatest = (VFloat8) CHOOSE(v > greatest, (VInt8) v, (VInt8) greatest); \
	} \
	for (size_t j = 0; j < lanes; j++) \
		result = greatest[j] > result ? greatest[j] : result; \
	return result; \
}

GREATEST_BELOW(greatest_float4, float, LOAD_WIDENED)
GREATEST_BELOW(greatest_float8, double, LOAD)

/* Least and greatest of unsigned lanes; all processors but the oldest have it. */
#if VECTOR_BYTES == 64
#define LEAST(a, b)		((VUInt4) _mm512_min_epu32((__m512i) (a), (__m512i) (b)))
#define GREATEST(a, b)	((VUInt4) _mm512_max_epu32((__m512i) (a), (__m512i) (b)))
#elif VECTOR_BYTES == 32
#define LEAST(a, b)		((VUInt4) _mm256_min_epu32((__m256i) (a), (__m256i) (b)))
#define GREATEST(a, b)	((VUInt4) _mm256_max_epu32((__m256i) (a), (__m256i) (b)))
#else
#define LEAST(a, b)		CHOOSE((VUInt4) ((a) < (b)), a, b)
#define GREATEST(a, b)	CHOOSE((VUInt4) ((a) > (b)), a, b)
#endif

/*
 * One digit takes 24 bits at 28 exponents.  Whether all of a block's floats are
 * within is seen in the floats themselves, twice as many at a time: the least of
 * those that are not zero, and the greatest.
 */
KERNEL bool
one_digit_float4(const float *x, const GpuredDigits *d, int64_t *result)
{
	const size_t lanes = LANES(double);
	const		VFloat8 magic = (VFloat8) {0} +d->magic[0];
	VUInt8		sum0 = {0};
	VUInt8		sum1 = {0};
	VUInt4		greatest = {0};
	VUInt4		least = (VUInt4) {0} -1;	/* and less 1: zero is not the
											 * least */
	bool		fits = true;

	for (size_t i = 0; i < GPURED_CPU_BLOCK; i += 2 * lanes)
	{
		VUInt4		bits;
		VFloat8		low;
		VFloat8		high;

		fetch_ahead(x + i, 2 * lanes * sizeof(float));
		LOAD(bits, x + i);
		LOAD_WIDENED(low, x + i);
		LOAD_WIDENED(high, x + i + lanes);
		bits &= INT32_MAX;
		greatest = GREATEST(bits, greatest);
		least = LEAST(bits - 1, least);
		sum0 += (VUInt8) (low + magic);
		sum1 += (VUInt8) (high + magic);
	}
	for (size_t j = 0; j < 2 * lanes; j++)
		fits &= greatest[j] < d->greatest && least[j] >= d->least;
	result[0] = digit_sum(sum0 + sum1, d->magic[0]);
	return fits;
}

KERNEL bool
digits_float4(const float *x, const GpuredDigits *d, int64_t *sum)
{
	if (d->n == 1)
		return one_digit_float4(x, d, sum);
	return d->n == 3 ? digits_float4_body(x, d, true, sum) : digits_float4_body(x, d, false, sum);
}

KERNEL bool
digits_float8(const double *x, const GpuredDigits *d, int64_t *sum)
{
	return d->n == 3 ? digits_float8_body(x, d, true, sum) : digits_float8_body(x, d, false, sum);
}

/*
 * Squares of int2 are summed in halves of 16 bits, in lanes of 32: enough for
 * 2^15 values.
 */
KERNEL GpuredIntMoments
moments_int2(const int16_t *x, size_t n)
{
	const size_t lanes = LANES(int32_t);
	int64_t		sum = 0;
	uint64_t	square = 0;
	size_t		i = 0;

	while (n - i >= lanes)
	{
		size_t		left = (n - i) / lanes;
		size_t		stop = i + (left < 32768 ? left : 32768) * lanes;
		VInt4		a = {0};
		VInt4		low = {0};
		VInt4		high = {0};

		for (; i < stop; i += lanes)
		{
			HalfInt2	half;
			VInt4		v;

			LOAD(half, x + i);
			v = __builtin_convertvector(half, VInt4);
			a += v;
			v *= v;
			low += v & 0xffff;
			high += v >> 16;
		}
		for (size_t j = 0; j < lanes; j++)
		{
			sum += a[j];
			square += ((uint64_t) high[j] << 16) + (uint64_t) low[j];
		}
	}
	for (; i < n; i++)
	{
		sum += x[i];
		square += (uint64_t) ((int64_t) x[i] * x[i]);
	}
	return (GpuredIntMoments)
	{
		{
			(uint64_t) sum, sum >> 63
		},
		{
			square, 0, 0
		}
	};
}

/* Sums of the halves of 64-bit lanes: 2^32 values fit. */
KERNEL		GPURED_ALWAYS_INLINE void
add_halves(VUInt8 v, VUInt8 * low, VUInt8 * high)
{
	*low += v & UINT32_MAX;
	*high += v >> 32;
}

KERNEL		GPURED_ALWAYS_INLINE __int128
sum_of_halves(VUInt8 low, VUInt8 high)
{
	__int128	total = 0;

	for (size_t j = 0; j < LANES(int64_t); j++)
		total += ((__int128) high[j] << 32) + low[j];
	return total;
}

static inline GpuredIntMoments
int_moments(__int128 sum, const uint64_t *square)
{
	return (GpuredIntMoments)
	{
		{
			(uint64_t) sum, (int64_t) (sum >> 64)
		},
		{
			square[0], square[1], square[2]
		}
	};
}

KERNEL GpuredIntMoments
moments_int4(const int32_t *x, size_t n)
{
	const size_t lanes = LANES(int64_t);
	VInt8		a = {0};
	VUInt8		low = {0};
	VUInt8		high = {0};
	int64_t		sum = 0;
	uint64_t	square[3] = {0};
	size_t		i = 0;

	for (; n - i >= lanes; i += lanes)
	{
		HalfInt4	half;
		VInt8		v;

		LOAD(half, x + i);
		v = __builtin_convertvector(half, VInt8);
		a += v;
		add_halves((VUInt8) (v * v), &low, &high);
	}
	for (size_t j = 0; j < lanes; j++)
		sum += a[j];
	gpured_digits_add(square, 3, sum_of_halves(low, high), 0);
	for (; i < n; i++)
	{
		sum += x[i];
		gpured_digits_add(square, 3, (int64_t) x[i] * x[i], 0);
	}
	return int_moments(sum, square);
}

/*
 * The square of (a 2^32 + b) is a^2 2^64 + ab 2^33 + b^2.  Values are biased for
 * their sum, see sum_int8.
 */
KERNEL GpuredIntMoments
moments_int8(const int64_t *x, size_t n)
{
	const size_t lanes = LANES(int64_t);
	const uint64_t bias = UINT64_C(1) << 63;
	__int128	sum = 0;
	uint64_t	square[5] = {0};
	size_t		i = 0;

	while (n - i >= lanes)
	{
		size_t		left = (n - i) / lanes;
		size_t		stop = i + (left < UINT32_MAX ? left : UINT32_MAX) * lanes;
		size_t		start = i;
		VUInt8		low[4] = {{0}, {0}, {0}, {0}};
		VUInt8		high[4] = {{0}, {0}, {0}, {0}};

		for (; i < stop; i += lanes)
		{
			VInt8		v;
			VUInt8		sign;
			VUInt8		a;
			VUInt8		b;

			LOAD(v, x + i);
			add_halves((VUInt8) v ^ bias, &low[0], &high[0]);
			sign = (VUInt8) (v >> 63);
			b = ((VUInt8) v ^ sign) - sign;
			a = b >> 32;
			b &= UINT32_MAX;
			add_halves(b * b, &low[1], &high[1]);
			add_halves(a * b, &low[2], &high[2]);
			add_halves(a * a, &low[3], &high[3]);
		}
		sum += sum_of_halves(low[0], high[0]) - ((__int128) (i - start) << 63);
		gpured_digits_add(square, 5, sum_of_halves(low[1], high[1]), 0);
		gpured_digits_add(square, 5, sum_of_halves(low[2], high[2]), 33);
		gpured_digits_add(square, 5, sum_of_halves(low[3], high[3]), 64);
	}
	for (; i < n; i++)
	{
		sum += x[i];
		gpured_digits_add(square, 5, (__int128) x[i] * x[i], 0);
	}
	return int_moments(sum, square);
}

/* One vector of values and its digits: see cut_vector. */
KERNEL		GPURED_ALWAYS_INLINE void
cut_values(VFloat8 v, const VFloat8 * magic, VFloat8 bound, VUInt8 * sum, VInt8 * good)
{
	VFloat8		t = v + magic[0];
	VFloat8		rest = v - (t - magic[0]);

	*good &= (VFloat8) ((VInt8) v & INT64_MAX) < bound;
	sum[0] += (VUInt8) t;
	t = rest + magic[1];
	sum[1] += (VUInt8) t;
	*good &= (t - magic[1]) == rest;
}

/* A value as the sum of two that have 26 bits each. */
typedef struct Halves
{
	VFloat8		high;
	VFloat8		low;
} Halves;

KERNEL		GPURED_ALWAYS_INLINE Halves
halves_of(VFloat8 v)
{
	VFloat8		t = v * 134217729.0;
	Halves		h;

	h.high = t - (t - v);
	h.low = v - h.high;
	return h;
}

/* One vector of products and its digits: see cpu_moments.c. */
KERNEL		GPURED_ALWAYS_INLINE void
cut_products(VFloat8 x, VFloat8 y, Halves a, Halves b, const VFloat8 * magic, VUInt8 * sum)
{
	VFloat8		h = x * y;
	VFloat8		l = a.low * b.low - (((h - a.high * b.high) - a.low * b.high) - a.high * b.low);
	VFloat8		t = h + magic[0];
	VFloat8		rest = h - (t - magic[0]);
	VFloat8		both;

	sum[0] += (VUInt8) t;
	t = rest + magic[1];
	l += rest - (t - magic[1]);
	both = t + l;
	sum[1] += (VUInt8) both;
	l -= both - t;
	sum[2] += (VUInt8) (l + magic[2]);
}

/* Put the sums of a digit's lanes into *result, less the magic number's own part. */
KERNEL		GPURED_ALWAYS_INLINE void
collect_digit(VUInt8 lanes, double magic, int64_t *result)
{
	uint64_t	sum = 0;
	uint64_t	magic_bits;

	memcpy(&magic_bits, &magic, sizeof(magic_bits));
	for (size_t j = 0; j < LANES(double); j++)
		sum += lanes[j];
	*result = (int64_t) (sum - GPURED_CPU_BLOCK * magic_bits);
}

/*
 * A whole block.  Which sums there are is constant: those of x and xx, of y and
 * yy, and of xy.  A dot product needs x and y to fit, but not their sums.
 */
#define MOMENTS(name, ctype, load) \
KERNEL GPURED_ALWAYS_INLINE bool \
name##_body(const ctype *x, const ctype *y, const GpuredMomentGrid *g, bool one, bool two, \
			int64_t *result) \
{ \
	const size_t lanes = LANES(double); \
	VFloat8		zero = {0}; \
	VFloat8		magic[2][2]; \
	VFloat8		product_magic[3][3]; \
	VUInt8		sum[2][2]; \
	VUInt8		product[3][3]; \
	VInt8		good = (VInt8) {0} == 0; \
	bool		fits = true; \
	for (int i = 0; i < 2; i++) \
	{ \
		for (int d = 0; d < 2; d++) \
		{ \
			magic[i][d] = zero + g->magic[i][d]; \
			sum[i][d] = (VUInt8) zero; \
		} \
	} \
	for (int p = 0; p < 3; p++) \
	{ \
		for (int d = 0; d < 3; d++) \
		{ \
			product_magic[p][d] = zero + g->product_magic[p][d]; \
			product[p][d] = (VUInt8) zero; \
		} \
	} \
	for (size_t i = 0; i < GPURED_CPU_BLOCK; i += lanes) \
	{ \
		VFloat8		u; \
		VFloat8		v; \
		Halves		a; \
		Halves		b; \
		load(u, x + i); \
		a = halves_of(u); \
		cut_values(u, magic[0], zero + g->bound[0], sum[0], &good); \
		if (one || two) \
			cut_products(u, u, a, a, product_magic[0], product[0]); \
		if (one) \
			continue; \
		load(v, y + i); \
		b = halves_of(v); \
		cut_values(v, magic[1], zero + g->bound[1], sum[1], &good); \
		if (two) \
			cut_products(v, v, b, b, product_magic[1], product[1]); \
		cut_products(u, v, a, b, product_magic[2], product[2]); \
	} \
	for (int i = 0; i < 2; i++) \
	{ \
		for (int d = 0; d < 2; d++) \
			collect_digit(sum[i][d], g->magic[i][d], result++); \
	} \
	for (int p = 0; p < 3; p++) \
	{ \
		for (int d = 0; d < 3; d++) \
			collect_digit(product[p][d], g->product_magic[p][d], result++); \
	} \
	for (size_t j = 0; j < lanes; j++) \
		fits &= good[j] != 0; \
	return fits; \
}

MOMENTS(moments_float4, float, LOAD_WIDENED)
MOMENTS(moments_float8, double, LOAD)

KERNEL bool
moments_float4(const float *x, const GpuredMomentGrid *g, int64_t *sum)
{
	return moments_float4_body(x, x, g, true, false, sum);
}

KERNEL bool
moments_float8(const double *x, const GpuredMomentGrid *g, int64_t *sum)
{
	return moments_float8_body(x, x, g, true, false, sum);
}

KERNEL bool
pair_moments(const double *x, const double *y, const GpuredMomentGrid *g, int64_t *sum)
{
	return moments_float8_body(x, y, g, false, true, sum);
}

KERNEL bool
dot(const double *x, const double *y, const GpuredMomentGrid *g, int64_t *sum)
{
	return moments_float8_body(x, y, g, false, false, sum);
}

/* Two vectors as pairs: a[0], b[0], a[1], b[1] and so on. */
#if VECTOR_BYTES == 64
#define INTERLEAVE_LOW(a, b)  __builtin_shufflevector(a, b, 0, 8, 1, 9, 2, 10, 3, 11)
#define INTERLEAVE_HIGH(a, b) __builtin_shufflevector(a, b, 4, 12, 5, 13, 6, 14, 7, 15)
#elif VECTOR_BYTES == 32
#define INTERLEAVE_LOW(a, b)  __builtin_shufflevector(a, b, 0, 4, 1, 5)
#define INTERLEAVE_HIGH(a, b) __builtin_shufflevector(a, b, 2, 6, 3, 7)
#else
#define INTERLEAVE_LOW(a, b)  __builtin_shufflevector(a, b, 0, 2)
#define INTERLEAVE_HIGH(a, b) __builtin_shufflevector(a, b, 1, 3)
#endif

/*
 * The digits of one vector of values, stored in pairs.  Lanes of what does not fit
 * are cleared in good, lanes of -0 are set in negative_zero.  A macro, and no
 * arrays: compilers would keep them in memory.
 */
#define CUT_PAIRS(v, out) \
	do { \
		VFloat8		t_ = (v) + magic0; \
		VFloat8		rest_ = (v) - (t_ - magic0); \
		VFloat8		u_ = rest_ + magic1; \
		VInt8		first_ = (VInt8) ((VUInt8) t_ - (VUInt8) magic0); \
		VInt8		second_ = (VInt8) ((VUInt8) u_ - (VUInt8) magic1); \
		VInt8		low_ = INTERLEAVE_LOW(first_, second_); \
		VInt8		high_ = INTERLEAVE_HIGH(first_, second_); \
		good &= ((VFloat8) ((VInt8) (v) & INT64_MAX) < bound) & (u_ - magic1 == rest_); \
		negative_zero |= (VInt8) (v) == INT64_MIN; \
		memcpy((out), &low_, sizeof(low_)); \
		memcpy((out) + LANES(double) / 2, &high_, sizeof(high_)); \
	} while (0)

#define CUT(name, ctype, load) \
KERNEL bool \
name(const ctype *x, size_t n, const GpuredDigits *d, GpuredDigitPair *out) \
{ \
	const size_t lanes = LANES(double); \
	const VFloat8 zero = {0}; \
	const VFloat8 magic0 = zero + d->magic[0]; \
	const VFloat8 magic1 = zero + d->magic[1]; \
	const VFloat8 bound = zero + d->bound; \
	VInt8		good = (VInt8) {0} == 0; \
	VInt8		negative_zero = {0}; \
	VFloat8		v; \
	bool		fits = true; \
	size_t		i = 0; \
	for (; n - i >= lanes; i += lanes) \
	{ \
		load(v, x + i); \
		CUT_PAIRS(v, out + i); \
	} \
	if (i < n) \
	{ \
		ctype		tail[LANES(double)] = {0}; \
		GpuredDigitPair pair[LANES(double)]; \
		memcpy(tail, x + i, (n - i) * sizeof(ctype)); \
		load(v, tail); \
		CUT_PAIRS(v, pair); \
		memcpy(out + i, pair, (n - i) * sizeof(*out)); \
	} \
	good &= ~negative_zero; \
	for (size_t j = 0; j < lanes; j++) \
		fits &= good[j] != 0; \
	return fits; \
}

CUT(cut_float4, float, LOAD_WIDENED)
CUT(cut_float8, double, LOAD)

#define RANKS(name, ctype, load) \
KERNEL void \
name(const ctype *x, size_t n, bool least, int64_t *out) \
{ \
	const size_t lanes = LANES(double); \
	const int64_t flip = least ? -1 : 0; \
	size_t		i = 0; \
	for (; n - i >= lanes; i += lanes) \
	{ \
		VFloat8		v; \
		VInt8		rank; \
		VInt8		nan; \
		load(v, x + i); \
		nan = v != v; \
		rank = (VInt8) v ^ (((VInt8) v < 0) & INT64_MAX); \
		rank = CHOOSE(nan, INT64_MAX, rank) ^ flip; \
		memcpy(out + i, &rank, sizeof(rank)); \
	} \
	for (; i < n; i++) \
		out[i] = gpured_float_rank(x[i]) ^ flip; \
}

RANKS(ranks_float4, float, LOAD_WIDENED)
RANKS(ranks_float8, double, LOAD)

const GpuredCpuKernels KERNELS = {
	.name = KERNELS_NAME,
	.sum_int2 = sum_int2,
	.sum_int4 = sum_int4,
	.sum_int8 = sum_int8,
	.min_int2 = min_int2,
	.min_int4 = min_int4,
	.min_int8 = min_int8,
	.max_int2 = max_int2,
	.max_int4 = max_int4,
	.max_int8 = max_int8,
	.bit_and_int2 = bit_and_int2,
	.bit_and_int4 = bit_and_int4,
	.bit_and_int8 = bit_and_int8,
	.bit_or_int2 = bit_or_int2,
	.bit_or_int4 = bit_or_int4,
	.bit_or_int8 = bit_or_int8,
	.bit_xor_int2 = bit_xor_int2,
	.bit_xor_int4 = bit_xor_int4,
	.bit_xor_int8 = bit_xor_int8,
	.min_float4 = min_float4,
	.min_float8 = min_float8,
	.max_float4 = max_float4,
	.max_float8 = max_float8,
	.greatest_float4 = greatest_float4,
	.greatest_float8 = greatest_float8,
	.digits_float4 = digits_float4,
	.digits_float8 = digits_float8,
	.moments_int2 = moments_int2,
	.moments_int4 = moments_int4,
	.moments_int8 = moments_int8,
	.moments_float4 = moments_float4,
	.moments_float8 = moments_float8,
	.pair_moments = pair_moments,
	.dot = dot,
	.cut_float4 = cut_float4,
	.cut_float8 = cut_float8,
	.ranks_float4 = ranks_float4,
	.ranks_float8 = ranks_float8
};

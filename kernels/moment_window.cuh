/*
 * moment_window.cuh
 *	  Exact sums of values and of their products in registers, with no integer
 *	  product: each is cut into digits by floating-point additions, as in
 *	  exact_window.cuh.
 *
 * A value fits its window if it is below 2^top in size and a multiple of u =
 * 2^(top - 74): two digits.  The product of two values that fit is h + l exactly,
 * h being the rounded product and l = fma(x, y, -h); both are multiples of ux uy
 * and are cut on one grid of three digits, whose last unit is ux uy:
 *
 *		h = d0 + r		d0 is a multiple of the first unit
 *		r = d1 + s		of the second
 *		s + l			has at most 53 bits, so the sum is exact, for either s = 0,
 *						or h is so small that s + l is below the second unit and a
 *						multiple of the last
 *
 * and s + l is cut again into a part of the second digit and one of the third.  So
 * nothing is ever lost, and nothing has to be checked but that the values fit: a
 * value takes 9 operations of doubles, a product 13.
 *
 * Digits are below 2^50 in size: their patterns are summed as 64-bit integers
 * for 2^13 rows.
 *
 * Source of the products: T. J. Dekker, "A floating-point technique for extending
 * the available precision", 1971, with the fused multiply-add in place of his
 * splitting.
 */
#ifndef GPURED_MOMENT_WINDOW_CUH
#define GPURED_MOMENT_WINDOW_CUH

#include "moment_block.cuh"

constexpr int MOMENT_VALUE_BITS = 74;
constexpr int MOMENT_DIGIT_BITS = 50;
constexpr int MOMENT_ROOM = 2; /* exponents above the largest value seen first */
constexpr int MOMENT_LIMIT = 8192 / GPURED_LIMIT_DIVISOR; /* rows a thread before a flush */

/* All magic numbers are finite, and no product underflows. */
constexpr int MOMENT_LOWEST_TOP = -440;
constexpr int MOMENT_HIGHEST_TOP = 480;

static __device__ __forceinline__ uint64_t
pattern(double x)
{
	return (uint64_t) __double_as_longlong(x);
}

/* The window of one variable. */
struct MomentScale
{
	double magic[2];
	double bound;
	int top;
};

/* Choose the window by the largest of a warp's values (an exponent field). */
static __device__ __forceinline__ void
moment_scale_anchor(MomentScale &s, uint32_t largest_field)
{
	int top = (int) warp_max(largest_field) - 1023 + 1 + MOMENT_ROOM;

	top = top < MOMENT_LOWEST_TOP    ? MOMENT_LOWEST_TOP
		  : top > MOMENT_HIGHEST_TOP ? MOMENT_HIGHEST_TOP
									 : top;
	s.top = top;
	s.bound = power_of_two(top);
	s.magic[0] = 1.5 * power_of_two(top - MOMENT_VALUE_BITS / 2 + 52);
	s.magic[1] = 1.5 * power_of_two(top - MOMENT_VALUE_BITS + 52);
}

/* The exponent field of x for moment_scale_anchor; far too large values do not count. */
static __device__ __forceinline__ uint32_t
moment_scale_field(double x)
{
	const uint32_t field = exponent_field(x);

	return field < 1023 + MOMENT_HIGHEST_TOP ? field : 0;
}

/*
 * The patterns of the digits of x; false if it does not fit.  Whether |x| is below
 * a power of two its upper half tells too, without the units for doubles, which
 * are the bottleneck with two columns (and not with one: measured).
 */
template <bool AS_INTEGER>
static __device__ __forceinline__ bool
moment_cut_value(const MomentScale &s, double x, uint64_t (&digit)[2])
{
	const double first = x + s.magic[0];
	const double rest = x - (first - s.magic[0]);
	const double second = rest + s.magic[1];

	digit[0] = pattern(first);
	digit[1] = pattern(second);
	return (AS_INTEGER ? (__double2hiint(x) & 0x7fffffff) < __double2hiint(s.bound)
					   : fabs(x) < s.bound) &&
		   second - s.magic[1] == rest;
}

/* The patterns of the digits of x * y, which fit.  Products of float4 are exact as they are. */
template <class T>
static __device__ __forceinline__ void
moment_cut_product(const double (&magic)[3], double x, double y, uint64_t (&digit)[3])
{
	const double h = x * y;
	const double first = h + magic[0];
	const double rest = h - (first - magic[0]);
	const double second = rest + magic[1];
	const double left = rest - (second - magic[1]);

	digit[0] = pattern(first);
	if (sizeof(T) == sizeof(float))
	{
		digit[1] = pattern(second);
		digit[2] = pattern(left + magic[2]);
		return;
	}

	const double low = fma(x, y, -h) + left;
	const double both = second + low;

	digit[1] = pattern(both);
	digit[2] = pattern((low - (both - second)) + magic[2]);
}

/* The sums of a thread, of columns of T. */
template <GpuredMomentsKind KIND, class T>
struct MomentWindow
{
	typedef MomentSums<KIND> Sums;
	static constexpr int VARIABLES = KIND == GPURED_MOMENTS_ONE ? 1 : 2;

	MomentScale scale[VARIABLES];
	double product_magic[Sums::PRODUCTS][3];
	uint64_t value[Sums::VALUES == 0 ? 1 : Sums::VALUES][2];
	uint64_t product[Sums::PRODUCTS][3];
	int count; /* rows since the last flush */

	/* The sum of the tops of the variables of a product. */
	__device__ __forceinline__ int product_top(int p) const
	{
		if (KIND == GPURED_MOMENTS_ONE || (KIND == GPURED_MOMENTS_TWO && p == 0))
			return 2 * scale[0].top;
		if (KIND == GPURED_MOMENTS_TWO && p == 1)
			return 2 * scale[VARIABLES - 1].top;
		return scale[0].top + scale[VARIABLES - 1].top;
	}

	/* The exponent of the unit of a product's digit. */
	__device__ __forceinline__ int product_unit(int p, int d) const
	{
		return product_top(p) - 2 * MOMENT_VALUE_BITS + (2 - d) * MOMENT_DIGIT_BITS;
	}

	__device__ __forceinline__ void anchor(uint32_t x_field, uint32_t y_field)
	{
		moment_scale_anchor(scale[0], x_field);
		if (VARIABLES == 2)
			moment_scale_anchor(scale[VARIABLES - 1], y_field);
#pragma unroll
		for (int p = 0; p < Sums::PRODUCTS; p++)
#pragma unroll
			for (int d = 0; d < 3; d++)
			{
				product_magic[p][d] = 1.5 * power_of_two(product_unit(p, d) + 52);
				product[p][d] = 0;
			}
#pragma unroll
		for (int v = 0; v < Sums::VALUES; v++)
			value[v][0] = value[v][1] = 0;
		count = 0;
	}

	/* True if the row is a misfit, which must go through take_back. */
	__device__ __forceinline__ bool add(double x, double y)
	{
		const double variable[2] = {x, y};
		bool fits = true;

#pragma unroll
		for (int v = 0; v < VARIABLES; v++)
		{
			uint64_t digit[2];

			fits &= moment_cut_value<VARIABLES == 2>(scale[v], variable[v], digit);
			if (v < Sums::VALUES)
			{
				value[v][0] += digit[0];
				value[v][1] += digit[1];
			}
		}
#pragma unroll
		for (int p = 0; p < Sums::PRODUCTS; p++)
		{
			uint64_t digit[3];

			cut(p, x, y, digit);
#pragma unroll
			for (int d = 0; d < 3; d++)
				product[p][d] += digit[d];
		}
		return !fits;
	}

	/* If the row that was added is a misfit, take all of it out; whether it is. */
	__device__ __forceinline__ bool take_back(double x, double y)
	{
		const double variable[2] = {x, y};
		uint64_t value_digit[VARIABLES][2];
		bool fits = true;

#pragma unroll
		for (int v = 0; v < VARIABLES; v++)
			fits &= moment_cut_value<VARIABLES == 2>(scale[v], variable[v], value_digit[v]);
		if (fits)
			return false;
#pragma unroll
		for (int v = 0; v < Sums::VALUES; v++)
#pragma unroll
			for (int d = 0; d < 2; d++)
				value[v][d] -= value_digit[v][d] - pattern(scale[v].magic[d]);
#pragma unroll
		for (int p = 0; p < Sums::PRODUCTS; p++)
		{
			uint64_t digit[3];

			cut(p, x, y, digit);
#pragma unroll
			for (int d = 0; d < 3; d++)
				product[p][d] -= digit[d] - pattern(product_magic[p][d]);
		}
		return true;
	}

	__device__ __forceinline__ void cut(int p, double x, double y, uint64_t (&digit)[3]) const
	{
		const bool with_x = KIND != GPURED_MOMENTS_TWO || p != 1;
		const bool with_y = KIND == GPURED_MOMENTS_DOT || (KIND == GPURED_MOMENTS_TWO && p != 0);

		moment_cut_product<T>(product_magic[p], with_x ? x : y, with_y ? y : x, digit);
	}

	/* Move the sums of the warp to the block. */
	__device__ __forceinline__ void flush(MomentBlock<KIND> &block)
	{
#pragma unroll
		for (int v = 0; v < Sums::VALUES; v++)
#pragma unroll
			for (int d = 0; d < 2; d++)
			{
				const uint64_t magic = pattern(scale[v].magic[d]);

				moment_block_add_warp(block, v, (int64_t) (value[v][d] - (uint64_t) count * magic),
									  scale[v].top - (d + 1) * (MOMENT_VALUE_BITS / 2) -
										  GPURED_EXACT_BIT0);
				value[v][d] = 0;
			}
#pragma unroll
		for (int p = 0; p < Sums::PRODUCTS; p++)
#pragma unroll
			for (int d = 0; d < 3; d++)
			{
				const uint64_t magic = pattern(product_magic[p][d]);

				moment_block_add_warp(block, Sums::VALUES + p,
									  (int64_t) (product[p][d] - (uint64_t) count * magic),
									  product_unit(p, d) - GPURED_PRODUCT_BIT0);
				product[p][d] = 0;
			}
		count = 0;
	}
};

#endif /* GPURED_MOMENT_WINDOW_CUH */

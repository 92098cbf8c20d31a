/*
 * exact_window.cuh
 *	  Exact sums in registers: a window of three 50-bit digits, each value cut
 *	  into digits by floating-point additions.
 *
 * Adding 1.5 * 2^(52 + s) to a smaller r makes the hardware round r to a
 * multiple of 2^s, and the low bits of the sum's pattern are that multiple as
 * an integer.  So the pattern itself is summed, as a 64-bit integer, and the
 * known pattern of the magic number is taken away at the end; the difference
 * of the floating-point numbers is the digit, subtracting it leaves an exact
 * rest for the next magic number.  Nine additions a value, no branch, no
 * memory.
 *
 * The window reaches from "bound" 149 bits down.  A value that is too large or
 * has bits below is a misfit: what the window took of it wrongly is taken
 * back, and the rest goes elsewhere.  A warp sets its own window, from the
 * values that it sees first, with some room above.
 *
 * Integers are summed modulo 2^64 and a digit is below 2^50 in size, so 2^13
 * values are safe.
 *
 * Source of the digits: P. Collange et al., "Numerical reproducibility for the
 * parallel reduction on multi- and many-core architectures", 2015; J. Demmel
 * and H. D. Nguyen, "Parallel reproducible summation", 2015.
 */
#ifndef GPURED_EXACT_WINDOW_CUH
#define GPURED_EXACT_WINDOW_CUH

#include "exact_block.cuh"

constexpr int WINDOW_DIGITS = 3;
constexpr int WINDOW_DIGIT_BITS = 50;
constexpr int WINDOW_ROOM = 4; /* exponents above the largest value seen first */
constexpr int WINDOW_LIMIT = 8192 / GPURED_LIMIT_DIVISOR; /* values a thread before a flush */

struct ExactWindow
{
	uint64_t sum[WINDOW_DIGITS];
	double magic[WINDOW_DIGITS];
	double bound; /* values below it in size fit */
	int scale;    /* exponent of the first digit's unit */
	int count;    /* values summed since the last flush */
};

/* Choose the window by the largest of a warp's values (an exponent field). */
static __device__ __forceinline__ void
exact_window_anchor(ExactWindow &w, uint32_t largest_field)
{
	int top = (int) warp_max(largest_field) - 1023 + 1 + WINDOW_ROOM;

	/* All magic numbers must be finite and normal. */
	top = top < -900 ? -900 : top > 1000 ? 1000 : top;
	w.scale = top - (WINDOW_DIGIT_BITS - 1);
	w.bound = power_of_two(top);
	w.count = 0;
#pragma unroll
	for (int d = 0; d < WINDOW_DIGITS; d++)
	{
		w.sum[d] = 0;
		w.magic[d] = 1.5 * power_of_two(w.scale - d * WINDOW_DIGIT_BITS + 52);
	}
}

/* The exponent field of x for exact_window_anchor; far too large values do not count. */
static __device__ __forceinline__ uint32_t
exact_window_field(double x)
{
	const uint32_t field = exponent_field(x);

	return field < 2023 ? field : 0;
}

/* Add x; true if it is a misfit, which must go through exact_window_misfit. */
static __device__ __forceinline__ bool
exact_window_add(ExactWindow &w, double x)
{
	double rest = x;
	bool misfit = !(fabs(x) < w.bound);

#pragma unroll
	for (int d = 0; d < WINDOW_DIGITS; d++)
	{
		const double shifted = rest + w.magic[d];
		const double digit = shifted - w.magic[d];

		w.sum[d] += (uint64_t) __double_as_longlong(shifted);
		if (d < WINDOW_DIGITS - 1)
			rest = rest - digit;
		else
			misfit |= digit != rest;
	}
	return misfit;
}

/*
 * x was added: what of it is not in the window?  A value that is too large is
 * taken out whole; of one with low bits, the digits stay.
 */
static __device__ __forceinline__ double
exact_window_misfit(ExactWindow &w, double x)
{
	const bool too_large = !(fabs(x) < w.bound);
	double rest = x;

#pragma unroll
	for (int d = 0; d < WINDOW_DIGITS; d++)
	{
		const double shifted = rest + w.magic[d];

		if (too_large)
			w.sum[d] -= (uint64_t) __double_as_longlong(shifted) -
						(uint64_t) __double_as_longlong(w.magic[d]);
		rest = rest - (shifted - w.magic[d]);
	}
	return too_large ? x : rest;
}

/* Move the sums of the warp to the block. */
static __device__ __forceinline__ void
exact_window_flush(ExactWindow &w, ExactBlock &block)
{
	int64_t digit[WINDOW_DIGITS];
	int bit[WINDOW_DIGITS];

#pragma unroll
	for (int d = 0; d < WINDOW_DIGITS; d++)
	{
		const uint64_t magic = (uint64_t) __double_as_longlong(w.magic[d]);

		digit[d] = (int64_t) (w.sum[d] - (uint64_t) w.count * magic);
		bit[d] = w.scale - d * WINDOW_DIGIT_BITS - GPURED_EXACT_BIT0;
		w.sum[d] = 0;
	}
	exact_block_add_warp(block, digit, bit);
	w.count = 0;
}

#endif /* GPURED_EXACT_WINDOW_CUH */

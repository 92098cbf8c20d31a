/*
 * exact_bins.cuh
 *	  Exact sums of float4: sixteen private float8 bins for each thread, by the
 *	  upper four bits of the exponent.
 *
 * The float4 values of a bin are multiples of one power of two, u, and below
 * 2^39 u: a float8 holds the sum of 2^14 of them exactly.  So the bins need no
 * window, no carry and no test for misfits, and infinities and NaN find their
 * way through the last bin by themselves.  (+Infinity and -Infinity in the
 * bin of one thread are flagged as NaN, which their sum is.)
 */
#ifndef GPURED_EXACT_BINS_CUH
#define GPURED_EXACT_BINS_CUH

#include "exact_block.cuh"

constexpr int BINS = 16;
constexpr int BINS_LIMIT = 16384 / GPURED_LIMIT_DIVISOR;

static __device__ __forceinline__ void
exact_bins_clear(double *column, int stride)
{
#pragma unroll
	for (int b = 0; b < BINS; b++)
		column[b * stride] = 0;
}

static __device__ __forceinline__ void
exact_bins_add(double *column, int stride, float x)
{
	double *bin = column + (((uint32_t) __float_as_int(x) >> 27) & (BINS - 1)) * stride;

	*bin += (double) x;
}

/* Move the bins of a warp to the block and clear them; half a column a lane. */
static __device__ __forceinline__ void
exact_bins_flush(double *warp_columns, int stride, ExactBlock &block)
{
	const int b = lane_id() % BINS;
	const int half = lane_id() / BINS * BINS;
	const int unit = b == 0 ? -149 : 16 * b - 150;
	const double scale = power_of_two(-unit);
	int64_t sum = 0;
	uint32_t flags = 0;

	__syncwarp();
#pragma unroll 4
	for (int i = 0; i < BINS; i++)
	{
		double *bin = warp_columns + b * stride + half + (b + i) % BINS;

		if (fabs(*bin) < 0x1p200)
			sum += __double2ll_rn(*bin * scale);
		else
			flags |= special_flag(*bin);
		*bin = 0;
	}
	if (sum != 0)
		exact_block_add(block, sum, unit - GPURED_EXACT_BIT0);
	if (flags != 0)
		atomicOr(&block.flags, flags);
	__syncwarp();
}

#endif /* GPURED_EXACT_BINS_CUH */

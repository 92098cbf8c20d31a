/*
 * exact_limbs.cuh
 *	  Exact sums in shared memory: a private column of integer limbs for each
 *	  thread, over the whole exponent range.
 *
 * The place for values that spread too widely for a window of registers.
 * Adding a value is two 64-bit additions without a branch: its mantissa covers
 * at most three 32-bit digits, the upper two of which go to one limb, for a
 * limb may hold more than its digit.  Columns lie side by side, so the threads
 * of a warp use different banks whatever limbs they touch.
 *
 * A limb has room for 2048 values.
 *
 * Source: R. Neal, "Fast exact summation using small and large
 * superaccumulators", 2015 (the small one).
 */
#ifndef GPURED_EXACT_LIMBS_CUH
#define GPURED_EXACT_LIMBS_CUH

#include "exact_block.cuh"

/* Limbs that a single float8 can touch. */
constexpr int COLUMN_LIMBS = (2046 + FIELD_TO_BIT) / 32 + 2;
constexpr int COLUMN_LIMIT = 2048 / GPURED_LIMIT_DIVISOR;

/* "column" is the thread's first limb; the next is "stride" further. */
static __device__ __forceinline__ void
exact_limbs_clear(uint64_t *column, int stride)
{
#pragma unroll 1
	for (int j = 0; j < COLUMN_LIMBS; j++)
		column[j * stride] = 0;
}

/*
 * Add x.  A special value leaves garbage in the limbs, which its flag makes
 * meaningless; the exponent field is returned so that the caller notices.
 */
static __device__ __forceinline__ uint32_t
exact_limbs_add(uint64_t *column, int stride, double x)
{
	const uint32_t high = (uint32_t) __double2hiint(x);
	const uint32_t low = (uint32_t) __double2loint(x);
	const uint32_t field = (high >> 20) & SPECIAL_FIELD;
	const uint32_t bit = (field == 0 ? 1 : field) + FIELD_TO_BIT;
	const uint32_t top = (high & 0xfffff) | (field == 0 ? 0 : 0x100000);
	const uint32_t sign = (uint32_t) ((int32_t) high >> 31);

	/* The mantissa in place; of a negative number, the complement. */
	const uint32_t word0 = __funnelshift_l(0, low, bit) ^ sign;
	const uint32_t word1 = __funnelshift_l(low, top, bit) ^ sign;
	const uint32_t word2 = __funnelshift_l(top, 0, bit) ^ sign;
	uint64_t *limb = column + (bit / 32) * stride;

	limb[0] += (uint64_t) word0 + (high >> 31);
	limb[stride] += (uint64_t) word2 << 32 | word1;
	return field;
}

/*
 * Move the limbs of a warp to the block and clear them.  "warp_columns" is the
 * first limb of lane 0.  A lane adds up one limb of all 32 columns, starting
 * at its own lane, so that no two lanes are at one bank.
 */
static __device__ __forceinline__ void
exact_limbs_flush(uint64_t *warp_columns, int stride, ExactBlock &block)
{
	__syncwarp();
#pragma unroll 1
	for (int j = lane_id(); j < COLUMN_LIMBS; j += WARP)
	{
		uint64_t low = 0;
		int64_t high = 0;

#pragma unroll 4
		for (int i = 0; i < WARP; i++)
		{
			uint64_t *limb = warp_columns + j * stride + (lane_id() + i) % WARP;

			low += (uint32_t) *limb;
			high += (int64_t) *limb >> 32;
			*limb = 0;
		}
		if (low != 0)
			exact_block_add(block, (int64_t) low, 32 * j);
		if (high != 0)
			exact_block_add(block, high, 32 * j + 32);
	}
	__syncwarp();
}

#endif /* GPURED_EXACT_LIMBS_CUH */

/*
 * exact_columns.cuh
 *	  Exact sums in shared memory: a private integer for each thread, wide
 *	  enough for the sum of any float8 values.
 *
 * The place for values that spread too widely for a window of registers.  The
 * integer is a column of 32-bit words, two's complement, bit 0 being the lowest
 * bit of the smallest subnormal.  A mantissa lies in three words of it: adding
 * a value is one addition of 96 bits, with the carry that the hardware hands
 * on, and no branch.
 *
 * What leaves the third word would have to go on, a borrow through all words
 * of a small positive number.  So each word starts in the middle, at 2^31: the
 * mantissa's highest part has 20 bits, and a word that other values have not
 * filled does not overflow.  One addition in some thousands carries further,
 * and then seldom more than a word.  In the end 2^31 is taken off again.
 *
 * A word takes 4 bytes where a limb with room for carries takes 8, which lets
 * twice as many threads have a column, and the memory moves 24 bytes for a
 * value, not 32.  Columns lie side by side, so the threads of a warp use
 * different banks whatever words they touch.
 *
 * Source of the idea to have one for each thread: R. Neal, "Fast exact
 * summation using small and large superaccumulators", 2015.
 */
#ifndef GPURED_EXACT_COLUMNS_CUH
#define GPURED_EXACT_COLUMNS_CUH

#include "exact_block.cuh"

/* A value's highest word is 2045 / 32 + 2; two more let 2^45 values add up. */
constexpr int COLUMN_WORDS = 2045 / 32 + 4;
constexpr uint32_t COLUMN_MIDDLE = 0x80000000u;

/* "column" is the thread's first word; the next is "stride" further. */
static __device__ __forceinline__ void
exact_column_clear(uint32_t *column, int stride)
{
#pragma unroll 1
	for (int j = 0; j < COLUMN_WORDS; j++)
		column[j * stride] = COLUMN_MIDDLE;
}

/* Add 1 or -1 to word j, and to those above as long as it carries. */
static __device__ __noinline__ void
exact_column_carry(uint32_t *column, int stride, int j, int carry)
{
	while (carry != 0 && j < COLUMN_WORDS)
	{
		const uint32_t word = column[j * stride] + (uint32_t) carry;

		column[j * stride] = word;
		if (word != (carry > 0 ? 0 : 0xffffffffu))
			carry = 0;
		j++;
	}
}

/*
 * Add x.  A special value leaves garbage in the column, which its flag makes
 * meaningless; the exponent field is returned so that the caller notices.
 */
static __device__ __forceinline__ uint32_t
exact_column_add(uint32_t *column, int stride, double x)
{
	const uint32_t high = (uint32_t) __double2hiint(x);
	const uint32_t low = (uint32_t) __double2loint(x);
	const uint32_t field = (high >> 20) & SPECIAL_FIELD;
	const uint32_t lowest = field == 0 ? 0 : field - 1;
	const uint32_t top = (high & 0xfffff) | (field == 0 ? 0 : 0x100000);
	const uint32_t sign = (uint32_t) ((int32_t) high >> 31);
	uint32_t *word = column + (lowest / 32) * (uint32_t) stride;

	/* The mantissa in place; of a negative number, the complement. */
	const uint64_t word0 =
		(uint64_t) word[0] + (__funnelshift_l(0, low, lowest) ^ sign) + (high >> 31);
	const uint64_t word1 =
		(uint64_t) word[stride] + (__funnelshift_l(low, top, lowest) ^ sign) + (word0 >> 32);
	const uint64_t word2 =
		(uint64_t) word[2 * stride] + (__funnelshift_l(top, 0, lowest) ^ sign) + (word1 >> 32);
	const int carry = (int) (word2 >> 32) + (int) sign;

	word[0] = (uint32_t) word0;
	word[stride] = (uint32_t) word1;
	word[2 * stride] = (uint32_t) word2;
	if (carry != 0)
		exact_column_carry(column, stride, (int) (lowest / 32) + 3, carry);
	return field;
}

/*
 * Move the columns of a warp to the block.  "warp_columns" is the first word of
 * lane 0.  A lane adds up one word of all 32 columns, starting at its own lane,
 * so that no two lanes are at one bank.
 */
static __device__ __forceinline__ void
exact_columns_finish(const uint32_t *warp_columns, int stride, ExactBlock &block)
{
	__syncwarp();
#pragma unroll 1
	for (int j = lane_id(); j < COLUMN_WORDS; j += WARP)
	{
		int64_t sum = 0;

#pragma unroll 4
		for (int i = 0; i < WARP; i++)
			sum += (int32_t) (warp_columns[j * stride + (lane_id() + i) % WARP] - COLUMN_MIDDLE);
		if (sum != 0)
			exact_block_add(block, sum, 32 * j + 1 + FIELD_TO_BIT);
	}
}

#endif /* GPURED_EXACT_COLUMNS_CUH */

/*
 * moment_block.cuh
 *	  A block's exact sums of values, squares and products in shared memory, and
 *	  the way from all blocks to one GpuredMomentSums.
 *
 * The grids are those of moment_sums.h, in limbs that count 32 bits each: two of
 * them are a digit of the result.  Limbs are kept and added as exact_block.cuh
 * does.
 */
#ifndef GPURED_MOMENT_BLOCK_CUH
#define GPURED_MOMENT_BLOCK_CUH

#include "exact_block.cuh"

constexpr int VALUE_LIMBS = 2 * GPURED_VALUE_DIGITS;
constexpr int PRODUCT_LIMBS = 2 * GPURED_PRODUCT_DIGITS;

/* From a bit of the grid of exact.h to the same bit of the products' grid. */
constexpr int PRODUCT_BIT = GPURED_EXACT_BIT0 - GPURED_PRODUCT_BIT0;

/*
 * Which sums a kind has, in this order: those of the values (x, y), then those
 * of the products (xx, yy, xy).
 */
template <GpuredMomentsKind KIND>
struct MomentSums
{
	static constexpr int VALUES = KIND == GPURED_MOMENTS_TWO   ? 2
								  : KIND == GPURED_MOMENTS_ONE ? 1
															   : 0;
	static constexpr int PRODUCTS = KIND == GPURED_MOMENTS_TWO ? 3 : 1;
	static constexpr int SUMS = VALUES + PRODUCTS;
	static constexpr int LIMBS = VALUES * VALUE_LIMBS + PRODUCTS * PRODUCT_LIMBS;

	/* Where a sum's limbs start, how many there are, and where its digits go. */
	static __device__ __forceinline__ int first(int sum)
	{
		return sum < VALUES ? sum * VALUE_LIMBS
							: VALUES * VALUE_LIMBS + (sum - VALUES) * PRODUCT_LIMBS;
	}
	static __device__ __forceinline__ int limbs(int sum)
	{
		return sum < VALUES ? VALUE_LIMBS : PRODUCT_LIMBS;
	}
	static __device__ __forceinline__ int digit(int sum)
	{
		if (sum < VALUES)
			return sum == 0 ? GPURED_DIGITS_X : GPURED_DIGITS_Y;
		sum -= VALUES;
		if (KIND == GPURED_MOMENTS_DOT || sum == 2)
			return GPURED_DIGITS_XY;
		return sum == 0 ? GPURED_DIGITS_XX : GPURED_DIGITS_YY;
	}

	/* A limb that is the highest of its sum. */
	static __device__ __forceinline__ bool is_highest(int limb)
	{
		return limb < VALUES * VALUE_LIMBS
				   ? limb % VALUE_LIMBS == VALUE_LIMBS - 1
				   : (limb - VALUES * VALUE_LIMBS) % PRODUCT_LIMBS == PRODUCT_LIMBS - 1;
	}
};

template <GpuredMomentsKind KIND>
struct MomentBlock
{
	typedef MomentSums<KIND> Sums;
	uint32_t low[Sums::LIMBS];
	uint32_t high[Sums::LIMBS];
	uint32_t flags; /* as in GpuredMomentSums */
	bool is_last;
};

struct MomentWorkspace
{
	uint32_t ticket;
	uint32_t flags;
	unsigned long long limb[MomentSums<GPURED_MOMENTS_TWO>::LIMBS];
};

/* By all threads of the block; the caller synchronizes. */
template <GpuredMomentsKind KIND>
static __device__ __forceinline__ void
moment_block_clear(MomentBlock<KIND> &block)
{
	for (int j = threadIdx.x; j < MomentSums<KIND>::LIMBS; j += blockDim.x)
		block.low[j] = block.high[j] = 0;
	if (threadIdx.x == 0)
		block.flags = 0;
}

template <GpuredMomentsKind KIND>
static __device__ __forceinline__ void
moment_block_add_limb(MomentBlock<KIND> &block, int j, uint32_t low, uint32_t high)
{
	if (low != 0)
	{
		uint32_t before = atomicAdd(&block.low[j], low);

		high += before + low < low;
	}
	if (high != 0)
		atomicAdd(&block.high[j], high);
}

/* A sum += k * 2^bit, counted from bit 0 of its limbs; one thread. */
template <GpuredMomentsKind KIND>
static __device__ __noinline__ void
moment_block_add(MomentBlock<KIND> &block, int sum, int64_t k, int bit)
{
	const int j = MomentSums<KIND>::first(sum) + bit / 32;
	const int shift = bit % 32;
	const int64_t upper = shift == 0 ? k >> 32 : k >> (32 - shift);

	moment_block_add_limb(block, j, (uint32_t) ((uint64_t) k << shift), 0);
	moment_block_add_limb(block, j + 1, (uint32_t) upper, 0);
	moment_block_add_limb(block, j + 2, (uint32_t) (upper >> 32), (uint32_t) (upper >> 63));
}

/* Add every lane's k * 2^bit, "bit" being the same in the warp: see exact_block_add_warp. */
template <GpuredMomentsKind KIND>
static __device__ __forceinline__ void
moment_block_add_warp(MomentBlock<KIND> &block, int sum, int64_t k, int bit)
{
	const uint32_t low = warp_sum((uint32_t) (k & 0x3fffff));
	const uint32_t middle = warp_sum((uint32_t) ((k >> 22) & 0x3fffff));
	const int32_t high = (int32_t) warp_sum((uint32_t) (int32_t) (k >> 44));

	if (lane_id() == 0)
	{
		int64_t total = (int64_t) low + ((int64_t) middle << 22);

		if (total != 0)
			moment_block_add(block, sum, total, bit);
		if (high != 0)
			moment_block_add(block, sum, high, bit + 44);
	}
}

/* The product of two mantissas, which has 106 bits, by 27 bits of each at a time. */
template <GpuredMomentsKind KIND>
static __device__ __forceinline__ void
moment_block_add_product(MomentBlock<KIND> &block, int sum, int64_t a, int64_t b, int bit)
{
	const int64_t a_high = a >> 27, a_low = a & 0x7ffffff;
	const int64_t b_high = b >> 27, b_low = b & 0x7ffffff;

	moment_block_add(block, sum, a_low * b_low, bit);
	moment_block_add(block, sum, a_high * b_low + a_low * b_high, bit + 27);
	moment_block_add(block, sum, a_high * b_high, bit + 54);
}

/* A row of finite values of any size, straight to the block. */
template <GpuredMomentsKind KIND>
static __device__ __noinline__ void
moment_block_add_row(MomentBlock<KIND> &block, double x, double y)
{
	typedef MomentSums<KIND> Sums;
	int a_bit, b_bit;
	const int64_t a = exact_split(x, &a_bit);
	const int64_t b = exact_split(y, &b_bit);

	if (KIND != GPURED_MOMENTS_DOT && a != 0)
	{
		moment_block_add(block, 0, a, a_bit);
		moment_block_add_product(block, Sums::VALUES, a, a, 2 * a_bit);
	}
	if (KIND == GPURED_MOMENTS_TWO && b != 0)
	{
		moment_block_add(block, 1, b, b_bit);
		moment_block_add_product(block, Sums::VALUES + 1, b, b, 2 * b_bit);
	}
	if (KIND != GPURED_MOMENTS_ONE && a != 0 && b != 0)
		moment_block_add_product(block, Sums::SUMS - 1, a, b, a_bit + b_bit);
}

/* Note what is not finite in a row and replace it by a zero, as moment_sums.h says. */
template <GpuredMomentsKind KIND>
static __device__ __forceinline__ void
moment_block_note_special(MomentBlock<KIND> &block, double &x, double &y)
{
	const bool x_special = exponent_field(x) == SPECIAL_FIELD;
	const bool y_special = KIND != GPURED_MOMENTS_ONE && exponent_field(y) == SPECIAL_FIELD;

	if (!x_special && !y_special)
		return;
	if (KIND == GPURED_MOMENTS_DOT)
	{
		atomicOr(&block.flags, special_flag(x * y) | GPURED_EXACT_NOT_NEGZERO);
		x = y = 0;
		return;
	}
	if (x_special)
	{
		atomicOr(&block.flags, special_flag(x));
		x = 0;
	}
	if (y_special)
	{
		atomicOr(&block.flags, special_flag(y) << GPURED_MOMENTS_FLAGS_Y);
		y = 0;
	}
}

/*
 * Add this block to the workspace; the last block moves the workspace into
 * *result and leaves it zero.  What is above 32 bits goes to the next limb, so
 * that no number of blocks overflows one, and in the end carries are moved:
 * the digits are two's complement.
 */
template <GpuredMomentsKind KIND>
static __device__ __forceinline__ void
moment_block_finish(MomentBlock<KIND> &block, MomentWorkspace *work, GpuredAcc *result)
{
	typedef MomentSums<KIND> Sums;

	__syncthreads();
	for (int j = threadIdx.x; j < Sums::LIMBS; j += blockDim.x)
	{
		const int64_t limb = (int64_t) ((uint64_t) block.high[j] << 32 | block.low[j]);
		const bool highest = Sums::is_highest(j);
		const int64_t here = highest ? limb : (int64_t) (uint32_t) limb;
		const int64_t above = highest ? 0 : limb >> 32;

		if (here != 0)
			atomicAdd(&work->limb[j], (unsigned long long) here);
		if (above != 0)
			atomicAdd(&work->limb[j + 1], (unsigned long long) above);
	}
	if (threadIdx.x == 0 && block.flags != 0)
		atomicOr(&work->flags, block.flags);
	if (!grid_last_block(&work->ticket, block.is_last))
		return;

	for (int j = threadIdx.x; j < Sums::LIMBS; j += blockDim.x)
	{
		const uint64_t limb = load_fresh(&work->limb[j]);

		block.low[j] = (uint32_t) limb;
		block.high[j] = (uint32_t) (limb >> 32);
		work->limb[j] = 0;
	}
	if (threadIdx.x == 0)
	{
		result->v.sums.flags = load_fresh(&work->flags);
		work->flags = 0;
	}
	__syncthreads();

	/* A sum a warp, for carries go from limb to limb. */
	for (int sum = warp_id(); sum < Sums::SUMS; sum += blockDim.x / WARP)
	{
		const int start = Sums::first(sum);
		uint64_t *digit = result->v.sums.digit + Sums::digit(sum);
		int64_t carry = 0;

		if (lane_id() != 0)
			continue;
#pragma unroll 2
		for (int j = 0; j < Sums::limbs(sum); j += 2)
		{
			uint64_t low;

			carry += (int64_t) ((uint64_t) block.high[start + j] << 32 | block.low[start + j]);
			low = (uint32_t) carry;
			carry >>= 32;
			carry +=
				(int64_t) ((uint64_t) block.high[start + j + 1] << 32 | block.low[start + j + 1]);
			digit[j / 2] = (uint64_t) carry << 32 | low;
			carry >>= 32;
		}
	}
}

#endif /* GPURED_MOMENT_BLOCK_CUH */

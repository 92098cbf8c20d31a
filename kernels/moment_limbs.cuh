/*
 * moment_limbs.cuh
 *	  Exact sums of values and products in shared memory: the columns of limbs of
 *	  exact_limbs.cuh, one for each sum, shared by a few lanes.
 *
 * A product goes in as two doubles, h + l.  Their columns have the grid of a
 * value, so that a product of two values may be in them if both are within
 * 2^-480 and 2^500 or zero; others go straight to the block.
 *
 * There is not always room for columns for each thread.  Lanes that share one
 * take turns: in turn t, those of lane_id() / COLUMNS == t.
 */
#ifndef GPURED_MOMENT_LIMBS_CUH
#define GPURED_MOMENT_LIMBS_CUH

#include "exact_limbs.cuh"
#include "moment_block.cuh"

/*
 * The limbs that values and the parts of products of T use.  The lowest bit of a
 * double's mantissa is 52 below its exponent.
 */
template <class T>
struct MomentRange
{
	static constexpr int FIRST_VALUE = 0, VALUE_LIMBS = COLUMN_LIMBS;
	static constexpr int FIRST_PRODUCT = 0, PRODUCT_LIMBS = COLUMN_LIMBS;
	static constexpr int PARTS = 2; /* h and l */
};

static constexpr int
limb_of_exponent(int exponent)
{
	return (exponent - 52 - GPURED_EXACT_BIT0) / 32;
}

template <>
struct MomentRange<float>
{
	static constexpr int FIRST_VALUE = limb_of_exponent(-149);
	static constexpr int VALUE_LIMBS = limb_of_exponent(127) + 2 - FIRST_VALUE;
	static constexpr int FIRST_PRODUCT = limb_of_exponent(-298);
	static constexpr int PRODUCT_LIMBS = limb_of_exponent(255) + 2 - FIRST_PRODUCT;
	static constexpr int PARTS = 1;
};

template <GpuredMomentsKind KIND, class T>
struct MomentLimbs
{
	typedef MomentSums<KIND> Sums;
	typedef MomentRange<T> Range;

	/* How many columns of each sum a warp has: they fill shared memory. */
	static constexpr int COLUMNS = sizeof(T) == sizeof(float)   ? 32
								   : KIND == GPURED_MOMENTS_ONE ? 16
								   : KIND == GPURED_MOMENTS_TWO ? 8
																: 32;
	static constexpr int TURNS = WARP / COLUMNS;
	static constexpr int LIMBS =
		Sums::VALUES * Range::VALUE_LIMBS + Sums::PRODUCTS * Range::PRODUCT_LIMBS;

	uint64_t *column; /* of the first sum; the limbs of a column are "stride" apart */
	int stride;

	/* All cells of the block: LIMBS * COLUMNS for each warp. */
	__device__ __forceinline__ MomentLimbs(uint64_t *cells)
		: column(cells + warp_id() * COLUMNS + lane_id() % COLUMNS),
		  stride((int) blockDim.x / WARP * COLUMNS)
	{
	}

	/* Where a sum's limbs start in a column. */
	static __device__ __forceinline__ int start(int sum)
	{
		return sum < Sums::VALUES ? sum * Range::VALUE_LIMBS
								  : Sums::VALUES * Range::VALUE_LIMBS +
										(sum - Sums::VALUES) * Range::PRODUCT_LIMBS;
	}

	__device__ __forceinline__ static int turn() { return lane_id() / COLUMNS; }

	__device__ __forceinline__ void clear()
	{
		if (turn() == 0)
#pragma unroll 1
			for (int j = 0; j < LIMBS; j++)
				column[j * stride] = 0;
		__syncwarp();
	}

	/* What is zero may be below the limbs of float4. */
	__device__ __forceinline__ void add_part(int limb, double x)
	{
		if (sizeof(T) != sizeof(float) || x != 0)
			exact_limbs_add(column + limb * stride, stride, x);
	}

	__device__ __forceinline__ void add_value(int sum, double x)
	{
		add_part(start(sum) - Range::FIRST_VALUE, x);
	}

	__device__ __forceinline__ void add_product(int sum, double x, double y)
	{
		const double h = x * y;

		add_part(start(sum) - Range::FIRST_PRODUCT, h);
		if (Range::PARTS == 2)
			add_part(start(sum) - Range::FIRST_PRODUCT, fma(x, y, -h));
	}

	/* Whether products of x with another such value may be in the columns. */
	__device__ __forceinline__ static bool is_ordinary(double x)
	{
		const double size = fabs(x);

		return (size >= 0x1p-480 && size < 0x1p500) || size == 0;
	}

	/* Any row, by the lanes whose turn it is. */
	__device__ __forceinline__ void add(double x, double y, MomentBlock<KIND> &block)
	{
		if (!is_ordinary(x) || (KIND != GPURED_MOMENTS_ONE && !is_ordinary(y)))
		{
			moment_block_note_special(block, x, y);
			moment_block_add_row(block, x, y);
			return;
		}
		if (KIND != GPURED_MOMENTS_DOT)
		{
			add_value(0, x);
			add_product(Sums::VALUES, x, x);
		}
		if (KIND == GPURED_MOMENTS_TWO)
		{
			add_value(1, y);
			add_product(Sums::VALUES + 1, y, y);
		}
		if (KIND != GPURED_MOMENTS_ONE)
			add_product(Sums::SUMS - 1, x, y);
	}

	/* Move the limbs of the warp to the block and clear them: see exact_limbs_flush. */
	__device__ __forceinline__ void flush(MomentBlock<KIND> &block)
	{
		uint64_t *columns = column - lane_id() % COLUMNS;

		__syncwarp();
#pragma unroll 1
		for (int j = lane_id(); j < LIMBS; j += WARP)
		{
			const int product = j - start(Sums::VALUES);
			const int sum = product < 0 ? j / Range::VALUE_LIMBS
										: Sums::VALUES + product / Range::PRODUCT_LIMBS;
			const int bit = product < 0
								? 32 * (j - start(sum) + Range::FIRST_VALUE)
								: 32 * (j - start(sum) + Range::FIRST_PRODUCT) + PRODUCT_BIT;
			uint64_t low = 0;
			int64_t high = 0;

#pragma unroll 4
			for (int i = 0; i < COLUMNS; i++)
			{
				uint64_t *limb = columns + j * stride + (lane_id() + i) % COLUMNS;

				low += (uint32_t) *limb;
				high += (int64_t) *limb >> 32;
				*limb = 0;
			}
			if (low != 0)
				moment_block_add(block, sum, (int64_t) low, bit);
			if (high != 0)
				moment_block_add(block, sum, high, bit + 32);
		}
		__syncwarp();
	}
};

#endif /* GPURED_MOMENT_LIMBS_CUH */

/*
 * moment_limbs.cuh
 *	  Exact sums of values and products in shared memory: the columns of limbs of
 *	  exact_limbs.cuh, one for each sum, shared by a few lanes.
 *
 * A product goes in as two doubles, h + l.  Their columns have the grid of a
 * value, so that a product of two values may be in them if both are within
 * 2^-480 and 2^500 or zero; others go straight to the block.
 *
 * There is not room for columns for each thread.  Lanes that share one take
 * turns: in turn t, those of lane_id() / COLUMNS == t.
 */
#ifndef GPURED_MOMENT_LIMBS_CUH
#define GPURED_MOMENT_LIMBS_CUH

#include "exact_limbs.cuh"
#include "moment_block.cuh"

/* How many columns of each sum a warp has; the limbs of all sums fill shared memory. */
template <GpuredSumsKind KIND>
constexpr int MOMENT_COLUMNS = KIND == GPURED_SUMS_TWO   ? 8
							   : KIND == GPURED_SUMS_ONE ? 16
														 : 32;

template <GpuredSumsKind KIND>
constexpr int MOMENT_TURNS = WARP / MOMENT_COLUMNS<KIND>;

/* The limbs of a warp. */
template <GpuredSumsKind KIND>
constexpr int MOMENT_CELLS = COLUMN_LIMBS *MomentSums<KIND>::SUMS *MOMENT_COLUMNS<KIND>;

template <GpuredSumsKind KIND>
struct MomentLimbs
{
	typedef MomentSums<KIND> Sums;
	static constexpr int COLUMNS = MOMENT_COLUMNS<KIND>;

	uint64_t *column; /* of the first sum; the limbs of a column are "stride" apart */
	int stride;

	/* All cells of the block. */
	__device__ __forceinline__ MomentLimbs(uint64_t *cells)
		: column(cells + warp_id() * COLUMNS + lane_id() % COLUMNS),
		  stride((int) blockDim.x / WARP * COLUMNS)
	{
	}

	__device__ __forceinline__ static int turn() { return lane_id() / COLUMNS; }

	__device__ __forceinline__ void clear()
	{
		if (turn() == 0)
#pragma unroll 1
			for (int j = 0; j < Sums::SUMS * COLUMN_LIMBS; j++)
				column[j * stride] = 0;
		__syncwarp();
	}

	__device__ __forceinline__ void add_product(int sum, double x, double y)
	{
		const double h = x * y;

		exact_limbs_add(column + sum * COLUMN_LIMBS * stride, stride, h);
		exact_limbs_add(column + sum * COLUMN_LIMBS * stride, stride, fma(x, y, -h));
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
		if (!is_ordinary(x) || (KIND != GPURED_SUMS_ONE && !is_ordinary(y)))
		{
			moment_block_note_special(block, x, y);
			moment_block_add_row(block, x, y);
			return;
		}
		if (KIND != GPURED_SUMS_DOT)
		{
			exact_limbs_add(column, stride, x);
			add_product(Sums::VALUES, x, x);
		}
		if (KIND == GPURED_SUMS_TWO)
		{
			exact_limbs_add(column + COLUMN_LIMBS * stride, stride, y);
			add_product(Sums::VALUES + 1, y, y);
		}
		if (KIND != GPURED_SUMS_ONE)
			add_product(Sums::SUMS - 1, x, y);
	}

	/* Move the limbs of the warp to the block and clear them: see exact_limbs_flush. */
	__device__ __forceinline__ void flush(MomentBlock<KIND> &block)
	{
		uint64_t *columns = column - lane_id() % COLUMNS;

		__syncwarp();
#pragma unroll 1
		for (int j = lane_id(); j < Sums::SUMS * COLUMN_LIMBS; j += WARP)
		{
			const int sum = j / COLUMN_LIMBS;
			const int bit = 32 * (j % COLUMN_LIMBS) + (sum < Sums::VALUES ? 0 : PRODUCT_BIT);
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

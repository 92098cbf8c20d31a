/*
 * moments.cuh
 *	  The exact sums of values, squares and products of one or two columns of
 *	  floats, in one launch.
 *
 * The grid and the tiles are those of exact_sum.cuh: a persistent grid whose
 * blocks load the next tile while they add the present one, and threads with
 * exact sums of their own, first in a window of registers.  Of rows that do not
 * fit it, a stray one goes straight to the block's sums, and others to limbs in
 * shared memory.  A warp that meets many first moves its window, and then leaves
 * it.
 */
#ifndef GPURED_MOMENTS_CUH
#define GPURED_MOMENTS_CUH

#include "moment_limbs.cuh"
#include "moment_window.cuh"

/* So many lanes with misfits in a tile are no reason to change anything. */
constexpr int MOMENT_STRAY_LANES = 2;

/* Tiles with more before a warp moves its window, and gives it up. */
constexpr int MOMENT_STRIKES_TO_MOVE = 4;
constexpr int MOMENT_STRIKES_TO_LEAVE = 8;

/* A thread's part of a tile, in registers: VECTORS vectors of each column. */
template <class T, int COLUMNS, int VECTORS>
struct MomentTile
{
	static constexpr int LENGTH = Vector<T>::LENGTH;
	static constexpr int ROWS = VECTORS * LENGTH;
	Vector<T> vector[COLUMNS][VECTORS];

	/* The filler is a row that no sum notices: 0, and -0 * 0 among products. */
	__device__ __forceinline__ void load(const T *x, const T *y, size_t n, size_t start)
	{
		load_tile(vector[0], x, n, start, -T(0));
		if (COLUMNS == 2)
			load_tile(vector[COLUMNS - 1], y, n, start, T(0));
	}

	__device__ __forceinline__ double x(int row) const
	{
		return vector[0][row / LENGTH].value[row % LENGTH];
	}
	__device__ __forceinline__ double y(int row) const
	{
		return COLUMNS == 2 ? vector[COLUMNS - 1][row / LENGTH].value[row % LENGTH] : T(0);
	}

	template <class Visit>
	__device__ __forceinline__ void each(Visit visit) const
	{
#pragma unroll
		for (int row = 0; row < ROWS; row++)
			visit(x(row), y(row));
	}

	/* Small code for rare cases; the inner loop keeps the tile in registers. */
	template <class Visit>
	__device__ __forceinline__ void each_rolled(Visit visit) const
	{
#pragma unroll 1
		for (int n = 0; n < ROWS; n++)
		{
			double a = x(0), b = y(0);

#pragma unroll
			for (int row = 1; row < ROWS; row++)
				if (row == n)
				{
					a = x(row);
					b = y(row);
				}
			visit(a, b);
		}
	}
};

template <GpuredMomentsKind KIND>
struct MomentsShared
{
	MomentBlock<KIND> block;
	alignas(16) uint64_t cell[1]; /* the columns of all warps */
};

/* Bytes of shared memory that a block of so many threads needs. */
template <GpuredMomentsKind KIND, class T>
constexpr size_t
moments_shared(int threads)
{
	typedef MomentLimbs<KIND, T> Limbs;

	return offsetof(MomentsShared<KIND>, cell) +
		   sizeof(uint64_t) * Limbs::LIMBS * Limbs::COLUMNS * (threads / WARP);
}

/* The sums of a thread's share. */
template <GpuredMomentsKind KIND, class T, int ROWS>
struct ThreadMoments
{
	typedef MomentLimbs<KIND, T> Limbs;

	/* Additions to one limb by a tile. */
	static constexpr int TILE_ADDITIONS = MomentRange<T>::PARTS * Limbs::TURNS * ROWS;

	MomentBlock<KIND> &block;
	MomentWindow<KIND, T> window;
	Limbs limbs;
	int limb_count; /* additions since the limbs were flushed */
	int strikes;
	bool limbs_open; /* the warp's limbs are cleared and in use */
	bool seen;       /* of products: one was not -0 */

	__device__ __forceinline__ ThreadMoments(MomentsShared<KIND> &shared)
		: block(shared.block), limbs(shared.cell), limb_count(0), strikes(0), limbs_open(false),
		  seen(false)
	{
	}

	template <class Tile>
	__device__ __forceinline__ void anchor(const Tile &tile)
	{
		uint32_t largest_x = 0, largest_y = 0;

		tile.each(
			[&](double x, double y)
			{
				const uint32_t x_field = moment_scale_field(x);
				const uint32_t y_field = moment_scale_field(y);

				largest_x = x_field > largest_x ? x_field : largest_x;
				largest_y = y_field > largest_y ? y_field : largest_y;
			});
		window.anchor(largest_x, largest_y);
	}

	template <class Tile>
	__device__ __forceinline__ void add(const Tile &tile)
	{
		if (KIND == GPURED_MOMENTS_DOT && !seen)
			tile.each(
				[&](double x, double y)
				{
					const bool same_sign = (__double2hiint(x) ^ __double2hiint(y)) >= 0;

					seen |= (x != 0 && y != 0) || same_sign;
				});
		if (strikes < MOMENT_STRIKES_TO_LEAVE)
			add_to_window(tile);
		else
			add_to_limbs(tile);
	}

	template <class Tile>
	__device__ __forceinline__ void add_to_window(const Tile &tile)
	{
		bool misfit = false;
		unsigned int lanes;

		if (window.count > MOMENT_LIMIT - ROWS)
			window.flush(block);
		tile.each([&](double x, double y) { misfit |= window.add(x, y); });
		window.count += ROWS;

		lanes = __ballot_sync(ALL_LANES, misfit);
		if (lanes == 0)
			return;
		if (__popc(lanes) <= MOMENT_STRAY_LANES)
		{
			if (misfit)
				tile.each_rolled(
					[&](double x, double y)
					{
						if (window.take_back(x, y))
						{
							moment_block_note_special(block, x, y);
							moment_block_add_row(block, x, y);
						}
					});
			__syncwarp();
			return;
		}

		make_room();
#pragma unroll 1
		for (int turn = 0; turn < Limbs::TURNS; turn++)
		{
			if (misfit && turn == limbs.turn())
				tile.each_rolled(
					[&](double x, double y)
					{
						if (window.take_back(x, y))
							limbs.add(x, y, block);
					});
			__syncwarp();
		}
		if (++strikes == MOMENT_STRIKES_TO_MOVE)
		{
			window.flush(block);
			anchor(tile);
		}
		if (strikes == MOMENT_STRIKES_TO_LEAVE)
			window.flush(block);
	}

	template <class Tile>
	__device__ __forceinline__ void add_to_limbs(const Tile &tile)
	{
		make_room();
#pragma unroll 1
		for (int turn = 0; turn < Limbs::TURNS; turn++)
		{
			if (turn == limbs.turn())
				tile.each([&](double x, double y) { limbs.add(x, y, block); });
			__syncwarp();
		}
	}

	/* The warp's limbs can take another tile. */
	__device__ __forceinline__ void make_room()
	{
		if (!limbs_open)
		{
			limbs.clear();
			limbs_open = true;
		}
		else if (limb_count > COLUMN_LIMIT - TILE_ADDITIONS)
		{
			limbs.flush(block);
			limb_count = 0;
		}
		limb_count += TILE_ADDITIONS;
	}

	__device__ __forceinline__ void finish()
	{
		if (window.count > 0)
			window.flush(block);
		if (limbs_open)
			limbs.flush(block);
	}
};

/* "y" is the second column, if the kind has two. */
template <GpuredMomentsKind KIND, class T, int VECTORS, int THREADS, int BLOCKS>
__global__ void
__launch_bounds__(THREADS, BLOCKS)
	moments(const T *x, const T *y, size_t n, MomentWorkspace *work, GpuredAcc *result)
{
	constexpr int VARIABLES = MomentWindow<KIND, T>::VARIABLES;
	typedef MomentTile<T, VARIABLES, VECTORS> Tile;
	SHARED_DYNAMIC(MomentsShared<KIND>, shared);
	const size_t size = (size_t) blockDim.x * Tile::ROWS;
	const size_t stride = gridDim.x * size;
	size_t start = blockIdx.x * size;
	Tile now, next;

	now.load(x, y, n, start);
	moment_block_clear(shared.block);
	__syncthreads();

	ThreadMoments<KIND, T, Tile::ROWS> sums(shared);

	sums.anchor(now);
	for (;;)
	{
		/* Twice, so that the two tiles swap their parts without a copy. */
		start += stride;
		if (start < n)
			next.load(x, y, n, start);
		sums.add(now);
		if (start >= n)
			break;
		start += stride;
		if (start < n)
			now.load(x, y, n, start);
		sums.add(next);
		if (start >= n)
			break;
	}
	sums.finish();
	if (sums.seen)
		atomicOr(&shared.block.flags, (uint32_t) GPURED_EXACT_NOT_NEGZERO);
	moment_block_finish(shared.block, work, result);
}

#endif /* GPURED_MOMENTS_CUH */

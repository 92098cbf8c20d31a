/*
 * grouped_stage.cuh
 *	  Many groups: what a warp adds to the table in memory, four lanes a row.
 *
 * The memory's atomic units are what limits then, and one operation of theirs takes
 * 32 bytes of a record.  So a warp puts what it adds into shared memory, and four
 * lanes together add four neighbouring words of one record.
 */
#ifndef GPURED_GROUPED_STAGE_CUH
#define GPURED_GROUPED_STAGE_CUH

#include "grouped_rows.cuh"

/* What a warp adds to the table: the words of each row, an odd number apart. */
struct Stage
{
	uint64_t *mine; /* the thread's own */
	uint64_t *warp; /* of the warp's first lane */
	int stride;

	int first; /* the record's word that is the stage's first */

	__device__ __forceinline__ void put(int r, int word, uint64_t value) const
	{
		mine[r * WARP * stride + word - first] = value;
	}
};

static inline size_t
grouped_stage_bytes(int threads, int words)
{
	return (size_t) threads * GROUPED_ROWS * (words | 1) * 8;
}

/* Add what the warp has put down for a tile; four lanes for a row. */
static __device__ __forceinline__ void
grouped_add_staged(const GpuredGroups &g, const GroupsRows &rows, const Stage &stage,
				   const TileRows &tile)
{
	constexpr int LANES = 4;

	__syncwarp();
#pragma unroll
	for (int r = 0; r < GROUPED_ROWS; r++)
	{
#pragma unroll
		for (int start = 0; start < WARP; start += WARP / LANES)
		{
			const int row = start + lane_id() / LANES;
			const uint32_t slot = __shfl_sync(ALL_LANES, tile.slot[r], row);
			const uint64_t *from = stage.warp + (r * WARP + row) * stage.stride;

			if (slot != NO_SLOT)
				for (int word = lane_id() % LANES; word < rows.added_words; word += LANES)
					groups_add_word(g, slot, g.rows + word, from[word]);
		}
	}
	__syncwarp();
}

#endif /* GPURED_GROUPED_STAGE_CUH */

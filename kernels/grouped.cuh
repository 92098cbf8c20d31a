/*
 * grouped.cuh
 *	  Grouped aggregation: rows into the table of grouped_table.cuh.
 *
 * A persistent grid goes through tiles of rows.  A thread has several rows of a
 * tile at a time, finds their groups (grouped_rows.cuh), and then folds one aggregate
 * after the other (grouped_values.cuh), so that the list of aggregates is the same for
 * all threads and needs no compiler at run time.
 *
 * With few groups a block first aggregates in a table of its own (grouped_block.cuh),
 * which is added to the table at the end.  A key that finds no place in the block's
 * table goes to the global one at once, so that any number of groups is right.  With many
 * groups warps add to the table in memory row by row (grouped_stage.cuh).
 */
#ifndef GPURED_GROUPED_CUH
#define GPURED_GROUPED_CUH

#include "grouped_values.cuh"

constexpr int GROUPED_THREADS = 512;
constexpr int GROUPED_MOST_THREADS = 1024; /* of a block that has a multiprocessor for itself */
constexpr int GROUPED_STAGE_THREADS = 256;

template <class Key, bool SHARED_FIRST>
static __global__ void
__launch_bounds__(GROUPED_MOST_THREADS, 1) grouped_add(GpuredGroups g, GroupsRows rows)
{
	SHARED_DYNAMIC(uint64_t, shared);
	const size_t size = (size_t) blockDim.x * GROUPED_ROWS;
	SharedTable table;
	Stage stage;

	stage.stride = rows.added_words | 1;
	stage.first = g.rows;
	stage.warp = &shared + (size_t) warp_id() * WARP * GROUPED_ROWS * stage.stride;
	stage.mine = stage.warp + lane_id() * stage.stride;

	table.capacity = rows.shared_capacity;
	table.copies = rows.shared_copies;
	table.places = table.capacity << table.copies;
	table.key = &shared;
	table.extreme = reinterpret_cast<int64_t *>(table.key + table.capacity);
	table.word =
		reinterpret_cast<uint32_t *>(table.extreme + (size_t) rows.shared_extremes * table.places);
	if (SHARED_FIRST)
		grouped_begin(g, table, rows.shared_extremes, rows.shared_words);

	for (size_t start = blockIdx.x * size; start < rows.n; start += gridDim.x * size)
	{
		TileRows tile;
		int first = 1, extreme = 0;

		grouped_find<Key, SHARED_FIRST>(g, rows, table, start, tile);

		/* The rows themselves are word 0, without a carry. */
		if (SHARED_FIRST && tile.one_group)
		{
			if (lane_id() == 0)
				atomicAdd(&table.at(0, tile.place[0]), (uint32_t) (WARP * GROUPED_ROWS));
		}
		else
#pragma unroll
			for (int r = 0; r < GROUPED_ROWS; r++)
			{
				const uint32_t slot = tile.slot[r];

				if (!SHARED_FIRST)
					stage.put(r, g.rows, slot != NO_SLOT);
				else if (grouped_is_shared<SHARED_FIRST>(slot))
					atomicAdd(&table.at(0, tile.place[r]), (uint32_t) 1);
				else if (slot != NO_SLOT)
					groups_add_word(g, slot & ~GLOBAL_SLOT, g.rows, 1);
			}

		for (int a = 0; a < g.naggregates; a++)
		{
			const GpuredGroupsAggregate &aggregate = g.aggregate[a];
			const GpuredGroupsColumn &column = rows.column[a];
			auto number = [&](size_t row) -> int64_t
			{
				if (!grouped_is_valid(column.valid, row))
					return 0;
				return aggregate.kind < 0 ? 1 : grouped_int(column.values, aggregate.size, row);
			};

			if (aggregate.is_extreme)
			{
				grouped_add_extremes<SHARED_FIRST>(g, table, tile, extreme++, aggregate, column);
				continue;
			}
			if (aggregate.kind == GPURED_ACC_exact)
				grouped_add_floats<SHARED_FIRST>(g, table, stage, tile, first, aggregate, column);
			else if (aggregate.kind == GPURED_ACC_wide)
				grouped_add_ints<SHARED_FIRST, 2>(g, table, stage, tile, first, aggregate.word,
												  number);
			else
				grouped_add_ints<SHARED_FIRST, 1>(g, table, stage, tile, first, aggregate.word,
												  number);
			first += grouped_words_of(aggregate.kind) + 1;
		}
		if (!SHARED_FIRST)
			grouped_add_staged(g, rows, stage, tile);
	}
	if (SHARED_FIRST)
		grouped_flush(g, table);
}

#endif /* GPURED_GROUPED_CUH */

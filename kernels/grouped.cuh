/*
 * grouped.cuh
 *	  Grouped aggregation: rows into the table of grouped_table.cuh.
 *
 * A persistent grid goes through tiles of rows.  A thread has several rows of a
 * tile at a time, finds their groups, and then folds one aggregate after the
 * other, so that the list of aggregates is the same for all threads and needs no
 * compiler at run time.
 *
 * With few groups a block first aggregates in shared memory, where an atomic
 * addition takes a cycle, in a table of its own: keys, and for each group words
 * of 32 bits.  A number is cut into signed digits of 16 bits, each of which is
 * added to a word, and carries move every 2^14 rows, by all threads together; the
 * words have room for that many.  At the end the block's groups are added to the
 * table.  A key that finds no place in the block's table goes to the global one
 * at once, so that any number of groups is right.  If the rows of a warp are all
 * of one group, their digits are added up first.
 *
 * With many groups the memory's atomic units are what limits, and one operation of
 * theirs takes 32 bytes of a record.  So a warp puts what it adds into shared
 * memory, and four lanes together add four neighbouring words of one record.
 */
#ifndef GPURED_GROUPED_CUH
#define GPURED_GROUPED_CUH

#include "grouped_table.cuh"
#include "warp_reduce.cuh"

constexpr int GROUPED_THREADS = 512;
constexpr int GROUPED_STAGE_THREADS = 256;
#ifndef GROUPED_ROWS
#define GROUPED_ROWS 4 /* of a thread at a time */
#endif
constexpr int SHARED_DIGIT_BITS = 16;
constexpr int SHARED_ROWS = 16384 / GPURED_LIMIT_DIVISOR; /* a block's, until carries move */
constexpr uint32_t SHARED_PROBES = 16;

/* Slots of the global table, where a shared one is meant. */
constexpr uint32_t GLOBAL_SLOT = (uint32_t) 1 << 31;

struct GroupsRows
{
	GpuredGroupsColumn key;
	GpuredGroupsColumn column[GPURED_GROUPS_AGGREGATES];
	size_t n;
	uint32_t shared_capacity; /* a power of two */
	int shared_words;         /* 32 bits each */
	int shared_extremes;
	int used_words;         /* of a record */
	uint32_t extreme_words; /* a bit for each */
};

/* A block's table: places of keys, extremes, and words, each by slot. */
struct SharedTable
{
	uint64_t *key;
	int64_t *extreme;
	uint32_t *word;
	uint32_t capacity;

	/* The place of word or extreme i of a slot. */
	__device__ __forceinline__ uint32_t &at(int i, uint32_t slot) const
	{
		return word[(size_t) i * capacity + slot];
	}
	__device__ __forceinline__ int64_t &extreme_at(int i, uint32_t slot) const
	{
		return extreme[(size_t) i * capacity + slot];
	}
};

/* What a warp adds to the table: the words of each row, an odd number apart. */
struct Stage
{
	uint64_t *mine; /* the thread's own */
	uint64_t *warp; /* of the warp's first lane */
	int stride;

	__device__ __forceinline__ void put(int r, int word, uint64_t value) const
	{
		mine[(size_t) r * WARP * stride + word] = value;
	}
};

static inline size_t
grouped_stage_bytes(int threads, int used_words)
{
	return (size_t) threads * GROUPED_ROWS * (used_words | 1) * 8;
}

static inline size_t
grouped_shared_bytes(uint32_t capacity, int words, int extremes)
{
	return (size_t) capacity * (8 + 8 * extremes + 4 * words);
}

static __device__ __forceinline__ bool
grouped_is_valid(const uint32_t *valid, size_t row)
{
	return valid == nullptr || (valid[row / 32] >> row % 32 & 1) != 0;
}

/* Add one digit of each lane's number to its group's word. */
static __device__ __forceinline__ void
grouped_add_shared(const SharedTable &table, int i, uint32_t slot, int32_t digit, bool one_group)
{
	if (one_group)
	{
		digit = (int32_t) warp_sum((uint32_t) digit);
		if (lane_id() != 0)
			digit = 0;
	}
	if (digit != 0)
		atomicAdd(&table.at(i, slot), (uint32_t) digit);
}

/* Cut the lowest digit off. */
static __device__ __forceinline__ int32_t
grouped_digit(int64_t &value)
{
	const int32_t digit = (int16_t) value;

	/* what is left, without the overflow of a difference */
	value = (value >> SHARED_DIGIT_BITS) + (digit < 0);
	return digit;
}

/* Move carries up; by all threads of the block. */
static __device__ __forceinline__ void
grouped_move_carries(const GpuredGroups &g, const SharedTable &table)
{
	__syncthreads();
	for (uint32_t slot = threadIdx.x; slot < table.capacity; slot += blockDim.x)
	{
		int first = 1;

		if (table.key[slot] == EMPTY_KEY)
			continue;
		for (int a = 0; a < g.naggregates; a++)
		{
			const int digits = g.aggregate[a].digits;
			int32_t carry = 0;

			for (int d = 0; d < digits; d++)
			{
				const int32_t sum = (int32_t) table.at(first + d, slot) + carry;
				const int32_t digit = (int16_t) sum;

				table.at(first + d, slot) = (uint32_t) digit;
				carry = (sum - digit) >> SHARED_DIGIT_BITS;
			}
			if (digits > 0)
				table.at(first + digits, slot) += (uint32_t) carry;
			first += digits > 0 ? digits + 1 : 0;
		}
	}
	__syncthreads();
}

/* The number whose digits are from word "first" on, the last with all above. */
static __device__ __forceinline__ int64_t
grouped_join(const SharedTable &table, int first, uint32_t slot, int digits)
{
	int64_t value = 0;

	for (int d = digits - 1; d >= 0; d--)
		value = value * (1 << SHARED_DIGIT_BITS) + (int32_t) table.at(first + d, slot);
	return value;
}

/* Add the block's groups to the table; carries have moved. */
static __device__ __forceinline__ void
grouped_flush(const GpuredGroups &g, const SharedTable &table)
{
	for (uint32_t i = threadIdx.x; i < table.capacity; i += blockDim.x)
	{
		const uint64_t key = table.key[i];
		uint32_t slot;
		int first = 1, extreme = 0;

		if (key == EMPTY_KEY)
			continue;
		slot = groups_slot(g, key, false);
		if (slot == NO_SLOT)
			continue;
		groups_add_word(g, slot, 0, table.at(0, i));
		for (int a = 0; a < g.naggregates; a++)
		{
			const GpuredGroupsAggregate &aggregate = g.aggregate[a];
			const int digits = aggregate.digits;

			if (digits == 0)
			{
				groups_add_extreme(g, slot, aggregate.word, table.extreme_at(extreme++, i));
				continue;
			}
			if (aggregate.kind == GPURED_ACC_wide)
			{
				/* digits 0 and 1, then 2 and above */
				groups_add_word(g, slot, aggregate.word,
								(uint64_t) grouped_join(table, first, i, 2));
				groups_add_word(g, slot, aggregate.word + 1,
								(uint64_t) grouped_join(table, first + 2, i, 3));
			}
			else if (aggregate.kind == GPURED_ACC_exact)
			{
				groups_add_word(g, slot, aggregate.word,
								(uint64_t) grouped_join(table, first + 4, i, 3));
				groups_add_word(g, slot, aggregate.word + 1,
								(uint64_t) grouped_join(table, first + 2, i, 2));
				groups_add_word(g, slot, aggregate.word + 2,
								(uint64_t) grouped_join(table, first, i, 2));
			}
			else
				groups_add_word(g, slot, aggregate.word,
								(uint64_t) grouped_join(table, first, i, digits + 1));
			first += digits + 1;
		}
	}
}

/* Value "row" of an integer column of that size. */
static __device__ __forceinline__ int64_t
grouped_int(const void *values, int size, size_t row)
{
	switch (size)
	{
		case 2:
			return static_cast<const int16_t *>(values)[row];
		case 4:
			return static_cast<const int32_t *>(values)[row];
		default:
			return static_cast<const int64_t *>(values)[row];
	}
}

static __device__ __forceinline__ double
grouped_float(const void *values, int size, size_t row)
{
	return size == 4 ? static_cast<const float *>(values)[row]
					 : static_cast<const double *>(values)[row];
}

/*
 * A thread's rows of a tile: where their groups are.  A slot is one of the
 * block's table, or one of the global table with GLOBAL_SLOT, or NO_SLOT.
 */
struct TileRows
{
	size_t row[GROUPED_ROWS];
	uint32_t slot[GROUPED_ROWS];
	bool one_group[GROUPED_ROWS]; /* all of the warp, in the block's table */
};

template <bool SHARED_FIRST>
static __device__ __forceinline__ bool
grouped_is_shared(uint32_t slot)
{
	return SHARED_FIRST && slot < GLOBAL_SLOT;
}

/* An integer of every row: counts and sums of integers. */
template <bool SHARED_FIRST, class Number>
static __device__ __forceinline__ void
grouped_add_ints(const GpuredGroups &g, const SharedTable &table, const Stage &stage,
				 const TileRows &tile, int first, int digits, int word, bool wide, Number number)
{
#pragma unroll
	for (int r = 0; r < GROUPED_ROWS; r++)
	{
		const uint32_t slot = tile.slot[r];
		const int64_t value = slot != NO_SLOT ? number(tile.row[r]) : 0;

		if (!SHARED_FIRST)
		{
			const int32_t low = (int32_t) value;

			stage.put(r, word, (uint64_t) (wide ? low : value));
			if (wide)
				stage.put(r, word + 1, (uint64_t) ((value >> 32) + (low < 0)));
			continue;
		}
		if (SHARED_FIRST)
		{
			int64_t rest = value;

			if (tile.one_group[r] || grouped_is_shared<SHARED_FIRST>(slot))
			{
				for (int d = 0; d < digits; d++)
					grouped_add_shared(table, first + d, slot, grouped_digit(rest),
									   tile.one_group[r]);
				/* What the last digit left is a carry, of one or none. */
				grouped_add_shared(table, first + digits, slot, (int32_t) rest, tile.one_group[r]);
			}
		}
		if (slot != NO_SLOT && !grouped_is_shared<SHARED_FIRST>(slot))
		{
			const uint32_t place = slot & ~GLOBAL_SLOT;

			if (wide)
			{
				const int32_t low = (int32_t) value;

				groups_add_word(g, place, word, (uint64_t) (int64_t) low);
				groups_add_word(g, place, word + 1, (uint64_t) ((value >> 32) + (low < 0)));
			}
			else
				groups_add_word(g, place, word, (uint64_t) value);
		}
	}
}

template <bool SHARED_FIRST>
static __device__ __forceinline__ void
grouped_add_floats(const GpuredGroups &g, const SharedTable &table, const Stage &stage,
				   const TileRows &tile, int first, const GpuredGroupsAggregate &aggregate,
				   const GpuredGroupsColumn &column)
{
	const GroupsGrid grid = groups_grid(g.anchor[aggregate.sum]);
	double x[GROUPED_ROWS];

#pragma unroll
	for (int r = 0; r < GROUPED_ROWS; r++)
	{
		x[r] = 0;
		if (tile.slot[r] != NO_SLOT && grouped_is_valid(column.valid, tile.row[r]))
			x[r] = grouped_float(column.values, aggregate.size, tile.row[r]);
	}
#pragma unroll
	for (int r = 0; r < GROUPED_ROWS; r++)
	{
		const uint32_t slot = tile.slot[r];
		int64_t digit[GROUPS_DIGITS];

		if (!groups_cut(grid, x[r], digit))
		{
			uint32_t place = slot & ~GLOBAL_SLOT;

			if (grouped_is_shared<SHARED_FIRST>(slot))
				place = groups_slot(g, table.key[slot], false);
			if (place != NO_SLOT)
				groups_add_special(g, place, aggregate.sum, x[r]);
			digit[0] = digit[1] = digit[2] = 0;
		}
		if (!SHARED_FIRST)
		{
#pragma unroll
			for (int d = 0; d < GROUPS_DIGITS; d++)
				stage.put(r, aggregate.word + d, (uint64_t) digit[d]);
		}
		else if (tile.one_group[r] || grouped_is_shared<SHARED_FIRST>(slot))
		{
#pragma unroll
			for (int d = GROUPS_DIGITS - 1; d >= 0; d--)
			{
				int64_t rest = digit[d];
				const int place = first + 2 * (GROUPS_DIGITS - 1 - d);

				grouped_add_shared(table, place, slot, grouped_digit(rest), tile.one_group[r]);
				grouped_add_shared(table, place + 1, slot, (int32_t) rest, tile.one_group[r]);
			}
		}
		else if (slot != NO_SLOT)
		{
#pragma unroll
			for (int d = 0; d < GROUPS_DIGITS; d++)
				groups_add_word(g, slot & ~GLOBAL_SLOT, aggregate.word + d, (uint64_t) digit[d]);
		}
	}
}

template <bool SHARED_FIRST>
static __device__ __forceinline__ void
grouped_add_extremes(const GpuredGroups &g, const SharedTable &table, const Stage &stage,
					 const TileRows &tile, int extreme, const GpuredGroupsAggregate &aggregate,
					 const GpuredGroupsColumn &column)
{
	const bool is_float =
		aggregate.kind == GPURED_ACC_least_float || aggregate.kind == GPURED_ACC_greatest_float;
	const bool least =
		aggregate.kind == GPURED_ACC_least_float || aggregate.kind == GPURED_ACC_least_int;
	int64_t value[GROUPED_ROWS];

#pragma unroll
	for (int r = 0; r < GROUPED_ROWS; r++)
	{
		value[r] = INT64_MIN;
		if (tile.slot[r] == NO_SLOT || !grouped_is_valid(column.valid, tile.row[r]))
			continue;
		if (is_float)
			value[r] = groups_float_rank(grouped_float(column.values, aggregate.size, tile.row[r]));
		else
			value[r] = grouped_int(column.values, aggregate.size, tile.row[r]);
		if (least)
			value[r] = ~value[r];
	}
#pragma unroll
	for (int r = 0; r < GROUPED_ROWS; r++)
	{
		const uint32_t slot = tile.slot[r];

		if (!SHARED_FIRST)
			stage.put(r, aggregate.word, (uint64_t) value[r]);
		if (!SHARED_FIRST || slot == NO_SLOT || value[r] == INT64_MIN)
			continue;
		if (grouped_is_shared<SHARED_FIRST>(slot))
		{
			int64_t *place = &table.extreme_at(extreme, slot);

			if (value[r] > *static_cast<volatile int64_t *>(place))
				atomicMax(reinterpret_cast<long long *>(place), (long long) value[r]);
		}
		else
			groups_add_extreme(g, slot & ~GLOBAL_SLOT, aggregate.word, value[r]);
	}
}

/* Find the groups of a thread's rows. */
template <class Key, bool SHARED_FIRST>
static __device__ __forceinline__ void
grouped_find(const GpuredGroups &g, const GroupsRows &rows, const SharedTable &table, size_t start,
			 TileRows &tile)
{
	uint64_t key[GROUPED_ROWS];

#pragma unroll
	for (int r = 0; r < GROUPED_ROWS; r++)
	{
		tile.row[r] = start + (size_t) r * blockDim.x + threadIdx.x;
		key[r] = 0;
		if (tile.row[r] < rows.n && g.key_size > 0)
			key[r] = static_cast<const Key *>(rows.key.values)[tile.row[r]];
	}
#pragma unroll
	for (int r = 0; r < GROUPED_ROWS; r++)
	{
		uint32_t slot = NO_SLOT;

		if (tile.row[r] < rows.n)
		{
			const bool is_null = !grouped_is_valid(rows.key.valid, tile.row[r]);

			if (SHARED_FIRST && !is_null && key[r] != EMPTY_KEY)
				slot = groups_probe(table.key, table.capacity, SHARED_PROBES, key[r]);
			if (slot == NO_SLOT)
			{
				slot = groups_slot(g, key[r], is_null);
				if (slot != NO_SLOT)
					slot |= GLOBAL_SLOT;
			}
		}
		tile.slot[r] = slot;
		tile.one_group[r] = false;
		if (SHARED_FIRST)
		{
			const uint32_t first = __shfl_sync(ALL_LANES, slot, 0);

			tile.one_group[r] =
				__ballot_sync(ALL_LANES, slot == first) == ALL_LANES && first < GLOBAL_SLOT;
		}
	}
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
			const uint64_t *from = stage.warp + ((size_t) r * WARP + row) * stage.stride;

			if (slot == NO_SLOT)
				continue;
			for (int word = lane_id() % LANES; word < rows.used_words; word += LANES)
			{
				if ((rows.extreme_words >> word & 1) == 0)
					groups_add_word(g, slot & ~GLOBAL_SLOT, word, from[word]);
				else
					groups_add_extreme(g, slot & ~GLOBAL_SLOT, word, (int64_t) from[word]);
			}
		}
	}
	__syncwarp();
}

template <class Key, bool SHARED_FIRST>
static __global__ void
__launch_bounds__(GROUPED_THREADS, 2) grouped_add(GpuredGroups g, GroupsRows rows)
{
	SHARED_DYNAMIC(uint64_t, shared);
	const size_t size = (size_t) blockDim.x * GROUPED_ROWS;
	SharedTable table;
	Stage stage;
	size_t added = 0;

	stage.stride = rows.used_words | 1;
	stage.warp = &shared + (size_t) warp_id() * WARP * GROUPED_ROWS * stage.stride;
	stage.mine = stage.warp + lane_id() * stage.stride;

	table.capacity = rows.shared_capacity;
	table.key = &shared;
	table.extreme = reinterpret_cast<int64_t *>(table.key + table.capacity);
	table.word = reinterpret_cast<uint32_t *>(table.extreme +
											  (size_t) rows.shared_extremes * table.capacity);
	if (SHARED_FIRST)
	{
		for (uint32_t i = threadIdx.x; i < table.capacity; i += blockDim.x)
		{
			table.key[i] = EMPTY_KEY;
			for (int j = 0; j < rows.shared_extremes; j++)
				table.extreme_at(j, i) = INT64_MIN;
			for (int j = 0; j < rows.shared_words; j++)
				table.at(j, i) = 0;
		}
		__syncthreads();
	}

	for (size_t start = blockIdx.x * size; start < rows.n; start += gridDim.x * size)
	{
		TileRows tile;
		int first = 1, extreme = 0;

		if (SHARED_FIRST && added + size > SHARED_ROWS)
		{
			grouped_move_carries(g, table);
			added = 0;
		}
		added += size;
		grouped_find<Key, SHARED_FIRST>(g, rows, table, start, tile);

		/* The rows themselves are word 0, without a carry. */
#pragma unroll
		for (int r = 0; r < GROUPED_ROWS; r++)
		{
			const uint32_t slot = tile.slot[r];

			if (!SHARED_FIRST)
				stage.put(r, 0, slot != NO_SLOT);
			else if (tile.one_group[r] || grouped_is_shared<SHARED_FIRST>(slot))
				grouped_add_shared(table, 0, slot, 1, tile.one_group[r]);
			else if (slot != NO_SLOT)
				groups_add_word(g, slot & ~GLOBAL_SLOT, 0, 1);
		}

		for (int a = 0; a < g.naggregates; a++)
		{
			const GpuredGroupsAggregate &aggregate = g.aggregate[a];
			const GpuredGroupsColumn &column = rows.column[a];

			if (aggregate.digits == 0)
				grouped_add_extremes<SHARED_FIRST>(g, table, stage, tile, extreme++, aggregate,
												   column);
			else if (aggregate.kind == GPURED_ACC_exact)
				grouped_add_floats<SHARED_FIRST>(g, table, stage, tile, first, aggregate, column);
			else
				grouped_add_ints<SHARED_FIRST>(
					g, table, stage, tile, first, aggregate.digits, aggregate.word,
					aggregate.kind == GPURED_ACC_wide,
					[&](size_t row) -> int64_t
					{
						if (!grouped_is_valid(column.valid, row))
							return 0;
						return aggregate.kind < 0 ? 1
												  : grouped_int(column.values, aggregate.size, row);
					});
			first += aggregate.digits > 0 ? aggregate.digits + 1 : 0;
		}
		if (!SHARED_FIRST)
			grouped_add_staged(g, rows, stage, tile);
	}
	if (SHARED_FIRST)
	{
		grouped_move_carries(g, table);
		grouped_flush(g, table);
	}
}

/*
 * Choose the anchors that are not chosen yet, a block for each float sum, from
 * values that are spread over the rows.
 */
static __global__ void
grouped_anchor(GpuredGroups g, GroupsRows rows)
{
	constexpr size_t LOOK_AT = 16384;
	SHARED(uint32_t, largest);
	const size_t step = rows.n > LOOK_AT ? rows.n / LOOK_AT : 1;
	uint32_t field = 0;
	int size = 0;
	const GpuredGroupsColumn *column = nullptr;

	for (int a = 0; a < g.naggregates; a++)
	{
		if (g.aggregate[a].sum == (int) blockIdx.x)
		{
			column = &rows.column[a];
			size = g.aggregate[a].size;
		}
	}
	if (threadIdx.x == 0)
		largest = 0;
	__syncthreads();
	if (g.anchor[blockIdx.x] != 0)
		return;
	for (size_t i = threadIdx.x; i * step < rows.n && i < LOOK_AT; i += blockDim.x)
	{
		if (grouped_is_valid(column->valid, i * step))
		{
			const uint32_t f = exponent_field(grouped_float(column->values, size, i * step));

			field = f < 2023 && f > field ? f : field;
		}
	}
	atomicMax(&largest, field);
	__syncthreads();
	if (threadIdx.x == 0)
	{
		int anchor = largest > 0 ? (int) largest - 1022 + ANCHOR_ROOM : ORDINARY_ANCHOR;

		/* All magic numbers must be finite and normal. */
		anchor = anchor < -850 ? -850 : anchor > 960 ? 960 : anchor;
		g.anchor[blockIdx.x] = anchor + ANCHOR_OFFSET;
	}
}

/* An empty table.  Of the limbs, unless all of it is new, only the sets that were used are not
 * zero. */
static __global__ void
grouped_clear(GpuredGroups g, bool is_new)
{
	const size_t sets = is_new || g.status[1] > g.limb_sets ? g.limb_sets : g.status[1];
	const size_t slots = (size_t) g.capacity + 2;
	const size_t stride = (size_t) gridDim.x * blockDim.x;
	const size_t thread = (size_t) blockIdx.x * blockDim.x + threadIdx.x;

	for (size_t i = thread; i < slots; i += stride)
	{
		g.key[i] = EMPTY_KEY;
		for (int w = 0; w < g.nwords; w++)
			g.record[i * g.nwords + w] = 0;
		for (int a = 0; a < g.naggregates; a++)
		{
			if (g.aggregate[a].digits == 0)
				g.record[i * g.nwords + g.aggregate[a].word] = (uint64_t) INT64_MIN;
		}
		for (int s = 0; s < SPECIAL_WORDS * g.nsums; s++)
			g.special[i * SPECIAL_WORDS * g.nsums + s] = 0;
	}
	for (size_t i = thread; i < sets * LIMBS; i += stride)
		g.limbs[i] = 0;
	for (size_t i = thread; i < (size_t) g.nsums; i += stride)
		g.anchor[i] = 0;
}

/* After all blocks of grouped_clear have seen it. */
static __global__ void
grouped_clear_status(GpuredGroups g)
{
	if (threadIdx.x < 4)
		g.status[threadIdx.x] = 0;
}

/* Slots that have rows, one after another; a warp asks for room at once. */
static __global__ void
grouped_emit(GpuredGroups g, uint64_t *out)
{
	const size_t slots = (size_t) g.capacity + 2;
	const size_t stride = (size_t) gridDim.x * blockDim.x;
	const int length = 2 + g.nwords + SPECIAL_WORDS * g.nsums;

	for (size_t start = (size_t) blockIdx.x * blockDim.x; start < slots; start += stride)
	{
		const size_t i = start + threadIdx.x;
		const bool has_rows = i < slots && g.record[i * g.nwords] != 0;
		const uint32_t who = __ballot_sync(ALL_LANES, has_rows);
		uint32_t base = 0;
		uint64_t *to;

		if (lane_id() == 0 && who != 0)
			base = atomicAdd(&g.status[2], (uint32_t) __popc(who));
		base = __shfl_sync(ALL_LANES, base, 0);
		if (!has_rows)
			continue;
		to = out + (size_t) (base + __popc(who & (((uint32_t) 1 << lane_id()) - 1))) * length;
		to[0] = g.key[i];
		to[1] = i == (size_t) g.capacity + 1;
		for (int w = 0; w < g.nwords; w++)
			to[2 + w] = g.record[i * g.nwords + w];
		for (int s = 0; s < SPECIAL_WORDS * g.nsums; s++)
			to[2 + g.nwords + s] = g.special[i * SPECIAL_WORDS * g.nsums + s];
	}
}

#endif /* GPURED_GROUPED_CUH */

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
 * of 32 bits.  A number is an integer of one to three words and what is above,
 * which a word more takes.  What an atomic addition returns says whether the
 * next word gets a carry, so that any order of additions is right.  The
 * highest of the words begins with its upper bit, so that small sums do not go up and down
 * through zero, and the word above is seldom touched.  Of very few groups there are
 * several copies, one for some of the lanes each.  At the end the block's groups are added to
 * the table.  A key that finds no place in the block's table goes to the global one
 * at once, so that any number of groups is right.  If all rows of a warp's tile are
 * of one group, they are added up first.
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
constexpr int GROUPED_MOST_THREADS = 1024; /* of a block that has a multiprocessor for itself */
constexpr int GROUPED_STAGE_THREADS = 256;
#ifndef GROUPED_ROWS
#define GROUPED_ROWS 2 /* of a thread at a time */
#endif
constexpr uint32_t SHARED_PROBES = 16;
constexpr uint32_t SHARED_BIAS = (uint32_t) 1
								 << 31; /* what the highest word of a number begins with */

/* Slots of the global table, where a shared one is meant. */
constexpr uint32_t GLOBAL_SLOT = (uint32_t) 1 << 31;

struct GroupsRows
{
	GpuredGroupsColumn key;
	GpuredGroupsColumn column[GPURED_GROUPS_AGGREGATES];
	size_t n;
	uint32_t shared_capacity; /* a power of two */
	int shared_copies;        /* their logarithm */
	int shared_words;         /* 32 bits each */
	int shared_extremes;
	int added_words; /* of a record, from the rows on */
};

/*
 * A block's table: keys by slot; extremes and words, each by place, of which a slot
 * has one for each copy.
 */
struct SharedTable
{
	uint64_t *key;
	int64_t *extreme;
	uint32_t *word;
	uint32_t capacity;
	uint32_t places;
	int copies; /* their logarithm */

	/* Word or extreme i of a place. */
	__device__ __forceinline__ uint32_t &at(int i, uint32_t place) const
	{
		return word[(uint32_t) i * places + place];
	}
	__device__ __forceinline__ int64_t &extreme_at(int i, uint32_t place) const
	{
		return extreme[(uint32_t) i * places + place];
	}

	/* A lane's own. */
	__device__ __forceinline__ uint32_t place_of(uint32_t slot) const
	{
		return (slot << copies) + (lane_id() & ((1 << copies) - 1));
	}
};

/* What a group is emitted as: its key, whether that is NULL, its rows, then the record. */
constexpr int RECORD_AT = 3;

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

static inline size_t
grouped_shared_bytes(uint32_t capacity, int copies, int words, int extremes)
{
	return (size_t) capacity * (8 + (size_t) (8 * extremes + 4 * words) * ((size_t) 1 << copies));
}

static __device__ __forceinline__ bool
grouped_is_valid(const uint32_t *valid, size_t row)
{
	return valid == nullptr || (valid[row / 32] >> row % 32 & 1) != 0;
}

/* A number of WORDS words for each row of a thread; "above" is what they do not hold. */
template <int WORDS>
struct RowNumbers
{
	uint32_t word[WORDS][GROUPED_ROWS];
	int32_t above[GROUPED_ROWS];

	/* From digits of 32 bits, the highest first, that may be larger than that. */
	__device__ __forceinline__ void set(int r, const int64_t *digit)
	{
		int64_t carry = 0;

#pragma unroll
		for (int i = 0; i < WORDS; i++)
		{
			carry += digit[WORDS - 1 - i];
			word[i][r] = (uint32_t) carry;
			carry >>= 32;
		}
		above[r] = (int32_t) carry;
	}
};

/*
 * Add rows' numbers to the words from "first" on.  Nothing is added to a place
 * but what is not zero; word by word, so that the rows do not wait for each other.
 */
template <int WORDS>
static __device__ __forceinline__ void
grouped_add_shared(const SharedTable &table, int first, const uint32_t (&place)[GROUPED_ROWS],
				   const RowNumbers<WORDS> &x)
{
	uint32_t carry[GROUPED_ROWS];

#pragma unroll
	for (int r = 0; r < GROUPED_ROWS; r++)
		carry[r] = 0;
#pragma unroll
	for (int i = 0; i < WORDS; i++)
#pragma unroll
		for (int r = 0; r < GROUPED_ROWS; r++)
		{
			const uint32_t amount = x.word[i][r] + carry[r];

			/* All ones and a carry are nothing here, and a carry. */
			carry[r] = amount < carry[r];
			if (amount != 0)
			{
				const uint32_t before = atomicAdd(&table.at(first + i, place[r]), amount);

				carry[r] += before + amount < amount;
			}
		}
#pragma unroll
	for (int r = 0; r < GROUPED_ROWS; r++)
	{
		const uint32_t amount = (uint32_t) x.above[r] + carry[r];

		if (amount != 0)
			atomicAdd(&table.at(first + WORDS, place[r]), amount);
	}
}

/* If all rows are of one group: sum the digits of a thread's rows, then of the warp's. */
template <int WORDS>
static __device__ __forceinline__ void
grouped_add_one_group(const SharedTable &table, int first, const uint32_t (&place)[GROUPED_ROWS],
					  const int64_t (&digit)[WORDS])
{
	uint32_t mine[GROUPED_ROWS];
	RowNumbers<WORDS> x = {};
	int64_t sum[WORDS];

#pragma unroll
	for (int d = 0; d < WORDS; d++)
	{
		const uint32_t low = warp_sum((uint32_t) (digit[d] & 0x3fffff));
		const int32_t high = (int32_t) warp_sum((uint32_t) (int32_t) (digit[d] >> 22));

		sum[d] = (int64_t) low + (int64_t) high * (1 << 22);
		if (lane_id() != 0)
			sum[d] = 0;
	}
#pragma unroll
	for (int r = 0; r < GROUPED_ROWS; r++)
		mine[r] = place[0];
	x.set(0, sum);
	grouped_add_shared(table, first, mine, x);
}

/* The sum of a number's copies, as digits of 32 bits: the lowest, ..., and what is above. */
template <int WORDS>
static __device__ __forceinline__ void
grouped_join(const SharedTable &table, int first, uint32_t slot, int64_t *digit)
{
#pragma unroll
	for (int i = 0; i < WORDS; i++)
		digit[i] = 0;
	for (uint32_t place = slot << table.copies; place < (slot + 1) << table.copies; place++)
	{
#pragma unroll
		for (int i = 0; i < WORDS; i++)
			digit[i] += table.at(first + i, place);
		digit[WORDS - 1] +=
			(int64_t) ((uint64_t) (int64_t) (int32_t) table.at(first + WORDS, place) << 32) -
			(int64_t) SHARED_BIAS;
	}
}

/* Words of an aggregate in shared memory, but for the one above them. */
static __host__ __device__ __forceinline__ int
grouped_words_of(int kind)
{
	return kind == GPURED_ACC_exact ? GROUPS_DIGITS : kind == GPURED_ACC_wide ? 2 : 1;
}

/* An empty table: by all threads of the block. */
static __device__ __forceinline__ void
grouped_begin(const GpuredGroups &g, const SharedTable &table, int extremes, int words)
{
	int first = 1;

	for (uint32_t i = threadIdx.x; i < table.capacity; i += blockDim.x)
		table.key[i] = EMPTY_KEY;
	for (uint32_t i = threadIdx.x; i < table.places; i += blockDim.x)
	{
		for (int j = 0; j < extremes; j++)
			table.extreme_at(j, i) = INT64_MIN;
		for (int j = 0; j < words; j++)
			table.at(j, i) = 0;
	}
	for (int a = 0; a < g.naggregates; a++)
	{
		const int highest = first + grouped_words_of(g.aggregate[a].kind) - 1;

		if (g.aggregate[a].is_extreme)
			continue;
		for (uint32_t i = threadIdx.x; i < table.places; i += blockDim.x)
			table.at(highest, i) = SHARED_BIAS;
		first = highest + 2;
	}
	__syncthreads();
}

/* Add the block's groups to the table. */
static __device__ __forceinline__ void
grouped_flush(const GpuredGroups &g, const SharedTable &table)
{
	__syncthreads();
	for (uint32_t i = threadIdx.x; i < table.capacity; i += blockDim.x)
	{
		const uint64_t key = table.key[i];
		uint64_t rows = 0;
		uint32_t slot;
		int first = 1, extreme = 0;

		if (key == EMPTY_KEY)
			continue;
		slot = groups_slot(g, key, false);
		if (slot == NO_SLOT)
			continue;
		for (uint32_t place = i << table.copies; place < (i + 1) << table.copies; place++)
			rows += table.at(0, place);
		groups_add_word(g, slot, g.rows, rows);
		for (int a = 0; a < g.naggregates; a++)
		{
			const GpuredGroupsAggregate &aggregate = g.aggregate[a];
			int64_t digit[GROUPS_DIGITS];

			if (aggregate.is_extreme)
			{
				int64_t value = INT64_MIN;

				for (uint32_t place = i << table.copies; place < (i + 1) << table.copies; place++)
				{
					const int64_t other = table.extreme_at(extreme, place);

					value = other > value ? other : value;
				}
				groups_add_extreme(g, slot, aggregate.word, value);
				extreme++;
				continue;
			}
			if (aggregate.kind == GPURED_ACC_exact)
			{
				/* A record has the highest first. */
				grouped_join<GROUPS_DIGITS>(table, first, i, digit);
				for (int d = 0; d < GROUPS_DIGITS; d++)
					groups_add_word(g, slot, aggregate.word + d,
									(uint64_t) digit[GROUPS_DIGITS - 1 - d]);
			}
			else if (aggregate.kind == GPURED_ACC_wide)
			{
				grouped_join<2>(table, first, i, digit);
				groups_add_word(g, slot, aggregate.word, (uint64_t) digit[0]);
				groups_add_word(g, slot, aggregate.word + 1, (uint64_t) digit[1]);
			}
			else
			{
				grouped_join<1>(table, first, i, digit);
				groups_add_word(g, slot, aggregate.word, (uint64_t) digit[0]);
			}
			first += grouped_words_of(aggregate.kind) + 1;
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
	size_t first; /* the thread's first row; others are as far apart as the block is long */
	uint32_t slot[GROUPED_ROWS];
	uint32_t place[GROUPED_ROWS]; /* of a slot of the block's table, else any */
	bool one_group;               /* all of the warp, in the block's table */
	bool any_global;              /* some of the warp's are not there */

	__device__ __forceinline__ size_t row(int r) const { return first + (uint32_t) r * blockDim.x; }
};

/* The values of a thread's rows; of those that are not there, or NULL, "none". */
template <class T, class Wide>
static __device__ __forceinline__ void
grouped_load(const TileRows &tile, const GpuredGroupsColumn &column, Wide none,
			 Wide (&x)[GROUPED_ROWS])
{
	const T *values = static_cast<const T *>(column.values);

#pragma unroll
	for (int r = 0; r < GROUPED_ROWS; r++)
		x[r] = tile.slot[r] != NO_SLOT ? (Wide) values[tile.row(r)] : none;
	if (column.valid != nullptr)
#pragma unroll
		for (int r = 0; r < GROUPED_ROWS; r++)
			if (tile.slot[r] != NO_SLOT && !grouped_is_valid(column.valid, tile.row(r)))
				x[r] = none;
}

template <bool SHARED_FIRST>
static __device__ __forceinline__ bool
grouped_is_shared(uint32_t slot)
{
	return SHARED_FIRST && slot < GLOBAL_SLOT;
}

/* Add numbers, digits with the highest first, to the block's table. */
template <int WORDS>
static __device__ __forceinline__ void
grouped_add_numbers(const SharedTable &table, const TileRows &tile, int first,
					int64_t (&digit)[GROUPED_ROWS][WORDS])
{
	RowNumbers<WORDS> x;

	if (tile.one_group)
	{
#pragma unroll
		for (int r = 1; r < GROUPED_ROWS; r++)
#pragma unroll
			for (int d = 0; d < WORDS; d++)
				digit[0][d] += digit[r][d];
		grouped_add_one_group<WORDS>(table, first, tile.place, digit[0]);
		return;
	}
#pragma unroll
	for (int r = 0; r < GROUPED_ROWS; r++)
		x.set(r, digit[r]);
	grouped_add_shared<WORDS>(table, first, tile.place, x);
}

/* An integer of every row: counts and sums of integers; WORDS of 32 bits, as digits. */
template <bool SHARED_FIRST, int WORDS, class Number>
static __device__ __forceinline__ void
grouped_add_ints(const GpuredGroups &g, const SharedTable &table, const Stage &stage,
				 const TileRows &tile, int first, int word, Number number)
{
	int64_t digit[GROUPED_ROWS][WORDS];

#pragma unroll
	for (int r = 0; r < GROUPED_ROWS; r++)
	{
		const uint32_t slot = tile.slot[r];
		const int64_t value = slot != NO_SLOT ? number(tile.row(r)) : 0;
		const bool wide = WORDS == 2;
		const int64_t low = wide ? (int32_t) value : value;
		const int64_t high = (value >> 32) + (low < 0);

		if (!SHARED_FIRST)
		{
			stage.put(r, word, (uint64_t) low);
			if (wide)
				stage.put(r, word + 1, (uint64_t) high);
			continue;
		}
		if (tile.any_global && slot != NO_SLOT && !grouped_is_shared<SHARED_FIRST>(slot))
		{
			groups_add_word(g, slot & ~GLOBAL_SLOT, word, (uint64_t) low);
			if (wide)
				groups_add_word(g, slot & ~GLOBAL_SLOT, word + 1, (uint64_t) high);
		}
#pragma unroll
		for (int d = 0; d < WORDS; d++)
			digit[r][d] = !grouped_is_shared<SHARED_FIRST>(slot) ? 0 : wide && d == 0 ? high : low;
	}
	if (SHARED_FIRST)
		grouped_add_numbers<WORDS>(table, tile, first, digit);
}

template <bool SHARED_FIRST>
static __device__ __forceinline__ void
grouped_add_floats(const GpuredGroups &g, const SharedTable &table, const Stage &stage,
				   const TileRows &tile, int first, const GpuredGroupsAggregate &aggregate,
				   const GpuredGroupsColumn &column)
{
	const GroupsGrid grid = groups_grid(g.anchor[aggregate.sum]);
	double x[GROUPED_ROWS];
	int64_t digit[GROUPED_ROWS][GROUPS_DIGITS];

	if (aggregate.size == 4)
		grouped_load<float>(tile, column, 0.0, x);
	else
		grouped_load<double>(tile, column, 0.0, x);
#pragma unroll
	for (int r = 0; r < GROUPED_ROWS; r++)
	{
		const uint32_t slot = tile.slot[r];

		if (!groups_cut(grid, x[r], digit[r]))
		{
			uint32_t place = slot & ~GLOBAL_SLOT;

			if (grouped_is_shared<SHARED_FIRST>(slot))
				place = groups_slot(g, table.key[slot], false);
			if (place != NO_SLOT)
				groups_add_special(g, place, aggregate.sum, x[r]);
			digit[r][0] = digit[r][1] = digit[r][2] = 0;
		}
		if (!SHARED_FIRST)
		{
#pragma unroll
			for (int d = 0; d < GROUPS_DIGITS; d++)
				stage.put(r, aggregate.word + d, (uint64_t) digit[r][d]);
		}
		else if (tile.any_global && !grouped_is_shared<SHARED_FIRST>(slot))
		{
#pragma unroll
			for (int d = 0; d < GROUPS_DIGITS; d++)
			{
				if (slot != NO_SLOT)
					groups_add_word(g, slot & ~GLOBAL_SLOT, aggregate.word + d,
									(uint64_t) digit[r][d]);
				digit[r][d] = 0;
			}
		}
	}
	if (SHARED_FIRST)
		grouped_add_numbers<GROUPS_DIGITS>(table, tile, first, digit);
}

static __device__ __forceinline__ int64_t
grouped_rank(double x)
{
	return groups_float_rank(x);
}

static __device__ __forceinline__ int64_t
grouped_rank(float x)
{
	return groups_float_rank((double) x);
}

static __device__ __forceinline__ int64_t
grouped_rank(int64_t x)
{
	return x;
}

static __device__ __forceinline__ int64_t
grouped_rank(int32_t x)
{
	return x;
}

static __device__ __forceinline__ int64_t
grouped_rank(int16_t x)
{
	return x;
}

/* What the greatest is wanted of, for rows' values; INT64_MIN for none. */
template <class T>
static __device__ __forceinline__ void
grouped_load_ranks(const TileRows &tile, const GpuredGroupsColumn &column, bool least,
				   int64_t (&value)[GROUPED_ROWS])
{
	T x[GROUPED_ROWS];

	grouped_load<T>(tile, column, T(0), x);
#pragma unroll
	for (int r = 0; r < GROUPED_ROWS; r++)
	{
		const bool here = tile.slot[r] != NO_SLOT && grouped_is_valid(column.valid, tile.row(r));
		const int64_t rank = grouped_rank(x[r]);

		value[r] = !here ? INT64_MIN : least ? ~rank : rank;
	}
}

template <bool SHARED_FIRST>
static __device__ __forceinline__ void
grouped_add_extremes(const GpuredGroups &g, const SharedTable &table, const TileRows &tile,
					 int extreme, const GpuredGroupsAggregate &aggregate,
					 const GpuredGroupsColumn &column)
{
	const bool is_float =
		aggregate.kind == GPURED_ACC_least_float || aggregate.kind == GPURED_ACC_greatest_float;
	const bool least =
		aggregate.kind == GPURED_ACC_least_float || aggregate.kind == GPURED_ACC_least_int;
	int64_t value[GROUPED_ROWS];

	switch (is_float ? -aggregate.size : aggregate.size)
	{
		case -4:
			grouped_load_ranks<float>(tile, column, least, value);
			break;
		case -8:
			grouped_load_ranks<double>(tile, column, least, value);
			break;
		case 2:
			grouped_load_ranks<int16_t>(tile, column, least, value);
			break;
		case 4:
			grouped_load_ranks<int32_t>(tile, column, least, value);
			break;
		default:
			grouped_load_ranks<int64_t>(tile, column, least, value);
	}
	if constexpr (!SHARED_FIRST)
	{
		int64_t present[GROUPED_ROWS];

		/* A stale value is too small, never too large. */
#pragma unroll
		for (int r = 0; r < GROUPED_ROWS; r++)
			present[r] =
				value[r] == INT64_MIN
					? INT64_MAX
					: (int64_t) g.record[(size_t) tile.slot[r] * g.nwords + aggregate.word];
#pragma unroll
		for (int r = 0; r < GROUPED_ROWS; r++)
			if (value[r] > present[r])
				groups_add_extreme(g, tile.slot[r], aggregate.word, value[r]);
	}
	else
#pragma unroll
		for (int r = 0; r < GROUPED_ROWS; r++)
		{
			const uint32_t slot = tile.slot[r];

			if (slot == NO_SLOT || value[r] == INT64_MIN)
				continue;
			if (grouped_is_shared<SHARED_FIRST>(slot))
			{
				int64_t *place = &table.extreme_at(extreme, tile.place[r]);

				if (value[r] > *static_cast<volatile int64_t *>(place))
					atomicMax(reinterpret_cast<long long *>(place), (long long) value[r]);
			}
			else
				groups_add_extreme(g, slot & ~GLOBAL_SLOT, aggregate.word, value[r]);
		}
}

/*
 * Look on for the keys of rows (a bit of "rest" each) that are not where the
 * block's table has been looked at first, row after row; what finds no place is left
 * in "rest".  A thread's rows share the loop: few of a warp's need it.
 */
static __device__ __forceinline__ void
grouped_probe_shared(const SharedTable &table, const uint64_t (&key)[GROUPED_ROWS],
					 uint32_t (&slot)[GROUPED_ROWS], uint32_t &rest)
{
	uint32_t lost = 0, probes = 0;

	while (rest != 0)
	{
		const int row = __ffsll((long long) rest) - 1;
		uint64_t wanted = key[0], there;
		uint32_t at = slot[0];

#pragma unroll
		for (int r = 1; r < GROUPED_ROWS; r++)
		{
			wanted = row == r ? key[r] : wanted;
			at = row == r ? slot[r] : at;
		}
		there = table.key[at];
		if (there == EMPTY_KEY)
			there = groups_claim(&table.key[at], wanted);
		if (there == wanted || there == EMPTY_KEY || ++probes > SHARED_PROBES)
		{
			lost |= probes > SHARED_PROBES ? rest & (0 - rest) : 0;
			rest &= rest - 1;
			probes = 0;
		}
		else
			at = (at + 1) & (table.capacity - 1);
#pragma unroll
		for (int r = 0; r < GROUPED_ROWS; r++)
			slot[r] = row == r ? at : slot[r];
	}
	rest = lost;
}

/* Find the groups of a thread's rows. */
template <class Key, bool SHARED_FIRST>
static __device__ __forceinline__ void
grouped_find(const GpuredGroups &g, const GroupsRows &rows, const SharedTable &table, size_t start,
			 TileRows &tile)
{
	const bool whole = start + (size_t) blockDim.x * GROUPED_ROWS <= rows.n;
	uint64_t key[GROUPED_ROWS], there[GROUPED_ROWS];
	uint32_t here = 0, nulls = 0, rest = 0; /* bits of rows */
	bool same = true;

	tile.first = start + threadIdx.x;
#pragma unroll
	for (int r = 0; r < GROUPED_ROWS; r++)
	{
		here |= whole || tile.row(r) < rows.n ? 1 << r : 0;
		key[r] = 0;
		if ((here >> r & 1) != 0 && g.key_size > 0)
			key[r] = static_cast<const Key *>(rows.key.values)[tile.row(r)];
	}
	if (rows.key.valid != nullptr)
#pragma unroll
		for (int r = 0; r < GROUPED_ROWS; r++)
			if ((here >> r & 1) != 0 && !grouped_is_valid(rows.key.valid, tile.row(r)))
				nulls |= 1 << r;

				/* Nearly all are where they are looked for first: these reads do not wait for each
				 * other. */
#pragma unroll
	for (int r = 0; r < GROUPED_ROWS; r++)
	{
		tile.slot[r] = groups_hash(key[r], SHARED_FIRST ? table.capacity : g.capacity);
		there[r] =
			SHARED_FIRST ? table.key[tile.slot[r]] : g.record[(size_t) tile.slot[r] * g.nwords];
	}

	/* Rows without a key, and those beyond the last, are in no block's table. */
#pragma unroll
	for (int r = 0; r < GROUPED_ROWS; r++)
		if (there[r] != key[r] || key[r] == EMPTY_KEY)
			rest |= 1 << r;
	rest |= nulls | ~here;
	rest &= (1 << GROUPED_ROWS) - 1;
	if (SHARED_FIRST && rest != 0)
	{
		uint32_t out = nulls | ~here;

#pragma unroll
		for (int r = 0; r < GROUPED_ROWS; r++)
		{
			out |= key[r] == EMPTY_KEY ? 1 << r : 0;
			if (there[r] != EMPTY_KEY && (rest >> r & 1) != 0)
				tile.slot[r] = (tile.slot[r] + 1) & (table.capacity - 1);
		}
		out &= rest;
		rest &= ~out;
		grouped_probe_shared(table, key, tile.slot, rest);
		rest |= out;
	}
	if (rest != 0)
#pragma unroll
		for (int r = 0; r < GROUPED_ROWS; r++)
			if ((rest >> r & 1) != 0)
			{
				uint32_t slot = NO_SLOT;

				if ((here >> r & 1) != 0)
					slot = groups_slot(g, key[r], (nulls >> r & 1) != 0);
				if (SHARED_FIRST && slot != NO_SLOT)
					slot |= GLOBAL_SLOT;
				tile.slot[r] = slot;
			}
	if (!SHARED_FIRST)
		return;

	/* Rows beyond the last are global, so to say: they are nowhere. */
	tile.any_global = __ballot_sync(ALL_LANES, rest != 0) != 0;
#pragma unroll
	for (int r = 0; r < GROUPED_ROWS; r++)
	{
		tile.place[r] = tile.slot[r] < GLOBAL_SLOT ? table.place_of(tile.slot[r]) : 0;
		same = same && tile.slot[r] == tile.slot[0];
	}

	const uint32_t first = __shfl_sync(ALL_LANES, tile.slot[0], 0);

	same = same && tile.slot[0] == first;
	tile.one_group = __ballot_sync(ALL_LANES, same) == ALL_LANES && !tile.any_global;
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

	uint32_t extremes = 0; /* a bit for each word */

	for (int a = 0; a < g.naggregates; a++)
		extremes |= g.aggregate[a].is_extreme ? (uint32_t) 1 << g.aggregate[a].word : 0;

	/* In the order of memory. */
	for (size_t i = thread; i < slots * g.nwords; i += stride)
	{
		const uint32_t word = (uint32_t) (i % (uint32_t) g.nwords);

		g.record[i] = word == 0                     ? EMPTY_KEY
					  : (extremes >> word & 1) != 0 ? (uint64_t) INT64_MIN
													: 0;
	}
	for (size_t i = thread; i < slots * SPECIAL_WORDS * g.nsums; i += stride)
		g.special[i] = 0;
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

/* Slots that have rows, one after another; a warp asks for room at once, and writes group by group.
 */
static __global__ void
grouped_emit(GpuredGroups g, uint64_t *out)
{
	const size_t slots = (size_t) g.capacity + 2;
	const size_t stride = (size_t) gridDim.x * blockDim.x;
	const int length = RECORD_AT + g.nwords + SPECIAL_WORDS * g.nsums;

	for (size_t start = (size_t) blockIdx.x * blockDim.x; start < slots; start += stride)
	{
		const size_t i = start + threadIdx.x;
		const uint64_t rows = i < slots ? g.record[i * g.nwords + g.rows] : 0;
		uint32_t who = __ballot_sync(ALL_LANES, rows != 0);
		uint32_t base = 0;

		if (who == 0)
			continue;
		if (lane_id() == 0)
			base = atomicAdd(&g.status[2], (uint32_t) __popc(who));
		base = __shfl_sync(ALL_LANES, base, 0);
		for (; who != 0; who &= who - 1, base++)
		{
			const size_t slot = i - lane_id() + (__ffsll((long long) who) - 1);
			const uint64_t *record = g.record + slot * g.nwords;
			const uint32_t *special = g.special + slot * SPECIAL_WORDS * g.nsums;

			for (int w = lane_id(); w < length; w += WARP)
				out[(size_t) base * length + w] = w == 0   ? record[0]
												  : w == 1 ? slot == (size_t) g.capacity + 1
												  : w == 2 ? record[g.rows]
												  : w < RECORD_AT + g.nwords
													  ? record[w - RECORD_AT]
													  : special[w - RECORD_AT - g.nwords];
		}
	}
}

#endif /* GPURED_GROUPED_CUH */

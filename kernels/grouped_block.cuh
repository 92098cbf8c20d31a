/*
 * grouped_block.cuh
 *	  A block's own table of groups in shared memory, where an atomic addition
 *	  takes a cycle.
 *
 * It has keys, and for each group words of 32 bits.  A number is an integer of one
 * to three words and what is above, which a word more takes.  What an atomic addition
 * returns says whether the next word gets a carry, so that any order of additions is
 * right.  The highest of the words begins with its upper bit, so that small sums do not
 * go up and down through zero, and the word above is seldom touched.  Of very few groups
 * there are several copies, one for some of the lanes each.  If all rows of a warp's
 * tile are of one group, they are added up first.
 *
 * At the end the block's groups are added to the table of grouped_table.cuh.
 */
#ifndef GPURED_GROUPED_BLOCK_CUH
#define GPURED_GROUPED_BLOCK_CUH

#include "grouped_table.cuh"
#include "warp_reduce.cuh"

#ifndef GROUPED_ROWS
#define GROUPED_ROWS 2 /* of a thread at a time */
#endif
constexpr uint32_t SHARED_PROBES = 16;
constexpr uint32_t SHARED_BIAS = (uint32_t) 1
								 << 31; /* what the highest word of a number begins with */

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

static inline size_t
grouped_shared_bytes(uint32_t capacity, int copies, int words, int extremes)
{
	return (size_t) capacity * (8 + (size_t) (8 * extremes + 4 * words) * ((size_t) 1 << copies));
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

#endif /* GPURED_GROUPED_BLOCK_CUH */

/*
 * grouped_table.cuh
 *	  The hash table of grouped aggregation, and what a group's record takes.
 *
 * A record is of 64-bit words, to which only additions (and maxima) are made, by
 * atomics that return nothing, so that their order does not matter:
 *
 *		the key
 *		an extreme			one word, of least values the complement
 *		the rows
 *		a count				one word
 *		a sum of int2, int4	one word
 *		a sum of int8		the lower 32 bits, signed, and what is above
 *		a sum of floats		three digits of 32 bits
 *
 * What is looked at comes first, then, in other sectors of 32 bytes if one is not enough,
 * what is added to: a row costs a read of a few words and additions to a few.
 *
 * A digit is signed, at most 2^31, so that words have room for 2^31 rows.  The
 * three digits of a float are cut off by floating-point additions, as in
 * exact_window.cuh: 96 bits down from a power of two, the anchor, that all groups
 * share.  NaN, infinities, -0 and floats that do not fit are for
 * groups_add_special.
 */
#ifndef GPURED_GROUPED_TABLE_CUH
#define GPURED_GROUPED_TABLE_CUH

#include "exact_block.cuh"
#include "launch_grouped.h"

constexpr uint64_t EMPTY_KEY = ~(uint64_t) 0;
constexpr uint32_t NO_SLOT = ~(uint32_t) 0;

/* At half its capacity, a table's longest chain of keys is far shorter. */
constexpr uint32_t MOST_PROBES = 4096;

constexpr int GROUPS_DIGITS = 3;
constexpr int GROUPS_DIGIT_BITS = 32;

/* How an anchor is stored, since 0 means that there is none. */
constexpr int ANCHOR_OFFSET = 4096;
constexpr int ANCHOR_ROOM = 6; /* exponents above the largest value seen first */
constexpr int ORDINARY_ANCHOR = 40;

/* By slot and float sum, in GpuredGroups.special: flags, -0s, the set of limbs. */
constexpr int SPECIAL_WORDS = 3;
constexpr uint32_t SET_IN_MAKING = ~(uint32_t) 0;
constexpr uint32_t NO_SET = ~(uint32_t) 1;

struct GroupsGrid
{
	double bound; /* values below it in size fit */
	double magic[GROUPS_DIGITS];
};

static __device__ __forceinline__ int
groups_digit_unit(int anchor, int d)
{
	return anchor - GROUPS_DIGIT_BITS * (d + 1) + 1;
}

/* 1.5 * 2^exponent, so that it is seen that the lower half of its pattern is zero. */
static __device__ __forceinline__ double
groups_magic(int exponent)
{
	return __hiloint2double((exponent + 1023) << 20 | 1 << 19, 0);
}

static __device__ __forceinline__ GroupsGrid
groups_grid(int stored_anchor)
{
	GroupsGrid grid;

	grid.bound = power_of_two(stored_anchor - ANCHOR_OFFSET);
#pragma unroll
	for (int d = 0; d < GROUPS_DIGITS; d++)
		grid.magic[d] = groups_magic(groups_digit_unit(stored_anchor - ANCHOR_OFFSET, d) + 52);
	return grid;
}

/* Cut x into digits; false if it does not fit, or is -0. */
static __device__ __forceinline__ bool
groups_cut(const GroupsGrid &grid, double x, int64_t (&digit)[GROUPS_DIGITS])
{
	double rest = x;
	bool fits = fabs(x) < grid.bound && not_negative_zero(x) != 0;

#pragma unroll
	for (int d = 0; d < GROUPS_DIGITS; d++)
	{
		const double shifted = rest + grid.magic[d];
		const double part = shifted - grid.magic[d];

		digit[d] = (int64_t) ((uint64_t) __double_as_longlong(shifted) -
							  (uint64_t) __double_as_longlong(grid.magic[d]));
		if (d < GROUPS_DIGITS - 1)
			rest = rest - part;
		else
			fits = fits && part == rest;
	}
	return fits;
}

/* The place among "capacity" where a key is looked for first: neighbours lie far from each other.
 */
static __device__ __forceinline__ uint32_t
groups_hash(uint64_t key, uint32_t capacity)
{
	const uint32_t hash = (uint32_t) ((key * 0xd6e8feb86659fd93u) >> 32);

	return (uint32_t) ((uint64_t) hash * capacity >> 32);
}

static __device__ __forceinline__ uint64_t
groups_claim(uint64_t *place, uint64_t key)
{
	return atomicCAS(reinterpret_cast<unsigned long long *>(place), (unsigned long long) EMPTY_KEY,
					 (unsigned long long) key);
}

/*
 * The slot of a key among "capacity" places, "stride" words from one to the next,
 * which is made if there is none; NO_SLOT after so many probes.  A key that is
 * there stays, so that a stale read finds an empty place at worst, and then the
 * atomic knows better.
 */
static __device__ __forceinline__ uint32_t
groups_probe(uint64_t *place, int stride, uint32_t capacity, uint32_t probes, uint64_t key)
{
	uint32_t slot = groups_hash(key, capacity);

#pragma unroll 1
	for (uint32_t i = 0; i < probes; i++)
	{
		uint64_t there = place[(size_t) slot * stride];

		if (there == EMPTY_KEY)
			there = groups_claim(&place[(size_t) slot * stride], key);
		if (there == key || there == EMPTY_KEY)
			return slot;
		slot = (slot + 1) & (capacity - 1);
	}
	return NO_SLOT;
}

/* The slot in the table; NO_SLOT if it is full, which the status then says. */
static __device__ __forceinline__ uint32_t
groups_slot(const GpuredGroups &g, uint64_t key, bool is_null)
{
	uint32_t slot;

	if (is_null)
		return g.capacity + 1;
	if (key == EMPTY_KEY)
		return g.capacity;
	slot = groups_probe(g.record, g.nwords, g.capacity, MOST_PROBES, key);
	if (slot == NO_SLOT)
		atomicOr(&g.status[0], (uint32_t) GPURED_GROUPS_FULL);
	return slot;
}

static __device__ __forceinline__ void
groups_add_word(const GpuredGroups &g, uint32_t slot, int word, uint64_t value)
{
	if (value != 0)
		atomicAdd(
			reinterpret_cast<unsigned long long *>(&g.record[(size_t) slot * g.nwords + word]),
			(unsigned long long) value);
}

static __device__ __forceinline__ void
groups_add_extreme(const GpuredGroups &g, uint32_t slot, int word, int64_t value)
{
	long long *place = reinterpret_cast<long long *>(&g.record[(size_t) slot * g.nwords + word]);

	/* A stale value is too small, never too large. */
	if (value > *place)
		atomicMax(place, (long long) value);
}

/*
 * The group's set of limbs, numbered from 1; 0 if there is no more.  The first
 * thread that asks takes one, and others that ask at that moment wait: else each
 * of a warp's threads would take one.
 */
static __device__ __forceinline__ uint32_t
groups_limb_set(uint32_t *where, uint32_t *status, uint32_t limb_sets)
{
	uint32_t set = load_fresh(where);

	while (set == 0 || set == SET_IN_MAKING)
	{
		set = atomicCAS(where, (uint32_t) 0, SET_IN_MAKING);
		if (set == 0)
		{
			set = atomicAdd(&status[1], (uint32_t) 1) + 1;
			if (set > limb_sets)
			{
				atomicOr(&status[0], (uint32_t) GPURED_GROUPS_NO_LIMBS);
				set = NO_SET;
			}
			atomicCAS(where, SET_IN_MAKING, set);
		}
	}
	return set == NO_SET ? 0 : set;
}

/*
 * A float that is not for the digits.  (The object itself is not an argument: a
 * kernel would keep it in memory for that.)
 */
static __device__ __noinline__ void
groups_take_special(uint32_t *special, uint64_t *limbs, uint32_t *status, uint32_t limb_sets,
					double x)
{
	unsigned long long *limb;
	uint32_t set;
	int bit, shift;
	int64_t mantissa, upper;

	if (exponent_field(x) == SPECIAL_FIELD)
	{
		atomicOr(&special[0], special_flag(x));
		return;
	}
	if (not_negative_zero(x) == 0)
	{
		atomicAdd(&special[1], (uint32_t) 1);
		return;
	}
	set = groups_limb_set(&special[2], status, limb_sets);
	if (set == 0)
		return;
	mantissa = exact_split(x, &bit);
	limb = reinterpret_cast<unsigned long long *>(limbs + (size_t) (set - 1) * LIMBS + bit / 32);
	shift = bit % 32;
	upper = shift == 0 ? mantissa >> 32 : mantissa >> (32 - shift);
	atomicAdd(limb, (unsigned long long) (uint32_t) ((uint64_t) mantissa << shift));
	atomicAdd(limb + 1, (unsigned long long) (uint32_t) upper);
	atomicAdd(limb + 2, (unsigned long long) (upper >> 32));
}

static __device__ __forceinline__ void
groups_add_special(const GpuredGroups &g, uint32_t slot, int sum, double x)
{
	groups_take_special(&g.special[((size_t) slot * g.nsums + sum) * SPECIAL_WORDS], g.limbs,
						g.status, g.limb_sets, x);
}

/* PostgreSQL's order of floats as integers; of least values, the complement. */
static __device__ __forceinline__ int64_t
groups_float_rank(double x)
{
	const int64_t bits = __double_as_longlong(x);

	return x != x ? INT64_MAX : bits < 0 ? bits ^ INT64_MAX : bits;
}

#endif /* GPURED_GROUPED_TABLE_CUH */

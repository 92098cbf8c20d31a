/*
 * exact_block.cuh
 *	  A block's exact accumulator in shared memory, and the way from all blocks
 *	  to one GpuredExact.
 *
 * The grid of limbs is that of exact.h: limb j counts 2^(32 j - 1100).  A limb
 * is kept as two 32-bit words, since shared memory adds 32 bits in one
 * instruction but 64 bits only in a loop of compare-and-swap.  The carry out
 * of the low word is known from the value that the atomic returns, so words
 * may be added in any order by any thread.
 */
#ifndef GPURED_EXACT_BLOCK_CUH
#define GPURED_EXACT_BLOCK_CUH

#include "exact/exact.h"
#include "grid_reduce.cuh"

constexpr int LIMBS = GPURED_EXACT_LIMBS;

/* Private sums are emptied long before they could overflow; tests do it sooner. */
#ifndef GPURED_LIMIT_DIVISOR
#define GPURED_LIMIT_DIVISOR 1
#endif

/*
 * A finite float8 is (-1)^sign * mantissa * 2^(field - 1075), field being 1 for
 * subnormals: its lowest bit is bit field + FIELD_TO_BIT of the limbs.
 */
constexpr int FIELD_TO_BIT = -1075 - GPURED_EXACT_BIT0;
constexpr int SPECIAL_FIELD = 0x7ff;

struct ExactBlock
{
	uint32_t low[LIMBS];
	uint32_t high[LIMBS];
	uint32_t flags; /* GPURED_EXACT_* */
	bool is_last;
};

/*
 * The limbs of all blocks, several times over, since atomics on one address
 * are done one after the other: a block adds to one of the copies.
 */
constexpr int WORKSPACE_COPIES = 4;

struct ExactWorkspace
{
	uint32_t ticket;
	uint32_t flags;
	alignas(128) unsigned long long limb[WORKSPACE_COPIES][(LIMBS + 15) / 16 * 16];
};

static __device__ __forceinline__ int
exponent_field(double x)
{
	return (__double2hiint(x) >> 20) & SPECIAL_FIELD;
}

static __device__ __forceinline__ double
power_of_two(int exponent)
{
	return __hiloint2double((exponent + 1023) << 20, 0);
}

/* Which special value x is, as a flag of exact.h. */
static __device__ __forceinline__ uint32_t
special_flag(double x)
{
	return x != x ? GPURED_EXACT_NAN : x > 0 ? GPURED_EXACT_PINF : GPURED_EXACT_NINF;
}

/* Nonzero unless x is -0. */
static __device__ __forceinline__ uint32_t
not_negative_zero(double x)
{
	return (uint32_t) (__double2hiint(x) ^ (int) 0x80000000) | (uint32_t) __double2loint(x);
}

static __device__ __forceinline__ uint32_t
not_negative_zero(float x)
{
	return (uint32_t) __float_as_int(x) ^ 0x80000000u;
}

/* By all threads of the block; the caller synchronizes. */
static __device__ __forceinline__ void
exact_block_clear(ExactBlock &block)
{
	for (int j = threadIdx.x; j < LIMBS; j += blockDim.x)
		block.low[j] = block.high[j] = 0;
	if (threadIdx.x == 0)
		block.flags = 0;
}

static __device__ __forceinline__ void
exact_block_add_limb(ExactBlock &block, int j, uint32_t low, uint32_t high)
{
	if (low != 0)
	{
		uint32_t before = atomicAdd(&block.low[j], low);

		high += before + low < low;
	}
	if (high != 0)
		atomicAdd(&block.high[j], high);
}

/* block += k * 2^bit, counted from bit 0 of the limbs; one thread. */
static __device__ __noinline__ void
exact_block_add(ExactBlock &block, int64_t k, int bit)
{
	const int j = bit / 32;
	const int shift = bit % 32;
	const int64_t upper = shift == 0 ? k >> 32 : k >> (32 - shift);

	exact_block_add_limb(block, j, (uint32_t) ((uint64_t) k << shift), 0);
	exact_block_add_limb(block, j + 1, (uint32_t) upper, 0);
	exact_block_add_limb(block, j + 2, (uint32_t) (upper >> 32), (uint32_t) (upper >> 63));
}

/* Split a finite x into a signed mantissa and the bit where it starts. */
static __device__ __forceinline__ int64_t
exact_split(double x, int *bit)
{
	const int field = exponent_field(x);
	const int64_t bits = __double_as_longlong(x);
	int64_t mantissa = bits & 0xfffffffffffff;

	if (field != 0)
		mantissa |= 0x10000000000000;
	*bit = (field == 0 ? 1 : field) + FIELD_TO_BIT;
	return bits < 0 ? -mantissa : mantissa;
}

/* Any x, special values too. */
static __device__ __noinline__ void
exact_block_add_value(ExactBlock &block, double x)
{
	int bit;
	int64_t mantissa;

	if (exponent_field(x) == SPECIAL_FIELD)
	{
		atomicOr(&block.flags, special_flag(x));
		return;
	}
	mantissa = exact_split(x, &bit);
	if (mantissa != 0)
		exact_block_add(block, mantissa, bit);
}

/*
 * Add every lane's k[d] * 2^bit[d], "bit" being the same in the warp.  The
 * values are cut so that sums of 32 pieces fit a word, and each sum is added by
 * a lane of its own, all at once.
 */
template <int COUNT>
static __device__ __forceinline__ void
exact_block_add_warp(ExactBlock &block, const int64_t (&k)[COUNT], const int (&bit)[COUNT])
{
	int64_t mine = 0;
	int at = 0;

	static_assert(2 * COUNT <= WARP, "two lanes for each value");
#pragma unroll
	for (int d = 0; d < COUNT; d++)
	{
		const uint32_t low = warp_sum((uint32_t) (k[d] & 0x3fffff));
		const uint32_t middle = warp_sum((uint32_t) ((k[d] >> 22) & 0x3fffff));
		const int32_t high = (int32_t) warp_sum((uint32_t) (int32_t) (k[d] >> 44));

		if (lane_id() == 2 * d)
		{
			mine = (int64_t) low + ((int64_t) middle << 22);
			at = bit[d];
		}
		if (lane_id() == 2 * d + 1)
		{
			mine = high;
			at = bit[d] + 44;
		}
	}
	if (mine != 0)
		exact_block_add(block, mine, at);
}

/* Limb j as a signed integer. */
static __device__ __forceinline__ int64_t
exact_block_limb(const ExactBlock &block, int j)
{
	return (int64_t) ((uint64_t) block.high[j] << 32 | block.low[j]);
}

/*
 * Add this block to the workspace; the last block moves the workspace into
 * *result and leaves it zero.  What is above 32 bits goes to the next limb, so
 * that no number of blocks overflows a limb.
 */
static __device__ __forceinline__ void
exact_block_finish(ExactBlock &block, ExactWorkspace *work, GpuredAcc *result)
{
	unsigned long long *copy = work->limb[blockIdx.x % WORKSPACE_COPIES];

	__syncthreads();
	for (int j = threadIdx.x; j < LIMBS - 1; j += blockDim.x)
	{
		const int64_t limb = exact_block_limb(block, j);
		const uint32_t low = (uint32_t) limb;
		const int64_t high = limb >> 32;

		if (low != 0)
			atomicAdd(&copy[j], (unsigned long long) low);
		if (high != 0)
			atomicAdd(&copy[j + 1], (unsigned long long) high);
	}
	if (threadIdx.x == 0 && block.flags != 0)
		atomicOr(&work->flags, block.flags);
	if (!grid_last_block(&work->ticket, block.is_last))
		return;

	for (int j = threadIdx.x; j < LIMBS; j += blockDim.x)
	{
		uint64_t limb = 0;

#pragma unroll
		for (int i = 0; i < WORKSPACE_COPIES; i++)
		{
			limb += load_fresh(&work->limb[i][j]);
			work->limb[i][j] = 0;
		}
		result->v.exact.limb[j] = (int64_t) limb;
	}
	if (threadIdx.x == 0)
	{
		result->v.exact.flags = load_fresh(&work->flags);
		result->v.exact.pending = 2 * gridDim.x;
		work->flags = 0;
	}
}

#endif /* GPURED_EXACT_BLOCK_CUH */

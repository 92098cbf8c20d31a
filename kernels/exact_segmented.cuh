/*
 * exact_segmented.cuh
 *	  Exact sums of the segments of an array of float8 or float4, each rounded
 *	  once.
 *
 * Values are cut into the digits of exact_ring.cuh, on grids that a sample has
 * chosen, and segmented.cuh reduces those.  A segment with bits below
 * the last digit, or too large for the first, is summed again by a block of
 * its own, as limbs.
 */
#ifndef GPURED_EXACT_SEGMENTED_CUH
#define GPURED_EXACT_SEGMENTED_CUH

#include "exact_ring.cuh"
#include "launch.cuh"
#include "segmented.cuh"

constexpr int EXACT_SEGMENT_THREADS = 128;

/* The digits, as an operator. */
struct SumDigits
{
	typedef RingState State;
	typedef ExactRing8<WARP, 2, 4> Ring;

	static __device__ __forceinline__ State identity() { return Ring::identity(); }
	static __device__ __forceinline__ State combine(const State &a, const State &b)
	{
		return Ring::combine(a, b);
	}
};

template <class T>
struct ExactSegments
{
	const T *values;
	T *out;
	const ExactRingPlan *plan;
	uint8_t *again; /* a byte a segment: to be summed again */

	__device__ __forceinline__ RingState at(size_t i) const
	{
		double x = (double) values[i];
		RingState s = SumDigits::identity();
		const double bound = __hiloint2double((int) plan->bound, 0);

		if (not_negative_zero(x) != 0)
			s.flags |= RING_SEEN;
		if (exponent_field(x) == SPECIAL_FIELD)
			s.flags |= special_flag(x);
		else if (!plan->wanted || !(fabs(x) < bound))
			s.flags |= RING_BAD;
		else
		{
#pragma unroll
			for (int d = 0; d < RING_DIGITS; d++)
			{
				const double magic = 1.5 * power_of_two(plan->unit - d * RING_DIGIT_BITS + 52);
				const double shifted = x + magic;

				s.digit[d] = __double_as_longlong(shifted) - __double_as_longlong(magic);
				x = x - (shifted - magic);
			}
			if (x != 0)
				s.flags |= RING_INEXACT;
		}
		return s;
	}

	__device__ __forceinline__ void put(size_t i, const RingState &s) const
	{
		const int bit = plan->unit - (RING_DIGITS - 1) * RING_DIGIT_BITS - GPURED_EXACT_BIT0;
		WideInt<RING_DIGITS> sum = SumWide<RING_DIGITS>::identity();

		if ((s.flags & (RING_SPECIALS | RING_SEEN)) != RING_SEEN)
		{
			out[i] = ExactRing<T, WARP, 2, 4, RING8_TOP_BITS, RING8_TOP_BITS>::settle(s.flags);
			return;
		}
		if ((s.flags & (RING_BAD | RING_INEXACT)) != 0)
		{
			again[i] = 1;
			return;
		}
#pragma unroll
		for (int d = 0; d < RING_DIGITS; d++)
		{
			const int at = (RING_DIGITS - 1 - d) * RING_DIGIT_BITS;
			const uint64_t sign = (uint64_t) (s.digit[d] >> 63);
			WideInt<RING_DIGITS> part;

#pragma unroll
			for (int w = 0; w < RING_DIGITS; w++)
				part.word[w] = w < at / 64    ? 0
							   : w == at / 64 ? (uint64_t) s.digit[d] << at % 64
							   : w == at / 64 + 1 && at % 64 > 0
								   ? (uint64_t) (s.digit[d] >> (64 - at % 64))
								   : sign;
			sum = SumWide<RING_DIGITS>::combine(sum, part);
		}
		out[i] = exact_round<T>(sum, false, bit, T(0));
	}
};

/* Normalized limbs, rounded once: the three highest digits, and whether more follow. */
template <class T>
static __device__ __noinline__ T
exact_limbs_round(const int64_t *limb)
{
	const uint32_t fill = limb[LIMBS - 1] < 0 ? 0xffffffffu : 0;
	int top = LIMBS - 1;
	bool sticky = false;
	WideInt<2> v;

	while (top > 2 && (uint32_t) limb[top] == fill)
		top--;
	for (int j = top - 3; j >= 0 && !sticky; j--)
		sticky = (uint32_t) limb[j] != 0;
	v.word[1] = (uint64_t) fill << 32 | (uint32_t) limb[top];
	v.word[0] = (uint64_t) (uint32_t) limb[top - 1] << 32 | (uint32_t) limb[top - 2];
	return exact_round<T>(v, sticky, 32 * (top - 2), T(0));
}

struct ExactSegmentShared
{
	ExactBlock block;
	int64_t limb[LIMBS];
};

template <class T>
__global__ void
__launch_bounds__(EXACT_SEGMENT_THREADS)
	exact_segmented_again(ExactSegments<T> items, const uint64_t *offset, size_t segments)
{
	SHARED(ExactSegmentShared, shared);

	for (size_t i = blockIdx.x; i < segments; i += gridDim.x)
	{
		if (items.again[i] == 0)
			continue;
		exact_block_clear(shared.block);
		__syncthreads();
		for (uint64_t at = offset[i] + threadIdx.x; at < offset[i + 1]; at += blockDim.x)
			exact_block_add_value(shared.block, (double) items.values[at]);
		__syncthreads();
		if (threadIdx.x == 0)
		{
			int64_t carry = 0;

			for (int j = 0; j < LIMBS; j++)
			{
				const int64_t sum = exact_block_limb(shared.block, j) + carry;

				carry = sum >> 32;
				shared.limb[j] = j < LIMBS - 1 ? (int64_t) (uint32_t) sum : sum;
			}
			items.out[i] = exact_limbs_round<T>(shared.limb);
		}
		__syncthreads();
	}
}

/*
 * Bytes of workspace, of which nothing need be cleared.
 */
static inline size_t
exact_segmented_workspace(size_t n, size_t segments)
{
	const size_t blocks = tiles_of(n + segments, SEGMENTED_TILE);

	return sizeof(ExactRingPlan) + segments + 64 +
		   blocks * (sizeof(SegmentedState<RingState>) + sizeof(RingState) + sizeof(uint64_t));
}

/* out[i] is the sum of segment i; -0 if it is empty.  Returns a cudaError_t. */
template <class T>
static int
exact_segmented_sum(const T *values, size_t n, const uint64_t *offset, size_t segments, T *out,
					void *workspace, cudaStream_t stream)
{
	typedef ExactSegments<T> Items;
	typedef SumDigits Op;
	const size_t blocks = tiles_of(n + segments, SEGMENTED_TILE);
	unsigned char *at = static_cast<unsigned char *>(workspace);
	SegmentedWork<RingState> work;
	Items items;
	ExactRingPlan *plan = reinterpret_cast<ExactRingPlan *>(at);

	at += (sizeof(ExactRingPlan) + 15) / 16 * 16;
	work.open = reinterpret_cast<SegmentedState<RingState> *>(at);
	at += blocks * sizeof(*work.open);
	work.ended = reinterpret_cast<RingState *>(at);
	at += blocks * sizeof(*work.ended);
	work.first = reinterpret_cast<uint64_t *>(at);
	at += blocks * sizeof(*work.first);
	items = Items{values, out, plan, at};

	LAUNCH((exact_ring_prepare<T, double>), segments < 65536 ? 1 : 33, RING_SAMPLE_THREADS, 0,
		   stream, values, n, nullptr, nullptr, (size_t) 0, plan, items.again, segments);
	LAUNCH((segmented_reduce<Op, Items>), blocks, SEGMENTED_THREADS, 0, stream, items, n, offset,
		   segments, work);
	LAUNCH(segmented_open<Op>, 1, 512, 0, stream, work.open, blocks);
	LAUNCH((segmented_close<Op, Items>), tiles_of(blocks, 256), 256, 0, stream, items, work,
		   blocks);
	LAUNCH(exact_segmented_again<T>, segments < 1024 ? segments : 1024, EXACT_SEGMENT_THREADS, 0,
		   stream, items, offset, segments);
	return cudaGetLastError();
}

#endif /* GPURED_EXACT_SEGMENTED_CUH */

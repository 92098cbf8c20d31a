/*
 * exact_ring_totals.cuh
 *	  The total of a thread's stretch in the digits of exact_digits.cuh: the first
 *	  of the ring's two ways through its values.
 *
 * A value's digit is what a magic number leaves of it, as an integer in the lower bits
 * of the sum; patterns are summed, and those of the magic numbers taken away at the
 * end.  So a digit costs four additions a value, and no branch: as many digits are
 * looked at as most of the warp needed last, and more if something is left below.
 *
 * If values are not finite or too large, or the digits come to zero, the stretch is
 * summed once more, with an eye on each value for its flags.
 *
 * The additions are those of exact_window.cuh, which has their source.
 */
#ifndef GPURED_EXACT_RING_TOTALS_CUH
#define GPURED_EXACT_RING_TOTALS_CUH

#include "exact_ring_plan.cuh"

/* What a thread remembers of its stretch, and a block of all stretches of a tile. */
struct RingStretch
{
	int64_t before[RING_DIGITS]; /* in the warp */
	int digits; /* that most of the warp had to look at; one if a single integer did */
};

template <int THREADS>
struct RingTile
{
	uint32_t flags;        /* of the tile */
	uint8_t flag[THREADS]; /* of each stretch */
};

/*
 * The values' first DIGITS digits; one: as integers of the second digit's unit.  Returns
 * how many digits are needed after all.
 */
template <int DIGITS, int ITEMS, class T>
static __device__ __forceinline__ int
ring_total_of(const RingStart<T> &start, const T *stretch, RingState *s, uint32_t *largest)
{
	constexpr int LENGTH = Vector<T>::LENGTH;
	constexpr int LAST = DIGITS == 1 ? 1 : DIGITS - 1;
	constexpr int FIRST = LAST - (DIGITS - 1);
	const Vector<T> *vector = reinterpret_cast<const Vector<T> *>(stretch);
	uint64_t sum[RING_DIGITS] = {0, 0, 0};
	uint64_t used = 0; /* of the third digit */
	bool below = false;

#pragma unroll
	for (int i = 0; i < ITEMS / LENGTH; i++)
	{
		const Vector<T> v = vector[i];

#pragma unroll
		for (int k = 0; k < LENGTH; k++)
		{
			const uint32_t size = ring_size(v.value[k]);
			double x = (double) v.value[k];

			*largest = size > *largest ? size : *largest;
#pragma unroll
			for (int d = FIRST; d <= LAST; d++)
			{
				const double shifted = x + start.magic[d];
				const uint64_t bits = (uint64_t) __double_as_longlong(shifted);

				sum[d] += bits;
				if (d == RING_DIGITS - 1)
					used |= bits ^ (uint64_t) __double_as_longlong(start.magic[d]);
				if (d < LAST)
					x = x - (shifted - start.magic[d]);
				else if (DIGITS < RING_DIGITS)
					below |= shifted - start.magic[d] != x;
				else /* not by !=, which makes exact_scan_short spill more */
					below |= x - (shifted - start.magic[d]) != 0;
			}
		}
	}
#pragma unroll
	for (int d = FIRST; d <= LAST; d++)
		s->digit[d] = (int64_t) (sum[d] - ITEMS * (uint64_t) __double_as_longlong(start.magic[d]));
	if (DIGITS == 1)
		return below || *largest >= start.single_bound ? 2 : 1;
	if (DIGITS == 2)
		return below ? 3 : RingFormat<T>::SINGLE && *largest < start.single_bound ? 1 : 2;
	s->flags |= (used != 0 ? RING_REST : 0) | (below ? RING_INEXACT : 0);
	return used != 0 || below ? 3 : 2;
}

/* Any values: all digits, and the flags. */
template <int ITEMS, class T>
static __device__ __forceinline__ uint32_t
ring_total_with_care(const RingStart<T> &start, const T *stretch, int64_t *digit)
{
	constexpr int LENGTH = Vector<T>::LENGTH;
	const Vector<T> *vector = reinterpret_cast<const Vector<T> *>(stretch);
	uint32_t flags = 0;

#pragma unroll
	for (int d = 0; d < RING_DIGITS; d++)
		digit[d] = 0;
#pragma unroll 1
	for (int i = 0; i < ITEMS / LENGTH; i++)
	{
		const Vector<T> v = vector[i];

#pragma unroll
		for (int k = 0; k < LENGTH; k++)
		{
			double x = (double) v.value[k];

			x = start.look_at(v.value[k], x, &flags);
#pragma unroll
			for (int d = 0; d < RING_DIGITS; d++)
			{
				const double shifted = x + start.magic[d];

				digit[d] += __double_as_longlong(shifted) - __double_as_longlong(start.magic[d]);
				x = x - (shifted - start.magic[d]);
				if (d == 1)
					flags |= x != 0 ? RING_REST : 0;
			}
			flags |= x != 0 ? RING_INEXACT : 0;
		}
	}
	return flags;
}

/* The digits of a thread's stretch: what is before it in the warp, and the warp's total. */
static __device__ __forceinline__ void
ring_scan_stretches(RingState s, RingStretch *mine, RingState *warp_total)
{
	const uint32_t flags = warp_or(s.flags);
	int64_t own[RING_DIGITS];

#pragma unroll
	for (int d = 0; d < RING_DIGITS; d++)
		own[d] = s.digit[d];
	s = RingDigits::scan_digits(s, flags);
	s.flags = flags;
#pragma unroll
	for (int d = 0; d < RING_DIGITS; d++)
		mine->before[d] = s.digit[d] - own[d];
	if (lane_id() == WARP - 1)
		*warp_total = s;
}

/* Sum a stretch, by as many digits as the warp had to look at last. */
template <int ITEMS, int THREADS, class T>
static __device__ __forceinline__ void
ring_total(const RingStart<T> &start, RingTile<THREADS> &tile, const T *stretch, RingStretch *mine,
		   RingState *warp_total)
{
	uint32_t largest = 0;
	int digits = mine->digits;
	RingState s = {{0, 0, 0}, RING_SEEN, 0};

	if (RingFormat<T>::SINGLE && digits <= 1 && start.single_bound != 0)
		digits = ring_total_of<1, ITEMS>(start, stretch, &s, &largest);
	else if (digits <= 1)
		digits = 2;
	if (digits == 2)
		digits = ring_total_of<2, ITEMS>(start, stretch, &s, &largest);
	if (digits == 3 && largest < start.bound)
		digits = ring_total_of<3, ITEMS>(start, stretch, &s, &largest);
	if (largest >= start.bound || (s.digit[0] | s.digit[1] | s.digit[2]) == 0)
		s.flags = ring_total_with_care<ITEMS>(start, stretch, s.digit);
	__syncwarp();

	const int threes = __popc(__ballot_sync(ALL_LANES, digits >= 3));
	const int twos = __popc(__ballot_sync(ALL_LANES, digits >= 2));

	mine->digits = threes > WARP / 2 ? 3 : twos > WARP / 2 ? 2 : 1;
	tile.flag[threadIdx.x] = (uint8_t) (s.flags | (digits == 1 ? RING_SINGLE : 0));
	ring_scan_stretches(s, mine, warp_total);
}

#endif /* GPURED_EXACT_RING_TOTALS_CUH */

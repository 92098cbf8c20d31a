/*
 * exact_ring_prefixes.cuh
 *	  The prefixes of a thread's stretch, each rounded once, from the digits of
 *	  what is before it: the second of the ring's two ways through its values.
 *
 * Digits are floating-point numbers here, of 53 bits.  Most values have two digits,
 * and most prefixes are the sum of two numbers: one addition rounds it correctly to
 * float8, and one that is rounded to odd may be rounded to float4 afterwards.  If
 * something is known to lie below the second digit, though less than a unit of it, then
 * half a unit on that side stands for it, as long as the result is so large that
 * rounding cannot see the difference.  A thread whose prefix is near zero takes the
 * slower way, with three.
 *
 * Values with a third digit bring no more than half a unit of the second, so that a
 * range is known for each prefix: where both of its ends round alike, two digits are
 * enough again.
 *
 * What is below the third digit has been left out (RING_INEXACT).  The error is at most
 * half a unit a value: a prefix is right if both ends of that range round alike.
 *
 * Source of the rounding of three terms: S. Boldo and G. Melquiond, "Emulation
 * of FMA and correctly rounded sums: proved algorithms using rounding to odd",
 * 2008.
 */
#ifndef GPURED_EXACT_RING_PREFIXES_CUH
#define GPURED_EXACT_RING_PREFIXES_CUH

#include "exact_ring_totals.cuh"

template <class T, int THREADS, int ITEMS>
struct RingPrefixes
{
	typedef RingFormat<T> Format;
	typedef RingStart<T> Start;
	typedef RingState State;
	typedef RingTile<THREADS> Shared;
	static constexpr int TILE = THREADS * ITEMS;
	static constexpr int LENGTH = Vector<T>::LENGTH;
	static_assert(ITEMS < 1 << (53 - RING_DIGIT_BITS),
				  "digits of a stretch, another one and half a unit fit 53 bits");

	/* The flags of all before this thread in its warp. */
	static __device__ __forceinline__ uint32_t flags_before(const Shared &shared)
	{
		uint32_t flags = 0;

#pragma unroll 1
		for (uint32_t i = threadIdx.x - lane_id(); i < threadIdx.x; i++)
			flags |= shared.flag[i];
		return flags;
	}

	/* Whether a value up to the first of this thread was not -0: it need not find all. */
	static __device__ __forceinline__ bool has_seen(const Shared &shared, uint32_t before,
													const T *stretch)
	{
		if (lane_id() > 0)
			before |= shared.flag[threadIdx.x - lane_id()];
		return (before & RING_SEEN) != 0 || not_negative_zero(stretch[0]) != 0;
	}

	/* If a prefix is special and nothing in the tile changes that, so are all of the tile. */
	static __device__ __forceinline__ bool all_special(uint32_t before, uint32_t here)
	{
		return (before & GPURED_EXACT_NAN) != 0 ||
			   (before & RING_SPECIALS) == (GPURED_EXACT_PINF | GPURED_EXACT_NINF) ||
			   ((before & RING_SPECIALS) != 0 && (here & RING_SPECIALS) == 0);
	}

	static __device__ __forceinline__ void fill(T *out, T value)
	{
#pragma unroll
		for (int i = 0; i < ITEMS; i++)
			out[i] = value;
	}

	/* For exact_scan.cuh. */
	static __device__ __forceinline__ void mark(const ExactRingSetup &setup, size_t tile)
	{
		const size_t first = tile * TILE / EXACT_SCAN_TILE;
		const size_t last = (tile * TILE + TILE - 1) / EXACT_SCAN_TILE;

		for (size_t t = first; t <= last && t < setup.num_marks; t++)
			setup.marks[t] = 1;
		setup.plan->marked = 1;
	}

	/*
	 * The prefixes of one stretch, the cheapest way that is sure of them, or one
	 * after the other.
	 */
	static __device__ __forceinline__ void rescan(const Start &start, const ExactRingSetup &setup,
												  const Shared &shared, const State &base,
												  const State &warp_before, const RingStretch &mine,
												  size_t tile, const T *stretch, T *out)
	{
		const Vector<T> *vector = reinterpret_cast<const Vector<T> *>(stretch);
		const uint32_t before = base.flags | start.carry_inexact;
		const uint32_t here = shared.flags;
		const int64_t error =
			((before | here) & RING_INEXACT) != 0 ? (int64_t) (tile + 1) * TILE + 2 : 0;
		int64_t digit[RING_DIGITS];

#pragma unroll
		for (int d = 0; d < RING_DIGITS; d++)
			digit[d] = base.digit[d] + warp_before.digit[d] + mine.before[d];
		ring_normalize(digit);

		/* Which side of the second digit the rest is on. */
		const int64_t rest = digit[2];
		const int side = rest > error ? 1 : rest < -error ? -1 : 0;

		/* Whether all of the tile are finite sums, and two digits say them. */
		const bool plain = ((before | here) & (RING_SPECIALS | RING_BAD)) == 0 &&
						   has_seen(shared, before | warp_before.flags, stretch);
		const bool easy = (shared.flag[threadIdx.x] & RING_REST) == 0 && (side != 0 || error == 0);

		if (all_special(before, here))
		{
			fill(out, ring_settle<T>(before | here));
			return;
		}
		if (!RingDigits::fits(digit[0], RING_TOP_BITS))
			mark(setup, tile);
		if (plain && !easy && rescan_in_range(start, digit, stretch, out))
			return;
		if (Format::SINGLE && plain && easy && (shared.flag[threadIdx.x] & RING_SINGLE) != 0 &&
			RingDigits::fits(digit[0], RING_SINGLE_TOP_BITS))
		{
			if (rescan_as_one(start, digit, side, stretch, out))
				return;
		}
		else if (plain && easy)
		{
			Vector<T> result[ITEMS / LENGTH];
			double high = start.to_double(digit[0], 0);
			double low = start.to_double(digit[1], 1);
			uint32_t smallest = ~0u;

			if (side != 0)
			{
				const double half = 0.5 * start.to_double(side, 1);

				low += half;
			}
#pragma unroll
			for (int i = 0; i < ITEMS / LENGTH; i++)
			{
				const Vector<T> v = vector[i];

#pragma unroll
				for (int k = 0; k < LENGTH; k++)
				{
					const double x = (double) v.value[k];
					const double first = (x + start.magic[0]) - start.magic[0];
					uint32_t size;

					high += first;
					low += x - first;
					result[i].value[k] = Format::add(high, low);
					size = ring_size(result[i].value[k]);
					smallest = size < smallest ? size : smallest;
				}
			}
			if (side == 0 || smallest >= start.smallest)
			{
				Vector<T> *to = reinterpret_cast<Vector<T> *>(out);

#pragma unroll
				for (int i = 0; i < ITEMS / LENGTH; i++)
					to[i] = result[i];
				return;
			}
		}
		rescan_with_care(start, setup, shared, before | warp_before.flags, digit, error, tile,
						 stretch, out);
	}

	/*
	 * As one integer, in halves of the second digit's unit, of which "side" is one;
	 * false, and nothing is written, if a result is so small that it matters.
	 */
	static __device__ __forceinline__ bool rescan_as_one(const Start &start, const int64_t *digit,
														 int side, const T *stretch, T *out)
	{
		const Vector<T> *vector = reinterpret_cast<const Vector<T> *>(stretch);
		Vector<T> *to = reinterpret_cast<Vector<T> *>(out);
		Vector<T> result[ITEMS / LENGTH];
		const uint64_t magic = (uint64_t) __double_as_longlong(start.single_magic);
		uint64_t sum = (((uint64_t) digit[0] << RING_DIGIT_BITS) + (uint64_t) digit[1]) * 2 +
					   (uint64_t) (int64_t) side;
		uint32_t smallest = ~0u;

#pragma unroll
		for (int i = 0; i < ITEMS / LENGTH; i++)
		{
			const Vector<T> v = vector[i];

#pragma unroll
			for (int k = 0; k < LENGTH; k++)
			{
				const double shifted = (double) v.value[k] + start.single_magic;
				uint32_t size;

				sum += (uint64_t) __double_as_longlong(shifted) - magic;
				result[i].value[k] = (T) ((float) (int64_t) sum * start.single_unit);
				size = ring_size(result[i].value[k]);
				smallest = size < smallest ? size : smallest;
			}
		}
		if (side != 0 && smallest < start.smallest)
			return false;
#pragma unroll
		for (int i = 0; i < ITEMS / LENGTH; i++)
			to[i] = result[i];
		return true;
	}

	/*
	 * With two digits, and a range for what is below; false, and nothing is written,
	 * if a result is not the same for all of the range.  Each value brings half a
	 * unit of the second digit at most, so does what is below it in the prefix, and what
	 * was left out is less.
	 */
	static __device__ __forceinline__ bool rescan_in_range(const Start &start, const int64_t *digit,
														   const T *stretch, T *out)
	{
		const Vector<T> *vector = reinterpret_cast<const Vector<T> *>(stretch);
		Vector<T> *to = reinterpret_cast<Vector<T> *>(out);
		Vector<T> result[ITEMS / LENGTH];
		double high = start.to_double(digit[0], 0);
		double low = start.to_double(digit[1], 1);
		const double range = start.to_double((ITEMS + 1) / 2 + 1, 1);
		decltype(Format::difference(T(0), T(0))) unsure = 0;

#pragma unroll
		for (int i = 0; i < ITEMS / LENGTH; i++)
		{
			const Vector<T> v = vector[i];

#pragma unroll
			for (int k = 0; k < LENGTH; k++)
			{
				const double x = (double) v.value[k];
				const double first = (x + start.magic[0]) - start.magic[0];

				high += first;
				low += ((x - first) + start.magic[1]) - start.magic[1];
				result[i].value[k] = Format::greatest(high, low + range);
				unsure |= Format::difference(result[i].value[k], Format::least(high, low - range));
			}
		}
		if (unsure != 0)
			return false;
#pragma unroll
		for (int i = 0; i < ITEMS / LENGTH; i++)
			to[i] = result[i];
		return true;
	}

	/* Any values: with three digits, flags and the error. */
	static __device__ __forceinline__ void rescan_with_care(const Start &start,
															const ExactRingSetup &setup,
															const Shared &shared, uint32_t flags,
															const int64_t *digit, int64_t error,
															size_t tile, const T *stretch, T *out)
	{
		const Vector<T> *vector = reinterpret_cast<const Vector<T> *>(stretch);
		Vector<T> *to = reinterpret_cast<Vector<T> *>(out);
		double high = start.to_double(digit[0], 0);
		double low = start.to_double(digit[1], 1);
		double rest = start.to_double(digit[2], 2);
		const double range = start.to_double((error + 1) / 2, RING_DIGITS - 1);
		bool unsure = false;

		if ((flags & RING_SEEN) == 0 || (shared.flags & (RING_SPECIALS | RING_BAD)) != 0)
			flags |= flags_before(shared);
#pragma unroll 1
		for (int i = 0; i < ITEMS / LENGTH; i++)
		{
			const Vector<T> v = vector[i];
			Vector<T> result;

#pragma unroll
			for (int k = 0; k < LENGTH; k++)
			{
				double x = (double) v.value[k];
				double first, second, sum, carried, down, up;

				x = start.look_at(v.value[k], x, &flags);
				first = (x + start.magic[0]) - start.magic[0];
				x = x - first;
				second = (x + start.magic[1]) - start.magic[1];
				x = x - second;
				high += first;
				low += second;
				rest += (x + start.magic[2]) - start.magic[2];

				/* high + low = sum + carried; then what is below, rounded to odd or as a range.
				 */
				sum = high + low;
				carried = low - (sum - high);
				down = __dadd_rd(carried, __dadd_rd(rest, -range));
				up = __dadd_ru(carried, __dadd_ru(rest, range));
				if (error == 0)
					result.value[k] = Format::add(sum, (__double2loint(down) & 1) != 0 ? down : up);
				else
				{
					const T least = Format::add(sum, down), greatest = Format::add(sum, up);

					unsure |= Format::difference(least, greatest) != 0;
					result.value[k] = greatest;
				}
				if ((flags & (RING_SPECIALS | RING_SEEN)) != RING_SEEN)
					result.value[k] = ring_settle<T>(flags);
				else
					unsure |= (flags & RING_BAD) != 0;
			}
			to[i] = result;
		}
		if (unsure)
			mark(setup, tile);
	}
};

#endif /* GPURED_EXACT_RING_PREFIXES_CUH */

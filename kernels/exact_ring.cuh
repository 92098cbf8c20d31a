/*
 * exact_ring.cuh
 *	  Exact inclusive prefix sums of float8 in one pass, each rounded once: what
 *	  scan_ring.cuh scans.
 *
 * A prefix is three digits on fixed grids, 2^unit > 2^(unit - 49) > 2^(unit -
 * 98), as integers where blocks and threads add them up and as floating-point
 * numbers where a thread goes through its stretch.  Values are cut into digits
 * by adding magic numbers, as in exact_window.cuh.
 *
 * Most values have two digits, and most prefixes are the sum of two numbers:
 * one addition rounds it correctly.  If something is known to lie below the
 * second digit, though less than a unit of it, then half a unit on that side
 * stands for it, as long as the result is so large that rounding cannot see the
 * difference.  So only a thread whose tile has values with three digits, or
 * whose prefix is near zero, takes the slower way, with three.
 *
 * What is below the third digit is left out (INEXACT).  The error is at most half
 * a unit a value: a prefix is right if both ends of that range round alike.
 * Otherwise, and if a value or a prefix is too large for the first digit, the
 * tile is marked, for exact_scan.cuh to do it again.
 *
 * The unit is chosen from a sample and the carry: first digits have room for
 * what the sum is expected to reach.  A bad guess costs time, never the result.
 *
 * Source of the rounding of three terms: S. Boldo and G. Melquiond, "Emulation
 * of FMA and correctly rounded sums: proved algorithms using rounding to odd",
 * 2008.
 */
#ifndef GPURED_EXACT_RING_CUH
#define GPURED_EXACT_RING_CUH

#include "block_reduce.cuh"
#include "exact_round.cuh"
#include "scan_ring.cuh"

constexpr int RING_DIGITS = 3;
constexpr int RING_DIGIT_BITS = 49;

/* What is marked to be done again: so many values. */
constexpr int EXACT_SCAN_TILE = 4096;

/* Flags of a state, beyond those of exact.h. */
constexpr uint32_t RING_SPECIALS = GPURED_EXACT_NAN | GPURED_EXACT_PINF | GPURED_EXACT_NINF;
constexpr uint32_t RING_SEEN = GPURED_EXACT_NOT_NEGZERO;
constexpr uint32_t RING_BAD = 16;     /* a value was too large, or the sum */
constexpr uint32_t RING_INEXACT = 32; /* something is below the third digit */
constexpr uint32_t RING_REST = 64;    /* the third digit is in use */
constexpr uint32_t RING_READY = 128;  /* in a published word */

struct RingState
{
	int64_t digit[RING_DIGITS]; /* but the first, between -2^48 and 2^48 */
	uint32_t flags;
	uint32_t unused;
};

/* What is decided before a launch, and what it leaves. */
struct ExactRingPlan
{
	int unit;        /* of the first digit, as an exponent */
	uint32_t bound;  /* high words of values are below */
	bool wanted;     /* can the ring do it at all? */
	uint32_t marked; /* is any tile to be done again? */
	RingState carry; /* before all values */
	uint32_t carry_inexact;
	RingState total; /* with the carry */
	uint8_t *marks;  /* a byte for each EXACT_SCAN_TILE values */
	size_t num_marks;
};

/* Move what is beyond half a unit of the digit above. */
static __device__ __forceinline__ void
ring_normalize(int64_t *digit)
{
#pragma unroll
	for (int d = RING_DIGITS - 1; d > 0; d--)
	{
		const int64_t over = (digit[d] + ((int64_t) 1 << (RING_DIGIT_BITS - 1))) >> RING_DIGIT_BITS;

		digit[d] -= (int64_t) ((uint64_t) over << RING_DIGIT_BITS);
		digit[d - 1] += over;
	}
}

static __device__ __forceinline__ int64_t
warp_sum_before(int64_t value, int64_t *inclusive)
{
	*inclusive = warp_scan<SumInt64<int32_t>>(value);
	return *inclusive - value;
}

struct PublishedDigits
{
	const TileWord *from;
	TileWord word;

	__device__ __forceinline__ void read(const TileWord *from_)
	{
		from = from_;
		word = load_word(from);
	}
	__device__ __forceinline__ bool ready() const { return (word.high & RING_READY) != 0; }
	__device__ __forceinline__ RingState state() const
	{
		RingState s;
		TileWord rest = {0, 0};

		s.flags = (uint32_t) word.high & (RING_READY - 1);
		s.digit[0] = (int64_t) word.low;
		s.digit[1] = (int64_t) word.high >> 8;
		if ((s.flags & RING_REST) != 0)
			do
				rest = load_word(from + 1);
			while (rest.high == 0);
		s.digit[2] = (int64_t) rest.low;
		return s;
	}
	static __device__ __forceinline__ void write(TileWord *to, const RingState &s)
	{
		if ((s.flags & RING_REST) != 0)
			store_word(to + 1, TileWord{(uint64_t) s.digit[2], 1});
		store_word(
			to, TileWord{(uint64_t) s.digit[0], (uint64_t) s.digit[1] << 8 | RING_READY | s.flags});
	}
};

/*
 * What both types of floats have in common.  |prefix| < 2^TOP_BITS units; tiles
 * whose sums reach 2^GAP_BITS are bad, so that no sum of some of them can wrap.
 */
template <class T, int THREADS_, int ITEMS_, int STAGES_, int TOP_BITS, int GAP_BITS>
struct ExactRing
{
	typedef T Value;
	typedef T Out;
	typedef RingState State;
	typedef PublishedDigits Published;
	typedef ExactRingPlan Plan;
	static constexpr int THREADS = THREADS_, ITEMS = ITEMS_, STAGES = STAGES_;
	static constexpr int TILE = THREADS * ITEMS;
	static constexpr int WORDS = 2;

	struct Shared
	{
		uint32_t flags;        /* of the tile */
		uint8_t flag[THREADS]; /* of each stretch */
	};
	struct Stretch
	{
		int64_t before[RING_DIGITS]; /* in the warp */
	};

	static __device__ __forceinline__ Value neutral() { return -T(0); }
	static __device__ __forceinline__ State identity() { return State{{0, 0, 0}, 0, 0}; }

	static __device__ __forceinline__ bool fits(int64_t k, int bits)
	{
		return (uint64_t) (k + ((int64_t) 1 << bits)) <= (uint64_t) 2 << bits;
	}

	/* The sum of sums of tiles. */
	static __device__ __forceinline__ State combine(const State &a, const State &b)
	{
		return add(a, b, GAP_BITS);
	}

	/* What is before a tile, and the sum of tiles that follow. */
	static __device__ __forceinline__ State advance(const State &a, const State &b)
	{
		return add(a, b, TOP_BITS + 1 < 63 ? TOP_BITS + 1 : TOP_BITS);
	}

	/* A sum that is too large is bad for good, and no longer counts. */
	static __device__ __forceinline__ State add(State a, const State &b, int bits)
	{
#pragma unroll
		for (int d = 0; d < RING_DIGITS; d++)
			a.digit[d] += b.digit[d];
		a.flags |= b.flags;
		ring_normalize(a.digit);
		if (a.digit[RING_DIGITS - 1] != 0)
			a.flags |= RING_REST;
		if (!fits(a.digit[0], bits))
		{
			a.digit[0] = 0;
			a.flags |= RING_BAD;
		}
		return a;
	}

	/* All lanes get the flags of all; callers want the digits of the last lane. */
	static __device__ __forceinline__ State scan_warp(State s)
	{
		s.flags = __reduce_or_sync(ALL_LANES, s.flags);
#pragma unroll
		for (int d = 0; d < RING_DIGITS; d++)
			if (d < RING_DIGITS - 1 || (s.flags & RING_REST) != 0)
				s.digit[d] = warp_scan<SumInt64<int32_t>>(s.digit[d]);
		return s;
	}

	/* The digits of a thread's stretch: what is before it in the warp, and the warp's total. */
	static __device__ __forceinline__ void scan_stretches(State s, Shared &shared, Stretch *mine,
														  State *warp_total)
	{
		int64_t own[RING_DIGITS];

		shared.flag[threadIdx.x] = (uint8_t) s.flags;
#pragma unroll
		for (int d = 0; d < RING_DIGITS; d++)
			own[d] = s.digit[d];
		s = scan_warp(s);
#pragma unroll
		for (int d = 0; d < RING_DIGITS; d++)
			mine->before[d] = s.digit[d] - own[d];
		if (lane_id() == WARP - 1)
			*warp_total = s;
	}

	static __device__ __forceinline__ void publish(TileWord *to, Shared &shared, State &total)
	{
		total = combine(total, identity());
		if (lane_id() == 0)
		{
			shared.flags = total.flags;
			Published::write(to, total);
		}
	}

	/* The flags of all before this thread in the tile. */
	static __device__ __forceinline__ uint32_t flags_before(const Shared &shared)
	{
		uint32_t flags = 0;

#pragma unroll 1
		for (uint32_t i = 0; i < threadIdx.x; i++)
			flags |= shared.flag[i];
		return flags;
	}

	/* A prefix that is not a finite sum, or nothing but -0. */
	static __device__ __forceinline__ T settle(uint32_t flags)
	{
		if ((flags & GPURED_EXACT_NAN) != 0 ||
			(flags & RING_SPECIALS) == (GPURED_EXACT_PINF | GPURED_EXACT_NINF))
			return (T) __longlong_as_double(0x7ff8000000000000);
		if ((flags & GPURED_EXACT_PINF) != 0)
			return (T) __longlong_as_double(0x7ff0000000000000);
		if ((flags & GPURED_EXACT_NINF) != 0)
			return (T) -__longlong_as_double(0x7ff0000000000000);
		return -T(0);
	}

	/* If a prefix is special and nothing in the tile changes that, so are all of the tile. */
	static __device__ __forceinline__ bool all_special(uint32_t before, uint32_t here)
	{
		return (before & GPURED_EXACT_NAN) != 0 ||
			   (before & RING_SPECIALS) == (GPURED_EXACT_PINF | GPURED_EXACT_NINF) ||
			   ((before & RING_SPECIALS) != 0 && (here & RING_SPECIALS) == 0);
	}

	static __device__ __forceinline__ void fill(Out *out, T value)
	{
#pragma unroll
		for (int i = 0; i < ITEMS; i++)
			out[i] = value;
	}

	static __device__ __forceinline__ void mark(Plan *plan, size_t tile)
	{
		const size_t first = tile * TILE / EXACT_SCAN_TILE;
		const size_t last = (tile * TILE + TILE - 1) / EXACT_SCAN_TILE;

		for (size_t t = first; t <= last && t < plan->num_marks; t++)
			plan->marks[t] = 1;
		plan->marked = 1;
	}

	static __device__ __forceinline__ void finish(Plan *plan, const State &all)
	{
		plan->total = all;
	}
};

/*
 * float8: values are below a quarter of the first digit's room.
 */
constexpr int RING8_TOP_BITS = 50;

template <int THREADS, int ITEMS_, int STAGES>
struct ExactRing8 : ExactRing<double, THREADS, ITEMS_, STAGES, RING8_TOP_BITS, RING8_TOP_BITS + 1>
{
	typedef ExactRing<double, THREADS, ITEMS_, STAGES, RING8_TOP_BITS, RING8_TOP_BITS + 1> Ring;
	typedef typename Ring::State State;
	typedef typename Ring::Shared Shared;
	typedef typename Ring::Stretch Stretch;
	typedef typename Ring::Plan Plan;
	static constexpr int ITEMS = ITEMS_;
	static_assert(ITEMS <= 15, "digits of a stretch and half a unit fit 53 bits");

	struct Start
	{
		double magic[RING_DIGITS];
		uint32_t bound;
		int unit;
		uint32_t carry_inexact;
		bool wanted;
		State carry;
	};
	static __device__ __forceinline__ Start start(const Plan *plan)
	{
		Start s;

		s.unit = plan->unit;
#pragma unroll
		for (int d = 0; d < RING_DIGITS; d++)
			s.magic[d] = 1.5 * power_of_two(s.unit - d * RING_DIGIT_BITS + 52);
		s.bound = plan->bound;
		s.wanted = plan->wanted;
		s.carry = plan->carry;
		s.carry_inexact = plan->carry_inexact;
		return s;
	}
	static __device__ __forceinline__ bool wanted(const Start &start) { return start.wanted; }
	static __device__ __forceinline__ State first(const Start &start) { return start.carry; }
	static __device__ __forceinline__ void total(const Start &start, Shared &shared,
												 const double *stretch, Stretch *mine,
												 State *warp_total)
	{
		const Vector<double> *vector = reinterpret_cast<const Vector<double> *>(stretch);
		uint64_t sum[2] = {0, 0};
		uint32_t largest = 0, flags = RING_SEEN;
		bool rest = false;
		State s;

#pragma unroll
		for (int i = 0; i < ITEMS / 2; i++)
		{
			const Vector<double> v = vector[i];

#pragma unroll
			for (int k = 0; k < 2; k++)
			{
				const double x = v.value[k];
				const uint32_t high = (uint32_t) __double2hiint(x) & 0x7fffffff;
				const double first = x + start.magic[0];
				const double below = x - (first - start.magic[0]);
				const double second = below + start.magic[1];

				largest = high > largest ? high : largest;
				sum[0] += (uint64_t) __double_as_longlong(first);
				sum[1] += (uint64_t) __double_as_longlong(second);
				rest |= second - start.magic[1] != below;
			}
		}
#pragma unroll
		for (int d = 0; d < 2; d++)
			s.digit[d] =
				(int64_t) (sum[d] - ITEMS * (uint64_t) __double_as_longlong(start.magic[d]));
		s.digit[2] = 0;
		if (rest || largest >= start.bound || (s.digit[0] | s.digit[1]) == 0)
			flags = total_with_care(start, stretch, s.digit);
		s.flags = flags;
		Ring::scan_stretches(s, shared, mine, warp_total);
	}

	/* Any values: all digits, and the flags. */
	static __device__ __forceinline__ uint32_t total_with_care(const Start &start,
															   const double *stretch,
															   int64_t *digit)
	{
		uint32_t flags = 0;

#pragma unroll
		for (int d = 0; d < RING_DIGITS; d++)
			digit[d] = 0;
#pragma unroll 1
		for (int i = 0; i < ITEMS; i++)
		{
			double x = stretch[i];

			if (not_negative_zero(x) != 0)
				flags |= RING_SEEN;
			if (too_large(start, x))
			{
				flags |= exponent_field(x) == SPECIAL_FIELD ? special_flag(x) : RING_BAD;
				continue;
			}
#pragma unroll
			for (int d = 0; d < RING_DIGITS; d++)
			{
				const double shifted = x + start.magic[d];

				digit[d] += __double_as_longlong(shifted) - __double_as_longlong(start.magic[d]);
				x = x - (shifted - start.magic[d]);
				if (d == 1 && x != 0)
					flags |= RING_REST;
			}
			if (x != 0)
				flags |= RING_INEXACT;
		}
		return flags;
	}

	static __device__ __forceinline__ bool too_large(const Start &start, double x)
	{
		return ((uint32_t) __double2hiint(x) & 0x7fffffff) >= start.bound;
	}

	static __device__ __forceinline__ void publish(TileWord *to, const Start &, Shared &shared,
												   State &total)
	{
		Ring::publish(to, shared, total);
	}

	static __device__ __forceinline__ double to_double(const Start &start, int64_t k, int d)
	{
		return __longlong_as_double(k + __double_as_longlong(start.magic[d])) - start.magic[d];
	}

	static __device__ __forceinline__ void rescan(const Start &start, Plan *plan,
												  const Shared &shared, const State &base,
												  const State &warp_before, const Stretch &mine,
												  size_t tile, const double *stretch, double *out)
	{
		const Vector<double> *vector = reinterpret_cast<const Vector<double> *>(stretch);
		Vector<double> *to = reinterpret_cast<Vector<double> *>(out);
		const uint32_t before = base.flags | start.carry_inexact;
		const uint32_t here = shared.flags;
		const int64_t error =
			((before | here) & RING_INEXACT) != 0 ? (int64_t) (tile + 1) * Ring::TILE + 2 : 0;
		int64_t digit[RING_DIGITS];
		bool easy;

#pragma unroll
		for (int d = 0; d < RING_DIGITS; d++)
			digit[d] = base.digit[d] + warp_before.digit[d] + mine.before[d];
		ring_normalize(digit);

		/* Which side of the second digit the rest is on. */
		const int64_t rest = digit[2];
		const int side = rest > error ? 1 : rest < -error ? -1 : 0;

		easy = (before & (RING_SEEN | RING_SPECIALS | RING_BAD)) == RING_SEEN &&
			   (here & (RING_SPECIALS | RING_BAD)) == 0 &&
			   (shared.flag[threadIdx.x] & RING_REST) == 0 && (side != 0 || error == 0);
		if (Ring::all_special(before, here))
		{
			Ring::fill(out, Ring::settle(before | here));
			return;
		}
		if (!Ring::fits(digit[0], RING8_TOP_BITS))
			Ring::mark(plan, tile);
		if (easy)
		{
			double high = to_double(start, digit[0], 0);
			double low = to_double(start, digit[1], 1);
			uint32_t smallest = ~0u;

			if (side != 0)
			{
				const double half = 0.5 * to_double(start, side, 1);

				low += half;
			}
#pragma unroll
			for (int i = 0; i < ITEMS / 2; i++)
			{
				const Vector<double> v = vector[i];
				Vector<double> result;

#pragma unroll
				for (int k = 0; k < 2; k++)
				{
					const double x = v.value[k];
					const double first = (x + start.magic[0]) - start.magic[0];
					double sum;
					uint32_t size;

					high += first;
					low += x - first;
					sum = high + low;
					size = (uint32_t) __double2hiint(sum) & 0x7fffffff;
					smallest = size < smallest ? size : smallest;
					result.value[k] = sum;
				}
				to[i] = result;
			}
			/* Half a unit stands for less than one only where a result's last bit is a unit. */
			if (side == 0 || smallest >= (uint32_t) (start.unit - RING_DIGIT_BITS + 54 + 1023)
											 << 20)
				return;
		}
		rescan_with_care(start, plan, shared, before, digit, error, tile, stretch, out);
	}

	/* Any values: with three digits, flags and the error. */
	static __device__ __forceinline__ void rescan_with_care(const Start &start, Plan *plan,
															const Shared &shared, uint32_t flags,
															const int64_t *digit, int64_t error,
															size_t tile, const double *stretch,
															double *out)
	{
		double high = to_double(start, digit[0], 0);
		double low = to_double(start, digit[1], 1);
		double rest = to_double(start, digit[2], 2);
		const double range = to_double(start, (error + 1) / 2, RING_DIGITS - 1);
		bool unsure = false;

		if ((flags & RING_SEEN) == 0 || (shared.flags & (RING_SPECIALS | RING_BAD)) != 0)
			flags |= Ring::flags_before(shared);
#pragma unroll 1
		for (int i = 0; i < ITEMS; i++)
		{
			double x = stretch[i];
			double first, second, sum, carried, down, up;

			if (not_negative_zero(x) != 0)
				flags |= RING_SEEN;
			if (too_large(start, x))
			{
				flags |= exponent_field(x) == SPECIAL_FIELD ? special_flag(x) : RING_BAD;
				x = 0;
			}
			first = (x + start.magic[0]) - start.magic[0];
			x = x - first;
			second = (x + start.magic[1]) - start.magic[1];
			x = x - second;
			high += first;
			low += second;
			rest += (x + start.magic[2]) - start.magic[2];

			/* high + low = sum + carried; then what is below, rounded to odd or as a range. */
			sum = high + low;
			carried = low - (sum - high);
			down = __dadd_rd(carried, __dadd_rd(rest, -range));
			up = __dadd_ru(carried, __dadd_ru(rest, range));
			if (error == 0)
				sum += (__double2loint(down) & 1) != 0 ? down : up;
			else
			{
				up = sum + up;
				sum = sum + down;
				unsure |= __double_as_longlong(up) != __double_as_longlong(sum);
			}
			if ((flags & (RING_SPECIALS | RING_SEEN)) != RING_SEEN)
				sum = Ring::settle(flags);
			else
				unsure |= (flags & RING_BAD) != 0;
			out[i] = sum;
		}
		if (unsure)
			Ring::mark(plan, tile);
	}

	static __device__ __forceinline__ void finish(const Start &, Plan *plan, const State &all)
	{
		Ring::finish(plan, all);
	}
};

/*
 * float4: the first digit is a 64-bit integer with room enough for most sums,
 * the second is the rest; there is no third.
 *
 * Values without a rest are few bits apart: a thread's stretch of them sums up
 * exactly in float8, from what the integer has in its lowest bits, and half a
 * unit for a rest of what is before.  The upper bits are added to each of the
 * sums, rounded to odd, so that the conversion to float4 is the only rounding
 * that counts.
 */
constexpr int RING4_TOP_BITS = 62;
constexpr int RING4_GAP_BITS = 57;
constexpr int RING4_VALUE_BITS = 44; /* a value is below 2^VALUE_BITS units */

template <int THREADS, int ITEMS_, int STAGES>
struct ExactRing4 : ExactRing<float, THREADS, ITEMS_, STAGES, RING4_TOP_BITS, RING4_GAP_BITS>
{
	typedef ExactRing<float, THREADS, ITEMS_, STAGES, RING4_TOP_BITS, RING4_GAP_BITS> Ring;
	typedef typename Ring::State State;
	typedef typename Ring::Shared Shared;
	typedef typename Ring::Stretch Stretch;
	typedef typename Ring::Plan Plan;
	static constexpr int ITEMS = ITEMS_;
	static constexpr int LENGTH = Vector<float>::LENGTH;

	struct Start
	{
		int unit;
		uint32_t bound; /* patterns of values are below */
		uint32_t whole; /* and those of values without a rest not below this, unless zero */
		double magic;   /* adding it makes a sum an integer of units */
		double scale;   /* 2^unit */
		uint32_t carry_inexact;
		bool wanted;
		State carry;
	};

	static __device__ __forceinline__ Start start(const Plan *plan)
	{
		Start s;

		s.unit = plan->unit;
		s.bound = plan->bound;
		s.whole = (uint32_t) (s.unit + 150 > 255 ? 255 : s.unit + 150) << 23;
		s.magic = 1.5 * power_of_two(s.unit + 52);
		s.scale = power_of_two(s.unit);
		s.wanted = plan->wanted;
		s.carry = plan->carry;
		s.carry_inexact = plan->carry_inexact;
		return s;
	}
	static __device__ __forceinline__ bool wanted(const Start &start) { return start.wanted; }
	static __device__ __forceinline__ State first(const Start &start) { return start.carry; }

	/* Any value that is not too large: both digits. */
	static __device__ __forceinline__ bool cut(const Start &start, float x, int64_t *digit)
	{
		const uint32_t bits = (uint32_t) __float_as_int(x);
		const int field = (int) ((bits >> 23) & 0xff);
		const int64_t mantissa = (bits & 0x7fffff) | (field == 0 ? 0 : 0x800000);
		const int shift = (field == 0 ? 1 : field) - 150 - start.unit;
		const int down = shift >= 0 ? 0 : -shift > 62 ? 62 : -shift;
		const int64_t first = shift >= 0 ? mantissa << (shift & 63) : mantissa >> down;
		const int64_t below = shift >= 0 ? 0 : mantissa - (first << down);
		const int up = shift + RING_DIGIT_BITS;
		const int64_t second =
			up >= 0 ? below << (shift >= 0 ? 0 : up) : below >> (-up > 62 ? 62 : -up);

		digit[0] = (bits >> 31) != 0 ? -first : first;
		digit[1] = (bits >> 31) != 0 ? -second : second;
		return up >= 0 || below == second << (-up > 62 ? 62 : -up);
	}

	static __device__ __forceinline__ void total(const Start &start, Shared &shared,
												 const float *stretch, Stretch *mine,
												 State *warp_total)
	{
		const Vector<float> *vector = reinterpret_cast<const Vector<float> *>(stretch);
		uint32_t largest = 0;
		bool rest = false;
		double sum = 0;
		State s = {{0, 0, 0}, RING_SEEN, 0};

#pragma unroll
		for (int i = 0; i < ITEMS / LENGTH; i++)
		{
			const Vector<float> v = vector[i];

#pragma unroll
			for (int k = 0; k < LENGTH; k++)
			{
				const uint32_t size = (uint32_t) __float_as_int(v.value[k]) & 0x7fffffff;

				largest = size > largest ? size : largest;
				rest |= size - 1 < start.whole - 1;
				sum += (double) v.value[k];
			}
		}
		s.digit[0] = __double_as_longlong(sum + start.magic) - __double_as_longlong(start.magic);
		if (rest || largest >= start.bound || s.digit[0] == 0)
			s.flags = total_with_care(start, stretch, s.digit) | (rest ? RING_REST : 0);
		Ring::scan_stretches(s, shared, mine, warp_total);
	}

	/* Any values: all digits, and the flags. */
	static __device__ __forceinline__ uint32_t total_with_care(const Start &start,
															   const float *stretch, int64_t *digit)
	{
		uint32_t flags = 0;

		digit[0] = 0;
#pragma unroll 1
		for (int i = 0; i < ITEMS; i++)
		{
			const float x = stretch[i];
			int64_t part[2];

			if (not_negative_zero(x) != 0)
				flags |= RING_SEEN;
			if (too_large(start, x))
			{
				flags |= exponent_field(x) == SPECIAL_FIELD ? special_flag(x) : RING_BAD;
				continue;
			}
			if (!cut(start, x, part))
				flags |= RING_INEXACT;
			digit[0] += part[0];
			digit[1] += part[1];
		}
		return flags;
	}

	static __device__ __forceinline__ bool too_large(const Start &start, float x)
	{
		return ((uint32_t) __float_as_int(x) & 0x7fffffff) >= start.bound;
	}

	static __device__ __forceinline__ void publish(TileWord *to, const Start &, Shared &shared,
												   State &total)
	{
		Ring::publish(to, shared, total);
	}

	static __device__ __forceinline__ void rescan(const Start &start, Plan *plan,
												  const Shared &shared, const State &base,
												  const State &warp_before, const Stretch &mine,
												  size_t tile, const float *stretch, float *out)
	{
		const Vector<float> *vector = reinterpret_cast<const Vector<float> *>(stretch);
		Vector<float> *to = reinterpret_cast<Vector<float> *>(out);
		const uint32_t before = base.flags | start.carry_inexact;
		const uint32_t here = shared.flags;
		const int64_t error =
			((before | here) & RING_INEXACT) != 0 ? (int64_t) (tile + 1) * Ring::TILE + 2 : 0;
		int64_t digit[RING_DIGITS];

#pragma unroll
		for (int d = 0; d < RING_DIGITS; d++)
			digit[d] = base.digit[d] + warp_before.digit[d] + mine.before[d];
		ring_normalize(digit);
		if (Ring::all_special(before, here))
		{
			Ring::fill(out, Ring::settle(before | here));
			return;
		}
		if (!Ring::fits(digit[0], RING4_TOP_BITS))
			Ring::mark(plan, tile);

		/* Which side of the first digit the rest is on. */
		const int side = digit[1] > error ? 1 : digit[1] < -error ? -1 : 0;

		if ((before & (RING_SEEN | RING_SPECIALS | RING_BAD)) == RING_SEEN &&
			(here & (RING_SPECIALS | RING_BAD)) == 0 &&
			(shared.flag[threadIdx.x] & RING_REST) == 0 && (side != 0 || error == 0))
		{
			constexpr int64_t LOWEST = (1 << 10) - 1; /* what is left has 53 bits */
			const double high = (double) (digit[0] & ~LOWEST) * start.scale;
			double sum = ((double) (digit[0] & LOWEST) + 0.5 * side) * start.scale;
			uint32_t smallest = ~0u;

#pragma unroll
			for (int i = 0; i < ITEMS / LENGTH; i++)
			{
				const Vector<float> v = vector[i];
				Vector<float> result;

#pragma unroll
				for (int k = 0; k < LENGTH; k++)
				{
					double down, up;
					uint32_t size;

					sum += (double) v.value[k];
					down = __dadd_rd(high, sum);
					up = __dadd_ru(high, sum);
					result.value[k] = (float) ((__double2loint(down) & 1) != 0 ? down : up);
					size = (uint32_t) __float_as_int(result.value[k]) & 0x7fffffff;
					smallest = size < smallest ? size : smallest;
				}
				to[i] = result;
			}
			/* Half a unit stands for less than one only where rounding drops some bits. */
			if (side == 0 || smallest >= (uint32_t) (start.unit + 27 + 127) << 23)
				return;
		}
		rescan_with_care(start, plan, shared, before, digit, error, tile, stretch, out);
	}

	/* Any values: both digits as one integer, flags and the error. */
	static __device__ __forceinline__ void
	rescan_with_care(const Start &start, Plan *plan, const Shared &shared, uint32_t flags,
					 int64_t *digit, int64_t error, size_t tile, const float *stretch, float *out)
	{
		typedef SumWide<2> Wide;
		const int bit = start.unit - RING_DIGIT_BITS - GPURED_EXACT_BIT0;
		const WideInt<2> range = {{(uint64_t) error, 0}};
		const WideInt<2> minus_range = {{(uint64_t) -error, (uint64_t) (-error >> 63)}};
		bool unsure = false;

		if ((flags & RING_SEEN) == 0 || (shared.flags & (RING_SPECIALS | RING_BAD)) != 0)
			flags |= Ring::flags_before(shared);
#pragma unroll 1
		for (int i = 0; i < ITEMS; i++)
		{
			const float x = stretch[i];
			float prefix;
			int64_t part[2];

			if (not_negative_zero(x) != 0)
				flags |= RING_SEEN;
			if (too_large(start, x))
				flags |= exponent_field(x) == SPECIAL_FIELD ? special_flag(x) : RING_BAD;
			else
			{
				cut(start, x, part);
				digit[0] += part[0];
				digit[1] += part[1];
			}

			WideInt<2> high = {{(uint64_t) digit[0] << RING_DIGIT_BITS,
								(uint64_t) (digit[0] >> (64 - RING_DIGIT_BITS))}};
			const WideInt<2> low = {{(uint64_t) digit[1], (uint64_t) (digit[1] >> 63)}};

			high = Wide::combine(high, low);
			if ((flags & (RING_SPECIALS | RING_SEEN)) != RING_SEEN)
				prefix = Ring::settle(flags);
			else if (error == 0)
				prefix = exact_round<float>(high, false, bit, 0.0f);
			else
			{
				prefix = exact_round<float>(Wide::combine(high, range), false, bit, 0.0f);
				unsure |= __float_as_int(prefix) !=
						  __float_as_int(exact_round<float>(Wide::combine(high, minus_range), false,
															bit, 0.0f));
			}
			unsure |= (flags & RING_BAD) != 0;
			out[i] = prefix;
		}
		if (unsure)
			Ring::mark(plan, tile);
	}

	static __device__ __forceinline__ void finish(const Start &, Plan *plan, const State &all)
	{
		Ring::finish(plan, all);
	}
};

/*
 * After the ring, if nothing is marked or left out: add the values' sum to the
 * carry.  One thread.
 */
static __device__ __noinline__ void
exact_ring_total(const ExactRingPlan *plan, GpuredExact *carry)
{
	for (int d = 0; d < RING_DIGITS; d++)
	{
		const int64_t k = plan->total.digit[d] - plan->carry.digit[d];
		const int bit = plan->unit - d * RING_DIGIT_BITS - GPURED_EXACT_BIT0;
		const int shift = bit % 32;
		const int64_t upper = shift == 0 ? k >> 32 : k >> (32 - shift);

		carry->limb[bit / 32] += (uint32_t) ((uint64_t) k << shift);
		carry->limb[bit / 32 + 1] += upper;
	}
	carry->flags = plan->total.flags & (RING_SPECIALS | RING_SEEN);
}

/*
 * Before the ring: choose the unit, cut the carry into digits.
 */
constexpr int RING_SAMPLE_THREADS = 512;
constexpr int RING_SAMPLES = 8; /* a thread */

struct SampleMoments
{
	double sum;
	double square;
};

struct SumMoments
{
	typedef SampleMoments State;
	static constexpr bool commutative = true;

	static __device__ __forceinline__ State identity() { return State{0, 0}; }
	static __device__ __forceinline__ State combine(State a, State b)
	{
		return State{a.sum + b.sum, a.square + b.square};
	}
};

struct GreatestWord
{
	typedef uint32_t State;
	static constexpr bool commutative = true;

	static __device__ __forceinline__ State identity() { return 0; }
	static __device__ __forceinline__ State combine(State a, State b) { return a > b ? a : b; }
};

struct RingPrepareShared
{
	BlockReduceShared<GreatestWord> greatest;
	BlockReduceShared<SumMoments> moments;
	uint32_t largest;
	int64_t limb[LIMBS];
};

/* 64 bits of a normalized sum, from bit "at" up. */
static __device__ __forceinline__ int64_t
ring_bits_of(const int64_t *limb, int at)
{
	const uint32_t fill = limb[LIMBS - 1] < 0 ? 0xffffffffu : 0;
	uint64_t low, high;

	low = (uint32_t) limb[at / 32];
	low |= (uint64_t) (at / 32 + 1 < LIMBS ? (uint32_t) limb[at / 32 + 1] : fill) << 32;
	high = at / 32 + 2 < LIMBS ? (uint32_t) limb[at / 32 + 2] : fill;
	return (int64_t) (at % 32 == 0 ? low : low >> at % 32 | high << (64 - at % 32));
}

/* The least e so that |limbs| <= 2^e, in bits of the limbs; 0 for zero. */
static __device__ __forceinline__ int
ring_reach_of(const int64_t *limb)
{
	const bool negative = limb[LIMBS - 1] < 0;
	int j = LIMBS - 1;
	uint32_t digit = 0;

	for (; j >= 0 && digit == 0; j--)
		digit = negative ? ~(uint32_t) limb[j] : (uint32_t) limb[j];
	return digit == 0 ? (negative ? 1 : 0) : 32 * (j + 1) + 32 - __clz((int) digit);
}

/*
 * The first digit's unit, if |prefixes| are expected to be below 2^top and
 * |values| below 2^value_top; can the ring be used, and what must values be
 * below?
 */
template <class T>
static __device__ __forceinline__ int ring_unit(int top, int value_top, size_t n, bool *wanted,
												uint32_t *bound);

/* The magic numbers must be finite and normal; then no value has bits below the last digit. */
template <>
__device__ __forceinline__ int
ring_unit<double>(int top, int, size_t, bool *wanted, uint32_t *bound)
{
	*wanted = top <= 1000;
	top = top > 1000 ? 1000 : top < -926 ? -926 : top;
	*bound = (uint32_t) (top - 2 + 1023) << 20;
	return top - RING8_TOP_BITS;
}

/* A few tiles may be a good part of the sum: leave room. */
template <>
__device__ __forceinline__ int
ring_unit<float>(int top, int value_top, size_t n, bool *wanted, uint32_t *bound)
{
	int unit = top - (n < (size_t) 1 << 26 ? RING4_GAP_BITS - 1 : RING4_TOP_BITS);
	int first_bad;

	unit = unit > value_top - RING4_VALUE_BITS ? unit : value_top - RING4_VALUE_BITS;
	*wanted = unit <= 120;
	unit = unit < -149 ? -149 : unit > 120 ? 120 : unit;

	/* The exponent field of the first value that is too large. */
	first_bad = unit + RING4_VALUE_BITS + 127;
	*bound = (uint32_t) (first_bad > 255 ? 255 : first_bad) << 23;
	return unit;
}

/*
 * One block plans, from a carry or from nothing; all of them clear.  "Format" is
 * the type whose digits are used.
 */
template <class T, class Format = T>
__global__ void
__launch_bounds__(RING_SAMPLE_THREADS)
	exact_ring_prepare(const T *values, size_t n, const GpuredAcc *carry, TileWord *words,
					   size_t num_words, ExactRingPlan *plan, uint8_t *marks, size_t num_marks)
{
	SHARED(RingPrepareShared, shared);
	const size_t stride = n / (RING_SAMPLE_THREADS * RING_SAMPLES) + 1;
	const size_t thread = blockIdx.x * (size_t) blockDim.x + threadIdx.x;
	const size_t threads = (size_t) gridDim.x * blockDim.x;
	double x[RING_SAMPLES];
	uint32_t largest = 0;
	SampleMoments moments = {0, 0};
	double scale;

	for (size_t i = thread; i < num_words; i += threads)
		words[i] = TileWord{0, 0};
	for (size_t i = thread; i < num_marks; i += threads)
		marks[i] = 0;
	if (blockIdx.x > 0)
		return;

#pragma unroll
	for (int i = 0; i < RING_SAMPLES; i++)
	{
		const size_t at = ((size_t) i * RING_SAMPLE_THREADS + threadIdx.x) * stride;

		x[i] = at < n ? (double) values[at] : 0;
		if (exponent_field(x[i]) == SPECIAL_FIELD)
			x[i] = 0;
		largest = exponent_field(x[i]) > (int) largest ? exponent_field(x[i]) : largest;
	}
	for (int j = threadIdx.x; j < LIMBS; j += blockDim.x)
		shared.limb[j] = carry == nullptr ? 0 : carry->v.exact.limb[j];
	largest = block_reduce<GreatestWord>(shared.greatest, largest);
	if (threadIdx.x == 0)
		shared.largest = largest;
	__syncthreads();
	largest = shared.largest;

	/* Far from where the scale or a square could overflow; the ends of the range need no precision.
	 */
	largest = largest < 64 ? 64 : largest > 1983 ? 1983 : largest;
	scale = power_of_two(1023 - (int) largest);
#pragma unroll
	for (int i = 0; i < RING_SAMPLES; i++)
	{
		const double y = x[i] * scale;

		moments = SumMoments::combine(moments, SampleMoments{y, y * y});
	}
	moments = block_reduce<SumMoments>(shared.moments, moments);
	if (threadIdx.x > 0)
		return;

	const size_t samples = (n + stride - 1) / stride;
	const double mean = fabs(moments.sum) / (double) samples;
	const double spread = sqrt(moments.square / (double) samples);
	const double reach = (double) n * mean + 8 * sqrt((double) n) * spread + 4;
	const int carry_top = ring_reach_of(shared.limb) + GPURED_EXACT_BIT0;
	int top = (int) largest - 1023 + (exponent_field(reach) - 1023) + 2;
	RingState state;

	/* If the carry is as large, their sum may need one bit more. */
	if (carry_top > top - 8)
		top = (top > carry_top ? top : carry_top) + 1;

	const int unit =
		ring_unit<Format>(top, (int) largest - 1023 + 2, n, &plan->wanted, &plan->bound);
	constexpr int digits = sizeof(Format) == sizeof(double) ? RING_DIGITS : RING_DIGITS - 1;
	const int bit = unit - GPURED_EXACT_BIT0;
	const int last_bit = bit - (digits - 1) * RING_DIGIT_BITS;
	const int64_t mask = ((int64_t) 1 << RING_DIGIT_BITS) - 1;
	bool inexact = false;

	state.digit[0] = ring_bits_of(shared.limb, bit);
	for (int d = 1; d < RING_DIGITS; d++)
		state.digit[d] =
			d < digits ? ring_bits_of(shared.limb, bit - d * RING_DIGIT_BITS) & mask : 0;
	ring_normalize(state.digit);
	for (int j = 0; j <= last_bit / 32; j++)
		inexact |= ((uint32_t) shared.limb[j] &
					(j < last_bit / 32 ? ~0u : ((uint32_t) 1 << last_bit % 32) - 1)) != 0;
	state.flags = carry == nullptr ? 0 : carry->v.exact.flags;
	state.flags |= state.digit[2] != 0 ? RING_REST : 0;
	state.unused = 0;
	plan->unit = unit;
	plan->carry = state;
	plan->carry_inexact = inexact ? RING_INEXACT : 0;
	plan->total = state;
	plan->marked = 0;
	plan->marks = marks;
	plan->num_marks = num_marks;
}

#endif /* GPURED_EXACT_RING_CUH */

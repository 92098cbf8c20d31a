/*
 * exact_ring.cuh
 *	  Exact inclusive prefix sums of float8 or float4 in one pass, each rounded
 *	  once: what scan_ring.cuh scans.
 *
 * A prefix is three digits on fixed grids, 2^unit > 2^(unit - 48) > 2^(unit -
 * 96), as integers where blocks and threads add them up and as floating-point
 * numbers of 53 bits where a thread goes through its stretch.  Values are cut
 * into digits by adding magic numbers, as in exact_window.cuh.
 *
 * Most values have two digits, and most prefixes are the sum of two numbers:
 * one addition rounds it correctly to float8, and one that is rounded to odd may
 * be rounded to float4 afterwards.  If something is known to lie below the
 * second digit, though less than a unit of it, then half a unit on that side
 * stands for it, as long as the result is so large that rounding cannot see the
 * difference.  A thread whose prefix is near zero takes the slower way, with three.
 *
 * What is below the third digit is left out (INEXACT).  The error is at most half
 * a unit a value: a prefix is right if both ends of that range round alike.
 * Otherwise, and if a value or a prefix is too large for the first digit, the
 * tile is marked, for exact_scan.cuh to do it again.
 *
 * Values with a third digit bring no more than half a unit of the second, so that a
 * range is known for each prefix: where both of its ends round alike, two digits are
 * enough again.
 *
 * If a sample of float4 says so, first and second digits are put where together they
 * are one integer of 62 bits, which one instruction rounds.
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
constexpr int RING_DIGIT_BITS = 48;

/* What is marked to be done again: so many values. */
constexpr int EXACT_SCAN_TILE = 4096;

/* Flags of a state, beyond those of exact.h. */
constexpr uint32_t RING_SPECIALS = GPURED_EXACT_NAN | GPURED_EXACT_PINF | GPURED_EXACT_NINF;
constexpr uint32_t RING_SEEN = GPURED_EXACT_NOT_NEGZERO;
constexpr uint32_t RING_BAD = 16;     /* a value was too large, or the sum */
constexpr uint32_t RING_INEXACT = 32; /* something is below the third digit */
constexpr uint32_t RING_REST = 64;    /* the third digit is in use */
constexpr uint32_t RING_READY = 128;  /* in a published word */
constexpr uint32_t RING_SINGLE = 128; /* of a stretch: one integer does for its values */

struct RingState
{
	int64_t digit[RING_DIGITS]; /* but the first, between -2^47 and 2^47 */
	uint32_t flags;
	uint32_t unused;
};

/* What is decided before a launch, and what it leaves. */
struct ExactRingPlan
{
	int unit;        /* of the first digit, as an exponent */
	bool wanted;     /* can the ring do it at all? */
	bool single;     /* do prefixes look as if one integer could hold them? */
	uint32_t marked; /* is any tile to be done again? */
	RingState carry; /* before all values */
	uint32_t carry_inexact;
	RingState total; /* with the carry */
};

struct ExactRingSetup
{
	ExactRingPlan *plan;
	const GpuredAcc *carry; /* or null for none */
	uint8_t *marks;         /* a byte for each EXACT_SCAN_TILE values */
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

/* The sum of all lanes' numbers below 2^62, in all lanes: pieces whose sums fit a word. */
static __device__ __forceinline__ int64_t
ring_warp_sum(int64_t k)
{
	const uint32_t low = warp_sum((uint32_t) (k & 0x3fffff));
	const uint32_t middle = warp_sum((uint32_t) (k >> 22 & 0x3fffff));
	const int32_t high = (int32_t) warp_sum((uint32_t) (int32_t) (k >> 44));

	return (int64_t) low + ((int64_t) middle << 22) + (int64_t) ((uint64_t) (int64_t) high << 44);
}

struct PublishedDigits
{
	TileWord word;
	TileWord rest; /* the third digit, if it is in use */

	__device__ __forceinline__ void read(const TileWord *from) { word = load_word(from); }
	__device__ __forceinline__ bool ready() const { return (word.high & RING_READY) != 0; }
	__device__ __forceinline__ void more(const TileWord *from)
	{
		rest = TileWord{0, 1};
		if ((word.high & RING_REST) != 0)
			rest = load_word(from + 1);
	}
	__device__ __forceinline__ RingState state(const TileWord *from)
	{
		RingState s;

		/* It may be seen later than the first word, though it was written before. */
		while (rest.high == 0)
			rest = load_word(from + 1);
		s.flags = (uint32_t) word.high & (RING_READY - 1);
		s.digit[0] = (int64_t) word.low;
		s.digit[1] = (int64_t) word.high >> 8;
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

/* |prefix| < 2^TOP_BITS units; those of values leave two bits of that, and sums of tiles one more.
 */
constexpr int RING_TOP_BITS = 50;
constexpr int RING_VALUE_BITS = RING_TOP_BITS - 2;
constexpr int RING_GAP_BITS = RING_TOP_BITS + 1;

/*
 * One integer: the first digit has so many bits, and its values so many units of the
 * second digit, that sums of tiles fit as well.
 */
constexpr int RING_SINGLE_TOP_BITS = 13;
constexpr int RING_SINGLE_VALUE_BITS = 49;

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

/* The ends of a sample, both as exponents of float8 that are larger the further out they are. */
struct SampleEnds
{
	uint32_t largest;
	uint32_t lowest; /* bit, from SAMPLE_LOWEST down */
};

constexpr uint32_t SAMPLE_LOWEST = 4096;

struct FurthestEnds
{
	typedef SampleEnds State;
	static constexpr bool commutative = true;

	static __device__ __forceinline__ State identity() { return State{0, 0}; }
	static __device__ __forceinline__ State combine(State a, State b)
	{
		return State{a.largest > b.largest ? a.largest : b.largest,
					 a.lowest > b.lowest ? a.lowest : b.lowest};
	}
};

struct RingPrepareShared
{
	BlockReduceShared<FurthestEnds> furthest;
	BlockReduceShared<SumMoments> moments;
	SampleEnds ends;
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

/* The least e so that |limbs| <= 2^e, in bits of the limbs; 0 for zero.  By a warp. */
static __device__ __forceinline__ int
ring_reach_of(const int64_t *limb)
{
	const bool negative = limb[LIMBS - 1] < 0;
	uint32_t reach = negative ? 1 : 0;

	for (int j = lane_id(); j < LIMBS; j += WARP)
	{
		const uint32_t digit = negative ? ~(uint32_t) limb[j] : (uint32_t) limb[j];

		if (digit != 0)
			reach = 32 * j + 32 - __clz((int) digit);
	}
	__syncwarp();
	return (int) warp_max(reach);
}

/* What a thread sees of a sample. */
template <class T>
struct RingSample
{
	T value[RING_SAMPLES];
	size_t size; /* of the block's */

	/* So many values a thread; a warp looks at neighbours: fewer pages of memory. */
	__device__ __forceinline__ RingSample(const T *values, size_t n, int looks)
	{
		const size_t places = blockDim.x / WARP * looks;
		const size_t stride = n / places > WARP ? n / places : WARP;

		size = n < places * WARP ? n : places * WARP;
#pragma unroll
		for (int i = 0; i < RING_SAMPLES; i++)
		{
			const size_t at = ((size_t) i * (blockDim.x / WARP) + warp_id()) * stride + lane_id();

			value[i] = i < looks && at < n ? values[at] : T(0);
		}
	}
};

/*
 * One block's plan, from a sample and a carry or none.  If one integer seems to do
 * for all prefixes (SINGLE asks), the first two digits are put where they make such
 * a one.
 */
template <class T, bool SINGLE = false>
static __device__ __forceinline__ void
exact_ring_plan(RingPrepareShared &shared, const RingSample<T> &sample, size_t n,
				const GpuredAcc *carry, ExactRingPlan *plan)
{
	double x[RING_SAMPLES];
	SampleEnds ends = {0, 0};
	uint32_t largest;
	SampleMoments moments = {0, 0};
	double scale;

#pragma unroll
	for (int i = 0; i < RING_SAMPLES; i++)
	{
		x[i] = (double) sample.value[i];
		if (exponent_field(x[i]) == SPECIAL_FIELD)
			x[i] = 0;
		ends = FurthestEnds::combine(ends, SampleEnds{(uint32_t) exponent_field(x[i]), 0});
		if (SINGLE && x[i] != 0)
		{
			int bit;
			const int64_t mantissa = exact_split(x[i], &bit);

			bit += __ffsll(mantissa) - 1;
			ends = FurthestEnds::combine(ends, SampleEnds{0, SAMPLE_LOWEST - (uint32_t) bit});
		}
	}
	for (int j = threadIdx.x; j < LIMBS; j += blockDim.x)
		shared.limb[j] = carry == nullptr ? 0 : carry->v.exact.limb[j];
	ends = block_reduce<FurthestEnds>(shared.furthest, ends);
	if (threadIdx.x == 0)
		shared.ends = ends;
	__syncthreads();
	ends = shared.ends;
	largest = ends.largest;

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
	if (warp_id() > 0)
		return;
	moments = warp_broadcast(moments, 0);

	const double samples = (double) sample.size;
	const double mean = fabs(moments.sum) / samples;
	const double spread = sqrt(moments.square / samples);
	const double walk = 8 * sqrt((double) n) * spread + 4;
	const double reach = (double) n * mean + walk;
	const int carry_top = ring_reach_of(shared.limb) + GPURED_EXACT_BIT0;
	const int scale_top = (int) largest - 1023 + 2;
	int top = scale_top + (exponent_field(reach) - 1023);
	uint32_t below = 0; /* what the carry has below the last digit */
	RingState state;

	/* If the carry is as large, their sum may need one bit more. */
	if (carry_top > top - 8)
		top = (top > carry_top ? top : carry_top) + 1;

	/* The magic numbers must be finite and normal; then no value has bits below the last digit. */
	const bool wanted = top <= 1000;

	top = top > 1000 ? 1000 : top < -926 ? -926 : top;

	/*
	 * One integer: all values look like multiples of the second digit's unit, and
	 * small enough.  The guess is closer, without a mean that may be chance: if
	 * prefixes are larger, two digits still hold them.
	 */
	const double sure = mean - 4 * spread / sqrt(samples);
	const double likely = (sure > 0 ? (double) n * sure : 0) + walk;
	int single_top = scale_top + (exponent_field(likely) - 1023);

	if (carry_top > single_top - 8)
		single_top = (single_top > carry_top ? single_top : carry_top) + 1;

	const int single_unit = single_top - RING_SINGLE_TOP_BITS - RING_DIGIT_BITS;
	const bool single = SINGLE &&
						(int) (SAMPLE_LOWEST - ends.lowest) + GPURED_EXACT_BIT0 >= single_unit &&
						(int) ends.largest - 1023 + 1 <= single_unit + RING_SINGLE_VALUE_BITS &&
						single_unit > -149 && top <= 120;
	const int unit = single ? single_unit + RING_DIGIT_BITS : top - RING_TOP_BITS;
	const int bit = unit - GPURED_EXACT_BIT0;
	const int last_bit = bit - (RING_DIGITS - 1) * RING_DIGIT_BITS;
	const int64_t mask = ((int64_t) 1 << RING_DIGIT_BITS) - 1;

	for (int j = lane_id(); j <= last_bit / 32; j += WARP)
		below |= (uint32_t) shared.limb[j] &
				 (j < last_bit / 32 ? ~0u : ((uint32_t) 1 << last_bit % 32) - 1);
	__syncwarp();
	below = warp_or(below);
	if (lane_id() > 0)
		return;
	state.digit[0] = ring_bits_of(shared.limb, bit);
	for (int d = 1; d < RING_DIGITS; d++)
		state.digit[d] = ring_bits_of(shared.limb, bit - d * RING_DIGIT_BITS) & mask;
	ring_normalize(state.digit);
	state.flags = carry == nullptr ? 0 : carry->v.exact.flags;
	state.flags |= state.digit[2] != 0 ? RING_REST : 0;
	state.unused = 0;
	plan->unit = unit;
	plan->wanted = wanted;
	plan->single = single;
	plan->carry = state;
	plan->carry_inexact = below != 0 ? RING_INEXACT : 0;
	plan->total = state;
	plan->marked = 0;
}

/* By a block that is launched for it; all of them clear. */
template <class T>
__global__ void
__launch_bounds__(RING_SAMPLE_THREADS)
	exact_ring_prepare(const T *values, size_t n, ExactRingPlan *plan, TileWord *words,
					   size_t num_words, uint8_t *marks, size_t num_marks)
{
	SHARED(RingPrepareShared, shared);
	const size_t thread = blockIdx.x * (size_t) blockDim.x + threadIdx.x;
	const size_t threads = (size_t) gridDim.x * blockDim.x;

	for (size_t i = thread; i < num_words; i += threads)
		words[i] = TileWord{0, 0};
	for (size_t i = thread; i < num_marks; i += threads)
		marks[i] = 0;
	if (blockIdx.x == 0)
		exact_ring_plan<T>(shared, RingSample<T>(values, n, RING_SAMPLES), n, nullptr, plan);
}

/* What is compared for the size of a number: all of a float4, the upper half of a float8. */
static __device__ __forceinline__ uint32_t
ring_size(double x)
{
	return (uint32_t) __double2hiint(x) & 0x7fffffff;
}

static __device__ __forceinline__ uint32_t
ring_size(float x)
{
	return (uint32_t) __float_as_int(x) & 0x7fffffff;
}

template <class T>
struct RingFormat;

template <>
struct RingFormat<double>
{
	static constexpr int PRECISION = 53;
	static constexpr bool SINGLE = false;

	/* The size of 2^e, which is a normal number. */
	static __device__ __forceinline__ uint32_t size(int e) { return (uint32_t) (e + 1023) << 20; }

	/* a + b, rounded once. */
	static __device__ __forceinline__ double add(double a, double b) { return a + b; }

	/* No more and no less than the exact sum, rounded. */
	static __device__ __forceinline__ double least(double a, double b) { return a + b; }
	static __device__ __forceinline__ double greatest(double a, double b) { return a + b; }

	/* Not zero if they are not the same. */
	static __device__ __forceinline__ uint64_t difference(double a, double b)
	{
		return (uint64_t) (__double_as_longlong(a) ^ __double_as_longlong(b));
	}
};

template <>
struct RingFormat<float>
{
	static constexpr int PRECISION = 24;

	/* An integer of 64 bits can be rounded to it in one step. */
	static constexpr bool SINGLE = true;

	/* The size of the least number that is not below 2^e, or of infinity. */
	static __device__ __forceinline__ uint32_t size(int e)
	{
		return e > 127     ? 0x7f800000
			   : e >= -126 ? (uint32_t) (e + 127) << 23
						   : 1u << (e < -149 ? 0 : e + 149);
	}

	/* Rounded to odd first: so long a float8 knows on which side of a float4 the sum is. */
	static __device__ __forceinline__ float add(double a, double b)
	{
		const double down = __dadd_rd(a, b), up = __dadd_ru(a, b);

		return (float) ((__double2loint(down) & 1) != 0 ? down : up);
	}

	static __device__ __forceinline__ float least(double a, double b)
	{
		return (float) __dadd_rd(a, b);
	}
	static __device__ __forceinline__ float greatest(double a, double b)
	{
		return (float) __dadd_ru(a, b);
	}
	static __device__ __forceinline__ uint32_t difference(float a, float b)
	{
		return (uint32_t) (__float_as_int(a) ^ __float_as_int(b));
	}
};

template <class T, int THREADS_, int ITEMS_, int STAGES_, int AHEAD_>
struct ExactRing
{
	typedef T Value;
	typedef T Out;
	typedef RingState State;
	typedef PublishedDigits Published;
	typedef ExactRingSetup Setup;
	typedef RingPrepareShared PrepareShared;
	static constexpr int THREADS = THREADS_, ITEMS = ITEMS_, STAGES = STAGES_, AHEAD = AHEAD_;
	static constexpr int TILE = THREADS * ITEMS;
	static constexpr int WORDS = 2;
	static constexpr size_t LINE = 128 / sizeof(TileWord);
	static constexpr int LENGTH = Vector<T>::LENGTH;
	typedef RingFormat<T> Format;
	static_assert(ITEMS < 1 << (53 - RING_DIGIT_BITS),
				  "digits of a stretch, another one and half a unit fit 53 bits");

	struct Start
	{
		double magic[RING_DIGITS];
		double single_magic;   /* for half a unit of the second digit */
		float single_unit;     /* that half */
		uint32_t single_bound; /* as "bound", if one integer may do; else zero */
		uint32_t bound;        /* sizes of values are below */
		uint32_t smallest; /* and those of results for which half a unit stands for less than one */
		uint32_t carry_inexact;
		bool wanted;
		State carry;
	};
	struct Shared
	{
		uint32_t flags;        /* of the tile */
		uint8_t flag[THREADS]; /* of each stretch */
	};
	struct Stretch
	{
		int64_t before[RING_DIGITS]; /* in the warp */
		int digits; /* that most of the warp had to look at; one if a single integer did */
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
		return add(a, b, RING_GAP_BITS);
	}

	/* Totals of some hundred tiles fit a digit as they are. */
	static __device__ __forceinline__ State gather(State a, const State &b)
	{
#pragma unroll
		for (int d = 0; d < RING_DIGITS; d++)
			a.digit[d] += b.digit[d];
		a.flags |= b.flags;
		return a;
	}
	static __device__ __forceinline__ State gather_warp(State s)
	{
		s.flags = warp_or(s.flags);
#pragma unroll
		for (int d = 0; d < RING_DIGITS; d++)
			if (d < RING_DIGITS - 1 || (s.flags & RING_REST) != 0)
				s.digit[d] = ring_warp_sum(s.digit[d]);
		return s;
	}

	/* What is before a tile, and the sum of tiles that follow. */
	static __device__ __forceinline__ State advance(const State &a, const State &b)
	{
		return add(a, b, RING_TOP_BITS + 1);
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

	static __device__ __forceinline__ State scan_warp(State s)
	{
		s = scan_digits(s, warp_or(s.flags));
#pragma unroll
		for (int distance = 1; distance < WARP; distance *= 2)
		{
			const uint32_t below = warp_shuffle_up(s.flags, distance);

			if (lane_id() >= distance)
				s.flags |= below;
		}
		return s;
	}

	/* The third digit only if it is in use, by the flags of all lanes. */
	static __device__ __forceinline__ State scan_digits(State s, uint32_t flags)
	{
#pragma unroll
		for (int d = 0; d < RING_DIGITS; d++)
			if (d < RING_DIGITS - 1 || (flags & RING_REST) != 0)
				s.digit[d] = warp_scan<SumInt64<int32_t>>(s.digit[d]);
		return s;
	}

	/* The digits of a thread's stretch: what is before it in the warp, and the warp's total. */
	static __device__ __forceinline__ void scan_stretches(State s, Stretch *mine, State *warp_total)
	{
		const uint32_t flags = warp_or(s.flags);
		int64_t own[RING_DIGITS];

#pragma unroll
		for (int d = 0; d < RING_DIGITS; d++)
			own[d] = s.digit[d];
		s = scan_digits(s, flags);
		s.flags = flags;
#pragma unroll
		for (int d = 0; d < RING_DIGITS; d++)
			mine->before[d] = s.digit[d] - own[d];
		if (lane_id() == WARP - 1)
			*warp_total = s;
	}

	static __device__ __forceinline__ void publish(TileWord *to, const Start &, Shared &shared,
												   State &total)
	{
		total = combine(total, identity());
		if (lane_id() == 0)
		{
			shared.flags = total.flags;
			Published::write(to, total);
		}
	}

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

	static __device__ __forceinline__ void mark(const Setup &setup, size_t tile)
	{
		const size_t first = tile * TILE / EXACT_SCAN_TILE;
		const size_t last = (tile * TILE + TILE - 1) / EXACT_SCAN_TILE;

		for (size_t t = first; t <= last && t < setup.num_marks; t++)
			setup.marks[t] = 1;
		setup.plan->marked = 1;
	}

	static __device__ __forceinline__ void finish(const Start &, const Setup &setup,
												  const State &all)
	{
		setup.plan->total = all;
	}

	/* The first block plans, all of them clear. */
	static __device__ __forceinline__ void prepare(const Setup &setup, const T *values, size_t n,
												   PrepareShared &shared)
	{
		for (size_t i = blockIdx.x * (size_t) blockDim.x + threadIdx.x; i < setup.num_marks;
			 i += (size_t) gridDim.x * blockDim.x)
			setup.marks[i] = 0;
		if (blockIdx.x == 0)
			exact_ring_plan<T, Format::SINGLE>(shared, RingSample<T>(values, n, RING_SAMPLES), n,
											   setup.carry, setup.plan);
	}

	static __device__ __forceinline__ Start start(const Setup &setup)
	{
		return start_of(setup.plan);
	}

	static __device__ __forceinline__ Start start_of(const ExactRingPlan *plan)
	{
		Start s;

#pragma unroll
		for (int d = 0; d < RING_DIGITS; d++)
			s.magic[d] = 1.5 * power_of_two(plan->unit - d * RING_DIGIT_BITS + 52);
		s.bound = Format::size(plan->unit + RING_VALUE_BITS);
		s.single_magic = 0.5 * s.magic[1];
		s.single_unit = plan->single ? (float) power_of_two(plan->unit - RING_DIGIT_BITS - 1) : 0;
		s.single_bound =
			plan->single ? Format::size(plan->unit - RING_DIGIT_BITS + RING_SINGLE_VALUE_BITS) : 0;

		/* A result's last bit is four of the second digit's units. */
		s.smallest = Format::size(plan->unit - RING_DIGIT_BITS + Format::PRECISION + 1);
		s.wanted = plan->wanted;
		s.carry = plan->carry;
		s.carry_inexact = plan->carry_inexact;
		return s;
	}
	static __device__ __forceinline__ bool wanted(const Start &start) { return start.wanted; }
	static __device__ __forceinline__ State first(const Start &start) { return start.carry; }

	static __device__ __forceinline__ void total(const Start &start, Shared &shared,
												 const T *stretch, Stretch *mine, State *warp_total)
	{
		uint32_t largest = 0;
		int digits = mine->digits;
		State s = {{0, 0, 0}, RING_SEEN, 0};

		if (Format::SINGLE && digits <= 1 && start.single_bound != 0)
			digits = total_of_one(start, stretch, &s, &largest);
		else if (digits <= 1)
			digits = 2;
		if (digits == 2)
			digits = total_of_two(start, stretch, &s, &largest);
		if (digits == 3 && largest < start.bound)
			digits = total_of_three(start, stretch, &s, &largest);
		if (largest >= start.bound || (s.digit[0] | s.digit[1] | s.digit[2]) == 0)
			s.flags = total_with_care(start, stretch, s.digit);
		__syncwarp();

		const int threes = __popc(__ballot_sync(ALL_LANES, digits >= 3));
		const int twos = __popc(__ballot_sync(ALL_LANES, digits >= 2));

		mine->digits = threes > WARP / 2 ? 3 : twos > WARP / 2 ? 2 : 1;
		shared.flag[threadIdx.x] = (uint8_t) (s.flags | (digits == 1 ? RING_SINGLE : 0));
		scan_stretches(s, mine, warp_total);
	}

	/* So many digits are needed after all. */
	static __device__ __forceinline__ int total_of_one(const Start &start, const T *stretch,
													   State *s, uint32_t *largest)
	{
		const Vector<T> *vector = reinterpret_cast<const Vector<T> *>(stretch);
		uint64_t sum = 0;
		bool below = false;

#pragma unroll
		for (int i = 0; i < ITEMS / LENGTH; i++)
		{
			const Vector<T> v = vector[i];

#pragma unroll
			for (int k = 0; k < LENGTH; k++)
			{
				const double x = (double) v.value[k];
				const uint32_t size = ring_size(v.value[k]);
				const double shifted = x + start.magic[1];

				*largest = size > *largest ? size : *largest;
				sum += (uint64_t) __double_as_longlong(shifted);
				below |= shifted - start.magic[1] != x;
			}
		}
		s->digit[1] = (int64_t) (sum - ITEMS * (uint64_t) __double_as_longlong(start.magic[1]));
		return below || *largest >= start.single_bound ? 2 : 1;
	}

	static __device__ __forceinline__ int total_of_two(const Start &start, const T *stretch,
													   State *s, uint32_t *largest)
	{
		const Vector<T> *vector = reinterpret_cast<const Vector<T> *>(stretch);
		uint64_t sum[2] = {0, 0};
		bool rest = false;

#pragma unroll
		for (int i = 0; i < ITEMS / LENGTH; i++)
		{
			const Vector<T> v = vector[i];

#pragma unroll
			for (int k = 0; k < LENGTH; k++)
			{
				const double x = (double) v.value[k];
				const uint32_t size = ring_size(v.value[k]);
				const double first = x + start.magic[0];
				const double below = x - (first - start.magic[0]);
				const double second = below + start.magic[1];

				*largest = size > *largest ? size : *largest;
				sum[0] += (uint64_t) __double_as_longlong(first);
				sum[1] += (uint64_t) __double_as_longlong(second);
				rest |= second - start.magic[1] != below;
			}
		}
#pragma unroll
		for (int d = 0; d < 2; d++)
			s->digit[d] =
				(int64_t) (sum[d] - ITEMS * (uint64_t) __double_as_longlong(start.magic[d]));
		return rest ? 3 : Format::SINGLE && *largest < start.single_bound ? 1 : 2;
	}

	static __device__ __forceinline__ int total_of_three(const Start &start, const T *stretch,
														 State *s, uint32_t *largest)
	{
		const Vector<T> *vector = reinterpret_cast<const Vector<T> *>(stretch);
		uint64_t sum[RING_DIGITS] = {0, 0, 0};
		uint64_t used = 0;
		bool inexact = false;

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
				for (int d = 0; d < RING_DIGITS; d++)
				{
					const double shifted = x + start.magic[d];
					const uint64_t bits = (uint64_t) __double_as_longlong(shifted);

					sum[d] += bits;
					x = x - (shifted - start.magic[d]);
					if (d == RING_DIGITS - 1)
						used |= bits ^ (uint64_t) __double_as_longlong(start.magic[d]);
				}
				inexact |= x != 0;
			}
		}
#pragma unroll
		for (int d = 0; d < RING_DIGITS; d++)
			s->digit[d] =
				(int64_t) (sum[d] - ITEMS * (uint64_t) __double_as_longlong(start.magic[d]));
		s->flags |= (used != 0 ? RING_REST : 0) | (inexact ? RING_INEXACT : 0);
		return used != 0 || inexact ? 3 : 2;
	}

	/* Any values: all digits, and the flags. */
	static __device__ __forceinline__ uint32_t total_with_care(const Start &start, const T *stretch,
															   int64_t *digit)
	{
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

				x = look_at(start, v.value[k], x, &flags);
#pragma unroll
				for (int d = 0; d < RING_DIGITS; d++)
				{
					const double shifted = x + start.magic[d];

					digit[d] +=
						__double_as_longlong(shifted) - __double_as_longlong(start.magic[d]);
					x = x - (shifted - start.magic[d]);
					if (d == 1)
						flags |= x != 0 ? RING_REST : 0;
				}
				flags |= x != 0 ? RING_INEXACT : 0;
			}
		}
		return flags;
	}

	/* What a value raises, and what of it is summed. */
	static __device__ __forceinline__ double look_at(const Start &start, T value, double x,
													 uint32_t *flags)
	{
		*flags |= not_negative_zero(value) != 0 ? RING_SEEN : 0;
		if (ring_size(value) < start.bound)
			return x;
		*flags |= exponent_field(x) == SPECIAL_FIELD ? special_flag(x) : RING_BAD;
		return 0;
	}

	static __device__ __forceinline__ double to_double(const Start &start, int64_t k, int d)
	{
		return __longlong_as_double(k + __double_as_longlong(start.magic[d])) - start.magic[d];
	}

	static __device__ __forceinline__ void rescan(const Start &start, const Setup &setup,
												  const Shared &shared, const State &base,
												  const State &warp_before, const Stretch &mine,
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
			fill(out, settle(before | here));
			return;
		}
		if (!fits(digit[0], RING_TOP_BITS))
			mark(setup, tile);
		if (plain && !easy && rescan_in_range(start, digit, stretch, out))
			return;
		if (Format::SINGLE && plain && easy && (shared.flag[threadIdx.x] & RING_SINGLE) != 0 &&
			fits(digit[0], RING_SINGLE_TOP_BITS))
		{
			if (rescan_as_one(start, digit, side, stretch, out))
				return;
		}
		else if (plain && easy)
		{
			Vector<T> result[ITEMS / LENGTH];
			double high = to_double(start, digit[0], 0);
			double low = to_double(start, digit[1], 1);
			uint32_t smallest = ~0u;

			if (side != 0)
			{
				const double half = 0.5 * to_double(start, side, 1);

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
		double high = to_double(start, digit[0], 0);
		double low = to_double(start, digit[1], 1);
		const double range = to_double(start, (ITEMS + 1) / 2 + 1, 1);
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
	static __device__ __forceinline__ void rescan_with_care(const Start &start, const Setup &setup,
															const Shared &shared, uint32_t flags,
															const int64_t *digit, int64_t error,
															size_t tile, const T *stretch, T *out)
	{
		const Vector<T> *vector = reinterpret_cast<const Vector<T> *>(stretch);
		Vector<T> *to = reinterpret_cast<Vector<T> *>(out);
		double high = to_double(start, digit[0], 0);
		double low = to_double(start, digit[1], 1);
		double rest = to_double(start, digit[2], 2);
		const double range = to_double(start, (error + 1) / 2, RING_DIGITS - 1);
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

				x = look_at(start, v.value[k], x, &flags);
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
					result.value[k] = Format::add(sum, (__double2loint(down) & 1) != 0 ? down : up);
				else
				{
					const T least = Format::add(sum, down), greatest = Format::add(sum, up);

					unsure |= Format::difference(least, greatest) != 0;
					result.value[k] = greatest;
				}
				if ((flags & (RING_SPECIALS | RING_SEEN)) != RING_SEEN)
					result.value[k] = settle(flags);
				else
					unsure |= (flags & RING_BAD) != 0;
			}
			to[i] = result;
		}
		if (unsure)
			mark(setup, tile);
	}
};

/*
 * If nothing is marked or left out: add the values' sum to the carry, whose limbs
 * are in "limb" too.  One thread.
 */
static __device__ __noinline__ void
exact_ring_total(const ExactRingPlan *plan, int64_t *limb, GpuredExact *carry)
{
	for (int d = 0; d < RING_DIGITS; d++)
	{
		const int64_t k = plan->total.digit[d] - plan->carry.digit[d];
		const int bit = plan->unit - d * RING_DIGIT_BITS - GPURED_EXACT_BIT0;
		const int shift = bit % 32;
		const int64_t upper = shift == 0 ? k >> 32 : k >> (32 - shift);

		limb[bit / 32] += (uint32_t) ((uint64_t) k << shift);
		limb[bit / 32 + 1] += upper;
		carry->limb[bit / 32] = limb[bit / 32];
		carry->limb[bit / 32 + 1] = limb[bit / 32 + 1];
	}
	carry->flags = plan->total.flags & (RING_SPECIALS | RING_SEEN);
}

#endif /* GPURED_EXACT_RING_CUH */

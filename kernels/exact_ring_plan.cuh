/*
 * exact_ring_plan.cuh
 *	  Where the digits of exact_digits.cuh are put, before prefix sums are begun: a
 *	  guess from a sample of the values and the carry.
 *
 * First digits are to have room for what the sum is expected to reach: from the
 * sample's mean and deviation, so many values walk so far; if that is wrong, it costs
 * time, never the result.  If the sample of float4 says so, first and second digits
 * are put where together they are one integer of 62 bits, which one instruction
 * rounds.
 *
 * The plan is one block's work, and is left in memory with the carry cut into
 * digits; the scan leaves its total beside that, for the carry to be moved on.
 */
#ifndef GPURED_EXACT_RING_PLAN_CUH
#define GPURED_EXACT_RING_PLAN_CUH

#include "block_reduce.cuh"
#include "bulk_copy.cuh"
#include "exact_digits.cuh"

/* What is marked to be done again: so many values. */
constexpr int EXACT_SCAN_TILE = 4096;

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

/*
 * One integer: the first digit has so many bits, and its values so many units of the
 * second digit, that sums of tiles fit as well.
 */
constexpr int RING_SINGLE_TOP_BITS = 13;
constexpr int RING_SINGLE_VALUE_BITS = 49;

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

/* What each thread keeps of a plan. */
template <class T>
struct RingStart
{
	typedef RingFormat<T> Format;

	double magic[RING_DIGITS];
	double single_magic;   /* for half a unit of the second digit */
	float single_unit;     /* that half */
	uint32_t single_bound; /* as "bound", if one integer may do; else zero */
	uint32_t bound;        /* sizes of values are below */
	uint32_t smallest;     /* and those of results for which half a unit stands for less than one */
	uint32_t carry_inexact;
	bool wanted;
	RingState carry;

	explicit __device__ __forceinline__ RingStart(const ExactRingPlan *plan)
	{
#pragma unroll
		for (int d = 0; d < RING_DIGITS; d++)
			magic[d] = 1.5 * power_of_two(plan->unit - d * RING_DIGIT_BITS + 52);
		bound = Format::size(plan->unit + RING_VALUE_BITS);
		single_magic = 0.5 * magic[1];
		single_unit = plan->single ? (float) power_of_two(plan->unit - RING_DIGIT_BITS - 1) : 0;
		single_bound =
			plan->single ? Format::size(plan->unit - RING_DIGIT_BITS + RING_SINGLE_VALUE_BITS) : 0;

		/* A result's last bit is four of the second digit's units. */
		smallest = Format::size(plan->unit - RING_DIGIT_BITS + Format::PRECISION + 1);
		wanted = plan->wanted;
		carry = plan->carry;
		carry_inexact = plan->carry_inexact;
	}

	/* What a value raises, and what of it is summed. */
	__device__ __forceinline__ double look_at(T value, double x, uint32_t *flags) const
	{
		*flags |= not_negative_zero(value) != 0 ? RING_SEEN : 0;
		if (ring_size(value) < bound)
			return x;
		*flags |= exponent_field(x) == SPECIAL_FIELD ? special_flag(x) : RING_BAD;
		return 0;
	}

	/* A digit's integer below 2^51 as a number. */
	__device__ __forceinline__ double to_double(int64_t k, int d) const
	{
		return __longlong_as_double(k + __double_as_longlong(magic[d])) - magic[d];
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

#endif /* GPURED_EXACT_RING_PLAN_CUH */

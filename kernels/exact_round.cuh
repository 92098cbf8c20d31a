/*
 * exact_round.cuh
 *	  Integers of several words, and their one rounding to a float.
 *
 * A value is v * 2^(bit - 1100) + "a little": v is a two's complement integer,
 * and "sticky" says that there are bits below its lowest, which make the true
 * value larger by less than one unit.  The complement of v with the same
 * "sticky" is then the size of a negative value, for -(v + f) = ~v + (1 - f).
 */
#ifndef GPURED_EXACT_ROUND_CUH
#define GPURED_EXACT_ROUND_CUH

#include "exact_block.cuh"

template <int WORDS>
struct WideInt
{
	uint64_t word[WORDS]; /* the lowest first */
};

/* The sum of wide integers, as an operator for scans. */
template <int WORDS>
struct SumWide
{
	typedef WideInt<WORDS> State;

	static __device__ __forceinline__ State identity()
	{
		State zero;

#pragma unroll
		for (int i = 0; i < WORDS; i++)
			zero.word[i] = 0;
		return zero;
	}

	static __device__ __forceinline__ State combine(State a, const State &b)
	{
		uint64_t carry = 0;

#pragma unroll
		for (int i = 0; i < WORDS; i++)
		{
			const uint64_t sum = a.word[i] + carry;

			/* At most one of the two additions overflows. */
			carry = sum < carry;
			a.word[i] = sum + b.word[i];
			carry += a.word[i] < sum;
		}
		return a;
	}
};

/* The finite x in units of bit "bit" of the limbs; x has no bits below, nor beyond the words. */
template <int WORDS>
static __device__ __forceinline__ WideInt<WORDS>
wide_from_value(double x, int bit)
{
	WideInt<WORDS> v;
	int at;
	int64_t mantissa = exact_split(x, &at);
	const uint64_t sign = (uint64_t) (mantissa >> 63);

	/* Of a mantissa that reaches below the window, those bits are zero. */
	at -= bit;
	if (at < 0)
	{
		mantissa >>= at > -63 ? -at : 63;
		at = 0;
	}

	const int word = at / 64;
	const int shift = at % 64;
	const uint64_t low = (uint64_t) mantissa << shift;
	const uint64_t high = shift == 0 ? sign : (uint64_t) (mantissa >> (64 - shift));

#pragma unroll
	for (int i = 0; i < WORDS; i++)
		v.word[i] = i < word ? 0 : i == word ? low : i == word + 1 ? high : sign;
	return v;
}

/* What rounding has to know of a float type. */
template <class Float>
struct FloatFormat;

template <>
struct FloatFormat<double>
{
	typedef uint64_t Bits;
	static constexpr int PRECISION = 53;
	static constexpr int BIAS = 1023;
};

template <>
struct FloatFormat<float>
{
	typedef uint32_t Bits;
	static constexpr int PRECISION = 24;
	static constexpr int BIAS = 127;
};

/*
 * Round to nearest-even; too large a value becomes an infinity.  With "sticky",
 * |v| must have more than PRECISION + 1 bits.  The value is a multiple of the
 * type's smallest, so that a subnormal result is exact.  Zero gives "zero".
 */
template <class Float, int WORDS>
static __device__ __forceinline__ Float
exact_round(WideInt<WORDS> v, bool sticky, int bit, Float zero)
{
	typedef FloatFormat<Float> Format;
	typedef typename Format::Bits Bits;
	const bool negative = (int64_t) v.word[WORDS - 1] < 0;
	uint64_t top = 0, next = 0, rest = 0, previous = 0, lower = 0;
	int index = 0;
	bool carry = negative && !sticky;

	/* The size: its highest word that is not zero, the next, and whether more follows. */
#pragma unroll
	for (int i = 0; i < WORDS; i++)
	{
		const uint64_t size = (negative ? ~v.word[i] : v.word[i]) + carry;

		carry = carry && size == 0;
		if (size != 0)
		{
			top = size;
			next = previous;
			rest = lower;
			index = i;
		}
		lower |= previous;
		previous = size;
	}
	if (top == 0)
		return zero;

	/* 64 bits from the highest set one down; what is below them. */
	const int leading = __clzll((long long) top);
	const int exponent = bit + 64 * index + 63 - leading + GPURED_EXACT_BIT0;

	if (leading > 0)
	{
		top = top << leading | next >> (64 - leading);
		next <<= leading;
	}
	rest |= next | (sticky ? 1 : 0);

	/* Fewer bits for a subnormal: none of those dropped is set. */
	const int lowest = 1 - Format::BIAS;
	const int drop = 64 - Format::PRECISION + (exponent < lowest ? lowest - exponent : 0);
	const uint64_t half = (uint64_t) 1 << (drop < 64 ? drop - 1 : 63);
	const uint64_t below = top & (half + (half - 1));
	uint64_t bits = drop < 64 ? top >> drop : 0;
	const bool up = below > half || (below == half && (rest != 0 || (bits & 1) != 0));

	/*
	 * The first bit of a normal number is added to the exponent, as is the
	 * carry of a mantissa that rounds up to the next power of two.
	 */
	if (exponent >= lowest)
		bits += (uint64_t) (exponent + Format::BIAS - 1) << (Format::PRECISION - 1);
	bits += up;
	if (exponent > Format::BIAS)
		bits = (uint64_t) (2 * Format::BIAS + 1) << (Format::PRECISION - 1);

	const Bits pattern = (Bits) bits | (Bits) negative << (8 * sizeof(Float) - 1);
	Float result;

	memcpy(&result, &pattern, sizeof(result));
	return result;
}

#endif /* GPURED_EXACT_ROUND_CUH */

/*
 * cpu_scan.c
 *	  Exact prefix sums of floats on the CPU, each rounded once.
 *
 * Two ways, block by block:
 *
 * Ordinary data: the prefix is a pair of doubles on two fixed grids, 41 bits
 * apart.  Each value is cut into a digit for either grid (as in cpu_sum.c), the
 * digits are added to the pair without rounding, and the sum of the pair is one
 * correctly rounded addition.  The grids are placed so that nothing of a block
 * can leave them: 49 bits for the prefix before the block, and another 11 below
 * for each of the block's 2048 values.  If a value does not fit, the block is
 * done again the other way.
 *
 * Any data: the prefix is an integer of as many 64-bit words as it needs, in
 * two's complement, from the bottom of the grid of exact.h up to its own
 * leading bits.  Rounding looks at the three words at the top, and further
 * down only as far as there are zeros.
 */
#include "device/cpu.h"
#include "exact/round.h"

#define BLOCK			2048
#define BLOCK_BITS		11

/* Where the lower grid is, below the upper one. */
#define GRID_DISTANCE	41

/* Exponents that the upper grid's unit may have. */
#define LOWEST_UNIT		(-900)
#define HIGHEST_UNIT	900

/* Blocks that take the slow way before the fast one is tried again. */
#define SLOW_BLOCKS		8

#define WORDS			(GPURED_EXACT_LIMBS / 2 + 2)

/* The prefix as a pair of doubles. */
typedef struct PairPrefix
{
	double		high;			/* a multiple of 2^unit */
	double		low;			/* a multiple of 2^(unit - GRID_DISTANCE) */
	double		high_magic;
	double		low_magic;
	double		value_bound;
	double		prefix_bound;
	bool		placed;
} PairPrefix;

/* The prefix as a long integer: words 0 .. top, the last one's sign bit above. */
typedef struct LongPrefix
{
	uint64_t	word[WORDS];
	int			top;
} LongPrefix;

static inline uint64_t
bits_of(double value)
{
	uint64_t	bits;

	memcpy(&bits, &value, sizeof(bits));
	return bits;
}

static double
power_of_two(int exponent)
{
	return gpured_double_from_bits((uint64_t) (exponent + 1023) << 52);
}

static inline double
magnitude(double value)
{
	return gpured_double_from_bits(bits_of(value) & INT64_MAX);
}

/* x is of floats if "single", else of doubles; always a constant. */
static inline __attribute__((always_inline)) double
value_at(const void *x, size_t i, bool single)
{
	return single ? ((const float *) x)[i] : ((const double *) x)[i];
}

/* a + b, rounded, and what the rounding left out. */
static inline double
two_sum(double a, double b, double *error)
{
	double		sum = a + b;
	double		b_part = sum - a;

	*error = (a - (sum - b_part)) + (b - b_part);
	return sum;
}

/*
 * The pair's sum as a float, rounded once.  Rounding it to a double first does
 * harm only if that gives the middle between two floats without being it:
 * then it is moved off the middle.  (Below the normal floats it is exact.)
 */
static inline float
pair_to_float(double high, double low)
{
	const uint64_t below_float = (UINT64_C(1) << 29) - 1;
	double		error;
	double		sum = two_sum(high, low, &error);
	uint64_t	bits = bits_of(sum);

	if (__builtin_expect((bits & below_float) == UINT64_C(1) << 28, 0) && error != 0)
		sum = gpured_double_from_bits((error > 0) == (sum > 0) ? bits + 1 : bits - 1);
	return (float) sum;
}

/*
 * Place the grids for the prefix so far and the n values of x, and cut the
 * prefix to them.  False if they cannot be placed.
 */
static inline __attribute__((always_inline)) bool
place_pair(PairPrefix *p, const void *x, size_t n, bool single)
{
	double		error;
	double		sum = two_sum(p->high, p->low, &error);
	uint64_t	greatest = 0;
	int			prefix_exponent = (int) (bits_of(sum) >> 52 & 0x7ff) - 1023 + 1;
	int			value_exponent;
	int			unit;
	double		high;
	double		rest;

	/* whatever happens, the prefix itself stays what it is */
	p->high = sum;
	p->low = error;
	p->placed = false;
	for (size_t i = 0; i < n; i++)
	{
		uint64_t	bits = bits_of(value_at(x, i, single)) & INT64_MAX;

		if (bits > greatest)
			greatest = bits;
	}
	value_exponent = (int) (greatest >> 52) - 1023 + 1;

	/* a few bits of room, so that this does not happen too often */
	unit = prefix_exponent + 4 - 49;
	if (unit < value_exponent + 4 + BLOCK_BITS - 49)
		unit = value_exponent + 4 + BLOCK_BITS - 49;
	if (unit < LOWEST_UNIT)
		unit = LOWEST_UNIT;
	if (unit > HIGHEST_UNIT)
		return false;
	p->high_magic = 1.5 * power_of_two(52 + unit);
	p->low_magic = 1.5 * power_of_two(52 + unit - GRID_DISTANCE);
	p->prefix_bound = power_of_two(unit + 49);
	p->value_bound = power_of_two(unit + 49 - BLOCK_BITS);

	high = (sum + p->high_magic) - p->high_magic;
	rest = sum - high;
	if ((rest + p->low_magic) - p->low_magic != rest ||
		(error + p->low_magic) - p->low_magic != error)
		return false;
	p->high = high;
	p->low = rest + error;
	p->placed = true;
	return true;
}

/* Scan a block; false if a value does not fit (out is then worth nothing). */
static inline __attribute__((always_inline)) bool
scan_pair(PairPrefix *p, const void *x, size_t n, bool single, void *out)
{
	double		high = p->high;
	double		low = p->low;
	bool		fits = true;

	for (size_t i = 0; i < n; i++)
	{
		double		value = value_at(x, i, single);
		double		high_digit = (value + p->high_magic) - p->high_magic;
		double		rest = value - high_digit;
		double		low_digit = (rest + p->low_magic) - p->low_magic;

		fits &= (magnitude(value) < p->value_bound) & (low_digit == rest);
		high += high_digit;
		low += low_digit;
		if (single)
			((float *) out)[i] = pair_to_float(high, low);
		else
			((double *) out)[i] = high + low;
	}
	if (!fits)
		return false;

	/* what the lower digits have gathered goes up, so that they have room again */
	p->high = (low + p->high_magic) - p->high_magic;
	p->low = low - p->high;
	p->high += high;
	return true;
}

static void
pair_to_exact(const PairPrefix *p, GpuredExact *x)
{
	uint32_t	flags = x->flags;

	gpured_exact_init(x);
	gpured_exact_add(x, p->high);
	gpured_exact_add(x, p->low);
	x->flags = flags;
}

/* Start the pair from the carry: false if two doubles do not hold it. */
static bool
pair_from_exact(PairPrefix *p, const GpuredExact *x)
{
	GpuredExact rest = *x;
	double		zero;

	p->placed = false;
	if (!gpured_exact_to_double(&rest, &p->high))
		return false;
	gpured_exact_add(&rest, -p->high);
	gpured_exact_to_double(&rest, &p->low);
	gpured_exact_add(&rest, -p->low);
	gpured_exact_to_double(&rest, &zero);
	p->low += 0.0;				/* -0 would do harm */
	return zero == 0;
}

static inline uint64_t
sign_word(uint64_t word)
{
	return word >> 63 ? UINT64_MAX : 0;
}

static inline void
long_trim(LongPrefix *p)
{
	while (p->top > 0 && p->word[p->top] == sign_word(p->word[p->top - 1]))
		p->top--;
}

static void
long_from_exact(LongPrefix *p, const GpuredExact *x)
{
	GpuredExact t = *x;
	const int	last = GPURED_EXACT_LIMBS / 2;

	gpured_exact_normalize(&t);
	for (int i = 0; i < last; i++)
		p->word[i] = (uint64_t) t.limb[2 * i] | (uint64_t) t.limb[2 * i + 1] << 32;
	p->word[last] = (uint64_t) (t.limb[GPURED_EXACT_LIMBS - 1] >> 32);
	p->top = last;
	long_trim(p);
}

static void
long_to_exact(const LongPrefix *p, GpuredExact *x)
{
	uint32_t	flags = x->flags;

	gpured_exact_init(x);
	for (int i = 0; i <= p->top; i++)
	{
		uint32_t	high = (uint32_t) (p->word[i] >> 32);

		if (2 * i + 1 < GPURED_EXACT_LIMBS)
		{
			x->limb[2 * i] = (uint32_t) p->word[i];
			x->limb[2 * i + 1] = i < p->top ? (int64_t) high : (int32_t) high;
		}
		else if (i == GPURED_EXACT_LIMBS / 2)	/* goes into the last limb as well */
			x->limb[GPURED_EXACT_LIMBS - 1] += (int64_t) (p->word[i] << 32);
	}
	x->pending = 1;
	x->flags = flags;
}

/* Add a finite number. */
static inline void
long_add(LongPrefix *p, uint64_t bits)
{
	int			exponent = (bits >> 52) & 0x7ff;
	uint64_t	normal = exponent != 0;
	uint64_t	sign = sign_word(p->word[p->top]);
	int			bit = exponent + !normal - 1075 - GPURED_EXACT_BIT0;
	int			i = bit / 64;
	unsigned __int128 addend = (bits & ((UINT64_C(1) << 52) - 1)) | normal << 52;
	unsigned __int128 t;
	uint64_t	above;			/* what the addend adds to the words above it */
	uint64_t	carry;

	addend <<= bit % 64;
	if (bits >> 63)
		addend = -addend;
	above = sign_word((uint64_t) (addend >> 64));

	/* one word more than both need, so that the sign cannot be carried away */
	while (p->top < i + 1)
		p->word[++p->top] = sign;
	if (p->top < WORDS - 1)
		p->word[++p->top] = sign;

	t = (unsigned __int128) p->word[i] + (uint64_t) addend;
	p->word[i] = (uint64_t) t;
	t = (unsigned __int128) p->word[i + 1] + (uint64_t) (addend >> 64) + (uint64_t) (t >> 64);
	p->word[i + 1] = (uint64_t) t;
	carry = (uint64_t) (t >> 64);
	for (i += 2; i <= p->top && above + carry != 0; i++)
	{
		t = (unsigned __int128) p->word[i] + above + carry;
		p->word[i] = (uint64_t) t;
		carry = (uint64_t) (t >> 64);
	}
	long_trim(p);
}

/* The prefix rounded once: the bits of the format, the sign apart. */
static inline uint64_t
long_round(const LongPrefix *p, const GpuredFormat *format, bool *negative)
{
	uint64_t	word[3] = {0, 0, 0};	/* the leading ones, lowest first */
	int			first = p->top >= 2 ? p->top - 2 : 0;
	int			n = p->top - first + 1;
	int			i = n - 1;
	int			zeros;
	bool		sticky = false;
	uint64_t	rest;

	for (int j = first - 1; j >= 0 && !sticky; j--)
		sticky = p->word[j] != 0;
	memcpy(word, p->word + first, n * sizeof(uint64_t));
	*negative = word[i] >> 63;
	if (*negative)
	{
		uint64_t	carry = !sticky;

		for (int j = 0; j < n; j++)
		{
			word[j] = ~word[j] + carry;
			carry = carry && word[j] == 0;
		}
	}
	while (i > 0 && word[i] == 0)
		i--;
	if (first + i == 0)
		return gpured_round(word[0], 0, false, format);

	/* in three words the leading one is never the lowest of them */
	zeros = __builtin_clzll(word[i]);
	rest = word[i - 1] << zeros;
	for (int j = i - 2; j >= 0; j--)
		rest |= word[j] != 0;
	return gpured_round(word[i] << zeros | (word[i - 1] >> 1) >> (63 - zeros),
						64 * (first + i) - zeros, sticky || rest != 0, format);
}

static inline __attribute__((always_inline)) void
scan_long(LongPrefix *p, uint32_t *flags, const void *x, size_t n, bool single, void *out)
{
	for (size_t i = 0; i < n; i++)
	{
		double		value = value_at(x, i, single);
		uint64_t	bits = bits_of(value);
		double		special;
		bool		negative;

		if ((bits >> 52 & 0x7ff) != 0x7ff)
			long_add(p, bits);
		else if (bits << 12)
			*flags |= GPURED_EXACT_NAN;
		else
			*flags |= bits >> 63 ? GPURED_EXACT_NINF : GPURED_EXACT_PINF;
		if (gpured_special_sum(*flags, &special))
		{
			if (single)
				((float *) out)[i] = (float) special;
			else
				((double *) out)[i] = special;
		}
		else if (single)
		{
			bits = long_round(p, &gpured_float_format, &negative);
			((float *) out)[i] =
				gpured_float_from_bits((uint32_t) bits | (uint32_t) negative << 31);
		}
		else
		{
			bits = long_round(p, &gpured_double_format, &negative);
			((double *) out)[i] =
				gpured_double_from_bits(bits | (uint64_t) negative << 63);
		}
	}
}

static inline __attribute__((always_inline)) void
scan_batch(const void *values, size_t n, bool single, GpuredExact *carry, void *result)
{
	const uint32_t special = GPURED_EXACT_NAN | GPURED_EXACT_PINF | GPURED_EXACT_NINF;
	const size_t size = single ? sizeof(float) : sizeof(double);
	const char *x = values;
	char	   *out = result;
	PairPrefix	pair;
	LongPrefix	whole;
	bool		is_pair;		/* which of them holds the prefix */
	int			slow = 0;
	size_t		i = 0;
	size_t		length;

	/* nothing but -0 so far: neither way knows it */
	for (; i < n && !(carry->flags & GPURED_EXACT_NOT_NEGZERO); i++)
	{
		if (bits_of(value_at(x, i, single)) != UINT64_C(1) << 63)
		{
			carry->flags |= GPURED_EXACT_NOT_NEGZERO;
			break;
		}
		memcpy(out + i * size, x + i * size, size);
	}

	is_pair = !(carry->flags & special) && pair_from_exact(&pair, carry);
	if (!is_pair)
		long_from_exact(&whole, carry);
	for (; i < n; i += length)
	{
		const void *block = x + i * size;
		void	   *block_out = out + i * size;
		bool		done = false;

		length = n - i < BLOCK ? n - i : BLOCK;
		if (!is_pair && slow == 0 && !(carry->flags & special))
		{
			long_to_exact(&whole, carry);
			is_pair = pair_from_exact(&pair, carry);
		}
		if (is_pair)
		{
			if (pair.placed && magnitude(pair.high) < pair.prefix_bound)
				done = scan_pair(&pair, block, length, single, block_out);
			if (!done)
				done = place_pair(&pair, block, length, single) &&
					scan_pair(&pair, block, length, single, block_out);
		}
		if (done)
			continue;
		if (is_pair)
		{
			pair_to_exact(&pair, carry);
			long_from_exact(&whole, carry);
			is_pair = false;
			slow = SLOW_BLOCKS;
		}
		scan_long(&whole, &carry->flags, block, length, single, block_out);
		if (slow > 0)
			slow--;
	}
	if (is_pair)
		pair_to_exact(&pair, carry);
	else
		long_to_exact(&whole, carry);
}

void
gpured_cpu_scan_float4(const float *x, size_t n, GpuredExact *carry, float *out)
{
	scan_batch(x, n, true, carry, out);
}

void
gpured_cpu_scan_float8(const double *x, size_t n, GpuredExact *carry, double *out)
{
	scan_batch(x, n, false, carry, out);
}

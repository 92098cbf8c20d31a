/*
 * cpu_scan.c
 *	  Exact prefix sums of floats on the CPU, each rounded once.
 *
 * Two ways, block by block:
 *
 * Ordinary data: the prefix is two or three doubles on fixed grids, each 43
 * bits below the one before.  A value is cut into a digit for each grid (as in
 * cpu_sum.c) and the digits are added to the prefix without rounding.  With two
 * doubles the prefix rounded is then one correctly rounded addition.  With
 * three the lower two are first added up to one that is odd in its last bit if
 * that was not exact: then it cannot seem to lie on, or beyond, a boundary of
 * the last rounding.  The grids are placed so that no prefix of a block can
 * leave them.  If a value does not fit, the block is done again: with three
 * doubles, or the other way.
 *
 * Any data: the prefix is an integer of as many 64-bit words as it needs, in
 * two's complement, from the bottom of the grid of exact.h up to its own
 * leading bits.  Rounding looks at the three words at the top, and further
 * down only as far as there are zeros.
 *
 * Source of the rounding to odd: S. Boldo, G. Melquiond, "Emulation of FMA and
 * correctly rounded sums: proved algorithms using rounding to odd", 2008.
 */
#include "device/cpu.h"
#include "exact/round.h"

#define BLOCK			512
#define BLOCK_BITS		9

/*
 * From one grid to the next.  A digit has at most one bit less, a block of them
 * and what was there before less than 53.
 */
#define GRID_DISTANCE	43

/*
 * The bits of the prefix, in units of the highest grid, before a block; within
 * it there may be one more.
 */
#define PREFIX_BITS		50

/* Exponents that the highest grid's unit may have. */
#define LOWEST_UNIT		(-850)
#define HIGHEST_UNIT	900

/* Blocks that take a slower way before a faster one is tried again. */
#define SLOW_BLOCKS		16

#define WORDS			(GPURED_EXACT_LIMBS / 2 + 2)

/* The prefix as doubles, each a multiple of its grid's unit. */
typedef struct GridPrefix
{
	double		part[3];
	double		magic[3];
	double		value_bound;
	double		prefix_bound;
	bool		placed;
} GridPrefix;

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
static GPURED_ALWAYS_INLINE double
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
 * a + b, but odd in its last bit if it is not exact.  From the nearest value:
 * towards zero, if it lies beyond the sum, and then up to the odd one.
 */
static inline double
odd_sum(double a, double b)
{
	double		error;
	double		sum = two_sum(a, b, &error);
	uint64_t	inexact = error != 0;
	uint64_t	beyond = (bits_of(error) ^ bits_of(sum)) >> 63;

	return gpured_double_from_bits((bits_of(sum) - (inexact & beyond)) | inexact);
}

/*
 * a + b as a float, rounded once.  Rounding to a double first does harm only if
 * that gives the middle between two floats, without being it.  (Below the
 * normal floats, sums of floats are exact.)
 */
static inline float
float_sum(double a, double b)
{
	const uint64_t below_float = (UINT64_C(1) << 29) - 1;
	double		sum = a + b;

	if (__builtin_expect((bits_of(sum) & below_float) == UINT64_C(1) << 28, 0))
		sum = odd_sum(a, b);
	return (float) sum;
}

static inline double
round_to_grid(double value, double magic)
{
	return (value + magic) - magic;
}

/*
 * Cut a value to the grids.  Returns what is left: nothing, if it fits.  With
 * two grids the third digit is not used.
 */
static GPURED_ALWAYS_INLINE double
cut(double value, const double *magic, bool three, double *digit)
{
	digit[0] = round_to_grid(value, magic[0]);
	value -= digit[0];
	digit[1] = round_to_grid(value, magic[1]);
	value -= digit[1];
	if (!three)
		return value;
	digit[2] = round_to_grid(value, magic[2]);
	return value - digit[2];
}

/*
 * Place the grids for the prefix so far and the n values of x, and cut the
 * prefix to them.  False if that is not possible; the prefix is what it was.
 */
static GPURED_ALWAYS_INLINE bool
place_grids(GridPrefix *p, const void *x, size_t n, bool single, bool three)
{
	uint64_t	greatest = 0;
	double		old[3];
	double		digit[3];
	double		part[3] = {0, 0, 0};
	int			unit;
	int			value_unit;

	p->placed = false;
	for (size_t i = 0; i < n; i++)
	{
		uint64_t	bits = bits_of(value_at(x, i, single)) & INT64_MAX;

		if (bits > greatest)
			greatest = bits;
	}

	/* a bit of room above the prefix as well as above the values */
	old[0] = two_sum(p->part[0], p->part[1], &old[1]);
	old[2] = p->part[2];
	unit = (int) (bits_of(old[0]) >> 52 & 0x7ff) - 1023 + 2 - PREFIX_BITS;
	value_unit = (int) (greatest >> 52) - 1023 + 2 + BLOCK_BITS - PREFIX_BITS;
	if (unit < value_unit)
		unit = value_unit;
	if (unit < LOWEST_UNIT)
		unit = LOWEST_UNIT;
	if (unit > HIGHEST_UNIT)
		return false;
	for (int i = 0; i < 3; i++)
		p->magic[i] = 1.5 * power_of_two(52 + unit - i * GRID_DISTANCE);
	p->prefix_bound = power_of_two(unit + PREFIX_BITS);
	p->value_bound = power_of_two(unit + PREFIX_BITS - BLOCK_BITS);

	for (int i = 0; i < 3; i++)
	{
		if (magnitude(old[i]) >= p->prefix_bound ||
			cut(old[i], p->magic, three, digit) != 0)
			return false;
		for (int j = 0; j < (three ? 3 : 2); j++)
			part[j] += digit[j];
	}
	memcpy(p->part, part, sizeof(part));
	p->placed = true;
	return true;
}

/* Scan a block; false if a value does not fit (out is then worth nothing). */
static GPURED_ALWAYS_INLINE bool
scan_grids(GridPrefix *p, const void *x, size_t n, bool single, bool three, void *out)
{
	const double magic[3] = {p->magic[0], p->magic[1], p->magic[2]};
	double		high = p->part[0];
	double		middle = p->part[1];
	double		low = p->part[2];
	uint64_t	greatest = 0;	/* as bits */
	uint64_t	left = 0;		/* bits of what did not fit, but the sign */
	double		moved;

	for (size_t i = 0; i < n; i++)
	{
		double		value = value_at(x, i, single);
		double		digit[3];
		double		a;
		double		b;

		if ((bits_of(value) & INT64_MAX) > greatest)
			greatest = bits_of(value) & INT64_MAX;
		left |= bits_of(cut(value, magic, three, digit)) << 1;
		high += digit[0];
		middle += digit[1];
		a = high;
		b = middle;
		if (three)
		{
			low += digit[2];
			a = two_sum(high, middle, &b);
			b = odd_sum(b, low);
		}
		if (single)
			((float *) out)[i] = float_sum(a, b);
		else
			((double *) out)[i] = a + b;
	}
	if (left != 0 || greatest >= bits_of(p->value_bound))
		return false;

	/* what the lower parts have gathered goes up: they have room again */
	if (three)
	{
		moved = round_to_grid(low, p->magic[1]);
		low -= moved;
		middle += moved;
	}
	moved = round_to_grid(middle, p->magic[0]);
	p->part[0] = high + moved;
	p->part[1] = middle - moved;
	p->part[2] = low;
	return true;
}

/* Scan a block on grids, with two parts or with three. */
static GPURED_ALWAYS_INLINE bool
scan_block(GridPrefix *p, const void *x, size_t n, bool single, bool three, void *out)
{
	if (p->placed && magnitude(p->part[0]) < p->prefix_bound &&
		(three || p->part[2] == 0) &&
		scan_grids(p, x, n, single, three, out))
		return true;
	return place_grids(p, x, n, single, three) &&
		scan_grids(p, x, n, single, three, out);
}

static void
grids_to_exact(const GridPrefix *p, GpuredExact *x)
{
	uint32_t	flags = x->flags;

	gpured_exact_init(x);
	for (int i = 0; i < 3; i++)
		gpured_exact_add(x, p->part[i]);
	x->flags = flags;
}

/* Start from the carry: false if three doubles do not hold it. */
static bool
grids_from_exact(GridPrefix *p, const GpuredExact *x)
{
	GpuredExact rest = *x;
	double		left;

	p->placed = false;
	rest.flags = GPURED_EXACT_NOT_NEGZERO;	/* so that a zero is +0 */
	for (int i = 0; i < 3; i++)
	{
		if (!gpured_exact_to_double(&rest, &p->part[i]))
			return false;
		gpured_exact_add(&rest, -p->part[i]);
	}
	gpured_exact_to_double(&rest, &left);
	return left == 0;
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
		else if (i == GPURED_EXACT_LIMBS / 2)	/* above the last limb */
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

static GPURED_ALWAYS_INLINE void
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

static GPURED_ALWAYS_INLINE void
scan_batch(const void *values, size_t n, bool single, GpuredExact *carry, void *result)
{
	const uint32_t special = GPURED_EXACT_NAN | GPURED_EXACT_PINF | GPURED_EXACT_NINF;
	const size_t size = single ? sizeof(float) : sizeof(double);
	const char *x = values;
	char	   *out = result;
	GridPrefix	grids;
	LongPrefix	whole;
	bool		on_grids;		/* which of them holds the prefix */
	int			three = 0;		/* blocks to scan with three parts */
	int			slow = 0;		/* blocks to scan as long integers */
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

	on_grids = !(carry->flags & special) && grids_from_exact(&grids, carry);
	if (!on_grids)
		long_from_exact(&whole, carry);
	for (; i < n; i += length)
	{
		const void *block = x + i * size;
		void	   *block_out = out + i * size;

		length = n - i < BLOCK ? n - i : BLOCK;
		if (!on_grids && slow == 0 && !(carry->flags & special))
		{
			long_to_exact(&whole, carry);
			on_grids = grids_from_exact(&grids, carry);
		}
		if (on_grids)
		{
			if (three == 0 && scan_block(&grids, block, length, single, false, block_out))
				continue;
			if (three-- == 0)
				three = SLOW_BLOCKS;
			if (scan_block(&grids, block, length, single, true, block_out))
				continue;
			grids_to_exact(&grids, carry);
			long_from_exact(&whole, carry);
			on_grids = false;
			slow = SLOW_BLOCKS;
		}
		scan_long(&whole, &carry->flags, block, length, single, block_out);
		if (slow > 0)
			slow--;
	}
	if (on_grids)
		grids_to_exact(&grids, carry);
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

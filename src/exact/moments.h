/*
 * moments.h
 *	  Exact sums of values, of their squares and of their products: the state
 *	  of variances, correlations and regressions, a row at a time.
 *
 * The product of two doubles has 106 bits and an exponent twice as wide as a
 * double's own, so it is added as an integer to a window of 64-bit limbs on a
 * grid that starts at 2^-2200.  A value's grid is that of window.h, from 2^-1100.
 *
 * All sums of a state share two numbers for each variable: the grid's first limb
 * pair that its values may use, and how many of them follow.  Where a value's
 * bits go in the sums of values, squares and products then follows by addition,
 * one comparison a variable finds what does not fit, and the final functions
 * multiply and subtract the sums as they are, with nothing to align.
 *
 * With the first pairs fx and fy, and the numbers of pairs sx and sy, the sums are
 *
 *		x	sx + 2 limbs		from 2^(64 fx - 1100)
 *		xx	2 sx + 3			from 2^(128 fx - 2200)
 *		xy	sx + sy + 3			from 2^(64 (fx + fy) - 2200)
 *
 * and y and yy likewise.  The highest limb is room for carries: 2^63 of the
 * largest values that the pairs allow do not fill it.  Limbs are biased by 2^63
 * as in window.h, so that sums that hover about zero carry seldom.
 *
 * A state begins narrow.  Then its values may differ by a factor of 2^31 only,
 * and "base", where they begin, is no limb of the grid but any bit of it.  By the
 * formulas above with sx = sy = 0 its sums have two and three limbs: 2^23 rows do
 * not fill them.  Whatever goes beyond makes the state a wide one, on the grid.
 *
 * Memory is as in window.h: an allocator of the caller's, and a function that
 * may have to grow a state returns where it now is.  Nothing here knows of
 * PostgreSQL.
 */
#ifndef GPURED_MOMENTS_H
#define GPURED_MOMENTS_H

#include "exact/bigint.h"
#include "exact/moment_sums.h"
#include "exact/window.h"

typedef enum GpuredMomentsSum
{
	GPURED_SUM_X,
	GPURED_SUM_XX,
	GPURED_SUM_Y,
	GPURED_SUM_YY,
	GPURED_SUM_XY
} GpuredMomentsSum;

#define GPURED_MOMENTS_SUMS 5

typedef struct GpuredMoments
{
	int16_t		base[2];		/* of x and of y: the least exponent, as a
								 * double has it; 64 * first pair - 25 if wide */
	uint8_t		span[2];		/* how many exponents, in 32s: 0 before the
								 * first row, 1 if narrow, even if wide */
	uint8_t		kind;
	uint8_t		flags;			/* GPURED_EXACT_* of x, those of y above; of
								 * the products in a DOT */
	uint64_t	limb[];			/* the number of rows but in a DOT, and the
								 * sums */
} GpuredMoments;

/* How many rows a narrow state holds. */
#define GPURED_NARROW_ROWS_LOG2 23

/* A state with an inverse: it counts what a plain state only flags. */
typedef struct GpuredMovingMoments
{
	GpuredMoments *sums;		/* of the finite values */
	int64_t		n;				/* all rows */
	int64_t		nan[2];			/* of x and of y, or of the products [0] */
	int64_t		pinf[2];
	int64_t		ninf[2];
	int64_t		not_negzero;	/* products that are not -0 */
} GpuredMovingMoments;

/* A serialized state is never longer than this. */
#define GPURED_MOMENTS_MAX_BYTES (9 + 2 * GPURED_MOMENTS_SUMS + 8 * (2 * 35 + 3 * 68))

/* The state of no rows. */
extern GpuredMoments *gpured_moments_create(GpuredMomentsKind kind,
											const GpuredAllocator *mem, void *arg);
extern GpuredMoments *gpured_moments_copy(const GpuredMoments *w,
										  const GpuredAllocator *mem, void *arg);

/* All rows; of a DOT, which does not count them, whether there are any. */
static inline int64_t
gpured_moments_rows(const GpuredMoments *w)
{
	if (w->kind == GPURED_MOMENTS_DOT)
		return w->span[0] > 0;
	return (int64_t) w->limb[0];
}

/* What the state occupies. */
extern size_t gpured_moments_memory(const GpuredMoments *w);

/* w += src, of one kind; w is returned, or its successor. */
extern GpuredMoments *gpured_moments_merge(GpuredMoments *w, const GpuredMoments *src,
										   const GpuredAllocator *mem, void *arg);

/* The part of gpured_moments_add that is out of line. */
extern GpuredMoments *gpured_moments_add_slow(GpuredMoments *w, double x, double y, bool remove,
											  const GpuredAllocator *mem, void *arg);
extern void gpured_moments_carry(uint64_t *limb, uint64_t sign);

/*
 * A sum in units of 2^gpured_moments_unit(): the units of xx, yy and xy are the
 * squares and the product of those of x and y.
 */
extern void gpured_moments_get(const GpuredMoments *w, GpuredMomentsSum sum, GpuredBig *r);

/*
 * n Sab - Sa Sb, of n rows and more than one, in units of the product of a's and b's:
 * what variances and regressions are made of.  b may be a.
 */
extern void gpured_moments_centered(const GpuredMoments *w, int64_t n, GpuredMomentsSum a,
									GpuredMomentsSum b, GpuredMomentsSum ab, GpuredBig *r);

static inline int
gpured_moments_unit(const GpuredMoments *w, int variable)
{
	return w->base[variable] - 1075;
}

/*
 * The serialized form: the number of rows (8 bytes) but in a DOT, the flags, and for each sum
 * the index of its lowest limb that is not zero, the number of limbs, and the
 * limbs as window.h writes them.  It is canonical, and in network order.
 *
 * write returns the number of bytes.  read returns false, and allocates nothing,
 * unless the bytes are what write could give for a state of this kind; its sums
 * have no negative variance.
 */
extern size_t gpured_moments_write(const GpuredMoments *w, uint8_t *out);
extern bool gpured_moments_read(const uint8_t *bytes, size_t n, GpuredMomentsKind kind,
								GpuredMoments **result, const GpuredAllocator *mem, void *arg);

/*
 * The state of n rows of which a device made these sums.  Returns false, and
 * allocates nothing, if n rows could not have given them.
 */
extern bool gpured_moments_from_sums(GpuredMomentsKind kind, const GpuredMomentSums *sums,
									 int64_t n, GpuredMoments **result,
									 const GpuredAllocator *mem, void *arg);

/* A frame of rows: what was added can be removed again. */
extern void gpured_moving_moments_init(GpuredMovingMoments *s, GpuredMomentsKind kind,
									   const GpuredAllocator *mem, void *arg);
extern void gpured_moving_moments_add(GpuredMovingMoments *s, double x, double y, bool remove,
									  const GpuredAllocator *mem, void *arg);
extern uint32_t gpured_moving_moments_flags(const GpuredMovingMoments *s);

/* Where each sum starts among the limbs, with sx and sy pairs. */
static inline int
gpured_moments_offset(GpuredMomentsKind kind, GpuredMomentsSum sum, int sx, int sy)
{
	if (kind == GPURED_MOMENTS_DOT)
		return 0;
	switch (sum)
	{
		case GPURED_SUM_X:
			return 1;
		case GPURED_SUM_XX:
			return sx + 3;
		case GPURED_SUM_Y:
			return 3 * sx + 6;
		case GPURED_SUM_YY:
			return 3 * sx + sy + 8;
		default:
			return 3 * (sx + sy) + 11;
	}
}

/* A double on its way into the sums. */
typedef struct GpuredTerm
{
	int64_t		mantissa;
	uint64_t	sign;			/* all ones if negative */
	uint64_t	nonzero;		/* all ones, or 0 */
	uint64_t	distance;		/* of its exponent from the base */
} GpuredTerm;

/* NaN and the infinities are farther away than any span. */
static inline GpuredTerm
gpured_term(double value, int base)
{
	GpuredTerm	t;
	uint64_t	bits;
	uint64_t	exponent;
	uint64_t	normal;

	memcpy(&bits, &value, sizeof(bits));
	exponent = (bits >> 52) & 0x7ff;
	normal = exponent != 0;
	t.nonzero = -(uint64_t) ((bits << 1) != 0);
	GPURED_OPAQUE(t.nonzero);
	t.distance = (exponent + 1 - normal - (uint64_t) (int64_t) base) & t.nonzero;
	t.distance |= ((exponent + 1) & 0x800) << 1;
	t.sign = (uint64_t) ((int64_t) bits >> 63);
	GPURED_OPAQUE(t.sign);
	t.mantissa = (int64_t) ((((bits & ((UINT64_C(1) << 52) - 1)) | (normal << 52)) ^ t.sign) - t.sign);
	return t;
}

/*
 * Whether a biased limb has overflowed: the operands are of one sign (the bias
 * turns it) and the sum is of the other.
 */
static inline bool
gpured_limb_carries(uint64_t old, uint64_t addend, uint64_t high)
{
	return ((old ^ high) & ~(addend ^ high)) >> 63;
}

/* limb[] += mantissa * 2^distance; "narrow" sums cannot carry. */
static inline __attribute__((always_inline))
void
gpured_add_value(uint64_t *limb, int64_t mantissa, uint64_t distance, bool narrow)
{
	unsigned	shift = distance & 63;
	uint64_t	high = (uint64_t) ((mantissa >> 1) >> (63 - shift));
	unsigned __int128 sum;
	uint64_t	old;

	if (!narrow)
		limb += distance >> 6;
	old = limb[1];
	sum = (unsigned __int128) old << 64 | limb[0];
	sum += (unsigned __int128) high << 64 | (uint64_t) mantissa << shift;
	limb[0] = (uint64_t) sum;
	limb[1] = (uint64_t) (sum >> 64);
	if (!narrow && __builtin_expect(gpured_limb_carries(old, high, limb[1]), 0))
		gpured_moments_carry(limb + 2, high);
}

/*
 * limb[] += a * b * 2^distance.  Returns false if that carries out of a narrow
 * sum, and has then done nothing, if "counted" does not rule it out.
 */
static inline __attribute__((always_inline))
bool
gpured_add_product(uint64_t *limb, int64_t a, int64_t b, uint64_t distance, bool narrow,
				   bool counted)
{
	__int128	product = (__int128) a * b;
	unsigned	shift = distance & 63;
	uint64_t	middle = (uint64_t) (product >> 64) << shift |
		(uint64_t) product >> 1 >> (63 - shift);
	uint64_t	high = (uint64_t) ((int64_t) (product >> 64) >> 1 >> (63 - shift));
	unsigned __int128 sum;
	bool		carry;
	uint64_t	highest;

	if (!narrow)
		limb += distance >> 6;
	sum = (unsigned __int128) limb[1] << 64 | limb[0];
	carry = __builtin_add_overflow(sum, (unsigned __int128) middle << 64 | (uint64_t) product << shift, &sum);
	highest = limb[2] + high + carry;
	if (!(narrow && counted) && __builtin_expect(gpured_limb_carries(limb[2], high, highest), 0))
	{
		if (narrow)
			return false;
		gpured_moments_carry(limb + 3, high);
	}
	limb[0] = (uint64_t) sum;
	limb[1] = (uint64_t) (sum >> 64);
	limb[2] = highest;
	return true;
}

/* Add a row that fits.  "narrow" is a constant; false if a narrow DOT would carry. */
static inline __attribute__((always_inline))
bool
gpured_add_row(GpuredMoments *w, GpuredMomentsKind kind, GpuredTerm a, GpuredTerm b, bool remove,
			   bool narrow)
{
	int			sx = narrow ? 0 : w->span[0] >> 1;
	int			sy = narrow ? 0 : w->span[1] >> 1;
	int64_t		x_added = remove ? -a.mantissa : a.mantissa;
	int64_t		y_added = remove ? -b.mantissa : b.mantissa;

	if (kind == GPURED_MOMENTS_DOT)
	{
		if (!gpured_add_product(w->limb, x_added, b.mantissa, a.distance + b.distance, narrow,
								false))
			return false;
		w->flags |= GPURED_EXACT_NOT_NEGZERO &
			((a.nonzero & b.nonzero) | ~(a.sign ^ b.sign));
		return true;
	}

	w->limb[0] += remove ? -1 : 1;
	gpured_add_value(w->limb + gpured_moments_offset(kind, GPURED_SUM_X, sx, sy),
					 x_added, a.distance, narrow);
	gpured_add_product(w->limb + gpured_moments_offset(kind, GPURED_SUM_XX, sx, sy),
					   x_added, a.mantissa, 2 * a.distance, narrow, true);
	if (kind == GPURED_MOMENTS_TWO)
	{
		gpured_add_value(w->limb + gpured_moments_offset(kind, GPURED_SUM_Y, sx, sy),
						 y_added, b.distance, narrow);
		gpured_add_product(w->limb + gpured_moments_offset(kind, GPURED_SUM_YY, sx, sy),
						   y_added, b.mantissa, 2 * b.distance, narrow, true);
		gpured_add_product(w->limb + gpured_moments_offset(kind, GPURED_SUM_XY, sx, sy),
						   x_added, b.mantissa, a.distance + b.distance, narrow, true);
	}
	return true;
}

/* A double that needs no care: neither a zero nor subnormal, and within a narrow span. */
typedef struct GpuredNarrowTerm
{
	uint64_t	magnitude;
	int64_t		mantissa;
	uint64_t	distance;		/* less than 32 if it is one */
} GpuredNarrowTerm;

static inline GpuredNarrowTerm
gpured_narrow_term(double value, int base)
{
	GpuredNarrowTerm t;
	uint64_t	bits;
	uint64_t	sign;

	memcpy(&bits, &value, sizeof(bits));
	sign = (uint64_t) ((int64_t) bits >> 63);
	t.distance = ((bits >> 52) & 0x7ff) - (uint64_t) (int64_t) base;
	t.magnitude = (bits & ((UINT64_C(1) << 52) - 1)) | UINT64_C(1) << 52;
	t.mantissa = (int64_t) ((t.magnitude ^ sign) - sign);
	return t;
}

/* limb[] += magnitude^2 * 2^distance, in three limbs that are not filled by it. */
static inline __attribute__((always_inline))
void
gpured_narrow_add_square(uint64_t *limb, uint64_t magnitude, uint64_t distance)
{
	unsigned __int128 product = (unsigned __int128) magnitude * magnitude;
	uint64_t	low = (uint64_t) product;
	uint64_t	high = (uint64_t) (product >> 64);
	unsigned	rest = 63 - (unsigned) distance;
	unsigned __int128 sum = (unsigned __int128) limb[1] << 64 | limb[0];
	uint64_t	middle = high << distance | low >> 1 >> rest;
	unsigned __int128 added = (unsigned __int128) middle << 64 | low << distance;
	bool		carry = __builtin_add_overflow(sum, added, &sum);

	limb[0] = (uint64_t) sum;
	limb[1] = (uint64_t) (sum >> 64);
	limb[2] += (high >> 1 >> rest) + carry;
}

/*
 * What gpured_moments_fit does with most rows, by fewer instructions.  False,
 * with nothing done, if it is not one of those.
 */
static inline __attribute__((always_inline))
bool
gpured_moments_fit_narrow(GpuredMoments *w, GpuredMomentsKind kind, double x, double y)
{
	GpuredNarrowTerm a = gpured_narrow_term(x, w->base[0]);
	GpuredNarrowTerm b = {0, 0, 0};
	uint64_t   *limb = w->limb;

	if (kind != GPURED_MOMENTS_ONE)
		b = gpured_narrow_term(y, w->base[1]);
	if (__builtin_expect((a.distance | b.distance) >= 32 || w->span[0] != 1, 0))
		return false;
	if (kind == GPURED_MOMENTS_DOT)
	{
		w->flags |= GPURED_EXACT_NOT_NEGZERO;
		return gpured_add_product(limb, a.mantissa, b.mantissa, a.distance + b.distance, true, false);
	}
	if (__builtin_expect(limb[0] >> GPURED_NARROW_ROWS_LOG2 != 0, 0))
		return false;
	limb[0]++;
	gpured_add_value(limb + gpured_moments_offset(kind, GPURED_SUM_X, 0, 0), a.mantissa, a.distance, true);
	gpured_narrow_add_square(limb + gpured_moments_offset(kind, GPURED_SUM_XX, 0, 0),
							 a.magnitude, 2 * a.distance);
	if (kind == GPURED_MOMENTS_TWO)
	{
		gpured_add_value(limb + gpured_moments_offset(kind, GPURED_SUM_Y, 0, 0),
						 b.mantissa, b.distance, true);
		gpured_narrow_add_square(limb + gpured_moments_offset(kind, GPURED_SUM_YY, 0, 0),
								 b.magnitude, 2 * b.distance);
		gpured_add_product(limb + gpured_moments_offset(kind, GPURED_SUM_XY, 0, 0),
						   a.mantissa, b.mantissa, a.distance + b.distance, true, true);
	}
	return true;
}

/*
 * Add a row, or remove one.  Returns false, with nothing done, if it does not fit.
 * Of the sums that have a number of rows beside them, narrow ones cannot carry.
 */
static inline __attribute__((always_inline))
bool
gpured_moments_fit(GpuredMoments *w, GpuredMomentsKind kind, double x, double y, bool remove)
{
	GpuredTerm	a;
	GpuredTerm	b = {0, 0, 0, 0};
	bool		outside;
	bool		narrow = w->span[0] & 1;

	if (!remove && gpured_moments_fit_narrow(w, kind, x, y))
		return true;
	a = gpured_term(x, w->base[0]);
	outside = (a.distance >> 5) >= w->span[0];
	if (kind != GPURED_MOMENTS_ONE)
	{
		b = gpured_term(y, w->base[1]);
		outside |= (b.distance >> 5) >= w->span[1];
	}
	if (kind != GPURED_MOMENTS_DOT && !remove)
		outside |= narrow & (w->limb[0] >> GPURED_NARROW_ROWS_LOG2 != 0);
	if (__builtin_expect(outside, 0))
		return false;
	if (narrow)
		return gpured_add_row(w, kind, a, b, remove, true);
	return gpured_add_row(w, kind, a, b, remove, false);
}

/*
 * Add a row, or remove one whose values are finite; w is returned, or its
 * successor.  "kind" is the state's, and a constant, as is "remove".
 */
static inline __attribute__((always_inline))
GpuredMoments *
gpured_moments_add(GpuredMoments *w, GpuredMomentsKind kind, double x, double y, bool remove,
				   const GpuredAllocator *mem, void *arg)
{
	if (__builtin_expect(gpured_moments_fit(w, kind, x, y, remove), 1))
		return w;
	return gpured_moments_add_slow(w, x, y, remove, mem, arg);
}

#endif							/* GPURED_MOMENTS_H */

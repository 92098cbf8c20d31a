/*
 * window.h
 *	  The exact float sum of one group as a small row-at-a-time state.
 *
 * The superaccumulator of exact.h takes 568 bytes; a million groups cannot
 * afford that, and most data use a few of its limbs.  So a state holds a window
 * of 64-bit limbs on one absolute grid, 24 bytes at first, that grows when the
 * exponents of the data need it.  Limb k of the grid has the weight
 * 2^(64 k - 1100), so that ordinary values, 2^-24 to 2^40, share one limb pair
 * and limb k covers limbs 2k and 2k + 1 of GpuredExact.  The value is
 *
 *		sum over i of (limb[i] - 2^63) * 2^(64 (first + i) - 1100)
 *			+ top * 2^(64 (first + nlimbs) - 1100)
 *
 * The bias of 2^63 in every limb means that a sum that hovers about zero does
 * not carry through all of them at each change of its sign.
 *
 * Adding a value is inline and touches two limbs.  Whatever else may happen (a
 * value outside the window, NaN, an infinity, a carry beyond the second limb)
 * is left to one function out of line, before anything was stored.
 *
 * This file knows nothing of PostgreSQL: memory comes from an allocator that
 * the caller passes, a static table and an argument of its own, so that the
 * inline part has nothing to prepare.  A function that may have to grow a state
 * returns where it now is.  The new state is complete before the old one is
 * released, so the allocator may leave by longjmp.
 */
#ifndef GPURED_WINDOW_H
#define GPURED_WINDOW_H

#include <string.h>

#include "exact/exact.h"

/* alloc never returns NULL: it leaves by longjmp or ends the process. */
typedef struct GpuredAllocator
{
	void	   *(*alloc) (void *arg, size_t size);
	void		(*release) (void *arg, void *pointer);
} GpuredAllocator;

typedef struct GpuredWindow
{
	int32_t		top;			/* what the limbs carried out, signed */
	int16_t		base;			/* 64 * first - 25: see gpured_window_add */
	uint8_t		pairs;			/* limb pairs that are open to the inline add;
								 * 0 as long as nothing but -0 came */
	uint8_t		flags;			/* GPURED_EXACT_* */
	uint64_t	limb[];			/* 3, 7, 15, 31 or 34 */
} GpuredWindow;

/* A state with an inverse: it counts what a plain state only flags. */
typedef struct GpuredMovingSum
{
	int64_t		n;				/* all values in the frame */
	int64_t		nan;
	int64_t		pinf;
	int64_t		ninf;
	int64_t		not_negzero;	/* values that are not -0 */
	GpuredWindow *window;		/* the finite ones */
} GpuredMovingSum;

/* A serialized state is never longer than this. */
#define GPURED_WINDOW_MAX_BYTES (4 + 8 * 35)

/* The state of no values. */
extern GpuredWindow *gpured_window_create(const GpuredAllocator *mem, void *arg);
extern GpuredWindow *gpured_window_copy(const GpuredWindow *w,
										const GpuredAllocator *mem, void *arg);

/* Keep the compiler from knowing what values a variable may have. */
#define GPURED_OPAQUE(variable) __asm__("" : "+r"(variable))

/* What the state occupies. */
extern size_t gpured_window_memory(const GpuredWindow *w);

/* The part of gpured_window_add that is out of line. */
extern GpuredWindow *gpured_window_add_slow(GpuredWindow *w, double value,
											const GpuredAllocator *mem, void *arg);

/* w += src; w is returned, or its successor. */
extern GpuredWindow *gpured_window_merge(GpuredWindow *w, const GpuredWindow *src,
										 const GpuredAllocator *mem, void *arg);
extern GpuredWindow *gpured_window_add_exact(GpuredWindow *w, const GpuredExact *src,
											 const GpuredAllocator *mem, void *arg);

/* w += k * 2^exponent; the product is a multiple of 2^-1074 below 2^1086. */
extern GpuredWindow *gpured_window_add_scaled(GpuredWindow *w, int64_t k, int exponent,
											  const GpuredAllocator *mem, void *arg);

/* Overwrites *x with the sum: round it, or divide it, with exact.h. */
extern void gpured_window_to_exact(const GpuredWindow *w, GpuredExact *x);

/*
 * What exact.h gives for that sum, without the way through all of its limbs:
 * with many groups the final functions take a good part of the time.
 */
extern bool gpured_window_to_double(const GpuredWindow *w, double *result);
extern bool gpured_window_to_float(const GpuredWindow *w, float *result);
extern double gpured_window_mean(const GpuredWindow *w, uint64_t n);

/* Whether the sum is finite and exactly a double, *result. */
extern bool gpured_window_is_double(const GpuredWindow *w, double *result);

/*
 * The serialized form: a version byte, the flags, the index of the lowest limb
 * that is not zero, the number of limbs, and the limbs in two's complement,
 * most significant first, in network order.  It is canonical: equal sums have
 * equal bytes, whatever the order and the history of the additions.
 *
 * write fills gpured_window_size() bytes and returns their number.  read
 * returns false, and allocates nothing, unless the n bytes are exactly what
 * write gives for some state.
 */
extern size_t gpured_window_size(const GpuredWindow *w);
extern size_t gpured_window_write(const GpuredWindow *w, uint8_t *out);
extern bool gpured_window_read(const uint8_t *bytes, size_t n, GpuredWindow **result,
							   const GpuredAllocator *mem, void *arg);

/*
 * A frame of rows: what was added can be removed again, also NaN and the
 * infinities.  The struct is the caller's; its window comes from the allocator.
 */
extern void gpured_moving_init(GpuredMovingSum *s, const GpuredAllocator *mem, void *arg);
extern void gpured_moving_add_special(GpuredMovingSum *s, double value, int64_t count);
extern void gpured_moving_to_exact(const GpuredMovingSum *s, GpuredExact *x);
extern bool gpured_moving_to_double(const GpuredMovingSum *s, double *result);
extern bool gpured_moving_to_float(const GpuredMovingSum *s, float *result);
extern double gpured_moving_mean(const GpuredMovingSum *s);

/*
 * w += value; false, with nothing done, if that is not for the inline addition.
 *
 * A value is m * 2^(e - 1075), so its bit 0 is bit e + 25 of the grid, and
 * e - base is its distance from the window's first limb.  A zero is taken to be
 * at distance 0: it adds nothing, wherever.  The last pair, where NaN, the
 * infinities and values from 2^1000 on are, is never open here.
 */
static inline __attribute__((always_inline))
bool
gpured_window_fit(GpuredWindow *w, double value)
{
	uint64_t	bits;
	uint64_t	exponent;
	uint64_t	normal;
	uint64_t	nonzero;		/* all ones, or 0 for +0 and -0 */
	uint64_t	distance;
	int64_t		mantissa;		/* signed */
	int64_t		sign;
	uint64_t   *pair;
	uint64_t	old;			/* upper limbs */
	uint64_t	addend;
	uint64_t	high;
	unsigned __int128 sum;

	memcpy(&bits, &value, sizeof(bits));
	exponent = (bits >> 52) & 0x7ff;
	normal = exponent != 0;
	nonzero = -(uint64_t) ((bits << 1) != 0);

	/*
	 * Zeros may be half the data, and so may negative values: keep the
	 * compiler from making a branch of it, here and below.
	 */
	GPURED_OPAQUE(nonzero);
	distance = (exponent + 1 - normal - (uint64_t) (int64_t) w->base) & nonzero;
	if (__builtin_expect((distance >> 6) >= w->pairs, 0))
		return false;

	pair = &w->limb[distance >> 6];
	distance &= 63;
	sign = (int64_t) bits >> 63;
	GPURED_OPAQUE(sign);
	mantissa = (int64_t) ((bits & ((UINT64_C(1) << 52) - 1)) | (normal << 52));
	mantissa = (mantissa ^ sign) - sign;
	addend = (uint64_t) ((mantissa >> 1) >> (63 - distance));
	old = pair[1];
	sum = (unsigned __int128) old << 64 | pair[0];
	sum += (unsigned __int128) addend << 64 | (uint64_t) mantissa << distance;
	high = (uint64_t) (sum >> 64);

	/*
	 * A biased limb overflows as a signed number does: if the operands are of
	 * one sign (the bias turns it) and the sum is of the other.  In terms of
	 * carries, compilers make a branch of it.
	 */
	if (__builtin_expect(((old ^ high) & ~(addend ^ high)) >> 63, 0))
		return false;

	pair[0] = (uint64_t) sum;
	pair[1] = high;
	return true;
}

/* w += value; w is returned, or its successor if it had to grow. */
static inline GpuredWindow *
gpured_window_add(GpuredWindow *w, double value, const GpuredAllocator *mem, void *arg)
{
	if (__builtin_expect(gpured_window_fit(w, value), 1))
		return w;
	return gpured_window_add_slow(w, value, mem, arg);
}

/* w -= value, exactly.  What NaN or an infinity left in the flags stays. */
static inline GpuredWindow *
gpured_window_sub(GpuredWindow *w, double value, const GpuredAllocator *mem, void *arg)
{
	return gpured_window_add(w, -value, mem, arg);
}

static inline bool
gpured_is_finite(double value)
{
	uint64_t	bits;

	memcpy(&bits, &value, sizeof(bits));
	return ((bits >> 52) & 0x7ff) != 0x7ff;
}

static inline bool
gpured_is_negzero(double value)
{
	uint64_t	bits;

	memcpy(&bits, &value, sizeof(bits));
	return bits == UINT64_C(1) << 63;
}

static inline void
gpured_moving_add(GpuredMovingSum *s, double value, const GpuredAllocator *mem, void *arg)
{
	if (gpured_is_finite(value))
		s->window = gpured_window_add(s->window, value, mem, arg);
	else
		gpured_moving_add_special(s, value, 1);
	s->n++;
	s->not_negzero += !gpured_is_negzero(value);
}

/* Take back a value that was added. */
static inline void
gpured_moving_remove(GpuredMovingSum *s, double value, const GpuredAllocator *mem, void *arg)
{
	if (gpured_is_finite(value))
		s->window = gpured_window_sub(s->window, value, mem, arg);
	else
		gpured_moving_add_special(s, value, -1);
	s->n--;
	s->not_negzero -= !gpured_is_negzero(value);
}

#endif							/* GPURED_WINDOW_H */

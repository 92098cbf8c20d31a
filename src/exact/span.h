/*
 * span.h
 *	  An exact sum as a long integer, the common form of all that holds one.
 *
 * The superaccumulator of exact.h, the row state of window.h, its serialized
 * form and a single double all turn into a span, which is then added, rounded
 * or divided.  A span holds only the 64-bit limbs that matter, most often two
 * or three.
 */
#ifndef GPURED_SPAN_H
#define GPURED_SPAN_H

#include "exact/exact.h"

/* Limb k of the grid has bit 0 = 2^(64 k + GPURED_EXACT_BIT0). */
#define GPURED_SPAN_LIMBS (GPURED_EXACT_LIMBS / 2 + 1)

typedef struct GpuredSpan
{
	int			first;			/* grid index of digit[0] */
	int			n;				/* 0 for the value 0 */
	uint64_t	digit[GPURED_SPAN_LIMBS];	/* in two's complement */
} GpuredSpan;

/* What the top bit of a limb extends to: all ones, or 0. */
static inline uint64_t
gpured_sign_limb(uint64_t limb)
{
	return limb >> 63 ? UINT64_MAX : 0;
}

/* What is above the span. */
static inline uint64_t
gpured_span_sign(const GpuredSpan *s)
{
	return s->n > 0 ? gpured_sign_limb(s->digit[s->n - 1]) : 0;
}

/* Strip zeros below and redundant sign limbs above: one form for one value. */
extern void gpured_span_trim(GpuredSpan *s);

extern void gpured_span_of_exact(GpuredSpan *s, const GpuredExact *x);

/*
 * What exact.h promises of the sum in a trimmed span and of what the flags say
 * was among the inputs.  The span is used up.
 */
extern bool gpured_span_to_double(GpuredSpan *s, uint32_t flags, double *result);
extern bool gpured_span_to_float(GpuredSpan *s, uint32_t flags, float *result);
extern double gpured_span_mean(GpuredSpan *s, uint32_t flags, uint64_t n);

#endif							/* GPURED_SPAN_H */

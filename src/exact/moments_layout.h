/*
 * moments_layout.h
 *	  Where the sums of moments.h are, for moments.c and moments_io.c.
 */
#ifndef GPURED_MOMENTS_LAYOUT_H
#define GPURED_MOMENTS_LAYOUT_H

#include "exact/moments.h"

/*
 * Finite values use the pairs 0 to 32 of the grid.  A sum that came serialized
 * may need one more.
 */
#define GPURED_MOMENTS_PAIRS		34

/* The limbs of the longest sum, xx. */
#define GPURED_MOMENTS_MAX_LIMBS	(2 * GPURED_MOMENTS_PAIRS + 3)

#define GPURED_MOMENTS_BIAS			(UINT64_C(1) << 63)

/* The grid's index of a wide state's first limb of a sum. */
extern int	gpured_moments_first(const GpuredMoments *w, GpuredMomentsSum sum);

/*
 * Make the state a wide one, with the pairs low[] .. high[] of the variables
 * besides what it has.  It never loses pairs, so it moves a few times in its life
 * at most.
 */
extern GpuredMoments *gpured_moments_cover(GpuredMoments *w, const int *low, const int *high,
										   const GpuredAllocator *mem, void *arg);

/*
 * A sum on the grid in two's complement, not trimmed; the number of digits, and
 * the grid's index of the first in *first.
 */
extern int	gpured_moments_digits(const GpuredMoments *w, GpuredMomentsSum sum,
								  uint64_t *digit, int *first);

/* Add digits that fit to the limbs from "at" on of a sum. */
extern void gpured_moments_add_digits(GpuredMoments *w, GpuredMomentsSum sum, int at,
									  const uint64_t *digit, int n);

#endif							/* GPURED_MOMENTS_LAYOUT_H */

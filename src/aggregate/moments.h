/*
 * moments.h
 *	  What the transition and the final functions of variances and regressions
 *	  share.
 *
 * Included by moments.c and moments_final.c only.
 */
#ifndef GPURED_AGGREGATE_MOMENTS_H
#define GPURED_AGGREGATE_MOMENTS_H

#include "aggregate/aggregate.h"
#include "exact/moments.h"

/*
 * A state is a pointer to a GpuredMoments.  That of a moving aggregate is tagged
 * and points to a GpuredMovingMoments: so both have the same final function.  One
 * that has, or may get, a part on the device has another tag.
 */
#define GPURED_MOVING_MOMENTS(state) ((GpuredMovingMoments *) DatumGetPointer((state) - 1))

#define GPURED_MOMENT_PARTS_TAG 2
#define GPURED_HAS_MOMENT_PARTS(state) (((state) & GPURED_MOMENT_PARTS_TAG) != 0)
#define GPURED_MOMENT_PARTS(state) \
	((GpuredMomentParts *) DatumGetPointer((state) - GPURED_MOMENT_PARTS_TAG))

typedef struct GpuredMomentParts
{
	GpuredOffload *offload;
	GpuredMoments *rows;		/* those added here; NULL if none */
} GpuredMomentParts;

/* The sums of all rows of a state that is not a moving one; the state stays. */
extern GpuredMoments *gpured_moments_resolve(Datum state);

#endif							/* GPURED_AGGREGATE_MOMENTS_H */

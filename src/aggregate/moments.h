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
 * and points to a GpuredMovingMoments: so both have the same final function.
 */
#define GPURED_MOVING_MOMENTS(state) ((GpuredMovingMoments *) DatumGetPointer((state) - 1))

#endif							/* GPURED_AGGREGATE_MOMENTS_H */

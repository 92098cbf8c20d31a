/*
 * images.h
 *	  Numbers for rows with the same values of any types.
 *
 * Values are the same if their bytes are.  An image is a row's values in a form
 * that is compared as words.
 */
#ifndef GPURED_IMAGES_H
#define GPURED_IMAGES_H

#include "postgres.h"

#include "scan/columns.h"

typedef struct GpuredImages GpuredImages;

/* Of the values in at most 64 columns, whose numbers "keys" are kept by the caller. */
extern GpuredImages *gpured_images_create(const int *keys, int nkeys, const GpuredColumns *columns,
										  MemoryContext parent);

/* Number n rows of the batch, from row "from" on: number[0] is that row's. */
extern void gpured_images_find(GpuredImages *images, const GpuredColumns *columns,
							   int from, int n, uint32 *number);

/* How many numbers there are. */
extern uint32 gpured_images_count(const GpuredImages *images);

/* The bytes that they take. */
extern Size gpured_images_memory(const GpuredImages *images);

/* How many bytes its tables may take besides what they have, for "more" numbers. */
extern Size gpured_images_growth(const GpuredImages *images, uint32 more);

/* A value that has a number; "i" counts the columns that the images have. */
extern Datum gpured_images_value(const GpuredImages *images, const GpuredColumns *columns,
								 uint32 number, int i, bool *null);

/* Forget all numbers, and release their memory. */
extern void gpured_images_reset(GpuredImages *images);

#endif							/* GPURED_IMAGES_H */

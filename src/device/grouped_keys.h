/*
 * grouped_keys.h
 *	  Keys to numbers: the tables of grouped.h.
 *
 * A key has 4 or 8 bytes and is equal to another if its bytes are; NULL is a key
 * of its own.  Each new key gets the next number, from 0 on.
 *
 * As long as all keys lie close together, as integers, the table is an array of
 * numbers.  Else it is a hash table: open, probed linearly, at most half full.
 * A bucket holds the key itself, so that a row costs one cache miss at most, and
 * a tile's buckets are fetched ahead of the probes.
 */
#ifndef GPURED_GROUPED_KEYS_H
#define GPURED_GROUPED_KEYS_H

#include "exact/window.h"

/* How many rows are looked up at a time, at most; a multiple of 64. */
#define GPURED_GROUPED_TILE 512

typedef struct GpuredKeys
{
	const GpuredAllocator *mem;
	void	   *arg;
	size_t		memory;			/* bytes allocated */
	int			size;			/* of a key: 4 or 8 */
	uint32_t	n;				/* keys so far */
	uint32_t	null_number;	/* the number of NULL and 1, or 0 */
	void	   *key;			/* by number */
	size_t		key_room;		/* how many it has room for */

	/*
	 * The array: numbers and 1 of the keys from "low" on, 0 where there is
	 * none.
	 */
	uint32_t   *near;
	uint64_t	low;
	uint64_t	span;			/* its length; 0 without it */
	uint64_t	max_span;
	bool		far_apart;		/* some keys were */

	/* The hash table. */
	int			log2_buckets;
	void	   *buckets;
} GpuredKeys;

/* The array is to take no more than array_limit bytes. */
extern void gpured_keys_init(GpuredKeys *t, int size, size_t array_limit,
							 const GpuredAllocator *mem, void *arg);
extern void gpured_keys_release(GpuredKeys *t);

/* How many bytes more it may take to hold "more" keys besides those it has. */
extern size_t gpured_keys_growth(const GpuredKeys *t, size_t more);

/*
 * Number the keys of at most GPURED_GROUPED_TILE rows: those in rows[], or the
 * first n ones if rows is NULL.  Bit i of "valid" says whether row i is not
 * NULL; it may be NULL itself.  number[] gets n numbers.
 */
extern void gpured_keys_find(GpuredKeys *t, const void *keys, const uint64_t *valid,
							 const uint32_t *rows, size_t n, uint32_t *number);

/* The key of a number, zero-extended; false if it is NULL. */
extern bool gpured_keys_get(const GpuredKeys *t, uint32_t number, uint64_t *key);

#endif							/* GPURED_GROUPED_KEYS_H */

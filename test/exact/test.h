/*
 * test.h
 *	  Counting checks, random numbers and an allocator, for the tests of the
 *	  exact sums.
 */
#ifndef GPURED_TEST_H
#define GPURED_TEST_H

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "exact/window.h"

static long test_passed;
static long test_failed;

/* Count a check, and say what failed, the first few times. */
#define CHECK(condition, ...) \
	do { \
		if (condition) \
			test_passed++; \
		else if (++test_failed <= 20) \
		{ \
			printf("%s:%d: ", __FILE__, __LINE__); \
			printf(__VA_ARGS__); \
			printf("\n"); \
		} \
	} while (0)

static inline int
test_summary(void)
{
	printf("%ld passed, %ld failed\n", test_passed, test_failed);
	return test_failed > 0;
}

/* splitmix64 */
static uint64_t test_state;

static inline uint64_t
random_bits(void)
{
	uint64_t	z = (test_state += UINT64_C(0x9e3779b97f4a7c15));

	z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
	return z ^ (z >> 31);
}

static inline size_t
random_below(size_t n)
{
	return (size_t) (random_bits() % n);
}

static inline double
double_of(uint64_t bits)
{
	double		x;

	memcpy(&x, &bits, sizeof(x));
	return x;
}

static inline uint64_t
bits_of_double(double x)
{
	uint64_t	bits;

	memcpy(&bits, &x, sizeof(bits));
	return bits;
}

static inline uint32_t
bits_of_float(float x)
{
	uint32_t	bits;

	memcpy(&bits, &x, sizeof(bits));
	return bits;
}

/* A finite double whose exponent is anything. */
static inline double
random_finite(void)
{
	double		x;

	do
		x = double_of(random_bits());
	while (!isfinite(x));
	return x;
}

static inline void *
checked_malloc(size_t size)
{
	void	   *p = calloc(1, size > 0 ? size : 1);

	if (p == NULL)
		abort();
	return p;
}

static long live_states;		/* allocated and not released */

static inline void *
test_alloc(void *arg, size_t size)
{
	(void) arg;
	live_states++;
	return checked_malloc(size);
}

static inline void
test_release(void *arg, void *pointer)
{
	(void) arg;
	live_states--;
	free(pointer);
}

static const GpuredAllocator test_memory = {test_alloc, test_release};

#define MEM &test_memory, NULL

#endif							/* GPURED_TEST_H */

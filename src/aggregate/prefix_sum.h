/*
 * prefix_sum.h
 *	  What prefix sums of numbers of a fixed width and of numeric share: where
 *	  they may be called, the flag, and the limit.
 */
#ifndef GPURED_PREFIX_SUM_H
#define GPURED_PREFIX_SUM_H

#include "aggregate/aggregate.h"

/* The aggregate's memory context; ERROR as a window function. */
extern MemoryContext gpured_prefix_context(FunctionCallInfo fcinfo);

/* The value of argument 2, "exclusive"; ERROR if it is NULL. */
extern bool gpured_prefix_flag(FunctionCallInfo fcinfo);
extern void gpured_prefix_flag_varies(void) __attribute__((noreturn));

extern void gpured_prefix_too_many(const char *type, int64 limit) __attribute__((noreturn));

#endif							/* GPURED_PREFIX_SUM_H */

/*
 * float_state.h
 *	  What gpu_sum and gpu_avg of floats share: windows in the aggregate's
 *	  memory context, and states of which the device holds a part.
 *
 * Included by sum_float.c, avg_float.c and float_state.c only.
 */
#ifndef GPURED_FLOAT_STATE_H
#define GPURED_FLOAT_STATE_H

#include "aggregate/aggregate.h"
#include "exact/window.h"

/*
 * Windows are allocated one by one with palloc, next to what the executor
 * allocates for the same group: an arena away from there costs a cache miss a
 * row once there are many groups.  "arg" is the FunctionCallInfo in the
 * transition functions, and a MemoryContext elsewhere.
 */
extern const GpuredAllocator gpured_call_allocator;
extern const GpuredAllocator gpured_context_allocator;

/* A state that has, or may get, a part on the device. */
typedef struct GpuredFloatParts
{
	GpuredOffload *offload;
	GpuredWindow *window;
} GpuredFloatParts;

extern void gpured_float_append(GpuredOffload *offload, double value);
extern void gpured_float_merge_device(const GpuredOffload *offload,
									  GpuredExact *x, int64 *n);

extern void gpured_send_window(StringInfo buf, const GpuredWindow *window);
extern GpuredWindow *gpured_get_window(StringInfo buf, MemoryContext context);

#endif							/* GPURED_FLOAT_STATE_H */

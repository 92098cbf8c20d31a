/*
 * float_state.c
 *	  Memory and serialized form of exact float sums.
 *
 * The arithmetic itself is in src/exact.
 */
#include "postgres.h"

#include "libpq/pqformat.h"

#include "aggregate/float_state.h"

/*
 * The allocators return memory at the call that grows a state, not at each row:
 * a row must not pay for finding the context.
 */
static void *
call_alloc(void *arg, size_t size)
{
	return MemoryContextAlloc(gpured_aggregate_context((FunctionCallInfo) arg), size);
}

static void *
context_alloc(void *arg, size_t size)
{
	return MemoryContextAlloc((MemoryContext) arg, size);
}

static void
release(void *arg, void *pointer)
{
	pfree(pointer);
}

const GpuredAllocator gpured_call_allocator = {call_alloc, release};
const GpuredAllocator gpured_context_allocator = {context_alloc, release};

void
gpured_float_append(GpuredOffload *offload, double value)
{
	if (offload->op == GPURED_reduce_sum_float4)
		GPURED_BATCHER_APPEND(offload->batcher, float, (float) value);
	else
		GPURED_BATCHER_APPEND(offload->batcher, double, value);
}

/* Add what the device has summed to *x, and the number of its values to *n. */
void
gpured_float_merge_device(const GpuredOffload *offload, GpuredExact *x, int64 *n)
{
	GpuredAcc	total;

	gpured_offload_total(offload, &total);
	gpured_exact_merge(x, &total.v.exact);
	*n += total.n;
}

/* The window takes the rest of the message. */
void
gpured_send_window(StringInfo buf, const GpuredWindow *window)
{
	uint8_t		bytes[GPURED_WINDOW_MAX_BYTES];
	size_t		size = gpured_window_write(window, bytes);

	pq_sendbytes(buf, (char *) bytes, (int) size);
}

GpuredWindow *
gpured_get_window(StringInfo buf, MemoryContext context)
{
	GpuredWindow *window;
	int			size = buf->len - buf->cursor;
	const char *bytes = pq_getmsgbytes(buf, size);

	if (!gpured_window_read((const uint8_t *) bytes, size, &window,
							&gpured_context_allocator, context))
		gpured_state_corrupt("Its exact sum makes no sense.");
	return window;
}

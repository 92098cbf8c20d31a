/*
 * lease.h
 *	  What one aggregate holds of the server: a connection and up to two slots.
 */
#ifndef GPURED_LEASE_H
#define GPURED_LEASE_H

#include "device/proxy.h"
#include "stats.h"

#define GPURED_LEASE_SLOTS 2

typedef struct GpuredLease
{
	GpuredConnection *connection;	/* NULL: nothing is held */
	int			num_slots;
	uint32		slot[GPURED_LEASE_SLOTS];
} GpuredLease;

/*
 * Take a connection on which "op" can be computed, or return false with the
 * reason.  Under gpured.offload = auto the device must be CUDA.  Under force
 * any will do, and at the first batch of an aggregate this waits for the server
 * and raises an error if there is none.  (One that hangs is not none: false.)
 */
extern bool gpured_lease_connect(GpuredLease *lease, GpuredOp op, bool first,
								 GpuredStatus *status);

/* Take one more slot. */
extern bool gpured_lease_slot(GpuredLease *lease, int wait_ms,
							  GpuredStatus *status);

/* Give everything back.  Never throws; may be called again. */
extern void gpured_lease_end(GpuredLease *lease);

/* From how many values on "op" gains by the device; UINT64_MAX for never. */
extern uint64 gpured_break_even(GpuredOp op, GpuredPath path);

#endif							/* GPURED_LEASE_H */

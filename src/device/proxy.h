/*
 * proxy.h
 *	  The session's end of its connection to gpured-server.
 *
 * A session has at most one connection in use, made when it first wants the
 * server.  All of the session's aggregates share it.  Whoever uses it holds a
 * reference and names its slots by number; requests are answered in order, and
 * a slot has at most one request under way.
 *
 * If anything goes wrong (end-of-file, time-out, a message that makes no sense)
 * the connection is marked failed and used for no further request, but it stays
 * open and mapped until its last reference is given back: the server frees our
 * slots when the socket closes, and until then we still read our values there.
 */
#ifndef GPURED_PROXY_H
#define GPURED_PROXY_H

#include "device/protocol.h"

#define GPURED_NO_SLOT	UINT32_MAX

typedef struct GpuredConnection GpuredConnection;

/*
 * Does gpured-server answer, and on which device?  Looks at what is known, or
 * connects if the last attempt is not too recent.  Never waits long and raises
 * no error.  On success takes a reference.
 */
extern GpuredConnection *gpured_proxy_connect(GpuredStatus *status);

/*
 * The same, but starts the supervisor if there is none and waits up to wait_ms
 * for the server; interruptible.  A server that is there but does not answer is
 * not waited for: the code is then GPURED_TIMEOUT.
 */
extern GpuredConnection *gpured_proxy_connect_wait(int wait_ms, GpuredStatus *status);

/* Never throws. */
extern void gpured_proxy_disconnect(GpuredConnection *connection);

/* What WELCOME said: device, info, pool. */
extern const GpuredWelcome *gpured_proxy_welcome(const GpuredConnection *connection);

/*
 * Get a slot within about wait_ms.  If this connection holds slots already it
 * asks only for one that is free now, since waiting for others while holding
 * some is how a full pool stays full.
 */
extern uint32_t gpured_proxy_acquire(GpuredConnection *connection, int wait_ms,
									 GpuredStatus *status);

/* Never throws; a request under way is let go. */
extern void gpured_proxy_release(GpuredConnection *connection, uint32_t slot);
extern char *gpured_proxy_slot(GpuredConnection *connection, uint32_t slot);

/* Send a request for a slot that has none under way. */
extern bool gpured_proxy_reduce(GpuredConnection *connection, GpuredOp op,
								uint32_t slot, uint64_t n, GpuredStatus *status);
extern bool gpured_proxy_scan(GpuredConnection *connection, GpuredOp op,
							  uint32_t slot, uint64_t n, const GpuredAcc *carry,
							  GpuredStatus *status);

/*
 * Wait for the answer to the slot's request: its accumulator, and the device's
 * time for it.  Handles interrupts, and so may not return.
 */
extern GpuredStatus gpured_proxy_wait(GpuredConnection *connection,
									  uint32_t slot, GpuredAcc *acc,
									  uint64_t *device_ns);

extern bool gpured_proxy_counters(GpuredConnection *connection,
								  GpuredCounters *counters, GpuredStatus *status);

/* The status file: what the server or its supervisor said last. */
typedef struct GpuredLastWords
{
	char		state[32];		/* "running", "no device", ... or empty */
	char		device[32];
	char		reason[400];
} GpuredLastWords;

extern void gpured_last_words(GpuredLastWords *words);

#endif							/* GPURED_PROXY_H */

/*
 * connection.h
 *	  What connect.c and proxy.c share: a connection, and messages on it.
 */
#ifndef GPURED_CONNECTION_H
#define GPURED_CONNECTION_H

#include "device/proxy.h"
#include "storage/latch.h"
#include "utils/timestamp.h"

#include "compat.h"

/* What is under way for a slot. */
typedef struct SlotState
{
	bool		held;
	bool		pending;		/* a request is unanswered */
	uint32		seq;			/* of that request */
	GpuredOp	op;
	uint64		n;
	int64		carried;		/* values in the carry of a scan */
	GpuredResult *result;		/* where the answer goes */
} SlotState;

struct GpuredConnection
{
	int			fd;
	pid_t		owner;			/* a forked child must not use it */
	bool		failed;
	GpuredStatus failure;
	int			references;
	int			slots_held;
	uint32		seq;
	uint32		acquire_seq;	/* of an acquire without an answer, or 0 */
	char	   *pool;
	GpuredWelcome welcome;
	SlotState  *slots;
	MemoryContext context;		/* of this and all that hangs on it */
	WaitEventSet *events;
};

/* Use it for no further request.  The first reason stays. */
extern void gpured_connection_fail(GpuredConnection *connection,
								   GpuredStatus status);

/* Send a message, without waiting; false if the connection failed. */
extern bool gpured_connection_send(GpuredConnection *connection,
								   GpuredMessage *message);

/*
 * Receive one message into *message if there is one.  Results are put in their
 * place, whoever is waiting; the caller looks at the rest.
 */
extern bool gpured_connection_receive(GpuredConnection *connection,
									  GpuredMessage *message);

/*
 * Wait for something to receive until the deadline.  False if that has passed;
 * the connection is then failed.  Handles interrupts.
 */
extern bool gpured_connection_wait(GpuredConnection *connection,
								   TimestampTz deadline);

extern TimestampTz gpured_deadline_in(int ms);

/* milliseconds, for what a server answers at once */
#define GPURED_HELLO_TIMEOUT	1000

#endif							/* GPURED_CONNECTION_H */

/*
 * proxy.c
 *	  Requests of a session to gpured-server, and their answers.
 *
 * See proxy.h for what it promises.  What comes from the server is checked as
 * if it were hostile: a slot number beyond the pool or a result that no device
 * can give must not become a crash or a wrong answer of this process.
 *
 * Every wait is on the process latch and the socket together, has a time-out
 * and handles interrupts, so a query can be cancelled whatever the server does.
 */
#include "postgres.h"

#include <sys/socket.h>

#include "miscadmin.h"
#include "utils/wait_event.h"

#include "device/connection.h"
#include "gpured.h"

void
gpured_connection_fail(GpuredConnection *connection, GpuredStatus status)
{
	if (!connection->failed)
	{
		connection->failed = true;
		connection->failure = status;
	}
}

const GpuredWelcome *
gpured_proxy_welcome(const GpuredConnection *connection)
{
	return &connection->welcome;
}

char *
gpured_proxy_slot(GpuredConnection *connection, uint32_t slot)
{
	return connection->pool + slot * connection->welcome.slot_size;
}

/* Put the answer to a reduction or a scan where it belongs. */
static void
take_result(GpuredConnection *connection, const GpuredResult *result)
{
	for (uint32 i = 0; connection->slots != NULL && i < connection->welcome.num_slots; i++)
	{
		SlotState  *slot = &connection->slots[i];

		if (!slot->pending || slot->seq != result->header.seq)
			continue;
		if (result->status.code == GPURED_OK &&
			(!gpured_acc_plausible(slot->op, &result->acc) ||
			 result->acc.n != slot->carried + (int64) slot->n))
		{
			gpured_connection_fail(connection,
								   gpured_status(GPURED_PROTOCOL,
												 "gpured-server sent a result that makes no sense."));
			return;
		}
		*slot->result = *result;
		slot->pending = false;
		return;
	}
	/* a request that was let go */
}

bool
gpured_connection_receive(GpuredConnection *connection, GpuredMessage *message)
{
	GpuredStatus status;
	ssize_t		got;

	do
		got = recv(connection->fd, message, sizeof(*message),
				   MSG_DONTWAIT | MSG_TRUNC);
	while (got < 0 && errno == EINTR);
	if (got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK))
		return false;
	if (got < 0)
		gpured_connection_fail(connection, gpured_status(GPURED_UNAVAILABLE,
														 "could not receive from gpured-server: %s.",
														 strerror(errno)));
	else if (got == 0)
		gpured_connection_fail(connection, gpured_status(GPURED_UNAVAILABLE,
														 "gpured-server ended."));
	else if (!gpured_message_check(message, got, &status))
		gpured_connection_fail(connection, status);
	else if (message->header.type == GPURED_MSG_ERROR)
		gpured_connection_fail(connection, message->refused.status);
	else if (message->header.type == GPURED_MSG_RESULT)
		take_result(connection, &message->result);
	return !connection->failed;
}

bool
gpured_connection_send(GpuredConnection *connection, GpuredMessage *message)
{
	GpuredMessage last;
	ssize_t		sent;
	int			code;

	if (connection->failed)
		return false;
	do
		sent = send(connection->fd, message, message->header.length,
					MSG_NOSIGNAL | MSG_DONTWAIT);
	while (sent < 0 && errno == EINTR);
	if (sent == message->header.length)
		return true;
	code = errno;

	/* Has it said why? */
	while (gpured_connection_receive(connection, &last))
		;
	gpured_connection_fail(connection, gpured_status(GPURED_UNAVAILABLE,
													 "gpured-server does not take requests: %s.",
													 strerror(code)));
	return false;
}

bool
gpured_connection_wait(GpuredConnection *connection, TimestampTz deadline)
{
	WaitEvent	event;
	long		timeout = TimestampDifferenceMilliseconds(GetCurrentTimestamp(),
														  deadline);

	if (timeout <= 0)
	{
		gpured_connection_fail(connection, gpured_status(GPURED_TIMEOUT,
														 "gpured-server did not answer in time."));
		return false;
	}
	if (connection->events == NULL)
	{
		connection->events = gpured_create_wait_event_set(3);
		AddWaitEventToSet(connection->events, WL_LATCH_SET, PGINVALID_SOCKET,
						  MyLatch, NULL);
		AddWaitEventToSet(connection->events, WL_EXIT_ON_PM_DEATH,
						  PGINVALID_SOCKET, NULL, NULL);
		AddWaitEventToSet(connection->events, WL_SOCKET_READABLE,
						  connection->fd, NULL, NULL);
	}
	if (WaitEventSetWait(connection->events, timeout, &event, 1,
						 PG_WAIT_EXTENSION) == 1 &&
		event.events == WL_LATCH_SET)
		ResetLatch(MyLatch);
	CHECK_FOR_INTERRUPTS();
	return true;
}

TimestampTz
gpured_deadline_in(int ms)
{
	return TimestampTzPlusMilliseconds(GetCurrentTimestamp(), (int64) ms);
}

/* Wait for the answer with this number, of an expected type. */
static bool
wait_for_answer(GpuredConnection *connection, uint32 seq, TimestampTz deadline,
				GpuredMessage *message)
{
	while (!connection->failed)
	{
		if (!gpured_connection_receive(connection, message))
		{
			if (!connection->failed)
				(void) gpured_connection_wait(connection, deadline);
		}
		else if (message->header.seq == seq)
			return true;
		else if (message->header.type == GPURED_MSG_GRANT)
			gpured_connection_fail(connection, gpured_status(GPURED_PROTOCOL,
															 "gpured-server granted a slot that nobody waits for."));
	}
	return false;
}

uint32_t
gpured_proxy_acquire(GpuredConnection *connection, int wait_ms,
					 GpuredStatus *status)
{
	GpuredMessage message;
	uint32		slot;

	if (connection->slots_held > 0)
		wait_ms = 0;
	wait_ms = Min(wait_ms, GPURED_MAX_ACQUIRE_MS);
	gpured_message_init(&message, GPURED_MSG_ACQUIRE, ++connection->seq);
	message.acquire.wait_ms = wait_ms;
	if (!gpured_connection_send(connection, &message))
	{
		*status = connection->failure;
		return GPURED_NO_SLOT;
	}

	/* Still set if an interrupt leaves from here. */
	connection->acquire_seq = connection->seq;
	if (!wait_for_answer(connection, connection->acquire_seq,
						 gpured_deadline_in(wait_ms + Min(gpured_request_timeout, 3600000)),
						 &message))
	{
		*status = connection->failure;
		return GPURED_NO_SLOT;
	}
	connection->acquire_seq = 0;

	if (message.header.type == GPURED_MSG_REFUSED)
	{
		*status = message.refused.status;
		return GPURED_NO_SLOT;
	}
	slot = message.grant.slot;
	if (message.header.type != GPURED_MSG_GRANT ||
		slot >= connection->welcome.num_slots || connection->slots[slot].held)
	{
		gpured_connection_fail(connection, gpured_status(GPURED_PROTOCOL,
														 "gpured-server granted a slot that cannot be."));
		*status = connection->failure;
		return GPURED_NO_SLOT;
	}
	if (connection->slots[slot].result == NULL)
		connection->slots[slot].result = MemoryContextAllocExtended(connection->context,
																	sizeof(GpuredResult),
																	MCXT_ALLOC_NO_OOM);
	if (connection->slots[slot].result == NULL)
	{
		gpured_message_init(&message, GPURED_MSG_RELEASE, ++connection->seq);
		message.release.slot = slot;
		(void) gpured_connection_send(connection, &message);
		*status = gpured_status(GPURED_NO_MEMORY, "out of memory");
		return GPURED_NO_SLOT;
	}
	connection->slots[slot].held = true;
	connection->slots[slot].pending = false;
	connection->slots_held++;
	return slot;
}

void
gpured_proxy_release(GpuredConnection *connection, uint32_t slot)
{
	GpuredMessage message;

	Assert(connection->slots[slot].held);
	connection->slots[slot].held = false;
	connection->slots[slot].pending = false;
	connection->slots_held--;
	gpured_message_init(&message, GPURED_MSG_RELEASE, ++connection->seq);
	message.release.slot = slot;
	(void) gpured_connection_send(connection, &message);
}

/* Note what was sent for a slot, so that its answer can be checked. */
static bool
request_sent(GpuredConnection *connection, GpuredMessage *message, GpuredOp op,
			 uint32_t slot, uint64_t n, int64 carried, GpuredStatus *status)
{
	SlotState  *state = &connection->slots[slot];

	Assert(state->held && !state->pending);
	if (!gpured_connection_send(connection, message))
	{
		*status = connection->failure;
		return false;
	}
	state->pending = true;
	state->seq = message->header.seq;
	state->op = op;
	state->n = n;
	state->carried = carried;
	return true;
}

bool
gpured_proxy_reduce(GpuredConnection *connection, GpuredOp op, uint32_t slot,
					uint64_t n, GpuredStatus *status)
{
	GpuredMessage message;

	gpured_message_init(&message, GPURED_MSG_REDUCE, ++connection->seq);
	message.reduce.op = op;
	message.reduce.slot = slot;
	message.reduce.n = n;
	return request_sent(connection, &message, op, slot, n, 0, status);
}

bool
gpured_proxy_scan(GpuredConnection *connection, GpuredOp op, uint32_t slot,
				  uint64_t n, const GpuredAcc *carry, GpuredStatus *status)
{
	GpuredMessage message;

	gpured_message_init(&message, GPURED_MSG_SCAN, ++connection->seq);
	message.scan.op = op;
	message.scan.slot = slot;
	message.scan.n = n;
	message.scan.carry = *carry;
	return request_sent(connection, &message, op, slot, n, carry->n, status);
}

GpuredStatus
gpured_proxy_wait(GpuredConnection *connection, uint32_t slot, GpuredAcc *acc,
				  uint64_t *device_ns)
{
	SlotState  *state = &connection->slots[slot];
	TimestampTz deadline = gpured_deadline_in(gpured_request_timeout);
	GpuredMessage message;

	while (state->pending && !connection->failed)
	{
		if (!gpured_connection_receive(connection, &message) && !connection->failed)
			(void) gpured_connection_wait(connection, deadline);
	}
	if (state->pending)
	{
		state->pending = false;
		return connection->failure;
	}
	if (state->result->status.code == GPURED_OK)
	{
		*acc = state->result->acc;
		*device_ns = state->result->device_ns;
	}
	return state->result->status;
}

bool
gpured_proxy_counters(GpuredConnection *connection, GpuredCounters *counters,
					  GpuredStatus *status)
{
	GpuredMessage message;

	gpured_message_init(&message, GPURED_MSG_STATUS, ++connection->seq);
	if (!gpured_connection_send(connection, &message) ||
		!wait_for_answer(connection, connection->seq,
						 gpured_deadline_in(GPURED_HELLO_TIMEOUT), &message))
	{
		*status = connection->failure;
		return false;
	}
	if (message.header.type != GPURED_MSG_INFO)
	{
		*status = gpured_status(GPURED_PROTOCOL, "unexpected answer");
		return false;
	}
	*counters = message.info.counters;
	return true;
}

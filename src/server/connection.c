/*
 * connection.c
 *	  Answers the requests of one session, one after another.
 *
 * A session is not trusted: what it sends is checked before it is used, it can
 * name only slots that it holds, and what lies in a slot may change while the
 * device reads it, which can spoil that session's answer and nothing else.  A
 * message that makes no sense is answered with a reason and the connection is
 * closed.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "server.h"

/* Send a message, with the pool's file if it is the welcome. */
static bool
reply(int client, GpuredMessage *message, FaultAction fault)
{
	struct iovec iov = {.iov_base = message,.iov_len = message->header.length};
	struct msghdr msg = {.msg_iov = &iov,.msg_iovlen = 1};
	union
	{
		struct cmsghdr header;
		char		space[CMSG_SPACE(sizeof(int))];
	}			control;
	ssize_t		sent;

	if (message->header.type == GPURED_MSG_WELCOME)
	{
		int			fd = pool_fd();
		struct cmsghdr *cmsg;

		memset(&control, 0, sizeof(control));
		msg.msg_control = control.space;
		msg.msg_controllen = sizeof(control.space);
		cmsg = CMSG_FIRSTHDR(&msg);
		cmsg->cmsg_level = SOL_SOCKET;
		cmsg->cmsg_type = SCM_RIGHTS;
		cmsg->cmsg_len = CMSG_LEN(sizeof(int));
		memcpy(CMSG_DATA(cmsg), &fd, sizeof(int));
	}
	if (fault == FAULT_GARBAGE)
		memset(message, 0xA5, iov.iov_len);
	else
	{
		fault = fault_at(FAULT_REPLY);
		if (fault == FAULT_SPOIL)
			fault_spoil(message);
		else if (fault == FAULT_LARGEST)
			fault_largest(message);
	}
	do
		sent = sendmsg(clients[client].fd, &msg, MSG_NOSIGNAL);
	while (sent < 0 && errno == EINTR);
	return sent == (ssize_t) iov.iov_len;
}

/* Say why the connection ends.  Always false. */
static bool
reject(int client, uint32_t seq, const GpuredStatus *status)
{
	GpuredMessage answer;

	gpured_message_init(&answer, GPURED_MSG_ERROR, seq);
	answer.refused.status = *status;
	reply(client, &answer, FAULT_NONE);
	return false;
}

static bool
on_hello(int client, const GpuredMessage *request)
{
	GpuredMessage answer;
	GpuredStatus status;
	FaultAction fault = fault_at(FAULT_HELLO);

	if (request->hello.fingerprint != gpured_protocol_fingerprint())
	{
		status = gpured_status(GPURED_PROTOCOL,
							   "gpured-server and the extension are of different builds; restart PostgreSQL");
		return reject(client, request->header.seq, &status);
	}
	if (fault == FAULT_ERROR)
	{
		status = gpured_status(GPURED_UNAVAILABLE, "fault injected");
		return reject(client, request->header.seq, &status);
	}
	gpured_message_init(&answer, GPURED_MSG_WELCOME, request->header.seq);
	answer.welcome.fingerprint = gpured_protocol_fingerprint();
	memcpy(answer.welcome.instance, server.instance, sizeof(server.instance));
	strncpy(answer.welcome.device, server.device->name,
			sizeof(answer.welcome.device) - 1);
	answer.welcome.pid = getpid();
	answer.welcome.num_slots = pool_num_slots();
	answer.welcome.slot_size = pool_slot_size();
	answer.welcome.pool_size = pool_size();
	answer.welcome.info = server.info;
	return reply(client, &answer, fault);
}

static bool
on_acquire(int client, const GpuredMessage *request)
{
	GpuredMessage answer;
	FaultAction fault = fault_at(FAULT_ACQUIRE);
	uint32_t	wait_ms = request->acquire.wait_ms;
	int			slot = -1;

	if (wait_ms > GPURED_MAX_ACQUIRE_MS)
		wait_ms = GPURED_MAX_ACQUIRE_MS;
	if (fault != FAULT_ERROR)
		slot = pool_acquire(client, wait_ms);
	if (slot >= 0)
	{
		gpured_message_init(&answer, GPURED_MSG_GRANT, request->header.seq);
		answer.grant.slot = slot;
	}
	else
	{
		gpured_message_init(&answer, GPURED_MSG_REFUSED, request->header.seq);
		answer.refused.status =
			gpured_status(GPURED_BUSY, "all %u batches of the pool are in use",
						  pool_num_slots());
	}
	return reply(client, &answer, fault);
}

/* Does the fault take the place of the batch's status? */
static bool
fault_status(FaultAction fault, GpuredStatus *status)
{
	if (fault == FAULT_ERROR)
		*status = gpured_status(GPURED_DEVICE_FAILED, "fault injected");
	else if (fault == FAULT_MEMORY)
		*status = gpured_status(GPURED_NO_MEMORY, "lack of memory injected");
	else
		return false;
	return true;
}

/*
 * A reduction or a scan.  "carry" is NULL for a reduction.
 */
static bool
on_batch(int client, uint32_t seq, uint32_t op, uint32_t slot, uint64_t n,
		 const GpuredAcc *carry)
{
	GpuredMessage answer;
	GpuredStatus status;
	GpuredBatch batch;
	FaultAction fault;
	uint64_t	start;

	if (op <= GPURED_none || op >= GPURED_NUM_OPS ||
		gpured_op_info[op].is_scan != (carry != NULL))
	{
		status = gpured_status(GPURED_PROTOCOL, "unknown operation %u", op);
		return reject(client, seq, &status);
	}
	if (!pool_owns(client, slot))
	{
		status = gpured_status(GPURED_PROTOCOL, "slot %u is not yours", slot);
		return reject(client, seq, &status);
	}
	if (n > gpured_slot_capacity(op, pool_slot_size()))
	{
		status = gpured_status(GPURED_PROTOCOL,
							   "%ju values do not fit in a slot", (uintmax_t) n);
		return reject(client, seq, &status);
	}
	if (carry != NULL && !gpured_acc_plausible(op, carry))
	{
		status = gpured_status(GPURED_PROTOCOL, "the carry is out of range");
		return reject(client, seq, &status);
	}

	gpured_message_init(&answer, GPURED_MSG_RESULT, seq);
	batch.values = pool_slot(slot);
	batch.n = n;
	batch.second = gpured_op_info[op].columns < 2 ? NULL :
		pool_slot(slot) + gpured_second_column_offset(op, pool_slot_size());

	start = now_ns();
	clients[client].busy_since_ns = start;
	fault = fault_at(carry ? FAULT_SCAN_BEFORE : FAULT_REDUCE_BEFORE);
	if (!fault_status(fault, &status))
	{
		if (carry != NULL)
		{
			answer.result.acc = *carry;
			status = server.device->scan(op, &batch, &answer.result.acc,
										 pool_slot(slot) + gpured_scan_output_offset(op, n));
		}
		else
		{
			gpured_acc_init(op, &answer.result.acc);
			status = server.device->reduce(op, &batch, &answer.result.acc);
		}
	}
	if (fault == FAULT_NONE)
		fault = fault_at(carry ? FAULT_SCAN_AFTER : FAULT_REDUCE_AFTER);
	(void) fault_status(fault, &status);
	clients[client].busy_since_ns = 0;

	answer.result.device_ns = now_ns() - start;
	counters.device_ns += answer.result.device_ns;
	if (status.code == GPURED_OK)
	{
		counters.batches++;
		counters.rows += n;
		counters.bytes += n * gpured_op_info[op].input_size * gpured_op_info[op].columns;
	}
	else
		counters.failures++;
	answer.result.status = status;
	return reply(client, &answer, fault);
}

static bool
on_status(int client, const GpuredMessage *request)
{
	GpuredMessage answer;

	gpured_message_init(&answer, GPURED_MSG_INFO, request->header.seq);
	counters_read(&answer.info.counters);
	return reply(client, &answer, FAULT_NONE);
}

/* One request; false ends the connection. */
static bool
dispatch(int client, const GpuredMessage *request)
{
	GpuredStatus status;
	uint32_t	seq = request->header.seq;

	switch (request->header.type)
	{
		case GPURED_MSG_HELLO:
			return on_hello(client, request);
		case GPURED_MSG_ACQUIRE:
			return on_acquire(client, request);
		case GPURED_MSG_REDUCE:
			return on_batch(client, seq, request->reduce.op,
							request->reduce.slot, request->reduce.n, NULL);
		case GPURED_MSG_SCAN:
			return on_batch(client, seq, request->scan.op, request->scan.slot,
							request->scan.n, &request->scan.carry);
		case GPURED_MSG_RELEASE:
			if (!pool_owns(client, request->release.slot))
			{
				status = gpured_status(GPURED_PROTOCOL, "slot %u is not yours",
									   request->release.slot);
				return reject(client, seq, &status);
			}
			pool_release(client, request->release.slot);
			return true;
		case GPURED_MSG_STATUS:
			return on_status(client, request);
		default:
			status = gpured_status(GPURED_PROTOCOL,
								   "message type %d is not a request",
								   request->header.type);
			return reject(client, seq, &status);
	}
}

/*
 * Until the session goes away.  Its slots are freed only here, after its last
 * request has ended, so nothing still reads a slot that another one gets.
 */
void
connection_serve(int client)
{
	bool		welcomed = false;

	for (;;)
	{
		GpuredMessage request;
		GpuredStatus status;
		ssize_t		received;

		received = recv(clients[client].fd, &request, sizeof(request), MSG_TRUNC);
		if (received < 0 && errno == EINTR)
			continue;
		if (received <= 0)
			break;
		counters.requests++;
		if (!gpured_message_check(&request, received, &status))
		{
			reject(client, 0, &status);
			break;
		}
		if (request.header.type == GPURED_MSG_HELLO)
			welcomed = true;
		else if (!welcomed)
		{
			status = gpured_status(GPURED_PROTOCOL, "the first message must be a hello");
			reject(client, request.header.seq, &status);
			break;
		}
		if (!dispatch(client, &request))
			break;
	}
	pool_release_all(client);
}

/*
 * Close so that our last words arrive: unread requests would turn them into a
 * reset connection.
 */
void
connection_close(int fd)
{
	char		unread;

	shutdown(fd, SHUT_RD);
	while (recv(fd, &unread, sizeof(unread), MSG_DONTWAIT) > 0)
		;
	close(fd);
}

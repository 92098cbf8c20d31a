/*
 * proxy.c
 *	  The session's end of its connection to gpured-server.
 *
 * See proxy.h for what it promises.  What comes from the server is checked as
 * if it were hostile: a slot number beyond the pool or a pool that could shrink
 * under us would be a crash of this process, and that the server must never be
 * able to cause.
 *
 * Every wait is on the process latch and the socket together, has a time-out
 * and handles interrupts, so a query can be cancelled whatever the server does.
 */
#include "postgres.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "miscadmin.h"
#include "portability/instr_time.h"
#include "storage/fd.h"
#include "storage/latch.h"
#include "utils/memutils.h"
#include "utils/timestamp.h"
#include "utils/wait_event.h"

#include "compat.h"
#include "device/proxy.h"
#include "gpured.h"
#include "supervisor.h"

/* milliseconds */
#define HELLO_TIMEOUT	1000	/* to connect and be welcomed */
#define RETRY_INTERVAL	1000	/* between attempts that nobody insists on */
#define POLL_INTERVAL	20		/* while waiting for a server to start */

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

/* The connection in use, NULL if none or if the last one failed. */
static GpuredConnection *current;
static TimestampTz last_attempt;
static GpuredStatus last_failure;

static void
fail(GpuredConnection *connection, GpuredStatus status)
{
	if (!connection->failed)
	{
		connection->failed = true;
		connection->failure = status;
	}
	if (current == connection)
		current = NULL;
}

/* Close and unmap.  Never throws. */
static void
destroy(GpuredConnection *connection)
{
	if (current == connection)
		current = NULL;
	if (connection->events)
		FreeWaitEventSet(connection->events);
	if (connection->pool)
		munmap(connection->pool, connection->welcome.pool_size);
	if (connection->fd >= 0)
	{
		close(connection->fd);
		ReleaseExternalFD();
	}
	MemoryContextDelete(connection->context);
}

void
gpured_proxy_disconnect(GpuredConnection *connection)
{
	Assert(connection->references > 0);
	connection->references--;

	/*
	 * A wait for a slot that was interrupted may have been granted since:
	 * only closing the connection surely gives that slot back.
	 */
	if (connection->references == 0 &&
		(connection->failed || connection->acquire_seq != 0))
		destroy(connection);
}

const GpuredWelcome *
gpured_proxy_welcome(const GpuredConnection *connection)
{
	return &connection->welcome;
}

bool
gpured_proxy_failed(const GpuredConnection *connection)
{
	return connection->failed;
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
			fail(connection,
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

/*
 * Receive one message into *message if there is one.  Results are put in their
 * place, whoever is waiting; the caller looks at the rest.
 */
static bool
receive_message(GpuredConnection *connection, GpuredMessage *message)
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
		fail(connection, gpured_status(GPURED_UNAVAILABLE,
									   "could not receive from gpured-server: %s.",
									   strerror(errno)));
	else if (got == 0)
		fail(connection, gpured_status(GPURED_UNAVAILABLE,
									   "gpured-server ended."));
	else if (!gpured_message_check(message, got, &status))
		fail(connection, status);
	else if (message->header.type == GPURED_MSG_ERROR)
		fail(connection, message->refused.status);
	else if (message->header.type == GPURED_MSG_RESULT)
		take_result(connection, &message->result);
	return !connection->failed;
}

static bool
send_message(GpuredConnection *connection, GpuredMessage *message)
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
	while (receive_message(connection, &last))
		;
	fail(connection, gpured_status(GPURED_UNAVAILABLE,
								   "gpured-server does not take requests: %s.",
								   strerror(code)));
	return false;
}

/*
 * Wait for the socket until the deadline.  False if that has passed; the
 * connection is then failed.  Handles interrupts.
 */
static bool
wait_for_socket(GpuredConnection *connection, TimestampTz deadline)
{
	WaitEvent	event;
	long		timeout = TimestampDifferenceMilliseconds(GetCurrentTimestamp(),
														  deadline);

	if (timeout <= 0)
	{
		fail(connection, gpured_status(GPURED_TIMEOUT,
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

static TimestampTz
deadline_in(int ms)
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
		if (!receive_message(connection, message))
		{
			if (!connection->failed)
				(void) wait_for_socket(connection, deadline);
		}
		else if (message->header.seq == seq)
			return true;
		else if (message->header.type == GPURED_MSG_GRANT)
			fail(connection, gpured_status(GPURED_PROTOCOL,
										   "gpured-server granted a slot that nobody waits for."));
	}
	return false;
}

/* Receive the welcome with the pool's file; -1 if there is none yet. */
static ssize_t
receive_welcome(int fd, GpuredMessage *message, int *pool_fd)
{
	struct iovec iov = {.iov_base = message,.iov_len = sizeof(*message)};
	union
	{
		struct cmsghdr header;
		char		space[CMSG_SPACE(sizeof(int))];
	}			control;
	struct msghdr msg = {
		.msg_iov = &iov,.msg_iovlen = 1,
		.msg_control = control.space,.msg_controllen = sizeof(control.space)
	};
	struct cmsghdr *cmsg;
	ssize_t		got;

	*pool_fd = -1;
	do
		got = recvmsg(fd, &msg, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
	while (got < 0 && errno == EINTR);
	if (got <= 0)
		return got;
	cmsg = CMSG_FIRSTHDR(&msg);
	if (cmsg != NULL && cmsg->cmsg_level == SOL_SOCKET &&
		cmsg->cmsg_type == SCM_RIGHTS &&
		cmsg->cmsg_len == CMSG_LEN(sizeof(int)))
		memcpy(pool_fd, CMSG_DATA(cmsg), sizeof(int));
	return got;
}

/* Can the pool be what the welcome says, and be relied on to stay so? */
static bool
pool_is_sound(const GpuredWelcome *welcome, int pool_fd)
{
	struct stat st;
	int			seals = fcntl(pool_fd, F_GET_SEALS);

	return seals >= 0 && (seals & F_SEAL_SHRINK) != 0 &&
		fstat(pool_fd, &st) == 0 && st.st_size >= 0 &&
		welcome->pool_size <= (uint64) st.st_size &&
		welcome->num_slots > 0 &&
		welcome->slot_size >= 4096 &&
		welcome->slot_size % GPURED_SLOT_ALIGN == 0 &&
		welcome->slot_size <= welcome->pool_size / welcome->num_slots;
}

/* Check the welcome and map the pool. */
static void
accept_welcome(GpuredConnection *connection, GpuredMessage *message,
			   ssize_t got, int pool_fd)
{
	GpuredStatus status;
	void	   *pool;

	if (!gpured_message_check(message, got, &status))
		fail(connection, status);
	else if (message->header.type == GPURED_MSG_ERROR)
		fail(connection, message->refused.status);
	else if (message->header.type != GPURED_MSG_WELCOME ||
			 message->welcome.fingerprint != gpured_protocol_fingerprint())
		fail(connection, gpured_status(GPURED_PROTOCOL,
									   "gpured-server and the extension are of different builds; restart PostgreSQL."));
	else if (pool_fd < 0 || !pool_is_sound(&message->welcome, pool_fd))
		fail(connection, gpured_status(GPURED_PROTOCOL,
									   "gpured-server offered a pool that cannot be used."));
	else
	{
		pool = mmap(NULL, message->welcome.pool_size, PROT_READ | PROT_WRITE,
					MAP_SHARED, pool_fd, 0);
		if (pool == MAP_FAILED)
			fail(connection, gpured_status(GPURED_NO_MEMORY,
										   "could not map the pool of gpured-server: %s.",
										   strerror(errno)));
		else
		{
			connection->pool = pool;
			connection->welcome = message->welcome;
		}
	}
}

/* Open the socket; -1 with a reason. */
static int
open_socket(GpuredStatus *status)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX,.sun_path = GPURED_SOCKET_PATH};
	struct ucred peer;
	socklen_t	length = sizeof(peer);
	int			fd;

	if (!AcquireExternalFD())
	{
		*status = gpured_status(GPURED_UNAVAILABLE,
								"This session has no file descriptor to spare.");
		return -1;
	}
	fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd < 0 ||
		connect(fd, (struct sockaddr *) &address, sizeof(address)) != 0)
	{
		if (errno == ENOENT || errno == ECONNREFUSED)
			*status = gpured_status(GPURED_UNAVAILABLE,
									"gpured-server is not running.");
		else if (errno == EAGAIN)
			*status = gpured_status(GPURED_TIMEOUT,
									"gpured-server does not accept connections.");
		else
			*status = gpured_status(GPURED_UNAVAILABLE,
									"could not connect to gpured-server: %s.",
									strerror(errno));
	}
	else if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &length) != 0 ||
			 peer.uid != geteuid())
		*status = gpured_status(GPURED_UNAVAILABLE,
								"the socket of gpured-server belongs to another user.");
	else
		return fd;

	if (fd >= 0)
		close(fd);
	ReleaseExternalFD();
	return -1;
}

/* Say hello and wait for the welcome. */
static void
greet(GpuredConnection *connection)
{
	GpuredMessage message;
	TimestampTz deadline = deadline_in(HELLO_TIMEOUT);

	gpured_message_init(&message, GPURED_MSG_HELLO, ++connection->seq);
	message.hello.fingerprint = gpured_protocol_fingerprint();
	(void) send_message(connection, &message);
	while (!connection->failed)
	{
		int			pool_fd;
		ssize_t		got = receive_welcome(connection->fd, &message, &pool_fd);

		if (got > 0)
		{
			accept_welcome(connection, &message, got, pool_fd);
			if (pool_fd >= 0)
				close(pool_fd);
			return;
		}
		if (got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK))
			(void) wait_for_socket(connection, deadline);
		else
			fail(connection, gpured_status(GPURED_UNAVAILABLE,
										   "gpured-server ended."));
	}
}

/* A new connection, with one reference, or NULL with a reason. */
static GpuredConnection *
make_connection(GpuredStatus *status)
{
	MemoryContext context = AllocSetContextCreate(TopMemoryContext,
												  "gpured connection",
												  ALLOCSET_SMALL_SIZES);
	GpuredConnection *connection = MemoryContextAllocZero(context,
														  sizeof(*connection));

	connection->context = context;
	connection->owner = MyProcPid;
	connection->fd = open_socket(status);
	if (connection->fd < 0)
	{
		MemoryContextDelete(context);
		return NULL;
	}

	PG_TRY();
	{
		greet(connection);
		if (!connection->failed)
			connection->slots =
				MemoryContextAllocExtended(context,
										   connection->welcome.num_slots * sizeof(SlotState),
										   MCXT_ALLOC_HUGE | MCXT_ALLOC_ZERO);
	}
	PG_CATCH();
	{
		destroy(connection);
		PG_RE_THROW();
	}
	PG_END_TRY();

	if (connection->failed)
	{
		*status = connection->failure;
		destroy(connection);
		return NULL;
	}
	connection->references = 1;
	return connection;
}

/* Has an idle connection been closed by the server meanwhile? */
static void
notice_closed(GpuredConnection *connection)
{
	GpuredMessage message;

	while (receive_message(connection, &message))
		;
}

/* The connection in use, if it still is one, with another reference. */
static GpuredConnection *
reuse(void)
{
	GpuredConnection *connection = current;

	if (connection == NULL)
		return NULL;
	if (connection->owner != MyProcPid)
	{
		/* Inherited by a fork: not ours to close. */
		current = NULL;
		return NULL;
	}
	if (connection->acquire_seq == 0)
		notice_closed(connection);
	else
		fail(connection, gpured_status(GPURED_UNAVAILABLE,
									   "a wait for a slot was interrupted."));
	if (connection->failed)
	{
		if (connection->references == 0)
			destroy(connection);
		return NULL;
	}
	connection->references++;
	return connection;
}

/* Try to connect now. */
static GpuredConnection *
attempt(GpuredStatus *status)
{
	GpuredConnection *connection;

	last_attempt = GetCurrentTimestamp();
	last_failure = gpured_status(GPURED_UNAVAILABLE,
								 "gpured-server did not answer.");
	connection = make_connection(status);
	if (connection == NULL)
		last_failure = *status;
	else
		current = connection;
	return connection;
}

GpuredConnection *
gpured_proxy_connect(GpuredStatus *status)
{
	GpuredConnection *connection = reuse();

	if (connection != NULL)
		return connection;
	if (gpured_device_setting == GPURED_DEVICE_OFF)
	{
		*status = gpured_status(GPURED_UNAVAILABLE, "gpured.device is off.");
		return NULL;
	}
	if (last_attempt != 0 &&
		!TimestampDifferenceExceeds(last_attempt, GetCurrentTimestamp(),
									RETRY_INTERVAL))
	{
		*status = last_failure;
		return NULL;
	}
	return attempt(status);
}

GpuredConnection *
gpured_proxy_connect_wait(int wait_ms, GpuredStatus *status)
{
	GpuredConnection *connection = reuse();
	TimestampTz deadline = deadline_in(wait_ms);

	if (connection != NULL)
		return connection;
	if (gpured_device_setting == GPURED_DEVICE_OFF)
	{
		*status = gpured_status(GPURED_UNAVAILABLE, "gpured.device is off.");
		return NULL;
	}
	for (;;)
	{
		GpuredLastWords words;
		bool		supervised;

		connection = attempt(status);
		if (connection != NULL || status->code == GPURED_TIMEOUT)
			return connection;

		/* The words of a supervisor that is gone say nothing about now. */
		supervised = gpured_supervisor_running();
		if (supervised)
		{
			gpured_last_words(&words);
			if (words.reason[0] != '\0' && strcmp(words.state, "running") != 0)
				*status = gpured_status(GPURED_UNAVAILABLE, "%s", words.reason);
			if (strcmp(words.state, "no device") == 0)
				return NULL;
		}
		else if (!gpured_supervisor_start(status))
			return NULL;
		if (GetCurrentTimestamp() >= deadline)
			return NULL;
		(void) WaitLatch(MyLatch, WL_LATCH_SET | WL_TIMEOUT | WL_EXIT_ON_PM_DEATH,
						 POLL_INTERVAL, PG_WAIT_EXTENSION);
		ResetLatch(MyLatch);
		CHECK_FOR_INTERRUPTS();
	}
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
	if (!send_message(connection, &message))
	{
		*status = connection->failure;
		return GPURED_NO_SLOT;
	}

	/* Still set if an interrupt leaves from here. */
	connection->acquire_seq = connection->seq;
	if (!wait_for_answer(connection, connection->acquire_seq,
						 deadline_in(wait_ms + Min(gpured_request_timeout, 3600000)),
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
		fail(connection, gpured_status(GPURED_PROTOCOL,
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
		(void) send_message(connection, &message);
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
	(void) send_message(connection, &message);
}

/* Note what was sent for a slot, so that its answer can be checked. */
static bool
request_sent(GpuredConnection *connection, GpuredMessage *message, GpuredOp op,
			 uint32_t slot, uint64_t n, int64 carried, GpuredStatus *status)
{
	SlotState  *state = &connection->slots[slot];

	Assert(state->held && !state->pending);
	if (!send_message(connection, message))
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
gpured_proxy_wait(GpuredConnection *connection, uint32_t slot, GpuredAcc *acc)
{
	SlotState  *state = &connection->slots[slot];
	TimestampTz deadline = deadline_in(gpured_request_timeout);
	GpuredMessage message;

	while (state->pending && !connection->failed)
	{
		if (!receive_message(connection, &message) && !connection->failed)
			(void) wait_for_socket(connection, deadline);
	}
	if (state->pending)
	{
		state->pending = false;
		return connection->failure;
	}
	if (state->result->status.code == GPURED_OK)
		*acc = state->result->acc;
	return state->result->status;
}

bool
gpured_proxy_counters(GpuredConnection *connection, GpuredCounters *counters,
					  GpuredStatus *status)
{
	GpuredMessage message;

	gpured_message_init(&message, GPURED_MSG_STATUS, ++connection->seq);
	if (!send_message(connection, &message) ||
		!wait_for_answer(connection, connection->seq,
						 deadline_in(HELLO_TIMEOUT), &message))
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

/* One line of the status file, as plain ASCII whatever is in it. */
static void
read_line(FILE *file, char *to, int size)
{
	if (fgets(to, size, file) == NULL)
		to[0] = '\0';
	for (char *p = to; *p; p++)
	{
		if (*p == '\n')
			*p = '\0';
		else if ((unsigned char) *p < ' ' || (unsigned char) *p > '~')
			*p = '?';
		if (*p == '\0')
			break;
	}
}

void
gpured_last_words(GpuredLastWords *words)
{
	FILE	   *file;

	memset(words, 0, sizeof(*words));
	file = fopen(GPURED_STATUS_PATH, "r");
	if (file == NULL)
		return;
	read_line(file, words->state, sizeof(words->state));
	read_line(file, words->device, sizeof(words->device));
	read_line(file, words->reason, sizeof(words->reason));
	fclose(file);
}

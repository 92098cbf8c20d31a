/*
 * connect.c
 *	  Making, keeping and ending a session's connection to gpured-server.
 *
 * The server's welcome is checked before anything in it is used, and its pool
 * before it is mapped: one that could shrink under us would be a crash of this
 * process, and that the server must never be able to cause.
 */
#include "postgres.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "access/xact.h"
#include "miscadmin.h"
#include "storage/fd.h"
#include "utils/memutils.h"
#include "utils/wait_event.h"

#include "device/connection.h"
#include "gpured.h"
#include "supervisor.h"

/* milliseconds */
#define RETRY_INTERVAL	1000	/* between attempts that nobody insists on */
#define POLL_INTERVAL	20		/* while waiting for a server to start */

/* The connection in use, NULL if none or if the last one failed. */
static GpuredConnection *current;
static TimestampTz last_attempt;
static GpuredStatus last_failure;

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
		gpured_connection_fail(connection, status);
	else if (message->header.type == GPURED_MSG_ERROR)
		gpured_connection_fail(connection, message->refused.status);
	else if (message->header.type != GPURED_MSG_WELCOME ||
			 message->welcome.fingerprint != gpured_protocol_fingerprint())
		gpured_connection_fail(connection, gpured_status(GPURED_PROTOCOL,
														 "gpured-server and the extension are of different builds; restart PostgreSQL."));
	else if (pool_fd < 0 || !pool_is_sound(&message->welcome, pool_fd))
		gpured_connection_fail(connection, gpured_status(GPURED_PROTOCOL,
														 "gpured-server offered a pool that cannot be used."));
	else
	{
		pool = mmap(NULL, message->welcome.pool_size, PROT_READ | PROT_WRITE,
					MAP_SHARED, pool_fd, 0);
		if (pool == MAP_FAILED)
			gpured_connection_fail(connection, gpured_status(GPURED_NO_MEMORY,
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
	TimestampTz deadline = gpured_deadline_in(GPURED_HELLO_TIMEOUT);

	gpured_message_init(&message, GPURED_MSG_HELLO, ++connection->seq);
	message.hello.fingerprint = gpured_protocol_fingerprint();
	(void) gpured_connection_send(connection, &message);
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
			(void) gpured_connection_wait(connection, deadline);
		else
			gpured_connection_fail(connection, gpured_status(GPURED_UNAVAILABLE,
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

	while (gpured_connection_receive(connection, &message))
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
		gpured_connection_fail(connection, gpured_status(GPURED_UNAVAILABLE,
														 "a wait for a slot was interrupted."));
	if (connection->failed)
	{
		current = NULL;
		if (connection->references == 0)
			destroy(connection);
		return NULL;
	}
	connection->references++;
	return connection;
}

static bool
tried_lately(void)
{
	return last_attempt != 0 &&
		!TimestampDifferenceExceeds(last_attempt, GetCurrentTimestamp(),
									RETRY_INTERVAL);
}

/*
 * The pool of a server that has ended goes at the end of the session's next
 * transaction.  Without this, one that has no more use for the server would keep
 * all of its memory; one that stays idle still does.
 */
static void
at_end_of_transaction(XactEvent event, void *arg)
{
	char		byte;

	if (current != NULL && current->owner == MyProcPid &&
		current->references == 0 &&
		recv(current->fd, &byte, 1, MSG_PEEK | MSG_DONTWAIT) == 0)
		destroy(current);
}

/* Try to connect now. */
static GpuredConnection *
attempt(GpuredStatus *status)
{
	static bool registered = false;
	GpuredConnection *connection;

	if (!registered)
		RegisterXactCallback(at_end_of_transaction, NULL);
	registered = true;
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
	if (tried_lately())
	{
		*status = last_failure;
		return NULL;
	}
	return attempt(status);
}

/*
 * Start a supervisor, one session at a time: a hundred that begin at once must
 * not take a hundred background workers to get one.  *turn is the file whose
 * lock says whose turn it is, -1 before; an error closes it with the
 * transaction.  False if there can be no supervisor.
 */
static bool
start_supervisor(int *turn, GpuredStatus *status)
{
	if (*turn >= 0)
		return true;			/* it has been asked for */
	*turn = OpenTransientFile(GPURED_LOCK_PATH ".start", O_RDWR | O_CREAT);
	if (*turn >= 0 && flock(*turn, LOCK_EX | LOCK_NB) != 0)
	{
		CloseTransientFile(*turn);
		*turn = -1;
		return true;
	}
	return gpured_supervisor_start(status);
}

/* Once: connect, or see to it that there will be a server.  False: give up. */
static bool
try_harder(GpuredConnection **connection, int *turn, GpuredStatus *status)
{
	GpuredLastWords words;

	*connection = attempt(status);
	if (*connection != NULL || status->code == GPURED_TIMEOUT)
		return false;

	/* The words of a supervisor that is gone say nothing about now. */
	if (!gpured_supervisor_running())
		return start_supervisor(turn, status);
	gpured_last_words(&words);
	if (words.reason[0] != '\0' && strcmp(words.state, "running") != 0)
		*status = gpured_status(GPURED_UNAVAILABLE, "%s", words.reason);
	return strcmp(words.state, "no device") != 0;
}

GpuredConnection *
gpured_proxy_connect_wait(int wait_ms, GpuredStatus *status)
{
	GpuredConnection *connection = reuse();
	TimestampTz deadline = gpured_deadline_in(wait_ms);
	int			turn = -1;

	if (connection != NULL)
		return connection;
	if (gpured_device_setting == GPURED_DEVICE_OFF)
	{
		*status = gpured_status(GPURED_UNAVAILABLE, "gpured.device is off.");
		return NULL;
	}

	/* A server that hangs is not waited for by each aggregate of a query. */
	if (last_failure.code == GPURED_TIMEOUT && tried_lately())
	{
		*status = last_failure;
		return NULL;
	}
	while (try_harder(&connection, &turn, status) &&
		   GetCurrentTimestamp() < deadline)
	{
		(void) WaitLatch(MyLatch, WL_LATCH_SET | WL_TIMEOUT | WL_EXIT_ON_PM_DEATH,
						 POLL_INTERVAL, PG_WAIT_EXTENSION);
		ResetLatch(MyLatch);
		CHECK_FOR_INTERRUPTS();
	}
	if (turn >= 0)
		CloseTransientFile(turn);
	return connection;
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

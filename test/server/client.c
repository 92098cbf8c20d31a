/*
 * client.c
 *	  A client of gpured-server without PostgreSQL: for tests and benchmarks.
 */
#include "client.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

static void
die(const char *what)
{
	fprintf(stderr, "%s: %s\n", what, strerror(errno));
	exit(1);
}

int
client_socket(const char *path)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};

	snprintf(address.sun_path, sizeof(address.sun_path), "%s", path);
	for (int attempt = 0; attempt < 1000; attempt++)
	{
		int			fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);

		if (fd < 0)
			die("socket");
		if (connect(fd, (struct sockaddr *) &address, sizeof(address)) == 0)
			return fd;
		close(fd);
		usleep(10000);
	}
	return -1;
}

bool
client_send(Client *client, GpuredMessage *message)
{
	return send(client->fd, message, message->header.length, MSG_NOSIGNAL) ==
		(ssize_t) message->header.length;
}

bool
client_receive(Client *client, GpuredMessage *message)
{
	struct pollfd pfd = {.fd = client->fd,.events = POLLIN};
	GpuredStatus status;
	ssize_t		got;

	if (poll(&pfd, 1, 10000) <= 0)
		return false;
	got = recv(client->fd, message, sizeof(*message), MSG_TRUNC);
	return got > 0 && gpured_message_check(message, got, &status);
}

bool
client_ask(Client *client, GpuredMessage *message)
{
	message->header.seq = ++client->seq;
	return client_send(client, message) && client_receive(client, message) &&
		message->header.seq == client->seq;
}

void
client_open(Client *client, const char *path)
{
	GpuredMessage message;
	struct iovec iov = {.iov_base = &message,.iov_len = sizeof(message)};
	union
	{
		struct cmsghdr header;
		char		space[CMSG_SPACE(sizeof(int))];
	}			control;
	struct msghdr msg = {
		.msg_iov = &iov,.msg_iovlen = 1,
		.msg_control = control.space,.msg_controllen = sizeof(control.space)
	};
	int			pool_fd;

	memset(client, 0, sizeof(*client));
	client->fd = client_socket(path);
	if (client->fd < 0)
		die("connect");
	gpured_message_init(&message, GPURED_MSG_HELLO, ++client->seq);
	message.hello.fingerprint = gpured_protocol_fingerprint();
	if (!client_send(client, &message) ||
		recvmsg(client->fd, &msg, MSG_CMSG_CLOEXEC) != sizeof(GpuredWelcome) ||
		message.header.type != GPURED_MSG_WELCOME || CMSG_FIRSTHDR(&msg) == NULL)
		die("hello");
	client->welcome = message.welcome;
	memcpy(&pool_fd, CMSG_DATA(CMSG_FIRSTHDR(&msg)), sizeof(int));
	client->pool = mmap(NULL, client->welcome.pool_size, PROT_READ | PROT_WRITE,
						MAP_SHARED, pool_fd, 0);
	close(pool_fd);
	if (client->pool == MAP_FAILED)
		die("mmap");
}

void
client_close(Client *client)
{
	munmap(client->pool, client->welcome.pool_size);
	close(client->fd);
}

int
client_acquire(Client *client, uint32_t wait_ms)
{
	GpuredMessage message;

	gpured_message_init(&message, GPURED_MSG_ACQUIRE, 0);
	message.acquire.wait_ms = wait_ms;
	if (!client_ask(client, &message) || message.header.type != GPURED_MSG_GRANT)
		return -1;
	return message.grant.slot;
}

void
client_release(Client *client, uint32_t slot)
{
	GpuredMessage message;

	gpured_message_init(&message, GPURED_MSG_RELEASE, ++client->seq);
	message.release.slot = slot;
	client_send(client, &message);
}

char *
client_slot(Client *client, uint32_t slot)
{
	return client->pool + slot * client->welcome.slot_size;
}

static GpuredResult
result_of(Client *client, GpuredMessage *message)
{
	if (!client_ask(client, message) || message->header.type != GPURED_MSG_RESULT)
	{
		GpuredResult none = {.status = gpured_status(GPURED_PROTOCOL, "no result")};

		return none;
	}
	return message->result;
}

GpuredResult
client_reduce(Client *client, GpuredOp op, uint32_t slot, uint64_t n)
{
	GpuredMessage message;

	gpured_message_init(&message, GPURED_MSG_REDUCE, 0);
	message.reduce.op = op;
	message.reduce.slot = slot;
	message.reduce.n = n;
	return result_of(client, &message);
}

GpuredResult
client_scan(Client *client, GpuredOp op, uint32_t slot, uint64_t n,
			const GpuredAcc *carry)
{
	GpuredMessage message;

	gpured_message_init(&message, GPURED_MSG_SCAN, 0);
	message.scan.op = op;
	message.scan.slot = slot;
	message.scan.n = n;
	message.scan.carry = *carry;
	return result_of(client, &message);
}

GpuredCounters
client_counters(Client *client)
{
	GpuredMessage message;

	gpured_message_init(&message, GPURED_MSG_STATUS, 0);
	if (!client_ask(client, &message) || message.header.type != GPURED_MSG_INFO)
		die("status");
	return message.info.counters;
}

/*
 * protocol.c
 *	  Tests of gpured-server by itself: what it answers to good requests, to bad
 *	  ones, and to random ones.
 *
 *		protocol SERVER [SEED [MESSAGES]]
 *
 * SERVER is meant to be built with sanitizers; any report of theirs ends it and
 * fails the test.  Expected results come from the CPU device, which is linked
 * in.  The last line says "N passed, N failed".
 */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "client.h"

static const char *server_path;
static char directory[] = "/tmp/gpured-protocol-XXXXXX";
static char socket_path[64];
static char status_path[64];
static pid_t server_pid;
static int	life = -1;
static int	passed;
static int	failed;
static uint64_t seed = 1;

static void
ok(bool good, const char *what)
{
	if (good)
		passed++;
	else
	{
		failed++;
		printf("not ok: %s\n", what);
	}
}

static uint64_t
random_bits(void)
{
	/* splitmix64 */
	uint64_t	z = (seed += UINT64_C(0x9e3779b97f4a7c15));

	z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
	return z ^ (z >> 31);
}

/* Start the server with up to three more arguments. */
static void
start(const char *a, const char *b, const char *c)
{
	char		socket_arg[96];
	char		status_arg[96];
	char		life_arg[32];
	int			ends[2];

	snprintf(socket_arg, sizeof(socket_arg), "--socket=%s", socket_path);
	snprintf(status_arg, sizeof(status_arg), "--status-file=%s", status_path);
	unlink(socket_path);
	unlink(status_path);
	if (pipe(ends) != 0)
		exit(1);
	snprintf(life_arg, sizeof(life_arg), "--life-fd=%d", ends[0]);
	fflush(NULL);
	server_pid = fork();
	if (server_pid == 0)
	{
		close(ends[1]);
		execl(server_path, server_path, socket_arg, status_arg, life_arg,
			  a ? a : "--device=cpu", b ? b : "--buffer-size=1048576", c, NULL);
		_exit(127);
	}
	close(ends[0]);
	life = ends[1];
}

/* Let the server end as with its supervisor; its exit code, or -1. */
static int
stop(void)
{
	int			wstatus;

	close(life);
	waitpid(server_pid, &wstatus, 0);
	return WIFEXITED(wstatus) ? WEXITSTATUS(wstatus) : -1;
}

/* Values of every kind: small, large, special. */
static void
fill(GpuredOp op, void *values, size_t n)
{
	const char *name = gpured_op_info[op].name;

	for (size_t i = 0; i < n; i++)
	{
		uint64_t	bits = random_bits();

		switch (gpured_op_info[op].input_size)
		{
			case 2:
				((int16_t *) values)[i] = (int16_t) bits;
				break;
			case 4:
				if (strstr(name, "float"))
					((float *) values)[i] = (float) ((double) (int32_t) bits / 1024);
				else
					((int32_t *) values)[i] = (int32_t) bits;
				break;
			default:
				if (strstr(name, "float"))
					((double *) values)[i] = (double) (int64_t) bits / 65536 /
						(double) (1 + (bits & 0xffff));
				else
					((int64_t *) values)[i] = (int64_t) bits;
		}
	}
}

static bool
same_acc(GpuredOp op, GpuredAcc *a, GpuredAcc *b)
{
	if (gpured_op_info[op].acc == GPURED_ACC_exact)
	{
		gpured_exact_normalize(&a->v.exact);
		gpured_exact_normalize(&b->v.exact);
		return a->n == b->n && a->v.exact.flags == b->v.exact.flags &&
			memcmp(a->v.exact.limb, b->v.exact.limb, sizeof(a->v.exact.limb)) == 0;
	}
	if (gpured_op_info[op].acc == GPURED_ACC_wide)
		return a->n == b->n && a->v.i128.lo == b->v.i128.lo &&
			a->v.i128.hi == b->v.i128.hi;
	if (gpured_op_info[op].acc == GPURED_ACC_int_moments)
		return a->n == b->n && memcmp(&a->v.ints, &b->v.ints, sizeof(a->v.ints)) == 0;
	if (gpured_op_info[op].acc == GPURED_ACC_moments ||
		gpured_op_info[op].acc == GPURED_ACC_pair_moments ||
		gpured_op_info[op].acc == GPURED_ACC_dot)
		return a->n == b->n && memcmp(&a->v.sums, &b->v.sums, sizeof(a->v.sums)) == 0;
	return a->n == b->n && a->v.i64 == b->v.i64;
}

/* Every operation, with several sizes, against the CPU device linked in. */
static void
test_operations(void)
{
	Client		client;
	int			slot;

	client_open(&client, socket_path);
	slot = client_acquire(&client, 0);
	ok(slot >= 0, "a slot is granted");
	for (int op = GPURED_none + 1; op < GPURED_NUM_OPS; op++)
	{
		const GpuredOpInfo *info = &gpured_op_info[op];
		size_t		capacity = gpured_slot_capacity(op, client.welcome.slot_size);
		size_t		sizes[] = {0, 1, 31, 1000, capacity};

		for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++)
		{
			size_t		n = sizes[i];
			char	   *values = client_slot(&client, slot);
			char	   *copy = malloc(n * info->input_size + 1);
			char	   *out = aligned_alloc(64, n * info->output_size + 64 - n * info->output_size % 64);
			GpuredBatch batch = {.values = copy,.n = n};
			size_t		column = n * info->input_size;
			char	   *second = values + gpured_second_column_offset(op, client.welcome.slot_size);
			char	   *second_copy = malloc(column + 1);
			GpuredAcc	expected;
			GpuredResult result;

			gpured_acc_init(op, &expected);
			fill(op, values, n);
			memcpy(copy, values, column);
			if (info->columns == 2)
			{
				fill(op, second, n);
				memcpy(second_copy, second, column);
				batch.second = second_copy;
				ok(n < capacity || second + column <= values + client.welcome.slot_size,
				   "two columns fit");
			}
			if (info->is_scan)
			{
				gpured_cpu_device.scan(op, &batch, &expected, out);
				memset(&result, 0, sizeof(result));
				gpured_acc_init(op, &result.acc);
				result = client_scan(&client, op, slot, n, &result.acc);
				ok(memcmp(out, values + gpured_scan_output_offset(op, n),
						  n * info->output_size) == 0, info->name);
			}
			else
			{
				gpured_cpu_device.reduce(op, &batch, &expected);
				result = client_reduce(&client, op, slot, n);
			}
			ok(result.status.code == GPURED_OK, info->name);
			ok(same_acc(op, &expected, &result.acc), info->name);
			ok(memcmp(copy, values, n * info->input_size) == 0, "the input stays");
			free(copy);
			free(second_copy);
			free(out);
		}
	}
	client_close(&client);
}

/* Slots: each to one client, all given back, however the client ends. */
static void
test_slots(void)
{
	Client		a;
	Client		b;
	int			slot = -1;
	uint32_t	n;
	GpuredCounters counters;
	GpuredMessage message;
	struct stat st;

	client_open(&a, socket_path);
	client_open(&b, socket_path);
	n = a.welcome.num_slots;
	ok(n >= 4, "a pool of 1 MB has several slots");
	ok(stat(socket_path, &st) == 0 && (st.st_mode & 0777) == 0600,
	   "the socket is for its owner only");
	for (uint32_t i = 0; i < n; i++)
	{
		slot = client_acquire(&a, 0);
		ok(slot >= 0, "a free slot is granted");
		memset(client_slot(&a, slot), 1, a.welcome.slot_size);
	}
	ok(client_acquire(&b, 0) < 0, "a full pool refuses");
	ok(client_acquire(&b, 50) < 0, "a full pool refuses after a while");
	gpured_message_init(&message, GPURED_MSG_ACQUIRE, ++b.seq);
	message.acquire.wait_ms = 5000;
	client_send(&b, &message);
	usleep(50000);
	client_release(&a, slot);
	ok(client_receive(&b, &message) && message.header.type == GPURED_MSG_GRANT &&
	   (int) message.grant.slot == slot, "who waits gets what another gives back");
	ok(client_counters(&b).slots_used == n, "the counters say that the pool is full");

	/* One that goes away while it waits. */
	gpured_message_init(&message, GPURED_MSG_ACQUIRE, ++b.seq);
	message.acquire.wait_ms = 5000;
	client_send(&b, &message);
	client_close(&b);
	usleep(300000);
	client_close(&a);
	client_open(&a, socket_path);
	for (int i = 0; i < 100 && client_counters(&a).slots_used > 0; i++)
		usleep(10000);
	counters = client_counters(&a);
	ok(counters.slots_used == 0, "a closed connection gives its slots back");
	ok(counters.clients == 1, "and is counted no more");
	client_close(&a);
}

/* Send these bytes; the answer must be an error of the protocol, then the end. */
static void
expect_error(const void *bytes, size_t length, bool hello, const char *what)
{
	Client		client;
	GpuredMessage answer;

	if (hello)
		client_open(&client, socket_path);
	else
	{
		memset(&client, 0, sizeof(client));
		client.fd = client_socket(socket_path);
	}
	send(client.fd, bytes, length, MSG_NOSIGNAL);
	ok(client_receive(&client, &answer) &&
	   answer.header.type == GPURED_MSG_ERROR &&
	   answer.refused.status.code == GPURED_PROTOCOL &&
	   answer.refused.status.reason[0] != '\0', what);
	ok(recv(client.fd, &answer, sizeof(answer), 0) == 0, what);
	if (hello)
		client_close(&client);
	else
		close(client.fd);
}

/* The same with a slot held, so that only the other fields are wrong. */
static void
expect_batch_error(uint32_t op, int64_t slot_offset, uint64_t n, bool scan,
				   const GpuredAcc *carry, const char *what)
{
	Client		client;
	GpuredMessage message;
	int			slot;

	client_open(&client, socket_path);
	slot = client_acquire(&client, 1000);
	gpured_message_init(&message, scan ? GPURED_MSG_SCAN : GPURED_MSG_REDUCE, 7);
	if (scan)
	{
		message.scan.op = op;
		message.scan.slot = (uint32_t) (slot + slot_offset);
		message.scan.n = n;
		message.scan.carry = *carry;
	}
	else
	{
		message.reduce.op = op;
		message.reduce.slot = (uint32_t) (slot + slot_offset);
		message.reduce.n = n;
	}
	client_send(&client, &message);
	ok(client_receive(&client, &message) &&
	   message.header.type == GPURED_MSG_ERROR && message.header.seq == 7 &&
	   message.refused.status.code == GPURED_PROTOCOL, what);
	client_close(&client);
}

/* A reason that is shown to users is plain ASCII, whatever was sent. */
static void
test_texts(void)
{
	GpuredMessage message;
	GpuredStatus status;
	char	   *reason = message.result.status.reason;
	size_t		size = sizeof(message.result.status.reason);

	gpured_message_init(&message, GPURED_MSG_RESULT, 1);
	strcpy(reason, "no\033[2J\nroom\377");
	ok(gpured_message_check(&message, message.header.length, &status) &&
	   strcmp(reason, "no?[2J?room?") == 0, "a reason is made plain");

	gpured_message_init(&message, GPURED_MSG_ERROR, 1);
	reason = message.refused.status.reason;
	memset(reason, 'x', size);
	ok(gpured_message_check(&message, message.header.length, &status) &&
	   strlen(reason) == size - 1, "and ends");

	gpured_message_init(&message, GPURED_MSG_WELCOME, 1);
	memset(message.welcome.info.name, 0x80, sizeof(message.welcome.info.name));
	ok(gpured_message_check(&message, message.header.length, &status) &&
	   strspn(message.welcome.info.name, "?") == sizeof(message.welcome.info.name) - 1,
	   "so is a name");
}

static void
test_malformed(void)
{
	GpuredMessage message;
	GpuredAcc	acc;
	char		large[8192] = {0};

	expect_error("x", 1, true, "one byte");
	memset(&message, 0, sizeof(message));
	expect_error(&message, sizeof(GpuredHeader), true, "no magic");
	gpured_message_init(&message, GPURED_MSG_STATUS, 1);
	message.header.version++;
	expect_error(&message, message.header.length, true, "another version");
	gpured_message_init(&message, GPURED_MSG_STATUS, 1);
	message.header.type = 0;
	expect_error(&message, message.header.length, true, "type 0");
	message.header.type = 999;
	expect_error(&message, message.header.length, true, "type 999");
	gpured_message_init(&message, GPURED_MSG_STATUS, 1);
	message.header.length++;
	expect_error(&message, message.header.length, true, "a wrong length");
	gpured_message_init(&message, GPURED_MSG_ACQUIRE, 1);
	expect_error(&message, message.header.length - 1, true, "a message cut short");
	gpured_message_init(&message, GPURED_MSG_STATUS, 1);
	memcpy(large, &message, message.header.length);
	expect_error(large, sizeof(large), true, "a message that is too long");
	gpured_message_init(&message, GPURED_MSG_INFO, 1);
	expect_error(&message, message.header.length, true, "an answer as a request");
	gpured_message_init(&message, GPURED_MSG_STATUS, 1);
	expect_error(&message, message.header.length, false, "a request before hello");
	gpured_message_init(&message, GPURED_MSG_HELLO, 1);
	expect_error(&message, message.header.length, false, "another fingerprint");
	gpured_message_init(&message, GPURED_MSG_RELEASE, 1);
	expect_error(&message, message.header.length, true, "a slot that is not held");
	message.release.slot = UINT32_MAX;
	expect_error(&message, message.header.length, true, "a slot that is not there");

	gpured_acc_init(GPURED_scan_sum_int4, &acc);
	expect_batch_error(GPURED_none, 0, 1, false, NULL, "operation 0");
	expect_batch_error(GPURED_NUM_OPS, 0, 1, false, NULL, "an operation too far");
	expect_batch_error(UINT32_MAX, 0, 1, false, NULL, "an operation much too far");
	expect_batch_error(GPURED_scan_sum_int4, 0, 1, false, NULL, "reduce by a scan");
	expect_batch_error(GPURED_reduce_sum_int4, 0, 1, true, &acc, "scan by a reduction");
	expect_batch_error(GPURED_reduce_sum_int4, 1, 1, false, NULL, "reduce another's slot");
	expect_batch_error(GPURED_reduce_sum_int4, -9999, 1, false, NULL, "reduce no slot");
	expect_batch_error(GPURED_reduce_sum_int4, 0, 1 << 20, false, NULL, "too many values");
	expect_batch_error(GPURED_reduce_sum_int4, 0, UINT64_MAX, false, NULL, "very many values");
	expect_batch_error(GPURED_reduce_sum_int4, 0, UINT64_C(1) << 62, false, NULL, "2^62 values");
	expect_batch_error(GPURED_scan_sum_int4, 0, 131072 / 12 + 1, true, &acc, "no room for the output");
	acc.n = -1;
	expect_batch_error(GPURED_scan_sum_int4, 0, 1, true, &acc, "a negative count");
	acc.n = 0;
	acc.v.i64 = INT64_MAX;
	expect_batch_error(GPURED_scan_sum_int4, 0, 1, true, &acc, "a carry at the end");
	gpured_acc_init(GPURED_scan_sum_float8, &acc);
	acc.v.exact.limb[3] = INT64_MIN;
	expect_batch_error(GPURED_scan_sum_float8, 0, 1, true, &acc, "a limb at the end");
	gpured_acc_init(GPURED_scan_sum_float8, &acc);
	acc.v.exact.flags = 0x100;
	expect_batch_error(GPURED_scan_sum_float8, 0, 1, true, &acc, "an unknown flag");
}

/* Many requests at once, no answer read meanwhile. */
static void
test_pipeline(void)
{
	Client		client;
	GpuredMessage message;
	int			slot;
	int			good = 0;

	client_open(&client, socket_path);
	slot = client_acquire(&client, 0);
	memset(client_slot(&client, slot), 0, 4096);
	((int32_t *) client_slot(&client, slot))[0] = 5;
	for (uint32_t i = 0; i < 100; i++)
	{
		gpured_message_init(&message, GPURED_MSG_REDUCE, 1000 + i);
		message.reduce.op = GPURED_reduce_sum_int4;
		message.reduce.slot = slot;
		message.reduce.n = 1000;
		client_send(&client, &message);
	}
	client_release(&client, slot);
	for (uint32_t i = 0; i < 100; i++)
	{
		if (client_receive(&client, &message) && message.header.seq == 1000 + i &&
			message.header.type == GPURED_MSG_RESULT && message.result.acc.v.i64 == 5)
			good++;
	}
	ok(good == 100, "answers come in order, also after a release");
	client_close(&client);
}

static void *
one_of_many(void *arg)
{
	Client		client;
	intptr_t	wrong = 0;
	int			number = (int) (intptr_t) arg;

	client_open(&client, socket_path);
	for (int round = 0; round < 50; round++)
	{
		int			slot = client_acquire(&client, 5000);
		int64_t    *values = (int64_t *) client_slot(&client, slot);
		GpuredResult result;

		if (slot < 0)
		{
			wrong++;
			continue;
		}
		for (int i = 0; i < 1000; i++)
			values[i] = number * 1000 + round;
		result = client_reduce(&client, GPURED_reduce_sum_int8, slot, 1000);
		if (result.status.code != GPURED_OK ||
			result.acc.v.i128.lo != (uint64_t) (number * 1000 + round) * 1000)
			wrong++;
		client_release(&client, slot);
	}
	client_close(&client);
	return (void *) wrong;
}

static void
test_many(void)
{
	pthread_t	threads[24];
	void	   *wrong;
	intptr_t	sum = 0;

	for (intptr_t i = 0; i < 24; i++)
		pthread_create(&threads[i], NULL, one_of_many, (void *) i);
	for (int i = 0; i < 24; i++)
	{
		pthread_join(threads[i], &wrong);
		sum += (intptr_t) wrong;
	}
	ok(sum == 0, "24 clients share 8 slots, and each gets its own sums");
}

/* A valid request of any kind, for the fuzzer to spoil. */
static void
random_request(GpuredMessage *message, int slot)
{
	static const GpuredMessageType types[] = {
		GPURED_MSG_HELLO, GPURED_MSG_ACQUIRE, GPURED_MSG_REDUCE,
		GPURED_MSG_REDUCE, GPURED_MSG_SCAN, GPURED_MSG_SCAN,
		GPURED_MSG_RELEASE, GPURED_MSG_STATUS
	};
	uint64_t	bits = random_bits();

	gpured_message_init(message, types[bits % 8], (uint32_t) (bits >> 32));
	switch (message->header.type)
	{
		case GPURED_MSG_HELLO:
			message->hello.fingerprint = gpured_protocol_fingerprint();
			break;
		case GPURED_MSG_ACQUIRE:
			message->acquire.wait_ms = bits >> 8 & 3;
			break;
		case GPURED_MSG_REDUCE:
		case GPURED_MSG_SCAN:
			message->reduce.op = 1 + (bits >> 8) % (GPURED_NUM_OPS - 1);
			message->reduce.slot = slot;
			message->reduce.n = (bits >> 20) % 20000;
			break;
		case GPURED_MSG_RELEASE:
			message->release.slot = slot;
			break;
		default:
			break;
	}
}

/* Random messages, most of them nearly right; the server must stay. */
static void
test_fuzz(int messages)
{
	Client		good;
	int			sent = 0;

	client_open(&good, socket_path);
	while (sent < messages)
	{
		Client		client;
		int			slot;

		client_open(&client, socket_path);
		slot = client_acquire(&client, 0);
		for (int i = 0; i < 20; i++)
		{
			GpuredMessage message;
			GpuredMessage answer;
			size_t		length;

			random_request(&message, slot < 0 ? 0 : slot);
			length = message.header.length;
			for (uint64_t changes = random_bits() % 3; changes > 0; changes--)
				((char *) &message)[random_bits() % length] = (char) random_bits();
			if (random_bits() % 32 == 0)
				length = random_bits() % sizeof(message) + 1;
			if (slot >= 0)
				memset(client_slot(&client, slot) + random_bits() % (client.welcome.slot_size - 64),
					   (int) random_bits(), 64);
			if (send(client.fd, &message, length, MSG_NOSIGNAL) < 0)
				break;
			sent++;
			while (recv(client.fd, &answer, sizeof(answer), MSG_DONTWAIT) > 0)
				;
		}
		client_close(&client);
		if (random_bits() % 50 == 0 && client_counters(&good).slots == 0)
			break;
	}
	for (int i = 0; i < 200 && client_counters(&good).slots_used > 0; i++)
		usleep(10000);
	ok(client_counters(&good).slots_used == 0, "after random messages no slot is left in use");
	ok(client_counters(&good).clients == 1, "nor a connection");
	ok(sent >= messages, "all random messages were sent");
	client_close(&good);
}

static void
test_life(void)
{
	Client		client;
	Client		other;
	GpuredMessage message;
	int			wstatus;
	int			slot;
	char		text[256] = "";
	FILE	   *file;

	/* More clients than it takes. */
	start(NULL, NULL, "--max-clients=1");
	client_open(&client, socket_path);
	memset(&other, 0, sizeof(other));
	other.fd = client_socket(socket_path);
	ok(client_receive(&other, &message) && message.header.type == GPURED_MSG_ERROR &&
	   message.refused.status.code == GPURED_UNAVAILABLE, "one client too many is told so");
	close(other.fd);
	client_close(&client);
	stop();

	/* Faults. */
	start(NULL, NULL, "--fault=reduce-before:1:error");
	client_open(&client, socket_path);
	slot = client_acquire(&client, 0);
	ok(client_reduce(&client, GPURED_reduce_sum_int4, slot, 10).status.code ==
	   GPURED_DEVICE_FAILED, "a failure is reported");
	ok(client_reduce(&client, GPURED_reduce_sum_int4, slot, 10).status.code ==
	   GPURED_OK, "once");
	ok(client_counters(&client).failures == 1, "and counted");
	client_close(&client);
	ok(stop() == 0, "the server ends when its life pipe does");
	ok(access(socket_path, F_OK) != 0, "and removes its socket");

	/* SIGTERM. */
	start(NULL, NULL, NULL);
	client_open(&client, socket_path);
	kill(server_pid, SIGTERM);
	waitpid(server_pid, &wstatus, 0);
	ok(WIFEXITED(wstatus) && WEXITSTATUS(wstatus) == 0, "SIGTERM ends it");
	ok(!client_receive(&client, &message), "its clients see the end");
	client_close(&client);
	close(life);

	/* Built without CUDA, or without a GPU. */
	start("--device=cuda", NULL, NULL);
	waitpid(server_pid, &wstatus, 0);
	close(life);
	ok(WIFEXITED(wstatus) && WEXITSTATUS(wstatus) == GPURED_EXIT_NO_DEVICE,
	   "no device has an exit code of its own");
	file = fopen(status_path, "r");
	ok(file != NULL && fgets(text, sizeof(text), file) != NULL &&
	   strcmp(text, "no device\n") == 0, "the status file says so");
	ok(file != NULL && fgets(text, sizeof(text), file) != NULL &&
	   fgets(text, sizeof(text), file) != NULL && strlen(text) > 5, "and why");
	if (file != NULL)
		fclose(file);

	/* Arguments that make no sense. */
	start("--device=abacus", NULL, NULL);
	ok(stop() == 2, "an unknown device is refused");
	start(NULL, "--buffer-size=-1", NULL);
	ok(stop() == 2, "a negative size is refused");
	start(NULL, NULL, "--fault=reduce:1:abort");
	ok(stop() == 2, "an unknown fault is refused");
	start(NULL, NULL, "--algorithm=fastest");
	ok(stop() == 2, "an algorithm is refused where there is no CUDA");
	start(NULL, "--buffer-size=17000000000000", NULL);
	ok(stop() == 1, "a pool that does not fit in memory is refused");
}

int
main(int argc, char **argv)
{
	int			messages = argc > 3 ? atoi(argv[3]) : 20000;
	uint64_t	first_seed;

	if (argc < 2 || mkdtemp(directory) == NULL)
	{
		fprintf(stderr, "usage: protocol SERVER [SEED [MESSAGES]]\n");
		return 2;
	}
	server_path = argv[1];
	seed = first_seed = argc > 2 ? strtoull(argv[2], NULL, 10) : 1;
	snprintf(socket_path, sizeof(socket_path), "%s/sock", directory);
	snprintf(status_path, sizeof(status_path), "%s/status", directory);
	signal(SIGPIPE, SIG_IGN);
	printf("seed %ju\n", (uintmax_t) first_seed);

	test_texts();
	start(NULL, NULL, NULL);
	test_operations();
	test_slots();
	test_malformed();
	test_pipeline();
	test_many();
	test_fuzz(messages);
	ok(stop() == 0, "the server ends without a report of a sanitizer");
	test_life();

	unlink(socket_path);
	unlink(status_path);
	rmdir(directory);
	printf("%d passed, %d failed\n", passed, failed);
	return failed > 0;
}

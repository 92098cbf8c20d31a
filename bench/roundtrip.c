/*
 * roundtrip.c
 *	  What a request to a running gpured-server takes.
 *
 *		cc -O2 -ffp-contract=off -pthread -D_GNU_SOURCE -Isrc -Itest/server \
 *			-o roundtrip bench/roundtrip.c test/server/client.c \
 *			src/device/ops.c src/device/protocol.c src/device/cpu*.c src/exact/exact.c -lm
 *		./roundtrip DATA_DIRECTORY/pg_stat_tmp/gpured.sock
 *
 * Prints median microseconds of a request that does nothing, and of batches of
 * float8: written into a slot, reduced, answered.  Then, for some operations,
 * nanoseconds a value of what a column scan may choose between.  Answers are
 * checked.  Run it as the user that runs PostgreSQL.
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "client.h"
#include "device/cpu.h"

#define ROUNDS 501

/* A column scan has so many values at once, in the cache. */
#define CHUNK 8192

/* Batches that are sent, and how often. */
#define BATCHES 16
#define REPEATS 9

static double
now_us(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1e6 + now.tv_nsec / 1e3;
}

static int
by_value(const void *a, const void *b)
{
	double		x = *(const double *) a;
	double		y = *(const double *) b;

	return (x > y) - (x < y);
}

static double
median(double *times, int n)
{
	qsort(times, n, sizeof(double), by_value);
	return times[n / 2];
}

static void
time_batch(Client *client, uint32_t slot, size_t n)
{
	double		write_times[ROUNDS];
	double		times[ROUNDS];
	double	   *values = (double *) client_slot(client, slot);
	double		sum;

	for (int i = 0; i < ROUNDS; i++)
	{
		double		start = now_us();
		GpuredResult result;

		for (size_t j = 0; j < n; j++)
			values[j] = (double) (j + i) * 0.25;
		write_times[i] = now_us() - start;
		result = client_reduce(client, GPURED_reduce_sum_float8, slot, n);
		times[i] = now_us() - start;
		if (result.status.code != GPURED_OK ||
			!gpured_exact_to_double(&result.acc.v.exact, &sum) ||
			sum != 0.25 * ((double) n * i + (double) n * (n - 1) / 2))
		{
			fprintf(stderr, "wrong sum: %s\n", result.status.reason);
			exit(1);
		}
	}
	printf("%8zu float8: write %.1f, write + reduce %.1f us\n", n,
		   median(write_times, ROUNDS), median(times, ROUNDS));
}

/* Values of any type, the second column's behind the first's. */
static void
make_values(GpuredOp op, char *values)
{
	const GpuredOpInfo *info = &gpured_op_info[op];
	bool		is_float = strstr(info->name, "float") != NULL;

	srand48(1);
	for (size_t i = 0; i < (size_t) CHUNK * info->columns; i++)
	{
		double		x = drand48();
		char	   *value = values + i * info->input_size;

		if (is_float && info->input_size == 4)
			*(float *) value = (float) x;
		else if (is_float)
			*(double *) value = x;
		else if (info->input_size == 4)
			*(int32_t *) value = (int32_t) (x * 1e9);
		else
			*(int64_t *) value = (int64_t) (x * 1e15);
	}
}

/* Nanoseconds a value of n chunks that are added here. */
static double
time_here(GpuredOp op, const GpuredBatch *chunk, size_t n, GpuredAcc *acc)
{
	double		start = now_us();

	gpured_acc_init(op, acc);
	for (size_t i = 0; i < n; i++)
		(void) gpured_cpu_device.reduce(op, chunk, acc);
	return (now_us() - start) * 1e3 / (n * CHUNK);
}

static void
collect(Client *client, GpuredOp op, GpuredAcc *acc)
{
	GpuredMessage answer;

	if (!client_receive(client, &answer) || answer.header.type != GPURED_MSG_RESULT ||
		answer.result.status.code != GPURED_OK)
	{
		fprintf(stderr, "no result\n");
		exit(1);
	}
	gpured_acc_merge(op, acc, &answer.result.acc);
}

/* The same handed over, one slot being filled while the other is reduced. */
static double
time_there(Client *client, GpuredOp op, const GpuredBatch *chunk, const int *slots,
		   size_t chunks_per_batch, GpuredAcc *acc)
{
	const GpuredOpInfo *info = &gpured_op_info[op];
	size_t		bytes = (size_t) CHUNK * info->input_size;
	size_t		second = gpured_second_column_offset(op, client->welcome.slot_size);
	double		start = now_us();

	gpured_acc_init(op, acc);
	for (int batch = 0; batch < BATCHES; batch++)
	{
		char	   *slot = client_slot(client, slots[batch % 2]);
		GpuredMessage message;

		if (batch >= 2)
			collect(client, op, acc);
		for (size_t i = 0; i < chunks_per_batch; i++)
		{
			memcpy(slot + i * bytes, chunk->values, bytes);
			if (info->columns == 2)
				memcpy(slot + second + i * bytes, chunk->second, bytes);
		}
		gpured_message_init(&message, GPURED_MSG_REDUCE, ++client->seq);
		message.reduce.op = op;
		message.reduce.slot = slots[batch % 2];
		message.reduce.n = chunks_per_batch * CHUNK;
		client_send(client, &message);
	}
	collect(client, op, acc);
	collect(client, op, acc);
	return (now_us() - start) * 1e3 / (chunks_per_batch * CHUNK * BATCHES);
}

static bool
is_same(GpuredOp op, const GpuredAcc *a, const GpuredAcc *b)
{
	double		x;
	double		y;

	if (a->n != b->n)
		return false;
	switch (gpured_op_info[op].acc)
	{
		case GPURED_ACC_exact:
			return gpured_exact_to_double(&a->v.exact, &x) && gpured_exact_to_double(&b->v.exact, &y) && x == y;
		case GPURED_ACC_wide:
			return memcmp(&a->v.i128, &b->v.i128, sizeof(a->v.i128)) == 0;
		case GPURED_ACC_greatest_float:
			return a->v.f8 == b->v.f8;
		case GPURED_ACC_int64:
			return a->v.i64 == b->v.i64;
		default:
			return true;		/* the kernels' tests look at those */
	}
}

static void
time_columns(Client *client, const int *slots)
{
	static const GpuredOp ops[] = {
		GPURED_reduce_sum_int4, GPURED_reduce_sum_int8, GPURED_reduce_sum_float4,
		GPURED_reduce_sum_float8, GPURED_reduce_max_float8, GPURED_reduce_moments_int4,
		GPURED_reduce_moments_int8, GPURED_reduce_moments_float4, GPURED_reduce_moments_float8,
		GPURED_reduce_pair_moments_float8, GPURED_reduce_dot_float8
	};
	static char values[2 * CHUNK * sizeof(double)];

	printf("columns in the cache, ns a value: added here, sent, ratio\n");
	for (size_t i = 0; i < sizeof(ops) / sizeof(ops[0]); i++)
	{
		GpuredOp	op = ops[i];
		const GpuredOpInfo *info = &gpured_op_info[op];
		size_t		chunks = gpured_slot_capacity(op, client->welcome.slot_size) / CHUNK;
		GpuredBatch chunk = {.values = values,.n = CHUNK};
		double		here[REPEATS];
		double		there[REPEATS];
		GpuredAcc	a;
		GpuredAcc	b;

		if (chunks == 0)
			continue;
		if (info->columns == 2)
			chunk.second = values + (size_t) CHUNK * info->input_size;
		make_values(op, values);
		for (int repeat = 0; repeat < REPEATS; repeat++)
		{
			here[repeat] = time_here(op, &chunk, chunks * BATCHES, &a);
			there[repeat] = time_there(client, op, &chunk, slots, chunks, &b);
			if (!is_same(op, &a, &b))
			{
				fprintf(stderr, "%s: another answer\n", info->name);
				exit(1);
			}
		}
		printf("%-28s %6.2f %6.2f %6.2f\n", info->name, median(here, REPEATS), median(there, REPEATS),
			   median(there, REPEATS) / median(here, REPEATS));
	}
}

int
main(int argc, char **argv)
{
	Client		client;
	double		times[ROUNDS];
	int			slots[2];

	if (argc != 2)
	{
		fprintf(stderr, "usage: roundtrip SOCKET\n");
		return 2;
	}
	client_open(&client, argv[1]);
	printf("%s on %s, slots of %zu kB\n", client.welcome.device,
		   client.welcome.info.name, (size_t) client.welcome.slot_size / 1024);
	for (int i = 0; i < ROUNDS; i++)
	{
		double		start = now_us();

		client_counters(&client);
		times[i] = now_us() - start;
	}
	printf("   empty round trip: %.1f us\n", median(times, ROUNDS));
	slots[0] = client_acquire(&client, 1000);
	slots[1] = client_acquire(&client, 0);
	if (slots[0] < 0 || slots[1] < 0)
	{
		fprintf(stderr, "no two slots are free\n");
		return 1;
	}
	for (size_t n = 1024; n <= 262144; n *= n == 1024 ? 128 : 2)
	{
		if (n <= gpured_slot_capacity(GPURED_reduce_sum_float8, client.welcome.slot_size))
			time_batch(&client, slots[0], n);
	}
	time_columns(&client, slots);
	client_close(&client);
	return 0;
}

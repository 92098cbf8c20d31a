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
 * float8: written into a slot, reduced, answered.  The sum is checked.  Run it as
 * the user that runs PostgreSQL.
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "client.h"

#define ROUNDS 501

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
median(double *times)
{
	qsort(times, ROUNDS, sizeof(double), by_value);
	return times[ROUNDS / 2];
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
		   median(write_times), median(times));
}

int
main(int argc, char **argv)
{
	Client		client;
	double		times[ROUNDS];
	int			slot;

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
	printf("   empty round trip: %.1f us\n", median(times));
	slot = client_acquire(&client, 1000);
	if (slot < 0)
	{
		fprintf(stderr, "no slot is free\n");
		return 1;
	}
	for (size_t n = 1024; n <= 262144; n *= n == 1024 ? 128 : 2)
	{
		if (n <= gpured_slot_capacity(GPURED_reduce_sum_float8, client.welcome.slot_size))
			time_batch(&client, slot, n);
	}
	client_close(&client);
	return 0;
}

/*
 * monitor.c
 *	  What the server says about itself: log lines, the status file, counters;
 *	  and the watchdog over device calls.
 *
 * The status file is there for sessions that find no server: its last words.
 * It has three lines, the state, the device and the reason, and is replaced as
 * a whole, so a reader never sees half of it.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "server.h"

GpuredServerCounters counters;

uint64_t
now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * UINT64_C(1000000000) + now.tv_nsec;
}

/*
 * One line on standard error, in one write so that threads do not mix.  The
 * supervisor passes it to PostgreSQL's log at the level that starts the line.
 */
void
say(const char *level, const char *fmt,...)
{
	char		line[1024];
	int			length;
	va_list		args;

	length = snprintf(line, sizeof(line), "%s: ", level);
	va_start(args, fmt);
	length += vsnprintf(line + length, sizeof(line) - length - 1, fmt, args);
	va_end(args);
	if (length > (int) sizeof(line) - 2)
		length = sizeof(line) - 2;
	for (int i = 0; i < length; i++)
	{
		if (line[i] == '\n' || line[i] == '\r')
			line[i] = ' ';
	}
	line[length++] = '\n';
	while (write(STDERR_FILENO, line, length) < 0 && errno == EINTR)
		;
}

void
status_write(const char *state, const char *reason)
{
	char		path[1024];
	FILE	   *file;

	if (server.status_path == NULL)
		return;
	snprintf(path, sizeof(path), "%s.new", server.status_path);
	file = fopen(path, "w");
	if (file != NULL)
	{
		fprintf(file, "%s\n%s\n%s\n", state,
				server.device ? server.device->name : "", reason);
		if (fclose(file) == 0 && rename(path, server.status_path) == 0)
			return;
	}
	say("LOG", "could not write \"%s\": %s", server.status_path, strerror(errno));
}

void
counters_read(GpuredCounters *out)
{
	out->requests = counters.requests;
	out->batches = counters.batches;
	out->rows = counters.rows;
	out->bytes = counters.bytes;
	out->failures = counters.failures;
	out->launches = server.device->launches ? server.device->launches() : 0;
	out->device_ns = counters.device_ns;
	out->clients = counters.clients;
	out->slots_used = pool_slots_used();
	out->slots = pool_num_slots();
	out->uptime_ms = (now_ns() - server.started_ns) / 1000000;
}

/*
 * A kernel that never ends or a driver that never returns cannot be undone from
 * inside: end the process, so that a new one starts with a new context.
 */
static void *
watchdog(void *arg)
{
	uint64_t	limit = (uintptr_t) arg * UINT64_C(1000000000);
	struct timespec pause = {.tv_nsec = 250 * 1000 * 1000};

	for (;;)
	{
		uint64_t	now;

		nanosleep(&pause, NULL);
		now = now_ns();
		for (int i = 0; i < GPURED_MAX_CLIENTS; i++)
		{
			uint64_t	since = clients[i].busy_since_ns;

			if (since != 0 && since < now && now - since > limit)
			{
				say("WARNING", "a device call runs for more than %ju s: ending the server",
					(uintmax_t) (uintptr_t) arg);
				unlink(server.socket_path);
				_exit(GPURED_EXIT_WATCHDOG);
			}
		}
	}
	return NULL;
}

bool
watchdog_start(int seconds)
{
	pthread_t	thread;

	return pthread_create(&thread, NULL, watchdog, (void *) (uintptr_t) seconds) == 0;
}

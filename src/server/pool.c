/*
 * pool.c
 *	  The pool of batches: one shared mapping, divided into slots.
 *
 * A session fills a slot in place and the device copies from it, so a value is
 * written once.  All pages are allocated when the pool is made: a machine
 * without the memory says so here, at once, and no session meets SIGBUS on its
 * first write.  The file is sealed, so nobody can shrink it under another.
 *
 * A slot belongs to one client until that client gives it back or its
 * connection has ended and its last request with it.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "server.h"

#define MAX_SLOT_SIZE	(2 * 1024 * 1024)
#define MIN_SLOTS		8		/* also in the smallest pool */
#define NOBODY			(-1)

static struct
{
	int			fd;
	char	   *base;
	size_t		size;
	size_t		slot_size;
	uint32_t	num_slots;
	uint32_t	used;
	int		   *owner;			/* a client a slot, or NOBODY */
	pthread_mutex_t mutex;
	pthread_cond_t freed;
}			pool;

/*
 * Memory that can be had without swapping, as the kernel sees it.  Allocating
 * more would not fail: it would have some process killed.
 */
static size_t
memory_available(void)
{
	FILE	   *file = fopen("/proc/meminfo", "r");
	char		line[256];
	unsigned long long kb;
	size_t		available = SIZE_MAX;

	if (file == NULL)
		return available;
	while (fgets(line, sizeof(line), file) != NULL)
	{
		if (sscanf(line, "MemAvailable: %llu kB", &kb) == 1)
			available = (size_t) kb * 1024;
	}
	fclose(file);
	return available;
}

/* Make the pool; its size is rounded down to whole slots. */
bool
pool_create(size_t size, GpuredStatus *status)
{
	size_t		page = sysconf(_SC_PAGESIZE);
	pthread_condattr_t monotonic;

	pool.slot_size = size / MIN_SLOTS;
	if (pool.slot_size > MAX_SLOT_SIZE)
		pool.slot_size = MAX_SLOT_SIZE;
	pool.slot_size -= pool.slot_size % page;
	if (pool.slot_size == 0)
	{
		*status = gpured_status(GPURED_NO_MEMORY,
								"a pool of %zu bytes is too small", size);
		return false;
	}
	if (size > memory_available() / 4 * 3)
	{
		*status = gpured_status(GPURED_NO_MEMORY,
								"A pool of %zu MB does not fit in the %zu MB of memory that are free; lower gpured.buffer_size.",
								size >> 20, memory_available() >> 20);
		return false;
	}
	pool.num_slots = size / pool.slot_size;
	pool.size = pool.num_slots * pool.slot_size;

	pool.owner = malloc(pool.num_slots * sizeof(int));
	if (pool.owner == NULL)
	{
		*status = gpured_status(GPURED_NO_MEMORY, "out of memory");
		return false;
	}
	for (uint32_t i = 0; i < pool.num_slots; i++)
		pool.owner[i] = NOBODY;

	pthread_mutex_init(&pool.mutex, NULL);
	pthread_condattr_init(&monotonic);
	pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
	pthread_cond_init(&pool.freed, &monotonic);

	pool.fd = memfd_create("gpured", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	if (pool.fd < 0 || ftruncate(pool.fd, pool.size) != 0 ||
		fallocate(pool.fd, 0, 0, pool.size) != 0 ||
		fcntl(pool.fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) != 0)
	{
		*status = gpured_status(GPURED_NO_MEMORY,
								"could not make a shared pool of %zu bytes: %s",
								pool.size, strerror(errno));
		return false;
	}
	pool.base = mmap(NULL, pool.size, PROT_READ | PROT_WRITE, MAP_SHARED,
					 pool.fd, 0);
	if (pool.base == MAP_FAILED)
	{
		*status = gpured_status(GPURED_NO_MEMORY,
								"could not map a shared pool of %zu bytes: %s",
								pool.size, strerror(errno));
		return false;
	}
	return true;
}

int
pool_fd(void)
{
	return pool.fd;
}

void *
pool_base(void)
{
	return pool.base;
}

size_t
pool_size(void)
{
	return pool.size;
}

size_t
pool_slot_size(void)
{
	return pool.slot_size;
}

uint32_t
pool_num_slots(void)
{
	return pool.num_slots;
}

uint32_t
pool_slots_used(void)
{
	uint32_t	used;

	pthread_mutex_lock(&pool.mutex);
	used = pool.used;
	pthread_mutex_unlock(&pool.mutex);
	return used;
}

char *
pool_slot(uint32_t slot)
{
	return pool.base + slot * pool.slot_size;
}

/* Has the other end of the socket been closed? */
static bool
client_gone(int client)
{
	struct pollfd pfd = {.fd = clients[client].fd,.events = POLLRDHUP};

	return poll(&pfd, 1, 0) > 0 &&
		(pfd.revents & (POLLRDHUP | POLLHUP | POLLERR)) != 0;
}

int
pool_acquire(int client, uint32_t wait_ms)
{
	uint64_t	give_up = now_ns() + wait_ms * UINT64_C(1000000);
	int			found = -1;

	pthread_mutex_lock(&pool.mutex);
	for (;;)
	{
		uint64_t	wake;
		struct timespec until;

		for (uint32_t i = 0; i < pool.num_slots && pool.used < pool.num_slots; i++)
		{
			if (pool.owner[i] == NOBODY)
			{
				pool.owner[i] = client;
				pool.used++;
				found = i;
				break;
			}
		}
		if (found >= 0 || now_ns() >= give_up || client_gone(client))
			break;

		/* Look now and then whether anybody is still waiting for this. */
		wake = now_ns() + 100 * UINT64_C(1000000);
		if (wake > give_up)
			wake = give_up;
		until.tv_sec = wake / 1000000000;
		until.tv_nsec = wake % 1000000000;
		pthread_cond_timedwait(&pool.freed, &pool.mutex, &until);
	}
	pthread_mutex_unlock(&pool.mutex);
	return found;
}

bool
pool_owns(int client, uint32_t slot)
{
	bool		owns;

	if (slot >= pool.num_slots)
		return false;
	pthread_mutex_lock(&pool.mutex);
	owns = pool.owner[slot] == client;
	pthread_mutex_unlock(&pool.mutex);
	return owns;
}

void
pool_release(int client, uint32_t slot)
{
	pthread_mutex_lock(&pool.mutex);
	if (pool.owner[slot] == client)
	{
		pool.owner[slot] = NOBODY;
		pool.used--;
		pthread_cond_signal(&pool.freed);
	}
	pthread_mutex_unlock(&pool.mutex);
}

void
pool_release_all(int client)
{
	for (uint32_t i = 0; i < pool.num_slots; i++)
		pool_release(client, i);
}

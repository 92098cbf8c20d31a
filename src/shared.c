/*
 * shared.c
 *	  Memory that all processes of the cluster share.
 *
 * It exists only if the library is preloaded: PostgreSQL gives it out when it starts.
 */
#include "postgres.h"

#include "miscadmin.h"
#include "storage/ipc.h"
#include "storage/lwlock.h"
#include "storage/shmem.h"

#include "shared.h"

#define MAX_AREAS 4

typedef struct Area
{
	const char *name;
	Size		(*size) (void);
	void		(*start) (void *memory, bool fresh);
} Area;

static Area areas[MAX_AREAS];
static int	nareas;

static shmem_request_hook_type previous_request_hook;
static shmem_startup_hook_type previous_startup_hook;

static void
request_areas(void)
{
	if (previous_request_hook)
		previous_request_hook();
	for (int i = 0; i < nareas; i++)
		RequestAddinShmemSpace(MAXALIGN(areas[i].size()));
}

static void
start_areas(void)
{
	if (previous_startup_hook)
		previous_startup_hook();
	LWLockAcquire(AddinShmemInitLock, LW_EXCLUSIVE);
	for (int i = 0; i < nareas; i++)
	{
		bool		found;
		void	   *memory = ShmemInitStruct(areas[i].name, areas[i].size(), &found);

		areas[i].start(memory, !found);
	}
	LWLockRelease(AddinShmemInitLock);
}

void
gpured_shared_add(const char *name, Size (*size) (void), void (*start) (void *memory, bool fresh))
{
	if (!process_shared_preload_libraries_in_progress)
		return;
	Assert(nareas < MAX_AREAS);
	if (nareas == 0)
	{
		previous_request_hook = shmem_request_hook;
		shmem_request_hook = request_areas;
		previous_startup_hook = shmem_startup_hook;
		shmem_startup_hook = start_areas;
	}
	areas[nareas].name = name;
	areas[nareas].size = size;
	areas[nareas++].start = start;
}

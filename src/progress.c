/*
 * progress.c
 *	  How far column scans are: the view gpured_progress.
 *
 * If the library is preloaded, each process has a slot in shared memory, which
 * only it writes.  Otherwise its slot is its own, and the view shows nothing but
 * a scan of the session that asks.
 *
 * A scan that ends by an error is taken out of the view when the transaction or
 * subtransaction ends; a process that exits aborts its transaction before.
 */
#include "postgres.h"

#include "access/xact.h"
#include "catalog/pg_authid.h"
#include "funcapi.h"
#include "miscadmin.h"
#include "storage/ipc.h"
#include "storage/lwlock.h"
#include "storage/proc.h"
#include "storage/procarray.h"
#include "storage/shmem.h"
#include "utils/acl.h"
#include "utils/builtins.h"

#include "compat.h"
#include "progress.h"

PG_FUNCTION_INFO_V1(gpured_progress);

GpuredProgressSlot *gpured_progress_slot;
const GpuredScanProgress *gpured_progress_shown;

static GpuredProgressSlot own;
static GpuredProgressSlot *shared;	/* NULL if not preloaded */
static int	num_shared;

static shmem_request_hook_type previous_request_hook;
static shmem_startup_hook_type previous_startup_hook;

static void
init_slot(GpuredProgressSlot *slot)
{
	memset(slot, 0, sizeof(*slot));
	pg_atomic_init_u32(&slot->changes, 0);
	pg_atomic_init_u32(&slot->phase, 0);
	pg_atomic_init_u64(&slot->blocks, 0);
	pg_atomic_init_u64(&slot->rows, 0);
}

/* Processes that run queries have the first numbers. */
static Size
shared_size(void)
{
	return mul_size(MaxBackends, sizeof(GpuredProgressSlot));
}

static void
request_shared_memory(void)
{
	if (previous_request_hook)
		previous_request_hook();
	RequestAddinShmemSpace(MAXALIGN(shared_size()));
}

static void
start_shared_memory(void)
{
	bool		found;

	if (previous_startup_hook)
		previous_startup_hook();
	LWLockAcquire(AddinShmemInitLock, LW_EXCLUSIVE);
	num_shared = MaxBackends;
	shared = ShmemInitStruct("gpured progress", shared_size(), &found);
	for (int i = 0; i < num_shared && !found; i++)
		init_slot(&shared[i]);
	LWLockRelease(AddinShmemInitLock);
}

/* Change what the slot shows; pid 0 for nothing. */
static void
set_slot(int pid, const GpuredScanProgress *scan)
{
	GpuredProgressSlot *slot = gpured_progress_slot;

	pg_atomic_write_u32(&slot->changes, pg_atomic_read_u32(&slot->changes) + 1);
	pg_write_barrier();
	slot->pid = pid;
	if (scan != NULL)
	{
		slot->datid = MyDatabaseId;
		slot->userid = GetSessionUserId();
		slot->relid = scan->relid;
		slot->blocks_total = scan->blocks_total;
		pg_atomic_write_u32(&slot->phase, scan->phase);
		pg_atomic_write_u64(&slot->blocks, scan->blocks);
		pg_atomic_write_u64(&slot->rows, scan->rows);
	}
	pg_write_barrier();
	pg_atomic_write_u32(&slot->changes, pg_atomic_read_u32(&slot->changes) + 1);
}

static void
show_nothing(void)
{
	if (gpured_progress_shown == NULL)
		return;
	gpured_progress_shown = NULL;
	set_slot(0, NULL);
}

static void
at_end_of_transaction(XactEvent event, void *arg)
{
	show_nothing();
}

/* The scan that is shown may be gone, or may be another's and go on. */
static void
at_end_of_subtransaction(SubXactEvent event, SubTransactionId subid, SubTransactionId parent,
						 void *arg)
{
	if (event == SUBXACT_EVENT_ABORT_SUB)
		show_nothing();
}

void
gpured_progress_begin(const GpuredScanProgress *scan)
{
	if (gpured_progress_slot == NULL)
	{
		int			number = gpured_process_number();

		RegisterXactCallback(at_end_of_transaction, NULL);
		RegisterSubXactCallback(at_end_of_subtransaction, NULL);
		gpured_progress_slot = number < num_shared ? &shared[number] : &own;
	}
	set_slot(MyProcPid, scan);
	gpured_progress_shown = scan;
}

void
gpured_progress_end(const GpuredScanProgress *scan)
{
	if (gpured_progress_shown == scan)
		show_nothing();
}

/* A copy of a slot in which all belongs together; false if it shows nothing. */
static bool
read_slot(GpuredProgressSlot *slot, GpuredProgressSlot *copy)
{
	uint32		before;
	uint32		after;

	do
	{
		CHECK_FOR_INTERRUPTS();
		before = pg_atomic_read_u32(&slot->changes);
		pg_read_barrier();
		memcpy(copy, slot, sizeof(*copy));
		pg_read_barrier();
		after = pg_atomic_read_u32(&slot->changes);
	} while (before != after || before % 2 != 0);
	return copy->pid != 0;
}

/* As in pg_stat_progress_*: others' details are for those who may read all statistics. */
static void
add_row(ReturnSetInfo *rsinfo, GpuredProgressSlot *slot)
{
	static const char *const phases[] = {
		[GPURED_PHASE_SCANNING] = "scanning heap",
		[GPURED_PHASE_RETURNING] = "returning rows"
	};
	Datum		values[7];
	bool		nulls[7] = {false};

	values[0] = Int32GetDatum(slot->pid);
	values[1] = ObjectIdGetDatum(slot->datid);
	if (has_privs_of_role(GetUserId(), ROLE_PG_READ_ALL_STATS) ||
		has_privs_of_role(GetUserId(), slot->userid))
	{
		values[2] = ObjectIdGetDatum(slot->relid);
		values[3] = CStringGetTextDatum(phases[pg_atomic_read_u32(&slot->phase)]);
		values[4] = Int64GetDatum(slot->blocks_total);
		values[5] = Int64GetDatum(pg_atomic_read_u64(&slot->blocks));
		values[6] = Int64GetDatum(pg_atomic_read_u64(&slot->rows));
	}
	else
		memset(nulls + 2, true, 5);
	tuplestore_putvalues(rsinfo->setResult, rsinfo->setDesc, values, nulls);
}

Datum
gpured_progress(PG_FUNCTION_ARGS)
{
	ReturnSetInfo *rsinfo = (ReturnSetInfo *) fcinfo->resultinfo;
	GpuredProgressSlot slot;

	InitMaterializedSRF(fcinfo, 0);
	for (int i = 0; i < num_shared; i++)
	{
		/*
		 * A slot whose process is gone would be a mistake, and is none of its
		 * heirs'.
		 */
		if (read_slot(&shared[i], &slot) && BackendPidGetProc(slot.pid) != NULL)
			add_row(rsinfo, &slot);
	}
	if (num_shared == 0 && read_slot(&own, &slot))
		add_row(rsinfo, &slot);
	return (Datum) 0;
}

void
gpured_progress_init(void)
{
	init_slot(&own);
	if (!process_shared_preload_libraries_in_progress)
		return;
	previous_request_hook = shmem_request_hook;
	shmem_request_hook = request_shared_memory;
	previous_startup_hook = shmem_startup_hook;
	shmem_startup_hook = start_shared_memory;
}

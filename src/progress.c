/*
 * progress.c
 *	  How far column scans are: the view gpured_progress.
 *
 * If the library is preloaded, each process has a slot in shared memory, which
 * only it writes.  Otherwise its slot is its own, and the view shows nothing but
 * a scan of the session that asks.
 *
 * Where a scan runs within another one, it is shown, and when it ends, the other is
 * again.  A scan that ends by an error is taken out of the view when the transaction or
 * subtransaction ends; a process that exits aborts its transaction before.
 *
 * What is above a scan, an aggregate or a sort, reads all of its rows at once.  So a scan
 * of an open cursor does not wait for the next FETCH: if it has not ended, then it has
 * failed, in the subtransaction in which it began, though the cursor stays.
 */
#include "postgres.h"

#include "access/xact.h"
#include "catalog/pg_authid.h"
#include "funcapi.h"
#include "miscadmin.h"
#include "storage/proc.h"
#include "storage/procarray.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/memutils.h"

#include "compat.h"
#include "progress.h"
#include "shared.h"

PG_FUNCTION_INFO_V1(gpured_progress);

GpuredProgressSlot *gpured_progress_slot;
const GpuredScanProgress *gpured_progress_shown;

static GpuredProgressSlot own;
static GpuredProgressSlot *shared;	/* NULL if not preloaded */
static int	num_shared;

/* A scan of this process that has begun and has not ended. */
typedef struct Running
{
	const GpuredScanProgress *scan; /* may be gone after an error */
	SubTransactionId subid;		/* in which it has read last */
	GpuredScanProgress last;	/* what was shown when the next one began */
} Running;

/* The last one is shown. */
static Running *running;
static int	nrunning;
static int	running_room;

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
start_shared(void *memory, bool fresh)
{
	num_shared = MaxBackends;
	shared = memory;
	for (int i = 0; i < num_shared && fresh; i++)
		init_slot(&shared[i]);
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

/* Show the last of what is running. */
static void
show_last(void)
{
	if (nrunning > 0)
		set_slot(MyProcPid, &running[nrunning - 1].last);
	else if (gpured_progress_shown != NULL)
		set_slot(0, NULL);
	gpured_progress_shown = nrunning > 0 ? running[nrunning - 1].scan : NULL;
}

/* All scans have ended: those whose transaction is aborted are gone. */
static void
at_end_of_transaction(XactEvent event, void *arg)
{
	nrunning = 0;
	show_last();
}

/* What has read in it is gone, or shown when it goes on; what called it does go on. */
static void
at_end_of_subtransaction(SubXactEvent event, SubTransactionId subid, SubTransactionId parent,
						 void *arg)
{
	int			kept = 0;

	if (event != SUBXACT_EVENT_ABORT_SUB)
		return;
	for (int i = 0; i < nrunning; i++)
	{
		if (running[i].subid < subid)
			running[kept++] = running[i];
	}
	if (kept == nrunning)
		return;
	nrunning = kept;
	show_last();
}

/* Whether it was among those that run. */
static bool
forget(const GpuredScanProgress *scan)
{
	for (int i = nrunning - 1; i >= 0; i--)
	{
		if (running[i].scan != scan)
			continue;
		nrunning--;
		memmove(&running[i], &running[i + 1], (nrunning - i) * sizeof(Running));
		return true;
	}
	return false;
}

static void
prepare(void)
{
	if (gpured_progress_slot == NULL)
	{
		int			number = gpured_process_number();

		RegisterXactCallback(at_end_of_transaction, NULL);
		RegisterSubXactCallback(at_end_of_subtransaction, NULL);
		gpured_progress_slot = number < num_shared ? &shared[number] : &own;
	}
	if (nrunning < running_room)
		return;
	if (running == NULL)
		running = MemoryContextAlloc(TopMemoryContext, 4 * sizeof(Running));
	else
		running = repalloc(running, 2 * running_room * sizeof(Running));
	running_room = running_room == 0 ? 4 : 2 * running_room;
}

void
gpured_progress_begin(const GpuredScanProgress *scan)
{
	Running    *before;

	prepare();
	if (nrunning > 0 && gpured_progress_shown != scan)
	{
		before = &running[nrunning - 1];
		before->last.phase = pg_atomic_read_u32(&gpured_progress_slot->phase);
		before->last.blocks = pg_atomic_read_u64(&gpured_progress_slot->blocks);
		before->last.rows = pg_atomic_read_u64(&gpured_progress_slot->rows);
	}
	(void) forget(scan);
	running[nrunning].scan = scan;
	running[nrunning].subid = GetCurrentSubTransactionId();
	running[nrunning++].last = *scan;
	show_last();
}

void
gpured_progress_end(const GpuredScanProgress *scan)
{
	if (forget(scan) && gpured_progress_shown == scan)
		show_last();
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
	gpured_shared_add("gpured progress", shared_size, start_shared);
}

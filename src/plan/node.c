/*
 * node.c
 *	  The plan node Custom Scan (GpuAggregate).
 *
 * Its rows are those of custom_scan_tlist's first entries, the path's target;
 * after those come the quals, as boolean entries: there their columns keep the
 * table's numbers.  Parameters and subqueries in them have to be in custom_exprs as well,
 * where the planner looks for what makes a node run again.
 *
 * The whole table is read before the first row comes out, except where groups
 * exceed their memory: then all of them come out, and reading goes on, be it in the
 * middle of a page.
 */
#include "postgres.h"

#include "access/parallel.h"
#include "commands/explain.h"
#include "executor/executor.h"
#include "miscadmin.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/clauses.h"
#include "optimizer/optimizer.h"
#include "optimizer/restrictinfo.h"
#include "pgstat.h"
#include "portability/instr_time.h"
#include "storage/spin.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/ruleutils.h"

#if PG_VERSION_NUM >= 180000
#include "commands/explain_format.h"
#include "commands/explain_state.h"
#endif

#include "compat.h"
#include "gpured.h"
#include "plan/plan.h"
#include "progress.h"
#include "scan/filter.h"
#include "scan/fold.h"
#include "scan/program.h"
#include "scan/quals.h"
#include "stats.h"

/*
 * Where values may be large: rows that are taken at once if some have values out
 * of line, and the bytes from which on fewer rows are taken.
 */
#define TOASTED_ROWS 8
#define SLICE_BYTES (1024 * 1024)

/* What EXPLAIN ANALYZE shows, of all processes together. */
typedef struct Counters
{
	uint64		blocks;
	uint64		rows;			/* that the snapshot sees */
	uint64		passed;			/* the quals */
	uint64		by_executor;	/* rows for which PostgreSQL computed
								 * something */
	uint64		batches;
	uint64		server_batches; /* that gpured-server computed */
	uint64		flushes;		/* of groups that exceeded their memory */
	uint64		ungrouped;		/* rows that came out as they are */
	uint64		recomputed;		/* those of them where a program could not go
								 * on */
	uint64		extract_ns;		/* reading pages and extracting columns */
	uint64		fold_ns;		/* on the device, or handing over batches to
								 * the server and waiting for it */
	uint64		server_ns;		/* of the server's device */
} Counters;

typedef struct SharedScan
{
	GpuredSharedBlocks blocks;
	slock_t		mutex;
	Counters	counters;
} SharedScan;

typedef enum Phase
{
	SCANNING,
	EMITTING,
	EMITTING_LAST
} Phase;

typedef struct ScanNode
{
	CustomScanState css;
	Relation	rel;
	List	   *quals;			/* expressions */
	Bitmapset  *few;			/* attributes with few values */
	GpuredColumns *columns;
	GpuredFold *fold;
	GpuredQuals *filter;		/* all of them */
	bool		has_group_by;
	Oid			user;			/* who may call the functions, */
	int			security;		/* from the beginning */
	bool		started;
	Phase		phase;
	bool		at_end;			/* all pages are read */
	uint64		passed_before;	/* rows of earlier runs */
	GpuredPages pages;
	GpuredPage	page;
	GpuredPage	slice;			/* some rows of it */
	int			row;			/* the first of the page's that is not yet
								 * taken */
	bool		has_large;		/* values may be larger than their tuples */
	int			slice_rows;		/* then as many rows are taken at once */
	GpuredScanProgress progress;
	SharedScan *shared;			/* NULL in a serial scan */
	bool		worker;
	Counters	counters;
	Counters	total;			/* with those of the workers */
} ScanNode;

static Node *create_state(CustomScan *scan);

static const CustomScanMethods scan_methods = {
	.CustomName = GPURED_SCAN_NAME,
	.CreateCustomScanState = create_state
};

static bool
collect_params(Node *node, void *context)
{
	List	  **params = context;

	if (node == NULL)
		return false;
	if (IsA(node, Param))
	{
		*params = list_append_unique(*params, node);
		return false;
	}
	return expression_tree_walker(node, collect_params, context);
}

/*
 * What the planner has to see of expressions in custom_exprs: parameters, and whole
 * expressions with subqueries, which need some more.
 */
static List *
needed_exprs(List *exprs)
{
	List	   *result = NIL;
	ListCell   *lc;

	foreach(lc, exprs)
	{
		if (contain_subplans(lfirst(lc)))
			result = lappend(result, lfirst(lc));
		else
			(void) collect_params(lfirst(lc), &result);
	}
	return result;
}

List *
gpured_scan_lookups(List *quals, List *outputs, const Bitmapset *few)
{
	List	   *found = NIL;
	ListCell   *lc;
	ListCell   *arg;

	foreach(lc, quals)
		found = gpured_program_lookups(lfirst(lc), few, found);
	foreach(lc, outputs)
	{
		Aggref	   *aggref = lfirst(lc);

		if (!IsA(aggref, Aggref))
		{
			found = gpured_program_lookups((Expr *) aggref, few, found);
			continue;
		}
		found = gpured_program_lookups(aggref->aggfilter, few, found);
		foreach(arg, aggref->args)
			found = gpured_program_lookups(((TargetEntry *) lfirst(arg))->expr, few, found);
	}
	return found;
}

static Plan *
plan_scan(PlannerInfo *root, RelOptInfo *rel, CustomPath *path, List *tlist, List *clauses,
		  List *custom_plans)
{
	CustomScan *scan = makeNode(CustomScan);
	List	   *quals = extract_actual_clauses(clauses, false);
	ListCell   *lc;
	AttrNumber	resno = 1;

	foreach(lc, path->path.pathtarget->exprs)
		scan->custom_scan_tlist = lappend(scan->custom_scan_tlist,
										  makeTargetEntry(lfirst(lc), resno++, NULL, false));
	foreach(lc, quals)
		scan->custom_scan_tlist = lappend(scan->custom_scan_tlist,
										  makeTargetEntry(lfirst(lc), resno++, NULL, true));

	scan->scan.plan.targetlist = tlist;
	scan->custom_exprs = list_concat(needed_exprs(quals),
									 needed_exprs(path->path.pathtarget->exprs));
	scan->custom_private = list_make3(linitial(path->custom_private),
									  makeInteger(list_length(path->path.pathtarget->exprs)),
									  lsecond(path->custom_private));
	scan->flags = path->flags;
	scan->methods = &scan_methods;
	return (Plan *) scan;
}

const		CustomPathMethods gpured_scan_path_methods = {
	.CustomName = GPURED_SCAN_NAME,
	.PlanCustomPath = plan_scan
};

/* Have the node's subqueries shown by EXPLAIN. */
static void
show_subplans(List *outputs, PlanState *state)
{
	ListCell   *lc;

	foreach(lc, outputs)
	{
		Aggref	   *aggref = (Aggref *) ((TargetEntry *) lfirst(lc))->expr;
		ListCell   *arg;

		if (!IsA(aggref, Aggref) || !contain_subplans((Node *) aggref))
			continue;
		foreach(arg, aggref->args)
			(void) ExecInitExpr(((TargetEntry *) lfirst(arg))->expr, state);
		(void) ExecInitExpr(aggref->aggfilter, state);
	}
}

static void
begin_scan(CustomScanState *css, EState *estate, int eflags)
{
	ScanNode   *node = (ScanNode *) css;
	CustomScan *scan = (CustomScan *) css->ss.ps.plan;
	int			noutputs = intVal(lsecond(scan->custom_private));
	List	   *outputs = list_copy_head(scan->custom_scan_tlist, noutputs);
	ListCell   *lc;

	node->has_group_by = intVal(linitial(scan->custom_private)) != 0;
	foreach(lc, lthird(scan->custom_private))
		node->few = bms_add_member(node->few, lfirst_int(lc));
	node->rel = gpured_range_table_relation(estate, bms_singleton_member(scan->custom_relids));
	for_each_from(lc, scan->custom_scan_tlist, noutputs)
		node->quals = lappend(node->quals, ((TargetEntry *) lfirst(lc))->expr);

	/* EXPLAIN alone needs nothing more than to know of subqueries. */
	if (eflags & EXEC_FLAG_EXPLAIN_ONLY)
	{
		show_subplans(outputs, &css->ss.ps);
		(void) ExecInitQual(node->quals, &css->ss.ps);
		return;
	}
	if (!RelationIsScannable(node->rel))
		ereport(ERROR,
				errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				errmsg("materialized view \"%s\" has not been populated",
					   RelationGetRelationName(node->rel)),
				errhint("Use the REFRESH MATERIALIZED VIEW command."));
	GetUserIdAndSecContext(&node->user, &node->security);
	node->columns = gpured_columns_create(node->rel, node->few, &css->ss);
	node->filter = gpured_quals_create(node->quals, node->columns, &css->ss);
	node->fold = gpured_fold_create(outputs, node->has_group_by, node->columns, &css->ss);
	gpured_columns_init_exprs(node->columns, &css->ss);
}

/*
 * Whether the batch holds values that are larger than what is in the page: complete
 * ones of toasted columns, and results of expressions.
 */
static bool
has_large_values(const GpuredColumns *columns)
{
	for (int i = 0; i < columns->ncolumns; i++)
	{
		const GpuredColumn *column = &columns->column[i];

		if (!column->byval && (column->attnum == 0 || column->detoast))
			return true;
	}
	return false;
}

/*
 * What is prepared at the first row only, so that a node that is never run costs no memory.
 * As in the beginning it is the user of then who has to have the permission to call
 * functions: that of a cursor may be another by now.
 */
static void
prepare(ScanNode *node)
{
	Oid			user;
	int			security;

	GetUserIdAndSecContext(&user, &security);
	SetUserIdAndSecContext(node->user, node->security);
	gpured_columns_prepare(node->columns, &node->css.ss);
	gpured_fold_prepare(node->fold);
	SetUserIdAndSecContext(user, security);
	node->has_large = has_large_values(node->columns);
	node->slice_rows = TOASTED_ROWS;
	node->started = true;
}

static void
start(ScanNode *node)
{
	MemoryContext old = MemoryContextSwitchTo(node->css.ss.ps.state->es_query_cxt);

	if (!node->started)
		prepare(node);
	gpured_pages_begin(&node->pages, node->rel, node->css.ss.ps.state->es_snapshot,
					   node->shared != NULL ? &node->shared->blocks : NULL,
					   node->columns->natts);
	node->at_end = false;
	node->passed_before = node->counters.passed;
	node->page.n = node->row = 0;
	memset(&node->progress, 0, sizeof(node->progress));
	node->progress.relid = RelationGetRelid(node->rel);
	node->progress.blocks_total = node->pages.blocks->nblocks;
	/* Once a process, as in a parallel sequential scan. */
	pgstat_count_heap_scan(node->rel);
	MemoryContextSwitchTo(old);
}

/* A page of which no row is taken yet; false at the end of the table. */
static bool
next_page(ScanNode *node)
{
	node->row = 0;
	if (!gpured_pages_next(&node->pages, &node->page))
		return false;
	node->counters.blocks++;
	node->counters.rows += node->page.n;
	node->progress.blocks++;
	node->progress.rows += node->page.n;
	gpured_progress_show(&node->progress);
	return true;
}

/*
 * The rows of the page that come next.  A page has a few hundred, and its values
 * fit in the batch's memory, except where they may be larger than they are there.
 */
static GpuredPage *
next_slice(ScanNode *node)
{
	const GpuredPage *page = &node->page;
	GpuredPage *slice = &node->slice;
	int			row = node->row;
	int			n = Min(page->n - row, node->slice_rows);

	if (!node->has_large)
	{
		node->row = page->n;
		return &node->page;
	}
	for (int i = 0; n > TOASTED_ROWS && i < n; i++)
	{
		if ((page->tuple[row + i]->t_infomask & HEAP_HASEXTERNAL) != 0)
			n = TOASTED_ROWS;
	}
	slice->page = page->page;
	slice->block = page->block;
	slice->n = n;
	slice->complete = page->complete;
	memcpy(slice->tuple, page->tuple + row, n * sizeof(page->tuple[0]));
	memcpy(slice->data, page->data + row, n * sizeof(page->data[0]));
	memcpy(slice->offset, page->offset + row, n * sizeof(page->offset[0]));
	node->row += n;
	return slice;
}

static void
take_rows(ScanNode *node)
{
	GpuredColumns *columns = node->columns;
	GpuredPage *page = next_slice(node);
	Size		before = columns->arena_bytes;

	columns->by_executor = columns->recomputed = 0;
	gpured_columns_extract_first(columns, page);
	gpured_quals_apply(node->filter, columns, page);
	gpured_columns_extract_rest(columns, page);
	node->counters.by_executor += columns->by_executor;
	node->counters.recomputed += columns->recomputed;
	node->counters.passed += page->n;

	/* As many rows the next time as will take about the same memory. */
	if (columns->arena_bytes - before > SLICE_BYTES)
		node->slice_rows = Max(node->slice_rows / 4, 1);
	else
		node->slice_rows = Min(node->slice_rows * 2, MaxHeapTuplesPerPage);
}

/* What the server has done so far for whatever scan of this process. */
static uint64
server_count(GpuredCounter counter)
{
	return pg_atomic_read_u64(&gpured_session_stats.counters[GPURED_PATH_SCAN * GPURED_NUM_PATH_COUNTERS +
															 counter]);
}

/* The time from when a part of the work began, and what the server had done then. */
typedef struct Work
{
	instr_time	from;
	uint64		batches;
	uint64		device_ns;
} Work;

static Work
begin_work(void)
{
	Work		work;

	INSTR_TIME_SET_CURRENT(work.from);
	work.batches = server_count(GPURED_COUNT_BATCHES);
	work.device_ns = server_count(GPURED_COUNT_DEVICE_NS);
	return work;
}

static void
end_work(ScanNode *node, const Work *work, uint64 *ns)
{
	instr_time	to;

	INSTR_TIME_SET_CURRENT(to);
	INSTR_TIME_SUBTRACT(to, work->from);
	*ns += (uint64) (INSTR_TIME_GET_DOUBLE(to) * 1e9);
	node->counters.server_batches += server_count(GPURED_COUNT_BATCHES) - work->batches;
	node->counters.server_ns += server_count(GPURED_COUNT_DEVICE_NS) - work->device_ns;
}

/*
 * About how many rows this process will still see, if it gets the same part of the
 * blocks that nobody has taken yet as of those before.
 */
static double
rows_to_come(ScanNode *node)
{
	const GpuredPages *pages = &node->pages;
	double		passed = node->counters.passed - node->passed_before;
	double		blocks = pages->range_end - pages->range_next;

	if (node->progress.blocks == 0)
		return 0;
	if (node->shared != NULL)
	{
		double		taken = pg_atomic_read_u64(&node->shared->blocks.next);

		if (taken > 0 && taken < pages->blocks->nblocks)
			blocks += (pages->blocks->nblocks - taken) * node->progress.blocks / taken;
	}
	return passed * blocks / node->progress.blocks;
}

/* False if rows have to come out first. */
static bool
fold_batch(ScanNode *node)
{
	Work		work = begin_work();
	GpuredFolded folded = gpured_fold_batch(node->fold, rows_to_come(node));

	end_work(node, &work, &node->counters.fold_ns);
	if (folded == GPURED_FOLD_IS_FULL)
		node->counters.flushes++;
	if (folded == GPURED_FOLD_PASSES)
		node->counters.ungrouped += gpured_fold_left(node->fold);
	return folded == GPURED_FOLD_IS_DONE;
}

/*
 * The next partial row, to the scan slot; false if there is none left.  Without groups,
 * of which there may be many, it may have to wait for the server.
 */
static bool
emit(ScanNode *node)
{
	TupleTableSlot *slot = node->css.ss.ss_ScanTupleSlot;
	ExprContext *econtext = node->css.ss.ps.ps_ExprContext;
	MemoryContext old = MemoryContextSwitchTo(econtext->ecxt_per_tuple_memory);
	bool		found;

	if (node->has_group_by)
		found = gpured_fold_emit(node->fold, slot);
	else
	{
		Work		work = begin_work();

		found = gpured_fold_emit(node->fold, slot);
		end_work(node, &work, &node->counters.fold_ns);
	}
	MemoryContextSwitchTo(old);
	return found;
}

/* Read pages until the batch is full, or to the end. */
static void
fill_batch(ScanNode *node)
{
	Work		work = begin_work();

	while (!gpured_batch_is_full(node->columns))
	{
		CHECK_FOR_INTERRUPTS();
		if (node->row < node->page.n)
			take_rows(node);
		else if (!next_page(node))
		{
			gpured_pages_release(&node->pages);
			node->at_end = true;
			break;
		}
	}
	end_work(node, &work, &node->counters.extract_ns);
	if (node->columns->n > 0)
		node->counters.batches++;
}

/* Read on, to the end or until rows have to come out. */
static void
scan_table(ScanNode *node)
{
	MemoryContext old = MemoryContextSwitchTo(node->css.ss.ps.state->es_query_cxt);

	node->progress.phase = GPURED_PHASE_SCANNING;
	gpured_progress_begin(&node->progress);
	/* First what a batch had left. */
	while (fold_batch(node))
	{
		if (node->at_end)
		{
			node->phase = EMITTING_LAST;
			break;
		}
		fill_batch(node);
	}
	if (node->phase == SCANNING)
		node->phase = EMITTING;
	MemoryContextSwitchTo(old);
}

/* The next partial row in the scan slot; NULL at the end. */
static TupleTableSlot *
next_row(ScanNode *node)
{
	ExprContext *econtext = node->css.ss.ps.ps_ExprContext;
	TupleTableSlot *slot = node->css.ss.ss_ScanTupleSlot;

	for (;;)
	{
		if (node->phase == SCANNING)
		{
			scan_table(node);
			node->progress.phase = GPURED_PHASE_RETURNING;
			gpured_progress_show(&node->progress);
		}
		ResetExprContext(econtext);
		ExecClearTuple(slot);
		memset(slot->tts_isnull, true, slot->tts_tupleDescriptor->natts * sizeof(bool));
		if (emit(node))
			return ExecStoreVirtualTuple(slot);
		if (node->phase == EMITTING_LAST)
		{
			gpured_progress_end(&node->progress);
			return NULL;
		}
		gpured_fold_continue(node->fold);
		node->phase = SCANNING;
	}
}

static TupleTableSlot *
exec_scan(CustomScanState *css)
{
	ScanNode   *node = (ScanNode *) css;
	TupleTableSlot *slot;

	if (node->pages.rel == NULL)
		start(node);
	slot = next_row(node);
	if (slot == NULL)
		return ExecClearTuple(css->ss.ps.ps_ProjInfo != NULL ?
							  css->ss.ps.ps_ResultTupleSlot : css->ss.ss_ScanTupleSlot);
	css->ss.ps.ps_ExprContext->ecxt_scantuple = slot;
	return css->ss.ps.ps_ProjInfo != NULL ? ExecProject(css->ss.ps.ps_ProjInfo) : slot;
}

static void
end_pages(ScanNode *node)
{
	if (node->pages.rel != NULL)
		gpured_pages_release(&node->pages);
	node->pages.rel = NULL;
	gpured_progress_end(&node->progress);
}

static void
end_scan(CustomScanState *css)
{
	end_pages((ScanNode *) css);
}

static void
rescan(CustomScanState *css)
{
	ScanNode   *node = (ScanNode *) css;

	end_pages(node);
	node->phase = SCANNING;
	if (node->started)
		gpured_fold_reset(node->fold);
	gpured_columns_reset(node->columns);
	gpured_quals_reset(node->filter);
}

/* Parallel scans: blocks are taken from shared memory. */
static Size
estimate_dsm(CustomScanState *css, ParallelContext *pcxt)
{
	return sizeof(SharedScan);
}

static void
initialize_dsm(CustomScanState *css, ParallelContext *pcxt, void *coordinate)
{
	ScanNode   *node = (ScanNode *) css;

	node->shared = coordinate;
	memset(node->shared, 0, sizeof(SharedScan));
	SpinLockInit(&node->shared->mutex);
	gpured_blocks_init(&node->shared->blocks, node->rel);
}

static void
reinitialize_dsm(CustomScanState *css, ParallelContext *pcxt, void *coordinate)
{
	ScanNode   *node = (ScanNode *) css;

	node->shared = coordinate;
	gpured_blocks_init(&node->shared->blocks, node->rel);
}

static void
initialize_worker(CustomScanState *css, shm_toc *toc, void *coordinate)
{
	ScanNode   *node = (ScanNode *) css;

	node->shared = coordinate;
	node->worker = true;
}

static void
add_counters(Counters *to, const Counters *from)
{
	to->blocks += from->blocks;
	to->rows += from->rows;
	to->passed += from->passed;
	to->by_executor += from->by_executor;
	to->batches += from->batches;
	to->server_batches += from->server_batches;
	to->flushes += from->flushes;
	to->ungrouped += from->ungrouped;
	to->recomputed += from->recomputed;
	to->extract_ns += from->extract_ns;
	to->fold_ns += from->fold_ns;
	to->server_ns += from->server_ns;
}

/*
 * Workers leave their counters, and the leader takes them: the memory may go now,
 * and comes back before the node runs again.
 */
static void
shutdown_scan(CustomScanState *css)
{
	ScanNode   *node = (ScanNode *) css;

	if (node->shared == NULL)
		return;
	SpinLockAcquire(&node->shared->mutex);
	if (node->worker)
	{
		add_counters(&node->shared->counters, &node->counters);
		memset(&node->counters, 0, sizeof(Counters));
	}
	else
	{
		add_counters(&node->total, &node->shared->counters);
		memset(&node->shared->counters, 0, sizeof(Counters));
	}
	SpinLockRelease(&node->shared->mutex);
	if (!node->worker)
	{
		end_pages(node);
		node->shared = NULL;
	}
}

/* Whether column names are printed with their table's. */
static bool
use_prefix(ExplainState *es)
{
#if PG_VERSION_NUM >= 180000
	return es->rtable_size > 1 || es->verbose;
#else
	return list_length(es->rtable) > 1 || es->verbose;
#endif
}

static void
show_exprs(const char *label, List *exprs, ScanNode *node, List *ancestors, ExplainState *es)
{
	List	   *context = set_deparse_context_plan(es->deparse_cxt, node->css.ss.ps.plan, ancestors);
	List	   *result = NIL;
	ListCell   *lc;

	foreach(lc, exprs)
		result = lappend(result, deparse_expression(lfirst(lc), context, use_prefix(es), false));
	if (result != NIL)
		ExplainPropertyList(label, result, es);
}

/* For each loop, as PostgreSQL shows it of a sequential scan. */
static void
show_removed(ScanNode *node, uint64 removed, ExplainState *es)
{
	double		nloops = node->css.ss.ps.instrument->nloops;

	if (node->quals == NIL || (removed == 0 && es->format == EXPLAIN_FORMAT_TEXT))
		return;
	ExplainPropertyFloat("Rows Removed by Filter", NULL, nloops > 0 ? removed / nloops : 0, 0, es);
}

/* With those of the workers. */
static Counters
sum_counters(const ScanNode *node)
{
	Counters	sum = node->total;

	add_counters(&sum, &node->counters);
	return sum;
}

/*
 * Where aggregates are computed that it has a kernel for; groups never are.  Which do not
 * have to go to the server is known when they have.
 */
static const char *
device_of(const ScanNode *node)
{
	if (!node->has_group_by && gpured_offload_setting == GPURED_OFFLOAD_FORCE)
		return "server";
	return sum_counters(node).server_batches > 0 ? "server" : "cpu";
}

static void
explain_counters(ScanNode *node, ExplainState *es)
{
	Counters	sum = sum_counters(node);

	ExplainPropertyUInteger("Blocks", NULL, sum.blocks, es);
	ExplainPropertyUInteger("Rows Scanned", NULL, sum.rows, es);
	show_removed(node, sum.rows - sum.passed, es);
	if (sum.by_executor > 0)
		ExplainPropertyUInteger("Rows Computed by PostgreSQL", NULL, sum.by_executor, es);
	if (sum.recomputed > 0)
		ExplainPropertyUInteger("Rows Recomputed by PostgreSQL", NULL, sum.recomputed, es);
	ExplainPropertyUInteger("Batches", NULL, sum.batches, es);
	if (sum.server_batches > 0)
		ExplainPropertyUInteger("Server Batches", NULL, sum.server_batches, es);
	if (sum.flushes > 0)
		ExplainPropertyUInteger("Group Flushes", NULL, sum.flushes, es);
	if (sum.ungrouped > 0)
		ExplainPropertyUInteger("Ungrouped Rows", NULL, sum.ungrouped, es);
	if (!es->timing)
		return;
	ExplainPropertyFloat("Extraction Time", "ms", sum.extract_ns / 1e6, 3, es);
	if (sum.server_batches > 0)
		ExplainPropertyFloat("Transfer Time", "ms", sum.fold_ns / 1e6, 3, es);
	ExplainPropertyFloat("Device Time", "ms",
						 (sum.server_batches > 0 ? sum.server_ns : sum.fold_ns) / 1e6, 3, es);
}

/* An expression that is left to the executor, but for columns and constants of course. */
static List *
add_left(List *left, Expr *expr, const Bitmapset *few)
{
	if (expr == NULL || IsA(expr, Var) || IsA(expr, Const) || gpured_program_is_possible(expr, few))
		return left;
	return list_append_unique(left, expr);
}

/* Expressions that have no program, and so are PostgreSQL's to compute for each row. */
static List *
left_to_postgresql(ScanNode *node, List *keys, List *aggregates)
{
	List	   *left = NIL;
	ListCell   *lc;
	ListCell   *arg;

	foreach(lc, node->quals)
	{
		if (!gpured_filter_is_possible(lfirst(lc)))
			left = add_left(left, lfirst(lc), node->few);
	}
	foreach(lc, keys)
		left = add_left(left, lfirst(lc), node->few);
	foreach(lc, aggregates)
	{
		Aggref	   *aggref = lfirst(lc);

		if (aggref->aggfilter != NULL && !gpured_filter_is_possible(aggref->aggfilter))
			left = add_left(left, aggref->aggfilter, node->few);
		foreach(arg, aggref->args)
			left = add_left(left, ((TargetEntry *) lfirst(arg))->expr, node->few);
	}
	return left;
}

static void
explain_scan(CustomScanState *css, List *ancestors, ExplainState *es)
{
	ScanNode   *node = (ScanNode *) css;
	CustomScan *scan = (CustomScan *) css->ss.ps.plan;
	int			noutputs = intVal(lsecond(scan->custom_private));
	List	   *keys = NIL;
	List	   *aggregates = NIL;

	for (int i = 0; i < noutputs; i++)
	{
		Expr	   *expr = ((TargetEntry *) list_nth(scan->custom_scan_tlist, i))->expr;

		if (IsA(expr, Aggref))
			aggregates = lappend(aggregates, expr);
		else
			keys = lappend(keys, expr);
	}
	ExplainPropertyText("Relation", RelationGetRelationName(node->rel), es);
	ExplainPropertyText("Device", device_of(node), es);
	if (node->quals != NIL)
	{
		List	   *context = set_deparse_context_plan(es->deparse_cxt, css->ss.ps.plan, ancestors);

		ExplainPropertyText("Filter", deparse_expression((Node *) make_ands_explicit(node->quals),
														 context, use_prefix(es), false), es);
	}
	show_exprs("Group Key", keys, node, ancestors, es);
	show_exprs("Aggregates", aggregates, node, ancestors, es);
	show_exprs("Dictionary", gpured_scan_lookups(node->quals, list_concat_copy(keys, aggregates), node->few),
			   node, ancestors, es);
	show_exprs("Computed by PostgreSQL", left_to_postgresql(node, keys, aggregates), node, ancestors, es);
	if (es->analyze)
		explain_counters(node, es);
}

static const CustomExecMethods exec_methods = {
	.CustomName = GPURED_SCAN_NAME,
	.BeginCustomScan = begin_scan,
	.ExecCustomScan = exec_scan,
	.EndCustomScan = end_scan,
	.ReScanCustomScan = rescan,
	.EstimateDSMCustomScan = estimate_dsm,
	.InitializeDSMCustomScan = initialize_dsm,
	.ReInitializeDSMCustomScan = reinitialize_dsm,
	.InitializeWorkerCustomScan = initialize_worker,
	.ShutdownCustomScan = shutdown_scan,
	.ExplainCustomScan = explain_scan
};

static Node *
create_state(CustomScan *scan)
{
	ScanNode   *node = (ScanNode *) newNode(sizeof(ScanNode), T_CustomScanState);

	node->css.methods = &exec_methods;
	return (Node *) node;
}

void
gpured_scan_register(void)
{
	RegisterCustomScanMethods(&scan_methods);
}

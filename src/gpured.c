/*
 * gpured.c
 *	  Module entry: settings, version, and the start of the supervisor.
 *
 * The extension itself never loads CUDA.  Everything that touches a GPU is in
 * gpured-server, which the supervisor (supervisor.c) starts and watches.
 */
#include "postgres.h"

#include <float.h>
#include <limits.h>

#include "access/xact.h"
#include "fmgr.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/guc.h"

#include "gpured.h"
#include "plan/plan.h"
#include "progress.h"
#include "stats.h"

PG_MODULE_MAGIC;

int			gpured_device_setting = GPURED_DEVICE_AUTO;
int			gpured_offload_setting = GPURED_OFFLOAD_AUTO;
int			gpured_buffer_size = 256 * 1024;
int			gpured_request_timeout = 10000;
char	   *gpured_debug_server_arguments = NULL;

static const struct config_enum_entry device_options[] = {
	{"auto", GPURED_DEVICE_AUTO, false},
	{"cuda", GPURED_DEVICE_CUDA, false},
	{"cpu", GPURED_DEVICE_CPU, false},
	{"off", GPURED_DEVICE_OFF, false},
	{NULL, 0, false}
};

static const struct config_enum_entry offload_options[] = {
	{"auto", GPURED_OFFLOAD_AUTO, false},
	{"off", GPURED_OFFLOAD_OFF, false},
	{"force", GPURED_OFFLOAD_FORCE, false},
	{NULL, 0, false}
};

static const struct config_enum_entry debug_scan_options[] = {
	{"allow", GPURED_SCAN_ALLOW, false},
	{"forbid", GPURED_SCAN_FORBID, false},
	{"require", GPURED_SCAN_REQUIRE, false},
	{NULL, 0, false}
};

PG_FUNCTION_INFO_V1(gpured_version);
PG_FUNCTION_INFO_V1(gpured_suggest_preload);

/* Is a notice due at the end of this transaction? */
static bool suggestion_due;

void		_PG_init(void);

void
_PG_init(void)
{
	DefineCustomEnumVariable("gpured.device",
							 "Selects the device that gpured-server computes on.",
							 "auto uses a usable GPU and otherwise computes in the session; "
							 "cpu runs the server on the CPU; off starts no server.",
							 &gpured_device_setting,
							 GPURED_DEVICE_AUTO,
							 device_options,
							 PGC_SIGHUP,
							 0,
							 NULL, NULL, NULL);

	DefineCustomEnumVariable("gpured.offload",
							 "Selects when aggregates are sent to gpured-server.",
							 "auto sends what is large enough to gain by it; "
							 "force sends all that has a kernel, and raises an error if there is no device.",
							 &gpured_offload_setting,
							 GPURED_OFFLOAD_AUTO,
							 offload_options,
							 PGC_USERSET,
							 0,
							 NULL, NULL, NULL);

	DefineCustomIntVariable("gpured.buffer_size",
							"Sets the size of the pool of batches shared with gpured-server.",
							"Takes effect when the server starts; a change at reload restarts it.",
							&gpured_buffer_size,
							256 * 1024,
							1024,
							INT_MAX,
							PGC_SIGHUP,
							GUC_UNIT_KB,
							NULL, NULL, NULL);

	DefineCustomIntVariable("gpured.request_timeout",
							"Sets the longest time that a session waits for one answer of gpured-server.",
							"After it the session computes the batch itself.",
							&gpured_request_timeout,
							10000,
							1,
							INT_MAX,
							PGC_USERSET,
							GUC_UNIT_MS,
							NULL, NULL, NULL);

	DefineCustomBoolVariable("gpured.enable_column_scan",
							 "Enables the planner's use of scans that aggregate columns of a table.",
							 NULL,
							 &gpured_enable_column_scan,
							 true,
							 PGC_USERSET,
							 GUC_EXPLAIN,
							 NULL, NULL, NULL);

	DefineCustomRealVariable("gpured.cpu_column_tuple_cost",
							 "Sets the planner's estimate of the cost of a row for each column of a column scan.",
							 NULL,
							 &gpured_cpu_column_tuple_cost,
							 gpured_cpu_column_tuple_cost,
							 0,
							 DBL_MAX,
							 PGC_USERSET,
							 GUC_EXPLAIN,
							 NULL, NULL, NULL);

	DefineCustomEnumVariable("gpured.debug_scan",
							 "Forbids column scans, or has them wherever they are possible, for tests.",
							 NULL,
							 &gpured_debug_scan,
							 GPURED_SCAN_ALLOW,
							 debug_scan_options,
							 PGC_USERSET,
							 GUC_EXPLAIN | GUC_NOT_IN_SAMPLE,
							 NULL, NULL, NULL);

	DefineCustomStringVariable("gpured.debug_server_arguments",
							   "Sets more arguments of gpured-server, for tests.",
							   NULL,
							   &gpured_debug_server_arguments,
							   "",
							   PGC_SIGHUP,
							   GUC_SUPERUSER_ONLY | GUC_NOT_IN_SAMPLE | GUC_NO_SHOW_ALL,
							   NULL, NULL, NULL);

	MarkGUCPrefixReserved("gpured");

	gpured_stats_init();
	gpured_progress_init();
	gpured_plan_init();
	if (process_shared_preload_libraries_in_progress)
		gpured_supervisor_register();
}

/* The version of the loaded library. */
Datum
gpured_version(PG_FUNCTION_ARGS)
{
	PG_RETURN_TEXT_P(cstring_to_text(GPURED_VERSION));
}

static void
suggest_at_commit(XactEvent event, void *arg)
{
	bool		due = suggestion_due;

	suggestion_due = false;
	if (!due || event != XACT_EVENT_PRE_COMMIT)
		return;
	ereport(NOTICE,
			(errmsg("gpured is not preloaded"),
			 errdetail("It works, but gpured-server starts only when a session first wants it, and gpured_stats has no counters of the cluster."),
			 errhint("Add this line to postgresql.conf and restart PostgreSQL: shared_preload_libraries = 'gpured'")));
}

/*
 * Called by the extension's script.  While that runs, no message below a
 * WARNING is shown, and this is none: so it comes when the transaction ends.
 */
Datum
gpured_suggest_preload(PG_FUNCTION_ARGS)
{
	static bool registered = false;

	if (gpured_cluster_stats == NULL)
	{
		if (!registered)
			RegisterXactCallback(suggest_at_commit, NULL);
		registered = true;
		suggestion_due = true;
	}
	PG_RETURN_VOID();
}

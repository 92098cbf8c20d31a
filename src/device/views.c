/*
 * views.c
 *	  gpured_devices and gpured_stats: what computes, and what has been computed.
 *
 * Both look and change nothing: they start no server, and they answer whether
 * or not there is one.
 */
#include "postgres.h"

#include "catalog/pg_authid.h"
#include "funcapi.h"
#include "miscadmin.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/timestamp.h"

#include "device/lease.h"
#include "gpured.h"
#include "stats.h"
#include "supervisor.h"

PG_FUNCTION_INFO_V1(gpured_devices);
PG_FUNCTION_INFO_V1(gpured_stats);

/* A row being built. */
typedef struct Row
{
	Datum		values[16];
	bool		nulls[16];
	int			n;
} Row;

/* Text from elsewhere is shown as plain ASCII, valid in every encoding. */
static void
add_text(Row *row, const char *text)
{
	char	   *copy = pstrdup(text ? text : "");

	for (char *p = copy; *p; p++)
	{
		if ((unsigned char) *p < ' ' || (unsigned char) *p > '~')
			*p = '?';
	}
	row->nulls[row->n] = copy[0] == '\0';
	row->values[row->n++] = CStringGetTextDatum(copy);
}

static void
add_bool(Row *row, bool value)
{
	row->nulls[row->n] = false;
	row->values[row->n++] = BoolGetDatum(value);
}

/* 0 is shown as NULL: not known. */
static void
add_int8(Row *row, int64 value)
{
	row->nulls[row->n] = value == 0;
	row->values[row->n++] = Int64GetDatum(value);
}

static void
add_int4(Row *row, int32 value)
{
	row->nulls[row->n] = value == 0;
	row->values[row->n++] = Int32GetDatum(value);
}

/* A CUDA version, 13000 for 13.0. */
static void
add_version(Row *row, int32 version)
{
	add_text(row, version > 0 ?
			 psprintf("%d.%d", version / 1000, version % 1000 / 10) : NULL);
}

static void
add_row(FunctionCallInfo fcinfo, Row *row)
{
	ReturnSetInfo *rsinfo = (ReturnSetInfo *) fcinfo->resultinfo;

	Assert(row->n == rsinfo->setDesc->natts);
	tuplestore_putvalues(rsinfo->setResult, rsinfo->setDesc,
						 row->values, row->nulls);
	memset(row, 0, sizeof(*row));
}

static void
add_device(FunctionCallInfo fcinfo, const char *place, const char *device,
		   const char *reason, const GpuredDeviceInfo *info, int pid,
		   const char *state)
{
	Row			row = {.n = 0};

	add_text(&row, place);
	add_text(&row, device);
	add_text(&row, info->name);
	add_bool(&row, reason[0] == '\0');
	add_text(&row, reason);
	add_text(&row, info->capability > 0 ?
			 psprintf("%d.%d", info->capability / 10, info->capability % 10) : NULL);
	add_int8(&row, info->memory);
	add_version(&row, info->driver_version);
	add_version(&row, info->runtime_version);
	add_int4(&row, pid);
	add_text(&row, state);
	add_row(fcinfo, &row);
}

/*
 * There is no connection: put into *words in which state the server is, and
 * why.  "status" is what the attempt to connect has found.
 */
static void
explain_absence(GpuredLastWords *words, const GpuredStatus *status)
{
	const char *state = words->state;

	if (gpured_device_setting == GPURED_DEVICE_OFF)
	{
		words->device[0] = '\0';
		state = "off";
		strlcpy(words->reason, "gpured.device is off.", sizeof(words->reason));
	}
	else if (!gpured_supervisor_running())
	{
		/* What was said by one that runs no more is not about now. */
		words->device[0] = '\0';
		state = "not running";
		strlcpy(words->reason, gpured_cluster_stats != NULL ?
				"gpured-server is not running, and neither is its supervisor; PostgreSQL starts that within seconds." :
				"gpured-server has not been started: gpured is not in shared_preload_libraries, and no session has wanted the server yet.",
				sizeof(words->reason));
	}
	else if (state[0] == '\0')
	{
		state = "starting";
		strlcpy(words->reason, "gpured-server is starting.", sizeof(words->reason));
	}
	else if (strcmp(state, "running") == 0)
	{
		/* It runs, and yet: it hangs, is full, or has just ended. */
		if (status->code == GPURED_TIMEOUT)
			state = "not answering";
		strlcpy(words->reason, status->reason, sizeof(words->reason));
	}
	memmove(words->state, state, strlen(state) + 1);
}

/* Why a server that answers is not used by this session; empty if it is. */
static const char *
why_not_used(const GpuredWelcome *welcome)
{
	if (gpured_offload_setting == GPURED_OFFLOAD_OFF)
		return "gpured.offload is off.";
	if (gpured_offload_setting == GPURED_OFFLOAD_FORCE)
		return "";
	if (strcmp(welcome->device, "cuda") != 0)
		return "Under gpured.offload = auto only a CUDA device is used.";
	for (int op = GPURED_none + 1; op < GPURED_NUM_OPS; op++)
	{
		if (gpured_break_even(op, GPURED_PATH_ROW) != UINT64_MAX ||
			gpured_break_even(op, GPURED_PATH_SCAN) != UINT64_MAX)
			return "";
	}
	return "Under gpured.offload = auto nothing is sent: values are added sooner than sent.";
}

/* The server's device, or why there is none. */
static void
add_server_device(FunctionCallInfo fcinfo)
{
	GpuredStatus status;
	GpuredConnection *connection = gpured_proxy_connect(&status);

	if (connection != NULL)
	{
		GpuredWelcome welcome = *gpured_proxy_welcome(connection);

		gpured_proxy_disconnect(connection);
		add_device(fcinfo, "server", welcome.device, why_not_used(&welcome),
				   &welcome.info, welcome.pid, "running");
	}
	else
	{
		GpuredLastWords words;
		GpuredDeviceInfo info = {.usable = false};

		gpured_last_words(&words);
		explain_absence(&words, &status);
		add_device(fcinfo, "server", words.device, words.reason, &info, 0,
				   words.state);
	}
}

Datum
gpured_devices(PG_FUNCTION_ARGS)
{
	GpuredDeviceInfo info;

	memset(&info, 0, sizeof(info));
	InitMaterializedSRF(fcinfo, 0);
	add_server_device(fcinfo);
	(void) gpured_cpu_device.probe(&info);
	add_device(fcinfo, "session", gpured_cpu_device.name, "", &info, MyProcPid,
			   "running");
	return (Datum) 0;
}

/* Counters are of a scope and maybe of a way in; 0 is a number like any other. */
typedef struct CounterRows
{
	FunctionCallInfo fcinfo;
	const char *scope;
	TimestampTz since;
} CounterRows;

static void
add_counter(const CounterRows *rows, const char *path, const char *name,
			uint64 value, const char *detail)
{
	Row			row = {.n = 0};

	add_text(&row, rows->scope);
	add_text(&row, path);
	add_text(&row, name);
	add_int8(&row, value);
	row.nulls[row.n - 1] = false;
	add_text(&row, detail);
	row.values[row.n++] = TimestampTzGetDatum(rows->since);
	add_row(rows->fcinfo, &row);
}

/* The session's own counters or the cluster's. */
static void
add_counters(FunctionCallInfo fcinfo, const char *scope, GpuredStats *stats)
{
	static const struct
	{
		int			counter;
		const char *name;
		uint64		unit;
	}			of_rows[] = {
		{GPURED_COUNT_AGGREGATES, "aggregates", 1},
		{GPURED_COUNT_SERVER_AGGREGATES, "server_aggregates", 1},
		{GPURED_COUNT_BATCHES, "batches", 1},
		{GPURED_COUNT_ROWS, "rows", 1},
		{GPURED_COUNT_BYTES, "bytes", 1},
		{GPURED_COUNT_DEVICE_NS, "device_time_us", 1000},
		{GPURED_COUNT_FALLBACK_BATCHES, "fallback_batches", 1},
		{GPURED_COUNT_FALLBACK_ROWS, "fallback_rows", 1}
	};
	static const char *const fallback_names[] = {
		[GPURED_UNAVAILABLE] = "fallbacks_unavailable",
		[GPURED_BUSY] = "fallbacks_busy",
		[GPURED_TIMEOUT] = "fallbacks_timeout",
		[GPURED_NO_MEMORY] = "fallbacks_no_memory",
		[GPURED_DEVICE_FAILED] = "fallbacks_device_failed",
		[GPURED_PROTOCOL] = "fallbacks_protocol"
	};
	static const char *const path_names[] = {
		[GPURED_PATH_ROW] = "row",
		[GPURED_PATH_SCAN] = "scan"
	};
	CounterRows rows = {fcinfo, scope, pg_atomic_read_u64(&stats->reset_at)};

	if (rows.since == 0)
		rows.since = MyStartTimestamp;
	for (GpuredPath path = 0; path < GPURED_NUM_PATHS; path++)
	{
		pg_atomic_uint64 *counters = stats->counters + path * GPURED_NUM_PATH_COUNTERS;
		GpuredStatus last = gpured_last_fallback(stats, path);

		for (int i = 0; i < lengthof(of_rows); i++)
			add_counter(&rows, path_names[path], of_rows[i].name,
						pg_atomic_read_u64(&counters[of_rows[i].counter]) / of_rows[i].unit,
						NULL);
		for (int code = GPURED_UNAVAILABLE; code <= GPURED_PROTOCOL; code++)
			add_counter(&rows, path_names[path], fallback_names[code],
						pg_atomic_read_u64(&counters[GPURED_COUNT_FALLBACKS + code]),
						last.code == code ? last.reason : NULL);
	}
}

/* What only the cluster has. */
static void
add_starts(FunctionCallInfo fcinfo, GpuredStats *stats)
{
	CounterRows rows = {fcinfo, "cluster", pg_atomic_read_u64(&stats->reset_at)};

	add_counter(&rows, NULL, "server_starts",
				pg_atomic_read_u64(&stats->counters[GPURED_COUNT_SERVER_STARTS]), NULL);
	add_counter(&rows, NULL, "server_restarts",
				pg_atomic_read_u64(&stats->counters[GPURED_COUNT_SERVER_RESTARTS]), NULL);
}

/* What the server that runs now says of itself. */
static void
add_server_counters(FunctionCallInfo fcinfo)
{
	GpuredStatus status;
	GpuredConnection *connection = gpured_proxy_connect(&status);
	GpuredCounters server;
	CounterRows rows = {fcinfo, "server"};
	TimestampTz now;
	volatile bool answered = false;

	if (connection == NULL)
		return;
	PG_TRY();
	{
		answered = gpured_proxy_counters(connection, &server, &status);
	}
	PG_FINALLY();
	{
		gpured_proxy_disconnect(connection);
	}
	PG_END_TRY();
	if (!answered)
		return;


	/* A server is no older than its PostgreSQL, whatever it says. */
	now = GetCurrentTimestamp();
	rows.since = now - Min(server.uptime_ms, (uint64) Max(now - PgStartTime, 0) / 1000) * 1000;
	add_counter(&rows, NULL, "requests", server.requests, NULL);
	add_counter(&rows, NULL, "batches", server.batches, NULL);
	add_counter(&rows, NULL, "rows", server.rows, NULL);
	add_counter(&rows, NULL, "bytes", server.bytes, NULL);
	add_counter(&rows, NULL, "failures", server.failures, NULL);
	add_counter(&rows, NULL, "kernel_launches", server.launches, NULL);
	add_counter(&rows, NULL, "device_time_us", server.device_ns / 1000, NULL);
	add_counter(&rows, NULL, "clients", server.clients, NULL);
	add_counter(&rows, NULL, "slots_used", server.slots_used, NULL);
	add_counter(&rows, NULL, "slots", server.slots, NULL);
	add_counter(&rows, NULL, "uptime_ms", server.uptime_ms, NULL);
}

/*
 * What concerns other sessions is for those who may read all statistics; a
 * session's own is for everybody.
 */
Datum
gpured_stats(PG_FUNCTION_ARGS)
{
	InitMaterializedSRF(fcinfo, 0);
	add_counters(fcinfo, "session", &gpured_session_stats);
	if (!has_privs_of_role(GetUserId(), ROLE_PG_READ_ALL_STATS))
		return (Datum) 0;
	if (gpured_cluster_stats != NULL)
	{
		add_counters(fcinfo, "cluster", gpured_cluster_stats);
		add_starts(fcinfo, gpured_cluster_stats);
	}
	add_server_counters(fcinfo);
	return (Datum) 0;
}

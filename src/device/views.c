/*
 * views.c
 *	  gpured_devices and gpured_stats: what computes, and what has been computed.
 *
 * Both look and change nothing: they start no server, and they answer whether
 * or not there is one.
 */
#include "postgres.h"

#include "funcapi.h"
#include "miscadmin.h"
#include "utils/builtins.h"

#include "device/proxy.h"
#include "device/stats.h"
#include "gpured.h"

GpuredSessionStats gpured_session_stats;

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

/* The server's device, or why there is none. */
static void
add_server_device(FunctionCallInfo fcinfo)
{
	GpuredStatus status;
	GpuredConnection *connection = gpured_proxy_connect(&status);

	if (connection != NULL)
	{
		GpuredWelcome welcome = *gpured_proxy_welcome(connection);
		const char *reason = "";

		gpured_proxy_disconnect(connection);
		if (gpured_offload_setting == GPURED_OFFLOAD_OFF)
			reason = "gpured.offload is off.";
		else if (gpured_offload_setting == GPURED_OFFLOAD_AUTO &&
				 strcmp(welcome.device, "cuda") != 0)
			reason = "Under gpured.offload = auto only a CUDA device is used.";
		add_device(fcinfo, "server", welcome.device, reason, &welcome.info,
				   welcome.pid, "running");
	}
	else
	{
		GpuredLastWords words;
		GpuredDeviceInfo info = {.usable = false};

		/* What was said by one that runs no more is not about now. */
		gpured_last_words(&words);
		if (gpured_device_setting == GPURED_DEVICE_OFF)
		{
			strlcpy(words.state, "off", sizeof(words.state));
			words.device[0] = words.reason[0] = '\0';
		}
		else if (words.state[0] == '\0' || strcmp(words.state, "running") == 0)
		{
			strlcpy(words.state, "not running", sizeof(words.state));
			words.reason[0] = '\0';
		}
		add_device(fcinfo, "server", words.device,
				   words.reason[0] ? words.reason : status.reason, &info, 0,
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

static void
add_counter(FunctionCallInfo fcinfo, const char *place, const char *name,
			uint64 value, const char *detail)
{
	Row			row = {.n = 0};

	add_text(&row, place);
	add_text(&row, name);
	add_int8(&row, value);
	row.nulls[2] = false;
	add_text(&row, detail);
	add_row(fcinfo, &row);
}

Datum
gpured_stats(PG_FUNCTION_ARGS)
{
	static const char *const fallback_names[] = {
		[GPURED_OK] = "fallbacks_other",
		[GPURED_UNAVAILABLE] = "fallbacks_unavailable",
		[GPURED_BUSY] = "fallbacks_busy",
		[GPURED_TIMEOUT] = "fallbacks_timeout",
		[GPURED_NO_MEMORY] = "fallbacks_no_memory",
		[GPURED_DEVICE_FAILED] = "fallbacks_device_failed",
		[GPURED_PROTOCOL] = "fallbacks_protocol"
	};
	const GpuredSessionStats *session = &gpured_session_stats;
	GpuredConnection *connection;
	GpuredCounters server;
	GpuredStatus status;
	volatile bool answered = false;

	InitMaterializedSRF(fcinfo, 0);
	add_counter(fcinfo, "session", "aggregates", session->aggregates, NULL);
	add_counter(fcinfo, "session", "batches", session->batches, NULL);
	add_counter(fcinfo, "session", "rows", session->rows, NULL);
	add_counter(fcinfo, "session", "bytes", session->bytes, NULL);
	add_counter(fcinfo, "session", "fallback_batches", session->fallback_batches, NULL);
	add_counter(fcinfo, "session", "fallback_rows", session->fallback_rows, NULL);
	for (int code = GPURED_UNAVAILABLE; code <= GPURED_PROTOCOL; code++)
		add_counter(fcinfo, "session", fallback_names[code],
					session->fallbacks[code],
					session->last_fallback.code == code ?
					session->last_fallback.reason : NULL);

	connection = gpured_proxy_connect(&status);
	if (connection == NULL)
		return (Datum) 0;
	PG_TRY();
	{
		answered = gpured_proxy_counters(connection, &server, &status);
	}
	PG_FINALLY();
	{
		gpured_proxy_disconnect(connection);
	}
	PG_END_TRY();
	if (answered)
	{
		add_counter(fcinfo, "server", "requests", server.requests, NULL);
		add_counter(fcinfo, "server", "batches", server.batches, NULL);
		add_counter(fcinfo, "server", "rows", server.rows, NULL);
		add_counter(fcinfo, "server", "bytes", server.bytes, NULL);
		add_counter(fcinfo, "server", "failures", server.failures, NULL);
		add_counter(fcinfo, "server", "kernel_launches", server.launches, NULL);
		add_counter(fcinfo, "server", "device_us", server.device_ns / 1000, NULL);
		add_counter(fcinfo, "server", "clients", server.clients, NULL);
		add_counter(fcinfo, "server", "slots_used", server.slots_used, NULL);
		add_counter(fcinfo, "server", "slots", server.slots, NULL);
		add_counter(fcinfo, "server", "uptime_ms", server.uptime_ms, NULL);
	}
	return (Datum) 0;
}

/*
 * program_time.c
 *	  Functions of dates and times in programs.
 *
 * What depends on the time of day is computed here.  What depends on the calendar is
 * the same for all times of a day, and PostgreSQL's own function says it once for each
 * day; in a time zone, of each local day.  A zone's offset is kept for as long as it
 * lasts.  Infinite times, and those near the ends of what there is, are left to
 * PostgreSQL.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "common/int.h"
#include "datatype/timestamp.h"
#include "miscadmin.h"
#include "nodes/nodeFuncs.h"
#include "pgtime.h"
#include "utils/builtins.h"
#include "utils/date.h"
#include "utils/fmgroids.h"
#include "utils/timestamp.h"

#include "scan/program_node.h"

/*
 * Times from 6654 years before 2000 to 291536 after it, where nothing that follows can
 * overflow; those in a time zone end 8239 years after it.
 */
#define LEAST_TIME	(INT64CONST(-210000000) * USECS_PER_SEC * 1000)
#define LAST_TIME	(INT64CONST(9200000000) * USECS_PER_SEC * 1000)
#define LAST_ZONE_TIME (INT64CONST(260000000) * USECS_PER_SEC * 1000)

/* Intervals of at most 1000 years may be added to times within 3168 years of 2000. */
#define MOST_SHIFTED (INT64CONST(100000000) * USECS_PER_SEC * 1000)
#define MOST_MONTHS 12000
#define MOST_DAYS	365000

/* Between -most and most; the absolute value of the least integer is none. */
static inline bool
is_within(int64 value, int64 most)
{
	return value >= -most && value <= most;
}

/* Whether an interval is so short, for which it is not infinite. */
static inline bool
is_short(const Interval *span)
{
	return is_within(span->month, MOST_MONTHS) && is_within(span->day, MOST_DAYS) &&
		is_within(span->time, MOST_DAYS * USECS_PER_DAY);
}

static inline bool
is_near(int64 time)
{
	return time >= LEAST_TIME && time <= LAST_TIME;
}

/* Whether its midnight is. */
static inline bool
is_near_date(int64 date)
{
	return date >= LEAST_TIME / USECS_PER_DAY && date <= LAST_TIME / USECS_PER_DAY;
}

static inline int64
divide_down(int64 value, int64 unit)
{
	int64		rest = value % unit;

	return value / unit - (rest < 0);
}

static inline int64
floor_to(int64 value, int64 unit)
{
	int64		rest = value % unit;

	return value - (rest < 0 ? rest + unit : rest);
}

static inline int64
time_of_day(int64 time)
{
	return time - floor_to(time, USECS_PER_DAY);
}

/* ---- time zones --------------------------------------------------------- */

/*
 * When a zone changes next after a time in seconds, if ever; false if that cannot be told.
 * At the last change that its file has, PostgreSQL tells of none that follows, but a
 * second later it goes on with the file's rule.
 */
static bool
find_change(pg_time_t time, const pg_tz *tz, pg_time_t *change)
{
	int			found = 0;

	for (pg_time_t t = time; found == 0 && t <= time + 1; t++)
	{
		long		before;
		long		after;
		int			before_dst;
		int			after_dst;

		found = pg_next_dst_boundary(&t, &before, &before_dst, change, &after, &after_dst, tz);
	}
	if (found == 0)
		*change = PG_INT64_MAX;
	return found >= 0;
}

/* Learn the offset of a zone at a time, and for how long it lasts. */
static bool
find_offset(GpuredZoneSpan *span, pg_time_t time, const pg_tz *tz)
{
	const struct pg_tm *local = pg_localtime(&time, tz);
	pg_time_t	until;

	if (local == NULL || !find_change(time, tz, &until))
		return false;

	/* It is that of all times from the earliest that has been asked for. */
	span->from = span->until == until ? Min(span->from, time) : time;
	span->until = until;
	span->offset = local->tm_gmtoff * USECS_PER_SEC;
	return true;
}

/* The local time of a time with time zone; false if it cannot be told. */
static inline bool
to_local(GpuredProgram *program, int64 time, int64 *local)
{
	pg_time_t	seconds = divide_down(time, USECS_PER_SEC) +
		(POSTGRES_EPOCH_JDATE - UNIX_EPOCH_JDATE) * SECS_PER_DAY;
	GpuredZoneSpan *span;

	if (time < LEAST_TIME || time > LAST_ZONE_TIME)
		return false;
	if (unlikely(program->zone == NULL))
		program->zone = MemoryContextAllocZero(program->context,
											   GPURED_ZONE_SLOTS * sizeof(GpuredZoneSpan));

	/* A slot for a hundred days, so that times in any order find their own. */
	span = &program->zone[(uint64) (seconds >> 23) % GPURED_ZONE_SLOTS];
	if (unlikely(seconds < span->from || seconds >= span->until) &&
		!find_offset(span, seconds, program->tz != NULL ? program->tz : session_timezone))
		return false;
	*local = time + span->offset;
	return true;
}

/* The local times of a node's only time, in the order of rows; those of no zone as they are. */
static bool
local_times(GpuredProgram *program, int n, const bool *live, int64 *local)
{
	const GpuredProgram *arg = program->args[0];
	const bool	in_zone = arg->type == TIMESTAMPTZOID;

	for (int i = 0; i < n; i++)
	{
		local[i] = 0;
		if (!live[i])
			continue;
		if (in_zone ? !to_local(program, arg->i[i], &local[i]) : !is_near(arg->i[i]))
			return false;
		if (!in_zone)
			local[i] = arg->i[i];
	}
	return true;
}

/* ---- functions of days -------------------------------------------------- */

/* A function's result for a day, which PostgreSQL computes of any time in it. */
typedef int64 (*OfDay) (GpuredProgram *program, int64 time);

static inline int64
of_day(GpuredProgram *program, int64 day, int64 time, OfDay function)
{
	GpuredDay  *slot;

	if (unlikely(program->days == NULL))
		program->days = MemoryContextAllocZero(program->context,
											   GPURED_DAY_SLOTS * sizeof(GpuredDay));
	slot = &program->days[(uint64) day % GPURED_DAY_SLOTS];
	if (unlikely(!slot->known || slot->day != day))
	{
		MemoryContext old;

		slot->known = false;
		ResetExprContext(program->econtext);
		old = MemoryContextSwitchTo(program->econtext->ecxt_per_tuple_memory);
		slot->result = function(program, time);
		MemoryContextSwitchTo(old);
		slot->day = day;
		slot->known = true;
	}
	return slot->result;
}

static int64
truncate_day(GpuredProgram *program, int64 time)
{
	if (program->tz != NULL)
		return DatumGetInt64(DirectFunctionCall3(timestamptz_trunc_zone, program->extra,
												 Int64GetDatum(time), program->zone_name));
	return DatumGetInt64(DirectFunctionCall2(program->builtin, program->extra, Int64GetDatum(time)));
}

/* date_part, whose result is a small integer. */
static int64
part_of_day(GpuredProgram *program, int64 time)
{
	return (int64) DatumGetFloat8(DirectFunctionCall2(timestamp_part, program->extra,
													  Int64GetDatum(time)));
}

/* ---- constant arguments ------------------------------------------------- */

/* An argument's name, of a unit or a zone, if it is constant, else NULL. */
static char *
constant_name(const List *args, int n)
{
	const Const *name = gpured_constant_argument(args, n, TEXTOID);

	return name != NULL ? TextDatumGetCString(name->constvalue) : NULL;
}

static bool
is_one_of(const char *name, const char *const *names, int n)
{
	for (int i = 0; i < n; i++)
	{
		if (pg_strcasecmp(name, names[i]) == 0)
			return true;
	}
	return false;
}

/* ---- date_trunc --------------------------------------------------------- */

static const char *const truncated_days[] = {"week", "month", "quarter", "year", "decade"};

/* Units of less than a day have a length; those of more go by days. */
static bool
accept_truncation(GpuredProgram *program, List **args)
{
	char	   *name = constant_name(*args, 0);
	int64		unit = 0;
	bool		in_zone = exprType(lsecond(*args)) == TIMESTAMPTZOID;

	if (name == NULL)
		return false;
	if (pg_strcasecmp(name, "second") == 0)
		unit = USECS_PER_SEC;
	else if (pg_strcasecmp(name, "minute") == 0)
		unit = USECS_PER_MINUTE;
	else if (pg_strcasecmp(name, "hour") == 0)
		unit = USECS_PER_HOUR;
	else if (pg_strcasecmp(name, "day") == 0)
		unit = in_zone ? 0 : USECS_PER_DAY;
	else if (!is_one_of(name, truncated_days, lengthof(truncated_days)))
		return false;
	if (program != NULL)
	{
		program->unit = unit;
		program->extra = PointerGetDatum(cstring_to_text(name));
		program->builtin = in_zone ? timestamptz_trunc : timestamp_trunc;
	}
	*args = list_make1(lsecond(*args));
	return true;
}

/*
 * A constant zone.  Only those with a slash are known here, since other names may be
 * abbreviations, and none with leap seconds, which are no part of its offsets.
 */
static bool
accept_zone_name(GpuredProgram *program, const List *args, int n)
{
	char	   *name = constant_name(args, n);
	pg_tz	   *tz;

	if (name == NULL || strchr(name, '/') == NULL || strlen(name) > TZ_STRLEN_MAX)
		return false;
	tz = pg_tzset(name);
	if (tz == NULL || !pg_tz_acceptable(tz))
		return false;
	if (program != NULL)
	{
		program->tz = tz;
		program->zone_name = PointerGetDatum(cstring_to_text(name));
	}
	return true;
}

static bool
accept_truncation_in_zone(GpuredProgram *program, List **args)
{
	return accept_zone_name(program, *args, 2) && accept_truncation(program, args);
}

/* AT TIME ZONE */
static bool
accept_zone(GpuredProgram *program, List **args)
{
	if (!accept_zone_name(program, *args, 0))
		return false;
	*args = list_make1(lsecond(*args));
	return true;
}

/* In local time, at the offset that the time itself has. */
static bool
truncate_times(GpuredProgram *program, int n, const bool *live)
{
	const int64 *time = program->args[0]->i;
	int64		local[GPURED_PAGE_ROWS];

	if (!local_times(program, n, live, local))
		return false;
	for (int i = 0; i < n; i++)
	{
		if (!live[i])
			continue;
		if (program->unit > 0)
			program->i[i] = floor_to(local[i], program->unit) - (local[i] - time[i]);
		else
			program->i[i] = of_day(program, divide_down(local[i], USECS_PER_DAY), time[i],
								   truncate_day);
	}
	return true;
}

/* ---- extract and date_part ---------------------------------------------- */

static const char *const day_parts[] = {
	"day", "month", "quarter", "year", "week", "dow", "isodow", "doy", "isoyear", "decade",
	"century", "millennium"
};

/* What is known to be extracted: a part of the day, of the time of day, or all. */
enum
{
	PART_OF_DAY,
	PART_HOUR,
	PART_MINUTE,
	PART_SECOND,
	PART_MILLISECONDS,
	PART_MICROSECONDS,
	PART_EPOCH
};

static bool
accept_part(GpuredProgram *program, List **args)
{
	char	   *name = constant_name(*args, 0);
	Oid			type = exprType(lsecond(*args));
	int			part;

	if (name == NULL)
		return false;
	if (pg_strcasecmp(name, "epoch") == 0)
		part = PART_EPOCH;
	else if (type == INTERVALOID)
		return false;
	else if (is_one_of(name, day_parts, lengthof(day_parts)))
		part = PART_OF_DAY;
	else if (type == DATEOID)
		return false;
	else if (pg_strcasecmp(name, "hour") == 0)
		part = PART_HOUR;
	else if (pg_strcasecmp(name, "minute") == 0)
		part = PART_MINUTE;
	else if (pg_strcasecmp(name, "second") == 0)
		part = PART_SECOND;
	else if (pg_strcasecmp(name, "milliseconds") == 0)
		part = PART_MILLISECONDS;
	else if (pg_strcasecmp(name, "microseconds") == 0)
		part = PART_MICROSECONDS;
	else
		return false;
	if (program != NULL)
	{
		program->unit = part;
		program->extra = PointerGetDatum(cstring_to_text(name));
	}
	*args = list_make1(lsecond(*args));
	return true;
}

/* Put in an integer with so many decimals, as a numeric or as a float8. */
static inline void
put_part(GpuredProgram *program, int i, int64 value, int decimals)
{
	if (program->domain == GPURED_DOMAIN_FLOAT)
	{
		Assert(decimals == 0);
		program->d[i] = (double) value;
		return;
	}
	program->i[i] = value;
	program->scale[i] = decimals;
}

/* Seconds and what is smaller: date_part adds two floats. */
static void
put_seconds(GpuredProgram *program, int i, int64 time)
{
	int64		micros = time % USECS_PER_MINUTE;
	double		seconds = (double) (micros / USECS_PER_SEC);
	double		fraction = (double) (micros % USECS_PER_SEC);

	if (program->unit == PART_MICROSECONDS)
		put_part(program, i, micros, 0);
	else if (program->domain == GPURED_DOMAIN_NUMERIC)
		put_part(program, i, micros, program->unit == PART_SECOND ? 6 : 3);
	else if (program->unit == PART_SECOND)
		program->d[i] = seconds + fraction / 1000000.0;
	else
		program->d[i] = seconds * 1000.0 + fraction / 1000.0;
}

#define EPOCH_DAYS (POSTGRES_EPOCH_JDATE - UNIX_EPOCH_JDATE)

static bool
epoch_of_time(GpuredProgram *program, int n, const bool *live)
{
	const int64 *time = program->args[0]->i;

	for (int i = 0; i < n; i++)
	{
		int64		since;

		if (!live[i])
			continue;
		if (!is_near(time[i]))
			return false;
		since = time[i] + EPOCH_DAYS * USECS_PER_DAY;
		if (program->domain == GPURED_DOMAIN_FLOAT)
			program->d[i] = since / 1000000.0;
		else
			put_part(program, i, since, 6);
	}
	return true;
}

static bool
part_of_time(GpuredProgram *program, int n, const bool *live)
{
	int64		local[GPURED_PAGE_ROWS];

	/* Time zones do not matter to it. */
	if (program->unit == PART_EPOCH)
		return epoch_of_time(program, n, live);
	if (!local_times(program, n, live, local))
		return false;
	for (int i = 0; i < n; i++)
	{
		if (!live[i])
			continue;
		switch (program->unit)
		{
			case PART_OF_DAY:
				put_part(program, i, of_day(program, divide_down(local[i], USECS_PER_DAY), local[i],
											part_of_day), 0);
				break;
			case PART_HOUR:
				put_part(program, i, time_of_day(local[i]) / USECS_PER_HOUR, 0);
				break;
			case PART_MINUTE:
				put_part(program, i, time_of_day(local[i]) % USECS_PER_HOUR / USECS_PER_MINUTE, 0);
				break;
			default:
				put_seconds(program, i, time_of_day(local[i]));
				break;
		}
	}
	return true;
}

static bool
part_of_date(GpuredProgram *program, int n, const bool *live)
{
	const int64 *date = program->args[0]->i;

	for (int i = 0; i < n; i++)
	{
		if (!live[i])
			continue;
		if (!is_near_date(date[i]))
			return false;
		if (program->unit == PART_EPOCH)
			put_part(program, i, (date[i] + EPOCH_DAYS) * SECS_PER_DAY, 0);
		else
			put_part(program, i, of_day(program, date[i], date[i] * USECS_PER_DAY, part_of_day), 0);
	}
	return true;
}

/* Seconds of an interval, of which a year has 365.25 days and a month 30. */
static double
seconds_of_interval(const Interval *span)
{
	double		result = span->time / 1000000.0;

	result += ((double) DAYS_PER_YEAR * SECS_PER_DAY) * (span->month / MONTHS_PER_YEAR);
	result += ((double) DAYS_PER_MONTH * SECS_PER_DAY) * (span->month % MONTHS_PER_YEAR);
	result += ((double) SECS_PER_DAY) * span->day;
	return result;
}

/* The same in microseconds; false if there are too many. */
static bool
micros_of_interval(const Interval *span, int64 *result)
{
	int64		quarters = (int64) (4 * DAYS_PER_YEAR) * (span->month / MONTHS_PER_YEAR) +
		(int64) (4 * DAYS_PER_MONTH) * (span->month % MONTHS_PER_YEAR) + (int64) 4 * span->day;

	return !pg_mul_s64_overflow(quarters * (SECS_PER_DAY / 4), USECS_PER_SEC, result) &&
		!pg_add_s64_overflow(*result, span->time, result);
}

static bool
part_of_interval(GpuredProgram *program, int n, const bool *live)
{
	for (int i = 0; i < n; i++)
	{
		const Interval *span;
		int64		micros;

		if (!live[i])
			continue;
		span = (const Interval *) program->args[0]->i[i];

		/* Infinite since PostgreSQL 17. */
		if (span->month == PG_INT32_MAX || span->month == PG_INT32_MIN)
			return false;
		if (program->domain == GPURED_DOMAIN_FLOAT)
			program->d[i] = seconds_of_interval(span);
		else if (micros_of_interval(span, &micros))
			put_part(program, i, micros, 6);
		else
			return false;
	}
	return true;
}

/* ---- casts -------------------------------------------------------------- */

static bool
date_of_time(GpuredProgram *program, int n, const bool *live)
{
	if (!local_times(program, n, live, program->i))
		return false;
	for (int i = 0; i < n; i++)
		program->i[i] = divide_down(program->i[i], USECS_PER_DAY);
	return true;
}

static bool
time_of_time(GpuredProgram *program, int n, const bool *live)
{
	if (!local_times(program, n, live, program->i))
		return false;
	for (int i = 0; i < n; i++)
		program->i[i] = time_of_day(program->i[i]);
	return true;
}

static bool
timestamp_of_time(GpuredProgram *program, int n, const bool *live)
{
	return local_times(program, n, live, program->i);
}

static bool
timestamp_of_date(GpuredProgram *program, int n, const bool *live)
{
	const int64 *date = program->args[0]->i;

	for (int i = 0; i < n; i++)
	{
		if (live[i] && !is_near_date(date[i]))
			return false;
		program->i[i] = (int64) ((uint64) date[i] * USECS_PER_DAY);
	}
	return true;
}

static int64
midnight(GpuredProgram *program, int64 time)
{
	return DatumGetInt64(DirectFunctionCall1(date_timestamptz,
											 DateADTGetDatum((DateADT) (time / USECS_PER_DAY))));
}

static bool
timestamptz_of_date(GpuredProgram *program, int n, const bool *live)
{
	const int64 *date = program->args[0]->i;

	for (int i = 0; i < n; i++)
	{
		if (!live[i])
			continue;
		if (!is_near_date(date[i]) || date[i] > LAST_ZONE_TIME / USECS_PER_DAY)
			return false;
		program->i[i] = of_day(program, date[i], date[i] * USECS_PER_DAY, midnight);
	}
	return true;
}

/* ---- arithmetic --------------------------------------------------------- */

/* What is subtracted, where else it is added. */
static bool
accept_minus(GpuredProgram *program, List **args)
{
	if (program != NULL)
		program->unit = -1;
	return true;
}

static inline int
sign_of(const GpuredProgram *program)
{
	return program->unit < 0 ? -1 : 1;
}

/* A date plus or minus days. */
static bool
shift_dates(GpuredProgram *program, int n, const bool *live)
{
	const int64 *date = program->args[0]->i;
	const int64 *days = program->args[1]->i;
	const int	sign = sign_of(program);

	for (int i = 0; i < n; i++)
	{
		if (!live[i])
			continue;
		program->i[i] = date[i] + sign * days[i];
		if (!IS_VALID_DATE(date[i]) || !IS_VALID_DATE(program->i[i]))
			return false;
	}
	return true;
}

static bool
date_difference(GpuredProgram *program, int n, const bool *live)
{
	const int64 *a = program->args[0]->i;
	const int64 *b = program->args[1]->i;

	for (int i = 0; i < n; i++)
	{
		if (!live[i])
			continue;
		if (!IS_VALID_DATE(a[i]) || !IS_VALID_DATE(b[i]))
			return false;
		program->i[i] = a[i] - b[i];
	}
	return true;
}

/* An interval of days and a time of the same sign. */
static bool
time_difference(GpuredProgram *program, int n, const bool *live)
{
	const int64 *a = program->args[0]->i;
	const int64 *b = program->args[1]->i;

	if (program->intervals == NULL)
		program->intervals = MemoryContextAllocZero(program->context,
													GPURED_PAGE_ROWS * sizeof(Interval));
	for (int i = 0; i < n; i++)
	{
		Interval   *span = &program->intervals[i];
		int64		difference;

		program->i[i] = (int64) span;
		if (!live[i])
			continue;
		if (!is_near(a[i]) || !is_near(b[i]) || pg_sub_s64_overflow(a[i], b[i], &difference))
			return false;
		span->month = 0;
		span->day = (int32) (difference / USECS_PER_DAY);
		span->time = difference % USECS_PER_DAY;
	}
	return true;
}

/* By how much an interval with months shifts the times of a day. */
static int64
shift_of_day(GpuredProgram *program, int64 time)
{
	return DatumGetInt64(DirectFunctionCall2(timestamp_pl_interval, Int64GetDatum(time),
											 PointerGetDatum(&program->span))) - time;
}

/*
 * A time or date plus or minus an interval.  Months are a constant's, and those of times
 * without a time zone; in a time zone days may have 23 hours.
 */
static bool
shift_times(GpuredProgram *program, int n, const bool *live)
{
	const GpuredProgram *arg = program->args[0];
	const GpuredProgram *spans = program->args[1];
	const bool	in_zone = arg->type == TIMESTAMPTZOID;
	const int	sign = sign_of(program);

	for (int i = 0; i < n; i++)
	{
		const Interval *span;
		int64		time = arg->i[i];

		if (!live[i])
			continue;
		span = (const Interval *) spans->i[i];
		if (arg->type == DATEOID)
		{
			if (!is_near_date(time))
				return false;
			time *= USECS_PER_DAY;
		}
		if (!is_within(time, MOST_SHIFTED) || !is_short(span) ||
			(in_zone && (span->month != 0 || span->day != 0)))
			return false;
		if (span->month == 0)
		{
			program->i[i] = time + sign * (span->day * USECS_PER_DAY + span->time);
			continue;
		}
		if (spans->kind != GPURED_NODE_CONSTANT)
			return false;
		program->span.month = sign * span->month;
		program->span.day = sign * span->day;
		program->span.time = sign * span->time;
		program->i[i] = time + of_day(program, divide_down(time, USECS_PER_DAY), time, shift_of_day);
	}
	return true;
}

/* ---- bins --------------------------------------------------------------- */

/* date_bin with a constant stride, for times that are not before the origin. */
static bool
bin_times(GpuredProgram *program, int n, const bool *live)
{
	const GpuredProgram *strides = program->args[0];
	const int64 *time = program->args[1]->i;
	const int64 *origin = program->args[2]->i;

	for (int i = 0; i < n; i++)
	{
		const Interval *stride;
		int64		length;

		if (!live[i])
			continue;
		stride = (const Interval *) strides->i[i];
		if (!is_short(stride) || stride->month != 0)
			return false;
		length = stride->day * USECS_PER_DAY + stride->time;
		if (length <= 0 || !is_near(time[i]) || !is_near(origin[i]) || time[i] < origin[i])
			return false;
		program->i[i] = time[i] - (int64) ((uint64) time[i] - (uint64) origin[i]) % length;
	}
	return true;
}

#define INT GPURED_DOMAIN_INT
#define FLOAT GPURED_DOMAIN_FLOAT
#define NUMERIC GPURED_DOMAIN_NUMERIC
#define INTERVAL GPURED_DOMAIN_INTERVAL

const GpuredFunction gpured_time_functions[] = {
	{F_DATE_TRUNC_TEXT_TIMESTAMP, truncate_times, INT, 8, accept_truncation},
	{F_DATE_TRUNC_TEXT_TIMESTAMPTZ, truncate_times, INT, 8, accept_truncation},
	{F_DATE_TRUNC_TEXT_TIMESTAMPTZ_TEXT, truncate_times, INT, 8, accept_truncation_in_zone},
	{F_TIMEZONE_TEXT_TIMESTAMPTZ, timestamp_of_time, INT, 8, accept_zone},
	{F_EXTRACT_TEXT_TIMESTAMP, part_of_time, NUMERIC, 8, accept_part},
	{F_EXTRACT_TEXT_TIMESTAMPTZ, part_of_time, NUMERIC, 8, accept_part},
	{F_DATE_PART_TEXT_TIMESTAMP, part_of_time, FLOAT, 8, accept_part},
	{F_DATE_PART_TEXT_TIMESTAMPTZ, part_of_time, FLOAT, 8, accept_part},
	{F_EXTRACT_TEXT_DATE, part_of_date, NUMERIC, 8, accept_part},
	{F_EXTRACT_TEXT_INTERVAL, part_of_interval, NUMERIC, 8, accept_part},
	{F_DATE_PART_TEXT_INTERVAL, part_of_interval, FLOAT, 8, accept_part},
	{F_DATE_TIMESTAMP, date_of_time, INT, 8},
	{F_DATE_TIMESTAMPTZ, date_of_time, INT, 8},
	{F_TIME_TIMESTAMP, time_of_time, INT, 8},
	{F_TIME_TIMESTAMPTZ, time_of_time, INT, 8},
	{F_TIMESTAMP_TIMESTAMPTZ, timestamp_of_time, INT, 8},
	{F_TIMESTAMP_DATE, timestamp_of_date, INT, 8},
	{F_TIMESTAMPTZ_DATE, timestamptz_of_date, INT, 8},
	{F_DATE_PLI, shift_dates, INT, 8},
	{F_DATE_MII, shift_dates, INT, 8, accept_minus},
	{F_DATE_MI, date_difference, INT, 4},
	{F_TIMESTAMP_MI, time_difference, INTERVAL, 8},
	{F_TIMESTAMPTZ_MI, time_difference, INTERVAL, 8},
	{F_TIMESTAMP_PL_INTERVAL, shift_times, INT, 8},
	{F_TIMESTAMP_MI_INTERVAL, shift_times, INT, 8, accept_minus},
	{F_TIMESTAMPTZ_PL_INTERVAL, shift_times, INT, 8},
	{F_TIMESTAMPTZ_MI_INTERVAL, shift_times, INT, 8, accept_minus},
	{F_DATE_PL_INTERVAL, shift_times, INT, 8},
	{F_DATE_MI_INTERVAL, shift_times, INT, 8, accept_minus},
	{F_DATE_BIN_INTERVAL_TIMESTAMP_TIMESTAMP, bin_times, INT, 8},
	{F_DATE_BIN_INTERVAL_TIMESTAMPTZ_TIMESTAMPTZ, bin_times, INT, 8}
};

const int	gpured_time_nfunctions = lengthof(gpured_time_functions);

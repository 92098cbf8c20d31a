/*
 * interval.c
 *	  gpu_sum(interval) and gpu_avg(interval).
 *
 * Months, days and microseconds are summed apart, as the built-in does, but in
 * 128 bits: a total is out of range only if the total itself is, whatever came
 * before it.  Infinite intervals, which PostgreSQL has from 17 on, are counted,
 * so that an inverse transition can take one back.
 *
 * An average hands down what does not divide: a fraction of a month as days of
 * which a month has 30, a fraction of a day as seconds, rounded to millionths at
 * each step as interval division does.  It is done in integers: exact where the
 * built-in, which divides in double precision, loses digits of a long interval.
 */
#include "postgres.h"

#include "datatype/timestamp.h"
#include "libpq/pqformat.h"
#include "utils/timestamp.h"

#include "aggregate/aggregate.h"

PG_FUNCTION_INFO_V1(gpured_interval_step);
PG_FUNCTION_INFO_V1(gpured_interval_inverse);
PG_FUNCTION_INFO_V1(gpured_interval_combine);
PG_FUNCTION_INFO_V1(gpured_interval_serialize);
PG_FUNCTION_INFO_V1(gpured_interval_deserialize);
PG_FUNCTION_INFO_V1(gpured_interval_sum);
PG_FUNCTION_INFO_V1(gpured_interval_avg);

#define MILLION 1000000

typedef struct InfiniteCounts
{
	int64		noend;
	int64		nobegin;
} InfiniteCounts;

typedef struct IntervalTotal
{
	int64		n;				/* finite values */
	InfiniteCounts *infinite;	/* the others; NULL as long as there was none */
	int128		months;			/* sums of the finite ones */
	int128		days;
	int128		time;
} IntervalTotal;

static IntervalTotal *
make_total(MemoryContext context)
{
	return MemoryContextAllocZero(context, sizeof(IntervalTotal));
}

/* The state, a new one for a group's first row. */
static IntervalTotal *
get_total(FunctionCallInfo fcinfo)
{
	if (PG_ARGISNULL(0))
		return make_total(gpured_aggregate_context(fcinfo));
	return (IntervalTotal *) PG_GETARG_POINTER(0);
}

static void
add_infinite(IntervalTotal *total, int64 noend, int64 nobegin, MemoryContext context)
{
	if (total->infinite == NULL)
		total->infinite = MemoryContextAllocZero(context, sizeof(InfiniteCounts));
	total->infinite->noend += noend;
	total->infinite->nobegin += nobegin;
}

static InfiniteCounts
infinite_counts(const IntervalTotal *total)
{
	const InfiniteCounts none = {0, 0};

	return total->infinite != NULL ? *total->infinite : none;
}

/* Put a value in, or take it back with sign -1. */
static inline void
add_value(FunctionCallInfo fcinfo, IntervalTotal *total, const Interval *value, int sign)
{
#if PG_VERSION_NUM >= 170000
	if (unlikely(INTERVAL_NOT_FINITE(value)))
	{
		bool		noend = INTERVAL_IS_NOEND(value);

		add_infinite(total, noend ? sign : 0, noend ? 0 : sign, gpured_aggregate_context(fcinfo));
		return;
	}
#endif
	total->n += sign;
	total->months += (int128) value->month * sign;
	total->days += (int128) value->day * sign;
	total->time += (int128) value->time * sign;
}

Datum
gpured_interval_step(PG_FUNCTION_ARGS)
{
	IntervalTotal *total = get_total(fcinfo);

	if (!PG_ARGISNULL(1))
		add_value(fcinfo, total, PG_GETARG_INTERVAL_P(1), 1);
	PG_RETURN_POINTER(total);
}

/* Only window aggregates take values back, and only what they have put in. */
Datum
gpured_interval_inverse(PG_FUNCTION_ARGS)
{
	if (PG_ARGISNULL(0))
	{
		gpured_aggregate_context(fcinfo);
		elog(ERROR, "inverse transition of a gpured aggregate without a state");
	}
	if (!PG_ARGISNULL(1))
		add_value(fcinfo, (IntervalTotal *) PG_GETARG_POINTER(0), PG_GETARG_INTERVAL_P(1), -1);
	return PG_GETARG_DATUM(0);
}

Datum
gpured_interval_combine(PG_FUNCTION_ARGS)
{
	MemoryContext context = gpured_aggregate_context(fcinfo);
	IntervalTotal *total;
	IntervalTotal *other;

	if (PG_ARGISNULL(1))
		return gpured_unchanged(fcinfo);
	total = get_total(fcinfo);
	other = (IntervalTotal *) PG_GETARG_POINTER(1);
	total->n += other->n;
	if (other->infinite != NULL)
		add_infinite(total, other->infinite->noend, other->infinite->nobegin, context);
	total->months += other->months;
	total->days += other->days;
	total->time += other->time;
	PG_RETURN_POINTER(total);
}

Datum
gpured_interval_serialize(PG_FUNCTION_ARGS)
{
	IntervalTotal *total;
	InfiniteCounts infinite;
	StringInfoData buf;

	gpured_aggregate_context(fcinfo);
	total = (IntervalTotal *) PG_GETARG_POINTER(0);
	infinite = infinite_counts(total);
	gpured_state_begin(&buf, GPURED_STATE_INTERVAL);
	pq_sendint64(&buf, total->n);
	pq_sendint64(&buf, infinite.noend);
	pq_sendint64(&buf, infinite.nobegin);
	gpured_send_int128(&buf, total->months);
	gpured_send_int128(&buf, total->days);
	gpured_send_int128(&buf, total->time);
	PG_RETURN_BYTEA_P(gpured_state_end(&buf));
}

Datum
gpured_interval_deserialize(PG_FUNCTION_ARGS)
{
	bytea	   *serialized = PG_GETARG_BYTEA_PP(0);
	StringInfoData buf;
	IntervalTotal *total;
	InfiniteCounts infinite;

	gpured_aggregate_context(fcinfo);
	total = make_total(CurrentMemoryContext);
	gpured_state_open(&buf, serialized, GPURED_STATE_INTERVAL);
	gpured_state_need(&buf, 24);
	total->n = pq_getmsgint64(&buf);
	infinite.noend = pq_getmsgint64(&buf);
	infinite.nobegin = pq_getmsgint64(&buf);
	total->months = gpured_get_int128(&buf);
	total->days = gpured_get_int128(&buf);
	total->time = gpured_get_int128(&buf);
	gpured_state_close(&buf);
	if (total->n < 0 || infinite.noend < 0 || infinite.nobegin < 0)
		gpured_state_corrupt("Its number of values is negative.");
	if (infinite.noend > 0 || infinite.nobegin > 0)
		add_infinite(total, infinite.noend, infinite.nobegin, CurrentMemoryContext);
	PG_RETURN_POINTER(total);
}

static void
out_of_range(void)
{
	ereport(ERROR,
			(errcode(ERRCODE_DATETIME_VALUE_OUT_OF_RANGE),
			 errmsg("interval out of range")));
}

/* The state for a final function; NULL if no value is in it. */
static IntervalTotal *
final_total(FunctionCallInfo fcinfo)
{
	IntervalTotal *total;
	InfiniteCounts infinite;

	gpured_aggregate_context(fcinfo);
	if (PG_ARGISNULL(0))
		return NULL;
	total = (IntervalTotal *) PG_GETARG_POINTER(0);
	infinite = infinite_counts(total);
	if (total->n == 0 && infinite.noend == 0 && infinite.nobegin == 0)
		return NULL;
	return total;
}

/* A finite result. */
static Interval *
make_interval_result(int128 months, int128 days, int128 time)
{
	Interval   *result = palloc(sizeof(Interval));

	if (months != (int32) months || days != (int32) days || time != (int64) time)
		out_of_range();
	result->month = (int32) months;
	result->day = (int32) days;
	result->time = (int64) time;
#if PG_VERSION_NUM >= 170000
	if (INTERVAL_NOT_FINITE(result))
		out_of_range();
#endif
	return result;
}

/* The result if some value was infinite, else NULL. */
static Interval *
infinite_result(const IntervalTotal *total)
{
	InfiniteCounts infinite = infinite_counts(total);
#if PG_VERSION_NUM >= 170000
	Interval   *result;

	if (infinite.noend == 0 && infinite.nobegin == 0)
		return NULL;
	if (infinite.noend > 0 && infinite.nobegin > 0)
		out_of_range();
	result = palloc(sizeof(Interval));
	if (infinite.noend > 0)
		INTERVAL_NOEND(result);
	else
		INTERVAL_NOBEGIN(result);
	return result;
#else
	if (infinite.noend > 0 || infinite.nobegin > 0)
		gpured_state_corrupt("It has infinite intervals.");
	return NULL;
#endif
}

Datum
gpured_interval_sum(PG_FUNCTION_ARGS)
{
	IntervalTotal *total = final_total(fcinfo);
	Interval   *result;

	if (total == NULL)
		PG_RETURN_NULL();
	result = infinite_result(total);
	if (result == NULL)
		result = make_interval_result(total->months, total->days, total->time);
	PG_RETURN_INTERVAL_P(result);
}

/* The quotient, rounded to the nearest, ties to even. */
static int128
divide_rounded(int128 dividend, int64 divisor)
{
	int128		quotient = dividend / divisor;
	int128		rest = dividend % divisor;
	int128		twice = 2 * (rest < 0 ? -rest : rest);

	if (twice > divisor || (twice == divisor && quotient % 2 != 0))
		quotient += dividend < 0 ? -1 : 1;
	return quotient;
}

/*
 * The average of "total", as interval division carries fractions down.  A day is
 * a whole number of microseconds, so that a millionth of a day is one too.
 */
static Interval *
average(const IntervalTotal *total)
{
	int64		n = total->n;
	int128		days = total->days / n;
	int128		month_days;		/* of the fraction of a month, in millionths */
	int128		day_time;		/* of fractions of a day, in microseconds */

	month_days = divide_rounded(total->months % n * DAYS_PER_MONTH * MILLION, n);
	day_time = divide_rounded(total->days % n * USECS_PER_DAY, n) +
		month_days % MILLION * (USECS_PER_DAY / MILLION);
	days += month_days / MILLION + day_time / USECS_PER_DAY;
	day_time %= USECS_PER_DAY;
	return make_interval_result(total->months / n, days,
								divide_rounded(total->time + day_time * n, n));
}

Datum
gpured_interval_avg(PG_FUNCTION_ARGS)
{
	IntervalTotal *total = final_total(fcinfo);
	Interval   *result;

	if (total == NULL)
		PG_RETURN_NULL();
	result = infinite_result(total);
	if (result == NULL)
		result = average(total);
	PG_RETURN_INTERVAL_P(result);
}

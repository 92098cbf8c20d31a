/*
 * minmax_interval.c
 *	  gpu_min(interval) and gpu_max(interval).
 *
 * Intervals are equal if they are as long with months of 30 days and days of 24
 * hours, and print differently: 1 month, 30 days.  The built-in returns whichever
 * came last; here the answer is the greatest by months, then days, then time,
 * whatever the order of the rows.
 */
#include "postgres.h"

#include "utils/fmgrprotos.h"
#include "utils/timestamp.h"

#include "aggregate/aggregate.h"

PG_FUNCTION_INFO_V1(gpured_interval_larger);
PG_FUNCTION_INFO_V1(gpured_interval_smaller);

/* As PostgreSQL orders them: with months of 30 days and days of 24 hours. */
static inline int128
order_value(const Interval *interval)
{
	int64		days = (int64) interval->month * DAYS_PER_MONTH + interval->day;

	return (int128) days * USECS_PER_DAY + interval->time;
}

static inline int
compare(const Interval *a, const Interval *b)
{
	int128		x = order_value(a);
	int128		y = order_value(b);

	return (x > y) - (x < y);
}

/* Of two equal intervals the one that is returned. */
static Interval *
preferred(Interval *a, Interval *b)
{
	if (a->month != b->month)
		return a->month > b->month ? a : b;
	if (a->day != b->day)
		return a->day > b->day ? a : b;
	return a->time >= b->time ? a : b;
}

Datum
gpured_interval_larger(PG_FUNCTION_ARGS)
{
	Interval   *a = PG_GETARG_INTERVAL_P(0);
	Interval   *b = PG_GETARG_INTERVAL_P(1);
	int			order = compare(a, b);

	PG_RETURN_INTERVAL_P(order > 0 ? a : order < 0 ? b : preferred(a, b));
}

Datum
gpured_interval_smaller(PG_FUNCTION_ARGS)
{
	Interval   *a = PG_GETARG_INTERVAL_P(0);
	Interval   *b = PG_GETARG_INTERVAL_P(1);
	int			order = compare(a, b);

	PG_RETURN_INTERVAL_P(order < 0 ? a : order > 0 ? b : preferred(a, b));
}

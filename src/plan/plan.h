/*
 * plan.h
 *	  The column scan in plans: settings, paths, the plan node.
 */
#ifndef GPURED_PLAN_H
#define GPURED_PLAN_H

#include "postgres.h"

#include "nodes/extensible.h"
#include "nodes/pathnodes.h"

/* gpured.debug_scan */
typedef enum GpuredDebugScan
{
	GPURED_SCAN_ALLOW,			/* where it is cheapest */
	GPURED_SCAN_FORBID,
	GPURED_SCAN_REQUIRE			/* wherever it can be */
} GpuredDebugScan;

extern bool gpured_enable_column_scan;
extern int	gpured_debug_scan;
extern double gpured_cpu_column_tuple_cost;

/* hook.c */
extern void gpured_plan_init(void); /* from _PG_init */

/* catalog.c: whether an aggregate is this extension's, and whether PostgreSQL's too will do */
extern bool gpured_aggregate_is_own(Oid aggregate);
extern bool gpured_aggregate_is_known(Oid aggregate);

/* Whether it is a total, and not a transition function that is called for each row */
extern bool gpured_aggregate_is_folded(Oid aggregate);

/* node.c: what is in a plan's custom_private */
#define GPURED_SCAN_NAME "GpuAggregate"

extern const CustomPathMethods gpured_scan_path_methods;

/*
 * The columns, as Vars, of which a scan with these quals, keys and aggregates looks up results
 * in dictionaries, if columns whose attribute numbers "few" has may have them.
 */
extern List *gpured_scan_lookups(List *quals, List *outputs, const Bitmapset *few);
extern void gpured_scan_register(void);

#endif							/* GPURED_PLAN_H */

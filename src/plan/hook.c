/*
 * hook.c
 *	  Paths that aggregate a heap table by a column scan.
 *
 * The node makes partial states, in one process as in several, and a Finalize
 * Aggregate above it does the rest: HAVING, final functions, and merging groups
 * that came more than once.  Its parent is the table's own relation, so that the
 * planner hands it the quals in the order of their security levels, and puts a
 * gating Result above it where one is needed.
 */
#include "postgres.h"

#include <math.h>

#include "access/heapam.h"
#include "access/htup_details.h"
#include "access/table.h"
#include "access/tableam.h"
#include "catalog/pg_aggregate.h"
#include "catalog/pg_class.h"
#include "commands/extension.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/appendinfo.h"
#include "optimizer/clauses.h"
#include "optimizer/cost.h"
#include "optimizer/optimizer.h"
#include "optimizer/pathnode.h"
#include "optimizer/paths.h"
#include "optimizer/planner.h"
#include "optimizer/prep.h"
#include "optimizer/restrictinfo.h"
#include "optimizer/tlist.h"
#include "parser/parsetree.h"
#include "utils/float.h"
#include "utils/fmgroids.h"
#include "utils/rel.h"
#include "utils/selfuncs.h"
#include "utils/spccache.h"

#include "compat.h"
#include "plan/plan.h"
#include "scan/filter.h"
#include "scan/program.h"

bool		gpured_enable_column_scan = true;
int			gpured_debug_scan = GPURED_SCAN_ALLOW;
double		gpured_cpu_column_tuple_cost = 0.0005;

static create_upper_paths_hook_type next_hook;

/* Keys may be this many, since their NULLs are a bitmap. */
#define MAX_KEYS 64

/*
 * What the node costs at all: it has columns and batches to prepare, so
 * that a table of a few pages is better left to a sequential scan; and for each column that
 * has a dictionary.
 */
#define START_COST (800 * cpu_tuple_cost)
#define DICTIONARY_COST (200 * cpu_tuple_cost)

/* What it costs to see whether a row is visible. */
#define VISIBILITY_COST cpu_operator_cost

/*
 * What it costs that PostgreSQL computes expressions of a row, besides each of them and
 * its call: it takes the row apart for them, as a sequential scan does.
 */
#define BY_EXECUTOR_COST cpu_tuple_cost

/*
 * A column that has at most so many values, and as many rows for each of them, may have a
 * dictionary; a value is known to it after about as many rows, those of its page and of some
 * before, and then costs this.
 */
#define MAX_FEW_VALUES 20000.0
#define ROWS_OF_A_VALUE 10
#define ROWS_LEFT_A_VALUE 8
#define LOOKUP_COST (cpu_operator_cost / 2)

/* What a transition function costs a row, and the state of a group to come out and be merged. */
#define TRANSITION_COST (2 * cpu_operator_cost)
#define TOTAL_OUT_COST (8 * cpu_operator_cost)
#define STATE_OUT_COST (24 * cpu_operator_cost)

static List *
query_aggregates(PlannerInfo *root)
{
	List	   *result = NIL;
	ListCell   *lc;

	foreach(lc, root->agginfos)
	{
		AggInfo    *info = lfirst(lc);

#if PG_VERSION_NUM >= 160000
		result = list_concat(result, list_copy(info->aggrefs));
#else
		result = lappend(result, info->representative_aggref);
#endif
	}
	return result;
}

static bool
has_own_aggregate(List *aggrefs)
{
	ListCell   *lc;

	if (aggrefs == NIL)
		return false;
	foreach(lc, aggrefs)
	{
		if (gpured_aggregate_is_own(((Aggref *) lfirst(lc))->aggfnoid))
			return true;
	}
	return false;
}

/* Why a table cannot be scanned by columns; NULL if it can. */
static const char *
why_not_table(PlannerInfo *root, RelOptInfo *rel)
{
	RangeTblEntry *rte = planner_rt_fetch(rel->relid, root);
	Relation	table;
	bool		is_heap;

	if (rel->rtekind != RTE_RELATION)
		return "it is no table";
	if (rte->tablesample != NULL)
		return "TABLESAMPLE";
	/* The planner has locked it. */
	table = table_open(rte->relid, NoLock);
	is_heap = (table->rd_rel->relkind == RELKIND_RELATION ||
			   table->rd_rel->relkind == RELKIND_MATVIEW) &&
		table->rd_tableam == GetHeapamTableAmRoutine();
	table_close(table, NoLock);
	return is_heap ? NULL : "it is no heap table";
}

/*
 * The tables that a relation stands for: itself, or those of its partitions and
 * inheritance children that are not pruned.
 */
static List *
tables_of(PlannerInfo *root, RelOptInfo *rel)
{
	List	   *result = NIL;
	ListCell   *lc;

	if (!planner_rt_fetch(rel->relid, root)->inh)
		return list_make1(rel);
	foreach(lc, root->append_rel_list)
	{
		AppendRelInfo *info = lfirst(lc);
		RelOptInfo *child;

		if (info->parent_relid != rel->relid)
			continue;
		child = root->simple_rel_array[info->child_relid];
		if (child != NULL && !IS_DUMMY_REL(child))
			result = list_concat(result, tables_of(root, child));
	}
	return result;
}


/* Why a query cannot be aggregated by a column scan; NULL if it can. */
static const char *
why_not(PlannerInfo *root, RelOptInfo *rel, List *tables, GroupPathExtraData *extra,
		List *aggrefs)
{
	Query	   *parse = root->parse;
	ListCell   *lc;
	const char *reason;

	if (parse->groupingSets != NIL)
		return "grouping sets";
	if (!(extra->flags & GROUPING_CAN_PARTIAL_AGG))
		return "an aggregate has DISTINCT or ORDER BY, or no partial state";
	if (parse->hasTargetSRFs || parse->rowMarks != NIL)
		return "set-returning functions or row locks";
	if (rel->rtekind != RTE_RELATION || IS_DUMMY_REL(rel) || tables == NIL)
		return "it is no table";
	foreach(lc, tables)
	{
		reason = why_not_table(root, lfirst(lc));
		if (reason != NULL)
			return reason;
	}

	foreach(lc, rel->baserestrictinfo)
	{
		if (contain_volatile_functions((Node *) ((RestrictInfo *) lfirst(lc))->clause))
			return "a qual is volatile";
	}
	foreach(lc, aggrefs)
	{
		Aggref	   *aggref = lfirst(lc);

		if (aggref->aggkind != AGGKIND_NORMAL ||
			contain_volatile_functions((Node *) aggref->args) ||
			contain_volatile_functions((Node *) aggref->aggfilter))
			return "an aggregate's argument is volatile";

		/*
		 * States made of parts of a group are combined, which PostgreSQL
		 * would not do without parallel workers: of its own aggregates and of
		 * this extension's it is known that nobody can tell.
		 */
		if (!gpured_aggregate_is_known(aggref->aggfnoid))
			return "an aggregate is neither gpured's nor PostgreSQL's own";
	}
	return NULL;
}

/* What a partial row has: keys, aggregates, and columns that depend on the keys. */
typedef struct PartialTarget
{
	PathTarget *target;
	List	   *keys;
	bool		possible;
} PartialTarget;

/*
 * Add the aggregates and columns of an expression that is computed above the
 * node.  Keys are there already.
 */
static bool
add_needed(Node *node, void *context)
{
	PartialTarget *partial = context;

	if (node == NULL || list_member(partial->keys, node))
		return false;
	if (IsA(node, Aggref))
	{
		Aggref	   *aggref = makeNode(Aggref);

		memcpy(aggref, node, sizeof(Aggref));
		mark_partial_aggref(aggref, AGGSPLIT_INITIAL_SERIAL);
		add_new_column_to_pathtarget(partial->target, (Expr *) aggref);
		return false;
	}
	if (IsA(node, GroupingFunc))
		return false;
	if (IsA(node, PlaceHolderVar))
		partial->possible = false;
	if (IsA(node, Var))
	{
		add_new_column_to_pathtarget(partial->target, (Expr *) node);
		return false;
	}
	return expression_tree_walker(node, add_needed, partial);
}

/* The node's target; NULL if there is none that it can make. */
static PathTarget *
make_partial_target(PlannerInfo *root, PathTarget *target, Node *having)
{
	PartialTarget partial = {.target = create_empty_pathtarget(),.possible = true};
	ListCell   *lc;
	int			i = 0;
	int			ncolumns = 0;

	foreach(lc, target->exprs)
	{
		Index		sgref = get_pathtarget_sortgroupref(target, i++);

		if (sgref != 0 && root->parse->groupClause != NIL &&
			get_sortgroupref_clause_noerr(sgref, root->parse->groupClause) != NULL)
		{
			add_column_to_pathtarget(partial.target, lfirst(lc), sgref);
			partial.keys = lappend(partial.keys, lfirst(lc));
		}
	}
	foreach(lc, target->exprs)
		(void) add_needed(lfirst(lc), &partial);
	(void) add_needed(having, &partial);

	foreach(lc, partial.target->exprs)
	{
		if (!IsA(lfirst(lc), Aggref))
		{
			ncolumns++;
			if (contain_volatile_functions(lfirst(lc)) || contain_subplans(lfirst(lc)))
				partial.possible = false;
		}
	}
	if (!partial.possible || ncolumns > MAX_KEYS)
		return NULL;
	return set_pathtarget_cost_width(root, partial.target);
}

/* The number of values that a column has according to statistics; infinite without any. */
static double
count_values(PlannerInfo *root, Var *var)
{
	VariableStatData stats;
	bool		is_default;
	double		result;

	examine_variable(root, (Node *) var, 0, &stats);
	result = get_variable_numdistinct(&stats, &is_default);
	ReleaseVariableStats(stats);
	return is_default ? get_float8_infinity() : result;
}

/*
 * The attributes of which expressions are computed once for each value, since they have so
 * few of them.
 */
static Bitmapset *
find_few(PlannerInfo *root, RelOptInfo *rel, PathTarget *target)
{
	Bitmapset  *all = bms_add_range(NULL, 1, rel->max_attr);
	Bitmapset  *result = NULL;
	List	   *vars = gpured_scan_lookups(extract_actual_clauses(rel->baserestrictinfo, false),
										   target->exprs, all);
	ListCell   *lc;

	foreach(lc, vars)
	{
		Var		   *var = lfirst(lc);

		if (count_values(root, var) <= Min(MAX_FEW_VALUES, rel->tuples / ROWS_OF_A_VALUE))
			result = bms_add_member(result, var->varattno);
	}
	return result;
}

/* The part of the rows for which PostgreSQL computes an expression that is looked up. */
static double
unknown_part(PlannerInfo *root, RelOptInfo *rel, Expr *expr, const Bitmapset *few)
{
	double		values = 0;
	ListCell   *lc;

	foreach(lc, gpured_program_lookups(expr, few, NIL))
		values += count_values(root, lfirst(lc));
	return Min(ROWS_LEFT_A_VALUE * values / Max(rel->tuples, 1), 1);
}

/*
 * What an expression costs for one row; a column costs nothing more.  Notes whether
 * PostgreSQL computes it.
 */
static Cost
expression_cost(PlannerInfo *root, RelOptInfo *rel, Node *expr, const Bitmapset *few,
				bool *by_executor)
{
	QualCost	cost;

	if (expr == NULL || IsA(expr, Var))
		return 0;
	if (gpured_program_is_possible((Expr *) expr, NULL))
		return 2 * gpured_cpu_column_tuple_cost;
	cost_qual_eval_node(&cost, expr, root);
	cost.per_tuple += cpu_operator_cost;
	if (gpured_program_is_possible((Expr *) expr, few))
		return 2 * gpured_cpu_column_tuple_cost + LOOKUP_COST +
			unknown_part(root, rel, (Expr *) expr, few) * (cost.per_tuple + BY_EXECUTOR_COST);
	*by_executor = true;
	return cost.per_tuple;
}

/* The cost of reading the table and of all that is done for each row. */
static void
cost_scan(PlannerInfo *root, CustomPath *path, const Bitmapset *few, double ngroups, int nworkers)
{
	RelOptInfo *rel = path->path.parent;
	PathTarget *target = path->path.pathtarget;
	double		seq_page_cost;
	Cost		row_cost = VISIBILITY_COST + gpured_cpu_column_tuple_cost;
	Cost		passing_cost = 0;
	Cost		emit_cost = 0;
	bool		vectorized = true;
	bool		quals_by_executor = false;
	bool		values_by_executor = false;
	double		divisor = 1;
	ListCell   *lc;

	get_tablespace_page_costs(rel->reltablespace, NULL, &seq_page_cost);
	foreach(lc, rel->baserestrictinfo)
	{
		RestrictInfo *info = lfirst(lc);

		vectorized &= gpured_filter_is_possible(info->clause) ||
			gpured_program_is_possible(info->clause, few);
		if (vectorized && gpured_program_lookups(info->clause, few, NIL) == NIL)
			row_cost += gpured_cpu_column_tuple_cost / 2;
		else
			row_cost += expression_cost(root, rel, (Node *) info->clause, few, &quals_by_executor);
	}
	foreach(lc, target->exprs)
	{
		Aggref	   *aggref = lfirst(lc);
		ListCell   *arg;

		if (!IsA(aggref, Aggref))
		{
			passing_cost += cpu_operator_cost / 2 +
				expression_cost(root, rel, (Node *) aggref, few, &values_by_executor);
			continue;
		}
		if (gpured_aggregate_is_folded(aggref->aggfnoid))
		{
			passing_cost += gpured_cpu_column_tuple_cost;
			emit_cost += TOTAL_OUT_COST;
		}
		else
		{
			passing_cost += TRANSITION_COST;
			emit_cost += STATE_OUT_COST;
		}
		if (aggref->aggfilter != NULL && gpured_filter_is_possible(aggref->aggfilter))
			passing_cost += gpured_cpu_column_tuple_cost;
		else
			passing_cost += expression_cost(root, rel, (Node *) aggref->aggfilter, few,
											&values_by_executor);
		foreach(arg, aggref->args)
			passing_cost += expression_cost(root, rel, (Node *) ((TargetEntry *) lfirst(arg))->expr,
											few, &values_by_executor);
	}
	if (quals_by_executor)
		row_cost += BY_EXECUTOR_COST;
	if (values_by_executor)
		passing_cost += BY_EXECUTOR_COST;

	if (nworkers > 0)
	{
		double		leader = 1.0 - 0.3 * nworkers;

		divisor = nworkers + (parallel_leader_participation && leader > 0 ? leader : 0);
	}
	path->path.rows = clamp_row_est(ngroups);
	path->path.startup_cost = START_COST + bms_num_members(few) * DICTIONARY_COST +
		rel->pages * seq_page_cost +
		(rel->tuples * row_cost + rel->rows * passing_cost) / divisor;
	path->path.total_cost = path->path.startup_cost +
		path->path.rows * (cpu_tuple_cost + emit_cost);

	/* It is a sequential scan. */
#if PG_VERSION_NUM >= 180000
	path->path.disabled_nodes = enable_seqscan ? 0 : 1;
#else
	if (!enable_seqscan)
	{
		path->path.startup_cost += disable_cost;
		path->path.total_cost += disable_cost;
	}
#endif
}

static CustomPath *
make_scan_path(PlannerInfo *root, RelOptInfo *rel, PathTarget *target, double ngroups,
			   int nworkers)
{
	CustomPath *path = makeNode(CustomPath);
	Bitmapset  *few = find_few(root, rel, target);
	List	   *attributes = NIL;
	int			attribute = -1;

	while ((attribute = bms_next_member(few, attribute)) >= 0)
		attributes = lappend_int(attributes, attribute);

	path->path.pathtype = T_CustomScan;
	path->path.parent = rel;
	path->path.pathtarget = target;
	path->path.parallel_aware = nworkers > 0;
	path->path.parallel_safe = rel->consider_parallel;
	path->path.parallel_workers = nworkers;
	path->flags = CUSTOMPATH_SUPPORT_PROJECTION;
	path->custom_private = list_make2(makeInteger(root->parse->groupClause != NIL), attributes);
	path->methods = &gpured_scan_path_methods;
	cost_scan(root, path, few, ngroups, nworkers);
	return path;
}

/* The target, in terms of a child of "rel". */
static PathTarget *
child_target(PlannerInfo *root, RelOptInfo *rel, RelOptInfo *child, PathTarget *target)
{
	PathTarget *result = copy_pathtarget(target);

#if PG_VERSION_NUM >= 160000
	result->exprs = (List *) adjust_appendrel_attrs_multilevel(root, (Node *) target->exprs,
															   child, rel);
#else
	result->exprs = (List *) adjust_appendrel_attrs_multilevel(root, (Node *) target->exprs,
															   child->relids, rel->relids);
#endif
	return result;
}

/*
 * Partial rows of all tables.  Above those of several is an Append, which belongs
 * to the parent, so that it prunes partitions when it is run.
 */
static Path *
make_partial_path(PlannerInfo *root, RelOptInfo *rel, List *tables, PathTarget *target,
				  double ngroups, int nworkers)
{
	List	   *paths = NIL;
	ListCell   *lc;
	Path	   *result;

	if (linitial(tables) == rel)
		return (Path *) make_scan_path(root, rel, target, ngroups, nworkers);
	foreach(lc, tables)
	{
		RelOptInfo *child = lfirst(lc);
		double		child_groups = Min(ngroups, clamp_row_est(child->rows));

		paths = lappend(paths, make_scan_path(root, child, child_target(root, rel, child, target),
											  child_groups, nworkers));
	}
	result = (Path *) create_append_path(root, rel, nworkers > 0 ? NIL : paths,
										 nworkers > 0 ? paths : NIL, NIL, NULL, nworkers,
										 nworkers > 0, -1);
	result->pathtarget = target;
	return result;
}

/* The workers that would scan all tables; 0 if that cannot be parallel. */
static int
count_workers(RelOptInfo *rel, RelOptInfo *output_rel, List *tables)
{
	int			result = 0;
	ListCell   *lc;

	if (!rel->consider_parallel || !output_rel->consider_parallel)
		return 0;
	foreach(lc, tables)
	{
		RelOptInfo *table = lfirst(lc);

		if (!table->consider_parallel)
			return 0;
		result = Max(result, compute_parallel_worker(table, table->pages, -1,
													 max_parallel_workers_per_gather));
	}
	return result;
}

/* Put a Finalize Aggregate above partial rows. */
static Path *
make_final_path(PlannerInfo *root, RelOptInfo *output_rel, Path *path,
				GroupPathExtraData *extra, double ngroups)
{
	AggClauseCosts costs = {0};
	AggStrategy strategy = AGG_PLAIN;
#if PG_VERSION_NUM >= 160000
	List	   *group_clause = root->processed_groupClause;
#else
	List	   *group_clause = root->parse->groupClause;
#endif

	get_agg_clause_costs(root, AGGSPLIT_FINAL_DESERIAL, &costs);
	if (root->parse->groupClause != NIL)
	{
		strategy = AGG_SORTED;
		if (group_clause != NIL && (extra->flags & GROUPING_CAN_USE_HASH))
			strategy = AGG_HASHED;
		else if (root->group_pathkeys != NIL)
			path = (Path *) create_sort_path(root, output_rel, path, root->group_pathkeys, -1.0);
	}
	return (Path *) create_agg_path(root, output_rel, path, output_rel->reltarget, strategy,
									AGGSPLIT_FINAL_DESERIAL, group_clause,
									(List *) extra->havingQual, &costs, ngroups);
}

/* What a column is divided by, if an expression is that of integers; else 0. */
static double
integer_divisor(Node *expr)
{
	OpExpr	   *op = (OpExpr *) expr;
	Const	   *divisor;

	if (!IsA(expr, OpExpr) || list_length(op->args) != 2 || !IsA(linitial(op->args), Var) ||
		!IsA(lsecond(op->args), Const))
		return 0;
	divisor = lsecond(op->args);
	if (divisor->constisnull)
		return 0;
	set_opfuncid(op);
	switch (op->opfuncid)
	{
		case F_INT2DIV:
		case F_INT42DIV:
		case F_INT82DIV:
			return abs(DatumGetInt16(divisor->constvalue));
		case F_INT4DIV:
		case F_INT24DIV:
		case F_INT84DIV:
			return fabs((double) DatumGetInt32(divisor->constvalue));
		case F_INT8DIV:
		case F_INT28DIV:
		case F_INT48DIV:
			return fabs((double) DatumGetInt64(divisor->constvalue));
		default:
			return 0;
	}
}

/*
 * The number of groups of so many rows.  That of an expression, a timestamp cut to hours for
 * instance, is estimated as if all of its columns' values made groups, which says
 * little: then there are taken to be far fewer groups than rows, unless it is known how
 * many values make one.
 */
static double
estimate_groups(PlannerInfo *root, double rows, GroupPathExtraData *extra)
{
	List	   *exprs = get_sortgrouplist_exprs(root->parse->groupClause, extra->targetList);
	double		result = estimate_num_groups(root, exprs, rows, NULL, NULL);
	double		guess = Max(1000, rows / 50);
	bool		has_expression = false;
	ListCell   *lc;

	foreach(lc, exprs)
	{
		Node	   *expr = lfirst(lc);
		double		divisor = integer_divisor(expr);

		has_expression |= !IsA(expr, Var);
		if (divisor >= 1)
		{
			List	   *column = list_make1(linitial(((OpExpr *) expr)->args));

			guess = Max(guess, estimate_num_groups(root, column, rows, NULL, NULL) / divisor);
		}
	}
	return has_expression ? Min(result, guess) : result;
}

static void
add_scan_paths(PlannerInfo *root, RelOptInfo *rel, List *tables, RelOptInfo *output_rel,
			   GroupPathExtraData *extra)
{
	Query	   *parse = root->parse;
	PathTarget *target = make_partial_target(root, output_rel->reltarget, extra->havingQual);
	double		ngroups = 1;
	int			nworkers = count_workers(rel, output_rel, tables);
	Path	   *path;

	if (target == NULL)
		return;
	if (parse->groupClause != NIL)
		ngroups = estimate_groups(root, rel->rows, extra);

	/* Nothing else, for a test. */
	if (gpured_debug_scan == GPURED_SCAN_REQUIRE)
		output_rel->pathlist = NIL;

	path = make_partial_path(root, rel, tables, target, ngroups, 0);
	add_path(output_rel, make_final_path(root, output_rel, path, extra, ngroups));
	if (nworkers > 0)
	{
		double		worker_groups = 1;
		double		rows;

		if (parse->groupClause != NIL)
			worker_groups = estimate_groups(root, clamp_row_est(rel->rows / nworkers), extra);
		path = make_partial_path(root, rel, tables, target, worker_groups, nworkers);
		rows = path->rows * nworkers;
		path = (Path *) create_gather_path(root, rel, path, target, NULL, &rows);
		add_path(output_rel, make_final_path(root, output_rel, path, extra, ngroups));
	}
}

/* As many pages the planner assumes at the least of a table that was never analysed. */
#define ASSUMED_PAGES 10

/* The pages that the table has, where that may not be what the planner assumes. */
static BlockNumber
pages_of(PlannerInfo *root, RelOptInfo *rel)
{
	BlockNumber pages = rel->pages;
	Relation	table;

	if (pages != ASSUMED_PAGES)
		return pages;
	table = table_open(planner_rt_fetch(rel->relid, root)->relid, NoLock);
	if (RELKIND_HAS_STORAGE(table->rd_rel->relkind) && table->rd_rel->reltuples < 0)
		pages = RelationGetNumberOfBlocks(table);
	table_close(table, NoLock);
	return pages;
}

/*
 * Whether some path costs less than preparing scans of the tables and reading them,
 * without any row.
 */
static bool
is_cheap_already(PlannerInfo *root, RelOptInfo *output_rel, List *tables)
{
	Cost		least = START_COST;
	double		assumed = 0;
	double		pages = 0;
	ListCell   *lc;

	if (tables != NIL)
		least *= list_length(tables);
	foreach(lc, tables)
	{
		RelOptInfo *table = lfirst(lc);
		double		seq_page_cost;
		BlockNumber has = pages_of(root, table);

		get_tablespace_page_costs(table->reltablespace, NULL, &seq_page_cost);
		least += has * seq_page_cost;
		assumed += table->pages;
		pages += has;
	}
	if (pages < assumed)
		least *= assumed / Max(pages, 0.5);
	foreach(lc, output_rel->pathlist)
	{
		if (((Path *) lfirst(lc))->total_cost < least)
			return true;
	}
	return false;
}

static void
consider_column_scan(PlannerInfo *root, UpperRelationKind stage, RelOptInfo *input_rel,
					 RelOptInfo *output_rel, void *extra)
{
	List	   *aggrefs;
	List	   *tables;
	const char *reason;

	if (next_hook != NULL)
		next_hook(root, stage, input_rel, output_rel, extra);
	if (stage != UPPERREL_GROUP_AGG || !gpured_enable_column_scan ||
		gpured_debug_scan == GPURED_SCAN_FORBID || root->agginfos == NIL ||
		input_rel->reloptkind != RELOPT_BASEREL || output_rel->reloptkind != RELOPT_UPPER_REL ||
		(gpured_debug_scan != GPURED_SCAN_REQUIRE && is_cheap_already(root, output_rel, NIL)))
		return;
	aggrefs = query_aggregates(root);
	if (!has_own_aggregate(aggrefs))
		return;
	tables = input_rel->rtekind == RTE_RELATION ? tables_of(root, input_rel) : NIL;
	if (gpured_debug_scan != GPURED_SCAN_REQUIRE &&
		is_cheap_already(root, output_rel, tables))
		return;
	reason = why_not(root, input_rel, tables, extra, aggrefs);
	if (reason != NULL)
		ereport(DEBUG1, (errmsg_internal("no column scan: %s", reason)));
	else
		add_scan_paths(root, input_rel, tables, output_rel, extra);
}

void
gpured_plan_init(void)
{
	gpured_scan_register();
	next_hook = create_upper_paths_hook;
	create_upper_paths_hook = consider_column_scan;
}

/*
 * program_node.h
 *	  The inside of programs, for the files that compute them.
 */
#ifndef GPURED_PROGRAM_NODE_H
#define GPURED_PROGRAM_NODE_H

#include "postgres.h"

#include "executor/executor.h"
#include "nodes/execnodes.h"
#include "nodes/primnodes.h"
#include "pgtime.h"
#include "utils/timestamp.h"

#include "scan/columns.h"
#include "scan/comparison.h"
#include "scan/program.h"

#define GPURED_PAGE_ROWS MaxHeapTuplesPerPage

/* How values of a type are represented. */
typedef enum GpuredDomain
{
	GPURED_DOMAIN_INT,			/* 64 bits, whatever is an integer inside */
	GPURED_DOMAIN_FLOAT,		/* double, also of a float4 */
	GPURED_DOMAIN_NUMERIC,		/* 64 bits and a display scale for each */
	GPURED_DOMAIN_STRING,		/* pointers to varlenas */
	GPURED_DOMAIN_UUID,			/* pointers to 16 bytes */
	GPURED_DOMAIN_INTERVAL,		/* pointers to Interval */
	GPURED_DOMAIN_OTHER			/* any other column, of which only NULLs count */
} GpuredDomain;

/*
 * Compute n rows of a node of which "live" ones, with no NULL among the arguments
 * and wanted by somebody, must be right.  False if one of those cannot be.
 */
typedef bool (*GpuredCompute) (GpuredProgram *program, int n, const bool *live);

/* A strict function that is known. */
typedef struct GpuredFunction
{
	Oid			function;
	GpuredCompute compute;
	GpuredDomain domain;		/* of the result */
	int			bytes;			/* of an integer result whose range is
								 * checked, or of a float */

	/*
	 * Whether it can be computed with these arguments, if that is not so of
	 * all. Removes those that are no rows' values; "program" is NULL if it is
	 * only asked.
	 */
	bool		(*accept) (GpuredProgram *program, List **args);
} GpuredFunction;

typedef enum GpuredNodeKind
{
	GPURED_NODE_COLUMN,
	GPURED_NODE_CONSTANT,		/* the same in all rows of a scan */
	GPURED_NODE_SAME,			/* as another node, which is computed before */
	GPURED_NODE_FUNCTION,		/* strict */
	GPURED_NODE_COMPARE,
	GPURED_NODE_DISTINCT,		/* IS DISTINCT FROM */
	GPURED_NODE_NULLIF,
	GPURED_NODE_IN,				/* = ANY, or <> ALL */
	GPURED_NODE_LIKE,
	GPURED_NODE_AND,
	GPURED_NODE_OR,
	GPURED_NODE_NOT,
	GPURED_NODE_IS_NULL,
	GPURED_NODE_IS_NOT_NULL,
	GPURED_NODE_BOOLEAN_TEST,
	GPURED_NODE_CASE,			/* conditions and results in turn, the default
								 * last */
	GPURED_NODE_COALESCE,
	GPURED_NODE_GREATEST,
	GPURED_NODE_LEAST
} GpuredNodeKind;

/* Where a time zone's offset is known: [from, until) in seconds. */
#define GPURED_ZONE_SLOTS 64
typedef struct GpuredZoneSpan
{
	pg_time_t	from;
	pg_time_t	until;
	int64		offset;			/* microseconds */
} GpuredZoneSpan;

/* What a function of days makes of one. */
#define GPURED_DAY_SLOTS 1024
typedef struct GpuredDay
{
	int64		day;
	int64		result;
	bool		known;
} GpuredDay;

struct GpuredProgram
{
	GpuredNodeKind kind;
	GpuredDomain domain;		/* of the result */
	int			bytes;
	Oid			type;
	int			nargs;
	struct GpuredProgram **args;
	const GpuredFunction *function;

	int			column;
	Comparison	comparison;
	ValueClass	value_class;
	BoolTestType test;
	int64		unit;			/* of a function of times */
	Datum		extra;			/* its constant argument */
	PGFunction	builtin;		/* and PostgreSQL's function for a day */
	pg_tz	   *tz;				/* NULL for the session's */
	Datum		zone_name;
	GpuredZoneSpan *zone;
	GpuredDay  *days;
	Interval	span;			/* that is added to days */
	Interval   *intervals;		/* that its results point to */

	/* A constant, or the list of an IN. */
	ExprState  *state;			/* NULL if it is known at once */
	ExprContext *econtext;
	MemoryContext context;		/* of by-reference constants */
	bool		evaluated;
	bool		unusable;		/* it has no representation here */
	int			filled;			/* rows that have the constant */
	bool		all;			/* <> ALL */
	bool		list_null;		/* the array is NULL */
	bool		has_null;		/* in the list */
	int			nvalues;
	struct GpuredProgram *values;	/* one row each */
	int		   *slots;			/* of a hash table of strings: number + 1 */
	uint32		mask;

	/* LIKE: pieces between the percent signs. */
	bool		negated;
	bool		from_start;
	bool		to_end;
	int			npieces;
	struct varlena **pieces;

	/* The rows: in memory of its own, or a column's. */
	bool	   *null;
	int64	   *i;
	double	   *d;				/* the same place */
	uint8	   *scale;			/* numeric */
};

/* program_numbers.c, program_time.c, program_numeric.c */
extern const GpuredFunction gpured_number_functions[];
extern const int gpured_number_nfunctions;
extern const GpuredFunction gpured_time_functions[];
extern const int gpured_time_nfunctions;
extern const GpuredFunction gpured_numeric_functions[];
extern const int gpured_numeric_nfunctions;

/* program_compute.c */
extern bool gpured_program_compute(GpuredProgram *program, const GpuredColumns *columns, int n,
								   const bool *active);
extern void gpured_constant_set(GpuredProgram *program, int row, Datum value, bool null,
								bool *representable);

/* program_numeric.c */
extern bool gpured_numeric_read(const struct varlena *numeric, int64 *value, uint8 *scale);
extern int	gpured_numeric_compare(int64 a, int a_scale, int64 b, int b_scale);

/* A varlena of which the bytes are there. */
static inline bool
gpured_is_plain_string(const void *string)
{
	return VARATT_IS_4B_U(string) || (VARATT_IS_1B(string) && !VARATT_IS_1B_E(string));
}

#endif							/* GPURED_PROGRAM_NODE_H */

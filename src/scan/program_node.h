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
	GPURED_NODE_SAME,			/* as what a CASE compares */
	GPURED_NODE_FUNCTION,		/* strict */
	GPURED_NODE_COMPARE,
	GPURED_NODE_DISTINCT,		/* IS DISTINCT FROM */
	GPURED_NODE_NULLIF,
	GPURED_NODE_IN,				/* = ANY, or <> ALL */
	GPURED_NODE_LIKE,
	GPURED_NODE_LOOKUP,			/* once for each value of a column */
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

/*
 * Memory for the rows of a node.  A node has it from the time at which it is computed
 * until its result has been used; then another node has it.
 */
typedef struct GpuredRows
{
	int64		i[GPURED_PAGE_ROWS];
	bool		null[GPURED_PAGE_ROWS];
	uint8		scale[GPURED_PAGE_ROWS];
	struct GpuredRows *next;	/* of those that no node has */
} GpuredRows;

/* A value as it is in a row. */
typedef struct GpuredValue
{
	int64		i;				/* or the bits of a double */
	uint8		scale;
	bool		null;
} GpuredValue;

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
	struct GpuredProgram *tested;	/* what a CASE compares; a SAME is it */
	const GpuredFunction *function;

	int			column;
	Comparison	comparison;
	ValueClass	value_class;
	BoolTestType test;
	bool		negated;		/* <> ALL, NOT LIKE */
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
	const Const *known;			/* or else */
	ExprState  *state;
	ExprContext *econtext;
	MemoryContext context;		/* of what is learned while parameters stay */
	bool		evaluated;
	bool		unusable;		/* it has no representation here */
	bool		keeps_rows;		/* no other node has them */
	int			filled;			/* rows that have the constant */
	uint32		failures;		/* pages in succession that were not computed */
	bool		learns;			/* values of a dictionary from each page */
	GpuredValue constant;
	struct GpuredList *list;
	struct GpuredPattern *pattern;	/* of a LIKE */
	struct GpuredDictionary *dictionary;	/* of a LOOKUP */
	struct GpuredResults *results;	/* by its numbers */
	bool		stays;			/* the rows' values do, as long as constants */

	/* The rows: in "rows", or a column's. */
	GpuredRows *rows;
	bool	   *null;
	int64	   *i;
	double	   *d;				/* the same place */
	uint8	   *scale;			/* numeric */
	bool		saturates;		/* what is beyond all others may be the least
								 * or greatest integer */
};

/* program_numbers.c, program_time.c, program_numeric.c */
extern const GpuredFunction gpured_number_functions[];
extern const int gpured_number_nfunctions;
extern const GpuredFunction gpured_time_functions[];
extern const int gpured_time_nfunctions;
extern const GpuredFunction gpured_numeric_functions[];
extern const int gpured_numeric_nfunctions;

/*
 * Compute n rows of which those that are "active" must be right.  False if one of them
 * cannot be.
 */
typedef bool (*GpuredComputeNode) (GpuredProgram *program, const GpuredColumns *columns, int n,
								   const bool *active);

/* program_compute.c */
extern bool gpured_program_compute(GpuredProgram *program, const GpuredColumns *columns, int n,
								   const bool *active);

/* A value as long as programs' constants stay; strings are complete. */
extern Datum gpured_keep_value(const GpuredProgram *program, Datum value);
extern bool gpured_value_of_datum(GpuredDomain domain, Oid type, Datum datum, GpuredValue *value);

/* program_compare.c */
extern bool gpured_compute_compare(GpuredProgram *program, const GpuredColumns *columns, int n,
								   const bool *active);
extern bool gpured_compute_distinct(GpuredProgram *program, const GpuredColumns *columns, int n,
									const bool *active);
extern bool gpured_compute_nullif(GpuredProgram *program, const GpuredColumns *columns, int n,
								  const bool *active);
extern bool gpured_compute_extreme(GpuredProgram *program, const GpuredColumns *columns, int n,
								   const bool *active);

/* program_list.c */
extern bool gpured_compute_in(GpuredProgram *program, const GpuredColumns *columns, int n,
							  const bool *active);
extern bool gpured_compute_like(GpuredProgram *program, const GpuredColumns *columns, int n,
								const bool *active);
extern struct GpuredPattern *gpured_pattern_create(const char *pattern);

/* program_lookup.c */
extern bool gpured_compute_lookup(GpuredProgram *program, const GpuredColumns *columns, int n,
								  const bool *active);
extern void gpured_lookup_init(GpuredProgram *program, Node *expr, GpuredColumns *columns,
							   ScanState *node);

/* The only column of an expression without volatile functions that has one and is more. */
extern Var *gpured_only_column(Node *expr);

/* program_logic.c */
extern bool gpured_compute_and_or(GpuredProgram *program, const GpuredColumns *columns, int n,
								  const bool *active);
extern bool gpured_compute_not(GpuredProgram *program, const GpuredColumns *columns, int n,
							   const bool *active);
extern bool gpured_compute_null_test(GpuredProgram *program, const GpuredColumns *columns, int n,
									 const bool *active);
extern bool gpured_compute_boolean_test(GpuredProgram *program, const GpuredColumns *columns, int n,
										const bool *active);
extern bool gpured_compute_case(GpuredProgram *program, const GpuredColumns *columns, int n,
								const bool *active);
extern bool gpured_compute_coalesce(GpuredProgram *program, const GpuredColumns *columns, int n,
									const bool *active);

/* program_numeric.c */
extern bool gpured_numeric_read(const struct varlena *numeric, int64 *value, uint8 *scale);
extern bool gpured_numeric_saturate(const struct varlena *numeric, int64 *value);
extern int	gpured_numeric_compare(int64 a, int a_scale, int64 b, int b_scale);

/* program.c: an argument that is a constant of this type and not NULL, or else NULL */
extern const Const *gpured_constant_argument(const List *args, int n, Oid type);

static inline bool
gpured_is_any(const bool *rows, int n)
{
	return memchr(rows, true, n) != NULL;
}

/*
 * Give the rows of "mask" another node's values, without a branch: conditions are
 * often as good as random.
 */
static inline void
gpured_blend(GpuredProgram *to, const GpuredProgram *from, const bool *mask, int n)
{
	bool	   *null = to->null;
	int64	   *value = to->i;
	uint8	   *scale = to->scale;
	const bool *from_null = from->null;
	const int64 *from_value = from->i;
	const uint8 *from_scale = from->scale;

	for (int i = 0; i < n; i++)
		null[i] = (from_null[i] & mask[i]) | (null[i] & !mask[i]);
	for (int i = 0; i < n; i++)
	{
		const int64 all = -(int64) mask[i];

		value[i] = (from_value[i] & all) | (value[i] & ~all);
	}
	for (int i = 0; to->domain == GPURED_DOMAIN_NUMERIC && i < n; i++)
	{
		const uint8 all = -(uint8) mask[i];

		scale[i] = (from_scale[i] & all) | (scale[i] & ~all);
	}
}

/* All NULL, to be blended with what applies. */
static inline void
gpured_clear(GpuredProgram *program, int n)
{
	memset(program->null, true, n);
	memset(program->i, 0, n * sizeof(int64));
}

/* Strings without the blanks at their ends. */
static inline Size
gpured_size_without_blanks(const void *string)
{
	const char *data = VARDATA_ANY(string);
	Size		size = VARSIZE_ANY_EXHDR(string);

	while (size > 0 && data[size - 1] == ' ')
		size--;
	return size;
}

/* A varlena of which the bytes are there. */
static inline bool
gpured_is_plain_string(const void *string)
{
	return VARATT_IS_4B_U(string) || (VARATT_IS_1B(string) && !VARATT_IS_1B_E(string));
}

#endif							/* GPURED_PROGRAM_NODE_H */

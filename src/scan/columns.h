/*
 * columns.h
 *	  A batch of rows as columns: those of the table that a query needs, and
 *	  expressions that PostgreSQL computes a row at a time.
 */
#ifndef GPURED_COLUMNS_H
#define GPURED_COLUMNS_H

#include "postgres.h"

#include "executor/executor.h"
#include "nodes/bitmapset.h"
#include "nodes/execnodes.h"

#include "scan/pages.h"

/*
 * A batch is full once it has this many rows, or fewer if its columns would take
 * more memory than this; then another page still fits.
 */
#define GPURED_BATCH_ROWS 8192
#define GPURED_BATCH_MEMORY (24 * 1024 * 1024)

/* Or this many bytes of values that are passed by reference. */
#define GPURED_BATCH_BYTES (16 * 1024 * 1024)

typedef struct GpuredColumn
{
	AttrNumber	attnum;			/* of the table; 0 for an expression */
	Expr	   *expr;
	ExprState  *state;			/* of an expression */
	struct GpuredProgram *program;	/* that computes it, if there is one */
	struct GpuredFilter *filter;	/* of a condition */
	bool		by_executor;	/* the page's values are left to the executor */
	int			guard;			/* column that must be true for the expression
								 * to be computed, or -1 */
	bool		first;			/* extracted before the quals, which need it */
	bool		kept;			/* needed after the page is gone */
	int			uses;			/* how many times it was asked for */

	/*
	 * If all uses are sums of numerics: values are integers there, and Datums
	 * only where they do not fit.
	 */
	struct GpuredNumerics *numerics;
	bool		detoast;		/* values must be complete */
	uint64		detoasted;		/* columns->moves at which one last was made
								 * so */
	Oid			type;
	Oid			collation;
	int16		len;
	bool		byval;
	int			offset;			/* in a tuple without NULLs; -1 if it varies */
	char		align;
	bool		missing_null;	/* what a tuple has that is too short */
	Datum		missing;

	/* The batch: values of "len" bytes, or Datums if they are not by value. */
	char	   *values;
	bool	   *nulls;
	bool		has_nulls;
	uint8	   *scale;			/* of numerics that are kept as integers, see
								 * gpured_columns_keep_integers(), else NULL */
} GpuredColumn;

/*
 * The scale of a numeric that is a Datum; all others are integers times a power of
 * ten, and so small that as many of them as a batch has room for add up in 64 bits.
 */
#define GPURED_NOT_INTEGER 255
#define GPURED_INTEGER_LIMIT INT64CONST(1000000000000000)
#define GPURED_INTEGER_SCALES 9

typedef struct GpuredColumns
{
	int			n;				/* rows in the batch */
	int			full;			/* with this many it is full */
	int			room;			/* for this many is there memory */
	int			ncolumns;
	GpuredColumn *column;
	int			nexprs;			/* columns that are expressions */
	bool		has_first;
	bool		has_rest;
	uint64		by_executor;	/* rows for which the executor computed
								 * something */
	uint64		recomputed;		/* where a program could not go on */

	Relation	rel;
	TupleTableSlot *slot;		/* a row, for expressions and quals */
	ExprContext *econtext;
	HeapTupleData tuple;

	/* How to walk through a tuple whose columns have no fixed places. */
	int			natts;			/* up to the last column that is needed */
	int			natts_first;	/* of those that quals need */
	int			natts_rest;		/* of the others */
	int			walk_start;		/* the first that varies; natts if none does */
	int			walk_offset;	/* where the one before it ends */
	int		   *of_attribute;	/* column by attribute, -1 if not needed */
	bool		goes_on;		/* the second walk begins where the first
								 * ends, */
	bool		goes_on_complete;	/* or does so in a complete page */
	bool		walked;			/* the first one is done */
	int			reached[MaxHeapTuplesPerPage];	/* where it ended in each row */

	MemoryContext context;		/* columns */
	MemoryContext memory;		/* arrays of rows */
	MemoryContext constants;	/* that programs have computed */
	int			nkept_constants;	/* of programs */
	struct GpuredRows *free_rows;	/* that no node of a program has */
	const Bitmapset *few;		/* attributes with so few values that they may
								 * have dictionaries */
	struct GpuredDictionary *dictionaries;
	uint64		moves;			/* how often rows of a page came or moved */
	MemoryContext arena;		/* values passed by reference, of this batch */
	char	   *arena_next;
	char	   *arena_end;
	Size		arena_bytes;
} GpuredColumns;

/* Columns whose attribute numbers "few" has may have dictionaries. */
extern GpuredColumns *gpured_columns_create(Relation rel, const Bitmapset *few, ScanState *node);

/* The number of the column with these values, which is added if it is new. */
extern int	gpured_columns_add(GpuredColumns *columns, Expr *expr, int guard);

/*
 * The same for a column of the table that an expression needs as long as the page is
 * there, and quals first.
 */
extern int	gpured_columns_add_used(GpuredColumns *columns, Expr *var, bool first);

/*
 * The same for a condition, of which only matters where it is true: the column is
 * false also where it is NULL.
 */
extern int	gpured_columns_add_condition(GpuredColumns *columns, Expr *expr, ScanState *node);

/*
 * All expressions are added: have the executor prepare them, and so have their subqueries
 * where parallel workers look for them, before the first row.
 */
extern void gpured_columns_init_exprs(GpuredColumns *columns, ScanState *node);

/* All are added: prepare for extraction. */
extern void gpured_columns_prepare(GpuredColumns *columns, ScanState *node);

/*
 * Make an ExprState for expressions over a tuple of the table, where the node
 * has no relation of its own.
 */
extern ExprState *gpured_init_expr(Expr *expr, GpuredColumns *columns, ScanState *node);
extern ExprState *gpured_init_qual(List *quals, GpuredColumns *columns, ScanState *node);

/*
 * Keep the numerics that a program computes as integers where they can be; whoever
 * reads them knows.
 */
extern void gpured_columns_keep_integers(GpuredColumns *columns, GpuredColumn *column);

/* Parameters may have changed. */
extern void gpured_columns_reset(GpuredColumns *columns);

/* Forget the rows. */
extern void gpured_columns_clear(GpuredColumns *columns);

/* Extract the columns that quals need of a page, to the rows that follow. */
extern void gpured_columns_extract_first(GpuredColumns *columns, GpuredPage *page);

/* Keep the tuples of the page whose "keep" is set. */
extern void gpured_columns_select(GpuredColumns *columns, GpuredPage *page, const bool *keep);

/* Make a tuple of the page the row that the executor's expressions see, or none. */
extern void gpured_columns_show(GpuredColumns *columns, const GpuredPage *page, int i);
extern void gpured_columns_hide(GpuredColumns *columns);

/* Copy a value into the batch's memory. */
extern Datum gpured_columns_copy(GpuredColumns *columns, const void *value, Size size);

/*
 * Extract or compute the other columns.  The page's rows now belong to the batch.
 */
extern void gpured_columns_extract_rest(GpuredColumns *columns, GpuredPage *page);

/* A value as a Datum.  Undefined if it is NULL. */
static inline Datum
gpured_column_datum(const GpuredColumn *column, int row)
{
	if (!column->byval)
		return ((const Datum *) column->values)[row];
	switch (column->len)
	{
		case 1:
			return CharGetDatum(column->values[row]);
		case 2:
			return Int16GetDatum(((const int16 *) column->values)[row]);
		case 4:
			return Int32GetDatum(((const int32 *) column->values)[row]);
		default:
			return ((const Datum *) column->values)[row];
	}
}

static inline bool
gpured_batch_is_full(const GpuredColumns *columns)
{
	return columns->n >= columns->full || columns->arena_bytes >= GPURED_BATCH_BYTES;
}

#endif							/* GPURED_COLUMNS_H */

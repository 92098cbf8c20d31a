/*
 * program.h
 *	  Expressions over a page of column values at once.
 */
#ifndef GPURED_PROGRAM_H
#define GPURED_PROGRAM_H

#include "postgres.h"

#include "nodes/primnodes.h"

#include "scan/columns.h"

typedef struct GpuredProgram GpuredProgram;

/*
 * Whether an expression over columns of one table, which is more than one of them,
 * can be a program, if columns whose attribute numbers "few" has may have dictionaries.
 * May be asked while planning.
 */
extern bool gpured_program_is_possible(Expr *expr, const Bitmapset *few);

/*
 * The columns of which an expression that can be one needs dictionaries, added to "found" as
 * Vars.
 */
extern List *gpured_program_lookups(Expr *expr, const Bitmapset *few, List *found);

/*
 * Make a program of such an expression.  The columns that it needs are added; for
 * a qual they are extracted first.
 */
extern GpuredProgram *gpured_program_create(Expr *expr, GpuredColumns *columns, ScanState *node,
											bool first);

/* A numeric of up to 18 decimals, written as PostgreSQL stores it.  Returns its size. */
typedef union GpuredNumericSpace
{
	char		bytes[20];		/* that many at most */
	int32		align;
} GpuredNumericSpace;

extern Size gpured_numeric_write(int64 value, int scale, char *where);

/* Parameters may have changed. */
extern void gpured_program_reset(GpuredProgram *program);

/*
 * Compute it for those of n rows, which follow the batch's, that are active, into
 * the column "result"; the others are NULL.  False if PostgreSQL has to do it:
 * because it would raise an error for some active row, or because this cannot tell.
 */
extern bool gpured_program_run(GpuredProgram *program, GpuredColumns *columns, int n,
							   const bool *active, GpuredColumn *result);

/*
 * A qual: clear "keep" for the rows that do not pass.  False if PostgreSQL has to do
 * it for the rows that "keep" still has, which are all that came.
 */
extern bool gpured_program_test(GpuredProgram *program, GpuredColumns *columns, int n,
								bool *keep);

#endif							/* GPURED_PROGRAM_H */

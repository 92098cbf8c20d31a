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
 * Whether an expression over columns of one table can be a program: integer and
 * float8 arithmetic, casts among those, and date_trunc.  May be asked while
 * planning.
 */
extern bool gpured_program_is_possible(Expr *expr);

/* Make a program of such an expression; the columns that it needs are added. */
extern GpuredProgram *gpured_program_create(Expr *expr, GpuredColumns *columns, ScanState *node);

/*
 * Compute it for n rows, which follow the batch's, into the column "result".
 * False if PostgreSQL has to do it: because it would raise an error for some row,
 * or because this cannot tell.
 */
extern bool gpured_program_run(GpuredProgram *program, GpuredColumns *columns, int n,
							   GpuredColumn *result);

#endif							/* GPURED_PROGRAM_H */

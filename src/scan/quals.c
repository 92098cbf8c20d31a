/*
 * quals.c
 *	  Which rows of a page pass a query's quals.
 *
 * The planner has put them into an order, in which each is computed for the rows that
 * have passed those before: for all of them at once while that is possible, then all
 * that are left a row at a time by the executor.  So errors are raised as if it had
 * computed all of them.
 */
#include "postgres.h"

#include "scan/filter.h"
#include "scan/program.h"
#include "scan/quals.h"

/* A qual has a filter, a program or neither. */
typedef struct Qual
{
	GpuredFilter *filter;
	GpuredProgram *program;
} Qual;

/*
 * For the executor each qual is there once: a subquery that is in two places would have
 * two hash tables, and only one of them would be made again for other parameters.
 */
struct GpuredQuals
{
	int			n;
	Qual	   *qual;
	ExprState  *computed;		/* for it: those after the first filters that
								 * have filters or programs, */
	ExprState  *others;			/* and all from the first that has neither */
};

GpuredQuals *
gpured_quals_create(List *quals, GpuredColumns *columns, ScanState *node)
{
	GpuredQuals *result = palloc0(sizeof(GpuredQuals));
	int			nfilters;
	int			ncomputed;

	result->qual = palloc0(Max(list_length(quals), 1) * sizeof(Qual));
	while (result->n < list_length(quals) && gpured_filter_is_possible(list_nth(quals, result->n)))
	{
		Qual	   *qual = &result->qual[result->n];

		qual->filter = gpured_filter_create(list_nth(quals, result->n++), columns, node);
	}
	nfilters = result->n;
	while (result->n < list_length(quals))
	{
		Expr	   *expr = list_nth(quals, result->n);
		Qual	   *qual = &result->qual[result->n];

		if (gpured_filter_is_possible(expr))
			qual->filter = gpured_filter_create(expr, columns, node);
		else if (gpured_program_is_possible(expr, columns->few))
			qual->program = gpured_program_create(expr, columns, node, true);
		else
			break;
		result->n++;
	}
	ncomputed = result->n - nfilters;

	/*
	 * The executor checks that functions may be called: of filters that
	 * nothing else does.
	 */
	if (nfilters > 0)
		(void) gpured_init_qual(list_copy_head(quals, nfilters), columns, node);
	result->computed = gpured_init_qual(list_copy_head(list_copy_tail(quals, nfilters), ncomputed),
										columns, node);
	result->others = gpured_init_qual(list_copy_tail(quals, result->n), columns, node);

	/* The one that is left to the executor with all after it. */
	if (result->n < list_length(quals))
		result->n++;
	return result;
}

void
gpured_quals_reset(GpuredQuals *quals)
{
	for (int i = 0; i < quals->n; i++)
	{
		if (quals->qual[i].filter != NULL)
			gpured_filter_reset(quals->qual[i].filter);
		if (quals->qual[i].program != NULL)
			gpured_program_reset(quals->qual[i].program);
	}
}

/*
 * A row at a time: first the rows that have passed are brought together.  Where a
 * program cannot go on, all quals after the first filters are computed: those before it
 * are true.
 */
static void
apply_rest(const GpuredQuals *quals, bool all, GpuredColumns *columns, GpuredPage *page, bool *keep)
{
	gpured_columns_select(columns, page, keep);
	columns->by_executor += page->n;
	columns->recomputed += all ? page->n : 0;
	for (int i = 0; i < page->n; i++)
	{
		ResetExprContext(columns->econtext);
		gpured_columns_show(columns, page, i);
		keep[i] = (!all || ExecQual(quals->computed, columns->econtext)) &&
			ExecQual(quals->others, columns->econtext);
	}
	gpured_columns_hide(columns);
}

void
gpured_quals_apply(GpuredQuals *quals, GpuredColumns *columns, GpuredPage *page)
{
	bool		keep[MaxHeapTuplesPerPage];

	if (quals->n == 0)
		return;
	memset(keep, true, page->n);
	for (int i = 0; i < quals->n; i++)
	{
		Qual	   *qual = &quals->qual[i];

		/* Nothing is computed that no row would have reached. */
		if (memchr(keep, true, page->n) == NULL)
			break;
		if (qual->filter != NULL)
			gpured_filter_apply(qual->filter, columns, page->n, keep);
		else if (qual->program == NULL ||
				 !gpured_program_test(qual->program, columns, page->n, keep))
		{
			apply_rest(quals, qual->program != NULL, columns, page, keep);
			break;
		}
	}
	gpured_columns_select(columns, page, keep);
}

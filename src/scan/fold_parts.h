/*
 * fold_parts.h
 *	  What the files of fold.h share: what a fold is made of.
 *
 * fold.c takes batches in; fold_emit.c gives out what the groups have.
 */
#ifndef GPURED_FOLD_PARTS_H
#define GPURED_FOLD_PARTS_H

#include "postgres.h"

#include "nodes/execnodes.h"

#include "aggregate/aggregate.h"
#include "aggregate/partial.h"
#include "scan/fold.h"
#include "scan/groups.h"
#include "scan/numerics.h"
#include "scan/total.h"
#include "scan/transition.h"

/* A transition that is known well enough to do without its function for most rows. */
typedef enum GpuredShortcut
{
	GPURED_SHORTCUT_NONE,
	GPURED_SHORTCUT_NUMERIC_SUM,
	GPURED_SHORTCUT_NUMERIC_MOMENTS,	/* without groups */
	GPURED_SHORTCUT_MOMENTS,	/* of floats, with groups */
	GPURED_SHORTCUT_PAIR_MOMENTS,
	GPURED_SHORTCUT_DOT
} GpuredShortcut;

typedef struct GpuredAccumulator
{
	GpuredTotalKind kind;		/* GPURED_TOTAL_NONE for a transition */
	GpuredOp	op;
	int			column;			/* the last argument; -1 for count(*) */
	int			second;			/* the first of two arguments, or -1 */
	int			filter;			/* column, or -1 */
	GpuredTransition *transition;
	int			transno;		/* of the aggregate that has the transition */
	GpuredShortcut shortcut;	/* past the transition */

	/* With groups: which aggregate of the device, or where its state is. */
	int			aggregate;
	Size		offset;

	/* Without: the only group's. */
	GpuredTotal *total;
	GpuredTransitionState state;
	GpuredNumericMoments numeric;	/* what the state has not got */

	/* Of a sum of numerics: those that the device adds. */
	GpuredNumerics *numerics;
} GpuredAccumulator;

typedef struct GpuredOutput
{
	int			key;			/* which key, or -1 */
	int			accumulator;
	GpuredPartialForm form;
	bool		is_transition;
	char	   *space;			/* for the partial state of a total */
} GpuredOutput;

/* A column of a batch with a filter: what the device calls a column. */
typedef struct GpuredInput
{
	int			column;			/* -1: no values, only which rows count */
	int			filter;			/* -1: all rows */
	uint64	   *valid;			/* room for the bits of a batch */
	const GpuredAccumulator *sum;	/* of numerics, as integers; or NULL */
} GpuredInput;

struct GpuredFold
{
	GpuredColumns *columns;
	bool		has_group_by;
	bool		has_keys;
	uint64		rows;			/* folded since the last reset */
	int			noutputs;
	GpuredOutput *outputs;
	int			naccumulators;
	GpuredAccumulator *accumulators;
	bool		has_transitions;
	int			nkeys;
	int		   *keys;
	bool	   *take;			/* whether a row has a value for an aggregate */
	void	   *dense[2];		/* the values of those that have */
	AggState   *agg_state;
	ExprContext *group_context;

	/* If there are keys. */
	GpuredGroups *groups;
	int			ninputs;
	GpuredInput *inputs;
	GpuredGroupedColumn *batch; /* inputs of the whole batch */
	GpuredGroupedColumn *rest;	/* of the rows that come next */
	uint32		group[GPURED_GROUPS_ROWS];
	bool		begun;			/* with the batch */
	int			folded;			/* rows of the batch */
	uint64		next_sample;	/* number of rows */
	double		pass_left;		/* rows that are to pass as they are */
	bool		passing;		/* those of the batch, once groups are out */
	bool		groups_are_out;

	uint32		next;			/* group, or row of the batch, to be emitted */
};

/* Where states are that a group has besides the device's. */
static inline MemoryContext
gpured_fold_memory(const GpuredFold *fold)
{
	return fold->group_context->ecxt_per_tuple_memory;
}

/* The state of a row's group, or of the only one. */
static inline GpuredTransitionState *
gpured_fold_state(const GpuredFold *fold, GpuredAccumulator *accumulator, uint32 group)
{
	if (fold->groups == NULL)
		return &accumulator->state;
	return (GpuredTransitionState *)
		((char *) gpured_grouped_state(gpured_groups_device(fold->groups), group) +
		 accumulator->offset);
}

#endif							/* GPURED_FOLD_PARTS_H */

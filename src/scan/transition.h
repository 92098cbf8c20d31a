/*
 * transition.h
 *	  An aggregate's own transition function, called for each row as the executor
 *	  would.
 */
#ifndef GPURED_TRANSITION_H
#define GPURED_TRANSITION_H

#include "postgres.h"

#include "nodes/execnodes.h"
#include "nodes/primnodes.h"

#include "scan/columns.h"

typedef struct GpuredTransition GpuredTransition;

/* A group's state.  Zero is the state of a new group. */
typedef struct GpuredTransitionState
{
	Datum		value;
	bool		null;
	bool		started;
} GpuredTransitionState;

/* What functions called with an AggState can learn of where they are. */
extern AggState *gpured_make_agg_state(EState *estate, ExprContext *group_context, bool has_groups);

/* Checks privileges, as the executor does.  "args" are columns. */
extern GpuredTransition *gpured_transition_create(Aggref *aggref, const int *args,
												  AggState *agg_state);
extern PGFunction gpured_transition_function(const GpuredTransition *transition);
extern bool gpured_transition_starts_at_zero(const GpuredTransition *transition);

/* A call of it, for those who call others of the aggregate's functions. */
extern FunctionCallInfo gpured_transition_call(const GpuredTransition *transition);

extern void gpured_transition_advance(GpuredTransition *transition,
									  GpuredTransitionState *state,
									  const GpuredColumns *columns, int row);

/* The partial state, serialized if it has to be. */
extern Datum gpured_transition_partial(GpuredTransition *transition,
									   GpuredTransitionState *state, bool *null);

#endif							/* GPURED_TRANSITION_H */

/*
 * comparison.h
 *	  The comparisons that are known, by the functions that compute them.
 */
#ifndef GPURED_COMPARISON_H
#define GPURED_COMPARISON_H

#include "postgres.h"

#include <math.h>

typedef enum Comparison
{
	LT, LE, EQ, GE, GT, NE
} Comparison;

/* How values of a type are compared. */
typedef enum ValueClass
{
	CLASS_SIGNED,				/* integers of 2, 4 or 8 bytes */
	CLASS_OID,
	CLASS_BOOL,
	CLASS_FLOAT,				/* of 4 or 8 bytes, NaN above all */
	CLASS_NUMERIC,
	CLASS_STRING,				/* equality of bytes */
	CLASS_BPCHAR,				/* the same but for spaces at the end */
	CLASS_UUID,
	CLASS_DATE_TIMESTAMP,		/* a date on the left */
	CLASS_TIMESTAMP_DATE
} ValueClass;

/* PostgreSQL's order of floats: NaN equals itself and is greater than all else. */
static inline bool
gpured_float_lt(double a, double b)
{
	return !isnan(a) && (isnan(b) || a < b);
}

static inline bool
gpured_float_eq(double a, double b)
{
	return isnan(a) ? isnan(b) : a == b;
}

/* Whether a function is one of them. */
extern bool gpured_find_comparison(Oid function, Comparison *comparison, ValueClass *value_class);

#endif							/* GPURED_COMPARISON_H */

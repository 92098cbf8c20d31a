/*
 * comparison.c
 *	  The comparisons that are known, by the functions that compute them.
 *
 * Only those are here that cannot fail and that PostgreSQL defines by plain C
 * comparisons.  Strings are only tested for equality, which is that of bytes
 * unless a collation is nondeterministic; whoever asks looks at the collation.
 */
#include "postgres.h"

#include "utils/fmgroids.h"

#include "scan/comparison.h"

static const struct
{
	Oid			function;
	Comparison	comparison;
	ValueClass	value_class;
}			comparisons[] =

{
#define EQUALITY(prefix, class) \
	{F_##prefix##EQ, EQ, class}, {F_##prefix##NE, NE, class}
#define COMPARISONS(prefix, class) \
	{F_##prefix##LT, LT, class}, {F_##prefix##LE, LE, class}, \
	{F_##prefix##GE, GE, class}, {F_##prefix##GT, GT, class}, EQUALITY(prefix, class)
#define MIXED(left, right, class) \
	{F_##left##_LT_##right, LT, class}, {F_##left##_LE_##right, LE, class}, \
	{F_##left##_EQ_##right, EQ, class}, {F_##left##_GE_##right, GE, class}, \
	{F_##left##_GT_##right, GT, class}, {F_##left##_NE_##right, NE, class}
	COMPARISONS(INT2, CLASS_SIGNED),
	COMPARISONS(INT4, CLASS_SIGNED),
	COMPARISONS(INT8, CLASS_SIGNED),
	COMPARISONS(INT24, CLASS_SIGNED),
	COMPARISONS(INT28, CLASS_SIGNED),
	COMPARISONS(INT42, CLASS_SIGNED),
	COMPARISONS(INT48, CLASS_SIGNED),
	COMPARISONS(INT82, CLASS_SIGNED),
	COMPARISONS(INT84, CLASS_SIGNED),
	COMPARISONS(DATE_, CLASS_SIGNED),
	COMPARISONS(TIME_, CLASS_SIGNED),
	COMPARISONS(TIMESTAMP_, CLASS_SIGNED),
	COMPARISONS(TIMESTAMPTZ_, CLASS_SIGNED),
	COMPARISONS(CASH_, CLASS_SIGNED),
	COMPARISONS(OID, CLASS_OID),
	EQUALITY(ENUM_, CLASS_OID),
	COMPARISONS(BOOL, CLASS_BOOL),
	COMPARISONS(FLOAT4, CLASS_FLOAT),
	COMPARISONS(FLOAT8, CLASS_FLOAT),
	COMPARISONS(FLOAT48, CLASS_FLOAT),
	COMPARISONS(FLOAT84, CLASS_FLOAT),
	COMPARISONS(NUMERIC_, CLASS_NUMERIC),
	COMPARISONS(UUID_, CLASS_UUID),
	EQUALITY(TEXT, CLASS_STRING),
	EQUALITY(BYTEA, CLASS_STRING),
	EQUALITY(BPCHAR, CLASS_BPCHAR),
	MIXED(DATE, TIMESTAMP, CLASS_DATE_TIMESTAMP),
	MIXED(TIMESTAMP, DATE, CLASS_TIMESTAMP_DATE)
#undef EQUALITY
#undef COMPARISONS
#undef MIXED
};

bool
gpured_find_comparison(Oid function, Comparison *comparison, ValueClass *value_class)
{
	for (int i = 0; i < lengthof(comparisons); i++)
	{
		if (comparisons[i].function == function)
		{
			*comparison = comparisons[i].comparison;
			*value_class = comparisons[i].value_class;
			return true;
		}
	}
	return false;
}

/*
 * same.h
 *	  Whether two accumulators hold the same.
 */
#ifndef GPURED_TEST_SAME_H
#define GPURED_TEST_SAME_H

#include <cstring>

#include "device/device.h"

static inline bool
same_float(double a, double b)
{
	return (a != a && b != b) || memcmp(&a, &b, sizeof(a)) == 0;
}

static inline bool
same_acc(GpuredOp op, GpuredAcc a, GpuredAcc b)
{
	double x, y;

	if (a.n != b.n)
		return false;
	if (a.n == 0)
		return true;
	switch (gpured_op_info[op].acc)
	{
		case GPURED_ACC_wide:
			return memcmp(&a.v.i128, &b.v.i128, sizeof(a.v.i128)) == 0;
		case GPURED_ACC_exact:
			gpured_exact_normalize(&a.v.exact);
			gpured_exact_normalize(&b.v.exact);
			gpured_exact_to_double(&a.v.exact, &x);
			gpured_exact_to_double(&b.v.exact, &y);
			if (!same_float(x, y) ||
				((a.v.exact.flags ^ b.v.exact.flags) & GPURED_EXACT_NOT_NEGZERO) != 0)
				return false;

			/* The finite part means nothing beside a special value. */
			return (a.v.exact.flags & ~(unsigned) GPURED_EXACT_NOT_NEGZERO) != 0 ||
				   memcmp(a.v.exact.limb, b.v.exact.limb, sizeof(a.v.exact.limb)) == 0;
		case GPURED_ACC_least_float:
		case GPURED_ACC_greatest_float:
			return same_float(a.v.f8, b.v.f8);
		case GPURED_ACC_int_moments:
			return memcmp(&a.v.ints, &b.v.ints, sizeof(a.v.ints)) == 0;
		case GPURED_ACC_moments:
		case GPURED_ACC_pair_moments:
		case GPURED_ACC_dot:
			/* Accumulators start as zero, so sums that there are not are equal too. */
			return memcmp(&a.v.sums, &b.v.sums, sizeof(a.v.sums)) == 0;
		default:
			return a.v.i64 == b.v.i64;
	}
}

#endif /* GPURED_TEST_SAME_H */

/*
 * ops.c
 *	  The table of operations, and what accumulators do wherever they are:
 *	  in the session, in the server and between them.
 *
 * Accumulators merge in any order.  Integer ones wrap in two's complement: one
 * batch stays far inside its type, a session that sums many of int64 widens
 * them first, and a hostile accumulator makes no undefined behaviour of it.
 */
#include "device/device.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "device/cpu.h"

const GpuredOpInfo gpured_op_info[GPURED_NUM_OPS] = {
	[GPURED_none] = {.name = "none"},
#define GPURED_REDUCE(op, type, ctype, kind) \
	[GPURED_reduce_##op##_##type] = { \
		.name = "reduce_" #op "_" #type, \
		.acc = GPURED_ACC_##kind, \
		.input_size = sizeof(ctype), \
		.columns = 1 \
	},
#define GPURED_MOMENTS(op, type, ctype, ncolumns, kind) \
	[GPURED_reduce_##op##_##type] = { \
		.name = "reduce_" #op "_" #type, \
		.acc = GPURED_ACC_##kind, \
		.input_size = sizeof(ctype), \
		.columns = ncolumns \
	},
#define GPURED_SCAN(op, type, ctype, kind, otype) \
	[GPURED_scan_##op##_##type] = { \
		.name = "scan_" #op "_" #type, \
		.acc = GPURED_ACC_##kind, \
		.input_size = sizeof(ctype), \
		.columns = 1, \
		.output_size = sizeof(otype), \
		.is_scan = true \
	},
#include "oplist.h"
};

void
gpured_acc_init(GpuredOp op, GpuredAcc *acc)
{
	/* all identities are zero bytes, with n = 0 */
	(void) op;
	memset(acc, 0, sizeof(*acc));
}

void
gpured_acc_merge(GpuredOp op, GpuredAcc *dst, const GpuredAcc *src)
{
	bool		take;

	if (src->n == 0)
		return;
	switch (gpured_op_info[op].acc)
	{
		case GPURED_ACC_int64:
			dst->v.i64 = (int64_t) ((uint64_t) dst->v.i64 + (uint64_t) src->v.i64);
			break;
		case GPURED_ACC_wide:
			gpured_wide_add(&dst->v.i128, src->v.i128);
			break;
		case GPURED_ACC_exact:
			gpured_exact_merge(&dst->v.exact, &src->v.exact);
			break;
		case GPURED_ACC_least_int:
			if (dst->n == 0 || src->v.i64 < dst->v.i64)
				dst->v.i64 = src->v.i64;
			break;
		case GPURED_ACC_greatest_int:
			if (dst->n == 0 || src->v.i64 > dst->v.i64)
				dst->v.i64 = src->v.i64;
			break;
		case GPURED_ACC_least_float:
		case GPURED_ACC_greatest_float:
			take = gpured_float_rank(src->v.f8) > gpured_float_rank(dst->v.f8);
			if (gpured_op_info[op].acc == GPURED_ACC_least_float)
				take = gpured_float_rank(src->v.f8) < gpured_float_rank(dst->v.f8);
			if (dst->n == 0 || take)
				dst->v.f8 = gpured_canonical_float(src->v.f8);
			break;
		case GPURED_ACC_and_int:
			dst->v.i64 = dst->n == 0 ? src->v.i64 : dst->v.i64 & src->v.i64;
			break;
		case GPURED_ACC_or_int:
			dst->v.i64 = dst->n == 0 ? src->v.i64 : dst->v.i64 | src->v.i64;
			break;
		case GPURED_ACC_xor_int:
			dst->v.i64 = dst->n == 0 ? src->v.i64 : dst->v.i64 ^ src->v.i64;
			break;
		case GPURED_ACC_int_moments:
			gpured_int_moments_add(&dst->v.ints, &src->v.ints);
			break;
		case GPURED_ACC_moments:
			gpured_moment_sums_add(GPURED_MOMENTS_ONE, &dst->v.sums, &src->v.sums);
			break;
		case GPURED_ACC_pair_moments:
			gpured_moment_sums_add(GPURED_MOMENTS_TWO, &dst->v.sums, &src->v.sums);
			break;
		case GPURED_ACC_dot:
			gpured_moment_sums_add(GPURED_MOMENTS_DOT, &dst->v.sums, &src->v.sums);
			break;
	}
	dst->n = (int64_t) ((uint64_t) dst->n + (uint64_t) src->n);
}

GpuredStatus
gpured_status(GpuredStatusCode code, const char *fmt,...)
{
	GpuredStatus status = {.code = code};
	va_list		args;

	va_start(args, fmt);
	vsnprintf(status.reason, sizeof(status.reason), fmt, args);
	va_end(args);
	return status;
}

GpuredStatus
gpured_ok(void)
{
	GpuredStatus status = {.code = GPURED_OK};

	return status;
}

/*
 * device.h
 *	  What a device is, for those above it: a struct of function pointers.
 *
 * The CPU device (cpu.c) and the CUDA device (src/server/cuda.c) implement the
 * same interface and agree to the last bit; tests compare them with "=".
 * Nothing above this interface knows which device runs.
 *
 * Below this line there are no exceptions: a device returns a status and a
 * reason in words.  This header includes no PostgreSQL header, and is shared
 * by the extension, gpured-server and the stand-alone tests.
 */
#ifndef GPURED_DEVICE_H
#define GPURED_DEVICE_H

#include "exact/exact.h"
#include "exact/moment_sums.h"

#ifdef __cplusplus
extern "C"
{
#endif

/* Operation numbers, from the one list: GPURED_reduce_sum_int4, ... */
typedef enum GpuredOp
{
	GPURED_none = 0,
#define GPURED_REDUCE(op, type, ctype, acc) GPURED_reduce_##op##_##type,
#define GPURED_MOMENTS(op, type, ctype, columns, acc) GPURED_reduce_##op##_##type,
#define GPURED_SCAN(op, type, ctype, acc, otype) GPURED_scan_##op##_##type,
#include "oplist.h"
	GPURED_NUM_OPS
} GpuredOp;

/* How an accumulator is kept. */
typedef enum GpuredAccKind
{
	GPURED_ACC_int64,			/* v.i64 */
	GPURED_ACC_wide,			/* v.i128 */
	GPURED_ACC_exact,			/* v.exact */
	GPURED_ACC_least_int,		/* v.i64, valid if n > 0 */
	GPURED_ACC_greatest_int,	/* v.i64, valid if n > 0 */
	GPURED_ACC_least_float,		/* v.f8, valid if n > 0 */
	GPURED_ACC_greatest_float,	/* v.f8, valid if n > 0 */
	GPURED_ACC_and_int,			/* v.i64, valid if n > 0 */
	GPURED_ACC_or_int,			/* v.i64, valid if n > 0 */
	GPURED_ACC_xor_int,			/* v.i64, valid if n > 0 */
	GPURED_ACC_int_moments,		/* v.ints */
	GPURED_ACC_moments,			/* v.sums, of GPURED_MOMENTS_ONE */
	GPURED_ACC_pair_moments,	/* v.sums, of GPURED_MOMENTS_TWO */
	GPURED_ACC_dot				/* v.sums, of GPURED_MOMENTS_DOT */
} GpuredAccKind;

/* An accumulator: what a reduction adds to and what a scan carries. */
typedef struct GpuredAcc
{
	int64_t		n;				/* values folded in so far */
	union
	{
		int64_t		i64;
		GpuredInt128 i128;
		double		f8;
		GpuredExact exact;
		GpuredIntMoments ints;
		GpuredMomentSums sums;
	}			v;
} GpuredAcc;

typedef struct GpuredOpInfo
{
	const char *name;			/* "reduce_sum_int4" */
	GpuredAccKind acc;
	uint8_t		input_size;		/* bytes a value */
	uint8_t		columns;		/* of input: 1, or 2 of the same type */
	uint8_t		output_size;	/* bytes an output value; 0 for a reduction */
	bool		is_scan;
} GpuredOpInfo;

extern const GpuredOpInfo gpured_op_info[GPURED_NUM_OPS];

/* Start an accumulator at the identity; fold src into dst. */
extern void gpured_acc_init(GpuredOp op, GpuredAcc *acc);
extern void gpured_acc_merge(GpuredOp op, GpuredAcc *dst, const GpuredAcc *src);

typedef enum GpuredStatusCode
{
	GPURED_OK = 0,
	GPURED_UNAVAILABLE,			/* no server, or no usable device */
	GPURED_BUSY,				/* no slot within the bounded wait */
	GPURED_TIMEOUT,				/* no answer in time */
	GPURED_NO_MEMORY,			/* the device has no room */
	GPURED_DEVICE_FAILED,		/* launch, copy or context failed */
	GPURED_PROTOCOL				/* a message made no sense */
} GpuredStatusCode;

typedef struct GpuredStatus
{
	GpuredStatusCode code;
	char		reason[244];	/* in plain words, NUL terminated */
} GpuredStatus;

/*
 * A batch without NULLs: n values, contiguous.  Operations of two columns have
 * as many in a second one, x in the first and y here; others leave it NULL.
 */
typedef struct GpuredBatch
{
	const void *values;
	size_t		n;
	const void *second;
} GpuredBatch;

typedef struct GpuredDeviceInfo
{
	char		name[96];		/* "NVIDIA H200", "AMD EPYC (4 threads)" */
	bool		usable;
	char		reason[244];	/* why it is not used, or empty */
	int32_t		capability;		/* compute capability * 10, or 0 */
	int32_t		multiprocessors;	/* or threads */
	uint64_t	memory;			/* bytes */
	int32_t		driver_version; /* as CUDA reports it, or 0 */
	int32_t		runtime_version;
} GpuredDeviceInfo;

typedef struct GpuredDevice
{
	const char *name;			/* "cpu", "cuda" */

	/* Looks once; fills info, with a reason if it is not usable. */
	bool		(*probe) (GpuredDeviceInfo *info);

	/* Optional: pin a shared mapping for transfers, once. */
	GpuredStatus (*register_pool) (void *base, size_t size);

	/* Fold a batch into acc (which holds what came before). */
	GpuredStatus (*reduce) (GpuredOp op, const GpuredBatch *in, GpuredAcc *acc);

	/*
	 * Inclusive scan.  carry holds what came before the batch and is advanced
	 * past it.  out has in->n elements of the list's output type and does not
	 * overlap the input.  A float prefix whose finite total is out of range
	 * is written as an infinity: the caller raises the error, since it knows
	 * whether an infinity was among the inputs.  A prefix of nothing but -0
	 * is -0 (so -0 stands for "no value" in sums).
	 */
	GpuredStatus (*scan) (GpuredOp op, const GpuredBatch *in, GpuredAcc *carry,
						  void *out);

	/* Optional: counters for the statistics. */
	uint64_t	(*launches) (void);

	/* Optional: give back what the calling thread holds. */
	void		(*thread_release) (void);
} GpuredDevice;

extern const GpuredDevice gpured_cpu_device;
#ifdef GPURED_WITH_CUDA
extern const GpuredDevice gpured_cuda_device;

/* For tests: reduce in this way (see kernels/algorithms.h); false if there is none of that name. */
extern bool gpured_cuda_use_algorithm(const char *name);
#endif

/* A status with a formatted reason. */
extern GpuredStatus gpured_status(GpuredStatusCode code, const char *fmt,...)
			__attribute__((format(printf, 2, 3)));
extern GpuredStatus gpured_ok(void);

#ifdef __cplusplus
}
#endif

#endif							/* GPURED_DEVICE_H */

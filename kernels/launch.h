/*
 * launch.h
 *	  How C starts the kernels: one function for each line of oplist.h.
 *
 * All pointers are to device memory; out and workspace are multiples of 16
 * bytes, and so are the values of a scan; those of a reduction may begin at any
 * value.  A launch is asynchronous on its stream and never synchronizes;
 * it returns a cudaError_t.  n is at least 1 for a scan; a reduction of no
 * values gives its identity.
 *
 * A workspace belongs to one stream.  Its first gpured_workspace_zeroed()
 * bytes are zero when it is made, and the launches' own from then on; after one
 * that failed they must be made zero again.
 */
#ifndef GPURED_LAUNCH_H
#define GPURED_LAUNCH_H

#include <cuda_runtime_api.h>

#include "device/device.h"

#ifdef __cplusplus
extern "C"
{
#endif

/* The ways to reduce an array: see algorithms.h. */
typedef enum GpuredAlgorithm
{
#define GPURED_ALGORITHM(id, name) GPURED_ALGORITHM_##id,
#include "kernels/algorithms.h"
	GPURED_NUM_ALGORITHMS
} GpuredAlgorithm;

extern const char *const gpured_algorithm_names[GPURED_NUM_ALGORITHMS];

/*
 * Which algorithm computes "op" if "wanted" is asked for: "wanted" itself, but
 * for sums of floats.  Their exact states have hundreds of bytes, which no tree
 * and not CUB can hold and no single atomic can add: last_block does those.
 */
extern GpuredAlgorithm gpured_algorithm_serving(GpuredOp op, GpuredAlgorithm wanted);

/* Writes result->v alone: the fold of the n values. */
#define GPURED_REDUCE(op, type, ctype, acc) \
	extern int gpured_launch_reduce_##op##_##type(const void *values, size_t n, void *workspace, \
												  GpuredAcc *result, cudaStream_t stream, \
												  GpuredAlgorithm algorithm);

/* How a scan is done; for tests and benchmarks, which ask for one that the device can do. */
typedef enum GpuredScanAlgorithm
{
	GPURED_SCAN_AUTO,			/* by device, size and data */
	GPURED_SCAN_THREE_LAUNCHES, /* reduce, then scan (scan.cuh, exact_scan.cuh) */
	GPURED_SCAN_RING			/* one pass (scan_ring.cuh) */
} GpuredScanAlgorithm;

/*
 * The same of one column, or of two; y is NULL if there is one.  Columns begin at
 * multiples of 16 bytes, and n is at least 1.
 */
#define GPURED_MOMENTS(op, type, ctype, columns, acc) \
	extern int gpured_launch_reduce_##op##_##type(const void *x, const void *y, size_t n, \
												  void *workspace, GpuredAcc *result, \
												  cudaStream_t stream);

/*
 * Inclusive scan from carry->v, which is advanced (carry->n is not touched).
 * An exact carry comes normalized and leaves with large limbs: normalize it.
 */
#define GPURED_SCAN(op, type, ctype, acc, otype) \
	extern int gpured_launch_scan_##op##_##type(const void *values, size_t n, void *workspace, \
												GpuredAcc *carry, void *out, cudaStream_t stream); \
	extern int gpured_launch_scan_##op##_##type##_by(const void *values, size_t n, \
													 void *workspace, GpuredAcc *carry, void *out, \
													 cudaStream_t stream, \
													 GpuredScanAlgorithm algorithm);
#include "oplist.h"

/* Whether this program has code for the current device. */
extern int	gpured_launch_check(void);

/* Bytes of workspace for any operation on n values, and how many of them start as zero. */
extern size_t gpured_workspace_size(size_t n);
extern size_t gpured_workspace_zeroed(void);

#ifdef __cplusplus
}
#endif

#endif							/* GPURED_LAUNCH_H */

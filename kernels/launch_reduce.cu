/*
 * launch_reduce.cu
 *	  Launches of the integer sums, minima and maxima of oplist.h.
 */
#include "grid_reduce.cuh"
#include "launch.cuh"
#include "workspace.cuh"

/* Enough loads in flight to keep the memory busy with few registers. */
constexpr int REDUCE_THREADS = 512;
constexpr int REDUCE_VECTORS = 4;

template <class Op>
static int
launch_reduce(const void *values, size_t n, void *workspace, GpuredAcc *result, cudaStream_t stream)
{
	typedef typename Op::Value Value;
	constexpr size_t TILE = REDUCE_THREADS * REDUCE_VECTORS * Vector<Value>::LENGTH;
	auto kernel = grid_reduce<Op, REDUCE_THREADS, REDUCE_VECTORS>;
	static const LaunchShape shape =
		launch_shape(kernel, REDUCE_THREADS, [](int) { return (size_t) 0; });

	if (shape.error != cudaSuccess)
		return shape.error;
	LAUNCH(kernel, launch_grid(shape, tiles_of(n, TILE), GRID_MAX_BLOCKS), REDUCE_THREADS, 0,
		   stream, static_cast<const Value *>(values), n,
		   &static_cast<Workspace *>(workspace)->reduce, result);
	return cudaGetLastError();
}

/* Which operator a line of the list means; exact sums are in a file of their own. */
#define REDUCE_int64(op, type, ctype) REDUCE_WITH(op, type, SumInt64<ctype>)
#define REDUCE_wide(op, type, ctype) REDUCE_WITH(op, type, SumInt128)
#define REDUCE_least_int(op, type, ctype) REDUCE_WITH(op, type, Least<ctype>)
#define REDUCE_least_float(op, type, ctype) REDUCE_WITH(op, type, Least<ctype>)
#define REDUCE_greatest_int(op, type, ctype) REDUCE_WITH(op, type, Greatest<ctype>)
#define REDUCE_greatest_float(op, type, ctype) REDUCE_WITH(op, type, Greatest<ctype>)
#define REDUCE_exact(op, type, ctype)

#define REDUCE_WITH(op, type, ...) \
	extern "C" int gpured_launch_reduce_##op##_##type( \
		const void *values, size_t n, void *workspace, GpuredAcc *result, cudaStream_t stream) \
	{ \
		return launch_reduce<__VA_ARGS__>(values, n, workspace, result, stream); \
	}
#define GPURED_REDUCE(op, type, ctype, acc) REDUCE_##acc(op, type, ctype)
#include "oplist.h"

extern "C" int
gpured_launch_check(void)
{
	cudaFuncAttributes attributes;

	return cudaFuncGetAttributes(&attributes,
								 grid_reduce<SumInt64<int32_t>, REDUCE_THREADS, REDUCE_VECTORS>);
}

/*
 * launch_reduce.cu
 *	  Launches of the reductions of oplist.h that have an operator, and which
 *	  algorithm each takes.  (Exact sums of floats: launch_exact_sum.cu.)
 */
#include "grid_reduce_atomic.cuh"
#include "grid_reduce_last_block.cuh"
#include "grid_reduce_two_pass.cuh"
#include "launch_reduce.cuh"

ReduceByCub reduce_by_cub[GPURED_NUM_OPS];

extern "C" const char *const gpured_algorithm_names[GPURED_NUM_ALGORITHMS] = {
#define GPURED_ALGORITHM(id, name) name,
#include "algorithms.h"
};

extern "C" GpuredAlgorithm
gpured_algorithm_serving(GpuredOp op, GpuredAlgorithm wanted)
{
	if (wanted == GPURED_ALGORITHM_auto || gpured_op_info[op].acc == GPURED_ACC_exact ||
		(wanted == GPURED_ALGORITHM_cub && reduce_by_cub[op] == nullptr))
		return GPURED_ALGORITHM_last_block;
	return wanted;
}

template <class Op>
static cudaError_t
launch_two_pass(const ReduceCall &call)
{
	typedef typename Op::Value Value;
	typedef typename Op::State State;
	typedef OverStates<Op> Second;
	auto first = grid_reduce_pass<Op, BlockShuffles<Op>>;
	auto second = grid_reduce_pass<Second, BlockShuffles<Second>>;
	static const ReduceShapes shapes(first);
	const ReduceGrid grid = shapes.grid(call.n * sizeof(Value));
	State *partial = reinterpret_cast<State *>(call.workspace->reduce.partial);

	if (grid.error != cudaSuccess)
		return grid.error;
	LAUNCH(first, grid.blocks, grid.threads, 0, call.stream,
		   static_cast<const Value *>(call.values), call.n, partial, call.result);
	LAUNCH(second, 1, grid.threads, 0, call.stream, partial, (size_t) grid.blocks,
		   static_cast<State *>(nullptr), call.result);
	return cudaGetLastError();
}

template <class Op, class Kernel>
static cudaError_t
launch_atomic(Kernel kernel, const ReduceGrid &grid, const ReduceCall &call)
{
	GridReduceWorkspace *work = &call.workspace->reduce;

	if (grid.error != cudaSuccess)
		return grid.error;
	LAUNCH(grid_reduce_start<Op>, 1, WARP, 0, call.stream, work);
	LAUNCH(kernel, grid.blocks, grid.threads, 0, call.stream,
		   static_cast<const typename Op::Value *>(call.values), call.n, work, call.result);
	return cudaGetLastError();
}

template <class Op>
static cudaError_t
launch_block_atomic(const ReduceCall &call)
{
	auto kernel = grid_reduce_block_atomic<Op, BlockShuffles<Op>>;
	static const ReduceShapes shapes(kernel);

	return launch_atomic<Op>(kernel, shapes.grid(call.n * sizeof(typename Op::Value)), call);
}

template <class Op>
static cudaError_t
launch_thread_atomic(const ReduceCall &call)
{
	auto kernel = grid_reduce_thread_atomic<Op>;
	static const ReduceShapes shapes(kernel);

	return launch_atomic<Op>(kernel, shapes.grid(call.n * sizeof(typename Op::Value)), call);
}

template <class Op>
static cudaError_t
launch_last_block(const ReduceCall &call)
{
	return launch_last_block_by<Op, BlockShuffles<Op>>(call);
}

template <class Op>
static cudaError_t
launch_reduce(const ReduceCall &call, GpuredOp op, GpuredAlgorithm algorithm)
{
	switch (gpured_algorithm_serving(op, algorithm))
	{
		case GPURED_ALGORITHM_two_pass:
			return launch_two_pass<Op>(call);
		case GPURED_ALGORITHM_block_atomic:
			return launch_block_atomic<Op>(call);
		case GPURED_ALGORITHM_thread_atomic:
			return launch_thread_atomic<Op>(call);
		case GPURED_ALGORITHM_last_block:
			return launch_last_block<Op>(call);
		case GPURED_ALGORITHM_last_block_tree:
			return launch_last_block_tree<Op>(call);
		case GPURED_ALGORITHM_last_block_group:
			return launch_last_block_group<Op>(call);
		case GPURED_ALGORITHM_cooperative:
			return launch_cooperative<Op>(call);
		case GPURED_ALGORITHM_cub:
			return reduce_by_cub[op](call);
		default:
			return cudaErrorInvalidValue;
	}
}

#define DEFINE_LAUNCH(name, ...) \
	extern "C" int gpured_launch_reduce_##name(const void *values, size_t n, void *workspace, \
											   GpuredAcc *result, cudaStream_t stream, \
											   GpuredAlgorithm algorithm) \
	{ \
		const ReduceCall call = {values, n, static_cast<Workspace *>(workspace), result, stream}; \
\
		return launch_reduce<__VA_ARGS__>(call, GPURED_reduce_##name, algorithm); \
	}
#define GPURED_REDUCE(op, type, ctype, acc) FOR_OPERATOR_##acc(DEFINE_LAUNCH, op##_##type, ctype)
#include "oplist.h"

extern "C" int
gpured_launch_check(void)
{
	typedef SumInt64<int32_t> Op;
	cudaFuncAttributes attributes;

	return cudaFuncGetAttributes(&attributes, grid_reduce_last_block<Op, BlockShuffles<Op>>);
}

/*
 * launch_reduce_groups.cu
 *	  Launches of the reductions for comparison: other ways to reduce a block,
 *	  and a barrier for the whole grid.
 *
 * The headers of cooperative groups take their time to compile, and launch_reduce.cu
 * is compiled meanwhile.
 */
#include "block_reduce_tree.cuh"
#include "grid_reduce_cooperative.cuh"
#include "grid_reduce_last_block.cuh"
#include "launch_reduce.cuh"
#include "warp_reduce_group.cuh"

template <class Op>
cudaError_t
launch_last_block_tree(const ReduceCall &call)
{
	return launch_last_block_by<Op, BlockTree<Op>>(call);
}

template <class Op>
cudaError_t
launch_last_block_group(const ReduceCall &call)
{
	return launch_last_block_by<Op, BlockGroups<Op>>(call);
}

template <class Op>
cudaError_t
launch_cooperative(const ReduceCall &call)
{
	typedef typename Op::Value Value;
	auto kernel = grid_reduce_cooperative<Op, BlockShuffles<Op>>;
	static const ReduceShapes shapes(kernel);
	const ReduceGrid grid = shapes.grid(call.n * sizeof(Value));

	if (grid.error != cudaSuccess)
		return grid.error;
	return LAUNCH_COOPERATIVE(kernel, grid.blocks, grid.threads, 0, call.stream,
							  static_cast<const Value *>(call.values), call.n,
							  &call.workspace->reduce, call.result);
}

#define INSTANTIATE(name, ...) \
	template cudaError_t launch_last_block_tree<__VA_ARGS__>(const ReduceCall &); \
	template cudaError_t launch_last_block_group<__VA_ARGS__>(const ReduceCall &); \
	template cudaError_t launch_cooperative<__VA_ARGS__>(const ReduceCall &);
#define GPURED_REDUCE(op, type, ctype, acc) FOR_OPERATOR_##acc(INSTANTIATE, op##_##type, ctype)
#include "oplist.h"

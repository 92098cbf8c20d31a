/*
 * launch_reduce_cub.cu
 *	  The reductions by CUB, NVIDIA's library, behind the same calls.
 *
 * CUB has the operator and the lift of a value as functors, and finds the best
 * kernel for a type and card by itself; another one puts the state into the
 * accumulator.  States are at most 16 bytes, the width of CUB's loads.
 *
 * Source: CUB, cub::DeviceReduce::TransformReduce.
 */
#include <cub/cub.cuh>

#include "launch_reduce.cuh"

template <class Op>
struct CubLift
{
	__device__ __forceinline__ typename Op::State operator()(typename Op::Value v) const
	{
		return Op::lift(v);
	}
};

template <class Op>
struct CubCombine
{
	__device__ __forceinline__ typename Op::State operator()(const typename Op::State &a,
															 const typename Op::State &b) const
	{
		return Op::combine(a, b);
	}
};

template <class Op>
static __global__ void
store_state(const typename Op::State *state, GpuredAcc *result)
{
	if (threadIdx.x == 0)
		Op::store(result, *state);
}

template <class Op>
static cudaError_t
launch_cub(const ReduceCall &call)
{
	typedef typename Op::Value Value;
	typedef typename Op::State State;
	State *total = reinterpret_cast<State *>(call.workspace->reduce.total);
	size_t size = 0;
	cudaError_t error;

	static_assert(sizeof(State) <= 16, "exact states do not go this way");
	error = cub::DeviceReduce::TransformReduce(
		nullptr, size, static_cast<const Value *>(call.values), total, call.n, CubCombine<Op>(),
		CubLift<Op>(), Op::identity(), call.stream);
	if (error != cudaSuccess)
		return error;

	/* Its partials of 16 bytes do not always fit. */
	if (size > sizeof(call.workspace->reduce.partial))
		return launch_last_block_by<Op, BlockShuffles<Op>>(call);
	error = cub::DeviceReduce::TransformReduce(
		call.workspace->reduce.partial, size, static_cast<const Value *>(call.values), total,
		call.n, CubCombine<Op>(), CubLift<Op>(), Op::identity(), call.stream);
	if (error != cudaSuccess)
		return error;
	LAUNCH(store_state<Op>, 1, WARP, 0, call.stream, total, call.result);
	return cudaGetLastError();
}

/* The table is zero before any initialization that runs code. */
static const bool registered = []
{
#define REGISTER(name, ...) reduce_by_cub[GPURED_reduce_##name] = launch_cub<__VA_ARGS__>;
#define GPURED_REDUCE(op, type, ctype, acc) FOR_OPERATOR_##acc(REGISTER, op##_##type, ctype)
#include "oplist.h"
	return true;
}();

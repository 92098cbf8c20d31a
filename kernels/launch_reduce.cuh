/*
 * launch_reduce.cuh
 *	  What the launches of reductions share: the operators that oplist.h asks
 *	  for, and how many threads and blocks there are.
 */
#ifndef GPURED_LAUNCH_REDUCE_CUH
#define GPURED_LAUNCH_REDUCE_CUH

#include "grid_reduce_last_block.cuh"
#include "launch.cuh"
#include "workspace.cuh"

/* A launch of launch.h. */
struct ReduceCall
{
	const void *values;
	size_t n;
	Workspace *workspace;
	GpuredAcc *result;
	cudaStream_t stream;
};

/*
 * Threads a block, and vectors a thread at least, by the size of the array.
 * There are never more blocks than the card holds at once.
 */
struct ReduceTuning
{
	size_t most; /* bytes a multiprocessor, up to which this line holds */
	int threads;
	int vectors;
};

#ifdef GPURED_EMULATED
/* Small blocks, which is as good a test and takes less time. */
static constexpr ReduceTuning REDUCE_TUNING[] = {{SIZE_MAX, 128, 4}};
#else
/* Measured on an H200. */
static constexpr ReduceTuning REDUCE_TUNING[] = {
	{16 * 1024, 256, 2}, {40 * 1024, 256, 4}, {80 * 1024, 256, 8}, {SIZE_MAX, 512, 8}};
#endif
constexpr int REDUCE_TUNINGS = sizeof(REDUCE_TUNING) / sizeof(REDUCE_TUNING[0]);

struct ReduceGrid
{
	int threads;
	int blocks;
	cudaError_t error;
};

/* The shapes that a kernel may have; made once for each kernel. */
struct ReduceShapes
{
	LaunchShape shape[REDUCE_TUNINGS];

	template <class Kernel>
	explicit ReduceShapes(Kernel kernel)
	{
		for (int i = 0; i < REDUCE_TUNINGS; i++)
			shape[i] =
				launch_shape(kernel, REDUCE_TUNING[i].threads, [](int) { return (size_t) 0; });
	}

	ReduceGrid grid(size_t bytes) const
	{
		int i = 0;

		while (i < REDUCE_TUNINGS - 1 && bytes / shape[i].multiprocessors > REDUCE_TUNING[i].most)
			i++;

		const ReduceTuning &tuning = REDUCE_TUNING[i];
		const size_t tiles = tiles_of(bytes, (size_t) tuning.threads * tuning.vectors * 16);

		return {tuning.threads, launch_grid(shape[i], tiles, GRID_MAX_BLOCKS), shape[i].error};
	}
};

/* With the last block; "Block" is how a block is reduced. */
template <class Op, class Block>
static cudaError_t
launch_last_block_by(const ReduceCall &call)
{
	typedef typename Op::Value Value;
	auto kernel = grid_reduce_last_block<Op, Block>;
	static const ReduceShapes shapes(kernel);
	const ReduceGrid grid = shapes.grid(call.n * sizeof(Value));

	if (grid.error != cudaSuccess)
		return grid.error;
	LAUNCH(kernel, grid.blocks, grid.threads, 0, call.stream,
		   static_cast<const Value *>(call.values), call.n, &call.workspace->reduce, call.result);
	return cudaGetLastError();
}

/* Those of launch_reduce_groups.cu. */
template <class Op>
cudaError_t launch_last_block_tree(const ReduceCall &call);
template <class Op>
cudaError_t launch_last_block_group(const ReduceCall &call);
template <class Op>
cudaError_t launch_cooperative(const ReduceCall &call);

/*
 * CUB's launches, if launch_reduce_cub.cu is linked in, which takes its time to
 * compile: it is in the benchmark and in the tests, not in the server.
 */
typedef cudaError_t (*ReduceByCub)(const ReduceCall &call);
extern ReduceByCub reduce_by_cub[GPURED_NUM_OPS];

/*
 * Which operator a line of the list means: FOR_OPERATOR_<accumulator>(macro,
 * name, ctype) is macro(name, operator), or nothing for what has no operator.
 */
#define FOR_OPERATOR_int64(macro, name, ctype) macro(name, SumInt64<ctype>)
#define FOR_OPERATOR_wide(macro, name, ctype) macro(name, SumInt128)
#define FOR_OPERATOR_least_int(macro, name, ctype) macro(name, Least<ctype>)
#define FOR_OPERATOR_least_float(macro, name, ctype) macro(name, Least<ctype>)
#define FOR_OPERATOR_greatest_int(macro, name, ctype) macro(name, Greatest<ctype>)
#define FOR_OPERATOR_greatest_float(macro, name, ctype) macro(name, Greatest<ctype>)
#define FOR_OPERATOR_and_int(macro, name, ctype) macro(name, BitAnd<ctype>)
#define FOR_OPERATOR_or_int(macro, name, ctype) macro(name, BitOr<ctype>)
#define FOR_OPERATOR_xor_int(macro, name, ctype) macro(name, BitXor<ctype>)
#define FOR_OPERATOR_exact(macro, name, ctype)

#endif /* GPURED_LAUNCH_REDUCE_CUH */

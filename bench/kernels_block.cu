/*
 * kernels_block.cu
 *	  Ways to reduce a block, side by side: "block_sum", one value a thread, a
 *	  partial sum a block.
 *
 * A whole reduction reads so many values a thread that its block's way hardly
 * shows.  Here it does.  The last two are what a first attempt looks like, and
 * are here for comparison alone.
 *
 * Source: M. Harris, "Optimizing Parallel Reduction in CUDA", 2007.
 */
#include <cub/block/block_reduce.cuh>

#include "bench/bench.cuh"
#include "kernels/block_reduce_tree.cuh"
#include "kernels/operators.cuh"
#include "kernels/warp_reduce_group.cuh"

static constexpr int THREADS = 512;

typedef SumInt64<int32_t> Sum;

/*
 * Neighbours first: in step k, thread i adds the value 2^k further to that at i
 * 2^(k+1).  The threads at work are neighbours, but the cells they touch are
 * ever farther apart, until half a warp wants the same bank.
 */
struct InterleavedTree
{
	struct Shared
	{
		int64_t cell[THREADS];
	};

	static __device__ __forceinline__ int64_t reduce(Shared &shared, int64_t value)
	{
		shared.cell[threadIdx.x] = value;
		__syncthreads();
		for (int step = 1; step < THREADS; step *= 2)
		{
			const int at = 2 * step * (int) threadIdx.x;

			if (at < THREADS)
				shared.cell[at] += shared.cell[at + step];
			__syncthreads();
		}
		return shared.cell[0];
	}
};

/* As block_reduce_tree, but down to one value: five barriers more, for one warp. */
struct WholeTree
{
	struct Shared
	{
		int64_t cell[THREADS];
	};

	static __device__ __forceinline__ int64_t reduce(Shared &shared, int64_t value)
	{
		shared.cell[threadIdx.x] = value;
		__syncthreads();
		for (int half = THREADS / 2; half > 0; half /= 2)
		{
			if ((int) threadIdx.x < half)
				shared.cell[threadIdx.x] += shared.cell[threadIdx.x + half];
			__syncthreads();
		}
		return shared.cell[0];
	}
};

struct CubBlock
{
	typedef cub::BlockReduce<int64_t, THREADS> Reduce;
	typedef typename Reduce::TempStorage Shared;

	static __device__ __forceinline__ int64_t reduce(Shared &shared, int64_t value)
	{
		return Reduce(shared).Sum(value);
	}
};

template <class Block>
static __global__ void
__launch_bounds__(THREADS) block_sums(const int32_t *values, size_t n, int64_t *sums)
{
	__shared__ typename Block::Shared shared;
	const size_t i = blockIdx.x * (size_t) THREADS + threadIdx.x;
	const int64_t sum = Block::reduce(shared, i < n ? values[i] : 0);

	if (threadIdx.x == 0)
		sums[blockIdx.x] = sum;
}

static bool
check(const BenchData &data)
{
	const int32_t *x = static_cast<const int32_t *>(data.host);
	std::vector<int64_t> got((data.n + THREADS - 1) / THREADS);
	bool ok = true;

	bench_must(cudaMemcpy(got.data(), data.out, got.size() * sizeof(int64_t), cudaMemcpyDefault));
	for (size_t b = 0; b < got.size(); b++)
	{
		int64_t want = 0;

		for (size_t i = b * THREADS; i < data.n && i < (b + 1) * THREADS; i++)
			want += x[i];
		ok &= got[b] == want;
	}
	return ok;
}

template <class Block>
static BenchAlgorithm
algorithm(const char *name)
{
	return {name, BENCH_EXACT,
			[](const BenchData &data, const void *values, cudaStream_t stream)
			{
				const unsigned int blocks = (unsigned int) ((data.n + THREADS - 1) / THREADS);

				block_sums<Block><<<blocks, THREADS, 0, stream>>>(
					static_cast<const int32_t *>(values), data.n, static_cast<int64_t *>(data.out));
				return cudaGetLastError();
			}};
}

static const BenchRegistration block_sum(
	[]
	{
		BenchOperation operation;

		operation.op = "block_sum";
		operation.type = "int4";
		operation.input_size = sizeof(int32_t);
		operation.fill = bench_fill<int32_t>;
		operation.check = [](const BenchData &data, BenchAnswer) { return check(data); };
		operation.algorithms = {algorithm<BlockShuffles<Sum>>("shuffles"),
								algorithm<BlockGroups<Sum>>("group"),
								algorithm<BlockTree<Sum>>("tree"),
								algorithm<CubBlock>("cub"),
								algorithm<WholeTree>("whole-tree"),
								algorithm<InterleavedTree>("interleaved-tree")};
		bench_register(operation);
	});

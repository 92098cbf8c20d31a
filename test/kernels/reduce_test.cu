/*
 * reduce_test.cu
 *	  The reductions step by step: a warp, a block, each algorithm over a whole
 *	  array, at sizes around the edges of each, against the CPU device.
 *
 * See program.h for how it is compiled and called.  On a card with the memory for
 * it, arrays of more than 2^31 values are made there and reduced, unless "small".
 */
#include <algorithm>
#include <cmath>
#include <vector>

#include "kernels/block_reduce_tree.cuh"
#include "kernels/launch_reduce.cuh"
#include "kernels/warp_reduce_group.cuh"
#include "test/kernels/data.h"
#include "test/kernels/memory.h"
#include "test/kernels/program.h"
#include "test/kernels/same.h"

static void
report(bool ok, const char *name, const char *how, size_t n, size_t detail)
{
	count_test(ok, "%s, %s, n = %zu, %zu", name, how, n, detail);
}

/*
 * Steps: each thread of one block brings one value.
 */

/* Every thread leaves what it got; only what the step promises is looked at. */
template <class Op, class Warp>
static __global__ void
warp_step(const typename Op::Value *values, typename Op::State *out)
{
	const int warp = (int) threadIdx.x / WARP * WARP;
	const int count = (int) blockDim.x - warp < WARP ? (int) blockDim.x - warp : WARP;

	out[threadIdx.x] = Warp::template reduce<Op>(Op::lift(values[threadIdx.x]), count);
}

/* Twice, so that a missing barrier at the end shows. */
template <class Op, class Block>
static __global__ void
block_step(const typename Op::Value *values, typename Op::State *out)
{
	SHARED(typename Block::Shared, shared);
	typename Op::State state = Block::reduce(shared, Op::lift(values[threadIdx.x]));

	out[threadIdx.x] = state;
	state = Block::reduce(shared, Op::lift(values[blockDim.x - 1 - threadIdx.x]));
	out[blockDim.x + threadIdx.x] = state;
}

/* The plain way. */
template <class Op>
static typename Op::State
fold(const typename Op::Value *values, size_t n)
{
	typename Op::State state = Op::identity();

	for (size_t i = 0; i < n; i++)
		state = Op::combine(state, Op::lift(values[i]));
	return state;
}

template <class State>
static bool
same_state(const State &a, const State &b)
{
	return memcmp(&a, &b, sizeof(a)) == 0;
}

template <class Op, class Kernel>
static std::vector<typename Op::State>
run_step(Kernel kernel, const std::vector<typename Op::Value> &values, size_t outputs)
{
	typedef typename Op::Value Value;
	typedef typename Op::State State;
	const int threads = (int) values.size();
	Value *x = (Value *) device_alloc(values.size() * sizeof(Value));
	State *out = (State *) device_alloc(outputs * sizeof(State));
	std::vector<State> got(outputs);

	device_copy(x, values.data(), values.size() * sizeof(Value));
	LAUNCH(kernel, 1, threads, 0, 0, x, out);
	device_copy(got.data(), out, outputs * sizeof(State));
	device_free(x);
	device_free(out);
	return got;
}

/* "everywhere": the result is in every thread, not in the first alone. */
template <class Op>
static void
test_warp(const char *name, const char *how, int threads, bool everywhere,
		  void (*kernel)(const typename Op::Value *, typename Op::State *),
		  const std::vector<typename Op::Value> &values)
{
	const std::vector<typename Op::State> got = run_step<Op>(kernel, values, (size_t) threads);
	bool ok = true;

	for (int i = 0; i < threads; i++)
	{
		const int warp = i / WARP * WARP;

		if (everywhere || i == warp)
			ok &= same_state(got[(size_t) i],
							 fold<Op>(&values[(size_t) warp],
									  (size_t) (threads - warp < WARP ? threads - warp : WARP)));
	}
	report(ok, name, how, (size_t) threads, 0);
}

template <class Op>
static void
test_block(const char *name, const char *how, int threads, bool everywhere,
		   void (*kernel)(const typename Op::Value *, typename Op::State *),
		   const std::vector<typename Op::Value> &values)
{
	const std::vector<typename Op::State> got = run_step<Op>(kernel, values, 2 * (size_t) threads);
	const typename Op::State want = fold<Op>(values.data(), values.size());
	bool ok = true;

	for (int i = 0; i < (everywhere ? threads : 1); i++)
		ok &= same_state(got[(size_t) i], want) && same_state(got[(size_t) (threads + i)], want);
	report(ok, name, how, (size_t) threads, 0);
}

template <class Op>
static void
test_steps(const char *name, int threads)
{
	typedef typename Op::Value Value;
	std::vector<Value> values((size_t) threads);

	for (size_t i = 0; i < values.size(); i++)
		data_value(&values[i], DATA_UNIFORM, i + (size_t) threads, values.size());
	test_warp<Op>(name, "warp_reduce", threads, false, warp_step<Op, WarpShuffles>, values);
	test_warp<Op>(name, "cg::reduce", threads, true, warp_step<Op, WarpGroup>, values);
	test_block<Op>(name, "block_reduce", threads, false, block_step<Op, BlockShuffles<Op>>, values);
	test_block<Op>(name, "block_reduce after cg::reduce", threads, false,
				   block_step<Op, BlockGroups<Op>>, values);
	test_block<Op>(name, "block_reduce_tree", threads, true, block_step<Op, BlockTree<Op>>, values);
}

static void
test_all_steps()
{
	for (int threads : {1,   2,   3,   31,  32,  33,  63,  64,  65,  95,  96,   97,  127,
						128, 129, 255, 256, 257, 511, 512, 513, 992, 993, 1023, 1024})
	{
		if (small && threads > 129 && threads < 1023)
			continue;
		scheduler(threads);
		test_steps<SumInt64<int16_t>>("sum int2", threads);
		test_steps<SumInt64<int32_t>>("sum int4", threads);
		test_steps<SumInt128>("sum int8", threads);
		test_steps<Count<double>>("count", threads);
		test_steps<Least<float>>("min float4", threads);
		test_steps<Greatest<double>>("max float8", threads);
		test_steps<Greatest<int16_t>>("max int2", threads);
		test_steps<BitAnd<int32_t>>("and int4", threads);
		test_steps<BitOr<int64_t>>("or int8", threads);
		test_steps<BitXor<int16_t>>("xor int2", threads);
	}
}

/*
 * Operators that have no line in oplist.h, over a whole grid.
 */
template <class Op>
static __global__ void
grid_step(const typename Op::Value *values, size_t n, typename Op::State *total)
{
	SHARED(BlockReduceShared<Op>, shared);
	const typename Op::State state = block_reduce<Op>(shared, grid_reduce_part<Op>(values, n));

	if (threadIdx.x == 0)
		Op::combine_atomically(total, state);
}

/* The array begins "offset" values after a multiple of 16 bytes. */
template <class Op>
static void
test_grid(const char *name, size_t n, size_t offset)
{
	typedef typename Op::Value Value;
	typedef typename Op::State State;
	std::vector<Value> values(n);
	Value *x = (Value *) device_alloc((offset + n) * sizeof(Value));
	State *total = (State *) device_alloc(sizeof(State));
	State got = Op::identity();

	for (size_t i = 0; i < n; i++)
		data_value(&values[i], DATA_UNIFORM, i, n);
	device_copy(x + offset, values.data(), n * sizeof(Value));
	device_copy(total, &got, sizeof(State));
	LAUNCH(grid_step<Op>, 3, 64, 0, 0, x + offset, n, total);
	device_copy(&got, total, sizeof(State));
	report(same_state(got, fold<Op>(values.data(), n)), name, "grid", n, offset);
	device_free(x);
	device_free(total);
}

static void
test_all_grids()
{
	for (size_t n : {0, 1, 2, 15, 16, 17, 255, 256, 257, 1023, 1024, 1025, 3071, 3072, 3073, 7777})
		for (size_t offset = 0; offset < 8; offset += small ? 7 : 1)
		{
			scheduler((int) (n + offset));
			test_grid<Count<int16_t>>("count int2", n, offset);
			if (offset < 2)
				test_grid<Count<double>>("count float8", n, offset);
			if (offset < 4)
			{
				test_grid<BitAnd<int32_t>>("and int4", n, offset);
				test_grid<BitOr<int32_t>>("or int4", n, offset);
			}
			test_grid<BitXor<int16_t>>("xor int2", n, offset);
		}
}

/*
 * The launches of oplist.h, by each algorithm.
 */
typedef int (*ReduceLaunch)(const void *, size_t, void *, GpuredAcc *, cudaStream_t,
							GpuredAlgorithm);

struct Reduction
{
	GpuredOp op;
	ReduceLaunch launch;
	void (*fill)(void *values, int kind, size_t n);
	bool is_float;
};

template <class T>
static void
fill(void *values, int kind, size_t n)
{
	for (size_t i = 0; i < n; i++)
		data_value((T *) values + i, kind, i, n);
}

static const Reduction reductions[] = {
#define GPURED_REDUCE(op, type, ctype, acc) \
	{GPURED_reduce_##op##_##type, gpured_launch_reduce_##op##_##type, fill<ctype>, ctype(0.5) != 0},
#include "oplist.h"
};

static void
test_reduction(const Reduction &r, GpuredAlgorithm algorithm, int kind, size_t n, size_t offset)
{
	const size_t size = gpured_op_info[r.op].input_size;
	std::vector<unsigned char> values(n * size);
	unsigned char *x = (unsigned char *) device_alloc((offset + n) * size);
	GpuredAcc *acc = (GpuredAcc *) device_alloc(sizeof(GpuredAcc));
	const GpuredBatch batch = {values.data(), n, nullptr};
	GpuredAcc want, got;
	int error;

	r.fill(values.data(), kind, n);
	device_copy(x + offset * size, values.data(), n * size);
	device_zero(acc, sizeof(GpuredAcc));
	error = r.launch(x + offset * size, n, workspace(n), acc, 0, algorithm);
	device_copy(&got, acc, sizeof(got));
	gpured_acc_init(r.op, &want);
	gpured_cpu_device.reduce(r.op, &batch, &want);
	got.n = (int64_t) n;
	report(error == 0 && same_acc(r.op, want, got), gpured_op_info[r.op].name,
		   gpured_algorithm_names[algorithm], n, offset);
	device_free(x);
	device_free(acc);
}

/* Around warps, blocks and what a block reads at a time. */
static std::vector<size_t>
sizes(size_t value_size)
{
	std::vector<size_t> n = {0, 1, 2, 31, 32, 33, 127, 128, 129};
	const size_t block = (size_t) REDUCE_TUNING[0].threads * 16 / value_size;
	const size_t largest = (size_t) REDUCE_TUNING[REDUCE_TUNINGS - 1].threads * 16 / value_size;

	for (size_t edge : {(size_t) 2048, block, block * GRID_BATCH, largest * GRID_BATCH})
		n.insert(n.end(), {edge - 1, edge, edge + 1});
	if (small)
		return {0, 1, 33, 129, 2049, block * GRID_BATCH + 1};
	n.push_back(3 * block * GRID_BATCH + 7);
#ifndef GPURED_EMULATED
	n.insert(n.end(), {100003, 1000003});
#endif
	return n;
}

static void
test_algorithms(int seed)
{
	size_t turn = (size_t) seed;

	for (const Reduction &r : reductions)
	{
		const size_t length = 16 / gpured_op_info[r.op].input_size;

		for (size_t n : sizes(gpured_op_info[r.op].input_size))
			for (int i = 0; i < GPURED_NUM_ALGORITHMS; i++)
			{
				const GpuredAlgorithm algorithm = (GpuredAlgorithm) i;
				const int kinds = r.is_float ? DATA_KINDS : DATA_INTEGER_KINDS;

				/* The same kernel under another name once is enough. */
				if (gpured_algorithm_serving(r.op, algorithm) != algorithm &&
					algorithm != GPURED_ALGORITHM_auto && n != 129)
					continue;
				turn++;
				scheduler((int) turn);
				test_reduction(r, algorithm, (int) (turn % (size_t) kinds), n,
							   turn / 2 % 2 * (turn % length));
			}
	}
}

/* What hands over to what: launch.h promises it. */
static void
test_handing_over()
{
	for (const Reduction &r : reductions)
		for (int i = 0; i < GPURED_NUM_ALGORITHMS; i++)
		{
			const GpuredAlgorithm wanted = (GpuredAlgorithm) i;
			const GpuredAlgorithm serving = gpured_algorithm_serving(r.op, wanted);
			const bool exact = gpured_op_info[r.op].acc == GPURED_ACC_exact;
			const bool may_hand_over =
				exact || wanted == GPURED_ALGORITHM_auto || wanted == GPURED_ALGORITHM_cub;

			report(serving != GPURED_ALGORITHM_auto && (may_hand_over || serving == wanted) &&
					   (!exact || serving == GPURED_ALGORITHM_last_block),
				   gpured_op_info[r.op].name, gpured_algorithm_names[i], 0, (size_t) serving);
		}
}

#ifndef GPURED_EMULATED
/*
 * Two streams at once, each with a workspace of its own.
 */
static void
test_streams()
{
	constexpr int STREAMS = 2, ROUNDS = 20;
	const size_t n = 300007;
	std::vector<int32_t> values(n);
	int32_t *x = (int32_t *) device_alloc(n * sizeof(int32_t));
	cudaStream_t stream[STREAMS];
	void *work[STREAMS];
	GpuredAcc *acc[STREAMS];

	fill<int32_t>(values.data(), DATA_NORMAL, n);
	device_copy(x, values.data(), n * sizeof(int32_t));
	for (int s = 0; s < STREAMS; s++)
	{
		must(cudaStreamCreateWithFlags(&stream[s], cudaStreamNonBlocking));
		work[s] = device_alloc(gpured_workspace_size(n));
		device_zero(work[s], gpured_workspace_zeroed());
		acc[s] = (GpuredAcc *) device_alloc(ROUNDS * sizeof(GpuredAcc));
		device_zero(acc[s], ROUNDS * sizeof(GpuredAcc));
	}
	must(cudaDeviceSynchronize());
	for (int i = 0; i < GPURED_NUM_ALGORITHMS; i++)
	{
		const size_t part = n / 2 + (size_t) i;

		for (int round = 0; round < ROUNDS; round++)
			for (int s = 0; s < STREAMS; s++)
				must((cudaError_t) gpured_launch_reduce_sum_int4(x + s, part + (size_t) round,
																 work[s], &acc[s][round], stream[s],
																 (GpuredAlgorithm) i));
		must(cudaDeviceSynchronize());
		for (int round = 0; round < ROUNDS; round++)
			for (int s = 0; s < STREAMS; s++)
			{
				GpuredAcc got;

				device_copy(&got, &acc[s][round], sizeof(got));
				report(got.v.i64 ==
						   fold<SumInt64<int32_t>>(&values[(size_t) s], part + (size_t) round),
					   "sum int4 on two streams", gpured_algorithm_names[i], part, (size_t) s);
			}
	}
	for (int s = 0; s < STREAMS; s++)
	{
		must(cudaStreamDestroy(stream[s]));
		device_free(work[s]);
		device_free(acc[s]);
	}
	device_free(x);
}

/*
 * More than 2^31 values, of which the answer is known.
 */
template <class T>
static __global__ void
fill_long(T *x, size_t n)
{
	for (size_t i = blockIdx.x * (size_t) blockDim.x + threadIdx.x; i < n;
		 i += (size_t) gridDim.x * blockDim.x)
		x[i] = (T) (i == n - 1 ? 1234 : (int) (i % 1000) - 500);
}

/* The sum of fill_long(). */
static int64_t
sum_long(size_t n)
{
	const int64_t rest = (int64_t) ((n - 1) % 1000);

	return -500 * (int64_t) ((n - 1) / 1000) + rest * (rest - 1) / 2 - 500 * rest + 1234;
}

template <class T>
static T *
make_long(size_t n)
{
	size_t available, total;
	T *x;

	must(cudaMemGetInfo(&available, &total));
	if (available < n * sizeof(T) + ((size_t) 2 << 30))
	{
		printf("too little memory for %zu values of %zu bytes: not tested\n", n, sizeof(T));
		return nullptr;
	}
	x = (T *) device_alloc(n * sizeof(T));
	fill_long<<<4096, 256>>>(x, n);
	must(cudaGetLastError());
	return x;
}

static void
test_beyond_31_bits()
{
	const size_t n = ((size_t) 1 << 31) + 12345;
	GpuredAcc *acc = (GpuredAcc *) device_alloc(sizeof(GpuredAcc));
	GpuredAcc got;
	int16_t *shorts = make_long<int16_t>(n);

	device_zero(acc, sizeof(GpuredAcc));
	for (int i = 0; i < GPURED_NUM_ALGORITHMS && shorts != nullptr; i++)
	{
		must((cudaError_t) gpured_launch_reduce_sum_int2(shorts, n, workspace(1), acc, 0,
														 (GpuredAlgorithm) i));
		device_copy(&got, acc, sizeof(got));
		report(got.v.i64 == sum_long(n), "sum int2", gpured_algorithm_names[i], n, 0);
	}
	if (shorts != nullptr)
	{
		must((cudaError_t) gpured_launch_reduce_max_int2(shorts, n, workspace(1), acc, 0,
														 GPURED_ALGORITHM_auto));
		device_copy(&got, acc, sizeof(got));
		report(got.v.i64 == 1234, "max int2", "auto", n, 0);
		device_free(shorts);
	}

	float *floats = make_long<float>(n);
	double sum;

	if (floats != nullptr)
	{
		device_zero(acc, sizeof(GpuredAcc));
		must((cudaError_t) gpured_launch_reduce_sum_float4(floats, n, workspace(1), acc, 0,
														   GPURED_ALGORITHM_auto));
		device_copy(&got, acc, sizeof(got));
		gpured_exact_normalize(&got.v.exact);
		gpured_exact_to_double(&got.v.exact, &sum);
		report(sum == (double) sum_long(n), "sum float4", "auto", n, 0);
		device_free(floats);
	}
	device_free(acc);
}
#endif

int
main(int argc, char **argv)
{
	const int seeds = read_arguments(argc, argv, 1, 1);

	test_handing_over();
	test_all_steps();
	test_all_grids();
	for (int seed = 1; seed <= seeds; seed++)
		test_algorithms(seed);
#ifndef GPURED_EMULATED
	test_streams();
	if (!small)
		test_beyond_31_bits();
#endif
	return print_counts();
}

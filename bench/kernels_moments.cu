/*
 * kernels_moments.cu
 *	  The sums for variances and regressions in the kernels' benchmark.
 *
 * Beside them is CUB's sum of the same bytes, which is not exact and has no
 * squares: of two columns, the sum of both.
 */
#include <cub/cub.cuh>

#include "bench/bench.cuh"
#include "kernels/launch.h"

typedef int (*MomentsLaunch)(const void *x, const void *y, size_t n, void *workspace,
							 GpuredAcc *result, cudaStream_t stream);

/* The CPU device's answer to the values of data. */
static GpuredAcc want;

static const char *
second_column(GpuredOp op, const void *values, size_t n)
{
	return gpured_op_info[op].columns == 2
			   ? (const char *) values + n * gpured_op_info[op].input_size
			   : nullptr;
}

static void
reference(GpuredOp op, const BenchData &data)
{
	const GpuredBatch batch = {data.host, data.n, second_column(op, data.host, data.n)};

	gpured_acc_init(op, &want);
	gpured_cpu_device.reduce(op, &batch, &want);
}

/* The result has only the sums of its kind; merging copies just those. */
static bool
check(GpuredOp op, BenchAnswer answer)
{
	GpuredAcc result, got;

	if (answer != BENCH_EXACT)
		return true;
	bench_must(cudaMemcpy(&result, bench_result(), sizeof(result), cudaMemcpyDefault));
	result.n = want.n;
	gpured_acc_init(op, &got);
	gpured_acc_merge(op, &got, &result);
	return memcmp(&got, &want, sizeof(got)) == 0;
}

template <class T>
static void
describe(const char *name, const char *type, GpuredOp op, MomentsLaunch launch)
{
	typedef typename std::conditional<std::is_integral<T>::value, int64_t, T>::type Sum;
	const size_t columns = gpured_op_info[op].columns;
	BenchOperation operation;

	operation.op = name;
	operation.type = type;
	operation.is_float = T(0.5) != 0;
	operation.input_size = columns * sizeof(T);
	operation.most = ((size_t) 1 << 28) / columns;
	operation.fill = [=](void *values, size_t n, int kind)
	{ bench_fill<T>(values, columns * n, kind); };
	operation.prepare = [=](const BenchData &data) { reference(op, data); };
	operation.check = [=](const BenchData &, BenchAnswer answer) { return check(op, answer); };
	operation.algorithms.push_back(
		{"auto", BENCH_EXACT,
		 [=](const BenchData &data, const void *values, cudaStream_t stream)
		 {
			 return (cudaError_t) launch(values, second_column(op, values, data.n), data.n,
										 bench_workspace(), bench_result(), stream);
		 }});
	operation.algorithms.push_back(
		{"cub", BENCH_ANY,
		 [=](const BenchData &data, const void *values, cudaStream_t stream)
		 {
			 size_t size;
			 void *scratch = bench_scratch(&size);

			 return cub::DeviceReduce::Sum(scratch, size, (const T *) values, (Sum *) data.out,
										   columns * data.n, stream);
		 }});
	bench_register(operation);
}

static const BenchRegistration everything(
	[] {
#define GPURED_MOMENTS(op, type, ctype, columns, acc) \
	describe<ctype>(#op, #type, GPURED_reduce_##op##_##type, gpured_launch_reduce_##op##_##type);
#include "oplist.h"
	});

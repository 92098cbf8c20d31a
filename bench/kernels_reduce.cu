/*
 * kernels_reduce.cu
 *	  The reductions in the kernels' benchmark.
 *
 * CUB's float sums are not exact, and its integer sums are of 64 bits, ours of
 * int8 of 128.
 */
#include <cmath>
#include <limits>

#include "bench/cub.cuh"
#include "kernels/launch.h"
#include "test/kernels/same.h"

typedef int (*ReduceLaunch)(const void *values, size_t n, void *workspace, GpuredAcc *result,
							cudaStream_t stream, GpuredAlgorithm algorithm);

/* The CPU device's answer to the values of data, and how large they are together. */
static GpuredAcc want;
static double sum_of_sizes;

template <class T>
static void
reference(GpuredOp op, const BenchData &data)
{
	const T *x = static_cast<const T *>(data.host);
	const GpuredBatch batch = {data.host, data.n, nullptr};

	gpured_acc_init(op, &want);
	gpured_cpu_device.reduce(op, &batch, &want);
	if (gpured_op_info[op].acc == GPURED_ACC_exact)
		gpured_exact_normalize(&want.v.exact);
	sum_of_sizes = 0;
	for (size_t i = 0; i < data.n; i++)
		sum_of_sizes += std::fabs((double) x[i]);
}

/* CUB's answer, which a float sum may miss by its rounding. */
template <class T>
static bool
check_cub(GpuredOp op, const BenchData &data)
{
	double sum = 0;
	int64_t integer = 0;
	T got = T();

	switch (gpured_op_info[op].acc)
	{
		case GPURED_ACC_exact:
			bench_must(cudaMemcpy(&got, data.out, sizeof(T), cudaMemcpyDefault));
			gpured_exact_to_double(&want.v.exact, &sum);
			return !(std::fabs((double) got - sum) >
					 (double) data.n * sum_of_sizes * (double) std::numeric_limits<T>::epsilon());
		case GPURED_ACC_wide:
		case GPURED_ACC_int64:
			bench_must(cudaMemcpy(&integer, data.out, sizeof(integer), cudaMemcpyDefault));
			return integer == (gpured_op_info[op].acc == GPURED_ACC_wide ? (int64_t) want.v.i128.lo
																		 : want.v.i64);
		case GPURED_ACC_least_float:
		case GPURED_ACC_greatest_float:
			bench_must(cudaMemcpy(&got, data.out, sizeof(T), cudaMemcpyDefault));
			return (double) got == want.v.f8 || want.v.f8 != want.v.f8;
		default:
			bench_must(cudaMemcpy(&got, data.out, sizeof(T), cudaMemcpyDefault));
			return (int64_t) got == want.v.i64;
	}
}

static bool
check(GpuredOp op)
{
	GpuredAcc got;

	bench_must(cudaMemcpy(&got, bench_result(), sizeof(got), cudaMemcpyDefault));
	if (gpured_op_info[op].acc == GPURED_ACC_exact)
		gpured_exact_normalize(&got.v.exact);
	got.n = want.n;
	return same_acc(op, want, got);
}

template <class T, class Cub>
static void
reduction(const char *name, const char *type, GpuredOp op, ReduceLaunch launch, Cub cub_run)
{
	BenchOperation operation;

	operation.op = name;
	operation.type = type;
	operation.is_float = T(0.5) != 0;
	operation.input_size = sizeof(T);
	operation.fill = bench_fill<T>;
	operation.prepare = [=](const BenchData &data) { reference<T>(op, data); };
	operation.check = [=](const BenchData &data, BenchAnswer answer)
	{ return answer == BENCH_EXACT ? check(op) : check_cub<T>(op, data); };
	for (int i = 0; i < GPURED_NUM_ALGORITHMS; i++)
	{
		const GpuredAlgorithm algorithm = (GpuredAlgorithm) i;

		/* CUB is below, with operators of its own. */
		if (algorithm != GPURED_ALGORITHM_auto &&
			gpured_algorithm_serving(op, algorithm) != algorithm)
			continue;
		operation.algorithms.push_back(
			{algorithm == GPURED_ALGORITHM_cub ? "cub-operator" : gpured_algorithm_names[i],
			 BENCH_EXACT,
			 [=](const BenchData &data, const void *values, cudaStream_t stream)
			 {
				 return (cudaError_t) launch(values, data.n, bench_workspace(), bench_result(),
											 stream, algorithm);
			 }});
	}
	operation.algorithms.push_back(
		{"cub", BENCH_ROUNDED, [=](const BenchData &data, const void *values, cudaStream_t stream) {
			 return cub_run(static_cast<const T *>(values), data.out, data.n, stream);
		 }});
	bench_register(operation);
}

static const BenchRegistration reductions(
	[] {
#define GPURED_REDUCE(op, type, ctype, acc) \
	reduction<ctype>(#op, #type, GPURED_reduce_##op##_##type, gpured_launch_reduce_##op##_##type, \
					 cub_##op<ctype>);
#include "oplist.h"
	});

/*
 * kernels_reduce.cu
 *	  The reductions in the kernels' benchmark.
 *
 * CUB's float sums are not exact, and its integer sums are of 64 bits, ours of
 * int8 of 128.
 */
#include <cub/cub.cuh>

#include "bench/bench.cuh"
#include "kernels/launch.h"

typedef int (*ReduceLaunch)(const void *values, size_t n, void *workspace, GpuredAcc *result,
							cudaStream_t stream, GpuredAlgorithm algorithm);

/* The CPU device's answer to the values of data. */
static GpuredAcc want;

/* The same value; NaN equals NaN. */
static bool
same_acc(GpuredOp op, const GpuredAcc *a, const GpuredAcc *b)
{
	double x, y;

	switch (gpured_op_info[op].acc)
	{
		case GPURED_ACC_wide:
			return memcmp(&a->v.i128, &b->v.i128, sizeof(a->v.i128)) == 0;
		case GPURED_ACC_exact:
			gpured_exact_to_double(&a->v.exact, &x);
			gpured_exact_to_double(&b->v.exact, &y);
			return memcmp(&x, &y, sizeof(x)) == 0 &&
				   memcmp(a->v.exact.limb, b->v.exact.limb, sizeof(a->v.exact.limb)) == 0;
		case GPURED_ACC_least_float:
		case GPURED_ACC_greatest_float:
			return a->v.f8 == b->v.f8 || (a->v.f8 != a->v.f8 && b->v.f8 != b->v.f8);
		default:
			return a->v.i64 == b->v.i64;
	}
}

static void
reference(GpuredOp op, const BenchData &data)
{
	const GpuredBatch batch = {data.host, data.n};

	gpured_acc_init(op, &want);
	gpured_cpu_device.reduce(op, &batch, &want);
	if (gpured_op_info[op].acc == GPURED_ACC_exact)
		gpured_exact_normalize(&want.v.exact);
}

static bool
check(GpuredOp op, BenchAnswer answer)
{
	GpuredAcc got;

	/* Only ours is held to the CPU device's answer. */
	if (answer != BENCH_EXACT)
		return true;
	bench_must(cudaMemcpy(&got, bench_result(), sizeof(got), cudaMemcpyDefault));
	if (gpured_op_info[op].acc == GPURED_ACC_exact)
		gpured_exact_normalize(&got.v.exact);
	return same_acc(op, &want, &got);
}

template <class T>
static cudaError_t
cub_sum(void *temp, size_t &size, const T *x, void *out, size_t n, cudaStream_t stream)
{
	typedef typename std::conditional<std::is_integral<T>::value, int64_t, T>::type Sum;

	return cub::DeviceReduce::Sum(temp, size, x, (Sum *) out, n, stream);
}

template <class T>
static cudaError_t
cub_min(void *temp, size_t &size, const T *x, void *out, size_t n, cudaStream_t stream)
{
	return cub::DeviceReduce::Min(temp, size, x, (T *) out, n, stream);
}

template <class T>
static cudaError_t
cub_max(void *temp, size_t &size, const T *x, void *out, size_t n, cudaStream_t stream)
{
	return cub::DeviceReduce::Max(temp, size, x, (T *) out, n, stream);
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
	operation.prepare = [=](const BenchData &data) { reference(op, data); };
	operation.check = [=](const BenchData &, BenchAnswer answer) { return check(op, answer); };
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
		{"cub", BENCH_ROUNDED,
		 [=](const BenchData &data, const void *values, cudaStream_t stream)
		 {
			 size_t size;
			 void *scratch = bench_scratch(&size);

			 return cub_run(scratch, size, (const T *) values, data.out, data.n, stream);
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

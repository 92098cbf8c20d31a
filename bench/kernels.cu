/*
 * kernels.cu
 *	  How fast the kernels are on this GPU, beside CUB's on the same data in the
 *	  same run.
 *
 *	  make bench-kernels CUDA_ARCHS=native && build/bench-kernels [quick]
 *
 * Every answer is compared with the CPU device's before a time is printed, and
 * a wrong one ends the run.  A time is the median of a warm kernel between two
 * events; arrays that do not fit the second-level cache together take turns.
 * GB/s counts what must be read and written; "ratio" is CUB's time over ours.
 * CUB's float sums and scans are not exact, and its integer sums are of 64
 * bits, ours of int8 of 128.
 */
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include <cub/cub.cuh>

#include "kernels/launch.h"
#include "test/kernels/data.h"

static void
must(cudaError_t error)
{
	if (error != cudaSuccess)
	{
		printf("CUDA: %s\n", cudaGetErrorString(error));
		exit(1);
	}
}

template <class T>
static __global__ void
fill(T *x, size_t n, int kind)
{
	for (size_t i = blockIdx.x * (size_t) blockDim.x + threadIdx.x; i < n;
		 i += (size_t) gridDim.x * blockDim.x)
		data_value(&x[i], kind, i, n);
}

/* What all cases share. */
static constexpr size_t ARENA = (size_t) 1 << 31; /* bytes of values: 2^28 of 8 bytes */
static char *arena;
static char *outputs; /* of scans; twice as wide */
static void *workspace;
static void *scratch; /* CUB's */
static size_t scratch_size;
static GpuredAcc *result; /* on the device */
static std::vector<char> host;
static bool quick = false;

/* Median time in seconds of run(turn). */
template <class Run>
static double
time_of(Run run)
{
	constexpr int RUNS = 15;
	static cudaEvent_t begin[RUNS], end[RUNS];
	std::vector<float> ms(RUNS);

	if (begin[0] == nullptr)
		for (int i = 0; i < RUNS; i++)
		{
			must(cudaEventCreate(&begin[i]));
			must(cudaEventCreate(&end[i]));
		}
	for (int i = 0; i < 3; i++)
		run(i);
	for (int i = 0; i < RUNS; i++)
	{
		must(cudaEventRecord(begin[i]));
		run(i);
		must(cudaEventRecord(end[i]));
	}
	must(cudaDeviceSynchronize());
	for (int i = 0; i < RUNS; i++)
		must(cudaEventElapsedTime(&ms[i], begin[i], end[i]));
	std::sort(ms.begin(), ms.end());
	return ms[RUNS / 2] * 1e-3;
}

/* Copies of the data that take turns, so that the cache does not hold them. */
template <class T>
static int
prepare(size_t n, int kind)
{
	const size_t room = ARENA / (n * sizeof(T));
	const int copies = n <= (size_t) 1 << 20 ? 1 : (int) std::min<size_t>(room, 4);

	for (int i = 0; i < copies; i++)
		fill<<<4096, 256>>>((T *) arena + i * n, n, kind);
	must(cudaGetLastError());
	host.resize(std::max(host.size(), n * sizeof(T)));
	must(cudaMemcpy(host.data(), arena, n * sizeof(T), cudaMemcpyDefault));
	return copies;
}

static void
fail(const char *name, const char *what)
{
	printf("%s: %s\n", name, what);
	exit(1);
}

static void
line(const char *name, int kind, bool is_float, size_t n, double bytes, double ours, double cubs)
{
	int log2 = 0;

	while ((size_t) 1 << log2 < n)
		log2++;
	printf("%-18s %-11s 2^%-2d  %9.1f us  %7.0f GB/s   CUB %7.0f GB/s   ratio %.2f\n", name,
		   is_float ? data_kind_name[kind] : "", log2, ours * 1e6, bytes / ours * 1e-9,
		   bytes / cubs * 1e-9, cubs / ours);
	fflush(stdout);
}

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
			return a->v.f8 == b->v.f8;
		default:
			return a->v.i64 == b->v.i64;
	}
}

/* The CPU device's answer, and the device's; exact ones normalized. */
static void
check_reduce(const char *name, GpuredOp op, size_t n)
{
	const GpuredBatch batch = {host.data(), n};
	GpuredAcc want, got;

	gpured_acc_init(op, &want);
	gpured_cpu_device.reduce(op, &batch, &want);
	must(cudaMemcpy(&got, result, sizeof(got), cudaMemcpyDefault));
	if (gpured_op_info[op].acc == GPURED_ACC_exact)
	{
		gpured_exact_normalize(&want.v.exact);
		gpured_exact_normalize(&got.v.exact);
	}
	if (!same_acc(op, &want, &got))
		fail(name, "WRONG ANSWER");
}

template <class T, class Launch, class Cub>
static void
bench_reduce(const char *name, GpuredOp op, Launch launch, Cub cub_run, size_t n, int kind)
{
	const int copies = prepare<T>(n, kind);
	auto ours = [&](int turn)
	{ must((cudaError_t) launch((T *) arena + turn % copies * n, n, workspace, result, 0)); };
	auto cubs = [&](int turn)
	{
		size_t size = scratch_size;

		must(cub_run(scratch, size, (const T *) arena + turn % copies * n, outputs, n));
	};

	ours(0);
	must(cudaDeviceSynchronize());
	check_reduce(name, op, n);

	const double time = time_of(ours);

	line(name, kind, T(0.5) != 0, n, (double) n * sizeof(T), time, time_of(cubs));
}

template <class T, class Out, class Launch, class Cub>
static void
bench_scan(const char *name, GpuredOp op, GpuredOp sum, Launch launch, Cub cub_run, size_t n,
		   int kind)
{
	const int copies = prepare<T>(n, kind);
	GpuredAcc carry;
	auto ours = [&](int turn) {
		must((cudaError_t) launch((T *) arena + turn % copies * n, n, workspace, result, outputs,
								  0));
	};
	auto cubs = [&](int turn)
	{
		size_t size = scratch_size;

		must(cub_run(scratch, size, (const T *) arena + turn % copies * n, outputs, n));
	};

	must(cudaMemset(result, 0, sizeof(GpuredAcc)));
	ours(0);
	must(cudaDeviceSynchronize());
	check_reduce(name, sum, n);

	/* Every prefix of shorter arrays; of the longest, only the sum (above). */
	if (n <= (size_t) 1 << 24)
	{
		const GpuredBatch batch = {host.data(), n};
		std::vector<Out> want(n), got(n);

		gpured_acc_init(op, &carry);
		gpured_cpu_device.scan(op, &batch, &carry, want.data());
		must(cudaMemcpy(got.data(), outputs, n * sizeof(Out), cudaMemcpyDefault));
		if (memcmp(want.data(), got.data(), n * sizeof(Out)) != 0)
			fail(name, "WRONG PREFIX");
	}

	const double time = time_of(
		[&](int turn)
		{
			/* An exact carry must be normalized: start from nothing again. */
			must(cudaMemsetAsync(result, 0, sizeof(GpuredAcc), 0));
			ours(turn);
		});

	line(name, kind, T(0.5) != 0, n, (double) n * (sizeof(T) + sizeof(Out)), time, time_of(cubs));
}

/* CUB's operations, with the output that ours has, or as near as it comes. */
template <class T, class Out>
static cudaError_t
cub_sum(void *temp, size_t &size, const T *x, void *out, size_t n)
{
	return cub::DeviceReduce::Sum(temp, size, x, (Out *) out, n);
}

template <class T>
static cudaError_t
cub_max(void *temp, size_t &size, const T *x, void *out, size_t n)
{
	return cub::DeviceReduce::Max(temp, size, x, (T *) out, n);
}

template <class T, class Out>
static cudaError_t
cub_scan(void *temp, size_t &size, const T *x, void *out, size_t n)
{
	return cub::DeviceScan::InclusiveSum(temp, size, x, (Out *) out, n);
}

static const int float_kinds[] = {DATA_UNIFORM, DATA_NORMAL, DATA_WIDE, DATA_CANCELLING};

#define BENCH_SUM(type, ctype, out, kind) \
	bench_reduce<ctype>("sum " #type, GPURED_reduce_sum_##type, gpured_launch_reduce_sum_##type, \
						cub_sum<ctype, out>, n, kind)
#define BENCH_MAX(type, ctype) \
	bench_reduce<ctype>("max " #type, GPURED_reduce_max_##type, gpured_launch_reduce_max_##type, \
						cub_max<ctype>, n, DATA_UNIFORM)
#define BENCH_SCAN(type, ctype, otype, out, kind) \
	bench_scan<ctype, otype>("prefix_sum " #type, GPURED_scan_sum_##type, \
							 GPURED_reduce_sum_##type, gpured_launch_scan_sum_##type, \
							 cub_scan<ctype, out>, n, kind)

static void
bench_size(size_t n)
{
	for (int kind : float_kinds)
		BENCH_SUM(float8, double, double, kind);
	for (int kind : float_kinds)
		BENCH_SUM(float4, float, float, kind);
	BENCH_SUM(int4, int32_t, int64_t, DATA_UNIFORM);
	BENCH_SUM(int8, int64_t, int64_t, DATA_UNIFORM);
	BENCH_MAX(float8, double);
	BENCH_MAX(float4, float);
	BENCH_MAX(int4, int32_t);
	BENCH_MAX(int8, int64_t);
	for (int kind : float_kinds)
		BENCH_SCAN(float8, double, double, double, kind);
	for (int kind : float_kinds)
		BENCH_SCAN(float4, float, float, float, kind);
	BENCH_SCAN(int4, int32_t, int64_t, int64_t, DATA_UNIFORM);
	BENCH_SCAN(int8, int64_t, GpuredInt128, int64_t, DATA_UNIFORM);
	printf("\n");
}

int
main(int argc, char **argv)
{
	const size_t most = (size_t) 1 << 28;
	cudaDeviceProp device;
	size_t size = 0;

	quick = argc > 1 && strcmp(argv[1], "quick") == 0;
	must(cudaGetDeviceProperties(&device, 0));
	printf("%s, %d multiprocessors, %d MB of second-level cache\n\n", device.name,
		   device.multiProcessorCount, device.l2CacheSize >> 20);
	must(cudaMalloc(&arena, ARENA));
	must(cudaMalloc(&outputs, 2 * ARENA));
	must(cudaMalloc(&workspace, gpured_workspace_size(most)));
	must(cudaMemset(workspace, 0, gpured_workspace_zeroed()));
	must(cudaMalloc(&result, sizeof(GpuredAcc)));
	must((cub_scan<double, double>(nullptr, size, (const double *) arena, outputs, most)));
	scratch_size = 2 * size + (1 << 20);
	must(cudaMalloc(&scratch, scratch_size));

	for (size_t n : {(size_t) 1 << 20, (size_t) 1 << 24, most})
		if (!quick || n < most)
			bench_size(n);
	return 0;
}

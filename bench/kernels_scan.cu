/*
 * kernels_scan.cu
 *	  The scans in the kernels' benchmark.
 *
 * CUB's float scans are not exact, and its integer scans are of 64 bits, ours
 * of int8 of 128.
 */
#include <cub/cub.cuh>
#include <thrust/iterator/transform_iterator.h>

#include "bench/bench.cuh"
#include "kernels/launch.h"

typedef int (*ScanLaunch)(const void *values, size_t n, void *workspace, GpuredAcc *carry,
						  void *out, cudaStream_t stream, GpuredScanAlgorithm algorithm);

/* Beyond it only the total is compared: the reference takes its time. */
static constexpr size_t MOST_CHECKED = (size_t) 1 << 24;

template <class T, class Out>
static bool
check(GpuredOp op, const BenchData &data, BenchAnswer answer)
{
	const GpuredBatch batch = {data.host, std::min(data.n, MOST_CHECKED)};
	GpuredAcc carry;

	if (answer != BENCH_EXACT)
		return true;

	std::vector<Out> want(batch.n), got(batch.n);

	gpured_acc_init(op, &carry);
	gpured_cpu_device.scan(op, &batch, &carry, want.data());
	bench_must(cudaMemcpy(got.data(), data.out, batch.n * sizeof(Out), cudaMemcpyDefault));
	return memcmp(want.data(), got.data(), batch.n * sizeof(Out)) == 0;
}

/* CUB with the output that ours has: as many bytes. */
struct Widen
{
	__host__ __device__ GpuredInt128 operator()(int64_t v) const
	{
		return GpuredInt128{(uint64_t) v, v >> 63};
	}
};

struct AddWide
{
	__host__ __device__ GpuredInt128 operator()(GpuredInt128 a, GpuredInt128 b) const
	{
		const uint64_t low = a.lo + b.lo;

		return GpuredInt128{low, (int64_t) ((uint64_t) a.hi + (uint64_t) b.hi + (low < b.lo))};
	}
};

static cudaError_t
cub_wide(const BenchData &data, const void *values, cudaStream_t stream)
{
	size_t size;
	void *scratch = bench_scratch(&size);

	return cub::DeviceScan::InclusiveScan(
		scratch, size, thrust::make_transform_iterator((const int64_t *) values, Widen()),
		(GpuredInt128 *) data.out, AddWide(), data.n, stream);
}

template <class T, class Out>
static void
scan(const char *name, const char *type, GpuredOp op, ScanLaunch launch)
{
	typedef typename std::conditional<std::is_integral<T>::value, int64_t, T>::type Sum;
	BenchOperation operation;

	operation.op = name;
	operation.type = type;
	operation.is_float = T(0.5) != 0;
	operation.input_size = sizeof(T);
	operation.output_size = sizeof(Out);
	operation.fill = bench_fill<T>;
	operation.check = [=](const BenchData &data, BenchAnswer answer)
	{ return check<T, Out>(op, data, answer); };
	for (GpuredScanAlgorithm algorithm :
		 {GPURED_SCAN_AUTO, GPURED_SCAN_RING, GPURED_SCAN_THREE_LAUNCHES})
		operation.algorithms.push_back(
			{algorithm == GPURED_SCAN_AUTO   ? "auto"
			 : algorithm == GPURED_SCAN_RING ? "ring"
											 : "three_launches",
			 BENCH_EXACT,
			 [=](const BenchData &data, const void *values, cudaStream_t stream)
			 {
				 /* An exact carry must be normalized: start from nothing each time. */
				 bench_must(cudaMemsetAsync(bench_result(), 0, sizeof(GpuredAcc), stream));
				 return (cudaError_t) launch(values, data.n, bench_workspace(), bench_result(),
											 data.out, stream, algorithm);
			 }});
	operation.algorithms.push_back(
		{"cub", BENCH_ROUNDED,
		 [=](const BenchData &data, const void *values, cudaStream_t stream)
		 {
			 size_t size;
			 void *scratch = bench_scratch(&size);

			 return cub::DeviceScan::InclusiveSum(scratch, size, (const T *) values,
												  (Sum *) data.out, data.n, stream);
		 }});
	if (sizeof(T) == 8 && std::is_integral<T>::value)
		operation.algorithms.push_back({"cub_128", BENCH_EXACT, cub_wide});
	bench_register(operation);
}

static const BenchRegistration scans(
	[] {
#define GPURED_SCAN(op, type, ctype, acc, otype) \
	scan<ctype, otype>("prefix_" #op, #type, GPURED_scan_##op##_##type, \
					   gpured_launch_scan_##op##_##type##_by);
#include "oplist.h"
	});

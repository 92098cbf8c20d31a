/*
 * bench.cuh
 *	  How an operation comes into the kernels' benchmark.
 *
 * A file bench/kernels_*.cu describes its operations and the algorithms that
 * compute them; kernels.cu makes the data, checks every answer, takes the times
 * and prints the table:
 *
 *		static const BenchRegistration sums([] {
 *			BenchOperation sum;
 *
 *			sum.op = "sum";
 *			sum.type = "int4";
 *			...
 *			sum.algorithms.push_back({"auto", BENCH_EXACT, launch});
 *			sum.algorithms.push_back({"cub", BENCH_EXACT, launch_cub});
 *			bench_register(sum);
 *		});
 *
 * The function runs in main(), after the device is chosen.
 */
#ifndef GPURED_BENCH_CUH
#define GPURED_BENCH_CUH

#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <vector>

#include <cuda_runtime.h>

#include "test/kernels/data.h"

/* What is known of an algorithm's answer. */
enum BenchAnswer
{
	BENCH_EXACT,   /* the CPU device's, bit for bit; so the same in each run */
	BENCH_ROUNDED, /* not exact, but the same in each run */
	BENCH_ANY      /* may differ from run to run */
};

/* The values of one size and kind. */
struct BenchData
{
	size_t n;
	int kind;         /* DATA_UNIFORM, ... */
	const void *host; /* the first of the copies, for a reference */
	char *values;     /* on the device: several copies, which take turns */
	size_t stride;    /* bytes from one copy to the next */
	int copies;
	void *out; /* on the device: n * output_size bytes, at least 4096 */

	const void *turn(int i) const { return values + (size_t) (i % copies) * stride; }
};

struct BenchAlgorithm
{
	std::string name; /* as --algorithm has it; ratios refer to "cub" */
	BenchAnswer answer;

	/*
	 * Start the operation on one copy of the values (those of data.turn(i)).
	 * It is timed as a whole, everything that it puts on the stream, and must not
	 * synchronize or allocate.
	 */
	std::function<cudaError_t(const BenchData &data, const void *values, cudaStream_t stream)>
		launch;
};

struct BenchOperation
{
	std::string op, type;           /* as --op and --type have them */
	bool is_float = false;          /* has all kinds of data; integers only the first */
	size_t input_size = 0;          /* bytes that are read for a value */
	size_t output_size = 0;         /* bytes that are written for a value */
	size_t most = (size_t) 1 << 28; /* the largest n that it takes */

	/* Make n values on the device. */
	std::function<void(void *values, size_t n, int kind)> fill;

	/* Once for each size and kind, before the algorithms: the reference. May be empty. */
	std::function<void(const BenchData &data)> prepare;

	/* Is the device's answer, of the first copy, right? Everything is synchronized. */
	std::function<bool(const BenchData &data, BenchAnswer answer)> check;

	std::vector<BenchAlgorithm> algorithms;
};

extern void bench_register(const BenchOperation &operation);

struct BenchRegistration
{
	explicit BenchRegistration(std::function<void()> describe);
};

/* End the program if a CUDA call failed. */
extern void bench_must(cudaError_t error);

/* Device memory, zeroed; it is kept until the program ends. */
extern void *bench_alloc(size_t size);

/* The workspace of launch.h, for any n. */
extern void *bench_workspace();

/* An accumulator on the device, all zero: where a reduction leaves its result. */
extern struct GpuredAcc *bench_result();

/* Scratch memory for CUB, and its size. */
extern void *bench_scratch(size_t *size);

template <class T>
static __global__ void
bench_fill_kernel(T *x, size_t n, int kind)
{
	for (size_t i = blockIdx.x * (size_t) blockDim.x + threadIdx.x; i < n;
		 i += (size_t) gridDim.x * blockDim.x)
		data_value(&x[i], kind, i, n);
}

/* BenchOperation::fill for values of data.h. */
template <class T>
static void
bench_fill(void *values, size_t n, int kind)
{
	bench_fill_kernel<<<4096, 256>>>((T *) values, n, kind);
	bench_must(cudaGetLastError());
}

#endif /* GPURED_BENCH_CUH */

/*
 * launch_exact_sum.cu
 *	  Launches of the exact float sums of oplist.h.
 */
#include "exact_sum.cuh"
#include "launch.cuh"
#include "workspace.cuh"

/*
 * Measured on an H200.  float8: the limbs need so much shared memory that three
 * blocks of 128 threads fill a large multiprocessor, which leaves each thread
 * the registers for its tile and its window.  The bins of float4 are small.
 */
template <class T>
struct ExactTuning;

template <>
struct ExactTuning<double>
{
	static constexpr int THREADS = 128, BLOCKS = 3, VECTORS = 8;
	static constexpr auto kernel = exact_sum<ExactSum8, VECTORS, THREADS, BLOCKS>;
	static size_t shared(int threads) { return exact_sum_shared<ExactSum8<1>>(threads); }
};

template <>
struct ExactTuning<float>
{
	static constexpr int THREADS = 512, BLOCKS = 2, VECTORS = 4;
	static constexpr auto kernel = exact_sum<ExactSum4, VECTORS, THREADS, BLOCKS>;
	static size_t shared(int threads) { return exact_sum_shared<ExactSum4<1>>(threads); }
};

template <class T>
static int
launch_exact_sum(const void *values, size_t n, void *workspace, GpuredAcc *result,
				 cudaStream_t stream)
{
	typedef ExactTuning<T> Tuning;
	static const LaunchShape shape = launch_shape(Tuning::kernel, Tuning::THREADS, Tuning::shared);
	const size_t tile = (size_t) shape.threads * Tuning::VECTORS * Vector<T>::LENGTH;

	if (shape.error != cudaSuccess)
		return shape.error;
	LAUNCH(Tuning::kernel, launch_grid(shape, tiles_of(n, tile), GRID_MAX_BLOCKS), shape.threads,
		   shape.shared, stream, static_cast<const T *>(values), n,
		   &static_cast<Workspace *>(workspace)->exact, result);
	return cudaGetLastError();
}

#define REDUCE_int64(op, type, ctype)
#define REDUCE_wide(op, type, ctype)
#define REDUCE_least_int(op, type, ctype)
#define REDUCE_and_int(op, type, ctype)
#define REDUCE_or_int(op, type, ctype)
#define REDUCE_xor_int(op, type, ctype)
#define REDUCE_least_float(op, type, ctype)
#define REDUCE_greatest_int(op, type, ctype)
#define REDUCE_greatest_float(op, type, ctype)
#define REDUCE_exact(op, type, ctype) \
	extern "C" int gpured_launch_reduce_##op##_##type(const void *values, size_t n, \
													  void *workspace, GpuredAcc *result, \
													  cudaStream_t stream, GpuredAlgorithm) \
	{ \
		return launch_exact_sum<ctype>(values, n, workspace, result, stream); \
	}
#define GPURED_REDUCE(op, type, ctype, acc) REDUCE_##acc(op, type, ctype)
#include "oplist.h"

/*
 * launch_moments.cu
 *	  Launches of the sums for variances and regressions of oplist.h.
 */
#include "launch_reduce.cuh"
#include "moments.cuh"
#include "moments_int.cuh"

/*
 * The limbs fill a large multiprocessor with 384 threads, or with 256 if there
 * are two columns; long tiles keep the memory busy with so few.
 */
template <GpuredMomentsKind KIND, class T>
struct MomentTuning
{
	static constexpr bool PAIRS = KIND == GPURED_MOMENTS_TWO;
	static constexpr int THREADS = 128, BLOCKS = PAIRS ? 2 : 3;
	static constexpr int VECTORS = (KIND == GPURED_MOMENTS_ONE ? 8 : 4) / (sizeof(T) == 4 ? 2 : 1);
	static constexpr auto kernel = moments<KIND, T, VECTORS, THREADS, BLOCKS>;
};

template <GpuredMomentsKind KIND, class T>
static int
launch_moments(const void *x, const void *y, size_t n, void *workspace, GpuredAcc *result,
			   cudaStream_t stream)
{
	typedef MomentTuning<KIND, T> Tuning;
	static const LaunchShape shape =
		launch_shape(Tuning::kernel, Tuning::THREADS, moments_shared<KIND, T>);
	const size_t tile = (size_t) shape.threads * Tuning::VECTORS * Vector<T>::LENGTH;

	if (shape.error != cudaSuccess)
		return shape.error;
	LAUNCH(Tuning::kernel, launch_grid(shape, tiles_of(n, tile), GRID_MAX_BLOCKS), shape.threads,
		   shape.shared, stream, static_cast<const T *>(x), static_cast<const T *>(y), n,
		   &static_cast<Workspace *>(workspace)->moments, result);
	return cudaGetLastError();
}

/* As other integers are reduced, but for the states' size: fewer partials have room. */
template <class Op>
static int
launch_int_moments(const void *x, size_t n, void *workspace, GpuredAcc *result, cudaStream_t stream)
{
	typedef typename Op::Value Value;
	constexpr int MOST = (int) (sizeof(GridReduceWorkspace::partial) / sizeof(typename Op::State));
	auto kernel = grid_reduce_last_block<Op, BlockShuffles<Op>>;
	static const ReduceShapes shapes(kernel);
	const ReduceGrid grid = shapes.grid(n * sizeof(Value));

	if (grid.error != cudaSuccess)
		return grid.error;
	LAUNCH(kernel, grid.blocks < MOST ? grid.blocks : MOST, grid.threads, 0, stream,
		   static_cast<const Value *>(x), n, &static_cast<Workspace *>(workspace)->reduce, result);
	return cudaGetLastError();
}

template <class T>
struct IntMoments;
template <>
struct IntMoments<int16_t>
{
	typedef MomentsInt2 Op;
};
template <>
struct IntMoments<int32_t>
{
	typedef MomentsInt4 Op;
};
template <>
struct IntMoments<int64_t>
{
	typedef MomentsInt8 Op;
};

#define LAUNCH_int_moments(ctype) \
	launch_int_moments<IntMoments<ctype>::Op>(x, n, workspace, result, stream)
#define LAUNCH_moments(ctype) \
	launch_moments<GPURED_MOMENTS_ONE, ctype>(x, y, n, workspace, result, stream)
#define LAUNCH_pair_moments(ctype) \
	launch_moments<GPURED_MOMENTS_TWO, ctype>(x, y, n, workspace, result, stream)
#define LAUNCH_dot(ctype) \
	launch_moments<GPURED_MOMENTS_DOT, ctype>(x, y, n, workspace, result, stream)
#define GPURED_MOMENTS(op, type, ctype, columns, acc) \
	extern "C" int gpured_launch_reduce_##op##_##type(const void *x, const void *y, size_t n, \
													  void *workspace, GpuredAcc *result, \
													  cudaStream_t stream) \
	{ \
		(void) y; \
		return LAUNCH_##acc(ctype); \
	}
#include "oplist.h"

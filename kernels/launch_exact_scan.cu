/*
 * launch_exact_scan.cu
 *	  Launches of the exact prefix sums of oplist.h, and the size of a workspace,
 *	  of which they need the most.
 *
 * A short array is one launch.  Of long ones, one pass by the ring does nearly all
 * data.  What it could not do is known on the device alone: the three launches that
 * follow do that, or find nothing to do.
 */
#include "exact_scan_short.cuh"
#include "launch_ring.cuh"

/*
 * Measured: blocks of so many threads, values a thread, stages, and tiles ahead;
 * for short arrays vectors a thread.
 */
template <class T>
struct ExactScanTuning;

template <>
struct ExactScanTuning<double>
{
	typedef ExactRing<double, RING_SHAPE(448, 10, 6, 3)> Ring;
	typedef ShortScan<double, SHORT_SHAPE(640, 7)> Short;
	static constexpr int THREADS = 128, BLOCKS = 3, VECTORS = 8;
	static constexpr auto sums = exact_scan_sums<ExactSum8, VECTORS, THREADS, BLOCKS>;
	static size_t shared(int threads) { return exact_sum_shared<ExactSum8<1>>(threads); }
};

template <>
struct ExactScanTuning<float>
{
	typedef ExactRing<float, RING_SHAPE(288, 28, 6, 3)> Ring;
	typedef ShortScan<float, SHORT_SHAPE(640, 5)> Short;
	static constexpr int THREADS = 256, BLOCKS = 4, VECTORS = 4;
	static constexpr auto sums = exact_scan_sums<ExactSum4, VECTORS, THREADS, BLOCKS>;
	static size_t shared(int threads) { return exact_sum_shared<ExactSum4<1>>(threads); }
};

/* Chunks are as many as blocks run at once; more would only be more to scan. */
constexpr int EXACT_MOST_CHUNKS = 4096;

struct ExactScanWork
{
	int64_t *short_limbs;
	ExactScanState state;
	ExactRingPlan *plan;
	TileWord *words;
};

template <class T>
static size_t
carve(unsigned char *base, size_t n, ExactScanWork *w)
{
	typedef typename ExactScanTuning<T>::Ring Ring;
	Carver carver = {base, 0};
	ExactScanState *s = &w->state;

	s->tiles = tiles_of(n, EXACT_SCAN_TILE);
	carver.take(w->short_limbs, LIMBS * (size_t) SHORT_MOST_BLOCKS);
	carver.take(s->limb, LIMBS * s->tiles);
	carver.take(s->flags, s->tiles);
	carver.take(s->chunk_limb, LIMBS * (size_t) EXACT_MOST_CHUNKS);
	carver.take(s->chunk_flags, EXACT_MOST_CHUNKS);
	carver.take(s->marks, s->tiles);
	carver.take(w->plan, 1);
	carver.take(w->words, tiles_of(n, RING_TILE<Ring>) * Ring::LINE);
	return carver.used;
}

extern "C" size_t
gpured_workspace_size(size_t n)
{
	ExactScanWork w;
	size_t most = tiles_of(n, SCAN_TILE<int64_t>) * sizeof(GpuredInt128);

	for (size_t size : {carve<double>(nullptr, n, &w), carve<float>(nullptr, n, &w)})
		most = size > most ? size : most;
	return offsetof(Workspace, scan) + most;
}

extern "C" size_t
gpured_workspace_zeroed(void)
{
	return offsetof(Workspace, scan);
}

template <class T>
static int
launch_exact_scan(const void *values, size_t n, void *workspace, GpuredAcc *carry, void *out_,
				  cudaStream_t stream, GpuredScanAlgorithm algorithm)
{
	typedef ExactScanTuning<T> Tuning;
	typedef typename Tuning::Ring Ring;
	typedef typename Tuning::Short Short;
	auto sums = Tuning::sums;
	auto tiles = exact_scan_tiles<T>;
	static const LaunchShape sums_shape = launch_shape(sums, Tuning::THREADS, Tuning::shared);
	static const LaunchShape tiles_shape =
		launch_shape(tiles, EXACT_SCAN_THREADS, [](int) { return (size_t) 0; });
	const LaunchShape &shape = ring_shape<Ring>();
	const T *in = static_cast<const T *>(values);
	T *out = static_cast<T *>(out_);
	ExactScanWork w;
	ExactScanState s;
	cudaError_t error;

	for (cudaError_t e :
		 {sums_shape.error, tiles_shape.error, shape.error, short_shape<Short>().error})
		if (e != cudaSuccess)
			return e;
	carve<T>(static_cast<Workspace *>(workspace)->scan, n, &w);
	s = w.state;
	s.ring = nullptr;
	s.chunk = tiles_of(s.tiles, launch_grid(sums_shape, s.tiles, EXACT_MOST_CHUNKS));
	s.chunks = tiles_of(s.tiles, s.chunk);

	if (algorithm == GPURED_SCAN_AUTO && short_fits<Short>(n))
		return short_launch<Short>(in, n, &static_cast<Workspace *>(workspace)->short_scan,
								   w.short_limbs, carry, out, stream);
	if (algorithm == GPURED_SCAN_AUTO)
		algorithm = shape.blocks > 0 ? GPURED_SCAN_RING : GPURED_SCAN_THREE_LAUNCHES;
	if (algorithm == GPURED_SCAN_RING)
	{
		if (shape.blocks == 0)
			return cudaErrorInvalidValue;
		s.ring = w.plan;
		error = ring_launch<Ring>(in, n, out, w.words,
								  ExactRingSetup{w.plan, carry, s.marks, s.tiles}, stream);
		if (error != cudaSuccess)
			return error;
	}
	LAUNCH(sums, s.chunks, sums_shape.threads, sums_shape.shared, stream, in, n, s, carry);
	LAUNCH(exact_scan_rows, LIMBS + 1, s.chunks <= 128 ? WARP : EXACT_ROW_THREADS, 0, stream, s,
		   carry);
	LAUNCH(tiles, launch_grid(tiles_shape, s.tiles, INT32_MAX), EXACT_SCAN_THREADS, 0, stream, in,
		   n, s, out);
	return cudaGetLastError();
}

#define SCAN_int64(op, type, ctype, otype)
#define SCAN_wide(op, type, ctype, otype)
#define SCAN_exact(op, type, ctype, otype) \
	extern "C" int gpured_launch_scan_##op##_##type##_by( \
		const void *values, size_t n, void *workspace, GpuredAcc *carry, void *out, \
		cudaStream_t stream, GpuredScanAlgorithm algorithm) \
	{ \
		return launch_exact_scan<ctype>(values, n, workspace, carry, out, stream, algorithm); \
	} \
	extern "C" int gpured_launch_scan_##op##_##type(const void *values, size_t n, void *workspace, \
													GpuredAcc *carry, void *out, \
													cudaStream_t stream) \
	{ \
		return launch_exact_scan<ctype>(values, n, workspace, carry, out, stream, \
										GPURED_SCAN_AUTO); \
	}
#define GPURED_SCAN(op, type, ctype, acc, otype) SCAN_##acc(op, type, ctype, otype)
#include "oplist.h"

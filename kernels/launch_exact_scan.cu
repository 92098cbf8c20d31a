/*
 * launch_exact_scan.cu
 *	  Launches of the exact prefix sums of oplist.h, and the size of a workspace,
 *	  of which they need the most.
 */
#include "exact_scan_limbs.cuh"
#include "launch.cuh"
#include "workspace.cuh"

/* Hands out the scan's part of the workspace; with a null base, measures it. */
struct Carver
{
	unsigned char *base;
	size_t used;

	template <class T>
	void take(T *&array, size_t length)
	{
		array = base == nullptr ? nullptr : reinterpret_cast<T *>(base + used);
		used += (length * sizeof(T) + 255) / 256 * 256;
	}
};

static size_t
carve(unsigned char *base, size_t tiles, ExactScanState *s)
{
	Carver carver = {base, 0};

	s->tiles = tiles;
	carver.take(s->limb, LIMBS * tiles);
	carver.take(s->flags, tiles);
	carver.take(s->first, FLAGS * tiles);
	carver.take(s->lowest, tiles);
	carver.take(s->highest, tiles);
	carver.take(s->base, BROAD * tiles);
	carver.take(s->bit, tiles);
	carver.take(s->sticky, tiles);
	carver.take(s->list, PLANS * tiles);
	carver.take(s->count, PLANS);
	return carver.used;
}

extern "C" size_t
gpured_workspace_size(size_t n)
{
	ExactScanState s;
	const size_t exact = carve(nullptr, tiles_of(n, EXACT_SCAN_TILE), &s);
	const size_t integer = tiles_of(n, SCAN_TILE<int64_t>) * sizeof(GpuredInt128);

	return offsetof(Workspace, scan) + (exact > integer ? exact : integer);
}

extern "C" size_t
gpured_workspace_zeroed(void)
{
	return offsetof(Workspace, scan);
}

template <class T>
static int
launch_exact_scan(const void *values, size_t n, void *workspace, GpuredAcc *carry, void *out_,
				  cudaStream_t stream)
{
	auto narrow = exact_scan_window<T, NARROW, PLAN_NARROW>;
	auto broad = exact_scan_window<T, BROAD, PLAN_BROAD>;
	auto limbs = exact_scan_limbs<T>;
	auto none = [](int) { return (size_t) 0; };
	static const LaunchShape narrow_shape = launch_shape(narrow, EXACT_SCAN_THREADS, none);
	static const LaunchShape broad_shape = launch_shape(broad, EXACT_SCAN_THREADS, none);
	static const LaunchShape limbs_shape = launch_shape(limbs, EXACT_LIMBS_THREADS, none);
	const size_t tiles = tiles_of(n, EXACT_SCAN_TILE);
	const T *in = static_cast<const T *>(values);
	T *out = static_cast<T *>(out_);
	ExactScanState s;

	if (narrow_shape.error != cudaSuccess || broad_shape.error != cudaSuccess ||
		limbs_shape.error != cudaSuccess)
		return narrow_shape.error != cudaSuccess  ? narrow_shape.error
			   : broad_shape.error != cudaSuccess ? broad_shape.error
												  : limbs_shape.error;
	carve(static_cast<Workspace *>(workspace)->scan, tiles, &s);

	LAUNCH(exact_scan_tiles<T>, tiles, EXACT_SCAN_THREADS, 0, stream, in, n, s);
	LAUNCH(exact_scan_rows, LIMBS + 1, tiles <= 128 ? WARP : EXACT_ROW_THREADS, 0, stream, s,
		   carry);
	LAUNCH(exact_scan_plan, tiles_of(tiles, 128), 128, 0, stream, s);

	/* How many tiles each plan has is known on the device alone. */
	LAUNCH(narrow, launch_grid(narrow_shape, tiles, INT32_MAX), EXACT_SCAN_THREADS, 0, stream, in,
		   n, s, out);
	LAUNCH(broad, launch_grid(broad_shape, tiles, INT32_MAX), EXACT_SCAN_THREADS, 0, stream, in, n,
		   s, out);
	LAUNCH(limbs, launch_grid(limbs_shape, tiles, INT32_MAX), EXACT_LIMBS_THREADS, 0, stream, in, n,
		   s, out);
	return cudaGetLastError();
}

#define SCAN_int64(op, type, ctype, otype)
#define SCAN_wide(op, type, ctype, otype)
#define SCAN_exact(op, type, ctype, otype) \
	extern "C" int gpured_launch_scan_##op##_##type(const void *values, size_t n, void *workspace, \
													GpuredAcc *carry, void *out, \
													cudaStream_t stream) \
	{ \
		return launch_exact_scan<ctype>(values, n, workspace, carry, out, stream); \
	}
#define GPURED_SCAN(op, type, ctype, acc, otype) SCAN_##acc(op, type, ctype, otype)
#include "oplist.h"

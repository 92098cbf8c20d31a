/*
 * launch_ring.cuh
 *	  Launches of the one-pass scans of scan_ring.cuh.
 */
#ifndef GPURED_LAUNCH_RING_CUH
#define GPURED_LAUNCH_RING_CUH

#include "launch.cuh"
#include "scan_ring.cuh"

/* The emulation has little shared memory, and short arrays are to have many tiles. */
#ifdef GPURED_EMULATED
#define RING_SHAPE(threads, items, stages, ahead) 64, items, ahead + 2, ahead
#else
#define RING_SHAPE(threads, items, stages, ahead) threads, items, stages, ahead
#endif

/* Shape of a ring's launch; no blocks if the current device has no bulk copies or no room. */
template <class Scan>
static const LaunchShape &
ring_shape()
{
	static const LaunchShape shape = []
	{
		const int threads = RING_THREADS<Scan>;
		LaunchShape none = {threads, 0, 1, 0, cudaSuccess};
		int device = 0, capability = 0, most_shared = 0;

		if ((none.error = cudaGetDevice(&device)) != cudaSuccess ||
			(none.error = cudaDeviceGetAttribute(&capability, cudaDevAttrComputeCapabilityMajor,
												 device)) != cudaSuccess ||
			(none.error = cudaDeviceGetAttribute(
				 &most_shared, cudaDevAttrMaxSharedMemoryPerBlockOptin, device)) != cudaSuccess ||
			capability * 10 < BULK_COPY_CAPABILITY ||
			sizeof(RingShared<Scan>) > (size_t) most_shared)
			return none;
		return launch_shape(scan_ring<Scan>, threads, [](int) { return sizeof(RingShared<Scan>); });
	}();

	return shape;
}

/* Start the ring. */
template <class Scan>
static cudaError_t
ring_launch(const typename Scan::Value *values, size_t n, typename Scan::Out *out, TileWord *words,
			typename Scan::Setup setup, cudaStream_t stream)
{
	const LaunchShape &shape = ring_shape<Scan>();

	return LAUNCH_COOPERATIVE(scan_ring<Scan>,
							  launch_grid(shape, tiles_of(n, RING_TILE<Scan>), INT32_MAX),
							  shape.threads, shape.shared, stream, values, n, out, words, setup);
}

#endif /* GPURED_LAUNCH_RING_CUH */

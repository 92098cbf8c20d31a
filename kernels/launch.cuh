/*
 * launch.cuh
 *	  The shape of a launch: how many threads and blocks, from what the device
 *	  says of itself.
 */
#ifndef GPURED_LAUNCH_CUH
#define GPURED_LAUNCH_CUH

#include "cuda.cuh"
#include "launch.h"

struct LaunchShape
{
	int threads; /* a block */
	int blocks;  /* that the device runs at once */
	int multiprocessors;
	size_t shared; /* bytes of dynamic shared memory a block */
	cudaError_t error;
};

/*
 * Ask the device once: the most threads, "threads" or fewer, whose shared
 * memory ("shared_of" bytes for a number of threads) a block can have, and how
 * many such blocks run at the same time.
 */
template <class Kernel, class SharedOf>
static LaunchShape
launch_shape(Kernel kernel, int threads, SharedOf shared_of)
{
	LaunchShape shape = {threads, 0, 1, 0, cudaSuccess};
	int device = 0, most_shared = 0, resident = 0;

	if ((shape.error = cudaGetDevice(&device)) != cudaSuccess ||
		(shape.error = cudaDeviceGetAttribute(
			 &shape.multiprocessors, cudaDevAttrMultiProcessorCount, device)) != cudaSuccess ||
		(shape.error = cudaDeviceGetAttribute(&most_shared, cudaDevAttrMaxSharedMemoryPerBlockOptin,
											  device)) != cudaSuccess)
		return shape;
	while (shape.threads > WARP && shared_of(shape.threads) > (size_t) most_shared)
		shape.threads -= WARP;
	shape.shared = shared_of(shape.threads);
	if (shape.shared > 48 * 1024 &&
		(shape.error = cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
											(int) shape.shared)) != cudaSuccess)
		return shape;
	shape.error = cudaOccupancyMaxActiveBlocksPerMultiprocessor(&resident, kernel, shape.threads,
																shape.shared);
	shape.blocks = shape.multiprocessors * (resident > 0 ? resident : 1);
	return shape;
}

/* The grid for so many tiles: no more blocks than "most", or than tiles, but one at least. */
static inline int
launch_grid(int most, size_t tiles)
{
	return tiles == 0 ? 1 : tiles < (size_t) most ? (int) tiles : most;
}

/* The same with no more blocks than run at once. */
static inline int
launch_grid(const LaunchShape &shape, size_t tiles, int most)
{
	return launch_grid(shape.blocks < most ? shape.blocks : most, tiles);
}

static inline size_t
tiles_of(size_t n, size_t tile)
{
	return (n + tile - 1) / tile;
}

#endif /* GPURED_LAUNCH_CUH */

/*
 * memory.h
 *	  Memory of the device, on a card and in the emulation, for the tests of
 *	  kernels.
 */
#ifndef GPURED_TEST_MEMORY_H
#define GPURED_TEST_MEMORY_H

#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "kernels/cuda.cuh"
#include "kernels/launch.h"

#ifdef GPURED_EMULATED
static void *
device_alloc(size_t size)
{
	return aligned_alloc(16, (size + 15) / 16 * 16);
}

static void
device_free(void *p)
{
	free(p);
}
static void
device_copy(void *to, const void *from, size_t size)
{
	if (size > 0)
		memcpy(to, from, size);
}
static void
device_zero(void *p, size_t size)
{
	if (size > 0)
		memset(p, 0, size);
}
static void
scheduler(int seed)
{
	emu::seed((uint64_t) seed);
}
#else
static void
must(cudaError_t error)
{
	if (error != cudaSuccess)
	{
		printf("CUDA: %s\n", cudaGetErrorString(error));
		exit(1);
	}
}

static void *
device_alloc(size_t size)
{
	void *p;

	must(cudaMalloc(&p, size));
	return p;
}

static void
device_free(void *p)
{
	must(cudaFree(p));
}
static void
device_copy(void *to, const void *from, size_t size)
{
	must(cudaMemcpy(to, from, size, cudaMemcpyDefault));
}
static void
device_zero(void *p, size_t size)
{
	must(cudaMemset(p, 0, size));
}
static void
scheduler(int)
{
} /* the card has its own */
#endif

/* One workspace for all launches: each must leave it as it found it. */
static void *
workspace(size_t n)
{
	static void *work = nullptr;
	static size_t size = 0;

	if (gpured_workspace_size(n) > size)
	{
		if (work != nullptr)
			device_free(work);
		size = gpured_workspace_size(n);
		work = device_alloc(size);
		device_zero(work, gpured_workspace_zeroed());
	}
	return work;
}

#endif /* GPURED_TEST_MEMORY_H */

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
#include <vector>

#include "kernels/cuda.cuh"
#include "kernels/launch.h"
#include "test/kernels/program.h"

static inline void
must(cudaError_t error)
{
	if (error != cudaSuccess)
	{
		printf("CUDA: %s\n", cudaGetErrorString(error));
		exit(1);
	}
}

/* Memory is of just the size that is asked for, so that checkers see every overrun. */
#ifdef GPURED_EMULATED
static inline void *
device_alloc(size_t size)
{
	void *p;

	if (posix_memalign(&p, 256, size) != 0)
		abort();
	return p;
}

static inline void
device_free(void *p)
{
	free(p);
}
static inline void
device_copy(void *to, const void *from, size_t size)
{
	if (size > 0)
		memcpy(to, from, size);
}
static inline void
device_zero(void *p, size_t size)
{
	if (size > 0)
		memset(p, 0, size);
}
static inline void
scheduler(int seed)
{
	emu::seed((uint64_t) seed);
}
static inline void
finish_launches()
{
}
#else
static inline void *
device_alloc(size_t size)
{
	void *p;

	must(cudaMalloc(&p, size));
	return p;
}

static inline void
device_free(void *p)
{
	must(cudaFree(p));
}
static inline void
device_copy(void *to, const void *from, size_t size)
{
	must(cudaMemcpy(to, from, size, cudaMemcpyDefault));
}
static inline void
device_zero(void *p, size_t size)
{
	must(cudaMemset(p, 0, size));
}
static inline void
scheduler(int)
{
} /* the card has its own */

/* Wait for what was launched, which must have succeeded. */
static inline void
finish_launches()
{
	must(cudaGetLastError());
	must(cudaDeviceSynchronize());
}
#endif

/* Memory for the results of a scan. */
static inline void *
device_alloc_results(size_t size)
{
	void *p = device_alloc(size);

	if (preset)
		device_zero(p, size);
	return p;
}

enum DeviceArrayUse
{
	ANY_USE,
	RESULTS /* of a scan */
};

/* An array on the device. */
template <class T>
struct DeviceArray
{
	T *data;
	size_t n;

	explicit DeviceArray(size_t n_, DeviceArrayUse use = ANY_USE)
		: data((T *) (use == RESULTS ? device_alloc_results(n_ * sizeof(T))
									 : device_alloc(n_ * sizeof(T)))),
		  n(n_)
	{
	}
	explicit DeviceArray(const std::vector<T> &from) : DeviceArray(from.size())
	{
		device_copy(data, from.data(), n * sizeof(T));
	}
	DeviceArray(const DeviceArray &) = delete;
	~DeviceArray() { device_free(data); }

	void clear() { device_zero(data, n * sizeof(T)); }
	void set(const T &first) { device_copy(data, &first, sizeof(T)); }
	std::vector<T> get() const { return get(n); }
	std::vector<T> get(size_t count) const
	{
		std::vector<T> to(count);

		device_copy(to.data(), data, count * sizeof(T));
		return to;
	}
};

/* One workspace for all launches: each must leave it as it found it. */
static inline void *
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

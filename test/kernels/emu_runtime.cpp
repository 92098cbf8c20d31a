/*
 * emu_runtime.cpp
 *	  The CUDA runtime of the emulation: memory, streams and errors.
 *
 * Device memory is the host's, so that AddressSanitizer watches it.  Threads
 * may call it; kernels of all streams run one at a time.
 */
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <mutex>

#include "test/kernels/emu.h"

struct emu_stream
{
	std::deque<std::function<void()>> work;
};

static std::mutex running;
static thread_local int calls_to_failure;
static thread_local cudaError_t failure;

/* Whether this call is to fail. */
static cudaError_t
outcome()
{
	if (calls_to_failure > 0 && --calls_to_failure == 0)
		return failure;
	return cudaSuccess;
}

void
emu::enqueue(cudaStream_t stream, std::function<void()> work)
{
	if (stream != nullptr)
	{
		stream->work.push_back(work);
		return;
	}
	std::lock_guard<std::mutex> lock(running);

	work();
}

extern "C"
{
	void emu_fail_call(int calls, cudaError_t error)
	{
		calls_to_failure = calls;
		failure = error;
	}

	const char *cudaGetErrorString(cudaError_t error)
	{
		return error == cudaErrorMemoryAllocation ? "out of memory"
			   : error == cudaSuccess             ? "no error"
												  : "an error";
	}

	cudaError_t cudaGetLastError() { return outcome(); }
	cudaError_t cudaDriverGetVersion(int *version)
	{
		*version = 13000;
		return outcome();
	}
	cudaError_t cudaRuntimeGetVersion(int *version)
	{
		*version = 13000;
		return outcome();
	}
	cudaError_t cudaGetDeviceCount(int *count)
	{
		*count = 1;
		return outcome();
	}
	cudaError_t cudaGetDevice(int *device)
	{
		*device = 0;
		return cudaSuccess;
	}
	cudaError_t cudaSetDevice(int) { return outcome(); }
	cudaError_t cudaHostRegister(void *, size_t, unsigned int) { return outcome(); }

	cudaError_t cudaGetDeviceProperties(cudaDeviceProp *properties, int)
	{
		snprintf(properties->name, sizeof(properties->name), "emulation");
		properties->major = emu::CAPABILITY / 10;
		properties->minor = emu::CAPABILITY % 10;
		properties->multiProcessorCount = emu::MULTIPROCESSORS;
		properties->totalGlobalMem = (size_t) 1 << 30;
		return outcome();
	}

	/* The shape of a launch is asked once a process: it never fails here. */
	cudaError_t cudaDeviceGetAttribute(int *value, int attribute, int)
	{
		*value = attribute == cudaDevAttrMultiProcessorCount      ? emu::MULTIPROCESSORS
				 : attribute == cudaDevAttrComputeCapabilityMajor ? emu::CAPABILITY / 10
																  : emu::SHARED_LIMIT;
		return cudaSuccess;
	}

	cudaError_t cudaMemGetInfo(size_t *available, size_t *total)
	{
		*available = (size_t) 1 << 29;
		*total = (size_t) 1 << 30;
		return outcome();
	}

	cudaError_t cudaMalloc(void **p, size_t size)
	{
		cudaError_t error = outcome();

		*p = nullptr;
		if (error == cudaSuccess)
		{
			*p = aligned_alloc(256, (size + 255) / 256 * 256);
			memset(*p, 0xa5, size);
		}
		return error;
	}

	cudaError_t cudaFree(void *p)
	{
		free(p);
		return outcome();
	}

	cudaError_t cudaMallocHost(void **p, size_t size) { return cudaMalloc(p, size); }
	cudaError_t cudaFreeHost(void *p) { return cudaFree(p); }

	cudaError_t cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned int)
	{
		cudaError_t error = outcome();

		*stream = error == cudaSuccess ? new emu_stream() : nullptr;
		return error;
	}

	cudaError_t cudaStreamDestroy(cudaStream_t stream)
	{
		delete stream;
		return outcome();
	}

	cudaError_t cudaStreamSynchronize(cudaStream_t stream)
	{
		std::lock_guard<std::mutex> lock(running);

		while (!stream->work.empty())
		{
			stream->work.front()();
			stream->work.pop_front();
		}
		return outcome();
	}

	cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t size, int, cudaStream_t stream)
	{
		cudaError_t error = outcome();

		if (error == cudaSuccess)
			emu::enqueue(stream, [=] { memcpy(to, from, size); });
		return error;
	}

	cudaError_t cudaMemsetAsync(void *p, int value, size_t size, cudaStream_t stream)
	{
		cudaError_t error = outcome();

		if (error == cudaSuccess)
			emu::enqueue(stream, [=] { memset(p, value, size); });
		return error;
	}
}

/*
 * cuda_runtime_api.h
 *	  The part of the CUDA runtime that this project calls, on the host.
 *
 * Takes the place of the toolkit's header of that name when the kernels and the
 * CUDA device are tested in the emulation.  Work on a stream is done only when
 * the stream is synchronized, so that code which forgets to wait reads garbage.
 */
#ifndef GPURED_EMU_RUNTIME_H
#define GPURED_EMU_RUNTIME_H

#include <stddef.h>

#ifdef __cplusplus
extern "C"
{
#endif

	typedef enum cudaError
	{
		cudaSuccess,
		cudaErrorInvalidValue,
		cudaErrorMemoryAllocation,
		cudaErrorInsufficientDriver,
		cudaErrorNoDevice,
		cudaErrorNoKernelImageForDevice,
		cudaErrorSystemNotReady,
		cudaErrorHostMemoryAlreadyRegistered,
		cudaErrorLaunchFailure
	} cudaError_t;

	typedef struct emu_stream *cudaStream_t;

	struct cudaDeviceProp
	{
		char name[256];
		int major;
		int minor;
		int multiProcessorCount;
		size_t totalGlobalMem;
	};

	enum
	{
		cudaMemcpyHostToDevice,
		cudaMemcpyDeviceToHost,
		cudaStreamNonBlocking,
		cudaHostRegisterPortable,
		cudaDevAttrMultiProcessorCount,
		cudaDevAttrMaxSharedMemoryPerBlockOptin,
		cudaDevAttrComputeCapabilityMajor,
		cudaFuncAttributeMaxDynamicSharedMemorySize
	};

	struct cudaFuncAttributes
	{
		int numRegs;
	};

	extern const char *cudaGetErrorString(cudaError_t error);
	extern cudaError_t cudaGetLastError(void);
	extern cudaError_t cudaDriverGetVersion(int *version);
	extern cudaError_t cudaRuntimeGetVersion(int *version);
	extern cudaError_t cudaGetDeviceCount(int *count);
	extern cudaError_t cudaGetDevice(int *device);
	extern cudaError_t cudaSetDevice(int device);
	extern cudaError_t cudaGetDeviceProperties(struct cudaDeviceProp *properties, int device);
	extern cudaError_t cudaDeviceGetAttribute(int *value, int attribute, int device);
	extern cudaError_t cudaMemGetInfo(size_t *available, size_t *total);
	extern cudaError_t cudaMalloc(void **p, size_t size);
	extern cudaError_t cudaFree(void *p);
	extern cudaError_t cudaMallocHost(void **p, size_t size);
	extern cudaError_t cudaFreeHost(void *p);
	extern cudaError_t cudaHostRegister(void *p, size_t size, unsigned int flags);
	extern cudaError_t cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned int flags);
	extern cudaError_t cudaStreamDestroy(cudaStream_t stream);
	extern cudaError_t cudaStreamSynchronize(cudaStream_t stream);
	extern cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t size, int kind,
									   cudaStream_t stream);
	extern cudaError_t cudaMemsetAsync(void *p, int value, size_t size, cudaStream_t stream);

	/* For tests: the Nth call from now fails with this error, and only that one; 0 for none. */
	extern void emu_fail_call(int calls, cudaError_t error);

#ifdef __cplusplus
}
#endif

#endif /* GPURED_EMU_RUNTIME_H */

/*
 * cuda.c
 *	  The CUDA device: batches go to the card, the kernels of kernels/ fold or
 *	  scan them there.
 *
 * Any thread of the server may call it at any time.  Each has a stream, buffers
 * on the card and a place in pinned memory of its own, which grow to the
 * largest batch it has seen and go with thread_release().  So threads share
 * nothing but the context, and a failure of one leaves the others alone.
 *
 * Values and results are copied asynchronously if they lie in the registered
 * pool; any other memory will do, but slower.
 *
 * Some failures destroy the context itself (a fault in a kernel, a memory error
 * of the card): every later call in this process would fail as well.  Then the
 * process ends, with a line in the log.  Sessions see their connection closed
 * and compute by themselves; a server that is started again has a new context.
 */
#include "device/device.h"

#include <cuda_runtime_api.h>
#include <glob.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "kernels/launch.h"

/* The least compute capability that the kernels are written for. */
#define LEAST_CAPABILITY 75

/* Exit code when the context is lost: the supervisor starts a new server. */
#define EXIT_CONTEXT_LOST 1

/* Buffers are a multiple of this, so that they do not grow again and again. */
#define GRAIN ((size_t) 1 << 20)

/* Where the second column of a batch may start on the card. */
#define COLUMN_ALIGN 256

typedef struct DeviceBuffer
{
	void	   *base;
	size_t		size;
} DeviceBuffer;

/* What a thread holds on the card. */
typedef struct ThreadState
{
	bool		ready;
	cudaStream_t stream;
	DeviceBuffer values;
	DeviceBuffer out;
	DeviceBuffer workspace;
	GpuredAcc  *acc;			/* on the card */
	GpuredAcc  *staged;			/* pinned: an accumulator on its way */
} ThreadState;

static int	device_number;
static GpuredAlgorithm algorithm = GPURED_ALGORITHM_auto;
static atomic_ulong num_launches;
static __thread ThreadState mine;

typedef int (*ReduceLaunch) (const void *values, size_t n, void *workspace,
							 GpuredAcc *result, cudaStream_t stream,
							 GpuredAlgorithm algorithm);
typedef int (*MomentsLaunch) (const void *x, const void *y, size_t n, void *workspace,
							  GpuredAcc *result, cudaStream_t stream);
typedef int (*ScanLaunch) (const void *values, size_t n, void *workspace,
						   GpuredAcc *carry, void *out, cudaStream_t stream);

static const ReduceLaunch reduce_launches[GPURED_NUM_OPS] = {
#define GPURED_REDUCE(op, type, ctype, acc) \
	[GPURED_reduce_##op##_##type] = gpured_launch_reduce_##op##_##type,
#include "oplist.h"
};

static const MomentsLaunch moments_launches[GPURED_NUM_OPS] = {
#define GPURED_MOMENTS(op, type, ctype, columns, acc) \
	[GPURED_reduce_##op##_##type] = gpured_launch_reduce_##op##_##type,
#include "oplist.h"
};

static const ScanLaunch scan_launches[GPURED_NUM_OPS] = {
#define GPURED_SCAN(op, type, ctype, acc, otype) \
	[GPURED_scan_##op##_##type] = gpured_launch_scan_##op##_##type,
#include "oplist.h"
};

/*
 * Why there is no device
 */

static bool
path_exists(const char *pattern)
{
	glob_t		found;
	bool		exists = glob(pattern, GLOB_NOSORT, NULL, &found) == 0;

	if (exists)
		globfree(&found);
	return exists;
}

/* In plain words: what the runtime reports is often not what is wrong. */
static void
explain(GpuredDeviceInfo *info, cudaError_t error)
{
	int			driver = info->driver_version;
	int			runtime = info->runtime_version;

	/* Under WSL the card is behind /dev/dxg. */
	if (!path_exists("/dev/nvidia[0-9]*") && !path_exists("/dev/dxg"))
		snprintf(info->reason, sizeof(info->reason),
				 "There is no NVIDIA GPU here: /dev has no nvidia device. "
				 "A container has it only if it is started with GPUs (docker run --gpus all).");
	else if (driver == 0)
		snprintf(info->reason, sizeof(info->reason),
				 "The library of the NVIDIA driver (libcuda.so.1) was not found. "
				 "A container needs NVIDIA_DRIVER_CAPABILITIES to include \"compute\".");
	else if (error == cudaErrorInsufficientDriver)
		snprintf(info->reason, sizeof(info->reason),
				 "The NVIDIA driver is for CUDA %d.%d, but gpured-server was built with CUDA %d.%d. "
				 "Update the driver, or build gpured with an older CUDA.",
				 driver / 1000, driver % 1000 / 10,
				 runtime / 1000, runtime % 1000 / 10);
	else if (!path_exists("/dev/nvidia-uvm") && !path_exists("/dev/dxg"))
		snprintf(info->reason, sizeof(info->reason),
				 "/dev/nvidia-uvm is missing: the kernel module nvidia-uvm is not loaded. "
				 "Run nvidia-modprobe -u -c 0 as root, or give the container this device.");
	else if (error == cudaErrorNoDevice)
		snprintf(info->reason, sizeof(info->reason),
				 "The NVIDIA driver shows no GPU to this process. "
				 "See CUDA_VISIBLE_DEVICES, and what nvidia-smi -L lists.");
	else if (error == cudaErrorNoKernelImageForDevice)
		snprintf(info->reason, sizeof(info->reason),
				 "gpured-server has no code for %s (compute capability %d.%d). "
				 "Build gpured with CUDA_ARCHS=native.",
				 info->name, info->capability / 10, info->capability % 10);
	else if (error == cudaErrorSystemNotReady)
		snprintf(info->reason, sizeof(info->reason),
				 "The GPUs are not ready yet: is the NVIDIA fabric manager running? (%s)",
				 cudaGetErrorString(error));
	else
		snprintf(info->reason, sizeof(info->reason),
				 "The CUDA driver says: %s.", cudaGetErrorString(error));
}

/* Take the first device that the kernels can run on. */
static bool
choose_device(GpuredDeviceInfo *info, int count)
{
	for (int i = 0; i < count; i++)
	{
		struct cudaDeviceProp properties;
		cudaError_t error = cudaGetDeviceProperties(&properties, i);

		if (error != cudaSuccess)
		{
			explain(info, error);
			continue;
		}

		/* A slice of a card (MIG) says so in its name, and has its own sizes. */
		snprintf(info->name, sizeof(info->name), "%.*s",
				 (int) sizeof(info->name) - 1, properties.name);
		info->capability = properties.major * 10 + properties.minor;
		info->multiprocessors = properties.multiProcessorCount;
		info->memory = properties.totalGlobalMem;
		if (info->capability >= LEAST_CAPABILITY)
		{
			device_number = i;
			info->reason[0] = '\0';
			return true;
		}
		snprintf(info->reason, sizeof(info->reason),
				 "%s has compute capability %d.%d; gpured needs %d.%d or later.",
				 info->name, info->capability / 10, info->capability % 10,
				 LEAST_CAPABILITY / 10, LEAST_CAPABILITY % 10);
	}
	return false;
}

static bool
cuda_probe(GpuredDeviceInfo *info)
{
	cudaError_t error;
	int			driver = 0;
	int			runtime = 0;
	int			count = 0;

	memset(info, 0, sizeof(*info));
	(void) cudaDriverGetVersion(&driver);
	(void) cudaRuntimeGetVersion(&runtime);
	info->driver_version = driver;
	info->runtime_version = runtime;

	error = cudaGetDeviceCount(&count);
	if (error == cudaSuccess && count == 0)
		error = cudaErrorNoDevice;
	if (error != cudaSuccess)
	{
		explain(info, error);
		return false;
	}
	if (!choose_device(info, count))
		return false;

	/* The context, which every later call needs, and code for this device. */
	error = cudaSetDevice(device_number);
	if (error == cudaSuccess)
		error = cudaFree(NULL);
	if (error == cudaSuccess)
		error = (cudaError_t) gpured_launch_check();
	if (error != cudaSuccess)
	{
		explain(info, error);
		return false;
	}
	info->usable = true;
	return true;
}

/*
 * Failures
 */

/* After a failure: end the process if it took the context with it. */
static void
check_context(const char *doing, cudaError_t error)
{
	size_t		available;
	size_t		total;

	(void) cudaGetLastError();
	if (cudaMemGetInfo(&available, &total) == cudaSuccess)
		return;
	fprintf(stderr, "WARNING: lost the CUDA context %s: %s\n", doing,
			cudaGetErrorString(error));
	fflush(stderr);
	_exit(EXIT_CONTEXT_LOST);
}

static GpuredStatus
failed(const char *doing, cudaError_t error)
{
	check_context(doing, error);
	if (error == cudaErrorMemoryAllocation)
		return gpured_status(GPURED_NO_MEMORY, "no memory %s: %s", doing,
							 cudaGetErrorString(error));
	return gpured_status(GPURED_DEVICE_FAILED, "failed %s: %s", doing,
						 cudaGetErrorString(error));
}

/* Run a CUDA call; leave the function with a status if it fails. */
#define CUDA_TRY(doing, call) \
	do { \
		cudaError_t try_error = (cudaError_t) (call); \
		if (try_error != cudaSuccess) \
			return failed(doing, try_error); \
	} while (0)

/*
 * What a thread holds
 */

static void
cuda_thread_release(void)
{
	if (!mine.ready)
		return;
	(void) cudaStreamSynchronize(mine.stream);
	(void) cudaFree(mine.values.base);
	(void) cudaFree(mine.out.base);
	(void) cudaFree(mine.workspace.base);
	(void) cudaFree(mine.acc);
	(void) cudaFreeHost(mine.staged);
	(void) cudaStreamDestroy(mine.stream);
	memset(&mine, 0, sizeof(mine));
}

static GpuredStatus
thread_prepare(void)
{
	cudaError_t error;

	if (mine.ready)
		return gpured_ok();
	CUDA_TRY("choosing the device", cudaSetDevice(device_number));
	CUDA_TRY("creating a stream",
			 cudaStreamCreateWithFlags(&mine.stream, cudaStreamNonBlocking));

	/* From here on there is something to give back. */
	mine.ready = true;
	error = cudaMalloc((void **) &mine.acc, sizeof(GpuredAcc));
	if (error == cudaSuccess)
		error = cudaMallocHost((void **) &mine.staged, sizeof(GpuredAcc));
	/* A kernel writes only the member it uses; all of it is copied back. */
	if (error == cudaSuccess)
		error = cudaMemsetAsync(mine.acc, 0, sizeof(GpuredAcc), mine.stream);
	if (error != cudaSuccess)
	{
		cuda_thread_release();
		return failed("for a connection", error);
	}
	return gpured_ok();
}

/* Have "size" bytes; what was in the buffer is gone if it grew. */
static GpuredStatus
reserve(DeviceBuffer *buffer, size_t size, const char *what)
{
	cudaError_t error;
	void	   *old = buffer->base;
	size_t		available = 0;
	size_t		total = 0;

	if (size <= buffer->size)
		return gpured_ok();

	/* Whether or not a failure has freed it, it is not to be used again. */
	buffer->base = NULL;
	buffer->size = 0;
	CUDA_TRY("giving back a buffer", cudaFree(old));

	size = (size + GRAIN - 1) / GRAIN * GRAIN;
	error = cudaMalloc(&buffer->base, size);
	if (error == cudaErrorMemoryAllocation)
	{
		buffer->base = NULL;
		check_context("reserving memory", error);
		(void) cudaMemGetInfo(&available, &total);
		return gpured_status(GPURED_NO_MEMORY,
							 "the device has no room for %zu MB of %s: %zu MB of %zu MB are free (%s)",
							 size >> 20, what, available >> 20, total >> 20,
							 cudaGetErrorString(error));
	}
	if (error != cudaSuccess)
		return failed("reserving memory", error);
	buffer->size = size;
	return gpured_ok();
}

static GpuredStatus
reserve_workspace(size_t n)
{
	GpuredStatus status;
	cudaError_t error;

	if (gpured_workspace_size(n) <= mine.workspace.size)
		return gpured_ok();
	status = reserve(&mine.workspace, gpured_workspace_size(n), "workspace");
	if (status.code != GPURED_OK)
		return status;
	error = cudaMemsetAsync(mine.workspace.base, 0, gpured_workspace_zeroed(), mine.stream);
	if (error != cudaSuccess)
	{
		/* Not to be taken for a cleared one by the next call. */
		status = failed("clearing the workspace", error);
		cuda_thread_release();
	}
	return status;
}

/* Everything on the stream is done, or something of it failed. */
static GpuredStatus
finish(const char *doing, cudaError_t error)
{
	GpuredStatus status;

	if (error == cudaSuccess)
		error = cudaStreamSynchronize(mine.stream);
	if (error == cudaSuccess)
	{
		atomic_fetch_add(&num_launches, 1);
		return gpured_ok();
	}

	/* Copies from the caller's memory may still run: wait, and start afresh. */
	status = failed(doing, error);
	cuda_thread_release();
	return status;
}

/*
 * The device
 */

static GpuredStatus
cuda_register_pool(void *base, size_t size)
{
	cudaError_t error = cudaHostRegister(base, size, cudaHostRegisterPortable);

	if (error == cudaSuccess || error == cudaErrorHostMemoryAlreadyRegistered)
		return gpured_ok();
	check_context("pinning the pool", error);
	return gpured_status(error == cudaErrorMemoryAllocation ? GPURED_NO_MEMORY : GPURED_DEVICE_FAILED,
						 "could not pin %zu MB for transfers: %s", size >> 20,
						 cudaGetErrorString(error));
}

/* Copy the columns of a batch to the card and start its operation. */
static cudaError_t
start_reduce(GpuredOp op, const GpuredBatch *in, size_t bytes, size_t second_at)
{
	char	   *values = mine.values.base;
	char	   *second = in->second == NULL ? NULL : values + second_at;
	cudaError_t error = cudaMemcpyAsync(values, in->values, bytes, cudaMemcpyHostToDevice,
										mine.stream);

	if (error == cudaSuccess && second != NULL)
		error = cudaMemcpyAsync(second, in->second, bytes, cudaMemcpyHostToDevice, mine.stream);
	if (error != cudaSuccess)
		return error;
	if (moments_launches[op] != NULL)
		return (cudaError_t) moments_launches[op] (values, second, in->n, mine.workspace.base,
												   mine.acc, mine.stream);
	return (cudaError_t) reduce_launches[op] (values, in->n, mine.workspace.base,
											  mine.acc, mine.stream, algorithm);
}

static GpuredStatus
cuda_reduce(GpuredOp op, const GpuredBatch *in, GpuredAcc *acc)
{
	GpuredStatus status;
	cudaError_t error;
	size_t		bytes;
	size_t		second_at;

	if ((int) op < 0 || op >= GPURED_NUM_OPS ||
		(reduce_launches[op] == NULL && moments_launches[op] == NULL))
		return gpured_status(GPURED_PROTOCOL, "operation %d is not a reduction", (int) op);
	if (in->n == 0)
		return gpured_ok();
	bytes = in->n * gpured_op_info[op].input_size;
	second_at = (bytes + COLUMN_ALIGN - 1) / COLUMN_ALIGN * COLUMN_ALIGN;

	status = thread_prepare();
	if (status.code == GPURED_OK)
		status = reserve(&mine.values, in->second == NULL ? bytes : second_at + bytes, "values");
	if (status.code == GPURED_OK)
		status = reserve_workspace(in->n);
	if (status.code != GPURED_OK)
		return status;

	error = start_reduce(op, in, bytes, second_at);
	if (error == cudaSuccess)
		error = cudaMemcpyAsync(mine.staged, mine.acc, sizeof(GpuredAcc),
								cudaMemcpyDeviceToHost, mine.stream);
	status = finish("reducing a batch", error);
	if (status.code != GPURED_OK)
		return status;

	mine.staged->n = (int64_t) in->n;
	if (gpured_op_info[op].acc == GPURED_ACC_exact)
		gpured_exact_normalize(&mine.staged->v.exact);
	gpured_acc_merge(op, acc, mine.staged);
	return status;
}

static GpuredStatus
cuda_scan(GpuredOp op, const GpuredBatch *in, GpuredAcc *carry, void *out)
{
	GpuredStatus status;
	cudaError_t error;
	size_t		bytes;
	size_t		out_bytes;
	bool		exact;

	if ((int) op < 0 || op >= GPURED_NUM_OPS || scan_launches[op] == NULL)
		return gpured_status(GPURED_PROTOCOL, "operation %d is not a scan", (int) op);
	if (in->n == 0)
		return gpured_ok();
	bytes = in->n * gpured_op_info[op].input_size;
	out_bytes = in->n * gpured_op_info[op].output_size;
	exact = gpured_op_info[op].acc == GPURED_ACC_exact;

	status = thread_prepare();
	if (status.code == GPURED_OK)
		status = reserve(&mine.values, bytes, "values");
	if (status.code == GPURED_OK)
		status = reserve(&mine.out, out_bytes, "prefixes");
	if (status.code == GPURED_OK)
		status = reserve_workspace(in->n);
	if (status.code != GPURED_OK)
		return status;

	*mine.staged = *carry;
	if (exact)
		gpured_exact_normalize(&mine.staged->v.exact);
	error = cudaMemcpyAsync(mine.acc, mine.staged, sizeof(GpuredAcc),
							cudaMemcpyHostToDevice, mine.stream);
	if (error == cudaSuccess)
		error = cudaMemcpyAsync(mine.values.base, in->values, bytes,
								cudaMemcpyHostToDevice, mine.stream);
	if (error == cudaSuccess)
		error = (cudaError_t) scan_launches[op] (mine.values.base, in->n, mine.workspace.base,
												 mine.acc, mine.out.base, mine.stream);
	if (error == cudaSuccess)
		error = cudaMemcpyAsync(mine.staged, mine.acc, sizeof(GpuredAcc),
								cudaMemcpyDeviceToHost, mine.stream);
	if (error == cudaSuccess)
		error = cudaMemcpyAsync(out, mine.out.base, out_bytes,
								cudaMemcpyDeviceToHost, mine.stream);
	status = finish("scanning a batch", error);
	if (status.code != GPURED_OK)
		return status;

	carry->v = mine.staged->v;
	if (exact)
		gpured_exact_normalize(&carry->v.exact);
	carry->n += (int64_t) in->n;
	return status;
}

static uint64_t
cuda_launches(void)
{
	return atomic_load(&num_launches);
}

bool
gpured_cuda_use_algorithm(const char *name)
{
	for (int i = 0; i < GPURED_NUM_ALGORITHMS; i++)
		if (strcmp(name, gpured_algorithm_names[i]) == 0)
		{
			algorithm = (GpuredAlgorithm) i;
			return true;
		}
	return false;
}

const GpuredDevice gpured_cuda_device = {
	.name = "cuda",
	.probe = cuda_probe,
	.register_pool = cuda_register_pool,
	.reduce = cuda_reduce,
	.scan = cuda_scan,
	.launches = cuda_launches,
	.thread_release = cuda_thread_release
};

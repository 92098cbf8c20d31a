/*
 * device_test.cu
 *	  The CUDA device against the CPU device, to the last bit: whole operations,
 *	  from several threads, and after failures.
 *
 * With -DGPURED_EMULATED and the emulated runtime it runs on the host; there
 * each call of the runtime is made to fail in turn.  Ends with "N passed, N
 * failed".
 */
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <thread>
#include <vector>

#include <cuda_runtime_api.h>

#include "device/device.h"
#include "test/kernels/data.h"
#include "test/kernels/same.h"

extern const GpuredDevice gpured_cuda_device;

static int passed = 0;
static int failed = 0;
static std::mutex reporting;

static bool
report(bool ok, GpuredOp op, const char *what)
{
	std::lock_guard<std::mutex> lock(reporting);

	if (ok)
		passed++;
	else if (++failed <= 50)
		printf("FAILED: %s: %s\n", gpured_op_info[op].name, what);
	return ok;
}

/* n values of an operation's type, as bytes. */
static std::vector<unsigned char>
make(GpuredOp op, int kind, size_t n)
{
	std::vector<unsigned char> bytes(n * gpured_op_info[op].input_size);

	for (size_t i = 0; i < n; i++)
		switch (op)
		{
#define MAKE(name, ctype) \
	case GPURED_##name: \
		data_value((ctype *) bytes.data() + i, kind, i, n); \
		break;
#define GPURED_REDUCE(op, type, ctype, acc) MAKE(reduce_##op##_##type, ctype)
#define GPURED_MOMENTS(op, type, ctype, columns, acc) MAKE(reduce_##op##_##type, ctype)
#define GPURED_SCAN(op, type, ctype, acc, otype) MAKE(scan_##op##_##type, ctype)
#include "oplist.h"
			default:
				break;
		}
	return bytes;
}

/* Floats compare as values of their own size: NaN has many patterns. */
static bool
same_output(GpuredOp op, const std::vector<unsigned char> &a, const std::vector<unsigned char> &b)
{
	float x, y;
	double v, w;

	if (gpured_op_info[op].acc != GPURED_ACC_exact)
		return a == b;
	for (size_t at = 0; at < a.size(); at += gpured_op_info[op].output_size)
	{
		if (gpured_op_info[op].output_size == sizeof(double))
		{
			memcpy(&v, &a[at], sizeof(v));
			memcpy(&w, &b[at], sizeof(w));
		}
		else
		{
			memcpy(&x, &a[at], sizeof(x));
			memcpy(&y, &b[at], sizeof(y));
			v = x;
			w = y;
		}
		if (!same_float(v, w))
			return false;
	}
	return true;
}

/*
 * One batch on a device, after "acc"; scans leave their output in "out".  A second
 * column is the first one backwards.
 */
static GpuredStatus
run(const GpuredDevice *device, GpuredOp op, const unsigned char *values, size_t n, GpuredAcc *acc,
	unsigned char *out)
{
	const size_t size = gpured_op_info[op].input_size;
	std::vector<unsigned char> second(gpured_op_info[op].columns == 2 ? n * size : 0);
	const GpuredBatch batch = {values, n, second.empty() ? nullptr : second.data()};

	for (size_t at = 0; at < second.size(); at += size)
		memcpy(&second[at], values + second.size() - size - at, size);

	return gpured_op_info[op].is_scan ? device->scan(op, &batch, acc, out)
									  : device->reduce(op, &batch, acc);
}

/* Two batches in a row, on both devices. */
static void
compare(GpuredOp op, int kind, size_t n, size_t cut)
{
	const size_t in_size = gpured_op_info[op].input_size;
	const size_t out_size = gpured_op_info[op].output_size;
	const std::vector<unsigned char> values = make(op, kind, n);
	std::vector<unsigned char> want_out(n * out_size), got_out(n * out_size);
	GpuredAcc want, got;
	GpuredStatus status;
	char what[300];

	gpured_acc_init(op, &want);
	gpured_acc_init(op, &got);
	if (gpured_op_info[op].columns == 2)
		cut = 0;
	run(&gpured_cpu_device, op, values.data(), n, &want, want_out.data());
	status = run(&gpured_cuda_device, op, values.data(), cut, &got, got_out.data());
	if (status.code == GPURED_OK)
		status = run(&gpured_cuda_device, op, values.data() + cut * in_size, n - cut, &got,
					 got_out.data() + cut * out_size);
	snprintf(what, sizeof(what), "%s, n = %zu, cut at %zu: %s", data_kind_name[kind], n, cut,
			 status.code != GPURED_OK ? status.reason : "another answer than the CPU's");
	report(status.code == GPURED_OK && same_acc(op, want, got) &&
			   same_output(op, want_out, got_out),
		   op, what);
}

/* Without scans, whose results are bulk copies: for initcheck, which does not see those. */
static bool without_scans = false;

static bool
is_due(GpuredOp op)
{
	return !without_scans || !gpured_op_info[op].is_scan;
}

static bool
is_float(GpuredOp op)
{
	return strstr(gpured_op_info[op].name, "float") != nullptr;
}

static void
test_operations(size_t most)
{
	for (int i = GPURED_none + 1; i < GPURED_NUM_OPS; i++)
		for (int kind = 0; kind < (is_float((GpuredOp) i) ? (int) DATA_KINDS : DATA_INTEGER_KINDS);
			 kind++)
			for (size_t n : {(size_t) 1, (size_t) 77, most})
				if (is_due((GpuredOp) i))
					compare((GpuredOp) i, kind, n, n / 3);
}

static void
test_threads(size_t most)
{
	std::vector<std::thread> threads;

	for (int t = 0; t < 4; t++)
		threads.emplace_back(
			[=]
			{
				for (int i = 0; i < 24; i++)
				{
					const uint64_t h = data_hash(100 * t + i);
					const GpuredOp op = (GpuredOp) (1 + h % (GPURED_NUM_OPS - 1));

					if (is_due(op))
						compare(op, h >> 32 & 3, 1 + (h >> 40) % most, 0);
				}
				gpured_cuda_device.thread_release();
			});
	for (std::thread &thread : threads)
		thread.join();
}

static void
test_edges()
{
	GpuredAcc acc;
	unsigned char none[16] = {};

	gpured_acc_init(GPURED_reduce_sum_int4, &acc);
	report(run(&gpured_cuda_device, GPURED_reduce_sum_int4, none, 0, &acc, nullptr).code ==
				   GPURED_OK &&
			   acc.n == 0,
		   GPURED_reduce_sum_int4, "an empty batch");
	report(gpured_cuda_device.scan(GPURED_reduce_sum_int4, nullptr, &acc, nullptr).code ==
			   GPURED_PROTOCOL,
		   GPURED_reduce_sum_int4, "a reduction as a scan");
	report(gpured_cuda_device.reduce((GpuredOp) 9999, nullptr, &acc).code == GPURED_PROTOCOL,
		   GPURED_none, "no such operation");
	gpured_cuda_device.thread_release();
	compare(GPURED_reduce_sum_float8, DATA_NORMAL, 1000, 500);
}

#ifdef GPURED_EMULATED
/* Let each call fail in turn: a status, nothing lost, and the next try succeeds. */
/* (The context itself survives, or the process would end.) */
static void
test_failures()
{
	for (GpuredOp op :
		 {GPURED_reduce_sum_float8, GPURED_scan_sum_float4, GPURED_reduce_pair_moments_float8})
		for (cudaError_t error : {cudaErrorMemoryAllocation, cudaErrorLaunchFailure})
			for (bool fresh : {true, false})
				for (int call = 1;; call++)
				{
					const std::vector<unsigned char> values = make(op, DATA_NORMAL, 100);
					std::vector<unsigned char> out(100 * sizeof(double));
					GpuredAcc acc, before;
					GpuredStatus status;

					if (fresh)
						gpured_cuda_device.thread_release();
					gpured_acc_init(op, &acc);
					before = acc;
					emu_fail_call(call, error);
					status = run(&gpured_cuda_device, op, values.data(), 100, &acc, out.data());
					emu_fail_call(0, cudaSuccess);
					if (status.code == GPURED_OK)
						break;
					report((error == cudaErrorMemoryAllocation
								? status.code == GPURED_NO_MEMORY
								: status.code == GPURED_DEVICE_FAILED) &&
							   status.reason[0] != '\0' && memcmp(&acc, &before, sizeof(acc)) == 0,
						   op, status.reason);
					compare(op, DATA_NORMAL, 100, 0);
				}
}

static void
test_survivable_failures()
{
	/* A pool that cannot be pinned is no reason to end: the caller goes on. */
	GpuredStatus status;

	emu_fail_call(1, cudaErrorMemoryAllocation);
	status = gpured_cuda_device.register_pool(&status, sizeof(status));
	emu_fail_call(0, cudaSuccess);
	report(status.code == GPURED_NO_MEMORY && status.reason[0] != '\0', GPURED_reduce_sum_float8,
		   "a pool that cannot be pinned");

	/* A buffer that could not be given back is not used again. */
	std::vector<unsigned char> larger = make(GPURED_reduce_sum_float8, DATA_NORMAL, 300000);
	GpuredAcc acc;

	gpured_cuda_device.thread_release();
	compare(GPURED_reduce_sum_float8, DATA_NORMAL, 100, 0);
	gpured_acc_init(GPURED_reduce_sum_float8, &acc);
	emu_fail_call(1, cudaErrorInvalidValue);
	status =
		run(&gpured_cuda_device, GPURED_reduce_sum_float8, larger.data(), 300000, &acc, nullptr);
	emu_fail_call(0, cudaSuccess);
	report(status.code == GPURED_DEVICE_FAILED, GPURED_reduce_sum_float8, status.reason);
	compare(GPURED_reduce_sum_float8, DATA_NORMAL, 100, 0);
}
#endif

/* Each algorithm that the server can be told to use. */
static void
test_use_algorithm()
{
	for (const char *name : {"two-pass", "block-atomic", "thread-atomic", "last-block",
							 "last-block-tree", "last-block-group", "cooperative", "cub", "auto"})
	{
		report(gpured_cuda_use_algorithm(name), GPURED_none, name);
#define GPURED_REDUCE(op, type, ctype, acc) \
	compare(GPURED_reduce_##op##_##type, DATA_NORMAL, 3000, 0);
#include "oplist.h"
	}
	report(!gpured_cuda_use_algorithm("fastest"), GPURED_none, "an algorithm that there is not");
}

/*
 * device_test [small] [preset]: "small" is for slow checkers such as compute-sanitizer;
 * "preset", see program.h, leaves out the scans, as their results are not within reach.
 */
int
main(int argc, char **argv)
{
	GpuredDeviceInfo info;
#ifdef GPURED_EMULATED
	const bool small = true;
#else
	bool small = false;

	for (int i = 1; i < argc; i++)
		if (strcmp(argv[i], "small") == 0)
			small = true;
		else if (strcmp(argv[i], "preset") == 0)
			without_scans = true;
#endif
	const size_t most = small ? 5000 : 200000;

	(void) argc, (void) argv;

	if (!gpured_cuda_device.probe(&info))
	{
		printf("no usable device: %s\n", info.reason);
		return 1;
	}
	test_operations(most);
	test_threads(most);
	test_edges();
	test_use_algorithm();
#ifdef GPURED_EMULATED
	test_failures();
	test_survivable_failures();
#endif
	gpured_cuda_device.thread_release();
	printf("%d passed, %d failed\n", passed, failed);
	return failed != 0;
}

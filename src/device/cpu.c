/*
 * cpu.c
 *	  The CPU device: the operations of the list, in the calling thread.
 *
 * It is a whole device and not a fallback only: it serves sessions inline, the
 * server where there is no GPU, and the tests as what the CUDA device is
 * compared with.  The loops are those of the best instruction set that the
 * processor has; which one that is changes no bit of any answer.
 */
#include "device/device.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "device/cpu.h"

/* Written once, to the same value by whoever is first. */
static const GpuredCpuKernels *chosen;

static bool
is_supported(const GpuredCpuKernels *kernels)
{
#ifdef __x86_64__
	if (kernels == &gpured_cpu_avx512)
		return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
			__builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
	if (kernels == &gpured_cpu_avx2)
		return __builtin_cpu_supports("avx2");
#endif
	return kernels == &gpured_cpu_plain;
}

/* Best first. */
static const GpuredCpuKernels *const candidates[] = {
#ifdef __x86_64__
	&gpured_cpu_avx512,
	&gpured_cpu_avx2,
#endif
	&gpured_cpu_plain
};

#define NUM_CANDIDATES (sizeof(candidates) / sizeof(candidates[0]))

const GpuredCpuKernels *
gpured_cpu_kernels(void)
{
	const GpuredCpuKernels *kernels = __atomic_load_n(&chosen, __ATOMIC_RELAXED);

	for (size_t i = 0; kernels == NULL; i++)
	{
		if (is_supported(candidates[i]))
			kernels = candidates[i];
	}
	__atomic_store_n(&chosen, kernels, __ATOMIC_RELAXED);
	return kernels;
}

bool
gpured_cpu_use(const char *name)
{
	for (size_t i = 0; i < NUM_CANDIDATES; i++)
	{
		if (strcmp(candidates[i]->name, name) == 0 && is_supported(candidates[i]))
		{
			__atomic_store_n(&chosen, candidates[i], __ATOMIC_RELAXED);
			return true;
		}
	}
	return false;
}

/* How a batch gives what gpured_acc_merge takes, by kind of accumulator. */
#define FOLD_int64(op, type) part.v.i64 = kernels->op##_##type(in->values, in->n)
#define FOLD_wide(op, type) part.v.i128 = kernels->op##_##type(in->values, in->n)
#define FOLD_least_int FOLD_int64
#define FOLD_greatest_int FOLD_int64
#define FOLD_and_int FOLD_int64
#define FOLD_or_int FOLD_int64
#define FOLD_xor_int FOLD_int64
#define FOLD_least_float(op, type) part.v.f8 = kernels->op##_##type(in->values, in->n)
#define FOLD_greatest_float FOLD_least_float

/* Exact sums go into the accumulator itself: they need not be merged. */
#define FOLD_exact(op, type) \
	gpured_cpu_##op##_##type(in->values, in->n, &acc->v.exact); \
	acc->n += (int64_t) in->n; \
	return

#define GPURED_REDUCE(op, type, ctype, kind) \
static void \
reduce_##op##_##type(const GpuredCpuKernels *kernels, const GpuredBatch *in, GpuredAcc *acc) \
{ \
	GpuredAcc	part; \
	(void) kernels; \
	part.n = (int64_t) in->n; \
	FOLD_##kind(op, type); \
	gpured_acc_merge(GPURED_reduce_##op##_##type, acc, &part); \
}
#include "oplist.h"

/* Exact ones go into the accumulator itself here too. */
#define FOLD_int_moments(op, type) \
	GpuredIntMoments part = kernels->op##_##type(in->values, in->n); \
	gpured_int_moments_add(&acc->v.ints, &part)
#define FOLD_moments(op, type) gpured_cpu_##op##_##type(in->values, in->n, &acc->v.sums)
#define FOLD_pair_moments(op, type) \
	gpured_cpu_##op##_##type(in->values, in->second, in->n, &acc->v.sums)
#define FOLD_dot FOLD_pair_moments

#define GPURED_MOMENTS(op, type, ctype, columns, kind) \
static void \
reduce_##op##_##type(const GpuredCpuKernels *kernels, const GpuredBatch *in, GpuredAcc *acc) \
{ \
	(void) kernels; \
	FOLD_##kind(op, type); \
	acc->n += (int64_t) in->n; \
}
#include "oplist.h"

typedef void (*ReduceFunction) (const GpuredCpuKernels *kernels,
								const GpuredBatch *in, GpuredAcc *acc);

static const ReduceFunction reduce_functions[GPURED_NUM_OPS] = {
#define GPURED_REDUCE(op, type, ctype, kind) \
	[GPURED_reduce_##op##_##type] = reduce_##op##_##type,
#define GPURED_MOMENTS(op, type, ctype, columns, kind) \
	[GPURED_reduce_##op##_##type] = reduce_##op##_##type,
#include "oplist.h"
};

static GpuredStatus
cpu_reduce(GpuredOp op, const GpuredBatch *in, GpuredAcc *acc)
{
	if ((int) op < 0 || op >= GPURED_NUM_OPS || reduce_functions[op] == NULL)
		return gpured_status(GPURED_PROTOCOL, "operation %d is not a reduction", (int) op);
	if (in->n > 0)
		reduce_functions[op] (gpured_cpu_kernels(), in, acc);
	return gpured_ok();
}

/* Running totals of integers. */
#define SCAN_int64(op, type, ctype, otype) \
	uint64_t	total = (uint64_t) carry->v.i64; \
	for (size_t i = 0; i < in->n; i++) \
	{ \
		total += (uint64_t) (int64_t) x[i]; \
		out[i] = (otype) total; \
	} \
	carry->v.i64 = (int64_t) total

#define SCAN_wide(op, type, ctype, otype) \
	GpuredInt128 total = carry->v.i128; \
	for (size_t i = 0; i < in->n; i++) \
	{ \
		gpured_wide_add(&total, (GpuredInt128) {(uint64_t) x[i], x[i] < 0 ? -1 : 0}); \
		out[i] = total; \
	} \
	carry->v.i128 = total

#define SCAN_exact(op, type, ctype, otype) \
	gpured_cpu_scan_##type(x, in->n, &carry->v.exact, out)

#define GPURED_SCAN(op, type, ctype, kind, otype) \
static void \
scan_##op##_##type(const GpuredBatch *in, GpuredAcc *carry, void *result) \
{ \
	const ctype *x = in->values; \
	otype	   *out = result; \
	SCAN_##kind(op, type, ctype, otype); \
	carry->n += (int64_t) in->n; \
}
#include "oplist.h"

typedef void (*ScanFunction) (const GpuredBatch *in, GpuredAcc *carry, void *out);

static const ScanFunction scan_functions[GPURED_NUM_OPS] = {
#define GPURED_SCAN(op, type, ctype, kind, otype) \
	[GPURED_scan_##op##_##type] = scan_##op##_##type,
#include "oplist.h"
};

static GpuredStatus
cpu_scan(GpuredOp op, const GpuredBatch *in, GpuredAcc *carry, void *out)
{
	if ((int) op < 0 || op >= GPURED_NUM_OPS || scan_functions[op] == NULL)
		return gpured_status(GPURED_PROTOCOL, "operation %d is not a scan", (int) op);
	if (in->n > 0)
		scan_functions[op] (in, carry, out);
	return gpured_ok();
}

/* The processor's own name, as the kernel gives it; "CPU" where it does not. */
static void
model_name(char *name, size_t size)
{
	FILE	   *f = fopen("/proc/cpuinfo", "r");
	char		line[256];

	snprintf(name, size, "CPU");
	if (f == NULL)
		return;
	while (fgets(line, sizeof(line), f) != NULL)
	{
		char	   *colon = strchr(line, ':');

		if (strncmp(line, "model name", 10) == 0 && colon != NULL && colon[1] == ' ')
		{
			colon[strcspn(colon, "\n")] = '\0';
			snprintf(name, size, "%s", colon + 2);
			break;
		}
	}
	fclose(f);
}

static bool
cpu_probe(GpuredDeviceInfo *info)
{
	long		threads = sysconf(_SC_NPROCESSORS_ONLN);
	long		pages = sysconf(_SC_PHYS_PAGES);
	long		page_size = sysconf(_SC_PAGESIZE);
	char		model[64];

	memset(info, 0, sizeof(*info));
	model_name(model, sizeof(model));
	snprintf(info->name, sizeof(info->name), "%s (%s)", model, gpured_cpu_kernels()->name);
	info->usable = true;
	info->multiprocessors = threads > 0 ? (int32_t) threads : 1;
	if (pages > 0 && page_size > 0)
		info->memory = (uint64_t) pages * (uint64_t) page_size;
	return true;
}

const GpuredDevice gpured_cpu_device = {
	.name = "cpu",
	.probe = cpu_probe,
	.reduce = cpu_reduce,
	.scan = cpu_scan
};

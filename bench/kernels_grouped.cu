/*
 * kernels_grouped.cu
 *	  Grouped aggregation in the kernels' benchmark: the exact sum (and the
 *	  average and the count) and the maximum of float8, by one key.
 *
 * The operations are named by the number of groups and the key's type.  The rows
 * come in a random order.  What is timed is everything: the table is cleared, the
 * rows are added, the groups are emitted.  "add" is the second part alone.
 */
#include <map>

#include "bench/bench.cuh"
#include "kernels/launch_grouped.h"

extern "C"
{
#include "device/grouped.h"
}

static constexpr int NAGGREGATES = 2;
static const GpuredOp ops[NAGGREGATES] = {GPURED_reduce_sum_float8, GPURED_reduce_max_float8};
static const int columns[NAGGREGATES] = {0, 0};

/* The CPU takes its time, most of all with many groups. */
static constexpr size_t MOST_CHECKED = (size_t) 1 << 24;
static constexpr uint32_t LIMB_SETS = 1 << 20;

/* The object of the operation that is run; memory for any. */
static GpuredGroups groups;
static uint64_t *emitted;

static __global__ void
fill_rows(double *x, void *keys, int key_size, size_t n, uint64_t ngroups, int kind)
{
	for (size_t i = blockIdx.x * (size_t) blockDim.x + threadIdx.x; i < n;
		 i += (size_t) gridDim.x * blockDim.x)
	{
		const uint64_t key = data_hash(3 * i + 5) % ngroups;

		data_value(&x[i], kind, i, n);
		if (key_size == 4)
			((uint32_t *) keys)[i] = (uint32_t) key;
		else
			((uint64_t *) keys)[i] = key * 0x9e3779b97f4a7c15u;
	}
}

static void *
host_alloc(void *, size_t size)
{
	void *p = malloc(size);

	if (p == nullptr)
		abort();
	return p;
}

static void
host_release(void *, void *p)
{
	free(p);
}

static void
prepare(const BenchData &data, int key_size, uint32_t ngroups)
{
	const uint32_t most = 10000000;
	static const size_t size = gpured_groups_size(NAGGREGATES, ops, most, LIMB_SETS);
	static void *memory = bench_alloc(size);

	gpured_groups_init(&groups, key_size, NAGGREGATES, ops, columns, ngroups, LIMB_SETS, memory);
	if (emitted == nullptr)
		emitted = (uint64_t *) bench_alloc((size_t) 8 * (most + 2) * gpured_groups_words(&groups));
	bench_must((cudaError_t) gpured_launch_groups_clear(&groups, true, 0));
	bench_must(cudaDeviceSynchronize());
}

/* All groups, each exactly; of many rows only how many they are. */
static bool
check(const BenchData &data, int key_size)
{
	static const GpuredAllocator memory = {host_alloc, host_release};
	const uint8_t size = (uint8_t) key_size;
	const GpuredGroupedAggregate aggregates[] = {{ops[0], 0}, {ops[1], 0}};
	GpuredGroupedSpec spec = {1, &size, 1, NAGGREGATES, aggregates, 0};
	const int words = gpured_groups_words(&groups);
	std::map<uint64_t, uint32_t> number;
	uint32_t status[3];
	int32_t anchor[GPURED_GROUPS_AGGREGATES];
	int64_t rows = 0;

	bench_must(cudaMemcpy(status, groups.status, sizeof(status), cudaMemcpyDefault));
	bench_must(cudaMemcpy(anchor, groups.anchor, sizeof(anchor), cudaMemcpyDefault));
	std::vector<uint64_t> out((size_t) status[2] * words);
	std::vector<uint64_t> limbs((size_t) status[1] * GPURED_EXACT_LIMBS);
	bench_must(cudaMemcpy(out.data(), emitted, out.size() * 8, cudaMemcpyDefault));
	bench_must(cudaMemcpy(limbs.data(), groups.limbs, limbs.size() * 8, cudaMemcpyDefault));
	if (status[0] != 0)
		return false;
	for (uint32_t i = 0; i < status[2]; i++)
		rows += gpured_groups_rows(&out[(size_t) i * words]);
	if (rows != (int64_t) data.n)
		return false;
	if (data.n > MOST_CHECKED)
		return true;

	GpuredGrouped *g = gpured_grouped_create(&spec, &memory, nullptr);
	GpuredGroupedColumn key = {(const char *) data.host + 8 * data.n, nullptr};
	GpuredGroupedColumn column = {data.host, nullptr};
	bool good = true;

	gpured_grouped_add(g, &key, &column, nullptr, data.n);
	good = status[2] == gpured_grouped_groups(g);
	for (uint32_t i = 0; i < status[2] && good; i++)
	{
		uint64_t k;

		gpured_grouped_key(g, i, 0, &k);
		number[k] = i;
	}
	for (uint32_t i = 0; i < status[2] && good; i++)
	{
		const uint64_t *group = &out[(size_t) i * words];
		const uint32_t want = number[group[0]];
		GpuredAcc sum, max;
		GpuredExact exact;
		double a, b, greatest = gpured_grouped_float_extreme(g, want, 1);

		gpured_groups_result(&groups, group, 0, limbs.data(), anchor, gpured_groups_rows(group),
							 &sum);
		gpured_groups_result(&groups, group, 1, limbs.data(), anchor, gpured_groups_rows(group),
							 &max);
		gpured_grouped_exact(g, want, 0, &exact);
		gpured_exact_to_double(&exact, &a);
		gpured_exact_to_double(&sum.v.exact, &b);
		good = memcmp(&a, &b, sizeof(a)) == 0 && memcmp(&greatest, &max.v.f8, sizeof(a)) == 0 &&
			   gpured_groups_rows(group) == gpured_grouped_rows(g, want);
	}
	gpured_grouped_free(g);
	return good;
}

static cudaError_t
add(const BenchData &data, const void *values, int key_size, uint32_t ngroups, cudaStream_t stream)
{
	GpuredGroupsColumn key = {(const char *) values + 8 * data.n, nullptr};
	GpuredGroupsColumn column = {values, nullptr};

	return (cudaError_t) gpured_launch_groups_add(&groups, &key, &column, data.n, ngroups, stream);
}

static void
grouped(int key_size, uint32_t ngroups)
{
	BenchOperation operation;

	operation.op = "grouped_" + std::to_string(ngroups);
	operation.type = key_size == 4 ? "int4" : "int8";
	operation.is_float = true;
	operation.input_size = 8 + key_size;
	operation.most = (size_t) 1 << 27;
	operation.fill = [=](void *values, size_t n, int kind)
	{
		fill_rows<<<4096, 256>>>((double *) values, (char *) values + 8 * n, key_size, n, ngroups,
								 kind);
		bench_must(cudaGetLastError());
	};
	operation.prepare = [=](const BenchData &data) { prepare(data, key_size, ngroups); };
	operation.check = [=](const BenchData &data, BenchAnswer answer)
	{ return answer != BENCH_EXACT || check(data, key_size); };
	operation.algorithms.push_back(
		{"auto", BENCH_EXACT,
		 [=](const BenchData &data, const void *values, cudaStream_t stream)
		 {
			 cudaError_t error = (cudaError_t) gpured_launch_groups_clear(&groups, false, stream);

			 if (error == cudaSuccess)
				 error = add(data, values, key_size, ngroups, stream);
			 if (error == cudaSuccess)
				 error = (cudaError_t) gpured_launch_groups_emit(&groups, emitted, stream);
			 return error;
		 }});
	operation.algorithms.push_back(
		{"add", BENCH_ANY, [=](const BenchData &data, const void *values, cudaStream_t stream) {
			 return add(data, values, key_size, ngroups, stream);
		 }});
	bench_register(operation);
}

static const BenchRegistration registration(
	[]
	{
		for (int key_size : {4, 8})
			for (uint32_t ngroups : {1, 100, 1000, 100000, 10000000})
				grouped(key_size, ngroups);
	});

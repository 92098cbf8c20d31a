/*
 * kernels.cu
 *	  How fast the kernels are on this GPU, each algorithm beside the others and
 *	  CUB's, on the same data in the same run.
 *
 *	  make bench-kernels CUDA_ARCHS=native && build/bench-kernels [OPTION]...
 *
 * Every answer is compared with the CPU device's before a time is printed, and
 * a wrong one ends the run.  A time is the median of a warm operation between
 * two events; arrays that do not fit the second-level cache together take
 * turns, but for 2^20 values and fewer.  GB/s counts what must be read and
 * written; "of copy" is relative to cudaMemcpy moving as many bytes, "of CUB"
 * is CUB's time over this one.  Launches are counted in a captured graph.
 *
 * The operations are in the other files: see bench.cuh.
 */
#include <algorithm>
#include <cstring>
#include <map>

#include "bench/bench.cuh"
#include "kernels/launch.h"

/* For 2^28 values of 8 bytes. */
static constexpr size_t ARENA = (size_t) 1 << 31;
static constexpr size_t SCRATCH = (size_t) 64 << 20;
static constexpr size_t MOST = (size_t) 1 << 28;

static char *arena;
static char *outputs;
static size_t outputs_size;
static size_t cache_size;
static cudaStream_t stream;
static std::vector<char> host;
static FILE *csv = nullptr;

/* What is asked for; an empty list is everything. */
static std::vector<std::string> ops, types, algorithms;
static std::vector<int> kinds = {DATA_UNIFORM, DATA_NORMAL, DATA_WIDE, DATA_CANCELLING};
static std::vector<size_t> sizes = {(size_t) 1 << 20, (size_t) 1 << 24, MOST};

static std::vector<std::function<void()>> &
registrations()
{
	static std::vector<std::function<void()>> list;

	return list;
}

static std::vector<BenchOperation> operations;

BenchRegistration::BenchRegistration(std::function<void()> describe)
{
	registrations().push_back(describe);
}

void
bench_register(const BenchOperation &operation)
{
	operations.push_back(operation);
}

void
bench_must(cudaError_t error)
{
	if (error != cudaSuccess)
	{
		printf("CUDA: %s\n", cudaGetErrorString(error));
		exit(1);
	}
}

void *
bench_alloc(size_t size)
{
	void *p;

	bench_must(cudaMalloc(&p, size));
	bench_must(cudaMemset(p, 0, size));
	return p;
}

void *
bench_workspace()
{
	static void *workspace = bench_alloc(gpured_workspace_size(MOST));

	return workspace;
}

GpuredAcc *
bench_result()
{
	static GpuredAcc *result = (GpuredAcc *) bench_alloc(sizeof(GpuredAcc));

	return result;
}

void *
bench_scratch(size_t *size)
{
	static void *scratch = bench_alloc(SCRATCH);

	*size = SCRATCH;
	return scratch;
}

/* Median time in seconds of run(turn). */
template <class Run>
static double
time_of(Run run)
{
	constexpr int RUNS = 15;
	static cudaEvent_t begin[RUNS], end[RUNS];
	std::vector<float> ms(RUNS);

	if (begin[0] == nullptr)
		for (int i = 0; i < RUNS; i++)
		{
			bench_must(cudaEventCreate(&begin[i]));
			bench_must(cudaEventCreate(&end[i]));
		}
	for (int i = 0; i < 3; i++)
		bench_must(run(i));
	for (int i = 0; i < RUNS; i++)
	{
		bench_must(cudaEventRecord(begin[i], stream));
		bench_must(run(i));
		bench_must(cudaEventRecord(end[i], stream));
	}
	bench_must(cudaStreamSynchronize(stream));
	for (int i = 0; i < RUNS; i++)
		bench_must(cudaEventElapsedTime(&ms[i], begin[i], end[i]));
	std::sort(ms.begin(), ms.end());
	return ms[RUNS / 2] * 1e-3;
}

/* Seconds that a copy takes which reads and writes as many bytes together. */
static double
time_of_copy(size_t bytes)
{
	static std::map<size_t, double> known;
	const size_t half = std::max<size_t>(std::min(bytes / 2, ARENA / 2), 16);
	auto found = known.find(half);

	if (found == known.end())
		found = known
					.insert({half, time_of(
									   [&](int) {
										   return cudaMemcpyAsync(outputs, arena, half,
																  cudaMemcpyDeviceToDevice, stream);
									   })})
					.first;
	return found->second * (double) bytes / (double) (2 * half);
}

/* Kernels, copies and fills that an operation puts on the stream. */
template <class Run>
static size_t
count_launches(Run run)
{
	cudaGraph_t graph;
	size_t count = 0;

	bench_must(cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed));
	bench_must(run(0));
	bench_must(cudaStreamEndCapture(stream, &graph));
	bench_must(cudaGraphGetNodes(graph, nullptr, &count));
	bench_must(cudaGraphDestroy(graph));
	return count;
}

/* Copies of the data that take turns, so that the cache does not hold them. */
static BenchData
prepare(const BenchOperation &operation, size_t n, int kind)
{
	const size_t bytes = n * operation.input_size;
	BenchData data = {};

	data.n = n;
	data.kind = kind;
	data.stride = (bytes + 255) / 256 * 256;
	data.values = arena;
	data.out = outputs;
	if (n > (size_t) 1 << 20)
		data.copies = (int) std::min(ARENA / data.stride, 2 * cache_size / data.stride + 2);
	data.copies = std::max(data.copies, 1);
	for (int i = 0; i < data.copies; i++)
		operation.fill(arena + (size_t) i * data.stride, n, kind);
	bench_must(cudaDeviceSynchronize());
	host.resize(std::max(host.size(), bytes));
	bench_must(cudaMemcpy(host.data(), arena, bytes, cudaMemcpyDefault));
	data.host = host.data();
	if (operation.prepare)
		operation.prepare(data);
	return data;
}

static bool
is_wanted(const std::vector<std::string> &list, const std::string &name)
{
	return list.empty() || std::find(list.begin(), list.end(), name) != list.end();
}

static std::string
size_name(size_t n)
{
	int log2 = 0;

	while ((size_t) 1 << log2 < n)
		log2++;
	return (size_t) 1 << log2 == n ? "2^" + std::to_string(log2) : std::to_string(n);
}

static void
run_algorithm(const BenchOperation &operation, const BenchAlgorithm &algorithm,
			  const BenchData &data, double cub_time)
{
	auto run = [&](int turn) { return algorithm.launch(data, data.turn(turn), stream); };
	const std::string what = operation.op + " " + operation.type;
	const char *kind = operation.is_float ? data_kind_name[data.kind] : "";
	const double bytes = (double) data.n * (double) (operation.input_size + operation.output_size);

	bench_must(run(0));
	bench_must(cudaStreamSynchronize(stream));
	if (!operation.check(data, algorithm.answer))
	{
		printf("%s, %s, %s, n = %zu: WRONG ANSWER\n", what.c_str(), algorithm.name.c_str(), kind,
			   data.n);
		exit(1);
	}

	const double time = algorithm.name == "cub" && cub_time > 0 ? cub_time : time_of(run);
	const double copy = time_of_copy((size_t) bytes);

	printf("%-20s %-11s %-8s %-18s %9.1f us %7.0f GB/s %7.2f", what.c_str(), kind,
		   size_name(data.n).c_str(), algorithm.name.c_str(), time * 1e6, bytes / time * 1e-9,
		   copy / time);
	if (cub_time > 0)
		printf(" %7.2f", cub_time / time);
	else
		printf(" %7s", "-");
	printf(" %8zu  %s\n", count_launches(run),
		   algorithm.answer == BENCH_EXACT     ? "exact, deterministic"
		   : algorithm.answer == BENCH_ROUNDED ? "rounded, deterministic"
											   : "rounded, varies");
	fflush(stdout);
	if (csv != nullptr)
	{
		fprintf(csv, "%s,%s,%s,%zu,%s,%.3f,%.1f,%.3f,%.3f\n", operation.op.c_str(),
				operation.type.c_str(), data_kind_name[data.kind], data.n, algorithm.name.c_str(),
				time * 1e6, bytes / time * 1e-9, copy / time, cub_time > 0 ? cub_time / time : 0.0);
		fflush(csv);
	}
}

static void
run_operation(const BenchOperation &operation, size_t n, int kind)
{
	const BenchData data = prepare(operation, n, kind);
	double cub_time = 0;

	for (const BenchAlgorithm &algorithm : operation.algorithms)
		if (algorithm.name == "cub")
			cub_time =
				time_of([&](int turn) { return algorithm.launch(data, data.turn(turn), stream); });
	for (const BenchAlgorithm &algorithm : operation.algorithms)
		if (is_wanted(algorithms, algorithm.name))
			run_algorithm(operation, algorithm, data, cub_time);
}

/*
 * The command line
 */

static void
usage(FILE *to)
{
	fprintf(
		to,
		"Usage: bench-kernels [OPTION]...\n"
		"\n"
		"Times the kernels of gpured on this GPU.  LIST is a name or several with commas.\n"
		"\n"
		"  --op LIST         operations: sum, max, ... (default all)\n"
		"  --type LIST       types: int4, float8, ... (default all)\n"
		"  --algorithm LIST  algorithms: auto, cub, ... (default all)\n"
		"  --n LIST          sizes: 1000000 or 2^20 (default 2^20,2^24,2^28)\n"
		"  --data LIST       of floats: uniform, normal, wide, cancelling, cents, subnormal, ...\n"
		"                    or all (default the first four)\n"
		"  --quick           leave out 2^28\n"
		"  --csv FILE        write the figures there too, for bench/kernels.gp\n"
		"  --list            print what there is\n");
}

static std::vector<std::string>
split(const char *list)
{
	std::vector<std::string> parts(1);

	for (const char *c = list; *c != '\0'; c++)
		if (*c == ',')
			parts.push_back("");
		else
			parts.back() += *c;
	return parts;
}

[[noreturn]] static void
refuse(const std::string &what)
{
	fprintf(stderr, "bench-kernels: %s\n", what.c_str());
	exit(2);
}

static size_t
read_size(const std::string &text)
{
	char *end;
	size_t n;

	if (text.compare(0, 2, "2^") == 0)
	{
		const unsigned long log2 = strtoul(text.c_str() + 2, &end, 10);

		n = log2 < 40 ? (size_t) 1 << log2 : 0;
	}
	else
		n = strtoull(text.c_str(), &end, 10);
	if (*end != '\0' || n < 1 || n > MOST)
		refuse("a size must be between 1 and 2^28, not " + text);
	return n;
}

static int
read_kind(const std::string &text)
{
	for (int kind = 0; kind < DATA_KINDS; kind++)
		if (text == data_kind_name[kind])
			return kind;
	refuse("there is no data of kind " + text);
}

static void
list_operations()
{
	for (const BenchOperation &operation : operations)
	{
		printf("%s %s:", operation.op.c_str(), operation.type.c_str());
		for (const BenchAlgorithm &algorithm : operation.algorithms)
			printf(" %s", algorithm.name.c_str());
		printf("\n");
	}
}

static void
read_arguments(int argc, char **argv)
{
	for (int i = 1; i < argc; i++)
	{
		const std::string option = argv[i];

		if (option == "--help")
		{
			usage(stdout);
			exit(0);
		}
		if (option == "--quick")
		{
			sizes = {(size_t) 1 << 20, (size_t) 1 << 24};
			continue;
		}
		if (option == "--list")
		{
			list_operations();
			exit(0);
		}
		if (i + 1 == argc)
		{
			usage(stderr);
			exit(2);
		}

		const std::vector<std::string> values = split(argv[++i]);

		if (option == "--op")
			ops = values;
		else if (option == "--type")
			types = values;
		else if (option == "--algorithm")
			algorithms = values;
		else if (option == "--n")
		{
			sizes.clear();
			for (const std::string &value : values)
				sizes.push_back(read_size(value));
		}
		else if (option == "--data")
		{
			kinds.clear();
			for (int kind = 0; kind < DATA_KINDS && values[0] == "all"; kind++)
				kinds.push_back(kind);
			for (const std::string &value : values)
				if (values[0] != "all")
					kinds.push_back(read_kind(value));
		}
		else if (option == "--csv")
		{
			csv = fopen(argv[i], "w");
			if (csv == nullptr)
				refuse("could not write " + values[0]);
			fprintf(csv, "op,type,data,n,algorithm,us,GB/s,of copy,of CUB\n");
		}
		else
		{
			usage(stderr);
			exit(2);
		}
	}
}

int
main(int argc, char **argv)
{
	cudaDeviceProp device;
	size_t runs = 0;

	for (auto &describe : registrations())
		describe();
	std::stable_sort(operations.begin(), operations.end(),
					 [](const BenchOperation &a, const BenchOperation &b) { return a.op < b.op; });
	read_arguments(argc, argv);

	bench_must(cudaGetDeviceProperties(&device, 0));
	bench_must(cudaStreamCreate(&stream));
	cache_size = (size_t) device.l2CacheSize;
	printf("%s, %d multiprocessors, %zu MB of second-level cache\n", device.name,
		   device.multiProcessorCount, cache_size >> 20);

	outputs_size = ARENA / 2;
	for (const BenchOperation &operation : operations)
		outputs_size = std::max(outputs_size, operation.most * operation.output_size);
	arena = (char *) bench_alloc(ARENA);
	outputs = (char *) bench_alloc(outputs_size);

	for (size_t n : sizes)
	{
		printf("\n%-20s %-11s %-8s %-18s %12s %12s %7s %7s %8s  %s\n", "operation", "data", "n",
			   "algorithm", "time", "speed", "of copy", "of CUB", "launches", "answer");
		for (const BenchOperation &operation : operations)
			for (int kind : operation.is_float ? kinds : std::vector<int>{DATA_UNIFORM})
				if (is_wanted(ops, operation.op) && is_wanted(types, operation.type) &&
					n <= operation.most)
				{
					run_operation(operation, n, kind);
					runs++;
				}
	}
	if (csv != nullptr && fclose(csv) != 0)
		refuse("could not write the figures");
	if (runs == 0)
		refuse("nothing fits these options; --list prints what there is");
	return 0;
}

/*
 * kernels_segmented.cu
 *	  Sums and prefix sums of segments in the kernels' benchmark: of a few values
 *	  each, of a thousand, and one of all.
 *
 * CUB's float sums are not exact, and its integer sums are of 64 bits, ours of
 * int8 of 128.  Its prefix sums are told the segments by a key for each value.
 */
#include <algorithm>

#include <cub/cub.cuh>

#include "bench/bench.cuh"
#include "kernels/exact_segmented.cuh"
#include "kernels/segmented.cuh"

/* Beyond it segments are not compared: the reference takes its time. */
static constexpr size_t MOST_CHECKED = (size_t) 1 << 22;

/* Segments have up to twice so many values, or all of them. */
static std::vector<uint64_t>
make_offsets(size_t n, size_t average)
{
	std::vector<uint64_t> offset(1, 0);

	if (average > 0)
		for (size_t at = 0, i = 0; (at += data_hash(i++) % (2 * average + 1)) < n;)
			offset.push_back(at);
	offset.push_back(n);
	return offset;
}

/* What the operation of one type and average length keeps. */
struct Segments
{
	std::vector<uint64_t> offset;
	uint64_t *device = nullptr; /* room for the offsets of the largest n */
	unsigned char *work = nullptr;
	size_t room = 0, work_room = 0;

	size_t count() const { return offset.size() - 1; }

	void prepare(size_t n, size_t average, size_t work_size)
	{
		offset = make_offsets(n, average);
		if (offset.size() > room)
		{
			room = offset.size();
			device = (uint64_t *) bench_alloc(room * sizeof(uint64_t));
		}
		bench_must(
			cudaMemcpy(device, offset.data(), offset.size() * sizeof(uint64_t), cudaMemcpyDefault));
		if (work_size > work_room)
		{
			work_room = work_size;
			work = (unsigned char *) bench_alloc(work_room);
		}
	}
};

static size_t
blocks_of(size_t n, const Segments &s)
{
	return tiles_of(n + s.count(), SEGMENTED_TILE);
}

/* Sums of integers: into 128 bits. */
struct IntegerSum
{
	typedef GpuredInt128 Out;

	static size_t most_parts(size_t path)
	{
		return std::max(tiles_of(path, SEGMENTED_TILE), tiles_of(path, segmented_part(path)));
	}
	static size_t workspace(size_t n, size_t segments)
	{
		return most_parts(n + segments) *
			   (sizeof(SegmentedState<Out>) + sizeof(Out) + sizeof(uint64_t));
	}
	static cudaError_t launch(const int64_t *values, size_t n, const Segments &s, void *out,
							  cudaStream_t stream, SegmentedWay way)
	{
		typedef ArrayItems<SumInt128, Out> Items;
		const size_t blocks = blocks_of(n, s);
		const size_t most = most_parts(n + s.count());
		SegmentedWork<Out> work;
		Items items = {values, static_cast<Out *>(out)};

		work.open = (SegmentedState<Out> *) s.work;
		work.ended = (Out *) (work.open + most);
		work.first = (uint64_t *) (work.ended + most);
		if (way == SEGMENTED_BY_WARPS || (way == SEGMENTED_AUTO && n / s.count() >= SEGMENTED_LONG))
		{
			segmented_warps_launch<SumInt128, OperatorSum<SumInt128>>(items, n, s.device, s.count(),
																	  work, stream);
			return cudaGetLastError();
		}
		LAUNCH((segmented_reduce<SumInt128, Items>), blocks, SEGMENTED_THREADS, 0, stream, items, n,
			   s.device, s.count(), work);
		LAUNCH(segmented_open<SumInt128>, 1, 512, 0, stream, work.open, blocks);
		LAUNCH((segmented_close<SumInt128, Items>), tiles_of(blocks, 256), 256, 0, stream, items,
			   work, blocks);
		return cudaGetLastError();
	}
	static bool right(const int64_t *values, size_t n, Out got)
	{
		__int128 sum = 0;

		for (size_t i = 0; i < n; i++)
			sum += values[i];
		return got.lo == (uint64_t) sum && got.hi == (int64_t) (sum >> 64);
	}
};

/* Sums of floats: exact. */
template <class T>
struct FloatSum
{
	typedef T Out;

	static size_t workspace(size_t n, size_t segments)
	{
		return exact_segmented_workspace(n, segments);
	}
	static cudaError_t launch(const T *values, size_t n, const Segments &s, void *out,
							  cudaStream_t stream, SegmentedWay way)
	{
		return (cudaError_t) exact_segmented_sum(values, n, s.device, s.count(),
												 static_cast<T *>(out), s.work, stream, way);
	}
	static bool right(const T *values, size_t n, T got)
	{
		GpuredExact sum;
		double wide;
		float narrow;

		gpured_exact_init(&sum);
		for (size_t i = 0; i < n; i++)
			gpured_exact_add(&sum, (double) values[i]);
		(void) gpured_exact_to_double(&sum, &wide);
		(void) gpured_exact_to_float(&sum, &narrow);
		return got == (sizeof(T) == 4 ? (T) narrow : (T) wide);
	}
};

template <class T, class Sum>
static void
segmented(const char *type, const char *name, size_t average)
{
	Segments *s = new Segments();
	BenchOperation operation;

	operation.op = name;
	operation.type = type;
	operation.is_float = T(0.5) != 0;
	operation.input_size = sizeof(T);
	operation.output_size = sizeof(typename Sum::Out);
	operation.fill = bench_fill<T>;
	operation.prepare = [=](const BenchData &data)
	{
		/* Never more segments than there are values, so that the results have room. */
		s->prepare(data.n, average, Sum::workspace(data.n, data.n));
	};
	operation.check = [=](const BenchData &data, BenchAnswer answer)
	{
		const T *values = (const T *) data.host;
		std::vector<typename Sum::Out> got(s->count());

		if (answer != BENCH_EXACT || (average == 0 && data.n > MOST_CHECKED))
			return true;
		bench_must(
			cudaMemcpy(got.data(), data.out, got.size() * sizeof(got[0]), cudaMemcpyDefault));
		for (size_t i = 0; i < got.size() && s->offset[i] < MOST_CHECKED; i++)
			if (s->offset[i + 1] > s->offset[i] &&
				!Sum::right(values + s->offset[i], s->offset[i + 1] - s->offset[i], got[i]))
				return false;
		return true;
	};
	for (SegmentedWay way : {SEGMENTED_AUTO, SEGMENTED_BY_PATH, SEGMENTED_BY_WARPS})
		operation.algorithms.push_back(
			{way == SEGMENTED_AUTO      ? "auto"
			 : way == SEGMENTED_BY_PATH ? "path"
										: "warps",
			 BENCH_EXACT, [=](const BenchData &data, const void *values, cudaStream_t stream) {
				 return Sum::launch((const T *) values, data.n, *s, data.out, stream, way);
			 }});
	operation.algorithms.push_back(
		{"cub", BENCH_ROUNDED,
		 [=](const BenchData &data, const void *values, cudaStream_t stream)
		 {
			 size_t size;
			 void *scratch = bench_scratch(&size);

			 return cub::DeviceSegmentedReduce::Sum(scratch, size, (const T *) values,
													(T *) data.out, s->count(), s->device,
													s->device + 1, stream);
		 }});
	bench_register(operation);
}

/* The number of each value's segment. */
static __global__ void
fill_keys(uint32_t *key, size_t n, const uint64_t *offset, size_t segments)
{
	for (size_t i = blockIdx.x * (size_t) blockDim.x + threadIdx.x; i < n;
		 i += (size_t) gridDim.x * blockDim.x)
		key[i] = (uint32_t) segment_of(offset, segments, i);
}

/* Exact prefix sums of floats. */
template <class T>
static void
segmented_scan(const char *type, const char *name, size_t average)
{
	Segments *s = new Segments();
	uint32_t **keys = new uint32_t *(nullptr);
	size_t *num_keys = new size_t(0);
	BenchOperation operation;

	operation.op = name;
	operation.type = type;
	operation.is_float = true;
	operation.input_size = sizeof(T);
	operation.output_size = sizeof(T);
	operation.most = (size_t) 1 << 26;
	operation.fill = bench_fill<T>;
	operation.prepare = [=](const BenchData &data)
	{
		s->prepare(data.n, average, exact_segmented_workspace(data.n, data.n));
		if (data.n > *num_keys)
		{
			*keys = (uint32_t *) bench_alloc(data.n * sizeof(uint32_t));
			*num_keys = data.n;
		}
		fill_keys<<<4096, 256>>>(*keys, data.n, s->device, s->count());
		bench_must(cudaGetLastError());
	};
	operation.check = [=](const BenchData &data, BenchAnswer answer)
	{
		const T *values = (const T *) data.host;
		const size_t most = std::min(data.n, MOST_CHECKED);
		std::vector<T> want(most), got(most);

		if (answer != BENCH_EXACT)
			return true;
		bench_must(cudaMemcpy(got.data(), data.out, most * sizeof(T), cudaMemcpyDefault));
		for (size_t i = 0; i < s->count() && s->offset[i] < most; i++)
		{
			const size_t begin = s->offset[i], end = std::min<size_t>(s->offset[i + 1], most);
			const GpuredBatch batch = {values + begin, end - begin};
			const GpuredOp op = sizeof(T) == 4 ? GPURED_scan_sum_float4 : GPURED_scan_sum_float8;
			GpuredAcc carry;

			gpured_acc_init(op, &carry);
			if (end > begin)
				gpured_cpu_device.scan(op, &batch, &carry, want.data() + begin);
		}
		return memcmp(want.data(), got.data(), most * sizeof(T)) == 0;
	};
	operation.algorithms.push_back(
		{"auto", BENCH_EXACT,
		 [=](const BenchData &data, const void *values, cudaStream_t stream)
		 {
			 return (cudaError_t) exact_segmented_scan((const T *) values, data.n, s->device,
													   s->count(), (T *) data.out, s->work, stream);
		 }});
	operation.algorithms.push_back(
		{"cub", BENCH_ROUNDED,
		 [=](const BenchData &data, const void *values, cudaStream_t stream)
		 {
			 size_t size;
			 void *scratch = bench_scratch(&size);

			 return cub::DeviceScan::InclusiveSumByKey(scratch, size, *keys, (const T *) values,
													   (T *) data.out, data.n,
													   ::cuda::std::equal_to<>(), stream);
		 }});
	bench_register(operation);
}

static const BenchRegistration segments(
	[]
	{
		static const struct
		{
			const char *name;
			size_t average;
		} kind[] = {{"segmented_sum_4", 4}, {"segmented_sum_1000", 1000}, {"segmented_sum_one", 0}},
		  scan[] = {
			  {"segmented_scan_4", 4}, {"segmented_scan_1000", 1000}, {"segmented_scan_one", 0}};

		for (const auto &k : kind)
		{
			segmented<int64_t, IntegerSum>("int8", k.name, k.average);
			segmented<double, FloatSum<double>>("float8", k.name, k.average);
			segmented<float, FloatSum<float>>("float4", k.name, k.average);
		}
		for (const auto &k : scan)
		{
			segmented_scan<double>("float8", k.name, k.average);
			segmented_scan<float>("float4", k.name, k.average);
		}
	});

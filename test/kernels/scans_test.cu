/*
 * scans_test.cu
 *	  Every scan of kernels/ against plain references: each algorithm, operators
 *	  that do not commute, segments of all lengths, sizes around the edges of
 *	  tiles.
 *
 * See program.h for how it is compiled and called.
 */
#include <algorithm>
#include <string>
#include <vector>

#include "kernels/block_scan_blelloch.cuh"
#include "kernels/block_scan_hillis_steele.cuh"
#include "kernels/exact_ring.cuh"
#include "kernels/exact_segmented.cuh"
#include "kernels/launch.h"
#include "kernels/launch_ring.cuh"
#include "kernels/scan.cuh"
#include "kernels/scan_lookback.cuh"
#include "kernels/segmented.cuh"
#include "test/kernels/data.h"
#include "test/kernels/memory.h"
#include "test/kernels/program.h"
#include "test/kernels/reference.h"

static void
report(bool ok, const char *what, const char *kind, size_t n, size_t where)
{
	count_test(ok, "%s, %s, n = %zu, at %zu", what, kind, n, where);
}

/*
 * An operator that does not commute: maps x -> a x + b, one after the other.
 */
struct Affine
{
	uint32_t a, b;

	bool operator!=(const Affine &other) const { return a != other.a || b != other.b; }
};

struct ComposeAffine
{
	typedef uint32_t Value;
	typedef Affine State;

	static __host__ __device__ __forceinline__ State identity() { return State{1, 0}; }
	static __host__ __device__ __forceinline__ Value neutral() { return 1u << 16; }
	static __host__ __device__ __forceinline__ State lift(Value v)
	{
		return State{v >> 16, v & 0xffff};
	}
	static __host__ __device__ __forceinline__ State combine(State f, State g)
	{
		return State{f.a * g.a, f.b * g.a + g.b};
	}
	static __host__ __device__ __forceinline__ State load(const GpuredAcc *acc)
	{
		return State{(uint32_t) acc->v.i64, (uint32_t) (acc->v.i64 >> 32)};
	}
	static __host__ __device__ __forceinline__ void store(GpuredAcc *acc, State s)
	{
		acc->v.i64 = (int64_t) ((uint64_t) s.b << 32 | s.a);
	}
};

/* The host's own sums, for references. */
template <class Op>
struct Plain;

template <>
struct Plain<ComposeAffine> : ComposeAffine
{
};

template <class T>
struct Plain<SumInt64<T>>
{
	static int64_t identity() { return 0; }
	static int64_t lift(T v) { return v; }
	static int64_t combine(int64_t a, int64_t b) { return a + b; }
	static void store(GpuredAcc *acc, int64_t s) { acc->v.i64 = s; }
	static int64_t load(const GpuredAcc *acc) { return acc->v.i64; }
};

template <>
struct Plain<SumInt128>
{
	typedef GpuredInt128 State;

	static __int128 wide(State s)
	{
		return (__int128) (((unsigned __int128) (uint64_t) s.hi << 64) | s.lo);
	}
	static State narrow(__int128 s) { return State{(uint64_t) s, (int64_t) (s >> 64)}; }
	static State identity() { return State{0, 0}; }
	static State lift(int64_t v) { return narrow(v); }
	static State combine(State a, State b)
	{
		return narrow((__int128) ((unsigned __int128) wide(a) + (unsigned __int128) wide(b)));
	}
	static void store(GpuredAcc *acc, State s) { acc->v.i128 = s; }
	static State load(const GpuredAcc *acc) { return acc->v.i128; }
};

static bool
same(const Affine &a, const Affine &b)
{
	return !(a != b);
}
static bool
same(int64_t a, int64_t b)
{
	return a == b;
}
static bool
same(GpuredInt128 a, GpuredInt128 b)
{
	return a.lo == b.lo && a.hi == b.hi;
}
static bool
same(double a, double b)
{
	return same_float(a, b);
}
static bool
same(float a, float b)
{
	return same((double) a, (double) b);
}

template <class T>
static std::vector<T>
make(int kind, size_t n)
{
	return data_values<T>(kind, n);
}

/* Any bits that are not all alike. */
template <>
std::vector<uint32_t>
make<uint32_t>(int kind, size_t n)
{
	std::vector<uint32_t> x(n);

	for (size_t i = 0; i < n; i++)
		x[i] = (uint32_t) data_hash(i + (size_t) kind * 1000003);
	return x;
}

/* "got" against the scan of x from "first". */
template <class Op>
static void
compare(const char *what, const std::vector<typename Op::Value> &x,
		const std::vector<typename Op::State> &got, typename Op::State first, bool exclusive)
{
	typename Op::State sum = first;
	size_t i = 0;

	for (; i < x.size(); i++)
	{
		const typename Op::State after = Plain<Op>::combine(sum, Plain<Op>::lift(x[i]));

		if (!same(got[i], exclusive ? sum : after))
			break;
		sum = after;
	}
	report(i == x.size(), what, "scan", x.size(), i);
}

/*
 * Blocks
 */
template <class Op, int THREADS>
__global__ void
run_hillis_steele(const typename Op::Value *x, typename Op::State *out)
{
	typedef HillisSteeleShared<Op, THREADS> Shared;
	SHARED(Shared, shared);

	out[threadIdx.x] = block_scan_hillis_steele<Op, THREADS>(shared, Op::lift(x[threadIdx.x]));
}

template <class Op, int THREADS>
__global__ void
run_blelloch(const typename Op::Value *x, typename Op::State *out, typename Op::State *all)
{
	typedef BlellochShared<Op, THREADS> Shared;
	typedef typename Op::State State;
	SHARED(Shared, shared);

	for (int i = threadIdx.x; i < 2 * THREADS; i += THREADS)
		shared.value[Shared::place(i)] = Op::lift(x[i]);

	const State sum = block_scan_blelloch<Op, THREADS>(shared);

	for (int i = threadIdx.x; i < 2 * THREADS; i += THREADS)
		out[i] = shared.value[Shared::place(i)];
	if (threadIdx.x == 0)
		*all = sum;
}

template <class Op>
__global__ void
run_warps(const typename Op::Value *x, typename Op::State *out, typename Op::State *all)
{
	typedef typename Op::State State;
	SHARED(BlockScanShared<Op>, shared);
	State sum;

	out[threadIdx.x] = block_scan_exclusive<Op>(shared, Op::lift(x[threadIdx.x]), &sum);
	if (threadIdx.x == 0)
		*all = sum;
}

template <class Op, int THREADS>
static void
test_block()
{
	typedef typename Op::Value Value;
	typedef typename Op::State State;
	const std::vector<Value> x = make<Value>(0, 2 * THREADS);
	const std::vector<Value> half(x.begin(), x.begin() + THREADS);
	DeviceArray<Value> values(x);
	DeviceArray<State> out(THREADS), out2(2 * THREADS), all(1);
	Value *v = values.data;
	State *o = out.data, *o2 = out2.data, *a = all.data;

	LAUNCH((run_hillis_steele<Op, THREADS>), 1, THREADS, 0, 0, v, o);
	finish_launches();
	compare<Op>("block_scan_hillis_steele", half, out.get(), Op::identity(), false);
	LAUNCH((run_blelloch<Op, THREADS>), 1, THREADS, 0, 0, v, o2, a);
	finish_launches();
	compare<Op>("block_scan_blelloch", x, out2.get(), Op::identity(), true);
	LAUNCH(run_warps<Op>, 1, THREADS, 0, 0, v, o, a);
	finish_launches();
	compare<Op>("block_scan_exclusive", half, out.get(), Op::identity(), true);
}

/*
 * Grids, by any operator
 */
template <class Op, bool EXCLUSIVE, class Items>
static void
run_lookback(Items items, size_t n, typename Op::State first)
{
	typedef typename Op::State State;
	const size_t num = tiles_of(n, LOOKBACK_TILE);
	DeviceArray<uint32_t> ticket(1), status(num);
	DeviceArray<State> sum(num), prefix(num);
	LookBackTiles<State> tiles = {ticket.data, status.data, sum.data, prefix.data};

	ticket.clear();
	status.clear();
	LAUNCH((scan_lookback<Op, EXCLUSIVE, Items>), num, LOOKBACK_THREADS, 0, 0, items, n, first,
		   tiles);
	finish_launches();
}

template <class Op>
static void
test_grid(size_t n)
{
	typedef typename Op::Value Value;
	typedef typename Op::State State;
	typedef ScanByOperator<Op, State, 64, 32 / sizeof(Value) * 3 / 2, 5, 3> Ring;
	typedef ScanByOperator<Op, State, 64, 32 / sizeof(Value) * 3 / 2, 5, 3, true> RingExclusive;
	const std::vector<Value> x = make<Value>(1, n);
	DeviceArray<Value> values(x);
	DeviceArray<State> out(n, RESULTS);
	const State first = Plain<Op>::lift(x[n / 2]);
	ArrayItems<Op, State> items = {values.data, out.data};

	run_lookback<Op, false>(items, n, first);
	compare<Op>("scan_lookback", x, out.get(), first, false);
	run_lookback<Op, true>(items, n, first);
	compare<Op>("scan_lookback, exclusive", x, out.get(), first, true);

	/* Three launches and the ring take the start from an accumulator. */
	GpuredAcc start = {};
	Value *v = values.data;
	State *o = out.data;

	Plain<Op>::store(&start, first);
	{
		DeviceArray<GpuredAcc> carry(std::vector<GpuredAcc>(1, start));
		const size_t num = tiles_of(n, SCAN_TILE<Value>);
		DeviceArray<State> totals(num);
		GpuredAcc *c = carry.data;
		State *t = totals.data;

		LAUNCH(scan_tile_totals<Op>, num, SCAN_THREADS, 0, 0, v, n, t);
		LAUNCH(scan_totals<Op>, 1, 64, 0, 0, t, num, c);
		LAUNCH((scan_tiles<Op, State>), num, SCAN_THREADS, 0, 0, v, n, t, o);
		finish_launches();
		compare<Op>("three launches", x, out.get(), first, false);
		LAUNCH((scan_tiles<Op, State, true>), num, SCAN_THREADS, 0, 0, v, n, t, o);
		finish_launches();
		compare<Op>("three launches, exclusive", x, out.get(), first, true);
	}
	if (ring_shape<Ring>().blocks > 0)
	{
		DeviceArray<GpuredAcc> carry(std::vector<GpuredAcc>(1, start));
		DeviceArray<TileWord> words(tiles_of(n, RING_TILE<Ring>) * Ring::LINE);
		State end = first;
		GpuredAcc *c = carry.data;

		for (Value each : x)
			end = Plain<Op>::combine(end, Plain<Op>::lift(each));
		must(ring_launch<Ring>(v, n, o, words.data, c, 0));
		finish_launches();
		compare<Op>("scan_ring", x, out.get(), first, false);
		carry.set(start);
		must(ring_launch<RingExclusive>(v, n, o, words.data, c, 0));
		finish_launches();
		compare<Op>("scan_ring, exclusive", x, out.get(), first, true);
		start = carry.get()[0];
		report(same(Plain<Op>::load(&start), end), "scan_ring", "the carry", n, n);
	}
}

/*
 * Segments
 */
enum SegmentKind
{
	SEGMENTS_ONE,
	SEGMENTS_SINGLES,
	SEGMENTS_EMPTY, /* and one that has all */
	SEGMENTS_TINY,
	SEGMENTS_MIXED,
	SEGMENTS_LONG,
	SEGMENT_KINDS
};

static const char *const segment_kind_name[SEGMENT_KINDS] = {"one",  "singles", "empty",
															 "tiny", "mixed",   "long"};

static std::vector<uint64_t>
make_segments(int kind, size_t n)
{
	std::vector<uint64_t> offset(1, 0);

	switch (kind)
	{
		case SEGMENTS_ONE:
			break;
		case SEGMENTS_SINGLES:
			for (size_t i = 1; i < n; i++)
				offset.push_back(i);
			break;
		case SEGMENTS_EMPTY:
			offset.insert(offset.end(), 2 * n + 1500, 0);
			offset.insert(offset.end(), n + 1500, n);
			break;
		default:
			for (size_t at = 0, i = 0; at < n; i++)
			{
				const uint64_t h = data_hash(i);
				const size_t length = kind == SEGMENTS_TINY   ? h % 4
									  : kind == SEGMENTS_LONG ? 1500 + h % 9000
									  : h % 5 == 0            ? 0
									  : h % 5 == 1            ? h / 5 % 3000
															  : h / 5 % 30;

				at = std::min(n, at + length);
				offset.push_back(at);
			}
	}
	offset.push_back(n);
	return offset;
}

template <class State>
struct SegmentedBuffers
{
	DeviceArray<SegmentedState<State>> open;
	DeviceArray<State> ended;
	DeviceArray<uint64_t> first;
	size_t blocks;

	explicit SegmentedBuffers(size_t path)
		: open(tiles_of(path, SEGMENTED_TILE)), ended(open.n), first(open.n), blocks(open.n)
	{
	}
	SegmentedWork<State> work() const
	{
		return SegmentedWork<State>{open.data, ended.data, first.data};
	}
};

template <class Op, class Items>
static void
run_segmented_reduce(Items items, size_t n, const uint64_t *offset, size_t segments)
{
	SegmentedBuffers<typename Op::State> buffers(n + segments);
	SegmentedWork<typename Op::State> work = buffers.work();
	const size_t blocks = buffers.blocks;

	LAUNCH((segmented_reduce<Op, Items>), blocks, SEGMENTED_THREADS, 0, 0, items, n, offset,
		   segments, work);
	LAUNCH((segmented_open<Op>), 1, 64, 0, 0, work.open, blocks);
	LAUNCH((segmented_close<Op, Items>), tiles_of(blocks, 64), 64, 0, 0, items, work, blocks);
	finish_launches();
}

/* A commutative operator's results by warps, which must be those by the path. */
template <class Op, class Items>
static typename std::enable_if<std::is_same<Op, ComposeAffine>::value>::type
test_by_warps(const Items &, size_t, const uint64_t *, const std::vector<uint64_t> &,
			  const std::vector<typename Op::State> &)
{
}

template <class Op, class Items>
static typename std::enable_if<!std::is_same<Op, ComposeAffine>::value>::type
test_by_warps(const Items &items, size_t n, const uint64_t *offset,
			  const std::vector<uint64_t> &offsets, const std::vector<typename Op::State> &want)
{
	typedef typename Op::State State;
	const size_t segments = want.size();
	const size_t parts = tiles_of(n + segments, segmented_part(n + segments));
	DeviceArray<SegmentedState<State>> open(parts);
	DeviceArray<State> ended(parts), sums(segments);
	DeviceArray<uint64_t> first(parts);
	const SegmentedWork<State> work = {open.data, ended.data, first.data};
	const Items to = {items.values, sums.data};
	size_t i = 0;

	segmented_warps_launch<Op, OperatorSum<Op>>(to, n, offset, segments, work, 0);
	finish_launches();

	const std::vector<State> got = sums.get();

	while (i < segments && same(got[i], want[i]))
		i++;
	report(i == segments, "segmented_warps", offsets.size() == 2 ? "one" : "segments", n, i);
}

template <class Op>
static void
test_segmented(int kind, size_t n)
{
	typedef typename Op::Value Value;
	typedef typename Op::State State;
	const std::vector<Value> x = make<Value>(1, n);
	const std::vector<uint64_t> offset = make_segments(kind, n);
	const size_t segments = offset.size() - 1;
	DeviceArray<Value> values(x);
	DeviceArray<uint64_t> offsets(offset);
	DeviceArray<State> out(n), sums(segments);
	DeviceArray<uint8_t> starts(n);
	ArrayItems<Op, State> reduce_items = {values.data, sums.data};
	ArrayItems<Op, State> items = {values.data, out.data};
	SegmentedItems<Op, false, ArrayItems<Op, State>> inclusive = {items, starts.data};
	SegmentedItems<Op, true, ArrayItems<Op, State>> exclusive = {items, starts.data};
	uint64_t *o = offsets.data;
	uint8_t *s = starts.data;

	run_segmented_reduce<Op>(reduce_items, n, o, segments);

	const std::vector<State> got = sums.get();

	test_by_warps<Op>(reduce_items, n, o, offset, got);
	starts.clear();
	LAUNCH(segmented_starts, tiles_of(segments, 256), 256, 0, 0, o, segments, s);
	run_lookback<Segmented<Op>, false>(inclusive, n,
									   SegmentedState<State>{Plain<Op>::identity(), 0});

	const std::vector<State> got_inclusive = out.get();

	run_lookback<Segmented<Op>, true>(exclusive, n,
									  SegmentedState<State>{Plain<Op>::identity(), 0});

	const std::vector<State> got_exclusive = out.get();
	size_t wrong = segments, wrong_inclusive = n, wrong_exclusive = n;

	for (size_t i = 0; i < segments; i++)
	{
		State sum = Plain<Op>::identity();

		for (size_t j = offset[i]; j < offset[i + 1]; j++)
		{
			if (!same(sum, got_exclusive[j]))
				wrong_exclusive = std::min(wrong_exclusive, j);
			sum = Plain<Op>::combine(sum, Plain<Op>::lift(x[j]));
			if (!same(sum, got_inclusive[j]))
				wrong_inclusive = std::min(wrong_inclusive, j);
		}
		if (!same(sum, got[i]))
			wrong = std::min(wrong, i);
	}
	report(wrong == segments, "segmented_reduce", segment_kind_name[kind], n, wrong);
	report(wrong_inclusive == n, "segmented scan", segment_kind_name[kind], n, wrong_inclusive);
	report(wrong_exclusive == n, "segmented scan, exclusive", segment_kind_name[kind], n,
		   wrong_exclusive);
}

template <class T>
static void
test_exact_segmented(int kind, const std::vector<T> &x, const char *data)
{
	const size_t n = x.size();
	const std::vector<uint64_t> offset = make_segments(kind, n);
	const size_t segments = offset.size() - 1;
	const char *what = sizeof(T) == 4 ? "exact segmented, float4" : "exact segmented, float8";
	DeviceArray<T> values(x), sums(segments), by_warps(segments), prefixes(n);
	DeviceArray<uint64_t> offsets(offset);
	DeviceArray<unsigned char> work(exact_segmented_workspace(n, segments));
	size_t wrong = segments, wrong_by_warps = segments, wrong_prefix = n;

	must((cudaError_t) exact_segmented_sum<T>(values.data, n, offsets.data, segments, sums.data,
											  work.data, 0, SEGMENTED_BY_PATH));
	must((cudaError_t) exact_segmented_sum<T>(values.data, n, offsets.data, segments, by_warps.data,
											  work.data, 0, SEGMENTED_BY_WARPS));
	must((cudaError_t) exact_segmented_scan<T>(values.data, n, offsets.data, segments,
											   prefixes.data, work.data, 0));
	finish_launches();

	const std::vector<T> got = sums.get(), got_by_warps = by_warps.get(), prefix = prefixes.get();

	for (size_t i = 0; i < segments; i++)
	{
		Reference sum;
		T want = -T(0);

		for (size_t j = offset[i]; j < offset[i + 1]; j++)
		{
			sum.add(x[j]);
			sum.round_to(&want);
			if (!same(want, prefix[j]))
				wrong_prefix = std::min(wrong_prefix, j);
		}
		if (!same(want, got[i]))
			wrong = std::min(wrong, i);
		if (!same(want, got_by_warps[i]))
			wrong_by_warps = std::min(wrong_by_warps, i);
	}
	report(wrong == segments, what, data, n, wrong);
	report(wrong_by_warps == segments, what, (std::string(data) + ", by warps").c_str(), n,
		   wrong_by_warps);
	report(wrong_prefix == n, what, (std::string(data) + ", prefixes").c_str(), n, wrong_prefix);
}

/*
 * Exact prefix sums: each algorithm against the reference
 */
typedef int (*LaunchBy)(const void *, size_t, void *, GpuredAcc *, void *, cudaStream_t,
						GpuredScanAlgorithm);

template <class T>
static void
test_exact(const char *what, LaunchBy launch, GpuredScanAlgorithm algorithm,
		   const std::vector<T> &x, const char *kind, const Reference &first)
{
	const size_t n = x.size();
	DeviceArray<T> values(x), out(n, RESULTS);
	void *work = workspace(n);
	GpuredAcc start = {};
	Reference sum = first, end;
	size_t i = 0;

	first.store(&start.v.exact);

	DeviceArray<GpuredAcc> carry(std::vector<GpuredAcc>(1, start));
	int error = launch(values.data, n, work, carry.data, out.data, 0, algorithm);

	if (error != 0)
	{
		report(false, what, cudaGetErrorString((cudaError_t) error), n, 0);
		return;
	}
	finish_launches();

	i = reference_prefixes(&sum, x.data(), n, out.get().data());
	report(i == n, what, kind, n, i);
	if (i < n)
		return;
	start = carry.get()[0];
	end.load(&start.v.exact);
	report(end.same(sum), what, "the carry", n, n);
}

/*
 * Halves of a unit in the last place, and just beside them, some of them by far less than
 * any digits but limbs hold; sums that leave the range and come back.
 */
template <class T>
static std::vector<T>
make_ties(size_t n)
{
	static const double double_step[] = {0x1p-53,  0x1p-106, -0x1p-106, 0x1p-53,
										 -0x1p-53, 0x1p-160, -0x1p-160, 0x1p-52};
	static const double float_step[] = {0x1p-24,  0x1p-50,  -0x1p-50,  0x1p-24,
										-0x1p-24, 0x1p-140, -0x1p-140, 0x1p-23};
	std::vector<T> x(n);

	for (size_t i = 0; i < n; i++)
		x[i] =
			i % 401 == 0 ? T(1) : (T) (sizeof(T) == 4 ? float_step : double_step)[data_hash(i) % 8];
	return x;
}

static std::vector<double>
make_overflow(size_t n)
{
	std::vector<double> x(n);

	for (size_t i = 0; i < n; i++)
		x[i] = i % 4 < 2 ? 0x1.fp1023 : -0x1.fp1023;
	return x;
}

static void
test_all_exact(int seed, size_t n, int kind, int turn)
{
	/* Short arrays go another way by themselves. */
	const bool has_ring = ring_shape<ExactRing<double, 64, 10, 5, 3>>().blocks > 0;

	for (GpuredScanAlgorithm algorithm :
		 {GPURED_SCAN_THREE_LAUNCHES, GPURED_SCAN_RING, GPURED_SCAN_AUTO})
	{
		const char *name8 = algorithm == GPURED_SCAN_AUTO   ? "float8, auto"
							: algorithm == GPURED_SCAN_RING ? "float8, ring"
															: "float8, three launches";
		const char *name4 = algorithm == GPURED_SCAN_AUTO   ? "float4, auto"
							: algorithm == GPURED_SCAN_RING ? "float4, ring"
															: "float4, three launches";

		if (algorithm == GPURED_SCAN_RING && !has_ring)
			continue;
		scheduler(seed * 1000 + (int) n + kind);
		test_exact<double>(name8, gpured_launch_scan_sum_float8_by, algorithm,
						   make<double>(kind, n), data_kind_name[kind], reference_carry(turn));
		test_exact<float>(name4, gpured_launch_scan_sum_float4_by, algorithm, make<float>(kind, n),
						  data_kind_name[kind],
						  reference_carry(turn % 3 == 0   ? 6
										  : turn % 3 == 1 ? 0
														  : 5));
		if (kind == DATA_NORMAL)
		{
			test_exact<double>(name8, gpured_launch_scan_sum_float8_by, algorithm,
							   make_ties<double>(n), "ties", reference_carry(turn));
			test_exact<double>(name8, gpured_launch_scan_sum_float8_by, algorithm, make_overflow(n),
							   "overflow", reference_carry(turn));
		}
	}
}

/* Segments that are longer than tiles, of what digits hold, and of what only limbs do. */
static void
test_long_segments(size_t n)
{
	for (int kind : {SEGMENTS_ONE, SEGMENTS_LONG, SEGMENTS_MIXED})
	{
		test_exact_segmented(kind, make_ties<double>(n), "ties");
		test_exact_segmented(kind, make_overflow(n), "overflow");
		test_exact_segmented(kind, make_ties<float>(n), "ties");
	}
	for (int data : {DATA_WIDE, DATA_BITS, DATA_SPECIAL})
	{
		test_exact_segmented(SEGMENTS_LONG, make<double>(data, n), data_kind_name[data]);
		test_exact_segmented(SEGMENTS_LONG, make<float>(data, n), data_kind_name[data]);
	}
}

#ifndef GPURED_EMULATED
/*
 * More values than 32 bits can count: ones, whose prefixes are their places.
 */
template <class T>
static __global__ void
fill_ones(T *x, size_t n)
{
	for (size_t i = blockIdx.x * (size_t) blockDim.x + threadIdx.x; i < n;
		 i += (size_t) gridDim.x * blockDim.x)
		x[i] = T(1);
}

template <class Out>
static __global__ void
count_wrong(const Out *out, size_t n, unsigned long long *wrong)
{
	for (size_t i = blockIdx.x * (size_t) blockDim.x + threadIdx.x; i < n;
		 i += (size_t) gridDim.x * blockDim.x)
		if (out[i] != (Out) (i + 1))
			atomicAdd(wrong, 1ull);
}

template <class T, class Out>
static void
test_huge(const char *what, LaunchBy launch)
{
	const size_t n = ((size_t) 1 << 31) + 12345;
	size_t available = 0, total = 0;

	must(cudaMemGetInfo(&available, &total));
	if (available < n * (sizeof(T) + sizeof(Out)) + gpured_workspace_size(n) + ((size_t) 1 << 30))
	{
		printf("%s: left out, the card has no room for 2^31 values\n", what);
		return;
	}
	for (GpuredScanAlgorithm algorithm : {GPURED_SCAN_AUTO, GPURED_SCAN_THREE_LAUNCHES})
	{
		DeviceArray<T> values(n);
		DeviceArray<Out> out(n);
		DeviceArray<unsigned char> work(gpured_workspace_size(n));
		DeviceArray<GpuredAcc> carry(1);
		DeviceArray<unsigned long long> wrong(1);

		carry.clear();
		wrong.clear();
		fill_ones<<<4096, 256>>>(values.data, n);
		must((cudaError_t) launch(values.data, n, work.data, carry.data, out.data, 0, algorithm));
		count_wrong<<<4096, 256>>>(out.data, n, wrong.data);
		finish_launches();
		report(wrong.get()[0] == 0, what, "ones", n, 0);
	}
}
#endif

int
main(int argc, char **argv)
{
	const int seeds = read_arguments(argc, argv, 1, 1);
	std::vector<size_t> sizes = {1, 33, 767, 768, 769, 1024, 2305, 5000};

#ifndef GPURED_EMULATED
	if (!small)
		sizes.insert(sizes.end(), {9001, 3840 * 132 + 1, ((size_t) 1 << 20) + 3});
#endif
	for (int seed = 1; seed <= seeds; seed++)
	{
		scheduler(seed);
		test_block<ComposeAffine, 32>();
		test_block<ComposeAffine, 256>();
		test_block<SumInt64<int32_t>, 128>();
		test_block<SumInt128, 64>();
		for (size_t index = 0; index < sizes.size(); index++)
		{
			const size_t n = sizes[index];

			scheduler(seed * 100 + (int) index);
			test_grid<ComposeAffine>(n);
			test_grid<SumInt128>(n);
			test_grid<SumInt64<int16_t>>(n);
			for (int kind = 0; kind < SEGMENT_KINDS; kind++)
			{
				test_segmented<ComposeAffine>(kind, n);
				if (index % 2 == 0)
					test_segmented<SumInt128>(kind, n);
				for (int data = 0; data < DATA_KINDS; data++)
					if ((data + kind + (int) index + seed) % 7 == 0 || (small && data == kind))
					{
						test_exact_segmented(kind, make<double>(data, n), data_kind_name[data]);
						test_exact_segmented(kind, make<float>(data, n), data_kind_name[data]);
					}
			}
			for (int kind = 0; kind < DATA_KINDS; kind++)
				if (n < 40 || (n < 6000 && (kind + (int) index + seed) % 3 == 0) ||
					(kind + (int) index + seed) % 5 == 0)
					test_all_exact(seed, n, kind, kind + (int) index + seed);
		}
		if (!small)
			test_long_segments(13000);
#ifndef GPURED_EMULATED
		if (!small)
			test_long_segments(1000003);
#endif
	}
#ifndef GPURED_EMULATED
	if (!small)
	{
		test_huge<int32_t, int64_t>("int4", gpured_launch_scan_sum_int4_by);
		test_huge<double, double>("float8", gpured_launch_scan_sum_float8_by);
	}
#endif
	return print_counts();
}

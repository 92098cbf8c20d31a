/*
 * exact_scan_short.cuh
 *	  Exact inclusive prefix sums of a short array of float8 or float4, each
 *	  rounded once, for any data, in one launch.
 *
 * All blocks run at the same time, and each has one tile:
 *
 *		load		into shared memory; meanwhile every block makes the same plan
 *					from the same sample, so that none waits for another's
 *		total		each thread cuts its stretch into the digits of exact_digits.cuh, the
 *					block publishes their sum
 *		look back	one warp adds up what all blocks before have published
 *		rescan		each thread goes through its stretch again, from its prefix
 *
 * A tile that the digits do not fit publishes its sum as limbs, too: so what is
 * before any tile is known exactly.  A block whose results are unsure does its tile
 * again from that, with a column of limbs for each of some threads, and so the last
 * block finds the sum of all values.
 *
 * What is published bears the number of the launch.  So nothing has to be cleared,
 * and a block waits for those before it alone.
 */
#ifndef GPURED_EXACT_SCAN_SHORT_CUH
#define GPURED_EXACT_SCAN_SHORT_CUH

#include "exact_ring.cuh"
#include "exact_scan_limbs.cuh"
#include "launch.cuh"
#include "workspace.cuh"

constexpr int SHORT_COLUMNS = 256; /* columns of limbs in a block, at most */
constexpr int SHORT_LOOKS = 1024;  /* values in a sample, about */

/* The emulation has little shared memory, and short arrays are to have many tiles. */
#ifdef GPURED_EMULATED
#define SHORT_SHAPE(threads, vectors) 64, vectors
constexpr int SHORT_LEAST_THREADS = 32;
#else
#define SHORT_SHAPE(threads, vectors) threads, vectors
constexpr int SHORT_LEAST_THREADS = 128; /* fewer blocks are sooner done */
#endif

template <class T, int THREADS_, int VECTORS_>
struct ShortScan
{
	typedef T Value;
	static constexpr int THREADS = THREADS_;
	static constexpr int VECTORS = VECTORS_; /* a thread */
	static constexpr int ITEMS = VECTORS * Vector<T>::LENGTH;
	typedef ExactRing<T, THREADS, ITEMS, 6, 3> Ring;
	static_assert(VECTORS % 2 == 1, "the threads' stretches start at different banks");
};

template <class Scan>
struct ShortShared
{
	typename Scan::Ring::Shared flags;
	ExactRingPlan plan; /* the block's own */
	RingPrepareShared prepare;
	RingState warp_total[WARP]; /* then what is before each warp in the tile */
	RingState total;
	RingState base; /* before the tile */
	uint64_t launch;
	ExactBlock sum;
	ExactTileInfo info;
	int64_t warp_limb[SHORT_COLUMNS / WARP][LIMBS];
	bool as_limbs[SHORT_MOST_BLOCKS];                   /* whether a tile's sum is in limbs alone */
	uint32_t some_as_limbs;                             /* one of those */
	alignas(16) Vector<typename Scan::Value> vector[1]; /* VECTORS for each thread */

	/* Behind the vectors: LIMBS for each column. */
	__device__ __forceinline__ uint64_t *cells()
	{
		return reinterpret_cast<uint64_t *>(vector + (size_t) blockDim.x * Scan::VECTORS);
	}
};

static __host__ __device__ __forceinline__ int
short_columns(int threads)
{
	return threads < SHORT_COLUMNS ? threads : SHORT_COLUMNS;
}

template <class Scan>
static size_t
short_shared(int threads)
{
	typedef ShortShared<Scan> Shared;

	return offsetof(Shared, vector) +
		   (size_t) threads * Scan::VECTORS * sizeof(Vector<typename Scan::Value>) +
		   (size_t) short_columns(threads) * LIMBS * sizeof(uint64_t);
}

/* The number of this launch; the last block to ask makes it another one for the next. */
static __device__ __forceinline__ uint64_t
short_launch_number(ShortScanWorkspace *work, uint64_t drawn)
{
	if ((drawn & (SHORT_MOST_BLOCKS - 1)) == gridDim.x - 1)
		atomicAdd(&work->drawn, (unsigned long long) (SHORT_MOST_BLOCKS - gridDim.x));
	return drawn / SHORT_MOST_BLOCKS + 1;
}

/* A word of this launch: a number, and what else is told. */
static __device__ __forceinline__ TileWord
short_word(uint64_t launch, int64_t number, uint32_t flags)
{
	return TileWord{(uint64_t) number, launch << 8 | flags};
}

static __device__ __forceinline__ bool
short_is_ready(uint64_t launch, TileWord word)
{
	return word.high >> 8 == launch;
}

static __device__ __forceinline__ TileWord
short_wait(uint64_t launch, const TileWord *from)
{
	TileWord word = load_word(from);

	while (!short_is_ready(launch, word))
		word = load_word(from);
	return word;
}

/* The sum of the tile from those of its warps, by one warp; then what is before each of them. */
template <class Scan>
static __device__ __forceinline__ void
short_publish(ShortShared<Scan> &shared, ShortTotal *to)
{
	typedef typename Scan::Ring Ring;
	const int warps = blockDim.x / WARP;
	const RingState mine = lane_id() < warps ? shared.warp_total[lane_id()] : Ring::identity();
	const RingState total = Ring::combine(Ring::gather_warp(mine), Ring::identity());
	RingState before;

	if (lane_id() < RING_DIGITS)
		store_word(&to->digit[lane_id()], short_word(shared.launch,
													 lane_id() == 0   ? total.digit[0]
													 : lane_id() == 1 ? total.digit[1]
																	  : total.digit[2],
													 total.flags));
	before = warp_shuffle_up(Ring::scan_warp(mine), 1);
	if (lane_id() == 0)
	{
		before = Ring::identity();
		shared.flags.flags = total.flags;
		shared.total = total;
	}
	if (lane_id() < warps)
		shared.warp_total[lane_id()] = before;
}

/* What is before this block's tile, by one warp. */
template <class Scan>
static __device__ __forceinline__ void
short_look_back(ShortShared<Scan> &shared, const ShortTotal *totals)
{
	typedef typename Scan::Ring Ring;
	constexpr int AT_ONCE = 5;
	const uint64_t launch = shared.launch;
	RingState sum = Ring::identity();

	for (uint32_t from = lane_id(); from < blockIdx.x; from += WARP * AT_ONCE)
	{
		TileWord word[AT_ONCE][2];

#pragma unroll
		for (int i = 0; i < AT_ONCE; i++)
			if (from + i * WARP < blockIdx.x)
#pragma unroll
				for (int d = 0; d < 2; d++)
					word[i][d] = load_word(&totals[from + i * WARP].digit[d]);
#pragma unroll
		for (int i = 0; i < AT_ONCE; i++)
			if (from + i * WARP < blockIdx.x)
			{
				const TileWord *digit = totals[from + i * WARP].digit;
				RingState s = {{0, 0, 0}, 0, 0};

#pragma unroll
				for (int d = 0; d < 2; d++)
				{
					while (!short_is_ready(launch, word[i][d]))
						word[i][d] = load_word(digit + d);
					s.digit[d] = (int64_t) word[i][d].low;
				}
				s.flags = word[i][0].high & 0xff;
				if ((s.flags & RING_REST) != 0)
					s.digit[2] = (int64_t) short_wait(launch, digit + 2).low;
				sum = Ring::gather(sum, s);
			}
	}
	__syncwarp();
	sum = Ring::advance(shared.plan.carry, Ring::gather_warp(sum));
	if (lane_id() == 0)
		shared.base = sum;
}

/* The sum of this tile as limbs, for all who want it. */
template <class Scan>
static __device__ __noinline__ void
short_publish_limbs(ShortShared<Scan> &shared, ShortTotal *to, int64_t *limb)
{
	const int columns = short_columns(blockDim.x);
	const typename Scan::Value *value = shared.vector[0].value;
	uint64_t *column = shared.cells() + threadIdx.x;

	exact_block_clear(shared.sum);
	__syncthreads();
	if ((int) threadIdx.x < columns)
	{
		exact_limbs_clear(column, columns);
#pragma unroll 1
		for (int i = threadIdx.x; i < (int) blockDim.x * Scan::ITEMS; i += columns)
		{
			const double x = (double) value[i];

			if (exponent_field(x) != SPECIAL_FIELD)
				exact_limbs_add(column, columns, x);
		}
		exact_limbs_flush(column - lane_id(), columns, shared.sum);
	}
	__syncthreads();
	for (int j = threadIdx.x; j < LIMBS; j += blockDim.x)
		limb[j] = exact_block_limb(shared.sum, j);
	__threadfence();
	__syncthreads();
	if (threadIdx.x == 0)
		store_word(&to->limbs, short_word(shared.launch, 0, 0));
}

/* In shared.sum: the carry and the sums of the first so many tiles. */
template <class Scan>
static __device__ __noinline__ void
short_gather(ShortShared<Scan> &shared, const ShortTotal *totals, const int64_t *limbs,
			 uint32_t end)
{
	const uint64_t launch = shared.launch;
	ExactBlock &sum = shared.sum;

	__syncthreads();
	exact_block_clear(sum);
	__syncthreads();
	for (int j = threadIdx.x; j < LIMBS; j += blockDim.x)
		exact_block_add_limb(sum, j, (uint32_t) shared.prepare.limb[j],
							 (uint32_t) (shared.prepare.limb[j] >> 32));
	if (threadIdx.x == 0)
	{
		atomicOr(&sum.flags, shared.plan.carry.flags & (RING_SPECIALS | RING_SEEN));
		shared.some_as_limbs = SHORT_MOST_BLOCKS;
	}
	__syncthreads();

	/* Those that digits say are added here, by a thread each; limbs are waited for. */
	for (uint32_t i = threadIdx.x; i < SHORT_MOST_BLOCKS; i += blockDim.x)
	{
		bool as_limbs = false;

		if (i < end)
		{
			TileWord word[RING_DIGITS];
			uint32_t flags;

#pragma unroll
			for (int d = 0; d < RING_DIGITS; d++)
				word[d] = load_word(&totals[i].digit[d]);
#pragma unroll
			for (int d = 0; d < RING_DIGITS; d++)
				if (!short_is_ready(launch, word[d]))
					word[d] = short_wait(launch, &totals[i].digit[d]);
			flags = word[0].high & 0xff;
			atomicOr(&sum.flags, flags & (RING_SPECIALS | RING_SEEN));
			as_limbs = (flags & (RING_BAD | RING_INEXACT)) != 0;
			if (as_limbs)
				(void) short_wait(launch, &totals[i].limbs);
			else
#pragma unroll
				for (int d = 0; d < RING_DIGITS; d++)
					exact_block_add(sum, (int64_t) word[d].low,
									shared.plan.unit - d * RING_DIGIT_BITS - GPURED_EXACT_BIT0);
		}
		shared.as_limbs[i] = as_limbs;
		if (as_limbs)
			atomicMin(&shared.some_as_limbs, i);
	}
	__threadfence();
	__syncthreads();

	/* The others by limbs: a thread adds up one of them for every so manyth tile. */
	const uint32_t parts = blockDim.x < 2 * LIMBS ? 1 : blockDim.x / LIMBS;

	for (uint32_t k = threadIdx.x; k < parts * LIMBS; k += blockDim.x)
	{
		const uint32_t j = k % LIMBS;
		const uint32_t some = shared.some_as_limbs;
		uint64_t low = 0;
		int64_t high = 0;

		if (some == SHORT_MOST_BLOCKS)
			break;

#pragma unroll 8
		for (uint32_t i = k / LIMBS; i < end; i += parts)
		{
			/* Always a load, so that many are on their way. */
			const bool counts = shared.as_limbs[i];
			int64_t limb = load_fresh(&limbs[(counts ? i : some) * LIMBS + j]);

			limb = counts ? limb : 0;
			low += (uint32_t) limb;
			high += limb >> 32;
		}
		exact_block_add_limb(sum, j, (uint32_t) low, (uint32_t) (low >> 32) + (uint32_t) high);
	}
	__syncthreads();
}

/* Do the tile again, from limbs. */
template <class Scan>
static __device__ __noinline__ void
short_again(ShortShared<Scan> &shared, const ShortTotal *totals, const int64_t *limbs,
			const typename Scan::Value *values, size_t n, typename Scan::Value *out)
{
	const int size = (int) blockDim.x * Scan::ITEMS;
	const size_t start = (size_t) blockIdx.x * size;
	const size_t end = start + size < n ? start + size : n;
	const int columns = short_columns(blockDim.x);
	uint32_t first[FLAGS] = {NOWHERE, NOWHERE, NOWHERE, NOWHERE};
	uint32_t lowest = LIMBS * 32, highest = 0;

	short_gather(shared, totals, limbs, blockIdx.x);
	for (int j = threadIdx.x; j < LIMBS; j += blockDim.x)
		shared.info.limb[j] = exact_block_limb(shared.sum, j);
	if (threadIdx.x == 0)
	{
		shared.info.flags = shared.sum.flags;
		shared.info.lowest = LIMBS * 32;
		shared.info.highest = 0;
	}
	if (threadIdx.x < FLAGS)
		shared.info.first[threadIdx.x] = NOWHERE;
	__syncthreads();
#pragma unroll 1
	for (size_t at = start + threadIdx.x; at < end; at += blockDim.x)
	{
		const double x = (double) values[at];
		const uint32_t flags = (exponent_field(x) == SPECIAL_FIELD ? special_flag(x) : 0) |
							   (not_negative_zero(x) != 0 ? GPURED_EXACT_NOT_NEGZERO : 0);
		int bit;
		const int64_t mantissa = exact_split(x, &bit);

#pragma unroll
		for (int f = 0; f < FLAGS; f++)
			if ((flags >> f & 1) != 0 && first[f] == NOWHERE)
				first[f] = (uint32_t) (at - start);
		if (exponent_field(x) != SPECIAL_FIELD && mantissa != 0)
		{
			lowest = (uint32_t) bit < lowest ? (uint32_t) bit : lowest;
			highest = (uint32_t) bit + 53 > highest ? (uint32_t) bit + 53 : highest;
		}
	}
	__syncwarp();
	lowest = ~warp_max(~lowest);
	highest = warp_max(highest);
#pragma unroll
	for (int f = 0; f < FLAGS; f++)
		first[f] = ~warp_max(~first[f]);
	if (lane_id() == 0)
	{
		atomicMin(&shared.info.lowest, lowest);
		atomicMax(&shared.info.highest, highest);
#pragma unroll
		for (int f = 0; f < FLAGS; f++)
			atomicMin(&shared.info.first[f], first[f]);
	}
	__syncthreads();
	if (threadIdx.x == 0)
		exact_tile_plan(shared.info);
	__syncthreads();
	exact_tile_limbs(
		LimbColumns{shared.cells(), shared.warp_limb, columns, (size + columns - 1) / columns},
		shared.info, values, end, start, start, out);
}

template <class Scan>
__global__ void
__launch_bounds__(Scan::THREADS, 1)
	exact_scan_short(const typename Scan::Value *values, size_t n, ShortScanWorkspace *work,
					 int64_t *limbs, GpuredAcc *carry, typename Scan::Value *out)
{
	typedef typename Scan::Value T;
	typedef typename Scan::Ring Ring;
	typedef ShortShared<Scan> Shared;
	constexpr int LENGTH = Vector<T>::LENGTH;
	constexpr int VECTORS = Scan::VECTORS;
	SHARED_DYNAMIC(Shared, shared);
	const int looks = SHORT_LOOKS / (int) blockDim.x;
	ShortTotal *totals = work->total;
	ShortTotal *mine = &totals[blockIdx.x];
	Vector<T> *vector = shared.vector + (size_t) warp_id() * WARP * VECTORS; /* this warp's */
	const size_t start =
		((size_t) blockIdx.x * blockDim.x + (size_t) warp_id() * WARP) * Scan::ITEMS;
	Vector<T> v[VECTORS];
	uint64_t drawn = 0;

	if (threadIdx.x == 0)
		drawn = atomicAdd(&work->drawn, 1ull);

	/* The plan is made while the tile comes. */
	const RingSample<T> sample(values, n,
							   looks < 1              ? 1
							   : looks > RING_SAMPLES ? RING_SAMPLES
													  : looks);
	if (start + WARP * Scan::ITEMS <= n)
	{
#pragma unroll
		for (int i = 0; i < VECTORS; i++)
			v[i] = load_vector(values + start + (i * WARP + lane_id()) * LENGTH);
	}
	else
#pragma unroll
		for (int i = 0; i < VECTORS; i++)
#pragma unroll
			for (int k = 0; k < LENGTH; k++)
			{
				const size_t at = start + (i * WARP + lane_id()) * LENGTH + k;

				v[i].value[k] = at < n ? values[at] : Ring::neutral();
			}
	exact_ring_plan<T, Ring::Format::SINGLE>(shared.prepare, sample, n, carry, &shared.plan);
#pragma unroll
	for (int i = 0; i < VECTORS; i++)
		vector[i * WARP + lane_id()] = v[i];
	if (threadIdx.x == 0)
		shared.launch = short_launch_number(work, drawn);
	__syncthreads();

	typename Ring::Start plan(&shared.plan);
	typename Ring::Stretch stretch = {};
	T *value = vector[lane_id() * VECTORS].value;
	const int looks_back = blockDim.x > WARP ? 1 : 0;

	/* If the digits will not do, no value fits. */
	if (!plan.wanted)
		plan.bound = 0;
	Ring::total(plan, shared.flags, value, &stretch, &shared.warp_total[warp_id()]);
	__syncthreads();
	if (warp_id() == 0)
		short_publish(shared, mine);
	if (warp_id() == looks_back)
		short_look_back(shared, totals);
	__syncthreads();

	if ((shared.flags.flags & (RING_BAD | RING_INEXACT)) != 0)
		short_publish_limbs(shared, mine, limbs + (size_t) blockIdx.x * LIMBS);
	Ring::rescan(plan, ExactRingSetup{&shared.plan, nullptr, nullptr, 0}, shared.flags, shared.base,
				 shared.warp_total[warp_id()], stretch, blockIdx.x, value, value);
	__syncwarp();
#pragma unroll
	for (int i = 0; i < VECTORS; i++)
	{
		const size_t at = start + (i * WARP + lane_id()) * LENGTH;
		const Vector<T> result = vector[i * WARP + lane_id()];

		if (at + LENGTH <= n)
			*reinterpret_cast<Vector<T> *>(out + at) = result;
		else
#pragma unroll
			for (int k = 0; k < LENGTH; k++)
				if (at + k < n)
					out[at + k] = result.value[k];
	}
	__syncthreads();
	if (shared.plan.marked != 0)
		short_again(shared, totals, limbs, values, n, out);

	/* All blocks have read the carry before they published anything. */
	if (blockIdx.x < gridDim.x - 1)
		return;

	const RingState all = Ring::advance(shared.base, shared.total);

	if ((all.flags & (RING_BAD | RING_INEXACT)) != 0)
	{
		short_gather(shared, totals, limbs, gridDim.x);
		for (int j = threadIdx.x; j < LIMBS; j += blockDim.x)
			carry->v.exact.limb[j] = exact_block_limb(shared.sum, j);
		if (threadIdx.x == 0)
			carry->v.exact.flags = shared.sum.flags;
	}
	else if (threadIdx.x == 0)
	{
		shared.plan.total = all;
		exact_ring_total(&shared.plan, shared.prepare.limb, &carry->v.exact);
	}
}

/* Shape of a launch for the most values that it takes. */
template <class Scan>
static const LaunchShape &
short_shape()
{
	static const LaunchShape shape = []
	{
		LaunchShape s = launch_shape(exact_scan_short<Scan>, Scan::THREADS, short_shared<Scan>);

		/* A block a multiprocessor. */
		s.blocks =
			s.multiprocessors < SHORT_MOST_BLOCKS - 1 ? s.multiprocessors : SHORT_MOST_BLOCKS - 1;
		return s;
	}();

	return shape;
}

/* Whether one launch can take so many values. */
template <class Scan>
static bool
short_fits(size_t n)
{
	const LaunchShape &shape = short_shape<Scan>();

	return n <= (size_t) shape.blocks * shape.threads * Scan::ITEMS;
}

template <class Scan>
static cudaError_t
short_launch(const typename Scan::Value *values, size_t n, ShortScanWorkspace *work, int64_t *limbs,
			 GpuredAcc *carry, typename Scan::Value *out, cudaStream_t stream)
{
	const LaunchShape &shape = short_shape<Scan>();
	const size_t stretches = tiles_of(n, Scan::ITEMS);
	const int warps = (int) tiles_of(stretches, (size_t) shape.blocks * WARP);
	const int least = shape.threads < SHORT_LEAST_THREADS ? shape.threads : SHORT_LEAST_THREADS;
	const int threads = warps * WARP < least ? least : warps * WARP;

	return LAUNCH_COOPERATIVE(exact_scan_short<Scan>, (int) tiles_of(stretches, threads), threads,
							  short_shared<Scan>(threads), stream, values, n, work, limbs, carry,
							  out);
}

#endif /* GPURED_EXACT_SCAN_SHORT_CUH */

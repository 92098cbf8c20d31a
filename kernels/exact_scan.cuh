/*
 * exact_scan.cuh
 *	  Exact inclusive prefix sums of float8 or float4, each rounded once, for any
 *	  data: all tiles, or those that exact_ring.cuh has marked.
 *
 *		exact_scan_sums		each block goes through a chunk of tiles: the exact sum
 *							of the chunk, and of what is before each marked tile in
 *							it, as limbs
 *		exact_scan_rows		each block scans one limb over all chunks, from the
 *							carry: limbs are integers, so limb by limb is right
 *		exact_scan_tiles	each block computes marked tiles, the way that suits
 *							what is before the tile and in it: a block scan of
 *							integers of 128 or 320 bits, or a column of limbs for
 *							each thread
 */
#ifndef GPURED_EXACT_SCAN_CUH
#define GPURED_EXACT_SCAN_CUH

#include "exact_ring_plan.cuh"
#include "exact_round.cuh"
#include "exact_sum.cuh"
#include "scan.cuh"

constexpr int EXACT_SCAN_THREADS = 256;
constexpr int EXACT_SCAN_ITEMS = 16;
static_assert(EXACT_SCAN_TILE == EXACT_SCAN_THREADS * EXACT_SCAN_ITEMS, "one tile a block");
constexpr int EXACT_SCAN_TILE_BITS = 12; /* log2 of it */
constexpr int EXACT_ROW_THREADS = 512;
constexpr int EXACT_LIMBS_THREADS = 64;

/* The two sizes of windows, in 64-bit words. */
constexpr int NARROW = 2;
constexpr int BROAD = 5;

enum ExactScanPlan
{
	PLAN_NARROW,
	PLAN_BROAD,
	PLAN_LIMBS
};

constexpr uint32_t SPECIALS = GPURED_EXACT_NAN | GPURED_EXACT_PINF | GPURED_EXACT_NINF;
constexpr int FLAGS = 4;
constexpr int NOWHERE = 1 << 30;

/* What the launches tell each other. */
struct ExactScanState
{
	ExactRingPlan *ring; /* what the ring has left, or null: do all tiles */
	uint8_t *marks;      /* a byte a tile */
	size_t tiles;
	size_t chunk; /* tiles in one */
	size_t chunks;
	int64_t *limb;         /* LIMBS for each tile: before it, in its chunk */
	uint32_t *flags;       /* likewise */
	int64_t *chunk_limb;   /* LIMBS rows: of the chunk, then before it */
	uint32_t *chunk_flags; /* of the chunk, then before it */

	/* Is there anything to do? */
	__device__ __forceinline__ bool wanted() const
	{
		return ring == nullptr || !ring->wanted || ring->marked != 0 ||
			   (ring->total.flags & (RING_BAD | RING_INEXACT)) != 0;
	}

	__device__ __forceinline__ bool marked(size_t tile) const
	{
		return ring == nullptr || !ring->wanted || marks[tile] != 0;
	}
};

/*
 * Step 1
 */
template <template <int> class SumOf, int VECTORS, int THREADS, int BLOCKS>
__global__ void
__launch_bounds__(THREADS, BLOCKS) exact_scan_sums(const typename SumOf<1>::Value *values, size_t n,
												   ExactScanState s, GpuredAcc *carry)
{
	typedef ExactStream<typename SumOf<1>::Value, VECTORS, true> Stream;
	typedef SumOf<Stream::TILE_VALUES> Sum;
	SHARED_DYNAMIC(ExactSumShared<Sum>, shared);
	const size_t first = blockIdx.x * s.chunk;
	const size_t last = first + s.chunk < s.tiles ? first + s.chunk : s.tiles;
	uint32_t seen = 0; /* nonzero once a value was not -0 */

	if (!s.wanted())
	{
		/* The ring has done it all. */
		if (blockIdx.x == 0 && threadIdx.x == 0)
			exact_ring_total(s.ring, carry->v.exact.limb, &carry->v.exact);
		return;
	}
	exact_block_clear(shared.block);
	__syncthreads();

	Sum sum(shared.block, shared.cell);

	/* The sums of all threads up to here, in the block. */
	auto settle = [&]()
	{
		sum.finish();
		if (seen != 0)
			atomicOr(&shared.block.flags, GPURED_EXACT_NOT_NEGZERO);
		__syncthreads();
	};

	for (size_t t = first; t < last;)
	{
		size_t next = t + 1;

		/* From one marked tile to the next. */
		while (next < last && !s.marked(next))
			next++;

		const size_t end = next * EXACT_SCAN_TILE < n ? next * EXACT_SCAN_TILE : n;
		Stream stream(values, t * EXACT_SCAN_TILE, end);

		if (t == first)
			sum.start(stream);
		if (s.marked(t))
		{
			settle();
			for (int j = threadIdx.x; j < LIMBS; j += blockDim.x)
				s.limb[t * LIMBS + j] = exact_block_limb(shared.block, j);
			if (threadIdx.x == 0)
				s.flags[t] = shared.block.flags;
			__syncthreads();
		}
		while (!stream.is_done())
		{
			if (seen == 0)
				stream.tile.each([&](typename Sum::Value x) { seen |= not_negative_zero(x); });
			sum.add(stream);
		}
		t = next;
	}
	settle();
	for (int j = threadIdx.x; j < LIMBS; j += blockDim.x)
		s.chunk_limb[j * s.chunks + blockIdx.x] = exact_block_limb(shared.block, j);
	if (threadIdx.x == 0)
		s.chunk_flags[blockIdx.x] = shared.block.flags;
}

/*
 * Step 2: what is before each chunk.  Block j scans limb j; one more scans the
 * flags.
 */
struct OrFlags
{
	typedef uint32_t State;

	static __device__ __forceinline__ State identity() { return 0; }
	static __device__ __forceinline__ State combine(State a, State b) { return a | b; }
};

static __global__ void
exact_scan_rows(ExactScanState s, GpuredAcc *carry)
{
	typedef SumInt64<int32_t> Sum;
	GpuredExact *exact = &carry->v.exact;

	if (!s.wanted())
		return;
	if (blockIdx.x < LIMBS)
	{
		SHARED(BlockScanShared<Sum>, shared);
		const int64_t end = scan_states<Sum, 4>(shared, s.chunk_limb + blockIdx.x * s.chunks,
												s.chunks, exact->limb[blockIdx.x]);

		if (threadIdx.x == 0)
			exact->limb[blockIdx.x] = end;
	}
	else
	{
		SHARED(BlockScanShared<OrFlags>, shared);
		const uint32_t end = scan_states<OrFlags, 4>(shared, s.chunk_flags, s.chunks, exact->flags);

		if (threadIdx.x == 0)
			exact->flags = end;
	}
}

/*
 * Step 3
 */
struct ExactTileInfo
{
	int64_t limb[LIMBS];   /* before the tile */
	uint32_t flags;        /* likewise */
	uint32_t first[FLAGS]; /* where in the tile a flag is first raised, or NOWHERE */
	uint32_t lowest;       /* lowest bit of any value, or beyond all bits */
	uint32_t highest;      /* all values are below this bit */
	ExactScanPlan plan;
	int low_limb; /* no prefix has bits below, and none reaches the last before high_limb */
	int high_limb;
	uint64_t base[BROAD]; /* what is before, in the window */
	int bit;              /* bit 0 of the window */
	bool sticky;          /* are there bits below the window? */
};

/* Look at the values of a tile, in the order in which load_tile has them. */
template <class T, int VECTORS>
static __device__ __forceinline__ void
exact_tile_look(ExactTileInfo &info, const Vector<T> (&tile)[VECTORS])
{
	constexpr int LENGTH = Vector<T>::LENGTH;
	uint32_t lowest = LIMBS * 32, highest = 0, not_negzero = NOWHERE;

	if (threadIdx.x == 0)
	{
		info.lowest = LIMBS * 32;
		info.highest = 0;
	}
	if (threadIdx.x < FLAGS)
		info.first[threadIdx.x] = NOWHERE;
	__syncthreads();
#pragma unroll
	for (int i = 0; i < VECTORS; i++)
#pragma unroll
		for (int k = 0; k < LENGTH; k++)
		{
			const double x = (double) tile[i].value[k];
			const uint32_t at = (i * EXACT_SCAN_THREADS + threadIdx.x) * LENGTH + k;
			int bit;
			const int64_t mantissa = exact_split(x, &bit);

			if (exponent_field(x) == SPECIAL_FIELD)
				atomicMin(&info.first[__ffsll(special_flag(x)) - 1], at);
			else if (mantissa != 0)
			{
				const uint32_t low = bit + __ffsll(mantissa) - 1;

				lowest = low < lowest ? low : lowest;
				highest = (uint32_t) bit + 53 > highest ? (uint32_t) bit + 53 : highest;
			}
			if (not_negative_zero(x) != 0 && at < not_negzero)
				not_negzero = at;
		}
	__syncwarp();
	lowest = ~warp_max(~lowest);
	highest = warp_max(highest);
	not_negzero = ~warp_max(~not_negzero);
	if (lane_id() == 0)
	{
		atomicMin(&info.lowest, lowest);
		atomicMax(&info.highest, highest);
		atomicMin(&info.first[FLAGS - 1], not_negzero);
	}
	__syncthreads();
}

/*
 * Normalize what is before a tile and choose the window for it; one thread.
 *
 * The window must have room for every prefix in the tile above, and begin no
 * higher than the tile's lowest bit.  What comes before may have bits below
 * it; then it must be so large that no prefix in the tile can get near zero,
 * or rounding would need those bits.
 */
static __device__ __noinline__ void
exact_tile_plan(ExactTileInfo &info)
{
	int64_t carry = 0;
	int not_zero = -1, not_ones = -1, low_digit = LIMBS;
	uint32_t high_positive = 0, high_negative = 0;

#pragma unroll 7
	for (int j = 0; j < LIMBS; j++)
	{
		const int64_t sum = info.limb[j] + carry;
		const uint32_t digit = (uint32_t) sum;

		carry = sum >> 32;
		info.limb[j] = j < LIMBS - 1 ? (int64_t) digit : sum;
		if (digit != 0)
		{
			not_zero = j;
			high_positive = digit;
			low_digit = j < low_digit ? j : low_digit;
		}
		if (digit != 0xffffffffu)
		{
			not_ones = j;
			high_negative = ~digit;
		}
	}

	/* 2^(before - 1) <= |what is before| <= 2^before, unless it is zero */
	const bool negative = carry < 0;
	const uint32_t high = negative ? high_negative : high_positive;
	const int before =
		32 * (negative ? not_ones : not_zero) + 32 - (high == 0 ? 32 : __clz((int) high));
	const int inside = (int) info.highest + EXACT_SCAN_TILE_BITS;
	const int top = (before > inside ? before : inside) + 2;

	/* Three limbs are rounded; a sum of any tile has less than 16 bits more than its values. */
	const int above = (int) info.highest + 16 > 32 ? (int) info.highest + 16 : 32;
	const int reach = before > above ? before : above;
	const int low = (int) info.lowest / 32 < low_digit ? (int) info.lowest / 32 : low_digit;

	info.high_limb = reach / 32 + 2 < LIMBS ? reach / 32 + 2 : LIMBS;
	info.low_limb = low + 2 < info.high_limb ? low - 2 : info.high_limb - 4;
	if (info.low_limb < 0)
		info.low_limb = 0;
	info.plan = PLAN_LIMBS;
	for (int words : {NARROW, BROAD})
	{
		const int lowest_digit = top > 64 * words ? (top - 64 * words + 31) / 32 : 0;
		const bool sticky = low_digit < lowest_digit;

		if (32 * lowest_digit > (int) info.lowest ||
			(sticky && (before <= inside + 1 || before - 32 * lowest_digit < 60)))
			continue;
		info.plan = words == NARROW ? PLAN_NARROW : PLAN_BROAD;
		for (int i = 0; i < words; i++)
		{
			uint64_t word = 0;

			for (int half = 0; half < 2; half++)
			{
				const int j = lowest_digit + 2 * i + half;
				const uint32_t digit = j < LIMBS  ? (uint32_t) info.limb[j]
									   : negative ? 0xffffffffu
												  : 0;

				word |= (uint64_t) digit << (32 * half);
			}
			info.base[i] = word;
		}
		info.bit = 32 * lowest_digit;
		info.sticky = sticky;
		return;
	}
}

/*
 * What the flags mean for a prefix: those from before the tile, and those
 * raised up to a place in it.
 */
struct ExactTileFlags
{
	uint32_t before;
	int first[FLAGS];
	bool special; /* some prefix of the tile is not finite */

	__device__ __forceinline__ ExactTileFlags(const ExactTileInfo &info) : before(info.flags)
	{
		special = (before & SPECIALS) != 0;
#pragma unroll
		for (int f = 0; f < FLAGS; f++)
		{
			first[f] = (int) info.first[f];
			special |= f < FLAGS - 1 && first[f] < NOWHERE;
		}
	}

	__device__ __forceinline__ uint32_t at(int place) const
	{
		uint32_t flags = before;

#pragma unroll
		for (int f = 0; f < FLAGS; f++)
			flags |= first[f] <= place ? 1 << f : 0;
		return flags;
	}

	/* The zero of a prefix that is zero. */
	template <class T>
	__device__ __forceinline__ T zero(int place) const
	{
		return (before & GPURED_EXACT_NOT_NEGZERO) != 0 || first[FLAGS - 1] <= place ? T(0) : -T(0);
	}

	/* The prefix, if it is not finite; else "finite". */
	template <class T>
	__device__ __forceinline__ T settle(int place, T finite) const
	{
		const uint32_t flags = at(place);
		const T infinity = (T) __longlong_as_double(0x7ff0000000000000);

		if ((flags & GPURED_EXACT_NAN) != 0 ||
			(flags & SPECIALS) == (GPURED_EXACT_PINF | GPURED_EXACT_NINF))
			return (T) __longlong_as_double(0x7ff8000000000000);
		return (flags & GPURED_EXACT_PINF) != 0   ? infinity
			   : (flags & GPURED_EXACT_NINF) != 0 ? -infinity
												  : finite;
	}
};

/*
 * A tile that fits a window.  Values before "first" are -0, and no results for
 * them are wanted.
 *
 * Values are read and written in the order of memory, but each thread adds up
 * neighbours: they change places in shared memory, where a gap after every
 * thread's stretch keeps the threads at different banks.
 */
template <class T>
struct ExactWindowShared
{
	static constexpr int LENGTH = Vector<T>::LENGTH;
	static constexpr int STRETCH = EXACT_SCAN_ITEMS / LENGTH; /* vectors a thread */

	Vector<T> vector[EXACT_SCAN_THREADS * (STRETCH + 1)];
	union Scan
	{
		BlockScanShared<SumWide<NARROW>> narrow;
		BlockScanShared<SumWide<BROAD>> broad;
	} scan;

	__device__ __forceinline__ BlockScanShared<SumWide<NARROW>> &scan_of(WideInt<NARROW>)
	{
		return scan.narrow;
	}
	__device__ __forceinline__ BlockScanShared<SumWide<BROAD>> &scan_of(WideInt<BROAD>)
	{
		return scan.broad;
	}

	/* Where vector i of the tile is kept. */
	static __device__ __forceinline__ int place(int i) { return i + i / STRETCH; }
};

template <int WORDS, class T, int VECTORS>
static __device__ __forceinline__ void
exact_tile_window(ExactWindowShared<T> &shared, const ExactTileInfo &info, Vector<T> (&v)[VECTORS],
				  size_t n, size_t start, size_t first, T *out)
{
	typedef SumWide<WORDS> Sum;
	typedef ExactWindowShared<T> Shared;
	constexpr int LENGTH = Vector<T>::LENGTH;
	const int bit = info.bit;
	const bool sticky = info.sticky;
	const int place = threadIdx.x * EXACT_SCAN_ITEMS;
	const ExactTileFlags flags(info);
	WideInt<WORDS> sum = Sum::identity();
	WideInt<WORDS> base;
	WideInt<WORDS> all;

#pragma unroll
	for (int j = 0; j < VECTORS; j++)
		shared.vector[Shared::place(j * EXACT_SCAN_THREADS + threadIdx.x)] = v[j];
	__syncthreads();
#pragma unroll
	for (int j = 0; j < VECTORS; j++)
		v[j] = shared.vector[Shared::place(threadIdx.x * VECTORS + j)];

	/* Only finite values are summed. */
	if (flags.special)
#pragma unroll
		for (int j = 0; j < EXACT_SCAN_ITEMS; j++)
			if (exponent_field(v[j / LENGTH].value[j % LENGTH]) == SPECIAL_FIELD)
				v[j / LENGTH].value[j % LENGTH] = 0;

#pragma unroll
	for (int j = 0; j < EXACT_SCAN_ITEMS; j++)
		sum = Sum::combine(sum, wide_from_value<WORDS>(v[j / LENGTH].value[j % LENGTH], bit));
	sum = block_scan_exclusive<Sum>(shared.scan_of(sum), sum, &all);
#pragma unroll
	for (int w = 0; w < WORDS; w++)
		base.word[w] = info.base[w];
	sum = Sum::combine(base, sum);

#pragma unroll
	for (int j = 0; j < EXACT_SCAN_ITEMS; j++)
	{
		T &value = v[j / LENGTH].value[j % LENGTH];

		sum = Sum::combine(sum, wide_from_value<WORDS>(value, bit));
		value = exact_round<T>(sum, sticky, bit, flags.zero<T>(place + j));
		if (flags.special)
			value = flags.settle(place + j, value);
	}

#pragma unroll
	for (int j = 0; j < VECTORS; j++)
		shared.vector[Shared::place(threadIdx.x * VECTORS + j)] = v[j];
	__syncthreads();
#pragma unroll
	for (int j = 0; j < VECTORS; j++)
	{
		const Vector<T> result = shared.vector[Shared::place(j * EXACT_SCAN_THREADS + threadIdx.x)];
		const size_t at = start + ((size_t) j * EXACT_SCAN_THREADS + threadIdx.x) * LENGTH;

		if (at >= first && at + LENGTH <= n)
			*reinterpret_cast<Vector<T> *>(out + at) = result;
		else
#pragma unroll
			for (int k = 0; k < LENGTH; k++)
				if (at + k >= first && at + k < n)
					out[at + k] = result.value[k];
	}
}

#endif /* GPURED_EXACT_SCAN_CUH */

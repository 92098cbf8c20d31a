/*
 * exact_scan.cuh
 *	  Exact inclusive prefix sums of float8 or float4, each rounded once.
 *
 *		exact_scan_tiles	each block: the exact sum of a tile, as limbs
 *		exact_scan_rows		each block scans one limb over all tiles, from the
 *							carry: limbs are integers, so limb by limb is right
 *		exact_scan_plan		each thread: how a tile can be computed
 *		exact_scan_window	tiles whose prefixes fit an integer of 128 or 320
 *							bits: a block scan of such integers
 *		exact_scan_limbs	all others: a column of limbs for each thread
 *
 * Limbs of tiles lie limb after limb, so that neighbouring threads of a plan
 * or a row read neighbours.  The input is read twice.
 */
#ifndef GPURED_EXACT_SCAN_CUH
#define GPURED_EXACT_SCAN_CUH

#include "exact_limbs.cuh"
#include "exact_round.cuh"
#include "exact_window.cuh"
#include "scan.cuh"

constexpr int EXACT_SCAN_THREADS = 256;
constexpr int EXACT_SCAN_ITEMS = 16;
constexpr int EXACT_SCAN_TILE = EXACT_SCAN_THREADS * EXACT_SCAN_ITEMS;
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
	PLAN_LIMBS,
	PLANS
};

constexpr uint32_t SPECIALS = GPURED_EXACT_NAN | GPURED_EXACT_PINF | GPURED_EXACT_NINF;
constexpr int FLAGS = 4;

/*
 * What the launches tell each other of every tile; arrays of "tiles" elements,
 * or so many rows of them.
 */
struct ExactScanState
{
	size_t tiles;
	int64_t *limb;    /* LIMBS rows: of the tile, then before it */
	uint32_t *flags;  /* of the tile, then before it */
	int32_t *first;   /* FLAGS rows: where in the tile a flag is first raised */
	int32_t *lowest;  /* lowest bit of any value, or beyond all bits */
	int32_t *highest; /* all values are below this bit */
	uint64_t *base;   /* BROAD rows: what is before, in the window */
	int32_t *bit;     /* bit 0 of the window */
	uint32_t *sticky; /* are there bits below the window? */
	int32_t *list;    /* PLANS rows: the tiles of each plan */
	uint32_t *count;  /* PLANS values: how many there are */
};

/*
 * Step 1: the exact sum of each tile, and what else step 3 has to know of it.
 */
struct ExactTileShared
{
	ExactBlock block;
	uint32_t lowest;
	uint32_t highest;
	uint32_t first[FLAGS];
};

template <class T>
__global__ void
__launch_bounds__(EXACT_SCAN_THREADS) exact_scan_tiles(const T *values, size_t n, ExactScanState s)
{
	constexpr int LENGTH = Vector<T>::LENGTH;
	constexpr int VECTORS = EXACT_SCAN_ITEMS / LENGTH;
	SHARED(ExactTileShared, shared);
	Vector<T> tile[VECTORS];
	ExactWindow window;
	uint32_t anchor = 0, largest = 0, lowest = LIMBS * 32, highest = 0,
			 not_negzero = EXACT_SCAN_TILE;
	bool misfit = false;

	load_tile(tile, values, n, blockIdx.x * (size_t) EXACT_SCAN_TILE, -T(0));
	exact_block_clear(shared.block);
	if (threadIdx.x == 0)
	{
		shared.lowest = LIMBS * 32;
		shared.highest = 0;
	}
	if (threadIdx.x < FLAGS)
		shared.first[threadIdx.x] = EXACT_SCAN_TILE;
	__syncthreads();

#pragma unroll
	for (int i = 0; i < VECTORS; i++)
#pragma unroll
		for (int k = 0; k < LENGTH; k++)
		{
			const double x = (double) tile[i].value[k];
			const uint32_t at = (i * EXACT_SCAN_THREADS + threadIdx.x) * LENGTH + k;
			const uint32_t field = exponent_field(x);
			int bit;
			const int64_t mantissa = exact_split(x, &bit);

			if (mantissa != 0 && field != SPECIAL_FIELD)
			{
				const uint32_t low = bit + __ffsll(mantissa) - 1;

				lowest = low < lowest ? low : lowest;
				highest = (uint32_t) bit + 53 > highest ? (uint32_t) bit + 53 : highest;
			}
			if (not_negative_zero(x) != 0 && at < not_negzero)
				not_negzero = at;
			largest = field > largest ? field : largest;
			anchor = exact_window_field(x) > anchor ? exact_window_field(x) : anchor;
		}
	exact_window_anchor(window, anchor);
#pragma unroll
	for (int i = 0; i < VECTORS; i++)
#pragma unroll
		for (int k = 0; k < LENGTH; k++)
			misfit |= exact_window_add(window, (double) tile[i].value[k]);
	window.count = EXACT_SCAN_ITEMS;
	if (misfit)
#pragma unroll
		for (int i = 0; i < VECTORS; i++)
#pragma unroll
			for (int k = 0; k < LENGTH; k++)
				exact_block_add_value(shared.block,
									  exact_window_misfit(window, (double) tile[i].value[k]));
	__syncwarp();
	exact_window_flush(window, shared.block);

	if (largest == SPECIAL_FIELD)
#pragma unroll
		for (int i = 0; i < VECTORS; i++)
#pragma unroll
			for (int k = 0; k < LENGTH; k++)
			{
				const double x = (double) tile[i].value[k];

				if (exponent_field(x) == SPECIAL_FIELD)
					atomicMin(&shared.first[__ffsll(special_flag(x)) - 1],
							  (i * EXACT_SCAN_THREADS + threadIdx.x) * LENGTH + k);
			}
	__syncwarp();
	lowest = ~warp_max(~lowest);
	highest = warp_max(highest);
	not_negzero = ~warp_max(~not_negzero);
	if (lane_id() == 0)
	{
		atomicMin(&shared.lowest, lowest);
		atomicMax(&shared.highest, highest);
		atomicMin(&shared.first[FLAGS - 1], not_negzero);
	}
	__syncthreads();

	for (int j = threadIdx.x; j < LIMBS; j += blockDim.x)
		s.limb[j * s.tiles + blockIdx.x] = exact_block_limb(shared.block, j);
	if (threadIdx.x == 0)
	{
		uint32_t flags = 0;

		for (int f = 0; f < FLAGS; f++)
		{
			s.first[f * s.tiles + blockIdx.x] = (int32_t) shared.first[f];
			flags |= shared.first[f] < EXACT_SCAN_TILE ? 1 << f : 0;
		}
		s.flags[blockIdx.x] = flags;
		s.lowest[blockIdx.x] = (int32_t) shared.lowest;
		s.highest[blockIdx.x] = (int32_t) shared.highest;
	}
}

/*
 * Step 2: what is before each tile.  Block j scans limb j; one more scans the
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

	if (blockIdx.x < LIMBS)
	{
		SHARED(BlockScanShared<Sum>, shared);
		const int64_t end = scan_states<Sum, 4>(shared, s.limb + blockIdx.x * s.tiles, s.tiles,
												exact->limb[blockIdx.x]);

		if (threadIdx.x == 0)
			exact->limb[blockIdx.x] = end;
	}
	else
	{
		SHARED(BlockScanShared<OrFlags>, shared);
		const uint32_t end = scan_states<OrFlags, 4>(shared, s.flags, s.tiles, exact->flags);

		if (threadIdx.x == 0)
			exact->flags = end;
		if (threadIdx.x < PLANS)
			s.count[threadIdx.x] = 0;
	}
}

/*
 * Step 3: normalize what is before a tile and choose the window for it.
 *
 * The window must have room for every prefix in the tile above, and begin no
 * higher than the tile's lowest bit.  What comes before may have bits below
 * it; then it must be so large that no prefix in the tile can get near zero,
 * or rounding would need those bits.
 */
static __global__ void
exact_scan_plan(ExactScanState s)
{
	const size_t t = blockIdx.x * (size_t) blockDim.x + threadIdx.x;
	int64_t carry = 0;
	int not_zero = -1, not_ones = -1, low_digit = LIMBS;
	uint32_t high_positive = 0, high_negative = 0;
	ExactScanPlan plan = PLAN_LIMBS;

	if (t >= s.tiles)
		return;
#pragma unroll 1
	for (int j = 0; j < LIMBS; j++)
	{
		int64_t *limb = &s.limb[j * s.tiles + t];
		const int64_t sum = *limb + carry;
		const uint32_t digit = (uint32_t) sum;

		carry = sum >> 32;
		*limb = j < LIMBS - 1 ? (int64_t) digit : sum;
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
	const int inside = s.highest[t] + EXACT_SCAN_TILE_BITS;
	const int top = (before > inside ? before : inside) + 2;

#pragma unroll
	for (int p = PLAN_NARROW; p <= PLAN_BROAD; p++)
	{
		const int words = p == PLAN_NARROW ? NARROW : BROAD;
		const int lowest_digit = top > 64 * words ? (top - 64 * words + 31) / 32 : 0;
		const bool sticky = low_digit < lowest_digit;

		if (plan != PLAN_LIMBS || 32 * lowest_digit > s.lowest[t] ||
			(sticky && (before <= inside + 1 || before - 32 * lowest_digit < 60)))
			continue;
		plan = (ExactScanPlan) p;
		for (int i = 0; i < words; i++)
		{
			uint64_t word = 0;

			for (int half = 0; half < 2; half++)
			{
				const int j = lowest_digit + 2 * i + half;
				const uint32_t digit = j < LIMBS  ? (uint32_t) s.limb[j * s.tiles + t]
									   : negative ? 0xffffffffu
												  : 0;

				word |= (uint64_t) digit << (32 * half);
			}
			s.base[i * s.tiles + t] = word;
		}
		s.bit[t] = 32 * lowest_digit;
		s.sticky[t] = sticky;
	}
	s.list[plan * s.tiles + atomicAdd(&s.count[plan], 1u)] = (int32_t) t;
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

	__device__ __forceinline__ ExactTileFlags(const ExactScanState &s, size_t t)
		: before(s.flags[t])
	{
		special = (before & SPECIALS) != 0;
#pragma unroll
		for (int f = 0; f < FLAGS; f++)
		{
			first[f] = s.first[f * s.tiles + t];
			special |= f < FLAGS - 1 && first[f] < EXACT_SCAN_TILE;
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
 * Step 4: tiles that fit a window.
 *
 * Values are read and written in the order of memory, but each thread adds up
 * neighbours: they change places in shared memory, where a gap after every
 * thread's stretch keeps the threads at different banks.
 */
template <class T, int WORDS>
struct ExactWindowShared
{
	static constexpr int LENGTH = Vector<T>::LENGTH;
	static constexpr int STRETCH = EXACT_SCAN_ITEMS / LENGTH; /* vectors a thread */

	Vector<T> vector[EXACT_SCAN_THREADS * (STRETCH + 1)];
	BlockScanShared<SumWide<WORDS>> scan;

	/* Where vector i of the tile is kept. */
	static __device__ __forceinline__ int place(int i) { return i + i / STRETCH; }
};

template <class T, int WORDS, int PLAN>
__global__ void
__launch_bounds__(EXACT_SCAN_THREADS)
	exact_scan_window(const T *values, size_t n, ExactScanState s, T *out)
{
	typedef SumWide<WORDS> Sum;
	typedef ExactWindowShared<T, WORDS> Shared;
	constexpr int LENGTH = Vector<T>::LENGTH;
	constexpr int VECTORS = EXACT_SCAN_ITEMS / LENGTH;
	SHARED(Shared, shared);

	for (uint32_t i = blockIdx.x; i < s.count[PLAN]; i += gridDim.x)
	{
		const size_t t = s.list[PLAN * s.tiles + i];
		const size_t start = t * EXACT_SCAN_TILE;
		const int bit = s.bit[t];
		const bool sticky = s.sticky[t] != 0;
		const int place = threadIdx.x * EXACT_SCAN_ITEMS;
		const ExactTileFlags flags(s, t);
		Vector<T> v[VECTORS];
		WideInt<WORDS> sum = Sum::identity();
		WideInt<WORDS> base;
		WideInt<WORDS> all;

		load_tile(v, values, n, start, -T(0));
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
		sum = block_scan_exclusive<Sum>(shared.scan, sum, &all);
#pragma unroll
		for (int w = 0; w < WORDS; w++)
			base.word[w] = s.base[w * s.tiles + t];
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
			const Vector<T> result =
				shared.vector[Shared::place(j * EXACT_SCAN_THREADS + threadIdx.x)];
			const size_t at = start + ((size_t) j * EXACT_SCAN_THREADS + threadIdx.x) * LENGTH;

			if (at + LENGTH <= n)
				*reinterpret_cast<Vector<T> *>(out + at) = result;
			else
#pragma unroll
				for (int k = 0; k < LENGTH; k++)
					if (at + k < n)
						out[at + k] = result.value[k];
		}
		__syncthreads();
	}
}

#endif /* GPURED_EXACT_SCAN_CUH */

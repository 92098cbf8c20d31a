/*
 * exact_segmented_scan.cuh
 *	  Exact inclusive prefix sums of the segments of an array of float8 or float4,
 *	  each rounded once.
 *
 * Each warp has a chunk of the array, and goes through it tile by tile on its own,
 * the next tile on its way:
 *
 *		segmented_start_bits	a bit for each value: does a segment begin there?
 *		exact_segmented_open	what each chunk leaves open: the sum from the last
 *								beginning in it to its end
 *		exact_segmented_before	if a chunk has no beginning: what is open before each
 *		exact_segmented_tiles	the prefixes
 *
 * So of short segments few values are read twice, and of a segment that is longer
 * than chunks all: the grid shares any of them.
 *
 * A lane has neighbours of a tile, its stretch.  First it sums those that are in the last
 * segment of the stretch, lanes learn what is before them from a scan, then it
 * goes through the stretch again.  Sums are those of exact_floating.cuh.  Nearly
 * all tiles are even: at one level two digits of it, or three, hold all values
 * and what is before them to the last bit.  Then the warp scans plain integers: what is before a
 * lane in its segment is a difference of sums.  In other tiles each lane is at a level of
 * its own.
 *
 * A prefix that three digits do not decide is left to exact_segmented_limbs.cuh.
 */
#ifndef GPURED_EXACT_SEGMENTED_SCAN_CUH
#define GPURED_EXACT_SEGMENTED_SCAN_CUH

#include "exact_floating.cuh"
#include "exact_segmented_limbs.cuh"

constexpr int SEGMENTED_SCAN_ITEMS = 16; /* a lane */
constexpr int SEGMENTED_SCAN_TILE = SEGMENTED_SCAN_ITEMS * WARP;
constexpr int SEGMENTED_SCAN_WORDS = SEGMENTED_SCAN_TILE / 32; /* of bits, for a tile */
constexpr int SEGMENTED_SCAN_THREADS = 128;
constexpr int SEGMENTED_SCAN_WARPS = SEGMENTED_SCAN_THREADS / WARP;
#ifndef SEGMENTED_SCAN_BLOCKS
#define SEGMENTED_SCAN_BLOCKS 4 /* at least, on a multiprocessor */
#endif
static_assert(EXACT_SCAN_TILE % SEGMENTED_SCAN_TILE == 0, "tiles for limbs are whole tiles");

/*
 * Tiles of a chunk, if not so few that there are too many chunks: blocks work at
 * the same time on what lies close together.
 */
#ifndef SEGMENTED_SCAN_CHUNK
#ifdef GPURED_EMULATED
#define SEGMENTED_SCAN_CHUNK 2
#else
#define SEGMENTED_SCAN_CHUNK 32
#endif
#endif
constexpr size_t SEGMENTED_SCAN_CHUNKS = 32768;

static inline size_t
segmented_chunk(size_t n)
{
	const size_t tiles = tiles_of(n, SEGMENTED_SCAN_TILE);
	const size_t chunk = tiles_of(tiles, SEGMENTED_SCAN_CHUNKS);

	return chunk < SEGMENTED_SCAN_CHUNK ? SEGMENTED_SCAN_CHUNK : chunk;
}

struct ExactSegmentedScan
{
	size_t n;
	const uint64_t *offset;
	size_t segments;
	uint32_t *starts;  /* a bit a value */
	uint32_t *is_long; /* has any chunk no beginning? */
	FloatingSum *open; /* after each chunk; then, if so, before it */
	size_t chunk;      /* tiles of one */
	ExactSegmentedLimbs limbs;
};

static __global__ void
segmented_clear(TileWord *words, size_t num_words)
{
	for (size_t i = blockIdx.x * (size_t) blockDim.x + threadIdx.x; i < num_words;
		 i += (size_t) gridDim.x * blockDim.x)
		words[i] = TileWord{0, 0};
}

static __global__ void
segmented_start_bits(const uint64_t *offset, size_t segments, uint32_t *starts)
{
	for (size_t i = blockIdx.x * (size_t) blockDim.x + threadIdx.x; i < segments;
		 i += (size_t) gridDim.x * blockDim.x)
		if (offset[i] < offset[i + 1])
			atomicOr(&starts[offset[i] / 32], (uint32_t) 1 << offset[i] % 32);
}

/* A warp's tile, with a gap after each lane's stretch, so that these begin at different banks. */
template <class T>
struct SegmentedScanShared
{
	static constexpr int STRETCH = SEGMENTED_SCAN_ITEMS / Vector<T>::LENGTH; /* vectors */

	Vector<T> vector[WARP * (STRETCH + 1)];

	__device__ __forceinline__ Vector<T> &at(int i) { return vector[i + i / STRETCH]; }
	__device__ __forceinline__ Vector<T> *stretch() { return vector + lane_id() * (STRETCH + 1); }
};

/* A warp's tiles. */
template <class T>
struct SegmentedScanBlock
{
	SegmentedScanShared<T> warp[SEGMENTED_SCAN_WARPS];
};

/* The least for -0. */
static __device__ __forceinline__ int32_t
segmented_top_bits(double x)
{
	return __double2hiint(x);
}

static __device__ __forceinline__ int32_t
segmented_top_bits(float x)
{
	return __float_as_int(x);
}

/* The place of the last segment that begins in a stretch, or its first value. */
static __device__ __forceinline__ int
segmented_last(uint32_t starts)
{
	return starts == 0 ? 0 : 31 - __clz((int) starts);
}

/* The sum of a stretch, from there on, at the level of its largest value. */
template <class T>
static __device__ __forceinline__ FloatingSum
segmented_uneven_sum(const Vector<T> *stretch, uint32_t starts)
{
	constexpr int LENGTH = Vector<T>::LENGTH;
	const int from = segmented_last(starts);
	FloatingSum s = AddFloating::identity();
	uint32_t largest = 0;

#pragma unroll 1
	for (int i = from / LENGTH; i < SEGMENTED_SCAN_ITEMS / LENGTH; i++)
	{
		const Vector<T> v = stretch[i];

#pragma unroll
		for (int k = 0; k < LENGTH; k++)
		{
			const T value = i * LENGTH + k < from ? -T(0) : v.value[k];
			const double x = (double) value;
			const uint32_t size = ring_size(value);

			if (not_negative_zero(value) != 0)
				s.flags |= FLOATING_SEEN;
			if (exponent_field(x) == SPECIAL_FIELD)
				s.flags |= special_flag(x);
			else if (size > largest)
				largest = size;
		}
	}
	s.level = floating_level_of<T>(largest);
	if (s.level > FLOATING_HIGHEST)
	{
		s.level = FLOATING_HIGHEST;
		s.flags |= FLOATING_BAD;
	}

	const FloatingGrid<T> grid(s.level);

#pragma unroll 1
	for (int i = from / LENGTH; i < SEGMENTED_SCAN_ITEMS / LENGTH; i++)
	{
		const Vector<T> v = stretch[i];

#pragma unroll
		for (int k = 0; k < LENGTH; k++)
		{
			const bool counts = i * LENGTH + k >= from && ring_size(v.value[k]) < grid.bound;
			double x = counts ? (double) v.value[k] : 0;

#pragma unroll
			for (int d = 0; d < FLOATING_DIGITS; d++)
			{
				const double shifted = x + grid.magic[d];

				s.digit[d] += __double_as_longlong(shifted) - __double_as_longlong(grid.magic[d]);
				x = x - (shifted - grid.magic[d]);
			}
			s.error += x != 0;
		}
	}
	if (starts != 0)
		s.flags |= FLOATING_STARTS;
	floating_normalize(s);
	return s;
}

/* What a tile leaves. */
struct SegmentedTileEnd
{
	FloatingSum open;
	bool unsure; /* some prefix of the lane's is not known well enough */
};

/* Any tile. */
template <class T, bool WRITES>
static __device__ __noinline__ SegmentedTileEnd
segmented_uneven(Vector<T> *stretch, uint32_t starts, FloatingSum before)
{
	constexpr int LENGTH = Vector<T>::LENGTH;
	const FloatingSum inclusive = warp_scan<AddFloating>(segmented_uneven_sum(stretch, starts));
	FloatingSum exclusive = warp_shuffle_up(inclusive, 1);
	SegmentedTileEnd end = {AddFloating::combine(before, warp_broadcast(inclusive, WARP - 1)),
							false};

	if (!WRITES)
		return end;
	if (lane_id() == 0)
		exclusive = AddFloating::identity();

	FloatingPrefix<T> prefix(AddFloating::combine(before, exclusive));

#pragma unroll 1
	for (int i = 0; i < SEGMENTED_SCAN_ITEMS / LENGTH; i++)
	{
		Vector<T> v = stretch[i];

#pragma unroll
		for (int k = 0; k < LENGTH; k++)
		{
			if ((starts >> (i * LENGTH + k) & 1) != 0)
				prefix.clear();
			prefix.add(v.value[k]);
			end.unsure |= !prefix.round(&v.value[k]);
		}
		stretch[i] = v;
	}
	return end;
}

/* A warp on its way through a chunk. */
template <class T, bool WRITES>
struct SegmentedScanWarp
{
	static constexpr int LENGTH = Vector<T>::LENGTH;
	typedef SegmentedScanShared<T> Shared;
	static constexpr int VECTORS = Shared::STRETCH;

	Shared &shared;
	FloatingSum open; /* before the tile */
	int level;        /* of the last tile that was even */
	int digits;       /* that it took; 0: it was not */

	explicit __device__ __forceinline__ SegmentedScanWarp(Shared &shared_)
		: shared(shared_), open(AddFloating::identity()), level(FLOATING_LOWEST), digits(2)
	{
	}

	/* What is open, as digits of the level, if DIGITS of them say it. */
	template <int DIGITS>
	__device__ __forceinline__ bool open_digits(int64_t *digit) const
	{
		const int by = level - open.level;

		digit[0] = by == 0 ? open.digit[0] : 0;
		digit[1] = by == 0 ? open.digit[1] : by == 1 ? open.digit[0] : 0;
		digit[2] = by == 0 ? open.digit[2] : by == 1 ? open.digit[1] : by == 2 ? open.digit[0] : 0;
		return by >= 0 && open.error == 0 && (open.flags & ~FLOATING_STARTS) == FLOATING_SEEN &&
			   (by < 1 || open.digit[2] == 0) && (by < 2 || open.digit[1] == 0) &&
			   (by < 3 || open.digit[0] == 0) && (DIGITS == 3 || digit[2] == 0);
	}

	/* Do the tile, if it is even; "live": what is open goes on in it. */
	template <int DIGITS>
	__device__ __forceinline__ bool even(uint32_t starts, bool live, uint32_t *largest_size)
	{
		Vector<T> *stretch = shared.stretch();
		const FloatingGrid<T> grid(level);
		const int from = segmented_last(starts);
		uint64_t sum[FLOATING_DIGITS] = {0, 0, 0};
		uint32_t largest = 0;
		int32_t least = 0;
		int64_t before[FLOATING_DIGITS], own[FLOATING_DIGITS] = {0, 0, 0};
		bool left = false;

#pragma unroll
		for (int i = 0; i < VECTORS; i++)
		{
			const Vector<T> v = stretch[i];

#pragma unroll
			for (int k = 0; k < LENGTH; k++)
			{
				const uint32_t size = ring_size(v.value[k]);
				const int32_t top = segmented_top_bits(v.value[k]);
				const bool counts = i * LENGTH + k >= from;
				double x = (double) v.value[k];

				largest = size > largest ? size : largest;
				least = top < least ? top : least;
#pragma unroll
				for (int d = 0; d < DIGITS; d++)
				{
					const double shifted = x + grid.magic[d];
					const double digit = shifted - grid.magic[d];

					sum[d] += counts ? (uint64_t) __double_as_longlong(shifted) : 0;
					if (d < DIGITS - 1)
						x = x - digit;
					else
						left |= digit != x;
				}
			}
		}
		*largest_size = largest;

		const uint32_t heads = __ballot_sync(ALL_LANES, starts != 0);
		const uint32_t below = heads & (((uint32_t) 1 << lane_id()) - 1);
		const int head = below == 0 ? 0 : 31 - __clz((int) below);
		int64_t base[FLOATING_DIGITS];
		bool good = open_digits<DIGITS>(base) || !live;

		/* -0 needs care: it may be all that a segment has. */
		good = good && !left && largest < grid.bound && least != INT32_MIN;
#pragma unroll
		for (int d = 0; d < DIGITS; d++)
			own[d] = !good
						 ? 0
						 : (int64_t) (sum[d] - (uint64_t) (SEGMENTED_SCAN_ITEMS - from) *
												   (uint64_t) __double_as_longlong(grid.magic[d]));
		if (WRITES)
		{
			before[2] = 0;
#pragma unroll
			for (int d = 0; d < DIGITS; d++)
			{
				const int64_t exclusive = warp_scan<SumInt64<int32_t>>(own[d]) - own[d];
				const int64_t at_head = __shfl_sync(ALL_LANES, exclusive, head);

				before[d] = below != 0 ? exclusive - at_head : exclusive + (live ? base[d] : 0);
			}
			ring_normalize(before);
			good = good && (uint64_t) (before[0] + ((int64_t) 1 << 50)) <= (uint64_t) 2 << 50;
		}
		if (__ballot_sync(ALL_LANES, good) != ALL_LANES)
			return false;
		if (WRITES)
			even_prefixes<DIGITS>(grid, starts, before);
		settle<DIGITS>(heads, base, before, own, starts);
		return true;
	}

	/* What is open after an even tile. */
	template <int DIGITS>
	__device__ __forceinline__ void settle(uint32_t heads, const int64_t *base,
										   const int64_t *before, const int64_t *own,
										   uint32_t starts)
	{
		const int last_head = heads == 0 ? 0 : 31 - __clz((int) heads);

		if (heads != 0)
			open.flags = FLOATING_SEEN | FLOATING_STARTS;
		open.level = level;
		open.error = 0;
#pragma unroll
		for (int d = 0; d < FLOATING_DIGITS; d++)
		{
			if (d >= DIGITS)
				open.digit[d] = 0;
			else if (WRITES)
				open.digit[d] =
					__shfl_sync(ALL_LANES, starts != 0 ? own[d] : before[d] + own[d], WARP - 1);
			else
			{
				open.digit[d] = ring_warp_sum(lane_id() < last_head ? 0 : own[d]);
				if (heads == 0)
					open.digit[d] += base[d];
			}
		}
		floating_normalize(open);
	}

	/* The prefixes of an even tile: exact sums of two digits, or three, each rounded once. */
	template <int DIGITS>
	__device__ __forceinline__ void even_prefixes(const FloatingGrid<T> &grid, uint32_t starts,
												  const int64_t *before)
	{
		Vector<T> *stretch = shared.stretch();
		double high = grid.to_double(before[0], 0);
		double low = grid.to_double(before[1], 1);
		double rest = DIGITS == 3 ? grid.to_double(before[2], 2) : 0;

#pragma unroll
		for (int i = 0; i < VECTORS; i++)
		{
			Vector<T> v = stretch[i];

#pragma unroll
			for (int k = 0; k < LENGTH; k++)
			{
				double x = (double) v.value[k];

				if ((starts >> (i * LENGTH + k) & 1) != 0)
					high = low = rest = 0;
				high += grid.cut(x, 0);
				if (DIGITS == 2)
				{
					low += x;
					v.value[k] = RingFormat<T>::add(high, low);
					continue;
				}
				low += grid.cut(x, 1);
				rest += x;
				v.value[k] = floating_round<T>(high, low, rest);
			}
			stretch[i] = v;
		}
	}

	/* The tile in shared memory; true if this lane has prefixes that it does not know. */
	__device__ __forceinline__ bool scan(uint32_t starts)
	{
		const bool live = (__shfl_sync(ALL_LANES, starts, 0) & 1) == 0;
		uint32_t largest = 0;

		if (digits != 0 && live && open.level > level)
			level = open.level;
		for (int turn = 0; digits != 0 && turn < 2; turn++)
		{
			int wanted;

			if (digits == 2 && even<2>(starts, live, &largest))
				return false;
			digits = 3;
			if (even<3>(starts, live, &largest))
			{
				digits = open.digit[2] == 0 ? 2 : 3;
				return false;
			}
			wanted = floating_level_of<T>(warp_max(largest));
			wanted = live && open.level > wanted ? open.level : wanted;
			if (wanted == level || wanted > FLOATING_HIGHEST)
				break;
			level = wanted;
		}

		const SegmentedTileEnd end = segmented_uneven<T, WRITES>(shared.stretch(), starts, open);

		open = end.open;
		level = open.level;
		digits = open.error == 0 && (open.flags & ~FLOATING_STARTS) == FLOATING_SEEN ? 3 : 0;
		return end.unsure;
	}
};

/* The values of a tile, on their way; beyond n there is nothing. */
template <class T>
struct SegmentedTile
{
	static constexpr int LENGTH = Vector<T>::LENGTH;
	static constexpr int VECTORS = SEGMENTED_SCAN_ITEMS / LENGTH;
	Vector<T> vector[VECTORS];
	uint32_t word;

	__device__ __forceinline__ void load(const T *values, const ExactSegmentedScan &s, size_t tile)
	{
		const size_t start = tile * SEGMENTED_SCAN_TILE;

		word = s.starts[tile * SEGMENTED_SCAN_WORDS + lane_id() / 2];
#pragma unroll
		for (int i = 0; i < VECTORS; i++)
		{
			const size_t at = start + (size_t) (i * WARP + lane_id()) * LENGTH;

			if (start + SEGMENTED_SCAN_TILE <= s.n)
				vector[i] = load_vector(values + at);
			else
#pragma unroll
				for (int k = 0; k < LENGTH; k++)
					vector[i].value[k] = at + k < s.n ? values[at + k] : T(0);
		}
	}

	/* Where segments begin in this lane's stretch. */
	__device__ __forceinline__ uint32_t starts() const
	{
		return word >> (lane_id() % 2 * SEGMENTED_SCAN_ITEMS) & 0xffff;
	}

	__device__ __forceinline__ void put(SegmentedScanShared<T> &shared) const
	{
#pragma unroll
		for (int i = 0; i < VECTORS; i++)
			shared.at(i * WARP + lane_id()) = vector[i];
		__syncwarp();
	}

	static __device__ __forceinline__ void store(SegmentedScanShared<T> &shared,
												 const ExactSegmentedScan &s, size_t tile, T *out)
	{
		const size_t start = tile * SEGMENTED_SCAN_TILE;

		__syncwarp();
#pragma unroll
		for (int i = 0; i < VECTORS; i++)
		{
			const size_t at = start + (size_t) (i * WARP + lane_id()) * LENGTH;
			const Vector<T> v = shared.at(i * WARP + lane_id());

			if (start + SEGMENTED_SCAN_TILE <= s.n)
				*reinterpret_cast<Vector<T> *>(out + at) = v;
			else
#pragma unroll
				for (int k = 0; k < LENGTH; k++)
					if (at + k < s.n)
						out[at + k] = v.value[k];
		}
	}
};

/* The chunk of a warp. */
struct SegmentedChunk
{
	size_t number, first, last; /* tiles, without the last */

	explicit __device__ __forceinline__ SegmentedChunk(const ExactSegmentedScan &s)
	{
		const size_t tiles = (s.n + SEGMENTED_SCAN_TILE - 1) / SEGMENTED_SCAN_TILE;

		number = blockIdx.x * (size_t) SEGMENTED_SCAN_WARPS + warp_id();
		first = number * s.chunk;
		last = first + s.chunk < tiles ? first + s.chunk : tiles;
	}
};

template <class T>
__global__ void
__launch_bounds__(SEGMENTED_SCAN_THREADS, SEGMENTED_SCAN_BLOCKS)
	exact_segmented_open(const T *values, ExactSegmentedScan s)
{
	SHARED(SegmentedScanBlock<T>, shared);
	const SegmentedChunk chunk(s);
	SegmentedScanWarp<T, false> warp(shared.warp[warp_id()]);
	SegmentedTile<T> next;
	size_t tile = chunk.last;

	if (chunk.first >= chunk.last)
		return;

	/* Back to the last tile with a beginning: two at a time. */
	for (bool found = false; tile > chunk.first && !found;)
	{
		const size_t at = tile - 1 - lane_id() / SEGMENTED_SCAN_WORDS;
		const bool inside = at + 1 > chunk.first; /* at may be -1 */
		const uint32_t word =
			inside ? s.starts[at * SEGMENTED_SCAN_WORDS + lane_id() % SEGMENTED_SCAN_WORDS] : 0;
		const uint32_t who = __ballot_sync(ALL_LANES, word != 0);

		found = who != 0;
		tile -= (who & 0xffff) != 0 || tile - chunk.first == 1 ? 1 : 2;
		if (!found && tile == chunk.first && lane_id() == 0)
			*s.is_long = 1;
	}
	next.load(values, s, tile);
	for (; tile < chunk.last; tile++)
	{
		const uint32_t starts = next.starts();

		next.put(warp.shared);
		if (tile + 1 < chunk.last)
			next.load(values, s, tile + 1);
		(void) warp.scan(starts);
		__syncwarp();
	}
	if (lane_id() == 0)
		s.open[chunk.number] = warp.open;
}

static __global__ void
exact_segmented_before(ExactSegmentedScan s, size_t chunks)
{
	SHARED(BlockScanShared<AddFloating>, shared);

	if (*s.is_long != 0)
		(void) scan_states<AddFloating, 2>(shared, s.open, chunks, AddFloating::identity());
}

template <class T>
__global__ void
__launch_bounds__(SEGMENTED_SCAN_THREADS, SEGMENTED_SCAN_BLOCKS)
	exact_segmented_tiles(const T *values, ExactSegmentedScan s, T *out)
{
	SHARED(SegmentedScanBlock<T>, shared);
	const SegmentedChunk chunk(s);
	SegmentedScanWarp<T, true> warp(shared.warp[warp_id()]);
	SegmentedTile<T> next;

	if (chunk.first >= chunk.last)
		return;
	next.load(values, s, chunk.first);

	if (*s.is_long != 0)
		warp.open = s.open[chunk.number];
	else if (chunk.number > 0)
		warp.open = s.open[chunk.number - 1];
	for (size_t tile = chunk.first; tile < chunk.last; tile++)
	{
		const uint32_t starts = next.starts();
		const uint32_t flags = warp.open.flags;
		bool unsure;

		next.put(warp.shared);
		if (tile + 1 < chunk.last)
			next.load(values, s, tile + 1);
		unsure = warp.scan(starts);
		next.store(warp.shared, s, tile, out);
		if (lane_id() == 0 && tile * SEGMENTED_SCAN_TILE % EXACT_SCAN_TILE == 0)
			s.limbs.flags[tile * SEGMENTED_SCAN_TILE / EXACT_SCAN_TILE] = (uint8_t) flags;
		if (unsure)
			exact_segmented_mark(s.limbs, s.offset, s.segments,
								 tile * SEGMENTED_SCAN_TILE / EXACT_SCAN_TILE);
		__syncwarp();
	}
}

#endif /* GPURED_EXACT_SEGMENTED_SCAN_CUH */

/*
 * exact_ring.cuh
 *	  Exact inclusive prefix sums of float8 or float4 in one pass, each rounded
 *	  once: what scan_ring.cuh scans.
 *
 * A prefix is three digits of exact_digits.cuh, where exact_ring_plan.cuh has put
 * them: as integers where blocks and threads add them up (exact_ring_totals.cuh), and
 * as floating-point numbers where a thread goes through its stretch
 * (exact_ring_prefixes.cuh).
 *
 * The ring's words are two: the first has two digits and flags, the second the third
 * digit, which is written and read only if it is in use.
 *
 * If a prefix is not sure, or a value or a prefix is too large for the first digit,
 * the tile is marked, for exact_scan.cuh to do it again.
 */
#ifndef GPURED_EXACT_RING_CUH
#define GPURED_EXACT_RING_CUH

#include "exact_ring_prefixes.cuh"
#include "exact_ring_totals.cuh"
#include "scan_ring.cuh"

/* A total in two words. */
struct PublishedDigits
{
	TileWord word;
	TileWord rest; /* the third digit, if it is in use */

	__device__ __forceinline__ void read(const TileWord *from) { word = load_word(from); }
	__device__ __forceinline__ bool ready() const { return (word.high & RING_READY) != 0; }
	__device__ __forceinline__ void more(const TileWord *from)
	{
		rest = TileWord{0, 1};
		if ((word.high & RING_REST) != 0)
			rest = load_word(from + 1);
	}
	__device__ __forceinline__ RingState state(const TileWord *from)
	{
		RingState s;

		/* It may be seen later than the first word, though it was written before. */
		while (rest.high == 0)
			rest = load_word(from + 1);
		s.flags = (uint32_t) word.high & (RING_READY - 1);
		s.digit[0] = (int64_t) word.low;
		s.digit[1] = (int64_t) word.high >> 8;
		s.digit[2] = (int64_t) rest.low;
		return s;
	}
	static __device__ __forceinline__ void write(TileWord *to, const RingState &s)
	{
		if ((s.flags & RING_REST) != 0)
			store_word(to + 1, TileWord{(uint64_t) s.digit[2], 1});
		store_word(
			to, TileWord{(uint64_t) s.digit[0], (uint64_t) s.digit[1] << 8 | RING_READY | s.flags});
	}
};

template <class T, int THREADS_, int ITEMS_, int STAGES_, int AHEAD_>
struct ExactRing : RingDigits
{
	typedef T Value;
	typedef T Out;
	typedef PublishedDigits Published;
	typedef ExactRingSetup Setup;
	typedef RingPrepareShared PrepareShared;
	typedef RingStart<T> Start;
	typedef RingTile<THREADS_> Shared;
	typedef RingStretch Stretch;
	static constexpr int THREADS = THREADS_, ITEMS = ITEMS_, STAGES = STAGES_, AHEAD = AHEAD_;
	static constexpr int TILE = THREADS * ITEMS;
	static constexpr int WORDS = 2;
	static constexpr size_t LINE = 128 / sizeof(TileWord);
	typedef RingFormat<T> Format;

	static __device__ __forceinline__ Value neutral() { return -T(0); }

	static __device__ __forceinline__ void publish(TileWord *to, const Start &, Shared &shared,
												   State &total)
	{
		total = combine(total, identity());
		if (lane_id() == 0)
		{
			shared.flags = total.flags;
			Published::write(to, total);
		}
	}

	static __device__ __forceinline__ void finish(const Start &, const Setup &setup,
												  const State &all)
	{
		setup.plan->total = all;
	}

	/* The first block plans, all of them clear. */
	static __device__ __forceinline__ void prepare(const Setup &setup, const T *values, size_t n,
												   PrepareShared &shared)
	{
		for (size_t i = blockIdx.x * (size_t) blockDim.x + threadIdx.x; i < setup.num_marks;
			 i += (size_t) gridDim.x * blockDim.x)
			setup.marks[i] = 0;
		if (blockIdx.x == 0)
			exact_ring_plan<T, Format::SINGLE>(shared, RingSample<T>(values, n, RING_SAMPLES), n,
											   setup.carry, setup.plan);
	}

	static __device__ __forceinline__ Start start(const Setup &setup) { return Start(setup.plan); }
	static __device__ __forceinline__ bool wanted(const Start &start) { return start.wanted; }
	static __device__ __forceinline__ State first(const Start &start) { return start.carry; }

	static __device__ __forceinline__ void total(const Start &start, Shared &shared,
												 const T *stretch, Stretch *mine, State *warp_total)
	{
		ring_total<ITEMS>(start, shared, stretch, mine, warp_total);
	}

	static __device__ __forceinline__ void rescan(const Start &start, const Setup &setup,
												  const Shared &shared, const State &base,
												  const State &warp_before, const Stretch &mine,
												  size_t tile, const T *stretch, T *out)
	{
		RingPrefixes<T, THREADS, ITEMS>::rescan(start, setup, shared, base, warp_before, mine, tile,
												stretch, out);
	}
};

#endif /* GPURED_EXACT_RING_CUH */

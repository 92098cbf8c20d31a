/*
 * scan_ring.cuh
 *	  Scan of a whole array in one pass: each value is read once and written once.
 *
 * A persistent grid: all blocks run at the same time, and tiles are dealt out to
 * them in turn.  A tile goes round:
 *
 *		load		into a ring of stages in shared memory, some tiles ahead
 *		total		each thread sums its stretch; the block publishes the total
 *		look back	one warp adds up the totals of the tiles since this block's
 *					previous one, whose prefix the block knows
 *		rescan		each thread goes through its stretch again, from its prefix
 *		store		from where the tile was loaded, if results are as large as
 *					values, or from one of two buffers
 *
 * Only totals are exchanged, and a block publishes those of its next tiles before
 * it waits for those before the present one: no prefix is passed from block to
 * block, as it is in decoupled look-back, and no chain of waiting is longer than
 * one tile.
 *
 * (Tiles drawn from a common counter would do without blocks that run together.
 * But a block that starts early draws all of its stages before others have one;
 * from then on blocks take turns instead of working together.)
 *
 * While one warp looks back for the next tile and another one publishes and
 * copies, the others rescan the present tile and sum one that comes later: there
 * is one barrier a tile.
 *
 * All blocks read all totals, at about the same time: if they are long, each has a
 * line of memory of its own, so that they are in many parts of the second-level
 * cache.
 *
 * What is scanned is said by a class (see ScanByOperator):
 *
 *		Value, Out		what is read and written
 *		State			combined in order, so any associative operation will do
 *		THREADS, ITEMS, STAGES		ITEMS * sizeof(Value) is an odd multiple of 16,
 *						so that the threads' stretches start at different banks
 *		rescan			reads the whole stretch before it writes, or vector by vector
 *						in its order: the results may take the place of the values
 *		Setup, Start	what the kernel is told, and what each thread keeps of it
 *						after all blocks have done their part of "prepare"
 *		AHEAD			so many tiles before it is needed a total is summed: what
 *						others publish takes as long to arrive as a tile does to be
 *						scanned, and blocks are not equally fast
 *		Stretch			what a thread remembers from summing to rescanning; it sums
 *						over what it remembered last, or zero
 *		Shared			what the block does, for one tile
 *		Published, WORDS, LINE	how a total is written, its length in TileWords, and how
 *						many there are from one to the next;
 *						it is read by "read", and again until it is ready, then "more"
 *
 * "gather" is "combine" of published totals, "gather_warp" that of all lanes, and
 * "advance" that of a prefix and what follows it.
 *
 * Source: D. Merrill and M. Garland, "Single-pass parallel prefix scan with
 * decoupled look-back", 2016.
 */
#ifndef GPURED_SCAN_RING_CUH
#define GPURED_SCAN_RING_CUH

#include <type_traits>

#include "bulk_copy.cuh"
#include "operators.cuh"
#include "warp_scan.cuh"

#ifndef GPURED_EMULATED
#include <cooperative_groups.h>
#endif

/* Where the tiles are; "turn" counts the tiles that a block does. */
template <class Scan, bool IN_PLACE = std::is_same<typename Scan::Value, typename Scan::Out>::value>
struct RingTiles
{
	static constexpr int TILE = Scan::THREADS * Scan::ITEMS;

	alignas(128) typename Scan::Value in[Scan::STAGES][TILE];
	alignas(128) typename Scan::Out out[2][TILE];

	__device__ __forceinline__ typename Scan::Out *results(uint32_t turn) { return out[turn % 2]; }
};

template <class Scan>
struct RingTiles<Scan, true>
{
	static constexpr int TILE = Scan::THREADS * Scan::ITEMS;

	alignas(128) typename Scan::Value in[Scan::STAGES][TILE];

	__device__ __forceinline__ typename Scan::Out *results(uint32_t turn)
	{
		return in[turn % Scan::STAGES];
	}
};

template <class Scan>
struct RingShared
{
	typedef typename Scan::Value Value;
	typedef typename Scan::Out Out;
	static constexpr bool IN_PLACE = std::is_same<Value, Out>::value;
	static constexpr int TILE = Scan::THREADS * Scan::ITEMS;
	static constexpr int WARPS = Scan::THREADS / WARP;
	static constexpr int KNOWN = Scan::AHEAD + 1;

	RingTiles<Scan> tiles;
	alignas(16) uint64_t loaded[Scan::STAGES]; /* barriers */

	/* Of the present tile and those whose totals are known already. */
	typename Scan::State warp_total[KNOWN][WARPS]; /* then what is before each warp */
	typename Scan::State total[KNOWN];
	typename Scan::Shared scan[KNOWN];
	typename Scan::State base[2]; /* before the present tile, and before the next */
	typename Scan::PrepareShared prepare;
};

/* The threads of a block: two warps more than those that scan. */
template <class Scan>
constexpr int RING_THREADS = Scan::THREADS + 2 * WARP;

template <class Scan>
constexpr size_t RING_TILE = (size_t) Scan::THREADS *Scan::ITEMS;

/*
 * Copying, by one thread.
 */
template <class Scan>
struct RingCopier
{
	typedef RingShared<Scan> Shared;
	typedef typename Scan::Value Value;
	typedef typename Scan::Out Out;
	static constexpr int TILE = Shared::TILE;

	Shared &shared;
	const Value *values;
	Out *out;
	size_t n;

	__device__ __forceinline__ size_t first_of(uint32_t turn) const
	{
		return (blockIdx.x + (size_t) turn * gridDim.x) * TILE;
	}

	__device__ __forceinline__ uint32_t length(size_t first) const
	{
		return n - first < (size_t) TILE ? (uint32_t) (n - first) : (uint32_t) TILE;
	}

	/* Load the tile of a turn, if there is one. */
	__device__ __forceinline__ void load(uint32_t turn)
	{
		const size_t first = first_of(turn);

		if (first >= n)
			return;

		Value *to = shared.tiles.in[turn % Scan::STAGES];
		const uint32_t count = length(first);
		const uint32_t whole = count / Vector<Value>::LENGTH * Vector<Value>::LENGTH;

		for (uint32_t i = whole; i < count; i++)
			to[i] = values[first + i];
		bulk_load(to, values + first, whole * sizeof(Value), &shared.loaded[turn % Scan::STAGES]);
	}

	__device__ __forceinline__ void store(uint32_t turn)
	{
		const size_t first = first_of(turn);
		const Out *from = shared.tiles.results(turn);
		const uint32_t count = length(first);
		const uint32_t whole = count / Vector<Out>::LENGTH * Vector<Out>::LENGTH;

		bulk_store(out + first, from, whole * sizeof(Out));
		for (uint32_t i = whole; i < count; i++)
			out[first + i] = from[i];
	}

	__device__ __forceinline__ void begin()
	{
		for (int i = 0; i < Scan::STAGES; i++)
			load_barrier_init(&shared.loaded[i]);
		load_barrier_ready();
		for (int i = 0; i < Scan::STAGES; i++)
			load(i);
	}

	/* After the store of a turn's results: load another tile where there is room. */
	__device__ __forceinline__ void make_room(uint32_t turn)
	{
		if (!Shared::IN_PLACE)
		{
			load(turn + Scan::STAGES);

			/* The next but one has its results in the same buffer. */
			bulk_store_wait<0>();
		}
		else if (turn > 0)
		{
			/* Where the tile before was: its store has had the time of a tile. */
			bulk_store_wait<1>();
			load(turn - 1 + Scan::STAGES);
		}
	}
};

/*
 * Publishing and looking back, by a warp; all its lanes keep the same.
 */
template <class Scan>
struct RingHelper
{
	typedef RingShared<Scan> Shared;
	typedef typename Scan::State State;

	Shared &shared;
	size_t tiles;
	TileWord *words;
	size_t next;   /* the block's previous tile */
	State running; /* what is before it */

	/* Scan the totals of the warps; publish that of the tile, if there is one. */
	__device__ __forceinline__ void publish(const typename Scan::Start &start, uint32_t turn)
	{
		const uint32_t buffer = turn % Shared::KNOWN;
		const size_t tile = blockIdx.x + (size_t) turn * gridDim.x;

		if (tile >= tiles)
			return;

		const State mine =
			lane_id() < Shared::WARPS ? shared.warp_total[buffer][lane_id()] : Scan::identity();
		const State inclusive = Scan::scan_warp(mine);
		State before = warp_shuffle_up(inclusive, 1);
		State total = warp_broadcast(inclusive, WARP - 1);

		if (lane_id() == 0)
			before = Scan::identity();
		if (lane_id() < Shared::WARPS)
			shared.warp_total[buffer][lane_id()] = before;
		Scan::publish(words + tile * Scan::LINE, start, shared.scan[buffer], total);
		if (lane_id() == 0)
			shared.total[buffer] = total;
		__syncwarp();
	}

	/*
	 * Add what has been published since the block's previous tile, from that on:
	 * what is before a tile whose total is published.
	 */
	__device__ __forceinline__ void look_back(const typename Scan::Start &start,
											  const typename Scan::Setup &setup, uint32_t turn)
	{
		constexpr int AT_ONCE = 5;
		const size_t tile = blockIdx.x + (size_t) turn * gridDim.x;

		if (tile >= tiles)
			return;
		while (next < tile)
		{
			/* A lane has neighbouring tiles, so that the order is kept. */
			const size_t gap = tile - next;
			const size_t each = gap > (size_t) WARP * AT_ONCE ? AT_ONCE : (gap + WARP - 1) / WARP;
			const size_t first = next + lane_id() * each;
			const TileWord *from = words + first * Scan::LINE;
			const int mine = first >= tile                  ? 0
							 : tile - first < (size_t) each ? (int) (tile - first)
															: (int) each;
			typename Scan::Published got[AT_ONCE];
			State sum = Scan::identity();

#pragma unroll
			for (int i = 0; i < AT_ONCE; i++)
				if (i < mine)
					got[i].read(from + i * Scan::LINE);
#pragma unroll
			for (int i = 0; i < AT_ONCE; i++)
				if (i < mine)
				{
					while (!got[i].ready())
						got[i].read(from + i * Scan::LINE);
					got[i].more(from + i * Scan::LINE);
				}
#pragma unroll
			for (int i = 0; i < AT_ONCE; i++)
				if (i < mine)
					sum = Scan::gather(sum, got[i].state(from + i * Scan::LINE));
			__syncwarp();
			running = Scan::advance(running, Scan::gather_warp(sum));
			next += each * WARP;
		}
		next = tile;
		if (lane_id() == 0)
		{
			shared.base[turn % 2] = running;
			if (tile == tiles - 1)
				Scan::finish(start, setup,
							 Scan::advance(running, shared.total[turn % Shared::KNOWN]));
		}
	}
};

template <class Scan>
__global__ void
__launch_bounds__(RING_THREADS<Scan>, 1)
	scan_ring(const typename Scan::Value *values, size_t n, typename Scan::Out *out,
			  TileWord *words, typename Scan::Setup setup)
{
#if BULK_COPY_HERE
	typedef RingShared<Scan> Shared;
	constexpr int STAGES = Scan::STAGES;
	constexpr int AHEAD = Scan::AHEAD;
	SHARED_DYNAMIC(Shared, shared);
	const size_t tiles = (n + Shared::TILE - 1) / Shared::TILE;
	const bool looks_back = warp_id() == Shared::WARPS;
	const bool publishes = warp_id() == Shared::WARPS + 1;
	const bool copies = publishes && lane_id() == 0;
	const bool scans = warp_id() < Shared::WARPS;
	RingCopier<Scan> copier = {shared, values, out, n};

	static_assert(AHEAD >= 3, "a total is published before it is needed, by another warp");
	static_assert(STAGES > AHEAD + Shared::IN_PLACE, "a tile must be on its way");

	/* While tiles come: nothing is published, and the plan is made. */
	if (copies)
		copier.begin();
	for (size_t tile = blockIdx.x + (size_t) threadIdx.x * gridDim.x; tile < tiles;
		 tile += (size_t) blockDim.x * gridDim.x)
		for (int i = 0; i < Scan::WORDS; i++)
			words[tile * Scan::LINE + i] = TileWord{0, 0};
	Scan::prepare(setup, values, n, shared.prepare);
	cooperative_groups::this_grid().sync();

	const typename Scan::Start start = Scan::start(setup);
	RingHelper<Scan> helper = {shared, tiles, words, 0, Scan::first(start)};
	typename Scan::Stretch stretch[AHEAD + 1] = {}; /* in this tile and those ahead */

	/* Sum this thread's stretch of the tile of a turn, which begins at "first", if there is one. */
	auto sum = [&](uint32_t turn, size_t first, typename Scan::Stretch *mine)
	{
		const uint32_t buffer = turn % Shared::KNOWN;
		typename Scan::Value *stretch = shared.tiles.in[turn % STAGES] + threadIdx.x * Scan::ITEMS;

		if (first >= n)
			return;
		bulk_load_wait(&shared.loaded[turn % STAGES], turn / STAGES);
		if (n - first < (size_t) Shared::TILE)
			for (int i = 0; i < Scan::ITEMS; i++)
				if (first + threadIdx.x * Scan::ITEMS + i >= n)
					stretch[i] = Scan::neutral();
		Scan::total(start, shared.scan[buffer], stretch, mine,
					&shared.warp_total[buffer][warp_id()]);
	};

	if (!Scan::wanted(start))
	{
		/* No load may outlive its block. */
		for (int i = 0; i < STAGES && copier.first_of(i) < n; i++)
			bulk_load_wait(&shared.loaded[i], 0);
		return;
	}

	/* Turns before the first only sum and publish what is ahead: one copy of the code will do. */
	const size_t step = (size_t) gridDim.x * Shared::TILE;
	size_t tile = blockIdx.x;          /* of the turn, once it is not negative */
	size_t ahead = copier.first_of(0); /* where the tile begins that is summed */
	int32_t turn = -AHEAD;

	for (; turn < 0 || tile < tiles; turn++, ahead += step)
	{
		if (scans)
		{
			if (turn >= 0)
			{
				const uint32_t buffer = turn % Shared::KNOWN;
				const int at = threadIdx.x * Scan::ITEMS;

				Scan::rescan(start, setup, shared.scan[buffer], shared.base[turn % 2],
							 shared.warp_total[buffer][warp_id()], stretch[0], tile,
							 shared.tiles.in[turn % STAGES] + at, shared.tiles.results(turn) + at);
				bulk_store_ready();
			}
			sum(turn + AHEAD, ahead, &stretch[AHEAD]);
#pragma unroll
			for (int i = 0; i < AHEAD; i++)
				stretch[i] = stretch[i + 1];
		}
		else if (looks_back)
		{
			if (turn >= -1)
				helper.look_back(start, setup, turn + 1);
		}
		else
		{
			if (copies && turn > 0)
				copier.store(turn - 1);
			__syncwarp();
			if (turn > -AHEAD)
				helper.publish(start, turn + AHEAD - 1);
			if (copies && turn > 0)
				copier.make_room(turn - 1);
		}
		tile += turn >= 0 ? gridDim.x : 0;
		__syncthreads();
	}
	if (copies)
	{
		copier.store(turn - 1);
		bulk_store_wait<0>();
	}
#endif
}

/*
 * What is in a published total: eight bytes of the state a word, and a mark.
 */
template <class State>
struct PublishedState
{
	static constexpr int WORDS = (sizeof(State) + 7) / 8;
	TileWord word[WORDS];

	__device__ __forceinline__ void read(const TileWord *from)
	{
#pragma unroll
		for (int i = 0; i < WORDS; i++)
			word[i] = load_word(from + i);
	}
	__device__ __forceinline__ bool ready() const
	{
		bool all = true;

#pragma unroll
		for (int i = 0; i < WORDS; i++)
			all = all && word[i].high != 0;
		return all;
	}
	__device__ __forceinline__ State state(const TileWord *) const
	{
		uint64_t bytes[WORDS];
		State s;

#pragma unroll
		for (int i = 0; i < WORDS; i++)
			bytes[i] = word[i].low;
		memcpy(&s, bytes, sizeof(s));
		return s;
	}
	__device__ __forceinline__ void more(const TileWord *) {}
	static __device__ __forceinline__ void write(TileWord *to, const State &s)
	{
		uint64_t bytes[WORDS] = {};

		memcpy(bytes, &s, sizeof(s));
#pragma unroll
		for (int i = 0; i < WORDS; i++)
			store_word(to + i, TileWord{bytes[i], 1});
	}
};

/*
 * The scan by an operator of operators.cuh, or any other that is associative:
 * from the carry, which is left after the last value.
 */
template <class Op, class Out_, int THREADS_, int ITEMS_, int STAGES_, int AHEAD_,
		  bool EXCLUSIVE = false>
struct ScanByOperator
{
	typedef typename Op::Value Value;
	typedef typename Op::State State;
	typedef Out_ Out;
	typedef PublishedState<State> Published;
	static constexpr int THREADS = THREADS_, ITEMS = ITEMS_, STAGES = STAGES_, AHEAD = AHEAD_;
	static constexpr int WORDS = Published::WORDS;
	static constexpr size_t LINE = WORDS;

	typedef GpuredAcc *Setup; /* the carry */
	struct PrepareShared
	{
	};
	struct Start
	{
		State carry;
	};
	struct Shared
	{
	};
	struct Stretch
	{
		State before; /* in the warp */
	};

	static __device__ __forceinline__ void prepare(Setup, const Value *, size_t, PrepareShared &) {}
	static __device__ __forceinline__ Start start(Setup carry) { return Start{Op::load(carry)}; }
	static __device__ __forceinline__ bool wanted(const Start &) { return true; }
	static __device__ __forceinline__ State first(const Start &start) { return start.carry; }
	static __device__ __forceinline__ State identity() { return Op::identity(); }
	static __device__ __forceinline__ Value neutral() { return Op::neutral(); }
	static __device__ __forceinline__ State combine(const State &a, const State &b)
	{
		return Op::combine(a, b);
	}
	static __device__ __forceinline__ State gather(const State &a, const State &b)
	{
		return Op::combine(a, b);
	}
	static __device__ __forceinline__ State gather_warp(const State &s)
	{
		return warp_broadcast(scan_warp(s), WARP - 1);
	}
	static __device__ __forceinline__ State advance(const State &before, const State &s)
	{
		return Op::combine(before, s);
	}
	static __device__ __forceinline__ State scan_warp(const State &s) { return warp_scan<Op>(s); }

	/* Sum a stretch; what is before it in its warp, and the warp's total. */
	static __device__ __forceinline__ void total(const Start &, Shared &, const Value *stretch,
												 Stretch *mine, State *warp_total)
	{
		constexpr int LENGTH = Vector<Value>::LENGTH;
		const Vector<Value> *vector = reinterpret_cast<const Vector<Value> *>(stretch);
		State state = Op::identity();

#pragma unroll
		for (int i = 0; i < ITEMS / LENGTH; i++)
		{
			const Vector<Value> v = vector[i];

#pragma unroll
			for (int k = 0; k < LENGTH; k++)
				state =
					i + k == 0 ? Op::lift(v.value[k]) : Op::combine(state, Op::lift(v.value[k]));
		}
		state = warp_scan<Op>(state);
		if (lane_id() == WARP - 1)
			*warp_total = state;
		mine->before = warp_shuffle_up(state, 1);
		if (lane_id() == 0)
			mine->before = Op::identity();
	}

	static __device__ __forceinline__ void publish(TileWord *to, const Start &, Shared &,
												   State &total)
	{
		if (lane_id() == 0)
			Published::write(to, total);
	}

	static __device__ __forceinline__ void rescan(const Start &, Setup, const Shared &,
												  const State &base, const State &warp_before,
												  const Stretch &mine, size_t, const Value *stretch,
												  Out *out)
	{
		constexpr int LENGTH = Vector<Value>::LENGTH;
		constexpr int OUT_LENGTH = Vector<Out>::LENGTH;
		const Vector<Value> *vector = reinterpret_cast<const Vector<Value> *>(stretch);
		Vector<Out> *to = reinterpret_cast<Vector<Out> *>(out);
		State state = Op::combine(base, Op::combine(warp_before, mine.before));
		Vector<Out> result;

#pragma unroll
		for (int i = 0; i < ITEMS / LENGTH; i++)
		{
			const Vector<Value> v = vector[i];

#pragma unroll
			for (int k = 0; k < LENGTH; k++)
			{
				const int at = i * LENGTH + k;

				const State after = Op::combine(state, Op::lift(v.value[k]));

				result.value[at % OUT_LENGTH] = EXCLUSIVE ? state : after;
				state = after;
				if (at % OUT_LENGTH == OUT_LENGTH - 1)
					to[at / OUT_LENGTH] = result;
			}
		}
	}

	/* After the last tile; one thread. */
	static __device__ __forceinline__ void finish(const Start &, Setup carry, const State &all)
	{
		Op::store(carry, all);
	}
};

#endif /* GPURED_SCAN_RING_CUH */

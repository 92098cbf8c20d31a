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
 *		store		from one of two buffers
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
 * While the last warp looks back for a tile, the others sum another one.
 *
 * What is scanned is said by a class (see ScanByOperator):
 *
 *		Value, Out		what is read and written
 *		State			combined in order, so any associative operation will do
 *		THREADS, ITEMS, STAGES		ITEMS * sizeof(Value) is an odd multiple of 16,
 *						so that the threads' stretches start at different banks
 *		Plan, Start		what the kernel is told, in global memory, and what each
 *						thread keeps of it
 *		Stretch			what a thread remembers from summing to rescanning
 *		Shared			what the block does, for one tile
 *		Published, WORDS	how a total is written, and its length in TileWords
 *
 * "advance" is "combine" of a prefix and what follows it.
 *
 * Source: D. Merrill and M. Garland, "Single-pass parallel prefix scan with
 * decoupled look-back", 2016.
 */
#ifndef GPURED_SCAN_RING_CUH
#define GPURED_SCAN_RING_CUH

#include "bulk_copy.cuh"
#include "operators.cuh"
#include "warp_scan.cuh"

/*
 * The total of a tile is published so many tiles before it is needed: what others
 * publish takes as long to arrive as a tile does to be scanned.
 */
constexpr int RING_AHEAD = 2;

template <class Scan>
struct RingShared
{
	typedef typename Scan::Value Value;
	typedef typename Scan::Out Out;
	static constexpr int TILE = Scan::THREADS * Scan::ITEMS;
	static constexpr int WARPS = Scan::THREADS / WARP;

	alignas(128) Value in[Scan::STAGES][TILE];
	alignas(128) Out out[2][TILE];
	alignas(16) uint64_t loaded[Scan::STAGES]; /* barriers */

	/* Of the present tile and those whose totals are known already. */
	typename Scan::State warp_total[RING_AHEAD + 1][WARPS]; /* then what is before each warp */
	typename Scan::State total[RING_AHEAD + 1];
	typename Scan::Shared scan[RING_AHEAD + 1];
	typename Scan::State base; /* before the present tile */
};

/* The threads of a block: one warp more than those that scan. */
template <class Scan>
constexpr int RING_THREADS = Scan::THREADS + WARP;

template <class Scan>
constexpr size_t RING_TILE = (size_t) Scan::THREADS *Scan::ITEMS;

/* Ready for a launch: no total is published. */
static __global__ void
scan_ring_clear(TileWord *words, size_t n)
{
	for (size_t i = blockIdx.x * (size_t) blockDim.x + threadIdx.x; i < n;
		 i += (size_t) gridDim.x * blockDim.x)
		words[i] = TileWord{0, 0};
}

/*
 * What the helping warp does; all its lanes keep the same.
 */
template <class Scan>
struct RingHelper
{
	typedef RingShared<Scan> Shared;
	typedef typename Scan::Value Value;
	typedef typename Scan::Out Out;
	typedef typename Scan::State State;
	static constexpr int TILE = Shared::TILE;

	Shared &shared;
	const Value *values;
	Out *out;
	size_t n;
	size_t tiles;
	TileWord *words;
	size_t next;   /* the tile after the block's previous one */
	State running; /* what is before it */

	__device__ __forceinline__ uint32_t length(size_t tile) const
	{
		return n - tile * TILE < (size_t) TILE ? (uint32_t) (n - tile * TILE) : (uint32_t) TILE;
	}

	/* Load a tile, if there is one. */
	__device__ __forceinline__ void load(int stage, size_t tile)
	{
		if (lane_id() != 0 || tile >= tiles)
			return;

		const Value *from = values + tile * TILE;
		const uint32_t count = length(tile);
		const uint32_t whole = count / Vector<Value>::LENGTH * Vector<Value>::LENGTH;

		for (uint32_t i = whole; i < count; i++)
			shared.in[stage][i] = from[i];
		bulk_load(shared.in[stage], from, whole * sizeof(Value), &shared.loaded[stage]);
	}

	__device__ __forceinline__ void store(int buffer, size_t tile)
	{
		Out *to = out + tile * TILE;
		const uint32_t count = length(tile);
		const uint32_t whole = count / Vector<Out>::LENGTH * Vector<Out>::LENGTH;

		if (lane_id() != 0)
			return;
		bulk_store(to, shared.out[buffer], whole * sizeof(Out));
		for (uint32_t i = whole; i < count; i++)
			to[i] = shared.out[buffer][i];
	}

	/* Scan the totals of the warps; publish that of the tile. */
	__device__ __forceinline__ void publish(const typename Scan::Start &start, int buffer,
											size_t tile)
	{
		const State mine =
			lane_id() < Shared::WARPS ? shared.warp_total[buffer][lane_id()] : Scan::identity();
		const State inclusive = Scan::scan_warp(mine);
		State before = warp_shuffle_up(inclusive, 1);
		State total = warp_broadcast(inclusive, WARP - 1);

		if (lane_id() == 0)
			before = Scan::identity();
		if (lane_id() < Shared::WARPS)
			shared.warp_total[buffer][lane_id()] = before;
		Scan::publish(words + tile * Scan::WORDS, start, shared.scan[buffer], total);
		if (lane_id() == 0)
			shared.total[buffer] = total;
		__syncwarp();
	}

	/* Add what others have published since; "running" is then what is before the tile. */
	__device__ __forceinline__ void look_back(size_t tile)
	{
		constexpr int AT_ONCE = 5;

		while (next < tile)
		{
			/* A lane has neighbouring tiles, so that the order is kept. */
			const size_t gap = tile - next;
			const size_t each = gap > (size_t) WARP * AT_ONCE ? AT_ONCE : (gap + WARP - 1) / WARP;
			const size_t first = next + lane_id() * each;
			typename Scan::Published got[AT_ONCE];
			State sum = Scan::identity();

#pragma unroll
			for (int i = 0; i < AT_ONCE; i++)
				if (i < (int) each && first + i < tile)
					got[i].read(words + (first + i) * Scan::WORDS);
#pragma unroll
			for (int i = 0; i < AT_ONCE; i++)
				if (i < (int) each && first + i < tile)
				{
					while (!got[i].ready())
						got[i].read(words + (first + i) * Scan::WORDS);
					sum = Scan::combine(sum, got[i].state());
				}
			__syncwarp();
			running = Scan::advance(running, warp_broadcast(Scan::scan_warp(sum), WARP - 1));
			next += each * WARP;
		}
		next = tile;
	}
};

template <class Scan>
__global__ void
__launch_bounds__(RING_THREADS<Scan>, 1)
	scan_ring(const typename Scan::Value *values, size_t n, typename Scan::Out *out,
			  TileWord *words, typename Scan::Plan *plan)
{
#if BULK_COPY_HERE
	typedef RingShared<Scan> Shared;
	constexpr int STAGES = Scan::STAGES;
	SHARED_DYNAMIC(Shared, shared);
	const typename Scan::Start start = Scan::start(plan);
	const size_t tiles = (n + Shared::TILE - 1) / Shared::TILE;
	const bool helps = threadIdx.x >= Scan::THREADS;
	RingHelper<Scan> helper = {shared, values, out, n, tiles, words, 0, Scan::first(start)};
	typename Scan::Stretch stretch[RING_AHEAD + 1]; /* in this tile and those ahead */

	static_assert(STAGES > RING_AHEAD + 1, "a tile must be on its way");
	if (!Scan::wanted(start))
		return;
	if (helps)
	{
		if (lane_id() == 0)
		{
			for (int i = 0; i < STAGES; i++)
				load_barrier_init(&shared.loaded[i]);
			load_barrier_ready();
		}
		for (int i = 0; i < STAGES; i++)
			helper.load(i, blockIdx.x + (size_t) i * gridDim.x);
	}
	__syncthreads();

	/* Sum this thread's stretch of the tile that the block does after "turn" others. */
	auto sum = [&](size_t tile, uint32_t turn, typename Scan::Stretch *mine)
	{
		const uint32_t stage = turn % STAGES;
		const uint32_t buffer = turn % (RING_AHEAD + 1);
		typename Scan::Value *values = shared.in[stage] + threadIdx.x * Scan::ITEMS;

		bulk_load_wait(&shared.loaded[stage], turn / STAGES);
		if (n - tile * Shared::TILE < (size_t) Shared::TILE)
			for (int i = 0; i < Scan::ITEMS; i++)
				if (tile * Shared::TILE + threadIdx.x * Scan::ITEMS + i >= n)
					values[i] = Scan::neutral();
		Scan::total(start, shared.scan[buffer], values, mine,
					&shared.warp_total[buffer][warp_id()]);
	};

	size_t tile = blockIdx.x;

#pragma unroll
	for (int i = 0; i < RING_AHEAD; i++)
	{
		const size_t ahead = tile + (size_t) i * gridDim.x;

		if (!helps && ahead < tiles)
			sum(ahead, i, &stretch[i]);
		__syncthreads();
		if (helps && ahead < tiles)
			helper.publish(start, i, ahead);
	}

	for (uint32_t k = 0; tile < tiles; k++)
	{
		const size_t ahead = tile + (size_t) RING_AHEAD * gridDim.x;
		const uint32_t buffer = k % (RING_AHEAD + 1);

		if (!helps)
		{
			if (ahead < tiles)
				sum(ahead, k + RING_AHEAD, &stretch[RING_AHEAD]);
		}
		else
		{
			helper.look_back(tile);
			if (lane_id() == 0)
			{
				shared.base = helper.running;
				bulk_store_wait<1>();
			}
			helper.running = Scan::advance(helper.running, shared.total[buffer]);
			helper.next = tile + 1;
			if (tile == tiles - 1 && lane_id() == 0)
				Scan::finish(start, plan, helper.running);
		}
		__syncthreads();
		if (!helps)
		{
			Scan::rescan(start, plan, shared.scan[buffer], shared.base,
						 shared.warp_total[buffer][warp_id()], stretch[0], tile,
						 shared.in[k % STAGES] + threadIdx.x * Scan::ITEMS,
						 shared.out[k % 2] + threadIdx.x * Scan::ITEMS);
			bulk_store_ready();
		}
		else if (ahead < tiles)
			helper.publish(start, (k + RING_AHEAD) % (RING_AHEAD + 1), ahead);
		__syncthreads();
		if (helps)
		{
			helper.store(k % 2, tile);
			helper.load(k % STAGES, tile + (size_t) STAGES * gridDim.x);
		}
		tile += gridDim.x;
#pragma unroll
		for (int i = 0; i < RING_AHEAD; i++)
			stretch[i] = stretch[i + 1];
	}
	if (helps && lane_id() == 0)
		bulk_store_wait<0>();
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
	__device__ __forceinline__ State state() const
	{
		uint64_t bytes[WORDS];
		State s;

#pragma unroll
		for (int i = 0; i < WORDS; i++)
			bytes[i] = word[i].low;
		memcpy(&s, bytes, sizeof(s));
		return s;
	}
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
template <class Op, class Out_, int THREADS_, int ITEMS_, int STAGES_, bool EXCLUSIVE = false>
struct ScanByOperator
{
	typedef typename Op::Value Value;
	typedef typename Op::State State;
	typedef Out_ Out;
	typedef PublishedState<State> Published;
	static constexpr int THREADS = THREADS_, ITEMS = ITEMS_, STAGES = STAGES_;
	static constexpr int WORDS = Published::WORDS;

	typedef GpuredAcc Plan;
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

	static __device__ __forceinline__ Start start(const Plan *plan)
	{
		return Start{Op::load(plan)};
	}
	static __device__ __forceinline__ bool wanted(const Start &) { return true; }
	static __device__ __forceinline__ State first(const Start &start) { return start.carry; }
	static __device__ __forceinline__ State identity() { return Op::identity(); }
	static __device__ __forceinline__ Value neutral() { return Op::neutral(); }
	static __device__ __forceinline__ State combine(const State &a, const State &b)
	{
		return Op::combine(a, b);
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

	static __device__ __forceinline__ void rescan(const Start &, Plan *, const Shared &,
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
	static __device__ __forceinline__ void finish(const Start &, Plan *plan, const State &all)
	{
		Op::store(plan, all);
	}
};

#endif /* GPURED_SCAN_RING_CUH */

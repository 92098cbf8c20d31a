/*
 * scan_lookback.cuh
 *	  Scan of a whole array in one launch: each value is read once, tiles learn
 *	  what is before them by decoupled look-back.
 *
 * A block draws the next tile from a counter, sums it and publishes the sum at
 * once.  Then one warp looks back, 32 tiles at a time: it adds up sums of tiles
 * until it meets one that has published its whole prefix already, and publishes
 * the own prefix.  So a tile need not wait until the prefix has come from block
 * to block all the way.
 *
 * Tiles are drawn in order: those before a tile belong to blocks that have
 * started, and the first tile without a prefix needs nothing but sums, for which
 * nobody waits.  So there is no deadlock, however few blocks run at a time.
 *
 * What is published goes into global memory before its status does, with a
 * fence in between, and is read after the status, with a fence in between: any
 * state will do, on any device.
 *
 * The state of an operator may be more than a number: see segmented.cuh.  "Items"
 * reads a value as a state (at) and takes the result (put), by its index.
 *
 * Source: D. Merrill and M. Garland, "Single-pass parallel prefix scan with
 * decoupled look-back", 2016.
 */
#ifndef GPURED_SCAN_LOOKBACK_CUH
#define GPURED_SCAN_LOOKBACK_CUH

#include "block_scan.cuh"
#include "operators.cuh"

constexpr int LOOKBACK_THREADS = 128;
constexpr int LOOKBACK_ITEMS = 8;
constexpr size_t LOOKBACK_TILE = (size_t) LOOKBACK_THREADS * LOOKBACK_ITEMS;

enum LookBackStatus
{
	LOOKBACK_NOTHING, /* as cleared */
	LOOKBACK_SUM,
	LOOKBACK_PREFIX /* with what is before the tile */
};

/* In global memory; cleared before a launch: the ticket and the statuses are zero. */
template <class State>
struct LookBackTiles
{
	uint32_t *ticket;
	uint32_t *status;
	State *sum;
	State *prefix;
};

template <class Op>
struct LookBackShared
{
	BlockScanShared<Op> scan;
	typename Op::State before;
	uint32_t tile;
};

/* The plain case: values of an array, and an array of results. */
template <class Op, class Out>
struct ArrayItems
{
	const typename Op::Value *values;
	Out *out;

	__device__ __forceinline__ typename Op::State at(size_t i) const { return Op::lift(values[i]); }
	__device__ __forceinline__ void put(size_t i, typename Op::State s) const { out[i] = s; }
};

template <class State>
static __device__ __forceinline__ void
lookback_publish(LookBackTiles<State> tiles, uint32_t tile, State *place, const State &state,
				 LookBackStatus status)
{
	place[tile] = state;
	__threadfence();
	*(volatile uint32_t *) &tiles.status[tile] = status;
}

/* What is before the tile, by one warp; in all lanes. */
template <class Op>
static __device__ __forceinline__ typename Op::State
lookback_wait(LookBackTiles<typename Op::State> tiles, uint32_t tile)
{
	typedef typename Op::State State;
	State before = Op::identity();
	bool done = tile == 0;

	/* Lane 31 has the nearest tile, so that a warp scan keeps the order. */
	for (int64_t last = (int64_t) tile - 1; !done; last -= WARP)
	{
		const int64_t mine = last - (WARP - 1) + lane_id();
		uint32_t status = LOOKBACK_PREFIX;
		State state = Op::identity();

		if (mine >= 0)
			while ((status = load_fresh(&tiles.status[mine])) == LOOKBACK_NOTHING)
				wait_a_little();
		__threadfence();
		__syncwarp();

		/* From the nearest prefix on; tiles before it do not matter. */
		const unsigned int prefixes = __ballot_sync(ALL_LANES, status == LOOKBACK_PREFIX);
		const int from = prefixes == 0 ? 0 : WARP - 1 - __clz((int) prefixes);

		if (mine >= 0 && lane_id() >= from)
			state = status == LOOKBACK_PREFIX ? load_fresh(&tiles.prefix[mine])
											  : load_fresh(&tiles.sum[mine]);
		before = Op::combine(warp_broadcast(warp_scan<Op>(state), WARP - 1), before);
		done = prefixes != 0;
	}
	return before;
}

template <class Op, bool EXCLUSIVE, class Items>
__global__ void
__launch_bounds__(LOOKBACK_THREADS) scan_lookback(Items items, size_t n, typename Op::State first,
												  LookBackTiles<typename Op::State> tiles)
{
	typedef typename Op::State State;
	SHARED(LookBackShared<Op>, shared);
	State state[LOOKBACK_ITEMS];
	State sum = Op::identity();
	State before, all;

	if (threadIdx.x == 0)
		shared.tile = atomicAdd(tiles.ticket, 1u);
	__syncthreads();

	const uint32_t tile = shared.tile;
	const size_t start = tile * LOOKBACK_TILE + threadIdx.x * LOOKBACK_ITEMS;

#pragma unroll
	for (int i = 0; i < LOOKBACK_ITEMS; i++)
	{
		state[i] = start + i < n ? items.at(start + i) : Op::identity();
		sum = Op::combine(sum, state[i]);
	}
	before = block_scan_exclusive<Op>(shared.scan, sum, &all);
	if (threadIdx.x == 0)
		lookback_publish(tiles, tile, tile == 0 ? tiles.prefix : tiles.sum,
						 tile == 0 ? Op::combine(first, all) : all,
						 tile == 0 ? LOOKBACK_PREFIX : LOOKBACK_SUM);
	if (warp_id() == 0)
	{
		const State base = tile == 0 ? first : lookback_wait<Op>(tiles, tile);

		if (lane_id() == 0)
		{
			shared.before = base;
			if (tile > 0)
				lookback_publish(tiles, tile, tiles.prefix, Op::combine(base, all),
								 LOOKBACK_PREFIX);
		}
	}
	__syncthreads();
	before = Op::combine(shared.before, before);
#pragma unroll
	for (int i = 0; i < LOOKBACK_ITEMS; i++)
	{
		const State after = Op::combine(before, state[i]);

		if (start + i < n)
			items.put(start + i, EXCLUSIVE ? before : after);
		before = after;
	}
}

#endif /* GPURED_SCAN_LOOKBACK_CUH */

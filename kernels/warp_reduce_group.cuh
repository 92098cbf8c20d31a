/*
 * warp_reduce_group.cuh
 *	  Reduce one value a lane to one value: cooperative groups' own reduction.
 *
 * The toolkit names a warp as an object and reduces it in one call.  It knows
 * the card: sums, minima and maxima of 32 bits take one instruction since
 * compute capability 8, all else shuffles.  The result is in every lane.
 *
 * Source: CUDA C++ Programming Guide, "Cooperative Groups", cg::reduce.
 */
#ifndef GPURED_WARP_REDUCE_GROUP_CUH
#define GPURED_WARP_REDUCE_GROUP_CUH

#include "block_reduce.cuh"

#ifndef GPURED_EMULATED
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#endif

struct WarpGroup
{
	/* Of a warp with "count" threads. */
	template <class Op>
	static __device__ __forceinline__ typename Op::State reduce(typename Op::State state, int count)
	{
		namespace cg = cooperative_groups;
		typedef typename Op::State State;
		auto combine = [](const State &a, const State &b) { return Op::combine(a, b); };

		static_assert(Op::commutative, "a reduction combines values in any order");
		if (count == WARP)
			return cg::reduce(cg::tiled_partition<WARP>(cg::this_thread_block()), state, combine);

		/* A tile must be whole; the lanes that there are make a group as well. */
		__syncwarp(ALL_LANES >> (WARP - count));
		return cg::reduce(cg::coalesced_threads(), state, combine);
	}
};

template <class Op>
using BlockGroups = BlockShuffles<Op, WarpGroup>;

#endif /* GPURED_WARP_REDUCE_GROUP_CUH */

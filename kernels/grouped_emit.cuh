/*
 * grouped_emit.cuh
 *	  The table of grouped_table.cuh before and after rows are added: the anchors of
 *	  its floats, an empty table, and its groups written one after another.
 *
 * Clearing goes in the order of memory, and emitting asks for room once a warp.
 */
#ifndef GPURED_GROUPED_EMIT_CUH
#define GPURED_GROUPED_EMIT_CUH

#include "grouped_rows.cuh"

/* What a group is emitted as: its key, whether that is NULL, its rows, then the record. */
constexpr int RECORD_AT = 3;

/*
 * Choose the anchors that are not chosen yet, a block for each float sum, from
 * values that are spread over the rows.
 */
static __global__ void
grouped_anchor(GpuredGroups g, GroupsRows rows)
{
	constexpr size_t LOOK_AT = 16384;
	SHARED(uint32_t, largest);
	const size_t step = rows.n > LOOK_AT ? rows.n / LOOK_AT : 1;
	uint32_t field = 0;
	int size = 0;
	const GpuredGroupsColumn *column = nullptr;

	for (int a = 0; a < g.naggregates; a++)
	{
		if (g.aggregate[a].sum == (int) blockIdx.x)
		{
			column = &rows.column[a];
			size = g.aggregate[a].size;
		}
	}
	if (threadIdx.x == 0)
		largest = 0;
	__syncthreads();
	if (g.anchor[blockIdx.x] != 0)
		return;
	for (size_t i = threadIdx.x; i * step < rows.n && i < LOOK_AT; i += blockDim.x)
	{
		if (grouped_is_valid(column->valid, i * step))
		{
			const uint32_t f = exponent_field(grouped_float(column->values, size, i * step));

			field = f < 2023 && f > field ? f : field;
		}
	}
	atomicMax(&largest, field);
	__syncthreads();
	if (threadIdx.x == 0)
	{
		int anchor = largest > 0 ? (int) largest - 1022 + ANCHOR_ROOM : ORDINARY_ANCHOR;

		/* All magic numbers must be finite and normal. */
		anchor = anchor < -850 ? -850 : anchor > 960 ? 960 : anchor;
		g.anchor[blockIdx.x] = anchor + ANCHOR_OFFSET;
	}
}

/* An empty table.  Of the limbs, unless all of it is new, only the sets that were used are not
 * zero. */
static __global__ void
grouped_clear(GpuredGroups g, bool is_new)
{
	const size_t sets = is_new || g.status[1] > g.limb_sets ? g.limb_sets : g.status[1];
	const size_t slots = (size_t) g.capacity + 2;
	const size_t stride = (size_t) gridDim.x * blockDim.x;
	const size_t thread = (size_t) blockIdx.x * blockDim.x + threadIdx.x;

	uint32_t extremes = 0; /* a bit for each word */

	for (int a = 0; a < g.naggregates; a++)
		extremes |= g.aggregate[a].is_extreme ? (uint32_t) 1 << g.aggregate[a].word : 0;

	/* In the order of memory. */
	for (size_t i = thread; i < slots * g.nwords; i += stride)
	{
		const uint32_t word = (uint32_t) (i % (uint32_t) g.nwords);

		g.record[i] = word == 0                     ? EMPTY_KEY
					  : (extremes >> word & 1) != 0 ? (uint64_t) INT64_MIN
													: 0;
	}
	for (size_t i = thread; i < slots * SPECIAL_WORDS * g.nsums; i += stride)
		g.special[i] = 0;
	for (size_t i = thread; i < sets * LIMBS; i += stride)
		g.limbs[i] = 0;
	for (size_t i = thread; i < (size_t) g.nsums; i += stride)
		g.anchor[i] = 0;
}

/* After all blocks of grouped_clear have seen it. */
static __global__ void
grouped_clear_status(GpuredGroups g)
{
	if (threadIdx.x < 4)
		g.status[threadIdx.x] = 0;
}

/* Slots that have rows, one after another; a warp asks for room at once, and writes group by group.
 */
static __global__ void
grouped_emit(GpuredGroups g, uint64_t *out)
{
	const size_t slots = (size_t) g.capacity + 2;
	const size_t stride = (size_t) gridDim.x * blockDim.x;
	const int length = RECORD_AT + g.nwords + SPECIAL_WORDS * g.nsums;

	for (size_t start = (size_t) blockIdx.x * blockDim.x; start < slots; start += stride)
	{
		const size_t i = start + threadIdx.x;
		const uint64_t rows = i < slots ? g.record[i * g.nwords + g.rows] : 0;
		uint32_t who = __ballot_sync(ALL_LANES, rows != 0);
		uint32_t base = 0;

		if (who == 0)
			continue;
		if (lane_id() == 0)
			base = atomicAdd(&g.status[2], (uint32_t) __popc(who));
		base = __shfl_sync(ALL_LANES, base, 0);
		for (; who != 0; who &= who - 1, base++)
		{
			const size_t slot = i - lane_id() + (__ffsll((long long) who) - 1);
			const uint64_t *record = g.record + slot * g.nwords;
			const uint32_t *special = g.special + slot * SPECIAL_WORDS * g.nsums;

			for (int w = lane_id(); w < length; w += WARP)
				out[(size_t) base * length + w] = w == 0   ? record[0]
												  : w == 1 ? slot == (size_t) g.capacity + 1
												  : w == 2 ? record[g.rows]
												  : w < RECORD_AT + g.nwords
													  ? record[w - RECORD_AT]
													  : special[w - RECORD_AT - g.nwords];
		}
	}
}

#endif /* GPURED_GROUPED_EMIT_CUH */

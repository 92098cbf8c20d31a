/*
 * launch_grouped.cu
 *	  Launches of the grouped aggregation, and what the host makes of its groups.
 */
#include "grouped.cuh"
#include "grouped_emit.cuh"
#include "launch.cuh"

constexpr int SECTOR_WORDS = 4;
constexpr uint32_t LEAST_SHARED = 64;   /* slots of a block's table */
constexpr uint32_t SHARED_PLACES = 512; /* in all copies, at least */

static size_t
rounded(size_t size)
{
	return (size + 255) / 256 * 256;
}

static uint32_t
table_capacity(uint32_t groups)
{
	uint32_t capacity = 64;

	while (capacity < ((uint32_t) 1 << 30) && capacity / 2 < groups)
		capacity *= 2;
	return capacity;
}

static int
sectors_of(int words)
{
	return (words + SECTOR_WORDS - 1) / SECTOR_WORDS * SECTOR_WORDS;
}

/* Lay out the records; nothing yet of memory. */
static void
describe(GpuredGroups *g, int key_size, int naggregates, const GpuredOp *ops, const int *columns)
{
	int added = 1; /* words, the rows first */

	*g = GpuredGroups();
	g->key_size = key_size;
	g->naggregates = naggregates;
	g->nwords = 1;
	for (int a = 0; a < naggregates; a++)
	{
		GpuredGroupsAggregate *aggregate = &g->aggregate[a];

		aggregate->kind = ops[a] == GPURED_none ? -1 : (int) gpured_op_info[ops[a]].acc;
		aggregate->size = gpured_op_info[ops[a]].input_size;
		aggregate->column = columns != nullptr ? columns[a] : 0;
		aggregate->sum = aggregate->kind == GPURED_ACC_exact ? g->nsums++ : -1;
		aggregate->is_extreme = aggregate->kind != -1 && aggregate->kind != GPURED_ACC_int64 &&
								aggregate->kind != GPURED_ACC_wide &&
								aggregate->kind != GPURED_ACC_exact;
		if (aggregate->is_extreme)
			aggregate->word = g->nwords++;
		else
			added += grouped_words_of(aggregate->kind);
	}

	/* What is added to is in one sector if it can be, and with the key if all is. */
	g->rows = g->nwords + added <= SECTOR_WORDS ? g->nwords : sectors_of(g->nwords);
	g->nwords = g->rows + 1;
	for (int a = 0; a < naggregates; a++)
		if (!g->aggregate[a].is_extreme)
		{
			g->aggregate[a].word = g->nwords;
			g->nwords += grouped_words_of(g->aggregate[a].kind);
		}
	g->nwords = g->nwords <= 2 ? g->nwords : sectors_of(g->nwords);
}

/* The parts of an object's memory, one after another. */
static size_t
place(GpuredGroups *g, uint32_t groups, uint32_t limb_sets, char *memory)
{
	size_t slots, offset = 0;
	auto part = [&](size_t size) -> void *
	{
		void *p = memory != nullptr ? memory + offset : nullptr;

		offset += rounded(size);
		return p;
	};

	g->capacity = table_capacity(groups);
	g->limb_sets = limb_sets;
	slots = (size_t) g->capacity + 2;
	g->record = (uint64_t *) part(slots * g->nwords * sizeof(uint64_t));
	g->special = (uint32_t *) part(slots * g->nsums * SPECIAL_WORDS * sizeof(uint32_t));
	g->limbs = (uint64_t *) part((size_t) limb_sets * LIMBS * sizeof(uint64_t));
	g->anchor = (int32_t *) part(GPURED_GROUPS_AGGREGATES * sizeof(int32_t));
	g->status = (uint32_t *) part(4 * sizeof(uint32_t));
	return offset;
}

extern "C" size_t
gpured_groups_size(int naggregates, const GpuredOp *ops, uint32_t groups, uint32_t limb_sets)
{
	GpuredGroups g;

	describe(&g, 8, naggregates, ops, nullptr);
	return place(&g, groups, limb_sets, nullptr);
}

extern "C" void
gpured_groups_init(GpuredGroups *g, int key_size, int naggregates, const GpuredOp *ops,
				   const int *columns, uint32_t groups, uint32_t limb_sets, void *memory)
{
	describe(g, key_size, naggregates, ops, columns);
	place(g, groups, limb_sets, (char *) memory);
}

extern "C" int
gpured_groups_words(const GpuredGroups *g)
{
	return RECORD_AT + g->nwords + SPECIAL_WORDS * g->nsums;
}

/* What the device has, asked once. */
struct GroupedDevice
{
	int multiprocessors = 0, most_shared = 0;
	cudaError_t error;

	GroupedDevice()
	{
		int device = 0;

		if ((error = cudaGetDevice(&device)) != cudaSuccess ||
			(error = cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount,
											device)) != cudaSuccess)
			return;
		error =
			cudaDeviceGetAttribute(&most_shared, cudaDevAttrMaxSharedMemoryPerBlockOptin, device);
	}
};

typedef void (*GroupedKernel)(GpuredGroups, GroupsRows);

static cudaError_t
launch_add(GroupedKernel kernel, const GroupedDevice &device, const GpuredGroups &g,
		   const GroupsRows &rows, int threads, size_t shared, cudaStream_t stream)
{
	const size_t tiles = tiles_of(rows.n, (size_t) threads * GROUPED_ROWS);
	int resident = 0;
	cudaError_t error;
	size_t grid;

	if (shared > 48 * 1024 &&
		(error = cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
									  device.most_shared)) != cudaSuccess)
		return error;
	error = cudaOccupancyMaxActiveBlocksPerMultiprocessor(&resident, kernel, threads, shared);
	if (error != cudaSuccess)
		return error;
	grid = (size_t) device.multiprocessors * (resident > 0 ? resident : 1);
	if (grid > tiles)
		grid = tiles;
	LAUNCH(kernel, grid, threads, shared, stream, g, rows);
	return cudaGetLastError();
}

extern "C" int
gpured_launch_groups_add(const GpuredGroups *g, const GpuredGroupsColumn *keys,
						 const GpuredGroupsColumn *columns, size_t n, uint32_t expected,
						 cudaStream_t stream)
{
	static const GroupedDevice device;
	const GpuredGroups groups = *g;
	GroupsRows rows = {};
	GroupedKernel kernel;
	int threads = GROUPED_THREADS;
	size_t shared = 0;
	cudaError_t error;

	if (device.error != cudaSuccess)
		return device.error;
	if (keys != nullptr)
		rows.key = *keys;
	for (int a = 0; a < g->naggregates; a++)
		rows.column[a] = columns[g->aggregate[a].column];
	rows.n = n;
	rows.shared_words = 1;
	rows.added_words = 1;
	for (int a = 0; a < g->naggregates; a++)
	{
		const GpuredGroupsAggregate &aggregate = g->aggregate[a];

		if (!aggregate.is_extreme)
		{
			rows.shared_words += grouped_words_of(aggregate.kind) + 1;
			rows.added_words += grouped_words_of(aggregate.kind);
		}
		else
			rows.shared_extremes++;
	}

	/*
	 * A table for all groups that are expected, at half its capacity or, if there is room
	 * for that, a quarter; or none.
	 */
	rows.shared_capacity = LEAST_SHARED;
	while (rows.shared_capacity / 2 < expected && rows.shared_capacity < ((uint32_t) 1 << 16))
		rows.shared_capacity *= 2;
	if (grouped_shared_bytes(2 * rows.shared_capacity, 0, rows.shared_words,
							 rows.shared_extremes) <= (size_t) device.most_shared)
		rows.shared_capacity *= 2;
	while ((rows.shared_capacity << rows.shared_copies) < SHARED_PLACES)
		rows.shared_copies++;
	shared = grouped_shared_bytes(rows.shared_capacity, rows.shared_copies, rows.shared_words,
								  rows.shared_extremes);
	if (shared <= (size_t) device.most_shared)
	{
		if (shared > (size_t) device.most_shared / 2)
			threads = GROUPED_MOST_THREADS;
		kernel = g->key_size == 4 ? grouped_add<uint32_t, true> : grouped_add<uint64_t, true>;
	}
	else
	{
		kernel = g->key_size == 4 ? grouped_add<uint32_t, false> : grouped_add<uint64_t, false>;
		rows.shared_capacity = 0;
		threads = GROUPED_STAGE_THREADS;
		while (threads > WARP &&
			   grouped_stage_bytes(threads, rows.added_words) > (size_t) device.most_shared / 2)
			threads -= WARP;
		shared = grouped_stage_bytes(threads, rows.added_words);
	}

	if (g->nsums > 0)
	{
		LAUNCH(grouped_anchor, g->nsums, 1024, 0, stream, groups, rows);
		if ((error = cudaGetLastError()) != cudaSuccess)
			return error;
	}
	return launch_add(kernel, device, groups, rows, threads, shared, stream);
}

static size_t
blocks_for(size_t elements)
{
	const size_t blocks = tiles_of(elements, 256);

	return blocks < 4096 ? blocks : 4096;
}

extern "C" int
gpured_launch_groups_clear(const GpuredGroups *g, bool is_new, cudaStream_t stream)
{
	const GpuredGroups groups = *g;

	LAUNCH(grouped_clear, blocks_for((size_t) g->capacity + 2), 256, 0, stream, groups, is_new);
	LAUNCH(grouped_clear_status, 1, WARP, 0, stream, groups);
	return cudaGetLastError();
}

extern "C" int
gpured_launch_groups_emit(const GpuredGroups *g, uint64_t *out, cudaStream_t stream)
{
	const GpuredGroups groups = *g;

	LAUNCH(grouped_emit, blocks_for((size_t) g->capacity + 2), 256, 0, stream, groups, out);
	return cudaGetLastError();
}

extern "C" int64_t
gpured_groups_rows(const uint64_t *group)
{
	return (int64_t) group[2];
}

/* A float sum: its digits, its limbs, and what was special. */
static void
exact_result(const GpuredGroups *g, const uint64_t *group, int aggregate, const uint64_t *limbs,
			 const int32_t *anchor, int64_t n, GpuredExact *x)
{
	const uint64_t *word = group + RECORD_AT + g->aggregate[aggregate].word;
	const int sum = g->aggregate[aggregate].sum;
	const uint64_t *special = group + RECORD_AT + g->nwords + SPECIAL_WORDS * sum;

	gpured_exact_init(x);
	if (special[2] > 0)
	{
		memcpy(x->limb, limbs + (size_t) (special[2] - 1) * LIMBS, sizeof(x->limb));
		gpured_exact_normalize(x);
	}
	for (int d = 0; d < GROUPS_DIGITS; d++)
	{
		if (word[d] != 0)
			gpured_exact_add_scaled(x, (int64_t) word[d],
									anchor[sum] - ANCHOR_OFFSET - GROUPS_DIGIT_BITS * (d + 1) + 1 -
										GPURED_EXACT_BIT0);
	}
	x->flags = (uint32_t) special[0];
	if (n > (int64_t) special[1])
		x->flags |= GPURED_EXACT_NOT_NEGZERO;
}

extern "C" void
gpured_groups_result(const GpuredGroups *g, const uint64_t *group, int aggregate,
					 const uint64_t *limbs, const int32_t *anchor, int64_t n, GpuredAcc *result)
{
	const uint64_t *word = group + RECORD_AT + g->aggregate[aggregate].word;
	int64_t value = (int64_t) word[0];
	__int128 wide;

	memset(result, 0, sizeof(*result));
	result->n = n;
	switch (g->aggregate[aggregate].kind)
	{
		case -1:
			result->n = value;
			break;
		case GPURED_ACC_int64:
			result->v.i64 = value;
			break;
		case GPURED_ACC_wide:
			wide = ((__int128) (int64_t) word[1]) * ((__int128) 1 << 32) + value;
			result->v.i128 = GpuredInt128{(uint64_t) wide, (int64_t) (wide >> 64)};
			break;
		case GPURED_ACC_exact:
			exact_result(g, group, aggregate, limbs, anchor, n, &result->v.exact);
			break;
		case GPURED_ACC_least_int:
			result->v.i64 = ~value;
			break;
		case GPURED_ACC_greatest_int:
			result->v.i64 = value;
			break;
		default:
			if (g->aggregate[aggregate].kind == GPURED_ACC_least_float)
				value = ~value;
			value = value < 0 ? value ^ INT64_MAX : value;
			memcpy(&result->v.f8, &value, sizeof(value));
			if (result->v.f8 != result->v.f8)
			{
				const uint64_t nan_bits = (uint64_t) 0x7ff8 << 48;

				memcpy(&result->v.f8, &nan_bits, sizeof(nan_bits));
			}
	}
}

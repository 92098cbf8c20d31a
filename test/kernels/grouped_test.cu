/*
 * grouped_test.cu
 *	  Grouped aggregation on the card against the CPU device's.
 *
 * See program.h for how it is compiled and called.
 */
#include <map>
#include <utility>
#include <vector>

extern "C"
{
#include "device/grouped.h"
}
#include "kernels/cuda.cuh"
#include "kernels/launch_grouped.h"
#include "test/kernels/data.h"
#include "test/kernels/memory.h"
#include "test/kernels/program.h"

static void *
host_alloc(void *, size_t size)
{
	void *p = malloc(size);

	if (p == nullptr)
		abort();
	return p;
}

static void
host_release(void *, void *p)
{
	free(p);
}

static const GpuredAllocator host_memory = {host_alloc, host_release};

/* One set of rows and aggregates. */
struct Case
{
	const char *name;
	size_t n;
	uint64_t groups; /* about how many */
	int key_size;
	int kind;          /* of values */
	bool nulls;        /* among keys and values */
	bool special_keys; /* a key of all ones */
	bool sorted;
	uint32_t expected; /* groups, as the launch is told */
	std::vector<GpuredOp> ops;
};

/* What the device's group has must be the CPU's. */
static bool
same(const GpuredGrouped *g, uint32_t group, int a, GpuredOp op, const GpuredAcc &got)
{
	const int64_t count = gpured_grouped_count(g, group, a);
	GpuredInt128 sum;
	GpuredExact exact;
	double x, y;

	if (op == GPURED_none)
		return got.n == count;
	switch (gpured_op_info[op].acc)
	{
		case GPURED_ACC_int64:
			return (int64_t) gpured_grouped_int_sum(g, group, a).lo == got.v.i64;
		case GPURED_ACC_wide:
			sum = gpured_grouped_int_sum(g, group, a);
			return sum.lo == got.v.i128.lo && sum.hi == got.v.i128.hi;
		case GPURED_ACC_exact:
		{
			uint8_t want_bytes[GPURED_WINDOW_MAX_BYTES], bytes[GPURED_WINDOW_MAX_BYTES];
			GpuredWindow *w = gpured_window_create(&host_memory, nullptr);
			size_t size, want_size = gpured_grouped_write_window(g, group, a, want_bytes);

			w = gpured_window_add_exact(w, &got.v.exact, &host_memory, nullptr);
			size = gpured_window_write(w, bytes);
			free(w);
			gpured_grouped_exact(g, group, a, &exact);
			gpured_exact_to_double(&exact, &x);
			gpured_exact_to_double(&got.v.exact, &y);
			return size == want_size && memcmp(bytes, want_bytes, size) == 0 &&
				   memcmp(&x, &y, sizeof(x)) == 0;
		}
		case GPURED_ACC_least_int:
		case GPURED_ACC_greatest_int:
			return count == 0 || gpured_grouped_int_extreme(g, group, a) == got.v.i64;
		default:
			x = gpured_grouped_float_extreme(g, group, a);
			return count == 0 || memcmp(&x, &got.v.f8, sizeof(x)) == 0;
	}
}

static void
set_value(GpuredOp op, void *values, int kind, size_t i, size_t n)
{
	const bool is_float = gpured_op_info[op].acc == GPURED_ACC_exact ||
						  gpured_op_info[op].acc == GPURED_ACC_least_float ||
						  gpured_op_info[op].acc == GPURED_ACC_greatest_float;

	switch (gpured_op_info[op].input_size)
	{
		case 2:
			data_value((int16_t *) values + i, kind % DATA_INTEGER_KINDS, i, n);
			break;
		case 4:
			if (is_float)
				data_value((float *) values + i, kind, i, n);
			else
				data_value((int32_t *) values + i, kind % DATA_INTEGER_KINDS, i, n);
			break;
		case 8:
			if (is_float)
				data_value((double *) values + i, kind, i, n);
			else
				data_value((int64_t *) values + i, kind % DATA_INTEGER_KINDS, i, n);
	}
}

/* Report the first difference of a case. */
static void
report(const Case &c, const char *what)
{
	count_test(what == nullptr, "%s: n %zu, %llu groups, keys of %d, %s%s: %s", c.name, c.n,
			   (unsigned long long) c.groups, c.key_size, data_kind_name[c.kind],
			   c.nulls ? ", with NULLs" : "", what == nullptr ? "" : what);
}

static const char *
compare(const Case &c, const GpuredGrouped *g, const GpuredGroups &groups,
		const std::vector<uint64_t> &out, uint32_t ngroups, const std::vector<uint64_t> &limbs,
		const std::vector<int32_t> &anchor)
{
	static char what[200];
	std::map<std::pair<bool, uint64_t>, uint32_t> number;
	const int words = gpured_groups_words(&groups);

	if (ngroups != gpured_grouped_groups(g))
	{
		snprintf(what, sizeof(what), "%u groups, not %u", ngroups, gpured_grouped_groups(g));
		return what;
	}
	for (uint32_t i = 0; i < ngroups; i++)
	{
		uint64_t key = 0;
		bool valid = c.key_size == 0 || gpured_grouped_key(g, i, 0, &key);

		number[{!valid, valid ? key : 0}] = i;
	}
	for (uint32_t i = 0; i < ngroups; i++)
	{
		const uint64_t *group = &out[(size_t) i * words];
		const bool is_null = group[1] != 0;
		auto found = number.find({is_null, is_null ? 0 : group[0]});

		if (found == number.end())
			return "a key that is not there";
		if (gpured_groups_rows(group) != gpured_grouped_rows(g, found->second))
			return "the number of rows";
		for (size_t a = 0; a < c.ops.size(); a++)
		{
			GpuredAcc result;

			gpured_groups_result(&groups, group, (int) a, limbs.data(), anchor.data(),
								 gpured_grouped_count(g, found->second, (int) a), &result);
			if (!same(g, found->second, (int) a, c.ops[a], result))
			{
				snprintf(what, sizeof(what), "%s of aggregate %zu", gpured_op_info[c.ops[a]].name,
						 a);
				return what;
			}
		}
	}
	return nullptr;
}

static void
run(const Case &c, int seed)
{
	const size_t n = c.n;
	const int naggregates = (int) c.ops.size();
	const size_t words32 = (n + 63) / 64 * 2;
	std::vector<uint64_t> keys((n * c.key_size + 15) / 8);
	std::vector<uint32_t> key_valid(words32, ~0u);
	std::vector<std::vector<uint64_t>> values(naggregates);
	std::vector<std::vector<uint32_t>> valid(naggregates);
	std::vector<GpuredGroupedAggregate> aggregates;
	std::vector<GpuredGroupedColumn> columns(naggregates + 1);
	std::vector<int> column_of;
	uint8_t key_size = (uint8_t) c.key_size;

	for (size_t i = 0; i < n; i++)
	{
		uint64_t key = c.sorted ? i * c.groups / n : data_hash(3 * i + (uint64_t) seed) % c.groups;

		key *= c.groups > 100 ? 0x9e3779b97f4a7c15u : 1;
		if (c.special_keys && i % 11 == 0)
			key = ~(uint64_t) 0;
		memcpy((char *) keys.data() + i * c.key_size, &key, c.key_size);
		if (c.nulls && data_hash(i + 7) % 13 == 0)
			key_valid[i / 32] &= ~(1u << i % 32);
	}
	for (int a = 0; a < naggregates; a++)
	{
		values[a].resize(n);
		valid[a].resize(words32, ~0u);
		for (size_t i = 0; i < n; i++)
		{
			set_value(c.ops[a], values[a].data(), (c.kind + 3 * a * (a > 1)) % DATA_KINDS, i, n);
			if (c.nulls && data_hash(i * 5 + a) % 3 == 0)
				valid[a][i / 32] &= ~(1u << i % 32);
		}
		aggregates.push_back({c.ops[a], a});
		column_of.push_back(a);
		columns[a] = {values[a].data(), c.nulls ? (const uint64_t *) valid[a].data() : nullptr};
	}

	/* The reference. */
	GpuredGroupedSpec spec = {};
	GpuredGroupedColumn key_column = {keys.data(),
									  c.nulls ? (const uint64_t *) key_valid.data() : nullptr};

	spec.nkeys = c.key_size > 0;
	spec.key_size = &key_size;
	spec.ncolumns = spec.naggregates = naggregates;
	spec.aggregates = aggregates.data();
	GpuredGrouped *g = gpured_grouped_create(&spec, &host_memory, nullptr);

	gpured_grouped_add(g, &key_column, columns.data(), nullptr, n);

	/* The device: the rows in two parts, the second from a multiple of 64 on. */
	const uint32_t room = (uint32_t) (2 * c.groups < n + 2 ? 2 * c.groups : n + 2);
	const uint32_t limb_sets = (uint32_t) (room * naggregates) + 100;
	const size_t size = gpured_groups_size(naggregates, c.ops.data(), room, limb_sets);
	DeviceArray<uint64_t> memory(size / 8);
	GpuredGroups groups;
	DeviceArray<uint64_t> device_keys(keys);
	DeviceArray<uint32_t> device_key_valid(key_valid);
	std::vector<DeviceArray<uint64_t> *> device_values;
	std::vector<DeviceArray<uint32_t> *> device_valid;
	const size_t cut = n / 128 * 64;
	int error;

	scheduler(seed);
	gpured_groups_init(&groups, c.key_size, naggregates, c.ops.data(), column_of.data(), room,
					   limb_sets, memory.data);
	for (int a = 0; a < naggregates; a++)
	{
		device_values.push_back(new DeviceArray<uint64_t>(values[a]));
		device_valid.push_back(new DeviceArray<uint32_t>(valid[a]));
	}

	/* New memory looks as if one set of limbs had been used; initcheck sees it as it is. */
	if (!preset)
		device_copy(memory.data, std::vector<uint64_t>(size / 8, 0x100000001).data(), size);

	/* Now and then again, after it was cleared. */
	for (int times = 0; times < (seed % 3 == 0 ? 2 : 1); times++)
	{
		error = gpured_launch_groups_clear(&groups, times == 0, 0);
		for (int part = 0; part < 2; part++)
		{
			const size_t first = part == 0 ? 0 : cut;
			const size_t rows = part == 0 ? cut : n - cut;
			GpuredGroupsColumn key_part = {(const char *) device_keys.data + first * c.key_size,
										   c.nulls ? device_key_valid.data + first / 32 : nullptr};
			std::vector<GpuredGroupsColumn> column_part(naggregates + 1);

			if (rows == 0)
				continue;
			for (int a = 0; a < naggregates; a++)
				column_part[a] = {(const char *) device_values[a]->data +
									  first * gpured_op_info[c.ops[a]].input_size,
								  c.nulls ? device_valid[a]->data + first / 32 : nullptr};
			error |= gpured_launch_groups_add(&groups, &key_part, column_part.data(), rows,
											  c.expected, 0);
		}

		const int words = gpured_groups_words(&groups);
		DeviceArray<uint64_t> out((size_t) (groups.capacity + 2) * words);

		error |= gpured_launch_groups_emit(&groups, out.data, 0);
		std::vector<uint32_t> status(3);
		device_copy(status.data(), groups.status, 12);
		std::vector<uint64_t> limbs((size_t) status[1] * GPURED_EXACT_LIMBS);
		std::vector<int32_t> anchor(GPURED_GROUPS_AGGREGATES);
		device_copy(limbs.data(), groups.limbs, limbs.size() * 8);
		device_copy(anchor.data(), groups.anchor, (size_t) groups.nsums * 4);
		if (error != 0)
			report(c, "a launch failed");
		else if (status[0] != 0)
			report(c, status[0] == GPURED_GROUPS_FULL ? "the table is full" : "no limbs are left");
		else
			report(c, compare(c, g, groups, out.get((size_t) status[2] * words), status[2], limbs,
							  anchor));
	}
	gpured_grouped_free(g);
	for (int a = 0; a < naggregates; a++)
	{
		delete device_values[a];
		delete device_valid[a];
	}
}

/* More groups than the table has slots, and more limbs than there are. */
static void
run_out_of_room()
{
	const size_t n = 3000;
	std::vector<uint64_t> keys(n);
	std::vector<double> x(n);
	const GpuredOp op = GPURED_reduce_sum_float8;
	const int column = 0;
	GpuredGroups groups;
	DeviceArray<uint64_t> memory(gpured_groups_size(1, &op, 100, 1) / 8);
	Case c = {"out of room", n, n, 8, DATA_WIDE, false, false, false, 1, {op}};

	for (size_t i = 0; i < n; i++)
	{
		keys[i] = i;
		x[i] = std::ldexp(1.0, (int) (i % 600) - 300);
	}
	DeviceArray<uint64_t> device_keys(keys);
	DeviceArray<double> device_x(x);
	GpuredGroupsColumn key = {device_keys.data, nullptr}, value = {device_x.data, nullptr};
	uint32_t status[3];

	gpured_groups_init(&groups, 8, 1, &op, &column, 100, 1, memory.data);
	gpured_launch_groups_clear(&groups, true, 0);
	gpured_launch_groups_add(&groups, &key, &value, n, 1, 0);
	device_copy(status, groups.status, sizeof(status));
	report(c, status[0] == (GPURED_GROUPS_FULL | GPURED_GROUPS_NO_LIMBS) ? nullptr : "status");
}

int
main(int argc, char **argv)
{
	const std::vector<GpuredOp> one = {GPURED_reduce_sum_float8};
	const std::vector<GpuredOp> usual = {GPURED_reduce_sum_float8, GPURED_reduce_max_float8};
	const std::vector<GpuredOp> many = {GPURED_reduce_sum_int2,   GPURED_none,
										GPURED_reduce_sum_float4, GPURED_reduce_min_float4,
										GPURED_reduce_sum_int8,   GPURED_reduce_sum_float8,
										GPURED_reduce_max_int8,   GPURED_reduce_min_float8};
	const std::vector<GpuredOp> ints = {GPURED_reduce_sum_int4, GPURED_reduce_min_int2,
										GPURED_reduce_max_int4, GPURED_reduce_sum_int8};
	const int seeds = read_arguments(argc, argv, 1, 2);

	for (int seed = 1; seed <= seeds; seed++)
	{
		int turn = seed;

		for (int kind = 0; kind < DATA_KINDS; kind++)
			for (uint64_t groups : {1, 7, 300, 5000})
			{
				const size_t n = (size_t) (small ? 700 : 2500) + 37 * (size_t) (turn % 40);
				const std::vector<GpuredOp> &ops = turn % 4 == 0   ? many
												   : turn % 4 == 1 ? usual
												   : turn % 4 == 2 ? one
																   : ints;
				Case c = {"groups",
						  n,
						  groups,
						  turn % 3 == 0 ? 4 : 8,
						  kind,
						  turn % 5 < 2,
						  turn % 7 == 0,
						  turn % 6 == 0,
						  turn % 8 < 3 ? 1000000u : (uint32_t) groups,
						  ops};

				run(c, turn);
				turn++;
			}

		Case all = {"one group", 3001, 1, 0, DATA_NORMAL, false, false, false, 1, many};
		run(all, seed);
#ifndef GPURED_EMULATED
		for (int kind : {DATA_NORMAL, DATA_CENTS, DATA_WIDE})
			for (uint64_t groups : {1, 1000, 100000})
				for (bool sorted : {false, true})
				{
					Case c = {"large", 1000003,           groups, 8, kind, false, false,
							  sorted,  (uint32_t) groups, usual};

					if (!small)
						run(c, seed);
				}
#endif
	}
	run_out_of_room();
	return print_counts();
}

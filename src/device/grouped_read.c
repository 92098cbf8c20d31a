/*
 * grouped_read.c
 *	  What the groups of the CPU device have: keys, counts, sums and extremes.
 */
#include "device/grouped_parts.h"

#include "exact/span.h"

bool
gpured_grouped_key(const GpuredGrouped *g, uint32_t group, int key, uint64_t *value)
{
	uint32_t	number = group;

	for (int k = g->nkeys - 1; k > 0; k--)
	{
		uint64_t	pair;

		gpured_keys_get(&g->key[g->nkeys + k - 1], number, &pair);
		if (k == key)
			return gpured_keys_get(&g->key[k], (uint32_t) pair, value);
		number = (uint32_t) (pair >> 32);
	}
	return gpured_keys_get(&g->key[0], number, value);
}

int64_t
gpured_grouped_rows(const GpuredGrouped *g, uint32_t group)
{
	int64_t		rows;

	memcpy(&rows, gpured_find_element(&g->record, group), sizeof(rows));
	return rows;
}

int64_t
gpured_grouped_count(const GpuredGrouped *g, uint32_t group, int aggregate)
{
	const GpuredChunks *nulls = &g->nulls[g->aggregate[aggregate].column];

	return gpured_grouped_rows(g, group) - gpured_counter_of(nulls, group);
}

void *
gpured_grouped_state(const GpuredGrouped *g, uint32_t group)
{
	return (char *) gpured_find_element(&g->record, group) + g->state_offset;
}

static const char *
state_of(const GpuredGrouped *g, uint32_t group, int aggregate)
{
	return (const char *) gpured_find_element(&g->record, group) + g->aggregate[aggregate].offset;
}

GpuredInt128
gpured_grouped_int_sum(const GpuredGrouped *g, uint32_t group, int aggregate)
{
	GpuredInt128 result;
	int64_t		narrow;

	if (gpured_op_info[g->aggregate[aggregate].op].acc == GPURED_ACC_wide)
		memcpy(&result, state_of(g, group, aggregate), sizeof(result));
	else
	{
		memcpy(&narrow, state_of(g, group, aggregate), sizeof(narrow));
		result = (GpuredInt128)
		{
			(uint64_t) narrow, narrow < 0 ? -1 : 0
		};
	}
	return result;
}

/* The value, or the rank of a float. */
static int64_t
extreme_of(const GpuredGrouped *g, uint32_t group, int aggregate)
{
	GpuredAccKind kind = gpured_op_info[g->aggregate[aggregate].op].acc;
	int64_t		value;

	memcpy(&value, state_of(g, group, aggregate), sizeof(value));
	return kind == GPURED_ACC_least_int || kind == GPURED_ACC_least_float ? ~value : value;
}

int64_t
gpured_grouped_int_extreme(const GpuredGrouped *g, uint32_t group, int aggregate)
{
	return extreme_of(g, group, aggregate);
}

double
gpured_grouped_float_extreme(const GpuredGrouped *g, uint32_t group, int aggregate)
{
	int64_t		rank = extreme_of(g, group, aggregate);
	double		value;

	if (rank < 0)
		rank ^= INT64_MAX;
	memcpy(&value, &rank, sizeof(value));
	return gpured_canonical_float(value);
}

GpuredWindow *
gpured_grouped_window(const GpuredGrouped *g, uint32_t group, int aggregate,
					  const GpuredAllocator *mem, void *arg)
{
	const GpuredFloatSum *sum = g->aggregate[aggregate].sum;
	GpuredWindow *const *kept = gpured_find_element(&sum->window, group);
	GpuredWindow *w;
	int64_t		digit[2];

	memcpy(digit, state_of(g, group, aggregate), sizeof(digit));
	w = kept != NULL && *kept != NULL ? gpured_window_copy(*kept, mem, arg) : gpured_window_create(mem, arg);
	for (int i = 0; i < 2; i++)
	{
		if (digit[i] != 0)
			w = gpured_window_add_scaled(w, digit[i], gpured_digit_unit(sum, i), mem, arg);
	}
	if (gpured_grouped_count(g, group, aggregate) > gpured_counter_of(&sum->negative_zeros, group))
		w->flags |= GPURED_EXACT_NOT_NEGZERO;
	return w;
}

/*
 * Both digits together are an integer of 128 bits; it is a double if 53 of them
 * are enough.  The grid is far from the least and the greatest doubles.
 */
bool
gpured_grouped_double(const GpuredGrouped *g, uint32_t group, int aggregate, double *sum)
{
	const GpuredFloatSum *s = g->aggregate[aggregate].sum;
	GpuredWindow *const *kept = gpured_find_element(&s->window, group);
	int64_t		digit[2];
	__int128	value;
	unsigned __int128 magnitude;
	uint64_t	low;
	int			zeros;

	if (kept != NULL && *kept != NULL)
		return false;
	memcpy(digit, state_of(g, group, aggregate), sizeof(digit));
	value = (__int128) digit[0] * (INT64_C(1) << DIGIT_BITS) + digit[1];
	if (value == 0)
	{
		*sum = gpured_counter_of(&s->negative_zeros, group) <
			gpured_grouped_count(g, group, aggregate) ? 0.0 : -0.0;
		return true;
	}
	magnitude = value < 0 ? -(unsigned __int128) value : (unsigned __int128) value;
	low = (uint64_t) magnitude;
	zeros = low != 0 ? __builtin_ctzll(low) : 64 + __builtin_ctzll((uint64_t) (magnitude >> 64));
	magnitude >>= zeros;
	if (magnitude >> 53 != 0)
		return false;
	*sum = (double) (int64_t) magnitude * gpured_power_of_two(gpured_digit_unit(s, 1) + zeros);
	if (value < 0)
		*sum = -*sum;
	return true;
}

/* Room for the windows that a copy and two additions make, and never release. */
typedef struct Scratch
{
	size_t		used;
	uint64_t	space[4 * (1 + GPURED_SPAN_LIMBS)];
} Scratch;

static void *
scratch_alloc(void *arg, size_t size)
{
	Scratch    *s = arg;
	void	   *p = &s->space[s->used];

	s->used += size / sizeof(s->space[0]);
	return p;
}

static void
scratch_release(void *arg, void *pointer)
{
	(void) arg;
	(void) pointer;
}

static const GpuredAllocator scratch_allocator = {scratch_alloc, scratch_release};

size_t
gpured_grouped_write_window(const GpuredGrouped *g, uint32_t group, int aggregate, uint8_t *out)
{
	Scratch		scratch;

	scratch.used = 0;
	return gpured_window_write(gpured_grouped_window(g, group, aggregate, &scratch_allocator, &scratch), out);
}

void
gpured_grouped_exact(const GpuredGrouped *g, uint32_t group, int aggregate, GpuredExact *x)
{
	Scratch		scratch;

	scratch.used = 0;
	gpured_window_to_exact(gpured_grouped_window(g, group, aggregate, &scratch_allocator, &scratch), x);
}

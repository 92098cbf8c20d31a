/*
 * grouped_float.c
 *	  Float sums of many groups on the CPU device.
 *
 * A group's sum is two digits of 46 bits on a grid that all groups of a column
 * share.  A value is cut into digits with vector instructions (see cpu_sum.c), and
 * a row costs one addition of two integers.  The digits of a group go over to its
 * window (window.h) every 2^16 rows, before they can overflow, and when the grid
 * moves.  A value that does not fit the grid goes there at once, and if most
 * values do not, all of them do for a while.
 */
#include "device/grouped_parts.h"

/* Exponents that a grid may be anchored at, and room above what it is anchored by. */
#define LOWEST_ANCHOR	(-800)
#define HIGHEST_ANCHOR	1000
#define ANCHOR_MARGIN	5
#define ORDINARY_ANCHOR 40

/* A grid is no good if more than one in so many values of a tile miss it. */
#define MISFIT_SHARE	4

/* It may move after so many rows for each group. */
#define ROWS_PER_MOVE	16

static inline GpuredWindow **
window_of(GpuredGrouped *g, GpuredFloatSum *sum, uint32_t group)
{
	GpuredWindow **window = gpured_make_element(g, &sum->window, group);

	if (__builtin_expect(*window == NULL, 0))
		*window = gpured_window_create(&gpured_grouped_windows, g);
	return window;
}

/* Move a group's digits to its window. */
void
gpured_drain_sum(GpuredGrouped *g, GpuredGroupedPart *a, uint32_t group, char *record)
{
	int64_t		digit[2];
	GpuredWindow **window;

	memcpy(digit, record + a->offset, sizeof(digit));
	if (digit[0] == 0 && digit[1] == 0)
		return;
	window = window_of(g, a->sum, group);
	for (int i = 0; i < 2; i++)
		*window = gpured_window_add_scaled(*window, digit[i], gpured_digit_unit(a->sum, i),
										   &gpured_grouped_windows, g);
	memset(record + a->offset, 0, sizeof(digit));
}

static inline double
value_at(const void *values, size_t size, size_t i)
{
	return size == sizeof(float) ? ((const float *) values)[i] : ((const double *) values)[i];
}

static void
set_anchor(GpuredFloatSum *sum, int anchor)
{
	sum->anchor = anchor;
	sum->anchored = true;
	sum->digits.n = 2;
	sum->digits.bound = gpured_power_of_two(anchor);
	for (int i = 0; i < 2; i++)
		sum->digits.magic[i] = 1.5 * gpured_power_of_two(52 + gpured_digit_unit(sum, i));
}

/* Where a grid for these values would be anchored. */
static int
anchor_for(const void *values, size_t size, size_t n)
{
	double		greatest = 0;
	uint64_t	bits;
	int			anchor;

	for (size_t i = 0; i < n; i++)
	{
		double		value = value_at(values, size, i);
		double		magnitude = value < 0 ? -value : value;

		if (magnitude > greatest && magnitude < gpured_power_of_two(HIGHEST_ANCHOR - ANCHOR_MARGIN))
			greatest = magnitude;
	}
	if (greatest == 0)
		return ORDINARY_ANCHOR;
	memcpy(&bits, &greatest, sizeof(bits));
	anchor = (int) (bits >> 52) - 1022 + ANCHOR_MARGIN;
	return anchor < LOWEST_ANCHOR ? LOWEST_ANCHOR : anchor;
}

/* Whether the digits of a value are not all of it: what the vector loops say. */
static inline bool
is_misfit(double value, const GpuredDigits *d)
{
	double		rest = value - ((value + d->magic[0]) - d->magic[0]);

	if (!(value < d->bound && value > -d->bound))
		return true;
	return (rest + d->magic[1]) - d->magic[1] != rest || gpured_is_negzero(value);
}

/* The values that miss the grid, into index[]; *wide of them are ordinary numbers. */
static size_t
find_misfits(const GpuredFloatSum *sum, const void *values, size_t size, size_t n, uint32_t *index,
			 size_t *wide)
{
	size_t		found = 0;

	*wide = 0;
	for (size_t i = 0; i < n; i++)
	{
		double		value = value_at(values, size, i);

		if (!is_misfit(value, &sum->digits))
			continue;
		index[found++] = (uint32_t) i;
		*wide += !gpured_is_negzero(value) && gpured_is_finite(value);
	}
	return found;
}

static inline void
add_to_window(GpuredGrouped *g, GpuredFloatSum *sum, uint32_t group, double value)
{
	GpuredWindow **window;

	if (gpured_is_negzero(value))
	{
		++*(uint32_t *) gpured_make_element(g, &sum->negative_zeros, group);
		return;
	}
	window = window_of(g, sum, group);
	*window = gpured_window_add(*window, value, &gpured_grouped_windows, g);
}

static bool
cut(const GpuredFloatSum *sum, const void *values, size_t size, size_t n, GpuredDigitPair *pair)
{
	if (size == sizeof(float))
		return gpured_cpu_kernels()->cut_float4(values, n, &sum->digits, pair);
	return gpured_cpu_kernels()->cut_float8(values, n, &sum->digits, pair);
}

/*
 * Too many values of a tile miss the grid.  Move it to where they are, if it
 * fits them there and has not moved lately; else leave what comes to the windows
 * for a while.
 */
static void
move_grid(GpuredGrouped *g, GpuredGroupedPart *a, const void *values, size_t size, size_t n)
{
	GpuredFloatSum *sum = a->sum;
	GpuredFloatSum moved = *sum;
	uint32_t	index[TILE];
	size_t		wide;

	set_anchor(&moved, anchor_for(values, size, n));
	find_misfits(&moved, values, size, n, index, &wide);
	if (wide > n / MISFIT_SHARE || sum->rows / ROWS_PER_MOVE < g->ngroups)
	{
		sum->wide = sum->next_wide;
		if (sum->next_wide < MAX_WIDE_TILES)
			sum->next_wide *= 2;
		return;
	}
	for (uint32_t group = 0; group < g->ngroups; group++)
		gpured_drain_sum(g, a, group, gpured_find_element(&g->record, group));
	set_anchor(sum, moved.anchor);
	sum->rows = 0;
	sum->next_wide = MIN_WIDE_TILES;
}

static void
fold_pairs(const GpuredTile *tile, size_t offset, const GpuredDigitPair *pair)
{
	typedef int64_t Pair __attribute__((vector_size(16)));
	char	  **record = tile->record;
	const size_t n = tile->n;
	Pair		total;
	Pair		value;

	if (tile->one_group)
	{
		memcpy(&total, record[0] + offset, sizeof(total));
		for (size_t i = 0; i < n; i++)
		{
			memcpy(&value, &pair[i], sizeof(value));
			total += value;
		}
		memcpy(record[0] + offset, &total, sizeof(total));
		return;
	}
#pragma GCC unroll 4
	for (size_t i = 0; i < n; i++)
	{
		char	   *where = record[i] + offset;

		memcpy(&total, where, sizeof(total));
		memcpy(&value, &pair[i], sizeof(value));
		total += value;
		memcpy(where, &total, sizeof(total));
	}
}

void
gpured_fold_float_sum(GpuredGrouped *g, GpuredGroupedPart *a, const GpuredTile *tile, const void *values,
					  size_t size)
{
	GpuredFloatSum *sum = a->sum;
	GpuredDigitPair pair[TILE];
	uint32_t	index[TILE];
	size_t		misfits = 0;
	size_t		wide = 0;

	sum->rows += tile->n;
	if (!sum->anchored)
		set_anchor(sum, anchor_for(values, size, tile->n));
	if (sum->wide == 0 && !cut(sum, values, size, tile->n, pair))
	{
		misfits = find_misfits(sum, values, size, tile->n, index, &wide);
		if (wide > tile->n / MISFIT_SHARE)
		{
			move_grid(g, a, values, size, tile->n);
			if (sum->wide == 0)
			{
				cut(sum, values, size, tile->n, pair);
				misfits = find_misfits(sum, values, size, tile->n, index, &wide);
			}
		}
	}
	if (sum->wide > 0)
	{
		sum->wide--;
		for (size_t i = 0; i < tile->n; i++)
			add_to_window(g, sum, tile->group[i], value_at(values, size, i));
		return;
	}
	for (size_t i = 0; i < misfits; i++)
	{
		pair[index[i]] = (GpuredDigitPair)
		{
			{
				0, 0
			}
		};
		add_to_window(g, sum, tile->group[index[i]], value_at(values, size, index[i]));
	}
	fold_pairs(tile, a->offset, pair);
}

/*
 * dictionary.c
 *	  Numbers for the values of a column that has few.
 *
 * The planner's statistics have said that there are few.  Where they were wrong it is
 * given up, and its memory released: then each row costs what it does without.
 */
#include "postgres.h"

#include "utils/memutils.h"

#include "scan/dictionary.h"
#include "scan/images.h"
#include "scan/program_node.h"

/* It is given up with more values, or more memory, */
#define MAX_VALUES 65536
#define MAX_BYTES (8 * 1024 * 1024)

/*
 * or if, after some rows, more than a quarter of them had values of their own: so many rows
 * that the most values that the planner takes for few are fewer than that, in any order.
 */
#define ROWS_TO_JUDGE 100000

struct GpuredDictionary
{
	int			column;
	GpuredImages *images;
	bool		given_up;
	uint64		rows;			/* that were looked for */
	Size		charged;		/* bytes that others keep */
	uint64		found;			/* columns->moves at which the numbers were
								 * found, */
	int			n;				/* and of how many rows */
	uint32		number[GPURED_PAGE_ROWS];
	GpuredDictionary *next;		/* of another column */
};

GpuredDictionary *
gpured_dictionary_of(GpuredColumns *columns, int column)
{
	GpuredDictionary *result = columns->dictionaries;

	while (result != NULL && result->column != column)
		result = result->next;
	if (result == NULL)
	{
		MemoryContext old = MemoryContextSwitchTo(columns->context);

		result = palloc0(sizeof(GpuredDictionary));
		result->column = column;
		result->images = gpured_images_create(&result->column, 1, columns, columns->context);
		result->next = columns->dictionaries;
		columns->dictionaries = result;
		MemoryContextSwitchTo(old);
	}
	return result;
}

bool
gpured_dictionary_is_given_up(const GpuredDictionary *dictionary)
{
	return dictionary->given_up;
}

static void
give_up(GpuredDictionary *dictionary)
{
	dictionary->given_up = true;
	gpured_images_reset(dictionary->images);
}

/*
 * Whether all values lie in the page as they are: of one that has been made complete,
 * pg_column_size() would tell another size.
 */
static bool
are_plain(const GpuredColumns *columns, const GpuredColumn *column, int n)
{
	const int	row = columns->n;
	const Datum *values = (const Datum *) column->values + row;

	if (column->detoasted == columns->moves)
		return false;
	for (int i = 0; column->len == -1 && i < n; i++)
	{
		if (!column->nulls[row + i] && !gpured_is_plain_string(DatumGetPointer(values[i])))
			return false;
	}
	return true;
}

static bool
has_too_many(const GpuredDictionary *dictionary)
{
	uint32		count = gpured_images_count(dictionary->images);

	return count > MAX_VALUES ||
		dictionary->charged + gpured_images_memory(dictionary->images) > MAX_BYTES ||
		(dictionary->rows >= ROWS_TO_JUDGE && count > dictionary->rows / 4);
}

const uint32 *
gpured_dictionary_find(GpuredDictionary *dictionary, const GpuredColumns *columns, int n)
{
	if (dictionary->given_up)
		return NULL;
	if (dictionary->found == columns->moves && dictionary->n == n)
		return dictionary->number;
	if (!are_plain(columns, &columns->column[dictionary->column], n))
		return NULL;
	gpured_images_find(dictionary->images, columns, columns->n, n, dictionary->number);
	dictionary->rows += n;
	dictionary->found = columns->moves;
	dictionary->n = n;
	if (has_too_many(dictionary))
	{
		give_up(dictionary);
		return NULL;
	}
	return dictionary->number;
}

uint32
gpured_dictionary_count(const GpuredDictionary *dictionary)
{
	return gpured_images_count(dictionary->images);
}

Datum
gpured_dictionary_value(const GpuredDictionary *dictionary, const GpuredColumns *columns,
						uint32 number, bool *null)
{
	return gpured_images_value(dictionary->images, columns, number, 0, null);
}

void
gpured_dictionary_charge(GpuredDictionary *dictionary, Size bytes)
{
	dictionary->charged += bytes;
}

void
gpured_dictionaries_discharge(GpuredColumns *columns)
{
	for (GpuredDictionary *dictionary = columns->dictionaries; dictionary != NULL;
		 dictionary = dictionary->next)
		dictionary->charged = 0;
}

/*
 * program_list.c
 *	  The nodes of programs that look for a value in a list, or a string in a pattern.
 */
#include "postgres.h"

#include "common/hashfn.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/uuid.h"

#include "compat.h"
#include "scan/program_node.h"

/* The values of a list that are not NULL. */
typedef struct GpuredList
{
	bool		is_null;		/* the array itself */
	bool		has_null;		/* in it */
	int			n;
	int64	   *i;				/* in order, if they are integers */
	double	   *d;				/* the same place */
	uint8	   *scale;
	int		   *slots;			/* of a hash table of strings: number + 1 */
	uint32		mask;
} GpuredList;

/* What is between the percent signs of a pattern. */
typedef struct GpuredPattern
{
	bool		from_start;
	bool		to_end;
	int			npieces;
	struct varlena *pieces[FLEXIBLE_ARRAY_MEMBER];
} GpuredPattern;

/* ---- lists -------------------------------------------------------------- */

static int
compare_ints(const void *a, const void *b)
{
	int64		x = *(const int64 *) a;
	int64		y = *(const int64 *) b;

	return (x > y) - (x < y);
}

/* The bytes of a value that count when it is compared. */
static inline const char *
bytes_of(ValueClass value_class, int64 value, Size *size)
{
	const void *pointer = (const void *) value;

	if (value_class == CLASS_UUID)
	{
		*size = UUID_LEN;
		return pointer;
	}
	*size = value_class == CLASS_BPCHAR ? gpured_size_without_blanks(pointer) :
		VARSIZE_ANY_EXHDR(pointer);
	return VARDATA_ANY(pointer);
}

/* Whether a value is in the hash table; "slot" is where it is or would be. */
static bool
find_bytes(const GpuredList *list, ValueClass value_class, int64 value, uint32 *slot)
{
	Size		size;
	const char *bytes = bytes_of(value_class, value, &size);

	*slot = hash_bytes((const unsigned char *) bytes, (int) size) & list->mask;
	for (; list->slots[*slot] != 0; *slot = (*slot + 1) & list->mask)
	{
		Size		other_size;
		const char *other = bytes_of(value_class, list->i[list->slots[*slot] - 1], &other_size);

		if (size == other_size && memcmp(bytes, other, size) == 0)
			return true;
	}
	return false;
}

static void
hash_list(GpuredList *list, ValueClass value_class)
{
	uint32		nslots = 16;

	while (nslots < 2 * (uint32) list->n)
		nslots *= 2;
	list->mask = nslots - 1;
	list->slots = palloc0(nslots * sizeof(int));
	for (int j = 0; j < list->n; j++)
	{
		uint32		slot;

		if (!find_bytes(list, value_class, list->i[j], &slot))
			list->slots[slot] = j + 1;
	}
}

/* Take the values of an array; false if one has no representation here. */
static bool
read_array(GpuredList *list, const ArrayType *array, GpuredDomain domain)
{
	Oid			type = ARR_ELEMTYPE(array);
	int16		len;
	bool		byval;
	char		align;
	Datum	   *elems;
	bool	   *nulls;
	int			n;
	bool		representable = true;

	get_typlenbyvalalign(type, &len, &byval, &align);
	deconstruct_array((ArrayType *) array, type, len, byval, align, &elems, &nulls, &n);
	list->i = palloc(Max(n, 1) * sizeof(int64));
	list->d = (double *) list->i;
	list->scale = palloc(Max(n, 1) * sizeof(uint8));
	for (int i = 0; i < n; i++)
	{
		GpuredValue value;

		list->has_null |= nulls[i];
		if (nulls[i])
			continue;
		if (len == -1)
			elems[i] = PointerGetDatum(PG_DETOAST_DATUM(elems[i]));
		representable &= gpured_value_of_datum(domain, getBaseType(type), elems[i], &value);
		list->i[list->n] = value.i;
		list->scale[list->n++] = value.scale;
	}
	return representable;
}

/* Learn the elements of an array. */
static void
evaluate_list(GpuredProgram *program)
{
	bool		null;
	Datum		value = ExecEvalExprSwitchContext(program->state, program->econtext, &null);
	MemoryContext old = MemoryContextSwitchTo(program->context);
	GpuredList *list = palloc0(sizeof(GpuredList));
	GpuredDomain domain = program->args[0]->domain;
	bool		representable = true;

	list->is_null = null;
	if (!null)
		representable = read_array(list, DatumGetArrayTypePCopy(value), domain);
	if (!null && domain == GPURED_DOMAIN_INT)
		qsort(list->i, list->n, sizeof(int64), compare_ints);
	else if (!null && program->value_class >= CLASS_STRING)
		hash_list(list, program->value_class);
	else if (list->n > GPURED_SHORT_LIST)
		representable = false;	/* PostgreSQL has hashed it */
	MemoryContextSwitchTo(old);
	program->list = list;
	program->unusable = !representable;
	program->evaluated = true;
}

#define FIND_VALUE(same) \
	for (int j = 0; j < list->n && !found; j++) \
		found = same

static inline bool
is_in_list(const GpuredProgram *program, const GpuredProgram *arg, int i)
{
	const GpuredList *list = program->list;
	bool		found = false;

	switch (program->value_class)
	{
		case CLASS_FLOAT:
			FIND_VALUE(gpured_float_eq(arg->d[i], list->d[j]));
			break;
		case CLASS_NUMERIC:
			FIND_VALUE(gpured_numeric_compare(arg->i[i], arg->scale[i], list->i[j],
											  list->scale[j]) == 0);
			break;
		case CLASS_STRING:
		case CLASS_BPCHAR:
		case CLASS_UUID:
			{
				uint32		slot;

				return find_bytes(list, program->value_class, arg->i[i], &slot);
			}
		default:
			if (list->n > GPURED_SHORT_LIST)
				return bsearch(&arg->i[i], list->i, list->n, sizeof(int64), compare_ints) != NULL;
			for (int j = 0; j < list->n; j++)
				found |= arg->i[i] == list->i[j];
			break;
	}
	return found;
}

/* = ANY: true if one is equal, else NULL if one is NULL.  <> ALL: its negation. */
bool
gpured_compute_in(GpuredProgram *program, const GpuredColumns *columns, int n, const bool *active)
{
	const GpuredProgram *arg = program->args[0];
	const GpuredList *list;

	if (!gpured_program_compute(program->args[0], columns, n, active))
		return false;
	if (!program->evaluated)
		evaluate_list(program);
	if (program->unusable)
		return false;
	list = program->list;
	for (int i = 0; i < n; i++)
	{
		bool		found;

		program->i[i] = program->negated;
		program->null[i] = false;

		/* A test of nothing has an answer even for NULL. */
		if (!active[i] || (!list->is_null && list->n == 0 && !list->has_null))
			continue;
		if (list->is_null || arg->null[i])
		{
			program->null[i] = true;
			continue;
		}
		found = is_in_list(program, arg, i);
		program->i[i] = found != program->negated;
		program->null[i] = !found && list->has_null;
	}
	return true;
}

/* ---- patterns ----------------------------------------------------------- */

/* Cut a pattern into its pieces. */
GpuredPattern *
gpured_pattern_create(const char *string)
{
	Size		len = strlen(string);
	GpuredPattern *pattern = palloc0(offsetof(GpuredPattern, pieces) +
									 (len / 2 + 1) * sizeof(struct varlena *));

	pattern->from_start = string[0] != '%';
	pattern->to_end = len == 0 || string[len - 1] != '%';
	while (*string != '\0')
	{
		Size		size = strcspn(string, "%");

		if (size > 0)
			pattern->pieces[pattern->npieces++] =
				(struct varlena *) cstring_to_text_with_len(string, size);
		string += size;
		if (*string == '%')
			string++;
	}
	return pattern;
}

/* Where a piece is at the earliest, or NULL. */
static const char *
find_piece(const char *from, const char *end, const struct varlena *piece)
{
	const char *data = VARDATA(piece);
	Size		size = VARSIZE(piece) - VARHDRSZ;

	while ((Size) (end - from) >= size)
	{
		from = memchr(from, data[0], end - from - size + 1);
		if (from == NULL || memcmp(from, data, size) == 0)
			return from;
		from++;
	}
	return NULL;
}

/* Each piece as early as possible, but the last at the end if it must be there. */
static bool
is_like(const GpuredPattern *pattern, const void *string)
{
	const char *from = VARDATA_ANY(string);
	const char *end = from + VARSIZE_ANY_EXHDR(string);
	int			first = 0;
	int			last = pattern->npieces;

	if (pattern->npieces == 0)
		return !pattern->from_start || from == end;
	if (pattern->from_start)
	{
		Size		size = VARSIZE(pattern->pieces[0]) - VARHDRSZ;

		if ((Size) (end - from) < size || memcmp(from, VARDATA(pattern->pieces[0]), size) != 0)
			return false;
		from += size;
		first++;
		if (last == 1)
			return !pattern->to_end || from == end;
	}
	if (pattern->to_end)
	{
		Size		size = VARSIZE(pattern->pieces[--last]) - VARHDRSZ;

		if ((Size) (end - from) < size ||
			memcmp(end - size, VARDATA(pattern->pieces[last]), size) != 0)
			return false;
		end -= size;
	}
	for (int p = first; p < last; p++)
	{
		from = find_piece(from, end, pattern->pieces[p]);
		if (from == NULL)
			return false;
		from += VARSIZE(pattern->pieces[p]) - VARHDRSZ;
	}
	return true;
}

bool
gpured_compute_like(GpuredProgram *program, const GpuredColumns *columns, int n, const bool *active)
{
	const GpuredProgram *arg = program->args[0];

	if (!gpured_program_compute(program->args[0], columns, n, active))
		return false;
	for (int i = 0; i < n; i++)
	{
		program->null[i] = arg->null[i];
		program->i[i] = active[i] && !arg->null[i] &&
			is_like(program->pattern, (const void *) arg->i[i]) != program->negated;
	}
	return true;
}

/*
 * program_compute.c
 *	  The nodes of programs that are no functions: columns, constants, comparisons,
 *	  logic and conditions.
 *
 * Each node is computed for all rows of a page, of which only "active" ones matter:
 * those at which PostgreSQL would arrive.  The others' values are whatever comes
 * out; pointers of theirs are never followed.
 */
#include "postgres.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "common/hashfn.h"
#include "utils/array.h"
#include "utils/cash.h"
#include "utils/date.h"
#include "utils/datum.h"
#include "utils/lsyscache.h"
#include "utils/timestamp.h"
#include "utils/uuid.h"

#include "compat.h"
#include "scan/program_node.h"

static bool
is_any(const bool *rows, int n)
{
	return memchr(rows, true, n) != NULL;
}

/* ---- columns and constants ---------------------------------------------- */

static bool
load_numerics(GpuredProgram *program, const Datum *values, int n, const bool *active)
{
	for (int i = 0; i < n; i++)
	{
		const struct varlena *numeric = (const struct varlena *) DatumGetPointer(values[i]);

		if (!active[i] | program->null[i])
			continue;
		if (!gpured_is_plain_string(numeric) ||
			!gpured_numeric_read(numeric, &program->i[i], &program->scale[i]))
			return false;
	}
	return true;
}

static bool
load_strings(const GpuredProgram *program, int n, const bool *active)
{
	for (int i = 0; i < n; i++)
	{
		if (active[i] & !program->null[i] && !gpured_is_plain_string((const void *) program->i[i]))
			return false;
	}
	return true;
}

/* What has 64 bits is used where it is. */
static bool
load_column(GpuredProgram *program, const GpuredColumns *columns, int n, const bool *active)
{
	const GpuredColumn *column = &columns->column[program->column];
	int			row = columns->n;

#define LOAD(ctype, array) \
	for (int i = 0; i < n; i++) \
		program->array[i] = ((const ctype *) column->values)[row + i]

	program->null = column->nulls + row;
	switch (program->domain)
	{
		case GPURED_DOMAIN_FLOAT:
			if (column->len == 4)
				LOAD(float4, d);
			else
				program->i = (int64 *) column->values + row;
			break;
		case GPURED_DOMAIN_INT:
			if (column->len == 8)
				program->i = (int64 *) column->values + row;
			else if (program->type == BOOLOID)
				LOAD(bool, i);
			else if (column->len == 2)
				LOAD(int16, i);
			else if (program->value_class == CLASS_OID)
				LOAD(Oid, i);
			else
				LOAD(int32, i);
			break;
		case GPURED_DOMAIN_NUMERIC:
			return load_numerics(program, (const Datum *) column->values + row, n, active);
		case GPURED_DOMAIN_STRING:
			program->i = (int64 *) column->values + row;
			return load_strings(program, n, active);
		case GPURED_DOMAIN_UUID:
		case GPURED_DOMAIN_INTERVAL:
			program->i = (int64 *) column->values + row;
			break;
		case GPURED_DOMAIN_OTHER:
			break;
	}
#undef LOAD
	program->d = (double *) program->i;
	return true;
}

/*
 * Put a Datum into a row.  "representable" is cleared if it cannot be.  Values that
 * are passed by reference stay where they are.
 */
void
gpured_constant_set(GpuredProgram *program, int row, Datum value, bool null, bool *representable)
{
	program->null[row] = null;
	program->i[row] = 0;
	if (null)
		return;
	switch (program->domain)
	{
		case GPURED_DOMAIN_FLOAT:
			program->d[row] = program->type == FLOAT4OID ? DatumGetFloat4(value) :
				DatumGetFloat8(value);
			break;
		case GPURED_DOMAIN_NUMERIC:
			*representable &= gpured_numeric_read((struct varlena *) DatumGetPointer(value),
												  &program->i[row], &program->scale[row]);
			break;
		case GPURED_DOMAIN_INT:
			switch (program->type)
			{
				case BOOLOID:
					program->i[row] = DatumGetBool(value);
					break;
				case INT2OID:
					program->i[row] = DatumGetInt16(value);
					break;
				case INT4OID:
				case DATEOID:
					program->i[row] = DatumGetInt32(value);
					break;
				case INT8OID:
				case TIMEOID:
				case TIMESTAMPOID:
				case TIMESTAMPTZOID:
				case CASHOID:
					program->i[row] = DatumGetInt64(value);
					break;
				default:
					program->i[row] = DatumGetObjectId(value);
					break;
			}
			break;
		default:
			program->i[row] = (int64) value;
			break;
	}
}

/* A value that stays, of the type's own or of a string's whole bytes. */
static Datum
keep_value(const GpuredProgram *program, Datum value)
{
	MemoryContext old = MemoryContextSwitchTo(program->context);
	int16		len;
	bool		byval;

	get_typlenbyval(program->type, &len, &byval);
	if (len == -1)
		value = PointerGetDatum(PG_DETOAST_DATUM_COPY(value));
	else
		value = datumCopy(value, byval, len);
	MemoryContextSwitchTo(old);
	return value;
}

static bool
fill_constant(GpuredProgram *program, int n)
{
	bool		representable = true;

	if (!program->evaluated)
	{
		bool		null;
		Datum		value = ExecEvalExprSwitchContext(program->state, program->econtext, &null);

		gpured_constant_set(program, 0, null ? value : keep_value(program, value), null,
							&representable);
		program->unusable = !representable;
		program->evaluated = true;
		program->filled = 1;
	}
	if (program->unusable)
		return false;
	if (program->filled >= n)
		return true;
	memset(program->null, program->null[0], n);
	for (int i = 1; i < n; i++)
		program->i[i] = program->i[0];
	if (program->domain == GPURED_DOMAIN_NUMERIC)
		memset(program->scale, program->scale[0], n);
	program->filled = n;
	return true;
}

/* ---- comparisons -------------------------------------------------------- */

static inline bool
same_strings(const void *a, const void *b)
{
	Size		size = VARSIZE_ANY_EXHDR(a);

	return size == VARSIZE_ANY_EXHDR(b) && memcmp(VARDATA_ANY(a), VARDATA_ANY(b), size) == 0;
}

static inline Size
size_without_blanks(const void *string)
{
	const char *data = VARDATA_ANY(string);
	Size		size = VARSIZE_ANY_EXHDR(string);

	while (size > 0 && data[size - 1] == ' ')
		size--;
	return size;
}

static inline bool
same_bpchars(const void *a, const void *b)
{
	Size		size = size_without_blanks(a);

	return size == size_without_blanks(b) && memcmp(VARDATA_ANY(a), VARDATA_ANY(b), size) == 0;
}

#define INT_LT(a, b) ((a) < (b))
#define INT_EQ(a, b) ((a) == (b))

/* All six comparisons by two of them. */
#define COMPARE_ROWS(LESS, EQUAL, a, b) \
	switch (comparison) \
	{ \
		case LT: \
			for (int i = 0; i < n; i++) result[i] = LESS((a)[i], (b)[i]); \
			break; \
		case LE: \
			for (int i = 0; i < n; i++) result[i] = !LESS((b)[i], (a)[i]); \
			break; \
		case EQ: \
			for (int i = 0; i < n; i++) result[i] = EQUAL((a)[i], (b)[i]); \
			break; \
		case GE: \
			for (int i = 0; i < n; i++) result[i] = !LESS((a)[i], (b)[i]); \
			break; \
		case GT: \
			for (int i = 0; i < n; i++) result[i] = LESS((b)[i], (a)[i]); \
			break; \
		case NE: \
			for (int i = 0; i < n; i++) result[i] = !EQUAL((a)[i], (b)[i]); \
			break; \
	}

/* For comparisons that are known by their sign. */
static inline bool
holds(Comparison comparison, int sign)
{
	switch (comparison)
	{
		case LT:
			return sign < 0;
		case LE:
			return sign <= 0;
		case EQ:
			return sign == 0;
		case GE:
			return sign >= 0;
		case GT:
			return sign > 0;
		default:
			return sign != 0;
	}
}

/* Compare two nodes' rows; only live ones' pointers are followed. */
static void
compare_rows(Comparison comparison, ValueClass value_class, const GpuredProgram *left,
			 const GpuredProgram *right, int n, const bool *live, int64 *result)
{
	switch (value_class)
	{
		case CLASS_FLOAT:
			COMPARE_ROWS(gpured_float_lt, gpured_float_eq, left->d, right->d);
			break;
		case CLASS_NUMERIC:
			for (int i = 0; i < n; i++)
				result[i] = live[i] &&
					holds(comparison, gpured_numeric_compare(left->i[i], left->scale[i],
															 right->i[i], right->scale[i]));
			break;
		case CLASS_STRING:
			for (int i = 0; i < n; i++)
				result[i] = live[i] && same_strings((const void *) left->i[i],
													(const void *) right->i[i]) == (comparison == EQ);
			break;
		case CLASS_BPCHAR:
			for (int i = 0; i < n; i++)
				result[i] = live[i] && same_bpchars((const void *) left->i[i],
													(const void *) right->i[i]) == (comparison == EQ);
			break;
		case CLASS_UUID:
			for (int i = 0; i < n; i++)
				result[i] = live[i] && holds(comparison, memcmp((const void *) left->i[i],
																(const void *) right->i[i], UUID_LEN));
			break;
		default:
			COMPARE_ROWS(INT_LT, INT_EQ, left->i, right->i);
			break;
	}
}

/* Compute both sides of a comparison, and for which rows neither is NULL. */
static bool
compute_sides(GpuredProgram *program, const GpuredColumns *columns, int n, const bool *active,
			  bool *live)
{
	const GpuredProgram *left = program->args[0];
	const GpuredProgram *right = program->args[1];

	if (!gpured_program_compute(program->args[0], columns, n, active) ||
		!gpured_program_compute(program->args[1], columns, n, active))
		return false;
	for (int i = 0; i < n; i++)
		live[i] = active[i] & !left->null[i] & !right->null[i];
	return true;
}

static bool
compute_compare(GpuredProgram *program, const GpuredColumns *columns, int n, const bool *active)
{
	bool		live[GPURED_PAGE_ROWS];

	if (!compute_sides(program, columns, n, active, live))
		return false;
	compare_rows(program->comparison, program->value_class, program->args[0], program->args[1], n,
				 live, program->i);
	for (int i = 0; i < n; i++)
		program->null[i] = program->args[0]->null[i] | program->args[1]->null[i];
	return true;
}

static bool
compute_distinct(GpuredProgram *program, const GpuredColumns *columns, int n, const bool *active)
{
	bool		live[GPURED_PAGE_ROWS];
	const bool *left;
	const bool *right;

	if (!compute_sides(program, columns, n, active, live))
		return false;
	left = program->args[0]->null;
	right = program->args[1]->null;
	compare_rows(EQ, program->value_class, program->args[0], program->args[1], n, live,
				 program->i);
	for (int i = 0; i < n; i++)
		program->i[i] = (left[i] | right[i]) ? left[i] != right[i] : !program->i[i];
	memset(program->null, false, n);
	return true;
}

/*
 * Give the rows of "mask" another node's values, without a branch: conditions are
 * often as good as random.
 */
static void
blend(GpuredProgram *to, const GpuredProgram *from, const bool *mask, int n)
{
	bool	   *null = to->null;
	int64	   *value = to->i;
	uint8	   *scale = to->scale;
	const bool *from_null = from->null;
	const int64 *from_value = from->i;
	const uint8 *from_scale = from->scale;

	for (int i = 0; i < n; i++)
		null[i] = (from_null[i] & mask[i]) | (null[i] & !mask[i]);
	for (int i = 0; i < n; i++)
	{
		const int64 all = -(int64) mask[i];

		value[i] = (from_value[i] & all) | (value[i] & ~all);
	}
	for (int i = 0; to->domain == GPURED_DOMAIN_NUMERIC && i < n; i++)
	{
		const uint8 all = -(uint8) mask[i];

		scale[i] = (from_scale[i] & all) | (scale[i] & ~all);
	}
}

static bool
compute_nullif(GpuredProgram *program, const GpuredColumns *columns, int n, const bool *active)
{
	bool		live[GPURED_PAGE_ROWS];
	int64		equal[GPURED_PAGE_ROWS];

	if (!compute_sides(program, columns, n, active, live))
		return false;
	compare_rows(EQ, program->value_class, program->args[0], program->args[1], n, live, equal);
	blend(program, program->args[0], active, n);
	for (int i = 0; i < n; i++)
		program->null[i] |= live[i] & (equal[i] != 0);
	return true;
}

/* ---- lists and patterns ------------------------------------------------- */

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
	*size = value_class == CLASS_BPCHAR ? size_without_blanks(pointer) : VARSIZE_ANY_EXHDR(pointer);
	return VARDATA_ANY(pointer);
}

/* Whether a value is in the hash table; "slot" is where it is or would be. */
static bool
find_bytes(const GpuredProgram *program, int64 value, uint32 *slot)
{
	Size		size;
	const char *bytes = bytes_of(program->value_class, value, &size);

	*slot = hash_bytes((const unsigned char *) bytes, (int) size) & program->mask;
	for (; program->slots[*slot] != 0; *slot = (*slot + 1) & program->mask)
	{
		Size		other_size;
		const char *other = bytes_of(program->value_class,
									 program->values->i[program->slots[*slot] - 1], &other_size);

		if (size == other_size && memcmp(bytes, other, size) == 0)
			return true;
	}
	return false;
}

static void
hash_list(GpuredProgram *program)
{
	uint32		nslots = 16;

	while (nslots < 2 * (uint32) program->nvalues)
		nslots *= 2;
	program->mask = nslots - 1;
	program->slots = palloc0(nslots * sizeof(int));
	for (int j = 0; j < program->nvalues; j++)
	{
		uint32		slot;

		if (!find_bytes(program, program->values->i[j], &slot))
			program->slots[slot] = j + 1;
	}
}

/* Learn the elements of an array. */
static void
evaluate_list(GpuredProgram *program)
{
	GpuredProgram *list;
	Datum		value;
	ArrayType  *array;
	int16		len;
	bool		byval;
	char		align;
	Datum	   *elems;
	bool	   *nulls;
	int			n;
	bool		representable = true;
	MemoryContext old;

	value = ExecEvalExprSwitchContext(program->state, program->econtext, &program->list_null);
	program->evaluated = true;
	program->unusable = false;
	program->nvalues = 0;
	program->has_null = false;
	if (program->list_null)
		return;

	old = MemoryContextSwitchTo(program->context);
	array = DatumGetArrayTypePCopy(value);
	get_typlenbyvalalign(ARR_ELEMTYPE(array), &len, &byval, &align);
	deconstruct_array(array, ARR_ELEMTYPE(array), len, byval, align, &elems, &nulls, &n);
	list = palloc0(sizeof(GpuredProgram));
	list->type = getBaseType(ARR_ELEMTYPE(array));
	list->domain = program->args[0]->domain;
	list->null = nulls;
	list->i = palloc(Max(n, 1) * sizeof(int64));
	list->d = (double *) list->i;
	list->scale = palloc(Max(n, 1) * sizeof(uint8));
	list->nvalues = n;
	for (int i = 0; i < n; i++)
	{
		if (nulls[i])
			program->has_null = true;
		else
		{
			if (len == -1)
				elems[i] = PointerGetDatum(PG_DETOAST_DATUM(elems[i]));
			list->null[program->nvalues] = false;
			gpured_constant_set(list, program->nvalues++, elems[i], false, &representable);
		}
	}
	program->values = list;
	if (list->domain == GPURED_DOMAIN_INT)
		qsort(list->i, program->nvalues, sizeof(int64), compare_ints);
	else if (program->value_class >= CLASS_STRING)
		hash_list(program);
	else if (program->nvalues > GPURED_SHORT_LIST)
		representable = false;	/* PostgreSQL has hashed it */
	MemoryContextSwitchTo(old);
	program->unusable = !representable;
}

#define FIND_VALUE(same) \
	for (int j = 0; j < program->nvalues && !found; j++) \
		found = same

static inline bool
is_in_list(const GpuredProgram *program, const GpuredProgram *arg, int i)
{
	const GpuredProgram *list = program->values;
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

				return find_bytes(program, arg->i[i], &slot);
			}
		default:
			if (program->nvalues > GPURED_SHORT_LIST)
				return bsearch(&arg->i[i], list->i, program->nvalues, sizeof(int64),
							   compare_ints) != NULL;
			for (int j = 0; j < program->nvalues; j++)
				found |= arg->i[i] == list->i[j];
			break;
	}
	return found;
}

/* = ANY: true if one is equal, else NULL if one is NULL.  <> ALL: its negation. */
static bool
compute_in(GpuredProgram *program, const GpuredColumns *columns, int n, const bool *active)
{
	const GpuredProgram *arg = program->args[0];

	if (!gpured_program_compute(program->args[0], columns, n, active))
		return false;
	if (!program->evaluated)
		evaluate_list(program);
	if (program->unusable)
		return false;
	for (int i = 0; i < n; i++)
	{
		bool		found;

		program->i[i] = program->all;
		program->null[i] = false;

		/* A test of nothing has an answer even for NULL. */
		if (!active[i] || (!program->list_null && program->nvalues == 0 && !program->has_null))
			continue;
		if (program->list_null || arg->null[i])
		{
			program->null[i] = true;
			continue;
		}
		found = is_in_list(program, arg, i);
		program->i[i] = found != program->all;
		program->null[i] = !found && program->has_null;
	}
	return true;
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
is_like(const GpuredProgram *program, const void *string)
{
	const char *from = VARDATA_ANY(string);
	const char *end = from + VARSIZE_ANY_EXHDR(string);
	int			first = 0;
	int			last = program->npieces;

	if (program->npieces == 0)
		return !program->from_start || from == end;
	if (program->from_start)
	{
		Size		size = VARSIZE(program->pieces[0]) - VARHDRSZ;

		if ((Size) (end - from) < size || memcmp(from, VARDATA(program->pieces[0]), size) != 0)
			return false;
		from += size;
		first++;
		if (last == 1)
			return !program->to_end || from == end;
	}
	if (program->to_end)
	{
		Size		size = VARSIZE(program->pieces[--last]) - VARHDRSZ;

		if ((Size) (end - from) < size ||
			memcmp(end - size, VARDATA(program->pieces[last]), size) != 0)
			return false;
		end -= size;
	}
	for (int p = first; p < last; p++)
	{
		from = find_piece(from, end, program->pieces[p]);
		if (from == NULL)
			return false;
		from += VARSIZE(program->pieces[p]) - VARHDRSZ;
	}
	return true;
}

static bool
compute_like(GpuredProgram *program, const GpuredColumns *columns, int n, const bool *active)
{
	const GpuredProgram *arg = program->args[0];

	if (!gpured_program_compute(program->args[0], columns, n, active))
		return false;
	for (int i = 0; i < n; i++)
	{
		program->null[i] = arg->null[i];
		program->i[i] = active[i] && !arg->null[i] &&
			is_like(program, (const void *) arg->i[i]) != program->negated;
	}
	return true;
}

/* ---- logic and conditions ----------------------------------------------- */

/* The next argument is not computed where one before has decided. */
static bool
compute_and_or(GpuredProgram *program, const GpuredColumns *columns, int n, const bool *active)
{
	const bool	deciding = program->kind == GPURED_NODE_OR;
	bool		pending[GPURED_PAGE_ROWS];

	memcpy(pending, active, n);
	memset(program->null, false, n);
	for (int i = 0; i < n; i++)
		program->i[i] = !deciding;
	for (int a = 0; a < program->nargs && is_any(pending, n); a++)
	{
		const GpuredProgram *arg = program->args[a];

		if (!gpured_program_compute(program->args[a], columns, n, pending))
			return false;
		for (int i = 0; i < n; i++)
		{
			bool		null = arg->null[i];
			bool		decided = pending[i] & !null & ((arg->i[i] != 0) == deciding);

			program->i[i] = decided ? deciding : program->i[i];
			program->null[i] = (program->null[i] | (pending[i] & null)) & !decided;
			pending[i] &= !decided;
		}
	}
	return true;
}

static bool
compute_not(GpuredProgram *program, const GpuredColumns *columns, int n, const bool *active)
{
	const GpuredProgram *arg = program->args[0];

	if (!gpured_program_compute(program->args[0], columns, n, active))
		return false;
	for (int i = 0; i < n; i++)
		program->i[i] = arg->i[i] == 0;
	memcpy(program->null, arg->null, n);
	return true;
}

static bool
compute_null_test(GpuredProgram *program, const GpuredColumns *columns, int n, const bool *active)
{
	const bool	wanted = program->kind == GPURED_NODE_IS_NULL;

	if (!gpured_program_compute(program->args[0], columns, n, active))
		return false;
	for (int i = 0; i < n; i++)
		program->i[i] = program->args[0]->null[i] == wanted;
	memset(program->null, false, n);
	return true;
}

static bool
compute_boolean_test(GpuredProgram *program, const GpuredColumns *columns, int n,
					 const bool *active)
{
	const GpuredProgram *arg = program->args[0];
	const bool	negated = program->test == IS_NOT_TRUE || program->test == IS_NOT_FALSE ||
		program->test == IS_NOT_UNKNOWN;

	if (!gpured_program_compute(program->args[0], columns, n, active))
		return false;
	for (int i = 0; i < n; i++)
	{
		bool		holds;

		if (program->test == IS_TRUE || program->test == IS_NOT_TRUE)
			holds = !arg->null[i] & (arg->i[i] != 0);
		else if (program->test == IS_FALSE || program->test == IS_NOT_FALSE)
			holds = !arg->null[i] & (arg->i[i] == 0);
		else
			holds = arg->null[i];
		program->i[i] = holds != negated;
	}
	memset(program->null, false, n);
	return true;
}

/* All NULL, to be blended with what applies. */
static void
clear(GpuredProgram *program, int n)
{
	memset(program->null, true, n);
	memset(program->i, 0, n * sizeof(int64));
}

static bool
compute_case(GpuredProgram *program, const GpuredColumns *columns, int n, const bool *active)
{
	bool		pending[GPURED_PAGE_ROWS];
	int			a = 1;

	if (program->args[0] != NULL && !gpured_program_compute(program->args[0], columns, n, active))
		return false;
	memcpy(pending, active, n);
	clear(program, n);
	for (; a + 1 < program->nargs && is_any(pending, n); a += 2)
	{
		const GpuredProgram *condition = program->args[a];
		bool		taken[GPURED_PAGE_ROWS];

		if (!gpured_program_compute(program->args[a], columns, n, pending))
			return false;
		for (int i = 0; i < n; i++)
		{
			taken[i] = pending[i] & !condition->null[i] & (condition->i[i] != 0);
			pending[i] &= !taken[i];
		}
		if (!is_any(taken, n))
			continue;
		if (!gpured_program_compute(program->args[a + 1], columns, n, taken))
			return false;
		blend(program, program->args[a + 1], taken, n);
	}

	/* The default, which comes alone. */
	if (a + 1 == program->nargs && is_any(pending, n))
	{
		if (!gpured_program_compute(program->args[a], columns, n, pending))
			return false;
		blend(program, program->args[a], pending, n);
	}
	return true;
}

static bool
compute_coalesce(GpuredProgram *program, const GpuredColumns *columns, int n, const bool *active)
{
	bool		pending[GPURED_PAGE_ROWS];

	memcpy(pending, active, n);
	clear(program, n);
	for (int a = 0; a < program->nargs && is_any(pending, n); a++)
	{
		if (!gpured_program_compute(program->args[a], columns, n, pending))
			return false;
		blend(program, program->args[a], pending, n);
		for (int i = 0; i < n; i++)
			pending[i] &= program->args[a]->null[i];
	}
	return true;
}

/* NULLs are ignored; of equal values the first is the one. */
static bool
compute_extreme(GpuredProgram *program, const GpuredColumns *columns, int n, const bool *active)
{
	const bool	greatest = program->kind == GPURED_NODE_GREATEST;

	clear(program, n);
	for (int a = 0; a < program->nargs; a++)
	{
		const GpuredProgram *arg = program->args[a];
		bool		better[GPURED_PAGE_ROWS];

		if (!gpured_program_compute(program->args[a], columns, n, active))
			return false;
		for (int i = 0; i < n; i++)
		{
			if (program->domain == GPURED_DOMAIN_FLOAT)
				better[i] = greatest ? gpured_float_lt(program->d[i], arg->d[i]) :
					gpured_float_lt(arg->d[i], program->d[i]);
			else if (program->domain == GPURED_DOMAIN_NUMERIC)
				better[i] = active[i] && !arg->null[i] && !program->null[i] &&
					holds(greatest ? GT : LT,
						  gpured_numeric_compare(arg->i[i], arg->scale[i], program->i[i],
												 program->scale[i]));
			else
				better[i] = greatest ? arg->i[i] > program->i[i] : arg->i[i] < program->i[i];
			better[i] = active[i] & !arg->null[i] & (program->null[i] | better[i]);
		}
		blend(program, arg, better, n);
	}
	return true;
}

/* ---- all of them -------------------------------------------------------- */

static bool
compute_function(GpuredProgram *program, const GpuredColumns *columns, int n, const bool *active)
{
	bool		live[GPURED_PAGE_ROWS];

	for (int a = 0; a < program->nargs; a++)
	{
		if (!gpured_program_compute(program->args[a], columns, n, active))
			return false;
	}
	memcpy(program->null, program->args[0]->null, n);
	for (int a = 1; a < program->nargs; a++)
	{
		for (int i = 0; i < n; i++)
			program->null[i] |= program->args[a]->null[i];
	}
	for (int i = 0; i < n; i++)
		live[i] = active[i] & !program->null[i];
	if (!program->function->compute(program, n, live))
		return false;

	/* An integer's own type may be narrower. */
	if (program->domain == GPURED_DOMAIN_INT && program->bytes < 8)
	{
		bool		bad = false;

		for (int i = 0; program->bytes == 4 && i < n; i++)
			bad |= (program->i[i] != (int32) program->i[i]) & live[i];
		for (int i = 0; program->bytes == 2 && i < n; i++)
			bad |= (program->i[i] != (int16) program->i[i]) & live[i];
		return !bad;
	}
	return true;
}

bool
gpured_program_compute(GpuredProgram *program, const GpuredColumns *columns, int n,
					   const bool *active)
{
	switch (program->kind)
	{
		case GPURED_NODE_COLUMN:
			return load_column(program, columns, n, active);
		case GPURED_NODE_CONSTANT:
			return fill_constant(program, n);
		case GPURED_NODE_SAME:
			program->null = program->args[0]->null;
			program->i = program->args[0]->i;
			program->d = program->args[0]->d;
			return true;
		case GPURED_NODE_FUNCTION:
			return compute_function(program, columns, n, active);
		case GPURED_NODE_COMPARE:
			return compute_compare(program, columns, n, active);
		case GPURED_NODE_DISTINCT:
			return compute_distinct(program, columns, n, active);
		case GPURED_NODE_NULLIF:
			return compute_nullif(program, columns, n, active);
		case GPURED_NODE_IN:
			return compute_in(program, columns, n, active);
		case GPURED_NODE_LIKE:
			return compute_like(program, columns, n, active);
		case GPURED_NODE_AND:
		case GPURED_NODE_OR:
			return compute_and_or(program, columns, n, active);
		case GPURED_NODE_NOT:
			return compute_not(program, columns, n, active);
		case GPURED_NODE_IS_NULL:
		case GPURED_NODE_IS_NOT_NULL:
			return compute_null_test(program, columns, n, active);
		case GPURED_NODE_BOOLEAN_TEST:
			return compute_boolean_test(program, columns, n, active);
		case GPURED_NODE_CASE:
			return compute_case(program, columns, n, active);
		case GPURED_NODE_COALESCE:
			return compute_coalesce(program, columns, n, active);
		case GPURED_NODE_GREATEST:
		case GPURED_NODE_LEAST:
			return compute_extreme(program, columns, n, active);
	}
	pg_unreachable();
}

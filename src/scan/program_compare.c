/*
 * program_compare.c
 *	  The nodes of programs that compare two values, or several.
 */
#include "postgres.h"

#include "utils/uuid.h"

#include "compat.h"
#include "scan/program_node.h"
#include "scan/short_varlena.h"

static inline bool
same_strings(const void *a, const void *b)
{
	Size		size = VARSIZE_ANY_EXHDR(a);

	return size == VARSIZE_ANY_EXHDR(b) && memcmp(VARDATA_ANY(a), VARDATA_ANY(b), size) == 0;
}

static inline bool
same_bpchars(const void *a, const void *b)
{
	Size		size = gpured_size_without_blanks(a);

	return size == gpured_size_without_blanks(b) && memcmp(VARDATA_ANY(a), VARDATA_ANY(b), size) == 0;
}

/* A constant string that fits into two words, as varlenas with a short header do. */
typedef struct Needle
{
	const void *string;
	Size		size;			/* of its bytes; of char(n), without blanks at
								 * the end */
	bool		is_bpchar;
	uint64		first;			/* behind a header of one byte; of char(n),
								 * then blanks */
	uint64		second;
} Needle;

/* False if the node is no such constant. */
static bool
make_needle(const GpuredProgram *program, ValueClass value_class, Needle *needle)
{
	char		bytes[GPURED_SHORT_SIZE];

	if (program->kind != GPURED_NODE_CONSTANT || program->constant.null)
		return false;
	needle->string = (const void *) program->constant.i;
	needle->is_bpchar = value_class == CLASS_BPCHAR;
	needle->size = needle->is_bpchar ? gpured_size_without_blanks(needle->string) :
		VARSIZE_ANY_EXHDR(needle->string);
	if (needle->size >= GPURED_SHORT_SIZE)
		return false;
	memset(bytes, needle->is_bpchar ? ' ' : 0, sizeof(bytes));
	memcpy(bytes + 1, VARDATA_ANY(needle->string), needle->size);
	needle->first = gpured_word_at(bytes);
	needle->second = gpured_word_at(bytes + sizeof(uint64));
	return true;
}

/* Whether a string is equal to the constant: the header is not compared, but its size. */
static inline bool
is_needle(const Needle *needle, const char *string)
{
	uint64		first;
	uint64		second;
	Size		n;

	if (VARATT_IS_1B(string))
	{
		n = VARSIZE_1B(string);
		if (n <= needle->size || (!needle->is_bpchar && n != needle->size + 1))
			return false;
		if (likely(gpured_read_short(string, n, &first, &second)))
			return (((first ^ needle->first) & gpured_low_bytes[Min(n, 8)] & ~UINT64CONST(0xFF)) |
					((second ^ needle->second) & gpured_low_bytes[n - Min(n, 8)])) == 0;
	}
	return needle->is_bpchar ? same_bpchars(string, needle->string) : same_strings(string, needle->string);
}

static void
compare_with_needle(const Needle *needle, const GpuredProgram *strings, int n, const bool *live,
					bool equal, int64 *result)
{
	for (int i = 0; i < n; i++)
		result[i] = live[i] && is_needle(needle, (const char *) strings->i[i]) == equal;
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
	Needle		needle;

	if (value_class == CLASS_STRING || value_class == CLASS_BPCHAR)
	{
		bool		on_right = make_needle(right, value_class, &needle);

		if (on_right || make_needle(left, value_class, &needle))
		{
			compare_with_needle(&needle, on_right ? left : right, n, live, comparison == EQ, result);
			return;
		}
	}
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

/*
 * Whether a column's numerics that cannot be represented are compared with a constant by
 * their sign: no constant is as great as what stands for them.
 */
static bool
may_saturate(const GpuredProgram *column, GpuredProgram *constant, const GpuredColumns *columns, int n,
			 const bool *active)
{
	if (column->kind != GPURED_NODE_COLUMN || constant->kind != GPURED_NODE_CONSTANT ||
		!gpured_program_compute(constant, columns, n, active))
		return false;
	return constant->constant.i > PG_INT64_MIN + 1 && constant->constant.i < PG_INT64_MAX;
}

bool
gpured_compute_compare(GpuredProgram *program, const GpuredColumns *columns, int n, const bool *active)
{
	bool		live[GPURED_PAGE_ROWS];

	if (program->value_class == CLASS_NUMERIC)
	{
		program->args[0]->saturates = may_saturate(program->args[0], program->args[1], columns, n, active);
		program->args[1]->saturates = may_saturate(program->args[1], program->args[0], columns, n, active);
	}
	if (!compute_sides(program, columns, n, active, live))
		return false;
	compare_rows(program->comparison, program->value_class, program->args[0], program->args[1], n,
				 live, program->i);
	for (int i = 0; i < n; i++)
		program->null[i] = program->args[0]->null[i] | program->args[1]->null[i];
	return true;
}

bool
gpured_compute_distinct(GpuredProgram *program, const GpuredColumns *columns, int n, const bool *active)
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

bool
gpured_compute_nullif(GpuredProgram *program, const GpuredColumns *columns, int n, const bool *active)
{
	bool		live[GPURED_PAGE_ROWS];
	int64		equal[GPURED_PAGE_ROWS];

	if (!compute_sides(program, columns, n, active, live))
		return false;
	compare_rows(EQ, program->value_class, program->args[0], program->args[1], n, live, equal);
	gpured_blend(program, program->args[0], active, n);
	for (int i = 0; i < n; i++)
		program->null[i] |= live[i] & (equal[i] != 0);
	return true;
}

/* NULLs are ignored; of equal values the first is the one. */
bool
gpured_compute_extreme(GpuredProgram *program, const GpuredColumns *columns, int n, const bool *active)
{
	const bool	greatest = program->kind == GPURED_NODE_GREATEST;

	gpured_clear(program, n);
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
		gpured_blend(program, arg, better, n);
	}
	return true;
}

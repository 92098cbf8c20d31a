/*
 * program_compute.c
 *	  Computing a program: its columns, constants and functions.
 *
 * Each node is computed for all rows of a page, of which only "active" ones matter:
 * those at which PostgreSQL would arrive.  The others' values are whatever comes
 * out; pointers of theirs are never followed.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "utils/datum.h"
#include "utils/lsyscache.h"

#include "compat.h"
#include "scan/program_node.h"

static bool
load_numerics(GpuredProgram *program, const Datum *values, int n, const bool *active)
{
	for (int i = 0; i < n; i++)
	{
		const struct varlena *numeric = (const struct varlena *) DatumGetPointer(values[i]);

		if (!active[i] | program->null[i])
			continue;
		if (!gpured_is_plain_string(numeric))
			return false;
		if (likely(gpured_numeric_read(numeric, &program->i[i], &program->scale[i])))
			continue;
		if (!program->saturates || !gpured_numeric_saturate(numeric, &program->i[i]))
			return false;
		program->scale[i] = 0;
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
 * What a Datum that is not NULL is in a row; false if it cannot be.  What is passed by
 * reference stays where it is.
 */
bool
gpured_value_of_datum(GpuredDomain domain, Oid type, Datum datum, GpuredValue *value)
{
	double		number;

	value->null = false;
	value->scale = 0;
	switch (domain)
	{
		case GPURED_DOMAIN_FLOAT:
			number = type == FLOAT4OID ? DatumGetFloat4(datum) : DatumGetFloat8(datum);
			memcpy(&value->i, &number, sizeof(number));
			return true;
		case GPURED_DOMAIN_NUMERIC:
			return gpured_numeric_read((struct varlena *) DatumGetPointer(datum), &value->i,
									   &value->scale);
		case GPURED_DOMAIN_INT:
			break;
		default:
			value->i = (int64) datum;
			return true;
	}
	switch (type)
	{
		case BOOLOID:
			value->i = DatumGetBool(datum);
			break;
		case INT2OID:
			value->i = DatumGetInt16(datum);
			break;
		case INT4OID:
		case DATEOID:
			value->i = DatumGetInt32(datum);
			break;
		case INT8OID:
		case TIMEOID:
		case TIMESTAMPOID:
		case TIMESTAMPTZOID:
		case CASHOID:
			value->i = DatumGetInt64(datum);
			break;
		default:
			value->i = DatumGetObjectId(datum);
			break;
	}
	return true;
}

Datum
gpured_keep_value(const GpuredProgram *program, Datum value)
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

static void
evaluate_constant(GpuredProgram *program)
{
	bool		null = program->known != NULL && program->known->constisnull;
	Datum		datum = program->known != NULL ? program->known->constvalue :
		ExecEvalExprSwitchContext(program->state, program->econtext, &null);

	memset(&program->constant, 0, sizeof(program->constant));
	program->constant.null = null;
	program->unusable = !null &&
		!gpured_value_of_datum(program->domain, program->type, gpured_keep_value(program, datum),
							   &program->constant);
	program->filled = 0;
	program->evaluated = true;
}

/* Rows that others use meanwhile have to be filled each time. */
static bool
fill_constant(GpuredProgram *program, const GpuredColumns *columns, int n, const bool *active)
{
	if (!program->evaluated)
		evaluate_constant(program);
	if (program->unusable)
		return false;
	if (program->filled >= n)
		return true;
	memset(program->null, program->constant.null, n);
	for (int i = 0; i < n; i++)
		program->i[i] = program->constant.i;
	if (program->domain == GPURED_DOMAIN_NUMERIC)
		memset(program->scale, program->constant.scale, n);
	if (program->keeps_rows)
		program->filled = n;
	return true;
}

/* What a CASE compares has been computed. */
static bool
take_same(GpuredProgram *program, const GpuredColumns *columns, int n, const bool *active)
{
	program->null = program->tested->null;
	program->i = program->tested->i;
	program->d = program->tested->d;
	program->scale = program->tested->scale;
	return true;
}

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
	static const GpuredComputeNode compute[] = {
		[GPURED_NODE_COLUMN] = load_column,
		[GPURED_NODE_CONSTANT] = fill_constant,
		[GPURED_NODE_SAME] = take_same,
		[GPURED_NODE_FUNCTION] = compute_function,
		[GPURED_NODE_COMPARE] = gpured_compute_compare,
		[GPURED_NODE_DISTINCT] = gpured_compute_distinct,
		[GPURED_NODE_NULLIF] = gpured_compute_nullif,
		[GPURED_NODE_IN] = gpured_compute_in,
		[GPURED_NODE_LIKE] = gpured_compute_like,
		[GPURED_NODE_LOOKUP] = gpured_compute_lookup,
		[GPURED_NODE_AND] = gpured_compute_and_or,
		[GPURED_NODE_OR] = gpured_compute_and_or,
		[GPURED_NODE_NOT] = gpured_compute_not,
		[GPURED_NODE_IS_NULL] = gpured_compute_null_test,
		[GPURED_NODE_IS_NOT_NULL] = gpured_compute_null_test,
		[GPURED_NODE_BOOLEAN_TEST] = gpured_compute_boolean_test,
		[GPURED_NODE_CASE] = gpured_compute_case,
		[GPURED_NODE_COALESCE] = gpured_compute_coalesce,
		[GPURED_NODE_GREATEST] = gpured_compute_extreme,
		[GPURED_NODE_LEAST] = gpured_compute_extreme
	};

	return compute[program->kind] (program, columns, n, active);
}

/*
 * columns.c
 *	  From tuples to columns.
 *
 * A column whose values are at the same place in every tuple without NULLs is
 * loaded from there, a column at a time.  Otherwise, or in a page where some
 * tuple has a NULL or is shorter than the table is now, the page's tuples are walked
 * through side by side.
 *
 * Values that are passed by reference are copied, since a page is held no longer
 * than it takes to extract it; but not those that only quals and expressions need.
 */
#include "postgres.h"

#include "access/detoast.h"
#include "access/tupmacs.h"
#include "catalog/pg_type.h"
#include "executor/executor.h"
#include "nodes/nodeFuncs.h"
#include "storage/bufmgr.h"
#include "utils/datum.h"
#include "utils/expandeddatum.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"

#include "compat.h"
#include "scan/columns.h"
#include "scan/dictionary.h"
#include "scan/filter.h"
#include "scan/memory.h"
#include "scan/numerics.h"
#include "scan/program.h"

/* The first chunk of a batch's memory and the largest. */
#define ARENA_FIRST_CHUNK (8 * 1024)
#define ARENA_CHUNK (256 * 1024)

GpuredColumns *
gpured_columns_create(Relation rel, const Bitmapset *few, ScanState *node)
{
	GpuredColumns *columns = palloc0(sizeof(GpuredColumns));
	EState	   *estate = node->ps.state;

	columns->context = CurrentMemoryContext;
	columns->memory = gpured_scan_memory(estate->es_query_cxt);
	columns->rel = rel;
	columns->few = few;
	columns->econtext = node->ps.ps_ExprContext;
	columns->slot = ExecInitExtraTupleSlot(estate, RelationGetDescr(rel), &TTSOpsHeapTuple);
	columns->arena = AllocSetContextCreate(estate->es_query_cxt, "gpured batch",
										   ALLOCSET_DEFAULT_SIZES);
	columns->constants = AllocSetContextCreate(estate->es_query_cxt, "gpured constants",
											   ALLOCSET_SMALL_SIZES);
	return columns;
}

static int
add_column(GpuredColumns *columns, Expr *expr, AttrNumber attnum, int guard)
{
	MemoryContext old = MemoryContextSwitchTo(columns->context);
	GpuredColumn *column;

	if (columns->column == NULL)
		columns->column = palloc(sizeof(GpuredColumn));
	else
		columns->column = repalloc(columns->column,
								   (columns->ncolumns + 1) * sizeof(GpuredColumn));
	MemoryContextSwitchTo(old);

	column = &columns->column[columns->ncolumns];
	memset(column, 0, sizeof(*column));
	column->attnum = attnum;
	column->expr = expr;
	column->guard = guard;
	column->type = exprType((Node *) expr);
	column->collation = exprCollation((Node *) expr);
	column->offset = -1;
	column->uses = 1;
	get_typlenbyval(column->type, &column->len, &column->byval);
	return columns->ncolumns++;
}

static int
find_or_add(GpuredColumns *columns, Expr *expr, int guard)
{
	AttrNumber	attnum = 0;

	/* System columns and whole rows are left to the executor. */
	if (IsA(expr, Var) && ((Var *) expr)->varattno > 0)
		attnum = ((Var *) expr)->varattno;
	if (IsA(expr, Var))
		guard = -1;
	for (int i = 0; i < columns->ncolumns; i++)
	{
		GpuredColumn *column = &columns->column[i];

		if (column->guard == guard && column->filter == NULL && equal(column->expr, expr))
		{
			column->uses++;
			return i;
		}
	}
	return add_column(columns, expr, attnum, guard);
}

int
gpured_columns_add(GpuredColumns *columns, Expr *expr, int guard)
{
	int			result = find_or_add(columns, expr, guard);

	columns->column[result].kept = true;
	return result;
}

int
gpured_columns_add_used(GpuredColumns *columns, Expr *var, bool first)
{
	int			result = find_or_add(columns, var, -1);

	columns->column[result].first |= first;
	return result;
}

int
gpured_columns_add_condition(GpuredColumns *columns, Expr *expr, ScanState *node)
{
	GpuredFilter *filter;
	int			result;

	if (IsA(expr, Var) || !gpured_filter_is_possible(expr))
		return gpured_columns_add(columns, expr, -1);
	for (int i = 0; i < columns->ncolumns; i++)
	{
		if (columns->column[i].filter != NULL && equal(columns->column[i].expr, expr))
			return i;
	}

	/* It adds columns of its own. */
	filter = gpured_filter_create(expr, columns, node);
	result = add_column(columns, expr, 0, -1);
	columns->column[result].filter = filter;
	return result;
}

/*
 * The executor compiles an expression for the kind of slot that the node is said
 * to scan.  This node's own slot is a virtual one.
 */
static void
enter_table_slot(GpuredColumns *columns, ScanState *node, ScanState *saved)
{
	*saved = *node;
	node->ps.scanops = columns->slot->tts_ops;
	node->ps.scanopsset = true;
	node->ps.scanopsfixed = true;
	node->ps.scandesc = RelationGetDescr(columns->rel);
}

static void
leave_table_slot(ScanState *node, const ScanState *saved)
{
	node->ps.scanops = saved->ps.scanops;
	node->ps.scanopsset = saved->ps.scanopsset;
	node->ps.scanopsfixed = saved->ps.scanopsfixed;
	node->ps.scandesc = saved->ps.scandesc;
}

ExprState *
gpured_init_expr(Expr *expr, GpuredColumns *columns, ScanState *node)
{
	ScanState	saved;
	ExprState  *state;

	enter_table_slot(columns, node, &saved);
	state = ExecInitExpr(expr, &node->ps);
	leave_table_slot(node, &saved);
	return state;
}

ExprState *
gpured_init_qual(List *quals, GpuredColumns *columns, ScanState *node)
{
	ScanState	saved;
	ExprState  *state;

	enter_table_slot(columns, node, &saved);
	state = ExecInitQual(quals, &node->ps);
	leave_table_slot(node, &saved);
	return state;
}

/* The places of attributes in a tuple that has all of them and no NULL. */
static void
find_places(GpuredColumns *columns)
{
	TupleDesc	desc = RelationGetDescr(columns->rel);
	int			offset = 0;
	int			i;

	for (i = 0; i < columns->natts; i++)
	{
		Form_pg_attribute att = TupleDescAttr(desc, i);

		if (att->attlen > 0)
			offset = att_align_nominal(offset, att->attalign);

		/* The first varlena begins here, or after padding. */
		if (columns->of_attribute[i] >= 0 && att->attlen != -2)
		{
			columns->column[columns->of_attribute[i]].offset = offset;
			columns->column[columns->of_attribute[i]].align = att->attalign;
		}
		if (att->attlen <= 0)
			break;
		offset += att->attlen;
	}
	columns->walk_start = i;
	columns->walk_offset = offset;
}

/*
 * Which columns are extracted before quals are applied, and which of the rows that pass.
 * A column without a fixed place on the way to those of the quals is taken as it is met,
 * but for numerics, which are read as integers when they are extracted.
 */
static void
find_phases(GpuredColumns *columns)
{
	TupleDesc	desc = RelationGetDescr(columns->rel);

	columns->goes_on = columns->goes_on_complete = true;
	for (int i = 0; i < columns->ncolumns; i++)
	{
		GpuredColumn *column = &columns->column[i];
		bool		on_the_way = column->attnum < columns->natts_first;

		if (column->attnum == 0)
			continue;
		if (on_the_way && column->offset < 0 &&
			TupleDescAttr(desc, column->attnum - 1)->atttypid != NUMERICOID)
			column->first = true;
		if (column->first)
		{
			columns->has_first = true;
			continue;
		}
		columns->has_rest = true;
		columns->goes_on &= !on_the_way;
		columns->goes_on_complete &= !on_the_way || column->offset >= 0;
	}
}

/* As many rows as there is memory for, but no more than a small table has. */
static void
set_room(GpuredColumns *columns)
{
	Size		row_size = sizeof(Datum);

	for (int i = 0; i < columns->ncolumns; i++)
		row_size += sizeof(Datum) + sizeof(bool);
	columns->room = Min(GPURED_BATCH_MEMORY / row_size, GPURED_BATCH_ROWS + MaxHeapTuplesPerPage);
	columns->room = Min(columns->room,
						(RelationGetNumberOfBlocks(columns->rel) + 1.0) * MaxHeapTuplesPerPage);
	columns->room = Max(columns->room, 2 * MaxHeapTuplesPerPage);
	columns->full = columns->room - MaxHeapTuplesPerPage;
}

void
gpured_columns_init_exprs(GpuredColumns *columns, ScanState *node)
{
	for (int i = 0; i < columns->ncolumns; i++)
	{
		GpuredColumn *column = &columns->column[i];

		if (column->attnum == 0)
			column->state = gpured_init_expr(column->expr, columns, node);
	}
}

void
gpured_columns_prepare(GpuredColumns *columns, ScanState *node)
{
	TupleDesc	desc = RelationGetDescr(columns->rel);
	MemoryContext old = MemoryContextSwitchTo(columns->context);

	/* Programs add columns. */
	for (int i = 0; i < columns->ncolumns; i++)
	{
		Expr	   *expr = columns->column[i].expr;

		if (columns->column[i].attnum == 0 && columns->column[i].filter == NULL &&
			gpured_program_is_possible(expr, columns->few))
		{
			GpuredProgram *program = gpured_program_create(expr, columns, node, false);

			columns->column[i].program = program;
		}
	}
	set_room(columns);
	for (int i = 0; i < columns->ncolumns; i++)
	{
		const GpuredColumn *column = &columns->column[i];

		if (column->first)
			columns->natts_first = Max(columns->natts_first, column->attnum);
		else
			columns->natts_rest = Max(columns->natts_rest, column->attnum);
	}
	columns->natts = Max(columns->natts_first, columns->natts_rest);
	columns->of_attribute = palloc(Max(columns->natts, 1) * sizeof(int));
	for (int i = 0; i < columns->natts; i++)
		columns->of_attribute[i] = -1;

	for (int i = 0; i < columns->ncolumns; i++)
	{
		GpuredColumn *column = &columns->column[i];
		Size		size = column->byval ? column->len : sizeof(Datum);

		column->values = MemoryContextAlloc(columns->memory, columns->room * size);
		column->nulls = MemoryContextAlloc(columns->memory, columns->room * sizeof(bool));
		if (column->attnum == 0)
		{
			columns->nexprs++;
			continue;
		}
		columns->of_attribute[column->attnum - 1] = i;
		column->missing = getmissingattr(desc, column->attnum, &column->missing_null);
	}
	find_places(columns);
	find_phases(columns);
	MemoryContextSwitchTo(old);
}

void
gpured_columns_reset(GpuredColumns *columns)
{
	for (int i = 0; i < columns->ncolumns; i++)
	{
		if (columns->column[i].filter != NULL)
			gpured_filter_reset(columns->column[i].filter);
		if (columns->column[i].program != NULL)
			gpured_program_reset(columns->column[i].program);
	}
	MemoryContextReset(columns->constants);
	gpured_dictionaries_discharge(columns);
}

void
gpured_columns_clear(GpuredColumns *columns)
{
	columns->n = 0;
	for (int i = 0; i < columns->ncolumns; i++)
	{
		columns->column[i].has_nulls = false;
		if (columns->column[i].numerics != NULL)
			gpured_numerics_clear(columns->column[i].numerics);
	}
	if (columns->arena_bytes > 0)
		MemoryContextReset(columns->arena);
	columns->arena_next = columns->arena_end = NULL;
	columns->arena_bytes = 0;
}

/* Copy a value into the batch's memory. */
static inline Datum
copy_value(GpuredColumns *columns, const void *value, Size size)
{
	Size		room = MAXALIGN(size);
	char	   *copy;

	if (unlikely((Size) (columns->arena_end - columns->arena_next) < room))
	{
		Size		chunk = Min(Max(columns->arena_bytes, ARENA_FIRST_CHUNK), ARENA_CHUNK);

		chunk = Max(chunk, room);
		columns->arena_next = MemoryContextAllocHuge(columns->arena, chunk);
		columns->arena_end = columns->arena_next + chunk;
		columns->arena_bytes += chunk;
	}
	copy = columns->arena_next;
	columns->arena_next += room;

	/* Most values are short: two copies that overlap. */
	if (size >= 8 && size <= 16)
	{
		memcpy(copy, value, 8);
		memcpy(copy + size - 8, (const char *) value + size - 8, 8);
	}
	else if (size >= 4 && size < 8)
	{
		memcpy(copy, value, 4);
		memcpy(copy + size - 4, (const char *) value + size - 4, 4);
	}
	else
		memcpy(copy, value, size);
	return PointerGetDatum(copy);
}

Datum
gpured_columns_copy(GpuredColumns *columns, const void *value, Size size)
{
	return copy_value(columns, value, size);
}

static inline Datum
copy_reference(GpuredColumns *columns, GpuredColumn *column, Datum value)
{
	const void *pointer = DatumGetPointer(value);

	if (column->len == -1 && VARATT_IS_1B(pointer) && !VARATT_IS_1B_E(pointer))
		return copy_value(columns, pointer, VARSIZE_SHORT(pointer));
	if (column->len > 0)
		return copy_value(columns, pointer, column->len);
	if (column->len == -2)
		return copy_value(columns, pointer, strlen(pointer) + 1);
	if (VARATT_IS_EXTERNAL_EXPANDED(pointer))
	{
		ExpandedObjectHeader *object = DatumGetEOHP(value);
		Size		size = EOH_get_flat_size(object);
		char	   *flat = palloc(size);

		EOH_flatten_into(object, flat, size);
		value = copy_value(columns, flat, size);
		pfree(flat);
		return value;
	}
	if (column->detoast && VARATT_IS_EXTENDED(pointer))
	{
		struct varlena *whole = PG_DETOAST_DATUM_PACKED(value);

		column->detoasted = columns->moves;
		value = copy_value(columns, whole, VARSIZE_ANY(whole));
		if (whole != pointer)
			pfree(whole);
		return value;
	}
	return copy_value(columns, pointer, VARSIZE_ANY(pointer));
}

void
gpured_columns_keep_integers(GpuredColumns *columns, GpuredColumn *column)
{
	if (column->scale == NULL)
		column->scale = MemoryContextAlloc(columns->memory, columns->room * sizeof(uint8));
}

/* A value for the batch: a copy, or a numeric as an integer. */
static inline Datum
keep_reference(GpuredColumns *columns, GpuredColumn *column, int row, Datum value)
{
	if (column->numerics != NULL &&
		gpured_numerics_take(column->numerics, row, (const struct varlena *) DatumGetPointer(value)))
		return ((const Datum *) column->values)[row];
	return copy_reference(columns, column, value);
}

/* Whether values stay in the page: quals need them first, or nobody later. */
static inline bool
stays_in_page(const GpuredColumn *column)
{
	return column->first || !column->kept;
}

/* Put in a value that the executor, or the table's definition, gives. */
static void
store_datum(GpuredColumns *columns, GpuredColumn *column, int row, Datum value, bool null)
{
	column->nulls[row] = null;
	if (column->scale != NULL)
		column->scale[row] = GPURED_NOT_INTEGER;
	if (null)
	{
		column->has_nulls = true;
		value = 0;
	}
	else if (!column->byval && !stays_in_page(column))
		value = keep_reference(columns, column, row, value);

	if (!column->byval)
		((Datum *) column->values)[row] = value;
	else if (column->len == 1)
		column->values[row] = DatumGetChar(value);
	else if (column->len == 2)
		((int16 *) column->values)[row] = DatumGetInt16(value);
	else if (column->len == 4)
		((int32 *) column->values)[row] = DatumGetInt32(value);
	else
		((Datum *) column->values)[row] = value;
}

/* Load a column from its place in every tuple. */
static void
load_column(GpuredColumns *columns, GpuredColumn *column, char *const *data, int n)
{
	const int	offset = column->offset;
	const int	row = columns->n;

#define LOAD(ctype) \
	do { \
		ctype	   *values = (ctype *) column->values + row; \
		for (int i = 0; i < n; i++) \
			values[i] = *(const ctype *) (data[i] + offset); \
	} while (0)

	memset(column->nulls + row, false, n);
	if (!column->byval)
	{
		for (int i = 0; i < n; i++)
		{
			char	   *value = data[i] + offset;

			if (column->len == -1)
				value = data[i] + att_align_pointer(offset, column->align, -1, value);
			((Datum *) column->values)[row + i] = stays_in_page(column) ? PointerGetDatum(value) :
				keep_reference(columns, column, row + i, PointerGetDatum(value));
		}
	}
	else if (column->len == 1)
		LOAD(char);
	else if (column->len == 2)
		LOAD(int16);
	else if (column->len == 4)
		LOAD(int32);
	else
		LOAD(int64);
#undef LOAD
}

/* Put in a value that lies in a tuple. */
static inline void
store_attribute(GpuredColumns *columns, GpuredColumn *column, int row, char *value)
{
	column->nulls[row] = false;
	if (!column->byval)
		((Datum *) column->values)[row] = stays_in_page(column) ? PointerGetDatum(value) :
			keep_reference(columns, column, row, PointerGetDatum(value));
	else if (column->len == 8)
		((int64 *) column->values)[row] = *(const int64 *) value;
	else if (column->len == 4)
		((int32 *) column->values)[row] = *(const int32 *) value;
	else if (column->len == 2)
		((int16 *) column->values)[row] = *(const int16 *) value;
	else
		column->values[row] = *value;
}

/*
 * Tuples of a page that are walked through side by side, an attribute at a time: so the
 * processor waits for the lengths of many at once.  Those that are whole have no NULL and
 * all attributes that are needed.
 */
typedef struct Walk
{
	int			n;
	int			row[MaxHeapTuplesPerPage];	/* of the page */
	char	   *data[MaxHeapTuplesPerPage];
	int			offset[MaxHeapTuplesPerPage];	/* where the attribute before
												 * ends */
} Walk;

static inline void
walk_add(Walk *walk, const GpuredPage *page, int row, int offset)
{
	walk->row[walk->n] = row;
	walk->data[walk->n] = page->data[row];
	walk->offset[walk->n++] = offset;
}

static inline int
alignment_mask(Form_pg_attribute att)
{
	return att_align_nominal(1, att->attalign) - 1;
}

/* Go over one attribute of tuples that may lack it, and take it if there is a column. */
static void
walk_partial(GpuredColumns *columns, Walk *walk, const GpuredPage *page, int i,
			 GpuredColumn *column)
{
	Form_pg_attribute att = TupleDescAttr(RelationGetDescr(columns->rel), i);
	const int	len = att->attlen;
	const int	mask = alignment_mask(att);

	for (int j = 0; j < walk->n; j++)
	{
		HeapTupleHeader tuple = page->tuple[walk->row[j]];
		char	   *data = walk->data[j];
		int			at = walk->offset[j];
		bool		missing = i >= HeapTupleHeaderGetNatts(tuple);

		if (missing || ((tuple->t_infomask & HEAP_HASNULL) != 0 && att_isnull(i, tuple->t_bits)))
		{
			if (column != NULL)
				store_datum(columns, column, columns->n + walk->row[j],
							missing ? column->missing : 0, !missing || column->missing_null);
			continue;
		}
		/* A varlena is not aligned if its header is short. */
		if (len != -1 || !VARATT_NOT_PAD_BYTE(data + at))
			at = (at + mask) & ~mask;
		if (column != NULL)
			store_attribute(columns, column, columns->n + walk->row[j], data + at);
		walk->offset[j] = len > 0 ? at + len : att_addlength_pointer(at, len, data + at);
	}
}

/* The same of whole tuples, where the attribute has a length. */
static void
walk_fixed(GpuredColumns *columns, Walk *walk, int i, GpuredColumn *column)
{
	Form_pg_attribute att = TupleDescAttr(RelationGetDescr(columns->rel), i);
	const int	len = att->attlen;
	const int	mask = alignment_mask(att);
	const int	first = columns->n;

	for (int j = 0; j < walk->n; j++)
		walk->offset[j] = (walk->offset[j] + mask) & ~mask;

#define TAKE(ctype) \
	do { \
		ctype	   *values = (ctype *) column->values + first; \
		bool	   *nulls = column->nulls + first; \
		for (int j = 0; j < walk->n; j++) \
		{ \
			values[walk->row[j]] = *(const ctype *) (walk->data[j] + walk->offset[j]); \
			nulls[walk->row[j]] = false; \
		} \
	} while (0)

	if (column != NULL)
	{
		if (!column->byval)
		{
			for (int j = 0; j < walk->n; j++)
				store_attribute(columns, column, first + walk->row[j],
								walk->data[j] + walk->offset[j]);
		}
		else if (len == 8)
			TAKE(int64);
		else if (len == 4)
			TAKE(int32);
		else if (len == 2)
			TAKE(int16);
		else
			TAKE(char);
	}
#undef TAKE
	for (int j = 0; j < walk->n; j++)
		walk->offset[j] += len;
}

/* And where it is a varlena. */
static void
walk_varlena(GpuredColumns *columns, Walk *walk, int i, GpuredColumn *column)
{
	const int	mask = alignment_mask(TupleDescAttr(RelationGetDescr(columns->rel), i));

	for (int j = 0; j < walk->n; j++)
	{
		char	   *data = walk->data[j];
		int			at = walk->offset[j];

		if (!VARATT_NOT_PAD_BYTE(data + at))
			at = (at + mask) & ~mask;
		if (column != NULL)
			store_attribute(columns, column, columns->n + walk->row[j], data + at);
		walk->offset[j] = at + VARSIZE_ANY(data + at);
	}
}

static inline bool
is_whole(HeapTupleHeader tuple, int natts)
{
	return (tuple->t_infomask & HEAP_HASNULL) == 0 && HeapTupleHeaderGetNatts(tuple) >= natts;
}

static void
walk_page(GpuredColumns *columns, const GpuredPage *page, bool first)
{
	int			natts = first ? columns->natts_first : columns->natts_rest;
	int			start = page->complete ? columns->walk_start : 0;
	int			offset = page->complete ? columns->walk_offset : 0;
	bool		go_on = !first && columns->walked &&
		(page->complete ? columns->goes_on_complete : columns->goes_on);
	Walk		whole;
	Walk		partial;

	if (go_on)
		start = columns->natts_first;
	whole.n = partial.n = 0;
	for (int r = 0; r < page->n; r++)
		walk_add(page->complete || is_whole(page->tuple[r], natts) ? &whole : &partial, page, r,
				 go_on ? columns->reached[r] : offset);
	for (int i = start; i < natts; i++)
	{
		int			len = TupleDescAttr(RelationGetDescr(columns->rel), i)->attlen;
		int			c = columns->of_attribute[i];
		GpuredColumn *column = c >= 0 && columns->column[c].first == first ?
			&columns->column[c] : NULL;

		if (len > 0)
			walk_fixed(columns, &whole, i, column);
		else if (len == -1)
			walk_varlena(columns, &whole, i, column);
		else
			walk_partial(columns, &whole, page, i, column);
		walk_partial(columns, &partial, page, i, column);
	}
	if (!first || natts < start)
		return;
	columns->walked = true;
	for (int j = 0; j < whole.n; j++)
		columns->reached[whole.row[j]] = whole.offset[j];
	for (int j = 0; j < partial.n; j++)
		columns->reached[partial.row[j]] = partial.offset[j];
}

static void
extract(GpuredColumns *columns, const GpuredPage *page, bool first)
{
	bool		walk = !page->complete;

	for (int i = 0; page->complete && i < columns->ncolumns; i++)
	{
		GpuredColumn *column = &columns->column[i];

		if (column->attnum == 0 || column->first != first)
			continue;
		if (column->offset >= 0)
			load_column(columns, column, page->data, page->n);
		else
			walk = true;
	}
	if (walk)
		walk_page(columns, page, first);
}

void
gpured_columns_extract_first(GpuredColumns *columns, GpuredPage *page)
{
	columns->walked = false;
	columns->moves++;
	if (columns->has_first)
		extract(columns, page, true);
}

/* Move n rows of a page to the front. */
static void
select_rows(GpuredColumn *column, int row, const int *index, int n)
{
	bool	   *nulls = column->nulls + row;

#define SELECT(ctype) \
	do { \
		ctype	   *values = (ctype *) column->values + row; \
		for (int i = 0; i < n; i++) \
			values[i] = values[index[i]]; \
	} while (0)

	for (int i = 0; column->has_nulls && i < n; i++)
		nulls[i] = nulls[index[i]];
	if (!column->byval || column->len == 8)
		SELECT(Datum);
	else if (column->len == 4)
		SELECT(int32);
	else if (column->len == 2)
		SELECT(int16);
	else
		SELECT(char);
#undef SELECT
}

void
gpured_columns_select(GpuredColumns *columns, GpuredPage *page, const bool *keep)
{
	int			index[MaxHeapTuplesPerPage];
	int			n = 0;

	for (int i = 0; i < page->n; i++)
	{
		index[n] = i;
		n += keep[i];
	}
	if (n == page->n)
		return;
	columns->moves++;
	for (int i = 0; i < columns->ncolumns; i++)
	{
		if (columns->column[i].first)
			select_rows(&columns->column[i], columns->n, index, n);
	}
	for (int i = 0; i < n; i++)
	{
		page->tuple[i] = page->tuple[index[i]];
		page->data[i] = page->data[index[i]];
		page->offset[i] = page->offset[index[i]];
		columns->reached[i] = columns->reached[index[i]];
	}
	page->n = n;
}

/* Copy what has stayed in the page and is needed once that is gone. */
static void
copy_first(GpuredColumns *columns, int n)
{
	for (int i = 0; i < columns->ncolumns; i++)
	{
		GpuredColumn *column = &columns->column[i];
		Datum	   *values = (Datum *) column->values + columns->n;

		if (!column->first || column->byval || !column->kept)
			continue;
		for (int r = 0; r < n; r++)
		{
			if (!column->nulls[columns->n + r])
				values[r] = copy_reference(columns, column, values[r]);
		}
	}
}

void
gpured_columns_show(GpuredColumns *columns, const GpuredPage *page, int i)
{
	HeapTuple	tuple = &columns->tuple;

	tuple->t_len = ItemIdGetLength(PageGetItemId(page->page, page->offset[i]));
	tuple->t_data = page->tuple[i];
	tuple->t_tableOid = RelationGetRelid(columns->rel);
	ItemPointerSet(&tuple->t_self, page->block, page->offset[i]);
	ExecStoreHeapTuple(tuple, columns->slot, false);
	columns->econtext->ecxt_scantuple = columns->slot;
}

void
gpured_columns_hide(GpuredColumns *columns)
{
	ExecClearTuple(columns->slot);
}

/* Compute what is left to the executor for one row. */
static void
compute_exprs(GpuredColumns *columns, int row)
{
	for (int i = 0; i < columns->ncolumns; i++)
	{
		GpuredColumn *column = &columns->column[i];
		Datum		value = 0;
		bool		null = true;

		if (!column->by_executor)
			continue;
		if (column->guard >= 0)
		{
			const GpuredColumn *guard = &columns->column[column->guard];

			if (guard->nulls[row] || !guard->values[row])
			{
				store_datum(columns, column, row, value, null);
				continue;
			}
		}
		value = ExecEvalExprSwitchContext(column->state, columns->econtext, &null);
		store_datum(columns, column, row, value, null);
	}
}

/*
 * The rows of the page for which an expression is computed: those that its guard lets
 * through.  False if that is not known yet.
 */
static bool
find_active(const GpuredColumns *columns, const GpuredColumn *column, int n, bool *active)
{
	const GpuredColumn *guard;
	int			row = columns->n;

	memset(active, true, n);
	if (column->guard < 0)
		return true;
	guard = &columns->column[column->guard];
	for (int i = 0; i < n; i++)
		active[i] = !guard->nulls[row + i] && guard->values[row + i];
	return !guard->by_executor;
}

/* Compute a page's expressions and conditions, as many as can be at once. */
static void
compute_page(GpuredColumns *columns, GpuredPage *page)
{
	bool		by_executor = false;
	bool		gave_up = false;
	bool		active[MaxHeapTuplesPerPage];

	for (int i = 0; i < columns->ncolumns; i++)
	{
		GpuredColumn *column = &columns->column[i];

		if (column->attnum > 0)
			continue;
		if (column->filter != NULL)
		{
			bool	   *values = (bool *) column->values + columns->n;

			memset(values, true, page->n);
			memset(column->nulls + columns->n, false, page->n);
			gpured_filter_apply(column->filter, columns, page->n, values);
			continue;
		}
		column->by_executor = column->program == NULL ||
			!find_active(columns, column, page->n, active);
		if (!column->by_executor &&
			!gpured_program_run(column->program, columns, page->n, active, column))
			column->by_executor = gave_up = true;
		by_executor |= column->by_executor;
		if (!column->by_executor && column->numerics != NULL)
			gpured_numerics_read(column->numerics, column, columns->n, page->n);
	}
	if (!by_executor)
		return;
	for (int i = 0; i < page->n; i++)
	{
		ResetExprContext(columns->econtext);
		gpured_columns_show(columns, page, i);
		compute_exprs(columns, columns->n + i);
	}
	gpured_columns_hide(columns);
	columns->by_executor += page->n;
	columns->recomputed += gave_up ? page->n : 0;
}

void
gpured_columns_extract_rest(GpuredColumns *columns, GpuredPage *page)
{
	if (page->n == 0)
		return;
	if (columns->has_first)
		copy_first(columns, page->n);
	if (columns->has_rest)
		extract(columns, page, false);
	if (columns->nexprs > 0)
		compute_page(columns, page);
	columns->n += page->n;
}

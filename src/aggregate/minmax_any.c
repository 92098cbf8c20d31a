/*
 * minmax_any.c
 *	  The larger and the smaller of two values of any type that has an order.
 *
 * The order is that of the type's default btree operator class, so that
 * gpu_min and gpu_max of a type for which PostgreSQL has no function of its own
 * agree with ORDER BY, and an index can serve.
 */
#include "postgres.h"

#include "fmgr.h"
#include "utils/builtins.h"
#include "utils/typcache.h"

PG_FUNCTION_INFO_V1(gpured_larger);
PG_FUNCTION_INFO_V1(gpured_smaller);

/* The type of the arguments, with its comparison; found once a query. */
static TypeCacheEntry *
ordered_type(FunctionCallInfo fcinfo)
{
	TypeCacheEntry *type = fcinfo->flinfo->fn_extra;
	Oid			oid;

	if (type != NULL)
		return type;
	oid = get_fn_expr_argtype(fcinfo->flinfo, 0);
	if (!OidIsValid(oid))
		elog(ERROR, "could not determine the type of the arguments");
	type = lookup_type_cache(oid, TYPECACHE_CMP_PROC_FINFO);
	if (!OidIsValid(type->cmp_proc_finfo.fn_oid))
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_FUNCTION),
				 errmsg("could not identify a comparison function for type %s",
						format_type_be(oid))));
	fcinfo->flinfo->fn_extra = type;
	return type;
}

/*
 * The greater of two values times "sign"; of equal ones the first.  What is
 * stored out of line is fetched here, and not at every comparison with it.
 */
static Datum
select_value(FunctionCallInfo fcinfo, int sign)
{
	TypeCacheEntry *type = ordered_type(fcinfo);
	Datum		a = PG_GETARG_DATUM(0);
	Datum		b = PG_GETARG_DATUM(1);
	int			order;

	if (type->typlen == -1)
	{
		a = PointerGetDatum(PG_DETOAST_DATUM_PACKED(a));
		b = PointerGetDatum(PG_DETOAST_DATUM_PACKED(b));
	}
	order = DatumGetInt32(FunctionCall2Coll(&type->cmp_proc_finfo, PG_GET_COLLATION(), a, b));
	if (order == 0)
		PG_RETURN_DATUM(a);
	PG_RETURN_DATUM((order > 0) == (sign > 0) ? a : b);
}

Datum
gpured_larger(PG_FUNCTION_ARGS)
{
	return select_value(fcinfo, 1);
}

Datum
gpured_smaller(PG_FUNCTION_ARGS)
{
	return select_value(fcinfo, -1);
}

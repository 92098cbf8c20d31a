/*
 * catalog.c
 *	  Which aggregates are gpured's, and what the planner knows of them.
 *
 * They are known by their membership in the extension, never by a name or a
 * search_path.  Asking that of the catalogues at each plan would be slow, so the
 * answers are kept until some function changes.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "access/transam.h"
#include "catalog/dependency.h"
#include "catalog/pg_aggregate.h"
#include "catalog/pg_proc.h"
#include "commands/extension.h"
#include "fmgr.h"
#include "utils/hsearch.h"
#include "utils/inval.h"
#include "utils/memutils.h"
#include "utils/syscache.h"

#include "aggregate/partial.h"
#include "compat.h"
#include "plan/plan.h"

typedef struct KnownAggregate
{
	Oid			oid;
	bool		own;
	bool		folded;
} KnownAggregate;

static HTAB *known;
static bool registered;

static void
forget(Datum arg, int cacheid, uint32 hashvalue)
{
	if (known != NULL)
		hash_destroy(known);
	known = NULL;
}

static void
create_known(void)
{
	HASHCTL		ctl = {.keysize = sizeof(Oid),.entrysize = sizeof(KnownAggregate)};

	if (!registered)
		CacheRegisterSyscacheCallback(PROCOID, forget, (Datum) 0);
	registered = true;
	ctl.hcxt = TopMemoryContext;
	known = hash_create("gpured aggregates", 32, &ctl, HASH_ELEM | HASH_BLOBS | HASH_CONTEXT);
}

static bool
find_own(Oid aggregate)
{
	Oid			extension;

	if (aggregate < FirstNormalObjectId)
		return false;
	/* There need be none in this database. */
	extension = get_extension_oid("gpured", true);
	return OidIsValid(extension) &&
		getExtensionOfObject(ProcedureRelationId, aggregate) == extension;
}

static bool
find_folded(Oid aggregate)
{
	HeapTuple	tuple = SearchSysCache1(AGGFNOID, ObjectIdGetDatum(aggregate));
	FmgrInfo	transition;

	if (!HeapTupleIsValid(tuple))
		return false;
	fmgr_info(((Form_pg_aggregate) GETSTRUCT(tuple))->aggtransfn, &transition);
	ReleaseSysCache(tuple);
	return gpured_partial_find(transition.fn_addr) != NULL;
}

/* What is known of an aggregate, until some function changes. */
static KnownAggregate
find_known(Oid aggregate)
{
	KnownAggregate *entry;
	KnownAggregate result;

	/* Before the first lookup, so that a change during it is not missed. */
	if (known == NULL)
		create_known();
	entry = hash_search(known, &aggregate, HASH_FIND, NULL);
	if (entry != NULL)
		return *entry;
	result.oid = aggregate;
	result.own = find_own(aggregate);
	result.folded = find_folded(aggregate);
	if (known != NULL)
	{
		entry = hash_search(known, &aggregate, HASH_ENTER, NULL);
		*entry = result;
	}
	return result;
}

bool
gpured_aggregate_is_own(Oid aggregate)
{
	return aggregate >= FirstNormalObjectId && find_known(aggregate).own;
}

bool
gpured_aggregate_is_known(Oid aggregate)
{
	return aggregate < FirstNormalObjectId || gpured_aggregate_is_own(aggregate);
}

bool
gpured_aggregate_is_folded(Oid aggregate)
{
	return find_known(aggregate).folded;
}

/*
 * catalog.c
 *	  Which aggregates are gpured's.
 *
 * They are known by their membership in the extension, never by a name or a
 * search_path.  Asking that of the catalogues at each plan would be slow, so the
 * answers are kept until some function changes.
 */
#include "postgres.h"

#include "access/transam.h"
#include "catalog/dependency.h"
#include "catalog/pg_proc.h"
#include "commands/extension.h"
#include "utils/hsearch.h"
#include "utils/inval.h"
#include "utils/memutils.h"
#include "utils/syscache.h"

#include "compat.h"
#include "plan/plan.h"

typedef struct KnownAggregate
{
	Oid			oid;
	bool		own;
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

bool
gpured_aggregate_is_own(Oid aggregate)
{
	KnownAggregate *entry;
	Oid			extension;
	bool		own;

	/* Before the first lookup, so that a change during it is not missed. */
	if (known == NULL)
		create_known();
	if (aggregate < FirstNormalObjectId)
		return false;
	entry = hash_search(known, &aggregate, HASH_FIND, NULL);
	if (entry != NULL)
		return entry->own;

	/* There need be none in this database. */
	extension = get_extension_oid("gpured", true);
	own = OidIsValid(extension) &&
		getExtensionOfObject(ProcedureRelationId, aggregate) == extension;
	if (known != NULL)
	{
		entry = hash_search(known, &aggregate, HASH_ENTER, NULL);
		entry->own = own;
	}
	return own;
}

bool
gpured_aggregate_is_known(Oid aggregate)
{
	return aggregate < FirstNormalObjectId || gpured_aggregate_is_own(aggregate);
}

/*
 * compat.h
 *	  Where PostgreSQL 15 to 18 differ.
 */
#ifndef GPURED_COMPAT_H
#define GPURED_COMPAT_H

#include "storage/latch.h"
#include "utils/memutils.h"

#if PG_VERSION_NUM >= 160000
#include "varatt.h"
#endif
#if PG_VERSION_NUM >= 180000
#include "storage/waiteventset.h"
#endif

/* A wait event set that lives until it is freed, whatever ends meanwhile. */
static inline WaitEventSet *
gpured_create_wait_event_set(int nevents)
{
#if PG_VERSION_NUM >= 170000
	return CreateWaitEventSet(NULL, nevents);
#else
	return CreateWaitEventSet(TopMemoryContext, nevents);
#endif
}

#endif							/* GPURED_COMPAT_H */

/*
 * shared.h
 *	  Memory that all processes of the cluster share.
 */
#ifndef GPURED_SHARED_H
#define GPURED_SHARED_H

#include "postgres.h"

/*
 * Ask for shared memory of a name, from _PG_init.  If the library is preloaded,
 * "start" is called in each process that maps it; in the first one it is "fresh".
 * Else nothing happens.
 */
extern void gpured_shared_add(const char *name, Size (*size) (void),
							  void (*start) (void *memory, bool fresh));

#endif							/* GPURED_SHARED_H */

/*
 * supervisor.h
 *	  What a session asks of the supervisor.
 */
#ifndef GPURED_SUPERVISOR_H
#define GPURED_SUPERVISOR_H

#include "device/device.h"

/* Is there one? */
extern bool gpured_supervisor_running(void);

/*
 * Start one if there is none, without waiting.  False if PostgreSQL has no
 * background worker to spare; *status says so.
 */
extern bool gpured_supervisor_start(GpuredStatus *status);

#endif							/* GPURED_SUPERVISOR_H */

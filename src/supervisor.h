/*
 * supervisor.h
 *	  What a session asks of the supervisor, and how that starts the server.
 */
#ifndef GPURED_SUPERVISOR_H
#define GPURED_SUPERVISOR_H

#include <sys/types.h>

#include "device/device.h"

/* Is there one? */
extern bool gpured_supervisor_running(void);

/*
 * Start one if there is none, without waiting.  False if PostgreSQL has no
 * background worker to spare; *status says so.
 */
extern bool gpured_supervisor_start(GpuredStatus *status);

/*
 * spawn.c: execute argv[0].  Gives the writing end of its life pipe, whose
 * reading end is GPURED_LIFE_FD there, and the reading end of its standard
 * output and error, which does not block.
 */
#define GPURED_LIFE_FD	3

extern pid_t gpured_spawn(char **argv, int *life_end, int *log_end);

#endif							/* GPURED_SUPERVISOR_H */

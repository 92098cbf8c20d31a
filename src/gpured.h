/*
 * gpured.h
 *	  Settings and entry points shared by the session's C files.
 */
#ifndef GPURED_GPURED_H
#define GPURED_GPURED_H

#include "postgres.h"
#include "fmgr.h"

#define GPURED_VERSION "0.1.0"

/* gpured.device */
typedef enum GpuredDeviceSetting
{
	GPURED_DEVICE_AUTO,			/* CUDA if a usable GPU is there, else inline */
	GPURED_DEVICE_CUDA,			/* the same, but a missing GPU is worth a
								 * WARNING in the log */
	GPURED_DEVICE_CPU,			/* the server runs on the CPU device */
	GPURED_DEVICE_OFF			/* no server at all */
} GpuredDeviceSetting;

/* gpured.offload */
typedef enum GpuredOffloadSetting
{
	GPURED_OFFLOAD_AUTO,		/* above a measured break-even */
	GPURED_OFFLOAD_OFF,			/* compute in the session */
	GPURED_OFFLOAD_FORCE		/* always; ERROR if there is no device */
} GpuredOffloadSetting;

extern int	gpured_device_setting;	/* gpured.device, SIGHUP */
extern int	gpured_offload_setting; /* gpured.offload, USERSET */
extern int	gpured_buffer_size; /* gpured.buffer_size in kB, SIGHUP */
extern int	gpured_request_timeout; /* gpured.request_timeout in ms, USERSET */
extern char *gpured_debug_server_arguments; /* SIGHUP, for tests */

/* supervisor.c */
extern void gpured_supervisor_register(void);	/* from _PG_init, if
												 * preloading */
extern PGDLLEXPORT void gpured_supervisor_main(Datum arg);

#endif							/* GPURED_GPURED_H */

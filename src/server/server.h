/*
 * server.h
 *	  What the files of gpured-server share.
 *
 * main.c reads the arguments and accepts connections; connection.c answers the
 * requests of one; pool.c owns the slots; monitor.c counts, reports and watches
 * the device; fault.c breaks things on purpose, for tests.
 */
#ifndef GPURED_SERVER_H
#define GPURED_SERVER_H

#include <pthread.h>
#include <stdatomic.h>

#include "device/protocol.h"

/* Connections beyond this are refused with a reason. */
#define GPURED_MAX_CLIENTS	1000

typedef struct GpuredServer
{
	const GpuredDevice *device;
	GpuredDeviceInfo info;
	const char *socket_path;
	const char *status_path;
	char		instance[40];
	uint64_t	started_ns;
} GpuredServer;

extern GpuredServer server;

/* A connected session. */
typedef struct GpuredClient
{
	atomic_bool used;
	int			fd;
	_Atomic uint64_t busy_since_ns; /* in a device call since then, or 0 */
} GpuredClient;

extern GpuredClient clients[GPURED_MAX_CLIENTS];

/* monitor.c */
typedef struct GpuredServerCounters
{
	_Atomic uint64_t requests;
	_Atomic uint64_t batches;
	_Atomic uint64_t rows;
	_Atomic uint64_t bytes;
	_Atomic uint64_t failures;
	_Atomic uint64_t device_ns;
	_Atomic uint64_t clients;
} GpuredServerCounters;

extern GpuredServerCounters counters;

extern uint64_t now_ns(void);
extern void say(const char *level, const char *fmt,...)
			__attribute__((format(printf, 2, 3)));
extern void status_write(const char *state, const char *reason);
extern void counters_read(GpuredCounters *out);
extern bool watchdog_start(int seconds);

/* pool.c */
extern bool pool_create(size_t size, GpuredStatus *status);
extern int	pool_fd(void);
extern void *pool_base(void);
extern size_t pool_size(void);
extern size_t pool_slot_size(void);
extern uint32_t pool_num_slots(void);
extern uint32_t pool_slots_used(void);
extern char *pool_slot(uint32_t slot);

/*
 * Give "client" a slot, or -1 if none is free within wait_ms or the client has
 * gone meanwhile.
 */
extern int	pool_acquire(int client, uint32_t wait_ms);
extern bool pool_owns(int client, uint32_t slot);
extern void pool_release(int client, uint32_t slot);
extern void pool_release_all(int client);

/* connection.c */
extern void connection_serve(int client);
extern void connection_close(int fd);

/* fault.c */
typedef enum FaultStep
{
	FAULT_ACCEPT,
	FAULT_HELLO,
	FAULT_ACQUIRE,
	FAULT_REDUCE_BEFORE,
	FAULT_REDUCE_AFTER,
	FAULT_SCAN_BEFORE,
	FAULT_SCAN_AFTER,
	FAULT_REPLY,
	FAULT_NUM_STEPS
} FaultStep;

typedef enum FaultAction
{
	FAULT_NONE,
	FAULT_ABORT,				/* does not return */
	FAULT_HANG,					/* does not return */
	FAULT_GARBAGE,				/* the answer is to be nonsense */
	FAULT_ERROR,				/* the answer is to be a failure */
	FAULT_MEMORY,				/* ... for lack of memory */
	FAULT_SPOIL,				/* some bytes of the answer are to be wrong */
	FAULT_LARGEST				/* a sum is to be the largest that there is */
} FaultAction;

extern bool fault_parse(const char *argument);
extern FaultAction fault_at(FaultStep step);
extern void fault_spoil(GpuredMessage *message);
extern void fault_largest(GpuredMessage *message);

#endif							/* GPURED_SERVER_H */

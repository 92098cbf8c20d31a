/*
 * client.h
 *	  A client of gpured-server without PostgreSQL: for tests and benchmarks.
 */
#ifndef GPURED_CLIENT_H
#define GPURED_CLIENT_H

#include <sys/types.h>

#include "device/protocol.h"

typedef struct Client
{
	int			fd;
	uint32_t	seq;
	char	   *pool;
	GpuredWelcome welcome;
} Client;

/* Connect to the socket, trying for some seconds; -1 if nobody listens. */
extern int	client_socket(const char *path);

/* Connect and say hello; ends the program if that fails. */
extern void client_open(Client *client, const char *path);
extern void client_close(Client *client);

extern bool client_send(Client *client, GpuredMessage *message);

/* Wait for a message; false at end-of-file or after ten seconds. */
extern bool client_receive(Client *client, GpuredMessage *message);

/* Send a request of this type, filled in by the caller, and get its answer. */
extern bool client_ask(Client *client, GpuredMessage *message);

/* A slot, or -1. */
extern int	client_acquire(Client *client, uint32_t wait_ms);
extern void client_release(Client *client, uint32_t slot);
extern char *client_slot(Client *client, uint32_t slot);
extern GpuredResult client_reduce(Client *client, GpuredOp op, uint32_t slot,
								  uint64_t n);
extern GpuredResult client_scan(Client *client, GpuredOp op, uint32_t slot,
								uint64_t n, const GpuredAcc *carry);
extern GpuredCounters client_counters(Client *client);

#endif							/* GPURED_CLIENT_H */

/*
 * protocol.h
 *	  What a session and gpured-server say to each other.
 *
 * The socket is SOCK_SEQPACKET, so a message arrives whole or not at all.  Each
 * kind of message has one fixed size, starts with the same header and is
 * checked field by field by whoever receives it: neither side trusts the other,
 * and both may be of another build.  A message that makes no sense ends the
 * connection.
 *
 * Values do not travel in messages.  They lie in slots of a pool that the
 * server makes and passes along with WELCOME; a session may name only slots
 * that it was granted.  The requests of one connection are handled in the order
 * in which they were sent, so a RELEASE may follow a REDUCE at once.
 *
 * The server keeps nothing between requests but who holds which slot: a result
 * is the accumulator of one batch, and the session merges.
 */
#ifndef GPURED_PROTOCOL_H
#define GPURED_PROTOCOL_H

#include "device/device.h"

#ifdef __cplusplus
extern "C"
{
#endif

#define GPURED_PROTOCOL_MAGIC	0x44525047	/* "GPRD" */
#define GPURED_PROTOCOL_VERSION 2

/*
 * Relative to the data directory, which is the working directory of every
 * PostgreSQL process and of the server: a short path however deep the directory
 * is.  Base backups leave the contents of pg_stat_tmp out.
 */
#define GPURED_SOCKET_PATH	"pg_stat_tmp/gpured.sock"
#define GPURED_STATUS_PATH	"pg_stat_tmp/gpured.status"
#define GPURED_LOCK_PATH	"pg_stat_tmp/gpured.lock"

/* Exit codes of gpured-server that its supervisor tells apart. */
#define GPURED_EXIT_NO_DEVICE	3	/* nothing to compute on: do not restart */
#define GPURED_EXIT_WATCHDOG	4	/* a device call took too long */

/* The longest wait for a slot that a session may ask for. */
#define GPURED_MAX_ACQUIRE_MS	10000

/* The output of a scan starts at this alignment after its input. */
#define GPURED_SLOT_ALIGN	64

typedef enum GpuredMessageType
{
	GPURED_MSG_HELLO = 1,		/* session: who are you? */
	GPURED_MSG_WELCOME,			/* server: this, and here is the pool */
	GPURED_MSG_ACQUIRE,			/* session: a slot, please */
	GPURED_MSG_GRANT,			/* server: this one */
	GPURED_MSG_REFUSED,			/* server: none, because ... */
	GPURED_MSG_REDUCE,			/* session: reduce what is in my slot */
	GPURED_MSG_SCAN,			/* session: scan what is in my slot */
	GPURED_MSG_RESULT,			/* server: done, or why not */
	GPURED_MSG_RELEASE,			/* session: take the slot back; no answer */
	GPURED_MSG_STATUS,			/* session: how are you? */
	GPURED_MSG_INFO,			/* server: counters */
	GPURED_MSG_ERROR,			/* server: I am closing, because ... */
	GPURED_NUM_MSG
} GpuredMessageType;

typedef struct GpuredHeader
{
	uint32_t	magic;
	uint16_t	version;
	uint16_t	type;			/* GpuredMessageType */
	uint32_t	length;			/* of the whole message */
	uint32_t	seq;			/* chosen by the session, repeated in the
								 * answer */
} GpuredHeader;

typedef struct GpuredHello
{
	GpuredHeader header;
	uint64_t	fingerprint;	/* gpured_protocol_fingerprint() */
} GpuredHello;

typedef struct GpuredWelcome
{
	GpuredHeader header;
	uint64_t	fingerprint;
	char		instance[40];	/* which life of the server this is */
	char		device[16];		/* "cpu", "cuda" */
	int32_t		pid;
	uint32_t	num_slots;
	uint64_t	slot_size;
	uint64_t	pool_size;		/* of the file passed with this message */
	GpuredDeviceInfo info;
} GpuredWelcome;

typedef struct GpuredAcquire
{
	GpuredHeader header;
	uint32_t	wait_ms;
	uint32_t	unused;
} GpuredAcquire;

typedef struct GpuredGrant
{
	GpuredHeader header;
	uint32_t	slot;
	uint32_t	unused;
} GpuredGrant;

/* RELEASE */
typedef struct GpuredRelease
{
	GpuredHeader header;
	uint32_t	slot;
	uint32_t	unused;
} GpuredRelease;

/* REFUSED and ERROR */
typedef struct GpuredRefused
{
	GpuredHeader header;
	GpuredStatus status;
} GpuredRefused;

/*
 * REDUCE; its accumulator starts at the identity.  A second column starts at
 * gpured_second_column_offset() in the same slot, however many values there are.
 */
typedef struct GpuredReduce
{
	GpuredHeader header;
	uint32_t	op;				/* GpuredOp */
	uint32_t	slot;
	uint64_t	n;				/* values at the start of the slot */
} GpuredReduce;

/* SCAN; the output starts at gpured_scan_output_offset() in the same slot */
typedef struct GpuredScan
{
	GpuredHeader header;
	uint32_t	op;
	uint32_t	slot;
	uint64_t	n;
	GpuredAcc	carry;
} GpuredScan;

/* The batch's accumulator, or the advanced carry of a scan. */
typedef struct GpuredResult
{
	GpuredHeader header;
	GpuredStatus status;
	uint64_t	device_ns;		/* time in the device call */
	GpuredAcc	acc;
} GpuredResult;

/* HELLO has no more fields than its fingerprint, STATUS none at all. */
typedef struct GpuredStatusRequest
{
	GpuredHeader header;
} GpuredStatusRequest;

typedef struct GpuredCounters
{
	uint64_t	requests;		/* messages handled */
	uint64_t	batches;		/* reductions and scans */
	uint64_t	rows;
	uint64_t	bytes;			/* of input values */
	uint64_t	failures;		/* batches that the device could not do */
	uint64_t	launches;		/* kernel launches */
	uint64_t	device_ns;		/* time in device calls, all clients together */
	uint64_t	clients;		/* connected now */
	uint64_t	slots_used;		/* held now */
	uint64_t	slots;
	uint64_t	uptime_ms;
} GpuredCounters;

typedef struct GpuredInfo
{
	GpuredHeader header;
	GpuredCounters counters;
} GpuredInfo;

/* Room for any message. */
typedef union GpuredMessage
{
	GpuredHeader header;
	GpuredHello hello;
	GpuredWelcome welcome;
	GpuredAcquire acquire;
	GpuredGrant grant;
	GpuredRelease release;
	GpuredRefused refused;
	GpuredReduce reduce;
	GpuredScan	scan;
	GpuredResult result;
	GpuredStatusRequest status;
	GpuredInfo	info;
} GpuredMessage;

/* Fill in the header; the rest of the message is cleared. */
extern void gpured_message_init(GpuredMessage *message, GpuredMessageType type,
								uint32_t seq);

/*
 * Is what was received a message?  Checks the header and the size, and makes
 * every string one that may be shown: ended, and plain ASCII.  On false, *status
 * says what is wrong.
 */
extern bool gpured_message_check(GpuredMessage *message, size_t received,
								 GpuredStatus *status);

/* Equal if both sides mean the same by an operation and an accumulator. */
extern uint64_t gpured_protocol_fingerprint(void);

/* Could a device have made this?  Guards the arithmetic against overflow. */
extern bool gpured_acc_plausible(GpuredOp op, const GpuredAcc *acc);

/* Where the output of a scan of n values starts in its slot. */
extern size_t gpured_scan_output_offset(GpuredOp op, size_t n);

/* Where the second column starts in a slot, or in a buffer, of this size. */
extern size_t gpured_second_column_offset(GpuredOp op, size_t slot_size);

/* How many values of "op" one slot holds, with the output of a scan or both columns. */
extern size_t gpured_slot_capacity(GpuredOp op, size_t slot_size);

#ifdef __cplusplus
}
#endif

#endif							/* GPURED_PROTOCOL_H */

/*
 * protocol.c
 *	  The checks of messages that a session and gpured-server have in common.
 *
 * No PostgreSQL header: compiled into the extension, into the server and into
 * the stand-alone clients of test/server and bench.
 */
#include "device/protocol.h"

#include <string.h>

static const uint32_t message_length[GPURED_NUM_MSG] = {
	[GPURED_MSG_HELLO] = sizeof(GpuredHello),
	[GPURED_MSG_WELCOME] = sizeof(GpuredWelcome),
	[GPURED_MSG_ACQUIRE] = sizeof(GpuredAcquire),
	[GPURED_MSG_GRANT] = sizeof(GpuredGrant),
	[GPURED_MSG_REFUSED] = sizeof(GpuredRefused),
	[GPURED_MSG_REDUCE] = sizeof(GpuredReduce),
	[GPURED_MSG_SCAN] = sizeof(GpuredScan),
	[GPURED_MSG_RESULT] = sizeof(GpuredResult),
	[GPURED_MSG_RELEASE] = sizeof(GpuredRelease),
	[GPURED_MSG_STATUS] = sizeof(GpuredStatusRequest),
	[GPURED_MSG_INFO] = sizeof(GpuredInfo),
	[GPURED_MSG_ERROR] = sizeof(GpuredRefused),
};

void
gpured_message_init(GpuredMessage *message, GpuredMessageType type, uint32_t seq)
{
	memset(message, 0, message_length[type]);
	message->header.magic = GPURED_PROTOCOL_MAGIC;
	message->header.version = GPURED_PROTOCOL_VERSION;
	message->header.type = type;
	message->header.length = message_length[type];
	message->header.seq = seq;
}

/* End a text, and leave nothing in it but plain ASCII. */
static void
clean_text(char *words, size_t size)
{
	words[size - 1] = '\0';
	for (char *p = words; *p; p++)
	{
		if ((unsigned char) *p < ' ' || (unsigned char) *p > '~')
			*p = '?';
	}
}

#define CLEAN(text) clean_text(text, sizeof(text))

bool
gpured_message_check(GpuredMessage *message, size_t received,
					 GpuredStatus *status)
{
	const GpuredHeader *header = &message->header;

	if (received < sizeof(GpuredHeader) ||
		header->magic != GPURED_PROTOCOL_MAGIC)
		*status = gpured_status(GPURED_PROTOCOL, "not a message of gpured");
	else if (header->version != GPURED_PROTOCOL_VERSION)
		*status = gpured_status(GPURED_PROTOCOL,
								"the other side speaks protocol version %d, this one version %d",
								header->version, GPURED_PROTOCOL_VERSION);
	else if (header->type >= GPURED_NUM_MSG || message_length[header->type] == 0)
		*status = gpured_status(GPURED_PROTOCOL, "unknown message type %d",
								header->type);
	else if (header->length != message_length[header->type] ||
			 received != header->length)
		*status = gpured_status(GPURED_PROTOCOL,
								"a message of type %d has %zu bytes instead of %u",
								header->type, received,
								message_length[header->type]);
	else
	{
		switch (header->type)
		{
			case GPURED_MSG_WELCOME:
				CLEAN(message->welcome.instance);
				CLEAN(message->welcome.device);
				CLEAN(message->welcome.info.name);
				CLEAN(message->welcome.info.reason);
				break;
			case GPURED_MSG_REFUSED:
			case GPURED_MSG_ERROR:
				CLEAN(message->refused.status.reason);
				break;
			case GPURED_MSG_RESULT:
				CLEAN(message->result.status.reason);
				break;
			default:
				break;
		}
		return true;
	}
	return false;
}

/* FNV-1a over the names and sizes of the list, the accumulator and the messages. */
uint64_t
gpured_protocol_fingerprint(void)
{
	uint64_t	hash = UINT64_C(0xcbf29ce484222325);

	for (int op = GPURED_none + 1; op < GPURED_NUM_OPS; op++)
	{
		const GpuredOpInfo *info = &gpured_op_info[op];
		uint8_t		shape[4] = {info->acc, info->input_size, info->columns, info->output_size};

		for (const char *p = info->name; *p; p++)
			hash = (hash ^ (uint8_t) *p) * UINT64_C(0x100000001b3);
		for (size_t i = 0; i < sizeof(shape); i++)
			hash = (hash ^ shape[i]) * UINT64_C(0x100000001b3);
	}
	hash = (hash ^ sizeof(GpuredAcc)) * UINT64_C(0x100000001b3);
	hash = (hash ^ sizeof(GpuredMessage)) * UINT64_C(0x100000001b3);
	return (hash ^ GPURED_EXACT_LIMBS) * UINT64_C(0x100000001b3);
}

/*
 * Nothing that fits in memory brings a count or a sum near the end of its type,
 * and a normalized limb leaves room for 2^30 additions, as exact.h promises.
 */
bool
gpured_acc_plausible(GpuredOp op, const GpuredAcc *acc)
{
	if (acc->n < 0 || acc->n > INT64_MAX / 2)
		return false;
	switch (gpured_op_info[op].acc)
	{
		case GPURED_ACC_exact:
			for (int i = 0; i < GPURED_EXACT_LIMBS; i++)
			{
				if (acc->v.exact.limb[i] > INT64_MAX / 2 ||
					acc->v.exact.limb[i] < -(INT64_MAX / 2))
					return false;
			}
			return acc->v.exact.flags <= (GPURED_EXACT_NAN | GPURED_EXACT_PINF |
										  GPURED_EXACT_NINF |
										  GPURED_EXACT_NOT_NEGZERO) &&
				acc->v.exact.pending <= (1U << 30);
		case GPURED_ACC_int64:
			return acc->v.i64 <= INT64_MAX / 2 && acc->v.i64 >= -(INT64_MAX / 2);
		case GPURED_ACC_wide:
			return acc->v.i128.hi <= INT64_MAX / 2 && acc->v.i128.hi >= -(INT64_MAX / 2);
		case GPURED_ACC_and_int:
		case GPURED_ACC_or_int:
		case GPURED_ACC_xor_int:
		case GPURED_ACC_least_int:
		case GPURED_ACC_greatest_int:
		case GPURED_ACC_least_float:
		case GPURED_ACC_greatest_float:
			return true;
		case GPURED_ACC_int_moments:
			return gpured_int_moments_plausible(&acc->v.ints, acc->n);
		case GPURED_ACC_moments:
			return gpured_moment_sums_plausible(GPURED_MOMENTS_ONE, &acc->v.sums, acc->n);
		case GPURED_ACC_pair_moments:
			return gpured_moment_sums_plausible(GPURED_MOMENTS_TWO, &acc->v.sums, acc->n);
		case GPURED_ACC_dot:
			return gpured_moment_sums_plausible(GPURED_MOMENTS_DOT, &acc->v.sums, acc->n);
	}
	return false;
}

/* The first multiple of the alignment from "size" on. */
static size_t
aligned(size_t size)
{
	return (size + GPURED_SLOT_ALIGN - 1) / GPURED_SLOT_ALIGN * GPURED_SLOT_ALIGN;
}

size_t
gpured_scan_output_offset(GpuredOp op, size_t n)
{
	return aligned(n * gpured_op_info[op].input_size);
}

size_t
gpured_second_column_offset(GpuredOp op, size_t slot_size)
{
	return aligned(gpured_slot_capacity(op, slot_size) * gpured_op_info[op].input_size);
}

size_t
gpured_slot_capacity(GpuredOp op, size_t slot_size)
{
	const GpuredOpInfo *info = &gpured_op_info[op];

	return (slot_size - (info->is_scan || info->columns == 2 ? GPURED_SLOT_ALIGN : 0)) /
		(info->columns * info->input_size + info->output_size);
}

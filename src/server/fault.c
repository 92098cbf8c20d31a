/*
 * fault.c
 *	  Break on purpose: --fault=STEP:N:ACTION, for tests.
 *
 * At the Nth time that the server comes to STEP it aborts, hangs, answers
 * nonsense or answers with a failure (for lack of memory).  Tests use it to show that a session's
 * answer does not depend on what the server does.  "reply:N:spoil" changes
 * some bytes of every Nth answer; sums may then be wrong, but a session must not
 * crash.  "reply:N:largest" makes every Nth sum of int2 or int4 as large as a
 * session believes, which no batch of theirs is.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "server.h"

static const char *const step_names[FAULT_NUM_STEPS] = {
	"accept", "hello", "acquire", "reduce-before", "reduce-after",
	"scan-before", "scan-after", "reply"
};

static const char *const action_names[] = {
	"none", "abort", "hang", "garbage", "error", "memory", "spoil", "largest"
};

static struct
{
	unsigned long at;			/* 0: never */
	FaultAction action;
	atomic_ulong seen;
}			faults[FAULT_NUM_STEPS];

/* Read STEP:N:ACTION; false if it is not one. */
bool
fault_parse(const char *argument)
{
	for (int step = 0; step < FAULT_NUM_STEPS; step++)
	{
		size_t		length = strlen(step_names[step]);
		char	   *end;
		unsigned long at;

		if (strncmp(argument, step_names[step], length) != 0 ||
			argument[length] != ':')
			continue;
		at = strtoul(argument + length + 1, &end, 10);
		if (at == 0 || *end != ':')
			return false;
		for (int action = FAULT_ABORT; action <= FAULT_LARGEST; action++)
		{
			if (strcmp(end + 1, action_names[action]) == 0)
			{
				faults[step].at = at;
				faults[step].action = action;
				return true;
			}
		}
		return false;
	}
	return false;
}

FaultAction
fault_at(FaultStep step)
{
	unsigned long seen;

	if (faults[step].at == 0)
		return FAULT_NONE;
	seen = atomic_fetch_add(&faults[step].seen, 1) + 1;
	if (faults[step].action >= FAULT_SPOIL)
		return seen % faults[step].at == 0 ? faults[step].action : FAULT_NONE;
	if (seen != faults[step].at)
		return FAULT_NONE;

	say("LOG", "fault injected: %s at %s", action_names[faults[step].action],
		step_names[step]);
	if (faults[step].action == FAULT_ABORT)
		abort();
	while (faults[step].action == FAULT_HANG)
		pause();
	return faults[step].action;
}

/* Change up to four bytes behind the header, other ones at each call. */
void
fault_spoil(GpuredMessage *message)
{
	static atomic_uint calls;
	unsigned	random = atomic_fetch_add(&calls, 1) * 2654435761U;
	size_t		body = message->header.length - sizeof(GpuredHeader);

	for (int i = 0; i < 4 && body > 0; i++)
	{
		random = random * 1664525 + 1013904223;
		((unsigned char *) message)[sizeof(GpuredHeader) + (random >> 8) % body] = random >> 24;
	}
}

void
fault_largest(GpuredMessage *message)
{
	if (message->header.type == GPURED_MSG_RESULT)
		message->result.acc.v.i64 = INT64_MAX / 2;
}

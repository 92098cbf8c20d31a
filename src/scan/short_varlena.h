/*
 * short_varlena.h
 *	  Varlenas of at most 16 bytes with their header, as two words.
 */
#ifndef GPURED_SHORT_VARLENA_H
#define GPURED_SHORT_VARLENA_H

#include "postgres.h"

#define GPURED_SHORT_SIZE (2 * sizeof(uint64))

/* Masks for the first n bytes of a word. */
static const uint64 gpured_low_bytes[] = {
	0, UINT64CONST(0xFF), UINT64CONST(0xFFFF), UINT64CONST(0xFFFFFF), UINT64CONST(0xFFFFFFFF),
	UINT64CONST(0xFFFFFFFFFF), UINT64CONST(0xFFFFFFFFFFFF), UINT64CONST(0xFFFFFFFFFFFFFF),
	UINT64CONST(0xFFFFFFFFFFFFFFFF)
};

static inline uint64
gpured_word_at(const char *bytes)
{
	uint64		word;

	memcpy(&word, bytes, sizeof(word));
	return word;
}

/*
 * A varlena of n bytes as two words, the first byte the least, behind it zeros.  It is read
 * as two whole words, bytes behind it too, which are somewhere: false if those might be in
 * another page of memory, or if it is longer.
 */
static inline bool
gpured_read_short(const char *value, Size n, uint64 *first, uint64 *second)
{
#ifdef WORDS_BIGENDIAN
	return false;
#else
	if (n > GPURED_SHORT_SIZE || ((uintptr_t) value & 4095) > 4096 - GPURED_SHORT_SIZE)
		return false;
	*first = gpured_word_at(value) & gpured_low_bytes[Min(n, 8)];
	*second = gpured_word_at(value + sizeof(uint64)) & gpured_low_bytes[n - Min(n, 8)];
	return true;
#endif
}

#endif							/* GPURED_SHORT_VARLENA_H */

/*
 * grouped_keys.c
 *	  Keys to numbers: the hash table of grouped.h.
 */
#include "device/grouped_keys.h"

#include "device/cpu.h"

/* Tables that are larger than this are fetched ahead. */
#define CACHED_BYTES	(256 * 1024)

/* An empty bucket has number 0, others the key's number and 1. */
typedef struct Bucket4
{
	uint32_t	key;
	uint32_t	number;
} Bucket4;

typedef struct Bucket8
{
	uint64_t	key;
	uint64_t	number;
} Bucket8;

static size_t
bucket_size(const GpuredKeys *t)
{
	return t->size == 8 ? sizeof(Bucket8) : sizeof(Bucket4);
}

/* The smallest table that "keys" keys fill by half at most. */
static int
log2_buckets_for(size_t keys)
{
	int			log2 = 10;

	while (((size_t) 1 << log2) < 2 * keys)
		log2++;
	return log2;
}

/* Room in key[] for that many; it grows with the buckets. */
static size_t
key_room_for(int log2_buckets)
{
	return (size_t) 1 << (log2_buckets - 1);
}

void
gpured_keys_init(GpuredKeys *t, int size, const GpuredAllocator *mem, void *arg)
{
	memset(t, 0, sizeof(*t));
	t->mem = mem;
	t->arg = arg;
	t->size = size;
}

void
gpured_keys_release(GpuredKeys *t)
{
	if (t->buckets != NULL)
		t->mem->release(t->arg, t->buckets);
	if (t->key != NULL)
		t->mem->release(t->arg, t->key);
	gpured_keys_init(t, t->size, t->mem, t->arg);
}

size_t
gpured_keys_growth(const GpuredKeys *t, size_t more)
{
	int			log2 = log2_buckets_for(t->n + more);

	if (log2 <= t->log2_buckets)
		return 0;

	/* the old table and the new one exist together for a while */
	return bucket_size(t) * ((size_t) 1 << log2) + t->size * key_room_for(log2);
}

/* Two multiplications, so that each bit of a key matters to the upper bits. */
static inline size_t
bucket_of(uint64_t key, int log2_buckets)
{
	key *= UINT64_C(0x9e3779b97f4a7c15);
	key ^= key >> 32;
	key *= UINT64_C(0xd6e8feb86659fd93);
	return (size_t) (key >> (64 - log2_buckets));
}

/* "wide" is always a constant: whether keys have 8 bytes. */
static GPURED_ALWAYS_INLINE uint64_t
key_at(const void *keys, size_t i, bool wide)
{
	uint64_t	key8;
	uint32_t	key4;

	if (wide)
	{
		memcpy(&key8, (const char *) keys + i * sizeof(key8), sizeof(key8));
		return key8;
	}
	memcpy(&key4, (const char *) keys + i * sizeof(key4), sizeof(key4));
	return key4;
}

static GPURED_ALWAYS_INLINE uint32_t
bucket_number(const void *buckets, size_t b, bool wide)
{
	return wide ? (uint32_t) ((const Bucket8 *) buckets)[b].number : ((const Bucket4 *) buckets)[b].number;
}

static GPURED_ALWAYS_INLINE uint64_t
bucket_key(const void *buckets, size_t b, bool wide)
{
	return wide ? ((const Bucket8 *) buckets)[b].key : ((const Bucket4 *) buckets)[b].key;
}

static GPURED_ALWAYS_INLINE void
set_bucket(void *buckets, size_t b, uint64_t key, uint32_t number, bool wide)
{
	Bucket8    *bucket8 = (Bucket8 *) buckets + b;
	Bucket4    *bucket4 = (Bucket4 *) buckets + b;

	if (wide)
	{
		bucket8->key = key;
		bucket8->number = number;
	}
	else
	{
		bucket4->key = (uint32_t) key;
		bucket4->number = number;
	}
}

/* The next number, for a key that is in no bucket. */
static GPURED_ALWAYS_INLINE uint32_t
new_number(GpuredKeys *t, uint64_t key, bool wide)
{
	if (wide)
		((uint64_t *) t->key)[t->n] = key;
	else
		((uint32_t *) t->key)[t->n] = (uint32_t) key;
	return t->n++;
}

static GPURED_ALWAYS_INLINE void
rehash(GpuredKeys *t, void *buckets, int log2, bool wide)
{
	const size_t mask = ((size_t) 1 << log2) - 1;

	for (uint32_t i = 0; i < t->n; i++)
	{
		uint64_t	key = key_at(t->key, i, wide);
		size_t		b = bucket_of(key, log2);

		if (i + 1 == t->null_number)
			continue;
		while (bucket_number(buckets, b, wide) != 0)
			b = (b + 1) & mask;
		set_bucket(buckets, b, key, i + 1, wide);
	}
}

/* Make room for "more" keys: what finds them need not look. */
static void
reserve(GpuredKeys *t, size_t more)
{
	int			log2 = log2_buckets_for(t->n + more);
	size_t		bytes = bucket_size(t) << log2;
	void	   *buckets;
	void	   *key;

	if (log2 <= t->log2_buckets)
		return;
	buckets = t->mem->alloc(t->arg, bytes);
	t->memory += bytes;
	memset(buckets, 0, bytes);
	if (t->size == 8)
		rehash(t, buckets, log2, true);
	else
		rehash(t, buckets, log2, false);
	if (t->buckets != NULL)
	{
		t->mem->release(t->arg, t->buckets);
		t->memory -= bucket_size(t) << t->log2_buckets;
	}
	t->buckets = buckets;
	t->log2_buckets = log2;

	key = t->mem->alloc(t->arg, t->size * key_room_for(log2));
	t->memory += t->size * key_room_for(log2);
	if (t->key != NULL)
	{
		memcpy(key, t->key, t->size * t->n);
		t->mem->release(t->arg, t->key);
		t->memory -= t->size * t->key_room;
	}
	t->key = key;
	t->key_room = key_room_for(log2);
}

static GPURED_ALWAYS_INLINE void
find(GpuredKeys *t, const void *keys, const uint64_t *valid, const uint32_t *rows, size_t n,
	 uint32_t *number, bool wide)
{
	void	   *buckets = t->buckets;
	const int	log2 = t->log2_buckets;
	const size_t mask = ((size_t) 1 << log2) - 1;
	uint64_t	key[GPURED_GROUPED_TILE];
	uint32_t	bucket[GPURED_GROUPED_TILE];

	for (size_t i = 0; i < n; i++)
	{
		key[i] = key_at(keys, rows != NULL ? rows[i] : i, wide);
		bucket[i] = (uint32_t) bucket_of(key[i], log2);
	}
	if (bucket_size(t) << log2 > CACHED_BYTES)
	{
		for (size_t i = 0; i < n; i++)
			__builtin_prefetch((char *) buckets + bucket_size(t) * bucket[i]);
	}

	for (size_t i = 0; i < n; i++)
	{
		size_t		b = bucket[i];
		size_t		row = rows != NULL ? rows[i] : i;
		uint32_t	found;

		if (valid != NULL && !(valid[row / 64] >> row % 64 & 1))
		{
			if (t->null_number == 0)
				t->null_number = new_number(t, 0, wide) + 1;
			number[i] = t->null_number - 1;
			continue;
		}
		while ((found = bucket_number(buckets, b, wide)) != 0 && bucket_key(buckets, b, wide) != key[i])
			b = (b + 1) & mask;
		if (__builtin_expect(found == 0, 0))
		{
			found = new_number(t, key[i], wide) + 1;
			set_bucket(buckets, b, key[i], found, wide);
		}
		number[i] = found - 1;
	}
}

void
gpured_keys_find(GpuredKeys *t, const void *keys, const uint64_t *valid,
				 const uint32_t *rows, size_t n, uint32_t *number)
{
	reserve(t, n);
	if (t->size == 8)
		find(t, keys, valid, rows, n, number, true);
	else
		find(t, keys, valid, rows, n, number, false);
}

bool
gpured_keys_get(const GpuredKeys *t, uint32_t number, uint64_t *key)
{
	*key = key_at(t->key, number, false);
	if (t->size == 8)
		*key = key_at(t->key, number, true);
	return number + 1 != t->null_number;
}

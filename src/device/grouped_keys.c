/*
 * grouped_keys.c
 *	  Keys to numbers: the tables of grouped.h.
 */
#include "device/grouped_keys.h"

#include "device/cpu.h"

#define TILE			GPURED_GROUPED_TILE

/* Tables that are larger than this are fetched ahead. */
#define CACHED_BYTES	(256 * 1024)

/* Keys whose buckets are fetched ahead when the table grows. */
#define REHASH_AHEAD	16

/* How many keys the array may span, and at least does. */
#define MAX_SPAN		(UINT64_C(1) << 16)
#define MIN_SPAN		(UINT64_C(1) << 10)

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

/* The smallest hash table that "keys" keys fill by half at most. */
static int
log2_buckets_for(size_t keys)
{
	int			log2 = 10;

	while (((size_t) 1 << log2) < 2 * keys)
		log2++;
	return log2;
}

/* The room in key[] for so many; it doubles. */
static size_t
key_room_for(const GpuredKeys *t, size_t keys)
{
	size_t		room = t->key_room > 0 ? t->key_room : TILE;

	while (room < keys)
		room *= 2;
	return room;
}

static void
clear(GpuredKeys *t, int size, uint64_t max_span, const GpuredAllocator *mem, void *arg)
{
	memset(t, 0, sizeof(*t));
	t->mem = mem;
	t->arg = arg;
	t->size = size;
	t->max_span = max_span;
	t->far_apart = max_span < MIN_SPAN;
}

void
gpured_keys_init(GpuredKeys *t, int size, size_t array_limit, const GpuredAllocator *mem, void *arg)
{
	uint64_t	max_span = MAX_SPAN;

	while (max_span * sizeof(*t->near) > array_limit)
		max_span /= 2;
	clear(t, size, max_span, mem, arg);
}

static void *
allocate(GpuredKeys *t, size_t size)
{
	void	   *p = t->mem->alloc(t->arg, size);

	t->memory += size;
	return p;
}

static void
release(GpuredKeys *t, void *pointer, size_t size)
{
	if (pointer == NULL)
		return;
	t->mem->release(t->arg, pointer);
	t->memory -= size;
}

static void
release_near(GpuredKeys *t)
{
	release(t, t->near, t->span * sizeof(*t->near));
	t->near = NULL;
	t->span = 0;
}

void
gpured_keys_release(GpuredKeys *t)
{
	release_near(t);
	release(t, t->buckets, bucket_size(t) << t->log2_buckets);
	release(t, t->key, t->size * t->key_room);
	clear(t, t->size, t->max_span, t->mem, t->arg);
}

/* What is replaced exists beside the new for a while, so all of the new counts. */
size_t
gpured_keys_growth(const GpuredKeys *t, size_t more)
{
	int			log2 = log2_buckets_for(t->n + more);
	size_t		bytes = 0;

	if (key_room_for(t, t->n + more) > t->key_room)
		bytes += t->size * key_room_for(t, t->n + more);
	if (log2 > t->log2_buckets)
		bytes += bucket_size(t) << log2;
	if (!t->far_apart && t->span < t->max_span)
		bytes += t->max_span * sizeof(*t->near);
	return bytes;
}

/*
 * The multiplication makes each bit of a key matter to the upper bits, and those
 * are what is used.  "wide" is always a constant: whether keys have 8 bytes.
 */
static GPURED_ALWAYS_INLINE size_t
bucket_of(uint64_t key, int log2_buckets, bool wide)
{
	if (wide)
		return (size_t) ((key ^ key >> 32) * UINT64_C(0x9e3779b97f4a7c15) >> (64 - log2_buckets));
	return (uint32_t) key * UINT32_C(0x9e3779b1) >> (32 - log2_buckets);
}

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

/* How far a key is from the first of the array; keys below are far beyond it. */
static GPURED_ALWAYS_INLINE uint64_t
distance(uint64_t key, uint64_t low, bool wide)
{
	return wide ? key - low : (uint32_t) (key - low);
}

/* Keys in the order of signed integers. */
static GPURED_ALWAYS_INLINE int64_t
rank_of(uint64_t key, bool wide)
{
	return wide ? (int64_t) key : (int32_t) key;
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

/* The next number, for a key that is new; and 1. */
static GPURED_ALWAYS_INLINE uint32_t
new_number(GpuredKeys *t, uint64_t key, bool wide)
{
	if (wide)
		((uint64_t *) t->key)[t->n] = key;
	else
		((uint32_t *) t->key)[t->n] = (uint32_t) key;
	return ++t->n;
}

static void
reserve_keys(GpuredKeys *t, size_t more)
{
	size_t		room = key_room_for(t, t->n + more);
	void	   *key;

	if (room <= t->key_room)
		return;
	key = allocate(t, t->size * room);
	if (t->key != NULL)
		memcpy(key, t->key, t->size * t->n);
	release(t, t->key, t->size * t->key_room);
	t->key = key;
	t->key_room = room;
}

/* Make the hash table large enough, from the keys that there are. */
static GPURED_ALWAYS_INLINE void
reserve_buckets(GpuredKeys *t, size_t more, bool wide)
{
	int			log2 = log2_buckets_for(t->n + more);
	size_t		mask = ((size_t) 1 << log2) - 1;
	void	   *buckets;

	if (log2 <= t->log2_buckets)
		return;
	buckets = allocate(t, bucket_size(t) << log2);
	memset(buckets, 0, bucket_size(t) << log2);
	for (uint32_t i = 0; i < t->n; i++)
	{
		uint64_t	key = key_at(t->key, i, wide);
		size_t		b = bucket_of(key, log2, wide);

		if (t->n - i > REHASH_AHEAD)
			__builtin_prefetch((char *) buckets + bucket_size(t) *
							   bucket_of(key_at(t->key, i + REHASH_AHEAD, wide), log2, wide), 1);
		if (i + 1 == t->null_number)
			continue;
		while (bucket_number(buckets, b, wide) != 0)
			b = (b + 1) & mask;
		set_bucket(buckets, b, key, i + 1, wide);
	}
	release(t, t->buckets, bucket_size(t) << t->log2_buckets);
	t->buckets = buckets;
	t->log2_buckets = log2;
}

/*
 * Place the array so that it has these keys and all that there are, with room to
 * grow.  If they are too far apart there will be no array any more.
 */
static GPURED_ALWAYS_INLINE void
place_near(GpuredKeys *t, const void *keys, size_t n, bool wide)
{
	int64_t		least = INT64_MAX;
	int64_t		greatest = INT64_MIN;
	uint64_t	span = MIN_SPAN;
	uint32_t   *near;
	uint64_t	low;

	for (size_t i = 0; i < n + t->n; i++)
	{
		int64_t		rank = rank_of(i < n ? key_at(keys, i, wide) : key_at(t->key, i - n, wide), wide);

		if (i >= n && i - n + 1 == t->null_number)
			continue;
		least = rank < least ? rank : least;
		greatest = rank > greatest ? rank : greatest;
	}
	if ((uint64_t) greatest - (uint64_t) least >= t->max_span)
	{
		t->far_apart = true;
		release_near(t);
		return;
	}
	while (span < t->max_span && span < 2 * ((uint64_t) greatest - (uint64_t) least + 1))
		span *= 2;
	low = (uint64_t) least - (span - ((uint64_t) greatest - (uint64_t) least + 1)) / 2;

	near = allocate(t, span * sizeof(*near));
	memset(near, 0, span * sizeof(*near));
	for (uint32_t i = 0; i < t->n; i++)
	{
		if (i + 1 != t->null_number)
			near[distance(key_at(t->key, i, wide), low, wide)] = i + 1;
	}
	release_near(t);
	t->near = near;
	t->span = span;
	t->low = low;
}

/* False if a key is not within the array. */
static GPURED_ALWAYS_INLINE bool
find_near(GpuredKeys *t, const void *keys, size_t n, uint32_t *number, bool wide)
{
	uint32_t   *near = t->near;
	const uint64_t low = t->low;
	const uint64_t span = t->span;

#pragma GCC unroll 4
	for (size_t i = 0; i < n; i++)
	{
		uint64_t	key = key_at(keys, i, wide);
		uint64_t	d = distance(key, low, wide);
		uint32_t	found;

		if (__builtin_expect(d >= span, 0))
			return false;
		found = near[d];
		if (__builtin_expect(found == 0, 0))
			near[d] = found = new_number(t, key, wide);
		number[i] = found - 1;
	}
	return true;
}

/* One key from its bucket on. */
static GPURED_ALWAYS_INLINE uint32_t
probe(GpuredKeys *t, void *buckets, size_t mask, size_t b, uint64_t key, bool wide)
{
	uint32_t	found;

	while ((found = bucket_number(buckets, b, wide)) != 0 && bucket_key(buckets, b, wide) != key)
		b = (b + 1) & mask;
	if (__builtin_expect(found == 0, 0))
	{
		found = new_number(t, key, wide);
		set_bucket(buckets, b, key, found, wide);
	}
	return found - 1;
}

static GPURED_ALWAYS_INLINE void
find_hashed(GpuredKeys *t, const void *keys, size_t n, uint32_t *number, bool wide)
{
	void	   *buckets = t->buckets;
	const int	log2 = t->log2_buckets;
	const size_t mask = ((size_t) 1 << log2) - 1;

	if (bucket_size(t) << log2 <= CACHED_BYTES)
	{
		for (size_t i = 0; i < n; i++)
		{
			uint64_t	key = key_at(keys, i, wide);

			number[i] = probe(t, buckets, mask, bucket_of(key, log2, wide), key, wide);
		}
		return;
	}
	for (size_t i = 0; i < n; i++)
	{
		size_t		b = bucket_of(key_at(keys, i, wide), log2, wide);

		number[i] = (uint32_t) b;
		__builtin_prefetch((char *) buckets + b * (wide ? sizeof(Bucket8) : sizeof(Bucket4)));
	}
	for (size_t i = 0; i < n; i++)
		number[i] = probe(t, buckets, mask, number[i], key_at(keys, i, wide), wide);
}

/* Keys without NULLs, one after another. */
static GPURED_ALWAYS_INLINE void
find(GpuredKeys *t, const void *keys, size_t n, uint32_t *number, bool wide)
{
	if (n == 0)
		return;
	while (!t->far_apart)
	{
		if (t->span > 0 && find_near(t, keys, n, number, wide))
			return;
		place_near(t, keys, n, wide);
	}
	reserve_buckets(t, n, wide);
	find_hashed(t, keys, n, number, wide);
}

void
gpured_keys_find(GpuredKeys *t, const void *keys, const uint64_t *valid,
				 const uint32_t *rows, size_t n, uint32_t *number)
{
	uint64_t	gathered[TILE];
	uint32_t	gathered_number[TILE];
	size_t		found = 0;

	reserve_keys(t, n);
	if (rows == NULL && valid == NULL)
	{
		if (t->size == 8)
			find(t, keys, n, number, true);
		else
			find(t, keys, n, number, false);
		return;
	}

	for (size_t i = 0; i < n; i++)
	{
		size_t		row = rows != NULL ? rows[i] : i;

		if (valid != NULL && !(valid[row / 64] >> row % 64 & 1))
			continue;
		if (t->size == 8)
			gathered[found] = key_at(keys, row, true);
		else
			((uint32_t *) gathered)[found] = (uint32_t) key_at(keys, row, false);
		found++;
	}
	if (found < n && t->null_number == 0)
		t->null_number = t->size == 8 ? new_number(t, 0, true) : new_number(t, 0, false);
	if (t->size == 8)
		find(t, gathered, found, gathered_number, true);
	else
		find(t, gathered, found, gathered_number, false);

	found = 0;
	for (size_t i = 0; i < n; i++)
	{
		size_t		row = rows != NULL ? rows[i] : i;

		if (valid != NULL && !(valid[row / 64] >> row % 64 & 1))
			number[i] = t->null_number - 1;
		else
			number[i] = gathered_number[found++];
	}
}

bool
gpured_keys_get(const GpuredKeys *t, uint32_t number, uint64_t *key)
{
	*key = t->size == 8 ? key_at(t->key, number, true) : key_at(t->key, number, false);
	return number + 1 != t->null_number;
}

/*
 * images.c
 *	  Numbers for rows with the same values of any types.
 *
 * An image is a bitmap of the NULLs, then each value that is not NULL, padded to
 * whole words, with a varlena as it is.
 *
 * They are found by a hash table with open addressing, whose slots hold the upper
 * half of the hash beside the number: a probe that meets another image seldom
 * looks at it.  The images of a few rows are made and hashed first, so that their
 * slots are on the way before the first of them is looked at.
 *
 * One varlena alone, as most texts are, or one value that is passed as such, is hashed and
 * compared where it lies: its image is made only if it is new.
 */
#include "postgres.h"

#include "utils/memutils.h"

#include "scan/images.h"
#include "scan/short_varlena.h"

#define FIRST_ROOM 256
#define FIRST_SLOTS 1024

/* Rows whose slots are fetched ahead, and images up to which none is: they are at hand. */
#define ROWS_AHEAD 64
#define FEW_IMAGES 2048

/* What is allocated for images at a time, at first and at most. */
#define FIRST_BLOCK (8 * 1024)
#define LAST_BLOCK (256 * 1024)

struct GpuredImages
{
	int			ncolumns;
	const int  *columns;
	bool		is_single;		/* one column, by value or of varlenas */
	MemoryContext context;
	MemoryContext scratch_context;
	uint32		n;
	uint32		room;			/* pointers in image[] */
	uint64	  **image;			/* by number: words that follow, the bitmap
								 * ... */
	uint32		mask;			/* slots - 1; a power of two */
	uint64	   *slots;			/* upper half of the hash, number + 1 */
	char	   *next;			/* in the block that images are copied to */
	char	   *end;
	Size		block;			/* size of the next one */
	char	   *scratch;		/* images of the rows that are looked for */
	Size		scratch_room;
};

static void
allocate(GpuredImages *images)
{
	images->n = 0;
	images->room = FIRST_ROOM;
	images->image = MemoryContextAlloc(images->context, FIRST_ROOM * sizeof(uint64 *));
	images->mask = FIRST_SLOTS - 1;
	images->slots = MemoryContextAllocZero(images->context, FIRST_SLOTS * sizeof(uint64));
	images->next = images->end = NULL;
	images->block = FIRST_BLOCK;
}

GpuredImages *
gpured_images_create(const int *keys, int nkeys, const GpuredColumns *columns, MemoryContext parent)
{
	GpuredImages *images = palloc0(sizeof(GpuredImages));

	images->ncolumns = nkeys;
	images->columns = keys;
	images->is_single = nkeys == 1 && (columns->column[keys[0]].byval ||
									   columns->column[keys[0]].len == -1);
	images->context = AllocSetContextCreate(parent, "gpured keys", ALLOCSET_DEFAULT_SIZES);
	images->scratch_context = CurrentMemoryContext;
	allocate(images);
	return images;
}

void
gpured_images_reset(GpuredImages *images)
{
	MemoryContextReset(images->context);
	allocate(images);
}

uint32
gpured_images_count(const GpuredImages *images)
{
	return images->n;
}

Size
gpured_images_memory(const GpuredImages *images)
{
	return MemoryContextMemAllocated(images->context, false);
}

/* More than half of the slots would be taken. */
static inline bool
is_crowded(const GpuredImages *images, uint64 n)
{
	return n > images->mask / 2;
}

Size
gpured_images_growth(const GpuredImages *images, uint32 more)
{
	uint64		n = (uint64) images->n + more;
	Size		result = images->block;

	if (n > images->room)
		result += 2 * (Size) images->room * sizeof(uint64 *);
	if (is_crowded(images, n))
		result += 2 * ((Size) images->mask + 1) * sizeof(uint64);
	return result;
}

static inline uint64
mix(uint64 hash, uint64 word)
{
	hash = (hash ^ word) * UINT64CONST(0x9E3779B97F4A7C15);
	return hash ^ (hash >> 29);
}

#define HASH_START UINT64CONST(0x2545F4914F6CDD1D)

static inline uint64
end_hash(uint64 hash)
{
	hash *= UINT64CONST(0xBF58476D1CE4E5B9);
	return hash ^ (hash >> 32);
}

/* The hash of an image: all words behind the first. */
static uint64
hash_image(const uint64 *image)
{
	uint64		hash = HASH_START;

	for (uint64 i = 1; i <= image[0]; i++)
		hash = mix(hash, image[i]);
	return end_hash(hash);
}

/* The last bytes of n > 0, those behind whole words, as a padded word; 0 if there are none. */
static inline uint64
last_word(const char *bytes, Size n)
{
	const int	rest = n % sizeof(uint64);
	uint64		word = 0;

	if (rest == 0)
		return 0;
#ifndef WORDS_BIGENDIAN
	if (n >= sizeof(uint64))
		return gpured_word_at(bytes + n - sizeof(uint64)) >> (64 - 8 * rest);
#endif
	for (int i = 0; i < rest; i++)
		((char *) &word)[i] = bytes[n - rest + i];
	return word;
}

static inline uint64
hash_short(uint64 first, uint64 second)
{
	return end_hash(mix(mix(mix(HASH_START, 0), first), second));
}

/* The hash that the image of a varlena of n bytes has. */
static inline uint64
hash_varlena(const char *value, Size n)
{
	uint64		hash = mix(HASH_START, 0);	/* no NULL */
	Size		i;

	for (i = 0; i + sizeof(uint64) <= n; i += sizeof(uint64))
		hash = mix(hash, gpured_word_at(value + i));
	if (i < n)
		hash = mix(hash, last_word(value, n));
	if (n <= sizeof(uint64))
		hash = mix(hash, 0);
	return end_hash(hash);
}

/* Words of a varlena's image behind the bitmap: no less than two. */
static inline Size
varlena_words(Size n)
{
	return Max(MAXALIGN(n) / sizeof(uint64), 2);
}

static inline bool
is_image_of(const uint64 *image, const char *value, Size n)
{
	uint64		difference = image[1];
	Size		i;

	if (image[0] != 1 + varlena_words(n))
		return false;
	for (i = 0; i + sizeof(uint64) <= n; i += sizeof(uint64))
		difference |= image[2 + i / sizeof(uint64)] ^ gpured_word_at(value + i);
	if (i < n)
		difference |= image[2 + i / sizeof(uint64)] ^ last_word(value, n);
	return difference == 0;
}

static inline bool
is_image_of_short(const uint64 *image, uint64 first, uint64 second)
{
	return image[0] == 3 && ((image[2] ^ first) | (image[3] ^ second) | image[1]) == 0;
}

static inline bool
images_equal(const uint64 *a, const uint64 *b)
{
	uint64		difference = 0;

	if (a[0] != b[0])
		return false;
	for (uint64 i = 1; i <= a[0]; i++)
		difference |= a[i] ^ b[i];
	return difference == 0;
}

/* Twice the slots. */
static void
grow_slots(GpuredImages *images)
{
	uint64		nslots = ((uint64) images->mask + 1) * 2;
	uint64	   *slots;

	slots = MemoryContextAllocExtended(images->context, nslots * sizeof(uint64),
									   MCXT_ALLOC_HUGE | MCXT_ALLOC_ZERO);
	pfree(images->slots);
	images->slots = slots;
	images->mask = (uint32) (nslots - 1);
	for (uint32 i = 0; i < images->n; i++)
	{
		uint64		hash = hash_image(images->image[i]);
		uint32		slot = (uint32) hash & images->mask;

		while (slots[slot] != 0)
			slot = (slot + 1) & images->mask;
		slots[slot] = (hash >> 32 << 32) | (i + 1);
	}
}

/* Memory for an image that stays. */
static uint64 *
image_memory(GpuredImages *images, Size size)
{
	char	   *result;

	if ((Size) (images->end - images->next) < size)
	{
		Size		block = Max(size, images->block);

		images->next = MemoryContextAllocHuge(images->context, block);
		images->end = images->next + block;
		images->block = Min(2 * images->block, LAST_BLOCK);
	}
	result = images->next;
	images->next += size;
	return (uint64 *) result;
}

static uint32
add_image(GpuredImages *images, const uint64 *image, uint64 hash, uint32 slot)
{
	Size		size = (image[0] + 1) * sizeof(uint64);
	uint64	   *copy;

	if (images->n == images->room)
	{
		images->image = repalloc_huge(images->image, 2 * (Size) images->room * sizeof(uint64 *));
		images->room *= 2;
	}
	copy = image_memory(images, size);
	memcpy(copy, image, size);
	images->image[images->n] = copy;
	images->slots[slot] = (hash >> 32 << 32) | (images->n + 1);
	return images->n++;
}

static inline uint32
find_image(GpuredImages *images, const uint64 *image, uint64 hash)
{
	uint32		slot = (uint32) hash & images->mask;
	uint64		entry;

	while ((entry = images->slots[slot]) != 0)
	{
		if (entry >> 32 == hash >> 32 && images_equal(images->image[(uint32) entry - 1], image))
			return (uint32) entry - 1;
		slot = (slot + 1) & images->mask;
	}
	return add_image(images, image, hash, slot);
}

/* Bytes that a value takes in an image, without the padding. */
static inline Size
value_size(const GpuredColumn *column, const void *value)
{
	if (column->byval)
		return sizeof(Datum);
	if (column->len > 0)
		return column->len;
	if (column->len == -2)
		return strlen(value) + 1;
	return VARSIZE_ANY(value);
}

/* Room for "size" bytes more behind the first "used". */
static inline void
reserve_scratch(GpuredImages *images, Size used, Size size)
{
	Size		room = 2 * (used + size);

	if (likely(used + size <= images->scratch_room))
		return;
	if (images->scratch == NULL)
		images->scratch = MemoryContextAllocHuge(images->scratch_context, room);
	else
		images->scratch = repalloc_huge(images->scratch, room);
	images->scratch_room = room;
}

/* Write a row's image behind the first "used" bytes of the scratch; returns its size. */
static Size
make_image(GpuredImages *images, const GpuredColumns *columns, int row, Size used)
{
	Size		size = 2 * sizeof(uint64);
	uint64		nulls = 0;

	reserve_scratch(images, used, size);
	for (int i = 0; i < images->ncolumns; i++)
	{
		const GpuredColumn *column = &columns->column[images->columns[i]];
		Datum		value;
		const void *from = &value;
		Size		bytes = sizeof(value);
		char	   *to;

		if (column->nulls[row])
		{
			nulls |= UINT64CONST(1) << i;
			continue;
		}
		value = gpured_column_datum(column, row);
		if (!column->byval)
		{
			from = DatumGetPointer(value);
			bytes = value_size(column, from);
		}
		reserve_scratch(images, used + size, MAXALIGN(bytes));
		to = images->scratch + used + size;
		memset(to + MAXALIGN_DOWN(bytes), 0, MAXALIGN(bytes) - MAXALIGN_DOWN(bytes));
		memcpy(to, from, bytes);
		size += MAXALIGN(bytes);
		if (images->is_single && bytes <= sizeof(uint64))
		{
			reserve_scratch(images, used + size, sizeof(uint64));
			memset(images->scratch + used + size, 0, sizeof(uint64));
			size += sizeof(uint64);
		}
	}
	((uint64 *) (images->scratch + used))[0] = size / sizeof(uint64) - 1;
	((uint64 *) (images->scratch + used))[1] = nulls;
	return size;
}

/* The number of a row's image, which is made for it. */
static pg_noinline uint32
find_row(GpuredImages *images, const GpuredColumns *columns, int row)
{
	const uint64 *image;

	make_image(images, columns, row, 0);
	image = (const uint64 *) images->scratch;
	return find_image(images, image, hash_image(image));
}

/* The number of a row whose only value is this varlena. */
static pg_noinline uint32
find_varlena(GpuredImages *images, const GpuredColumns *columns, int row, const char *value,
			 uint64 hash)
{
	const Size	n = VARSIZE_ANY(value);
	uint32		slot = (uint32) hash & images->mask;
	uint64		entry;

	while ((entry = images->slots[slot]) != 0)
	{
		if (entry >> 32 == hash >> 32 && is_image_of(images->image[(uint32) entry - 1], value, n))
			return (uint32) entry - 1;
		slot = (slot + 1) & images->mask;
	}
	return find_row(images, columns, row);
}

/* The same if it is short and was read. */
static inline uint32
find_short(GpuredImages *images, const GpuredColumns *columns, int row, const uint64 *word,
		   uint64 hash)
{
	uint32		slot = (uint32) hash & images->mask;
	uint64		entry;

	while ((entry = images->slots[slot]) != 0)
	{
		if (entry >> 32 == hash >> 32 &&
			is_image_of_short(images->image[(uint32) entry - 1], word[0], word[1]))
			return (uint32) entry - 1;
		slot = (slot + 1) & images->mask;
	}
	return find_row(images, columns, row);
}

/* Two words of a single value, and their hash; false if it is not so short. */
static inline bool
read_value(const GpuredColumn *column, int row, uint64 *word, uint64 *hash)
{
	const char *value;

	if (column->byval)
	{
		word[0] = gpured_column_datum(column, row);
		word[1] = 0;
	}
	else
	{
		value = ((char *const *) column->values)[row];
		if (!gpured_read_short(value, VARSIZE_ANY(value), &word[0], &word[1]))
		{
			*hash = hash_varlena(value, VARSIZE_ANY(value));
			return false;
		}
	}
	*hash = hash_short(word[0], word[1]);
	return true;
}

static void
find_singles(GpuredImages *images, const GpuredColumns *columns, int from, int n, uint32 *number)
{
	const GpuredColumn *column = &columns->column[images->columns[0]];
	const bool *nulls = column->nulls + from;
	uint64		hash[ROWS_AHEAD];
	uint64		word[ROWS_AHEAD][2];
	bool		is_short[ROWS_AHEAD];

	while (is_crowded(images, (uint64) images->n + n))
		grow_slots(images);
	for (int i = 0; i < n; i++)
	{
		hash[i] = is_short[i] = 0;
		if (likely(!nulls[i]))
			is_short[i] = read_value(column, from + i, word[i], &hash[i]);
	}
	if (images->n > FEW_IMAGES)
	{
		for (int i = 0; i < n; i++)
			__builtin_prefetch(&images->slots[(uint32) hash[i] & images->mask]);
		for (int i = 0; i < n; i++)
		{
			uint64		entry = images->slots[(uint32) hash[i] & images->mask];

			if (entry >> 32 == hash[i] >> 32 && entry != 0)
				__builtin_prefetch(images->image[(uint32) entry - 1]);
		}
	}
	for (int i = 0; i < n; i++)
	{
		if (likely(is_short[i]))
			number[i] = find_short(images, columns, from + i, word[i], hash[i]);
		else
			number[i] = nulls[i] ? find_row(images, columns, from + i) :
				find_varlena(images, columns, from + i, ((char *const *) column->values)[from + i],
							 hash[i]);
	}
}

void
gpured_images_find(GpuredImages *images, const GpuredColumns *columns, int from, int n,
				   uint32 *number)
{
	for (int done = 0; images->is_single && done < n; done += ROWS_AHEAD)
		find_singles(images, columns, from + done, Min(n - done, ROWS_AHEAD), number + done);
	if (images->is_single)
		return;
	for (int done = 0; done < n;)
	{
		int			rows = Min(n - done, ROWS_AHEAD);
		Size		where[ROWS_AHEAD + 1];
		uint64		hash[ROWS_AHEAD];

		while (is_crowded(images, (uint64) images->n + rows))
			grow_slots(images);
		where[0] = 0;
		for (int i = 0; i < rows; i++)
		{
			where[i + 1] = where[i] + make_image(images, columns, from + done + i, where[i]);
			hash[i] = hash_image((const uint64 *) (images->scratch + where[i]));
			__builtin_prefetch(&images->slots[(uint32) hash[i] & images->mask]);
		}
		for (int i = 0; i < rows; i++)
		{
			uint64		entry = images->slots[(uint32) hash[i] & images->mask];

			if (entry >> 32 == hash[i] >> 32 && entry != 0)
				__builtin_prefetch(images->image[(uint32) entry - 1]);
		}
		for (int i = 0; i < rows; i++)
			number[done + i] = find_image(images, (const uint64 *) (images->scratch + where[i]),
										  hash[i]);
		done += rows;
	}
}

Datum
gpured_images_value(const GpuredImages *images, const GpuredColumns *columns, uint32 number,
					int i, bool *null)
{
	const uint64 *image = images->image[number];
	const char *value = (const char *) (image + 2);
	uint64		nulls = image[1];

	*null = (nulls >> i) & 1;
	if (*null)
		return (Datum) 0;
	for (int j = 0; j < i; j++)
	{
		if (!((nulls >> j) & 1))
			value += MAXALIGN(value_size(&columns->column[images->columns[j]], value));
	}
	if (columns->column[images->columns[i]].byval)
		return *(const Datum *) value;
	return PointerGetDatum(value);
}

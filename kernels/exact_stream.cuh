/*
 * exact_stream.cuh
 *	  How the exact sums read an array: tile by tile, with the next tile on its
 *	  way while the present one is added.
 *
 * A tile is VECTORS vectors for each thread of a block; blocks take tiles with
 * a stride of the grid.  A thread has one tile in registers, as a ring: as
 * soon as a vector is consumed its place is filled with that of the next
 * tile.  So all VECTORS loads are in flight all the time, with registers for
 * one tile, and few threads keep the memory busy.
 *
 * The array may begin at any value.  The tiles begin at the multiple of 16
 * bytes before it; places outside of the array are never read and bring the
 * filler, -0, which is what a sum does not notice at all.
 */
#ifndef GPURED_EXACT_STREAM_CUH
#define GPURED_EXACT_STREAM_CUH

#include "cuda.cuh"

/* A thread's part of a tile. */
template <class T, int VECTORS>
struct ExactTile
{
	Vector<T> vector[VECTORS];

	template <class Visit>
	__device__ __forceinline__ void each(Visit visit) const
	{
#pragma unroll
		for (int i = 0; i < VECTORS; i++)
#pragma unroll
			for (int k = 0; k < Vector<T>::LENGTH; k++)
				visit(vector[i].value[k]);
	}
};

/* Tiles of the whole grid, or those of one block ALONE. */
template <class T, int VECTORS, bool ALONE = false>
struct ExactStream
{
	static constexpr int LENGTH = Vector<T>::LENGTH;
	static constexpr int TILE_VALUES = VECTORS * LENGTH; /* of one thread */
	typedef ExactTile<T, VECTORS> Tile;

	const T *base; /* a multiple of 16 bytes */
	size_t first;  /* the array's values are base[first .. end) */
	size_t end;
	size_t size; /* of a tile of the block */
	size_t at;   /* where the present tile begins */
	Tile tile;

	__device__ __forceinline__ ExactStream(const T *values, size_t n)
	{
		first = reinterpret_cast<uintptr_t>(values) % 16 / sizeof(T);
		base = values - first;
		end = first + n;
		size = (size_t) blockDim.x * TILE_VALUES;
		at = blockIdx.x * size;
		load(tile, at);
	}

	/* Values begin .. end - 1, for this block; values + begin is a multiple of 16 bytes. */
	__device__ __forceinline__ ExactStream(const T *values, size_t begin, size_t end_)
		: base(values), first(0), end(end_), size((size_t) blockDim.x * TILE_VALUES), at(begin)
	{
		static_assert(ALONE, "other blocks have other values");
		load(tile, at);
	}

	__device__ __forceinline__ bool is_done() const { return at >= end; }

	/* From one tile of the block to the next. */
	__device__ __forceinline__ size_t stride() const { return ALONE ? size : gridDim.x * size; }

	/* The place of a vector of the tile that begins at "start". */
	__device__ __forceinline__ size_t place(size_t start, int i) const
	{
		return start + ((size_t) i * blockDim.x + threadIdx.x) * LENGTH;
	}

	/* Read a tile, which may lie outside of the array in part. */
	__device__ __forceinline__ void load(Tile &to, size_t start) const
	{
		if (start >= first && start + size <= end)
		{
#pragma unroll
			for (int i = 0; i < VECTORS; i++)
				to.vector[i] = load_vector(base + place(start, i));
			return;
		}
#pragma unroll
		for (int i = 0; i < VECTORS; i++)
#pragma unroll
			for (int k = 0; k < LENGTH; k++)
			{
				const size_t p = place(start, i) + k;

				to.vector[i].value[k] = p >= first && p < end ? base[p] : -T(0);
			}
	}

	/* Consume the values of the present tile; the next one takes its place. */
	template <class Visit>
	__device__ __forceinline__ void consume(Visit visit)
	{
		const size_t next = at + stride();
		const bool whole = next + size <= end;

#pragma unroll
		for (int i = 0; i < VECTORS; i++)
		{
			const Vector<T> v = tile.vector[i];

			if (whole)
				tile.vector[i] = load_vector(base + place(next, i));
#pragma unroll
			for (int k = 0; k < LENGTH; k++)
				visit(v.value[k]);
		}
		at = next;
		if (!whole && next < end)
			load(tile, next);
	}

	/* Go on to the tile that begins at "start", which is not on its way yet. */
	__device__ __forceinline__ void skip_to(size_t start)
	{
		at = start;
		if (at < end)
			load(tile, at);
	}

	/* Once more the values of the tile that begins at "start": from memory, for rare cases. */
	template <class Visit>
	__device__ __forceinline__ void again(size_t start, Visit visit) const
	{
#pragma unroll 1
		for (int i = 0; i < VECTORS; i++)
		{
			const size_t p = place(start, i);

#pragma unroll 1
			for (int k = 0; k < LENGTH; k++)
				if (p + k >= first && p + k < end)
					visit(base[p + k]);
		}
	}
};

#endif /* GPURED_EXACT_STREAM_CUH */

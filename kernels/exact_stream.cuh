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

template <class T, int VECTORS>
struct ExactStream
{
	static constexpr int LENGTH = Vector<T>::LENGTH;
	static constexpr int TILE_VALUES = VECTORS * LENGTH; /* of one thread */

	const T *base; /* a multiple of 16 bytes */
	size_t first;  /* the array's values are base[first .. end) */
	size_t end;
	size_t size; /* of a tile of the block */
	size_t at;   /* the present tile */
	Vector<T> vector[VECTORS];

	__device__ __forceinline__ ExactStream(const T *values, size_t n)
	{
		first = reinterpret_cast<uintptr_t>(values) % 16 / sizeof(T);
		base = values - first;
		end = first + n;
		size = (size_t) blockDim.x * TILE_VALUES;
		at = blockIdx.x * size;
		load_partly();
	}

	/* The place of a vector of the present tile. */
	__device__ __forceinline__ size_t place(size_t tile, int i) const
	{
		return tile + ((size_t) i * blockDim.x + threadIdx.x) * LENGTH;
	}

	/* Read the present tile, which may lie outside of the array in part. */
	__device__ __forceinline__ void load_partly()
	{
#pragma unroll
		for (int i = 0; i < VECTORS; i++)
		{
			const size_t p = place(at, i);

			if (p >= first && p + LENGTH <= end)
				vector[i] = load_vector(base + p);
			else
#pragma unroll
				for (int k = 0; k < LENGTH; k++)
					vector[i].value[k] = p + k >= first && p + k < end ? base[p + k] : -T(0);
		}
	}

	__device__ __forceinline__ bool is_done() const { return at >= end; }

	/* Look at the values of the present tile. */
	template <class Visit>
	__device__ __forceinline__ void peek(Visit visit) const
	{
#pragma unroll
		for (int i = 0; i < VECTORS; i++)
#pragma unroll
			for (int k = 0; k < LENGTH; k++)
				visit(vector[i].value[k]);
	}

	/* Consume the values of the present tile; the next one takes its place. */
	template <class Visit>
	__device__ __forceinline__ void consume(Visit visit)
	{
		const size_t next = at + gridDim.x * size;
		const bool whole = next + size <= end;

#pragma unroll
		for (int i = 0; i < VECTORS; i++)
		{
			const Vector<T> v = vector[i];

			if (whole)
				vector[i] = load_vector(base + place(next, i));
#pragma unroll
			for (int k = 0; k < LENGTH; k++)
				visit(v.value[k]);
		}
		at = next;
		if (!whole && next < end)
			load_partly();
	}

	/* Once more the values of the tile that was consumed last: from memory, for rare cases. */
	template <class Visit>
	__device__ __forceinline__ void again(Visit visit) const
	{
		const size_t tile = at - gridDim.x * size;

#pragma unroll 1
		for (int i = 0; i < VECTORS; i++)
		{
			const size_t p = place(tile, i);

#pragma unroll 1
			for (int k = 0; k < LENGTH; k++)
				if (p + k >= first && p + k < end)
					visit(base[p + k]);
		}
	}
};

#endif /* GPURED_EXACT_STREAM_CUH */

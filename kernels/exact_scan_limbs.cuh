/*
 * exact_scan_limbs.cuh
 *	  The part of exact_scan.cuh for tiles whose values or prefixes spread too
 *	  widely for a window: each thread has a column of limbs in shared memory.
 *
 * Any data will do, at the price of going through memory for every value.
 * First each thread adds up its stretch; then the columns are scanned limb by
 * limb; then each thread goes through its stretch again, keeping its column
 * normalized, and rounds the highest limbs after each value.
 */
#ifndef GPURED_EXACT_SCAN_LIMBS_CUH
#define GPURED_EXACT_SCAN_LIMBS_CUH

#include "exact_scan.cuh"

constexpr int LIMBS_ITEMS = EXACT_SCAN_TILE / EXACT_LIMBS_THREADS;

struct ExactLimbsShared
{
	uint64_t cell[LIMBS * EXACT_LIMBS_THREADS];
	int64_t warp_total[EXACT_LIMBS_THREADS / WARP][LIMBS];
};

/* A thread's column; "top" and above it all digits are the sign's. */
struct LimbColumn
{
	uint64_t *cell;
	int top;

	__device__ __forceinline__ uint64_t &limb(int j) { return cell[j * EXACT_LIMBS_THREADS]; }

	__device__ __forceinline__ uint32_t digit(int j) { return (uint32_t) limb(j); }

	/* Leave digits of 32 bits, but the highest limb signed. */
	__device__ __forceinline__ void normalize()
	{
		int64_t carry = 0;

#pragma unroll 1
		for (int j = 0; j < LIMBS; j++)
		{
			const int64_t sum = (int64_t) limb(j) + carry;

			limb(j) = j < LIMBS - 1 ? (uint64_t) (uint32_t) sum : (uint64_t) sum;
			carry = sum >> 32;
		}
		top = LIMBS - 1;
	}

	/* Add a finite value and move the carry as far as it goes. */
	__device__ __forceinline__ void add(double x)
	{
		int bit;
		const int64_t mantissa = exact_split(x, &bit);
		const int shift = bit % 32;
		const int64_t upper = shift == 0 ? mantissa >> 32 : mantissa >> (32 - shift);
		int j = bit / 32;
		int64_t carry = (int64_t) (uint32_t) ((uint64_t) mantissa << shift);

		carry = put(j++, carry);
		carry = put(j++, carry + (int64_t) (uint32_t) upper);
		carry += upper >> 32;
		while (carry != 0 && j < LIMBS - 1)
			carry = put(j++, carry);
		if (j == LIMBS - 1)
			limb(j++) += (uint64_t) carry;
		top = j - 1 > top ? j - 1 : top;
	}

	/* Add to one digit; what is above it. */
	__device__ __forceinline__ int64_t put(int j, int64_t amount)
	{
		const int64_t sum = (int64_t) limb(j) + amount;

		limb(j) = (uint32_t) sum;
		return sum >> 32;
	}

	/* The value, rounded from its three highest digits and whether more follow. */
	template <class T>
	__device__ __forceinline__ T round(T zero)
	{
		const uint32_t fill = (int64_t) limb(LIMBS - 1) < 0 ? 0xffffffffu : 0;
		WideInt<2> v;
		bool sticky = false;

		while (top > 2 && digit(top) == fill)
			top--;
		for (int j = top - 3; j >= 0 && !sticky; j--)
			sticky = digit(j) != 0;
		v.word[1] = (uint64_t) fill << 32 | digit(top);
		v.word[0] = (uint64_t) digit(top - 1) << 32 | digit(top - 2);
		return exact_round<T>(v, sticky, 32 * (top - 2), zero);
	}
};

template <class T>
__global__ void
__launch_bounds__(EXACT_LIMBS_THREADS)
	exact_scan_limbs(const T *values, size_t n, ExactScanState s, T *out)
{
	typedef SumInt64<int32_t> Sum;
	SHARED(ExactLimbsShared, shared);
	LimbColumn column = {shared.cell + threadIdx.x, LIMBS - 1};

	for (uint32_t i = blockIdx.x; i < s.count[PLAN_LIMBS]; i += gridDim.x)
	{
		const size_t t = s.list[PLAN_LIMBS * s.tiles + i];
		const int place = threadIdx.x * LIMBS_ITEMS;
		const size_t start = t * EXACT_SCAN_TILE + place;
		const int items = start >= n                ? 0
						  : n - start < LIMBS_ITEMS ? (int) (n - start)
													: LIMBS_ITEMS;
		const ExactTileFlags flags(s, t);

#pragma unroll 1
		for (int j = 0; j < LIMBS; j++)
			column.limb(j) = 0;
#pragma unroll 1
		for (int k = 0; k < items; k++)
		{
			const double x = (double) values[start + k];

			if (exponent_field(x) != SPECIAL_FIELD)
				exact_limbs_add(column.cell, EXACT_LIMBS_THREADS, x);
		}

		/* Normalized, the limbs of all columns can be added up. */
		column.normalize();
		__syncthreads();
#pragma unroll 1
		for (int j = 0; j < LIMBS; j++)
		{
			const int64_t limb = (int64_t) column.limb(j);
			const int64_t inclusive = warp_scan<Sum>(limb);

			if (lane_id() == WARP - 1)
				shared.warp_total[warp_id()][j] = inclusive;
			column.limb(j) = (uint64_t) (inclusive - limb);
		}
		__syncthreads();
#pragma unroll 1
		for (int j = 0; j < LIMBS; j++)
		{
			int64_t before = s.limb[j * s.tiles + t];

			for (int w = 0; w < warp_id(); w++)
				before += shared.warp_total[w][j];
			column.limb(j) += (uint64_t) before;
		}
		column.normalize();

#pragma unroll 1
		for (int k = 0; k < items; k++)
		{
			const T x = values[start + k];
			T prefix;

			if (exponent_field((double) x) != SPECIAL_FIELD)
				column.add((double) x);
			prefix = column.round(flags.zero<T>(place + k));
			out[start + k] = flags.special ? flags.settle(place + k, prefix) : prefix;
		}
		__syncthreads();
	}
}

#endif /* GPURED_EXACT_SCAN_LIMBS_CUH */

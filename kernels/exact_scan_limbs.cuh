/*
 * exact_scan_limbs.cuh
 *	  The part of exact_scan.cuh for tiles whose values or prefixes spread too
 *	  widely for a window: each of some threads has a column of limbs in shared
 *	  memory.
 *
 * Any data will do, at the price of going through memory for every value.
 * First each thread adds up its stretch; then the columns are scanned limb by
 * limb; then each thread goes through its stretch again, keeping its column
 * normalized, and rounds the highest limbs after each value.
 */
#ifndef GPURED_EXACT_SCAN_LIMBS_CUH
#define GPURED_EXACT_SCAN_LIMBS_CUH

#include "exact_limbs.cuh"
#include "exact_scan.cuh"

struct ExactLimbsShared
{
	uint64_t cell[LIMBS * EXACT_LIMBS_THREADS];
	int64_t warp_total[EXACT_LIMBS_THREADS / WARP][LIMBS];
};

/* The columns of the block's first threads, which have so many values each. */
struct LimbColumns
{
	uint64_t *cell; /* LIMBS for each thread */
	int64_t (*warp_total)[LIMBS];
	int threads;
	int items;
};

/*
 * A thread's column, of which the limbs low .. high - 1 are in use; "top" and above
 * it all digits are the sign's.
 */
struct LimbColumn
{
	uint64_t *cell;
	int stride;
	int low;
	int high;
	int top;

	__device__ __forceinline__ uint64_t &limb(int j) { return cell[j * stride]; }

	__device__ __forceinline__ uint32_t digit(int j) { return (uint32_t) limb(j); }

	/* Leave digits of 32 bits, but the highest limb signed. */
	__device__ __forceinline__ void normalize()
	{
		int64_t carry = 0;

#pragma unroll 4
		for (int j = low; j < high; j++)
		{
			const int64_t sum = (int64_t) limb(j) + carry;

			limb(j) = j < high - 1 ? (uint64_t) (uint32_t) sum : (uint64_t) sum;
			carry = sum >> 32;
		}
		top = high - 1;
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
		while (carry != 0 && j < high - 1)
			carry = put(j++, carry);
		if (j == high - 1)
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
		const uint32_t fill = (int64_t) limb(high - 1) < 0 ? 0xffffffffu : 0;
		WideInt<2> v;
		bool sticky = false;

		while (top > low + 2 && digit(top) == fill)
			top--;
		for (int j = top - 3; j >= low && !sticky; j--)
			sticky = digit(j) != 0;
		v.word[1] = (uint64_t) fill << 32 | digit(top);
		v.word[0] = (uint64_t) digit(top - 1) << 32 | digit(top - 2);
		return exact_round<T>(v, sticky, 32 * (top - 2), zero);
	}
};

/* By all threads of the block, though only the first have columns; "first" as above. */
template <class T>
static __device__ __forceinline__ void
exact_tile_limbs(LimbColumns columns, const ExactTileInfo &info, const T *values, size_t n,
				 size_t start, size_t first, T *out)
{
	typedef SumInt64<int32_t> Sum;
	const bool active = (int) threadIdx.x < columns.threads;
	const int place = threadIdx.x * columns.items;
	const size_t at = start + place;
	const int items = at >= n                           ? 0
					  : n - at < (size_t) columns.items ? (int) (n - at)
														: columns.items;
	const ExactTileFlags flags(info);
	const int low = info.low_limb, high = info.high_limb;
	LimbColumn column = {columns.cell + threadIdx.x, columns.threads, low, high, high - 1};

	if (active)
	{
#pragma unroll 4
		for (int j = low; j < high; j++)
			column.limb(j) = 0;
#pragma unroll 1
		for (int k = 0; k < items; k++)
		{
			const double x = at + k < first ? -0.0 : (double) values[at + k];

			if (x != 0 && exponent_field(x) != SPECIAL_FIELD)
				exact_limbs_add(column.cell, columns.threads, x);
		}

		/* Normalized, the limbs of all columns can be added up. */
		column.normalize();
#pragma unroll 4
		for (int j = low; j < high; j++)
		{
			const int64_t limb = (int64_t) column.limb(j);
			const int64_t inclusive = warp_scan<Sum>(limb);

			if (lane_id() == WARP - 1)
				columns.warp_total[warp_id()][j] = inclusive;
			column.limb(j) = (uint64_t) (inclusive - limb);
		}
	}
	__syncthreads();
	if (!active)
		return;
#pragma unroll 4
	for (int j = low; j < high; j++)
	{
		/* The last is the sign, and all of the sum from there on. */
		int64_t before = j < high - 1 || j == LIMBS - 1 ? info.limb[j]
						 : info.limb[LIMBS - 1] < 0     ? -1
														: 0;

		for (int w = 0; w < warp_id(); w++)
			before += columns.warp_total[w][j];
		column.limb(j) += (uint64_t) before;
	}
	column.normalize();

#pragma unroll 1
	for (int k = 0; k < items; k++)
	{
		const T x = values[at + k];
		T prefix;

		if (at + k < first)
			continue;
		if (x != 0 && exponent_field((double) x) != SPECIAL_FIELD)
			column.add((double) x);
		prefix = column.round(flags.zero<T>(place + k));
		out[at + k] = flags.special ? flags.settle(place + k, prefix) : prefix;
	}
}

/*
 * Step 3 as a whole.
 */
template <class T>
union ExactTileWork
{
	ExactWindowShared<T> window;
	ExactLimbsShared limbs;
};

/* The way that was planned; the tile's vectors are changed. */
template <class T, int VECTORS>
static __device__ __forceinline__ void
exact_tile_scan(ExactTileWork<T> &work, const ExactTileInfo &info, Vector<T> (&tile)[VECTORS],
				const T *values, size_t n, size_t start, size_t first, T *out)
{
	if (info.plan == PLAN_NARROW)
		exact_tile_window<NARROW>(work.window, info, tile, n, start, first, out);
	else if (info.plan == PLAN_BROAD)
		exact_tile_window<BROAD>(work.window, info, tile, n, start, first, out);
	else
	{
		const LimbColumns columns = {work.limbs.cell, work.limbs.warp_total, EXACT_LIMBS_THREADS,
									 EXACT_SCAN_TILE / EXACT_LIMBS_THREADS};

		exact_tile_limbs(columns, info, values, n, start, first, out);
	}
}

template <class T>
__global__ void
__launch_bounds__(EXACT_SCAN_THREADS)
	exact_scan_tiles(const T *values, size_t n, ExactScanState s, T *out)
{
	SHARED(ExactTileInfo, info);
	SHARED(ExactTileWork<T>, work);

	if (!s.wanted())
		return;
	for (size_t t = blockIdx.x; t < s.tiles; t += gridDim.x)
	{
		const size_t start = t * EXACT_SCAN_TILE;
		Vector<T> tile[EXACT_SCAN_ITEMS / Vector<T>::LENGTH];

		if (!s.marked(t))
			continue;
		load_tile(tile, values, n, start, -T(0));
		exact_tile_look(info, tile);
		for (int j = threadIdx.x; j < LIMBS; j += blockDim.x)
			info.limb[j] = s.limb[t * LIMBS + j] + s.chunk_limb[j * s.chunks + t / s.chunk];
		__syncthreads();
		if (threadIdx.x == 0)
		{
			info.flags = s.flags[t] | s.chunk_flags[t / s.chunk];
			exact_tile_plan(info);
		}
		__syncthreads();
		exact_tile_scan(work, info, tile, values, n, start, start, out);
		__syncthreads();
	}
}

#endif /* GPURED_EXACT_SCAN_LIMBS_CUH */

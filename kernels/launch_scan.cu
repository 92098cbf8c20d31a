/*
 * launch_scan.cu
 *	  Launches of the integer scans of oplist.h.
 */
#include "launch_ring.cuh"
#include "scan.cuh"
#include "workspace.cuh"

/* Measured: blocks of so many threads, values a thread, and tiles ahead. */
template <class Value>
struct RingTuning;

template <>
struct RingTuning<int16_t>
{
	template <class Op, class Out>
	using Scan = ScanByOperator<Op, Out, RING_SHAPE(256, 24, 7, 4)>;
};

template <>
struct RingTuning<int32_t>
{
	template <class Op, class Out>
	using Scan = ScanByOperator<Op, Out, RING_SHAPE(256, 20, 7, 4)>;
};

template <>
struct RingTuning<int64_t>
{
	template <class Op, class Out>
	using Scan = ScanByOperator<Op, Out, RING_SHAPE(256, 10, 7, 4)>;
};

template <class Op, class Out>
static int
launch_scan(const void *values, size_t n, void *workspace, GpuredAcc *carry, void *out_,
			cudaStream_t stream, GpuredScanAlgorithm algorithm)
{
	typedef typename Op::Value Value;
	typedef typename Op::State State;
	typedef typename RingTuning<Value>::template Scan<Op, Out> Ring;
	const LaunchShape &shape = ring_shape<Ring>();
	const Value *in = static_cast<const Value *>(values);
	Out *out = static_cast<Out *>(out_);
	unsigned char *work = static_cast<Workspace *>(workspace)->scan;

	if (shape.error != cudaSuccess)
		return shape.error;
	if (algorithm == GPURED_SCAN_AUTO)
		algorithm = shape.blocks > 0 ? GPURED_SCAN_RING : GPURED_SCAN_THREE_LAUNCHES;
	if (algorithm == GPURED_SCAN_RING)
	{
		cudaError_t error;

		if (shape.blocks == 0)
			return cudaErrorInvalidValue;
		error = ring_launch<Ring>(in, n, out, reinterpret_cast<TileWord *>(work), carry, stream);
		if (error != cudaSuccess)
			return error;
	}
	else
	{
		const size_t tiles = tiles_of(n, SCAN_TILE<Value>);
		State *totals = reinterpret_cast<State *>(work);
		const int scan_threads = tiles <= 256 ? 64 : 512;

		LAUNCH((scan_tile_totals<Op>), tiles, SCAN_THREADS, 0, stream, in, n, totals);
		LAUNCH((scan_totals<Op>), 1, scan_threads, 0, stream, totals, tiles, carry);
		LAUNCH((scan_tiles<Op, Out>), tiles, SCAN_THREADS, 0, stream, in, n, totals, out);
	}
	return cudaGetLastError();
}

/* Which operator a line of the list means; exact sums are in a file of their own. */
#define SCAN_int64(op, type, ctype, otype) SCAN_WITH(op, type, otype, SumInt64<ctype>)
#define SCAN_wide(op, type, ctype, otype) SCAN_WITH(op, type, otype, SumInt128)
#define SCAN_exact(op, type, ctype, otype)

#define SCAN_WITH(op, type, otype, ...) \
	extern "C" int gpured_launch_scan_##op##_##type##_by( \
		const void *values, size_t n, void *workspace, GpuredAcc *carry, void *out, \
		cudaStream_t stream, GpuredScanAlgorithm algorithm) \
	{ \
		return launch_scan<__VA_ARGS__, otype>(values, n, workspace, carry, out, stream, \
											   algorithm); \
	} \
	extern "C" int gpured_launch_scan_##op##_##type(const void *values, size_t n, void *workspace, \
													GpuredAcc *carry, void *out, \
													cudaStream_t stream) \
	{ \
		return launch_scan<__VA_ARGS__, otype>(values, n, workspace, carry, out, stream, \
											   GPURED_SCAN_AUTO); \
	}
#define GPURED_SCAN(op, type, ctype, acc, otype) SCAN_##acc(op, type, ctype, otype)
#include "oplist.h"

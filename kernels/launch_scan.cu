/*
 * launch_scan.cu
 *	  Launches of the integer scans of oplist.h.
 */
#include "launch.cuh"
#include "scan.cuh"
#include "workspace.cuh"

template <class Op, class Out>
static int
launch_scan(const void *values, size_t n, void *workspace, GpuredAcc *carry, void *out,
			cudaStream_t stream)
{
	typedef typename Op::Value Value;
	typedef typename Op::State State;
	const size_t tiles = tiles_of(n, SCAN_TILE<Value>);
	const Value *in = static_cast<const Value *>(values);
	State *totals = reinterpret_cast<State *>(static_cast<Workspace *>(workspace)->scan);
	const int scan_threads = tiles <= 256 ? 64 : 512;

	LAUNCH((scan_tile_totals<Op>), tiles, SCAN_THREADS, 0, stream, in, n, totals);
	LAUNCH((scan_totals<Op>), 1, scan_threads, 0, stream, totals, tiles, carry);
	LAUNCH((scan_tiles<Op, Out>), tiles, SCAN_THREADS, 0, stream, in, n, totals,
		   static_cast<Out *>(out));
	return cudaGetLastError();
}

/* Which operator a line of the list means; exact sums are in a file of their own. */
#define SCAN_int64(op, type, ctype, otype) SCAN_WITH(op, type, otype, SumInt64<ctype>)
#define SCAN_wide(op, type, ctype, otype) SCAN_WITH(op, type, otype, SumInt128)
#define SCAN_exact(op, type, ctype, otype)

#define SCAN_WITH(op, type, otype, ...) \
	extern "C" int gpured_launch_scan_##op##_##type(const void *values, size_t n, void *workspace, \
													GpuredAcc *carry, void *out, \
													cudaStream_t stream) \
	{ \
		return launch_scan<__VA_ARGS__, otype>(values, n, workspace, carry, out, stream); \
	}
#define GPURED_SCAN(op, type, ctype, acc, otype) SCAN_##acc(op, type, ctype, otype)
#include "oplist.h"

/*
 * workspace.cuh
 *	  How a launch's scratch memory is laid out.
 *
 * First what the reductions and the scans must find as they left it, zero to
 * begin with, each in a place of its own; then what a scan writes before it reads,
 * which grows with n.
 */
#ifndef GPURED_WORKSPACE_CUH
#define GPURED_WORKSPACE_CUH

#include "bulk_copy.cuh"
#include "exact_block.cuh"
#include "moment_block.cuh"

/* What the blocks of exact_scan_short.cuh tell each other: see there. */
constexpr int SHORT_MOST_BLOCKS = 256;

struct alignas(64) ShortTotal
{
	TileWord digit[3];
	TileWord limbs; /* are they published? */
};

struct ShortScanWorkspace
{
	unsigned long long drawn; /* launches, times SHORT_MOST_BLOCKS, and blocks of this one */
	ShortTotal total[SHORT_MOST_BLOCKS];
};

struct Workspace
{
	GridReduceWorkspace reduce;
	ExactWorkspace exact;
	MomentWorkspace moments;
	ShortScanWorkspace short_scan;
	alignas(256) unsigned char scan[1];
};

/* Hands out parts of a workspace; with a null base, measures it. */
struct Carver
{
	unsigned char *base;
	size_t used;

	template <class T>
	void take(T *&array, size_t length)
	{
		array = base == nullptr ? nullptr : reinterpret_cast<T *>(base + used);
		used += (length * sizeof(T) + 255) / 256 * 256;
	}
};

#endif /* GPURED_WORKSPACE_CUH */

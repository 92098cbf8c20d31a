/*
 * workspace.cuh
 *	  How a launch's scratch memory is laid out.
 *
 * First what the reductions and the scans must find zero, each in a place of
 * its own; then what a scan writes before it reads, which grows with n.
 */
#ifndef GPURED_WORKSPACE_CUH
#define GPURED_WORKSPACE_CUH

#include "exact_block.cuh"
#include "moment_block.cuh"

struct Workspace
{
	GridReduceWorkspace reduce;
	ExactWorkspace exact;
	MomentWorkspace moments;
	alignas(256) unsigned char scan[1];
};

#endif /* GPURED_WORKSPACE_CUH */

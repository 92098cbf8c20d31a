/*
 * cpu_plain.c
 *	  The CPU device's loops for any processor: SSE2, NEON or what the compiler makes of them.
 */
#define KERNELS			gpured_cpu_plain
#define KERNELS_NAME	"plain"
#define KERNELS_TARGET
#define VECTOR_BYTES	16

#include "device/cpu_kernels.h"

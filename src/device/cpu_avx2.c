/*
 * cpu_avx2.c
 *	  The CPU device's loops for x86 processors with AVX2.
 */
#ifdef __x86_64__
#define KERNELS			gpured_cpu_avx2
#define KERNELS_NAME	"avx2"
#define KERNELS_TARGET	__attribute__((target("avx2")))
#define VECTOR_BYTES	32

#include "device/cpu_kernels.h"

#endif							/* __x86_64__ */

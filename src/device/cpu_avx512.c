/*
 * cpu_avx512.c
 *	  The CPU device's loops for x86 processors with AVX-512.
 */
#ifdef __x86_64__
#define KERNELS			gpured_cpu_avx512
#define KERNELS_NAME	"avx512"
#define KERNELS_TARGET	__attribute__((target("avx512f,avx512bw,avx512dq,avx512vl")))
#define VECTOR_BYTES	64

#include "device/cpu_kernels.h"

#endif							/* __x86_64__ */

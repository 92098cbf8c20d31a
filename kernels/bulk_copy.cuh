/*
 * bulk_copy.cuh
 *	  Copies between global and shared memory that one thread starts and the
 *	  hardware carries out, and words of 16 bytes that are read and written whole.
 *
 * A load announces itself at a barrier in shared memory, which all that need
 * the data wait for; a store belongs to a group of its thread, which waits until
 * the group has read its source.  Addresses and sizes are multiples of 16.
 *
 * Compute capability 9.0 and later; a kernel that uses these has no body
 * elsewhere (BULK_COPY_HERE) and is not launched there.
 */
#ifndef GPURED_BULK_COPY_CUH
#define GPURED_BULK_COPY_CUH

#include "cuda.cuh"

/* The least compute capability, times 10. */
constexpr int BULK_COPY_CAPABILITY = 90;

#if defined(GPURED_EMULATED) || (defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900)
#define BULK_COPY_HERE 1
#else
#define BULK_COPY_HERE 0
#endif

/* What one block tells all others, without a torn read. */
struct alignas(16) TileWord
{
	uint64_t low;
	uint64_t high;
};

#ifndef GPURED_EMULATED
static __device__ __forceinline__ uint32_t
shared_address(const void *p)
{
	return (uint32_t) __cvta_generic_to_shared(p);
}

/* A barrier for one load at a time. */
static __device__ __forceinline__ void
load_barrier_init(uint64_t *barrier)
{
	asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(shared_address(barrier))
				 : "memory");
}

/* After the last load_barrier_init, before the first load. */
static __device__ __forceinline__ void
load_barrier_ready()
{
	asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
	asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}

/* Start a load; what the calling thread wrote to shared memory before is seen with it. */
static __device__ __forceinline__ void
bulk_load(void *to, const void *from, uint32_t bytes, uint64_t *barrier)
{
	asm volatile(
		"mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared_address(barrier)),
		"r"(bytes)
		: "memory");
	if (bytes > 0)
		asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], "
					 "[%1], %2, [%3];" ::"r"(shared_address(to)),
					 "l"(from), "r"(bytes), "r"(shared_address(barrier))
					 : "memory");
}

/* Wait for the load number "turn" of this barrier, from 0. */
static __device__ __forceinline__ void
bulk_load_wait(uint64_t *barrier, uint32_t turn)
{
	asm volatile("{\n"
				 ".reg .pred done;\n"
				 "again_%=:\n"
				 "mbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1;\n"
				 "@!done bra again_%=;\n"
				 "}" ::"r"(shared_address(barrier)),
				 "r"(turn & 1)
				 : "memory");
}

/* By each thread that wrote what is to be stored, before the block synchronizes. */
static __device__ __forceinline__ void
bulk_store_ready()
{
	asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}

/* Start a store, as a group. */
static __device__ __forceinline__ void
bulk_store(void *to, const void *from, uint32_t bytes)
{
	if (bytes > 0)
		asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(to),
					 "r"(shared_address(from)), "r"(bytes)
					 : "memory");
	asm volatile("cp.async.bulk.commit_group;" ::: "memory");
}

/* Wait until all but the last PENDING stores of this thread have read their source. */
template <int PENDING>
static __device__ __forceinline__ void
bulk_store_wait()
{
	asm volatile("cp.async.bulk.wait_group.read %0;" ::"n"(PENDING) : "memory");
}

static __device__ __forceinline__ TileWord
load_word(const TileWord *p)
{
	TileWord word;

	asm volatile("{\n"
				 ".reg .b128 both;\n"
				 "ld.relaxed.gpu.global.b128 both, [%2];\n"
				 "mov.b128 {%0, %1}, both;\n"
				 "}"
				 : "=l"(word.low), "=l"(word.high)
				 : "l"(p)
				 : "memory");
	return word;
}

static __device__ __forceinline__ void
store_word(TileWord *p, TileWord word)
{
	asm volatile("{\n"
				 ".reg .b128 both;\n"
				 "mov.b128 both, {%0, %1};\n"
				 "st.relaxed.gpu.global.b128 [%2], both;\n"
				 "}" ::"l"(word.low),
				 "l"(word.high), "l"(p)
				 : "memory");
}
#endif

#endif /* GPURED_BULK_COPY_CUH */

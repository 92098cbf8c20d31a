/*
 * emu.h
 *	  CUDA kernels on the host, for testing: just enough of the language for
 *	  the kernels of this project.
 *
 * A thread of a block is a fiber.  A seeded scheduler picks which warp of
 * which block goes on, and a fiber gives way at every barrier, shuffle and
 * vote, and now and then at an atomic or a fence, so that different seeds try
 * different interleavings.  Up to emu::RESIDENT blocks of a grid run at once,
 * the next one starting when one is done, in a random order.
 *
 * It stops with a message where a card would hang or be undefined: a barrier
 * that some threads of the block have left, a collective that lanes of a warp
 * enter at different places.  With AddressSanitizer, accesses outside of
 * "device" memory and of shared memory are found as on the host.
 *
 * The last warp of a block may have fewer than 32 lanes; a shuffle from one that
 * is not there brings garbage.
 *
 * It does not model weak memory order.
 */
#ifndef GPURED_EMU_H
#define GPURED_EMU_H

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>

#include <cuda_runtime_api.h>

#define __global__
#define __device__
#define __host__
#define __forceinline__ inline
#define __noinline__
#define __launch_bounds__(...)
#define __restrict__

struct emu_index
{
	unsigned int x;
};

struct int4
{
	int x, y, z, w;
};

namespace emu
{
constexpr int RESIDENT = 4;
constexpr int MULTIPROCESSORS = 3;
constexpr int CAPABILITY = 90;
constexpr int SHARED_LIMIT = 64 * 1024; /* that of compute capability 7.5, the least */

/* What to do next is decided by this seed. */
void seed(uint64_t value);
void launch(unsigned int grid, unsigned int threads, size_t shared, std::function<void()> body);

/* Do this when the stream comes to it; at once without a stream. */
void enqueue(cudaStream_t stream, std::function<void()> work);

/* For the code of a kernel: where am I, and the ways to wait. */
emu_index thread_index();
emu_index block_index();
emu_index block_dim();
emu_index grid_dim();
void *shared(const void *site, size_t size);
void *shared_dynamic();
void barrier();
void grid_barrier();  /* of a grid whose blocks all run at once */
unsigned int lanes(); /* threads of this warp */
void maybe_yield();
void spin(); /* let others go on */

/*
 * Bulk copies.  A load is carried out when somebody waits for it, a store when
 * its thread waits for the group: who is too early sees garbage.
 */
void bulk_load(void *to, const void *from, size_t bytes, uint64_t *barrier);
bool bulk_load_done(uint64_t *barrier, uint32_t turn);
void bulk_store(void *to, const void *from, size_t bytes);
void bulk_store_wait(int pending);

/* Bring a value to the other lanes; returns all 32. "what" must agree. */
const uint64_t *exchange(uint64_t value, const char *what);
} // namespace emu

#define threadIdx (emu::thread_index())
#define blockIdx (emu::block_index())
#define blockDim (emu::block_dim())
#define gridDim (emu::grid_dim())

#define SHARED(type, name) \
	static char name##_site; \
	type &name = *static_cast<type *>(emu::shared(&name##_site, sizeof(type)))
#define SHARED_DYNAMIC(type, name) type &name = *static_cast<type *>(emu::shared_dynamic())
#define LAUNCH(kernel, grid, threads, shared, stream, ...) \
	emu_launch((unsigned int) (grid), (unsigned int) (threads), (shared), (stream), \
			   [=] { (kernel)(__VA_ARGS__); })

/* No more blocks than run at once. */
#define LAUNCH_COOPERATIVE(kernel, grid, threads, shared, stream, ...) \
	((unsigned int) (grid) > (unsigned int) emu::RESIDENT \
		 ? cudaErrorInvalidValue \
		 : (LAUNCH(kernel, grid, threads, shared, stream, __VA_ARGS__), cudaSuccess))

inline void
emu_launch(unsigned int grid, unsigned int threads, size_t shared, cudaStream_t stream,
		   std::function<void()> body)
{
	emu::enqueue(stream, [=] { emu::launch(grid, threads, shared, body); });
}

/*
 * Collectives
 */
inline void
__syncthreads()
{
	emu::barrier();
}
inline void
__syncwarp(unsigned int = 0xffffffffu)
{
	emu::exchange(0, "__syncwarp");
}
inline void
__threadfence()
{
	emu::maybe_yield();
}

template <class T>
inline T
emu_lane(const uint64_t *lanes, int lane)
{
	T value;

	memcpy(&value, &lanes[lane], sizeof(T));
	return value;
}

template <class T>
inline const uint64_t *
emu_exchange(T value, const char *what)
{
	uint64_t word = 0;

	static_assert(sizeof(T) <= 8, "a shuffle moves at most 64 bits");
	memcpy(&word, &value, sizeof(T));
	return emu::exchange(word, what);
}

template <class T>
inline T
__shfl_sync(unsigned int, T value, int lane)
{
	return emu_lane<T>(emu_exchange(value, "__shfl_sync"), lane & 31);
}

template <class T>
inline T
__shfl_down_sync(unsigned int, T value, int distance)
{
	const int lane = threadIdx.x % 32 + distance;

	return emu_lane<T>(emu_exchange(value, "__shfl_down_sync"), lane < 32 ? lane : lane - distance);
}

template <class T>
inline T
__shfl_up_sync(unsigned int, T value, int distance)
{
	const int lane = (int) (threadIdx.x % 32) - distance;

	return emu_lane<T>(emu_exchange(value, "__shfl_up_sync"), lane >= 0 ? lane : lane + distance);
}

template <class T>
inline T
__shfl_xor_sync(unsigned int, T value, int mask)
{
	return emu_lane<T>(emu_exchange(value, "__shfl_xor_sync"), (threadIdx.x % 32) ^ mask);
}

inline unsigned int
__ballot_sync(unsigned int, int predicate)
{
	const uint64_t *lanes = emu::exchange(predicate != 0, "__ballot_sync");
	unsigned int mask = 0;

	for (int i = 0; i < 32; i++)
		mask |= (unsigned int) lanes[i] << i;
	return mask;
}

inline unsigned int
__reduce_add_sync(unsigned int, unsigned int value)
{
	const uint64_t *lanes = emu::exchange(value, "__reduce_add_sync");
	unsigned int sum = 0;

	for (int i = 0; i < 32; i++)
		sum += (unsigned int) lanes[i];
	return sum;
}

inline unsigned int
__reduce_max_sync(unsigned int, unsigned int value)
{
	const uint64_t *lanes = emu::exchange(value, "__reduce_max_sync");
	uint64_t most = 0;

	for (int i = 0; i < 32; i++)
		most = lanes[i] > most ? lanes[i] : most;
	return (unsigned int) most;
}

inline unsigned int
__reduce_or_sync(unsigned int, unsigned int value)
{
	const uint64_t *lanes = emu::exchange(value, "__reduce_or_sync");
	unsigned int all = 0;

	for (int i = 0; i < 32; i++)
		all |= (unsigned int) lanes[i];
	return all;
}

/*
 * Cooperative groups: a warp, the threads that there are of it, the grid.
 */
namespace cooperative_groups
{
struct emu_warp
{
};
struct thread_block
{
};
struct grid_group
{
	void sync() const { emu::grid_barrier(); }
};
inline thread_block
this_thread_block()
{
	return thread_block();
}
inline grid_group
this_grid()
{
	return grid_group();
}
inline emu_warp
coalesced_threads()
{
	return emu_warp();
}
template <int SIZE>
inline emu_warp
tiled_partition(thread_block)
{
	static_assert(SIZE == 32, "a tile is a warp");
	return emu_warp();
}
template <class T, class Combine>
inline T
reduce(emu_warp, T value, Combine combine)
{
	constexpr int WORDS = (sizeof(T) + 7) / 8;
	const unsigned int lanes = emu::lanes();
	T all[32];

	for (int w = 0; w < WORDS; w++)
	{
		const size_t size = sizeof(T) < 8 ? sizeof(T) : 8;
		uint64_t word = 0;
		const uint64_t *words;

		memcpy(&word, (const char *) &value + 8 * w, size);
		words = emu::exchange(word, "cooperative_groups::reduce");
		for (unsigned int i = 0; i < lanes; i++)
			memcpy((char *) &all[i] + 8 * w, &words[i], size);
	}
	for (unsigned int i = 1; i < lanes; i++)
		all[0] = combine(all[0], all[i]);
	return all[0];
}
} // namespace cooperative_groups

/*
 * Atomics: one host thread runs all fibers, so they are atomic as they are.
 */
template <class T, class Change>
inline T
emu_atomic(T *p, Change change)
{
	const T before = *p;

	*p = change(before);
	emu::maybe_yield();
	return before;
}

#define EMU_ATOMIC(name, after) \
	template <class T> \
	inline T name(T *p, T value) \
	{ \
		return emu_atomic(p, [=](T before) { return (T) (after); }); \
	}
EMU_ATOMIC(atomicAdd, before + value)
EMU_ATOMIC(atomicOr, before | value)
EMU_ATOMIC(atomicAnd, before &value)
EMU_ATOMIC(atomicXor, before ^ value)
EMU_ATOMIC(atomicMin, value < before ? value : before)
EMU_ATOMIC(atomicMax, value > before ? value : before)

inline uint32_t
atomicOr(uint32_t *p, int value)
{
	return atomicOr(p, (uint32_t) value);
}

template <class T>
inline T
atomicCAS(T *p, T expected, T value)
{
	return emu_atomic(p, [=](T before) { return before == expected ? value : before; });
}

/*
 * The words of bulk_copy.cuh
 */
inline void
load_barrier_init(uint64_t *barrier)
{
	*barrier = 0;
}
inline void
load_barrier_ready()
{
}
inline void
bulk_load(void *to, const void *from, uint32_t bytes, uint64_t *barrier)
{
	emu::bulk_load(to, from, bytes, barrier);
}
inline void
bulk_load_wait(uint64_t *barrier, uint32_t turn)
{
	while (!emu::bulk_load_done(barrier, turn))
		emu::spin();
}
inline void
bulk_store_ready()
{
}
inline void
bulk_store(void *to, const void *from, uint32_t bytes)
{
	emu::bulk_store(to, from, bytes);
}
template <int PENDING>
inline void
bulk_store_wait()
{
	emu::bulk_store_wait(PENDING);
}
template <class Word>
inline Word
load_word(const Word *p)
{
	emu::spin();
	return *p;
}
template <class Word>
inline void
store_word(Word *p, Word word)
{
	*p = word;
	emu::maybe_yield();
}

/*
 * Bits and numbers
 */
inline void
wait_a_little()
{
	emu::spin();
}
inline int4
load_once(const int4 *p)
{
	return *p;
}
inline long long
__double_as_longlong(double x)
{
	long long r;
	memcpy(&r, &x, 8);
	return r;
}
inline double
__longlong_as_double(long long x)
{
	double r;
	memcpy(&r, &x, 8);
	return r;
}
inline int
__double2hiint(double x)
{
	return (int) (__double_as_longlong(x) >> 32);
}
inline int
__double2loint(double x)
{
	return (int) __double_as_longlong(x);
}
inline double
__hiloint2double(int high, int low)
{
	return __longlong_as_double((long long) ((uint64_t) (uint32_t) high << 32 | (uint32_t) low));
}
inline int
__float_as_int(float x)
{
	int r;
	memcpy(&r, &x, 4);
	return r;
}
inline float
__int_as_float(int x)
{
	float r;
	memcpy(&r, &x, 4);
	return r;
}
/* Sums rounded down and up: the error of the nearest one says where it lies. */
inline double
emu_add_directed(double a, double b, double towards)
{
	const double sum = a + b;
	const double part = sum - a;
	const double error = (a - (sum - part)) + (b - part);

	if (sum == 0)
		return towards < 0 && (std::signbit(a) || std::signbit(b)) ? -0.0 : sum;
	return (towards < 0 ? error < 0 : error > 0) ? std::nextafter(sum, towards) : sum;
}
inline double
__dadd_rd(double a, double b)
{
	return emu_add_directed(a, b, -HUGE_VAL);
}
inline double
__dadd_ru(double a, double b)
{
	return emu_add_directed(a, b, HUGE_VAL);
}
inline long long
__double2ll_rn(double x)
{
	return std::llrint(x);
}
inline int
__popc(unsigned int x)
{
	return __builtin_popcount(x);
}
inline int
__ffsll(long long x)
{
	return __builtin_ffsll(x);
}
inline int
__clzll(long long x)
{
	return x == 0 ? 64 : __builtin_clzll((unsigned long long) x);
}
inline int
__clz(int x)
{
	return x == 0 ? 32 : __builtin_clz((unsigned int) x);
}
inline unsigned int
__funnelshift_l(unsigned int low, unsigned int high, unsigned int shift)
{
	shift &= 31;
	return shift == 0 ? high : high << shift | low >> (32 - shift);
}

/*
 * The runtime's functions that take a kernel; the others are C.
 */
template <class Kernel>
inline cudaError_t
cudaFuncGetAttributes(cudaFuncAttributes *, Kernel)
{
	return cudaSuccess;
}
template <class Kernel>
inline cudaError_t
cudaFuncSetAttribute(Kernel, int, int)
{
	return cudaSuccess;
}
template <class Kernel>
inline cudaError_t
cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, Kernel, int, size_t)
{
	*blocks = 1;
	return cudaSuccess;
}

#endif /* GPURED_EMU_H */

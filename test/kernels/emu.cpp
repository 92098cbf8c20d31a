/*
 * emu.cpp
 *	  The fibers and the scheduler of the emulation (see emu.h).
 */
#include "test/kernels/emu.h"

#include <cstdio>
#include <cstdlib>
#include <deque>
#include <map>
#include <memory>
#include <sys/mman.h>
#include <vector>

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif

#if defined(__x86_64__)
/* Save the callee-saved registers and the stack, take others: no system call. */
extern "C" void emu_switch(void **save, void *load);
__asm__(".text\n"
		".globl emu_switch\n"
		".type emu_switch, @function\n"
		"emu_switch:\n"
		"	pushq %rbp\n	pushq %rbx\n	pushq %r12\n	pushq %r13\n	pushq %r14\n	pushq "
		"%r15\n"
		"	movq %rsp, (%rdi)\n"
		"	movq %rsi, %rsp\n"
		"	popq %r15\n	popq %r14\n	popq %r13\n	popq %r12\n	popq %rbx\n	popq %rbp\n"
		"	ret\n"
		".size emu_switch, .-emu_switch\n");
#else
#include <ucontext.h>
#endif

namespace emu
{
namespace
{
constexpr size_t STACK = 128 * 1024;

enum Wait
{
	RUNS,
	AT_BARRIER,
	AT_GRID_BARRIER,
	AT_COLLECTIVE,
	DONE
};

struct Fiber
{
#if defined(__x86_64__)
	void *stack_pointer;
#else
	ucontext_t context;
#endif
	char *stack;
	void *fake_stack;
	Wait wait;
	unsigned int index;
	unsigned int collectives; /* how many it has entered */
};

struct Exchange
{
	uint64_t lane[32];
	const char *what;
	int entered;
};

struct Block
{
	unsigned int index;
	std::vector<Fiber> fibers;
	std::vector<Exchange> exchanges; /* two a warp, used in turn */
	std::map<const void *, std::unique_ptr<char[]>> shared;
	std::unique_ptr<char[]> dynamic;
};

/* A copy that has been started, but not carried out. */
struct Copy
{
	void *to;
	const void *from;
	size_t bytes;
	uint64_t *barrier;  /* of a load */
	const Block *block; /* of a store, and the thread */
	unsigned int thread;
};

uint64_t random_state = 1;
std::deque<Copy> copies;
std::function<void()> kernel;
unsigned int grid_size;
unsigned int block_size;
Block *block;
Fiber *fiber;
std::vector<char *> spare_stacks;

#if defined(__x86_64__)
void *scheduler_stack_pointer;
#else
ucontext_t scheduler_context;
#endif
#if defined(__SANITIZE_ADDRESS__)
const void *scheduler_stack;
size_t scheduler_stack_size;
void *scheduler_fake_stack;
#endif

uint32_t
random_below(uint32_t limit)
{
	random_state = random_state * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t) (random_state >> 33) % limit;
}

void
stop(const char *why)
{
	printf("emulation: %s (block %u, thread %u)\n", why, block->index, fiber->index);
	fflush(stdout);
	abort();
}

/* From a fiber back to the scheduler. */
void
leave(Wait wait)
{
	Fiber *self = fiber;

	self->wait = wait;
#if defined(__SANITIZE_ADDRESS__)
	__sanitizer_start_switch_fiber(wait == DONE ? nullptr : &self->fake_stack, scheduler_stack,
								   scheduler_stack_size);
#endif
#if defined(__x86_64__)
	emu_switch(&self->stack_pointer, scheduler_stack_pointer);
#else
	swapcontext(&self->context, &scheduler_context);
#endif
#if defined(__SANITIZE_ADDRESS__)
	__sanitizer_finish_switch_fiber(self->fake_stack, &scheduler_stack, &scheduler_stack_size);
#endif
}

void
fiber_main()
{
#if defined(__SANITIZE_ADDRESS__)
	__sanitizer_finish_switch_fiber(nullptr, &scheduler_stack, &scheduler_stack_size);
#endif
	kernel();
	leave(DONE);
	abort();
}

/* From the scheduler into a fiber, until it waits. */
void
run(Block *in, Fiber *next)
{
	block = in;
	fiber = next;
#if defined(__SANITIZE_ADDRESS__)
	__sanitizer_start_switch_fiber(&scheduler_fake_stack, next->stack, STACK);
#endif
#if defined(__x86_64__)
	emu_switch(&scheduler_stack_pointer, next->stack_pointer);
#else
	swapcontext(&scheduler_context, &next->context);
#endif
#if defined(__SANITIZE_ADDRESS__)
	__sanitizer_finish_switch_fiber(scheduler_fake_stack, nullptr, nullptr);
#endif
}

/* What the hardware asks of a bulk copy. */
void
check_copy(const void *to, const void *from, size_t bytes)
{
	if ((uintptr_t) to % 16 != 0 || (uintptr_t) from % 16 != 0 || bytes % 16 != 0)
		stop("a bulk copy that is not aligned");
}

std::unique_ptr<char[]>
garbage(size_t size)
{
	std::unique_ptr<char[]> bytes(new char[size]);

	memset(bytes.get(), 0xa5, size);
	return bytes;
}

std::unique_ptr<Block>
start_block(unsigned int index, size_t shared)
{
	std::unique_ptr<Block> b(new Block());

	b->index = index;
	b->dynamic = garbage(shared);
	b->exchanges.resize(2 * ((block_size + 31) / 32));
	b->fibers.resize(block_size);
	for (unsigned int i = 0; i < block_size; i++)
	{
		Fiber &f = b->fibers[i];

		if (spare_stacks.empty())
			spare_stacks.push_back((char *) mmap(nullptr, STACK, PROT_READ | PROT_WRITE,
												 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1,
												 0));
		f.stack = spare_stacks.back();
		spare_stacks.pop_back();
		f.fake_stack = nullptr;
		f.wait = RUNS;
		f.index = i;
		f.collectives = 0;
#if defined(__x86_64__)
		/* Six registers, the address to return to, and the caller's slot. */
		void **top = (void **) (f.stack + STACK) - 8;

		memset(top, 0, 8 * sizeof(void *));
		top[6] = (void *) fiber_main;
		f.stack_pointer = top;
#else
		getcontext(&f.context);
		f.context.uc_stack.ss_sp = f.stack;
		f.context.uc_stack.ss_size = STACK;
		f.context.uc_link = nullptr;
		makecontext(&f.context, fiber_main, 0);
#endif
	}
	return b;
}

void
end_block(Block *b)
{
	for (Fiber &f : b->fibers)
	{
#if defined(__SANITIZE_ADDRESS__)
		__asan_unpoison_memory_region(f.stack, STACK);
#endif
		spare_stacks.push_back(f.stack);
	}
}

/* Threads of the warp that begins with this one. */
unsigned int
lanes_from(unsigned int start)
{
	return block_size - start < 32 ? block_size - start : 32;
}

enum Progress
{
	WENT_ON,
	WAITS_FOR_GRID,
	IS_DONE
};

/* Let a random warp of the block go on. */
Progress
step(Block *b)
{
	const unsigned int warps = (block_size + 31) / 32;
	const unsigned int first = random_below(warps);
	unsigned int waiting = 0, waiting_for_grid = 0, done = 0;

	for (unsigned int i = 0; i < warps; i++)
	{
		const unsigned int start = (first + i) % warps * 32;
		const unsigned int lanes = lanes_from(start);
		const unsigned int turn = random_below(lanes);
		bool ran = false;
		unsigned int together = 0;

		for (unsigned int k = 0; k < lanes; k++)
		{
			Fiber &f = b->fibers[start + (turn + k) % lanes];

			if (f.wait == RUNS)
			{
				run(b, &f);
				ran = true;
			}
			together += f.wait == AT_COLLECTIVE;
		}
		if (together == lanes)
			for (unsigned int k = 0; k < lanes; k++)
				b->fibers[start + k].wait = RUNS;
		if (ran)
			return WENT_ON;
	}

	/* No warp can go on: is it the barrier that all wait for? */
	for (Fiber &f : b->fibers)
	{
		waiting += f.wait == AT_BARRIER;
		waiting_for_grid += f.wait == AT_GRID_BARRIER;
		done += f.wait == DONE;
	}
	if (done == block_size)
		return IS_DONE;
	if (waiting_for_grid == block_size)
		return WAITS_FOR_GRID;
	if (waiting != block_size)
		stop(done > 0 ? "threads have left, others wait"
					  : "lanes of a warp wait at different places");
	for (Fiber &f : b->fibers)
		f.wait = RUNS;
	return WENT_ON;
}

bool
all_wait_for_grid(const std::vector<std::unique_ptr<Block>> &blocks)
{
	for (const std::unique_ptr<Block> &b : blocks)
		for (const Fiber &f : b->fibers)
			if (f.wait != AT_GRID_BARRIER)
				return false;
	return true;
}
} // namespace

void
seed(uint64_t value)
{
	random_state = value * 2 + 1;
}

void
launch(unsigned int grid, unsigned int threads, size_t shared, std::function<void()> body)
{
	std::vector<std::unique_ptr<Block>> resident;
	std::vector<unsigned int> order(grid);
	unsigned int next = 0;

	if (grid == 0 || threads == 0 || threads > 1024 || shared > (size_t) SHARED_LIMIT)
	{
		printf("emulation: a launch of %u blocks of %u threads with %zu bytes\n", grid, threads,
			   shared);
		abort();
	}
	kernel = body;
	grid_size = grid;
	block_size = threads;
	for (unsigned int i = 0; i < grid; i++)
	{
		unsigned int j = random_below(i + 1);

		order[i] = order[j];
		order[j] = i;
	}
	while (next < grid || !resident.empty())
	{
		size_t i;

		while (next < grid && resident.size() < (size_t) RESIDENT)
			resident.push_back(start_block(order[next++], shared));
		i = random_below((uint32_t) resident.size());
		switch (step(resident[i].get()))
		{
			case WENT_ON:
				break;
			case WAITS_FOR_GRID:
				if (!all_wait_for_grid(resident))
					break;
				if (resident.size() < grid)
					stop("blocks wait for others that do not run");
				for (std::unique_ptr<Block> &b : resident)
					for (Fiber &f : b->fibers)
						f.wait = RUNS;
				break;
			case IS_DONE:
				for (const Copy &copy : copies)
					if (copy.block == resident[i].get())
						stop("a block leaves before its stores have read what they store");
				end_block(resident[i].get());
				resident.erase(resident.begin() + (ptrdiff_t) i);
				break;
		}
	}
}

emu_index
thread_index()
{
	return emu_index{fiber->index};
}
emu_index
block_index()
{
	return emu_index{block->index};
}
emu_index
block_dim()
{
	return emu_index{block_size};
}
emu_index
grid_dim()
{
	return emu_index{grid_size};
}
void *
shared_dynamic()
{
	return block->dynamic.get();
}
void
barrier()
{
	leave(AT_BARRIER);
}

void
grid_barrier()
{
	leave(AT_GRID_BARRIER);
}

unsigned int
lanes()
{
	return lanes_from(fiber->index / 32 * 32);
}

void *
shared(const void *site, size_t size)
{
	std::unique_ptr<char[]> &bytes = block->shared[site];

	if (!bytes)
		bytes = garbage(size);
	return bytes.get();
}

void
maybe_yield()
{
	if (random_below(4) == 0)
		leave(RUNS);
}

void
spin()
{
	leave(RUNS);
}

void
bulk_load(void *to, const void *from, size_t bytes, uint64_t *barrier)
{
	check_copy(to, from, bytes);
	memset(to, 0xa5, bytes);
	copies.push_back(Copy{to, from, bytes, barrier, nullptr, 0});
	maybe_yield();
}

bool
bulk_load_done(uint64_t *barrier, uint32_t turn)
{
	for (size_t i = 0; i < copies.size(); i++)
		if (copies[i].barrier == barrier)
		{
			memcpy(copies[i].to, copies[i].from, copies[i].bytes);
			copies.erase(copies.begin() + (ptrdiff_t) i);
			++*barrier;
			break;
		}
	return (*barrier & 1) != (turn & 1);
}

void
bulk_store(void *to, const void *from, size_t bytes)
{
	check_copy(to, from, bytes);
	copies.push_back(Copy{to, from, bytes, nullptr, block, fiber->index});
	maybe_yield();
}

void
bulk_store_wait(int pending)
{
	int mine = 0;

	for (const Copy &copy : copies)
		mine += copy.block == block && copy.thread == fiber->index;
	for (size_t i = 0; mine > pending;)
		if (copies[i].block == block && copies[i].thread == fiber->index)
		{
			memcpy(copies[i].to, copies[i].from, copies[i].bytes);
			copies.erase(copies.begin() + (ptrdiff_t) i);
			mine--;
		}
		else
			i++;
}

const uint64_t *
exchange(uint64_t value, const char *what)
{
	Exchange &e = block->exchanges[fiber->index / 32 * 2 + fiber->collectives++ % 2];

	if (e.entered == 0)
	{
		e.what = what;
		memset(e.lane, 0xa5, sizeof(e.lane));
	}
	else if (strcmp(e.what, what) != 0)
		stop("lanes of a warp are in different collectives");
	e.lane[fiber->index % 32] = value;
	e.entered = (e.entered + 1) % (int) lanes();
	leave(AT_COLLECTIVE);
	return e.lane;
}
} // namespace emu

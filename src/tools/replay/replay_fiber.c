/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Fibers: one per rank, with a small stack in one mapping. A rank runs until it
 * blocks. When all are parked, the model runs and returns the ranks that
 * continue; so the order of execution is that of virtual time, and results do
 * not depend on the host.
 */
#include "src/tools/replay/replay_int.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <ucontext.h>

/* bytes of a stack; pages are allocated on first touch */
#define STACK_BYTES ((size_t)64 << 10)
#define STACK_MARK  UINT64_C(0x6e6f766572666c77)

struct replay_fiber {
	ucontext_t context;
	bool ended;
};

struct replay_rank *replay_me;
static ucontext_t loop;
static struct replay_fiber *fibers;
static char *stacks;
static void (*entry)(void);

static uint64_t *mark_of(uint32_t rank)
{
	return (uint64_t *)(void *)(stacks + (size_t)rank * STACK_BYTES);
}

static void fiber_main(void)
{
	entry();
	replay_me->fiber->ended = true;
	for (;;)
		swapcontext(&replay_me->fiber->context, &loop);
}

int replay_fibers_open(void (*run)(void))
{
	uint32_t n = replay_job.size;

	fibers = calloc(n, sizeof(*fibers));
	stacks = mmap(NULL, n * STACK_BYTES, PROT_READ | PROT_WRITE,
		      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (!fibers || stacks == MAP_FAILED)
		return -ENOMEM;
	entry = run;
	for (uint32_t i = 0; i < n; i++) {
		struct replay_fiber *f = &fibers[i];

		getcontext(&f->context);
		f->context.uc_stack.ss_sp = stacks + i * STACK_BYTES;
		f->context.uc_stack.ss_size = STACK_BYTES;
		f->context.uc_link = NULL;
		makecontext(&f->context, fiber_main, 0);
		replay_job.rank[i].fiber = f;
		*mark_of(i) = STACK_MARK;
	}
	return 0;
}

void replay_fiber_park(void *arg)
{
	struct replay_rank *r = replay_me;

	(void)arg;
	if (weft_unlikely(*mark_of(r->rank) != STACK_MARK))
		replay_fail("rank %u: the stack of a fiber has overflowed",
			    r->rank);
	swapcontext(&r->fiber->context, &loop);
}

static void resume(struct replay_rank *r)
{
	if (r->fiber->ended)
		return;
	replay_me = r;
	/* relaxed: there is one thread */
	weft_store32_relaxed(&weft_completed, r->completed);
	swapcontext(&loop, &r->fiber->context);
	r->completed = weft_load32_relaxed(&weft_completed);
}

int replay_fibers_run(void)
{
	const uint32_t *ranks;
	int n;

	for (uint32_t i = 0; i < replay_job.size; i++)
		resume(&replay_job.rank[i]);
	/*
	 * background programs do not end, so the loop ends when the other
	 * programs have ended
	 */
	do {
		n = weft_vt_host_pass(replay_job.world, &ranks);
		for (int i = 0; i < n; i++)
			resume(&replay_job.rank[ranks[i]]);
	} while (n > 0 && (replay_job.left || !replay_job.backgrounds));
	return n < 0 ? n : 0;
}

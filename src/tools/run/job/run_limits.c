/* SPDX-License-Identifier: BSD-3-Clause */
/* Checks of resource limits before libraries start: see run_limits.h. */
#include "src/tools/run/job/run_limits.h"
#include "src/base/limit.h"
#include "src/tools/run/run_message.h"

#include <errno.h>
#include <malloc.h>
#include <pthread.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/resource.h>

#define KIB 1024u

/*
 * Minimum stack size. Measured: libraries use up to 220 KiB; the environment is
 * also stored on the stack and takes up to 128 KiB if the stack has this size.
 */
#define STACK_BYTES (512 * KIB)

/*
 * Stack size of the threads of libpmix. The default is the limit of the main
 * thread, which may be too small, or larger than the address space.
 */
#define THREAD_BYTES (1024 * KIB)

/*
 * Minimum address space. Measured with two ranks: below 3.5 MiB libpmix
 * crashes, or its threads do not start.
 */
#define SPACE_BYTES (8192 * KIB)
#define RANK_BYTES  (32 * KIB)

static struct rlimit stack;

int run_limits_stack(void)
{
	struct rlimit lim;

	if (getrlimit(RLIMIT_STACK, &stack))
		return 0;
	if (stack.rlim_cur == RLIM_INFINITY || stack.rlim_cur >= STACK_BYTES)
		return 0;
	lim = stack;
	lim.rlim_cur = STACK_BYTES;
	if (lim.rlim_max != RLIM_INFINITY && lim.rlim_max < STACK_BYTES)
		lim.rlim_max = STACK_BYTES;
	if (!setrlimit(RLIMIT_STACK, &lim))
		return 0;
	run_message(
		"mpiexec needs a stack of %u KiB, the limit is %llu KiB; raise "
		"it by ulimit -s",
		STACK_BYTES / KIB, (unsigned long long)stack.rlim_cur / KIB);
	return -EINVAL;
}

void run_limits_restore(void)
{
	if (stack.rlim_cur)
		setrlimit(RLIMIT_STACK, &stack);
}

int run_limits_space(int nranks)
{
	size_t need = SPACE_BYTES + (size_t)nranks * RANK_BYTES;
	char why[WEFT_LIMIT_TEXT];
	struct rlimit lim;
	void *p;
	pthread_attr_t attr;

	if (!pthread_attr_init(&attr)) {
		pthread_attr_setstacksize(&attr, THREAD_BYTES);
		pthread_setattr_default_np(&attr);
		pthread_attr_destroy(&attr);
	}
	if (getrlimit(RLIMIT_AS, &lim) || lim.rlim_cur == RLIM_INFINITY)
		return 0;
	/* an arena for each thread would reserve 64 MiB of address space */
	mallopt(M_ARENA_MAX, 1);
	p = mmap(NULL, need, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (p == MAP_FAILED) {
		run_message("no memory for %d ranks%s", nranks,
			    weft_limit_space(why, need));
		return -ENOMEM;
	}
	munmap(p, need);
	return 0;
}

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * LeakSanitizer without its cost where nothing can have leaked. At exit,
 * LeakSanitizer of gcc 12 on aarch64 walks a table of the whole address space,
 * which takes 4.4 s of processor time per process. A test that has freed all
 * memory that it allocated has no leak; LeakSanitizer checks only the others.
 */
#include "test/t.h"

#if defined(__SANITIZE_ADDRESS__)
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* stacks that glibc keeps for later threads, with memory for each */
#define CACHED_STACKS 8

size_t __sanitizer_get_current_allocated_bytes(void);
__attribute__((visibility("default"))) int __lsan_is_turned_off(void);

static size_t bytes_at_start;
static char stdout_buffer[BUFSIZ];

/* Called by LeakSanitizer at exit; 1 means that no check is done. */
int __lsan_is_turned_off(void)
{
	return __sanitizer_get_current_allocated_bytes() <= bytes_at_start;
}

static void *meet(void *barrier)
{
	pthread_barrier_wait(barrier);
	return NULL;
}

static void fill_stack_cache(void)
{
	pthread_t thread[CACHED_STACKS];
	pthread_barrier_t barrier;
	int n = 0;

	pthread_barrier_init(&barrier, NULL, CACHED_STACKS);
	while (n < CACHED_STACKS &&
	       !pthread_create(&thread[n], NULL, meet, &barrier))
		n++;
	/* fewer threads would wait at the barrier for ever */
	if (n < CACHED_STACKS)
		abort();
	for (int i = 0; i < n; i++)
		pthread_join(thread[i], NULL);
	pthread_barrier_destroy(&barrier);
}

void t_leak_start(void)
{
	setvbuf(stdout, stdout_buffer, isatty(1) ? _IOLBF : _IOFBF,
		sizeof(stdout_buffer));
	fill_stack_cache();
	bytes_at_start = __sanitizer_get_current_allocated_bytes();
}
#else
void t_leak_start(void)
{
}
#endif

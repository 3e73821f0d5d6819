/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * LeakSanitizer without its cost where nothing has leaked. At exit,
 * LeakSanitizer of gcc 12 on aarch64 walks a table of the whole address space,
 * which takes 4.4 s of processor time per process. A cheaper check comes first:
 * it adds up the sizes of all blocks that can be reached by pointers from
 * global variables; if this sum and the bytes unaccounted for at the start of
 * the test account for all allocated bytes, nothing has leaked. Otherwise
 * LeakSanitizer decides and reports.
 */
#include "test/t.h"

#if defined(__SANITIZE_ADDRESS__)
#include <link.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* stacks that glibc keeps for later threads, with memory for each */
#define CACHED_STACKS 8
/* blocks that the cheaper check can follow; a power of two */
#define BLOCKS_MAX    65536

size_t __sanitizer_get_current_allocated_bytes(void);
size_t __sanitizer_get_allocated_size(const volatile void *p);
int __sanitizer_get_ownership(const volatile void *p);
__attribute__((visibility("default"))) int __lsan_is_turned_off(void);

static uintptr_t found[BLOCKS_MAX]; /* hash table of the blocks found */
static uintptr_t queue[BLOCKS_MAX]; /* the blocks in the order found */
static size_t queued;
static size_t unaccounted_at_start;
static char stdout_buffer[BUFSIZ];

/* Adds a block to the table. Returns whether it is new. */
static bool add_block(uintptr_t block)
{
	size_t i = (block >> 4) * 0x9e3779b97f4a7c15u >> 48;

	while (found[i % BLOCKS_MAX] && found[i % BLOCKS_MAX] != block)
		i++;
	if (found[i % BLOCKS_MAX] || queued == BLOCKS_MAX / 2)
		return false;
	found[i % BLOCKS_MAX] = block;
	queue[queued++] = block;
	return true;
}

/* Returns the size of the new blocks, in bytes. Red zones are read, too. */
__attribute__((no_sanitize("address"))) static size_t
follow_pointers(uintptr_t from, uintptr_t to)
{
	size_t bytes = 0;

	for (; from + sizeof(uintptr_t) <= to; from += sizeof(uintptr_t)) {
		uintptr_t word = *(uintptr_t *)from;

		if (word % 16 == 0 && word > 65536 &&
		    __sanitizer_get_ownership((void *)word) && add_block(word))
			bytes += __sanitizer_get_allocated_size((void *)word);
	}
	return bytes;
}

static int follow_globals(struct dl_phdr_info *info, size_t size, void *bytes)
{
	uintptr_t from;

	if (strstr(info->dlpi_name, "san.so"))
		return 0;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *h = &info->dlpi_phdr[i];

		if (h->p_type != PT_LOAD || !(h->p_flags & PF_W))
			continue;
		from = (info->dlpi_addr + h->p_vaddr + 7) & ~(uintptr_t)7;
		*(size_t *)bytes += follow_pointers(
			from, info->dlpi_addr + h->p_vaddr + h->p_memsz);
	}
	return 0;
}

/* Returns the number of allocated bytes to which no pointer was found. */
static size_t unaccounted(void)
{
	size_t bytes = 0;

	memset(found, 0, sizeof(found));
	queued = 0;
	dl_iterate_phdr(follow_globals, &bytes);
	for (size_t i = 0; i < queued; i++)
		bytes += follow_pointers(
			queue[i], queue[i] + __sanitizer_get_allocated_size(
						     (void *)queue[i]));
	return __sanitizer_get_current_allocated_bytes() - bytes;
}

/* Called by LeakSanitizer at exit; 1 means that it does no check. */
int __lsan_is_turned_off(void)
{
	return unaccounted() <= unaccounted_at_start;
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
	/* with fewer threads the barrier would never open */
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
	unaccounted_at_start = unaccounted();
}
#else
void t_leak_start(void)
{
}
#endif

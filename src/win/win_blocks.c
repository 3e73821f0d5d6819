/* SPDX-License-Identifier: BSD-3-Clause */
/* Blocks of shared memory and their free list; see win_blocks.h. */
#include "src/win/win_blocks.h"

#include "src/base/atomic.h"

#include <pthread.h>
#include <string.h>
#include <unistd.h>

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>
#define POISON(at, n)	ASAN_POISON_MEMORY_REGION(at, n)
#define UNPOISON(at, n) ASAN_UNPOISON_MEMORY_REGION(at, n)
#else
#define POISON(at, n)
#define UNPOISON(at, n)
#endif

/* A free block is reused for requests of at least 1 / FIT_PART of its size. */
#define FIT_PART 4

/* ---- forks --------------------------------------------------------------- */

static weft_au32 forks;

static void count_fork(void)
{
	weft_add32(&forks, 1);
}

static void register_fork_handler(void)
{
	pthread_atfork(count_fork, NULL, NULL);
}

/* ---- the free list ------------------------------------------------------- */

static size_t whole_pages(size_t bytes)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);

	return (bytes + page - 1) / page * page;
}

static void free_list_remove(struct win_blocks *w, unsigned k)
{
	struct win_block *b = &w->block[w->kept[k]];

	w->kept_bytes -= b->region.bytes;
	w->kept_n--;
	memmove(&w->kept[k], &w->kept[k + 1], w->kept_n - k);
	UNPOISON(b->region.base, b->region.bytes);
}

static void drop_oldest(struct win_blocks *w)
{
	struct win_block *b = &w->block[w->kept[0]];

	free_list_remove(w, 0);
	weft_region_close(&b->region);
}

static void free_list_add(struct win_blocks *w, struct win_block *b)
{
	size_t bytes = b->region.bytes;

	while (w->kept_n == WIN_BLOCKS_KEPT ||
	       w->kept_bytes + bytes > WIN_KEPT_BYTES)
		drop_oldest(w);
	w->kept[w->kept_n++] = (uint8_t)(b - w->block);
	w->kept_bytes += bytes;
	b->used = false;
	POISON(b->region.base, bytes);
}

void win_blocks_trim(struct win_blocks *w)
{
	while (w->kept_n)
		drop_oldest(w);
}

/* ---- blocks in use ------------------------------------------------------- */

static void *block_use(struct win_block *b)
{
	b->forks = weft_load32(&forks);
	b->used = true;
	b->reached = false;
	return b->region.base;
}

void *win_blocks_take(struct win_blocks *w, size_t bytes)
{
	size_t most;

	if (bytes > WIN_KEPT_LARGEST)
		return NULL;
	most = FIT_PART * whole_pages(bytes);
	for (unsigned k = w->kept_n; k-- > 0;) {
		struct win_block *b = &w->block[w->kept[k]];

		if (b->region.bytes < bytes || b->region.bytes > most)
			continue;
		free_list_remove(w, k);
		return block_use(b);
	}
	return NULL;
}

void *win_blocks_make(struct win_blocks *w, size_t bytes)
{
	static pthread_once_t registered = PTHREAD_ONCE_INIT;
	struct win_block *b = w->block, *end = b + WIN_BLOCKS;

	pthread_once(&registered, register_fork_handler);
	while (b < end && b->region.base)
		b++;
	if (b == end && w->kept_n) {
		b = &w->block[w->kept[0]];
		drop_oldest(w);
	}
	if (b == end ||
	    weft_region_open(&b->region, "weft-mem", whole_pages(bytes)))
		return NULL;
	return block_use(b);
}

bool win_blocks_give(struct win_blocks *w, void *base)
{
	struct win_block *b = w->block, *end = b + WIN_BLOCKS;

	while (b < end && !(b->used && b->region.base == base))
		b++;
	if (!base || b == end)
		return false;
	if (b->reached || b->forks != weft_load32(&forks) ||
	    b->region.bytes > WIN_KEPT_LARGEST) {
		b->used = false;
		weft_region_close(&b->region);
	} else {
		free_list_add(w, b);
	}
	return true;
}

static bool holds(const struct win_block *b, uintptr_t start, size_t bytes)
{
	uintptr_t base = (uintptr_t)b->region.base;

	return b->used && start >= base && bytes <= b->region.bytes &&
	       start - base <= b->region.bytes - bytes;
}

const struct weft_region *win_blocks_find(struct win_blocks *w,
					  const void *start, size_t bytes)
{
	for (int i = 0; i < WIN_BLOCKS; i++) {
		if (!holds(&w->block[i], (uintptr_t)start, bytes))
			continue;
		w->block[i].reached = true;
		return &w->block[i].region;
	}
	return NULL;
}

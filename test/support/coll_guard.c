/* SPDX-License-Identifier: BSD-3-Clause */
/* Implementation of coll_guard.h. free() finds guarded blocks in a table. */
#include "test/support/coll_guard.h"

#include <pthread.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

enum { BLOCKS = 1024, SMALLEST = 512, ALIGN = 16 };

struct block {
	void *ptr; /* address returned by malloc; NULL: unused */
	char *base;
	size_t len;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct block block[BLOCKS];
static unsigned count, live;
static bool on;

/*
 * Names that the linker's --wrap gives to the real functions and to the
 * wrappers.
 */
void *__real_malloc(size_t size);
void __real_free(void *p);
void *__wrap_malloc(size_t size);
void __wrap_free(void *p);

void guard_set(bool is_on)
{
	on = is_on;
}

unsigned guard_count(void)
{
	return count;
}

static struct block *guard_find(const void *at)
{
	for (size_t i = 0; i < BLOCKS; i++)
		if (block[i].ptr == at)
			return &block[i];
	return NULL;
}

/* Allocates a guarded block; NULL: the table is full, or out of memory. */
static void *guarded(size_t size)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	size_t room = (size + ALIGN - 1) & ~(size_t)(ALIGN - 1);
	size_t len = (room + page - 1) / page * page + page;
	struct block *b = guard_find(NULL);
	char *base;

	if (!b)
		return NULL;
	base = mmap(NULL, len, PROT_READ | PROT_WRITE,
		    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (base == MAP_FAILED)
		return NULL;
	mprotect(base + len - page, page, PROT_NONE);
	*b = (struct block){ base + len - page - room, base, len };
	count++;
	live++;
	return b->ptr;
}

void *__wrap_malloc(size_t size)
{
	void *p = NULL;

	if (on && size >= SMALLEST) {
		pthread_mutex_lock(&lock);
		p = guarded(size);
		pthread_mutex_unlock(&lock);
	}
	return p ? p : __real_malloc(size);
}

void __wrap_free(void *p)
{
	struct block *b;

	pthread_mutex_lock(&lock);
	b = p && live ? guard_find(p) : NULL;
	if (b) {
		munmap(b->base, b->len);
		b->ptr = NULL;
		live--;
	}
	pthread_mutex_unlock(&lock);
	if (!b)
		__real_free(p);
}

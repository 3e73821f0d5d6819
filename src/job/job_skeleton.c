/* SPDX-License-Identifier: BSD-3-Clause */
/* Folded memory of skeletons (job_skeleton.h). */
#include "src/job/job_skeleton.h"

#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

/* granularity of blocks: a multiple of the page size of all hosts */
#define GRAIN ((size_t)64 << 10)

struct block {
	char *base;
	size_t bytes; /* size in the address space; blocks are adjacent */
	bool in_use;
};

static struct {
	pthread_mutex_t lock;
	bool read; /* the environment variable has been read */
	int fd;	   /* descriptor of the file; -1: no folded memory */
	size_t min;
	struct block *block;
	size_t count;
	size_t used; /* bytes of the range that blocks occupy */
} skeleton = { .lock = PTHREAD_MUTEX_INITIALIZER, .fd = -1 };

int weft_skeleton_parse(const char *text, int *fd_p, size_t *min_p)
{
	unsigned long long min;
	char *end;
	long fd;

	errno = 0;
	fd = strtol(text, &end, 10);
	if (end == text || *end != ',' || fd < 0 || fd > INT_MAX)
		return -EINVAL;
	text = end + 1;
	min = strtoull(text, &end, 10);
	if (end == text || *end || *text == '-' || errno || !min)
		return -EINVAL;
	*fd_p = (int)fd;
	*min_p = (size_t)min;
	return 0;
}

static void read_once(void)
{
	const char *text = getenv(WEFT_SKELETON_VAR);

	if (skeleton.read)
		return;
	skeleton.read = true;
	if (!text || !*text ||
	    weft_skeleton_parse(text, &skeleton.fd, &skeleton.min))
		skeleton.fd = -1;
}

/* Returns a block of at least `bytes` bytes that is not in use, or NULL. */
static struct block *block_find(size_t bytes)
{
	struct block *list;

	for (size_t i = 0; i < skeleton.count; i++)
		if (!skeleton.block[i].in_use &&
		    skeleton.block[i].bytes >= bytes)
			return &skeleton.block[i];
	if (bytes > WEFT_SKELETON_RANGE - skeleton.used)
		return NULL;
	list = realloc(skeleton.block, (skeleton.count + 1) * sizeof(*list));
	if (!list)
		return NULL;
	skeleton.block = list;
	list += skeleton.count++;
	*list = (struct block){ .base = (char *)(uintptr_t)(WEFT_SKELETON_BASE +
							    skeleton.used),
				.bytes = bytes };
	skeleton.used += bytes;
	return list;
}

/* Maps the file over the block, as often as needed. Returns 0 or -errno. */
static int block_map(const struct block *b, size_t bytes)
{
	for (size_t n, at = 0; at < bytes; at += n) {
		n = bytes - at < WEFT_SKELETON_FILE_BYTES
			    ? bytes - at
			    : WEFT_SKELETON_FILE_BYTES;
		if (mmap(b->base + at, n, PROT_READ | PROT_WRITE,
			 MAP_SHARED | MAP_FIXED_NOREPLACE, skeleton.fd,
			 0) == b->base + at)
			continue;
		n = (size_t)errno;
		munmap(b->base, at);
		return -(int)n;
	}
	return 0;
}

void *weft_skeleton_alloc(size_t bytes, int *err_p)
{
	size_t need = (bytes + GRAIN - 1) & ~(GRAIN - 1);
	struct block *b;
	void *base = NULL;

	*err_p = 0;
	pthread_mutex_lock(&skeleton.lock);
	read_once();
	if (skeleton.fd >= 0 && bytes >= skeleton.min && need >= bytes) {
		b = block_find(need);
		*err_p = b ? block_map(b, need) : -ENOMEM;
		if (!*err_p) {
			b->in_use = true;
			base = b->base;
		}
	}
	pthread_mutex_unlock(&skeleton.lock);
	return base;
}

bool weft_skeleton_free(void *base)
{
	bool found = false;

	if (!weft_skeleton_has((uintptr_t)base))
		return false;
	pthread_mutex_lock(&skeleton.lock);
	for (size_t i = 0; i < skeleton.count && !found; i++) {
		struct block *b = &skeleton.block[i];

		if (b->base != base || !b->in_use)
			continue;
		munmap(b->base, b->bytes);
		b->in_use = false;
		found = true;
	}
	pthread_mutex_unlock(&skeleton.lock);
	return found;
}

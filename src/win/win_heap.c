/* SPDX-License-Identifier: BSD-3-Clause */
/* Memory of MPI_Alloc_mem that other processes can map; see win_heap.h. */
#include "src/win/win_heap.h"

#include "src/base/region.h"
#include "src/core/core_lock.h"
#include "src/core/core_state.h"
#include "src/win/win.h"
#include "src/win/win_blocks.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

/* blocks of MPI_Alloc_mem, protected by the core lock */
static struct win_blocks blocks;

/* ---- memory of this process ---------------------------------------------- */

/*
 * Returns whether a request is served by shared blocks. Requests larger than
 * the host's memory are left to malloc, which refuses them.
 */
static bool is_shareable(size_t bytes)
{
	const struct weft_core *c = &weft_core;
	size_t pages = (size_t)sysconf(_SC_PHYS_PAGES);

	return bytes && !c->traits.network_windows && c->job.local &&
	       c->job.local_size > 1 &&
	       bytes / (size_t)sysconf(_SC_PAGESIZE) < pages;
}

void *weft_win_heap_alloc(size_t bytes)
{
	void *base = NULL;

	weft_lock();
	if (bytes)
		base = win_blocks_take(&blocks, bytes);
	if (!base && is_shareable(bytes))
		base = win_blocks_make(&blocks, bytes);
	weft_unlock();
	return base;
}

bool weft_win_heap_free(void *base)
{
	bool found;

	weft_lock();
	found = win_blocks_give(&blocks, base);
	weft_unlock();
	return found;
}

void weft_win_heap_trim(void)
{
	weft_lock();
	win_blocks_trim(&blocks);
	weft_unlock();
}

struct win_heap_place win_heap_place(const struct weft_region *r)
{
	struct win_heap_place p = { .pid = getpid(), .fd = -1 };
	struct stat st;

	if (!fstat(r->fd, &st)) {
		p.fd = r->fd;
		p.inode = st.st_ino;
	}
	return p;
}

struct win_heap_place win_heap_find(const void *base, size_t bytes)
{
	struct win_heap_place p = { .pid = getpid(), .fd = -1 };
	const struct weft_region *r;

	weft_lock();
	r = win_blocks_find(&blocks, base, bytes);
	if (r) {
		p = win_heap_place(r);
		p.offset = (uintptr_t)base - (uintptr_t)r->base;
	}
	weft_unlock();
	return p;
}

/* ---- memory of other members --------------------------------------------- */

static int map_fd(int fd, const struct win_heap_place *p, size_t bytes,
		  struct win_heap_map *m, char **mem_p)
{
	size_t skip = p->offset % (size_t)sysconf(_SC_PAGESIZE);
	struct stat st;

	if (fstat(fd, &st))
		return -errno;
	if (st.st_ino != p->inode)
		return -EINVAL;
	m->bytes = skip + bytes;
	m->base = weft_region_window(fd, p->offset - skip, m->bytes);
	if (!m->base)
		return -errno;
	*mem_p = (char *)m->base + skip;
	return 0;
}

int win_heap_map(const struct win_heap_place *p, size_t bytes,
		 struct win_heap_map *m, char **mem_p)
{
	int fd = weft_region_open_remote_fd((pid_t)p->pid, p->fd), rc;

	if (fd < 0)
		return fd;
	rc = map_fd(fd, p, bytes, m, mem_p);
	close(fd);
	return rc;
}

void win_heap_unmap(struct win_heap_map *all, int n)
{
	for (int i = 0; all && i < n; i++)
		if (all[i].base)
			weft_region_window_close(all[i].base, all[i].bytes);
	free(all);
}

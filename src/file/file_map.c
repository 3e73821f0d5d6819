/* SPDX-License-Identifier: BSD-3-Clause */
/* Accesses of a file through a mapping (file_map.h). */
#include "src/file/file_map.h"

#include "src/core/core_state.h"
#include "src/os/guard.h"

#include <errno.h>
#include <linux/magic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

/*
 * Length of the mapping, bytes. A mapping may be longer than its file, so it
 * never moves while threads use it; larger offsets are not mapped.
 */
#define SPAN ((uint64_t)64 << 30)

struct file_map {
	weft_au64 base; /* address of the mapping, NOT_TRIED or IMPOSSIBLE */
	/*
	 * 1: the file was written through the mapping since its last time stamp
	 */
	weft_au32 dirty;
};
enum { NOT_TRIED, IMPOSSIBLE };

int file_map_open(struct weft_file *f)
{
	f->map = calloc(1, sizeof(*f->map));
	return f->map ? 0 : -ENOMEM;
}

void file_map_close(struct weft_file *f)
{
	uint64_t base = f->map ? weft_load64(&f->map->base) : NOT_TRIED;

	if (base > IMPOSSIBLE)
		munmap((void *)(uintptr_t)base, SPAN);
	free(f->map);
	f->map = NULL;
}

/*
 * Returns whether a mapping is faster than read and write calls, and has the
 * same effect.
 */
static bool is_suitable(const struct weft_file *f)
{
	struct statfs fs;

	/*
	 * the model of virtual time counts calls; with one process a mapping is
	 * not faster
	 */
	return sizeof(size_t) == 8 && f->seekable && f->comm->size > 1 &&
	       !weft_core.backend->file_time && !(f->amode & MPI_MODE_WRONLY) &&
	       !fstatfs(f->fd, &fs) && fs.f_type == TMPFS_MAGIC;
}

/* Maps the file. Returns the address, or IMPOSSIBLE. */
static uint64_t map_file(const struct weft_file *f)
{
	int prot = PROT_READ | (f->amode & MPI_MODE_RDONLY ? 0 : PROT_WRITE);
	uint64_t base = IMPOSSIBLE, before = NOT_TRIED;
	void *addr = MAP_FAILED;

	if (is_suitable(f))
		addr = mmap(NULL, SPAN, prot, MAP_SHARED | MAP_NORESERVE, f->fd,
			    0);
	if (addr != MAP_FAILED) {
		madvise(addr, SPAN, MADV_DONTDUMP);
		base = (uintptr_t)addr;
	}
	if (weft_cas64(&f->map->base, &before, base))
		return base;
	/* another thread has mapped the file */
	if (addr != MAP_FAILED)
		munmap(addr, SPAN);
	return before;
}

bool file_map_holds(const struct weft_file *f, bool write, MPI_Offset end)
{
	uint64_t base = weft_load64(&f->map->base);
	struct stat st;

	if (base == NOT_TRIED)
		base = map_file(f);
	if (base == IMPOSSIBLE || (uint64_t)end > SPAN || fstat(f->fd, &st))
		return false;
	return end <= st.st_size &&
	       (!write || st.st_blocks >= (st.st_size + 511) / 512);
}

struct map_copy {
	const struct iovec *mem, *at; /* lists with the same total length */
	int k;			      /* number of pieces of the file */
	bool write;
};

static void copy_pieces(void *arg)
{
	const struct map_copy *c = arg;
	const struct iovec *mem = c->mem;
	size_t pos = 0; /* in *mem */

	for (int i = 0; i < c->k; i++)
		for (size_t done = 0, len; done < c->at[i].iov_len;
		     done += len) {
			char *file = (char *)c->at[i].iov_base + done;
			char *own;

			for (; pos == mem->iov_len; pos = 0)
				mem++;
			own = (char *)mem->iov_base + pos;
			len = c->at[i].iov_len - done;
			if (len > mem->iov_len - pos)
				len = mem->iov_len - pos;
			memcpy(c->write ? file : own, c->write ? own : file,
			       len);
			pos += len;
		}
}

/*
 * Copies with memcpy() under a guard. Returns false after a fault, or if no
 * guard is possible.
 */
static bool copy_guarded(const struct iovec *mem, struct iovec *at, int k,
			 bool write)
{
	struct map_copy c = { .mem = mem, .at = at, .k = k, .write = write };

	return weft_guard_works() && !weft_guard_quiet(copy_pieces, &c);
}

ssize_t file_map_move(const struct weft_file *f, bool write,
		      const struct iovec *mem, int n, struct iovec *at, int k)
{
	uint64_t base = weft_load64(&f->map->base);
	size_t bytes = 0;
	ssize_t moved;

	for (int i = 0; i < k; i++) {
		at[i].iov_base =
			(char *)(uintptr_t)base + (uintptr_t)at[i].iov_base;
		bytes += at[i].iov_len;
	}
	if (write)
		weft_store32(&f->map->dirty, 1);
	if (copy_guarded(mem, at, k, write))
		return (ssize_t)bytes;
	moved = write ? process_vm_writev(getpid(), mem, (unsigned long)n, at,
					  (unsigned long)k, 0)
		      : process_vm_readv(getpid(), mem, (unsigned long)n, at,
					 (unsigned long)k, 0);
	return moved > 0 ? moved : -1;
}

void file_map_stamp(const struct weft_file *f)
{
	/* an error is harmless: the file keeps its older time */
	if (f->map && weft_swap32(&f->map->dirty, 0))
		(void)!futimens(f->fd, NULL);
}

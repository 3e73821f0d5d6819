/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Memory of MPI_Alloc_mem. If other processes of the job run on this host, the
 * memory is in shared blocks (win_blocks.h), which the members of a window map,
 * so that MPI_Win_create is as fast as MPI_Win_allocate. Each block needs a
 * descriptor, so the number of blocks is limited; later requests get private
 * memory.
 */
#ifndef WEFT_WIN_HEAP_H
#define WEFT_WIN_HEAP_H

#include "src/base/region.h"

#include <stddef.h>
#include <stdint.h>

/* Location of memory for other processes; fd -1: it cannot be mapped. */
struct win_heap_place {
	int64_t pid;
	uint64_t inode;	 /* inode of the file of fd */
	uint64_t offset; /* offset of the memory in the file, bytes */
	int32_t fd;
	/* 1: attached device memory, which only its process accesses */
	uint32_t device;
};

struct win_heap_place win_heap_find(const void *base, size_t bytes);
/* Returns the location of a region's first byte. */
struct win_heap_place win_heap_place(const struct weft_region *r);

/* Mapping of another process's memory in this process. */
struct win_heap_map {
	void *base;
	size_t bytes;
};

/*
 * Maps memory of another process; `bytes` is not 0. *mem_p: address of the
 * first byte. Returns 0 or -errno.
 */
int win_heap_map(const struct win_heap_place *p, size_t bytes,
		 struct win_heap_map *m, char **mem_p);
/*
 * Unmaps the memory of n members and frees the array; entries that are all
 * zeroes are skipped.
 */
void win_heap_unmap(struct win_heap_map *all, int n);

#endif

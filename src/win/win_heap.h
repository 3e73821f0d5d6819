/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Memory of MPI_Alloc_mem. Where other processes of the job are on this host it
 * is in shared blocks (win_blocks.h), which members of a window over it map:
 * MPI_Win_create is then as fast as MPI_Win_allocate. Each block takes a
 * descriptor, so there are few; later requests get memory of the C library.
 */
#ifndef WEFT_WIN_HEAP_H
#define WEFT_WIN_HEAP_H

#include <stddef.h>
#include <stdint.h>

/* Where other processes find memory of this one; fd -1: not mappable. */
struct win_heap_place {
	int64_t pid;
	uint64_t inode; /* of the file behind fd */
	uint64_t at;
	int32_t fd;
	int32_t zero;
};

struct win_heap_place win_heap_find(const void *base, size_t bytes);

/* Memory of another process as mapped here. */
struct win_heap_map {
	void *base;
	size_t bytes;
};

/* *mem_p: address of the first byte; bytes is not 0. 0 or -errno. */
int win_heap_map(const struct win_heap_place *p, size_t bytes,
		 struct win_heap_map *m, char **mem_p);
/*
 * Unmaps the memory of n members and frees the array; entries of zeroes are not
 * mapped.
 */
void win_heap_unmap(struct win_heap_map *all, int n);

#endif

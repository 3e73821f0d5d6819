/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Blocks of shared memory for MPI_Alloc_mem (win_heap.c): each is a separate
 * region (src/base/region.h), a memfd of whole pages. A free list keeps a few
 * freed blocks, since creating a memfd takes 10 us. The caller holds a lock.
 *
 *   win_blocks_take or win_blocks_make -> win_blocks_find -> win_blocks_give
 *
 * A freed block is returned to the system instead of the free list if another
 * process may have it mapped: win_blocks_find() has returned its descriptor, or
 * this process has called fork() while the block was in use. So a process that
 * still has an old mapping cannot access a block of a later caller.
 */
#ifndef WEFT_WIN_BLOCKS_H
#define WEFT_WIN_BLOCKS_H

#include "src/base/region.h"

#include <stdbool.h>
#include <stdint.h>

/* maximum number of blocks, used and free; each needs a descriptor */
#define WIN_BLOCKS	 64
#define WIN_BLOCKS_KEPT	 8 /* maximum number of blocks on the free list */
/* maximum total size of the free list, bytes */
#define WIN_KEPT_BYTES	 (8u << 20)
/* maximum size of one block on the free list, bytes */
#define WIN_KEPT_LARGEST (4u << 20)

struct win_block {
	/* memory of the block; base NULL: unused entry */
	struct weft_region region;
	/* fork() count of this process when the block was allocated */
	uint32_t forks;
	bool used;    /* false: the block is on the free list */
	bool reached; /* the descriptor was given to other processes */
};

/* All blocks of this process; all zeroes: none. */
struct win_blocks {
	struct win_block block[WIN_BLOCKS];
	size_t kept_bytes;
	unsigned kept_n;
	/* indices of the free blocks, oldest first */
	uint8_t kept[WIN_BLOCKS_KEPT];
};

/* Takes a block from the free list; NULL: none has a suitable size. */
void *win_blocks_take(struct win_blocks *w, size_t bytes);
/*
 * Creates a block, filled with zeroes; NULL: all entries are in use, or no
 * memory or descriptor is available.
 */
void *win_blocks_make(struct win_blocks *w, size_t bytes);
/* Frees the block at `base`. Returns false if there is no such block in use. */
bool win_blocks_give(struct win_blocks *w, void *base);
/*
 * Returns the region of the block in use that contains the bytes, and marks the
 * block as reached by other processes; NULL: there is no such block.
 */
const struct weft_region *win_blocks_find(struct win_blocks *w,
					  const void *start, size_t bytes);
void win_blocks_trim(struct win_blocks *w);

#endif

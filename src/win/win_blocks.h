/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Blocks of shared memory for MPI_Alloc_mem (win_heap.c): each is a region of
 * its own (src/base/region.h), a memfd, of whole pages. A free list keeps a few
 * freed blocks, since making a memfd takes 10 us. The caller holds a lock.
 *
 *   win_blocks_take or win_blocks_make -> win_blocks_find -> win_blocks_give
 *
 * A block goes back to the system, not to the free list, when another process
 * may have it mapped: win_blocks_find() has reported its descriptor, or this
 * process has called fork() while the block was in use. So a process that
 * keeps such a mapping never reads or writes the block of a later caller.
 */
#ifndef WEFT_WIN_BLOCKS_H
#define WEFT_WIN_BLOCKS_H

#include "src/base/region.h"

#include <stdbool.h>
#include <stdint.h>

#define WIN_BLOCKS	 64 /* in use and kept; each takes a descriptor */
#define WIN_BLOCKS_KEPT	 8  /* of them on the free list, at most */
#define WIN_KEPT_BYTES	 (8u << 20) /* of all blocks on the free list */
#define WIN_KEPT_LARGEST (4u << 20) /* bytes of one of them */

struct win_block {
	struct weft_region region; /* base NULL: none */
	uint32_t forks;		   /* of this process when it was taken */
	bool used;		   /* false: on the free list */
	bool reached;		   /* its descriptor was reported */
};

/* All zeroes: empty. */
struct win_blocks {
	struct win_block block[WIN_BLOCKS];
	size_t kept_bytes;
	unsigned kept_n;
	uint8_t kept[WIN_BLOCKS_KEPT]; /* indices, the oldest first */
};

/* From the free list; NULL: no block there has a fitting size. */
void *win_blocks_take(struct win_blocks *w, size_t bytes);
/* A new block of zeroes; NULL: all are in use, or no memory, no descriptor. */
void *win_blocks_make(struct win_blocks *w, size_t bytes);
/* false: base is not a block in use. */
bool win_blocks_give(struct win_blocks *w, void *base);
/* The block in use that holds the bytes, which counts as reached from now on;
 * NULL: none. */
const struct weft_region *win_blocks_find(struct win_blocks *w,
					  const void *start, size_t bytes);
/* Empties the free list. */
void win_blocks_trim(struct win_blocks *w);

#endif

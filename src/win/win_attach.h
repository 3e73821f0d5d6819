/* SPDX-License-Identifier: BSD-3-Clause */
/* What is attached to a dynamic window, here and elsewhere. */
#ifndef WEFT_WIN_ATTACH_H
#define WEFT_WIN_ATTACH_H

#include "src/win/win.h"

/* An address of a target as fi_* knows it, and how far the attachment goes. */
struct win_attach_place {
	uint64_t addr;
	uint64_t key;
	uint64_t bytes;
	uint32_t slot; /* in the target's list */
};

/* Before an access: the target's list is as it is now. */
int win_attach_learn(struct weft_win *w, int target);

/* 0, or MPI_ERR_RMA_RANGE: nothing is attached there. */
int win_attach_find(struct weft_win *w, int target, uint64_t start,
		    struct win_attach_place *p);

/* Is this memory of mine attached, in one piece or several? */
bool win_attach_has(const struct weft_win *w, uint64_t start, uint64_t bytes);

/* Forgets what is attached still. */
void win_attach_clear(struct weft_win *w);

/* A region of my memory for all others; *mr_p NULL: nothing to register. */
int win_mr_open(const struct weft_win *w, void *base, size_t bytes,
		struct fid_mr **mr_p, uint64_t *key_p);
void win_mr_close(struct fid_mr *mr);

#endif

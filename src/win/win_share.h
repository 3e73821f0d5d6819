/* SPDX-License-Identifier: BSD-3-Clause */
/* The region that members on one host share: the page, and allocated memory. */
#ifndef WEFT_WIN_SHARE_H
#define WEFT_WIN_SHARE_H

#include "src/win/win.h"
#include "src/win/win_layout.h"

/* Do all members run on my host? */
bool win_share_is_near(const struct weft_comm *c);

/*
 * Collective: rank 0 makes a region with a page and bytes of memory behind it,
 * the others map it. mine: where my part of the memory begins, and its length,
 * so that room for it is there before anybody touches it. 0, or -errno that all
 * members get alike.
 */
struct win_share_part {
	uint64_t at;
	uint64_t bytes;
};
int win_share_open(struct weft_win *w, uint64_t bytes,
		   struct win_share_part mine);
void win_share_close(struct weft_win *w);

/* Everybody's result; the first failure, or 0. */
int win_share_agree(struct weft_win *w, int rc);

static inline struct win_page *win_share_page(const struct weft_win *w)
{
	return w->region.base;
}

#endif

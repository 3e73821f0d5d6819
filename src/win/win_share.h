/* SPDX-License-Identifier: BSD-3-Clause */
/* Region that members on one host share: the page and allocated memory. */
#ifndef WEFT_WIN_SHARE_H
#define WEFT_WIN_SHARE_H

#include "src/win/win.h"
#include "src/win/win_layout.h"

/*
 * win_share_open() is collective: rank 0 creates a region with a page, followed
 * by `bytes` bytes of memory; the other members map the region. mine: this
 * member's part of the memory, which is allocated immediately. Returns 0 or
 * -errno, the same on all members.
 */
struct win_share_part {
	uint64_t offset; /* offset from the end of the page, bytes */
	uint64_t bytes;
};
int win_share_open(struct weft_win *w, uint64_t bytes,
		   struct win_share_part mine);
void win_share_close(struct weft_win *w);

/*
 * A window that allocates no memory may use the kept page of a freed window
 * (win_kept.h). win_share_offer() finds such a page, maps it as the region of
 * w, and returns its token; 0: none. All members offer the same token, or the
 * caller closes the region.
 */
uint64_t win_share_offer(struct weft_win *w);
/* Keeps the page of a window that all members free. */
void win_share_keep(struct weft_win *w);

/* Returns the first failure of any member, or 0; collective. */
int win_share_agree(struct weft_win *w, int rc);

static inline struct win_page *win_share_page(const struct weft_win *w)
{
	return w->region.base;
}

#endif

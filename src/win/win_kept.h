/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Shared pages of freed windows, kept for the next window with the same members
 * and layout: creating, mapping and touching a new region takes 30 us. Every
 * member keeps its own mapping. A page is used again only if all members offer
 * the same token (win_open.c).
 *
 *   win_kept_give -> win_kept_take
 *
 * The caller holds a lock.
 */
#ifndef WEFT_WIN_KEPT_H
#define WEFT_WIN_KEPT_H

#include "src/base/region.h"

#include <stdbool.h>
#include <stdint.h>

#define WIN_KEPT_PAGES 4 /* maximum number of pages that are kept */

/* Properties of a window on which the layout of its page depends. */
struct win_kept_key {
	const int *proc; /* processes of the members, in the order of ranks */
	int n;
	bool dynamic;
	bool lockless;
};

struct win_kept_page {
	struct win_kept_key key; /* proc: a copy; NULL: unused entry */
	struct weft_region region;
	uint64_t token;
	uint64_t given; /* number of the win_kept_give() that stored the page */
};

/* All kept pages of this process; all zeroes: none. */
struct win_kept {
	struct win_kept_page page[WIN_KEPT_PAGES];
	uint64_t gives;
};

/*
 * Removes the most recently kept page with this key. Returns its token and sets
 * *region_p; 0: there is no such page.
 */
uint64_t win_kept_take(struct win_kept *k, const struct win_kept_key *key,
		       struct weft_region *region_p);
/*
 * Keeps a page. If there is no free entry, closes the page that has been kept
 * longest.
 */
void win_kept_give(struct win_kept *k, const struct win_kept_key *key,
		   uint64_t token, struct weft_region *region);
/* Closes all pages. */
void win_kept_trim(struct win_kept *k);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Memory of MPI_Alloc_mem that members on this host have attached to a dynamic
 * window, mapped at its first use. What is detached is unmapped when something
 * else of that member is mapped, or with the window.
 */
#ifndef WEFT_WIN_NEAR_H
#define WEFT_WIN_NEAR_H

#include "src/win/win.h"

/* So many bytes of a target from an address of its on, as they lie here; NULL:
 * they are not all in one attachment that can be mapped. */
char *win_near_find(struct weft_win *w, int target, uint64_t start,
		    uint64_t bytes);

/* Unmaps all. */
void win_near_close(struct weft_win *w);

#endif

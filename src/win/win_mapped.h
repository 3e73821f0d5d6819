/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Memory of MPI_Alloc_mem that members on this host have attached to a dynamic
 * window, mapped at its first use. Detached memory is unmapped when other
 * memory of that member is mapped, or with the window.
 */
#ifndef WEFT_WIN_MAPPED_H
#define WEFT_WIN_MAPPED_H

#include "src/win/win.h"

/*
 * The mapping of bytes bytes of a target from its address start on; NULL: not
 * all of them are in one attachment that can be mapped.
 */
char *win_mapped_find(struct weft_win *w, int target, uint64_t start,
		      uint64_t bytes);

/* Unmaps all. */
void win_mapped_close(struct weft_win *w);

#endif

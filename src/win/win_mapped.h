/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Memory of MPI_Alloc_mem that members on this host have attached to a dynamic
 * window, mapped at the first access. Detached memory is unmapped when other
 * memory of that member is mapped, or when the window is freed.
 */
#ifndef WEFT_WIN_MAPPED_H
#define WEFT_WIN_MAPPED_H

#include "src/win/win.h"

/*
 * Translates `start`, an address in the target's process, to the address of the
 * mapping in this process, valid for `bytes` bytes. NULL: the range is not in
 * one attachment that can be mapped.
 */
char *win_mapped_find(struct weft_win *w, int target, uint64_t start,
		      uint64_t bytes);

void win_mapped_close(struct weft_win *w);

#endif

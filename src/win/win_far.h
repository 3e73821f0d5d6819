/* SPDX-License-Identifier: BSD-3-Clause */
/* A member's page that others access by fi_*, where none is shared. */
#ifndef WEFT_WIN_FAR_H
#define WEFT_WIN_FAR_H

#include "src/win/win.h"

/*
 * Creates the own page; *key_p: its key for others. Nothing without remote
 * memory access.
 */
int win_far_open(struct weft_win *w, uint64_t *key_p);
void win_far_close(struct weft_win *w);

/*
 * Are locks in these pages, changed by fi_atomic? Otherwise they are requested
 * by messages.
 */
bool win_far_locks(const struct weft_win *w);

/* The lock of a target, with the rules of win_gate.h. 0 or -errno. */
int win_far_enter(struct weft_win *w, int target, bool alone);
int win_far_leave(struct weft_win *w, int target, bool alone);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/* A member's page that others access by fi_*, where none is shared. */
#ifndef WEFT_WIN_REMOTE_H
#define WEFT_WIN_REMOTE_H

#include "src/win/win.h"

/*
 * Creates the own page; *key_p: its key for others. Nothing without remote
 * memory access.
 */
int win_remote_open(struct weft_win *w, uint64_t *key_p);
void win_remote_close(struct weft_win *w);

/*
 * Are locks in these pages, changed by fi_atomic? Otherwise they are requested
 * by messages.
 */
bool win_remote_has_locks(const struct weft_win *w);

/* The lock of a target, with the rules of win_rwlock.h. 0 or -errno. */
int win_remote_lock(struct weft_win *w, int target, bool alone);
int win_remote_unlock(struct weft_win *w, int target, bool alone);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Synchronization page of a member for fi_* access by members that do not share
 * memory with it.
 */
#ifndef WEFT_WIN_REMOTE_H
#define WEFT_WIN_REMOTE_H

#include "src/win/win.h"

/*
 * Creates this rank's page; *key_p: key of the page for other members. Does
 * nothing if the provider has no remote memory access. Returns 0 or -errno.
 */
int win_remote_open(struct weft_win *w, uint64_t *key_p);
void win_remote_close(struct weft_win *w);

/*
 * Returns whether locks are in the synchronization pages and are changed by
 * fi_atomic. Otherwise locks are requested by messages.
 */
bool win_remote_has_locks(const struct weft_win *w);

/*
 * Acquire and release a target's lock, which is granted in the order of
 * requests. Return 0 or -errno.
 */
int win_remote_lock(struct weft_win *w, int target, bool exclusive);
int win_remote_unlock(struct weft_win *w, int target, bool exclusive);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/* A member's page that others reach by fi_*, where none is shared. */
#ifndef WEFT_WIN_FAR_H
#define WEFT_WIN_FAR_H

#include "src/win/win.h"

/* Mine; *key_p: for others. Nothing without remote memory. */
int win_far_open(struct weft_win *w, uint64_t *key_p);
void win_far_close(struct weft_win *w);

/* Do locks lie there, in reach of fi_atomic? Else messages ask for them. */
bool win_far_locks(const struct weft_win *w);

/* The lock of a target, as win_gate.h has it in shared memory. 0 or -errno. */
int win_far_enter(struct weft_win *w, int target, bool alone);
int win_far_leave(struct weft_win *w, int target, bool alone);

#endif

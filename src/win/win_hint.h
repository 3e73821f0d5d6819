/* SPDX-License-Identifier: BSD-3-Clause */
/* Info keys of a window, and their effects. */
#ifndef WEFT_WIN_HINT_H
#define WEFT_WIN_HINT_H

#include "src/win/win.h"

/*
 * Sets the defaults, then the hints of info (may be NULL). Returns 0 or -errno.
 */
int win_hint_open(struct weft_win *w, struct weft_info *info);
/* Returns whether this value is in effect. */
bool win_hint_is(const struct weft_win *w, const char *key, const char *val);
/*
 * Sets the value that all members use, if they requested different values.
 * Returns 0 or -ENOMEM.
 */
int win_hint_settle(struct weft_win *w, const char *key, const char *val);

#endif

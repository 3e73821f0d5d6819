/* SPDX-License-Identifier: BSD-3-Clause */
/* What a window is told by info keys, and what it makes of them. */
#ifndef WEFT_WIN_HINT_H
#define WEFT_WIN_HINT_H

#include "src/win/win.h"

/* What holds when nobody says anything, and what info (may be NULL) says. */
int win_hint_open(struct weft_win *w, struct weft_info *info);
/* Does the window go by this value? */
bool win_hint_is(const struct weft_win *w, const char *key, const char *val);
/* Not all members said the same: it goes by this one. */
int win_hint_settle(struct weft_win *w, const char *key, const char *val);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/* A member as the target of messages, and the origin of answers. */
#ifndef WEFT_WIN_SERVE_H
#define WEFT_WIN_SERVE_H

#include "src/win/win_am.h"

/* What the ear hears. */
void win_serve(struct weft_win *w, int source, const struct win_am *head,
	       const char *body, size_t bytes);

/* The lock of my own memory, asked for by rank; the lock is held. */
int win_serve_lock(struct weft_win *w, int rank, bool alone);
void win_serve_unlock(struct weft_win *w, int rank);

/* An answer is expected for a piece of op: bytes of old elements to old. 0 or
 * -ENOMEM; the lock is held. */
int win_serve_expect(struct win_op *op, int rank, char *old, size_t bytes,
		     uint32_t *id_p);

/* It will not come: the request was not sent. The lock is held. */
void win_serve_forget(struct weft_win *w, int rank, uint32_t id, int err);

#endif

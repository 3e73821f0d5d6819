/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Synchronization pages of members without a shared page, and their locks. A
 * lock is a struct win_rwlock: three counters, which origins change and read by
 * fi_atomic, so the target's processor takes no part. A waiting origin repeats
 * its fetch. These locks are used in virtual time. In live mode the target
 * executes atomics only when it makes progress, so messages, which need no
 * repetition, are faster.
 */
#include "src/win/win_remote.h"

#include "src/core/core_fi.h"
#include "src/msg/msg_progress.h"
#include "src/core/core_state.h"
#include "src/win/win_attach.h"
#include "src/win/win_fabric.h"
#include "src/win/win_layout.h"
#include "src/win/win_op.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Indices of the words of a struct win_rwlock. */
enum { USERS, READ, WRITE, WORDS };
static_assert(offsetof(struct win_rwlock, read) == READ * sizeof(weft_au32) &&
		      offsetof(struct win_rwlock, write) ==
			      WRITE * sizeof(weft_au32),
	      "three consecutive words");

int win_remote_open(struct weft_win *w, uint64_t *key_p)
{
	size_t slots = w->dynamic ? WIN_ATTACHED_MAX : 0;
	size_t bytes = sizeof(*w->remote_page) +
		       slots * sizeof(w->remote_page->slot[0]);

	*key_p = 0;
	if (!w->rma || (w->lockless && !w->dynamic))
		return 0;
	w->remote_page = calloc(1, bytes);
	if (!w->remote_page)
		return -ENOMEM;
	return win_mr_open(w, w->remote_page, bytes, &w->remote_mr, key_p);
}

void win_remote_close(struct weft_win *w)
{
	win_mr_close(w->remote_mr);
	for (int i = 0; w->peer && i < w->size; i++)
		free(w->peer[i].list);
	free(w->remote_page);
	w->remote_page = NULL;
}

bool win_remote_has_locks(const struct weft_win *w)
{
	return w->remote_page && weft_core.traits.network_locks &&
	       w->fabric->ours && (w->fabric->types >> WEFT_NUM_U32 & 1);
}

/* ---- this rank's own lock ------------------------------------------------ */

static weft_au32 *word_of(struct weft_win *w, int i)
{
	weft_au32 *word[WORDS] = { &w->remote_page->lock.users,
				   &w->remote_page->lock.read,
				   &w->remote_page->lock.write };

	return word[i];
}

static int local_acquire(struct weft_win *w, bool exclusive)
{
	weft_au32 *word = word_of(w, exclusive ? WRITE : READ);
	uint32_t me = weft_add32(word_of(w, USERS), 1);

	while (weft_load32(word) != me)
		weft_progress_poll(NULL, 0, false);
	if (!exclusive)
		weft_add32(word_of(w, READ), 1);
	return 0;
}

static int local_release(struct weft_win *w, bool exclusive)
{
	if (exclusive)
		weft_add32(word_of(w, READ), 1);
	weft_add32(word_of(w, WRITE), 1);
	return 0;
}

/* ---- locks of other members ---------------------------------------------- */

static struct win_fi word_fi(const struct weft_win *w, int target, int word)
{
	return (struct win_fi){ .addr = (uint64_t)word * sizeof(weft_au32),
				.len = 1,
				.key = w->peer[target].remote_key,
				.type = FI_UINT32,
				.op = FI_SUM };
}

/* Adds to a word at the target and waits for the old value. */
static int word_fetch(struct weft_win *w, int target, int word, uint32_t add,
		      uint32_t *old_p)
{
	struct win_fi f = word_fi(w, target, word);

	f.kind = WIN_FI_FETCH;
	f.local = &add;
	f.result = old_p;
	return win_fi_execute(w, target, &f);
}

/* Increments a word at the target, without waiting for the result. */
static int word_bump(struct weft_win *w, int target, int word)
{
	struct win_op *op = win_op_open(w, target, false);
	struct win_fi f = word_fi(w, target, word);
	const uint32_t one = 1;

	if (!op)
		return -ENOMEM;
	op->in = malloc(sizeof(one));
	if (!op->in)
		return win_op_start(op, -ENOMEM, NULL);
	memcpy(op->in, &one, sizeof(one));
	f.kind = WIN_FI_ATOMIC;
	f.local = op->in;
	return win_op_start(op, win_fi_post(op, &f), NULL);
}

int win_remote_lock(struct weft_win *w, int target, bool exclusive)
{
	int word = exclusive ? WRITE : READ, rc;
	uint32_t me, seen;

	if (target == w->rank)
		return local_acquire(w, exclusive);
	rc = word_fetch(w, target, USERS, 1, &me);
	do {
		if (!rc)
			rc = word_fetch(w, target, word, 0, &seen);
	} while (!rc && seen != me);
	return rc || exclusive ? rc : word_bump(w, target, READ);
}

int win_remote_unlock(struct weft_win *w, int target, bool exclusive)
{
	int rc = 0;

	if (target == w->rank)
		return local_release(w, exclusive);
	if (exclusive)
		rc = word_bump(w, target, READ);
	return rc ? rc : word_bump(w, target, WRITE);
}

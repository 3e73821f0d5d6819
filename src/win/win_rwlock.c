/* SPDX-License-Identifier: BSD-3-Clause */
/* Locks in shared memory; see win_rwlock.h. */
#include "src/win/win_rwlock.h"

#include "src/msg/msg_pause.h"

static uint32_t bit_of(uint32_t ticket)
{
	return UINT32_C(1) << (ticket & 31);
}

static void admit_next(struct win_rwlock *g, weft_au32 *word)
{
	weft_pause_wake(word, bit_of(weft_pause_event_add(word)), &g->waiters);
}

int win_rwlock_acquire(struct win_rwlock *g, bool exclusive,
		       const struct weft_comm *c)
{
	uint32_t me = weft_add32(&g->users, 1), seen;
	weft_au32 *word = exclusive ? &g->write : &g->read;
	struct weft_pause p;
	int rc = 0;

	/*
	 * A20 pairs with the add in admit_next(): stores of earlier holders are
	 * visible.
	 */
	if (weft_load32(word) != me) {
		p = weft_pause_begin(c);
		while (!rc && (seen = weft_load32(word)) != me)
			rc = weft_pause(&p, word, seen, bit_of(me),
					&g->waiters);
	}
	if (!exclusive)
		admit_next(g, &g->read);
	return rc;
}

void win_rwlock_release(struct win_rwlock *g, bool exclusive)
{
	if (exclusive)
		admit_next(g, &g->read);
	admit_next(g, &g->write);
}

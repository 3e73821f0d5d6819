/* SPDX-License-Identifier: BSD-3-Clause */
/* Locks in shared memory, and waiting for them; see win_rwlock.h. */
#include "src/win/win_rwlock.h"

#include "src/base/futex.h"
#include "src/diag/diag_peer_failure.h"
#include "src/msg/msg_progress.h"
#include "src/core/core_state.h"
#include "src/os/waiter.h"

#include <errno.h>

/* number of futex waits before a check for dead members */
#define DEAD_AFTER 200
#define SPIN_LOADS 64 /* loads of the word between two calls of progress */

static uint32_t bit_of(uint32_t ticket)
{
	return UINT32_C(1) << (ticket & 31);
}

/* ---- waiting ------------------------------------------------------------- */

struct win_pause win_pause_begin(const struct weft_comm *c)
{
	/* with more ranks than cores, the other rank needs this core */
	return (struct win_pause){
		c, weft_core.oversubscribed ? 2 : weft_core.spin, 0
	};
}

/* Spins on the word. Returns false when the word has changed. */
static bool spin_on(const weft_au32 *word, uint32_t seen)
{
	for (int i = 0; i < SPIN_LOADS; i++) {
		if (weft_load32(word) != seen)
			return false;
		weft_relax();
	}
	return true;
}

static void block_on(weft_au32 *word, uint32_t seen, uint32_t bits,
		     weft_au32 *waiters)
{
	/* seq_cst: before the kernel loads the word; see win_wake() */
	atomic_fetch_add_explicit(waiters, 1, memory_order_seq_cst);
	weft_fence_full();
	weft_futex_wait_bits(
		word, seen, bits,
		weft_wait_slice(weft_wait_times[WEFT_WAIT_WINDOW].slice_ns));
	weft_add32(waiters, (uint32_t)-1);
}

int win_pause(struct win_pause *p, weft_au32 *word, uint32_t seen,
	      uint32_t bits, weft_au32 *waiters)
{
	if (weft_progress()) {
		p->blocked = 0;
		return 0;
	}
	if (!spin_on(word, seen))
		return 0;
	if (p->left) {
		p->left--;
		return 0;
	}
	block_on(word, seen, bits, waiters);
	if (++p->blocked < DEAD_AFTER)
		return 0;
	p->blocked = 0;
	return weft_failure_in(p->comm) ? -ECONNRESET : 0;
}

uint32_t win_event_add(weft_au32 *word)
{
	/* seq_cst: before win_wake() loads the number of waiters */
	return atomic_fetch_add_explicit(word, 1, memory_order_seq_cst) + 1;
}

void win_wake(weft_au32 *word, uint32_t bits, weft_au32 *waiters)
{
	/*
	 * seq_cst: after the word has changed; block_on() uses the reverse
	 * order, so that one of the two sees the other
	 */
	if (weft_unlikely(atomic_load_explicit(waiters, memory_order_seq_cst)))
		weft_futex_wake_bits(word, bits);
}

/* ---- the reader-writer lock ---------------------------------------------- */

static void admit_next(struct win_rwlock *g, weft_au32 *word)
{
	win_wake(word, bit_of(win_event_add(word)), &g->waiters);
}

int win_rwlock_acquire(struct win_rwlock *g, bool exclusive,
		       const struct weft_comm *c)
{
	uint32_t me = weft_add32(&g->users, 1), seen;
	weft_au32 *word = exclusive ? &g->write : &g->read;
	struct win_pause p;
	int rc = 0;

	/*
	 * A20 pairs with the add in admit_next(): stores of earlier holders are
	 * visible.
	 */
	if (weft_load32(word) != me) {
		p = win_pause_begin(c);
		while (!rc && (seen = weft_load32(word)) != me)
			rc = win_pause(&p, word, seen, bit_of(me), &g->waiters);
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

/* SPDX-License-Identifier: BSD-3-Clause */
/* Waiting on words in shared memory; see msg_pause.h. */
#include "src/msg/msg_pause.h"

#include "src/base/futex.h"
#include "src/core/core_state.h"
#include "src/diag/diag_peer_failure.h"
#include "src/msg/msg_progress.h"
#include "src/os/waiter.h"

#include <errno.h>

/* number of futex waits before a check for dead members */
#define DEAD_AFTER 200
#define SPIN_LOADS 64 /* loads of the word between two progress passes */

struct weft_pause weft_pause_begin(const struct weft_comm *c)
{
	/* with more ranks than cores, the other rank needs this core */
	return (struct weft_pause){
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
	/* seq_cst: before the kernel loads the word; see weft_pause_wake() */
	atomic_fetch_add_explicit(waiters, 1, memory_order_seq_cst);
	weft_fence_full();
	weft_futex_wait_bits(
		word, seen, bits,
		weft_wait_slice(weft_wait_times[WEFT_WAIT_WINDOW].slice_ns));
	weft_add32(waiters, (uint32_t)-1);
}

int weft_pause(struct weft_pause *p, weft_au32 *word, uint32_t seen,
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

uint32_t weft_pause_event_add(weft_au32 *word)
{
	/* seq_cst: before weft_pause_wake() loads the number of waiters */
	return atomic_fetch_add_explicit(word, 1, memory_order_seq_cst) + 1;
}

void weft_pause_wake(weft_au32 *word, uint32_t bits, weft_au32 *waiters)
{
	/*
	 * seq_cst: after the word has changed; block_on() uses the reverse
	 * order, so that one of the two sees the other
	 */
	if (weft_unlikely(atomic_load_explicit(waiters, memory_order_seq_cst)))
		weft_futex_wake_bits(word, bits);
}

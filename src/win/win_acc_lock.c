/* SPDX-License-Identifier: BSD-3-Clause */
/* The accumulate lock of a target; see win_acc_lock.h. */
#include "src/win/win_acc_lock.h"

#include "src/diag/diag_peer_failure.h"
#include "src/msg/msg_pause.h"

#include <errno.h>
#include <sched.h>

/*
 * polls of a busy word before the first yield: a word is busy only briefly; the
 * explore test sets this number to 0
 */
#ifndef WIN_ACC_SPINS
#define WIN_ACC_SPINS 1000
#endif
/* polls of a busy word between two checks for dead members */
#define DEAD_POLLS 10000

static uint32_t ticket_bit(uint32_t ticket)
{
	return UINT32_C(1) << (ticket & 31);
}

/* Spins, then yields. polls: number of polls until now. */
static void poll_pause(int polls)
{
	weft_relax();
	if (polls > WIN_ACC_SPINS)
		sched_yield();
}

/* Waits until one member no longer updates words of the target `theirs` - 1. */
static int await_word(const weft_au32 *busy, uint32_t theirs,
		      const struct weft_comm *c)
{
	/*
	 * seq_cst: after the ticket of win_acc_lock_acquire(). A31 pairs with
	 * R31 in win_acc_word_end()
	 */
	for (int polls = 1;
	     atomic_load_explicit(busy, memory_order_seq_cst) == theirs;
	     polls++) {
		poll_pause(polls);
		if (polls % DEAD_POLLS == 0 && weft_failure_in(c))
			return -ECONNRESET;
	}
	return 0;
}

static int await_words(int target, const struct win_acc_members *m)
{
	char *at = (char *)m->busy;
	int rc = 0;

	for (int i = 0; !rc && i < m->n; i++, at += m->stride)
		rc = await_word((weft_au32 *)(void *)at, (uint32_t)target + 1,
				m->comm);
	return rc;
}

int win_acc_lock_acquire(struct win_acc_lock *g, int target,
			 const struct win_acc_members *m)
{
	/* seq_cst: before the busy words are loaded */
	uint32_t me =
		atomic_fetch_add_explicit(&g->users, 1, memory_order_seq_cst);
	struct weft_pause p;
	uint32_t seen;
	int rc = 0;

	/* A30 pairs with the add of win_acc_lock_release() */
	if (weft_load32(&g->now) != me) {
		p = weft_pause_begin(m->comm);
		while (!rc && (seen = weft_load32(&g->now)) != me)
			rc = weft_pause(&p, &g->now, seen, ticket_bit(me),
					&g->waiters);
	}
	return rc ? rc : await_words(target, m);
}

void win_acc_lock_release(struct win_acc_lock *g)
{
	weft_pause_wake(&g->now, ticket_bit(weft_pause_event_add(&g->now)),
			&g->waiters);
}

void win_acc_word_claim(weft_au32 *busy, uint32_t mine)
{
	uint32_t none = 0;

	/* seq_cst: before the lock is loaded */
	for (int polls = 1; !atomic_compare_exchange_strong_explicit(
		     busy, &none, mine, memory_order_seq_cst,
		     memory_order_relaxed);
	     polls++) {
		none = 0;
		poll_pause(polls);
	}
}

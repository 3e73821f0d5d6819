/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The accumulate lock of a target, in shared memory. Two kinds of updates
 * exclude each other:
 *
 *   long changes   plain loops over many elements. The origin holds the lock,
 *                  which is granted in the order of requests.
 *   word changes   few elements, each by an atomic instruction. They do not
 *                  exclude each other, and do not write to the lock: the origin
 *                  stores the target in its own word `busy`, then checks that
 *                  the lock is free.
 *
 *   word change                       long change
 *     busy = target + 1   (seq_cst)     ticket = users++         (seq_cst)
 *     users == now?       (seq_cst)     wait for now == ticket
 *       no: busy = 0, lock instead      wait for busy != target + 1
 *     atomic instruction                  of every member        (seq_cst)
 *     busy = 0            (release)     plain loop
 *                                       now++
 *
 * In the order of the seq_cst operations either the word change sees the ticket
 * or the long change sees the busy word.
 */
#ifndef WEFT_WIN_ACC_LOCK_H
#define WEFT_WIN_ACC_LOCK_H

#include "src/win/win_layout.h"

struct weft_comm;

/* The members of a window and their busy words. */
struct win_acc_members {
	weft_au32 *busy; /* busy word of member 0 */
	size_t stride;	 /* distance between two busy words, bytes */
	int n;		 /* number of busy words; 0: no word changes */
	const struct weft_comm *comm;
};

/*
 * Acquire and release the lock for a long change. win_acc_lock_acquire()
 * returns 0, or -ECONNRESET: a member has died.
 */
int win_acc_lock_acquire(struct win_acc_lock *g, int target,
			 const struct win_acc_members *m);
void win_acc_lock_release(struct win_acc_lock *g);

/*
 * Stores `mine` in this process's busy word as soon as no other thread of the
 * process uses the word.
 */
void win_acc_word_claim(weft_au32 *busy, uint32_t mine);

/*
 * Begin and end a word change; busy: this process's busy word; threads: other
 * threads of this process may change words, too. Returns false if the lock is
 * held: the change needs the lock.
 */
static inline bool win_acc_word_begin(const struct win_acc_lock *g,
				      weft_au32 *busy, int target, bool threads)
{
	uint32_t mine = (uint32_t)target + 1, users;

	if (threads)
		win_acc_word_claim(busy, mine);
	else
		atomic_store_explicit(busy, mine, memory_order_seq_cst);
	/*
	 * The tickets are loaded before `now`: a lock that is requested between
	 * the two loads waits for the busy word.
	 */
	users = atomic_load_explicit(&g->users, memory_order_seq_cst);
	/* A30 pairs with the add of win_acc_lock_release() */
	if (__builtin_expect(users == weft_load32(&g->now), 1))
		return true;
	weft_store32(busy, 0);
	return false;
}

static inline void win_acc_word_end(weft_au32 *busy)
{
	weft_store32(busy, 0); /* R31 pairs with A31 in await_word() */
}

#endif

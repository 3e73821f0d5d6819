/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A lock in shared memory, for one or for those who share it, in the order of
 * asking: whoever comes takes a ticket and enters when it is called.
 *
 *   alone:  enters at write == ticket, leaves by ++read, ++write
 *   shares: enters at read == ticket, calls the next by ++read at once,
 *           leaves by ++write
 *
 * So readers that stand side by side enter together, and a writer waits for
 * those before it alone: nobody is passed by. Whoever waits makes progress,
 * and sleeps after a while, at most a millisecond at a time.
 */
#ifndef WEFT_WIN_GATE_H
#define WEFT_WIN_GATE_H

#include "src/win/win_layout.h"

struct weft_comm;

/* 0; -ECONNRESET: a member of c, who share it, has died. */
int win_gate_enter(struct win_gate *g, bool alone, const struct weft_comm *c);
void win_gate_leave(struct win_gate *g, bool alone);

/*
 * Waiting for a word of shared memory to change; the caller looks at what it
 * waits for:
 *
 *   struct win_pause p = win_pause_begin(comm);
 *   while ((seen = weft_load32(word)), !condition)
 *           rc = win_pause(&p, word, seen, WIN_ANY, sleepers);
 */
struct win_pause {
	const struct weft_comm *comm; /* who may change it */
	unsigned left;		      /* turns before sleeping */
	unsigned sleeps;	      /* in a row */
};

#define WIN_ANY UINT32_MAX

struct win_pause win_pause_begin(const struct weft_comm *c);
/* bits: which wakes are for me. 0 or -ECONNRESET. */
int win_pause(struct win_pause *p, weft_au32 *word, uint32_t seen,
	      uint32_t bits, weft_au32 *sleepers);
/* Adds one to a word, and then wakes who sleeps on it: the new value. */
uint32_t win_bump(weft_au32 *word);
void win_wake(weft_au32 *word, uint32_t bits, weft_au32 *sleepers);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Fast path of weft_win_acc() for one word of mapped memory. Inline, because a
 * fetch-and-add is little more than one instruction.
 */
#ifndef WEFT_WIN_WORD_H
#define WEFT_WIN_WORD_H

#include "src/core/core_lock.h"
#include "src/win/win.h"
#include "src/win/win_acc_lock.h"

#include <string.h>

/*
 * Begin and end changes by atomic instructions. weft_win_words_begin() returns
 * false if another member holds the target's accumulate lock.
 */
static inline bool weft_win_words_begin(struct weft_win *w, int rank)
{
	return !w->busy || win_acc_word_begin(&win_record(w->page, rank)->acc,
					      w->busy, rank, weft_threads);
}

static inline void weft_win_words_end(struct weft_win *w)
{
	if (w->busy)
		win_acc_word_end(w->busy);
}

/*
 * weft_win_word_by_unit() changes one word of mapped memory, at address `at` in
 * this process, by the machine's interface (win_unit.h). compare NULL: not a
 * compare and swap. Returns 0; 1: the interface has no such atomic; -errno. The
 * caller has excluded long changes (weft_win_words_begin()).
 */
struct weft_win_word_call {
	int rank;
	MPI_Aint disp;
	const struct weft_dt *dt;
	const struct weft_op *op;
	const void *in;
	const void *compare;
	void *result;
	char *at;
};
int weft_win_word_by_unit(struct weft_win *w,
			  const struct weft_win_word_call *c);

/*
 * Returns the address of a word in a window with mapped words: an aligned
 * integer of 4 or 8 bytes at a target with an open epoch. NULL: use
 * weft_win_acc().
 */
static inline char *weft_win_word_at(const struct weft_win *w, int rank,
				     MPI_Aint disp, const struct weft_dt *dt)
{
	const struct weft_win_peer *p;
	char *at;

	if (weft_unlikely(!dt || !dt->obj.predefined ||
			  (dt->size != 8 && dt->size != 4) ||
			  dt->basic < WEFT_NUM_I32 ||
			  dt->basic > WEFT_NUM_U64 ||
			  (unsigned)rank >= (unsigned)w->size))
		return NULL;
	p = &w->peer[rank];
	if (weft_unlikely(!weft_win_is_open(w, p) ||
			  !weft_win_holds(w, p, disp, 1, dt)))
		return NULL;
	at = p->direct + (uint64_t)disp * p->unit;
	return weft_likely(!((uintptr_t)at & (uintptr_t)(dt->size - 1))) ? at
									 : NULL;
}

/*
 * Same as weft_win_word_at(), but also returns NULL if the machine's interface
 * is used.
 */
static inline char *weft_win_word(const struct weft_win *w, int rank,
				  MPI_Aint disp, const struct weft_dt *dt)
{
	return weft_likely(w && w->inline_words)
		       ? weft_win_word_at(w, rank, disp, dt)
		       : NULL;
}

static inline void weft_win_word_out(void *to, uint64_t old, bool wide)
{
	uint32_t low = (uint32_t)old;

	if (wide)
		memcpy(to, &old, sizeof(old));
	else
		memcpy(to, &low, sizeof(low));
}

static inline uint64_t weft_win_word_in(const void *from, bool wide)
{
	uint64_t v = 0;

	memcpy(&v, from, wide ? sizeof(v) : sizeof(uint32_t));
	return v;
}

/*
 * Applies MPI_SUM or MPI_NO_OP atomically to one word. Returns false, without
 * any effect, for other operations. result may be NULL.
 */
static inline bool weft_win_word_op(char *at, const struct weft_dt *dt,
				    MPI_Op op, const void *in, void *result)
{
	bool wide = dt->size == 8;
	uint64_t old;

	if (op == MPI_SUM && wide)
		old = weft_add64((weft_au64 *)(void *)at,
				 weft_win_word_in(in, true));
	else if (op == MPI_SUM)
		old = weft_add32((weft_au32 *)(void *)at,
				 (uint32_t)weft_win_word_in(in, false));
	else if (op == MPI_NO_OP && wide)
		old = weft_load64((weft_au64 *)(void *)at);
	else if (op == MPI_NO_OP)
		old = weft_load32((weft_au32 *)(void *)at);
	else
		return false;
	if (result)
		weft_win_word_out(result, old, wide);
	return true;
}

static inline void weft_win_word_swap(char *at, const struct weft_dt *dt,
				      const void *in, const void *compare,
				      void *result)
{
	bool wide = dt->size == 8;
	uint64_t is = weft_win_word_in(compare, wide);
	uint32_t low = (uint32_t)is;

	if (wide)
		weft_cas64((weft_au64 *)(void *)at, &is,
			   weft_win_word_in(in, true));
	else
		weft_cas32((weft_au32 *)(void *)at, &low,
			   (uint32_t)weft_win_word_in(in, false));
	weft_win_word_out(result, wide ? is : low, wide);
}

#endif

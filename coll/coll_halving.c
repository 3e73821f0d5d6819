/* SPDX-License-Identifier: BSD-3-Clause */
/* Reduce-scatter by halving and the reverse phase: coll_halving.h. */
#include "coll/coll_halving.h"

/*
 * Returns the half of w that a rank keeps; upper: bit of this step in the
 * rank's folded number.
 */
static struct coll_window half(struct coll_window w, bool upper)
{
	MPI_Count mid = w.lo + (w.hi - w.lo) / 2;
	struct coll_window h = { upper ? mid : w.lo, upper ? w.hi : mid };

	return h;
}

static void win_send(struct coll_prog *p, const void *vec, struct coll_window w,
		     struct weft_dt *dt, int to)
{
	coll_send(p, coll_at(vec, w.lo, dt), w.hi - w.lo, dt, to);
}

static unsigned win_recv(struct coll_prog *p, void *vec, struct coll_window w,
			 struct weft_dt *dt, int from)
{
	return coll_recv(p, coll_at(vec, w.lo, dt), w.hi - w.lo, dt, from);
}

/*
 * Combines the vectors of idle ranks into those of their neighbours. Returns
 * false if this rank is idle.
 */
static bool fold_in(struct coll_prog *p, struct coll_halving *h, void *vec,
		    void *tmp, MPI_Count n)
{
	struct weft_dt *dt = p->op_dt;

	if (p->rank >= 2 * h->fold.extra)
		return true;
	if (h->fold.me < 0) {
		coll_send(p, vec, n, dt, p->rank + 1);
		coll_wait_all(p);
		return false;
	}
	coll_recv_wait(p, tmp, n, dt, p->rank - 1);
	coll_reduce(p, tmp, vec, n);
	return true;
}

/*
 * Executes one step: this rank keeps one half of the window and sends the
 * other. The result is in *acc; *acc and *other are swapped if this rank's
 * vector is the left operand.
 */
static void halve(struct coll_prog *p, struct coll_halving *h, int bit,
		  char **acc, char **other)
{
	struct weft_dt *dt = p->op_dt;
	int peer = coll_fold_rank(&h->fold, h->fold.me ^ bit);
	bool upper = h->fold.me & bit;
	struct coll_window keep = half(h->win[h->steps], upper);
	struct coll_window give = half(h->win[h->steps], !upper);
	char *left = *acc, *in = *other;

	h->win[++h->steps] = keep;
	win_recv(p, in, keep, dt, peer);
	win_send(p, left, give, dt, peer);
	coll_wait_all(p);
	if (upper) {
		coll_reduce(p, coll_at(in, keep.lo, dt),
			    coll_at(left, keep.lo, dt), keep.hi - keep.lo);
		return;
	}
	coll_reduce(p, coll_at(left, keep.lo, dt), coll_at(in, keep.lo, dt),
		    keep.hi - keep.lo);
	*acc = in;
	*other = left;
}

void coll_halving(struct coll_prog *p, struct coll_halving *h, void *vec,
		  MPI_Count n, struct weft_dt *dt)
{
	char *acc = vec, *other = coll_elems(p, n, dt);
	struct coll_window w;
	int bit;

	coll_fold_init(&h->fold, p->size, p->rank);
	h->steps = 0;
	h->win[0] = (struct coll_window){ 0, n };
	if (!fold_in(p, h, vec, other, n))
		return;
	for (bit = 1; bit < h->fold.m; bit <<= 1)
		halve(p, h, bit, &acc, &other);
	w = h->win[h->steps];
	if (acc != vec)
		coll_copy(p, coll_at(acc, w.lo, dt), w.hi - w.lo, dt,
			  coll_at(vec, w.lo, dt), w.hi - w.lo, dt);
}

struct coll_window coll_halving_window(const struct coll_halving *h,
				       MPI_Count n, int number)
{
	struct coll_window w = { 0, n };
	int bit;

	for (bit = 1; bit < h->fold.m; bit <<= 1)
		w = half(w, number & bit);
	return w;
}

void coll_doubling(struct coll_prog *p, struct coll_halving *h, void *vec,
		   MPI_Count n, struct weft_dt *dt)
{
	int bit, peer, step = h->steps;
	bool upper;

	if (h->fold.me < 0) {
		coll_recv_wait(p, vec, n, dt, p->rank + 1);
		return;
	}
	for (bit = h->fold.m >> 1; bit; bit >>= 1, step--) {
		peer = coll_fold_rank(&h->fold, h->fold.me ^ bit);
		upper = h->fold.me & bit;
		win_recv(p, vec, half(h->win[step - 1], !upper), dt, peer);
		win_send(p, vec, h->win[step], dt, peer);
		coll_wait_all(p);
	}
	if (p->rank < 2 * h->fold.extra)
		coll_send(p, vec, n, dt, p->rank - 1);
}

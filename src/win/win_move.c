/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Put and get: by load and store if the target's memory is mapped, by one
 * fi_write or fi_read per piece if libfabric can access the memory, otherwise
 * by messages.
 */
#include "src/win/win_attach.h"
#include "src/win/win_call.h"
#include "src/win/win_device.h"
#include "src/win/win_lock.h"
#include "src/win/win_mapped.h"
#include "src/win/win_rma_sync.h"

#include <errno.h>
#include <string.h>

/* ---- mapped memory ------------------------------------------------------- */

static void copy_typed(const struct weft_win_xfer *x, char *at, bool put)
{
	struct weft_typed o = { x->dt, x->buf, x->count };
	struct weft_typed t = { x->tdt, at, x->tcount };

	weft_pack_copy(put ? &t : &o, put ? &o : &t);
}

static inline void copy(const struct weft_win_xfer *x, char *at, bool put)
{
	size_t len = (size_t)(put ? x->count * x->dt->size
				  : x->tcount * x->tdt->size);
	char *o = (char *)x->buf + x->dt->true_lb;

	at += x->tdt->true_lb;
	if (len == sizeof(uint64_t)) /* compiled to one load and one store */
		memcpy(put ? at : o, put ? o : at, sizeof(uint64_t));
	else
		memmove(put ? at : o, put ? o : at, len);
}

static inline int move_here(const struct weft_win_xfer *x, char *at, bool put,
			    struct weft_req **req_p)
{
	if (weft_likely(weft_dt_is_run(x->dt, x->count) &&
			weft_dt_is_run(x->tdt, x->tcount)))
		copy(x, at, put);
	else
		copy_typed(x, at, put);
	if (req_p)
		*req_p = weft_req_null_done();
	return 0;
}

/* ---- dynamic windows ----------------------------------------------------- */

/* Returns the offset of the first byte of the target's data. */
static MPI_Count first_byte(const struct weft_win_xfer *x)
{
	MPI_Count lo = x->tdt->true_lb;

	return x->tdt->extent < 0 ? lo + (x->tcount - 1) * x->tdt->extent : lo;
}

/* Returns whether device memory is between the target's first and last byte. */
static bool is_on_device(struct weft_win *w, const struct weft_win_xfer *x)
{
	return w->dynamic &&
	       win_attach_on_device(w, x->target,
				    (uint64_t)(x->disp + first_byte(x)),
				    (uint64_t)weft_dt_span(x->tdt, x->tcount));
}

/* Describes the access as one to elements that are bytes. */
static int call_make(struct win_call *c, struct weft_win *w,
		     const struct weft_win_xfer *x, bool put)
{
	struct weft_win_xfer y = *x;
	int rc;

	y.op = weft_op_of(put ? MPI_REPLACE : MPI_NO_OP);
	y.result = put ? NULL : x->buf;
	y.compare = NULL;
	y.rcount = x->count;
	y.rdt = x->dt;
	rc = win_call_make(c, w, &y, weft_dt_of(MPI_BYTE));
	c->plain = true;
	return rc;
}

/*
 * Moves data from or to this rank's attachments, part of which is device
 * memory.
 */
static int move_own_device(struct weft_win *w, const struct weft_win_xfer *x,
			   bool put)
{
	struct win_call c;
	size_t at = 0;
	int rc = call_make(&c, w, x, put);

	if (rc)
		return rc;
	while (!rc && at < c.n) {
		struct win_run run = win_call_run(&c, at);

		at += run.n;
		if (win_attach_on_device(w, x->target, (uintptr_t)run.location,
					 run.n))
			rc = win_device_own(&c.e, run.location, &run.r, run.n);
		else
			win_elem_apply(&c.e, run.location, &run.r, run.n, true);
	}
	win_call_end(&c);
	return rc;
}

/* Moves data from or to this rank's memory of a dynamic window. */
static int move_self(struct weft_win *w, const struct weft_win_xfer *x,
		     bool put, struct weft_req **req_p)
{
	struct weft_typed t = { x->tdt, (void *)x->disp, x->tcount };
	struct iovec iov;
	size_t pos = 0;
	int rc;

	while (weft_pack_iov(&t, &pos, &iov, 1))
		if (!win_attach_has(w, (uintptr_t)iov.iov_base, iov.iov_len))
			return -ERANGE;
	if (!is_on_device(w, x))
		return move_here(x, (char *)x->disp, put, req_p);
	rc = move_own_device(w, x, put);
	if (req_p)
		*req_p = rc ? NULL : weft_req_null_done();
	return rc;
}

/* Returns the mapped address of attached memory of the target, or NULL. */
static char *mapped_place(struct weft_win *w, const struct weft_win_xfer *x)
{
	MPI_Count lo = first_byte(x);
	char *at;

	if (!w->dynamic || !w->page)
		return NULL;
	at = win_mapped_find(w, x->target, (uint64_t)(x->disp + lo),
			     (uint64_t)weft_dt_span(x->tdt, x->tcount));
	return at ? at - lo : NULL;
}

/* ---- transfers by libfabric ---------------------------------------------- */

/* Both sides of an access, split into pieces that are contiguous on both. */
struct sides {
	struct weft_typed t[2];
	size_t pos[2];
	struct iovec iov[2];
};

enum { ORIGIN, TARGET };

/* Prepares the next piece. Returns its length, or 0 at the end. */
static size_t sides_next(struct sides *s)
{
	size_t len;

	for (int i = 0; i < 2; i++)
		if (!s->iov[i].iov_len &&
		    !weft_pack_iov(&s->t[i], &s->pos[i], &s->iov[i], 1))
			return 0;
	len = s->iov[ORIGIN].iov_len;
	return len < s->iov[TARGET].iov_len ? len : s->iov[TARGET].iov_len;
}

static void sides_skip(struct sides *s, size_t len)
{
	for (int i = 0; i < 2; i++) {
		s->iov[i].iov_base = (char *)s->iov[i].iov_base + len;
		s->iov[i].iov_len -= len;
	}
}

/*
 * Moves pieces by system calls until a piece needs another path. *all_p:
 * whether all pieces were moved.
 */
static int pieces_sync(struct weft_win *w, struct sides *s, int target,
		       bool put, bool *all_p)
{
	struct win_fi f = { .kind = put ? WIN_FI_WRITE : WIN_FI_READ };
	int rc = 0;

	*all_p = false;
	while (!rc && (f.len = sides_next(s))) {
		f.local = s->iov[ORIGIN].iov_base;
		rc = win_fi_find(w, target, s->iov[TARGET].iov_base, &f);
		if (!rc && !win_fi_sync(w, target, &f))
			return 0;
		sides_skip(s, f.len);
	}
	*all_p = true;
	return rc;
}

static int fabric_pieces(struct win_op *op, struct sides *s, int target,
			 bool put)
{
	struct win_fi f = { .kind = put ? WIN_FI_WRITE : WIN_FI_READ };
	int rc = 0;

	while (!rc && (f.len = sides_next(s))) {
		f.local = s->iov[ORIGIN].iov_base;
		rc = win_fi_find(op->w, target, s->iov[TARGET].iov_base, &f);
		if (!rc)
			rc = win_fi_post(op, &f);
		sides_skip(s, f.len);
	}
	return rc;
}

/* Moves a contiguous access by one system call; false: not moved. */
static bool run_sync(struct weft_win *w, const struct weft_win_xfer *x,
		     bool put)
{
	uint64_t unit = w->dynamic ? 1 : w->peer[x->target].unit;
	uint64_t at = (uint64_t)x->disp * unit + (uint64_t)x->tdt->true_lb;
	size_t len = (size_t)(put ? x->count * x->dt->size
				  : x->tcount * x->tdt->size);
	struct win_fi f = { .kind = put ? WIN_FI_WRITE : WIN_FI_READ,
			    .local = (char *)x->buf + x->dt->true_lb,
			    .len = len };

	return len && weft_dt_is_run(x->dt, x->count) &&
	       weft_dt_is_run(x->tdt, x->tcount) &&
	       !win_fi_find(w, x->target, (void *)(uintptr_t)at, &f) &&
	       f.len == len && win_fi_sync(w, x->target, &f);
}

static const char *what_of(bool put)
{
	return put ? "put to memory" : "get from memory";
}

static int move_fabric(struct weft_win *w, const struct weft_win_xfer *x,
		       bool put, struct weft_req **req_p)
{
	uint64_t unit = w->dynamic ? 1 : w->peer[x->target].unit;
	uint64_t at = (uint64_t)x->disp * unit;
	struct sides s = { .t = { { x->dt, x->buf, x->count },
				  { x->tdt, (void *)(uintptr_t)at,
				    x->tcount } } };
	bool all = false;
	int rc = w->page ? pieces_sync(w, &s, x->target, put, &all) : 0;
	struct win_op *op;

	if (rc)
		return rc;
	if (all) {
		if (req_p)
			*req_p = weft_req_null_done();
		return 0;
	}
	op = win_op_open(w, x->target, req_p);
	if (!op)
		return -ENOMEM;
	op->what = what_of(put);
	return win_op_start(op, fabric_pieces(op, &s, x->target, put), req_p);
}

/* ---- transfers by messages ----------------------------------------------- */

static int move_message(struct weft_win *w, const struct weft_win_xfer *x,
			bool put, struct weft_req **req_p)
{
	struct win_call c;
	struct win_op *op;
	int rc = call_make(&c, w, x, put);

	if (rc)
		return rc;
	op = win_op_open(w, x->target, req_p);
	if (!op) {
		win_call_end(&c);
		return -ENOMEM;
	}
	op->what = what_of(put);
	win_call_hand_over(&c, op);
	return win_op_start(op, win_call_send(&c, op, NULL), req_p);
}

/* ---- entry points -------------------------------------------------------- */

static WEFT_COLD int move_slow_path(struct weft_win *w,
				    const struct weft_win_xfer *x, bool put,
				    struct weft_req **req_p)
{
	const struct weft_win_peer *p = &w->peer[x->target];
	int rc = win_lock_reach(w, x->target);
	char *at;

	if (rc)
		return rc;
	if (w->dynamic && x->target == w->rank)
		return move_self(w, x, put, req_p);
	if (w->device && x->target == w->rank) {
		if (req_p)
			*req_p = weft_req_null_done();
		return win_device_move(w, x, put);
	}
	if (p->local)
		return move_here(x, p->local + (uint64_t)x->disp * p->unit, put,
				 req_p);
	rc = win_attach_update(w, x->target);
	if (rc)
		return rc;
	if (!w->rma || is_on_device(w, x))
		return move_message(w, x, put, req_p);
	at = mapped_place(w, x);
	if (at)
		return move_here(x, at, put, req_p);
	if (w->page && run_sync(w, x, put)) {
		if (req_p)
			*req_p = weft_req_null_done();
		return 0;
	}
	return move_fabric(w, x, put, req_p);
}

int weft_win_put(struct weft_win *w, const struct weft_win_xfer *x,
		 struct weft_req **req_p)
{
	const struct weft_win_peer *p = &w->peer[x->target];

	/* relaxed: see weft_win_order() */
	weft_store32_relaxed(&w->stored, 1);
	if (weft_likely(p->direct != NULL))
		return move_here(x, p->direct + (uint64_t)x->disp * p->unit,
				 true, req_p);
	return move_slow_path(w, x, true, req_p);
}

int weft_win_get(struct weft_win *w, const struct weft_win_xfer *x,
		 struct weft_req **req_p)
{
	const struct weft_win_peer *p = &w->peer[x->target];

	if (weft_likely(p->direct != NULL))
		return move_here(x, p->direct + (uint64_t)x->disp * p->unit,
				 false, req_p);
	return move_slow_path(w, x, false, req_p);
}

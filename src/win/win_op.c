/* SPDX-License-Identifier: BSD-3-Clause */
/* Outstanding accesses and their libfabric operations; see win_op.h. */
#include "src/win/win_op.h"

#include "src/diag/diag_count.h"
#include "src/core/core_fi.h"
#include "src/msg/msg_wait.h"
#include "src/boot/boot_wire_up.h"
#include "src/win/win_attach.h"
#include "src/win/win_fabric.h"
#include "src/win/win_rma_sync.h"
#include "src/win/win_wait.h"

#include <errno.h>
#include <rdma/fi_rma.h>
#include <stdlib.h>

/* maximum number of outstanding pieces of one window */
#define PIECES_MAX 1024

/* ---- accesses ------------------------------------------------------------ */

static void op_free(struct weft_req *r)
{
	struct win_op *op = weft_container_of(r, struct win_op, req);

	if (op->result.dt)
		weft_dt_put((struct weft_dt *)(uintptr_t)op->result.dt);
	free(op->in);
	free(op->old);
	free(op);
}

static const struct weft_req_ops op_ops = {
	.name = "one-sided",
	.start = weft_req_no_start,
	.cancel = weft_req_no_cancel,
	.step = weft_req_no_step,
	.query = weft_req_no_query,
	.free = op_free,
};

struct win_op *win_op_open(struct weft_win *w, int target, bool kept)
{
	struct win_op *op = calloc(1, sizeof(*op));

	if (!op)
		return NULL;
	weft_req_init(&op->req, &op_ops, w->comm,
		      WEFT_REQ_ACTIVE | WEFT_REQ_SEND |
			      (kept ? 0 : WEFT_REQ_ORPHAN));
	op->w = w;
	op->peer = &w->peer[target];
	op->kept = kept;
	op->left = 1;
	weft_lock();
	weft_add32(&w->pending, 1);
	weft_add32(&op->peer->pending, 1);
	weft_unlock();
	return op;
}

/* Stores fetched elements in the result buffer. */
static void op_deliver(struct win_op *op)
{
	const struct weft_typed row = { op->unit, op->old,
					op->result.count * op->result.dt->size /
						op->unit->size };

	weft_pack_copy(&op->result, &row);
}

/*
 * Converts an error of a piece: invalid addresses at the target are errors of
 * the window, not of the fabric.
 */
static int op_error(int err)
{
	return err == -EFAULT || err == -ENOKEY || err == -EACCES ? -ERANGE
								  : err;
}

/*
 * Stores the error, together with the failed access, for the next
 * synchronization.
 */
static WEFT_COLD void op_record(const struct win_op *op)
{
	struct weft_win *w = op->w;

	w->failed.what = op->what ? op->what : "access to memory";
	w->failed.rank = (int)(op->peer - w->peer);
	weft_store32(&w->error, (uint32_t)op->error);
}

void win_op_piece_done(struct win_op *op, int err)
{
	struct weft_win *w = op->w;

	if (err && !op->error)
		op->error = op_error(err);
	if (--op->left)
		return;
	if (op->result.dt && !op->error)
		op_deliver(op);
	if (op->error && !op->kept && !weft_load32(&w->error))
		op_record(op);
	weft_add32(&op->peer->pending, (uint32_t)-1);
	weft_add32(&w->pending, (uint32_t)-1);
	weft_req_complete(&op->req, op->error);
}

int win_op_start(struct win_op *op, int rc, struct weft_req **req_p)
{
	if (req_p)
		*req_p = &op->req;
	weft_lock();
	/*
	 * this call returns the error, so later synchronizations do not report
	 * it
	 */
	if (rc)
		op->kept = true;
	win_op_piece_done(op, rc);
	/* another thread may wait in a flush */
	if (weft_unlikely(weft_threads))
		weft_progress_notify();
	weft_unlock();
	if (rc && req_p) {
		weft_req_release(*req_p);
		*req_p = NULL;
	}
	return rc;
}

int win_op_throttle(struct weft_win *w)
{
	struct win_idle idle;
	int rc = 0;

	if (weft_likely(weft_load32(&w->pieces) < PIECES_MAX))
		return 0;
	idle = win_idle_begin(w);
	while (!rc && weft_load32(&w->pieces) >= PIECES_MAX)
		rc = win_idle_pass(&idle);
	return rc;
}

/* ---- pieces -------------------------------------------------------------- */

struct piece {
	struct weft_io io;
	struct weft_retry pend;
	struct win_op *op;
	struct win_fi f;
};

static void piece_complete(struct piece *p, int err)
{
	struct win_op *op = p->op;

	free(p);
	weft_add32(&op->w->pieces, (uint32_t)-1);
	win_op_piece_done(op, err);
}

static void piece_done(struct weft_io *io, const struct fi_cq_tagged_entry *e,
		       int err)
{
	(void)e;
	piece_complete(weft_container_of(io, struct piece, io), err);
}

static void piece_left(struct weft_retry *e, int rc)
{
	if (rc)
		piece_complete(weft_container_of(e, struct piece, pend), rc);
}

/* Posts a write with flags, which fi_write does not accept. */
static ssize_t post_write(struct piece *p, fi_addr_t to, uint64_t flags)
{
	const struct win_fi *f = &p->f;
	const struct iovec iov = { f->local, f->len };
	const struct fi_rma_iov at = { f->addr, f->len, f->key };
	const struct fi_msg_rma m = { .msg_iov = &iov,
				      .iov_count = 1,
				      .addr = to,
				      .rma_iov = &at,
				      .rma_iov_count = 1,
				      .context = &p->io.fi };

	return fi_writemsg(weft_core.ep, &m, flags | FI_COMPLETION);
}

static ssize_t post_atomic(struct piece *p, fi_addr_t to)
{
	const struct win_fi *f = &p->f;

	if (f->kind == WIN_FI_ATOMIC)
		return fi_atomic(weft_core.ep, f->local, f->len, NULL, to,
				 f->addr, f->key, f->type, f->op, &p->io.fi);
	if (f->kind == WIN_FI_FETCH)
		return fi_fetch_atomic(weft_core.ep, f->local, f->len, NULL,
				       f->result, NULL, to, f->addr, f->key,
				       f->type, f->op, &p->io.fi);
	return fi_compare_atomic(weft_core.ep, f->local, f->len, NULL,
				 f->compare, NULL, f->result, NULL, to, f->addr,
				 f->key, f->type, f->op, &p->io.fi);
}

static int piece_post(struct weft_retry *e)
{
	struct piece *p = weft_container_of(e, struct piece, pend);
	const struct win_fi *f = &p->f;
	uint64_t flags = p->op->w->fabric->flags;
	fi_addr_t to = e->lane->real;
	ssize_t rc;

	if (flags && f->kind == WIN_FI_WRITE)
		rc = post_write(p, to, flags);
	else if (f->kind == WIN_FI_WRITE)
		rc = fi_write(weft_core.ep, f->local, f->len, NULL, to, f->addr,
			      f->key, &p->io.fi);
	else if (f->kind == WIN_FI_READ)
		rc = fi_read(weft_core.ep, f->local, f->len, NULL, to, f->addr,
			     f->key, &p->io.fi);
	else
		rc = post_atomic(p, to);
	return weft_fi_errno((int)rc);
}

static int proc_of(const struct weft_win *w, int target)
{
	return w->comm->proc[target];
}

int win_fi_post(struct win_op *op, const struct win_fi *f)
{
	int proc = proc_of(op->w, (int)(op->peer - op->w->peer));
	struct piece *p;
	int rc = win_op_throttle(op->w);

	if (rc)
		return rc;
	p = malloc(sizeof(*p));
	if (!p)
		return -ENOMEM;
	p->io.done = piece_done;
	p->pend.post = piece_post;
	p->pend.left = piece_left;
	p->pend.lane = &weft_core.proc[proc];
	p->op = op;
	p->f = *f;
	weft_lock();
	rc = weft_wire_resolve(proc);
	op->left++;
	weft_add32(&op->w->pieces, 1);
	weft_count(WEFT_COUNT_WIN_FABRIC, 1);
	if (!rc)
		rc = weft_retry_post(&p->pend);
	if (rc) {
		op->left--;
		weft_add32(&op->w->pieces, (uint32_t)-1);
	}
	weft_unlock();
	if (rc)
		free(p);
	return rc;
}

int win_fi_find(struct weft_win *w, int target, const void *buf,
		struct win_fi *f)
{
	const struct weft_win_peer *peer = &w->peer[target];
	struct win_attach_place p;
	int rc;

	if (f->len > w->fabric->bytes_max)
		f->len = w->fabric->bytes_max;
	f->addr = (w->fabric->by_address ? peer->base : 0) + (uintptr_t)buf;
	f->key = peer->key;
	if (!w->dynamic)
		return 0;
	rc = win_attach_find(w, target, (uintptr_t)buf, &p);
	if (rc)
		return rc;
	f->addr = p.addr;
	f->key = p.key;
	if (f->len > p.bytes)
		f->len = p.bytes;
	return 0;
}

int win_fi_execute(struct weft_win *w, int target, const struct win_fi *f)
{
	struct win_op *op = win_op_open(w, target, true);
	struct weft_req *r;
	int rc;

	if (!op)
		return -ENOMEM;
	rc = win_op_start(op, win_fi_post(op, f), &r);
	return rc ? rc : weft_req_finish(r);
}

static int fi_pieces(struct win_op *op, int target, const char *buf,
		     struct win_fi f)
{
	size_t left = f.len;
	int rc = 0;

	while (!rc && left) {
		f.len = left;
		rc = win_fi_find(op->w, target, buf, &f);
		if (!rc)
			rc = win_fi_post(op, &f);
		f.local = (char *)f.local + f.len;
		buf += f.len;
		left -= f.len;
	}
	return rc;
}

/*
 * Moves pieces by system calls as long as possible; *f then describes the rest.
 */
static int pieces_sync(struct weft_win *w, int target, const char **buf,
		       struct win_fi *f)
{
	size_t left = f->len;
	int rc = 0;

	while (left) {
		f->len = left;
		rc = win_fi_find(w, target, *buf, f);
		if (rc || !win_fi_sync(w, target, f))
			break;
		f->local = (char *)f->local + f->len;
		*buf += f->len;
		left -= f->len;
	}
	f->len = left;
	return rc;
}

int win_fi_wait(struct weft_win *w, int target, const char *buf,
		struct win_fi f)
{
	struct win_op *op;
	struct weft_req *r;
	int rc = pieces_sync(w, target, &buf, &f);

	if (rc || !f.len)
		return rc;
	op = win_op_open(w, target, true);
	if (!op)
		return -ENOMEM;
	rc = win_op_start(op, fi_pieces(op, target, buf, f), &r);
	return rc ? rc : weft_req_finish(r);
}

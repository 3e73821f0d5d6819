/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Receiving. The provider matches: a receive from a known source with a known
 * tag is an exact tag word. Data that cannot land where it belongs goes to a
 * bounce buffer and is unpacked when it has come.
 */
#include "src/core/core_fi.h"
#include "src/core/core_near.h"

#include "src/core/core_count.h"
#include "src/core/core_ctrl.h"
#include "src/core/core_status.h"
#include "src/core/core_wait.h"

#include <errno.h>
#include <rdma/fi_ext_weft.h>
#include <rdma/fi_tagged.h>
#include <stdlib.h>
#include <string.h>

#define IOV_MAX_PIECES 16

struct weft_proc weft_recv_lane;

/* ---- completion --------------------------------------------------------- */

static WEFT_COLD void unpack(struct weft_p2p *p, size_t len)
{
	if (len > p->bytes)
		len = p->bytes;
	weft_unpack(&p->data, 0, p->bounce, len);
	free(p->bounce);
	p->bounce = NULL;
	weft_count(WEFT_COUNT_RECV_PACKED, 1);
}

void weft_p2p_recv_done(struct weft_io *io, const struct fi_cq_tagged_entry *e,
			int err)
{
	struct weft_p2p *p = weft_container_of(io, struct weft_p2p, io);

	p->req.source = weft_tag_source(e->tag);
	p->req.tag = weft_tag_tag(e->tag);
	p->req.bytes = (MPI_Count)e->len;
	if (weft_unlikely(err == -ECANCELED)) {
		p->req.flags |= WEFT_REQ_CANCELLED;
		p->req.bytes = 0;
		err = 0;
		free(p->bounce);
		p->bounce = NULL;
	} else {
		weft_count(WEFT_COUNT_RECV, 1);
		weft_count(WEFT_COUNT_RECV_BYTES, e->len);
	}
	if (weft_unlikely(e->flags & FI_REMOTE_CQ_DATA))
		weft_ctrl_met(p->req.comm, p->req.source, e->data);
	if (weft_unlikely(p->bounce != NULL))
		unpack(p, e->len);
	weft_req_complete(&p->req, err);
}

/* ---- posting ------------------------------------------------------------ */

static int post_pieces(struct weft_p2p *p)
{
	struct iovec iov[IOV_MAX_PIECES];
	size_t pos = 0;
	int n = weft_pack_iov(&p->data, &pos, iov, p->pieces);

	return (int)fi_trecvv(weft_core.ep, iov, NULL, (size_t)n,
			      FI_ADDR_UNSPEC, p->word, p->ignore, &p->io.fi);
}

static int post_recv(struct weft_pend *e)
{
	struct weft_p2p *p = weft_container_of(e, struct weft_p2p, pend);
	void *start = p->bounce;

	if (!start) {
		if (weft_unlikely(p->pieces > 1))
			return weft_fi_errno(post_pieces(p));
		start = weft_p2p_start(p->data.buf, p->data.dt);
	}
	return weft_fi_errno((int)fi_trecv(weft_core.ep, start, p->bytes, NULL,
					   FI_ADDR_UNSPEC, p->word, p->ignore,
					   &p->io.fi));
}

static void recv_left(struct weft_pend *e, int rc)
{
	struct weft_p2p *p = weft_container_of(e, struct weft_p2p, pend);

	if (!rc)
		return;
	free(p->bounce);
	p->bounce = NULL;
	weft_req_complete(&p->req, rc);
}

/* Decides where the data lands: in place, in pieces, or in a bounce buffer. */
static WEFT_COLD int prepare_far(struct weft_p2p *p)
{
	size_t limit = weft_core.iov_limit;

	if (limit > IOV_MAX_PIECES)
		limit = IOV_MAX_PIECES;
	if (limit > 1) {
		p->pieces = weft_pack_pieces(&p->data, (int)limit + 1);
		if (p->pieces <= (int)limit)
			return 0;
	}
	p->bounce = malloc(p->bytes + 1);
	return p->bounce ? 0 : -ENOMEM;
}

void weft_p2p_match_word(const struct weft_p2p_args *a, uint64_t *word_p,
			 uint64_t *ignore_p)
{
	weft_near_word(a, word_p, ignore_p);
}

void weft_p2p_init_recv(struct weft_p2p *p, const struct weft_p2p_args *a)
{
	p->data.buf = a->buf;
	p->data.count = a->count;
	p->data.dt = a->dt;
	p->bytes = weft_typed_bytes(&p->data);
	p->peer = a->peer;
	p->mode = a->mode;
	weft_p2p_match_word(a, &p->word, &p->ignore);
	p->io.done = weft_p2p_recv_done;
	p->pend.post = post_recv;
	p->pend.left = recv_left;
	p->pend.lane = &weft_recv_lane;
	p->bounce = NULL;
	p->pieces = 1;
}

int weft_p2p_start_recv(struct weft_p2p *p)
{
	int rc = 0;

	if (weft_unlikely(!weft_dt_is_run(p->data.dt, p->data.count)))
		rc = prepare_far(p);
	if (weft_likely(!rc))
		rc = weft_pend_post(&p->pend);
	if (weft_unlikely(rc)) {
		free(p->bounce);
		p->bounce = NULL;
	}
	return rc;
}

/* ---- what others call --------------------------------------------------- */

static WEFT_COLD int recv_no_proc(MPI_Status *status)
{
	if (status != MPI_STATUS_IGNORE)
		weft_status_set(status, MPI_PROC_NULL, MPI_ANY_TAG, 0);
	return 0;
}

/* ---- on the spot: no request, no entry in the queue ---------------------- */

static int direct_end(const struct weft_p2p_args *a,
		      const struct fi_weft_arrival *d, MPI_Status *status)
{
	int source = weft_tag_source(d->tag);

	weft_count(WEFT_COUNT_RECV, 1);
	weft_count(WEFT_COUNT_RECV_BYTES, d->len);
	if (status != MPI_STATUS_IGNORE)
		weft_status_set(status, source, weft_tag_tag(d->tag),
				(MPI_Count)d->len);
	return weft_likely(!d->err) ? 0 : weft_fi_errno(-d->err);
}

/* Is nothing to be done but to look for the message? */
static inline bool direct_quiet(void)
{
	/* relaxed: a look, by the only thread */
	return !weft_core.pending && !weft_load32_relaxed(&weft_core.stepping);
}

static int direct_wait(const struct weft_p2p_args *a,
		       const struct fi_weft_arrival *d, MPI_Status *status)
{
	struct weft_idle w = weft_idle_begin(NULL, 0, false);

	for (;;) {
		if (weft_likely(direct_quiet())) {
			weft_core.recv->poll(weft_core.ep, d, w.left);
			w.left = 0;
		}
		if (weft_likely(d->over))
			return direct_end(a, d, status);
		weft_idle_turn(&w);
	}
}

/* -EAGAIN: take the other road. */
static inline int recv_direct(const struct weft_p2p_args *a, MPI_Status *status)
{
	struct fi_weft_arrival d;
	uint64_t word, ignore;
	int rc;

	if (weft_unlikely(!weft_core.recv || weft_recv_lane.pend ||
			  !weft_dt_is_run(a->dt, a->count)))
		return -EAGAIN;
	weft_near_word(a, &word, &ignore);
	d.over = 0;
	rc = (int)weft_core.recv->post(
		weft_core.ep, weft_p2p_start(a->buf, a->dt),
		(size_t)(a->count * a->dt->size), word, ignore, &d);
	return weft_likely(!rc) ? direct_wait(a, &d, status)
				: weft_fi_errno(rc);
}

/* ---- with a request ------------------------------------------------------ */

/* The lock is held. */
static WEFT_COLD int post_far(struct weft_p2p *p, const struct weft_p2p_args *a)
{
	weft_req_init(&p->req, NULL, a->comm, WEFT_REQ_ACTIVE);
	weft_p2p_init_recv(p, a);
	return weft_p2p_start_recv(p);
}

int weft_core_recv(void *buf, MPI_Count count, struct weft_dt *dt, int source,
		   int tag, struct weft_comm *comm, unsigned flags,
		   MPI_Status *status)
{
	struct weft_p2p_args a = { buf, count, dt, source, tag, comm, flags };
	struct weft_p2p p;
	int rc;

	if (weft_unlikely(source == MPI_PROC_NULL))
		return recv_no_proc(status);
	rc = recv_direct(&a, status);
	if (weft_likely(rc != -EAGAIN))
		return rc;
	weft_lock();
	rc = weft_near_post(&p, &a);
	if (weft_unlikely(rc))
		rc = rc == -EAGAIN ? post_far(&p, &a) : weft_fi_errno(rc);
	weft_unlock();
	if (weft_unlikely(rc))
		return rc;
	weft_req_wait(&p.req);
	if (status != MPI_STATUS_IGNORE)
		weft_req_status(&p.req, status);
	return p.req.error;
}

static WEFT_COLD int irecv_far(const struct weft_p2p_args *a,
			       struct weft_req **req_p)
{
	struct weft_p2p *p = weft_p2p_open(weft_p2p_init_recv, a, 0);
	int rc;

	if (!p)
		return -ENOMEM;
	weft_lock();
	rc = weft_p2p_start_recv(p);
	weft_unlock();
	if (rc)
		p->req.ops->free(&p->req);
	else
		*req_p = &p->req;
	return rc;
}

int weft_core_irecv(void *buf, MPI_Count count, struct weft_dt *dt, int source,
		    int tag, struct weft_comm *comm, unsigned flags,
		    struct weft_req **req_p)
{
	struct weft_p2p_args a = { buf, count, dt, source, tag, comm, flags };
	struct weft_p2p *p;

	if (weft_unlikely(source == MPI_PROC_NULL)) {
		*req_p = weft_req_no_proc();
		return 0;
	}
	weft_lock();
	p = weft_near_open(&a);
	weft_unlock();
	if (weft_unlikely(!p))
		return irecv_far(&a, req_p);
	*req_p = &p->req;
	return 0;
}

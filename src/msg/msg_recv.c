/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Receive requests. The provider matches messages: a receive from a known
 * source with a known tag has an exact tag word. Data that cannot be received
 * in place is received into a bounce buffer and unpacked after its arrival.
 */
#include "src/core/core_fi.h"
#include "src/msg/msg_recv.h"

#include "src/diag/diag_count.h"
#include "src/msg/msg_ack.h"
#include "src/msg/msg_active.h"
#include "src/offload/offload_device.h"
#include "src/msg/msg_progress.h"
#include "src/msg/msg_typed.h"
#include "src/recover/recover.h"

#include <errno.h>
#include <rdma/fi_tagged.h>
#include <stdlib.h>

#define IOV_MAX_PIECES 16

/* ---- completion ---------------------------------------------------------- */

static WEFT_COLD int unpack(struct weft_p2p *p, size_t len)
{
	int rc;

	if (len > p->bytes)
		len = p->bytes;
	rc = weft_core_unpack(&p->data, 0, p->bounce, len);
	free(p->bounce);
	p->bounce = NULL;
	weft_count(WEFT_COUNT_RECV_PACKED, 1);
	return rc;
}

/*
 * Fills the fields of the status, sends an acknowledgement if one was
 * requested, and unpacks the data. err: 0 or -errno. Returns the error of the
 * request.
 */
static int fill_result(struct weft_p2p *p, const struct fi_cq_tagged_entry *e,
		       int err)
{
	p->req.source = weft_tag_source(e->tag);
	p->req.tag = weft_tag_tag(e->tag);
	p->req.bytes = (MPI_Count)e->len;
	if (weft_unlikely(err == -ECANCELED)) {
		err = weft_p2p_cancelled(p);
		if (err == -ECANCELED) {
			p->req.flags |= WEFT_REQ_CANCELLED;
			err = 0;
		}
		p->req.bytes = 0;
		free(p->bounce);
		p->bounce = NULL;
	} else {
		weft_count(WEFT_COUNT_RECV, 1);
		weft_count(WEFT_COUNT_RECV_BYTES, e->len);
	}
	if (weft_unlikely(e->flags & FI_REMOTE_CQ_DATA))
		weft_ctrl_matched(p->req.comm, p->req.source, e->data);
	if (weft_unlikely(p->bounce != NULL)) {
		int rc = unpack(p, e->len);

		err = err ? err : rc;
	}
	return err;
}

void weft_p2p_recv_done(struct weft_io *io, const struct fi_cq_tagged_entry *e,
			int err)
{
	struct weft_p2p *p = weft_container_of(io, struct weft_p2p, io);

	err = fill_result(p, e, err);
	weft_p2p_inactive(p, err);
	weft_req_complete(&p->req, err);
}

/* ---- receives without CQ entry ------------------------------------------- */

int weft_p2p_step(struct weft_req *r)
{
	struct weft_p2p *p = weft_container_of(r, struct weft_p2p, req);
	const struct fi_weft_arrival *a = &p->io.arrival;
	const struct fi_cq_tagged_entry e = {
		.flags = a->flags, .len = a->len, .data = a->data, .tag = a->tag
	};
	int err;

	weft_lock();
	err = fill_result(p, &e, a->err ? weft_fi_errno(-a->err) : 0);
	weft_unlock();
	return err ? err : 1;
}

WEFT_HOT void weft_p2p_arrived(struct fi_weft_arrival *a)
{
	struct weft_p2p *p = weft_container_of(a, struct weft_p2p, io.arrival);

	if (weft_unlikely(a->err || a->flags || p->bounce)) {
		weft_progress_add_held(&p->req);
		return;
	}
	p->req.source = weft_tag_source(a->tag);
	p->req.tag = weft_tag_tag(a->tag);
	p->req.bytes = (MPI_Count)a->len;
	weft_count(WEFT_COUNT_RECV, 1);
	weft_count(WEFT_COUNT_RECV_BYTES, a->len);
	weft_req_complete(&p->req, 0);
}

WEFT_HOT void weft_p2p_pass(struct weft_req *r, struct weft_idle *w)
{
	struct weft_p2p *p = weft_container_of(r, struct weft_p2p, req);
	uint32_t now;

	if (weft_unlikely(!(r->flags & WEFT_REQ_DIRECT) || !weft_core.recv)) {
		weft_idle_pass(w);
		return;
	}
	weft_arrival_poll(&p->io.arrival, w);
	if (weft_likely(weft_req_is_done(r)))
		return;
	now = weft_load32(&weft_completed);
	if (now == w->mark) {
		weft_idle_pass(w);
		return;
	}
	w->mark = now; /* other messages arrived: continue polling */
	w->left = weft_load32_relaxed(&weft_core.spin);
}

void weft_p2p_wait(struct weft_req *r)
{
	struct weft_idle w = weft_idle_begin(&r, 1, false);

	while (!weft_req_is_done(r))
		weft_p2p_pass(r, &w);
}

/* ---- posting ------------------------------------------------------------- */

static int post_pieces(struct weft_p2p *p)
{
	struct iovec iov[IOV_MAX_PIECES];
	size_t pos = 0;
	int n = weft_pack_iov(&p->data, &pos, iov, p->pieces);

	return (int)fi_trecvv(weft_core.ep, iov, NULL, (size_t)n,
			      FI_ADDR_UNSPEC, p->word, p->ignore, &p->io.fi);
}

static int post_recv(struct weft_retry *e)
{
	struct weft_p2p *p = weft_container_of(e, struct weft_p2p, pend);
	void *start = p->bounce;

	if (!start) {
		if (weft_typed_is(p))
			return weft_fi_errno(weft_typed_recv(p, 0));
		if (weft_unlikely(p->pieces > 1))
			return weft_fi_errno(post_pieces(p));
		start = weft_p2p_start(p->data.buf, p->data.dt);
	}
	return weft_fi_errno(
		weft_p2p_post_plain(p, start, p->bytes, p->word, p->ignore));
}

static void recv_left(struct weft_retry *e, int rc)
{
	struct weft_p2p *p = weft_container_of(e, struct weft_p2p, pend);

	if (!rc)
		return;
	free(p->bounce);
	p->bounce = NULL;
	weft_p2p_inactive(p, rc);
	weft_req_complete(&p->req, rc);
}

/*
 * Decides how the data is received: into several blocks, unpacked packet by
 * packet, or into a bounce buffer.
 */
static WEFT_COLD int prepare_noncontiguous(struct weft_p2p *p)
{
	size_t limit = weft_core.iov_limit;

	if (limit > IOV_MAX_PIECES)
		limit = IOV_MAX_PIECES;
	if (limit > 1) {
		p->pieces = weft_pack_pieces(&p->data, (int)limit + 1);
		if (p->pieces <= (int)limit)
			return 0;
	}
	if (weft_typed_accept(p))
		return 0;
	p->bounce = malloc(p->bytes + 1);
	return p->bounce ? 0 : -ENOMEM;
}

/*
 * Adds a receive to the list of active messages, and lets the progress loop
 * check it. Returns 0 or -errno: the receive must not be posted.
 */
static WEFT_COLD int start_listed(struct weft_p2p *p)
{
	int rc = weft_recover_refuses(p);

	if (rc)
		return rc;
	weft_p2p_active_add(p);
	if (weft_recover_is_needed())
		weft_progress_attention();
	return 0;
}

int weft_p2p_start_recv(struct weft_p2p *p)
{
	int rc = 0;

	if (weft_unlikely(weft_core.survives)) {
		rc = start_listed(p);
		if (rc)
			return rc;
	}
	if (weft_unlikely(!weft_dt_is_run(p->data.dt, p->data.count)))
		rc = prepare_noncontiguous(p);
	if (weft_likely(!rc))
		rc = weft_retry_post(&p->pend);
	if (weft_unlikely(rc)) {
		weft_p2p_inactive(p, rc);
		free(p->bounce);
		p->bounce = NULL;
	}
	return rc;
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
	p->start = weft_p2p_start_recv;
	p->io.done = weft_p2p_recv_done;
	p->pend.post = post_recv;
	p->pend.left = recv_left;
	p->pend.lane = &weft_retry_recv_lane;
	p->bounce = NULL;
	p->pieces = 1;
	p->packed_by_packet = false;
}

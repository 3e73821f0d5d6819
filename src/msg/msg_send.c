/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Send requests for contiguous data, several blocks, or packed data; posted
 * through the retry queue. A synchronous send completes when a receive has
 * matched, as reported by the provider or by msg_ack.c.
 */
#include "src/msg/msg_send.h"

#include "src/diag/diag_count.h"
#include "src/msg/msg_ack.h"
#include "src/msg/msg_active.h"
#include "src/offload/offload_device.h"
#include "src/core/core_fi.h"
#include "src/msg/msg_inject.h"
#include "src/msg/msg_typed.h"
#include "src/recover/recover.h"
#include "src/boot/boot_wire_up.h"

#include <errno.h>
#include <rdma/fi_tagged.h>
#include <stdlib.h>

#define IOV_MAX_PIECES 16

static void send_done(struct weft_io *io, const struct fi_cq_tagged_entry *e,
		      int err)
{
	weft_p2p_send_completed(weft_container_of(io, struct weft_p2p, io),
				err);
}

const struct weft_p2p *weft_p2p_sent(const struct weft_io *io)
{
	return io->done == send_done
		       ? weft_container_of(io, struct weft_p2p, io)
		       : NULL;
}

/*
 * Completes a send that was not posted; cancels the receive of its
 * acknowledgement.
 */
static void send_failed(struct weft_p2p *p, int rc)
{
	weft_ctrl_cancel_expected(p);
	weft_p2p_send_completed(p, rc);
}

static void send_left(struct weft_retry *e, int rc)
{
	if (rc)
		send_failed(weft_container_of(e, struct weft_p2p, pend), rc);
}

/* Fills iov with the blocks of the data. Returns their number. */
static size_t send_iov(const struct weft_p2p *p, struct iovec *iov)
{
	size_t pos = 0;

	if (!p->bounce && p->pieces > 1)
		return (size_t)weft_pack_iov(&p->data, &pos, iov, p->pieces);
	iov->iov_base =
		p->bounce ? p->bounce : weft_p2p_start(p->data.buf, p->data.dt);
	iov->iov_len = p->bytes;
	return 1;
}

/* Posts a send that completes when it is matched, or that carries an id. */
static WEFT_COLD int post_with_id(struct weft_p2p *p, fi_addr_t addr)
{
	struct iovec iov[IOV_MAX_PIECES];
	struct fi_msg_tagged m = { .msg_iov = iov,
				   .iov_count = send_iov(p, iov),
				   .addr = addr,
				   .tag = p->word,
				   .context = &p->io.fi,
				   .data = p->id };
	uint64_t flags = FI_COMPLETION;
	int rc;

	if (weft_typed_is(p))
		return weft_typed_send(p, addr, flags | FI_MATCH_COMPLETE);
	if (weft_core.reports_match)
		return (int)fi_tsendmsg(weft_core.ep, &m,
					flags | FI_MATCH_COMPLETE);
	if (p->mode & WEFT_P2P_SYNC) {
		rc = weft_ctrl_expect(p);
		if (rc)
			return rc;
		m.data |= WEFT_ACK_REQUESTED;
	}
	return (int)fi_tsendmsg(weft_core.ep, &m, flags | FI_REMOTE_CQ_DATA);
}

static int post_send(struct weft_retry *e)
{
	struct weft_p2p *p = weft_container_of(e, struct weft_p2p, pend);
	fi_addr_t addr = e->lane->real;
	struct iovec iov[IOV_MAX_PIECES];
	size_t n;

	if (weft_unlikely((p->mode & WEFT_P2P_SYNC) ||
			  !weft_core.reports_match))
		return weft_fi_errno(post_with_id(p, addr));
	if (weft_typed_is(p))
		return weft_fi_errno(weft_typed_send(p, addr, FI_COMPLETION));
	n = send_iov(p, iov);
	if (n > 1 || weft_device_owns(iov->iov_base))
		return weft_fi_errno((int)fi_tsendv(weft_core.ep, iov, NULL, n,
						    addr, p->word, &p->io.fi));
	return weft_fi_errno((int)fi_tsend(weft_core.ep, iov->iov_base,
					   p->bytes, NULL, addr, p->word,
					   &p->io.fi));
}

/*
 * Decides how the data is sent: contiguous, in several blocks, packed packet by
 * packet, or packed here.
 */
static int prepare(struct weft_p2p *p)
{
	size_t limit = weft_core.iov_limit;
	const struct weft_typed *t = &p->data;
	int rc;

	p->pieces = 1;
	p->packed_by_packet = false;
	p->bounce = NULL;
	if (weft_dt_is_run(t->dt, t->count))
		return 0;
	if (limit > IOV_MAX_PIECES)
		limit = IOV_MAX_PIECES;
	if (limit > 1) {
		p->pieces = weft_pack_pieces(t, (int)limit + 1);
		if (p->pieces <= (int)limit)
			return 0;
	}
	if (weft_typed_accept(p))
		return 0;
	p->bounce = malloc(p->bytes + 1);
	if (!p->bounce)
		return -ENOMEM;
	rc = weft_core_pack(t, 0, p->bounce, p->bytes);
	if (rc) {
		free(p->bounce);
		p->bounce = NULL;
	}
	return rc;
}

static void count_send(const struct weft_p2p *p)
{
	weft_count(p->bounce	      ? WEFT_COUNT_SEND_PACKED
		   : weft_typed_is(p) ? WEFT_COUNT_SEND_TYPED
		   : p->pieces > 1    ? WEFT_COUNT_SEND_PIECES
				      : WEFT_COUNT_SEND_WHOLE,
		   1);
	weft_count(WEFT_COUNT_SEND_BYTES, p->bytes);
}

static int start_send(struct weft_p2p *p)
{
	int rc;

	if (weft_unlikely(weft_core.survives)) {
		rc = weft_recover_refuses(p);
		if (rc)
			return rc;
	}
	if (p->pend.lane->real == FI_ADDR_NOTAVAIL) {
		rc = weft_wire_resolve((int)(p->pend.lane - weft_core.proc));
		if (rc)
			return rc;
	}
	rc = prepare(p);
	if (rc)
		return rc;
	count_send(p);
	p->left = 1;
	p->ack_posted = false;
	p->cancel_sent = false;
	p->id = weft_core.reports_match ? 0 : weft_ctrl_id();
	if (weft_unlikely(weft_core.survives))
		weft_p2p_active_add(p);
	rc = weft_retry_post(&p->pend);
	/*
	 * the request completes with the error when the receive of the
	 * acknowledgement is cancelled
	 */
	if (rc && p->ack_posted) {
		send_failed(p, rc);
		return 0;
	}
	if (rc) {
		weft_p2p_inactive(p, rc);
		free(p->bounce);
	}
	return rc;
}

/*
 * Sends a short persistent message, which completes immediately. Returns 0,
 * -errno, or -EAGAIN: not possible.
 */
static int start_short(struct weft_p2p *p)
{
	int rc;

	if (p->bytes > weft_core.inject_bytes || (p->mode & WEFT_P2P_SYNC) ||
	    !weft_dt_is_run(p->data.dt, p->data.count))
		return -EAGAIN;
	rc = weft_core_inject_bytes(weft_p2p_start(p->data.buf, p->data.dt),
				    p->bytes, p->pend.lane, p->word);
	if (rc)
		return weft_fi_errno(rc);
	weft_req_complete(&p->req, 0);
	return 0;
}

static int start_persistent(struct weft_p2p *p)
{
	int rc = start_short(p);

	return weft_likely(rc != -EAGAIN) ? rc : start_send(p);
}

void weft_p2p_init_send(struct weft_p2p *p, const struct weft_p2p_args *a)
{
	p->data.buf = a->buf;
	p->data.count = a->count;
	p->data.dt = a->dt;
	p->bytes = weft_typed_bytes(&p->data);
	p->peer = a->peer;
	p->mode = a->mode;
	p->word = weft_tag_word(a->comm->ctx, weft_p2p_kind(a->mode),
				a->comm->rank, a->tag);
	p->req.flags |= WEFT_REQ_SEND;
	p->start = p->req.flags & WEFT_REQ_PERSISTENT ? start_persistent
						      : start_send;
	p->io.done = send_done;
	p->pend.post = post_send;
	p->pend.left = send_left;
	if (a->peer >= 0)
		p->pend.lane = &weft_core.proc[a->comm->proc[a->peer]];
}

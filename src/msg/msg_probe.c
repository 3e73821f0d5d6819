/* SPDX-License-Identifier: BSD-3-Clause */
/* Probes by FI_PEEK, and matched probes by FI_CLAIM (msg_probe.h). */
#include "src/msg/msg_probe.h"

#include "src/diag/diag_peer_failure.h"
#include "src/core/core_fi.h"
#include "src/msg/msg.h"
#include "src/msg/msg_progress.h"
#include "src/msg/msg_recv.h"
#include "src/msg/msg_typed.h"
#include "src/msg/msg_wait.h"
#include "src/os/waiter.h"
#include "src/recover/recover.h"

#include <errno.h>
#include <rdma/fi_tagged.h>
#include <stdlib.h>

#define PIECES	16
#define DEAD_NS (WEFT_PEER_FAILURE_CHECK_MS * UINT64_C(1000000))

static void peek_done(struct weft_io *io, const struct fi_cq_tagged_entry *e,
		      int err)
{
	struct weft_p2p *p = weft_container_of(io, struct weft_p2p, io);

	p->req.source = weft_tag_source(e->tag);
	p->req.tag = weft_tag_tag(e->tag);
	p->req.bytes = (MPI_Count)e->len;
	weft_req_complete(&p->req, err);
}

static int post_peek(struct weft_p2p *p, uint64_t flags)
{
	struct fi_msg_tagged m = { .addr = FI_ADDR_UNSPEC,
				   .tag = p->word,
				   .ignore = p->ignore,
				   .context = &p->io.fi };
	int rc;

	for (;;) {
		weft_lock();
		rc = (int)fi_trecvmsg(weft_core.ep, &m, flags | FI_COMPLETION);
		weft_unlock();
		if (rc != -FI_EAGAIN)
			return rc;
		weft_progress();
	}
}

/* Peeks for a message. Returns 1: a message was found; 0: none; or -errno. */
static int peek(struct weft_p2p *p, const struct weft_p2p_args *a, bool claim)
{
	int rc;

	weft_p2p_match_word(a, &p->word, &p->ignore);
	p->io.done = peek_done;
	rc = post_peek(p, FI_PEEK | (claim ? FI_CLAIM : 0));
	if (rc == -ENOMSG)
		return 0;
	if (rc)
		return weft_fi_errno(rc);
	weft_req_wait(&p->req);
	if (p->req.error == -ENOMSG)
		return 0;
	return p->req.error ? p->req.error : 1;
}

static int probe_claim(const struct weft_p2p_args *a, struct weft_p2p **msg_p,
		       MPI_Status *status)
{
	struct weft_p2p *p = weft_p2p_open(weft_p2p_init_recv, a, 0);
	int rc;

	if (!p)
		return -ENOMEM;
	rc = peek(p, a, true);
	if (rc != 1) {
		p->req.ops->free(&p->req);
		return rc;
	}
	if (status != MPI_STATUS_IGNORE)
		weft_req_status(&p->req, status);
	p->req.obj.kind = WEFT_KIND_MSG;
	*msg_p = p;
	return 1;
}

/*
 * Makes one progress pass. In virtual time, registers a request for the
 * deadlock report.
 */
static void poll_for(const struct weft_p2p_args *a)
{
	struct weft_p2p p;
	struct weft_req *r = &p.req;

	if (weft_likely(!weft_core.traits.reports_waits)) {
		weft_progress_poll(NULL, 0, false);
		return;
	}
	weft_req_init(r, NULL, a->comm, WEFT_REQ_ACTIVE);
	weft_p2p_init_recv(&p, a);
	weft_progress_poll(&r, 1, false);
}

int weft_core_iprobe(const struct weft_p2p_args *a, struct weft_p2p **msg_p,
		     MPI_Status *status)
{
	struct weft_p2p p;
	int rc;

	poll_for(a);
	if (msg_p)
		return probe_claim(a, msg_p, status);
	weft_req_init(&p.req, NULL, a->comm, WEFT_REQ_ACTIVE);
	rc = peek(&p, a, false);
	if (rc == 1 && status != MPI_STATUS_IGNORE)
		weft_req_status(&p.req, status);
	return rc;
}

/*
 * Returns -errno if the message can no longer arrive, otherwise 0; checks only
 * if the time *next_ns has come.
 */
static int probe_dead_peer(const struct weft_p2p_args *a, uint64_t *next_ns,
			   uint64_t now)
{
	uint64_t word, ignore;

	if (!weft_wait_check_due(next_ns, now,
				 weft_core.survives ? WEFT_MS : DEAD_NS))
		return 0;
	if (weft_core.survives)
		return weft_recover_check_probe(a->comm, a->peer);
	weft_p2p_match_word(a, &word, &ignore);
	return weft_failure_check(word, ignore);
}

/*
 * Waits for a message. The arrival of an unexpected message completes no
 * operation, so a probe waits by polling, with increasing intervals.
 */
int weft_core_probe(const struct weft_p2p_args *a, struct weft_p2p **msg_p,
		    MPI_Status *status)
{
	unsigned yields =
		weft_wait_policy_choose(&weft_core.policy)->yield.count;
	unsigned spins, idle = 0;
	uint64_t next_ns = 0;
	uint64_t now;
	int dead_err = 0;
	int rc;

	for (;;) {
		uint32_t mark = weft_load32(&weft_completed);

		/* probe again: the message may have arrived meanwhile */
		rc = weft_core_iprobe(a, msg_p, status);
		if (rc || dead_err)
			return rc == 1 ? 0 : rc ? rc : dead_err;
		spins = weft_load32_relaxed(&weft_core.spin);
		if (++idle < spins || weft_core.traits.polls_block)
			continue;
		now = weft_now_ns();
		dead_err = probe_dead_peer(a, &next_ns, now);
		if (dead_err)
			continue;
		if (idle >= spins + yields ||
		    !weft_wait_policy_yield(&weft_core.policy, now))
			weft_progress_block(mark, 1);
	}
}

/* ---- receiving a matched message ----------------------------------------- */

static int post_claimed(struct weft_retry *e)
{
	struct weft_p2p *p = weft_container_of(e, struct weft_p2p, pend);
	struct iovec iov[PIECES];
	struct fi_msg_tagged m = { .msg_iov = iov,
				   .iov_count = 1,
				   .addr = FI_ADDR_UNSPEC,
				   .tag = p->word,
				   .ignore = p->ignore,
				   .context = &p->io.fi };
	size_t pos = 0;

	if (weft_typed_is(p) && !p->bounce)
		return weft_fi_errno(weft_typed_recv(p, FI_CLAIM));
	if (p->bounce || p->pieces <= 1) {
		iov[0].iov_base =
			p->bounce ? p->bounce
				  : weft_p2p_start(p->data.buf, p->data.dt);
		iov[0].iov_len = p->bytes;
	} else {
		m.iov_count =
			(size_t)weft_pack_iov(&p->data, &pos, iov, p->pieces);
	}
	return weft_fi_errno(
		(int)fi_trecvmsg(weft_core.ep, &m, FI_CLAIM | FI_COMPLETION));
}

int weft_core_imrecv(struct weft_p2p *p, void *buf, MPI_Count count,
		     struct weft_dt *dt, struct weft_req **req_p)
{
	struct weft_dt *old = (struct weft_dt *)(uintptr_t)p->data.dt;
	int rc;

	p->data.buf = buf;
	p->data.count = count;
	p->data.dt = weft_dt_get(dt);
	weft_dt_put(old);
	p->bytes = weft_typed_bytes(&p->data);
	p->req.obj.kind = WEFT_KIND_REQ;
	p->req.error = 0;
	/* relaxed: no thread waits yet */
	weft_store32_relaxed(&p->req.done, 0);
	p->io.done = weft_p2p_recv_done;
	p->pend.post = post_claimed;
	weft_lock();
	rc = weft_p2p_start_recv(p);
	weft_unlock();
	if (rc)
		p->req.ops->free(&p->req);
	else
		*req_p = &p->req;
	return rc;
}

struct weft_p2p *weft_msg_of(MPI_Message handle)
{
	struct weft_req *r = weft_obj_of(handle, WEFT_KIND_MSG);

	return r ? weft_container_of(r, struct weft_p2p, req) : NULL;
}

struct weft_comm *weft_msg_comm(struct weft_p2p *msg)
{
	return msg->req.comm;
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* Acknowledgements and cancel, for providers that lack them (msg_ack.h). */
#include "src/msg/msg_ack.h"

#include "src/core/core_fi.h"
#include "src/core/core_lock.h"
#include "src/msg/msg.h"
#include "src/msg/msg_progress.h"
#include "src/boot/boot_wire_up.h"

#include <errno.h>
#include <rdma/fi_tagged.h>
#include <stdlib.h>

uint32_t weft_ctrl_id(void)
{
	static uint32_t ids;

	return ++ids & (uint32_t)WEFT_TAG_MASK;
}

/* ---- control messages ---------------------------------------------------- */

struct ctrl_msg {
	struct weft_retry pend;
	uint64_t tag;
	uint32_t value;
	uint32_t len; /* number of bytes of `value` to send: 0 or 4 */
};

static int post_ctrl_msg(struct weft_retry *e)
{
	struct ctrl_msg *w = weft_container_of(e, struct ctrl_msg, pend);

	return weft_fi_errno((int)fi_tinject(weft_core.ep, &w->value, w->len,
					     e->lane->real, w->tag));
}

static void ctrl_msg_left(struct weft_retry *e, int rc)
{
	free(weft_container_of(e, struct ctrl_msg, pend));
}

static int send_ctrl(int proc, uint64_t tag, const uint32_t *value)
{
	struct ctrl_msg *w = malloc(sizeof(*w));
	int rc = w ? weft_wire_resolve(proc) : -ENOMEM;

	if (rc) {
		free(w);
		return rc;
	}
	w->pend.post = post_ctrl_msg;
	w->pend.left = ctrl_msg_left;
	w->pend.lane = &weft_core.proc[proc];
	w->tag = tag;
	w->value = value ? *value : 0;
	w->len = value ? sizeof(*value) : 0;
	rc = weft_retry_post(&w->pend);
	if (!weft_retry_is_queued(&w->pend))
		free(w);
	return rc;
}

/* ---- acknowledgements ---------------------------------------------------- */

static void ack_done(struct weft_io *io, const struct fi_cq_tagged_entry *e,
		     int err)
{
	struct weft_p2p *p = weft_container_of(io, struct weft_p2p, ack);

	/* -ECANCELED: the receive was cancelled; the send has no error */
	weft_p2p_send_completed(p, err == -ECANCELED ? 0 : err);
}

int weft_ctrl_expect(struct weft_p2p *p)
{
	int rc = 0;

	if (p->ack_posted)
		return 0;
	p->ack.done = ack_done;
	rc = (int)fi_trecv(weft_core.ep, NULL, 0, NULL, FI_ADDR_UNSPEC,
			   weft_tag_ctrl(WEFT_CTRL_ACK, p->id), 0, &p->ack.fi);
	if (rc)
		return rc;
	p->ack_posted = true;
	p->left++;
	return 0;
}

void weft_ctrl_cancel_expected(struct weft_p2p *p)
{
	if (p->ack_posted)
		fi_cancel(&weft_core.ep->fid, &p->ack.fi);
}

void weft_ctrl_matched(const struct weft_comm *comm, int source, uint64_t data)
{
	if (data & WEFT_ACK_REQUESTED)
		send_ctrl(comm->proc[source],
			  weft_tag_ctrl(WEFT_CTRL_ACK, (uint32_t)data), NULL);
}

/* ---- cancelling: the sender ---------------------------------------------- */

/* Cancel request, as sent to the receiver. */
struct cancel_request {
	uint64_t word; /* tag word of the message */
	uint32_t id;
	/* rank in the job of the process that sends the request */
	int32_t proc;
};

struct recall {
	struct weft_io answer;
	struct weft_retry pend;
	struct weft_p2p *p;
	struct cancel_request cancel_request;
	uint32_t cancelled;
	bool answer_posted; /* the receive for the answer is posted */
};

static void recall_done(struct recall *r, int err)
{
	struct weft_p2p *p = r->p;

	free(r);
	weft_p2p_send_completed(p, err);
}

static void cancel_answered(struct weft_io *io,
			    const struct fi_cq_tagged_entry *e, int err)
{
	struct recall *r = weft_container_of(io, struct recall, answer);
	bool cancelled = !err && r->cancelled;

	if (cancelled)
		weft_ctrl_cancel_expected(r->p);
	recall_done(r, cancelled ? -ECANCELED : 0);
}

static int post_recall(struct weft_retry *e)
{
	struct recall *r = weft_container_of(e, struct recall, pend);
	int rc = 0;

	if (!r->answer_posted)
		rc = (int)fi_trecv(
			weft_core.ep, &r->cancelled, sizeof(r->cancelled), NULL,
			FI_ADDR_UNSPEC,
			weft_tag_ctrl(WEFT_CTRL_ANSWER, r->cancel_request.id),
			0, &r->answer.fi);
	if (rc)
		return weft_fi_errno(rc);
	r->answer_posted = true;
	return weft_fi_errno((int)fi_tinject(
		weft_core.ep, &r->cancel_request, sizeof(r->cancel_request),
		e->lane->real, weft_tag_ctrl(WEFT_CTRL_CANCEL, 0)));
}

/*
 * Called when the cancel request has left the retry queue. rc not 0: the
 * request could not be sent, and the send is unchanged.
 */
static void recall_left(struct weft_retry *e, int rc)
{
	struct recall *r = weft_container_of(e, struct recall, pend);

	if (rc && r->answer_posted)
		fi_cancel(&weft_core.ep->fid, &r->answer.fi);
	else if (rc)
		recall_done(r, 0);
}

int weft_ctrl_cancel(struct weft_p2p *p)
{
	struct recall *r;
	int rc;

	if (p->cancel_sent)
		return 0;
	r = calloc(1, sizeof(*r));
	if (!r)
		return -ENOMEM;
	p->cancel_sent = true;
	p->left++;
	r->answer.done = cancel_answered;
	r->pend.post = post_recall;
	r->pend.left = recall_left;
	r->pend.lane = p->pend.lane;
	r->p = p;
	r->cancel_request =
		(struct cancel_request){ p->word, p->id, weft_core.job.rank };
	rc = weft_retry_post(&r->pend);
	if (rc)
		recall_left(&r->pend, rc);
	return rc;
}

/* ---- cancelling: the receiver -------------------------------------------- */

/* Search for the message of a cancel request, stepped by the progress loop. */
struct search {
	struct weft_req req;
	struct weft_io io;
	struct cancel_request cancel_request;
	bool completed; /* the posted operation has completed */
	int err;	/* error of the posted operation */
	uint64_t id;	/* id of the message found */
	size_t len;
	/* buffer into which the cancelled message is received, or NULL */
	void *scratch;
};

static void search_completed(struct weft_io *io,
			     const struct fi_cq_tagged_entry *e, int err)
{
	struct search *s = weft_container_of(io, struct search, io);

	s->completed = true;
	s->err = err;
	/*
	 * FI_REMOTE_CQ_DATA is not tested: ofi_rxm does not set it in the flags
	 * of a peek
	 */
	s->id = e->data & WEFT_TAG_MASK;
	s->len = e->len;
}

static int search_post(struct search *s, uint64_t flags)
{
	struct iovec iov = { s->scratch, s->len };
	struct fi_msg_tagged m = { .msg_iov = &iov,
				   .iov_count = s->scratch ? 1 : 0,
				   .addr = FI_ADDR_UNSPEC,
				   .tag = s->cancel_request.word,
				   .context = &s->io.fi };

	s->completed = false;
	return (int)fi_trecvmsg(weft_core.ep, &m, flags | FI_COMPLETION);
}

/*
 * Peeks and polls until the result is available. Requires the lock, so that no
 * receive is posted meanwhile. Returns 1: a message was found; 0: none;
 * -EAGAIN: retry.
 */
static int search_peek(struct search *s, uint64_t flags)
{
	int rc = search_post(s, FI_PEEK | flags);

	if (rc)
		return rc == -FI_ENOMSG ? 0 : weft_fi_errno(rc);
	while (!s->completed)
		weft_progress_read();
	return s->err == -ENOMSG ? 0 : s->err ? s->err : 1;
}

/* Returns 0: continue; 1: the message was not found, or not received. */
static int search_try(struct search *s)
{
	int rc = search_peek(s, 0);

	if (rc == -EAGAIN || (rc == 1 && s->id != s->cancel_request.id))
		return 0;
	if (rc != 1)
		return 1;
	s->scratch = malloc(s->len + 1);
	if (!s->scratch)
		return 1;
	rc = search_peek(s, FI_CLAIM);
	if (rc == 1) {
		while ((rc = search_post(s, FI_CLAIM)) == -FI_EAGAIN)
			weft_progress_read();
		return rc != 0;
	}
	free(s->scratch);
	s->scratch = NULL;
	return rc != -EAGAIN;
}

static int search_step(struct weft_req *r)
{
	struct search *s = weft_container_of(r, struct search, req);
	uint32_t cancelled;
	int done;

	weft_lock();
	done = s->scratch ? s->completed : search_try(s);
	if (done) {
		cancelled = s->scratch && s->completed && !s->err;
		send_ctrl(s->cancel_request.proc,
			  weft_tag_ctrl(WEFT_CTRL_ANSWER, s->cancel_request.id),
			  &cancelled);
	}
	weft_unlock();
	return done;
}

static void search_free(struct weft_req *r)
{
	struct search *s = weft_container_of(r, struct search, req);

	free(s->scratch);
	free(s);
}

static const struct weft_req_ops search_ops = {
	.name = "cancel",
	.start = weft_req_no_start,
	.cancel = weft_req_no_cancel,
	.step = search_step,
	.query = weft_req_no_query,
	.free = search_free,
};

/* Receive for cancel requests, which is always posted. */
static struct {
	struct weft_io io;
	struct weft_retry pend;
	struct cancel_request cancel_request;
} cancel_recv;

static int post_cancel_recv(struct weft_retry *e)
{
	return weft_fi_errno((int)fi_trecv(
		weft_core.ep, &cancel_recv.cancel_request,
		sizeof(cancel_recv.cancel_request), NULL, FI_ADDR_UNSPEC,
		weft_tag_ctrl(WEFT_CTRL_CANCEL, 0), 0, &cancel_recv.io.fi));
}

static void cancel_recv_left(struct weft_retry *e, int rc)
{
}

/* Handles a cancel request; sends no answer if memory is exhausted. */
static void cancel_requested(struct weft_io *io,
			     const struct fi_cq_tagged_entry *e, int err)
{
	struct search *s;

	if (err == -ECANCELED)
		return;
	s = !err && cancel_recv.cancel_request.proc >= 0 &&
			    cancel_recv.cancel_request.proc < weft_core.job.size
		    ? calloc(1, sizeof(*s))
		    : NULL;
	if (s) {
		weft_req_init(&s->req, &search_ops, NULL,
			      WEFT_REQ_ACTIVE | WEFT_REQ_ORPHAN);
		s->io.done = search_completed;
		s->cancel_request = cancel_recv.cancel_request;
		weft_progress_add_held(&s->req);
	}
	weft_retry_post(&cancel_recv.pend);
}

int weft_ctrl_open(void)
{
	int rc = 0;

	if (weft_core.reports_match)
		return 0;
	cancel_recv.io.done = cancel_requested;
	cancel_recv.pend.post = post_cancel_recv;
	cancel_recv.pend.left = cancel_recv_left;
	cancel_recv.pend.lane = &weft_retry_recv_lane;
	weft_lock();
	rc = weft_retry_post(&cancel_recv.pend);
	weft_unlock();
	return rc;
}

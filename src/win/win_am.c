/* SPDX-License-Identifier: BSD-3-Clause */
/* Sends and receives the messages of windows; see win_am.h. */
#include "src/win/win_am.h"

#include "src/core/core_fi.h"
#include "src/core/core_lock.h"
#include "src/msg/msg_progress.h"
#include "src/msg/msg_tag.h"
#include "src/boot/boot_wire_up.h"

#include <errno.h>
#include <rdma/fi_tagged.h>
#include <stdalign.h>
#include <stdlib.h>
#include <string.h>

/* ---- sending ------------------------------------------------------------- */

struct am_msg {
	struct weft_io io;
	struct weft_retry pend;
	struct win_op *op;
	uint64_t word;
	size_t bytes;
	bool injected; /* sent by fi_tinject: there is no completion */
	alignas(16) char data[];
};

static void am_msg_end(struct am_msg *l, int err)
{
	struct win_op *op = l->op;

	free(l);
	if (op)
		win_op_piece_done(op, err);
}

static void am_msg_done(struct weft_io *io, const struct fi_cq_tagged_entry *e,
			int err)
{
	(void)e;
	am_msg_end(weft_container_of(io, struct am_msg, io), err);
}

static int am_msg_post(struct weft_retry *e)
{
	struct am_msg *l = weft_container_of(e, struct am_msg, pend);
	fi_addr_t to = e->lane->real;
	ssize_t rc;

	l->injected = l->bytes <= weft_core.inject_bytes;
	if (l->injected)
		rc = fi_tinject(weft_core.ep, l->data, l->bytes, to, l->word);
	else
		rc = fi_tsend(weft_core.ep, l->data, l->bytes, NULL, to,
			      l->word, &l->io.fi);
	return weft_fi_errno((int)rc);
}

static void am_msg_left(struct weft_retry *e, int rc)
{
	struct am_msg *l = weft_container_of(e, struct am_msg, pend);

	if (rc || l->injected)
		am_msg_end(l, rc);
}

static struct am_msg *am_msg_new(struct weft_win *w, const struct win_am *head,
				 const struct iovec *part, int n)
{
	size_t bytes = sizeof(*head);
	struct am_msg *l;

	for (int i = 0; i < n; i++)
		bytes += part[i].iov_len;
	l = malloc(sizeof(*l) + bytes);
	if (!l)
		return NULL;
	l->io.done = am_msg_done;
	l->pend.post = am_msg_post;
	l->pend.left = am_msg_left;
	l->word = weft_tag_word(w->comm->ctx, WEFT_CTX_CTRL, w->rank, 0);
	l->bytes = bytes;
	memcpy(l->data, head, sizeof(*head));
	bytes = sizeof(*head);
	for (int i = 0; i < n; i++) {
		memcpy(l->data + bytes, part[i].iov_base, part[i].iov_len);
		bytes += part[i].iov_len;
	}
	return l;
}

int win_am_send(struct weft_win *w, int rank, const struct win_am *head,
		const struct iovec *part, int n, struct win_op *op)
{
	int proc = w->comm->proc[rank];
	struct am_msg *l = am_msg_new(w, head, part, n);
	int rc = l ? weft_wire_resolve(proc) : -ENOMEM;

	if (rc) {
		free(l);
		return rc;
	}
	l->pend.lane = &weft_core.proc[proc];
	l->op = op;
	if (op)
		op->left++;
	rc = weft_retry_post(&l->pend);
	if (rc) {
		if (op)
			op->left--;
		free(l);
	} else if (!weft_retry_is_queued(&l->pend) && l->injected) {
		am_msg_end(l, 0);
	}
	return rc;
}

int win_am_send_empty(struct weft_win *w, int rank, enum win_am_type type,
		      uint32_t flags)
{
	struct win_am head = { .type = type, .flags = flags };
	int rc;

	weft_lock();
	rc = win_am_send(w, rank, &head, NULL, 0, NULL);
	weft_unlock();
	return rc;
}

/* ---- receiving ----------------------------------------------------------- */

struct win_am_recv {
	struct weft_io io;
	struct weft_retry pend;
	struct weft_win *w;
	bool cancelled; /* the receive is no longer posted */
	alignas(16) char data[WIN_AM_BYTES];
};

static int receive_post(struct weft_retry *e)
{
	struct win_am_recv *receive =
		weft_container_of(e, struct win_am_recv, pend);
	uint64_t word =
		weft_tag_word(receive->w->comm->ctx, WEFT_CTX_CTRL, 0, 0);

	return weft_fi_errno(
		(int)fi_trecv(weft_core.ep, receive->data,
			      sizeof(receive->data), NULL, FI_ADDR_UNSPEC, word,
			      WEFT_TAG_SRC | WEFT_TAG_MASK, &receive->io.fi));
}

static void receive_left(struct weft_retry *e, int rc)
{
	if (rc)
		weft_container_of(e, struct win_am_recv, pend)->cancelled =
			true;
}

static void receive_done(struct weft_io *io, const struct fi_cq_tagged_entry *e,
			 int err)
{
	struct win_am_recv *receive =
		weft_container_of(io, struct win_am_recv, io);
	struct win_am head;
	int source = weft_tag_source(e->tag);

	if (err == -ECANCELED) {
		receive->cancelled = true;
		weft_progress_notify();
		return;
	}
	if (!err && e->len >= sizeof(head) && source < receive->w->size) {
		memcpy(&head, receive->data, sizeof(head));
		receive->w->serve(receive->w, source, &head,
				  receive->data + sizeof(head),
				  e->len - sizeof(head));
	}
	if (weft_retry_post(&receive->pend))
		receive->cancelled = true;
}

/* Posts the receive; requires the core lock. */
static int receive_open(struct weft_win *w)
{
	struct win_am_recv *receive = calloc(1, sizeof(*receive));
	int rc;

	if (!receive)
		return -ENOMEM;
	receive->io.done = receive_done;
	receive->pend.post = receive_post;
	receive->pend.left = receive_left;
	receive->pend.lane = &weft_retry_recv_lane;
	receive->w = w;
	rc = weft_retry_post(&receive->pend);
	if (rc)
		free(receive);
	else
		w->receive = receive;
	return rc;
}

int win_am_open(struct weft_win *w)
{
	int rc = 0;

	weft_lock();
	if (!w->receive)
		rc = receive_open(w);
	weft_unlock();
	return rc;
}

void win_am_close(struct weft_win *w)
{
	struct win_am_recv *receive = w->receive;
	struct weft_idle idle;

	if (!receive)
		return;
	weft_lock();
	if (weft_retry_remove(&receive->pend))
		receive->cancelled = true;
	else if (!receive->cancelled)
		fi_cancel(&weft_core.ep->fid, &receive->io.fi);
	weft_unlock();
	idle = weft_idle_begin(NULL, 0, false);
	while (!receive->cancelled)
		weft_idle_pass(&idle);
	free(receive);
	w->receive = NULL;
}

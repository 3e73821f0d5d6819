/* SPDX-License-Identifier: BSD-3-Clause */
/* Messages about failures (recover_msg.h). */
#include "src/recover/recover_msg.h"

#include "src/base/list.h"
#include "src/base/log.h"
#include "src/boot/boot_abort.h"
#include "src/boot/boot_wire_up.h"
#include "src/core/core_fi.h"
#include "src/core/core_io.h"
#include "src/core/core_state.h"
#include "src/msg/msg_progress.h"
#include "src/msg/msg_retry.h"
#include "src/msg/msg_tag.h"

#include <assert.h>
#include <errno.h>
#include <rdma/fi_tagged.h>
#include <stdlib.h>
#include <string.h>

enum {
	RECVS = 8, /* posted receives */
	/* longest value besides one bit per process: flags and context ids */
	VALUE_WORDS = 32,
};

/* ---- sending ------------------------------------------------------------- */

struct outgoing {
	struct weft_io io;
	struct weft_retry pend;
	size_t bytes;
	bool posted; /* completes with a CQ entry */
	struct weft_recover_msg msg;
};

static_assert(offsetof(struct outgoing, msg) +
			      sizeof(struct weft_recover_msg) ==
		      sizeof(struct outgoing),
	      "the value follows the message");

static uint64_t tag_word(void)
{
	return weft_tag_ctrl(WEFT_CTRL_RECOVER, 0);
}

static void send_done(struct weft_io *io, const struct fi_cq_tagged_entry *e,
		      int err)
{
	free(weft_container_of(io, struct outgoing, io));
}

static int post_send(struct weft_retry *e)
{
	struct outgoing *o = weft_container_of(e, struct outgoing, pend);
	fi_addr_t to = e->lane->real;
	int rc;

	if (o->bytes <= weft_core.inject_bytes)
		return weft_fi_errno((int)fi_tinject(weft_core.ep, &o->msg,
						     o->bytes, to, tag_word()));
	rc = (int)fi_tsend(weft_core.ep, &o->msg, o->bytes, NULL, to,
			   tag_word(), &o->io.fi);
	o->posted = !rc;
	return weft_fi_errno(rc);
}

/* Called when the message has left the retry queue. */
static void send_left(struct weft_retry *e, int rc)
{
	struct outgoing *o = weft_container_of(e, struct outgoing, pend);

	if (!o->posted)
		free(o);
}

void weft_recover_msg_send(int proc, const struct weft_recover_msg *m,
			   const uint64_t *value)
{
	size_t bytes = m->words * sizeof(*value);
	struct outgoing *o = malloc(sizeof(*o) + bytes);

	if (!o)
		weft_core_abort(1, "out of memory for a message about a "
				   "failure");
	o->msg = *m;
	if (bytes)
		memcpy(&o->msg + 1, value, bytes);
	o->bytes = sizeof(*m) + bytes;
	o->posted = false;
	o->io.done = send_done;
	o->pend.post = post_send;
	o->pend.left = send_left;
	o->pend.lane = &weft_core.proc[proc];
	if (weft_wire_resolve(proc)) {
		free(o);
		return;
	}
	weft_retry_post(&o->pend);
	if (!weft_retry_is_queued(&o->pend))
		send_left(&o->pend, 0);
}

/* ---- receiving ----------------------------------------------------------- */

struct incoming {
	struct weft_list link;
	size_t bytes;
	struct weft_recover_msg msg;
};

struct receive {
	struct weft_io io;
	struct weft_retry pend;
	struct weft_recover_msg *msg;
};

static struct receive receives[RECVS];
static size_t room; /* size of a receive buffer */
static struct weft_list arrived = { &arrived, &arrived };
static void (*handler)(const struct weft_recover_msg *m);

static int post_receive(struct weft_retry *e)
{
	struct receive *r = weft_container_of(e, struct receive, pend);

	return weft_fi_errno((int)fi_trecv(weft_core.ep, r->msg, room, NULL,
					   FI_ADDR_UNSPEC, tag_word(), 0,
					   &r->io.fi));
}

static void receive_left(struct weft_retry *e, int rc)
{
}

/*
 * Keeps a copy of the message for weft_recover_msg_deliver(), since its handler
 * posts operations.
 */
static void keep(const struct weft_recover_msg *msg, size_t bytes)
{
	struct incoming *m;

	if (bytes < sizeof(*msg) || bytes > room ||
	    msg->words != (bytes - sizeof(*msg)) / sizeof(uint64_t)) {
		weft_log(WEFT_LOG_WARN, "invalid message about a failure");
		return;
	}
	m = malloc(offsetof(struct incoming, msg) + bytes);
	if (!m)
		weft_core_abort(1, "out of memory for a message about a "
				   "failure");
	memcpy(&m->msg, msg, bytes);
	weft_list_push_back(&arrived, &m->link);
	weft_progress_attention();
}

static void receive_done(struct weft_io *io, const struct fi_cq_tagged_entry *e,
			 int err)
{
	struct receive *r = weft_container_of(io, struct receive, io);

	if (err == -ECANCELED || !r->msg)
		return;
	if (!err)
		keep(r->msg, e->len);
	weft_retry_post(&r->pend);
}

void weft_recover_msg_deliver(void)
{
	struct weft_list *n;

	while ((n = weft_list_pop_front(&arrived))) {
		struct incoming *m =
			weft_container_of(n, struct incoming, link);

		handler(&m->msg);
		free(m);
	}
}

int weft_recover_msg_open(void (*handle)(const struct weft_recover_msg *m))
{
	size_t words = VALUE_WORDS + 2 * ((size_t)weft_core.proc_room / 64 + 1);
	int rc = 0;

	handler = handle;
	room = sizeof(struct weft_recover_msg) + words * sizeof(uint64_t);
	for (int i = 0; i < RECVS && !rc; i++) {
		struct receive *r = &receives[i];

		r->msg = malloc(room);
		if (!r->msg)
			return -ENOMEM;
		r->io.done = receive_done;
		r->pend.post = post_receive;
		r->pend.left = receive_left;
		r->pend.lane = &weft_retry_recv_lane;
		rc = weft_retry_post(&r->pend);
	}
	return rc;
}

void weft_recover_msg_close(void)
{
	struct weft_list *n;

	while ((n = weft_list_pop_front(&arrived)))
		free(weft_container_of(n, struct incoming, link));
	for (int i = 0; i < RECVS; i++) {
		free(receives[i].msg);
		receives[i].msg = NULL;
	}
}

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The shared message queue: one mailbox for each pair of PEs that communicate,
 * all through one window. The PE that sends first sends the name (handle and
 * offset) of its mailbox. A PE that receives a name opens a mailbox and sends
 * its name, unless it has already done so.
 */
#include "prov/machine/gemini/gemini_dev.h"
#include "prov/machine/machine_transport.h"

#include "src/base/attr.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct msgq_pair {
	struct weft_gemini_smsg *box;
	struct weft_peer *peer;
	uint32_t pe;
	bool name_sent; /* the name of the local mailbox was sent to the peer */
	bool connected; /* the peer's mailbox is known */
};

struct weft_gemini_msgq {
	struct weft_gemini *f;
	struct weft_gemini_msgq_attr attr;
	struct weft_table pair; /* pairs by peer: struct msgq_pair */
	uint32_t next_pair;	/* first pair of the next poll pass */
};

WEFT_EXPORT int weft_gemini_msgq_open(struct weft_gemini *f,
				      const struct weft_gemini_msgq_attr *attr,
				      struct weft_gemini_msgq **q_p)
{
	struct weft_gemini_msgq *q;

	if (!attr->slots || (attr->slots & (attr->slots - 1)) ||
	    attr->w >= WEFT_GEMINI_WINDOWS || !attr->message)
		return -EINVAL;
	if (f->msgq)
		return -EBUSY;
	q = calloc(1, sizeof(*q));
	if (!q)
		return -ENOMEM;
	q->f = f;
	q->attr = *attr;
	f->msgq = q;
	*q_p = q;
	return 0;
}

WEFT_EXPORT void weft_gemini_msgq_close(struct weft_gemini_msgq *q)
{
	if (!q)
		return;
	for (uint32_t i = 0; i < q->pair.count; i++) {
		struct msgq_pair *p = q->pair.cell[i];

		if (p)
			weft_gemini_smsg_close(p->box);
		free(p);
	}
	weft_table_fini(&q->pair);
	q->f->msgq = NULL;
	free(q);
}

static struct msgq_pair *msgq_pair_open(struct weft_gemini_msgq *q,
					struct weft_peer *peer, uint32_t pe)
{
	struct msgq_pair *p = calloc(1, sizeof(*p));

	if (!p)
		return NULL;
	if (weft_gemini_smsg_open(q->f, q->attr.slots, WEFT_GEMINI_MSGQ_BYTES,
				  &p->box)) {
		free(p);
		return NULL;
	}
	p->peer = peer;
	p->pe = pe;
	return p;
}

static struct msgq_pair *pair_of(struct weft_gemini_msgq *q,
				 struct weft_peer *peer, uint32_t pe)
{
	void **cell = weft_table_slot(&q->pair, peer->index);

	if (cell && !*cell)
		*cell = msgq_pair_open(q, peer, pe);
	return cell ? *cell : NULL;
}

/* Sends the name of the local mailbox to the peer, once. */
static void msgq_pair_name_send(struct weft_gemini_msgq *q, struct msgq_pair *p)
{
	struct weft_carrier *c = q->f->port.carrier;
	struct weft_gemini_smsg_name name = { .pe = 0 };
	struct iovec iov = { .iov_base = &name, .iov_len = sizeof(name) };
	const struct weft_pkt pkt = {
		.type = GEMINI_PKT,
		.flags = GEMINI_CONNECT,
		.len = sizeof(name),
	};

	if (p->name_sent)
		return;
	weft_gemini_smsg_name(p->box, &name);
	p->name_sent = c->ops->send(c, p->peer, &pkt, &iov, 1) == 0;
}

void gemini_msgq_arrive(struct weft_gemini_msgq *q, struct weft_peer *src,
			const struct weft_pkt *pkt, const void *payload)
{
	struct weft_gemini_smsg_name name;
	struct msgq_pair *p;
	uint32_t pe;

	if (!q || pkt->len != sizeof(name))
		return;
	pe = weft_port_node(&q->f->port, src);
	if (pe == WEFT_PORT_NO_NODE)
		return;
	memcpy(&name, payload, sizeof(name));
	name.pe = pe;
	p = pair_of(q, src, pe);
	if (!p || p->connected)
		return;
	p->connected = !weft_gemini_smsg_connect(p->box, q->attr.w, &name);
	msgq_pair_name_send(q, p);
}

WEFT_EXPORT int weft_gemini_msgq_send(struct weft_gemini_msgq *q, uint32_t pe,
				      const void *buf, uint32_t bytes)
{
	struct weft_peer *peer = gemini_peer(q->f, pe);
	struct msgq_pair *p;

	if (!peer)
		return -EHOSTUNREACH;
	if (bytes > WEFT_GEMINI_MSGQ_BYTES)
		return -EMSGSIZE;
	if (peer->lost)
		return -ECONNRESET;
	p = pair_of(q, peer, pe);
	if (!p)
		return -ENOMEM;
	msgq_pair_name_send(q, p);
	return p->connected ? weft_gemini_smsg_send(p->box, buf, bytes)
			    : -EAGAIN;
}

/* Delivers the next message of a pair, if there is one. */
static int msgq_pair_poll(struct weft_gemini_msgq *q, struct msgq_pair *p)
{
	const void *buf;
	uint32_t bytes;

	if (!p)
		return 0;
	msgq_pair_name_send(q, p);
	if (weft_gemini_smsg_next(p->box, &buf, &bytes))
		return 0;
	q->attr.message(q->attr.arg, p->pe, buf, bytes);
	weft_gemini_smsg_release(p->box);
	return 1;
}

WEFT_EXPORT int weft_gemini_msgq_progress(struct weft_gemini_msgq *q,
					  int budget)
{
	uint32_t count = q->pair.count, idle = 0;
	int n = 0;

	while (n < budget && idle < count) {
		int took =
			msgq_pair_poll(q, q->pair.cell[q->next_pair++ % count]);

		n += took;
		idle = took ? 0 : idle + 1;
	}
	return n;
}

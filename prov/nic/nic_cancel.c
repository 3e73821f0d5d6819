/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Cancelling posted operations. A posted receive completes at once, and so does
 * a send of which no packet has been sent. If the bytes or the announcement of
 * a send are at the receiver, the receiver decides: if the message waits there
 * for a receive, the receiver drops it and sends FIN with ECANCELED; if a
 * receive has matched the message, the receiver sends the usual FIN, or has
 * sent it.
 *
 *      sender                         receiver
 *        | ---- RTS ------------------> | no receive: it waits
 *        | ---- CANCEL ---------------> | dropped
 *        | <--- FIN: ECANCELED -------- |
 *
 * A claimed message counts as matched: its send completes when it is received.
 */
#include "prov/nic/nic_cancel.h"
#include "prov/nic/nic_int.h"
#include "prov/nic/nic_op.h"
#include "prov/nic/nic_recv.h"
#include "prov/nic/nic_send.h"

int nic_got_cancel(struct weft_nic *nic, struct weft_peer *src,
		   const struct weft_pkt *pkt, const void *payload)
{
	if (!pkt->aux)
		return -EPROTO;
	if (nic_msg_cancel(nic, src, pkt->flags, pkt->aux))
		nic_fin(nic, src, pkt->aux, -ECANCELED);
	return 0;
}

static void send_cancel(struct weft_nic *nic, struct weft_nic_op *op)
{
	if (op->cancel)
		return;
	if (op->state == NIC_KEPT) {
		nic_end(nic, op, -ECANCELED);
		return;
	}
	op->cancel = true;
	/*
	 * if packets are left to send, the request is sent after the last of
	 * them
	 */
	if (op->state != NIC_SENDING)
		nic_cancel_request(nic, op);
}

static bool list_cancel(struct weft_nic *nic, struct weft_list *list,
			void *context)
{
	struct weft_list *n;
	struct weft_nic_op *op;

	for (n = list->next; n != list; n = n->next) {
		op = weft_container_of(n, struct weft_nic_op, link);
		if (op->kind != WEFT_SEND || op->context != context)
			continue;
		send_cancel(nic, op);
		return true;
	}
	return false;
}

static bool posted_cancel(struct weft_nic *nic, struct weft_match *m,
			  void *context)
{
	struct weft_list *n;
	struct weft_nic_op *op;

	for (n = m->posted.next; n != &m->posted; n = n->next) {
		op = weft_container_of(n, struct weft_nic_op, m.order);
		if (op->context != context)
			continue;
		nic_recv_fail(nic, op, -ECANCELED);
		return true;
	}
	return false;
}

int weft_nic_cancel(struct weft_nic *nic, void *context)
{
	struct weft_list *n;
	struct nic_peer *p;

	if (posted_cancel(nic, &nic->match[0], context) ||
	    posted_cancel(nic, &nic->match[1], context))
		return 0;
	if (!nic_ready(nic))
		return -ENOMEM;
	for (n = nic->peers.next; n != &nic->peers; n = n->next) {
		p = weft_container_of(n, struct nic_peer, link);
		if (list_cancel(nic, &p->sending, context) ||
		    list_cancel(nic, &p->bulk, context) ||
		    list_cancel(nic, &p->waiting, context))
			return 0;
	}
	return -ENOENT;
}

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Messages in memory that the processor cannot access, between processes of a
 * host. The announcement describes the memory; the receiver's device copies
 * from it (callback fetch of the layer above) while this process continues, and
 * the receive completes in a later poll.
 *
 *      sender                              receiver
 *        | ---- RTS: description ----------> | match
 *        |                                   | fetch
 *        |                                   | poll, poll: fetched
 *        | <--- FIN ------------------------ |
 *
 * If both processes use one device, the same process copies in both directions:
 * a device takes 0.1 ms or more to switch between processes. The receiver then
 * requests the copy from the sender.
 *
 *        | ---- RTS: description ----------> | match
 *        | <--- STORE: description --------- |
 *        | store                             |
 *        | poll, poll: fetched               |
 *        | ---- STORED --------------------> |
 *
 * If a process cannot access the other's memory, the receiver requests packets
 * (nic_rndv.c).
 */
#include "prov/nic/nic_fetch.h"
#include "prov/nic/nic_op.h"
#include "prov/nic/nic_rndv.h"
#include "prov/nic/nic_send.h"
#include "src/base/must.h"

#include <stdlib.h>

struct fetch {
	struct weft_list link; /* entry in nic->fetching */
	struct weft_nic_op *op;
	uint32_t ticket;
};

/* Registers a copy that was started. The death of the peer does not end it. */
static void copy_started(struct weft_nic *nic, struct fetch *f,
			 struct weft_nic_op *op)
{
	f->op = op;
	op->state = NIC_DMA;
	weft_list_push_back(&nic->fetching, &f->link);
}

static void stored_send(struct weft_nic *nic, struct weft_nic_op *op, int err)
{
	const struct weft_pkt pkt = {
		.type = NIC_STORED,
		.aux = op->remote_id,
		.tag = (uint64_t)-err,
	};

	nic_ctrl(nic, op->peer, &pkt, NULL);
}

/* ---- receiver ---- */

/*
 * Requests that the sender copy the message, if the callback offer() selects
 * the sender. Returns whether the request was sent.
 */
static bool store_request(struct weft_nic *nic, struct weft_nic_op *op,
			  const struct weft_mem_share *share)
{
	struct weft_mem_share mine;
	struct weft_pkt pkt = {
		.type = NIC_STORE,
		.aux = op->remote_id,
		.data = op->limit,
		.len = sizeof(mine),
	};

	if (!nic->up->offer(nic->up_arg, op, share, &mine) ||
	    nic_id_new(nic, op))
		return false;
	pkt.tag = op->id;
	op->state = NIC_WAITING_COPY;
	op->peer_cell = 0;
	nic_ctrl(nic, op->peer, &pkt, &mine);
	return true;
}

bool nic_fetch(struct weft_nic *nic, struct weft_nic_op *op,
	       const struct weft_mem_share *share)
{
	struct fetch *f;
	int err;

	WEFT_ASSERT(op->kind == WEFT_RECV && op->state == NIC_WAITING);
	if (!nic->up->fetch)
		return false;
	if (store_request(nic, op, share))
		return true;
	f = malloc(sizeof(*f));
	if (!f)
		return false;
	err = nic->up->fetch(nic->up_arg, op, share, &f->ticket);
	if (!err && f->ticket) {
		copy_started(nic, f, op);
		return true;
	}
	free(f);
	if (err == -EOPNOTSUPP)
		return false;
	nic_fin_then_done(nic, op, err);
	return true;
}

int nic_got_stored(struct weft_nic *nic, struct weft_peer *src,
		   const struct weft_pkt *pkt, const void *payload)
{
	struct weft_nic_op *op = nic_id_op(nic, pkt->aux, src);

	if (!op || op->kind != WEFT_RECV || op->state != NIC_WAITING_COPY ||
	    op->peer_cell || pkt->tag > 4095)
		return -EPROTO;
	op->state = NIC_WAITING;
	if (pkt->tag == EOPNOTSUPP)
		nic_paced(nic, op);
	else
		nic_end(nic, op, -(int)pkt->tag);
	return 0;
}

/* ---- sender ---- */

static int store_begin(struct weft_nic *nic, struct weft_nic_op *op,
		       const struct weft_pkt *pkt, const void *payload)
{
	struct weft_mem_share share;
	struct fetch *f = malloc(sizeof(*f));
	int err;

	if (!f)
		return -EOPNOTSUPP;
	memcpy(&share, payload, sizeof(share));
	err = nic->up->store(nic->up_arg, op, &share, pkt->data, &f->ticket);
	if (err)
		free(f);
	else
		copy_started(nic, f, op);
	return err;
}

int nic_got_store(struct weft_nic *nic, struct weft_peer *src,
		  const struct weft_pkt *pkt, const void *payload)
{
	struct weft_nic_op *op = nic_id_op(nic, pkt->aux, src);
	int err;

	if (!op || op->kind != WEFT_SEND || op->state != NIC_WAITING ||
	    !nic_is_typed(op) || !op->share || !nic->up->store ||
	    pkt->len != sizeof(struct weft_mem_share) || !pkt->data ||
	    pkt->data > op->len)
		return -EPROTO;
	op->remote_id = (uint32_t)pkt->tag;
	err = store_begin(nic, op, pkt, payload);
	if (!err)
		return 0;
	stored_send(nic, op, err);
	/*
	 * after -EOPNOTSUPP the receiver requests packets; any other error ends
	 * the message
	 */
	if (err != -EOPNOTSUPP)
		nic_end(nic, op, err);
	return 0;
}

/* ---- completion ---- */

static void copy_done(struct weft_nic *nic, struct weft_nic_op *op, int err)
{
	op->state = NIC_WAITING;
	if (op->kind == WEFT_RECV) {
		nic_fin_then_done(nic, op, err);
		return;
	}
	stored_send(nic, op, err);
	nic_end(nic, op, err);
}

void nic_fetch_poll(struct weft_nic *nic)
{
	struct weft_list *n, *tmp;

	weft_list_each(n, tmp, &nic->fetching) {
		struct fetch *f = weft_container_of(n, struct fetch, link);
		struct weft_nic_op *op = f->op;
		int err = nic->up->fetched(nic->up_arg, f->ticket);

		/* copies complete in the order in which they were started */
		if (err == -EAGAIN)
			return;
		weft_list_remove(&f->link);
		free(f);
		copy_done(nic, op, err);
	}
}

void nic_fetch_fini(struct weft_nic *nic)
{
	struct weft_list *n;

	while ((n = weft_list_pop_front(&nic->fetching)))
		free(weft_container_of(n, struct fetch, link));
}

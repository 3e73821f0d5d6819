/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The Sunway interface as transport of the message engine (machine sunway).
 *
 * An engine packet of up to 128 bytes is a fast short message: the processor
 * writes header and data on chip. A longer one is a reliable queue message of
 * up to 2048 bytes. Both use the single send queue and the receive queue of any
 * peer. Messages are unordered on this machine, so each has a sequence number,
 * and the receiver delivers them in that order without duplicates. Bulk data is
 * RDMA (swhni_bulk.c); where one process cannot access the other's memory, the
 * unit returns an error and the engine sends packets.
 */
#include "prov/nic/nic_help.h"
#include "prov/nic/swhni/swhni_bulk.h"
#include "prov/nic/swhni/swhni_engine.h"
#include "prov/nic/swhni/swhni_layout.h"

#include "src/base/attr.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define SWHNI_TRANSPORT_FSM (WEFT_SWHNI_FSM - sizeof(struct weft_pkt))
#define SWHNI_TRANSPORT_REORDER_MAX \
	1024 /* size of a peer's reorder buffer, messages */

/* A message received out of order, or refused by the engine. */
struct swhni_transport_early {
	struct swhni_transport_early *next;
	struct weft_pkt pkt;
	unsigned char payload[];
};

/* Sequence numbers of one peer, both directions. */
struct swhni_transport_peer {
	struct weft_peer *peer;
	uint16_t sent;
	uint16_t taken;
	uint16_t waiting; /* messages in early */
	struct swhni_transport_early
		*early; /* reorder buffer, by sequence number */
};

struct swhni_engine {
	struct weft_unit unit;
	const struct weft_carrier_up *up;
	void *up_arg;
	size_t max_bytes;
	struct weft_table peer; /* struct swhni_transport_peer */
	struct swhni_bulks *bulks;
	unsigned early; /* messages in all reorder buffers */
	struct weft_swhni_stats stats;
};

static struct swhni_engine *he(struct weft_unit *u)
{
	return weft_container_of(u, struct swhni_engine, unit);
}

static struct swhni_transport_peer *
swhni_transport_peer_open(struct swhni_engine *e, struct weft_peer *peer)
{
	void **cell = weft_table_slot(&e->peer, peer->index);
	struct swhni_transport_peer *p;

	if (!cell || *cell)
		return cell ? *cell : NULL;
	p = calloc(1, sizeof(*p));
	if (p)
		p->peer = peer;
	*cell = p;
	return p;
}

static inline struct swhni_transport_peer *
swhni_transport_peer(struct swhni_engine *e, struct weft_peer *peer)
{
	struct swhni_transport_peer *p = weft_table_get(&e->peer, peer->index);

	return weft_likely(p != NULL) ? p : swhni_transport_peer_open(e, peer);
}

/* ---- sending ---- */

/* Virtual time: the path and the data bytes of the message. */
static void swhni_transport_path_set(struct swhni_engine *e,
				     const struct weft_pkt *pkt, bool fsm)
{
	struct weft_carrier *c = e->unit.carrier;
	const struct weft_vt_pkt_attr way = {
		.path = (uint8_t)c->virt->path(c, fsm ? "fsm" : "queue"),
		.ack = true,
		.full = pkt->len == e->max_bytes,
		.bytes = 1 + (pkt->len < 8 ? 8u : pkt->len),
	};

	c->virt->way(c, &way);
}

static int swhni_transport_packet(struct weft_unit *u, struct weft_peer *peer,
				  const struct weft_pkt *pkt,
				  const struct iovec *iov, int iov_count)
{
	struct swhni_engine *e = he(u);
	struct swhni_transport_peer *p = swhni_transport_peer(e, peer);
	bool fsm = pkt->len <= SWHNI_TRANSPORT_FSM;
	struct weft_pkt out = *pkt;
	int err;

	if (weft_unlikely(!p))
		return -ENOMEM;
	if (weft_unlikely(pkt->len > e->max_bytes))
		return -EMSGSIZE;
	out.unit = p->sent | (fsm ? SWHNI_UNIT_FSM : 0);
	if (weft_unlikely(u->carrier->virt != NULL))
		swhni_transport_path_set(e, pkt, fsm);
	err = u->carrier->ops->send(u->carrier, peer, &out, iov, iov_count);
	if (weft_unlikely(err))
		return err;
	p->sent++;
	e->stats.fsms += fsm;
	e->stats.queued += !fsm;
	return 0;
}

/* ---- receiving ---- */

/* Distance to the next expected message; 0: in order. */
static uint16_t
swhni_transport_seq_distance(const struct swhni_transport_peer *p,
			     const struct weft_pkt *pkt)
{
	return (uint16_t)((pkt->unit & SWHNI_SEQ) - p->taken);
}

/* Adds a message to the reorder buffer unless it is a duplicate. */
static int swhni_transport_reorder_add(struct swhni_engine *e,
				       struct swhni_transport_peer *p,
				       const struct weft_pkt *pkt,
				       const void *payload)
{
	struct swhni_transport_early **at = &p->early;
	uint16_t ahead = swhni_transport_seq_distance(p, pkt);
	struct swhni_transport_early *m;

	while (*at && swhni_transport_seq_distance(p, &(*at)->pkt) < ahead)
		at = &(*at)->next;
	if (ahead >= SWHNI_TRANSPORT_REORDER_MAX ||
	    (*at && swhni_transport_seq_distance(p, &(*at)->pkt) == ahead)) {
		e->stats.doubles++;
		return 0;
	}
	m = malloc(sizeof(*m) + pkt->len);
	if (!m)
		return -EAGAIN;
	m->pkt = *pkt;
	memcpy(m->payload, payload, pkt->len);
	m->next = *at;
	*at = m;
	p->waiting++;
	e->early++;
	return 0;
}

/* Delivers messages of the reorder buffer in order; returns their number. */
static int swhni_transport_reorder_deliver(struct swhni_engine *e,
					   struct swhni_transport_peer *p)
{
	struct swhni_transport_early *m;
	int n = 0;

	while ((m = p->early) && !swhni_transport_seq_distance(p, &m->pkt)) {
		if (e->up->deliver(e->up_arg, p->peer, &m->pkt, m->payload))
			break;
		p->early = m->next;
		p->taken++;
		p->waiting--;
		e->early--;
		free(m);
		n++;
	}
	return n;
}

static int swhni_transport_out_of_order(struct swhni_engine *e,
					struct swhni_transport_peer *p,
					const struct weft_pkt *pkt,
					const void *payload)
{
	int err = swhni_transport_reorder_add(e, p, pkt, payload);

	swhni_transport_reorder_deliver(e, p);
	return err;
}

static int swhni_transport_deliver(void *arg, struct weft_peer *src,
				   const struct weft_pkt *pkt,
				   const void *payload)
{
	struct swhni_engine *e = arg;
	struct swhni_transport_peer *p;
	int err;

	if (weft_unlikely(pkt->type >= WEFT_PKT_UNIT ||
			  pkt->len > e->max_bytes)) {
		e->stats.refused++;
		return 0;
	}
	p = swhni_transport_peer(e, src);
	if (weft_unlikely(!p))
		return -EAGAIN;
	if (weft_unlikely(p->waiting || swhni_transport_seq_distance(p, pkt)))
		return swhni_transport_out_of_order(e, p, pkt, payload);
	err = e->up->deliver(e->up_arg, src, pkt, payload);
	if (weft_likely(!err))
		p->taken++;
	return err;
}

static int swhni_transport_retry(struct swhni_engine *e)
{
	int n = 0;

	for (uint32_t i = 0; i < e->peer.count; i++) {
		if (e->peer.cell[i])
			n += swhni_transport_reorder_deliver(e,
							     e->peer.cell[i]);
	}
	return n;
}

static int swhni_transport_poll(struct weft_unit *u, int budget)
{
	struct swhni_engine *e = he(u);
	int n = u->carrier->ops->poll(u->carrier, budget);

	if (weft_unlikely(e->early)) {
		n += swhni_transport_retry(e);
		u->carrier->ops->wake(u->carrier); /* poll again, no block */
	}
	return n;
}

/* Delivers all packets of a lost peer before its loss is reported. */
static void swhni_transport_lost(void *arg, struct weft_peer *peer, int err)
{
	struct swhni_engine *e = arg;
	struct swhni_transport_peer *p = weft_table_get(&e->peer, peer->index);
	struct swhni_transport_early *m;

	if (p) {
		swhni_transport_reorder_deliver(e, p);
		while ((m = p->early)) {
			p->early = m->next;
			free(m);
			e->early--;
		}
		p->waiting = 0;
	}
	e->up->lost(e->up_arg, peer, err);
}

static const struct weft_carrier_up swhni_transport_up = {
	.deliver = swhni_transport_deliver,
	.lost = swhni_transport_lost,
};

/* ---- bulk ---- */

static int swhni_transport_get(struct weft_unit *u, struct weft_peer *peer,
			       struct weft_dma *d)
{
	if (peer->lost)
		return -ECONNRESET;
	return swhni_bulk_move(he(u)->bulks, peer, d, true);
}

static int swhni_transport_put(struct weft_unit *u, struct weft_peer *peer,
			       struct weft_dma *d)
{
	if (peer->lost)
		return -ECONNRESET;
	return swhni_bulk_move(he(u)->bulks, peer, d, false);
}

/* The interface has no atomics: the target's processor performs them. */
static int swhni_transport_amo(struct weft_unit *u, struct weft_peer *peer,
			       struct weft_amo *a)
{
	return -EOPNOTSUPP;
}

/* ---- open and close ---- */

static void swhni_transport_peer_free(struct swhni_transport_peer *p)
{
	struct swhni_transport_early *m;

	if (!p)
		return;
	while ((m = p->early)) {
		p->early = m->next;
		free(m);
	}
	free(p);
}

static void swhni_transport_close(struct weft_unit *u)
{
	struct swhni_engine *e = he(u);

	if (u->carrier)
		u->carrier->ops->close(u->carrier);
	swhni_bulk_close(e->bulks);
	for (uint32_t i = 0; i < e->peer.count; i++)
		swhni_transport_peer_free(e->peer.cell[i]);
	weft_table_fini(&e->peer);
	free(e);
}

static int swhni_transport_open(const struct weft_machine *m,
				const struct weft_carrier_ops *carrier,
				const struct weft_carrier_attr *attr,
				struct weft_unit **u_p)
{
	struct swhni_engine *e = calloc(1, sizeof(*e));
	struct weft_carrier_attr a = *attr;
	int err;

	if (!e)
		return -ENOMEM;
	e->unit.ops = &weft_unit_swhni;
	e->up = attr->up;
	e->up_arg = attr->up_arg;
	e->max_bytes = m->packet_bytes;
	a.share_bytes = (a.share_bytes + SWHNI_ANSWER_LINE - 1) /
				SWHNI_ANSWER_LINE * SWHNI_ANSWER_LINE +
			SWHNI_ANSWER_LINE;
	a.up = &swhni_transport_up;
	a.up_arg = e;
	e->bulks = swhni_bulk_open(&e->unit);
	err = e->bulks ? carrier->open(&a, &e->unit.carrier) : -ENOMEM;
	if (err) {
		swhni_transport_close(&e->unit);
		return err;
	}
	*u_p = &e->unit;
	return 0;
}

const struct weft_unit_ops weft_unit_swhni = {
	.name = "swhni",
	.packet_max = WEFT_SWHNI_PACKET,
	.open = swhni_transport_open,
	.close = swhni_transport_close,
	.packet = swhni_transport_packet,
	.get = swhni_transport_get,
	.put = swhni_transport_put,
	.amo = swhni_transport_amo,
	.poll = swhni_transport_poll,
};

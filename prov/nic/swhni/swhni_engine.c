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

#define HE_FSM	 (WEFT_SWHNI_FSM - sizeof(struct weft_pkt))
#define HE_EARLY 1024 /* size of a peer's reorder buffer, messages */

/* A message received out of order, or refused by the engine. */
struct he_early {
	struct he_early *next;
	struct weft_pkt pkt;
	unsigned char payload[];
};

/* Sequence numbers of one peer, both directions. */
struct he_peer {
	struct weft_peer *peer;
	uint16_t sent;
	uint16_t taken;
	uint16_t waiting;	/* messages in early */
	struct he_early *early; /* reorder buffer, by sequence number */
};

struct swhni_engine {
	struct weft_unit unit;
	const struct weft_carrier_up *up;
	void *up_arg;
	size_t max_bytes;
	struct weft_table peer; /* struct he_peer */
	struct swhni_bulks *bulks;
	unsigned early; /* messages in all reorder buffers */
	struct weft_swhni_stats stats;
};

static struct swhni_engine *he(struct weft_unit *u)
{
	return weft_container_of(u, struct swhni_engine, unit);
}

static struct he_peer *he_meet(struct swhni_engine *e, struct weft_peer *peer)
{
	void **cell = weft_table_cell(&e->peer, peer->index);
	struct he_peer *p;

	if (!cell || *cell)
		return cell ? *cell : NULL;
	p = calloc(1, sizeof(*p));
	if (p)
		p->peer = peer;
	*cell = p;
	return p;
}

static inline struct he_peer *he_peer(struct swhni_engine *e,
				      struct weft_peer *peer)
{
	struct he_peer *p = weft_table_get(&e->peer, peer->index);

	return weft_likely(p != NULL) ? p : he_meet(e, peer);
}

/* ---- sending ---- */

/* Virtual time: the path and the data bytes of the message. */
static void he_way(struct swhni_engine *e, const struct weft_pkt *pkt, bool fsm)
{
	struct weft_carrier *c = e->unit.carrier;
	const struct weft_vt_way way = {
		.path = (uint8_t)c->virt->path(c, fsm ? "fsm" : "queue"),
		.ack = true,
		.full = pkt->len == e->max_bytes,
		.bytes = 1 + (pkt->len < 8 ? 8u : pkt->len),
	};

	c->virt->way(c, &way);
}

static int he_packet(struct weft_unit *u, struct weft_peer *peer,
		     const struct weft_pkt *pkt, const struct iovec *iov,
		     int iov_count)
{
	struct swhni_engine *e = he(u);
	struct he_peer *p = he_peer(e, peer);
	bool fsm = pkt->len <= HE_FSM;
	struct weft_pkt out = *pkt;
	int err;

	if (weft_unlikely(!p))
		return -ENOMEM;
	if (weft_unlikely(pkt->len > e->max_bytes))
		return -EMSGSIZE;
	out.unit = p->sent | (fsm ? SWHNI_UNIT_FSM : 0);
	if (weft_unlikely(u->carrier->virt != NULL))
		he_way(e, pkt, fsm);
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
static uint16_t he_ahead(const struct he_peer *p, const struct weft_pkt *pkt)
{
	return (uint16_t)((pkt->unit & SWHNI_SEQ) - p->taken);
}

/* Adds a message to the reorder buffer unless it is a duplicate. */
static int he_keep(struct swhni_engine *e, struct he_peer *p,
		   const struct weft_pkt *pkt, const void *payload)
{
	struct he_early **at = &p->early;
	uint16_t ahead = he_ahead(p, pkt);
	struct he_early *m;

	while (*at && he_ahead(p, &(*at)->pkt) < ahead)
		at = &(*at)->next;
	if (ahead >= HE_EARLY || (*at && he_ahead(p, &(*at)->pkt) == ahead)) {
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
static int he_catch_up(struct swhni_engine *e, struct he_peer *p)
{
	struct he_early *m;
	int n = 0;

	while ((m = p->early) && !he_ahead(p, &m->pkt)) {
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

static int he_out_of_turn(struct swhni_engine *e, struct he_peer *p,
			  const struct weft_pkt *pkt, const void *payload)
{
	int err = he_keep(e, p, pkt, payload);

	he_catch_up(e, p);
	return err;
}

static int he_deliver(void *arg, struct weft_peer *src,
		      const struct weft_pkt *pkt, const void *payload)
{
	struct swhni_engine *e = arg;
	struct he_peer *p;
	int err;

	if (weft_unlikely(pkt->type >= WEFT_PKT_UNIT ||
			  pkt->len > e->max_bytes)) {
		e->stats.refused++;
		return 0;
	}
	p = he_peer(e, src);
	if (weft_unlikely(!p))
		return -EAGAIN;
	if (weft_unlikely(p->waiting || he_ahead(p, pkt)))
		return he_out_of_turn(e, p, pkt, payload);
	err = e->up->deliver(e->up_arg, src, pkt, payload);
	if (weft_likely(!err))
		p->taken++;
	return err;
}

static int he_retry(struct swhni_engine *e)
{
	int n = 0;

	for (uint32_t i = 0; i < e->peer.count; i++) {
		if (e->peer.cell[i])
			n += he_catch_up(e, e->peer.cell[i]);
	}
	return n;
}

static int he_poll(struct weft_unit *u, int budget)
{
	struct swhni_engine *e = he(u);
	int n = u->carrier->ops->poll(u->carrier, budget);

	if (weft_unlikely(e->early)) {
		n += he_retry(e);
		u->carrier->ops->wake(u->carrier); /* poll again, no block */
	}
	return n;
}

/* Delivers all packets of a lost peer before its loss is reported. */
static void he_lost(void *arg, struct weft_peer *peer, int err)
{
	struct swhni_engine *e = arg;
	struct he_peer *p = weft_table_get(&e->peer, peer->index);
	struct he_early *m;

	if (p) {
		he_catch_up(e, p);
		while ((m = p->early)) {
			p->early = m->next;
			free(m);
			e->early--;
		}
		p->waiting = 0;
	}
	e->up->lost(e->up_arg, peer, err);
}

static const struct weft_carrier_up he_up = {
	.deliver = he_deliver,
	.lost = he_lost,
};

/* ---- bulk ---- */

static int he_get(struct weft_unit *u, struct weft_peer *peer,
		  struct weft_dma *d)
{
	if (peer->lost)
		return -ECONNRESET;
	return swhni_bulk_move(he(u)->bulks, peer, d, true);
}

static int he_put(struct weft_unit *u, struct weft_peer *peer,
		  struct weft_dma *d)
{
	if (peer->lost)
		return -ECONNRESET;
	return swhni_bulk_move(he(u)->bulks, peer, d, false);
}

/* The interface has no atomics: the target's processor performs them. */
static int he_amo(struct weft_unit *u, struct weft_peer *peer,
		  struct weft_amo *a)
{
	return -EOPNOTSUPP;
}

/* ---- open and close ---- */

static void he_peer_free(struct he_peer *p)
{
	struct he_early *m;

	if (!p)
		return;
	while ((m = p->early)) {
		p->early = m->next;
		free(m);
	}
	free(p);
}

static void he_close(struct weft_unit *u)
{
	struct swhni_engine *e = he(u);

	if (u->carrier)
		u->carrier->ops->close(u->carrier);
	swhni_bulk_close(e->bulks);
	for (uint32_t i = 0; i < e->peer.count; i++)
		he_peer_free(e->peer.cell[i]);
	weft_table_fini(&e->peer);
	free(e);
}

static int he_open(const struct weft_machine *m,
		   const struct weft_carrier_ops *carrier,
		   const struct weft_carrier_attr *attr, struct weft_unit **u_p)
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
	a.up = &he_up;
	a.up_arg = e;
	e->bulks = swhni_bulk_open(&e->unit);
	err = e->bulks ? carrier->open(&a, &e->unit.carrier) : -ENOMEM;
	if (err) {
		he_close(&e->unit);
		return err;
	}
	*u_p = &e->unit;
	return 0;
}

const struct weft_unit_ops weft_unit_swhni = {
	.name = "swhni",
	.packet_max = WEFT_SWHNI_PACKET,
	.open = he_open,
	.close = he_close,
	.packet = he_packet,
	.get = he_get,
	.put = he_put,
	.amo = he_amo,
	.poll = he_poll,
};

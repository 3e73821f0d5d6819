/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The Sunway interface as transport of the message engine (machine sunway).
 *
 * An engine packet of up to 128 bytes is a fast short message: the processor
 * writes header and data on chip. A longer engine packet is a reliable queue
 * message of up to 2048 bytes. All peers share one send queue and one receive
 * queue. Messages are unordered on this machine, so each has a sequence number,
 * and the receiver delivers messages in that order, without duplicates. Bulk
 * data is RDMA (sunway_bulk.c). If one process cannot access the other's
 * memory, the unit returns an error, and the engine sends packets.
 */
#include "prov/machine/machine_transport.h"
#include "prov/machine/sunway/sunway_bulk.h"
#include "prov/machine/sunway/sunway_transport.h"
#include "prov/machine/sunway/sunway_layout.h"

#include "src/base/attr.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define SUNWAY_TRANSPORT_FSM (WEFT_SUNWAY_FSM - sizeof(struct weft_pkt))
#define SUNWAY_TRANSPORT_REORDER_MAX \
	1024 /* size of a peer's reorder buffer, messages */

/* A message that arrived out of order, or that the engine refused. */
struct sunway_transport_early {
	struct sunway_transport_early *next;
	struct weft_pkt pkt;
	unsigned char payload[];
};

/* Sequence numbers of one peer, both directions. */
struct sunway_transport_peer {
	struct weft_peer *peer;
	uint16_t sent;
	uint16_t taken;
	uint16_t waiting; /* messages in early */
	struct sunway_transport_early
		*early; /* reorder buffer, by sequence number */
};

struct sunway_transport {
	struct weft_unit unit;
	const struct weft_carrier_up *up;
	void *up_arg;
	size_t max_bytes;
	struct weft_table peer; /* peers: struct sunway_transport_peer */
	struct sunway_bulks *bulks;
	unsigned early; /* messages in all reorder buffers */
	struct weft_sunway_stats stats;
};

static struct sunway_transport *sunway_transport_of(struct weft_unit *u)
{
	return weft_container_of(u, struct sunway_transport, unit);
}

static struct sunway_transport_peer *
sunway_transport_peer_open(struct sunway_transport *e, struct weft_peer *peer)
{
	void **cell = weft_table_slot(&e->peer, peer->index);
	struct sunway_transport_peer *p;

	if (!cell || *cell)
		return cell ? *cell : NULL;
	p = calloc(1, sizeof(*p));
	if (p)
		p->peer = peer;
	*cell = p;
	return p;
}

static inline struct sunway_transport_peer *
sunway_transport_peer(struct sunway_transport *e, struct weft_peer *peer)
{
	struct sunway_transport_peer *p = weft_table_get(&e->peer, peer->index);

	return weft_likely(p != NULL) ? p : sunway_transport_peer_open(e, peer);
}

/* ---- sending ---- */

/* Virtual time: sets the path and the data bytes of the message. */
static void sunway_transport_path_set(struct sunway_transport *e,
				      const struct weft_pkt *pkt, bool fsm)
{
	struct weft_carrier *c = e->unit.carrier;
	const struct weft_pkt_attr path = {
		.path = (uint8_t)c->ops->backend->path(c,
						       fsm ? "fsm" : "queue"),
		.ack = true,
		.full = pkt->len == e->max_bytes,
		.bytes = 1 + (pkt->len < 8 ? 8u : pkt->len),
	};

	c->ops->backend->routing(c, &path);
}

static int sunway_transport_packet(struct weft_unit *u, struct weft_peer *peer,
				   const struct weft_pkt *pkt,
				   const struct iovec *iov, int iov_count)
{
	struct sunway_transport *e = sunway_transport_of(u);
	struct sunway_transport_peer *p = sunway_transport_peer(e, peer);
	bool fsm = pkt->len <= SUNWAY_TRANSPORT_FSM;
	struct weft_pkt out = *pkt;
	int err;

	if (weft_unlikely(!p))
		return -ENOMEM;
	if (weft_unlikely(pkt->len > e->max_bytes))
		return -EMSGSIZE;
	out.unit = p->sent | (fsm ? SUNWAY_UNIT_FSM : 0);
	if (weft_unlikely(u->carrier->ops->backend->paths))
		sunway_transport_path_set(e, pkt, fsm);
	err = u->carrier->ops->send(u->carrier, peer, &out, iov, iov_count);
	if (weft_unlikely(err))
		return err;
	p->sent++;
	e->stats.fsms += fsm;
	e->stats.queued += !fsm;
	return 0;
}

/* ---- receiving ---- */

/* Returns the distance from the next expected sequence number; 0: in order. */
static uint16_t
sunway_transport_seq_distance(const struct sunway_transport_peer *p,
			      const struct weft_pkt *pkt)
{
	return (uint16_t)((pkt->unit & SUNWAY_SEQ) - p->taken);
}

/* Adds a message to the reorder buffer unless it is a duplicate. */
static int sunway_transport_reorder_add(struct sunway_transport *e,
					struct sunway_transport_peer *p,
					const struct weft_pkt *pkt,
					const void *payload)
{
	struct sunway_transport_early **at = &p->early;
	uint16_t ahead = sunway_transport_seq_distance(p, pkt);
	struct sunway_transport_early *m;

	while (*at && sunway_transport_seq_distance(p, &(*at)->pkt) < ahead)
		at = &(*at)->next;
	if (ahead >= SUNWAY_TRANSPORT_REORDER_MAX ||
	    (*at && sunway_transport_seq_distance(p, &(*at)->pkt) == ahead)) {
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

/* Delivers messages of the reorder buffer in order. Returns their number. */
static int sunway_transport_reorder_deliver(struct sunway_transport *e,
					    struct sunway_transport_peer *p)
{
	struct sunway_transport_early *m;
	int n = 0;

	while ((m = p->early) && !sunway_transport_seq_distance(p, &m->pkt)) {
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

static int sunway_transport_out_of_order(struct sunway_transport *e,
					 struct sunway_transport_peer *p,
					 const struct weft_pkt *pkt,
					 const void *payload)
{
	int err = sunway_transport_reorder_add(e, p, pkt, payload);

	sunway_transport_reorder_deliver(e, p);
	return err;
}

static int sunway_transport_deliver(void *arg, struct weft_peer *src,
				    const struct weft_pkt *pkt,
				    const void *payload)
{
	struct sunway_transport *e = arg;
	struct sunway_transport_peer *p;
	int err;

	if (weft_unlikely(pkt->type >= WEFT_PKT_UNIT ||
			  pkt->len > e->max_bytes)) {
		e->stats.refused++;
		return 0;
	}
	p = sunway_transport_peer(e, src);
	if (weft_unlikely(!p))
		return -EAGAIN;
	if (weft_unlikely(p->waiting || sunway_transport_seq_distance(p, pkt)))
		return sunway_transport_out_of_order(e, p, pkt, payload);
	err = e->up->deliver(e->up_arg, src, pkt, payload);
	if (weft_likely(!err))
		p->taken++;
	return err;
}

static int sunway_transport_retry(struct sunway_transport *e)
{
	int n = 0;

	for (uint32_t i = 0; i < e->peer.count; i++) {
		if (e->peer.cell[i])
			n += sunway_transport_reorder_deliver(e,
							      e->peer.cell[i]);
	}
	return n;
}

static int sunway_transport_poll(struct weft_unit *u, int budget)
{
	struct sunway_transport *e = sunway_transport_of(u);
	int n = u->carrier->ops->poll(u->carrier, budget);

	if (weft_unlikely(e->early)) {
		n += sunway_transport_retry(e);
		u->carrier->ops->wake(u->carrier); /* poll again */
	}
	return n;
}

/* Delivers all packets of a lost peer before the loss is reported. */
static void sunway_transport_lost(void *arg, struct weft_peer *peer, int err)
{
	struct sunway_transport *e = arg;
	struct sunway_transport_peer *p = weft_table_get(&e->peer, peer->index);
	struct sunway_transport_early *m;

	if (p) {
		sunway_transport_reorder_deliver(e, p);
		while ((m = p->early)) {
			p->early = m->next;
			free(m);
			e->early--;
		}
		p->waiting = 0;
	}
	e->up->lost(e->up_arg, peer, err);
}

static const struct weft_carrier_up sunway_transport_up = {
	.deliver = sunway_transport_deliver,
	.lost = sunway_transport_lost,
};

/* ---- bulk ---- */

static int sunway_transport_get(struct weft_unit *u, struct weft_peer *peer,
				struct weft_dma *d)
{
	if (peer->lost)
		return -ECONNRESET;
	return sunway_bulk_move(sunway_transport_of(u)->bulks, peer, d, true);
}

static int sunway_transport_put(struct weft_unit *u, struct weft_peer *peer,
				struct weft_dma *d)
{
	if (peer->lost)
		return -ECONNRESET;
	return sunway_bulk_move(sunway_transport_of(u)->bulks, peer, d, false);
}

/* The interface has no atomics; the target's processor performs them. */
static int sunway_transport_amo(struct weft_unit *u, struct weft_peer *peer,
				struct weft_amo *a)
{
	return -EOPNOTSUPP;
}

/* ---- open and close ---- */

static void sunway_transport_peer_free(struct sunway_transport_peer *p)
{
	struct sunway_transport_early *m;

	if (!p)
		return;
	while ((m = p->early)) {
		p->early = m->next;
		free(m);
	}
	free(p);
}

static void sunway_transport_close(struct weft_unit *u)
{
	struct sunway_transport *e = sunway_transport_of(u);

	if (u->carrier)
		u->carrier->ops->close(u->carrier);
	sunway_bulk_close(e->bulks);
	for (uint32_t i = 0; i < e->peer.count; i++)
		sunway_transport_peer_free(e->peer.cell[i]);
	weft_table_fini(&e->peer);
	free(e);
}

static int sunway_transport_open(const struct weft_machine *m,
				 const struct weft_carrier_ops *carrier,
				 const struct weft_carrier_attr *attr,
				 struct weft_unit **u_p)
{
	struct sunway_transport *e = calloc(1, sizeof(*e));
	struct weft_carrier_attr a = *attr;
	int err;

	if (!e)
		return -ENOMEM;
	e->unit.ops = &weft_unit_sunway;
	e->up = attr->up;
	e->up_arg = attr->up_arg;
	e->max_bytes = m->packet_bytes;
	a.share_bytes = (a.share_bytes + SUNWAY_ANSWER_LINE - 1) /
				SUNWAY_ANSWER_LINE * SUNWAY_ANSWER_LINE +
			SUNWAY_ANSWER_LINE;
	a.up = &sunway_transport_up;
	a.up_arg = e;
	e->bulks = sunway_bulk_open(&e->unit);
	err = e->bulks ? carrier->open(&a, &e->unit.carrier) : -ENOMEM;
	if (err) {
		sunway_transport_close(&e->unit);
		return err;
	}
	*u_p = &e->unit;
	return 0;
}

const struct weft_unit_ops weft_unit_sunway = {
	.name = "swhni",
	.packet_max = WEFT_SUNWAY_PACKET,
	.open = sunway_transport_open,
	.close = sunway_transport_close,
	.packet = sunway_transport_packet,
	.get = sunway_transport_get,
	.put = sunway_transport_put,
	.amo = sunway_transport_amo,
	.poll = sunway_transport_poll,
};

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The Sunway interface as transport of the message engine (machine sunway).
 *
 * An engine packet of up to 128 bytes is a fast short message: the processor
 * writes header and data on chip. A longer engine packet is a reliable queue
 * message of up to 2048 bytes. All peers share one interface: a send queue, a
 * receive queue and a completion queue; per peer there is a window at both ends
 * (sunway_qp.c). Bulk data is RDMA (sunway_bulk.c). If one process cannot
 * access the other's memory, the unit returns an error, and the engine sends
 * packets. Both ports of the unit use one carrier.
 *
 * In virtual time the model simulates the message slots, the windows and the
 * acknowledgements, and the packet names its path.
 */
#include "prov/machine/machine_transport.h"
#include "prov/machine/sunway/sunway_bulk.h"
#include "prov/machine/sunway/sunway_qp.h"
#include "prov/machine/sunway/sunway_transport.h"

struct sunway_transport {
	struct weft_unit unit;
	struct weft_sunway *n;
	struct sunway_qps qps;
	struct sunway_bulks *bulks;
};

static struct sunway_transport *sunway_transport_of(struct weft_unit *u)
{
	return weft_container_of(u, struct sunway_transport, unit);
}

struct weft_sunway *sunway_transport_chip(struct weft_unit *u)
{
	return sunway_transport_of(u)->n;
}

/* ---- packets ---- */

/* Sets the path and the data bytes of the message for the model. */
static void sunway_transport_path_set(struct sunway_transport *e,
				      const struct weft_pkt *pkt, bool fsm)
{
	struct weft_carrier *c = e->unit.carrier;
	const struct weft_pkt_attr path = {
		.path = (uint8_t)c->ops->backend->path(c,
						       fsm ? "fsm" : "queue"),
		.ack = true,
		.full = pkt->len == e->qps.max_bytes,
		.bytes = 1 + (pkt->len < 8 ? 8u : pkt->len),
	};

	c->ops->backend->routing(c, &path);
}

/* Sends a packet in virtual time; the model acknowledges it. */
static int sunway_transport_modelled(struct sunway_transport *e,
				     struct sunway_qp *p,
				     const struct weft_pkt *pkt,
				     const struct iovec *iov, int iov_count)
{
	struct weft_carrier *c = e->unit.carrier;
	bool fsm = pkt->len <= SUNWAY_QP_FSM;
	struct weft_pkt out = *pkt;
	int err;

	out.unit = sunway_qp_word(p, p->next, fsm);
	sunway_transport_path_set(e, pkt, fsm);
	err = c->ops->send(c, p->peer, &out, iov, iov_count);
	if (err)
		return err;
	p->acked = ++p->next;
	e->n->stats.fsms += fsm;
	e->n->stats.queued += !fsm;
	return 0;
}

static int sunway_transport_packet(struct weft_unit *u, struct weft_peer *peer,
				   const struct weft_pkt *pkt,
				   const struct iovec *iov, int iov_count)
{
	struct sunway_transport *e = sunway_transport_of(u);
	struct sunway_qp *p = sunway_qp(&e->qps, peer);

	if (weft_unlikely(!p))
		return -ENOMEM;
	if (weft_unlikely(pkt->len > e->qps.max_bytes))
		return -EMSGSIZE;
	if (weft_unlikely(u->carrier->ops->backend->acks))
		return sunway_transport_modelled(e, p, pkt, iov, iov_count);
	return sunway_qp_send(&e->qps, p, pkt, iov, iov_count);
}

static int sunway_transport_deliver(void *arg, struct weft_peer *src,
				    const struct weft_pkt *pkt,
				    const void *payload)
{
	struct sunway_transport *e = arg;

	return sunway_qp_deliver(&e->qps, src, pkt, payload);
}

static int sunway_transport_poll(struct weft_unit *u, int budget)
{
	struct sunway_transport *e = sunway_transport_of(u);
	int n = u->carrier->ops->poll(u->carrier, budget);

	if (weft_unlikely(--e->qps.countdown <= 0))
		n += sunway_qps_run(&e->qps);
	return n;
}

/* Delivers all packets of a lost peer before the loss is reported. */
static void sunway_transport_lost(void *arg, struct weft_peer *peer, int err)
{
	struct sunway_transport *e = arg;

	sunway_qp_lost(&e->qps, peer);
	sunway_bulk_lost(e->bulks, peer);
	e->qps.up->lost(e->qps.up_arg, peer, err);
}

/* Passes the carrier's poll request to the message engine. */
static void sunway_transport_interface(void *arg)
{
	struct sunway_transport *e = arg;

	if (e->qps.up->interface)
		e->qps.up->interface(e->qps.up_arg);
}

static const struct weft_carrier_up sunway_transport_up = {
	.deliver = sunway_transport_deliver,
	.lost = sunway_transport_lost,
	.interface = sunway_transport_interface,
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

static int sunway_transport_mem_open(struct weft_unit *u,
				     const struct iovec *mem, unsigned access)
{
	return sunway_bulk_mem_open(sunway_transport_of(u)->bulks, mem, access);
}

static void sunway_transport_mem_close(struct weft_unit *u, int reg)
{
	sunway_bulk_mem_close(sunway_transport_of(u)->bulks, reg);
}

/* The interface has no atomics; the target's processor performs them. */
static int sunway_transport_amo(struct weft_unit *u, struct weft_peer *peer,
				struct weft_amo *a)
{
	return -EOPNOTSUPP;
}

/* ---- open and close ---- */

static void sunway_transport_close(struct weft_unit *u)
{
	struct sunway_transport *e = sunway_transport_of(u);

	weft_sunway_close(e->n);
	sunway_bulk_close(e->bulks);
	sunway_qps_fini(&e->qps);
	free(e);
}

static int sunway_transport_open(const struct weft_machine *m,
				 const struct weft_carrier_ops *carrier,
				 const struct weft_carrier_attr *attr,
				 struct weft_unit **u_p)
{
	struct sunway_transport *e = calloc(1, sizeof(*e));
	struct weft_carrier_attr a = *attr;
	size_t offset = 0;
	int err;

	if (!e)
		return -ENOMEM;
	e->unit.ops = &weft_unit_sunway;
	if (!carrier->backend->transfers_later)
		offset = sunway_bulk_reserve(&a);
	a.share_bytes = (a.share_bytes + SUNWAY_ANSWER_LINE - 1) /
				SUNWAY_ANSWER_LINE * SUNWAY_ANSWER_LINE +
			SUNWAY_ANSWER_LINE;
	a.up = &sunway_transport_up;
	a.up_arg = e;
	err = sunway_create(carrier, &a, &e->n);
	if (!err)
		err = sunway_qps_init(&e->qps, e->n, attr, m->packet_bytes);
	if (!err) {
		e->unit.carrier = e->n->port[0].port.carrier;
		e->bulks = sunway_bulk_open(&e->unit, e->n, e->qps.vi, offset);
		err = e->bulks ? 0 : -ENOMEM;
	}
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
	.mem_open = sunway_transport_mem_open,
	.mem_close = sunway_transport_mem_close,
	.amo = sunway_transport_amo,
	.poll = sunway_transport_poll,
};

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The APEnet+ interface as transport of the message engine (machine apenet).
 *
 * An engine packet is a put into the next slot of the ring that the peer has
 * for this process. Its field `unit` is the slot number; delivery by the
 * carrier is the receive event. The network keeps the order of packets between
 * two nodes, so a put to any other slot is dropped, like a put to an address
 * without translation. Bulk data is a put after a handshake: a get is a request
 * to the peer, whose interface puts the data. If one process cannot access the
 * other's memory, the unit returns an error, and the engine sends the data in
 * packets.
 */
#include "prov/machine/apenet/apenet_transport.h"
#include "prov/mem/mem.h"
#include "prov/machine/apenet/apenet_layout.h"
#include "prov/machine/machine_transport.h"

#include "src/base/attr.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Next slot numbers of the two rings between this process and a peer. */
struct apenet_transport_ring {
	uint32_t sent;
	uint32_t taken;
};

struct apenet_transport {
	struct weft_unit unit;
	const struct weft_carrier_up *up;
	void *up_arg;
	size_t max_bytes;
	/* rings by peer: struct apenet_transport_ring */
	struct weft_table ring;
	uint64_t dropped;
};

static struct apenet_transport *apenet_transport_of(struct weft_unit *u)
{
	return weft_container_of(u, struct apenet_transport, unit);
}

static struct apenet_transport_ring *ring_make(struct apenet_transport *e,
					       struct weft_peer *peer)
{
	void **cell = weft_table_slot(&e->ring, peer->index);

	if (cell && !*cell)
		*cell = calloc(1, sizeof(struct apenet_transport_ring));
	return cell ? *cell : NULL;
}

static inline struct apenet_transport_ring *ring_of(struct apenet_transport *e,
						    struct weft_peer *peer)
{
	struct apenet_transport_ring *r = weft_table_get(&e->ring, peer->index);

	return weft_likely(r != NULL) ? r : ring_make(e, peer);
}

/* ---- puts into the ring ---- */

/* Returns the model's path for the kind of memory at a bus address. */
static uint8_t apenet_transport_memory_path(struct weft_carrier *c,
					    uint64_t address)
{
	return (uint8_t)c->ops->backend->path(
		c, weft_mem_kind_on_bus(address)->path);
}

static int apenet_transport_packet(struct weft_unit *u, struct weft_peer *peer,
				   const struct weft_pkt *pkt,
				   const struct iovec *iov, int iov_count)
{
	struct apenet_transport *e = apenet_transport_of(u);
	struct apenet_transport_ring *r = ring_of(e, peer);
	struct weft_pkt out = *pkt;
	int err;

	if (weft_unlikely(!r))
		return -ENOMEM;
	if (weft_unlikely(pkt->len > e->max_bytes))
		return -EMSGSIZE;
	out.unit = r->sent;
	if (weft_unlikely(u->carrier->ops->backend->paths)) {
		/*
		 * Virtual time: in order, with the header of a slot. The
		 * receive buffer is not known here; data from device memory is
		 * assumed to go to device memory.
		 */
		struct weft_carrier *c = e->unit.carrier;
		const struct iovec *last = iov + iov_count - 1;
		struct weft_pkt_attr path = {
			.full = pkt->len == e->max_bytes,
			.bytes = 1 + (pkt->len < 8 ? 8u : pkt->len),
		};

		path.path = apenet_transport_memory_path(
			c, iov_count > 0 ? (uintptr_t)last->iov_base : 0);
		c->ops->backend->routing(c, &path);
	}
	err = u->carrier->ops->send(u->carrier, peer, &out, iov, iov_count);
	if (weft_likely(!err))
		r->sent++;
	return err;
}

static int apenet_transport_deliver(void *arg, struct weft_peer *src,
				    const struct weft_pkt *pkt,
				    const void *payload)
{
	struct apenet_transport *e = arg;
	struct apenet_transport_ring *r = ring_of(e, src);
	int err;

	if (weft_unlikely(!r))
		return -EAGAIN;
	if (weft_unlikely(pkt->type >= WEFT_PKT_UNIT ||
			  pkt->len > e->max_bytes || pkt->unit != r->taken)) {
		e->dropped++;
		return 0;
	}
	err = e->up->deliver(e->up_arg, src, pkt, payload);
	if (weft_likely(!err))
		r->taken++;
	return err;
}

static void apenet_transport_lost(void *arg, struct weft_peer *peer, int err)
{
	struct apenet_transport *e = arg;

	e->up->lost(e->up_arg, peer, err);
}

static const struct weft_carrier_up apenet_transport_up = {
	.deliver = apenet_transport_deliver,
	.lost = apenet_transport_lost,
};

/* ---- bulk ---- */

/* Returns the path between the kinds of memory at two bus addresses. */
static struct weft_pkt_attr
apenet_transport_path_between(struct weft_carrier *c, uint64_t from,
			      uint64_t to)
{
	return (struct weft_pkt_attr){
		.path = apenet_transport_memory_path(c, from),
		.path_in = (uint8_t)(1 + apenet_transport_memory_path(c, to)),
	};
}

static int apenet_transport_put(struct weft_unit *u, struct weft_peer *peer,
				struct weft_dma *d)
{
	struct weft_carrier *c = u->carrier;
	struct weft_dma_path path = { 0 };

	if (peer->lost)
		return -ECONNRESET;
	if (weft_unlikely(c->ops->backend->paths))
		path.there = apenet_transport_path_between(
			c, (uintptr_t)d->local[0].iov_base, d->remote);
	path.back = path.there;
	return weft_transport_put(u, peer, d, &path);
}

/* Sends a request; the peer's interface returns the data by a put. */
static int apenet_transport_get(struct weft_unit *u, struct weft_peer *peer,
				struct weft_dma *d)
{
	struct weft_carrier *c = u->carrier;
	struct weft_dma_path path = { 0 };

	if (peer->lost)
		return -ECONNRESET;
	if (weft_unlikely(c->ops->backend->paths))
		path.back = apenet_transport_path_between(
			c, d->remote, (uintptr_t)d->local[0].iov_base);
	path.there.bytes = 1 + APENET_DESC;
	return weft_transport_get(u, peer, d, &path);
}

/* The interface has no atomics; the target's processor performs them. */
static int apenet_transport_amo(struct weft_unit *u, struct weft_peer *peer,
				struct weft_amo *a)
{
	return -EOPNOTSUPP;
}

static int apenet_transport_poll(struct weft_unit *u, int budget)
{
	return u->carrier->ops->poll(u->carrier, budget);
}

/* ---- open and close ---- */

static void apenet_transport_close(struct weft_unit *u)
{
	struct apenet_transport *e = apenet_transport_of(u);

	if (u->carrier)
		u->carrier->ops->close(u->carrier);
	for (uint32_t i = 0; i < e->ring.count; i++)
		free(e->ring.cell[i]);
	weft_table_fini(&e->ring);
	free(e);
}

static int apenet_transport_open(const struct weft_machine *m,
				 const struct weft_carrier_ops *carrier,
				 const struct weft_carrier_attr *attr,
				 struct weft_unit **u_p)
{
	struct apenet_transport *e = calloc(1, sizeof(*e));
	struct weft_carrier_attr a = *attr;
	int err;

	if (!e)
		return -ENOMEM;
	e->unit.ops = &weft_unit_apenet;
	e->up = attr->up;
	e->up_arg = attr->up_arg;
	e->max_bytes = m->packet_bytes;
	a.up = &apenet_transport_up;
	a.up_arg = e;
	err = carrier->open(&a, &e->unit.carrier);
	if (err) {
		apenet_transport_close(&e->unit);
		return err;
	}
	*u_p = &e->unit;
	return 0;
}

const struct weft_unit_ops weft_unit_apenet = {
	.name = "apenet",
	.packet_max = APENET_PAYLOAD,
	.open = apenet_transport_open,
	.close = apenet_transport_close,
	.packet = apenet_transport_packet,
	.get = apenet_transport_get,
	.put = apenet_transport_put,
	.amo = apenet_transport_amo,
	.poll = apenet_transport_poll,
};

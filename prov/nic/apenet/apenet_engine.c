/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The APEnet+ interface as transport of the message engine (machine apenet).
 *
 * An engine packet is a put into the next slot of the ring that the peer keeps
 * for this process: its unit word is the slot number, and the carrier's
 * delivery is the receive event. The network keeps the order of a pair, so a
 * put to any other slot is one to an address without translation, and is
 * dropped. Bulk data is a put after a handshake: a get is a request to the
 * peer, whose interface puts the data back. Where one process cannot access the
 * other's memory, the unit returns an error and the engine sends packets.
 */
#include "prov/nic/apenet/apenet_engine.h"
#include "prov/mem/mem.h"
#include "prov/nic/apenet/apenet_layout.h"
#include "prov/nic/nic_help.h"

#include "src/base/attr.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Slot numbers of the rings shared with one peer. */
struct ae_ring {
	uint32_t sent;
	uint32_t taken;
};

struct apenet_engine {
	struct weft_unit unit;
	const struct weft_carrier_up *up;
	void *up_arg;
	size_t max_bytes;
	struct weft_table ring; /* struct ae_ring */
	uint64_t dropped;
};

static struct apenet_engine *ae(struct weft_unit *u)
{
	return weft_container_of(u, struct apenet_engine, unit);
}

static struct ae_ring *ring_make(struct apenet_engine *e,
				 struct weft_peer *peer)
{
	void **cell = weft_table_cell(&e->ring, peer->index);

	if (cell && !*cell)
		*cell = calloc(1, sizeof(struct ae_ring));
	return cell ? *cell : NULL;
}

static inline struct ae_ring *ring_of(struct apenet_engine *e,
				      struct weft_peer *peer)
{
	struct ae_ring *r = weft_table_get(&e->ring, peer->index);

	return weft_likely(r != NULL) ? r : ring_make(e, peer);
}

/* ---- puts into the ring ---- */

/* The model's path for the kind of memory at a bus address. */
static uint8_t ae_path(struct weft_carrier *c, uint64_t address)
{
	return (uint8_t)c->virt->path(c, weft_mem_kind_on_bus(address)->path);
}

/*
 * Path of a put in virtual time: in order, with the slot's header. Data from
 * device memory is assumed to go to device memory: the receive buffer is not
 * known here.
 */
static void ae_way(struct apenet_engine *e, const struct weft_pkt *pkt,
		   const struct iovec *iov, int iov_count)
{
	struct weft_carrier *c = e->unit.carrier;
	const struct iovec *last = iov + iov_count - 1;
	struct weft_vt_way way = {
		.full = pkt->len == e->max_bytes,
		.bytes = 1 + (pkt->len < 8 ? 8u : pkt->len),
	};

	way.path = ae_path(c, iov_count > 0 ? (uintptr_t)last->iov_base : 0);
	c->virt->way(c, &way);
}

static int ae_packet(struct weft_unit *u, struct weft_peer *peer,
		     const struct weft_pkt *pkt, const struct iovec *iov,
		     int iov_count)
{
	struct apenet_engine *e = ae(u);
	struct ae_ring *r = ring_of(e, peer);
	struct weft_pkt out = *pkt;
	int err;

	if (weft_unlikely(!r))
		return -ENOMEM;
	if (weft_unlikely(pkt->len > e->max_bytes))
		return -EMSGSIZE;
	out.unit = r->sent;
	if (weft_unlikely(u->carrier->virt != NULL))
		ae_way(e, pkt, iov, iov_count);
	err = u->carrier->ops->send(u->carrier, peer, &out, iov, iov_count);
	if (weft_likely(!err))
		r->sent++;
	return err;
}

static int ae_deliver(void *arg, struct weft_peer *src,
		      const struct weft_pkt *pkt, const void *payload)
{
	struct apenet_engine *e = arg;
	struct ae_ring *r = ring_of(e, src);
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

static void ae_lost(void *arg, struct weft_peer *peer, int err)
{
	struct apenet_engine *e = arg;

	e->up->lost(e->up_arg, peer, err);
}

static const struct weft_carrier_up ae_up = {
	.deliver = ae_deliver,
	.lost = ae_lost,
};

/* ---- bulk ---- */

/* Path between two kinds of memory, given by their bus addresses. */
static struct weft_vt_way ae_between(struct weft_carrier *c, uint64_t from,
				     uint64_t to)
{
	return (struct weft_vt_way){
		.path = ae_path(c, from),
		.path_in = (uint8_t)(1 + ae_path(c, to)),
	};
}

static int ae_put(struct weft_unit *u, struct weft_peer *peer,
		  struct weft_dma *d)
{
	struct weft_carrier *c = u->carrier;
	struct weft_help_way way = { 0 };

	if (peer->lost)
		return -ECONNRESET;
	if (weft_unlikely(c->virt != NULL))
		way.there = ae_between(c, (uintptr_t)d->local[0].iov_base,
				       d->remote);
	way.back = way.there;
	return weft_help_put(u, peer, d, &way);
}

/* A request of one descriptor is sent, a put returns the data. */
static int ae_get(struct weft_unit *u, struct weft_peer *peer,
		  struct weft_dma *d)
{
	struct weft_carrier *c = u->carrier;
	struct weft_help_way way = { 0 };

	if (peer->lost)
		return -ECONNRESET;
	if (weft_unlikely(c->virt != NULL))
		way.back = ae_between(c, d->remote,
				      (uintptr_t)d->local[0].iov_base);
	way.there.bytes = 1 + APENET_DESC;
	return weft_help_get(u, peer, d, &way);
}

/* The interface has no atomics: the target's processor performs them. */
static int ae_amo(struct weft_unit *u, struct weft_peer *peer,
		  struct weft_amo *a)
{
	return -EOPNOTSUPP;
}

static int ae_poll(struct weft_unit *u, int budget)
{
	return u->carrier->ops->poll(u->carrier, budget);
}

/* ---- open and close ---- */

static void ae_close(struct weft_unit *u)
{
	struct apenet_engine *e = ae(u);

	if (u->carrier)
		u->carrier->ops->close(u->carrier);
	for (uint32_t i = 0; i < e->ring.count; i++)
		free(e->ring.cell[i]);
	weft_table_fini(&e->ring);
	free(e);
}

static int ae_open(const struct weft_machine *m,
		   const struct weft_carrier_ops *carrier,
		   const struct weft_carrier_attr *attr, struct weft_unit **u_p)
{
	struct apenet_engine *e = calloc(1, sizeof(*e));
	struct weft_carrier_attr a = *attr;
	int err;

	if (!e)
		return -ENOMEM;
	e->unit.ops = &weft_unit_apenet;
	e->up = attr->up;
	e->up_arg = attr->up_arg;
	e->max_bytes = m->packet_bytes;
	a.up = &ae_up;
	a.up_arg = e;
	err = carrier->open(&a, &e->unit.carrier);
	if (err) {
		ae_close(&e->unit);
		return err;
	}
	*u_p = &e->unit;
	return 0;
}

const struct weft_unit_ops weft_unit_apenet = {
	.name = "apenet",
	.packet_max = APENET_PAYLOAD,
	.open = ae_open,
	.close = ae_close,
	.packet = ae_packet,
	.get = ae_get,
	.put = ae_put,
	.amo = ae_amo,
	.poll = ae_poll,
};

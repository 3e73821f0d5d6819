/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The APEnet+ interface as transport of the message engine (machine apenet).
 *
 * Live, packets of the engine are puts into rings of slots (apenet_ring.c), and
 * bulk data is a command for each segment (apenet_bulk.c); both are executed by
 * the board. If one process cannot access the other's memory, bulk data returns
 * an error, and the engine sends packets. In virtual time, the model of
 * prov/net is the board: packets and transfers go to the carrier with their
 * paths.
 */
#include "prov/machine/apenet/apenet_bulk.h"
#include "prov/machine/apenet/apenet_ring.h"
#include "prov/machine/apenet/apenet_transport.h"
#include "prov/machine/machine_transport.h"

#include "src/base/attr.h"

/* a small number suffices: the transport reads events at once */
#define APENET_TRANSPORT_EVENTS 64

struct apenet_transport {
	struct weft_unit unit;
	struct weft_apenet *board; /* the board; NULL in virtual time */
	struct apenet_rings rings;
	struct apenet_bulk bulk;
	size_t max_bytes;
};

static struct apenet_transport *apenet_transport_of(struct weft_unit *u)
{
	return weft_container_of(u, struct apenet_transport, unit);
}

struct weft_apenet *apenet_transport_board(struct weft_unit *u)
{
	return apenet_transport_of(u)->board;
}

struct apenet_rings *apenet_transport_rings(struct weft_unit *u)
{
	return &apenet_transport_of(u)->rings;
}

/* ---- packets ---- */

/* Returns the model's path for the kind of memory at a bus address. */
static uint8_t apenet_transport_memory_path(struct weft_carrier *c,
					    uint64_t address)
{
	return (uint8_t)c->ops->backend->path(
		c, weft_mem_kind_on_bus(address)->path);
}

/*
 * Sends a packet in virtual time: in order, with the header of a slot. The
 * receive buffer is not known here; data from device memory is assumed to go to
 * device memory.
 */
static int apenet_transport_model_packet(struct apenet_transport *e,
					 struct weft_peer *peer,
					 const struct weft_pkt *pkt,
					 const struct iovec *iov, int iov_count)
{
	struct weft_carrier *c = e->unit.carrier;
	const struct iovec *last = iov + iov_count - 1;
	struct weft_pkt_attr path = {
		.full = pkt->len == e->max_bytes,
		.bytes = 1 + (pkt->len < 8 ? 8u : pkt->len),
	};

	if (pkt->len > e->max_bytes)
		return -EMSGSIZE;
	path.path = apenet_transport_memory_path(
		c, iov_count > 0 ? (uintptr_t)last->iov_base : 0);
	c->ops->backend->routing(c, &path);
	return c->ops->send(c, peer, pkt, iov, iov_count);
}

WEFT_HOT static int apenet_transport_packet(struct weft_unit *u,
					    struct weft_peer *peer,
					    const struct weft_pkt *pkt,
					    const struct iovec *iov,
					    int iov_count)
{
	struct apenet_transport *e = apenet_transport_of(u);

	if (weft_likely(e->board != NULL))
		return apenet_ring_send(&e->rings, peer, pkt, iov, iov_count);
	return apenet_transport_model_packet(e, peer, pkt, iov, iov_count);
}

static void apenet_transport_lost(void *arg, struct weft_peer *peer, int err)
{
	struct apenet_transport *e =
		weft_container_of(arg, struct apenet_transport, rings);

	weft_regs_lost(&e->bulk.regs, peer);
	apenet_ring_lost(arg, peer, err);
}

static const struct weft_carrier_up apenet_transport_up = {
	.deliver = apenet_ring_deliver,
	.lost = apenet_transport_lost,
};

static const struct weft_carrier_up apenet_transport_up_memory = {
	.deliver = apenet_ring_deliver_fast,
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
	struct apenet_transport *e = apenet_transport_of(u);
	struct weft_carrier *c = u->carrier;
	struct weft_dma_path path = { 0 };

	if (peer->lost)
		return -ECONNRESET;
	if (e->board)
		return apenet_bulk_move(&e->bulk, peer, d, false);
	path.there = apenet_transport_path_between(
		c, (uintptr_t)d->local[0].iov_base, d->remote);
	path.back = path.there;
	return weft_transport_put(u, peer, d, &path);
}

/* Sends a request; the peer's interface returns the data by a put. */
static int apenet_transport_get(struct weft_unit *u, struct weft_peer *peer,
				struct weft_dma *d)
{
	struct apenet_transport *e = apenet_transport_of(u);
	struct weft_carrier *c = u->carrier;
	struct weft_dma_path path = { .there.bytes = 1 + APENET_DESC };

	if (peer->lost)
		return -ECONNRESET;
	if (e->board)
		return apenet_bulk_move(&e->bulk, peer, d, true);
	path.back = apenet_transport_path_between(
		c, d->remote, (uintptr_t)d->local[0].iov_base);
	return weft_transport_get(u, peer, d, &path);
}

static int apenet_transport_mem_open(struct weft_unit *u,
				     const struct iovec *mem, unsigned access)
{
	return apenet_bulk_mem_open(&apenet_transport_of(u)->bulk, mem, access);
}

static void apenet_transport_mem_close(struct weft_unit *u, int reg)
{
	apenet_bulk_mem_close(&apenet_transport_of(u)->bulk, reg);
}

/*
 * Returns -EOPNOTSUPP: the interface has no atomics, so the target's processor
 * performs them.
 */
static int apenet_transport_amo(struct weft_unit *u, struct weft_peer *peer,
				struct weft_amo *a)
{
	return -EOPNOTSUPP;
}

/* Polls the carrier and the rings, while rings have pending work. */
static WEFT_NOINLINE int apenet_transport_poll_rings(struct apenet_transport *e,
						     int budget)
{
	struct weft_carrier *c = e->unit.carrier;
	int n = c->ops->poll(c, budget);

	n += apenet_rings_run(&e->rings);
	if (!weft_list_empty(&e->rings.pending))
		c->ops->wake(c); /* poll again, do not block */
	return n;
}

WEFT_HOT static int apenet_transport_poll(struct weft_unit *u, int budget)
{
	struct apenet_transport *e = apenet_transport_of(u);

	if (weft_unlikely(!weft_list_empty(&e->rings.pending)))
		return apenet_transport_poll_rings(e, budget);
	return u->carrier->ops->poll(u->carrier, budget);
}

/* ---- open and close ---- */

static void apenet_transport_close(struct weft_unit *u)
{
	struct apenet_transport *e = apenet_transport_of(u);

	if (e->board) {
		apenet_bulk_close(&e->bulk);
		weft_apenet_close(e->board);
	} else if (u->carrier)
		u->carrier->ops->close(u->carrier);
	apenet_rings_close(&e->rings);
	free(e);
}

/* Opens the board on the carrier. */
static int apenet_transport_open_board(struct apenet_transport *e,
				       const struct weft_carrier_ops *carrier,
				       const struct weft_carrier_attr *attr)
{
	const struct apenet_attr board = {
		.node = WEFT_PORT_NO_NODE,
		.dmas = WEFT_APENET_DMAS,
		.tlb = WEFT_APENET_TLB,
		.events = APENET_TRANSPORT_EVENTS,
		.bufs = APENET_BUFS_MAX,
	};
	struct weft_carrier_attr a = *attr;
	size_t offset = apenet_bulk_reserve(&a);
	int err;

	a.up = carrier->memory ? &apenet_transport_up_memory
			       : &apenet_transport_up;
	a.up_arg = &e->rings;
	err = apenet_create(carrier, &a, &board, &e->board);
	if (err)
		return err;
	e->unit.carrier = e->board->port.carrier;
	err = apenet_bulk_open(&e->bulk, e->board, &e->unit, offset);
	return err ? err
		   : apenet_rings_open(&e->rings, e->board, attr, e->max_bytes);
}

static int apenet_transport_open(const struct weft_machine *m,
				 const struct weft_carrier_ops *carrier,
				 const struct weft_carrier_attr *attr,
				 struct weft_unit **u_p)
{
	struct apenet_transport *e = calloc(1, sizeof(*e));
	int err;

	if (!e)
		return -ENOMEM;
	e->unit.ops = &weft_unit_apenet;
	e->max_bytes = m->packet_bytes;
	weft_list_init(&e->rings.pending);
	err = carrier->backend->paths
		      ? carrier->open(attr, &e->unit.carrier)
		      : apenet_transport_open_board(e, carrier, attr);
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
	.mem_open = apenet_transport_mem_open,
	.mem_close = apenet_transport_mem_close,
	.amo = apenet_transport_amo,
	.poll = apenet_transport_poll,
};

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Class routes of the unit: 16 trees over nodes, used by the barrier unit and
 * by broadcasts.
 *
 * Barrier unit: each member of a class has a control register of three bits.
 * The status register of all members is the OR of all control registers. A node
 * sends a packet only when the OR of its own register and its children's values
 * has changed; the root sends the result down. A change of the status raises an
 * interrupt, so a class also serves as global interrupt.
 *
 * Broadcast: a packet goes up to the root, then down every edge; each member
 * receives it like a point-to-point packet. If the payload is a remote get, all
 * members start the same messages.
 */
#include "prov/machine/bgq/bgq_dev.h"

#include "src/base/attr.h"

#include <errno.h>

#define GI_BITS 7u
/* flag of a barrier packet: the packet is from a child */
#define GI_UP	0x100u

static struct bgq_route *route_open(struct weft_bgq *mu, unsigned class)
{
	struct bgq_route *r = &mu->route[class % WEFT_BGQ_ROUTES];

	return class < WEFT_BGQ_ROUTES && r->open ? r : NULL;
}

WEFT_EXPORT int weft_bgq_route_set(struct weft_bgq *mu, unsigned class,
				   uint32_t parent, const uint32_t *child,
				   unsigned children, unsigned flags)
{
	struct bgq_route *r = &mu->route[class % WEFT_BGQ_ROUTES];

	if (class >= WEFT_BGQ_ROUTES || children > WEFT_BGQ_ROUTE_CHILDREN ||
	    (flags & ~WEFT_BGQ_SYSTEM))
		return -EINVAL;
	memset(r, 0, sizeof(*r));
	r->open = true;
	r->system = flags & WEFT_BGQ_SYSTEM;
	r->parent = parent;
	r->children = children;
	for (unsigned i = 0; i < children; i++)
		r->child[i] = child[i];
	return 0;
}

WEFT_EXPORT int weft_bgq_route_clear(struct weft_bgq *mu, unsigned class)
{
	struct bgq_route *r = route_open(mu, class);

	if (!r)
		return -EINVAL;
	r->open = false;
	return 0;
}

/* ---- barrier unit -------------------------------------------------------- */

static unsigned gi_or(const struct bgq_route *r)
{
	unsigned v = r->control;

	for (unsigned i = 0; i < r->children; i++)
		v |= r->input[i];
	return v;
}

static int gi_send(struct weft_bgq *mu, unsigned class, uint32_t node,
		   unsigned bits)
{
	struct weft_carrier *c = mu->port.carrier;
	struct weft_peer *peer = weft_port_peer(&mu->port, node);
	struct weft_pkt pkt = { .type = BGQ_GI, .unit = class, .aux = bits };

	return peer ? c->ops->send(c, peer, &pkt, NULL, 0) : -EHOSTUNREACH;
}

static void gi_status(struct weft_bgq *mu, unsigned class, unsigned bits)
{
	struct bgq_route *r = &mu->route[class];

	if (r->status == bits)
		return;
	r->status = (uint8_t)bits;
	r->down = (1u << r->children) - 1;
	bgq_irq(mu, WEFT_BGQ_IRQ_GI, class);
}

/* Sends changed values; a packet that the carrier refuses is sent later. */
static void gi_run(struct weft_bgq *mu, unsigned class)
{
	struct bgq_route *r = &mu->route[class];
	unsigned v = gi_or(r);

	if (r->parent == WEFT_BGQ_NO_NODE)
		gi_status(mu, class, v);
	else if (v != r->sent &&
		 gi_send(mu, class, r->parent, v | GI_UP) != -EAGAIN)
		r->sent = (uint8_t)v;
	for (unsigned i = 0; i < r->children; i++)
		if (r->down >> i & 1 &&
		    gi_send(mu, class, r->child[i], r->status) != -EAGAIN)
			r->down &= ~(1u << i);
}

void bgq_route_run(struct weft_bgq *mu)
{
	for (unsigned i = 0; i < WEFT_BGQ_ROUTES; i++) {
		const struct bgq_route *r = &mu->route[i];

		if (bgq_halted(mu, WEFT_BGQ_PART_BARRIER))
			return;
		if (r->open && (r->down || (r->parent != WEFT_BGQ_NO_NODE &&
					    gi_or(r) != r->sent)))
			gi_run(mu, i);
	}
}

int bgq_gi_store(struct weft_bgq *mu, unsigned class, uint64_t bits,
		 bool system)
{
	struct bgq_route *r = route_open(mu, class);

	if (!r || bits > GI_BITS)
		return -EINVAL;
	if (r->system && !system) {
		bgq_error(mu, WEFT_BGQ_ERR_SYSTEM, class, 0);
		return -EPERM;
	}
	r->control = (uint8_t)bits;
	if (!bgq_halted(mu, WEFT_BGQ_PART_BARRIER))
		gi_run(mu, class);
	return 0;
}

uint64_t bgq_gi_load(const struct weft_bgq *mu, unsigned class, bool status)
{
	const struct bgq_route *r = &mu->route[class % WEFT_BGQ_ROUTES];

	if (class >= WEFT_BGQ_ROUTES || !r->open)
		return 0;
	return status ? r->status : r->control;
}

static int child_find(const struct bgq_route *r, uint32_t node)
{
	for (unsigned i = 0; i < r->children; i++)
		if (r->child[i] == node)
			return (int)i;
	return -1;
}

int bgq_gi_deliver(struct weft_bgq *mu, uint32_t source,
		   const struct weft_pkt *pkt)
{
	struct bgq_route *r = route_open(mu, pkt->unit);
	unsigned bits = pkt->aux & ~GI_UP;
	int i = r ? child_find(r, source) : -1;

	if (!r || bits > GI_BITS || pkt->len || source == WEFT_BGQ_NO_NODE ||
	    (pkt->aux & GI_UP ? i < 0 : source != r->parent)) {
		bgq_error(mu, WEFT_BGQ_ERR_PACKET, source, 0);
		return 0;
	}
	if (pkt->aux & GI_UP)
		r->input[i] = (uint8_t)bits;
	else
		gi_status(mu, pkt->unit, bits);
	gi_run(mu, pkt->unit);
	return 0;
}

/* ---- broadcast ----------------------------------------------------------- */

static int copy_send(struct weft_bgq *mu, uint32_t node,
		     const struct bgq_hdr *h, const void *payload)
{
	struct weft_carrier *c = mu->port.carrier;
	struct weft_peer *peer = weft_port_peer(&mu->port, node);
	struct weft_pkt pkt = { .type = BGQ_COLLECTIVE };
	struct iovec iov = { .iov_base = (void *)(uintptr_t)payload };

	if (!peer)
		return -EHOSTUNREACH;
	bgq_hdr_to_pkt(h, &pkt);
	iov.iov_len = pkt.len;
	return c->ops->send(c, peer, &pkt, &iov, 1);
}

/*
 * Delivers a packet here and sends it to all children. -EAGAIN: some copies
 * remain, and the same packet must be passed again; packets of other sources
 * are refused until then. A lost child is recorded, and gets no copy.
 */
static int copies_down(struct weft_bgq *mu, unsigned class, uint32_t source,
		       const struct bgq_hdr *h, const void *payload)
{
	struct bgq_route *r = &mu->route[class];
	struct bgq_hdr own = *h;
	int err;

	if (r->left && r->source != source)
		return -EAGAIN;
	if (!r->left) {
		r->left = (2u << r->children) - 1;
		r->source = source;
	}
	own.kind = BGQ_PT2PT;
	if (r->left & 1) {
		err = bgq_rx_packet(mu, source, &own, payload);
		if (err)
			return err;
		r->left &= ~1u;
	}
	for (unsigned i = 0; i < r->children; i++) {
		if (!(r->left >> i & 2))
			continue;
		err = copy_send(mu, r->child[i], h, payload);
		if (err == -EAGAIN)
			return err;
		if (err)
			bgq_error(mu, WEFT_BGQ_ERR_LOST, r->child[i], 0);
		r->left &= ~(2u << i);
	}
	return 0;
}

int bgq_bcast_send(struct weft_bgq *mu, const struct bgq_hdr *h,
		   const void *payload, bool system)
{
	unsigned class = bgq_hdr_route(h);
	const struct bgq_route *r = route_open(mu, class);

	if (!r)
		return -EHOSTUNREACH;
	if (r->system && !system)
		return -EPERM;
	if (r->parent == WEFT_BGQ_NO_NODE)
		return copies_down(mu, class, WEFT_BGQ_NO_NODE, h, payload);
	return copy_send(mu, r->parent, h, payload);
}

int bgq_bcast_deliver(struct weft_bgq *mu, uint32_t source,
		      const struct bgq_hdr *h, const void *payload)
{
	unsigned class = bgq_hdr_route(h);
	const struct bgq_route *r = route_open(mu, class);

	if (r && source == r->parent && source != WEFT_BGQ_NO_NODE)
		return copies_down(mu, class, source, h, payload);
	if (!r || child_find(r, source) < 0) {
		bgq_error(mu, WEFT_BGQ_ERR_PACKET, source, 0);
		return 0;
	}
	if (r->parent == WEFT_BGQ_NO_NODE)
		return copies_down(mu, class, source, h, payload);
	return copy_send(mu, r->parent, h, payload) == -EAGAIN ? -EAGAIN : 0;
}

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The unit of machine `generic`: an RDMA interface without a layout of its own.
 * Packets, reads, writes and atomics go to the carrier. In virtual time the
 * model times them with the parameters of the machine file (LogGP); transfers
 * and packets whose order does not matter are routed adaptively. In live mode,
 * the unit behaves like that of machine native.
 */
#include "prov/machine/generic/generic_transport.h"
#include "prov/machine/machine_transport.h"

#include <errno.h>
#include <stdlib.h>

enum {
	REQUEST_BYTES = 32, /* assumed: bytes of a read request */
	SHORT_BYTES = 8,    /* smallest data length of a packet */
};

struct generic_unit {
	struct weft_unit unit;
	size_t packet_bytes;
};

static int generic_open(const struct weft_machine *m,
			const struct weft_carrier_ops *carrier,
			const struct weft_carrier_attr *attr,
			struct weft_unit **u_p)
{
	struct generic_unit *g = calloc(1, sizeof(*g));
	int err;

	if (!g)
		return -ENOMEM;
	g->unit.ops = &weft_unit_generic;
	g->packet_bytes = m->packet_bytes;
	err = carrier->open(attr, &g->unit.carrier);
	if (err) {
		free(g);
		return err;
	}
	g->unit.fills =
		g->unit.carrier->fills && !g->unit.carrier->ops->backend->paths;
	*u_p = &g->unit;
	return 0;
}

static void generic_close(struct weft_unit *u)
{
	u->carrier->ops->close(u->carrier);
	free(weft_container_of(u, struct generic_unit, unit));
}

static int generic_packet(struct weft_unit *u, struct weft_peer *peer,
			  const struct weft_pkt *pkt, const struct iovec *iov,
			  int iov_count)
{
	const struct generic_unit *g =
		weft_container_of(u, struct generic_unit, unit);
	struct weft_carrier *c = u->carrier;
	const struct weft_pkt_attr path = {
		.vc = pkt->carrier & WEFT_PKT_ANY_ROUTE ? WEFT_VC_DYNAMIC
							: WEFT_VC_ORDERED,
		.full = pkt->len == g->packet_bytes,
		.bytes = 1 + (pkt->len < SHORT_BYTES ? SHORT_BYTES
						     : (uint32_t)pkt->len),
	};

	if (c->ops->backend->paths)
		c->ops->backend->routing(c, &path);
	return c->ops->send(c, peer, pkt, iov, iov_count);
}

static int generic_get(struct weft_unit *u, struct weft_peer *peer,
		       struct weft_dma *d)
{
	const struct weft_dma_path path = {
		.there = { .vc = WEFT_VC_DYNAMIC, .bytes = 1 + REQUEST_BYTES },
		.back = { .vc = WEFT_VC_DYNAMIC },
	};

	return weft_transport_get(u, peer, d, &path);
}

static int generic_put(struct weft_unit *u, struct weft_peer *peer,
		       struct weft_dma *d)
{
	const struct weft_dma_path path = {
		.there = { .vc = WEFT_VC_DYNAMIC },
		.back = { .vc = WEFT_VC_DYNAMIC },
	};

	return weft_transport_put(u, peer, d, &path);
}

/*
 * In virtual time the peer's interface executes atomics; live, the peer's
 * processor does.
 */
static int generic_amo(struct weft_unit *u, struct weft_peer *peer,
		       struct weft_amo *a)
{
	const struct weft_dma_path path = {
		.there = { .vc = WEFT_VC_DYNAMIC,
			   .bytes = 1 + (uint32_t)a->operands },
		.back = { .vc = WEFT_VC_DYNAMIC },
		.quick = true,
	};

	if (!u->carrier->ops->backend->atomics)
		return -EOPNOTSUPP;
	return peer->lost ? -ECONNRESET : weft_transport_amo(u, peer, a, &path);
}

static int generic_poll(struct weft_unit *u, int budget)
{
	return u->carrier->ops->poll(u->carrier, budget);
}

const struct weft_unit_ops weft_unit_generic = {
	.name = "generic",
	.packet_max = UINT16_MAX,
	.open = generic_open,
	.close = generic_close,
	.packet = generic_packet,
	.get = generic_get,
	.put = generic_put,
	.amo = generic_amo,
	.poll = generic_poll,
	.bare = true,
};

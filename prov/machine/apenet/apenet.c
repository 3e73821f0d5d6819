/* SPDX-License-Identifier: BSD-3-Clause */
/* The APEnet+ board: open, close, nodes, and polling. */
#include "prov/machine/apenet/apenet_dev.h"

#define EVENTS 1024

static void on_lost(void *arg, struct weft_peer *peer, int err)
{
	struct weft_apenet *a = arg;
	uint32_t node = weft_port_node(&a->port, peer);

	if (node == WEFT_PORT_NO_NODE)
		return;
	apenet_tx_lost(a, node, false);
	apenet_cmd_lost(a, node, false);
	apenet_get_lost(a, node);
	apenet_rx_lost(a, node);
}

static const struct weft_carrier_up board_up = {
	.deliver = apenet_rx_deliver,
	.lost = on_lost,
};

static int board_init(struct weft_apenet *a, const struct apenet_attr *attr)
{
	a->node = attr->node;
	a->dmas = attr->dmas;
	a->events = attr->events;
	a->bufs_max = attr->bufs;
	a->host = weft_mem_kind_at(0);
	a->host_bits = a->host->page_bits;
	weft_list_init(&a->get_replies);
	weft_list_init(&a->work);
	weft_list_init(&a->late);
	weft_hash_init(&a->in);
	weft_code_crc_init(&a->crc, WEFT_CODE_CRC32);
	a->event = calloc(a->events, sizeof(*a->event));
	if (apenet_tlb_init(&a->tlb, attr->tlb) || !a->event)
		return -ENOMEM;
	return 0;
}

int apenet_create(const struct weft_carrier_ops *ops,
		  const struct weft_carrier_attr *attr,
		  const struct apenet_attr *board, struct weft_apenet **a_p)
{
	struct weft_carrier_attr c = *attr;
	struct weft_apenet *a = calloc(1, sizeof(*a));
	int err;

	if (!a)
		return -ENOMEM;
	if (!c.up) {
		c.up = &board_up;
		c.up_arg = a;
	}
	err = board_init(a, board);
	if (!err)
		err = weft_port_init(&a->port, ops, &c);
	if (err) {
		weft_apenet_close(a);
		return err;
	}
	*a_p = a;
	return 0;
}

static bool attr_valid(const struct weft_apenet_attr *attr)
{
	return attr->node < WEFT_APENET_NODES &&
	       attr->dmas <= WEFT_APENET_DMAS && attr->tlb >= -1 &&
	       attr->tlb <= 1 << 20 && attr->events <= 1u << 20 &&
	       !(attr->events & (attr->events - 1)) &&
	       (!attr->events || attr->events > 2 * APENET_RX_EVENTS);
}

WEFT_EXPORT int weft_apenet_open(const struct weft_apenet_attr *attr,
				 struct weft_apenet **a_p)
{
	struct apenet_attr board = {
		.node = attr->node,
		.dmas = attr->dmas ? attr->dmas : WEFT_APENET_DMAS,
		.tlb = attr->tlb > 0 ? (unsigned)attr->tlb : WEFT_APENET_TLB,
		.events = attr->events ? attr->events : EVENTS,
		.bufs = APENET_BUFS,
	};
	const struct weft_carrier_ops *ops;
	struct weft_carrier_attr c;
	int err;

	if (!attr_valid(attr))
		return -EINVAL;
	if (attr->tlb < 0)
		board.tlb = 0;
	err = weft_port_place(&attr->place, &ops, &c);
	return err ? err : apenet_create(ops, &c, &board, a_p);
}

WEFT_EXPORT void weft_apenet_close(struct weft_apenet *a)
{
	if (!a)
		return;
	weft_port_fini(&a->port);
	apenet_tx_lost(a, 0, true);
	apenet_cmd_lost(a, 0, true);
	apenet_rx_fini(a);
	apenet_tlb_fini(&a->tlb);
	free(a->buf);
	free(a->event);
	free(a);
}

WEFT_EXPORT void weft_apenet_name(struct weft_apenet *a,
				  struct sockaddr_in *name)
{
	weft_port_name(&a->port, name);
}

WEFT_EXPORT int weft_apenet_node_set(struct weft_apenet *a, uint32_t node,
				     const struct sockaddr_in *name)
{
	if (node >= WEFT_APENET_NODES)
		return -EINVAL;
	return node == a->node ? 0 : weft_port_node_set(&a->port, node, name);
}

WEFT_EXPORT int weft_apenet_poll(struct weft_apenet *a, int budget)
{
	struct weft_carrier *c = a->port.carrier;
	int done = apenet_tx_run(a, budget);

	return done + c->ops->poll(c, budget);
}

WEFT_EXPORT int weft_apenet_wait(struct weft_apenet *a, uint64_t timeout_ns)
{
	struct weft_carrier *c = a->port.carrier;

	return c->ops->wait(c, timeout_ns);
}

WEFT_EXPORT void weft_apenet_stats(struct weft_apenet *a,
				   struct weft_apenet_stats *s)
{
	*s = a->stats;
	s->puts += a->singles_out;
	s->packets_out += a->singles_out;
	/*
	 * request, data, send: the steps of a packet on an otherwise idle board
	 */
	s->active_steps += 3 * a->singles_out;
	s->packets_in += a->singles_in;
	s->tlb_hits += a->singles_in;
}

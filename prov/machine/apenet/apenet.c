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

static int board_init(struct weft_apenet *a,
		      const struct weft_apenet_attr *attr)
{
	unsigned tlb = attr->tlb ? (unsigned)attr->tlb : WEFT_APENET_TLB;

	a->node = attr->node;
	a->dmas = attr->dmas ? attr->dmas : WEFT_APENET_DMAS;
	a->events = attr->events ? attr->events : EVENTS;
	weft_list_init(&a->get_replies);
	weft_list_init(&a->work);
	weft_hash_init(&a->in);
	weft_code_crc_init(&a->crc, WEFT_CODE_CRC32);
	a->event = calloc(a->events, sizeof(*a->event));
	if (apenet_tlb_init(&a->tlb, attr->tlb < 0 ? 0 : tlb) || !a->event)
		return -ENOMEM;
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
	const struct weft_carrier_ops *ops;
	struct weft_carrier_attr c;
	struct weft_apenet *a;
	int err;

	if (!attr_valid(attr))
		return -EINVAL;
	err = weft_port_place(&attr->place, &ops, &c);
	if (err)
		return err;
	a = calloc(1, sizeof(*a));
	if (!a)
		return -ENOMEM;
	c.up = &board_up;
	c.up_arg = a;
	err = board_init(a, attr);
	if (!err)
		err = weft_port_init(&a->port, ops, &c);
	if (err) {
		weft_apenet_close(a);
		return err;
	}
	*a_p = a;
	return 0;
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
	free(a->event);
	free(a);
}

WEFT_EXPORT void weft_apenet_name(struct weft_apenet *a,
				  struct sockaddr_in *name)
{
	struct weft_carrier *c = a->port.carrier;

	c->ops->name_get(c, name);
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
}

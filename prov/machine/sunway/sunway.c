/* SPDX-License-Identifier: BSD-3-Clause */
/* The Sunway interface: open, close, nodes, and polling of its engines. */
#include "prov/machine/sunway/sunway_dev.h"

#include <time.h>

#define RESEND_NS	 1000000 /* timeout of a message; assumed */
/*
 * timeout of an engine packet, ns: longer, since the receiver may be busy;
 * doubled with each retransmission; assumed
 */
#define RESEND_ENGINE_NS 20000000
/* longest wait on one port, ns: packets may arrive at the other port */
#define WAIT_NS		 100000

static uint64_t wall_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* ---- nodes ---- */

/* Both ports report a lost peer; only the first report is used. */
static void on_lost(void *arg, struct weft_peer *peer, int err)
{
	struct sunway_port *p = arg;
	uint32_t guid = weft_port_node(&p->port, peer);

	if (guid == WEFT_PORT_NO_NODE)
		return;
	sunway_tx_lost(p->n, guid);
	sunway_rx_lost(p->n, guid);
	sunway_window_lost(p->n, guid);
	sunway_coll_lost(p->n, guid);
}

static const struct weft_carrier_up port_up = {
	.deliver = sunway_rx_deliver,
	.lost = on_lost,
};

WEFT_EXPORT void weft_sunway_name(struct weft_sunway *n,
				  struct weft_sunway_name *name)
{
	memset(name, 0, sizeof(*name));
	for (unsigned i = 0; i < n->ports; i++)
		weft_port_name(&n->port[i].port, &name->port[i]);
}

WEFT_EXPORT int weft_sunway_node_set(struct weft_sunway *n, uint32_t guid,
				     const struct weft_sunway_name *name)
{
	int err = 0;

	if (guid >= WEFT_SUNWAY_GUIDS)
		return -EINVAL;
	if (guid == n->guid)
		return 0;
	for (unsigned i = 0; i < n->ports && !err; i++)
		err = weft_port_node_set(&n->port[i].port, guid,
					 &name->port[i]);
	return err;
}

WEFT_EXPORT int weft_sunway_port_set(struct weft_sunway *n, unsigned port,
				     int healthy)
{
	if (port >= n->ports)
		return -EINVAL;
	n->port[port].healthy = healthy;
	return 0;
}

/* ---- open and close ---- */

static int ports_open(struct weft_sunway *n,
		      const struct weft_sunway_attr *attr)
{
	const struct weft_carrier_ops *ops;
	struct weft_carrier_attr a;
	int err = weft_port_place(&attr->place, &ops, &a);

	a.up = &port_up;
	for (unsigned i = 0; i < n->ports && !err; i++) {
		n->port[i].n = n;
		n->port[i].healthy = true;
		a.up_arg = &n->port[i];
		err = weft_port_init(&n->port[i].port, ops, &a);
		/*
		 * the requested address is for the first port; the next port
		 * gets any address
		 */
		a.name.in.sin_port = 0;
	}
	return err;
}

/*
 * Opens one carrier for all ports. Its node numbers are those of the transport.
 */
static int port_open_shared(struct weft_sunway *n,
			    const struct weft_carrier_ops *ops,
			    const struct weft_carrier_attr *attr)
{
	int err = weft_port_init(&n->port[0].port, ops, attr);

	n->one_carrier = true;
	for (unsigned i = 0; i < n->ports; i++) {
		n->port[i].n = n;
		n->port[i].healthy = true;
		n->port[i].port.carrier = n->port[0].port.carrier;
	}
	return err;
}

static struct weft_sunway *chip_make(const struct weft_sunway_attr *attr)
{
	struct weft_sunway *n = calloc(1, sizeof(*n));

	if (!n)
		return NULL;
	n->guid = attr->guid;
	n->ports = attr->ports ? attr->ports : WEFT_SUNWAY_PORTS;
	n->manage = attr->manage;
	n->arg = attr->arg;
	n->clock = attr->clock ? attr->clock : wall_ns;
	n->resend_ns = attr->resend_ns ? attr->resend_ns : RESEND_NS;
	weft_list_init(&n->local);
	weft_list_init(&n->replies);
	weft_list_init(&n->reads);
	weft_list_init(&n->notifications);
	weft_list_init(&n->rdma_rx);
	weft_list_init(&n->window);
	weft_list_init(&n->colls);
	weft_hash_init(&n->rdma_rx_by_key);
	weft_hash_init(&n->windows);
	for (unsigned i = 0; i < WEFT_SUNWAY_ENGINES; i++)
		sunway_msg_init(&n->me[i], i);
	return n;
}

WEFT_EXPORT int weft_sunway_open(const struct weft_sunway_attr *attr,
				 struct weft_sunway **n_p)
{
	struct weft_sunway *n;
	int err;

	if (attr->guid >= WEFT_SUNWAY_GUIDS || attr->ports > WEFT_SUNWAY_PORTS)
		return -EINVAL;
	n = chip_make(attr);
	if (!n)
		return -ENOMEM;
	err = ports_open(n, attr);
	if (err) {
		weft_sunway_close(n);
		return err;
	}
	*n_p = n;
	return 0;
}

int sunway_create(const struct weft_carrier_ops *ops,
		  const struct weft_carrier_attr *attr,
		  struct weft_sunway **n_p)
{
	const struct weft_sunway_attr chip = { .resend_ns = RESEND_ENGINE_NS };
	struct weft_sunway *n = chip_make(&chip);
	int err;

	if (!n)
		return -ENOMEM;
	err = port_open_shared(n, ops, attr);
	if (err) {
		weft_sunway_close(n);
		return err;
	}
	*n_p = n;
	return 0;
}

WEFT_EXPORT void weft_sunway_close(struct weft_sunway *n)
{
	if (!n)
		return;
	sunway_vi_fini(n);
	for (unsigned i = 0; i < (n->one_carrier ? 1 : n->ports); i++)
		weft_port_fini(&n->port[i].port);
	sunway_rx_fini(n);
	sunway_window_fini(n);
	sunway_port_fini(n);
	sunway_mem_fini(n);
	sunway_coll_fini(n);
	free(n);
}

/* ---- polling ---- */

WEFT_EXPORT int weft_sunway_poll(struct weft_sunway *n, int budget)
{
	int done = sunway_port_run(n);

	for (unsigned i = 0; i < WEFT_SUNWAY_ENGINES; i++)
		done += sunway_tx_run(n, i, budget);
	for (unsigned i = 0; i < n->ports; i++) {
		struct weft_carrier *c = n->port[i].port.carrier;

		done += c->ops->poll(c, budget);
	}
	done += sunway_rx_run(n);
	sunway_coll_run(n);
	return done;
}

WEFT_EXPORT int weft_sunway_wait(struct weft_sunway *n, uint64_t timeout_ns)
{
	struct weft_carrier *c = n->port[0].port.carrier;
	uint64_t most = n->ports > 1 ? WAIT_NS : n->resend_ns;

	return c->ops->wait(c, timeout_ns < most ? timeout_ns : most);
}

WEFT_EXPORT void weft_sunway_stats(struct weft_sunway *n,
				   struct weft_sunway_stats *s)
{
	*s = n->stats;
}

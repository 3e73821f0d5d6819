/* SPDX-License-Identifier: BSD-3-Clause */
/* The port of a unit: carrier and node numbers. */
#include "prov/machine/machine_port.h"

#include <errno.h>
#include <string.h>

int weft_port_init(struct weft_port *p, const struct weft_carrier_ops *ops,
		   const struct weft_carrier_attr *attr)
{
	weft_hash_init(&p->by_node);
	weft_hash_init(&p->by_index);
	p->carrier = NULL;
	return ops->open(attr, &p->carrier);
}

void weft_port_fini(struct weft_port *p)
{
	if (p->carrier)
		p->carrier->ops->close(p->carrier);
	p->carrier = NULL;
	weft_hash_fini(&p->by_node);
	weft_hash_fini(&p->by_index);
}

int weft_port_place(const struct weft_place *place,
		    const struct weft_carrier_ops **ops_p,
		    struct weft_carrier_attr *attr)
{
	const char *name = place->carrier ? place->carrier : "shm";
	const struct weft_carrier_ops *ops;

	if (!strcmp(name, "shm"))
		ops = &weft_carrier_shm;
	else if (!strcmp(name, "loop"))
		ops = &weft_carrier_loop;
	else if (!strcmp(name, "sock"))
		ops = &weft_carrier_sock;
	else if (!strcmp(name, "hybrid"))
		ops = &weft_carrier_hybrid;
	else
		return -EINVAL;
	memset(attr, 0, sizeof(*attr));
	attr->name.in = place->name;
	attr->name.in.sin_family = AF_INET;
	if (weft_name_is_any(&attr->name))
		weft_name_set_loopback(&attr->name);
	attr->fifo_slots = place->fifo_slots;
	attr->faults = place->faults;
	*ops_p = ops;
	return 0;
}

int weft_port_bind(struct weft_port *p, uint32_t node, struct weft_peer *peer)
{
	int err = weft_hash_set(&p->by_node, (uint64_t)node + 1, peer);

	if (err)
		return err;
	return weft_hash_set(&p->by_index, (uint64_t)peer->index + 1,
			     (void *)((uintptr_t)node + 1));
}

void weft_port_name(const struct weft_port *p, struct sockaddr_in *name)
{
	union weft_name n;

	p->carrier->ops->name_get(p->carrier, &n);
	*name = n.in;
}

int weft_port_node_set(struct weft_port *p, uint32_t node,
		       const struct sockaddr_in *name)
{
	const union weft_name n = { .in = *name };
	struct weft_peer *peer;
	int err = p->carrier->ops->peer(p->carrier, &n, &peer);

	return err ? err : weft_port_bind(p, node, peer);
}

struct weft_peer *weft_port_peer(struct weft_port *p, uint32_t node)
{
	return weft_hash_get(&p->by_node, (uint64_t)node + 1);
}

uint32_t weft_port_node(struct weft_port *p, const struct weft_peer *peer)
{
	void *v = weft_hash_get(&p->by_index, (uint64_t)peer->index + 1);

	return v ? (uint32_t)((uintptr_t)v - 1) : WEFT_PORT_NO_NODE;
}

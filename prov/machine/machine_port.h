/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The port of a unit: the carrier below it, and a map from node numbers (torus
 * coordinates, processing element, virtual process) to peers. Used by bgq,
 * gemini, qsnet2 and sunway.
 */
#ifndef WEFT_MACHINE_PORT_H
#define WEFT_MACHINE_PORT_H

#include "prov/backend/backend.h"
#include "src/base/hash.h"

#include <weft/place.h>

#define WEFT_PORT_NO_NODE UINT32_MAX

struct weft_port {
	struct weft_carrier *carrier;
	struct weft_hash by_node;  /* node + 1 -> peer */
	struct weft_hash by_index; /* peer index + 1 -> node + 1 */
};

int weft_port_init(struct weft_port *p, const struct weft_carrier_ops *ops,
		   const struct weft_carrier_attr *attr);
void weft_port_fini(struct weft_port *p);

/* Sets ops and attr from a struct weft_place; -EINVAL: no such carrier. */
int weft_port_place(const struct weft_place *place,
		    const struct weft_carrier_ops **ops_p,
		    struct weft_carrier_attr *attr);

/* Returns the IPv4 address of a unit that weft_port_place() has placed. */
void weft_port_name(const struct weft_port *p, struct sockaddr_in *name);
int weft_port_node_set(struct weft_port *p, uint32_t node,
		       const struct sockaddr_in *name);

/* Assigns a node number to a known peer. */
int weft_port_bind(struct weft_port *p, uint32_t node, struct weft_peer *peer);

/* Returns the peer of a node, or NULL. */
struct weft_peer *weft_port_peer(struct weft_port *p, uint32_t node);

/* Returns the node number of a peer, or WEFT_PORT_NO_NODE. */
uint32_t weft_port_node(struct weft_port *p, const struct weft_peer *peer);

#endif

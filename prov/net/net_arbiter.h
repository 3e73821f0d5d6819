/* SPDX-License-Identifier: BSD-3-Clause */
/* Arbitration between the packets that wait to leave a node. */
#ifndef WEFT_NET_ARBITER_H
#define WEFT_NET_ARBITER_H

#include "prov/net/net_layout.h"

/* Serves the ports of the marked nodes, and clears the marks. */
void net_arbiter_serve(struct net_step *s);

#endif

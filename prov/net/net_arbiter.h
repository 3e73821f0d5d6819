/* SPDX-License-Identifier: BSD-3-Clause */
/* Who goes out at a node. */
#ifndef WEFT_NET_ARBITER_H
#define WEFT_NET_ARBITER_H

#include "prov/net/net_layout.h"

/* Serves the ports of marked nodes, and takes the marks off. */
void net_arbiter_serve(struct net_step *s);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/* Buses of several equal parts. */
#ifndef WEFT_NET_BUS_H
#define WEFT_NET_BUS_H

#include "prov/net/net_layout.h"

/*
 * Occupies the part of a bus that becomes free first, for `ps` times the number
 * of parts. Returns the time `ps` after the start: the head of the packet does
 * not wait for the tail.
 */
uint64_t net_bus_part(const struct net *net, uint32_t node, unsigned bus,
		      uint64_t start, uint64_t ps);

#endif

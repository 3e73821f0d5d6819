/* SPDX-License-Identifier: BSD-3-Clause */
/* Prefetching of cache lines that are needed soon. */
#ifndef WEFT_NET_PREFETCH_H
#define WEFT_NET_PREFETCH_H

#include "prov/net/net_layout.h"

typedef void (*net_prefetch_fn)(const struct net *net, const uint64_t *w,
				uint32_t n);
static inline void net_prefetch(const void *line)
{
	(void)*(const volatile uint8_t *)line;
}
/* Prefetches a chunk of events. slot: value of a wheel slot (net_wheel.c) */
void net_prefetch_chunk(const struct net *net, uint32_t slot);
/*
 * Prefetch the data of events: tails and tokens, arrivals, sorted events,
 * callbacks.
 */
void net_prefetch_nodes(const struct net *net, const uint64_t *w, uint32_t n);
void net_prefetch_arrive(const struct net *net, const uint64_t *w, uint32_t n);
void net_prefetch_sorted(const struct net *net, const uint64_t *w, uint32_t n);
void net_prefetch_calls(const struct net *net, const uint64_t *w, uint32_t n);
/* Prefetches the data that the arbitration of marked nodes reads. */
void net_prefetch_marks(const struct net *net, struct net_mark *m, uint32_t n);

#endif

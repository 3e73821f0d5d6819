/* SPDX-License-Identifier: BSD-3-Clause */
/* Trees of chained events, used by sten_engine.c, which creates the routes. */
#ifndef WEFT_PROV_STEN_CHAIN_H
#define WEFT_PROV_STEN_CHAIN_H

#include "prov/nic/nic_chain.h"
#include "prov/nic/sten/sten_dev.h"

/*
 * Virtual process numbers are the carrier's peer indices; the tree's neighbours
 * must have a route.
 */
struct sten_chain;

int sten_chain_open(struct weft_sten *s, unsigned context,
		    const struct weft_chain_attr *attr,
		    const struct weft_chain_ops *ops, struct weft_chain **c_p);
void sten_chain_close(struct weft_chain *c);
void *sten_chain_slot(struct weft_chain *c, uint64_t seq);
int sten_chain_cast(struct weft_chain *c, uint64_t seq, size_t bytes);
uint64_t sten_chain_received(const struct weft_chain *c, uint64_t seq);
int sten_chain_arrive(struct weft_chain *c, enum weft_chain_point p);
uint64_t sten_chain_passed(const struct weft_chain *c, enum weft_chain_point p);
bool sten_chain_run(struct weft_chain *c);
/* The tree's unit, and the root of the tree (NULL: this member). */
struct weft_sten *sten_chain_unit(const struct weft_chain *c);
struct weft_peer *sten_chain_root(const struct weft_chain *c);

#endif

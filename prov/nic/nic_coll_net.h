/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A group's class route on a modelled network (virtual time): barrier,
 * broadcast, reduction and allreduction travel as packets through the tree
 * that the model has, and are combined by it. Other operations of the group
 * go by messages.
 *
 *   open (-EAGAIN: again) -> [post, poll]* -> close
 */
#ifndef WEFT_PROV_NIC_COLL_NET_H
#define WEFT_PROV_NIC_COLL_NET_H

#include "prov/carrier/carrier_vt.h"
#include "prov/nic/cu/cu.h"

struct nic_net;

/* Opens a route when all members have asked for it. -EAGAIN: again. */
int nic_net_open(struct weft_carrier *carrier,
		 const struct weft_vt_route_attr *attr, struct nic_net **n_p);
int nic_net_id(const struct nic_net *n);
/* Do events of the members' interfaces carry it? */
bool nic_net_chained(const struct nic_net *n);
/* Fails what is pending with -ECANCELED. */
void nic_net_close(struct nic_net *n);

/* Whether an operation of that kind can go this way. */
bool nic_net_can(const struct nic_net *n, const struct weft_cu_call *call);
/* Never refuses: done is called sooner or later. */
void nic_net_post(struct nic_net *n, struct weft_cu_call *call);
/* Moves what waits. */
void nic_net_poll(struct nic_net *n);
/* Who slept looks: polls the carrier first; returns what that said. */
int nic_net_woken(struct nic_net *n, int budget);
/* A member died: everything pending and to come fails. */
void nic_net_fail(struct nic_net *n, int err);

/* The arithmetic, as the carrier takes it. */
uint32_t nic_coll_combine(unsigned op, unsigned type, void *acc, const void *in,
			  size_t bytes);

#endif

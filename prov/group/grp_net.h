/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A group's class route on a modelled network (virtual time): barrier,
 * broadcast, reduction and allreduction travel as packets through the model's
 * tree, which combines them. Other operations of the group use messages.
 *
 *   open (-EAGAIN: again) -> [post, poll]* -> close
 */
#ifndef WEFT_GRP_NET_H
#define WEFT_GRP_NET_H

#include "prov/backend/backend.h"
#include "prov/group/cunit/cunit.h"

struct nic_net;

/* Opens a route when all members have requested it. -EAGAIN: call again. */
int nic_net_open(struct weft_carrier *carrier,
		 const struct weft_backend_route *attr, struct nic_net **n_p);
int nic_net_id(const struct nic_net *n);
/*
 * Returns whether the route is implemented by chained events of the members'
 * interfaces.
 */
bool nic_net_chained(const struct nic_net *n);
/* Fails pending operations with -ECANCELED. */
void nic_net_close(struct nic_net *n);

/* Returns whether the route supports this kind of operation. */
bool nic_net_can(const struct nic_net *n, const struct weft_coll_call *call);
/* Posts an operation. Never fails: done is called eventually. */
void nic_net_post(struct nic_net *n, struct weft_coll_call *call);
/* Progresses pending operations. */
void nic_net_poll(struct nic_net *n);
/*
 * Polls the carrier after the endpoint has blocked; returns the result of that
 * poll.
 */
int nic_net_poll_woken(struct nic_net *n, int budget);
/* Fails pending and later operations. */
void nic_net_fail(struct nic_net *n, int err);

/* Combines contributions of a reduction; called by the carrier. */
uint32_t grp_combine(unsigned op, unsigned type, void *acc, const void *in,
		     size_t bytes);

#endif

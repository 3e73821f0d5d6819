/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Broadcasts and barriers of a group by a tree of the unit's chained events
 * (machine_chain.h), where the network cannot multicast to the group directly.
 *
 *   open -> [post, poll]* -> close
 */
#ifndef WEFT_GRP_CHAIN_H
#define WEFT_GRP_CHAIN_H

#include "prov/group/cunit/cunit.h"
#include "prov/machine/machine_chain.h"

struct nic_chain;

int nic_chain_open(struct weft_unit *u, const struct weft_chain_ops *ops,
		   const struct weft_chain_attr *attr, struct nic_chain **c_p);
/* Closes the chain; pending operations fail with -ECANCELED. */
void nic_chain_close(struct nic_chain *c);
/* Returns whether the operation is supported. */
bool nic_chain_can(const struct weft_coll_call *call);
/* Posts an operation. Never fails: done is called eventually. */
void nic_chain_post(struct nic_chain *c, struct weft_coll_call *call);
/*
 * Progresses pending operations. Returns false if packets of the members do not
 * match.
 */
bool nic_chain_poll(struct nic_chain *c);
/* Fails pending and later operations. */
void nic_chain_fail(struct nic_chain *c, int err);

/* Progress of a member, for grp_check.c. */
struct nic_chain_state {
	uint64_t posted;	 /* number of the next packet of broadcasts */
	uint64_t due;		 /* packets that this member has not sent yet */
	uint64_t broadcast;	 /* packets that this member has sent */
	uint64_t received_count; /* packets that this member has received */
	uint64_t barriers;
	uint64_t passed;
};

void nic_chain_state(const struct nic_chain *c, struct nic_chain_state *s);

#endif

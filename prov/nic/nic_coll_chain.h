/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Broadcasts and barriers of a group by a tree of the unit's chained events
 * (nic_chain.h), where the network does not reach the group at once.
 *
 *   open -> [post, poll]* -> close
 */
#ifndef WEFT_PROV_NIC_COLL_CHAIN_H
#define WEFT_PROV_NIC_COLL_CHAIN_H

#include "prov/nic/cu/cu.h"
#include "prov/nic/nic_chain.h"

struct nic_chain;

int nic_chain_open(struct weft_unit *u, const struct weft_chain_ops *ops,
		   const struct weft_chain_attr *attr, struct nic_chain **c_p);
/* Fails what is pending with -ECANCELED. */
void nic_chain_close(struct nic_chain *c);
/* Does an operation go this way? */
bool nic_chain_can(const struct weft_cu_call *call);
/* Never refuses: done is called sooner or later. */
void nic_chain_post(struct nic_chain *c, struct weft_cu_call *call);
/* Moves what waits. False: members cast packets that do not fit together. */
bool nic_chain_poll(struct nic_chain *c);
/* Everything pending and to come fails. */
void nic_chain_fail(struct nic_chain *c, int err);

/* How far a member is; nic_coll_check.c. */
struct nic_chain_state {
	uint64_t posted; /* packets of broadcasts */
	uint64_t due;	 /* of these his own that he has not cast */
	uint64_t cast;	 /* and those that he has */
	uint64_t taken;	 /* packets that came here */
	uint64_t barriers;
	uint64_t passed;
};

void nic_chain_state(const struct nic_chain *c, struct nic_chain_state *s);

#endif

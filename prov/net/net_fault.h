/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Faults in the model, by a plan (src/base/plan.h): links that err, lose lanes
 * or die, nodes that are slow, halt or die, words of memory that go wrong.
 * What the machine does about each is in struct net_care.
 *
 *   net_fault_reserve(cfg, plan) -> net_open -> net_fault_load(net, plan)
 *
 * Whether a bit goes wrong follows from the seed, the link and the number of
 * packets it has carried: not from hosts, nor from the order of calls. The
 * error pattern is given to the machine's own code, which finds it or not.
 *
 * WHOM of a plan's line:
 *   class   A+  A  1-  *          of links, both directions, all
 *           optical, copper       across midplanes or by long cables, or not
 *   link    17.A+  0,3,1.A+.2     all links from there in that direction, or
 *           2:5.1+.0              one of them; both ways of each
 *   node    17   0,3,1            number or coordinates
 *   switch  0,3,1   2:5           router of a torus; level and number
 *   rail    1                     counted from 0
 */
#ifndef WEFT_NET_FAULT_H
#define WEFT_NET_FAULT_H

#include "prov/net/net.h"

#include "src/base/plan.h"

/* Room in the network for this plan; before net_bytes. */
void net_fault_reserve(struct net_config *cfg, const struct weft_plan *plan);
/*
 * Puts the plan to work, before anything is sent. What concerns carriers alone
 * is left out. -EINVAL: why says what is wrong, with file and line.
 */
int net_fault_load(struct net *net, const char *name,
		   const struct weft_plan *plan, struct weft_plan_why *why);

/* What went wrong so far, and what was done about it. */
struct net_fault_count {
	uint64_t packets;   /* put on links that may err, tries included */
	uint64_t bad;	    /* of them with wrong bits, and found */
	uint64_t header;    /* by the code of the header */
	uint64_t mended;    /* symbols that a code has put right */
	uint64_t escaped;   /* with wrong bits that no code found */
	uint64_t retries;   /* by links */
	uint64_t retrains;  /* of links */
	uint64_t resends;   /* by the units that had sent them */
	uint64_t discarded; /* at their last node */
	uint64_t timeouts;  /* nobody told the unit */
	uint64_t corrected; /* words of memory */
	uint64_t poisoned;  /* packets with a word beyond correction */
	uint64_t halted;    /* units for such a word */
	uint64_t detours;   /* hops otherwise than on a machine that is whole */
	uint64_t quiesced;  /* times that nobody sent */
	uint64_t alarms;    /* thresholds passed */
	uint64_t lost;	    /* messages that nobody could save */
	uint64_t dead_links;
	uint64_t dead_nodes;
	uint64_t unlike;   /* links whose ends have added up other things */
	uint64_t retry_ps; /* links were taken by retries */
};
/* The same with names, for people and for programs; NULL: no more. */
const char *net_fault_item(const struct net_fault_count *c, unsigned i,
			   uint64_t *value_p);
/* False: there is no plan. */
bool net_fault_get(const struct net *net, struct net_fault_count *c);

/* One direction of a link. */
struct net_fault_port {
	uint64_t packets, bad, escaped, detours;
	uint64_t retry_ps;
	bool dead;
};
void net_fault_port_get(const struct net *net, uint32_t node, unsigned port,
			struct net_fault_port *p);
bool net_fault_node_dead(const struct net *net, uint32_t node);
/* How many times longer things take at a node, times 1000. */
uint32_t net_fault_slow(const struct net *net, uint32_t node);

#endif

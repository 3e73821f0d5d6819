/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Fault injection in the model, by a fault plan (src/job/fault_plan.h): links
 * with bit errors, lost lanes or failures; nodes that are slow, halt or fail;
 * memory errors. struct net_reliability describes how the machine handles each
 * of them.
 *
 *   net_fault_reserve(cfg, plan) -> net_open -> net_fault_load(net, plan)
 *
 * Bit errors depend on the seed, the link and the number of packets that the
 * link has carried, not on hosts or the order of calls. The machine's error
 * code is applied to the error pattern, which decides whether the errors are
 * detected.
 *
 * Objects that a fault can apply to (TARGET in the fault plan):
 *   class   A+  A  1-  *          class of links; A is A+ and A-, * is all
 *           optical, copper       between midplanes or with long cables; others
 *   link    17.A+  0,3,1.A+.2     all links of a node in a direction, or the
 *           2:5.1+.0              link with this number; both directions
 *   node    17   0,3,1            number or coordinates
 *   switch  0,3,1   2:5           router of a torus; level and number
 *   rail    1                     counted from 0
 */
#ifndef WEFT_NET_FAULT_H
#define WEFT_NET_FAULT_H

#include "prov/net/net.h"

#include "src/job/fault_plan.h"

/* Reserves space in the network for this fault plan; call before net_bytes. */
void net_fault_reserve(struct net_config *cfg,
		       const struct weft_fault_plan *plan);
/*
 * Checks that the network can have the faults of the plan. -EINVAL: *why
 * describes the line with a fault that the network cannot have.
 */
int net_fault_check(const struct net_config *cfg, const char *name,
		    const struct weft_fault_plan *plan,
		    struct weft_fault_plan_why *why);
/*
 * Activates the fault plan; call before anything is sent. Lines about carriers
 * and processes are ignored. -EINVAL: why holds the error message with file and
 * line.
 */
int net_fault_load(struct net *net, const char *name,
		   const struct weft_fault_plan *plan,
		   struct weft_fault_plan_why *why);

/* Parses a node. Returns NULL, or an error message. */
const char *net_fault_node_parse(const struct net *net, const char *text,
				 uint32_t *node_p);

struct net_fault_count {
	/* packets sent on links with errors, including retries */
	uint64_t packets;
	uint64_t bad;	 /* packets with detected bit errors */
	uint64_t header; /* packets whose errors the header code detected */
	uint64_t symbols_corrected; /* symbols corrected by FEC */
	uint64_t bits_corrected;    /* bits corrected by the parity of fibres */
	uint64_t escaped;	    /* packets with undetected bit errors */
	uint64_t retries;	    /* packets retransmitted by links */
	uint64_t retrains;	    /* retrainings of links */
	uint64_t resends;   /* packets retransmitted by source interfaces */
	uint64_t discarded; /* bad packets discarded at their target */
	/* responses to discarded packets, received by the packets' sources */
	uint64_t error_events;
	/* timeouts of interfaces whose packets were lost */
	uint64_t timeouts;
	/* messages by which sources request a lost acknowledgement again */
	uint64_t neterrs;
	uint64_t corrected; /* memory words corrected by ECC */
	uint64_t poisoned;  /* packets with an uncorrectable memory word */
	uint64_t halted;    /* interfaces halted by an uncorrectable error */
	/* hops that differ from the route without faults */
	uint64_t detours;
	/* times that injection stopped while routes were rebuilt */
	uint64_t quiesced;
	uint64_t alarms; /* error counters that reached their alarm threshold */
	uint64_t lost;
	uint64_t dead_links;
	uint64_t dead_nodes;
	/* links whose two ends have different CRCs for user packets */
	uint64_t crc_mismatches;
	/* links whose two ends have different CRCs for system packets */
	uint64_t crc_mismatches_system;
	uint64_t retry_ps; /* time that links were occupied by retries */
};
/* Returns the name of counter i and sets its value; NULL: no more counters. */
const char *net_fault_item(const struct net_fault_count *c, unsigned i,
			   uint64_t *value_p);
/* Reads the counters. Returns false without a fault plan. */
bool net_fault_count_get(const struct net *net, struct net_fault_count *c);

struct net_fault_port {
	uint64_t packets, bad, escaped, detours;
	uint64_t retry_ps;
	bool dead;
};
void net_fault_port_get(const struct net *net, uint32_t node, unsigned port,
			struct net_fault_port *p);
bool net_fault_node_dead(const struct net *net, uint32_t node);
/* Returns the slowdown factor of a node, times 1000. */
uint32_t net_fault_node_slowdown(const struct net *net, uint32_t node);

#endif

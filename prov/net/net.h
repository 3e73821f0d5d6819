/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The network model: packets on a machine's links, in virtual time. The model
 * is single threaded and uses no globals, clock or environment. All state is
 * in one block of memory that the caller provides. The block holds offsets
 * instead of pointers, so several processes may map it at different addresses
 * and use it one at a time (the caller locks). The same calls in the same
 * order give the same events, whichever process makes them.
 *
 *   net_open -> [net_send, net_run]* -> net_check
 *
 * Times are picoseconds. The model steps by the machine's cycle (a tick) and
 * stores the remainder below a tick with each packet, so the times passed to
 * callbacks are exact. A send may be backdated by up to net_lookahead() from
 * the time that net_run has reached, because the network interface needs at
 * least that time before it sends. Within that range, the order of calls for
 * different FIFOs, routes and nodes does not matter.
 */
#ifndef WEFT_NET_H
#define WEFT_NET_H

#include "prov/net/file/net_config.h"
#include "src/tree/tree_shape.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <weft/coll_call.h>

struct net;

#define NET_NEVER UINT64_MAX

/* Routing of the packets of a message. */
enum net_routing_mode {
	/* adaptive within the zone masks, with the bubble channel as escape */
	NET_DYNAMIC,
	/* dimension order; packets of a source-target pair stay in order */
	NET_DETERMINISTIC,
	NET_HIGH,   /* deterministic, on the high-priority user channel */
	NET_SYSTEM, /* deterministic, on the system channel */
};

/* A message (one descriptor); the network interface splits it into packets. */
struct net_msg {
	uint32_t src;
	/* target node; with deposit: the last node of the line */
	uint32_t dst;
	uint64_t bytes; /* payload bytes; 0: one packet without payload */
	/* caller's value, passed to every callback for this message */
	uint64_t cookie;
	/*
	 * Number of the injection FIFO in memory, below 65536. A FIFO sends one
	 * message at a time, by engine and network FIFO fifo % inject_fifos. An
	 * engine serves its FIFOs round-robin, packet by packet. With
	 * cfg.torus_fifos, normal packets use network FIFO fifo % torus_fifos;
	 * other classes have FIFOs of their own.
	 */
	uint32_t fifo;
	/*
	 * Mask of the network FIFOs over which the packets are distributed; 0:
	 * one, as above. One engine at a time builds a packet of a message.
	 * Packets that take different FIFOs may be reordered. Not on machines
	 * with parallel links or address caches.
	 */
	uint16_t map;
	uint8_t routing; /* enum net_routing_mode */
	uint8_t zone;	 /* zone set of a dynamic message */
	/* 1: each node on the line keeps a copy; not with NET_DYNAMIC */
	uint8_t deposit;
	/* 1: a dynamic packet does not leave the bubble channel again */
	uint8_t stay;
	uint8_t path; /* path at the source, index in net_config.path */
	/* path at the target, index plus one; 0: same as path */
	uint8_t path_in;
	uint8_t ack; /* 1: every packet is acknowledged; not with deposit */
	/*
	 * 1: the link is selected per packet, by its offset in the message, so
	 * packets may arrive out of order. Only for messages that are not
	 * dynamic, on machines with parallel links.
	 */
	uint8_t spread;
	/* trees: rail of all packets, plus one; 0: selected per packet */
	uint8_t rail;
	/*
	 * Address in the target's memory; selects the link (spread = 1) and the
	 * entry in the address caches of buses.
	 */
	uint64_t address;
	/* required direction per dimension: -1, +1; 0: any */
	int8_t hint[NET_DIMS_MAX];
	/*
	 * Source route: the output port at each node, starting with the source;
	 * NULL: none. The route must end at dst. On a tree the route goes up,
	 * then down; NET_ROUTE_ANY in the upward part of a dynamic message
	 * allows any link up. On a torus it is allowed only where nodes share a
	 * router and only for messages that are not dynamic; if the route
	 * violates dimension order, the caller must ensure that there is no
	 * deadlock.
	 */
	const uint8_t *route;
	uint8_t route_len;
};

#define NET_ROUTE_ANY 0xff
#define NET_DEAD_LINK (1u << 31)

/*
 * Answer of a node to a query; the highest answer of all nodes is the result.
 */
enum net_answer { NET_OK, NET_TEST_FAIL, NET_DISCARD };

struct net_query_info {
	uint32_t route;
	/* net_up.ask: the queried node; net_up.answer: the querying node */
	uint32_t node;
	uint64_t seq, cookie;
	uint8_t answer; /* enum net_answer */
};

/*
 * Callbacks of net_run, in order of time and, at equal times, of nodes. A
 * callback may call only net_send, net_tree_send and net_timer. A callback may
 * be NULL.
 */
struct net_up {
	/* A packet (`bytes` at offset) is in the target's memory. */
	void (*packet)(void *arg, uint64_t at, uint64_t cookie, uint32_t node,
		       uint64_t offset, uint32_t bytes);
	/* The whole message is in the target's memory. */
	void (*arrived)(void *arg, uint64_t at, uint64_t cookie, uint32_t node);
	/*
	 * The source's interface has read the whole message; its FIFO continues
	 * with the next one.
	 */
	void (*sent)(void *arg, uint64_t at, uint64_t cookie, uint32_t node);
	/*
	 * The source's interface has received the acknowledgements of all
	 * packets.
	 */
	void (*acked)(void *arg, uint64_t at, uint64_t cookie, uint32_t node);
	/*
	 * The source's interface has received an error response to a packet of
	 * the message (an event with an error status in the completion queue);
	 * software retransmits the packet.
	 */
	void (*error)(void *arg, uint64_t at, uint64_t cookie, uint32_t node);
	/*
	 * Part of the message is lost; this is the last callback for the
	 * message.
	 */
	void (*lost)(void *arg, uint64_t at, uint64_t cookie, uint32_t node);
	/*
	 * A node has been found dead. With NET_DEAD_LINK in node: a link of
	 * that node is dead, and the machine cannot route around it.
	 */
	void (*dead)(void *arg, uint64_t at, uint32_t node);
	/* A timer of net_timer has expired. */
	void (*timer)(void *arg, uint64_t at, uint64_t cookie);
	/* A word of net_control_send has arrived at a port. */
	void (*word)(void *arg, uint64_t at, uint64_t cookie, uint32_t node,
		     unsigned port);
	/*
	 * Class route: all inputs of a packet are at the node. Combine them in
	 * this order: the node's contributions by rising cookie, then the
	 * children's by port. cookie[i] was passed to net_tree_send, or
	 * returned by this callback at a child. Returns the cookie of the
	 * result. Not called for a single input or for barriers. Called
	 * immediately, not in time order with the other callbacks; must not
	 * call the model.
	 */
	uint64_t (*combine)(void *arg, uint64_t at, uint32_t node,
			    const uint64_t *cookie, unsigned count);
	/* Class route: the result is in the memory of a contributing node. */
	void (*result)(void *arg, uint64_t at, uint32_t route, uint32_t node,
		       uint64_t seq, uint64_t cookie);
	/* Called after every NET_CALLBACK_TICKS ticks of one net_run. */
	void (*progress_check)(void *arg);
	/* Class route: a query has reached a node. Returns its answer. */
	uint8_t (*ask)(void *arg, uint64_t at, const struct net_query_info *q);
	/* The merged answer of all nodes is at the querying node. */
	void (*answer)(void *arg, uint64_t at, const struct net_query_info *q);
};

/*
 * Returns the size in bytes of the block for this machine, with at most
 * packets_max packets in flight.
 */
size_t net_bytes(const struct net_config *cfg, uint32_t packets_max);
/*
 * Initializes the network in the block. -EINVAL: invalid configuration; the
 * reason is logged.
 */
int net_open(struct net *net, size_t bytes, const struct net_config *cfg,
	     uint32_t packets_max);

/*
 * Changes the rate of one direction of a link (e.g. lost lanes), for packets
 * sent from now on. -EINVAL: no such link, or more than NET_RATES_MAX rates.
 */
int net_link_rate(struct net *net, uint32_t node, unsigned port,
		  uint64_t ps_per_byte_x1000);

/*
 * Selects store-and-forward (`whole`) or cut-through for one direction of a
 * link, for packets sent from now on. -EINVAL: no such link.
 */
int net_link_store_forward(struct net *net, uint32_t node, unsigned port,
			   bool whole);

/*
 * Marks a link of a tree dead in both directions, before anything is sent. Its
 * two switches then use the next port of a table entry; other switches route
 * around the link only after net_tables_renew.
 */
int net_link_kill(struct net *net, uint32_t node, unsigned port);
void net_tables_renew(struct net *net);

/*
 * Loads other routing tables of a torus: dimension order of deterministic
 * packets, and zone sets (net_config.h). -EBUSY: packets are in flight;
 * -EINVAL: not an order of this machine's dimensions.
 */
int net_tables_load(struct net *net, const uint8_t order[NET_DIMS_MAX],
		    uint8_t zone[NET_ZONES][NET_DIMS_MAX]);

/*
 * Occupies the processor of a node's interface for `ps`, starting at time `at`
 * or at the end of its earlier work. Returns the end time.
 */
uint64_t net_thread_run(struct net *net, uint32_t node, uint64_t at,
			uint64_t ps);
/*
 * Posts a message to its FIFO at time `at`. Returns 0; -EAGAIN: no free record
 * in the block; -EINVAL: invalid node, path or routing, or the source route
 * does not end at dst.
 */
int net_send(struct net *net, uint64_t at, const struct net_msg *msg);
int net_timer(struct net *net, uint64_t at, uint64_t cookie);

/*
 * Sends a word to the neighbour in a control word, which the link's protocol
 * inserts between blocks of data; packets are not delayed. On a busy link the
 * word is sent in the next control word that carries no credits. On a dead link
 * it is lost. -EOPNOTSUPP: the links of this machine have no control words;
 * -EINVAL: no such link; -EAGAIN: no free record in the block.
 */
int net_control_send(struct net *net, uint64_t at, uint32_t node, unsigned port,
		     uint64_t cookie);

/* Returns by how much a send may be backdated from the time of net_run, ps. */
uint64_t net_lookahead(const struct net *net);
/* Returns the time of the next event; NET_NEVER: nothing is in flight. */
uint64_t net_next(const struct net *net);
/*
 * Runs all ticks up to and including the tick of `until`; stops after a tick in
 * which a callback set *stop. Returns the last picosecond of the last tick. The
 * events are the same if a run is split into several calls.
 */
uint64_t net_run(struct net *net, uint64_t until, const struct net_up *up,
		 void *arg, const bool *stop);

/* ---- class routes -------------------------------------------------------- */

/*
 * Kinds of packets: WEFT_COLL_BARRIER, BCAST, REDUCE and ALLREDUCE, and two
 * more. NET_ACKED_BCAST is a broadcast that every node answers (net_up.ask);
 * the switches merge the answers on the path back to the querying node
 * (net_up.answer). QsNet calls this a network conditional. NET_QUERY adds a
 * second phase: if all answers are NET_OK, a second packet sets the queried
 * state, and net_up.result is called at all nodes.
 *
 * A barrier is an AND in the switches if the machine has barrier classes. With
 * cfg.query_ps a barrier is a query: the first contributing node queries
 * whether all nodes have arrived, and repeats the query until they have.
 * Otherwise a barrier is an allreduce without data.
 */
enum net_coll {
	NET_ACKED_BCAST = WEFT_COLL_KINDS,
	NET_QUERY,
};

/*
 * Returns whether the machine's network supports this operation. Reductions
 * need an ALU in the network; barriers are not supported if only the interfaces
 * can combine.
 */
bool net_tree_supports(const struct net_config *cfg, unsigned kind);

/*
 * Opens a tree over nodes: parent[i] is the index of the parent of node[i],
 * which must be a neighbour, or -1 for the root; share[i] is the number of
 * contributions (ranks) of node[i]. Sets the id of the route, which is equal on
 * all nodes. -EINVAL: not a tree over links; -ENOSPC: a node has no free class
 * route.
 */
int net_tree_open(struct net *net, const uint32_t *node, const int *parent,
		  const uint32_t *share, uint32_t count, uint32_t *route_p);
void net_tree_close(struct net *net, uint32_t route);

/*
 * Users of a class route; the user determines the virtual channel on the links.
 */
enum net_tree_class {
	NET_TREE_WORLD, /* all nodes of a job, on the first channel */
	NET_TREE_GROUP, /* other groups, on the second channel */
	/* the system, on the first channel, with priority over the world */
	NET_TREE_SYSTEM,
};

/*
 * Sets the class of an idle route; the default is NET_TREE_WORLD. Has an effect
 * only if routes share the tokens of links (coll_shared).
 */
int net_tree_class_set(struct net *net, uint32_t route,
		       enum net_tree_class class);

/*
 * Contribution of one node (or rank) to one packet of a collective operation.
 */
struct net_part {
	uint32_t route;
	uint32_t node; /* contributing node */
	uint32_t dst;  /* WEFT_COLL_REDUCE: node that receives the result */
	/* payload bytes, at most payload_bytes of the machine */
	uint32_t bytes;
	/* packet number on the route, equal for all contributions */
	uint64_t seq;
	uint64_t cookie;
	/*
	 * enum weft_coll_kind or net_coll; a broadcast or query has one
	 * contribution
	 */
	uint8_t kind;
	uint8_t fp; /* 1: floating point, which takes more ALU time */
};
/*
 * Posts a contribution. Returns 0; -EINVAL: the node is not on the route;
 * -EAGAIN: no free record in the block.
 */
int net_tree_send(struct net *net, uint64_t at, const struct net_part *part);
/* A tree over contributing nodes (share > 0) and switches (share 0). */
struct net_tree_plan {
	uint32_t *node;
	int *parent;
	uint32_t *share;
	uint32_t count, room;
};
/*
 * Builds the tree that the machine's software would build over these nodes.
 * share NULL: one contribution per node. -EINVAL: the nodes are not a block of
 * a torus, or not a contiguous range if the hardware requires one; -ENOMEM.
 */
int net_tree_plan(const struct net_config *cfg, const uint32_t *node,
		  const uint32_t *share, uint32_t count,
		  struct net_tree_plan *t);
void net_tree_plan_free(struct net_tree_plan *t);

/* ---- inspection ---------------------------------------------------------- */

/*
 * Checks that packets and tokens are conserved. Returns 0, or -EPROTO after
 * logging the violation.
 */
int net_check(const struct net *net);
/*
 * Returns whether packets are in flight but none can make progress. Logs a
 * cycle of packets that wait for each other.
 */
bool net_deadlock_check(const struct net *net);

/* Returns the node at the other end of a port's link, or -1. */
int64_t net_neighbour(const struct net *net, uint32_t node, unsigned port);
/* Returns the minimal number of hops between two nodes. */
unsigned net_hops(const struct net *net, uint32_t src, uint32_t dst);
unsigned net_ports(const struct net *net);
/*
 * Returns the number of nodes with ports; end nodes are numbered before
 * switches.
 */
uint32_t net_nodes(const struct net *net);

/* Counters of one port; the hardware has the same counters. */
struct net_port_count {
	uint64_t packets;
	uint64_t chunks;    /* payload, in chunks of chunk_bytes */
	uint64_t busy_ps;   /* time that the link was occupied */
	uint64_t received;  /* packets received */
	uint64_t queued_ps; /* integral of queue length over time */
};
void net_port_get(const struct net *net, uint32_t node, unsigned port,
		  struct net_port_count *c);

/*
 * Performance counters of a port, on machines with cfg.counters: numbers 0 to 3
 * count chunks sent, including the header; the others count packets received,
 * and the integral of their queue length over time in ps. Each counts the
 * virtual channels of its mask (bits of enum net_vc).
 */
enum net_counter {
	NET_COUNTER_SENT,
	NET_COUNTER_RECEIVED = 4,
	NET_COUNTER_QUEUED,
	NET_COUNTERS,
};
/*
 * Sets the mask of a counter, and the counter to 0. -EOPNOTSUPP: no counters;
 * -EINVAL: no such port, counter or channel.
 */
int net_counter_set(struct net *net, uint32_t node, unsigned port,
		    unsigned counter, unsigned mask);
uint64_t net_counter_get(const struct net *net, uint32_t node, unsigned port,
			 unsigned counter);

struct net_count {
	uint64_t now;
	uint64_t events;
	uint64_t hops;
	uint64_t injected; /* packets injected */
	uint64_t delivered;
	/* number of hops of dynamic packets on the bubble (escape) channel */
	uint64_t escapes;
	/*
	 * class routes: number of results dropped at nodes that do not
	 * contribute
	 */
	uint64_t filtered;
	uint64_t hash; /* hash that identifies the event stream */
};
void net_count_get(const struct net *net, struct net_count *c);

#endif

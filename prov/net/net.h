/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The network model: packets on a machine's links, in virtual time. It is
 * single threaded and uses no globals, clock or environment. All its state is
 * in one block of memory that the caller provides. The block holds offsets
 * instead of pointers, so several processes may map it at different addresses
 * and use it one at a time (the caller locks). The same calls in the same order
 * give the same events, whichever process makes them.
 *
 *   net_open -> [net_send, net_run]* -> net_check
 *
 * Times are picoseconds. The model steps by the machine's cycle (a tick) and
 * stores the remainder below a tick with each packet, so the times passed to
 * callbacks are exact. A send may be dated back to the time that net_run has
 * reached minus net_lookahead(): the unit needs at least that time before the
 * network is affected. Within that range, the order of calls for different
 * FIFOs, routes and nodes does not matter.
 */
#ifndef WEFT_NET_H
#define WEFT_NET_H

#include "prov/net/file/net_config.h"
#include "prov/net/tree/net_fold.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct net;

#define NET_NEVER UINT64_MAX

/* How the packets of a message are routed. */
enum net_routing_mode {
	NET_DYNAMIC,	   /* adaptive in its zones, bubble escape */
	NET_DETERMINISTIC, /* dimension order; keeps order per pair */
	NET_HIGH,	   /* user high priority, deterministic */
	NET_SYSTEM,	   /* system, deterministic */
};

/* A message: what one descriptor describes. The unit cuts it into packets. */
struct net_msg {
	uint32_t src;	 /* node */
	uint32_t dst;	 /* node; of a deposit: the end of the line */
	uint64_t bytes;	 /* payload, 0 is a header alone */
	uint64_t cookie; /* the caller's value, passed to every callback */
	/*
	 * Injection FIFO in memory, below 65536; each sends one message at a
	 * time. fifo % inject_fifos is the engine and network FIFO that serves
	 * it. An engine serves its FIFOs round-robin, packet by packet.
	 */
	uint32_t fifo;
	uint8_t way;	 /* enum net_routing_mode */
	uint8_t zone;	 /* zone set of a dynamic message */
	uint8_t deposit; /* each node on the line keeps a copy; not dynamic */
	uint8_t stay;	 /* dynamic: once on the bubble channel, stay there */
	uint8_t path;	 /* index of the machine's path at the source */
	/* index of the path at the target, plus one; 0: same as path */
	uint8_t path_in;
	uint8_t ack; /* every packet is acknowledged; not a deposit */
	/*
	 * Not dynamic, with parallel links to a neighbour: each packet selects
	 * a link by its offset in the message, too, so packets lose their
	 * order.
	 */
	uint8_t spread;
	/* Trees: rail of all packets plus one; 0: chosen per packet. */
	uint8_t rail;
	/*
	 * Address in the target's memory. Packets with spread select a link by
	 * it, and buses with a word cache look it up.
	 */
	uint64_t address;
	int8_t hint[NET_DIMS_MAX]; /* -1, +1: required direction; 0: any */
	/*
	 * Source route: the output port at each node, the source's own first;
	 * every node consumes one entry. NULL: none. The route must end at dst.
	 * On a tree it goes up, then down; NET_ROUTE_ANY in the upward part of
	 * a dynamic message allows any link up. On a torus it is allowed only
	 * where nodes share a router and only for messages that are not
	 * dynamic; the caller has to avoid deadlock if the route violates
	 * dimension order.
	 */
	const uint8_t *route;
	uint8_t route_len;
};

#define NET_ROUTE_ANY 0xff
#define NET_DEAD_LINK (1u << 31)

/* Answer of a node to a query; the highest of several answers counts. */
enum net_answer { NET_OK, NET_TEST_FAIL, NET_DISCARD };

struct net_query_info {
	uint32_t route;
	uint32_t node; /* queried node; in the answer: the querying node */
	uint64_t seq, cookie;
	uint8_t answer; /* enum net_answer */
};

/*
 * Callbacks, called inside net_run in order of time, and at equal times by
 * node. A callback may call net_send, net_tree_send and net_timer, nothing
 * else. NULL: not wanted.
 */
struct net_up {
	/* A packet is in dst's memory: bytes of the message, from offset on. */
	void (*packet)(void *arg, uint64_t at, uint64_t cookie, uint32_t node,
		       uint64_t offset, uint32_t bytes);
	/* The whole message is in dst's memory. */
	void (*arrived)(void *arg, uint64_t at, uint64_t cookie, uint32_t node);
	/* The unit has read the whole message; its FIFO proceeds. */
	void (*sent)(void *arg, uint64_t at, uint64_t cookie, uint32_t node);
	/* The source's unit has the acknowledgements of all packets. */
	void (*acked)(void *arg, uint64_t at, uint64_t cookie, uint32_t node);
	/* Part of the message is lost; last callback for this message. */
	void (*lost)(void *arg, uint64_t at, uint64_t cookie, uint32_t node);
	/*
	 * A node is known to be dead. With NET_DEAD_LINK set: a link of this
	 * node is, on a machine that does not route around dead links.
	 */
	void (*dead)(void *arg, uint64_t at, uint32_t node);
	/* A timer of net_timer has expired. */
	void (*timer)(void *arg, uint64_t at, uint64_t cookie);
	/* A word of net_control_send has arrived at a port. */
	void (*word)(void *arg, uint64_t at, uint64_t cookie, uint32_t node,
		     unsigned port);
	/*
	 * Class route: all inputs of a packet are at the node. Combine them in
	 * this order: the node's own by rising cookie, then children by port.
	 * cookie[i] is the cookie that the input was sent with or combined to.
	 * Returns the cookie of the result. Not called for a single input, nor
	 * for barriers. It is called at once, not in time order with the other
	 * callbacks, and must not call the model.
	 */
	uint64_t (*combine)(void *arg, uint64_t at, uint32_t node,
			    const uint64_t *cookie, unsigned count);
	/* Class route: the result is in the memory of a node with a share. */
	void (*result)(void *arg, uint64_t at, uint32_t route, uint32_t node,
		       uint64_t seq, uint64_t cookie);
	/* Called after every NET_CALLBACK_TICKS ticks of one net_run. */
	void (*breath)(void *arg);
	/* Class route: a query is in the node's memory; returns its answer. */
	uint8_t (*ask)(void *arg, uint64_t at, const struct net_query_info *q);
	/* The merged answers of all nodes are back at the querying node. */
	void (*answer)(void *arg, uint64_t at, const struct net_query_info *q);
};

/* Bytes of memory for a network of this machine with packets_max packets. */
size_t net_bytes(const struct net_config *cfg, uint32_t packets_max);
/* Builds the network in the block. -EINVAL: the cause is logged. */
int net_open(struct net *net, size_t bytes, const struct net_config *cfg,
	     uint32_t packets_max);

/*
 * Sets another rate for one direction of a link, e.g. after lanes are lost. It
 * applies to packets that start from now on. -EINVAL: no such link, or more
 * than NET_RATES_MAX rates.
 */
int net_link_rate(struct net *net, uint32_t node, unsigned port,
		  uint64_t ps_per_byte_x1000);

/*
 * Selects store-and-forward (whole) or cut-through for one direction of a link,
 * for packets that start from now on. -EINVAL: no such link.
 */
int net_link_store_forward(struct net *net, uint32_t node, unsigned port,
			   bool whole);

/*
 * Marks a link of a tree dead in both directions. Switches know the state of
 * their own links at once and use the next port of a table entry; they know
 * about other dead links after net_tables_renew. Call it before anything is
 * sent.
 */
int net_link_kill(struct net *net, uint32_t node, unsigned port);
void net_tables_renew(struct net *net);

/*
 * Loads other routing tables of a torus: the dimension order of deterministic
 * packets, and the zone sets, as in net_config.h. -EBUSY: packets are in
 * flight; -EINVAL: not an order of this machine's dimensions.
 */
int net_tables_load(struct net *net, const uint8_t order[NET_DIMS_MAX],
		    uint8_t zone[NET_ZONES][NET_DIMS_MAX]);

/*
 * Puts a message into the FIFO at time at. 0; -EAGAIN: no free record in the
 * block; -EINVAL: invalid node, path or routing, or the source route does not
 * end at dst.
 */
int net_send(struct net *net, uint64_t at, const struct net_msg *msg);
int net_timer(struct net *net, uint64_t at, uint64_t cookie);

/*
 * Sends a word to the neighbour in the control words that the link's own
 * protocol puts between blocks of data; packets are not delayed. An idle link
 * sends nothing else; on a busy link the word takes the next control word that
 * carries no credits, one word each. A dead link loses it. -EOPNOTSUPP: the
 * links of this machine have no control words; -EINVAL: no such link; -EAGAIN:
 * no free record in the block.
 */
int net_control_send(struct net *net, uint64_t at, uint32_t node, unsigned port,
		     uint64_t cookie);

/* How far a send may be dated back behind the time of the network. */
uint64_t net_lookahead(const struct net *net);
/* Earliest time of the next event; NET_NEVER: nothing is in flight. */
uint64_t net_next(const struct net *net);
/*
 * Runs all ticks up to and including the tick that contains until. Returns
 * early after the tick in which a callback set *stop. Returns the time reached:
 * the last picosecond of the last tick. Splitting a run into several calls does
 * not change the events.
 */
uint64_t net_run(struct net *net, uint64_t until, const struct net_up *up,
		 void *arg, const bool *stop);

/* ---- class routes -------------------------------------------------------- */

/*
 * A cast is a broadcast that every node answers (net_up.ask); the switches
 * merge the answers on the path back to the querying node (net_up.answer): a
 * network conditional. A query is a cast that continues when all answers are
 * NET_OK: a second packet sets what was queried, net_up.result at all nodes.
 *
 * A barrier is an AND in the switches where a machine has barrier classes. With
 * cfg.query_ps it is a query: the first node with a share queries whether all
 * have arrived, and repeats it after a failure. Otherwise it is an allreduce
 * without data.
 */
enum net_coll {
	NET_BCAST,
	NET_REDUCE,
	NET_ALLREDUCE,
	NET_BARRIER,
	NET_CAST,
	NET_QUERY
};

/*
 * True if the machine's network supports this operation: no reductions without
 * arithmetic, and no barriers where interfaces add instead.
 */
bool net_tree_supports(const struct net_config *cfg, enum net_coll kind);

/*
 * A tree over nodes: parent[i] is the index of the parent of node[i], which
 * must be a neighbour, or -1 for the root; share[i] is the number of local
 * contributions that node i waits for (ranks on it). Sets the route's id, the
 * same on all nodes. -EINVAL: not a tree over links; -ENOSPC: a node has no
 * free class route.
 */
int net_tree_open(struct net *net, const uint32_t *node, const int *parent,
		  const uint32_t *share, uint32_t count, uint32_t *route_p);
void net_tree_close(struct net *net, uint32_t route);

/* Contribution of one node (or rank) to one packet of a collective. */
struct net_part {
	uint32_t route;
	uint32_t node;	/* contributing node */
	uint32_t dst;	/* NET_REDUCE: node that gets the result */
	uint32_t bytes; /* at most payload_bytes */
	uint64_t seq;	/* packet number on the route, equal at all nodes */
	uint64_t cookie;
	uint8_t kind; /* enum net_coll; one-to-all kinds have one part */
	uint8_t fp;   /* floating point: more ALU time */
};
/* 0; -EINVAL: not on the route; -EAGAIN: no free record in the block. */
int net_tree_send(struct net *net, uint64_t at, const struct net_part *part);
/* A tree over nodes with a share and switches without one. */
struct net_tree_plan {
	uint32_t *node;
	int *parent;
	uint32_t *share;
	uint32_t count, room;
};
/*
 * Builds the tree over these nodes that the machine's software would build;
 * share may be NULL: one each. -EINVAL: the nodes are no block of a torus, or
 * no range where the hardware requires one; -ENOMEM.
 */
int net_tree_plan(const struct net_config *cfg, const uint32_t *node,
		  const uint32_t *share, uint32_t count,
		  struct net_tree_plan *t);
void net_tree_plan_free(struct net_tree_plan *t);

/* ---- inspection ---------------------------------------------------------- */

/* Checks that packets and tokens are conserved. 0; -EPROTO: logged. */
int net_check(const struct net *net);
/*
 * True if packets are in flight but nothing can move any more. Logs the cycle
 * of packets that wait for each other.
 */
bool net_deadlock_check(const struct net *net);

/* Node at the other end of a port's link, or -1: none. */
int64_t net_neighbour(const struct net *net, uint32_t node, unsigned port);
/* Minimal number of hops between two nodes. */
unsigned net_hops(const struct net *net, uint32_t src, uint32_t dst);
unsigned net_ports(const struct net *net);
/* Number of nodes with ports: end nodes, then switches. */
uint32_t net_nodes(const struct net *net);

/* Counters of one port of a node, as in the hardware. */
struct net_port_count {
	uint64_t packets;
	uint64_t chunks;    /* of 32 bytes */
	uint64_t busy_ps;   /* time that the link was occupied */
	uint64_t received;  /* packets received */
	uint64_t queued_ps; /* integral of packets queued over time */
};
void net_port_get(const struct net *net, uint32_t node, unsigned port,
		  struct net_port_count *c);

struct net_count {
	uint64_t now;
	uint64_t events;
	uint64_t hops;
	uint64_t injected; /* packets injected */
	uint64_t delivered;
	uint64_t escapes; /* hops of dynamic packets on the bubble channel */
	/* class routes: results that reached a node without a share */
	uint64_t filtered;
	uint64_t hash; /* hash of the event stream */
};
void net_count_get(const struct net *net, struct net_count *c);

#endif

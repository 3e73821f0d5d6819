/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The network model: packets on a machine's links, in virtual time. Single
 * threaded, no globals, no clock, no environment; all of it lies in one block
 * of memory that the caller gives, and holds offsets instead of pointers, so
 * several processes may map the block at different addresses and take turns
 * (the caller locks). The same calls in the same order give the same events,
 * whoever makes them.
 *
 *   net_open -> [net_send, net_run]* -> net_check
 *
 * Times are picoseconds. The model steps by the machine's cycle (a tick) and
 * keeps what is below it with each packet, so times handed up are exact.
 * A caller may send at any time not earlier than what net_run has reached less
 * net_lookahead(): the unit needs that long before the network sees anything.
 * Within that, the order in which different FIFOs, routes and nodes are called
 * for does not matter.
 */
#ifndef WEFT_NET_H
#define WEFT_NET_H

#include "prov/net/net_config.h"
#include "prov/net/net_fold.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct net;

#define NET_NEVER UINT64_MAX

/* Which road the packets of a message take. */
enum net_way {
	NET_DYNAMIC,	   /* adaptive in its zones, bubble escape */
	NET_DETERMINISTIC, /* dimension order; keeps order per pair */
	NET_HIGH,	   /* user high priority, deterministic */
	NET_SYSTEM,	   /* system, deterministic */
};

/* A message: what one descriptor names. The unit cuts it into packets. */
struct net_msg {
	uint32_t src;	 /* node */
	uint32_t dst;	 /* node; of a deposit: the end of the line */
	uint64_t bytes;	 /* payload, 0 is a header alone */
	uint64_t cookie; /* the caller's; comes back with each call up */
	/*
	 * Injection FIFO in memory, below 65536: one message at a time each.
	 * fifo % inject_fifos is the engine and network FIFO that serves it;
	 * FIFOs of one engine take turns packet by packet.
	 */
	uint32_t fifo;
	uint8_t way;	 /* enum net_way */
	uint8_t zone;	 /* zone set of a dynamic message */
	uint8_t deposit; /* every node on the line keeps a copy; not dynamic */
	uint8_t stay;	 /* dynamic: once on the bubble channel, stay there */
	uint8_t path;	 /* of the machine's paths, by their order */
	/* the same at the target, plus one; 0: as path */
	uint8_t path_in;
	uint8_t ack; /* every packet is acknowledged; not a deposit */
	/*
	 * Not dynamic, where several links lead to a neighbour: packets take
	 * one by their place in the message, too, and lose their order.
	 */
	uint8_t spread;
	/* Trees with rails: the one it keeps to, plus one; 0: any, by packet.
	 */
	uint8_t rail;
	/*
	 * Where in the target's memory it goes: to whom spread takes another
	 * link, and what a bus that keeps words has seen before.
	 */
	uint64_t address;
	int8_t hint[NET_DIMS_MAX]; /* -1, +1: go so; 0: the network decides */
	/*
	 * A source route, the port to leave by at each node, the source's own
	 * first; every node consumes one. NULL: none. It ends at dst. On a
	 * tree it goes up, then down; NET_ROUTE_ANY on the way up of a dynamic
	 * message: any link up. On a torus only where nodes share a router,
	 * and not dynamic; who goes against the order of dimensions answers
	 * for the rings that he closes.
	 */
	const uint8_t *route;
	uint8_t route_len;
};

#define NET_ROUTE_ANY 0xff
#define NET_DEAD_LINK (1u << 31)

/* What a node answers to a question; of several the highest counts. */
enum net_answer { NET_OK, NET_TEST_FAIL, NET_DISCARD };

struct net_question {
	uint32_t route;
	uint32_t node; /* asked; of the answer: that asked */
	uint64_t seq, cookie;
	uint8_t answer; /* enum net_answer */
};

/*
 * What happens above the network; called inside net_run in order of time, and
 * at one time by node. They may call net_send, net_tree_send and net_timer,
 * nothing else. NULL: not wanted.
 */
struct net_up {
	/* A packet is in dst's memory: bytes of it, from offset on. */
	void (*packet)(void *arg, uint64_t at, uint64_t cookie, uint32_t node,
		       uint64_t offset, uint32_t bytes);
	/* All of the message is in dst's memory. */
	void (*arrived)(void *arg, uint64_t at, uint64_t cookie, uint32_t node);
	/* The unit has read all of the message; its FIFO goes on. */
	void (*sent)(void *arg, uint64_t at, uint64_t cookie, uint32_t node);
	/* The source's unit knows of all packets that they arrived. */
	void (*acked)(void *arg, uint64_t at, uint64_t cookie, uint32_t node);
	/* Not all of it could be saved; this is the last that is heard. */
	void (*lost)(void *arg, uint64_t at, uint64_t cookie, uint32_t node);
	/*
	 * A node is known to be dead, or a link that its machine does not go
	 * round, and NET_DEAD_LINK is set.
	 */
	void (*dead)(void *arg, uint64_t at, uint32_t node);
	/* A timer of net_timer went off. */
	void (*timer)(void *arg, uint64_t at, uint64_t cookie);
	/* A word of net_stuff has come in by a port. */
	void (*word)(void *arg, uint64_t at, uint64_t cookie, uint32_t node,
		     unsigned port);
	/*
	 * Class route: the packet's inputs at node are all there, combine
	 * them in this order: the node's own by rising cookie, then children
	 * by port. cookie[i] is what the input was sent or combined as;
	 * returns the cookie of the result. Not called for one input, nor for
	 * barriers. It comes at once and not in the order of the other calls:
	 * compute, call nothing.
	 */
	uint64_t (*combine)(void *arg, uint64_t at, uint32_t node,
			    const uint64_t *cookie, unsigned count);
	/* Class route: the result is in the memory of a node with a share. */
	void (*result)(void *arg, uint64_t at, uint32_t route, uint32_t node,
		       uint64_t seq, uint64_t cookie);
	/* Many ticks have passed, in one net_run or in several. */
	void (*breath)(void *arg);
	/* Class route: a question is in the node's memory; its answer. */
	uint8_t (*ask)(void *arg, uint64_t at, const struct net_question *q);
	/* The answers of all, merged, are back at the node that asked. */
	void (*answer)(void *arg, uint64_t at, const struct net_question *q);
};

/* Bytes that a network of this machine and this many packets needs. */
size_t net_bytes(const struct net_config *cfg, uint32_t packets_max);
/* Builds it in the block. -EINVAL: logged, what is wrong. */
int net_open(struct net *net, size_t bytes, const struct net_config *cfg,
	     uint32_t packets_max);

/*
 * Gives one direction of a link another rate, as when lanes of it are lost; it
 * is for packets that begin from now on. -EINVAL: no link, or too many rates.
 */
int net_link_rate(struct net *net, uint32_t node, unsigned port,
		  uint64_t ps_per_byte_x1000);

/*
 * Whether packets are kept until all of them has come, or cut through; one
 * direction of a link, packets that begin from now on. -EINVAL: no link.
 */
int net_link_whole(struct net *net, uint32_t node, unsigned port, bool whole);

/*
 * A link of a tree is dead in both directions. Switches know of their own links
 * at once and take the next port of an entry in their tables; what lies behind
 * others they know when the tables have been renewed. Before anything is sent.
 */
int net_link_cut(struct net *net, uint32_t node, unsigned port);
void net_tables_renew(struct net *net);

/*
 * Loads other tables of a torus: the order of dimensions of deterministic
 * packets, and of the zone sets, as in net_config.h. -EBUSY: packets are under
 * way; -EINVAL: it is no order of this machine's dimensions.
 */
int net_tables_load(struct net *net, const uint8_t order[NET_DIMS_MAX],
		    uint8_t zone[NET_ZONES][NET_DIMS_MAX]);

/*
 * Puts a message into the FIFO at time at. 0; -EAGAIN: no room in the block;
 * -EINVAL: there is no such node, path or way, or the route does not lead
 * there.
 */
int net_send(struct net *net, uint64_t at, const struct net_msg *msg);
int net_timer(struct net *net, uint64_t at, uint64_t cookie);

/*
 * Hides a word for the neighbour among those that the link's own protocol puts
 * between blocks of data: packets do not feel it. An idle link sends nothing
 * else; on a busy one it takes the next that carries no credits, one each. On a
 * dead link it is lost. -EOPNOTSUPP: the links of this machine have no such
 * words; -EINVAL: no link; -EAGAIN: no room in the block.
 */
int net_stuff(struct net *net, uint64_t at, uint32_t node, unsigned port,
	      uint64_t cookie);

/* How long before the network's own time a send may be dated back. */
uint64_t net_lookahead(const struct net *net);
/* No event comes before this time; NET_NEVER: nothing is under way. */
uint64_t net_next(const struct net *net);
/*
 * Runs all ticks up to and including the one that until lies in. Stops early
 * after the tick in which *stop became true in a call up. Returns the time
 * reached: the last picosecond of the last tick. The way is the same in one
 * run or in many.
 */
uint64_t net_run(struct net *net, uint64_t until, const struct net_up *up,
		 void *arg, const bool *stop);

/* ---- class routes -------------------------------------------------------- */

/*
 * A cast is a broadcast that every node answers, net_up.ask, and the switches
 * merge the answers on their way back to who sent it, net_up.answer: a network
 * conditional. A query is one that goes on when all have said NET_OK: a second
 * packet sets what it asked for, net_up.result at all nodes.
 *
 * A barrier is an AND in the switches where a machine has classes for it. Where
 * cfg.query_ps says so it is a query: the first node with a share asks whether
 * all have come, again after a failure; else it is an allreduce of nothing.
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
 * Whether the machine's network does this; without arithmetic no reductions,
 * and no barriers where interfaces add instead.
 */
bool net_tree_can(const struct net_config *cfg, enum net_coll kind);

/*
 * A tree over nodes: parent[i] is the index of the member node[i] hangs on, a
 * neighbour of it, or -1 for the root; share[i] is how many contributions node
 * i waits for locally (ranks on it). Returns the route's id on all of them;
 * -EINVAL: not a tree over links; -ENOSPC: a node has no class route left.
 */
int net_tree_open(struct net *net, const uint32_t *node, const int *parent,
		  const uint32_t *share, uint32_t count, uint32_t *route_p);
void net_tree_close(struct net *net, uint32_t route);

/* One node's (or rank's) share of one packet of a collective. */
struct net_part {
	uint32_t route;
	uint32_t node;	/* that gives it */
	uint32_t dst;	/* NET_REDUCE: the node that keeps the result */
	uint32_t bytes; /* at most payload_bytes */
	uint64_t seq;	/* counts the route's packets, the same at all nodes */
	uint64_t cookie;
	uint8_t kind; /* enum net_coll; those from one node have one part */
	uint8_t fp;   /* floating point: the ALU takes longer */
};
/* 0; -EINVAL: not on the route; -EAGAIN: no room in the block. */
int net_tree_send(struct net *net, uint64_t at, const struct net_part *part);
/* A tree over nodes, and over switches that have no share in it. */
struct net_tree_plan {
	uint32_t *node;
	int *parent;
	uint32_t *share;
	uint32_t count, room;
};
/*
 * The tree over these nodes as the machine's software would build it; share may
 * be NULL: one each. -EINVAL: they are no block of a torus, or no range where
 * the hardware wants one; -ENOMEM.
 */
int net_tree_plan(const struct net_config *cfg, const uint32_t *node,
		  const uint32_t *share, uint32_t count,
		  struct net_tree_plan *t);
void net_tree_plan_free(struct net_tree_plan *t);

/* ---- looking ------------------------------------------------------------- */

/* Invariants: packets and tokens conserved. 0, or -EPROTO: logged, which. */
int net_check(const struct net *net);
/*
 * Packets are under way and nothing moves any more. Logs who waits for whom,
 * round the cycle.
 */
bool net_stuck(const struct net *net);

/* The node at the other end of a port's link, or -1: none. */
int64_t net_neighbour(const struct net *net, uint32_t node, unsigned port);
/* Least hops between two nodes. */
unsigned net_hops(const struct net *net, uint32_t src, uint32_t dst);
unsigned net_ports(const struct net *net);
/* All that have ports: end nodes, then switches. */
uint32_t net_nodes(const struct net *net);

/* Counters as the hardware has them, per port of a node. */
struct net_port_count {
	uint64_t packets;
	uint64_t chunks;    /* of 32 bytes */
	uint64_t busy_ps;   /* link occupied */
	uint64_t received;  /* packets received */
	uint64_t queued_ps; /* integral of packets queued over time */
};
void net_port_get(const struct net *net, uint32_t node, unsigned port,
		  struct net_port_count *c);

struct net_count {
	uint64_t now;
	uint64_t events;
	uint64_t hops;
	uint64_t injected; /* packets */
	uint64_t delivered;
	uint64_t escapes; /* hops of dynamic packets on the bubble channel */
	/* class routes: results that reached a node that is no member */
	uint64_t filtered;
	uint64_t hash; /* of the event stream */
};
void net_count_get(const struct net *net, struct net_count *c);

#endif

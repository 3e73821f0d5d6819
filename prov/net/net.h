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
 * Times are picoseconds. A caller may only send at or after the time that
 * net_run has reached.
 */
#ifndef WEFT_NET_H
#define WEFT_NET_H

#include "prov/net/net_config.h"

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
	uint32_t src;	/* node */
	uint32_t dst;	/* node; of a deposit: the end of the line */
	uint64_t bytes; /* payload, 0 is a header alone */
	uint64_t cookie; /* the caller's; comes back with each call up */
	uint32_t fifo;	/* injection FIFO of src: one message at a time each */
	uint8_t way;	/* enum net_way */
	uint8_t zone;	/* zone set of a dynamic message */
	uint8_t deposit; /* every node on the line keeps a copy */
	int8_t hint[NET_DIMS_MAX]; /* -1, +1: go so; 0: the network decides */
};

/*
 * What happens above the network; called inside net_run, which hands out the
 * calls of one time in a fixed order. They may call net_send, nothing else.
 * NULL: not wanted.
 */
struct net_up {
	/* A packet is in dst's memory: bytes of it, from offset on. */
	void (*packet)(void *arg, uint64_t at, uint64_t cookie, uint32_t node,
		       uint64_t offset, uint32_t bytes);
	/* All of the message is in dst's memory. */
	void (*arrived)(void *arg, uint64_t at, uint64_t cookie,
			uint32_t node);
	/* The unit has read all of the message; its FIFO goes on. */
	void (*sent)(void *arg, uint64_t at, uint64_t cookie, uint32_t node);
	/* A timer of net_timer went off. */
	void (*timer)(void *arg, uint64_t at, uint64_t cookie);
	/*
	 * Class route: the packet's inputs at node are all there, combine
	 * them in this order. cookie[i] is what the input was sent or
	 * combined as; returns the cookie of the result.
	 */
	uint64_t (*combine)(void *arg, uint64_t at, uint32_t node,
			    const uint64_t *cookie, unsigned count);
	/* Class route: the result has come down into node's memory. */
	void (*result)(void *arg, uint64_t at, uint32_t route, uint32_t node,
		       uint64_t seq, uint64_t cookie);
};

/* Bytes that a network of this machine and this many packets needs. */
size_t net_bytes(const struct net_config *cfg, uint32_t packets_max);
/* Builds it in the block. -EINVAL: logged, what is wrong. */
int net_open(struct net *net, size_t bytes, const struct net_config *cfg,
	     uint32_t packets_max);

/* Puts a message into the FIFO at time at. 0; -EAGAIN: no room in the block. */
int net_send(struct net *net, uint64_t at, const struct net_msg *msg);
int net_timer(struct net *net, uint64_t at, uint64_t cookie);

/* Time of the next event, or NET_NEVER: nothing is under way. */
uint64_t net_next(const struct net *net);
/*
 * Runs events up to and including time until. Stops early after the time at
 * which *stop became true in a call up (all events of that time are done).
 * Returns the time reached. The way is the same in one run or in many.
 */
uint64_t net_run(struct net *net, uint64_t until, const struct net_up *up,
		 void *arg, const bool *stop);

/* ---- class routes -------------------------------------------------------- */

enum net_coll { NET_BCAST, NET_REDUCE, NET_ALLREDUCE, NET_BARRIER };

/*
 * A tree over nodes: parent[i] is the index of the member node[i] hangs on, a
 * neighbour of it, or -1 for the root; share[i] is how many contributions node
 * i waits for locally (ranks on it). Returns the route's id on all of them;
 * -EINVAL: not a tree over links; -ENOSPC: a node has no class route left.
 */
int net_route_open(struct net *net, const uint32_t *node, const int *parent,
		   const uint32_t *share, uint32_t count, uint32_t *route_p);
void net_route_close(struct net *net, uint32_t route);
/* One packet of a collective: seq counts packets of the route from 0. */
int net_route_send(struct net *net, uint64_t at, uint32_t route, uint32_t node,
		   enum net_coll kind, bool fp, uint32_t dst, uint64_t seq,
		   uint32_t bytes, uint64_t cookie);

/* ---- looking ------------------------------------------------------------- */

/* Invariants: packets and tokens conserved. 0, or -EPROTO: logged, which. */
int net_check(const struct net *net);
/* Packets are under way and nothing moves any more: who waits for whom. */
bool net_stuck(const struct net *net);

/* Counters as the hardware has them, per port of a node. */
struct net_port_count {
	uint64_t packets;
	uint64_t chunks;	/* of 32 bytes */
	uint64_t busy_ps;	/* link occupied */
	uint64_t received;	/* packets received */
	uint64_t queued_ps;	/* integral of packets queued over time */
};
void net_port_get(const struct net *net, uint32_t node, unsigned port,
		  struct net_port_count *c);

struct net_count {
	uint64_t now;
	uint64_t events;
	uint64_t hops;
	uint64_t injected;
	uint64_t delivered;
	uint64_t hash; /* of the event stream */
};
void net_count_get(const struct net *net, struct net_count *c);

#endif

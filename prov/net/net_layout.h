/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The model's memory: one block, indices and offsets only.
 *
 *   struct net | nodes | slots | links | units | receivers | FIFOs | senders |
 *   members | routes | combos | coordinates | packets | messages | events | ...
 *
 * Packets and messages are cache lines, events are 64-bit words. All are
 * addressed by their index in the block, so finding one takes a shift and an
 * addition. A large network is bound by memory access, so data used at the
 * same time is stored together: an unhindered packet touches four lines at a
 * node (node, links, receiver, its own), its tail and its tokens one (node).
 *
 * Index 0 of packets, messages and chunks means none. A "slot" is a position
 * whose packet may leave by more than one port: a queue of a receiver's dynamic
 * VC, the receiver's queue of dynamic packets on the bubble channel, or an
 * injection FIFO. Each slot has one bit of 128: receivers from 0, injection
 * FIFOs from NET_SLOT_FIFO.
 */
#ifndef WEFT_NET_LAYOUT_H
#define WEFT_NET_LAYOUT_H

#include "prov/net/net.h"
#include "prov/net/net_event.h"
#include "prov/net/routing/net_fat.h"

#include "src/base/attr.h"
#include "src/os/guard.h"

#include <assert.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum {
	NET_QUEUES_MAX = 8,
	NET_SLOT_FIFO = 112,
	NET_PORTS_MAX = 64,
	NET_FLOW_NONE = 0xff,  /* port without a ring */
	NET_READERS = 12,      /* receivers that read_paths can limit */
	NET_WHEEL = 8192,      /* ticks held: the present one and later ones */
	NET_CHUNK = 32,	       /* words: link to the previous chunk, events */
	NET_REGION_SHIFT = 12, /* log2 of nodes whose tick fits the cache */
	NET_HOPS_MAX = 64,     /* link kinds with different times */
	NET_SHARE_MAX = 1024,  /* parts of one node per collective packet */
	NET_RATES_MAX = 8,     /* different link rates */
	NET_FORM_ACK = NET_PATHS_MAX + 1, /* packet forms on the wire: */
	NET_FORMS, /* 0 common, then paths with another header */
	NET_PAYLOAD_CHUNKS = 128,
	NET_RETRY_TICKS = 64, /* retry interval when the packet pool is empty */
	NET_CALLBACK_TICKS = 65536,
	NET_ROUTE_MAX = 56, /* ports of a source route */
};

/* ---- records ------------------------------------------------------------- */

enum {
	NET_P_DYN = 1,	   /* may take any port of its zone */
	NET_P_DEPOSIT = 2, /* leaves a copy at every node */
	NET_P_STAY = 4,	   /* once on the bubble channel, stays there */
	NET_P_FP = 8,	   /* class route: floating point */
	NET_P_SPREAD = 8,  /* otherwise: link selected per packet */
	NET_P_LAST = 16,   /* last packet of its message */
	NET_P_ACK = 32,	   /* acknowledgement on the return path */
	NET_P_ROUTED = 64, /* its message has a source route */
	NET_P_BAD = 128,   /* not to be delivered: net_fault_link.c */
};

struct net_packet {
	uint64_t want; /* dynamic: ports that it may leave by */
	union {
		uint64_t cookie; /* class route */
		uint32_t last;	 /* in the head of a queue: the queue's tail */
	};
	uint64_t seq;	/* class route: sequence; else offset in message */
	uint32_t next;	/* next packet in its queue */
	uint32_t msg;	/* class route: member that it goes to */
	uint32_t since; /* tick of arrival at this node */
	uint32_t dst;	/* node */
	uint16_t bytes;
	uint16_t frac; /* picoseconds after the tick */
	union {
		int8_t rem[NET_DIMS_MAX]; /* hops left, signed */
		struct {
			uint8_t question; /* class route: kind of the query */
			uint8_t answer;
		};
	};
	uint8_t left; /* torus: mask of dimensions with hops left,
		       * trees: hops done */
	uint8_t vc;   /* VC it is queued in */
	uint8_t det;  /* port by the deterministic order */
	uint8_t chunks;
	uint8_t flags;
	uint8_t zone;
	uint8_t in;   /* receiver it came in by */
	uint8_t kind; /* class route: enum net_coll, net_kind; else form */
	union {
		uint16_t count; /* class route: inputs so far, or copies */
		uint16_t lane;	/* parallel links: hash that selects one */
	};
	union {
		uint32_t holder; /* class route: holder of a copy's buffer */
		uint32_t dirs;	 /* torus: its direction in each dimension */
	};
};

static_assert(sizeof(struct net_packet) == 64, "a packet is a cache line");

struct net_list {
	uint32_t head, tail;
};

/* Queues of a sender, in order of falling priority. */
enum net_wait {
	NET_WAIT_DOWN,
	NET_WAIT_UP,
	NET_WAIT_DET, /* per VC from 1: staying in a ring, entering it */
	NET_WAITS = NET_WAIT_DET + 6,
};

/*
 * The link of a port in one word: node at the other end, port there, and index
 * into net->hop of its times. A node's links are followed by its tokens of the
 * deterministic VCs, VC by VC.
 */
#define NET_LINK_NONE UINT32_MAX
static inline uint32_t net_link(uint32_t peer, unsigned port, unsigned hop)
{
	return peer << 12 | port << 6 | hop;
}
static inline uint32_t net_link_peer(uint32_t link)
{
	return link >> 12;
}
static inline unsigned net_link_port(uint32_t link)
{
	return link >> 6 & 63;
}

struct net_hop {
	uint16_t ticks;
	uint16_t frac;	     /* picoseconds beyond ticks */
	uint8_t token_ticks; /* return time of tokens to the peer */
	uint8_t need;	     /* tokens to enter its ring */
	uint8_t rate;	     /* index into net->len */
	uint8_t whole;	     /* store-and-forward */
};

/* The sender of a port: the packets that wait for it. */
struct net_out {
	/* line 0: everything except deterministic packets and class routes */
	uint64_t dyn[2];    /* slots that may use this port's VC 0 */
	uint64_t esc[2];    /* slots that may escape by this port */
	uint16_t inject[4]; /* injection FIFOs with a head for this VC */
	uint8_t rr;	    /* slot after the last one served */
	uint8_t share;	    /* grants to receivers while injection waited */
	uint8_t waits;	    /* bit per list that is not empty */
	uint8_t turn;	    /* round-robin: deterministic/dynamic; ring entry */
	uint8_t vcs;	    /* bit per VC with an injection FIFO waiting */
	uint8_t pad[3];
	uint32_t packets_coll; /* share of class routes in the counts */
	uint32_t chunks_coll;
	uint64_t busy_coll; /* ticks */
	/* line 1 */
	struct net_list list[NET_WAITS];
};

static_assert(sizeof(struct net_out) == 128, "two lines");

struct net_in {
	uint32_t head[NET_QUEUES_MAX];
	uint8_t len[NET_QUEUES_MAX];
	uint64_t wait_ticks; /* summed over packets that left */
	uint64_t free_ps;    /* time the reception engine is free */
	uint32_t received;   /* packets */
	uint32_t chunks;     /* payload chunks of these packets */
};

static_assert(sizeof(struct net_in) == 64, "a line");

/* An injection engine and its network FIFO. */
struct net_fifo {
	uint64_t free_ps; /* completion time of the engine's last packet */
	uint32_t head;	  /* first packet */
	uint32_t ring;	  /* messages at the head of a FIFO in memory */
	uint32_t last;	  /* FIFO in memory served last */
	uint32_t msg;	  /* message being packetized, or 0 */
	uint32_t count;
	uint32_t ahead_ps; /* free_ps minus the end of the packet before */
};

static_assert(sizeof(struct net_fifo) == 32, "two to a line");

struct net_node {
	uint64_t busy;	  /* ports that are sending a packet */
	uint64_t waiting; /* ports that packets may wait for */
	uint64_t active;  /* bytes of messages in progress at this node */
	uint16_t shut;	  /* receivers with no read path left for VC 0 */
	uint16_t mark;	  /* index in the list of marks, or 0 */
	uint8_t reading[NET_READERS]; /* leaving VC 0 now, per receiver */
	uint8_t rr;
	uint8_t pad;
	uint16_t room[]; /* per port: tokens of VC 0 */
};

static_assert(offsetof(struct net_node, room) == 42, "11 ports in a line");

/* State changes of a node in this tick, kept until its ports are served. */
struct net_mark {
	uint64_t fresh[2]; /* slots with a new head */
	uint64_t dirty;	   /* ports to serve */
	uint32_t node;
	uint32_t head; /* slot that may be served first, or none */
};

/* Memory side of a node. */
struct net_nic {
	uint64_t memory_ps;   /* time memory is free, if the L2 spills */
	uint64_t alu_tick;    /* tick the class routes' ALU is free */
	struct net_list part; /* class routes: parts queued at the engine */
	uint64_t part_ps;     /* completion time of the engine's last part */
	uint32_t part_busy;
	uint32_t pad;
	uint64_t bus_ps[NET_BUSES_MAX]; /* time each bus is free */
};

/* A message, or a timer. */
struct net_mrec {
	uint64_t bytes_word; /* net_mrec_bytes(), net_mrec_word() */
	uint64_t cookie;     /* NET_M_ACKED: record that counts the acks */
	uint64_t ready_ps;   /* ready for the engine; callback: its time */
	uint32_t cut;	     /* packets built so far */
	uint32_t left;	     /* packets not delivered */
	uint32_t src, dst;
	uint16_t fifo;
	uint8_t path : 4;
	uint8_t path_in : 4; /* index of the path at the target */
	uint8_t rail : 4;    /* rail plus one, or 0 */
	uint8_t fate : 4;    /* NET_FATE_* */
	uint32_t next;	     /* in its FIFO in memory, or in the free list */
	uint32_t last;	     /* of a FIFO's head: the FIFO's tail */
	uint32_t ring;	     /* of a head: the next head of the engine */
	int8_t rem[NET_DIMS_MAX]; /* torus: hops; NET_MREC_ROUTED: a record */
	uint8_t flags;		  /* NET_P_* of its packets, NET_M_SEEN */
	uint8_t road;		  /* VC, zone from bit 4 on, NET_MREC_ROUTED */
};

#define NET_MESSAGE_MAX (1ull << 40)
#define NET_M_SEEN	0x80 /* counted in the target's working set */
#define NET_M_ACKED	0x40 /* each packet is acknowledged */
#define NET_MREC_ROUTED 0x80 /* its packets have a source route */
#define NET_FATE_RESENT 1    /* retransmitted or rerouted: unordered */
#define NET_FATE_LOST	2    /* a packet is lost */

static_assert(sizeof(struct net_mrec) == 64, "a message is a cache line");

enum { NET_WORD_SHIFT = 48 };

static_assert(NET_MESSAGE_MAX < 1ull << NET_WORD_SHIFT, "both fit");

static inline uint64_t net_mrec_bytes(const struct net_mrec *m)
{
	return m->bytes_word & ((1ull << NET_WORD_SHIFT) - 1);
}
/* Index of the target word, in words of its path; the lower 16 bits. */
static inline uint32_t net_mrec_word(const struct net_mrec *m)
{
	return (uint32_t)(m->bytes_word >> NET_WORD_SHIFT);
}

/* A source route, stored in a message record. */
struct net_route {
	uint8_t port[NET_ROUTE_MAX];
};

static_assert(sizeof(struct net_route) <= sizeof(struct net_mrec), "fits");

/* Index of the record that holds the source route of a message. */
static inline uint32_t net_mrec_route(const struct net_mrec *m)
{
	uint32_t ri;

	memcpy(&ri, m->rem, sizeof(ri));
	return ri;
}

/* A node on a class route. */
struct net_member {
	uint32_t route;	 /* route + 1; 0: free */
	uint32_t parent; /* member; 0: root */
	uint32_t child;	 /* first */
	uint32_t next;	 /* sibling */
	uint32_t share;
	uint8_t children;
	uint8_t port_up;     /* port here, towards the parent */
	uint8_t port_down;   /* port at the parent, towards here */
	uint8_t credit_up;   /* packets that may be sent to the parent */
	uint8_t credit_down; /* packets that the parent may send here */
	uint8_t barrier;     /* the route has a barrier class */
	uint8_t pad[2];
	struct net_list up;   /* packets waiting for credit_up */
	struct net_list down; /* at the parent, waiting for credit_down */
	/* barriers by query: arrived at all before this sequence */
	uint64_t flag;
};

struct net_tree_rec {
	uint32_t root; /* member; 0: free */
	uint32_t count;
	uint32_t asker;	  /* first member with a share */
	uint32_t sharers; /* number of members with a share */
};

/* How packets are routed; a torus of nodes is the fast path. */
enum net_routing { NET_STEER_TORUS, NET_STEER_SHARED, NET_STEER_TREE };

/* ---- the block ----------------------------------------------------------- */

struct net_heap_event {
	uint64_t tick;
	uint64_t word;
};

/* A callback to be sorted. */
struct net_call {
	uint64_t at;
	uint64_t word;
	uint64_t key; /* decides where node and port may be equal */
};

struct net {
	uint64_t magic;
	uint64_t bytes;
	struct net_config cfg;
	/* shape */
	uint32_t nodes; /* including switches */
	uint32_t ends;	/* nodes with a unit; the first ones */
	uint32_t ports;
	uint32_t queues; /* per receiver: dynamic, plus bubble with escapes */
	uint32_t escapes_too; /* dynamic packets may use the bubble channel */
	uint32_t qshift;      /* slots of a receiver are 1 << qshift apart */
	uint32_t large;	      /* cache lines are prefetched */
	uint32_t regions;     /* groups of nodes run one after another */
	uint32_t lanes;	      /* event lists per tick */
	uint32_t steer;	      /* enum net_routing */
	uint32_t down;	      /* shared routers: first port to their nodes */
	uint32_t packets_max, msgs_max, members_max, routes_max, combos_mask;
	uint32_t chunks_max, heap_max, events_max;
	struct net_fat fat; /* trees only */
	/* torus: directions, by mask of dimensions with hops left */
	uint16_t det_dirs[1 << NET_DIMS_MAX];
	uint16_t zone_dirs[NET_ZONES][1 << NET_DIMS_MAX];
	/* torus: directions and ports; equal numbers unless there are */
	uint32_t parallel; /* several links to a neighbour */
	uint64_t dir_ports[2 * NET_DIMS_MAX];
	uint8_t dir_first[2 * NET_DIMS_MAX];
	uint8_t dir_links[2 * NET_DIMS_MAX];
	uint8_t flow[NET_PORTS_MAX];	 /* per port: its direction, or none */
	uint64_t ring[NET_PORTS_MAX][2]; /* bubble queues in its ring */
	/* offsets from the start of the block, and strides */
	uint64_t off_link, off_unit, off_in, off_fifo, off_out;
	uint64_t off_member, off_route, off_combo, off_slot, off_dead;
	uint32_t odd;		      /* NET_RARE_* */
	uint64_t off_pool, off_ahead; /* 0: no shared tokens; no look-ahead */
	uint64_t off_coord, off_heap, off_mark, off_sort, off_words, off_row;
	uint64_t off_queued;  /* tiles: per port, packets in row buffers */
	uint64_t off_control; /* per link: time its next word may leave */
	uint32_t first_packet, first_msg, first_chunk; /* index less one */
	uint32_t node_stride, link_stride;
	uint32_t words; /* word cache entries of a node's buses */
	/* derived numbers */
	uint64_t rate[NET_RATES_MAX]; /* of links, as in net_config.h */
	uint32_t rates;
	/* ticks on a link, by rate and chunks */
	uint16_t len[NET_RATES_MAX][NET_PAYLOAD_CHUNKS + 1];
	uint16_t form_len[NET_FORMS][NET_RATES_MAX][NET_PAYLOAD_CHUNKS + 1];
	uint32_t tokens_most[NET_VC_MAX];      /* largest number of any link */
	uint16_t cost[NET_PAYLOAD_CHUNKS + 1]; /* tokens of VC 0, by chunks */
	struct net_hop hop[NET_HOPS_MAX];
	uint32_t hops_used;
	/* state */
	uint64_t tick; /* next tick to run */
	uint64_t events, hops, injected, delivered, escapes, hash;
	uint64_t off_fault; /* 0: no fault plan */
	uint64_t off_fault_line, off_fault_link, off_fault_node, off_fault_hold;
	uint32_t detour; /* dead parts that packets are routed around */
	uint32_t fault_pad;
	uint64_t timers;
	uint64_t copies;   /* packets that are copies of others */
	uint64_t parts;	   /* class routes: packet records in use */
	uint64_t filtered; /* class routes: results at nodes without a share */
	uint64_t late;	   /* sends dated back too far */
	uint64_t disorder; /* packets that violate a guaranteed order */
	uint64_t excess;   /* token counts below zero or above the maximum */
	uint32_t free_packet, free_msg, free_chunk;    /* free lists */
	uint32_t fresh_packet, fresh_msg, fresh_chunk; /* last ever used */
	uint32_t used_packets, used_msgs;
	uint32_t far;
	uint32_t routes;	  /* open */
	uint32_t wholes;	  /* links with store-and-forward */
	uint32_t deaths, renewed; /* dead links; those known to all tables */
	uint64_t map[NET_WHEEL / 64];
	uint64_t map_top[2];
};

#define NET_OFF_NODE ((sizeof(struct net) + 63) / 64 * 64)

static inline void *net_at(const struct net *net, uint64_t off)
{
	return (char *)(uintptr_t)net + off;
}
static inline struct net_node *net_node(const struct net *net, uint32_t n)
{
	return net_at(net, NET_OFF_NODE + (uint64_t)n * net->node_stride);
}
static inline uint32_t *net_links(const struct net *net, uint32_t n)
{
	return net_at(net, net->off_link + (uint64_t)n * net->link_stride);
}
/* Tokens of a deterministic VC, by port. */
static inline uint8_t *net_det_tokens(const struct net *net, uint32_t n,
				      unsigned vc)
{
	return (uint8_t *)(net_links(net, n) + net->ports) +
	       (vc - 1) * net->ports;
}
static inline struct net_nic *net_nic(const struct net *net, uint32_t n)
{
	return (struct net_nic *)net_at(net, net->off_unit) + n;
}
static inline struct net_in *net_ins(const struct net *net, uint32_t n)
{
	return (struct net_in *)net_at(net, net->off_in) +
	       (uint64_t)n * net->ports;
}
static inline struct net_fifo *net_fifos(const struct net *net, uint32_t n)
{
	return (struct net_fifo *)net_at(net, net->off_fifo) +
	       (uint64_t)n * net->cfg.inject_fifos;
}
static inline struct net_out *net_outs(const struct net *net, uint32_t n)
{
	return (struct net_out *)net_at(net, net->off_out) +
	       (uint64_t)n * net->ports;
}
static inline struct net_packet *net_packet(const struct net *net, uint32_t i)
{
	return (struct net_packet *)(uintptr_t)net + i;
}
static inline struct net_mrec *net_mrec(const struct net *net, uint32_t i)
{
	return (struct net_mrec *)(uintptr_t)net + i;
}
static inline struct net_member *net_member(const struct net *net, uint32_t i)
{
	return (struct net_member *)net_at(net, net->off_member) + i;
}
static inline uint32_t net_member_node(const struct net *net, uint32_t i)
{
	return (i - 1) / net->cfg.routes;
}

/* Trees: by node, a bit for each port whose link is dead. */
static inline uint64_t *net_dead(const struct net *net)
{
	return net_at(net, net->off_dead);
}

/* By port: waiting time behind it in tokens, as reported by returned tokens. */
static inline uint16_t *net_port_delay(const struct net *net, uint32_t node)
{
	return (uint16_t *)net_at(net, net->off_ahead) +
	       (uint64_t)node * net->ports;
}

/* Coordinates of a node of a torus. */
struct net_coord {
	uint8_t x[NET_DIMS_MAX];
	uint8_t odd; /* parity of the sum of x */
	uint8_t pad;
};
static inline const struct net_coord *net_coord(const struct net *net,
						uint32_t n)
{
	return (const struct net_coord *)net_at(net, net->off_coord) + n;
}

/* The tick being run, and the node being processed. */
struct net_step {
	struct net *net;
	const struct net_up *up;
	void *arg;
	uint64_t now;	       /* tick */
	struct net_mark *mark; /* from 1 on: nodes with changes in the region */
	uint32_t marks;
	uint32_t id; /* current node; the rest belongs to it */
	struct net_node *node;
	const uint32_t *link;
	struct net_in *in;
	uint64_t dirty;	   /* ports to serve */
	uint64_t fresh[2]; /* slots with a new head */
	bool part;	   /* class routes: the engine may start */
};

static inline void net_step_at(struct net_step *s, uint32_t id)
{
	s->id = id;
	s->node = net_node(s->net, id);
	s->link = net_links(s->net, id);
	s->in = net_ins(s->net, id);
}
static inline struct net_out *net_out(const struct net_step *s, unsigned port)
{
	return &net_outs(s->net, s->id)[port];
}

/* The mark of a node, in which changes of this tick are recorded. */
static inline struct net_mark *net_mark(struct net_step *s, struct net_node *n,
					uint32_t id)
{
	if (!n->mark) {
		n->mark = (uint16_t)++s->marks;
		s->mark[n->mark] = (struct net_mark){ .node = id };
	}
	return &s->mark[n->mark];
}

/* Times of a link. */
static inline const struct net_hop *net_link_hop(const struct net *net,
						 uint32_t link)
{
	return &net->hop[link & (NET_HOPS_MAX - 1)];
}
/* Times of the link behind a port of the step's node. */
static inline const struct net_hop *net_hop(const struct net_step *s,
					    unsigned port)
{
	return net_link_hop(s->net, s->link[port]);
}

/*
 * Asserts a bound on the steps of a list walk: if the block has been
 * overwritten, a cyclic list would hang the model. Leaves the caller's guard.
 */
static inline void net_walk_check(bool condition)
{
	if (weft_unlikely(!condition))
		weft_guard_fail("the network model's memory is corrupt");
}

/* ---- helpers ------------------------------------------------------------- */

/* Ticks of a packet with this payload on a link of this rate. */
static inline uint32_t net_len(const struct net *net, unsigned rate,
			       uint32_t chunks)
{
	return net->len[rate][chunks];
}
static inline uint32_t net_packet_len(const struct net *net, unsigned rate,
				      const struct net_packet *p)
{
	if (weft_unlikely(p->kind))
		return net->form_len[p->kind][rate][p->chunks];
	return net->len[rate][p->chunks];
}
static inline uint32_t net_chunks(const struct net *net, uint32_t bytes)
{
	return (bytes + net->cfg.chunk_bytes - 1) / net->cfg.chunk_bytes;
}
/* Tokens that a packet takes: its space in the receiver's buffer. */
static inline uint32_t net_cost(const struct net *net, uint32_t chunks,
				unsigned vc)
{
	return vc && !net->off_pool ? 1 : net->cost[chunks];
}

/* Features that few machines have, tested together on the hot path. */
enum {
	NET_RARE_SHARED = 1, /* shared tokens */
	NET_RARE_AHEAD =
		2, /* tokens that report the waiting time behind them */
	NET_RARE_TOKENS = NET_RARE_SHARED | NET_RARE_AHEAD,
	NET_RARE_FAULTS = 4,
	NET_RARE_WHOLE = 8,   /* links with store-and-forward */
	NET_RARE_ROUTER = 16, /* columns of tiles, system packets round-robin */
};

/* Shared tokens: number in use by a port's packets, per channel. */
struct net_pool {
	uint16_t used[4];
};
static inline struct net_pool *net_pool(const struct net *net, uint32_t node,
					unsigned port)
{
	return (struct net_pool *)net_at(net, net->off_pool) +
	       (uint64_t)node * net->ports + port;
}
/* Tokens left: the channel's private ones, plus unused shared ones. */
static inline uint32_t net_pool_left(const struct net *net, uint32_t node,
				     unsigned port, unsigned vc)
{
	const struct net_pool *p = net_pool(net, node, port);
	uint32_t shared = net->cfg.tokens_shared, own, i;

	for (i = 0; i < 4; i++) {
		own = net->cfg.tokens[i];
		shared -= p->used[i] > own ? p->used[i] - own : 0;
	}
	i = net_channel(vc);
	own = net->cfg.tokens[i];
	return shared + (p->used[i] < own ? own - p->used[i] : 0);
}

/* Tokens that a sender has for a VC. */
static inline uint32_t net_tokens(const struct net *net, uint32_t node,
				  unsigned port, unsigned vc)
{
	if (vc && weft_unlikely(net->off_pool))
		return net_pool_left(net, node, port, vc);
	return vc ? net_det_tokens(net, node, vc)[port]
		  : net_node(net, node)->room[port];
}

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The model's memory: one block, indices and offsets only.
 *
 *   struct net | nodes | slots | links | units | receivers | FIFOs | senders |
 *   members | routes | combos | coordinates | packets | messages | events | ...
 *
 * Packets and messages are lines, events are words, and are named by their
 * number in the block, so that finding one takes a shift and an addition.
 * A large network waits for memory; what belongs together in time lies
 * together: a packet that nothing hinders touches four lines at a node (node,
 * links, receiver, its own), its tail and its tokens one (node).
 *
 * Index 0 of packets, messages and chunks means none. A "slot" is a place whose
 * packet may go out by more than one port: a queue of a receiver's dynamic VC,
 * the receiver's queue of dynamic packets on the bubble channel, or an
 * injection FIFO. Slots have a bit each in 128 bits: receivers from 0,
 * injection FIFOs from NET_SLOT_FIFO.
 */
#ifndef WEFT_NET_INT_H
#define WEFT_NET_INT_H

#include "prov/net/net.h"
#include "prov/net/net_fat.h"

#include "src/base/attr.h"
#include "src/base/guard.h"

#include <assert.h>
#include <stddef.h>
#include <stdint.h>

enum {
	NET_QUEUES_MAX = 8,
	NET_SLOT_FIFO = 112,
	NET_PORTS_MAX = 56,
	NET_READERS = 12,     /* receivers that read_paths can limit */
	NET_WHEEL = 8192,     /* ticks, this one and those ahead */
	NET_CHUNK = 32,	      /* words: the chunk before, then events */
	NET_REGION_SHIFT = 12, /* nodes whose share of a tick fits the cache */
	NET_HOPS_MAX = 64,    /* kinds of links, by their times */
	NET_SHARE_MAX = 1024, /* parts of one node in a collective packet */
	NET_PAYLOAD_CHUNKS = 128,
	NET_RETRY_TICKS = 64, /* the packet pool is empty: look again */
	NET_BREATH_TICKS = 65536,
};

/* ---- events -------------------------------------------------------------- */

/*
 * One word: node, kind, port, VC, payload. The first three kinds commute and
 * are taken as they come. The others are sorted as numbers and come node by
 * node, in an order that has nothing to do with who was first to ask for them;
 * kinds from NET_EV_UP on are calls up and come after all others.
 */
enum net_ev {
	NET_EV_ARRIVE, /* head of packet at a receiver */
	NET_EV_TAIL,   /* a sender is free; payload: receiver + 1 that read */
	NET_EV_TOKEN,  /* payload: tokens back at the sender */
	NET_EV_SORTED,
	NET_EV_COLL = NET_EV_SORTED, /* class route: packet at a receiver */
	NET_EV_CREDIT, /* class route: payload: member; VC as the packet's */
	NET_EV_WAKE,   /* a message is ready; port: FIFO */
	NET_EV_BUILT,  /* the engine has finished a packet; port: FIFO */
	NET_EV_PART,   /* class route: a part is at the engine */
	NET_EV_CBUILT, /* class route: the engine has finished it */
	NET_EV_READY,  /* class route: the ALU takes the packet */
	NET_EV_UP,
	NET_EV_DELIVER = NET_EV_UP, /* payload: packet */
	NET_EV_RESULT,		    /* payload: packet */
	NET_EV_SENT,		    /* payload: message */
	NET_EV_TIMER,		    /* payload: message record */
};

#define NET_NODE_SHIFT	  44
#define NET_KIND_SHIFT	  40
#define NET_PORT_SHIFT	  34
#define NET_VC_SHIFT	  30
#define NET_PAYLOAD_MASK  ((1u << NET_VC_SHIFT) - 1)

static inline uint64_t net_word(uint32_t node, enum net_ev kind,
				unsigned port, unsigned vc, uint32_t payload)
{
	return (uint64_t)node << NET_NODE_SHIFT |
	       (uint64_t)kind << NET_KIND_SHIFT |
	       (uint64_t)port << NET_PORT_SHIFT |
	       (uint64_t)vc << NET_VC_SHIFT | payload;
}
static inline uint32_t net_word_node(uint64_t w)
{
	return (uint32_t)(w >> NET_NODE_SHIFT);
}
static inline unsigned net_word_kind(uint64_t w)
{
	return w >> NET_KIND_SHIFT & 15;
}
static inline unsigned net_word_port(uint64_t w)
{
	return w >> NET_PORT_SHIFT & 63;
}
static inline unsigned net_word_vc(uint64_t w)
{
	return w >> NET_VC_SHIFT & 15;
}
static inline uint32_t net_word_payload(uint64_t w)
{
	return w & NET_PAYLOAD_MASK;
}

/* ---- records ------------------------------------------------------------- */

enum {
	NET_P_DYN = 1,	   /* may take any port of its zone */
	NET_P_DEPOSIT = 2, /* leaves a copy at every node */
	NET_P_STAY = 4,	   /* stays on the bubble channel */
	NET_P_FP = 8,	   /* class route: floating point */
	NET_P_LAST = 16,   /* ends its message */
};

struct net_packet {
	uint64_t want;	 /* ports it may leave by, dynamic */
	union {
		uint64_t cookie; /* class route */
		uint32_t last;	 /* of a queue's head: the queue's end */
	};
	uint64_t seq;	 /* class route: sequence; else offset in message */
	uint32_t next;	 /* in the queue it waits in */
	uint32_t msg;	 /* class route: member that it goes to */
	uint32_t since;	 /* tick of arrival at this node */
	uint32_t dst;	 /* node */
	uint16_t bytes;
	uint16_t frac;	 /* picoseconds beyond the tick */
	int8_t rem[NET_DIMS_MAX]; /* hops left, signed */
	uint8_t left;	 /* mask of dimensions with hops left */
	uint8_t vc;	 /* it sits in */
	uint8_t det;	 /* port by the deterministic order */
	uint8_t chunks;
	uint8_t flags;
	uint8_t zone;
	uint8_t in;	 /* receiver it came by */
	uint8_t kind;	 /* class route: enum net_coll */
	uint16_t count;	 /* class route: inputs so far, copies to send */
	union {
		uint32_t holder; /* class route: of a copy, who keeps it */
		uint32_t dirs;	 /* torus: its port in each dimension */
	};
};

static_assert(sizeof(struct net_packet) == 64, "a packet is a cache line");

struct net_list {
	uint32_t head, tail;
};

/* What a sender waits with, by rising urgency downwards. */
enum net_wait {
	NET_WAIT_DOWN,
	NET_WAIT_UP,
	NET_WAIT_DET, /* per VC from 1: going on in a ring, entering it */
	NET_WAITS = NET_WAIT_DET + 6,
};

/*
 * The link of a port in a word: node at the other end, port there, and which
 * row of net->hop has its times. A node's links are followed by its tokens of
 * the deterministic VCs, VC by VC.
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
	uint16_t frac;	     /* picoseconds beyond */
	uint8_t token_ticks; /* of this link's tokens to the peer */
	uint8_t need;	     /* tokens to enter its ring */
	uint16_t pad;
};

/* The sender of a port: who waits for it. */
struct net_out {
	/* line 0: all but deterministic packets and class routes */
	uint64_t dyn[2]; /* slots that could use this port's VC 0 */
	uint64_t esc[2]; /* slots that could escape here */
	uint16_t inject[4]; /* injection FIFOs with a head for this VC */
	uint8_t rr;    /* slot after the one served last */
	uint8_t share; /* grants to receivers while injection waited */
	uint8_t waits; /* bit per list that is not empty */
	uint8_t turn;  /* deterministic before dynamic; entering a ring */
	uint8_t vcs;   /* bit per VC with an injection FIFO waiting */
	uint8_t pad[3];
	uint32_t packets_coll; /* class routes' part of the counts */
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
	uint64_t free_ps;    /* reception engine */
	uint32_t received;   /* packets */
	uint32_t chunks;     /* of their payload */
};

static_assert(sizeof(struct net_in) == 64, "a line");

/* An injection engine and its network FIFO. */
struct net_fifo {
	uint64_t free_ps; /* the engine's last packet was complete */
	uint32_t head;	  /* of the packets */
	uint32_t ring;	  /* messages at the head of their FIFO in memory */
	uint32_t last;	  /* FIFO in memory that was served last */
	uint32_t msg;	  /* being cut now, or 0 */
	uint8_t count;
	uint8_t pad[7];
};

static_assert(sizeof(struct net_fifo) == 32, "two to a line");

struct net_node {
	uint64_t busy;	  /* ports with a packet on its way out */
	uint64_t waiting; /* ports that someone may wait for */
	uint64_t active;  /* bytes of messages in work here */
	uint16_t shut;	  /* receivers with no read path left for VC 0 */
	uint16_t mark;	  /* place in the list of marks, or 0 */
	uint8_t reading[NET_READERS]; /* by receiver: leaving VC 0 now */
	uint8_t rr;
	uint8_t pad;
	uint16_t room[];  /* by port: tokens of VC 0 */
};

static_assert(offsetof(struct net_node, room) == 42, "11 ports in a line");

/* What happened at a node in this tick, until its ports are served. */
struct net_mark {
	uint64_t fresh[2]; /* slots with a new head */
	uint64_t dirty;	   /* ports to look at */
	uint32_t node;
	uint32_t head;	   /* that may go first: a slot, or none */
};

/* The node's side of memory. */
struct net_unit {
	uint64_t memory_ps; /* memory is busy until, once spilt */
	uint64_t alu_tick;  /* class routes' combining */
	struct net_list part; /* class routes: at the engine */
	uint64_t part_ps;     /* the engine's last part was complete */
	uint32_t part_busy;
	uint32_t pad[7];
};

static_assert(sizeof(struct net_unit) == 64, "a line");

/* A message, or a timer. */
struct net_mrec {
	uint64_t bytes;
	uint64_t cookie;
	uint64_t ready_ps; /* at the engine; of a call up: when */
	uint32_t cut;	/* packets so far */
	uint32_t left;	/* packets not delivered */
	uint32_t src, dst;
	uint32_t fifo;
	uint32_t next;	/* in its FIFO in memory; free list */
	uint32_t last;	/* of a head: the end of its FIFO */
	uint32_t ring;	/* of a head: the next head of the engine */
	int8_t rem[NET_DIMS_MAX];
	uint8_t flags;	/* NET_P_* for its packets, NET_M_SEEN */
	uint8_t road;	/* VC, and zone from bit 4 on */
};

#define NET_MESSAGE_MAX (1ull << 40)
#define NET_M_SEEN 0x80 /* its target counts it as working set */

static_assert(sizeof(struct net_mrec) == 64, "a message is a cache line");

/* A node on a class route. */
struct net_member {
	uint32_t route;	 /* + 1; 0: free */
	uint32_t parent; /* member; 0: root */
	uint32_t child;	 /* first */
	uint32_t next;	 /* sibling */
	uint32_t share;
	uint8_t children;
	uint8_t port_up;   /* here, towards the parent */
	uint8_t port_down; /* at the parent, towards here */
	uint8_t credit_up; /* packets that may go to the parent */
	uint8_t credit_down; /* packets that the parent may send here */
	uint8_t barrier;     /* the route has a barrier class, too */
	uint8_t pad[2];
	struct net_list up;   /* waiting for credit_up */
	struct net_list down; /* at the parent, waiting for credit_down */
};

struct net_route_rec {
	uint32_t root;	/* member; 0: free */
	uint32_t count;
};

/* ---- the block ----------------------------------------------------------- */

struct net_far {
	uint64_t tick;
	uint64_t word;
};

/* A call up, to be sorted. */
struct net_call {
	uint64_t at;
	uint64_t word;
	uint64_t key; /* where node and port may be the same */
};

struct net {
	uint64_t magic;
	uint64_t bytes;
	struct net_config cfg;
	/* shape */
	uint32_t nodes; /* with switches */
	uint32_t ends;	/* that have a unit; the first ones */
	uint32_t ports;
	uint32_t queues; /* per receiver: dynamic, then bubble */
	uint32_t qshift; /* slots of a receiver are 1 << qshift apart */
	uint32_t large;	  /* lines must be asked for ahead of their use */
	uint32_t regions; /* run one by one */
	uint32_t lanes;	  /* lists of events in a tick */
	uint32_t packets_max, msgs_max, members_max, routes_max, combos_mask;
	uint32_t chunks_max, far_max, events_max;
	struct net_fat fat; /* of trees */
	/* torus, by mask of dimensions with hops left */
	uint16_t det_ports[1 << NET_DIMS_MAX];
	uint16_t zone_ports[NET_ZONES][1 << NET_DIMS_MAX];
	/* offsets from the start of the block, and strides */
	uint64_t off_link, off_unit, off_in, off_fifo, off_out;
	uint64_t off_member, off_route, off_combo, off_slot;
	uint64_t off_coord, off_far, off_mark, off_sort;
	uint32_t first_packet, first_msg, first_chunk; /* less one */
	uint32_t node_stride, link_stride;
	/* derived numbers */
	uint16_t len[NET_PAYLOAD_CHUNKS + 1];  /* ticks on a link, by chunks */
	uint16_t cost[NET_PAYLOAD_CHUNKS + 1]; /* tokens of VC 0 */
	struct net_hop hop[NET_HOPS_MAX];
	uint32_t hops_used;
	/* state */
	uint64_t tick;	/* next one to run */
	uint64_t events, hops, injected, delivered, escapes, hash;
	uint64_t timers;
	uint64_t copies;   /* packets that are copies of others */
	uint64_t parts;	   /* class routes: packet records in use */
	uint64_t late;	   /* sends dated back too far */
	uint64_t disorder; /* packets against a promised order */
	uint64_t excess;   /* tokens below none or above all */
	uint32_t free_packet, free_msg, free_chunk;    /* lists */
	uint32_t fresh_packet, fresh_msg, fresh_chunk; /* used once at least */
	uint32_t used_packets, used_msgs;
	uint32_t far;
	uint32_t routes; /* open */
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
static inline struct net_unit *net_unit(const struct net *net, uint32_t n)
{
	return (struct net_unit *)net_at(net, net->off_unit) + n;
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

/* Where a node of a torus is. */
struct net_coord {
	uint8_t x[NET_DIMS_MAX];
	uint8_t odd; /* sum of x */
	uint8_t pad;
};
static inline const struct net_coord *net_coord(const struct net *net,
						uint32_t n)
{
	return (const struct net_coord *)net_at(net, net->off_coord) + n;
}

/* One tick at work, and the node that it has turned to. */
struct net_step {
	struct net *net;
	const struct net_up *up;
	void *arg;
	uint64_t now;	   /* tick */
	struct net_mark *mark; /* from 1 on: nodes touched in the region */
	uint32_t marks;
	uint32_t id;	   /* the node; the rest is its */
	struct net_node *node;
	const uint32_t *link;
	struct net_in *in;
	uint64_t dirty;	   /* ports to look at */
	uint64_t fresh[2]; /* slots with a new head */
	bool part;	   /* class routes: look at the engine */
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

/* The mark of a node, to note in it what there is to do. */
static inline struct net_mark *net_mark(struct net_step *s,
					struct net_node *n, uint32_t id)
{
	if (!n->mark) {
		n->mark = (uint16_t)++s->marks;
		s->mark[n->mark] = (struct net_mark){ .node = id };
	}
	return &s->mark[n->mark];
}

/* Times of the link behind a port of the step's node. */
static inline const struct net_hop *net_hop(const struct net_step *s,
					    unsigned port)
{
	return &s->net->hop[s->link[port] & (NET_HOPS_MAX - 1)];
}

/*
 * Of a walk along a list, after so many steps at most: the block may have been
 * written over, and a list that comes round would hold the model for ever.
 */
static inline void net_sure(bool it_is_so)
{
	if (weft_unlikely(!it_is_so))
		weft_guard_leave("the network model makes no sense");
}

/* ---- small steps --------------------------------------------------------- */

static inline uint32_t net_wire_bytes(const struct net_config *cfg,
				      uint32_t chunks)
{
	return cfg->header_bytes + cfg->trailer_bytes +
	       chunks * cfg->chunk_bytes;
}
/* Ticks of a packet with so many chunks of payload on a link. */
static inline uint32_t net_len(const struct net *net, uint32_t chunks)
{
	return net->len[chunks];
}
static inline uint32_t net_chunks(const struct net *net, uint32_t bytes)
{
	return (bytes + net->cfg.chunk_bytes - 1) / net->cfg.chunk_bytes;
}
/* Tokens that a packet takes: its room in the receiver's buffer. */
static inline uint32_t net_cost(const struct net *net, uint32_t chunks,
				unsigned vc)
{
	return vc ? 1 : net->cost[chunks];
}

/* net_pool.c */
uint32_t net_packet_get(struct net *net);
void net_packet_put(struct net *net, uint32_t p);
uint32_t net_mrec_get(struct net *net);
void net_mrec_put(struct net *net, uint32_t m);
void net_list_push(struct net *net, struct net_list *l, uint32_t p);
uint32_t net_list_pop(struct net *net, struct net_list *l);

/* Tokens of a sender. */
static inline uint32_t net_tokens(const struct net *net, uint32_t node,
				  unsigned port, unsigned vc)
{
	return vc ? net_det_tokens(net, node, vc)[port] :
		    net_node(net, node)->room[port];
}

/* net_wheel.c: events by tick, in lanes. */
enum net_lane {
	NET_LANE_SORTED = NET_EV_SORTED, /* before it one for each kind */
	NET_LANES,			 /* of a region */
};
void net_wheel_init(struct net *net);
void net_wheel_far(struct net *net, uint64_t at, uint64_t word);
/* The lane is empty or its chunk full: a new one, and its first place. */
uint32_t net_lane_grow(struct net *net, uint64_t at, uint32_t used);

/* All calls up share the last lane. */
static inline uint32_t net_lane(const struct net *net, enum net_ev kind,
				uint64_t word)
{
	uint32_t first = (uint32_t)(word >> NET_NODE_SHIFT >>
				    NET_REGION_SHIFT) * NET_LANES;

	if (kind < NET_EV_SORTED)
		return first + kind;
	return kind < NET_EV_UP ? first + NET_LANE_SORTED : net->lanes - 1;
}
static inline uint32_t *net_lane_slot(const struct net *net, uint64_t at,
				 uint32_t lane)
{
	return (uint32_t *)net_at(net, net->off_slot) + lane * NET_WHEEL +
	       at % NET_WHEEL;
}
static inline uint64_t *net_event(const struct net *net, uint32_t i)
{
	return (uint64_t *)(uintptr_t)net + i;
}
/* Into a tick that the wheel holds. */
static inline void net_slot_put(struct net *net, uint64_t at,
				enum net_ev kind, uint64_t word)
{
	uint32_t *slot = net_lane_slot(net, at, net_lane(net, kind, word));
	uint32_t i = *slot;

	if (weft_unlikely(i % NET_CHUNK == 0))
		i = net_lane_grow(net, at, i);
	*net_event(net, i) = word;
	*slot = i + 1;
}
/* Puts an event into tick at, which must not have been run. */
static inline void net_wheel_put(struct net *net, uint64_t at,
				 enum net_ev kind, uint64_t word)
{
	if (weft_likely(at - net->tick < NET_WHEEL - 1))
		net_slot_put(net, at, kind, word);
	else
		net_wheel_far(net, at, word);
}
/* The same from within a tick: so many ticks on, at least one. */
static inline void net_wheel_after(struct net_step *s, uint32_t ticks,
				   enum net_ev kind, uint64_t word)
{
	if (weft_likely(ticks < NET_WHEEL))
		net_slot_put(s->net, s->now + ticks, kind, word);
	else
		net_wheel_far(s->net, s->now + ticks, word);
}
static inline void net_wheel_push(struct net *net, uint64_t at, uint64_t word)
{
	net_wheel_put(net, at, net_word_kind(word), word);
}
/* Events there are. Looks at every slot. */
uint64_t net_wheel_pending(const struct net *net);
/* First tick that has events, or NET_NEVER. */
uint64_t net_wheel_next(const struct net *net);
/* Begins tick net->tick: all its events are in the wheel. */
void net_wheel_begin(struct net *net);
/*
 * A chunk of a lane of the tick: its events, and how many. i is what the slot
 * held, then what the call before returned; 0: no more.
 */
static inline uint32_t net_chunk(const struct net *net, uint32_t i,
				 const uint64_t **word_p, uint32_t *count_p)
{
	const uint64_t *c = net_event(net, (i - 1) / NET_CHUNK * NET_CHUNK);

	*word_p = c + 1;
	*count_p = (i - 1) % NET_CHUNK;
	return (uint32_t)*c;
}
void net_chunk_put(struct net *net, uint32_t i);
/* Takes a lane's events out, sorted as numbers. */
uint32_t net_lane_sorted(struct net *net, uint64_t tick, uint32_t lane,
			 const uint64_t **word_p);
/* Takes the calls up out, sorted by time. */
uint32_t net_lane_calls(struct net *net, uint64_t tick,
			const struct net_call **call_p);

/* net_ask.c: lines that are needed soon. */
typedef void (*net_ask_fn)(const struct net *net, const uint64_t *w,
			   uint32_t n);
static inline void net_ask(const void *line)
{
	(void)*(const volatile uint8_t *)line;
}
/* A chunk by what its slot holds. */
void net_ask_chunk(const struct net *net, uint32_t slot);
/* For events: tails and tokens; arrivals; the sorted ones; calls up. */
void net_ask_nodes(const struct net *net, const uint64_t *w, uint32_t n);
void net_ask_arrive(const struct net *net, const uint64_t *w, uint32_t n);
void net_ask_sorted(const struct net *net, const uint64_t *w, uint32_t n);
void net_ask_calls(const struct net *net, const uint64_t *w, uint32_t n);
/* For ports of marked nodes. */
void net_ask_marks(const struct net *net, struct net_mark *m, uint32_t n);

/* net_topo.c: who is my neighbour. */
uint32_t net_topo_nodes(const struct net_config *cfg);
uint32_t net_topo_ends(const struct net_config *cfg);
uint32_t net_topo_ports(const struct net_config *cfg);
/* Node and port at the other end, or -1. crossings_p: link chips on the way. */
int64_t net_topo_peer(const struct net_config *cfg, uint32_t node,
		      unsigned port, unsigned *port_p, unsigned *crossings_p);

/* net_road.c: which ports are allowed. */
void net_road_init(struct net *net);
/* Hops of a message per dimension; -EINVAL: a mesh cannot go so. */
int net_road_plan(const struct net *net, const struct net_msg *msg,
		  int8_t *rem);
void net_road_look_fat(const struct net *net, struct net_packet *p,
		       uint32_t node);
/* Sets want and det of a packet at node that is not its last. */
static inline void net_road_look(const struct net *net, struct net_packet *p,
				 uint32_t node)
{
	uint32_t want;

	if (net->cfg.topology != NET_TORUS) {
		net_road_look_fat(net, p, node);
		return;
	}
	p->det = (uint8_t)__builtin_ctz(p->dirs & net->det_ports[p->left]);
	want = p->dirs & net->zone_ports[p->zone][p->left];
	if (!(p->flags & NET_P_DYN) ||
	    (p->vc == NET_VC_DET && p->flags & NET_P_STAY))
		want = 0;
	p->want = want;
}
static inline bool net_road_ends(const struct net *net,
				 const struct net_packet *p, uint32_t node)
{
	return net->cfg.topology == NET_TORUS ? !p->left : p->dst == node;
}
/* A hop by this port has been granted. */
static inline void net_road_hop(const struct net *net, struct net_packet *p,
				unsigned port)
{
	unsigned d = port >> 1;

	if (net->cfg.topology != NET_TORUS)
		return;
	p->rem[d] = (int8_t)(p->rem[d] + 1 - 2 * (int)(port & 1));
	p->left &= (uint8_t)~((unsigned)(p->rem[d] == 0) << d);
}
/* Mask of dimensions and ports of a packet that has its hops. */
void net_road_start(const struct net *net, struct net_packet *p);
unsigned net_road_hops(const struct net *net, uint32_t src, uint32_t dst);

/* net_router.c: what comes in at a node. */
typedef void (*net_events_fn)(struct net_step *s, const uint64_t *word,
			      uint32_t count);
void net_router_arrive(struct net_step *s, const uint64_t *w, uint32_t n);
void net_router_tail(struct net_step *s, const uint64_t *w, uint32_t n);
void net_router_token(struct net_step *s, const uint64_t *w, uint32_t n);
/* A packet has become the head of an injection FIFO. */
void net_router_offer(struct net_step *s, unsigned fifo, uint32_t pi);

/* net_arbiter.c: serves the ports of marked nodes, and takes the marks off. */
void net_arbiter_serve(struct net_step *s);

/* net_unit.c: engines between memory and network. */
void net_unit_wake(struct net_step *s, uint64_t word);
void net_unit_built(struct net_step *s, uint64_t word);
/* The head of an injection FIFO has left. */
void net_unit_drain(struct net_step *s, unsigned fifo);
/* The head of a packet has reached its last node by port. */
void net_unit_receive(struct net_step *s, unsigned port, uint32_t pi);
/* False: no record for the copy now. */
bool net_unit_deposit(struct net_step *s, unsigned port, uint32_t pi);
void net_unit_deliver(struct net_step *s, const struct net_call *c);
void net_unit_sent(struct net_step *s, const struct net_call *c);
void net_unit_timer(struct net_step *s, const struct net_call *c);

/* net_tree.c: class routes. */
void net_tree_arrive(struct net_step *s, uint64_t word);
void net_tree_credit(struct net_step *s, uint64_t word);
void net_tree_part(struct net_step *s, uint64_t word);
void net_tree_built(struct net_step *s, uint64_t word);
void net_tree_ready(struct net_step *s, uint64_t word);
/* After a tick's events: starts the engine on the first of its parts. */
void net_tree_feed(struct net_step *s);
/* Sends the first packet of the sender's down or up list. */
void net_tree_grant(struct net_step *s, unsigned port, enum net_wait which);
void net_tree_result(struct net_step *s, const struct net_call *c);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The model's memory: one block, indices and offsets only.
 *
 *   struct net | nodes | packets | messages | members | combos | wheel | ...
 *
 *   a node (net->stride bytes apart)
 *     struct net_node | struct net_link[ports] | struct net_in[ports] |
 *     struct net_fifo[fifos] | struct net_out[ports]
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

#include <assert.h>
#include <stddef.h>
#include <stdint.h>

enum {
	NET_QUEUES_MAX = 8,
	NET_SLOT_FIFO = 112,
	NET_PORTS_MAX = 56,
	NET_READERS = 12,     /* receivers that read_paths can limit */
	NET_WHEEL = 8192,     /* ticks */
	NET_CHUNK_EVENTS = 63,
	NET_SHARE_MAX = 1024, /* parts of one node in a collective packet */
	NET_PAYLOAD_CHUNKS = 128,
	NET_RETRY_TICKS = 64, /* the packet pool is empty: look again */
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
	uint64_t cookie; /* class route */
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

/* The link of a port: all that an event of an unhindered packet needs. */
struct net_link {
	uint32_t peer; /* node at the other end; UINT32_MAX: no link */
	uint16_t hop_ticks;
	uint16_t hop_frac;
	uint16_t chunks;     /* tokens of VC 0 */
	uint8_t token[3];    /* packets, from VC 1 on */
	uint8_t token_ticks; /* of this link's tokens to the peer */
	uint8_t peer_port;
	uint8_t busy;
	uint8_t need; /* tokens to enter its ring */
	uint8_t pad;
};

static_assert(sizeof(struct net_link) == 20, "three to a line");

/* The sender of a port: who waits for it. */
struct net_out {
	uint64_t dyn[2]; /* slots that could use this port's VC 0 */
	uint64_t esc[2]; /* slots that could escape here */
	struct net_list list[NET_WAITS];
	uint16_t inject[4]; /* injection FIFOs with a head for this VC */
	uint8_t rr;    /* slot after the one served last */
	uint8_t share; /* grants to receivers while injection waited */
	uint8_t waits; /* bit per list that is not empty */
	uint8_t turn;  /* deterministic before dynamic; entering a ring */
	uint8_t vcs;   /* bit per VC with an injection FIFO waiting */
	uint8_t pad[3];
	uint64_t packets_coll; /* class routes' part of the counts */
	uint64_t chunks_coll;
	uint64_t busy_coll; /* ticks */
	uint64_t pad2[7];
};

static_assert(sizeof(struct net_out) == 192, "three lines");

struct net_in {
	uint32_t tail[NET_QUEUES_MAX]; /* its next is the head */
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
	uint32_t tail;	  /* of the packets; its next is the head */
	uint32_t ring;	  /* messages at the head of their FIFO in memory */
	uint32_t last;	  /* FIFO in memory that was served last */
	uint32_t msg;	  /* being cut now, or 0 */
	uint8_t count;
	uint8_t pad[3];
	uint32_t frac;	  /* of the packet being built */
};

struct net_node {
	/* line 0: between a tick's events and its grants */
	uint64_t shut[2];  /* slots whose receiver has no read path left */
	uint64_t fresh[2]; /* slots with a new head */
	uint64_t dirty;	   /* ports to look at */
	uint64_t waiting;  /* ports that someone may wait for */
	uint8_t reading[NET_READERS]; /* by receiver: leaving VC 0 now */
	uint8_t touched;   /* on the tick's list */
	uint8_t rr;
	uint8_t pad[2];
	/* line 1: the unit */
	uint64_t active;    /* bytes of messages in work here */
	uint64_t memory_ps; /* memory is busy until, once spilt */
	uint64_t alu_tick;  /* class routes' combining */
	struct net_list part; /* class routes: at the engine */
	uint64_t part_ps;     /* the engine's last part was complete */
	uint32_t part_busy;
	uint32_t pad2[5];
};

static_assert(sizeof(struct net_node) == 128, "two lines");

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

struct net_slot {
	uint32_t first, last; /* chunks */
	uint32_t used;	      /* events in the last */
};

struct net_chunk {
	uint32_t next;
	uint32_t pad;
	uint64_t event[NET_CHUNK_EVENTS];
};

static_assert(sizeof(struct net_chunk) == 512, "eight lines");

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
	uint32_t large;	 /* lines must be asked for ahead of their use */
	uint32_t qshift; /* slots of a receiver are 1 << qshift apart */
	uint32_t packets_max, msgs_max, members_max, routes_max, combos_mask;
	uint32_t chunks_max, far_max, events_max;
	struct net_fat fat; /* of trees */
	/* torus, by mask of dimensions with hops left */
	uint8_t det_dim[1 << NET_DIMS_MAX];
	uint16_t zone_ports[NET_ZONES][1 << NET_DIMS_MAX];
	/* offsets from the start of the block */
	uint64_t off_node, off_coord, off_packet, off_msg, off_member;
	uint64_t off_route;
	uint64_t off_combo, off_slot, off_chunk, off_far, off_sort[2];
	uint64_t off_call, off_touched;
	uint64_t stride, off_link, off_in, off_fifo, off_out; /* in a node */
	/* derived numbers */
	uint16_t len[NET_PAYLOAD_CHUNKS + 1];  /* ticks on a link, by chunks */
	uint16_t cost[NET_PAYLOAD_CHUNKS + 1]; /* tokens of VC 0 */
	/* state */
	uint64_t tick;	/* next one to run */
	uint64_t events, hops, injected, delivered, escapes, hash;
	uint64_t pending, pending_max, timers;
	uint64_t copies;   /* packets that are copies of others */
	uint64_t parts;	   /* class routes: packet records in use */
	uint64_t late;	   /* sends dated back too far */
	uint64_t disorder; /* packets against a promised order */
	uint64_t excess;   /* tokens below none or above all */
	uint32_t free_packet, free_msg, free_chunk; /* lists */
	uint32_t fresh_packet, fresh_msg;	    /* never used beyond */
	uint32_t used_packets, used_msgs, used_chunks;
	uint32_t far;
	uint32_t routes; /* open */
	uint64_t map[NET_WHEEL / 64];
	uint64_t map_top[2];
};

static inline void *net_at(const struct net *net, uint64_t off)
{
	return (char *)(uintptr_t)net + off;
}
static inline struct net_node *net_node(const struct net *net, uint32_t n)
{
	return net_at(net, net->off_node + n * net->stride);
}
static inline struct net_out *net_outs(const struct net *net,
				       const struct net_node *n)
{
	return (void *)((char *)(uintptr_t)n + net->off_out);
}
static inline struct net_link *net_links(const struct net *net,
					 const struct net_node *n)
{
	return (void *)((char *)(uintptr_t)n + net->off_link);
}
static inline struct net_in *net_ins(const struct net *net,
				     const struct net_node *n)
{
	return (void *)((char *)(uintptr_t)n + net->off_in);
}
static inline struct net_fifo *net_fifos(const struct net *net,
					 const struct net_node *n)
{
	return (void *)((char *)(uintptr_t)n + net->off_fifo);
}
static inline struct net_packet *net_packet(const struct net *net, uint32_t i)
{
	return (struct net_packet *)net_at(net, net->off_packet) + i;
}
static inline struct net_mrec *net_mrec(const struct net *net, uint32_t i)
{
	return (struct net_mrec *)net_at(net, net->off_msg) + i;
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

/* What one pass over a node's events in a tick gathers. */
struct net_step {
	struct net *net;
	const struct net_up *up;
	void *arg;
	struct net_node *node;
	struct net_link *link;
	struct net_out *out;
	struct net_in *in;
	uint64_t now;	   /* tick */
	uint64_t dirty;	   /* ports to look at */
	uint64_t fresh[2]; /* slots with a new head */
	uint32_t *list;	   /* nodes touched in this tick */
	uint32_t touched;
	bool part;	   /* class routes: look at the engine */
	uint32_t id;	   /* of the node */
};

/* Loads a line that will be needed soon. */
static inline void net_touch(const void *line)
{
	(void)*(const volatile uint8_t *)line;
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
static inline uint32_t net_tokens(const struct net_link *l, unsigned vc)
{
	return vc ? l->token[vc - 1] : l->chunks;
}

/* net_wheel.c: events by tick. */
void net_wheel_init(struct net *net);
void net_wheel_far(struct net *net, uint64_t at, uint64_t word);
uint32_t net_chunk_get(struct net *net);
static inline void net_slot_push(struct net *net, uint64_t at, uint64_t word)
{
	struct net_chunk *pool = net_at(net, net->off_chunk);
	struct net_slot *s = (struct net_slot *)net_at(net, net->off_slot) +
			     at % NET_WHEEL;
	uint32_t bit = at % NET_WHEEL, c;

	if (weft_unlikely(!s->first || s->used == NET_CHUNK_EVENTS)) {
		c = net_chunk_get(net);
		if (s->first)
			pool[s->last].next = c;
		else
			s->first = c;
		s->last = c;
		s->used = 0;
		net->map[bit / 64] |= 1ull << bit % 64;
		net->map_top[bit / 4096] |= 1ull << bit / 64 % 64;
	}
	pool[s->last].event[s->used++] = word;
}
/* Puts an event into tick at, which must not have been run. */
static inline void net_wheel_push(struct net *net, uint64_t at, uint64_t word)
{
	assert(at >= net->tick);
	net->pending++;
	if (weft_likely(at < net->tick + NET_WHEEL))
		net_slot_push(net, at, word);
	else
		net_wheel_far(net, at, word);
}
/* First tick that has events, or NET_NEVER. */
uint64_t net_wheel_next(const struct net *net);
/* A tick's events: end[kind] is where the kind's words end. */
struct net_batch {
	const uint64_t *word;	 /* kinds that commute, one after the other */
	uint32_t end[NET_EV_SORTED];
	const uint64_t *sorted;	 /* the others */
	uint32_t count;
	const struct net_call *call; /* sorted by time */
	uint32_t calls;
};
/* Takes the events of tick net->tick out of the wheel. */
void net_wheel_take(struct net *net, struct net_batch *b);

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
/* Sets want and det of a packet at node that is not its last. */
void net_road_look(const struct net *net, struct net_packet *p,
		   uint32_t node);
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

/* net_router.c: receivers, senders, arbitration. */
void net_router_arrive(struct net_step *s, uint64_t word);
/* A packet has become the head of an injection FIFO. */
void net_router_offer(struct net_step *s, unsigned fifo, uint32_t pi);
/* Serves ports that something has changed for. */
void net_router_serve(struct net_step *s);

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

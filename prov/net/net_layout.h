/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Memory layout of the model: one block, with indices and offsets instead of
 * pointers.
 *
 *   struct net | nodes | slots | links | units | receivers | FIFOs | senders |
 *   members | routes | combine table | coordinates | packets | messages |
 *   events | ...
 *
 * A packet or message record is one cache line; an event is a 64-bit word.
 * Records are addressed by their index in the block, by a shift and an
 * addition. A large network is bound by memory access, so data that is used
 * together is stored together: a packet that is not blocked touches four cache
 * lines at a node (node, links, receiver, packet); its tail and its tokens
 * touch one (node).
 *
 * Index 0 of packets, messages and chunks means none. A "slot" is a position
 * whose packet may leave by more than one port: a queue of a receiver's
 * dynamic VC, the receiver's queue of dynamic packets on the bubble channel,
 * or an injection FIFO. Slots are numbered from 0 (receivers) and from
 * NET_SLOT_FIFO (injection FIFOs); each has a bit in masks of 128 bits.
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
	NET_FLOW_NONE = 0xff, /* port that is not in a ring */
	NET_READERS =
		12, /* maximum number of receivers with a read_paths limit */
	/* ticks in the timing wheel, including the current one */
	NET_WHEEL = 8192,
	/* words of a chunk: link to the previous chunk, then events */
	NET_CHUNK = 32,
	/* log2 of the nodes per region, whose data fits the cache */
	NET_REGION_SHIFT = 12,
	/* maximum number of combinations of link latencies */
	NET_HOPS_MAX = 64,
	/* contributions of a node to one packet of a collective */
	NET_SHARE_MAX = 1024,
	NET_RATES_MAX = 8,
	/*
	 * Packet formats on the wire: 0 is the common format; a path with its
	 * own header length has its own format; the last formats are the
	 * acknowledgement and the error response.
	 */
	NET_FORM_ACK = NET_PATHS_MAX + 1,
	NET_FORM_ERROR,
	NET_FORMS,
	NET_PAYLOAD_CHUNKS = 128,
	NET_RETRY_TICKS = 64, /* retry interval when the packet pool is empty */
	NET_CALLBACK_TICKS = 65536,
	NET_ROUTE_MAX = 56, /* maximum number of ports in a source route */
	NET_VCS = 8,	    /* VCs that an event word can name */
	/* virtual channels of a network of switches; VC 0 is not used */
	NET_CLASSES_OF_LINK = 6,
};

/* ---- records in the block ------------------------------------------------ */

enum {
	NET_P_DYN = 1,	   /* may leave by any port of its zone */
	NET_P_DEPOSIT = 2, /* every node on the line keeps a copy */
	NET_P_STAY = 4,	   /* stays on the bubble channel once it is there */
	NET_P_NETERR = 4,  /* with NET_P_ACK: a network error message */
	NET_P_FP = 8,	   /* class route: floating point */
	NET_P_SPREAD = 8,  /* not on a class route: link selected per packet */
	NET_P_LAST = 16,   /* last packet of its message */
	NET_P_ERROR = 16,  /* with NET_P_ACK: response to a discarded packet */
	NET_P_ACK = 32,	   /* acknowledgement on the return path */
	NET_P_ROUTED = 64, /* the message has a source route */
	/* the target discards the packet (net_fault_link.c) */
	NET_P_BAD = 128,
};

struct net_packet {
	/* dynamic packets: mask of the ports that the packet may use */
	uint64_t want;
	union {
		uint64_t cookie; /* class route: the caller's value */
		struct {
			/*
			 * in the head packet of a queue: last packet of the
			 * queue
			 */
			uint32_t last;
			/*
			 * ticks from the arrival of the head to that of the
			 * tail; 0: the whole packet is at the node. Set only
			 * with NET_RARE_TAIL.
			 */
			uint32_t tail;
		};
	};
	/* class route: sequence number; other packets: offset in the message */
	uint64_t seq;
	uint32_t next;	/* next packet in its queue */
	uint32_t msg;	/* message record; class route: target member */
	uint32_t since; /* tick of arrival at this node */
	uint32_t dst;	/* target node */
	uint16_t bytes;
	uint16_t frac; /* picoseconds after the start of the tick */
	union {
		/* remaining hops per dimension, signed */
		int8_t rem[NET_DIMS_MAX];
		struct {
			/* networks of switches: 1: only downward links left */
			uint8_t down;
			/* virtual channel of the next link, from 0 */
			uint8_t class;
		};
		struct {
			uint8_t query_kind; /* class route: kind of the query */
			uint8_t answer;
		};
	};
	/* torus: mask of dimensions with hops left; others: hops done */
	uint8_t left;
	uint8_t vc;  /* VC in which the packet is queued */
	uint8_t det; /* port in dimension order */
	uint8_t chunks;
	uint8_t flags;
	uint8_t zone;
	uint8_t in; /* port of arrival */
	/* class route: enum net_coll, net_kind; otherwise format */
	uint8_t kind;
	union {
		/* class route: inputs so far, or copies left */
		uint16_t count;
		uint16_t link_hash; /* hash that selects a parallel link */
	};
	union {
		/* class route: packet whose buffer a copy uses */
		uint32_t holder;
		uint32_t dirs; /* torus: direction in each dimension */
		/* networks of switches: intermediate switch plus one, or 0 */
		uint32_t via;
	};
};

static_assert(sizeof(struct net_packet) == 64, "a packet is a cache line");

struct net_list {
	uint32_t head, tail;
};

/* Lists of packets that wait for a sender, highest priority first. */
enum net_wait {
	NET_WAIT_DOWN,
	NET_WAIT_UP,
	/*
	 * two lists per VC except VC 0: packets that stay in a ring, and
	 * packets that enter it
	 */
	NET_WAIT_DET,
	NET_WAITS = NET_WAIT_DET + 6,
};

/*
 * The link of a port in one word: node and port at the other end, and the index
 * of its latencies in net->hop. In memory a node's links are followed by its
 * tokens of the deterministic VCs, VC by VC.
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
	uint16_t frac; /* picoseconds in addition to ticks */
	/* time in which tokens return to the sender, ticks */
	uint8_t token_ticks;
	uint8_t need; /* tokens that a packet needs to enter the ring */
	uint8_t rate; /* index into net->rate and net->len */
	uint8_t store_forward;
};

/* The sender of a port, and the packets that wait for the port. */
struct net_out {
	/* cache line 0 (line 1: deterministic packets, class routes) */
	uint64_t dyn[2]; /* slots that request VC 0 of this port */
	/* slots that request the bubble channel of this port */
	uint64_t esc[2];
	/* per VC: mask of the injection FIFOs whose head waits for this port */
	uint16_t inject[4];
	/* round-robin position: the slot after the last slot served */
	uint8_t rr;
	/* number of grants to packets from links while injection waited */
	uint8_t share;
	uint8_t waits; /* mask of the lists that are not empty */
	/* round-robin bits: 1 deterministic/dynamic, 2 ring entry, 4 system */
	uint8_t rr_bits;
	uint8_t vcs;	 /* mask of the VCs for which an injection FIFO waits */
	uint8_t channel; /* wormhole: channel that was served last */
	uint8_t pad[2];
	/* counts of packets on class routes or with a special header */
	uint32_t packets_coll;
	uint32_t chunks_coll;
	uint64_t busy_coll; /* link time of packets_coll, ticks */
	/* cache line 1 */
	struct net_list list[NET_WAITS];
};

static_assert(sizeof(struct net_out) == 128, "two lines");

struct net_in {
	uint32_t head[NET_QUEUES_MAX];
	uint8_t len[NET_QUEUES_MAX];
	/* waiting time of all packets that have left, ticks */
	uint64_t wait_ticks;
	uint64_t free_ps; /* time at which the reception engine becomes free */
	uint32_t received;
	uint32_t chunks; /* number of payload chunks of received packets */
};

static_assert(sizeof(struct net_in) == 64, "a line");

/* An injection engine and its network FIFO. */
struct net_fifo {
	uint64_t free_ps; /* completion time of the engine's last packet */
	uint32_t head;	  /* first packet in the network FIFO */
	/* circular list of the messages at the heads of FIFOs in memory */
	uint32_t ring;
	uint32_t last; /* FIFO in memory served last */
	uint32_t msg;  /* message being packetized, or 0 */
	uint32_t count;
	/* free_ps minus the completion time of the previous packet */
	uint32_t ahead_ps;
};

static_assert(sizeof(struct net_fifo) == 32, "two to a line");

struct net_node {
	uint64_t busy; /* mask of the ports that are sending a packet */
	/* mask of the ports for which packets may be waiting */
	uint64_t waiting;
	uint64_t active; /* bytes of the messages in progress at this node */
	/* mask of the receivers whose VC 0 has no free read path */
	uint16_t shut;
	uint16_t mark; /* index in net_step.mark; 0: none */
	/* per receiver: number of packets that are leaving VC 0 */
	uint8_t reading[NET_READERS];
	uint8_t rr;
	uint8_t pad;
	uint16_t room[]; /* tokens of VC 0, per port */
};

static_assert(offsetof(struct net_node, room) == 42, "11 ports in a line");

/* State changes of a node in this tick, recorded until its ports are served. */
struct net_mark {
	uint64_t fresh[2]; /* slots with a new head */
	uint64_t dirty;	   /* mask of the ports to serve */
	uint32_t node;
	uint32_t head; /* slot that may be served first; NET_SLOT_FIFO: none */
};

/* Classes of packets with a reception engine of their own (torus_fifos). */
enum net_class { NET_CLASS_HIGH, NET_CLASS_SYS, NET_CLASS_COLL, NET_CLASSES };

/* The network interface of a node. */
struct net_nic {
	/* time at which the memory becomes free; used when the L2 overflows */
	uint64_t memory_ps;
	/* tick at which the ALU of class routes is free */
	uint64_t alu_tick;
	/* class routes: contributions queued at the engine */
	struct net_list part;
	/* completion time of the engine's last contribution */
	uint64_t part_ps;
	uint32_t part_busy;
	/* circular list of the FIFO heads with NET_MREC_MAPPED */
	uint32_t mapped;
	/* times at which the reception engine of each class becomes free */
	uint64_t class_ps[NET_CLASSES];
	uint64_t bus_ps[NET_BUSES_MAX]; /* time at which each bus is free */
	/* number of packets and messages that are not acknowledged yet */
	uint32_t outstanding, transactions;
	uint64_t
		thread_ps; /* time at which the interface's processor is free */
};

/* A message or a timer. */
struct net_mrec {
	/* payload bytes and target word (net_mrec_bytes(), net_mrec_word()) */
	uint64_t bytes_word;
	/* caller's value; NET_M_ACKED: record that counts acknowledgements */
	uint64_t cookie;
	/* message: earliest start of the engine; timer: time of the callback */
	uint64_t ready_ps;
	uint32_t cut;  /* number of packets built so far */
	uint32_t left; /* number of packets not delivered yet */
	uint32_t src, dst;
	uint16_t fifo;
	uint8_t path : 4;
	uint8_t path_in : 4; /* index of the path at the target */
	uint8_t rail : 4;    /* rail plus one; 0: none */
	uint8_t fate : 4;    /* NET_FATE_* */
	/* next record in the FIFO in memory or in the free list */
	uint32_t next;
	uint32_t last; /* head of a FIFO in memory: last message of that FIFO */
	/* head of a FIFO in memory: next FIFO head that the engine serves */
	uint32_t ring;
	/*
	 * torus: hops per dimension; with NET_MREC_ROUTED: index of the record
	 * that holds the source route
	 */
	int8_t rem[NET_DIMS_MAX];
	uint8_t flags;	 /* NET_P_* flags of the packets, NET_M_SEEN */
	uint8_t vc_zone; /* VC, zone << 4 and NET_MREC_* flags */
};

#define NET_MESSAGE_MAX (1ull << 40)
#define NET_M_SEEN	0x80 /* counted in the working set of the target */
#define NET_M_ACKED	0x40 /* packets are acknowledged */
#define NET_MREC_ROUTED 0x80 /* packets have a source route */
/* packets use all network FIFOs of the mask in net_mrec_word() */
#define NET_MREC_MAPPED 0x40
/* retransmitted or rerouted; packets may be out of order */
#define NET_FATE_RESENT 1
#define NET_FATE_LOST	2 /* a packet is lost */
#define NET_FATE_BUILT	4 /* NET_MREC_MAPPED: an engine builds a packet */

static_assert(sizeof(struct net_mrec) == 64, "a message is a cache line");

enum { NET_WORD_SHIFT = 48 };

static_assert(NET_MESSAGE_MAX < 1ull << NET_WORD_SHIFT, "both fit");

static inline uint64_t net_mrec_bytes(const struct net_mrec *m)
{
	return m->bytes_word & ((1ull << NET_WORD_SHIFT) - 1);
}
/*
 * Returns the lower 16 bits of the target address in words. A word is
 * net_path_page() bytes if buses have address caches, otherwise 8 bytes.
 */
static inline uint32_t net_mrec_word(const struct net_mrec *m)
{
	return (uint32_t)(m->bytes_word >> NET_WORD_SHIFT);
}

/* A source route, stored in a message record. */
struct net_route {
	uint8_t port[NET_ROUTE_MAX];
};

static_assert(sizeof(struct net_route) <= sizeof(struct net_mrec), "fits");

/* Returns the index of the record that holds the source route of a message. */
static inline uint32_t net_mrec_route(const struct net_mrec *m)
{
	uint32_t ri;

	memcpy(&ri, m->rem, sizeof(ri));
	return ri;
}

/* A node of a class route. */
struct net_member {
	uint32_t route;	 /* route index plus one; 0: free */
	uint32_t parent; /* member index of the parent; 0: root */
	uint32_t child;	 /* member index of the first child */
	uint32_t next;	 /* member index of the next sibling */
	uint32_t share;
	uint8_t children;
	uint8_t port_up;     /* port of this node towards the parent */
	uint8_t port_down;   /* port of the parent towards this node */
	uint8_t credit_up;   /* packets that may be sent to the parent */
	uint8_t credit_down; /* packets that the parent may send to this node */
	uint8_t barrier;     /* 1: the route has a barrier class */
	uint8_t channel;     /* coll_shared: collective channel, 0 or 1 */
	uint8_t system;	     /* with coll_shared, 1: a route of the system */
	struct net_list up;  /* packets that wait for credit_up */
	/* packets at the parent that wait for credit_down */
	struct net_list down;
	/*
	 * barriers by query: this member has arrived at all barriers with lower
	 * sequence numbers
	 */
	uint64_t flag;
};

/* Collective channels of a link whose tokens routes share (coll_shared). */
struct net_coll_link {
	uint8_t used[2]; /* number of tokens in use */
	uint8_t next[2]; /* route entry that is served next */
};

struct net_tree_rec {
	uint32_t root; /* member index of the root; 0: free */
	uint32_t count;
	/* first contributing member; it sends the queries of barriers */
	uint32_t query_source;
	uint32_t contributors;
};

/* Routing methods; NET_STEER_TORUS is the fast path. */
enum net_routing {
	NET_STEER_TORUS,
	NET_STEER_SHARED,
	NET_STEER_TREE,
	NET_STEER_IO,	    /* torus with I/O nodes */
	NET_STEER_SWITCHED, /* networks of switches */
};

/* ---- header of the block ------------------------------------------------- */

struct net_heap_event {
	uint64_t tick;
	uint64_t word;
};

/* A callback, to be sorted by time. */
struct net_call {
	uint64_t time_ps;
	uint64_t word;
	uint64_t key; /* order of callbacks with equal time, node and port */
};

struct net {
	uint64_t magic;
	uint64_t bytes;
	struct net_config cfg;
	/* topology */
	uint32_t nodes; /* number of nodes and switches */
	/* nodes with an interface; they have the lowest numbers */
	uint32_t ends;
	uint32_t ports;
	/* queues per receiver: dyn_queues, plus the bubble queue on a torus */
	uint32_t queues;
	/* 1: dynamic packets may use the bubble channel */
	uint32_t has_escapes;
	uint32_t qshift; /* log2 of the slots per receiver */
	/* 1: the state exceeds the cache, so cache lines are prefetched */
	uint32_t large;
	/* regions of nodes that are processed one after another */
	uint32_t regions;
	uint32_t lanes; /* number of event lists per tick */
	uint32_t steer; /* enum net_routing */
	/*
	 * shared routers: first port that leads to a node; or the port to the
	 * I/O node
	 */
	uint32_t down;
	uint32_t packets_max, msgs_max, members_max, routes_max, combine_mask;
	uint32_t chunks_max, heap_max, events_max;
	struct net_fat fat; /* trees only: shape of the tree */
	/* torus: direction masks, by the mask of dimensions with hops left */
	uint16_t det_dirs[1 << NET_DIMS_MAX];
	uint16_t zone_dirs[NET_ZONES][1 << NET_DIMS_MAX];
	/*
	 * torus: ports of each direction; without parallel links, port numbers
	 * and direction numbers are equal
	 */
	uint32_t parallel; /* 1: several links to a neighbour */
	uint64_t dir_ports[2 * NET_DIMS_MAX];
	uint8_t dir_first[2 * NET_DIMS_MAX];
	uint8_t dir_links[2 * NET_DIMS_MAX];
	/* direction of each port, or NET_FLOW_NONE */
	uint8_t flow[NET_PORTS_MAX];
	/* mask of the bubble queues in the ring of each port */
	uint64_t ring[NET_PORTS_MAX][2];
	/* offsets from the start of the block, and strides */
	uint64_t off_link, off_unit, off_in, off_fifo, off_out;
	uint64_t off_member, off_route, off_combine, off_slot, off_dead;
	uint32_t rare; /* NET_RARE_* features of this machine */
	/* offsets of shared tokens and of look-ahead state; 0: none */
	uint64_t off_pool, off_ahead;
	uint64_t off_coord, off_heap, off_mark, off_sort, off_words, off_row;
	/* tiles: packets in row buffers, per port */
	uint64_t off_queued;
	/* earliest time of the next control word, per link */
	uint64_t off_control;
	uint64_t off_counters; /* counters of ports; 0: none */
	uint64_t off_table;    /* routing tables of switches; 0: none */
	uint64_t off_worm;     /* channels of links (cfg.wormhole); 0: none */
	/* networks of switches: tables, and packets behind each port */
	uint64_t off_paths, off_load;
	uint32_t switch_phases; /* phases of the tables */
	uint64_t off_parts;	/* parts of buses; 0: none */
	uint64_t off_coll;	/* struct net_coll_link of each port; 0: none */
	/* index of the first record of each pool, minus one */
	uint32_t first_packet, first_msg, first_chunk;
	uint32_t node_stride, link_stride;
	uint32_t words; /* address cache entries of a node's buses */
	/* values derived from the configuration */
	/* link rates, as in net_config.link_ps_per_byte_x1000 */
	uint64_t rate[NET_RATES_MAX];
	uint32_t rates;
	/* link time of a packet in ticks, by rate and chunks */
	uint16_t len[NET_RATES_MAX][NET_PAYLOAD_CHUNKS + 1];
	uint16_t form_len[NET_FORMS][NET_RATES_MAX][NET_PAYLOAD_CHUNKS + 1];
	/* maximum number of tokens of any link, per VC */
	uint32_t tokens_most[NET_VCS];
	uint32_t vcs; /* number of VCs with tokens, including VC 0 */
	/* tokens of VC 0 that a packet takes, by chunks */
	uint16_t cost[NET_PAYLOAD_CHUNKS + 1];
	struct net_hop hop[NET_HOPS_MAX];
	uint32_t hops_used;
	/* state */
	uint64_t tick; /* next tick to run */
	uint64_t events, hops, injected, delivered, escapes, hash;
	uint64_t off_fault; /* offset of the fault state; 0: no fault plan */
	uint64_t off_fault_line, off_fault_link, off_fault_node, off_fault_hold;
	/* number of dead links and nodes around which packets are routed */
	uint32_t detour;
	/* 1: outstanding packets or messages are limited */
	uint32_t limited;
	uint64_t timers;
	uint64_t copies; /* packet records that are copies (deposit) */
	uint64_t parts;	 /* class routes: number of packet records in use */
	/* class routes: results dropped at nodes that do not contribute */
	uint64_t filtered;
	uint64_t mapped; /* messages with NET_MREC_MAPPED not yet built */
	uint64_t late;	 /* sends whose time was too far in the past */
	/* number of packets out of order despite deterministic routing */
	uint64_t disorder;
	uint64_t excess; /* token counts below zero or above the maximum */
	/* heads of the free lists */
	uint32_t free_packet, free_msg, free_chunk;
	/* highest record index used so far */
	uint32_t fresh_packet, fresh_msg, fresh_chunk;
	uint32_t used_packets, used_msgs;
	/* number of events in the heap, beyond the range of the wheel */
	uint32_t overflow_count;
	uint32_t routes; /* number of open class routes */
	/*
	 * number of dead links, and of the dead links that all routing tables
	 * take into account
	 */
	uint32_t deaths, renewed;
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
/* Returns the tokens of a deterministic VC of each port. */
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

/* Trees: returns for each node a mask of the ports whose link is dead. */
static inline uint64_t *net_dead(const struct net *net)
{
	return net_at(net, net->off_dead);
}

/* Returns the waiting time behind each port, in tokens. */
static inline uint16_t *net_port_delay(const struct net *net, uint32_t node)
{
	return (uint16_t *)net_at(net, net->off_ahead) +
	       (uint64_t)node * net->ports;
}

/*
 * Networks of switches: returns the number of packets that wait for each port
 * of a switch or are in the buffer behind the port.
 */
static inline uint16_t *net_port_load(const struct net *net, uint32_t node)
{
	return (uint16_t *)net_at(net, net->off_load) +
	       (uint64_t)(node - net->ends) * net->ports;
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

/* The current tick and the current node. */
struct net_step {
	struct net *net;
	const struct net_up *up;
	void *arg;
	uint64_t now; /* current tick */
	/* nodes of the region that changed in this tick; index 0 is unused */
	struct net_mark *mark;
	uint32_t marks;
	uint32_t id; /* current node, to which the fields below belong */
	struct net_node *node;
	const uint32_t *link;
	struct net_in *in;
	uint64_t dirty;	   /* mask of the ports to serve */
	uint64_t fresh[2]; /* slots with a new head */
	bool part;	   /* 1: the engine of class routes may start */
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

/* Returns the record of a node's changes in this tick. */
static inline struct net_mark *net_mark(struct net_step *s, struct net_node *n,
					uint32_t id)
{
	if (!n->mark) {
		n->mark = (uint16_t)++s->marks;
		s->mark[n->mark] = (struct net_mark){ .node = id };
	}
	return &s->mark[n->mark];
}

static inline const struct net_hop *net_link_hop(const struct net *net,
						 uint32_t link)
{
	return &net->hop[link & (NET_HOPS_MAX - 1)];
}
static inline const struct net_hop *net_hop(const struct net_step *s,
					    unsigned port)
{
	return net_link_hop(s->net, s->link[port]);
}

/*
 * Bounds the steps of a list traversal: in a block that another process has
 * overwritten, a cyclic list would hang the model. On failure, control returns
 * to the caller's guard (src/os/guard.h).
 */
static inline void net_walk_check(bool condition)
{
	if (weft_unlikely(!condition))
		weft_guard_fail("the network model's memory is corrupt");
}

/* ---- helpers ------------------------------------------------------------- */

/* Returns the link time, in ticks, of a packet with this payload. */
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
/* Returns the tokens that a packet takes: its buffer space at the receiver. */
static inline uint32_t net_cost(const struct net *net, uint32_t chunks,
				unsigned vc)
{
	return vc && !net->off_pool ? 1 : net->cost[chunks];
}

/* Features that few machines have; one test on the fast path covers all. */
enum {
	NET_RARE_SHARED = 1,	 /* shared tokens */
	NET_RARE_AHEAD = 2,	 /* returned tokens report waiting times */
	NET_RARE_WORDS = 32,	 /* tokens return in control words */
	NET_RARE_SWITCHED = 256, /* networks of switches */
	NET_RARE_TOKENS = NET_RARE_SHARED | NET_RARE_AHEAD | NET_RARE_WORDS |
			  NET_RARE_SWITCHED,
	NET_RARE_FAULTS = 4,
	/*
	 * net_packet.tail is set: links have several rates, or
	 * store-and-forward links exist or may be created by a fault plan
	 */
	NET_RARE_TAIL = 8,
	/* tiled routers (cfg.columns) or cfg.system_alternate */
	NET_RARE_ROUTER = 16,
	NET_RARE_COUNT = 64, /* counters of ports per VC */
	NET_RARE_WORM = 128, /* wormhole switching, with NET_RARE_SHARED */
};

/* Shared tokens in use at a port, per channel. */
struct net_pool {
	uint16_t used[4];
};
static inline struct net_pool *net_pool(const struct net *net, uint32_t node,
					unsigned port)
{
	return (struct net_pool *)net_at(net, net->off_pool) +
	       (uint64_t)node * net->ports + port;
}
/* Returns the private tokens of a VC plus the unused shared tokens. */
static inline uint32_t net_pool_left(const struct net *net, uint32_t node,
				     unsigned port, unsigned vc)
{
	const struct net_pool *p = net_pool(net, node, port);
	uint32_t shared = net->cfg.tokens_shared, own, i;

	for (i = 0; i < 4; i++) {
		own = net_channel_tokens(&net->cfg, i);
		shared -= p->used[i] > own ? p->used[i] - own : 0;
	}
	i = net_channel(vc);
	own = net_channel_tokens(&net->cfg, i);
	return shared + (p->used[i] < own ? own - p->used[i] : 0);
}

static inline uint32_t net_tokens(const struct net *net, uint32_t node,
				  unsigned port, unsigned vc)
{
	if (vc && weft_unlikely(net->off_pool))
		return net_pool_left(net, node, port, vc);
	return vc ? net_det_tokens(net, node, vc)[port]
		  : net_node(net, node)->room[port];
}

#endif

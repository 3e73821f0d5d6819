/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Internal interface of the net_fault files, and the functions that the rest
 * of the model calls. The fault state is at the end of the model's block, and
 * exists only with a fault plan.
 *
 *   struct net_faults | lines of the fault plan | links | nodes
 */
#ifndef WEFT_NET_FAULT_INT_H
#define WEFT_NET_FAULT_INT_H

#include "prov/net/fault/net_fault.h"
#include "prov/net/net_layout.h"

#include "prov/code/code_crc.h"
#include "prov/code/code_rs.h"

enum {
	NET_FAULT_PORT = 63, /* port number in the events of faults */
	/* maximum number of transmissions of a packet on a link */
	NET_FAULT_TRIES = 1024,
	NET_FAULT_WIRE = 8192, /* largest packet on the wire, bytes */
};

/*
 * Flag in the payload of a fault event: the payload is the number of a node
 * whose interface has halted, not the number of a fault.
 */
#define NET_FAULT_HALT (1u << 29)

/* Fields of net_packet.dirs above the bits that a torus uses. */
#define NET_RESENDS_SHIFT  16 /* retransmissions, 10 bits */
#define NET_RESENDS_MAX	   1023u
#define NET_TIMEOUTS_SHIFT 26 /* timeouts on dead links, 5 bits */
#define NET_TIMEOUTS_MAX   31u
/* flag: the packet is lost, and its source waits for a timeout */
#define NET_PACKET_LOST	   (1u << 31)

enum net_fault_state {
	NET_LINK_UP,
	NET_LINK_UNDETECTED, /* dead, not yet detected */
	/* dead and detected: packets sent on the link are lost */
	NET_LINK_DEAD,
};

/* State of one direction of a link, stored at its sender. */
struct net_fault_link {
	uint64_t ber; /* error probability per bit, times 2^64 */
	uint64_t tries;
	uint64_t retry_ticks;
	uint64_t rate; /* inverse rate without temporary faults */
	uint32_t bad, escaped, detours, retries;
	/*
	 * CRCs of all user packets and of all system packets, each at the
	 * sender and at the receiver
	 */
	uint32_t crc[2][2];
	uint32_t word[2]; /* link word: without the temporary fault, with it */
	uint16_t burst;
	uint8_t state; /* enum net_fault_state */
	uint8_t spare; /* 1: a spare fibre carries the parity of the others */
	/*
	 * number of packets that the link still has to send store-and-forward
	 */
	uint32_t whole;
};

struct net_fault_node {
	uint64_t memory; /* error probability per word read, times 2^64 */
	uint64_t reads;
	uint32_t corrected;
	uint32_t slow; /* slowdown factor times 1000; 0: not slow */
	/* list of missing packets and of the packets that wait for them */
	uint32_t order_list;
	uint8_t dead;
	uint8_t pad[3];
};

/* Entry of a packet in the order list of its target (net_fault_hold.c). */
struct net_fault_hold {
	uint32_t next;
	uint32_t src;
	uint8_t vc;
	uint8_t on;    /* 1: in the order list of the target */
	uint8_t ready; /* 1: the packet has arrived */
	uint8_t pad;
};

/* Kind of object that a fault applies to. */
enum net_fault_object {
	NET_FAULT_ON_CLASS,
	NET_FAULT_ON_LINK,
	NET_FAULT_ON_NODE,
	NET_FAULT_ON_RAIL,
};

#define NET_CLASS_ANY	  0xffu
#define NET_CLASS_OPTICAL 0xfeu
#define NET_CLASS_COPPER  0xfdu

/* A fault: one line of the fault plan. */
struct net_fault_line {
	uint64_t at_ps, for_ps;
	/* probability times 2^64, factor times 1000, or count, by kind */
	uint64_t value;
	uint32_t node;
	uint8_t kind;	/* enum weft_fault_plan_kind */
	uint8_t target; /* enum net_fault_object */
	uint8_t class;	/* class of links, NET_CLASS_* */
	uint8_t both;	/* 1: applies to both directions of the link */
	uint8_t link;	/* number of the link in the class; 0xff: all links */
	uint8_t pad[3];
};

struct net_faults {
	uint64_t seed;
	uint64_t stall_ps; /* no packet is built before this time */
	uint32_t count;	   /* number of faults */
	uint32_t free;	   /* 1: held packets are being delivered */
	struct net_fault_count sum;
	struct weft_code_crc crc;      /* packet CRC */
	struct weft_code_crc link_crc; /* link CRC */
	struct weft_code_rs rs;	       /* Reed-Solomon code of a packet */
	struct weft_code_rs end_rs;
	struct weft_code_rs fec;
};

static inline struct net_faults *net_faults(const struct net *net)
{
	return net_at(net, net->off_fault);
}
static inline struct net_fault_line *net_fault_lines(const struct net *net)
{
	return net_at(net, net->off_fault_line);
}
static inline struct net_fault_link *
net_fault_link(const struct net *net, uint32_t node, unsigned port)
{
	return (struct net_fault_link *)net_at(net, net->off_fault_link) +
	       (uint64_t)node * net->ports + port;
}
static inline struct net_fault_node *net_fault_node(const struct net *net,
						    uint32_t node)
{
	return (struct net_fault_node *)net_at(net, net->off_fault_node) + node;
}
static inline struct net_fault_hold *net_fault_hold(const struct net *net,
						    uint32_t pi)
{
	return (struct net_fault_hold *)net_at(net, net->off_fault_hold) + pi -
	       net->first_packet;
}
/* Replaces a failed fibre by the spare fibre of the link, or puts it back. */
static inline void net_fault_spare_use(const struct net *net,
				       const struct net_fault_line *line,
				       struct net_fault_link *l, bool on)
{
	if (line->kind == WEFT_FAULT_LANES && net->cfg.care.spare_bytes)
		l->spare = !on;
}
static inline bool net_fault_is_dead(const struct net *net, uint32_t node,
				     unsigned port)
{
	return net_fault_link(net, node, port)->state == NET_LINK_DEAD;
}

/* net_fault_bits.c */

/* Result of the check of a packet on a link. */
enum net_fault_found {
	NET_FOUND_GOOD,
	NET_FOUND_BAD,	  /* detected by the packet code */
	NET_FOUND_HEADER, /* detected by the header code */
	NET_FOUND_AT_END, /* detected by the end-to-end code, at the target */
	NET_FOUND_MISSED,
};
/*
 * Generates the bit errors of the n-th packet on link `id`, and returns whether
 * they are detected. Unless the result is NET_FOUND_GOOD, the error bits are
 * set in `wrong`, which has NET_FAULT_WIRE bytes.
 */
enum net_fault_found net_fault_bits_draw(const struct net *net,
					 const struct net_fault_link *l,
					 uint64_t id, uint64_t n,
					 uint32_t bytes, uint8_t *wrong);
/* Corrects those blocks of the packet that FEC can correct. */
void net_fault_bits_correct(const struct net *net, uint8_t *wrong,
			    uint32_t bytes);
/*
 * Returns the index of the first of `count` items that has an error, or
 * `count`. p: error probability per item; draw: the random number.
 */
uint32_t net_fault_error_first(uint64_t draw, uint64_t p, uint32_t count);
/*
 * Generates memory errors for reading this number of bytes. Returns the number
 * of uncorrectable words.
 */
uint32_t net_fault_memory_read(const struct net *net, uint32_t node,
			       uint32_t bytes);

/*
 * net_fault_crc.c: adds a packet that was accepted to the CRCs of both ends of
 * its link. wrong: its error bits; NULL: none.
 */
void net_fault_crc_update(const struct net *net, struct net_fault_link *l,
			  const struct net_packet *p, unsigned vc,
			  uint32_t bytes, const uint8_t *wrong);

/* net_fault_name.c: finds the object of a fault. Returns an error or NULL. */
const char *net_fault_object_parse(const struct net *net,
				   const struct weft_fault_entry *f,
				   struct net_fault_line *line);
/*
 * Returns whether a link is between midplanes, or its cable is at least
 * care.fibre metres long.
 */
bool net_fault_is_optical(const struct net *net, uint32_t node, unsigned port);
/* Returns whether the fault applies to this direction of a link. */
bool net_fault_line_applies(const struct net *net,
			    const struct net_fault_line *line, uint32_t node,
			    unsigned port);

/* net_fault_time.c */
enum net_fault_phase { NET_FAULT_BEGINS, NET_FAULT_DETECTED, NET_FAULT_ENDS };

/* Schedules the start, detection or end of a fault at one node. */
void net_fault_phase_schedule(struct net *net, uint32_t node, uint64_t at,
			      enum net_fault_phase phase, uint32_t line);
/* Returns whether a fault applies to this link in at least one direction. */
bool net_fault_line_affects(const struct net *net,
			    const struct net_fault_line *line, uint32_t node,
			    unsigned port);
bool net_fault_is_failure(unsigned kind);
void net_fault_set_class(struct net *net, const struct net_fault_line *line,
			 bool on);
void net_fault_set_node(struct net *net, const struct net_fault_line *line,
			bool on);
void net_fault_link_fail(struct net *net, uint32_t node, unsigned port);
/* Marks a node without a live link as dead, and counts it. */
void net_fault_node_update(struct net *net, uint32_t node);
void net_fault_halt(struct net_step *s);

/* net_fault_hold.c: delivers packets in order when one is retransmitted. */
void net_fault_order_wait(struct net *net, uint32_t pi);
/*
 * Removes a lost packet from the order list, and delivers the packets behind
 * it.
 */
void net_fault_order_skip(struct net_step *s, const struct net_call *c,
			  uint32_t pi, uint32_t node);

/* ---- calls from the rest of the model ------------------------------------ */

#define NET_FAULT_LOST UINT32_MAX

/* net_run.c: reserves space for fault state */
uint64_t net_fault_layout(struct net *net, const struct net_config *cfg,
			  uint64_t off);
void net_fault_init(struct net *net);
/* net_nic.c: handles the start, detection or end of a fault */
void net_fault_phase_run(struct net_step *s, uint64_t word);
/*
 * Returns when a slow or halted engine completes work that takes from `start`
 * to `end` without faults.
 */
uint64_t net_fault_engine_delay(const struct net *net, uint32_t node,
				uint64_t start, uint64_t end);
/*
 * net_arbiter.c, net_tree.c: returns the ticks by which errors delay the
 * packet, or NET_FAULT_LOST; adds the link time of retries to *busy_p.
 */
uint32_t net_fault_link_send(struct net_step *s, unsigned port, unsigned vc,
			     uint32_t pi, uint32_t *busy_p);
uint32_t net_fault_coll_send(struct net_step *s, unsigned port, uint32_t pi,
			     uint32_t len);
/*
 * net_nic_in.c: returns true if the packet must wait for an earlier one, or has
 * been delivered here, with the packets that waited for it.
 */
bool net_fault_order_hold(struct net_step *s, const struct net_call *c);
/* Discards a bad packet at its target. */
void net_fault_packet_discard(struct net_step *s, const struct net_call *c);
/*
 * Repeats an acknowledgement at its sender if the packet is a network error
 * message. Returns false if it is another packet.
 */
bool net_fault_neterr_arrived(struct net_step *s, const struct net_call *c);
/*
 * Handles an error response at the source: reports the event and retransmits
 * the packet. Returns false if the packet is not an error response.
 */
bool net_fault_error_arrived(struct net_step *s, const struct net_call *c);
/*
 * Handles the loss of acknowledgement pi on the dead link of `port`, on its
 * held path.
 */
void net_fault_held_ack_lost(struct net_step *s, unsigned port, uint32_t pi);
/* net_routing.c: plans a route around dead links, at the source. */
void net_fault_route_plan(const struct net *net, const struct net_msg *msg,
			  int8_t *rem);

#endif

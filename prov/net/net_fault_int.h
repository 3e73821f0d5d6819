/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Between the files of faults, and their few hooks in the rest of the model.
 * Their memory is the end of the block, there only with a plan.
 *
 *   struct net_faults | lines of the plan | links | nodes
 */
#ifndef WEFT_NET_FAULT_INT_H
#define WEFT_NET_FAULT_INT_H

#include "prov/net/net_fault.h"
#include "prov/net/net_layout.h"

#include "prov/code/code_crc.h"
#include "prov/code/code_rs.h"

enum {
	NET_FAULT_PORT = 63,	/* of wakes that are faults, not messages */
	NET_FAULT_TRIES = 1024, /* of one packet on one link */
	NET_FAULT_WIRE = 8192,	/* bytes of a packet on the wire, at most */
};

/* Beside a node, in the place of a line: its unit has stopped. */
#define NET_FAULT_HALT (1u << 29)

/* In a packet's dirs, above what a torus keeps there. */
#define NET_AGAIN_SHIFT 16 /* times that it was sent again, 10 bits */
#define NET_AGAIN_MAX	1023u
#define NET_VOID_SHIFT	26 /* times that it came to nothing, 5 bits */
#define NET_VOID_MAX	31u
#define NET_VOID	(1u << 31) /* it is nowhere, its source waits */

enum net_fault_state {
	NET_LINK_ALIVE,
	NET_LINK_SHUT, /* dead, and nobody knows */
	NET_LINK_DEAD, /* known to be: what is sent there is gone */
};

/* One direction of a link, by its sender. */
struct net_fault_link {
	uint64_t ber; /* of each bit, of 2^64 */
	uint64_t tries;
	uint64_t retry_ticks;
	uint64_t rate; /* when no line that comes and goes is at work */
	uint32_t bad, escaped, detours, retries;
	uint32_t crc[2];  /* of all that was sent, and taken */
	uint32_t word[2]; /* the link as it is, and as a line changes it */
	uint16_t burst;
	uint8_t state; /* enum net_fault_state */
	uint8_t pad[5];
};

struct net_fault_node {
	uint64_t memory; /* a word read is wrong, of 2^64 */
	uint64_t reads;
	uint32_t corrected;
	uint32_t slow; /* times 1000; 0: not */
	uint32_t held; /* packets that others must not overtake, a list */
	uint8_t dead;
	uint8_t pad[3];
};

/* A packet in such a list, by its number; net_fault_hold.c. */
struct net_fault_hold {
	uint32_t next;
	uint32_t src;
	uint8_t vc;
	uint8_t on;    /* it is in the list of its target */
	uint8_t ready; /* it has come */
	uint8_t pad;
};

/* Whom a line is about. */
enum net_whom {
	NET_WHOM_CLASS,
	NET_WHOM_LINK,
	NET_WHOM_NODE,
	NET_WHOM_RAIL,
};

#define NET_CLASS_ANY	  0xffu
#define NET_CLASS_OPTICAL 0xfeu
#define NET_CLASS_COPPER  0xfdu

/* A line of the plan. */
struct net_fault_line {
	uint64_t at_ps, for_ps;
	uint64_t value; /* of 2^64, times 1000, or a count, by kind */
	uint32_t node;
	uint8_t kind;  /* enum weft_plan_kind */
	uint8_t whom;  /* enum net_whom */
	uint8_t class; /* of links, NET_CLASS_* */
	uint8_t both;  /* and that of the other direction */
	uint8_t link;  /* which of the class; 0xff: all */
	uint8_t pad[3];
};

struct net_faults {
	uint64_t seed;
	uint64_t stall_ps; /* nobody builds packets before */
	uint32_t count;	   /* of lines */
	uint32_t free;	   /* what is held is let go now */
	struct net_fault_count sum;
	struct weft_code_crc crc;      /* by its tables alone */
	struct weft_code_crc link_crc; /* likewise */
	struct weft_code_rs rs;	       /* the packet's */
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
static inline bool net_fault_is_dead(const struct net *net, uint32_t node,
				     unsigned port)
{
	return net_fault_link(net, node, port)->state == NET_LINK_DEAD;
}

/* net_fault_hit.c: wrong bits, and who finds them. */

/* What a packet's bits came to on a link. */
enum net_fault_found {
	NET_FOUND_GOOD,
	NET_FOUND_BAD,	  /* by the code of packets */
	NET_FOUND_HEADER, /* by that of headers */
	NET_FOUND_LATE,	  /* by that which the last node looks at */
	NET_FOUND_NOT,
};
/* A packet of so many bytes, the n-th of this link. */
enum net_fault_found net_fault_bits(const struct net *net,
				    const struct net_fault_link *l, uint64_t id,
				    uint64_t n, uint32_t bytes);
/* Blocks of a packet that a code which corrects can mend, mended. */
void net_fault_mend(const struct net *net, uint8_t *wrong, uint32_t bytes);
/* The first of count that goes wrong by this draw, or count. */
uint32_t net_fault_first(uint64_t draw, uint64_t p, uint32_t count);
/* A packet of so many bytes is read from memory; words that are beyond help. */
uint32_t net_fault_words(const struct net *net, uint32_t node, uint32_t bytes);

/* net_fault_name.c: who a line is about. NULL, or what is wrong. */
const char *net_fault_whom(const struct net *net,
			   const struct weft_plan_fault *f,
			   struct net_fault_line *line);
/* Whether a link is one that the line is about. */
bool net_fault_meant(const struct net *net, const struct net_fault_line *line,
		     uint32_t node, unsigned port);

/* net_fault_time.c: what lines do. */
enum net_fault_phase { NET_FAULT_BEGINS, NET_FAULT_NOTICED, NET_FAULT_ENDS };

/* A phase of a line, for one node. */
void net_fault_push(struct net *net, uint32_t node, uint64_t at,
		    enum net_fault_phase phase, uint32_t line);
/* Whether a line means this link, by either of its ends. */
bool net_fault_concerns(const struct net *net,
			const struct net_fault_line *line, uint32_t node,
			unsigned port);
bool net_fault_is_death(unsigned kind);
void net_fault_set_class(struct net *net, const struct net_fault_line *line,
			 bool on);
void net_fault_set_node(struct net *net, const struct net_fault_line *line,
			bool on);
void net_fault_kill(struct net *net, uint32_t node, unsigned port);
/* A node that no link leads to any more is dead. */
void net_fault_count_node(struct net *net, uint32_t node);
void net_fault_halt(struct net_step *s);

/* net_fault_hold.c: a packet that comes again, and those behind it. */
void net_fault_await(struct net *net, uint32_t pi);
/* It does not come. */
void net_fault_forgo(struct net_step *s, const struct net_call *c, uint32_t pi,
		     uint32_t node);

/* ---- hooks --------------------------------------------------------------- */

#define NET_FAULT_GONE UINT32_MAX

/* net_run.c: room at the end of the block. */
uint64_t net_fault_lay(struct net *net, const struct net_config *cfg,
		       uint64_t off);
void net_fault_init(struct net *net);
/* net_nic.c: a line of the plan begins, is noticed, or ends. */
void net_fault_wake(struct net_step *s, uint64_t word);
/* When an engine that would build from start to end is done. */
uint64_t net_fault_engine(const struct net *net, uint32_t node, uint64_t start,
			  uint64_t end);
/* net_arbiter.c, net_tree.c: ticks that the packet comes later, for which the
 * link is taken, too, and *busy_p beyond; NET_FAULT_GONE: it does not. */
uint32_t net_fault_launch(struct net_step *s, unsigned port, unsigned vc,
			  uint32_t pi, uint32_t *busy_p);
uint32_t net_fault_coll(struct net_step *s, unsigned port, uint32_t pi,
			uint32_t len);
/* net_nic_in.c: true: the packet waits for one before it, or has been
 * delivered, with those behind it. */
bool net_fault_held(struct net_step *s, const struct net_call *c);
/* A packet that is not to be delivered. */
void net_fault_bad(struct net_step *s, const struct net_call *c);
/* net_steer.c: round what is dead, from the beginning. */
void net_fault_plan(const struct net *net, const struct net_msg *msg,
		    int8_t *rem);

#endif

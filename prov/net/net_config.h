/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A machine in numbers: what a machine file says, checked. Each field is a key
 * of the file; times are picoseconds.
 */
#ifndef WEFT_NET_CONFIG_H
#define WEFT_NET_CONFIG_H

#include <stdint.h>

#define NET_DIMS_MAX  6
#define NET_VC_MAX    6
#define NET_ZONES     4
#define NET_PATHS_MAX 6
#define NET_BUSES_MAX 4

enum net_topology { NET_TORUS, NET_FAT_TREE, NET_GEN_FAT_TREE };

enum net_vc {
	NET_VC_DYN,
	NET_VC_DET,
	NET_VC_HIGH,
	NET_VC_SYS,
	NET_VC_COLL0,
	NET_VC_COLL1
};

/*
 * A way from memory into the network and out of it again: what starts it takes
 * inject_ps, then an engine builds packets at its rate; at the other end an
 * engine stores them, and receive_ps later they are seen.
 */
struct net_path {
	char name[16];
	uint64_t inject_ps;  /* posted to first packet in the FIFO, less rate */
	uint64_t receive_ps; /* out of the network to visible in memory */
	uint64_t injection_ps_per_byte_x1000; /* engine, whole packets */
	uint64_t reception_ps_per_byte_x1000; /* engine, as it streams in */
	uint64_t read_ps;      /* of the engine for a packet, besides bytes */
	uint64_t gap_ps;       /* of the engine, between two messages */
	uint32_t packet_bytes; /* of data in a packet; 0: payload_bytes */
	uint32_t header_bytes; /* of its packets; 0: as the machine's */
	uint8_t bus_out;       /* shared resources it crosses, a bit each */
	uint8_t bus_in;
	uint8_t bus_ask;    /* over which it asks for what it sends, first */
	uint32_t ask_bytes; /* for each packet */
	/* of the target's memory that buses keep words of; 0: eight */
	uint32_t page_bytes;
};

/* What several paths and both directions of a node share, such as a host bus.
 */
struct net_bus {
	char name[16];
	uint64_t ps_per_byte_x1000;
	uint64_t packet_ps; /* more for each packet */
	uint32_t nodes; /* of a shared router that have it together; 0: one */
	/* a unit that keeps so many words; others take longer; 0: none */
	uint32_t words;
	uint64_t miss_ps;
};

/* Codes over what goes through a link; the last of its bits are the checks. */
enum net_code {
	NET_CODE_NONE,
	NET_CODE_RS1, /* Reed-Solomon, one check symbol of 10 bits */
	NET_CODE_RS5,
	NET_CODE_CRC16,
	NET_CODE_CRC32,
};
enum net_header_code { NET_HEADER_NONE, NET_HEADER_HAMMING };
enum net_checked { NET_CHECKED_LINK, NET_CHECKED_END };
enum net_internal { NET_INTERNAL_POISON, NET_INTERNAL_HALT };

/* What the machine does about errors; without a fault plan nobody asks. */
struct net_care {
	uint8_t code;	     /* enum net_code, of a packet */
	uint8_t header_code; /* enum net_header_code, over its first 12 bytes */
	uint8_t end_code;    /* enum net_code up to RS5, what links ignore */
	uint8_t checked;     /* enum net_checked: where code is looked at */
	uint8_t fec;	     /* 1: RS(528,514) corrects 7 symbols of a block */
	uint8_t internal;    /* enum net_internal: a word beyond correction */
	uint8_t link_crc;    /* 1: links add up all they carry, at both ends */
	uint8_t reroute;     /* 1: packets go round what is dead */
	uint8_t lanes;	     /* of a link; 0: one */
	uint16_t fibre;	     /* cables of so many metres are optical; 0: none */
	uint32_t code_span;  /* bytes that have a check of their own; 0: all */
	uint64_t retry_ps;   /* until a link sends again; 0: when it is told */
	uint64_t retrain_ps; /* a link that erred is out for so long */
	uint64_t resend_ps;  /* a unit told of a bad packet sends it again */
	uint64_t ack_timeout_ps; /* a unit told of nothing */
	uint64_t detect_ps;	 /* a dead link is known to be so */
	uint64_t quiesce_ps;	 /* nobody sends while routes are made anew */
	uint32_t resend_tries;	 /* then it waits longer, or gives up */
	uint32_t retry_alarm;	 /* of a link that are reported; 0: never */
	uint32_t ecc_alarm;	 /* corrected words of a node, likewise */
};

struct net_config {
	char name[32];
	char unit[16]; /* the network interface at a node, as mu */
	/* shape */
	uint8_t topology;		 /* enum net_topology */
	uint8_t dims;			 /* torus: dimensions; trees: levels */
	uint16_t size[NET_DIMS_MAX];	 /* torus: nodes; trees: children */
	uint16_t parents[NET_DIMS_MAX];	 /* generalized trees: per level */
	uint8_t wrap[NET_DIMS_MAX];	 /* torus, or mesh in this dimension */
	uint16_t links[NET_DIMS_MAX];	 /* torus: to a neighbour; 0 is one */
	uint16_t midplane[NET_DIMS_MAX]; /* a link chip every so many nodes */
	uint16_t full[NET_DIMS_MAX];	 /* the largest machine, 0: no end */
	uint8_t rails;	   /* trees: one beside the other; 0 is 1 */
	uint8_t siblings;  /* trees: links between two switches of level 1 */
	uint8_t supernode; /* trees: levels that have one number; 0: none */
	uint8_t closed;	   /* torus: a ring whatever its length */
	uint16_t router_nodes; /* torus: nodes at a router; 0, 1: they are it */
	uint32_t ranks_per_node; /* default of --ppn */
	/* packets and links */
	uint32_t payload_bytes; /* largest */
	uint32_t chunk_bytes;
	uint32_t header_bytes;
	uint32_t trailer_bytes;
	uint32_t tick_ps;	   /* network cycle */
	uint32_t chunk_wire_bytes; /* of a chunk on the wire; 0: as it is */
	uint32_t block_bytes; /* of payload, each with block_header; 0: none */
	uint32_t block_header_bytes;
	uint64_t link_ps_per_byte_x1000; /* of a link */
	uint64_t link_end_ps_x1000; /* between node and router; 0: the same */
	uint32_t protocol_ticks;    /* acks and tokens, per packet */
	uint64_t hop_ps;	    /* head of a packet, node to node */
	/* trees: into an end node; shared routers: both ways; 0: as hop_ps */
	uint64_t hop_end_ps;
	uint64_t crossing_ps;	      /* more, between midplanes */
	uint16_t cable[NET_DIMS_MAX]; /* metres, by dimension or level */
	uint64_t metre_ps;	      /* more, for each of them */
	uint64_t token_ps;	      /* a token's way back */
	/* buffers and arbitration */
	uint32_t tokens[NET_VC_MAX]; /* per link: VC 0 chunks, else packets */
	uint32_t tokens_end; /* between node and shared router: times so many */
	/*
	 * All VCs of a link share so many more, and their own are private; all
	 * count as the first VC's. Dynamic and deterministic packets are one.
	 * 0: each VC has what it has.
	 */
	uint32_t tokens_shared;
	uint32_t credit_bytes; /* that a token of VC 0 is for; 0: a chunk */
	uint8_t look_ahead;  /* ports are judged by how fast tokens return, too
			      */
	uint8_t slow_whole;  /* a link that lost lanes takes packets whole */
	uint32_t dyn_queues; /* queues of the dynamic VC */
	uint32_t read_paths; /* packets that leave a VC at once */
	uint32_t through_share; /* grants to receivers per injection */
	uint32_t inject_room;	/* chunks left free by dynamic injection */
	uint32_t bubble;	/* packets free to enter a ring: 2 */
	uint32_t columns;    /* of a shared router's ports, by tiles; 0: none */
	uint32_t row_buffer; /* packets before a column, for each receiver */
	uint8_t system_turn; /* system packets take turns with others */
	uint8_t order[NET_DIMS_MAX]; /* deterministic: dimension by dimension */
	uint8_t zone[NET_ZONES][NET_DIMS_MAX]; /* masks of dimensions */
	/* the unit at a node */
	uint32_t inject_fifos; /* network injection FIFOs */
	uint32_t inject_depth; /* packets each holds */
	uint32_t
		engines; /* FIFOs that processes have in turn; 0: all of them */
	uint32_t requests; /* packets that an engine reads at once; 0 is 1 */
	struct net_path path[NET_PATHS_MAX]; /* the first without a name */
	struct net_bus bus[NET_BUSES_MAX];
	uint8_t paths, buses; /* of them used; 0 paths is one */
	uint32_t ack_bytes;   /* data of a packet that acknowledges another */
	uint32_t ack_wire_bytes; /* all of it on the wire; 0: as others */
	uint64_t ack_ps;	 /* packet stored to its acknowledgement sent */
	uint64_t ack_receive_ps; /* that one received to the unit knows */
	uint64_t local_ps;	 /* source and target on one node */
	uint64_t l2_bytes;	 /* working set that spills beyond this */
	uint64_t spill_bytes_per_us; /* send and receive, once spilt */
	/* class routes */
	uint32_t routes;	 /* per node */
	uint32_t routes_system;	 /* of them not for users */
	uint32_t routes_port;	 /* of them by one port of a switch; 0: all */
	uint32_t barriers;	 /* classes per node */
	uint64_t coll_inject_ps; /* likewise, of the collective endpoint */
	uint64_t coll_receive_ps;
	uint64_t coll_injection_ps_x1000; /* engine; 0: as the first path's */
	uint32_t coll_up_ticks;		  /* more per hop, floating point */
	uint32_t coll_down_ticks;
	/* of a full packet through the ALU; 0: none, as on any link */
	uint32_t coll_packet_ticks;
	uint32_t barrier_bytes; /* on the wire, of a barrier class */
	uint64_t fold_ps; /* an interface adds two packets; 0: it cannot */
	/* of the tree by which they do, where order is all the same; 0: pairs
	 */
	uint8_t fold_levels;
	uint8_t bcast_gather; /* a broadcast begins when all are there */
	uint64_t change_ps;   /* an interface does an atomic */
	uint32_t input_slots; /* packets that wait for a rank; 0: any number */
	uint64_t retry_ps;    /* one that found no slot, to the next try */
	uint64_t query_ps;  /* an answer known to what follows it; 0: no such */
	uint8_t coll_range; /* members must be a range of nodes */
	/* other groups: an event of an interface starts what follows; 1 */
	uint8_t coll_chain;
	/* software above the unit */
	uint64_t send_ps;    /* a call that sends */
	uint64_t message_ps; /* more, when it is longer than a packet */
	uint64_t recv_ps;    /* a message taken */
	uint64_t match_ps;   /* before: the unit finds its receive */
	uint64_t poll_ps;    /* a look that found nothing */
	uint64_t wtime_ps;   /* reading the clock */
	/* faults */
	struct net_care care;
	uint64_t watch_ps;	   /* period of fault awareness; 0: none */
	uint64_t watch_service_ps; /* a host's report to its master */
	uint32_t faults; /* room for a plan of so many lines; 0: none */
};

/* Nodes that a router of a torus serves; 1: a node is a router itself. */
static inline unsigned net_router_nodes(const struct net_config *cfg)
{
	return cfg->router_nodes > 1 ? cfg->router_nodes : 1;
}
static inline unsigned net_config_paths(const struct net_config *cfg)
{
	return cfg->paths ? cfg->paths : 1;
}
/* Of a word of memory at the end of a path. */
static inline uint32_t net_path_page(const struct net_path *path)
{
	return path->page_bytes ? path->page_bytes : 8;
}
/* Bytes on the wire of a packet with so many chunks of payload. */
static inline uint32_t net_wire_bytes(const struct net_config *cfg,
				      uint32_t chunks)
{
	uint32_t blocks = 0, chunk = cfg->chunk_bytes;

	if (cfg->block_bytes)
		blocks = (chunks * chunk + cfg->block_bytes - 1) /
			 cfg->block_bytes;
	if (cfg->chunk_wire_bytes)
		chunk = cfg->chunk_wire_bytes;
	return cfg->header_bytes + cfg->trailer_bytes + chunks * chunk +
	       blocks * cfg->block_header_bytes;
}
/* Tokens of VC 0 for a packet of so many bytes on the wire. */
static inline uint32_t net_wire_tokens(const struct net_config *cfg,
				       uint32_t bytes)
{
	uint32_t each =
		cfg->credit_bytes ? cfg->credit_bytes : cfg->chunk_bytes;

	return (bytes + each - 1) / each;
}
/* Ticks that they take at this rate. */
static inline uint32_t net_wire_ticks(const struct net_config *cfg,
				      uint32_t bytes, uint64_t ps_x1000)
{
	uint64_t tick = 1000ull * cfg->tick_ps;

	return (uint32_t)((bytes * ps_x1000 + tick - 1) / tick);
}

/* Where tokens are shared: the VC whose private ones a packet takes first. */
static inline unsigned net_channel(unsigned vc)
{
	return vc == NET_VC_DET ? NET_VC_DYN : vc;
}

/* The machine bgq, 4x4x4x4x2, as its file describes it. */
void net_config_bgq(struct net_config *cfg);
/* 0; -EINVAL: logged, which field makes no sense. */
int net_config_check(const struct net_config *cfg);

#endif

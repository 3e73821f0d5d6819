/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A machine in numbers: the checked contents of a machine file. Each field is a
 * key of the file; times are picoseconds.
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
 * A path from memory into the network and out of it: starting a transfer takes
 * inject_ps, then an engine builds packets at its rate; at the target an engine
 * stores them, and they are visible receive_ps later.
 */
struct net_path {
	char name[16];
	uint64_t inject_ps;  /* post to first packet in the FIFO, less rate */
	uint64_t receive_ps; /* out of the network to visible in memory */
	uint64_t injection_ps_per_byte_x1000; /* engine rate, whole packets */
	uint64_t reception_ps_per_byte_x1000; /* engine rate, cut-through */
	uint64_t read_ps;      /* engine time per packet, besides bytes */
	uint64_t gap_ps;       /* engine time between two messages */
	uint32_t packet_bytes; /* data in a packet; 0: payload_bytes */
	uint32_t header_bytes; /* of a packet; 0: the machine's */
	uint8_t bus_out;       /* buses that a packet crosses, a bit each */
	uint8_t bus_in;
	uint8_t bus_request;	/* buses of the read requests for its data */
	uint32_t request_bytes; /* bytes of a read request, per packet */
	/* unit of the target addresses that buses cache; 0: 8 bytes */
	uint32_t page_bytes;
};

/* A resource shared by several paths and both directions, e.g. a host bus. */
struct net_bus {
	char name[16];
	uint64_t ps_per_byte_x1000;
	uint64_t packet_ps; /* additional time per packet */
	uint32_t nodes;	    /* nodes of a shared router that share it; 0: one */
	/* entries of a word cache; a miss adds miss_ps; 0: no cache */
	uint32_t words;
	uint64_t miss_ps;
};

/* Codes over the bits on a link; the last bits are the check bits. */
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

/* How the machine handles errors; used only with a fault plan. */
struct net_reliability {
	uint8_t code;	     /* enum net_code, per packet */
	uint8_t header_code; /* enum net_header_code, over its first 12 bytes */
	uint8_t end_code;    /* enum net_code up to RS5, ignored by links */
	uint8_t checked;     /* enum net_checked: where code is checked */
	uint8_t fec;	     /* 1: RS(528,514) corrects 7 symbols per block */
	uint8_t internal;    /* enum net_internal: on an uncorrectable word */
	uint8_t link_crc; /* 1: both ends of a link keep a CRC of all packets */
	uint8_t reroute;  /* 1: packets are routed around dead parts */
	uint8_t lanes;	  /* per link; 0: one */
	uint16_t fibre;	  /* metres from which a cable is optical; 0: none */
	uint32_t code_span;  /* bytes per check; 0: the whole packet */
	uint64_t retry_ps;   /* until a link retransmits; 0: after the NAK */
	uint64_t retrain_ps; /* time that a link is down after an error */
	uint64_t resend_ps;  /* a unit notified of a bad packet retransmits */
	uint64_t ack_timeout_ps; /* a unit without a notification retransmits */
	uint64_t detect_ps;	 /* until a dead link is known */
	uint64_t quiesce_ps;	 /* no injection while routes are rebuilt */
	uint32_t resend_tries;	 /* then backoff, or the packet is lost */
	uint32_t retry_alarm; /* link retries that raise an alarm; 0: never */
	uint32_t ecc_alarm; /* corrected words of a node that raise an alarm */
};

struct net_config {
	char name[32];
	char unit[16]; /* network interface of a node, "mu": the MU */
	/* shape */
	uint8_t topology;		/* enum net_topology */
	uint8_t dims;			/* torus: dimensions; trees: levels */
	uint16_t size[NET_DIMS_MAX];	/* torus: nodes; trees: children */
	uint16_t parents[NET_DIMS_MAX]; /* generalized trees: per level */
	uint8_t wrap[NET_DIMS_MAX];   /* 1: torus, 0: mesh in this dimension */
	uint16_t links[NET_DIMS_MAX]; /* torus: per neighbour; 0 means one */
	uint16_t midplane[NET_DIMS_MAX]; /* nodes between link chips */
	uint16_t full[NET_DIMS_MAX];	 /* the largest machine; 0: unlimited */
	uint8_t rails;	   /* trees: parallel trees; 0 means one */
	uint8_t siblings;  /* trees: links between two switches of level 1 */
	uint8_t supernode; /* trees: levels with one table entry; 0: none */
	uint8_t closed;	   /* torus: a ring whatever its length */
	uint16_t router_nodes;	 /* torus: nodes per router; 0, 1: own router */
	uint32_t ranks_per_node; /* default of --ppn */
	/* packets and links */
	uint32_t payload_bytes; /* largest */
	uint32_t chunk_bytes;
	uint32_t header_bytes;
	uint32_t trailer_bytes;
	uint32_t tick_ps;	   /* network cycle */
	uint32_t chunk_wire_bytes; /* chunk on the wire; 0: chunk_bytes */
	uint32_t block_bytes;	   /* payload per block_header; 0: none */
	uint32_t block_header_bytes;
	uint64_t link_ps_per_byte_x1000; /* rate of a link */
	uint64_t link_end_ps_x1000; /* node-router links; 0: as other links */
	uint32_t protocol_ticks;    /* acks and tokens, per packet */
	uint64_t hop_ps;	    /* head of a packet, node to node */
	/* trees: into an end node; shared routers: in and out; 0: hop_ps */
	uint64_t hop_end_ps;
	uint64_t crossing_ps;	      /* added between midplanes */
	uint16_t cable[NET_DIMS_MAX]; /* metres, by dimension or level */
	uint64_t metre_ps;	      /* added per metre */
	uint64_t token_ps;	      /* return time of a token */
	/* buffers and arbitration */
	uint32_t tokens[NET_VC_MAX]; /* per link: VC 0 chunks, else packets */
	uint32_t tokens_end;	     /* factor for node-router links; 0: one */
	/*
	 * Tokens of a link that all VCs share besides their private ones, all
	 * counted in units of the first VC. Dynamic and deterministic packets
	 * count as one VC. 0: private tokens only.
	 */
	uint32_t tokens_shared;
	uint32_t credit_bytes; /* bytes per token of VC 0; 0: a chunk */
	uint8_t look_ahead;    /* ports are also rated by token return time */
	uint8_t slow_whole;    /* store-and-forward on a link that lost lanes */
	uint32_t dyn_queues;   /* queues of the dynamic VC */
	uint32_t read_paths; /* packets that may leave a VC at the same time */
	uint32_t through_share; /* grants to receivers per injection */
	uint32_t inject_room;	/* chunks left free by dynamic injection */
	uint32_t bubble;     /* free packet buffers needed to enter a ring: 2 */
	uint32_t columns;    /* of a shared router's ports, by tiles; 0: none */
	uint32_t row_buffer; /* packets buffered at a column, per receiver */
	uint8_t system_turn; /* system packets alternate with others */
	uint8_t order[NET_DIMS_MAX]; /* dimension order (deterministic) */
	uint8_t zone[NET_ZONES][NET_DIMS_MAX]; /* masks of dimensions */
	/* the unit at a node */
	uint32_t inject_fifos; /* network injection FIFOs */
	uint32_t inject_depth; /* packets each holds */
	uint32_t engines;      /* FIFOs assigned to processes in turn; 0: all */
	uint32_t requests; /* packets read concurrently per engine; 0 means 1 */
	struct net_path path[NET_PATHS_MAX]; /* the first has no name */
	struct net_bus bus[NET_BUSES_MAX];
	uint8_t paths, buses;	 /* number in use; 0 paths means one */
	uint32_t ack_bytes;	 /* data of an acknowledgement packet */
	uint32_t ack_wire_bytes; /* acknowledgement on the wire; 0: as others */
	uint64_t ack_ps;	 /* packet stored to its acknowledgement sent */
	uint64_t ack_receive_ps; /* ack received to unit notified */
	uint64_t local_ps;	 /* source and target on one node */
	uint64_t l2_bytes;	 /* working set above this size spills */
	uint64_t spill_bytes_per_us; /* send plus receive rate, once spilt */
	/* class routes */
	uint32_t routes;	 /* per node */
	uint32_t routes_system;	 /* reserved for the system */
	uint32_t routes_port;	 /* per switch port; 0: routes */
	uint32_t barriers;	 /* barrier classes per node */
	uint64_t coll_inject_ps; /* as in net_path, collective endpoint */
	uint64_t coll_receive_ps;
	uint64_t coll_injection_ps_x1000; /* engine; 0: the first path's rate */
	uint32_t coll_up_ticks;		  /* added per hop, floating point */
	uint32_t coll_down_ticks;
	/* full packet through the ALU; 0: no ALU, as on any link */
	uint32_t coll_packet_ticks;
	uint32_t barrier_bytes; /* barrier-class packet on the wire */
	uint64_t fold_ps;	/* an interface adds two packets; 0: cannot */
	/* levels of the fold tree where order does not matter; 0: pairs */
	uint8_t fold_levels;
	uint8_t bcast_gather; /* a broadcast starts when all have arrived */
	uint64_t change_ps;   /* time of an atomic in an interface */
	uint32_t input_slots; /* packets queued per rank; 0: unlimited */
	uint64_t retry_ps;    /* retry delay of a packet without a free slot */
	uint64_t query_ps;    /* answer known to next packet; 0: no queries */
	uint8_t coll_range;   /* 1: members must be a range of nodes */
	/* other groups: an event of an interface triggers the next step; 1 */
	uint8_t coll_chain;
	/* software above the unit */
	uint64_t send_ps;    /* a send call */
	uint64_t message_ps; /* added if longer than a packet */
	uint64_t recv_ps;    /* receipt of a message */
	uint64_t match_ps;   /* before recv_ps: the unit matches the receive */
	uint64_t poll_ps;    /* a poll without result */
	uint64_t wtime_ps;   /* reading the clock */
	/* faults */
	struct net_reliability care;
	uint64_t watch_ps;	   /* period of fault awareness; 0: none */
	uint64_t watch_service_ps; /* a host's report to its master */
	uint32_t faults; /* lines of the fault plan to reserve; 0: none */
};

/* Nodes per router of a torus; 1: every node is a router. */
static inline unsigned net_router_nodes(const struct net_config *cfg)
{
	return cfg->router_nodes > 1 ? cfg->router_nodes : 1;
}
static inline unsigned net_config_paths(const struct net_config *cfg)
{
	return cfg->paths ? cfg->paths : 1;
}
/* Bytes of a cached word of memory at the end of a path. */
static inline uint32_t net_path_page(const struct net_path *path)
{
	return path->page_bytes ? path->page_bytes : 8;
}
/* Bytes on the wire of a packet with this number of payload chunks. */
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
/* Tokens of VC 0 for a packet of this number of bytes on the wire. */
static inline uint32_t net_wire_tokens(const struct net_config *cfg,
				       uint32_t bytes)
{
	uint32_t each =
		cfg->credit_bytes ? cfg->credit_bytes : cfg->chunk_bytes;

	return (bytes + each - 1) / each;
}
/* Ticks that this number of bytes takes on a link of this rate. */
static inline uint32_t net_wire_ticks(const struct net_config *cfg,
				      uint32_t bytes, uint64_t ps_x1000)
{
	uint64_t tick = 1000ull * cfg->tick_ps;

	return (uint32_t)((bytes * ps_x1000 + tick - 1) / tick);
}

/* Shared tokens: the VC whose private tokens a packet takes first. */
static inline unsigned net_channel(unsigned vc)
{
	return vc == NET_VC_DET ? NET_VC_DYN : vc;
}

/* The machine bgq, 4x4x4x4x2, as its file describes it. */
void net_config_bgq(struct net_config *cfg);
/* 0; -EINVAL: the invalid field is logged. */
int net_config_check(const struct net_config *cfg);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Parameters of a machine: the checked contents of a machine file. Each field
 * is a key of the file; times are in picoseconds.
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
 * A path between memory and network. At the source, starting a transfer takes
 * inject_ps, then an engine builds packets at its rate. At the target, an
 * engine stores the packets, and they are visible receive_ps later.
 */
struct net_path {
	char name[16];
	/* time from post to first packet in the FIFO, without engine time */
	uint64_t inject_ps;
	uint64_t receive_ps; /* time from the network to visibility in memory */
	/* inverse rate of the injection engine, store-and-forward */
	uint64_t injection_ps_per_byte_x1000;
	/* inverse rate of the reception engine, cut-through */
	uint64_t reception_ps_per_byte_x1000;
	/* engine time per packet, in addition to the time per byte */
	uint64_t read_ps;
	uint64_t gap_ps;       /* engine time between two messages */
	uint32_t packet_bytes; /* payload bytes of a packet; 0: payload_bytes */
	/* header bytes of a packet; 0: header_bytes of the machine */
	uint32_t header_bytes;
	uint8_t bus_out; /* mask of buses that a packet crosses */
	uint8_t bus_in;
	uint8_t bus_request;	/* mask of buses that carry the read requests */
	uint32_t request_bytes; /* bytes of a read request, per packet */
	/* unit of the target addresses that buses cache; 0: 8 bytes */
	uint32_t page_bytes;
};

/* A resource that several paths and both directions share, e.g. a host bus. */
struct net_bus {
	char name[16];
	uint64_t ps_per_byte_x1000;
	uint64_t packet_ps; /* additional time per packet */
	/* nodes of a shared router that share this bus; 0: one */
	uint32_t nodes;
	/*
	 * entries of the bus's cache of target addresses (word cache); a miss
	 * takes miss_ps; 0: no cache
	 */
	uint32_t words;
	uint64_t miss_ps;
};

/*
 * Codes over the bits of a packet on a link; the last bits are the check bits.
 */
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
	uint8_t header_code; /* enum net_header_code, over the first 12 bytes */
	/* code checked only at the last node: enum net_code up to RS5 */
	uint8_t end_code;
	uint8_t checked; /* where the code is checked: enum net_checked */
	uint8_t fec;	 /* 1: RS(528,514) corrects 7 symbols per block */
	/* reaction to an uncorrectable memory word: enum net_internal */
	uint8_t internal;
	uint8_t link_crc; /* 1: both ends of a link keep a CRC of all packets */
	/* 1: packets are routed around dead links and nodes */
	uint8_t reroute;
	uint8_t lanes; /* lanes per link; 0: one */
	/* minimum length of optical cables, metres; 0: none is optical */
	uint16_t fibre;
	uint32_t code_span;  /* bytes per check; 0: the whole packet */
	uint64_t retry_ps;   /* delay until a link retransmits; 0: on the NAK */
	uint64_t retrain_ps; /* time that a link is down after an error */
	/* delay until a unit retransmits a packet reported as bad */
	uint64_t resend_ps;
	/* delay until a unit retransmits without any report */
	uint64_t ack_timeout_ps;
	uint64_t detect_ps; /* delay until a dead link is detected */
	/* time without injection while routes are rebuilt */
	uint64_t quiesce_ps;
	/* retransmissions before backoff or loss of the packet */
	uint32_t resend_tries;
	uint32_t retry_alarm; /* link retries that raise an alarm; 0: never */
	uint32_t ecc_alarm; /* corrected words of a node that raise an alarm */
};

struct net_config {
	char name[32];
	char unit[16]; /* name of the node's network interface, e.g. "mu" */
	/* topology */
	uint8_t topology; /* enum net_topology */
	uint8_t dims;	  /* torus: dimensions; trees: levels */
	/* torus: nodes per dimension; trees: children per level */
	uint16_t size[NET_DIMS_MAX];
	/* generalized trees: parents per level */
	uint16_t parents[NET_DIMS_MAX];
	uint8_t wrap[NET_DIMS_MAX];   /* 1: torus, 0: mesh, per dimension */
	uint16_t links[NET_DIMS_MAX]; /* torus: links per neighbour; 0: one */
	/*
	 * length of a midplane per dimension; link chips are between midplanes
	 */
	uint16_t midplane[NET_DIMS_MAX];
	/* size of the largest machine; 0: unlimited */
	uint16_t full[NET_DIMS_MAX];
	uint8_t rails;	  /* trees: parallel trees; 0: one */
	uint8_t siblings; /* trees: links between two switches of level 1 */
	/*
	 * trees: levels of a supernode, for which routing tables have one
	 * entry; 0: no supernodes
	 */
	uint8_t supernode;
	/* torus: 1: every dimension is a ring, whatever its length */
	uint8_t closed;
	/* torus: nodes per router; 0, 1: a router per node */
	uint16_t router_nodes;
	uint32_t ranks_per_node; /* default value of --ppn */
	/* packets and links */
	uint32_t payload_bytes; /* largest payload of a packet */
	uint32_t chunk_bytes;
	uint32_t header_bytes;
	uint32_t trailer_bytes;
	uint32_t tick_ps; /* network cycle */
	/* bytes of a chunk on the wire; 0: chunk_bytes */
	uint32_t chunk_wire_bytes;
	/* payload bytes per block_header_bytes; 0: no blocks */
	uint32_t block_bytes;
	uint32_t block_header_bytes;
	uint64_t link_ps_per_byte_x1000; /* inverse rate of a link */
	/* inverse rate of node-router links; 0: as other links */
	uint64_t link_end_ps_x1000;
	/* link time of acknowledgements and tokens per packet */
	uint32_t protocol_ticks;
	/* latency of a packet's head from node to node */
	uint64_t hop_ps;
	/*
	 * latency into an end node of a tree, or between a node and its shared
	 * router; 0: hop_ps
	 */
	uint64_t hop_end_ps;
	uint64_t crossing_ps; /* additional latency between midplanes */
	/* metres of cable, per dimension or level */
	uint16_t cable[NET_DIMS_MAX];
	uint64_t metre_ps; /* latency per metre */
	uint64_t token_ps; /* return time of a token */
	/* buffers and arbitration */
	/* tokens per link: chunks for VC 0, otherwise packets */
	uint32_t tokens[NET_VC_MAX];
	/* factor of tokens on node-router links; 0: one */
	uint32_t tokens_end;
	/*
	 * Tokens of a link that all VCs share in addition to their private
	 * tokens, counted in units of the first VC. Dynamic and deterministic
	 * packets count as one VC. 0: private tokens only.
	 */
	uint32_t tokens_shared;
	uint32_t credit_bytes; /* bytes per token of VC 0; 0: chunk_bytes */
	/* 1: adaptive packets avoid ports whose tokens return slowly */
	uint8_t look_ahead;
	/* 1: links that lost lanes are store-and-forward */
	uint8_t slow_store_forward;
	uint32_t dyn_queues; /* queues of the dynamic VC per receiver */
	uint32_t read_paths; /* packets that may leave a VC at the same time */
	uint32_t through_share; /* grants to receivers per grant to injection */
	uint32_t inject_room;	/* chunks that dynamic injection leaves free */
	/* free packet buffers needed to enter a ring, usually 2 */
	uint32_t bubble;
	/* columns of tiles of a shared router; 0: no tiles */
	uint32_t columns;
	uint32_t row_buffer;	  /* packets per row buffer */
	uint8_t system_alternate; /* 1: system packets alternate with others */
	/* dimension order of deterministic packets */
	uint8_t order[NET_DIMS_MAX];
	/* dimension masks of each zone set */
	uint8_t zone[NET_ZONES][NET_DIMS_MAX];
	/* network interface of a node */
	uint32_t inject_fifos; /* network injection FIFOs */
	uint32_t inject_depth; /* packets per network injection FIFO */
	/* FIFOs assigned to processes round-robin; 0: all */
	uint32_t engines;
	/* packets that an engine reads concurrently; 0: one */
	uint32_t requests;
	/* paths; the first one has no name */
	struct net_path path[NET_PATHS_MAX];
	struct net_bus bus[NET_BUSES_MAX];
	/* number of paths and buses in use; 0 paths: one */
	uint8_t paths, buses;
	/* payload bytes of an acknowledgement packet */
	uint32_t ack_bytes;
	/* bytes of an acknowledgement on the wire; 0: computed */
	uint32_t ack_wire_bytes;
	/* time from packet stored to acknowledgement sent */
	uint64_t ack_ps;
	/* time from acknowledgement received to unit notified */
	uint64_t ack_receive_ps;
	/* latency between source and target on one node */
	uint64_t local_ps;
	/* working set size above which data goes to memory */
	uint64_t l2_bytes;
	/* send plus receive rate of memory above l2_bytes */
	uint64_t spill_bytes_per_us;
	/* class routes */
	uint32_t routes;	 /* class routes per node */
	uint32_t routes_system;	 /* class routes reserved for the system */
	uint32_t routes_port;	 /* class routes per switch port; 0: routes */
	uint32_t barriers;	 /* barrier classes per node */
	uint64_t coll_inject_ps; /* inject_ps of packets on class routes */
	uint64_t coll_receive_ps;
	/* inverse rate of the collective engine; 0: that of the first path */
	uint64_t coll_injection_ps_x1000;
	/* additional ticks per hop for floating point */
	uint32_t coll_up_ticks;
	uint32_t coll_down_ticks;
	/* ticks of a full packet in the ALU; 0: no ALU, normal link time */
	uint32_t coll_packet_ticks;
	/* bytes of a barrier-class packet on the wire */
	uint32_t barrier_bytes;
	/* time in which an interface adds two packets; 0: cannot add */
	uint64_t fold_ps;
	/*
	 * levels of the combining tree for operations whose order does not
	 * matter; 0: binomial tree
	 */
	uint8_t fold_levels;
	/* 1: a broadcast starts when all members have arrived */
	uint8_t bcast_gather;
	/* execution time of one atomic in the network interface, ps */
	uint64_t change_ps;
	uint32_t input_slots; /* packets queued per rank; 0: unlimited */
	uint64_t retry_ps;    /* retry delay of a packet without a free slot */
	/* time from the answer to a query to the next packet; 0: no queries */
	uint64_t query_ps;
	/* 1: members must be a contiguous range of nodes */
	uint8_t coll_range;
	/*
	 * 1: in groups without a class route, an event of the interface
	 * triggers the next step of a collective
	 */
	uint8_t coll_chain;
	/* software above the unit */
	uint64_t send_ps; /* software time of a send call */
	/* additional software time of a message longer than a packet */
	uint64_t message_ps;
	uint64_t recv_ps; /* software time to receive a message */
	/* time in which the unit matches a receive, before recv_ps */
	uint64_t match_ps;
	uint64_t poll_ps;  /* time of a poll without result */
	uint64_t wtime_ps; /* time to read the clock */
	/* reliability and faults */
	struct net_reliability care;
	uint64_t watch_ps;	   /* period of fault awareness; 0: none */
	uint64_t watch_service_ps; /* time of a host's report to its master */
	uint32_t faults; /* lines of the fault plan to reserve space for */
};

/* Returns the nodes per router of a torus; 1: every node is a router. */
static inline unsigned net_router_nodes(const struct net_config *cfg)
{
	return cfg->router_nodes > 1 ? cfg->router_nodes : 1;
}
static inline unsigned net_config_paths(const struct net_config *cfg)
{
	return cfg->paths ? cfg->paths : 1;
}
/* Returns the unit, in bytes, of the target addresses that buses cache. */
static inline uint32_t net_path_page(const struct net_path *path)
{
	return path->page_bytes ? path->page_bytes : 8;
}
/*
 * Returns the bytes on the wire of a packet with this number of payload chunks.
 */
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
/*
 * Returns the tokens of VC 0 for a packet of this number of bytes on the wire.
 */
static inline uint32_t net_wire_tokens(const struct net_config *cfg,
				       uint32_t bytes)
{
	uint32_t each =
		cfg->credit_bytes ? cfg->credit_bytes : cfg->chunk_bytes;

	return (bytes + each - 1) / each;
}
/* Returns the ticks that this number of bytes takes on a link of this rate. */
static inline uint32_t net_wire_ticks(const struct net_config *cfg,
				      uint32_t bytes, uint64_t ps_x1000)
{
	uint64_t tick = 1000ull * cfg->tick_ps;

	return (uint32_t)((bytes * ps_x1000 + tick - 1) / tick);
}

/* Shared tokens: returns the VC whose private tokens a packet takes first. */
static inline unsigned net_channel(unsigned vc)
{
	return vc == NET_VC_DET ? NET_VC_DYN : vc;
}

/*
 * Fills cfg with the parameters of bgq, 4x4x4x4x2, equal to its machine file.
 */
void net_config_bgq(struct net_config *cfg);
/*
 * Checks the parameters. Returns 0, or -EINVAL after logging the invalid field.
 */
int net_config_check(const struct net_config *cfg);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Parameters of a machine: the checked contents of a machine file. Each field
 * is a key of the file; times are in picoseconds.
 */
#ifndef WEFT_NET_CONFIG_H
#define WEFT_NET_CONFIG_H

#include <stdint.h>

#define NET_DIMS_MAX	  6
#define NET_VC_MAX	  6
#define NET_ZONES	  4
#define NET_PATHS_MAX	  6
#define NET_BUSES_MAX	  4
#define NET_PARTS_MAX	  16
/* credit_bytes if a token is a packet of any length */
#define NET_CREDIT_PACKET (1u << 20)

/* Topologies from NET_DRAGONFLY on are networks of switches (net_switches.h).
 */
enum net_topology {
	NET_TORUS,
	NET_FAT_TREE,
	NET_GEN_FAT_TREE,
	NET_DRAGONFLY,
	NET_DRAGONFLY_PLUS,
	NET_HYPERX,
	NET_GRAPH,
	NET_TOPOLOGIES
};

/* Paths of packets in a network of switches. */
enum net_path_rule {
	NET_MINIMAL,
	NET_VALIANT, /* through a random intermediate switch or group */
	/* minimal or Valiant, depending on the queues at the first switch */
	NET_UGAL,
	NET_UP_DOWN, /* graphs: links towards a root, then away from the root */
};

/*
 * A graph of switches from a file. The links of switch s are first_link[s] to
 * first_link[s + 1] - 1, its nodes first_node[s] to first_node[s + 1] - 1.
 */
enum { NET_GRAPH_SWITCHES = 1024, NET_GRAPH_LINKS = 4096 };
struct net_graph {
	uint16_t switches;
	uint16_t first_node[NET_GRAPH_SWITCHES + 1];
	uint16_t first_link[NET_GRAPH_SWITCHES + 1];
	/* both ends of each link: the switch and the link at the other end */
	uint16_t peer[2 * NET_GRAPH_LINKS];
	uint8_t peer_link[2 * NET_GRAPH_LINKS];
};

enum net_vc {
	NET_VC_DYN,
	NET_VC_DET,
	NET_VC_HIGH,
	NET_VC_SYS,
	NET_VC_COLL0,
	NET_VC_COLL1
};

/*
 * A path between memory and network. At the source a transfer starts after
 * inject_ps; then an engine builds packets at its rate. At the target an engine
 * stores the packets; they are visible in memory receive_ps later.
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
	uint8_t bus_out; /* mask of the buses that a packet crosses */
	uint8_t bus_in;
	uint8_t bus_request;	/* mask of the buses that carry read requests */
	uint32_t request_bytes; /* bytes of the read request for one packet */
	/* page size in the address caches of buses, bytes; 0: 8 */
	uint32_t page_bytes;
	/* bytes of a burst on the buses, by direction; 0: a packet */
	uint32_t burst_out_bytes, burst_in_bytes;
	/*
	 * 1: the head of a packet leaves before its tail is built, at the
	 * earliest time at which the link can send the packet without a gap
	 */
	uint8_t cut_through;
};

/* A resource that several paths and both directions share, e.g. a host bus. */
struct net_bus {
	char name[16];
	uint64_t ps_per_byte_x1000;
	uint64_t packet_ps; /* additional time per packet */
	uint64_t burst_ps;  /* additional time per burst */
	/* nodes of a shared router that share this bus; 0: not shared */
	uint32_t nodes;
	/*
	 * equal parts of the bus, e.g. tiles; a packet occupies the part that
	 * is free first; 0: one part
	 */
	uint32_t parts;
	/*
	 * entries of the bus's cache of target addresses (word cache; a miss
	 * takes miss_ps); 0: no cache
	 */
	uint32_t words;
	uint64_t miss_ps;
	/*
	 * time in which a processor looks up a target address that is not in
	 * the cache, before the packet is stored; 0: a miss takes miss_ps
	 */
	uint64_t lookup_ps;
};

/* Codes over the bits of a packet on a link; the check bits are last. */
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

#define NET_DETECT_EXIT_PS UINT64_C(1000000000)

/* How the machine handles errors; used only with a fault plan. */
struct net_reliability {
	uint8_t code;	     /* enum net_code of a packet */
	uint8_t header_code; /* enum net_header_code of the first 12 bytes */
	/* end-to-end code, checked at the target: enum net_code up to RS5 */
	uint8_t end_code;
	uint8_t checked; /* where the packet code is checked: enum net_checked
			  */
	uint8_t fec;	 /* 1: RS(528,514) corrects 7 symbols per block */
	/* reaction to an uncorrectable memory word: enum net_internal */
	uint8_t internal;
	uint8_t link_crc; /* 1: both ends of a link keep a CRC of all packets */
	/* 1: packets are routed around dead links and nodes */
	uint8_t reroute;
	/*
	 * 1: a source without acknowledgement sends a network error message,
	 * and the target repeats the acknowledgement
	 */
	uint8_t neterr;
	uint8_t lanes; /* lanes per link; 0: one */
	/* cables of at least this length in metres are optical; 0: none */
	uint16_t fibre;
	/*
	 * bytes that the fibres of an optical link carry at once, and whose
	 * parity a spare fibre carries; 0: no spare fibre
	 */
	uint32_t spare_bytes;
	/* bytes per check; 0: the whole packet */
	uint32_t code_span;
	uint64_t retry_ps; /* timeout of a link-level retry; 0: retry on NAK */
	uint64_t retrain_ps; /* duration of link retraining after an error */
	/* delay until the source retransmits a packet reported as bad */
	uint64_t resend_ps;
	/* delay until the source retransmits a packet without any report */
	uint64_t ack_timeout_ps;
	uint64_t detect_ps; /* delay until a dead link is detected */
	/*
	 * delay until the other ranks detect the end of a process whose node
	 * has not failed; 0: NET_DETECT_EXIT_PS (assumed)
	 */
	uint64_t detect_exit_ps;
	/* time without injection while routes are rebuilt */
	uint64_t quiesce_ps;
	/*
	 * bytes on the wire of the response to a discarded packet, which causes
	 * an error event at the source; 0: the source detects the loss by other
	 * means
	 */
	uint32_t error_bytes;
	/* retransmissions before backoff starts or the packet is lost */
	uint32_t resend_tries;
	/* link retries that raise an alarm; 0: never */
	uint32_t retry_alarm;
	/*
	 * packets that a link sends store-and-forward after a bad packet; 0:
	 * links stay cut-through
	 */
	uint32_t store_forward;
	uint32_t ecc_alarm; /* corrected words of a node that raise an alarm */
};

/*
 * A choice of the collective algorithm of MPI programs on this machine, for a
 * range of group sizes and of vector lengths. An upper limit of 0 means no
 * limit.
 */
#define NET_CHOICES_MAX 64
struct net_choice {
	char operation[20], algorithm[20];
	uint32_t ranks_min, ranks_max;
	uint64_t bytes_min, bytes_max;
};

struct net_config {
	char name[32];
	char unit[16]; /* name of the node's network interface, e.g. "mu" */
	/* topology */
	uint8_t topology; /* enum net_topology */
	uint8_t dims;	  /* number of dimensions (torus) or levels (trees) */
	/* torus: nodes per dimension; trees: children per level */
	uint16_t size[NET_DIMS_MAX];
	/* generalized trees: parents per level */
	uint16_t parents[NET_DIMS_MAX];
	uint8_t wrap[NET_DIMS_MAX];   /* 1: torus, 0: mesh, per dimension */
	uint16_t links[NET_DIMS_MAX]; /* torus: links per neighbour; 0: one */
	/* nodes of a midplane per dimension; link chips connect midplanes */
	uint16_t midplane[NET_DIMS_MAX];
	/* size of the largest machine; 0: unlimited */
	uint16_t full[NET_DIMS_MAX];
	uint8_t rails;	  /* trees: number of parallel trees; 0: one */
	uint8_t siblings; /* trees: number of links between sibling switches */
	/*
	 * trees: levels of a supernode, which needs one routing table entry
	 * only; 0: no supernodes
	 */
	uint8_t supernode;
	/* torus, 1: dimensions of any length are rings */
	uint8_t closed;
	/*
	 * torus: nodes per router; 0 or 1: a router per node. Networks of
	 * switches: nodes per switch; 0: one.
	 */
	uint16_t router_nodes;
	/*
	 * networks of switches: enum net_path_rule; number of virtual channels
	 */
	uint8_t path_rule, vcs;
	/* dragonflies: links of a switch to other groups; spines of a group */
	uint16_t global_links, spines;
	uint32_t ranks_per_node; /* default value of --ppn */
	/*
	 * torus: separate partitions of this shape, without links between them;
	 * 0: one. Nodes of a partition have consecutive numbers; ranks use the
	 * first partition.
	 */
	uint16_t partitions;
	/* torus: compute nodes per I/O node; 0: no I/O nodes */
	uint32_t io_nodes;
	uint32_t io_links; /* links between an I/O node and compute nodes */
	/*
	 * time of a file access in the I/O node: constant part, and per byte;
	 * 0: none
	 */
	uint64_t io_ps;
	uint64_t io_ps_per_byte_x1000;
	/* packets and links */
	uint32_t payload_bytes; /* largest payload of a packet */
	uint32_t chunk_bytes;
	uint32_t header_bytes;
	uint32_t trailer_bytes;
	uint32_t tick_ps; /* network cycle */
	/* bytes of a chunk on the wire; 0: same as chunk_bytes */
	uint32_t chunk_wire_bytes;
	/* payload bytes between two block headers; 0: no block headers */
	uint32_t block_bytes;
	uint32_t block_header_bytes;
	uint64_t link_ps_per_byte_x1000; /* inverse link rate */
	/* inverse rate of node-router links; 0: same as other links */
	uint64_t link_end_ps_x1000;
	/* link time per packet for acknowledgements and tokens */
	uint32_t protocol_ticks;
	/* latency of a packet's head per hop */
	uint64_t hop_ps;
	/*
	 * latency of a hop into an end node of a tree, or between a node and
	 * its shared router; 0: hop_ps
	 */
	uint64_t hop_end_ps;
	uint64_t crossing_ps; /* additional latency between midplanes */
	/* cable length per dimension or level, metres */
	uint16_t cable[NET_DIMS_MAX];
	uint64_t metre_ps; /* cable latency per metre */
	uint64_t token_ps; /* return time of a token */
	/* buffers and arbitration */
	/* tokens per link: VC 0 counts chunks, other VCs count packets */
	uint32_t tokens[NET_VC_MAX];
	/* multiplier of the tokens of node-router links; 0: 1 */
	uint32_t tokens_end;
	/*
	 * Tokens of a link that all VCs share in addition to their private
	 * tokens, in the unit of VC 0. Dynamic and deterministic packets count
	 * as one VC. Packets of class routes count as one VC as well, with the
	 * private tokens of NET_VC_COLL0. 0: no shared tokens.
	 */
	uint32_t tokens_shared;
	uint32_t credit_bytes; /* bytes per token of VC 0; 0: chunk_bytes */
	/*
	 * trees, 1: wormhole switching. A link has channels, each with a FIFO
	 * of fifo_bytes at the receiver, instead of the tokens of VC 0 to 3. A
	 * packet of any VC holds a channel of each link on its path until it is
	 * acknowledged; tokens_shared is the number of channels.
	 */
	uint8_t wormhole;
	uint8_t channels;
	uint32_t fifo_bytes;
	/* 1: adaptive packets avoid ports whose tokens return slowly */
	uint8_t look_ahead;
	/* 1: tokens return in control words of the reverse link */
	uint8_t credit_words;
	/* 1: links with lost lanes are store-and-forward */
	uint8_t slow_store_forward;
	uint32_t dyn_queues; /* queues of the dynamic VC per receiver */
	/* number of packets that may leave the buffers of a VC concurrently */
	uint32_t read_paths;
	/* number of grants to packets from links per grant to injection */
	uint32_t through_share;
	/* tokens (chunks) that dynamic injection leaves unused */
	uint32_t inject_room;
	/* free packet buffers needed to enter a ring; normally 2 */
	uint32_t bubble;
	/* columns of tiles in a shared router; 0: no tiles */
	uint32_t columns;
	uint32_t row_buffer; /* packets per row buffer */
	/* 1: ports have performance counters with masks of VCs */
	uint8_t counters;
	uint8_t system_alternate; /* 1: system packets alternate with others */
	/* dimension order of deterministic packets */
	uint8_t order[NET_DIMS_MAX];
	/*
	 * dimension masks of each zone set; a dynamic packet completes the
	 * dimensions of one mask before it uses the next
	 */
	uint8_t zone[NET_ZONES][NET_DIMS_MAX];
	/* network interface of a node */
	uint32_t inject_fifos; /* network injection FIFOs */
	/*
	 * Network FIFOs for normal packets, on both sides. They are followed by
	 * two FIFOs for packets within the node, one for high priority, one for
	 * the system and two for collectives; each has its own engine. 0: all
	 * packets share all FIFOs.
	 */
	uint32_t torus_fifos;
	/*
	 * injection FIFOs in memory that the ranks of a node share, half of
	 * them for messages that their interface starts; 0: 16 for each rank
	 * and 16 for its interface
	 */
	uint32_t memory_fifos;
	uint32_t inject_depth; /* packets per network injection FIFO */
	/* injection FIFOs assigned to processes round-robin; 0: all */
	uint32_t engines;
	/*
	 * with engines: 0: a process uses one engine; 1: the peer determines
	 * the engine of a message, so that messages stay in order
	 */
	uint8_t engines_by;
	/* 1: engines select FIFOs in memory at random; 0: round-robin */
	uint8_t random_fifos;
	/* packets that an engine reads from memory concurrently; 0: one */
	uint32_t requests;
	/*
	 * maximum numbers of unacknowledged packets and messages of a node; 0:
	 * unlimited
	 */
	uint32_t outstanding, transactions;
	/* paths; path 0 has no name */
	struct net_path path[NET_PATHS_MAX];
	struct net_bus bus[NET_BUSES_MAX];
	/* number of paths (0: one) and of buses */
	uint8_t paths, buses;
	/* payload bytes of an acknowledgement packet */
	uint32_t ack_bytes;
	/* bytes of an acknowledgement on the wire; 0: derived from ack_bytes */
	uint32_t ack_wire_bytes;
	/* time from storing a packet to sending its acknowledgement */
	uint64_t ack_ps;
	/* time from receiving an acknowledgement to notifying the interface */
	uint64_t ack_receive_ps;
	/* latency between two ranks of one node */
	uint64_t local_ps;
	/* working set above which data is in memory instead of the L2 cache */
	uint64_t l2_bytes;
	/* memory rate above l2_bytes, send plus receive */
	uint64_t spill_bytes_per_us;
	/* class routes */
	uint32_t routes;	/* class routes per node */
	uint32_t routes_system; /* class routes reserved for the system */
	uint32_t routes_port;	/* class routes per switch port; 0: routes */
	/* barrier classes per node (class routes with an AND in the network) */
	uint32_t barriers;
	uint64_t coll_inject_ps; /* inject_ps of packets on class routes */
	uint64_t coll_receive_ps;
	/* inverse rate of the collective engine; 0: the rate of path 0 */
	uint64_t coll_injection_ps_x1000;
	/* additional ticks per hop for floating-point operations */
	uint32_t coll_up_ticks;
	uint32_t coll_down_ticks;
	/* ALU time of a full packet, ticks; 0: no ALU, normal link time */
	uint32_t coll_packet_ticks;
	/* bytes of a barrier packet on the wire */
	uint32_t barrier_bytes;
	/*
	 * time in which an interface combines two packets; 0: interfaces cannot
	 * combine packets
	 */
	uint64_t fold_ps;
	/* levels of the tree for commutative operations; 0: binomial */
	uint8_t fold_levels;
	/* 1: a broadcast starts only when all members have arrived */
	uint8_t bcast_gather;
	/* execution time of an atomic in the network interface */
	uint64_t change_ps;
	/* maximum number of packets queued per receiving rank; 0: unlimited */
	uint32_t input_slots;
	uint64_t retry_ps; /* retry delay of a packet that finds no free slot */
	/* time from the answer to a query to the next packet; 0: no queries */
	uint64_t query_ps;
	/* 1: a class route needs a contiguous range of nodes */
	uint8_t coll_range;
	/*
	 * 1: in groups without a class route, events of the interface trigger
	 * the next step of a collective, without software
	 */
	uint8_t coll_chain;
	/*
	 * 1: class routes share the tokens of a link's two collective channels;
	 * 0: each route has tokens of its own on every link
	 */
	uint8_t coll_shared;
	/* software above the network interface */
	uint64_t send_ps; /* time of a send call */
	/* additional time for a message longer than a packet */
	uint64_t message_ps;
	/*
	 * additional time for a message longer than a packet, if processors
	 * send it in packets
	 */
	uint64_t eager_message_ps;
	uint64_t recv_ps; /* time to receive a message */
	/* times to post a part of a collective, and to receive its result */
	uint64_t coll_send_ps;
	uint64_t coll_recv_ps;
	/*
	 * inverse rate at which a processor copies packets, at sender and
	 * receiver; 0: the interface accesses the program's memory
	 */
	uint64_t packet_copy_ps_x1000;
	/* path between ranks of a node through its memory (prov/vt) */
	struct net_memory {
		/* latency of a message; 0: ranks of a node use the interface */
		uint64_t latency_ps;
		/*
		 * inverse rates: of one processor's copy, and of all copies in
		 * a memory
		 */
		uint64_t copy_ps_x1000;
		uint64_t total_ps_x1000;
		/* separate memories of a node; 0: one */
		uint32_t count;
	} memory;
	/* largest message that is sent eagerly; 0: the unit's limit */
	uint64_t eager_bytes;
	/* payload of the packets of messages; 0: the unit's limit */
	uint32_t message_packet_bytes;
	/* copies between device and host memory: start-up time, inverse rate */
	uint64_t device_copy_ps;
	uint64_t device_ps_x1000;
	/* time in which the interface matches a message, before recv_ps */
	uint64_t match_ps;
	/* time per queue entry that a match searches, after the first one */
	uint64_t match_entry_ps;
	/*
	 * 1: the interface also matches messages while the processor computes
	 */
	uint8_t match_unit;
	uint64_t poll_ps;  /* duration of a poll without result */
	uint64_t wtime_ps; /* time to read the clock */
	/* speed of the processor in percent of the host's; 0: 100 */
	uint32_t processor_speed;
	/* energy of a byte on a link, pJ; power of a link and of a node, mW */
	uint32_t link_byte_pj;
	uint32_t link_mw;
	uint32_t node_mw;
	/* reliability and faults */
	struct net_reliability care;
	/* period of health checks (prov/net/health); 0: none */
	uint64_t watch_ps;
	/* latency of a host's report to the master */
	uint64_t watch_service_ps;
	uint32_t faults; /* reserved number of fault plan lines */
	/* algorithms of collectives; the model itself does not use them */
	uint32_t choices;
	struct net_choice choice[NET_CHOICES_MAX];
	/* values of a generic machine from which other values are derived */
	uint32_t buffer_packets; /* packets per channel and receiver */
	uint64_t latency_ps;	 /* time in both interfaces */
	uint64_t byte_ps_x1000;	 /* time per byte in an interface */
	struct net_graph graph;	 /* switches and links; NET_GRAPH only */
};

/* Returns whether the topology is a network of switches. */
static inline int net_is_switched(const struct net_config *cfg)
{
	return cfg->topology >= NET_DRAGONFLY;
}
/*
 * Returns the number of nodes per router of a torus; 1: every node is a router.
 */
static inline unsigned net_router_nodes(const struct net_config *cfg)
{
	return cfg->router_nodes > 1 ? cfg->router_nodes : 1;
}
static inline unsigned net_partitions(const struct net_config *cfg)
{
	return cfg->partitions ? cfg->partitions : 1;
}
static inline unsigned net_config_paths(const struct net_config *cfg)
{
	return cfg->paths ? cfg->paths : 1;
}
/* Returns the page size in the address caches of buses, bytes. */
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
/* Returns the tokens of VC 0 that a packet of this length on the wire needs. */
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

/*
 * Returns the channel whose private tokens a packet takes before shared tokens:
 * VC 0 and 1 are one channel; class routes have the index of VC 1.
 */
enum { NET_CHANNEL_COLL = NET_VC_DET };
static inline unsigned net_channel(unsigned vc)
{
	if (vc >= NET_VC_COLL0)
		return NET_CHANNEL_COLL;
	return vc == NET_VC_DET ? NET_VC_DYN : vc;
}
/* Returns the private tokens of a channel of a link with shared tokens. */
static inline uint32_t net_channel_tokens(const struct net_config *cfg,
					  unsigned channel)
{
	return cfg
		->tokens[channel == NET_CHANNEL_COLL ? NET_VC_COLL0 : channel];
}
/* Returns whether packets of class routes take shared tokens. */
static inline int net_coll_shared(const struct net_config *cfg)
{
	return cfg->tokens_shared && !cfg->wormhole;
}

/* Sets the values that follow from cfg->channels: a token is a channel. */
static inline void net_config_channels(struct net_config *cfg)
{
	cfg->tokens_shared = cfg->dyn_queues = cfg->channels;
	cfg->credit_bytes = NET_CREDIT_PACKET;
}

/* Fills cfg with the parameters of bgq (4x4x4x4x2), as in its machine file. */
void net_config_bgq(struct net_config *cfg);
/* Returns a text about the first invalid field; NULL: all are valid. */
const char *net_config_wrong(const struct net_config *cfg);
/* Returns 0, or -EINVAL after logging the invalid field. */
int net_config_check(const struct net_config *cfg);

#endif

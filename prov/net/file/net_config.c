/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The parameters of Blue Gene/Q, each with its source. "SC11" is Chen et al.,
 * "The IBM Blue Gene/Q Interconnection Network and Message Unit"; "SC11 II.A"
 * is a section of it, T1 a table. "HWI" means the hardware interface headers
 * published by IBM. "calibrated" names the published result from which the
 * value was derived. All other values are assumed. This file also checks the
 * parameters of any machine.
 */
#include "prov/net/file/net_config.h"
#include "prov/net/routing/net_switches.h"

#include "src/base/attr.h"
#include "src/base/log.h"

#include <errno.h>
#include <string.h>

static const struct net_config bgq = {
	.name = "bgq",
	.unit = "mu",
	.topology = NET_TORUS,
	.dims = 5,			  /* SC11 II.A */
	.size = { 4, 4, 4, 4, 2 },	  /* SC11 II.A: a midplane */
	.wrap = { 1, 1, 1, 1, 1 },
	/* SC11 II.G: link chips between midplanes */
	.midplane = { 4, 4, 4, 4, 0 },
	/* SC11 II.A: the machine of 20 PFlops */
	.full = { 16, 16, 16, 12, 2 },
	.ranks_per_node = 1,
	.payload_bytes = 512,		  /* SC11 II.A */
	.chunk_bytes = 32,		  /* SC11 II.A */
	.header_bytes = 32,		  /* SC11 II.A: 12 network, 20 MU */
	.trailer_bytes = 8,		  /* SC11 II.A */
	.tick_ps = 2000,		  /* SC11 II.A: 500 MHz */
	.link_ps_per_byte_x1000 = 500000, /* SC11 II.A: 2 GB/s */
	.protocol_ticks = 6,		  /* calibrated: Table 2, 1 MB */
	.hop_ps = 45333,		  /* calibrated: T1, 1 and 13 hops */
	.crossing_ps = 80000,		  /* HWI: two link chips of 40 ns */
	.token_ps = 40000,		  /* SC11 II.A: a hop of 20 cycles */
	.tokens = { 126, 7, 7, 7, 7, 7 }, /* HWI */
	.dyn_queues = 7,		  /* HWI */
	.read_paths = 2,		  /* HWI */
	.through_share = 16,		  /* HWI: n = 15 */
	.inject_room = 0,
	.bubble = 2,			  /* SC11 II.B, as on BG/L */
	/* SC11 II.B: longest dimension first */
	.order = { 0, 1, 2, 3, 4 },
	.zone = {			  /* HWI: four sets of firmware */
		{ 0x0f, 0x10 },		  /* longest dimensions first */
		{ 0x1f },		  /* any order */
		{ 0x01, 0x02, 0x04, 0x08, 0x10 },
		{ 0x11, 0x12, 0x14, 0x18, 0x10 },
	},
	.inject_fifos = 16,		  /* HWI */
	.torus_fifos = 10,		  /* HWI */
	.memory_fifos = 544,		  /* SC11 III.A */
	.inject_depth = 4,		  /* assumed */
	/*
	 * Calibrated: T1 gives 622 ns for one hop. From this subtract the hop,
	 * and a packet of 72 bytes on the link (36 ns) and in the engine (20
	 * ns). The split between inject_ps and receive_ps is assumed.
	 */
	.path[0] = {
		.inject_ps = 270000,
		.receive_ps = 250667,
		/* SC11 III.D: 4 B, 800 MHz */
		.injection_ps_per_byte_x1000 = 312500,
		.reception_ps_per_byte_x1000 = 312500, /* SC11 III.D */
	},
	.local_ps = 40000,		  /* assumed: same as a hop */
	.l2_bytes = 32 << 20,		  /* L2 size of the chip */
	.spill_bytes_per_us = 25000,	  /* calibrated: T2 at 256 MB */
	.routes = 16,			  /* SC11 II.C */
	.routes_system = 2,		  /* assumed */
	.barriers = 16,			  /* SC11 II.D */
	/*
	 * Calibrated: T3 gives 641 ns for 2 nodes. From this subtract two hops
	 * with the ALU (114.67 ns), 20 ticks in the ALU, and 20 ns in the
	 * engine.
	 */
	.coll_inject_ps = 230000,
	.coll_receive_ps = 236334,
	.coll_up_ticks = 9,		  /* SC11 II.C */
	.coll_down_ticks = 3,		  /* SC11 II.C */
	.coll_packet_ticks = 150,	  /* calibrated: T4 at 1 MB */
	.barrier_bytes = 12,		  /* SC11 II.D */
	/* calibrated: half of the software time in T1 */
	.send_ps = 48000,
	.message_ps = 126000,		  /* calibrated: T2 at 4 KB */
	.eager_message_ps = 126000, /* same as message_ps */
	/* calibrated: half of the software time in T1 */
	.recv_ps = 48000,
	.coll_send_ps = 48000, /* same as send_ps */
	.coll_recv_ps = 48000, /* same as recv_ps */
	.memory = {
		.latency_ps = 150000,	  /* assumed: three L2 accesses */
		.copy_ps_x1000 = 250000,  /* assumed: 4 GB/s */
		.total_ps_x1000 = 40000, /* the rate of spill_bytes_per_us */
	},
	.eager_bytes = 2048,		  /* LLNL BG/Q tutorial */
	.message_packet_bytes = 480,	  /* assumed: II.A, 512 less a chunk */
	.device_copy_ps = 5150000,	  /* assumed: same as apenet */
	.device_ps_x1000 = 195313,	  /* assumed: 5.12 GB/s */
	.poll_ps = 50000,		  /* assumed */
	.wtime_ps = 20000,		  /* assumed */
	.care = {
		.code = NET_CODE_RS5,	   /* SC11 II.F */
		.lanes = 4,		   /* assumed: 4 B per cycle */
		.spare_bytes = 4,	   /* SC11 II.G; all lanes: assumed */
		.header_code = NET_HEADER_HAMMING, /* SC11 II.F */
		.end_code = NET_CODE_RS1,  /* SC11 II.F */
		.link_crc = 1,		   /* SC11 II.F */
		.retry_ps = 2000000,	   /* driver: 1000 cycles */
		.retry_alarm = 166000,	   /* driver */
		.ecc_alarm = 50,	   /* driver */
		.internal = NET_INTERNAL_HALT, /* SC11 II.F */
		.detect_ps = 332000000000, /* retry_alarm times retry_ps */
		.detect_exit_ps = 1000000000, /* assumed */
	},
};

void net_config_bgq(struct net_config *cfg)
{
	*cfg = bgq;
}

/* Checks the limits of the numbers of switches, rails and parents. */
static const char *check_fat(const struct net_config *cfg)
{
	uint64_t level = 1, sum = 0, w;
	unsigned l;

	if (cfg->rails > 8)
		return "more than 8 rails";

	for (l = 0; l < cfg->dims; l++)
		level *= cfg->size[l];
	for (l = 0; l < cfg->dims; l++) {
		w = cfg->parents[l];
		if (cfg->topology == NET_FAT_TREE)
			w = l ? cfg->size[l - 1] : 1;
		if (!l && cfg->rails)
			w = (w ? w : 1) * cfg->rails;
		if (w > 63)
			return "more than 63 parents";
		level = level / cfg->size[l] * (w ? w : 1);
		sum += level;
		if (sum > 1 << 19)
			return "more than 524288 switches";
	}
	return NULL;
}

/* Checks the I/O nodes of a partition with this number of compute nodes. */
static const char *check_io(const struct net_config *cfg, uint64_t nodes)
{
	if (!cfg->io_nodes)
		return NULL;
	if (cfg->router_nodes > 1 || cfg->fold_ps || cfg->watch_ps)
		return "I/O nodes need a torus with a router per node";
	if (!cfg->io_links || cfg->io_links > 2u * cfg->dims ||
	    cfg->io_links > cfg->io_nodes)
		return "io_links must be 1 to io, and at most two per "
		       "dimension";
	if (nodes % cfg->io_nodes)
		return "io does not divide the number of nodes of a partition";
	return NULL;
}

/* Checks the groups of a dragonfly. */
static const char *check_groups(const struct net_config *cfg)
{
	unsigned links =
		cfg->topology == NET_DRAGONFLY ? cfg->size[1] : cfg->spines;

	if (cfg->dims != 2)
		return "a dragonfly needs a shape of groups and switches per "
		       "group";
	if (cfg->topology == NET_DRAGONFLY_PLUS && !cfg->spines)
		return "dragonfly+ needs spines";
	if (links * cfg->global_links < cfg->size[0] - 1u)
		return "global_links times switches of a group is less than "
		       "the number of other groups";
	return NULL;
}

/* Checks the limits of a network of switches. */
static const char *check_switched(const struct net_config *cfg)
{
	bool groups = cfg->topology == NET_DRAGONFLY ||
		      cfg->topology == NET_DRAGONFLY_PLUS;
	const char *bad = groups ? check_groups(cfg) : NULL;

	if (bad)
		return bad;
	if (cfg->topology == NET_GRAPH &&
	    (!cfg->graph.switches || cfg->graph.switches > NET_GRAPH_SWITCHES))
		return "a graph has 1 to 1024 switches";
	if (net_switches(cfg) > NET_SWITCHES_MAX)
		return "more than 4096 switches";
	if (cfg->path_rule > NET_UP_DOWN ||
	    (cfg->path_rule == NET_UP_DOWN && cfg->topology != NET_GRAPH))
		return "up-down routing is for graphs";
	if (cfg->vcs < net_switches_vcs(cfg, 0) || cfg->vcs > 6)
		return "vcs must be at least the number that the routing "
		       "needs, at most 6";
	if (cfg->faults)
		return "fault plans are not modelled on dragonfly, hyperx and "
		       "graph";
	if (cfg->dyn_queues != 1 || cfg->routes || cfg->wormhole ||
	    cfg->tokens_shared || cfg->columns || cfg->look_ahead ||
	    cfg->credit_words || cfg->read_paths || cfg->watch_ps ||
	    cfg->counters || cfg->rails > 1 || cfg->io_nodes)
		return "a network of switches has one dynamic queue, and no "
		       "class routes, wormholes, shared tokens, columns, "
		       "look_ahead, credit_words, read_paths, watch, counters, "
		       "rails or I/O nodes";
	return NULL;
}

static const char *check_shape(const struct net_config *cfg)
{
	uint64_t nodes = 1;
	const char *bad;
	unsigned d;

	if (cfg->topology >= NET_TOPOLOGIES)
		return "unknown topology";
	if (!cfg->dims || cfg->dims > NET_DIMS_MAX)
		return "dimensions must be 1 to 6";
	bad = net_is_switched(cfg) ? check_switched(cfg) : NULL;
	if (bad)
		return bad;
	if (cfg->topology == NET_GRAPH)
		return NULL;
	if (cfg->router_nodes > 1) {
		if (net_is_switched(cfg) ? cfg->router_nodes > 62
					 : cfg->topology != NET_TORUS ||
						   cfg->router_nodes > 8)
			return "router_nodes must be 1 to 8 on a torus, 1 to "
			       "62 on switches, and is not for trees";
		nodes = 1u + cfg->router_nodes;
	}
	for (d = 0; d < cfg->dims; d++) {
		if (!cfg->size[d] ||
		    cfg->size[d] > (net_is_switched(cfg) ? 1024 : 128))
			return "a length of shape must be 1 to 128, in "
			       "networks of switches 1 to 1024";
		nodes *= cfg->size[d];
	}
	if (cfg->topology != NET_TORUS &&
	    (cfg->io_nodes || net_partitions(cfg) > 1))
		return "io and partitions are for a torus";
	bad = check_io(cfg, nodes);
	if (bad)
		return bad;
	nodes *= net_partitions(cfg);
	if (cfg->io_nodes)
		nodes += nodes / cfg->io_nodes;
	if (nodes > 1 << 19)
		return "more than 524288 nodes";
	if (cfg->query_ps && nodes > UINT16_MAX)
		return "query is set: barriers by query support at most 65535 "
		       "nodes";
	if (net_is_switched(cfg))
		return NULL;
	if (cfg->topology != NET_TORUS)
		return check_fat(cfg);
	if (cfg->rails > 1 || cfg->siblings || cfg->supernode)
		return "rails, siblings and supernode are for trees only";
	return NULL;
}

/* Checks that the order and each zone set contain every dimension. */
static const char *check_orders(const struct net_config *cfg)
{
	uint8_t all = (uint8_t)((1u << cfg->dims) - 1);
	uint8_t seen = 0;
	unsigned d, z;

	if (cfg->topology != NET_TORUS)
		return NULL;
	for (d = 0; d < cfg->dims; d++)
		seen |= (uint8_t)(1u << (cfg->order[d] & 7));
	if (seen != all)
		return "order must contain each dimension once";
	for (z = 0; z < NET_ZONES; z++) {
		seen = 0;
		for (d = 0; d < NET_DIMS_MAX; d++)
			seen |= cfg->zone[z][d];
		if ((seen & all) != all)
			return "each zone set must contain all dimensions";
	}
	return NULL;
}

/*
 * Returns whether a channel has too few tokens for a packet, or more than a
 * counter can hold.
 */
static int has_few_tokens(const struct net_config *cfg)
{
	unsigned vc;

	for (vc = cfg->wormhole ? NET_VC_COLL0 : 1; vc < NET_VC_MAX; vc++)
		if ((vc < NET_VC_COLL0 && cfg->tokens[vc] < cfg->bubble) ||
		    !cfg->tokens[vc] || cfg->tokens[vc] > 255)
			return 1;
	return 0;
}

/* Returns whether the values of wormhole switching are inconsistent. */
static int has_bad_channels(const struct net_config *cfg)
{
	if (!cfg->wormhole)
		return 0;
	return cfg->topology == NET_TORUS || cfg->channels < 2 ||
	       cfg->channels > 4 || cfg->fifo_bytes < 64 ||
	       cfg->tokens_shared != cfg->channels ||
	       cfg->dyn_queues != cfg->channels ||
	       cfg->credit_bytes != NET_CREDIT_PACKET || cfg->tokens[0] ||
	       cfg->credit_words || cfg->look_ahead || cfg->read_paths;
}

/* Returns whether a node-router link has too many tokens for a counter. */
static int has_many_tokens(const struct net_config *cfg)
{
	unsigned vc;

	for (vc = 1; vc < NET_VC_MAX; vc++)
		if (cfg->tokens[vc] * cfg->tokens_end > 255)
			return 1;
	return 0;
}

/* Returns whether a path takes less than two ticks. */
static int has_short_path(const struct net_config *cfg)
{
	uint64_t least = 2 * (uint64_t)cfg->tick_ps;
	unsigned i;

	for (i = 0; i < net_config_paths(cfg); i++)
		if (cfg->path[i].inject_ps < least ||
		    cfg->path[i].receive_ps < least)
			return 1;
	return 0;
}

/*
 * Returns whether a cut-through path has an engine that reads several packets
 * concurrently.
 */
static int has_split_head(const struct net_config *cfg)
{
	for (unsigned i = 0; i < net_config_paths(cfg); i++)
		if (cfg->path[i].cut_through && cfg->requests > 1)
			return 1;
	return 0;
}

/*
 * Returns whether nodes at different routers would share a bus, or a bus has
 * too many parts.
 */
static int has_uneven_bus(const struct net_config *cfg)
{
	unsigned i;

	for (i = 0; i < cfg->buses; i++)
		if ((cfg->bus[i].nodes > 1 &&
		     net_router_nodes(cfg) % cfg->bus[i].nodes) ||
		    cfg->bus[i].parts > NET_PARTS_MAX)
			return 1;
	return 0;
}

struct rule {
	int bad;
	const char *what;
};

static const char *check_rules(const struct rule *rule, unsigned count)
{
	for (unsigned i = 0; i < count; i++)
		if (rule[i].bad)
			return rule[i].what;
	return NULL;
}

static const char *check_links(const struct net_config *cfg)
{
	uint32_t chunk = cfg->chunk_bytes;
	uint32_t full = net_wire_tokens(
		cfg, net_wire_bytes(cfg, cfg->payload_bytes / chunk));
	const struct rule rule[] = {
		{ !cfg->tick_ps, "tick_ps is 0" },
		{ !cfg->link_ps_per_byte_x1000, "link_ps_per_byte_x1000 is 0" },
		{ !cfg->payload_bytes || cfg->payload_bytes > 4096,
		  "payload_bytes must be 1 to 4096" },
		{ cfg->payload_bytes % chunk,
		  "payload_bytes must be a multiple of chunk_bytes" },
		{ cfg->hop_ps < cfg->tick_ps || cfg->hop_ps >= 4000000,
		  "hop_ps must be at least tick_ps and below 4 us" },
		{ cfg->token_ps < cfg->tick_ps ||
			  (cfg->token_ps + cfg->crossing_ps) / cfg->tick_ps >
				  250,
		  "token_ps must be at least one tick, token_ps + crossing_ps "
		  "at most 250 ticks" },
		{ has_short_path(cfg), "inject_ps and receive_ps of every path "
				       "must be at least two ticks" },
		{ cfg->tokens[0] + cfg->tokens_shared > 4095,
		  "more than 4095 tokens of VC 0" },
		{ cfg->tokens_shared && cfg->topology == NET_TORUS,
		  "tokens_shared: the rings of a torus need private buffers" },
		{ cfg->tokens_shared && cfg->tokens_shared < full,
		  "tokens_shared is less than the tokens of one packet" },
		{ cfg->tokens[0] + cfg->tokens_shared < full + cfg->inject_room,
		  "tokens of VC 0 are less than one packet plus inject_room" },
		{ has_few_tokens(cfg),
		  "tokens of VC 1 and up must be at least bubble and "
		  "at most 255" },
		{ cfg->credit_words &&
			  (!cfg->block_bytes || !cfg->block_header_bytes ||
			   cfg->columns || cfg->look_ahead),
		  "credit_words requires block and block_header, and neither "
		  "columns nor look_ahead" },
		{ has_bad_channels(cfg),
		  "wormhole switching needs a tree, 2 to 4 channels as shared "
		  "tokens and dynamic queues, a fifo of at least 64 bytes, and "
		  "no other tokens" },
		{ cfg->payload_bytes / chunk > 128,
		  "more than 128 chunks of payload" },
	};

	return check_rules(rule, WEFT_COUNT_OF(rule));
}

static const char *check_nodes(const struct net_config *cfg)
{
	const struct rule rule[] = {
		{ cfg->routes &&
			  cfg->coll_inject_ps < 2 * (uint64_t)cfg->tick_ps,
		  "coll_inject_ps is below two ticks" },
		{ cfg->barriers && !cfg->barrier_bytes, "barrier_bytes is 0" },
		{ cfg->columns && (!cfg->row_buffer || cfg->columns > 64 ||
				   cfg->dyn_queues > 3 ||
				   cfg->router_nodes < 2 || cfg->read_paths),
		  "columns must be at most 64 and requires row_buffer > 0, "
		  "router_nodes >= 2, dyn_queues <= 3 and no read_paths" },
		{ has_split_head(cfg),
		  "cut_through requires engines with one request at a time" },
		{ has_uneven_bus(cfg),
		  "the nodes of a bus must divide router_nodes, and it has at "
		  "most 16 parts" },
		{ cfg->tokens_end > 16 || has_many_tokens(cfg),
		  "tokens_end must be at most 16, and tokens * tokens_end at "
		  "most 255" },
		{ !cfg->dyn_queues, "dyn_queues is 0" },
		{ !cfg->inject_fifos || cfg->inject_fifos > 16,
		  "inject_fifos must be 1 to 16" },
		{ cfg->torus_fifos && cfg->torus_fifos + 6 > cfg->inject_fifos,
		  "torus_fifos must be 0 or at most inject_fifos - 6" },
		{ cfg->coll_shared && cfg->tokens_shared,
		  "coll_shared excludes shared tokens and wormhole switching" },
		{ cfg->torus_fifos && (cfg->engines || cfg->ack_bytes),
		  "torus_fifos excludes engines and acknowledgements" },
		{ cfg->engines > cfg->inject_fifos,
		  "more engines than inject_fifos" },
		{ !cfg->inject_depth || cfg->inject_depth > 255,
		  "inject_depth must be 1 to 255" },
		{ cfg->choices > NET_CHOICES_MAX,
		  "more choices of collective algorithms than 64" },
		{ !cfg->through_share || cfg->through_share > 255,
		  "through_share must be 1 to 255" },
		{ cfg->routes_system > cfg->routes || cfg->routes > 64,
		  "routes must be at most 64, and routes_system at most "
		  "routes" },
	};

	return check_rules(rule, WEFT_COUNT_OF(rule));
}

const char *net_config_wrong(const struct net_config *cfg)
{
	const char *bad = cfg->chunk_bytes ? NULL : "chunk_bytes is 0";

	if (!bad)
		bad = check_links(cfg);
	if (!bad)
		bad = check_nodes(cfg);
	if (!bad)
		bad = check_shape(cfg);
	return bad ? bad : check_orders(cfg);
}

int net_config_check(const struct net_config *cfg)
{
	const char *bad = net_config_wrong(cfg);

	if (!bad)
		return 0;
	weft_log(WEFT_LOG_ERROR, "net: machine %s: %s", cfg->name, bad);
	return -EINVAL;
}

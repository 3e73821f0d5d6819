/* SPDX-License-Identifier: BSD-3-Clause */
/* The keys of a machine file: one row each. */
#include "prov/net/net_file_int.h"
#include "src/base/cfg.h"

#include <string.h>

#define CFG(field)                          \
	offsetof(struct net_config, field), \
		sizeof(((struct net_config *)0)->field)
#define PS_MAX 1000000000000u /* a second */
#define MANY   1000000000u

#define PATH(field) \
	offsetof(struct net_path, field), sizeof(((struct net_path *)0)->field)
#define BUS(field) \
	offsetof(struct net_bus, field), sizeof(((struct net_bus *)0)->field)

const struct file_key file_keys[] = {
	{ "name", FILE_NAME, CFG(name), 1, 31, 0,
	  "the machine's name, as bgq" },
	{ "unit", FILE_NAME, CFG(unit), 1, 15, 0,
	  "the network interface that programs see, as mu" },
	{ "topology", FILE_TOPOLOGY, CFG(topology), 0, 2, 0,
	  "torus, fat-tree or gen-fat-tree" },
	{ "shape", FILE_DIMS, CFG(size), 1, 128, 0,
	  "lengths when none are asked for, as 4x4x4x4x2" },
	{ "full", FILE_DIMS, CFG(full), 1, 4096, FILE_TORUS_ONLY,
	  "lengths of the largest machine, as 16x16x16x12x2" },
	{ "midplane", FILE_DIMS, CFG(midplane), 1, 4096, FILE_TORUS_ONLY,
	  "lengths between link chips, as 4x4x4x4x2" },
	{ "parents", FILE_DIMS, CFG(parents), 1, 4096, FILE_OPTIONAL,
	  "parents of a switch per level, as 1x8x8" },
	{ "rails", FILE_COUNT, CFG(rails), 1, 8, FILE_OPTIONAL,
	  "trees beside each other that each node has a port in, as 2" },
	{ "siblings", FILE_COUNT, CFG(siblings), 1, 16, FILE_OPTIONAL,
	  "links between switches 0 and 1, 2 and 3 .. of a tree's first level, "
	  "as 4" },
	{ "supernode", FILE_COUNT, CFG(supernode), 1, 6, FILE_OPTIONAL,
	  "levels of a tree that route tables know from outside as one, as 2" },
	{ "closed", FILE_COUNT, CFG(closed), 0, 1, FILE_OPTIONAL,
	  "1: dimensions of a torus are rings, however long they are" },
	{ "router_nodes", FILE_COUNT, CFG(router_nodes), 1, 8, FILE_OPTIONAL,
	  "nodes that share a router of a torus, as 2" },
	{ "ranks_per_node", FILE_COUNT, CFG(ranks_per_node), 1, 1024, 0,
	  "processes on a node when none are asked for, as 1" },

	{ "links", FILE_DIMS, CFG(links), 1, 16, FILE_OPTIONAL,
	  "links to each neighbour, by dimension, as 8x4x8" },
	{ "cable", FILE_DIMS, CFG(cable), 1, 4096, FILE_OPTIONAL,
	  "metres of a link, by dimension or level, as 5x5x25" },
	{ "metre", FILE_TIME, CFG(metre_ps), 0, 100000, FILE_OPTIONAL,
	  "more for each metre of cable, as 4 ns" },

	{ "payload", FILE_BYTES, CFG(payload_bytes), 1, 4096, 0,
	  "most data in a packet, as 512 B" },
	{ "chunk", FILE_BYTES, CFG(chunk_bytes), 1, 4096, 0,
	  "grain of a packet and of tokens, as 32 B" },
	{ "chunk_wire", FILE_BYTES, CFG(chunk_wire_bytes), 1, 4096,
	  FILE_OPTIONAL, "of a chunk on the wire, when it is more, as 146 B" },
	{ "block", FILE_BYTES, CFG(block_bytes), 1, 4096, FILE_OPTIONAL,
	  "payload that has a header of its own in the packet, as 128 B" },
	{ "block_header", FILE_BYTES, CFG(block_header_bytes), 0, 4096,
	  FILE_OPTIONAL, "that header, as 18 B" },
	{ "header", FILE_BYTES, CFG(header_bytes), 0, 4096, 0,
	  "in front of the data, as 32 B" },
	{ "trailer", FILE_BYTES, CFG(trailer_bytes), 0, 4096, 0,
	  "after the data, as 8 B" },
	{ "cycle", FILE_TIME, CFG(tick_ps), 1, 1000000, 0,
	  "period of the network's clock, as 2 ns" },
	{ "link", FILE_RATE_INV, CFG(link_ps_per_byte_x1000), 1, MANY, 0,
	  "raw rate of a link in one direction, as 2 GB/s" },
	{ "link_end", FILE_RATE_INV, CFG(link_end_ps_x1000), 1, MANY,
	  FILE_OPTIONAL, "the same between a node and its router, as 19 GB/s" },
	{ "protocol", FILE_CYCLES, CFG(protocol_ticks), 0, 100000,
	  FILE_OPTIONAL,
	  "link time of acknowledgements and tokens, as 6 cycles a packet" },
	{ "hop", FILE_TIME, CFG(hop_ps), 1, 3999999, 0,
	  "head of a packet from node to node, as 45 ns" },
	{ "hop_end", FILE_TIME, CFG(hop_end_ps), 1, 3999999, FILE_OPTIONAL,
	  "the same into an end node of a tree, or between node and shared "
	  "router, as 1 ns" },
	{ "crossing", FILE_TIME, CFG(crossing_ps), 0, PS_MAX, FILE_OPTIONAL,
	  "more where a midplane ends, as 80 ns" },
	{ "token", FILE_TIME, CFG(token_ps), 1, PS_MAX, 0,
	  "way of a token back to the sender, as 40 ns" },

	{ "tokens_dynamic", FILE_COUNT, CFG(tokens[NET_VC_DYN]), 1, 4095, 0,
	  "buffer of the dynamic channel, as 126 chunks" },
	{ "tokens_deterministic", FILE_COUNT, CFG(tokens[NET_VC_DET]), 2, 255,
	  0, "buffer of the deterministic channel, as 7 packets" },
	{ "tokens_high", FILE_COUNT, CFG(tokens[NET_VC_HIGH]), 1, 255, 0,
	  "buffer of the high priority channel, as 7 packets" },
	{ "tokens_system", FILE_COUNT, CFG(tokens[NET_VC_SYS]), 1, 255, 0,
	  "buffer of the system channel, as 7 packets" },
	{ "tokens_coll0", FILE_COUNT, CFG(tokens[NET_VC_COLL0]), 1, 255,
	  FILE_OPTIONAL,
	  "buffer of the first collective channel, as 7 packets" },
	{ "tokens_coll1", FILE_COUNT, CFG(tokens[NET_VC_COLL1]), 1, 255,
	  FILE_OPTIONAL,
	  "buffer of the second collective channel, as 7 packets" },
	{ "tokens_end", FILE_COUNT, CFG(tokens_end), 1, 16, FILE_OPTIONAL,
	  "buffers between a node and its router, in those of a link, as 8" },
	{ "tokens_shared", FILE_COUNT, CFG(tokens_shared), 1, 4095,
	  FILE_OPTIONAL,
	  "buffer that all channels of a link share beside their own, as 448 "
	  "chunks" },
	{ "credit", FILE_BYTES, CFG(credit_bytes), 1, 4096, FILE_OPTIONAL,
	  "of buffer that a token stands for, when not a chunk, as 64 B" },
	{ "look_ahead", FILE_COUNT, CFG(look_ahead), 0, 1, FILE_OPTIONAL,
	  "1: adaptive packets avoid ports whose tokens return slowly" },
	{ "slow_whole", FILE_COUNT, CFG(slow_whole), 0, 1, FILE_OPTIONAL,
	  "1: a link that is slower than others is not cut through" },
	{ "dyn_queues", FILE_COUNT, CFG(dyn_queues), 1, 7, 0,
	  "queues of the dynamic channel, as 7" },
	{ "read_paths", FILE_COUNT, CFG(read_paths), 1, 16, FILE_OPTIONAL,
	  "packets that leave a channel's buffer at once, as 2" },
	{ "through_share", FILE_COUNT, CFG(through_share), 1, 255,
	  FILE_OPTIONAL, "packets passing through for one injected, as 16" },
	{ "inject_room", FILE_COUNT, CFG(inject_room), 0, 65535, FILE_OPTIONAL,
	  "chunks of the dynamic channel that injection leaves free, as 18" },
	{ "bubble", FILE_COUNT, CFG(bubble), 1, 16, FILE_OPTIONAL,
	  "packets free in a ring to enter it, as 2" },
	{ "columns", FILE_COUNT, CFG(columns), 1, 16, FILE_OPTIONAL,
	  "of the tiles that the ports of a shared router stand in, as 8" },
	{ "row_buffer", FILE_COUNT, CFG(row_buffer), 1, 15, FILE_OPTIONAL,
	  "packets of a receiver before a column, as 1" },
	{ "system_turn", FILE_COUNT, CFG(system_turn), 0, 1, FILE_OPTIONAL,
	  "1: system packets do not go first, but in turn with others" },
	{ "order", FILE_ORDER, CFG(order), 0, 0, FILE_TORUS_ONLY,
	  "order of dimensions: longest, or A B C D E" },
	{ "zone0", FILE_ZONE, CFG(zone[0]), 0, 0, FILE_TORUS_ONLY,
	  "zone masks: longest, any, order, order+E, or AB CD E" },
	{ "zone1", FILE_ZONE, CFG(zone[1]), 0, 0, FILE_TORUS_ONLY,
	  "zone masks: longest, any, order, order+E, or AB CD E" },
	{ "zone2", FILE_ZONE, CFG(zone[2]), 0, 0, FILE_TORUS_ONLY,
	  "zone masks: longest, any, order, order+E, or AB CD E" },
	{ "zone3", FILE_ZONE, CFG(zone[3]), 0, 0, FILE_TORUS_ONLY,
	  "zone masks: longest, any, order, order+E, or AB CD E" },

	{ "inject_fifos", FILE_COUNT, CFG(inject_fifos), 1, 16, 0,
	  "injection FIFOs into the network, as 16" },
	{ "engines", FILE_COUNT, CFG(engines), 1, 16, FILE_OPTIONAL,
	  "of these FIFOs that processes of a node have in turn, as 2" },
	{ "inject_depth", FILE_COUNT, CFG(inject_depth), 1, 255, 0,
	  "packets that one of them holds, as 4" },
	{ "inject", FILE_TIME, CFG(path[0].inject_ps), 2, PS_MAX, 0,
	  "descriptor posted to first packet at the link, as 300 ns" },
	{ "receive", FILE_TIME, CFG(path[0].receive_ps), 1, PS_MAX, 0,
	  "packet off the link to seen in memory, as 240 ns" },
	{ "injection", FILE_RATE_INV, CFG(path[0].injection_ps_per_byte_x1000),
	  1, MANY, 0, "rate of one injection engine, as 3.2 GB/s" },
	{ "reception", FILE_RATE_INV, CFG(path[0].reception_ps_per_byte_x1000),
	  1, MANY, 0, "rate of one reception engine, as 3.2 GB/s" },
	{ "paths", FILE_PATHS, 0, 0, 0, 0, FILE_OPTIONAL,
	  "ways between memory and network, as sten dma; the lines above are "
	  "the first one's, and dma.inject is the second one's" },
	{ "inject", FILE_TIME, PATH(inject_ps), 2, PS_MAX, FILE_OF_PATH,
	  "posted to first packet at the link, as 300 ns" },
	{ "receive", FILE_TIME, PATH(receive_ps), 1, PS_MAX, FILE_OF_PATH,
	  "packet off the link to seen in memory, as 240 ns" },
	{ "injection", FILE_RATE_INV, PATH(injection_ps_per_byte_x1000), 1,
	  MANY, FILE_OF_PATH, "rate of its injection engine, as 3.2 GB/s" },
	{ "reception", FILE_RATE_INV, PATH(reception_ps_per_byte_x1000), 1,
	  MANY, FILE_OF_PATH, "rate of its reception engine, as 3.2 GB/s" },
	{ "gap", FILE_TIME, PATH(gap_ps), 0, PS_MAX, FILE_OF_PATH,
	  "time of its engine between two messages, as 270 ns" },
	{ "packet", FILE_BYTES, PATH(packet_bytes), 1, 4096, FILE_OF_PATH,
	  "most data in a packet of this path, as 128 B" },
	{ "header", FILE_BYTES, PATH(header_bytes), 1, 4096, FILE_OF_PATH,
	  "in front of the data of this path, as 9 B" },
	{ "out", FILE_BUS_MASK, PATH(bus_out), 0, 0, FILE_OF_PATH,
	  "buses that it crosses into the network, as pci" },
	{ "in", FILE_BUS_MASK, PATH(bus_in), 0, 0, FILE_OF_PATH,
	  "buses that it crosses out of the network, as pci" },
	{ "asks", FILE_BUS_MASK, PATH(bus_ask), 0, 0, FILE_OF_PATH,
	  "buses over which it asks for the data that it sends, as pci" },
	{ "ask", FILE_BYTES, PATH(ask_bytes), 1, 4096, FILE_OF_PATH,
	  "on such a bus for each packet, as 12 B" },
	{ "buses", FILE_BUSES, 0, 0, 0, 0, FILE_OPTIONAL,
	  "what paths and both directions share, as pci" },
	{ "rate", FILE_RATE_INV, BUS(ps_per_byte_x1000), 1, MANY, FILE_OF_BUS,
	  "of the bus, as 1 GB/s" },
	{ "turn", FILE_TIME, BUS(packet_ps), 0, PS_MAX, FILE_OF_BUS,
	  "time of the bus for a packet besides its bytes, as 60 ns" },
	{ "nodes", FILE_COUNT, BUS(nodes), 1, 8, FILE_OF_BUS,
	  "nodes of one router that have the bus together, as 2" },
	{ "words", FILE_COUNT, BUS(words), 1, 65536, FILE_OF_BUS,
	  "of memory that the unit behind the bus keeps, as 64" },
	{ "miss", FILE_TIME, BUS(miss_ps), 1, PS_MAX, FILE_OF_BUS,
	  "more for a word that it does not keep, as 12 ns" },
	{ "ack", FILE_BYTES, CFG(ack_bytes), 0, 4096, FILE_OPTIONAL,
	  "data of a packet that acknowledges another, as 4 B" },
	{ "ack_wire", FILE_BYTES, CFG(ack_wire_bytes), 1, 4096, FILE_OPTIONAL,
	  "all of it on the wire, when it has a form of its own, as 6 B" },
	{ "ack_inject", FILE_TIME, CFG(ack_ps), 0, PS_MAX, FILE_OPTIONAL,
	  "packet stored to its acknowledgement at the link, as 20 ns" },
	{ "ack_receive", FILE_TIME, CFG(ack_receive_ps), 1, PS_MAX,
	  FILE_OPTIONAL, "acknowledgement off the link to known, as 20 ns" },
	{ "local", FILE_TIME, CFG(local_ps), 1, PS_MAX, 0,
	  "a packet from a node to itself, as 300 ns" },
	{ "l2", FILE_BYTES, CFG(l2_bytes), 1, UINT64_MAX / 2, FILE_OPTIONAL,
	  "cache that streams spill beyond, as 32 MiB" },
	{ "spill", FILE_RATE_US, CFG(spill_bytes_per_us), 1, MANY,
	  FILE_OPTIONAL,
	  "memory rate once spilt, both directions, as 25 GB/s" },

	{ "routes", FILE_COUNT, CFG(routes), 0, 64, FILE_OPTIONAL,
	  "class routes that a node can be on, as 16" },
	{ "routes_system", FILE_COUNT, CFG(routes_system), 0, 255,
	  FILE_OPTIONAL, "of them not for users, as 3" },
	{ "routes_port", FILE_COUNT, CFG(routes_port), 0, 64, FILE_OPTIONAL,
	  "class routes that come in by one port of a switch, as 32" },
	{ "barriers", FILE_COUNT, CFG(barriers), 0, 255, FILE_OPTIONAL,
	  "barrier classes of a node, as 16" },
	{ "coll_inject", FILE_TIME, CFG(coll_inject_ps), 1, PS_MAX,
	  FILE_OPTIONAL, "as inject, of a packet on a class route, as 260 ns" },
	{ "coll_receive", FILE_TIME, CFG(coll_receive_ps), 1, PS_MAX,
	  FILE_OPTIONAL,
	  "as receive, of a packet on a class route, as 230 ns" },
	{ "coll_injection", FILE_RATE_INV, CFG(coll_injection_ps_x1000), 1,
	  MANY, FILE_OPTIONAL,
	  "as injection, of packets on class routes, as 3.2 GB/s" },
	{ "coll_up", FILE_CYCLES, CFG(coll_up_ticks), 0, 100000, FILE_OPTIONAL,
	  "more per hop up the tree, floating point, as 9 cycles" },
	{ "coll_down", FILE_CYCLES, CFG(coll_down_ticks), 0, 100000,
	  FILE_OPTIONAL,
	  "more per hop down the tree, floating point, as 3 cycles" },
	{ "coll_packet", FILE_CYCLES, CFG(coll_packet_ticks), 1, 100000,
	  FILE_OPTIONAL,
	  "a full packet through the arithmetic unit, as 150 cycles" },

	{ "barrier", FILE_BYTES, CFG(barrier_bytes), 0, 4096, FILE_OPTIONAL,
	  "a packet of a barrier class on the wire, as 12 B" },
	{ "fold", FILE_TIME, CFG(fold_ps), 0, PS_MAX, FILE_OPTIONAL,
	  "an interface that adds two packets of a reduction, as 300 ns" },
	{ "input", FILE_COUNT, CFG(input_slots), 1, 65536, FILE_OPTIONAL,
	  "packets of a rank's input queue; more are discarded, as 128" },
	{ "retry", FILE_TIME, CFG(retry_ps), 1, PS_MAX, FILE_OPTIONAL,
	  "from a discarded packet to the next try, as 1000 ns" },
	{ "atomic", FILE_TIME, CFG(change_ps), 0, PS_MAX, FILE_OPTIONAL,
	  "an interface that changes a word of its memory, as 22 ns" },
	{ "fold_levels", FILE_COUNT, CFG(fold_levels), 1, 4, FILE_OPTIONAL,
	  "of the tree by which interfaces add; without: pairs" },
	{ "bcast_gather", FILE_COUNT, CFG(bcast_gather), 0, 1, FILE_OPTIONAL,
	  "1: interfaces gather all members before a broadcast" },
	{ "query", FILE_TIME, CFG(query_ps), 1, PS_MAX, FILE_OPTIONAL,
	  "barriers ask all nodes: from the answer to what follows, as 80 ns" },
	{ "coll_nodes", FILE_NODES, CFG(coll_range), 0, 0, FILE_OPTIONAL,
	  "which nodes share a class route: any, or a range of them" },

	{ "send", FILE_TIME, CFG(send_ps), 0, PS_MAX, 0,
	  "software of a call that sends, as 48 ns" },
	{ "message", FILE_TIME, CFG(message_ps), 0, PS_MAX, FILE_OPTIONAL,
	  "more, when the message is longer than a packet, as 126 ns" },
	{ "recv", FILE_TIME, CFG(recv_ps), 0, PS_MAX, 0,
	  "software that takes a message, as 48 ns" },
	{ "match", FILE_TIME, CFG(match_ps), 0, PS_MAX, FILE_OPTIONAL,
	  "a unit that finds the receive of a message, as 300 ns" },
	{ "poll", FILE_TIME, CFG(poll_ps), 1, PS_MAX, 0,
	  "a look that found nothing, as 25 ns" },
	{ "wtime", FILE_TIME, CFG(wtime_ps), 1, PS_MAX, 0,
	  "reading the clock, as 10 ns" },
};
const unsigned file_key_count = WEFT_COUNT_OF(file_keys);

#define OF_PART (FILE_OF_PATH | FILE_OF_BUS)

const struct file_key *file_key_find(const char *name, unsigned flags)
{
	for (unsigned i = 0; i < file_key_count; i++)
		if ((file_keys[i].flags & OF_PART) == flags &&
		    !strcmp(file_keys[i].name, name))
			return &file_keys[i];
	return NULL;
}

const struct file_key *file_key_nearest(const char *name)
{
	const struct file_key *best = NULL;
	unsigned least = (unsigned)strlen(name) / 2 + 2, d;

	for (unsigned i = 0; i < file_key_count; i++) {
		if (file_keys[i].flags & OF_PART)
			continue;
		d = weft_cfg_distance(file_keys[i].name, name);
		if (d < least) {
			least = d;
			best = &file_keys[i];
		}
	}
	return best;
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* Table of the keys of a machine file. */
#include "prov/net/file/net_file_int.h"
#include "src/job/job_cfg.h"

#include <string.h>

#define CFG(field)                          \
	offsetof(struct net_config, field), \
		sizeof(((struct net_config *)0)->field)
#define PS_MAX 1000000000000u /* one second */
#define MANY   1000000000u

#define PATH(field) \
	offsetof(struct net_path, field), sizeof(((struct net_path *)0)->field)
#define BUS(field) \
	offsetof(struct net_bus, field), sizeof(((struct net_bus *)0)->field)

#define CHOOSE                                                             \
	"algorithms of a collective, for ranges of ranks and bytes, e.g. " \
	"8-15 "                                                            \
	"64K-1M binomial, 16- 1M- ring"

const struct file_key file_keys[] = {
	{ "name", FILE_NAME, CFG(name), 1, 31, 0,
	  "name of the machine, e.g. bgq" },
	{ "unit", FILE_NAME, CFG(unit), 1, 15, 0,
	  "name of the network interface, e.g. generic" },
	{ "topology", FILE_TOPOLOGY, CFG(topology), 0, 2, 0,
	  "torus, mesh, fat-tree, gen-fat-tree, dragonfly, dragonfly+, hyperx "
	  "or graph" },
	{ "routing", FILE_CODE, CFG(path_rule), 0, 0, FILE_OPTIONAL,
	  "paths between switches: minimal, valiant, ugal, or up-down "
	  "(graph)" },
	{ "vcs", FILE_COUNT, CFG(vcs), 1, 6, FILE_OPTIONAL,
	  "virtual channels of a link between switches (default: as many as "
	  "the routing needs), 1 to 6" },
	{ "global_links", FILE_COUNT, CFG(global_links), 1, 63, FILE_OPTIONAL,
	  "dragonfly: links of a switch (of a spine) to other groups, e.g. 4" },
	{ "spines", FILE_COUNT, CFG(spines), 1, 63, FILE_OPTIONAL,
	  "dragonfly+: switches of a group without nodes, e.g. 8" },
	{ "graph", FILE_GRAPH, 0, 0, 0, 0, FILE_OPTIONAL,
	  "file with the links between switches, beside the machine file, e.g. "
	  "my.dot" },
	{ "shape", FILE_DIMS, CFG(size), 1, 128, 0,
	  "default lengths, e.g. 4x4x4x4x2" },
	{ "full", FILE_DIMS, CFG(full), 1, 4096, FILE_TORUS_ONLY,
	  "lengths of the largest machine, e.g. 16x16x16x12x2" },
	{ "midplane", FILE_DIMS, CFG(midplane), 1, 4096, FILE_TORUS_ONLY,
	  "lengths between link chips, e.g. 4x4x4x4x2" },
	{ "partitions", FILE_COUNT, CFG(partitions), 1, 1024, FILE_OPTIONAL,
	  "separate partitions of this shape, e.g. 2" },
	{ "io", FILE_COUNT, CFG(io_nodes), 1, 4096, FILE_OPTIONAL,
	  "compute nodes per I/O node, e.g. 32" },
	{ "io_links", FILE_COUNT, CFG(io_links), 1, 12, FILE_OPTIONAL,
	  "links of an I/O node to compute nodes, e.g. 2" },
	{ "io_time", FILE_TIME, CFG(io_ps), 0, 1000000000000, FILE_OPTIONAL,
	  "time of a file access in the I/O node, e.g. 100 us" },
	{ "io_rate", FILE_RATE_INV, CFG(io_ps_per_byte_x1000), 1, MANY,
	  FILE_OPTIONAL,
	  "rate of an I/O node to the file system, e.g. 4 GB/s" },
	{ "parents", FILE_DIMS, CFG(parents), 1, 4096, FILE_OPTIONAL,
	  "parents of a switch per level, e.g. 1x8x8" },
	{ "rails", FILE_COUNT, CFG(rails), 1, 8, FILE_OPTIONAL,
	  "parallel trees; each node has a port in each, e.g. 2" },
	{ "siblings", FILE_COUNT, CFG(siblings), 1, 16, FILE_OPTIONAL,
	  "links between switches 0 and 1, 2 and 3 .. of a tree's first level, "
	  "e.g. 4" },
	{ "supernode", FILE_COUNT, CFG(supernode), 1, 6, FILE_OPTIONAL,
	  "levels of a supernode, which has one entry in other routing tables, "
	  "e.g. "
	  "2" },
	{ "closed", FILE_COUNT, CFG(closed), 0, 1, FILE_OPTIONAL,
	  "1: all dimensions of a torus are rings" },
	{ "router_nodes", FILE_COUNT, CFG(router_nodes), 1, 62, FILE_OPTIONAL,
	  "nodes of a switch; nodes that share a router of a torus (at most "
	  "8), e.g. 2" },
	{ "ranks_per_node", FILE_COUNT, CFG(ranks_per_node), 1, 1024, 0,
	  "default processes per node, e.g. 1" },

	{ "links", FILE_DIMS, CFG(links), 1, 16, FILE_OPTIONAL,
	  "links to each neighbour, by dimension, e.g. 8x4x8" },
	{ "cable", FILE_DIMS, CFG(cable), 1, 4096, FILE_OPTIONAL,
	  "metres of a link, by dimension or level, e.g. 5x5x25; with "
	  "midplanes "
	  "those of the links between them" },
	{ "metre", FILE_TIME, CFG(metre_ps), 0, 100000, FILE_OPTIONAL,
	  "latency per metre of cable, e.g. 4 ns" },

	{ "payload", FILE_BYTES, CFG(payload_bytes), 1, 4096, 0,
	  "largest payload of a packet, e.g. 512 B" },
	{ "chunk", FILE_BYTES, CFG(chunk_bytes), 1, 4096, 0,
	  "granularity of packets and tokens, e.g. 32 B" },
	{ "chunk_wire", FILE_BYTES, CFG(chunk_wire_bytes), 1, 4096,
	  FILE_OPTIONAL,
	  "bytes of a chunk on the wire, if more than chunk, e.g. 146 B" },
	{ "block", FILE_BYTES, CFG(block_bytes), 1, 4096, FILE_OPTIONAL,
	  "payload bytes per block header, e.g. 128 B" },
	{ "block_header", FILE_BYTES, CFG(block_header_bytes), 0, 4096,
	  FILE_OPTIONAL, "header of a block, e.g. 18 B" },
	{ "header", FILE_BYTES, CFG(header_bytes), 0, 4096, 0,
	  "packet header before the payload, e.g. 32 B" },
	{ "trailer", FILE_BYTES, CFG(trailer_bytes), 0, 4096, 0,
	  "packet trailer after the payload, e.g. 8 B" },
	{ "cycle", FILE_TIME, CFG(tick_ps), 1, 1000000, 0,
	  "period of the network's clock, e.g. 2 ns" },
	{ "link", FILE_RATE_INV, CFG(link_ps_per_byte_x1000), 1, MANY, 0,
	  "raw rate of a link in one direction, e.g. 2 GB/s" },
	{ "link_end", FILE_RATE_INV, CFG(link_end_ps_x1000), 1, MANY,
	  FILE_OPTIONAL,
	  "raw rate between a node and its router, e.g. 19 GB/s" },
	{ "protocol", FILE_CYCLES, CFG(protocol_ticks), 0, 100000,
	  FILE_OPTIONAL,
	  "link time of acknowledgements and tokens per packet, e.g. 6 "
	  "cycles" },
	{ "hop", FILE_TIME, CFG(hop_ps), 1, 3999999, 0,
	  "latency of a packet's head from node to node, e.g. 45 ns" },
	{ "hop_end", FILE_TIME, CFG(hop_end_ps), 1, 3999999, FILE_OPTIONAL,
	  "latency into an end node of a tree, or between node and shared "
	  "router, e.g. 1 ns" },
	{ "crossing", FILE_TIME, CFG(crossing_ps), 0, PS_MAX, FILE_OPTIONAL,
	  "additional latency between midplanes, e.g. 80 ns" },
	{ "token", FILE_TIME, CFG(token_ps), 1, PS_MAX, 0,
	  "return time of a token, e.g. 40 ns" },

	{ "switching", FILE_CODE, CFG(wormhole), 0, 0, FILE_OPTIONAL,
	  "cut-through, or wormhole (trees), whose packets hold a channel of "
	  "every link until they are acknowledged" },
	{ "channels", FILE_COUNT, CFG(channels), 2, 4, FILE_OPTIONAL,
	  "wormhole: channels of a link, e.g. 2" },
	{ "fifo", FILE_BYTES, CFG(fifo_bytes), 64, 65536, FILE_OPTIONAL,
	  "wormhole: buffer of a channel at the receiver, e.g. 1024 B" },
	{ "tokens_dynamic", FILE_COUNT, CFG(tokens[NET_VC_DYN]), 1, 4095,
	  FILE_CUT_THROUGH, "buffer of the dynamic channel, e.g. 126 chunks" },
	{ "tokens_deterministic", FILE_COUNT, CFG(tokens[NET_VC_DET]), 2, 255,
	  FILE_CUT_THROUGH,
	  "buffer of the deterministic channel, e.g. 7 packets" },
	{ "tokens_high", FILE_COUNT, CFG(tokens[NET_VC_HIGH]), 1, 255,
	  FILE_CUT_THROUGH,
	  "buffer of the high priority channel, e.g. 7 packets" },
	{ "tokens_system", FILE_COUNT, CFG(tokens[NET_VC_SYS]), 1, 255,
	  FILE_CUT_THROUGH, "buffer of the system channel, e.g. 7 packets" },
	{ "tokens_coll0", FILE_COUNT, CFG(tokens[NET_VC_COLL0]), 1, 255,
	  FILE_OPTIONAL,
	  "buffer of the first collective channel, e.g. 7 packets" },
	{ "tokens_coll1", FILE_COUNT, CFG(tokens[NET_VC_COLL1]), 1, 255,
	  FILE_OPTIONAL,
	  "buffer of the second collective channel, e.g. 7 packets" },
	{ "tokens_end", FILE_COUNT, CFG(tokens_end), 1, 16, FILE_OPTIONAL,
	  "buffers between a node and its router, as a multiple of a link's, "
	  "e.g. 8" },
	{ "tokens_shared", FILE_COUNT, CFG(tokens_shared), 1, 4095,
	  FILE_OPTIONAL,
	  "buffer that all channels of a link share in addition to private "
	  "ones, e.g. 448 chunks" },
	{ "credit", FILE_BYTES, CFG(credit_bytes), 1, 4096, FILE_OPTIONAL,
	  "buffer bytes per token, if not a chunk, e.g. 64 B" },
	{ "look_ahead", FILE_COUNT, CFG(look_ahead), 0, 1, FILE_OPTIONAL,
	  "1: adaptive packets avoid ports whose tokens return slowly" },
	{ "credit_words", FILE_COUNT, CFG(credit_words), 0, 1, FILE_OPTIONAL,
	  "1: tokens return in the control words (block_header) of the reverse "
	  "link" },
	{ "slow_store_forward", FILE_COUNT, CFG(slow_store_forward), 0, 1,
	  FILE_OPTIONAL, "1: links slower than others are store-and-forward" },
	{ "dyn_queues", FILE_COUNT, CFG(dyn_queues), 1, 7, FILE_CUT_THROUGH,
	  "queues of the dynamic channel, e.g. 7" },
	{ "read_paths", FILE_COUNT, CFG(read_paths), 1, 16, FILE_OPTIONAL,
	  "packets that may leave a channel's buffer concurrently, e.g. 2" },
	{ "through_share", FILE_COUNT, CFG(through_share), 1, 255,
	  FILE_OPTIONAL,
	  "grants to passing packets per injected packet, e.g. 16" },
	{ "inject_room", FILE_COUNT, CFG(inject_room), 0, 65535, FILE_OPTIONAL,
	  "chunks of the dynamic channel that injection leaves free, e.g. 18" },
	{ "bubble", FILE_COUNT, CFG(bubble), 1, 16, FILE_OPTIONAL,
	  "free packet buffers needed to enter a ring, e.g. 2" },
	{ "columns", FILE_COUNT, CFG(columns), 1, 16, FILE_OPTIONAL,
	  "columns of tiles of a shared router, e.g. 8" },
	{ "row_buffer", FILE_COUNT, CFG(row_buffer), 1, 15, FILE_OPTIONAL,
	  "packets per receiver buffered at a column, e.g. 1" },
	{ "system_alternate", FILE_COUNT, CFG(system_alternate), 0, 1,
	  FILE_OPTIONAL,
	  "1: system packets alternate with others, without priority" },
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

	{ "buffer", FILE_COUNT, CFG(buffer_packets), 2, 255, FILE_OPTIONAL,
	  "generic: packets that a receiver buffers per virtual channel, e.g. "
	  "16 packets" },
	{ "o_send", FILE_TIME, CFG(send_ps), 0, PS_MAX, FILE_OPTIONAL,
	  "LogGP o: time of the processor to send a message, e.g. 200 ns" },
	{ "o_recv", FILE_TIME, CFG(recv_ps), 0, PS_MAX, FILE_OPTIONAL,
	  "LogGP o: time of the processor to receive a message, e.g. 200 ns" },
	{ "latency", FILE_TIME, CFG(latency_ps), 4, PS_MAX, FILE_OPTIONAL,
	  "part of LogGP L in the two interfaces: from the post to the link, "
	  "and from the link to memory, e.g. 600 ns" },
	{ "gap", FILE_TIME, CFG(path[0].gap_ps), 0, PS_MAX, FILE_OPTIONAL,
	  "LogGP g: time of the interface between two messages, e.g. 20 ns" },
	{ "G", FILE_BYTE_TIME, CFG(byte_ps_x1000), 1, MANY, FILE_OPTIONAL,
	  "LogGP G: time per byte in the interface (default: the rate of the "
	  "link), e.g. 0.08 ns" },
	{ "inject_fifos", FILE_COUNT, CFG(inject_fifos), 1, 16, 0,
	  "injection FIFOs into the network, e.g. 16" },
	{ "counters", FILE_CODE, CFG(counters), 0, 0, FILE_OPTIONAL,
	  "counters of ports with masks of channels: no or yes" },
	{ "torus_fifos", FILE_COUNT, CFG(torus_fifos), 1, 10, FILE_OPTIONAL,
	  "network FIFOs for normal packets; those of other classes follow, "
	  "e.g. 10" },
	{ "memory_fifos", FILE_COUNT, CFG(memory_fifos), 2, 4096, FILE_OPTIONAL,
	  "injection FIFOs in memory that the ranks of a node share, e.g. "
	  "544" },
	{ "engines", FILE_COUNT, CFG(engines), 1, 16, FILE_OPTIONAL,
	  "injection FIFOs assigned round-robin to a node's processes, e.g. "
	  "2" },
	{ "engines_by", FILE_CODE, CFG(engines_by), 0, 0, FILE_OPTIONAL,
	  "whether an engine serves a process, or the messages of a process to "
	  "a peer, process or peer" },
	{ "fifo_order", FILE_CODE, CFG(random_fifos), 0, 0, FILE_OPTIONAL,
	  "order in which engines select among injection FIFOs in memory, "
	  "round-robin or random" },
	{ "requests", FILE_COUNT, CFG(requests), 1, 2, FILE_OPTIONAL,
	  "packets that an engine reads from memory concurrently, e.g. 2" },
	{ "outstanding", FILE_COUNT, CFG(outstanding), 1, 65536, FILE_OPTIONAL,
	  "packets of a node that may wait for acknowledgements, e.g. 1024" },
	{ "transactions", FILE_COUNT, CFG(transactions), 1, 65536,
	  FILE_OPTIONAL,
	  "messages of a node that may wait for acknowledgements, e.g. 255" },
	{ "inject_depth", FILE_COUNT, CFG(inject_depth), 1, 255, 0,
	  "packets per injection FIFO, e.g. 4" },
	{ "inject", FILE_TIME, CFG(path[0].inject_ps), 2, PS_MAX, 0,
	  "time from posting a descriptor to the first packet at the link, "
	  "e.g. 300 ns" },
	{ "receive", FILE_TIME, CFG(path[0].receive_ps), 1, PS_MAX, 0,
	  "time from the link to visible in memory, e.g. 240 ns" },
	{ "injection", FILE_RATE_INV, CFG(path[0].injection_ps_per_byte_x1000),
	  1, MANY, 0, "rate of one injection engine, e.g. 3.2 GB/s" },
	{ "reception", FILE_RATE_INV, CFG(path[0].reception_ps_per_byte_x1000),
	  1, MANY, 0, "rate of one reception engine, e.g. 3.2 GB/s" },
	{ "paths", FILE_PATHS, 0, 0, 0, 0, FILE_OPTIONAL,
	  "paths between memory and network, e.g. sten dma; the lines above "
	  "belong to the first, dma.inject to the second" },
	{ "inject", FILE_TIME, PATH(inject_ps), 2, PS_MAX, FILE_OF_PATH,
	  "time from posting to the first packet at the link, e.g. 300 ns" },
	{ "receive", FILE_TIME, PATH(receive_ps), 1, PS_MAX, FILE_OF_PATH,
	  "time from the link to visible in memory, e.g. 240 ns" },
	{ "injection", FILE_RATE_INV, PATH(injection_ps_per_byte_x1000), 1,
	  MANY, FILE_OF_PATH,
	  "rate of the path's injection engine, e.g. 3.2 GB/s" },
	{ "reception", FILE_RATE_INV, PATH(reception_ps_per_byte_x1000), 1,
	  MANY, FILE_OF_PATH,
	  "rate of the path's reception engine, e.g. 3.2 GB/s" },
	{ "read", FILE_TIME, PATH(read_ps), 0, PS_MAX, FILE_OF_PATH,
	  "engine time per packet, in addition to its bytes, e.g. 1 us" },
	{ "gap", FILE_TIME, PATH(gap_ps), 0, PS_MAX, FILE_OF_PATH,
	  "engine time between two messages, e.g. 270 ns" },
	{ "packet", FILE_BYTES, PATH(packet_bytes), 1, 4096, FILE_OF_PATH,
	  "largest payload of a packet of this path, e.g. 128 B" },
	{ "header", FILE_BYTES, PATH(header_bytes), 1, 4096, FILE_OF_PATH,
	  "packet header of this path, e.g. 9 B" },
	{ "out", FILE_BUS_MASK, PATH(bus_out), 0, 0, FILE_OF_PATH,
	  "buses that outgoing packets cross, e.g. pci" },
	{ "in", FILE_BUS_MASK, PATH(bus_in), 0, 0, FILE_OF_PATH,
	  "buses that incoming packets cross, e.g. pci" },
	{ "request_bus", FILE_BUS_MASK, PATH(bus_request), 0, 0, FILE_OF_PATH,
	  "buses that carry the path's read requests, e.g. pci" },
	{ "request", FILE_BYTES, PATH(request_bytes), 1, 4096, FILE_OF_PATH,
	  "bytes of a read request per packet, e.g. 12 B" },
	{ "page", FILE_BYTES, PATH(page_bytes), 8, 1 << 20, FILE_OF_PATH,
	  "granularity of target addresses for buses with a word cache, e.g. "
	  "4096 B" },
	{ "burst_out", FILE_BYTES, PATH(burst_out_bytes), 1, 4096, FILE_OF_PATH,
	  "bytes of a burst of outgoing data on its buses, e.g. 64 B" },
	{ "burst_in", FILE_BYTES, PATH(burst_in_bytes), 1, 4096, FILE_OF_PATH,
	  "bytes of a burst of incoming data on its buses, e.g. 512 B" },
	{ "cut_through", FILE_CODE, PATH(cut_through), 0, 0, FILE_OF_PATH,
	  "a packet's head leaves before its tail is built: no or yes" },
	{ "buses", FILE_BUSES, 0, 0, 0, 0, FILE_OPTIONAL,
	  "buses shared by paths and both directions, e.g. pci" },
	{ "rate", FILE_RATE_INV, BUS(ps_per_byte_x1000), 1, MANY, FILE_OF_BUS,
	  "rate of the bus, e.g. 1 GB/s" },
	{ "per_packet", FILE_TIME, BUS(packet_ps), 0, PS_MAX, FILE_OF_BUS,
	  "bus time per packet, in addition to its bytes, e.g. 60 ns" },
	{ "per_burst", FILE_TIME, BUS(burst_ps), 0, PS_MAX, FILE_OF_BUS,
	  "bus time per burst, in addition to its bytes, e.g. 76 ns" },
	{ "nodes", FILE_COUNT, BUS(nodes), 1, 8, FILE_OF_BUS,
	  "nodes of one router that share the bus, e.g. 2" },
	{ "parts", FILE_COUNT, BUS(parts), 1, NET_PARTS_MAX, FILE_OF_BUS,
	  "equal parts of the bus, of which a packet uses one, e.g. 8" },
	{ "words", FILE_COUNT, BUS(words), 0, 65536, FILE_OF_BUS,
	  "entries of the bus's word cache, e.g. 64" },
	{ "miss", FILE_TIME, BUS(miss_ps), 1, PS_MAX, FILE_OF_BUS,
	  "additional time of a word cache miss, e.g. 12 ns" },
	{ "lookup", FILE_TIME, BUS(lookup_ps), 1, PS_MAX, FILE_OF_BUS,
	  "time in which a processor finds an address that is not in the word "
	  "cache, before the packet is stored, e.g. 1100 ns" },
	{ "ack", FILE_BYTES, CFG(ack_bytes), 0, 4096, FILE_OPTIONAL,
	  "payload of an acknowledgement packet, e.g. 4 B" },
	{ "ack_wire", FILE_BYTES, CFG(ack_wire_bytes), 1, 4096, FILE_OPTIONAL,
	  "size of an acknowledgement on the wire, if not that of a packet, "
	  "e.g. 6 B" },
	{ "ack_inject", FILE_TIME, CFG(ack_ps), 0, PS_MAX, FILE_OPTIONAL,
	  "time from packet stored to acknowledgement at the link, e.g. 20 "
	  "ns" },
	{ "ack_receive", FILE_TIME, CFG(ack_receive_ps), 1, PS_MAX,
	  FILE_OPTIONAL,
	  "time from acknowledgement received to unit notified, e.g. 20 ns" },
	{ "local", FILE_TIME, CFG(local_ps), 1, PS_MAX, 0,
	  "latency of a packet from a node to itself, e.g. 300 ns" },
	{ "l2", FILE_BYTES, CFG(l2_bytes), 1, UINT64_MAX / 2, FILE_OPTIONAL,
	  "cache size beyond which data goes to memory, e.g. 32 MiB" },
	{ "spill", FILE_RATE_US, CFG(spill_bytes_per_us), 1, MANY,
	  FILE_OPTIONAL,
	  "memory rate beyond l2, both directions, e.g. 25 GB/s" },

	{ "routes", FILE_COUNT, CFG(routes), 0, 64, FILE_OPTIONAL,
	  "class routes per node, e.g. 16" },
	{ "routes_system", FILE_COUNT, CFG(routes_system), 0, 255,
	  FILE_OPTIONAL, "class routes reserved for the system, e.g. 3" },
	{ "routes_port", FILE_COUNT, CFG(routes_port), 0, 64, FILE_OPTIONAL,
	  "class routes per port of a switch, e.g. 32" },
	{ "barriers", FILE_COUNT, CFG(barriers), 0, 255, FILE_OPTIONAL,
	  "barrier classes of a node, e.g. 16" },
	{ "coll_inject", FILE_TIME, CFG(coll_inject_ps), 1, PS_MAX,
	  FILE_OPTIONAL, "inject for packets on class routes, e.g. 260 ns" },
	{ "coll_receive", FILE_TIME, CFG(coll_receive_ps), 1, PS_MAX,
	  FILE_OPTIONAL, "receive for packets on class routes, e.g. 230 ns" },
	{ "coll_injection", FILE_RATE_INV, CFG(coll_injection_ps_x1000), 1,
	  MANY, FILE_OPTIONAL,
	  "injection for packets on class routes, e.g. 3.2 GB/s" },
	{ "coll_up", FILE_CYCLES, CFG(coll_up_ticks), 0, 100000, FILE_OPTIONAL,
	  "additional time per hop up the tree, floating point, e.g. 9 "
	  "cycles" },
	{ "coll_down", FILE_CYCLES, CFG(coll_down_ticks), 0, 100000,
	  FILE_OPTIONAL,
	  "additional time per hop down the tree, floating point, e.g. 3 "
	  "cycles" },
	{ "coll_packet", FILE_CYCLES, CFG(coll_packet_ticks), 1, 100000,
	  FILE_OPTIONAL,
	  "time of a full packet in the arithmetic unit, e.g. 150 cycles" },

	{ "barrier", FILE_BYTES, CFG(barrier_bytes), 0, 4096, FILE_OPTIONAL,
	  "size of a barrier packet on the wire, e.g. 12 B" },
	{ "fold", FILE_TIME, CFG(fold_ps), 0, PS_MAX, FILE_OPTIONAL,
	  "time in which an interface combines two packets, e.g. 300 "
	  "ns" },
	{ "input", FILE_COUNT, CFG(input_slots), 1, 65536, FILE_OPTIONAL,
	  "packets in a rank's input queue; others are discarded, e.g. 128" },
	{ "input_retry", FILE_TIME, CFG(retry_ps), 1, PS_MAX, FILE_OPTIONAL,
	  "retry delay after a discarded packet, e.g. 1000 ns" },
	{ "atomic", FILE_TIME, CFG(change_ps), 0, PS_MAX, FILE_OPTIONAL,
	  "time of an atomic in an interface, e.g. 22 ns" },
	{ "fold_levels", FILE_COUNT, CFG(fold_levels), 1, 4, FILE_OPTIONAL,
	  "levels of the tree in which interfaces add; unset: pairwise, e.g. "
	  "2" },
	{ "bcast_gather", FILE_COUNT, CFG(bcast_gather), 0, 1, FILE_OPTIONAL,
	  "1: interfaces gather all members before a broadcast" },
	{ "query", FILE_TIME, CFG(query_ps), 1, PS_MAX, FILE_OPTIONAL,
	  "barriers by query: time from answer to next packet, e.g. 80 ns" },
	{ "coll_nodes", FILE_NODES, CFG(coll_range), 0, 0, FILE_OPTIONAL,
	  "nodes of a class route: any or range" },
	{ "coll_shared", FILE_CODE, CFG(coll_shared), 0, 0, FILE_OPTIONAL,
	  "whether class routes share a link's tokens of collective channels, "
	  "yes or no" },
	{ "coll_chain", FILE_CODE, CFG(coll_chain), 0, 0, FILE_OPTIONAL,
	  "other groups use chained events of interfaces: no or yes" },

	{ "code", FILE_CODE, CFG(care.code), 0, 0, FILE_OPTIONAL,
	  "check of a packet: none, rs1, rs5, crc16 or crc32" },
	{ "fec", FILE_CODE, CFG(care.fec), 0, 0, FILE_OPTIONAL,
	  "forward error correction, applied first: none or rs14" },
	{ "code_span", FILE_BYTES, CFG(care.code_span), 8, 4096, FILE_OPTIONAL,
	  "bytes on the wire per check, e.g. 146 B" },
	{ "checked", FILE_CODE, CFG(care.checked), 0, 0, FILE_OPTIONAL,
	  "where code is checked: link or end" },
	{ "header_code", FILE_CODE, CFG(care.header_code), 0, 0, FILE_OPTIONAL,
	  "check of the first 12 bytes of a packet: none or hamming" },
	{ "end_code", FILE_CODE, CFG(care.end_code), 0, 0, FILE_OPTIONAL,
	  "check at the last node: none, rs1 or rs5" },
	{ "link_crc", FILE_CODE, CFG(care.link_crc), 0, 0, FILE_OPTIONAL,
	  "running CRC of each link at both ends: no or yes" },
	{ "link_retry", FILE_TIME, CFG(care.retry_ps), 1, PS_MAX, FILE_OPTIONAL,
	  "time from the end of a bad packet to its retransmission, e.g. 2 us; "
	  "unset: on the receiver's NAK" },
	{ "retry_alarm", FILE_COUNT, CFG(care.retry_alarm), 1, MANY,
	  FILE_OPTIONAL, "retries of a link that raise an alarm, e.g. 166000" },
	{ "error_store_forward", FILE_COUNT, CFG(care.store_forward), 1, 65535,
	  FILE_OPTIONAL,
	  "packets that a link sends store-and-forward after an error, e.g. "
	  "16" },
	{ "retrain", FILE_TIME, CFG(care.retrain_ps), 1, PS_MAX, FILE_OPTIONAL,
	  "time that a link is down for retraining after an error, e.g. 10 "
	  "us" },
	{ "resend", FILE_TIME, CFG(care.resend_ps), 1, PS_MAX, FILE_OPTIONAL,
	  "time from the notification of a bad packet to its retransmission, "
	  "e.g. 80 ns" },
	{ "resend_tries", FILE_COUNT, CFG(care.resend_tries), 1, 30,
	  FILE_OPTIONAL,
	  "retransmissions without backoff, and after timeouts, e.g. 16" },
	{ "error_response", FILE_BYTES, CFG(care.error_bytes), 1, 4096,
	  FILE_OPTIONAL,
	  "size on the wire of the response to a discarded packet, e.g. 9 B" },
	{ "ack_timeout", FILE_TIME, CFG(care.ack_timeout_ps), 1, PS_MAX,
	  FILE_OPTIONAL, "acknowledgement timeout of a unit, e.g. 6 us" },
	{ "lanes", FILE_COUNT, CFG(care.lanes), 1, 64, FILE_OPTIONAL,
	  "lanes of a link, which also works with fewer, e.g. 3" },
	{ "fibre", FILE_COUNT, CFG(care.fibre), 1, 4096, FILE_OPTIONAL,
	  "metres from which a cable is optical, e.g. 13" },
	{ "spare_fibre", FILE_BYTES, CFG(care.spare_bytes), 1, 64,
	  FILE_OPTIONAL,
	  "bytes that the fibres of an optical link carry at once; a spare "
	  "fibre carries their parity, e.g. 4 B" },
	{ "neterr", FILE_CODE, CFG(care.neterr), 0, 0, FILE_OPTIONAL,
	  "a source requests a missing acknowledgement again: no or yes" },
	{ "reroute", FILE_CODE, CFG(care.reroute), 0, 0, FILE_OPTIONAL,
	  "packets are routed around dead links: no or yes" },
	{ "detect", FILE_TIME, CFG(care.detect_ps), 1, PS_MAX, FILE_OPTIONAL,
	  "time from the failure of a link to its detection, e.g. 10 us" },
	{ "detect_exit", FILE_TIME, CFG(care.detect_exit_ps), 1, PS_MAX,
	  FILE_OPTIONAL,
	  "time from the end of a process until the other ranks know it, e.g. "
	  "1 ms" },
	{ "quiesce", FILE_TIME, CFG(care.quiesce_ps), 1, PS_MAX, FILE_OPTIONAL,
	  "time without injection while routes are rebuilt, e.g. 20 ms" },
	{ "internal", FILE_CODE, CFG(care.internal), 0, 0, FILE_OPTIONAL,
	  "effect of an uncorrectable word: poison or halt" },
	{ "ecc_alarm", FILE_COUNT, CFG(care.ecc_alarm), 1, MANY, FILE_OPTIONAL,
	  "corrected words of a node that raise an alarm, e.g. 50" },

	{ "watch", FILE_TIME, CFG(watch_ps), 1, PS_MAX, FILE_OPTIONAL,
	  "period of fault awareness, e.g. 500 ms" },
	{ "watch_service", FILE_TIME, CFG(watch_service_ps), 1, PS_MAX,
	  FILE_OPTIONAL,
	  "time of a host's report over the service network, e.g. 100 us" },

	{ "send", FILE_TIME, CFG(send_ps), 0, PS_MAX, 0,
	  "software time of a send call, e.g. 48 ns" },
	{ "message", FILE_TIME, CFG(message_ps), 0, PS_MAX, FILE_OPTIONAL,
	  "additional time of messages longer than a packet, e.g. 126 ns" },
	{ "eager_message", FILE_TIME, CFG(eager_message_ps), 0, PS_MAX,
	  FILE_OPTIONAL,
	  "additional time of eager messages longer than a packet (default: "
	  "message), e.g. 0 ns" },
	{ "recv", FILE_TIME, CFG(recv_ps), 0, PS_MAX, 0,
	  "software time to receive a message, e.g. 48 ns" },
	{ "coll_send", FILE_TIME, CFG(coll_send_ps), 0, PS_MAX, FILE_OPTIONAL,
	  "software time to post a collective (default: send), e.g. 48 ns" },
	{ "coll_recv", FILE_TIME, CFG(coll_recv_ps), 0, PS_MAX, FILE_OPTIONAL,
	  "software time to receive the result of a collective (default: "
	  "recv), e.g. 48 ns" },
	{ "packet_copy", FILE_RATE_INV, CFG(packet_copy_ps_x1000), 1, MANY,
	  FILE_OPTIONAL,
	  "rate at which processors copy eager messages (default: none), e.g. "
	  "4 GB/s" },
	{ "memory_latency", FILE_TIME, CFG(memory.latency_ps), 1, PS_MAX,
	  FILE_OPTIONAL,
	  "time of an empty message between ranks of a node, e.g. 150 ns" },
	{ "memory_copy", FILE_RATE_INV, CFG(memory.copy_ps_x1000), 1, MANY,
	  FILE_OPTIONAL, "rate of a copy by one processor, e.g. 4 GB/s" },
	{ "memory_total", FILE_RATE_INV, CFG(memory.total_ps_x1000), 1, MANY,
	  FILE_OPTIONAL,
	  "rate of all copies in one memory of a node, e.g. 25 GB/s" },
	{ "memories", FILE_COUNT, CFG(memory.count), 1, 64, FILE_OPTIONAL,
	  "separate memories of a node, e.g. 2" },
	{ "eager", FILE_BYTES, CFG(eager_bytes), 1, 1u << 20, FILE_OPTIONAL,
	  "largest message that is sent eagerly, e.g. 2 KiB" },
	{ "message_packet", FILE_BYTES, CFG(message_packet_bytes), 256,
	  UINT16_MAX, FILE_OPTIONAL,
	  "largest payload of the packets of messages, e.g. 480 B" },
	{ "device_copy", FILE_TIME, CFG(device_copy_ps), 0, PS_MAX,
	  FILE_OPTIONAL,
	  "time to start a copy between a device and the host, e.g. 5 us" },
	{ "device_rate", FILE_RATE_INV, CFG(device_ps_x1000), 1, MANY,
	  FILE_OPTIONAL,
	  "rate of copies between a device and the host, e.g. 5 GB/s" },
	{ "match", FILE_TIME, CFG(match_ps), 0, PS_MAX, FILE_OPTIONAL,
	  "time of a unit to match a message, e.g. 300 ns" },
	{ "match_entry", FILE_TIME, CFG(match_entry_ps), 0, PS_MAX,
	  FILE_OPTIONAL,
	  "time of a match per queue entry after the first, e.g. 60 ns" },
	{ "match_unit", FILE_CODE, CFG(match_unit), 0, 0, FILE_OPTIONAL,
	  "the interface matches while the processor computes: no or yes" },
	{ "poll", FILE_TIME, CFG(poll_ps), 1, PS_MAX, 0,
	  "time of a poll without result, e.g. 25 ns" },
	{ "wtime", FILE_TIME, CFG(wtime_ps), 1, PS_MAX, 0,
	  "time to read the clock, e.g. 10 ns" },
	{ "processor_speed", FILE_COUNT, CFG(processor_speed), 1, 1000000,
	  FILE_OPTIONAL,
	  "speed of the processor in percent of the host's, e.g. 50" },
	{ "link_energy", FILE_COUNT, CFG(link_byte_pj), 1, 1000000,
	  FILE_OPTIONAL, "energy of a byte on a link in pJ, e.g. 80" },
	{ "link_power", FILE_COUNT, CFG(link_mw), 1, 100000000, FILE_OPTIONAL,
	  "power of a link without traffic in mW, e.g. 500" },
	{ "node_power", FILE_COUNT, CFG(node_mw), 1, 1000000000, FILE_OPTIONAL,
	  "power of a node in mW, e.g. 80000" },

	{ "choose_barrier", FILE_CHOICES, 0, 0, 0, 0, FILE_OPTIONAL, CHOOSE },
	{ "choose_bcast", FILE_CHOICES, 0, 0, 0, 0, FILE_OPTIONAL, CHOOSE },
	{ "choose_reduce", FILE_CHOICES, 0, 0, 0, 0, FILE_OPTIONAL, CHOOSE },
	{ "choose_allreduce", FILE_CHOICES, 0, 0, 0, 0, FILE_OPTIONAL, CHOOSE },
	{ "choose_gather", FILE_CHOICES, 0, 0, 0, 0, FILE_OPTIONAL, CHOOSE },
	{ "choose_scatter", FILE_CHOICES, 0, 0, 0, 0, FILE_OPTIONAL, CHOOSE },
	{ "choose_allgather", FILE_CHOICES, 0, 0, 0, 0, FILE_OPTIONAL, CHOOSE },
	{ "choose_alltoall", FILE_CHOICES, 0, 0, 0, 0, FILE_OPTIONAL, CHOOSE },
	{ "choose_reduce_scatter", FILE_CHOICES, 0, 0, 0, 0, FILE_OPTIONAL,
	  CHOOSE },
	{ "choose_scan", FILE_CHOICES, 0, 0, 0, 0, FILE_OPTIONAL, CHOOSE },
	{ "choose_exscan", FILE_CHOICES, 0, 0, 0, 0, FILE_OPTIONAL, CHOOSE },
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

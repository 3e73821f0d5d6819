/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Table of prov/net/net_golden_test.c. The comments derive the latency of one
 * packet in an unloaded network from the machine file. The other results are
 * those of the model when the row was added: a change of one of them needs a
 * reason. GOLDEN=1 prints all results in the order of the table.
 */
#ifndef WEFT_NET_GOLDEN_TABLE_H
#define WEFT_NET_GOLDEN_TABLE_H

#include "prov/net/net.h"

/* Kind of an experiment, which determines the value that it returns. */
enum golden_kind {
	LAST,	/* messages of one node; time of the last arrival */
	ACKED,	/* messages of one node; time of the last acknowledgement */
	FIFOS,	/* LAST with each message in a FIFO of its own */
	PAIR,	/* LAST with the same messages in the other direction as well */
	WORDS,	/* LAST with messages to count / 2 addresses, each twice */
	CROWD,	/* all nodes send; time of the last arrival */
	HOT,	/* all nodes send to msg.dst; time of the last arrival */
	SYSTEM, /* as HOT, message i with routing i modulo 4; time of the
		 * last arrival of message 3, in the system channel */
	/* messages of one node; time at which the unit has read the last one */
	SENT,
	RESULT, /* a collective; time of the last result */
	ROUTES, /* number of class routes on two nodes */
	ALARMS, /* all nodes send; number of alarms */
	DEAD,	/* time at which a failure is detected */
	WATCH,	/* time at which the master detects a failed host */
};

struct golden {
	const char *machine;
	const char *text;
	enum golden_kind kind;
	struct net_msg msg;
	const char *set;  /* "key=value ...", numbers changed first, or NULL */
	const char *plan; /* fault plan, or NULL */
	unsigned count;	  /* messages of a node, or repetitions; 0: one */
	unsigned members; /* members of a collective */
	uint8_t coll;	  /* kind of struct net_part */
	uint8_t fp;
	uint8_t others; /* number of class routes opened first */
	uint64_t value;
};

#define DET .routing = NET_DETERMINISTIC

/* clang-format off */
static const struct golden golden_table[] = {
	/* 270000 inject + 20000 injection + 45333 hop + 36000 wire + 250667
	 * receive
	 */
	{ "bgq:4x4x2", "mu, 8 B", LAST,
	  { .dst = 1, .bytes = 8, .path = 0, DET }, .value = 622000 },
	/* 270000 inject + 170000 injection + 45333 hop + 276000 wire +
	 * 250667 receive
	 */
	{ "bgq:4x4x2", "mu, full packet", LAST,
	  { .dst = 1, .bytes = 512, .path = 0, DET }, .value = 1012000 },
	{ "bgq:4x4x2", "mu, ten packets", LAST,
	  { .dst = 1, .bytes = 5120, .path = 0, DET }, .value = 3604000 },
	{ "bgq:4x4x2", "mu, ten messages", LAST,
	  { .dst = 1, .bytes = 512, .path = 0, DET }, .count = 10,
	  .value = 3604000 },
	{ "bgq:4x4x2", "8 B to the farthest node", LAST,
	  { .dst = 31, .bytes = 8, DET }, .value = 712666 },
	{ "bgq:4x4x2", "8 B to the same node", LAST, { .bytes = 8, DET },
	  .value = 580667 },
	{ "bgq:4x4x2", "all nodes, dynamic", CROWD,
	  { .bytes = 1536, .routing = 0 }, .count = 8, .value = 5377999 },
	{ "bgq:4x4x2", "all nodes, deterministic", CROWD,
	  { .bytes = 1536, .routing = 1 }, .count = 8, .value = 5225332 },
	/* one network FIFO: the first packet in it blocks the others */
	{ "bgq:4x4x2", "all nodes, high", CROWD,
	  { .bytes = 1536, .routing = 2 }, .count = 8, .value = 6295333 },
	{ "bgq:4x4x2", "all nodes, system", CROWD,
	  { .bytes = 1536, .routing = 3 }, .count = 8, .value = 6295333 },
	{ "bgq:4x4x2", "all nodes, dynamic, few buffers", CROWD,
	  { .bytes = 1536 }, .count = 8,
	  .set = "tokens_dynamic=53 token=400000", .value = 5665333 },
	{ "bgq:4x4x2", "all nodes, deterministic, few buffers", CROWD,
	  { .bytes = 1536, .routing = 1 }, .count = 8,
	  .set = "tokens_deterministic=2 token=400000", .value = 13541999 },
	{ "bgq:4x4x2", "all nodes, high, few buffers", CROWD,
	  { .bytes = 1536, .routing = 2 }, .count = 8,
	  .set = "tokens_high=2 token=400000", .value = 14568666 },
	{ "bgq:4x4x2", "all nodes, system, few buffers", CROWD,
	  { .bytes = 1536, .routing = 3 }, .count = 8,
	  .set = "tokens_system=2 token=400000", .value = 14568666 },
	{ "bgq:8x2x2", "8 B across midplanes", LAST,
	  { .src = 12, .dst = 16, .bytes = 8, DET }, .value = 702000 },
	{ "bgq:4x4x2", "69000 B, in memory", LAST,
	  { .dst = 1, .bytes = 69000, DET }, .set = "l2=65536 spill=1000",
	  .value = 70078000 },
	{ "bgq:4x4x2", "ten packets, slow reception", LAST,
	  { .dst = 1, .bytes = 5120, DET }, .set = "reception=1000000",
	  .value = 5856000 },
	/* ten engines complete their second packets at once; 288 ns each */
	{ "bgq:4x4x2", "20 FIFOs, slow engines", FIFOS,
	  { .dst = 1, .bytes = 512, DET }, .count = 20,
	  .set = "injection=10000000", .value = 14314000 },
	{ "bgq:8", "all nodes to one", HOT, { .bytes = 51200, DET },
	  .set = "through_share=2", .value = 202324665 },
	{ "bgq:4x4x2", "ten packets, read by the engine", SENT,
	  { .dst = 1, .bytes = 5120, DET }, .value = 2052000 },
	{ "bgq:4x4x2", "all nodes to one, dynamic", HOT, { .bytes = 5120 },
	  .count = 4, .value = 185044000 },
	{ "bgq:4x4x2", "allreduce of 8 B", RESULT, { .bytes = 8 },
	  .members = 32, .coll = WEFT_COLL_ALLREDUCE, .fp = 1,
	  .value = 1099664 },
	{ "bgq:4x4x2", "allreduce of 512 B", RESULT, { .bytes = 512 },
	  .members = 32, .coll = WEFT_COLL_ALLREDUCE, .fp = 1,
	  .value = 1509664 },
	{ "bgq:4x4x2", "20 allreduces, few buffers", RESULT, { .bytes = 8 },
	  .members = 32, .coll = WEFT_COLL_ALLREDUCE, .count = 20,
	  .set = "tokens_coll0=2 tokens_coll1=2 token=400000",
	  .value = 5394331 },
	{ "bgq:4x4x2", "barrier of 8 B", RESULT, { .bytes = 8 }, .members = 32,
	  .coll = WEFT_COLL_BARRIER, .fp = 1, .value = 1099664 },
	{ "bgq:4x4x2", "barrier of 512 B", RESULT, { .bytes = 512 },
	  .members = 32, .coll = WEFT_COLL_BARRIER, .fp = 1, .value = 1099664 },
	{ "bgq:4x4x2", "20 barriers, few buffers", RESULT, { .bytes = 8 },
	  .members = 32, .coll = WEFT_COLL_BARRIER, .count = 20,
	  .set = "tokens_coll0=2 tokens_coll1=2 token=400000",
	  .value = 5108331 },
	{ "bgq:4x4x2", "barrier without a barrier class", RESULT,
	  { .bytes = 0 }, .members = 32, .coll = WEFT_COLL_BARRIER, .others = 1,
	  .set = "barriers=1", .value = 1071664 },
	{ "bgq:4x4x2", "class routes", ROUTES, { 0 }, .value = 14 },
	{ "bgq:4x4x2", "bit errors", LAST, { .dst = 31, .bytes = 51200, DET },
	  .plan = "seed = 1; errors * = 1e-5", .value = 55256666 },
	{ "bgq:8", "spare fibre", LAST, { .dst = 4, .bytes = 51200, DET },
	  .plan = "seed = 1; errors optical = 2e-3", .value = 105243999 },
	{ "bgq:4x4x2", "retry alarms", ALARMS, { .bytes = 5120, DET },
	  .plan = "seed = 1; errors * = 1e-4", .set = "retry_alarm=10",
	  .count = 8, .value = 157 },
	{ "bgq:4x4x2", "memory alarms", ALARMS, { .bytes = 5120, DET },
	  .plan = "seed = 1; memory * = 1e-2", .set = "ecc_alarm=20",
	  .count = 8, .value = 23 },
	{ "bgq:4x4x2", "dead node", DEAD, { .dst = 1, .bytes = 8, DET },
	  .plan = "dead-node 1 at 1 us", .value = 332001002000 },
	/* 250000 inject + 2534 injection + 105000 hop + 40000 2 x hop_end +
	 * 15000 wire + 287000 receive
	 */
	{ "gemini:4x2x2", "fma, 8 B", LAST,
	  { .dst = 2, .bytes = 8, .path = 0, DET }, .value = 699534 },
	/* 250000 inject + 7916 bus out + 105000 hop + 40000 2 x hop_end +
	 * 41000 wire + 287000 receive
	 */
	{ "gemini:4x2x2", "fma, full packet", LAST,
	  { .dst = 2, .bytes = 64, .path = 0, DET }, .value = 730916 },
	{ "gemini:4x2x2", "fma, ten packets", LAST,
	  { .dst = 2, .bytes = 640, .path = 0, DET }, .value = 1303160 },
	{ "gemini:4x2x2", "fma, ten messages", LAST,
	  { .dst = 2, .bytes = 64, .path = 0, DET }, .count = 10,
	  .value = 1303160 },
	{ "gemini:4x2x2", "fma, 8 B, acknowledged", ACKED,
	  { .dst = 2, .bytes = 8, .path = 0, .ack = 1, DET }, .value = 887534 },
	/* 900000 inject + 2534 injection + 105000 hop + 40000 2 x hop_end +
	 * 15000 wire + 287000 receive
	 */
	{ "gemini:4x2x2", "bte, 8 B", LAST,
	  { .dst = 2, .bytes = 8, .path = 1, DET }, .value = 1349534 },
	/* 900000 inject + 7916 bus out + 105000 hop + 40000 2 x hop_end +
	 * 41000 wire + 287000 receive
	 */
	{ "gemini:4x2x2", "bte, full packet", LAST,
	  { .dst = 2, .bytes = 64, .path = 1, DET }, .value = 1380916 },
	{ "gemini:4x2x2", "bte, ten packets", LAST,
	  { .dst = 2, .bytes = 640, .path = 1, DET }, .value = 1953160 },
	{ "gemini:4x2x2", "bte, ten messages", LAST,
	  { .dst = 2, .bytes = 64, .path = 1, DET }, .count = 10,
	  .value = 1953160 },
	{ "gemini:4x2x2", "bte, 8 B, acknowledged", ACKED,
	  { .dst = 2, .bytes = 8, .path = 1, .ack = 1, DET },
	  .value = 1537534 },
	/* 250000 inject + 2534 injection + 105000 hop + 40000 2 x hop_end +
	 * 15000 wire + 100000 receive
	 */
	{ "gemini:4x2x2", "get, 8 B", LAST,
	  { .dst = 2, .bytes = 8, .path = 2, DET }, .value = 512534 },
	/* 250000 inject + 7916 bus out + 105000 hop + 40000 2 x hop_end +
	 * 41000 wire + 100000 receive
	 */
	{ "gemini:4x2x2", "get, full packet", LAST,
	  { .dst = 2, .bytes = 64, .path = 2, DET }, .value = 543916 },
	{ "gemini:4x2x2", "get, ten packets", LAST,
	  { .dst = 2, .bytes = 640, .path = 2, DET }, .value = 1116160 },
	{ "gemini:4x2x2", "get, ten messages", LAST,
	  { .dst = 2, .bytes = 64, .path = 2, DET }, .count = 10,
	  .value = 1116160 },
	{ "gemini:4x2x2", "get, 8 B, acknowledged", ACKED,
	  { .dst = 2, .bytes = 8, .path = 2, .ack = 1, DET }, .value = 700534 },
	/* 450000 inject + 2534 injection + 105000 hop + 40000 2 x hop_end +
	 * 8000 wire + 287000 receive
	 */
	{ "gemini:4x2x2", "reply, 8 B", LAST,
	  { .dst = 2, .bytes = 8, .path = 3, DET }, .value = 892534 },
	/* 450000 inject + 7916 bus out + 105000 hop + 40000 2 x hop_end +
	 * 35000 wire + 287000 receive
	 */
	{ "gemini:4x2x2", "reply, full packet", LAST,
	  { .dst = 2, .bytes = 64, .path = 3, DET }, .value = 924916 },
	{ "gemini:4x2x2", "reply, ten packets", LAST,
	  { .dst = 2, .bytes = 640, .path = 3, DET }, .value = 1479160 },
	{ "gemini:4x2x2", "reply, ten messages", LAST,
	  { .dst = 2, .bytes = 64, .path = 3, DET }, .count = 10,
	  .value = 1479160 },
	{ "gemini:4x2x2", "reply, 8 B, acknowledged", ACKED,
	  { .dst = 2, .bytes = 8, .path = 3, .ack = 1, DET },
	  .value = 1080534 },
	/* 250000 inject + 2534 injection + 105000 hop + 40000 2 x hop_end +
	 * 22222 bus in + 287000 receive
	 */
	{ "gemini:4x2x2", "amo, 8 B", LAST,
	  { .dst = 2, .bytes = 8, .path = 4, DET }, .value = 706756 },
	/* 250000 inject + 7916 bus out + 105000 hop + 40000 2 x hop_end +
	 * 41000 wire + 287000 receive
	 */
	{ "gemini:4x2x2", "amo, full packet", LAST,
	  { .dst = 2, .bytes = 64, .path = 4, DET }, .value = 730916 },
	{ "gemini:4x2x2", "amo, ten packets", LAST,
	  { .dst = 2, .bytes = 640, .path = 4, DET }, .value = 1303160 },
	{ "gemini:4x2x2", "amo, ten messages", LAST,
	  { .dst = 2, .bytes = 64, .path = 4, DET }, .count = 10,
	  .value = 1303160 },
	{ "gemini:4x2x2", "amo, 8 B, acknowledged", ACKED,
	  { .dst = 2, .bytes = 8, .path = 4, .ack = 1, DET }, .value = 894756 },
	{ "gemini:4x2x2", "100 packets, ten outstanding", ACKED,
	  { .dst = 2, .bytes = 6400, .path = 1, .ack = 1, DET },
	  .set = "outstanding=10", .value = 8162916 },
	{ "gemini:4x2x2", "40 messages, ten transactions", ACKED,
	  { .dst = 2, .bytes = 64, .path = 0, .ack = 1, DET }, .count = 40,
	  .set = "transactions=10", .value = 3498916 },
	{ "gemini:4x2x2", "8 B to the farthest node", LAST,
	  { .dst = 31, .bytes = 8, DET }, .value = 909534 },
	{ "gemini:4x2x2", "8 B to the same node", LAST, { .bytes = 8, DET },
	  .value = 579534 },
	{ "gemini:4x2x2", "all nodes, dynamic", CROWD,
	  { .bytes = 192, .routing = 0 }, .count = 8, .value = 1257959 },
	{ "gemini:4x2x2", "all nodes, deterministic", CROWD,
	  { .bytes = 192, .routing = 1 }, .count = 8, .value = 1350236 },
	{ "gemini:4x2x2", "all nodes, high", CROWD,
	  { .bytes = 192, .routing = 2 }, .count = 8, .value = 1350236 },
	{ "gemini:4x2x2", "all nodes, system", CROWD,
	  { .bytes = 192, .routing = 3 }, .count = 8, .value = 1282236 },
	{ "gemini:4x2x2", "all nodes, acknowledged", CROWD,
	  { .bytes = 192, .ack = 1 }, .count = 8, .value = 1760959 },
	{ "gemini:4x2x2", "all nodes, dynamic, few buffers", CROWD,
	  { .bytes = 192 }, .count = 8, .set = "tokens_dynamic=22",
	  .value = 1257959 },
	{ "gemini:4x2x2", "8 B on the same chip", LAST,
	  { .dst = 1, .bytes = 8, DET }, .value = 581617 },
	{ "gemini:4x2x2", "both directions, bte, slow bus", PAIR,
	  { .dst = 2, .bytes = 6400, .path = 1, DET },
	  .set = "hin.rate=1000000", .value = 8912000 },
	{ "gemini:4x2x2", "both directions, reply, slow bus", PAIR,
	  { .dst = 2, .bytes = 6400, .path = 3, DET },
	  .set = "hin.rate=1000000", .value = 8462000 },
	{ "gemini:4x2x2", "reply, slow link", LAST,
	  { .dst = 2, .bytes = 640, .path = 3, DET }, .set = "link=42666670",
	  .value = 35459160 },
	{ "gemini:4x2x2", "acknowledged, slow link", ACKED,
	  { .dst = 2, .bytes = 640, .path = 3, .ack = 1, DET },
	  .set = "link_end=42666670", .value = 35901916 },
	{ "gemini:4x2x2", "100 packets, dynamic, few buffers", LAST,
	  { .dst = 2, .bytes = 6400 }, .set = "tokens_dynamic=22 token=200000",
	  .value = 1816600 },
	{ "gemini:4x2x2", "all nodes to one, system packets", SYSTEM,
	  { .bytes = 640 }, .count = 8, .value = 9428020 },
	{ "gemini:4x2x2", "amo, slow reception", LAST,
	  { .dst = 2, .bytes = 640, .path = 4, DET },
	  .set = "amo.reception=10000000", .value = 7089916 },
	{ "gemini:4x2x2", "atomics on 100 words", WORDS,
	  { .dst = 2, .bytes = 8, .path = 4, DET }, .count = 200,
	  .value = 11618978 },
	{ "gemini:4x2x2", "20 FIFOs, fast buses", FIFOS,
	  { .dst = 2, .bytes = 64, DET }, .count = 20,
	  .set = "hout.rate=1 tiles.rate=1 injection=10000000",
	  .value = 3464000 },
	{ "gemini:4x2x2", "two lanes", LAST, { .dst = 8, .bytes = 6400, DET },
	  .plan = "lanes 0.A+ = 2; lanes 0.B+ = 2; lanes 0.C+ = 2",
	  .value = 7747916 },
	{ "gemini:4x2x2", "bit errors", LAST, { .dst = 31, .bytes = 6400, DET },
	  .plan = "seed = 1; errors * = 1e-4", .value = 10614916 },
	{ "gemini:4x2x2", "memory errors", ACKED,
	  { .dst = 31, .bytes = 64000, .ack = 1, DET },
	  .plan = "seed = 1; memory * = 1e-1", .value = 3000115323916 },
	{ "gemini:4x2x2", "dead links, long timeout", ACKED,
	  { .dst = 8, .bytes = 64000, .ack = 1, DET },
	  .plan = "dead-link 0.A+ at 2 us", .value = 1000016886000 },
	{ "gemini:4x2x2", "dead links", ACKED,
	  { .dst = 8, .bytes = 640000, .ack = 1, DET },
	  .plan = "dead-link 0.A+ at 2 us", .set = "ack_timeout=30000000",
	  .value = 20644807916 },
	{ "gemini:4x2x2", "dead node", DEAD, { .dst = 2, .bytes = 8, DET },
	  .plan = "dead-node 2 at 1 us", .value = 11001000 },
	/* 475000 inject + 71111 injection of the first chunk + 21000 hop + 1000
	 * hop_end + 40000 10 x metre + 84000 a burst on the bus in + 157500
	 * receive
	 */
	{ "qsnet2:4x4", "sten, 8 B", LAST,
	  { .dst = 1, .bytes = 8, .path = 0, DET }, .value = 849611 },
	/* 475000 inject + 4586666 injection - 2207000 wire, because the head
	 * leaves before the tail is built + 21000 hop + 1000 hop_end + 40000
	 * 10 x metre + 2226000 bus in + 157500 receive
	 */
	{ "qsnet2:4x4", "sten, full packet", LAST,
	  { .dst = 1, .bytes = 2048, .path = 0, DET }, .value = 5300166 },
	{ "qsnet2:4x4", "sten, ten packets", LAST,
	  { .dst = 1, .bytes = 20480, .path = 0, DET }, .value = 46580160 },
	{ "qsnet2:4x4", "sten, ten messages", LAST,
	  { .dst = 1, .bytes = 2048, .path = 0, DET }, .count = 10,
	  .value = 46580160 },
	{ "qsnet2:4x4", "sten, 8 B, acknowledged", ACKED,
	  { .dst = 1, .bytes = 8, .path = 0, .ack = 1, DET }, .value = 957611 },
	/* 1367000 inject + 84000 a burst on the bus out + 21000 hop + 1000
	 * hop_end + 40000 10 x metre + 84000 a burst on the bus in + 157500
	 * receive
	 */
	{ "qsnet2:4x4", "dma, 8 B", LAST,
	  { .dst = 1, .bytes = 8, .path = 1, DET }, .value = 1754500 },
	/* 1367000 inject + 2243479 injection + 21000 hop + 1000 hop_end +
	 * 40000 10 x metre + 2226000 bus in + 157500 receive
	 */
	{ "qsnet2:4x4", "dma, full packet", LAST,
	  { .dst = 1, .bytes = 2048, .path = 1, DET }, .value = 6055979 },
	{ "qsnet2:4x4", "dma, ten packets", LAST,
	  { .dst = 1, .bytes = 20480, .path = 1, DET }, .value = 26247290 },
	{ "qsnet2:4x4", "dma, ten messages", LAST,
	  { .dst = 1, .bytes = 2048, .path = 1, DET }, .count = 10,
	  .value = 26247290 },
	/* as a DMA, without the 142 ns of stores */
	{ "qsnet2:4x4", "reply, 8 B", LAST,
	  { .dst = 1, .bytes = 8, .path = 3, DET }, .value = 1612500 },
	{ "qsnet2:4x4", "reply, ten packets", LAST,
	  { .dst = 1, .bytes = 20480, .path = 3, DET }, .value = 26105290 },
	{ "qsnet2:4x4", "dma, 8 B, acknowledged", ACKED,
	  { .dst = 1, .bytes = 8, .path = 1, .ack = 1, DET },
	  .value = 1862500 },
	/* 82500 inject + 30018 injection + 21000 hop + 1000 hop_end + 40000
	 * 10 x metre + 47000 wire + 157500 receive
	 */
	{ "qsnet2:4x4", "event, 8 B", LAST,
	  { .dst = 1, .bytes = 8, .path = 2, DET }, .value = 379018 },
	/* 82500 inject + 1936209 injection + 21000 hop + 1000 hop_end +
	 * 40000 10 x metre + 2207000 wire + 157500 receive
	 */
	{ "qsnet2:4x4", "event, full packet", LAST,
	  { .dst = 1, .bytes = 2048, .path = 2, DET }, .value = 4445209 },
	{ "qsnet2:4x4", "event, ten packets", LAST,
	  { .dst = 1, .bytes = 20480, .path = 2, DET }, .value = 24308090 },
	{ "qsnet2:4x4", "event, ten messages", LAST,
	  { .dst = 1, .bytes = 2048, .path = 2, DET }, .count = 10,
	  .value = 24308090 },
	{ "qsnet2:4x4", "event, 8 B, acknowledged", ACKED,
	  { .dst = 1, .bytes = 8, .path = 2, .ack = 1, DET }, .value = 487018 },
	{ "qsnet2:4x4", "8 B to the farthest node", LAST,
	  { .dst = 15, .bytes = 8, DET }, .value = 931611 },
	{ "qsnet2:4x4", "8 B to the same node", LAST, { .bytes = 8, DET },
	  .value = 816500 },
	{ "qsnet2:4x4", "all nodes, dynamic", CROWD,
	  { .bytes = 6144, .routing = 0 }, .count = 8, .value = 159619500 },
	{ "qsnet2:4x4", "all nodes, deterministic", CROWD,
	  { .bytes = 6144, .routing = 1 }, .count = 8, .value = 159354500 },
	{ "qsnet2:4x4", "all nodes, high", CROWD,
	  { .bytes = 6144, .routing = 2 }, .count = 8, .value = 159354500 },
	{ "qsnet2:4x4", "all nodes, system", CROWD,
	  { .bytes = 6144, .routing = 3 }, .count = 8, .value = 159354500 },
	{ "qsnet2:4x4", "all nodes, acknowledged", CROWD,
	  { .bytes = 6144, .ack = 1 }, .count = 8, .value = 159809500 },
	{ "qsnet2:4x4", "all nodes, dynamic, short FIFOs", CROWD,
	  { .bytes = 6144 }, .count = 8, .set = "fifo=256",
	  .value = 159619500 },
	{ "qsnet2:4x4", "all nodes, deterministic, slow credits", CROWD,
	  { .bytes = 2048, .routing = 1, .path = 2 }, .count = 32,
	  .set = "fifo=128 token=200000", .value = 81688709 },
	{ "qsnet2:4x4", "all nodes, high, three channels", CROWD,
	  { .bytes = 16, .routing = 2, .path = 2 }, .count = 32,
	  .set = "channels=3", .value = 5227518 },
	{ "qsnet2:4x4", "sten, slow reception", LAST,
	  { .dst = 1, .bytes = 20480, .path = 0, DET },
	  .set = "reception=10000000", .value = 207874166 },
	{ "qsnet2:4x4", "dma, slow reception", LAST,
	  { .dst = 1, .bytes = 20480, .path = 1, DET },
	  .set = "dma.reception=10000000", .value = 208629979 },
	{ "qsnet2:4x4", "event, slow reception", LAST,
	  { .dst = 1, .bytes = 20480, .path = 2, DET },
	  .set = "event.reception=10000000", .value = 207038209 },
	{ "qsnet2:4x4", "acknowledgement of 16 B", ACKED,
	  { .dst = 1, .bytes = 8, .ack = 1, DET }, .set = "ack=16",
	  .value = 969611 },
	{ "qsnet2:4x4", "20 FIFOs", FIFOS, { .dst = 1, .bytes = 2048, DET },
	  .count = 20, .value = 88073500 },
	{ "qsnet2:4x4", "bcast of 8 B", RESULT, { .bytes = 8 }, .members = 16,
	  .coll = WEFT_COLL_BCAST, .value = 931282 },
	{ "qsnet2:4x4", "bcast of 2048 B", RESULT, { .bytes = 2048 },
	  .members = 16, .coll = WEFT_COLL_BCAST, .value = 5299979 },
	{ "qsnet2:4x4", "barrier of 8 B", RESULT, { .bytes = 8 }, .members = 16,
	  .coll = WEFT_COLL_BARRIER, .value = 1630064 },
	{ "qsnet2:4x4", "barrier of 2048 B", RESULT, { .bytes = 2048 },
	  .members = 16, .coll = WEFT_COLL_BARRIER, .value = 1630064 },
	{ "qsnet2:4x4", "acked_bcast of 8 B", RESULT, { .bytes = 8 },
	  .members = 16, .coll = NET_ACKED_BCAST, .value = 1164282 },
	{ "qsnet2:4x4", "acked_bcast of 2048 B", RESULT, { .bytes = 2048 },
	  .members = 16, .coll = NET_ACKED_BCAST, .value = 5532979 },
	{ "qsnet2:4x4", "query of 8 B", RESULT, { .bytes = 8 }, .members = 16,
	  .coll = NET_QUERY, .value = 1630064 },
	{ "qsnet2:4x4", "query of 2048 B", RESULT, { .bytes = 2048 },
	  .members = 16, .coll = NET_QUERY, .value = 5998761 },
	{ "qsnet2:4x4", "20 bcasts, few buffers", RESULT, { .bytes = 8 },
	  .members = 16, .coll = WEFT_COLL_BCAST, .count = 20,
	  .set = "tokens_coll0=2 tokens_coll1=2 token=200000 coll_injection=1",
	  .value = 3716500 },
	{ "qsnet2:4x4", "class routes", ROUTES, { 0 }, .value = 16 },
	{ "qsnet2:4x4", "bit errors", ACKED,
	  { .dst = 15, .bytes = 204800, .ack = 1, DET },
	  .plan = "seed = 1; errors * = 1e-6", .value = 500480152 },
	{ "qsnet2:4x4", "many bit errors", ACKED,
	  { .dst = 15, .bytes = 20480, .ack = 1, DET },
	  .plan = "seed = 1; errors * = 2e-5", .set = "resend_tries=2",
	  .value = 586901498 },
	{ "qsnet2:4x4", "optical links", LAST,
	  { .dst = 15, .bytes = 204800, DET },
	  .plan = "seed = 1; errors optical = 1e-5", .set = "fibre=5",
	  .value = 1779246166 },
	{ "qsnet2:4x4", "dead switch", ACKED,
	  { .dst = 15, .bytes = 40960, .path = 1, .ack = 1, DET },
	  .plan = "dead-switch 2:3 at 30 us", .value = 152386979 },
	/* 564000 until the acknowledgement is at the dead switch + 6200000
	 * timeout, at the end of its tick, + network error message (144000
	 * hops + 47000 wire + 21000 receive) + 21000 inject + acknowledgement
	 * (as the error message)
	 */
	{ "qsnet2:4x4", "lost acknowledgement", ACKED,
	  { .dst = 15, .bytes = 8, .path = 2, .ack = 1, DET },
	  .set = "detect=3000000", .plan = "dead-switch 2:3 at 540 ns",
	  .value = 7210000 },
	{ "qsnet2:4x4", "dead node", DEAD, { .dst = 1, .bytes = 8, DET },
	  .plan = "dead-node 1 at 1 us", .value = 101001000 },
	/* 300000 inject + 16000 injection + 240000 2 x hop + 50000 10 x
	 * metre + 4696 wire + 400000 receive
	 */
	{ "sunway:18x4", "fsm, 8 B", LAST,
	  { .dst = 1, .bytes = 8, .path = 0, DET }, .value = 1010696 },
	{ "sunway:18x4", "fsm, full packet", LAST,
	  { .dst = 1, .bytes = 2048, .path = 0, DET }, .value = 1706914 },
	{ "sunway:18x4", "fsm, ten packets", LAST,
	  { .dst = 1, .bytes = 20480, .path = 0, DET }, .value = 8042914 },
	{ "sunway:18x4", "fsm, ten messages", LAST,
	  { .dst = 1, .bytes = 2048, .path = 0, DET }, .count = 10,
	  .value = 8042914 },
	{ "sunway:18x4", "fsm, 8 B, acknowledged", ACKED,
	  { .dst = 1, .bytes = 8, .path = 0, .ack = 1, DET },
	  .value = 1425392 },
	/* 1245000 inject + 4475 injection + 240000 2 x hop + 50000 10 x metre
	 * + 4696 wire + 400000 receive
	 */
	{ "sunway:18x4", "queue, 8 B", LAST,
	  { .dst = 1, .bytes = 8, .path = 1, DET }, .value = 1944171 },
	/* 1245000 inject + 146573 injection + 240000 2 x hop + 50000 10 x
	 * metre + 153794 wire + 400000 receive
	 */
	{ "sunway:18x4", "queue, full packet", LAST,
	  { .dst = 1, .bytes = 2048, .path = 1, DET }, .value = 2235367 },
	{ "sunway:18x4", "queue, ten packets", LAST,
	  { .dst = 1, .bytes = 20480, .path = 1, DET }, .value = 3620268 },
	{ "sunway:18x4", "queue, ten messages", LAST,
	  { .dst = 1, .bytes = 2048, .path = 1, DET }, .count = 10,
	  .value = 6119524 },
	{ "sunway:18x4", "queue, 8 B, acknowledged", ACKED,
	  { .dst = 1, .bytes = 8, .path = 1, .ack = 1, DET },
	  .value = 2358867 },
	/* 1245000 inject + 4475 injection + 240000 2 x hop + 50000 10 x metre
	 * + 4696 wire + 400000 receive
	 */
	{ "sunway:18x4", "rdma, 8 B", LAST,
	  { .dst = 1, .bytes = 8, .path = 2, DET }, .value = 1944171 },
	/* 1245000 inject + 146573 injection + 240000 2 x hop + 50000 10 x
	 * metre + 153794 wire + 400000 receive
	 */
	{ "sunway:18x4", "rdma, full packet", LAST,
	  { .dst = 1, .bytes = 2048, .path = 2, DET }, .value = 2235367 },
	{ "sunway:18x4", "rdma, ten packets", LAST,
	  { .dst = 1, .bytes = 20480, .path = 2, DET }, .value = 3620268 },
	{ "sunway:18x4", "rdma, ten messages", LAST,
	  { .dst = 1, .bytes = 2048, .path = 2, DET }, .count = 10,
	  .value = 6119524 },
	{ "sunway:18x4", "rdma, 8 B, acknowledged", ACKED,
	  { .dst = 1, .bytes = 8, .path = 2, .ack = 1, DET },
	  .value = 2358867 },
	/* 60000 inject + 4693 injection + 240000 2 x hop + 50000 10 x metre
	 * + 4696 wire + 60000 receive
	 */
	{ "sunway:18x4", "event, 8 B", LAST,
	  { .dst = 1, .bytes = 8, .path = 3, DET }, .value = 419389 },
	/* 60000 inject + 153705 injection + 240000 2 x hop + 50000 10 x
	 * metre + 153794 wire + 60000 receive
	 */
	{ "sunway:18x4", "event, full packet", LAST,
	  { .dst = 1, .bytes = 2048, .path = 3, DET }, .value = 717499 },
	{ "sunway:18x4", "event, ten packets", LAST,
	  { .dst = 1, .bytes = 20480, .path = 3, DET }, .value = 2103192 },
	{ "sunway:18x4", "event, ten messages", LAST,
	  { .dst = 1, .bytes = 2048, .path = 3, DET }, .count = 10,
	  .value = 2103192 },
	{ "sunway:18x4", "event, 8 B, acknowledged", ACKED,
	  { .dst = 1, .bytes = 8, .path = 3, .ack = 1, DET }, .value = 834085 },
	{ "sunway:18x4", "8 B to the farthest node", LAST,
	  { .dst = 71, .bytes = 8, DET }, .value = 1260696 },
	{ "sunway:18x4", "8 B to the same node", LAST, { .bytes = 8, DET },
	  .value = 816000 },
	{ "sunway:18x4", "all nodes, dynamic", CROWD,
	  { .bytes = 6144, .routing = 0 }, .count = 8, .value = 7614742 },
	{ "sunway:18x4", "all nodes, deterministic", CROWD,
	  { .bytes = 6144, .routing = 1 }, .count = 8, .value = 7601828 },
	{ "sunway:18x4", "all nodes, high", CROWD,
	  { .bytes = 6144, .routing = 2 }, .count = 8, .value = 7601828 },
	{ "sunway:18x4", "all nodes, system", CROWD,
	  { .bytes = 6144, .routing = 3 }, .count = 8, .value = 7601828 },
	{ "sunway:18x4", "all nodes, acknowledged", CROWD,
	  { .bytes = 6144, .ack = 1 }, .count = 8, .value = 8284134 },
	{ "sunway:18x4", "all nodes, dynamic, few buffers", CROWD,
	  { .bytes = 6144, .routing = 0 }, .count = 8,
	  .set = "tokens_dynamic=32 tokens_shared=33", .value = 7614742 },
	{ "sunway:18x4", "all nodes, dynamic, few shared buffers", CROWD,
	  { .bytes = 6144, .routing = 0 }, .count = 8,
	  .set = "tokens_dynamic=1 tokens_shared=60", .value = 7614742 },
	{ "sunway:18x4", "all nodes, deterministic, few buffers", CROWD,
	  { .bytes = 6144, .routing = 1 }, .count = 8,
	  .set = "tokens_deterministic=32 tokens_shared=33", .value = 7601828 },
	{ "sunway:18x4", "all nodes, deterministic, few shared buffers", CROWD,
	  { .bytes = 6144, .routing = 1 }, .count = 8,
	  .set = "tokens_deterministic=1 tokens_shared=60", .value = 7601828 },
	{ "sunway:18x4", "all nodes, high, few buffers", CROWD,
	  { .bytes = 6144, .routing = 2 }, .count = 8,
	  .set = "tokens_high=32 tokens_shared=33", .value = 7601828 },
	{ "sunway:18x4", "all nodes, high, few shared buffers", CROWD,
	  { .bytes = 6144, .routing = 2 }, .count = 8,
	  .set = "tokens_high=1 tokens_shared=60", .value = 7601828 },
	{ "sunway:18x4", "all nodes, system, few buffers", CROWD,
	  { .bytes = 6144, .routing = 3 }, .count = 8,
	  .set = "tokens_system=32 tokens_shared=33", .value = 7601828 },
	{ "sunway:18x4", "all nodes, system, few shared buffers", CROWD,
	  { .bytes = 6144, .routing = 3 }, .count = 8,
	  .set = "tokens_system=1 tokens_shared=60", .value = 7601828 },
	{ "sunway:18x4", "fsm, slow reception", LAST,
	  { .dst = 1, .bytes = 20480, .path = 0, DET },
	  .set = "reception=1000000", .value = 21514000 },
	{ "sunway:18x4", "queue, slow reception", LAST,
	  { .dst = 1, .bytes = 20480, .path = 1, DET },
	  .set = "queue.reception=1000000", .value = 22561573 },
	{ "sunway:18x4", "rdma, slow reception", LAST,
	  { .dst = 1, .bytes = 20480, .path = 2, DET },
	  .set = "rdma.reception=1000000", .value = 22561573 },
	{ "sunway:18x4", "event, slow reception", LAST,
	  { .dst = 1, .bytes = 20480, .path = 3, DET },
	  .set = "event.reception=1000000", .value = 21043705 },
	{ "sunway:18x4", "all nodes to one", HOT, { .bytes = 20480 },
	  .set = "tokens_dynamic=32 tokens_shared=33", .value = 74585132 },
	{ "sunway:18x4", "all nodes to one, deterministic", HOT,
	  { .bytes = 20480, DET },
	  .set = "tokens_deterministic=32 tokens_dynamic=32 tokens_shared=33",
	  .value = 147737522 },
	{ "sunway:18x4", "all nodes to one, high", HOT,
	  { .bytes = 20480, .routing = NET_HIGH },
	  .set = "tokens_high=32 tokens_shared=33", .value = 147737522 },
	{ "sunway:18x4", "20 FIFOs", FIFOS, { .dst = 1, .bytes = 2048, DET },
	  .count = 20, .value = 5943828 },
	{ "sunway:18x4", "bcast of 8 B", RESULT, { .bytes = 8 }, .members = 64,
	  .coll = WEFT_COLL_BCAST, .value = 1249171 },
	{ "sunway:18x4", "bcast of 2048 B", RESULT, { .bytes = 2048 },
	  .members = 64, .coll = WEFT_COLL_BCAST, .value = 1540367 },
	{ "sunway:18x4", "20 bcasts, few buffers", RESULT, { .bytes = 2048 },
	  .members = 64, .coll = WEFT_COLL_BCAST, .count = 20,
	  .set = "tokens_coll0=33 tokens_shared=33 token=250000",
	  .value = 6868138 },
	{ "sunway:18x4", "class routes", ROUTES, { 0 }, .value = 64 },
	{ "sunway:18x4", "class routes of a port", ROUTES, { .dst = 18 },
	  .value = 32 },
	{ "sunway:18x4", "two lanes", LAST,
	  { .dst = 71, .bytes = 20480, .rail = 1, DET },
	  .plan = "lanes 1:0.1+ = 2; lanes 0.0+ = 2", .value = 8344570 },
	{ "sunway:18x4", "bit errors", LAST,
	  { .dst = 71, .bytes = 204800, DET },
	  .plan = "seed = 1; errors * = 3e-3", .value = 84645971 },
	{ "sunway:18x4", "memory errors", ACKED,
	  { .dst = 71, .bytes = 204800, .ack = 1, DET },
	  .plan = "seed = 1; memory * = 1e-1", .value = 100802446 },
	{ "sunway:18x4", "many memory errors", ACKED,
	  { .dst = 71, .bytes = 20480, .ack = 1, DET },
	  .plan = "seed = 1; memory * = 1e-1", .set = "resend_tries=1",
	  .value = 487791898 },
	{ "sunway:18x4", "dead rail", ACKED,
	  { .dst = 71, .bytes = 204800, .ack = 1, DET },
	  .plan = "dead-rail 0 at 5 us", .value = 1072276634 },
	{ "sunway:18x4", "dead node", DEAD, { .dst = 1, .bytes = 8, DET },
	  .plan = "dead-node 1 at 1 us", .value = 11000380 },
	/* 1300000 inject + 1036000 injection + 200000 hop + 1103636 bus in +
	 * 3309000 receive
	 */
	{ "apenet:4x4", "host, 8 B", LAST,
	  { .dst = 1, .bytes = 8, .path = 0, DET }, .value = 6948636 },
	/* 1300000 inject + 2052000 injection + 200000 hop + 2961816 bus in +
	 * 3309000 receive
	 */
	{ "apenet:4x4", "host, full packet", LAST,
	  { .dst = 1, .bytes = 4096, .path = 0, DET }, .value = 9822816 },
	{ "apenet:4x4", "host, ten packets", LAST,
	  { .dst = 1, .bytes = 40960, .path = 0, DET }, .value = 36479160 },
	{ "apenet:4x4", "host, ten messages", LAST,
	  { .dst = 1, .bytes = 4096, .path = 0, DET }, .count = 10,
	  .value = 26579160 },
	/* 2500000 inject + 1036000 injection + 200000 hop + 1103636 bus in +
	 * 3809000 receive
	 */
	{ "apenet:4x4", "gpu, 8 B", LAST,
	  { .dst = 1, .bytes = 8, .path = 1, DET }, .value = 8648636 },
	/* 2500000 inject + 2730668 bus out + 200000 hop + 2961816 bus in +
	 * 3809000 receive
	 */
	{ "apenet:4x4", "gpu, full packet", LAST,
	  { .dst = 1, .bytes = 4096, .path = 1, DET }, .value = 12201484 },
	{ "apenet:4x4", "gpu, ten packets", LAST,
	  { .dst = 1, .bytes = 40960, .path = 1, DET }, .value = 35681680 },
	{ "apenet:4x4", "gpu, ten messages", LAST,
	  { .dst = 1, .bytes = 4096, .path = 1, DET }, .count = 10,
	  .value = 35681680 },
	/* 6450000 inject + 1036000 injection + 200000 hop + 1103636 bus in +
	 * 8459000 receive
	 */
	{ "apenet:4x4", "staged, 8 B", LAST,
	  { .dst = 1, .bytes = 8, .path = 2, DET }, .value = 17248636 },
	/* 6450000 inject + 2052000 injection + 200000 hop + 2961816 bus in +
	 * 8459000 receive
	 */
	{ "apenet:4x4", "staged, full packet", LAST,
	  { .dst = 1, .bytes = 4096, .path = 2, DET }, .value = 20122816 },
	{ "apenet:4x4", "staged, ten packets", LAST,
	  { .dst = 1, .bytes = 40960, .path = 2, DET }, .value = 46779160 },
	{ "apenet:4x4", "staged, ten messages", LAST,
	  { .dst = 1, .bytes = 4096, .path = 2, DET }, .count = 10,
	  .value = 36879160 },
	{ "apenet:4x4", "8 B to the farthest node", LAST,
	  { .dst = 10, .bytes = 8, DET }, .value = 7548636 },
	{ "apenet:4x4", "8 B to the same node", LAST, { .bytes = 8, DET },
	  .value = 6045000 },
	{ "apenet:4x4", "all nodes, dynamic", CROWD,
	  { .bytes = 12288, .routing = 0 }, .count = 8, .value = 38882000 },
	{ "apenet:4x4", "all nodes, deterministic", CROWD,
	  { .bytes = 12288, .routing = 1 }, .count = 8, .value = 38882000 },
	{ "apenet:4x4", "all nodes, high", CROWD,
	  { .bytes = 12288, .routing = 2 }, .count = 8, .value = 52598000 },
	{ "apenet:4x4", "all nodes, system", CROWD,
	  { .bytes = 12288, .routing = 3 }, .count = 8, .value = 52598000 },
	{ "apenet:4x4", "all nodes, dynamic, few buffers", CROWD,
	  { .bytes = 12288 }, .count = 8, .set = "tokens_dynamic=310",
	  .value = 38882000 },
	{ "apenet:4x4", "all nodes, deterministic, few buffers", CROWD,
	  { .bytes = 16, .routing = 1 }, .count = 32,
	  .set = "tokens_deterministic=2 token=200000 injection=1 "
		  "host.read=1 pread.per_packet=1 reception=1",
	  .value = 15723001 },
	{ "apenet:4x4", "all nodes, high, few buffers", CROWD,
	  { .bytes = 16, .routing = 2 }, .count = 32,
	  .set = "tokens_high=2 token=200000 injection=1 "
		  "host.read=1 pread.per_packet=1 reception=1",
	  .value = 15409001 },
	{ "apenet:4x4", "all nodes, system, few buffers", CROWD,
	  { .bytes = 16, .routing = 3 }, .count = 32,
	  .set = "tokens_system=2 token=200000 injection=1 "
		  "host.read=1 pread.per_packet=1 reception=1",
	  .value = 15409001 },
	{ "apenet:4x4", "both directions, host, slow bus", PAIR,
	  { .dst = 1, .bytes = 40960, .path = 0, DET },
	  .set = "pwrite.rate=10000000", .value = 433409000 },
	{ "apenet:4x4", "host, slow reception", LAST,
	  { .dst = 1, .bytes = 40960, .path = 0, DET },
	  .set = "reception=10000000", .value = 427461000 },
	{ "apenet:4x4", "host, writes to 350 pages", WORDS,
	  { .dst = 1, .bytes = 64, .path = 0, DET }, .count = 700,
	  .value = 796216000 },
	{ "apenet:4x4", "both directions, gpu, slow bus", PAIR,
	  { .dst = 1, .bytes = 40960, .path = 1, DET },
	  .set = "pwrite.rate=10000000", .value = 435109000 },
	{ "apenet:4x4", "gpu, slow reception", LAST,
	  { .dst = 1, .bytes = 40960, .path = 1, DET },
	  .set = "gpu.reception=10000000", .value = 419939668 },
	{ "apenet:4x4", "gpu, writes to 350 pages", WORDS,
	  { .dst = 1, .bytes = 64, .path = 1, DET }, .count = 700,
	  .value = 582914000 },
	{ "apenet:4x4", "both directions, staged, slow bus", PAIR,
	  { .dst = 1, .bytes = 40960, .path = 2, DET },
	  .set = "pwrite.rate=10000000", .value = 443709000 },
	{ "apenet:4x4", "staged, slow reception", LAST,
	  { .dst = 1, .bytes = 40960, .path = 2, DET },
	  .set = "staged.reception=10000000", .value = 437761000 },
	{ "apenet:4x4", "staged, writes to 350 pages", WORDS,
	  { .dst = 1, .bytes = 64, .path = 2, DET }, .count = 700,
	  .value = 806516000 },
	{ "apenet:4x4", "host, writes to 600 pages", WORDS,
	  { .dst = 1, .bytes = 64, DET }, .count = 1200, .value = 1360761000 },
	{ "apenet:4x4", "ten packets, dynamic, few buffers", LAST,
	  { .dst = 1, .bytes = 40960 },
	  .set = "tokens_dynamic=310 tokens_deterministic=2 "
		  "host.read=1 injection=1 pread.per_packet=1",
	  .value = 35451161 },
	{ "apenet:4x4", "all nodes, dynamic, fast board", CROWD,
	  { .bytes = 12288 }, .count = 8,
	  .set = "tokens_deterministic=2 host.read=1 injection=1 "
		  "pread.per_packet=1 pread.rate=1 rx.lookup=1 "
		  "pwrite.rate=1 reception=1",
	  .value = 35067000 },
	{ "apenet:4x4", "ten packets, slow link", LAST,
	  { .dst = 1, .bytes = 81920, DET }, .set = "link=10000000",
	  .value = 1051661000 },
	{ "apenet:4x4", "two lanes", LAST, { .dst = 1, .bytes = 40960, DET },
	  .plan = "lanes 0.A+ = 2; lanes 0.B+ = 2; lanes "
		  "0.A- = 2; lanes 0.B- = 2",
	  .value = 44181000 },
	{ "apenet:4x4", "many bit errors", ACKED,
	  { .dst = 10, .bytes = 40960, .ack = 1, DET },
	  .plan = "seed = 1; errors * = 3e-5", .set = "resend_tries=2",
	  .value = 16996137776 },
	{ "apenet:4x4", "bit errors", LAST, { .dst = 10, .bytes = 40960, DET },
	  .plan = "seed = 1; errors * = 1e-5", .value = 111000928 },
	{ "apenet:4x4", "dead node", DEAD, { .dst = 1, .bytes = 8, DET },
	  .plan = "dead-node 1 at 1 us", .set = "detect=1000000",
	  .value = 2001000 },
	{ "apenet:4x4", "link dead for 3 us", ACKED,
	  { .dst = 1, .bytes = 40960, .ack = 1, DET },
	  .plan = "dead-link 0.B+ at 5 us for 3 us; "
		  "dead-link 0.A+ at 5 us for 3 us; "
		  "dead-link 0.A- at 5 us for 3 us; "
		  "dead-link 0.B- at 5 us for 3 us",
	  .value = 38404344 },
	{ "apenet:4x4", "failed host", WATCH, { 0 },
	  .set = "watch_service=450000000000", .value = 1800800070261 },
};
/* clang-format on */
#define GOLDENS (sizeof(golden_table) / sizeof(golden_table[0]))

/* Numbers that no experiment depends on. machine NULL: on all machines. */
static const struct golden_exception {
	const char *machine, *key;
} golden_exceptions[] = {
	/* torus_fifos gives the number of FIFOs that a class uses */
	{ "bgq", "inject_fifos" },
	{ "bgq", "lanes" }, /* a fault plan names one lane less */
	/* software and interfaces of the ranks: used by prov/vt */
	{ NULL, "ranks_per_node" },
	{ NULL, "detect_exit" },
	{ NULL, "send" },
	{ NULL, "recv" },
	{ NULL, "coll_send" },
	{ NULL, "coll_recv" },
	{ NULL, "memory_fifos" },
	{ NULL, "memory_latency" },
	{ NULL, "packet_copy" },
	{ NULL, "memory_copy" },
	{ NULL, "memory_total" },
	{ NULL, "memories" },
	{ NULL, "eager" },
	{ NULL, "message_packet" },
	{ NULL, "eager_message" },
	{ NULL, "device_copy" },
	{ NULL, "device_rate" },
	{ NULL, "match" },
	{ NULL, "match_entry" },
	{ NULL, "message" },
	{ NULL, "poll" },
	{ NULL, "wtime" },
	{ NULL, "input" },
	{ NULL, "input_retry" },
	{ NULL, "atomic" },
	{ NULL, "fold" },
	{ NULL, "fold_levels" },
	{ NULL, "bcast_gather" },
	{ NULL, "engines" },
	/* shapes: used when the file is read */
	{ NULL, "closed" },
	{ NULL, "supernode" },
	/* changes only which of 2^32 bad packets passes the check */
	{ "qsnet2", "code_span" },
	/* shares the buffers of the dynamic channel */
	{ "sunway", "tokens_deterministic" },
	/* the model accepts no other value */
	{ "gemini", "dyn_queues" },
	/* not checked: no experiment found in which they limit the result */
	{ "apenet", "tokens_dynamic" },
	{ "apenet", "dyn_queues" },
	{ "apenet", "ack_timeout" },
	{ "apenet", "watch_service" },
};

#endif

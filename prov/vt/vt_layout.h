/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The shared world segment: one region per job, written by all its ranks. Its
 * sections are consecutive, each starts on a page; the head has their offsets.
 *
 *   +------+-------+-----+-------+-------+------+---------+--------+-----+
 *   | head | ranks | due | batch | cold  | bufs | members | routes | net |
 *   +------+-------+-----+-------+-------+------+---------+--------+-----+
 *            one     when  ranks   one     one     class routes:     arena
 *            each    to    that    each    pool    members,          of
 *                    run   ran             each    adders,           prov/
 *                          last                    results; shares   net
 *
 * Writers. A rank writes its own record and buffers while it runs; the engine
 * writes everything while no rank runs (head.running is 0 and head.engine names
 * the owner). So all plain fields are ordered by the hand-over: the decrement
 * of running (acq_rel) when a rank blocks, the store of status (release) when
 * it is released. With several threads in a rank, which may access their rank
 * while the engine runs, the atomic fields carry the ordering.
 *
 * Untouched pages cost nothing, so the pools are large. The process that runs
 * the engine accesses the buffers in use of all ranks, and every process has a
 * page fault at its first access to a page: so the first buffers of all ranks
 * are adjacent, followed by their second buffers, and so on.
 */
#ifndef WEFT_VT_LAYOUT_H
#define WEFT_VT_LAYOUT_H

#include "prov/vt/vt_api.h"
#include "prov/net/file/net_config.h"
#include "src/base/atomic.h"

#include <stdalign.h>

/* "weftvt" and, in the last two bytes, the version of the format */
#define VT_MAGIC       UINT64_C(0x7765667476743033)
#define VT_VERSION(m)  (((unsigned)(m) >> 8 & 0xf) * 10 + ((unsigned)(m)&0xf))
/* buffers of a rank, which limit its packets in flight */
#define VT_BUFS	       1024u
#define VT_BUF_BYTES   512u /* smallest payload of a buffer, bytes */
#define VT_NONE	       UINT32_MAX
#define VT_NEVER       UINT64_MAX
#define VT_WINDOW      ((uint32_t)WEFT_BACKEND_WINDOW)
#define VT_CPU_WORDS   16u
#define VT_RANKS_MAX   (1u << 20)
/*
 * Number of injection FIFOs of a rank, if the machine file does not specify it
 * (memory_fifos); the destination rank selects the FIFO. The rank's interface,
 * which may send while the rank's clock is far ahead, has the same number of
 * its own.
 */
#define VT_FIFOS       16u
#define VT_SHARE_BYTES (64u * 1024) /* shared area of a rank, bytes */

/* Bits for the resources that a rank waits for when it cannot send. */
enum vt_room { VT_ROOM_BUFS = 1, VT_ROOM_ROUTE = 2, VT_ROOM_UNIT = 4 };

enum vt_broken { VT_BROKEN_NOT, VT_BROKEN, VT_BROKEN_NOTIFIED };

/* Values of head.deadlock; all other values are invalid. */
enum vt_deadlock { VT_DEADLOCK_NOT, VT_DEADLOCK = 0x64656164 };

struct vt_head {
	uint64_t magic;
	uint64_t bytes;
	/* number of ranks, including those that have not started */
	uint32_t size;
	/* number of ranks at the start; the others are spawned (vt_spawn.c) */
	uint32_t initial;
	/* a rank has several threads: deadlocks are not detected */
	uint32_t threads;
	uint64_t ranks_off;
	uint64_t due_off;
	uint64_t batch_off;
	uint64_t cold_off;
	uint64_t bufs_off;
	uint64_t joins_off;
	uint64_t members_off;
	/* reduction state of each member, if interfaces do reductions */
	uint64_t adders_off;
	uint64_t routes_off;
	uint64_t results_off;
	/* array of struct vt_tree, by tree id of prov/net */
	uint64_t trees_off;
	uint64_t shares_off; /* shared areas, VT_SHARE_BYTES per rank */
	uint64_t net_off;
	/*
	 * lookahead: minimum delay between two ranks, with and without
	 * software, ps
	 */
	uint64_t ahead_ps;
	uint64_t ahead_unit_ps;
	uint32_t fifos; /* injection FIFOs of a rank, and of its interface */
	uint64_t packet_bytes; /* largest packet of a rank, bytes */
	/* random number that identifies the world; not used by the model */
	uint64_t id;
	struct net_config cfg;

	/* number of ranks that are still running */
	alignas(128) weft_au32 running;
	/* rank that runs the engine, plus 1; 0: none */
	alignas(128) weft_au32 engine;
	/* number of processes that wait for the engine */
	weft_au32 waiters;
	/* bit mask of the processors of the job */
	weft_au64 cpus[VT_CPU_WORDS];
	weft_au32 broken; /* the model cannot continue; enum vt_broken */
	/* a deadlock was detected: every wait fails; enum vt_deadlock */
	weft_au32 deadlock;
	/* number of ranks that have not reported their wait yet */
	weft_au32 unreported;
	weft_au32 left;	    /* number of ranks that left or died */
	weft_au32 late_run; /* a rank that is not in `batch` has run */
	/* number of entries in the array of struct vt_join */
	uint32_t join_count;
	weft_au32 died;	    /* a rank is dead: check all ranks */
	weft_au32 net_down; /* a link without detour is dead */
	/* a node or rank is dead, so ranks announce that they leave */
	uint32_t node_dead;
	/*
	 * the fault plan ends ranks, so ranks announce from the start that they
	 * leave
	 */
	uint32_t ends_planned;
	/* time from the end of a process until the other ranks detect it, ps */
	uint64_t detect_exit_ps;
	/* number of ranks whose end was detected; see vt_rank_cold.failure */
	weft_au32 failures;
	uint32_t batch_count;
	weft_au64 now; /* virtual time that the model has reached, ps */
	uint64_t passes;
	uint64_t routes_opened; /* class routes opened, in total */
	uint64_t route_parts;	/* packets that ranks sent on class routes */
	/* bytes in packets that ranks sent on class routes */
	uint64_t route_bytes;
	uint64_t route_atomics; /* inputs of trees that were sent as atomics */
	/* consecutive passes that released only polling ranks */
	weft_au64 idle_passes;
	/* messages discarded for lack of a free input slot */
	uint64_t discards;
	/* number of ranks of background jobs (vt_background.c) */
	weft_au32 backgrounds;
	/*
	 * 1: all ranks of the other jobs have left, and virtual time has
	 * stopped
	 */
	weft_au32 over;
};

/*
 * Record of a rank. It has only two cache lines, because the engine accesses
 * the records of all ranks, and a rank that is woken has cache misses on its
 * own record.
 */
struct vt_rank {
	/*
	 * cache line 0: words that a blocked rank checks, and data that the
	 * rank passes to the engine
	 */
	alignas(128) weft_au32 status; /* enum weft_vt_state; futex */
	/* reason why the wait ended: 0 or errno */
	weft_au32 verdict;
	weft_au64 clock;
	weft_au32 waits_for;
	/* head of the arrival list, a buffer that has been read already */
	weft_au32 in_head;
	/* Stacks of buffers, linked by vt_buf.next: */
	weft_au32 posted;   /* buffers to be sent, the newest on top */
	weft_au32 freed;    /* buffers of other ranks that this rank has read */
	weft_au32 returned; /* buffers of this rank that were returned */
	uint32_t unused_buf; /* first buffer of this rank that was never used */
	weft_au32 pid;
	weft_au32 exit_err; /* errno reported to the rank's peers, or 0 */
	/* start time of pid, written before pid; see src/os/alive.h */
	uint64_t start;
	weft_au32 packets_read; /* number of packets that this rank has read */

	/* cache line 1: written by the engine */
	alignas(64) uint64_t
		released_pass; /* last pass that released the rank */
	uint32_t in_tail;      /* last entry of the arrival list */
	uint32_t node;
	uint32_t slot;	    /* index of the rank on its node */
	uint32_t in_flight; /* number of packets and transfers in flight */
	/* errno for peers after this rank closed; packets may be in flight */
	uint32_t leave_err;
	uint32_t routes; /* bit mask of the class route ids in use */
	struct vt_msg_fifo {
		uint32_t first, last; /* buffers, linked by vt_buf.later */
		/* out: messages that later messages could overtake */
	} out;
	struct vt_msg_fifo accesses; /* ordered accesses of the rank */
	/*
	 * completion time of the last atomic executed by the rank's interface,
	 * ps
	 */
	uint64_t atomics_end_ps;
	/* packets that have arrived for the rank */
	uint32_t arrived;
	/*
	 * number of error events in the completion queue of the rank's
	 * interface; after each of them, its software retransmits a packet
	 */
	weft_au32 error_events;
};

static_assert(sizeof(struct vt_rank) == 128, "shared format");

/* maximum number of areas: registered regions, heap, mappings, stack */
enum { VT_AREAS = 64 };

struct vt_area {
	uint64_t begin;
	uint64_t key; /* key of the region */
	/* true: a registered region; false: unregistered memory */
	bool region;
};

/*
 * Rarely used data of a rank, such as its requests for routes and its last
 * note.
 */
struct vt_rank_cold {
	alignas(128) struct vt_route_request {
		uint64_t key;
		weft_au32 state; /* enum vt_route_state */
		int32_t err;
		uint32_t place;
		uint32_t id;
	} req[WEFT_BACKEND_ROUTES];

	struct weft_vt_note note;

	/*
	 * Written by the engine: areas of the rank's memory, in order of first
	 * access.
	 */
	struct vt_area area[VT_AREAS];
	uint32_t areas;

	/*
	 * The memory of the node (vt_memory.c). memory: the first rank that
	 * uses the same memory; memory_ps: in the record of that rank, the time
	 * at which the memory is free; copy_ps: the time at which this rank's
	 * processor has completed its copies.
	 */
	uint32_t memory;
	uint64_t memory_ps;
	uint64_t copy_ps;

	/*
	 * The end of the rank (vt_end.c). end_ps: time at which the fault plan
	 * ends the rank, or VT_NEVER; ended: written by the rank when it ends
	 * at that time. Written by the engine: failed_ps, the time of the
	 * failure; known_ps, the time at which the other ranks detect it;
	 * has_left, whether the rank has left the job; and failure, in the i-th
	 * record the rank that was the i-th to end in the job.
	 */
	uint64_t end_ps;
	uint64_t failed_ps;
	uint64_t known_ps;
	uint32_t ended;
	uint32_t has_left;
	uint32_t failure;

	/* 1: the rank belongs to a background job; written when it joins */
	uint32_t background;

	/*
	 * Written by the engine: completed file accesses of the rank, and end
	 * of the last access of its I/O node (vt_file.c).
	 */
	uint64_t files_done;
	uint64_t io_end_ps;

	/*
	 * The rank's request to start further ranks. first: the first of the
	 * started ranks, or VT_NONE; written by the engine.
	 */
	struct vt_spawn {
		weft_au32 state; /* enum vt_spawn_state */
		uint32_t first;
	} spawn;

	/*
	 * State of the rank's interface, if it matches messages
	 * (vt_interface.c).
	 */
	struct vt_interface {
		/* 1: the interface matches; written when the rank joins */
		uint32_t matches;
		/* 1: the interface may run while the blocked rank computes */
		uint32_t may_run;
		/* time of the interface's searches since the last pass, ps */
		uint64_t searched_ps;
		/*
		 * Written by the engine: run_ps, the time of the interface's
		 * run, or VT_NEVER if the rank itself is released; arrived_ps,
		 * the time of the last arrival in the list.
		 */
		uint64_t run_ps;
		uint64_t arrived_ps;
	} interface;
};

static_assert(sizeof(struct vt_rank_cold) % 128 == 0, "shared format");

/* State of a rank's request to start further ranks. */
enum vt_spawn_state { VT_SPAWN_IDLE, VT_SPAWN_REQUESTED, VT_SPAWN_STARTED };

/* Kind of a posted buffer. */
enum vt_kind {
	VT_PACKET,
	VT_DMA,	  /* transfer; struct vt_dma in the payload */
	VT_FILE,  /* file access; struct vt_file in the payload */
	VT_SPAWN, /* start of `to` further ranks */
	VT_PART,  /* contribution to a class route */
	VT_ROUTE_OPEN,
	VT_ROUTE_CLOSE,
	VT_LEAVE,
	VT_STUB, /* empty first entry of an arrival list */
};

/*
 * A packet from its send until it is read. Indices of buffers are unique in the
 * world.
 */
struct vt_buf {
	alignas(64) weft_au32 next;
	uint32_t from;
	uint32_t to;
	uint32_t chain; /* next packet of the same message */
	/* in the last packet: next packet of the message to be delivered */
	uint32_t cursor;
	/* in the last packet: bytes that have arrived */
	uint32_t arrived_bytes;
	uint8_t kind; /* enum vt_kind */
	/*
	 * 1: the packet continues a message, so it costs no software time at
	 * the sender and the receiver
	 */
	uint8_t more;
	/* contribution: route id of the member; transfer: transfer number */
	uint16_t id;
	union {
		uint32_t route; /* contribution: index in routes */
		/* packet, transfer: 1 if the interface has sent it */
		uint32_t by_interface;
	};
	uint32_t end;	/* bytes of the message up to the end of this packet */
	uint32_t later; /* in the last packet: next message of the FIFO */
	uint32_t nth;	/* position of the packet in the message, from 1 */
	uint32_t no_slot; /* in the last packet: the message is discarded */
	uint64_t stamp;	  /* time of sending, then of arrival, ps */
	struct weft_pkt_attr attr;
	union {
		struct weft_pkt pkt;
		struct weft_backend_part part;
	};
	/* head.packet_bytes bytes, at least VT_BUF_BYTES */
	unsigned char payload[];
};

static_assert(offsetof(struct vt_buf, payload) % 8 == 0 &&
		      offsetof(struct vt_buf, payload) <= 128 &&
		      sizeof(struct weft_backend_part) <=
			      sizeof(struct weft_pkt),
	      "shared format");

/* maximum number of transfers in flight per rank */
#define VT_DMAS		  64u
#define VT_DMA_SEGS	  8u
/*
 * Bits of a cookie above the buffer's index. They state the kind of the
 * message.
 */
#define VT_COOKIE_DMA	  (UINT64_C(1) << 32)
#define VT_COOKIE_FOLD	  (UINT64_C(2) << 32)
/* The sender waits for the acknowledgement of the whole message. */
#define VT_COOKIE_ACK	  (UINT64_C(4) << 32)
/*
 * RESULT: a result that is forwarded from member to member; with DELIVER, it is
 * delivered to the member's own rank. The upper bits of the cookie contain the
 * member, the lower 32 bits the route index and the window slot.
 */
#define VT_COOKIE_RESULT  (UINT64_C(8) << 32)
#define VT_COOKIE_DELIVER (UINT64_C(16) << 32)
/*
 * Cookies of timers for a message through the node's memory: COPY: its copy may
 * begin; COPIED: its copy has ended.
 */
#define VT_COOKIE_COPY	  (UINT64_C(32) << 32)
#define VT_COOKIE_COPIED  (UINT64_C(64) << 32)
/*
 * FILE: a file access. END: cookie of a timer at whose time the other ranks
 * detect the end of a rank.
 */
#define VT_COOKIE_FILE	  (UINT64_C(128) << 32)
#define VT_COOKIE_END	  VT_COOKIE_FILE
/* Cookie of a timer at whose time further ranks start. */
#define VT_COOKIE_SPAWN	  (VT_COOKIE_END | VT_COOKIE_DMA)
#define VT_RESULT_MEMBER  40

enum vt_dma_kind { VT_PUT, VT_GET, VT_CHANGE };

/*
 * The messages of a transfer: a request, the data, and the response to a put.
 */
enum vt_dma_step { VT_DMA_REQUEST, VT_DMA_DATA, VT_DMA_RESPONSE };

/* Bits for the conditions that a transfer waits for. */
enum vt_dma_wait {
	VT_DMA_ORDER = 1, /* completion of the earlier transfers */
	VT_DMA_ACK = 2,	  /* acknowledgement by the other end */
};

/*
 * A transfer between the origin's segments and memory of the target. When the
 * request of a short get has arrived, its data is stored after this struct in
 * the buffer.
 */
struct vt_dma {
	uint8_t kind; /* enum vt_dma_kind */
	uint8_t step; /* enum vt_dma_step */
	uint8_t ordered;
	/* 1: the data of the get is stored after this struct */
	uint8_t inline_data;
	uint8_t acked;	  /* 1: the acknowledgement completes the transfer */
	uint8_t ready;	  /* 1: the transfer waits only for earlier transfers */
	uint8_t wait_for; /* bits of enum vt_dma_wait */
	uint8_t count;
	int32_t err;
	uint64_t remote;
	uint64_t region;
	uint64_t key; /* key of the remote region */
	uint64_t bytes;
	uint64_t operands; /* atomic: address of the operands at the origin */
	uint64_t operand_bytes;
	/*
	 * number of bytes of the current step's message that have arrived, and
	 * number expected
	 */
	uint64_t arrived_bytes;
	uint64_t awaited;
	uint64_t address[VT_DMA_SEGS];
	uint64_t len[VT_DMA_SEGS];
	struct weft_pkt_attr back;
};

/* A file access, in the payload of its buffer; vt_file.c. */
struct vt_file {
	uint64_t bytes;
	uint64_t arrived; /* bytes of the current message that have arrived */
	uint64_t awaited;
	uint32_t write;
	uint32_t answered; /* 1: the second message was sent */
};

/*
 * Returns the maximum bytes of a contribution to a class route, if packets have
 * this maximum size.
 */
static inline size_t vt_part_bytes(uint64_t packet_bytes)
{
	return packet_bytes < WEFT_BACKEND_PART_MAX ? packet_bytes
						    : WEFT_BACKEND_PART_MAX;
}

/* Returns the size of one buffer with space for a packet of this size. */
static inline size_t vt_buf_bytes(uint64_t packet_bytes)
{
	size_t most = packet_bytes > VT_BUF_BYTES ? packet_bytes : VT_BUF_BYTES;

	return (offsetof(struct vt_buf, payload) + most + 63) / 64 * 64;
}

/*
 * State of an entry in the array of routes, and of a rank's request for a
 * route.
 */
enum vt_route_state { VT_ROUTE_FREE, VT_ROUTE_REQUESTED, VT_ROUTE_OPENED };

/*
 * Number of entries per rank in the array of routes: for the routes of which
 * the rank is the first member, and for requests in progress.
 */
#define VT_PLACES (2u * WEFT_BACKEND_ROUTES)

/* A route that not all members have requested yet. */
struct vt_join {
	uint64_t key;
	uint32_t count; /* number of members that have requested the route */
	uint32_t n;
	/* index in the array of routes; VT_NONE: not known yet */
	uint32_t place;
	uint32_t routes;
};

/* A class route, stored in an entry of its first member's rank. */
struct vt_route {
	weft_au32 state; /* enum vt_route_state */
	uint32_t user_id;
	uint32_t id;	 /* tree id in prov/net */
	uint32_t count;	 /* number of members */
	uint32_t closed; /* number of members that have closed the route */
	uint32_t times;	 /* number of times that this entry was opened */
	/*
	 * 1: the network has no tree for this route, and the members forward
	 * the packets
	 */
	uint32_t no_tree;
	/* Results that are being distributed, indexed by window slot. */
	uint64_t seq[VT_WINDOW]; /* sequence number of the result, plus one */
	uint32_t flags[VT_WINDOW];
	uint32_t bytes[VT_WINDOW];
	/* Root of a broadcast: the value of the first member that posted it. */
	uint64_t root_seq[VT_WINDOW];
	uint32_t root[VT_WINDOW];
	/*
	 * Reductions by interfaces: whether the order of additions matters; the
	 * value of the first member that posted it.
	 */
	uint64_t order_seq[VT_WINDOW];
	uint8_t ordered[VT_WINDOW];
};

/* Routes that use a tree of prov/net. */
struct vt_tree {
	uint32_t place; /* index of the route for which the tree was opened */
	uint32_t users; /* number of routes whose results the tree carries */
};

/*
 * Positions of two fields in the cookie of a broadcast result, above its
 * buffer's index: the route's index, and the number of times that the route's
 * entry was opened. A tree may carry the results of several routes.
 */
#define VT_BCAST_PLACE	 32
#define VT_BCAST_OPENING 52
static inline uint64_t vt_bcast_cookie(uint32_t place, const struct vt_route *r)
{
	return (uint64_t)place << VT_BCAST_PLACE | (uint64_t)r->times
							   << VT_BCAST_OPENING;
}

/* One window slot of a reduction at a member's interface; vt_fold.c. */
struct vt_fold {
	uint64_t seq;
	uint64_t arrived; /* bit mask of the inputs that have arrived */
	/*
	 * buffer of the member's contribution, which also contains its partial
	 * sum
	 */
	uint32_t buf;
	uint16_t added;
	/* the member's contribution is posted, but not at the interface yet */
	bool posted;
	bool at_interface; /* the member's contribution is at the interface */
};

/*
 * A member of a route; each entry for routes has an array of head.size members.
 */
struct vt_member {
	uint32_t rank;
	/* in entry i: index of the i-th member in the order of nodes */
	uint32_t by_node;
	/* contributions in flight for which the member gets no result */
	uint32_t ahead;
	/* buffers that wait for a result, by slot of the window */
	uint32_t part[VT_WINDOW];
};

/* State of a member whose interface executes reductions; vt_fold.c. */
struct vt_adder {
	struct vt_fold fold[VT_WINDOW];
	/* whether a contribution of the rank uses the slot */
	uint8_t slot_used[VT_WINDOW];
	/* all contributions before this sequence number are at the interface */
	uint64_t interface_seq;
	/* time at which the interface completes its current additions, ps */
	uint64_t busy_ps;
	/* list of inputs that arrived before the member's own contribution */
	uint32_t early_inputs;
	uint32_t
		/*
		 * bit mask of the slots whose result has arrived before the
		 * member's own contribution
		 */
		early_results;
};

#endif

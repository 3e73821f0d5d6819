/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The world: one region of the job, written by all its ranks. Its parts lie
 * behind each other, each begins on a page; the head has their offsets.
 *
 *   +------+-------+-----+-------+-------+------+---------+--------+-----+
 *   | head | ranks | due | batch | desks | bufs | members | routes | net |
 *   +------+-------+-----+-------+-------+------+---------+--------+-----+
 *            one     when  who     one     a pool  class routes:     prov/
 *            each    to    ran     each    each    who belongs to    net's
 *                    run   last                    them, adders,     block
 *                                                  results; shares
 *
 * Who writes what. A rank writes its own record and buffers while it runs; the
 * engine writes everything while nobody runs (head.running is 0 and head.engine
 * names it). So all plain fields are ordered by the hand-over: the decrement of
 * running (acq_rel) on the way in, the store of status (release) on the way
 * out. With several threads in a rank, which may touch their rank while the
 * engine runs, the atomic fields carry what they need.
 *
 * Pages that nobody touches cost nothing, so the pools are generous. Whoever
 * runs the engine touches what all ranks have in use, and every process pays
 * for its first touch: so the first buffers of all ranks lie together, then
 * their second ones, and so on.
 */
#ifndef WEFT_VT_LAYOUT_H
#define WEFT_VT_LAYOUT_H

#include "prov/carrier/carrier_vt.h"
#include "prov/net/net_config.h"
#include "src/base/atomic.h"

#include <stdalign.h>

#define VT_MAGIC       UINT64_C(0x7765667476743031)
#define VT_BUFS	       1024u /* buffers of a rank: its packets under way */
#define VT_PART_BYTES  512u  /* bytes of a part of a class route at most */
#define VT_NONE	       UINT32_MAX
#define VT_NEVER       UINT64_MAX
#define VT_WINDOW      ((uint32_t)WEFT_VT_WINDOW)
#define VT_CPU_WORDS   16u
#define VT_RANKS_MAX   (1u << 20)
/* Injection FIFOs of a rank; peers take turns. And of its interface, which
 * sends while the rank is far ahead in time. */
#define VT_FIFOS       16u
#define VT_UNIT_FIFOS  16u
#define VT_SHARE_BYTES (64u * 1024) /* what a rank shows of itself */

/* What a rank that cannot send waits for, bits. */
enum vt_room { VT_ROOM_BUFS = 1, VT_ROOM_ROUTE = 2, VT_ROOM_UNIT = 4 };

enum vt_broken { VT_BROKEN_NOT, VT_BROKEN, VT_BROKEN_TOLD };

/* Of head.deadlock; what is neither is garbage. */
enum vt_deadlock { VT_DEADLOCK_NOT, VT_DEADLOCK = 0x64656164 };

struct vt_head {
	uint64_t magic;
	uint64_t bytes;
	uint32_t size;	  /* ranks */
	uint32_t threads; /* a rank has several: no verdict on deadlock */
	uint64_t ranks_at;
	uint64_t due_at;
	uint64_t batch_at;
	uint64_t desks_at;
	uint64_t bufs_at;
	uint64_t joins_at;
	uint64_t members_at;
	uint64_t adders_at; /* as many as members, where interfaces add */
	uint64_t routes_at;
	uint64_t trees_at;  /* by id in prov/net */
	uint64_t shares_at; /* VT_SHARE_BYTES of each rank */
	uint64_t net_at;
	uint64_t ahead_ps; /* what a rank does reaches others this much later */
	uint64_t packet_bytes; /* largest packet of a rank */
	struct net_config cfg;

	alignas(128) weft_au32 running; /* ranks that may still act */
	alignas(128) weft_au32 engine;	/* rank that runs the model, plus 1 */
	weft_au32 waiters;		/* for it */
	weft_au64 cpus[VT_CPU_WORDS];	/* that ranks may use, a bit each */
	weft_au32 broken;		/* the model is lost; enum vt_broken */
	weft_au32 deadlock;  /* found: every wait says so; enum vt_deadlock */
	weft_au32 unsaid;    /* ranks that have not told why yet */
	weft_au32 left;	     /* ranks that left or died */
	weft_au32 late;	     /* somebody ran who is not in the batch */
	uint32_t join_count; /* in joins */
	weft_au32 died;	     /* a rank was found dead: everybody is to look */
	weft_au32 net_down;  /* a link that nothing goes round is dead */
	uint32_t node_dead;  /* one is: who leaves is missed by the others */
	uint32_t batch_count;
	weft_au64 now; /* the model has run so far */
	uint64_t turns;
	uint64_t routes_opened; /* class routes, in all */
	uint64_t route_parts;	/* packets that ranks sent on them */
	uint64_t route_bytes;	/* and what was in them */
	uint64_t route_atomics; /* inputs of trees that were atomics */
	weft_au64 idle_turns;	/* in a row, for ranks that poll alone */
	uint64_t discards;	/* messages that found no slot */
};

/*
 * A rank, two lines: whoever runs the engine touches those of all ranks, and a
 * rank that wakes finds everything of its own cold.
 */
struct vt_rank {
	/* line 0: what the sleeper looks at, and what it has for the engine */
	alignas(128) weft_au32 status; /* enum weft_vt_state; futex */
	weft_au32 verdict;	       /* why the wait ended: 0 or errno */
	weft_au64 clock;
	weft_au32 wants_room;
	weft_au32 in_head; /* packets in, a list; the first was read already */
	/* buffers, stacks through their next */
	weft_au32 posted; /* to be sent, the last one on top */
	weft_au32 freed;  /* of others, that it has read */
	weft_au32 spare;  /* its own, that came back */
	uint32_t fresh;	  /* its own that were never used, from here on */
	weft_au32 pid;
	weft_au32 gone;	 /* errno for those who knew it, or 0 */
	uint64_t start;	 /* of pid, written before it; see src/base/alive.h */
	weft_au32 taken; /* packets that it has read */

	/* line 1: the engine's */
	alignas(64) uint64_t freed_turn; /* the last turn that freed it */
	uint32_t in_tail;		 /* of the packets in */
	uint32_t node;
	uint32_t slot;	 /* place on the node */
	uint32_t flying; /* packets under way from it */
	uint32_t bye;	 /* errno: has closed, its packets still fly */
	uint32_t routes; /* which it has */
	struct vt_line {
		uint32_t first, last; /* buffers, through their later */
	} out;			      /* its messages that may be overtaken */
	struct vt_line reach;	      /* its accesses that keep their order */
	uint64_t changing_ps; /* its interface does atomics until then */
	uint32_t came;	      /* packets that it could read */
};

static_assert(sizeof(struct vt_rank) == 128, "shared format");

enum { VT_AREAS = 64 }; /* of a rank: regions; heap, mappings, stack */

struct vt_area {
	uint64_t begin;
	uint64_t key; /* of a region */
	bool region;  /* registered, or whatever lies there */
};

/* What a rank needs seldom: routes that it asked for, its last words. */
struct vt_desk {
	alignas(128) struct vt_wish {
		uint64_t key;
		weft_au32 state; /* enum vt_route_state */
		int32_t err;
		uint32_t place;
		uint32_t id;
	} wish[WEFT_VT_ROUTES];

	struct weft_vt_note note;

	/* the engine's: where its memory was reached, in that order */
	struct vt_area area[VT_AREAS];
	uint32_t areas;
};

static_assert(sizeof(struct vt_desk) % 128 == 0, "shared format");

/* What a posted buffer asks for. */
enum vt_kind {
	VT_PACKET,
	VT_DMA,	 /* struct vt_dma in the payload */
	VT_PART, /* of a class route */
	VT_ROUTE_OPEN,
	VT_ROUTE_CLOSE,
	VT_BYE,
	VT_STUB, /* the first of an empty list */
};

/* A packet, from its send to its reading; buffers count through all ranks. */
struct vt_buf {
	alignas(64) weft_au32 next;
	uint32_t from;
	uint32_t to;
	uint32_t chain;	  /* next packet of the same message */
	uint32_t cursor;  /* in its last packet: the one that arrives next */
	uint32_t come;	  /* likewise: bytes of the message that arrived */
	uint8_t kind;	  /* enum vt_kind */
	uint8_t more;	  /* continues a message: no cost at either end */
	uint16_t id;	  /* of a part: its route, as the member calls it */
	uint32_t route;	  /* place in the routes */
	uint32_t end;	  /* bytes of the message up to its end */
	uint32_t later;	  /* in its last packet: the next of its line */
	uint32_t nth;	  /* of the message */
	uint32_t no_slot; /* in its last packet: all of it is discarded */
	uint64_t stamp;	  /* of sending, then of arrival */
	struct weft_vt_way way;
	union {
		struct weft_pkt pkt;
		struct weft_vt_part part;
	};
	unsigned char
		payload[]; /* head.packet_bytes, and VT_PART_BYTES at least */
};

static_assert(offsetof(struct vt_buf, payload) % 8 == 0 &&
		      offsetof(struct vt_buf, payload) <= 128 &&
		      sizeof(struct weft_vt_part) <= sizeof(struct weft_pkt),
	      "shared format");

#define VT_DMAS	       64u /* transfers of a rank under way */
#define VT_DMA_SEGS    8u
/* Beside a buffer's number: whose message it is. */
#define VT_COOKIE_DMA  (UINT64_C(1) << 32)
#define VT_COOKIE_FOLD (UINT64_C(2) << 32)
/* Who sent it wants to know when all of it is acknowledged. */
#define VT_COOKIE_ACK  (UINT64_C(4) << 32)
/*
 * A result on its way from member to member, or (HAND) to its own rank: the
 * member is in the upper bits, the place and the packet are in the lower ones.
 */
#define VT_COOKIE_TELL (UINT64_C(8) << 32)
#define VT_COOKIE_HAND (UINT64_C(16) << 32)
#define VT_TELL_MEMBER 40

enum vt_dma_kind { VT_PUT, VT_GET, VT_CHANGE };

/* The messages of a transfer: a request, the data, and an answer of a put. */
enum vt_dma_step { VT_DMA_ASKED, VT_DMA_MOVING, VT_DMA_TOLD };

/* What it waits for, bits. */
enum vt_dma_wait {
	VT_DMA_TURN = 1, /* those before it */
	VT_DMA_ACK = 2,	 /* the other end's acknowledgement */
};

/*
 * A transfer between the origin's segments and memory of the target. A short
 * get has its bytes behind it, from its request on.
 */
struct vt_dma {
	uint8_t kind; /* enum vt_dma_kind */
	uint8_t step; /* enum vt_dma_step */
	uint8_t ordered;
	uint8_t kept;  /* its bytes are behind it */
	uint8_t acked; /* its end is known by acknowledgements */
	uint8_t ready; /* but for those before it */
	uint8_t waits; /* enum vt_dma_wait */
	uint8_t count;
	int32_t err;
	uint64_t remote;
	uint64_t region;
	uint64_t key; /* of the region */
	uint64_t bytes;
	uint64_t what; /* an atomic: address at the origin */
	uint64_t what_bytes;
	uint64_t come; /* of the step's message */
	uint64_t awaited;
	uint64_t at[VT_DMA_SEGS];
	uint64_t len[VT_DMA_SEGS];
	struct weft_vt_way back;
};

/* Of one buffer, with a packet in it. */
static inline size_t vt_buf_bytes(uint64_t packet_bytes)
{
	size_t most =
		packet_bytes > VT_PART_BYTES ? packet_bytes : VT_PART_BYTES;

	return (offsetof(struct vt_buf, payload) + most + 63) / 64 * 64;
}

/* Of a route's place, and of a rank's wish for one. */
enum vt_route_state { VT_ROUTE_FREE, VT_ROUTE_ASKED, VT_ROUTE_OPENED };

/* Places of a rank: for routes whose first member it is, and joins of them. */
#define VT_PLACES (2u * WEFT_VT_ROUTES)

/* A route that not all members have asked for yet. */
struct vt_join {
	uint64_t key;
	uint32_t count; /* have asked */
	uint32_t n;
	uint32_t place; /* when the first member has */
	uint32_t routes;
};

/* A class route, kept by its first member. */
struct vt_route {
	weft_au32 state; /* enum vt_route_state */
	uint32_t user_id;
	uint32_t id;	 /* of prov/net */
	uint32_t count;	 /* members */
	uint32_t closed; /* of them */
	uint32_t times;	 /* that this place was opened */
	uint32_t bare;	 /* no tree of the network: its members pass it on */
	/* results on their way down, by packet */
	uint64_t seq[VT_WINDOW]; /* whose result is here, plus one */
	uint32_t flags[VT_WINDOW];
	uint32_t bytes[VT_WINDOW];
	/* of a broadcast: whose it is, as the first to post has it */
	uint64_t root_seq[VT_WINDOW];
	uint32_t root[VT_WINDOW];
	/* of what interfaces add: whether its order counts, likewise */
	uint64_t order_seq[VT_WINDOW];
	uint8_t ordered[VT_WINDOW];
	unsigned char data[VT_WINDOW][VT_PART_BYTES];
};

/* A tree of prov/net. */
struct vt_tree {
	uint32_t place; /* of the route that it was opened for */
	uint32_t users; /* routes whose results it carries */
};

/*
 * What a broadcast of a sum is sent as, beside its buffer: the route, and which
 * of those at this place, for a tree may carry the results of several.
 */
#define VT_CAST_PLACE 32
#define VT_CAST_TIMES 52
static inline uint64_t vt_cast_of(uint32_t place, const struct vt_route *r)
{
	return (uint64_t)place << VT_CAST_PLACE | (uint64_t)r->times
							  << VT_CAST_TIMES;
}

/* A packet of a reduction at a member's interface; vt_fold.c. */
struct vt_fold {
	uint64_t seq;
	uint64_t came; /* inputs, a bit each */
	uint32_t buf;  /* the member's part, and its sum so far */
	uint16_t added;
	bool posted; /* its own part, on the way to the interface */
	bool here;   /* and there */
};

/* Its members, in an array of head.size for each route. */
struct vt_member {
	uint32_t rank;
	uint32_t by_node; /* the i-th member, ordered by node */
	uint32_t ahead;	  /* its parts under way whose result it does not get */
	uint32_t part[VT_WINDOW]; /* buffer that waits for the result */
};

/* The same of a member whose interface adds; vt_fold.c. */
struct vt_adder {
	struct vt_fold fold[VT_WINDOW];
	uint8_t taken[VT_WINDOW]; /* by a part of the rank's; 0: free */
	uint64_t here_seq; /* up to here its parts are at its interface */
	uint64_t busy_ps;  /* it adds until then */
	uint32_t early;	   /* inputs that came before its own part, a chain */
	uint32_t told;	   /* results likewise, a bit for each of the window */
};

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The network interface below the libfabric face: a message engine that is
 * the same for all machines, over a unit that is the machine's own.
 *
 *     prov/ofi        weft_nic_* calls, struct weft_nic_op
 *     nic engine      eager and rendezvous, matching, RMA, atomics
 *     unit            direct (native) | mu (bgq) | fma (gemini)
 *                     sten (qsnet2) | swhni (sunway) | apenet
 *     carrier         shm | loop
 *
 * The engine speaks in packets and in DMA; a unit carries them as its machine
 * would (descriptors in an injection FIFO, a put window, a command queue).
 * A machine is one row: a unit, its limits, and the sizes at which one path
 * hands over to the next. Nothing here knows rdma/ headers.
 */
#ifndef WEFT_PROV_NIC_H
#define WEFT_PROV_NIC_H

#include "prov/carrier/carrier.h"
#include "prov/match/match.h"
#include "prov/nic/nic_chain.h"
#include "prov/nic/nic_coll.h"
#include "src/base/pool.h"

#include <stdlib.h>
#include <string.h>

struct weft_unit;
struct weft_machine;

/* DMA between own and a peer's memory, as a unit takes it. */
struct weft_dma {
	struct iovec local[4];
	int local_count;
	bool ordered;	 /* happens after those before it to that peer */
	bool by_line;	 /* that matters only within a line of memory */
	uint64_t remote; /* address in the peer */
	uint64_t region; /* where its region begins there; 0: not known */
	uint64_t key;	 /* of that region */
	size_t bytes;
	/* called once, before the post returns 0 or in a later poll; err 0 or
	 * -errno */
	void (*done)(struct weft_dma *d, int err);
};

/* An atomic by the peer's interface; what was there goes to dma.local. */
struct weft_amo {
	struct weft_dma dma;
	const void *what; /* for weft_carrier_attr.change */
	size_t what_bytes;
	size_t operands; /* bytes of it that the machine would send */
};

/*
 * What the engine asks of a unit. Nothing blocks. A packet that a unit takes
 * is delivered to up->deliver at the peer exactly once and in order of posts;
 * what the unit adds on the way (descriptors, cutting, counters) stays inside.
 */
struct weft_unit_ops {
	const char *name;  /* as in machine files */
	size_t packet_max; /* largest packet that it gives the carrier */
	/*
	 * Opens the unit on a carrier it creates with attr; up gets whole
	 * engine packets, not the unit's fragments.
	 */
	int (*open)(const struct weft_machine *m,
		    const struct weft_carrier_ops *carrier,
		    const struct weft_carrier_attr *attr,
		    struct weft_unit **u_p);
	void (*close)(struct weft_unit *u);
	/* One engine packet, payload up to the machine's packet_bytes. */
	int (*packet)(struct weft_unit *u, struct weft_peer *peer,
		      const struct weft_pkt *pkt, const struct iovec *iov,
		      int iov_count);
	/* Receiver-driven read, sender-driven write; -EAGAIN, -EOPNOTSUPP. */
	int (*get)(struct weft_unit *u, struct weft_peer *peer,
		   struct weft_dma *d);
	int (*put)(struct weft_unit *u, struct weft_peer *peer,
		   struct weft_dma *d);
	/* Only in virtual time: else, and where it does not go, -EOPNOTSUPP,
	 * here or in done. -EAGAIN. */
	int (*amo)(struct weft_unit *u, struct weft_peer *peer,
		   struct weft_amo *a);
	/* Runs the unit's engines and the carrier; number of packets. */
	int (*poll)(struct weft_unit *u, int budget);
	/* Trees of chained events; NULL: its events start nothing. */
	const struct weft_chain_ops *chain;
	/* Adds nothing to what the carrier does. */
	bool bare;
};

/* Packet types below are the engine's, from here on the units' own. */
#define WEFT_PKT_UNIT 64

/* First member of every unit's object. */
struct weft_unit {
	const struct weft_unit_ops *ops;
	struct weft_carrier *carrier;
	bool fills; /* packets go as they are to a carrier that fills them */
	/*
	 * A copy took its time: peers may have answered meanwhile, so a unit
	 * that stores packets before it delivers them looks there first.
	 */
	bool copied;
};

/*
 * How groups do their barriers, by the nodes they are on: the first row that
 * serves them. The last row of a table serves all.
 */
struct weft_nic_group_form {
	bool (*serves)(const uint64_t *node, int n);
	enum weft_cu_form form;
};

/* A machine: which unit, its limits, where the paths hand over. */
struct weft_machine {
	const char *name;   /* FI_WEFT_MACHINE */
	const char *fabric; /* fi_fabric_attr.name */
	const struct weft_unit_ops *unit;
	size_t inject_bytes; /* largest fi_inject */
	size_t packet_bytes; /* payload of one engine packet */
	size_t eager_bytes;  /* above: rendezvous */
	bool eager_by_host;  /* or what was measured of the host */
	size_t typed_bytes;  /* from here on typed data pays; 0: never */
	uint64_t msg_order;  /* FI_ORDER_* bits, as a plain number */
	bool hmem;	     /* reaches memory of other kinds: prov/mem */
	unsigned fifos;	     /* injection FIFOs, windows or queues */
	/* what finds wrong bits, where a fault plan makes some, live */
	enum weft_carrier_code code;
	/* collectives: areas of the unit, class routes that users may have */
	struct weft_cu_geo cu;
	uint64_t routes; /* a bit each */
	/* the same of barriers; none: they take the class route */
	struct weft_cu_geo bar;
	uint64_t barriers;
	/* where node i stands, in WEFT_CU_DIMS numbers; NULL: nowhere */
	void (*coords)(uint32_t node, int *at);
	const struct weft_nic_group_form *forms; /* NULL: as suits the host */
	/*
	 * Levels of the tree that stands in the descriptor of a barrier or of
	 * a reduction that gives the same bits in any order; these have the
	 * area `bar`. 0: the machine has one tree for all.
	 */
	unsigned levels;
	/*
	 * In virtual time, where processors pass on what no hardware does:
	 * groups from so many members on do it, others are better served by
	 * messages, and so are vectors of more bytes; 0: all, any.
	 */
	int tree_least;
	size_t tree_bytes;
};

/* The unit of the native machine: straight to the carrier. */
extern const struct weft_unit_ops weft_unit_direct;

/* The rows; NULL for an unknown name. The first row is the default. */
const struct weft_machine *weft_machine_find(const char *name);
const struct weft_machine *weft_machine_at(unsigned i);

/*
 * The message engine. One struct weft_nic is one endpoint.
 *
 *   open -> [peer, op_get, send, recv, rma, atomic, poll, cancel]* -> close
 *
 * An operation is a struct weft_nic_op from the nic's pool: get it, fill the
 * fields marked "in", hand it over. 0: the engine owns it from now on and
 * calls up->done when it is complete, perhaps before the call returns.
 * -EAGAIN (full, or the peer is not there yet) and every other error: nothing
 * happened, the caller gives it back with weft_nic_op_put. Nothing blocks
 * except wait.
 *
 * Calls on one nic are serialised by the caller (the domain's lock), except
 * wake, and wait as the carrier says.
 */
#define WEFT_IOV_MAX	 4 /* local segments of one operation */
#define WEFT_RMA_IOV_MAX 1 /* remote segments */

/*
 * A message whose bytes do not lie as they travel: its owner moves any stretch
 * of them between memory and a packet. In an operation the count of segments is
 * WEFT_IOV_TYPED, the first names this and the length of all. Such a message
 * is longer than a packet; it is announced and goes by packets.
 */
#define WEFT_IOV_TYPED 255

struct weft_nic_typed {
	void (*pack)(void *arg, size_t pos, void *to, size_t bytes);
	void (*unpack)(void *arg, size_t pos, const void *from, size_t bytes);
	void *arg;
};

struct weft_nic;

enum weft_nic_op_kind {
	WEFT_SEND,
	WEFT_RECV,
	WEFT_WRITE,
	WEFT_READ,
	WEFT_ATOMIC,	   /* no result */
	WEFT_FETCH,	   /* result: the old value */
	WEFT_COMPARE,	   /* result: the old value; has a comparand */
	WEFT_COLLECTIVE,   /* of a group: weft_nic_coll_post */
	WEFT_REMOTE_WRITE, /* a peer wrote our memory, or changed it */
	WEFT_REMOTE_READ,  /* a peer read our memory */
	WEFT_SERVE,	   /* the engine's own, never seen by up */
};

/* Flags of an operation; "in" unless they say otherwise. */
enum weft_nic_flag {
	WEFT_OP_TAGGED = 1 << 0,
	/* in: send data along; out: data came */
	WEFT_OP_DATA = 1 << 1,
	/* for up: no entry in a queue if it succeeds */
	WEFT_OP_QUIET = 1 << 2,
	/* done only when the target has it all */
	WEFT_OP_ACK = 1 << 3,
	/* the receive buffer takes several messages */
	WEFT_OP_MULTI = 1 << 4,
	/* only after all earlier ones to that peer */
	WEFT_OP_FENCE = 1 << 5,
	/* the buffer is the caller's again when the call returns */
	WEFT_OP_INJECT = 1 << 6,
	/* out: the multi buffer is the caller's again */
	WEFT_OP_RELEASE = 1 << 7,
	/* peek: reserve the message; recv: take the reserved one */
	WEFT_OP_CLAIM = 1 << 8,
	/* peek or claim: drop the message */
	WEFT_OP_DISCARD = 1 << 9,
	/* for up: the completion goes to the context, not to a queue */
	WEFT_OP_UNQUEUED = 1 << 10,
	/* an access that others may overtake */
	WEFT_OP_RELAXED = 1 << 11,
	/* an access of which those to the same line of memory keep their order
	 */
	WEFT_OP_LINES = 1 << 12,
	/* for up: the bytes lie in memory of up's */
	WEFT_OP_STAGED = 1 << 13,
};

/* One operation and its completion. */
struct weft_nic_op {
	/* line 0: matching; tag, ignore and src are "in" for receives */
	struct weft_match_recv m;

	/* line 1: what a completion is made of */
	void *context;		/* in */
	uint64_t comp_flags;	/* in; up's own */
	uint64_t len;		/* in: bytes of iov; out: bytes received */
	uint64_t data;		/* in or out, see WEFT_OP_DATA */
	uint64_t tag;		/* in for sends, out for receives */
	struct weft_peer *peer; /* in, receives: NULL or whom m.src is; out */
	struct weft_nic *nic;
	uint16_t flags;	   /* enum weft_nic_flag */
	uint8_t kind;	   /* in */
	uint8_t iov_count; /* in */
	int32_t err;	   /* out: 0 or -errno; -EOVERFLOW: cut off */

	/* line 2: zero at first, in one go */
	union {
		uint64_t zero[6];
		struct {
			uint64_t olen;	/* out: bytes that did not fit */
			uint64_t moved; /* bytes sent or pulled so far */
			struct weft_nic_op *parent; /* multi: whose part */
			void *held;  /* heap memory that ends with the op */
			uint32_t id; /* name on the wire, or 0 */
			uint32_t children; /* multi: parts under way */
			uint8_t state;
			uint8_t ask;  /* packet type that asks the peer */
			uint8_t cell; /* cursor both sides copy by */
			bool asked;   /* counted in the peer's asks */
			bool events;  /* the region reports accesses */
			bool linked;  /* in one of the peer's lists */
			bool cancel;  /* a send that is called back */
		};
	};

	/* where the bytes are; iov[0], the CQ's buf, is still in line 2 */
	struct iovec iov[WEFT_IOV_MAX]; /* in */

	uint64_t addr; /* in, RMA and atomics */
	uint64_t key;  /* in, of the region */

	/* line 4 */
	struct weft_list link;
	uint64_t limit;	    /* bytes the other side allowed so far */
	uint32_t remote_id; /* the other side's name for it */
	uint8_t remote_count;
	uint8_t at_op;	       /* in: enum weft_at_op */
	uint8_t at_type;       /* in: enum weft_at_type */
	uint8_t result_count;  /* in */
	uint8_t compare_count; /* in */
	uint64_t region;       /* of memory there, its begin; 0: not known */
	union {
		struct {
			struct iovec result[WEFT_IOV_MAX];  /* in */
			struct iovec compare[WEFT_IOV_MAX]; /* in */
		};
		struct {
			uint64_t remote[2 * WEFT_IOV_MAX]; /* addr, len */
			struct weft_dma dma;
			uint64_t pos;	    /* next byte of DMA */
			uint64_t end;	    /* last one of this chunk */
			uint64_t redo;	    /* byte the peer gave back */
			uint32_t peer_cell; /* the cursor is the peer's */
			bool put;
		};
	};
};

/* What a peer wants of our memory. */
struct weft_want {
	uint64_t key;
	uint64_t addr;
	uint64_t len;
	uint32_t access; /* WEFT_MR_* */
};

#define WEFT_MR_REMOTE_READ  1u
#define WEFT_MR_REMOTE_WRITE 2u
/* Every access is to be reported through up->event. */
#define WEFT_MR_EVENTS	     4u

/* Calls up, handed over at open. They may post, never poll or wait. */
struct weft_nic_up {
	/* op is complete: the callee takes what it needs from it. */
	void (*done)(void *arg, struct weft_nic_op *op);
	/*
	 * The address of what a peer wants, if a registered region holds all
	 * of it; -ENOKEY, -EACCES, -EFAULT. region_p is a name for event.
	 */
	int (*region)(void *arg, const struct weft_want *want, void **at_p,
		      void **region_p);
	/*
	 * An access by a peer is over, op tells which: kind WEFT_REMOTE_WRITE
	 * or _READ, len, peer and, with WEFT_OP_DATA, data. region is what
	 * region() named.
	 */
	void (*event)(void *arg, struct weft_nic_op *op, void *region);
};

struct weft_nic_attr {
	const struct weft_machine *machine;
	const struct weft_carrier_ops *carrier;
	struct sockaddr_in name; /* port 0: any */
	const struct weft_nic_up *up;
	void *up_arg;
	uint32_t fifo_slots; /* 0: the carrier's default */
	size_t eager_bytes;  /* 0: the machine's */
	size_t host_eager;   /* measured; for machines that take it */
	size_t host_help;    /* likewise, as NIC_HELP_MIN; 0: that */
	size_t host_help_row;
	size_t host_loop; /* as the carrier's loop_bytes; for all machines */
	uint32_t spin_ns; /* as the carrier's */
	size_t min_multi; /* a multi buffer with less left is released */
	bool no_dma;
	int node;	/* number of the emulated node; -1: unknown */
	unsigned arity; /* of the collectives' trees; 0: of pairs */
	const char *faults;
	uint32_t silence_ms; /* as the carrier's */
	const void *key;     /* as the carrier's */
	size_t key_bytes;
	bool encrypt;
	struct weft_vt *world; /* virtual time: as the carrier's */
	bool threads;
};

/* -EADDRINUSE and what the carrier says. */
int weft_nic_open(const struct weft_nic_attr *attr, struct weft_nic **nic_p);
/* Gives what is on the way a bounded time, then ends. Ops are forgotten. */
void weft_nic_close(struct weft_nic *nic);
void weft_nic_name(struct weft_nic *nic, struct sockaddr_in *name);
/* For waits: wait, wake, wait_fd, arm; and for peers of an address. */
struct weft_carrier *weft_nic_carrier(struct weft_nic *nic);
void weft_nic_set_min_multi(struct weft_nic *nic, size_t bytes);
/* Other calls up than those of open, from now on. */
void weft_nic_set_up(struct weft_nic *nic, const struct weft_nic_up *up);

/*
 * Lists a region (row->addr: RMA address of its first byte, at: that byte) in
 * the table that peers read, so that they reach it without our help, and
 * takes it off. Optional; regions that are not listed are asked for by
 * packets. A full table is no error.
 */
void weft_nic_expose(struct weft_nic *nic, const struct weft_want *row,
		     void *at);
void weft_nic_hide(struct weft_nic *nic, uint64_t key);

/* What every struct weft_nic begins with. */
struct weft_nic_head {
	struct weft_pool ops;
};

/*
 * NULL: out of memory. flags, err and what stands under zero are 0, the other
 * fields have old contents.
 */
static inline struct weft_nic_op *weft_nic_op_get(struct weft_nic *nic)
{
	struct weft_nic_op *op =
		weft_pool_get(&((struct weft_nic_head *)nic)->ops);

	if (weft_unlikely(!op))
		return NULL;
	memset(op->zero, 0, sizeof(op->zero));
	op->m.posted = 0;
	op->flags = 0;
	op->err = 0;
	op->nic = nic;
	return op;
}

static inline void weft_nic_op_put(struct weft_nic_op *op)
{
	if (weft_unlikely(op->held != NULL))
		free(op->held);
	weft_pool_put(&((struct weft_nic_head *)op->nic)->ops, op);
}

/*
 * A message of up to inject_bytes, without completion; flags are
 * WEFT_OP_TAGGED and WEFT_OP_DATA. The shortest way there is.
 */
int weft_nic_inject(struct weft_nic *nic, struct weft_peer *peer,
		    unsigned flags, const struct iovec *iov, uint64_t tag,
		    uint64_t data);
int weft_nic_send(struct weft_nic *nic, struct weft_nic_op *op);
/* Never -EAGAIN: receives are unbounded. */
int weft_nic_recv(struct weft_nic *nic, struct weft_nic_op *op);
/*
 * Looks for an unexpected message as recv would and completes op with its
 * length, tag, data and source (err -ENOMSG: none), moving no bytes. With
 * WEFT_OP_CLAIM the message is kept for a recv with WEFT_OP_CLAIM and the
 * same context, with WEFT_OP_DISCARD it is dropped.
 */
int weft_nic_peek(struct weft_nic *nic, struct weft_nic_op *op);
/* WEFT_WRITE and WEFT_READ. */
int weft_nic_rma(struct weft_nic *nic, struct weft_nic_op *op);
/* The same on the spot, without an operation: want is of the peer's memory.
 * -EAGAIN: not in this way, or not now. */
int weft_nic_rma_now(struct weft_nic *nic, struct weft_peer *peer,
		     const struct weft_want *want, void *buf);
/* WEFT_ATOMIC, WEFT_FETCH, WEFT_COMPARE. -EOPNOTSUPP, -EMSGSIZE. */
int weft_nic_atomic(struct weft_nic *nic, struct weft_nic_op *op);
/*
 * A posted receive of that context is done with -ECANCELED. A send that has
 * not left likewise; of one that waits for the peer the peer is asked, and it
 * is done with -ECANCELED if no receive had met the message, else as if it had
 * not been cancelled. -ENOENT: neither is under way.
 */
int weft_nic_cancel(struct weft_nic *nic, void *context);

/* A word to a peer that something is expected of, so that it is missed if it
 * dies. */
void weft_nic_meet(struct weft_nic *nic, struct weft_peer *peer);
/* Peers that have died so far; those that closed are not counted. */
uint64_t weft_nic_deaths(const struct weft_nic *nic);
/*
 * Asks of every tagged receive that is posted and names no source; it ends
 * with what the answer is: 0, it stays, or -errno.
 */
void weft_nic_recv_ask(struct weft_nic *nic,
		       int (*ask)(void *arg, uint64_t tag, uint64_t ignore),
		       void *arg);

/* Takes up to budget packets and moves what waits; number of packets. */
int weft_nic_poll(struct weft_nic *nic, int budget);

/* Where messages went and what waits, for tests and tools. */
struct weft_nic_stats {
	uint64_t posted;     /* receives that wait, now */
	uint64_t unexpected; /* messages that wait for a receive, now */
	uint64_t gone;	     /* peers that left some of these behind, now */
	uint64_t rendezvous; /* messages announced instead of sent */
	uint64_t dma_bytes;  /* copied straight between processes, by us */
	uint64_t paced;	     /* messages fetched by packets for want of DMA */
	uint64_t garbage;    /* packets that made no sense */
	uint64_t chained;    /* commands that events of the unit started */
};

void weft_nic_stats(const struct weft_nic *nic, struct weft_nic_stats *s);

/* Atomic operations; the numbers are libfabric's (a test compares them). */
enum weft_at_op {
	WEFT_AT_MIN,
	WEFT_AT_MAX,
	WEFT_AT_SUM,
	WEFT_AT_PROD,
	WEFT_AT_LOR,
	WEFT_AT_LAND,
	WEFT_AT_BOR,
	WEFT_AT_BAND,
	WEFT_AT_LXOR,
	WEFT_AT_BXOR,
	WEFT_AT_READ,
	WEFT_AT_WRITE,
	WEFT_AT_CSWAP,
	WEFT_AT_CSWAP_NE,
	WEFT_AT_CSWAP_LE,
	WEFT_AT_CSWAP_LT,
	WEFT_AT_CSWAP_GE,
	WEFT_AT_CSWAP_GT,
	WEFT_AT_MSWAP,
	WEFT_AT_OPS,
};

enum weft_at_type {
	WEFT_AT_INT8,
	WEFT_AT_UINT8,
	WEFT_AT_INT16,
	WEFT_AT_UINT16,
	WEFT_AT_INT32,
	WEFT_AT_UINT32,
	WEFT_AT_INT64,
	WEFT_AT_UINT64,
	WEFT_AT_FLOAT,
	WEFT_AT_DOUBLE,
	WEFT_AT_TYPES,
};

/* Bytes of one element; 0: not a type we know. */
size_t weft_at_bytes(unsigned type);
/*
 * Largest count for one call of that kind on that machine; 0: that
 * combination is not supported.
 */
size_t weft_at_count(const struct weft_machine *m, unsigned kind, unsigned op,
		     unsigned type);

#endif

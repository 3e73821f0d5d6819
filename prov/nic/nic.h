/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The network interface below the libfabric face: a message engine that is
 * the same for all machines, over a unit that is the machine's own.
 *
 *     prov/ofi        weft_nic_* calls, struct weft_op
 *     nic engine      eager and rendezvous, matching, RMA, atomics
 *     unit            direct (native) | mu (bgq) | fma (gemini) | sten (qsnet2)
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

struct weft_unit;
struct weft_machine;

/* DMA between own and a peer's memory, as a unit takes it. */
struct weft_dma {
	struct iovec local[4];
	int local_count;
	uint64_t remote; /* address in the peer */
	size_t bytes;
	/* called once from poll (or from the post itself); err 0 or -errno */
	void (*done)(struct weft_dma *d, int err);
};

/*
 * What the engine asks of a unit. Nothing blocks. A packet that a unit takes
 * is delivered to up->deliver at the peer exactly once and in order of posts;
 * what the unit adds on the way (descriptors, cutting, counters) stays inside.
 */
struct weft_unit_ops {
	const char *name;
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
	/* Runs the unit's engines and the carrier; number of packets. */
	int (*poll)(struct weft_unit *u, int budget);
};

/* First member of every unit's object. */
struct weft_unit {
	const struct weft_unit_ops *ops;
	struct weft_carrier *carrier;
};

/* A machine: which unit, its limits, where the paths hand over. */
struct weft_machine {
	const char *name;   /* FI_WEFT_MACHINE */
	const char *fabric; /* fi_fabric_attr.name */
	const struct weft_unit_ops *unit;
	size_t inject_bytes; /* largest fi_inject */
	size_t packet_bytes; /* payload of one engine packet */
	size_t eager_bytes;  /* above: rendezvous */
	uint64_t msg_order;  /* FI_ORDER_* bits, as a plain number */
	unsigned fifos;	     /* injection FIFOs, windows or queues used */
};

/* The rows; NULL for an unknown name. The first row is the default. */
const struct weft_machine *weft_machine_find(const char *name);
const struct weft_machine *weft_machine_at(unsigned i);

/*
 * The message engine. One struct weft_nic is one endpoint.
 *
 *   open -> [peer, op_get, send, recv, rma, atomic, poll, cancel]* -> close
 *
 * An operation is a struct weft_op from the nic's pool: get it, fill the
 * fields marked "in", hand it over. 0: the engine owns it until it calls
 * up->done, which may be before the call returns; then it belongs to up,
 * who gives it back with weft_nic_op_put when its completion has been read.
 * -EAGAIN (full, or the peer is not there yet) and every other error: nothing
 * happened, the caller still owns it. Nothing blocks except wait.
 *
 * Calls on one nic, and on all nics that share a map, are serialised by the
 * caller (the domain's lock), except weft_nic_wake.
 */
#define WEFT_IOV_MAX	 4 /* local segments of one operation */
#define WEFT_RMA_IOV_MAX 1 /* remote segments */

struct weft_nic;

enum weft_op_kind {
	WEFT_SEND,
	WEFT_RECV,
	WEFT_WRITE,
	WEFT_READ,
	WEFT_ATOMIC,	   /* no result */
	WEFT_FETCH,	   /* result: the old value */
	WEFT_COMPARE,	   /* result: the old value; has a comparand */
	WEFT_REMOTE_EVENT, /* a peer wrote, read or changed our memory */
};

/* Flags of an operation; "in" unless they say otherwise. */
enum weft_op_flag {
	WEFT_OP_TAGGED = 1 << 0,
	WEFT_OP_DATA = 1 << 1,	  /* in: send data; out: data came */
	WEFT_OP_QUIET = 1 << 2,	  /* for up: no CQ entry if it succeeds */
	WEFT_OP_ACK = 1 << 3,	  /* done only when the target has it all */
	WEFT_OP_MULTI = 1 << 4,	  /* receive buffer takes several messages */
	WEFT_OP_FENCE = 1 << 5,	  /* after all earlier ones to that peer */
	WEFT_OP_INJECT = 1 << 6,  /* the buffer is free when the call returns */
	WEFT_OP_RELEASE = 1 << 7, /* out: the multi buffer is given back */
	WEFT_OP_CLAIM = 1 << 8,	  /* peek: reserve; recv: take the reserved */
	WEFT_OP_DISCARD = 1 << 9, /* peek or claim: drop the message */
	WEFT_OP_REMOTE_READ = 1 << 10, /* out, of a remote event */
};

/* One operation and its completion. */
struct weft_op {
	/* line 0: matching; tag, ignore and src are "in" for receives */
	struct weft_match_recv m;

	/* line 1: what a completion is made of */
	struct weft_op *next;	/* in a queue of whoever owns the op */
	void *context;		/* in */
	uint64_t comp_flags;	/* in: what up wants to report; not looked at */
	uint64_t len;		/* in: bytes of iov; out: bytes received */
	uint64_t data;		/* in for WEFT_OP_DATA; out for receives */
	uint64_t tag;		/* in for sends; out for receives */
	struct weft_peer *peer; /* in for all but receives; out: the source */
	uint16_t flags;		/* enum weft_op_flag */
	uint8_t kind;		/* enum weft_op_kind, in */
	uint8_t iov_count;	/* in */
	int32_t err;		/* out: 0 or -errno; -EMSGSIZE: cut off */

	/* line 2: where the bytes are */
	struct iovec iov[WEFT_IOV_MAX]; /* in; [0].iov_base is the CQ's buf */

	/* line 3 */
	void *cq;      /* for up: where to report; not looked at */
	void *cntr;    /* likewise */
	uint64_t olen; /* out: bytes that did not fit */
	uint64_t addr; /* in, RMA and atomics: offset in the region */
	uint64_t key;  /* in: of the region */
	struct weft_nic *nic;
	uint8_t at_op;	 /* in: enum weft_at_op */
	uint8_t at_type; /* in: enum weft_at_type */
	uint8_t state;	 /* the engine's, from here on */
	uint8_t reserved;
	uint32_t id;	       /* name on the wire */
	struct weft_list link; /* in one of its peer's lists */

	/* line 4: atomics' other operands, or the engine's progress */
	struct iovec result[WEFT_IOV_MAX]; /* in */
	uint8_t result_count;
	uint8_t compare_count;
	struct iovec compare[WEFT_IOV_MAX]; /* in */
	uint64_t moved; /* bytes sent, pulled or written so far */
	uint64_t limit; /* bytes the other side allowed so far */
	uint64_t remote[2 * WEFT_IOV_MAX]; /* address, length of the peer's */
	uint32_t remote_count;
	uint32_t remote_id;
	uint32_t children;	/* multi: messages still being received */
	struct weft_op *parent; /* multi: the buffer this is a part of */
	struct weft_dma dma;
	void *held; /* heap buffer that ends with the op, or NULL */
};

/* Calls up, handed over at open. They may post, never poll or wait. */
struct weft_nic_up {
	/* op is complete and belongs to the callee. */
	void (*done)(void *arg, struct weft_op *op);
	/*
	 * A peer wrote (or, WEFT_OP_REMOTE_READ, read) len bytes of the region
	 * of key whose row asked for events, or sent data with it. op is
	 * complete and belongs to the callee; its context is the region's.
	 */
	void (*event)(void *arg, struct weft_op *op);
	/* For information: the peer is gone; all its ops are done by now. */
	void (*lost)(void *arg, struct weft_peer *peer, int err);
};

/* Registered memory of a domain, checked by all its nics. */
struct weft_map;

#define WEFT_MR_REMOTE_READ  1u
#define WEFT_MR_REMOTE_WRITE 2u
#define WEFT_MR_EVENTS	     4u /* report remote accesses through up->event */

struct weft_mr_row {
	uint64_t key;
	uint64_t base; /* address of offset 0 */
	uint64_t len;
	uint32_t access; /* WEFT_MR_* */
	void *context;	 /* handed to up->event */
};

int weft_map_open(struct weft_map **map_p);
void weft_map_close(struct weft_map *map);
/* 0, -EEXIST: the key is taken, -ENOMEM. */
int weft_map_add(struct weft_map *map, const struct weft_mr_row *row);
/* Changes access and context of a key; -ENOENT. */
int weft_map_set(struct weft_map *map, const struct weft_mr_row *row);
/* -ENOENT. No access to the region begins after this. */
int weft_map_del(struct weft_map *map, uint64_t key);

struct weft_nic_attr {
	const struct weft_machine *machine;
	const struct weft_carrier_ops *carrier;
	struct sockaddr_in name; /* port 0: any */
	const struct weft_nic_up *up;
	void *up_arg;
	struct weft_map *map; /* NULL: no remote access */
	size_t min_multi;     /* a multi buffer with less left is released */
	bool no_dma;
	const char *faults;
};

/* -EADDRINUSE and what the carrier says. */
int weft_nic_open(const struct weft_nic_attr *attr, struct weft_nic **nic_p);
/* Gives what is on the way a bounded time, then ends. Ops are cancelled. */
void weft_nic_close(struct weft_nic *nic);
void weft_nic_name(struct weft_nic *nic, struct sockaddr_in *name);
const struct weft_machine *weft_nic_machine(struct weft_nic *nic);
void weft_nic_set_min_multi(struct weft_nic *nic, size_t bytes);

/* Found or made; -EHOSTUNREACH, -ENOMEM. Never connects. */
int weft_nic_peer(struct weft_nic *nic, const struct sockaddr_in *name,
		  struct weft_peer **peer_p);

/* NULL: out of memory. Fields "in" that are not filled must be zeroed. */
struct weft_op *weft_nic_op_get(struct weft_nic *nic);
void weft_nic_op_put(struct weft_op *op);

/*
 * A message of up to inject_bytes, without completion; flags are
 * WEFT_OP_TAGGED and WEFT_OP_DATA. The shortest road there is.
 */
int weft_nic_inject(struct weft_nic *nic, struct weft_peer *peer,
		    unsigned flags, const struct iovec *iov, uint64_t tag,
		    uint64_t data);
int weft_nic_send(struct weft_nic *nic, struct weft_op *op);
int weft_nic_recv(struct weft_nic *nic, struct weft_op *op);
/*
 * Looks for an unexpected message as recv would and completes op with its
 * length, tag, data and source (err -ENOMSG: none), moving no bytes. With
 * WEFT_OP_CLAIM the message is kept for a recv with WEFT_OP_CLAIM and the
 * same context, with WEFT_OP_DISCARD it is dropped.
 */
int weft_nic_peek(struct weft_nic *nic, struct weft_op *op);
/* WEFT_WRITE and WEFT_READ. */
int weft_nic_rma(struct weft_nic *nic, struct weft_op *op);
/* WEFT_ATOMIC, WEFT_FETCH, WEFT_COMPARE. -EOPNOTSUPP, -EMSGSIZE. */
int weft_nic_atomic(struct weft_nic *nic, struct weft_op *op);
/* A posted receive of that context is done with -ECANCELED; -ENOENT. */
int weft_nic_cancel(struct weft_nic *nic, void *context);
/* Is nothing under way that needs this side? (close, and idle threads) */
bool weft_nic_idle(struct weft_nic *nic);

/* Takes up to budget packets and moves what waits; number of packets. */
int weft_nic_poll(struct weft_nic *nic, int budget);
/* As the carrier's: wait never polls; wake from any thread. */
int weft_nic_wait(struct weft_nic *nic, uint64_t timeout_ns);
void weft_nic_wake(struct weft_nic *nic);
int weft_nic_wait_fd(struct weft_nic *nic);
int weft_nic_arm(struct weft_nic *nic);

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

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The network interface below the libfabric layer: a message engine that all
 * machines share, above a unit that emulates the machine's interface.
 *
 *     prov/ofi        weft_nic_* calls, struct weft_nic_op
 *     nic engine      eager and rendezvous, matching, RMA, atomics
 *     unit            native | bgq (MU) | gemini (FMA, BTE) |
 *                     qsnet2 (STEN, DMA) | sunway | apenet
 *     carrier         shm | sock | hybrid | loop
 *
 * The engine works with packets and DMA; a unit transfers them in the way of
 * its machine (by descriptors in an injection FIFO, a put window, a command
 * queue). A machine is one table entry: a unit, its limits, and the message
 * sizes at which the protocol changes. No file in prov/nic includes rdma/
 * headers.
 */
#ifndef WEFT_PROV_NIC_H
#define WEFT_PROV_NIC_H

#include "prov/backend/backend.h"
#include "prov/match/match.h"
#include "prov/machine/machine_chain.h"
#include "prov/group/grp.h"
#include "src/base/num.h"
#include "src/base/pool.h"

#include <stdlib.h>
#include <string.h>

struct weft_unit;
struct weft_machine;

/*
 * An atomic on an aligned word of a peer's memory, in live mode. `at` is the
 * address at which this process has mapped that memory, so the peer takes no
 * part in the operation. Operand, comparand and old value are in the first
 * bytes of their fields.
 */
struct weft_amo_word {
	uint64_t remote; /* address of the word in the peer's memory */
	void *at;
	uint64_t operand;
	uint64_t compare; /* comparand; kind WEFT_COMPARE only */
	uint64_t old;	  /* out: the old value; not set for kind WEFT_ATOMIC */
	uint8_t kind;	  /* WEFT_ATOMIC, WEFT_FETCH or WEFT_COMPARE */
	uint8_t op;	  /* enum weft_num_op, valid for the type */
	uint8_t type;	  /* enum weft_num_type */
	uint8_t bytes;	  /* size of the type, bytes */
	/*
	 * Executes the operation `op` on the word at `at` with this processor's
	 * instructions.
	 */
	void (*exec)(struct weft_amo_word *w);
};

/* Performance counters of a unit. */
enum weft_unit_counter {
	WEFT_UNIT_PACKETS_SENT,
	WEFT_UNIT_MESSAGES_SENT,
	WEFT_UNIT_PACKETS_RECEIVED,
	WEFT_UNIT_MESSAGES_RECEIVED,
	WEFT_UNIT_MEMORY_READS, /* memory requests by the unit */
	WEFT_UNIT_MEMORY_READ_BYTES,
	WEFT_UNIT_MEMORY_WRITES,
	WEFT_UNIT_MEMORY_WRITE_BYTES,
	/* accesses by processors to the unit's registers */
	WEFT_UNIT_REG_READS,
	WEFT_UNIT_REG_WRITES,
	WEFT_UNIT_COUNTERS,
};

/*
 * Interface of a unit, called by the engine. No call blocks. A packet that a
 * unit accepts is passed to up->deliver at the peer exactly once, and packets
 * arrive there in the order in which they were posted; descriptors, fragments
 * and counters that the unit adds are not visible to the engine.
 */
struct weft_unit_ops {
	const char *name; /* name in machine files */
	/* largest packet that the unit passes to the carrier, bytes */
	size_t packet_max;
	/*
	 * Opens the unit on a carrier that it creates with attr. attr->up gets
	 * whole engine packets, not the unit's fragments.
	 */
	int (*open)(const struct weft_machine *m,
		    const struct weft_carrier_ops *carrier,
		    const struct weft_carrier_attr *attr,
		    struct weft_unit **u_p);
	void (*close)(struct weft_unit *u);
	/* Sends one engine packet, payload up to the machine's packet_bytes. */
	int (*packet)(struct weft_unit *u, struct weft_peer *peer,
		      const struct weft_pkt *pkt, const struct iovec *iov,
		      int iov_count);
	/*
	 * get reads a peer's memory (driven by the receiver), put writes it
	 * (driven by the sender). Both return -EAGAIN if the unit's queue is
	 * full, -EOPNOTSUPP if the unit has no such transfer.
	 */
	int (*get)(struct weft_unit *u, struct weft_peer *peer,
		   struct weft_dma *d);
	int (*put)(struct weft_unit *u, struct weft_peer *peer,
		   struct weft_dma *d);
	/*
	 * Live: sets a memory register (range, handle, mapping), so that peers
	 * may access this memory by get (WEFT_MR_REMOTE_READ) and put
	 * (WEFT_MR_REMOTE_WRITE). Returns the register's number, for mem_close,
	 * or -ENOSPC if none is free. Transfers to memory outside all registers
	 * complete with -EACCES. NULL: no registers; peers may access all
	 * memory.
	 */
	int (*mem_open)(struct weft_unit *u, const struct iovec *mem,
			unsigned access);
	void (*mem_close)(struct weft_unit *u, int reg);
	/*
	 * Posts an atomic; called only if the backend has atomics. -EAGAIN: the
	 * unit's queue is full. -EOPNOTSUPP (returned, or passed to done): the
	 * unit cannot execute this atomic.
	 */
	int (*amo)(struct weft_unit *u, struct weft_peer *peer,
		   struct weft_amo *a);
	/*
	 * Live mode: executes an atomic on one word before the call returns, if
	 * the peer's memory registers allow it. -EACCES: they do not;
	 * -EOPNOTSUPP: the unit has no such atomic; -EAGAIN: not possible now.
	 * After an error the word is unchanged. NULL: the unit has no such
	 * atomics.
	 */
	int (*amo_word)(struct weft_unit *u, struct weft_peer *peer,
			struct weft_amo_word *w);
	/*
	 * Polls the unit and the carrier. Returns the number of packets
	 * delivered.
	 */
	int (*poll)(struct weft_unit *u, int budget);
	/*
	 * Writes the machine's performance counters to value[0 ..
	 * WEFT_UNIT_COUNTERS - 1]. NULL: the machine has no performance
	 * counters.
	 */
	void (*counters)(struct weft_unit *u, uint64_t *value);
	/* trees of commands that are started by events; NULL: not supported */
	const struct weft_chain_ops *chain;
	/* the unit passes transfers to the carrier unchanged */
	bool bare;
};

/*
 * Packet types below this number belong to the engine, the others to the unit.
 */
#define WEFT_PKT_UNIT 64

/* State that all units have; first member of every unit's own structure. */
struct weft_unit {
	const struct weft_unit_ops *ops;
	struct weft_carrier *carrier;
	/*
	 * the unit passes packets unchanged to a carrier that supports
	 * weft_fill
	 */
	bool fills;
	/*
	 * Set after a long copy. Peers may have responded meanwhile, so a unit
	 * that stores packets before delivery polls the carrier first.
	 */
	bool copied;
	/*
	 * Number of bulk transfers that were posted by a descriptor of the unit
	 * and whose completion the unit has reported; counted by units with
	 * mem_open.
	 */
	uint64_t transfers;
	uint64_t atomics; /* number of atomics executed by amo_word */
};

/*
 * A form of barriers, for groups whose nodes meet a condition. In the machine's
 * array of forms, a group uses the first entry whose serves() returns true for
 * the nodes of its members; serves() of the last entry always returns true.
 */
struct weft_nic_group_form {
	bool (*serves)(const uint64_t *node, int n);
	enum weft_cunit_form form;
};

/*
 * A machine: its unit, its limits, and the message sizes at which the protocol
 * changes.
 */
struct weft_machine {
	const char *name;   /* FI_WEFT_MACHINE */
	const char *fabric; /* fi_fabric_attr.name */
	const struct weft_unit_ops *unit;
	size_t inject_bytes; /* largest fi_inject */
	size_t packet_bytes; /* largest payload of an engine packet */
	size_t eager_bytes;  /* larger messages use rendezvous */
	bool eager_by_host;  /* use the eager limit measured on the host */
	/*
	 * minimum message size, bytes, for which sending typed data is faster
	 * than packing it first; 0: it never is
	 */
	size_t typed_bytes;
	uint64_t msg_order; /* FI_ORDER_* bits */
	/* supports memory kinds other than host memory (prov/mem) */
	bool hmem;
	unsigned fifos; /* number of injection FIFOs, windows or queues */
	/*
	 * error detection code used in live mode, if a fault plan injects bit
	 * errors
	 */
	enum weft_carrier_code code;
	/* layout of the collective unit's areas for class routes */
	struct weft_cunit_geo cu;
	uint64_t routes; /* bit mask of the class routes that groups may use */
	/*
	 * layout of the collective unit's areas for barriers; without such
	 * areas, barriers use the class route
	 */
	struct weft_cunit_geo bar;
	uint64_t barriers;
	/*
	 * sets at[] to the coordinates of a node, WEFT_TREE_DIMS numbers; NULL:
	 * nodes have no coordinates
	 */
	void (*coords)(uint32_t node, int *at);
	/* forms of barriers; NULL: WEFT_CUNIT_AUTO */
	const struct weft_nic_group_form *forms;
	/*
	 * Number of tree levels in the descriptor of a barrier, or of a
	 * reduction whose result does not depend on the order of the operands;
	 * these operations use the area `bar`. 0: the machine has one tree for
	 * all operations.
	 */
	unsigned levels;
	/*
	 * Limits in virtual time on a machine whose processors forward the
	 * packets of collectives because no hardware does: minimum number of
	 * members for which the tree is used, and maximum bytes of a vector.
	 * Smaller groups and longer vectors are faster with messages. 0: no
	 * limit.
	 */
	int tree_least;
	size_t tree_bytes;
};

/* The unit of machine native: passes packets to the carrier unchanged. */
extern const struct weft_unit_ops weft_unit_direct;

/*
 * Return an entry of the machine table, by name or by index; NULL: no such
 * entry. The first entry is the default.
 */
const struct weft_machine *weft_machine_find(const char *name);
const struct weft_machine *weft_machine_at(unsigned i);

/*
 * Sets *m to a copy of the table entry with this unit, with the sizes from a
 * machine file; a size of 0 means the entry's size. -ENODEV: no such unit;
 * -EMSGSIZE: packets of the unit hold only m->packet_bytes, less than
 * packet_bytes.
 */
int weft_machine_modelled(const char *unit, size_t packet_bytes,
			  size_t eager_bytes, struct weft_machine *m);

/*
 * The message engine. One struct weft_nic is one endpoint.
 *
 *   open -> [peer, op_get, send, recv, rma, atomic, poll, cancel]* -> close
 *
 * An operation is a struct weft_nic_op from the nic's pool. The caller
 * allocates one, fills the fields marked "in" and posts it. If the post returns
 * 0, the engine owns the operation and calls up->done when it is complete,
 * possibly before the call returns. After -EAGAIN (queue full, or the peer has
 * no endpoint yet) or any other error, nothing has happened, and the caller
 * releases the operation with weft_nic_op_put. No call blocks except wait.
 *
 * The caller serialises calls on one nic (the domain's lock), except wake, and
 * except wait where the carrier allows it.
 */
#define WEFT_IOV_MAX	 4 /* local segments of one operation */
#define WEFT_RMA_IOV_MAX 1 /* remote segments of one operation */

/*
 * Segment count of an operation for a typed message, whose bytes are not
 * contiguous in memory. The caller supplies functions that copy any range of
 * the bytes between memory and a packet. The first segment of the operation
 * contains the address of a struct weft_nic_typed and the total length. A typed
 * message is longer than one packet; it is announced by RTS and sent in
 * packets.
 */
#define WEFT_IOV_TYPED 255

struct weft_nic_typed {
	void (*pack)(void *arg, size_t pos, void *to, size_t bytes);
	void (*unpack)(void *arg, size_t pos, const void *from, size_t bytes);
	void *arg;
};

struct weft_nic;
struct weft_mem_share; /* prov/mem/mem.h */

enum weft_nic_op_kind {
	WEFT_SEND,
	WEFT_RECV,
	WEFT_WRITE,
	WEFT_READ,
	WEFT_ATOMIC,  /* no result */
	WEFT_FETCH,   /* result: the old value */
	WEFT_COMPARE, /* result: the old value; has a comparand */
	/* a collective operation of a group: weft_grp_post */
	WEFT_COLLECTIVE,
	WEFT_REMOTE_WRITE, /* a peer wrote or changed local memory */
	WEFT_REMOTE_READ,  /* a peer read local memory */
	/* internal to the engine, never passed to the layer above */
	WEFT_SERVE,
};

/* Flags of an operation; "in" unless marked otherwise. */
enum weft_nic_flag {
	WEFT_OP_TAGGED = 1 << 0,
	/*
	 * in: the message has immediate data; out: immediate data was received
	 */
	WEFT_OP_DATA = 1 << 1,
	/* for the layer above: write no CQ entry on success */
	WEFT_OP_QUIET = 1 << 2,
	/* send: complete only when the target has received all bytes */
	WEFT_OP_ACK = 1 << 3,
	/*
	 * recv: the buffer is a multi buffer, which receives several messages
	 */
	WEFT_OP_MULTI = 1 << 4,
	/* start after all earlier operations to that peer have completed */
	WEFT_OP_FENCE = 1 << 5,
	/* the caller may reuse the buffer when the call returns */
	WEFT_OP_INJECT = 1 << 6,
	/* out: the multi buffer is released to the caller */
	WEFT_OP_RELEASE = 1 << 7,
	/* peek: reserve the message; recv: receive the reserved message */
	WEFT_OP_CLAIM = 1 << 8,
	/* peek or claim: discard the message */
	WEFT_OP_DISCARD = 1 << 9,
	/*
	 * for the layer above: report completion in the context, not in a queue
	 */
	WEFT_OP_UNQUEUED = 1 << 10,
	/* a memory access that later accesses may overtake */
	WEFT_OP_RELAXED = 1 << 11,
	/* a memory access ordered only with accesses to the same cache line */
	WEFT_OP_LINES = 1 << 12,
	/*
	 * the bytes are in a staging buffer of the layer above; its function
	 * pack sets `err` if it cannot read them
	 */
	WEFT_OP_STAGED = 1 << 13,
};

/* One operation and its completion. */
struct weft_nic_op {
	/* cache line 0: matching; tag, ignore and src are "in" for receives */
	struct weft_match_recv m;

	/* cache line 1: completion */
	void *context;	     /* in: the user's context */
	uint64_t comp_flags; /* in: completion flags; used by the layer above */
	uint64_t len;	     /* in: bytes of iov; out: bytes received */
	uint64_t data;	     /* immediate data, in or out; see WEFT_OP_DATA */
	/* tag of the message; in for sends, out for receives */
	uint64_t tag;
	/*
	 * in: destination; for receives, NULL or the peer of m.src; out: source
	 * of the message
	 */
	struct weft_peer *peer;
	struct weft_nic *nic;
	uint16_t flags;	   /* enum weft_nic_flag */
	uint8_t kind;	   /* in: enum weft_nic_op_kind */
	uint8_t iov_count; /* in: number of segments in iov */
	int32_t err;	   /* out: 0 or -errno; -EOVERFLOW: truncated */

	/* cache line 2: fields that are cleared together */
	union {
		uint64_t zero[6];
		struct {
			uint64_t olen;	/* out: bytes that did not fit */
			uint64_t moved; /* bytes sent or fetched so far */
			union {
				/*
				 * receives: if the op is one message in a multi
				 * buffer, the op of that buffer
				 */
				struct weft_nic_op *parent;
				/*
				 * in, sends of typed data: NULL, or the
				 * description by which the receiver may read
				 * the data itself
				 */
				const struct weft_mem_share *share;
			};
			void *held;  /* heap memory, freed with the op */
			uint32_t id; /* id of the op in packets; 0: none */
			/*
			 * multi buffer: number of messages being received into
			 * it
			 */
			uint32_t children;
			uint8_t state;
			uint8_t request_type; /* type of the request packet */
			/*
			 * number of a shared copy's cursor, plus one; 0: none
			 */
			uint8_t cell;
			/*
			 * the operation is counted in the peer's outstanding
			 * requests
			 */
			bool request_counted;
			/*
			 * accesses to the remote region must be reported to its
			 * owner
			 */
			bool events;
			bool linked; /* the op is in one of the peer's lists */
			/* a cancelled send that is not complete yet */
			bool cancel : 1;
			/* a transfer by a stream was started, see `stream` */
			bool streams : 1;
			uint8_t regs; /* number of memory registers in `reg` */
		};
	};

	/*
	 * in: segments of the local buffer; iov[0], which becomes buf in the CQ
	 * entry, is still in cache line 2
	 */
	struct iovec iov[WEFT_IOV_MAX];

	/*
	 * in: remote address, for RMA and atomics; in receives that the
	 * interface matches: time of the post, ps
	 */
	uint64_t addr;
	uint64_t key; /* in: key of the remote region */

	/* line 4 */
	struct weft_list link;
	uint64_t limit;	    /* bytes granted by the peer so far */
	uint32_t remote_id; /* the peer's id for the operation */
	uint8_t remote_count;
	uint8_t at_op;	       /* in: enum weft_num_op */
	uint8_t at_type;       /* in: enum weft_num_type */
	uint8_t result_count;  /* in: number of result segments */
	uint8_t compare_count; /* in: number of comparand segments */
	/* the unit's memory registers for the segments of iov */
	uint16_t reg[WEFT_IOV_MAX];
	uint64_t region; /* start address of the remote region; 0: unknown */
	union {
		struct {
			/* in: segments for the old values */
			struct iovec result[WEFT_IOV_MAX];
			/* in: segments of the comparands */
			struct iovec compare[WEFT_IOV_MAX];
		};
		struct {
			/* remote segments: pairs of address and length */
			uint64_t remote[2 * WEFT_IOV_MAX];
			struct weft_dma dma;
			uint64_t pos; /* next byte of the DMA */
			uint64_t end; /* end of the current chunk */
			/*
			 * first byte not copied in a chunk that the peer
			 * claimed but failed to copy
			 */
			uint64_t redo;
			/*
			 * number of a shared copy's cursor in the peer's area,
			 * plus one; 0: none
			 */
			uint32_t peer_cell;
			bool put;
			struct weft_stream_xfer stream;
		};
	};
};

/* A peer's request to access local memory. */
struct weft_mem_access {
	uint64_t key;
	uint64_t addr;
	uint64_t len;
	uint32_t access; /* WEFT_MR_* */
};

#define WEFT_MR_REMOTE_READ  1u
#define WEFT_MR_REMOTE_WRITE 2u
/* Access bit: every access to the region is reported through up->event. */
#define WEFT_MR_EVENTS	     4u

/*
 * Callbacks of the layer above, passed to weft_nic_open(). They may post
 * operations, but must not poll or wait.
 */
struct weft_nic_up {
	/* Called when op is complete; the callee copies the fields it needs. */
	void (*done)(void *arg, struct weft_nic_op *op);
	/*
	 * Translates the address that a peer requests, if one registered region
	 * contains all of the requested bytes; otherwise returns -ENOKEY,
	 * -EACCES or -EFAULT. *region_p is later passed to event().
	 */
	int (*region)(void *arg, const struct weft_mem_access *want,
		      void **at_p, void **region_p);
	/*
	 * Called when an access by a peer is complete. op describes it: kind
	 * WEFT_REMOTE_WRITE or _READ, len, peer and, with WEFT_OP_DATA, data.
	 * region is what region() returned.
	 */
	void (*event)(void *arg, struct weft_nic_op *op, void *region);
	/*
	 * Starts a copy of op->len bytes from a peer's memory to the buffer of
	 * a receive. *ticket_p is the argument for fetched(), or 0 if the copy
	 * is already complete. -EOPNOTSUPP: this process cannot access the
	 * peer's memory. If the callback is NULL, no device copies messages.
	 */
	int (*fetch)(void *arg, struct weft_nic_op *op,
		     const struct weft_mem_share *s, uint32_t *ticket_p);
	/*
	 * Returns whether the sender should copy instead, because both
	 * processes share a device, which switches slowly between processes; if
	 * so, fills *mine, which describes the memory of the receive.
	 */
	bool (*offer)(void *arg, struct weft_nic_op *op,
		      const struct weft_mem_share *s,
		      struct weft_mem_share *mine);
	/*
	 * Like fetch(), but for the sender: starts a copy of `bytes` bytes from
	 * the buffer of a send to a peer's memory.
	 */
	int (*store)(void *arg, struct weft_nic_op *op,
		     const struct weft_mem_share *s, uint64_t bytes,
		     uint32_t *ticket_p);
	/*
	 * Returns 0 if the copy with this ticket is complete, -EAGAIN if it is
	 * not yet complete, or -EIO.
	 */
	int (*fetched)(void *arg, uint32_t ticket);
};

struct weft_nic_attr {
	const struct weft_machine *machine;
	const struct weft_carrier_ops *carrier;
	union weft_name name; /* local address; port 0: any port */
	const struct weft_nic_up *up;
	void *up_arg;
	/* slots of the reception FIFO; 0: the carrier's default */
	uint32_t fifo_slots;
	size_t eager_bytes; /* eager limit; 0: the machine's limit */
	/* eager limit measured on the host, for machines with eager_by_host */
	size_t host_eager;
	/*
	 * minimum sizes of a shared copy, measured on the host, for a single
	 * message and for other cases; 0: NIC_SHARED_COPY_MIN
	 */
	size_t host_shared_copy;
	size_t host_shared_copy_busy;
	size_t host_loop; /* weft_carrier_attr.loop_bytes, for all machines */
	uint32_t spin_ns; /* spin time of the carrier, ns */
	size_t min_multi; /* a multi buffer with fewer free bytes is released */
	bool no_dma;
	int node; /* number of the emulated node; -1: unknown */
	/* children per node in the trees of collectives; 0: binomial tree */
	unsigned arity;
	const char *faults;
	uint32_t silence_ms; /* silence timeout of the carrier, ms */
	/* minimum size of a transfer by a stream, bytes; 0: no streams */
	size_t stream_min;
	/* key with which the carrier authenticates packets */
	const void *key;
	size_t key_bytes;
	bool encrypt;
	struct weft_vt *world; /* world of the carrier, in virtual time */
	bool threads;
	bool host_match; /* weft_carrier_attr.host_match */
};

/* Opens an endpoint. Returns 0, -EADDRINUSE or an error of the carrier. */
int weft_nic_open(const struct weft_nic_attr *attr, struct weft_nic **nic_p);
/*
 * Waits for outstanding transfers, for a bounded time, then closes the
 * endpoint. Operations still pending are dropped without completion.
 */
void weft_nic_close(struct weft_nic *nic);
void weft_nic_name(struct weft_nic *nic, union weft_name *name);
/*
 * Returns the carrier of an endpoint, for calls of its functions wait, wake,
 * wait_fd and arm, and for looking up peers by address.
 */
struct weft_carrier *weft_nic_carrier(struct weft_nic *nic);
void weft_nic_set_min_multi(struct weft_nic *nic, size_t bytes);
/* Replaces the callbacks that were passed to weft_nic_open(). */
void weft_nic_set_up(struct weft_nic *nic, const struct weft_nic_up *up);

/*
 * weft_nic_region_list enters a region (row->addr: RMA address of its first
 * byte, at: local address of that byte) in the table that peers read, so that
 * peers can access the region one-sided; weft_nic_region_unlist removes it.
 * Listing is optional: peers access regions that are not listed by request
 * packets. A full table is not an error.
 */
void weft_nic_region_list(struct weft_nic *nic,
			  const struct weft_mem_access *row, void *at);
void weft_nic_region_unlist(struct weft_nic *nic, uint64_t key);
/* Aborts the transfers by streams to and from a region that is being closed. */
void weft_nic_region_closed(struct weft_nic *nic, uint64_t key);

/*
 * Part of the endpoint that inline functions use; first member of struct
 * weft_nic.
 */
struct weft_nic_head {
	struct weft_pool ops;
};

/*
 * Allocates an operation; NULL: out of memory. flags, err and the fields that
 * share memory with `zero` are 0; the other fields are not initialised.
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
 * Sends a message of up to inject_bytes bytes without a completion, by the
 * fastest path. The flags WEFT_OP_TAGGED and WEFT_OP_DATA are allowed.
 */
int weft_nic_inject(struct weft_nic *nic, struct weft_peer *peer,
		    unsigned flags, const struct iovec *iov, uint64_t tag,
		    uint64_t data);
int weft_nic_send(struct weft_nic *nic, struct weft_nic_op *op);
/*
 * Posts a receive. Never returns -EAGAIN, because the number of posted receives
 * is not limited.
 */
int weft_nic_recv(struct weft_nic *nic, struct weft_nic_op *op);
/*
 * Searches for an unexpected message as recv would, and completes op with the
 * message's length, tag, data and source, without copying its bytes; if there
 * is none, op completes with -ENOMSG. With WEFT_OP_CLAIM the message is
 * reserved for a recv with WEFT_OP_CLAIM and the same context; with
 * WEFT_OP_DISCARD it is dropped.
 */
int weft_nic_peek(struct weft_nic *nic, struct weft_nic_op *op);
/* Posts a WEFT_WRITE or WEFT_READ. */
int weft_nic_rma(struct weft_nic *nic, struct weft_nic_op *op);
/*
 * Executes a read or write of a peer's memory before the call returns, without
 * an operation. want describes the peer's memory. Returns 0, or -EAGAIN if this
 * is not possible (now or at all).
 */
int weft_nic_rma_now(struct weft_nic *nic, struct weft_peer *peer,
		     const struct weft_mem_access *want, void *buf);
/*
 * Posts a WEFT_ATOMIC, WEFT_FETCH or WEFT_COMPARE. Returns 0, -EOPNOTSUPP,
 * -EMSGSIZE or an error of a post.
 */
int weft_nic_atomic(struct weft_nic *nic, struct weft_nic_op *op);
/* Returns whether the unit executes atomics on words in live mode. */
bool weft_nic_has_amo_word(const struct weft_nic *nic);
/*
 * Lets the unit execute an atomic on one word before the call returns. want
 * describes the peer's memory. If w->at is NULL, this process has not mapped
 * the word: the unit then reads and writes it in two steps, and the caller must
 * prevent concurrent changes. -EACCES, -EFAULT: refused; -EOPNOTSUPP: the unit
 * has no such atomic; -EAGAIN: not possible now.
 */
int weft_nic_amo_now(struct weft_nic *nic, struct weft_peer *peer,
		     const struct weft_mem_access *want,
		     struct weft_amo_word *w);
/*
 * Cancels the operation with that context. A posted receive completes with
 * -ECANCELED, and so does a send of which no packet has been sent. For a send
 * that waits for the peer, a cancel request is sent to the peer: the send
 * completes with -ECANCELED if no receive had matched the message; otherwise it
 * completes as if it had not been cancelled. -ENOENT: no receive or send with
 * that context is pending.
 */
int weft_nic_cancel(struct weft_nic *nic, void *context);

/*
 * Sends an empty packet to a peer from which this process expects a message, so
 * that the carrier detects and reports the peer's death.
 */
void weft_nic_contact(struct weft_nic *nic, struct weft_peer *peer);
/* Notifies the carrier that the peer's process has ended (carrier.h). */
void weft_nic_ended(struct weft_nic *nic, struct weft_peer *peer);
/*
 * Returns whether a device copy for a receive is outstanding. It completes only
 * in a poll, so the caller must not block.
 */
bool weft_nic_fetching(const struct weft_nic *nic);
/*
 * Returns the number of peers that have died so far; peers that closed are not
 * counted.
 */
uint64_t weft_nic_dead_count(const struct weft_nic *nic);
/*
 * Calls filter() for every posted tagged receive from any source. If filter()
 * returns 0, the receive stays posted; if it returns -errno, the receive
 * completes with this error.
 */
void weft_nic_recv_filter(struct weft_nic *nic,
			  int (*filter)(void *arg, uint64_t tag,
					uint64_t ignore),
			  void *arg);

/*
 * Delivers up to `budget` packets and makes progress on pending operations.
 * Returns the number of packets delivered.
 */
int weft_nic_poll(struct weft_nic *nic, int budget);

/* Counters of message paths and queues, for tests and tools. */
struct weft_nic_stats {
	uint64_t posted;     /* receives currently posted */
	uint64_t unexpected; /* unexpected messages currently queued */
	/* closed or dead peers whose messages are still queued */
	uint64_t gone;
	uint64_t rendezvous; /* messages sent by rendezvous */
	uint64_t dma_bytes;  /* bytes copied by this process's DMA */
	/* rendezvous messages sent in packets, without DMA */
	uint64_t paced;
	uint64_t garbage;   /* invalid packets */
	uint64_t chained;   /* commands that events of the unit started */
	uint64_t transfers; /* counters of the unit, see struct weft_unit */
	uint64_t atomics;   /* words changed by the unit's atomics */
	uint64_t unit[WEFT_UNIT_COUNTERS];
};

void weft_nic_stats(const struct weft_nic *nic, struct weft_nic_stats *s);

/*
 * Returns the maximum number of elements for one atomic of that kind on that
 * machine; 0: this combination of kind, operation and type is not supported.
 */
size_t weft_atomic_max_count(const struct weft_machine *m, unsigned kind,
			     unsigned op, unsigned type);

#endif

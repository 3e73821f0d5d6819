/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The Message Unit of Blue Gene/Q, emulated: link with -lweft-nic.
 *
 *	weft_bgq_open
 *	  weft_bgq_range_set, weft_bgq_bat_set     memory the unit may access
 *	  weft_bgq_inj_open, weft_bgq_rec_open     FIFOs, in the caller's memory
 *	  weft_bgq_node_set                       address of a node number
 *	  weft_bgq_desc_fifo / _put / _get        build a 64-byte descriptor
 *	  weft_bgq_inj_post                       post a descriptor
 *	  weft_bgq_poll                           run the unit's engines
 *	  weft_bgq_rec_poll                       read received packets
 *	weft_bgq_close
 *
 * No function blocks, except weft_bgq_wait. Functions return 0 or a negative
 * errno; -EAGAIN means that nothing happened and the call may be repeated. One
 * thread at a time calls into a unit, except weft_bgq_inj_post: each injection
 * FIFO may have its own producer thread in addition to the polling thread.
 *
 * Addresses are virtual addresses of the process (48 bits); the machine uses
 * physical addresses (37 bits).
 */
#ifndef WEFT_BGQ_H
#define WEFT_BGQ_H

#include <stdalign.h>
#include <stdint.h>
#include <weft/place.h>

#ifdef __cplusplus
extern "C" {
#endif

#define WEFT_BGQ_INJ_FIFOS   544 /* 17 groups x 4 subgroups x 8 */
#define WEFT_BGQ_REC_FIFOS   272 /* 17 x 4 x 4 */
#define WEFT_BGQ_BAT_ENTRIES 544 /* 17 x 4 x 8 */
#define WEFT_BGQ_USER_RANGES 20
#define WEFT_BGQ_RANGES	     28 /* ranges from 20 on are for the system */
#define WEFT_BGQ_PAYLOAD     512
#define WEFT_BGQ_CHUNK	     32
#define WEFT_BGQ_GET_DESCS   8 /* descriptors in one remote get packet */
/* bytes for software in a memory-FIFO packet header */
#define WEFT_BGQ_SOFT_BYTES  12

struct weft_bgq;

struct weft_bgq_desc {
	alignas(64) uint64_t word[8];
};

/* Interrupt numbers; each is a bit of the mask register. */
enum weft_bgq_irq {
	/* injection FIFO: free space rose above the threshold */
	WEFT_BGQ_IRQ_INJ_SPACE,
	/* reception FIFO: free space fell below the threshold */
	WEFT_BGQ_IRQ_REC_SPACE,
	/* remote get FIFO: free space fell below the threshold */
	WEFT_BGQ_IRQ_RGET_SPACE,
	/* last packet of a message with WEFT_BGQ_INTERRUPT arrived */
	WEFT_BGQ_IRQ_ARRIVAL,
	WEFT_BGQ_IRQ_ZERO,  /* a coherence-on-zero counter reached 0 */
	WEFT_BGQ_IRQ_ERROR, /* an error was recorded */
	WEFT_BGQ_IRQ_GI,    /* the status of a barrier class has changed */
	/* a part of the unit has halted; the id is enum weft_bgq_part */
	WEFT_BGQ_IRQ_HALT,
	WEFT_BGQ_IRQS,
};

/* Groups of interrupts; a processor takes them at different priorities. */
enum weft_bgq_group {
	WEFT_BGQ_NON_CRITICAL,
	WEFT_BGQ_CRITICAL,
	WEFT_BGQ_MACHINE_CHECK,
	WEFT_BGQ_GROUPS,
};

/* Parts of the unit that halt separately. */
enum weft_bgq_part {
	WEFT_BGQ_PART_INJECT,
	WEFT_BGQ_PART_RECEIVE,
	WEFT_BGQ_PART_BARRIER,
	WEFT_BGQ_PARTS,
};

/* Reason why a descriptor or packet was rejected. */
enum weft_bgq_error {
	WEFT_BGQ_OK,
	WEFT_BGQ_ERR_DESC,   /* malformed descriptor */
	WEFT_BGQ_ERR_MAP,    /* network FIFO not allowed for this FIFO */
	WEFT_BGQ_ERR_LENGTH, /* length not legal for this packet type */
	WEFT_BGQ_ERR_RANGE,  /* address outside the range registers */
	WEFT_BGQ_ERR_NODE,   /* no such destination */
	WEFT_BGQ_ERR_ATOMIC, /* atomic access is not to 8 aligned bytes */
	WEFT_BGQ_ERR_PACKET, /* received packet malformed */
	WEFT_BGQ_ERR_REC_ID, /* received: no such reception FIFO */
	WEFT_BGQ_ERR_INJ_ID, /* received: no such remote get FIFO */
	WEFT_BGQ_ERR_BAT_ID, /* received: no such base address */
	WEFT_BGQ_ERR_SYSTEM, /* user access to a system resource */
	WEFT_BGQ_ERR_LOST,   /* the destination is lost */
};

struct weft_bgq_attr {
	struct weft_place place;
	uint64_t seed; /* seed of the arbiters' random numbers */
	/* Called from poll for interrupts that the mask enables. */
	void (*interrupt)(void *arg, enum weft_bgq_irq irq, unsigned id);
	void *arg;
};

int weft_bgq_open(const struct weft_bgq_attr *attr, struct weft_bgq **bgq_p);
void weft_bgq_close(struct weft_bgq *mu);

/* Sets *name to the unit's address, which peers pass to weft_bgq_node_set(). */
void weft_bgq_name(struct weft_bgq *mu, struct sockaddr_in *name);

/*
 * Sets the address of node number `node` (30 bits: five torus coordinates of
 * 6). The node need not exist yet.
 */
int weft_bgq_node_set(struct weft_bgq *mu, uint32_t node,
		      const struct sockaddr_in *name);

/*
 * Runs the injection and reception engines for at most `budget` packets each;
 * returns the number of packets moved.
 */
int weft_bgq_poll(struct weft_bgq *mu, int budget);

/*
 * Blocks until a packet may have arrived, or timeout_ns has passed
 * (-ETIMEDOUT).
 */
int weft_bgq_wait(struct weft_bgq *mu, uint64_t timeout_ns);

/* ---- memory ---- */

/* sends may read the range, received packets may not write to it */
#define WEFT_BGQ_RANGE_INJ_ONLY 1u

/*
 * Makes range register i cover [base, base + bytes); bytes 0 disables it. User
 * FIFOs and packets use registers 0..19 only, system FIFOs and packets use all.
 */
int weft_bgq_range_set(struct weft_bgq *mu, unsigned i, void *base,
		       uint64_t bytes, unsigned flags);

/* flag of FIFOs and base addresses: for system use only */
#define WEFT_BGQ_SYSTEM 1u
#define WEFT_BGQ_HIGH	2u /* injection FIFO: user high priority */
/* injection FIFO to which remote gets append descriptors */
#define WEFT_BGQ_RGET	4u

/* Sets base address i; flags: WEFT_BGQ_SYSTEM. base NULL removes it. */
int weft_bgq_bat_set(struct weft_bgq *mu, unsigned i, void *base,
		     unsigned flags);

/* ---- injection ---- */

/*
 * Opens injection FIFO id. mem: `slots` (a power of two) slots of 64 bytes,
 * aligned to 64. -EBUSY: already open. The caller owns mem again after close.
 */
int weft_bgq_inj_open(struct weft_bgq *mu, unsigned id, void *mem,
		      uint32_t slots, unsigned flags);
int weft_bgq_inj_close(struct weft_bgq *mu, unsigned id);

/*
 * Copies one descriptor to the tail of the FIFO and advances the tail. *seq_p
 * (seq_p may be NULL): value of register WEFT_BGQ_INJ_COUNT when the message
 * has been sent. -EAGAIN: the FIFO is full. -EIO: the FIFO is in error. -EPERM:
 * a remote get FIFO.
 */
int weft_bgq_inj_post(struct weft_bgq *mu, unsigned id,
		      const struct weft_bgq_desc *desc, uint64_t *seq_p);

/* Ends the error state; the rejected descriptor is dropped. */
int weft_bgq_inj_clear(struct weft_bgq *mu, unsigned id);

/* Network injection FIFOs, for weft_bgq_msg.net_map. */
#define WEFT_BGQ_NET_TORUS 0x03ffu /* the ten torus directions */
#define WEFT_BGQ_NET_LOCAL 0x0c00u /* L0, L1: packets to this node */
#define WEFT_BGQ_NET_HIGH  0x1000u
#define WEFT_BGQ_NET_SYS   0x2000u
#define WEFT_BGQ_NET_COLL  0x4000u /* broadcasts on class routes */
#define WEFT_BGQ_NET_FIFOS 16

enum weft_bgq_vc {
	WEFT_BGQ_VC_DYNAMIC,
	WEFT_BGQ_VC_ORDERED, /* deterministic routing: packets stay in order */
	WEFT_BGQ_VC_HIGH,
	WEFT_BGQ_VC_SYSTEM,
};

/* Atomic operations on 8 aligned bytes; 0 is a plain access. */
enum weft_bgq_load_op {
	WEFT_BGQ_LOAD_PLAIN,
	WEFT_BGQ_LOAD,
	WEFT_BGQ_LOAD_CLEAR,
	WEFT_BGQ_LOAD_INC,
	WEFT_BGQ_LOAD_DEC,
	/* increments unless the word equals the next word */
	WEFT_BGQ_LOAD_INC_BOUNDED,
	/* decrements unless the word equals the previous word */
	WEFT_BGQ_LOAD_DEC_BOUNDED,
	/* increments only if the word equals the next word */
	WEFT_BGQ_LOAD_INC_EQUAL,
};

enum weft_bgq_store_op {
	WEFT_BGQ_STORE_PLAIN,
	WEFT_BGQ_STORE,
	WEFT_BGQ_STORE_TWIN, /* stores both words if they are equal */
	WEFT_BGQ_STORE_ADD,
	/* adds; raises WEFT_BGQ_IRQ_ZERO if the result is 0 */
	WEFT_BGQ_STORE_ADD_ZERO,
	WEFT_BGQ_STORE_OR,
	WEFT_BGQ_STORE_XOR,
	WEFT_BGQ_STORE_MAX_UNSIGNED,
	WEFT_BGQ_STORE_MAX_SIGNED,
};

/* Result of a bounded load that did not modify the word. */
#define WEFT_BGQ_BOUND_REACHED 0x8000000000000000u

#define WEFT_BGQ_PREFETCH  1u /* read the payload, send nothing */
#define WEFT_BGQ_INTERRUPT 2u /* arrival interrupt after the last packet */
/* a dynamic packet that enters the escape channel stays on it */
#define WEFT_BGQ_STAY	   4u
/*
 * memory-FIFO message or remote get to all members of a class route; `node` is
 * the number of the route
 */
#define WEFT_BGQ_BCAST	   8u

#define WEFT_BGQ_DIMS 5 /* dimensions A to E of the torus */

/* Fields common to all three kinds of message. */
struct weft_bgq_msg {
	uint32_t node;	  /* destination; WEFT_BGQ_BCAST: class route */
	uint16_t net_map; /* WEFT_BGQ_NET_*; 0: the torus directions */
	uint8_t vc;	  /* enum weft_bgq_vc */
	uint8_t flags;	  /* WEFT_BGQ_PREFETCH, _INTERRUPT, _STAY */
	uint8_t load_op;  /* enum weft_bgq_load_op, applied to the payload */
	uint8_t zone;	  /* zone set of dynamic packets, 0..3 */
	/* direction per dimension, -1 or +1; 0: the network chooses */
	int8_t hint[WEFT_BGQ_DIMS];
	const void *payload;
	uint64_t bytes; /* 0 is legal for memory-FIFO messages only */
};

/* Target and counter of a direct put. */
struct weft_bgq_put {
	uint16_t bat;
	uint16_t ctr_bat;
	uint8_t store_op; /* enum weft_bgq_store_op, applied to the target */
	uint64_t offset;  /* offset from base address bat */
	/* offset of the counter: 8 aligned bytes, counts down */
	uint64_t ctr_offset;
};

/*
 * Builds a memory-FIFO descriptor. soft: WEFT_BGQ_SOFT_BYTES bytes for the
 * header of every packet, or NULL.
 */
void weft_bgq_desc_fifo(struct weft_bgq_desc *desc,
			const struct weft_bgq_msg *msg, unsigned rec_fifo,
			const void *soft);
void weft_bgq_desc_put(struct weft_bgq_desc *desc,
		       const struct weft_bgq_msg *msg,
		       const struct weft_bgq_put *put);
/*
 * Builds a remote get descriptor. The payload of msg is 1..8 descriptors for
 * injection FIFO inj_fifo of the node.
 */
void weft_bgq_desc_get(struct weft_bgq_desc *desc,
		       const struct weft_bgq_msg *msg, unsigned inj_fifo);

/* ---- reception ---- */

/* Opens reception FIFO id in mem, aligned to 32; bytes: 2^n, at least 1024. */
int weft_bgq_rec_open(struct weft_bgq *mu, unsigned id, void *mem,
		      uint64_t bytes, unsigned flags);
int weft_bgq_rec_close(struct weft_bgq *mu, unsigned id);

/* A packet in a reception FIFO, readable during the call. */
struct weft_bgq_packet {
	const void *payload;
	/* payload size, padded with zeroes to a multiple of 32 */
	uint32_t bytes;
	uint32_t source;  /* node number of the sender; UINT32_MAX: unknown */
	uint64_t counter; /* number of the packet in its message */
	uint8_t soft[WEFT_BGQ_SOFT_BYTES];
};

/*
 * Called for a packet. If it returns 0, the packet is removed; otherwise the
 * packet stays in the FIFO, and the poll ends.
 */
typedef int (*weft_bgq_packet_fn)(void *arg, const struct weft_bgq_packet *p);

/* Passes up to budget packets to fn; returns the number of packets removed. */
int weft_bgq_rec_poll(struct weft_bgq *mu, unsigned id, weft_bgq_packet_fn fn,
		      void *arg, int budget);

/* ---- class routes ---- */

#define WEFT_BGQ_ROUTES		16
#define WEFT_BGQ_ROUTE_CHILDREN 12
#define WEFT_BGQ_NO_NODE	UINT32_MAX

/*
 * Sets this node's position in class route number `route`: the node of its
 * parent (WEFT_BGQ_NO_NODE: this is the root) and of its children; flags:
 * WEFT_BGQ_SYSTEM. All members set the same tree before any of them uses it.
 */
int weft_bgq_route_set(struct weft_bgq *mu, unsigned route, uint32_t parent,
		       const uint32_t *child, unsigned children,
		       unsigned flags);
int weft_bgq_route_clear(struct weft_bgq *mu, unsigned route);

/*
 * Halts a part of the unit, as an uncorrectable memory error in that part
 * would: the part sends and accepts nothing until its bit of WEFT_BGQ_HALTED is
 * cleared; other parts continue. Raises WEFT_BGQ_IRQ_HALT.
 */
int weft_bgq_halt(struct weft_bgq *mu, enum weft_bgq_part part);

/* ---- registers: 8 bytes each, accesses in program order ---- */

/*
 * Performance counters of the unit (UPC): indices of register WEFT_BGQ_UPC.
 * They count from the opening of the unit; a store sets a counter.
 */
enum weft_bgq_upc {
	WEFT_BGQ_UPC_PACKETS_SENT,
	WEFT_BGQ_UPC_MESSAGES_SENT,
	WEFT_BGQ_UPC_PACKETS_RECEIVED,
	WEFT_BGQ_UPC_MESSAGES_RECEIVED, /* last packets of messages */
	/*
	 * Requests of the master ports to memory, of 32, 64 or 128 bytes at
	 * multiples of their size, and the sums of these sizes.
	 */
	WEFT_BGQ_UPC_MASTER_READS,
	WEFT_BGQ_UPC_MASTER_READ_BYTES,
	WEFT_BGQ_UPC_MASTER_WRITES,
	WEFT_BGQ_UPC_MASTER_WRITE_BYTES,
	/*
	 * Accesses by the processors to the slave port: to the registers of
	 * FIFOs and of the barrier unit, and to base addresses.
	 */
	WEFT_BGQ_UPC_SLAVE_READS,
	WEFT_BGQ_UPC_SLAVE_WRITES,
	WEFT_BGQ_UPCS,
};

enum weft_bgq_reg {
	/* head index in slots, not reduced modulo the size */
	WEFT_BGQ_INJ_HEAD,
	/*
	 * a store starts the descriptors that the program has written into the
	 * ring, as weft_bgq_inj_post does
	 */
	WEFT_BGQ_INJ_TAIL,
	WEFT_BGQ_INJ_FREE,  /* free space, in slots of 64 bytes */
	WEFT_BGQ_INJ_COUNT, /* number of completed descriptors */
	WEFT_BGQ_INJ_ERROR, /* enum weft_bgq_error; 0: none */
	/* interrupt when the free space exceeds the stored value */
	WEFT_BGQ_INJ_THRESHOLD,
	/*
	 * head index in bytes, not reduced modulo the size; a store frees
	 * packets, as weft_bgq_rec_poll does
	 */
	WEFT_BGQ_REC_HEAD,
	WEFT_BGQ_REC_TAIL,
	WEFT_BGQ_REC_SHADOW,
	WEFT_BGQ_REC_FREE, /* free space, in chunks of 32 bytes */
	/* interrupt when the free space is below the stored value */
	WEFT_BGQ_REC_THRESHOLD,
	/* bits of enum weft_bgq_irq; a store clears bits */
	WEFT_BGQ_IRQ_PENDING,
	/* mask of the interrupts for which the callback is called */
	WEFT_BGQ_IRQ_MASK,
	WEFT_BGQ_ERR_CODE, /* last error: enum weft_bgq_error */
	WEFT_BGQ_ERR_ID,   /* FIFO, base address or node of the last error */
	WEFT_BGQ_ERR_ADDRESS,
	WEFT_BGQ_ERR_COUNT,
	WEFT_BGQ_NET_SENT,     /* packets sent through network FIFO id */
	WEFT_BGQ_NET_RECEIVED, /* packets received from the network */
	/*
	 * Barrier unit, per class route: three bits of this node, and their OR
	 * over all members. The second name is for stores by the system; only
	 * the system may change a class with WEFT_BGQ_SYSTEM.
	 */
	WEFT_BGQ_GI_CONTROL,
	WEFT_BGQ_GI_CONTROL_SYSTEM,
	WEFT_BGQ_GI_STATUS,
	/* group of interrupt id: enum weft_bgq_group */
	WEFT_BGQ_IRQ_GROUP,
	/* pending interrupts of group id, as WEFT_BGQ_IRQ_PENDING */
	WEFT_BGQ_GROUP_PENDING,
	/* mask of enum weft_bgq_part that have halted; a store clears bits */
	WEFT_BGQ_HALTED,
	/* number of descriptors fetched from injection FIFO id */
	WEFT_BGQ_INJ_FETCHED,
	WEFT_BGQ_UPC, /* performance counter id: enum weft_bgq_upc */
};

uint64_t weft_bgq_load(struct weft_bgq *mu, enum weft_bgq_reg reg, unsigned id);
/* Writes a register. -EINVAL: no such id. -EPERM: read-only register. */
int weft_bgq_store(struct weft_bgq *mu, enum weft_bgq_reg reg, unsigned id,
		   uint64_t value);

#ifdef __cplusplus
}
#endif
#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The Message Unit of Blue Gene/Q, emulated: link with -lweft-nic.
 *
 *	weft_mu_open
 *	  weft_mu_range_set, weft_mu_bat_set     memory the unit may access
 *	  weft_mu_inj_open, weft_mu_rec_open     FIFOs, in the caller's memory
 *	  weft_mu_node_set                       address of a node number
 *	  weft_mu_desc_fifo / _put / _get        build a 64-byte descriptor
 *	  weft_mu_inj_post                       post it to the unit
 *	  weft_mu_poll                           run the unit's engines
 *	  weft_mu_rec_poll                       take received packets
 *	weft_mu_close
 *
 * No function blocks, except weft_mu_wait. Functions return 0 or a negative
 * errno; -EAGAIN means that nothing happened and the call may be repeated. One
 * thread at a time calls into a unit, except weft_mu_inj_post: each injection
 * FIFO may have its own producer thread in addition to the polling thread.
 *
 * Addresses are process addresses (48 bits); the machine has physical ones (37
 * bits).
 */
#ifndef WEFT_MU_H
#define WEFT_MU_H

#include <stdalign.h>
#include <stdint.h>
#include <weft/place.h>

#ifdef __cplusplus
extern "C" {
#endif

#define WEFT_MU_INJ_FIFOS   544 /* 17 groups x 4 subgroups x 8 */
#define WEFT_MU_REC_FIFOS   272 /* 17 x 4 x 4 */
#define WEFT_MU_BAT_ENTRIES 544 /* 17 x 4 x 8 */
#define WEFT_MU_USER_RANGES 20
#define WEFT_MU_RANGES	    28 /* from 20 on: system */
#define WEFT_MU_PAYLOAD	    512
#define WEFT_MU_CHUNK	    32
#define WEFT_MU_GET_DESCS   8  /* descriptors in one remote get packet */
#define WEFT_MU_SOFT_BYTES  12 /* for software in a memory-FIFO header */

struct weft_mu;

struct weft_mu_desc {
	alignas(64) uint64_t word[8];
};

/* Interrupt numbers; each is a bit of the mask register. */
enum weft_mu_irq {
	WEFT_MU_IRQ_INJ_SPACE,	/* injection FIFO: free space rose above */
	WEFT_MU_IRQ_REC_SPACE,	/* reception FIFO: free space fell below */
	WEFT_MU_IRQ_RGET_SPACE, /* remote get FIFO: free space fell below */
	WEFT_MU_IRQ_ARRIVAL,	/* last packet of a message with the flag */
	WEFT_MU_IRQ_ZERO,	/* a coherence-on-zero counter reached 0 */
	WEFT_MU_IRQ_ERROR,	/* an error was recorded */
};

/* Reason of a rejection. */
enum weft_mu_error {
	WEFT_MU_OK,
	WEFT_MU_ERR_DESC,   /* malformed descriptor */
	WEFT_MU_ERR_MAP,    /* network FIFO not allowed for this FIFO */
	WEFT_MU_ERR_LENGTH, /* length not legal for this packet type */
	WEFT_MU_ERR_RANGE,  /* address outside the range registers */
	WEFT_MU_ERR_NODE,   /* no such destination */
	WEFT_MU_ERR_ATOMIC, /* atomic access not 8 aligned bytes */
	WEFT_MU_ERR_PACKET, /* received packet malformed */
	WEFT_MU_ERR_REC_ID, /* received: no such reception FIFO */
	WEFT_MU_ERR_INJ_ID, /* received: no such remote get FIFO */
	WEFT_MU_ERR_BAT_ID, /* received: no such base address */
	WEFT_MU_ERR_SYSTEM, /* user access to a system resource */
	WEFT_MU_ERR_LOST,   /* the destination is lost */
};

struct weft_mu_attr {
	struct weft_place place;
	uint64_t seed; /* seed of the arbiters' random choice */
	/* Callback for interrupts enabled by the mask; from poll only. */
	void (*interrupt)(void *arg, enum weft_mu_irq irq, unsigned id);
	void *arg;
};

int weft_mu_open(const struct weft_mu_attr *attr, struct weft_mu **mu_p);
void weft_mu_close(struct weft_mu *mu);

/* The unit's own address, for peers to pass to weft_mu_node_set. */
void weft_mu_name(struct weft_mu *mu, struct sockaddr_in *name);

/*
 * Sets the address of node number node (30 bits: five torus coordinates of 6).
 * The node need not exist yet.
 */
int weft_mu_node_set(struct weft_mu *mu, uint32_t node,
		     const struct sockaddr_in *name);

/*
 * Runs injection and reception engines for up to budget packets each; returns
 * the number of packets moved.
 */
int weft_mu_poll(struct weft_mu *mu, int budget);

/* Blocks until a packet may have arrived, or for timeout_ns (-ETIMEDOUT). */
int weft_mu_wait(struct weft_mu *mu, uint64_t timeout_ns);

/* ---- memory ---- */

#define WEFT_MU_RANGE_INJ_ONLY 1u /* source of sends, never stored to */

/*
 * Range register i covers [base, base + bytes); bytes 0 disables it. User FIFOs
 * and packets use registers 0..19 only, system ones all.
 */
int weft_mu_range_set(struct weft_mu *mu, unsigned i, void *base,
		      uint64_t bytes, unsigned flags);

#define WEFT_MU_SYSTEM 1u /* for FIFOs and base addresses: system only */
#define WEFT_MU_HIGH   2u /* injection FIFO: user high priority */
#define WEFT_MU_RGET   4u /* injection FIFO: remote gets append here */

/* Sets base address i; flags: WEFT_MU_SYSTEM. base NULL removes it. */
int weft_mu_bat_set(struct weft_mu *mu, unsigned i, void *base, unsigned flags);

/* ---- injection ---- */

/*
 * Opens injection FIFO id in mem: slots (a power of two) of 64 bytes, aligned
 * to 64. -EBUSY: already open. The caller owns mem again after close.
 */
int weft_mu_inj_open(struct weft_mu *mu, unsigned id, void *mem, uint32_t slots,
		     unsigned flags);
int weft_mu_inj_close(struct weft_mu *mu, unsigned id);

/*
 * Copies one descriptor to the tail and moves the tail. seq_p (may be NULL)
 * receives the value of register WEFT_MU_INJ_COUNT at which the message has
 * been sent. -EAGAIN: full. -EIO: the FIFO is in error. -EPERM: a remote get
 * FIFO.
 */
int weft_mu_inj_post(struct weft_mu *mu, unsigned id,
		     const struct weft_mu_desc *desc, uint64_t *seq_p);

/* Ends the error state; the rejected descriptor is dropped. */
int weft_mu_inj_clear(struct weft_mu *mu, unsigned id);

/* Network injection FIFOs, for weft_mu_msg.net_map. */
#define WEFT_MU_NET_TORUS 0x03ffu /* the ten torus directions */
#define WEFT_MU_NET_LOCAL 0x0c00u /* L0, L1: to this node */
#define WEFT_MU_NET_HIGH  0x1000u
#define WEFT_MU_NET_SYS	  0x2000u
#define WEFT_MU_NET_FIFOS 16

enum weft_mu_vc {
	WEFT_MU_VC_DYNAMIC,
	WEFT_MU_VC_ORDERED, /* deterministic: order is kept */
	WEFT_MU_VC_HIGH,
	WEFT_MU_VC_SYSTEM,
};

/* Atomic operations on 8 aligned bytes; 0 is a plain access. */
enum weft_mu_load_op {
	WEFT_MU_LOAD_PLAIN,
	WEFT_MU_LOAD,
	WEFT_MU_LOAD_CLEAR,
	WEFT_MU_LOAD_INC,
	WEFT_MU_LOAD_DEC,
	WEFT_MU_LOAD_INC_BOUNDED, /* unless equal to the word after it */
	WEFT_MU_LOAD_DEC_BOUNDED, /* unless equal to the word before it */
	WEFT_MU_LOAD_INC_EQUAL,	  /* only if equal to the word after it */
};

enum weft_mu_store_op {
	WEFT_MU_STORE_PLAIN,
	WEFT_MU_STORE,
	WEFT_MU_STORE_TWIN, /* both words, if they are equal */
	WEFT_MU_STORE_ADD,
	WEFT_MU_STORE_ADD_ZERO, /* add; WEFT_MU_IRQ_ZERO if the result is 0 */
	WEFT_MU_STORE_OR,
	WEFT_MU_STORE_XOR,
	WEFT_MU_STORE_MAX_UNSIGNED,
	WEFT_MU_STORE_MAX_SIGNED,
};

/* Result of a bounded load that did not modify the word. */
#define WEFT_MU_BOUND_REACHED 0x8000000000000000u

#define WEFT_MU_PREFETCH  1u /* read the payload, send nothing */
#define WEFT_MU_INTERRUPT 2u /* arrival interrupt after the last packet */

/* Fields common to all three kinds of message. */
struct weft_mu_msg {
	uint32_t node;	  /* destination */
	uint16_t net_map; /* WEFT_MU_NET_*; 0: the torus directions */
	uint8_t vc;	  /* enum weft_mu_vc */
	uint8_t flags;	  /* WEFT_MU_PREFETCH, WEFT_MU_INTERRUPT */
	uint8_t load_op;  /* enum weft_mu_load_op on the payload */
	const void *payload;
	uint64_t bytes; /* 0 is legal for memory-FIFO messages only */
};

/* Target and counter of a direct put. */
struct weft_mu_put {
	uint16_t bat;
	uint16_t ctr_bat;
	uint8_t store_op;    /* enum weft_mu_store_op on the target */
	uint64_t offset;     /* from base address bat */
	uint64_t ctr_offset; /* the counter: 8 aligned bytes, counts down */
};

/* soft: WEFT_MU_SOFT_BYTES sent in every packet's header, or NULL. */
void weft_mu_desc_fifo(struct weft_mu_desc *desc, const struct weft_mu_msg *msg,
		       unsigned rec_fifo, const void *soft);
void weft_mu_desc_put(struct weft_mu_desc *desc, const struct weft_mu_msg *msg,
		      const struct weft_mu_put *put);
/* The payload of msg is 1..8 descriptors for FIFO inj_fifo of the node. */
void weft_mu_desc_get(struct weft_mu_desc *desc, const struct weft_mu_msg *msg,
		      unsigned inj_fifo);

/* ---- reception ---- */

/* mem: bytes (a power of two, at least 1024), aligned to 32. */
int weft_mu_rec_open(struct weft_mu *mu, unsigned id, void *mem, uint64_t bytes,
		     unsigned flags);
int weft_mu_rec_close(struct weft_mu *mu, unsigned id);

/* A packet in a reception FIFO, readable during the call. */
struct weft_mu_packet {
	const void *payload;
	uint32_t bytes;	  /* whole chunks of 32, zero filled */
	uint32_t source;  /* node number, or UINT32_MAX: unknown */
	uint64_t counter; /* number of the packet in its message */
	uint8_t soft[WEFT_MU_SOFT_BYTES];
};

/* 0: taken. Other values: the packet stays, and the poll ends. */
typedef int (*weft_mu_packet_fn)(void *arg, const struct weft_mu_packet *p);

/* Passes up to budget packets to fn; returns the number taken. */
int weft_mu_rec_poll(struct weft_mu *mu, unsigned id, weft_mu_packet_fn fn,
		     void *arg, int budget);

/* ---- registers: 8 bytes each, accesses in program order ---- */

enum weft_mu_reg {
	WEFT_MU_INJ_HEAD, /* slots, free running */
	WEFT_MU_INJ_TAIL,
	WEFT_MU_INJ_FREE,      /* in units of 64 bytes */
	WEFT_MU_INJ_COUNT,     /* completed descriptors */
	WEFT_MU_INJ_ERROR,     /* enum weft_mu_error; 0: none */
	WEFT_MU_INJ_THRESHOLD, /* store: interrupt when free exceeds it */
	WEFT_MU_REC_HEAD,      /* bytes, free running */
	WEFT_MU_REC_TAIL,
	WEFT_MU_REC_SHADOW,
	WEFT_MU_REC_FREE,      /* in units of 32 bytes */
	WEFT_MU_REC_THRESHOLD, /* store: interrupt when free is below it */
	WEFT_MU_IRQ_PENDING,   /* bits of enum weft_mu_irq; store clears */
	WEFT_MU_IRQ_MASK,      /* store: bits that reach the callback */
	WEFT_MU_ERR_CODE,      /* last error: enum weft_mu_error */
	WEFT_MU_ERR_ID,	       /* its FIFO, base address or node */
	WEFT_MU_ERR_ADDRESS,
	WEFT_MU_ERR_COUNT,
	WEFT_MU_NET_SENT,     /* packets through network FIFO id */
	WEFT_MU_NET_RECEIVED, /* packets received from the network */
};

uint64_t weft_mu_load(struct weft_mu *mu, enum weft_mu_reg reg, unsigned id);
/* -EINVAL: no such id. -EPERM: read only. */
int weft_mu_store(struct weft_mu *mu, enum weft_mu_reg reg, unsigned id,
		  uint64_t value);

#ifdef __cplusplus
}
#endif
#endif

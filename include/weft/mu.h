/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The Message Unit of Blue Gene/Q, emulated: link with -lweft-nic.
 *
 *	weft_mu_open
 *	  weft_mu_range_set, weft_mu_bat_set     what the unit may touch
 *	  weft_mu_inj_open, weft_mu_rec_open     FIFOs, in the caller's memory
 *	  weft_mu_node_set                       who stands behind a node number
 *	  weft_mu_desc_fifo / _put / _get        build a 64-byte descriptor
 *	  weft_mu_inj_post                       give it to the unit
 *	  weft_mu_poll                           run the unit's engines
 *	  weft_mu_rec_poll                       take packets that came
 *	weft_mu_close
 *
 * Nothing blocks. Functions return 0 or a negative errno; -EAGAIN means that
 * nothing happened and the call may be repeated. One thread at a time calls
 * into a unit, except weft_mu_inj_post: each injection FIFO may have its own
 * producer thread beside the one that polls.
 *
 * Addresses are those of the process (48 bits) where the machine has physical
 * ones (37 bits).
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
#define WEFT_MU_SOFT_BYTES  12 /* software's own in a memory-FIFO header */

struct weft_mu;

struct weft_mu_desc {
	alignas(64) uint64_t word[8];
};

/* What happened, as interrupt number; each is a bit of the mask register. */
enum weft_mu_irq {
	WEFT_MU_IRQ_INJ_SPACE,	/* injection FIFO: free space rose above */
	WEFT_MU_IRQ_REC_SPACE,	/* reception FIFO: free space fell below */
	WEFT_MU_IRQ_RGET_SPACE, /* remote get FIFO: free space fell below */
	WEFT_MU_IRQ_ARRIVAL,	/* last packet of a message that asked */
	WEFT_MU_IRQ_ZERO,	/* a coherence-on-zero counter reached 0 */
	WEFT_MU_IRQ_ERROR,	/* the error registers have news */
};

/* Why a request was rejected. */
enum weft_mu_error {
	WEFT_MU_OK,
	WEFT_MU_ERR_DESC,   /* malformed descriptor */
	WEFT_MU_ERR_MAP,    /* network FIFO not allowed for this FIFO */
	WEFT_MU_ERR_LENGTH, /* length not legal for this packet type */
	WEFT_MU_ERR_RANGE,  /* address outside the range registers */
	WEFT_MU_ERR_NODE,   /* no such destination */
	WEFT_MU_ERR_ATOMIC, /* atomic access not 8 aligned bytes */
	WEFT_MU_ERR_PACKET, /* arriving packet malformed */
	WEFT_MU_ERR_REC_ID, /* arriving: no such reception FIFO */
	WEFT_MU_ERR_INJ_ID, /* arriving: no such remote get FIFO */
	WEFT_MU_ERR_BAT_ID, /* arriving: no such base address */
	WEFT_MU_ERR_SYSTEM, /* user touched what is the system's */
	WEFT_MU_ERR_LOST,   /* the destination is gone */
};

struct weft_mu_attr {
	struct weft_place place;
	uint64_t seed; /* of the arbiters' pseudo-random choice */
	/* Interrupts that the mask lets through; from poll only. */
	void (*interrupt)(void *arg, enum weft_mu_irq irq, unsigned id);
	void *arg;
};

int weft_mu_open(const struct weft_mu_attr *attr, struct weft_mu **mu_p);
void weft_mu_close(struct weft_mu *mu);

/* The own address, for others to hand to weft_mu_node_set. */
void weft_mu_name(struct weft_mu *mu, struct sockaddr_in *name);

/*
 * Node number node (30 bits: five torus coordinates of 6) stands for name.
 * A node that is not there yet is no error.
 */
int weft_mu_node_set(struct weft_mu *mu, uint32_t node,
		     const struct sockaddr_in *name);

/*
 * Runs injection and reception engines for up to budget packets each; the
 * number of packets moved.
 */
int weft_mu_poll(struct weft_mu *mu, int budget);

/* Sleeps until a packet may be there, or timeout_ns is over (-ETIMEDOUT). */
int weft_mu_wait(struct weft_mu *mu, uint64_t timeout_ns);

/* ---- memory ---- */

#define WEFT_MU_RANGE_INJ_ONLY 1u /* may be sent from, never stored to */

/*
 * Range register i covers [base, base + bytes); bytes 0 switches it off. User
 * FIFOs and packets reach registers 0..19 only, system ones all.
 */
int weft_mu_range_set(struct weft_mu *mu, unsigned i, void *base,
		      uint64_t bytes, unsigned flags);

#define WEFT_MU_SYSTEM 1u /* for FIFOs and base addresses: the system's */
#define WEFT_MU_HIGH   2u /* injection FIFO: user high priority */
#define WEFT_MU_RGET   4u /* injection FIFO: remote gets append here */

/* Base address i is base; flags: WEFT_MU_SYSTEM. NULL takes it away. */
int weft_mu_bat_set(struct weft_mu *mu, unsigned i, void *base, unsigned flags);

/* ---- injection ---- */

/*
 * Opens injection FIFO id over mem: slots (a power of two) of 64 bytes,
 * aligned to 64. -EBUSY: open already. The caller owns mem again after close.
 */
int weft_mu_inj_open(struct weft_mu *mu, unsigned id, void *mem, uint32_t slots,
		     unsigned flags);
int weft_mu_inj_close(struct weft_mu *mu, unsigned id);

/*
 * Copies one descriptor to the tail and moves the tail. seq_p (may be NULL)
 * gets the value that register WEFT_MU_INJ_COUNT reaches when the message has
 * left. -EAGAIN: full. -EIO: the FIFO is in error. -EPERM: a remote get FIFO.
 */
int weft_mu_inj_post(struct weft_mu *mu, unsigned id,
		     const struct weft_mu_desc *desc, uint64_t *seq_p);

/* Ends the error state: the rejected descriptor is dropped. */
int weft_mu_inj_clear(struct weft_mu *mu, unsigned id);

/* Network injection FIFOs, for weft_mu_msg.net_map. */
#define WEFT_MU_NET_TORUS 0x03ffu /* the ten of the torus directions */
#define WEFT_MU_NET_LOCAL 0x0c00u /* L0, L1: back into this node */
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
	WEFT_MU_STORE_ADD_ZERO, /* add; WEFT_MU_IRQ_ZERO when it gives 0 */
	WEFT_MU_STORE_OR,
	WEFT_MU_STORE_XOR,
	WEFT_MU_STORE_MAX_UNSIGNED,
	WEFT_MU_STORE_MAX_SIGNED,
};

/* What a bounded load that was refused returns. */
#define WEFT_MU_BOUND_REACHED 0x8000000000000000u

#define WEFT_MU_PREFETCH  1u /* read the payload, send nothing */
#define WEFT_MU_INTERRUPT 2u /* arrival interrupt after the last packet */

/* What all three kinds of message have in common. */
struct weft_mu_msg {
	uint32_t node;	  /* destination */
	uint16_t net_map; /* WEFT_MU_NET_*; 0: the torus directions */
	uint8_t vc;	  /* enum weft_mu_vc */
	uint8_t flags;	  /* WEFT_MU_PREFETCH, WEFT_MU_INTERRUPT */
	uint8_t load_op;  /* enum weft_mu_load_op on the payload */
	const void *payload;
	uint64_t bytes; /* 0 is legal for memory-FIFO messages only */
};

/* Where a direct put lands and what it counts. */
struct weft_mu_put {
	uint16_t bat;
	uint16_t ctr_bat;
	uint8_t store_op;    /* enum weft_mu_store_op on the target */
	uint64_t offset;     /* from base address bat */
	uint64_t ctr_offset; /* the counter: 8 aligned bytes, counts down */
};

/* soft: WEFT_MU_SOFT_BYTES that travel in every packet's header, or NULL. */
void weft_mu_desc_fifo(struct weft_mu_desc *desc, const struct weft_mu_msg *msg,
		       unsigned rec_fifo, const void *soft);
void weft_mu_desc_put(struct weft_mu_desc *desc, const struct weft_mu_msg *msg,
		      const struct weft_mu_put *put);
/* The payload of msg is 1..8 descriptors for the node's FIFO inj_fifo. */
void weft_mu_desc_get(struct weft_mu_desc *desc, const struct weft_mu_msg *msg,
		      unsigned inj_fifo);

/* ---- reception ---- */

/* mem: bytes (a power of two, at least 1024), aligned to 32. */
int weft_mu_rec_open(struct weft_mu *mu, unsigned id, void *mem, uint64_t bytes,
		     unsigned flags);
int weft_mu_rec_close(struct weft_mu *mu, unsigned id);

/* A packet as it lies in a reception FIFO, readable during the call. */
struct weft_mu_packet {
	const void *payload;
	uint32_t bytes;	  /* whole chunks of 32, zero filled */
	uint32_t source;  /* node number, or UINT32_MAX: not in the table */
	uint64_t counter; /* number of the packet in its message */
	uint8_t soft[WEFT_MU_SOFT_BYTES];
};

/* 0: taken. Anything else: it stays, and the poll ends. */
typedef int (*weft_mu_packet_fn)(void *arg, const struct weft_mu_packet *p);

/* Hands over up to budget packets; the number taken. */
int weft_mu_rec_poll(struct weft_mu *mu, unsigned id, weft_mu_packet_fn fn,
		     void *arg, int budget);

/* ---- registers: 8 bytes each, accesses in program order ---- */

enum weft_mu_reg {
	WEFT_MU_INJ_HEAD, /* slots, free running */
	WEFT_MU_INJ_TAIL,
	WEFT_MU_INJ_FREE,      /* in units of 64 bytes */
	WEFT_MU_INJ_COUNT,     /* descriptors finished */
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
	WEFT_MU_NET_RECEIVED, /* packets taken from the network */
};

uint64_t weft_mu_load(struct weft_mu *mu, enum weft_mu_reg reg, unsigned id);
/* -EINVAL: no such id. -EPERM: read only. */
int weft_mu_store(struct weft_mu *mu, enum weft_mu_reg reg, unsigned id,
		  uint64_t value);

#ifdef __cplusplus
}
#endif
#endif

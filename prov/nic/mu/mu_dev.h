/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Internal header of the Message Unit: control SRAMs as structs, and the
 * functions that the files of this folder share.
 *
 *  mu.c         open, close, nodes, registers, errors, interrupts
 *  mu_desc.c    builds and checks descriptors
 *  mu_mem.c     range registers, base address table, atomics
 *  mu_fifo.c    index arithmetic of the two kinds of ring
 *  mu_tx.c      arbitration; descriptor -> packets
 *  mu_rx.c      packet -> memory, counters, FIFOs
 *  mu_engine.c  the unit below the message engine (machine bgq)
 */
#ifndef WEFT_PROV_MU_DEV_H
#define WEFT_PROV_MU_DEV_H

#include "prov/nic/mu/mu_layout.h"
#include "prov/nic/nic_order.h"
#include "prov/nic/nic_port.h"
#include "src/base/rng.h"

#define MU_CLASSES 3 /* normal, user high, system */
#define MU_RMES	   16
#define MU_WORDS   ((WEFT_MU_INJ_FIFOS + 63) / 64)

enum mu_inj_state {
	MU_CLOSED,
	MU_OPEN,
	MU_ERROR,
};

/* ICSRAM and MCSRAM of one injection memory FIFO. */
struct mu_inj {
	struct mu_desc *ring;
	uint32_t slots;	    /* a power of two */
	uint32_t threshold; /* free slots; UINT32_MAX: off */
	uint8_t state;	    /* enum mu_inj_state */
	uint8_t cls;	    /* 0..MU_CLASSES-1 */
	uint8_t flags;	    /* flags given at open */
	uint8_t error;	    /* enum weft_mu_error */
	bool fetched;	    /* cur holds the descriptor at head */
	bool loaded;	    /* word holds the result of an atomic load */
	uint64_t word;
	uint64_t sent;	/* bytes of cur already sent */
	uint64_t count; /* completed descriptors */
	struct mu_desc cur;
	/* cache line written by the producer */
	alignas(64) weft_au64 tail;
	uint64_t head_seen;
	/* cache line written by the unit */
	alignas(64) weft_au64 head;
};

/*
 * RCSRAM of one reception memory FIFO. shadow and tail hold a sequence number
 * in their upper 16 bits and a position in chunks below: reserving moves
 * shadow, committing moves tail, strictly in sequence.
 */
struct mu_rec {
	unsigned char *base;
	uint64_t chunks; /* a power of two; 0: closed */
	uint64_t threshold;
	uint8_t flags;
	alignas(64) weft_au64 shadow;
	weft_au64 tail;
	weft_au64 done[MU_RMES];    /* end position + 1 of a stored packet */
	alignas(64) weft_au64 head; /* in chunks, written by software */
};

/* The reserved chunks of one packet between reserve and commit. */
struct mu_reservation {
	uint64_t at;  /* first chunk */
	uint64_t end; /* chunk after the last */
	unsigned seq;
};

struct mu_range {
	uint64_t base;
	uint64_t bytes; /* 0: off */
	uint32_t flags;
};

struct mu_bat {
	uint64_t base;
	bool valid;
	bool system;
};

struct weft_mu {
	struct weft_port port;
	void *raw; /* pointer for free(); this struct is aligned within it */
	struct weft_rng rng;
	void (*interrupt)(void *, enum weft_mu_irq, unsigned);
	void *interrupt_arg;
	/*
	 * Set by mu_engine.c: performs the direct put or remote get of a
	 * descriptor immediately, by DMA. Returns 0 or -errno.
	 */
	int (*dma)(struct weft_mu *mu, const struct mu_desc *d);
	void *engine;
	weft_au64 active[MU_CLASSES][MU_WORDS]; /* FIFOs with work */
	struct mu_range range[WEFT_MU_RANGES];
	struct mu_bat bat[WEFT_MU_BAT_ENTRIES];
	uint64_t irq_pending;
	uint64_t irq_mask;
	uint64_t err_code;
	uint64_t err_id;
	uint64_t err_address;
	uint64_t err_count;
	uint64_t net_sent[WEFT_MU_NET_FIFOS];
	uint64_t net_received;
	unsigned net_next; /* rotates over the FIFO map */
	struct mu_inj inj[WEFT_MU_INJ_FIFOS];
	struct mu_rec rec[WEFT_MU_REC_FIFOS];
};

/* mu.c */
int mu_create(const struct weft_carrier_ops *ops,
	      const struct weft_carrier_attr *attr, uint64_t seed,
	      struct weft_mu **mu_p);
void mu_irq(struct weft_mu *mu, enum weft_mu_irq irq, unsigned id);
/* Records an error in the error registers and raises the error interrupt. */
void mu_error(struct weft_mu *mu, enum weft_mu_error code, unsigned id,
	      uint64_t address);

/* mu_desc.c: WEFT_MU_OK, or the reason to reject the descriptor. */
enum weft_mu_error mu_desc_check(const struct mu_desc *d, bool system);

/* mu_mem.c */
bool mu_range_ok(const struct weft_mu *mu, uint64_t addr, uint64_t bytes,
		 bool store, bool system);
enum weft_mu_error mu_bat_address(const struct weft_mu *mu, uint64_t sel,
				  bool system, uint64_t *addr_p);
uint64_t mu_atomic_load(uint64_t addr, unsigned op);
/* Returns the value after the operation. */
uint64_t mu_atomic_store(uint64_t addr, unsigned op, uint64_t value);
/* 1, -1: op also accesses the word after, before its address; else 0. */
int mu_load_neighbour(unsigned op);

/* mu_fifo.c */
int mu_inj_push(struct mu_inj *f, const struct mu_desc *d, unsigned n);
uint64_t mu_inj_free(struct mu_inj *f);
bool mu_inj_empty(struct mu_inj *f);
/* -EAGAIN: the FIFO is full, or MU_RMES packets are being stored already. */
int mu_rec_reserve(struct mu_rec *r, unsigned chunks, struct mu_reservation *p);
void mu_rec_commit(struct mu_rec *r, const struct mu_reservation *p);
void mu_rec_copy_in(struct mu_rec *r, uint64_t at, const void *src,
		    size_t bytes);
void mu_rec_copy_out(struct mu_rec *r, uint64_t at, void *dst, size_t bytes);
uint64_t mu_rec_free(struct mu_rec *r);
uint64_t mu_rec_tail(struct mu_rec *r);

/* mu_tx.c */
void mu_tx_doorbell(struct weft_mu *mu, unsigned id);
/* Sends one packet of one FIFO. 1: sent; 0: FIFO empty; -EAGAIN: blocked. */
int mu_tx_step(struct weft_mu *mu, unsigned id);
int mu_tx_run(struct weft_mu *mu, int budget);

/* mu_rx.c. 0: packet accepted or rejected; -EAGAIN: no room now. */
int mu_rx_packet(struct weft_mu *mu, uint32_t source, const struct mu_hdr *h,
		 const void *payload);
int mu_rx_deliver(void *arg, struct weft_peer *src, const struct weft_pkt *pkt,
		  const void *payload);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/* Bulk data of the message engine, live: direct puts and remote gets. */
#ifndef WEFT_BGQ_BULK_H
#define WEFT_BGQ_BULK_H

#include "prov/machine/bgq/bgq_dev.h"
#include "prov/machine/machine_regs.h"
#include "prov/nic/nic.h"

/* Injection FIFOs. */
/* injection FIFO for descriptors of this process */
#define BGQ_BULK_FIFO	   16
/* injection FIFO for descriptors that peers send */
#define BGQ_BULK_RGET_FIFO 17
#define BGQ_BULK_RGETS	   16 /* slots of the FIFO BGQ_BULK_RGET_FIFO */
/* bytes of the descriptors of one remote get */
#define BGQ_BULK_DESCS	   (4 * 64)

struct bgq_bulk {
	struct weft_bgq *mu;
	struct weft_unit *unit;
	struct weft_regs range;
	struct weft_regs bat;
	size_t range_offset;
	size_t bat_offset;
	uint32_t refs[WEFT_BGQ_USER_RANGES];
	int err;		     /* first error of the current transfer */
	weft_au64 counter;	     /* byte counter of the current get */
	weft_au64 result;	     /* word that an atomic has fetched */
	struct weft_amo_word *word;  /* the current atomic, or NULL */
	struct weft_bgq_desc *descs; /* descriptors of the current get */
};

/* Adds shared memory for the registers, before the carrier is opened. */
void bgq_bulk_reserve(struct bgq_bulk *b, struct weft_carrier_attr *attr);
/*
 * bounce: memory of the packets' payloads, which the unit reads; the last
 * BGQ_BULK_DESCS bytes are for descriptors. ring: BGQ_BULK_RGETS slots.
 */
int bgq_bulk_open(struct bgq_bulk *b, struct weft_bgq *mu, struct weft_unit *u,
		  const struct iovec *bounce, void *ring);
void bgq_bulk_close(struct bgq_bulk *b);
void bgq_bulk_lost(struct bgq_bulk *b, const struct weft_peer *peer);

/*
 * Implement functions of struct weft_unit_ops; the peer must have a node
 * number.
 */
int bgq_bulk_get(struct bgq_bulk *b, struct weft_peer *peer,
		 struct weft_dma *d);
int bgq_bulk_put(struct bgq_bulk *b, struct weft_peer *peer,
		 struct weft_dma *d);
int bgq_bulk_mem_open(struct bgq_bulk *b, const struct iovec *mem,
		      unsigned access);
void bgq_bulk_mem_close(struct bgq_bulk *b, int reg);

/* Entries of the base address table, see bgq_bulk.c. */
#define BGQ_BAT_COUNTER 0
#define BGQ_BAT_SHARED	1
#define BGQ_BAT_MEMORY	2
/* not 0, because a base address must not be NULL */
#define BGQ_MEMORY_BASE 4096

/*
 * Posts a descriptor, and executes it. b->err is the first error of the
 * execution.
 */
int bgq_bulk_post(struct bgq_bulk *b, const struct weft_bgq_desc *d);

/* ---- bgq_atomic.c: atomics of the message engine, live ---- */

/*
 * Implements amo_word of struct weft_unit_ops; the peer must have a node
 * number.
 */
int bgq_atomic_word(struct bgq_bulk *b, struct weft_peer *peer,
		    struct weft_amo_word *w);

#endif

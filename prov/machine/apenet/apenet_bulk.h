/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Bulk data of the message engine: a put or get of the board for each local
 * segment, from or to a registered buffer, with an event. The data is moved by
 * one copy between the processes, because the peer's board makes no progress
 * while its process computes. If this process stores the data (get), the TLB
 * translates the addresses. The buffers that a process has registered for its
 * peers, with their rights, are in shared memory (machine_regs.h), where the
 * board of the peer checks them; the pages of a put's target are not translated
 * by a TLB.
 */
#ifndef WEFT_APENET_BULK_H
#define WEFT_APENET_BULK_H

#include "prov/machine/apenet/apenet_dev.h"
#include "prov/machine/machine_regs.h"
#include "prov/nic/nic.h"

/* registered buffers that are kept for the next transfers */
#define APENET_BULK_BUFS 16

struct apenet_bulk {
	struct weft_apenet *a;
	struct weft_unit *unit;
	struct weft_regs regs; /* buffers registered for peers */
	int err;	       /* errno of the last command */
	uint64_t uses;	       /* number of lookups in buf */
	struct apenet_bulk_buf {
		uint64_t base;
		/* length of the buffer; 0: the entry is unused */
		uint64_t bytes;
		uint64_t used; /* value of uses at the last lookup */
		unsigned buf;  /* buffer number on the board */
	} buf[APENET_BULK_BUFS];
};

/*
 * Adds space for the buffers' entries to the shared memory of a carrier;
 * returns its offset.
 */
size_t apenet_bulk_reserve(struct weft_carrier_attr *attr);
int apenet_bulk_open(struct apenet_bulk *b, struct weft_apenet *a,
		     struct weft_unit *u, size_t offset);
void apenet_bulk_close(struct apenet_bulk *b);
/*
 * Implement weft_unit_ops.mem_open and mem_close: register and unregister
 * memory for peers.
 */
int apenet_bulk_mem_open(struct apenet_bulk *b, const struct iovec *mem,
			 unsigned access);
void apenet_bulk_mem_close(struct apenet_bulk *b, int reg);
/* Implements weft_unit_ops.get and put: transfers d and calls d->done. */
int apenet_bulk_move(struct apenet_bulk *b, struct weft_peer *peer,
		     struct weft_dma *d, bool get);

#endif

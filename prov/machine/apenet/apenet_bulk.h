/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Bulk data of the message engine: a put or get of the board for each local
 * segment, from or to a registered buffer, with an event. The data is moved by
 * one copy between the processes, because the peer's board makes no progress
 * while its process computes. Where the data is stored by this process (get),
 * the TLB translates its addresses. The peer's board takes no part: it neither
 * translates nor checks rights.
 */
#ifndef WEFT_APENET_BULK_H
#define WEFT_APENET_BULK_H

#include "prov/machine/apenet/apenet_dev.h"
#include "prov/nic/nic.h"

/* registered buffers that are kept for the next transfers */
#define APENET_BULK_BUFS 16

struct apenet_bulk {
	struct weft_apenet *a;
	struct weft_unit *unit;
	uint64_t uses; /* number of lookups in buf */
	struct apenet_bulk_buf {
		uint64_t base;
		uint64_t bytes; /* 0: unused */
		uint64_t used;	/* value of uses at the last lookup */
		unsigned buf;	/* number at the board */
	} buf[APENET_BULK_BUFS];
};

void apenet_bulk_open(struct apenet_bulk *b, struct weft_apenet *a,
		      struct weft_unit *u);
/* Transfers d and calls d->done; as weft_unit_ops.get and put. */
int apenet_bulk_move(struct apenet_bulk *b, struct weft_peer *peer,
		     struct weft_dma *d, bool get);

#endif

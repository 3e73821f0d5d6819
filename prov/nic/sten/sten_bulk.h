/* SPDX-License-Identifier: BSD-3-Clause */
/* Bulk data of the message engine, carried by the DMA engine. */
#ifndef WEFT_PROV_STEN_BULK_H
#define WEFT_PROV_STEN_BULK_H

#include "prov/nic/nic.h"
#include "prov/nic/sten/sten_dev.h"

/* Allocates the transfers of a context and maps them in it. */
int sten_bulk_open(struct weft_sten *s, unsigned context);
void sten_bulk_close(struct weft_sten *s);

/* Implements get and put of struct weft_unit_ops; the peer needs a route. */
int sten_bulk_move(struct weft_sten *s, struct weft_unit *u,
		   struct weft_peer *peer, struct weft_dma *d, bool get);
/* Short accesses and atomics; used in virtual time only. */
int sten_bulk_short(struct weft_unit *u, struct weft_peer *peer,
		    struct weft_dma *d, bool get);
int sten_bulk_amo(struct weft_unit *u, struct weft_peer *peer,
		  struct weft_amo *a);

#endif

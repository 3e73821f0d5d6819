/* SPDX-License-Identifier: BSD-3-Clause */
/* Bulk data of the message engine, carried by the block transfer engine. */
#ifndef WEFT_PROV_FMA_BULK_H
#define WEFT_PROV_FMA_BULK_H

#include "prov/nic/fma/fma_dev.h"
#include "prov/nic/nic.h"

int fma_bulk_open(struct weft_fma *f);
void fma_bulk_close(struct weft_fma *f);

/* Implements get and put of struct weft_unit_ops. */
int fma_bulk_move(struct weft_fma *f, struct weft_unit *u,
		  struct weft_peer *peer, struct weft_dma *d, bool get);
/* Short accesses and atomics; used in virtual time only. */
int fma_bulk_window(struct weft_unit *u, struct weft_peer *peer,
		    struct weft_dma *d, bool get);
int fma_bulk_amo(struct weft_unit *u, struct weft_peer *peer,
		 struct weft_amo *a);

#endif

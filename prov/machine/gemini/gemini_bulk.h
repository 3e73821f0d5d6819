/* SPDX-License-Identifier: BSD-3-Clause */
/* Bulk data of the message engine, by the block transfer engine. */
#ifndef WEFT_GEMINI_BULK_H
#define WEFT_GEMINI_BULK_H

#include "prov/machine/gemini/gemini_dev.h"
#include "prov/nic/nic.h"

int gemini_bulk_open(struct weft_gemini *f);
void gemini_bulk_close(struct weft_gemini *f);

/* Implements get and put of struct weft_unit_ops. */
int gemini_bulk_move(struct weft_gemini *f, struct weft_unit *u,
		     struct weft_peer *peer, struct weft_dma *d, bool get);
/* Short accesses and atomics, in virtual time only. */
int gemini_bulk_window(struct weft_unit *u, struct weft_peer *peer,
		       struct weft_dma *d, bool get);
int gemini_bulk_amo(struct weft_unit *u, struct weft_peer *peer,
		    struct weft_amo *a);

#endif

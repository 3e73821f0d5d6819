/* SPDX-License-Identifier: BSD-3-Clause */
/* Bulk data of the message engine, by the DMA engine. */
#ifndef WEFT_QSNET2_BULK_H
#define WEFT_QSNET2_BULK_H

#include "prov/nic/nic.h"
#include "prov/machine/qsnet2/qsnet2_dev.h"

/*
 * Adds shared memory for the mappings that peers read, before the carrier is
 * opened; returns its offset. Live only.
 */
size_t qsnet2_bulk_reserve(struct weft_carrier_attr *attr);
/*
 * Allocates the transfer records of a context, and maps them in that context.
 * offset: from qsnet2_bulk_reserve.
 */
int qsnet2_bulk_open(struct weft_qsnet2 *s, unsigned context, size_t offset);
void qsnet2_bulk_close(struct weft_qsnet2 *s);
void qsnet2_bulk_lost(struct weft_qsnet2 *s, const struct weft_peer *peer);

/* Implement mem_open and mem_close of weft_unit_ops. */
int qsnet2_bulk_mem_open(struct weft_qsnet2 *s, const struct iovec *mem,
			 unsigned access);
void qsnet2_bulk_mem_close(struct weft_qsnet2 *s, int reg);

/* Implements get and put of weft_unit_ops; the peer must have a route. */
int qsnet2_bulk_move(struct weft_qsnet2 *s, struct weft_unit *u,
		     struct weft_peer *peer, struct weft_dma *d, bool get);
/* Execute short accesses and atomics; in virtual time only. */
int qsnet2_bulk_short(struct weft_unit *u, struct weft_peer *peer,
		      struct weft_dma *d, bool get);
int qsnet2_bulk_amo(struct weft_unit *u, struct weft_peer *peer,
		    struct weft_amo *a);

/* ---- qsnet2_word.c: atomics of the message engine, live ---- */

/* Registers the program of the thread processor that executes atomics. */
int qsnet2_word_open(struct weft_qsnet2 *s, unsigned context);
/* Implements amo_word of weft_unit_ops. */
int qsnet2_word_amo(struct weft_qsnet2 *s, struct weft_unit *u,
		    struct weft_peer *peer, struct weft_amo_word *w);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/* Bulk data of the message engine: RDMAR and RDMAW. */
#ifndef WEFT_SUNWAY_BULK_H
#define WEFT_SUNWAY_BULK_H

#include "prov/nic/nic.h"
#include "src/base/atomic.h"
#include "prov/machine/sunway/sunway_dev.h"

struct sunway_bulks;

/*
 * Bytes at the end of an endpoint's shared area (a cache line) for the answer
 * word of writes to the endpoint.
 */
#define SUNWAY_ANSWER_LINE 64

/*
 * Returns the answer word of a peer (NULL: of this endpoint), or NULL if it is
 * not accessible.
 */
weft_au64 *sunway_bulk_answer(struct weft_unit *u, struct weft_peer *peer);

/*
 * Adds shared memory for the segments that peers read, before the carrier is
 * opened; returns its offset. Live only.
 */
size_t sunway_bulk_reserve(struct weft_carrier_attr *attr);
/*
 * Prepares transfers through interface vi of engine 0 of unit n; NULL: out of
 * memory. offset: from sunway_bulk_reserve.
 */
struct sunway_bulks *sunway_bulk_open(struct weft_unit *u,
				      struct weft_sunway *n, unsigned vi,
				      size_t offset);
void sunway_bulk_close(struct sunway_bulks *all);
void sunway_bulk_lost(struct sunway_bulks *all, const struct weft_peer *peer);
/* Implement weft_unit_ops.mem_open and mem_close. */
int sunway_bulk_mem_open(struct sunway_bulks *all, const struct iovec *mem,
			 unsigned access);
void sunway_bulk_mem_close(struct sunway_bulks *all, int reg);
/* Implements weft_unit_ops.get and put. */
int sunway_bulk_move(struct sunway_bulks *all, struct weft_peer *peer,
		     struct weft_dma *d, bool get);

#endif

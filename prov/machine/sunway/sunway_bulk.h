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
 * Prepares transfers by the interface vi of engine 0 of unit n; NULL: out of
 * memory.
 */
struct sunway_bulks *sunway_bulk_open(struct weft_unit *u,
				      struct weft_sunway *n, unsigned vi);
void sunway_bulk_close(struct sunway_bulks *all);
/* Implements weft_unit_ops.get and put. */
int sunway_bulk_move(struct sunway_bulks *all, struct weft_peer *peer,
		     struct weft_dma *d, bool get);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/* Bulk data of the message engine: RDMAR and RDMAW. */
#ifndef WEFT_PROV_SWHNI_BULK_H
#define WEFT_PROV_SWHNI_BULK_H

#include "prov/nic/nic.h"
#include "prov/nic/swhni/swhni_layout.h"

struct swhni_bulks;

/* NULL: out of memory. */
struct swhni_bulks *swhni_bulk_open(struct weft_unit *u);
void swhni_bulk_close(struct swhni_bulks *all);
/* As weft_unit_ops.get and put say. */
int swhni_bulk_move(struct swhni_bulks *all, struct weft_peer *peer,
		    struct weft_dma *d, bool get);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Functions shared by the transports of several units: tables indexed by peer,
 * gathering of an engine packet into one buffer, movement of bulk data by one
 * copy.
 */
#ifndef WEFT_MACHINE_TRANSPORT_H
#define WEFT_MACHINE_TRANSPORT_H

#include "prov/nic/nic.h"

/* Array of pointers that grows on use; new cells are NULL. */
struct weft_table {
	void **cell;
	uint32_t count;
};

static inline void *weft_table_get(const struct weft_table *t, uint32_t i)
{
	return i < t->count ? t->cell[i] : NULL;
}

/* Returns the cell at index i; NULL: out of memory. */
void **weft_table_slot(struct weft_table *t, uint32_t i);
void weft_table_fini(struct weft_table *t);

/* Copies header and payload to one buffer. Returns the number of bytes. */
size_t weft_transport_gather(void *to, const struct weft_pkt *pkt,
			     const struct iovec *iov, int count);

/*
 * Post a transfer of bulk data to the backend, as in struct weft_unit_ops. Set
 * u->copied if the processor has copied bytes.
 */
static inline int weft_transport_get(struct weft_unit *u,
				     struct weft_peer *peer, struct weft_dma *d,
				     const struct weft_dma_path *path)
{
	const struct weft_backend *b = u->carrier->ops->backend;

	u->copied |= !b->transfers_later || !d->bytes;
	return b->get(u->carrier, peer, d, path);
}

static inline int weft_transport_put(struct weft_unit *u,
				     struct weft_peer *peer, struct weft_dma *d,
				     const struct weft_dma_path *path)
{
	const struct weft_backend *b = u->carrier->ops->backend;

	u->copied |= !b->transfers_later || !d->bytes;
	return b->put(u->carrier, peer, d, path);
}

static inline int weft_transport_amo(struct weft_unit *u,
				     struct weft_peer *peer, struct weft_amo *a,
				     const struct weft_dma_path *path)
{
	return u->carrier->ops->backend->atomic(u->carrier, peer, a, path);
}

#endif

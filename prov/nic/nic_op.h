/* SPDX-License-Identifier: BSD-3-Clause */
/* Lifetime of an operation: id, list, completion, memory. */
#ifndef WEFT_NIC_OP_H
#define WEFT_NIC_OP_H

#include "prov/nic/nic_int.h"

struct nic_peer *nic_peer_make(struct weft_nic *nic,
			       struct weft_peer *peer) WEFT_COLD;

static inline struct nic_peer *nic_peer_of(struct weft_nic *nic,
					   struct weft_peer *peer)
{
	if (weft_likely(peer->up))
		return peer->up;
	return nic_peer_make(nic, peer);
}

/* Allocates an id for an op. Returns 0 or -ENOMEM. */
int nic_id_new(struct weft_nic *nic, struct weft_nic_op *op);
void nic_id_free(struct weft_nic *nic, struct weft_nic_op *op);
/* Returns the pending op with that id if src is its peer, otherwise NULL. */
struct weft_nic_op *nic_id_op(struct weft_nic *nic, uint32_t id,
			      struct weft_peer *src);

/* Asserts that no completed op has an id; called when the nic closes. */
void nic_ids_check(const struct weft_nic *nic);
/* Frees the heap memory of pending operations; called when the nic closes. */
void nic_ids_drop(struct weft_nic *nic);

/* Completes an op that is in no list. */
static inline void nic_done(struct weft_nic *nic, struct weft_nic_op *op,
			    int err)
{
	op->err = err;
	nic->up->done(nic->up_arg, op);
	weft_nic_op_put(op);
}

/* Completes an op that is in a list, as allowed by the table in nic_int.h. */
void nic_end(struct weft_nic *nic, struct weft_nic_op *op, int err);
/* Adds an op to a list of its peer; the op's state must allow this list. */
void nic_op_list_add(struct nic_peer *p, struct weft_list *list,
		     struct weft_nic_op *op);
void nic_op_list_remove(struct weft_nic_op *op);
/* Counts a request sent to the peer, or, if `on` is false, its response. */
void nic_request_count(struct weft_nic_op *op, bool on);

/*
 * nic_scatter and nic_gather copy bytes to and from iov, starting at byte
 * `offset` of iov; nic_scatter also supports typed data.
 */
void nic_scatter(const struct iovec *iov, int count, uint64_t offset,
		 const void *from, size_t bytes);
void nic_gather(const struct iovec *iov, int count, uint64_t offset, void *to,
		size_t bytes);
/*
 * Sets out[] to the segments that contain bytes [offset, offset + bytes) of
 * iov. Returns their number.
 */
int nic_slice(const struct iovec *iov, int count, uint64_t offset, size_t bytes,
	      struct iovec *out);

/*
 * Refills the spare packets. -EAGAIN: out of memory, and few spare packets are
 * left.
 */
int nic_spares_fill(struct weft_nic *nic) WEFT_COLD;
void nic_spares_free(struct weft_nic *nic);

/* Returns whether there is memory for all responses to the next event. */
static inline bool nic_ready(struct weft_nic *nic)
{
	return weft_likely(nic->spares >= NIC_SPARES_LOW) ||
	       !nic_spares_fill(nic);
}

#endif

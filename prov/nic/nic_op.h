/* SPDX-License-Identifier: BSD-3-Clause */
/* What the life of an operation needs: name, list, end, memory. */
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

/* Gives an op a name; -ENOMEM. */
int nic_id_new(struct weft_nic *nic, struct weft_nic_op *op);
void nic_id_free(struct weft_nic *nic, struct weft_nic_op *op);
/* The op of that name if it has to do with src, or NULL. */
struct weft_nic_op *nic_id_op(struct weft_nic *nic, uint32_t id,
			      struct weft_peer *src);

/* Asserts at the end that every name was given back. */
void nic_ids_check(const struct weft_nic *nic);
/* The nic closes: memory that operations under way hold goes with it. */
void nic_ids_drop(struct weft_nic *nic);

/* Ends an op that is in no list. */
static inline void nic_done(struct weft_nic *nic, struct weft_nic_op *op,
			    int err)
{
	op->err = err;
	nic->up->done(nic->up_arg, op);
	weft_nic_op_put(op);
}

/* Ends an op wherever it is; what the table above allows. */
void nic_end(struct weft_nic *nic, struct weft_nic_op *op, int err);
/* Puts an op, in a state that belongs there, in a list of its peer. */
void nic_hold(struct nic_peer *p, struct weft_list *list,
	      struct weft_nic_op *op);
void nic_unhold(struct weft_nic_op *op);
/* The peer was asked for an access, or has answered. */
void nic_asked(struct weft_nic_op *op, bool on);

/* Has it no memory that a peer could be told of? */
static inline bool nic_is_typed(const struct weft_nic_op *op)
{
	return weft_unlikely(op->iov_count == WEFT_IOV_TYPED);
}

/* Moves bytes between memory and iov, from offset on; scatter takes typed
 * data, too. */
void nic_scatter(const struct iovec *iov, int count, uint64_t offset,
		 const void *from, size_t bytes);
void nic_gather(const struct iovec *iov, int count, uint64_t offset, void *to,
		size_t bytes);
/* The parts of iov that make [offset, offset + bytes); how many. */
int nic_slice(const struct iovec *iov, int count, uint64_t offset, size_t bytes,
	      struct iovec *out);

/* Makes spares; -EAGAIN: memory is out and they run low. */
int nic_spares_fill(struct weft_nic *nic) WEFT_COLD;
void nic_spares_free(struct weft_nic *nic);

/* Is there memory for all answers that the next event may lead to? */
static inline bool nic_ready(struct weft_nic *nic)
{
	return weft_likely(nic->spares >= NIC_SPARES_LOW) ||
	       !nic_spares_fill(nic);
}

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A collective call. The MPI layer, or a libfabric collective call, fills in
 * one struct weft_coll_call; the provider, the collective unit and the model of
 * virtual time use the same struct and the same kinds.
 */
#ifndef WEFT_COLL_CALL_H
#define WEFT_COLL_CALL_H

#include <stddef.h>
#include <stdint.h>

/* Kinds of collectives. Groups of endpoints support the first nine. */
enum weft_coll_kind {
	WEFT_COLL_BARRIER,
	WEFT_COLL_BCAST,
	WEFT_COLL_REDUCE,
	WEFT_COLL_ALLREDUCE,
	WEFT_COLL_GATHER,	  /* also gatherv */
	WEFT_COLL_SCATTER,	  /* also scatterv */
	WEFT_COLL_ALLGATHER,	  /* also allgatherv */
	WEFT_COLL_ALLTOALL,	  /* also alltoallv, alltoallw */
	WEFT_COLL_REDUCE_SCATTER, /* also reduce_scatter_block */
	WEFT_COLL_GROUP_KINDS,
	WEFT_COLL_SCAN = WEFT_COLL_GROUP_KINDS,
	WEFT_COLL_EXSCAN,
	WEFT_COLL_NEIGHBOR_ALLGATHER, /* also the v form */
	WEFT_COLL_NEIGHBOR_ALLTOALL,  /* also the v and w forms */
	WEFT_COLL_KINDS,
};

/* Type of doubles whose sum is rounded once; follows FI_DOUBLE. */
#define WEFT_COLL_EXACT 10

struct weft_coll_call {
	/* arguments, set by the caller; a barrier needs only its kind */
	uint8_t kind; /* enum weft_coll_kind */
	uint8_t op;   /* enum fi_op; only for reductions */
	/*
	 * enum fi_datatype up to FI_DOUBLE, or WEFT_COLL_EXACT; FI_UINT8 except
	 * for reductions
	 */
	uint8_t type;
	int root; /* index of the root in the group, for kinds that have one */
	const void *in;
	/* result, may equal in; for a broadcast, the data buffer */
	void *out;
	size_t count; /* elements of a vector, or of one member's block */
	/* results */
	uint32_t flags; /* FI_WEFT_NAN, FI_WEFT_OVERFLOW of any member */
	/*
	 * 0; -EPROTO: members called different operations; or another error of
	 * the group
	 */
	int err;
	/*
	 * Fields of the provider. done: called from post or poll when the
	 * result is available.
	 */
	void (*done)(struct weft_coll_call *call);
	uint32_t sig;	/* signature that must be equal on all members */
	uint32_t phase; /* packets since the last synchronisation (grp_net.c) */
	uint64_t first; /* sequence number of the first packet */
	size_t sent;	/* packets sent */
	size_t read;	/* packets completed */
	size_t packets;
	size_t bytes; /* bytes of one member's contribution */
	/* result of mapping the segments: 0; -EAGAIN: pending; -errno */
	int reach;
	struct weft_coll_call *next;
};

#endif

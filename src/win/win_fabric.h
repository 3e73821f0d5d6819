/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Capabilities of the provider for windows. Ours and others are queried by the
 * same calls of libfabric; missing ones are replaced by messages.
 */
#ifndef WEFT_WIN_FABRIC_H
#define WEFT_WIN_FABRIC_H

#include "src/types/types_op.h"

#include <rdma/fi_atomic.h>
#include <rdma/fi_domain.h>

struct fi_weft_rma_sync;

struct win_fabric {
	bool rma; /* fi_write and fi_read */
	bool ours;
	bool by_processor;  /* atomics use the target's processor */
	bool by_address;    /* remote addresses are virtual, not offsets */
	bool binds;	    /* regions are bound to the endpoint */
	uint64_t key_first; /* first of the requested keys */
	uint64_t flags;	    /* of writes: completion at the target */
	uint64_t bytes_max; /* of one operation */
	uint64_t types; /* bits of enum weft_basic: types for which fi_atomic
			   has all operations of MPI */
	const struct fi_weft_rma_sync *now; /* or NULL */
};

/* One object for all windows; the lock is held. */
const struct win_fabric *win_fabric(void);

/* For a type in types. */
enum fi_datatype win_fabric_type(const struct weft_dt *unit);
enum fi_op win_fabric_op(const struct weft_op *op);

/* Effects of an accumulate on elements. */
enum { WIN_READS = 1, WIN_WRITES = 2 };

/*
 * Does the provider order an accumulate of this size behind the earlier ones,
 * whose effects are in before?
 */
bool win_fabric_orders(unsigned before, unsigned now, size_t bytes);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Capabilities of the provider for windows, queried by the same libfabric calls
 * for every provider. Messages replace missing capabilities.
 */
#ifndef WEFT_WIN_FABRIC_H
#define WEFT_WIN_FABRIC_H

#include "src/types/types_op.h"

#include <rdma/fi_atomic.h>
#include <rdma/fi_domain.h>

struct fi_weft_amo_sync;
struct fi_weft_rma_sync;

struct win_fabric {
	bool rma; /* fi_write and fi_read are available */
	bool ours;
	/* atomics are instructions of the target's processor */
	bool by_processor;
	bool by_address;    /* remote addresses are virtual, not offsets */
	bool bind_regions;  /* regions are bound to the endpoint */
	uint64_t key_first; /* first key that windows request */
	/* flags of writes: FI_DELIVERY_COMPLETE, or 0 with Weft's provider */
	uint64_t flags;
	uint64_t bytes_max; /* maximum size of one operation, bytes */
	/*
	 * bits of enum weft_num_type: types for which fi_atomic has all MPI
	 * operations
	 */
	uint64_t types;
	const struct fi_weft_rma_sync *now; /* synchronous RMA, or NULL */
	/* atomics of the machine's interface on one element, or NULL */
	const struct fi_weft_amo_sync *amo;
};

/* Returns the capabilities, shared by all windows. Requires the core lock. */
const struct win_fabric *win_fabric(void);

/* Returns libfabric's datatype for a type whose bit is set in `types`. */
enum fi_datatype win_fabric_type(const struct weft_dt *unit);

/* Effects of an accumulate on elements. */
enum { WIN_READS = 1, WIN_WRITES = 2 };

/*
 * Returns whether the provider orders an accumulate of this size after earlier
 * accumulates. before, now: effects (WIN_READS, WIN_WRITES) of the earlier
 * accumulates and of this one.
 */
bool win_fabric_orders(unsigned before, unsigned now, size_t bytes);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the provider below does for windows. Ours and others are asked in the
 * same words of libfabric; what one of them lacks goes by messages.
 */
#ifndef WEFT_WIN_FABRIC_H
#define WEFT_WIN_FABRIC_H

#include "src/types/types_op.h"

#include <rdma/fi_atomic.h>
#include <rdma/fi_domain.h>

struct fi_weft_now;

struct win_fabric {
	bool rma; /* fi_write and fi_read */
	bool ours;
	bool by_processor;  /* atomics are those of the target's processor */
	bool by_address;    /* places are addresses, not offsets in regions */
	bool binds;	    /* regions belong to the endpoint */
	uint64_t key_first; /* of the keys that regions ask for */
	uint64_t flags;	    /* of writes: complete means, at the target */
	uint64_t bytes_max; /* of one operation */
	uint64_t types;	    /* bit of enum weft_basic: fi_atomic has them, with
			       all operations of MPI on them */
	const struct fi_weft_now *now; /* or NULL */
};

/* The same for all windows; the lock is held. */
const struct win_fabric *win_fabric(void);

/* Of a type that types has. */
enum fi_datatype win_fabric_type(const struct weft_dt *unit);
enum fi_op win_fabric_op(const struct weft_op *op);

/* What an accumulate does to elements. */
enum { WIN_READS = 1, WIN_WRITES = 2 };

/* Does an accumulate of so many bytes come behind those before it, which do
 * what before says? */
bool win_fabric_orders(unsigned before, unsigned now, size_t bytes);

#endif

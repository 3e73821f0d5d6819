/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A libfabric operation, and the function that is called at its completion. The
 * context that libfabric requires is part of the struct, so the address of the
 * context identifies the operation.
 */
#ifndef WEFT_CORE_IO_H
#define WEFT_CORE_IO_H

#include <rdma/fabric.h>
#include <rdma/fi_eq.h>
#include <rdma/fi_ext_weft.h>

struct weft_io {
	/*
	 * must be first: its address in the CQ entry identifies the operation
	 */
	union {
		struct fi_context2 fi;
		/* a receive without CQ entry */
		struct fi_weft_arrival arrival;
	};
	/*
	 * Called at completion with the lock held; may post operations. err: 0
	 * or -errno.
	 */
	void (*done)(struct weft_io *io, const struct fi_cq_tagged_entry *e,
		     int err);
};

#endif

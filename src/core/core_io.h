/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * One operation below: what its completion calls. The context that libfabric
 * asks for is part of it, so its address is the operation's name.
 */
#ifndef WEFT_CORE_IO_H
#define WEFT_CORE_IO_H

#include <rdma/fabric.h>
#include <rdma/fi_eq.h>
#include <rdma/fi_ext_weft.h>

struct weft_io {
	/* must be first: it comes back in the CQ, and names the operation */
	union {
		struct fi_context2 fi;
		struct fi_weft_arrival arrival; /* of a receive without it */
	};
	/* done: called with the lock held; err is 0 or -errno. May post. */
	void (*done)(struct weft_io *io, const struct fi_cq_tagged_entry *e,
		     int err);
};

#endif

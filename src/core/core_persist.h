/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The persistent requests of a communicator. Every request holds references on
 * its communicator, and the references tell whether communication is pending;
 * those of a persistent request that is not active do not count. A list finds
 * such requests when MPI_Comm_disconnect needs them, so that starting and
 * completing a request costs nothing.
 */
#ifndef WEFT_CORE_PERSIST_H
#define WEFT_CORE_PERSIST_H

#include "src/base/list.h"

#include <stdbool.h>

struct weft_comm;
struct weft_req;

/* A persistent request in the list of its communicator. */
struct weft_persist {
	struct weft_list link;
	const struct weft_req *req;
	/* references on the communicator while not active; NULL: one */
	unsigned (*holds)(const struct weft_req *r);
};

/* The request was made, is about to be freed; both take the core's lock. */
void weft_persist_add(struct weft_persist *p, const struct weft_req *r,
		      unsigned (*holds)(const struct weft_req *r));
void weft_persist_remove(struct weft_persist *p);

/* Does anything but the application and persistent requests that are not active
 * hold a reference on c? */
bool weft_persist_is_pending(struct weft_comm *c);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Persistent requests of a communicator. Every request holds references on its
 * communicator, and the number of references shows whether communication is
 * pending; references of inactive persistent requests do not count.
 * MPI_Comm_disconnect finds these requests in a list, so that starting and
 * completing a request has no extra cost.
 */
#ifndef WEFT_MSG_PERSIST_H
#define WEFT_MSG_PERSIST_H

#include "src/base/list.h"

#include <stdbool.h>

struct weft_comm;
struct weft_req;

/* Entry of a persistent request in the list of its communicator. */
struct weft_persist {
	struct weft_list link;
	const struct weft_req *req;
	/*
	 * returns the number of references that an inactive request holds on
	 * its communicator; NULL: one
	 */
	unsigned (*holds)(const struct weft_req *r);
};

/*
 * Add a persistent request to the list when it is created, and remove it before
 * it is freed; both take the core's lock.
 */
void weft_persist_add(struct weft_persist *p, const struct weft_req *r,
		      unsigned (*holds)(const struct weft_req *r));
void weft_persist_remove(struct weft_persist *p);

/*
 * Returns whether anything except the application and inactive persistent
 * requests holds a reference on c.
 */
bool weft_persist_is_pending(struct weft_comm *c);

#endif

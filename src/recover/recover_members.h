/* SPDX-License-Identifier: BSD-3-Clause */
/* Members of a communicator, in an order that is the same at all members. */
#ifndef WEFT_RECOVER_MEMBERS_H
#define WEFT_RECOVER_MEMBERS_H

#include "src/comm/comm.h"
#include "src/recover/recover_msg.h"

struct weft_recover_members {
	const int *proc;
	int n; /* number of members; 0: out of memory */
	int me;
	int *owned; /* list to be freed; NULL: none */
};

/*
 * Returns the members of c, from both groups of an intercommunicator.
 * weft_recover_members_close() frees the list.
 */
struct weft_recover_members weft_recover_members(const struct weft_comm *c);
void weft_recover_members_close(struct weft_recover_members *m);

/* Returns the key of a communicator, without the number of a ballot. */
struct weft_recover_key weft_recover_key(const struct weft_comm *c);

#endif

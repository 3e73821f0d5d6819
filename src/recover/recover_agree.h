/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Agreement of the living members of a communicator, and communicators of
 * these members. All members that return get the same result.
 */
#ifndef WEFT_RECOVER_AGREE_H
#define WEFT_RECOVER_AGREE_H

#include "src/comm/comm.h"

struct weft_req;

/*
 * Computes the bitwise AND of the members' flags. Returns 0; -EHOSTDOWN: a
 * member has failed, and not all members have acknowledged it (the flag is
 * set); or -errno.
 */
int weft_recover_agree(struct weft_comm *c, int *flag);
int weft_recover_iagree(struct weft_comm *c, int *flag,
			struct weft_req **req_p);

/* Creates a communicator of the living members of c. Returns 0 or -errno. */
int weft_recover_shrink(struct weft_comm *c, struct weft_comm **comm_p);
/*
 * Nonblocking form of weft_recover_shrink(). ready: called with the new
 * communicator when it exists.
 */
int weft_recover_ishrink(struct weft_comm *c,
			 void (*ready)(void *arg, struct weft_comm *made),
			 void *arg, struct weft_req **req_p);

#endif

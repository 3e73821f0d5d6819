/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Revocation of a communicator: all members interrupt their operations on it. A
 * member that receives the revocation forwards it to its neighbours (ranks at
 * distances 1, 2, 4, ... in both directions, and the next living rank after a
 * dead one), so that it reaches all living members even if members fail
 * meanwhile. All functions require the lock.
 */
#ifndef WEFT_RECOVER_REVOKE_H
#define WEFT_RECOVER_REVOKE_H

#include "src/comm/comm.h"
#include "src/recover/recover_msg.h"

/* Revokes a communicator, unless it is revoked already. */
void weft_revoke(struct weft_comm *c);
void weft_revoke_receive(const struct weft_recover_msg *m);
/* Revokes a new communicator whose revocation has arrived already. */
void weft_revoke_new(struct weft_comm *c);
void weft_revoke_close(void);

#endif

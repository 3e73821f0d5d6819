/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A reader-writer lock in shared memory, granted in the order of requests: each
 * request takes a ticket and enters when the ticket is admitted.
 *
 *   writer: enters at write == ticket, leaves by ++read, ++write
 *   reader: enters at read == ticket, admits the next by ++read at once,
 *           leaves by ++write
 *
 * So consecutive readers enter together, and a writer waits only for earlier
 * requests: no request is overtaken. Waiting: src/msg/msg_pause.h.
 */
#ifndef WEFT_WIN_RWLOCK_H
#define WEFT_WIN_RWLOCK_H

#include "src/win/win_layout.h"

struct weft_comm;

/*
 * Acquire and release the lock. c: communicator of the members that share the
 * lock. win_rwlock_acquire() returns 0, or -ECONNRESET: a member has died.
 */
int win_rwlock_acquire(struct win_rwlock *g, bool exclusive,
		       const struct weft_comm *c);
void win_rwlock_release(struct win_rwlock *g, bool exclusive);

#endif

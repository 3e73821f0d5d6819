/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Ends operations that cannot complete, because a process has failed or the
 * communicator is revoked: they are cancelled, and complete with an error. All
 * functions require the lock.
 */
#ifndef WEFT_RECOVER_INTERRUPT_H
#define WEFT_RECOVER_INTERRUPT_H

#include "src/comm/comm.h"

#include <stdbool.h>

/* Checks all active messages. */
void weft_interrupt_all(void);

/*
 * Returns the error of a receive or probe: 0, -ECONNRESET, or -EOWNERDEAD: a
 * receive from any source, and a failure is not acknowledged.
 */
int weft_interrupt_receive(const struct weft_comm *c, int peer);
/* Returns whether c, or the communicator with this context, is revoked. */
bool weft_interrupt_revoked(const struct weft_comm *c);

#endif

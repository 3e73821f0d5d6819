/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Programs that continue after the failure of a process (mpiexec --survive,
 * WEFT_SURVIVE=1): start and end, and the functions that src/msg, src/comm and
 * src/mpi call if weft_core.survives is set.
 */
#ifndef WEFT_RECOVER_H
#define WEFT_RECOVER_H

#include "src/comm/comm.h"

#include <stdbool.h>

struct weft_p2p;

/* Called by MPI_Init and by MPI_Finalize. */
int weft_recover_open(void);
void weft_recover_close(void);
/* Notifies the launcher that this rank can survive failures from now on. */
void weft_recover_started(void);

/*
 * Waits in MPI_Finalize until all living ranks have called it. *stays_p: as in
 * struct weft_core_backend.
 */
int weft_recover_sync(bool *stays_p);

/*
 * Returns the error with which an operation that is not posted yet must fail,
 * or 0: -ESTALE: the communicator is revoked; -ECONNRESET: a collective, and a
 * member has failed, or a send to a failed process. Requires the lock.
 */
int weft_recover_refuses(const struct weft_p2p *p);
/* Returns whether a process has failed. Requires the lock. */
bool weft_recover_is_needed(void);
/*
 * Like weft_recover_refuses(), for a collective or another call on c. The lock
 * is not held.
 */
int weft_recover_check_coll(const struct weft_comm *c);
/*
 * Returns the error of a probe for a message from peer (may be MPI_ANY_SOURCE),
 * or 0. The lock is not held.
 */
int weft_recover_check_probe(const struct weft_comm *c, int peer);

/*
 * Returns the error that a call on c reports: an error that follows from a
 * revocation becomes -ESTALE, one that follows from a failure -ECONNRESET.
 */
int weft_recover_errno(const struct weft_comm *c, int rc);

/*
 * Called when a communicator is created, and when it is freed. The latter
 * returns whether its context id must not be used again, since messages of the
 * communicator may still arrive.
 */
void weft_recover_comm_opened(struct weft_comm *c);
bool weft_recover_comm_closed(struct weft_comm *c);

#endif

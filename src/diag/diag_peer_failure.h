/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Detection of failed peers. A receive contains its source in the tag word,
 * which the provider does not interpret. Therefore a rank that has waited long
 * queries the provider for dead processes, and completes receives and probes
 * from these with an error. Launchers that end the job after its first dead
 * rank act earlier.
 */
#ifndef WEFT_DIAG_PEER_FAILURE_H
#define WEFT_DIAG_PEER_FAILURE_H

#include "src/comm/comm.h"

/*
 * Starts the checks, if the provider reports deaths; called after the endpoint
 * is open. find: passes the address of a process to the provider and returns 0
 * or -errno.
 */
void weft_failure_open(int (*find)(int proc));
void weft_failure_close(void);

/* Returns whether a member of c is known to be dead. */
bool weft_failure_in(const struct weft_comm *c);

/*
 * Called by a probe, which waits for a message without a posted receive.
 * Returns 0, or -errno if a possible sender is dead, so that a message that has
 * not arrived yet may never arrive.
 */
int weft_failure_check(uint64_t word, uint64_t ignore);

/* Interval between the checks of a waiting rank, ms. */
#define WEFT_PEER_FAILURE_CHECK_MS 200

/*
 * Writes a list of the dead processes as the end of a sentence, as in ": rank 1
 * on host2" (with the host only if there are several hosts), each with its
 * state from the health watch (diag_health.h); "" if no dead process is known.
 */
void weft_failure_text(char *text, size_t len);

/*
 * Add a communicator to the list in which the contexts of tag words are looked
 * up, and remove it.
 */
void weft_comm_list_add(struct weft_comm *c);
void weft_comm_list_remove(struct weft_comm *c);
/* Returns the communicator with this context, or NULL. Requires the lock. */
struct weft_comm *weft_comm_list_find(uint64_t ctx);
/*
 * Calls visit() for every communicator. No other thread may use the list
 * meanwhile, and visit() must not change it.
 */
void weft_comm_list_each(void (*visit)(struct weft_comm *c));

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Health watch of a job in live mode (src/health), which is enabled if
 * WEFT_HEALTH contains a period. A thread of each process updates the process's
 * heartbeat and checks the neighbours, twice per period. The first rank of a
 * host creates the shared region and publishes it for the other ranks of the
 * host. The job does not depend on the watch: failures here are logged, and the
 * job continues.
 *
 *   offer (before names are published) -> join (afterwards) -> close
 */
#ifndef WEFT_DIAG_HEALTH_H
#define WEFT_DIAG_HEALTH_H

#include <stdbool.h>
#include <stddef.h>

struct weft_watcher;

/*
 * weft_core_health_offer(): the first rank of each host creates the region.
 * weft_core_health_join(): all ranks attach the region and start their threads,
 * except in virtual time. Both return 0.
 */
int weft_core_health_offer(void);
int weft_core_health_join(void);
/*
 * Returns the watcher that the progress loop calls during long waits; NULL:
 * there is none.
 */
const struct weft_watcher *weft_core_health_watcher(void);
void weft_core_health_close(void);

/* Returns whether the watch has detected that the process has exited. */
bool weft_core_health_is_broken(int proc);
/*
 * Writes the state of a process, as in " (broken, last heartbeat ...)"; "" if
 * it is not known.
 */
void weft_core_health_text(int proc, char *text, size_t len);

#endif

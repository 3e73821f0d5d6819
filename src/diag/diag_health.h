/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Health watch of a live job (src/health), enabled if WEFT_HEALTH is a
 * period. A thread of this process updates its heartbeat and checks the
 * neighbours twice per period. The first rank of a host creates the shared
 * region and publishes it for the other ranks of the host. The job does not
 * depend on the watch: failures here are logged, and the job continues.
 *
 *   offer (before names are published) -> join (afterwards) -> close
 */
#ifndef WEFT_DIAG_HEALTH_H
#define WEFT_DIAG_HEALTH_H

#include <stdbool.h>
#include <stddef.h>

struct weft_watcher;

/*
 * weft_core_health_offer(): the first rank of a host creates the region.
 * weft_core_health_join(): all ranks attach and start, except in virtual time.
 * Both return 0.
 */
int weft_core_health_offer(void);
int weft_core_health_join(void);
/* Returns the watcher for long waits in the progress loop; NULL: none. */
const struct weft_watcher *weft_core_health_watcher(void);
void weft_core_health_close(void);

/* Returns whether the watch has detected that the process has exited. */
bool weft_core_health_is_broken(int proc);
/* Writes a state, " (broken, last heartbeat ...)", or "": not known. */
void weft_core_health_text(int proc, char *text, size_t len);

#endif

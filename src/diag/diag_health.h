/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The live health watch of the job (src/health), enabled if WEFT_HEALTH is a
 * period: a thread of this process updates its heartbeat and checks the
 * neighbours twice per period. The first rank of a host creates the shared
 * region and publishes it for the other ranks of the host. The job does not
 * depend on the watch: failures here are logged, and the job continues.
 *
 *   offer (before names are published) -> join (after that) -> close
 */
#ifndef WEFT_DIAG_HEALTH_H
#define WEFT_DIAG_HEALTH_H

#include <stdbool.h>
#include <stddef.h>

struct weft_watcher;

/*
 * offer: the first rank of a host creates the region. join: all ranks attach
 * and start, except in virtual time. Both return 0.
 */
int weft_core_health_offer(void);
int weft_core_health_join(void);
/* Returns the watcher to be called in long waits; NULL: none. */
const struct weft_watcher *weft_core_health_watcher(void);
void weft_core_health_close(void);

/* Returns whether the watch knows that the process has exited. */
bool weft_core_health_is_broken(int proc);
/* Writes what is known of a process: " (broken, last heartbeat ...)", or "". */
void weft_core_health_text(int proc, char *text, size_t len);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The live watch of the job (src/health), where WEFT_HEALTH gives a period: a
 * thread of this process beats and looks at the neighbours twice in it. The
 * first rank of a host makes the region and offers it to the others there.
 * Nothing here is needed by a job: what fails is said, and the job goes on.
 *
 *   offer (before names are published) -> join (after that) -> close
 */
#ifndef WEFT_CORE_HEALTH_H
#define WEFT_CORE_HEALTH_H

#include <stdbool.h>
#include <stddef.h>

struct weft_watcher;

/* The first rank of a host makes the region; all join it and begin, unless time
 * is virtual. Both return 0. */
int weft_core_health_offer(void);
int weft_core_health_join(void);
/* What is to be called in long waits from then on; NULL: nothing. */
const struct weft_watcher *weft_core_health_watcher(void);
void weft_core_health_close(void);

/* Has its process gone, as far as the watch knows? */
bool weft_core_health_is_broken(int proc);
/* What is known of a process: " (broken, last beat ...)", or nothing. */
void weft_core_health_text(int proc, char *text, size_t len);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Processes that died. A receive names its source in the tag word, which the
 * provider does not read; so who has waited long asks the provider who died,
 * and receives from these, and probes, are ended with an error. Launchers that
 * end a job with its first rank are quicker.
 */
#ifndef WEFT_CORE_DEAD_H
#define WEFT_CORE_DEAD_H

#include "src/core/core_comm.h"

/* After the endpoint: begins to watch, where the provider tells. find: gives
 * the provider the address of a process, 0 or -errno. */
void weft_dead_open(int (*find)(int proc));

/* Has a member of c died, as far as is known? */
bool weft_dead_in(const struct weft_comm *c);

/*
 * Somebody waits for such a message, and no receive is posted for it: a probe.
 * 0, or -errno: it may not come, but for what has come already.
 */
int weft_dead_await(uint64_t word, uint64_t ignore);

/* How often who waits asks. */
#define WEFT_DEAD_LOOK_MS 200

/* Who died, as the end of a sentence: ": rank 1 on host2" (the host where there
 * are several), and what the watch knows (core_health.h); empty: nobody is
 * known. */
void weft_dead_names(char *text, size_t len);

/* Communicators that tag words may name. */
void weft_dead_add(struct weft_comm *c);
void weft_dead_remove(struct weft_comm *c);
/* For the last thread of the process: visit must not add or remove any. */
void weft_dead_each(void (*visit)(struct weft_comm *c));

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Virtual time, as the MPI layer takes part in it: all ranks join one world
 * before their endpoints are enabled, know each other's addresses without
 * asking, and leave it in MPI_Finalize behind a barrier. The launcher is
 * outside: nobody waits for it while virtual time runs.
 */
#ifndef WEFT_CORE_WORLD_H
#define WEFT_CORE_WORLD_H

#include <stddef.h>
#include <stdint.h>

/* Between fi_domain and fi_enable: joins if the clock is virtual, and sets
 * weft_core.virt. */
int weft_world_join(void);

/* The address of a rank of the job. */
int weft_world_address(int rank, void *name, size_t *len);

/* This rank takes no part in virtual time from now on; all have come here. */
void weft_world_leave(void);
/* This rank's node is dead: out of the job, which goes on without it. */
void weft_world_halt(void) __attribute__((noreturn));
/* Which ranks are on dead nodes, for an error's text; "": none. */
void weft_world_dead(char *text, size_t len);
/* With a node dead everybody leaves by himself, and one tells what happened
 * when the others have. */
void weft_world_part(void);
/* The job ends here: what happened in virtual time so far, where wanted. */
void weft_world_last(void);
/* Tells what happened in it, where that is wanted, and waits for all others
 * outside of it. 0 or -errno. */
int weft_world_end(void);

#endif

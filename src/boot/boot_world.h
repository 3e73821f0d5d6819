/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Virtual time in the MPI layer: all ranks join one world (a shared memory
 * segment) before their endpoints are enabled, know each other's addresses
 * without queries, and leave the world in MPI_Finalize after a barrier. The
 * launcher is outside: no rank waits for it while virtual time runs.
 */
#ifndef WEFT_BOOT_WORLD_H
#define WEFT_BOOT_WORLD_H

#include <stddef.h>
#include <stdint.h>

/*
 * Called between fi_domain and fi_enable: joins if the clock is virtual, and
 * sets weft_core.virt.
 */
int weft_world_join(void);

/* Gets the address of a rank of the job. */
int weft_world_address(int rank, void *name, size_t *len);

/* This rank leaves virtual time; all ranks have arrived here. */
void weft_world_leave(void);
/*
 * This rank's node has failed: ends the process; the job continues without it.
 */
void weft_world_halt(void) __attribute__((noreturn));
/* Lists the ranks on failed nodes, for an error text; "": none. */
void weft_world_failed_ranks(char *text, size_t len);
/*
 * With a failed node every rank leaves independently; one of them reports when
 * the others have left.
 */
void weft_world_leave_alone(void);
/* The job ends here: reports virtual time so far, if requested. */
void weft_world_report_abort(void);
/*
 * Reports virtual time, if requested, and waits for all other ranks outside of
 * it. 0 or -errno.
 */
int weft_world_end(void);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Virtual time in the MPI layer. All ranks join one world (a shared memory
 * segment) before their endpoints are enabled, read each other's addresses from
 * it, and leave the world in MPI_Finalize after a barrier. The launcher is
 * outside virtual time: no rank waits for it while virtual time runs.
 */
#ifndef WEFT_BOOT_WORLD_H
#define WEFT_BOOT_WORLD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Joins the world if the provider has one; sets *joined_p to whether it has.
 * Called between fi_domain and fi_enable.
 */
int weft_world_join(bool *joined_p);

int weft_world_address(int rank, void *name, size_t *len);
uint64_t weft_world_id(void);
/*
 * Reserve places for ranks that will be spawned, and release the places; see
 * struct weft_core_backend.
 */
int weft_world_reserve(int ranks, char *text, size_t room);
void weft_world_cancel(int ranks, const char *text);
/* Returns the number of ranks that can be spawned in the whole run. */
int weft_world_spare(void);

/*
 * Sets *choice to rule i of the machine for collective algorithms, or returns
 * -ENOENT.
 */
struct fi_weft_choice;
int weft_world_choice(unsigned i, struct fi_weft_choice *choice);
/*
 * Sets *f to the i-th failure of a rank that this rank has detected, or returns
 * -ENOENT.
 */
struct fi_weft_failure;
int weft_world_failure(uint32_t i, struct fi_weft_failure *f);
/* Blocks for the time that a file access takes on the machine. */
void weft_world_file_time(size_t bytes, bool write);
/*
 * weft_world_compute() advances the clock by a computation of duration ps.
 * weft_world_factor() returns the factor by which CPU time advances the clock;
 * 1 if none is set.
 */
void weft_world_compute(uint64_t ps);
double weft_world_factor(void);

/* Leaves virtual time, after all ranks have reached MPI_Finalize. */
void weft_world_leave(void);
/* Ends this process because its node has failed; the job continues. */
void weft_world_halt(void) __attribute__((noreturn));
/*
 * Writes the list of ranks on failed nodes, for an error message; "" if there
 * are none.
 */
void weft_world_failed_ranks(char *text, size_t len);
/*
 * Leaves virtual time after a node failure, when every rank leaves
 * independently; one of the ranks writes the reports when the others have left.
 */
void weft_world_leave_alone(void);
/* Writes the report of links, if requested; called when the job is aborted. */
void weft_world_report_abort(void);
/*
 * Writes the reports of virtual time, if requested, then waits, outside virtual
 * time, for all other ranks. Returns 0 or -errno.
 */
int weft_world_end(void);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Properties of the job's fabric that the MPI layer uses: one table with a row
 * for live mode and a row for virtual time (src/boot/boot_backend.c). Code
 * above uses a property or a function of the row; it does not ask which clock
 * runs.
 */
#ifndef WEFT_CORE_BACKEND_H
#define WEFT_CORE_BACKEND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Properties of the fabric; live, all are false. */
struct weft_core_traits {
	/*
	 * The provider detects deadlocks, and ranks report what they wait for:
	 * every operation is a request with all its fields, every poll
	 * registers its requests, and every collective has a tag.
	 */
	bool reports_waits;
	/*
	 * A poll without result blocks and takes time of the clock; ranks do
	 * not compete for processors. Never spin.
	 */
	bool polls_block;
	/*
	 * A wait ends when any event, also a failure, occurs. A timeout or a
	 * periodic check would advance the clock.
	 */
	bool waits_end;
	/*
	 * Class routes are trees of the network, which limits their operations,
	 * but not their length or number of members.
	 */
	bool network_routes;
	/* accesses to windows use the network, even on one host */
	bool network_windows;
	bool network_locks; /* locks of windows by atomics of the interface */
	/* addresses are known without an exchange, packets are not signed */
	bool addresses_known;
	/* the provider's clock is that of MPI_Wtime, the same in all ranks */
	bool global_clock;
	/* the network reports faults; the health watch of hosts is off */
	bool reports_faults;
};

struct fi_weft_choice;
struct fi_weft_failure;

struct weft_core_backend {
	struct weft_core_traits traits;
	const char *clock; /* name of the clock, in reports */
	/* Returns the address of a process, in the format of fi_av_insert. */
	int (*address)(int proc, void *name, size_t *len);
	/*
	 * Returns a number that is part of the names of ports: a port of
	 * another world cannot be reached. NULL: all jobs of a user are
	 * reachable.
	 */
	uint64_t (*world)(void);
	/*
	 * Reserves places for `ranks` processes that are spawned, and writes
	 * the value of WEFT_SPAWN_WORLD for them. Returns 0, -ENOSPC: not
	 * enough places are free, or other -errno. cancel() gives the places
	 * back. NULL: processes need no places.
	 */
	int (*reserve)(int ranks, char *text, size_t room);
	void (*cancel)(int ranks, const char *text);
	/*
	 * Waits in MPI_Finalize until all ranks have called it. *stays_p: on
	 * entry whether this process has used sessions, on return whether any
	 * process has. Returns 0 or -errno; 1: this rank has left already.
	 */
	int (*sync)(bool *stays_p);
	/* Leaves the job. Returns 0 or -errno. */
	int (*leave)(void);
	/*
	 * Returns choice i of a collective algorithm on this machine, or
	 * -ENOENT. NULL: the algorithm table decides everything.
	 */
	int (*choice)(unsigned i, struct fi_weft_choice *choice);
	/*
	 * Blocks for the time that a file access takes on the machine. NULL:
	 * the access itself took that time.
	 */
	void (*file_time)(size_t bytes, bool write);
	/*
	 * Advances the clock by a computation of this duration, instead of the
	 * computation since the last call; NULL: computation takes its real
	 * time. factor() returns the factor of CPU time.
	 */
	void (*compute)(uint64_t ps);
	double (*factor)(void);
	/*
	 * Returns the i-th failure of a process of the job, or -ENOENT: this
	 * process has detected fewer. NULL: the launcher and the provider
	 * report failures.
	 */
	int (*failure)(uint32_t i, struct fi_weft_failure *f);
};

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Properties of the job's fabric that the MPI layer uses: there is one instance
 * of struct weft_core_backend for live mode and one for virtual time
 * (src/boot/boot_backend.c). The MPI layer uses the properties and functions of
 * the job's instance; it never checks for virtual time itself.
 */
#ifndef WEFT_CORE_BACKEND_H
#define WEFT_CORE_BACKEND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Properties of the fabric; in live mode all are false. */
struct weft_core_traits {
	/*
	 * The provider detects deadlocks, and ranks report what they wait for:
	 * every operation is a request with all its fields, every poll
	 * registers its requests, and every collective has a tag.
	 */
	bool reports_waits;
	/*
	 * A poll without result blocks and advances the clock, and ranks do not
	 * compete for processors, so waits never spin.
	 */
	bool polls_block;
	/*
	 * A wait ends at any event, including a failure. It needs no timeout or
	 * periodic check, which would advance the clock.
	 */
	bool waits_end;
	/*
	 * Class routes are trees in the network, which limits the operations
	 * that they support, but not the length of data or the number of
	 * members.
	 */
	bool network_routes;
	/* accesses to windows use the network, even on one host */
	bool network_windows;
	/* locks of windows are executed as atomics by the interface */
	bool network_locks;
	/* addresses are known without an exchange, packets are not signed */
	bool addresses_known;
	/*
	 * MPI_Wtime uses the provider's clock, which is the same in all ranks
	 */
	bool global_clock;
	/* the network reports faults; the health watch of hosts is off */
	bool reports_faults;
};

struct fi_weft_choice;
struct fi_weft_failure;

struct weft_core_backend {
	struct weft_core_traits traits;
	const char *clock; /* name of the clock, in reports */
	/* Writes the address of a process in the format of fi_av_insert. */
	int (*address)(int proc, void *name, size_t *len);
	/*
	 * Returns the id of the world, which is part of the names of ports,
	 * because a port in another world cannot be reached. NULL: all jobs of
	 * a user can reach each other.
	 */
	uint64_t (*world)(void);
	/*
	 * reserve() reserves places on the machine for `ranks` processes that
	 * will be spawned, and writes the value of WEFT_SPAWN_WORLD for them.
	 * It returns 0, -ENOSPC if too few places are free, or another -errno.
	 * cancel() releases the places. NULL: processes need no places.
	 */
	int (*reserve)(int ranks, char *text, size_t room);
	void (*cancel)(int ranks, const char *text);
	/*
	 * Waits in MPI_Finalize until all ranks have called it. *stays_p: on
	 * entry whether this process has used sessions, on return whether any
	 * process has. Returns 0 or -errno, or 1 if this rank has already left.
	 */
	int (*sync)(bool *stays_p);
	/* Leaves the job. Returns 0 or -errno. */
	int (*leave)(void);
	/*
	 * Sets *choice to rule i of this machine for collective algorithms, or
	 * returns -ENOENT. NULL: there are no such rules, and the algorithm
	 * table alone applies.
	 */
	int (*choice)(unsigned i, struct fi_weft_choice *choice);
	/*
	 * Blocks for the time that a file access takes on the modelled machine.
	 * NULL: a file access takes only its real time.
	 */
	void (*file_time)(size_t bytes, bool write);
	/*
	 * compute() advances the clock by a computation of duration ps, instead
	 * of by the measured computation since the last call; NULL: computation
	 * takes its real time. factor() returns the factor by which CPU time
	 * advances the clock.
	 */
	void (*compute)(uint64_t ps);
	double (*factor)(void);
	/*
	 * Sets *f to the i-th failure of a process of the job, or returns
	 * -ENOENT if this process has detected fewer failures. NULL: failures
	 * are reported by the launcher and the provider.
	 */
	int (*failure)(uint32_t i, struct fi_weft_failure *f);
};

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Processes of other jobs. A process is known in this process by its index:
 * below job.size the rank in this job, from job.size on a process of another
 * job, in the order in which they became known. Between jobs a process is named
 * by its identity, which includes the name of its endpoint.
 */
#ifndef WEFT_BOOT_FOREIGN_H
#define WEFT_BOOT_FOREIGN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define WEFT_FOREIGN_NAME 64 /* largest name of an endpoint, in bytes */

struct weft_identity {
	/* number of the job, from its name in the launcher; 0: any job */
	uint64_t job;
	uint32_t rank;
	uint32_t len; /* bytes of the name */
	uint8_t name[WEFT_FOREIGN_NAME];
};

/* Returns the number of this job, equal in all its processes. */
uint64_t weft_foreign_job(void);

/* Fills the identity of a process. Returns 0 or -errno. */
int weft_foreign_identify(int proc, struct weft_identity *id);

/*
 * Returns the index of a process, and adds the process to the table if
 * necessary; -EPROTO: the identity is not valid, -ENOSPC: too many processes,
 * other -errno.
 */
int weft_foreign_find(const struct weft_identity *id);

/*
 * Returns whether process a precedes process b in an order that is the same in
 * all processes of all jobs.
 */
bool weft_foreign_before(int a, int b);

/*
 * In virtual time: returns the rank of a process in the world, which contains
 * all jobs; and the index of the process with that rank, or -ENOENT: it is not
 * known in this process.
 */
int weft_foreign_rank(int proc);
int weft_foreign_of_rank(int rank);

void weft_foreign_close(void);

#endif

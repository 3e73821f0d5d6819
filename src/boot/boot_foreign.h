/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Processes of other jobs. A process is known in this process by its index: an
 * index below job.size is the rank of a process of this job; from job.size on,
 * indices denote processes of other jobs, in the order in which they became
 * known. Between jobs a process is identified by a struct weft_identity, which
 * includes the name of its endpoint.
 */
#ifndef WEFT_BOOT_FOREIGN_H
#define WEFT_BOOT_FOREIGN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define WEFT_FOREIGN_NAME 64 /* maximum length of an endpoint's name, bytes */

struct weft_identity {
	/*
	 * number of the job, derived from the job's name in the launcher; 0:
	 * any job
	 */
	uint64_t job;
	uint32_t rank;
	uint32_t len; /* length of the name, bytes */
	uint8_t name[WEFT_FOREIGN_NAME];
};

/* Returns the number of this job, equal in all its processes. */
uint64_t weft_foreign_job(void);

/* Sets *id to the identity of a process. Returns 0 or -errno. */
int weft_foreign_identify(int proc, struct weft_identity *id);

/*
 * Returns the index of the process with this identity; adds the process to the
 * table if necessary. -EPROTO: the identity is not valid; -ENOSPC: too many
 * processes; or another -errno.
 */
int weft_foreign_find(const struct weft_identity *id);

/*
 * Returns whether process a precedes process b in an order that is the same in
 * all processes of all jobs.
 */
bool weft_foreign_before(int a, int b);

/*
 * In virtual time: weft_foreign_rank() returns the rank of a process in the
 * world, which contains all jobs; weft_foreign_of_rank() returns the index of
 * the process with that rank, or -ENOENT if it is not known in this process.
 */
int weft_foreign_rank(int proc);
int weft_foreign_of_rank(int rank);

void weft_foreign_close(void);

#endif

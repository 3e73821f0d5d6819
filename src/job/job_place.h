/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Nodes of the jobs that share a machine. A node has ranks of one job only, in
 * `ppn` slots; ranks fill the slots of a node, then the next node of their job.
 * Jobs with a list get their nodes first, then the other jobs in the order of
 * the array. The nodes of a job:
 *
 *   0-31,64      these nodes, in this order
 *   contiguous   the first run of free nodes with consecutive numbers
 *   random=SEED  random free nodes, the same for the same seed; random: seed 1
 */
#ifndef WEFT_JOB_PLACE_H
#define WEFT_JOB_PLACE_H

#include <stdint.h>

struct weft_place_job {
	const char *name;  /* name of the job for error messages */
	const char *place; /* rule or list of nodes; NULL: contiguous */
	uint32_t ranks;
	uint32_t nodes; /* result: number of nodes of the job */
};

struct weft_place_machine {
	uint32_t nodes;
	uint32_t ppn; /* ranks per node */
};

#define WEFT_PLACE_WHY 160

/* Returns the number of nodes that the job needs. */
uint32_t weft_place_needed(const struct weft_place_job *j, uint32_t ppn);

/*
 * Writes the node of each rank to node_of: ranks of the first job, then those
 * of the second, and so on. Returns 0; -EINVAL or -ENOMEM: *why is the reason.
 */
int weft_place_jobs(const struct weft_place_machine *m,
		    struct weft_place_job *job, unsigned jobs,
		    uint32_t *node_of, char why[WEFT_PLACE_WHY]);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * State of a collective access, shared by the files that implement it:
 * file_coll.c has the stages, file_coll_round.c the messages of a round.
 */
#ifndef WEFT_FILE_COLL_H
#define WEFT_FILE_COLL_H

#include "src/file/file_job.h"
#include "src/file/file_op.h"
#include "src/file/file_plan.h"
#include "src/msg/msg_req.h"

struct file_coll;
typedef void (*file_stage)(struct file_coll *c);

/* A message of a read whose data is unpacked when it has arrived. */
struct file_arrival {
	struct weft_req *req;
	struct file_part part;
	/* packed data; NULL: the data is received at its place in memory */
	char *packed;
};

struct file_coll {
	struct weft_req req;
	struct file_op op;
	struct weft_file *f;
	uint32_t ticket; /* position in the order of the file's accesses */
	bool background; /* worker threads access the file */
	int tag;
	int error;
	file_stage next; /* stage that runs when all waits have ended */

	/* requests for which the current stage waits */
	struct weft_req **wait;
	int waits;
	int wait_room;
	struct file_job job;
	bool job_runs;

	struct file_member *member; /* ranges of the members, indexed by rank */
	struct file_plan plan;
	int round;
	int index; /* index of this rank among the aggregators; -1: none */

	/* aggregator: the current window */
	struct file_window window;
	struct file_part *part; /* data of each member, by rank */
	MPI_Offset end;		/* end of the file, or -errno */
	/* packed data of the current round, and its size */
	char *packed;
	size_t packed_bytes;
	size_t packed_used;
	struct file_arrival *arrival; /* reads: one for each aggregator */
	int arrivals;
	bool await_arrivals; /* the next stage collects the arrivals */

	size_t valid;	 /* reads: position at which the file's data ends */
	int64_t vote[2]; /* error of this rank, and of all */
};

/* Waits for a request before the next stage. */
int file_coll_wait_for(struct file_coll *c, struct weft_req *r);
/* Records the first error. */
void file_coll_fail(struct file_coll *c, int rc);
/* Runs fn here or in a worker; the next stage waits for its end. */
void file_coll_run(struct file_coll *c, void (*fn)(struct file_job *job));

/* First stage of the rounds, and the stage that follows them. */
void file_coll_rounds(struct file_coll *c);
void file_coll_agree(struct file_coll *c);

#endif

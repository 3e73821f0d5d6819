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

/*
 * A message that this rank receives in a collective read: its data from one
 * aggregator.
 */
struct file_arrival {
	struct weft_req *req;
	struct file_part part;
	/*
	 * packed data, unpacked after arrival; NULL: the data is received in
	 * place
	 */
	char *packed;
};

struct file_coll {
	struct weft_req req;
	struct file_op op;
	struct weft_file *f;
	uint32_t ticket; /* position among the file's collective accesses */
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
	MPI_Offset end;		/* offset at which the file ends, or -errno */
	/* packed data of the current round, and its size */
	char *packed;
	size_t packed_bytes;
	size_t packed_used;
	struct file_arrival *arrival; /* reads: a message per aggregator */
	int arrivals;
	bool await_arrivals; /* the next stage collects the arrivals */

	size_t valid;	 /* reads: stream position where the file's data ends */
	int64_t vote[2]; /* error of this rank [0], and of all ranks [1] */
};

/* Makes the next stage wait for a request. Returns 0 or -ENOMEM. */
int file_coll_wait_for(struct file_coll *c, struct weft_req *r);
/* Records rc if it is the first error. */
void file_coll_fail(struct file_coll *c, int rc);
/*
 * Runs fn in this thread or in a worker thread; the next stage waits until fn
 * has returned.
 */
void file_coll_run(struct file_coll *c, void (*fn)(struct file_job *job));

/* The first stage of the rounds, and the stage after the last round. */
void file_coll_rounds(struct file_coll *c);
void file_coll_agree(struct file_coll *c);

#endif

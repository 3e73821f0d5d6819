/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Agreement on context ids (comm_context.h): all members of a new communicator
 * must use the same id, so they agree on an id that is free in every member.
 *
 * An agreement consists of tries. A try computes the bitwise AND of the free
 * ids of all members, by dissemination, and takes the lowest remaining id.
 * Threads and nonblocking calls may create several communicators concurrently:
 * within a process only one agreement at a time offers ids; the others offer
 * none and retry.
 *
 * A first try may wait for a rank that joins only after another agreement has
 * completed, so it must not block that agreement: a first try offers only every
 * second id, and meanwhile an agreement beyond its first try may offer the
 * remaining ids. Beyond the first try all members take part, and agreements are
 * ordered by the context and tag that they use, which is the same order in all
 * processes. An agreement offers ids only while no earlier agreement is in
 * progress, so the earliest agreement of the job always completes, then the
 * next one.
 */
#ifndef WEFT_COMM_AGREE_H
#define WEFT_COMM_AGREE_H

#include "src/comm/comm_channel.h"
#include "src/comm/comm_context.h"
#include "src/msg/msg_req.h"

/*
 * An agreement in progress: a request whose step function the progress loop
 * calls.
 */
struct weft_agree {
	struct weft_req req;
	/* entry in the list of the agreements of this process */
	struct weft_list link;
	struct weft_channel m;
	uint64_t key;	 /* position in the order of agreements */
	unsigned window; /* first word of the window of ids */
	/* distance between the ranks of the current exchange */
	int dist;
	bool first; /* the first try is in progress */
	bool offers;
	/* ids offered, one bit each; last word: 1 if all members offered ids */
	uint64_t mine[WEFT_CTX_WINDOW + 1];
	uint64_t in[WEFT_CTX_WINDOW + 1];
	int error; /* result of posting `send` */
	struct weft_req *send;
	struct weft_req *recv;
	int id_count;	/* number of ids requested, 1 or 2 */
	unsigned id[2]; /* ids agreed on */
};

/*
 * Starts an agreement; the caller has set m, id_count and req. ops->step must
 * call weft_agree_step().
 */
void weft_agree_start(struct weft_agree *a);
/*
 * Step function of an agreement, for struct weft_req_ops. Returns 1, 0 or
 * -errno.
 */
int weft_agree_step(struct weft_agree *a);

/*
 * Agrees on `id_count` ids, and blocks until the agreement is complete.
 * -ENOSPC: not enough ids are free.
 */
int weft_agree_wait(const struct weft_channel *m, int id_count,
		    unsigned *ids_p);

#endif

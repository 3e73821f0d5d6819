/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The agreement on context ids (core_ctx.h): all members of a new communicator
 * must take the same one, so they agree on one that is free everywhere.
 *
 * An agreement is tries; a try is an AND over everybody's free ids, by
 * dissemination, and takes the lowest that is left. Threads and nonblocking
 * calls may make several communicators at once: in one process only one
 * agreement offers an id at a time, the others offer none and try again.
 *
 * The first try may wait for a rank that comes only after another agreement
 * is through, so it must not stand in the way of that one: it offers every
 * other id, and agreements beyond their first try offer the rest meanwhile.
 * Beyond the first try all members take part, and agreements have an order
 * that all processes see alike (context and tag they run in); one offers ids
 * only while no earlier one is going on, so the earliest in the job always
 * gets through, and then the next.
 */
#ifndef WEFT_CORE_AGREE_H
#define WEFT_CORE_AGREE_H

#include "src/core/core_channel.h"
#include "src/core/core_ctx.h"
#include "src/core/core_req.h"

/* An agreement under way: a request that the progress loop steps. */
struct weft_agree {
	struct weft_req req;
	struct weft_list link; /* all of this process */
	struct weft_channel m;
	uint64_t key;	 /* order among agreements */
	unsigned window; /* first word that is looked at */
	int dist;	 /* of the exchange that runs */
	bool first;	 /* its first try goes on */
	bool offers;
	uint64_t mine[WEFT_CTX_WINDOW + 1]; /* last word: all offered */
	uint64_t in[WEFT_CTX_WINDOW + 1];
	struct weft_req *send;
	struct weft_req *recv;
	int want;	/* ids, 1 or 2 */
	unsigned id[2]; /* the result */
};

/* Starts; ops->step must call weft_agree_step. m, want and req are set. */
void weft_agree_start(struct weft_agree *a);
int weft_agree_step(struct weft_agree *a); /* as struct weft_req_ops */

/* The same, waited for: want ids. -ENOSPC: not enough are free. */
int weft_agree_wait(const struct weft_channel *m, int want, unsigned *ids_p);

#endif

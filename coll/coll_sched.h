/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A schedule is a recorded program with a request around it. The progress
 * loop of the core steps it; a persistent one begins again at every start.
 *
 *   coll_sched_open -> (algorithm records) -> coll_sched_start ... free
 */
#ifndef WEFT_COLL_SCHED_H
#define WEFT_COLL_SCHED_H

#include "coll/coll_prog.h"
#include "src/core/core_persist.h"
#include "src/core/core_req.h"

enum { COLL_SCHED_STEPS = 32 }; /* enough for short ones of 64 ranks */

struct coll_sched {
	struct weft_req req;	  /* first: the request is the schedule */
	struct weft_op *op;	  /* one reference, or NULL */
	struct weft_route *route; /* of its own, or NULL */
	unsigned pc;		  /* next step */
	struct weft_persist persist;
	struct coll_prog prog;
	struct coll_step steps[COLL_SCHED_STEPS]; /* the first ones */
};

/* NULL: out of memory. flags: WEFT_REQ_PERSISTENT or 0. */
struct coll_sched *coll_sched_open(const struct weft_coll_args *a,
				   uint32_t flags);
void coll_sched_close(struct coll_sched *s);

/* From the first step on; the request becomes active. */
void coll_sched_start(struct coll_sched *s);

/* Steps until it must wait. 0: more to come; 1: over; -errno: over, failed. */
int coll_sched_step(struct coll_sched *s);

#endif

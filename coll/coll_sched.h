/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A schedule is a recorded program with a request. The progress loop of the
 * core executes its steps; every start of a persistent request executes them
 * again.
 *
 *   coll_sched_open -> (algorithm records) -> coll_sched_start ... free
 */
#ifndef WEFT_COLL_SCHED_H
#define WEFT_COLL_SCHED_H

#include "coll/coll_prog.h"
#include "src/msg/msg_persist.h"
#include "src/msg/msg_req.h"

enum { COLL_SCHED_STEPS = 32 }; /* enough for short algorithms with 64 ranks */

struct coll_sched {
	struct weft_req req;
	struct weft_op *op;	  /* operation, held by a reference, or NULL */
	struct weft_route *route; /* private class route, or NULL */
	unsigned pc;		  /* index of the next step */
	struct weft_persist persist;
	struct coll_prog prog;
	/* storage of the first steps */
	struct coll_step steps[COLL_SCHED_STEPS];
};

/* Creates a schedule. flags: WEFT_REQ_PERSISTENT or 0. NULL: out of memory. */
struct coll_sched *coll_sched_open(const struct weft_coll_args *a,
				   uint32_t flags);
void coll_sched_close(struct coll_sched *s);

/* Starts execution at the first step; the request becomes active. */
void coll_sched_start(struct coll_sched *s);

/*
 * Executes steps until one must wait. Returns 0: not complete; 1: complete;
 * -errno: failed.
 */
int coll_sched_step(struct coll_sched *s);

#endif

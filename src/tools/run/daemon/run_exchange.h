/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * PMIx data between the hosts of a job, in mpiexec: fences of ranks on several
 * hosts, and requests for the data of one rank. Each function handles a frame
 * that a host has sent, and sends frames to other hosts. They return -EPROTO if
 * the frame is invalid, and -ENOMEM.
 */
#ifndef WEFT_RUN_EXCHANGE_H
#define WEFT_RUN_EXCHANGE_H

#include "src/tools/run/daemon/run_fence.h"
#include "src/tools/run/daemon/run_link.h"

struct run_exchange {
	const struct run_layout *layout;
	struct run_link *host; /* array: one for each host of the layout */
	struct run_fences fences;
};

/*
 * Handles RUN_FRAME_FENCE. Returns 0: the fence waits for other hosts; 1:
 * complete.
 */
int run_exchange_fence(struct run_exchange *x, int from, struct run_scan *body);

/* Handle RUN_FRAME_MODEX and RUN_FRAME_MODEX_DONE. Return 0. */
int run_exchange_question(struct run_exchange *x, int from,
			  struct run_scan *body);
int run_exchange_answer(struct run_exchange *x, struct run_scan *body);

/* Frees the fences that are not complete. */
void run_exchange_close(struct run_exchange *x);

#endif

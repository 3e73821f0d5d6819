/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Receiving on the thread processor, live (FI_WEFT_MATCH=unit).
 *
 *   packet -> input queue -> event -> start command in a queue -> thread
 *
 * The program of the thread is the receive side of the message engine, which
 * matches messages. It arms the event, then takes all packets from the queue.
 */
#ifndef WEFT_QSNET2_MATCH_H
#define WEFT_QSNET2_MATCH_H

#include "prov/machine/qsnet2/qsnet2_dev.h"

struct qsnet2_match;

/*
 * Makes arrivals in the input queue start the program, whose argument is arg.
 * Returns 0 or -errno.
 */
int qsnet2_match_open(struct weft_qsnet2 *s, unsigned context,
		      struct weft_qsnet2_input *input,
		      weft_qsnet2_program program, void *arg,
		      struct qsnet2_match **m_p);
void qsnet2_match_close(struct qsnet2_match *m);
/* Arms the event: the next arrival starts the program. */
void qsnet2_match_arm(struct qsnet2_match *m);
/* Starts the program without an arrival. */
void qsnet2_match_start(struct qsnet2_match *m);
/* Runs start commands and threads that are ready. */
void qsnet2_match_run(struct qsnet2_match *m, int budget);

#endif

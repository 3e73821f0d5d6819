/* SPDX-License-Identifier: BSD-3-Clause */
/* Receiving on the thread processor, see qsnet2_match.h. */
#include "prov/machine/qsnet2/qsnet2_match.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define MATCH_PROGRAM 2 /* number of the program in the engine's context */
#define MATCH_QUEUE   8192
#define START_WORDS   7

struct qsnet2_match {
	/* stored in memory that the context maps */
	alignas(64) struct weft_qsnet2_event arrived;
	uint64_t start[START_WORDS];
	struct weft_qsnet2 *s;
	unsigned context;
};

static int match_map(struct qsnet2_match *m, unsigned queue)
{
	m->start[0] = WEFT_QSNET2_RUN_THREAD | (uint64_t)MATCH_PROGRAM << 32;
	m->arrived = (struct weft_qsnet2_event){
		.count = -1,
		.type = WEFT_QSNET2_EVENT_COPY,
		.words = START_WORDS,
		.from = (uintptr_t)m->start,
		.to = WEFT_QSNET2_QUEUE_ADDRESS(queue),
	};
	return weft_qsnet2_map(m->s, m->context, m, sizeof(*m),
			       WEFT_QSNET2_LOCAL_READ |
				       WEFT_QSNET2_LOCAL_WRITE);
}

int qsnet2_match_open(struct weft_qsnet2 *s, unsigned context,
		      struct weft_qsnet2_input *input,
		      weft_qsnet2_program program, void *arg,
		      struct qsnet2_match **m_p)
{
	struct qsnet2_match *m = aligned_alloc(64, sizeof(*m));
	unsigned queue = 0;
	int err;

	if (!m)
		return -ENOMEM;
	memset(m, 0, sizeof(*m));
	m->s = s;
	m->context = context;
	err = weft_qsnet2_queue_open(s, context, MATCH_QUEUE,
				     WEFT_QSNET2_MAY_THREAD, WEFT_QSNET2_HIGH,
				     &queue);
	if (!err)
		err = weft_qsnet2_program_set(s, context, MATCH_PROGRAM,
					      program, arg);
	if (!err)
		err = match_map(m, queue);
	if (err) {
		free(m);
		return err;
	}
	input->event = (uintptr_t)&m->arrived;
	*m_p = m;
	return 0;
}

void qsnet2_match_close(struct qsnet2_match *m)
{
	free(m);
}

void qsnet2_match_arm(struct qsnet2_match *m)
{
	m->arrived.count = -1;
}

void qsnet2_match_start(struct qsnet2_match *m)
{
	/*
	 * if the run queue is full, it contains a thread that will take all
	 * packets
	 */
	(void)qsnet2_thread_start(m->s, m->context, WEFT_QSNET2_HIGH, m->start);
}

void qsnet2_match_run(struct qsnet2_match *m, int budget)
{
	if (!weft_list_empty(&m->s->run[1]))
		qsnet2_tx_run(m->s, budget);
	if (qsnet2_thread_waits(m->s))
		qsnet2_thread_run(m->s, budget);
}

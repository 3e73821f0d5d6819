/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Fixture for tests: two Elan4 interfaces in one process. Virtual process 0 is
 * context 5 of a, 1 is context 6 of b; each maps its own memory.
 */
#ifndef WEFT_QSNET2_PAIR_H
#define WEFT_QSNET2_PAIR_H

#include "prov/machine/qsnet2/qsnet2_dev.h"
#include "src/base/attr.h"
#include "test/t.h"

#include <stdlib.h>
#include <string.h>

#define QSNET2_PAIR_BYTES (256 * 1024)

struct qsnet2_side {
	struct weft_qsnet2 *s;
	unsigned char *mem;
	unsigned context;
	unsigned q;
	uint64_t cookie; /* cookie of the last interrupt */
	int interrupts;
	uint64_t regs[6]; /* registers of the last thread */
};

struct qsnet2_pair {
	struct qsnet2_side a;
	struct qsnet2_side b;
	uint64_t word[1024];
	struct weft_qsnet2_stream st;
};

static inline void qsnet2_pair_interrupt(void *arg, unsigned context,
					 uint64_t cookie)
{
	struct qsnet2_side *s = arg;

	s->cookie = cookie;
	s->interrupts++;
}

static inline void qsnet2_pair_thread(void *arg, unsigned context,
				      const uint64_t *regs)
{
	struct qsnet2_side *s = arg;

	memcpy(s->regs, regs, sizeof(s->regs));
}

static inline void qsnet2_pair_side(struct qsnet2_side *s, const char *faults,
				    unsigned context)
{
	struct weft_qsnet2_attr a = {
		.place = { .carrier = "loop", .faults = faults },
		.interrupt = qsnet2_pair_interrupt,
		.thread = qsnet2_pair_thread,
		.arg = s,
	};

	memset(s, 0, sizeof(*s));
	s->context = context;
	T_OK(weft_qsnet2_open(&a, &s->s));
	s->mem = aligned_alloc(64, QSNET2_PAIR_BYTES);
	memset(s->mem, 0, QSNET2_PAIR_BYTES);
	T_OK(weft_qsnet2_map(s->s, context, s->mem, QSNET2_PAIR_BYTES,
			     WEFT_QSNET2_ALL));
	T_OK(weft_qsnet2_filter(s->s, context, WEFT_QSNET2_ACCEPT));
	T_OK(weft_qsnet2_queue_open(s->s, context, 8192, WEFT_QSNET2_MAY_ALL, 0,
				    &s->q));
}

static inline void qsnet2_pair_begin(struct qsnet2_pair *p)
{
	p->st = (struct weft_qsnet2_stream){
		.word = p->word,
		.max = WEFT_COUNT_OF(p->word),
	};
}

static inline void qsnet2_pair_open(struct qsnet2_pair *p, const char *faults)
{
	struct sockaddr_in name[2];

	qsnet2_pair_side(&p->a, faults, 5);
	qsnet2_pair_side(&p->b, faults, 6);
	weft_qsnet2_name(p->a.s, &name[0]);
	weft_qsnet2_name(p->b.s, &name[1]);
	for (uint32_t i = 0; i < 2; i++) {
		T_OK(weft_qsnet2_route_set(p->a.s, i, &name[i], 5 + i));
		T_OK(weft_qsnet2_route_set(p->b.s, i, &name[i], 5 + i));
	}
	qsnet2_pair_begin(p);
}

static inline void qsnet2_pair_close(struct qsnet2_pair *p)
{
	weft_qsnet2_close(p->a.s);
	weft_qsnet2_close(p->b.s);
	free(p->a.mem);
	free(p->b.mem);
}

static inline void qsnet2_pair_run(struct qsnet2_pair *p, int polls)
{
	for (int i = 0; i < polls; i++) {
		weft_qsnet2_poll(p->a.s, 16);
		weft_qsnet2_poll(p->b.s, 16);
	}
}

/* Writes the collected commands to a's queue and runs both sides. */
static inline void qsnet2_pair_post_run(struct qsnet2_pair *p)
{
	T_TRUE(p->st.count <= p->st.max);
	T_OK(weft_qsnet2_queue_write(p->a.s, p->a.q, p->word, p->st.count));
	qsnet2_pair_begin(p);
	qsnet2_pair_run(p, 200);
}

static inline struct weft_qsnet2_queue_state
qsnet2_pair_state(struct qsnet2_side *s)
{
	struct weft_qsnet2_queue_state st;

	T_OK(weft_qsnet2_queue_state(s->s, s->q, &st));
	return st;
}

/* Returns an address in a side's memory. */
static inline uint64_t qsnet2_at(const struct qsnet2_side *s, size_t offset)
{
	return (uintptr_t)s->mem + offset;
}

static inline uint64_t *qsnet2_word_at(const struct qsnet2_side *s,
				       size_t offset)
{
	return (uint64_t *)(void *)(s->mem + offset);
}

#endif

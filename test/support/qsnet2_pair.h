/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Fixture for tests: two Elan4 interfaces in one process. Virtual process 0 is
 * context 5 of a, virtual process 1 is context 6 of b; each maps its own
 * memory.
 */
#ifndef WEFT_QSNET2_PAIR_H
#define WEFT_QSNET2_PAIR_H

#include "prov/machine/qsnet2/qsnet2_dev.h"
#include "src/base/attr.h"
#include "test/t.h"

#include <stdlib.h>

#define PAIR_BYTES (256 * 1024)

struct side {
	struct weft_qsnet2 *s;
	struct sockaddr_in name;
	uint32_t node; /* virtual process number */
	unsigned char *mem;
	unsigned context;
	unsigned q;
	uint64_t cookie; /* cookie of the last interrupt */
	int interrupts;
	uint64_t regs[6];    /* registers of the last thread */
	uint64_t word[1024]; /* commands */
	struct weft_qsnet2_stream st;
};

#define PAIR_UNIT     s
#define PAIR_FN(verb) weft_qsnet2_##verb

static inline int weft_qsnet2_node_set(struct weft_qsnet2 *s, uint32_t vproc,
				       const struct sockaddr_in *name)
{
	return weft_qsnet2_route_set(s, vproc, name, 5 + vproc);
}

static inline void side_close(struct side *s)
{
	weft_qsnet2_close(s->s);
	free(s->mem);
}

#include "test/support/pair.h"

static inline void pair_interrupt(void *arg, unsigned context, uint64_t cookie)
{
	struct side *s = arg;

	s->cookie = cookie;
	s->interrupts++;
}

static inline void pair_thread(void *arg, unsigned context,
			       const uint64_t *regs)
{
	struct side *s = arg;

	memcpy(s->regs, regs, sizeof(s->regs));
}

static inline void pair_side(struct side *s, const char *faults, uint32_t node)
{
	struct weft_qsnet2_attr a = {
		.place = { .carrier = "loop", .faults = faults },
		.interrupt = pair_interrupt,
		.thread = pair_thread,
		.arg = s,
	};

	memset(s, 0, sizeof(*s));
	s->node = node;
	s->context = 5 + node;
	T_OK(weft_qsnet2_open(&a, &s->s));
	s->mem = pair_memory(PAIR_BYTES);
	T_OK(weft_qsnet2_map(s->s, s->context, s->mem, PAIR_BYTES,
			     WEFT_QSNET2_ALL));
	T_OK(weft_qsnet2_filter(s->s, s->context, WEFT_QSNET2_ACCEPT));
	T_OK(weft_qsnet2_queue_open(s->s, s->context, 8192, WEFT_QSNET2_MAY_ALL,
				    0, &s->q));
}

static inline void pair_begin(struct pair *p)
{
	p->a.st = (struct weft_qsnet2_stream){
		.word = p->a.word,
		.max = WEFT_COUNT_OF(p->a.word),
	};
}

static inline void pair_open(struct pair *p, const char *faults)
{
	pair_side(&p->a, faults, 0);
	pair_side(&p->b, faults, 1);
	pair_connect(p);
	pair_begin(p);
}

/* Writes the collected commands to a's queue and runs both sides. */
static inline void pair_post_run(struct pair *p)
{
	T_TRUE(p->a.st.count <= p->a.st.max);
	T_OK(weft_qsnet2_queue_write(p->a.s, p->a.q, p->a.word, p->a.st.count));
	pair_begin(p);
	pair_run(p, 200);
}

static inline struct weft_qsnet2_queue_state pair_state(struct side *s)
{
	struct weft_qsnet2_queue_state st;

	T_OK(weft_qsnet2_queue_state(s->s, s->q, &st));
	return st;
}

/* Returns an address in a side's memory. */
static inline uint64_t qsnet2_at(const struct side *s, size_t offset)
{
	return (uintptr_t)s->mem + offset;
}

static inline uint64_t *qsnet2_word_at(const struct side *s, size_t offset)
{
	return (uint64_t *)(void *)(s->mem + offset);
}

#endif

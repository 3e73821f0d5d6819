/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Fixture for tests: two Elan4 interfaces in one process. Virtual process 0 is
 * context 5 of a, 1 is context 6 of b; each maps its own memory.
 */
#ifndef WEFT_PROV_STEN_PAIR_H
#define WEFT_PROV_STEN_PAIR_H

#include "prov/nic/sten/sten_dev.h"
#include "src/base/attr.h"
#include "test/t.h"

#include <stdlib.h>
#include <string.h>

#define STEN_PAIR_BYTES (256 * 1024)

struct sten_side {
	struct weft_sten *s;
	unsigned char *mem;
	unsigned context;
	unsigned q;
	uint64_t cookie; /* of the last interrupt */
	int interrupts;
	uint64_t regs[6]; /* of the last thread */
};

struct sten_pair {
	struct sten_side a;
	struct sten_side b;
	uint64_t word[1024];
	struct weft_sten_stream st;
};

static inline void sten_pair_interrupt(void *arg, unsigned context,
				       uint64_t cookie)
{
	struct sten_side *s = arg;

	s->cookie = cookie;
	s->interrupts++;
}

static inline void sten_pair_thread(void *arg, unsigned context,
				    const uint64_t *regs)
{
	struct sten_side *s = arg;

	memcpy(s->regs, regs, sizeof(s->regs));
}

static inline void sten_pair_side(struct sten_side *s, const char *faults,
				  unsigned context)
{
	struct weft_sten_attr a = {
		.place = { .carrier = "loop", .faults = faults },
		.interrupt = sten_pair_interrupt,
		.thread = sten_pair_thread,
		.arg = s,
	};

	memset(s, 0, sizeof(*s));
	s->context = context;
	T_OK(weft_sten_open(&a, &s->s));
	s->mem = aligned_alloc(64, STEN_PAIR_BYTES);
	memset(s->mem, 0, STEN_PAIR_BYTES);
	T_OK(weft_sten_map(s->s, context, s->mem, STEN_PAIR_BYTES,
			   WEFT_STEN_ALL));
	T_OK(weft_sten_filter(s->s, context, WEFT_STEN_ACCEPT));
	T_OK(weft_sten_queue_open(s->s, context, 8192, WEFT_STEN_MAY_ALL, 0,
				  &s->q));
}

static inline void sten_pair_begin(struct sten_pair *p)
{
	p->st = (struct weft_sten_stream){
		.word = p->word,
		.max = WEFT_COUNT_OF(p->word),
	};
}

static inline void sten_pair_open(struct sten_pair *p, const char *faults)
{
	struct sockaddr_in name[2];

	sten_pair_side(&p->a, faults, 5);
	sten_pair_side(&p->b, faults, 6);
	weft_sten_name(p->a.s, &name[0]);
	weft_sten_name(p->b.s, &name[1]);
	for (uint32_t i = 0; i < 2; i++) {
		T_OK(weft_sten_route_set(p->a.s, i, &name[i], 5 + i));
		T_OK(weft_sten_route_set(p->b.s, i, &name[i], 5 + i));
	}
	sten_pair_begin(p);
}

static inline void sten_pair_close(struct sten_pair *p)
{
	weft_sten_close(p->a.s);
	weft_sten_close(p->b.s);
	free(p->a.mem);
	free(p->b.mem);
}

static inline void sten_pair_run(struct sten_pair *p, int turns)
{
	for (int i = 0; i < turns; i++) {
		weft_sten_poll(p->a.s, 16);
		weft_sten_poll(p->b.s, 16);
	}
}

/* Writes the collected commands to a's queue and runs both sides. */
static inline void sten_pair_post_run(struct sten_pair *p)
{
	T_TRUE(p->st.count <= p->st.max);
	T_OK(weft_sten_queue_write(p->a.s, p->a.q, p->word, p->st.count));
	sten_pair_begin(p);
	sten_pair_run(p, 200);
}

static inline struct weft_sten_queue_state sten_pair_state(struct sten_side *s)
{
	struct weft_sten_queue_state st;

	T_OK(weft_sten_queue_state(s->s, s->q, &st));
	return st;
}

/* An address in a side's memory. */
static inline uint64_t sten_at(const struct sten_side *s, size_t offset)
{
	return (uintptr_t)s->mem + offset;
}

static inline uint64_t *sten_word_at(const struct sten_side *s, size_t offset)
{
	return (uint64_t *)(void *)(s->mem + offset);
}

#endif

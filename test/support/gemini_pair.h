/* SPDX-License-Identifier: BSD-3-Clause */
/* Fixture for tests: two Gemini interfaces in one process, PEs 0 and 1. */
#ifndef WEFT_GEMINI_PAIR_H
#define WEFT_GEMINI_PAIR_H

#include "prov/machine/gemini/gemini_dev.h"
#include "test/t.h"

#include <stdlib.h>

#define PAIR_BYTES (256 * 1024)

struct side {
	struct weft_gemini *f;
	struct sockaddr_in name;
	uint32_t node;
	unsigned char *mem; /* memory of handle mdh */
	unsigned mdh;
	unsigned cq;   /* completion queue for completions */
	unsigned rcq;  /* completion queue for arrivals */
	uint32_t from; /* sender of the last datagram */
	char datagram[WEFT_GEMINI_DATAGRAM];
};

#define PAIR_UNIT     f
#define PAIR_FN(verb) weft_gemini_##verb

static inline void side_close(struct side *s)
{
	weft_gemini_close(s->f);
	free(s->mem);
}

#include "test/support/pair.h"

static inline void pair_datagram(void *arg, uint32_t pe, const void *buf,
				 unsigned bytes)
{
	struct side *s = arg;

	s->from = pe;
	memcpy(s->datagram, buf, bytes);
}

/* Opens a side; attr: attributes other than the defaults. */
static inline void pair_side(struct side *s,
			     const struct weft_gemini_attr *attr)
{
	struct weft_gemini_attr a = *attr;

	memset(s, 0, sizeof(*s));
	a.place.carrier = "loop";
	a.datagram = pair_datagram;
	a.arg = s;
	T_OK(weft_gemini_open(&a, &s->f));
	s->mem = pair_memory(PAIR_BYTES);
	T_OK(weft_gemini_cq_open(s->f, 64, &s->cq));
	T_OK(weft_gemini_cq_open(s->f, 64, &s->rcq));
	T_OK(weft_gemini_mem_open(s->f, s->mem, PAIR_BYTES,
				  WEFT_GEMINI_WRITABLE, s->rcq, &s->mdh));
}

/* Opens a pair: window 0 of a points at b's memory. */
static inline void pair_open_attr(struct pair *p,
				  const struct weft_gemini_attr *attr_a,
				  const struct weft_gemini_attr *attr_b)
{
	struct weft_gemini_window w = { .pe = 1 };

	pair_side(&p->a, attr_a);
	pair_side(&p->b, attr_b);
	p->b.node = 1;
	pair_connect(p);
	w.mdh = (uint16_t)p->b.mdh;
	w.cq = (uint16_t)p->a.cq;
	T_OK(weft_gemini_window_set(p->a.f, 0, &w));
}

static inline void pair_open_with(struct pair *p, const char *faults, int lazy,
				  uint8_t ptag_b)
{
	struct weft_gemini_attr a = {
		.place.faults = faults,
		.ptag = 3,
		.lazy_amo = lazy,
	};
	struct weft_gemini_attr b = a;

	b.ptag = ptag_b;
	pair_open_attr(p, &a, &b);
}

static inline void pair_open(struct pair *p)
{
	pair_open_with(p, "", 0, 3);
}

/* Waits for the next event of a queue. */
static inline struct weft_gemini_event
pair_event(struct pair *p, struct weft_gemini *f, unsigned cq)
{
	struct weft_gemini_event e;
	int err = -EAGAIN;

	for (int i = 0; i < 1000000 && err; i++) {
		pair_run(p, 1);
		err = weft_gemini_cq_read(f, cq, &e);
	}
	T_OK(err);
	return e;
}

/* Ends a's transaction on window 0 and returns its event. */
static inline struct weft_gemini_event pair_sync(struct pair *p, uint64_t data)
{
	int err = -EAGAIN;

	for (int i = 0; i < 100000 && err == -EAGAIN; i++) {
		err = weft_gemini_sync(p->a.f, 0, data);
		pair_run(p, 1);
	}
	T_OK(err);
	return pair_event(p, p->a.f, p->a.cq);
}

#endif

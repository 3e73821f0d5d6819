/* SPDX-License-Identifier: BSD-3-Clause */
/* Fixture for tests: two Gemini interfaces in one process, PEs 0 and 1. */
#ifndef WEFT_GEMINI_PAIR_H
#define WEFT_GEMINI_PAIR_H

#include "prov/machine/gemini/gemini_dev.h"
#include "src/base/attr.h"
#include "test/t.h"

#include <stdlib.h>
#include <string.h>

#define GEMINI_PAIR_BYTES (256 * 1024)

struct gemini_side {
	struct weft_gemini *f;
	unsigned char *mem; /* memory of handle mdh */
	unsigned mdh;
	unsigned cq;   /* completion queue for completions */
	unsigned rcq;  /* completion queue for arrivals */
	uint32_t from; /* sender of the last datagram */
	char datagram[WEFT_GEMINI_DATAGRAM];
};

struct gemini_pair {
	struct gemini_side a;
	struct gemini_side b;
};

static inline void gemini_pair_datagram(void *arg, uint32_t pe, const void *buf,
					unsigned bytes)
{
	struct gemini_side *s = arg;

	s->from = pe;
	memcpy(s->datagram, buf, bytes);
}

/* Opens a side; attr: attributes other than the defaults. */
static inline void gemini_pair_side(struct gemini_side *s,
				    const struct weft_gemini_attr *attr)
{
	struct weft_gemini_attr a = *attr;

	memset(s, 0, sizeof(*s));
	a.place.carrier = "loop";
	a.datagram = gemini_pair_datagram;
	a.arg = s;
	T_OK(weft_gemini_open(&a, &s->f));
	s->mem = aligned_alloc(64, GEMINI_PAIR_BYTES);
	memset(s->mem, 0, GEMINI_PAIR_BYTES);
	T_OK(weft_gemini_cq_open(s->f, 64, &s->cq));
	T_OK(weft_gemini_cq_open(s->f, 64, &s->rcq));
	T_OK(weft_gemini_mem_open(s->f, s->mem, GEMINI_PAIR_BYTES,
				  WEFT_GEMINI_WRITABLE, s->rcq, &s->mdh));
}

/* Opens a pair: window 0 of a points at b's memory. */
static inline void gemini_pair_open_attr(struct gemini_pair *p,
					 const struct weft_gemini_attr *attr_a,
					 const struct weft_gemini_attr *attr_b)
{
	struct sockaddr_in name[2];
	struct weft_gemini_window w = { .pe = 1 };

	gemini_pair_side(&p->a, attr_a);
	gemini_pair_side(&p->b, attr_b);
	weft_gemini_name(p->a.f, &name[0]);
	weft_gemini_name(p->b.f, &name[1]);
	for (uint32_t i = 0; i < 2; i++) {
		T_OK(weft_gemini_node_set(p->a.f, i, &name[i]));
		T_OK(weft_gemini_node_set(p->b.f, i, &name[i]));
	}
	w.mdh = (uint16_t)p->b.mdh;
	w.cq = (uint16_t)p->a.cq;
	T_OK(weft_gemini_window_set(p->a.f, 0, &w));
}

static inline void gemini_pair_open_with(struct gemini_pair *p,
					 const char *faults, int lazy,
					 uint8_t ptag_b)
{
	struct weft_gemini_attr a = {
		.place.faults = faults,
		.ptag = 3,
		.lazy_amo = lazy,
	};
	struct weft_gemini_attr b = a;

	b.ptag = ptag_b;
	gemini_pair_open_attr(p, &a, &b);
}

static inline void gemini_pair_open(struct gemini_pair *p)
{
	gemini_pair_open_with(p, "", 0, 3);
}

static inline void gemini_pair_close(struct gemini_pair *p)
{
	weft_gemini_close(p->a.f);
	weft_gemini_close(p->b.f);
	free(p->a.mem);
	free(p->b.mem);
}

static inline void gemini_pair_poll(struct gemini_pair *p)
{
	weft_gemini_poll(p->a.f, 16);
	weft_gemini_poll(p->b.f, 16);
}

/* Waits for the next event of a queue. */
static inline struct weft_gemini_event
gemini_pair_event(struct gemini_pair *p, struct weft_gemini *f, unsigned cq)
{
	struct weft_gemini_event e;
	int err = -EAGAIN;

	for (int i = 0; i < 1000000 && err; i++) {
		gemini_pair_poll(p);
		err = weft_gemini_cq_read(f, cq, &e);
	}
	T_OK(err);
	return e;
}

/* Ends a's transaction on window 0 and returns its event. */
static inline struct weft_gemini_event gemini_pair_sync(struct gemini_pair *p,
							uint64_t data)
{
	int err = -EAGAIN;

	for (int i = 0; i < 100000 && err == -EAGAIN; i++) {
		err = weft_gemini_sync(p->a.f, 0, data);
		gemini_pair_poll(p);
	}
	T_OK(err);
	return gemini_pair_event(p, p->a.f, p->a.cq);
}

#endif

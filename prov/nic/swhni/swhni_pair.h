/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Fixture for tests: Sunway interfaces in one process, nodes 0 and 1 of a
 * supernode, each with an interface of both engines and registered memory.
 */
#ifndef WEFT_PROV_SWHNI_PAIR_H
#define WEFT_PROV_SWHNI_PAIR_H

#include "prov/nic/swhni/swhni_dev.h"
#include "test/t.h"

#define PAIR_BYTES (2u << 20)
#define PAIR_JOB   100u
#define PAIR_GUID  WEFT_SWHNI_GUID(3, 0)

struct swhni_side {
	struct weft_swhni *n;
	unsigned vi[WEFT_SWHNI_ENGINES];
	unsigned char *mem;
	uint64_t at; /* address of mem */
};

struct swhni_pair {
	struct swhni_side a;
	struct swhni_side b;
};

/* Clock of the interfaces: one nanosecond per reading. */
static uint64_t pair_now;

static inline uint64_t pair_clock(void)
{
	return pair_now++;
}

static const struct weft_swhni_vi pair_vi = {
	.job = PAIR_JOB,
	.sends = 512,
	.receives = 64,
	.events = 1024,
};

static inline void pair_vis(struct swhni_side *s, uint32_t job)
{
	struct weft_swhni_vi vi = pair_vi;

	vi.job = job;
	for (unsigned i = 0; i < WEFT_SWHNI_ENGINES; i++) {
		vi.engine = i;
		T_OK(weft_swhni_vi_open(s->n, &vi, &s->vi[i]));
	}
}

static inline void pair_mem(struct swhni_side *s, uint32_t job)
{
	struct weft_swhni_mem m = {
		.base = s->mem,
		.bytes = PAIR_BYTES,
		.job = job,
		.kind = WEFT_SWHNI_SEGMENTED,
		.rights = WEFT_SWHNI_MAY_READ | WEFT_SWHNI_MAY_WRITE,
	};

	T_OK(weft_swhni_mem_open(s->n, &m, &s->at));
}

static inline void pair_side(struct swhni_side *s, const char *faults,
			     uint32_t guid)
{
	struct weft_swhni_attr a = {
		.place = { .carrier = "loop", .faults = faults },
		.guid = guid,
		.clock = pair_clock,
		.resend_ns = 1000,
	};

	memset(s, 0, sizeof(*s));
	T_OK(weft_swhni_open(&a, &s->n));
	s->mem = aligned_alloc(64, PAIR_BYTES);
	memset(s->mem, 0, PAIR_BYTES);
	pair_vis(s, PAIR_JOB);
	pair_mem(s, PAIR_JOB);
}

static inline void pair_know(struct swhni_side *s, struct swhni_side *other)
{
	struct weft_swhni_name name;

	weft_swhni_name(other->n, &name);
	T_OK(weft_swhni_node_set(s->n, other->n->guid, &name));
}

static inline void pair_open(struct swhni_pair *p, const char *faults)
{
	pair_side(&p->a, faults, PAIR_GUID);
	pair_side(&p->b, faults, PAIR_GUID + 1);
	pair_know(&p->a, &p->b);
	pair_know(&p->b, &p->a);
}

static inline void pair_side_close(struct swhni_side *s)
{
	weft_swhni_close(s->n);
	free(s->mem);
}

static inline void pair_close(struct swhni_pair *p)
{
	pair_side_close(&p->a);
	pair_side_close(&p->b);
}

/* Opens interfaces of the system's job 1 in addition to those of the pair. */
static inline void pair_system(struct swhni_pair *p)
{
	pair_vis(&p->a, 1);
	pair_vis(&p->b, 1);
	pair_mem(&p->a, 1);
}

static inline void pair_run(struct swhni_pair *p, int turns)
{
	for (int i = 0; i < turns; i++) {
		weft_swhni_poll(p->a.n, 16);
		weft_swhni_poll(p->b.n, 16);
	}
}

/* A descriptor to an interface of the other side. */
static inline struct weft_swhni_desc pair_desc(const struct swhni_side *to,
					       unsigned op, uint32_t bytes)
{
	return (struct weft_swhni_desc){
		.op = (uint8_t)op,
		.flags = WEFT_SWHNI_EVENT,
		.port = WEFT_SWHNI_ADAPTIVE,
		.vi = (uint8_t)to->vi[0],
		.guid = to->n->guid,
		.bytes = bytes,
		.remote = to->at,
	};
}

static inline void pair_post(struct swhni_side *s,
			     const struct weft_swhni_desc *d)
{
	T_OK(weft_swhni_post(s->n, 0, s->vi[0], d));
}

/* Waits for the next event of an interface. */
static inline struct weft_swhni_event
pair_event(struct swhni_pair *p, struct swhni_side *s, unsigned engine)
{
	struct weft_swhni_event ev;
	int err = -EAGAIN;

	for (int i = 0; i < 1000000 && err; i++) {
		pair_run(p, 1);
		err = weft_swhni_cq_read(s->n, engine, s->vi[engine], &ev);
	}
	T_OK(err);
	return ev;
}

/* Waits for the next message in a raw queue; it stays there. */
static inline struct weft_swhni_arrival
pair_arrival(struct swhni_pair *p, struct swhni_side *s, unsigned engine)
{
	struct weft_swhni_arrival a;
	int err = -EAGAIN;

	for (int i = 0; i < 1000000 && err; i++) {
		pair_run(p, 1);
		err = weft_swhni_rq_peek(s->n, engine, s->vi[engine], &a);
	}
	T_OK(err);
	return a;
}

static inline struct weft_swhni_stats pair_stats(struct swhni_side *s)
{
	struct weft_swhni_stats st;

	weft_swhni_stats(s->n, &st);
	return st;
}

static inline weft_au64 *pair_word(struct swhni_side *s, size_t offset)
{
	return (weft_au64 *)(void *)(s->mem + offset);
}

#endif

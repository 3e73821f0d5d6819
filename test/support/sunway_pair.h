/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Fixture for tests: Sunway interfaces in one process, nodes 0 and 1 of a
 * supernode, each with an interface of both engines and registered memory.
 */
#ifndef WEFT_SUNWAY_PAIR_H
#define WEFT_SUNWAY_PAIR_H

#include "prov/machine/sunway/sunway_dev.h"
#include "test/t.h"

#define PAIR_BYTES (2u << 20)
#define PAIR_JOB   100u
#define PAIR_GUID  WEFT_SUNWAY_GUID(3, 0)

struct side {
	struct weft_sunway *n;
	struct weft_sunway_name name;
	uint32_t node; /* GUID */
	unsigned vi[WEFT_SUNWAY_ENGINES];
	unsigned char *mem;
	uint64_t address; /* address of mem */
};

#define PAIR_UNIT     n
#define PAIR_FN(verb) weft_sunway_##verb

static inline void side_close(struct side *s)
{
	weft_sunway_close(s->n);
	free(s->mem);
}

#include "test/support/pair.h"

/* Clock of the interfaces: one nanosecond per reading. */
static uint64_t pair_now;

static inline uint64_t pair_clock(void)
{
	return pair_now++;
}

static const struct weft_sunway_vi pair_vi = {
	.job = PAIR_JOB,
	.sends = 512,
	.receives = 64,
	.events = 1024,
};

static inline void pair_vis(struct side *s, uint32_t job)
{
	struct weft_sunway_vi vi = pair_vi;

	vi.job = job;
	for (unsigned i = 0; i < WEFT_SUNWAY_ENGINES; i++) {
		vi.engine = i;
		T_OK(weft_sunway_vi_open(s->n, &vi, &s->vi[i]));
	}
}

static inline void pair_mem(struct side *s, uint32_t job)
{
	struct weft_sunway_mem m = {
		.base = s->mem,
		.bytes = PAIR_BYTES,
		.job = job,
		.kind = WEFT_SUNWAY_SEGMENTED,
		.rights = WEFT_SUNWAY_MAY_READ | WEFT_SUNWAY_MAY_WRITE,
	};

	T_OK(weft_sunway_mem_open(s->n, &m, &s->address));
}

static inline void pair_side(struct side *s, const char *faults, uint32_t guid)
{
	struct weft_sunway_attr a = {
		.place = { .carrier = "loop", .faults = faults },
		.guid = guid,
		.clock = pair_clock,
		.resend_ns = 1000,
	};

	memset(s, 0, sizeof(*s));
	s->node = guid;
	T_OK(weft_sunway_open(&a, &s->n));
	s->mem = pair_memory(PAIR_BYTES);
	pair_vis(s, PAIR_JOB);
	pair_mem(s, PAIR_JOB);
}

static inline void pair_open(struct pair *p, const char *faults)
{
	pair_side(&p->a, faults, PAIR_GUID);
	pair_side(&p->b, faults, PAIR_GUID + 1);
	pair_connect(p);
}

/* Opens interfaces of the system's job 1 in addition to those of the pair. */
static inline void pair_system(struct pair *p)
{
	pair_vis(&p->a, 1);
	pair_vis(&p->b, 1);
	pair_mem(&p->a, 1);
}

/* Returns a descriptor to an interface of the other side. */
static inline struct weft_sunway_desc pair_desc(const struct side *to,
						unsigned op, uint32_t bytes)
{
	return (struct weft_sunway_desc){
		.op = (uint8_t)op,
		.flags = WEFT_SUNWAY_EVENT,
		.port = WEFT_SUNWAY_ADAPTIVE,
		.vi = (uint8_t)to->vi[0],
		.guid = to->n->guid,
		.bytes = bytes,
		.remote = to->address,
	};
}

static inline void pair_post(struct side *s, const struct weft_sunway_desc *d)
{
	T_OK(weft_sunway_post(s->n, 0, s->vi[0], d));
}

/* Waits for the next event of an interface. */
static inline struct weft_sunway_event
pair_event(struct pair *p, struct side *s, unsigned engine)
{
	struct weft_sunway_event ev;
	int err = -EAGAIN;

	for (int i = 0; i < 1000000 && err; i++) {
		pair_run(p, 1);
		err = weft_sunway_cq_read(s->n, engine, s->vi[engine], &ev);
	}
	T_OK(err);
	return ev;
}

/* Waits for the next message in a raw queue, and leaves the message there. */
static inline struct weft_sunway_arrival
pair_arrival(struct pair *p, struct side *s, unsigned engine)
{
	struct weft_sunway_arrival a;
	int err = -EAGAIN;

	for (int i = 0; i < 1000000 && err; i++) {
		pair_run(p, 1);
		err = weft_sunway_rq_peek(s->n, engine, s->vi[engine], &a);
	}
	T_OK(err);
	return a;
}

static inline struct weft_sunway_stats pair_stats(struct side *s)
{
	struct weft_sunway_stats st;

	weft_sunway_stats(s->n, &st);
	return st;
}

static inline weft_au64 *pair_word(struct side *s, size_t offset)
{
	return (weft_au64 *)(void *)(s->mem + offset);
}

#endif

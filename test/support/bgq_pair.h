/* SPDX-License-Identifier: BSD-3-Clause */
/* Fixture for tests: two Message Units in one process, nodes 0 and 1. */
#ifndef WEFT_BGQ_PAIR_H
#define WEFT_BGQ_PAIR_H

#include "prov/machine/bgq/bgq_dev.h"
#include "src/base/attr.h"
#include "test/t.h"

#include <stdlib.h>

#define PAIR_SLOTS 8
#define PAIR_RGET  5 /* index of each side's remote get FIFO */
#define PAIR_BYTES (256 * 1024)

struct side {
	struct weft_bgq *mu;
	struct sockaddr_in name;
	uint32_t node;
	unsigned char *mem; /* memory: range 0, base 1 */
	unsigned char *rec;
	struct weft_bgq_desc *ring; /* FIFO 0, then the remote get FIFO */
	uint64_t counter;	    /* byte counter: range 1, base 2 */
	int count;		    /* packets received from reception FIFO 0 */
	unsigned bytes;
	/* concatenated payloads of the received packets */
	unsigned char got[8192];
	struct weft_bgq_packet last;
	char order[16]; /* first software byte of each received packet */
	int irqs[8];
	unsigned irq_id;
};

#define PAIR_UNIT     mu
#define PAIR_FN(verb) weft_bgq_##verb

static inline void side_close(struct side *s)
{
	weft_bgq_close(s->mu);
	free(s->mem);
	free(s->rec);
	free(s->ring);
}

#include "test/support/pair.h"

static inline void pair_irq(void *arg, enum weft_bgq_irq irq, unsigned id)
{
	struct side *s = arg;

	s->irqs[irq]++;
	s->irq_id = id;
}

/* Lets the unit access ring i, by a range register of the system. */
static inline void pair_ring(struct side *s, unsigned i, void *ring,
			     uint64_t bytes)
{
	T_OK(weft_bgq_range_set(s->mu, WEFT_BGQ_USER_RANGES + 1 + i, ring,
				bytes, 0));
}

static inline void pair_side(struct side *s, const char *faults,
			     uint64_t rec_bytes)
{
	struct weft_bgq_attr a = {
		.place = { .carrier = "loop", .faults = faults },
		.seed = 1,
		.interrupt = pair_irq,
		.arg = s,
	};

	memset(s, 0, sizeof(*s));
	T_OK(weft_bgq_open(&a, &s->mu));
	s->mem = pair_memory(PAIR_BYTES);
	s->rec = pair_memory(rec_bytes);
	s->ring = pair_memory(2 * PAIR_SLOTS * 64);
	T_OK(weft_bgq_range_set(s->mu, 0, s->mem, PAIR_BYTES, 0));
	T_OK(weft_bgq_range_set(s->mu, 1, &s->counter, 8, 0));
	pair_ring(s, 0, s->ring, 2 * PAIR_SLOTS * 64);
	pair_ring(s, 1, s->rec, rec_bytes);
	T_OK(weft_bgq_bat_set(s->mu, 1, s->mem, 0));
	T_OK(weft_bgq_bat_set(s->mu, 2, &s->counter, 0));
	T_OK(weft_bgq_inj_open(s->mu, 0, s->ring, PAIR_SLOTS, 0));
	T_OK(weft_bgq_inj_open(s->mu, PAIR_RGET, s->ring + PAIR_SLOTS,
			       PAIR_SLOTS, WEFT_BGQ_RGET));
	T_OK(weft_bgq_rec_open(s->mu, 0, s->rec, rec_bytes, 0));
}

static inline void pair_open_rec(struct pair *p, const char *faults,
				 uint64_t rec_bytes)
{
	pair_side(&p->a, faults, rec_bytes);
	pair_side(&p->b, faults, rec_bytes);
	p->b.node = 1;
	pair_connect(p);
}

static inline void pair_open(struct pair *p, const char *faults)
{
	pair_open_rec(p, faults, 64 * 1024);
}

static inline int pair_take(void *arg, const struct weft_bgq_packet *k)
{
	struct side *s = arg;

	if (s->count == 0)
		s->bytes = 0;
	if (s->bytes + k->bytes <= sizeof(s->got))
		memcpy(s->got + s->bytes, k->payload, k->bytes);
	s->bytes += k->bytes;
	s->last = *k;
	if (s->count < (int)sizeof(s->order) - 1)
		s->order[s->count] = (char)k->soft[0];
	s->count++;
	return 0;
}

/* Polls both units and takes b's packets from its reception FIFO. */
static inline void pair_poll(struct pair *p)
{
	pair_run(p, 1);
	weft_bgq_rec_poll(p->b.mu, 0, pair_take, &p->b, 16);
}

static inline void pair_until_packets(struct pair *p, int n)
{
	for (int i = 0; i < 1000000 && p->b.count < n; i++)
		pair_poll(p);
	T_IS(p->b.count, n);
}

static inline void pair_until_counter(struct pair *p, uint64_t v)
{
	for (int i = 0; i < 1000000 && p->b.counter != v; i++)
		pair_poll(p);
	T_IS(p->b.counter, v);
}

static inline void pair_fifo_desc(struct pair *p, struct weft_bgq_desc *d,
				  const void *src, uint64_t n)
{
	struct weft_bgq_msg m = {
		.node = 1,
		.vc = WEFT_BGQ_VC_ORDERED,
		.payload = src,
		.bytes = n,
	};

	weft_bgq_desc_fifo(d, &m, 0, NULL);
}

static inline void pair_send(struct pair *p, unsigned fifo, const void *src,
			     uint64_t n)
{
	struct weft_bgq_desc d;

	pair_fifo_desc(p, &d, src, n);
	T_OK(weft_bgq_inj_post(p->a.mu, fifo, &d, NULL));
}

#endif

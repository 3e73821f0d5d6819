/* SPDX-License-Identifier: BSD-3-Clause */
/* Fixture for tests: two Message Units in one process, nodes 0 and 1. */
#ifndef WEFT_BGQ_PAIR_H
#define WEFT_BGQ_PAIR_H

#include "prov/machine/bgq/bgq_dev.h"
#include "src/base/attr.h"
#include "test/t.h"

#include <stdlib.h>

#define BGQ_PAIR_SLOTS 8
#define BGQ_PAIR_RGET  5 /* remote get FIFO of each side */
#define BGQ_PAIR_BYTES (256 * 1024)

struct bgq_side {
	struct weft_bgq *mu;
	unsigned char *mem; /* memory: range 0, base 1 */
	unsigned char *rec;
	struct weft_bgq_desc *ring; /* FIFO 0, then the remote get FIFO */
	uint64_t counter;	    /* byte counter: range 1, base 2 */
	int count;		    /* packets received from reception FIFO 0 */
	unsigned bytes;
	/* payloads of the received packets, appended */
	unsigned char got[8192];
	struct weft_bgq_packet last;
	char order[16]; /* first software byte of each packet as received */
	int irqs[8];
	unsigned irq_id;
};

struct bgq_pair {
	struct bgq_side a;
	struct bgq_side b;
};

static inline void bgq_pair_irq(void *arg, enum weft_bgq_irq irq, unsigned id)
{
	struct bgq_side *s = arg;

	s->irqs[irq]++;
	s->irq_id = id;
}

static inline void bgq_pair_side(struct bgq_side *s, const char *faults,
				 uint64_t rec_bytes)
{
	struct weft_bgq_attr a = {
		.place = { .carrier = "loop", .faults = faults },
		.seed = 1,
		.interrupt = bgq_pair_irq,
		.arg = s,
	};

	memset(s, 0, sizeof(*s));
	T_OK(weft_bgq_open(&a, &s->mu));
	s->mem = aligned_alloc(64, BGQ_PAIR_BYTES);
	s->rec = aligned_alloc(64, rec_bytes);
	s->ring = aligned_alloc(64, 2 * BGQ_PAIR_SLOTS * 64);
	memset(s->mem, 0, BGQ_PAIR_BYTES);
	T_OK(weft_bgq_range_set(s->mu, 0, s->mem, BGQ_PAIR_BYTES, 0));
	T_OK(weft_bgq_range_set(s->mu, 1, &s->counter, 8, 0));
	T_OK(weft_bgq_bat_set(s->mu, 1, s->mem, 0));
	T_OK(weft_bgq_bat_set(s->mu, 2, &s->counter, 0));
	T_OK(weft_bgq_inj_open(s->mu, 0, s->ring, BGQ_PAIR_SLOTS, 0));
	T_OK(weft_bgq_inj_open(s->mu, BGQ_PAIR_RGET, s->ring + BGQ_PAIR_SLOTS,
			       BGQ_PAIR_SLOTS, WEFT_BGQ_RGET));
	T_OK(weft_bgq_rec_open(s->mu, 0, s->rec, rec_bytes, 0));
}

static inline void bgq_pair_open_rec(struct bgq_pair *p, const char *faults,
				     uint64_t rec_bytes)
{
	struct sockaddr_in name[2];

	bgq_pair_side(&p->a, faults, rec_bytes);
	bgq_pair_side(&p->b, faults, rec_bytes);
	weft_bgq_name(p->a.mu, &name[0]);
	weft_bgq_name(p->b.mu, &name[1]);
	for (uint32_t i = 0; i < 2; i++) {
		T_OK(weft_bgq_node_set(p->a.mu, i, &name[i]));
		T_OK(weft_bgq_node_set(p->b.mu, i, &name[i]));
	}
}

static inline void bgq_pair_open(struct bgq_pair *p, const char *faults)
{
	bgq_pair_open_rec(p, faults, 64 * 1024);
}

static inline void bgq_pair_close(struct bgq_pair *p)
{
	struct bgq_side *s[2] = { &p->a, &p->b };

	for (int i = 0; i < 2; i++) {
		weft_bgq_close(s[i]->mu);
		free(s[i]->mem);
		free(s[i]->rec);
		free(s[i]->ring);
	}
}

static inline int bgq_pair_take(void *arg, const struct weft_bgq_packet *k)
{
	struct bgq_side *s = arg;

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
static inline void bgq_pair_poll(struct bgq_pair *p)
{
	weft_bgq_poll(p->a.mu, 16);
	weft_bgq_poll(p->b.mu, 16);
	weft_bgq_rec_poll(p->b.mu, 0, bgq_pair_take, &p->b, 16);
}

static inline void bgq_pair_until_packets(struct bgq_pair *p, int n)
{
	for (int i = 0; i < 1000000 && p->b.count < n; i++)
		bgq_pair_poll(p);
	T_IS(p->b.count, n);
}

static inline void bgq_pair_until_counter(struct bgq_pair *p, uint64_t v)
{
	for (int i = 0; i < 1000000 && p->b.counter != v; i++)
		bgq_pair_poll(p);
	T_IS(p->b.counter, v);
}

static inline void bgq_pair_fifo_desc(struct bgq_pair *p,
				      struct weft_bgq_desc *d, const void *src,
				      uint64_t n)
{
	struct weft_bgq_msg m = {
		.node = 1,
		.vc = WEFT_BGQ_VC_ORDERED,
		.payload = src,
		.bytes = n,
	};

	weft_bgq_desc_fifo(d, &m, 0, NULL);
}

static inline void bgq_pair_send(struct bgq_pair *p, unsigned fifo,
				 const void *src, uint64_t n)
{
	struct weft_bgq_desc d;

	bgq_pair_fifo_desc(p, &d, src, n);
	T_OK(weft_bgq_inj_post(p->a.mu, fifo, &d, NULL));
}

#endif

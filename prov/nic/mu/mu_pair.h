/* SPDX-License-Identifier: BSD-3-Clause */
/* Fixture for tests: two Message Units in one process, nodes 0 and 1. */
#ifndef WEFT_PROV_MU_PAIR_H
#define WEFT_PROV_MU_PAIR_H

#include "prov/nic/mu/mu_dev.h"
#include "src/base/attr.h"
#include "test/t.h"

#include <stdlib.h>

#define MU_PAIR_SLOTS 8
#define MU_PAIR_RGET  5 /* remote get FIFO of each side */
#define MU_PAIR_BYTES (256 * 1024)

struct mu_side {
	struct weft_mu *mu;
	unsigned char *mem; /* range 0, base 1 */
	unsigned char *rec;
	struct weft_mu_desc *ring; /* FIFO 0, then the remote get FIFO */
	uint64_t counter;	   /* range 1, base 2 */
	int count;		   /* packets received from reception FIFO 0 */
	unsigned bytes;
	unsigned char got[8192]; /* payloads of these packets, appended */
	struct weft_mu_packet last;
	char order[16]; /* first software byte of each packet as received */
	int irqs[8];
	unsigned irq_id;
};

struct mu_pair {
	struct mu_side a;
	struct mu_side b;
};

static inline void mu_pair_irq(void *arg, enum weft_mu_irq irq, unsigned id)
{
	struct mu_side *s = arg;

	s->irqs[irq]++;
	s->irq_id = id;
}

static inline void mu_pair_side(struct mu_side *s, const char *faults,
				uint64_t rec_bytes)
{
	struct weft_mu_attr a = {
		.place = { .carrier = "loop", .faults = faults },
		.seed = 1,
		.interrupt = mu_pair_irq,
		.arg = s,
	};

	memset(s, 0, sizeof(*s));
	T_OK(weft_mu_open(&a, &s->mu));
	s->mem = aligned_alloc(64, MU_PAIR_BYTES);
	s->rec = aligned_alloc(64, rec_bytes);
	s->ring = aligned_alloc(64, 2 * MU_PAIR_SLOTS * 64);
	memset(s->mem, 0, MU_PAIR_BYTES);
	T_OK(weft_mu_range_set(s->mu, 0, s->mem, MU_PAIR_BYTES, 0));
	T_OK(weft_mu_range_set(s->mu, 1, &s->counter, 8, 0));
	T_OK(weft_mu_bat_set(s->mu, 1, s->mem, 0));
	T_OK(weft_mu_bat_set(s->mu, 2, &s->counter, 0));
	T_OK(weft_mu_inj_open(s->mu, 0, s->ring, MU_PAIR_SLOTS, 0));
	T_OK(weft_mu_inj_open(s->mu, MU_PAIR_RGET, s->ring + MU_PAIR_SLOTS,
			      MU_PAIR_SLOTS, WEFT_MU_RGET));
	T_OK(weft_mu_rec_open(s->mu, 0, s->rec, rec_bytes, 0));
}

static inline void mu_pair_open_rec(struct mu_pair *p, const char *faults,
				    uint64_t rec_bytes)
{
	struct sockaddr_in name[2];

	mu_pair_side(&p->a, faults, rec_bytes);
	mu_pair_side(&p->b, faults, rec_bytes);
	weft_mu_name(p->a.mu, &name[0]);
	weft_mu_name(p->b.mu, &name[1]);
	for (uint32_t i = 0; i < 2; i++) {
		T_OK(weft_mu_node_set(p->a.mu, i, &name[i]));
		T_OK(weft_mu_node_set(p->b.mu, i, &name[i]));
	}
}

static inline void mu_pair_open(struct mu_pair *p, const char *faults)
{
	mu_pair_open_rec(p, faults, 64 * 1024);
}

static inline void mu_pair_close(struct mu_pair *p)
{
	struct mu_side *s[2] = { &p->a, &p->b };

	for (int i = 0; i < 2; i++) {
		weft_mu_close(s[i]->mu);
		free(s[i]->mem);
		free(s[i]->rec);
		free(s[i]->ring);
	}
}

static inline int mu_pair_take(void *arg, const struct weft_mu_packet *k)
{
	struct mu_side *s = arg;

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
static inline void mu_pair_poll(struct mu_pair *p)
{
	weft_mu_poll(p->a.mu, 16);
	weft_mu_poll(p->b.mu, 16);
	weft_mu_rec_poll(p->b.mu, 0, mu_pair_take, &p->b, 16);
}

static inline void mu_pair_until_packets(struct mu_pair *p, int n)
{
	for (int i = 0; i < 1000000 && p->b.count < n; i++)
		mu_pair_poll(p);
	T_IS(p->b.count, n);
}

static inline void mu_pair_until_counter(struct mu_pair *p, uint64_t v)
{
	for (int i = 0; i < 1000000 && p->b.counter != v; i++)
		mu_pair_poll(p);
	T_IS(p->b.counter, v);
}

static inline void mu_pair_fifo_desc(struct mu_pair *p, struct weft_mu_desc *d,
				     const void *src, uint64_t n)
{
	struct weft_mu_msg m = {
		.node = 1,
		.vc = WEFT_MU_VC_ORDERED,
		.payload = src,
		.bytes = n,
	};

	weft_mu_desc_fifo(d, &m, 0, NULL);
}

static inline void mu_pair_send(struct mu_pair *p, unsigned fifo,
				const void *src, uint64_t n)
{
	struct weft_mu_desc d;

	mu_pair_fifo_desc(p, &d, src, n);
	T_OK(weft_mu_inj_post(p->a.mu, fifo, &d, NULL));
}

#endif

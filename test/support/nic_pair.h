/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Two endpoints of the engine in one process, over the loop carrier or on a
 * machine that the test defines, polled alternately. For the tests of prov/nic.
 */
#ifndef WEFT_TEST_NIC_PAIR_H
#define WEFT_TEST_NIC_PAIR_H

#include "prov/nic/nic.h"
#include "test/t.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BIG ((size_t)1 << 20)

/* One completion, as recorded by the callbacks. */
struct completion {
	void *context;
	uint64_t len;
	uint64_t tag;
	uint64_t data;
	uint64_t olen;
	int err;
	unsigned flags;
	uint8_t kind;
};

struct side {
	struct weft_nic *nic;
	union weft_name name;
	struct weft_peer *peer; /* the other side */
	struct completion completion[4096];
	unsigned completions;
	unsigned events;
	/* registered memory with key 1, readable and writable */
	unsigned char mem[4096];
};

struct world {
	struct side a, b;
};

/* Options to open a world: machine, DMA or not, faults. */
struct grid {
	const char *machine;
	bool no_dma;
	const char *faults;
	/* machine defined by the test, in place of `machine`; or NULL */
	const struct weft_machine *own;
	const struct weft_carrier_ops *carrier; /* carrier; NULL: loop */
	size_t eager_bytes;
	size_t host_loop;
	size_t stream_min;
	const void *key; /* key of 16 bytes, or NULL */
};

static inline void record_completion(struct side *s,
				     const struct weft_nic_op *op)
{
	s->completion[s->completions++ % 4096] = (struct completion){
		.context = op->context,
		.len = op->len,
		.tag = op->tag,
		.data = op->data,
		.olen = op->olen,
		.err = op->err,
		.flags = op->flags,
		.kind = op->kind,
	};
}

static inline void up_done(void *arg, struct weft_nic_op *op)
{
	record_completion(arg, op);
}

static inline int up_region(void *arg, const struct weft_mem_access *want,
			    void **at_p, void **region_p)
{
	struct side *s = arg;

	if (want->key != 1)
		return -ENOKEY;
	if (want->addr > sizeof(s->mem) ||
	    want->len > sizeof(s->mem) - want->addr)
		return -EFAULT;
	*at_p = s->mem + want->addr;
	*region_p = s;
	return 0;
}

static inline void up_event(void *arg, struct weft_nic_op *op, void *region)
{
	struct side *s = arg;

	s->events++;
	if (op->flags & WEFT_OP_DATA)
		record_completion(s, op);
}

static const struct weft_nic_up up = {
	.done = up_done,
	.region = up_region,
	.event = up_event,
};

static inline void side_open(struct side *s, const struct grid *g)
{
	const struct weft_nic_attr attr = {
		.machine = g->own ? g->own : weft_machine_find(g->machine),
		.carrier = g->carrier ? g->carrier : &weft_carrier_loop,
		.name.in.sin_family = AF_INET,
		.up = &up,
		.up_arg = s,
		.no_dma = g->no_dma,
		.faults = g->faults,
		.eager_bytes = g->eager_bytes,
		.host_loop = g->host_loop,
		.stream_min = g->stream_min,
		.key = g->key,
		.key_bytes = g->key ? 16 : 0,
	};

	T_OK(weft_nic_open(&attr, &s->nic));
	weft_nic_name(s->nic, &s->name);
}

static inline struct weft_peer *peer_of(struct side *s, const struct side *to)
{
	struct weft_carrier *c = weft_nic_carrier(s->nic);
	struct weft_peer *p;

	T_OK(c->ops->peer(c, &to->name, &p));
	return p;
}

static inline struct world *world_open(const struct grid *g)
{
	struct world *w = calloc(1, sizeof(*w));

	T_NOT_NULL(w);
	side_open(&w->a, g);
	side_open(&w->b, g);
	w->a.peer = peer_of(&w->a, &w->b);
	w->b.peer = peer_of(&w->b, &w->a);
	return w;
}

static inline void world_close(struct world *w)
{
	weft_nic_close(w->a.nic);
	weft_nic_close(w->b.nic);
	free(w);
}

static inline void poll_both(struct world *w)
{
	weft_nic_poll(w->a.nic, 8);
	weft_nic_poll(w->b.nic, 8);
}

/* Polls both sides until s has this number of completions. */
static inline void poll_until(struct world *w, struct side *s,
			      unsigned completions)
{
	struct t_limit limit;

	t_limit_set(&limit, 30);
	while (s->completions < completions) {
		poll_both(w);
		T_FALSE(t_limit_expired(&limit));
	}
}

/*
 * Returns a request to the other side, with buf as its buffer. RMA: the target
 * is the registered memory with key 1, at address 16.
 */
static inline struct weft_nic_op *side_request(struct side *s, uint8_t kind,
					       void *buf, size_t len)
{
	struct weft_nic_op *op = weft_nic_op_get(s->nic);

	T_NOT_NULL(op);
	op->kind = kind;
	op->flags = 0;
	op->peer = s->peer;
	op->context = buf;
	op->addr = 16;
	op->key = 1;
	op->iov[0].iov_base = buf;
	op->iov[0].iov_len = len;
	op->iov_count = 1;
	op->len = len;
	return op;
}

static inline int try_send(struct side *s, void *buf, size_t len, uint64_t tag,
			   unsigned flags)
{
	struct weft_nic_op *op = side_request(s, WEFT_SEND, buf, len);
	int err;

	op->flags = (uint16_t)(WEFT_OP_TAGGED | flags);
	op->tag = tag;
	op->data = tag + 1;
	err = weft_nic_send(s->nic, op);
	if (err)
		weft_nic_op_put(op);
	return err;
}

static inline void post_send(struct world *w, struct side *s, void *buf,
			     size_t len, uint64_t tag, unsigned flags)
{
	int err;

	do {
		err = try_send(s, buf, len, tag, flags);
		poll_both(w);
	} while (err == -EAGAIN);
	T_OK(err);
}

static inline void post_recv(struct side *s, void *buf, size_t len,
			     uint64_t tag, uint32_t src)
{
	struct weft_nic_op *op = side_request(s, WEFT_RECV, buf, len);

	op->flags = WEFT_OP_TAGGED;
	op->peer = NULL;
	op->m.src = src;
	op->m.tag = tag;
	op->m.ignore = 0;
	T_OK(weft_nic_recv(s->nic, op));
}

/* Writes or reads the other side's memory at an address of the region. */
static inline void post_rma_at(struct side *s, uint8_t kind, void *buf,
			       uint64_t len, uint64_t key, uint64_t addr)
{
	struct weft_nic_op *op = side_request(s, kind, buf, len);

	op->addr = addr;
	op->key = key;
	T_OK(weft_nic_rma(s->nic, op));
}

static inline void post_rma(struct side *s, uint8_t kind, void *buf,
			    uint64_t len, uint64_t key)
{
	post_rma_at(s, kind, buf, len, key, 16);
}

static inline bool is_complete(const struct side *s, const void *context)
{
	for (unsigned i = 0; i < s->completions; i++) {
		if (s->completion[i].context == context)
			return true;
	}
	return false;
}

/* Runs a case on every machine, with and without DMA and faults. */
static inline void on_every_machine(void (*run)(const struct grid *g))
{
	static const char *const faults[] = {
		NULL, "seed=7; delay=0.1 by 2 ms; loss=0.02; duplicate=0.02; "
		      "reorder=0.05"
	};
	const struct weft_machine *m;
	unsigned i, k;

	for (i = 0; (m = weft_machine_at(i)); i++) {
		for (k = 0; k < 4; k++) {
			const struct grid g = {
				.machine = m->name,
				.no_dma = k & 1,
				.faults = faults[k / 2],
			};

			run(&g);
		}
	}
}

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Bulk data of the message engine in the DMA engine's queue: a descriptor for
 * each segment, an event that fires when all are complete, and no descriptor
 * left if the copy is refused.
 */
#include "prov/machine/qsnet2/qsnet2_bulk.h"

#include "test/support/qsnet2_pair.h"
#include "test/t.h"

#define BYTES 100000

struct transfer {
	struct weft_dma d;
	int completed;
	int err;
};

static void completed(struct weft_dma *d, int err)
{
	struct transfer *a = (struct transfer *)d;

	a->completed++;
	a->err = err;
}

static unsigned in_list(const struct weft_list *l)
{
	unsigned n = 0;

	for (const struct weft_list *p = l->next; p != l; p = p->next)
		n++;
	return n;
}

static struct weft_peer *peer_of(struct pair *p)
{
	return qsnet2_route(p->a.s, 1)->peer;
}

/* Moves three local segments (one is empty) to or from a remote segment. */
static int move(struct pair *p, struct transfer *a, bool get)
{
	struct weft_unit u = { .carrier = p->a.s->port.carrier };

	*a = (struct transfer){ .d = { .local_count = 3,
				       .remote = (uintptr_t)p->b.mem + 5,
				       .bytes = BYTES,
				       .done = completed } };
	a->d.local[0] = (struct iovec){ p->a.mem + 1, 1000 };
	a->d.local[1] = (struct iovec){ p->a.mem, 0 };
	a->d.local[2] = (struct iovec){ p->a.mem + 2000, BYTES };
	return qsnet2_bulk_move(p->a.s, &u, peer_of(p), &a->d, get);
}

static void open_pair(struct pair *p)
{
	pair_open(p, NULL);
	/* the message engine has its own context */
	T_OK(qsnet2_route_bind(p->a.s, peer_of(p)->index, peer_of(p), 9));
	T_OK(qsnet2_bulk_open(p->a.s, 9));
}

static void close_pair(struct pair *p)
{
	qsnet2_bulk_close(p->a.s);
	pair_close(p);
}

static void a_get_uses_descriptors_and_an_event(void **state)
{
	struct pair p;
	struct transfer a;
	uint64_t dmas, events;

	open_pair(&p);
	dmas = p.a.s->stats.dmas;
	events = p.a.s->stats.events;
	t_fill(p.b.mem + 5, BYTES, 3);
	p.b.mem[5 + BYTES] = 1;
	p.a.mem[1000 + BYTES] = 2;
	T_OK(move(&p, &a, true));
	T_IS(a.completed, 1);
	T_IS(a.err, 0);
	T_IS(p.a.s->stats.dmas - dmas, 2);
	T_IS(p.a.s->stats.events - events, 1);
	T_IS(p.a.mem[1000 + BYTES], 2); /* byte after the requested bytes */
	memmove(p.a.mem + 1001, p.a.mem + 2000, BYTES - 1000);
	T_IS(t_differs(p.a.mem + 1, BYTES, 3), -1);
	T_TRUE(weft_list_empty(&p.a.s->dma_run));
	close_pair(&p);
}

static void a_put_uses_descriptors_and_an_event(void **state)
{
	struct pair p;
	struct transfer a;

	open_pair(&p);
	t_fill(p.a.mem + 1, BYTES + 2000, 4);
	T_OK(move(&p, &a, false));
	T_IS(a.completed, 1);
	T_IS(a.err, 0);
	T_MEM(p.b.mem + 5, p.a.mem + 1, 1000);
	T_MEM(p.b.mem + 1005, p.a.mem + 2000, BYTES - 1000);
	close_pair(&p);
}

/*
 * Without a free descriptor or record, a transfer returns an error and leaves
 * no descriptor in the queue.
 */
static void transfer_without_descriptor_returns_eagain(void **state)
{
	struct pair p;
	struct transfer a;
	struct weft_list kept;
	unsigned all;

	open_pair(&p);
	all = in_list(&p.a.s->dma_free);
	weft_list_init(&kept);
	while (in_list(&p.a.s->dma_free) > 1)
		weft_list_push_back(&kept,
				    weft_list_pop_front(&p.a.s->dma_free));
	T_IS(move(&p, &a, true), -EAGAIN);
	T_IS(a.completed, 0);
	T_IS(in_list(&p.a.s->dma_free), 1);
	while (!weft_list_empty(&kept))
		weft_list_push_back(&p.a.s->dma_free,
				    weft_list_pop_front(&kept));
	T_IS(in_list(&p.a.s->dma_free), all);
	T_OK(move(&p, &a, true));
	T_IS(a.completed, 1);
	close_pair(&p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		T_CASE(a_get_uses_descriptors_and_an_event),
		T_CASE(a_put_uses_descriptors_and_an_event),
		T_CASE(transfer_without_descriptor_returns_eagain),
	};

	return T_RUN(tests);
}

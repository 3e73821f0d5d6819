/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Links to the neighbours, and which of them a packet takes: the one with the
 * fewest packets, in turn where several have as few; or, where it must not be
 * chosen by load, one by a hash. Packets on one link keep their order, those on
 * different ones overtake each other: a lot, the same on every run, says which
 * link moves next. Without links the carrier's order is all there is.
 */
#include "prov/nic/fma/fma_dev.h"

#include "src/base/attr.h"
#include "src/base/hash.h"
#include "src/base/iov.h"

#include <errno.h>
#include <stdlib.h>

#define LINK_PACKETS 16 /* that wait on a link at most */

struct link_packet {
	struct weft_list at;
	struct weft_peer *peer;
	struct weft_pkt pkt;
	unsigned char payload[];
};

void fma_link_init(struct weft_fma *f, unsigned links)
{
	f->links = links;
	weft_rng_init(&f->link_lot, 1, 0);
	for (unsigned i = 0; i < WEFT_FMA_LINKS; i++)
		weft_list_init(&f->link[i].queue);
}

void fma_link_fini(struct weft_fma *f)
{
	struct weft_list *pos;

	for (unsigned i = 0; i < f->links; i++)
		while ((pos = weft_list_pop_front(&f->link[i].queue)))
			free(weft_container_of(pos, struct link_packet, at));
}

/* The one with the least load; from another one on each time. */
static struct fma_link *link_adaptive(struct weft_fma *f)
{
	unsigned first = f->link_next++;
	struct fma_link *best = &f->link[first % f->links];

	for (unsigned i = 1; i < f->links; i++) {
		struct fma_link *l = &f->link[(first + i) % f->links];

		if (l->count < best->count)
			best = l;
	}
	return best;
}

static struct fma_link *link_hashed(struct weft_fma *f,
				    const struct fma_request *r)
{
	uint64_t key = r->peer->index;

	if (!(r->delivery & WEFT_FMA_NO_HASH))
		key |= (r->offset / WEFT_FMA_STORE + 1) << 24;
	return &f->link[weft_hash_mix(key) % f->links];
}

int fma_link_send(struct weft_fma *f, const struct fma_request *r,
		  const struct weft_pkt *pkt)
{
	struct weft_carrier *c = f->port.carrier;
	struct link_packet *p;
	struct fma_link *l;

	if (!f->links)
		return c->ops->send(c, r->peer, pkt, r->iov, r->iov_count);
	if (r->peer->lost)
		return -ECONNRESET;
	l = r->delivery & WEFT_FMA_NO_ADAPT ? link_hashed(f, r)
					    : link_adaptive(f);
	if (l->count == LINK_PACKETS)
		return -EAGAIN;
	p = malloc(sizeof(*p) + pkt->len);
	if (!p)
		return -EAGAIN;
	p->peer = r->peer;
	p->pkt = *pkt;
	weft_iov_gather(p->payload, r->iov, r->iov_count);
	weft_list_push_back(&l->queue, &p->at);
	l->count++;
	return 0;
}

/* The first packet of a link, if it has one and the carrier takes it. */
static int link_move(struct weft_fma *f, struct fma_link *l)
{
	struct weft_carrier *c = f->port.carrier;
	struct link_packet *p;
	struct iovec iov;

	if (!l->count)
		return 0;
	p = weft_container_of(l->queue.next, struct link_packet, at);
	iov.iov_base = p->payload;
	iov.iov_len = p->pkt.len;
	/* of one that is lost the requests are over already */
	if (c->ops->send(c, p->peer, &p->pkt, &iov, p->pkt.len != 0) == -EAGAIN)
		return 0;
	f->stats.link[l - f->link]++;
	weft_list_remove(&p->at);
	l->count--;
	free(p);
	return 1;
}

int fma_link_run(struct weft_fma *f, int budget)
{
	int n = 0;

	for (int i = 0; i < budget; i++)
		n += link_move(
			f, &f->link[weft_rng_below(&f->link_lot, f->links)]);
	return n;
}

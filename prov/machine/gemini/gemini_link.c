/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Links to the neighbours. A packet uses the link with the fewest packets,
 * round-robin among equals or, where the link must not depend on load, a link
 * selected by a hash. Packets on one link keep their order; packets on
 * different links may be reordered: a random number generator with a fixed seed
 * selects the link that sends next. Without links, packets keep the carrier's
 * order. In a torus there are links to each neighbour, but none to the other
 * unit of the chip.
 */
#include "prov/machine/gemini/gemini_dev.h"

#include "src/base/attr.h"
#include "src/base/hash.h"
#include "src/base/iov.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define LINK_PACKETS 16 /* maximum number of queued packets per link */

struct link_packet {
	struct weft_list queue_link;
	struct weft_peer *peer;
	struct weft_pkt pkt;
	unsigned char payload[];
};

static unsigned link_count(const struct weft_gemini *f)
{
	return f->directions * f->links;
}

void gemini_link_init(struct weft_gemini *f,
		      const struct weft_gemini_attr *attr)
{
	f->links = attr->links;
	memcpy(f->torus, attr->torus, sizeof(f->torus));
	f->pe = attr->pe;
	f->directions = f->torus[0] && f->torus[1] && f->torus[2]
				? GEMINI_DIRECTIONS
				: 1;
	weft_rng_init(&f->link_rng, 1, 0);
	for (unsigned i = 0; i < link_count(f); i++)
		weft_list_init(&f->link[i].queue);
}

void gemini_link_fini(struct weft_gemini *f)
{
	struct weft_list *pos;

	for (unsigned i = 0; i < link_count(f); i++)
		while ((pos = weft_list_pop_front(&f->link[i].queue)))
			free(weft_container_of(pos, struct link_packet,
					       queue_link));
}

/* ---- choice of the link ---- */

/* The links towards a PE. */
struct link_direction {
	struct gemini_link *first;
	unsigned count;
};

/*
 * Returns the links in the shorter direction of the first dimension in which
 * the chips differ.
 */
static struct link_direction link_direction_to(struct weft_gemini *f,
					       uint32_t pe)
{
	struct link_direction dir = { .first = f->link, .count = f->links };
	uint32_t from = f->pe / 2, to = pe / 2;
	unsigned d = 0, size, up;

	if (f->directions == 1)
		return dir;
	while (d < 2 && from % f->torus[d] == to % f->torus[d]) {
		from /= f->torus[d];
		to /= f->torus[d++];
	}
	size = f->torus[d];
	up = (to % size + size - from % size) % size;
	dir.first += (2 * d + (2 * up > size)) * f->links;
	if (d == 1 && dir.count > WEFT_GEMINI_LINKS_Y)
		dir.count = WEFT_GEMINI_LINKS_Y;
	return dir;
}

/* Returns the link with the fewest queued packets, round-robin among equals. */
static struct gemini_link *link_adaptive(struct weft_gemini *f,
					 const struct link_direction *dir)
{
	unsigned first = f->link_next++;
	struct gemini_link *best = &dir->first[first % dir->count];

	for (unsigned i = 1; i < dir->count; i++) {
		struct gemini_link *l = &dir->first[(first + i) % dir->count];

		if (l->count < best->count)
			best = l;
	}
	return best;
}

static struct gemini_link *link_hashed(const struct link_direction *dir,
				       const struct gemini_request *r)
{
	uint64_t key = r->peer->index;

	if (!(r->delivery & WEFT_GEMINI_NO_HASH))
		key |= (r->offset / WEFT_GEMINI_STORE + 1) << 24;
	return &dir->first[weft_hash_mix(key) % dir->count];
}

/* ---- sending ---- */

int gemini_link_send(struct weft_gemini *f, const struct gemini_request *r,
		     const struct weft_pkt *pkt)
{
	struct link_direction dir;
	struct link_packet *p;
	struct gemini_link *l;

	/* links are off, or both PEs are on the same chip */
	if (!f->links || (f->directions > 1 && r->pe / 2 == f->pe / 2)) {
		int err = f->port.carrier->ops->send(f->port.carrier, r->peer,
						     pkt, r->iov, r->iov_count);

		f->stats.inside += f->links && !err;
		return err;
	}
	if (r->peer->lost)
		return -ECONNRESET;
	dir = link_direction_to(f, r->pe);
	l = r->delivery & WEFT_GEMINI_NO_ADAPT ? link_hashed(&dir, r)
					       : link_adaptive(f, &dir);
	if (l->count == LINK_PACKETS)
		return -EAGAIN;
	p = malloc(sizeof(*p) + pkt->len);
	if (!p)
		return -EAGAIN;
	p->peer = r->peer;
	p->pkt = *pkt;
	weft_iov_gather(p->payload, r->iov, r->iov_count);
	weft_list_push_back(&l->queue, &p->queue_link);
	l->count++;
	return 0;
}

/*
 * Sends the first packet of a link. Returns the number of packets sent: 0 if
 * there is none or the carrier is full.
 */
static int link_send_first(struct weft_gemini *f, struct gemini_link *l)
{
	struct weft_carrier *c = f->port.carrier;
	struct link_packet *p;
	struct iovec iov;

	if (!l->count)
		return 0;
	p = weft_container_of(l->queue.next, struct link_packet, queue_link);
	iov.iov_base = p->payload;
	iov.iov_len = p->pkt.len;
	/* errors are ignored: requests to a lost peer have already ended */
	if (c->ops->send(c, p->peer, &p->pkt, &iov, p->pkt.len != 0) == -EAGAIN)
		return 0;
	f->stats.link[(unsigned)(l - f->link) % f->links]++;
	weft_list_remove(&p->queue_link);
	l->count--;
	free(p);
	return 1;
}

int gemini_link_run(struct weft_gemini *f, int budget)
{
	int n = 0;

	for (int i = 0; i < budget * (int)f->directions; i++)
		n += link_send_first(
			f,
			&f->link[weft_rng_below(&f->link_rng, link_count(f))]);
	return n;
}

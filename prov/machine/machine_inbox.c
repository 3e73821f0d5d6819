/* SPDX-License-Identifier: BSD-3-Clause */
/* Reassembles engine packets, and keeps packets that the engine refuses. */
#include "prov/machine/machine_inbox.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* A packet kept for later, or being reassembled. */
struct inbox_packet {
	struct inbox_packet *next;
	size_t filled; /* bytes of payload received */
	struct weft_pkt pkt;
	unsigned char payload[];
};

struct inbox_peer {
	struct weft_peer *peer;
	struct inbox_packet *open; /* incomplete packet */
	struct inbox_packet *first;
	struct inbox_packet **last_p;
};

void weft_inbox_init(struct weft_inbox *in, const struct weft_carrier_attr *up,
		     size_t max_bytes)
{
	memset(in, 0, sizeof(*in));
	in->up = up->up;
	in->up_arg = up->up_arg;
	in->max_bytes = max_bytes;
}

static void inbox_peer_free(struct inbox_peer *p)
{
	struct inbox_packet *k;

	if (!p)
		return;
	while ((k = p->first)) {
		p->first = k->next;
		free(k);
	}
	free(p->open);
	free(p);
}

void weft_inbox_fini(struct weft_inbox *in)
{
	for (uint32_t i = 0; i < in->peer.count; i++)
		inbox_peer_free(in->peer.cell[i]);
	weft_table_fini(&in->peer);
	memset(in, 0, sizeof(*in));
}

static struct inbox_peer *inbox_peer(struct weft_inbox *in,
				     struct weft_peer *peer)
{
	void **cell = weft_table_slot(&in->peer, peer->index);
	struct inbox_peer *p;

	if (!cell || *cell)
		return cell ? *cell : NULL;
	p = calloc(1, sizeof(*p));
	if (!p)
		return NULL;
	p->peer = peer;
	p->last_p = &p->first;
	*cell = p;
	return p;
}

bool weft_inbox_holds(const struct weft_inbox *in, const struct weft_peer *peer)
{
	const struct inbox_peer *p;

	if (!in->held)
		return false;
	p = weft_table_get(&in->peer, peer->index);
	return p && p->first;
}

/*
 * Appends payload to the packet being reassembled; delivers the packet when it
 * is complete.
 */
static int inbox_join(struct weft_inbox *in, struct inbox_peer *p,
		      const void *bytes, size_t n)
{
	struct inbox_packet *k = p->open;
	size_t left = k->pkt.len - k->filled;

	n = n < left ? n : left;
	memcpy(k->payload + k->filled, bytes, n);
	k->filled += n;
	if (k->filled < k->pkt.len)
		return 0;
	p->open = NULL;
	if (p->first ||
	    in->up->deliver(in->up_arg, p->peer, &k->pkt, k->payload)) {
		k->next = NULL;
		*p->last_p = k;
		p->last_p = &k->next;
		in->held++;
	} else {
		free(k);
	}
	return 0;
}

int weft_inbox_take(struct weft_inbox *in, struct weft_peer *peer,
		    const void *piece, size_t bytes)
{
	struct inbox_peer *p = inbox_peer(in, peer);
	const char *payload = (const char *)piece + sizeof(struct weft_pkt);
	struct weft_pkt pkt;
	size_t n;
	struct inbox_packet *k;

	if (!p)
		return -ENOMEM;
	if (p->open)
		return inbox_join(in, p, piece, bytes);
	if (bytes < sizeof(pkt))
		return -EPROTO;
	memcpy(&pkt, piece, sizeof(pkt));
	n = bytes - sizeof(pkt);
	if (pkt.len > in->max_bytes)
		return -EPROTO;
	if (!p->first && n >= pkt.len &&
	    !in->up->deliver(in->up_arg, peer, &pkt, payload))
		return 0;
	/* the packet cannot be delivered from the carrier's memory: copy it */
	k = malloc(sizeof(*k) + pkt.len);
	if (!k)
		return -ENOMEM;
	k->pkt = pkt;
	k->filled = 0;
	p->open = k;
	return inbox_join(in, p, payload, n);
}

static int inbox_retry_peer(struct weft_inbox *in, struct inbox_peer *p)
{
	struct inbox_packet *k;
	int n = 0;

	while ((k = p->first)) {
		if (in->up->deliver(in->up_arg, p->peer, &k->pkt, k->payload))
			break;
		p->first = k->next;
		if (!p->first)
			p->last_p = &p->first;
		in->held--;
		free(k);
		n++;
	}
	return n;
}

WEFT_HOT int weft_inbox_retry(struct weft_inbox *in)
{
	int n = 0;

	for (uint32_t i = 0; in->held && i < in->peer.count; i++) {
		if (in->peer.cell[i])
			n += inbox_retry_peer(in, in->peer.cell[i]);
	}
	return n;
}

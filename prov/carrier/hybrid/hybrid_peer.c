/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Peers, and the choice of each peer's carrier. The first send to a peer tries
 * its shared memory; a refusal is logged, and datagrams are used.
 */
#include "prov/carrier/hybrid/hybrid.h"
#include "prov/carrier/shm/shm_reach.h"
#include "src/base/log.h"

#include <errno.h>
#include <stdlib.h>

/* Returns the latest record with that name, or NULL. */
static struct hybrid_peer *peer_find(const struct hybrid *b,
				     const union weft_name *name)
{
	struct hybrid_peer *p = weft_hash_get(&b->by_name, weft_name_key(name));

	return p && weft_name_equal(&p->name, name) ? p : NULL;
}

static int peer_place(struct hybrid *b)
{
	uint32_t room = b->peer_room ? b->peer_room * 2 : 16;
	struct hybrid_peer **more;

	if (b->peer_count < b->peer_room)
		return 0;
	more = realloc(b->peer, room * sizeof(*more));
	if (!more)
		return -ENOMEM;
	b->peer = more;
	b->peer_room = room;
	return 0;
}

static struct hybrid_peer *peer_new(struct hybrid *b,
				    const union weft_name *name)
{
	struct hybrid_peer *p = peer_place(b) ? NULL : calloc(1, sizeof(*p));

	if (!p || weft_hash_set(&b->by_name, weft_name_key(name), p)) {
		free(p);
		return NULL;
	}
	p->name = *name;
	p->base.name = &p->name;
	p->base.index = b->peer_count;
	weft_list_init(&p->end_node);
	b->peer[b->peer_count++] = p;
	/* relaxed: a hint for the wait policy */
	weft_store32_relaxed(&b->oversubscribed, b->peer_count > b->cpus);
	return p;
}

/*
 * Returns whether p's name belongs to a new endpoint now, whose record the shm
 * or sock carrier has already created.
 */
static bool peer_name_reused(struct hybrid_peer *p, const union weft_name *name)
{
	struct weft_peer *now;

	return p->carrier && (p->carrier->ops->peer(p->carrier, name, &now) ||
			      now != p->carrier_peer);
}

static void peer_log_path(const struct hybrid *b, const struct hybrid_peer *p,
			  const char *why)
{
	char name[WEFT_NAME_TEXT];

	if (p->carrier == b->shm)
		weft_log(WEFT_LOG_INFO, "hybrid: %s uses shared memory",
			 weft_name_text(&p->name, name));
	else
		weft_log(WEFT_LOG_INFO, "hybrid: %s uses datagrams: %s",
			 weft_name_text(&p->name, name), why);
}

/*
 * Counts a local peer, so that waits poll shared memory. relaxed: the count is
 * only a hint
 */
static void peer_local_added(struct hybrid *b, const struct hybrid_peer *p)
{
	if (!weft_name_equal(&p->name, &b->name))
		weft_store32_relaxed(&b->local_peers,
				     weft_load32_relaxed(&b->local_peers) + 1);
}

/*
 * Chooses the carrier of p. Returns 0; -EAGAIN: the endpoint does not exist
 * yet; -EHOSTUNREACH: no carrier can reach the peer.
 */
static int peer_choose(struct hybrid *b, struct hybrid_peer *p)
{
	char why[WEFT_SHM_WHY];
	struct weft_carrier *carrier;
	int ret;

	ret = weft_shm_reach(b->shm, &p->name, why);
	if (ret == -EAGAIN)
		return ret;
	carrier = ret ? b->sock : b->shm;
	ret = carrier->ops->peer(carrier, &p->name, &p->carrier_peer);
	if (ret)
		return ret == -ENOMEM ? -EAGAIN : -EHOSTUNREACH;
	p->carrier = carrier;
	if (carrier == b->shm)
		peer_local_added(b, p);
	if (!p->carrier_peer->up)
		p->carrier_peer->up = p;
	peer_log_path(b, p, why);
	return 0;
}

int hybrid_peer(struct weft_carrier *c, const union weft_name *name,
		struct weft_peer **peer_p)
{
	struct hybrid *b = hybrid_of(c);
	struct hybrid_peer *p;
	int ret;

	if (!weft_name_is_ip(name) || !name->in.sin_port ||
	    weft_name_is_any(name))
		return -EHOSTUNREACH;
	p = peer_find(b, name);
	if (!p || p->base.lost || peer_name_reused(p, name))
		p = peer_new(b, name);
	if (!p)
		return -ENOMEM;
	*peer_p = &p->base;
	if (p->carrier)
		return 0;
	/* keep the new name: it may have a hint that the stored one lacks */
	p->name = *name;
	ret = peer_choose(b, p);
	return ret == -EHOSTUNREACH ? ret : 0;
}

int hybrid_peer_connect(struct hybrid *b, struct hybrid_peer *p)
{
	int ret;

	if (p->base.lost || !weft_list_empty(&p->end_node))
		return -ECONNRESET;
	ret = peer_choose(b, p);
	if (ret != -EHOSTUNREACH)
		return ret;
	/* The next poll reports p as lost. */
	weft_list_push_back(&b->ending, &p->end_node);
	return -ECONNRESET;
}

/*
 * Returns the hybrid record for a peer record of shm or sock; creates it if
 * there is none.
 */
static struct hybrid_peer *peer_from_carrier(struct hybrid *b,
					     struct weft_peer *carrier_peer)
{
	struct hybrid_peer *p = peer_find(b, carrier_peer->name);

	if (!p || p->base.lost)
		p = peer_new(b, carrier_peer->name);
	carrier_peer->up = p;
	return p;
}

static int up_deliver(void *arg, struct weft_peer *src,
		      const struct weft_pkt *pkt, const void *payload)
{
	struct hybrid *b = arg;
	struct hybrid_peer *p = src->up ? src->up : peer_from_carrier(b, src);

	if (!p)
		return -EAGAIN;
	/* drop the packet: the peer was lost on the other carrier */
	if (p->base.lost)
		return 0;
	return b->up->deliver(b->up_arg, &p->base, pkt, payload);
}

static void peer_lose(struct hybrid *b, struct hybrid_peer *p, int err)
{
	if (p->base.lost)
		return;
	p->base.lost = (uint16_t)err;
	if (peer_find(b, &p->name) == p)
		weft_hash_del(&b->by_name, weft_name_key(&p->name));
	b->up->lost(b->up_arg, &p->base, err);
}

static void up_lost(void *arg, struct weft_peer *carrier_peer, int err)
{
	struct hybrid *b = arg;
	struct hybrid_peer *p = carrier_peer->up
					? carrier_peer->up
					: peer_from_carrier(b, carrier_peer);

	if (p)
		peer_lose(b, p, err);
}

const struct weft_carrier_up hybrid_peer_up = {
	.deliver = up_deliver,
	.lost = up_lost,
};

void hybrid_peer_report(struct hybrid *b)
{
	struct weft_list *i, *tmp;

	weft_list_each(i, tmp, &b->ending) {
		struct hybrid_peer *p =
			weft_container_of(i, struct hybrid_peer, end_node);

		weft_list_remove(&p->end_node);
		peer_lose(b, p, ECONNRESET);
	}
}

void hybrid_peers_free(struct hybrid *b)
{
	for (uint32_t i = 0; i < b->peer_count; i++)
		free(b->peer[i]);
	free(b->peer);
	weft_hash_fini(&b->by_name);
}

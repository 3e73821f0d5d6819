/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Packets that deliver() refused with -EAGAIN: queued per peer in the order of
 * arrival, so that packets of other peers behind them in the FIFO are
 * delivered.
 */
#include "prov/carrier/shm/shm.h"
#include "src/base/must.h"

#include <errno.h>
#include <string.h>

/* queued packets per peer; further packets of the peer block the FIFO */
#define HELD_MAX 1024

int shm_held_put(struct shm *s, struct shm_rx *rx, const struct weft_pkt *pkt,
		 uint32_t kind, const uint8_t *slot)
{
	struct shm_peer *p = rx->peer;
	struct shm_held *h;

	WEFT_ASSERT(p && p->held_count <= HELD_MAX);
	rx->ready = 0;
	if (p->held_count >= HELD_MAX)
		return -EAGAIN;
	h = weft_pool_get(&s->held_pool);
	if (!h)
		return -EAGAIN;
	WEFT_ASSERT(kind != SHM_LONG || pkt->len <= SHM_LONG_BYTES);
	h->rx = rx;
	h->pkt = *pkt;
	h->kind = kind;
	memcpy(h->payload, slot, kind == SHM_LONG ? pkt->len : SHM_SHORT_BYTES);
	if (!p->held_count++)
		weft_list_push_back(&s->held_peers, &p->held_node);
	weft_list_push_back(&p->held, &h->node);
	rx->seq++;
	return 0;
}

void shm_held_free(struct shm *s, struct shm_peer *p, struct shm_held *h)
{
	WEFT_ASSERT(p->held_count);
	weft_list_remove(&h->node);
	weft_pool_put(&s->held_pool, h);
	if (!--p->held_count)
		weft_list_remove(&p->held_node);
}

void shm_held_drop(struct shm *s, struct shm_peer *p)
{
	struct weft_list *i, *tmp;

	weft_list_each(i, tmp, &p->held)
		shm_held_free(s, p,
			      weft_container_of(i, struct shm_held, node));
	WEFT_ASSERT(!p->held_count);
}

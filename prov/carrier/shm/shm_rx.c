/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reception: poll loads only the word of the next slot. The packet's header is
 * copied once and checked; an invalid packet is counted, and its writer, if
 * known, is marked lost, because one of its packets is missing. A packet that
 * the caller refuses is queued with all later packets of the same peer, and the
 * FIFO continues for other peers.
 */
#include "prov/carrier/shm/shm.h"
#include "src/base/must.h"

#include <errno.h>
#include <string.h>

/* Counts a cell as read, so that its owner may reuse it. */
static void rx_done(struct shm *s, struct shm_rx *rx)
{
	struct shm_entry *e = &s->view.entry[rx - s->rx];

	WEFT_ASSERT(rx >= s->rx && rx < s->rx + s->view.entries);
	/* R2 pairs with A2 in shm_cell_reclaim(). */
	weft_store64(&e->cells_done, ++rx->cells_done);
}

/*
 * Finds the payload of a packet. Returns 0; -EAGAIN; -EPROTO: invalid packet.
 */
static int rx_payload(struct shm *s, struct shm_peer *p,
		      const struct weft_pkt *pkt, uint32_t kind,
		      const uint8_t *slot, const uint8_t **payload_p)
{
	uint32_t cell;
	int ret;

	*payload_p = slot;
	if (kind == SHM_INLINE)
		return pkt->len <= SHM_SHORT_BYTES ? 0 : -EPROTO;
	if (kind == SHM_LONG)
		return 0;
	if (kind != SHM_CELL)
		return -EPROTO;
	if (weft_unlikely(!p->mapped)) {
		ret = shm_peer_map(s, p);
		if (ret)
			return ret;
	}
	memcpy(&cell, slot, sizeof(cell));
	if (cell >= p->view.cells || pkt->len > p->view.cell_bytes ||
	    pkt->len > s->base.mtu)
		return -EPROTO;
	*payload_p = p->view.cell + (size_t)cell * p->view.cell_bytes;
	return 0;
}

static int rx_offer(struct shm *s, struct shm_rx *rx,
		    const struct weft_pkt *pkt, uint32_t kind,
		    const uint8_t *slot)
{
	struct shm_peer *p = rx->peer;
	const uint8_t *payload;
	int ret = rx_payload(s, p, pkt, kind, slot, &payload);

	if (weft_likely(!ret))
		ret = s->up->deliver(s->up_arg, &p->base, pkt, payload);
	else if (ret != -EAGAIN)
		return ret;
	if (weft_unlikely(ret))
		return -EAGAIN;
	if (kind == SHM_CELL)
		rx_done(s, rx);
	s->stats.received++;
	return 0;
}

/* Offers the queued packets of p again; returns the number delivered. */
static int rx_retry_peer(struct shm *s, struct shm_peer *p, int budget)
{
	int n = 0;
	int ret;

	while (n < budget && p->held_count) {
		struct shm_held *h =
			weft_container_of(p->held.next, struct shm_held, node);

		WEFT_ASSERT(!weft_list_empty(&p->held) && h->rx->peer == p);
		ret = rx_offer(s, h->rx, &h->pkt, h->kind, h->payload);
		if (ret == -EAGAIN)
			break;
		if (ret) {
			/*
			 * the later packets cannot be delivered in order
			 * without this one
			 */
			s->stats.refused++;
			shm_peer_fail(s, p, -ret);
			shm_held_drop(s, p);
			break;
		}
		shm_held_free(s, p, h);
		n++;
	}
	return n;
}

static int rx_retry(struct shm *s, int budget)
{
	struct weft_list *i, *tmp;
	int n = 0;

	weft_list_each(i, tmp, &s->held_peers)
		n += rx_retry_peer(
			s, weft_container_of(i, struct shm_peer, held_node),
			budget - n);
	return n;
}

/* Returns the reception state of a writer; admits a new writer. */
static struct shm_rx *rx_writer(struct shm *s, uint16_t writer)
{
	if (weft_unlikely(writer >= s->view.entries))
		return NULL;
	if (weft_unlikely(!s->rx[writer].peer) && !shm_peer_admit(s, writer))
		return NULL;
	WEFT_ASSERT(s->rx[writer].peer && writer < s->rx_used);
	return &s->rx[writer];
}

/* Prepares the fast path for the writer's next packet. */
static void rx_expect(struct shm_rx *rx, uint16_t writer)
{
	WEFT_ASSERT(rx->peer && !rx->peer->held_count);
	rx->seq++;
	if (rx->peer->state != SHM_PEER_LOST)
		rx->ready = shm_word(0, SHM_INLINE, rx->seq, writer) + 1;
}

/* Assembles a long payload; returns NULL if its length is invalid. */
static const uint8_t *rx_join(struct shm *s, const struct shm_slot *slot,
			      size_t len)
{
	uint32_t mask = s->view.slots - 1;
	uint32_t at = (uint32_t)(slot - s->view.slot);
	size_t done = SHM_SHORT_BYTES;

	if (len <= SHM_SHORT_BYTES || len > SHM_LONG_BYTES)
		return NULL;
	WEFT_ASSERT(at < s->view.slots && s->rx_step == 1);
	memcpy(s->rx_long, slot->payload, SHM_SHORT_BYTES);
	for (; done < len; done += SHM_MORE_BYTES, s->rx_step++) {
		slot = &s->view.slot[++at & mask];
		if (weft_likely(len - done >= SHM_MORE_BYTES))
			memcpy(s->rx_long + done, slot->rest, SHM_MORE_BYTES);
		else
			memcpy(s->rx_long + done, slot->rest, len - done);
	}
	return s->rx_long;
}

/*
 * Slow path: receives the packet in slot. Returns 1: delivered; 0: the slot is
 * consumed; -EAGAIN: the slot must stay.
 */
static int rx_slow_path(struct shm *s, const struct shm_slot *slot,
			uint64_t word)
{
	const uint8_t *payload = slot->payload;
	struct shm_rx *rx;
	struct weft_pkt pkt;
	uint32_t kind;
	int ret;

	memcpy(&pkt, &word, sizeof(word));
	memcpy(&pkt.unit, slot->rest, sizeof(slot->rest));
	kind = shm_word_kind(pkt.carrier);
	if (weft_unlikely(kind == SHM_SKIPPED))
		return 0;
	rx = rx_writer(s, shm_word_writer(pkt.carrier));
	if (kind == SHM_LONG)
		payload = rx_join(s, slot, pkt.len);
	if (weft_unlikely(!rx || !payload)) {
		s->stats.refused++;
		return 0;
	}
	if (weft_unlikely(rx->peer->state == SHM_PEER_LOST &&
			  rx->peer->base.lost))
		return 0;
	if (weft_unlikely(shm_word_seq(pkt.carrier) != (rx->seq & 63))) {
		s->stats.refused++;
		shm_peer_fail(s, rx->peer, EPROTO);
		return 0;
	}
	ret = -EAGAIN;
	if (weft_likely(!rx->peer->held_count))
		ret = rx_offer(s, rx, &pkt, kind, payload);
	if (weft_likely(!ret)) {
		rx_expect(rx, shm_word_writer(pkt.carrier));
		return 1;
	}
	if (ret == -EAGAIN)
		return shm_held_put(s, rx, &pkt, kind, payload);
	s->stats.refused++;
	shm_peer_fail(s, rx->peer, -ret);
	return 0;
}

/*
 * Publishes the read position once every slots / 8 slots, since senders rarely
 * read it.
 */
static void rx_publish(struct shm *s, uint64_t next)
{
	WEFT_ASSERT(next >= s->rx_head && next - s->rx_head <= s->view.slots);
	if (next - s->rx_head < s->view.slots / 8)
		return;
	s->rx_head = next;
	/* R3 pairs with A3 in tx_read_head(). */
	weft_store64(&s->view.head->head, next);
}

/*
 * Fast path for a short packet of a connected peer; calls rx_slow_path() for
 * all others.
 */
WEFT_INLINE int rx_fast_path(struct shm *s, const struct shm_slot *slot,
			     uint64_t word)
{
	uint32_t carrier = shm_slot_carrier(word);
	uint16_t writer = shm_word_writer(carrier);
	struct shm_rx *rx = &s->rx[writer];
	struct weft_pkt pkt;

	if (weft_unlikely(writer >= s->view.entries ||
			  (carrier & 0xffffff) + 1 != rx->ready))
		return rx_slow_path(s, slot, word);
	memcpy(&pkt, &word, sizeof(word));
	/*
	 * copied in the pieces in which the header is read later: a load that
	 * spans two stores stalls
	 */
	memcpy(&pkt.unit, slot->rest, sizeof(slot->rest[0]));
	memcpy(&pkt.tag, slot->rest + 1, 2 * sizeof(slot->rest[0]));
	if (weft_unlikely(pkt.len > SHM_SHORT_BYTES))
		return rx_slow_path(s, slot, word);
	if (weft_unlikely(s->up->deliver(s->up_arg, &rx->peer->base, &pkt,
					 slot->payload)))
		return shm_held_put(s, rx, &pkt, SHM_INLINE, slot->payload);
	rx_expect(rx, writer);
	s->stats.received++;
	return 1;
}

/*
 * Prefetch distance in slots. The cache lines come from another core's cache;
 * without prefetch, each packet would wait for one cache miss. Distances of 3
 * and more perform alike; a short one is used, because a line that is
 * prefetched before it is written is transferred twice.
 */
#define RX_PREFETCH 4

static struct shm_slot *rx_slot(const struct shm *s, uint64_t ticket)
{
	return &s->view.slot[ticket & (s->view.slots - 1)];
}

static int rx_fifo(struct shm *s, int budget)
{
	/* relaxed: only poll writes rx_next */
	uint64_t next = weft_load64_relaxed(&s->rx_next);
	int n = 0;
	int ret;

	while (n < budget) {
		struct shm_slot *slot = rx_slot(s, next);
		/* A0 pairs with R0 in tx_publish(). */
		uint64_t word = weft_load64(&slot->word);

		if (shm_word_lap(shm_slot_carrier(word)) !=
		    shm_lap(next, s->view.lg))
			break;
		weft_prefetch(rx_slot(s, next + RX_PREFETCH));
		s->rx_step = 1;
		ret = rx_fast_path(s, slot, word);
		if (weft_unlikely(ret < 0))
			break;
		WEFT_ASSERT(s->rx_step && s->rx_step <= SHM_LONG_SLOTS);
		n += ret;
		next += s->rx_step;
		/* relaxed: wait only uses it to select the slot to watch */
		weft_store64_relaxed(&s->rx_next, next);
		rx_publish(s, next);
	}
	return n;
}

/* Polls between two reads of the clock. */
#define RX_TICK_POLLS 128

int shm_poll(struct weft_carrier *c, int budget)
{
	struct shm *s = shm_of(c);
	int n = 0;

	if (weft_unlikely(!weft_list_empty(&s->held_peers)))
		n = rx_retry(s, budget);
	n += rx_fifo(s, budget - n);
	/* relaxed: set by a waiting thread, which polls after the wait */
	if (weft_unlikely(++s->polls % RX_TICK_POLLS == 0 ||
			  (!n && weft_load32_relaxed(&s->nudge))))
		shm_tick(s);
	return n;
}

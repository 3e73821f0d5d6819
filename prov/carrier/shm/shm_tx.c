/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Sending: reserves a slot of the peer's FIFO by one compare-and-swap of the
 * tail word, fills the slot, and publishes it by storing the slot's word. With
 * a single sender, the common case, the tail's cache line stays in the
 * sender's cache, and only the slot's line is transferred.
 *
 * The swap is relaxed on purpose. With release it would wait for the stores
 * into the previous slot (a line that is still in the receiver's cache), and
 * packets would be sent one cache miss after the other: 14 instead of 63
 * million a second on a Neoverse V1. The slot's word and head provide the
 * ordering.
 */
#include "prov/carrier/shm/shm.h"
#include "src/base/copy.h"
#include "src/base/iov.h"
#include "src/base/must.h"

#include <errno.h>
#include <string.h>

/*
 * Records in the owner words that `writer` reserved `ticket`, the last reserved
 * one. All senders that compete for the next ticket write the same value; a
 * sender that is late by a lap must not overwrite a newer record.
 */
static void tx_record(struct shm_view *v, uint64_t ticket, uint16_t writer)
{
	weft_au64 *o = &v->owner[ticket & (v->slots - 1)];
	uint64_t now = shm_tail_make(ticket, writer);
	/* relaxed: R1 in tx_swap() publishes the record with the tail */
	uint64_t old = weft_load64_relaxed(o);

	while (old < now && !atomic_compare_exchange_weak_explicit(
				    o, &old, now, memory_order_relaxed,
				    memory_order_relaxed))
		;
}

/*
 * The pages of a peer's FIFO are allocated on first touch, with one page fault
 * on each side per 32 packets. A sender of a stream populates all pages at
 * once; a sender of few packets, or one that exchanges packets with the peer,
 * does not. The fast path counts no packets for this: until the pages are
 * populated, head_seen is set so that the FIFO appears full every
 * TX_CHECK_SLOTS slots.
 */
#define TX_CHECK_SLOTS 32 /* slots between two checks */
#define TX_EXCHANGE    8  /* number of received packets that show an exchange */

static void tx_populate(struct shm *s, struct shm_peer *p, uint64_t ticket)
{
	uint64_t soon = ticket + TX_CHECK_SLOTS - p->view.slots;
	uint64_t received_seen = s->stats.received - p->received_seen;

	WEFT_ASSERT(!p->warm);
	if (p->seq && received_seen < TX_EXCHANGE) {
		p->warm = true;
		weft_region_populate(p->slot, p->view.slots * SHM_SLOT_BYTES);
		return;
	}
	p->received_seen = s->stats.received;
	if ((int64_t)(p->head_seen - soon) > 0)
		p->head_seen = soon;
}

static void tx_read_head(struct shm *s, struct shm_peer *p, uint64_t ticket)
{
	/* A3 pairs with R3 in rx_publish(): the slot was read before reuse. */
	p->head_seen = weft_load64(&p->head->head);
	if (!p->warm)
		tx_populate(s, p, ticket);
}

/*
 * Number of attempts for which a tail more than a FIFO length ahead of the head
 * is attributed to an outdated value of the head.
 */
#define TX_OLD_HEADS 1000

/*
 * Handles a tail that is too far ahead of the head: returns -EAGAIN, or -EPROTO
 * if the difference persists. The tail is loaded and stored relaxed, so a
 * processor may load the head before the tail, and see an older head than the
 * sender that moved the tail did.
 */
static WEFT_COLD int tx_old_head(struct shm_peer *p)
{
	return ++p->old_heads < TX_OLD_HEADS ? -EAGAIN : -EPROTO;
}

/*
 * Returns 0 if n slots starting at ticket are free; reads the receiver's head
 * if the cached value shows no free slots. The head may be ahead of an old
 * ticket.
 */
static int tx_room(struct shm *s, struct shm_peer *p, uint64_t ticket,
		   uint32_t n)
{
	int64_t slots = p->view.slots;
	int64_t used = (int64_t)(ticket - p->head_seen);

	WEFT_ASSERT(n && n <= p->view.slots);
	if (weft_likely(used >= 0 && used + n <= slots))
		return 0;
	tx_read_head(s, p, ticket);
	used = (int64_t)(ticket - p->head_seen);
	if (weft_unlikely(used > slots))
		return tx_old_head(p);
	p->old_heads = 0;
	return used >= 0 && used + n <= slots ? 0 : -EAGAIN;
}

/* Moves the tail from *t_p to next; returns whether the slots are reserved. */
static bool tx_swap(struct shm_peer *p, uint64_t *t_p, uint64_t next)
{
	uint64_t ticket = shm_tail_ticket(*t_p);

	if (weft_likely(shm_tail_writer(*t_p) == p->writer))
		/* relaxed: see the comment at the top of this file */
		return atomic_compare_exchange_strong_explicit(
			&p->head->tail, t_p, next, memory_order_relaxed,
			memory_order_relaxed);
	if (ticket)
		tx_record(&p->view, ticket - 1, shm_tail_writer(*t_p));
	/*
	 * R1 pairs with A1 in tick_tail(): the previous owner is recorded
	 * before the next ticket is taken.
	 */
	return atomic_compare_exchange_strong_explicit(
		&p->head->tail, t_p, next, memory_order_release,
		memory_order_relaxed);
}

/*
 * Slow path of a reservation: another writer was last, or the FIFO may be full.
 */
static int tx_reserve_any(struct shm *s, struct shm_peer *p, uint32_t n,
			  uint64_t *ticket_p)
{
	/* relaxed: see the comment at the top of this file */
	uint64_t t = weft_load64_relaxed(&p->head->tail);
	int ret;

	do {
		*ticket_p = shm_tail_ticket(t);
		ret = tx_room(s, p, *ticket_p, n);
		if (weft_unlikely(ret))
			return ret;
	} while (weft_unlikely(
		!tx_swap(p, &t, shm_tail_make(*ticket_p + n, p->writer))));
	return 0;
}

static struct shm_slot *tx_slot(const struct shm_peer *p, uint64_t ticket)
{
	return &p->slot[ticket & ((UINT64_C(1) << p->lg) - 1)];
}

/*
 * Prefetch distance in slots, for writing. On x86 the next swap of the tail
 * waits for the stores into the slot, which are fast if its line is in the
 * sender's cache. A sender that was not the last writer does not prefetch:
 * another writer may use the line.
 */
#define TX_PREFETCH 8

/* Fast path: this sender was the last writer, and the next slot is free. */
WEFT_INLINE bool tx_reserve_next(struct shm_peer *p, uint64_t *ticket_p)
{
	uint64_t t = weft_load64_relaxed(&p->head->tail);

	*ticket_p = shm_tail_ticket(t);
	if (weft_unlikely(shm_tail_writer(t) != p->writer ||
			  (*ticket_p - p->head_seen) >> p->lg != 0))
		return false;
	weft_prefetch_write(tx_slot(p, *ticket_p + TX_PREFETCH));
	return weft_likely(atomic_compare_exchange_strong_explicit(
		&p->head->tail, &t, shm_tail_make(*ticket_p + 1, p->writer),
		memory_order_relaxed, memory_order_relaxed));
}

static int tx_reserve(struct shm *s, struct shm_peer *p, uint64_t *ticket_p)
{
	if (weft_likely(tx_reserve_next(p, ticket_p)))
		return 0;
	return tx_reserve_any(s, p, 1, ticket_p);
}

static WEFT_COLD int tx_wake(struct shm *s, struct shm_peer *p)
{
	shm_wake_peer(s, p);
	return 0;
}

/*
 * Publishes the filled slot and wakes the receiver if it is blocked; returns 0.
 */
WEFT_INLINE int tx_publish(struct shm *s, struct shm_peer *p,
			   struct shm_slot *slot, uint64_t ticket,
			   const struct weft_pkt *pkt, uint32_t kind)
{
	uint32_t carrier =
		shm_word(shm_lap(ticket, p->lg), kind, p->seq++, p->writer);
	uint32_t low;

	WEFT_ASSERT(p->writer != SHM_NO_WRITER);
	memcpy(slot->rest, &pkt->unit, sizeof(slot->rest));
	memcpy(&low, pkt, sizeof(low));
	/*
	 * R0 pairs with A0 in rx_fifo(): the contents of the slot are stored
	 * before its word.
	 */
	weft_store64(&slot->word, shm_slot_word(low, carrier));
	s->stats.sent++;
	/*
	 * F0: store, then load; ordered by the waiter's membarrier or by this
	 * fence
	 */
	if (weft_unlikely(p->fence))
		weft_fence_full();
	else
		atomic_signal_fence(memory_order_seq_cst);
	/* relaxed: a hint; a waiter that is missed here sees the slot */
	if (weft_unlikely(weft_load32_relaxed(&p->head->wake)))
		return tx_wake(s, p);
	return 0;
}

static WEFT_NOINLINE int tx_short(struct shm *s, struct shm_peer *p,
				  const struct weft_pkt *pkt,
				  const struct iovec *iov, int count)
{
	struct shm_slot *slot;
	uint64_t ticket;
	int ret = tx_reserve(s, p, &ticket);

	if (weft_unlikely(ret))
		return ret;
	slot = tx_slot(p, ticket);
	WEFT_ASSERT(pkt->len <= SHM_SHORT_BYTES);
	weft_iov_gather(slot->payload, iov, count);
	return tx_publish(s, p, slot, ticket, pkt, SHM_INLINE);
}

/* Fills a continuation slot of a long packet. */
static void tx_more(struct shm_peer *p, uint64_t ticket, const uint8_t *from,
		    size_t len)
{
	struct shm_slot *slot = tx_slot(p, ticket);
	uint32_t carrier =
		shm_word(shm_lap(ticket, p->lg), SHM_SKIPPED, 0, SHM_NO_WRITER);

	/* relaxed: published by the packet's first slot */
	weft_store64_relaxed(&slot->word, shm_slot_word(0, carrier));
	if (weft_likely(len >= SHM_MORE_BYTES))
		memcpy(slot->rest, from, SHM_MORE_BYTES);
	else
		memcpy(slot->rest, from, len);
}

/*
 * Sends a payload in several slots, so that only the cache lines in use are
 * transferred.
 */
static int tx_long(struct shm *s, struct shm_peer *p,
		   const struct weft_pkt *pkt, const struct iovec *iov,
		   int count)
{
	uint8_t whole[SHM_LONG_BYTES];
	const uint8_t *from = whole;
	uint32_t n = shm_long_slots(pkt->len);
	uint64_t ticket;
	int ret;

	WEFT_ASSERT(n > 1 && n <= SHM_LONG_SLOTS && n <= p->view.slots);
	if (weft_likely(count == 1))
		from = iov->iov_base;
	else
		weft_iov_gather(whole, iov, count);
	ret = tx_reserve_any(s, p, n, &ticket);
	if (weft_unlikely(ret))
		return ret;
	memcpy(tx_slot(p, ticket)->payload, from, SHM_SHORT_BYTES);
	for (uint32_t i = 1; i < n; i++) {
		size_t at = SHM_SHORT_BYTES + (i - 1) * SHM_MORE_BYTES;

		tx_more(p, ticket + i, from + at, pkt->len - at);
	}
	return tx_publish(s, p, tx_slot(p, ticket), ticket, pkt, SHM_LONG);
}

/* Writes the payload: copies it, or calls the caller's fill function. */
static void tx_fill(struct shm *s, void *to, const struct iovec *iov, int count)
{
	const struct weft_fill *f;

	if (weft_likely(count == 1)) {
		weft_copy_piece(to, iov->iov_base, iov->iov_len, s->copy_span);
		return;
	}
	if (weft_likely(count != WEFT_IOV_FILL)) {
		weft_iov_gather(to, iov, count);
		return;
	}
	f = iov->iov_base;
	f->fill(f->arg, f->pos, to, iov->iov_len);
}

static int tx_cell(struct shm *s, struct shm_peer *p,
		   const struct weft_pkt *pkt, const struct iovec *iov,
		   int count)
{
	uint64_t ticket = shm_tail_ticket(weft_load64_relaxed(&p->head->tail));
	uint32_t named;
	uint16_t cell;
	int ret = tx_room(s, p, ticket, 1);

	if (ret)
		return ret;
	ret = shm_cell_get(s, p, &cell);
	if (ret)
		return ret;
	/* fill the cell first, so that the slot is reserved only briefly */
	tx_fill(s, s->view.cell + (size_t)cell * s->view.cell_bytes, iov,
		count);
	ret = tx_reserve(s, p, &ticket);
	if (ret) {
		shm_cell_put(s, cell);
		return ret;
	}
	WEFT_ASSERT(pkt->len <= s->view.cell_bytes);
	shm_cell_sent(s, p, cell);
	named = cell;
	memcpy(tx_slot(p, ticket)->payload, &named, sizeof(named));
	return tx_publish(s, p, tx_slot(p, ticket), ticket, pkt, SHM_CELL);
}

/* Converts the error of an attempt into the result of send. */
static int tx_failed(struct shm *s, struct shm_peer *p, int err)
{
	if (err == -EAGAIN) {
		s->stats.full++;
		/* relaxed: a hint for wait, usually in the same thread */
		weft_store32_relaxed(&s->waiter.full, 1);
		return -EAGAIN;
	}
	shm_peer_fail(s, p, -err);
	return -ECONNRESET;
}

static WEFT_NOINLINE int tx_slow_path(struct shm *s, struct shm_peer *p,
				      const struct weft_pkt *pkt,
				      const struct iovec *iov, int iov_count)
{
	int ret;

	if (weft_unlikely(p->state != SHM_PEER_UP)) {
		ret = shm_peer_connect(s, p);
		if (ret)
			return ret;
	}
	if (pkt->len <= SHM_SHORT_BYTES)
		ret = tx_short(s, p, pkt, iov, iov_count);
	else if (pkt->len <= SHM_LONG_BYTES)
		ret = tx_long(s, p, pkt, iov, iov_count);
	else if (pkt->len <= s->view.cell_bytes)
		ret = tx_cell(s, p, pkt, iov, iov_count);
	else
		return -EMSGSIZE;
	return weft_likely(!ret) ? 0 : tx_failed(s, p, ret);
}

/*
 * Sends a payload that fills the first line of a slot. The sender has just
 * stored the payload word by word: wider loads would wait for these stores.
 */
static WEFT_NOINLINE int tx_line(struct shm *s, struct shm_peer *p,
				 const struct weft_pkt *pkt,
				 const struct iovec *iov, int iov_count)
{
	const weft_au64 *from = iov->iov_base;
	struct shm_slot *slot;
	uint64_t ticket;

	if (weft_unlikely(p->state != SHM_PEER_UP || iov_count != 1 ||
			  (uintptr_t)from % 8 || !tx_reserve_next(p, &ticket)))
		return tx_slow_path(s, p, pkt, iov, iov_count);
	slot = tx_slot(p, ticket);
	for (unsigned i = 0; i < SHM_LINE_BYTES / 8; i++) {
		/* relaxed: `from` is memory of this process */
		uint64_t v = weft_load64_relaxed(&from[i]);

		memcpy(slot->payload + 8 * i, &v, sizeof(v));
	}
	return tx_publish(s, p, slot, ticket, pkt, SHM_INLINE);
}

/*
 * Sends a packet. Fast path: 8 bytes in one iovec, a connected peer, a free
 * slot.
 */
int shm_send(struct weft_carrier *c, struct weft_peer *peer,
	     const struct weft_pkt *pkt, const struct iovec *iov, int iov_count)
{
	struct shm *s = shm_of(c);
	struct shm_peer *p = shm_peer_of(peer);
	struct shm_slot *slot;
	uint64_t ticket;

	if (weft_unlikely(p->state != SHM_PEER_UP || pkt->len != 8 ||
			  iov_count != 1 || iov->iov_len != 8 ||
			  !tx_reserve_next(p, &ticket)))
		return pkt->len == SHM_LINE_BYTES
			       ? tx_line(s, p, pkt, iov, iov_count)
			       : tx_slow_path(s, p, pkt, iov, iov_count);
	slot = tx_slot(p, ticket);
	memcpy(slot->payload, iov->iov_base, 8);
	return tx_publish(s, p, slot, ticket, pkt, SHM_INLINE);
}

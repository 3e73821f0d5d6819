/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Housekeeping, called by poll a few times a second: detects peers that died or
 * closed, handles requests at the socket, and repairs a FIFO that is stuck at a
 * slot whose writer was killed between reserving and publishing it.
 */
#include "prov/carrier/shm/shm.h"
#include "src/os/alive.h"
#include "src/base/clock.h"
#include "src/base/log.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#define TICK_NS		 UINT64_C(25000000)
/* age of a stuck slot at which its writer is checked */
#define TICK_STUCK_NS	 UINT64_C(20000000)
/* age at which the stuck slot of a lost writer is skipped */
#define TICK_GIVEN_UP_NS UINT64_C(100000000)
/* age of a stuck slot at which a writer that used TICK_RUN_CPU is lost */
#define TICK_RUN_NS	 UINT64_C(2000000000)
/* CPU time used by the writer since its slot was found stuck, s */
#define TICK_RUN_CPU	 1
#define TICK_ENTRIES	 64
#define TICK_MANY	 16 /* peers that can be checked at the full rate */

static uint64_t tick_tail(const struct shm *s)
{
	/*
	 * A1 pairs with R1 in tx_swap(): the owners of slots below the tail are
	 * recorded.
	 */
	return weft_load64(&s->view.head->tail);
}

/* Checks a peer in another pid namespace, by the lock of its region. */
static void tick_other_namespace(struct shm *s, struct shm_peer *p)
{
	int ret = shm_peer_map(s, p);

	if (ret && ret != -EAGAIN)
		shm_peer_fail(s, p, -ret);
}

void shm_tick_peer(struct shm *s, struct shm_peer *p)
{
	uint32_t state;

	if (!p->id.pid)
		return;
	if (p->state == SHM_PEER_LOST) {
		if (p->cells_sent != p->cells_reclaimed &&
		    !shm_peer_alive(s, p))
			shm_cell_forget(s, p);
		return;
	}
	state = p->mapped ? weft_load32(&p->view.head->state) : SHM_OPEN;
	if (state == SHM_CLOSED)
		shm_peer_fail(s, p, ESHUTDOWN);
	else if (state != SHM_OPEN || shm_peer_refuses(p))
		shm_peer_fail(s, p, EPROTO);
	else if (!shm_peer_alive(s, p))
		shm_peer_fail(s, p, ECONNRESET);
	else if (!p->mapped && shm_peer_other_namespace(s, p))
		tick_other_namespace(s, p);
}

/* Checks some of the peers in each call, or all if there are few. */
static void tick_peers(struct shm *s)
{
	uint32_t n = 8 + s->peer_count / 8;

	if (s->identified <= TICK_MANY || n > s->peer_count)
		n = s->peer_count;
	while (n-- > 0) {
		if (s->tick_peer >= s->peer_count)
			s->tick_peer = 0;
		shm_tick_peer(s, s->peer[s->tick_peer++]);
	}
}

static void tick_entry(struct shm *s, uint16_t i)
{
	struct shm_entry *e = &s->view.entry[i];
	uint64_t state = weft_load64(&e->state);
	struct shm_id id = { .pid = (uint32_t)(state >> 32) };

	switch (state & 0xff) {
	case SHM_CLAIMED:
		/* free the entry: the writer was killed while it filled it */
		if (id.pid && !shm_id_alive(&id))
			weft_store64(&e->state, 0);
		break;
	case SHM_READY:
		if (!s->rx[i].peer)
			shm_peer_admit(s, i);
		break;
	case SHM_LEFT:
		if (s->rx[i].peer || shm_peer_admit(s, i))
			shm_peer_fail(s, s->rx[i].peer, ESHUTDOWN);
		break;
	default:
		break;
	}
}

static void tick_entries(struct shm *s)
{
	uint32_t used = weft_load32(&s->view.head->entry_next);
	uint32_t n = TICK_ENTRIES;

	if (used > s->view.entries)
		used = s->view.entries;
	if (n > used)
		n = used;
	while (n-- > 0) {
		if (s->tick_entry >= used)
			s->tick_entry = 0;
		tick_entry(s, (uint16_t)s->tick_entry++);
	}
}

/*
 * Returns the writer that reserved ticket: the writer in the first owner record
 * at or after ticket, or the last writer if there is no such record.
 */
static uint16_t stuck_slot_writer(const struct shm *s, uint64_t ticket,
				  uint64_t tail)
{
	for (; ticket + 1 < shm_tail_ticket(tail); ticket++) {
		/* relaxed: ordered by A1 */
		uint64_t o = weft_load64_relaxed(
			&s->view.owner[ticket & (s->view.slots - 1)]);

		if (shm_tail_ticket(o) == ticket)
			return shm_tail_writer(o);
	}
	return shm_tail_writer(tail);
}

static void stuck_skip(struct shm *s, uint64_t next, uint16_t writer)
{
	struct shm_slot *slot = &s->view.slot[next & (s->view.slots - 1)];
	struct weft_pkt pkt = { 0 };
	uint64_t word;

	/* the writer is dead, so this endpoint may fill the slot */
	pkt.carrier =
		shm_word(shm_lap(next, s->view.lg), SHM_SKIPPED, 0, writer);
	memcpy(&word, &pkt, sizeof(word));
	weft_store64(&slot->word, word);
	s->stats.skipped++;
	s->stuck_ticket = UINT64_MAX;
}

/*
 * Reads the carrier's word of ticket's slot; returns whether it was written for
 * ticket.
 */
static bool stuck_word(const struct shm *s, uint64_t ticket, uint32_t *word_p)
{
	uint64_t word =
		weft_load64(&s->view.slot[ticket & (s->view.slots - 1)].word);
	struct weft_pkt pkt;

	memcpy(&pkt, &word, sizeof(word));
	*word_p = pkt.carrier;
	return shm_word_lap(pkt.carrier) == shm_lap(ticket, s->view.lg);
}

/*
 * Returns whether the writer has published a later slot: since a writer
 * publishes its slots in ticket order, it will not publish this one.
 */
static bool stuck_published_later(const struct shm *s, uint64_t ticket,
				  uint64_t tail, uint16_t writer)
{
	uint32_t word;

	while (++ticket < shm_tail_ticket(tail)) {
		if (stuck_word(s, ticket, &word) &&
		    shm_word_writer(word) == writer)
			return true;
	}
	return false;
}

/*
 * Returns whether the writer has used so much CPU time since its slot was found
 * stuck that it cannot be between reserving and publishing.
 */
static bool stuck_writer_ran(struct shm *s, const struct shm_peer *p,
			     uint64_t now)
{
	uint64_t cpu;

	if (shm_peer_other_namespace(s, p))
		return false;
	cpu = weft_proc_cpu_ticks(p->id.pid);
	if (!s->stuck_cpu)
		s->stuck_cpu = cpu;
	return now - s->stuck_ns > TICK_RUN_NS &&
	       cpu - s->stuck_cpu >
		       TICK_RUN_CPU * (uint64_t)sysconf(_SC_CLK_TCK);
}

/*
 * Returns whether the slot will never be published: its writer is dead or lost,
 * or has continued without publishing it.
 */
static bool stuck_forever(struct shm *s, uint16_t writer, uint64_t tail,
			  uint64_t now)
{
	struct shm_rx *rx = writer < s->view.entries ? &s->rx[writer] : NULL;
	struct shm_peer *p;

	if (!rx || (!rx->peer && !shm_peer_admit(s, writer)))
		return true;
	p = rx->peer;
	if (!shm_peer_alive(s, p)) {
		shm_peer_fail(s, p, ECONNRESET);
		return true;
	}
	if (p->state == SHM_PEER_LOST)
		return now - s->stuck_ns > TICK_GIVEN_UP_NS;
	if (!stuck_published_later(s, s->stuck_ticket, tail, writer) &&
	    !stuck_writer_ran(s, p, now))
		return false;
	s->stats.refused++;
	shm_peer_fail(s, p, EPROTO);
	return true;
}

static void tick_stuck(struct shm *s, uint64_t now)
{
	uint64_t tail = tick_tail(s);
	uint64_t next = weft_load64_relaxed(&s->rx_next);
	uint64_t used = shm_tail_ticket(tail) - next;
	uint16_t writer;

	/* tick_check_tail() handles an impossible tail */
	if (!used || used > s->view.slots || shm_wait_ready(s)) {
		s->stuck_ticket = UINT64_MAX;
		return;
	}
	if (s->stuck_ticket != next) {
		s->stuck_ticket = next;
		s->stuck_ns = now;
		s->stuck_cpu = 0;
		return;
	}
	if (now - s->stuck_ns < TICK_STUCK_NS)
		return;
	writer = stuck_slot_writer(s, next, tail);
	if (stuck_forever(s, writer, tail, now))
		stuck_skip(s, next, writer);
}

/* Checks the tail: if it is impossible, no later packet can be trusted. */
static void tick_check_tail(struct shm *s)
{
	uint64_t used = shm_tail_ticket(tick_tail(s)) -
			weft_load64_relaxed(&s->rx_next);

	if (used <= s->view.slots || s->broken)
		return;
	s->broken = true;
	s->stats.refused++;
	weft_log(WEFT_LOG_WARN, "shm: the reception FIFO was overwritten");
	weft_store32(&s->view.head->state, SHM_BROKEN);
	for (uint32_t i = 0; i < s->rx_used; i++) {
		if (s->rx[i].peer)
			shm_peer_fail(s, s->rx[i].peer, EPROTO);
	}
}

/* Reports the lost peers whose last packets have been read. */
static void tick_ending(struct shm *s)
{
	uint64_t next = weft_load64_relaxed(&s->rx_next);
	struct weft_list *i, *tmp;

	weft_list_each(i, tmp, &s->ending) {
		struct shm_peer *p =
			weft_container_of(i, struct shm_peer, end_node);

		if (p->end_err == EPROTO || s->broken ||
		    ((int64_t)(next - p->end_ticket) >= 0 && !p->held_count))
			shm_peer_end(s, p);
	}
}

static void tick_publish_head(struct shm *s)
{
	s->rx_head = weft_load64_relaxed(&s->rx_next);
	weft_store64(&s->view.head->head, s->rx_head);
}

void shm_tick(struct shm *s)
{
	uint64_t now = weft_now_ns();

	weft_store32_relaxed(&s->nudge, 0);
	if (!weft_list_empty(&s->ending))
		tick_ending(s);
	/* with more peers, each endpoint checks less often */
	if (now - s->tick_ns < TICK_NS * (1 + s->peer_count / TICK_MANY))
		return;
	s->tick_ns = now;
	tick_stuck(s, now);
	tick_check_tail(s);
	tick_publish_head(s);
	shm_sock_accept(s);
	tick_entries(s);
	tick_peers(s);
}

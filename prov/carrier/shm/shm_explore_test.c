/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * All executions of short exchanges through the reception FIFO
 * (test/support/explore.h): one or two senders and the receiver, which polls,
 * or blocks on its wake word. The FIFO has few slots, so that slots are reused
 * and the FIFO is full; slots and cells must be written and read in order.
 */
#include "test/support/explore_atomic.h"

#include "src/os/waiter.c"
#include "prov/carrier/shm/shm_cell.c"
#include "prov/carrier/shm/shm_rx.c"
#include "prov/carrier/shm/shm_tx.c"
#include "prov/carrier/shm/shm_wait.c"
#include "test/t.h"

#include <stdio.h>

enum {
	SENDERS = 2,
	SLOTS = 4,
	CELLS = 2,
	CELL = 640,
	/* payload bytes of the three kinds of packets */
	SHORT = 8,
	LONG = SHM_SHORT_BYTES + 8,
	BY_CELL = SHM_LONG_BYTES + 8,
};

static struct {
	struct shm_head head;
	weft_au64 owner[SLOTS];
	struct shm_slot slot[SLOTS];
	struct shm_entry entry[SENDERS];
	_Alignas(64) uint8_t cell[SENDERS][CELLS * CELL];
} region;

static struct {
	struct shm s;
	struct shm_rx rx[SENDERS];
	struct shm_peer peer[SENDERS];
	uint8_t joined[SHM_LONG_BYTES];
	uint32_t got[SENDERS]; /* packets delivered */
} receiver;

static struct {
	struct shm s;
	struct shm_peer peer;
	uint16_t cell_next[CELLS];
} sender[SENDERS];

/* The exchange: lengths of the packets of each sender. */
struct plan {
	int senders;
	uint32_t packets[SENDERS];
	uint16_t bytes[4];
	uint64_t first_ticket;
	unsigned lg; /* the FIFO has 1 << lg slots */
	bool blocks; /* the receiver waits instead of polling */
	bool fences; /* no process has membarrier */
};

static struct plan plan;

/* ---- functions of other files -------------------------------------------- */

int shm_peer_connect(struct shm *s, struct shm_peer *p)
{
	explore_fail("a peer is not connected");
	return -EAGAIN;
}

void shm_peer_fail(struct shm *s, struct shm_peer *p, int err)
{
	explore_fail("a peer is lost");
}

int shm_peer_map(struct shm *s, struct shm_peer *p)
{
	explore_fail("a peer is not mapped");
	return -EAGAIN;
}

struct shm_peer *shm_peer_admit(struct shm *s, uint16_t writer)
{
	explore_fail("an unknown writer");
	return NULL;
}

int shm_held_put(struct shm *s, struct shm_rx *rx, const struct weft_pkt *pkt,
		 uint32_t kind, const uint8_t *slot)
{
	explore_fail("a packet is refused");
	return 0;
}

void shm_held_free(struct shm *s, struct shm_peer *p, struct shm_held *h)
{
}

void shm_held_drop(struct shm *s, struct shm_peer *p)
{
}

void shm_tick(struct shm *s)
{
}

void shm_sock_notify(struct shm_peer *p)
{
}

void shm_sock_accept(struct shm *s)
{
}

void weft_membarrier(void)
{
	explore_membarrier();
}

int weft_membarrier_register(void)
{
	return 0;
}

int weft_futex_wait(weft_au32 *word, uint32_t value, uint64_t ns,
		    enum weft_futex_scope scope)
{
	return explore_futex_wait((const volatile void *const[2]){ word },
				  (const uint32_t[2]){ value }, 1, 1);
}

int weft_futex_wait_two(weft_au32 *const word[2], const uint32_t value[2],
			uint64_t ns)
{
	explore_fail("no event word is watched");
	return 0;
}

void weft_futex_wake(weft_au32 *word, int count, enum weft_futex_scope scope)
{
	explore_futex_wake(word, 1);
}

/* ---- the exchange -------------------------------------------------------- */

static uint8_t pattern(uint32_t from, uint32_t number)
{
	return (uint8_t)(0x40 * from + number + 1);
}

static int deliver(void *arg, struct weft_peer *src, const struct weft_pkt *pkt,
		   const void *payload)
{
	uint8_t got[BY_CELL];
	uint32_t from = pkt->unit;
	uint32_t n = receiver.got[from]++;

	if (pkt->len != plan.bytes[n] || src != &receiver.peer[from].base)
		explore_fail("a packet with a wrong head");
	/* reads the whole payload, in plain memory */
	memcpy(got, payload, pkt->len);
	for (uint32_t i = 0; i < pkt->len; i++) {
		if (got[i] != pattern(from, n))
			explore_fail("a packet with wrong contents");
	}
	return 0;
}

static const struct weft_carrier_up up = { .deliver = deliver };

static void view_init(struct shm_view *v, uint32_t owner)
{
	*v = (struct shm_view){ .head = &region.head,
				.owner = region.owner,
				.slot = region.slot,
				.entry = region.entry,
				.cell = region.cell[owner],
				.slots = 1u << plan.lg,
				.entries = SENDERS,
				.cells = CELLS,
				.cell_bytes = CELL,
				.lg = plan.lg };
}

static void setup_receiver(void)
{
	struct shm *s = &receiver.s;

	memset(&receiver, 0, sizeof(receiver));
	view_init(&s->view, 0);
	s->up = &up;
	s->rx = receiver.rx;
	s->rx_long = receiver.joined;
	s->rx_used = SENDERS;
	s->rx_head = plan.first_ticket;
	s->base.mtu = CELL;
	s->base.fences = plan.fences;
	atomic_init(&s->rx_next, plan.first_ticket);
	weft_list_init(&s->held_peers);
	weft_waiter_init(&s->waiter, WEFT_WAIT_SHM, 1);
	s->waiter.yield_ns = 0;
	for (uint32_t i = 0; i < SENDERS; i++) {
		receiver.rx[i].peer = &receiver.peer[i];
		receiver.peer[i].state = SHM_PEER_UP;
		receiver.peer[i].mapped = true;
		view_init(&receiver.peer[i].view, i);
	}
}

static void setup_sender(uint32_t i)
{
	struct shm *s = &sender[i].s;
	struct shm_peer *p = &sender[i].peer;

	memset(&sender[i], 0, sizeof(sender[i]));
	view_init(&s->view, i);
	view_init(&p->view, i);
	weft_list_init(&s->cell_peers);
	s->cell_next = sender[i].cell_next;
	shm_cell_init(s);
	p->state = SHM_PEER_UP;
	p->fence = plan.fences;
	p->lg = (uint8_t)plan.lg;
	p->writer = (uint16_t)i;
	p->head = &region.head;
	p->slot = region.slot;
	p->head_seen = plan.first_ticket;
	p->warm = true;
	p->cells_done = &region.entry[i].cells_done;
}

static void setup(void)
{
	memset(&region, 0, sizeof(region));
	atomic_init(&region.head.tail, shm_tail_make(plan.first_ticket, 0));
	atomic_init(&region.head.head, plan.first_ticket);
	setup_receiver();
	explore_private(&receiver, sizeof(receiver));
	for (uint32_t i = 0; i < SENDERS; i++) {
		setup_sender(i);
		explore_plain(region.cell[i], CELL);
		explore_plain(region.cell[i] + CELL, CELL);
	}
	explore_private(sender, sizeof(sender));
	for (uint32_t i = 0; i < SLOTS; i++)
		explore_plain(region.slot[i].rest, SHM_SLOT_BYTES - 8);
}

static void send_packets(uint32_t i)
{
	uint8_t bytes[BY_CELL];
	int rc;

	for (uint32_t n = 0; n < plan.packets[i]; n++) {
		struct weft_pkt pkt = { .len = plan.bytes[n],
					.unit = (uint16_t)i };
		/* two segments: copied by weft_iov_gather() */
		struct iovec iov[2] = { { bytes, pkt.len }, { bytes, 0 } };

		memset(bytes, pattern(i, n), sizeof(bytes));
		for (;;) {
			explore_poll();
			rc = shm_send(&sender[i].s.base, &sender[i].peer.base,
				      &pkt, iov, pkt.len == SHORT ? 1 : 2);
			if (rc != -EAGAIN)
				break;
			explore_again();
		}
		if (rc)
			explore_fail("a send fails");
	}
}

static bool received_all(void)
{
	for (int i = 0; i < plan.senders; i++) {
		if (receiver.got[i] != plan.packets[i])
			return false;
	}
	return true;
}

static void receive_packets(void)
{
	while (!received_all()) {
		explore_poll();
		if (shm_poll(&receiver.s.base, 8))
			continue;
		if (plan.blocks)
			shm_wait(&receiver.s.base, UINT64_MAX);
		else
			explore_again();
	}
}

static void send_or_receive(int i)
{
	if (i)
		send_packets((uint32_t)i - 1);
	else
		receive_packets();
}

static void nothing_is_left(void)
{
	uint64_t slots = shm_tail_ticket(region.head.tail) - plan.first_ticket;

	if (receiver.s.stats.refused || region.head.wake ||
	    receiver.s.rx_next != plan.first_ticket + slots)
		explore_fail("slots or a wake bit are left");
}

static const char *explore_fifo(enum explore_fault fault, int interrupts)
{
	struct explore x = { .threads = 1 + plan.senders,
			     .setup = setup,
			     .thread = send_or_receive,
			     .check = nothing_is_left,
			     .fault = fault,
			     .interrupts = explore_interrupts(interrupts),
			     .states_max = 20000000 };

	return explore_run(&x);
}

static struct plan polled(int senders, uint32_t packets, uint64_t first_ticket,
			  const uint16_t *bytes)
{
	struct plan p = { .senders = senders,
			  .packets = { packets, packets },
			  .first_ticket = first_ticket,
			  .lg = 2 };

	for (uint32_t i = 0; i < packets; i++)
		p.bytes[i] = bytes[i];
	return p;
}

static struct plan blocked(int senders, uint32_t packets, bool fences)
{
	static const uint16_t bytes[] = { SHORT, SHORT };
	struct plan p = polled(senders, packets, 3, bytes);

	p.blocks = true;
	p.fences = fences;
	return p;
}

static const uint16_t all_short[] = { SHORT, SHORT, SHORT, SHORT };
static const uint16_t some_long[] = { SHORT, LONG, LONG, SHORT };
static const uint16_t by_cell[] = { BY_CELL, BY_CELL, BY_CELL };

static void one_sender_fills_the_fifo(void **state)
{
	plan = polled(1, 4, 1, all_short);
	T_NULL(explore_fifo(EXPLORE_NO_FAULT, 0));
	plan = polled(1, 4, 3, some_long);
	T_NULL(explore_fifo(EXPLORE_NO_FAULT, 0));
}

static void cells_are_reused(void **state)
{
	plan = polled(1, 3, 0, by_cell);
	T_NULL(explore_fifo(EXPLORE_NO_FAULT, 0));
}

static void two_senders_compete(void **state)
{
	plan = polled(2, 1, 3, all_short);
	T_NULL(explore_fifo(EXPLORE_NO_FAULT, 0));
	plan = polled(2, 2, 3, some_long);
	T_NULL(explore_fifo(EXPLORE_NO_FAULT, 3));
}

/* The idle sender's cached head is behind by more than one FIFO length. */
static void an_idle_sender_sends_after_a_lap(void **state)
{
	plan = polled(2, 3, 1, all_short);
	plan.lg = 1;
	plan.packets[1] = 1;
	T_NULL(explore_fifo(EXPLORE_NO_FAULT, 2));
}

static void the_wake_word_loses_no_packet(void **state)
{
	plan = blocked(1, 2, true);
	T_NULL(explore_fifo(EXPLORE_NO_FAULT, 0));
	plan = blocked(1, 2, false);
	T_NULL(explore_fifo(EXPLORE_NO_FAULT, 0));
	plan = blocked(2, 1, false);
	T_NULL(explore_fifo(EXPLORE_NO_FAULT, 3));
}

static void seeded_faults_are_found(void **state)
{
	plan = polled(1, 4, 1, all_short);
	T_NOT_NULL(explore_fifo(EXPLORE_NO_RELEASE, 0));
	T_NOT_NULL(explore_fifo(EXPLORE_NO_ACQUIRE, 0));
	plan = blocked(1, 1, true);
	T_STR(explore_fifo(EXPLORE_NO_FENCE, 0), "deadlock");
	T_STR(explore_fifo(EXPLORE_NO_WAKE, 0), "deadlock");
	plan = blocked(1, 1, false);
	T_STR(explore_fifo(EXPLORE_NO_MEMBARRIER, 0), "deadlock");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		T_CASE(one_sender_fills_the_fifo),
		T_CASE(cells_are_reused),
		T_CASE(two_senders_compete),
		T_CASE(an_idle_sender_sends_after_a_lap),
		T_CASE(the_wake_word_loses_no_packet),
		T_CASE(seeded_faults_are_found),
	};

	setenv("WEFT_WAIT_UNBOUNDED", "1", 1);
	return T_RUN(tests);
}

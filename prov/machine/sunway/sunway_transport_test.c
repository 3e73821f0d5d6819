/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The message engine's packets and transfers use the chip: fast short messages,
 * queue messages fetched through the TLB, windows with acknowledgements, both
 * ports, RDMA descriptors with events. A transport that bypasses the chip fails
 * these tests.
 */
#include "prov/machine/sunway/sunway_dev.h"
#include "prov/machine/sunway/sunway_transport.h"
#include "test/t.h"

#include <string.h>

#define PACKET_BYTES 2016
#define SHORT_BYTES  96 /* 128 bytes with the header */
#define NODES	     3

struct node {
	struct weft_unit *u;
	struct weft_sunway *n;
	union weft_name name;
	struct weft_peer *peer[NODES];
	uint64_t sent[NODES];
	uint64_t taken[NODES];
	bool refuses;
	int lost;
};

static unsigned index_of(const struct node *s, const struct weft_peer *peer)
{
	for (unsigned i = 0; i < NODES; i++) {
		if (s->peer[i] == peer)
			return i;
	}
	fail_msg("unknown peer");
	return 0;
}

static int on_deliver(void *arg, struct weft_peer *src,
		      const struct weft_pkt *pkt, const void *payload)
{
	struct node *s = arg;
	unsigned i = index_of(s, src);

	if (s->refuses)
		return -EAGAIN;
	T_IS(pkt->tag, s->taken[i]);
	T_IS(t_differs(payload, pkt->len, pkt->tag), -1);
	s->taken[i]++;
	return 0;
}

static void on_lost(void *arg, struct weft_peer *peer, int err)
{
	struct node *s = arg;

	s->lost++;
}

static const struct weft_carrier_up up = {
	.deliver = on_deliver,
	.lost = on_lost,
};

static const struct weft_machine machine = {
	.name = "test",
	.packet_bytes = PACKET_BYTES,
};

static void nodes_open_on(struct node *s,
			  const struct weft_carrier_ops *carrier,
			  const char *faults)
{
	struct weft_carrier_attr a = {
		.name = { .in.sin_family = AF_INET,
			  .in.sin_addr.s_addr = htonl(INADDR_LOOPBACK) },
		.up = &up,
		.fifo_slots = 1024, /* more slots than messages in flight */
		.faults = faults,
	};

	memset(s, 0, NODES * sizeof(*s));
	for (unsigned i = 0; i < NODES; i++) {
		struct node *m = &s[i];

		a.up_arg = m;
		T_OK(weft_unit_sunway.open(&machine, carrier, &a, &m->u));
		m->n = sunway_transport_chip(m->u);
		m->u->carrier->ops->name_get(m->u->carrier, &m->name);
	}
	for (unsigned i = 0; i < NODES * NODES; i++) {
		struct weft_carrier *c = s[i / NODES].u->carrier;

		T_OK(c->ops->peer(c, &s[i % NODES].name,
				  &s[i / NODES].peer[i % NODES]));
	}
}

static void nodes_open(struct node *s, const char *faults)
{
	nodes_open_on(s, &weft_carrier_loop, faults);
}

static void nodes_close(struct node *s)
{
	for (unsigned i = 0; i < NODES; i++)
		weft_unit_sunway.close(s[i].u);
}

/* Sends the next packet from node a to node b; false: the unit is full. */
static bool node_send(struct node *s, unsigned a, unsigned b, size_t bytes)
{
	unsigned char buf[PACKET_BYTES];
	struct iovec iov[2] = { { buf, bytes / 3 },
				{ buf + bytes / 3, bytes - bytes / 3 } };
	struct weft_pkt pkt = {
		.type = 7,
		.len = (uint16_t)bytes,
		.tag = s[a].sent[b],
	};
	int err;

	t_fill(buf, bytes, pkt.tag);
	err = s[a].u->ops->packet(s[a].u, s[a].peer[b], &pkt, iov, 2);
	T_TRUE(!err || err == -EAGAIN);
	s[a].sent[b] += !err;
	return !err;
}

static void node_poll(struct node *s)
{
	s->u->ops->poll(s->u, 64);
}

static void packets_are_fast_short_or_queue_messages(void **state)
{
	static const size_t bytes[] = { 0, 8, SHORT_BYTES, SHORT_BYTES + 1,
					PACKET_BYTES };
	const struct weft_sunway_stats *st;
	struct node s[NODES];

	nodes_open(s, NULL);
	st = &s[0].n->stats;
	for (unsigned i = 0; i < WEFT_COUNT_OF(bytes); i++) {
		T_TRUE(node_send(s, 0, 1, bytes[i]));
		node_poll(&s[1]);
		T_IS(s[1].taken[0], i + 1);
		T_IS(s[1].n->stats.taken, i + 1);
		T_IS(st->fsms, i < 3 ? i + 1 : 3);
		T_IS(st->queued, i < 3 ? 0 : i - 2);
		/* all messages keep their slots until the answer */
		T_IS(s[0].n->me[0].in_flight, i + 1);
		T_IS(st->port[i % 2], i / 2 + 1);
	}
	/* descriptor and data of two messages, through the TLB */
	T_IS(st->fetches, 4);
	T_TRUE(st->tlb_misses > 0 && st->tlb_hits > 0);
	nodes_close(s);
}

static void messages_acknowledge_the_other_direction(void **state)
{
	struct node s[NODES];

	nodes_open(s, NULL);
	for (unsigned i = 0; i < 1000; i++) {
		T_TRUE(node_send(s, 0, 1, i % 200));
		node_poll(&s[1]);
		T_TRUE(node_send(s, 1, 0, i % 200));
		node_poll(&s[0]);
		T_TRUE(s[0].n->me[0].in_flight < 32);
		T_TRUE(s[1].n->me[0].in_flight < 32);
	}
	T_IS(s[0].taken[1], 1000);
	T_IS(s[0].n->stats.acks + s[1].n->stats.acks, 0);
	T_IS(s[0].n->stats.asked + s[1].n->stats.asked, 0);
	nodes_close(s);
}

static void one_acknowledgement_covers_many_messages(void **state)
{
	struct node s[NODES];

	nodes_open(s, NULL);
	for (unsigned i = 0; i < 3200; i++) {
		T_TRUE(node_send(s, 0, 1, 8));
		node_poll(&s[1]);
		node_poll(&s[0]);
	}
	T_IS(s[1].taken[0], 3200);
	T_IS(s[1].n->stats.acks, 100);
	T_TRUE(s[0].n->stats.in_flight_max <= 64);
	nodes_close(s);
}

/*
 * Packets carry the lower 16 bits of their sequence number, and the lower 15
 * bits of acknowledged ones.
 */
static void numbers_wrap_around(void **state)
{
	enum { MESSAGES = 70000 };
	struct node s[NODES];

	nodes_open(s, NULL);
	for (unsigned i = 0; i < MESSAGES; i++) {
		T_TRUE(node_send(s, 0, 1, 1));
		node_poll(&s[1]);
		node_poll(&s[0]);
	}
	T_IS(s[1].taken[0], MESSAGES);
	T_TRUE(s[0].n->stats.in_flight_max <= 64);
	T_IS(s[1].n->stats.doubles + s[1].n->stats.refused, 0);
	nodes_close(s);
}

/* Node 1 does not poll; node 2 gets messages nevertheless. */
static void a_silent_peer_leaves_slots_to_others(void **state)
{
	struct node s[NODES];

	nodes_open_on(s, &weft_carrier_shm, NULL);
	while (node_send(s, 0, 1, 8))
		;
	T_TRUE(s[0].sent[1] >= 64);
	T_TRUE(s[0].n->stats.asked > 0);
	for (unsigned i = 0; i < 1000; i++) {
		T_TRUE(node_send(s, 0, 2, 8));
		node_poll(&s[2]);
		node_poll(&s[0]);
	}
	T_IS(s[2].taken[0], 1000);
	T_TRUE(!node_send(s, 0, 1, 8));
	/* the answer to the probe frees the slots */
	node_poll(&s[1]);
	node_poll(&s[1]);
	node_poll(&s[0]);
	T_TRUE(node_send(s, 0, 1, 8));
	nodes_close(s);
}

/* A message that the message engine refuses is not acknowledged. */
static void refused_messages_fill_the_window(void **state)
{
	struct node s[NODES];
	unsigned sent = 0;

	nodes_open(s, NULL);
	s[1].refuses = true;
	for (unsigned i = 0; i < 1000; i++) {
		sent += node_send(s, 0, 1, 8);
		node_poll(&s[1]);
		node_poll(&s[0]);
	}
	T_TRUE(sent < WEFT_SUNWAY_IN_FLIGHT);
	T_IS(s[0].n->me[0].in_flight, sent);
	s[1].refuses = false;
	for (unsigned i = 0; i < 1000 && s[1].taken[0] < sent; i++)
		node_poll(&s[1]);
	T_IS(s[1].taken[0], sent);
	nodes_close(s);
}

static void lost_packets_are_retransmitted(void **state)
{
	struct node s[NODES];
	uint64_t n = 300;

	nodes_open(s, "seed=3; loss=0.05; duplicate=0.05; reorder=0.1; raw");
	while (s[1].taken[0] < n || s[0].taken[1] < n) {
		if (s[0].sent[1] < n)
			node_send(s, 0, 1, s[0].sent[1] * 7 % PACKET_BYTES);
		if (s[1].sent[0] < n)
			node_send(s, 1, 0, s[1].sent[0] * 5 % PACKET_BYTES);
		node_poll(&s[0]);
		node_poll(&s[1]);
	}
	T_IS(s[1].taken[0], n);
	T_TRUE(s[0].n->stats.resent > 0);
	T_TRUE(s[1].n->stats.doubles > 0);
	nodes_close(s);
}

/* A carrier that loses nothing: messages without an answer time out. */
static void a_timeout_requests_an_acknowledgement(void **state)
{
	struct node s[NODES];

	nodes_open(s, NULL);
	T_TRUE(node_send(s, 0, 1, PACKET_BYTES));
	T_TRUE(node_send(s, 0, 2, 8));
	while (s[0].n->me[0].in_flight) {
		node_poll(&s[0]);
		node_poll(&s[1]);
		node_poll(&s[2]);
	}
	T_IS(s[0].n->stats.asked, 1);
	T_IS(s[0].n->stats.resent, 1);
	T_IS(s[1].n->stats.acks, 1);
	T_IS(s[2].n->stats.doubles, 1);
	T_IS(s[1].taken[0] + s[2].taken[0], 2);
	nodes_close(s);
}

static void a_lost_peer_releases_its_slots(void **state)
{
	struct node s[NODES];

	nodes_open(s, NULL);
	for (unsigned i = 0; i < 20; i++)
		T_TRUE(node_send(s, 0, 1, 8));
	T_IS(s[0].n->me[0].in_flight, 20);
	weft_unit_sunway.close(s[1].u);
	while (!s[0].lost)
		node_poll(&s[0]);
	T_IS(s[0].n->me[0].in_flight, 0);
	T_TRUE(node_send(s, 0, 2, 8));
	node_poll(&s[2]);
	T_IS(s[2].taken[0], 1);
	weft_unit_sunway.close(s[0].u);
	weft_unit_sunway.close(s[2].u);
}

static void a_broken_port_is_not_used(void **state)
{
	struct node s[NODES];

	nodes_open(s, NULL);
	T_OK(weft_sunway_port_set(s[0].n, 0, false));
	for (unsigned i = 0; i < 10; i++)
		T_TRUE(node_send(s, 0, 1, 8));
	T_IS(s[0].n->stats.port[0], 0);
	T_IS(s[0].n->stats.port[1], 10);
	T_OK(weft_sunway_port_set(s[0].n, 1, false));
	T_TRUE(!node_send(s, 0, 1, 8));
	nodes_close(s);
}

static int ended;

static void on_done(struct weft_dma *d, int err)
{
	T_OK(err);
	ended++;
}

/* Makes this memory of a node accessible to peers. */
static void segment_open(struct node *s, void *base, size_t bytes)
{
	const struct iovec mem = { base, bytes };

	T_TRUE(s->u->ops->mem_open(s->u, &mem,
				   WEFT_MR_REMOTE_READ |
					   WEFT_MR_REMOTE_WRITE) >= 0);
}

static void transfers_are_descriptors_with_events(void **state)
{
	enum { BYTES = 100000, PACKETS = 49 };
	static unsigned char here[BYTES], there[BYTES];
	struct weft_dma d = {
		.local = { { here, 60 }, { here + 60, BYTES - 60 } },
		.local_count = 2,
		.remote = (uintptr_t)there,
		.bytes = BYTES,
		.done = on_done,
	};
	const struct weft_sunway_stats *st;
	struct node s[NODES];

	nodes_open(s, NULL);
	segment_open(&s[1], there, BYTES);
	st = &s[0].n->stats;
	ended = 0;
	t_fill(there, BYTES, 1);
	T_OK(s[0].u->ops->get(s[0].u, s[0].peer[1], &d));
	T_IS(ended, 1);
	T_IS(t_differs(here, BYTES, 1), -1);
	T_IS(st->rdmas, 1);
	T_IS(st->events, 1);
	T_IS(st->answers, 1);
	T_IS(st->port[0] + st->port[1], PACKETS);
	T_IS(st->port[0], PACKETS / 2);
	T_TRUE(st->tlb_misses > 0 && st->tlb_hits > 0);
	t_fill(here, BYTES, 2);
	T_OK(s[0].u->ops->put(s[0].u, s[0].peer[1], &d));
	T_IS(t_differs(there, BYTES, 2), -1);
	T_IS(ended, 2);
	T_IS(st->rdmas, 2);
	T_IS(st->events, 2);
	T_IS(st->in_flight_max, 1);
	T_IS(s[0].n->me[0].in_flight, 0);
	nodes_close(s);
}

/* The data is contiguous, in two pages of the unit. */
static void a_transfer_crosses_a_page(void **state)
{
	enum { BYTES = 10000 };
	size_t page = (size_t)1 << WEFT_SUNWAY_PAGE_MAX;
	unsigned char *mem = aligned_alloc(page, 2 * page);
	unsigned char *at = mem + page - BYTES / 2;
	unsigned char there[BYTES];
	struct weft_dma d = {
		.local = { { at, BYTES } },
		.local_count = 1,
		.remote = (uintptr_t)there,
		.bytes = BYTES,
		.done = on_done,
	};
	struct node s[NODES];

	nodes_open(s, NULL);
	segment_open(&s[1], there, BYTES);
	ended = 0;
	t_fill(there, BYTES, 5);
	T_OK(s[0].u->ops->get(s[0].u, s[0].peer[1], &d));
	T_IS(ended, 1);
	T_IS(t_differs(at, BYTES, 5), -1);
	nodes_close(s);
	free(mem);
}

/* Addresses outside the registered memory are refused. */
static void a_transfer_from_a_bad_address_is_refused(void **state)
{
	unsigned char there[8];
	struct weft_dma d = {
		.local = { { (void *)(UINT64_C(1) << 50), 8 } },
		.local_count = 1,
		.remote = (uintptr_t)there,
		.bytes = 8,
		.done = on_done,
	};
	struct node s[NODES];

	nodes_open(s, NULL);
	ended = 0;
	T_IS(s[0].u->ops->put(s[0].u, s[0].peer[1], &d), -EFAULT);
	T_IS(ended, 0);
	T_IS(s[0].n->me[0].in_flight, 0);
	nodes_close(s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		T_CASE(packets_are_fast_short_or_queue_messages),
		T_CASE(messages_acknowledge_the_other_direction),
		T_CASE(one_acknowledgement_covers_many_messages),
		T_CASE(numbers_wrap_around),
		T_CASE(a_silent_peer_leaves_slots_to_others),
		T_CASE(refused_messages_fill_the_window),
		T_CASE(lost_packets_are_retransmitted),
		T_CASE(a_timeout_requests_an_acknowledgement),
		T_CASE(a_lost_peer_releases_its_slots),
		T_CASE(a_broken_port_is_not_used),
		T_CASE(transfers_are_descriptors_with_events),
		T_CASE(a_transfer_crosses_a_page),
		T_CASE(a_transfer_from_a_bad_address_is_refused),
	};

	return T_RUN(tests);
}

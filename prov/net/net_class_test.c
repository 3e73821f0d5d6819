/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Network FIFOs and engines by class of packet (BGQ-06, BGQ-17): the FIFO map
 * of a message, and engines for high priority, system and collective packets.
 * The order in which an engine selects FIFOs in memory (BGQ-03).
 */
#include "test/support/net_fixture.h"

#include "test/t.h"

#include <string.h>

static void ring_open(struct net_fixture *e, unsigned torus_fifos,
		      uint64_t reception)
{
	struct net_config cfg;

	net_config_bgq(&cfg);
	memcpy(cfg.size, (uint16_t[]){ 4, 4, 1, 1, 1 }, 10);
	cfg.torus_fifos = torus_fifos;
	cfg.path[0].reception_ps_per_byte_x1000 = reception;
	net_fixture_open(e, &cfg, 0);
}

/*
 * Returns the arrival time of a message from node 0 to node 4. Its FIFO in
 * memory uses network FIFO 0, which a long message to node 1 fills.
 */
static uint64_t mapped_end(uint16_t map)
{
	struct net_msg m = { .dst = 1,
			     .bytes = 512 * 200,
			     .routing = NET_DETERMINISTIC };
	struct net_fixture e;

	ring_open(&e, 10, 312500);
	T_OK(net_send(e.net, 0, &m));
	m.dst = 4;
	m.bytes = 512 * 50;
	m.fifo = 1000;
	m.map = map;
	m.cookie = 1;
	T_OK(net_send(e.net, 0, &m));
	net_fixture_drain(&e);
	T_IS(e.arrived, 2);
	T_IS(e.sent, 2);
	T_IS(e.bytes, 512 * 250);
	net_fixture_close(&e);
	return e.cookie_at[1];
}

static void packets_take_any_free_fifo_of_the_map(void **state)
{
	uint64_t one = mapped_end(0), two = mapped_end(1 << 3 | 1 << 5);

	T_IS(mapped_end(1), one);
	/* per packet, an engine takes 170 ns and a link 288 ns */
	T_TRUE(one > 98 * 170000);
	T_TRUE(two < 52 * 288000 + 1000000);
	T_TRUE(mapped_end(1 << 0 | 1 << 5) < one);
}

/* One engine at a time builds packets of a message, at 170 ns each. */
static void a_message_has_the_rate_of_one_engine(void **state)
{
	struct net_msg m = { .dst = 5, .bytes = 512 * 100 };
	uint64_t end[2];

	for (unsigned i = 0; i < 2; i++) {
		struct net_fixture e;

		ring_open(&e, 10, 312500);
		m.map = i ? 0x3ff : 0;
		T_OK(net_send(e.net, 0, &m));
		net_fixture_drain(&e);
		end[i] = e.sent_at;
		net_fixture_close(&e);
	}
	T_IS(end[0], end[1]);
}

static void record_sent(void *arg, uint64_t at, uint64_t cookie, uint32_t node)
{
	((uint64_t *)arg)[cookie] = at;
}

/* Messages of one FIFO in memory are sent one after the other. */
static void a_fifo_with_and_without_maps_stays_in_order(void **state)
{
	static const uint16_t map[] = { 6, 0, 6, 6, 0 };
	struct net_msg m = { .dst = 1,
			     .bytes = 512 * 20,
			     .routing = NET_DETERMINISTIC };
	const struct net_up up = { .sent = record_sent };
	uint64_t at[5] = { 0 };
	struct net_fixture e;
	unsigned i;

	ring_open(&e, 10, 312500);
	for (i = 0; i < 5; i++) {
		m.map = map[i];
		m.cookie = i;
		T_OK(net_send(e.net, 0, &m));
	}
	net_run(e.net, NET_NEVER, &up, at, NULL);
	for (i = 1; i < 5; i++)
		T_TRUE(at[i] >= at[i - 1] + 20 * 170000);
	net_fixture_close(&e);
}

static void invalid_maps_are_refused(void **state)
{
	struct net_msg m = { .dst = 1, .map = 1 };
	struct net_config cfg;
	struct net_fixture e;

	net_config_bgq(&cfg);
	cfg.inject_fifos = 12;
	cfg.torus_fifos = 0;
	net_fixture_open(&e, &cfg, 0);
	T_OK(net_send(e.net, 0, &m));
	m.map = 1 << 12;
	T_IS(net_send(e.net, 0, &m), -EINVAL);
	m.map = 1;
	m.dst = 0;
	T_IS(net_send(e.net, 0, &m), -EINVAL);
	net_fixture_drain(&e);
	net_fixture_close(&e);
	cfg.torus_fifos = 7;
	T_IS(net_config_check(&cfg), -EINVAL);
}

/*
 * Two messages of ten packets arrive at node 1 by the same link; an engine
 * stores a packet in 1.024 us, more slowly than the link delivers it. Returns
 * the time of the last packet.
 */
static uint64_t two_messages(uint8_t a, uint8_t b, unsigned torus_fifos)
{
	struct net_msg m = { .dst = 1, .bytes = 5120 };
	struct net_fixture e;

	ring_open(&e, torus_fifos, 2000000);
	m.routing = a;
	T_OK(net_send(e.net, 0, &m));
	m.routing = b;
	m.fifo = 1;
	T_OK(net_send(e.net, 0, &m));
	net_fixture_drain(&e);
	T_IS(e.arrived, 2);
	net_fixture_close(&e);
	return e.last_at;
}

static void classes_have_reception_engines_of_their_own(void **state)
{
	static const uint8_t modes[] = { NET_DETERMINISTIC, NET_HIGH,
					 NET_SYSTEM };
	const uint64_t both = 20 * 1024000, one = 10 * 1024000;

	for (unsigned i = 0; i < 3; i++)
		for (unsigned k = 0; k < 3; k++) {
			uint64_t end = two_messages(modes[i], modes[k], 10);

			T_IS(end > both, i == k);
			T_TRUE(i == k || end < one + 7000000);
			T_TRUE(two_messages(modes[i], modes[k], 0) > both);
		}
}

/* Broadcasts of four neighbours reach node 0 at once. */
static void one_engine_stores_the_packets_of_all_routes(void **state)
{
	static const uint32_t from[4] = { 1, 3, 4, 12 };
	uint64_t at[2];

	for (unsigned torus = 0; torus < 2; torus++) {
		struct net_part part = { .kind = WEFT_COLL_BCAST,
					 .bytes = 512 };
		struct net_fixture e;

		ring_open(&e, 10 * torus, 312500);
		for (unsigned i = 0; i < 4; i++) {
			const uint32_t node[2] = { from[i], 0 };

			T_OK(net_tree_open(e.net, node, (int[]){ -1, 0 },
					   (uint32_t[]){ 1, 1 }, 2,
					   &part.route));
			part.node = from[i];
			T_OK(net_tree_send(e.net, 0, &part));
		}
		net_fixture_drain(&e);
		T_IS(e.results, 8);
		at[torus] = e.node_at[0];
		net_fixture_close(&e);
	}
	/* the first packet is stored while it arrives, in 150 cycles */
	T_IS(at[1] - at[0], 3 * 160000);
}

enum { ORDER_FIFOS = 4, ORDER_PACKETS = 400 };

/*
 * Sends messages of ORDER_PACKETS packets from all memory FIFOs of one engine;
 * descending: posts the messages in descending order of FIFOs. end_p: arrival
 * times of the messages. Returns the hash of the events.
 */
static uint64_t fifos_run(bool random, uint32_t node, bool descending,
			  uint64_t *end_p)
{
	struct net_config cfg;
	struct net_fixture e;
	struct net_count count;

	net_config_bgq(&cfg);
	memcpy(cfg.size, (uint16_t[]){ 4, 4, 1, 1, 1 }, 10);
	cfg.random_fifos = random;
	net_fixture_open(&e, &cfg, 0);
	for (unsigned i = 0; i < ORDER_FIFOS; i++) {
		unsigned fifo = descending ? ORDER_FIFOS - 1 - i : i;
		const struct net_msg m = { .src = node,
					   .dst = 15 - node,
					   .bytes = 512 * ORDER_PACKETS,
					   .fifo = 10 + 10 * fifo,
					   .routing = NET_DETERMINISTIC,
					   .cookie = fifo };

		T_OK(net_send(e.net, 0, &m));
	}
	net_fixture_drain(&e);
	T_IS(e.arrived, ORDER_FIFOS);
	for (unsigned i = 0; i < ORDER_FIFOS; i++)
		end_p[i] = e.cookie_at[i];
	net_count_get(e.net, &count);
	net_fixture_close(&e);
	return count.hash;
}

static void fifos_are_selected_in_turn_or_at_random(void **state)
{
	uint64_t end[ORDER_FIFOS], other[ORDER_FIFOS];
	const uint64_t packet = 288000; /* link time of a packet, ps */
	uint64_t first, last;

	/* round-robin: each message ends one packet after the previous one */
	fifos_run(false, 0, false, end);
	for (unsigned i = 1; i < ORDER_FIFOS; i++)
		T_TRUE(end[i] > end[i - 1] && end[i] < end[i - 1] + 2 * packet);
	/* random: in another order, with about equal shares */
	T_IS(fifos_run(true, 0, false, end), fifos_run(true, 0, true, other));
	T_TRUE(!memcmp(end, other, sizeof(end)));
	first = last = end[0];
	for (unsigned i = 1; i < ORDER_FIFOS; i++) {
		first = end[i] < first ? end[i] : first;
		last = end[i] > last ? end[i] : last;
	}
	T_TRUE(last - first > 2 * ORDER_FIFOS * packet);
	T_TRUE(last - first < ORDER_PACKETS * packet);
	/* every node has its own random order */
	fifos_run(true, 1, false, other);
	T_TRUE(memcmp(end, other, sizeof(end)));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		T_CASE(packets_take_any_free_fifo_of_the_map),
		T_CASE(a_message_has_the_rate_of_one_engine),
		T_CASE(a_fifo_with_and_without_maps_stays_in_order),
		T_CASE(invalid_maps_are_refused),
		T_CASE(classes_have_reception_engines_of_their_own),
		T_CASE(one_engine_stores_the_packets_of_all_routes),
		T_CASE(fifos_are_selected_in_turn_or_at_random),
	};
	return T_RUN(tests);
}

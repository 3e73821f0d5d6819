/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Latencies of the unloaded network, compared with values computed by hand from
 * the configuration.
 */
#include "test/support/net_fixture.h"

#include "test/t.h"

#include <string.h>

/* Returns the latency of a single packet of this size over these hops. */
static uint64_t zero_load(const struct net_config *c, uint32_t bytes,
			  unsigned hops)
{
	uint32_t chunks = (bytes + c->chunk_bytes - 1) / c->chunk_bytes;
	uint32_t wire =
		c->header_bytes + c->trailer_bytes + chunks * c->chunk_bytes;
	uint32_t built = c->header_bytes + chunks * c->chunk_bytes;

	return c->path[0].inject_ps +
	       built * c->path[0].injection_ps_per_byte_x1000 / 1000 +
	       hops * c->hop_ps +
	       (uint64_t)net_wire_ticks(c, wire, c->link_ps_per_byte_x1000) *
		       c->tick_ps +
	       c->path[0].receive_ps;
}

static void unloaded_latency_is_endpoint_plus_hops(void **state)
{
	struct net_config cfg;
	struct net_fixture e;
	struct net_msg msg = { 0 };
	uint64_t t = 1;

	net_config_bgq(&cfg);
	memcpy(cfg.size, (uint16_t[]){ 4, 3, 2, 1, 2 }, 10);
	net_fixture_open(&e, &cfg, 0);
	for (msg.routing = 0; msg.routing <= NET_SYSTEM; msg.routing++)
		for (msg.dst = 1; msg.dst < 48; msg.dst++) {
			msg.bytes = msg.dst * 11 % 513;
			msg.src = msg.dst * 7 % 48;
			if (msg.src == msg.dst)
				continue;
			T_OK(net_send(e.net, t, &msg));
			net_fixture_drain(&e);
			T_IS(e.last_node, msg.dst);
			T_IS(e.last_at - t,
			     zero_load(&cfg, (uint32_t)msg.bytes,
				       net_hops(e.net, msg.src, msg.dst)));
			t = e.last_at + 1234567;
		}
	net_fixture_close(&e);
}

/*
 * The network has more nodes than a region. All nodes send at once; then pairs
 * on both sides of the region boundary send.
 */
static void traffic_crosses_region_boundaries(void **state)
{
	static const uint32_t pair[][2] = {
		{ 4095, 4096 }, { 4096, 4095 }, { 0, 8191 }, { 8191, 4095 }
	};
	struct net_config cfg;
	struct net_fixture e;
	struct net_msg msg = { .bytes = 100 };
	uint64_t t;
	uint32_t i;

	net_config_bgq(&cfg);
	memcpy(cfg.size, (uint16_t[]){ 16, 16, 32, 1, 1 }, 10);
	memset(cfg.midplane, 0, sizeof(cfg.midplane));
	net_fixture_open(&e, &cfg, 20000);
	for (i = 0; i < 8192; i++)
		T_OK(net_fixture_send(&e, 0, i, (i * 5 + 4000) % 8192, 512));
	net_fixture_drain(&e);
	T_IS(e.arrived, 8192);
	for (i = 0; i < 4; i++) {
		t = e.last_at + 1234567;
		msg.src = pair[i][0];
		msg.dst = pair[i][1];
		T_OK(net_send(e.net, t, &msg));
		net_fixture_drain(&e);
		T_IS(e.last_node, msg.dst);
		T_IS(e.last_at - t,
		     zero_load(&cfg, 100, net_hops(e.net, msg.src, msg.dst)));
	}
	net_fixture_close(&e);
}

static void table_1_first_and_last_values_are_exact(void **state)
{
	struct net_config cfg;
	struct net_fixture e;
	struct net_msg msg = { .bytes = 8, .hint = { 1, 1, 1, 1, 1 } };

	net_config_bgq(&cfg);
	net_fixture_open(&e, &cfg, 0);
	msg.dst = 128; /* one hop: A+ */
	T_OK(net_send(e.net, 0, &msg));
	net_fixture_drain(&e);
	T_IS((e.last_at + 500) / 1000, 622);
	/* hints force 3 + 3 + 3 + 3 + 1 hops */
	msg.dst = 511;
	T_OK(net_send(e.net, 10000000, &msg));
	net_fixture_drain(&e);
	T_IS((e.last_at - 10000000 + 500) / 1000, 1166);
	net_fixture_close(&e);
}

static void midplane_crossing_adds_link_chip_latency(void **state)
{
	struct net_config cfg;
	struct net_fixture e;

	net_config_bgq(&cfg);
	cfg.size[0] = 8;
	net_fixture_open(&e, &cfg, 0);
	T_OK(net_fixture_send(&e, 0, 3 * 128, 4 * 128, 8));
	net_fixture_drain(&e);
	T_IS(e.last_at, zero_load(&cfg, 8, 1) + cfg.crossing_ps);
	T_OK(net_fixture_send(&e, 10000000, 7 * 128, 0, 8));
	net_fixture_drain(&e);
	T_IS(e.last_at - 10000000, zero_load(&cfg, 8, 1) + cfg.crossing_ps);
	net_fixture_close(&e);
}

/* BGQ-44: links inside a midplane are on boards and have no cable. */
static void cables_are_between_midplanes_only(void **state)
{
	static const struct {
		uint32_t from, to;
		unsigned crossings;
	} row[] = { { 3 * 128, 4 * 128, 1 }, { 0, 128, 0 }, { 0, 1, 0 } };
	struct net_config cfg;
	struct net_fixture e;
	uint64_t at = 0;

	net_config_bgq(&cfg);
	cfg.size[0] = 8;
	cfg.cable[0] = cfg.cable[1] = 12;
	cfg.metre_ps = 5000;
	net_fixture_open(&e, &cfg, 0);
	for (unsigned i = 0; i < 3; i++, at += 10000000) {
		T_OK(net_fixture_send(&e, at, row[i].from, row[i].to, 8));
		net_fixture_drain(&e);
		T_IS(e.last_at - at,
		     zero_load(&cfg, 8, 1) +
			     row[i].crossings * (cfg.crossing_ps + 60000));
	}
	net_fixture_close(&e);
}

static void message_to_same_node_uses_no_link(void **state)
{
	struct net_config cfg;
	struct net_count c;
	struct net_fixture e;

	net_config_bgq(&cfg);
	net_fixture_open(&e, &cfg, 0);
	T_OK(net_fixture_send(&e, 0, 5, 5, 8));
	net_fixture_drain(&e);
	T_IS(e.arrived, 1);
	net_count_get(e.net, &c);
	T_IS(c.hops, 0);
	T_IS(e.last_at, cfg.path[0].inject_ps + 20000 + cfg.local_ps +
				cfg.path[0].receive_ps);
	net_fixture_close(&e);
}

static void looped_back_node_reaches_itself_on_every_link(void **state)
{
	struct net_config cfg;
	struct net_fixture e;
	struct net_msg msg = { .bytes = 8 };
	struct net_port_count pc;
	unsigned port;

	net_config_bgq(&cfg);
	memcpy(cfg.size, (uint16_t[]){ 1, 1, 1, 1, 1 }, 10);
	net_fixture_open(&e, &cfg, 0);
	for (port = 0; port < 10; port++) {
		memset(msg.hint, 0, sizeof(msg.hint));
		msg.hint[port / 2] = port & 1 ? 1 : -1;
		msg.fifo = port;
		T_OK(net_send(e.net, 0, &msg));
	}
	net_fixture_drain(&e);
	T_IS(e.arrived, 10);
	T_IS(e.last_at, zero_load(&cfg, 8, 1));
	for (port = 0; port < 10; port++) {
		net_port_get(e.net, 0, port, &pc);
		T_IS(pc.packets, 1);
		T_IS(pc.received, 1);
	}
	net_fixture_close(&e);
}

static void consecutive_long_messages_run_at_link_rate(void **state)
{
	struct net_config cfg;
	struct net_fixture e;
	uint64_t packets = 2048, slot;

	net_config_bgq(&cfg);
	net_fixture_open(&e, &cfg, 0);
	T_OK(net_fixture_send(&e, 0, 0, 1, packets * 512));
	net_fixture_drain(&e);
	T_IS(e.packets, packets);
	T_IS(e.bytes, packets * 512);
	slot = (138 + cfg.protocol_ticks) * cfg.tick_ps;
	T_IS(e.last_at, zero_load(&cfg, 512, 1) + (packets - 1) * slot);
	net_fixture_close(&e);
}

/*
 * Engines slower than the link process packets back to back, exact to the
 * picosecond, although the time of a packet is not a whole number of ticks.
 */
static void slow_engines_process_packets_back_to_back(void **state)
{
	struct net_config cfg;
	struct net_fixture e;
	uint64_t n = 50, rate = 999001, built, stored, first;

	net_config_bgq(&cfg);
	cfg.path[0].injection_ps_per_byte_x1000 = rate;
	net_fixture_open(&e, &cfg, 0);
	built = (cfg.header_bytes + 512) * rate / 1000;
	T_TRUE(built % cfg.tick_ps);
	T_OK(net_fixture_send(&e, 0, 0, 1, n * 512));
	net_fixture_drain(&e);
	T_IS(e.last_at, zero_load(&cfg, 512, 1) + (n - 1) * built);
	net_fixture_close(&e);

	net_config_bgq(&cfg);
	cfg.path[0].reception_ps_per_byte_x1000 = rate;
	net_fixture_open(&e, &cfg, 0);
	stored = 512 * rate / 1000;
	T_OK(net_fixture_send(&e, 0, 0, 1, 512));
	net_fixture_drain(&e);
	first = e.last_at;
	T_OK(net_fixture_send(&e, 10000000, 0, 1, n * 512));
	net_fixture_drain(&e);
	T_IS(e.last_at, 10000000 + first + (n - 1) * stored);
	net_fixture_close(&e);
}

static void timers_expire_at_their_picosecond(void **state)
{
	struct net_config cfg;
	struct net_fixture e;

	net_config_bgq(&cfg);
	net_fixture_open(&e, &cfg, 0);
	T_OK(net_timer(e.net, 77777777777ull, 1));
	T_OK(net_timer(e.net, 123457, 2));
	T_IS(net_next(e.net), 122000);
	net_run(e.net, 123457, &net_fixture_up, &e, NULL);
	T_IS(e.last_at, 123457);
	T_IS(e.last_cookie, 2);
	net_fixture_drain(&e);
	T_IS(e.last_at, 77777777777ull);
	/* a time in the past: the beginning of the current tick, of 2 ns */
	T_OK(net_timer(e.net, 5, 3));
	net_fixture_drain(&e);
	T_IS(e.last_cookie, 3);
	T_IS(e.last_at, 77777778000ull);
	T_TRUE(net_next(e.net) == NET_NEVER);
	net_fixture_close(&e);
}

struct recorded {
	uint64_t cookie[64];
	unsigned n;
};

static void record(struct recorded *s, uint64_t cookie)
{
	T_TRUE(s->n < 64);
	s->cookie[s->n++] = cookie;
}

static void record_timer(void *arg, uint64_t at, uint64_t cookie)
{
	record(arg, cookie);
}

static void record_arrived(void *arg, uint64_t at, uint64_t cookie,
			   uint32_t node)
{
	record(arg, cookie);
}

static const struct net_up seeing = { .timer = record_timer,
				      .arrived = record_arrived };

/* Timers with the same expiry time expire in the order of their cookies. */
static void timers_of_one_time_expire_by_cookie(void **state)
{
	static const uint64_t ask[2][5] = { { 4, 1, 5, 2, 3 },
					    { 5, 4, 3, 2, 1 } };
	struct net_config cfg;
	struct net_fixture e;

	net_config_bgq(&cfg);
	net_fixture_open(&e, &cfg, 0);
	for (unsigned k = 0; k < 2; k++) {
		struct recorded s = { .n = 0 };

		for (unsigned i = 0; i < 5; i++)
			T_OK(net_timer(e.net, 1000000 * (k + 1), ask[k][i]));
		net_run(e.net, NET_NEVER, &seeing, &s, NULL);
		T_IS(s.n, 5);
		for (unsigned i = 0; i < 5; i++)
			T_IS(s.cookie[i], i + 1);
	}
	net_fixture_close(&e);
}

/* Returns the node `by` steps away in dimension dim of a 3x3x3 torus. */
static uint32_t moved(uint32_t node, unsigned dim, int by)
{
	static const uint32_t stride[3] = { 9, 3, 1 };
	uint32_t at = node / stride[dim] % 3;

	return node + ((at + 3 + (uint32_t)by) % 3 - at) * stride[dim];
}

/*
 * Packets from four neighbours reach a node in one tick. They leave by one link
 * in the order of receivers, regardless of the node numbers and the order of
 * sends.
 */
static void packets_of_one_tick_leave_in_receiver_order(void **state)
{
	struct net_config cfg;
	struct net_fixture e;

	net_config_bgq(&cfg);
	memcpy(cfg.size, (uint16_t[]){ 3, 3, 3, 1, 1 }, 10);
	memset(cfg.midplane, 0, sizeof(cfg.midplane));
	for (uint32_t node = 0; node < 27; node++)
		for (unsigned turn = 0; turn < 4; turn++) {
			struct net_msg m = { .dst = moved(node, 2, 1),
					     .bytes = 64,
					     .routing = NET_DETERMINISTIC };
			struct recorded s = { .n = 0 };

			net_fixture_open(&e, &cfg, 0);
			for (unsigned i = 0; i < 4; i++) {
				unsigned port = (i * 3 + turn) % 4;

				m.src = moved(node, port / 2,
					      port & 1 ? 1 : -1);
				m.cookie = port;
				T_OK(net_send(e.net, 0, &m));
			}
			net_run(e.net, NET_NEVER, &seeing, &s, NULL);
			T_IS(s.n, 4);
			for (unsigned i = 0; i < 4; i++)
				T_IS(s.cookie[i], i);
			net_fixture_close(&e);
		}
}

/*
 * Both packets wait for a busy link; the system packet, although posted later,
 * is sent first.
 */
static void system_packets_have_priority(void **state)
{
	struct net_msg m = { .dst = 1, .bytes = 512 };
	struct recorded s = { .n = 0 };
	struct net_config cfg;
	struct net_fixture e;

	net_config_bgq(&cfg);
	net_fixture_open(&e, &cfg, 0);
	for (unsigned i = 0; i < 3; i++) {
		m.routing = i == 0   ? NET_DETERMINISTIC
			    : i == 1 ? NET_HIGH
				     : NET_SYSTEM;
		m.cookie = m.fifo = i;
		T_OK(net_send(e.net, 20000 * i, &m));
	}
	net_run(e.net, NET_NEVER, &seeing, &s, NULL);
	T_IS(s.n, 3);
	T_IS(s.cookie[0], 0);
	T_IS(s.cookie[1], 2);
	T_IS(s.cookie[2], 1);
	net_fixture_close(&e);
}

/*
 * One stream stays in a ring, another stream enters the ring at node 1. Each of
 * them could fill the link; their packets alternate.
 */
static void ring_entry_and_ring_transit_alternate(void **state)
{
	struct net_msg m = { .dst = 2,
			     .bytes = 20 * 512,
			     .routing = NET_DETERMINISTIC };
	struct net_config cfg;
	struct net_fixture e;
	uint64_t on, enters;

	net_config_bgq(&cfg);
	memcpy(cfg.size, (uint16_t[]){ 8, 8, 1, 1, 1 }, 10);
	memset(cfg.midplane, 0, sizeof(cfg.midplane));
	net_fixture_open(&e, &cfg, 0);
	T_OK(net_send(e.net, 0, &m));
	m.src = 8 + 1;
	m.cookie = 1;
	T_OK(net_send(e.net, 0, &m));
	net_fixture_drain(&e);
	on = e.cookie_at[0];
	enters = e.cookie_at[1];
	T_TRUE(on > enters ? on - enters < 1000000 : enters - on < 1000000);
	net_fixture_close(&e);
}

static void a_deposit_leaves_a_copy_at_every_node_of_the_line(void **state)
{
	struct net_config cfg;
	struct net_fixture e;
	struct net_msg msg = { .dst = 3 * 128,
			       .bytes = 1500,
			       .deposit = 1,
			       .hint = { 1 },
			       .routing = NET_DETERMINISTIC };

	net_config_bgq(&cfg);
	net_fixture_open(&e, &cfg, 0);
	T_OK(net_send(e.net, 0, &msg));
	net_fixture_drain(&e);
	T_IS(e.arrived, 3);
	T_IS(e.packets, 9);
	T_IS(e.last_node, 3 * 128);
	msg.routing = NET_DYNAMIC;
	T_IS(net_send(e.net, 0, &msg), -EINVAL);
	msg.routing = NET_HIGH;
	msg.dst++;
	T_IS(net_send(e.net, 0, &msg), -EINVAL);
	net_fixture_close(&e);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		T_CASE(unloaded_latency_is_endpoint_plus_hops),
		T_CASE(traffic_crosses_region_boundaries),
		T_CASE(table_1_first_and_last_values_are_exact),
		T_CASE(midplane_crossing_adds_link_chip_latency),
		T_CASE(cables_are_between_midplanes_only),
		T_CASE(message_to_same_node_uses_no_link),
		T_CASE(looped_back_node_reaches_itself_on_every_link),
		T_CASE(consecutive_long_messages_run_at_link_rate),
		T_CASE(slow_engines_process_packets_back_to_back),
		T_CASE(timers_expire_at_their_picosecond),
		T_CASE(timers_of_one_time_expire_by_cookie),
		T_CASE(packets_of_one_tick_leave_in_receiver_order),
		T_CASE(system_packets_have_priority),
		T_CASE(ring_entry_and_ring_transit_alternate),
		T_CASE(a_deposit_leaves_a_copy_at_every_node_of_the_line),
	};
	return T_RUN(tests);
}

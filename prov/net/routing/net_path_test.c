/* SPDX-License-Identifier: BSD-3-Clause */
/* Paths between memory and network, shared buses and acknowledgements. */
#include "test/support/net_fixture.h"

#include "test/t.h"

#include <errno.h>
#include <string.h>

/* Configures two nodes with one link, and two paths. */
static void pair_config(struct net_config *cfg)
{
	net_config_bgq(cfg);
	cfg->dims = 1;
	cfg->size[0] = 2;
	cfg->midplane[0] = 0;
	cfg->wrap[0] = 0;
	cfg->paths = 2;
	cfg->path[1] = cfg->path[0];
	memcpy(cfg->path[1].name, "dma", 4);
}

static uint64_t latency(const struct net_config *cfg, uint8_t path,
			uint64_t bytes)
{
	struct net_msg msg = { .dst = 1, .bytes = bytes, .path = path };
	struct net_fixture e;

	net_fixture_open(&e, cfg, 0);
	T_OK(net_send(e.net, 0, &msg));
	net_fixture_drain(&e);
	T_IS(e.arrived, 1);
	net_fixture_close(&e);
	return e.last_at;
}

static void paths_have_separate_latencies(void **state)
{
	struct net_config cfg;

	pair_config(&cfg);
	T_IS(latency(&cfg, 0, 512), latency(&cfg, 1, 512));
	cfg.path[1].inject_ps += 750000;
	cfg.path[1].receive_ps += 10000;
	/* 100 ps more per byte: 512 bytes of payload, 32 of header */
	cfg.path[1].injection_ps_per_byte_x1000 += 100000;
	T_IS(latency(&cfg, 1, 512),
	     latency(&cfg, 0, 512) + 750000 + 10000 + 54400);
}

static void paths_have_separate_packet_sizes(void **state)
{
	struct net_msg msg = { .dst = 1, .bytes = 1000, .path = 1 };
	struct net_config cfg;
	struct net_fixture e;

	pair_config(&cfg);
	cfg.path[1].packet_bytes = 128;
	net_fixture_open(&e, &cfg, 0);
	T_OK(net_send(e.net, 0, &msg));
	msg.path = 0;
	T_OK(net_send(e.net, 0, &msg));
	msg.path = 2;
	T_IS(net_send(e.net, 0, &msg), -EINVAL);
	net_fixture_drain(&e);
	T_IS(e.packets, 8 + 2);
	T_IS(e.bytes, 2000);
	net_fixture_close(&e);
}

/* Returns the duration of two long messages in opposite directions. */
static uint64_t both_directions(const struct net_config *cfg)
{
	struct net_msg msg = { .bytes = 512 * 1000, .path = 1 };
	struct net_fixture e;

	net_fixture_open(&e, cfg, 0);
	for (msg.src = 0; msg.src < 2; msg.src++) {
		msg.dst = !msg.src;
		T_OK(net_send(e.net, 0, &msg));
	}
	net_fixture_drain(&e);
	T_IS(e.arrived, 2);
	net_fixture_close(&e);
	return e.last_at;
}

static void directions_share_a_bus(void **state)
{
	struct net_config cfg;
	uint64_t apart, shared, bus;

	pair_config(&cfg);
	apart = both_directions(&cfg);
	cfg.buses = 1;
	cfg.bus[0].ps_per_byte_x1000 = 500000;
	cfg.path[1].bus_out = 1;
	shared = both_directions(&cfg);
	/* only outgoing data uses the bus, at link rate */
	T_TRUE(shared < apart + apart / 50);
	cfg.path[1].bus_in = 1;
	shared = both_directions(&cfg);
	bus = 2 * 512 * 1000 * 500ull;
	T_TRUE(shared > bus && shared < bus + bus / 50);
	cfg.bus[0].packet_ps = 64000;
	T_TRUE(both_directions(&cfg) > shared + 2 * 999 * 64000ull);
}

/* The last acknowledgement takes the latency of a packet without data. */
static void every_packet_is_acknowledged(void **state)
{
	struct net_msg msg = {
		.dst = 1, .bytes = 512 * 10, .ack = 1, .cookie = 77
	};
	struct net_config cfg;
	struct net_fixture e;
	struct net_port_count c;

	pair_config(&cfg);
	cfg.ack_bytes = 0;
	cfg.ack_ps = 30000;
	cfg.ack_receive_ps = 20000;
	net_fixture_open(&e, &cfg, 0);
	T_OK(net_send(e.net, 0, &msg));
	net_fixture_drain(&e);
	T_IS(e.acked, 1);
	T_IS(e.arrived, 1);
	T_IS(e.last_cookie, 77);
	T_IS(e.acked_at, latency(&cfg, 0, 512 * 10) + 30000 + cfg.hop_ps +
				 40 * 500 + 20000);
	net_port_get(e.net, 1, 0, &c);
	T_IS(c.packets, 10);
	net_fixture_close(&e);
}

static void messages_to_the_same_node_are_acknowledged(void **state)
{
	struct net_msg msg = { .bytes = 2000, .ack = 1 };
	struct net_config cfg;
	struct net_fixture e;

	pair_config(&cfg);
	cfg.ack_ps = 30000;
	cfg.ack_receive_ps = 20000;
	net_fixture_open(&e, &cfg, 0);
	T_OK(net_send(e.net, 0, &msg));
	net_fixture_drain(&e);
	T_IS(e.acked, 1);
	T_IS(e.arrived, 1);
	net_fixture_close(&e);
}

/*
 * All nodes send to all nodes; there are more acknowledgements than their FIFO
 * holds.
 */
static void no_acknowledgement_is_lost_under_load(void **state)
{
	struct net_msg msg = { .ack = 1 };
	struct net_config cfg;
	struct net_fixture e;
	unsigned i;

	net_config_bgq(&cfg);
	cfg.torus_fifos = 0;
	cfg.ack_bytes = 8;
	cfg.ack_ps = 30000;
	cfg.ack_receive_ps = 20000;
	net_fixture_open(&e, &cfg, 200000);
	for (i = 0; i < 20000; i++) {
		msg.src = i % 512;
		msg.dst = (i * 97 + i / 512) % 32;
		msg.bytes = i % 3000;
		msg.fifo = i % 15;
		msg.routing = i % 2 ? NET_DYNAMIC : NET_DETERMINISTIC;
		T_OK(net_send(e.net, 0, &msg));
	}
	net_fixture_drain(&e);
	T_IS(e.arrived, 20000);
	T_IS(e.acked, 20000);
	net_fixture_close(&e);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		T_CASE(paths_have_separate_latencies),
		T_CASE(paths_have_separate_packet_sizes),
		T_CASE(directions_share_a_bus),
		T_CASE(every_packet_is_acknowledged),
		T_CASE(messages_to_the_same_node_are_acknowledged),
		T_CASE(no_acknowledgement_is_lost_under_load),
	};

	return T_RUN(tests);
}

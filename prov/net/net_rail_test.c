/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Parallel trees (rails) and links between sibling switches, as in the Sunway
 * prototype: which rail packets use, and which routes remain when links are
 * dead.
 */
#include "test/support/net_fixture.h"
#include "prov/net/routing/net_fat.h"
#include "prov/net/routing/net_topo.h"

#include "test/t.h"

#include <errno.h>
#include <string.h>

enum { PACKETS = 200, DOWN = 6, LEAVES = 8, SPINES = 6, SIBLINGS = 2 };
enum { ENDS = DOWN * LEAVES, LEAF = ENDS, SPINE = LEAF + 2 * LEAVES };
enum { UP = DOWN, ACROSS = DOWN + SPINES };

/* Configures two rails of eight leaf and six spine switches. */
static void rail_config(struct net_config *cfg)
{
	net_config_bgq(cfg);
	cfg->topology = NET_GEN_FAT_TREE;
	cfg->dims = 2;
	cfg->rails = 2;
	cfg->siblings = SIBLINGS;
	cfg->dyn_queues = 3;
	memcpy(cfg->size, (uint16_t[]){ DOWN, LEAVES }, 4);
	memcpy(cfg->parents, (uint16_t[]){ 1, SPINES }, 4);
	/* engines are faster than all links */
	cfg->path[0].injection_ps_per_byte_x1000 = 1000;
	cfg->path[0].reception_ps_per_byte_x1000 = 1000;
}

static void open_rails(struct net_fixture *e)
{
	struct net_config cfg;

	rail_config(&cfg);
	net_fixture_open(e, &cfg, 1 << 15);
}

static uint32_t leaf_of(uint32_t node, unsigned rail)
{
	return LEAF + node / DOWN * 2 + rail;
}
static uint32_t spine_of(unsigned i, unsigned rail)
{
	return SPINE + 2 * i + rail;
}

static uint64_t packets_on_port(const struct net_fixture *e, uint32_t node,
				unsigned port)
{
	struct net_port_count c;

	net_port_get(e->net, node, port, &c);
	return c.packets;
}

static void links_are_symmetric_and_rails_are_disjoint(void **state)
{
	struct net_config cfg;
	unsigned back, again, x;
	int64_t peer;

	rail_config(&cfg);
	T_IS(net_topo_ends(&cfg), ENDS);
	T_IS(net_topo_nodes(&cfg), ENDS + 2 * (LEAVES + SPINES));
	T_IS(net_topo_ports(&cfg), DOWN + SPINES + SIBLINGS);
	for (uint32_t n = 0; n < net_topo_nodes(&cfg); n++)
		for (unsigned port = 0; port < net_topo_ports(&cfg); port++) {
			peer = net_topo_peer(&cfg, n, port, &back, &x);
			if (peer < 0)
				continue;
			T_IS(net_topo_peer(&cfg, (uint32_t)peer, back, &again,
					   &x),
			     n);
			T_IS(again, port);
			if (n >= ENDS && peer >= ENDS)
				T_IS(n % 2, peer % 2);
		}
	T_IS(net_topo_peer(&cfg, leaf_of(0, 1), ACROSS, &back, &x),
	     leaf_of(DOWN, 1));
	T_IS(back, ACROSS);
}

static void message_uses_its_rail_or_both(void **state)
{
	struct net_msg msg = { .dst = ENDS - 1, .bytes = 512 * PACKETS };
	struct net_fixture e;
	uint64_t fixed[3];

	for (unsigned routing = NET_DYNAMIC; routing <= NET_DETERMINISTIC;
	     routing++)
		for (msg.rail = 0; msg.rail <= 2; msg.rail++) {
			msg.routing = (uint8_t)routing;
			open_rails(&e);
			T_OK(net_send(e.net, 0, &msg));
			net_fixture_drain(&e);
			T_IS(e.arrived, 1);
			if (msg.rail)
				T_IS(packets_on_port(&e, 0, msg.rail - 1u),
				     PACKETS);
			else if (routing == NET_DYNAMIC)
				T_TRUE(packets_on_port(&e, 0, 0) >
					       PACKETS / 3 &&
				       packets_on_port(&e, 0, 1) > PACKETS / 3);
			else
				T_IS(packets_on_port(&e, 0, 1), PACKETS);
			fixed[msg.rail] = e.last_at;
			net_fixture_close(&e);
		}
	T_IS(fixed[1], fixed[2]);
	open_rails(&e);
	msg.rail = 3;
	T_IS(net_send(e.net, 0, &msg), -EINVAL);
	net_fixture_close(&e);
}

static void two_rails_double_the_bandwidth(void **state)
{
	struct net_msg msg = { .dst = ENDS - 1, .bytes = 512 * PACKETS };
	uint64_t time[2];
	struct net_fixture e;

	for (unsigned i = 0; i < 2; i++) {
		open_rails(&e);
		msg.rail = (uint8_t)i;
		T_OK(net_send(e.net, 0, &msg));
		net_fixture_drain(&e);
		time[i] = e.last_at;
		net_fixture_close(&e);
	}
	T_TRUE(time[1] > time[0] * 18 / 10);
}

/* ---- dead links ---------------------------------------------------------- */

static uint64_t send_one(struct net_fixture *e, uint32_t dst, unsigned routing,
			 unsigned rail)
{
	struct net_msg msg = { .dst = dst,
			       .bytes = 512 * PACKETS,
			       .routing = (uint8_t)routing,
			       .rail = (uint8_t)rail };
	uint64_t before = e->arrived;

	T_OK(net_send(e->net, e->last_at, &msg));
	net_fixture_drain(e);
	return e->arrived - before;
}

/* A deterministic packet takes the next live port in its table entry. */
static void dead_upward_link_is_skipped_in_order(void **state)
{
	const uint32_t dst = 3 * DOWN + 2, first = dst % SPINES;
	struct net_fixture e;

	open_rails(&e);
	T_OK(net_link_kill(e.net, leaf_of(0, 0), UP + first));
	T_IS(send_one(&e, dst, NET_DETERMINISTIC, 1), 1);
	T_IS(packets_on_port(&e, leaf_of(0, 0), UP + first), 0);
	T_IS(packets_on_port(&e, leaf_of(0, 0), UP + first + 1), PACKETS);
	T_IS(net_link_kill(e.net, leaf_of(0, 0), UP), -EINVAL);
	net_fixture_close(&e);
	open_rails(&e);
	T_IS(send_one(&e, dst, NET_DETERMINISTIC, 1), 1);
	T_IS(packets_on_port(&e, leaf_of(0, 0), UP + first), PACKETS);
	T_IS(net_link_kill(e.net, ENDS, 63), -EINVAL);
	net_fixture_close(&e);
}

/*
 * The only downward link to the target's leaf switch is dead: packets go down
 * to the sibling switch, then across.
 */
static void dead_downward_link_is_bypassed_by_the_sibling(void **state)
{
	const uint32_t dst = 3 * DOWN + 2;
	struct net_fixture e;
	uint64_t over = 0;

	open_rails(&e);
	for (unsigned i = 0; i < SPINES; i++)
		T_OK(net_link_kill(e.net, spine_of(i, 0), 3));
	for (unsigned routing = NET_DYNAMIC; routing <= NET_SYSTEM; routing++)
		T_IS(send_one(&e, dst, routing, 1), 1);
	for (unsigned i = 0; i < SIBLINGS; i++)
		over += packets_on_port(&e, leaf_of(2 * DOWN, 0), ACROSS + i);
	T_IS(over, 4 * PACKETS);
	net_fixture_close(&e);
}

static void leaf_without_upward_links_sends_to_sibling(void **state)
{
	struct net_fixture e;
	uint64_t over = 0;

	open_rails(&e);
	for (unsigned i = 0; i < SPINES; i++)
		T_OK(net_link_kill(e.net, leaf_of(0, 0), UP + i));
	for (unsigned routing = NET_DYNAMIC; routing <= NET_SYSTEM; routing++)
		T_IS(send_one(&e, ENDS - 1, routing, 1), 1);
	for (unsigned i = 0; i < SIBLINGS; i++)
		over += packets_on_port(&e, leaf_of(0, 0), ACROSS + i);
	T_IS(over, 4 * PACKETS);
	net_fixture_close(&e);
}

/* All links of a leaf switch are dead: new tables use the other rail. */
static void new_tables_route_around_a_dead_switch(void **state)
{
	const uint32_t dst = 3 * DOWN + 2;
	struct net_fixture e;

	open_rails(&e);
	for (unsigned i = 0; i < DOWN + SPINES + SIBLINGS; i++)
		T_OK(net_link_kill(e.net, leaf_of(dst, 0), i));
	net_tables_renew(e.net);
	for (unsigned routing = NET_DYNAMIC; routing <= NET_SYSTEM; routing++)
		T_IS(send_one(&e, dst, routing, 0), 1);
	T_IS(packets_on_port(&e, 0, 0), 0);
	T_IS(packets_on_port(&e, 0, 1), 4 * PACKETS);
	net_fixture_close(&e);
	open_rails(&e);
	T_OK(net_link_kill(e.net, spine_of(2, 0), 3));
	for (unsigned i = 0; i < SIBLINGS; i++)
		T_OK(net_link_kill(e.net, leaf_of(dst, 0), ACROSS + i));
	net_tables_renew(e.net);
	T_IS(send_one(&e, dst, NET_DYNAMIC, 1), 1);
	T_IS(packets_on_port(&e, leaf_of(0, 0), UP + 2), 0);
	net_fixture_close(&e);
}

/* ---- siblings ------------------------------------------------------------ */

static void siblings_exchange_packets_directly(void **state)
{
	struct net_fixture e;
	uint64_t over = 0;

	open_rails(&e);
	T_IS(net_hops(e.net, 0, DOWN), 3);
	T_IS(net_hops(e.net, 0, 2 * DOWN), 4);
	for (uint32_t i = 0; i < DOWN; i++)
		T_OK(net_fixture_send(&e, 0, i, DOWN + i, 512 * PACKETS));
	net_fixture_drain(&e);
	for (unsigned rail = 0; rail < 2; rail++)
		for (unsigned i = 0; i < SIBLINGS; i++)
			over += packets_on_port(&e, leaf_of(0, rail),
						ACROSS + i);
	T_TRUE(over > 0);
	T_IS(e.arrived, DOWN);
	net_fixture_close(&e);
}

/* The route goes up, across and down; a route with invalid ports is refused. */
static void source_route_may_use_sibling_link(void **state)
{
	static const uint8_t over[] = { 1, ACROSS + 1, 4 };
	static const uint8_t late[] = { 0, UP + 3, 3, ACROSS, 1 };
	static const uint8_t wrong[] = { 0, UP + 3, ACROSS, 3, 1 };
	struct net_msg msg = { .dst = DOWN + 4,
			       .bytes = 8,
			       .routing = NET_DETERMINISTIC,
			       .route = over,
			       .route_len = 3 };
	struct net_fixture e;

	open_rails(&e);
	T_OK(net_send(e.net, 0, &msg));
	net_fixture_drain(&e);
	T_IS(packets_on_port(&e, leaf_of(0, 1), ACROSS + 1), 1);
	msg.route = late;
	msg.route_len = 5;
	msg.dst = 2 * DOWN + 1;
	T_OK(net_send(e.net, e.last_at, &msg));
	net_fixture_drain(&e);
	T_IS(e.last_node, 2 * DOWN + 1);
	T_IS(packets_on_port(&e, leaf_of(3 * DOWN, 0), ACROSS), 1);
	msg.route = wrong;
	T_IS(net_send(e.net, e.last_at, &msg), -EINVAL);
	net_fixture_close(&e);
}

/* All pairs send at once, some links are dead, and nothing is lost. */
static void all_to_all_arrives_around_dead_links(void **state)
{
	struct net_fixture e;

	open_rails(&e);
	for (unsigned i = 0; i < SPINES; i++)
		T_OK(net_link_kill(e.net, spine_of(i, 0), 1 + i % 2));
	T_OK(net_link_kill(e.net, leaf_of(0, 1), UP + 1));
	net_tables_renew(e.net);
	for (uint32_t i = 0; i < ENDS; i++)
		for (uint32_t k = 0; k < ENDS; k++) {
			struct net_msg msg = { .src = i,
					       .dst = k,
					       .bytes = 1500,
					       .fifo = k,
					       .routing = (uint8_t)(k % 4) };

			T_OK(net_send(e.net, 0, &msg));
		}
	net_fixture_drain(&e);
	T_FALSE(net_deadlock_check(e.net));
	T_IS(e.arrived, ENDS * ENDS);
	net_fixture_close(&e);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		T_CASE(links_are_symmetric_and_rails_are_disjoint),
		T_CASE(message_uses_its_rail_or_both),
		T_CASE(two_rails_double_the_bandwidth),
		T_CASE(dead_upward_link_is_skipped_in_order),
		T_CASE(dead_downward_link_is_bypassed_by_the_sibling),
		T_CASE(leaf_without_upward_links_sends_to_sibling),
		T_CASE(new_tables_route_around_a_dead_switch),
		T_CASE(siblings_exchange_packets_directly),
		T_CASE(source_route_may_use_sibling_link),
		T_CASE(all_to_all_arrives_around_dead_links),
	};
	return T_RUN(tests);
}

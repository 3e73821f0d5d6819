/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Failed or slow links, nodes and switches, and links with lost lanes: which
 * packets are rerouted, delayed or lost, and which failures are reported.
 */
#include "test/support/net_fault_fixture.h"

#include "src/base/attr.h"
#include "test/t.h"

#include <stdio.h>
#include <string.h>

#define US 1000000ull
#define MS (1000 * US)

/* Every node sends to every other node at once. */
static void all_to_all(struct net_fixture *e, uint32_t nodes, uint8_t routing,
		       uint64_t at)
{
	struct net_msg m = { .bytes = e->cfg.payload_bytes,
			     .routing = routing };

	for (m.src = 0; m.src < nodes; m.src++)
		for (m.dst = 0; m.dst < nodes; m.dst++) {
			m.fifo = m.dst;
			m.cookie = 100;
			if (m.src != m.dst)
				T_OK(net_send(e->net, at, &m));
		}
}

static uint64_t carried(const struct net_fixture *e, uint32_t node,
			unsigned port)
{
	struct net_port_count c;

	net_port_get(e->net, node, port, &c);
	return c.packets;
}

/* ---- link rates and slow nodes ------------------------------------------- */

static uint64_t stream_by(const struct net_config *cfg, const char *plan,
			  uint8_t path)
{
	struct net_msg m = { .dst = 2,
			     .bytes = 64 << 10,
			     .routing = NET_DETERMINISTIC,
			     .path = path };
	struct net_fixture e;

	net_fixture_fault_open(&e, cfg, plan);
	T_OK(net_send(e.net, 0, &m));
	net_fixture_drain(&e);
	T_IS(e.arrived, 1);
	net_fixture_close(&e);
	return e.last_at;
}

static uint64_t stream(const struct net_config *cfg, const char *plan)
{
	return stream_by(cfg, plan, 0);
}

/* GEM-29: a link continues with two of three lanes, at 2/3 of the rate. */
static void gemini_continues_with_two_of_three_lanes(void **state)
{
	struct net_config cfg;
	uint64_t whole, two, one, slow;

	net_fixture_machine_load(&cfg, "gemini:2x1x1");
	whole = stream(&cfg, "slow-node 3 = 1");
	two = stream(&cfg, "lanes 0,0,0.A+ = 2; lanes 0,0,0.A- = 2");
	slow = stream(&cfg, "slow-link 0.A+ = 1.5; slow-link 0.A- = 1.5");
	one = stream(&cfg, "lanes 0,0,0.A+ = 1; lanes 0,0,0.A- = 1");
	/*
	 * 1024 packets of 96 B take 41, 62 and 123 ns each with three, two and
	 * one lanes; the last packets may still be in buffers
	 */
	T_TRUE(two > 1024 * 62000 && two > whole + 1024 * 5000);
	T_TRUE(one > 1024 * 123000 && one < 1024 * 140000);
	T_IS(slow, two);
}

/*
 * SWE-27: a link continues with two of four lanes or with one, at the rate of
 * the remaining lanes.
 */
static void sunway_continues_with_two_lanes_or_one(void **state)
{
	const uint64_t packets = 32, ns = 1000;
	struct net_config cfg;
	uint64_t whole, two, one;

	net_fixture_machine_load(&cfg, "sunway:6x4");
	whole = stream_by(&cfg, "slow-node 3 = 1", 2); /* path 2: RDMA */
	two = stream_by(&cfg, "lanes 0.0+ = 2; lanes 0.0+.1 = 2", 2);
	one = stream_by(&cfg, "lanes 0.0+ = 1; lanes 0.0+.1 = 1", 2);
	/*
	 * packets of 2096 B on one of two rails: 154, 307 and 615 ns each with
	 * four, two and one lanes
	 */
	T_TRUE(two > whole + packets * 120 * ns);
	T_TRUE(two < whole + packets * 170 * ns);
	T_TRUE(one > whole + packets * 420 * ns);
	T_TRUE(one < whole + packets * 480 * ns);
}

static void link_rate_is_restored_with_its_lanes(void **state)
{
	struct net_config cfg;
	uint64_t whole, always, a_while;

	net_fixture_machine_load(&cfg, "gemini:2x1x1");
	whole = stream(&cfg, "slow-node 3 = 1");
	always = stream(&cfg, "lanes 0.A+ = 1 at 5us; lanes 0.A- = 1 at 5us");
	a_while = stream(&cfg, "lanes 0.A+ = 1 at 5us for 10us;"
			       "lanes 0.A- = 1 at 5us for 10us");
	T_TRUE(whole < a_while && a_while < always);
	T_TRUE(a_while - whole < 7 * US);
}

static void a_slow_node_sends_slowly(void **state)
{
	struct net_config cfg;
	uint64_t whole, slow;

	net_fixture_machine_load(&cfg, "bgq:4");
	whole = stream(&cfg, "slow-node 3 = 5");
	slow = stream(&cfg, "slow-node 0 = 5");
	T_TRUE(slow > 2 * whole);
}

/* ---- parallel links ------------------------------------------------------ */

/* GEM-30: no packet uses a masked link, and all messages arrive. */
static void gemini_masked_link_is_unused(void **state)
{
	static const uint8_t ways[] = { NET_DYNAMIC, NET_DETERMINISTIC };
	struct net_config cfg;
	unsigned k;

	net_fixture_machine_load(&cfg, "gemini:3x2x1");
	for (k = 0; k < 2; k++) {
		struct net_fixture e;

		net_fixture_fault_open(&e, &cfg, "dead-link 0,0,0.A+.3");
		all_to_all(&e, 12, ways[k], 0);
		net_fixture_drain(&e);
		T_IS(e.arrived, 12 * 11);
		/* ports 0 to 7 are A-, ports 8 to 15 are A+ */
		T_IS(carried(&e, 12, 8 + 3), 0);
		T_TRUE(carried(&e, 12, 8 + 2) > 0);
		T_IS(net_fixture_fault_count(&e).quiesced, 0);
		T_IS(net_fixture_fault_count(&e).lost, 0);
		net_fixture_close(&e);
	}
}

/*
 * GEM-32: if all links to a neighbour fail, injection stops, new tables are
 * loaded, and injection resumes.
 */
static void gemini_quiesces_and_loads_new_tables(void **state)
{
	struct net_fault_count c;
	struct net_config cfg;
	struct net_fixture e;

	net_fixture_machine_load(&cfg, "gemini:4x2x1");
	net_fixture_fault_open(&e, &cfg, "dead-link 0,0,0.A+ at 100us");
	all_to_all(&e, 16, NET_DYNAMIC, 50 * US);
	all_to_all(&e, 16, NET_DYNAMIC, 150 * US);
	net_fixture_drain(&e);
	c = net_fixture_fault_count(&e);
	T_IS(e.arrived, 2 * 16 * 15);
	T_IS(c.quiesced, 1);
	T_IS(c.dead_links, 16);
	T_TRUE(c.lost == 0);
	/* sent at 150 us; injection stops at 110 us, for 20 ms */
	T_TRUE(e.last_at > 20 * MS + 110 * US);
	T_TRUE(e.last_at < 21 * MS);
	net_fixture_close(&e);
}

/* GEM-32: new tables use the opposite direction from the source on. */
static void gemini_new_tables_use_opposite_direction(void **state)
{
	/* the first router follows ten nodes; A+ follows the 8 ports of A- */
	enum { ROUTER = 10, LINKS = 8 };
	static const uint8_t ways[] = { NET_DYNAMIC, NET_DETERMINISTIC };
	struct net_msg m = { .dst = 4, .bytes = 64 };
	struct net_config cfg;
	unsigned k, i, there, back;

	net_fixture_machine_load(&cfg, "gemini:5x1x1");
	for (k = 0; k < 2; k++) {
		struct net_fixture e;

		net_fixture_fault_open(&e, &cfg, "dead-link 1,0,0.A+");
		m.routing = ways[k];
		T_OK(net_send(e.net, 0, &m));
		net_fixture_drain(&e);
		T_IS(e.arrived, 1);
		for (i = there = back = 0; i < LINKS; i++) {
			back += (unsigned)carried(&e, ROUTER, i);
			there += (unsigned)carried(&e, ROUTER, LINKS + i);
		}
		T_IS(there, 0);
		T_IS(back, 1);
		net_fixture_close(&e);
	}
}

/* GEM-33: packets queued for a dead link time out after one second. */
static void gemini_response_timeout_is_one_second(void **state)
{
	struct net_msg m = { .dst = 2,
			     .bytes = 64 << 10,
			     .routing = NET_DETERMINISTIC };
	struct net_fault_count c;
	struct net_config cfg;
	struct net_fixture e;

	net_fixture_machine_load(&cfg, "gemini:4x1x1");
	net_fixture_fault_open(&e, &cfg, "dead-link 0,0,0.A+ at 20us");
	T_OK(net_send(e.net, 0, &m));
	net_fixture_drain(&e);
	c = net_fixture_fault_count(&e);
	T_IS(e.arrived, 1);
	T_TRUE(c.timeouts > 0 && c.resends == c.timeouts);
	T_TRUE(e.last_at > 1000 * MS && e.last_at < 1100 * MS);
	net_fixture_close(&e);
}

/* A router and its two nodes fail; the other nodes reach each other. */
static void gemini_routes_around_a_dead_router(void **state)
{
	struct net_msg m = { .bytes = 64 };
	struct net_config cfg;
	struct net_fixture e;
	unsigned sent = 0;

	net_fixture_machine_load(&cfg, "gemini:3x3x1");
	net_fixture_fault_open(&e, &cfg, "dead-switch 1,1,0");
	for (m.src = 0; m.src < 18; m.src++)
		for (m.dst = 0; m.dst < 18; m.dst++) {
			if (m.src == m.dst || m.src / 2 == 4 || m.dst / 2 == 4)
				continue;
			m.fifo = m.dst;
			m.routing = m.dst & 1 ? NET_DYNAMIC : NET_DETERMINISTIC;
			T_OK(net_send(e.net, 0, &m));
			sent++;
		}
	net_fixture_drain(&e);
	T_IS(e.arrived, sent);
	T_IS(net_fixture_fault_count(&e).dead_nodes, 2);
	T_IS(net_fixture_fault_count(&e).lost, 0);
	net_fixture_close(&e);
}

/* ---- routing around failures in trees ------------------------------------ */

/* QSN-42: packets use other upward links and are not retransmitted. */
static void qsnet2_routes_around_a_dead_switch(void **state)
{
	static const char *const plans[] = {
		"dead-switch 3:0", "dead-switch 2:5", "dead-link 1:3.1+.2",
		("dead-switch 3:0; dead-switch 3:9;"
		 "dead-link 2:0.2+.1")
	};
	struct net_config cfg;
	unsigned i, k;

	net_fixture_machine_load(&cfg, "qsnet2:4x4x4");
	for (i = 0; i < WEFT_COUNT_OF(plans); i++)
		for (k = 0; k < 2; k++) {
			struct net_fixture e;

			net_fixture_fault_open(&e, &cfg, plans[i]);
			all_to_all(&e, 64, k ? NET_DYNAMIC : NET_DETERMINISTIC,
				   0);
			net_fixture_drain(&e);
			T_IS(e.arrived, 64 * 63);
			T_IS(net_fixture_fault_count(&e).timeouts, 0);
			T_TRUE(net_fixture_fault_count(&e).detours > 0 || k);
			net_fixture_close(&e);
		}
}

/* QSN-41: without an answer, the interface retransmits on another route. */
static void qsnet2_retransmits_after_missing_answer(void **state)
{
	struct net_fault_count c;
	struct net_config cfg;
	struct net_fixture e;

	net_fixture_machine_load(&cfg, "qsnet2:4x4x4");
	net_fixture_fault_open(&e, &cfg, "dead-switch 3:0 at 20us");
	all_to_all(&e, 64, NET_DETERMINISTIC, 0);
	net_fixture_drain(&e);
	c = net_fixture_fault_count(&e);
	T_IS(e.arrived, 64 * 63);
	T_TRUE(c.timeouts > 0 && c.resends == c.timeouts);
	T_IS(c.lost, 0);
	net_fixture_close(&e);
}

/*
 * Sends a packet whose acknowledgement is in flight when a switch of the
 * highest level fails. Returns the time at which the source has the
 * acknowledgement.
 */
static uint64_t acked_despite_failure(uint8_t neterr, unsigned dead,
				      struct net_fault_count *c)
{
	struct net_msg m = { .dst = 60, .bytes = 8, .ack = 1, .path = 2 };
	struct net_config cfg;
	struct net_fixture e;
	char plan[48];

	m.routing = NET_DETERMINISTIC;
	net_fixture_machine_load(&cfg, "qsnet2:4x4x4");
	cfg.care.neterr = neterr;
	/* routes avoid the switch before the source retransmits */
	cfg.care.detect_ps = cfg.care.ack_timeout_ps / 2;
	snprintf(plan, sizeof(plan), "dead-switch 3:%u at 650ns", dead);
	net_fixture_fault_open(&e, &cfg, plan);
	T_OK(net_send(e.net, 0, &m));
	net_fixture_drain(&e);
	T_IS(e.arrived, 1);
	T_IS(e.acked, 1);
	*c = net_fixture_fault_count(&e);
	net_fixture_close(&e);
	return e.acked_at;
}

/*
 * QSN-41: an acknowledgement that a dead switch has lost is requested again by
 * a network error message; the data is not retransmitted.
 */
static void qsnet2_resolves_lost_acks_by_error_messages(void **state)
{
	struct net_fault_count c[2];
	uint64_t acked[2];
	unsigned lost = 0;

	for (unsigned dead = 0; dead < 16; dead++) {
		for (unsigned k = 0; k < 2; k++)
			acked[k] =
				acked_despite_failure((uint8_t)k, dead, &c[k]);
		T_IS(c[1].timeouts, c[0].timeouts);
		T_IS(c[0].neterrs, 0);
		T_IS(c[1].neterrs, c[1].timeouts);
		T_IS(c[1].resends, c[1].timeouts);
		/* the message passes five switches before the target answers */
		if (c[1].timeouts)
			T_TRUE(acked[1] > acked[0] + 5 * 21000 &&
			       acked[1] < acked[0] + 1000000);
		else
			T_IS(acked[1], acked[0]);
		lost += !!c[1].timeouts;
	}
	T_IS(lost, 1);
}

/* A packet that a failed link has cut is discarded and retransmitted. */
static void qsnet2_resends_packets_cut_by_a_failure(void **state)
{
	struct net_msg m = { .dst = 15, .bytes = 2048, .path = 2 };
	struct net_fault_count c;
	struct net_config cfg;
	struct net_fixture e;

	m.routing = NET_DETERMINISTIC;
	net_fixture_machine_load(&cfg, "qsnet2:4x4");
	/* the head leaves the first switch after 2.1 us */
	net_fixture_fault_open(&e, &cfg, "dead-switch 2:3 at 3us");
	T_OK(net_send(e.net, 0, &m));
	net_fixture_drain(&e);
	c = net_fixture_fault_count(&e);
	T_IS(e.arrived, 1);
	T_IS(c.discarded, 1);
	T_IS(c.resends, 1);
	net_fixture_close(&e);
}

/*
 * SWE-28, SWE-29: no message is lost if a rail, or all upward links of a
 * switch, have failed.
 */
static void sunway_routes_over_other_rail_and_siblings(void **state)
{
	static const char *const plans[] = { "dead-rail 0", "dead-rail 1",
					     "dead-link 1:0.1+" };
	struct net_config cfg;
	unsigned i;

	net_fixture_machine_load(&cfg, "sunway:6x4");
	for (i = 0; i < WEFT_COUNT_OF(plans); i++) {
		struct net_fixture e;

		net_fixture_fault_open(&e, &cfg, plans[i]);
		all_to_all(&e, 24, NET_DYNAMIC, 0);
		net_fixture_drain(&e);
		T_IS(e.arrived, 24 * 23);
		T_IS(net_fixture_fault_count(&e).lost, 0);
		T_IS(net_fixture_fault_count(&e).timeouts, 0);
		net_fixture_close(&e);
	}
}

/* SWE-29: packets lost with a rail or a switch are retransmitted after 1 ms. */
static void sunway_retransmits_packets_lost_with_a_rail(void **state)
{
	static const char *const plans[] = { "dead-rail 0 at 10us",
					     "dead-switch 2:0 at 10us",
					     "dead-switch 1:7 at 10us" };
	struct net_fault_count c;
	struct net_config cfg;
	unsigned i;

	net_fixture_machine_load(&cfg, "sunway:6x4");
	for (i = 0; i < WEFT_COUNT_OF(plans); i++) {
		struct net_fixture e;

		net_fixture_fault_open(&e, &cfg, plans[i]);
		all_to_all(&e, 24, NET_DYNAMIC, 0);
		all_to_all(&e, 24, NET_DETERMINISTIC, 0);
		net_fixture_drain(&e);
		c = net_fixture_fault_count(&e);
		T_IS(e.arrived, 2 * 24 * 23);
		T_IS(c.lost, 0);
		T_TRUE(c.timeouts > 0 && c.resends == c.timeouts);
		T_TRUE(e.last_at > 1 * MS && e.last_at < 3 * MS);
		net_fixture_close(&e);
	}
}

/* ---- lost messages ------------------------------------------------------- */

static void dead_node_is_reported_and_its_messages_are_lost(void **state)
{
	static const struct {
		const char *machine;
		/* time from failure to detection, ps */
		uint64_t detected_after;
	} row[] = { { "bgq:4x2", 332 * MS },
		    { "gemini:2x2x1", 10 * US },
		    { "qsnet2:4x4", 100 * US } };
	struct net_config cfg;
	unsigned i, n;

	for (i = 0; i < WEFT_COUNT_OF(row); i++) {
		struct net_fixture e;

		net_fixture_machine_load(&cfg, row[i].machine);
		net_fixture_fault_open(&e, &cfg, "dead-node 3 at 10us");
		for (n = 0; n < 8; n++)
			T_OK(net_fixture_send(&e, 20 * US, n, n == 7 ? 3 : 7,
					      64));
		net_fixture_drain(&e);
		T_IS(e.dead, 1);
		T_IS(e.dead_node, 3);
		T_TRUE(e.dead_at >= 10 * US + row[i].detected_after);
		T_TRUE(e.dead_at < 11 * US + row[i].detected_after);
		/* messages 7 to 3 and 3 to 7 are lost; 7 to 7 needs no link */
		T_IS(e.lost, 2);
		T_IS(e.arrived, 6);
		T_TRUE(e.lost_at >= 10 * US + row[i].detected_after);
		net_fixture_close(&e);
	}
}

/* bgq does not reroute; net_up.dead reports the dead link. */
static void bgq_does_not_route_around_a_dead_link(void **state)
{
	struct net_config cfg;
	struct net_fixture e;

	net_fixture_machine_load(&cfg, "bgq:4");
	net_fixture_fault_open(&e, &cfg, "dead-link 0.A+ at 1us");
	T_OK(net_fixture_send(&e, 2 * US, 0, 1, 64));
	T_OK(net_fixture_send(&e, 2 * US, 1, 0, 64));
	T_OK(net_fixture_send(&e, 2 * US, 0, 3, 64));
	net_fixture_drain(&e);
	T_IS(e.arrived, 1);
	T_IS(e.lost, 2);
	T_IS(e.dead, 1);
	T_IS(e.dead_node, NET_DEAD_LINK);
	net_fixture_close(&e);
}

static void restored_link_carries_queued_packets(void **state)
{
	struct net_config cfg;
	struct net_fixture e;

	net_fixture_machine_load(&cfg, "bgq:4");
	net_fixture_fault_open(&e, &cfg, "dead-link 0.A+ at 1us for 1ms");
	T_OK(net_fixture_send(&e, 2 * US, 0, 1, 64));
	net_fixture_drain(&e);
	T_IS(e.arrived, 1);
	T_IS(net_fixture_fault_count(&e).lost, 0);
	T_TRUE(e.last_at >= 1 * MS + 1 * US && e.last_at < 1 * MS + 3 * US);
	net_fixture_close(&e);
}

/* ---- names of links, nodes and switches ---------------------------------- */

static void fault_plan_with_unknown_object_is_refused(void **state)
{
	static const struct {
		const char *machine, *plan, *why;
	} row[] = {
		{ "bgq:4x4", "errors C+ = 1e-9", "plan:1: C+: no such class" },
		{ "qsnet2:4x4", "seed = 1\nlanes 1.0+ = 2",
		  "plan:2: 1.0+: links of this machine have fewer lanes" },
		{ "bgq:8", "lanes 3.A+ = 2", "one spare fibre, for one lane" },
		{ "bgq:8", "lanes 2.A+ = 3", "only links between midplanes" },
		{ "gemini", "lanes 0.A+ = 4", "fewer lanes" },
		{ "bgq:4x4", "dead-link 16.A+", "no such node" },
		{ "bgq:4x4", "dead-link 3,3,1.A+", "no such node" },
		{ "bgq:4x4", "dead-link 3.Z+", "no such link" },
		{ "gemini", "dead-link 3.A+.8", "no such link" },
		{ "qsnet2:4x4", "dead-switch 3", "a node, not a switch" },
		{ "qsnet2:4x4", "dead-node 1:2", "a switch, not a node" },
		{ "qsnet2:4x4", "dead-switch 3:0", "no such switch" },
		{ "qsnet2:4x4", "dead-rail 1", "has no rails" },
		{ "sunway:18x4", "dead-rail 2", "no such rail" },
	};
	struct weft_fault_plan_why why;
	struct net_config cfg;
	unsigned i;

	for (i = 0; i < WEFT_COUNT_OF(row); i++) {
		net_fixture_machine_load(&cfg, row[i].machine);
		net_fixture_fault_refused(&cfg, row[i].plan, &why);
		if (!strstr(why.text, row[i].why))
			print_message("%s: %s\n", row[i].plan, why.text);
		T_TRUE(strstr(why.text, row[i].why));
	}
}

/* Links between midplanes and long cables are optical. */
static void links_between_midplanes_are_optical(void **state)
{
	struct net_fault_port inside, between;
	struct net_config cfg;
	struct net_fixture e;

	net_fixture_machine_load(&cfg, "bgq:8");
	net_fixture_fault_open(&e, &cfg, "errors optical = 1e-6");
	T_OK(net_fixture_send(&e, 0, 2, 5, 512));
	net_fixture_drain(&e);
	net_fault_port_get(e.net, 2, 1, &inside);
	net_fault_port_get(e.net, 3, 1, &between);
	T_IS(inside.packets, 0);
	T_IS(between.packets, 1);
	net_fixture_close(&e);
}

/* Sends 100 packets between midplanes; returns the counters of the plan. */
static struct net_fault_count cross(const char *plan, uint64_t *end_p)
{
	struct net_fault_count c;
	struct net_config cfg;
	struct net_fixture e;

	net_fixture_machine_load(&cfg, "bgq:8");
	net_fixture_fault_open(&e, &cfg, plan);
	T_OK(net_fixture_send(&e, 0, 3, 4, 100 * 512));
	net_fixture_drain(&e);
	T_IS(e.arrived, 1);
	c = net_fixture_fault_count(&e);
	*end_p = e.last_at;
	net_fixture_close(&e);
	return c;
}

/*
 * SC11 II.G: the spare fibre of an optical link carries parity, by which single
 * errors are corrected; it replaces a failed fibre, and then corrects nothing.
 */
static void bgq_spare_fibre_corrects_or_replaces(void **state)
{
	uint64_t good, corrected, replaced, late, slow, burst;
	struct net_fault_count c;

	cross("errors * = 0", &good);
	c = cross("seed = 1; errors optical = 1e-4", &corrected);
	T_TRUE(c.bits_corrected > 20);
	T_IS(c.retries, 0);
	T_IS(corrected, good);
	cross("lanes 3.A+ = 3", &replaced);
	T_IS(replaced, good);
	c = cross("seed = 1; errors optical = 1e-4; lanes 3.A+ = 3", &late);
	T_IS(c.bits_corrected, 0);
	T_TRUE(c.retries > 20 && late > good);
	/* a fibre that fails after half of the packets */
	c = cross("seed = 1; errors optical = 1e-4; lanes 3.A+ = 3 at 15us",
		  &slow);
	T_TRUE(c.bits_corrected > 5 && c.retries > 5);
	T_TRUE(slow > good && slow < late);
	/* the failed fibre works again after 5 us */
	c = cross("seed = 1; errors optical = 1e-4;"
		  "lanes 3.A+ = 3 for 5us",
		  &slow);
	T_TRUE(c.bits_corrected > 5 && c.retries > 0);
	/* two wrong bits next to each other */
	c = cross("seed = 1; errors optical = 1e-4; burst optical = 2", &burst);
	T_TRUE(c.retries > 20 && burst > good);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		T_CASE(gemini_continues_with_two_of_three_lanes),
		T_CASE(sunway_continues_with_two_lanes_or_one),
		T_CASE(link_rate_is_restored_with_its_lanes),
		T_CASE(a_slow_node_sends_slowly),
		T_CASE(gemini_masked_link_is_unused),
		T_CASE(gemini_quiesces_and_loads_new_tables),
		T_CASE(gemini_new_tables_use_opposite_direction),
		T_CASE(gemini_response_timeout_is_one_second),
		T_CASE(gemini_routes_around_a_dead_router),
		T_CASE(qsnet2_routes_around_a_dead_switch),
		T_CASE(qsnet2_retransmits_after_missing_answer),
		T_CASE(qsnet2_resolves_lost_acks_by_error_messages),
		T_CASE(qsnet2_resends_packets_cut_by_a_failure),
		T_CASE(sunway_routes_over_other_rail_and_siblings),
		T_CASE(sunway_retransmits_packets_lost_with_a_rail),
		T_CASE(dead_node_is_reported_and_its_messages_are_lost),
		T_CASE(bgq_does_not_route_around_a_dead_link),
		T_CASE(restored_link_carries_queued_packets),
		T_CASE(fault_plan_with_unknown_object_is_refused),
		T_CASE(links_between_midplanes_are_optical),
		T_CASE(bgq_spare_fibre_corrects_or_replaces),
	};

	return T_RUN(tests);
}

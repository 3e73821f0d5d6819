/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Networks of switches: links, path lengths, acyclic channel dependencies,
 * times of an unloaded network computed by hand, and high load with small
 * buffers.
 */
#include "prov/net/net_layout.h"
#include "prov/net/routing/net_switches.h"
#include "test/support/net_fixture.h"

#include "src/base/rng.h"
#include "test/t.h"

#include <stdlib.h>
#include <string.h>

/*
 * A network to test: topology, shape, nodes per switch, global links, spines.
 */
struct sample {
	const char *name;
	uint8_t topology, dims;
	uint16_t size[3];
	uint16_t own, global, spines;
	unsigned longest; /* longest minimal path between switches with nodes */
};

static const struct sample samples[] = {
	{ "dragonfly", NET_DRAGONFLY, 2, { 9, 4 }, 2, 2, 0, 3 },
	{ "two links between groups", NET_DRAGONFLY, 2, { 3, 4 }, 1, 1, 0, 3 },
	{ "one group", NET_DRAGONFLY, 2, { 1, 6 }, 2, 1, 0, 1 },
	{ "dragonfly+", NET_DRAGONFLY_PLUS, 2, { 5, 3 }, 2, 2, 2, 3 },
	{ "HyperX", NET_HYPERX, 3, { 3, 4, 2 }, 2, 0, 0, 3 },
	{ "ring", NET_GRAPH, 1, { 6 }, 0, 0, 0, 3 },
};

/* Fills a graph with a ring; each switch has one node. */
static void ring_graph(struct net_graph *g, unsigned n)
{
	g->switches = (uint16_t)n;
	for (unsigned s = 0; s <= n; s++) {
		g->first_node[s] = (uint16_t)s;
		g->first_link[s] = (uint16_t)(2 * s);
	}
	for (unsigned s = 0; s < n; s++) {
		g->peer[2 * s] = (uint16_t)((s + 1) % n);
		g->peer_link[2 * s] = 1;
		g->peer[2 * s + 1] = (uint16_t)((s + n - 1) % n);
		g->peer_link[2 * s + 1] = 0;
	}
}

/* Fills a graph with the links `end`; each switch has one node. */
static void link_graph(struct net_graph *g, unsigned n, uint16_t (*end)[2],
		       unsigned links)
{
	unsigned used[32] = { 0 }, i, k, at;

	memset(g, 0, sizeof(*g));
	g->switches = (uint16_t)n;
	for (i = 0; i < 2 * links; i++)
		g->first_link[end[i / 2][i % 2] + 1]++;
	for (i = 0; i < n; i++) {
		g->first_node[i + 1] = (uint16_t)(i + 1);
		g->first_link[i + 1] =
			(uint16_t)(g->first_link[i + 1] + g->first_link[i]);
	}
	for (i = 0; i < links; i++) {
		for (k = 0; k < 2; k++) {
			at = g->first_link[end[i][k]] + used[end[i][k]];
			g->peer[at] = end[i][!k];
			g->peer_link[at] = (uint8_t)used[end[i][!k]];
		}
		used[end[i][0]]++;
		used[end[i][1]]++;
	}
}

/* Fills a graph with a ring and random chords. */
static void random_graph(struct net_graph *g, unsigned n, unsigned chords,
			 struct weft_rng *r)
{
	uint16_t end[64][2];

	for (unsigned i = 0; i < n + chords; i++) {
		end[i][0] = (uint16_t)(i < n ? i : weft_rng_below(r, n));
		end[i][1] =
			(uint16_t)((end[i][0] + 1 +
				    (i < n ? 0 : weft_rng_below(r, n - 1))) %
				   n);
	}
	link_graph(g, n, end, n + chords);
}

static void sample_config(const struct sample *m, unsigned rule, unsigned vcs,
			  struct net_config *cfg)
{
	net_config_bgq(cfg);
	cfg->topology = m->topology;
	cfg->dims = m->dims;
	memset(cfg->midplane, 0, sizeof(cfg->midplane));
	memset(cfg->size, 0, sizeof(cfg->size));
	memcpy(cfg->size, m->size, sizeof(m->size));
	cfg->router_nodes = m->own;
	cfg->global_links = m->global;
	cfg->spines = m->spines;
	cfg->path_rule = (uint8_t)rule;
	cfg->routes = cfg->routes_system = cfg->barriers = 0;
	cfg->dyn_queues = 1;
	cfg->read_paths = 0;
	cfg->torus_fifos = 0;
	cfg->crossing_ps = 0;
	if (m->topology == NET_GRAPH)
		ring_graph(&cfg->graph, m->size[0]);
	cfg->vcs = (uint8_t)(vcs ? vcs : net_switches_vcs(cfg, m->longest));
}

static void paths_open(const struct net_config *cfg, struct net_paths *p,
		       void **block_p)
{
	net_paths_count(cfg, p);
	*block_p = malloc(net_paths_bytes(cfg));
	T_NOT_NULL(*block_p);
	net_paths_at(p, *block_p);
	net_paths_fill(p);
}

/* Returns whether a topology can be routed by this rule. */
static bool rule_fits(const struct sample *m, unsigned rule)
{
	if (m->topology == NET_GRAPH)
		return true;
	return rule != NET_UP_DOWN;
}

/* ---- links --------------------------------------------------------------- */

static void links_have_two_ends(void **state)
{
	struct net_config cfg;
	unsigned back, level, again, i;
	int64_t peer;

	for (i = 0; i < WEFT_COUNT_OF(samples); i++) {
		sample_config(&samples[i], NET_MINIMAL, 0, &cfg);
		for (uint32_t n = 0;
		     n < net_switches_nodes(&cfg) + net_switches(&cfg); n++)
			for (unsigned port = 0; port < net_switches_ports(&cfg);
			     port++) {
				peer = net_switches_link(&cfg, n, port, &back,
							 &level);
				if (peer < 0)
					continue;
				T_IS(net_switches_link(&cfg, (uint32_t)peer,
						       back, &again, &level),
				     n);
				T_IS(again, port);
			}
	}
}

/* Groups are connected in pairs, all by the same number of links. */
static void every_group_reaches_every_other(void **state)
{
	unsigned seen[9][9], back, level, i;
	struct net_config cfg;

	for (i = 0; i < 4; i++) {
		sample_config(&samples[i], NET_MINIMAL, 0, &cfg);
		memset(seen, 0, sizeof(seen));
		for (uint32_t s = 0; s < net_switches(&cfg); s++)
			for (unsigned p = 0; p < net_switches_ports(&cfg);
			     p++) {
				int64_t peer = net_switches_peer(&cfg, s, p,
								 &back, &level);

				if (peer >= 0 && level)
					seen[net_switches_group(&cfg, s)]
					    [net_switches_group(
						    &cfg, (uint32_t)peer)]++;
			}
		for (unsigned a = 0; a < cfg.size[0]; a++)
			for (unsigned b = 0; b < cfg.size[0]; b++)
				T_IS(seen[a][b], a == b ? 0 : seen[0][1]);
	}
}

/* ---- paths --------------------------------------------------------------- */

/* Follows all ports in the tables. Returns the number of links to target. */
static unsigned walk(const struct net_paths *p, uint32_t sw, uint32_t target,
		     unsigned global)
{
	uint64_t ports = net_paths_next(p, 0, sw, target);
	unsigned n = NET_COST_NONE, one;

	if (sw == target)
		return 0;
	T_TRUE(ports != 0);
	for (; ports; ports &= ports - 1) {
		unsigned port = (unsigned)__builtin_ctzll(ports);
		unsigned crossed = p->global[sw] >> port & 1;

		T_TRUE(global + crossed <= 1);
		one = 1 + walk(p, (uint32_t)net_paths_peer(p, sw, port), target,
			       global + crossed);
		T_TRUE(n == NET_COST_NONE || n == one);
		n = one;
	}
	return n;
}

static void minimal_paths_have_the_right_length(void **state)
{
	struct net_config cfg;
	struct net_paths p;
	void *block;

	for (unsigned i = 0; i < WEFT_COUNT_OF(samples); i++) {
		unsigned most = 0, n;

		sample_config(&samples[i], NET_MINIMAL, 0, &cfg);
		paths_open(&cfg, &p, &block);
		for (uint32_t a = 0; a < p.nodes; a++)
			for (uint32_t b = 0; b < p.nodes; b++) {
				n = walk(&p, p.home[a] >> 8, p.home[b] >> 8, 0);
				T_IS(n, net_paths_hops(&p, p.home[a] >> 8,
						       p.home[b] >> 8));
				most = n > most ? n : most;
			}
		T_IS(most, samples[i].longest);
		free(block);
	}
}

/* A HyperX path has a link for each coordinate that differs. */
static void hyperx_corrects_one_coordinate_at_a_time(void **state)
{
	struct net_config cfg;
	struct net_paths p;
	void *block;

	sample_config(&samples[4], NET_MINIMAL, 0, &cfg);
	paths_open(&cfg, &p, &block);
	for (uint32_t a = 0; a < 24; a++)
		for (uint32_t b = 0; b < 24; b++) {
			uint64_t first = net_paths_next(&p, 0, a, b);

			T_IS(net_paths_hops(&p, a, b),
			     (a / 8 != b / 8) + (a / 2 % 4 != b / 2 % 4) +
				     (a % 2 != b % 2));
			if (a / 8 != b / 8)
				T_IS(net_paths_peer(
					     &p, a,
					     (unsigned)__builtin_ctzll(first)) %
					     8,
				     a % 8);
		}
	free(block);
}

/*
 * Up-down on a ring of six with root 0: no path turns from a downward link to
 * an upward one. Between 2 and 4 all paths cross 3, which is downward from
 * both, so the path goes around: 2-1-0-5-4.
 */
static void up_down_never_turns_up(void **state)
{
	struct net_config cfg;
	struct net_paths p;
	void *block;

	sample_config(&samples[5], NET_UP_DOWN, 0, &cfg);
	paths_open(&cfg, &p, &block);
	T_IS(p.rank[0], 0);
	T_IS(p.rank[3], 5);
	T_IS(net_paths_hops(&p, 2, 4), 4);
	T_IS(net_paths_hops(&p, 4, 2), 4);
	T_IS(net_paths_hops(&p, 0, 3), 3);
	T_IS(net_paths_hops(&p, 3, 1), 2);
	free(block);
}

/* ---- channels ------------------------------------------------------------ */

static int cycle_of(const struct sample *m, unsigned rule, unsigned vcs,
		    struct net_channel_link *link, int room)
{
	struct net_config cfg;
	struct net_paths p;
	void *block;
	int n;

	sample_config(m, rule, vcs, &cfg);
	paths_open(&cfg, &p, &block);
	n = net_switches_cycle(&p, link, room);
	free(block);
	return n;
}

static void enough_channels_have_no_cycle(void **state)
{
	for (unsigned i = 0; i < WEFT_COUNT_OF(samples); i++)
		for (unsigned rule = NET_MINIMAL; rule <= NET_UP_DOWN; rule++)
			if (rule_fits(&samples[i], rule))
				T_IS(cycle_of(&samples[i], rule, 0, NULL, 0),
				     0);
}

static void too_few_channels_have_a_cycle(void **state)
{
	struct net_channel_link link[8];

	T_IS(cycle_of(&samples[5], NET_MINIMAL, 1, link, 8), 6);
	for (unsigned i = 0; i < 6; i++) {
		T_IS(link[i].class, 0);
		T_IS(link[i].port, link[0].port);
	}
	T_TRUE(cycle_of(&samples[0], NET_MINIMAL, 1, link, 8) > 0);
	T_TRUE(cycle_of(&samples[0], NET_UGAL, 2, link, 8) > 0);
	T_TRUE(cycle_of(&samples[3], NET_VALIANT, 2, link, 8) > 0);
}

/* ---- times of an unloaded network ---------------------------------------- */

/*
 * Returns the time of a full packet of 512 bytes over `links` links: 270 ns to
 * the engine, which reads header and payload, 544 bytes at 3.2 GB/s, in 170 ns;
 * 45.333 ns for each link; 552 bytes on the last wire at 2 GB/s in 276 ns;
 * 250.667 ns to memory.
 */
static uint64_t by_hand(unsigned links)
{
	return 270000 + 170000 + 45333ull * links + 276000 + 250667;
}

static void unloaded_times_equal_results_by_hand(void **state)
{
	/* path lengths from the first to the last node, in links */
	static const unsigned links[] = { 5, 5, 3, 5, 5, 3 };
	struct net_fixture e;
	struct net_config cfg;

	for (unsigned i = 0; i < WEFT_COUNT_OF(samples); i++) {
		sample_config(&samples[i], NET_MINIMAL, 0, &cfg);
		net_fixture_open(&e, &cfg, 0);
		T_IS(net_hops(e.net, 0, net_switches_nodes(&cfg) - 1),
		     links[i]);
		T_OK(net_fixture_send(&e, 0, 0, net_switches_nodes(&cfg) - 1,
				      512));
		net_fixture_drain(&e);
		T_IS(e.last_at, by_hand(links[i]));
		T_OK(net_check(e.net));
		net_fixture_close(&e);
	}
}

/*
 * On an idle network UGAL takes minimal routes; Valiant routes visit a third
 * group.
 */
static void detours_take_the_time_of_their_links(void **state)
{
	struct net_fixture e;
	struct net_config cfg;
	uint64_t links;

	sample_config(&samples[0], NET_UGAL, 0, &cfg);
	net_fixture_open(&e, &cfg, 0);
	T_OK(net_fixture_send(&e, 0, 0, 71, 512));
	net_fixture_drain(&e);
	T_IS(e.last_at, by_hand(5));
	net_fixture_close(&e);

	sample_config(&samples[0], NET_VALIANT, 0, &cfg);
	net_fixture_open(&e, &cfg, 0);
	T_OK(net_fixture_send(&e, 0, 0, 71, 512));
	net_fixture_drain(&e);
	links = (e.last_at - by_hand(0)) / 45333;
	T_IS(e.last_at, by_hand((unsigned)links));
	T_TRUE(links >= 4 && links <= 7);
	net_fixture_close(&e);
}

/* ---- load ---------------------------------------------------------------- */

/*
 * Sends random messages at once; all arrive although buffers are small. Returns
 * the hash of the events.
 */
static uint64_t storm(const struct net_config *cfg, unsigned mode, bool reverse)
{
	enum { EACH = 40 };
	struct net_fixture e;
	struct weft_rng r;
	uint32_t nodes = net_switches_nodes(cfg);
	struct net_msg *msg = calloc(nodes * EACH, sizeof(*msg));
	uint64_t log;

	T_NOT_NULL(msg);
	net_fixture_open(&e, cfg, 1 << 14);
	weft_rng_init(&r, 7, 0);
	for (uint32_t i = 0; i < nodes * EACH; i++) {
		msg[i].src = i % nodes;
		msg[i].dst = (uint32_t)weft_rng_below(&r, nodes);
		msg[i].bytes = weft_rng_below(&r, 2000);
		msg[i].fifo = i / nodes;
		msg[i].cookie = i;
		msg[i].routing = mode == 3 ? (uint8_t)(i & 3) : (uint8_t)mode;
	}
	for (uint32_t i = 0; i < nodes * EACH; i++) {
		uint32_t k = reverse ? nodes * EACH - 1 - i : i;

		T_OK(net_send(e.net, 100000ull * (k / nodes / 8), &msg[k]));
	}
	net_fixture_drain(&e);
	T_TRUE(!net_deadlock_check(e.net));
	T_OK(net_check(e.net));
	T_IS(e.arrived, nodes * EACH);
	log = e.log;
	net_fixture_close(&e);
	free(msg);
	return log;
}

static void full_load_with_small_buffers_drains(void **state)
{
	struct net_config cfg;

	for (unsigned i = 0; i < WEFT_COUNT_OF(samples); i++)
		for (unsigned rule = NET_MINIMAL; rule <= NET_UP_DOWN; rule++) {
			if (!rule_fits(&samples[i], rule))
				continue;
			sample_config(&samples[i], rule, 0, &cfg);
			for (unsigned vc = 1; vc < NET_VC_MAX; vc++)
				cfg.tokens[vc] = 2;
			storm(&cfg, 3, false);
		}
}

static void the_order_of_calls_does_not_matter(void **state)
{
	struct net_config cfg;

	for (unsigned i = 0; i < WEFT_COUNT_OF(samples); i++) {
		sample_config(&samples[i], NET_UGAL, 0, &cfg);
		T_IS(storm(&cfg, NET_DYNAMIC, false),
		     storm(&cfg, NET_DYNAMIC, true));
	}
}

/* Packets use as many links as the paths of the tables have. */
static void packets_follow_the_tables(void **state)
{
	enum { SWITCHES = 16, CHORDS = 8, GRAPHS = 20 };
	struct net_count count;
	struct net_fixture e;
	struct net_config cfg;
	struct weft_rng r;
	uint64_t hops;

	weft_rng_init(&r, 5, 0);
	for (unsigned i = 0; i < GRAPHS; i++) {
		sample_config(&samples[5], NET_UP_DOWN, 1, &cfg);
		cfg.size[0] = SWITCHES;
		random_graph(&cfg.graph, SWITCHES, CHORDS, &r);
		net_fixture_open(&e, &cfg, 1 << 12);
		hops = 0;
		for (uint32_t a = 0; a < SWITCHES; a++)
			for (uint32_t b = 0; b < SWITCHES; b++) {
				T_OK(net_fixture_send(&e, 0, a, b, 64));
				hops += net_hops(e.net, a, b);
			}
		net_fixture_drain(&e);
		net_count_get(e.net, &count);
		T_IS(count.hops, hops);
		T_OK(net_check(e.net));
		net_fixture_close(&e);
		/* a turn from a downward to an upward link could block */
		for (unsigned vc = 1; vc < NET_VC_MAX; vc++)
			cfg.tokens[vc] = 2;
		storm(&cfg, NET_DYNAMIC, false);
	}
}

/*
 * Root 0 with children 1, 2 and 3; 4, 5 and 6 below. From 1 to 6 packets use
 * 0 and 2, or 4 and 5. At 4 the path over 2 is as short as that over 5, but
 * would turn from a downward to an upward link.
 */
static void packets_do_not_turn_up(void **state)
{
	static uint16_t end[][2] = { { 0, 1 }, { 0, 2 }, { 0, 3 },
				     { 1, 4 }, { 2, 4 }, { 2, 6 },
				     { 4, 5 }, { 5, 6 }, { 3, 5 } };
	struct net_port_count down, up;
	struct net_fixture e;
	struct net_config cfg;

	sample_config(&samples[5], NET_UP_DOWN, 1, &cfg);
	cfg.size[0] = 7;
	link_graph(&cfg.graph, 7, end, WEFT_COUNT_OF(end));
	net_fixture_open(&e, &cfg, 0);
	T_IS(net_hops(e.net, 1, 6), 5);
	T_OK(net_fixture_send(&e, 0, 1, 6, 100000));
	net_fixture_drain(&e);
	/* switch 4 has ports to its node and to switches 1, 2 and 5 */
	net_port_get(e.net, 7 + 4, 2, &up);
	net_port_get(e.net, 7 + 4, 3, &down);
	T_IS(up.packets, 0);
	T_TRUE(down.packets > 0);
	net_fixture_close(&e);
}

/*
 * With the single virtual channel of too_few_channels_have_a_cycle(), packets
 * on the ring deadlock.
 */
static void a_ring_with_one_channel_blocks(void **state)
{
	struct net_fixture e;
	struct net_config cfg;

	sample_config(&samples[5], NET_MINIMAL, 1, &cfg);
	for (unsigned vc = 1; vc < NET_VC_MAX; vc++)
		cfg.tokens[vc] = 2;
	cfg.vcs = 1;
	net_fixture_open(&e, &cfg, 1 << 14);
	for (uint32_t i = 0; i < 6 * 200; i++) {
		struct net_msg msg = { .src = i % 6,
				       .dst = (i + 2) % 6,
				       .bytes = 512,
				       .routing = NET_DETERMINISTIC };

		T_OK(net_send(e.net, 0, &msg));
	}
	net_run(e.net, NET_NEVER, &net_fixture_up, &e, NULL);
	T_TRUE(net_deadlock_check(e.net));
	net_fixture_close(&e);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		T_CASE(links_have_two_ends),
		T_CASE(every_group_reaches_every_other),
		T_CASE(minimal_paths_have_the_right_length),
		T_CASE(hyperx_corrects_one_coordinate_at_a_time),
		T_CASE(up_down_never_turns_up),
		T_CASE(enough_channels_have_no_cycle),
		T_CASE(too_few_channels_have_a_cycle),
		T_CASE(unloaded_times_equal_results_by_hand),
		T_CASE(detours_take_the_time_of_their_links),
		T_CASE(full_load_with_small_buffers_drains),
		T_CASE(the_order_of_calls_does_not_matter),
		T_CASE(packets_follow_the_tables),
		T_CASE(packets_do_not_turn_up),
		T_CASE(a_ring_with_one_channel_blocks),
	};

	return T_RUN(tests);
}

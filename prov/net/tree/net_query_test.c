/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Broadcasts over a range of nodes in a fat tree, merged answers, queries and
 * query barriers, compared with times computed by hand. All latencies are round
 * numbers: 20 ns for a switch, 32 ns for a packet of 32 bytes on a link.
 */
#include "test/support/net_fixture.h"

#include "test/t.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum {
	NS = 1000,
	HOP = 20 * NS,
	/* link time of every packet here: 16 bytes of header, one chunk */
	WIRE = 32 * NS,
	INJECT = 100 * NS,
	RECEIVE = 150 * NS,
	ACK = 30 * NS,
	KNOWN = 40 * NS,
	QUERY = 80 * NS,
	BUILD = 16 * NS,
};

static void elite(struct net_config *cfg, uint8_t levels)
{
	unsigned l;

	net_config_bgq(cfg);
	cfg->topology = NET_FAT_TREE;
	cfg->dims = levels;
	for (l = 0; l < levels; l++)
		cfg->size[l] = 4;
	cfg->tick_ps = NS;
	cfg->link_ps_per_byte_x1000 = 1000000; /* 1 GB/s */
	cfg->payload_bytes = 128;
	cfg->chunk_bytes = 16;
	cfg->header_bytes = 16;
	cfg->trailer_bytes = 0;
	cfg->protocol_ticks = 0;
	cfg->hop_ps = HOP;
	cfg->token_ps = HOP;
	cfg->path[0].injection_ps_per_byte_x1000 = 500000; /* 2 GB/s */
	cfg->coll_packet_ticks = 0;
	cfg->coll_inject_ps = INJECT;
	cfg->coll_receive_ps = RECEIVE;
	cfg->barriers = 0;
	cfg->coll_range = 1;
	cfg->query_ps = QUERY;
	cfg->torus_fifos = 0;
	cfg->ack_bytes = 4;
	cfg->ack_ps = ACK;
	cfg->ack_receive_ps = KNOWN;
}

/* Opens a class route over nodes low to high. */
static void range_open(struct net_fixture *e, uint32_t low, uint32_t high,
		       uint32_t ranks, uint32_t *route_p)
{
	uint32_t count = high - low + 1, i;
	uint32_t *node = calloc(count, sizeof(*node));
	uint32_t *share = calloc(count, sizeof(*share));
	struct net_tree_plan t;

	for (i = 0; i < count; i++) {
		node[i] = low + i;
		share[i] = ranks;
	}
	T_OK(net_tree_plan(&e->cfg, node, share, count, &t));
	T_OK(net_tree_open(e->net, t.node, t.parent, t.share, t.count,
			   route_p));
	net_tree_plan_free(&t);
	free(node);
	free(share);
}

/* Returns the one-way latency through a common switch of this level. */
static uint64_t one_way(unsigned level)
{
	return 2ull * level * HOP;
}

static uint64_t start(void)
{
	return INJECT + BUILD;
}

/* ---- acknowledged broadcasts --------------------------------------------- */

static void acked_broadcast_returns_merged_answer(void **state)
{
	static const struct {
		uint32_t low, high;
		unsigned level;
	} row[] = { { 0, 3, 1 }, { 4, 5, 1 }, { 2, 9, 2 }, { 3, 62, 3 } };
	struct net_part part = { .kind = NET_ACKED_BCAST,
				 .bytes = 8,
				 .cookie = 7 };
	struct net_config cfg;
	struct net_fixture e;
	uint64_t there, back;
	unsigned i, n;

	elite(&cfg, 3);
	for (i = 0; i < 4; i++) {
		n = row[i].high - row[i].low + 1;
		there = start() + one_way(row[i].level) + WIRE + RECEIVE;
		back = ACK + one_way(row[i].level) + WIRE + KNOWN;
		net_fixture_open(&e, &cfg, 0);
		range_open(&e, row[i].low, row[i].high, 1, &part.route);
		part.node = row[i].high;
		T_OK(net_tree_send(e.net, 0, &part));
		net_fixture_drain(&e);
		T_IS(e.queried, n);
		T_IS(e.node_at[row[i].low], there);
		T_IS(e.answers, 1);
		T_IS(e.answer, NET_OK);
		T_IS(e.answer_at, there + back);
		T_IS(e.last_node, row[i].high);
		T_IS(e.results, 0);
		net_fixture_close(&e);
	}
}

static void any_failure_overrides_ok(void **state)
{
	struct net_part part = { .kind = NET_ACKED_BCAST, .bytes = 8 };
	struct net_config cfg;
	struct net_fixture e;

	elite(&cfg, 3);
	net_fixture_open(&e, &cfg, 0);
	range_open(&e, 1, 60, 1, &part.route);
	part.node = 30;
	e.node_answer[59] = NET_TEST_FAIL;
	T_OK(net_tree_send(e.net, 0, &part));
	net_fixture_drain(&e);
	T_IS(e.answer, NET_TEST_FAIL);
	e.node_answer[2] = NET_DISCARD;
	part.seq++;
	T_OK(net_tree_send(e.net, e.last_at, &part));
	net_fixture_drain(&e);
	T_IS(e.answer, NET_DISCARD);
	e.node_answer[61] = NET_DISCARD; /* node 61 is outside the range */
	e.node_answer[2] = e.node_answer[59] = NET_OK;
	part.seq++;
	T_OK(net_tree_send(e.net, e.last_at, &part));
	net_fixture_drain(&e);
	T_IS(e.answer, NET_OK);
	T_IS(e.answers, 3);
	T_IS(e.queried, 3 * 60);
	net_fixture_close(&e);
}

static void only_a_range_has_hardware_broadcast(void **state)
{
	static const uint32_t node[] = { 3, 5, 4, 7 };
	struct net_config cfg;
	struct net_tree_plan t;

	elite(&cfg, 3);
	T_IS(net_tree_plan(&cfg, node, NULL, 4, &t), -EINVAL);
	T_OK(net_tree_plan(&cfg, node, NULL, 3, &t));
	net_tree_plan_free(&t);
	T_TRUE(net_tree_supports(&cfg, NET_ACKED_BCAST));
	T_FALSE(net_tree_supports(&cfg, WEFT_COLL_ALLREDUCE));
	net_config_bgq(&cfg);
	T_TRUE(net_tree_supports(&cfg, WEFT_COLL_ALLREDUCE));
}

/* Broadcasts from different nodes are in flight at once. */
static void many_acked_broadcasts_in_flight(void **state)
{
	struct net_part part = { .kind = NET_ACKED_BCAST, .bytes = 128 };
	struct net_config cfg;
	struct net_fixture e;

	elite(&cfg, 3);
	net_fixture_open(&e, &cfg, 1 << 15);
	range_open(&e, 0, 63, 1, &part.route);
	for (part.seq = 0; part.seq < 100; part.seq++) {
		part.node = part.seq * 7 % 64;
		T_OK(net_tree_send(e.net, 1000 * part.seq, &part));
	}
	net_fixture_drain(&e);
	T_IS(e.queried, 6400);
	T_IS(e.answers, 100);
	net_fixture_close(&e);
}

/* ---- queries ------------------------------------------------------------- */

static void query_sets_when_all_answers_are_ok(void **state)
{
	struct net_part part = { .kind = NET_QUERY, .bytes = 8 };
	uint64_t queried_at = start() + one_way(2) + WIRE + RECEIVE;
	uint64_t answered_at = queried_at + ACK + one_way(2) + WIRE + KNOWN;
	uint64_t set =
		answered_at + QUERY + BUILD + one_way(2) + WIRE + RECEIVE;
	struct net_config cfg;
	struct net_fixture e;

	elite(&cfg, 3);
	net_fixture_open(&e, &cfg, 0);
	range_open(&e, 0, 15, 1, &part.route);
	T_OK(net_tree_send(e.net, 0, &part));
	net_fixture_drain(&e);
	T_IS(e.answer, NET_OK);
	T_IS(e.answer_at, answered_at);
	T_IS(e.results, 16);
	T_IS(e.result_at, set);
	e.node_answer[9] = NET_TEST_FAIL;
	part.seq++;
	T_OK(net_tree_send(e.net, e.last_at, &part));
	net_fixture_drain(&e);
	T_IS(e.answer, NET_TEST_FAIL);
	T_IS(e.answers, 2);
	T_IS(e.results, 16);
	net_fixture_close(&e);
}

/* ---- barriers ------------------------------------------------------------ */

static void barrier_arrive(struct net_fixture *e, struct net_part *part,
			   uint64_t at, uint32_t nodes, uint32_t ranks)
{
	uint32_t r;

	part->kind = WEFT_COLL_BARRIER;
	for (part->node = 0; part->node < nodes; part->node++)
		for (r = 0; r < ranks; r++)
			T_OK(net_tree_send(e->net, at, part));
}

/* Returns the time from post to last result if all nodes arrive at once. */
static uint64_t barrier(uint8_t levels, uint32_t nodes)
{
	struct net_part part = { .seq = 3 };
	struct net_config cfg;
	struct net_fixture e;

	elite(&cfg, levels);
	net_fixture_open(&e, &cfg, 1 << 16);
	range_open(&e, 0, nodes - 1, 1, &part.route);
	barrier_arrive(&e, &part, 0, nodes, 1);
	net_fixture_drain(&e);
	T_IS(e.results, nodes);
	T_IS(e.queried, 0);
	net_fixture_close(&e);
	return e.result_at;
}

static void query_barrier_time_steps_at_powers_of_four(void **state)
{
	static const struct {
		uint32_t nodes;
		unsigned level;
	} row[] = { { 2, 1 },  { 4, 1 },  { 5, 2 },   { 16, 2 },  { 17, 3 },
		    { 64, 3 }, { 65, 4 }, { 256, 4 }, { 512, 5 }, { 1024, 5 } };
	uint64_t t;
	unsigned i;

	for (i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
		/* time at which all nodes have received the query */
		t = start() + one_way(row[i].level) + WIRE + RECEIVE;
		/* merged answer at the querying node; then the second packet */
		t += ACK + one_way(row[i].level) + WIRE + KNOWN;
		t += QUERY + BUILD + one_way(row[i].level) + WIRE + RECEIVE;
		T_IS(barrier(5, row[i].nodes), t);
	}
}

/* No rank leaves before all ranks of all nodes have arrived. */
static void a_barrier_waits_for_the_last_rank(void **state)
{
	const uint64_t late = 50000 * NS;
	struct net_part part = { .kind = WEFT_COLL_BARRIER };
	struct net_config cfg;
	struct net_fixture e;
	uint64_t once = barrier(3, 16);

	elite(&cfg, 3);
	net_fixture_open(&e, &cfg, 0);
	range_open(&e, 0, 15, 2, &part.route);
	barrier_arrive(&e, &part, 0, 15, 2);
	part.node = 15;
	T_OK(net_tree_send(e.net, 0, &part));
	net_run(e.net, late, &net_fixture_up, &e, NULL);
	T_IS(e.results, 0);
	/* a barrier that waits generates no events */
	T_IS(net_next(e.net), NET_NEVER);
	T_OK(net_tree_send(e.net, late, &part));
	net_fixture_drain(&e);
	T_IS(e.results, 16);
	/* the next query finds that all nodes have arrived */
	T_TRUE(e.result_at >= late + once - start());
	T_TRUE(e.result_at <= late + 2 * once);
	net_fixture_close(&e);
}

/* The first query fails, because a node is slightly late. */
static void failed_query_is_repeated(void **state)
{
	uint64_t ask = one_way(2) + WIRE + RECEIVE;
	uint64_t round = BUILD + ask + ACK + one_way(2) + WIRE + KNOWN + QUERY;
	struct net_part part = { .kind = WEFT_COLL_BARRIER };
	struct net_config cfg;
	struct net_fixture e;

	elite(&cfg, 3);
	net_fixture_open(&e, &cfg, 0);
	range_open(&e, 0, 15, 1, &part.route);
	barrier_arrive(&e, &part, 0, 15, 1);
	part.node = 15;
	T_OK(net_tree_send(e.net, ask + BUILD + NS, &part));
	net_fixture_drain(&e);
	T_IS(e.results, 16);
	T_IS(e.result_at, start() - BUILD + 2 * round + BUILD + ask);
	net_fixture_close(&e);
}

static void barriers_may_overlap(void **state)
{
	struct net_part part = { .seq = 0 };
	struct net_config cfg;
	struct net_fixture e;

	elite(&cfg, 3);
	net_fixture_open(&e, &cfg, 1 << 14);
	range_open(&e, 0, 31, 3, &part.route);
	for (part.seq = 0; part.seq < 8; part.seq++)
		barrier_arrive(&e, &part, part.seq * 10 * NS, 31, 3);
	net_fixture_drain(&e);
	T_IS(e.results, 0);
	for (part.seq = 0; part.seq < 8; part.seq++) {
		part.node = 31;
		T_OK(net_tree_send(e.net, 100000 * NS, &part));
		T_OK(net_tree_send(e.net, 100000 * NS, &part));
		T_OK(net_tree_send(e.net, 100000 * NS, &part));
	}
	net_fixture_drain(&e);
	T_IS(e.results, 8 * 32);
	net_fixture_close(&e);
}

static void arrival_order_does_not_matter(void **state)
{
	struct net_part part = { .kind = WEFT_COLL_BARRIER };
	struct net_config cfg;
	struct net_fixture e;
	uint64_t log[2];
	unsigned turn, i, k;

	elite(&cfg, 3);
	for (turn = 0; turn < 2; turn++) {
		net_fixture_open(&e, &cfg, 0);
		range_open(&e, 0, 15, 2, &part.route);
		for (k = 0; k < 32; k++) {
			i = turn ? 31 - k : k;
			part.node = i / 2;
			part.cookie = 100 + i;
			T_OK(net_tree_send(e.net, i % 3 * 100 + i % 2 * 7,
					   &part));
		}
		net_fixture_drain(&e);
		T_IS(e.results, 16);
		log[turn] = e.log;
		net_fixture_close(&e);
	}
	T_IS(log[0], log[1]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		T_CASE(acked_broadcast_returns_merged_answer),
		T_CASE(any_failure_overrides_ok),
		T_CASE(only_a_range_has_hardware_broadcast),
		T_CASE(many_acked_broadcasts_in_flight),
		T_CASE(query_sets_when_all_answers_are_ok),
		T_CASE(query_barrier_time_steps_at_powers_of_four),
		T_CASE(a_barrier_waits_for_the_last_rank),
		T_CASE(failed_query_is_repeated),
		T_CASE(barriers_may_overlap),
		T_CASE(arrival_order_does_not_matter),
	};
	return T_RUN(tests);
}

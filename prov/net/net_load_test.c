/* SPDX-License-Identifier: BSD-3-Clause */
/* The loaded model compared with theory: queueing, saturation, bisection. */
#include "test/support/net_fixture.h"
#include "prov/net/net_layout.h"

#include "src/base/hash.h"
#include "src/base/rng.h"
#include "test/t.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void small_torus(struct net_config *cfg, const char *dims)
{
	unsigned d;

	net_config_bgq(cfg);
	for (d = 0; d < 5; d++) {
		cfg->size[d] = 1;
		cfg->midplane[d] = 0;
		if (*dims)
			cfg->size[d] =
				(uint16_t)strtoul(dims, (char **)&dims, 10);
		dims += *dims == 'x';
	}
	/* zone set 1: any dimension */
	memset(cfg->zone[1], 0, sizeof(cfg->zone[1]));
	cfg->zone[1][0] = 0x1f;
}

/* ---- queueing at one link ------------------------------------------------ */

enum { AHEAD = 256 };

struct queue {
	/* must be the first field: callbacks cast their argument */
	struct net_fixture e;
	struct weft_rng rng;
	double gap_ps;
	uint64_t due, posted, total, seen;
	uint64_t born[1024];
	double wait;
};

static void queue_post(struct queue *q)
{
	struct net_msg msg = { .dst = 1, .bytes = 512, .cookie = q->posted };

	if (q->posted == q->total)
		return;
	q->due += (uint64_t)(-log(1 - weft_rng_unit(&q->rng)) * q->gap_ps);
	q->born[q->posted++ % 1024] = q->due;
	T_OK(net_send(q->e.net, q->due, &msg));
}

static void queue_arrived(void *arg, uint64_t at, uint64_t cookie,
			  uint32_t node)
{
	struct queue *q = arg;

	q->wait += (double)(at - q->born[cookie % 1024]);
	q->seen++;
	queue_post(q);
}

/*
 * Returns the mean waiting time of Poisson arrivals at a link of load rho,
 * divided by the theoretical value.
 */
static double queue_ratio(double rho, uint64_t total)
{
	static const struct net_up up = { .arrived = queue_arrived };
	struct net_config cfg;
	struct queue q = { .total = total };
	double slot, zero, theory;
	unsigned i;

	small_torus(&cfg, "2");
	cfg.wrap[0] = 0;
	net_fixture_open(&q.e, &cfg, 0);
	slot = (138 + cfg.protocol_ticks) * (double)cfg.tick_ps;
	zero = (double)cfg.path[0].inject_ps + 544 * 312.5 +
	       (double)cfg.hop_ps + 138 * 2000. +
	       (double)cfg.path[0].receive_ps;
	weft_rng_init(&q.rng, 12345, 0);
	q.gap_ps = slot / rho;
	for (i = 0; i < AHEAD; i++)
		queue_post(&q);
	net_run(q.e.net, NET_NEVER, &up, &q, NULL);
	T_IS(q.seen, total);
	theory = rho * slot / (2 * (1 - rho));
	net_fixture_close(&q.e);
	return (q.wait / (double)total - zero) / theory;
}

static void one_link_waits_as_an_md1_queue(void **state)
{
	/* instrumented builds send fewer packets, so the tolerance is wider */
	double r, close = t_scale(100) == 100 ? 0.02 : 0.2;

	r = queue_ratio(0.3, (uint64_t)t_scale(400000));
	T_TRUE(fabs(r - 1) < close);
	r = queue_ratio(0.6, (uint64_t)t_scale(400000));
	T_TRUE(fabs(r - 1) < close);
	r = queue_ratio(0.8, (uint64_t)t_scale(600000));
	T_TRUE(fabs(r - 1) < 1.5 * close);
}

/* ---- saturation and bisection -------------------------------------------- */

struct senders {
	struct net_fixture e;
	uint32_t nodes, streams;
	uint64_t seed, half, after_half;
	uint32_t (*target)(struct senders *c, uint32_t node, uint64_t n);
	uint64_t *count;
	uint8_t zone, routing;
};

static uint32_t uniform(struct senders *c, uint32_t node, uint64_t n)
{
	uint64_t x = weft_hash_mix(c->seed ^ weft_hash_mix(node * 65537 + n));
	uint32_t t = (uint32_t)(weft_hash_mix(x + 1) % (c->nodes - 1));

	return t + (t >= node);
}

static void senders_post(struct senders *c, uint64_t at, uint32_t node,
			 uint32_t fifo)
{
	struct net_msg msg = { .src = node,
			       .bytes = 512,
			       .fifo = fifo,
			       .zone = c->zone,
			       .routing = c->routing };

	msg.cookie = (uint64_t)node << 32 | fifo;
	msg.dst = c->target(c, node, c->count[node]++);
	T_OK(net_send(c->e.net, at, &msg));
}

static void senders_sent(void *arg, uint64_t at, uint64_t cookie, uint32_t node)
{
	senders_post(arg, at, node, (uint32_t)cookie);
}

static void senders_arrived(void *arg, uint64_t at, uint64_t cookie,
			    uint32_t node)
{
	struct senders *c = arg;

	c->after_half += at >= c->half;
}

static const struct net_up senders_up = {
	.sent = senders_sent,
	.arrived = senders_arrived,
};

/*
 * Every node sends as fast as possible for `ps` picoseconds. Returns the
 * packets per node and packet time.
 */
static double senders_rate(struct senders *c, uint64_t ps)
{
	uint32_t i, f;
	double slots = (double)ps / 2 / (144 * 2000.);

	c->half = ps / 2;
	c->count = calloc(c->nodes, sizeof(*c->count));
	for (i = 0; i < c->nodes; i++)
		for (f = 0; f < c->streams; f++) {
			senders_post(c, 0, i, f);
			senders_post(c, 0, i, f);
		}
	net_run(c->e.net, ps, &senders_up, c, NULL);
	T_FALSE(net_deadlock_check(c->e.net));
	T_OK(net_check(c->e.net));
	free(c->count);
	return (double)c->after_half / c->nodes / slots;
}

static double saturation(const char *dims, uint32_t nodes, uint8_t routing)
{
	struct senders c = { .nodes = nodes,
			     .streams = 16,
			     .target = uniform,
			     .seed = 7,
			     .zone = 1,
			     .routing = routing };
	struct net_config cfg;
	double r;

	small_torus(&cfg, dims);
	net_fixture_open(&c.e, &cfg, nodes * 200);
	r = senders_rate(&c, (uint64_t)t_scale(300) * 1000000);
	net_fixture_close(&c.e);
	return r;
}

/* A ring of k nodes carries at most 8/k packets per node and packet time. */
static void uniform_traffic_saturates_at_eight_over_k(void **state)
{
	double r8 = saturation("8x8", 64, NET_DYNAMIC) * 63 / 64;
	double r4 = saturation("4x4x4", 64, NET_DYNAMIC) * 63 / 64;
	double d8 = saturation("8x8", 64, NET_DETERMINISTIC) * 63 / 64;

	T_TRUE(r8 > 0.90 && r8 <= 1.02);
	T_TRUE(r4 > 1.80 && r4 <= 2.04);
	T_TRUE(d8 > 0.60 && d8 <= 1.02);
}

static uint32_t across(struct senders *c, uint32_t node, uint64_t n)
{
	return (node + c->nodes / 2) % c->nodes;
}

/* One half of a mesh sends to the other half over a single link. */
static void bisection_of_one_link_has_one_link_rate(void **state)
{
	struct senders c = {
		.nodes = 8, .streams = 4, .target = across, .zone = 1
	};
	struct net_config cfg;
	double r;

	small_torus(&cfg, "8");
	cfg.wrap[0] = 0;
	net_fixture_open(&c.e, &cfg, 0);
	r = senders_rate(&c, (uint64_t)t_scale(1000) * 1000000);
	T_TRUE(fabs(r * 4 - 1) < 0.01);
	net_fixture_close(&c.e);
}

/* ---- bubble rule and queues ---------------------------------------------- */

static uint32_t seven_nodes_up(struct senders *c, uint32_t node, uint64_t n)
{
	return (node + 7) % c->nodes;
}

static bool ring_deadlocks(uint32_t bubble)
{
	struct senders c = { .nodes = 16,
			     .streams = 8,
			     .target = seven_nodes_up,
			     .routing = NET_DETERMINISTIC };
	struct net_config cfg;
	uint32_t i, f;
	bool stuck;

	small_torus(&cfg, "16");
	cfg.bubble = bubble;
	cfg.tokens[NET_VC_DET] = 2;
	cfg.through_share = 1; /* maximum injection pressure */
	net_fixture_open(&c.e, &cfg, 0);
	c.count = calloc(c.nodes, sizeof(*c.count));
	for (i = 0; i < c.nodes; i++)
		for (f = 0; f < 200; f++)
			senders_post(&c, 0, i, f);
	net_fixture_drain(&c.e);
	stuck = net_deadlock_check(c.e.net);
	if (!stuck)
		T_IS(c.e.arrived, 16 * 200);
	free(c.count);
	net_fixture_close(&c.e);
	return stuck;
}

static void ring_without_bubble_deadlocks(void **state)
{
	T_FALSE(ring_deadlocks(2));
	T_TRUE(ring_deadlocks(1));
}

/*
 * Returns whether a ring deadlocks in which most packets use the bubble
 * channel, since the dynamic buffers hold only one packet.
 */
static bool ring_of_escapes_deadlocks(uint32_t bubble)
{
	struct senders c = { .nodes = 16,
			     .streams = 8,
			     .target = seven_nodes_up,
			     .routing = NET_DYNAMIC,
			     .zone = 1 };
	struct net_config cfg;
	struct net_count n;
	uint32_t i, f;
	bool stuck;

	small_torus(&cfg, "16");
	cfg.bubble = bubble;
	cfg.tokens[NET_VC_DYN] = 18;
	cfg.tokens[NET_VC_DET] = 2;
	cfg.inject_room = 0;
	cfg.through_share = 1;
	net_fixture_open(&c.e, &cfg, 0);
	c.count = calloc(c.nodes, sizeof(*c.count));
	for (i = 0; i < c.nodes; i++)
		for (f = 0; f < 200; f++)
			senders_post(&c, 0, i, f);
	net_fixture_drain(&c.e);
	stuck = net_deadlock_check(c.e.net);
	net_count_get(c.e.net, &n);
	T_TRUE(n.escapes > 0);
	if (!stuck) {
		T_TRUE(n.escapes > 1000);
		T_IS(c.e.arrived, 16 * 200);
	}
	free(c.count);
	net_fixture_close(&c.e);
	return stuck;
}

static void escapes_keep_the_bubble(void **state)
{
	T_FALSE(ring_of_escapes_deadlocks(2));
	T_TRUE(ring_of_escapes_deadlocks(1));
}

/*
 * Three packets use one link of a ring whose tokens return slowly. The first
 * packet takes the dynamic buffer, the second enters the bubble channel. The
 * third waits although the link is idle, because the only free buffer is the
 * bubble.
 */
static void packet_entering_ring_leaves_last_buffer_free(void **state)
{
	struct net_config cfg;
	struct net_count n;
	struct net_fixture e;
	uint64_t alone, late;

	small_torus(&cfg, "8");
	cfg.tokens[NET_VC_DYN] = 18;
	cfg.tokens[NET_VC_DET] = 2;
	cfg.inject_room = 0;
	cfg.token_ps = 400000;
	net_fixture_open(&e, &cfg, 0);
	T_OK(net_fixture_send(&e, 0, 0, 1, 512));
	net_fixture_drain(&e);
	alone = e.last_at;
	late = 10000000;
	T_OK(net_fixture_send(&e, late, 0, 1, 512));
	T_OK(net_fixture_send(&e, late, 0, 1, 512));
	T_OK(net_fixture_send(&e, late + 600000, 0, 1, 512));
	net_fixture_drain(&e);
	T_IS(e.arrived, 4);
	net_count_get(e.net, &n);
	T_IS(n.escapes, 1);
	T_TRUE(e.last_at > late + 600000 + alone);
	net_fixture_close(&e);
}

/*
 * Injection leaves buffer space for transit packets, so the third packet enters
 * the bubble channel.
 */
static void injection_leaves_inject_room_free(void **state)
{
	struct net_config cfg;
	struct net_count n;
	struct net_fixture e;

	small_torus(&cfg, "8");
	cfg.tokens[NET_VC_DYN] = 3 * 18;
	cfg.tokens[NET_VC_DET] = 4;
	cfg.inject_room = 18;
	cfg.token_ps = 400000;
	net_fixture_open(&e, &cfg, 0);
	for (unsigned i = 0; i < 3; i++)
		T_OK(net_fixture_send(&e, 0, 0, 1, 512));
	net_fixture_drain(&e);
	T_IS(e.arrived, 3);
	net_count_get(e.net, &n);
	T_IS(n.escapes, 1);
	net_fixture_close(&e);
}

/* Node 1 keeps its link busy, so transit packets wait in its queues. */
static void packets_join_the_shortest_queue(void **state)
{
	struct net_msg m = { .dst = 2, .bytes = 64, .zone = 1 };
	const struct net_in *in;
	struct net_config cfg;
	struct net_fixture e;
	unsigned long_q = 0, short_q = UINT32_MAX;

	small_torus(&cfg, "8");
	cfg.dyn_queues = 3;
	net_fixture_open(&e, &cfg, 0);
	m.fifo = 1;
	for (unsigned i = 0; i < 14; i++)
		T_OK(net_send(e.net, 0, &m));
	m = (struct net_msg){
		.src = 1, .dst = 2, .bytes = 100 * 512, .routing = NET_SYSTEM
	};
	T_OK(net_send(e.net, 0, &m));
	net_run(e.net, 10000000, &net_fixture_up, &e, NULL);
	in = &net_ins(e.net, 1)[0];
	for (unsigned q = 0; q < cfg.dyn_queues; q++) {
		long_q = in->len[q] > long_q ? in->len[q] : long_q;
		short_q = in->len[q] < short_q ? in->len[q] : short_q;
	}
	T_TRUE(long_q >= 4);
	T_TRUE(long_q - short_q <= 1);
	net_fixture_drain(&e);
	T_IS(e.arrived, 15);
	net_fixture_close(&e);
}

/*
 * Two packets arrive at one receiver of node 1 and leave by different links.
 * The first packet waits for a packet that node 1 itself sends, so both could
 * leave at once; with one read path they cannot. Returns the arrival time of
 * the second.
 */
static uint64_t second_leaves(uint32_t read_paths)
{
	struct net_msg m = { .src = 0, .dst = 16, .bytes = 512, .zone = 2 };
	struct net_config cfg;
	struct net_fixture e;
	uint64_t at;

	small_torus(&cfg, "8x8");
	memset(cfg.zone[2], 0x1f, sizeof(cfg.zone[2]));
	cfg.zone[2][0] = 1; /* dimension order */
	cfg.read_paths = read_paths;
	net_fixture_open(&e, &cfg, 0);
	T_OK(net_send(e.net, 0, &m));
	m.dst = 9;
	T_OK(net_send(e.net, 0, &m));
	m.src = 8;
	m.dst = 16;
	T_OK(net_send(e.net, cfg.hop_ps - 10 * cfg.tick_ps, &m));
	net_fixture_drain(&e);
	T_IS(e.arrived, 3);
	at = e.node_at[9];
	net_fixture_close(&e);
	return at;
}

static void read_paths_limit_concurrent_departures(void **state)
{
	uint64_t one = second_leaves(1), two = second_leaves(2);

	T_TRUE(one > two);
	T_IS(second_leaves(3), two);
}

/* Returns the size of the buffer in which a tick's events are sorted. */
static uint64_t sort_bytes(uint32_t packets, bool more_calls)
{
	struct net_config cfg;
	struct net_fixture e;
	uint64_t words, calls, bytes;

	small_torus(&cfg, "2");
	net_fixture_open(&e, &cfg, packets);
	words = e.net->events_max * sizeof(uint64_t);
	calls = (e.net->packets_max + e.net->msgs_max) *
		sizeof(struct net_call);
	T_IS(calls > words, more_calls);
	bytes = e.net->bytes - e.net->off_sort;
	/* the buffer is the last section, and ends at a multiple of 64 */
	T_IS(bytes, ((more_calls ? calls : words) + 63) / 64 * 64);
	net_fixture_close(&e);
	return bytes;
}

/* The buffer holds all events of a tick, or all callbacks of a tick. */
static void the_sort_buffer_holds_events_and_callbacks(void **state)
{
	T_TRUE(sort_bytes(64, false) < sort_bytes(100000, true));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		T_CASE(one_link_waits_as_an_md1_queue),
		T_CASE(uniform_traffic_saturates_at_eight_over_k),
		T_CASE(bisection_of_one_link_has_one_link_rate),
		T_CASE(ring_without_bubble_deadlocks),
		T_CASE(escapes_keep_the_bubble),
		T_CASE(packet_entering_ring_leaves_last_buffer_free),
		T_CASE(injection_leaves_inject_room_free),
		T_CASE(packets_join_the_shortest_queue),
		T_CASE(read_paths_limit_concurrent_departures),
		T_CASE(the_sort_buffer_holds_events_and_callbacks),
	};
	return T_RUN(tests);
}

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The machine file of apenet in the model: latencies are exact sums of their
 * parts, boards reach their rates, rings do not deadlock, and control words on
 * the links do not delay packets.
 */
#include "test/support/net_fixture.h"
#include "prov/net/fault/net_fault.h"
#include "prov/net/file/net_file.h"
#include "prov/net/file/net_map.h"
#include "prov/net/health/net_watch.h"

#include "test/t.h"

#include <string.h>

enum { HOST, GPU, STAGED }; /* path indices, in the order of the machine file */
enum { A_DOWN, A_UP, B_DOWN, B_UP, C_DOWN, C_UP }; /* port numbers */
#define MS 1000000000ull

static struct net_config cfg;

static void load_any(const char *machine)
{
	struct net_error_text why;

	if (net_file_load(machine, 0, &cfg, &why))
		print_message("%s\n", why.text);
	T_OK(net_file_load(machine, 0, &cfg, &why));
}

static void load(const char *machine)
{
	load_any(machine);
	T_STR(cfg.path[HOST].name, "host");
	T_STR(cfg.path[GPU].name, "gpu");
	T_STR(cfg.path[STAGED].name, "staged");
}

/*
 * Returns the latency of the second of two messages to one address; the page of
 * that address is then cached.
 */
static uint64_t latency(unsigned from, unsigned to, uint64_t bytes)
{
	struct net_msg msg = { .dst = 1,
			       .bytes = bytes,
			       .path = (uint8_t)from,
			       .path_in = (uint8_t)(to + 1),
			       .routing = NET_DETERMINISTIC };
	struct net_fixture e;

	net_fixture_open(&e, &cfg, 0);
	T_OK(net_send(e.net, 0, &msg));
	net_fixture_drain(&e);
	msg.cookie = 1;
	T_OK(net_send(e.net, 10 * MS, &msg));
	net_fixture_drain(&e);
	T_IS(e.arrived, 2);
	net_fixture_close(&e);
	return e.last_at - 10 * MS;
}

static uint64_t software(void)
{
	return cfg.send_ps + cfg.recv_ps;
}

/* Returns the rate of `count` messages of 1 MB to node dst, in MB/s. */
static double stream(unsigned from, unsigned to, uint32_t dst, unsigned count)
{
	struct net_msg msg = { .dst = dst,
			       .bytes = 1 << 20,
			       .path = (uint8_t)from,
			       .path_in = (uint8_t)(to + 1),
			       .routing = NET_DETERMINISTIC };
	struct net_fixture e;

	net_fixture_open(&e, &cfg, 1 << 14);
	for (unsigned i = 0; i < count; i++)
		T_OK(net_send(e.net, 0, &msg));
	net_fixture_drain(&e);
	T_IS(e.arrived, count);
	T_OK(net_check(e.net));
	net_fixture_close(&e);
	return (double)count * (1 << 20) * 1e6 / (double)e.last_at;
}

static void is_about(double value, double want, double per_cent)
{
	if (value < want * (1 - per_cent / 100) ||
	    value > want * (1 + per_cent / 100))
		print_message("%g is not about %g\n", value, want);
	T_TRUE(value >= want * (1 - per_cent / 100) &&
	       value <= want * (1 + per_cent / 100));
}

/* ---- latencies ----------------------------------------------------------- */

static void put_latency_is_the_sum_of_its_parts(void **state)
{
	uint64_t wire, engine;

	load("apenet");
	wire = net_wire_ticks(&cfg, net_wire_bytes(&cfg, 1),
			      cfg.link_ps_per_byte_x1000) *
	       (uint64_t)cfg.tick_ps;
	/* header, data, control word, footer with padding */
	T_IS(net_wire_bytes(&cfg, 1), 16 + 32 + 16 + 88);
	engine = 1024000 + (16 + 32) * 250;
	T_IS(latency(HOST, HOST, 8), cfg.path[HOST].inject_ps + engine +
					     cfg.hop_ps + wire +
					     cfg.path[HOST].receive_ps);
}

static void latency_between_host_and_gpu_memory(void **state)
{
	uint64_t hh, hg, gh, gg;

	load("apenet");
	hh = latency(HOST, HOST, 8);
	hg = latency(HOST, GPU, 8);
	gh = latency(GPU, HOST, 8);
	gg = latency(GPU, GPU, 8);
	T_IS(hg - hh, cfg.path[GPU].receive_ps - cfg.path[HOST].receive_ps);
	T_IS(gh - hh, cfg.path[GPU].inject_ps - cfg.path[HOST].inject_ps);
	T_IS(gg - hh, hg - hh + gh - hh);
	is_about((double)(hh + software()), 6.5e6, 0.1);
	is_about((double)(gg + software()), 8.2e6, 0.1);
	is_about((double)(latency(STAGED, STAGED, 8) + software()), 16.8e6,
		 0.1);
}

static void peer_to_peer_is_faster_for_short_messages(void **state)
{
	load("apenet");
	T_TRUE(latency(GPU, GPU, 8192) < latency(STAGED, STAGED, 8192));
	T_TRUE(latency(GPU, GPU, 1 << 20) > latency(STAGED, STAGED, 1 << 20));
}

/* ---- rates --------------------------------------------------------------- */

static void boards_reach_their_published_rates(void **state)
{
	load("apenet");
	is_about(stream(HOST, HOST, 1, 60), 2800 * 0.784, 1);
	load("apenet@design");
	is_about(stream(HOST, HOST, 1, 60), 3400 * 0.784, 1.5);
	load("apenet@next");
	is_about(stream(HOST, HOST, 1, 60), 4520 * 0.784, 1.5);
	load("apenet@next56");
	is_about(stream(HOST, HOST, 1, 60), 5600 * 0.784, 1.5);
}

static void with_two_engines_the_link_is_the_bottleneck(void **state)
{
	double one, two;

	load("apenet@single");
	one = stream(HOST, HOST, 0, 8); /* loopback: uses no link */
	is_about(one, 2000, 1);
	is_about(stream(HOST, HOST, 1, 40), 2000, 2);
	load("apenet");
	two = stream(HOST, HOST, 0, 8);
	is_about(two, one / 0.6, 1);
	is_about(stream(HOST, HOST, 1, 40), 2195, 2);
}

static void gpu_reads_are_slower_than_the_link(void **state)
{
	load("apenet");
	is_about(stream(HOST, GPU, 1, 60), 2200, 1);
	is_about(stream(GPU, HOST, 1, 20), 1500, 1);
	is_about(stream(GPU, GPU, 1, 20), 1500, 1);
}

static void tlb_hit_avoids_processor_time(void **state)
{
	double with;

	load("apenet");
	with = stream(HOST, HOST, 1, 60);
	load("apenet@nios");
	is_about(with / stream(HOST, HOST, 1, 60), 1.6, 3);
}

/*
 * Sends 60 packets from each of the first `links` neighbours of node 0. Returns
 * the time of the last arrival, counted from `at`.
 */
static uint64_t all_neighbours_send(struct net_fixture *e, unsigned links,
				    uint64_t at, uint64_t bytes)
{
	static const uint32_t neighbour[] = { 1, 3, 4, 12, 16, 48 };

	for (unsigned i = 0; i < links; i++) {
		struct net_msg msg = { .src = neighbour[i],
				       .bytes = bytes,
				       .address = i * bytes,
				       .routing = NET_DETERMINISTIC };

		T_OK(net_send(e->net, at, &msg));
	}
	net_fixture_drain(e);
	return e->last_at - at;
}

/* Returns the rate at which node 0 receives, in MB/s; all pages are cached. */
static double receive_from(unsigned links, const char *machine)
{
	const uint64_t bytes = 60 * 4096;
	struct net_fixture e;
	uint64_t empty, full;

	load(machine);
	net_fixture_open(&e, &cfg, 1 << 14);
	all_neighbours_send(&e, links, 0, bytes);
	empty = all_neighbours_send(&e, links, 100 * MS, 1);
	full = all_neighbours_send(&e, links, 200 * MS, bytes);
	net_fixture_close(&e);
	return (double)(links * bytes) * 1e6 / (double)(full - empty);
}

/*
 * Every link has its own receiver; together they reach the rate of PCIe. The
 * processor of a board without TLB serves one packet of any link at a time.
 */
static void six_links_are_received_at_once(void **state)
{
	is_about(receive_from(1, "apenet@nios:4x4x4"), 1380, 4);
	is_about(receive_from(2, "apenet@nios:4x4x4"), 2760, 4);
	is_about(receive_from(6, "apenet@nios:4x4x4"), 4096e6 / 1.1e6, 4);
	T_TRUE(receive_from(6, "apenet:4x4x4") <= 4000);
	is_about(receive_from(6, "apenet:4x4x4"), 3900, 4);
}

/* Returns the duration of a second pass over this number of pages. */
static uint64_t second_round(uint64_t pages)
{
	struct net_msg msg = { .dst = 1,
			       .bytes = pages * 4096,
			       .routing = NET_DETERMINISTIC };
	struct net_fixture e;

	net_fixture_open(&e, &cfg, 1 << 14);
	T_OK(net_send(e.net, 0, &msg));
	net_fixture_drain(&e);
	T_OK(net_send(e.net, 100 * MS, &msg));
	net_fixture_drain(&e);
	net_fixture_close(&e);
	return e.last_at - 100 * MS;
}

static void the_tlb_holds_512_pages(void **state)
{
	uint64_t hit, miss;

	load("apenet");
	hit = second_round(512);
	miss = second_round(1024);
	/* 1.87 us per packet with TLB hits, 2.96 us with misses */
	is_about((double)hit / 512, 1.87e6, 1);
	is_about((double)miss / 1024, 2.96e6, 1);
}

/* ---- routing and flow control in the torus ------------------------------- */

static uint64_t packets_on_port(const struct net_fixture *e, uint32_t node,
				unsigned port)
{
	struct net_port_count c;

	net_port_get(e->net, node, port, &c);
	return c.packets;
}

static uint32_t node_at(uint16_t x, uint16_t y, uint16_t z)
{
	const uint16_t at[NET_DIMS_MAX] = { x, y, z };

	return net_node_at(&cfg, at);
}

/* Packets travel in x, y, z order, in the shorter direction of each ring. */
static void dimension_order_and_wraparound_routing(void **state)
{
	struct net_fixture e;

	load("apenet:4x4x4");
	net_fixture_open(&e, &cfg, 0);
	T_OK(net_fixture_send(&e, 0, 0, node_at(3, 1, 3), 64));
	net_fixture_drain(&e);
	T_IS(packets_on_port(&e, 0, A_DOWN), 1);
	T_IS(packets_on_port(&e, node_at(3, 0, 0), B_UP), 1);
	T_IS(packets_on_port(&e, node_at(3, 1, 0), C_DOWN), 1);
	T_IS(net_hops(e.net, 0, node_at(3, 1, 3)), 3);
	net_fixture_close(&e);
}

/*
 * All nodes send in one direction of the rings, more than the buffers hold: the
 * buffers fill with packets that all stay in the ring.
 */
static void check_rings(const char *machine, uint8_t routing)
{
	struct net_msg msg = { .bytes = 40 * 4096, .routing = routing };
	struct net_fixture e;
	uint32_t nodes;

	load(machine);
	nodes = net_shape_nodes(&cfg);
	net_fixture_open(&e, &cfg, 1 << 16);
	for (unsigned i = 0; i < 4; i++)
		for (msg.src = 0; msg.src < nodes; msg.src++) {
			msg.dst = (msg.src + nodes / 2 - 1 - (i & 1)) % nodes;
			T_OK(net_send(e.net, 0, &msg));
		}
	net_fixture_drain(&e);
	T_IS(e.arrived, 4 * nodes);
	T_OK(net_check(e.net));
	net_fixture_close(&e);
}

static void rings_do_not_deadlock(void **state)
{
	check_rings("apenet:8x1x1", NET_DETERMINISTIC);
	check_rings("apenet:8x1x1", NET_DYNAMIC);
	check_rings("apenet:4x4x4", NET_DETERMINISTIC);
	check_rings("apenet:4x4x4", NET_DYNAMIC);
}

/*
 * Node 0 sends 20 packets to node 1, which has a buffer for one packet. Returns
 * the time until all packets have arrived; back: node 1 also sends at the same
 * time.
 */
static uint64_t with_few_credits(bool back)
{
	struct net_msg msg = { .dst = 1,
			       .bytes = 20 * 4096,
			       .routing = NET_DETERMINISTIC,
			       .cookie = 1 };
	struct net_fixture e;

	load("apenet");
	cfg.tokens[NET_VC_DET] = 1;
	cfg.path[HOST].read_ps = 1;
	cfg.path[HOST].reception_ps_per_byte_x1000 = 1;
	cfg.path[HOST].bus_in = cfg.path[HOST].bus_request = 0;
	cfg.bubble = 1;
	net_fixture_open(&e, &cfg, 1 << 14);
	T_OK(net_send(e.net, 0, &msg));
	if (back) {
		msg.src = 1;
		msg.dst = 0;
		msg.bytes = 60 * 4096;
		msg.cookie = 2;
		/* this channel has buffers for two packets */
		msg.routing = NET_HIGH;
		T_OK(net_send(e.net, 0, &msg));
	}
	net_fixture_drain(&e);
	T_OK(net_check(e.net));
	net_fixture_close(&e);
	return e.cookie_at[1];
}

/*
 * Credits return in control words. On an idle link these follow one another; on
 * a busy link one follows every 64 B, so credits wait longer.
 */
static void credits_travel_in_control_words(void **state)
{
	uint64_t idle = with_few_credits(false), busy = with_few_credits(true);

	T_TRUE(busy > idle);
	/* each of 19 credits waits for at most 80 B at 2.8 GB/s */
	T_TRUE(busy - idle <= 19 * 29000);
}

/*
 * Three neighbours send to a board that cannot find the pages fast enough: the
 * neighbours wait for credits, nothing is lost, and the rate is shared equally.
 */
static void credits_throttle_a_fast_sender(void **state)
{
	struct net_msg msg = { .bytes = 1 << 20, .routing = NET_DETERMINISTIC };
	const uint64_t half = 3 * 128 * 1100000ull;
	bool stop = false;
	uint64_t sent;
	struct net_fixture e;

	load("apenet");
	net_fixture_open(&e, &cfg, 1 << 14);
	for (unsigned i = 0; i < 3; i++) {
		msg.src = i == 0   ? node_at(1, 0, 0)
			  : i == 1 ? node_at(3, 0, 0)
				   : node_at(0, 1, 0);
		msg.cookie = i;
		msg.address = i << 20;
		T_OK(net_send(e.net, 0, &msg));
	}
	net_run(e.net, half, &net_fixture_up, &e, &stop);
	sent = packets_on_port(&e, node_at(1, 0, 0), A_DOWN) +
	       packets_on_port(&e, node_at(3, 0, 0), A_UP) +
	       packets_on_port(&e, node_at(0, 1, 0), B_DOWN);
	/* the packets in flight fit in the buffers and nearly fill them */
	T_TRUE(sent - e.packets <= 3 * 4 + 2);
	T_TRUE(sent - e.packets >= 3 * 3);
	net_fixture_drain(&e);
	T_IS(e.arrived, 3);
	T_OK(net_check(e.net));
	/* all pages miss the TLB: the processor finds one in 1.1 us */
	is_about((double)e.last_at, 2 * (double)half, 3);
	for (unsigned i = 0; i < 3; i++)
		is_about((double)e.cookie_at[i], (double)e.last_at, 3);
	net_fixture_close(&e);
}

/* ---- control words ------------------------------------------------------- */

struct words {
	struct net_fixture end;
	uint64_t count, last_at, cookie;
	uint32_t node;
	unsigned port;
};

static void on_word(void *arg, uint64_t at, uint64_t cookie, uint32_t node,
		    unsigned port)
{
	struct words *w = arg;

	w->count++;
	w->last_at = at;
	w->cookie = cookie;
	w->node = node;
	w->port = port;
}

static void on_arrived(void *arg, uint64_t at, uint64_t cookie, uint32_t node)
{
	struct words *w = arg;

	net_fixture_up.arrived(&w->end, at, cookie, node);
}

static const struct net_up words_up = { .arrived = on_arrived,
					.word = on_word };

static void words_run(struct words *w, uint64_t until)
{
	bool stop = false;

	net_run(w->end.net, until, &words_up, w, &stop);
}

static void control_word_latency(void **state)
{
	struct words w = { .count = 0 };
	uint64_t word = 16 * 357143ull / 1000;

	load("apenet");
	net_fixture_open(&w.end, &cfg, 0);
	T_OK(net_control_send(w.end.net, 10 * word, 0, A_UP, 77));
	T_OK(net_control_send(w.end.net, 10 * word, 0, A_UP, 78));
	words_run(&w, MS);
	T_IS(w.count, 2);
	T_IS(w.cookie, 78);
	T_IS(w.node, 1 * 4); /* x is the slowest dimension of node numbers */
	T_IS(w.port, A_DOWN);
	/* the second control word waits for the first */
	T_TRUE(w.last_at >= 12 * word + cfg.hop_ps &&
	       w.last_at <= 12 * word + cfg.hop_ps + 1000);
	T_IS(net_control_send(w.end.net, MS, 0, C_UP, 1), -EINVAL);
	net_fixture_close(&w.end);
	load_any("gemini");
	net_fixture_open(&w.end, &cfg, 0);
	T_IS(net_control_send(w.end.net, 0, 0, 0, 1), -EOPNOTSUPP);
	net_fixture_close(&w.end);
}

static void dead_link_loses_control_words(void **state)
{
	struct words w = { .count = 0 };
	struct weft_fault_plan_why why;
	struct weft_fault_plan plan;

	load("apenet");
	T_OK(weft_fault_plan_parse("here", "dead-link 0.A+ at 1 us", &plan,
				   &why));
	net_fault_reserve(&cfg, &plan);
	net_fixture_open(&w.end, &cfg, 0);
	T_OK(net_fault_load(w.end.net, "here", &plan, &why));
	T_OK(net_control_send(w.end.net, 0, 0, A_UP, 1));
	words_run(&w, 2000000);
	T_IS(w.count, 1);
	T_OK(net_control_send(w.end.net, 2000000, 0, A_UP, 2));
	T_OK(net_control_send(w.end.net, 2000000, 0, A_DOWN, 3));
	words_run(&w, 10 * MS);
	T_IS(w.count, 2);
	T_IS(w.cookie, 3);
	net_fixture_close(&w.end);
	weft_fault_plan_fini(&plan);
}

/*
 * Returns the duration of a stream over one link, with this number of control
 * words per packet.
 */
static uint64_t among_data(unsigned words, struct words *w)
{
	struct net_msg msg = { .dst = 4,
			       .bytes = 64 * 4096,
			       .routing = NET_DETERMINISTIC };
	uint64_t step = 2000000;

	*w = (struct words){ .count = 0 };
	load("apenet");
	net_fixture_open(&w->end, &cfg, 1 << 12);
	T_OK(net_send(w->end.net, 0, &msg));
	for (unsigned i = 1; i < 60; i++) {
		words_run(w, i * step);
		for (unsigned k = 0; k < words; k++)
			T_OK(net_control_send(w->end.net, i * step, 0, A_UP,
					      i));
	}
	words_run(w, MS);
	T_IS(w->end.arrived, 1);
	T_OK(net_check(w->end.net));
	net_fixture_close(&w->end);
	return w->end.last_at;
}

static void control_words_do_not_delay_data(void **state)
{
	struct words none, some;

	T_IS(among_data(0, &none), among_data(40, &some));
	T_IS(none.count, 0);
	T_IS(some.count, 59 * 40);
	/* 40 words on a busy link: one after every block of 64 B */
	T_TRUE(some.last_at < 60 * 2000000ull + 40 * 28572 + cfg.hop_ps + 6000);
}

/* ---- fault awareness ----------------------------------------------------- */

static void watch_timer(void *arg, uint64_t at, uint64_t cookie)
{
	T_TRUE(net_watch_timer(arg, at, cookie));
}

static void watch_word(void *arg, uint64_t at, uint64_t cookie, uint32_t node,
		       unsigned port)
{
	net_watch_word(arg, at, cookie, node, port);
}

static const struct net_up watch_up = { .timer = watch_timer,
					.word = watch_word };

struct deaths {
	struct net_watch_failure death[8];
	unsigned count;
};

/* Runs until the master has detected these failures, at most 12 periods. */
static void run_failures(struct deaths *d, uint64_t seed)
{
	struct net_watch *w;
	struct net_fixture e;
	bool stop = false;

	net_fixture_open(&e, &cfg, 1 << 14);
	T_OK(net_watch_open(&w, e.net, &cfg, seed, 12 * cfg.watch_ps));
	for (unsigned i = 0; i < d->count; i++)
		T_OK(net_watch_fail(w, d->death[i].at, d->death[i].node,
				    d->death[i].what));
	while (!net_watch_done(w) && net_next(e.net) != NET_NEVER)
		net_run(e.net, net_next(e.net), &watch_up, w, &stop);
	T_TRUE(net_watch_done(w));
	for (unsigned i = 0; i < d->count; i++)
		d->death[i] = *net_watch_get(w, i);
	net_watch_close(w);
	net_fixture_close(&e);
}

static void dead_host_is_detected_within_its_periods(void **state)
{
	double sum = 0;

	load("apenet");
	for (unsigned i = 0; i < 64; i++) {
		struct deaths d = { .count = 1 };
		struct net_watch_failure *x = &d.death[0];
		uint64_t wd = cfg.watch_ps;

		x->node = i % 16;
		x->what = NET_WATCH_HOST;
		x->at = 4 * wd + i * wd / 64;
		run_failures(&d, i);
		/*
		 * steps of the detection: missed heartbeat, status word on the
		 * link, read by the neighbour's host, evaluation by the master
		 */
		T_TRUE(x->own_at >= x->at && x->own_at <= x->at + 2 * wd);
		T_TRUE(x->first_at > x->own_at + cfg.hop_ps &&
		       x->first_at < x->own_at + cfg.hop_ps + 20000);
		T_TRUE(x->last_at < x->own_at + cfg.hop_ps + 20000);
		T_TRUE(x->master_at > x->last_at + cfg.watch_service_ps);
		T_TRUE(x->master_at <= x->own_at + 2 * wd + MS);
		sum += (double)(x->master_at - x->at) / (double)wd;
	}
	is_about(sum / 64, 1.8, 20);
}

static void any_set_of_failures_is_detected(void **state)
{
	struct deaths d = {
		.count = 5,
		.death = { { .node = 21, .what = NET_WATCH_NIC },
			   { .node = 22, .what = NET_WATCH_HOST },
			   { .node = 23, .what = NET_WATCH_BOTH },
			   { .node = 7, .what = NET_WATCH_HOST },
			   { .node = 7, .what = NET_WATCH_NIC } },
	};

	load("apenet:4x4x4");
	for (unsigned i = 0; i < d.count; i++)
		d.death[i].at = 4 * cfg.watch_ps + i * 1000000;
	run_failures(&d, 5);
	/* detected by the node's own host */
	T_TRUE(d.death[0].own_at != NET_NEVER);
	for (unsigned i = 0; i < d.count; i++)
		T_TRUE(d.death[i].master_at - d.death[i].at < 5 * cfg.watch_ps);
}

static void detection_time_scales_with_the_period(void **state)
{
	uint64_t took[2];

	load("apenet");
	cfg.watch_service_ps = 1;
	for (unsigned i = 0; i < 2; i++) {
		struct deaths d = { .count = 1 };

		cfg.watch_ps = i ? MS : 1000 * MS;
		d.death[0] = (struct net_watch_failure){
			.node = 3,
			.what = NET_WATCH_HOST,
			.at = 5 * cfg.watch_ps + cfg.watch_ps / 3,
		};
		run_failures(&d, 9);
		took[i] = d.death[0].master_at - d.death[0].at;
	}
	T_TRUE(took[0] > 500 * MS && took[0] < 3000 * MS);
	T_TRUE(took[1] > MS / 2 && took[1] < 3 * MS);
}

static void fault_plan_node_failure_is_detected(void **state)
{
	static const char text[] = "dead-node 5 at 1 ms; errors * = 1e-9";
	struct net_watch_failure death[4], again[4];
	struct weft_fault_plan_why why;
	struct weft_fault_plan plan;

	load("apenet");
	T_OK(weft_fault_plan_parse("here", text, &plan, &why));
	T_IS(net_watch_plan(&cfg, "here", &plan, death, 4), 1);
	T_IS(net_watch_plan(&cfg, "here", &plan, again, 4), 1);
	T_MEM(death, again, sizeof(death[0]));
	T_IS(death[0].node, 5);
	T_IS(death[0].at, MS);
	/* host and interface failed: the neighbours miss status words */
	T_IS(death[0].own_at, NET_NEVER);
	T_TRUE(death[0].first_at > MS && death[0].first_at < 1001 * MS);
	T_TRUE(death[0].last_at >= death[0].first_at);
	T_TRUE(death[0].master_at > death[0].last_at);
	T_TRUE(death[0].master_at < 2001 * MS);
	load_any("bgq");
	T_IS(net_watch_plan(&cfg, "here", &plan, death, 4), 0);
	weft_fault_plan_fini(&plan);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		T_CASE(put_latency_is_the_sum_of_its_parts),
		T_CASE(latency_between_host_and_gpu_memory),
		T_CASE(peer_to_peer_is_faster_for_short_messages),
		T_CASE(boards_reach_their_published_rates),
		T_CASE(with_two_engines_the_link_is_the_bottleneck),
		T_CASE(gpu_reads_are_slower_than_the_link),
		T_CASE(tlb_hit_avoids_processor_time),
		T_CASE(six_links_are_received_at_once),
		T_CASE(the_tlb_holds_512_pages),
		T_CASE(dimension_order_and_wraparound_routing),
		T_CASE(rings_do_not_deadlock),
		T_CASE(credits_travel_in_control_words),
		T_CASE(credits_throttle_a_fast_sender),
		T_CASE(control_word_latency),
		T_CASE(dead_link_loses_control_words),
		T_CASE(control_words_do_not_delay_data),
		T_CASE(dead_host_is_detected_within_its_periods),
		T_CASE(any_set_of_failures_is_detected),
		T_CASE(detection_time_scales_with_the_period),
		T_CASE(fault_plan_node_failure_is_detected),
	};

	return T_RUN(tests);
}

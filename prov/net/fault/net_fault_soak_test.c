/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Long runs with errors on all links of a machine: the number of bad packets
 * matches the fault plan, the number of undetected errors matches theory
 * (nearly always none), and each message arrives once, completely and in
 * order.
 *
 *   LONG=1     10^8 packet-hops per machine, as many with each error rate
 *   LONG=1e9   this number of packet-hops
 *   ONLY=bgq   one machine only
 *
 * The model's packets carry no data. The test copies the bytes of a message in
 * the packet callbacks, and compares them when the message is complete.
 */
#include "test/support/net_fault_fixture.h"
#include "prov/net/net_layout.h"

#include "src/base/hash.h"
#include "test/t.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	NODES = 32,
	MOST = 4,	 /* packets per message */
	EACH = 2,	 /* messages per node and round, to one target */
	ROOM = 4 * 4096, /* bytes of the longest message */
};

/* One message of a round; its cookie is its index. */
struct piece {
	uint32_t dst;
	uint32_t bytes, got; /* length of the message; bytes received so far */
	uint64_t edge;	     /* end offset of the packets received in order */
	uint8_t in[ROOM];
	uint8_t arrived;
};

struct soak {
	struct net_fixture e;
	struct piece *piece; /* messages, EACH per node */
	/* data to send; each message uses a different offset */
	uint8_t *out;
	uint64_t hops;
	uint32_t nodes;
	uint32_t bytes; /* payload bytes per packet */
	uint32_t most;	/* packets per message */
	uint8_t path;	/* path with the longest packets */
	bool ordered;	/* 1: the packets of this round must arrive in order */
};

static const uint8_t *sent(const struct soak *s, uint64_t cookie)
{
	return s->out + cookie % 251;
}

static void on_packet(void *arg, uint64_t at, uint64_t cookie, uint32_t node,
		      uint64_t offset, uint32_t bytes)
{
	struct soak *s = arg;
	struct piece *p = &s->piece[cookie];

	T_TRUE(node == p->dst && offset + bytes <= p->bytes);
	T_TRUE(!s->ordered || offset == p->edge);
	p->edge = offset + bytes;
	p->got += bytes;
	memcpy(p->in + offset, sent(s, cookie) + offset, bytes);
	(void)at;
}

static void on_arrived(void *arg, uint64_t at, uint64_t cookie, uint32_t node)
{
	struct soak *s = arg;
	struct piece *p = &s->piece[cookie];

	T_TRUE(node == p->dst && !p->arrived && p->got == p->bytes);
	T_OK(memcmp(p->in, sent(s, cookie), p->bytes));
	/* the previous message of this source has arrived */
	T_TRUE(!s->ordered || cookie % EACH == 0 || p[-1].arrived);
	p->arrived = 1;
	(void)at;
}

static void on_lost(void *arg, uint64_t at, uint64_t cookie, uint32_t node)
{
	fail_msg("message %llu of %u is lost", (unsigned long long)cookie,
		 node);
}

static void on_nothing(void *arg, uint64_t at, uint64_t cookie, uint32_t node)
{
}

static const struct net_up up = {
	.packet = on_packet,
	.arrived = on_arrived,
	.sent = on_nothing,
	.lost = on_lost,
};

/* Sends two messages from every node to a random node. */
static void send_round(struct soak *s, uint64_t at, uint64_t r)
{
	struct net_msg m = { .routing =
				     r % 2 ? NET_DYNAMIC : NET_DETERMINISTIC };
	uint64_t draw, cookie;

	m.path = s->path;
	s->ordered = m.routing == NET_DETERMINISTIC;
	/* order is guaranteed only within one rail */
	m.rail = s->ordered && s->e.cfg.rails > 1;
	for (cookie = 0; cookie < EACH * s->nodes; cookie++) {
		struct piece *p = &s->piece[cookie];

		m.src = (uint32_t)(cookie / EACH);
		draw = weft_hash_mix(r * NODES + m.src);
		m.dst = (uint32_t)(m.src + 1 + draw % (s->nodes - 1)) %
			s->nodes;
		m.bytes = s->bytes * (1 + (draw >> 32) % s->most);
		m.cookie = cookie;
		m.fifo = (uint32_t)(draw >> 48) % 64;
		p->dst = m.dst;
		p->bytes = (uint32_t)m.bytes;
		p->got = p->arrived = 0;
		p->edge = 0;
		memset(p->in, 0, m.bytes);
		T_OK(net_send(s->e.net, at, &m));
	}
}

static void soak_run(struct soak *s, uint64_t hops)
{
	struct net_count n = { 0 };
	uint64_t r, cookie;

	for (r = 0; n.hops < hops; r++) {
		send_round(s, n.now, r);
		net_run(s->e.net, NET_NEVER, &up, s, NULL);
		for (cookie = 0; cookie < EACH * s->nodes; cookie++)
			T_TRUE(s->piece[cookie].arrived);
		net_count_get(s->e.net, &n);
	}
	s->hops = n.hops;
}

/* ---- expected numbers ---------------------------------------------------- */

/*
 * Returns the probability that more than seven of these symbols are wrong; q is
 * the probability per symbol.
 */
static double beyond_correction(unsigned symbols, double q)
{
	double term = pow(1 - q, symbols), sum = 0;
	unsigned k;

	for (k = 0; k < symbols; k++) {
		if (k > 7)
			sum += term;
		term *= (symbols - k) / (k + 1.0) * q / (1 - q);
	}
	return sum;
}

/* Returns the probability that a packet of `wire` bytes is bad. */
static double probability_bad(const struct net_config *cfg, uint32_t wire,
			      double ber)
{
	double q = -expm1(10 * log1p(-ber)), good = 1;

	if (!cfg->care.fec)
		return -expm1(8 * wire * log1p(-ber));
	/* a FEC block of 642 bytes has 513.6 symbols of 10 bits */
	for (; wire > 642; wire -= 642)
		good *= 1 - beyond_correction(514, q);
	return 1 - good * (1 - beyond_correction((8 * wire + 9) / 10, q));
}

static void within_three_sigma(const char *what, uint64_t got, double tries,
			       double p)
{
	double mean = tries * p, sigma = sqrt(mean * (1 - p));

	print_message("; %llu %s, %.1f expected, sigma %.1f",
		      (unsigned long long)got, what, mean, sigma);
	T_TRUE(fabs((double)got - mean) <= 3 * sigma + 1);
}

/*
 * Returns the probability of an undetected error. CRC-16 misses one in 2^15 of
 * the packets with an even number, at least four, of wrong bits
 * (net_fault_test.c). The other codes miss none in any feasible test length.
 */
static double probability_undetected(const struct net_config *cfg,
				     uint32_t wire, double ber)
{
	double term = exp(8 * wire * log1p(-ber)), even = 0;

	if (cfg->care.code != NET_CODE_CRC16)
		return 0;
	for (unsigned k = 0; k < 20; k++) {
		even += k >= 4 && k % 2 == 0 ? term : 0;
		term *= (8 * wire - k) / (k + 1.0) * ber / (1 - ber);
	}
	return even / 32768;
}

/*
 * Fails if the probability of a count of `got` or more is below that of three
 * standard deviations.
 */
static void not_too_many(uint64_t got, double mean)
{
	double term = exp(-mean), fewer = 0;

	for (uint64_t k = 0; k < got; k++) {
		fewer += term;
		term *= mean / ((double)k + 1);
	}
	print_message("; %llu escaped, %.3f expected\n",
		      (unsigned long long)got, mean);
	T_TRUE(!got || 1 - fewer >= 0.0027);
}

static void check_counts(const struct soak *s, double ber)
{
	struct net_fault_count c = net_fixture_fault_count(&s->e);
	const struct net_config *cfg = &s->e.cfg;
	uint32_t wire = net_wire_bytes(cfg, s->bytes / cfg->chunk_bytes);

	print_message("%s at %g: %llu hops, %llu packets", cfg->name, ber,
		      (unsigned long long)s->hops,
		      (unsigned long long)c.packets);
	within_three_sigma("bad", c.bad, (double)c.packets,
			   probability_bad(cfg, wire, ber));
	if (cfg->care.fec)
		within_three_sigma("symbols symbols_corrected",
				   c.symbols_corrected,
				   (double)c.packets * wire * 0.8,
				   -expm1(10 * log1p(-ber)));
	not_too_many(c.escaped, (double)c.packets *
					probability_undetected(cfg, wire, ber));
	T_IS(c.lost, 0);
	T_IS(c.crc_mismatches, 0);
	if (cfg->care.checked == NET_CHECKED_LINK)
		T_IS(c.retries, c.bad);
	else
		T_TRUE(c.resends == c.discarded && c.discarded <= c.bad);
}

/* ---- test runs ----------------------------------------------------------- */

static void soak(const struct net_config *cfg, double ber, uint64_t hops)
{
	struct soak s = { .nodes = 16,
			  .bytes = cfg->payload_bytes,
			  .most = MOST };
	char plan[64];

	snprintf(plan, sizeof(plan), "seed = 9; errors * = %.9f", ber);
	net_fixture_fault_open(&s.e, cfg, plan);
	if (cfg->topology == NET_TORUS && cfg->router_nodes < 2)
		s.nodes = net_nodes(s.e.net);
	while (s.path + 1 < cfg->paths && cfg->path[s.path].packet_bytes)
		s.path++;
	/* at 1e-4 nearly every full packet would be bad after four links */
	if (cfg->care.checked == NET_CHECKED_END && ber > 5e-5) {
		s.bytes = 4 * cfg->chunk_bytes;
		s.most = 1;
	}
	T_TRUE(s.nodes <= NODES && s.bytes <= ROOM / MOST);
	s.piece = calloc((size_t)EACH * s.nodes, sizeof(*s.piece));
	s.out = malloc(ROOM + 256);
	T_TRUE(s.piece && s.out);
	t_fill(s.out, ROOM + 256, 5);
	soak_run(&s, hops);
	check_counts(&s, ber);
	free(s.piece);
	free(s.out);
	net_fixture_close(&s.e);
}

static uint64_t hops_of(const char *text)
{
	double n = text ? strtod(text, NULL) : 80000;

	return (uint64_t)(text && n < 2 ? 1e8 : n);
}

static void no_message_is_lost_on_links_with_errors(void **state)
{
	static const char *const machines[] = { "bgq:4x4x2", "gemini:2x2x2",
						"qsnet2:4x4", "sunway:6x4",
						"apenet:4x2x2" };
	static const double rate[] = { 1e-7, 1e-6, 1e-5, 1e-4 };
	const char *only = getenv("ONLY");
	uint64_t hops = hops_of(getenv("LONG"));
	struct net_config cfg;
	unsigned i, k;

	for (i = 0; i < WEFT_COUNT_OF(machines); i++) {
		net_fixture_machine_load(&cfg, machines[i]);
		if (only && strcmp(only, cfg.name))
			continue;
		for (k = 0; k < WEFT_COUNT_OF(rate); k++)
			soak(&cfg, rate[k], hops / WEFT_COUNT_OF(rate));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		T_CASE(no_message_is_lost_on_links_with_errors),
	};

	return T_RUN(tests);
}

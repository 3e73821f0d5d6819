/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Links with errors: which error-detecting code detects the errors, what a
 * retry costs, and that nothing is lost. net_fault_soak_test measures how often
 * errors occur.
 */
#include "test/support/net_fault_fixture.h"
#include "prov/net/fault/net_fault_int.h"

#include "src/base/hash.h"
#include "test/t.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const machines[] = { "bgq:4x4x2", "gemini:2x2x2",
					"qsnet2:4x4", "sunway:6x4",
					"apenet:4x2x2" };

/* ---- random numbers ------------------------------------------------------ */

static void first_error_position_follows_the_draw(void **state)
{
	uint64_t half = 1ull << 63;

	T_IS(net_fault_error_first(0, half, 8), 0);
	T_IS(net_fault_error_first(half - 1, half, 8), 0);
	T_IS(net_fault_error_first(half + 1, half, 8), 1);
	T_IS(net_fault_error_first(half + half / 2 + 1, half, 8), 2);
	T_IS(net_fault_error_first(UINT64_MAX, half, 8), 8);
	T_IS(net_fault_error_first(0, 0, 8), 8);
	T_IS(net_fault_error_first(0, 1, 0), 0);
}

/* ---- determinism and detection ------------------------------------------- */

/* Every node sends messages to random nodes, in several rounds. */
static void random_traffic(struct net_fixture *e, unsigned rounds,
			   uint8_t routing)
{
	uint32_t nodes = e->cfg.topology == NET_TORUS && e->cfg.router_nodes < 2
				 ? net_nodes(e->net)
				 : 16;
	struct net_msg m = { .bytes = e->cfg.payload_bytes,
			     .routing = routing };
	unsigned r, n;
	uint64_t at;
	struct net_count c;

	net_count_get(e->net, &c);
	at = c.now;
	for (r = 0; r < rounds; r++) {
		for (n = 0; n < nodes; n++) {
			m.src = n;
			m.dst = (uint32_t)(n + 1 +
					   weft_hash_mix(r * 64 + n) %
						   (nodes - 1)) %
				nodes;
			m.cookie = 100;
			m.fifo = r;
			T_OK(net_send(e->net, at, &m));
		}
		net_fixture_drain(e);
		net_count_get(e->net, &c);
		at = c.now;
		T_IS(e->arrived, (uint64_t)(r + 1) * nodes);
	}
}

static uint64_t hash_of(const struct net_config *cfg, const char *plan,
			unsigned rounds)
{
	struct net_fixture e;
	struct net_count c;

	if (plan)
		net_fixture_fault_open(&e, cfg, plan);
	else
		net_fixture_open(&e, cfg, 1 << 14);
	random_traffic(&e, rounds, NET_DYNAMIC);
	net_count_get(e.net, &c);
	net_fixture_close(&e);
	return c.hash;
}

static void fault_plan_without_effect_changes_no_event(void **state)
{
	struct net_config cfg;
	unsigned i;

	for (i = 0; i < WEFT_COUNT_OF(machines); i++) {
		net_fixture_machine_load(&cfg, machines[i]);
		T_IS(hash_of(&cfg, "", 8), hash_of(&cfg, NULL, 8));
		T_IS(hash_of(&cfg, "loss = 0.5", 8), hash_of(&cfg, NULL, 8));
		T_IS(hash_of(&cfg, "errors * = 0; seed = 3", 8),
		     hash_of(&cfg, NULL, 8));
	}
}

static void equal_plan_and_seed_give_equal_events(void **state)
{
	struct net_config cfg;
	unsigned i;

	for (i = 0; i < WEFT_COUNT_OF(machines); i++) {
		uint64_t a, b, c;

		net_fixture_machine_load(&cfg, machines[i]);
		a = hash_of(&cfg, "seed = 1; errors * = 1e-5", 32);
		b = hash_of(&cfg, "seed = 1; errors * = 1e-5", 32);
		c = hash_of(&cfg, "seed = 2; errors * = 1e-5", 32);
		T_IS(a, b);
		/* errors that FEC corrects cause no delay */
		T_IS(a != c, !cfg.care.fec);
		T_IS(a != hash_of(&cfg, NULL, 32), !cfg.care.fec);
	}
}

static void errors_do_not_depend_on_the_order_of_calls(void **state)
{
	struct net_config cfg;
	struct net_msg m = { .bytes = 512 };
	uint64_t log[2];
	unsigned k, n;

	net_fixture_machine_load(&cfg, "bgq:4x4x2");
	for (k = 0; k < 2; k++) {
		struct net_fixture e;

		net_fixture_fault_open(&e, &cfg, "seed = 5; errors * = 1e-4");
		for (n = 0; n < 256; n++) {
			m.src = (k ? 255 - n : n) % 32;
			m.dst = (m.src + 7) % 32;
			m.fifo = (k ? 255 - n : n) / 32;
			T_OK(net_send(e.net, 0, &m));
		}
		net_fixture_drain(&e);
		T_IS(e.arrived, 256);
		T_TRUE(net_fixture_fault_count(&e).retries > 10);
		log[k] = e.log;
		net_fixture_close(&e);
	}
	T_IS(log[0], log[1]);
}

/* A burst of 41 bits affects at most five symbols, so it is always detected. */
static void error_bursts_are_detected(void **state)
{
	struct net_fault_count c;
	struct net_config cfg;
	unsigned i;

	for (i = 0; i < WEFT_COUNT_OF(machines); i++) {
		struct net_fixture e;

		net_fixture_machine_load(&cfg, machines[i]);
		net_fixture_fault_open(&e, &cfg,
				       i == 3 ? "errors * = 1e-5; burst * = 200"
				       : i == 1
					       ? "errors * = 1e-5; burst * = 16"
				       : i ? "errors * = 1e-6; burst * = 32"
					   : "errors * = 1e-5; burst * = 41");
		random_traffic(&e, 64, NET_DYNAMIC);
		c = net_fixture_fault_count(&e);
		T_TRUE(c.bad > 10);
		T_IS(c.escaped, 0);
		net_fixture_close(&e);
	}
}

/*
 * The polynomial of CRC-16 contains x + 1 and detects any two wrong bits, so an
 * undetected error has an even number of wrong bits, at least four. CRC-16
 * misses one in 2^15 of these errors, which can be measured at a very high
 * error rate.
 */
static void crc16_undetected_rate_matches_theory(void **state)
{
	enum { TRIES = 3000000, BYTES = 96 };
	uint8_t wrong[NET_FAULT_WIRE];
	const double rate = 3e-3, mean = rate * BYTES * 8;
	double even = 0, p = exp(BYTES * 8 * log1p(-rate)), expected;
	struct net_config cfg;
	struct net_fixture e;
	uint64_t escaped = 0, i;
	unsigned k;

	for (k = 0; k < 20; k++) {
		even += k >= 4 && k % 2 == 0 ? p : 0;
		p *= (BYTES * 8 - k) / (k + 1.0) * rate / (1 - rate);
	}
	expected = TRIES * even / 32768;
	net_fixture_machine_load(&cfg, machines[1]);
	net_fixture_fault_open(&e, &cfg, "errors * = 0.003");
	for (i = 0; i < TRIES; i++)
		escaped += net_fault_bits_draw(
				   e.net, net_fault_link(e.net, 0, 0), 7, i,
				   BYTES, wrong) == NET_FOUND_MISSED;
	net_fixture_close(&e);
	T_TRUE(mean > 2 && expected > 10);
	T_TRUE(fabs((double)escaped - expected) <= 3 * sqrt(expected));
}

/*
 * One check symbol of 10 bits misses 1 in 1024 long bursts; five check symbols
 * miss 1 in 2^50, so they miss none of the bursts of this test.
 */
static void reed_solomon_undetected_rate_matches_theory(void **state)
{
	static const struct {
		uint8_t code, end_code;
		enum net_fault_found found;
	} row[] = {
		{ NET_CODE_RS1, NET_CODE_NONE, NET_FOUND_BAD },
		{ NET_CODE_NONE, NET_CODE_RS1, NET_FOUND_AT_END },
		{ NET_CODE_RS5, NET_CODE_NONE, NET_FOUND_BAD },
	};
	enum { TRIES = 100000, BYTES = 104 };
	uint8_t wrong[NET_FAULT_WIRE];
	struct net_config cfg;

	net_fixture_machine_load(&cfg, machines[0]);
	cfg.care.header_code = NET_HEADER_NONE;
	for (unsigned r = 0; r < WEFT_COUNT_OF(row); r++) {
		double found = 0, missed = 0, expected;
		struct net_fixture e;

		cfg.care.code = row[r].code;
		cfg.care.end_code = row[r].end_code;
		net_fixture_fault_open(&e, &cfg,
				       "errors * = 3e-3; burst * = 400");
		for (uint64_t i = 0; i < TRIES; i++) {
			enum net_fault_found f = net_fault_bits_draw(
				e.net, net_fault_link(e.net, 0, 0), 7, i, BYTES,
				wrong);

			found += f == row[r].found;
			missed += f == NET_FOUND_MISSED;
		}
		net_fixture_close(&e);
		expected = row[r].code == NET_CODE_RS5
				   ? 0
				   : (found + missed) / 1024;
		T_TRUE(found > TRIES / 2.0);
		T_TRUE(fabs(missed - expected) <= 3 * sqrt(expected));
	}
}

/* ---- cost of a retry ----------------------------------------------------- */

/* Returns the arrival time of a full packet. *retries_p: number of retries. */
static uint64_t one_packet(const struct net_config *cfg, const char *plan,
			   uint64_t *retries_p)
{
	struct net_msg m = { .dst = 1,
			     .bytes = cfg->payload_bytes,
			     .routing = NET_DETERMINISTIC };
	struct net_fixture e;

	net_fixture_fault_open(&e, cfg, plan);
	T_OK(net_send(e.net, 0, &m));
	net_fixture_drain(&e);
	T_IS(e.arrived, 1);
	*retries_p = net_fixture_fault_count(&e).retries;
	net_fixture_close(&e);
	return e.last_at;
}

/* BGQ-45: a link retransmits if no acknowledgement arrives in 1000 cycles. */
static void bgq_link_retransmits_after_timeout(void **state)
{
	struct net_config cfg;
	uint64_t none, n, good, late;

	net_fixture_machine_load(&cfg, "bgq:2");
	good = one_packet(&cfg, "errors * = 0", &none);
	late = one_packet(&cfg, "seed = 1; errors * = 3e-4", &n);
	T_IS(none, 0);
	T_TRUE(n > 0);
	/* 552 bytes take 138 cycles, the protocol 6 cycles */
	T_IS(late - good, n * (138 + 6 + 1000) * 2000);
}

/*
 * GEM-28: the receiver sends a NAK at once; a retry takes the link latency in
 * both directions.
 */
static void gemini_link_retransmits_on_nak(void **state)
{
	struct net_config cfg;
	uint64_t none, n, good, late, len;

	net_fixture_machine_load(&cfg, "gemini:2x1x1");
	good = one_packet(&cfg, "errors * = 0", &none);
	late = one_packet(&cfg, "seed = 1; errors N = 2e-3", &n);
	T_IS(none, 0);
	T_TRUE(n > 0);
	/* 5 ns for 96 bytes at 19.2 GB/s, 20 ns latency, 45 ns for the NAK */
	len = net_wire_ticks(&cfg, 96, cfg.link_end_ps_x1000);
	T_IS(len, 5);
	T_IS(late - good, n * (len + 20 + 45) * 1000);
}

/* A packet waits for the retransmission of the packet before it. */
static void link_retries_keep_packet_order(void **state)
{
	struct net_msg m = { .dst = 1,
			     .bytes = 64 << 10,
			     .routing = NET_DETERMINISTIC };
	struct net_config cfg;
	struct net_fixture e;

	net_fixture_machine_load(&cfg, "bgq:2");
	net_fixture_fault_open(&e, &cfg, "seed = 1; errors * = 1e-4");
	T_OK(net_send(e.net, 0, &m));
	net_fixture_drain(&e);
	T_IS(e.arrived, 1);
	T_IS(e.packets, 128);
	T_TRUE(net_fixture_fault_count(&e).retries > 20);
	net_fixture_close(&e); /* also checks the packet order */
}

/* ---- error detection codes ----------------------------------------------- */

/* BGQ-47: the header code detects errors in the first 12 of 552 bytes. */
static void bgq_header_code_detects_header_errors(void **state)
{
	struct net_fault_count c;
	struct net_config cfg;
	struct net_fixture e;
	double part;

	net_fixture_machine_load(&cfg, "bgq:4x4x2");
	net_fixture_fault_open(&e, &cfg, "errors * = 2e-5");
	random_traffic(&e, 200, NET_DYNAMIC);
	c = net_fixture_fault_count(&e);
	part = (double)c.bad * 12 / 552;
	T_TRUE(c.header > 0 && fabs((double)c.header - part) < 5 * sqrt(part));
	net_fixture_close(&e);
}

/* BGQ-46, BGQ-48: without the link code, the end-to-end code detects errors. */
static void bgq_end_code_detects_errors_missed_by_links(void **state)
{
	struct net_fault_count c;
	struct net_config cfg;
	struct net_msg m = { .bytes = 512 };
	struct net_fixture e;
	unsigned n;

	net_fixture_machine_load(&cfg, "bgq:4x4x2");
	cfg.care.code = NET_CODE_NONE;
	cfg.care.header_code = NET_HEADER_NONE;
	net_fixture_fault_open(&e, &cfg, "errors * = 2e-5");
	for (n = 0; n < 2000; n++) {
		m.src = n % 32;
		m.dst = (n * 7 + 5) % 32;
		m.fifo = n / 32;
		if (m.src != m.dst)
			T_OK(net_send(e.net, 0, &m));
	}
	net_fixture_drain(&e);
	c = net_fixture_fault_count(&e);
	T_TRUE(c.lost > 50 && c.lost == c.discarded && e.lost == c.lost);
	T_TRUE(c.crc_mismatches > 20);
	T_IS(c.bad, 0);
	net_fixture_close(&e);
}

/*
 * BGQ-48: without an error-detecting code, the CRCs at the two ends of a link
 * reveal the errors, separately for user packets and system packets. Without
 * errors, or with errors that the link detects, the CRCs agree.
 */
static void link_crcs_of_user_and_system_find_undetected_errors(void **state)
{
	struct net_fault_count c;
	struct net_config cfg;

	net_fixture_machine_load(&cfg, "bgq:4x4x2");
	for (unsigned i = 0; i < 6; i++) {
		bool system = i & 1, detected = i & 2, none = i & 4;
		struct net_config other = cfg;
		struct net_fixture e;

		other.care.end_code = NET_CODE_NONE;
		if (!detected) {
			other.care.code = NET_CODE_NONE;
			other.care.header_code = NET_HEADER_NONE;
		}
		net_fixture_fault_open(&e, &other,
				       none ? "errors * = 1e-12"
					    : "errors * = 2e-5");
		random_traffic(&e, 100,
			       system ? NET_SYSTEM : NET_DETERMINISTIC);
		c = net_fixture_fault_count(&e);
		T_IS(c.escaped > 100, !detected && !none);
		T_IS(c.crc_mismatches > 20, !system && !detected && !none);
		T_IS(c.crc_mismatches_system > 20,
		     system && !detected && !none);
		T_IS((detected || none) && c.crc_mismatches, 0);
		T_IS((detected || none || !system) && c.crc_mismatches_system,
		     0);
		net_fixture_close(&e);
	}
}

/* BGQ-50: retry and ECC counters raise alarms. */
static void error_counters_raise_alarms(void **state)
{
	struct net_config cfg;
	struct net_fixture e;

	net_fixture_machine_load(&cfg, "bgq:4x4x2");
	cfg.care.retry_alarm = 5;
	net_fixture_fault_open(&e, &cfg, "errors A+ = 1e-4");
	random_traffic(&e, 100, NET_DYNAMIC);
	T_TRUE(net_fixture_fault_count(&e).alarms > 0);
	T_TRUE(net_fixture_fault_count(&e).alarms <= 32);
	net_fixture_close(&e);
}

/* QSN-40: the target discards bad packets, and the source retransmits. */
static void qsnet2_discarded_packets_are_retransmitted(void **state)
{
	struct net_fault_count c;
	struct net_config cfg;
	struct net_fixture e;

	net_fixture_machine_load(&cfg, "qsnet2:4x4");
	net_fixture_fault_open(&e, &cfg, "seed = 1; errors * = 2e-6");
	random_traffic(&e, 100, NET_DYNAMIC);
	c = net_fixture_fault_count(&e);
	T_TRUE(c.bad > 50);
	T_IS(c.retries, 0);
	T_IS(c.resends, c.discarded);
	T_TRUE(c.discarded > 0 && c.discarded <= c.bad);
	net_fixture_close(&e);
}

/*
 * APE-22: links do not check packets. The last board checks the CRC in the
 * footer; it counts bad packets and does not deliver them.
 */
static void apenet_counts_and_drops_bad_packets(void **state)
{
	struct net_fault_count c;
	struct net_config cfg;
	struct net_fixture e;

	net_fixture_machine_load(&cfg, "apenet:4x4x1");
	net_fixture_fault_open(&e, &cfg, "seed = 1; errors * = 1e-6");
	random_traffic(&e, 100, NET_DETERMINISTIC);
	c = net_fixture_fault_count(&e);
	T_TRUE(c.bad > 50);
	T_IS(c.escaped, 0);
	T_IS(c.retries, 0);
	T_TRUE(c.discarded > 0 && c.discarded <= c.bad);
	T_IS(c.resends, c.discarded);
	/* each message is delivered once and completely */
	T_IS(e.bytes, 1600ull * cfg.payload_bytes);
	net_fixture_close(&e);
}

/* SWE-26: FEC corrects bursts up to 70 bits; the link retries longer ones. */
static void sunway_fec_corrects_and_link_retries(void **state)
{
	static const char *const plans[] = { "errors * = 1e-6; burst * = 61",
					     "errors * = 1e-5; burst * = 200" };
	struct net_fault_count c;
	struct net_config cfg;
	unsigned i;

	net_fixture_machine_load(&cfg, "sunway:6x4");
	for (i = 0; i < 2; i++) {
		struct net_fixture e;

		net_fixture_fault_open(&e, &cfg, plans[i]);
		random_traffic(&e, 64, NET_DYNAMIC);
		c = net_fixture_fault_count(&e);
		T_TRUE(c.symbols_corrected > 20);
		T_IS(c.escaped, 0);
		T_IS(c.bad > 0, i);
		T_IS(c.retries, c.bad);
		net_fixture_close(&e);
	}
}

/*
 * SWE-17: after a bad packet both links of the route are store-and-forward for
 * four packets, so that each link adds the transmission time of a packet; then
 * the links are cut-through again.
 */
static void sunway_links_store_and_forward_after_errors(void **state)
{
	const uint64_t start = 100000000, apart = 10000000;
	struct net_msg m = { .dst = 1,
			     .bytes = 2048,
			     .rail = 1,
			     .path = 2,
			     .routing = NET_DETERMINISTIC };
	uint64_t late[7], len;
	struct net_config cfg;
	struct net_fixture e;

	net_fixture_machine_load(&cfg, "sunway:6x4");
	cfg.care.store_forward = 4;
	net_fixture_fault_open(&e, &cfg,
			       "seed = 1; errors * = 1e-4 for 90 us;"
			       "burst * = 200");
	m.bytes = 20 * 2048;
	T_OK(net_send(e.net, 0, &m));
	net_fixture_drain(&e);
	T_TRUE(net_fixture_fault_count(&e).bad > 0 && e.last_at < start);
	m.bytes = 2048;
	for (unsigned i = 0; i < 7; i++) {
		T_OK(net_send(e.net, start + i * apart, &m));
		net_fixture_drain(&e);
		late[i] = e.last_at - start - i * apart;
	}
	len = net_wire_ticks(&cfg, 2048 + 48, cfg.link_ps_per_byte_x1000) *
	      (uint64_t)cfg.tick_ps;
	print_message("%lu %lu %lu\n", (unsigned long)late[0],
		      (unsigned long)late[6], (unsigned long)len);
	T_TRUE(late[0] > late[6] && late[0] <= late[6] + 2 * len);
	T_IS((late[0] - late[6]) / len, 1);
	for (unsigned i = 4; i < 7; i++)
		T_IS(late[i], late[6]);
	net_fixture_close(&e);
}

/* QSN-43: after an error a link retrains, and carries no packets meanwhile. */
static void qsnet2_links_retrain_after_errors(void **state)
{
	struct net_fault_count c;
	struct net_config cfg;
	uint64_t at[2];
	unsigned k;

	for (k = 0; k < 2; k++) {
		struct net_msg m = { .dst = 1,
				     .bytes = 256 << 10,
				     .path = 1,
				     .routing = NET_DETERMINISTIC };
		struct net_fixture e;

		net_fixture_machine_load(&cfg, "qsnet2:4");
		cfg.care.retrain_ps = k ? 10000000 : 0;
		net_fixture_fault_open(&e, &cfg, "seed = 1; errors * = 2e-6");
		T_OK(net_send(e.net, 0, &m));
		net_fixture_drain(&e);
		c = net_fixture_fault_count(&e);
		T_TRUE(c.bad > 2);
		T_IS(c.retrains, k ? c.bad : 0);
		at[k] = e.last_at;
		net_fixture_close(&e);
	}
	T_TRUE(at[1] > at[0] + 15000000);
}

/* Acknowledgements can have errors, and are retransmitted too. */
static void acknowledgements_with_errors_are_retransmitted(void **state)
{
	struct net_msg m = { .bytes = 2048, .dst = 1, .ack = 1 };
	struct net_config cfg;
	struct net_fixture e;
	unsigned n;

	net_fixture_machine_load(&cfg, "qsnet2:4x4");
	net_fixture_fault_open(&e, &cfg, "seed = 2; errors * = 1e-4");
	for (n = 0; n < 40; n++) {
		m.bytes = 64;
		m.cookie = n;
		m.dst = 1 + n % 15;
		T_OK(net_send(e.net, 0, &m));
	}
	net_fixture_drain(&e);
	T_IS(e.acked, 40);
	T_IS(e.arrived, 40);
	T_TRUE(net_fixture_fault_count(&e).resends > 5);
	net_fixture_close(&e);
}

/* No packet of this or another message overtakes a retransmitted packet. */
static void retransmitted_packets_keep_their_order(void **state)
{
	struct net_msg m = {
		.dst = 5, .bytes = 9000, .path = 1, .routing = NET_DETERMINISTIC
	};
	struct net_config cfg;
	struct net_fixture e;
	unsigned n;

	net_fixture_machine_load(&cfg, "qsnet2:4x4");
	cfg.care.retrain_ps =
		0; /* without retraining, later packets could pass at once */
	net_fixture_fault_open(&e, &cfg, "seed = 3; errors * = 4e-6");
	for (n = 0; n < 8; n++) {
		m.cookie = n;
		T_OK(net_send(e.net, 0, &m));
	}
	net_fixture_drain(&e);
	T_IS(e.arrived, 8);
	T_TRUE(net_fixture_fault_count(&e).resends > 3);
	T_IS(e.overtaken, 0);
	for (n = 1; n < 8; n++)
		T_TRUE(e.cookie_at[n] >= e.cookie_at[n - 1]);
	net_fixture_close(&e);
}

/* ---- memory errors ------------------------------------------------------- */

/* Returns the arrival time of a put of 64 B to the next chip. */
static uint64_t put_despite(const char *plan, struct net_fault_count *c)
{
	struct net_msg m = { .dst = 2, .bytes = 64, .ack = 1 };
	struct net_config cfg;
	struct net_fixture e;

	m.routing = NET_DETERMINISTIC;
	net_fixture_machine_load(&cfg, "gemini:4x2x2");
	net_fixture_fault_open(&e, &cfg, plan);
	T_OK(net_send(e.net, 0, &m));
	net_fixture_drain(&e);
	T_IS(e.arrived, 1);
	T_IS(e.acked, 1);
	*c = net_fixture_fault_count(&e);
	T_IS(e.errors, c->error_events);
	net_fixture_close(&e);
	return e.cookie_at[0];
}

/*
 * GEM-31: the target answers a discarded packet with an error response of three
 * phits. The packet is retransmitted 1 us after the event. In ns, the response
 * takes 20 to the link, 20 + 105 + 20 for hops, 4 on the wire (9 B at 2.34
 * GB/s) and 20 to the event. The packet reaches the link after 250 ns and the
 * time of 85 B at 11.44 GB/s.
 */
static void gemini_answers_bad_packets_by_error_responses(void **state)
{
	uint64_t built = 250000 + 64 * 1000000ull / 9600 + 1250, good, at;
	uint64_t response = (20 + 20 + 105 + 20 + 4 + 20) * 1000;
	struct net_fault_count c;
	unsigned seed, once = 0;
	char plan[48];

	good = put_despite("seed = 1; memory 31 = 0.5", &c);
	T_IS(c.error_events, 0);
	for (seed = 1; seed <= 60; seed++) {
		snprintf(plan, sizeof(plan), "seed = %u; memory * = 0.04",
			 seed);
		at = put_despite(plan, &c);
		if (c.discarded != 1 || c.error_events != 1)
			continue;
		once++;
		T_IS(c.resends, 1);
		T_IS(at, good + response + 1000000 + good - built);
	}
	T_TRUE(once > 0);
}

/*
 * QSN-44, GEM-31: a memory word with errors is corrected, or the target
 * discards the packet and the source retransmits it.
 */
static void wrong_words_are_corrected_or_not_delivered(void **state)
{
	struct net_fault_count c;
	struct net_config cfg;
	unsigned i;

	for (i = 1; i < WEFT_COUNT_OF(machines); i++) {
		struct net_fixture e;

		net_fixture_machine_load(&cfg, machines[i]);
		net_fixture_fault_open(&e, &cfg, "seed = 2; memory * = 0.004");
		random_traffic(&e, 200, NET_DYNAMIC);
		c = net_fixture_fault_count(&e);
		T_TRUE(c.corrected > 500);
		T_TRUE(c.poisoned > 0 && c.poisoned < c.corrected / 50);
		/* a packet with errors at two nodes is poisoned twice */
		T_IS(c.resends, c.discarded);
		T_TRUE(c.discarded <= c.poisoned &&
		       c.discarded > c.poisoned * 9 / 10);
		T_IS(c.lost, 0);
		net_fixture_close(&e);
	}
}

/* BGQ-49, BGQ-50: a node's interface halts instead of forwarding the error. */
static void bgq_halts_on_an_uncorrectable_word(void **state)
{
	struct net_fault_count c;
	struct net_msg m = { .bytes = 512, .routing = NET_DETERMINISTIC };
	struct net_config cfg;
	struct net_fixture e;
	unsigned n;

	net_fixture_machine_load(&cfg, "bgq:4");
	net_fixture_fault_open(&e, &cfg, "seed = 2; memory 1 = 0.01");
	for (n = 0; n < 1000; n++) {
		m.src = n % 4;
		m.dst = (n + 1 + n / 4 % 3) % 4;
		m.fifo = n % 64;
		T_OK(net_send(e.net, n * 100000ull, &m));
	}
	net_fixture_drain(&e);
	c = net_fixture_fault_count(&e);
	T_TRUE(c.corrected >= 50 && c.alarms > 0);
	T_IS(c.halted, 1);
	T_IS(c.dead_nodes, 1);
	T_IS(e.dead, 1);
	T_IS(e.dead_node, 1);
	T_TRUE(e.lost > 0 && e.lost + e.arrived == 1000);
	net_fixture_close(&e);
}

/* ---- class routes -------------------------------------------------------- */

static uint64_t allreduce(const struct net_config *cfg, const char *plan)
{
	static const uint32_t node[] = { 0, 1, 2, 3 }, share[] = { 1, 1, 1, 1 };
	static const int parent[] = { 1, -1, 1, 2 };
	struct net_fixture e;
	uint32_t route;
	unsigned n, k;

	net_fixture_fault_open(&e, cfg, plan);
	T_OK(net_tree_open(e.net, node, parent, share, 4, &route));
	for (k = 0; k < 20; k++)
		for (n = 0; n < 4; n++) {
			struct net_part part = { .route = route,
						 .node = n,
						 .bytes = 512,
						 .seq = k,
						 .cookie = n + 1,
						 .kind = WEFT_COLL_ALLREDUCE };

			T_OK(net_tree_send(e.net, 0, &part));
		}
	net_fixture_drain(&e);
	T_IS(e.results, 80);
	T_IS(e.result_sum, 80 * 10);
	T_IS(net_fault_count_get(e.net, &(struct net_fault_count){ 0 }), true);
	net_fixture_close(&e);
	return e.result_at;
}

static void class_route_errors_only_delay_results(void **state)
{
	struct net_config cfg;
	uint64_t good, late;

	net_fixture_machine_load(&cfg, "bgq:4");
	good = allreduce(&cfg, "errors * = 0");
	late = allreduce(&cfg, "seed = 1; errors * = 3e-5");
	T_TRUE(late > good + 2000000);
	T_IS(late, allreduce(&cfg, "seed = 1; errors * = 3e-5"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		T_CASE(first_error_position_follows_the_draw),
		T_CASE(fault_plan_without_effect_changes_no_event),
		T_CASE(equal_plan_and_seed_give_equal_events),
		T_CASE(errors_do_not_depend_on_the_order_of_calls),
		T_CASE(error_bursts_are_detected),
		T_CASE(crc16_undetected_rate_matches_theory),
		T_CASE(reed_solomon_undetected_rate_matches_theory),
		T_CASE(bgq_link_retransmits_after_timeout),
		T_CASE(gemini_link_retransmits_on_nak),
		T_CASE(link_retries_keep_packet_order),
		T_CASE(bgq_header_code_detects_header_errors),
		T_CASE(bgq_end_code_detects_errors_missed_by_links),
		T_CASE(link_crcs_of_user_and_system_find_undetected_errors),
		T_CASE(error_counters_raise_alarms),
		T_CASE(qsnet2_discarded_packets_are_retransmitted),
		T_CASE(apenet_counts_and_drops_bad_packets),
		T_CASE(sunway_fec_corrects_and_link_retries),
		T_CASE(sunway_links_store_and_forward_after_errors),
		T_CASE(qsnet2_links_retrain_after_errors),
		T_CASE(acknowledgements_with_errors_are_retransmitted),
		T_CASE(retransmitted_packets_keep_their_order),
		T_CASE(wrong_words_are_corrected_or_not_delivered),
		T_CASE(gemini_answers_bad_packets_by_error_responses),
		T_CASE(bgq_halts_on_an_uncorrectable_word),
		T_CASE(class_route_errors_only_delay_results),
	};

	return T_RUN(tests);
}

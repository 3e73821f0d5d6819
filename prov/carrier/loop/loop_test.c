/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Features that only the loop carrier has: raw faults, endpoints that die,
 * deterministic runs.
 */
#include "test/support/carrier_fixture.h"
#include "prov/carrier/loop/loop.h"
#include "test/t.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <string.h>

#define CAN (1u << WEFT_FAULT_LOSS | 1u << WEFT_FAULT_DELAY)

static void a_fault_plan_is_parsed(void **state)
{
	struct carrier_faults f;

	T_OK(carrier_faults_open(&f,
				 "seed=7; delay=1 by 3 us at 1 us; "
				 "loss=1 for 1 us; raw; die=100",
				 CAN));
	T_TRUE(f.raw && f.any && f.die == 100);
	T_IS(carrier_faults_delay(&f, 999), 0);
	T_IS(carrier_faults_delay(&f, 1000), 3000);
	T_TRUE(carrier_faults_draw(&f, WEFT_FAULT_LOSS, 999));
	T_FALSE(carrier_faults_draw(&f, WEFT_FAULT_LOSS, 1000));
	carrier_faults_close(&f);
	T_OK(carrier_faults_open(&f, NULL, CAN));
	T_FALSE(f.any);
	T_OK(carrier_faults_open(&f, "", CAN));
	T_FALSE(f.any);
	T_IS(carrier_faults_open(&f, "loss=2", CAN), -EINVAL);
	T_IS(carrier_faults_open(&f, "seed=1; rain=0.5", CAN), -EINVAL);
	T_IS(carrier_faults_open(&f, "corrupt=0.5", CAN), -EINVAL);
}

static union weft_name name_at(const char *text)
{
	struct weft_ip ip;

	T_TRUE(weft_ip_parse(text, &ip));
	return weft_name_make(ip, 0);
}

static void a_partition_separates_two_hosts(void **state)
{
	const union weft_name a = name_at("10.0.0.1"), b = name_at("10.0.0.2");
	const union weft_name c = name_at("10.0.0.3"), d = name_at("fd00::1");
	const union weft_name e = name_at("fd00::2");
	const uint32_t can = 1u << WEFT_FAULT_PARTITION;
	struct carrier_faults f;

	T_OK(carrier_faults_open(
		&f, "partition 10.0.0.1|10.0.0.2 at 1 us for 1 us", can));
	T_FALSE(carrier_faults_partitioned(&f, &a, &b, 999));
	T_TRUE(carrier_faults_partitioned(&f, &a, &b, 1000));
	T_TRUE(carrier_faults_partitioned(&f, &b, &a, 1999));
	T_FALSE(carrier_faults_partitioned(&f, &b, &a, 2000));
	T_FALSE(carrier_faults_partitioned(&f, &c, &a, 1500));
	carrier_faults_close(&f);
	T_OK(carrier_faults_open(&f, "partition *|10.0.0.3", can));
	T_TRUE(carrier_faults_partitioned(&f, &c, &a, 0));
	T_FALSE(carrier_faults_partitioned(&f, &b, &a, 0));
	carrier_faults_close(&f);
	T_OK(carrier_faults_open(&f, "partition fd00::1|fd00::2", can));
	T_TRUE(carrier_faults_partitioned(&f, &e, &d, 0));
	T_FALSE(carrier_faults_partitioned(&f, &e, &a, 0));
	carrier_faults_close(&f);
	T_IS(carrier_faults_open(&f, "partition 10.0.0.1", can), -EINVAL);
	T_IS(carrier_faults_open(&f, "partition 0-3|4-7", can), -EINVAL);
}

static void an_invalid_fault_plan_is_refused(void **state)
{
	struct weft_carrier_attr attr = { .faults = "rain=1" };
	struct end e;

	T_IS(end_open(&e, &weft_carrier_loop, 1, &attr), -EINVAL);
}

/* Counts of a receiver that accepts packets in any order. */
struct raw_sink {
	uint64_t got;
	uint64_t duplicates;
	uint64_t out_of_order;
	uint64_t top;
	uint64_t hash;
	bool seen[2000];
};

static int raw_deliver(void *arg, struct weft_peer *src,
		       const struct weft_pkt *pkt, const void *payload)
{
	struct raw_sink *s = arg;

	s->got++;
	s->duplicates += s->seen[pkt->tag];
	s->out_of_order += pkt->tag < s->top;
	s->seen[pkt->tag] = true;
	s->top = pkt->tag > s->top ? pkt->tag : s->top;
	s->hash = s->hash * 31 + pkt->tag + 1;
	return 0;
}

static void raw_lost(void *arg, struct weft_peer *peer, int err)
{
}

static const struct weft_carrier_up raw_up = { .deliver = raw_deliver,
					       .lost = raw_lost };

/* Sends 2000 packets under a fault plan and returns the counts. */
static struct raw_sink raw_run(const char *plan)
{
	struct raw_sink sink = { .got = 0 };
	struct weft_carrier_attr attr = { .up = &raw_up,
					  .up_arg = &sink,
					  .faults = plan };
	struct weft_carrier *c;
	struct weft_peer *to;
	struct end e;

	attr.name.in.sin_family = AF_INET;
	T_OK(weft_carrier_loop.open(&attr, &c));
	attr.name.in.sin_port = 0;
	T_OK(end_open(&e, &weft_carrier_loop, 1, &attr));
	c->ops->name_get(c, &attr.name);
	to = end_peer_name(&e, &attr.name);
	for (uint64_t n = 0; n < 2000; n++) {
		while (end_send(&e, to, n, 8) == -EAGAIN) {
			e.c->ops->poll(e.c, 16);
			c->ops->poll(c, 4);
		}
		if (n % 8 == 0)
			c->ops->poll(c, 16);
	}
	for (int i = 0; i < 100; i++)
		c->ops->poll(c, 64);
	end_close(&e);
	c->ops->close(c);
	return sink;
}

static void raw_mode_passes_faults_to_the_caller(void **state)
{
	struct raw_sink s = raw_run("seed=1; raw");

	T_IS(s.got, 2000);
	T_IS(s.duplicates + s.out_of_order, 0);
	s = raw_run("raw; loss=0.1");
	T_TRUE(s.got > 1600 && s.got < 1950);
	T_IS(s.duplicates + s.out_of_order, 0);
	s = raw_run("raw; duplicate=0.1");
	T_TRUE(s.duplicates > 100 && s.got == 2000 + s.duplicates);
	s = raw_run("raw; reorder=0.2");
	T_TRUE(s.got == 2000 && s.out_of_order > 50 && !s.duplicates);
	s = raw_run("raw; delay=0.2 by 2 ms");
	T_TRUE(s.got == 2000 && s.out_of_order > 50);
}

static void equal_seeds_give_equal_runs(void **state)
{
	const char *plan = "raw; seed=3; loss=0.1; duplicate=0.1; reorder=0.1; "
			   "delay=0.1 by 2 ms";
	struct raw_sink a = raw_run(plan);
	struct raw_sink b = raw_run(plan);
	struct raw_sink c = raw_run("raw; seed=4; loss=0.1; duplicate=0.1; "
				    "reorder=0.1; delay=0.1 by 2 ms");

	T_TRUE(a.hash == b.hash && a.got == b.got);
	T_TRUE(a.hash != c.hash);
}

static void losses_are_retransmitted_and_counted(void **state)
{
	struct raw_sink s =
		raw_run("seed=5; loss=0.3; duplicate=0.1; reorder=0.3");

	T_TRUE(s.got >= 1900 && s.got <= 2000);
	T_IS(s.duplicates + s.out_of_order, 0);
}

static void the_fault_plan_stops_an_endpoint(void **state)
{
	struct weft_carrier_attr attr = { .faults = "die=10" };
	struct weft_peer *to;
	struct end a, b;

	T_OK(end_open(&a, &weft_carrier_loop, 1, &attr));
	T_OK(end_open(&b, &weft_carrier_loop, 2, NULL));
	to = end_peer(&a, &b);
	for (uint64_t n = 0; n < 10; n++)
		T_OK(end_send(&a, to, n, 8));
	T_IS(end_send(&a, to, 10, 8), -ECONNRESET);
	T_TRUE(end_wait_lost(&b, 1, 10));
	T_IS(b.lost_err, ECONNRESET);
	T_IS(b.got, 10);
	T_IS(b.bad, 0);
	end_close(&a);
	end_close(&b);
}

/* Sets sequence numbers that wrap around within the exchange. */
static void start_at(struct end *from, struct end *to, uint32_t seq)
{
	loop_peer_of(end_peer(from, to))->tx =
		(struct weft_arq_tx){ .next = seq, .acked = seq };
	weft_arq_win_init(&loop_peer_of(end_peer(to, from))->rx, seq);
}

static void send_polled(struct end *from, struct end *to, uint64_t n)
{
	int rc;

	while ((rc = end_send(from, end_peer(from, to), n, n)) == -EAGAIN) {
		from->c->ops->poll(from->c, 8);
		to->c->ops->poll(to->c, 8);
	}
	T_OK(rc);
}

static void sequence_numbers_wrap_around(void **state)
{
	static const uint32_t first[] = { UINT32_MAX - 20, INT32_MAX - 20 };
	const struct weft_carrier_attr attr = {
		.faults = "seed=3; loss=0.1; duplicate=0.1; reorder=0.2"
	};
	struct end a, b;

	for (size_t i = 0; i < 2; i++) {
		T_OK(end_open(&a, &weft_carrier_loop, 1, &attr));
		T_OK(end_open(&b, &weft_carrier_loop, 2, &attr));
		start_at(&a, &b, first[i]);
		start_at(&b, &a, first[i]);
		for (uint64_t n = 0; n < 300; n++) {
			send_polled(&a, &b, n);
			send_polled(&b, &a, n);
		}
		for (int k = 0; k < 100000 && a.got + b.got < 600; k++) {
			a.c->ops->poll(a.c, 8);
			b.c->ops->poll(b.c, 8);
		}
		T_IS(a.got, 300);
		T_IS(b.got, 300);
		T_IS(a.bad + b.bad, 0);
		end_close(&a);
		end_close(&b);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		T_CASE(a_fault_plan_is_parsed),
		T_CASE(a_partition_separates_two_hosts),
		T_CASE(an_invalid_fault_plan_is_refused),
		T_CASE(raw_mode_passes_faults_to_the_caller),
		T_CASE(equal_seeds_give_equal_runs),
		T_CASE(losses_are_retransmitted_and_counted),
		T_CASE(the_fault_plan_stops_an_endpoint),
		T_CASE(sequence_numbers_wrap_around),
	};

	return T_RUN(tests);
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* Tests of runs with synthetic traffic: rates, latencies, reproducibility. */
#include "src/tools/sim/sim_run.h"
#include "prov/net/file/net_file.h"
#include "test/t.h"

#include <stdlib.h>
#include <string.h>

static struct sim_spec spec;
static struct sim_result first, second;

static void machine(const char *name)
{
	struct net_error_text why;

	spec = (struct sim_spec){ .bytes = 512,
				  .seed = 3,
				  .load = 0.5,
				  .hot_part = 0.05,
				  .warm_ps = 5000000,
				  .time_ps = 10000000 };
	T_OK(net_file_load(name, 0, &spec.cfg, &why));
}

static void open_loop_accepts_the_offered_load(void **state)
{
	machine("bgq:4x4x4");
	spec.time_ps = (uint64_t)t_scale(100) * 1000000;
	for (spec.load = 0.1; spec.load < 0.8; spec.load += 0.3) {
		T_OK(sim_run(&spec, &first));
		T_TRUE(first.accepted > 0.93 * first.offered);
		T_TRUE(first.accepted < 1.07 * first.offered);
		T_IS(first.waiting, 0);
		sim_result_close(&first);
	}
}

static void accepted_load_does_not_exceed_the_peak(void **state)
{
	machine("bgq:4x4x4");
	spec.load = 4;
	T_OK(sim_run(&spec, &first));
	T_TRUE(first.accepted <= first.peak * 1.01);
	T_TRUE(first.accepted > 0.8 * first.peak);
	T_TRUE(first.waiting > 0);
	sim_result_close(&first);
}

/* A single packet in flight is not delayed by other packets. */
static void unloaded_latency_matches_path(void **state)
{
	const struct net_config *c = &spec.cfg;
	uint64_t wire;

	machine("bgq:2m");
	spec.mode = SIM_CLOSED;
	spec.window = 1;
	spec.warm_ps = 0;
	T_OK(sim_run(&spec, &first));
	wire = 138ull * c->tick_ps;
	T_IS(first.latency.min, first.latency.max);
	T_IS(first.latency.min,
	     c->path[0].inject_ps + c->hop_ps + wire +
		     544 * c->path[0].injection_ps_per_byte_x1000 / 1000 +
		     c->path[0].receive_ps);
	sim_result_close(&first);
}

static void exchange_ends_with_the_last_arrival(void **state)
{
	machine("bgq:2x2x2x2x2");
	spec.mode = SIM_EXCHANGE;
	spec.pattern = SIM_ALLTOALL;
	spec.bytes = 1500;
	spec.fifos = 40;
	T_OK(sim_run(&spec, &first));
	T_IS(first.messages, 32 * 31);
	T_IS(first.count.injected, 32 * 31 * 3);
	T_IS(first.count.delivered, first.count.injected);
	sim_result_close(&first);
}

static void results_are_deterministic_for_a_seed(void **state)
{
	for (int p = 0; p < SIM_PATTERNS; p++) {
		if (p == SIM_GROUP) /* sim_new_test.c */
			continue;
		machine(p == SIM_IO ? "bgq@io:4x4x2" : "bgq:4x2x2");
		spec.pattern = (enum sim_pattern)p;
		T_OK(sim_run(&spec, &first));
		T_OK(sim_run(&spec, &second));
		T_IS(first.count.hash, second.count.hash);
		T_MEM(&first.latency, &second.latency, sizeof(first.latency));
		T_MEM(first.link, second.link,
		      sizeof(*first.link) * first.nodes * first.ports);
		sim_result_close(&second);
		spec.seed++;
		T_OK(sim_run(&spec, &second));
		T_TRUE(first.count.hash != second.count.hash);
		sim_result_close(&first);
		sim_result_close(&second);
	}
}

/*
 * Each packet is counted with its header on one channel: requests on the
 * channel of their routing, responses on the system channel.
 */
static void chunks_are_counted_by_channel(void **state)
{
	uint64_t chunks = 0, packets = 0, header;

	machine("sunway:4x4");
	spec.cfg.counters = 1;
	spec.channels = true;
	spec.mode = SIM_EXCHANGE;
	spec.pattern = SIM_ALLTOALL;
	spec.routing = NET_DETERMINISTIC;
	spec.ack = 1;
	T_OK(sim_run(&spec, &first));
	header = spec.cfg.header_bytes / spec.cfg.chunk_bytes;
	for (size_t i = 0; i < (size_t)first.places * first.ports; i++) {
		chunks += first.link[i].count.chunks;
		packets += first.link[i].count.packets;
	}
	T_IS(first.channel[NET_VC_DYN] + first.channel[NET_VC_HIGH], 0);
	T_IS(first.channel[NET_VC_DET] + first.channel[NET_VC_SYS],
	     chunks + packets * header);
	/* a response has no payload */
	T_TRUE(first.channel[NET_VC_SYS] >= packets / 3 * header);
	T_TRUE(first.channel[NET_VC_DET] >= chunks + packets / 3 * header);
	sim_result_close(&first);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		T_CASE(open_loop_accepts_the_offered_load),
		T_CASE(accepted_load_does_not_exceed_the_peak),
		T_CASE(unloaded_latency_matches_path),
		T_CASE(exchange_ends_with_the_last_arrival),
		T_CASE(results_are_deterministic_for_a_seed),
		T_CASE(chunks_are_counted_by_channel),
	};

	return T_RUN(tests);
}

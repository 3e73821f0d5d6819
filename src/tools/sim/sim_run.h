/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Runs one experiment on the model of a network without processes: a machine, a
 * traffic pattern, and a mode that decides when nodes send. The result is a
 * function of the specification: it is deterministic. Called by weft-sim and
 * weft-reproduce.
 *
 *   open loop    each node sends at random times with a mean rate, independent
 *                of the network; excess messages wait at the source
 *   closed loop  each node keeps a constant number of messages in flight
 *   exchange     each node sends its messages once, as fast as possible; the
 *                run ends when the last one has arrived
 */
#ifndef WEFT_SIM_RUN_H
#define WEFT_SIM_RUN_H

#include "prov/net/fault/net_fault.h"
#include "src/tools/sim/sim_hist.h"
#include "src/tools/sim/sim_traffic.h"

#include <stdbool.h>

enum sim_mode { SIM_OPEN, SIM_CLOSED, SIM_EXCHANGE };

struct sim_spec {
	struct net_config cfg;
	enum sim_pattern pattern;
	enum sim_mode mode;
	double load;	 /* open loop: fraction of the pattern's peak */
	uint32_t window; /* closed loop: messages in flight per node */
	/* exchange: number of messages of a node; 0: nodes - 1 */
	uint32_t messages;
	uint64_t bytes;
	/* routing mode, zone and injection path, as in struct net_msg */
	uint8_t routing, zone, path;
	uint8_t spread, ack; /* spread and ack, as in struct net_msg */
	/* whether to count the chunks of each channel; needs cfg.counters */
	bool channels;
	/* node and port of a link that is slow_times times slower */
	uint32_t slow_node, slow_port, slow_times;
	uint32_t fifos; /* number of injection FIFOs in use; 0: all */
	double hot_part;
	uint64_t seed;
	/* warm-up time and counting time, ps */
	uint64_t warm_ps, time_ps;
	const struct weft_fault_plan *plan; /* fault plan, or NULL */
	/* name of the fault plan for error messages */
	const char *plan_name;
	const char *label; /* label of the progress line; NULL: none */
};

/* Counters of a port during the counting time. */
struct sim_link {
	uint32_t node;
	uint32_t port;
	bool there; /* whether the link exists */
	struct net_port_count count;
	struct net_fault_port fault; /* fault counters of the whole run */
};

enum { SIM_CHANNELS = 4 };

struct sim_result {
	double peak;	   /* upper bound of the rate, bytes per us and node */
	double offered;	   /* offered load, bytes per us and node */
	double accepted;   /* delivered bytes per us and node */
	uint64_t time_ps;  /* counting time, or duration of the exchange, ps */
	uint64_t messages; /* messages that arrived while counting */
	struct sim_hist latency; /* latency from creation to arrival, ps */
	/* mean hops per delivered packet, while counting */
	double hops;
	uint64_t waiting; /* messages that have not left their sources yet */
	/*
	 * chunks, with headers, that all ports sent while counting, per channel
	 * of messages, in the order of enum net_vc
	 */
	uint64_t channel[SIM_CHANNELS];
	struct net_count count;	      /* counters of the whole run */
	struct net_fault_count fault; /* fault counters of the whole run */
	bool faults;		      /* whether a fault plan is loaded */
	uint64_t lost;		      /* messages that did not arrive */
	uint64_t cpu_ns;	      /* CPU time of the run, ns */
	uint32_t nodes, ports;
	uint32_t places; /* number of nodes and switches */
	/* places x ports entries; nodes come before switches */
	struct sim_link *link;
};

/* Returns the payload rate of a link at this message size, bytes per us. */
double sim_link_rate(const struct net_config *cfg, uint64_t bytes);

/*
 * Runs one experiment. Returns 0; -EINVAL: reported on stderr; -ENOMEM;
 * -EPROTO: an internal check of the model failed; -EDEADLK: deadlock of the
 * network. The caller closes the result in all cases.
 */
int sim_run(const struct sim_spec *spec, struct sim_result *r);
void sim_result_close(struct sim_result *r);

#endif

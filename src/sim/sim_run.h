/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Runs one experiment on the bare model: a network, a traffic pattern, and a
 * rule for when nodes send. What comes out depends on the specification alone.
 *
 *   open loop    each node sends at random times with a mean rate, whatever
 *                the network takes; what does not fit waits at the source
 *   closed loop  each node keeps so many messages under way
 *   exchange     each node sends its turn of messages once, as fast as it can;
 *                the run ends when the last has arrived
 */
#ifndef WEFT_SIM_RUN_H
#define WEFT_SIM_RUN_H

#include "prov/net/net_fault.h"
#include "src/sim/sim_hist.h"
#include "src/sim/sim_traffic.h"

#include <stdbool.h>

enum sim_mode { SIM_OPEN, SIM_CLOSED, SIM_EXCHANGE };

struct sim_spec {
	struct net_config cfg;
	enum sim_pattern pattern;
	enum sim_mode mode;
	double load;	 /* open: part of the pattern's peak */
	uint32_t window; /* closed: messages under way for each node */
	uint32_t turns;	 /* exchange: messages of a node; 0: nodes - 1 */
	uint64_t bytes;	 /* of a message */
	uint8_t way, zone, path; /* as in struct net_msg */
	uint8_t spread, ack;	 /* likewise */
	/* one link, by node and port, that takes so many times longer */
	uint32_t slow_node, slow_port, slow_times;
	uint32_t fifos; /* injection FIFOs in use; 0: all */
	double hot_part;
	uint64_t seed;
	uint64_t warm_ps, time_ps;    /* before and while counting */
	const struct weft_plan *plan; /* of faults, or NULL */
	const char *plan_name;	      /* in errors */
	const char *label;	      /* of the progress line; NULL: none */
};

/* A port's counters over the time of counting. */
struct sim_link {
	uint32_t node;
	uint32_t port;
	bool there; /* there is one */
	struct net_port_count count;
	struct net_fault_port fault; /* of the whole run */
};

struct sim_result {
	double peak;		 /* bytes per us and node, at most */
	double offered;		 /* bytes per us and node */
	double accepted;	 /* delivered */
	uint64_t time_ps;	 /* counted, or that of the exchange */
	uint64_t messages;	 /* arrived while counting */
	struct sim_hist latency; /* ps, from the call to send to arrival */
	double hops;		 /* over packets delivered, while counting */
	uint64_t waiting;	 /* messages still at their sources */
	struct net_count count;	 /* of the whole run */
	struct net_fault_count fault; /* likewise */
	bool faults;		      /* there is a plan */
	uint64_t lost;		      /* messages that did not arrive */
	uint64_t cpu_ns;	      /* processor time that it took */
	uint32_t nodes, ports;
	uint32_t places;       /* nodes, and switches after them */
	struct sim_link *link; /* places x ports */
};

/* Rate of payload of a link that carries full packets, in bytes per us. */
double sim_link_rate(const struct net_config *cfg, uint64_t bytes);

/*
 * 0; -EINVAL or -ENOMEM: said on stderr; -EPROTO: the model broke a promise;
 * -EDEADLK: the network is stuck. The result is to be closed in any case.
 */
int sim_run(const struct sim_spec *spec, struct sim_result *r);
void sim_result_close(struct sim_result *r);

#endif

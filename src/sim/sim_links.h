/* SPDX-License-Identifier: BSD-3-Clause */
/* What the counters of the ports say, by dimension and direction. */
#ifndef WEFT_SIM_LINKS_H
#define WEFT_SIM_LINKS_H

#include "src/sim/sim_run.h"

/* All ports of one name: A-, A+, B-, .. */
struct sim_class {
	char name[8];
	uint32_t links;	  /* that are there */
	double use, most; /* part of the time a link was busy: mean, highest */
	uint64_t packets, chunks; /* sent */
	uint64_t received;
	double queued;	/* packets in the receiver's buffers, mean */
	double wait_ns; /* of a packet there, by Little's law */
};

void sim_port_name(const struct net_config *cfg, unsigned port, char name[8]);
/* Fills count classes, as many as there are ports; returns it. */
unsigned sim_links_classes(const struct net_config *cfg,
			   const struct sim_result *r,
			   struct sim_class class[2 * NET_DIMS_MAX]);
/* The busiest links, busiest first; returns how many there are of count. */
unsigned sim_links_busiest(const struct sim_result *r, unsigned count,
			   const struct sim_link **link);
/* Coordinates of a node as 0,1,2,3,0. */
void sim_node_text(const struct net_config *cfg, uint32_t node, char *buf,
		   size_t len);

#endif

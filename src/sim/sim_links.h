/* SPDX-License-Identifier: BSD-3-Clause */
/* What the counters of the ports say, by class of links. */
#ifndef WEFT_SIM_LINKS_H
#define WEFT_SIM_LINKS_H

#include "prov/net/net_name.h"
#include "src/sim/sim_run.h"

/* All links of one name: A-, A+, B-, .. */
struct sim_class {
	char name[NET_CLASS_NAME];
	uint32_t links;	  /* that are there */
	uint32_t used;	  /* that sent a packet */
	double use, most; /* part of the time a link was busy: mean, highest */
	uint64_t packets, chunks; /* sent */
	uint64_t received;
	double queued;	/* packets in the receiver's buffers, mean */
	double wait_ns; /* of a packet there, by Little's law */
};

/* Fills all classes of the machine; returns how many there are. */
unsigned sim_links_classes(const struct net_config *cfg,
			   const struct sim_result *r,
			   struct sim_class class[NET_CLASSES_MAX]);
/* The busiest links, busiest first; returns how many there are of count. */
unsigned sim_links_busiest(const struct sim_result *r, unsigned count,
			   const struct sim_link **link);
/* Where a node is, as 0,1,2,3,0. */
void sim_place_text(const struct net_config *cfg, uint32_t node, char *buf,
		    size_t len);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/* Port statistics per link class, for the output code of weft-sim. */
#ifndef WEFT_SIM_LINKS_H
#define WEFT_SIM_LINKS_H

#include "prov/net/file/net_name.h"
#include "src/tools/sim/sim_run.h"

/* All links with the same class name: A-, A+, B-, ... */
struct sim_class {
	char name[NET_CLASS_NAME];
	uint32_t links; /* existing links */
	uint32_t used;	/* number of links that sent a packet */
	/* mean and highest fraction of time in which a link is busy */
	double use, most;
	uint64_t packets, chunks; /* packets and chunks sent */
	uint64_t received;
	double queued; /* mean number of packets in the receiver's buffers */
	/* mean wait of a packet at the receiver, by Little's law, ns */
	double wait_ns;
};

/* Fills all classes of the machine; returns their number. */
unsigned sim_links_classes(const struct net_config *cfg,
			   const struct sim_result *r,
			   struct sim_class class[NET_CLASSES_MAX]);
/* Finds up to `count` links, busiest first; returns their number. */
unsigned sim_links_busiest(const struct sim_result *r, unsigned count,
			   const struct sim_link **link);
/* Writes the coordinates of a node, for example 0,1,2,3,0. */
void sim_place_text(const struct net_config *cfg, uint32_t node, char *buf,
		    size_t len);

#endif

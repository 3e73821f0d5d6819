/* SPDX-License-Identifier: BSD-3-Clause */
/* A machine for an experiment: its numbers, and a network of them. */
#ifndef WEFT_REPRO_BENCH_H
#define WEFT_REPRO_BENCH_H

#include "prov/net/net.h"
#include "src/reproduce/repro.h"

struct repro_bench {
	struct net_config cfg;
	struct net *net;
	size_t bytes;
	uint32_t nodes;
};

/*
 * Opens the machine in this shape (as after the colon of --machine), with room
 * for so many packets at a time. 0 or -errno, said on stderr.
 */
int repro_bench_open(struct repro_bench *b, const struct repro *r,
		     const char *dims, uint32_t packets);
/* Only its numbers. */
int repro_bench_config(const struct repro *r, const char *dims,
		       struct net_config *cfg);
/* Runs until nothing is under way; checks the model. 0 or -errno, said. */
int repro_bench_run(struct repro_bench *b, const struct net_up *up, void *arg);
void repro_bench_close(struct repro_bench *b);

#endif

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
 * Opens the machine in the row's shape= and variant=, with room for so many
 * packets at a time. 0 or -errno, said on stderr.
 */
int repro_bench_open(struct repro_bench *b, const struct repro *r,
		     const struct repro_row *row, uint32_t packets);
/* The same of numbers that are in b->cfg already. */
int repro_bench_build(struct repro_bench *b, uint32_t packets);
/* Only its numbers; row NULL: as the file has them. */
int repro_bench_config(const struct repro *r, const struct repro_row *row,
		       struct net_config *cfg);
/* The number of a path by its name, NULL: the first. 0 or -EINVAL, said. */
int repro_bench_path(const struct repro_bench *b, const char *name,
		     uint8_t *path_p);
/* The path in= of a row, plus one; 0: it has none. 0 or -EINVAL, said. */
int repro_bench_path_in(const struct repro_bench *b,
			const struct repro_row *row, uint8_t *in_p);
/* Runs until nothing is under way; checks the model. 0 or -errno, said. */
int repro_bench_run(struct repro_bench *b, const struct net_up *up, void *arg);
void repro_bench_close(struct repro_bench *b);

#endif

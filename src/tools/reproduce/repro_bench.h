/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * An open machine for an experiment: its configuration and its network. Used by
 * all experiments. Functions that return -errno report the error on stderr.
 */
#ifndef WEFT_REPRO_BENCH_H
#define WEFT_REPRO_BENCH_H

#include "prov/net/net.h"
#include "src/tools/reproduce/repro.h"

struct repro_bench {
	struct net_config cfg;
	struct net *net;
	size_t bytes;
	uint32_t nodes;
};

/*
 * Opens the machine with the row's shape= and variant=, for at most this number
 * of packets in flight. Returns 0 or -errno.
 */
int repro_bench_open(struct repro_bench *b, const struct repro *r,
		     const struct repro_row *row, uint32_t packets);
/* Opens the network of b->cfg, which is already set. Returns 0 or -errno. */
int repro_bench_build(struct repro_bench *b, uint32_t packets);
/*
 * Loads the configuration only; row NULL: the configuration of the machine
 * file. Returns 0 or -errno.
 */
int repro_bench_config(const struct repro *r, const struct repro_row *row,
		       struct net_config *cfg);
/*
 * Finds the index of the injection path `name`; NULL: the first path. Returns 0
 * or -EINVAL.
 */
int repro_bench_path(const struct repro_bench *b, const char *name,
		     uint8_t *path_p);
/*
 * Finds the receiving path in= of the row: its index plus one; 0: the row has
 * no in=. Returns 0 or -EINVAL.
 */
int repro_bench_receive_path(const struct repro_bench *b,
			     const struct repro_row *row, uint8_t *in_p);
/* Runs until no event is left, then checks the model. Returns 0 or -errno. */
int repro_bench_run(struct repro_bench *b, const struct net_up *up, void *arg);
void repro_bench_close(struct repro_bench *b);

#endif

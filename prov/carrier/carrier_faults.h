/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A fault plan: what a raw layer does to packets, from a seed, so that every
 * run of a test meets the same misfortune.
 *
 *   "seed=7,delay=0.1,drop=0.01,dup=0.01,reorder=0.05,corrupt=0.01,raw=1,
 *    die=100"
 *
 * Probabilities are per packet; raw=1 shows the faults to the caller instead
 * of repairing them; die=N ends the endpoint without a word after N sends.
 */
#ifndef WEFT_PROV_CARRIER_FAULTS_H
#define WEFT_PROV_CARRIER_FAULTS_H

#include "src/base/rng.h"

#include <stdbool.h>

struct carrier_faults {
	struct weft_rng rng;
	double delay;
	double drop;
	double dup;
	double reorder;
	double corrupt; /* a byte is changed; sock only */
	bool raw;
	uint64_t die; /* 0: never */
	bool any;     /* some probability is not zero */
};

/* NULL or "" is no faults. -EINVAL: logged, with the word that is wrong. */
int carrier_faults_parse(struct carrier_faults *f, const char *plan);

/* Throws the dice once. */
bool carrier_faults_hit(struct carrier_faults *f, double probability);

#endif

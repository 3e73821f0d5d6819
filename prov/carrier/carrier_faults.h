/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The faults of a fault plan (src/job/fault_plan.h) that a raw layer injects,
 * drawn from its seed, so that every run of a test has the same faults:
 *
 *   seed=7; loss=0.01; duplicate=0.01; reorder=0.05; corrupt=0.01;
 *   delay=0.1 by 2 ms; partition 10.0.0.1|10.0.0.2 at 1 s for 3 s
 *
 * Probabilities are per packet or datagram, times count from the opening of the
 * endpoint, and * in a partition matches all hosts. For tests: raw passes the
 * faults to the caller instead of repairing them, die=N stops the endpoint
 * after N sends without closing it.
 */
#ifndef WEFT_PROV_CARRIER_FAULTS_H
#define WEFT_PROV_CARRIER_FAULTS_H

#include "src/job/fault_plan.h"
#include "src/base/rng.h"

#include <netinet/in.h>
#include <stdbool.h>

struct carrier_faults {
	struct weft_fault_plan plan;
	struct weft_rng rng;
	bool any; /* other faults than raw and die */
	bool raw;
	uint64_t die; /* 0: never */
};

/*
 * NULL or "": no faults. can: the kinds that the carrier supports, as bits 1 <<
 * kind; every carrier supports raw and die. -EINVAL: logged, with the wrong
 * word.
 */
int carrier_faults_open(struct carrier_faults *f, const char *text,
			uint32_t can);
void carrier_faults_close(struct carrier_faults *f);

/* Draws for every fault of that kind that is active at age_ns. */
bool carrier_faults_draw(struct carrier_faults *f,
			 enum weft_fault_plan_kind kind, uint64_t age_ns);
/* Draws for WEFT_FAULT_DELAY: returns the delay in ns, 0: none. */
uint64_t carrier_faults_delay(struct carrier_faults *f, uint64_t age_ns);
/* Does a partition separate the two hosts? */
bool carrier_faults_partitioned(const struct carrier_faults *f,
				struct in_addr a, struct in_addr b,
				uint64_t age_ns);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The faults of a fault plan (src/job/fault_plan.h) that a carrier injects
 * below its retransmission. The plan's seed makes them deterministic:
 *
 *   seed=7; loss=0.01; duplicate=0.01; reorder=0.05; corrupt=0.01;
 *   delay=0.1 by 2 ms; partition 10.0.0.1|10.0.0.2 at 1 s for 3 s; cut=100000
 *
 * Probabilities are per packet or datagram, times are measured from the opening
 * of the endpoint, and * in a partition matches all hosts. With cut=N every
 * stream (prov/carrier/stream) breaks after N bytes. For tests: `raw`
 * passes the faults to the caller instead of repairing them, die=N stops the
 * endpoint after N sends without closing it.
 */
#ifndef WEFT_PROV_CARRIER_FAULTS_H
#define WEFT_PROV_CARRIER_FAULTS_H

#include "prov/wire/wire_name.h"
#include "src/job/fault_plan.h"
#include "src/base/rng.h"

#include <stdbool.h>

struct carrier_faults {
	struct weft_fault_plan plan;
	struct weft_rng rng;
	bool any; /* the plan contains faults that affect datagrams */
	bool raw;
	uint64_t cut; /* bytes before a stream breaks; 0: never */
	uint64_t die; /* sends before the endpoint stops; 0: never */
};

/*
 * Parses a fault plan; a plan that is NULL or "" has no faults. can: the kinds
 * that the carrier supports, as bits 1 << kind; every carrier supports `raw`
 * and `die`. Returns -EINVAL and logs the invalid word if the plan is invalid.
 */
int carrier_faults_open(struct carrier_faults *f, const char *text,
			uint32_t can);
void carrier_faults_close(struct carrier_faults *f);

/*
 * Draws random numbers, and returns whether a fault of that kind occurs at
 * age_ns.
 */
bool carrier_faults_draw(struct carrier_faults *f,
			 enum weft_fault_plan_kind kind, uint64_t age_ns);
/* Returns the delay of the next packet in ns, drawn at random; 0: none. */
uint64_t carrier_faults_delay(struct carrier_faults *f, uint64_t age_ns);
/* Returns whether a partition separates the two hosts at age_ns. */
bool carrier_faults_partitioned(const struct carrier_faults *f,
				const union weft_name *a,
				const union weft_name *b, uint64_t age_ns);

#endif

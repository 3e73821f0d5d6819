/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * For tests: a seeded program of operations that every member of a group runs,
 * and what each of them must give.
 */
#ifndef WEFT_NIC_CU_FLIGHT_H
#define WEFT_NIC_CU_FLIGHT_H

#include "prov/nic/cu/cu.h"
#include "src/base/rng.h"

#define MAX_MEMBERS 40
#define MAX_ELEMS   700 /* of a contribution or a result */

extern const struct weft_cu_geo geo;

struct job {
	void *area[MAX_MEMBERS];
	int n;
	int rounds;
	uint64_t seed;
	bool processes;
	bool crowd;
	bool flat;
	uint8_t form;
	bool lazy; /* rows are found one by one, and not at once */
	weft_au32 *opened;
};

struct member {
	struct job *job;
	int me;
	int wrong;
	bool asked[MAX_MEMBERS]; /* for the row of each */
};

/* One operation in flight with its buffers. */
struct flight {
	struct weft_cu_call call;
	int64_t in[MAX_ELEMS], out[MAX_ELEMS];
	bool done;
};

/* Operation round of the program, as member me calls it. */
void flight_set(const struct job *j, struct flight *f, int me, int round);
/* 0: it gave what it must. */
int flight_check(const struct job *j, struct flight *f, int me, int round);

#endif

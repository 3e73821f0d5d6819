/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * For tests: a seeded program of operations that every member of a group
 * executes, and the expected result of each.
 */
#ifndef WEFT_CUNIT_FIXTURE_H
#define WEFT_CUNIT_FIXTURE_H

#include "prov/group/cunit/cunit.h"
#include "src/base/rng.h"

#define MAX_MEMBERS 40
#define MAX_ELEMS   700 /* elements of a contribution or a result */

extern const struct weft_cunit_geo geo;

struct job {
	void *area[MAX_MEMBERS];
	int n;
	int rounds;
	uint64_t seed;
	bool processes;
	bool oversubscribed;
	bool flat;
	uint8_t form;
	bool lazy; /* reach() returns -EAGAIN at the first call */
	weft_au32 *opened;
};

struct member {
	struct job *job;
	int me;
	int wrong;
	bool reach_called[MAX_MEMBERS]; /* reach() was called for this member */
};

/* One operation in flight with its buffers. */
struct flight {
	struct weft_coll_call call;
	int64_t in[MAX_ELEMS], out[MAX_ELEMS];
	bool done;
};

/* Sets up operation `round` of the program for member me. */
void flight_set(const struct job *j, struct flight *f, int me, int round);
/* Returns 0 if the result is right. */
int flight_check(const struct job *j, struct flight *f, int me, int round);

#endif

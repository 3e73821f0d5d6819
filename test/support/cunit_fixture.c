/* SPDX-License-Identifier: BSD-3-Clause */
/* For tests: a seeded program of operations, executed and checked. */
#include "test/support/cunit_fixture.h"

#include "src/base/attr.h"

#include <string.h>

const struct weft_cunit_geo geo = { .routes = 2,
				    .inputs = 8,
				    .packet_bytes = 48 + 7 * 64,
				    .board = MAX_MEMBERS };

static void flight_done(struct weft_coll_call *call)
{
	weft_container_of(call, struct flight, call)->done = true;
}

static int64_t value(int member, int round, size_t i)
{
	return (int64_t)(member * 1000 + round * 7 + (int)i % 13);
}

/* Return the number of elements of an input and of an output; n: members. */
static size_t elems_in(const struct weft_coll_call *c, int n)
{
	bool blocks = c->kind == WEFT_COLL_REDUCE_SCATTER ||
		      c->kind == WEFT_COLL_SCATTER ||
		      c->kind == WEFT_COLL_ALLTOALL;

	return blocks ? c->count * (size_t)n : c->count;
}

static size_t elems_out(const struct weft_coll_call *c, int n)
{
	bool blocks = c->kind == WEFT_COLL_GATHER ||
		      c->kind == WEFT_COLL_ALLGATHER ||
		      c->kind == WEFT_COLL_ALLTOALL;

	return blocks ? c->count * (size_t)n : c->count;
}

/* Returns the expected element i of member me's result in this round. */
static int64_t expected(const struct job *j, const struct weft_coll_call *c,
			int me, int round, size_t i)
{
	int64_t acc;

	if (c->kind == WEFT_COLL_BCAST)
		return value(c->root, round, i);
	if (c->kind == WEFT_COLL_SCATTER)
		return value(c->root, round, (size_t)me * c->count + i);
	if (c->kind == WEFT_COLL_GATHER || c->kind == WEFT_COLL_ALLGATHER)
		return value((int)(i / c->count), round, i % c->count);
	if (c->kind == WEFT_COLL_ALLTOALL)
		return value((int)(i / c->count), round,
			     (size_t)me * c->count + i % c->count);
	if (c->kind == WEFT_COLL_REDUCE_SCATTER)
		i += (size_t)me * c->count;
	acc = value(0, round, i);
	for (int m = 1; m < j->n; m++) {
		int64_t v = value(m, round, i);

		if (c->op == WEFT_NUM_SUM)
			acc += v;
		else if (c->op == WEFT_NUM_MIN)
			acc = v < acc ? v : acc;
		else if (c->op == WEFT_NUM_MAX)
			acc = v > acc ? v : acc;
		else
			acc ^= v;
	}
	return acc;
}

void flight_set(const struct job *j, struct flight *f, int me, int round)
{
	static const uint8_t ops[] = { WEFT_NUM_SUM, WEFT_NUM_MIN, WEFT_NUM_MAX,
				       WEFT_NUM_BXOR };
	struct weft_rng r;

	weft_rng_init(&r, j->seed, (uint64_t)round);
	memset(&f->call, 0, sizeof(f->call));
	f->done = false;
	f->call.kind = (uint8_t)weft_rng_below(&r, WEFT_COLL_GROUP_KINDS);
	f->call.op = ops[weft_rng_below(&r, 4)];
	f->call.type = WEFT_NUM_I64;
	f->call.root = (int)weft_rng_below(&r, (uint64_t)j->n);
	f->call.count = weft_rng_below(&r, 8) ? weft_rng_below(&r, 20)
					      : weft_rng_below(&r, MAX_ELEMS);
	if (f->call.kind == WEFT_COLL_BARRIER)
		f->call.count = 0;
	if (f->call.count * (size_t)j->n > MAX_ELEMS &&
	    elems_in(&f->call, 2) + elems_out(&f->call, 2) > 2 * f->call.count)
		f->call.count = MAX_ELEMS / (size_t)j->n;
	for (size_t i = 0; i < MAX_ELEMS; i++) {
		f->in[i] = value(me, round, i);
		f->out[i] = f->call.kind == WEFT_COLL_BCAST ? f->in[i] : -1;
	}
	f->call.in = f->in;
	f->call.out = f->out;
	f->call.done = flight_done;
}

int flight_check(const struct job *j, struct flight *f, int me, int round)
{
	if (f->call.err)
		return 1;
	if (f->call.root != me && (f->call.kind == WEFT_COLL_REDUCE ||
				   f->call.kind == WEFT_COLL_GATHER))
		return f->out[0] != -1;
	for (size_t i = 0; i < elems_out(&f->call, j->n); i++) {
		if (f->out[i] != expected(j, &f->call, me, round, i))
			return 1;
	}
	return 0;
}

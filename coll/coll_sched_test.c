/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Tests of schedules: many in flight on one communicator, and their reference
 * counts.
 */
#include "test/t.h"

#include "test/support/coll_mock.h"
#include "coll/coll_sched.h"

enum { RANKS = 7, FLIGHT = 40 };

struct slot {
	int in[RANKS];
	int out[RANKS];
	struct weft_req *req[RANKS];
};

static struct weft_coll_args allreduce(struct mock *m, int i, int *in, int *out)
{
	return (struct weft_coll_args){
		.kind = WEFT_COLL_ALLREDUCE,
		.comm = m->comm[i],
		.op = weft_op_of(MPI_SUM),
		.s = { .buf = in },
		.r = { .buf = out, .count = 1, .dt = weft_dt_of(MPI_INT) },
	};
}

static void concurrent_operations_do_not_interfere(void **state)
{
	static struct slot s[FLIGHT];
	struct weft_coll_args a;
	struct mock *m = mock_open(RANKS, 0, 77);
	int f, i;

	/* every rank starts all of its operations before the next rank does */
	for (i = 0; i < RANKS; i++)
		for (f = 0; f < FLIGHT; f++) {
			s[f].in[i] = 1000 * f + i;
			a = allreduce(m, i, &s[f].in[i], &s[f].out[i]);
			T_OK(weft_coll_start(&a, &s[f].req[i]));
		}
	mock_settle(m);
	for (i = 0; i < RANKS; i++)
		for (f = 0; f < FLIGHT; f++) {
			T_OK(weft_req_collect(&s[f].req[i], MPI_STATUS_IGNORE));
			T_IS(s[f].out[i],
			     1000 * f * RANKS + RANKS * (RANKS - 1) / 2);
		}
	mock_close(m);
}

static void persistent_requests_start_in_any_order(void **state)
{
	static struct slot s[4];
	struct weft_coll_args a;
	struct mock *m = mock_open(RANKS, 0, 78);
	int f, i, k, round;

	for (i = 0; i < RANKS; i++)
		for (f = 0; f < 4; f++) {
			a = allreduce(m, i, &s[f].in[i], &s[f].out[i]);
			T_OK(weft_coll_init(&a, &s[f].req[i]));
		}
	for (round = 0; round < 10; round++) {
		for (i = 0; i < RANKS; i++)
			for (k = 0; k < 4; k++) {
				f = (k + i + round) % 4;
				s[f].in[i] = f * 10 + round;
				s[f].req[i]->ops->start(s[f].req[i]);
			}
		mock_settle(m);
		for (i = 0; i < RANKS; i++)
			for (f = 0; f < 4; f++) {
				T_OK(weft_req_collect(&s[f].req[i],
						      MPI_STATUS_IGNORE));
				T_IS(s[f].out[i], RANKS * (f * 10 + round));
			}
	}
	for (i = 0; i < RANKS; i++)
		for (f = 0; f < 4; f++)
			s[f].req[i]->ops->free(s[f].req[i]);
	mock_close(m);
}

/* A failed request may be started again and succeeds. */
static void restart_clears_the_last_error(void **state)
{
	static struct slot s;
	struct weft_coll_args a;
	struct mock *m = mock_open(RANKS, 0, 80);
	int i, round;

	for (i = 0; i < RANKS; i++) {
		a = allreduce(m, i, &s.in[i], &s.out[i]);
		T_OK(weft_coll_init(&a, &s.req[i]));
	}
	for (round = 0; round < 3; round++) {
		for (i = 0; i < RANKS; i++) {
			s.in[i] = round;
			s.req[i]->ops->start(s.req[i]);
		}
		mock_settle(m);
		for (i = 0; i < RANKS; i++) {
			T_OK(weft_req_collect(&s.req[i], MPI_STATUS_IGNORE));
			T_IS(s.out[i], RANKS * round);
			weft_container_of(s.req[i], struct coll_sched, req)
				->prog.err = MPI_ERR_OTHER;
		}
	}
	for (i = 0; i < RANKS; i++)
		s.req[i]->ops->free(s.req[i]);
	mock_close(m);
}

static void schedule_holds_a_type_reference(void **state)
{
	struct mock *m = mock_open(2, 0, 79);
	struct weft_dt *old = weft_dt_of(MPI_INT), *dt;
	struct weft_req *req[2];
	struct weft_coll_args a;
	int v[2][8], i, k;

	T_OK(weft_dt_vector(2, 1, 8, old, &dt));
	weft_dt_commit(dt);
	for (i = 0; i < 2; i++)
		for (k = 0; k < 8; k++)
			v[i][k] = i ? -1 : k;
	for (i = 0; i < 2; i++) {
		a = (struct weft_coll_args){
			.kind = WEFT_COLL_BCAST,
			.comm = m->comm[i],
			.r = { .buf = v[i], .count = 1, .dt = dt },
		};
		T_OK(weft_coll_start(&a, &req[i]));
	}
	weft_dt_put(dt);
	mock_settle(m);
	for (i = 0; i < 2; i++)
		T_OK(weft_req_collect(&req[i], MPI_STATUS_IGNORE));
	T_IS(v[1][0], 0);
	T_IS(v[1][1], -1);
	T_IS(v[1][2], 2);
	mock_close(m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		T_CASE(concurrent_operations_do_not_interfere),
		T_CASE(persistent_requests_start_in_any_order),
		T_CASE(restart_clears_the_last_error),
		T_CASE(schedule_holds_a_type_reference),
	};

	return T_RUN(tests);
}

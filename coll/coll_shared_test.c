/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Collectives through memory that all ranks share (coll_shared.h), with one
 * thread per rank: results, many rounds in small slots, and round numbers that
 * wrap.
 */
#include "test/t.h"

#include "coll/coll_select.h"
#include "coll/coll_shared.h"
#include "src/core/core_state.h"
#include "test/support/coll_case.h"

#include <stdlib.h>

#define SLOT 512 /* bytes of a slot */

static struct weft_rng rng;
static struct case_elem plain, gappy;
static struct fi_domain_attr domain = { .name = "native" };
static struct fi_info info = { .domain_attr = &domain };

static void fold_add(const int *l, int *r)
{
	r[0] += l[0];
}

static void set_up(void)
{
	weft_core.info = &info;
	if (plain.dt)
		return;
	case_elems(&plain, &gappy);
	weft_rng_init(&rng, 4711, 0);
}

/* Allocates memory and gives it to all communicators of the job. */
static void *memory_open(struct mock *m, uint32_t round)
{
	size_t bytes = coll_shared_bytes(m->p, SLOT);
	void *memory = aligned_alloc(4096, (bytes + 4095) / 4096 * 4096);

	memset(memory, 0, bytes);
	for (int i = 0; i < m->p; i++) {
		struct coll_shared *s = calloc(1, sizeof(*s));

		coll_shared_init(s, m->comm[i], memory, SLOT, round);
		m->comm[i]->shared = s;
	}
	return memory;
}

static void memory_close(struct mock *m, void *memory)
{
	for (int i = 0; i < m->p; i++) {
		T_OK(m->comm[i]->shared->err);
		free(m->comm[i]->shared);
		m->comm[i]->shared = NULL;
	}
	free(memory);
}

static struct case_what draw_case(const struct coll_algo *row,
				  const struct mock *m)
{
	static const int counts[] = { 0, 1, 2, 3, 17, 65, 128, 129, 300, 901 };
	bool adds = row->need & COLL_COMMUTE;
	struct case_what w = { .kind = row->kind };

	w.el = adds || weft_rng_below(&rng, 2) ? &plain : &gappy;
	if (adds) {
		w.op = weft_op_of(MPI_SUM);
		w.fold = fold_add;
	}
	w.count = counts[weft_rng_below(&rng, WEFT_COUNT_OF(counts))];
	w.root = (int)weft_rng_below(&rng, (uint64_t)m->p);
	w.in_place = !(row->need & COLL_OUT) && row->kind != WEFT_COLL_BCAST &&
		     weft_rng_below(&rng, 2);
	return w;
}

static void run_one(int i, void *arg)
{
	struct case_job *j = arg;

	T_OK(weft_coll_run(&j->proc[i].a));
}

static void try_row(const struct coll_algo *row, struct mock *m)
{
	static struct case_job job;
	struct case_what w = draw_case(row, m);
	uint32_t before = m->comm[0]->shared->round;

	case_open(&job, m, &w, &rng);
	coll_select_force(row->kind, row);
	mock_each(m, run_one, &job);
	case_check(&job);
	coll_select_force(row->kind, NULL);
	case_close(&job);
	T_TRUE(!w.count || m->comm[0]->shared->round != before);
}

static int try_rows(int p, uint32_t round, int draws)
{
	struct mock *m = mock_open(p, 0, (uint64_t)p);
	void *memory = memory_open(m, round);
	const struct coll_algo *row;
	int rows = 0;

	for (int k = 0; k < WEFT_COLL_NEIGHBOR_ALLGATHER; k++) {
		row = coll_algo_named((enum weft_coll_kind)k, "shared");
		for (int d = 0; row && d < draws; d++)
			try_row(row, m);
		rows += row != NULL;
	}
	memory_close(m, memory);
	mock_close(m);
	return rows;
}

static void results_match_the_naive_ones(void **state)
{
	set_up();
	for (int p = 2; p <= 9; p++)
		T_IS(try_rows(p, 0, t_scale(12)), 5);
	try_rows(16, 0, 2);
}

static void round_numbers_wrap(void **state)
{
	set_up();
	try_rows(4, UINT32_MAX - 5, t_scale(8));
	try_rows(3, (UINT32_MAX >> 1) - 5, t_scale(8));
}

/*
 * If a slot were overwritten too early, a slow reader would find the data of a
 * later round.
 */
static void slots_are_not_overwritten_early(void **state)
{
	struct mock *m = mock_open(3, 0, 1);
	void *memory = memory_open(m, 7);
	struct coll_shared *a = m->comm[0]->shared, *b = m->comm[1]->shared;
	struct coll_shared *c = m->comm[2]->shared;

	for (int i = 0; i < 2; i++) {
		/* does not wait: no earlier round used this slot */
		coll_shared_begin(a);
		coll_shared_reach(a, COLL_SHARED_LEFT);
	}
	coll_shared_begin_reader(b);
	coll_shared_begin_reader(c);
	T_TRUE(coll_shared_slot(a, 0) != coll_shared_slot(b, 0));
	coll_shared_reach(b, COLL_SHARED_LEFT);
	mock_pause_result = -ECONNRESET; /* ends the wait for the third rank */
	coll_shared_begin(a);
	mock_pause_result = 0;
	T_IS(a->err, -ECONNRESET);
	a->err = 0;
	coll_shared_reach(c, COLL_SHARED_LEFT);
	a->round--;
	/* does not wait: both other ranks have left this slot */
	coll_shared_begin(a);
	T_TRUE(coll_shared_slot(a, 0) == coll_shared_slot(b, 0));
	coll_shared_wait(b, 2, COLL_SHARED_LEFT);
	memory_close(m, memory);
	mock_close(m);
}

static void all_slots_are_bounded(void **state)
{
	for (int p = 2; p <= COLL_SHARED_RANKS; p++) {
		size_t slot = coll_shared_slot_bytes(p);

		T_TRUE(slot >= 64 << 10 && slot <= 256 << 10);
		T_TRUE(coll_shared_bytes(p, slot) <= (17 << 20));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		T_CASE(results_match_the_naive_ones),
		T_CASE(round_numbers_wrap),
		T_CASE(slots_are_not_overwritten_early),
		T_CASE(all_slots_are_bounded),
	};

	return T_RUN(tests);
}

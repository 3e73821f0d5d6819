/* SPDX-License-Identifier: BSD-3-Clause */
/* Tests of the table: names, options, and a row for every possible call. */
#include "test/t.h"

#include "test/support/coll_mock.h"
#include "coll/coll_choice.h"
#include "src/core/core_state.h"
#include "src/base/attr.h"

#include <errno.h>
#include <rdma/fi_ext_weft.h>
#include <stdio.h>
#include <string.h>

static bool named_in(const char *choices, const char *name)
{
	size_t len = strlen(name);
	const char *at = choices;

	while ((at = strstr(at, name))) {
		if ((at == choices || at[-1] == '|') &&
		    (at[len] == '|' || !at[len]))
			return true;
		at += len;
	}
	return false;
}

static void options_list_every_algorithm(void **state)
{
	const struct coll_algo *row;
	const char *choices;
	unsigned i;
	int k;

	for (k = 0; k < WEFT_COLL_KINDS; k++) {
		choices = weft_coll_options[k].choices;
		for (i = 0; (row = coll_algo_at((enum weft_coll_kind)k, i));
		     i++)
			T_TRUE(named_in(choices, row->name));
		T_TRUE(i > 0);
	}
}

static void help_lists_every_row(void **state)
{
	struct weft_coll_help h;
	size_t i;

	for (i = 0; weft_coll_help(i, &h); i++) {
		T_TRUE(!strncmp(h.option, "WEFT_COLL_", 10));
		T_TRUE(*h.name && *h.text);
	}
	T_TRUE(i > 50);
}

/* The selected row fits the call, for all properties and sizes of calls. */
static void every_call_has_a_row(void **state)
{
	static const MPI_Count counts[] = { 0, 1, 100, 5000, 100000, 10000000 };
	struct weft_op *ordered;
	struct weft_coll_args a;
	struct mock *m;
	int k, t, p;
	size_t c;

	T_OK(weft_op_open((MPI_User_function *)1, NULL, false, &ordered));
	for (p = 1; p <= 40; p++)
		for (t = 0; t < 16; t++) {
			m = mock_open(p, t & 1 ? 3 : 0, 1);
			for (k = 0; k < WEFT_COLL_KINDS; k++)
				for (c = 0; c < WEFT_COUNT_OF(counts); c++) {
					memset(&a, 0, sizeof(a));
					a.kind = (enum weft_coll_kind)k;
					a.comm = m->comm[0];
					a.op = t & 2 ? ordered : NULL;
					a.s.dt = a.r.dt = weft_dt_of(MPI_INT);
					a.s.count = a.r.count = counts[c];
					if (t & 4 && !m->q)
						a.s.buf = MPI_IN_PLACE;
					if (m->q && k >= WEFT_COLL_SCAN)
						continue;
					T_TRUE(coll_algo_supports(
						coll_select(&a), &a));
				}
			mock_close(m);
		}
	weft_op_put(ordered);
}

static void forced_row_is_used_if_it_fits(void **state)
{
	struct mock *m = mock_open(6, 0, 1);
	struct weft_coll_args a = {
		.kind = WEFT_COLL_ALLGATHER,
		.comm = m->comm[0],
		.s = { .dt = weft_dt_of(MPI_INT), .count = 1 },
		.r = { .dt = weft_dt_of(MPI_INT), .count = 1 },
	};
	const struct coll_algo *row;
	unsigned i;

	for (i = 0; (row = coll_algo_at(a.kind, i)); i++) {
		coll_select_force(a.kind, row);
		T_IS(coll_select(&a) == row, coll_algo_supports(row, &a));
	}
	coll_select_force(a.kind, NULL);
	mock_close(m);
}

/* Linear algorithms are not selected for 200 ranks. */
static void large_worlds_use_logarithmic_algorithms(void **state)
{
	static const enum weft_coll_kind kinds[] = { WEFT_COLL_ALLGATHER,
						     WEFT_COLL_ALLTOALL,
						     WEFT_COLL_REDUCE_SCATTER };
	struct mock *m = mock_open(200, 0, 1);
	struct weft_coll_args a = {
		.comm = m->comm[0],
		.op = weft_op_of(MPI_SUM),
		.s = { .dt = weft_dt_of(MPI_INT), .count = 256 },
		.r = { .dt = weft_dt_of(MPI_INT), .count = 256 },
	};

	for (size_t i = 0; i < WEFT_COUNT_OF(kinds); i++) {
		a.kind = kinds[i];
		T_STR(coll_select(&a)->name,
		      a.kind == WEFT_COLL_REDUCE_SCATTER ? "halving" : "bruck");
	}
	mock_close(m);
}

/* ---- choices of a machine file ------------------------------------------- */

static const struct fi_weft_choice chosen[] = {
	{ "bcast", "chain", 4, 7, 1024, 2047 },
	{ "bcast", "no_such_algorithm", 4, 7, 0, 0 },
	{ "reduce_scatter", "pairwise", 8, 0, 64, 0 },
	{ "allgather", "linear", 4, 0, 0, 0 },
};

static int test_choice(unsigned i, struct fi_weft_choice *c)
{
	if (i >= WEFT_COUNT_OF(chosen))
		return -ENOENT;
	*c = chosen[i];
	return 0;
}

/* remote: ranks of the other group of an intercommunicator, or 0 */
static const char *selected_between(enum weft_coll_kind kind, int ranks,
				    int remote, MPI_Count n)
{
	struct weft_coll_args a = { .kind = kind };
	struct mock *m = mock_open(ranks, remote, 1);
	const char *name;

	a.comm = m->comm[0];
	a.s.dt = a.r.dt = weft_dt_of(MPI_INT8_T);
	a.s.count = a.r.count = n;
	name = coll_select(&a)->name;
	mock_close(m);
	return name;
}

static const char *selected(enum weft_coll_kind kind, int ranks, MPI_Count n)
{
	return selected_between(kind, ranks, 0, n);
}

static void the_machine_file_chooses_algorithms(void **state)
{
	static const struct weft_core_backend machine = { .choice =
								  test_choice };
	const struct weft_core_backend *before = weft_core.backend;

	weft_core.backend = &machine;
	coll_choices_load(coll_algo_named);
	T_TRUE(coll_has_choices(WEFT_COLL_BCAST));
	T_FALSE(coll_not_forced(WEFT_COLL_BCAST));
	T_TRUE(coll_not_forced(WEFT_COLL_REDUCE));
	T_STR(selected(WEFT_COLL_BCAST, 4, 1024), "chain");
	T_STR(selected(WEFT_COLL_BCAST, 7, 2047), "chain");
	T_STR(selected(WEFT_COLL_BCAST, 7, 2048), "binomial");
	T_STR(selected(WEFT_COLL_BCAST, 7, 1023), "binomial");
	T_STR(selected(WEFT_COLL_BCAST, 8, 1024), "binomial");
	T_STR(selected(WEFT_COLL_BCAST, 3, 1024), "binomial");
	/* 8 blocks of 8 bytes, one per rank, are 64 bytes */
	T_STR(selected(WEFT_COLL_REDUCE_SCATTER, 8, 8), "pairwise");
	T_STR(selected(WEFT_COLL_REDUCE_SCATTER, 8, 7), "recdbl");
	/* groups of different sizes must select the same algorithm */
	T_STR(selected_between(WEFT_COLL_ALLGATHER, 4, 0, 8), "linear");
	T_STR(selected_between(WEFT_COLL_ALLGATHER, 4, 3, 8), "inter");
	/* a row that the user forces has precedence */
	coll_select_force(WEFT_COLL_BCAST,
			  coll_algo_named(WEFT_COLL_BCAST, "linear"));
	T_STR(selected(WEFT_COLL_BCAST, 4, 1024), "linear");
	coll_select_force(WEFT_COLL_BCAST, NULL);
	weft_core.backend = before;
	coll_choices_load(coll_algo_named);
	T_STR(selected(WEFT_COLL_BCAST, 4, 1024), "binomial");
}

/* Choice i is for i + 1 ranks. */
static int many_choices(unsigned i, struct fi_weft_choice *c)
{
	*c = (struct fi_weft_choice){ .operation = "bcast",
				      .algorithm = "chain",
				      .ranks_min = i + 1,
				      .ranks_max = i + 1 };
	return i < 80 ? 0 : -ENOENT;
}

/* A machine may have up to 64 choices; further ones are ignored. */
static void a_machine_has_64_choices(void **state)
{
	static const struct weft_core_backend machine = {
		.choice = many_choices
	};
	const struct weft_core_backend *before = weft_core.backend;

	weft_core.backend = &machine;
	coll_choices_load(coll_algo_named);
	for (int ranks = 1; ranks <= 64; ranks++)
		T_PTR(coll_choice(WEFT_COLL_BCAST, 100, ranks),
		      coll_algo_named(WEFT_COLL_BCAST, "chain"));
	for (int ranks = 65; ranks <= 80; ranks++)
		T_NULL(coll_choice(WEFT_COLL_BCAST, 100, ranks));
	weft_core.backend = before;
	coll_choices_load(coll_algo_named);
	T_NULL(coll_choice(WEFT_COLL_BCAST, 100, 1));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		T_CASE(options_list_every_algorithm),
		T_CASE(help_lists_every_row),
		T_CASE(every_call_has_a_row),
		T_CASE(forced_row_is_used_if_it_fits),
		T_CASE(large_worlds_use_logarithmic_algorithms),
		T_CASE(the_machine_file_chooses_algorithms),
		T_CASE(a_machine_has_64_choices),
	};

	return T_RUN(tests);
}

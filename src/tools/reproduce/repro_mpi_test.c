/* SPDX-License-Identifier: BSD-3-Clause */
/* Tests of the jobs that measure table rows by running MPI programs. */
#include "src/tools/reproduce/repro_mpi.h"
#include "test/t.h"

#include <errno.h>

static struct repro r = { .system = "qsnet2", .machine = "qsnet2" };

static void collectives_name_their_algorithm(void **state)
{
	struct repro_row hard = { .exp = "gather kind=bcast members=256 per=2 "
					 "bytes=128" };
	struct repro_row soft = { .exp = "software kind=barrier members=8" };
	struct repro_mpi_job j;

	T_OK(repro_mpi_job(&r, &hard, &j));
	T_STR(j.machine, "qsnet2");
	T_STR(j.word, "bcast:128:auto");
	T_IS(j.ranks, 256);
	T_IS(j.per, 2);
	T_OK(repro_mpi_job(&r, &soft, &j));
	T_STR(j.word, "barrier:0:tree");
	T_IS(j.per, 1);
}

static void a_pingpong_uses_rank_and_variant(void **state)
{
	struct repro_row row = { .exp = "pingpong shape=4 to=3 bytes=0 "
					"variant=em64t" };
	struct repro_mpi_job j;

	T_OK(repro_mpi_job(&r, &row, &j));
	T_STR(j.machine, "qsnet2@em64t:4");
	T_STR(j.word, "pingpong:0:3");
	T_IS(j.ranks, 4);
}

static void puts_use_the_ranks_of_two_nodes(void **state)
{
	struct repro_row row = { .exp = "puts shape=4 to=2 procs=3 bytes=64" };
	struct repro_mpi_job j;

	T_OK(repro_mpi_job(&r, &row, &j));
	T_STR(j.word, "puts:64:3");
	T_IS(j.ranks, 9);
	T_IS(j.per, 3);
}

static void atomics_use_the_words_of_the_row(void **state)
{
	struct repro_row row = { .exp = "words members=32 variables=96" };
	struct repro_row alone = { .exp = "words variables=96" };
	struct repro_mpi_job j;

	T_OK(repro_mpi_job(&r, &row, &j));
	T_STR(j.word, "atomics:8:96");
	T_IS(j.ranks, 32);
	T_IS(repro_mpi_job(&r, &alone, &j), -EINVAL);
}

static void a_barrier_has_a_rank_on_each_node(void **state)
{
	struct repro_row row = { .exp = "conditional nodes=64 shape=4x4x4" };
	struct repro_mpi_job j;

	T_OK(repro_mpi_job(&r, &row, &j));
	T_STR(j.word, "barrier:0:auto");
	T_IS(j.ranks, 64);
	T_IS(j.per, 1);
}

static void other_experiments_have_no_job(void **state)
{
	struct repro_row zones = { .exp = "zones zone=1" };
	struct repro_row stream = { .exp = "stream to=575" };
	struct repro_mpi_job j;

	T_IS(repro_mpi_job(&r, &zones, &j), -EINVAL);
	T_IS(repro_mpi_job(&r, &stream, &j), -EINVAL);
}

static void the_option_overrides_the_row(void **state)
{
	struct repro_row row = { .exp = "pingpong by=mpi" };
	struct repro_row model = { .exp = "pingpong" };
	struct repro one = r;

	T_TRUE(repro_by_mpi(&one, &row));
	T_FALSE(repro_by_mpi(&one, &model));
	one.by = REPRO_BY_MPI;
	T_TRUE(repro_by_mpi(&one, &model));
	one.by = REPRO_BY_MODEL;
	T_FALSE(repro_by_mpi(&one, &row));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		T_CASE(collectives_name_their_algorithm),
		T_CASE(a_pingpong_uses_rank_and_variant),
		T_CASE(puts_use_the_ranks_of_two_nodes),
		T_CASE(atomics_use_the_words_of_the_row),
		T_CASE(a_barrier_has_a_rank_on_each_node),
		T_CASE(other_experiments_have_no_job),
		T_CASE(the_option_overrides_the_row),
	};

	return T_RUN(tests);
}

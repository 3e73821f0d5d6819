/* SPDX-License-Identifier: BSD-3-Clause */
/* Tests of the choose_ lines that weft-tune prints. */
#include "src/tools/tune/tune.h"
#include "test/t.h"

#include <stdlib.h>
#include <string.h>

static struct tune_grid grid;

/* Returns a grid of 2, 8 and 16 ranks, and 8, 1024 and 65536 bytes. */
static struct tune_grid *new_grid(void)
{
	static const struct tune_grid empty = {
		.rank_count = 3,
		.size_count = 3,
		.ranks = { 2, 8, 16 },
		.sizes = { 8, 1024, 65536 },
	};

	grid = empty;
	return &grid;
}

static void set(unsigned r, unsigned s, const char *name)
{
	snprintf(grid.best[r][s], TUNE_NAME, "%s", name);
}

static void expect(enum tune_op op, const char *line)
{
	char *text = NULL;
	size_t len;
	FILE *f = open_memstream(&text, &len);

	T_NOT_NULL(f);
	tune_print_choices(f, op, &grid);
	T_OK(fclose(f));
	T_STR(text, line);
	free(text);
}

static void no_choices_no_line(void **state)
{
	new_grid();
	expect(TUNE_BCAST, "");
}

static void ranges_end_before_the_next_size_and_ranks(void **state)
{
	new_grid();
	set(1, 1, "binomial");
	expect(TUNE_BCAST, "choose_bcast = 8-15 1K-65535 binomial"
			   "  # assumed: weft-tune\n");
}

static void the_first_size_begins_at_0_and_the_last_is_open(void **state)
{
	new_grid();
	set(2, 0, "linear");
	set(2, 2, "ring");
	expect(TUNE_BCAST, "choose_bcast = 16- 0-1023 linear, 16- 64K- ring"
			   "  # assumed: weft-tune\n");
}

static void equal_neighbours_become_one_range(void **state)
{
	new_grid();
	for (unsigned r = 1; r < 3; r++)
		for (unsigned s = 1; s < 3; s++)
			set(r, s, "tree");
	expect(TUNE_ALLREDUCE, "choose_allreduce = 8- 1K- tree"
			       "  # assumed: weft-tune\n");
}

static void blocks_of_all_ranks_count(void **state)
{
	new_grid();
	T_IS(tune_volume(TUNE_ALLGATHER, 8, 1024), 8192);
	T_IS(tune_volume(TUNE_ALLTOALL, 8, 1024), 1024);
	set(1, 1, "ring");
	set(2, 1, "ring");
	expect(TUNE_ALLGATHER,
	       "choose_allgather = 8-15 8K-524287 ring, 16- 16K-1048575 ring"
	       "  # assumed: weft-tune\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		T_CASE(no_choices_no_line),
		T_CASE(ranges_end_before_the_next_size_and_ranks),
		T_CASE(the_first_size_begins_at_0_and_the_last_is_open),
		T_CASE(equal_neighbours_become_one_range),
		T_CASE(blocks_of_all_ranks_count),
	};

	return T_RUN(tests);
}

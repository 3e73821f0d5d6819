/* SPDX-License-Identifier: BSD-3-Clause */
/* weft-tune: options, and the loop over the grid. */
#include "config.h"
#include "src/tools/args.h"
#include "src/tools/tune/tune_run.h"

#include <mpi.h>
#include <stdlib.h>
#include <string.h>

static const char before[] =
	"Usage: mpiexec --machine MACHINE -n RANKS weft-tune [OPTION]...\n"
	"Measures the algorithms of the collectives on a modelled machine and\n"
	"prints the choose_ lines of its machine file.\n";

enum { OPT_RANKS, OPT_SIZES, OPT_ONLY, OPT_CHECK, OPT_VERBOSE, OPT_VERSION };

static const char after[] =
	"Exit status: 0; 1 --check found a slower operation, or no memory; 2 "
	"wrong\narguments.\n";

static const struct row {
	struct weft_arg arg;
	int option;
} rows[] = {
	{ { "ranks", 1, "LIST", "numbers of ranks (default: powers of 2)", 0 },
	  OPT_RANKS },
	{ { "sizes", 1, "LIST", "bytes (default: 8 to 1M)", 0 }, OPT_SIZES },
	{ { "only", 1, "NAME", "only this operation, such as bcast", 0 },
	  OPT_ONLY },
	{ { "check", 0, "",
	    "print operations that are 10 % slower than an alternative", 0 },
	  OPT_CHECK },
	{ { "verbose|v", 0, "", "print the measured times on stderr", 0 },
	  OPT_VERBOSE },
	{ { "version", 0, "", "version", 0 }, OPT_VERSION },
};

/* ---- options ------------------------------------------------------------- */

/* Parses "2,8,64k" into a list of increasing numbers. Returns 0 or -EINVAL. */
static int parse_list(const struct weft_args *w, char *text, uint64_t min,
		      uint64_t max, uint64_t *list, unsigned *count_p)
{
	char *word, *rest = text;

	*count_p = 0;
	while ((word = strsep(&rest, ","))) {
		if (*count_p == TUNE_GRID_MAX)
			return weft_args_error(w, "more than %d values",
					       TUNE_GRID_MAX);
		if (weft_args_number(w, word, min, max, &list[*count_p]))
			return -1;
		if (*count_p && list[*count_p] <= list[*count_p - 1])
			return weft_args_error(w, "%s: values must increase",
					       word);
		++*count_p;
	}
	return 0;
}

static bool known_operation(const char *name)
{
	for (unsigned op = 0; op < TUNE_OPS; op++)
		if (!strcmp(name, tune_op_names[op]))
			return true;
	return false;
}

static int set_option(struct weft_args *w, struct tune_run *t)
{
	const struct row *row = w->row;

	switch (row->option) {
	case OPT_RANKS:
		return parse_list(w, w->value[0], 2, (uint64_t)t->world,
				  t->ranks, &t->rank_count);
	case OPT_SIZES:
		return parse_list(w, w->value[0], 8, 64 << 20, t->sizes,
				  &t->size_count);
	case OPT_ONLY:
		t->only = w->value[0];
		return known_operation(t->only)
			       ? 0
			       : weft_args_error(w, "no operation %s", t->only);
	case OPT_CHECK:
		t->check = true;
		return 0;
	case OPT_VERBOSE:
		t->verbose = true;
		return 0;
	default:
		puts("weft-tune (Weft) " PACKAGE_VERSION);
		return 1;
	}
}

static void set_defaults(struct tune_run *t)
{
	static const uint64_t sizes[] = { 8,	 64,	512,	4096,
					  16384, 65536, 262144, 1048576 };

	if (!t->rank_count)
		for (int n = 2; n <= t->world && t->rank_count < TUNE_GRID_MAX;
		     n *= 2)
			t->ranks[t->rank_count++] = (uint64_t)n;
	if (t->size_count)
		return;
	t->size_count = WEFT_COUNT_OF(sizes);
	memcpy(t->sizes, sizes, sizeof(sizes));
}

/*
 * Parses the options. Returns 0, 1 (nothing to run) or a negative value
 * (error).
 */
static int parse(struct weft_args *w, struct tune_run *t)
{
	enum weft_args_found found;
	int err;

	while ((found = weft_args_next(w)) != WEFT_ARGS_END) {
		if (found == WEFT_ARGS_HELP)
			return 1;
		if (found == WEFT_ARGS_WRONG)
			return -1;
		if (found == WEFT_ARGS_WORD)
			return weft_args_error(w, "%s: not an option",
					       *w->word);
		err = set_option(w, t);
		if (err)
			return err;
	}
	set_defaults(t);
	if (!t->rank_count)
		return weft_args_error(w, "at least two ranks are needed");
	return 0;
}

/* ---- the grid ------------------------------------------------------------ */

double tune_fastest(enum tune_op op, int ranks, size_t bytes,
		    char best[TUNE_NAME])
{
	char name[TUNE_ALGORITHMS][TUNE_NAME];
	unsigned n = tune_algorithms(op, name);
	double least = 0, time;

	for (unsigned i = 0; i < n; i++) {
		time = tune_measure(op, ranks, bytes, name[i]);
		if (!i || time < least) {
			least = time;
			memcpy(best, name[i], TUNE_NAME);
		}
	}
	return least;
}

static void measure_cell(const struct tune_run *t, enum tune_op op,
			 struct tune_grid *g, unsigned r, unsigned s)
{
	int ranks = (int)t->ranks[r];
	size_t bytes = (size_t)t->sizes[s];
	double selected = tune_measure(op, ranks, bytes, NULL), least;
	char best[TUNE_NAME];

	least = tune_fastest(op, ranks, bytes, best);
	/*
	 * only half of the tolerance: at sizes between those of the grid the
	 * difference may be larger
	 */
	if (selected > (1 + TUNE_TOLERANCE) / 2 * least)
		memcpy(g->best[r][s], best, TUNE_NAME);
	if (t->verbose && t->rank == 0)
		fprintf(stderr, "%s %d ranks %zu bytes: %.2f us, %s %.2f us\n",
			tune_op_names[op], ranks, bytes, selected, best, least);
}

/* Runs the grid of one operation; returns the number of violations. */
static unsigned run_operation(const struct tune_run *t, enum tune_op op)
{
	static struct tune_grid g;
	unsigned bad = 0;

	memset(&g, 0, sizeof(g));
	g.rank_count = t->rank_count;
	g.size_count = op == TUNE_BARRIER ? 1 : t->size_count;
	memcpy(g.ranks, t->ranks, sizeof(g.ranks));
	memcpy(g.sizes, t->sizes, sizeof(g.sizes));
	for (unsigned r = 0; r < g.rank_count; r++)
		for (unsigned s = 0; s < g.size_count; s++)
			if (t->check)
				bad += tune_check(t, op, (int)g.ranks[r],
						  (size_t)g.sizes[s]);
			else
				measure_cell(t, op, &g, r, s);
	if (!t->check && t->rank == 0)
		tune_print_choices(stdout, op, &g);
	return bad;
}

static unsigned run_all(const struct tune_run *t)
{
	unsigned bad = 0;

	for (unsigned op = 0; op < TUNE_OPS; op++)
		if (!t->only || !strcmp(t->only, tune_op_names[op]))
			bad += run_operation(t, (enum tune_op)op);
	return bad;
}

static int run(struct tune_run *t)
{
	size_t most = (size_t)t->sizes[t->size_count - 1] * (size_t)t->world;
	int failed = tune_buffers_open(most), any;
	unsigned bad;

	MPI_Allreduce(&failed, &any, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
	if (any) {
		if (t->rank == 0)
			fprintf(stderr,
				"weft-tune: no memory for vectors of %zu "
				"bytes on each rank\n",
				most);
		tune_buffers_close();
		return 1;
	}
	bad = run_all(t);
	tune_buffers_close();
	return bad ? 1 : 0;
}

int main(int argc, char **argv)
{
	struct tune_run t = { 0 };
	struct weft_args w = { .program = "weft-tune",
			       WEFT_ARGS_TABLE(rows),
			       .before = before,
			       .after = after };
	int err, level;

	MPI_Init(&argc, &argv);
	MPI_T_init_thread(MPI_THREAD_SINGLE, &level);
	MPI_Comm_rank(MPI_COMM_WORLD, &t.rank);
	MPI_Comm_size(MPI_COMM_WORLD, &t.world);
	w.word = argv + 1;
	/* only one rank reports wrong options or prints the help */
	if (t.rank && (!freopen("/dev/null", "w", stdout) ||
		       !freopen("/dev/null", "w", stderr)))
		MPI_Abort(MPI_COMM_WORLD, 1);
	err = parse(&w, &t);
	err = err ? (err < 0 ? 2 : 0) : run(&t);
	MPI_T_finalize();
	MPI_Finalize();
	return err;
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* weft-reproduce: runs published experiments on the model and compares. */
#include "config.h"
#include "src/reproduce/repro_bench.h"
#include "src/sim/sim_plot.h"

#include <getopt.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

static const char help[] =
	"Usage: weft-reproduce [OPTION]... SYSTEM\n"
	"Runs the published experiments on SYSTEM (bgq) on the model and "
	"compares.\n"
	"\n"
	"  -m, --machine NAME|FILE  another machine file than SYSTEM's own\n"
	"  -q, --quick       leave out what takes more than some seconds\n"
	"      --only ID     rows whose id begins so, as BGQ-T1\n"
	"      --list        the rows, without running anything\n"
	"      --csv, --json instead of text\n"
	"      --plot FILE   draw paper against model: FILE.png or FILE.svg\n"
	"      --progress    a line on stderr while it runs (on a terminal "
	"always)\n"
	"      --help, --version\n"
	"\n"
	"Exit status: 0 all predictions that were run are within their bands, "
	"1 some\n"
	"are not or an experiment failed, 2 wrong arguments.\n";

enum {
	OPT_ONLY = 256,
	OPT_LIST,
	OPT_CSV,
	OPT_JSON,
	OPT_PLOT,
	OPT_PROGRESS,
	OPT_HELP,
	OPT_VERSION
};

static const struct option options[] = {
	{ "machine", required_argument, NULL, 'm' },
	{ "quick", no_argument, NULL, 'q' },
	{ "only", required_argument, NULL, OPT_ONLY },
	{ "list", no_argument, NULL, OPT_LIST },
	{ "csv", no_argument, NULL, OPT_CSV },
	{ "json", no_argument, NULL, OPT_JSON },
	{ "plot", required_argument, NULL, OPT_PLOT },
	{ "progress", no_argument, NULL, OPT_PROGRESS },
	{ "help", no_argument, NULL, OPT_HELP },
	{ "version", no_argument, NULL, OPT_VERSION },
	{ NULL, 0, NULL, 0 },
};

struct args {
	const char *only, *plot;
	bool list;
	enum repro_format format;
};

static int wrong(const char *what, const char *said)
{
	fprintf(stderr, "weft-reproduce: %s%s%s\nTry weft-reproduce --help.\n",
		what, *what ? ": " : "", said);
	return 2;
}

/* -1: go on; else the exit status. */
static int take(struct repro *r, struct args *a, int c)
{
	switch (c) {
	case 'm':
		r->machine = optarg;
		return -1;
	case 'q':
		r->quick = true;
		return -1;
	case OPT_ONLY:
		a->only = optarg;
		return -1;
	case OPT_LIST:
		a->list = true;
		return -1;
	case OPT_CSV:
		a->format = REPRO_CSV;
		return -1;
	case OPT_JSON:
		a->format = REPRO_JSON;
		return -1;
	case OPT_PLOT:
		a->plot = optarg;
		return sim_plot_check("weft-reproduce", optarg) ? 2 : -1;
	case OPT_PROGRESS:
		r->progress = true;
		return -1;
	case OPT_HELP:
		fputs(help, stdout);
		return 0;
	case OPT_VERSION:
		puts("weft-reproduce (Weft) " PACKAGE_VERSION);
		return 0;
	default:
		fputs("Try weft-reproduce --help.\n", stderr);
		return 2;
	}
}

/* Keeps the rows that were asked for; how many there are. */
static unsigned keep(struct repro *r, const char *only)
{
	unsigned n = 0;

	for (unsigned i = 0; i < r->count; i++)
		if (!only || !strncmp(r->row[i].id, only, strlen(only)))
			r->row[n++] = r->row[i];
	r->count = n;
	return n;
}

static void run_row(const struct repro *r, struct repro_row *row)
{
	if (repro_slow(row) && r->quick)
		return; /* left out */
	row->state = repro_exp_run(r, row) ? REPRO_FAILED : REPRO_DONE;
}

static int run_all(struct repro *r, const struct args *a)
{
	int bad = 0;

	repro_out_begin(r, a->format);
	for (unsigned i = 0; i < r->count; i++) {
		struct repro_row *row = &r->row[i];

		if (!a->list)
			run_row(r, row);
		repro_out_row(r, a->format, i);
		bad |= row->state == REPRO_FAILED;
		bad |= row->state == REPRO_DONE &&
		       row->kind == REPRO_PREDICTED && !repro_in_band(row);
	}
	repro_out_end(r, a->format);
	if (a->plot && repro_draw(r, a->plot))
		bad = 1;
	return bad;
}

int main(int argc, char **argv)
{
	static struct repro r;
	struct net_config cfg;
	struct args a = { 0 };
	int c, ret;

	while ((c = getopt_long(argc, argv, "m:q", options, NULL)) != -1) {
		ret = take(&r, &a, c);
		if (ret >= 0)
			return ret;
	}
	if (optind + 1 != argc)
		return wrong("", optind == argc ? "which system? bgq"
						: "one system at a time");
	r.system = argv[optind];
	if (!r.machine)
		r.machine = r.system;
	if (strrchr(r.machine, ':') && !strchr(strrchr(r.machine, ':'), '/'))
		return wrong(r.machine, "the experiments bring their shapes; "
					"name the machine without one");
	if (repro_table_read(&r) || repro_bench_config(&r, NULL, &cfg))
		return 2;
	if (!keep(&r, a.only))
		return wrong(a.only, "no row's id begins so; see --list");
	signal(SIGPIPE, SIG_IGN); /* gnuplot may die; we say so */
	ret = run_all(&r, &a);
	return ret || fflush(stdout) ? 1 : 0;
}

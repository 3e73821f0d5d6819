/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * weft-reproduce: runs published experiments on the model and compares the
 * results.
 */
#include "config.h"
#include "src/tools/reproduce/repro_bench.h"
#include "src/tools/reproduce/repro_sensitivity.h"
#include "src/tools/args.h"
#include "src/tools/outfile.h"
#include "src/tools/sim/sim_plot.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>

static const char before[] =
	"Usage: weft-reproduce [OPTION]... SYSTEM\n"
	"Runs the published experiments on SYSTEM (as "
	"bgq, or all) on the model\nand compares the results.\n";

static const char after[] =
	"Exit status: 0 all predictions that were run are within their bands "
	"or outside\n"
	"as the table states, 1 some are not or an experiment failed, 2 wrong "
	"arguments.\n";

static int report_no_system(struct weft_args *w)
{
	char name[REPRO_SYSTEMS][32], all[REPRO_SYSTEMS * 34] = "";
	unsigned n = repro_systems(name);
	size_t at = 0;

	for (unsigned i = 0; i < n; i++)
		at += (size_t)snprintf(all + at, sizeof(all) - at, "%s, ",
				       name[i]);
	return weft_args_error(w, "no SYSTEM given; use %sor all", all);
}

struct args {
	const char *machine, *only, *plot, *html, *by;
	struct page *page; /* page of --html, or NULL */
	/* results of --sensitivity, or NULL */
	struct repro_sensitivity *changes;
	bool quick, list, progress;
	bool csv, json, version, sensitivity;
};

#define AT(field) offsetof(struct args, field)

/* An option: a flag (no argument) or a text, at an offset of struct args. */
static const struct row {
	struct weft_arg arg;
	size_t offset;
} rows[] = {
	{ { "machine|m", 1, "NAME|FILE",
	    "machine file to use instead of SYSTEM's", 0 },
	  AT(machine) },
	{ { "quick|q", 0, "",
	    "skip experiments that take more than some seconds", 0 },
	  AT(quick) },
	{ { "only", 1, "ID",
	    "run only rows whose id begins with ID, such as BGQ-T1", 0 },
	  AT(only) },
	{ { "by", 1, "mpi|model",
	    "by an MPI program, or by the model without processes (default: "
	    "as the authors measured)",
	    0 },
	  AT(by) },
	{ { "list", 0, "", "list the rows without running the experiments", 0 },
	  AT(list) },
	{ { "sensitivity", 0, "",
	    "change every number of the machine file, one at a time", 0 },
	  AT(sensitivity) },
	{ { "csv", 0, "", "print CSV instead of text", 0 }, AT(csv) },
	{ { "json", 0, "", "print JSON instead of text", 0 }, AT(json) },
	{ { "plot", 1, "FILE", "draw paper against model: FILE.png or FILE.svg",
	    0 },
	  AT(plot) },
	{ { "html", 1, "FILE", "the results as an HTML page with plots", 0 },
	  AT(html) },
	{ { "progress", 0, "",
	    "rows done and time left, on stderr (on a terminal always)", 0 },
	  AT(progress) },
	{ { "version", 0, "", "version", 0 }, AT(version) },
};

/*
 * Parses options and the system, in any order. Returns 0; 1: nothing to run;
 * negative: error, reported on stderr.
 */
static int parse(struct weft_args *w, struct repro *r, struct args *a)
{
	enum weft_args_found found;
	char why[WEFT_OUTFILE_WHY];

	while ((found = weft_args_next(w)) != WEFT_ARGS_END) {
		if (found == WEFT_ARGS_HELP)
			return 1;
		if (found == WEFT_ARGS_WRONG)
			return -1;
		if (found == WEFT_ARGS_OPTION) {
			const struct row *row = w->row;
			char *at = (char *)a + row->offset;

			if (row->arg.nargs)
				*(const char **)at = w->value[0];
			else
				*(bool *)at = true;
		} else if (r->system) {
			return weft_args_error(w, "one system at a time");
		} else {
			r->system = *w->word++;
		}
	}
	if (a->version)
		return puts("weft-reproduce (Weft) " PACKAGE_VERSION) >= 0;
	if (!r->system)
		return report_no_system(w);
	if (a->plot && sim_plot_check("weft-reproduce", a->plot))
		return -1;
	if (a->html && weft_outfile_check(a->html, WEFT_OUTFILE_PAGE, why))
		return weft_args_error(w, "--html %s: %s", a->html, why);
	if (a->sensitivity && (a->csv || a->list))
		return weft_args_error(w, "--sensitivity is printed as text or "
					  "JSON, and needs the results");
	if (!strcmp(r->system, "all") && (a->machine || a->plot || a->only))
		return weft_args_error(w, "all takes no --machine, --only or "
					  "--plot");
	if (a->by && strcmp(a->by, "mpi") && strcmp(a->by, "model"))
		return weft_args_error(w, "--by %s: use mpi or model", a->by);
	if (a->by)
		r->by = strcmp(a->by, "mpi") ? REPRO_BY_MODEL : REPRO_BY_MPI;
	r->machine = a->machine ? a->machine : r->system;
	r->quick = a->quick;
	r->progress = a->progress;
	return 0;
}

/* Keeps the selected rows; returns their number. */
static unsigned select_rows(struct repro *r, const char *only)
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
		return; /* skipped by --quick */
	row->state = repro_exp_run(r, row) ? REPRO_FAILED : REPRO_DONE;
}

/*
 * Runs and prints all rows. Returns whether a row is out of its band or failed.
 */
static int run_rows(struct repro *r, const struct args *a,
		    enum repro_format format)
{
	struct repro_progress progress;
	int bad = 0;

	repro_progress_begin(&progress, r);
	repro_out_begin(r, format);
	for (unsigned i = 0; i < r->count; i++) {
		struct repro_row *row = &r->row[i];

		if (!a->list) {
			repro_progress_row(&progress, r, row);
			run_row(r, row);
			repro_progress_done(&progress, r, row);
		}
		repro_out_row(r, format, i);
		bad |= repro_failed(row);
	}
	return bad;
}

static int run_all(struct repro *r, const struct args *a)
{
	enum repro_format format = a->json  ? REPRO_JSON
				   : a->csv ? REPRO_CSV
					    : REPRO_TEXT;
	int bad = run_rows(r, a, format);

	if (a->changes)
		bad |= repro_sensitivity_run(a->changes, r) != 0;
	repro_out_end(r, a->changes, format);
	if (a->plot && repro_draw(r, a->plot))
		bad = 1;
	if (a->page)
		repro_page_add(a->page, r, a->changes);
	return bad;
}

/* Checks that machine, table and selected rows exist; negative: error. */
static int main_check(struct weft_args *w, struct repro *r,
		      const struct args *a)
{
	struct net_config cfg;

	if (strrchr(r->machine, ':') && !strchr(strrchr(r->machine, ':'), '/'))
		return weft_args_error(
			w,
			"%s: the experiments set the shape; name "
			"the machine without one",
			r->machine);
	if (repro_table_read(r) || repro_bench_config(r, NULL, &cfg))
		return -1;
	if (!select_rows(r, a->only))
		return weft_args_error(w,
				       "--only %s: no row with such an id; see "
				       "--list",
				       a->only);
	return 0;
}

/* Summary of "all": a line for each system, and all predictions. */
struct summary {
	char name[REPRO_SYSTEMS][32], line[REPRO_SYSTEMS][REPRO_SUM];
	unsigned count, predictions, held;
};

static void print_summary(const struct summary *s)
{
	for (unsigned i = 0; i < s->count; i++)
		printf("%s%-8s %s\n", i ? "" : "\n", s->name[i], s->line[i]);
	if (s->predictions)
		printf("%-8s %u of %u predictions in band, %u %%\n", "all",
		       s->held, s->predictions, 100 * s->held / s->predictions);
}

/* Runs every system that has a table, then prints the summary. */
static int run_systems(struct weft_args *w, struct repro *r,
		       const struct args *a)
{
	struct summary s = { .count = 0 };
	bool text = !a->json && !a->csv;
	int bad = 0;

	s.count = repro_systems(s.name);
	for (unsigned i = 0; i < s.count; i++) {
		r->system = r->machine = s.name[i];
		r->count = 0;
		memset(r->row, 0, sizeof(r->row));
		if (main_check(w, r, a))
			return -1;
		if (text)
			printf("%s%s\n\n", i ? "\n" : "", s.name[i]);
		bad |= run_all(r, a);
		repro_out_sum(r, a->changes, s.line[i], sizeof(s.line[i]));
		repro_out_count(r, &s.predictions, &s.held);
	}
	if (text)
		print_summary(&s);
	return bad;
}

/*
 * Runs one system or all. Returns 0; 1: a row is out of band or failed;
 * negative: wrong arguments.
 */
static int main_run(struct weft_args *w, struct repro *r, const struct args *a)
{
	int err;

	if (!strcmp(r->system, "all"))
		return run_systems(w, r, a);
	err = main_check(w, r, a);
	return err ? err : run_all(r, a);
}

static int report_write(const char *file, int err)
{
	if (err)
		fprintf(stderr, "weft-reproduce: cannot write %s: %s\n", file,
			strerror(-err));
	return err ? 1 : 0;
}

static int run_paged(struct weft_args *w, struct repro *r, struct args *a)
{
	static struct page page;
	int err = repro_page_open(&page, a->html, r->system);

	if (err)
		return report_write(a->html, err);
	a->page = &page;
	err = main_run(w, r, a);
	if (err < 0)
		page_drop(&page);
	else
		err |= report_write(a->html, page_close(&page));
	return err;
}

int main(int argc, char **argv)
{
	static struct repro_sensitivity changes;
	static struct repro r;
	struct args a = { 0 };
	struct weft_args w = { .program = "weft-reproduce",
			       WEFT_ARGS_TABLE(rows),
			       .before = before,
			       .after = after,
			       .attached = true,
			       .word = argv + 1 };
	int err = parse(&w, &r, &a);

	/* ignored, because sim_plot_close() reports a failure of gnuplot */
	signal(SIGPIPE, SIG_IGN);
	if (err)
		return err < 0 ? 2 : 0;
	a.changes = a.sensitivity ? &changes : NULL;
	err = a.html ? run_paged(&w, &r, &a) : main_run(&w, &r, &a);
	return err < 0 ? 2 : err || fflush(stdout) ? 1 : 0;
}

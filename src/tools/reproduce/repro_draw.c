/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Plots of paper and model, one for each series of rows with the same
 * description: points from the paper, a line from the model. A description that
 * ends in "by hops" has hops on the x axis; rows that are not part of a series
 * are drawn as bars, with other rows of the same unit.
 */
#include "src/tools/reproduce/repro.h"
#include "src/tools/sim/sim_plot.h"

#include <errno.h>
#include <string.h>

/* Returns the label of the x axis of a series; NULL: not part of a series. */
static const char *x_label(const struct repro_row *row)
{
	const char *by = strstr(row->text, ", by ");

	return by ? by + strlen(", by ") : NULL;
}

static bool same_plot(const struct repro_row *a, const struct repro_row *b)
{
	if (x_label(a) || x_label(b))
		return !strcmp(a->text, b->text);
	return !strcmp(a->unit, b->unit);
}

/*
 * Writes the rows of the plot that starts with the row `first`; returns the
 * number of results.
 */
static unsigned write_data(FILE *f, const struct repro *r,
			   const struct repro_row *first)
{
	unsigned n = 0;

	fputs("$d << END\n", f);
	for (unsigned i = 0; i < r->count; i++) {
		const struct repro_row *row = &r->row[i];

		if (row->state != REPRO_DONE || !same_plot(row, first))
			continue;
		if (x_label(first))
			fprintf(f, "%s %g %g\n", row->x, row->value,
				row->model);
		else
			fprintf(f, "%u %g %g %s\n", n, row->value, row->model,
				strrchr(row->id, '-') + 1);
		n++;
	}
	fputs("END\n", f);
	return n;
}

static void write_plot(FILE *f, const struct repro *r,
		       const struct repro_row *row)
{
	const char *x = x_label(row);

	if (!write_data(f, r, row))
		return;
	if (!x) {
		fprintf(f,
			"set title '%s'\nunset logscale x\n"
			"set key top right\nset style fill solid 0.6\n"
			"set boxwidth 0.35\nset yrange [0:*]\n"
			"unset xlabel\nset xrange [-0.5:*]\nset format x\n"
			"plot $d using ($1-0.2):2:xtic(4) with boxes "
			"title 'paper', '' using ($1+0.2):3 with boxes "
			"title 'model'\n",
			row->unit);
		return;
	}
	fprintf(f,
		"set title '%s: %s, %s'\nset xlabel '%s'\n%s\n"
		"set autoscale\nset format x '%s'\n"
		"plot $d using 1:3 with lines lw 2 title 'model', "
		"'' using 1:2 with points pt 7 title 'paper'\n",
		row->source, row->text, row->unit, x,
		strcmp(x, "hops") ? "set logscale x 2" : "unset logscale x",
		strcmp(x, "message size") ? "%.0f" : "%.0b %BB");
}

/* Returns whether row i is the first row of its plot. */
static bool is_first(const struct repro *r, unsigned i)
{
	for (unsigned k = 0; k < i; k++)
		if (same_plot(&r->row[k], &r->row[i]))
			return false;
	return true;
}

int repro_draw(const struct repro *r, const char *file)
{
	FILE *f = sim_plot_open(file, 1200, 1400);

	if (!f)
		return -errno;
	fputs("set multiplot layout 4,2\nset grid\nset key bottom right\n", f);
	for (unsigned i = 0; i < r->count; i++)
		if (is_first(r, i))
			write_plot(f, r, &r->row[i]);
	fputs("unset multiplot\n", f);
	return sim_plot_close(f);
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* A picture for each table: the paper's points, the model's line. */
#include "src/reproduce/repro.h"
#include "src/sim/sim_plot.h"

#include <errno.h>
#include <string.h>

/* Rows of experiments with this title; returns how many came out. */
static unsigned data(FILE *f, const struct repro *r,
		     const struct repro_exp *exp)
{
	unsigned n = 0;

	fputs("$d << END\n", f);
	for (unsigned i = 0; i < r->count; i++) {
		const struct repro_row *row = &r->row[i];
		const struct repro_exp *e = repro_exp_find(row->id);

		if (!e || strcmp(e->title, exp->title) ||
		    row->state != REPRO_DONE)
			continue;
		if (exp->x)
			fprintf(f, "%s %g %g\n", row->x, row->value,
				row->model);
		else
			fprintf(f, "%u %g %g %s\n", n, row->value, row->model,
				row->id + strlen("BGQ-X-"));
		n++;
	}
	fputs("END\n", f);
	return n;
}

static void picture(FILE *f, const struct repro *r,
		    const struct repro_exp *exp)
{
	if (!data(f, r, exp))
		return;
	fprintf(f, "set title '%s'\n", exp->title);
	if (!exp->x) {
		fputs("unset logscale x\nset key top right\n"
		      "set style fill solid 0.6\n"
		      "set boxwidth 0.35\nset yrange [0:*]\n"
		      "unset xlabel\nset xrange [-0.5:*]\nset format x\n"
		      "plot $d using ($1-0.2):2:xtic(4) with boxes "
		      "title 'paper', '' using ($1+0.2):3 with boxes "
		      "title 'model'\n", f);
		return;
	}
	fprintf(f, "set xlabel '%s'\n%s\nset autoscale\n"
		"set format x '%s'\n"
		"plot $d using 1:3 with lines lw 2 title 'model', "
		"'' using 1:2 with points pt 7 title 'paper'\n", exp->x,
		strcmp(exp->x, "hops") ? "set logscale x 2"
				       : "unset logscale x",
		strcmp(exp->x, "bytes") ? "%.0f" : "%.0b %BB");
}

int repro_draw(const struct repro *r, const char *file)
{
	FILE *f = sim_plot_open(file, 1200, 1400);

	if (!f)
		return -errno;
	fputs("set multiplot layout 4,2\nset grid\nset key bottom right\n", f);
	for (unsigned i = 0; i < repro_exp_count; i++)
		if (!i || strcmp(repro_exps[i].title, repro_exps[i - 1].title))
			picture(f, r, &repro_exps[i]);
	fputs("unset multiplot\n", f);
	return sim_plot_close(f);
}

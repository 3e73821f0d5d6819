/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Pictures of weft-sim: latency and throughput over the offered load, or the
 * histogram of a single point; and the use of every link as a heat map.
 */
#include "src/sim/sim_links.h"
#include "src/sim/sim_out.h"
#include "src/sim/sim_plot.h"
#include "prov/net/net_file.h"

#include <errno.h>
#include <inttypes.h>

/* Rows of a heat map at most; more nodes than that share rows. */
#define HEAT_ROWS 512u

static void title(FILE *f, const struct sim_opts *o)
{
	char shape[64];

	net_file_shape_text(&o->spec.cfg, shape, sizeof(shape));
	fprintf(f, "set title '%s %s, %s, %" PRIu64 " B'\nset grid\n",
		o->spec.cfg.name, shape, sim_pattern_name(o->spec.pattern),
		o->spec.bytes);
}

static void sweep(FILE *f, const struct sim_opts *o, const struct sim_result *r)
{
	fputs("$d << END\n", f);
	for (unsigned i = 0; i < o->loads; i++)
		fprintf(f, "%g %g %g %g %g\n", o->load[i],
			r[i].accepted / r[i].peak,
			sim_hist_mean(&r[i].latency) / 1e3,
			(double)sim_hist_part(&r[i].latency, 0.5) / 1e3,
			(double)sim_hist_part(&r[i].latency, 0.99) / 1e3);
	fputs("END\nset multiplot layout 2,1\n"
	      "set xlabel 'offered load, part of the peak'\n"
	      "set ylabel 'accepted, part of the peak'\nset key top left\n"
	      "plot $d using 1:2 with linespoints pt 7 title 'accepted', "
	      "x with lines dt 2 lc 'gray' title 'all'\n"
	      "set ylabel 'latency, ns'\nset logscale y\n"
	      "plot $d using 1:3 with linespoints pt 7 title 'mean', "
	      "'' using 1:4 with linespoints pt 6 title 'median', "
	      "'' using 1:5 with linespoints pt 4 title '99 %'\n"
	      "unset multiplot\n",
	      f);
}

static void histogram(FILE *f, const struct sim_result *r)
{
	fputs("$d << END\n", f);
	for (unsigned c = 0; c < SIM_HIST_CELLS; c++)
		if (r->latency.cell[c])
			fprintf(f, "%g %" PRIu64 "\n",
				(double)sim_hist_from(c) / 1e3,
				r->latency.cell[c]);
	fputs("END\nset xlabel 'latency, ns'\nset ylabel 'messages'\n"
	      "set logscale x\nunset key\n"
	      "plot $d using 1:2 with histeps lw 2\n",
	      f);
}

int sim_draw(const struct sim_opts *o, const struct sim_result *r)
{
	FILE *f = sim_plot_open(o->plot, 900, o->loads > 1 ? 1000 : 600);

	if (!f)
		return -errno;
	title(f, o);
	if (o->loads > 1)
		sweep(f, o, r);
	else
		histogram(f, r);
	return sim_plot_close(f);
}

/* Mean use of a port over the nodes of one row. */
static double row_use(const struct sim_result *r, uint32_t from, uint32_t to,
		      unsigned port)
{
	double sum = 0;

	for (uint32_t n = from; n < to; n++)
		sum += (double)r->link[(size_t)n * r->ports + port]
			       .count.busy_ps;
	return 100 * sum / (double)r->time_ps / (to - from);
}

int sim_draw_heat(const struct sim_opts *o, const struct sim_result *r)
{
	uint32_t each = (r->nodes + HEAT_ROWS - 1) / HEAT_ROWS, to;
	unsigned ports = 2u * o->spec.cfg.dims;
	FILE *f = sim_plot_open(o->heat, 700, 900);
	char name[8];

	if (!f)
		return -errno;
	title(f, o);
	fputs("$d << END\n", f);
	for (uint32_t n = 0; n < r->nodes; n += each) {
		to = n + each < r->nodes ? n + each : r->nodes;
		for (unsigned p = 0; p < ports; p++)
			fprintf(f, "%u %u %g\n", p, n, row_use(r, n, to, p));
		fputs("\n", f);
	}
	fputs("END\nset xtics (", f);
	for (unsigned p = 0; p < ports; p++) {
		sim_port_name(&o->spec.cfg, p, name);
		fprintf(f, "%s'%s' %u", p ? ", " : "", name, p);
	}
	fprintf(f,
		")\nset xlabel 'link'\nset ylabel 'node'\n"
		"set cblabel 'busy, %%'\nset cbrange [0:100]\nunset key\n"
		"set xrange [-0.5:%u.5]\nset yrange [-0.5:%u.5]\n"
		"plot $d using 1:2:3 with image\n",
		ports - 1, r->nodes - 1);
	return sim_plot_close(f);
}
